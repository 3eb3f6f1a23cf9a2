(** * General randomized response attains the variation-ratio bound (Wang et al. 2023)

    Statements exported from the catalog's claims, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Blanket RandomizedResponse ResponseOrders TwoLetters Claims VariationRatio Swapping.
Import ListNotations.
Open Scope R_scope.

(** D of the counts of the messages of d-ary randomized response: the victim holds 0 or 1, all n - 1 others 2. *)
Definition thirds_apart (d n : nat) (x E : R) : R :=
  let others := repeat (randomized_response d x 2) (n - 1) in
  hockey_stick same_counts (view d (randomized_response d x 0 :: others)) (view d (randomized_response d x 1 :: others)) E.

(** All messages but 0 and 1 are one. *)
Definition first_two (y : nat) : nat := Nat.min y 2.

Lemma merged_response d x v s t g :
  (3 <= d)%nat -> 0 < x -> (v < 3)%nat ->
  s = (if Nat.eq_dec 0 v then own d x else other d x) -> t = (if Nat.eq_dec 1 v then own d x else other d x) ->
  mean g (image first_two (randomized_response d x v)) = mean g (three s t).
Proof.
  intros Hd Hx Hv -> ->; set (s := if Nat.eq_dec 0 v then _ else _); set (t := if Nat.eq_dec 1 v then _ else _).
  pose proof (proj2 (response_is_law d x v ltac:(lia) Hx)) as M; rewrite mean_response in M.
  rewrite mean_image, mean_response; destruct d as [|[|d]]; [lia | lia|]; cbn [seq map total] in *; fold s t in M |- *.
  set (w := fun y => if Nat.eq_dec y v then own (S (S d)) x else other (S (S d)) x) in *.
  assert (T : total (map (fun y => w y * g (first_two y)) (seq 2 d)) = g 2%nat * total (map (fun y => w y * 1) (seq 2 d))).
  { rewrite <- total_scale; apply total_ext; intros y Hy; apply in_seq in Hy.
    replace (first_two y) with 2%nat by (unfold first_two; lia); ring. }
  change (s * g (first_two 0) + (t * g (first_two 1) + total (map (fun y => w y * g (first_two y)) (seq 2 d)))
    = mean g (three s t)).
  rewrite T; replace (total (map (fun y => w y * 1) (seq 2 d))) with (1 - s - t) by (unfold w; lra).
  cbn; ring.
Qed.

Theorem wang2023_tight (d : nat) (n : nat) (exp_epsilon0 : R) (exp_epsilon : R) :
  (3 <= d)%nat -> (1 <= n)%nat -> 1 < exp_epsilon0 -> 1 <= exp_epsilon ->
  thirds_apart d n exp_epsilon0 exp_epsilon
  >= letters_apart n exp_epsilon0 (1 / ((exp_epsilon0 + (INR d)) - 1)) (1 / ((exp_epsilon0 + (INR d)) - 1)) exp_epsilon.
Proof.
  intros Hd _ Hx _; apply Rle_ge; assert (D : 3 <= INR d) by (replace 3 with (INR 3) by (cbn; ring); apply le_INR, Hd).
  set (x := exp_epsilon0) in *; set (others := repeat (randomized_response d x 2) (n - 1)).
  assert (P : 0 < other d x) by (unfold other; apply Rdiv_lt_0_compat; lra).
  assert (O : own d x = x * other d x) by (unfold own, other; field; lra).
  assert (L : 0 < 1 - x * other d x) by (unfold other; apply (Rmult_lt_reg_r (x + INR d - 1)); [lra|];
    replace ((1 - x * (1 / (x + INR d - 1))) * (x + INR d - 1)) with (INR d - 1) by (field; lra); lra).
  set (two := fun c : counts => (nth 0 c 0%nat, nth 1 c 0%nat)).
  assert (V : forall v s t shown, (v < 2)%nat -> shows shown x (other d x) s t ->
    s = (if Nat.eq_dec 0 v then own d x else other d x) -> t = (if Nat.eq_dec 1 v then own d x else other d x) ->
    forall f, mean f (image two (view 3 (map (image first_two) (randomized_response d x v :: others))))
      = mean f (mixture_counts shown x (other d x) (other d x) n)).
  { intros v s t shown Hv Hs Es Et f; rewrite mean_image.
    transitivity (mean (fun c => f (two c)) (view 3 (three s t :: repeat (three (other d x) (other d x)) (n - 1)))).
    - apply view_same; cbn [map]; constructor; [intros g; apply merged_response; (assumption || lia || lra)|].
      unfold others; clear -Hd Hx; induction (n - 1)%nat as [|m IH]; cbn [repeat map]; constructor; [|exact IH].
      intros g; apply merged_response; (reflexivity || lia || lra).
    - rewrite (view_ext 3 _ _ (fun c => f (two (firstn 2 c)))) by (intros [|a [|b c]] Hc; reflexivity || discriminate).
      rewrite (view_firstn 2 3 _ (fun c => f (two c))) by lia; rewrite (three_counted shown x (other d x)) by assumption.
      apply mean_ext; now intros [a b]. }
  unfold thirds_apart; fold others; eapply Rle_trans; [|apply (merging_messages first_two 3 d)].
  - eapply Rle_trans; [|apply (post_processing same_counts same_pair two)].
    unfold letters_apart; fold (other d x); right; symmetry; apply hockey_stick_ext; intros f.
    + apply (V 0%nat (own d x) (other d x) upright); [lia | left; rewrite O; auto | reflexivity | reflexivity].
    + apply (V 1%nat (other d x) (own d x) turned); [lia | right; rewrite O; auto | reflexivity | reflexivity].
  - constructor; [apply response_below|]; apply Forall_forall; intros u Hu; apply repeat_spec in Hu; subst u; apply response_below.
  - constructor; [apply response_below|]; apply Forall_forall; intros u Hu; apply repeat_spec in Hu; subst u; apply response_below.
Qed.
