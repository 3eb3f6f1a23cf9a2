(** * The tails of the counts of letters

    Of n - 1 others each sends a letter with probability 2 r, either one alike; m = r n and 8 M <= m.
    - [bad_is_rare]: fewer than m letters, or (where r < 1/3) more than 9 m / (2 + 3 r) with the victim's, by Chernoff;
      of c letters too many of the first kind, by Hoeffding: together 2 exp (- M);
    - [near_key]: where neither happens, the counts are near.

    Source: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2023, Appendix G, with tails of our own. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket BlanketBounds Letters TwoLetters CloneBounds VariationRatio.
Import ListNotations.
Open Scope R_scope.

(** ** Numbers *)

Lemma exp_at_most x m : 0 <= x < 1 -> exp (INR m * x) <= (1 / (1 - x)) ^ m.
Proof.
  intros H; rewrite <- exp_power; apply pow_incr; split; [apply Rlt_le, exp_pos|].
  pose proof (exp_ineq1_le (- x)) as E; rewrite exp_Ropp in E; pose proof (exp_pos x).
  apply (Rmult_le_reg_r (1 - x)); [lra|]; replace (1 / (1 - x) * (1 - x)) with 1 by (field; lra).
  apply Rle_trans with (exp x * / exp x); [apply Rmult_le_compat_l; lra | right; field; lra].
Qed.

Lemma exp_at_least x m : 0 <= x -> (1 + x) ^ m <= exp (INR m * x).
Proof. intros H; rewrite <- exp_power; apply pow_incr; pose proof (exp_ineq1_le x); lra. Qed.

Lemma exp_le_inv x y : exp x <= exp y -> x <= y.
Proof. intros H; apply Rnot_lt_le; intros L; apply exp_increasing in L; lra. Qed.

Lemma ln_2_between : 11 / 16 <= ln 2 <= 7 / 10.
Proof.
  split; [apply exp_le_inv | apply exp_le_inv]; rewrite exp_ln by lra.
  - replace (11 / 16) with (INR 44 * (1 / 64)) by (cbn; field); eapply Rle_trans; [apply exp_at_most; lra | lra].
  - replace (7 / 10) with (INR 64 * (7 / 640)) by (rewrite INR_IZR_INZ; cbn; field).
    eapply Rle_trans; [|apply exp_at_least; lra]; lra.
Qed.

Lemma ln_3_2_at_least : 2 / 5 <= ln (3 / 2).
Proof.
  apply exp_le_inv; rewrite exp_ln by lra.
  replace (2 / 5) with (INR 16 * (1 / 40)) by (cbn; field); eapply Rle_trans; [apply exp_at_most; lra | lra].
Qed.

Lemma two_parts : exp (- (3 / 5)) + exp (- (7 / 8)) <= 1.
Proof.
  assert (Q : forall x m b, 0 <= x -> 0 < b -> b <= (1 + x + x ^ 2 / 2) ^ m -> exp (- (INR m * x)) <= 1 / b).
  { intros x m b Hx Hb H; rewrite exp_Ropp; unfold Rdiv; rewrite Rmult_1_l; apply Rinv_le_contravar; [exact Hb|].
    eapply Rle_trans; [exact H|]; rewrite <- exp_power; apply pow_incr; pose proof (exp_quadratic_positive x Hx).
    assert (0 <= x ^ 2) by apply pow2_ge_0; lra. }
  pose proof (Q (3 / 10) 2%nat (9 / 5) ltac:(lra) ltac:(lra) ltac:(lra)) as A; pose proof (Q (7 / 16) 2%nat (47 / 20) ltac:(lra) ltac:(lra) ltac:(lra)) as B.
  replace (INR 2 * (3 / 10)) with (3 / 5) in A by (cbn; field); replace (INR 2 * (7 / 16)) with (7 / 8) in B by (cbn; field); lra.
Qed.

Lemma below_exp r : 0 <= r <= 1 / 3 -> 1 + r <= exp (r - r ^ 2 / 2 + r ^ 3 / 2).
Proof.
  intros H; set (x := r - r ^ 2 / 2 + r ^ 3 / 2).
  assert (X : 0 <= x) by (unfold x; nra).
  pose proof (exp_quadratic_positive x X) as E; enough (r <= x + x ^ 2 / 2) by lra; unfold x.
  assert (0 <= r ^ 3) by (apply pow_le; lra); assert (0 <= r ^ 4) by (apply pow_le; lra).
  replace (r - r ^ 2 / 2 + r ^ 3 / 2 + (r - r ^ 2 / 2 + r ^ 3 / 2) ^ 2 / 2)
    with (r + r ^ 4 * (5 / 8 - r / 4 + r ^ 2 / 8)) by field.
  assert (0 <= r ^ 4 * (5 / 8 - r / 4 + r ^ 2 / 8)) by (apply Rmult_le_pos; [lra | nra]); lra.
Qed.

(** ** The tails of the number of letters *)

Section Tails.
Variables (n : nat) (r M : R).
Hypotheses (Hn : (1 <= n)%nat) (Hr : 0 < r) (Hr2 : 2 * r <= 1) (HM : ln 2 <= M) (HR : 8 * M <= r * INR n).
Let m := r * INR n.

Lemma letters_at_least_5 : 11 / 2 <= m.
Proof. pose proof ln_2_between; unfold m; lra. Qed.

(** Fewer than m. *)
Definition few (c : nat) : R := exp (ln 2 * (m - INR c)).
Lemma few_mean : mean few (heads (2 * r) (n - 1)) <= exp (- (3 / 10) * m + r).
Proof.
  unfold few; rewrite (mean_ext _ (fun c => exp (ln 2 * m) * (1 / 2) ^ c)).
  2: { intros c; replace (1 / 2) with (exp (- ln 2)) by (rewrite exp_Ropp, exp_ln by lra; field).
    rewrite exp_power, <- exp_plus; f_equal; ring. }
  rewrite mean_scale, heads_powers; replace (1 - 2 * r * (1 - 1 / 2)) with (1 - r) by field.
  apply Rle_trans with (exp (7 / 10 * m) * exp (- r) ^ (n - 1)).
  - apply Rmult_le_compat; [apply Rlt_le, exp_pos | apply pow_le; lra | |].
    + apply exp_le, Rmult_le_compat_r; [pose proof letters_at_least_5; lra | apply ln_2_between].
    + apply pow_incr; pose proof (exp_ineq1_le (- r)); lra.
  - rewrite exp_power, <- exp_plus; apply exp_le; rewrite minus_INR by exact Hn; cbn [INR]; unfold m; lra.
Qed.

(** With the victim's, more than 9 m / (2 + 3 r). *)
Definition many (c : nat) : R := exp (ln (3 / 2) * (INR c + 1 - 9 * m / (2 + 3 * r))).
Lemma many_mean : r <= 1 / 3 -> mean many (heads (2 * r) (n - 1)) <= exp (- (m / 8) - 7 / 8).
Proof.
  intros H3; unfold many; set (T := 9 * m / (2 + 3 * r) - 1).
  rewrite (mean_ext _ (fun c => exp (- (ln (3 / 2) * T)) * (3 / 2) ^ c)).
  2: { intros c; replace ((3 / 2) ^ c) with (exp (INR c * ln (3 / 2))) by (rewrite <- exp_power, exp_ln by lra; reflexivity).
    rewrite <- exp_plus; f_equal; unfold T; ring. }
  rewrite mean_scale, heads_powers; replace (1 - 2 * r * (1 - 3 / 2)) with (1 + r) by field.
  pose proof letters_at_least_5 as R5.
  assert (T0 : 0 <= T).
  { unfold T; enough (1 <= 9 * m / (2 + 3 * r)) by lra; apply (Rmult_le_reg_r (2 + 3 * r)); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  apply Rle_trans with (exp (- (2 / 5 * T)) * exp (r - r ^ 2 / 2 + r ^ 3 / 2) ^ (n - 1)).
  - apply Rmult_le_compat; [apply Rlt_le, exp_pos | apply pow_le; lra | |].
    + apply exp_le, Ropp_le_contravar, Rmult_le_compat_r; [exact T0 | apply ln_3_2_at_least].
    + apply pow_incr; split; [lra | apply below_exp; lra].
  - rewrite exp_power, <- exp_plus; apply exp_le; rewrite minus_INR by exact Hn; cbn [INR].
    replace ((INR n - 1) * (r - r ^ 2 / 2 + r ^ 3 / 2)) with (m * (1 - r / 2 + r ^ 2 / 2) - (r - r ^ 2 / 2 + r ^ 3 / 2)) by (unfold m; field).
    apply (Rmult_le_reg_r (2 + 3 * r)); [lra|]; unfold T.
    replace ((- (2 / 5 * (9 * m / (2 + 3 * r) - 1)) + (m * (1 - r / 2 + r ^ 2 / 2) - (r - r ^ 2 / 2 + r ^ 3 / 2))) * (2 + 3 * r))
      with (m * ((1 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) + (2 / 5 - r + r ^ 2 / 2 - r ^ 3 / 2) * (2 + 3 * r)) by (field; lra).
    enough (m * ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) + (2 / 5 + 7 / 8 - r + r ^ 2 / 2 - r ^ 3 / 2) * (2 + 3 * r) <= 0) by lra.
    assert (K : (9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5 <= 0).
    { replace ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) with (- (27 / 20) + r * (19 / 8 - r / 2 + 3 / 2 * r ^ 2)) by field.
      assert (r * (19 / 8 - r / 2 + 3 / 2 * r ^ 2) <= 1 / 3 * (19 / 8 + 1 / 6)) by (apply Rmult_le_compat; nra); lra. }
    assert (11 / 2 * - ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) <= m * - ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5))
      by (apply Rmult_le_compat_r; lra).
    enough (11 / 2 * ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) + (2 / 5 + 7 / 8 - r + r ^ 2 / 2 - r ^ 3 / 2) * (2 + 3 * r) <= 0) by lra.
    replace (11 / 2 * ((9 / 8 - r / 2 + r ^ 2 / 2) * (2 + 3 * r) - 18 / 5) + (2 / 5 + 7 / 8 - r + r ^ 2 / 2 - r ^ 3 / 2) * (2 + 3 * r))
      with (- (39 / 8) + r * (1191 / 80 - 19 / 4 * r + 35 / 4 * r ^ 2 - 3 / 2 * r ^ 3)) by field.
    assert (Q : 1191 / 80 - 19 / 4 * r + 35 / 4 * r ^ 2 - 3 / 2 * r ^ 3 <= 1191 / 80 - 19 / 4 * r + 35 / 12 * r) by (assert (0 <= r ^ 3) by (apply pow_le; lra); nra).
    assert (r * (1191 / 80 - 19 / 4 * r + 35 / 4 * r ^ 2 - 3 / 2 * r ^ 3) <= r * (1191 / 80 - 19 / 4 * r + 35 / 12 * r)) by (apply Rmult_le_compat_l; lra).
    nra.
