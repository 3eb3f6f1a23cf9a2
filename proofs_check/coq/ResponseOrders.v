(** * k-ary randomized response: more noise, more users, more values, other names

    delta of the histogram of all messages, for a victim who holds u or v, as parameters move:
    - [more_noise]: it rises with x = e^eps0, as a smaller one is more randomized response on each message;
    - [more_data]: it falls as users come who hold the same value for both inputs of the victim;
    - [more_values]: it falls as the alphabet grows by values that nobody holds;
    - [renamed_values]: it is the same, or less, when inputs and messages are renamed alike.

    Source: Biswas, Jung, Palamidessi 2023, Section V-C1. *)

From Coq Require Import Reals List Lra Lia Bool Arith Permutation.
Require Import ExactDP Lemmas Blanket RandomizedResponse.
Import ListNotations.
Open Scope R_scope.

Definition users (k : nat) (x : R) (data : list nat) : list (law nat) := map (randomized_response k x) data.
Definition histogram_apart (k : nat) (x : R) (u v : nat) (others : list nat) (E : R) : R :=
  hockey_stick same_counts (view k (users k x (u :: others))) (view k (users k x (v :: others))) E.

Lemma response_below k x value : below k (randomized_response k x value).
Proof. apply Forall_map, Forall_forall; intros y Hy; apply in_seq in Hy; cbn; lia. Qed.

Lemma users_below k x data : Forall (below k) (users k x data).
Proof. apply Forall_map, Forall_forall; intros; apply response_below. Qed.

(** Two protocols that show the same, for users with these values. *)
Lemma view_of_users j k (L : nat -> law nat) (U : nat -> law nat) data (f : counts -> R) :
  Forall (fun v => (v < k)%nat) data ->
  (forall v g, (v < k)%nat -> mean g (L v) = mean g (U v)) ->
  mean f (view j (map L data)) = mean f (view j (map U data)).
Proof.
  intros D H; apply view_same; induction D as [|v data Hv D IH]; cbn; constructor; [|exact IH].
  intros g; now apply H.
Qed.

(** ** More noise *)

Lemma response_followed k x y z value f :
  (value < k)%nat -> 0 < x + INR k - 1 ->
  own k z = own k x * own k y + (1 - own k x) * other k y ->
  other k z = other k x * own k y + (1 - other k x) * other k y ->
  mean f (bind (randomized_response k x value) (randomized_response k y)) = mean f (randomized_response k z value).
Proof.
  intros Hv Hx Eo Eh; rewrite mean_bind, (mean_response k z).
  rewrite (mean_below k _ _ (fun u => total (map (fun w => (if Nat.eq_dec w u then own k y else other k y) * f w) (seq 0 k))));
    [|apply response_below | intros u _; apply mean_response].
  rewrite mean_total; apply total_ext; intros w Hw; apply in_seq in Hw.
  rewrite (mean_ext _ (fun u => if Nat.eq_dec u w then own k y * f w else other k y * f w))
    by (intros u; destruct (Nat.eq_dec w u), (Nat.eq_dec u w); subst; try contradiction; reflexivity).
  rewrite response_seen by (lia || lra); cbv zeta.
  destruct (Nat.eq_dec value w), (Nat.eq_dec w value); subst; try contradiction; rewrite ?Eo, ?Eh; ring.
Qed.

Theorem more_noise k x z u v others E :
  (2 <= k)%nat -> (u < k)%nat -> (v < k)%nat -> Forall (fun w => (w < k)%nat) others -> 1 < z -> z <= x ->
  histogram_apart k z u v others E <= histogram_apart k x u v others E.
