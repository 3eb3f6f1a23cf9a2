(** * Claims of Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019

    Each theorem is a claim of its catalog, its statement exported from the claim's own form (a test compares
    them word for word); x = e^eps0. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket Letters TwoLetters Clones Claims Swapping SwappedOrders.
Import ListNotations.
Open Scope R_scope.

(** ** Theorems 7 and 8 *)

(** eps_1, and the first bound of Theorem 7, in x = e^eps0. *)
Definition eps1 (n : nat) (x : R) : R := 2 * x ^ 2 * (x - 1) / INR n.
Definition general_bound (n : nat) (x d : R) : R :=
  sqrt (2 * INR n * ln (1 / d)) * eps1 n x + INR n * eps1 n x * (exp (eps1 n x) - 1).

(** Local randomizers for all earlier outcomes, the i-th one after i - 1 of them; the first element of the data
    in two cases, and what stands at the other positions. *)
Record swapping (X A : Type) := {
  randomizer : list A -> X -> law A; one : X; two : X; elsewhere : nat -> X }.
Arguments randomizer {X A}. Arguments one {X A}. Arguments two {X A}. Arguments elsewhere {X A}.
Definition placed {X} (first : X) (elsewhere : nat -> X) (k : nat) : X :=
  match k with 0%nat => first | S k => elsewhere k end.

(** D of the outcomes of A_swap on data that differ in the first element. *)
Definition swapped_apart {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (p : swapping X A) (E : R) : R :=
  hockey_stick (list_eq_dec same) (swapped_run (randomizer p) (placed (one p) (elsewhere p)) n)
    (swapped_run (randomizer p) (placed (two p) (elsewhere p)) n) E.

Lemma private_ratio {X A} (same : forall x y : A, {x = y} + {x <> y}) x (K : list A -> X -> law A) :
  1 < x -> private_after same (ln x) K ->
  forall past z z', is_law (K past z) /\ within same x (K past z) (K past z').
Proof. intros Hx H past z z'; destruct (H past z z') as [L W]; rewrite exp_ln in W by lra; now split. Qed.

