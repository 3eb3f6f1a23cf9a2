(** * The tail of the normal distribution

    Phi(-t) <= exp (- t^2 / 2) / 2 for every t >= 0. With I the integral of the density from 0 on and
    G(x) = int_0^1 exp (- x^2 (1 + s^2) / 2) / (1 + s^2) ds, the derivative of I^2 / 2 + G is 0 and its value at 0 is pi / 4:
    I(x)^2 = pi / 2 - 2 G(x), and 0 <= G(x) <= exp (- x^2 / 2) pi / 4. *)

From Coq Require Import Reals Lra Lia.
Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
Require Import Language Normal.
Open Scope R_scope.

Definition damped (x s : R) : R := exp (- (x * x) * (1 + s * s) / 2) / (1 + s * s).
Definition damped_integral (x : R) : R := RInt (V := R_CompleteNormedModule) (damped x) 0 1.

Lemma above_1 s : 0 < 1 + s * s.
Proof. pose proof (Rle_0_sqr s) as H; unfold Rsqr in H; lra. Qed.

Lemma derive_damped s x : is_derive (fun x => damped x s) x (- x * exp (- (x * x) * (1 + s * s) / 2)).
Proof. pose proof (above_1 s); unfold damped; auto_derive; [lra | unfold Rdiv; field; lra]. Qed.

Lemma damped_continuous x s : continuous (damped x) s.
Proof.
  pose proof (above_1 s); apply (ex_derive_continuous (V := R_NormedModule)); unfold damped; auto_derive; lra.
Qed.

Lemma derive_damped_integral x : is_derive damped_integral x (- density x * integral x).
Proof.
  assert (D : is_derive damped_integral x
    (RInt (V := R_CompleteNormedModule) (fun s => Derive (fun u => damped u s) x) 0 1)).
  { apply (is_derive_RInt_param damped 0 1 x).
    - apply filter_forall; intros y s _; eexists; apply derive_damped.
    - intros s _; apply (continuity_2d_pt_ext (fun u v => - u * exp (- (u * u) * (1 + v * v) / 2))).
      { intros u v; symmetry; apply is_derive_unique, derive_damped. }
      assert (I1 : continuity_2d_pt (fun u _ => u) x s) by apply continuity_2d_pt_id1.
      assert (I2 : continuity_2d_pt (fun _ v => v) x s) by apply continuity_2d_pt_id2.
      apply continuity_2d_pt_mult; [apply continuity_2d_pt_opp, I1|].
      apply (continuity_1d_2d_pt_comp exp); [apply derivable_continuous_pt, derivable_pt_exp|].
      unfold Rdiv; apply continuity_2d_pt_mult; [|apply continuity_2d_pt_const].
      apply continuity_2d_pt_mult; [now apply continuity_2d_pt_opp, continuity_2d_pt_mult|].
      apply continuity_2d_pt_plus; [apply continuity_2d_pt_const | now apply continuity_2d_pt_mult].
    - apply filter_forall; intros y; apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply damped_continuous. }
  replace (- density x * integral x)
    with (RInt (V := R_CompleteNormedModule) (fun s => Derive (fun u => damped u s) x) 0 1); [exact D|].
  assert (E : ex_RInt (V := R_CompleteNormedModule) density (x * 0 + 0) (x * 1 + 0))
    by (apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous).
  pose proof (RInt_comp_lin (V := R_CompleteNormedModule) density x 0 0 1 E) as C.
  assert (Z0 : x * 0 + 0 = 0) by ring; assert (Z1 : x * 1 + 0 = x) by ring; rewrite Z0, Z1 in C.
  unfold integral; rewrite <- C.
  rewrite <- (RInt_scal (V := R_CompleteNormedModule) _ 0 1 (- density x)).
  - apply RInt_ext; intros s _; transitivity (- x * exp (- (x * x) * (1 + s * s) / 2));
      [apply is_derive_unique, derive_damped|].
    unfold scal; cbn; unfold mult; cbn; unfold density.
    replace (- (x * x) * (1 + s * s) / 2) with (- (x * x) / 2 + - ((x * s + 0) * (x * s + 0)) / 2) by field.
    rewrite exp_plus; ring.
  - apply (ex_RInt_comp_lin (V := R_CompleteNormedModule) density x 0 0 1), E.
Qed.

