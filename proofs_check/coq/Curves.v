(** * Curves of losses: polygons, composition, windows, and zCDP

    A finite law X of losses and a mass w of infinite loss have the curve w + E_X max(0, 1 - E e^(-x)): a polygon in
    E with its corners at e^x. Proved here, for all finite laws:
    - [hockey_stick_convex], [polygon_above]: a privacy curve is convex, so it is below a polygon that is not below it
      at its corners and at 0; [polygon_is_pair]: such a polygon is the privacy curve of a finite pair;
    - [curves_compose], [runs_compose]: steps below two curves, whatever came before, are together below the curve of
      the sums of their losses;
    - [larger_masses], [window_above], [larger_losses]: masses and losses that are rounded up, and what leaves a window
      and becomes infinite or moves up to it, only raise a curve;
    - [renyi_moment], [renyi_to_delta], [zcdp_to_delta], [zcdp_standard]: Rényi divergences, and zCDP, bound delta.

    Source: Doroshenko et al. 2022; Zhu, Dong, Wang 2022, Theorem 10; Canonne, Kamath, Steinke 2020, Proposition 12;
    Bun, Steinke 2016, Proposition 1.3. *)

From Coq Require Import Reals List Lra Lia Sorted.
Require Import ExactDP Composition AdvancedComposition OptimalComposition Renyi.
Import ListNotations.
Open Scope R_scope.

Definition curve (w : R) (X : law R) (E : R) : R := w + mean (fun x => positive_part (1 - E * exp (- x))) X.

(** The losses of two independent draws add up. *)
Definition sums (X Y : law R) : law R := bind X (fun x => image (Rplus x) Y).

Definition convex (H : R -> R) : Prop := forall a b t,
  0 <= a -> 0 <= b -> 0 <= t <= 1 -> H (t * a + (1 - t) * b) <= t * H a + (1 - t) * H b.

Definition falling (H : R -> R) : Prop := forall a b, 0 <= a <= b -> H b <= H a.

