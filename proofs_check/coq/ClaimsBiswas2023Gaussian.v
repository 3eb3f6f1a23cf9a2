(** * The classical Gaussian mechanism (Biswas et al. 2023, Definition V.1)

    For eps < 1 and sigma = sqrt (2 ln (1.25 / delta)) / eps. With c = eps sigma the first term alone is
    Phi (eps / (2 c) - c), which is at most exp (1 / 2) delta / 2.5 if the argument is not positive; it is positive for delta
    near 1 only. The statement is exported from the claim's own form. *)

From Coq Require Import Reals Lra.
Require Import Language Gaussian.
Open Scope R_scope.

Lemma exp_half_below : exp (1 / 2) <= 7 / 4.
Proof.
  pose proof (exp_ineq1_le (- (1 / 8))) as E; pose proof (exp_pos (- (1 / 8))) as P.
  assert (H : exp (1 / 2) * exp (- (1 / 8)) ^ 4 = 1).
  { replace 1 with (exp 0) at 3 by apply exp_0; replace (exp (- (1 / 8)) ^ 4) with (exp (- (1 / 2))); [rewrite <- exp_plus; f_equal; field|].
    replace (- (1 / 2)) with (- (1 / 8) + - (1 / 8) + - (1 / 8) + - (1 / 8)) by field; rewrite !exp_plus; ring. }
  assert ((7 / 8) ^ 4 <= exp (- (1 / 8)) ^ 4) by (apply pow_incr; lra).
  pose proof (exp_pos (1 / 2)); apply (Rmult_le_reg_r (exp (- (1 / 8)) ^ 4)); [apply pow_lt; lra | rewrite H; cbn in *; lra].
Qed.

Theorem biswas2023_repair_small_epsilon (epsilon : R) (delta : R) :
  0 < epsilon -> epsilon < 1 -> 0 < delta -> delta < 1 ->
  (normal_cdf ((1 / (2 * ((sqrt (2 * (ln ((5 / 4) / delta)))) * (1 / epsilon))))
    - (epsilon * ((sqrt (2 * (ln ((5 / 4) / delta)))) * (1 / epsilon)))))
  - ((exp epsilon) * (normal_cdf (((- 1) / (2 * ((sqrt (2 * (ln ((5 / 4) / delta)))) * (1 / epsilon))))
    - (epsilon * ((sqrt (2 * (ln ((5 / 4) / delta)))) * (1 / epsilon))))))
  <= delta.
Proof.
  intros He He1 Hd Hd1; set (l := ln ((5 / 4) / delta)); set (c := sqrt (2 * l)).
  assert (D : exp l = 5 / 4 / delta) by (unfold l; apply exp_ln; apply Rdiv_lt_0_compat; lra).
  assert (L : 1 / 5 <= l).
  { apply Rnot_lt_le; intros H; assert (X : exp l < 5 / 4).
    { apply Rle_lt_trans with (exp (1 / 5)); [apply Rlt_le, exp_increasing, H|].
      pose proof (exp_ineq1 (- (1 / 5)) ltac:(lra)) as E; rewrite exp_Ropp in E; pose proof (exp_pos (1 / 5)).
      apply (Rmult_lt_reg_r (/ exp (1 / 5))); [apply Rinv_0_lt_compat; lra | rewrite Rinv_r by lra; lra]. }
    rewrite D in X; apply (Rmult_lt_compat_r delta) in X; [|exact Hd].
    unfold Rdiv in X; rewrite Rmult_assoc, Rinv_l in X by lra; lra. }
  assert (C2 : c * c = 2 * l) by (apply sqrt_sqrt; lra).
  assert (C0 : 0 < c) by (apply sqrt_lt_R0; lra).
  replace (1 / (2 * (c * (1 / epsilon))) - epsilon * (c * (1 / epsilon))) with (epsilon / (2 * c) - c) by (field; lra).
  replace ((- 1) / (2 * (c * (1 / epsilon))) - epsilon * (c * (1 / epsilon))) with (- (epsilon / (2 * c) + c)) by (field; lra).
  assert (Q : 0 < epsilon / (2 * c)) by (apply Rdiv_lt_0_compat; lra); set (q := epsilon / (2 * c)) in *.
  assert (QC : q * c = epsilon / 2) by (unfold q; field; lra).
  destruct (normal_tail (q + c) ltac:(lra)) as [Low _].
  assert (P : 0 <= exp epsilon * normal_cdf (- (q + c))) by (apply Rmult_le_pos; [apply Rlt_le, exp_pos | exact Low]).
  enough (normal_cdf (q - c) <= delta) by lra; clear Low P.
  destruct (Rle_dec q c) as [S|S].
  - replace (q - c) with (- (c - q)) by ring; eapply Rle_trans; [apply normal_tail; lra|].
    assert (X : exp (- ((c - q) * (c - q)) / 2) <= exp (1 / 2 - l)).
    { apply Rnot_lt_le; intros H; apply exp_lt_inv in H; pose proof (Rle_0_sqr q) as Q2; unfold Rsqr in Q2; lra. }
    replace (exp (1 / 2 - l)) with (exp (1 / 2) * (4 / 5 * delta)) in X
      by (unfold Rminus; rewrite exp_plus, exp_Ropp, D; field; lra).
    assert (exp (1 / 2) * (4 / 5 * delta) <= 7 / 4 * (4 / 5 * delta)) by (apply Rmult_le_compat_r; [lra | apply exp_half_below]).
    lra.
  - apply Rnot_le_lt in S; eapply Rle_trans; [apply normal_near; lra|].
    assert (C1 : c * c < 1 / 2) by (apply Rlt_trans with (q * c); [apply Rmult_lt_compat_r; lra | lra]).
    assert (C3 : 3 / 5 <= c) by (apply Rnot_lt_le; intros H; assert (c * c <= 3 / 5 * (3 / 5)) by (apply Rmult_le_compat; lra); lra).
    assert (Q1 : q <= 5 / 6) by (apply (Rmult_le_reg_r c); [lra|]; assert (5 / 6 * (3 / 5) <= 5 / 6 * c) by (apply Rmult_le_compat_l; lra); lra).
    assert (X : exp l <= exp (1 / 2)) by (apply Rlt_le, exp_increasing; lra); rewrite D in X; pose proof exp_half_below.
    assert (5 / 4 <= 7 / 4 * delta).
    { apply (Rmult_le_reg_r (/ delta)); [now apply Rinv_0_lt_compat|]; rewrite Rmult_assoc, Rinv_r by lra; unfold Rdiv in X at 1; lra. }
    lra.
Qed.