Theorem erlingsson2019_theorem_8 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : swapping X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  private_after same (ln exp_epsilon0) (randomizer randomizers) ->
  swapped_apart same n randomizers (exp (general_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 H; apply (amplification_by_swapping same (randomizer randomizers) exp_epsilon0 n);
    try lra; try lia; [now apply private_ratio | intros [|k] Hk; [contradiction | reflexivity]].
Qed.

Theorem erlingsson2019_theorem_7 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  messages_apart same randomizers (exp (general_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 [U [L H]]; apply (amplification_by_shuffling same (steps randomizers) exp_epsilon0 n);
    try lra; try assumption; eapply Forall_impl; [|exact H]; intros K HK; now apply private_ratio.
Qed.

(** ** The special cases of Theorem 7: bounds of the exponential function *)

(** exp lies below its chord from 0 to c. *)
Lemma exp_chord c m x : 0 < c -> 0 <= x <= c -> exp c - 1 <= m * c -> exp x - 1 <= m * x.
Proof.
  intros Hc Hx H; pose proof (exp_convex (x / c) c 0) as V; rewrite exp_0 in V.
  replace (x / c * c + (1 - x / c) * 0) with x in V by (field; lra).
  assert (I : 0 <= x / c <= 1).
  { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, Hc]|].
    apply (Rmult_le_reg_r c); [exact Hc|]; replace (x / c * c) with x by (field; lra); lra. }
  specialize (V I); assert (x / c * (exp c - 1) <= x / c * (m * c)) by (apply Rmult_le_compat_l; lra).
  replace (x / c * (m * c)) with (m * x) in * by (field; lra); lra.
Qed.

(** exp x <= 1 / (1 - x). *)
Lemma exp_at_most x : x < 1 -> exp x <= 1 / (1 - x).
Proof.
  intros H; pose proof (exp_ineq1_le (- x)) as E; rewrite exp_Ropp in E; pose proof (exp_pos x).
  apply (Rmult_le_reg_r (1 - x)); [lra|]; replace (1 / (1 - x) * (1 - x)) with 1 by (field; lra).
  apply Rle_trans with (exp x * / exp x); [apply Rmult_le_compat_l; lra | right; field; lra].
Qed.

Lemma exp_power x m : exp (INR m * x) = exp x ^ m.
Proof.
  induction m as [|m IH]; [cbn; rewrite Rmult_0_l; apply exp_0|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH; cbn; ring.
Qed.

Lemma exp_half_at_most : exp (1 / 2) <= 5 / 3.
Proof.
  replace (1 / 2) with (INR 16 * (1 / 32)) by (cbn; field); rewrite exp_power.
  pose proof (exp_at_most (1 / 32) ltac:(lra)); pose proof (exp_pos (1 / 32)).
  eapply Rle_trans; [apply (pow_incr _ (32 / 31)); lra | lra].
Qed.

Theorem erlingsson2019_exp_half (epsilon1 : R) :
  0 <= epsilon1 -> epsilon1 <= 1 / 2 -> (exp epsilon1) - 1 <= (3 / 2) * epsilon1.
Proof.
  intros H0 H1; destruct (Rle_dec epsilon1 (1 / 4)) as [S|S].
  - apply (exp_chord (1 / 4)); try lra.
    replace (1 / 4) with (INR 8 * (1 / 32)) at 1 by (cbn; field); rewrite exp_power.
    pose proof (exp_at_most (1 / 32) ltac:(lra)); pose proof (exp_pos (1 / 32)).
    assert (exp (1 / 32) ^ 8 <= (32 / 31) ^ 8) by (apply pow_incr; lra); lra.
  - apply (exp_chord (1 / 2)); try lra; pose proof exp_half_at_most; lra.
Qed.

Theorem erlingsson2019_exp_small (epsilon1 : R) :
  0 <= epsilon1 -> epsilon1 <= 1 / 250 -> (exp epsilon1) - 1 <= (65 / 64) * epsilon1.
Proof.
  intros H0 H1; apply (exp_chord (1 / 250)); try lra; pose proof (exp_at_most (1 / 250) ltac:(lra)); lra.
Qed.

Theorem erlingsson2019_step_i (left : nat) (exp_epsilon0 : R) :
  (1 <= left)%nat -> 1 < exp_epsilon0 ->
  (((INR left) - 1) + exp_epsilon0) / (INR left) <= exp ((1 * (exp_epsilon0 - 1)) / (INR left)).
Proof.
  intros H _; assert (1 <= INR left) by (apply (le_INR 1), H).
  eapply Rle_trans; [|apply exp_ineq1_le]; right; field; lra.
Qed.

Theorem erlingsson2019_epsilon_prime (exp_epsilon : R) (q : R) :
  1 <= exp_epsilon -> 0 <= q -> q < 1 / 2 ->
  ln (1 + (q * ((exp (ln exp_epsilon)) - 1))) <= (1 * q) * (exp_epsilon - 1).
Proof.
  intros Hx Hq _; rewrite exp_ln by lra; assert (0 <= q * (exp_epsilon - 1)) by (apply Rmult_le_pos; lra).
  rewrite <- (ln_exp (1 * q * (exp_epsilon - 1))); apply ln_le; [lra|].
  eapply Rle_trans; [|apply exp_ineq1_le]; lra.
Qed.

Theorem erlingsson2019_combination (n : nat) (epsilon0 : R) (delta : R) :
  (1000 <= n)%nat -> 0 < epsilon0 -> epsilon0 < 1 / 2 -> 0 < delta -> delta < 1 / 100 ->
  epsilon0 * ((8 * (sqrt ((2 * (ln (1 / delta))) / (INR n))))
    + ((2 / 3) * (sqrt ((1 * (ln (1 / delta))) / (INR n)))))
  <= (12 * epsilon0) * (sqrt ((1 * (ln (1 / delta))) / (INR n))).
Proof.
  intros Hn He _ Hd Hd1; assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (L : 0 <= ln (1 / delta)).
  { rewrite <- ln_1; apply ln_le; [lra|]; apply (Rmult_le_reg_r delta); [lra|].
    replace (1 / delta * delta) with 1 by (field; lra); lra. }
  set (w := 1 * ln (1 / delta) / INR n).
  assert (W : 0 <= w) by (unfold w; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, N]).
  replace (2 * ln (1 / delta) / INR n) with (2 * w) by (unfold w; field; lra).
  rewrite sqrt_mult by lra; pose proof (sqrt_pos w).
  assert (sqrt 2 <= 17 / 12) by (rewrite <- (sqrt_square (17 / 12)) by lra; apply sqrt_le_1; lra).
  assert (sqrt 2 * sqrt w <= 17 / 12 * sqrt w) by (apply Rmult_le_compat_r; lra).
  rewrite (Rmult_comm 12), Rmult_assoc; apply Rmult_le_compat_l; lra.
Qed.

(** n eps_1 <= 8 eps0 up to 1/2. *)
Lemma scaled_step e : 0 < e -> e <= 1 / 2 -> 0 <= 2 * exp (2 * e) * (exp e - 1) <= 8 * e.
Proof.
  intros H0 H1; pose proof (exp_chord (1 / 2) (4 / 3) e ltac:(lra) ltac:(lra) ltac:(pose proof exp_half_at_most; lra)) as C.
  assert (E : exp (2 * e) <= 25 / 9).
  { apply Rle_trans with (exp (1 / 2 + 1 / 2)); [apply exp_le; lra|]; rewrite exp_plus.
    pose proof exp_half_at_most; pose proof (exp_pos (1 / 2)).
    apply Rle_trans with (5 / 3 * (5 / 3)); [apply Rmult_le_compat; lra | lra]. }
  pose proof (exp_pos (2 * e)); pose proof (exp_ineq1_le e); split.
  - apply Rmult_le_pos; lra.
  - apply Rle_trans with (2 * (25 / 9) * (4 / 3 * e)); [apply Rmult_le_compat; lra | lra].
Qed.

Theorem erlingsson2019_epsilon1_linear (n : nat) (epsilon0 : R) :
  (2 <= n)%nat -> 0 < epsilon0 -> epsilon0 <= 1 / 2 ->
  ((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n) <= (8 * epsilon0) / (INR n).
Proof.
  intros Hn H0 H1; apply Rmult_le_compat_r; [|now apply scaled_step].
  apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia.
Qed.

Theorem erlingsson2019_epsilon1_small (n : nat) (epsilon0 : R) :
  (1000 <= n)%nat -> 0 < epsilon0 -> epsilon0 <= 1 / 2 ->
  ((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n) <= 1 / 250.
Proof.
  intros Hn H0 H1; eapply Rle_trans; [apply erlingsson2019_epsilon1_linear; (assumption || lia)|].
  apply le_INR in Hn; replace (INR 1000) with 1000 in Hn by (rewrite INR_IZR_INZ; reflexivity).
  apply (Rmult_le_reg_r (INR n)); [lra|]; replace (8 * epsilon0 / INR n * INR n) with (8 * epsilon0) by (field; lra); lra.
Qed.

Lemma log_nonnegative d : 0 < d -> d <= 1 -> 0 <= ln (1 / d).
Proof.
  intros H0 H1; rewrite <- ln_1; apply ln_le; [lra|]; apply (Rmult_le_reg_r d); [lra|].
  replace (1 / d * d) with 1 by (field; lra); lra.
Qed.

Theorem erlingsson2019_first_term (n : nat) (epsilon0 : R) (delta : R) :
  (2 <= n)%nat -> 0 < epsilon0 -> epsilon0 <= 1 / 2 -> 0 < delta -> delta < 1 ->
  (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)) * (sqrt ((INR n) * (2 * (ln (1 / delta)))))
  <= (8 * epsilon0) * (sqrt ((2 * (ln (1 / delta))) / (INR n))).
Proof.
  intros Hn H0 H1 D0 D1; assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  pose proof (log_nonnegative delta D0 ltac:(lra)) as L; set (w := 2 * ln (1 / delta) / INR n).
  assert (W : 0 <= w) by (unfold w; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, N]).
  replace (INR n * (2 * ln (1 / delta))) with (INR n * INR n * w) by (unfold w; field; lra).
  assert (NN : 0 <= INR n * INR n) by (apply Rmult_le_pos; lra).
  rewrite (sqrt_mult _ w NN W), sqrt_square by lra; rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [apply sqrt_pos|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  now apply scaled_step.
Qed.

Theorem erlingsson2019_second_term (n : nat) (epsilon0 : R) (delta : R) :
  (1000 <= n)%nat -> 0 < epsilon0 -> epsilon0 <= 1 / 2 -> 0 < delta -> delta <= 1 / 100 ->
  ((INR n) * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)))
    * ((exp (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n))) - 1)
  <= (((65 / 64) * (INR n)) * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)))
    * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n))
  /\ (((65 / 64) * (INR n)) * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)))
    * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n))
  <= (65 * (epsilon0 ^ 2)) / (INR n)
  /\ (65 * (epsilon0 ^ 2)) / (INR n) <= ((2 / 3) * epsilon0) * (sqrt ((ln (1 / delta)) / (INR n))).