Definition below_curve {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (w : R) (X : law R) : Prop :=
  forall E, 0 <= E -> hockey_stick same P Q E <= curve w X E.

Lemma mean_nonnegative {A} (f : A -> R) P : nonnegative P -> (forall a, 0 <= f a) -> 0 <= mean f P.
Proof.
  intros N H; replace 0 with (mean (fun _ : A => 0 * 1) P) by (rewrite mean_scale; ring).
  apply mean_le; [exact N|]; intros a; specialize (H a); lra.
Qed.

Lemma hinge_nonnegative E x : 0 <= positive_part (1 - E * exp (- x)).
Proof. apply positive_part_ge. Qed.

Lemma curve_ge w X E : nonnegative X -> w <= curve w X E.
Proof.
  intros N; unfold curve; pose proof (mean_nonnegative (fun x => positive_part (1 - E * exp (- x))) X N (hinge_nonnegative E)); lra.
Qed.

(** ** Polygons *)

Theorem hockey_stick_convex {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) : convex (hockey_stick same P Q).
Proof.
  intros a b t Ha Hb Ht; apply below_every_event; intros S.
  destruct (hockey_stick_largest same P Q a) as [U _], (hockey_stick_largest same P Q b) as [V _].
  specialize (U S); specialize (V S); apply (Rmult_le_compat_l t) in U; [|lra]; apply (Rmult_le_compat_l (1 - t)) in V; [|lra].
  lra.
Qed.

Lemma hockey_stick_falling {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) :
  nonnegative Q -> falling (hockey_stick same P Q).
Proof. intros N a b H; apply larger_factor; [exact N | apply H]. Qed.

Lemma hockey_stick_at_zero {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) :
  is_law P -> hockey_stick same P Q 0 <= 1.
Proof. intros L; apply below_every_event; intros S; pose proof (prob_between S P L); lra. Qed.

(** Between neighboring corners a polygon is on its chord. *)
Lemma chord_of_curve w X a b t :
  nonnegative X -> 0 <= a -> 0 <= b -> 0 <= t <= 1 -> a <= b ->
  Forall (fun x => exp (fst x) <= a \/ b <= exp (fst x)) X ->
  t * curve w X a + (1 - t) * curve w X b <= curve w X (t * a + (1 - t) * b).
Proof.
  intros N Ha Hb Ht Hab O; unfold curve.
  enough (t * mean (fun x => positive_part (1 - a * exp (- x))) X + (1 - t) * mean (fun x => positive_part (1 - b * exp (- x))) X
    <= mean (fun x => positive_part (1 - (t * a + (1 - t) * b) * exp (- x))) X) by lra.
  induction O as [|[x m] X C O IH]; cbn [mean fst] in *; [lra|]; inversion N as [|? ? Hm N']; subst; cbn in Hm.
  specialize (IH N').
  enough (I : t * positive_part (1 - a * exp (- x)) + (1 - t) * positive_part (1 - b * exp (- x))
    <= positive_part (1 - (t * a + (1 - t) * b) * exp (- x))) by (apply (Rmult_le_compat_l m) in I; [lra | exact Hm]).
  pose proof (exp_pos (- x)) as G; assert (I : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  destruct C as [C|C]; apply (Rmult_le_compat_r (exp (- x))) in C; try lra; rewrite I in C.
  - assert (a * exp (- x) <= b * exp (- x)) by (apply Rmult_le_compat_r; lra).
    unfold positive_part at 1 2; rewrite !Rmax_left by lra.
    pose proof (hinge_nonnegative (t * a + (1 - t) * b) x); lra.
  - assert (a * exp (- x) <= b * exp (- x)) by (apply Rmult_le_compat_r; lra).
    unfold positive_part at 1 2; rewrite !Rmax_right by lra.
    destruct (positive_part_ge (1 - (t * a + (1 - t) * b) * exp (- x))); lra.
Qed.

Lemma curve_beyond w X a :
  Forall (fun x => exp (fst x) <= a) X -> curve w X a = w.
Proof.
  unfold curve; intros H; enough (M : mean (fun x => positive_part (1 - a * exp (- x))) X = 0) by (rewrite M; ring).
  induction H as [|[x m] X C O IH]; cbn [mean fst] in *; [reflexivity|]; rewrite IH.
  pose proof (exp_pos (- x)); assert (I : exp x * exp (- x) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply (Rmult_le_compat_r (exp (- x))) in C; [|lra]; unfold positive_part; rewrite Rmax_left by lra; ring.
Qed.

Lemma polygon_from (H : R -> R) w X : convex H -> falling H -> nonnegative X -> forall knots a,
  0 <= a -> StronglySorted Rle knots -> Forall (fun k => a <= exp k) knots ->
  Forall (fun x => exp (fst x) <= a \/ In (fst x) knots) X -> H a <= curve w X a ->
  Forall (fun k => H (exp k) <= curve w X (exp k)) knots -> forall E, a <= E -> H E <= curve w X E.
Proof.
  intros C F N knots; induction knots as [|k knots IH]; intros a Ha S B I Y K E HE.
  - eapply Rle_trans; [apply (F a E); lra|]; eapply Rle_trans; [exact Y|].
    rewrite curve_beyond; [now apply curve_ge|]; eapply Forall_impl; [|exact I]; intros x [J|[]]; exact J.
  - apply StronglySorted_inv in S as [S L]; inversion B as [|? ? B1 B2]; subst; inversion K as [|? ? K1 K2]; subst.
    destruct (Rle_dec E (exp k)) as [D|D].
    + destruct (Req_dec a (exp k)) as [Z|Z]; [replace E with a by lra; exact Y|].
      set (t := (exp k - E) / (exp k - a)).
      assert (Ht : 0 <= t <= 1).
      { unfold t; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
        apply (Rmult_le_reg_r (exp k - a)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
      replace E with (t * a + (1 - t) * exp k) by (unfold t; field; lra).
      pose proof (exp_pos k); eapply Rle_trans; [apply C; lra|]; eapply Rle_trans; [|apply chord_of_curve; try lra; try assumption].
      * apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
      * eapply Forall_impl; [|exact I]; intros x [J|[->|J]]; [now left | right; lra|right].
        rewrite Forall_forall in L; apply exp_le, L, J.
    + apply (IH (exp k)); try assumption; try lra.
      * eapply Forall_impl; [|exact L]; intros; now apply exp_le.
      * eapply Forall_impl; [|exact I]; intros x [J|[->|J]]; [left; lra | left; lra | now right].
Qed.

Theorem polygon_above (H : R -> R) w X knots :
  convex H -> falling H -> nonnegative X -> StronglySorted Rle knots ->
  Forall (fun x => In (fst x) knots) X -> H 0 <= curve w X 0 ->
  Forall (fun k => H (exp k) <= curve w X (exp k)) knots ->
  forall E, 0 <= E -> H E <= curve w X E.
Proof.
  intros C F N S I Z K; apply (polygon_from H w X C F N knots 0); try assumption; try lra.
  - apply Forall_forall; intros; apply Rlt_le, exp_pos.
  - eapply Forall_impl; [|exact I]; now right.
Qed.

(** The pair of a polygon: None is the infinite loss, and Some None what only the second law has. *)
Definition with_record (w : R) (X : law R) : law (option (option R)) :=
  (None, w) :: image (fun x => Some (Some x)) X.
Definition without_record (X : law R) : law (option (option R)) :=
  (Some None, 1 - mean (fun x => exp (- x)) X) :: map (fun x => (Some (Some (fst x)), snd x * exp (- fst x))) X.

Theorem polygon_is_pair w X (same : forall x y : option (option R), {x = y} + {x <> y}) :
  0 <= w -> nonnegative X -> w + mean (fun _ => 1) X = 1 -> mean (fun x => exp (- x)) X <= 1 ->
  is_law (with_record w X) /\ is_law (without_record X) /\
  forall E, 0 <= E -> hockey_stick same (with_record w X) (without_record X) E = curve w X E.
Proof.
  intros Hw N M1 M2.
  assert (F : forall f, mean f (without_record X) = f (Some None) * (1 - mean (fun x => exp (- x)) X)
    + mean (fun x => exp (- x) * f (Some (Some x))) X).
  { intros f; unfold without_record; cbn [mean]; f_equal; [ring|]; clear; induction X as [|[x m] X IH]; cbn; [ring | rewrite IH; ring]. }
  assert (G : forall f, mean f (with_record w X) = w * f None + mean (fun x => f (Some (Some x))) X)
    by (intros f; unfold with_record; cbn [mean]; now rewrite mean_image).
  repeat split.
  - constructor; [exact Hw | now apply nonnegative_image].
  - rewrite G; lra.
  - constructor; [cbn; lra|]; clear -N; induction N as [|[x m] X Hm N IH]; constructor; [|exact IH]; cbn in *.
    apply Rmult_le_pos; [exact Hm | apply Rlt_le, exp_pos].
  - rewrite F, (mean_ext (fun x => exp (- x) * 1) (fun x => exp (- x))) by (intros; ring); ring.
  - intros E HE; apply Rle_antisym; [apply below_every_event; intros S; enough (prob S (with_record w X) - E * prob S (without_record X) <= curve w X E) by lra|].
    + unfold prob; rewrite F, G, Rmult_plus_distr_l, <- mean_scale.
      assert (mean (fun x => indicator S (Some (Some x))) X - mean (fun x => E * (exp (- x) * indicator S (Some (Some x)))) X
        <= mean (fun x => positive_part (1 - E * exp (- x))) X).
      { replace (mean (fun x => indicator S (Some (Some x))) X - mean (fun x => E * (exp (- x) * indicator S (Some (Some x)))) X)
          with (mean (fun x => indicator S (Some (Some x)) + (-1) * (E * (exp (- x) * indicator S (Some (Some x))))) X)
          by (rewrite mean_plus, mean_scale; ring).
        apply mean_le; [exact N|]; intros x; destruct (positive_part_ge (1 - E * exp (- x))).
        unfold indicator; destruct (S (Some (Some x))); lra. }
      assert (0 <= E * (indicator S (Some None) * (1 - mean (fun x => exp (- x)) X))).
      { apply Rmult_le_pos; [exact HE|]; apply Rmult_le_pos; unfold indicator; [destruct (S (Some None))|]; lra. }
      assert (w * indicator S None <= w) by (unfold indicator; destruct (S None); lra).
      unfold curve; lra.
    + set (S := fun y => match y with None => true | Some None => false
        | Some (Some x) => if Rle_dec 0 (1 - E * exp (- x)) then true else false end).
      destruct (hockey_stick_largest same (with_record w X) (without_record X) E) as [U _]; eapply Rle_trans; [|apply (U S)].
      unfold prob; rewrite F, G; unfold curve; cbn [S].
      replace (E * (indicator S (Some None) * (1 - mean (fun x => exp (- x)) X) + mean (fun x => exp (- x) * indicator S (Some (Some x))) X))
        with (mean (fun x => E * (exp (- x) * indicator S (Some (Some x)))) X) by (rewrite mean_scale; unfold indicator at 2; cbn; ring).
      replace (w * indicator S None) with w by (unfold indicator; cbn; ring).
      right; unfold Rminus at 2; rewrite Rplus_assoc; f_equal.
      replace (- mean (fun x => E * (exp (- x) * indicator S (Some (Some x)))) X)
        with (mean (fun x => (-1) * (E * (exp (- x) * indicator S (Some (Some x))))) X) by (rewrite mean_scale; ring).
      rewrite <- mean_plus; apply mean_ext; intros x; unfold indicator, S, positive_part.
      destruct Rle_dec; [rewrite Rmax_right | rewrite Rmax_left]; lra.
Qed.

(** ** Composition *)

Lemma curve_sums w v X Y E :
  curve (w + v * mean (fun _ => 1) Y) (sums X Y) E
  = w + mean (fun y => curve v X (E * exp (- y))) Y.
Proof.
  unfold curve, sums; rewrite mean_bind, mean_plus.
  rewrite (mean_ext (fun _ => v) (fun _ => v * 1) Y) by (intros; ring); rewrite mean_scale, Rplus_assoc.
  do 2 f_equal; rewrite (mean_swap (fun y x => positive_part (1 - E * exp (- y) * exp (- x)))); apply mean_ext; intros x.
  rewrite mean_image; apply mean_ext; intros y; do 2 f_equal; rewrite Rmult_assoc, <- exp_plus; do 2 f_equal; ring.
Qed.

Theorem curves_compose {A B} (sameA : forall x y : A, {x = y} + {x <> y}) (sameB : forall x y : B, {x = y} + {x <> y})
    sameAB (P Q : law A) (K L : A -> law B) v X w Y :
  is_law P -> nonnegative Q -> (forall a, nonnegative (L a)) -> nonnegative Y -> 0 <= w ->
  below_curve sameA P Q v X -> (forall a, below_curve sameB (K a) (L a) w Y) ->
  below_curve sameAB (followed P K) (followed Q L) (w + v * mean (fun _ => 1) Y) (sums X Y).
Proof.
  intros LP NQ NL NY Hw HX HY E HE; destruct (outcomes_carry sameA P Q) as [CP CQ].
  rewrite (followed_divergence sameA sameB sameAB _ P Q K L E CP CQ), curve_sums.
  set (xs := outcomes sameA P Q) in *.
  apply Rle_trans with (total (map (fun a => w * mass sameA P a
    + mean (fun y => positive_part (mass sameA P a - E * exp (- y) * mass sameA Q a)) Y) xs)).
  - apply total_le; intros a; pose proof (mass_nonnegative sameA P a (proj1 LP)) as P0.
    pose proof (mass_nonnegative sameA Q a NQ) as Q0; assert (EQ : 0 <= E * mass sameA Q a) by (now apply Rmult_le_pos).
    set (p := mass sameA P a) in *; set (q := mass sameA Q a) in *.
    assert (M : 0 <= mean (fun y => positive_part (p - E * exp (- y) * q)) Y)
      by (apply mean_nonnegative; [exact NY | intros; apply positive_part_ge]).
    destruct (Req_dec p 0) as [Z|Z].
    + rewrite Z in *; apply Rle_trans with 0; [|lra]; apply below_every_event; intros S; rewrite prob_weighted.
      pose proof (prob_nonnegative S (L a) (NL a)); assert (0 <= E * q * prob S (L a)) by (now apply Rmult_le_pos); lra.
    + rewrite hockey_stick_weighted by lra.
      apply Rle_trans with (p * curve w Y (E * q / p)).
      * apply Rmult_le_compat_l; [exact P0|]; apply HY; apply Rmult_le_pos; [exact EQ | apply Rlt_le, Rinv_0_lt_compat; lra].
      * unfold curve; rewrite Rmult_plus_distr_l, <- mean_scale, (Rmult_comm p w); apply Rplus_le_compat_l; right.
        apply mean_ext; intros y; unfold positive_part; rewrite <- RmaxRmult, Rmult_0_r by exact P0; f_equal; field; exact Z.
  - rewrite total_plus, total_scale; apply Rplus_le_compat.
    + destruct CP as [_ CP]; rewrite (total_ext (mass sameA P) (fun a => 1 * mass sameA P a)) by (intros; ring).
      rewrite <- (CP (fun _ => 1)), (proj2 LP); lra.
    + rewrite <- (mean_total (fun y a => positive_part (mass sameA P a - E * exp (- y) * mass sameA Q a))).
      apply mean_le; [exact NY|]; intros y; apply (HX (E * exp (- y))); apply Rmult_le_pos; [exact HE | apply Rlt_le, exp_pos].
Qed.

Lemma sums_nonnegative X Y : nonnegative X -> nonnegative Y -> nonnegative (sums X Y).
Proof. intros NX NY; apply nonnegative_bind; [exact NX | intros; now apply nonnegative_image]. Qed.

Lemma run_app {A} (Ks Ls : list (list A -> law A)) past (f : list A -> R) :
  mean f (run (Ks ++ Ls) past) = mean f (bind (run Ks past) (run Ls)).
Proof.
  revert past; induction Ks as [|K Ks IH]; intros past; cbn [app run].
  - rewrite mean_bind; cbn; ring.
  - rewrite !mean_bind; apply mean_ext; intros a; now rewrite IH, mean_bind.
Qed.

Definition all_laws {A} (Ks : list (list A -> law A)) : Prop := Forall (fun K => forall past, is_law (K past)) Ks.

Definition runs_below {A} (same : forall x y : A, {x = y} + {x <> y}) (Ks Ls : list (list A -> law A)) (w : R) (X : law R) : Prop :=
  forall past, below_curve (list_eq_dec same) (run Ks past) (run Ls past) w X.

Theorem runs_compose {A} (same : forall x y : A, {x = y} + {x <> y}) (Ks Ls Ks' Ls' : list (list A -> law A)) v X w Y :
  all_laws Ks -> all_laws Ls -> all_laws Ls' -> nonnegative Y -> 0 <= w ->
  runs_below same Ks Ls v X -> runs_below same Ks' Ls' w Y ->
  runs_below same (Ks ++ Ks') (Ls ++ Ls') (w + v * mean (fun _ => 1) Y) (sums X Y).
Proof.
  intros LK LL LL' NY Hw HX HY past E HE.
  assert (two : forall x y : list A * list A, {x = y} + {x <> y}) by (decide equality; apply (list_eq_dec same)).
  assert (F : forall (Ms Ns : list (list A -> law A)) f,
    mean f (run (Ms ++ Ns) past) = mean f (image snd (followed (run Ms past) (run Ns)))).
  { intros Ms Ns f; rewrite run_app; unfold followed; rewrite mean_image, !mean_bind; apply mean_ext; intros a; now rewrite mean_image. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F Ks Ks') (F Ls Ls')).
  eapply Rle_trans; [apply (post_processing two)|].
  apply (curves_compose (list_eq_dec same) (list_eq_dec same) two); try assumption.
  - now apply run_is_law.
  - now apply (run_is_law Ls past).
  - intros a; now apply (run_is_law Ls' a).
  - apply HX.
Qed.

(** ** Rounding up, and windows *)

Theorem larger_masses w X v Y E :
  w <= v -> Forall2 (fun x y => fst x = fst y /\ snd x <= snd y) X Y -> curve w X E <= curve v Y E.
Proof.
  intros H F; unfold curve; apply Rplus_le_compat; [exact H|].
  induction F as [|[x m] [y n] X Y [A B] F IH]; cbn [mean fst snd] in *; [lra|]; subst y.
  pose proof (Rmult_le_compat_r _ _ _ (hinge_nonnegative E x) B); lra.
Qed.

Theorem larger_losses w X Y E :
  0 <= E -> nonnegative X -> Forall2 (fun x y => fst x <= fst y /\ snd x = snd y) X Y -> curve w X E <= curve w Y E.
Proof.
  intros HE N F; unfold curve; apply Rplus_le_compat_l; revert N.
  induction F as [|[x m] [y n] X Y [A B] F IH]; cbn [mean fst snd] in *; intros N; [lra|]; subst n.
  inversion N as [|? ? Hm N']; subst; cbn in Hm; specialize (IH N').
  enough (I : positive_part (1 - E * exp (- x)) <= positive_part (1 - E * exp (- y)))
    by (apply (Rmult_le_compat_l m) in I; [lra | exact Hm]).
  pose proof (Rmult_le_compat_l E _ _ HE (exp_le (- y) (- x) ltac:(lra))); unfold positive_part.
  apply Rle_max_compat_l; lra.
Qed.

(** What leaves a window becomes infinite. *)
Theorem window_above w X Y E : 0 <= E -> nonnegative Y -> curve w (X ++ Y) E <= curve (w + mean (fun _ => 1) Y) X E.
Proof.
  intros HE N; unfold curve; rewrite mean_app.
  enough (mean (fun x => positive_part (1 - E * exp (- x))) Y <= mean (fun _ => 1) Y) by lra.
  apply mean_le; [exact N|]; intros x; unfold positive_part; apply Rmax_lub; [lra|].
  pose proof (Rmult_le_pos E (exp (- x)) HE ltac:(apply Rlt_le, exp_pos)); lra.
Qed.

(** ** Rényi divergences and zCDP *)

(** A Rényi divergence of order a that is at most r is a moment that is at most e^((a-1) r). *)
Theorem renyi_moment {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) a r :
  1 < a -> is_law P -> nonnegative Q -> (forall y, 0 < mass same P y -> 0 < mass same Q y) ->
  renyi same a P Q <= r -> moment_below a P Q (exp ((a - 1) * r)).
Proof.
  intros Ha LP NQ S H h; destruct (outcomes_carry same P Q) as [[_ CP] [_ CQ]].
  unfold renyi in H; destruct (Req_EM_T a 1); [lra|].
  set (m := mean (fun y => exp ((a - 1) * loss same P Q y)) P) in *.
  assert (M : m <= exp ((a - 1) * r)).
  { assert (0 < m) by (now apply mean_exp_positive); rewrite <- (exp_ln m) by assumption; apply exp_le.
    apply (Rmult_le_compat_l (a - 1)) in H; [|lra]; replace ((a - 1) * (ln m / (a - 1))) with (ln m) in H by (field; lra); exact H. }
  eapply Rle_trans; [|exact M]; unfold m; rewrite !CP, CQ, <- !total_scale.
  apply Rle_trans with (total (map (fun y => a * (exp ((a - 1) * h y) * mass same P y)
    + (-1) * ((a - 1) * (exp (a * h y) * mass same Q y))) (outcomes same P Q))); [rewrite total_plus, (total_scale (-1)); lra|].
  apply total_le; intros y.
  pose proof (mass_nonnegative same P y (proj1 LP)) as P0; pose proof (mass_nonnegative same Q y NQ) as Q0.
  set (p := mass same P y) in *; set (q := mass same Q y) in *.
  destruct (Req_dec p 0) as [Z|Z].
  - rewrite Z; pose proof (Rmult_le_pos (a - 1) (exp (a * h y) * q) ltac:(lra)
      ltac:(apply Rmult_le_pos; [apply Rlt_le, exp_pos | exact Q0])); lra.
  - assert (Pp : 0 < p) by lra; assert (Qp : 0 < q) by (now apply S).
    pose proof (one_outcome a (ln p) (ln q) (h y) ltac:(lra)) as O.
    rewrite !(exp_plus (ln _)), !exp_ln in O by assumption.
    replace (exp (a * ln p + (1 - a) * ln q)) with (exp ((a - 1) * loss same P Q y) * p) in O; [lra|].
    rewrite <- (exp_ln p) at 1 by exact Pp; rewrite <- exp_plus; f_equal; unfold loss; fold p q.
    unfold Rdiv; rewrite ln_mult, ln_Rinv by (assumption || now apply Rinv_0_lt_compat); ring.
Qed.

Theorem renyi_to_delta {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) a M eps :
  1 < a -> nonnegative P -> is_law Q -> moment_below a P Q M ->
  hockey_stick same P Q (exp eps) <= M * exp (- ((a - 1) * eps)) * Rpower (1 - / a) a / (a - 1).
Proof.
  intros Ha NP LQ H; apply below_every_event; intros S.
  set (l := ln (1 - / a)); set (c := eps - l); set (p := prob S P); set (q := prob S Q).
  assert (I : 0 < / a < 1).
  { split; [apply Rinv_0_lt_compat; lra|]; apply (Rmult_lt_reg_l a); [lra|]; rewrite Rinv_r by lra; lra. }
  assert (El : exp l = (a - 1) / a) by (unfold l; rewrite exp_ln by lra; field; lra).
  assert (K : a * exp ((a - 1) * c) * p - (a - 1) * exp (a * c) * q <= M).
  { apply Rnot_lt_le; intros D; set (d := a * exp ((a - 1) * c) * p - (a - 1) * exp (a * c) * q - M) in *.
    assert (D0 : 0 < d) by (unfold d; lra).
    (* Outside of the event the function is so low that it has at most half of d. *)
    set (n := ln (d / (2 * (a - 1))) / a); specialize (H (fun y => if S y then c else n)); cbv beta in H.
    assert (En : (a - 1) * exp (a * n) = d / 2).
    { unfold n; replace (a * (ln (d / (2 * (a - 1))) / a)) with (ln (d / (2 * (a - 1)))) by (field; lra).
      rewrite exp_ln by (apply Rdiv_lt_0_compat; lra); field; lra. }
    assert (L1 : exp ((a - 1) * c) * p <= mean (fun y => exp ((a - 1) * (if S y then c else n))) P).
    { unfold p, prob; rewrite <- mean_scale; apply mean_le; [exact NP|]; intros y; unfold indicator.
      destruct (S y); [lra|]; pose proof (exp_pos ((a - 1) * n)); lra. }
    assert (L2 : mean (fun y => exp (a * (if S y then c else n))) Q <= exp (a * c) * q + exp (a * n)).
    { unfold q, prob; rewrite <- (Rmult_1_r (exp (a * n))), <- (proj2 LQ), <- !mean_scale, <- mean_plus.
      apply mean_le; [apply LQ|]; intros y; unfold indicator; pose proof (exp_pos (a * n)); destruct (S y); lra. }
    apply (Rmult_le_compat_l a) in L1; [|lra]; apply (Rmult_le_compat_l (a - 1)) in L2; [|lra]; unfold d in *; lra. }
  pose proof (exp_pos ((a - 1) * c)) as G; set (g := exp ((a - 1) * c)) in *.
  assert (Ec : (a - 1) * exp (a * c) = a * g * exp eps).
  { replace (a * c) with ((a - 1) * c + eps + - l) by (unfold c; ring).
    rewrite !exp_plus, exp_Ropp, El; fold g; field; lra. }
  rewrite Ec in K.
  replace (M * exp (- ((a - 1) * eps)) * Rpower (1 - / a) a / (a - 1)) with (M * / (a * g)).
  - assert (J : p - exp eps * q <= M * / (a * g)); [|lra].
    apply (Rmult_le_reg_l (a * g)); [apply Rmult_lt_0_compat; lra|].
    replace (a * g * (M * / (a * g))) with M by (field; lra); lra.
  - unfold Rpower; fold l; replace (a * l) with ((a - 1) * l + l) by ring; rewrite exp_plus, El.
    replace (M * exp (- ((a - 1) * eps)) * (exp ((a - 1) * l) * ((a - 1) / a)) / (a - 1))
      with (M * (exp (- ((a - 1) * eps)) * exp ((a - 1) * l)) * / a) by (field; lra).
    rewrite <- exp_plus; replace (- ((a - 1) * eps) + (a - 1) * l) with (- ((a - 1) * c)) by (unfold c; ring).
    rewrite exp_Ropp; fold g; field; lra.
Qed.

(** rho-zCDP: the Rényi divergence of every order a is at most a rho. *)
Definition concentrated {A} (rho : R) (P Q : law A) : Prop :=
  forall a, 1 < a -> moment_below a P Q (exp ((a - 1) * (a * rho))).

Theorem zcdp_to_delta {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) rho a eps :
  1 < a -> nonnegative P -> is_law Q -> concentrated rho P Q ->
  hockey_stick same P Q (exp eps) <= exp ((a - 1) * (a * rho - eps)) * Rpower (1 - / a) a / (a - 1).
Proof.
  intros Ha NP LQ H; eapply Rle_trans; [apply (renyi_to_delta same P Q a _ eps Ha NP LQ (H a Ha))|].
  rewrite <- exp_plus; right; do 3 f_equal; ring.
Qed.

Theorem zcdp_standard {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) rho d :
  0 < rho -> 0 < d < 1 -> nonnegative P -> is_law Q -> concentrated rho P Q ->
  hockey_stick same P Q (exp (rho + 2 * sqrt (rho * ln (/ d)))) <= d.
Proof.
  intros Hr Hd NP LQ H; set (l := ln (/ d)).
  assert (Hl : 0 < l).
  { unfold l; rewrite <- ln_1; apply ln_increasing; [lra|]; apply (Rmult_lt_reg_l d); [lra|]; rewrite Rinv_r by lra; lra. }
  set (s := sqrt (l / rho)); assert (Hs : 0 < s) by (apply sqrt_lt_R0; apply Rdiv_lt_0_compat; lra).
  assert (S2 : s * s = l / rho) by (apply sqrt_sqrt, Rlt_le; apply Rdiv_lt_0_compat; lra).
  assert (SR : sqrt (rho * l) = rho * s).
  { apply sqrt_lem_1; [apply Rmult_le_pos; lra | apply Rmult_le_pos; lra|].
    replace (rho * s * (rho * s)) with (rho * rho * (s * s)) by ring; rewrite S2; field; lra. }
  eapply Rle_trans; [apply (zcdp_to_delta same P Q rho (1 + s)); try assumption; lra|]; rewrite SR.
  replace (1 + s - 1) with s by ring.
  replace (s * ((1 + s) * rho - (rho + 2 * (rho * s)))) with (- (s * s * rho)) by ring.
  rewrite S2; replace (l / rho * rho) with l by (field; lra).
  replace (exp (- l)) with d by (unfold l; rewrite ln_Rinv, Ropp_involutive, exp_ln by lra; reflexivity).
  set (i := / (1 + s)); assert (Hi : 0 < i) by (apply Rinv_0_lt_compat; lra).
  assert (Is : (1 + s) * i = 1) by (apply Rinv_r; lra).
  assert (P1 : Rpower (1 - i) (1 + s) <= 1 - i).
  { assert (0 < 1 - i) by (apply (Rmult_lt_reg_l (1 + s)); lra).
    unfold Rpower; rewrite <- (exp_ln (1 - i)) at 2 by assumption; apply exp_le.
    assert (ln (1 - i) < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (s * ln (1 - i) <= s * 0) by (apply Rmult_le_compat_l; lra); lra. }
  unfold Rdiv; rewrite Rmult_assoc; rewrite <- (Rmult_1_r d) at 2; apply Rmult_le_compat_l; [lra|].
  apply (Rmult_le_reg_r s); [exact Hs|]; rewrite Rmult_assoc, Rinv_l by lra.
  assert (1 - i = s * i) by lra; assert (s * i <= s * 1); [|lra].
  apply Rmult_le_compat_l; [lra|]; apply (Rmult_le_reg_l (1 + s)); lra.
Qed.
