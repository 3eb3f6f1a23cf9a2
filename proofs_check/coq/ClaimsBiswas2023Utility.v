(** * The two estimates under the same privacy, as there are more users (Biswas et al. 2023, Abstract and Section VI)

    All reports are x_0 with probability p^a q^b, and no delta is less than what this tells: with noise of the order
    sqrt n the counts have no more. Both distances are of the order 1 / sqrt n. Each theorem is a claim of the catalog, its
    statement exported from the claim's own form. *)

Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra Lia Arith.
Require Import ExactDP Lemmas Language Gaussian Composition AdvancedComposition RandomizedResponse ResponseOrders VariationTails.
Require Import ClaimsBiswas2023 ClaimsBiswas2023Worst ClaimsBiswas2023Noise ClaimsBiswas2023Distances.
Import ListNotations.
Open Scope R_scope.

(** ** What all zeros tell *)

Lemma bin_all n : bin n n = 1.
Proof. induction n as [|n IH]; [reflexivity|]; cbn [bin]; rewrite IH, bin_above by lia; ring. Qed.

Lemma binomial_last n (T : nat -> R) : (forall r, (r < n)%nat -> T r = 0) -> binomial_total n T = T n.
Proof.
  intros H; unfold binomial_total; rewrite seq_S, map_app, total_app; cbn [map total Nat.add]; rewrite bin_all.
  rewrite (total_ext _ (fun _ => 0 * 0)), total_scale by (intros r Hr; apply in_seq in Hr; rewrite H by lia; ring); ring.
Qed.

(** All reports are 0. *)
Lemma all_sent a b p q : count_mass a b p q (a + b) = p ^ a * q ^ b.
Proof.
  unfold count_mass; rewrite binomial_last.
  - destruct (Nat.leb_spec a (a + b)); [|lia]; replace (a + b - a)%nat with b by lia; rewrite bin_all, !Nat.sub_diag; cbn [pow]; ring.
  - intros r Hr; destruct (Nat.leb_spec r (a + b)); [|ring]; rewrite bin_above by lia; ring.
Qed.

Section Serves.
Variables (n k n_x0 : nat) (x E : R).
Hypotheses (Hn : (2 <= n)%nat) (Hk : (2 <= k)%nat) (Ha : (n_x0 <= n - 1)%nat) (Hx : 1 < x) (HE : 1 < E) (HEx : E < x).

Let q := 1 / (x + (INR k - 1)).
Let b := ((n - 1) - n_x0)%nat.

Lemma two_values : 2 <= INR k.
Proof. apply (le_INR 2); exact Hk. Qed.

Lemma q_other : q = other k x /\ x * q = own k x /\ 0 < q <= 1 / 2.
Proof.
  pose proof two_values; unfold q, other, own; repeat split; try (field; lra).
  - apply Rdiv_lt_0_compat; lra.
  - apply (Rmult_le_reg_r (x + (INR k - 1))); [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma low_between : 0 < (x - E) * q ^ n <= 1 / 2.
Proof.
  destruct q_other as (_ & Q1 & Q2 & Q3); pose proof two_values; split; [apply Rmult_lt_0_compat; [lra | apply pow_lt, Q2]|].
  replace n with (S (S (n - 2))) by lia; cbn [pow].
  assert (A : (x - E) * q <= 1).
  { unfold q; replace ((x - E) * (1 / (x + (INR k - 1)))) with ((x - E) / (x + (INR k - 1))) by (field; lra).
    apply (Rmult_le_reg_r (x + (INR k - 1))); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (P : 0 <= q ^ (n - 2) <= 1) by (split; [apply pow_le; lra | rewrite <- (pow1 (n - 2)); apply pow_incr; lra]).
  assert (0 <= (x - E) * q) by (apply Rmult_le_pos; lra).
  replace ((x - E) * (q * (q * q ^ (n - 2)))) with ((x - E) * q * (q * q ^ (n - 2))) by ring.
  replace (1 / 2) with (1 * (1 / 2 * 1)) by field; apply Rmult_le_compat; try (apply Rmult_le_pos; lra); try lra.
  apply Rmult_le_compat; lra.
Qed.

Lemma low_at_most : (x - E) * q ^ n <= (1 - E / x) * (own k x ^ S n_x0 * other k x ^ b) /\
  own k x ^ S n_x0 * other k x ^ b - E * (own k x ^ n_x0 * other k x ^ S b) = (1 - E / x) * (own k x ^ S n_x0 * other k x ^ b).
Proof.
  destruct q_other as (<- & <- & Q2 & _); split.
  - replace ((1 - E / x) * ((x * q) ^ S n_x0 * q ^ b)) with ((x - E) * (x ^ n_x0 * (q * (q ^ n_x0 * q ^ b))))
      by (rewrite Rpow_mult_distr; cbn [pow]; field; lra).
    rewrite <- pow_add, tech_pow_Rmult; replace (S (n_x0 + b)) with n by (unfold b; lia).
    apply Rmult_le_compat_l; [lra|]; rewrite <- (Rmult_1_l (q ^ n)) at 1; apply Rmult_le_compat_r; [apply pow_le; lra | apply pow_R1_Rle; lra].
  - cbn [pow]; field; lra.
Qed.

Lemma printed_above : (x - E) * q ^ n <= printed_delta_hat k x n_x0 b E.
Proof.
  eapply Rle_trans; [apply low_at_most|]; unfold printed_delta_hat.
  replace (S (n_x0 + S b)) with (n_x0 + S b + 1)%nat by lia; rewrite seq_app, map_app, total_app; cbn [seq map total Nat.add].
  assert (K2 : 0 < kappa1 k x) by (pose proof two_values; unfold kappa1; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (L : printed_loss k x n_x0 b (n_x0 + S b) = x).
  { unfold printed_loss, paper_sum; rewrite !binomial_last.
    - destruct (Nat.leb_spec (S n_x0) (n_x0 + S b)), (Nat.leb_spec (0 + n_x0) (n_x0 + S b)); try lia.
      replace (n_x0 + S b - n_x0)%nat with (S b) by lia; replace (n_x0 + S b - 1 - n_x0)%nat with b by lia.
      replace (n_x0 + S b - 0 - n_x0)%nat with (S b) by lia; rewrite !bin_all.
      assert (0 < kappa1 k x ^ n_x0) by (now apply pow_lt); assert (0 < INR (S b)) by (apply lt_0_INR; lia); field; lra.
    - intros r Hr; destruct (Nat.leb_spec (0 + r) (n_x0 + S b)); [|reflexivity]; rewrite bin_above by lia; ring.
    - intros r Hr; destruct (Nat.leb_spec (S r) (n_x0 + S b)); [|reflexivity]; rewrite bin_above by lia; ring. }
  rewrite L; assert (ln E < ln x) by (apply ln_increasing; lra); destruct (Rlt_dec (ln E) (ln x)); [|contradiction].
  rewrite <- paper_mass_with by (assumption || lra); replace (n_x0 + S b)%nat with (S n_x0 + b)%nat by lia; rewrite all_sent.
  replace (exp (ln E - ln x)) with (E / x) by (unfold Rminus; rewrite exp_plus, exp_Ropp, !exp_ln by lra; reflexivity).
  rewrite Rplus_0_r; rewrite <- Rplus_0_l at 1; apply Rplus_le_compat_r, total_nonnegative_in; intros s Hs; apply in_seq in Hs.
  destruct Rlt_dec as [v|]; [|lra]; set (m := paper_mass k x n_x0 b s).
  assert (0 <= m).
  { destruct (loss_ratio k x Hk ltac:(lra) n_x0 b s) as [P [Q M]]; [lia|]; unfold m; rewrite M; now apply Rlt_le, Rmult_lt_0_compat. }
  apply Rmult_le_pos; [|assumption]; apply Rlt_le in v; apply Rplus_le_compat_l with (r := - ln (printed_loss k x n_x0 b s)) in v.
  assert (exp (ln E - ln (printed_loss k x n_x0 b s)) <= exp 0) by (apply exp_le; lra); rewrite exp_0 in *; lra.
Qed.

Lemma zeros_below_tight : (1 - E / x) * (own k x ^ S n_x0 * other k x ^ b) <= tight n k n_x0 x 0 1 E.
Proof.
  rewrite <- (proj2 low_at_most).
  set (others := repeat 0%nat n_x0 ++ repeat 1%nat b).
  assert (C : count_occ Nat.eq_dec others 0%nat = n_x0).
  { apply count_zeros, Forall_forall; intros v Hv; apply repeat_spec in Hv; lia. }
  assert (L : length others = (n - 1)%nat) by (unfold others, b; rewrite app_length, !repeat_length; lia).
  assert (F : Forall (fun v => (v < k)%nat) others).
  { apply Forall_app; split; apply Forall_forall; intros v Hv; apply repeat_spec in Hv; lia. }
  eapply Rle_trans; [|apply largest_at with (a := others)]; [|apply in_datasets; repeat split; assumption].
  unfold histogram_apart; eapply Rle_trans; [|apply (count_below_histogram k 0); lia].
  destruct (hockey_stick_largest Nat.eq_dec (count 0 (users k x (0%nat :: others))) (count 0 (users k x (1%nat :: others))) E) as [U _].
  eapply Rle_trans; [|apply (U (at_ Nat.eq_dec n))]; fold (mass Nat.eq_dec (count 0 (users k x (0%nat :: others))) n).
  fold (mass Nat.eq_dec (count 0 (users k x (1%nat :: others))) n); unfold users; rewrite !mass_of_count by (try constructor; (assumption || lia || lra)).
  cbv zeta; cbn [count_occ length]; rewrite C, L; destruct (Nat.eq_dec 0 0) as [_|]; [|lia]; destruct (Nat.eq_dec 1 0); [lia|].
  replace (S (n - 1) - S n_x0)%nat with b by (unfold b; lia); replace (S (n - 1) - n_x0)%nat with (S b) by (unfold b; lia).
  replace n with (S n_x0 + b)%nat at 1 by (unfold b; lia); replace n with (n_x0 + S b)%nat at 1 by (unfold b; lia).
  rewrite !all_sent; lra.
Qed.

Lemma tight_above : (x - E) * q ^ n <= tight n k n_x0 x 0 1 E.
Proof. eapply Rle_trans; [apply low_at_most | apply zeros_below_tight]. Qed.

(** The noise: d is what a record changes over sigma. *)
Lemma noise_serves (low d : R) : 0 < low -> 0 < d -> 0 <= ln E / d - d / 2 -> - 2 * ln low <= (ln E / d - d / 2) ^ 2 ->
  normal_cdf (d / 2 - ln E / d) - E * normal_cdf (- (d / 2) - ln E / d) <= low.
Proof.
  intros L D T S; replace (d / 2 - ln E / d) with (- (ln E / d - d / 2)) by ring.
  replace (- (d / 2) - ln E / d) with (- (ln E / d - d / 2 + d)) by (field; lra).
  destruct (normal_tail (ln E / d - d / 2) T) as [_ A]; destruct (normal_tail (ln E / d - d / 2 + d) ltac:(lra)) as [B _].
  set (t := ln E / d - d / 2) in *; assert (exp (- (t * t) / 2) <= low) by (rewrite <- (exp_ln low) at 1 by lra; apply exp_le; lra).
  assert (0 <= E * normal_cdf (- (t + d))) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma noise_below (low d : R) : 0 < low <= 1 / 2 -> d = ln E / (sqrt (- 2 * ln low) + ln E) ->
  normal_cdf (d / 2 - ln E / d) - E * normal_cdf (- (d / 2) - ln E / d) <= low.
Proof.
  intros [L1 L2] D; assert (E0 : 0 < ln E) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (LL : ln low <= - (1 / 2)).
  { apply Rle_trans with (low - 1); [|lra]; pose proof (exp_ineq1_le (ln low)) as I; rewrite exp_ln in I by lra; lra. }
  set (root := sqrt (- 2 * ln low)) in *; assert (R2 : root * root = - 2 * ln low) by (apply sqrt_sqrt; lra).
  assert (R1 : 1 <= root) by (unfold root; rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (D0 : 0 < d) by (rewrite D; apply Rdiv_lt_0_compat; lra).
  assert (ED : ln E / d = root + ln E) by (rewrite D; field; lra).
  assert (D2 : d / 2 <= ln E).
  { rewrite D; apply (Rmult_le_reg_r (2 * (root + ln E))); [lra|].
    replace (ln E / (root + ln E) / 2 * (2 * (root + ln E))) with (ln E) by (field; lra); nra. }
  apply noise_serves; [lra | exact D0 | rewrite ED; lra|]; rewrite ED, <- R2; replace (root * root) with (root ^ 2) by ring.
  apply pow_incr; lra.
Qed.
End Serves.

Theorem biswas2023_gap_vanishes (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R) (exp_epsilon : R)
    (data : list nat) (sigma : R) :
  (2 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  exp_epsilon < exp_epsilon0 -> length data = n /\ Forall (fun v => (v < k)%nat) data -> 0 < sigma ->
  sigma * (ln exp_epsilon) <= (sqrt 2) * ((sqrt ((- 2) * (ln ((exp_epsilon0 - exp_epsilon) * ((1 /
  (exp_epsilon0 + ((INR k) - 1))) ^ n))))) + (ln exp_epsilon)) ->
  (normal_cdf ((1 * (((1 * (ln exp_epsilon)) / ((sqrt ((- 2) * (ln ((exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 +
  ((INR k) - 1))) ^ n))))) + (ln exp_epsilon))) / 2)) - ((ln exp_epsilon) / ((1 * (ln exp_epsilon)) / ((sqrt ((- 2) * (ln
  ((exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 + ((INR k) - 1))) ^ n))))) + (ln exp_epsilon)))))) -
  (exp_epsilon * (normal_cdf (((- 1) * (((1 * (ln exp_epsilon)) / ((sqrt ((- 2) * (ln ((exp_epsilon0 - exp_epsilon) * ((1 /
  (exp_epsilon0 + ((INR k) - 1))) ^ n))))) + (ln exp_epsilon))) / 2)) - ((ln exp_epsilon) / ((1 * (ln exp_epsilon)) /
  ((sqrt ((- 2) * (ln ((exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 + ((INR k) - 1))) ^ n))))) + (ln
  exp_epsilon))))))) <= (exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 + ((INR k) - 1))) ^ n) /\
  (exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 + ((INR k) - 1))) ^ n) <= printed_delta_hat k exp_epsilon0 n_x0 ((n - 1)
  - n_x0) exp_epsilon /\
  (exp_epsilon0 - exp_epsilon) * ((1 / (exp_epsilon0 + ((INR k) - 1))) ^ n) <= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon /\
  Rabs ((noisy_distance k sigma data) - (inverted_distance k exp_epsilon0 data)) <= ((INR k) * ((((sqrt (2 * ((ln
  (exp_epsilon0 + ((INR k) - 1))) + (Rabs (ln (exp_epsilon0 - exp_epsilon)))))) + (ln exp_epsilon)) / (ln exp_epsilon)) +
  ((exp_epsilon0 + ((INR k) - 1)) / (4 * (exp_epsilon0 - 1))))) / (sqrt (INR n)).
