(** * Claims about all finite laws

    Each theorem is a claim of the catalogs, its statement exported from the claim's own form
    (`exactdp show CLAIM` prints it; a test compares them word for word). *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition Blanket Letters TwoLetters Clones Sampling.
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
