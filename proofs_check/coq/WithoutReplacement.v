(** * Sampling without replacement

    A mechanism sees m of the n records of a data set, each set of m places with the same probability, in their
    order. Neighbors differ in one record: it is replaced. Two samples are neighbors if they differ in one record
    up to their order ([replaced]). Proved here, for every mechanism with finite outputs and all records, with
    E = e^eps and q = m / n:
    - [subset_replaced]: if samples that are neighbors are at most d apart at E, data sets are at most q d apart
      at 1 + q (E - 1);
    - [subset_sampling]: a mechanism that is (eps, d)-private on samples is
      (ln (1 + q (e^eps - 1)), q d)-private on data sets.

    Source: Balle, Barthe, Gaboardi 2018, Theorem 9. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Sampling.
Import ListNotations.
Open Scope R_scope.

(** All sublists of m places. *)
Fixpoint subsets {D} (m : nat) (records : list D) : list (list D) :=
  match m, records with
  | 0%nat, _ => [[]]
  | S _, [] => []
  | S m', x :: rest => map (cons x) (subsets m' rest) ++ subsets m rest
  end.

Definition uniform {D} (xs : list D) : law D := map (fun x => (x, / INR (length xs))) xs.

Definition on_subset {D A} (m : nat) (mechanism : list D -> law A) (records : list D) : law A :=
  bind (uniform (subsets m records)) mechanism.