Proof.
  intros Hn Hk Ha Hx HE HEx [HL HF] Hs Hc; pose proof (low_between n k n_x0 exp_epsilon0 exp_epsilon Hn Hk Ha HE HEx) as LB.
  repeat split; [| apply printed_above; assumption | apply tight_above; assumption |].
  - pose proof (noise_below exp_epsilon HE _ _ LB eq_refl) as N; cbv zeta in N.
    rewrite !Rmult_1_l; replace (- (1) * _) with (- (ln exp_epsilon / (sqrt (- 2 * ln ((exp_epsilon0 - exp_epsilon) *
      (1 / (exp_epsilon0 + (INR k - 1))) ^ n)) + ln exp_epsilon) / 2)) by (unfold Rdiv; ring); exact N.
  - set (x := exp_epsilon0) in *; set (E := exp_epsilon) in *; set (low := (x - E) * _) in *.
    pose proof (two_values k Hk) as K; assert (E0 : 0 < ln E) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (N : 2 <= INR n) by (apply (le_INR 2); exact Hn).
    destruct (inverted_distance_at_most k x data) as [B0 B1]; try assumption; try lia; rewrite HL in B1.
    rewrite noisy_distance_is by exact Hs; rewrite HL.
    assert (Q : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra); set (m := sqrt (INR n)) in *.
    assert (M : 1 <= m) by (unfold m; rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
    set (rate := 2 * (ln (x + (INR k - 1)) + Rabs (ln (x - E)))).
    assert (LR : - 2 * ln low <= rate * (m * m)).
    { unfold low; rewrite ln_mult, ln_pow by (try apply pow_lt; try apply Rdiv_lt_0_compat; lra).
      replace (ln (1 / (x + (INR k - 1)))) with (- ln (x + (INR k - 1))) by (rewrite <- ln_Rinv by lra; f_equal; field; lra).
      unfold rate; rewrite Q; pose proof (Rle_abs (- ln (x - E))) as A; rewrite Rabs_Ropp in A; pose proof (Rabs_pos (ln (x - E))).
      assert (Rabs (ln (x - E)) <= INR n * Rabs (ln (x - E))) by (rewrite <- (Rmult_1_l (Rabs _)) at 1; apply Rmult_le_compat_r; lra); lra. }
    assert (RR : sqrt (- 2 * ln low) <= sqrt rate * m).
    { assert (0 <= ln (x + (INR k - 1))) by (rewrite <- ln_1; apply ln_le; lra); pose proof (Rabs_pos (ln (x - E))).
      rewrite <- (sqrt_square m), <- sqrt_mult_alt by (unfold rate; lra); now apply sqrt_le_1_alt. }
    set (root := sqrt (- 2 * ln low)) in *; set (sr := sqrt rate) in *; set (e := ln E) in *.
    assert (T : sqrt 2 <= 2) by (rewrite <- (sqrt_square 2) at 2 by lra; apply sqrt_le_1_alt; lra).
    assert (S0 : 0 <= sr) by apply sqrt_pos; assert (R0 : 0 <= root) by apply sqrt_pos.
    assert (SB : sigma * e <= 2 * ((sr + e) * m)).
    { eapply Rle_trans; [exact Hc|]; apply Rmult_le_compat; [apply sqrt_pos | lra | exact T|].
      rewrite Rmult_plus_distr_r; apply Rplus_le_compat; [exact RR|]; rewrite <- (Rmult_1_r e) at 1; apply Rmult_le_compat_l; lra. }
    assert (P0 : 0 <= sqrt (2 / PI)) by apply sqrt_pos; pose proof root_small as P1; set (p := sqrt (2 / PI)) in *.
    assert (A0 : 0 <= INR k * (sigma * p / INR n) / 2).
    { apply Rmult_le_pos; [|lra]; apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra]; apply Rmult_le_pos; lra. }
    assert (A1 : INR k * (sigma * p / INR n) / 2 <= INR k * ((sr + e) / e) / m).
    { rewrite <- Q; replace (INR k * (sigma * p / (m * m)) / 2) with (INR k * (p * (sigma * e)) * / (2 * (e * (m * m)))) by (field; lra).
      replace (INR k * ((sr + e) / e) / m) with (INR k * (1 * (2 * ((sr + e) * m))) * / (2 * (e * (m * m)))) by (field; lra).
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; apply Rmult_lt_0_compat; [lra | apply Rmult_lt_0_compat; nra]|].
      apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat; try assumption; try lra; apply Rmult_le_pos; lra. }
    replace (x + (INR k - 1)) with (x + INR k - 1) by ring.
    replace (INR k * ((sr + e) / e + (x + INR k - 1) / (4 * (x - 1))) / m)
      with (INR k * ((sr + e) / e) / m + INR k * ((x + INR k - 1) / (4 * (x - 1))) / m) by (field; lra).
    apply Rabs_le; lra.
