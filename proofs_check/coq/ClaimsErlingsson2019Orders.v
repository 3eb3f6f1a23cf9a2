(** * The orders in which Erlingsson et al. 2019 run local randomizers

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. Outcomes are listed
    with the last one first. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Composition Blanket Letters Swapping SwappedOrders ClaimsErlingsson2019Group.
Import ListNotations.
Open Scope R_scope.

(** ** One randomizer: the data are shuffled, or its outcomes *)

Definition alike {X A} (R0 : X -> law A) (data : list X) : list (list A -> X -> law A) :=
  repeat (fun _ => R0) (length data).

Lemma run_messages {X A} (R0 : X -> law A) zs : forall past (f : list A -> R),
  mean f (run (on_data (alike R0 zs) zs) past) = mean (fun ys => f (rev ys ++ past)) (messages (map R0 zs)).
Proof.
  induction zs as [|z zs IH]; intros past f; [reflexivity|]; cbn [map]; rewrite mean_messages_cons.
  change (run (on_data (alike R0 (z :: zs)) (z :: zs)) past) with (bind (R0 z) (fun y => run (on_data (alike R0 zs) zs) (y :: past))).
  rewrite mean_bind; apply mean_ext; intros y; rewrite IH; apply mean_ext; intros ys; cbn [rev]; now rewrite <- app_assoc.
Qed.

Lemma mean_total {A B} (F : B -> A -> R) l (P : law A) :
  total (map (fun v => mean (F v) P) l) = mean (fun a => total (map (fun v => F v a) l)) P.
Proof.
  induction l as [|v l IH]; cbn [map total].
  - rewrite (mean_ext _ (fun _ => 0 * 0)) by (intros; ring); rewrite mean_scale; ring.
  - rewrite IH, <- mean_plus; reflexivity.
Qed.

(** To insert an element and then to run, or to run and then to insert an outcome. *)
Lemma inserted_messages {X A} (R0 : X -> law A) x zs : forall g : list A -> R,
  total (map (fun v => mean g (messages (map R0 v))) (insertions x zs))
  = mean (fun y => mean (fun ys => total (map g (insertions y ys))) (messages (map R0 zs))) (R0 x).
Proof.
  induction zs as [|z zs IH]; intros g.
  - cbn [insertions map total]; rewrite mean_messages_cons, Rplus_0_r; apply mean_ext; intros y; cbn; ring.
  - cbn [insertions map total]; rewrite map_map; cbn [map].
    assert (E : total (map (fun v => mean g (messages (R0 z :: map R0 v))) (insertions x zs))
      = mean (fun y => mean (fun b => mean (fun ys => total (map (fun v => g (b :: v)) (insertions y ys)))
          (messages (map R0 zs))) (R0 z)) (R0 x)).
    { rewrite mean_swap, (total_ext _ (fun v => mean (fun b => mean (fun ys => g (b :: ys)) (messages (map R0 v))) (R0 z)))
        by (intros v _; apply mean_messages_cons).
      rewrite mean_total; apply mean_ext; intros b; apply (IH (fun ys => g (b :: ys))). }
    rewrite E, mean_messages_cons, <- mean_plus.
    apply mean_ext; intros y; rewrite !mean_messages_cons, <- mean_plus; apply mean_ext; intros b.
    rewrite <- mean_plus; apply mean_ext; intros ys; cbn [insertions map total]; now rewrite map_map.
Qed.

Lemma messages_of_length {A} (us : list (law A)) : forall f h : list A -> R,
  (forall ys, length ys = length us -> f ys = h ys) -> mean f (messages us) = mean h (messages us).
Proof.
  induction us as [|u us IH]; intros f h H; [cbn; now rewrite H|].
  rewrite !mean_messages_cons; apply mean_ext; intros y; apply IH; intros ys L; apply H; cbn; now rewrite L.
Qed.

Lemma messages_in_order {X A} (R0 : X -> law A) data : forall g : list A -> R,
  mean (fun zs => mean g (messages (map R0 zs))) (permuted data) = mean (fun ys => mean g (permuted ys)) (messages (map R0 data)).
Proof.
  induction data as [|x data IH]; intros g; [cbn; ring|]; cbn [permuted map]; rewrite mean_bind, mean_messages_cons.
  rewrite (mean_ext _ (fun zs => mean (fun ys => mean (fun y => mean g (inserted y ys)) (R0 x)) (messages (map R0 zs)))).
  - rewrite IH, mean_swap; apply mean_ext; intros ys; rewrite mean_swap; apply mean_ext; intros y.
    change (permuted (y :: ys)) with (bind (permuted ys) (inserted y)); now rewrite mean_bind.
  - intros zs; rewrite mean_inserted, inserted_messages, mean_swap, <- mean_scale.
    apply messages_of_length; intros ys L; rewrite map_length in L.
    rewrite <- mean_scale; apply mean_ext; intros y; now rewrite mean_inserted, L.
Qed.

(** A random order read backwards is one. *)
Lemma insertions_reversed {A} (x : A) zs : forall f : list A -> R,
  total (map (fun v => f (rev v)) (insertions x zs)) = total (map f (insertions x (rev zs))).
Proof.
  assert (L : forall z ws (f : list A -> R), total (map f (insertions x (ws ++ [z])))
    = total (map (fun v => f (v ++ [z])) (insertions x ws)) + f (ws ++ [z; x])).
  { intros z; induction ws as [|w ws IH]; intros f; [cbn; ring|]; cbn [app insertions map total]; rewrite !map_map.
    rewrite (IH (fun v => f (w :: v))); cbn [app]; ring. }
  induction zs as [|z zs IH]; intros f; [reflexivity|]; cbn [insertions map total rev]; rewrite L, map_map; cbn [rev].
  rewrite <- (IH (fun v => f (v ++ [z]))), <- app_assoc; cbn [app]; ring.
Qed.

Lemma permuted_reversed {A} (ys : list A) : forall f : list A -> R,
  mean (fun zs => f (rev zs)) (permuted ys) = mean f (permuted ys).
Proof.
  induction ys as [|y ys IH]; intros f; [reflexivity|]; cbn [permuted]; rewrite !mean_bind.
  rewrite <- (IH (fun zs => mean f (inserted y zs))); apply mean_ext; intros zs.
  now rewrite !mean_inserted, insertions_reversed, rev_length.
Qed.

Theorem erlingsson2019_shuffle_order {A : Type} {X : Type}
    (n : nat) (data : list X) (randomizer : X -> law A) (event : list A -> bool) :
  (1 <= n)%nat -> length data = n ->
  prob event (shuffled (alike randomizer data) data) = prob event (posted (alike randomizer data) data).
Proof.
  intros _ _; unfold prob, shuffled, posted; rewrite !mean_bind, run_messages.
  rewrite (permuted_length data _ (fun zs => mean (fun ys => indicator event (rev ys)) (messages (map randomizer zs)))).
  - rewrite (messages_in_order randomizer data (fun ys => indicator event (rev ys))); apply mean_ext; intros ys.
    rewrite app_nil_r, (permuted_reversed ys (indicator event)); apply permuted_order_blind, Permutation.Permutation_rev.
  - intros zs L; unfold alike; rewrite <- L; fold (alike randomizer zs); rewrite run_messages.
    apply mean_ext; intros ys; now rewrite app_nil_r.
Qed.

(** ** Adaptive randomizers: the order is drawn before, or each next element is one of those that are left *)

Fixpoint drawn {X A} (Ks : list (list A -> X -> law A)) (left : list X) (past : list A) : law (list A) :=
  match Ks with
  | [] => certain past
  | K :: Ks => bind (map (fun p => (p, / INR (length left))) (picks left))
      (fun p => bind (K past (fst p)) (fun y => drawn Ks (snd p) (y :: past)))
  end.

Lemma drawn_permuted {X A} (Ks : list (list A -> X -> law A)) : forall data past (f : list A -> R), length data = length Ks ->
  mean f (drawn Ks data past) = mean (fun zs => mean f (run (on_data Ks zs) past)) (permuted data).
Proof.
  induction Ks as [|K Ks IH]; intros data past f L; [destruct data; [cbn; ring | discriminate]|].
  assert (N : data <> []) by (destruct data; discriminate).
  assert (P : 0 < INR (length data)) by (rewrite L; apply lt_0_INR; cbn; lia).
  cbn [drawn]; rewrite mean_bind, (mean_listed (fun _ => / INR (length data))), total_scale.
  apply (Rmult_eq_reg_l (INR (length data))); [|lra]; rewrite first_drawn, <- Rmult_assoc, Rinv_r, Rmult_1_l by (exact N || lra).
  apply total_ext; intros p Hp; pose proof (picks_length data p Hp) as Q; rewrite mean_bind.
  rewrite (mean_ext (fun ws => mean f (run (on_data (K :: Ks) (fst p :: ws)) past))
    (fun ws => mean (fun y => mean f (run (on_data Ks ws) (y :: past))) (K past (fst p)))).
  - rewrite mean_swap; apply mean_ext; intros y; apply IH; cbn in L; lia.
  - intros ws; change (run (on_data (K :: Ks) (fst p :: ws)) past)
      with (bind (K past (fst p)) (fun y => run (on_data Ks ws) (y :: past))); apply mean_bind.
Qed.

Theorem erlingsson2019_algorithm_4 {A : Type} {X : Type}
    (n : nat) (data : list X) (randomizers : list (list A -> X -> law A)) (event : list A -> bool) :
  (1 <= n)%nat -> length data = n -> length randomizers = n ->
  prob event (drawn randomizers data []) = prob event (shuffled randomizers data).
Proof.
  intros _ D L; unfold prob, shuffled; rewrite mean_bind; apply drawn_permuted; congruence.
Qed.