Lemma damped_at_0 : damped_integral 0 = PI / 4.
Proof.
  unfold damped_integral; transitivity (minus (G := R_CompleteNormedModule) (atan 1) (atan 0)).
  - apply is_RInt_unique, (is_RInt_derive (V := R_CompleteNormedModule) atan).
    + intros s _; apply is_derive_Reals; replace (damped 0 s) with (/ (1 + s ^ 2)); [apply derivable_pt_lim_atan|].
      unfold damped; replace (- (0 * 0) * (1 + s * s) / 2) with 0 by field; rewrite exp_0.
      pose proof (above_1 s); replace (s ^ 2) with (s * s) by ring; field; lra.
    + intros s _; apply damped_continuous.
  - rewrite atan_1, atan_0; unfold minus, plus, opp; cbn; ring.
Qed.

Lemma square_of_integral x : integral x ^ 2 = PI / 2 - 2 * damped_integral x.
Proof.
  assert (Z : forall t, is_derive (fun t => integral t ^ 2 / 2 + damped_integral t) t 0).
  { intros t; pose proof (derive_integral t) as I; pose proof (derive_damped_integral t) as D.
    assert (Q : is_derive (fun t => integral t ^ 2 / 2) t (density t * integral t)).
    { apply (is_derive_ext (fun t => (fun y => y ^ 2 / 2) (integral t))); [reflexivity|].
      apply (is_derive_comp (fun y => y ^ 2 / 2) integral); [|exact I]; auto_derive; [trivial | field]. }
    replace 0 with (density t * integral t + (- density t * integral t)) by ring.
    apply (is_derive_plus (K := R_AbsRing) (V := R_NormedModule)); assumption. }
  assert (E : integral x ^ 2 / 2 + damped_integral x = integral 0 ^ 2 / 2 + damped_integral 0).
  { destruct (Rtotal_order x 0) as [L|[->|L]]; [|reflexivity|symmetry];
      apply (eq_is_derive (V := R_NormedModule) (fun t => integral t ^ 2 / 2 + damped_integral t)); auto. }
  rewrite damped_at_0 in E; replace (integral 0) with 0 in E; [lra|].
  symmetry; unfold integral; apply (RInt_point (V := R_CompleteNormedModule)).
Qed.

Lemma damped_between x : 0 <= damped_integral x <= exp (- (x * x) / 2) * (PI / 4).
Proof.
  assert (X : forall y, ex_RInt (V := R_CompleteNormedModule) (damped y) 0 1)
    by (intros y; apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply damped_continuous).
  assert (P : forall s, 0 < damped x s).
  { intros s; pose proof (above_1 s); unfold damped; apply Rmult_lt_0_compat; [apply exp_pos | now apply Rinv_0_lt_compat]. }
  split; [apply RInt_ge_0; [lra | apply X | intros s _; apply Rlt_le, P]|].
  rewrite <- damped_at_0; unfold damped_integral.
  set (e := exp (- (x * x) / 2)).
  apply Rle_trans with (RInt (V := R_CompleteNormedModule) (fun s => scal e (damped 0 s)) 0 1);
    [|right; apply (RInt_scal (V := R_CompleteNormedModule) (damped 0) 0 1 e (X 0))].
  apply RInt_le; [lra | apply X | apply (ex_RInt_scal (V := R_CompleteNormedModule)), X|]; intros s _.
  unfold scal; cbn; unfold mult; cbn; pose proof (above_1 s) as A; unfold damped, e.
  replace (- (0 * 0) * (1 + s * s) / 2) with 0 by field; rewrite exp_0.
  unfold Rdiv; rewrite <- Rmult_assoc, Rmult_1_r; apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat|].
  apply Rnot_lt_le; intros L; apply exp_lt_inv in L; pose proof (Rle_0_sqr x) as X2; unfold Rsqr in X2.
  assert (0 <= x * x * (s * s)) by (apply Rmult_le_pos; [lra | pose proof (Rle_0_sqr s) as S2; unfold Rsqr in S2; lra]); lra.
Qed.