Qed.

(** ** The ratio *)

Lemma moments_of_bits data j : (j < 2)%nat -> Forall (fun v => (v < 2)%nat) data ->
  let n := INR (length data) in let v := 55 / 2916 in
  moment 2 55 j 2 data = n * v /\ moment 2 55 j 4 data <= n / 50 + 3 * (n * v) ^ 2.
Proof.
  intros Hj HF; cbv zeta; induction HF as [|w data Hw HF [I J]].
  - rewrite !moment_nil; cbn [length]; change (INR 0) with 0; lra.
  - rewrite moment_2_cons, moment_4_cons by (assumption || lra); cbv zeta; unfold sends, own, other; change (INR 2) with 2.
    cbn [length]; rewrite (S_INR (length data)); set (n := INR (length data)) in *.
    assert (0 <= n) by apply pos_INR; rewrite I.
    destruct Nat.eq_dec; split; [field | | field |]; lra.
Qed.

Theorem biswas2023_gap_ratio (n : nat) (data : list nat) (sigma : R) :
  (1000 <= n)%nat -> length data = n /\ Forall (fun v => (v < 2)%nat) data -> 0 < sigma -> 160 * (sigma ^ 2) <= INR n ->
  (normal_cdf ((1 * ((sqrt (320 / (INR n))) / 2)) - ((ln 50) / (sqrt (320 / (INR n)))))) - (50 * (normal_cdf (((- 1) * ((sqrt
  (320 / (INR n))) / 2)) - ((ln 50) / (sqrt (320 / (INR n))))))) <= (1 / 11) * ((55 / 56) ^ n) /\
  (1 / 11) * ((55 / 56) ^ n) <= tight n 2 (n - 1) 55 0 1 50 /\
  noisy_distance 2 sigma data <= (9 / 10) * (inverted_distance 2 55 data).
