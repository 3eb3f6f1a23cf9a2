(** * Rényi divergences of private pairs, runs and mixtures

    The moment of order a of P and Q, a sum of P^a Q^(1-a), is the largest value over functions h of
    a E_P e^((a-1)h) - (a-1) E_Q e^(ah). Proved here, for all finite laws and every real order a >= 1:
    - [private_moments]: an eps-private pair has moments of at most e^(a (a-1) eps^2 / 2);
    - [moments_of_runs], [moments_of_mixtures]: n steps, whatever came before; a random pair;
    - [renyi_below]: so Rényi divergences are bounded, in the limit a = 1 too.

    Source: Bun, Steinke 2016, Proposition 3.3; Mironov 2017, Proposition 1; Erlingsson et al. 2019, Remark 1. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Composition AdvancedComposition OptimalComposition.
Import ListNotations.
Open Scope R_scope.

(** The Rényi divergence of order a; the mean loss at a = 1. The laws are 0 at the same outcomes. *)
Definition renyi {A} (same : forall x y : A, {x = y} + {x <> y}) (a : R) (P Q : law A) : R :=
  if Req_EM_T a 1 then mean (loss same P Q) P
  else ln (mean (fun y => exp ((a - 1) * loss same P Q y)) P) / (a - 1).

Definition moment_below {A} (a : R) (P Q : law A) (M : R) : Prop :=
  forall h : A -> R, a * mean (fun y => exp ((a - 1) * h y)) P - (a - 1) * mean (fun y => exp (a * h y)) Q <= M.

(** a p e^((a-1)h) - (a-1) q e^(ah) is largest where e^h = p/q. *)
Lemma one_outcome a u v h : 1 <= a -> a * exp (u + (a - 1) * h) - (a - 1) * exp (v + a * h) <= exp (a * u + (1 - a) * v).
Proof.
  intros Ha; set (t := h - (u - v)).
  replace (u + (a - 1) * h) with (a * u + (1 - a) * v + (a - 1) * t) by (unfold t; ring).
  replace (v + a * h) with (a * u + (1 - a) * v + a * t) by (unfold t; ring).
  rewrite !(exp_plus (a * u + _)); pose proof (exp_pos (a * u + (1 - a) * v)) as G; set (g := exp (a * u + _)) in *.
  assert (I : 0 < / a <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]; apply (Rmult_le_reg_l a); [lra|]; rewrite Rinv_r by lra; lra. }
  pose proof (exp_convex (/ a) 0 (a * t) ltac:(lra)) as C; rewrite exp_0 in C.
  replace (/ a * 0 + (1 - / a) * (a * t)) with ((a - 1) * t) in C by (field; lra).
  apply (Rmult_le_compat_l a) in C; [|lra].
  replace (a * (/ a * 1 + (1 - / a) * exp (a * t))) with (1 + (a - 1) * exp (a * t)) in C by (field; lra).
  replace (a * (g * exp ((a - 1) * t)) - (a - 1) * (g * exp (a * t)))
    with (g * (a * exp ((a - 1) * t) - (a - 1) * exp (a * t))) by ring.
  rewrite <- (Rmult_1_r g) at 2; apply Rmult_le_compat_l; lra.
Qed.

Lemma response_moment a eps : 0 <= eps -> 1 <= a ->
  (exp (a * eps) + exp ((1 - a) * eps)) / (1 + exp eps) <= exp (a * (a - 1) * eps ^ 2 / 2).
