(** * Basic composition of any number of steps

    A step is a mechanism that sees all earlier outcomes; a run records the outcomes, the last one first.
    - [adaptive_composition]: steps that are (eps_i, d_i)-close on two data sets, whatever came before,
      together are (sum of eps_i, sum of d_i)-close;
    - [composition_of_equal_steps]: n steps that are (eps, d)-close are (n eps, n d)-close.

    Outcomes of unlike steps are of one type A: their disjoint sum. [basic_composition] in ExactDP.v is
    two steps.

    Source: Dwork, Roth 2014, Theorem 3.16, and its adaptive form. *)

From Coq Require Import Reals List Lra.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

(** A step on one data set and on the other, with its eps and d. *)
Record step (A : Type) := {
  here : list A -> law A;
  there : list A -> law A;
  epsilon : R;
  delta : R }.
Arguments here {A}. Arguments there {A}. Arguments epsilon {A}. Arguments delta {A}.

Definition close {A} (same : forall x y : A, {x = y} + {x <> y}) (s : step A) : Prop :=
  forall past, is_law (here s past) /\ is_law (there s past) /\
    hockey_stick same (here s past) (there s past) (exp (epsilon s)) <= delta s.

Fixpoint run {A} (mechanisms : list (list A -> law A)) (past : list A) : law (list A) :=
  match mechanisms with
  | [] => certain past
  | K :: mechanisms => bind (K past) (fun a => run mechanisms (a :: past))
  end.

Lemma run_is_law {A} (mechanisms : list (list A -> law A)) past :
  Forall (fun K => forall past, is_law (K past)) mechanisms -> is_law (run mechanisms past).
Proof.
  intros H; revert past; induction H as [|K mechanisms LK H IH]; intros past;
    [apply (certain_is_law past) | apply bind_is_law; [apply LK | intros; apply IH]].
Qed.

Theorem adaptive_composition {A} (same : forall x y : A, {x = y} + {x <> y}) (steps : list (step A)) past :
  Forall (close same) steps ->
  hockey_stick (list_eq_dec same) (run (map here steps) past) (run (map there steps) past)
    (exp (total (map epsilon steps))) <= total (map delta steps).
Proof.
  intros H; revert past; induction H as [|s steps C H IH]; intros past; cbn [map total run].
  - rewrite exp_0; apply below_every_event; intros S; lra.
  - rewrite exp_plus.
    assert (sameAB : forall x y : A * list A, {x = y} + {x <> y})
      by (decide equality; apply (list_eq_dec same)).
    set (K := fun a => run (map here steps) (a :: past)); set (L := fun a => run (map there steps) (a :: past)).
    assert (F : forall P (M : A -> law (list A)) f, mean f (bind P M) = mean f (image snd (followed P M))).
    { intros P M f; unfold followed; rewrite mean_image, !mean_bind; apply mean_ext; intros a.
      now rewrite mean_image. }
    rewrite (hockey_stick_ext _ _ _ _ _ _ (F (here s past) K) (F (there s past) L)).
    eapply Rle_trans; [apply (post_processing sameAB)|].
    apply (basic_composition same (list_eq_dec same)); try (apply Rlt_le, exp_pos); try apply C.
    + intros a; apply run_is_law, Forall_map; eapply Forall_impl; [|exact H]; intros t Ht p; apply Ht.
    + intros a; apply run_is_law, Forall_map; eapply Forall_impl; [|exact H]; intros t Ht p; apply Ht.
    + intros a; apply IH.
Qed.

Theorem composition_of_equal_steps {A} (same : forall x y : A, {x = y} + {x <> y})
    (K L : list A -> law A) eps d n :
  (forall past, is_law (K past) /\ is_law (L past) /\
    hockey_stick same (K past) (L past) (exp eps) <= d) ->
  hockey_stick (list_eq_dec same) (run (repeat K n) []) (run (repeat L n) []) (exp (INR n * eps))
  <= INR n * d.
Proof.
  intros H; set (s := {| here := K; there := L; epsilon := eps; delta := d |}).
  assert (T : forall x, total (repeat x n) = INR n * x).
  { intros x; clear; induction n as [|n IH]; [cbn; ring|].
    rewrite S_INR; cbn [repeat total]; rewrite IH; ring. }
  assert (M : forall B (g : step A -> B), map g (repeat s n) = repeat (g s) n)
    by (intros B g; clear; induction n as [|n IH]; cbn; congruence).
  pose proof (adaptive_composition same (repeat s n) []) as F; rewrite !M, !T in F; apply F.
  apply Forall_forall; intros t Ht; apply repeat_spec in Ht; subst t; exact H.
Qed.
