(** * The probability of a report where all answers are at the threshold

    - [report_at_zero]: the integral of [SparseVector] in closed form, by which instances of claims are computed. *)

From Coq Require Import Reals List Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
Require Import SparseVector.
Import ListNotations.
Open Scope R_scope.

(** The integral over a half of the line of e^(-l |x|) and a factor for each letter, e^(-|x|/b)/2 or 1 - e^(-|x|/b)/2. *)
Fixpoint half_line (l b : R) (small : list bool) : R :=
  match small with
  | [] => 1 / l
  | true :: small => half_line (l + / b) b small / 2
  | false :: small => half_line l b small - half_line (l + / b) b small / 2
  end.
Fixpoint letters_at (b x : R) (small : list bool) : R :=
  match small with
  | [] => 1
  | s :: small => (if s then exp (- (/ b * Rabs x)) / 2 else 1 - exp (- (/ b * Rabs x)) / 2) * letters_at b x small
  end.

Ltac in_reals := unfold minus, plus, opp, scal; cbn -[half_line letters_at]; unfold mult; cbn -[half_line letters_at].

Section Halves.
Context (Fa Fb : (R -> Prop) -> Prop) {FFa : Filter Fa} {FFb : Filter Fb}.
Context (base : forall l, 0 < l -> is_RInt_gen (V := R_NormedModule) (fun x => exp (- (l * Rabs x))) Fa Fb (1 / l)).

Lemma half_line_is b small : 0 < b -> forall l, 0 < l ->
  is_RInt_gen (V := R_NormedModule) (fun x => exp (- (l * Rabs x)) * letters_at b x small) Fa Fb (half_line l b small).
Proof.
  intros Hb; assert (I : 0 < / b) by now apply Rinv_0_lt_compat.
  induction small as [|s small IH]; intros l Hl; cbn [letters_at half_line].
  - replace (fun x => exp (- (l * Rabs x)) * 1) with (fun x => exp (- (l * Rabs x))) by (apply functional_extensionality; intros; ring).
    now apply base.
  - pose proof (is_RInt_gen_scal (V := R_NormedModule) (Fa := Fa) (Fb := Fb) _ (/ 2) _ (IH (l + / b) ltac:(lra))) as H.
    assert (E : forall x, exp (- ((l + / b) * Rabs x)) = exp (- (l * Rabs x)) * exp (- (/ b * Rabs x)))
      by (intros x; rewrite <- exp_plus; f_equal; ring).
    destruct s.
    + replace (fun x => exp (- (l * Rabs x)) * (exp (- (/ b * Rabs x)) / 2 * letters_at b x small))
        with (fun x => scal (/ 2) (exp (- ((l + / b) * Rabs x)) * letters_at b x small)).
      * replace (half_line (l + / b) b small / 2) with (scal (/ 2) (half_line (l + / b) b small)) by (in_reals; field).
        exact H.
      * apply functional_extensionality; intros x; in_reals; rewrite E; field.
    + pose proof (is_RInt_gen_minus (V := R_NormedModule) (Fa := Fa) (Fb := Fb) _ _ _ _ (IH l Hl) H) as D.
      replace (fun x => exp (- (l * Rabs x)) * ((1 - exp (- (/ b * Rabs x)) / 2) * letters_at b x small))
        with (fun x => minus (exp (- (l * Rabs x)) * letters_at b x small) (scal (/ 2) (exp (- ((l + / b) * Rabs x)) * letters_at b x small))).
      * replace (half_line l b small - half_line (l + / b) b small / 2)
          with (minus (half_line l b small) (scal (/ 2) (half_line (l + / b) b small)))
          by (in_reals; field).
        exact D.
      * apply functional_extensionality; intros x; in_reals.
        rewrite E; field.
Qed.
End Halves.

