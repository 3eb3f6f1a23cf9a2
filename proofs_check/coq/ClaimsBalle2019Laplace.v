(** * A claim about the privacy blanket of the Laplace mechanism

    Its statement is exported from the catalog's claim, as in [Claims]; integrals are Coquelicot's. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
Require AdvancedComposition.
Open Scope R_scope.

(** The least density at y, over all inputs in [0, 1], of the Laplace mechanism with scale 1/eps0; and its integral. *)
Definition least_density (eps0 y : R) : R :=
  real (Glb_Rbar (fun d => exists x, 0 <= x <= 1 /\ d = eps0 / 2 * exp (- (eps0 * Rabs (y - x))))).
Definition laplace_blanket (eps0 : R) : R :=
  RInt_gen (least_density eps0) (Rbar_locally m_infty) (Rbar_locally p_infty).

Lemma glb_attained (S : R -> Prop) m : S m -> (forall d, S d -> m <= d) -> real (Glb_Rbar S) = m.
Proof.
  intros A L; rewrite (is_glb_Rbar_unique S (Finite m)); [reflexivity|]; split.
  - intros d Hd; apply L, Hd.
  - intros b Hb; apply Hb, A.
Qed.

(** The farthest input is 0 on the right half, and 1 on the left one. *)
Lemma least_density_at eps0 y far :
  0 < eps0 -> 0 <= far <= 1 -> (forall x, 0 <= x <= 1 -> Rabs (y - x) <= Rabs (y - far)) ->
  least_density eps0 y = eps0 / 2 * exp (- (eps0 * Rabs (y - far))).
Proof.
  intros He Hf H; apply glb_attained; [now exists far|].
  intros d [x [Hx ->]]; apply Rmult_le_compat_l; [lra|]; apply AdvancedComposition.exp_le, Ropp_le_contravar.
  apply Rmult_le_compat_l; [lra | now apply H].
Qed.

Lemma least_density_right eps0 y : 0 < eps0 -> 1 / 2 <= y -> least_density eps0 y = eps0 / 2 * exp (- (eps0 * y)).
Proof.
  intros He Hy; rewrite (least_density_at eps0 y 0) by
    (lra || (intros x Hx; rewrite (Rabs_right (y - 0)) by lra; apply Rabs_le; lra)).
  rewrite Rabs_right, Rminus_0_r by lra; reflexivity.
Qed.

Lemma least_density_left eps0 y : 0 < eps0 -> y <= 1 / 2 -> least_density eps0 y = eps0 / 2 * exp (- (eps0 * (1 - y))).
Proof.
  intros He Hy; rewrite (least_density_at eps0 y 1) by
    (lra || (intros x Hx; rewrite (Rabs_left (y - 1)) by lra; apply Rabs_le; lra)).
  rewrite Rabs_left by lra; do 3 f_equal; ring.
Qed.


Lemma integral_right eps0 b : 0 < eps0 -> 1 / 2 <= b ->
  is_RInt (least_density eps0) (1 / 2) b (exp (- (eps0 / 2)) / 2 - exp (- (eps0 * b)) / 2).
Proof.
  intros He Hb; apply (is_RInt_ext (fun y => eps0 / 2 * exp (- (eps0 * y)))).
  - intros y; rewrite Rmin_left, Rmax_right by lra; intros Hy; symmetry; apply least_density_right; lra.
  - replace (exp (- (eps0 / 2)) / 2 - exp (- (eps0 * b)) / 2)
      with (minus ((fun y => - exp (- (eps0 * y)) / 2) b) ((fun y => - exp (- (eps0 * y)) / 2) (1 / 2)))
      by (unfold minus, plus, opp; cbn; replace (eps0 * (1 / 2)) with (eps0 / 2) by field; field).
    apply (is_RInt_derive (fun y => - exp (- (eps0 * y)) / 2) (fun y => eps0 / 2 * exp (- (eps0 * y)))).
    + intros y _; auto_derive; [easy | field].
    + intros y _; apply (ex_derive_continuous (fun y => eps0 / 2 * exp (- (eps0 * y)))); auto_derive; easy.
Qed.

Lemma integral_left eps0 a : 0 < eps0 -> a <= 1 / 2 ->
  is_RInt (least_density eps0) a (1 / 2) (exp (- (eps0 / 2)) / 2 - exp (- (eps0 * (1 - a))) / 2).
Proof.
  intros He Ha; apply (is_RInt_ext (fun y => eps0 / 2 * exp (- (eps0 * (1 - y))))).
  - intros y; rewrite Rmin_left, Rmax_right by lra; intros Hy; symmetry; apply least_density_left; lra.
  - replace (exp (- (eps0 / 2)) / 2 - exp (- (eps0 * (1 - a))) / 2)
      with (minus ((fun y => exp (- (eps0 * (1 - y))) / 2) (1 / 2)) ((fun y => exp (- (eps0 * (1 - y))) / 2) a))
      by (unfold minus, plus, opp; cbn; replace (eps0 * (1 - 1 / 2)) with (eps0 / 2) by field; field).
    apply (is_RInt_derive (fun y => exp (- (eps0 * (1 - y))) / 2) (fun y => eps0 / 2 * exp (- (eps0 * (1 - y))))).
    + intros y _; auto_derive; [easy | unfold Rminus; field].
    + intros y _; apply (ex_derive_continuous (fun y => eps0 / 2 * exp (- (eps0 * (1 - y))))); auto_derive; easy.
Qed.

(** e^-t is below any bound from some t on. *)
Lemma small_tail eps0 e : 0 < eps0 -> 0 < e -> exists T, 1 / 2 <= T /\ forall t, T < t -> exp (- (eps0 * t)) < e.
Proof.
  intros He Hp; exists (Rmax (1 / 2) (- ln e / eps0)); split; [apply Rmax_l|]; intros t Ht.
  rewrite <- (exp_ln e Hp); apply exp_increasing.
  assert (L : - ln e / eps0 < t) by (eapply Rle_lt_trans; [apply Rmax_r | exact Ht]).
  apply (Rmult_lt_compat_l eps0) in L; [|exact He].
  replace (eps0 * (- ln e / eps0)) with (- ln e) in L by (field; lra); lra.
Qed.

Theorem balle2019_blanket_laplace (epsilon0 : R) :
  0 < epsilon0 -> laplace_blanket epsilon0 = exp ((- epsilon0) / 2).
Proof.
  intros He; apply is_RInt_gen_unique.
  replace (exp (- epsilon0 / 2)) with (plus (exp (- (epsilon0 / 2)) / 2) (exp (- (epsilon0 / 2)) / 2))
    by (unfold plus; cbn; replace (- (epsilon0 / 2)) with (- epsilon0 / 2) by field; field).
  apply (is_RInt_gen_Chasles (V := R_NormedModule) (least_density epsilon0) (1 / 2)).
  - intros P [e HP]; destruct (small_tail epsilon0 e He (cond_pos e)) as [T [HT S]].
    exists (fun a => a < 1 - T) (fun b => b = 1 / 2).
    + exists (1 - T); easy.
    + easy.
    + intros a b Ha ->; eexists; split; [apply (integral_left epsilon0 a He); lra|].
      apply HP; unfold ball; cbn; unfold AbsRing_ball, abs, minus, plus, opp; cbn.
      specialize (S (1 - a) ltac:(lra)); pose proof (exp_pos (- (epsilon0 * (1 - a)))).
      rewrite Rabs_left; lra.
  - intros P [e HP]; destruct (small_tail epsilon0 e He (cond_pos e)) as [T [HT S]].
    exists (fun a => a = 1 / 2) (fun b => T < b).
    + easy.
    + exists T; easy.
    + intros a b -> Hb; eexists; split; [apply (integral_right epsilon0 b He); lra|].
      apply HP; unfold ball; cbn; unfold AbsRing_ball, abs, minus, plus, opp; cbn.
      specialize (S b Hb); pose proof (exp_pos (- (epsilon0 * b))).
      rewrite Rabs_left; lra.
Qed.
