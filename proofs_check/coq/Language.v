(** * The language in which certificates' theorems are written

    Matrices, pairs of laws and a few operations on reals. Who reads a certificate's theorem reads
    these definitions, and those of laws, views and [hockey_stick] in ExactDP.v. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
From Coquelicot Require RInt.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

Definition matrix := list (list R).
Definition pair := (law counts * law counts)%type.

Definition law_of_row (row : list R) : law nat := combine (seq 0 (length row)) row.
Definition row (M : matrix) (i : nat) : law nat := law_of_row (nth i M []).
Definition crowd (users : list (law nat * nat)) : list (law nat) :=
  flat_map (fun x => repeat (fst x) (snd x)) users.

(** Message y belongs to class [nth y classes]. *)
Definition merged (classes : list nat) (u : law nat) : law nat :=
  image (fun y => nth y classes 0%nat) u.

(** The views of a shuffler when the victim sends by [v] and by [w]. *)
Definition shuffle (k : nat) (v w : law nat) (others : list (law nat * nat)) : pair :=
  (view k (v :: crowd others), view k (w :: crowd others)).

(** Two lists of masses; outcome i is written [i]. *)
Definition finite_pair (p q : list R) : pair :=
  (image (fun i => [i]) (law_of_row p), image (fun i => [i]) (law_of_row q)).

Definition divergence (X : pair) (E : R) : R := hockey_stick same_counts (fst X) (snd X) E.
Definition distance (X : pair) : R := total_variation same_counts (fst X) (snd X).

Definition is_among (S : list counts) (c : counts) : bool :=
  existsb (fun d => if same_counts d c then true else false) S.
Definition event (S : list counts) (P : law counts) : R := prob (is_among S) P.

Definition entry (M : matrix) (i j : nat) : R := nth j (nth i M []) 0.
Definition row_sum (M : matrix) (i : nat) : R := total (nth i M []).
Definition is_row (xs : list R) : Prop := Forall (fun x => 0 <= x) xs /\ total xs = 1.

(** x^n for a whole number n, perhaps negative; the sum over whole numbers from lo to hi; the
    number of b-subsets of a set of a. Numbers that are not whole are rounded down. *)
Definition power (x n : R) : R := powerRZ x (Int_part n).
Definition whole_numbers (lo hi : Z) : list Z :=
  map (fun i => (lo + Z.of_nat i)%Z) (seq 0 (Z.to_nat (hi - lo + 1))).
Definition sum (lo hi : R) (f : R -> R) : R :=
  total (map (fun i => f (IZR i)) (whole_numbers (Int_part lo) (Int_part hi))).
Fixpoint falling (a : Z) (b : nat) : Z :=
  match b with 0%nat => 1%Z | S b => (falling a b * (a - Z.of_nat b))%Z end.
Definition choose (a b : Z) : R :=
  if (0 <=? b)%Z && (b <=? a)%Z
  then IZR (falling a (Z.to_nat b)) / IZR (falling b (Z.to_nat b)) else 0.
Definition binomial (a b : R) : R := choose (Int_part a) (Int_part b).

(** The standard normal distribution function: 1/2 and the integral of the density from 0 on. *)
Definition normal_cdf (x : R) : R :=
  1 / 2 + RInt.RInt (V := Hierarchy.R_CompleteNormedModule) (fun t => exp (- (t * t) / 2)) 0 x / sqrt (2 * PI).

Inductive relation := Lt | Le | Eq | Ne | Ge | Gt.
Definition holds (r : relation) (x y : R) : Prop :=
  match r with
  | Lt => x < y | Le => x <= y | Eq => x = y | Ne => x <> y | Ge => x >= y | Gt => x > y
  end.
Definition decide (r : relation) (x y : R) : {holds r x y} + {~ holds r x y}.
Proof.
  destruct (total_order_T x y) as [[H|H]|H], r; cbn;
    (left; lra) || (right; lra).
Defined.

Fixpoint column_max (j : nat) (M : matrix) : R :=
  match M with
  | [] => 0 | [r] => nth j r 0 | r :: M => Rmax (nth j r 0) (column_max j M)
  end.
Fixpoint column_min (j : nat) (M : matrix) : R :=
  match M with
  | [] => 0 | [r] => nth j r 0 | r :: M => Rmin (nth j r 0) (column_min j M)
  end.

(** The largest ratio of two entries of one column, and at least 1; columns of zeros count 1. *)
Definition column_ratio (M : matrix) (j : nat) : R :=
  if decide Eq (column_max j M) 0 then 1 else column_max j M / column_min j M.
Definition ldp_ratio (M : matrix) : R :=
  fold_right (fun j x => Rmax (column_ratio M j) x) 1 (seq 0 (length (nth 0 M []))).

(** ** What follows from a theorem *)

(** What a bound of a divergence says of events. *)
Lemma some_event (X : pair) E d :
  divergence X E > d -> exists S, prob S (fst X) - E * prob S (snd X) > d.
Proof. apply above_some_event. Qed.

Lemma some_event_at_least (X : pair) E d :
  divergence X E >= d -> exists S, prob S (fst X) - E * prob S (snd X) >= d.
Proof.
  intros H; destruct (hockey_stick_largest same_counts (fst X) (snd X) E) as [_ [S HS]].
  exists S; rewrite HS; exact H.
Qed.

Lemma every_event (X : pair) E d :
  divergence X E <= d -> forall S, prob S (fst X) - E * prob S (snd X) <= d.
Proof.
  intros H S; destruct (hockey_stick_largest same_counts (fst X) (snd X) E) as [U _].
  exact (Rle_trans _ _ _ (U S) H).
Qed.

Lemma every_event_below (X : pair) E d :
  divergence X E < d -> forall S, prob S (fst X) - E * prob S (snd X) < d.
Proof.
  intros H S; destruct (hockey_stick_largest same_counts (fst X) (snd X) E) as [U _].
  exact (Rle_lt_trans _ _ _ (U S) H).
Qed.

(** The whole view, of which a merged one is a function. *)
Lemma crowd_merged classes others :
  crowd (map (fun x => (merged classes (fst x), snd x)) others)
  = map (image (fun y => nth y classes 0%nat)) (crowd others).
Proof.
  induction others as [|[u n] others IH]; [reflexivity|]; cbn [map crowd flat_map fst snd].
  rewrite map_app; unfold crowd in IH; rewrite IH; f_equal.
  induction n as [|n IHn]; cbn; [reflexivity | now rewrite IHn].
Qed.

Lemma whole_view j k classes v w others E :
  below k v -> below k w -> Forall (fun x => below k (fst x)) others ->
  divergence (shuffle j (merged classes v) (merged classes w)
    (map (fun x => (merged classes (fst x), snd x)) others)) E
  <= divergence (shuffle k v w others) E.
Proof.
  intros Hv Hw H; unfold divergence, shuffle; cbn [fst snd]; rewrite crowd_merged.
  assert (C : Forall (below k) (crowd others)).
  { induction H as [|[u n] others Hu H IH]; [constructor|]; cbn; apply Forall_app; split; [|exact IH].
    apply Forall_forall; intros x Hx; apply repeat_spec in Hx; now subst. }
  apply (merging_messages _ j k (v :: crowd others) (w :: crowd others)); constructor; assumption.
Qed.

Lemma below_row k M i : (length (nth i M []) <= k)%nat -> below k (row M i).
Proof.
  intros H; unfold row, law_of_row, below; apply Forall_forall; intros [y x] I.
  apply in_combine_l, in_seq in I; cbn; lia.
Qed.

Ltac below_rows := repeat constructor; apply below_row; cbn; repeat constructor.

Lemma rows_are_laws (M : matrix) :
  Forall (Forall (fun x => 0 <= x)) M -> Forall (fun r => total r = 1) M -> Forall is_row M.
Proof.
  induction 1 as [|r M Hr H IH]; intros S; [constructor|].
  apply Forall_cons_iff in S as [S1 S2]; constructor; [split; assumption | exact (IH S2)].
Qed.

Lemma power_exp_positive x n : 0 < power (exp x) n.
Proof. apply powerRZ_lt, exp_pos. Qed.

(** The sums of rows that are not rational, by [field]; denominators hold exponentials. *)
Ltac rows_sum :=
  repeat constructor; cbn [total]; try field; repeat split;
  repeat match goal with
  | |- context [power (exp ?x) ?n] => lazymatch goal with
    | _ : 0 < power (exp x) n |- _ => fail | _ => pose proof (power_exp_positive x n) end
  | |- context [exp ?x] => lazymatch goal with
    | _ : 0 < exp x |- _ => fail | _ => pose proof (exp_pos x) end
  end; try (apply Rgt_not_eq; nra).

(** Two rational functions are the same, wherever what they divide by is not 0. A power stands for
    itself. *)
Ltac same_functions :=
  intros; field; repeat split; try assumption;
  match goal with H : _ <> 0 |- _ => solve [intros E; apply H; rewrite E; ring | lra] end.
