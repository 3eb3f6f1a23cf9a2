(** * What is not proved yet

    Statements that would close claims or theorems of the field. They are definitions: nothing rests on them. *)

From Coq Require Import Reals List Lra Lia ZArith.
Require Import ExactDP Composition AdvancedComposition OptimalComposition Sampling TwoLetters VariationRatio Blanket Claims.
Require Import Clones Allocation.
Import ListNotations.
Open Scope R_scope.

(** Blackwell: a pair that dominates another makes it by a channel. (The other direction is [randomized_post_processing].) *)
Definition gap_blackwell : Prop :=
  forall (A B : Type) (sameA : forall x y : A, {x = y} + {x <> y}) (sameB : forall x y : B, {x = y} + {x <> y})
    (P Q : law A) (P' Q' : law B),
  is_law P -> is_law Q -> is_law P' -> is_law Q' -> dominated sameA sameB P Q P' Q' ->
  exists K : B -> law A, (forall b, is_law (K b)) /\
    forall f, mean f P = mean f (bind P' K) /\ mean f Q = mean f (bind Q' K).

(** Random allocation: one of t steps, uniformly random, sees the record. It is hardly worse than Poisson sampling with
    a probability eta a little above 1/t. (With eta = 1/t it may be worse, see [allocation_above_poisson].) The posterior
    probability that the next step is the one is 1 / (L_1 + ... + L_(i-1) + t - i + 1), L_j the likelihood ratios so far. Missing:
    Azuma's inequality for the largest of the partial sums of 1 - L_j, of width 2 sinh eps0; where none exceeds g t, that
    probability is at most eta, and [dominating_run] applies. *)
Definition gap_random_allocation : Prop :=
  forall (A : Type) (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (t : nat) (eps0 d E : R),
  (1 <= t)%nat -> 0 <= eps0 -> private same P Q eps0 -> 0 < d <= 1 -> 0 <= E ->
  let g := sinh eps0 * sqrt (2 * ln (1 / d) / INR t) in
  let eta := 1 / (INR t * (1 - g)) in
  let sampled := messages (repeat (mixture eta Q P) t) in
  let without := messages (repeat Q t) in
  g < 1 -> eta <= 1 ->
  hockey_stick (list_eq_dec same) (allocated P Q t) without E <= hockey_stick (list_eq_dec same) sampled without E + d /\
  hockey_stick (list_eq_dec same) without (allocated P Q t) E <= hockey_stick (list_eq_dec same) without sampled E + d.

(** feldman2023/stronger-clones: for any adaptive randomizers. Missing: letters that fit into all others' laws with weight
    1/(x + 1), which randomizers whose rows are less than eps0 apart need not have ([stronger_clones] is for those that have
    them; [common_leftover] for leftovers of one law). No counterexample is known here. *)
Definition gap_feldman2023_stronger_clones : Prop :=
  forall (A X : Type) (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (x E : R) (p : protocol X A),
  (1 <= n)%nat -> 1 <= x -> 1 <= E -> users p = n /\ Forall (private_after same (ln x)) (steps p) ->
  messages_apart same p E <= clones_apart n x (2 / (x + 1)) E.

(** feldman2023/closed-form. Missing: the reduction above. For its pair [letters_hidden] with r = 1/(x + 1) has the bound
    from x + 1 <= n / (8 ln (2 / d)) on. *)
Definition gap_feldman2023_closed_form : Prop :=
  forall (A X : Type) (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (x d : R) (p : protocol X A),
  (1 <= n)%nat -> 1 <= x -> 0 < d <= 1 -> users p = n /\ Forall (private_after same (ln x)) (steps p) ->
  x <= INR n / (8 * ln (2 / d)) ->
  messages_apart same p (1 + (x - 1) * (4 * sqrt (2 * ln (4 / d)) / sqrt ((x + 1) * INR n) + 4 / INR n)) <= d.

(** feldman2023/approximate: randomizers that are (eps0, d0)-close. Missing: the reduction above, and laws that are eps0-close
    and near them, whose letters fit. *)
Definition gap_feldman2023_approximate : Prop :=
  forall (A X : Type) (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (x d0 E : R) (p : protocol X A),
  (1 <= n)%nat -> 1 <= x -> 0 <= d0 <= 1 -> 1 <= E -> users p = n ->
  Forall (fun K => forall past z z', is_law (K past z) /\ hockey_stick same (K past z) (K past z') x <= d0) (steps p) ->
  messages_apart same p E <= clones_apart n x (2 / (x + 1)) E + (E + 1) * (1 + 1 / (2 * x)) * INR n * d0.