Proof.
  intros Hk Hu Hv D Hz Hzx; destruct (Rle_lt_or_eq_dec _ _ Hzx) as [L| ->]; [|lra].
  apply (le_INR 2) in Hk as K2; change (INR 2) with 2 in K2.
  set (y := (z * (x + INR k - 2) - (INR k - 1)) / (x - z)).
  assert (Y : y + INR k - 1 = (x - 1) * (z + INR k - 1) / (x - z)) by (unfold y; field; lra).
  assert (P1 : 0 < (x - 1) * (z + INR k - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (P : 0 < y).
  { unfold y; apply Rdiv_lt_0_compat; [|lra].
    assert (1 * (x + INR k - 2) < z * (x + INR k - 2)) by (apply Rmult_lt_compat_r; lra); lra. }
  assert (Oy : own k y = (z * (x + INR k - 2) - (INR k - 1)) / ((x - 1) * (z + INR k - 1)))
    by (unfold own; rewrite Y; unfold y; field; repeat split; lra).
  assert (Hy : other k y = (x - z) / ((x - 1) * (z + INR k - 1)))
    by (unfold other; rewrite Y; field; repeat split; lra).
  set (K := fun w => if w <? k then randomized_response k y w else certain 0%nat).
  assert (LK : forall w, is_law (K w)).
  { intros w; unfold K; destruct (Nat.ltb_spec w k); [now apply response_is_law | apply certain_is_law]. }
  pose proof (each_message K k k (users k x (u :: others)) (users k x (v :: others)) E LK
    (users_below _ _ _) (users_below _ _ _)) as T.
  eapply Rle_trans; [|exact T]; right; unfold histogram_apart, users; rewrite !map_map.
  apply hockey_stick_ext; intros f; apply (view_of_users k k); try (constructor; assumption);
    intros w g Hw; symmetry; rewrite mean_bind, <- (response_followed k x y z w g Hw), mean_bind; try lra;
    try (rewrite Oy, Hy; unfold own, other; field; repeat split; lra);
    (apply (mean_below k); [apply response_below|]; intros t Ht; unfold K; destruct (Nat.ltb_spec t k); [reflexivity | lia]).
Qed.

(** ** More users, who hold the same for both inputs *)

Theorem more_data k x u v others more E :
  0 < x -> Forall (fun w => (w < k)%nat) more ->
  histogram_apart k x u v (others ++ more) E <= histogram_apart k x u v others E.
Proof.
  intros Hx D; unfold histogram_apart, users; rewrite !app_comm_cons, !map_app; apply more_users.
  apply Forall_map; eapply Forall_impl; [|exact D]; intros w Hw; now apply response_is_law.
Qed.

Lemma permuted_data k x u v others others' E :
  Permutation others others' -> histogram_apart k x u v others E = histogram_apart k x u v others' E.
Proof.
  intros H; apply hockey_stick_ext; intros f; apply view_permutation; unfold users; cbn [map];
    now apply perm_skip, Permutation_map.
Qed.

(** ** More values, which nobody holds *)

Lemma next_value k x u v others E :
  (u < k)%nat -> (v < k)%nat -> Forall (fun w => (w < k)%nat) others -> 1 < x ->
  histogram_apart (S k) x u v others E <= histogram_apart k x u v others E.
Proof.
  intros Hu Hv D Hx; assert (K : 1 <= INR k) by (apply (le_INR 1); lia).
  set (p := 1 / (x + INR k)).
  assert (P : 0 <= p <= 1).
  { unfold p; split; [apply Rlt_le, Rdiv_lt_0_compat; lra|].
    apply Rmult_le_reg_r with (x + INR k); [lra|]; replace (1 / (x + INR k) * (x + INR k)) with 1 by (field; lra); lra. }
  set (L := fun w : nat => [(w, 1 - p); (k, p)]).
  assert (LK : forall w, is_law (L w)).
  { intros w; split; [apply Forall_cons; [|apply Forall_cons; [|constructor]]; cbn; lra | cbn; ring]. }
  pose proof (each_message L (S k) k (users k x (u :: others)) (users k x (v :: others)) E LK
    (users_below _ _ _) (users_below _ _ _)) as T.
  eapply Rle_trans; [|exact T]; right; unfold histogram_apart, users; rewrite !map_map.
  apply hockey_stick_ext; intros f; apply (view_of_users (S k) k); try (constructor; assumption);
    intros w g Hw; symmetry; rewrite mean_bind;
    (rewrite (mean_ext _ (fun y => (1 - p) * g y + p * g k)) by (intros y; cbn; ring));
    rewrite mean_plus, mean_scale, (mean_ext (fun _ => p * g k) (fun _ => p * g k * 1)) by (intros; ring);
    rewrite mean_scale; (replace (mean (fun _ => 1) (randomized_response k x w)) with 1
      by (symmetry; apply response_is_law; [exact Hw | lra]));
    rewrite !mean_response, seq_S, map_app, total_app, <- total_scale; cbn [map total Nat.add];
    (destruct (Nat.eq_dec k w); [lia|]);
    (f_equal; [apply total_ext; intros y _ | ]; unfold own, other, p; rewrite S_INR; [destruct (Nat.eq_dec y w)|]; field; lra).
Qed.

Theorem more_values k k' x u v others E :
  (u < k)%nat -> (v < k)%nat -> Forall (fun w => (w < k)%nat) others -> 1 < x -> (k <= k')%nat ->
  histogram_apart k' x u v others E <= histogram_apart k x u v others E.
Proof.
  intros Hu Hv D Hx; induction 1 as [|m H IH]; [lra|].
  eapply Rle_trans; [apply next_value; try lia; try assumption | exact IH].
  eapply Forall_impl; [|exact D]; cbn; lia.
Qed.

(** ** Other names *)

Definition renames (k : nat) (h g : nat -> nat) : Prop :=
  forall y, (y < k)%nat -> (h y < k)%nat /\ (g y < k)%nat /\ g (h y) = y /\ h (g y) = y.

Lemma total_permutation xs ys : Permutation xs ys -> total xs = total ys.
Proof. induction 1; cbn; lra. Qed.

Lemma renamed_response k x h g value f :
  renames k h g -> (value < k)%nat ->
  mean f (image h (randomized_response k x value)) = mean f (randomized_response k x (h value)).
Proof.
  intros H Hv; rewrite mean_image, !mean_response.
  assert (P : Permutation (map h (seq 0 k)) (seq 0 k)).
  { apply NoDup_Permutation_bis; [|now rewrite map_length|].
    - apply (NoDup_map_inv g); rewrite map_map.
      rewrite (map_ext_in _ (fun y => y)), map_id by (intros y Hy; apply in_seq in Hy; apply H; lia).
      apply seq_NoDup.
    - intros z Hz; apply in_map_iff in Hz as [y [Z Hy]]; apply in_seq in Hy; apply in_seq; subst z.
      specialize (H y ltac:(lia)); lia. }
  rewrite <- (total_permutation _ _ (Permutation_map
    (fun y => (if Nat.eq_dec y (h value) then own k x else other k x) * f y) P)), map_map.
  apply total_ext; intros y Hy; apply in_seq in Hy.
  destruct (Nat.eq_dec y value) as [Y|N], (Nat.eq_dec (h y) (h value)) as [E|E]; try reflexivity; [congruence|].
  exfalso; apply N; rewrite <- (proj1 (proj2 (proj2 (H y ltac:(lia))))), E; now apply H.
Qed.

Theorem renamed_values k x h g u v others E :
  renames k h g -> (u < k)%nat -> (v < k)%nat -> Forall (fun w => (w < k)%nat) others ->
  histogram_apart k x (h u) (h v) (map h others) E <= histogram_apart k x u v others E.
Proof.
  intros H Hu Hv D.
  pose proof (merging_messages h k k (users k x (u :: others)) (users k x (v :: others)) E
    (users_below _ _ _) (users_below _ _ _)) as T.
  eapply Rle_trans; [|exact T]; right; unfold histogram_apart, users; rewrite <- !map_cons, !map_map.
  apply hockey_stick_ext; intros f; apply (view_of_users k k); try (constructor; assumption);
    intros w p Hw; symmetry; now apply (renamed_response k x h g).
Qed.

Definition swap (a b y : nat) : nat := if Nat.eq_dec y a then b else if Nat.eq_dec y b then a else y.

Lemma swap_renames k a b : (a < k)%nat -> (b < k)%nat -> renames k (swap a b) (swap a b).
Proof. intros Ha Hb y Hy; unfold swap; repeat split; repeat destruct Nat.eq_dec; lia. Qed.

(** Some renaming takes u to u' and v to v'. *)
Lemma renamed_pair k u v u' v' :
  (u < k)%nat -> (v < k)%nat -> (u' < k)%nat -> (v' < k)%nat -> u <> v -> u' <> v' ->
  exists h g, renames k h g /\ h u = u' /\ h v = v'.
Proof.
  intros Hu Hv Hu' Hv' N N'; set (s := swap u u'); set (t := swap (s v) v').
  assert (S : renames k s s) by (now apply swap_renames).
  assert (T : renames k t t) by (apply swap_renames; [apply S, Hv | exact Hv']).
  exists (fun y => t (s y)), (fun y => s (t y)); repeat split.
  - apply T, S, H.
  - apply S, T, H.
  - destruct (T (s y)) as [_ [_ [-> _]]]; [apply S, H|]; now apply S.
  - destruct (S (t y)) as [_ [_ [-> _]]]; [apply T, H|]; now apply T.
  - unfold t, s, swap; repeat destruct Nat.eq_dec; lia.
  - unfold t; unfold swap at 1; destruct Nat.eq_dec; lia.
Qed.