Proof.
  intros He Ha; pose proof (exp_pos eps) as E; set (p := exp eps / (1 + exp eps)).
  assert (Hp : 0 <= p <= 1).
  { unfold p; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (1 + exp eps)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (T : 2 * p - 1 <= eps / 2).
  { pose proof (AdvancedComposition.tilted_below (1 / 2) ltac:(lra) eps He) as T; cbv zeta beta in T.
    replace (1 / 2 * exp eps / (1 - 1 / 2 + 1 / 2 * exp eps)) with p in T by (unfold p; field; lra); lra. }
  set (h := 2 * (a - 1) * eps); pose proof (coin_moments p h Hp) as C.
  set (m := (a - 1) * eps * (2 * p - 1)); apply (Rmult_le_compat_l (exp m)) in C; [|apply Rlt_le, exp_pos].
  replace ((exp (a * eps) + exp ((1 - a) * eps)) / (1 + exp eps))
    with (exp m * ((1 - p) * exp (- (p * h)) + p * exp ((1 - p) * h))).
  - eapply Rle_trans; [exact C|]; rewrite <- exp_plus; apply exp_le; unfold m, h.
    assert ((a - 1) * eps * (2 * p - 1) <= (a - 1) * eps * (eps / 2))
      by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
    replace (a * (a - 1) * eps ^ 2 / 2) with ((a - 1) * eps * (eps / 2) + (a - 1) * (a - 1) * eps ^ 2 / 2) by field.
    replace (2 * (a - 1) * eps * (2 * (a - 1) * eps) / 8) with ((a - 1) * (a - 1) * eps ^ 2 / 2) by field; lra.
  - rewrite Rmult_plus_distr_l, <- !Rmult_assoc, (Rmult_comm (exp m) (1 - p)), (Rmult_comm (exp m) p), !Rmult_assoc, <- !exp_plus.
    replace (m + - (p * h)) with ((1 - a) * eps) by (unfold m, h; ring).
    replace (m + (1 - p) * h) with ((a - 1) * eps) by (unfold m, h; ring).
    replace (a * eps) with ((a - 1) * eps + eps) by ring; rewrite exp_plus; unfold p; field; lra.
Qed.

Theorem private_moments {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) eps a :
  0 <= eps -> 1 <= a -> private same P Q eps -> moment_below a P Q (exp (a * (a - 1) * eps ^ 2 / 2)).
Proof.
  intros He Ha H h; destruct (binary_response same P Q eps He H) as [K [LK F]].
  eapply Rle_trans; [|apply response_moment; assumption].
  rewrite (proj1 (F _)), (proj2 (F (fun y => exp (a * h y)))), !mean_bind; cbn [response mean negb].
  pose proof (exp_pos eps) as E; assert (I : 0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
  assert (One : forall b u v, a * (exp u * mean (fun y => exp ((a - 1) * h y)) (K b))
    - (a - 1) * (exp v * mean (fun y => exp (a * h y)) (K b)) <= exp (a * u + (1 - a) * v)).
  { intros b u v; rewrite <- (mean_constant (K b) (exp (a * u + (1 - a) * v)) (LK b)).
    rewrite <- !Rmult_assoc.
    replace (a * exp u * mean (fun y => exp ((a - 1) * h y)) (K b) - (a - 1) * exp v * mean (fun y => exp (a * h y)) (K b))
      with (a * exp u * mean (fun y => exp ((a - 1) * h y)) (K b) + (- (a - 1) * exp v) * mean (fun y => exp (a * h y)) (K b)) by ring.
    rewrite <- !mean_scale, <- mean_plus; apply mean_le; [apply LK|]; intros y.
    pose proof (one_outcome a u v (h y) Ha) as O; rewrite !exp_plus in *; lra. }
  pose proof (One true eps 0) as O1; pose proof (One false 0 eps) as O2; rewrite exp_0 in O1, O2.
  replace (a * eps + (1 - a) * 0) with (a * eps) in O1 by ring; replace (a * 0 + (1 - a) * eps) with ((1 - a) * eps) in O2 by ring.
  set (u1 := mean _ (K true)) in *; set (v1 := mean (fun y => exp (a * h y)) (K true)) in *.
  set (u2 := mean (fun y => exp ((a - 1) * h y)) (K false)) in *; set (v2 := mean (fun y => exp (a * h y)) (K false)) in *.
  apply (Rmult_le_reg_r (1 + exp eps)); [lra|].
  replace ((exp (a * eps) + exp ((1 - a) * eps)) / (1 + exp eps) * (1 + exp eps))
    with (exp (a * eps) + exp ((1 - a) * eps)) by (field; lra).
  replace ((a * (exp eps / (1 + exp eps) * u1 + (/ (1 + exp eps) * u2 + 0))
    - (a - 1) * (exp eps / (1 + exp eps) * v2 + (/ (1 + exp eps) * v1 + 0))) * (1 + exp eps))
    with ((a * (exp eps * u1) - (a - 1) * (1 * v1)) + (a * (1 * u2) - (a - 1) * (exp eps * v2))) by (field; lra); lra.
Qed.

Lemma mean_exp_positive {A} (P : law A) (h : A -> R) : is_law P -> 0 < mean (fun y => exp (h y)) P.
Proof.
  intros [N M]; revert M; induction N as [|[y m] P Hm N IH]; cbn; intros M; [lra|]; cbn in Hm.
  assert (P0 : 0 <= mean (fun y => exp (h y)) P).
  { replace 0 with (mean (fun _ : A => 0 * 1) P) by (rewrite mean_scale; ring).
    apply mean_le; [exact N|]; intros z; pose proof (exp_pos (h z)); lra. }
  destruct (Req_dec m 0) as [->|Z]; [rewrite Rmult_0_l, Rplus_0_l; apply IH; lra|].
  assert (0 < m * exp (h y)) by (apply Rmult_lt_0_compat; [lra | apply exp_pos]); lra.
Qed.

Theorem moments_of_runs {A} (K L : list A -> law A) a c n : 1 <= a ->
  (forall past, is_law (K past) /\ is_law (L past) /\ moment_below a (K past) (L past) (exp c)) ->
  forall past, moment_below a (run (repeat K n) past) (run (repeat L n) past) (exp (INR n * c)).
Proof.
  intros Ha H; induction n as [|n IH]; intros past h.
  - cbn [repeat run mean certain INR]; rewrite Rmult_0_l.
    pose proof (one_outcome a 0 0 (h past) Ha) as O; rewrite !Rplus_0_l, !Rmult_0_r, Rplus_0_l in O; cbn; lra.
  - cbn [repeat run]; rewrite !mean_bind; destruct (H past) as [LK [LL HM]].
    set (u := fun y => mean (fun ys => exp ((a - 1) * h ys)) (run (repeat K n) (y :: past))).
    set (v := fun y => mean (fun ys => exp (a * h ys)) (run (repeat L n) (y :: past))).
    (* The inner run on its best scale. *)
    set (g := fun y => (ln (v y) - INR n * c) / a).
    assert (V : forall y, v y = exp (INR n * c) * exp (a * g y)).
    { intros y; rewrite <- exp_plus; replace (INR n * c + a * g y) with (ln (v y)) by (unfold g; field; lra).
      symmetry; apply exp_ln, mean_exp_positive, run_is_law, repeat_laws; intros; apply H. }
    assert (U : forall y, u y <= exp (INR n * c) * exp ((a - 1) * g y)).
    { intros y; specialize (IH (y :: past) (fun ys => h ys - g y)); cbv beta in IH.
      rewrite (mean_ext _ (fun ys => exp (- ((a - 1) * g y)) * exp ((a - 1) * h ys))) in IH
        by (intros; rewrite <- exp_plus; f_equal; ring).
      rewrite (mean_ext (fun ys => exp (a * (h ys - g y))) (fun ys => exp (- (a * g y)) * exp (a * h ys))) in IH
        by (intros; rewrite <- exp_plus; f_equal; ring).
      rewrite !mean_scale in IH; fold (u y) (v y) in IH; rewrite (V y), !exp_Ropp in IH.
      pose proof (exp_pos (a * g y)); pose proof (exp_pos ((a - 1) * g y)) as G; pose proof (exp_pos (INR n * c)).
      replace (/ exp (a * g y) * (exp (INR n * c) * exp (a * g y))) with (exp (INR n * c)) in IH by (field; lra).
      assert (a * (/ exp ((a - 1) * g y) * u y) <= a * exp (INR n * c)) as B by lra.
      apply Rmult_le_reg_l in B; [|lra]; apply (Rmult_le_compat_r (exp ((a - 1) * g y))) in B; [|lra].
      replace (/ exp ((a - 1) * g y) * u y * exp ((a - 1) * g y)) with (u y) in B by (field; lra); exact B. }
    apply Rle_trans with (a * mean (fun y => exp (INR n * c) * exp ((a - 1) * g y)) (K past)
      - (a - 1) * mean (fun y => exp (INR n * c) * exp (a * g y)) (L past)).
    + rewrite (mean_ext v _ _ V); apply Rplus_le_compat_r, Rmult_le_compat_l; [lra|]; apply mean_le; [apply LK | exact U].
    + rewrite !mean_scale, S_INR; replace ((INR n + 1) * c) with (INR n * c + c) by ring; rewrite exp_plus.
      pose proof (Rmult_le_compat_l (exp (INR n * c)) _ _ ltac:(apply Rlt_le, exp_pos) (HM g)); lra.
Qed.

Theorem moments_of_mixtures {A B} (W : law B) (K L : B -> law A) a M :
  is_law W -> (forall b, moment_below a (K b) (L b) M) -> moment_below a (bind W K) (bind W L) M.
Proof.
  intros LW H h; rewrite !mean_bind, <- (mean_constant W M LW).
  set (u := fun b => mean (fun y => exp ((a - 1) * h y)) (K b)); set (v := fun b => mean (fun y => exp (a * h y)) (L b)).
  apply Rle_trans with (mean (fun b => a * u b + (- (a - 1)) * v b) W).
  - rewrite mean_plus, !mean_scale; lra.
  - apply mean_le; [apply LW|]; intros b; specialize (H b h); fold (u b) (v b) in H; lra.
Qed.

Lemma moment_below_ext {A} a (P Q P' Q' : law A) M :
  (forall f, mean f P = mean f P') -> (forall f, mean f Q = mean f Q') -> moment_below a P Q M -> moment_below a P' Q' M.
Proof. intros HP HQ H h; rewrite <- HP, <- HQ; apply H. Qed.

Theorem renyi_below {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) eps c a :
  private same P Q eps -> (forall b, 1 < b -> moment_below b P Q (exp (b * (b - 1) * c))) ->
  1 <= a -> renyi same a P Q <= a * c.
Proof.
  intros H M Ha; assert (LP : is_law P) by apply H.
  assert (S : forall b, 1 < b -> ln (mean (fun y => exp ((b - 1) * loss same P Q y)) P) <= b * (b - 1) * c).
  { intros b Hb; rewrite <- (ln_exp (b * (b - 1) * c)); apply ln_le; [now apply mean_exp_positive|].
    specialize (M b Hb (loss same P Q)); rewrite (reweighted same P Q eps H) in M.
    rewrite (mean_ext (fun y => exp (- loss same P Q y) * exp (b * loss same P Q y))
      (fun y => exp ((b - 1) * loss same P Q y))) in M by (intros; rewrite <- exp_plus; f_equal; ring); lra. }
  unfold renyi; destruct (Req_EM_T a 1) as [->|N].
  - set (m := mean (loss same P Q) P).
    assert (J : forall b, 1 < b -> m <= b * c).
    { intros b Hb; apply (Rmult_le_reg_l (b - 1)); [lra|]; replace ((b - 1) * (b * c)) with (b * (b - 1) * c) by ring.
      eapply Rle_trans; [|apply S; exact Hb]; rewrite <- (ln_exp ((b - 1) * m)); apply ln_le; [apply exp_pos|].
      pose proof (exp_pos ((b - 1) * m)) as G.
      apply Rle_trans with (mean (fun y => exp ((b - 1) * m) * (1 - (b - 1) * m) + (exp ((b - 1) * m) * (b - 1)) * loss same P Q y) P).
      - rewrite mean_plus, (mean_constant P _ LP), mean_scale; fold m; right; ring.
      - apply mean_le; [apply LP|]; intros y.
        replace (exp ((b - 1) * loss same P Q y)) with (exp ((b - 1) * m) * exp ((b - 1) * loss same P Q y - (b - 1) * m))
          by (rewrite <- exp_plus; f_equal; ring).
        pose proof (exp_ineq1_le ((b - 1) * loss same P Q y - (b - 1) * m)) as X.
        apply (Rmult_le_compat_l (exp ((b - 1) * m))) in X; lra. }
    destruct (Rle_dec m (1 * c)) as [L|L]; [exact L|]; exfalso.
    (* An order so near to 1 that its bound is below m. *)
    destruct (Rle_dec c 0) as [C|C].
    + specialize (J 2 ltac:(lra)); lra.
    + specialize (J (1 + (m - c) / (2 * c))).
      assert (0 < (m - c) / (2 * c)) by (apply Rdiv_lt_0_compat; lra).
      replace ((1 + (m - c) / (2 * c)) * c) with (c + (m - c) / 2) in J by (field; lra); specialize (J ltac:(lra)); lra.
  - apply (Rmult_le_reg_r (a - 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
    specialize (S a ltac:(lra)); lra.
Qed.
