(** * Claims about all finite laws

    Each theorem is a claim of the catalogs, its statement exported from the claim's own form
    (`exactdp show CLAIM` prints it; a test compares them word for word). *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Lemmas Composition Blanket Letters TwoLetters Clones VariationRatio Sampling WithoutReplacement.
Import ListNotations.
Open Scope R_scope.

(** ** Lemmas *)

Theorem lemmas_post_processing {A} (same : forall x y : A, {x = y} + {x <> y})
    {B} (same_B : forall x y : B, {x = y} + {x <> y})
    (mu : law A) (mu_prime : law A) (channel : A -> law B) (gamma : R) :
  is_law mu -> is_law mu_prime -> (forall a, is_law (channel a)) -> 0 <= gamma ->
  hockey_stick same_B (bind mu channel) (bind mu_prime channel) gamma
  <= hockey_stick same mu mu_prime gamma.
Proof. intros; now apply randomized_post_processing. Qed.

Theorem lemmas_joint_convexity {A} (same : forall x y : A, {x = y} + {x <> y})
    (weights : law nat) (parts : nat -> law A * law A) (gamma : R) :
  is_law weights -> (forall i, is_law (fst (parts i)) /\ is_law (snd (parts i))) -> 0 <= gamma ->
  hockey_stick same (bind weights (fun i => fst (parts i))) (bind weights (fun i => snd (parts i))) gamma
  <= mean (fun i => hockey_stick same (fst (parts i)) (snd (parts i)) gamma) weights.
Proof. intros [N _] _ _; now apply mixed_pairs. Qed.

Theorem lemmas_monotone_in_epsilon {A} (same : forall x y : A, {x = y} + {x <> y})
    (mu : law A) (mu_prime : law A) (gamma : R) (more : R) :
  is_law mu -> is_law mu_prime -> 0 <= gamma -> 0 <= more ->
  hockey_stick same mu mu_prime (gamma + more) <= hockey_stick same mu mu_prime gamma.
Proof. intros _ [N _] Hg Hf; apply larger_factor; [exact N | lra]. Qed.

Theorem lemmas_advanced_joint_convexity {A} (same : forall x y : A, {x = y} + {x <> y})
    (mu_0 : law A) (mu_1 : law A) (other : law A) (eta : R) (alpha : R) :
  is_law mu_0 -> is_law mu_1 -> is_law other -> 0 <= eta -> eta <= 1 -> 1 <= alpha ->
  hockey_stick same (mixture eta mu_0 mu_1) (mixture eta mu_0 other) (1 + (eta * (alpha - 1)))
  = eta * (hockey_stick same mu_1 (mixture ((1 + (eta * (alpha - 1))) / alpha) mu_0 other) alpha).
Proof. intros; apply advanced_joint_convexity; lra. Qed.

(** Data that differ in one record. *)
Record neighbors (D : Type) := { left : list D; old : D; new : D; right : list D }.
Arguments left {D}. Arguments old {D}. Arguments new {D}. Arguments right {D}.
Definition data_of {D} (n : neighbors D) : list D := left n ++ old n :: right n.
Definition changed_data {D} (n : neighbors D) : list D := left n ++ new n :: right n.

Lemma subset_length {D} (l : list D) m s : In s (subsets m l) -> length s = m.
Proof.
  revert m s; induction l as [|y l IH]; intros [|m] s H; cbn in H.
  - destruct H as [<-|[]]; reflexivity.
  - destruct H.
  - destruct H as [<-|[]]; reflexivity.
  - apply in_app_or in H as [H|H]; [|now apply IH].
    apply in_map_iff in H as [t [<- H]]; cbn; f_equal; now apply IH.
Qed.

Theorem lemmas_sampling_without_replacement {A} (same : forall x y : A, {x = y} + {x <> y}) {D : Type}
    (m : nat) (records : nat) (mechanism : list D -> law A) (data : neighbors D) (gamma : R) (most : R) :
  (1 <= m)%nat -> (m <= records)%nat -> (forall s, is_law (mechanism s)) -> length (data_of data) = records ->
  1 <= gamma ->
  (forall s t, length s = m -> replaced s t ->
    hockey_stick same (mechanism s) (mechanism t) (1 + (gamma - 1) / (INR m / INR records)) <= most) ->
  hockey_stick same (on_subset m mechanism (data_of data)) (on_subset m mechanism (changed_data data)) gamma
  <= ((INR m) / (INR records)) * most.
Proof.
  intros Hm Hr LM <- Hg H; set (n := length (data_of data)) in *; set (q := INR m / INR n) in *.
  assert (Pm : 0 < INR m) by (apply lt_0_INR; lia); assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (Pq : 0 < q) by (apply Rmult_lt_0_compat; [exact Pm | now apply Rinv_0_lt_compat]).
  set (E := 1 + (gamma - 1) / q) in *.
  assert (HE : 1 <= E) by (unfold E; enough (0 <= (gamma - 1) / q) by lra;
    apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]).
  (* Batches of other sizes do not occur. *)
  set (some := repeat (old data) m).
  set (mechanism' := fun s => if Nat.eq_dec (length s) m then mechanism s else mechanism some).
  assert (Same : forall l f, mean f (on_subset m mechanism l) = mean f (on_subset m mechanism' l)).
  { intros l f; unfold on_subset; rewrite !mean_bind, !mean_uniform; f_equal.
    enough (X : forall ss, (forall s, In s ss -> length s = m) ->
      total (map (fun s => mean f (mechanism s)) ss) = total (map (fun s => mean f (mechanism' s)) ss))
      by (apply X; intros s; apply subset_length).
    intros ss; induction ss as [|s ss IH]; intros L; cbn; [reflexivity|].
    rewrite IH by (intros; apply L; now right); f_equal; unfold mechanism'.
    now rewrite (L s (or_introl eq_refl)); destruct (Nat.eq_dec m m). }
  assert (P : forall s t : list D, replaced s t -> length s = length t).
  { intros s t (x & y & r & Hs & Ht); rewrite (Permutation_length Hs), (Permutation_length Ht); reflexivity. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (Same _) (Same _)).
  replace gamma with (1 + q * (E - 1)) at 1 by (unfold E; field; lra).
  apply (subset_replaced same mechanism' (old data) (new data) (left data) (right data) m E most Hr HE).
  intros s t R; unfold mechanism'; rewrite <- (P s t R); destruct (Nat.eq_dec (length s) m) as [L|L]; [now apply H|].
  apply (H some some); unfold some; [apply repeat_length|].
  destruct m as [|m]; [lia|]; exists (old data), (old data), (repeat (old data) m); split; reflexivity.
Qed.

(** ** Hiding among the clones *)

(** The masses of two rows differ by at most a factor x. *)
Definition private_pair {A} (same : forall x y : A, {x = y} + {x <> y}) (x : R) (P Q : law A) : Prop :=
  is_law P /\ is_law Q /\ within same x P Q /\ within same x Q P.

Theorem feldman2021_two_letters {A} (same : forall x y : A, {x = y} + {x <> y})
    (exp_epsilon0 : R) (P : law A) (Q : law A) (S : A -> bool) :
  1 <= exp_epsilon0 -> is_law P -> private_pair same exp_epsilon0 P Q ->
  prob S (letter same exp_epsilon0 P Q) >= 0
  /\ prob S (letter same exp_epsilon0 Q P) >= 0
  /\ mean (fun _ => 1) (letter same exp_epsilon0 P Q) = 1
  /\ mean (fun _ => 1) (letter same exp_epsilon0 Q P) = 1
  /\ prob S P = ((exp_epsilon0 * (prob S (letter same exp_epsilon0 P Q)))
      + (prob S (letter same exp_epsilon0 Q P))) / (exp_epsilon0 + 1)
  /\ prob S Q = ((prob S (letter same exp_epsilon0 P Q))
      + (exp_epsilon0 * (prob S (letter same exp_epsilon0 Q P)))) / (exp_epsilon0 + 1)
  /\ (prob S P) + (prob S Q)
      = (prob S (letter same exp_epsilon0 P Q)) + (prob S (letter same exp_epsilon0 Q P)).
Proof.
  intros Hx _ (LP & LQ & HPQ & HQP).
  pose proof (letter_is_law same exp_epsilon0 P Q Hx LP LQ HQP) as [N0 M0].
  pose proof (letter_is_law same exp_epsilon0 Q P Hx LQ LP HPQ) as [N1 M1].
  pose proof (letters_mixed same exp_epsilon0 P Q (indicator S) Hx HPQ HQP) as E0.
  pose proof (letters_mixed same exp_epsilon0 Q P (indicator S) Hx HQP HPQ) as E1.
  pose proof (prob_nonnegative S _ N0); pose proof (prob_nonnegative S _ N1).
  unfold prob in *; rewrite E0, E1; repeat split; try lra; try assumption; field; lra.
Qed.

(** Local randomizers that see all earlier messages, and two data sets that differ in one element. *)
Record protocol (X A : Type) := {
  steps : list (list A -> X -> law A); before : list X; first : X; second : X; after : list X }.
Arguments steps {X A}. Arguments before {X A}. Arguments first {X A}. Arguments second {X A}. Arguments after {X A}.
Definition users {X A} (p : protocol X A) : nat := length (before p ++ first p :: after p).

(** D of the messages of the data sets, each in a uniformly random order; and of the counts of clones. *)
Definition messages_apart {X A} (same : forall x y : A, {x = y} + {x <> y}) (p : protocol X A) (E : R) : R :=
  hockey_stick (list_eq_dec same) (shuffled (steps p) (before p ++ first p :: after p))
    (shuffled (steps p) (before p ++ second p :: after p)) E.
Definition clones_apart (n : nat) (x r E : R) : R :=
  hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E.

Theorem feldman2021_reduction {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (exp_epsilon : R) (randomizers : protocol X A) :
  (1 <= n)%nat -> 1 <= exp_epsilon0 -> 1 <= exp_epsilon ->
  users randomizers = n /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  messages_apart same randomizers exp_epsilon
  <= clones_apart n exp_epsilon0 (1 / exp_epsilon0) exp_epsilon.
Proof.
  intros _ Hx _ [<- H].
  pose proof (shuffled_clones_divergence same (steps randomizers) (ln exp_epsilon0) (before randomizers)
    (after randomizers) (first randomizers) (second randomizers) exp_epsilon) as T; cbv zeta in T.
  rewrite exp_Ropp, exp_ln in T by lra.
  unfold messages_apart, clones_apart, users, Rdiv; rewrite Rmult_1_l; apply T; [|exact H].
  destruct (Rle_lt_or_eq_dec _ _ Hx) as [L|<-]; [left; rewrite <- ln_1; now apply ln_increasing; lra | rewrite ln_1; lra].
Qed.

Theorem feldman2021_each_count (c : nat) (exp_epsilon0 : R) (exp_epsilon : R) :
  1 <= exp_epsilon0 -> 1 <= exp_epsilon ->
  clones_apart (c + 2) exp_epsilon0 1 exp_epsilon <= clones_apart (c + 1) exp_epsilon0 1 exp_epsilon.
Proof. intros _ _; apply more_clones; [lra | lia]. Qed.

(** ** Stronger clones *)

Definition has_two_letters {X A} (same : forall x y : A, {x = y} + {x <> y}) (x : R) (u v : X)
    (K : list A -> X -> law A) : Prop :=
  forall past z y, (mass same (K past u) y + mass same (K past v) y) / (x + 1) <= mass same (K past z) y.

Theorem feldman2023_reduction_two_letters {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (exp_epsilon : R) (rows : protocol X A) :
  (1 <= n)%nat -> 1 <= exp_epsilon0 -> 1 <= exp_epsilon ->
  users rows = n /\ Forall (private_after same (ln exp_epsilon0)) (steps rows)
  /\ Forall (has_two_letters same exp_epsilon0 (first rows) (second rows)) (steps rows) ->
  messages_apart same rows exp_epsilon
  <= clones_apart n exp_epsilon0 (2 / (exp_epsilon0 + 1)) exp_epsilon.
Proof.
  intros _ Hx _ [<- [P H]]; unfold messages_apart, clones_apart, users.
  assert (E : exp (ln exp_epsilon0) = exp_epsilon0) by (apply exp_ln; lra).
  assert (Hl : 0 <= ln exp_epsilon0).
  { destruct (Rle_lt_or_eq_dec _ _ Hx) as [L|<-]; [left; rewrite <- ln_1; apply ln_increasing; lra | rewrite ln_1; lra]. }
  destruct (stronger_clones same (steps rows) (ln exp_epsilon0) (before rows) (after rows) (first rows) (second rows))
    as [channel [LC [H0 H1]]]; [exact Hl | exact P | | ].
  - eapply Forall_impl; [|exact H]; intros K HK past z y; rewrite E; apply HK.
  - rewrite E in H0, H1; rewrite (hockey_stick_ext _ _ _ _ _ _ H0 H1); now apply randomized_post_processing.
Qed.

(** ** Counts of two letters that the victim sends with other weights than the others *)

(** The mass of (a, b) letters; the same where each letter is kept with probability s; D of the two counts. *)
Definition counts_mass (shown : nat -> nat -> nat -> nat -> nat * nat) (n : nat) (p alpha r : R) (a b : nat) : R :=
  mass same_pair (mixture_counts shown p alpha r n) (a, b).
Definition kept_mass (shown : nat -> nat -> nat -> nat -> nat * nat) (n : nat) (p alpha r s : R) (a b : nat) : R :=
  mass same_pair (bind (mixture_counts shown p alpha r n) (kept s)) (a, b).
Definition letters_apart (n : nat) (p alpha r E : R) : R :=
  hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n) E.

Lemma first_below_1 p alpha : 0 < p -> 0 <= alpha -> alpha <= 1 / (p + 1) -> 0 < 1 - p * alpha.
Proof.
  intros Hp Ha H; apply (Rmult_le_compat_r (p + 1)) in H; [|lra]; unfold Rdiv in H; rewrite Rmult_assoc, Rinv_l in H by lra.
  destruct (Req_dec alpha 0) as [->|]; nra.
Qed.

Lemma fewer_letters n p alpha r s E a b :
  0 <= p -> 0 <= s <= 1 -> 0 <= alpha -> 0 < 1 - p * alpha ->
  kept_mass upright n p alpha r s a b = counts_mass upright n p (s * alpha) (s * r) a b /\
  kept_mass turned n p alpha r s a b = counts_mass turned n p (s * alpha) (s * r) a b /\
  letters_apart n p (s * alpha) (s * r) E <= letters_apart n p alpha r E.
Proof.
  intros Hp Hs Ha H.
  pose proof (Rmult_le_pos _ _ Hp Ha) as N; assert (H' : 0 < 1 - p * (s * alpha)) by nra.
  unfold kept_mass, counts_mass, letters_apart, mass, prob; split; [|split]; try (apply kept_counts; auto).
  rewrite <- (hockey_stick_ext _ _ _ _ _ _ (fun f => kept_counts upright p alpha r s n f (or_introl eq_refl) H H')
    (fun f => kept_counts turned p alpha r s n f (or_intror eq_refl) H H')).
  apply randomized_post_processing; intros; now apply kept_is_law.
Qed.

Theorem feldman2023_monotone_in_p (n : nat) (exp_epsilon0 : R) (p : R) (keep : R) (a : nat) (b : nat) (exp_epsilon : R) :
  (1 <= n)%nat -> 1 <= exp_epsilon0 -> 0 <= p -> p <= 1 / (exp_epsilon0 + 1) -> 0 <= keep -> keep <= 1 ->
  0 <= exp_epsilon ->
  kept_mass upright n exp_epsilon0 p p keep a b = counts_mass upright n exp_epsilon0 (keep * p) (keep * p) a b
  /\ kept_mass turned n exp_epsilon0 p p keep a b = counts_mass turned n exp_epsilon0 (keep * p) (keep * p) a b
  /\ letters_apart n exp_epsilon0 (keep * p) (keep * p) exp_epsilon <= letters_apart n exp_epsilon0 p p exp_epsilon.
Proof.
  intros _ Hx Hp Hp' Hk Hk' _; apply fewer_letters; try lra; apply first_below_1; lra.
Qed.

(** ** Rows as mixtures of two letters *)

(** The weight of either letter; 0 where all rows are the same. *)
Definition share_of {A} (same : forall x y : A, {x = y} + {x <> y}) (x : R) (P Q : law A) : R :=
  if Req_EM_T x 1 then 0 else total_variation same P Q / (x - 1).

Theorem feldman2023_decomposition {A} (same : forall x y : A, {x = y} + {x <> y}) (exp_epsilon0 : R) (P : law A) (Q : law A) (other : law A) (S
    : A -> bool) :
  1 <= exp_epsilon0 -> is_law P -> private_pair same exp_epsilon0 P Q -> is_law other /\ within same exp_epsilon0
  P other /\ within same exp_epsilon0 Q other ->
  share_of same exp_epsilon0 P Q <= 1 / (exp_epsilon0 + 1)
  /\ prob S (part same P Q) >= 0
  /\ prob S (part same Q P) >= 0
  /\ prob S (left_over same (exp_epsilon0 * (share_of same exp_epsilon0 P Q)) (share_of same exp_epsilon0 P Q) P
      (part same P Q) (part same Q P)) >= 0
  /\ prob S (left_over same (share_of same exp_epsilon0 P Q) (share_of same exp_epsilon0 P Q) other (part same P
      Q) (part same Q P)) >= 0
  /\ (1 - (share_of same exp_epsilon0 P Q)) - (exp_epsilon0 * (share_of same exp_epsilon0 P Q)) >= 0
  /\ 1 - (2 * (share_of same exp_epsilon0 P Q)) >= 0
  /\ mean (fun _ => 1) (part same P Q) = 1
  /\ mean (fun _ => 1) (part same Q P) = 1
  /\ mean (fun _ => 1) (left_over same (exp_epsilon0 * (share_of same exp_epsilon0 P Q)) (share_of same
      exp_epsilon0 P Q) P (part same P Q) (part same Q P)) = 1
  /\ mean (fun _ => 1) (left_over same (share_of same exp_epsilon0 P Q) (share_of same exp_epsilon0 P Q) other
      (part same P Q) (part same Q P)) = 1
  /\ prob S P = (((exp_epsilon0 * (share_of same exp_epsilon0 P Q)) * (prob S (part same P Q))) + ((share_of
      same exp_epsilon0 P Q) * (prob S (part same Q P)))) + (((1 - (share_of same exp_epsilon0 P Q)) -
      (exp_epsilon0 * (share_of same exp_epsilon0 P Q))) * (prob S (left_over same (exp_epsilon0 * (share_of
      same exp_epsilon0 P Q)) (share_of same exp_epsilon0 P Q) P (part same P Q) (part same Q P))))
  /\ prob S Q = (((share_of same exp_epsilon0 P Q) * (prob S (part same P Q))) + ((exp_epsilon0 * (share_of same
      exp_epsilon0 P Q)) * (prob S (part same Q P)))) + (((1 - (share_of same exp_epsilon0 P Q)) - (exp_epsilon0
      * (share_of same exp_epsilon0 P Q))) * (prob S (left_over same (exp_epsilon0 * (share_of same exp_epsilon0
      P Q)) (share_of same exp_epsilon0 P Q) P (part same P Q) (part same Q P))))
  /\ prob S other = (((share_of same exp_epsilon0 P Q) * (prob S (part same P Q))) + ((share_of same
      exp_epsilon0 P Q) * (prob S (part same Q P)))) + ((1 - (2 * (share_of same exp_epsilon0 P Q))) * (prob S
      (left_over same (share_of same exp_epsilon0 P Q) (share_of same exp_epsilon0 P Q) other (part same P Q)
      (part same Q P)))).
Proof.
  intros Hx LP (_ & LQ & HPQ & HQP) (LU & UP & UQ); unfold share_of.
  assert (T : forall (L : law A), is_law L -> prob S L >= 0) by (intros L [N _]; apply Rle_ge, prob_nonnegative, N).
  destruct (Req_EM_T exp_epsilon0 1) as [->|N].
  - rewrite !Rmult_0_r; pose proof (part_is_law same P Q LP) as L0; pose proof (part_is_law same Q P LQ) as L1.
    assert (Z : forall X, is_law X -> forall y, 0 * mass same (part same P Q) y + 0 * mass same (part same Q P) y <= mass same X y)
      by (intros X [NX _] y; pose proof (prob_nonnegative (at_ same y) X NX : 0 <= mass same X y); lra).
    destruct (left_over_mixed same 0 0 P _ _ LP L0 L1 (Z P LP)) as (_ & LR & MR).
    destruct (left_over_mixed same 0 0 other _ _ LU L0 L1 (Z other LU)) as (_ & LO & MO).
    assert (E : mean (indicator S) Q = mean (indicator S) P)
      by (apply (equal_masses same); intros y; specialize (HPQ y); specialize (HQP y); lra).
    specialize (MR (indicator S)); specialize (MO (indicator S)); fold (prob S P) in *; fold (prob S Q) in *; fold (prob S other) in *.
    repeat split; try (now apply T); try lra; try apply L0; try apply L1; try apply LR; try apply LO; unfold prob in *; lra.
  - destruct (variation_letters same exp_epsilon0 exp_epsilon0 P Q other ltac:(lra) ltac:(lra) LP LQ LU HPQ HQP UP UQ)
      as (L0 & L1 & LR & LO & Ha & One & Two & MP & MQ & MO).
    set (a := total_variation same P Q / (exp_epsilon0 - 1)) in *.
    replace (a * exp_epsilon0 / exp_epsilon0) with a in * by (field; lra).
    specialize (MP (indicator S)); specialize (MQ (indicator S)); specialize (MO (indicator S)).
    repeat split; try (now apply T); try lra; try apply L0; try apply L1; try apply LR; try apply LO; try assumption.
    apply (Rmult_le_reg_r (exp_epsilon0 + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.