Proof.
  intros Hn H0 H1 D0 D1; pose proof (erlingsson2019_epsilon1_small n epsilon0 Hn H0 H1) as S.
  apply le_INR in Hn; replace (INR 1000) with 1000 in Hn by (rewrite INR_IZR_INZ; reflexivity).
  destruct (scaled_step epsilon0 H0 H1) as [P Q]; set (s := 2 * exp (2 * epsilon0) * (exp epsilon0 - 1)) in *.
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; lra).
  assert (E : 0 <= s / INR n) by (apply Rmult_le_pos; lra).
  repeat split.
  - pose proof (erlingsson2019_exp_small (s / INR n) E S).
    apply Rle_trans with (INR n * (s / INR n) * (65 / 64 * (s / INR n))); [|right; ring].
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | assumption].
  - apply (Rmult_le_reg_r (INR n)); [lra|].
    replace (65 / 64 * INR n * (s / INR n) * (s / INR n) * INR n) with (65 / 64 * (s * s)) by (field; lra).
    replace (65 * epsilon0 ^ 2 / INR n * INR n) with (65 / 64 * (8 * epsilon0 * (8 * epsilon0))) by (field; lra).
    apply Rmult_le_compat_l; [lra | apply Rmult_le_compat; lra].
  - assert (L : 3 <= ln (1 / delta)).
    { rewrite <- (ln_exp 3); apply ln_le; [apply exp_pos|].
      apply Rle_trans with 100.
      - replace 3 with (INR 6 * (1 / 2)) by (cbn; field); rewrite exp_power.
        pose proof exp_half_at_most; pose proof (exp_pos (1 / 2)).
        eapply Rle_trans; [apply (pow_incr _ (5 / 3)); lra | lra].
      - apply (Rmult_le_reg_r delta); [lra|]; replace (1 / delta * delta) with 1 by (field; lra); lra. }
    set (w := ln (1 / delta) / INR n).
    assert (W : 65 * epsilon0 / INR n <= 2 / 3 * sqrt w).
    { apply Rle_trans with (2 / 3 * (65 * 3 / 2 * epsilon0 / INR n)); [right; field; lra|].
      apply Rmult_le_compat_l; [lra|]; rewrite <- (sqrt_square (65 * 3 / 2 * epsilon0 / INR n))
        by (apply Rmult_le_pos; lra).
      apply sqrt_le_1_alt; unfold w.
      replace (65 * 3 / 2 * epsilon0 / INR n * (65 * 3 / 2 * epsilon0 / INR n))
        with (38025 / 4 * (epsilon0 * epsilon0) / INR n * / INR n) by (field; lra).
      apply Rmult_le_compat_r; [lra|]; apply (Rmult_le_reg_r (INR n)); [lra|].
      replace (38025 / 4 * (epsilon0 * epsilon0) / INR n * INR n) with (38025 / 4 * (epsilon0 * epsilon0)) by (field; lra).
      assert (epsilon0 * epsilon0 <= 1 / 2 * (1 / 2)) by (apply Rmult_le_compat; lra).
      assert (3 * 1000 <= ln (1 / delta) * INR n) by (apply Rmult_le_compat; lra); lra. }
    apply Rle_trans with (epsilon0 * (65 * epsilon0 / INR n)); [right; field; lra|].
    apply Rle_trans with (epsilon0 * (2 / 3 * sqrt w)); [apply Rmult_le_compat_l; lra | right; ring].