Qed.
End Tails.

(** ** What is near *)

(** c letters of others, at least m, and t too many of the first kind at most. *)
Lemma near_key c m M L kappa :
  0 < M -> M <= L -> 8 * M <= m -> m <= c -> sqrt (32 * L / m) + 4 / m <= kappa ->
  (sqrt (2 * c * M) + 1) * (2 + kappa) <= kappa * (c + 1).
Proof.
  intros HM HL Hm Hc Hk; assert (Pm : 0 < m) by lra.
  set (y := 1 / (2 * m)); assert (Hy : 0 < y) by (apply Rdiv_lt_0_compat; lra).
  assert (Ym : y * m = 1 / 2) by (unfold y; field; lra).
  set (w := sqrt (y * L)); set (v := sqrt (y * M)); set (t := sqrt (2 * c * M)).
  assert (yM : y * M <= 1 / 16) by (assert (y * (8 * M) <= y * m) by (apply Rmult_le_compat_l; lra); lra).
  assert (W : 8 * w + 8 * y <= kappa).
  { eapply Rle_trans; [|exact Hk]; right; f_equal; [|unfold y; field; lra].
    assert (P : 0 <= y * L) by (apply Rmult_le_pos; lra).
    unfold w; rewrite <- (sqrt_square 8) at 1 by lra; rewrite <- sqrt_mult by lra; f_equal; unfold y; field; lra. }
  assert (Hw : 0 <= w) by apply sqrt_pos; assert (Hv : 0 <= v) by apply sqrt_pos; assert (Ht : 0 <= t) by apply sqrt_pos.
  assert (Hvw : v <= w) by (apply sqrt_le_1_alt, Rmult_le_compat_l; lra).
  assert (Hv4 : v <= 1 / 4).
  { replace (1 / 4) with (sqrt (1 / 16)); [now apply sqrt_le_1_alt|].
    replace (1 / 16) with (1 / 4 * (1 / 4)) by field; apply sqrt_square; lra. }
  set (p := sqrt (2 * y * c)).
  assert (yc : 1 / 2 <= y * c) by (rewrite <- Ym; apply Rmult_le_compat_l; lra).
  assert (Hp : 1 <= p) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
  assert (Pp : p * p = 2 * y * c) by (apply sqrt_sqrt; lra).
  assert (Root : y * t = p * v).
  { assert (0 <= y * M) by (apply Rmult_le_pos; lra); assert (0 <= 2 * c * M) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= y * y) by (apply Rmult_le_pos; lra); unfold p, v, t; rewrite <- sqrt_mult by lra.
    replace (2 * y * c * (y * M)) with (y * y * (2 * c * M)) by ring; rewrite (sqrt_mult (y * y)) by lra; now rewrite sqrt_square by lra. }
  (* It is linear in kappa, and grows: t <= c. *)
  assert (Tc : t <= c).
  { apply (Rmult_le_reg_l y); [exact Hy|]; rewrite Root.
    assert (p * v <= p * (1 / 4)) by (apply Rmult_le_compat_l; lra).
    assert (p * 1 <= p * p) by (apply Rmult_le_compat_l; lra); lra. }
  enough (Key : 2 * (t + 1) <= (8 * w + 8 * y) * (c - t)).
  { assert ((8 * w + 8 * y) * (c - t) <= kappa * (c - t)) by (apply Rmult_le_compat_r; lra); lra. }
  apply (Rmult_le_reg_l y); [exact Hy|].
  replace (y * (2 * (t + 1))) with (2 * (y * t) + 2 * y) by ring.
  replace (y * ((8 * w + 8 * y) * (c - t))) with ((8 * w + 8 * y) * (y * c - y * t)) by ring; rewrite Root.
  assert (p * v <= p * (1 / 4)) by (apply Rmult_le_compat_l; lra).
  assert (p * 1 <= p * p) by (apply Rmult_le_compat_l; lra).
  assert (G : p / 4 <= y * c - p * v) by lra; assert (G1 : 1 / 4 <= y * c - p * v) by lra.
  assert (8 * w * (p / 4) <= 8 * w * (y * c - p * v)) by (apply Rmult_le_compat_l; lra).
  assert (8 * y * (1 / 4) <= 8 * y * (y * c - p * v)) by (apply Rmult_le_compat_l; lra).
  assert (p * v <= p * w) by (apply Rmult_le_compat_l; lra); lra.
