(** * The dyadic tree of Erlingsson et al. 2019, and the cover C of [1, t]

    Each theorem is a claim of its catalog, its statement exported from the claim's own form. A node is (h, j); it
    stands for the periods (j - 1) 2^(h - 1) + 1, ..., j 2^(h - 1). *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith Permutation.
Require Import ExactDP Swapping Longitudinal.
Import ListNotations.
Open Scope R_scope.

(** ** Levels *)

(** The positions at a level: d leaves, and the parents of the level below. *)
Fixpoint row (d above : nat) : list nat :=
  match above with
  | 0%nat => seq 1 d
  | S b => nodup Nat.eq_dec (map (fun j => (j + 1) / 2)%nat (row d b))
  end.
Definition nodes_at (d h : nat) : nat := length (row d (h - 1)).

Lemma parents s m : nodup Nat.eq_dec (map (fun j => (j + 1) / 2)%nat (seq (2 * s + 1) (2 * m))) = seq (s + 1) m.
Proof.
  revert s; induction m as [|m IH]; intros s; [reflexivity|].
  replace (2 * S m)%nat with (S (S (2 * m))) by lia; cbn [seq map].
  assert (E : ((2 * s + 1 + 1) / 2 = s + 1 /\ (S (2 * s + 1) + 1) / 2 = s + 1)%nat).
  { split; [replace (2 * s + 1 + 1)%nat with ((s + 1) * 2)%nat by lia; now apply Nat.div_mul|].
    replace (S (2 * s + 1) + 1)%nat with (1 + (s + 1) * 2)%nat by lia; now rewrite Nat.div_add. }
  destruct E as [-> ->]; replace (S (S (2 * s + 1))) with (2 * (s + 1) + 1)%nat by lia.
  cbn [nodup]; destruct (in_dec Nat.eq_dec (s + 1)%nat (s + 1 :: _)%nat) as [_|N]; [|exfalso; apply N; now left].
  destruct in_dec as [I|_].
  - exfalso; apply (nodup_In Nat.eq_dec) in I; rewrite IH in I; apply in_seq in I; lia.
  - rewrite IH; replace (S (s + 1)) with (s + 1 + 1)%nat by lia; reflexivity.
Qed.

Lemma row_of_power L b : (b <= L)%nat -> row (2 ^ L) b = seq 1 (2 ^ (L - b)).
Proof.
  induction b as [|b IH]; intros H; [cbn [row]; now rewrite Nat.sub_0_r|].
  cbn [row]; rewrite IH by lia; replace (L - b)%nat with (S (L - S b)) by lia; apply (parents 0).
Qed.

Theorem erlingsson2019_level_size (d : nat) (h : nat) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= h)%nat /\ (h <= Nat.log2 d + 1)%nat ->
  INR (nodes_at d h) = INR d / 2 ^ (h - 1).
Proof.
  intros [L ->] [H1 H2]; rewrite Nat.log2_pow2 in H2 by lia; unfold nodes_at.
  rewrite row_of_power, seq_length by lia; rewrite !pow_INR; replace (INR 2) with 2 by (cbn; ring).
  replace L with (L - (h - 1) + (h - 1))%nat at 2 by lia; rewrite pow_add; field; apply pow_nonzero; lra.
Qed.

(** ** Nodes and periods *)

Definition spans (v : nat * nat) (p : nat) : bool :=
  (((snd v - 1) * 2 ^ (fst v - 1) <? p) && (p <=? snd v * 2 ^ (fst v - 1)))%nat.

(** A node as (b, i) = (h - 1, j - 1), and a period as q = p - 1. *)
Definition valid (v : nat * nat) : Prop := (1 <= fst v /\ 1 <= snd v)%nat.
Definition holds_at (b i q : nat) : bool := (q / 2 ^ b =? i)%nat.

Lemma two_power b : (0 < 2 ^ b)%nat.
Proof. apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia. Qed.

Lemma quotient_is a m i : (0 < m)%nat -> (a / m = i <-> i * m <= a /\ a < (i + 1) * m)%nat.
Proof.
  intros M; pose proof (Nat.div_mod_eq a m); pose proof (Nat.mod_upper_bound a m); split; [intros <-; nia|].
  intros [A B]; symmetry; apply (Nat.div_unique _ _ _ (a - i * m)); nia.
Qed.

Lemma spans_holds b i q : spans (S b, S i) (S q) = holds_at b i q.
Proof.
  unfold spans, holds_at; cbn [fst snd Nat.sub]; rewrite !Nat.sub_0_r; apply eq_true_iff_eq.
  rewrite andb_true_iff, Nat.ltb_lt, Nat.leb_le, Nat.eqb_eq, quotient_is by apply two_power; cbn [Nat.mul]; lia.
Qed.

Lemma half_quotient q b : (q / 2 ^ S b = q / 2 ^ b / 2)%nat.
Proof. rewrite Nat.pow_succ_r', Nat.mul_comm, Nat.div_div; [reflexivity | pose proof (two_power b); lia | lia]. Qed.