Qed.

(** ** The second bound and the third *)

Definition small_bound (n : nat) (x d : R) : R :=
  x ^ 2 * (x - 1) * sqrt (8 * ln (1 / d) / INR n) + 6 * x ^ 4 * (x - 1) ^ 2 / INR n.
Definition large_bound (n : nat) (x d : R) : R := 12 * ln x * sqrt (ln (1 / d) / INR n).

Lemma shuffled_is_law {X A} (Ks : list (list A -> X -> law A)) (data : list X) :
  Forall (fun K => forall past z, is_law (K past z)) Ks -> is_law (shuffled Ks data).
Proof.
  intros H; apply bind_is_law; [apply permuted_is_law|]; intros zs; apply run_is_law.
  unfold on_data; clear data; revert zs; induction H as [|K Ks HK H IH]; intros [|z zs]; cbn; constructor; auto.
Qed.

Lemma larger_bound {X A} (same : forall x y : A, {x = y} + {x <> y}) n x d b (p : protocol X A) :
  (2 <= n)%nat -> 1 < x -> 0 < d -> d <= 1 ->
  users p = n /\ length (steps p) = n /\ Forall (private_after same (ln x)) (steps p) ->
  general_bound n x d <= b -> messages_apart same p (exp b) <= d.
Proof.
  intros Hn Hx H0 H1 H B; eapply Rle_trans; [|now apply (erlingsson2019_theorem_7 same n x d p)].
  apply larger_factor; [|now apply exp_le]; apply shuffled_is_law.
  destruct H as [_ [_ H]]; eapply Forall_impl; [|exact H]; intros K HK past z; exact (proj1 (HK past z z)).
