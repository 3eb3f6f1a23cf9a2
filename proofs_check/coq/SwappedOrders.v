(** * From swapping to shuffling

    A uniformly random order of x and others is one of the others with x put in place of a uniform one,
    which goes first, or x first.
    - [first_drawn]: the first of a random order is uniform, and the rest in random order;
    - [swapped_order]: the claim above;
    - [amplification_by_shuffling]: so what holds for swapping holds for adaptive randomizers on shuffled data.

    Source: Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019, Theorem 7. *)

From Coq Require Import Reals List Lra Lia Arith Bool Permutation.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket Letters TwoLetters Clones Swapping.
Import ListNotations.
Open Scope R_scope.

(** Each element with the others; each element of zs with zs in which x stands for it. *)
Fixpoint picks {X} (l : list X) : list (X * list X) :=
  match l with [] => [] | y :: l => (y, l) :: map (fun p => (fst p, y :: snd p)) (picks l) end.
Fixpoint replacements {X} (x : X) (zs : list X) : list (X * list X) :=
  match zs with [] => [] | z :: zs => (z, x :: zs) :: map (fun p => (fst p, z :: snd p)) (replacements x zs) end.

Lemma picks_length {X} (l : list X) p : In p (picks l) -> S (length (snd p)) = length l.
Proof.
  revert p; induction l as [|y l IH]; intros p H; [contradiction|]; destruct H as [<-|H]; [reflexivity|].
  apply in_map_iff in H as [q [<- H]]; cbn; f_equal; now apply IH.
Qed.

Lemma permuted_length {X} (l : list X) (f h : list X -> R) :
  (forall zs, length zs = length l -> f zs = h zs) -> mean f (permuted l) = mean h (permuted l).
Proof.
  revert f h; induction l as [|y l IH]; intros f h H; [cbn; now rewrite H|].
  cbn [permuted]; rewrite !mean_bind; apply IH; intros zs L; rewrite !mean_inserted; f_equal.
  apply insertions_of_equal_length; intros vs Lv; apply H; cbn; congruence.
Qed.

Lemma picks_nil {X} (y : X) (f : list X -> R) :
  mean f (permuted [y]) = f [y].
Proof. cbn [permuted]; rewrite mean_bind; unfold certain; cbn [mean]; rewrite mean_inserted; cbn; rewrite Rinv_1; ring. Qed.

Theorem first_drawn {X} (l : list X) : l <> [] -> forall f,
  INR (length l) * mean f (permuted l) =
  total (map (fun p => mean (fun ws => f (fst p :: ws)) (permuted (snd p))) (picks l)).
Proof.
  induction l as [|y l IH]; intros N f; [contradiction|]; clear N.
  assert (D : l = [] \/ l <> []) by (destruct l; [now left | right; discriminate]); destruct D as [->|N].
  - rewrite picks_nil; cbn; ring.
  - cbn [picks map total fst snd]; rewrite map_map; cbn [fst snd].
    cbn [permuted]; rewrite mean_bind.
    set (g := fun zs => match zs with [] => 0 | w :: ws => total (map (fun v => f (w :: v)) (insertions y ws)) end).
    assert (P : 0 < INR (length (y :: l))) by (apply lt_0_INR; cbn; lia).
    rewrite (permuted_length l _ (fun zs => / INR (length (y :: l)) * (f (y :: zs) + g zs))).
    + rewrite mean_scale, mean_plus, <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; f_equal.
      specialize (IH N g).
      assert (Q : 0 < INR (length l)) by (apply lt_0_INR; destruct l; [contradiction | cbn; lia]).
      apply (Rmult_eq_reg_l (INR (length l))); [|lra]; rewrite IH, <- total_scale.
      apply total_ext; intros p Hp; pose proof (picks_length l p Hp) as L; rewrite mean_bind.
      rewrite <- mean_scale; apply permuted_length; intros ws Lw; rewrite mean_inserted; unfold g; cbn [fst].
      replace (S (length ws)) with (length l) by lia; field; lra.
    + intros zs L; rewrite mean_inserted, L; cbn [length]; f_equal.
      destruct zs as [|w ws]; [destruct l; [contradiction | discriminate]|].
      cbn [insertions map total]; unfold g; now rewrite map_map.
Qed.

