(** * Segmented aggregation: claims about all data, laws and measures

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Blanket Letters TwoLetters VariationRatio Measures Sampled Survey.
Import ListNotations.
Open Scope R_scope.

(** The blanket's rate gamma = m/⌈m⌉. *)
Lemma rate_of_slots (slots : nat) m :
  (1 <= slots)%nat -> INR slots - 1 < m -> m <= INR slots -> 0 <= m / INR slots <= 1.
Proof.
  intros Hs Hl Hm; assert (1 <= INR slots) by (apply (le_INR 1); exact Hs).
  split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
  apply (Rmult_le_reg_r (INR slots)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** ** Other users *)

Theorem wang2024_lemma_2 (D : measure) (d : nat) (slots : nat) (m : R) (sets : list nat * list nat) (rate :
    R) (others : list (list nat * R)) :
  data_processing D -> (1 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> length
  (fst sets) = length (snd sets) /\ Forall (fun x => (x < d)%nat) (fst sets ++ snd sets) -> 0 <= rate ->
  rate <= 1 -> Forall is_rate others -> between D d (S (length others) * slots) (m / INR slots) sets rate
  others <= between D d (S (length others) * slots) (m / INR slots) sets rate [].
Proof.
  intros HD Hd Hs Hl Hm _ Hr Hr' HO; apply others_add; try assumption; [now apply rate_of_slots | lra].
Qed.

Theorem wang2024_nothing_is_lost (D : measure) (d : nat) (slots : nat) (m : R) (sets : list nat * list nat)
    (rate : R) (others : list (list nat * R)) :
  data_processing D -> (1 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> length
  (fst sets) = length (snd sets) /\ Forall (fun x => (x < d)%nat) (fst sets ++ snd sets) -> 0 <= rate ->
  rate <= 1 -> Forall (fun user => snd user = 1) others -> between D d (S (length others) * slots) (m / INR
  slots) sets rate others = between D d (S (length others) * slots) (m / INR slots) sets rate [].
Proof.
  intros HD Hd Hs Hl Hm _ Hr Hr' HO; apply known_messages; try assumption; [now apply rate_of_slots | lra].
Qed.

(** ** The variation-ratio reduction, with the rest counted *)

Theorem wang2024_repair_theorem_1 (D : measure) (k : nat) (p : R) (q : R) (victim : law nat * law nat)
    (others : list (law nat)) :
  data_processing D -> (1 <= k)%nat -> 1 < p -> 1 <= q -> is_law (fst victim) /\ is_law (snd victim) /\
  within Nat.eq_dec p (fst victim) (snd victim) /\ within Nat.eq_dec p (snd victim) (fst victim) -> Forall
  (fun w => is_law w /\ within Nat.eq_dec q (fst victim) w /\ within Nat.eq_dec q (snd victim) w) others ->
  D counts same_counts (view k (fst victim :: others)) (view k (snd victim :: others)) <= four_apart D p
  (total_variation Nat.eq_dec (fst victim) (snd victim)) q 1 (length others).
Proof.
  intros HD _ Hp Hq (LV & LV' & H & H') HO; apply (rest_counted D k p q 1 _ _ others others); try assumption; try lra.
  clear; induction others; constructor; [intros f; ring | assumption].
Qed.

(** F_rb: one message, and N ~ Bin(n, gamma) blanket messages. *)
Definition F_rb (k n : nat) (gamma : R) (blanket message : law nat) : law counts :=
  bind (heads gamma n) (fun N => view k (message :: repeat blanket N)).
Definition sampled (k : nat) (gamma : R) (w : law nat) : law nat := weighted gamma w ++ [(k, 1 - gamma)].

Lemma sampled_is_law k gamma w : 0 <= gamma <= 1 -> is_law w -> is_law (sampled k gamma w).
Proof.
  intros Hg [N M]; split; [|unfold sampled; rewrite mean_app, mean_weighted, M; cbn; ring].
  apply Forall_app; split; [apply nonnegative_weighted; [lra | exact N] | apply Forall_cons; [cbn; lra | apply Forall_nil]].
Qed.

Lemma F_rb_slots k n gamma w v f :
  mean f (F_rb k n gamma w v) = mean f (view k (v :: repeat (sampled k gamma w) n)).
Proof. unfold F_rb; rewrite mean_bind; symmetry; apply (slots_that_send k [v] w gamma n f). Qed.

Lemma F_rb_is_law k n gamma w v : 0 <= gamma <= 1 -> is_law w -> is_law v -> is_law (F_rb k n gamma w v).
Proof.
  intros Hg LW LV; apply bind_is_law; [now apply heads_is_law|]; intros N.
  apply view_is_law, Forall_cons; [exact LV | now apply repeated].
Qed.

(** A measure depends on the laws alone. *)
Lemma measured (D : measure) {A} same (P Q P' Q' : law A) :
  data_processing D -> is_law P -> is_law Q -> same_law P' P -> same_law Q' Q -> D A same P' Q' <= D A same P Q.
Proof.
  intros HD LP LQ HP HQ; apply (HD A A same same certain); try assumption; [intros; apply certain_is_law | |];
    intros f; rewrite mean_bind, ?HP, ?HQ; apply mean_ext; intros; now rewrite mean_certain.
Qed.


Theorem wang2024_repair_theorem_2 (D : measure) (k : nat) (p : R) (q : R) (victim : law nat * law nat)
    (blanket : law nat) (n : nat) (gamma : R) :
  data_processing D -> (1 <= k)%nat -> 1 < p -> 1 <= q -> is_law (fst victim) /\ is_law (snd victim) /\
  within Nat.eq_dec p (fst victim) (snd victim) /\ within Nat.eq_dec p (snd victim) (fst victim) -> is_law
  blanket /\ within Nat.eq_dec q (fst victim) blanket /\ within Nat.eq_dec q (snd victim) blanket -> 0 <=
  gamma -> gamma <= 1 -> D counts same_counts (F_rb k n gamma blanket (fst victim)) (F_rb k n gamma blanket
  (snd victim)) <= four_apart D p (total_variation Nat.eq_dec (fst victim) (snd victim)) q gamma n.
Proof.
  intros HD _ Hp Hq (LV & LV' & H & H') HB Hg Hg'.
  eapply Rle_trans; [apply (measured D same_counts (view k (fst victim :: repeat (sampled k gamma blanket) n))
    (view k (snd victim :: repeat (sampled k gamma blanket) n)) _ _ HD)|].
  - apply view_is_law, Forall_cons; [exact LV|]; apply repeated, sampled_is_law; [lra | apply HB].
  - apply view_is_law, Forall_cons; [exact LV'|]; apply repeated, sampled_is_law; [lra | apply HB].
  - intros f; apply F_rb_slots.
  - intros f; apply F_rb_slots.
  - pose proof (rest_counted D k p q gamma (fst victim) (snd victim) (repeat blanket n) (repeat (sampled k gamma blanket) n)) as T.
    rewrite repeat_length in T; apply T; try assumption; try lra; [now apply repeated|].
    apply Forall2_repeat; intros f; unfold sampled; rewrite mean_app, mean_weighted; cbn; ring.
Qed.

(** ** The Poisson randomizer among blanket messages *)

Definition uniform_item (d : nat) : law nat := map (fun j => (j, 1 / INR d)) (seq 0 d).
Definition procedure_H (d n : nat) (gamma rate : R) (item : nat) : law counts :=
  F_rb d n gamma (uniform_item d) (sent d rate item).

Lemma mean_uniform_item d f : mean f (uniform_item d) = 1 / INR d * total (map f (seq 0 d)).
Proof. unfold uniform_item; induction (seq 0 d) as [|j js IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma H_messages d n gamma rate item f :
  mean f (procedure_H d n gamma rate item) = mean f (messages_of d n gamma ([item], rate) []).
Proof.
  unfold procedure_H, messages_of, all_sent, sends; cbn [flat_map fst snd map List.app]; rewrite F_rb_slots, app_nil_r.
  apply view_same, Forall2_cons; [reflexivity|]; apply Forall2_repeat; intros g.
  unfold sampled; rewrite mean_app, mean_weighted, mean_uniform_item, mean_slot; unfold Rdiv; cbn [mean]; ring.
Qed.

Lemma H_is_law d n gamma rate item : (1 <= d)%nat -> 0 <= gamma <= 1 -> 0 <= rate <= 1 -> is_law (procedure_H d n gamma rate item).
Proof.
  intros Hd Hg Hr; apply F_rb_is_law; [exact Hg | | now apply sent_is_law].
  assert (0 < INR d) by (apply lt_0_INR; lia); split; [|rewrite mean_uniform_item, total_ones, seq_length; field; lra].
  apply Forall_map, Forall_forall; intros j _; cbn; apply Rlt_le; unfold Rdiv; rewrite Rmult_1_l; now apply Rinv_0_lt_compat.
Qed.


Theorem wang2024_three_counts (D : measure) (n : nat) (gamma : R) (d : nat) (rate : R) (items : nat * nat) :
  data_processing D -> 0 <= gamma -> gamma <= 1 -> (2 <= d)%nat -> 0 <= rate -> rate <= 1 -> (fst items <
  d)%nat /\ (snd items < d)%nat /\ fst items <> snd items -> D counts same_counts (procedure_H d n gamma
  rate (fst items)) (procedure_H d n gamma rate (snd items)) = D counts same_counts (three_counts d n gamma
  rate 0) (three_counts d n gamma rate 1).
Proof.
  intros HD Hg Hg' Hd Hr Hr' (H0 & H1 & H01); rewrite <- (three_counts_tell_all d (fst items) (snd items)) by (assumption || lra).
  assert (L : forall x, is_law (messages_of d n gamma ([x], rate) [])).
  { intros x; apply messages_are_law; [lia | lra | unfold is_rate; cbn; lra | constructor]. }
  unfold between; cbn [fst snd]; apply Rle_antisym; apply measured; try assumption; try apply L;
    try (apply H_is_law; lra || lia); intros f; now rewrite H_messages.
Qed.

Theorem wang2024_coin_told (n : nat) (gamma : R) (d : nat) (rate : R) (items : nat * nat) (exp_epsilon : R)
    :
  0 <= gamma -> gamma <= 1 -> (2 <= d)%nat -> 0 <= rate -> rate <= 1 -> (fst items < d)%nat /\ (snd items <
  d)%nat /\ fst items <> snd items -> 1 <= exp_epsilon -> hockey_stick same_counts (procedure_H d n gamma
  rate (fst items)) (procedure_H d n gamma rate (snd items)) exp_epsilon <= rate * (hockey_stick same_pair
  (letters_counted upright 1 (gamma / INR d) n) (letters_counted turned 1 (gamma / INR d) n) exp_epsilon).
Proof.
  intros Hg Hg' Hd Hr Hr' (H0 & H1 & _) HE.
  pose proof (one_item d n gamma rate (fst items) (snd items) exp_epsilon H0 H1 (conj Hg Hg') (conj Hr Hr') HE) as T.
  unfold between in T; cbn [fst snd] in T; rewrite (hockey_stick_ext _ _ _ _ _ _
    (H_messages d n gamma rate (fst items)) (H_messages d n gamma rate (snd items))); exact T.
Qed.

(** ** Several items *)


Theorem wang2024_group_step (d : nat) (slots : nat) (m : R) (sets : list nat * list nat) (rate : R)
    (exp_epsilon : R) :
  (1 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> length (fst sets) = length
  (snd sets) /\ Forall (fun x => (x < d)%nat) (fst sets ++ snd sets) -> 0 <= rate -> rate <= 1 -> 1 <=
  exp_epsilon -> between (stick (exp_epsilon ^ length (fst sets))) d slots (m / INR slots) sets rate [] <=
  (INR (length (fst sets)) * exp_epsilon ^ length (fst sets)) * (between (stick exp_epsilon) d slots (m /
  INR slots) ([0%nat], [pred d]) rate []).
Proof.
  intros Hd Hs Hl Hm [Len F] Hr Hr' HE; pose proof (rate_of_slots slots m Hs Hl Hm) as Hg; apply Forall_app in F as [F0 F1].
  set (N := between (stick exp_epsilon) d slots (m / INR slots) ([0%nat], [pred d]) rate []).
  assert (NN : 0 <= N) by apply hockey_stick_nonnegative.
  eapply Rle_trans; [apply (items_exchanged d slots _ rate exp_epsilon N sets []); try assumption; try lra; [constructor|]|].
  - intros x y Hx Hy; destruct (Nat.eq_dec x y) as [<-|E].
    + eapply Rle_trans; [|exact NN]; apply no_difference; [|exact HE].
      apply messages_are_law; [lia | assumption | unfold is_rate; cbn; lra | constructor].
    + unfold N; rewrite (three_counts_tell_all d 0 (pred d) ltac:(lia) ltac:(lia) ltac:(lia)), <- (three_counts_tell_all d x y Hx Hy E)
        by (apply hockey_stick_processed || lra); apply Rle_refl.
  - rewrite Rmult_comm; apply Rmult_le_compat_r; [exact NN | now apply geometric_at_most].
Qed.

Theorem wang2024_repair_theorem_3 (d : nat) (slots : nat) (m : R) (sets : list nat * list nat) (rate : R)
    (exp_epsilon : R) (others : list (list nat * R)) :
  (2 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> length (fst sets) = length
  (snd sets) /\ Forall (fun x => (x < d)%nat) (fst sets ++ snd sets) -> 0 <= rate -> rate <= 1 -> 1 <=
  exp_epsilon -> Forall is_rate others -> between (stick (exp_epsilon ^ length (fst sets))) d (S (length
  others) * slots) (m / INR slots) sets rate others <= (geometric exp_epsilon (length (fst sets))) * (rate *
  (hockey_stick same_pair (letters_counted upright 1 (m / INR slots / INR d) (S (length others) * slots))
  (letters_counted turned 1 (m / INR slots / INR d) (S (length others) * slots)) exp_epsilon)).
Proof.
  intros Hd Hs Hl Hm [Len F] Hr Hr' HE HO; pose proof (rate_of_slots slots m Hs Hl Hm) as Hg; apply Forall_app in F as [F0 F1].
  rewrite Rmult_comm; apply items_exchanged; try assumption; try lra; [lia|].
  intros x y Hx Hy; apply one_item; assumption || lra.
Qed.

(** ** The lower bound *)

Lemma third_item_holders d (thirds : list R) : (3 <= d)%nat ->
  Forall (holds_neither d 0 1) (map (fun rate => ([2%nat], rate)) thirds).
Proof. intros Hd; apply Forall_map, Forall_forall; intros r _; apply Forall_cons; [lia | apply Forall_nil]. Qed.


Theorem wang2024_proposition_1 (D : measure) (d : nat) (slots : nat) (m : R) (rate : R) (thirds : list R) :
  data_processing D -> (3 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> 0 < rate
  -> rate <= 1 -> Forall (fun rate => 0 <= rate <= 1) thirds -> between D d (S (length thirds) * slots) (m /
  INR slots) ([0%nat], [1%nat]) rate (map (fun rate => ([2%nat], rate)) thirds) >= D (nat * nat)%type
  same_pair (letters_counted upright rate (m / INR slots / INR d) (S (length thirds) * slots))
  (letters_counted turned rate (m / INR slots / INR d) (S (length thirds) * slots)).
Proof.
  intros HD Hd Hs Hl Hm Hr Hr' HT; apply Rle_ge, counts_of_two_below; try assumption; try lia; try lra.
  - now apply rate_of_slots.
  - apply Forall_map; exact HT.
  - now apply third_item_holders.
Qed.

(** P, or Q. *)
Definition shown (side : nat) : nat -> nat -> nat -> nat -> nat * nat := if Nat.eq_dec side 0 then upright else turned.


Theorem wang2024_F_counts (d : nat) (slots : nat) (m : R) (rate : R) (thirds : list R) (event : nat * nat ->
    bool) :
  (3 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> 0 < rate -> rate <= 1 ->
  Forall (fun rate => 0 <= rate <= 1) thirds -> prob event (image (picked 0 1) (messages_of d (S (length
  thirds) * slots) (m / INR slots) ([0%nat], rate) (map (fun rate => ([2%nat], rate)) thirds))) = prob event
  (letters_counted (shown 0) rate (m / INR slots / INR d) (S (length thirds) * slots)) /\ prob event (image
  (picked 0 1) (messages_of d (S (length thirds) * slots) (m / INR slots) ([1%nat], rate) (map (fun rate =>
  ([2%nat], rate)) thirds))) = prob event (letters_counted (shown 1) rate (m / INR slots / INR d) (S (length
  thirds) * slots)).
Proof.
  intros Hd _ _ _ _ _ _; split; unfold prob.
  - rewrite (counts_of_two d 0 1) by (lia || auto || now apply third_item_holders); reflexivity.
  - rewrite (counts_of_two d 0 1) by (lia || auto || now apply third_item_holders); reflexivity.
Qed.

(** ** Surveys *)


Theorem wang2024_unbiased (survey : survey) (j : nat) :
  is_survey survey -> (j < domain survey)%nat -> estimate_mean survey j = frequency survey j.
Proof.
  intros H Hj; now apply estimate_unbiased.
Qed.

Theorem wang2024_display (survey : survey) (j : nat) :
  is_survey survey -> (j < domain survey)%nat -> display survey j = frequency survey j.
Proof.
  intros H _; now apply display_is.
Qed.

Theorem wang2024_variance_1_inside (survey : survey) :
  is_survey survey -> total_variance survey <= (signal_variance survey) + ((INR (domain survey)) * ((((INR
  (domain survey)) * (INR (users survey))) * (INR (slots survey))) * (((m survey) / ((INR (domain survey)) *
  (INR (slots survey)))) * (1 - ((m survey) / ((INR (domain survey)) * (INR (slots survey)))))))).
Proof.
  intros H; rewrite variance_line_1 by exact H; pose proof (blanket_term survey H) as [B Hd]; apply Rplus_le_compat_l; nra.
Qed.

Theorem wang2024_variance_1_outside (survey : survey) :
  is_survey survey -> total_variance survey <= (signal_variance survey) + ((((INR (domain survey)) * (INR
  (users survey))) * (INR (slots survey))) * (((m survey) / ((INR (domain survey)) * (INR (slots survey))))
  * (1 - ((m survey) / ((INR (domain survey)) * (INR (slots survey))))))).
Proof.
  intros H; rewrite variance_line_1 by exact H; apply Rle_refl.
Qed.

Theorem wang2024_variance_2 (survey : survey) :
  is_survey survey -> total_variance survey <= ((INR (users survey)) * (m survey)) + (signal_variance
  survey).
Proof.
  apply variance_line_2.
Qed.

Theorem wang2024_variance_3 (survey : survey) :
  is_survey survey -> total_variance survey <= ((INR (users survey)) * (m survey)) + ((INR (size survey)) *
  (signal survey)).
Proof.
  apply variance_line_3.
Qed.

Theorem wang2024_error_1 (survey : survey) :
  is_survey survey -> squared_error survey <= (total_variance survey) / ((signal survey) ^ 2).
Proof.
  intros H; apply error_line; [exact H | apply Rle_refl].
Qed.

Theorem wang2024_error_2 (survey : survey) :
  is_survey survey -> squared_error survey <= (((INR (users survey)) * (m survey)) + (signal_variance
  survey)) / ((signal survey) ^ 2).
Proof.
  intros H; apply error_line; [exact H | now apply variance_line_2].
Qed.

Theorem wang2024_error_3 (survey : survey) :
  is_survey survey -> squared_error survey <= (((INR (users survey)) * (m survey)) + ((INR (size survey)) *
  (signal survey))) / ((signal survey) ^ 2).
Proof.
  intros H; apply error_line; [exact H | now apply variance_line_3].
Qed.

(** ** Group composition *)

(** Data sets of one size that differ in at most s entries. *)
Inductive differ {X : Type} : nat -> list X -> list X -> Prop :=
| differ_none s : differ s [] []
| differ_same s x a b : differ s a b -> differ s (x :: a) (x :: b)
| differ_one s x y a b : differ s a b -> differ (S s) (x :: a) (y :: b).

Definition private_protocol {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (E delta : R)
    (protocol : list X -> law A) : Prop :=
  (forall a, is_law (protocol a)) /\
  forall a b, length a = n -> differ 1 a b -> hockey_stick same (protocol a) (protocol b) E <= delta.

Lemma not_changed {X : Type} (a : list X) : differ 0 a a.
Proof. induction a; constructor; assumption. Qed.

Lemma one_entry {X : Type} before (x y : X) after : differ 1 (before ++ x :: after) (before ++ y :: after).
Proof. induction before; cbn; constructor; [apply not_changed | assumption]. Qed.

Lemma differing {X A} (same : forall x y : A, {x = y} + {x <> y}) n E delta (protocol : list X -> law A) s a b event :
  1 <= E -> 0 <= delta -> private_protocol same n E delta protocol -> differ s a b ->
  forall before, length (before ++ a) = n ->
  prob event (protocol (before ++ a)) <= E ^ s * prob event (protocol (before ++ b)) + delta * geometric E s.
Proof.
  intros HE Hd [LP HP] D.
  assert (G : forall t, 0 <= geometric E t) by (induction t as [|t IH]; cbn; [lra | nra]).
  induction D as [s|s x a b D IH|s x y a b D IH]; intros before Len.
  - pose proof (prob_between event _ (LP (before ++ []))); pose proof (pow_R1_Rle E s HE).
    assert (0 <= delta * geometric E s) by (apply Rmult_le_pos; auto); nra.
  - specialize (IH (before ++ [x])); rewrite <- !app_assoc in IH; now apply IH.
  - specialize (IH (before ++ [y])); rewrite <- !app_assoc in IH; cbn [List.app] in IH.
    assert (Len' : length (before ++ y :: a) = n) by (rewrite app_length in *; exact Len).
    specialize (IH Len'); pose proof (proj1 (below_every_event same _ _ E delta) (HP _ _ Len (one_entry before x y a)) event) as O.
    cbn [pow geometric]; apply (Rmult_le_compat_l E) in IH; [|lra]; lra.
Qed.


Theorem wang2024_lemma_1 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type} (n : nat) (exp_epsilon :
    R) (delta : R) (s : nat) (protocol : list X -> law A) (data : list X * list X) :
  (1 <= n)%nat -> 1 <= exp_epsilon -> 0 <= delta -> (1 <= s)%nat -> private_protocol same n exp_epsilon
  delta protocol -> length (fst data) = n /\ differ s (fst data) (snd data) -> hockey_stick same (protocol
  (fst data)) (protocol (snd data)) (exp_epsilon ^ s) <= ((INR s) * (exp_epsilon ^ s)) * delta.
Proof.
  intros _ HE Hd _ HP [Len D]; apply below_every_event; intros event.
  pose proof (differing same n exp_epsilon delta protocol s _ _ event HE Hd HP D [] Len) as F; cbn [List.app] in F.
  pose proof (geometric_at_most exp_epsilon s HE) as G; apply (Rmult_le_compat_l delta) in G; [|exact Hd]; lra.
Qed.