Qed.

Lemma general_below_square n x d :
  1 < x -> 0 < d -> d <= 1 -> 4 * x ^ 3 <= INR n ->
  general_bound n x d <= x ^ 2 * (x - 1) * sqrt (8 * ln (1 / d) / INR n) + 3 / 2 * INR n * eps1 n x ^ 2.
Proof.
  intros Hx H0 H1 H; pose proof (log_nonnegative d H0 H1) as L; set (l := ln (1 / d)) in *.
  assert (X3 : 1 <= x ^ 3) by (apply pow_R1_Rle; lra); assert (N : 0 < INR n) by lra.
  assert (C0 : 0 <= x ^ 2 * (x - 1)) by (apply Rmult_le_pos; [apply pow_le|]; lra).
  set (c := x ^ 2 * (x - 1)) in *; assert (E : eps1 n x = 2 * c / INR n) by (unfold eps1, c; field; lra).
  assert (C : c <= x ^ 3) by (unfold c; assert (0 <= x ^ 2) by (apply pow_le; lra); cbn in *; lra).
  assert (E0 : 0 <= eps1 n x) by (rewrite E; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, N]).
  assert (E1 : eps1 n x <= 1 / 2).
  { rewrite E; apply (Rmult_le_reg_r (INR n)); [exact N|].
    replace (2 * c / INR n * INR n) with (2 * c) by (field; lra); lra. }
  pose proof (erlingsson2019_exp_half (eps1 n x) E0 E1) as X.
  unfold general_bound; fold l; apply Rplus_le_compat.
  - right; replace (8 * l / INR n) with (2 * INR n * l * ((2 / INR n) * (2 / INR n))) by (field; lra).
    assert (H2 : 0 <= 2 / INR n) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, N]).
    assert (P : 0 <= 2 * INR n * l) by (repeat apply Rmult_le_pos; lra).
    rewrite (sqrt_mult _ _ P (Rmult_le_pos _ _ H2 H2)), sqrt_square by assumption.
    rewrite E; field; lra.
  - apply Rle_trans with (INR n * eps1 n x * (3 / 2 * eps1 n x)); [|right; ring].
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact X].
Qed.

Lemma general_below_small n x d :
  1 < x -> 0 < d -> d <= 1 -> 4 * x ^ 3 <= INR n -> general_bound n x d <= small_bound n x d.