(** Insert o, then replace an element by x: it was o, or another one, before o came. *)
Lemma insert_then_replace {X} (o x : X) zs : forall g : X * list X -> R,
  total (map (fun vs => total (map g (replacements x vs))) (insertions o zs)) =
  total (map (fun v => g (o, v)) (insertions x zs))
  + total (map (fun r => total (map (fun v => g (fst r, v)) (insertions o (snd r)))) (replacements x zs)).
Proof.
  induction zs as [|z zs IH]; intros g; [cbn; ring|].
  cbn [insertions replacements map total fst snd]; rewrite !map_map; cbn [fst snd].
  cbn [insertions map total]; rewrite ?map_map; cbn [fst snd].
  rewrite (total_ext (fun y => total (map g (replacements x (z :: y))))
    (fun y => g (z, x :: y) + total (map (fun p => g (fst p, z :: snd p)) (replacements x y))))
    by (intros y _; cbn [replacements map total]; now rewrite map_map).
  rewrite total_plus, (IH (fun p => g (fst p, z :: snd p))); cbn [fst snd].
  rewrite (total_ext (fun r => total (map (fun v => g (fst r, v)) (insertions o (z :: snd r))))
    (fun r => g (fst r, o :: z :: snd r) + total (map (fun v => g (fst r, z :: v)) (insertions o (snd r)))))
    by (intros r _; cbn [insertions map total]; now rewrite map_map).
  rewrite total_plus; ring.
Qed.

Lemma replaced_order {X} (x : X) others : forall g : X * list X -> R,
  mean (fun zs => total (map g (replacements x zs))) (permuted others) =
  total (map (fun p => mean (fun ws => g (fst p, ws)) (permuted (x :: snd p))) (picks others)).
Proof.
  induction others as [|o others IH]; intros g; [cbn; ring|].
  cbn [picks map total fst snd]; rewrite map_map; cbn [fst snd].
  change (permuted (o :: others)) with (bind (permuted others) (inserted o)); rewrite mean_bind.
  rewrite (permuted_length others _ (fun zs => mean (fun v => g (o, v)) (inserted x zs)
    + total (map (fun r => mean (fun v => g (fst r, v)) (inserted o (snd r))) (replacements x zs)))).
  - rewrite mean_plus; f_equal.
    + change (permuted (x :: others)) with (bind (permuted others) (inserted x)); now rewrite mean_bind.
    + rewrite (IH (fun r => mean (fun v => g (fst r, v)) (inserted o (snd r)))); cbn [fst snd].
      apply total_ext; intros p _.
      transitivity (mean (fun ws => g (fst p, ws)) (permuted (o :: x :: snd p))).
      * change (permuted (o :: x :: snd p)) with (bind (permuted (x :: snd p)) (inserted o)); now rewrite mean_bind.
      * apply permuted_order_blind, perm_swap.
  - intros zs _; rewrite !mean_inserted, insert_then_replace, Rmult_plus_distr_l; f_equal.
    rewrite <- total_scale; apply total_ext; intros r Hr; rewrite mean_inserted; do 3 f_equal.
    revert r Hr; induction zs as [|z zs IHz]; intros r Hr; [contradiction|]; destruct Hr as [<-|Hr]; [reflexivity|].
    apply in_map_iff in Hr as [q [<- Hq]]; cbn; f_equal; now apply IHz.
Qed.

Theorem swapped_order {X} (x : X) others f :
  INR (S (length others)) * mean f (permuted (x :: others)) =
  mean (fun zs => f (x :: zs) + total (map (fun r => f (fst r :: snd r)) (replacements x zs))) (permuted others).
Proof.
  pose proof (first_drawn (x :: others) ltac:(discriminate) f) as F; cbn [length] in F; rewrite F.
  cbn [picks map total fst snd]; rewrite map_map; cbn [fst snd]; rewrite mean_plus; f_equal; symmetry.
  apply (replaced_order x others (fun r => f (fst r :: snd r))).
Qed.

(** ** The data as positions *)

Definition at_position {X} (d : X) (l : list X) (k : nat) : X := nth k l d.
Definition at_step {X A} (K0 : list A -> X -> law A) (Ks : list (list A -> X -> law A)) (past : list A) : X -> law A :=
  nth (length past) Ks K0 past.

