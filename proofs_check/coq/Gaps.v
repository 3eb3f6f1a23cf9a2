(** * What is not proved yet

    Statements that would close claims or theorems of the field. They are definitions: nothing rests on them. *)

From Coq Require Import Reals List Lra Lia ZArith.
Require Import ExactDP Composition AdvancedComposition OptimalComposition Sampling TwoLetters VariationRatio.
Import ListNotations.
Open Scope R_scope.

(** Optimal composition of (eps, d)-private steps (Kairouz, Oh, Viswanath 2015, Theorem 3.3). Missing: that an
    (eps, d)-close pair is dominated by randomized response which reveals its bit with probability d, by convexity in E. *)
Definition gap_approximate_composition : Prop :=
  forall (A : Type) (same : forall x y : A, {x = y} + {x <> y}) (K L : list A -> law A) eps d n E,
  0 <= eps -> 0 <= d <= 1 -> 0 <= E ->
  (forall past, is_law (K past) /\ is_law (L past) /\
    hockey_stick same (K past) (L past) (exp eps) <= d /\ hockey_stick same (L past) (K past) (exp eps) <= d) ->
  hockey_stick (list_eq_dec same) (run (repeat K n) []) (run (repeat L n) []) E
  <= 1 - (1 - d) ^ n + (1 - d) ^ n * optimal_delta n eps E.

(** Blackwell: a pair that dominates another makes it by a channel. (The other direction is [randomized_post_processing].) *)
Definition gap_blackwell : Prop :=
  forall (A B : Type) (sameA : forall x y : A, {x = y} + {x <> y}) (sameB : forall x y : B, {x = y} + {x <> y})
    (P Q : law A) (P' Q' : law B),
  is_law P -> is_law Q -> is_law P' -> is_law Q' -> dominated sameA sameB P Q P' Q' ->
  exists K : B -> law A, (forall b, is_law (K b)) /\
    forall f, mean f P = mean f (bind P' K) /\ mean f Q = mean f (bind Q' K).

(** lemmas/poisson-substitution: s and a noise on the integers from lo to hi. Missing: the exchange of an event for
    the half-line of the same mass under the noise (Neyman and Pearson, for likelihood ratios that are monotone). *)
Definition shifted (noise : Z -> R) (lo : Z) (m : nat) (s : Z) : law Z :=
  map (fun i => (s + lo + Z.of_nat i, noise (lo + Z.of_nat i))%Z) (seq 0 m).
Definition gap_poisson_substitution : Prop :=
  forall (noise : Z -> R) (lo : Z) (m : nat) (x x' c : Z) (q gamma : R),
  let M := shifted noise lo m in
  is_law (M 0%Z) -> (forall i, 0 <= noise i) -> (forall i, noise i <> 0 <-> (lo <= i < lo + Z.of_nat m)%Z) ->
  (forall i, noise i = noise (lo + lo + Z.of_nat m - 1 - i)%Z) ->
  (forall i, noise (i - 1)%Z * noise (i + 1)%Z <= noise i ^ 2) ->
  (Z.abs x <= c)%Z -> (Z.abs x' <= c)%Z -> 0 <= q <= 1 -> 0 <= gamma ->
  hockey_stick Z.eq_dec (mixture q (M 0%Z) (M x)) (mixture q (M 0%Z) (M x')) gamma
  <= hockey_stick Z.eq_dec (mixture q (M 0%Z) (M c)) (mixture q (M 0%Z) (M (- c)%Z)) gamma.

(** wang2023/theorem-4.3: its closed form. Missing: the lower tail of the binomial number of letters, and the two-sided
    masses with a remainder that neither letter has; [clones_hidden] of [CloneBounds] is the case beta = (p - 1) / (p + 1). *)
Definition gap_variation_ratio_closed_form : Prop :=
  forall (n : nat) (p q beta d : R),
  1 < p -> 1 <= q -> 0 < beta <= (p - 1) / (p + 1) -> 0 < d <= 1 -> (2 <= n)%nat ->
  let alpha := beta / (p - 1) in
  let r := alpha * p / q in
  let share := beta * (1 + p) / (p - 1) in
  let c := Rmax 0 (4 * (1 - 3 * r) / (9 * (1 - 2 * r))) in
  2 * r <= 1 -> 8 * ln (2 / d) / r <= INR n ->
  let E := 1 + beta / (share + (1 - share) * c) *
    (sqrt (32 * ln (4 / d) / (r * (INR n - 1))) + 4 / (r * INR n)) in
  let P := mixture_counts upright p alpha r n in
  let Q := mixture_counts turned p alpha r n in
  hockey_stick same_pair P Q E <= d /\ hockey_stick same_pair Q P E <= d.
