(** * Mechanisms and their guarantees

    A mechanism gives a law of the outcome for each data set; [neighbors] are the pairs of data sets that differ
    in what one person contributes. Proved here, for all finite laws and any relation of neighbors:
    - [mechanism_divergences]: a mechanism is (eps, d)-private exactly if no divergence of neighbors exceeds d;
    - [private_post_processing]: a random function of the outcome is as private as the mechanism;
    - [private_composition]: two mechanisms, the second of which sees the first's outcome;
    - [private_group]: data sets that are t changes apart.

    Source: Dwork, Roth 2014, Definition 2.4, Proposition 2.1, Theorems 2.2 and 3.16; Vadhan 2017, Lemma 2.2. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas.
Import ListNotations.
Open Scope R_scope.

Definition private_mechanism {D A} (neighbors : D -> D -> Prop) (mechanism : D -> law A) (eps d : R) : Prop :=
  forall x x', neighbors x x' -> forall S, prob S (mechanism x) <= exp eps * prob S (mechanism x') + d.

(** x becomes x' by t changes. *)
Fixpoint changes {D} (neighbors : D -> D -> Prop) (t : nat) (x x' : D) : Prop :=
  match t with
  | 0%nat => x = x'
  | S t => exists z, neighbors x z /\ changes neighbors t z x'
  end.

Theorem mechanism_divergences {D A} (same : forall x y : A, {x = y} + {x <> y}) neighbors
    (mechanism : D -> law A) eps d :
  private_mechanism neighbors mechanism eps d <->
  forall x x', neighbors x x' -> hockey_stick same (mechanism x) (mechanism x') (exp eps) <= d.
Proof. split; intros H x x' N; apply (below_every_event same), H, N. Qed.

Theorem private_post_processing {D A B} (same : forall x y : A, {x = y} + {x <> y}) neighbors
    (mechanism : D -> law A) (K : A -> law B) eps d :
  (forall a, is_law (K a)) -> private_mechanism neighbors mechanism eps d ->
  private_mechanism neighbors (fun x => bind (mechanism x) K) eps d.
Proof.
  intros L H x x' N S; unfold prob; rewrite !mean_bind.
  pose proof (randomized_event same (fun a => mean (indicator S) (K a)) (mechanism x) (mechanism x') (exp eps)
    (fun a => prob_between S (K a) (L a))) as F.
  pose proof (proj1 (mechanism_divergences same neighbors mechanism eps d) H x x' N); lra.
Qed.

Theorem private_composition {D A B} (sameA : forall x y : A, {x = y} + {x <> y})
    (sameB : forall x y : B, {x = y} + {x <> y}) neighbors
    (first : D -> law A) (second : A -> D -> law B) eps d eps' d' :
  (forall x, is_law (first x)) -> (forall a x, is_law (second a x)) ->
  private_mechanism neighbors first eps d -> (forall a, private_mechanism neighbors (second a) eps' d') ->
  private_mechanism neighbors (fun x => followed (first x) (fun a => second a x)) (eps + eps') (d + d').
Proof.
  intros L L' H H'.
  assert (sameAB : forall x y : A * B, {x = y} + {x <> y}) by (decide equality).
  apply (mechanism_divergences sameAB); intros x x' N; rewrite exp_plus.
  apply (basic_composition sameA sameB); try apply L; try (intros; apply L'); try (apply Rlt_le, exp_pos).
  - now apply (mechanism_divergences sameA neighbors first).
  - intros a; now apply (mechanism_divergences sameB neighbors (second a)).
Qed.

Theorem private_group {D A} neighbors (mechanism : D -> law A) eps d t :
  private_mechanism neighbors mechanism eps d ->
  private_mechanism (changes neighbors t) mechanism (INR t * eps) (d * geometric (exp eps) t).
Proof.
  intros H; induction t as [|t IH]; intros x x' C S.
  - cbn in *; subst x'; rewrite Rmult_0_l, exp_0; lra.
  - destruct C as [z [N C]]; specialize (IH z x' C S); specialize (H x z N S).
    rewrite S_INR; replace ((INR t + 1) * eps) with (eps + INR t * eps) by ring; rewrite exp_plus.
    cbn [geometric]; apply (Rmult_le_compat_l (exp eps)) in IH; [lra | apply Rlt_le, exp_pos].
Qed.