(** ** The cover by the binary digits of t *)

Definition cover (t : nat) : list (nat * nat) :=
  map (fun b => (S b, t / 2 ^ b)%nat) (filter (Nat.testbit t) (seq 0 (S (Nat.log2 t)))).

(** How many nodes are above a period; whether it is at most t. *)
Definition above (C : list (nat * nat)) (p : nat) : nat := length (filter (fun v => spans v p) C).
Definition reached (t p : nat) : R := if (p <=? t)%nat then 1 else 0.

Lemma filter_map {A B} (f : A -> B) g l : filter g (map f l) = map f (filter (fun a => g (f a)) l).
Proof. induction l as [|a l IH]; [reflexivity|]; cbn; destruct (g (f a)); cbn; now rewrite IH. Qed.

Lemma filter_filter {A} (f g : A -> bool) l : filter g (filter f l) = filter (fun a => f a && g a) l.
Proof. induction l as [|a l IH]; [reflexivity|]; cbn; destruct (f a); cbn; destruct (g a); cbn; now rewrite IH. Qed.

Lemma testbit_odd t b : Nat.testbit t b = Nat.odd (t / 2 ^ b).
Proof. rewrite Nat.testbit_odd, Nat.shiftr_div_pow2; reflexivity. Qed.

Definition at_digit (t q b : nat) : bool := (Nat.odd (t / 2 ^ b) && (t / 2 ^ b =? S (q / 2 ^ b)))%nat.

Lemma at_digit_shift t q b : at_digit t q (S b) = at_digit (t / 2) (q / 2) b.
Proof.
  unfold at_digit; replace (2 ^ S b)%nat with (2 * 2 ^ b)%nat by (cbn; lia).
  rewrite <- !Nat.div_div by (pose proof (two_power b); lia); reflexivity.
Qed.

Lemma one_digit n : forall t q, (t < 2 ^ n)%nat ->
  length (filter (at_digit t q) (seq 0 n)) = if (q <? t)%nat then 1%nat else 0%nat.
Proof.
  induction n as [|n IH]; intros t q H; [cbn in H; destruct (Nat.ltb_spec q t); [lia | reflexivity]|].
  cbn [seq filter]; rewrite <- seq_shift, filter_map.
  assert (E : length (filter (fun a => at_digit t q (S a)) (seq 0 n)) = if (q / 2 <? t / 2)%nat then 1%nat else 0%nat).
  { rewrite <- IH by (apply Nat.div_lt_upper_bound; cbn in H; lia); f_equal; apply filter_ext; intros; apply at_digit_shift. }
  assert (Z : at_digit t q 0 = (Nat.odd t && (t =? S q))%nat)
    by (unfold at_digit; rewrite Nat.pow_0_r, !Nat.div_1_r; reflexivity).
  rewrite Z; pose proof (Nat.div_mod_eq t 2) as T; pose proof (Nat.mod_upper_bound t 2); pose proof (Nat.div_mod_eq q 2);
    pose proof (Nat.mod_upper_bound q 2).
  destruct (Nat.odd t) eqn:O; cbn [andb].
  - apply Nat.odd_spec in O as [m O].
    destruct (Nat.eqb_spec t (S q)); cbn [length]; rewrite map_length, E;
      destruct (Nat.ltb_spec q t), (Nat.ltb_spec (q / 2) (t / 2)); lia.
  - assert (V : Nat.even t = true) by (now rewrite <- Nat.negb_odd, O); apply Nat.even_spec in V as [m V].
    rewrite map_length, E; destruct (Nat.ltb_spec q t), (Nat.ltb_spec (q / 2) (t / 2)); lia.
Qed.

Lemma cover_spans t b q : spans (S b, t / 2 ^ b)%nat (S q) && Nat.testbit t b = at_digit t q b.
Proof.
  unfold at_digit; rewrite testbit_odd, andb_comm; destruct (Nat.odd (t / 2 ^ b)) eqn:O; cbn [andb]; [|reflexivity].
  destruct (t / 2 ^ b)%nat as [|i]; [discriminate|]; rewrite spans_holds; unfold holds_at.
  destruct (Nat.eqb_spec (q / 2 ^ b) i), (Nat.eqb_spec (S i) (S (q / 2 ^ b))); (reflexivity || lia).
Qed.

Lemma cover_partition t p : (1 <= p)%nat -> INR (above (cover t) p) = reached t p.
Proof.
  destruct p as [|q]; intros Hp; [lia|]; unfold above, cover, reached.
  rewrite filter_map, map_length, filter_filter.
  rewrite (filter_ext _ (at_digit t q)) by (intros b; rewrite andb_comm; apply cover_spans).
  rewrite one_digit.
  - destruct (Nat.ltb_spec q t), (Nat.leb_spec (S q) t); (reflexivity || lia).
  - destruct t as [|t]; [cbn; lia | apply Nat.log2_spec; lia].
