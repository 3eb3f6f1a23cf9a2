(** * Lemmas that the papers' proofs cite

    Proved here, for all finite laws:
    - [group_privacy]: a chain of changes of one entry;
    - [each_message], [more_users]: what is done to each message alone, and what independent users
      add, is done to what the shuffler shows;
    - [letters]: where every other user sends a letter of one law or a leftover of their own, and
      the victim a letter, the counts of the letters are as far apart as the view, or farther. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

(** ** Group privacy *)

(** 1 + E + ... + E^(t-1). *)
Fixpoint geometric (E : R) (t : nat) : R :=
  match t with 0%nat => 0 | S t => 1 + E * geometric E t end.

(** x 0, ..., x t are the probabilities of an event for a chain of data sets of which neighbors are
    (eps, d)-close, E = e^eps. *)
Theorem group_privacy (x : nat -> R) E d t :
  0 <= E -> (forall i, (i < t)%nat -> x i <= E * x (S i) + d) ->
  x 0%nat <= E ^ t * x t + d * geometric E t.
Proof.
  intros HE; revert x; induction t as [|t IH]; intros x H; cbn [geometric pow]; [lra|].
  pose proof (IH (fun i => x (S i)) ltac:(intros i I; apply H; lia)) as F; cbn beta in F.
  pose proof (H 0%nat ltac:(lia)) as G.
  assert (E * x 1%nat <= E * (E ^ t * x (S t) + d * geometric E t))
    by (apply Rmult_le_compat_l; assumption).
  lra.
Qed.

(** A chain of t <= s changes, with the bound that every term of the sum is at most E^s. *)
Theorem group_privacy_bound (x : nat -> R) E d s t :
  1 <= E -> 0 <= d -> (t <= s)%nat -> 0 <= x t ->
  (forall i, (i < t)%nat -> x i <= E * x (S i) + d) ->
  x 0%nat <= E ^ s * x t + INR s * E ^ s * d.
Proof.
  intros HE Hd L Z H; pose proof (group_privacy x E d t ltac:(lra) H) as F.
  assert (M : E ^ t <= E ^ s) by (apply Rle_pow; assumption).
  assert (G : geometric E t <= INR t * E ^ t).
  { clear -HE; induction t as [|t IH]; cbn [geometric pow]; [cbn; lra|]; rewrite S_INR.
    assert (1 <= E ^ t) by (apply pow_R1_Rle; exact HE).
    assert (E * geometric E t <= E * (INR t * E ^ t)) by (apply Rmult_le_compat_l; lra).
    assert (1 * 1 <= E * E ^ t) by (apply Rmult_le_compat; lra); lra. }
  assert (INR t * E ^ t <= INR s * E ^ s).
  { apply Rmult_le_compat; try apply pos_INR; try apply pow_le; try lra; now apply le_INR. }
  assert (E ^ t * x t <= E ^ s * x t) by (apply Rmult_le_compat_r; assumption).
  assert (d * geometric E t <= d * (INR s * E ^ s)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** ** What is done to each message, and what other users add *)

Lemma view_permutation k us vs (f : counts -> R) :
  Permutation us vs -> mean f (view k us) = mean f (view k vs).
Proof.
  intros H; revert f; induction H; intros f; [reflexivity | | apply view_swap | congruence].
  rewrite !view_cons; apply mean_ext; intros y; apply IHPermutation.
Qed.

(** The messages that were counted, from message x on. *)
Fixpoint listed (x : nat) (c : counts) : list nat :=
  match c with [] => [] | n :: c => repeat x n ++ listed (S x) c end.

Lemma listed_zero x k : listed x (repeat 0%nat k) = [].
Proof. revert x; induction k as [|k IH]; intros x; cbn; auto. Qed.

Lemma listed_increment x y c :
  (y < length c)%nat -> Permutation (listed x (increment y c)) ((x + y)%nat :: listed x c).
Proof.
  revert x y; induction c as [|n c IH]; intros x y H; [cbn in H; lia|].
  destruct y as [|y]; cbn [increment listed repeat].
  - rewrite Nat.add_0_r; reflexivity.
  - replace (x + S y)%nat with (S x + y)%nat by lia.
    rewrite (IH (S x) y) by (cbn in H; lia); symmetry; apply Permutation_middle.
Qed.

(** What the shuffler shows when K is applied to each message: each counted one is sent again. *)
Definition resent (K : nat -> law nat) (j : nat) (c : counts) : law counts :=
  view j (map K (listed 0 c)).

Theorem resent_view (K : nat -> law nat) j k users (f : counts -> R) :
  Forall (below k) users ->
  mean f (view j (map (fun u => bind u K) users)) = mean f (bind (view k users) (resent K j)).
Proof.
  intros B; revert f; induction B as [|u users Hu B IH]; intros f; rewrite mean_bind.
  - cbn [map]; rewrite !view_nil; unfold resent; rewrite listed_zero; cbn [map].
    now rewrite view_nil.
  - cbn [map]; rewrite !view_cons, mean_bind; apply (mean_below k); [exact Hu|]; intros y Hy.
    rewrite (mean_ext _ _ (K y) (fun z => IH (fun c => f (increment z c)))).
    rewrite (mean_ext _ (fun z => mean (fun c => mean (fun d => f (increment z d)) (resent K j c))
      (view k users)) (K y)) by (intros; apply mean_bind).
    rewrite mean_swap; apply view_ext; intros c Hc; unfold resent.
    rewrite (view_permutation j (map K (listed 0 (increment y c))) (map K (y :: listed 0 c)))
      by (apply Permutation_map, (listed_increment 0 y c); lia).
    cbn [map]; rewrite view_cons; reflexivity.
Qed.

(** A randomizer applied to each message never raises the divergence of what the shuffler shows. *)
Theorem each_message (K : nat -> law nat) j k users users' E :
  (forall y, is_law (K y)) -> Forall (below k) users -> Forall (below k) users' ->
  hockey_stick same_counts (view j (map (fun u => bind u K) users))
    (view j (map (fun u => bind u K) users')) E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof.
  intros L B B'; rewrite (hockey_stick_ext _ _ _
    (bind (view k users) (resent K j)) (bind (view k users') (resent K j)))
    by (intros; now apply resent_view).
  apply randomized_post_processing; intros c; apply view_is_law, Forall_map, Forall_forall; auto.
Qed.

(** Nor do users whose data do not differ. *)
Theorem more_users k users users' others E :
  Forall is_law others ->
  hockey_stick same_counts (view k (users ++ others)) (view k (users' ++ others)) E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof.
  intros L; set (K := fun c => image (plus_counts c) (view k others)).
  assert (H : forall us f, mean f (view k (us ++ others)) = mean f (bind (view k us) K)).
  { intros us f; rewrite view_app, mean_bind; apply mean_ext; intros c; unfold K.
    now rewrite mean_image. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (H users) (H users')).
  apply randomized_post_processing; intros c; apply image_is_law, view_is_law, L.
Qed.

(** ** Letters and leftovers *)

Lemma total_count_increment y c :
  (y < length c)%nat -> list_sum (increment y c) = S (list_sum c).
Proof.
  revert y; induction c as [|n c IH]; intros y H; [inversion H|].
  destruct y as [|y]; cbn [increment]; [reflexivity|].
  change (n + list_sum (increment y c) = S (n + list_sum c))%nat.
  rewrite IH by (cbn in H; lia); lia.
Qed.

(** As many messages are counted as users sent one. *)
Lemma view_ext_total k users (f g : counts -> R) :
  Forall (below k) users ->
  (forall c, length c = k -> list_sum c = length users -> f c = g c) ->
  mean f (view k users) = mean g (view k users).
Proof.
  intros B; revert f g; induction B as [|u users Hu B IH]; intros f g H.
  - rewrite !view_nil; apply H; [apply repeat_length|].
    clear; induction k as [|k IH]; cbn; auto.
  - rewrite !view_cons; apply (mean_below k); [exact Hu|]; intros y Hy; apply IH; intros c Hc Hs.
    apply H; [now rewrite increment_length|]; cbn [length].
    rewrite total_count_increment; lia.
Qed.

Lemma plus_increment_right y c d :
  length c = length d -> plus_counts c (increment y d) = increment y (plus_counts c d).
Proof.
  revert y d; induction c as [|n c IH]; intros [|y] [|m d] H; cbn in *; try discriminate;
    try reflexivity; [now rewrite Nat.add_succ_r | now rewrite IH by lia].
Qed.

Lemma increment_above y c : (length c <= y)%nat -> increment y c = c.
Proof.
  revert y; induction c as [|n c IH]; intros [|y] H; cbn in *; try lia; try reflexivity.
  now rewrite IH by lia.
Qed.

Section Letters.
(** The messages are below k, the letters below m. A letter y is sent as a message by K y; a user
    other than the victim sends a letter drawn from [letter] with probability w, or else a message
    from a law of their own. *)
Variables (k m : nat) (letter : law nat) (K : nat -> law nat).
Hypotheses (letter_below : below m letter)
  (K_laws : forall y, is_law (K y)).

Definition sent (x : R * law nat) : law nat :=
  weighted (fst x) (bind letter K) ++ weighted (1 - fst x) (snd x).
(** A message that is no letter has the number m, and is not counted among m letters. *)
Definition label {X} (x : R * X) : law nat := weighted (fst x) letter ++ [(m, 1 - fst x)].

(** How many others send a letter, and the counts of the leftovers. *)
Fixpoint parts (others : list (R * law nat)) : law (nat * counts) :=
  match others with
  | [] => certain (0%nat, repeat 0%nat k)
  | (w, L) :: others => bind (parts others) (fun x =>
      (S (fst x), snd x, w) :: image (fun y => (fst x, increment y (snd x))) (weighted (1 - w) L))
  end.

Lemma mean_parts w L others (g : nat * counts -> R) :
  mean g (parts ((w, L) :: others)) = mean (fun x => w * g (S (fst x), snd x)
    + (1 - w) * mean (fun y => g (fst x, increment y (snd x))) L) (parts others).
Proof.
  cbn [parts]; rewrite mean_bind; apply mean_ext; intros x; cbn [mean].
  rewrite mean_image, mean_weighted; reflexivity.
Qed.

Lemma parts_ext others (g h : nat * counts -> R) :
  (forall i c, length c = k -> g (i, c) = h (i, c)) -> mean g (parts others) = mean h (parts others).
Proof.
  revert g h; induction others as [|[w L] others IH]; intros g h H.
  - cbn; rewrite H by apply repeat_length; reflexivity.
  - rewrite !mean_parts; apply IH; intros i c Hc; cbn [fst snd]; rewrite H by exact Hc.
    do 2 f_equal; apply mean_ext; intros y; apply H; now rewrite increment_length.
Qed.

Definition good (x : R * law nat) : Prop := 0 <= fst x <= 1 /\ is_law (snd x).

Lemma parts_nonnegative others : Forall good others -> nonnegative (parts others).
Proof.
  induction 1 as [|[w L] others [Hw [N _]] H IH]; [apply (certain_is_law (0%nat, repeat 0%nat k))|].
  cbn [parts]; apply nonnegative_bind; [exact IH|]; intros x; cbn in Hw, N; constructor; [cbn; lra|].
  apply nonnegative_image, nonnegative_weighted; [lra | exact N].
Qed.

Lemma sent_view us others (f : counts -> R) :
  mean f (view k (us ++ map sent others)) =
  mean (fun x => mean (fun e => f (plus_counts (snd x) e))
    (view k (us ++ repeat (bind letter K) (fst x)))) (parts others).
Proof.
  revert f; induction others as [|[w L] others IH]; intros f.
  - cbn [map parts certain mean fst snd repeat]; rewrite app_nil_r.
    rewrite (view_ext k us (fun e => f (plus_counts (repeat 0%nat k) e)) f); [ring|].
    intros c Hc; now rewrite plus_zero.
  - cbn [map]; rewrite (view_permutation k _ (sent (w, L) :: us ++ map sent others))
      by (symmetry; apply Permutation_middle).
    rewrite view_cons; change (sent (w, L)) with (weighted w (bind letter K) ++ weighted (1 - w) L).
    rewrite mean_app, !mean_weighted, mean_parts, mean_plus, !mean_scale; f_equal; f_equal.
    + rewrite (mean_ext _ _ _ (fun y => IH (fun c => f (increment y c)))), mean_swap.
      apply parts_ext; intros i c Hc; cbn [fst snd repeat].
      rewrite (view_permutation k _ (bind letter K :: us ++ repeat (bind letter K) i))
        by (symmetry; apply Permutation_middle).
      rewrite view_cons; apply mean_ext; intros y; apply view_ext; intros e He.
      rewrite plus_increment_right by lia; reflexivity.
    + rewrite (mean_ext _ _ _ (fun y => IH (fun c => f (increment y c)))), mean_swap.
      apply parts_ext; intros i c Hc; cbn [fst snd].
      apply mean_ext; intros y; apply view_ext; intros e He.
      rewrite plus_increment by lia; reflexivity.
Qed.

Lemma label_view us others (g : counts -> R) :
  Forall good others ->
  mean g (view m (us ++ map label others)) =
  mean (fun x => mean g (view m (us ++ repeat letter (fst x)))) (parts others).
Proof.
  intros G; revert g; induction G as [|[w L] others [_ [_ M]] G IH]; intros g.
  - cbn [map parts certain mean fst snd repeat]; rewrite app_nil_r; ring.
  - cbn [map]; rewrite (view_permutation m _ (label (w, L) :: us ++ map label others))
      by (symmetry; apply Permutation_middle).
    rewrite view_cons; change (label (w, L)) with (weighted w letter ++ [(m, 1 - w)]).
    cbn [snd] in M; rewrite mean_app, mean_weighted; cbn [mean]; rewrite mean_parts, mean_plus, !mean_scale, Rplus_0_r; f_equal; f_equal.
    + rewrite (mean_ext _ _ _ (fun y => IH (fun c => g (increment y c)))), mean_swap.
      apply mean_ext; intros x; cbn [fst repeat].
      rewrite (view_permutation m _ (letter :: us ++ repeat letter (fst x)))
        by (symmetry; apply Permutation_middle).
      rewrite view_cons; reflexivity.
    + rewrite (view_ext m _ _ g) by (intros c Hc; now rewrite increment_above by lia).
      rewrite IH; apply mean_ext; intros x; cbn [fst].
      rewrite (mean_ext _ (fun _ => mean g (view m (us ++ repeat letter (fst x))) * 1) L)
        by (intros; ring).
      rewrite mean_scale, M; ring.
Qed.

(** The view is no farther apart than the counts of the letters: who sends a leftover, and which
    one, says nothing about the victim. *)
Theorem letters v v' others E :
  below m v -> below m v' -> Forall good others ->
  hockey_stick same_counts (view k (bind v K :: map sent others)) (view k (bind v' K :: map sent others)) E
  <= hockey_stick same_counts (view m (v :: map label others)) (view m (v' :: map label others)) E.
Proof.
  intros Bv Bv' G.
  set (P := fun i => view m (v :: repeat letter i)); set (Q := fun i => view m (v' :: repeat letter i)).
  set (h := fun i => hockey_stick same_counts (P i) (Q i) E).
  set (T := fun e => best_event same_counts (P (pred (list_sum e))) (Q (pred (list_sum e))) E e).
  apply Rle_trans with (mean (fun x => h (fst x)) (parts others)).
  - apply below_every_event; intros X; unfold prob.
    assert (V : forall u, mean (indicator X) (view k (u :: map sent others))
      = mean (fun x => mean (fun e => indicator X (plus_counts (snd x) e))
          (view k (u :: repeat (bind letter K) (fst x)))) (parts others))
      by (intros u; exact (sent_view [u] others (indicator X))).
    rewrite !V, <- mean_scale; clear V.
    apply Rle_trans with (mean (fun x => E * mean (fun e => indicator X (plus_counts (snd x) e))
      (view k (bind v' K :: repeat (bind letter K) (fst x))) + h (fst x)) (parts others));
      [|rewrite mean_plus; lra].
    apply mean_le; [now apply parts_nonnegative|]; intros [i c]; cbn [fst snd].
    assert (R : forall u, bind u K :: repeat (bind letter K) i
      = map (fun u => bind u K) (u :: repeat letter i)).
    { intros u; cbn [map]; f_equal; clear; induction i as [|i IH]; cbn; congruence. }
    rewrite !R.
    assert (B : forall u, below m u -> Forall (below m) (u :: repeat letter i)).
    { intros u Hu; constructor; [exact Hu|]; apply Forall_forall; intros x Hx.
      apply repeat_spec in Hx; now subst. }
    pose proof (each_message K k m _ _ E K_laws (B v Bv) (B v' Bv')) as F; fold (P i) (Q i) in F.
    fold (h i) in F; apply (proj1 (below_every_event _ _ _ _ _)) with (S := fun e => X (plus_counts c e)) in F.
    exact F.
  - destruct (hockey_stick_largest same_counts (view m (v :: map label others))
      (view m (v' :: map label others)) E) as [U _]; specialize (U T).
    eapply Rle_trans; [|exact U]; clear U; apply Req_le; unfold prob.
    assert (V : forall u, mean (indicator T) (view m (u :: map label others))
      = mean (fun x => mean (indicator T) (view m (u :: repeat letter (fst x)))) (parts others))
      by (intros u; exact (label_view [u] others (indicator T) G)).
    rewrite !V; clear V.
    enough (H : forall x : nat * counts, h (fst x) = mean (indicator T) (view m (v :: repeat letter (fst x)))
      + - E * mean (indicator T) (view m (v' :: repeat letter (fst x)))).
    { rewrite (mean_ext _ _ _ H), mean_plus, mean_scale; ring. }
    intros [i c]; cbn [fst]; unfold h; rewrite <- best_event_attains; unfold prob.
    assert (S : forall u, below m u -> mean (indicator T) (view m (u :: repeat letter i))
      = mean (indicator (best_event same_counts (P i) (Q i) E)) (view m (u :: repeat letter i))).
    { intros u Hu; apply view_ext_total.
      - constructor; [exact Hu|]; apply Forall_forall; intros x Hx; apply repeat_spec in Hx; now subst.
      - intros e _ He; unfold indicator, T; rewrite He; cbn [length pred]; now rewrite repeat_length. }
    rewrite (S v Bv), (S v' Bv'); unfold P, Q; ring.
Qed.
End Letters.

(** U is a mixture: P with weight w, else Q. *)
Definition mixes (U : law nat) (w : R) (P Q : law nat) : Prop :=
  forall f, mean f U = w * mean f P + (1 - w) * mean f Q.

Lemma view_same k us vs (f : counts -> R) :
  Forall2 (fun u v => forall g, mean g u = mean g v) us vs -> mean f (view k us) = mean f (view k vs).
Proof.
  intros H; revert f; induction H as [|u v us vs E H IH]; intros f; [reflexivity|].
  rewrite !view_cons, E; apply mean_ext; intros y; apply IH.
Qed.

Lemma view_mixes k V w P Q us (f : counts -> R) :
  mixes V w P Q ->
  mean f (view k (V :: us)) = w * mean f (view k (P :: us)) + (1 - w) * mean f (view k (Q :: us)).
Proof. intros H; rewrite !view_cons; apply H. Qed.

(** The reduction to letters. With weight a the victim sends a letter drawn from v or, with the other
    data, from v', by K; else the same as with the other data. Every other user sends, with a weight
    of their own, a letter drawn from [letter], or else a leftover of their own. *)
Theorem reduction_to_letters k m (letter : law nat) (K : nat -> law nat) a V V' v v' rest
    (users : list (law nat)) (others : list (R * law nat)) E :
  below m letter -> (forall y, is_law (K y)) -> Forall is_law users ->
  below m v -> below m v' -> is_law rest -> 0 <= a <= 1 -> 1 <= E ->
  mixes V a (bind v K) rest -> mixes V' a (bind v' K) rest ->
  Forall good others ->
  Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) users others ->
  hockey_stick same_counts (view k (V :: users)) (view k (V' :: users)) E
  <= a * hockey_stick same_counts (view m (v :: map (label m letter) others))
      (view m (v' :: map (label m letter) others)) E.
Proof.
  intros Bl LK LU Bv Bv' LR Ha HE HV HV' G H.
  set (Z := view k (rest :: users)).
  rewrite (hockey_stick_ext _ _ _
    (weighted a (view k (bind v K :: users)) ++ weighted (1 - a) Z)
    (weighted a (view k (bind v' K :: users)) ++ weighted (1 - a) Z))
    by (intros f; rewrite mean_app, !mean_weighted; now apply view_mixes).
  eapply Rle_trans; [apply joint_convexity; exact Ha|].
  assert (hockey_stick same_counts Z Z E <= 0).
  { apply below_every_event; intros S.
    pose proof (prob_between S Z (view_is_law k _ (Forall_cons _ LR LU))); nra. }
  assert (F : forall u f, mean f (view k (u :: users))
    = mean f (view k (u :: map (sent letter K) others))).
  { intros u f; apply view_same; constructor; [reflexivity|].
    clear -H; induction H as [|x [w L] us os Hx H IH]; constructor; [|exact IH].
    intros g; unfold sent; cbn [fst snd]; rewrite mean_app, !mean_weighted; apply Hx. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F (bind v K)) (F (bind v' K))).
  pose proof (letters k m letter K Bl LK v v' others E Bv Bv' G) as T.
  assert ((1 - a) * hockey_stick same_counts Z Z E <= 0) by nra.
  pose proof (Rmult_le_compat_l a _ _ (proj1 Ha) T); lra.
Qed.