Lemma run_on_data {X A} (K0 : list A -> X -> law A) all z d f : forall l Ks past,
  length Ks = length l ->
  (forall k, (k < length l)%nat -> nth (length past + k) all K0 = nth k Ks K0) ->
  (forall k, (k < length l)%nat -> z (length past + k)%nat = nth k l d) ->
  mean f (run (repeat (fed (at_step K0 all) z) (length l)) past) = mean f (run (on_data Ks l) past).
Proof.
  induction l as [|x l IH]; intros [|K Ks] past L HK Hz; try discriminate; [reflexivity|].
  change (on_data (K :: Ks) (x :: l)) with ((fun past => K past x) :: on_data Ks l).
  cbn [length repeat run]; rewrite !mean_bind.
  pose proof (HK 0%nat ltac:(cbn; lia)) as K00; pose proof (Hz 0%nat ltac:(cbn; lia)) as Z0.
  rewrite Nat.add_0_r in K00, Z0; cbn [nth] in K00, Z0.
  assert (E : fed (at_step K0 all) z past = K past x) by (unfold fed, at_step; now rewrite K00, Z0); rewrite E.
  apply mean_ext; intros y; apply IH; [now injection L | |]; intros k Hk; cbn [length]; rewrite Nat.add_succ_l, <- Nat.add_succ_r.
  - apply HK; cbn; lia.
  - apply Hz; cbn; lia.
Qed.

Lemma replacements_length {X} (x : X) zs : length (replacements x zs) = length zs.
Proof. induction zs as [|z zs IH]; cbn; [reflexivity | now rewrite map_length, IH]. Qed.

Lemma replacement_at {X} (x d : X) zs : forall j, (j < length zs)%nat ->
  let p := nth j (replacements x zs) (x, []) in
  fst p = nth j zs d /\ length (snd p) = length zs /\ forall k, nth k (snd p) d = if k =? j then x else nth k zs d.
Proof.
  induction zs as [|z zs IH]; intros j Hj; [cbn in Hj; lia|]; destruct j as [|j]; cbn [replacements nth]; cbv zeta.
  - repeat split; intros [|k]; reflexivity.
  - cbn [length] in Hj; rewrite (nth_indep _ (x, []) (fst (x, @nil X), z :: snd (x, @nil X)))
      by (rewrite map_length, replacements_length; lia).
    rewrite (map_nth (fun p => (fst p, z :: snd p)) (replacements x zs) (x, [])).
    destruct (IH j ltac:(lia)) as [E [L H]]; cbn [fst snd]; split; [exact E|]; split; [cbn; now f_equal|].
    intros [|k]; [reflexivity|]; cbn [nth Nat.eqb]; apply H.
Qed.

Lemma total_nth {X} (f : X -> R) d l : total (map f l) = total (map (fun j => f (nth j l d)) (seq 0 (length l))).
Proof.
  induction l as [|x l IH]; [reflexivity|]; cbn [length seq map total nth]; f_equal.
  now rewrite <- seq_shift, map_map.
Qed.

Section Shuffled.
Context {X A : Type} (same : forall x y : A, {x = y} + {x <> y}).
Variables (Ks : list (list A -> X -> law A)) (K0 : list A -> X -> law A) (d : X) (others : list X).
Hypotheses L : length Ks = S (length others).

Lemma swapped_as_lists (x : X) zs f : length zs = length others ->
  INR (length Ks) * mean f (swapped_run (at_step K0 Ks) (at_position d (x :: zs)) (length Ks)) =
  mean f (run (on_data Ks (x :: zs)) [])
  + total (map (fun r => mean f (run (on_data Ks (fst r :: snd r)) [])) (replacements x zs)).
Proof.
  intros Hz; assert (N : 0 < INR (length Ks)) by (apply lt_0_INR; lia).
  unfold swapped_run, uniform; rewrite mean_bind, mean_listed, total_scale, <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
  rewrite (total_nth _ (x, []) (replacements x zs)), replacements_length, Hz.
  replace (seq 0 (length Ks)) with (0 :: seq 1 (length others))%nat by (now rewrite L).
  cbn [map total]; rewrite <- seq_shift, map_map; f_equal.
  - rewrite L, <- Hz; change (S (length zs)) with (length (x :: zs)).
    apply (run_on_data K0 Ks _ d); [cbn; lia | reflexivity|]; intros k Hk; unfold swapped, at_position.
    cbn [length plus]; destruct (Nat.eqb_spec k 0) as [->|]; reflexivity.
  - apply total_ext; intros j Hj; apply in_seq in Hj; destruct (replacement_at x d zs j ltac:(lia)) as [E [Lr H]].
    set (r := nth j (replacements x zs) (x, [])) in *.
    replace (length Ks) with (length (fst r :: snd r)) by (cbn; lia).
    apply (run_on_data K0 Ks _ d); [cbn; lia | reflexivity|]; intros k Hk; unfold swapped, at_position; cbn [length plus].
    destruct k as [|k]; cbn [Nat.eqb nth]; [symmetry; exact E|]; rewrite H; now destruct (Nat.eqb_spec k j).
