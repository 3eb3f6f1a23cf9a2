(** Randomized response of two users and more, e^eps0 = 3, at e^eps = 2: it meets what [shuffle_model]
    assumes, and the bound is a number. By hand for n = 1: L(0) = 1/2 and L(1) = -5/2 with chance 1/2 each,
    so 1/(1/2) * 1/2 * 1/4 = 1/4, and this is 3/4 - 2 * 1/4, the divergence itself. *)

From Coq Require Import Reals List Lra Lia PeanoNat.
Require Import ExactDP Lemmas Blanket.
Import ListNotations.
Open Scope R_scope.

Definition says (b : bool) : law nat :=
  if b then [(0%nat, 3 / 4); (1%nat, 1 / 4)] else [(0%nat, 1 / 4); (1%nat, 3 / 4)].
Definition fair : law nat := [(0%nat, 1 / 2); (1%nat, 1 / 2)].

Definition claimed n := / (1 / 2 * INR n) * binomial_total n (fun m =>
  (1 / 2) ^ m * (1 - 1 / 2) ^ (n - m) * blanket_excess (says true) (says false) fair 2 m).

Example bound data :
  hockey_stick same_list (bind (messages (map says (true :: data))) permuted)
    (bind (messages (map says (false :: data))) permuted) 2
  <= claimed (S (length data)).
Proof.
  assert (M : forall P y, mass Nat.eq_dec P y = prob (at_ Nat.eq_dec y) P) by reflexivity.
  apply (shuffle_model same_list permuted says 2); try lra.
  - exact permuted_is_law.
  - exact permuted_order_blind.
  - split; [repeat constructor; cbn; lra | cbn; lra].
  - intros []; (split; [repeat constructor|split; [split; [repeat constructor; cbn; lra | cbn; lra]|]]);
      intros [|[|y]]; rewrite !M; cbn; unfold indicator, at_; cbn; lra.
  - intros [|[|y]]; rewrite !M; cbn; unfold indicator, at_; cbn; lra.
  - intros [|[|y]]; rewrite !M; cbn; unfold indicator, at_; cbn; lra.
Qed.

Arguments says : simpl never.
Arguments amplification : simpl never.
Lemma loss_0 : amplification (says true) (says false) fair 2 0 = 1 / 2.
Proof. unfold amplification, mass, prob, says; cbn; unfold indicator, at_; cbn; field. Qed.
Lemma loss_1 : amplification (says true) (says false) fair 2 1 = - (5 / 2).
Proof. unfold amplification, mass, prob, says; cbn; unfold indicator, at_; cbn; field. Qed.

Ltac value := unfold claimed, binomial_total, blanket_excess; cbn; unfold weighted, image; cbn;
  rewrite loss_0, ?loss_1; unfold positive_part;
  repeat match goal with |- context [Rmax 0 ?x] =>
    (rewrite (Rmax_left 0 x) by lra) || (rewrite (Rmax_right 0 x) by lra) end; field.
Example one : claimed 1 = 1 / 4.
Proof. value. Qed.
Example two : claimed 2 = 3 / 16.
Proof. value. Qed.
Example three : claimed 3 = 9 / 64.
Proof. value. Qed.
