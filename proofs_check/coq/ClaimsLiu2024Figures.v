(** * Figure 3(b) of Liu et al. 2024

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals Lra.
From Interval Require Import Tactic.
From Interval.Float Require Import Specific_stdz Specific_ops.
Open Scope R_scope.

(** Intervals over Coq's own integers: machine words and floats would be axioms. *)
Module Integers := SpecificFloat StdZRadix2.
Module Intervals := IntervalTactic Integers.
Import Intervals.
Ltac told := interval with (i_prec 60).

Definition reach (e : R) : R := (ln (3 / e) + 3) / (3 - e).

Lemma ln_at_most x : 0 < x -> ln x <= x - 1.
Proof.
  intros H; apply Rnot_lt_le; intros L; pose proof (exp_increasing _ _ L) as I; rewrite exp_ln in I by exact H.
  pose proof (exp_ineq1_le (x - 1)); lra.
Qed.

(** p_i^1 at 1 is above 0.23885, and at most that farther than a quarter from 1. *)
Lemma mass_reached e : 0 < e -> e < 3 -> 1 / 4 < Rabs (e - 1) ->
  exp (- e * (1 / 2)) - exp (- e * reach e) <= 4777 / 10000.
Proof.
  intros P L F; destruct (Rle_lt_dec e (1 / 20)) as [Low|Low].
  - (* ln (3 / e) <= ln 60 + 1 / (20 e) - 1 *)
    assert (E : ln (3 / e) <= ln 60 + (/ 20 / e - 1)).
    { replace (3 / e) with (60 * (/ 20 / e)) by (field; lra).
      assert (0 < / 20 / e) by (apply Rdiv_lt_0_compat; lra).
      rewrite ln_mult by lra; pose proof (ln_at_most (/ 20 / e)); lra. }
    assert (M : e * reach e <= 1 / 2).
    { unfold reach; replace (e * ((ln (3 / e) + 3) / (3 - e))) with (e * (ln (3 / e) + 3) / (3 - e)) by (field; lra).
      apply Rmult_le_reg_r with (3 - e); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (S : ln 60 <= 5) by told.
      apply Rle_trans with (e * (5 + (/ 20 / e - 1) + 3)); [apply Rmult_le_compat_l; lra|].
      replace (e * (5 + (/ 20 / e - 1) + 3)) with (7 * e + / 20) by (field; lra); lra. }
    assert (One : exp (- e * (1 / 2)) < exp 0) by (apply exp_increasing; lra); rewrite exp_0 in One.
    assert (exp (- (1 / 2)) <= exp (- e * reach e)).
    { destruct (Rle_lt_or_eq_dec _ _ M) as [H|H]; [left; apply exp_increasing; lra | right; f_equal; lra]. }
    assert (6 / 10 <= exp (- (1 / 2))) by told; lra.
  - destruct (Rle_lt_dec e (3 / 2)) as [Mid|High].
    + unfold reach; assert (D : e <= 3 / 4 \/ 5 / 4 <= e).
      { unfold Rabs in F; destruct (Rcase_abs (e - 1)); lra. }
      destruct D as [D|D]; interval with (i_bisect e, i_prec 60).
    + assert (exp (- e * (1 / 2)) < exp (- (3 / 4))) by (apply exp_increasing; lra).
      assert (exp (- (3 / 4)) <= 4776 / 10000) by told.
      pose proof (exp_pos (- e * reach e)); lra.
Qed.

Theorem liu2024_highest_near_1 (epsilon_i : R) : 0 < epsilon_i -> epsilon_i < 3 -> Rabs (epsilon_i - 1) > 1 / 4 ->
  Rmin ((1 - ((exp ((- epsilon_i) * (Rmin ((ln (3 / epsilon_i)) / (3 - epsilon_i)) ((1 / 2))))) / 2)) - ((exp ((-
  epsilon_i) * ((ln (3 / epsilon_i)) / (3 - epsilon_i)))) / 2)) ((((exp ((- epsilon_i) * (Rmax (1 / 2) (((3 - (ln (3 /
  epsilon_i))) / (3 + epsilon_i)))))) - (exp ((- epsilon_i) * (((ln (3 / epsilon_i)) + 3) / (3 - epsilon_i))))) / 2))
  < Rmin ((1 - ((exp ((- 1) * (Rmin ((ln 3) / 2) ((1 / 2))))) / 2)) - ((exp ((- 1) * ((ln 3) / 2))) / 2)) ((((exp ((-
  1) * (Rmax (1 / 2) (((3 - (ln 3)) / 4))))) - (exp ((- 1) * (((ln 3) + 3) / 2)))) / 2)).
Proof.
  intros P L F; eapply Rle_lt_trans; [apply Rmin_r|].
  pose proof (mass_reached epsilon_i P L ltac:(lra)) as M; unfold reach in M.
  apply Rle_lt_trans with (4777 / 10000 / 2).
  - apply Rmult_le_compat_r; [lra|]; eapply Rle_trans; [|exact M]; apply Rplus_le_compat_r.
    destruct (Rle_lt_or_eq_dec (- epsilon_i * Rmax (1 / 2) ((3 - ln (3 / epsilon_i)) / (3 + epsilon_i))) (- epsilon_i * (1 / 2)))
      as [H|H]; [|left; apply exp_increasing, H | right; f_equal; exact H].
    pose proof (Rmax_l (1 / 2) ((3 - ln (3 / epsilon_i)) / (3 + epsilon_i))); nra.
  - apply Rmin_glb_lt.
    + rewrite Rmin_right by told; told.
    + rewrite Rmax_left by told; told.
Qed.
