(** * The normal distribution function by its series

    exp (x^2 / 2) times the integral of exp (- t^2 / 2) from 0 to x is
    x + x^3 / 3 + x^5 / (3 * 5) + ...; what the first n terms leave is between 0 and the next. *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
Require Import Language.
Open Scope R_scope.

(** The series' terms x^(2n+1) / (1 * 3 * ... * (2n+1)), and the sum of the first n. *)
Fixpoint odd_term (n : nat) (x : R) : R :=
  match n with 0%nat => x | S n => odd_term n x * (x * x) / INR (2 * n + 3) end.
Fixpoint odd_terms (n : nat) (x : R) : R :=
  match n with 0%nat => 0 | S n => odd_terms n x + odd_term n x end.

(** The term's derivative. *)
Definition even_term (n : nat) (x : R) : R := match n with 0%nat => 1 | S n => x * odd_term n x end.

Lemma odd_positive n : 0 < INR (2 * n + 3).
Proof. apply lt_0_INR; lia. Qed.

Lemma even_times n x : even_term n x * x = INR (2 * n + 1) * odd_term n x.
Proof.
  destruct n as [|n]; cbn [even_term odd_term]; [cbn; ring|].
  replace (2 * S n + 1)%nat with (2 * n + 3)%nat by lia.
  field; apply Rgt_not_eq, odd_positive.
Qed.

Lemma even_nonnegative n x : 0 <= even_term n x.
Proof.
  assert (H : forall n, 0 <= x * odd_term n x).
  { clear n; induction n as [|n IH]; cbn [odd_term]; [apply Rle_0_sqr|].
    replace (x * _) with (x * odd_term n x * (x * x) * / INR (2 * n + 3)) by (unfold Rdiv; ring).
    pose proof (Rinv_0_lt_compat _ (odd_positive n)).
    apply Rmult_le_pos; [apply Rmult_le_pos|]; nra. }
  destruct n as [|n]; cbn [even_term]; [apply Rle_0_1 | apply H].
Qed.

Lemma derive_odd_term n x : is_derive (odd_term n) x (even_term n x).
Proof.
  induction n as [|n IH]; cbn [odd_term even_term];
    [auto_derive; [trivial | reflexivity]|].
  pose proof (odd_positive n) as P; pose proof (even_times n x) as T.
  assert (I : INR (2 * n + 3) = INR (2 * n + 1) + 2) by (rewrite !plus_INR; cbn; ring).
  rewrite I in *; clear I; set (k := INR (2 * n + 1)) in *; clearbody k.
  auto_derive; [exists (even_term n x); exact IH|].
  replace (Derive _ x) with (even_term n x) by (symmetry; apply is_derive_unique, IH).
  assert (k + 2 <> 0) by now apply Rgt_not_eq.
  apply (Rmult_eq_reg_r (k + 2)); [|assumption].
  transitivity (even_term n x * x * x + 2 * x * odd_term n x); [field; assumption|].
  rewrite T; ring.
Qed.

Lemma derive_odd_terms n x :
  is_derive (odd_terms n) x (1 + x * odd_terms n x - even_term n x).
Proof.
  induction n as [|n IH]; cbn [odd_terms].
  { cbn [even_term]; auto_derive; [trivial | ring]. }
  evar_last; [apply (is_derive_plus (odd_terms n)); [exact IH | apply derive_odd_term]|].
  unfold plus; cbn; cbn; ring.
Qed.

Definition density (t : R) : R := exp (- (t * t) / 2).
Definition integral (x : R) : R := RInt (V := R_CompleteNormedModule) density 0 x.

Lemma derive_density x : is_derive density x (- x * density x).
Proof. unfold density; auto_derive; [trivial | unfold Rdiv; field]. Qed.

Lemma density_continuous x : continuous density x.
Proof. apply (ex_derive_continuous (V := R_NormedModule)); eexists; apply derive_density. Qed.

Lemma derive_integral x : is_derive integral x (density x).
Proof.
  apply (is_derive_RInt density integral 0 x); [|apply density_continuous].
  apply filter_forall; intros y; apply (RInt_correct (V := R_CompleteNormedModule)).
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous.
Qed.

Definition rest (n : nat) (x : R) : R := integral x - density x * odd_terms n x.

Lemma derive_rest n x : is_derive (rest n) x (density x * even_term n x).
Proof.
  unfold rest; evar_last.
  - apply (is_derive_minus integral); [apply derive_integral|].
    apply (is_derive_mult density (odd_terms n)); [|apply derive_odd_terms | intros; apply Rmult_comm].
    apply derive_density.
  - unfold minus, plus, opp, mult; cbn; unfold mult; cbn; ring.
Qed.

(** From 0 on, with a derivative between 0 and another one's. *)
Lemma between (f g df dg : R -> R) x :
  (forall t, is_derive f t (df t)) -> (forall t, is_derive g t (dg t)) ->
  f 0 = 0 -> g 0 = 0 -> (forall t, 0 <= df t <= dg t) ->
  exists s, 0 <= s <= 1 /\ f x = s * g x.
Proof.
  intros Hf Hg F G D.
  assert (M : forall h dh, (forall t, is_derive h t (dh t)) -> h 0 = 0 -> (forall t, 0 <= dh t) ->
    exists c, 0 <= c /\ h x = c * x).
  { intros h dh H H0 P; destruct (MVT_gen h 0 x dh) as [c [_ E]].
    - intros t _; apply H.
    - intros t _; apply derivable_continuous_pt; exists (dh t); now apply is_derive_Reals.
    - exists (dh c); split; [apply P | lra]. }
  destruct (M f df Hf F) as [c [C E]]; [intros t; apply D|].
  destruct (M (fun t => g t - f t) (fun t => dg t - df t)) as [c' [C' E']].
  - intros t; apply (is_derive_minus g f); [apply Hg | apply Hf].
  - lra.
  - intros t; specialize (D t); lra.
  - cbn in E'; assert (g x = (c + c') * x) as -> by lra; rewrite E.
    destruct (Req_dec (c + c') 0) as [Z|Z].
    + exists 0; split; [lra|]; replace c with 0 by lra; ring.
    + exists (c / (c + c')); split; [|field; exact Z].
      split; [apply Rle_div_r | apply Rle_div_l]; lra.
Qed.

Lemma sqrt_2PI : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0; pose proof PI_RGT_0; lra. Qed.

Theorem normal_series n x : exists s, 0 <= s <= 1 /\
  normal_cdf x = 1 / 2 + (density x * odd_terms n x + s * odd_term n x) / sqrt (2 * PI).
Proof.
  assert (Z : forall n, odd_term n 0 = 0 /\ odd_terms n 0 = 0).
  { clear n; induction n as [|n [I J]]; cbn; [lra|]; rewrite I, J; unfold Rdiv; lra. }
  destruct (between (rest n) (odd_term n) (fun t => density t * even_term n t) (even_term n) x)
    as [s [S E]]; auto using derive_rest, derive_odd_term.
  - unfold rest, integral; rewrite RInt_point, (proj2 (Z n)); unfold zero; cbn; ring.
  - apply Z.
  - intros t; pose proof (even_nonnegative n t); assert (0 < density t <= 1).
    { unfold density; split; [apply exp_pos|]; rewrite <- exp_0.
      apply Rnot_lt_le; intros L; apply exp_lt_inv in L; nra. }
    split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_l (even_term n t)) at 2; apply Rmult_le_compat_r; lra.
  - exists s; split; [exact S|]; rewrite <- E; unfold normal_cdf, rest, integral, density; field.
    apply Rgt_not_eq, sqrt_2PI.
Qed.

Lemma normal_zero : normal_cdf 0 = 1 / 2.
Proof.
  unfold normal_cdf; change (RInt.RInt _ 0 0) with (RInt (V := R_CompleteNormedModule) density 0 0).
  rewrite RInt_point; unfold zero, Rdiv; cbn; ring.
Qed.

Lemma normal_increasing x y : x <= y -> normal_cdf x <= normal_cdf y.
Proof.
  intros H; unfold normal_cdf.
  change (RInt.RInt _ 0 x) with (integral x); change (RInt.RInt _ 0 y) with (integral y).
  apply Rplus_le_compat_l, Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, sqrt_2PI|].
  destruct (MVT_gen integral x y density) as [c [_ E]].
  - intros; apply derive_integral.
  - intros t _; apply derivable_continuous_pt; exists (density t).
    apply is_derive_Reals, derive_integral.
  - pose proof (exp_pos (- (c * c) / 2)); unfold density in E; nra.
Qed.