Qed.

Theorem erlingsson2019_cover_partition (d : nat) (t : nat) (period : nat) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= t)%nat -> (t <= d)%nat -> (1 <= period)%nat ->
  INR (above (cover t) period) = reached t period.
Proof. intros _ _ _; apply cover_partition. Qed.

Lemma filtered_at_most {A} (f : A -> bool) l : (length (filter f l) <= length l)%nat.
Proof. induction l as [|a l IH]; [reflexivity|]; cbn; destruct (f a); cbn; lia. Qed.

Theorem erlingsson2019_cover_size (d : nat) (t : nat) :
  (exists L, (1 <= L)%nat /\ d = (2 ^ L)%nat) -> (1 <= t)%nat -> (t <= d)%nat ->
  INR (length (cover t)) <= INR (Nat.log2 d).
Proof.
  intros [L [HL ->]] H1 H2; apply le_INR; rewrite Nat.log2_pow2 by lia; unfold cover; rewrite map_length.
  destruct (Nat.eq_dec t (2 ^ L)) as [->|N].
  - rewrite Nat.log2_pow2 by lia; rewrite (filter_ext _ (Nat.eqb L)) by (intros; apply Nat.pow2_bits_eqb).
    clear -HL; enough (E : forall n s, (length (filter (Nat.eqb L) (seq s n)) <= 1)%nat) by (specialize (E (S L) 0%nat); lia).
    induction n as [|n IH]; intros s; [cbn; lia|]; cbn [seq filter]; destruct (Nat.eqb_spec L s) as [->|]; [|apply IH].
    rewrite (filter_ext_in _ (fun _ => false)).
    + clear; induction (seq (S s) n); [cbn; lia | assumption].
    + intros a Ha; apply in_seq in Ha; apply Nat.eqb_neq; lia.
  - assert (Nat.log2 t < L)%nat by (apply Nat.log2_lt_pow2; lia).
    pose proof (filtered_at_most (Nat.testbit t) (seq 0 (S (Nat.log2 t)))) as F; rewrite seq_length in F; lia.
Qed.

(** ** Sums over the cover *)

Definition change_at (x : list Z) (p : nat) : R := IZR (nth (p - 1) x 0%Z).
(** The state at t; the sum of the changes below a node. *)
Definition state_at (x : list Z) (t : nat) : R := total (map (change_at x) (seq 1 t)).
Definition node_change (x : list Z) (v : nat * nat) : R :=
  total (map (change_at x) (filter (spans v) (seq 1 (length x)))).
Definition cover_change (x : list Z) (t : nat) : R := total (map (node_change x) (cover t)).

Lemma total_filtered {A} (f : A -> R) g l : total (map f (filter g l)) = total (map (fun a => (if g a then 1 else 0) * f a) l).
Proof. induction l as [|a l IH]; [reflexivity|]; cbn; destruct (g a); cbn; rewrite IH; ring. Qed.

Lemma counted {A} (g : A -> bool) l : total (map (fun a => if g a then 1 else 0) l) = INR (length (filter g l)).
Proof.
  induction l as [|a l IH]; [reflexivity|]; cbn [map total filter]; rewrite IH; destruct (g a); [|ring].
  cbn [length]; rewrite S_INR; ring.
Qed.

Lemma cover_sum x t : (t <= length x)%nat -> cover_change x t = state_at x t.
Proof.
  intros H; unfold cover_change, node_change.
  rewrite (total_ext _ (fun v => total (map (fun p => (if spans v p then 1 else 0) * change_at x p) (seq 1 (length x)))))
    by (intros; apply total_filtered).
  rewrite total_exchanged.
  rewrite (total_ext _ (fun p => change_at x p * reached t p)).
  - replace (length x) with (t + (length x - t))%nat by lia; rewrite seq_app, map_app, total_app.
    rewrite (total_ext _ (change_at x) (seq 1 t)), (total_ext _ (fun _ => 0 * 0) (seq (1 + t) _)), total_scale.
    + unfold state_at; ring.
    + intros p Hp; apply in_seq in Hp; unfold reached; destruct (Nat.leb_spec p t); [lia | ring].
    + intros p Hp; apply in_seq in Hp; unfold reached; destruct (Nat.leb_spec p t); [ring | lia].
  - intros p Hp; apply in_seq in Hp; rewrite <- cover_partition by lia; unfold above; rewrite <- counted, <- total_scale.
    apply total_ext; intros; ring.
Qed.

Theorem erlingsson2019_marginal_sums (d : nat) (x : list Z) (t : nat) :
  (exists L, d = (2 ^ L)%nat) -> length x = d /\ Forall change x -> (1 <= t)%nat -> (t <= d)%nat ->
  cover_change x t = state_at x t.
Proof. intros _ [<- _] _ H; now apply cover_sum. Qed.
