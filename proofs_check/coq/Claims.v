(** * Claims about all finite laws

    Each theorem is a claim of the catalogs, its statement exported from the claim's own form
    (`exactdp show CLAIM` prints it; a test compares them word for word). *)

From Coq Require Import Reals List Lra.
Require Import ExactDP Sampling.
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
    (parts : nat -> law A * law A) (weights : law nat) (gamma : R) :
  (forall i, is_law (fst (parts i)) /\ is_law (snd (parts i))) -> is_law weights -> 0 <= gamma ->
  hockey_stick same (bind weights (fun i => fst (parts i))) (bind weights (fun i => snd (parts i))) gamma
  <= mean (fun i => hockey_stick same (fst (parts i)) (snd (parts i)) gamma) weights.
Proof. intros _ [N _] _; now apply mixed_pairs. Qed.

Theorem lemmas_monotone_in_epsilon {A} (same : forall x y : A, {x = y} + {x <> y})
    (mu : law A) (mu_prime : law A) (gamma : R) (factor : R) :
  is_law mu -> is_law mu_prime -> 0 <= gamma -> 1 <= factor ->
  hockey_stick same mu mu_prime (gamma * factor) <= hockey_stick same mu mu_prime gamma.
Proof. intros _ [N _] Hg Hf; apply larger_factor; [exact N | nra]. Qed.

Theorem lemmas_advanced_joint_convexity {A} (same : forall x y : A, {x = y} + {x <> y})
    (mu_0 : law A) (mu_1 : law A) (other : law A) (eta : R) (alpha : R) :
  is_law mu_0 -> is_law mu_1 -> is_law other -> 0 <= eta -> eta <= 1 -> 1 <= alpha ->
  hockey_stick same (mixture eta mu_0 mu_1) (mixture eta mu_0 other) (1 + (eta * (alpha - 1)))
  = eta * (hockey_stick same mu_1 (mixture ((1 + (eta * (alpha - 1))) / alpha) mu_0 other) alpha).
Proof. intros; apply advanced_joint_convexity; lra. Qed.