Proof.
  intros Hx H0 H1 H; assert (1 <= x ^ 3) by (apply pow_R1_Rle; lra).
  eapply Rle_trans; [now apply general_below_square|]; right; unfold small_bound, eps1; field; lra.
Qed.

Theorem erlingsson2019_small_epsilon0_chain (n : nat) (epsilon0 : R) (delta : R) :
  (2 <= n)%nat -> 0 < epsilon0 -> 0 < delta -> delta <= 1 -> 3 * epsilon0 <= ln ((INR n) / 4) ->
  ((((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)) * (sqrt ((2 * (INR n)) * (ln (1 / delta)))))
    + (((INR n) * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)))
      * ((exp (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n))) - 1))
  <= (((exp (2 * epsilon0)) * ((exp epsilon0) - 1)) * (sqrt ((8 * (ln (1 / delta))) / (INR n))))
    + (((3 / 2) * (INR n)) * ((((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)) ^ 2))
  /\ ((3 / 2) * (INR n)) * ((((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)) ^ 2)
    <= (6 * (((exp (2 * epsilon0)) * ((exp epsilon0) - 1)) ^ 2)) / (INR n).
Proof.
  intros Hn He H0 H1 H; assert (N : 0 < INR n) by (apply lt_0_INR; lia); split; [|right; field; lra].
  pose proof (exp_ineq1 epsilon0 ltac:(lra)) as X.
  assert (E2 : exp (2 * epsilon0) = exp epsilon0 ^ 2)
    by (replace (2 * epsilon0) with (epsilon0 + epsilon0) by ring; rewrite exp_plus; ring).
  assert (E3 : exp epsilon0 ^ 3 <= INR n / 4).
  { apply exp_le in H; rewrite exp_ln in H by lra.
    replace (3 * epsilon0) with (epsilon0 + epsilon0 + epsilon0) in H by ring; rewrite !exp_plus in H; cbn in *; lra. }
  rewrite E2; fold (eps1 n (exp epsilon0)).
  pose proof (general_below_square n (exp epsilon0) delta ltac:(lra) H0 H1 ltac:(lra)) as G; unfold general_bound in G; lra.
Qed.

Theorem erlingsson2019_theorem_7_small {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  4 * (exp_epsilon0 ^ 3) <= INR n ->
  messages_apart same randomizers (exp (small_bound n exp_epsilon0 delta)) <= delta.
Proof. intros Hn Hx H0 H1 H B; apply (larger_bound same n exp_epsilon0); try assumption; now apply general_below_small. Qed.

Lemma general_below_large n x d :
  (1000 <= n)%nat -> 1 < x -> ln x < 1 / 2 -> 0 < d -> d < 1 / 100 -> general_bound n x d <= large_bound n x d.
Proof.
  intros Hn Hx Hl H0 H1; assert (E0 : 0 < ln x) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (E : exp (ln x) = x) by (apply exp_ln; lra).
  assert (E2 : exp (2 * ln x) = x ^ 2) by (replace (2 * ln x) with (ln x + ln x) by ring; rewrite exp_plus, E; ring).
  assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  pose proof (erlingsson2019_first_term n (ln x) d ltac:(lia) E0 ltac:(lra) H0 ltac:(lra)) as F.
  pose proof (erlingsson2019_second_term n (ln x) d Hn E0 ltac:(lra) H0 ltac:(lra)) as [S1 [S2 S3]].
  pose proof (erlingsson2019_combination n (ln x) d Hn E0 Hl H0 H1) as C.
  rewrite E, E2 in *; fold (eps1 n x) in *; unfold general_bound, large_bound.
  replace (2 * INR n * ln (1 / d)) with (INR n * (2 * ln (1 / d))) by ring.
  rewrite !Rmult_1_l in C; lra.
Qed.

Theorem erlingsson2019_theorem_7_large {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (1000 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta < 1 / 100 ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  ln exp_epsilon0 < 1 / 2 ->
  messages_apart same randomizers (exp (large_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 H B; apply (larger_bound same n exp_epsilon0); try assumption; try lra; [lia|].
  now apply general_below_large.
Qed.
