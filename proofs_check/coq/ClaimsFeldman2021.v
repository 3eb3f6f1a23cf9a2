(** * The closed form of hiding among the clones

    Its statement is exported from the catalog's claim, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket TwoLetters Clones CloneBounds Claims.
Import ListNotations.
Open Scope R_scope.

Theorem feldman2021_theorem_3_1 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (1 <= n)%nat -> 1 <= exp_epsilon0 -> 0 < delta -> delta <= 1 ->
  users randomizers = n /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  exp_epsilon0 <= (INR n) / (16 * (ln (2 / delta))) ->
  messages_apart same randomizers (1 + ((((exp (ln exp_epsilon0)) - 1) / ((exp (ln exp_epsilon0)) + 1))
    * ((8 * (sqrt (((exp (ln exp_epsilon0)) * (ln (4 / delta))) / (INR n))))
      + ((8 * (exp (ln exp_epsilon0))) / (INR n))))) <= delta.
Proof.
  intros Hn Hx Hd Hd1 Hr Hxn; rename exp_epsilon0 into x; rewrite !exp_ln by lra; set (E := 1 + _).
  assert (Pn : 0 < INR n) by (apply lt_0_INR; lia).
  assert (D : 1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (M2 : 1 / 2 <= ln (2 / delta)).
  { pose proof ln_lt_2; enough (ln 2 <= ln (2 / delta)) by lra; apply ln_le; [lra|].
    unfold Rdiv; lra. }
  assert (ML : ln (2 / delta) <= ln (4 / delta)) by (apply ln_le; unfold Rdiv; lra).
  pose proof (clones_hidden x n (ln (2 / delta)) (ln (4 / delta)) Hx M2 ML Hxn) as H; fold E in H.
  rewrite exp_Ropp, exp_ln in H by (unfold Rdiv; lra).
  replace (2 * / (2 / delta)) with delta in H by (field; lra).
  eapply Rle_trans; [|exact H]; fold (clones_apart n x (1 / x) E).
  apply feldman2021_reduction; try assumption; unfold E.
  assert (0 <= (x - 1) / (x + 1)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (0 <= 8 * sqrt (x * ln (4 / delta) / INR n)) by (apply Rmult_le_pos; [lra | apply sqrt_pos]).
  assert (0 <= 8 * x / INR n) by (apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]).
  assert (0 <= (x - 1) / (x + 1) * (8 * sqrt (x * ln (4 / delta) / INR n) + 8 * x / INR n)) by (apply Rmult_le_pos; lra).
  lra.
Qed.