Lemma integral_odd x : 0 <= x -> 0 <= integral x /\ integral (- x) = - integral x.
Proof.
  intros Hx; split.
  - unfold integral; apply RInt_ge_0; [exact Hx| |intros; unfold density; apply Rlt_le, exp_pos].
    apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous.
  - assert (E : ex_RInt (V := R_CompleteNormedModule) density (-1 * 0 + 0) (-1 * x + 0))
      by (apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous).
    pose proof (RInt_comp_lin (V := R_CompleteNormedModule) density (-1) 0 0 x E) as C.
    assert (Z0 : -1 * 0 + 0 = 0) by ring; assert (Z1 : -1 * x + 0 = - x) by ring; rewrite Z0, Z1 in C.
    unfold integral; rewrite <- C, <- (RInt_opp (V := R_CompleteNormedModule)).
    + apply RInt_ext; intros t _; unfold scal, opp; cbn; unfold mult; cbn; unfold density.
      replace (- ((-1 * t + 0) * (-1 * t + 0)) / 2) with (- (t * t) / 2) by field; ring.
    + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous.
Qed.

Theorem normal_tail t : 0 <= t -> 0 <= normal_cdf (- t) <= exp (- (t * t) / 2) / 2.
Proof.
  intros Ht; destruct (integral_odd t Ht) as [I0 O]; pose proof (square_of_integral t) as S; pose proof (damped_between t) as G.
  unfold normal_cdf; change (RInt.RInt _ 0 (- t)) with (integral (- t)); rewrite O.
  pose proof PI_RGT_0 as P; pose proof sqrt_2PI as Q; set (r := sqrt (2 * PI)) in *.
  assert (R2 : r * r = 2 * PI) by (apply sqrt_sqrt; lra).
  set (u := integral t / r); assert (U : integral t = u * r) by (unfold u; field; lra).
  assert (U0 : 0 <= u) by (unfold u; apply Rmult_le_pos; [exact I0 | now apply Rlt_le, Rinv_0_lt_compat]).
  assert (U2 : u * u * (2 * PI) = PI / 2 - 2 * damped_integral t) by (rewrite <- S, U, <- R2; ring).
  replace (1 / 2 + - integral t / r) with (1 / 2 - u) by (unfold u; field; lra).
  set (e := exp (- (t * t) / 2)) in *; assert (E0 : 0 < e) by apply exp_pos.
  assert (E1 : e <= 1).
  { unfold e; rewrite <- exp_0; apply Rnot_lt_le; intros L; apply exp_lt_inv in L; pose proof (Rle_0_sqr t) as T; unfold Rsqr in T; lra. }
  (* 4 u^2 is between 1 - e and 1. *)
  assert (A : u * u <= 1 / 4) by (apply (Rmult_le_reg_r (2 * PI)); lra).
  assert (B : (1 - e) / 4 <= u * u) by (apply (Rmult_le_reg_r (2 * PI)); lra).
  split; [nra|]; enough (1 - e <= 2 * u) by lra; apply Rnot_lt_le; intros L.
  assert (2 * u * (2 * u) < (1 - e) * (1 - e)) by nra; assert ((1 - e) * (1 - e) <= 1 - e) by nra; lra.
Qed.

(** Phi(x) <= 1/2 + x/2. *)
Lemma normal_near x : 0 <= x -> normal_cdf x <= 1 / 2 + x / 2.
Proof.
  intros Hx; unfold normal_cdf; change (RInt.RInt _ 0 x) with (integral x).
  pose proof PI2_1 as P; assert (R2 : 2 <= sqrt (2 * PI)).
  { replace 2 with (sqrt (2 * 2)) at 1 by (apply sqrt_square; lra); apply sqrt_le_1_alt; lra. }
  assert (I : integral x <= x).
  { unfold integral; replace x with (RInt (V := R_CompleteNormedModule) (fun _ => 1) 0 x) at 2.
    - apply RInt_le; [exact Hx | | apply (ex_RInt_const (V := R_CompleteNormedModule)) |].
      + apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply density_continuous.
      + intros t _; unfold density; rewrite <- exp_0; apply Rnot_lt_le; intros L; apply exp_lt_inv in L.
        pose proof (Rle_0_sqr t) as T; unfold Rsqr in T; lra.
    - rewrite (RInt_const (V := R_CompleteNormedModule)); unfold scal; cbn; unfold mult; cbn; ring. }
  apply Rplus_le_compat_l; apply (Rmult_le_reg_r (sqrt (2 * PI))); [lra|].
  unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_trans with (x / 2 * 2); [lra | apply Rmult_le_compat_l; lra].
Qed.