Qed.

(** [bad c a] happens where others send c letters, a of the first kind. *)
Lemma bad_is_rare n r M (bad : nat -> nat -> R) :
  (1 <= n)%nat -> 0 < r -> 2 * r <= 1 -> ln 2 <= M -> 8 * M <= r * INR n -> (forall c a, bad c a <= 1) ->
  (forall c a, (a <= c)%nat -> r * INR n <= INR c -> (r < 1 / 3 -> INR c + 1 <= 9 * (r * INR n) / (2 + 3 * r)) ->
    2 * INR a - INR c <= sqrt (2 * INR c * M) -> bad c a <= 0) ->
  mean (fun c => mean (bad c) (heads (1 / 2) c)) (heads (2 * r) (n - 1)) <= 2 * exp (- M).
Proof.
  intros Hn Hr Hr2 HM HR B1 B0; pose proof ln_2_between as L2; set (m := r * INR n) in *.
  assert (m5 : 11 / 2 <= m) by lra.
  set (upper := fun c => if Rlt_dec r (1 / 3) then many n r c else 0).
  assert (U0 : forall c, 0 <= upper c) by (intros c; unfold upper, many; destruct (Rlt_dec r (1 / 3)); [apply Rlt_le, exp_pos | lra]).
  assert (F0 : forall c, 0 < few n r c) by (intros c; apply exp_pos); pose proof (exp_pos (- M)) as PM.
  assert (H : is_law (heads (2 * r) (n - 1))) by (apply heads_is_law; lra).
  apply Rle_trans with (mean (fun c => (few n r c + upper c) + exp (- M)) (heads (2 * r) (n - 1))).
  - apply mean_le; [apply H|]; intros c; pose proof (U0 c); pose proof (F0 c).
    assert (Hc : is_law (heads (1 / 2) c)) by (apply heads_is_law; lra).
    assert (One : 1 <= few n r c + upper c -> mean (bad c) (heads (1 / 2) c) <= few n r c + upper c + exp (- M)).
    { intros One; apply Rle_trans with 1; [|lra]; apply Rle_trans with (mean (fun _ => 1) (heads (1 / 2) c));
        [apply mean_le; [apply Hc | intros a; apply B1] | right; apply Hc]. }
    destruct (Rle_dec m (INR c)) as [G|G].
    2: { apply One; enough (1 <= few n r c) by lra; unfold few; apply Rle_trans with (exp 0); [rewrite exp_0; lra|]; fold m; apply exp_le, Rmult_le_pos; lra. }
    destruct (Rle_dec (INR c + 1) (9 * m / (2 + 3 * r))) as [G'|G'];
      [|destruct (Rlt_dec r (1 / 3)) as [T|T];
        [apply One; enough (1 <= upper c) by lra; unfold upper, many; destruct (Rlt_dec r (1 / 3)); [|contradiction];
         apply Rle_trans with (exp 0); [rewrite exp_0; lra|]; fold m; apply exp_le; pose proof ln_3_2_at_least; apply Rmult_le_pos; lra|]].
    all: apply Rle_trans with (exp (- M)); [|lra].
    all: assert (Pc : (0 < c)%nat) by (apply INR_lt; cbn; lra); assert (Hpc : 0 < INR c) by now apply lt_0_INR.
    all: eapply Rle_trans; [|apply (first_letters_tail c M Pc ltac:(lra))]; apply mean_heads_le; [lra|]; intros a Ha.
    all: set (l := sqrt (2 * M / INR c)); assert (Q : l * sqrt (2 * INR c * M) = 2 * M);
      [unfold l; rewrite <- sqrt_mult by (try apply Rlt_le, Rdiv_lt_0_compat; try (repeat apply Rmult_le_pos); lra);
       replace (2 * M / INR c * (2 * INR c * M)) with (2 * M * (2 * M)) by (field; lra); apply sqrt_square; lra|].
    all: assert (Pl : 0 < l) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
    all: destruct (Rle_dec (2 * INR a - INR c) (sqrt (2 * INR c * M))) as [S|S];
      [apply Rle_trans with 0; [apply B0; try assumption; intros; (assumption || contradiction) | apply Rlt_le, exp_pos]|].
    all: eapply Rle_trans; [apply B1|]; rewrite <- exp_0; apply exp_le;
      assert (l * sqrt (2 * INR c * M) <= l * (2 * INR a - INR c)) by (apply Rmult_le_compat_l; lra); lra.
  - rewrite !mean_plus, (mean_constant (heads (2 * r) (n - 1))) by apply H.
    assert (F : mean (few n r) (heads (2 * r) (n - 1)) <= exp (- (3 / 10) * m + r)) by (eapply few_mean; eassumption); unfold upper.
    enough (mean (few n r) (heads (2 * r) (n - 1)) + mean (fun c => if Rlt_dec r (1 / 3) then many n r c else 0) (heads (2 * r) (n - 1))
      <= exp (- M)) by (change (fun a => few n r a) with (few n r); lra).
    destruct (Rlt_dec r (1 / 3)) as [T|T].
    + assert (U : mean (many n r) (heads (2 * r) (n - 1)) <= exp (- (m / 8) - 7 / 8)) by (eapply many_mean; eassumption || lra); pose proof two_parts as P.
      change (fun c => many n r c) with (many n r).
      assert (exp (- (3 / 10) * m + r) <= exp (- M) * exp (- (3 / 5))) by (rewrite <- exp_plus; apply exp_le; lra).
      assert (exp (- (m / 8) - 7 / 8) <= exp (- M) * exp (- (7 / 8))) by (rewrite <- exp_plus; apply exp_le; lra).
      assert (exp (- M) * (exp (- (3 / 5)) + exp (- (7 / 8))) <= exp (- M) * 1) by (apply Rmult_le_compat_l; lra); lra.
    + rewrite (mean_ext (fun _ => 0) (fun _ => 0 * 1)) by (intros; ring); rewrite mean_scale.
      assert (exp (- (3 / 10) * m + r) <= exp (- M)) by (apply exp_le; lra); lra.
Qed.
