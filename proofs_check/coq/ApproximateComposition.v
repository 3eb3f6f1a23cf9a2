(** * Optimal and advanced composition of (eps, d)-close steps

    - [approximate_response]: every (eps, d)-close pair is dominated by one that tells the data set with
      probability d and is binary randomized response else;
    - [mixed_draws]: n draws, each from T with probability 1 - d;
    - [optimal_approximate_composition]: n steps that are (eps, d)-close, whatever came before, have at every E at most
      the divergence 1 - (1 - d)^n + (1 - d)^n optimal_delta; [optimal_approximate_composition_attained]: these pairs attain it;
    - [approximate_composition]: n steps that are (eps, d)-close, whatever came before, together are
      (sqrt (2 n ln (1 / d')) eps + n eps (e^eps - 1), n d + d')-close.

    Source: Dwork, Rothblum, Vadhan 2010, Theorem III.3; Kairouz, Oh, Viswanath 2015, Theorem 3.3;
    Erlingsson et al. 2019, Theorem 2. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Composition AdvancedComposition OptimalComposition.
Import ListNotations.
Open Scope R_scope.

(** Neither law is more than E times the other plus d, on any event. *)
Definition approximately_private {A} (same : forall x y : A, {x = y} + {x <> y}) (E d : R) (P Q : law A) : Prop :=
  is_law P /\ is_law Q /\ hockey_stick same P Q E <= d /\ hockey_stick same Q P E <= d.

(** The bit itself, marked, with probability d; its randomized response else. *)
Definition told (E d : R) (b : bool) : law (bool * bool) :=
  weighted (1 - d) (image (pair false) (response E b)) ++ weighted d (certain (true, b)).
Definition same_bits : forall x y : bool * bool, {x = y} + {x <> y} := ltac:(decide equality; apply bool_dec).

Lemma told_law E d b : 0 <= E -> 0 <= d <= 1 -> is_law (told E d b).
Proof.
  intros HE Hd; pose proof (image_is_law (pair false) _ (response_law E b HE)) as [N M]; split.
  - apply Forall_app; split; apply nonnegative_weighted; try lra; [exact N | apply certain_is_law].
  - unfold told; rewrite mean_app, !mean_weighted, M; cbn; ring.
Qed.

Lemma prob_complement {A} (S : A -> bool) P : is_law P -> prob (fun a => negb (S a)) P = 1 - prob S P.
Proof.
  intros [_ M]; unfold prob; rewrite (mean_ext _ (fun a => 1 + -1 * indicator S a)), mean_plus, mean_scale, M;
    [ring | intros a; unfold indicator; destruct (S a); cbn; ring].
Qed.

Theorem approximate_response {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) e d :
  1 <= e -> 0 <= d <= 1 -> approximately_private same e d P Q ->
  dominated same same_bits P Q (told e d true) (told e d false).
Proof.
  intros He Hd (LP & LQ & HPQ & HQP) E HE.
  destruct (hockey_stick_largest same_bits (told e d true) (told e d false) E) as [U _].
  set (M := hockey_stick same_bits _ _ E) in *; apply below_every_event; intros S.
  pose proof (proj1 (below_every_event _ _ _ _ _) HPQ S) as F.
  pose proof (proj1 (below_every_event _ _ _ _ _) HQP (fun a => negb (S a))) as G.
  rewrite !prob_complement in G by assumption.
  pose proof (prob_between S P LP); pose proof (prob_between S Q LQ).
  set (p := prob S P) in *; set (q := prob S Q) in *.
  assert (M1 : d <= M).
  { pose proof (U (fun x => fst x && snd x)) as V; unfold prob, told in V; rewrite !mean_app, !mean_weighted, !mean_image in V.
    cbn in V; unfold indicator in V; cbn in V; lra. }
  assert (M2 : d * (1 + E) + e - E <= M * (e + 1)).
  { pose proof (U (fun x => snd x)) as V; unfold prob, told in V; rewrite !mean_app, !mean_weighted, !mean_image in V.
    cbn in V; unfold indicator in V; cbn in V; apply (Rmult_le_compat_r (e + 1)) in V; [|lra].
    eapply Rle_trans; [|exact V]; right; field; lra. }
  assert (M3 : 1 - E * (1 - d) <= M).
  { pose proof (U (fun x => negb (fst x) || snd x)) as V; unfold prob, told in V; rewrite !mean_app, !mean_weighted, !mean_image in V.
    cbn in V; unfold indicator in V; cbn in V; eapply Rle_trans; [|exact V]; right; field; lra. }
  destruct (Rle_dec e E) as [C1|C1].
  { assert (e * q <= E * q) by (apply Rmult_le_compat_r; lra); lra. }
  destruct (Rle_dec (E * e) 1) as [C2|C2].
  - destruct (Rle_dec (1 - d) q) as [C3|C3].
    + assert (E * (1 - d) <= E * q) by (apply Rmult_le_compat_l; lra); lra.
    + assert (E * e * (1 - d - q) <= 1 * (1 - d - q)) by (apply Rmult_le_compat_r; lra).
      assert (e * (p - E * q) <= e * (1 - E * (1 - d))) by lra.
      apply Rmult_le_reg_l in H2; lra.
  - assert (D : 0 < e - 1) by (destruct (Req_dec e 1) as [->|]; lra).
    pose proof (Rmult_le_compat_l (E * e - 1) _ _ ltac:(lra) F) as F'.
    pose proof (Rmult_le_compat_l (e - E) _ _ ltac:(lra) G) as G'.
    assert (K : (e - 1) * ((p - E * q) * (e + 1)) <= (e - 1) * (M * (e + 1))).
    { pose proof (Rmult_le_compat_l (e - 1) _ _ ltac:(lra) M2) as M2'; lra. }
    apply Rmult_le_reg_l in K; [|exact D]; apply Rmult_le_reg_r in K; lra.
Qed.

(** ** Draws of a mixture *)

Section Mixed.
Context {A : Type} (T U : law A) (d : R).
Hypotheses (LR : is_law T) (LU : is_law U) (Hd : 0 <= d <= 1).

Let M := weighted (1 - d) T ++ weighted d U.
Let LM : is_law M.
Proof.
  destruct LR as [NT MT], LU as [NU MU]; split.
  - apply Forall_app; split; apply nonnegative_weighted; assumption || lra.
  - unfold M; rewrite mean_app, !mean_weighted, MT, MU; ring.
Qed.

Lemma mean_between {B} (f : B -> R) (P : law B) : is_law P -> (forall y, 0 <= f y <= 1) -> 0 <= mean f P <= 1.
Proof.
  intros L H; split.
  - rewrite <- (mean_constant P 0 L); apply mean_le; [apply L | apply H].
  - apply Rle_trans with (mean (fun _ => 1) P); [apply mean_le; [apply L | apply H] | right; apply L].
Qed.

Lemma mixed_draws n : forall f, (forall ys, 0 <= f ys <= 1) ->
  (1 - d) ^ n * mean f (draws T n) <= mean f (draws M n)
  <= (1 - d) ^ n * mean f (draws T n) + (1 - (1 - d) ^ n).
Proof.
  assert (HM : forall g, mean g M = (1 - d) * mean g T + d * mean g U)
    by (intros; unfold M; now rewrite mean_app, !mean_weighted).
  induction n as [|n IH]; intros f H; [cbn; lra|]; cbn [draws]; rewrite !mean_bind, HM.
  rewrite !(mean_ext (fun a => mean f (image (cons a) _)) (fun a => mean (fun ys => f (a :: ys)) _)) by (intros; apply mean_image).
  set (g := fun a => mean (fun ys => f (a :: ys)) (draws M n)); set (h := fun a => mean (fun ys => f (a :: ys)) (draws T n)).
  assert (G : forall a, (1 - d) ^ n * h a <= g a <= (1 - d) ^ n * h a + (1 - (1 - d) ^ n)) by (intros a; now apply IH).
  assert (GU : 0 <= mean g U <= 1).
  { apply mean_between; [exact LU|]; intros a; apply mean_between; [now apply draws_law | intros; apply H]. }
  assert (GR : (1 - d) ^ n * mean h T <= mean g T <= (1 - d) ^ n * mean h T + (1 - (1 - d) ^ n)).
  { rewrite <- mean_scale, <- (mean_constant T (1 - (1 - d) ^ n) LR), <- mean_plus.
    split; apply mean_le; try apply LR; intros a; apply G. }
  assert ((1 - d) * ((1 - d) ^ n * mean h T) <= (1 - d) * mean g T) by (apply Rmult_le_compat_l; lra).
  assert ((1 - d) * mean g T <= (1 - d) * ((1 - d) ^ n * mean h T + (1 - (1 - d) ^ n))) by (apply Rmult_le_compat_l; lra).
  assert (0 <= d * mean g U <= d * 1) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; lra).
  cbn [pow]; lra.
Qed.
End Mixed.

Lemma draws_image {A B} (h : A -> B) P n f : mean f (draws (image h P) n) = mean (fun ys => f (map h ys)) (draws P n).
Proof.
  revert f; induction n as [|n IH]; intros f; [reflexivity|]; cbn [draws]; rewrite !mean_bind, mean_image.
  apply mean_ext; intros a; rewrite !mean_image, IH; reflexivity.
Qed.

Lemma power_above d n : 0 <= d <= 1 -> 0 <= (1 - d) ^ n <= 1 /\ 1 - (1 - d) ^ n <= INR n * d.
Proof.
  intros Hd; induction n as [|n [IH1 IH2]]; [cbn; lra|]; rewrite S_INR; cbn [pow].
  assert (0 <= (1 - d) * (1 - d) ^ n) by (apply Rmult_le_pos; lra).
  assert (0 <= d * (1 - d) ^ n <= d * 1) by (split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; lra); lra.
Qed.

Theorem optimal_approximate_composition {A} (same : forall x y : A, {x = y} + {x <> y})
    (K L : list A -> law A) eps d n E :
  0 <= eps -> 0 <= d <= 1 -> 0 <= E ->
  (forall past, approximately_private same (exp eps) d (K past) (L past)) ->
  hockey_stick (list_eq_dec same) (run (repeat K n) []) (run (repeat L n) []) E
  <= 1 - (1 - d) ^ n + (1 - d) ^ n * optimal_delta n eps E.
Proof.
  intros He Hd HE H; pose proof (exp_ineq1_le eps) as Ee.
  assert (LT : forall b, is_law (told (exp eps) d b)) by (intros; apply told_law; lra).
  eapply Rle_trans.
  { apply (dominating_run same same_bits K L (told (exp eps) d true) (told (exp eps) d false)); try apply LT; try lra.
    intros past; destruct (H past) as [LK [LL _]]; repeat split; try apply LK; try apply LL.
    apply approximate_response; try apply H; lra. }
  apply below_every_event; intros S.
  pose proof (fun b => image_is_law (pair false) _ (response_law (exp eps) b ltac:(lra))) as LR.
  assert (I : forall ys, 0 <= indicator S ys <= 1) by (intros ys; unfold indicator; destruct (S ys); lra).
  pose proof (mixed_draws _ _ d (LR true) (certain_is_law (true, true)) Hd n (indicator S) I) as [_ T].
  pose proof (mixed_draws _ _ d (LR false) (certain_is_law (true, false)) Hd n (indicator S) I) as [F _].
  fold (told (exp eps) d true) in T; fold (told (exp eps) d false) in F.
  rewrite draws_image in T, F; rewrite <- (draws_of_response n eps E).
  set (h := hockey_stick _ (draws (response _ true) n) _ E).
  pose proof (proj1 (below_every_event _ _ _ _ h) (Rle_refl h) (fun ys => S (map (pair false) ys))) as O.
  unfold prob in *; change (indicator (fun ys => S (map (pair false) ys))) with (fun ys => indicator S (map (pair false) ys)) in O.
  destruct (power_above d n Hd) as [W1 _]; set (w := (1 - d) ^ n) in *.
  set (u := mean _ (draws (response (exp eps) true) n)) in *; set (v := mean _ (draws (response (exp eps) false) n)) in *.
  assert (E * (w * v) <= E * mean (indicator S) (draws (told (exp eps) d false) n)) by (apply Rmult_le_compat_l; lra).
  assert (w * u <= w * (E * v + h)) by (apply Rmult_le_compat_l; lra); lra.
Qed.

(** *** The event that tells them apart: the bit itself, or else the best event of the other bits *)

Definition told_true (ys : list (bool * bool)) : bool := existsb (fun y => fst y && snd y) ys.
Definition telling (g : list bool -> R) (ys : list (bool * bool)) : R :=
  if told_true ys then 1 else if existsb fst ys then 0 else g (map snd ys).

Lemma mean_told f E d b : mean f (told E d b) = (1 - d) * mean (fun y => f (false, y)) (response E b) + d * f (true, b).
Proof. unfold told; rewrite mean_app, !mean_weighted, mean_image; cbn [certain mean]; ring. Qed.

Lemma telling_true E d n : 0 <= E -> 0 <= d <= 1 -> forall g,
  mean (telling g) (draws (told E d true) n) = 1 - (1 - d) ^ n + (1 - d) ^ n * mean g (draws (response E true) n).
Proof.
  intros HE Hd; pose proof (told_law E d true HE Hd) as LT; induction n as [|n IH]; intros g; [cbn; ring|].
  cbn [draws pow]; rewrite !mean_bind, mean_told, mean_image.
  rewrite (mean_ext (fun y => mean (telling g) _)
    (fun y => (1 - d) ^ n * mean (fun ys => g (y :: ys)) (draws (response E true) n) + (1 - (1 - d) ^ n))).
  2: { intros y; rewrite mean_image; change (fun ys => telling g ((false, y) :: ys)) with (telling (fun ys => g (y :: ys))).
       rewrite IH; ring. }
  rewrite mean_plus, mean_scale, (mean_constant _ _ (response_law E true HE)).
  rewrite (mean_ext (fun y => mean g (image (cons y) _)) (fun y => mean (fun ys => g (y :: ys)) (draws (response E true) n)))
    by (intros; apply mean_image).
  change (fun ys => telling g ((true, true) :: ys)) with (fun _ : list (bool * bool) => 1).
  rewrite (proj2 (draws_law _ n LT)); ring.
Qed.

Lemma telling_false E d n : forall g,
  mean (telling g) (draws (told E d false) n) = (1 - d) ^ n * mean g (draws (response E false) n).
Proof.
  assert (Never : forall n, mean (fun ys => if told_true ys then 1 else 0) (draws (told E d false) n) = 0).
  { clear n; induction n as [|n IH]; [cbn; ring|]; cbn [draws]; rewrite mean_bind, mean_told, mean_image.
    rewrite (mean_ext (fun y => mean _ (image (cons (false, y)) _)) (fun _ => 0)) by (intros; rewrite mean_image; exact IH).
    change (fun ys => if told_true ((true, false) :: ys) then 1 else 0) with (fun ys => if told_true ys then 1 else 0).
    rewrite IH; unfold response; cbn [mean]; ring. }
  induction n as [|n IH]; intros g; [cbn; ring|]; cbn [draws pow]; rewrite !mean_bind, mean_told, mean_image.
  rewrite (mean_ext (fun y => mean (telling g) _)
    (fun y => (1 - d) ^ n * mean (fun ys => g (y :: ys)) (draws (response E false) n))).
  2: { intros y; rewrite mean_image; change (fun ys => telling g ((false, y) :: ys)) with (telling (fun ys => g (y :: ys))); apply IH. }
  rewrite mean_scale.
  rewrite (mean_ext (fun y => mean g (image (cons y) _)) (fun y => mean (fun ys => g (y :: ys)) (draws (response E false) n)))
    by (intros; apply mean_image).
  change (fun ys => telling g ((true, false) :: ys)) with (fun ys => if told_true ys then 1 else 0).
  rewrite Never; ring.
Qed.

Lemma run_of_one {A} (P : law A) n past f :
  mean f (run (repeat (fun _ => P) n) past) = mean (fun ys => f (rev ys ++ past)) (draws P n).
Proof.
  revert past f; induction n as [|n IH]; intros past f; [cbn; ring|]; cbn [repeat run draws]; rewrite !mean_bind.
  apply mean_ext; intros a; rewrite IH, mean_image; apply mean_ext; intros ys; cbn [rev]; now rewrite <- app_assoc.
Qed.

Theorem optimal_approximate_composition_attained eps d n E :
  0 <= eps -> 0 <= d <= 1 -> 0 <= E ->
  (forall b, approximately_private same_bits (exp eps) d (told (exp eps) d b) (told (exp eps) d (negb b))) /\
  hockey_stick (list_eq_dec same_bits) (run (repeat (fun _ => told (exp eps) d true) n) [])
    (run (repeat (fun _ => told (exp eps) d false) n) []) E = 1 - (1 - d) ^ n + (1 - d) ^ n * optimal_delta n eps E.
Proof.
  intros He Hd HE; pose proof (exp_ineq1_le eps) as Ee.
  assert (Pr : forall b, approximately_private same_bits (exp eps) d (told (exp eps) d b) (told (exp eps) d (negb b))).
  { assert (One : forall b, hockey_stick same_bits (told (exp eps) d b) (told (exp eps) d (negb b)) (exp eps) <= d).
    { intros b; apply below_every_event; intros S; unfold prob; rewrite !mean_told; unfold response.
      set (e := exp eps) in *; set (T := indicator S (true, b)); set (F := indicator S (true, negb b)).
      assert (N : forall y, 0 <= indicator S y <= 1) by (intros y; unfold indicator; destruct (S y); lra).
      pose proof (N (true, b) : 0 <= T <= 1); pose proof (N (true, negb b) : 0 <= F <= 1).
      cbn [mean fst snd]; rewrite negb_involutive; set (x := indicator S (false, b)); set (y := indicator S (false, negb b)).
      pose proof (N (false, b) : 0 <= x <= 1); pose proof (N (false, negb b) : 0 <= y <= 1).
      assert (0 < / (1 + e)) by (apply Rinv_0_lt_compat; lra).
      assert (Q : x * (e / (1 + e)) + (y * / (1 + e) + 0) - e * (y * (e / (1 + e)) + (x * / (1 + e) + 0)) = - (y * ((e * e - 1) * / (1 + e)))) by (field; lra).
      assert (0 <= y * ((e * e - 1) * / (1 + e))).
      { apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; [|lra]; assert (1 * 1 <= e * e) by (apply Rmult_le_compat; lra); lra. }
      assert (0 <= (1 - d) * (y * ((e * e - 1) * / (1 + e)))) by (apply Rmult_le_pos; lra).
      assert (0 <= e * (d * F)) by (apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra]).
      assert (d * T <= d * 1) by (apply Rmult_le_compat_l; lra).
      match goal with |- ?l <= ?r + d =>
        assert (l - r = (1 - d) * - (y * ((e * e - 1) * / (1 + e))) + d * T - e * (d * F)) by (rewrite <- Q; ring)
      end; lra. }
    intros b; repeat split; try (apply told_law; lra); [apply One|].
    specialize (One (negb b)); rewrite negb_involutive in One; exact One. }
  split; [exact Pr|]; apply Rle_antisym.
  { apply (optimal_approximate_composition same_bits); try assumption; intros past; exact (Pr true). }
  rewrite <- (draws_of_response n eps E).
  destruct (hockey_stick_largest (list_eq_dec bool_dec) (draws (response (exp eps) true) n) (draws (response (exp eps) false) n) E) as [_ [S HS]].
  rewrite <- HS; unfold prob.
  set (T := fun ys => if told_true (rev ys) then true else if existsb fst (rev ys) then false else S (map snd (rev ys))).
  destruct (hockey_stick_largest (list_eq_dec same_bits) (run (repeat (fun _ => told (exp eps) d true) n) [])
    (run (repeat (fun _ => told (exp eps) d false) n) []) E) as [U _]; specialize (U T); unfold prob in U.
  rewrite !run_of_one in U.
  assert (C : forall ys, indicator T (rev ys ++ []) = telling (indicator S) ys).
  { intros ys; unfold indicator, T, telling; rewrite app_nil_r, rev_involutive.
    destruct (told_true ys); [reflexivity|]; destruct (existsb fst ys); reflexivity. }
  assert (C' : forall P, mean (fun ys => indicator T (rev ys ++ [])) P = mean (telling (indicator S)) P)
    by (intros; apply mean_ext, C); rewrite !C' in U.
  rewrite telling_true, telling_false in U by lra; lra.
Qed.

Theorem approximate_composition {A} (same : forall x y : A, {x = y} + {x <> y})
    (K L : list A -> law A) eps d n d' :
  0 <= eps -> 0 <= d <= 1 -> 0 < d' <= 1 ->
  (forall past, approximately_private same (exp eps) d (K past) (L past)) ->
  hockey_stick (list_eq_dec same) (run (repeat K n) []) (run (repeat L n) [])
    (exp (sqrt (2 * INR n * ln (1 / d')) * eps + INR n * eps * (exp eps - 1))) <= INR n * d + d'.
Proof.
  intros He Hd Hd' H; set (E := exp (sqrt _ * eps + _)).
  assert (E0 : 0 < E) by apply exp_pos.
  assert (Opt : optimal_delta n eps E <= d').
  { destruct (optimal_composition_attained eps n E He) as [Pr <-]; apply below_every_event; intros S.
    apply (fun H => proj1 (advanced_composition bool_dec _ _ eps d' n S He Hd' H)); intros past; exact (Pr true). }
  eapply Rle_trans; [apply (optimal_approximate_composition same K L eps d n E); (assumption || lra)|].
  destruct (power_above d n Hd) as [W1 W2]; set (w := (1 - d) ^ n) in *.
  assert (w * optimal_delta n eps E <= w * d') by (apply Rmult_le_compat_l; lra).
  assert (w * d' <= 1 * d') by (apply Rmult_le_compat_r; lra); lra.
Qed.