Proof.
  intros Hn [HL HF] Hs H2; assert (N : 1000 <= INR n) by (replace 1000 with (INR 1000) by (rewrite INR_IZR_INZ; reflexivity); now apply le_INR).
  set (u := sqrt (INR n)); assert (U : u * u = INR n) by (apply sqrt_sqrt; lra); assert (U0 : 0 < u) by (apply sqrt_lt_R0; lra).
  repeat split.
  - assert (D0 : 0 < sqrt (320 / INR n)) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra); set (d := sqrt (320 / INR n)) in *.
    assert (D2 : d * d = 320 / INR n) by (apply sqrt_sqrt, Rlt_le, Rdiv_lt_0_compat; lra).
    assert (DN : INR n = 320 / (d * d)) by (rewrite D2; field; lra).
    assert (D1 : d * d <= 32 / 100) by (rewrite D2; apply (Rmult_le_reg_r (INR n)); [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l; lra).
    pose proof ln_2_between as TWO; assert (E0 : 385 / 100 <= ln 50 <= 42 / 10).
    { assert (A : forall y, 0 < y -> y <= ln (1 + y) + y * y / (1 + y)).
      { intros y Y; pose proof (exp_ineq1_le (- ln (1 + y))) as I; rewrite exp_Ropp, exp_ln in I by lra.
        replace (y * y / (1 + y)) with (y - 1 + / (1 + y)) by (field; lra); lra. }
      pose proof (A (1 / 9) ltac:(lra)) as A1; pose proof (A (1 / 8) ltac:(lra)) as A2.
      pose proof (ln_below (1 / 9) ltac:(lra)); pose proof (ln_below (1 / 8) ltac:(lra)).
      replace 50 with (2 * (2 * (2 * (2 * (2 * ((1 + 1 / 9) * (1 + 1 / 8) * ((1 + 1 / 9) * (1 + 1 / 8)))))))) by field.
      rewrite !ln_mult by lra; lra. }
    assert (E1 : ln 11 <= 25 / 10).
    { replace 11 with (2 * (2 * (2 * (1 + 3 / 8)))) by field; rewrite !ln_mult by lra; pose proof (ln_below (3 / 8)); lra. }
    assert (E2 : ln (56 / 55) <= 1 / 55) by (replace (56 / 55) with (1 + 1 / 55) by field; apply ln_below; lra).
    pose proof (noise_serves 50 ltac:(lra) (1 / 11 * (55 / 56) ^ n) d) as S; rewrite Rmult_1_l.
    replace ((- 1) * (d / 2)) with (- (d / 2)) by ring; apply S; clear S; [|exact D0| |].
    + apply Rmult_lt_0_compat; [lra | apply pow_lt; lra].
    + apply (Rmult_le_reg_r d); [exact D0|]; replace ((ln 50 / d - d / 2) * d) with (ln 50 - d * d / 2) by (field; lra); lra.
    + rewrite ln_mult, ln_pow by (try apply pow_lt; lra); replace (1 / 11) with (/ 11) by field; rewrite ln_Rinv by lra.
      replace (55 / 56) with (/ (56 / 55)) by field; rewrite ln_Rinv by lra.
      replace ((ln 50 / d - d / 2) ^ 2) with (ln 50 ^ 2 / (d * d) - ln 50 + (d * d) / 4) by (field; lra).
      replace (ln 50 ^ 2 / (d * d)) with (ln 50 ^ 2 * INR n / 320) by (rewrite DN; field; lra).
      assert ((385 / 100) ^ 2 * INR n <= ln 50 ^ 2 * INR n) by (apply Rmult_le_compat_r; [lra | apply pow_incr; lra]).
      assert (INR n * ln (56 / 55) <= INR n * (1 / 55)) by (apply Rmult_le_compat_l; lra).
      assert (0 <= d * d / 4) by nra; lra.
  - pose proof (zeros_below_tight n 2 (n - 1) 55 50 ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lra) ltac:(lra) ltac:(lra)) as Z.
    replace (n - 1 - (n - 1))%nat with 0%nat in Z by lia; replace (S (n - 1)) with n in Z by lia.
    unfold own in Z; change (INR 2) with 2 in Z; cbn [pow] in Z; replace (55 / (55 + 2 - 1)) with (55 / 56) in Z by field; lra.
  - rewrite noisy_distance_is, inverted_distance_is by (assumption || lia || lra); rewrite HL; cbn [seq map total]; change (INR 2) with 2.
    assert (B : forall j, (j < 2)%nat -> 75 / 1000 * u <= mean (fun ys => Rabs (deviation 2 55 j data ys)) (messages (users 2 55 data))).
    { intros j Hj; destruct (moments_of_bits data j Hj HF) as [A2 A4]; cbv zeta in A2, A4; rewrite HL, <- U in A2, A4.
      eapply Rle_trans; [|apply absolute_at_least with (s := 412 / 1000 * u)]; try assumption; try lra; rewrite A2.
      assert (F : u * u / 50 <= (u * u) ^ 2 / 50000) by (rewrite U; nra).
      replace (u * u * (55 / 2916) / (412 / 1000 * u)) with (u * (55 / 2916 / (412 / 1000))) by (field; lra).
      assert (moment 2 55 j 4 data / (412 / 1000 * u) ^ 3 <= u * ((1 / 50000 + 3 * (55 / 2916) ^ 2) / (412 / 1000) ^ 3)).
      { replace (u * ((1 / 50000 + 3 * (55 / 2916) ^ 2) / (412 / 1000) ^ 3))
          with (((u * u) ^ 2 / 50000 + 3 * (u * u * (55 / 2916)) ^ 2) / (412 / 1000 * u) ^ 3) by (field; lra).
        apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, pow_lt; lra | lra]. }
      lra. }
    assert (SU : sigma <= 7906 / 100000 * u).
    { apply Rsqr_incr_0_var; unfold Rsqr; [|lra]; nra. }
    assert (P : 0 <= sqrt (2 / PI) <= 82 / 100) by (split; [apply sqrt_pos | apply root_small]); set (p := sqrt (2 / PI)) in *.
    assert (SP : sigma * p <= 7906 / 100000 * u * (82 / 100)) by (apply Rmult_le_compat; lra).
    pose proof (B 0%nat ltac:(lia)); pose proof (B 1%nat ltac:(lia)).
    apply (Rmult_le_reg_r (INR n)); [lra|].
    replace (2 * (sigma * p / INR n) / 2 * INR n) with (sigma * p) by (field; lra).
    set (m0 := mean (fun ys => Rabs (deviation 2 55 0 data ys)) _) in *; set (m1 := mean (fun ys => Rabs (deviation 2 55 1 data ys)) _) in *.
    replace (9 / 10 * ((m0 + (m1 + 0)) / (2 * INR n)) * INR n) with (9 / 20 * (m0 + m1)) by (field; lra); lra.
Qed.
