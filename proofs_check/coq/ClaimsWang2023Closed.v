(** * The closed form of the variation-ratio reduction (Wang et al. 2023, Theorem 4.3)

    The statement is exported from the catalog's claim, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas AdvancedComposition Blanket TwoLetters Claims VariationRatio VariationTails VariationBounds.
Import ListNotations.
Open Scope R_scope.

(** The other way round the victim sends the letters with (1 / p) (p alpha) and p alpha. *)
Lemma turned_around n p alpha r f : 0 < p -> 0 < 1 - p * alpha -> 0 < 1 - alpha ->
  mean f (mixture_counts upright (1 / p) (p * alpha) r n) = mean f (mixture_counts turned p alpha r n) /\
  mean f (mixture_counts turned (1 / p) (p * alpha) r n) = mean f (mixture_counts upright p alpha r n).
Proof.
  intros Hp H H'; assert (A : 1 / p * (p * alpha) = alpha) by (field; lra); set (G := fun c => f (two c)).
  assert (X : forall p alpha s t shown, 0 < 1 - p * alpha -> shows shown p alpha s t ->
    mean G (view 2 (three s t :: repeat (three r r) (n - 1))) = mean f (mixture_counts shown p alpha r n))
    by (intros; erewrite three_counted by eassumption; apply mean_ext; now intros [a b]).
  rewrite <- (X (1 / p) (p * alpha) alpha (p * alpha) upright), <- (X p alpha alpha (p * alpha) turned),
    <- (X (1 / p) (p * alpha) (p * alpha) alpha turned), <- (X p alpha (p * alpha) alpha upright);
    rewrite ?A; auto; unfold shows; rewrite ?A; auto.
Qed.

(** D is the same both ways, as the two letters may change their names. *)
Definition renamed (y : nat) : nat := match y with 0%nat => 1%nat | 1%nat => 0%nat | _ => y end.
Definition other_way (z : nat * nat) : nat * nat := (snd z, fst z).

Lemma view_renamed us f :
  mean (fun c => f (other_way (two c))) (view 2 us) = mean (fun c => f (two c)) (view 2 (map (image renamed) us)).
Proof.
  revert f; induction us as [|u us IH]; intros f; [now rewrite !view_nil|]; cbn [map]; rewrite !view_cons, mean_image.
  apply mean_ext; intros y.
  set (g := fun z : nat * nat => match renamed y with 0%nat => f (S (fst z), snd z) | 1%nat => f (fst z, S (snd z)) | _ => f z end).
  transitivity (mean (fun c => g (other_way (two c))) (view 2 us)).
  - apply view_ext; intros [|a [|b [|e c]]] Hc; try discriminate; unfold g; destruct y as [|[|y]]; reflexivity.
  - rewrite (IH g); apply view_ext; intros [|a [|b [|e c]]] Hc; try discriminate; unfold g; destruct y as [|[|y]]; reflexivity.
Qed.

Lemma either_way n p alpha r E : 0 < p -> 0 < 1 - p * alpha -> 0 < 1 - alpha ->
  letters_apart n (1 / p) (p * alpha) r E <= letters_apart n p alpha r E.
Proof.
  intros Pp Hp Ha; unfold letters_apart.
  rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => proj1 (turned_around n p alpha r f Pp Hp Ha))
    (fun f => proj2 (turned_around n p alpha r f Pp Hp Ha))).
  assert (X : forall shown shown' s t, shows shown p alpha s t -> shows shown' p alpha t s -> forall f,
    mean f (mixture_counts shown' p alpha r n) = mean f (image other_way (mixture_counts shown p alpha r n))).
  { intros shown shown' s t H H' f; rewrite mean_image.
    transitivity (mean (fun c => f (two c)) (view 2 (three t s :: repeat (three r r) (n - 1)))).
    - rewrite (three_counted shown' p alpha) by assumption; apply mean_ext; now intros [a b].
    - transitivity (mean (fun c => f (other_way (two c))) (view 2 (three s t :: repeat (three r r) (n - 1)))).
      + rewrite view_renamed; apply view_same; cbn [map]; constructor; [intros g; rewrite mean_image; cbn; ring|].
        induction (n - 1)%nat as [|k IH]; cbn [repeat map]; constructor; [intros g; rewrite mean_image; cbn; ring | exact IH].
      + rewrite (three_counted shown p alpha) by assumption; apply mean_ext; now intros [a b]. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (X upright turned (p * alpha) alpha ltac:(left; auto) ltac:(right; auto))
    (X turned upright alpha (p * alpha) ltac:(right; auto) ltac:(left; auto))).
  apply post_processing.
Qed.

Theorem wang2023_theorem_4_3 (n : nat) (p : R) (beta : R) (q : R) (delta : R) :
  (2 <= n)%nat -> 1 < p -> 0 < beta -> beta <= (p - 1) / (p + 1) -> 1 <= q -> 0 < delta -> delta <= 1 ->
  (2 * beta) * p < (p - 1) * q -> (8 * (ln (2 / delta))) / ((beta * p) / ((p - 1) * q)) <= INR n ->
  letters_apart n p (beta / (p - 1)) (((beta / (p - 1)) * p) / q) (1 + ((beta / (((beta * (1 + p)) / (p - 1))
    + ((1 - ((beta * (1 + p)) / (p - 1))) * (Rmax 0 (((4 * (1 - (3 * ((beta * p) / ((p - 1) * q)))))
      / (9 * (1 - (2 * ((beta * p) / ((p - 1) * q)))))))))))
    * ((sqrt ((32 * (ln (4 / delta))) / (((beta * p) / ((p - 1) * q)) * ((INR n) - 1))))
      + (4 / (((beta * p) / ((p - 1) * q)) * (INR n)))))) <= delta
  /\ letters_apart n (1 / p) (p * (beta / (p - 1))) (((beta / (p - 1)) * p) / q) (1 + ((beta / (((beta * (1 + p)) / (p - 1))
    + ((1 - ((beta * (1 + p)) / (p - 1))) * (Rmax 0 (((4 * (1 - (3 * ((beta * p) / ((p - 1) * q)))))
      / (9 * (1 - (2 * ((beta * p) / ((p - 1) * q)))))))))))
    * ((sqrt ((32 * (ln (4 / delta))) / (((beta * p) / ((p - 1) * q)) * ((INR n) - 1))))
      + (4 / (((beta * p) / ((p - 1) * q)) * (INR n)))))) <= delta.
Proof.
  intros Hn Hp Hb Hb' Hq Hd Hd1 H2 HN; apply Rlt_le in H2; set (alpha := beta / (p - 1)).
  assert (A0 : 0 < alpha) by (apply Rdiv_lt_0_compat; lra).
  replace ((alpha * p) / q) with ((beta * p) / ((p - 1) * q)) by (unfold alpha; field; lra).
  assert (Pb : 0 < beta * p) by (apply Rmult_lt_0_compat; lra); assert (Pq : 0 < (p - 1) * q) by (apply Rmult_lt_0_compat; lra).
  set (r := (beta * p) / ((p - 1) * q)) in *; assert (R0 : 0 < r) by now apply Rdiv_lt_0_compat.
  assert (R2 : 2 * r <= 1).
  { apply (Rmult_le_reg_r ((p - 1) * q)); [exact Pq|]; unfold r; replace (2 * (beta * p / ((p - 1) * q)) * ((p - 1) * q)) with (2 * beta * p) by (field; lra); lra. }
  replace (beta * (1 + p) / (p - 1)) with ((p + 1) * alpha) by (unfold alpha; field; lra).
  assert (S1 : (p + 1) * alpha <= 1).
  { unfold alpha; apply (Rmult_le_compat_r ((p + 1) / (p - 1))) in Hb'; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
    replace ((p - 1) / (p + 1) * ((p + 1) / (p - 1))) with 1 in Hb' by (field; lra).
    replace ((p + 1) * (beta / (p - 1))) with (beta * ((p + 1) / (p - 1))) by (field; lra); exact Hb'. }
  set (N := INR n) in *; assert (N2 : 2 <= N) by (unfold N; change 2 with (INR 2); now apply le_INR).
  set (kappa := sqrt (32 * ln (4 / delta) / (r * (N - 1))) + 4 / (r * N)).
  fold (leftover_share r).
  assert (D : 1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (M2 : ln 2 <= ln (2 / delta)) by (apply ln_le; unfold Rdiv; lra).
  assert (ML : ln (2 / delta) <= ln (4 / delta)) by (apply ln_le; unfold Rdiv; lra).
  pose proof ln_2_between as L2.
  assert (HR : 8 * ln (2 / delta) <= r * N).
  { apply (Rmult_le_compat_r r) in HN; [|lra]; replace (8 * ln (2 / delta) / r * r) with (8 * ln (2 / delta)) in HN by (field; lra); lra. }
  assert (HK : sqrt (32 * ln (4 / delta) / (r * N)) + 4 / (r * N) <= kappa).
  { unfold kappa; apply Rplus_le_compat_r, sqrt_le_1_alt; unfold Rdiv; apply Rmult_le_compat_l; [lra|].
    apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra | apply Rmult_le_compat_l; lra]. }
  pose proof (letters_hidden n p alpha r (ln (2 / delta)) (ln (4 / delta)) kappa) as H.
  rewrite exp_Ropp, exp_ln in H by (apply Rdiv_lt_0_compat; lra); replace (2 * / (2 / delta)) with delta in H by (field; lra).
  replace ((p - 1) * alpha) with beta in H by (unfold alpha; field; lra).
  specialize (H ltac:(lia) Hp A0 S1 R0 R2 M2 ML HR HK).
  assert (PA : 0 < p * alpha) by (apply Rmult_lt_0_compat; lra).
  split; [exact H|]; eapply Rle_trans; [apply either_way; lra | exact H].
Qed.