Lemma tail_small l e : 0 < l -> 0 < e -> exists T, 0 <= T /\ forall t, T < t -> exp (- (l * t)) / l < e.
Proof.
  intros Hl He; exists (Rmax 0 (- ln (e * l) / l)); split; [apply Rmax_l|]; intros t Ht.
  assert (P : 0 < e * l) by now apply Rmult_lt_0_compat.
  assert (L : - ln (e * l) / l < t) by (eapply Rle_lt_trans; [apply Rmax_r | exact Ht]).
  apply (Rmult_lt_compat_l l) in L; [|exact Hl]; replace (l * (- ln (e * l) / l)) with (- ln (e * l)) in L by (field; lra).
  apply (Rmult_lt_reg_r l); [exact Hl|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  rewrite <- (exp_ln (e * l) P); apply exp_increasing; lra.
Qed.

Lemma right_base l : 0 < l ->
  is_RInt_gen (V := R_NormedModule) (fun x => exp (- (l * Rabs x))) (at_point 0) (Rbar_locally p_infty) (1 / l).
Proof.
  intros Hl P [e HP]; destruct (tail_small l e Hl (cond_pos e)) as (T & HT & S).
  exists (fun a => a = 0) (fun b => T < b); [easy | exists T; easy|].
  intros a b -> Hb; eexists; split; [apply (right_half l b Hl); cbn in Hb |- *; lra|].
  apply HP; change (Rabs ((1 - exp (- (l * b))) / l - 1 / l) < e); specialize (S b Hb); pose proof (exp_pos (- (l * b))).
  replace ((1 - exp (- (l * b))) / l - 1 / l) with (- (exp (- (l * b)) / l)) by (field; lra).
  rewrite Rabs_Ropp, Rabs_right; [exact S|]; apply Rle_ge, Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
Qed.

Lemma left_base l : 0 < l ->
  is_RInt_gen (V := R_NormedModule) (fun x => exp (- (l * Rabs x))) (Rbar_locally m_infty) (at_point 0) (1 / l).
Proof.
  intros Hl P [e HP]; destruct (tail_small l e Hl (cond_pos e)) as (T & HT & S).
  exists (fun a => a < - T) (fun b => b = 0); [exists (- T); easy | easy|].
  intros a b Ha ->; exists ((1 - exp (- (l * - a))) / l); split.
  { pose proof (left_half l (- a) Hl ltac:(lra)) as Q; rewrite Ropp_involutive in Q; exact Q. }
  apply HP; change (Rabs ((1 - exp (- (l * - a))) / l - 1 / l) < e); specialize (S (- a) ltac:(lra)); pose proof (exp_pos (- (l * - a))).
  replace ((1 - exp (- (l * - a))) / l - 1 / l) with (- (exp (- (l * - a)) / l)) by (field; lra).
  rewrite Rabs_Ropp, Rabs_right; [exact S|]; apply Rle_ge, Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
Qed.

Definition seen (answers : list R) (report : list bool) : list bool := firstn (length answers) report.

Lemma compared_at_zero b x r : 0 < b -> compared b x 0 r =
  if Rle_dec x 0 then (if r then 1 - exp (- (/ b * Rabs x)) / 2 else exp (- (/ b * Rabs x)) / 2)
  else (if r then exp (- (/ b * Rabs x)) / 2 else 1 - exp (- (/ b * Rabs x)) / 2).
Proof.
  intros Hb; assert (I : 0 < / b) by (now apply Rinv_0_lt_compat).
  unfold compared, laplace_cdf; replace ((x - 0) / b) with (x / b) by (rewrite Rminus_0_r; reflexivity).
  destruct (Rle_dec x 0) as [H|H].
  - assert (x * / b <= 0 * / b) by (apply Rmult_le_compat_r; lra).
    destruct (Rle_dec (x / b) 0) as [_|N]; [|exfalso; apply N; unfold Rdiv; lra].
    rewrite Rabs_left1 by lra; replace (- (/ b * - x)) with (x / b) by (unfold Rdiv; ring); destruct r; reflexivity.
  - assert (0 < x * / b) by (apply Rmult_lt_0_compat; lra).
    destruct (Rle_dec (x / b) 0) as [N|_]; [exfalso; unfold Rdiv in N; lra|].
    rewrite Rabs_right by lra; replace (- (/ b * x)) with (- (x / b)) by (unfold Rdiv; ring); destruct r; [ring | reflexivity].
Qed.

Lemma all_at_zero b x : 0 < b -> forall report answers, List.Forall (eq 0) answers -> all_compared b answers report x =
  letters_at b x (if Rle_dec x 0 then map negb (seen answers report) else seen answers report).
Proof.
  intros Hb; induction report as [|r report IH]; intros answers H; destruct H as [|q answers <- H];
    try (destruct Rle_dec; reflexivity).
  cbn [all_compared]; rewrite IH, compared_at_zero by assumption; unfold seen; cbn [length firstn].
  destruct (Rle_dec x 0), r; reflexivity.
Qed.

Theorem report_at_zero b1 b2 answers report : 0 < b1 -> 0 < b2 -> List.Forall (eq 0) answers ->
  report_probability b1 b2 answers report
  = (half_line (/ b1) b2 (map negb (seen answers report)) + half_line (/ b1) b2 (seen answers report)) / (2 * b1).
Proof.
  intros H1 H2 Z; assert (I : 0 < / b1) by now apply Rinv_0_lt_compat.
  pose proof (is_RInt_gen_scal (V := R_NormedModule) (Fa := Rbar_locally m_infty) (Fb := at_point 0) _ (/ (2 * b1)) _
    (half_line_is (Rbar_locally m_infty) (at_point 0) left_base b2 (map negb (seen answers report)) H2 (/ b1) I)) as L.
  pose proof (is_RInt_gen_scal (V := R_NormedModule) (Fa := at_point 0) (Fb := Rbar_locally p_infty) _ (/ (2 * b1)) _
    (half_line_is (at_point 0) (Rbar_locally p_infty) right_base b2 (seen answers report) H2 (/ b1) I)) as R.
  assert (E : forall x small, threshold_density b1 x * letters_at b2 x small = scal (/ (2 * b1)) (exp (- (/ b1 * Rabs x)) * letters_at b2 x small)).
  { intros x small; in_reals; unfold threshold_density, Rdiv; rewrite (Rmult_comm (/ b1)); ring. }
  apply line_is; replace ((half_line (/ b1) b2 (map negb (seen answers report)) + half_line (/ b1) b2 (seen answers report)) / (2 * b1))
    with (plus (scal (/ (2 * b1)) (half_line (/ b1) b2 (map negb (seen answers report)))) (scal (/ (2 * b1)) (half_line (/ b1) b2 (seen answers report))))
    by (in_reals; field; lra).
  apply (is_RInt_gen_Chasles (V := R_NormedModule) (report_density b1 b2 answers report) 0).
  - eapply is_RInt_gen_ext; [|exact L]; exists (fun a => a < 0) (fun b => b = 0); [exists 0; easy | easy|].
    intros a b Ha -> x; cbn; rewrite Rmin_left, Rmax_right by lra; intros Hx; rewrite <- E; unfold report_density.
    rewrite all_at_zero by assumption; destruct (Rle_dec x 0); [reflexivity | lra].
  - eapply is_RInt_gen_ext; [|exact R]; exists (fun a => a = 0) (fun b => 0 < b); [easy | exists 0; easy|].
    intros a b -> Hb x; cbn; rewrite Rmin_left, Rmax_right by lra; intros Hx; rewrite <- E; unfold report_density.
    rewrite all_at_zero by assumption; destruct (Rle_dec x 0); [lra | reflexivity].
Qed.
