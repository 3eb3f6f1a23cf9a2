(** * Lemmas that the papers' proofs cite

    Proved here, for all finite laws:
    - [group_privacy]: a chain of changes of one entry;
    - [each_message], [more_users]: what is done to each message alone, and what independent users
      add, is done to what the shuffler shows;
    - [partly_same]: where the victim's message depends on the data with weight a only, the views are at
      most a times as far apart. *)

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

(** ** Users one by one *)

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

Lemma increment_above y c : (length c <= y)%nat -> increment y c = c.
Proof.
  revert y; induction c as [|n c IH]; intros [|y] H; cbn in *; try lia; try reflexivity.
  now rewrite IH by lia.
Qed.

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

(** With weight a the victim's message is drawn from P or, with the other data, from Q; else the same. *)
Theorem partly_same k V V' a P Q rest users E :
  is_law rest -> Forall is_law users -> 0 <= a <= 1 -> 1 <= E -> mixes V a P rest -> mixes V' a Q rest ->
  hockey_stick same_counts (view k (V :: users)) (view k (V' :: users)) E
  <= a * hockey_stick same_counts (view k (P :: users)) (view k (Q :: users)) E.
Proof.
  intros LR LU Ha HE HV HV'; set (Z := view k (rest :: users)).
  rewrite (hockey_stick_ext _ _ _
    (weighted a (view k (P :: users)) ++ weighted (1 - a) Z) (weighted a (view k (Q :: users)) ++ weighted (1 - a) Z))
    by (intros f; rewrite mean_app, !mean_weighted; now apply view_mixes).
  eapply Rle_trans; [apply joint_convexity; exact Ha|].
  assert (hockey_stick same_counts Z Z E <= 0); [|nra].
  apply below_every_event; intros S.
  pose proof (prob_between S Z (view_is_law k _ (Forall_cons _ LR LU))); nra.
Qed.
