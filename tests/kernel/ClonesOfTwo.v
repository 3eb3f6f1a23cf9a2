(** Randomized response meets what [shuffled_clones_divergence] assumes, and the bound is a number: here the
    counts of clones for e^eps0 = 2 at e^eps = 1. By hand for n = 1: 2/3 - 1/3 = 1/3, the divergence itself;
    for n = 2 there is a clone with chance 1/2, and then 1/6 is left: 1/2 * 1/3 + 1/2 * 1/6 = 1/4. *)

From Coq Require Import Reals List Lra Lia PeanoNat.
Require Import ExactDP Lemmas Blanket Letters TwoLetters Clones.
Import ListNotations.
Open Scope R_scope.

Definition apart r n := hockey_stick same_pair (clone_counts forward 2 r n) (clone_counts backward 2 r n) 1.

Example bound k steps eps0 (before after : list {z | (z < k)%nat}) x0 x1 E :
  0 <= eps0 ->
  let says := fun (_ : list nat) (z : {z | (z < k)%nat}) => randomized_response k eps0 (proj1_sig z) in
  let n := length (before ++ x0 :: after) in
  hockey_stick same_list (shuffled (repeat says steps) (before ++ x0 :: after))
    (shuffled (repeat says steps) (before ++ x1 :: after)) E
  <= hockey_stick same_pair (clone_counts forward (exp eps0) (exp (- eps0)) n)
       (clone_counts backward (exp eps0) (exp (- eps0)) n) E.
Proof.
  intros He; apply shuffled_clones_divergence; [exact He|].
  apply Forall_forall; intros K HK; apply repeat_spec in HK; subst K; intros past [z Hz] [z' Hz'].
  destruct (randomized_response_mixes k eps0 z z' He Hz) as (L & W & _); exact (conj L W).
Qed.

Ltac value := unfold apart, hockey_stick, outcomes;
  match goal with |- stick_on _ ?xs _ _ _ = _ => let ys := eval cbv in xs in change xs with ys end;
  cbv -[Rmult Rplus Rdiv Rminus Ropp IZR Rmax];
  repeat match goal with |- context [Rmax 0 ?x] =>
    (rewrite (Rmax_left 0 x) by lra) || (rewrite (Rmax_right 0 x) by lra) end; lra.

Example one : apart (1 / 2) 1 = 1 / 3.
Proof. value. Qed.
Example two : apart (1 / 2) 2 = 1 / 4.
Proof. value. Qed.
Example three : apart (1 / 2) 3 = 5 / 24.
Proof. value. Qed.
Example stronger : apart (2 / 3) 2 = 2 / 9.
Proof. value. Qed.
