(** * The inputs of Erlingsson et al. 2019: boolean states, and horizons that are no power of two

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith.
Require Import ExactDP Longitudinal ClaimsErlingsson2019Tree ClaimsErlingsson2019Mean.
Import ListNotations.
Open Scope R_scope.

(** ** Two inputs at one node *)

(** The changes of a boolean state that is 0 before period 1, and how many there are. *)
Fixpoint changes_from (before : bool) (states : list bool) : list Z :=
  match states with [] => [] | s :: states => (Z.b2z s - Z.b2z before)%Z :: changes_from s states end.
Definition changes_of (states : list bool) : list Z := changes_from false states.
Definition count_changes (x : list Z) : nat := length (filter (fun c => negb (Z.eqb c 0)) x).
Definition boolean_input (d k : nat) (states : list bool) : Prop :=
  length states = d /\ (count_changes (changes_of states) <= k)%nat.

(** The sum at the j-th node of level h of the vector that keeps the kappa-th change. *)
Definition kept_at (kappa h : nat) (states : list bool) (j : nat) : R :=
  node_change (only_change kappa (changes_of states)) (h, j).
Definition moved_by (kappa h : nat) (inputs : list bool * list bool) (j : nat) : R :=
  Rabs (kept_at kappa h (fst inputs) j - kept_at kappa h (snd inputs) j).
Definition nodes_moved (d kappa h : nat) (inputs : list bool * list bool) : nat :=
  length (filter (fun j => if Req_EM_T (moved_by kappa h inputs j) 0 then false else true) (seq 1 (d / 2 ^ (h - 1)))).
Definition largest_move (d kappa h : nat) (inputs : list bool * list bool) : R :=
  fold_right Rmax 0 (map (moved_by kappa h inputs) (seq 1 (d / 2 ^ (h - 1)))).

(** The kappa-th change from a state on, of which the next is up from 0 and down from 1. *)
Fixpoint direction (kappa : nat) (before : bool) : R :=
  match kappa with
  | 0%nat => 0
  | S 0 => if before then -1 else 1
  | S kappa => direction kappa (negb before)
  end.

Lemma direction_size kappa : forall before, Rabs (direction kappa before) <= 1.
Proof.
  induction kappa as [|[|kappa] IH]; intros before; [cbn; rewrite Rabs_R0; lra | | apply IH].
  destruct before; cbn; unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** The kept change lies in one period, or in none. *)
Lemma kept_place states : forall kappa before,
  (forall v t, below_from v t (only_change kappa (changes_from before states)) = 0) \/
  exists i, forall v t, below_from v t (only_change kappa (changes_from before states))
    = if spans v (t + i) then direction kappa before else 0.
Proof.
  induction states as [|s states IH]; intros kappa before; [left; reflexivity|]; cbn [changes_from only_change].
  destruct (Bool.bool_dec s before) as [->|N].
  - rewrite Z.sub_diag; cbn [Z.eqb]; destruct (IH kappa before) as [H|[i H]]; [left | right; exists (S i)]; intros v t;
      cbn [below_from]; rewrite H.
    + destruct (spans v t); ring.
    + rewrite Nat.add_succ_r; change (S t + i)%nat with (S (t + i)); destruct (spans v t); ring.
  - assert (E : (Z.b2z s - Z.b2z before <> 0)%Z) by (destruct s, before; try (exfalso; now apply N); cbn; lia).
    assert (Sn : s = negb before) by (destruct s, before; try reflexivity; exfalso; now apply N).
    assert (D : IZR (Z.b2z s - Z.b2z before) = direction 1 before) by (subst s; destruct before; reflexivity).
    destruct (Z.eqb_spec (Z.b2z s - Z.b2z before) 0) as [|_]; [contradiction|].
    destruct kappa as [|[|kappa]].
    + left; intros v t; cbn [Nat.eqb Nat.sub below_from]; rewrite only_change_none; destruct (spans v t); ring.
    + right; exists 0%nat; intros v t; cbn [Nat.eqb Nat.sub below_from]; rewrite only_change_none, D, Nat.add_0_r; destruct (spans v t); ring.
    + change (S (S kappa) =? 1)%nat with false; replace (S (S kappa) - 1)%nat with (S kappa) by lia; rewrite Sn.
      destruct (IH (S kappa) (negb before)) as [H|[i H]]; [left | right; exists (S i)]; intros v t; cbn [below_from]; rewrite H.
      * destruct (spans v t); ring.
      * rewrite Nat.add_succ_r; change (S t + i)%nat with (S (t + i)); destruct (spans v t); cbn [direction]; ring.
Qed.

(** A level has one node above a period. *)
Lemma spans_one h j j' p : (1 <= p)%nat -> (1 <= h)%nat -> (1 <= j)%nat -> (1 <= j')%nat ->
  spans (h, j) p = true -> spans (h, j') p = true -> j = j'.
Proof.
  destruct p as [|q], h as [|b], j as [|i], j' as [|i']; try lia; intros _ _ _ _.
  rewrite !spans_holds; unfold holds_at; rewrite !Nat.eqb_eq; congruence.
Qed.

Lemma kept_two kappa h states : (1 <= h)%nat -> exists at_node e, (e = direction kappa false) /\
  forall j, (1 <= j)%nat -> (kept_at kappa h states j = 0 \/ (j = at_node /\ kept_at kappa h states j = e)).
