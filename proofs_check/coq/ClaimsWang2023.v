(** * Claims about the variation-ratio reduction

    Statements exported from the catalog's claims, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Blanket Letters TwoLetters Clones Claims VariationRatio.
Import ListNotations.
Open Scope R_scope.

(** A law with the weights s, t of two letters, and the rest of a leftover. *)
Definition mixture3 (s t : R) (P Q L : law nat) : law nat :=
  weighted s P ++ weighted t Q ++ weighted (1 - s - t) L.
Definition same_law (P Q : law nat) : Prop := forall f, mean f P = mean f Q.

(** The laws of two letters, of the victim's leftover, and of others'. *)
Record letters := { zero : law nat; one : law nat; own : law nat; leftovers : list (law nat) }.
Definition is_common (n : nat) (p alpha : R) (c : letters) : Prop :=
  is_law (zero c) /\ is_law (one c) /\ is_law (own c) /\ S (length (leftovers c)) = n /\ Forall is_law (leftovers c)
  /\ (Forall (same_law (own c)) (leftovers c) \/ alpha + p * alpha = 1).

(** D of the counts of the messages 0, ..., k - 1. *)
Definition mixtures_apart (k : nat) (p alpha r : R) (c : letters) (E : R) : R :=
  let others := map (mixture3 r r (zero c) (one c)) (leftovers c) in
  hockey_stick same_counts (view k (mixture3 (p * alpha) alpha (zero c) (one c) (own c) :: others))
    (view k (mixture3 alpha (p * alpha) (zero c) (one c) (own c) :: others)) E.

Lemma mixture3_mixed s t P Q L : mixed3 s t P Q L (mixture3 s t P Q L).
Proof. intros f; unfold mixture3; rewrite !mean_app, !mean_weighted; ring. Qed.

Theorem wang2023_common_leftover {k : nat} (n : nat) (p : R) (alpha : R) (r : R) (laws : letters) (exp_epsilon : R) :
  (1 <= n)%nat -> 1 < p -> 0 <= alpha -> alpha <= 1 / (p + 1) -> 0 <= r -> r <= p * alpha ->
  is_common n p alpha laws -> 0 <= exp_epsilon -> 2 * r <= 1 ->
  mixtures_apart k p alpha r laws exp_epsilon <= letters_apart n p alpha r exp_epsilon.
Proof.
  destruct laws as [Q_0 Q_1 Q leftovers]; unfold is_common, mixtures_apart, letters_apart;
    cbn [zero one own ClaimsWang2023.leftovers].
  intros _ Hp Ha Ha' Hr _ (L0 & L1 & L & <- & LO & C) _ Two.
  assert (One : alpha + p * alpha <= 1).
  { apply (Rmult_le_compat_r (p + 1)) in Ha'; [|lra]; unfold Rdiv in Ha'; rewrite Rmult_assoc, Rinv_l in Ha'; lra. }
  set (users := map (mixture3 r r Q_0 Q_1) leftovers).
  replace (length leftovers) with (length users) by (unfold users; apply map_length).
  assert (0 < 1 - p * alpha) by (destruct (Req_dec alpha 0) as [->|]; nra).
  destruct C as [C|C].
  - apply (common_leftover k p alpha r _ _ Q_0 Q_1 Q users); try assumption; try apply mixture3_mixed.
    unfold users; clear -C; induction C as [|U leftovers HU C IH]; constructor; [|exact IH].
    intros f; rewrite (mixture3_mixed r r Q_0 Q_1 U f), (HU f); reflexivity.
  - (* The victim always sends a letter. *)
    set (K := fun y : nat => match y with 0%nat => Q_0 | _ => Q_1 end).
    set (v := [(0%nat, p * alpha); (1%nat, alpha)]); set (v' := [(0%nat, alpha); (1%nat, p * alpha)]).
    set (others := map (pair (2 * r)) leftovers).
    assert (B : forall s t, below 2 [(0%nat, s); (1%nat, t)])
      by (intros s t; do 2 (apply Forall_cons; [cbn; lia|]); apply Forall_nil).
    assert (E : forall s t w, w = [(0%nat, s); (1%nat, t)] -> s + t = 1 ->
      forall f, mean f (mixture3 s t Q_0 Q_1 Q) = mean f (bind w K)).
    { intros s t w -> St f; rewrite mixture3_mixed, mean_bind; cbn; replace (1 - s - t) with 0 by lra; ring. }
    assert (V : forall s t w f, w = [(0%nat, s); (1%nat, t)] -> s + t = 1 ->
      mean f (view k (mixture3 s t Q_0 Q_1 Q :: users)) = mean f (view k (bind w K :: users))).
    { intros s t w f Hw St; rewrite !view_cons; now apply E. }
    rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => V _ _ v f eq_refl ltac:(lra)) (fun f => V _ _ v' f eq_refl ltac:(lra))).
    eapply Rle_trans; [apply (letters_reduction k 2 fair K v v' users others); try apply B|].
    + intros [|y]; assumption.
    + unfold others; apply Forall_map; eapply Forall_impl; [|exact LO]; intros U LU; split; [cbn; lra | exact LU].
    + unfold users, others; clear; induction leftovers as [|U leftovers IH]; cbn [map]; constructor; [|exact IH].
      intros f; rewrite mixture3_mixed, mean_bind; cbn; field.
    + replace (length users) with (length (map (label 2 fair) others))
        by (unfold users, others; now rewrite !map_length).
      apply (common_leftover 2 p alpha r v v' (certain 0%nat) (certain 1%nat) (certain 2%nat)); try apply certain_is_law; try assumption.
      * intros f; cbn; replace (1 - p * alpha - alpha) with 0 by lra; ring.
      * intros f; cbn; replace (1 - alpha - p * alpha) with 0 by lra; ring.
      * unfold others; clear; induction leftovers as [|U leftovers IH]; cbn [map]; constructor; [|exact IH].
        intros f; unfold label, fair; rewrite mean_app, mean_weighted; cbn; field.
Qed.

(** The victim's two rows and others', all of e^eps p and q. *)
Record victim_and_others := { victim : law nat; changed : law nat; others : list (law nat) }.
Definition has_factors (n : nat) (p q : R) (rows : victim_and_others) : Prop :=
  is_law (victim rows) /\ is_law (changed rows) /\ S (length (others rows)) = n /\ Forall is_law (others rows)
  /\ within Nat.eq_dec p (victim rows) (changed rows) /\ within Nat.eq_dec p (changed rows) (victim rows)
  /\ Forall (within Nat.eq_dec q (victim rows)) (others rows)
  /\ Forall (within Nat.eq_dec q (changed rows)) (others rows).
Definition rows_apart (k : nat) (rows : victim_and_others) (E : R) : R :=
  hockey_stick same_counts (view k (victim rows :: others rows)) (view k (changed rows :: others rows)) E.
Definition beta (rows : victim_and_others) : R := total_variation Nat.eq_dec (victim rows) (changed rows).

Theorem wang2023_given_a_letter {k : nat} (n : nat) (p : R) (q : R) (rows : victim_and_others) (exp_epsilon : R) :
  (1 <= n)%nat -> 1 < p -> 1 <= q -> has_factors n p q rows -> 1 <= exp_epsilon ->
  rows_apart k rows exp_epsilon <= (((beta rows) / (p - 1)) + (p * ((beta rows) / (p - 1))))
    * (clones_apart n p (2 * ((((beta rows) / (p - 1)) * p) / q)) exp_epsilon).
Proof.
  intros _ Hp Hq (LV & LW & <- & LO & HV & HW & OV & OW) HE; unfold rows_apart, beta, clones_apart.
  set (good := fun U => is_law U /\ within Nat.eq_dec q (victim rows) U /\ within Nat.eq_dec q (changed rows) U).
  assert (K : exists us : list {U | good U}, map (@proj1_sig _ _) us = others rows).
  { clear -LO OV OW; induction (others rows) as [|U us IH]; [now exists []|].
    apply Forall_cons_iff in LO as [LU LO], OV as [VU OV], OW as [WU OW]; destruct (IH LO OV OW) as [vs E].
    exists (exist _ U (conj LU (conj VU WU)) :: vs); cbn [map proj1_sig]; now rewrite E. }
  destruct K as [us E]; rewrite <- E, map_length.
  apply (variation_ratio k p q _ _ (@proj1_sig _ good) us exp_epsilon); try assumption; try lra.
  intros [U GU]; exact GU.
Qed.

Theorem wang2023_lemma_4_6 (n : nat) (p : R) (q : R) (beta : R) (keep : R) (a : nat) (b : nat) (exp_epsilon : R) :
  (1 <= n)%nat -> 1 < p -> 1 <= q -> 0 <= beta -> beta <= (p - 1) / (p + 1) -> 0 <= keep -> keep <= 1 ->
  0 <= exp_epsilon -> (2 * beta) * p <= (p - 1) * q ->
  kept_mass upright n p (beta / (p - 1)) (((beta / (p - 1)) * p) / q) keep a b
    = counts_mass upright n p ((keep * beta) / (p - 1)) ((((keep * beta) / (p - 1)) * p) / q) a b
  /\ kept_mass turned n p (beta / (p - 1)) (((beta / (p - 1)) * p) / q) keep a b
    = counts_mass turned n p ((keep * beta) / (p - 1)) ((((keep * beta) / (p - 1)) * p) / q) a b
  /\ letters_apart n p ((keep * beta) / (p - 1)) ((((keep * beta) / (p - 1)) * p) / q) exp_epsilon
    <= letters_apart n p (beta / (p - 1)) (((beta / (p - 1)) * p) / q) exp_epsilon.
Proof.
  intros _ Hp Hq Hb Hb' Hk Hk' _ _.
  replace ((keep * beta) / (p - 1)) with (keep * (beta / (p - 1))) by (field; lra).
  replace (((keep * (beta / (p - 1))) * p) / q) with (keep * (((beta / (p - 1)) * p) / q)) by (field; lra).
  assert (0 < / (p - 1)) by (apply Rinv_0_lt_compat; lra).
  assert (Ha : 0 <= beta / (p - 1)) by (apply Rmult_le_pos; lra).
  apply fewer_letters; try lra; apply first_below_1; try lra.
  apply (Rmult_le_compat_r (/ (p - 1))) in Hb'; [|lra].
  replace ((p - 1) / (p + 1) * / (p - 1)) with (1 / (p + 1)) in Hb' by (field; lra); exact Hb'.
Qed.

Theorem wang2023_lemma_4_4 {A} (same : forall x y : A, {x = y} + {x <> y}) (p : R) (q : R) (V : law A) (W : law A) (U : law A) (S : A ->
    bool) :
  1 < p -> 1 <= q -> is_law V -> private_pair same p V W -> is_law U /\ within same q V U /\ within same q W U ->
  prob S (part same V W) >= 0
  /\ prob S (part same W V) >= 0
  /\ prob S (left_over same (p * (share_of same p V W)) (share_of same p V W) V (part same V W) (part same W V))
      >= 0
  /\ prob S (left_over same (((share_of same p V W) * p) / q) (((share_of same p V W) * p) / q) U (part same V
      W) (part same W V)) >= 0
  /\ (1 - (share_of same p V W)) - (p * (share_of same p V W)) >= 0
  /\ 1 - (2 * (((share_of same p V W) * p) / q)) >= 0
  /\ mean (fun _ => 1) (part same V W) = 1
  /\ mean (fun _ => 1) (part same W V) = 1
  /\ mean (fun _ => 1) (left_over same (p * (share_of same p V W)) (share_of same p V W) V (part same V W) (part
      same W V)) = 1
  /\ mean (fun _ => 1) (left_over same (((share_of same p V W) * p) / q) (((share_of same p V W) * p) / q) U
      (part same V W) (part same W V)) = 1
  /\ prob S V = (((p * (share_of same p V W)) * (prob S (part same V W))) + ((share_of same p V W) * (prob S
      (part same W V)))) + (((1 - (share_of same p V W)) - (p * (share_of same p V W))) * (prob S (left_over
      same (p * (share_of same p V W)) (share_of same p V W) V (part same V W) (part same W V))))
  /\ prob S W = (((share_of same p V W) * (prob S (part same V W))) + ((p * (share_of same p V W)) * (prob S
      (part same W V)))) + (((1 - (share_of same p V W)) - (p * (share_of same p V W))) * (prob S (left_over
      same (p * (share_of same p V W)) (share_of same p V W) V (part same V W) (part same W V))))
  /\ prob S U = (((((share_of same p V W) * p) / q) * (prob S (part same V W))) + ((((share_of same p V W) * p)
      / q) * (prob S (part same W V)))) + ((1 - (2 * (((share_of same p V W) * p) / q))) * (prob S (left_over
      same (((share_of same p V W) * p) / q) (((share_of same p V W) * p) / q) U (part same V W) (part same W
      V)))).
Proof.
  intros Hp Hq LV (_ & LW & HVW & HWV) (LU & UV & UW); unfold share_of.
  assert (T : forall (L : law A), is_law L -> prob S L >= 0) by (intros L [N _]; apply Rle_ge, prob_nonnegative, N).
  destruct (Req_EM_T p 1) as [->|_]; [lra|].
  destruct (variation_letters same p q V W U Hp ltac:(lra) LV LW LU HVW HWV UV UW)
    as (L0 & L1 & LR & LO & Ha & One & Two & MV & MW & MU).
  specialize (MV (indicator S)); specialize (MW (indicator S)); specialize (MU (indicator S)).
  repeat split; try (now apply T); try lra; try apply L0; try apply L1; try apply LR; try apply LO; try assumption.
Qed.
