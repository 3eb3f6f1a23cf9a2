(** * Ding, Lu, Yang and Zhang (2025), Section 2.1: the plan (6) costs least

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Noise Transport.
Import ListNotations.
Open Scope R_scope.

Definition cost (pi : law (R * R)) : R := mean (fun e => Rabs (fst e - snd e)) pi.

(** Whether t lies between two numbers. *)
Definition crosses (t : R) (e : R * R) : R := Rabs (indicator (at_most t) (fst e) - indicator (at_most t) (snd e)).

(** A distance of two of finitely many points is a sum of gaps between them. *)
Lemma gaps n S : length S = n -> NoDup S -> S <> [] ->
  exists m W, In m S /\ (forall s, In s S -> s <= m) /\ (forall g, In g W -> fst g < m /\ 0 <= snd g)
    /\ forall x z, In x S -> In z S -> Rabs (x - z) = total (map (fun g => snd g * crosses (fst g) (x, z)) W).
Proof.
  revert S; induction n as [|n IH]; intros S L N E; [destruct S; easy|].
  destruct (extract_last S N E) as [M [l [P [N' U]]]].
  assert (IS : forall s, In s S <-> s = M \/ In s l).
  { intros s; split; intros I; [apply (Permutation_in _ P) in I; destruct I; auto|].
    apply (Permutation_in _ (Permutation_sym P)); destruct I; [now left | now right]. }
  destruct l as [|y l].
  - exists M, []; split; [apply IS; now left|]; split; [intros s I; apply IS in I as [->|[]]; lra|]; split; [easy|].
    intros x z X Z; apply IS in X as [->|[]]; apply IS in Z as [->|[]]; cbn; rewrite Rminus_eq_0, Rabs_R0; reflexivity.
  - destruct (IH (y :: l)) as [m [W [Im [Um [HW HD]]]]];
      [apply Permutation_length in P; cbn in *; lia | exact N' | easy|].
    pose proof (U m Im) as LM; exists M, ((m, M - m) :: W); split; [apply IS; now left|]; split.
    { intros s I; apply IS in I as [->|I]; [lra | left; now apply U]. }
    split; [intros g [<-|I]; [cbn; lra | destruct (HW g I); lra]|].
    assert (T : forall x, In x (y :: l) -> total (map (fun g => snd g * crosses (fst g) (M, x)) W) = Rabs (m - x)).
    { intros x X; rewrite (HD m x Im X); apply total_ext; intros g I; destruct (HW g I) as [G _]; f_equal.
      unfold crosses, indicator, at_most; cbn; destruct (Rle_dec M (fst g)), (Rle_dec m (fst g)); try reflexivity; lra. }
    assert (Sym : forall x z, total (map (fun g => snd g * crosses (fst g) (x, z)) W)
      = total (map (fun g => snd g * crosses (fst g) (z, x)) W)).
    { intros x z; apply total_ext; intros g _; f_equal; apply Rabs_minus_sym. }
    assert (C : forall x, In x (y :: l) -> crosses m (M, x) = 1 /\ crosses m (x, M) = 1).
    { intros x X; specialize (Um x X); unfold crosses, indicator, at_most; cbn.
      destruct (Rle_dec M m); [lra|]; destruct (Rle_dec x m); [|lra].
      rewrite Rabs_left, Rabs_right by lra; lra. }
    intros x z X Z; apply IS in X as [->|X]; apply IS in Z as [->|Z]; cbn [map total fst snd].
    + rewrite Rminus_eq_0, Rabs_R0, (total_ext _ (fun g => 0 * snd g)), total_scale.
      * unfold crosses; cbn; rewrite Rminus_eq_0, Rabs_R0; ring.
      * intros g _; unfold crosses; cbn; rewrite Rminus_eq_0, Rabs_R0; ring.
    + destruct (C z Z) as [-> _]; rewrite T by exact Z; specialize (Um z Z); pose proof (U z Z).
      rewrite !Rabs_right by lra; ring.
    + destruct (C x X) as [_ ->]; rewrite Sym, T by exact X; specialize (Um x X); pose proof (U x X).
      rewrite Rabs_minus_sym, !Rabs_right by lra; ring.
    + rewrite (HD x z X Z); unfold crosses at 2, indicator, at_most; cbn [fst snd].
      pose proof (Um x X); pose proof (Um z Z); destruct (Rle_dec x m), (Rle_dec z m); try lra.
      rewrite Rminus_eq_0, Rabs_R0; ring.
Qed.

Lemma cost_of_gaps pi W S :
  (forall x z, In x S -> In z S -> Rabs (x - z) = total (map (fun g => snd g * crosses (fst g) (x, z)) W)) ->
  (forall e, In e (map fst pi) -> In (fst e) S /\ In (snd e) S) ->
  cost pi = total (map (fun g => snd g * mean (crosses (fst g)) pi) W).
Proof.
  intros H I; unfold cost; rewrite (mean_ext_on _ (fun e => total (map (fun g => snd g * crosses (fst g) e) W))).
  - clear; induction W as [|g W IH]; cbn [map total].
    + rewrite (mean_ext _ (fun _ => 0 * 1)), mean_scale by (intros; ring); ring.
    + rewrite mean_plus, IH, mean_scale; reflexivity.
  - intros [x z] E; destruct (I _ E); now apply H.
Qed.

Lemma total_le_on {A} (f h : A -> R) xs : (forall a, In a xs -> f a <= h a) -> total (map f xs) <= total (map h xs).
Proof.
  induction xs as [|x xs IH]; intros H; cbn [map total]; [lra|].
  apply Rplus_le_compat; [apply H; now left | apply IH; intros a I; apply H; now right].
Qed.

(** Any coupling moves the difference over t, the plan no more. *)
Lemma must_cross pi P Q t : couples pi P Q -> Rabs (up_to P t - up_to Q t) <= mean (crosses t) pi.
Proof.
  intros [N [M1 M2]]; unfold up_to, prob; rewrite <- (M1 (indicator (at_most t))), <- (M2 (indicator (at_most t))).
  assert (E : forall s, mean (fun e => s * (indicator (at_most t) (fst e) - indicator (at_most t) (snd e))) pi
    = s * (mean (fun e => indicator (at_most t) (fst e)) pi - mean (fun e => indicator (at_most t) (snd e)) pi)).
  { intros s; rewrite mean_scale; f_equal.
    rewrite (mean_ext _ (fun e => indicator (at_most t) (fst e) + -1 * indicator (at_most t) (snd e))) by (intros; ring).
    rewrite mean_plus, mean_scale; ring. }
  assert (A : mean (fun e => 1 * (indicator (at_most t) (fst e) - indicator (at_most t) (snd e))) pi <= mean (crosses t) pi).
  { apply mean_le; [exact N|]; intros e; unfold crosses; rewrite Rmult_1_l; apply Rle_abs. }
  assert (B : mean (fun e => -1 * (indicator (at_most t) (fst e) - indicator (at_most t) (snd e))) pi <= mean (crosses t) pi).
  { apply mean_le; [exact N|]; intros e; unfold crosses; rewrite <- Rabs_Ropp.
    replace (-1 * (indicator (at_most t) (fst e) - indicator (at_most t) (snd e)))
      with (- (indicator (at_most t) (fst e) - indicator (at_most t) (snd e))) by ring; apply Rle_abs. }
  rewrite E in A, B; unfold Rabs; destruct Rcase_abs; lra.
Qed.

Lemma plan_crosses P Q t : is_law P -> is_law Q -> mean (crosses t) (plan_law P Q) <= Rabs (up_to P t - up_to Q t).
Proof.
  intros LP LQ; destruct (plan_couples P Q LP LQ) as [N [M1 M2]].
  assert (K : forall s, s = 1 \/ s = -1 -> 0 <= s * (up_to P t - up_to Q t) ->
    mean (crosses t) (plan_law P Q) <= s * (up_to P t - up_to Q t)).
  { intros s S H; unfold up_to at 1 2, prob; rewrite <- (M1 (indicator (at_most t))), <- (M2 (indicator (at_most t))).
    replace (s * (mean (fun e => indicator (at_most t) (fst e)) (plan_law P Q) - mean (fun e => indicator (at_most t) (snd e)) (plan_law P Q)))
      with (mean (fun e => s * indicator (at_most t) (fst e) + - s * indicator (at_most t) (snd e)) (plan_law P Q))
      by (rewrite mean_plus, !mean_scale; ring).
    apply mean_le_on; [exact N|]; intros e I M; apply in_flat_map in I as [x [_ I]]; apply in_map_iff in I as [z [<- _]]; cbn [fst snd] in *.
    apply (plan_support P Q x z (proj1 LP) (proj1 LQ)) in M as [M3 [M4 _]].
    unfold crosses, indicator, at_most; cbn [fst snd].
    destruct (Rle_dec x t) as [X|X], (Rle_dec z t) as [Z|Z]; rewrite ?Rminus_eq_0, ?Rabs_R0.
    - lra.
    - pose proof (up_to_le P x t (proj1 LP) X); pose proof (up_to_before Q t z (proj1 LQ) ltac:(lra)).
      rewrite Rminus_0_r, Rabs_R1; destruct S; subst; lra.
    - pose proof (up_to_le Q z t (proj1 LQ) Z); pose proof (up_to_before P t x (proj1 LP) ltac:(lra)).
      replace (0 - 1) with (- (1)) by ring; rewrite Rabs_Ropp, Rabs_R1; destruct S; subst; lra.
    - lra. }
  unfold Rabs at 1; destruct Rcase_abs as [L|L].
  - eapply Rle_trans; [apply (K (-1)); [now right | lra] | lra].
  - eapply Rle_trans; [apply (K 1); [now left | lra] | lra].
Qed.

Theorem ding2025_kantorovich_plan (P : law R) (Q : law R) (coupling : law (R * R)) (x : R) (z : R) :
    is_law P -> is_law Q -> couples coupling P Q -> cost (plan_law P Q) <= cost coupling /\ plan P Q x z
    >= 0 /\ total (map (plan P Q x) (points Q)) = mass Req_EM_T P x /\ total (map (fun x => plan P Q x z)
    (points P)) = mass Req_EM_T Q z.
Proof.
  intros LP LQ C; split.
  2: { split; [apply Rle_ge, plan_nonnegative; [apply LP | apply LQ]|]; split; [now apply plan_row|].
    rewrite <- (plan_row Q P z LQ LP); apply total_ext; intros; apply plan_reversed. }
  set (S := nodup Req_EM_T (points P ++ points Q ++ map fst (map fst coupling) ++ map snd (map fst coupling))).
  assert (NE : S <> []).
  { destruct P as [|[a w] P']; [destruct LP as [_ M]; cbn in M; lra|]; intros E.
    assert (I : In a S) by (apply nodup_In, in_or_app; left; apply nodup_In; now left); rewrite E in I; easy. }
  destruct (gaps (length S) S eq_refl (NoDup_nodup _ _) NE) as [m [W [_ [_ [HW HD]]]]].
  rewrite !(cost_of_gaps _ W S HD).
  - apply total_le_on; intros g I; apply Rmult_le_compat_l; [now apply HW|].
    eapply Rle_trans; [now apply plan_crosses | now apply must_cross].
  - intros e I; split; apply nodup_In; apply in_or_app; right; apply in_or_app; right; apply in_or_app;
      [left | right]; now apply in_map.
  - intros e I; apply in_map_iff in I as [[[s t] w] [<- I]]; apply in_flat_map in I as [y [Y I]]; apply in_map_iff in I as [v [E V]].
    inversion E; subst; cbn [fst snd]; split; apply nodup_In, in_or_app; [left; exact Y | right; apply in_or_app; left; exact V].
Qed.
