(** * A noisy threshold, and a noisy answer that is told itself

    Answers are below the noisy threshold, and one is at least it and told as at most y, with the noise of the comparison.
    - [told_is]: the probability, where the others are equal and not below the threshold, and y = 0 is the last answer.
    Each other theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import SparseVector SparseVectorAtZero ClaimsSparseVectorExact.
Import ListNotations.
Open Scope R_scope.

Ltac reals := unfold minus, plus, opp, scal; cbn -[exp pow Rabs]; unfold mult; cbn -[exp pow Rabs].

(** The answer q and its noise are at least x and at most y. *)
Definition told (b x q y : R) : R := Rmax 0 (laplace_cdf ((y - q) / b) - laplace_cdf ((x - q) / b)).
Definition told_probability (b1 b2 : R) (answers : list R) (report : list bool) (q y : R) : R :=
  line (fun x => report_density b1 b2 answers report x * told b2 x q y).

Section Told.
Variables (b1 b2 rise : R) (m : nat).
Hypotheses (H1 : 0 < b1) (H2 : 0 < b2) (Hr : 0 <= rise).
Let a := / b1 + INR m / b2.
Let scale := exp (- (INR m * rise / b2)) / (2 ^ (m + 2) * b1).

Lemma below_all x : x <= 0 -> all_compared b2 (repeat rise m) (repeat false m) x = exp (INR m * ((x - rise) / b2)) / 2 ^ m.
Proof.
  intros Hx; assert (I : 0 < / b2) by (now apply Rinv_0_lt_compat).
  assert (N : (x - rise) / b2 <= 0) by (unfold Rdiv; assert (0 <= (rise - x) * / b2) by (apply Rmult_le_pos; lra); lra).
  clear a scale; induction m as [|i IH].
  - cbn; rewrite Rmult_0_l, exp_0; field.
  - cbn [repeat all_compared]; rewrite IH, S_INR; unfold compared, laplace_cdf; destruct Rle_dec; [|contradiction].
    rewrite Rmult_plus_distr_r, Rmult_1_l, exp_plus; cbn [pow]; field; apply pow_nonzero; lra.
Qed.

Lemma told_below x : x <= 0 -> told b2 x 0 0 = (1 - exp (x / b2)) / 2.
Proof.
  intros Hx; assert (I : 0 < / b2) by (now apply Rinv_0_lt_compat); unfold told, laplace_cdf; rewrite !Rminus_0_r.
  replace (0 / b2) with 0 by (unfold Rdiv; ring); assert (N : x / b2 <= 0) by (unfold Rdiv; assert (0 <= - x * / b2) by (apply Rmult_le_pos; lra); lra).
  destruct (Rle_dec 0 0) as [_|]; [|lra]; destruct (Rle_dec (x / b2) 0); [|contradiction].
  pose proof (exp_rises (x / b2) 0 N) as E; rewrite exp_0 in *; rewrite Rmax_right; lra.
Qed.

Lemma told_above x : 0 <= x -> told b2 x 0 0 = 0.
Proof.
  intros Hx; assert (I : 0 < / b2) by (now apply Rinv_0_lt_compat); unfold told; rewrite !Rminus_0_r; apply Rmax_left.
  pose proof (cdf_rises (0 / b2) (x / b2)) as C; replace (0 / b2 + x / b2) with (x / b2) in C by (unfold Rdiv; ring).
  assert (0 <= x / b2) by (apply Rmult_le_pos; lra); specialize (C H); lra.
Qed.

Lemma told_is : told_probability b1 b2 (repeat rise m) (repeat false m) 0 0 = scale * (/ a - / (a + / b2)).
Proof.
  assert (I1 : 0 < / b1) by (now apply Rinv_0_lt_compat); assert (I2 : 0 < / b2) by (now apply Rinv_0_lt_compat).
  assert (A : 0 < a) by (unfold a; apply Rplus_lt_le_0_compat; [exact I1 | apply Rmult_le_pos; [apply pos_INR | lra]]).
  pose proof (left_base a A) as LA; pose proof (left_base (a + / b2) ltac:(lra)) as LB.
  set (g := fun x => report_density b1 b2 (repeat rise m) (repeat false m) x * told b2 x 0 0).
  assert (Below : forall x, x < 0 -> scal scale (minus (exp (- (a * Rabs x))) (exp (- ((a + / b2) * Rabs x)))) = g x).
  { intros x Hx; unfold g, report_density; rewrite below_all, told_below by lra; unfold threshold_density, scale; rewrite Rabs_left by lra.
    reals; replace (INR m * ((x - rise) / b2)) with (INR m * x / b2 + - (INR m * rise / b2)) by (field; lra).
    replace (- (a * - x)) with (- (- x / b1) + INR m * x / b2) by (unfold a; field; lra).
    replace (- ((a + / b2) * - x)) with (- (- x / b1) + INR m * x / b2 + x / b2) by (unfold a; field; lra).
    rewrite (exp_plus (- (- x / b1) + INR m * x / b2)), (exp_plus (- (- x / b1))), (exp_plus (INR m * x / b2)), pow_add.
    field; repeat split; (lra || apply pow_nonzero; lra). }
  assert (AB : 0 < a * b2) by (now apply Rmult_lt_0_compat); apply line_is; fold g; replace (scale * (/ a - / (a + / b2))) with (plus (scal scale (minus (1 / a) (1 / (a + / b2)))) 0) by (reals; field; lra).
  apply (is_RInt_gen_Chasles (V := R_NormedModule) g 0).
  - pose proof (is_RInt_gen_scal (V := R_NormedModule) _ scale _ (is_RInt_gen_minus (V := R_NormedModule) _ _ _ _ LA LB)) as D.
    eapply is_RInt_gen_ext; [|exact D]; exists (fun u => u < 0) (fun v => v = 0); [exists 0; easy | easy|].
    intros u v Hu -> x; cbn [fst snd]; rewrite Rmin_left, Rmax_right by lra; intros Hx; apply Below; lra.
  - eapply is_RInt_gen_ext; [|apply (nothing_there (at_point 0) (Rbar_locally p_infty))].
    exists (fun u => u = 0) (fun v => 0 < v); [easy | exists 0; easy|].
    intros u v -> Hv x; cbn [fst snd]; rewrite Rmin_left, Rmax_right by lra; intros Hx; unfold g; rewrite told_above by lra; change (0 = report_density b1 b2 (repeat rise m) (repeat false m) x * 0); ring.
Qed.
End Told.

Theorem sparse_vector_algorithm_3_unbounded (epsilon : R) (k : nat) (c : nat) :
  0 < epsilon -> (1 <= k)%nat -> (1 <= c)%nat ->
  told_probability (2 / epsilon) (2 * INR c / epsilon) (repeat 0 (2 * c * k + 1)) (repeat false (2 * c * k + 1)) 0 0
  > (exp ((INR k) * epsilon)) * (told_probability (2 / epsilon) (2 * INR c / epsilon) (repeat 1 (2 * c * k + 1)) (repeat false (2 * c * k + 1)) 0 0).
Proof.
  intros He Hk Hc; assert (C : 1 <= INR c) by (apply (le_INR 1); exact Hc); assert (I : 0 < / epsilon) by (now apply Rinv_0_lt_compat).
  assert (B1 : 0 < 2 / epsilon) by (apply Rmult_lt_0_compat; lra); assert (B2 : 0 < 2 * INR c / epsilon) by (apply Rmult_lt_0_compat; lra).
  rewrite !told_is by (assumption || lra); set (m := (2 * c * k + 1)%nat); set (b1 := 2 / epsilon) in *; set (b2 := 2 * INR c / epsilon) in *.
  set (a := / b1 + INR m / b2); set (w := / a - / (a + / b2)).
  assert (J1 : 0 < / b1) by (now apply Rinv_0_lt_compat); assert (J2 : 0 < / b2) by (now apply Rinv_0_lt_compat).
  assert (A : 0 < a) by (unfold a; apply Rplus_lt_le_0_compat; [exact J1 | apply Rmult_le_pos; [apply pos_INR | lra]]).
  assert (W : 0 < w) by (unfold w; assert (/ (a + / b2) < / a) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra | lra]); lra).
  assert (P : 0 < 2 ^ (m + 2) * b1) by (apply Rmult_lt_0_compat; [apply pow_lt; lra | exact B1]).
  assert (M : INR m * 1 / b2 = INR k * epsilon + epsilon / (2 * INR c)).
  { unfold m, b2; rewrite plus_INR, !mult_INR; change (INR 1) with 1; change (INR 2) with 2; field; lra. }
  assert (Z : 0 < epsilon / (2 * INR c)) by (apply Rdiv_lt_0_compat; lra).
  replace (- (INR m * 0 / b2)) with 0 by (field; lra); rewrite exp_0, M.
  replace (exp (INR k * epsilon) * (exp (- (INR k * epsilon + epsilon / (2 * INR c))) / (2 ^ (m + 2) * b1) * w))
    with (exp (- (epsilon / (2 * INR c))) * (1 / (2 ^ (m + 2) * b1) * w)).
  - rewrite <- (Rmult_1_l (1 / (2 ^ (m + 2) * b1) * w)) at 1; apply Rmult_lt_compat_r.
    + apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra | exact W].
    + rewrite <- exp_0; apply exp_increasing; lra.
  - replace (exp (- (epsilon / (2 * INR c)))) with (exp (INR k * epsilon) * exp (- (INR k * epsilon + epsilon / (2 * INR c))))
      by (rewrite <- exp_plus; f_equal; ring); field; repeat split; (lra || apply pow_nonzero; lra).
Qed.