Proof.
  intros Hh; unfold kept_at, changes_of; destruct (kept_place states kappa false) as [H|[i H]].
  - exists 0%nat, (direction kappa false); split; [reflexivity|]; intros j _; left; rewrite node_change_from; apply H.
  - exists (S (i / 2 ^ (h - 1))), (direction kappa false); split; [reflexivity|]; intros j Hj; rewrite node_change_from, H.
    destruct (spans (h, j) (1 + i)) eqn:E; [right; split; [|reflexivity] | now left].
    apply (spans_one h j _ (1 + i)); try (lia || assumption).
    destruct h as [|b]; [lia|]; replace (S b - 1)%nat with b by lia; change (1 + i)%nat with (S i).
    rewrite spans_holds; apply Nat.eqb_refl.
Qed.

Theorem erlingsson2019_sensitivity (d : nat) (k : nat) (kappa_star : nat) (h_star : nat) (inputs : list bool * list bool) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= k)%nat -> (1 <= kappa_star)%nat -> (kappa_star <= k)%nat ->
  (1 <= h_star)%nat /\ (h_star <= Nat.log2 d + 1)%nat -> boolean_input d k (fst inputs) /\ boolean_input d k (snd inputs) ->
  INR (nodes_moved d kappa_star h_star inputs) <= 2 /\ largest_move d kappa_star h_star inputs <= 1.
Proof.
  intros _ _ _ _ [Hh _] _; destruct (kept_two kappa_star h_star (fst inputs) Hh) as (a & e & Ee & A).
  destruct (kept_two kappa_star h_star (snd inputs) Hh) as (b & e' & Ee' & B); split.
  - apply (le_INR _ 2), (NoDup_incl_length (l' := [a; b])); [apply NoDup_filter, seq_NoDup|].
    intros j I; apply filter_In in I as [I N]; apply in_seq in I; unfold moved_by in N.
    destruct (A j ltac:(lia)) as [Z|[-> _]]; [|now left]; destruct (B j ltac:(lia)) as [Z'|[-> _]]; [|right; now left].
    rewrite Z, Z', Rminus_0_r, Rabs_R0 in N; destruct Req_EM_T; [discriminate | contradiction].
  - assert (M : forall j, (1 <= j)%nat -> moved_by kappa_star h_star inputs j <= 1).
    { intros j Hj; unfold moved_by; pose proof (direction_size kappa_star false) as D.
      destruct (A j Hj) as [->|[_ ->] ], (B j Hj) as [->|[_ ->] ]; subst e e'; unfold Rminus;
        rewrite ?Ropp_0, ?Rplus_0_r, ?Rplus_0_l, ?Rabs_Ropp, ?Rplus_opp_r, ?Rabs_R0; lra. }
    unfold largest_move; assert (F : forall l, Forall (fun j => (1 <= j)%nat) l -> fold_right Rmax 0 (map (moved_by kappa_star h_star inputs) l) <= 1).
    { intros l H; induction H as [|j l Hj H IH]; cbn; [lra|]; apply Rmax_lub; [now apply M | exact IH]. }
    apply F, Forall_forall; intros j I; apply in_seq in I; lia.
Qed.

(** ** Up to the next power of two nothing changes any more *)

Definition longer (d : nat) : nat := (2 ^ Nat.log2_up d)%nat.
Definition padded (d : nat) (x : list Z) : list Z := x ++ repeat 0%Z (longer d - d).

Lemma at_most_longer d : (1 <= d)%nat -> (d <= longer d /\ longer d <= 2 * d - 1)%nat.
Proof.
  intros H; unfold longer; destruct (Nat.eq_dec d 1) as [->|N]; [cbn; lia|].
  destruct (Nat.log2_up_spec d ltac:(lia)) as [L U]; split; [exact U|].
  assert (0 < Nat.log2_up d)%nat by (apply Nat.log2_up_pos; lia).
  replace (Nat.log2_up d) with (S (pred (Nat.log2_up d))) by lia; cbn [Nat.pow]; lia.
Qed.

Theorem erlingsson2019_power_of_two (d : nat) (x : list Z) (t : nat) :
  (1 <= d)%nat -> length x = d /\ Forall change x -> (1 <= t)%nat -> (t <= d)%nat ->
  INR d <= INR (longer d) /\ INR (longer d) <= (2 * (INR d)) - 1
  /\ INR (count_changes (padded d x)) = INR (count_changes x) /\ state_at (padded d x) t = state_at x t.
Proof.
  intros Hd [L _] H1 Ht; destruct (at_most_longer d Hd) as [A B]; repeat split.
  - now apply le_INR.
  - apply le_INR in B; rewrite minus_INR in B by lia; rewrite mult_INR in B; cbn in B; lra.
  - f_equal; unfold count_changes, padded; rewrite filter_app, app_length.
    enough (E : forall n, filter (fun c => negb (Z.eqb c 0)) (repeat 0%Z n) = []) by (rewrite E; cbn; lia).
    intros n; induction n; [reflexivity | assumption].
  - unfold state_at; apply total_ext; intros p Hp; apply in_seq in Hp; unfold change_at, padded.
    rewrite app_nth1 by lia; reflexivity.
Qed.