Qed.

Lemma shuffled_swapped (x : X) f :
  mean f (shuffled Ks (x :: others)) =
  mean f (bind (permuted others) (fun zs => swapped_run (at_step K0 Ks) (at_position d (x :: zs)) (length Ks))).
Proof.
  assert (N : 0 < INR (length Ks)) by (apply lt_0_INR; lia).
  apply (Rmult_eq_reg_l (INR (length Ks))); [|lra]; unfold shuffled; rewrite !mean_bind, L, swapped_order, <- L.
  rewrite <- mean_scale; apply permuted_length; intros zs Hz; symmetry; now apply swapped_as_lists.
Qed.
End Shuffled.

(** The outcomes on shuffled data are those of swapping one element among the others in a random order. *)
Theorem shuffling_swaps {X A} (same : forall x y : A, {x = y} + {x <> y})
    (Ks : list (list A -> X -> law A)) x n (before after : list X) x0 :
  length (before ++ x0 :: after) = n -> length Ks = n ->
  Forall (fun K => forall past z z', is_law (K past z) /\ within same x (K past z) (K past z')) Ks ->
  exists K : list A -> X -> law A, (forall past z z', is_law (K past z) /\ within same x (K past z) (K past z')) /\
    forall y f, mean f (shuffled Ks (before ++ y :: after))
      = mean f (bind (permuted (before ++ after)) (fun zs => swapped_run K (at_position x0 (y :: zs)) n)).
Proof.
  intros Ln LK H; set (others := before ++ after).
  assert (Lo : length Ks = S (length others)) by (unfold others; rewrite app_length in *; cbn in Ln; lia).
  destruct Ks as [|K0 Ks']; [discriminate|]; set (Ks := K0 :: Ks') in *.
  exists (at_step K0 Ks); split.
  - intros past z z'; unfold at_step; destruct (nth_in_or_default (length past) Ks K0) as [I|E].
    + now apply (proj1 (Forall_forall _ _) H).
    + rewrite E; apply (Forall_inv H).
  - intros y f; rewrite (shuffled_order_blind Ks _ (y :: others)) by (symmetry; apply Permutation_middle).
    rewrite <- LK; now apply shuffled_swapped.
Qed.

(** What holds for swapping holds for shuffling. *)
Theorem amplification_by_shuffling {X A} (same : forall x y : A, {x = y} + {x <> y})
    (Ks : list (list A -> X -> law A)) x n (before after : list X) x0 x1 d :
  1 <= x -> length (before ++ x0 :: after) = n -> length Ks = n ->
  Forall (fun K => forall past z z', is_law (K past z) /\ within same x (K past z) (K past z')) Ks -> 0 < d <= 1 ->
  let e := step_epsilon x n in
  hockey_stick (list_eq_dec same) (shuffled Ks (before ++ x0 :: after)) (shuffled Ks (before ++ x1 :: after))
    (exp (sqrt (2 * INR n * ln (1 / d)) * e + INR n * e * (exp e - 1))) <= d.
Proof.
  intros Hx Ln LK H Hd; cbv zeta; destruct (shuffling_swaps same Ks x n before after x0 Ln LK H) as [K [P F]].
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F x0) (F x1)).
  destruct (permuted_is_law (before ++ after)) as [Np Mp]; eapply Rle_trans; [now apply mixed_pairs|].
  apply Rle_trans with (mean (fun _ => d * 1) (permuted (before ++ after))); [|rewrite mean_scale, Mp; lra].
  apply mean_le; [exact Np|]; intros zs; rewrite Rmult_1_r.
  apply (amplification_by_swapping same K x n); try assumption; [rewrite app_length in Ln; cbn in Ln; lia|].
  intros [|k] Hk; [contradiction | reflexivity].
Qed.
