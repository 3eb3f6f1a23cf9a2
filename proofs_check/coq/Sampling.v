(** * Poisson sampling

    Each record of a data set is kept with probability q, independently; a mechanism sees the records
    that were kept. E = e^eps, and 1 + q (E - 1) = e^eps'. Proved here, for every mechanism with finite
    outputs, all records of the others and all q, E:
    - [sampled_added], [sampled_removed]: the exact divergence of the mixture (1 - q) P + q Q from P, and
      of P from it;
    - [advanced_joint_convexity]: of two mixtures that share P;
    - [poisson_added], [poisson_removed]: if a record more, wherever it stands, changes the mechanism by at
      most d at E, it changes the mechanism on a Poisson sample by at most q d at 1 + q (E - 1).

    Source: Balle, Barthe, Gaboardi 2018, Theorems 2 and 8. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

(** ** Two mixtures *)

(** P with weight 1 - q, Q with weight q. *)
Definition mixture {A} (q : R) (P Q : law A) : law A := weighted (1 - q) P ++ weighted q Q.

Lemma mean_mixture {A} q (P Q : law A) f :
  mean f (mixture q P Q) = (1 - q) * mean f P + q * mean f Q.
Proof. unfold mixture; now rewrite mean_app, !mean_weighted. Qed.

(** Two pairs whose differences on every event are proportional. *)
Lemma hockey_stick_proportional {A} same (P Q P' Q' : law A) E E' c :
  0 <= c -> (forall S, prob S P - E * prob S Q = c * (prob S P' - E' * prob S Q')) ->
  hockey_stick same P Q E = c * hockey_stick same P' Q' E'.
Proof.
  intros Hc H; destruct (hockey_stick_largest same P Q E) as [U [S HS]].
  destruct (hockey_stick_largest same P' Q' E') as [V [T HT]]; apply Rle_antisym.
  - rewrite <- HS, H; apply Rmult_le_compat_l; [exact Hc | apply V].
  - rewrite <- HT, <- H; apply U.
Qed.

(** With the record: the mixture against the base. *)
Theorem sampled_added {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) q E :
  0 <= q ->
  hockey_stick same (mixture q P Q) P (1 + q * (E - 1)) = q * hockey_stick same Q P E.
Proof.
  intros Hq; apply hockey_stick_proportional; [exact Hq|].
  intros S; unfold prob; rewrite mean_mixture; ring.
Qed.

(** Without it: the base against the mixture, at any factor G = e^eps'. *)
Theorem sampled_removed {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) q G :
  0 < 1 - G * (1 - q) ->
  hockey_stick same P (mixture q P Q) G =
  (1 - G * (1 - q)) * hockey_stick same P Q (G * q / (1 - G * (1 - q))).
Proof.
  intros H; apply hockey_stick_proportional; [lra|].
  intros S; unfold prob; rewrite mean_mixture; field; lra.
Qed.

(** From where the factor is at least 1 / (1 - q), nothing is left. *)
Theorem sampled_removed_zero {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) q G :
  nonnegative P -> nonnegative Q -> 0 <= q -> 0 <= G -> 1 - G * (1 - q) <= 0 ->
  hockey_stick same P (mixture q P Q) G = 0.
Proof.
  intros NP NQ Hq HG H; apply Rle_antisym; [|apply hockey_stick_nonnegative].
  apply below_every_event; intros S; unfold prob; rewrite mean_mixture.
  pose proof (prob_nonnegative S P NP) as HP; pose proof (prob_nonnegative S Q NQ) as HQ.
  unfold prob in HP, HQ.
  assert (0 <= (G * (1 - q) - 1) * mean (indicator S) P) by (apply Rmult_le_pos; lra).
  assert (0 <= G * q * mean (indicator S) Q) by (repeat apply Rmult_le_pos; assumption).
  lra.
Qed.

(** Two mixtures that share P: Q and Q' as at E, where Q' is itself mixed with P. *)
Theorem advanced_joint_convexity {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q Q' : law A) q E :
  0 <= q -> E <> 0 ->
  hockey_stick same (mixture q P Q) (mixture q P Q') (1 + q * (E - 1)) =
  q * hockey_stick same Q (mixture ((1 + q * (E - 1)) / E) P Q') E.
Proof.
  intros Hq HE; apply hockey_stick_proportional; [exact Hq|].
  intros S; unfold prob; rewrite !mean_mixture; field; exact HE.
Qed.

(** In the other direction too, sampling leaves at most the part q. *)
Theorem sampled_removed_bound {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) q E :
  nonnegative P -> nonnegative Q -> 0 <= q <= 1 -> 1 <= E ->
  hockey_stick same P (mixture q P Q) (1 + q * (E - 1)) <= q * hockey_stick same P Q E.
Proof.
  intros NP NQ Hq HE; apply below_every_event; intros S; unfold prob; rewrite mean_mixture.
  destruct (hockey_stick_largest same P Q E) as [U _]; specialize (U S).
  pose proof (prob_nonnegative S P NP) as HP; pose proof (prob_nonnegative S Q NQ) as HQ.
  pose proof (hockey_stick_nonnegative same P Q E) as HH.
  unfold prob in U, HP, HQ; set (p := mean (indicator S) P) in *; set (r := mean (indicator S) Q) in *.
  set (h := hockey_stick same P Q E) in *.
  (* p - G ((1 - q) p + q r) = q ((1 - (E - 1) (1 - q)) (p - E r) - (E - 1)^2 (1 - q) r). *)
  assert (X : 0 <= (E - 1) * (E - 1) * (1 - q) * r)
    by (repeat apply Rmult_le_pos; lra).
  assert (Y : (1 - (E - 1) * (1 - q)) * (p - E * r) - (E - 1) * (E - 1) * (1 - q) * r <= h).
  { destruct (Rle_dec 0 (1 - (E - 1) * (1 - q))) as [Z|Z].
    - assert (0 <= (E - 1) * (1 - q)) by (apply Rmult_le_pos; lra).
      assert ((1 - (E - 1) * (1 - q)) * (p - E * r) <= (1 - (E - 1) * (1 - q)) * h)
        by (apply Rmult_le_compat_l; lra).
      assert ((1 - (E - 1) * (1 - q)) * h <= 1 * h) by (apply Rmult_le_compat_r; lra).
      lra.
    - assert (0 <= ((E - 1) * (1 - q) - 1) * p) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 + q * (E - 1)) * r)
        by (apply Rmult_le_pos; [assert (0 <= q * (E - 1)) by (apply Rmult_le_pos; lra)|]; lra).
      replace ((1 - (E - 1) * (1 - q)) * (p - E * r) - (E - 1) * (E - 1) * (1 - q) * r)
        with (- (((E - 1) * (1 - q) - 1) * p) - (1 + q * (E - 1)) * r) by ring.
      lra. }
  apply (Rmult_le_compat_l q) in Y; [|lra].
  replace p with ((1 + q * (E - 1)) * ((1 - q) * p + q * r)
    + q * ((1 - (E - 1) * (1 - q)) * (p - E * r) - (E - 1) * (E - 1) * (1 - q) * r)) at 1 by ring.
  lra.
Qed.

(** ** A mechanism on a Poisson sample *)

Fixpoint poisson {D} (q : R) (records : list D) : law (list D) :=
  match records with
  | [] => certain []
  | x :: records => bind (poisson q records) (fun s => [(s, 1 - q); (x :: s, q)])
  end.

Definition on_sample {D A} (q : R) (mechanism : list D -> law A) (records : list D) : law A :=
  bind (poisson q records) mechanism.

Lemma poisson_nonnegative {D} q (records : list D) : 0 <= q <= 1 -> nonnegative (poisson q records).
Proof.
  intros Hq; induction records as [|x records IH]; [apply (certain_is_law (@nil D))|].
  cbn; apply nonnegative_bind; [exact IH|]; intros s.
  constructor; [|constructor; [|constructor]]; cbn; lra.
Qed.

Lemma poisson_cons {D} q x (records : list D) f :
  mean f (poisson q (x :: records)) =
  mean (fun s => (1 - q) * f s + q * f (x :: s)) (poisson q records).
Proof. cbn; rewrite mean_bind; apply mean_ext; intros s; cbn; ring. Qed.

Lemma poisson_app {D} q (before after : list D) f :
  mean f (poisson q (before ++ after)) =
  mean (fun s => mean (fun t => f (s ++ t)) (poisson q after)) (poisson q before).
Proof.
  revert f; induction before as [|x before IH]; intros f.
  { cbn; rewrite Rmult_1_l, Rplus_0_r; now apply mean_ext. }
  cbn [List.app]; rewrite !poisson_cons, IH; apply mean_ext; intros s; cbn.
  now rewrite mean_plus, !mean_scale.
Qed.

(** The records kept before and after a place. *)
Definition around {D} q (before after : list D) : law (list D * list D) :=
  bind (poisson q before) (fun s => image (pair s) (poisson q after)).

Lemma mean_around {D} q (before after : list D) f :
  mean f (around q before after) =
  mean (fun s => mean (fun t => f (s, t)) (poisson q after)) (poisson q before).
Proof. unfold around; rewrite mean_bind; apply mean_ext; intros s; now rewrite mean_image. Qed.

Section Neighbors.
Context {D A : Type} (same : forall x y : A, {x = y} + {x <> y}).
Variables (mechanism : list D -> law A) (x : D) (before after : list D) (q : R).

Definition base (s : list D * list D) := mechanism (fst s ++ snd s).
Definition extended (s : list D * list D) := mechanism (fst s ++ x :: snd s).

Lemma sample_without f :
  mean f (on_sample q mechanism (before ++ after)) = mean f (bind (around q before after) base).
Proof. unfold on_sample; rewrite !mean_bind, poisson_app, mean_around; reflexivity. Qed.

Lemma sample_with f :
  mean f (on_sample q mechanism (before ++ x :: after)) =
  mean f (bind (around q before after) (fun s => mixture q (base s) (extended s))).
Proof.
  unfold on_sample; rewrite !mean_bind, poisson_app, mean_around; apply mean_ext; intros s.
  rewrite poisson_cons; apply mean_ext; intros t; now rewrite mean_mixture.
Qed.

Lemma around_is_law : 0 <= q <= 1 -> is_law (around q before after).
Proof.
  intros Hq.
  assert (L : forall records : list D, is_law (poisson q records)).
  { intros records; split; [now apply poisson_nonnegative|].
    induction records as [|y records IH]; [cbn; ring|]; rewrite poisson_cons.
    rewrite (mean_ext _ (fun _ => 1)) by (intros; ring); exact IH. }
  apply bind_is_law; [apply L|]; intros s; apply image_is_law, L.
Qed.

(** A mixture of pairs, each at most d apart. *)
Lemma on_average {S} (P : law S) (K L : S -> law A) E d :
  is_law P -> (forall s, hockey_stick same (K s) (L s) E <= d) ->
  hockey_stick same (bind P K) (bind P L) E <= d.
Proof.
  intros [N M] H; eapply Rle_trans; [now apply mixed_pairs|].
  replace d with (mean (fun _ => d * 1) P) by (rewrite mean_scale, M; ring).
  apply mean_le; [exact N|]; intros s; specialize (H s); lra.
Qed.
End Neighbors.

(** A record is added at any place. *)
Theorem poisson_added {D A} (same : forall x y : A, {x = y} + {x <> y})
    (mechanism : list D -> law A) x before after q E d :
  0 <= q <= 1 ->
  (forall s t, hockey_stick same (mechanism (s ++ x :: t)) (mechanism (s ++ t)) E <= d) ->
  hockey_stick same (on_sample q mechanism (before ++ x :: after))
    (on_sample q mechanism (before ++ after)) (1 + q * (E - 1)) <= q * d.
Proof.
  intros Hq H.
  rewrite (hockey_stick_ext _ _ _ _ _ _ (sample_with mechanism x before after q)
    (sample_without mechanism before after q)).
  apply on_average; [now apply around_is_law|]; intros s; rewrite sampled_added by apply Hq.
  apply Rmult_le_compat_l; [apply Hq | apply H].
Qed.

(** A record is removed. *)
Theorem poisson_removed {D A} (same : forall x y : A, {x = y} + {x <> y})
    (mechanism : list D -> law A) x before after q E d :
  0 <= q <= 1 -> 1 <= E -> (forall records, is_law (mechanism records)) ->
  (forall s t, hockey_stick same (mechanism (s ++ t)) (mechanism (s ++ x :: t)) E <= d) ->
  hockey_stick same (on_sample q mechanism (before ++ after))
    (on_sample q mechanism (before ++ x :: after)) (1 + q * (E - 1)) <= q * d.
Proof.
  intros Hq HE L H.
  rewrite (hockey_stick_ext _ _ _ _ _ _ (sample_without mechanism before after q)
    (sample_with mechanism x before after q)).
  apply on_average; [now apply around_is_law|]; intros s.
  eapply Rle_trans; [apply sampled_removed_bound; try apply L; assumption|].
  apply Rmult_le_compat_l; [apply Hq | apply H].
Qed.

(** In the field's words: eps and eps' = ln (1 + q (e^eps - 1)). *)
Theorem poisson_sampling {D A} (same : forall x y : A, {x = y} + {x <> y})
    (mechanism : list D -> law A) x before after q eps d :
  0 <= q <= 1 -> 0 <= eps -> (forall records, is_law (mechanism records)) ->
  (forall s t, hockey_stick same (mechanism (s ++ x :: t)) (mechanism (s ++ t)) (exp eps) <= d
    /\ hockey_stick same (mechanism (s ++ t)) (mechanism (s ++ x :: t)) (exp eps) <= d) ->
  forall S,
    let eps' := ln (1 + q * (exp eps - 1)) in
    let P := on_sample q mechanism (before ++ x :: after) in
    let Q := on_sample q mechanism (before ++ after) in
    prob S P <= exp eps' * prob S Q + q * d /\ prob S Q <= exp eps' * prob S P + q * d.
Proof.
  intros Hq He L H S; cbv zeta.
  assert (1 <= exp eps) by (pose proof (exp_ineq1_le eps); lra).
  assert (0 <= q * (exp eps - 1)) by (apply Rmult_le_pos; lra).
  rewrite exp_ln by lra; revert S; apply (private_both same), Rmax_lub.
  - apply poisson_added; [exact Hq | apply H].
  - apply poisson_removed; try assumption; apply H.
Qed.
