(** * What a computed number says about privacy: finite laws, events, shuffled views

    A law is a list of outcomes with their masses; an outcome may appear more than once.
    [prob S P] is the probability of the event [S]; [hockey_stick P Q E] is the sum over
    outcomes of the positive parts of [P{a} - E * Q{a}], where [E] is e^eps.

    Proved here, for all finite laws:
    - [hockey_stick_largest]: it is the largest [prob S P - E * prob S Q] over all events;
    - [view_cons], [view_is_law]: the view of a shuffler, user by user;
    - [post_processing]: no function of the outcome raises it; [merging_messages]: so with
      messages that are merged;
    - [joint_convexity], [mixed_pairs], [basic_composition], [private_both], [bracket_of_exp], [clones].

    Nothing is assumed beyond the standard library's reals. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Import ListNotations.
Open Scope R_scope.

(** ** Laws *)

Definition law (A : Type) := list (A * R).

(** The mean of [f]. *)
Fixpoint mean {A} (f : A -> R) (P : law A) : R :=
  match P with
  | [] => 0
  | (a, m) :: rest => m * f a + mean f rest
  end.

Definition indicator {A} (S : A -> bool) (a : A) : R := if S a then 1 else 0.

(** The probability of an event. *)
Definition prob {A} (S : A -> bool) (P : law A) : R := mean (indicator S) P.

Definition nonnegative {A} (P : law A) := Forall (fun x => 0 <= snd x) P.
Definition is_law {A} (P : law A) := nonnegative P /\ mean (fun _ => 1) P = 1.

(** One outcome for certain; an outcome drawn from [P], then one from the law it chooses; a
    function of the outcome. *)
Definition certain {A} (a : A) : law A := [(a, 1)].
Definition image {A B} (h : A -> B) (P : law A) : law B := map (fun x => (h (fst x), snd x)) P.
Definition weighted {A} (w : R) (P : law A) : law A := map (fun x => (fst x, w * snd x)) P.
Fixpoint bind {A B} (P : law A) (K : A -> law B) : law B :=
  match P with
  | [] => []
  | (a, m) :: rest => weighted m (K a) ++ bind rest K
  end.

Arguments weighted : simpl never.
Arguments image : simpl never.

Lemma mean_ext {A} (f g : A -> R) P : (forall a, f a = g a) -> mean f P = mean g P.
Proof. intros H; induction P as [|[a m] P IH]; cbn; rewrite ?H, ?IH; reflexivity. Qed.

Lemma mean_app {A} (f : A -> R) P Q : mean f (P ++ Q) = mean f P + mean f Q.
Proof. induction P as [|[a m] P IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma mean_weighted {A} (f : A -> R) w P : mean f (weighted w P) = w * mean f P.
Proof.
  unfold weighted; induction P as [|[a m] P IH]; cbn; [ring | rewrite IH; ring].
Qed.

Lemma mean_image {A B} (f : B -> R) (h : A -> B) P : mean f (image h P) = mean (fun a => f (h a)) P.
Proof. unfold image; induction P as [|[a m] P IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma mean_bind {A B} (f : B -> R) P (K : A -> law B) :
  mean f (bind P K) = mean (fun a => mean f (K a)) P.
Proof.
  induction P as [|[a m] P IH]; cbn; [ring | rewrite mean_app, mean_weighted, IH; ring].
Qed.

Lemma mean_plus {A} (f g : A -> R) P : mean (fun a => f a + g a) P = mean f P + mean g P.
Proof. induction P as [|[a m] P IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma mean_scale {A} c (f : A -> R) P : mean (fun a => c * f a) P = c * mean f P.
Proof. induction P as [|[a m] P IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma mean_le {A} (f g : A -> R) P :
  nonnegative P -> (forall a, f a <= g a) -> mean f P <= mean g P.
Proof.
  intros N H; induction N as [|[a m] P Hm N IH]; cbn in *; [lra|].
  specialize (H a); assert (m * f a <= m * g a) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma nonnegative_weighted {A} w (P : law A) : 0 <= w -> nonnegative P -> nonnegative (weighted w P).
Proof.
  intros Hw N; induction N as [|[a m] P Hm N IH]; constructor; cbn in *; [|exact IH].
  apply Rmult_le_pos; assumption.
Qed.

Lemma nonnegative_image {A B} (h : A -> B) P : nonnegative P -> nonnegative (image h P).
Proof. intros N; induction N; constructor; assumption. Qed.

Lemma nonnegative_bind {A B} P (K : A -> law B) :
  nonnegative P -> (forall a, nonnegative (K a)) -> nonnegative (bind P K).
Proof.
  intros N H; induction N as [|[a m] P Hm N IH]; cbn in *; [constructor|].
  apply Forall_app; split; [apply nonnegative_weighted; auto | exact IH].
Qed.

Lemma certain_is_law {A} (a : A) : is_law (certain a).
Proof. split; [repeat constructor; cbn; lra | cbn; ring]. Qed.

Lemma image_is_law {A B} (h : A -> B) P : is_law P -> is_law (image h P).
Proof. intros [N M]; split; [apply nonnegative_image, N | rewrite mean_image; exact M]. Qed.

Lemma bind_is_law {A B} P (K : A -> law B) :
  is_law P -> (forall a, is_law (K a)) -> is_law (bind P K).
Proof.
  intros [N M] H; split.
  - apply nonnegative_bind; [exact N | intros a; apply H].
  - rewrite mean_bind; transitivity (mean (fun _ : A => 1) P); [|exact M].
    apply mean_ext; intros a; apply H.
Qed.

Lemma prob_nonnegative {A} (S : A -> bool) P : nonnegative P -> 0 <= prob S P.
Proof.
  intros N; replace 0 with (mean (fun _ : A => 0 * 1) P) by (rewrite mean_scale; ring).
  apply mean_le; [exact N|]; intros a; unfold indicator; destruct (S a); lra.
Qed.

Lemma prob_between {A} (S : A -> bool) P : is_law P -> 0 <= prob S P <= 1.
Proof.
  intros [N M]; split; [now apply prob_nonnegative|].
  apply Rle_trans with (mean (fun _ => 1) P); [|lra].
  apply mean_le; [exact N|]; intros a; unfold indicator; destruct (S a); lra.
Qed.

(** ** The hockey-stick divergence *)

Fixpoint total (xs : list R) : R := match xs with [] => 0 | x :: rest => x + total rest end.

Definition positive_part (x : R) : R := Rmax 0 x.

Lemma positive_part_ge x : x <= positive_part x /\ 0 <= positive_part x.
Proof. unfold positive_part; split; [apply Rmax_r | apply Rmax_l]. Qed.

Section Divergence.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).

Definition at_ (a b : A) : bool := if same a b then true else false.

(** The probability of one outcome. *)
Definition mass (P : law A) (a : A) : R := prob (at_ a) P.

(** Sum of positive parts over a list of outcomes. *)
Definition stick_on (xs : list A) (P Q : law A) (E : R) : R :=
  total (map (fun a => positive_part (mass P a - E * mass Q a)) xs).

Definition outcomes (P Q : law A) : list A := nodup same (map fst P ++ map fst Q).

Definition hockey_stick (P Q : law A) (E : R) : R := stick_on (outcomes P Q) P Q E.

(** Half the sum of the distances. *)
Definition total_variation (P Q : law A) : R :=
  1 / 2 * (hockey_stick P Q 1 + hockey_stick Q P 1).

(** The event on which P exceeds E Q. *)
Definition best_event (P Q : law A) (E : R) (a : A) : bool :=
  if Rle_dec (mass P a - E * mass Q a) 0 then false else true.

(** A list of different outcomes that holds all of [P]'s. *)
Definition carries (xs : list A) (P : law A) :=
  NoDup xs /\ forall f, mean f P = total (map (fun a => f a * mass P a) xs).

Lemma total_ext (f g : A -> R) xs :
  (forall a, In a xs -> f a = g a) -> total (map f xs) = total (map g xs).
Proof.
  induction xs as [|x xs IH]; intros H; cbn; [ring|].
  rewrite H, IH; [ring | intros; apply H; now right | now left].
Qed.

Lemma total_plus (f g : A -> R) xs :
  total (map (fun a => f a + g a) xs) = total (map f xs) + total (map g xs).
Proof. induction xs as [|x xs IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma total_scale c (f : A -> R) xs : total (map (fun a => c * f a) xs) = c * total (map f xs).
Proof. induction xs as [|x xs IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma total_le (f g : A -> R) xs :
  (forall a, f a <= g a) -> total (map f xs) <= total (map g xs).
Proof. intros H; induction xs as [|x xs IH]; cbn; [lra | specialize (H x); lra]. Qed.

Lemma total_at (f : A -> R) b xs :
  NoDup xs ->
  total (map (fun a => f a * indicator (at_ a) b) xs) = if in_dec same b xs then f b else 0.
Proof.
  induction 1 as [|x xs Hx N IH]; [reflexivity|].
  cbn [map total]; rewrite IH; unfold indicator, at_.
  destruct (in_dec same b xs) as [I|I], (in_dec same b (x :: xs)) as [J|J], (same x b) as [e|e];
    subst; try contradiction; try (exfalso; apply J; cbn; auto; fail); try ring.
  exfalso; destruct J; contradiction.
Qed.

Lemma carries_all xs P : NoDup xs -> incl (map fst P) xs -> carries xs P.
Proof.
  intros N; split; [exact N | intros f].
  induction P as [|[b m] P IH].
  - cbn; rewrite (total_ext _ (fun a => 0 * f a)), total_scale; [ring|].
    intros a _; unfold mass, prob; cbn; ring.
  - assert (incl (map fst P) xs /\ In b xs) as [HP Hb]
      by (split; [intros x Hx; apply H; now right | apply H; now left]).
    cbn [mean]; rewrite IH by exact HP.
    rewrite (total_ext (fun a => f a * mass ((b, m) :: P) a)
      (fun a => m * (f a * indicator (at_ a) b) + f a * mass P a)).
    + rewrite total_plus, total_scale, total_at by exact N.
      destruct (in_dec same b xs); [ring | contradiction].
    + intros a _; unfold mass, prob; cbn; ring.
Qed.

(** On any such list the sum of positive parts is the largest difference over events. *)
Lemma stick_on_largest xs P Q E :
  carries xs P -> carries xs Q ->
  (forall S, prob S P - E * prob S Q <= stick_on xs P Q E) /\
  prob (best_event P Q E) P - E * prob (best_event P Q E) Q = stick_on xs P Q E.
Proof.
  intros [_ HP] [_ HQ].
  assert (D : forall S, prob S P - E * prob S Q =
    total (map (fun a => indicator S a * (mass P a - E * mass Q a)) xs)).
  { intros S; unfold prob at 1 2; rewrite (HP (indicator S)), (HQ (indicator S)).
    rewrite <- total_scale; rewrite (total_ext
      (fun a => indicator S a * (mass P a - E * mass Q a))
      (fun a => indicator S a * mass P a + -1 * (E * (indicator S a * mass Q a))))
      by (intros; ring).
    rewrite total_plus, (total_scale (-1)); ring. }
  split.
  - intros S; rewrite D; apply total_le; intros a.
    destruct (positive_part_ge (mass P a - E * mass Q a)).
    unfold indicator; destruct (S a); lra.
  - rewrite D; apply total_ext; intros a _; unfold indicator, best_event, positive_part.
    destruct Rle_dec; [rewrite Rmax_left | rewrite Rmax_right]; lra.
Qed.

Lemma outcomes_carry P Q : carries (outcomes P Q) P /\ carries (outcomes P Q) Q.
Proof.
  split; (apply carries_all; [apply NoDup_nodup|]);
    intros x Hx; apply nodup_In, in_or_app; auto.
Qed.

Lemma best_event_attains P Q E :
  prob (best_event P Q E) P - E * prob (best_event P Q E) Q = hockey_stick P Q E.
Proof. apply stick_on_largest; apply outcomes_carry. Qed.

(** The hockey-stick divergence is the largest P(S) - E Q(S) over all events S. *)
Theorem hockey_stick_largest P Q E :
  (forall S, prob S P - E * prob S Q <= hockey_stick P Q E) /\
  (exists S, prob S P - E * prob S Q = hockey_stick P Q E).
Proof.
  split; [apply stick_on_largest; apply outcomes_carry | eexists; apply best_event_attains].
Qed.

Lemma stick_on_any xs P Q E : carries xs P -> carries xs Q -> hockey_stick P Q E = stick_on xs P Q E.
Proof.
  intros HP HQ; destruct (hockey_stick_largest P Q E) as [U [S HS]].
  destruct (stick_on_largest xs P Q E HP HQ) as [V HT].
  apply Rle_antisym; [rewrite <- HS; apply V | rewrite <- HT; apply U].
Qed.

(** What the two sides of a bound mean. *)
Theorem above_some_event P Q E d :
  hockey_stick P Q E > d -> exists S, prob S P - E * prob S Q > d.
Proof. intros H; destruct (hockey_stick_largest P Q E) as [_ [S HS]]; exists S; lra. Qed.

Theorem below_every_event P Q E d :
  hockey_stick P Q E <= d <-> forall S, prob S P <= E * prob S Q + d.
Proof.
  destruct (hockey_stick_largest P Q E) as [U [S HS]]; split; intros H.
  - intros T; specialize (U T); lra.
  - specialize (H S); lra.
Qed.

Lemma hockey_stick_nonnegative P Q E : 0 <= hockey_stick P Q E.
Proof.
  destruct (hockey_stick_largest P Q E) as [U _]; specialize (U (fun _ => false)).
  revert U; unfold prob.
  rewrite (mean_ext (indicator (fun _ => false)) (fun _ => 0 * 0)) by (intros; unfold indicator; ring).
  rewrite (mean_ext (A := A) _ (fun _ => 0 * 0) Q) by (intros; unfold indicator; ring).
  rewrite !mean_scale; lra.
Qed.

(** (eps, delta)-privacy of a pair, in both directions. *)
Theorem private_both P Q E d :
  Rmax (hockey_stick P Q E) (hockey_stick Q P E) <= d <->
  forall S, prob S P <= E * prob S Q + d /\ prob S Q <= E * prob S P + d.
Proof.
  split.
  - intros H S; split; revert S; apply below_every_event;
      (eapply Rle_trans; [|exact H]); [apply Rmax_l | apply Rmax_r].
  - intros H; apply Rmax_lub; apply below_every_event; intros S; apply H.
Qed.

(** A mixture of pairs is at most as far apart as the pairs are on average. *)
Theorem joint_convexity w P Q P' Q' E :
  0 <= w <= 1 ->
  hockey_stick (weighted w P ++ weighted (1 - w) P') (weighted w Q ++ weighted (1 - w) Q') E
  <= w * hockey_stick P Q E + (1 - w) * hockey_stick P' Q' E.
Proof.
  intros Hw; apply below_every_event; intros S; unfold prob.
  rewrite !mean_app, !mean_weighted.
  destruct (hockey_stick_largest P Q E) as [U _], (hockey_stick_largest P' Q' E) as [V _].
  specialize (U S); specialize (V S); unfold prob in U, V.
  assert (w * (mean (indicator S) P - E * mean (indicator S) Q) <= w * hockey_stick P Q E)
    by (apply Rmult_le_compat_l; lra).
  assert ((1 - w) * (mean (indicator S) P' - E * mean (indicator S) Q')
    <= (1 - w) * hockey_stick P' Q' E) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** A larger e^eps gives a smaller divergence: so does a bound of e^eps by a rational. *)
Theorem larger_factor P Q E E' :
  nonnegative Q -> E <= E' -> hockey_stick P Q E' <= hockey_stick P Q E.
Proof.
  intros N H; apply below_every_event; intros S.
  destruct (hockey_stick_largest P Q E) as [U _]; specialize (U S).
  pose proof (prob_nonnegative S Q N).
  assert (E * prob S Q <= E' * prob S Q) by (apply Rmult_le_compat_r; lra); lra.
Qed.
End Divergence.

(** From a rational at most (at least) e^eps to the statement about [exp]. *)
Corollary bracket_of_exp {A} same (P Q : law A) eps lo hi d :
  nonnegative Q -> lo <= exp eps <= hi ->
  (hockey_stick same P Q hi > d -> hockey_stick same P Q (exp eps) > d) /\
  (hockey_stick same P Q lo <= d -> hockey_stick same P Q (exp eps) <= d).
Proof.
  intros N [L H].
  pose proof (larger_factor same P Q _ _ N L); pose proof (larger_factor same P Q _ _ N H).
  split; lra.
Qed.

(** No function of the outcome raises the divergence. *)
Theorem post_processing {A B} sameA sameB (h : A -> B) P Q E :
  hockey_stick sameB (image h P) (image h Q) E <= hockey_stick sameA P Q E.
Proof.
  apply below_every_event; intros S; unfold prob; rewrite !mean_image.
  destruct (hockey_stick_largest sameA P Q E) as [U _]; specialize (U (fun a => S (h a))).
  unfold prob in U; unfold indicator in *; lra.
Qed.

(** An event with values between 0 and 1 (a randomized test) is no better than an event. *)
Lemma randomized_event {A} same (g : A -> R) P Q E :
  (forall a, 0 <= g a <= 1) -> mean g P - E * mean g Q <= hockey_stick same P Q E.
Proof.
  intros H; destruct (outcomes_carry same P Q) as [[_ HP] [_ HQ]].
  rewrite (HP g), (HQ g), <- total_scale.
  unfold hockey_stick, stick_on; revert H; generalize (outcomes same P Q) as xs; intros xs H.
  induction xs as [|x xs IH]; cbn; [lra|].
  specialize (H x); destruct (positive_part_ge (mass same P x - E * mass same Q x)) as [G Z].
  assert (g x * (mass same P x - E * mass same Q x)
    <= positive_part (mass same P x - E * mass same Q x)).
  { apply Rle_trans with (g x * positive_part (mass same P x - E * mass same Q x)).
    - apply Rmult_le_compat_l; lra.
    - rewrite <- Rmult_1_l; apply Rmult_le_compat_r; lra. }
  lra.
Qed.

(** Neither does a random function of it. *)
Theorem randomized_post_processing {A B} sameA sameB (K : A -> law B) P Q E :
  (forall a, is_law (K a)) ->
  hockey_stick sameB (bind P K) (bind Q K) E <= hockey_stick sameA P Q E.
Proof.
  intros H; apply below_every_event; intros S; unfold prob; rewrite !mean_bind.
  pose proof (randomized_event sameA (fun a => mean (indicator S) (K a)) P Q E) as R.
  enough (mean (fun a => mean (indicator S) (K a)) P
    - E * mean (fun a => mean (indicator S) (K a)) Q <= hockey_stick sameA P Q E) by lra.
  apply R; intros a; exact (prob_between S (K a) (H a)).
Qed.

(** Pairs that are drawn at random, and seen without the draw, are at most as far apart as on average. *)
Theorem mixed_pairs {A B} (same : forall x y : B, {x = y} + {x <> y}) (P : law A) (K L : A -> law B) E :
  nonnegative P ->
  hockey_stick same (bind P K) (bind P L) E <= mean (fun a => hockey_stick same (K a) (L a) E) P.
Proof.
  intros N; apply below_every_event; intros S; unfold prob; rewrite !mean_bind, <- mean_scale, <- mean_plus.
  apply mean_le; [exact N|]; intros a.
  destruct (hockey_stick_largest same (K a) (L a) E) as [U _]; specialize (U S); unfold prob in U; lra.
Qed.

(** Basic composition, adaptive: the second mechanism may depend on the first's outcome. A pair
    of (E, d), then for each outcome a pair of (E', d'), give (E E', d + d'). *)
Definition followed {A B} (P : law A) (K : A -> law B) : law (A * B) :=
  bind P (fun a => image (pair a) (K a)).

Theorem basic_composition {A B} sameA sameB sameAB (P Q : law A) (K L : A -> law B) E E' d d' :
  is_law P -> is_law Q -> (forall a, is_law (K a)) -> (forall a, is_law (L a)) ->
  0 <= E -> 0 <= E' ->
  hockey_stick sameA P Q E <= d -> (forall a, hockey_stick sameB (K a) (L a) E' <= d') ->
  hockey_stick sameAB (followed P K) (followed Q L) (E * E') <= d + d'.
Proof.
  intros LP LQ LK LL HE HE' H H'.
  apply (proj2 (below_every_event _ _ _ _ _)); intros S; unfold prob, followed.
  rewrite !mean_bind.
  set (p := fun a => mean (indicator S) (image (pair a) (K a))).
  set (q := fun a => mean (indicator S) (image (pair a) (L a))).
  assert (Hp : forall a, 0 <= p a <= 1) by (intros; apply prob_between, image_is_law, LK).
  assert (Hq : forall a, 0 <= q a <= 1) by (intros; apply prob_between, image_is_law, LL).
  set (g := fun a => Rmin 1 (E' * q a)).
  assert (Hg : forall a, 0 <= g a <= 1).
  { intros a; specialize (Hq a); unfold g; split; [|apply Rmin_l].
    apply Rmin_glb; [lra | apply Rmult_le_pos; lra]. }
  assert (Step : forall a, p a <= g a + d').
  { intros a; specialize (Hp a).
    pose proof (proj1 (below_every_event sameB (K a) (L a) E' d') (H' a) (fun b => S (a, b))) as F.
    assert (p a <= E' * q a + d') by (unfold p, q; rewrite !mean_image; exact F).
    unfold g, Rmin; destruct Rle_dec; [|lra].
    pose proof (hockey_stick_nonnegative sameB (K a) (L a) E'); specialize (H' a); lra. }
  pose proof (randomized_event sameA g P Q E Hg) as F.
  assert (mean p P <= mean g P + d').
  { replace d' with (mean (fun _ => d' * 1) P)
      by (rewrite mean_scale; destruct LP as [_ M]; rewrite M; ring).
    rewrite <- mean_plus; apply mean_le; [apply LP|]; intros a; specialize (Step a); lra. }
  assert (mean g Q <= E' * mean q Q).
  { rewrite <- mean_scale; apply mean_le; [apply LQ|]; intros a; apply Rmin_r. }
  assert (E * mean g Q <= E * (E' * mean q Q)) by (apply Rmult_le_compat_l; assumption).
  lra.
Qed.

(** What is at least a P + b Q at each outcome is a mixture of P, Q and a law that is left over. *)
Theorem leftover_law {A} (same : forall x y : A, {x = y} + {x <> y}) (X P Q : law A) a b :
  is_law X -> is_law P -> is_law Q -> a + b <= 1 ->
  (forall y, a * mass same P y + b * mass same Q y <= mass same X y) ->
  exists L, is_law L /\
    forall f, mean f X = a * mean f P + b * mean f Q + (1 - a - b) * mean f L.
Proof.
  intros [_ MX] LP [_ MQ] Hab H; destruct LP as [NP MP] eqn:E; clear E.
  set (xs := nodup same (map fst X ++ map fst P ++ map fst Q)).
  assert (C : forall R, incl (map fst R) (map fst X ++ map fst P ++ map fst Q) -> carries same xs R).
  { intros R I; apply carries_all; [apply NoDup_nodup|].
    intros y Hy; apply nodup_In, I, Hy. }
  destruct (C X) as [_ EX]; [intros y Hy; apply in_or_app; now left|].
  destruct (C P) as [_ EP]; [intros y Hy; apply in_or_app; right; apply in_or_app; now left|].
  destruct (C Q) as [_ EQ]; [intros y Hy; apply in_or_app; right; apply in_or_app; now right|].
  destruct (Req_dec (a + b) 1) as [One|Less].
  { exists P; split; [exact LP|]; intros f; replace (1 - a - b) with 0 by lra.
    set (d := fun y => mass same X y + -1 * (a * mass same P y + b * mass same Q y)).
    assert (D : total (map d xs) = 0).
    { assert (One' : forall T, mean (fun _ => 1) T = 1 ->
        (forall f, mean f T = total (map (fun y => f y * mass same T y) xs)) ->
        total (map (mass same T) xs) = 1).
      { intros T <- ->; apply total_ext; intros; ring. }
      unfold d; rewrite total_plus, total_scale, total_plus, !total_scale.
      rewrite (One' X MX EX), (One' P MP EP), (One' Q MQ EQ); lra. }
    assert (Z : forall y, In y xs -> d y = 0).
    { assert (N : forall y, 0 <= d y) by (intros y; specialize (H y); unfold d; lra).
      clear -D N; induction xs as [|x xs IH]; [intros _ []|]; cbn in D.
      assert (0 <= total (map d xs))
        by (clear -N; induction xs as [|z zs IHz]; cbn; [lra | specialize (N z); lra]).
      specialize (N x); intros y [->|I]; [lra | apply IH; [lra | exact I]]. }
    rewrite Rmult_0_l, Rplus_0_r, EX, EP, EQ, <- !total_scale, <- total_plus; apply total_ext.
    intros y I; specialize (Z y I); unfold d in Z; replace (mass same X y) with
      (a * mass same P y + b * mass same Q y) by lra; ring. }
  set (m := fun y => (mass same X y - a * mass same P y - b * mass same Q y) / (1 - a - b)).
  set (L := map (fun y => (y, m y)) xs).
  assert (EL : forall f, mean f L = total (map (fun y => f y * m y) xs)).
  { intros f; unfold L; clear; induction xs as [|y xs IH]; cbn; [ring | rewrite IH; ring]. }
  assert (M : forall f, mean f X = a * mean f P + b * mean f Q + (1 - a - b) * mean f L).
  { intros f; rewrite EL, EX, EP, EQ, <- !total_scale, <- !total_plus.
    apply total_ext; intros y _; unfold m; field; lra. }
  exists L; split; [split|exact M].
  - unfold L, nonnegative; apply Forall_forall; intros [y x] I.
    apply in_map_iff in I as [z [E _]]; injection E as -> <-; cbn; unfold m.
    specialize (H y); apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - specialize (M (fun _ => 1)); rewrite MX, MP, MQ in M.
    apply (Rmult_eq_reg_l (1 - a - b)); lra.
Qed.

(** The clone decomposition: a randomizer that is eps-private sends on each input, with probability
    e^-eps / 2 each, what it sends on the victim's two inputs. *)
Theorem clones {A} (same : forall x y : A, {x = y} + {x <> y}) (X P Q : law A) eps :
  0 < eps -> is_law X -> is_law P -> is_law Q ->
  (forall y, mass same P y <= exp eps * mass same X y) ->
  (forall y, mass same Q y <= exp eps * mass same X y) ->
  exists L, is_law L /\ forall f,
    mean f X = exp (- eps) / 2 * mean f P + exp (- eps) / 2 * mean f Q
      + (1 - exp (- eps) / 2 - exp (- eps) / 2) * mean f L.
Proof.
  intros He LX LP LQ HP HQ; apply (leftover_law same); try assumption.
  - pose proof (exp_increasing (- eps) 0 ltac:(lra)); rewrite exp_0 in *; lra.
  - intros y; specialize (HP y); specialize (HQ y).
    assert (I : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
    pose proof (exp_pos (- eps)) as P0.
    assert (J : forall z, z <= exp eps * mass same X y -> exp (- eps) * z <= mass same X y).
    { intros z Hz; rewrite <- (Rmult_1_l (mass same X y)), <- I, Rmult_assoc.
      apply Rmult_le_compat_l; lra. }
    pose proof (J _ HP); pose proof (J _ HQ); lra.
Qed.

(** ** What a shuffler shows

    A user is the law of one message, a natural number. The users send independently; the
    analyzer sees how many sent each of the messages 0, ..., k - 1. *)

Definition counts := list nat.
Definition same_counts : forall x y : counts, {x = y} + {x <> y} := list_eq_dec Nat.eq_dec.

Fixpoint increment (y : nat) (c : counts) : counts :=
  match c, y with
  | [], _ => []
  | n :: c, 0%nat => S n :: c
  | n :: c, S y => n :: increment y c
  end.

Definition histogram (k : nat) (ys : list nat) : counts :=
  fold_right increment (repeat 0%nat k) ys.

Fixpoint messages {A} (users : list (law A)) : law (list A) :=
  match users with
  | [] => certain []
  | u :: rest => bind u (fun y => image (cons y) (messages rest))
  end.

Definition view (k : nat) (users : list (law nat)) : law counts :=
  image (histogram k) (messages users).

Lemma messages_are_law {A} (users : list (law A)) : Forall is_law users -> is_law (messages users).
Proof.
  induction 1; cbn; [apply certain_is_law | apply bind_is_law; [assumption|]].
  intros; apply image_is_law; assumption.
Qed.

Theorem view_is_law k users : Forall is_law users -> is_law (view k users).
Proof. intros H; apply image_is_law, messages_are_law, H. Qed.

Lemma view_nil k (f : counts -> R) : mean f (view k []) = f (repeat 0%nat k).
Proof. unfold view; rewrite mean_image; cbn; ring. Qed.

(** One more user multiplies by their linear form: sum over y of (mass of y) times z_y. *)
Theorem view_cons k u users (f : counts -> R) :
  mean f (view k (u :: users)) =
  mean (fun y => mean (fun c => f (increment y c)) (view k users)) u.
Proof.
  unfold view; rewrite mean_image; cbn; rewrite mean_bind; apply mean_ext; intros y.
  rewrite !mean_image; reflexivity.
Qed.

Lemma increment_commutes x y c : increment x (increment y c) = increment y (increment x c).
Proof.
  revert x y; induction c as [|n c IH]; intros [|x] [|y]; cbn; try reflexivity; now rewrite IH.
Qed.

Lemma mean_swap {A B} (f : A -> B -> R) P Q :
  mean (fun a => mean (f a) Q) P = mean (fun b => mean (fun a => f a b) P) Q.
Proof.
  induction P as [|[a m] P IH]; cbn.
  - rewrite (mean_ext (fun _ => 0) (fun _ => 0 * 0)) by (intros; ring); rewrite mean_scale; ring.
  - rewrite mean_plus, mean_scale, IH; reflexivity.
Qed.

(** The order of the users is invisible. *)
Theorem view_swap k u v users (f : counts -> R) :
  mean f (view k (u :: v :: users)) = mean f (view k (v :: u :: users)).
Proof.
  rewrite !view_cons.
  rewrite (mean_ext _ (fun y => mean (fun x =>
    mean (fun c => f (increment y (increment x c))) (view k users)) v) u)
    by (intros; apply view_cons).
  rewrite mean_swap; apply mean_ext; intros y; rewrite view_cons; apply mean_ext; intros x.
  apply mean_ext; intros c; now rewrite increment_commutes.
Qed.

Fixpoint increments (n y : nat) (c : counts) : counts :=
  match n with 0%nat => c | S n => increment y (increments n y c) end.

(** Two groups of users: their counts add up. *)
Fixpoint plus_counts (c d : counts) : counts :=
  match c, d with m :: c, n :: d => (m + n)%nat :: plus_counts c d | _, _ => [] end.

Lemma plus_zero k d : length d = k -> plus_counts (repeat 0%nat k) d = d.
Proof.
  revert d; induction k as [|k IH]; intros [|n d] H; cbn in *; try discriminate; [reflexivity|].
  now rewrite IH by lia.
Qed.

Lemma plus_increment y c d :
  length c = length d -> plus_counts (increment y c) d = increment y (plus_counts c d).
Proof.
  revert y d; induction c as [|n c IH]; intros [|y] [|m d] H; cbn in *; try discriminate;
    try reflexivity; now rewrite IH by lia.
Qed.

Lemma increment_length y c : length (increment y c) = length c.
Proof. revert y; induction c as [|n c IH]; intros [|y]; cbn; auto. Qed.

Lemma histogram_length k ys : length (histogram k ys) = k.
Proof.
  induction ys as [|y ys IH]; cbn; [apply repeat_length | rewrite increment_length; exact IH].
Qed.

Lemma view_ext k users (f g : counts -> R) :
  (forall c, length c = k -> f c = g c) -> mean f (view k users) = mean g (view k users).
Proof.
  intros H; unfold view; rewrite !mean_image; apply mean_ext; intros ys; apply H.
  apply histogram_length.
Qed.

Theorem view_app k us vs (f : counts -> R) :
  mean f (view k (us ++ vs)) =
  mean (fun c => mean (fun d => f (plus_counts c d)) (view k vs)) (view k us).
Proof.
  revert f; induction us as [|u us IH]; intros f; cbn [app].
  - rewrite view_nil; apply view_ext; intros d H; now rewrite plus_zero.
  - rewrite !view_cons; apply mean_ext; intros y; rewrite IH.
    apply view_ext; intros c Hc; apply view_ext; intros d Hd.
    rewrite plus_increment by lia; reflexivity.
Qed.

(** Equal users: (w z + rest)^n by the binomial theorem. *)
Fixpoint bin (n c : nat) : R :=
  match n, c with
  | _, 0%nat => 1
  | 0%nat, _ => 0
  | S n, S c => bin n c + bin n (S c)
  end.

Lemma bin_above n c : (n < c)%nat -> bin n c = 0.
Proof.
  revert c; induction n as [|n IH]; intros [|c] H; try lia; [reflexivity|].
  cbn; rewrite !IH by lia; ring.
Qed.

Lemma bin_next n c : INR (S c) * bin n (S c) = (INR n - INR c) * bin n c.
Proof.
  revert c; induction n as [|n IH]; intros c.
  - destruct c; cbn [bin]; [cbn; ring | rewrite Rmult_0_r, Rmult_0_r; reflexivity].
  - destruct c as [|c]; cbn [bin].
    + pose proof (IH 0%nat) as H; cbn [bin] in H.
      change (INR 1) with 1 in *; change (INR 0) with 0 in *; rewrite S_INR.
      replace (bin n 0) with 1 in * by (destruct n; reflexivity); lra.
    + pose proof (IH c) as H; pose proof (IH (S c)) as H'; rewrite !S_INR in *.
      cbn [bin] in *; set (a := bin n c) in *; set (b := bin n (S c)) in *; nra.
Qed.

Definition binomial_total (n : nat) (T : nat -> R) : R :=
  total (map (fun c => bin n c * T c) (seq 0 (S n))).

Lemma total_app xs ys : total (xs ++ ys) = total xs + total ys.
Proof. induction xs as [|x xs IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma binomial_total_S n T :
  binomial_total (S n) T = binomial_total n (fun c => T (S c)) + binomial_total n T.
Proof.
  unfold binomial_total; rewrite <- (cons_seq (S n) 0), <- seq_shift, map_cons, map_map.
  cbn [total]; rewrite (total_ext (fun c => bin (S n) (S c) * T (S c))
    (fun c => bin n c * T (S c) + bin n (S c) * T (S c))) by (intros; cbn [bin]; ring).
  rewrite total_plus.
  enough (total (map (fun c => bin n c * T c) (seq 0 (S n)))
    = bin (S n) 0 * T 0%nat + total (map (fun c => bin n (S c) * T (S c)) (seq 0 (S n)))) by lra.
  rewrite seq_S at 2; rewrite map_app, total_app; cbn [map total].
  rewrite (bin_above n (S (0 + n))) by lia.
  rewrite <- (cons_seq n 0), <- seq_shift, map_cons, map_map; cbn [total].
  replace (bin n 0) with 1 by (destruct n; reflexivity); cbn [bin]; ring.
Qed.

Lemma increments_commute x y n c :
  increment x (increments n y c) = increments n y (increment x c).
Proof. induction n as [|n IH]; cbn; [reflexivity | rewrite <- IH; apply increment_commutes]. Qed.

Lemma mean_total {A B} (g : A -> B -> R) P xs :
  mean (fun a => total (map (g a) xs)) P = total (map (fun b => mean (fun a => g a b) P) xs).
Proof.
  induction xs as [|x xs IH]; cbn.
  - rewrite (mean_ext _ (fun _ => 0 * 0)) by (intros; ring); rewrite mean_scale; ring.
  - rewrite mean_plus, IH; reflexivity.
Qed.

Theorem view_equal_users k y w rest n (f : counts -> R) :
  mean f (view k (repeat ((y, w) :: rest) n)) =
  binomial_total n (fun c =>
    w ^ c * mean (fun d => f (increments c y d)) (view k (repeat rest (n - c)))).
Proof.
  revert f; induction n as [|n IH]; intros f.
  - unfold binomial_total; cbn; rewrite !view_nil; ring.
  - cbn [repeat]; rewrite view_cons; cbn [mean].
    rewrite binomial_total_S; f_equal.
    + rewrite IH; unfold binomial_total; rewrite <- total_scale; apply total_ext; intros c _.
      replace (S n - S c)%nat with (n - c)%nat by lia; cbn; ring.
    + rewrite (mean_ext _ _ rest (fun x => IH (fun c => f (increment x c)))).
      unfold binomial_total; rewrite mean_total; apply total_ext; intros c Hc.
      rewrite mean_scale; f_equal; rewrite mean_scale; f_equal.
      apply in_seq in Hc; replace (S n - c)%nat with (S (n - c)) by lia; cbn [repeat].
      rewrite view_cons; apply mean_ext; intros x; apply mean_ext; intros d.
      now rewrite increments_commute.
Qed.

(** Messages are merged by [h]: what is seen is a function of the counts. *)
Fixpoint regroup (h : nat -> nat) (k : nat) (y : nat) (c : counts) : counts :=
  match c with
  | [] => repeat 0%nat k
  | n :: c => increments n (h y) (regroup h k (S y) c)
  end.

Lemma iter_increment_commutes n x y c :
  increments n x (increment y c) = increment y (increments n x c).
Proof. induction n as [|n IH]; cbn; [reflexivity | rewrite IH; apply increment_commutes]. Qed.

Lemma regroup_increment h k x y c :
  (y < length c)%nat -> regroup h k x (increment y c) = increment (h (x + y)%nat) (regroup h k x c).
Proof.
  revert x y; induction c as [|n c IH]; intros x y H; [cbn in H; lia|].
  destruct y as [|y]; cbn [increment regroup].
  - rewrite Nat.add_0_r; reflexivity.
  - rewrite IH by (cbn in H; lia); rewrite iter_increment_commutes.
    do 2 f_equal; lia.
Qed.

Lemma regroup_zero h j k x : regroup h j x (repeat 0%nat k) = repeat 0%nat j.
Proof. revert x; induction k as [|k IH]; intros x; cbn; [reflexivity | apply IH]. Qed.

(** All messages of a user are below [k]. *)
Definition below (k : nat) (u : law nat) := Forall (fun x => (fst x < k)%nat) u.

Lemma mean_below k u (f g : nat -> R) :
  below k u -> (forall y, (y < k)%nat -> f y = g y) -> mean f u = mean g u.
Proof. induction 1 as [|[y m] u Hy B IH]; intros H; cbn; [ring|]; now rewrite IH, H. Qed.

Theorem merged_view h j k users (f : counts -> R) :
  Forall (below k) users ->
  mean f (view j (map (image h) users)) = mean f (image (regroup h j 0) (view k users)).
Proof.
  intros B; revert f; induction B as [|u users Hu B IH]; intros f; rewrite mean_image.
  - cbn [map]; rewrite !view_nil, regroup_zero; reflexivity.
  - cbn [map]; rewrite !view_cons, mean_image; apply (mean_below k); [exact Hu|].
    intros y Hy; rewrite IH, mean_image; apply view_ext; intros c Hc.
    rewrite regroup_increment by lia; reflexivity.
Qed.

Lemma hockey_stick_ext {A} same (P Q P' Q' : law A) E :
  (forall f, mean f P = mean f P') -> (forall f, mean f Q = mean f Q') ->
  hockey_stick same P Q E = hockey_stick same P' Q' E.
Proof.
  intros HP HQ; apply Rle_antisym; apply below_every_event; intros S; unfold prob;
    rewrite HP, HQ || rewrite <- HP, <- HQ.
  - destruct (hockey_stick_largest same P' Q' E) as [U _]; specialize (U S); unfold prob in U; lra.
  - destruct (hockey_stick_largest same P Q E) as [U _]; specialize (U S); unfold prob in U; lra.
Qed.

(** Merging messages never raises the divergence. *)
Theorem merging_messages h j k users users' E :
  Forall (below k) users -> Forall (below k) users' ->
  hockey_stick same_counts (view j (map (image h) users)) (view j (map (image h) users')) E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof.
  intros B B'; rewrite (hockey_stick_ext _ _ _
    (image (regroup h j 0) (view k users)) (image (regroup h j 0) (view k users')))
    by (intros; now apply merged_view).
  apply post_processing.
Qed.