Definition replaced {D} (s s' : list D) : Prop :=
  exists x x' t, Permutation s (x :: t) /\ Permutation s' (x' :: t).

Lemma subsets_0 {D} (l : list D) : subsets 0 l = [[]].
Proof. destruct l; reflexivity. Qed.

Lemma mean_uniform {D} (xs : list D) f : mean f (uniform xs) = / INR (length xs) * total (map f xs).
Proof.
  unfold uniform; generalize (/ INR (length xs)) as w; intros w.
  induction xs as [|x xs IH]; cbn; [ring | rewrite IH; ring].
Qed.

(** ** A sample and one with one more record *)

(** The pairs of a sublist of m places and one of these and one more. *)
Fixpoint grown {D} (m : nat) (l : list D) : list (list D * list D) :=
  match l with
  | [] => []
  | y :: l =>
      match m with 0%nat => [] | S m => map (fun p => (y :: fst p, y :: snd p)) (grown m l) end
      ++ grown m l ++ map (fun t => (t, y :: t)) (subsets m l)
  end.

Lemma grown_small {D} (l : list D) m (f : list D -> R) :
  total (map (fun p => f (fst p)) (grown m l)) = (INR (length l) - INR m) * total (map f (subsets m l)).
Proof.
  revert m f; induction l as [|y l IH]; intros m f.
  - destruct m; cbn; ring.
  - cbn [grown length]; rewrite S_INR, !map_app, !total_app, (IH m f), map_map; cbn [fst].
    destruct m as [|m].
    + rewrite !subsets_0; cbn; ring.
    + cbn [subsets]; rewrite map_map, map_app, total_app, !map_map; cbn [fst].
      rewrite (IH m (fun t => f (y :: t))), !S_INR; cbn [subsets]; change (fun x : list D => f x) with f; ring.
Qed.

Lemma grown_large {D} (l : list D) m (g : list D -> R) :
  total (map (fun p => g (snd p)) (grown m l)) = INR (S m) * total (map g (subsets (S m) l)).
Proof.
  revert m g; induction l as [|y l IH]; intros m g.
  - cbn [grown map total subsets]; ring.
  - cbn [grown]; rewrite !map_app, !total_app, (IH m g), map_map; cbn [snd].
    destruct m as [|m].
    + cbn [subsets]; rewrite map_app, total_app, !subsets_0; cbn; ring.
    + cbn [subsets]; rewrite map_map, !map_app, !total_app, !map_map; cbn [snd].
      rewrite (IH m (fun t => g (y :: t))), !S_INR; cbn [subsets]; ring.
Qed.

Lemma grown_by_one {D} (l : list D) m t u :
  In (t, u) (grown m l) -> exists y, Permutation u (y :: t).
Proof.
  revert m t u; induction l as [|z l IH]; intros m t u H; [contradiction|].
  cbn [grown] in H; apply in_app_or in H as [H|H].
  - destruct m as [|m]; [contradiction|]; apply in_map_iff in H as [[s v] [E H]]; cbn in E.
    injection E as <- <-; destruct (IH _ _ _ H) as [y P]; exists y; rewrite P; apply perm_swap.
  - apply in_app_or in H as [H|H]; [now apply (IH m)|].
    apply in_map_iff in H as [s [E _]]; injection E as <- <-; now exists z.
Qed.

Lemma subsets_positive {D} (l : list D) m : (m <= length l)%nat -> 0 < INR (length (subsets m l)).
Proof.
  revert m; induction l as [|y l IH]; intros [|m] H; cbn [length] in H; try lia; try (cbn; lra).
  cbn [subsets]; rewrite app_length, map_length, plus_INR; pose proof (IH m ltac:(lia)).
  pose proof (pos_INR (length (subsets (S m) l))); lra.
Qed.

Lemma total_one {D} (l : list D) : total (map (fun _ => 1) l) = INR (length l).
Proof. induction l as [|y l IH]; [reflexivity|]; cbn [map total length]; rewrite IH, S_INR; ring. Qed.

(** Pascal's and the absorption rule, for the numbers of sublists. *)
Lemma subsets_absorbed {D} (l : list D) m :
  (INR (length l) - INR m) * INR (length (subsets m l)) = INR (S m) * INR (length (subsets (S m) l)).
Proof.
  rewrite <- (total_one (subsets m l)), <- (total_one (subsets (S m) l)).
  transitivity (total (map (fun _ => 1) (grown m l)));
    [symmetry; exact (grown_small l m (fun _ => 1)) | exact (grown_large l m (fun _ => 1))].
Qed.

Lemma total_le_in {A} (f g : A -> R) xs :
  (forall a, In a xs -> f a <= g a) -> total (map f xs) <= total (map g xs).
Proof.
  induction xs as [|x xs IH]; intros H; cbn; [lra|].
  pose proof (H x (or_introl eq_refl)); specialize (IH ltac:(intros; apply H; now right)); lra.
Qed.

(** ** The record that is replaced *)

(** [l] are the other records; W t is what the mechanism does on t and the victim's record, V u on u alone. *)
Section Core.
Context {D A : Type} (same : forall x y : A, {x = y} + {x <> y}).
Variables (l : list D) (m : nat) (E d : R) (W W' V : list D -> law A).
Hypotheses (Hm : (m <= length l)%nat) (HE : 1 <= E)
  (Replaced : forall t, hockey_stick same (W t) (W' t) E <= d)
  (Exchanged : forall t u y, Permutation u (y :: t) -> hockey_stick same (W t) (V u) E <= d).

Let q := INR (S m) / INR (S (length l)).
Let inside (W : list D -> law A) := bind (uniform (subsets m l)) W.
Let outside := bind (uniform (subsets (S m) l)) V.

Local Lemma both_inside S : prob S (inside W) - E * prob S (inside W') <= d.
Proof.
  pose proof (subsets_positive l m Hm) as N; apply Rinv_0_lt_compat in N as N'.
  unfold prob, inside; rewrite !mean_bind, !mean_uniform.
  assert (F : total (map (fun t => prob S (W t)) (subsets m l))
    <= total (map (fun t => E * prob S (W' t) + d * 1) (subsets m l))).
  { apply total_le; intros t; pose proof (proj1 (below_every_event _ _ _ _ _) (Replaced t) S); lra. }
  rewrite total_plus, !total_scale, total_one in F.
  apply (Rmult_le_compat_l _ _ _ (Rlt_le _ _ N')) in F.
  replace (/ INR (length (subsets m l)) * (E * total (map (fun t => prob S (W' t)) (subsets m l))
    + d * INR (length (subsets m l)))) with (E * (/ INR (length (subsets m l)) *
    total (map (fun t => prob S (W' t)) (subsets m l))) + d) in F by (field; lra).
  unfold prob in F; lra.
Qed.

Local Lemma one_inside S : (m < length l)%nat -> prob S (inside W) - E * prob S outside <= d.
Proof.
  intros L; pose proof (subsets_positive l m Hm) as N1; pose proof (subsets_positive l (Datatypes.S m) L) as N2.
  pose proof (subsets_absorbed l m) as N; unfold prob, inside, outside; rewrite !mean_bind, !mean_uniform.
  assert (F : total (map (fun p => prob S (W (fst p))) (grown m l))
    <= total (map (fun p => E * prob S (V (snd p)) + d * 1) (grown m l))).
  { apply total_le_in; intros [t u] I; cbn [fst snd]; destruct (grown_by_one l m t u I) as [y P].
    pose proof (proj1 (below_every_event _ _ _ _ _) (Exchanged t u y P) S); lra. }
  rewrite total_plus, !total_scale in F.
  rewrite (grown_small l m (fun t => prob S (W t))), (grown_large l m (fun u => prob S (V u))) in F.
  rewrite (grown_large l m (fun _ => 1)), total_one in F.
  set (n1 := INR (length (subsets m l))) in *; set (n2 := INR (length (subsets (Datatypes.S m) l))) in *.
  unfold prob in F; set (w := total _) in *; set (v := total (map _ (subsets (Datatypes.S m) l))) in *.
  set (k := INR (Datatypes.S m)) in *.
  assert (Hk : 0 < k) by (apply lt_0_INR; lia).
  assert (K : 0 < k * n2) by (apply Rmult_lt_0_compat; assumption).
  assert (Z : INR (length l) - INR m = k * n2 / n1) by (rewrite <- N; field; lra); rewrite Z in F.
  apply (Rmult_le_reg_l (k * n2)); [exact K|].
  replace (k * n2 * (/ n1 * w - E * (/ n2 * v))) with (k * n2 / n1 * w - E * (k * v)) by (field; lra).
  lra.
Qed.

Local Lemma core : hockey_stick same (mixture q outside (inside W)) (mixture q outside (inside W')) (1 + q * (E - 1)) <= q * d.
Proof.
  assert (Hn : 0 < INR (S (length l))) by (apply lt_0_INR; lia).
  assert (Hq : 0 <= q) by (unfold q; apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat, Hn]).
  assert (Hq1 : q <= 1).
  { unfold q; apply (Rmult_le_reg_r (INR (S (length l)))); [exact Hn|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; rewrite Rmult_1_r, Rmult_1_l; apply le_INR; lia. }
  rewrite advanced_joint_convexity by lra; apply Rmult_le_compat_l; [exact Hq|].
  set (b := (1 + q * (E - 1)) / E).
  assert (Hb : 1 - b = (1 - q) * (E - 1) / E) by (unfold b; field; lra).
  assert (Hb0 : 0 <= b) by (unfold b; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra];
    assert (0 <= q * (E - 1)) by (apply Rmult_le_pos; lra); lra).
  assert (Hb1 : 0 <= 1 - b) by (rewrite Hb; apply Rmult_le_pos;
    [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
  apply below_every_event; intros S; unfold prob at 2; rewrite mean_mixture.
  pose proof (Rmult_le_compat_l b _ _ Hb0 (both_inside S)) as F.
  assert (G : (1 - b) * (prob S (inside W) - E * prob S outside) <= (1 - b) * d).
  { destruct (Nat.eq_dec m (length l)) as [Y|Y].
    - assert (q = 1) as Q by (unfold q; rewrite Y; field; lra).
      rewrite Hb, Q; right; field; lra.
    - apply Rmult_le_compat_l; [exact Hb1 | apply one_inside; lia]. }
  unfold prob in *; lra.
Qed.
End Core.

(** ** A place in the data set *)

(** The other records, marked by whether they stand before the victim's. *)
Definition others {D} (before after : list D) : list (bool * D) :=
  map (pair true) before ++ map (pair false) after.
Definition left_of {D} (t : list (bool * D)) : list D := map snd (filter fst t).
Definition right_of {D} (t : list (bool * D)) : list D := map snd (filter (fun y => negb (fst y)) t).

Lemma subsets_map {D D'} (h : D -> D') (l : list D) m : subsets m (map h l) = map (map h) (subsets m l).
Proof.
  revert m; induction l as [|y l IH]; intros [|m]; cbn [subsets map]; try reflexivity.
  rewrite map_app, !IH, !map_map; reflexivity.
Qed.

Lemma sides_of_right {D} (t : list D) : left_of (map (pair false) t) = [] /\ right_of (map (pair false) t) = t.
Proof.
  unfold left_of, right_of; induction t as [|y t [IHl IHr]]; [split; reflexivity|]; cbn.
  split; [exact IHl | now rewrite IHr].
Qed.

Lemma subsets_around {D} (x : D) before after m (f : list D -> R) :
  total (map f (subsets (S m) (before ++ x :: after))) =
  total (map (fun t => f (left_of t ++ x :: right_of t)) (subsets m (others before after)))
  + total (map (fun u => f (left_of u ++ right_of u)) (subsets (S m) (others before after))).
Proof.
  revert m f; induction before as [|y before IH]; intros m f.
  - unfold others; cbn [map List.app]; rewrite !subsets_map; cbn [subsets].
    rewrite map_app, total_app, !map_map; f_equal; apply total_ext; intros t _;
      destruct (sides_of_right t) as [-> ->]; reflexivity.
  - change (others (y :: before) after) with ((true, y) :: others before after).
    cbn [List.app]; destruct m as [|m].
    + cbn [subsets]; rewrite !map_app, !total_app, (IH 0%nat f), !subsets_0; cbn; ring.
    + cbn [subsets]; rewrite !map_app, !total_app, !map_map; fold (@subsets D) (@subsets (bool * D)).
      rewrite (IH m (fun t => f (y :: t))).
      pose proof (IH (S m) f) as G; cbn [subsets] in G; rewrite G; cbn [left_of right_of filter fst negb map snd].
      unfold left_of, right_of; cbn; ring.
Qed.

Lemma sides_permute {D} (t : list (bool * D)) : Permutation (left_of t ++ right_of t) (map snd t).
Proof.
  unfold left_of, right_of; induction t as [|[[] y] t IH]; cbn; [constructor | now constructor|].
  rewrite <- Permutation_middle; now constructor.
Qed.

Lemma sample_around {D A} (mechanism : list D -> law A) x before after m f :
  let l := others before after in
  let q := INR (S m) / INR (S (length l)) in
  (m <= length l)%nat ->
  mean f (on_subset (S m) mechanism (before ++ x :: after)) =
  mean f (mixture q (bind (uniform (subsets (S m) l)) (fun u => mechanism (left_of u ++ right_of u)))
    (bind (uniform (subsets m l)) (fun t => mechanism (left_of t ++ x :: right_of t)))).
Proof.
  intros l q H; unfold on_subset; rewrite mean_mixture, !mean_bind, !mean_uniform.
  rewrite (subsets_around x before after m (fun s => mean f (mechanism s))); fold l.
  set (wt := total (map _ (subsets m l))); set (wu := total (map _ (subsets (S m) l))).
  pose proof (subsets_positive l m H) as N1; pose proof (subsets_absorbed l m) as N.
  assert (Sum : INR (length (subsets (S m) (before ++ x :: after)))
    = INR (length (subsets m l)) + INR (length (subsets (S m) l)))
    by (rewrite <- !total_one; apply (subsets_around x before after m (fun _ => 1))).
  rewrite Sum; unfold q; clear Sum.
  assert (Z : INR (length (subsets (S m) l)) = 0 -> wu = 0).
  { intros Z; apply (INR_eq _ 0), length_zero_iff_nil in Z; unfold wu; rewrite Z; reflexivity. }
  rewrite S_INR in N |- *; rewrite (S_INR (length l)).
  pose proof (pos_INR m) as M0; pose proof (pos_INR (length l)) as L0; pose proof (pos_INR (length (subsets (S m) l))) as N2.
  set (n1 := INR (length (subsets m l))) in *; set (n2 := INR (length (subsets (S m) l))) in *.
  assert (Q : (INR m + 1) / (INR (length l) + 1) = n1 / (n1 + n2)).
  { apply (Rmult_eq_reg_r ((INR (length l) + 1) * (n1 + n2))); [|apply Rgt_not_eq, Rmult_lt_0_compat; lra].
    transitivity ((INR m + 1) * (n1 + n2)); [field; lra|].
    transitivity (n1 * (INR (length l) + 1)); [lra | field; lra]. }
  rewrite Q; destruct (Req_dec n2 0) as [Y|Y]; [rewrite (Z Y), !Rmult_0_r|]; field; lra.
Qed.

Lemma length_others {D} (before after : list D) : length (others before after) = (length before + length after)%nat.
Proof. unfold others; now rewrite app_length, !map_length. Qed.

Theorem subset_replaced {D A} (same : forall x y : A, {x = y} + {x <> y})
    (mechanism : list D -> law A) x x' before after m E d :
  (m <= length (before ++ x :: after))%nat -> 1 <= E ->
  (forall s s', replaced s s' -> hockey_stick same (mechanism s) (mechanism s') E <= d) ->
  let q := INR m / INR (length (before ++ x :: after)) in
  hockey_stick same (on_subset m mechanism (before ++ x :: after))
    (on_subset m mechanism (before ++ x' :: after)) (1 + q * (E - 1)) <= q * d.
Proof.
  intros H HE P q; rewrite app_length in H; cbn [length] in H.
  assert (Hl : length (before ++ x :: after) = S (length (others before after)))
    by (rewrite app_length, length_others; cbn; lia).
  unfold q; rewrite Hl; destruct m as [|m].
  - change (INR 0) with 0; unfold Rdiv; rewrite !Rmult_0_l, Rplus_0_r.
    unfold on_subset; rewrite !subsets_0; apply below_every_event; intros S; lra.
  - assert (Hm : (m <= length (others before after))%nat) by (rewrite length_others; lia).
    rewrite (hockey_stick_ext _ _ _ _ _ _
      (fun f => sample_around mechanism x before after m f Hm)
      (fun f => sample_around mechanism x' before after m f Hm)).
    apply (core same (others before after) m E d
      (fun t => mechanism (left_of t ++ x :: right_of t)) (fun t => mechanism (left_of t ++ x' :: right_of t))
      (fun u => mechanism (left_of u ++ right_of u)) Hm HE).
    + intros t; apply P; exists x, x', (left_of t ++ right_of t).
      split; symmetry; apply Permutation_middle.
    + intros t u [b y] U; apply P; exists x, y, (left_of t ++ right_of t).
      split; [symmetry; apply Permutation_middle|].
      rewrite (sides_permute u), (Permutation_map snd U); cbn; constructor; symmetry; apply sides_permute.
Qed.

(** In the field's words: eps and eps' = ln (1 + m / n (e^eps - 1)). *)
Theorem subset_sampling {D A} (same : forall x y : A, {x = y} + {x <> y})
    (mechanism : list D -> law A) x x' before after m eps d :
  0 <= eps ->
  (forall s s', replaced s s' -> forall S, prob S (mechanism s) <= exp eps * prob S (mechanism s') + d) ->
  let n := length (before ++ x :: after) in
  let eps' := ln (1 + INR m / INR n * (exp eps - 1)) in
  let P := on_subset m mechanism (before ++ x :: after) in
  let Q := on_subset m mechanism (before ++ x' :: after) in
  (m <= n)%nat -> forall S, prob S P <= exp eps' * prob S Q + INR m / INR n * d.
Proof.
  intros He H n eps' P Q Hm.
  assert (HE : 1 <= exp eps) by (pose proof (exp_ineq1_le eps); lra).
  assert (Hn : 0 < INR n) by (apply lt_0_INR; unfold n; rewrite app_length; cbn; lia).
  assert (0 <= INR m / INR n * (exp eps - 1))
    by (repeat apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, Rinv_0_lt_compat, Hn | lra]).
  unfold eps'; rewrite exp_ln by lra; apply (below_every_event same).
  apply subset_replaced; [exact Hm | exact HE|].
  intros s s' R; now apply below_every_event, H.
Qed.
