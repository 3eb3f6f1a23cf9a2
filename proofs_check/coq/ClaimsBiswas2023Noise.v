(** * What the Gaussian mechanism does on average, and a constant (Biswas et al. 2023, Sections IV and V)

    The mean of count + N(0, sigma^2), as an improper integral. Each theorem is a claim of the catalog, its statement
    exported from the claim's own form. *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
Require Import Language Normal Gaussian AdvancedComposition VariationTails.
Open Scope R_scope.

Definition normal_density (center sigma y : R) : R := exp (- ((y - center) / sigma * ((y - center) / sigma)) / 2) / (sigma *
  sqrt (2 * PI)).
Definition noisy_mean (center sigma : R) : R :=
  RInt_gen (V := R_CompleteNormedModule) (fun y => y * normal_density center sigma y) (Rbar_locally m_infty) (Rbar_locally
    p_infty).

Section Noise.
Variables (f s : R).
Hypotheses (Hs : 0 < s).

(** The mean up to y. *)
Definition mean_up_to (y : R) : R := f * normal_cdf ((y - f) / s) - s * (density ((y - f) / s) / sqrt (2 * PI)).

Lemma derive_two (g h : R -> R) dg dh c y : is_derive g y dg -> is_derive h y dh ->
  is_derive (fun y => f * (1 / 2 + g y / c) - s * (h y / c)) y (f * (dg / c) - s * (dh / c)).
Proof.
  intros G H; auto_derive; [split; [now exists dg | split; [now exists dh | trivial]]|].
  replace (Derive (fun x => g x) y) with dg by (symmetry; exact (is_derive_unique _ _ _ G)).
  replace (Derive (fun x => h x) y) with dh by (symmetry; exact (is_derive_unique _ _ _ H)); unfold Rdiv; ring.
Qed.

Lemma derive_mean_up_to y : is_derive mean_up_to y (y * normal_density f s y).
Proof.
  pose proof sqrt_2PI as Q; assert (L : is_derive (fun y => (y - f) / s) y (/ s)) by (auto_derive; [trivial | field; lra]).
  pose proof (derive_two (fun y => integral ((y - f) / s)) (fun y => density ((y - f) / s)) _ _ (sqrt (2 * PI)) y
    (is_derive_comp integral (fun y => (y - f) / s) y _ _ (derive_integral _) L)
    (is_derive_comp density (fun y => (y - f) / s) y _ _ (derive_density _) L)) as D.
  replace (y * normal_density f s y) with (f * (/ s * density ((y - f) / s) / sqrt (2 * PI)) - s * (/ s * (- ((y - f) / s) *
    density ((y - f) / s)) / sqrt (2 * PI))).
  - exact D.
  - unfold normal_density; fold (density ((y - f) / s)); field; lra.
Qed.

Lemma density_small z : 1 <= z -> 0 < density z <= 2 / z.
Proof.
  intros Hz; unfold density; split; [apply exp_pos|].
  pose proof (exp_ineq1_le (z * z / 2)) as E; replace (- (z * z) / 2) with (- (z * z / 2)) by field; rewrite exp_Ropp.
  apply Rle_trans with (/ (z / 2)); [|right; field; lra]; apply Rinv_le_contravar; nra.
Qed.

Lemma root_above_1 : 1 <= sqrt (2 * PI).
Proof. rewrite <- sqrt_1; apply sqrt_le_1_alt; pose proof PI_RGT_0; pose proof PI2_1; lra. Qed.

Lemma far_out z : 1 <= z -> 0 <= normal_cdf (- z) <= 1 / z /\ 0 <= density z / sqrt (2 * PI) <= 2 / z.
Proof.
  intros Hz; destruct (density_small z Hz) as [A B]; pose proof root_above_1 as R1; split.
  - destruct (normal_tail z ltac:(lra)) as [C D]; fold (density z) in D; split; [exact C|].
    replace (1 / z) with (2 / z / 2) by (field; lra); lra.
  - split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply Rle_trans with (density z); [|exact B]; unfold Rdiv; rewrite <- (Rmult_1_r (density z)) at 2.
    apply Rmult_le_compat_l; [lra|]; rewrite <- Rinv_1; apply Rinv_le_contravar; lra.
Qed.

Lemma cdf_other_side z : 0 <= z -> normal_cdf z = 1 - normal_cdf (- z).
Proof.
  intros Hz; unfold normal_cdf; change (RInt.RInt _ 0 (- z)) with (integral (- z)); change (RInt.RInt _ 0 z) with (integral z).
  rewrite (proj2 (integral_odd z Hz)).
  pose proof sqrt_2PI; field; lra.
Qed.

Let size := Rabs f + 2 * s.

Lemma size_positive : 0 < size.
Proof. unfold size; pose proof (Rabs_pos f); lra. Qed.

Lemma part_small x z : 1 <= z -> Rabs x <= 1 / z -> forall y, 0 <= y <= 2 / z -> Rabs (f * x - s * y) <= size / z.
Proof.
  intros Hz Hx y Hy; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp, !Rabs_mult, (Rabs_right s), (Rabs_right y) by lra.
  replace (size / z) with (Rabs f * (1 / z) + s * (2 / z)) by (unfold size; field; lra).
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply Rabs_pos.
Qed.

Lemma mean_above z : 1 <= z -> Rabs (mean_up_to (f + s * z) - f) <= size / z.
Proof.
  intros Hz; unfold mean_up_to; replace ((f + s * z - f) / s) with z by (field; lra); destruct (far_out z Hz) as [A B].
  rewrite cdf_other_side by lra; replace (f * (1 - normal_cdf (- z)) - s * (density z / sqrt (2 * PI)) - f)
    with (f * - normal_cdf (- z) - s * (density z / sqrt (2 * PI))) by ring.
  apply part_small; try assumption; rewrite Rabs_Ropp, Rabs_right; lra.
Qed.

Lemma mean_below z : 1 <= z -> Rabs (mean_up_to (f - s * z)) <= size / z.
Proof.
  intros Hz; unfold mean_up_to; replace ((f - s * z - f) / s) with (- z) by (field; lra); destruct (far_out z Hz) as [A B].
  replace (density (- z)) with (density z) by (unfold density; f_equal; field).
  apply part_small; try assumption; rewrite Rabs_right; lra.
Qed.

Lemma noisy_mean_is : noisy_mean f s = f.
Proof.
  unfold noisy_mean; apply (is_RInt_gen_unique (V := R_CompleteNormedModule)); intros P [eps HP]; pose proof size_positive as N.
  assert (E0 := cond_pos eps); set (M := 1 + 4 * size / eps).
  assert (HM : 1 <= M) by (unfold M; assert (0 <= 4 * size / eps) by (apply Rmult_le_pos; [lra | apply Rlt_le,
    Rinv_0_lt_compat, E0]); lra).
  assert (Small : forall z, M < z -> 1 <= z /\ size / z <= eps / 4).
  { intros z Hz; split; [lra|]; apply (Rmult_le_reg_r z); [lra|]; unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l by lra;
      rewrite Rmult_1_r.
    apply Rle_trans with (eps / 4 * M); [unfold M; replace (eps / 4 * (1 + 4 * size / eps)) with (eps / 4 + size) by (field;
      lra); lra | apply Rmult_le_compat_l; lra]. }
  apply (Filter_prod _ _ _ (fun a => a < f - s * M) (fun b => f + s * M < b)); [now exists (f - s * M) | now exists (f + s * M)|].
  intros a b Ha Hb; cbn [fst snd]; exists (mean_up_to b - mean_up_to a); split.
  - apply (is_RInt_derive (V := R_CompleteNormedModule) mean_up_to (fun y => y * normal_density f s y)); intros x _; [apply
      derive_mean_up_to|].
    apply (ex_derive_continuous (V := R_NormedModule)); unfold normal_density; auto_derive; trivial.
  - apply HP; unfold ball; cbn; unfold AbsRing_ball, abs, minus, plus, opp; cbn.
    assert (Zb : M < (b - f) / s) by (apply (Rmult_lt_reg_r s); [exact Hs|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    assert (Za : M < (f - a) / s) by (apply (Rmult_lt_reg_r s); [exact Hs|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
    destruct (Small _ Zb) as [B1 B2], (Small _ Za) as [A1 A2].
    pose proof (mean_above _ B1) as B3; pose proof (mean_below _ A1) as A3.
    replace (f + s * ((b - f) / s)) with b in B3 by (field; lra); replace (f - s * ((f - a) / s)) with a in A3 by (field; lra).
    replace (mean_up_to b - mean_up_to a + - f) with ((mean_up_to b - f) + - mean_up_to a) by ring.
    eapply Rle_lt_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra.
Qed.
End Noise.

Theorem biswas2023_gaussian_mean (k : nat) (count : nat) (sigma : R) :
  (2 <= k)%nat -> 0 < sigma -> noisy_mean (INR count) sigma = INR count.
Proof. intros _ Hs; now apply noisy_mean_is. Qed.

(** ** The bound of Feldman et al. with a constant *)

Lemma ln_below y : 0 <= y -> ln (1 + y) <= y.
Proof.
  intros Hy; rewrite <- (ln_exp y) at 2; apply ln_le; [lra | apply exp_ineq1_le].
Qed.

Theorem biswas2023_feldman_bound (n : nat) (exp_epsilon0 : R) (delta : R) :
  (1 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 / 2 -> (16 * exp_epsilon0) * (ln (2 /
  delta)) <= INR n -> ln (1 + (((exp_epsilon0 - 1) / (exp_epsilon0 + 1)) * ((8 * (sqrt ((exp_epsilon0 *
  (ln (4 / delta))) / (INR n)))) + ((8 * exp_epsilon0) / (INR n))))) <= (16 * (1 - (1 / exp_epsilon0))) *
  (sqrt ((exp_epsilon0 * (ln (1 / delta))) / (INR n))).
Proof.
  intros Hn Hx Hd Hd' Hs; set (x := exp_epsilon0) in *; set (L := ln (1 / delta)).
  assert (N : 1 <= INR n) by (apply (le_INR 1); exact Hn).
  assert (I : 2 <= 1 / delta).
  { apply (Rmult_le_reg_r delta); [exact Hd|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Two : 67 / 100 <= ln 2) by (pose proof ln_2_between; lra).
  assert (HL : ln 2 <= L) by (apply ln_le; lra).
  assert (E2 : ln (2 / delta) = ln 2 + L) by (replace (2 / delta) with (2 * (1 / delta)) by (field; lra); apply ln_mult; lra).
  assert (E4 : ln (4 / delta) = ln 2 + ln 2 + L).
  { replace (4 / delta) with (2 * (2 * (1 / delta))) by (field; lra); rewrite !ln_mult by lra; unfold L; ring. }
  rewrite E2 in Hs; rewrite E4.
  set (w := x / INR n); assert (Hw : 0 < w) by (apply Rdiv_lt_0_compat; lra).
  assert (Hw' : w * (32 * (67 / 100)) <= 1).
  { apply (Rmult_le_reg_r (INR n)); [lra|]; unfold w; replace (x / INR n * (32 * (67 / 100)) * INR n) with (x * (32 * (67 /
      100))) by (field; lra); nra. }
  replace (x * (ln 2 + ln 2 + L) / INR n) with (w * (ln 2 + ln 2 + L)) by (unfold w; field; lra).
  replace (x * L / INR n) with (w * L) by (unfold w; field; lra).
  replace (8 * x / INR n) with (8 * w) by (unfold w; field; lra).
  clearbody w L; clear Hs E2 E4 I.
  set (s := sqrt (w * L)); assert (Hs : 0 <= s) by apply sqrt_pos.
  assert (S2 : s * s = w * L) by (apply sqrt_sqrt; nra).
  assert (A : sqrt (w * (ln 2 + ln 2 + L)) <= 17321 / 10000 * s).
  { replace (17321 / 10000 * s) with (sqrt (Rsqr (17321 / 10000 * s))) by (apply sqrt_Rsqr; lra).
    apply sqrt_le_1_alt; unfold Rsqr; nra. }
  assert (B : w <= 2675 / 10000 * s).
  { apply Rsqr_incr_0_var; [unfold Rsqr | lra].
    assert (w * w * (32 * (67 / 100)) <= w) by nra; assert (w * (67 / 100) <= w * L) by nra; nra. }
  assert (F : 0 <= (x - 1) / (x + 1)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (G : (x - 1) / (x + 1) <= 1 - 1 / x).
  { replace (1 - 1 / x) with ((x - 1) / (x + 1) + (x - 1) / (x * (x + 1))) by (field; lra).
    assert (0 <= (x - 1) / (x * (x + 1))) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; nra]); lra. }
  assert (P := sqrt_pos (w * (ln 2 + ln 2 + L))).
  eapply Rle_trans; [apply ln_below; apply Rmult_le_pos; [exact F | lra]|].
  apply Rle_trans with ((1 - 1 / x) * (16 * s)); [|right; ring].
  apply Rmult_le_compat; lra.
Qed.
