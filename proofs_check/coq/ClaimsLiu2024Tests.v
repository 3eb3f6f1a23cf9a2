(** * Tests of two mixtures (Liu et al. 2024, Section 3.3)

    A test rejects with a probability at each outcome. Each theorem is a claim of the catalog, its statement exported
    from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket Letters TwoLetters CloneBounds VariationRatio Claims ClaimsLiu2024.
Import ListNotations.
Open Scope R_scope.

Lemma any_test {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) E (test : A -> R) :
  (forall y, 0 <= test y <= 1) -> mean test P - E * mean test Q <= hockey_stick same P Q E.
Proof.
  intros H; set (K := fun y : A => [(true, test y); (false, 1 - test y)]).
  eapply Rle_trans; [|apply (randomized_post_processing same bool_dec K P Q E)].
  - destruct (hockey_stick_largest bool_dec (bind P K) (bind Q K) E) as [U _]; specialize (U (fun b => b)).
    assert (M : forall L, prob (fun b => b) (bind L K) = mean test L).
    { intros L; unfold prob; rewrite mean_bind; apply mean_ext; intros y; cbn; unfold indicator; ring. }
    now rewrite !M in U.
  - intros y; specialize (H y); split; [|cbn; ring]; do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Theorem liu2024_mixture {A} (same : forall x y : A, {x = y} + {x <> y}) (weights : law nat) (parts : nat ->
    law A * law A) (exp_epsilon : R) (test : A -> R) :
  is_law weights -> (forall i, is_law (fst (parts i)) /\ is_law (snd (parts i))) -> 0 <= exp_epsilon ->
  (forall y, 0 <= test y <= 1) -> hockey_stick same (bind weights (fun i => fst (parts i))) (bind weights
  (fun i => snd (parts i))) exp_epsilon <= mean (fun i => hockey_stick same (fst (parts i)) (snd (parts
  i)) exp_epsilon) weights /\ mean test (bind weights (fun i => snd (parts i))) = mean (fun i => mean test
  (snd (parts i))) weights /\ 1 - (mean test (bind weights (fun i => fst (parts i)))) >= mean (fun i => 1
  - hockey_stick same (fst (parts i)) (snd (parts i)) exp_epsilon - exp_epsilon * mean test (snd (parts
  i))) weights.
Proof.
  intros LW LP HE HT; split; [|split].
  - apply lemmas_joint_convexity; assumption.
  - apply mean_bind.
  - rewrite mean_bind; destruct LW as [N One]; apply Rle_ge.
    assert (S : 1 - mean (fun i => mean test (fst (parts i))) weights = mean (fun i => 1 - mean test (fst (parts i))) weights).
    { rewrite (mean_ext (fun i => 1 - mean test (fst (parts i))) (fun i => 1 + -1 * mean test (fst (parts i)))) by (intros; ring).
      rewrite mean_plus, mean_scale, One; ring. }
    rewrite S; clear -HT N; induction N as [|[i w] rest Hw N IH]; [cbn; lra|]; cbn in Hw; cbn [mean].
    pose proof (any_test same (fst (parts i)) (snd (parts i)) exp_epsilon test HT) as T.
    apply Rplus_le_compat; [apply Rmult_le_compat_l; lra | exact IH].
Qed.

(** ** The best t of (5) *)

Definition type_one_above (ps : list R) (t : R) : R :=
  mean (fun i => fair_below i (INR i + 1 - INR (i + 1) / (t + 1))) (trials (map (Rmult 2) ps)).

(** Bin(i, 1/2), and 1 more than that, from Bin(i + 1, 1/2). *)
Lemma one_coin_more i g :
  INR (S i) * mean g (heads (1 / 2) i) = 2 * mean (fun w => (INR (S i) - INR w) * g w) (heads (1 / 2) (S i)) /\
  INR (S i) * mean (fun h => g (S h)) (heads (1 / 2) i) = 2 * mean (fun w => INR w * g w) (heads (1 / 2) (S i)).
Proof.
  pose proof (fair_absorbed i g) as F; rewrite !heads_S; replace (1 - 1 / 2) with (1 / 2) by lra; split.
  - rewrite (mean_ext (fun c => (INR (S i) - INR (S c)) * g (S c)) (fun c => (INR i - INR c) * g (S c))) by (intros; rewrite
      !S_INR; ring).
    rewrite F, <- mean_scale; replace (2 * (1 / 2 * mean (fun w => (INR (S i) - INR w) * g w) (heads (1 / 2) i) + 1 / 2 * mean
      (fun a => INR a * g a) (heads (1 / 2) i)))
      with (mean (fun w => (INR (S i) - INR w) * g w) (heads (1 / 2) i) + mean (fun a => INR a * g a) (heads (1 / 2) i)) by field.
    rewrite <- mean_plus; apply mean_ext; intros; ring.
  - rewrite <- F, <- mean_scale; replace (2 * (1 / 2 * mean (fun a => (INR i - INR a) * g (S a)) (heads (1 / 2) i) + 1 / 2 *
      mean (fun a => INR (S a) * g (S a)) (heads (1 / 2) i)))
      with (mean (fun a => (INR i - INR a) * g (S a)) (heads (1 / 2) i) + mean (fun a => INR (S a) * g (S a)) (heads (1 / 2)
        i)) by field.
    rewrite <- mean_plus; apply mean_ext; intros; rewrite !S_INR; ring.
Qed.

Definition at_most_all (y : R) (w : nat) : R := if Rle_dec (INR w) y then 1 else 0.

(** Of all tests the initial segment up to (i + 1) a / (a + b) tells the letters best. *)
Lemma any_segment i a b y' (g : nat -> R) : 0 <= a -> 0 < a + b -> y' = INR (S i) * (a / (a + b)) -> (forall w, 0 <= g w <= 1) ->
  a * mean g (heads (1 / 2) i) - b * mean (fun h => g (S h)) (heads (1 / 2) i)
  <= a * mean (at_most_all y') (heads (1 / 2) i) - b * mean (fun h => at_most_all y' (S h)) (heads (1 / 2) i).
Proof.
  intros Ha Hs Hy Hg; assert (I : 0 < INR (S i)) by (apply lt_0_INR; lia).
  assert (G : forall f, INR (S i) * (a * mean f (heads (1 / 2) i) - b * mean (fun h => f (S h)) (heads (1 / 2) i))
    = 2 * mean (fun w => (a * INR (S i) - (a + b) * INR w) * f w) (heads (1 / 2) (S i))).
  { intros f; destruct (one_coin_more i f) as [E1 E2].
    replace (INR (S i) * (a * mean f (heads (1 / 2) i) - b * mean (fun h => f (S h)) (heads (1 / 2) i)))
      with (a * (INR (S i) * mean f (heads (1 / 2) i)) + - b * (INR (S i) * mean (fun h => f (S h)) (heads (1 / 2) i))) by ring.
    rewrite E1, E2; rewrite (mean_ext (fun w => (a * INR (S i) - (a + b) * INR w) * f w)
      (fun w => a * ((INR (S i) - INR w) * f w) + - b * (INR w * f w))) by (intros; ring).
    rewrite mean_plus, !mean_scale; ring. }
  apply (Rmult_le_reg_l (INR (S i))); [exact I|]; rewrite !G; apply Rmult_le_compat_l; [lra|].
  apply mean_le; [apply heads_is_law; lra|]; intros w; unfold at_most_all; specialize (Hg w).
  assert (E : (a + b) * y' = a * INR (S i)) by (rewrite Hy; field; lra).
  set (k := a * INR (S i) - (a + b) * INR w).
  destruct (Rle_dec (INR w) y') as [L|L].
  - assert (0 <= k) by (unfold k; apply (Rmult_le_compat_l (a + b)) in L; lra).
    assert (k * g w <= k * 1) by (apply Rmult_le_compat_l; lra); lra.
  - apply Rnot_le_lt, Rlt_le in L; assert (k <= 0) by (unfold k; apply (Rmult_le_compat_l (a + b)) in L; lra).
    assert (0 <= - k * g w) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma fair_below_is i y : fair_below i y = mean (at_most_all y) (heads (1 / 2) i).
Proof. unfold fair_below, prob; apply mean_ext; intros h; unfold indicator, at_most_all; destruct (Rle_dec (INR h) y);
  reflexivity. Qed.

Lemma fair_below_next i y : fair_below i (y - 1) = mean (fun h => at_most_all y (S h)) (heads (1 / 2) i).
Proof.
  unfold fair_below, prob; apply mean_ext; intros h; unfold indicator, at_most_all; rewrite S_INR.
  destruct (Rle_dec (INR h) (y - 1)), (Rle_dec (INR h + 1) y); lra.
Qed.

Lemma best_ratio ps a b t : halves ps -> 0 < a -> 0 < b -> 0 <= t ->
  a * type_one_above ps t - b * type_one ps t <= a * type_one_above ps (a / b) - b * type_one ps (a / b).
Proof.
  intros HP Ha Hb Ht; destruct (halves_trials ps HP) as [N _].
  assert (T : forall s, a * type_one_above ps s - b * type_one ps s = mean (fun i => a * fair_below i (INR i + 1 - INR (i + 1)
    / (s + 1))
    + - b * fair_below i (INR i - INR (i + 1) / (s + 1))) (trials (map (Rmult 2) ps))).
  { intros s; unfold type_one_above, type_one; rewrite mean_plus, !mean_scale; ring. }
  rewrite !T; apply mean_le; [exact N|]; intros i.
  assert (P : 0 < a / b) by (apply Rdiv_lt_0_compat; lra).
  assert (S1 : INR (i + 1) = INR (S i)) by (f_equal; lia); rewrite S1.
  pose proof (any_segment i a b (INR i + 1 - INR (S i) / (a / b + 1)) (at_most_all (INR i + 1 - INR (S i) / (t + 1)))
    ltac:(lra) ltac:(lra)) as B.
  assert (Y : INR i + 1 - INR (S i) / (a / b + 1) = INR (S i) * (a / (a + b))) by (rewrite S_INR; field; split; lra).
  specialize (B Y); assert (G : forall w, 0 <= at_most_all (INR i + 1 - INR (S i) / (t + 1)) w <= 1) by (intros w; unfold
    at_most_all; destruct (Rle_dec _ _); lra).
  specialize (B G); rewrite <- !fair_below_is, <- !fair_below_next in B.
  replace (INR i + 1 - INR (S i) / (t + 1) - 1) with (INR i - INR (S i) / (t + 1)) in B by ring.
  replace (INR i + 1 - INR (S i) / (a / b + 1) - 1) with (INR i - INR (S i) / (a / b + 1)) in B by ring; lra.
Qed.

Theorem liu2024_best_t (others : list R) (t : R) (w : R) (delta_1 : R) (exp_epsilon : R) :
  halves others -> 0 <= t -> 0 <= w -> w < 1 / 2 -> 0 <= delta_1 -> delta_1 < 1 -> 1 <= exp_epsilon ->
  ((((((1 - delta_1) * 2) * w) + delta_1) - exp_epsilon) * (type_one others t)) + (((1 - delta_1) * (1 -
  (2 * w))) * (type_one_above others t)) <= ((((((1 - delta_1) * 2) * w) + delta_1) - exp_epsilon) *
  (type_one others (((1 - delta_1) * (1 - (2 * w))) / ((exp_epsilon - ((2 * w) * (1 - delta_1))) -
  delta_1)))) + (((1 - delta_1) * (1 - (2 * w))) * (type_one_above others (((1 - delta_1) * (1 - (2 * w)))
  / ((exp_epsilon - ((2 * w) * (1 - delta_1))) - delta_1)))).
Proof.
  intros HP Ht Hw Hw' Hd Hd' HE; set (a := (1 - delta_1) * (1 - 2 * w)); set (b := exp_epsilon - 2 * w * (1 - delta_1) - delta_1).
  assert (Ha : 0 < a) by (apply Rmult_lt_0_compat; lra).
  assert (Hb : 0 < b) by (unfold b; unfold a in Ha; lra).
  replace ((1 - delta_1) * 2 * w + delta_1 - exp_epsilon) with (- b) by (unfold b; ring).
  pose proof (best_ratio others a b t HP Ha Hb Ht); lra.
Qed.
