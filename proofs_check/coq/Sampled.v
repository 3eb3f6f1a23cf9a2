(** * Sampled items among blanket messages

    A user holds items 0, ..., d - 1 and sends each with probability [rate], or else nothing (message d, which
    is not counted); a blanket slot sends a uniform item with probability gamma, or else nothing.
    - [others_add]: what the other users send never raises a measure with the data-processing inequality;
      [known_messages]: it changes nothing where the others send all that they hold;
    - [counts_of_two]: the counts of the victim's item and of another are those of the reduction for p = infinity;
    - [three_counts]: with the number of all other items they are all that the messages tell;
    - [one_item], [items_exchanged]: what the hockey-stick divergence is at most, for one item and for several;
    - [slots_that_send]: slots that send with probability gamma are binomially many messages.

    Source: Wang, Chen, Zeng, Yang, Jiang, Ye, Yu, Mei, Huang, Yang, Xin 2024, Algorithm 2 and Section 5.1. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas Blanket RandomizedResponse Letters TwoLetters VariationRatio Measures.
Import ListNotations.
Open Scope R_scope.

(** ** Algorithm 2 *)

Definition sent (d : nat) (rate : R) (item : nat) : law nat := [(item, rate); (d, 1 - rate)].
Definition slot (d : nat) (gamma : R) : law nat :=
  map (fun j => (j, gamma / INR d)) (seq 0 d) ++ [(d, 1 - gamma)].
Definition sends (d : nat) (user : list nat * R) : list (law nat) := map (sent d (snd user)) (fst user).
Definition all_sent (d slots : nat) (gamma : R) (user : list nat * R) (others : list (list nat * R)) :=
  (sends d user ++ repeat (slot d gamma) slots) ++ flat_map (sends d) others.
Definition messages_of (d slots : nat) (gamma : R) (user : list nat * R) (others : list (list nat * R)) : law counts :=
  view d (all_sent d slots gamma user others).
Definition between (D : measure) (d slots : nat) (gamma : R) (sets : list nat * list nat) (rate : R)
    (others : list (list nat * R)) : R :=
  D counts same_counts (messages_of d slots gamma (fst sets, rate) others)
    (messages_of d slots gamma (snd sets, rate) others).
Definition is_rate (user : list nat * R) : Prop := 0 <= snd user <= 1.

Lemma sent_is_law d rate item : 0 <= rate <= 1 -> is_law (sent d rate item).
Proof. intros H; split; [do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil | cbn; ring]. Qed.

Lemma mean_slot d gamma f :
  mean f (slot d gamma) = gamma / INR d * total (map f (seq 0 d)) + (1 - gamma) * f d.
Proof.
  unfold slot; rewrite mean_app; cbn [mean]; rewrite Rplus_0_r; f_equal.
  induction (seq 0 d) as [|j js IH]; cbn; [ring | rewrite IH; ring].
Qed.

Lemma total_ones {A} (xs : list A) : total (map (fun _ => 1) xs) = INR (length xs).
Proof. induction xs as [|x xs IH]; [reflexivity|]; cbn [map total length]; rewrite IH, S_INR; ring. Qed.

Lemma slot_is_law d gamma : (1 <= d)%nat -> 0 <= gamma <= 1 -> is_law (slot d gamma).
Proof.
  intros Hd Hg; assert (0 < INR d) by (apply lt_0_INR; lia); split.
  - apply Forall_app; split; [|apply Forall_cons; [cbn; lra | apply Forall_nil]].
    apply Forall_map, Forall_forall; intros j _; cbn; apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
  - rewrite mean_slot, total_ones, seq_length; field; lra.
Qed.

Lemma sends_are_laws d user : is_rate user -> Forall is_law (sends d user).
Proof. intros H; apply Forall_map, Forall_forall; intros; now apply sent_is_law. Qed.

Lemma others_are_laws d others : Forall is_rate others -> Forall is_law (flat_map (sends d) others).
Proof. induction 1; cbn; [constructor | apply Forall_app; split; [now apply sends_are_laws | assumption]]. Qed.

Lemma messages_are_law d slots gamma user others :
  (1 <= d)%nat -> 0 <= gamma <= 1 -> is_rate user -> Forall is_rate others ->
  is_law (messages_of d slots gamma user others).
Proof.
  intros; apply view_is_law, Forall_app; split; [apply Forall_app; split|].
  - now apply sends_are_laws.
  - now apply repeated, slot_is_law.
  - now apply others_are_laws.
Qed.

(** ** Other users *)

Theorem others_add D d slots gamma sets rate others :
  data_processing D -> (1 <= d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> Forall is_rate others ->
  between D d slots gamma sets rate others <= between D d slots gamma sets rate [].
Proof.
  intros HD Hd Hg Hr HO; unfold between.
  apply (HD counts counts same_counts same_counts (fun c => image (plus_counts c) (view d (flat_map (sends d) others))));
    try (apply messages_are_law; try assumption; now constructor).
  - intros c; now apply image_is_law, view_is_law, others_are_laws.
  - intros f; unfold messages_of, all_sent; cbn [flat_map]; rewrite app_nil_r, view_app, mean_bind.
    apply mean_ext; intros c; now rewrite mean_image.
  - intros f; unfold messages_of, all_sent; cbn [flat_map]; rewrite app_nil_r, view_app, mean_bind.
    apply mean_ext; intros c; now rewrite mean_image.
Qed.

Fixpoint minus_counts (c d : counts) : counts :=
  match c, d with m :: c, n :: d => (m - n)%nat :: minus_counts c d | _, _ => [] end.

Lemma plus_minus c d : length c = length d -> minus_counts (plus_counts c d) d = c.
Proof.
  revert d; induction c as [|m c IH]; intros [|n d] H; try discriminate; [reflexivity|].
  cbn; rewrite IH by (cbn in H; lia); f_equal; lia.
Qed.

Lemma sent_for_certain d k users f :
  Forall (fun u => snd u = 1) users ->
  mean f (view k (flat_map (sends d) users)) = f (histogram k (flat_map fst users)).
Proof.
  intros H; revert f; induction H as [|[items rate] users Hu H IH]; intros f; [apply view_nil|].
  cbn in Hu; subst rate; cbn [flat_map fst]; revert f; induction items as [|j items IHi]; intros f; [apply IH|].
  unfold sends; cbn [fst snd map List.app]; rewrite view_cons; cbn [mean sent].
  transitivity (mean (fun c => f (increment j c)) (view k (sends d (items, 1) ++ flat_map (sends d) users)));
    [unfold sends; cbn [fst snd]; ring|]; now rewrite IHi.
Qed.

Theorem known_messages D d slots gamma sets rate others :
  data_processing D -> (1 <= d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> Forall (fun u => snd u = 1) others ->
  between D d slots gamma sets rate others = between D d slots gamma sets rate [].
Proof.
  intros HD Hd Hg Hr HO.
  assert (RO : Forall is_rate others) by (eapply Forall_impl; [|exact HO]; intros u Hu; unfold is_rate; rewrite Hu; lra).
  apply Rle_antisym; [now apply others_add|]; unfold between.
  apply (HD counts counts same_counts same_counts (fun c => certain (minus_counts c (histogram d (flat_map fst others)))));
    try (apply messages_are_law; try assumption; now constructor).
  - intros c; apply certain_is_law.
  - intros f; rewrite mean_bind; unfold messages_of, all_sent; cbn [flat_map].
    rewrite app_nil_r, (view_app d (_ ++ _)); apply view_ext; intros c Hc.
    rewrite sent_for_certain by exact HO; cbn [mean certain]; rewrite plus_minus by (now rewrite histogram_length); ring.
  - intros f; rewrite mean_bind; unfold messages_of, all_sent; cbn [flat_map].
    rewrite app_nil_r, (view_app d (_ ++ _)); apply view_ext; intros c Hc.
    rewrite sent_for_certain by exact HO; cbn [mean certain]; rewrite plus_minus by (now rewrite histogram_length); ring.
Qed.

(** ** Two items and all others *)

Section Items.
Variables (d x0 x1 : nat).
Hypotheses (H0 : (x0 < d)%nat) (H1 : (x1 < d)%nat) (H01 : x0 <> x1).

Definition place (other nothing : nat) (y : nat) : nat :=
  if Nat.eq_dec y x0 then 0%nat else if Nat.eq_dec y x1 then 1%nat else if lt_dec y d then other else nothing.
Definition is_other (y : nat) : bool := if Nat.eq_dec y x0 then false else if Nat.eq_dec y x1 then false else true.
Definition other_items : list nat := filter is_other (seq 0 d).

Lemma over_items g : total (map g (seq 0 d)) = g x0 + g x1 + total (map g other_items).
Proof.
  unfold other_items.
  transitivity (total (map (fun j => (g j * indicator (at_ Nat.eq_dec j) x0 + g j * indicator (at_ Nat.eq_dec j) x1)
    + (if is_other j then g j else 0)) (seq 0 d))).
  - apply total_ext; intros j _; unfold indicator, at_, is_other.
    destruct (Nat.eq_dec j x0), (Nat.eq_dec j x1); subst; try congruence; ring.
  - rewrite total_plus, total_plus, !total_at by apply seq_NoDup.
    destruct (in_dec Nat.eq_dec x0 (seq 0 d)) as [_|n]; [|destruct n; apply in_seq; lia].
    destruct (in_dec Nat.eq_dec x1 (seq 0 d)) as [_|n]; [|destruct n; apply in_seq; lia].
    f_equal; induction (seq 0 d) as [|j js IH]; [reflexivity|]; cbn; destruct (is_other j); cbn; rewrite IH; ring.
Qed.

Lemma other_items_are y : In y other_items -> (y < d)%nat /\ y <> x0 /\ y <> x1.
Proof.
  intros H; apply filter_In in H as [H E]; apply in_seq in H; unfold is_other in E.
  destruct (Nat.eq_dec y x0), (Nat.eq_dec y x1); try discriminate; lia.
Qed.

Lemma number_of_others : INR (length other_items) = INR d - 2.
Proof.
  pose proof (over_items (fun _ => 1)) as E; rewrite !total_ones, seq_length in E; lra.
Qed.

Lemma placed_slot other nothing gamma f :
  mean f (image (place other nothing) (slot d gamma)) =
  gamma / INR d * f 0%nat + gamma / INR d * f 1%nat + (INR d - 2) * (gamma / INR d) * f other + (1 - gamma) * f nothing.
Proof.
  rewrite mean_image, mean_slot, over_items.
  rewrite (total_ext _ (fun _ => f other * 1) other_items).
  - rewrite total_scale, total_ones, number_of_others; unfold place.
    destruct (Nat.eq_dec x0 x0), (Nat.eq_dec x1 x0), (Nat.eq_dec x1 x1), (Nat.eq_dec d x0), (Nat.eq_dec d x1), (lt_dec d d);
      try congruence; try lia; ring.
  - intros y Hy; apply other_items_are in Hy; unfold place.
    destruct (Nat.eq_dec y x0), (Nat.eq_dec y x1), (lt_dec y d); try lia; ring.
Qed.
End Items.

Lemma regroup_length h j x c : length (regroup h j x c) = j.
Proof.
  revert x; induction c as [|n c IH]; intros x; cbn; [apply repeat_length|].
  rewrite <- (IH (S x)) at 2; generalize (regroup h j (S x) c) as e; intros e.
  induction n as [|n IHn]; cbn; [reflexivity | now rewrite increment_length].
Qed.

(** Messages that are put together are counted together; what is no item stays uncounted. *)
Lemma grouped h j k users f :
  (forall y, (k <= y)%nat -> (j <= h y)%nat) ->
  mean (fun c => f (regroup h j 0 c)) (view k users) = mean f (view j (map (image h) users)).
Proof.
  intros H; revert f; induction users as [|u users IH]; intros f; [rewrite !view_nil, regroup_zero; reflexivity|].
  cbn [map]; rewrite !view_cons, mean_image; apply mean_ext; intros y; rewrite <- IH.
  apply view_ext; intros c Hc; destruct (lt_dec y k).
  - now rewrite regroup_increment by lia.
  - rewrite (increment_above y) by lia; f_equal; symmetry; apply increment_above.
    rewrite regroup_length; apply H; lia.
Qed.

Lemma mean_beyond j u g h : Forall (fun x => (j <= fst x)%nat) u ->
  (forall z, (j <= z)%nat -> g z = h) -> mean g u = h * mean (fun _ : nat => 1) u.
Proof. intros B H; induction B as [|[z w] u Hz B IH]; cbn in *; [ring|]; rewrite IH, H by exact Hz; ring. Qed.

(** Each counted message is sent again; one that is not counted stays so. *)
Lemma resent_some (K : nat -> law nat) j k users f :
  (forall y, (k <= y)%nat -> Forall (fun x => (j <= fst x)%nat) (K y) /\ mean (fun _ => 1) (K y) = 1) ->
  mean f (view j (map (fun u => bind u K) users)) = mean f (bind (view k users) (resent K j)).
Proof.
  intros H; revert f; induction users as [|u users IH]; intros f; rewrite mean_bind.
  - cbn [map]; rewrite !view_nil; unfold resent; rewrite listed_zero; cbn [map]; now rewrite view_nil.
  - cbn [map]; rewrite !view_cons, mean_bind; apply mean_ext; intros y.
    rewrite (mean_ext _ _ (K y) (fun z => IH (fun c => f (increment z c)))).
    rewrite (mean_ext _ (fun z => mean (fun c => mean (fun d => f (increment z d)) (resent K j c))
      (view k users)) (K y)) by (intros; apply mean_bind).
    rewrite mean_swap; apply view_ext; intros c Hc; unfold resent; destruct (lt_dec y k).
    + rewrite (view_permutation j (map K (listed 0 (increment y c))) (map K (y :: listed 0 c)))
        by (apply Permutation_map, (listed_increment 0 y c); lia).
      cbn [map]; rewrite view_cons; reflexivity.
    + destruct (H y) as [B M]; [lia|]; rewrite increment_above by lia.
      rewrite (mean_beyond j _ _ _ B (fun z Hz => view_ext j _ _ f (fun e He => f_equal f (increment_above z e ltac:(lia))))).
      rewrite M; ring.
Qed.

(** ** The counts of two items *)

(** C ~ Bin(n, 2 r), A ~ Bin(C, 1/2), one more letter with probability [rate]: Theorem 1 for p = infinity. *)
Definition letters_counted (shown : nat -> nat -> nat -> nat -> nat * nat) (rate r : R) (n : nat) : law (nat * nat) :=
  bind (heads (2 * r) n) (fun c => bind (heads (1 / 2) c) (fun a => bind (heads rate 1) (fun x => certain (shown c a x 0%nat)))).

Lemma letters_viewed i rate r n f : (i < 2)%nat ->
  mean f (view 2 ([(i, rate); (2%nat, 1 - rate)] :: repeat (label 2 fair (2 * r, tt)) n)) =
  mean (fun c => f [fst c; snd c]) (letters_counted (if Nat.eq_dec i 0 then upright else turned) rate r n).
Proof.
  intros Hi; rewrite view_cons; unfold letters_counted; rewrite mean_bind.
  rewrite (mean_ext _ _ [(i, rate); (2%nat, 1 - rate)] (fun y => labels_counted (2 * r) n (fun c => f (increment y c)))).
  rewrite mean_swap; apply mean_ext; intros c; rewrite mean_bind, mean_swap; apply mean_ext; intros a.
  rewrite mean_bind, heads_S; cbn [mean heads certain increment].
  destruct i as [|[|i]]; [| |lia]; cbn -[Nat.add Nat.sub]; rewrite !Nat.add_0_r, !Nat.add_1_r; ring.
Qed.

Lemma view_silent k us vs f :
  Forall (fun v => forall g, mean g v = g k) vs -> mean f (view k (us ++ vs)) = mean f (view k us).
Proof.
  intros H; induction H as [|v vs Hv H IH]; [now rewrite app_nil_r|].
  rewrite (view_permutation k _ (v :: us ++ vs)) by (symmetry; apply Permutation_middle).
  rewrite view_cons, Hv, <- IH; apply view_ext; intros c Hc; now rewrite increment_above by lia.
Qed.

Lemma mapped_repeat {A B} (h : A -> B) x n : map h (repeat x n) = repeat (h x) n.
Proof. induction n; cbn; congruence. Qed.

Lemma Forall2_repeat {A B} (Q : A -> B -> Prop) x y n : Q x y -> Forall2 Q (repeat x n) (repeat y n).
Proof. intros H; induction n; cbn; now constructor. Qed.

Section Two.
Variables (d x0 x1 : nat).
Hypotheses (H0 : (x0 < d)%nat) (H1 : (x1 < d)%nat) (H01 : x0 <> x1).

Definition picked (c : counts) : nat * nat := (nth x0 c 0%nat, nth x1 c 0%nat).

Lemma picked_view us f :
  mean (fun c => f (picked c)) (view d us) =
  mean (fun c => f (nth 0 c 0%nat, nth 1 c 0%nat)) (view 2 (map (image (place d x0 x1 2 2)) us)).
Proof.
  revert f; induction us as [|u us IH]; intros f; [rewrite !view_nil; unfold picked; now rewrite !nth_repeat|].
  cbn [map]; rewrite !view_cons, mean_image; apply mean_ext; intros y.
  transitivity (mean (fun c => f (if Nat.eq_dec y x0 then S (fst (picked c)) else fst (picked c),
    if Nat.eq_dec y x1 then S (snd (picked c)) else snd (picked c))%nat) (view d us)).
  { apply view_ext; intros c Hc; unfold picked; cbn [fst snd]; now rewrite !nth_increment by lia. }
  rewrite (IH (fun p => f (if Nat.eq_dec y x0 then S (fst p) else fst p, if Nat.eq_dec y x1 then S (snd p) else snd p)%nat)).
  apply view_ext; intros c Hc; destruct c as [|a [|b [|e c]]]; try discriminate; unfold place; cbn [fst snd nth].
  destruct (Nat.eq_dec y x0), (Nat.eq_dec y x1); try congruence; try reflexivity; destruct (lt_dec y d); reflexivity.
Qed.

Definition holds_neither (user : list nat * R) : Prop := Forall (fun j => (j < d)%nat /\ j <> x0 /\ j <> x1) (fst user).

Lemma placed_others other j rate g : (j < d)%nat /\ j <> x0 /\ j <> x1 ->
  mean g (image (place d x0 x1 other other) (sent d rate j)) = g other.
Proof.
  intros Hj; rewrite mean_image; cbn; unfold place.
  destruct (Nat.eq_dec j x0), (Nat.eq_dec j x1), (Nat.eq_dec d x0), (Nat.eq_dec d x1), (lt_dec j d), (lt_dec d d); try lia; ring.
Qed.

Theorem counts_of_two slots gamma rate others x f :
  Forall holds_neither others -> x = x0 \/ x = x1 ->
  mean f (image picked (messages_of d slots gamma ([x], rate) others)) =
  mean f (letters_counted (if Nat.eq_dec x x0 then upright else turned) rate (gamma / INR d) slots).
Proof.
  intros HO Hx; rewrite mean_image; unfold messages_of, all_sent; rewrite picked_view, map_app, view_silent.
  - assert (Hd : INR d <> 0) by (apply not_0_INR; lia).
    set (i := place d x0 x1 2 2 x).
    assert (Hi : (i < 2)%nat) by (unfold i, place; destruct (Nat.eq_dec x x0), (Nat.eq_dec x x1); lia).
    transitivity (mean (fun c => f (nth 0 c 0%nat, nth 1 c 0%nat))
      (view 2 ([(i, rate); (2%nat, 1 - rate)] :: repeat (label 2 fair (2 * (gamma / INR d), tt)) slots))).
    + apply view_same; cbn [sends map fst snd List.app]; apply Forall2_cons.
      * intros g; rewrite mean_image; cbn; fold i; unfold place.
        destruct (Nat.eq_dec d x0), (Nat.eq_dec d x1), (lt_dec d d); try lia; reflexivity.
      * rewrite mapped_repeat; apply Forall2_repeat; intros g.
        rewrite (placed_slot d x0 x1 H0 H1 H01), mean_label; field; exact Hd.
    + rewrite letters_viewed by exact Hi; unfold i, place.
      destruct (Nat.eq_dec x x0), (Nat.eq_dec x x1); try lia; cbn [Nat.eq_dec];
        apply mean_ext; intros [a b]; reflexivity.
  - apply Forall_map; induction HO as [|u others Hu HO IH]; cbn; [constructor|].
    apply Forall_app; split; [|exact IH]; apply Forall_map; eapply Forall_impl; [|exact Hu].
    intros j Hj g; now apply placed_others.
Qed.

(** ** Three counts *)

Definition three_letters (gamma : R) : law nat :=
  [(0%nat, gamma / INR d); (1%nat, gamma / INR d); (2%nat, gamma * (INR d - 2) / INR d); (3%nat, 1 - gamma)].
Definition three_counts (slots : nat) (gamma rate : R) (i : nat) : law counts :=
  view 3 ([(i, rate); (3%nat, 1 - rate)] :: repeat (three_letters gamma) slots).

Lemma three_counts_are_law slots gamma rate i :
  0 <= gamma <= 1 -> 0 <= rate <= 1 -> is_law (three_counts slots gamma rate i).
Proof.
  intros Hg Hr; assert (Hd : 2 <= INR d) by (change 2 with (INR 2); apply le_INR; lia).
  assert (P : 0 <= / INR d) by (apply Rlt_le, Rinv_0_lt_compat; lra).
  apply view_is_law, Forall_cons; [split; [do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil | cbn; ring]|].
  apply repeated; split; [|cbn; field; lra].
  do 4 (apply Forall_cons; [cbn; unfold Rdiv; try lra; repeat apply Rmult_le_pos; lra|]); apply Forall_nil.
Qed.

Definition spread (y : nat) : law nat :=
  match y with
  | 0%nat => certain x0
  | 1%nat => certain x1
  | 2%nat => if Nat.eq_dec d 2 then certain x0 else map (fun j => (j, / (INR d - 2))) (other_items d x0 x1)
  | _ => certain d
  end.

Lemma mean_spread f : d <> 2%nat -> mean f (spread 2) = / (INR d - 2) * total (map f (other_items d x0 x1)).
Proof.
  intros H; unfold spread; destruct (Nat.eq_dec d 2) as [E|_]; [contradiction|].
  induction (other_items d x0 x1) as [|j js IH]; cbn; [ring | rewrite IH; ring].
Qed.

Lemma more_than_2 : d <> 2%nat -> 0 < INR d - 2.
Proof. intros H; assert (3 <= INR d); [|lra]; replace 3 with (INR 3) by (cbn; ring); apply le_INR; lia. Qed.

Lemma spread_is_law y : is_law (spread y).
Proof.
  destruct y as [|[|[|y]]]; try apply certain_is_law; destruct (Nat.eq_dec d 2) as [E|E].
  - cbn; destruct (Nat.eq_dec d 2); [apply certain_is_law | contradiction].
  - pose proof (more_than_2 E); split.
    + cbn; destruct (Nat.eq_dec d 2); [contradiction|]; apply Forall_map, Forall_forall; intros j _; cbn.
      now apply Rlt_le, Rinv_0_lt_compat.
    + rewrite mean_spread, total_ones, number_of_others by assumption; field; lra.
Qed.

Lemma spread_slot gamma f : mean f (bind (three_letters gamma) spread) = mean f (slot d gamma).
Proof.
  assert (Hd : INR d <> 0) by (apply not_0_INR; lia).
  rewrite mean_bind, mean_slot, (over_items d x0 x1 H0 H1 H01); cbn [mean three_letters].
  cbn [spread mean certain]; destruct (Nat.eq_dec d 2) as [E|E].
  - assert (O : other_items d x0 x1 = []).
    { pose proof (number_of_others d x0 x1 H0 H1 H01) as N; rewrite E in N.
      replace (INR 2 - 2) with (INR 0) in N by (cbn; ring); apply INR_eq, length_zero_iff_nil in N; now rewrite E. }
    rewrite O; replace (INR d - 2) with 0 by (rewrite E; cbn; ring); cbn; field; exact Hd.
  - pose proof (mean_spread f E) as M; unfold spread in M; destruct (Nat.eq_dec d 2); [contradiction|].
    rewrite M; pose proof (more_than_2 E); field; lra.
Qed.

Lemma three_counts_spread slots gamma rate i f : (i < 2)%nat ->
  mean f (messages_of d slots gamma ([if Nat.eq_dec i 0 then x0 else x1], rate) []) =
  mean f (bind (three_counts slots gamma rate i) (resent spread d)).
Proof.
  intros Hi; unfold three_counts; rewrite <- (resent_some spread d 3).
  - unfold messages_of, all_sent; cbn [flat_map sends fst snd map List.app]; rewrite app_nil_r.
    apply view_same; apply Forall2_cons.
    + intros g; rewrite mean_bind; destruct i as [|[|i]]; [| |lia]; cbn; ring.
    + rewrite mapped_repeat; apply Forall2_repeat; intros g; now rewrite spread_slot.
  - intros y Hy; destruct y as [|[|[|y]]]; try lia; split; [|apply certain_is_law].
    apply Forall_cons; [cbn; lia | apply Forall_nil].
Qed.

Lemma three_counts_grouped slots gamma rate i f : (i < 2)%nat ->
  mean f (three_counts slots gamma rate i) =
  mean f (bind (messages_of d slots gamma ([if Nat.eq_dec i 0 then x0 else x1], rate) [])
    (fun c => certain (regroup (place d x0 x1 2 3) 3 0 c))).
Proof.
  intros Hi; rewrite mean_bind; unfold messages_of, all_sent; cbn [flat_map sends fst snd map List.app].
  rewrite app_nil_r, (mean_ext (fun c => mean f (certain (regroup (place d x0 x1 2 3) 3 0 c))) (fun c => f (regroup (place d x0 x1 2 3) 3 0 c))) by (intros; cbn; ring).
  rewrite grouped.
  - assert (Hd : INR d <> 0) by (apply not_0_INR; lia).
    unfold three_counts; apply view_same; cbn [map]; apply Forall2_cons.
    + intros g; rewrite mean_image; destruct i as [|[|i]]; [| |lia]; cbn; unfold place;
        repeat (match goal with |- context [Nat.eq_dec ?a ?b] => destruct (Nat.eq_dec a b) | |- context [lt_dec ?a ?b] => destruct (lt_dec a b) end);
        try congruence; try lia; ring.
    + rewrite mapped_repeat; apply Forall2_repeat; intros g.
      rewrite (placed_slot d x0 x1 H0 H1 H01); cbn; field; exact Hd.
  - intros y Hy; unfold place; destruct (Nat.eq_dec y x0), (Nat.eq_dec y x1), (lt_dec y d); lia.
Qed.

Theorem three_counts_tell_all D slots gamma rate :
  data_processing D -> 0 <= gamma <= 1 -> 0 <= rate <= 1 ->
  between D d slots gamma ([x0], [x1]) rate [] =
  D counts same_counts (three_counts slots gamma rate 0) (three_counts slots gamma rate 1).
Proof.
  intros HD Hg Hr; unfold between; cbn [fst snd].
  assert (L : forall x, is_law (messages_of d slots gamma ([x], rate) []))
    by (intros x; apply messages_are_law; [lia | assumption | exact Hr | constructor]).
  apply Rle_antisym.
  - apply (HD counts counts same_counts same_counts (resent spread d)); try (now apply three_counts_are_law).
    + intros c; apply view_is_law, Forall_map, Forall_forall; intros y _; apply spread_is_law.
    + intros f; apply (three_counts_spread slots gamma rate 0); lia.
    + intros f; apply (three_counts_spread slots gamma rate 1); lia.
  - apply (HD counts counts same_counts same_counts (fun c => certain (regroup (place d x0 x1 2 3) 3 0 c))); try apply L.
    + intros c; apply certain_is_law.
    + intros f; apply (three_counts_grouped slots gamma rate 0); lia.
    + intros f; apply (three_counts_grouped slots gamma rate 1); lia.
Qed.

(** At least as far apart as the counts of both items, whatever others hold that hold neither. *)
Theorem counts_of_two_below D slots gamma rate others :
  data_processing D -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> Forall is_rate others -> Forall holds_neither others ->
  D (nat * nat)%type same_pair (letters_counted upright rate (gamma / INR d) slots) (letters_counted turned rate (gamma / INR d) slots)
  <= between D d slots gamma ([x0], [x1]) rate others.
Proof.
  intros HD Hg Hr RO HO; unfold between; cbn [fst snd].
  apply (HD counts (nat * nat)%type same_counts same_pair (fun c => certain (picked c)));
    try (apply messages_are_law; [lia | assumption | exact Hr | assumption]).
  - intros c; apply certain_is_law.
  - intros f; pose proof (counts_of_two slots gamma rate others x0 f HO (or_introl eq_refl)) as E.
    destruct (Nat.eq_dec x0 x0); [|contradiction]; rewrite <- E, mean_image, mean_bind; apply mean_ext; intros; cbn; ring.
  - intros f; pose proof (counts_of_two slots gamma rate others x1 f HO (or_intror eq_refl)) as E.
    destruct (Nat.eq_dec x1 x0); [now destruct H01|]; rewrite <- E, mean_image, mean_bind; apply mean_ext; intros; cbn; ring.
Qed.

End Two.

(** ** One item, and several *)

Lemma no_difference {A} same (P : law A) E : is_law P -> 1 <= E -> hockey_stick same P P E <= 0.
Proof. intros LP HE; apply below_every_event; intros S; pose proof (prob_between S P LP); nra. Qed.

Theorem one_item d slots gamma rate x0 x1 E :
  (x0 < d)%nat -> (x1 < d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> 1 <= E ->
  between (stick E) d slots gamma ([x0], [x1]) rate []
  <= rate * hockey_stick same_pair (letters_counted upright 1 (gamma / INR d) slots)
      (letters_counted turned 1 (gamma / INR d) slots) E.
Proof.
  intros H0 H1 Hg Hr HE; unfold between; cbn [fst snd].
  destruct (Nat.eq_dec x0 x1) as [<-|H01].
  { eapply Rle_trans; [apply no_difference; [|exact HE]; apply messages_are_law; [lia | assumption | exact Hr | constructor]|].
    apply Rmult_le_pos; [lra | apply hockey_stick_nonnegative]. }
  set (r := gamma / INR d).
  assert (Hd : 2 <= INR d) by (change 2 with (INR 2); apply le_INR; lia).
  assert (Hr2 : 0 <= r /\ r + r <= 1).
  { unfold r; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (INR d)); [lra|].
    replace ((gamma / INR d + gamma / INR d) * INR d) with (2 * gamma) by (field; lra); lra. }
  destruct (leftover_law Nat.eq_dec (slot d gamma) (certain x0) (certain x1) r r) as [L [LL HL]];
    try apply certain_is_law; try lra.
  { apply slot_is_law; [lia | exact Hg]. }
  { intros y; unfold mass, prob; rewrite mean_slot, (over_items d x0 x1 H0 H1 H01); fold r; cbn [mean certain].
    assert (0 <= total (map (indicator (at_ Nat.eq_dec y)) (other_items d x0 x1))).
    { replace 0 with (total (map (fun _ => 0 * 1) (other_items d x0 x1))) by (rewrite (total_scale 0 (fun _ => 1)); ring).
      apply total_le; intros j; unfold indicator; destruct (at_ Nat.eq_dec y j); lra. }
    assert (0 <= indicator (at_ Nat.eq_dec y) d) by (unfold indicator; destruct (at_ Nat.eq_dec y d); lra).
    nra. }
  set (K := fun y : nat => match y with 0%nat => certain x0 | _ => certain x1 end).
  unfold messages_of, all_sent, sends; cbn [flat_map map fst snd List.app]; rewrite !app_nil_r.
  eapply Rle_trans; [apply (reduction_to_letters d 2 fair K rate (sent d rate x0) (sent d rate x1) (certain 0%nat)
    (certain 1%nat) (certain d) (repeat (slot d gamma) slots) (repeat (2 * r, L) slots) E)|].
  - do 2 (apply Forall_cons; [cbn; lia|]); apply Forall_nil.
  - intros [|y]; apply certain_is_law.
  - apply repeated, slot_is_law; [lia | exact Hg].
  - apply Forall_cons; [cbn; lia | apply Forall_nil].
  - apply Forall_cons; [cbn; lia | apply Forall_nil].
  - apply certain_is_law.
  - exact Hr.
  - exact HE.
  - intros f; rewrite mean_bind; cbn; ring.
  - intros f; rewrite mean_bind; cbn; ring.
  - apply repeated; split; [cbn; lra | exact LL].
  - apply Forall2_repeat; intros f; rewrite HL, mean_bind; cbn; field.
  - apply Rmult_le_compat_l; [lra|].
    assert (M : forall us : list (R * law nat), us = repeat (2 * r, L) slots ->
      map (label 2 fair) us = repeat (label 2 fair (2 * r, tt)) slots).
    { intros us ->; rewrite mapped_repeat; reflexivity. }
    rewrite (M _ eq_refl).
    assert (T : forall i f, (i < 2)%nat -> mean f (view 2 (certain i :: repeat (label 2 fair (2 * r, tt)) slots)) =
      mean f (image (fun c : nat * nat => [fst c; snd c]) (letters_counted (if Nat.eq_dec i 0 then upright else turned) 1 r slots))).
    { intros i f Hi; rewrite mean_image, <- letters_viewed by exact Hi; apply view_same, Forall2_cons.
      - intros g; cbn; ring.
      - apply Forall2_repeat; reflexivity. }
    rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => T 0%nat f ltac:(lia)) (fun f => T 1%nat f ltac:(lia))).
    apply post_processing.
Qed.

Lemma exchanged d slots gamma rate E delta (a b : list nat) M S :
  1 <= E -> (1 <= d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> Forall is_law M -> length a = length b ->
  Forall (fun x => (x < d)%nat) a -> Forall (fun x => (x < d)%nat) b ->
  (forall x y, (x < d)%nat -> (y < d)%nat ->
    between (stick E) d slots gamma ([x], [y]) rate [] <= delta) ->
  prob S (view d (map (sent d rate) a ++ repeat (slot d gamma) slots ++ M))
  <= E ^ length a * prob S (view d (map (sent d rate) b ++ repeat (slot d gamma) slots ++ M)) + delta * geometric E (length a).
Proof.
  intros HE Hd Hg Hr LM Len Fa Fb H; revert b M LM Len Fb; induction Fa as [|x a Hx Fa IH]; intros [|y b] M LM Len Fb;
    try discriminate; [cbn; lra|].
  apply Forall_cons_iff in Fb as [Hy Fb]; cbn [map List.app length geometric pow].
  set (T := repeat (slot d gamma) slots).
  assert (LT : Forall is_law (map (sent d rate) a ++ M)).
  { apply Forall_app; split; [apply Forall_map, Forall_forall; intros; now apply sent_is_law | exact LM]. }
  assert (One : prob S (view d (sent d rate x :: map (sent d rate) a ++ T ++ M))
    <= E * prob S (view d (sent d rate y :: map (sent d rate) a ++ T ++ M)) + delta).
  { assert (P : forall z, prob S (view d (sent d rate z :: map (sent d rate) a ++ T ++ M))
      = prob S (view d ((sent d rate z :: T) ++ map (sent d rate) a ++ M))).
    { intros z; apply view_permutation; cbn [List.app]; apply perm_skip; rewrite !app_assoc.
      apply Permutation_app_tail, Permutation_app_comm. }
    rewrite !P; pose proof (more_users d (sent d rate x :: T) (sent d rate y :: T) (map (sent d rate) a ++ M) E LT) as U.
    specialize (H x y Hx Hy); unfold between, messages_of, all_sent, sends in H; cbn [flat_map fst snd map List.app] in H.
    rewrite !app_nil_r in H; fold T in H.
    exact (proj1 (below_every_event same_counts _ _ E delta) (Rle_trans _ _ _ U H) S). }
  specialize (IH b (sent d rate y :: M)
    (Forall_cons _ (sent_is_law d rate y Hr) LM) ltac:(cbn in Len; lia) Fb).
  assert (Q : forall l, prob S (view d (map (sent d rate) l ++ T ++ sent d rate y :: M))
    = prob S (view d (sent d rate y :: map (sent d rate) l ++ T ++ M))).
  { intros l; apply view_permutation; rewrite !app_assoc; symmetry; apply Permutation_middle. }
  fold T in IH; rewrite !Q in IH; apply (Rmult_le_compat_l E) in IH; [|lra]; lra.
Qed.

Theorem items_exchanged d slots gamma rate E delta sets others :
  1 <= E -> (1 <= d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> Forall is_rate others ->
  length (fst sets) = length (snd sets) ->
  Forall (fun x => (x < d)%nat) (fst sets) -> Forall (fun x => (x < d)%nat) (snd sets) ->
  (forall x y, (x < d)%nat -> (y < d)%nat ->
    between (stick E) d slots gamma ([x], [y]) rate [] <= delta) ->
  between (stick (E ^ length (fst sets))) d slots gamma sets rate others
  <= delta * geometric E (length (fst sets)).
Proof.
  intros HE Hd Hg Hr RO Len F0 F1 H; unfold between; apply below_every_event; intros S.
  unfold messages_of, all_sent, sends; cbn [fst snd]; rewrite <- !app_assoc.
  apply exchanged; try assumption; now apply others_are_laws.
Qed.

Lemma geometric_at_most E t : 1 <= E -> geometric E t <= INR t * E ^ t.
Proof.
  intros HE; induction t as [|t IH]; cbn [geometric pow]; [cbn; lra|]; rewrite S_INR.
  assert (1 <= E ^ t) by (apply pow_R1_Rle; exact HE).
  assert (E * geometric E t <= E * (INR t * E ^ t)) by (apply Rmult_le_compat_l; lra).
  assert (1 * 1 <= E * E ^ t) by (apply Rmult_le_compat; lra); lra.
Qed.

(** ** Slots that send *)

Theorem slots_that_send k us (w : law nat) g n f :
  mean f (view k (us ++ repeat (weighted g w ++ [(k, 1 - g)]) n)) =
  mean (fun N => mean f (view k (us ++ repeat w N))) (heads g n).
Proof.
  revert us; induction n as [|n IH]; intros us; [cbn [repeat heads]; now rewrite mean_certain|].
  cbn [repeat]; rewrite (view_permutation k _ ((weighted g w ++ [(k, 1 - g)]) :: us ++ repeat (weighted g w ++ [(k, 1 - g)]) n))
    by (symmetry; apply Permutation_middle).
  rewrite view_cons, mean_app, mean_weighted, <- view_cons, heads_S; cbn [mean]; rewrite Rplus_0_r, Rplus_comm.
  f_equal; f_equal.
  - rewrite <- IH; apply view_ext; intros c Hc; now rewrite increment_above by lia.
  - change (w :: us ++ repeat (weighted g w ++ [(k, 1 - g)]) n) with ((w :: us) ++ repeat (weighted g w ++ [(k, 1 - g)]) n).
    rewrite IH; apply mean_ext; intros N; cbn [repeat List.app]; apply view_permutation, Permutation_middle.
Qed.

Theorem heads_thinned g r n f : mean f (bind (heads g n) (heads r)) = mean f (heads (g * r) n).
Proof.
  rewrite mean_bind; revert f; induction n as [|n IH]; intros f; [cbn; ring|].
  rewrite !heads_S, (mean_ext (fun c => mean f (heads r (S c))) (fun c => (1 - r) * mean f (heads r c)
    + r * mean (fun c => f (S c)) (heads r c))) by (intros; apply heads_S).
  rewrite mean_plus, !mean_scale, !IH; ring.
Qed.
