(** * Noise on a threshold and on answers: the sparse vector technique

    Answers with Laplace noise of scale b2 are compared with a threshold, 0 with Laplace noise of scale b1. The
    probability of a report is an integral over the threshold's noise; integrals are Coquelicot's.
    - [shifted_report]: answers that differ by at most 1 each cost a factor e^(1/b1 + 2 c/b2), c of them above;
    - [monotone_report]: e^(1/b1 + c/b2), where all differ in one direction.

    Source: Dwork and Roth 2014, Section 3.6; Lyu, Su and Li 2017. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
Import ListNotations.
Open Scope R_scope.

(** ** Integrals over the line of functions that are at least 0 *)

Lemma exp_rises x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing | lra]. Qed.

Section Line.
Variables (f : R -> R) (M : R).
Hypotheses (C : forall x, continuous f x) (N : forall x, 0 <= f x) (B : forall a, 0 <= a -> RInt f (- a) a <= M).

Lemma integrable a b : ex_RInt f a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply C. Qed.

Lemma piece_nonnegative a b : a <= b -> 0 <= RInt f a b.
Proof. intros H; apply RInt_ge_0; [exact H | apply integrable | intros; apply N]. Qed.

Lemma wider a a' b' b : a <= a' -> a' <= b' -> b' <= b -> RInt f a' b' <= RInt f a b.
Proof.
  intros H1 H2 H3; pose proof (piece_nonnegative a a' H1); pose proof (piece_nonnegative b' b H3).
  pose proof (RInt_Chasles f a a' b (integrable a a') (integrable a' b)) as E1.
  pose proof (RInt_Chasles f a' b' b (integrable a' b') (integrable b' b)) as E2.
  change (RInt f a a' + RInt f a' b = RInt f a b) in E1; change (RInt f a' b' + RInt f b' b = RInt f a' b) in E2; lra.
Qed.

Lemma line_integral : exists l, is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) l /\
  (forall a, 0 <= a -> RInt f (- a) a <= l) /\ (forall m, (forall a, 0 <= a -> RInt f (- a) a <= m) -> l <= m).
Proof.
  destruct (completeness (fun v => exists a, 0 <= a /\ v = RInt f (- a) a)) as [l [U L]].
  - exists M; intros v (a & Ha & ->); now apply B.
  - exists (RInt f (- 0) 0), 0; split; [lra | reflexivity].
  - assert (U' : forall a, 0 <= a -> RInt f (- a) a <= l) by (intros a Ha; apply U; now exists a).
    exists l; split; [|split; [exact U'|]].
    + intros P [e HP].
      assert (T : exists T, 0 <= T /\ l - e < RInt f (- T) T).
      { apply Classical_Prop.NNPP; intros X.
        assert (l <= l - e); [|pose proof (cond_pos e); lra]; apply L; intros v (a & Ha & ->).
        apply Rnot_lt_le; intros Y; apply X; now exists a. }
      destruct T as (T & HT & Y).
      exists (fun a => a < - T) (fun b => T < b); [exists (- T); easy | exists T; easy|].
      intros a b Ha Hb; exists (RInt f a b); split; [apply (RInt_correct f), integrable|].
      apply HP; change (Rabs (RInt f a b - l) < e).
      pose proof (wider a (- T) T b ltac:(lra) ltac:(lra) ltac:(lra)).
      pose proof (Rmax_l (- a) b); pose proof (Rmax_r (- a) b); set (m := Rmax (- a) b) in *.
      pose proof (wider (- m) a b m ltac:(lra) ltac:(lra) ltac:(lra)); pose proof (U' m ltac:(lra)).
      rewrite Rabs_left1 by lra; lra.
    + intros m H; apply L; intros v (a & Ha & ->); now apply H.
Qed.
End Line.

Definition line (f : R -> R) : R := RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty).

Lemma line_is f l : is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) l -> line f = l.
Proof. intros H; unfold line; now apply (is_RInt_gen_unique (V := R_CompleteNormedModule)). Qed.

(** A shift, and a factor. *)
Theorem line_shifted f g c s M M' : 0 <= c -> (forall x, continuous f x) -> (forall x, continuous g x) ->
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) ->
  (forall a, 0 <= a -> RInt f (- a) a <= M) -> (forall a, 0 <= a -> RInt g (- a) a <= M') ->
  (forall x, f x <= c * g (x + s)) -> line f <= c * line g.
Proof.
  intros Hc Cf Cg Nf Ng Bf Bg H.
  destruct (line_integral f M Cf Nf Bf) as (l & If & _ & L); destruct (line_integral g M' Cg Ng Bg) as (l' & Ig & U & _).
  rewrite (line_is f l If), (line_is g l' Ig); apply L; intros a Ha.
  assert (Cs : forall x, continuous (fun x => g (x + s)) x).
  { intros x; apply (continuous_comp (fun x => x + s) g); [|apply Cg].
    apply (continuous_plus (fun x => x) (fun _ => s)); [apply continuous_id | apply continuous_const]. }
  apply Rle_trans with (RInt (fun x => c * g (x + s)) (- a) a).
  - apply RInt_le; [lra | now apply integrable | | intros; apply H].
    apply (ex_RInt_scal (V := R_NormedModule) (fun x => g (x + s)) _ _ c); now apply integrable.
  - pose proof (RInt_scal (V := R_CompleteNormedModule) (fun x => g (x + s)) (- a) a c (integrable _ Cs _ _)) as E1.
    change (RInt (fun x => c * g (x + s)) (- a) a = c * RInt (fun x => g (x + s)) (- a) a) in E1; rewrite E1.
    apply Rmult_le_compat_l; [exact Hc|].
    pose proof (RInt_comp_lin (V := R_CompleteNormedModule) g 1 s (- a) a (integrable _ Cg _ _)) as E2.
    rewrite (RInt_ext _ (fun x => g (x + s))) in E2
      by (intros y _; change (1 * g (1 * y + s) = g (y + s)); now rewrite !Rmult_1_l).
    rewrite E2, !Rmult_1_l.
    pose proof (Rabs_pos s); pose proof (Rle_abs s); pose proof (Rle_abs (- s)); rewrite Rabs_Ropp in *.
    apply Rle_trans with (RInt g (- (a + Rabs s)) (a + Rabs s)); [|apply U; lra].
    apply (wider g Cg Ng); lra.
Qed.

(** ** Laplace noise *)

Definition laplace_cdf (y : R) : R := if Rle_dec y 0 then exp y / 2 else 1 - exp (- y) / 2.
Definition threshold_density (b x : R) : R := exp (- (Rabs x / b)) / (2 * b).

(** Whether an answer is above or not, the threshold's noise being x. *)
Definition compared (b x q : R) (is_above : bool) : R :=
  if is_above then 1 - laplace_cdf ((x - q) / b) else laplace_cdf ((x - q) / b).
Fixpoint all_compared (b : R) (answers : list R) (report : list bool) (x : R) : R :=
  match answers, report with
  | q :: answers, r :: report => compared b x q r * all_compared b answers report x
  | _, _ => 1
  end.
Definition report_density (b1 b2 : R) (answers : list R) (report : list bool) (x : R) : R :=
  threshold_density b1 x * all_compared b2 answers report x.
Definition report_probability (b1 b2 : R) (answers : list R) (report : list bool) : R :=
  line (report_density b1 b2 answers report).

Lemma cdf_smooth y : laplace_cdf y = exp ((y - Rabs y) / 2) / 2 + (1 - exp (- ((y + Rabs y) / 2))) / 2.
Proof.
  unfold laplace_cdf; destruct Rle_dec.
  - rewrite Rabs_left1 by lra; replace ((y - - y) / 2) with y by field; replace (- ((y + - y) / 2)) with 0 by field.
    rewrite exp_0; field.
  - rewrite Rabs_right by lra; replace ((y - y) / 2) with 0 by field; replace ((y + y) / 2) with y by field.
    rewrite exp_0; field.
Qed.

Lemma continuous_of_exp (h : R -> R) x : continuous h x -> continuous (fun x => exp (h x)) x.
Proof. intros H; apply (continuous_comp h exp); [exact H|]; apply continuous_exp. Qed.

Lemma continuous_halved (h : R -> R) x : continuous h x -> continuous (fun x => h x / 2) x.
Proof. intros H; apply (continuous_mult h (fun _ => / 2)); [exact H | apply continuous_const]. Qed.

Lemma continuous_cdf (h : R -> R) x : continuous h x -> continuous (fun x => laplace_cdf (h x)) x.
Proof.
  intros H; apply (continuous_ext (fun x => exp ((h x - Rabs (h x)) / 2) / 2 + (1 - exp (- ((h x + Rabs (h x)) / 2))) / 2));
    [intros; symmetry; apply cdf_smooth|].
  assert (HA : continuous (fun x => Rabs (h x)) x) by (apply (continuous_comp h Rabs); [exact H | apply continuous_Rabs]).
  apply (continuous_plus (fun x => exp ((h x - Rabs (h x)) / 2) / 2)).
  - apply continuous_halved, continuous_of_exp, continuous_halved; now apply (continuous_minus h).
  - apply continuous_halved, (continuous_minus (fun _ => 1)); [apply continuous_const|].
    apply continuous_of_exp, (continuous_opp (fun x => (h x + Rabs (h x)) / 2)), continuous_halved; now apply (continuous_plus h).
Qed.

Lemma continuous_compared b q r x : continuous (fun x => compared b x q r) x.
Proof.
  assert (H : continuous (fun x => laplace_cdf ((x - q) / b)) x).
  { apply continuous_cdf, (continuous_mult (fun x => x - q) (fun _ => / b)); [|apply continuous_const].
    apply (continuous_minus (V := R_NormedModule) (fun x => x) (fun _ => q)); [apply continuous_id | apply continuous_const]. }
  unfold compared; destruct r; [|exact H].
  apply (continuous_minus (V := R_NormedModule) (fun _ => 1) (fun x => laplace_cdf ((x - q) / b))); [apply continuous_const | exact H].
Qed.

Lemma continuous_all b report : forall answers x, continuous (all_compared b answers report) x.
Proof.
  induction report as [|r report IH]; intros [|q answers] x; try apply continuous_const.
  apply (continuous_mult (fun x => compared b x q r)); [apply continuous_compared | apply IH].
Qed.

Lemma continuous_threshold b x : continuous (threshold_density b) x.
Proof.
  apply (continuous_mult (fun x => exp (- (Rabs x / b))) (fun _ => / (2 * b))); [|apply continuous_const].
  apply continuous_of_exp, (continuous_opp (fun x => Rabs x / b)).
  apply (continuous_mult Rabs (fun _ => / b)); [apply continuous_Rabs | apply continuous_const].
Qed.

Lemma continuous_report b1 b2 answers report x : continuous (report_density b1 b2 answers report) x.
Proof. apply (continuous_mult (threshold_density b1)); [apply continuous_threshold | apply continuous_all]. Qed.

Lemma cdf_between y : 0 <= laplace_cdf y <= 1.
Proof.
  unfold laplace_cdf; destruct Rle_dec.
  - pose proof (exp_pos y); pose proof (exp_rises y 0 ltac:(lra)); rewrite exp_0 in *; lra.
  - pose proof (exp_pos (- y)); pose proof (exp_rises (- y) 0 ltac:(lra)); rewrite exp_0 in *; lra.
Qed.

Lemma compared_between b x q r : 0 <= compared b x q r <= 1.
Proof. unfold compared; pose proof (cdf_between ((x - q) / b)); destruct r; lra. Qed.

Lemma all_between b x report : forall answers, 0 <= all_compared b answers report x <= 1.
Proof.
  induction report as [|r report IH]; intros [|q answers]; cbn; try lra.
  pose proof (compared_between b x q r) as [A A']; specialize (IH answers) as [B B']; split; [now apply Rmult_le_pos|].
  apply Rle_trans with (1 * 1); [apply Rmult_le_compat; lra | lra].
Qed.

Lemma threshold_nonnegative b x : 0 < b -> 0 <= threshold_density b x.
Proof. intros H; apply Rmult_le_pos; [apply Rlt_le, exp_pos | apply Rlt_le, Rinv_0_lt_compat; lra]. Qed.

Lemma report_nonnegative b1 b2 answers report x : 0 < b1 -> 0 <= report_density b1 b2 answers report x.
Proof. intros H; apply Rmult_le_pos; [now apply threshold_nonnegative | apply all_between]. Qed.

(** The integrals of e^(-l |x|) over the halves of the line. *)
Lemma right_half l a : 0 < l -> 0 <= a -> is_RInt (fun x => exp (- (l * Rabs x))) 0 a ((1 - exp (- (l * a))) / l).
Proof.
  intros Hl Ha; apply (is_RInt_ext (fun x => exp (- (l * x)))).
  - intros x; rewrite Rmin_left, Rmax_right by lra; intros Hx; rewrite Rabs_right by lra; reflexivity.
  - replace ((1 - exp (- (l * a))) / l) with (minus ((fun x => - exp (- (l * x)) / l) a) ((fun x => - exp (- (l * x)) / l) 0))
      by (unfold minus, plus, opp; cbn; rewrite Rmult_0_r, Ropp_0, exp_0; field; lra).
    apply (is_RInt_derive (fun x => - exp (- (l * x)) / l) (fun x => exp (- (l * x)))).
    + intros x _; auto_derive; [lra | field; lra].
    + intros x _; apply (ex_derive_continuous (fun x => exp (- (l * x)))); auto_derive; easy.
Qed.

Lemma left_half l a : 0 < l -> 0 <= a -> is_RInt (fun x => exp (- (l * Rabs x))) (- a) 0 ((1 - exp (- (l * a))) / l).
Proof.
  intros Hl Ha; apply (is_RInt_ext (fun x => exp (l * x))).
  - intros x; rewrite Rmin_left, Rmax_right by lra; intros Hx; rewrite Rabs_left by lra; f_equal; ring.
  - replace ((1 - exp (- (l * a))) / l) with (minus ((fun x => exp (l * x) / l) 0) ((fun x => exp (l * x) / l) (- a)))
      by (unfold minus, plus, opp; cbn; rewrite Rmult_0_r, exp_0; replace (l * - a) with (- (l * a)) by ring; field; lra).
    apply (is_RInt_derive (fun x => exp (l * x) / l) (fun x => exp (l * x))).
    + intros x _; auto_derive; [lra | field; lra].
    + intros x _; apply (ex_derive_continuous (fun x => exp (l * x))); auto_derive; easy.
Qed.

Lemma threshold_bounded b a : 0 < b -> 0 <= a -> RInt (threshold_density b) (- a) a <= 1.
Proof.
  intros Hb Ha; assert (Hl : 0 < / b) by now apply Rinv_0_lt_compat.
  set (w := (1 - exp (- (/ b * a))) / (/ b)).
  assert (I : is_RInt (threshold_density b) (- a) a (scal (/ (2 * b)) (plus w w))).
  { apply (is_RInt_ext (fun x => scal (/ (2 * b)) (exp (- (/ b * Rabs x))))).
    - intros x _; unfold threshold_density, scal; cbn; unfold mult; cbn; rewrite (Rmult_comm (/ b)); unfold Rdiv; ring.
    - apply (is_RInt_scal (V := R_NormedModule)), (is_RInt_Chasles (V := R_NormedModule) _ (- a) 0 a); [now apply left_half | now apply right_half]. }
  rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ I); unfold scal, plus, w; cbn; unfold mult; cbn.
  replace (/ (2 * b) * ((1 - exp (- (/ b * a))) / / b + (1 - exp (- (/ b * a))) / / b)) with (1 - exp (- (/ b * a))) by (field; lra).
  pose proof (exp_pos (- (/ b * a))); lra.
Qed.

Lemma report_bounded b1 b2 answers report a : 0 < b1 -> 0 <= a -> RInt (report_density b1 b2 answers report) (- a) a <= 1.
Proof.
  intros Hb Ha; eapply Rle_trans; [|now apply (threshold_bounded b1 a)]; apply RInt_le; [lra | | |].
  - apply integrable; intros; apply continuous_report.
  - apply integrable; intros; apply continuous_threshold.
  - intros x _; unfold report_density; pose proof (threshold_nonnegative b1 x Hb); pose proof (all_between b2 x report answers).
    rewrite <- (Rmult_1_r (threshold_density b1 x)) at 2; apply Rmult_le_compat_l; lra.
Qed.

(** ** What a shift costs *)

Lemma threshold_shifted b x : 0 < b -> threshold_density b x <= exp (1 / b) * threshold_density b (x + 1).
Proof.
  intros Hb; unfold threshold_density, Rdiv; rewrite <- Rmult_assoc, <- exp_plus.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|]; apply exp_rises.
  assert (I : 0 < / b) by now apply Rinv_0_lt_compat.
  pose proof (Rabs_triang x 1); rewrite (Rabs_right 1) in * by lra.
  assert (Rabs (x + 1) * / b <= (Rabs x + 1) * / b) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma cdf_rises y s : 0 <= s -> laplace_cdf y <= laplace_cdf (y + s).
Proof.
  intros Hs; unfold laplace_cdf; destruct (Rle_dec y 0), (Rle_dec (y + s) 0); try lra.
  - pose proof (exp_rises y (y + s) ltac:(lra)); lra.
  - pose proof (exp_rises y 0 ltac:(lra)); pose proof (exp_rises (- (y + s)) 0 ltac:(lra)); rewrite exp_0 in *; lra.
  - pose proof (exp_rises (- (y + s)) (- y) ltac:(lra)); lra.
Qed.

Lemma tail_falls y s : 0 <= s -> 1 - laplace_cdf y <= exp s * (1 - laplace_cdf (y + s)).
Proof.
  intros Hs; pose proof (exp_rises 0 s Hs) as W; rewrite exp_0 in W; unfold laplace_cdf; destruct (Rle_dec y 0), (Rle_dec (y + s) 0); try lra.
  - pose proof (exp_rises y 0 ltac:(lra)) as U; pose proof (exp_rises (y + s) 0 ltac:(lra)) as V; rewrite exp_0 in U, V.
    rewrite exp_plus in *; set (u := exp y) in *; set (w := exp s) in *.
    assert (0 <= (w - 1) * (1 - u * w)) by (apply Rmult_le_pos; lra); assert (0 <= (w - 1) * (1 - u)) by (apply Rmult_le_pos; lra); lra.
  - replace (exp s * (1 - (1 - exp (- (y + s)) / 2))) with (exp s * exp (- (y + s)) / 2) by field.
    rewrite <- exp_plus; replace (s + - (y + s)) with (- y) by ring.
    pose proof (exp_pos y) as Y; rewrite exp_Ropp; set (u := exp y) in *; clearbody u.
    assert (0 <= (u - 1) * (u - 1) * / u) by (apply Rmult_le_pos; [apply Rle_0_sqr | apply Rlt_le, Rinv_0_lt_compat, Y]).
    replace ((u - 1) * (u - 1) * / u) with (u - 2 + / u) in H by (field; lra); lra.
  - replace (exp s * (1 - (1 - exp (- (y + s)) / 2))) with (exp s * exp (- (y + s)) / 2) by field.
    rewrite <- exp_plus; replace (s + - (y + s)) with (- y) by ring; lra.
Qed.

(** An answer q against q', where the threshold moves by s: above costs e^(t/b), below nothing. *)
Lemma compared_moved b x s q q' t r : 0 < b -> 0 <= s + (q - q') <= t ->
  compared b x q r <= exp ((if r then t else 0) / b) * compared b (x + s) q' r.
Proof.
  intros Hb H; assert (I : 0 < / b) by now apply Rinv_0_lt_compat.
  set (m := (s + (q - q')) / b).
  assert (E : (x + s - q') / b = (x - q) / b + m) by (unfold m; field; lra).
  assert (P : 0 <= m) by (unfold m; apply Rmult_le_pos; lra); unfold compared; rewrite E; destruct r.
  - eapply Rle_trans; [apply (tail_falls _ m P)|]; apply Rmult_le_compat_r.
    + pose proof (cdf_between ((x - q) / b + m)); lra.
    + apply exp_rises; unfold m, Rdiv; apply Rmult_le_compat_r; lra.
  - unfold Rdiv at 2; rewrite Rmult_0_l, exp_0, Rmult_1_l; now apply cdf_rises.
Qed.

Definition count_above (report : list bool) : nat := length (filter (fun r => r) report).

Lemma all_moved b x s t report : 0 < b -> 0 <= t -> forall answers neighbor,
  Forall2 (fun q q' => 0 <= s + (q - q') <= t) answers neighbor ->
  all_compared b answers report x <= exp (INR (count_above report) * t / b) * all_compared b neighbor report (x + s).
Proof.
  intros Hb Ht; assert (I : 0 < / b) by now apply Rinv_0_lt_compat.
  assert (Pos : forall k, 1 <= exp (INR k * t / b)).
  { intros k; rewrite <- exp_0; apply exp_rises; apply Rmult_le_pos; [apply Rmult_le_pos; [apply pos_INR | exact Ht] | lra]. }
  induction report as [|r report IH]; intros answers neighbor H; inversion H as [|q q' l l' Hq Hl E E']; subst; cbn [all_compared].
  1, 2, 3: rewrite Rmult_1_r; apply Pos.
  eapply Rle_trans.
  - apply Rmult_le_compat; [apply compared_between | apply all_between | exact (compared_moved b x s q q' t r Hb Hq) | exact (IH l l' Hl)].
  - right; replace (exp (INR (count_above (r :: report)) * t / b)) with (exp ((if r then t else 0) / b) * exp (INR (count_above report) * t / b)).
    + ring.
    + rewrite <- exp_plus; f_equal; unfold count_above; destruct r; cbn [filter length]; [rewrite S_INR|]; unfold Rdiv; ring.
Qed.

Lemma moved_report b1 b2 s t d c answers neighbor report : 0 < b1 -> 0 < b2 -> 0 <= t -> (count_above report <= c)%nat ->
  (forall x, threshold_density b1 x <= exp d * threshold_density b1 (x + s)) -> 0 <= d ->
  Forall2 (fun q q' => 0 <= s + (q - q') <= t) answers neighbor ->
  report_probability b1 b2 answers report <= exp (d + INR c * t / b2) * report_probability b1 b2 neighbor report.
Proof.
  intros H1 H2 Ht Hc D Hd H; assert (I : 0 < / b2) by now apply Rinv_0_lt_compat.
  apply (line_shifted _ _ _ s 1 1); try (intros; apply continuous_report); try (intros; now apply report_nonnegative);
    try (intros; now apply report_bounded); [apply Rlt_le, exp_pos|].
  intros x; unfold report_density; rewrite exp_plus.
  replace (exp d * exp (INR c * t / b2) * (threshold_density b1 (x + s) * all_compared b2 neighbor report (x + s)))
    with (exp d * threshold_density b1 (x + s) * (exp (INR c * t / b2) * all_compared b2 neighbor report (x + s))) by ring.
  apply Rmult_le_compat; [now apply threshold_nonnegative | apply all_between | apply D|].
  eapply Rle_trans; [exact (all_moved b2 x s t report H2 Ht answers neighbor H)|]; apply Rmult_le_compat_r; [apply all_between|]; apply exp_rises.
  apply le_INR in Hc; unfold Rdiv; apply Rmult_le_compat_r; [lra|]; now apply Rmult_le_compat_r.
Qed.

Lemma pairs_also (P Q : R -> R -> Prop) l l' : (forall q q', P q q' -> Q q q') -> Forall2 P l l' -> Forall2 Q l l'.
Proof. intros H F; induction F; constructor; auto. Qed.

Theorem shifted_report b1 b2 c answers neighbor report : 0 < b1 -> 0 < b2 -> (count_above report <= c)%nat ->
  Forall2 (fun q q' => Rabs (q - q') <= 1) answers neighbor ->
  report_probability b1 b2 answers report <= exp (1 / b1 + INR c * 2 / b2) * report_probability b1 b2 neighbor report.
Proof.
  intros H1 H2 Hc H; apply (moved_report b1 b2 1 2); try assumption; try lra.
  - intros x; now apply threshold_shifted.
  - unfold Rdiv; rewrite Rmult_1_l; now apply Rlt_le, Rinv_0_lt_compat.
  - eapply pairs_also; [|exact H]; cbn; intros q q' A; apply Rabs_le_between in A; lra.
Qed.

Definition near_one_way (answers neighbor : list R) : Prop :=
  Forall2 (fun q q' => 0 <= q' - q <= 1) answers neighbor \/ Forall2 (fun q q' => 0 <= q - q' <= 1) answers neighbor.

Theorem monotone_report b1 b2 c answers neighbor report : 0 < b1 -> 0 < b2 -> (count_above report <= c)%nat ->
  near_one_way answers neighbor ->
  report_probability b1 b2 answers report <= exp (1 / b1 + INR c * 1 / b2) * report_probability b1 b2 neighbor report.
Proof.
  intros H1 H2 Hc [H|H]; assert (I1 : 0 < / b1) by now apply Rinv_0_lt_compat.
  - apply (moved_report b1 b2 1 1); try assumption; try lra; [intros x; now apply threshold_shifted|].
    eapply pairs_also; [|exact H]; cbn; intros; lra.
  - assert (P : 0 <= report_probability b1 b2 neighbor report).
    { destruct (line_integral (report_density b1 b2 neighbor report) 1) as (l & Il & U & _).
      - intros; apply continuous_report.
      - intros; now apply report_nonnegative.
      - intros; now apply report_bounded.
      - unfold report_probability; rewrite (line_is _ l Il); specialize (U 0 ltac:(lra)); rewrite Ropp_0, RInt_point in U; exact U. }
    apply Rle_trans with (exp (0 + INR c * 1 / b2) * report_probability b1 b2 neighbor report).
    + apply (moved_report b1 b2 0 1); try assumption; try lra.
      * intros x; rewrite exp_0, Rplus_0_r; lra.
      * eapply pairs_also; [|exact H]; cbn; intros; lra.
    + apply Rmult_le_compat_r; [exact P|]; apply exp_rises; unfold Rdiv; lra.
Qed.
