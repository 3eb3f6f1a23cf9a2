(** * Claims of Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019

    Each theorem is a claim of its catalog, its statement exported from the claim's own form (a test compares
    them word for word); x = e^eps0. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket Letters TwoLetters Clones Claims Swapping SwappedOrders.
Import ListNotations.
Open Scope R_scope.

(** ** Theorems 7 and 8 *)

(** eps_1, and the first bound of Theorem 7, in x = e^eps0. *)
Definition eps1 (n : nat) (x : R) : R := 2 * x ^ 2 * (x - 1) / INR n.
Definition general_bound (n : nat) (x d : R) : R :=
  sqrt (2 * INR n * ln (1 / d)) * eps1 n x + INR n * eps1 n x * (exp (eps1 n x) - 1).

(** Local randomizers for all earlier outcomes, the i-th one after i - 1 of them; the first element of the data
    in two cases, and what stands at the other positions. *)
Record swapping (X A : Type) := {
  randomizer : list A -> X -> law A; one : X; two : X; elsewhere : nat -> X }.
Arguments randomizer {X A}. Arguments one {X A}. Arguments two {X A}. Arguments elsewhere {X A}.
Definition placed {X} (first : X) (elsewhere : nat -> X) (k : nat) : X :=
  match k with 0%nat => first | S k => elsewhere k end.

(** D of the outcomes of A_swap on data that differ in the first element. *)
Definition swapped_apart {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (p : swapping X A) (E : R) : R :=
  hockey_stick (list_eq_dec same) (swapped_run (randomizer p) (placed (one p) (elsewhere p)) n)
    (swapped_run (randomizer p) (placed (two p) (elsewhere p)) n) E.

Lemma private_ratio {X A} (same : forall x y : A, {x = y} + {x <> y}) x (K : list A -> X -> law A) :
  1 < x -> private_after same (ln x) K ->
  forall past z z', is_law (K past z) /\ within same x (K past z) (K past z').
Proof. intros Hx H past z z'; destruct (H past z z') as [L W]; rewrite exp_ln in W by lra; now split. Qed.

Theorem erlingsson2019_theorem_8 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : swapping X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  private_after same (ln exp_epsilon0) (randomizer randomizers) ->
  swapped_apart same n randomizers (exp (general_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 H; apply (amplification_by_swapping same (randomizer randomizers) exp_epsilon0 n);
    try lra; try lia; [now apply private_ratio | intros [|k] Hk; [contradiction | reflexivity]].
Qed.

Theorem erlingsson2019_theorem_7 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  messages_apart same randomizers (exp (general_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 [U [L H]]; apply (amplification_by_shuffling same (steps randomizers) exp_epsilon0 n);
    try lra; try assumption; eapply Forall_impl; [|exact H]; intros K HK; now apply private_ratio.
Qed.
