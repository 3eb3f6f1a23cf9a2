(** * How few blanket messages hide an item among many users (Wang et al. 2024, Section 5.2)

    Given c letters of the blanket, P - e Q at a of c + 1 letters is a - e (c + 1 - a) times 2 / (c + 1) of the mass of fair
      coins; so
    the divergence is at most the chance that A + 1 > e B, and by Chernoff at most e^t (1 - r kappa)^(n - 1). With t = x / (2
      + 4 x)
    kappa is positive, and n m of the order d is enough. The statement is exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket TwoLetters CloneBounds VariationRatio Claims ClaimsLiu2024 ClaimsLiu2024Tests Measures
  Sampled.
Require Import ClaimsWang2024Blankets ClaimsWang2024Choice.
Import ListNotations.
Open Scope R_scope.

Lemma coins_exponential s t c : mean (fun h => exp (s * INR h - t * INR (c - h))) (heads (1 / 2) c) = ((exp s + exp (- t)) /
  2) ^ c.
Proof.
  induction c as [|c IH]; [cbn; rewrite !Rmult_0_r, Rminus_0_r, exp_0; ring|].
  rewrite heads_S; replace (1 - 1 / 2) with (1 / 2) by lra; cbn [pow]; rewrite <- IH.
  rewrite (mean_heads_up_to _ _ (fun h => exp (s * INR h - t * INR (S c - h))) (fun h => exp (- t) * exp (s * INR h - t * INR
    (c - h)))).
  - rewrite (mean_ext (fun h => exp (s * INR (S h) - t * INR (S c - S h))) (fun h => exp s * exp (s * INR h - t * INR (c - h)))).
    + rewrite !mean_scale; field.
    + intros h; rewrite <- exp_plus; f_equal; rewrite S_INR; cbn [Nat.sub]; ring.
  - intros h Hh; rewrite <- exp_plus; f_equal; replace (S c - h)%nat with (S (c - h)) by lia; rewrite S_INR; ring.
Qed.

(** What the blanket gains: 1 - r kappa is the mean of exp (t (A - e B)) for one of its trials. *)
Definition kappa (t e : R) : R := 2 - exp t - exp (- (t * e)).

Lemma victim_always shown r n f : mean f (letters_counted shown 1 r n)
  = mean (fun c => mean (fun a => f (shown c a 1%nat 0%nat)) (heads (1 / 2) c)) (heads (2 * r) n).
Proof.
  unfold letters_counted; rewrite mean_bind; apply mean_ext; intros c; rewrite mean_bind; apply mean_ext; intros a.
  rewrite mean_bind, heads_S; cbn [heads certain mean]; ring.
Qed.

Lemma given_letters e t c (S : nat * nat -> bool) : 0 <= e -> 0 <= t ->
  mean (fun a => indicator S (upright c a 1%nat 0%nat)) (heads (1 / 2) c) - e * mean (fun a => indicator S (turned c a 1%nat
    0%nat)) (heads (1 / 2) c)
  <= exp t * ((exp t + exp (- (t * e))) / 2) ^ c.
Proof.
  intros He Ht; set (g := fun w => indicator S (w, (Datatypes.S c - w)%nat)).
  set (h := fun w : nat => exp (t * (INR w - e * INR (Datatypes.S c - w)))).
  assert (I : 0 < INR (Datatypes.S c)) by (apply lt_0_INR; lia).
  assert (EP : mean (fun a => indicator S (upright c a 1%nat 0%nat)) (heads (1 / 2) c) = mean (fun a => g (Datatypes.S a))
    (heads (1 / 2) c)).
  { apply mean_heads_up_to; intros a Ha; unfold g, upright; f_equal; f_equal; lia. }
  assert (EQ : mean (fun a => indicator S (turned c a 1%nat 0%nat)) (heads (1 / 2) c) = mean g (heads (1 / 2) c)).
  { apply mean_heads_up_to; intros a Ha; unfold g, turned; f_equal; f_equal; lia. }
  rewrite EP, EQ; destruct (one_coin_more c g) as [G1 G2]; destruct (one_coin_more c h) as [_ H2].
  assert (EH : mean (fun a => h (Datatypes.S a)) (heads (1 / 2) c) = exp t * ((exp t + exp (- (t * e))) / 2) ^ c).
  { rewrite <- (coins_exponential t (t * e) c), <- mean_scale; apply mean_ext; intros a; unfold h; rewrite <- exp_plus; f_equal.
    rewrite S_INR; cbn [Nat.sub]; ring. }
  rewrite <- EH; apply (Rmult_le_reg_l (INR (Datatypes.S c))); [exact I|]; rewrite H2, Rmult_minus_distr_l, G2.
  replace (INR (Datatypes.S c) * (e * mean g (heads (1 / 2) c))) with (e * (INR (Datatypes.S c) * mean g (heads (1 / 2) c)))
    by ring; rewrite G1.
  replace (2 * mean (fun w => INR w * g w) (heads (1 / 2) (Datatypes.S c)) - e * (2 * mean (fun w => (INR (Datatypes.S c) -
    INR w) * g w) (heads (1 / 2) (Datatypes.S c))))
    with (2 * mean (fun w => INR w * g w + - e * ((INR (Datatypes.S c) - INR w) * g w)) (heads (1 / 2) (Datatypes.S c)))
    by (rewrite mean_plus, (mean_scale (- e)); ring).
  apply Rmult_le_compat_l; [lra|]; apply mean_heads_le; [lra|]; intros w Hw.
  assert (Gw : 0 <= g w <= 1) by (unfold g, indicator; destruct (S _); lra).
  assert (W : 0 <= INR w) by apply pos_INR; assert (V : INR (Datatypes.S c - w) = INR (Datatypes.S c) - INR w) by (apply
    minus_INR; exact Hw).
  assert (V0 : 0 <= INR (Datatypes.S c) - INR w) by (rewrite <- V; apply pos_INR).
  unfold h; rewrite V; set (d := INR (Datatypes.S c) - INR w) in *; clearbody d; clear V.
  assert (Z : 0 <= INR w * exp (t * (INR w - e * d))) by (apply Rmult_le_pos; [exact W | apply Rlt_le, exp_pos]).
  assert (ED : 0 <= e * d) by (apply Rmult_le_pos; assumption).
  replace (INR w * g w + - e * (d * g w)) with ((INR w - e * d) * g w) by ring.
  destruct (Rle_dec (INR w - e * d) 0) as [L|L].
  - assert (0 <= - (INR w - e * d) * g w) by (apply Rmult_le_pos; lra); lra.
  - assert (E1 : 1 <= exp (t * (INR w - e * d))) by (pose proof (exp_ineq1_le (t * (INR w - e * d))); assert (0 <= t * (INR w
      - e * d)) by (apply Rmult_le_pos; lra); lra).
    assert ((INR w - e * d) * g w <= (INR w - e * d) * 1) by (apply Rmult_le_compat_l; lra).
    assert (INR w * 1 <= INR w * exp (t * (INR w - e * d))) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma chernoff_of_letters e r n t : 0 <= e -> 0 <= t -> 0 <= r -> 2 * r <= 1 ->
  apart_at e r n 1 <= exp t * (1 - r * kappa t e) ^ n.
Proof.
  intros He Ht Hr Hr'; unfold apart_at; apply below_every_event; intros S; unfold prob; rewrite !victim_always.
  set (f := fun c => mean (fun a => indicator S (upright c a 1%nat 0%nat)) (heads (1 / 2) c)).
  set (g := fun c => mean (fun a => indicator S (turned c a 1%nat 0%nat)) (heads (1 / 2) c)).
  assert (M : mean f (heads (2 * r) n) + - e * mean g (heads (2 * r) n) <= mean (fun c => exp t * ((exp t + exp (- (t * e))) /
    2) ^ c) (heads (2 * r) n)).
  { rewrite <- mean_scale, <- mean_plus; apply mean_le; [apply heads_is_law; lra|]; intros c.
    pose proof (given_letters e t c S He Ht); unfold f, g; lra. }
  rewrite mean_scale, heads_powers in M; replace (1 - 2 * r * (1 - (exp t + exp (- (t * e))) / 2)) with (1 - r * kappa t e) in
    M by (unfold kappa; field).
  lra.
Qed.

Lemma kappa_positive x : 0 < x -> 0 < kappa (x / (2 + 4 * x)) (exp x).
Proof.
  intros Hx; set (t := x / (2 + 4 * x)).
  assert (T : 0 < t) by (apply Rdiv_lt_0_compat; lra).
  assert (T2 : t * (2 + 4 * x) = x) by (unfold t; field; lra).
  assert (T1 : t < 1 / 4) by (apply Rnot_le_lt; intros Le; assert (1 / 4 * x <= t * x) by (apply Rmult_le_compat_r; lra); lra).
  clearbody t.
  assert (A : exp t <= / (1 - t)).
  { pose proof (exp_ineq1_le (- t)) as E; rewrite exp_Ropp in E; pose proof (exp_pos t).
    apply (Rmult_le_reg_r (1 - t)); [lra|]; rewrite Rinv_l by lra; apply (Rmult_le_compat_l (exp t)) in E; [|lra]; rewrite
      Rinv_r in E by lra; lra. }
  assert (B : exp (- (t * exp x)) <= / (1 + t * (1 + x))).
  { rewrite exp_Ropp; apply Rinv_le_contravar; [nra|]; pose proof (exp_ineq1_le (t * exp x)); pose proof (exp_ineq1_le x).
    assert (t * (1 + x) <= t * exp x) by (apply Rmult_le_compat_l; lra); lra. }
  unfold kappa; enough (/ (1 - t) + / (1 + t * (1 + x)) < 2) by lra.
  set (u := t * (1 + x)) in *; assert (U : 0 < u) by (unfold u; nra).
  apply (Rmult_lt_reg_r ((1 - t) * (1 + u))); [apply Rmult_lt_0_compat; lra|].
  replace ((/ (1 - t) + / (1 + u)) * ((1 - t) * (1 + u))) with (1 + u + (1 - t)) by (field; lra).
  assert (0 < t * x) by (apply Rmult_lt_0_compat; assumption).
  assert (M : t * (2 * t * (1 + x)) < t * x) by (apply Rmult_lt_compat_l; lra); unfold u; lra.
Qed.

Lemma order_of_messages (n d : nat) m E delta x L : (2 <= n)%nat -> (2 <= d)%nat -> 0 < x -> 0 < m -> m <= 1 ->
  let t := x / (2 + 4 * x) in
  2 * INR d * (t + L) / kappa t (exp x) <= INR n * m -> E = exp x -> delta = exp (- L) -> apart_at E (m / INR d) (n - 1) 1 <=
    delta.
Proof.
  intros Hn Hd Hx Hm Hm' t H -> ->; pose proof (kappa_positive x Hx) as K; fold t in K; set (k := kappa t (exp x)) in *.
  assert (D : 2 <= INR d) by (apply (le_INR 2); exact Hd); assert (N : 2 <= INR n) by (apply (le_INR 2); exact Hn).
  assert (T : 0 < t) by (apply Rdiv_lt_0_compat; lra).
  assert (R0 : 0 < m / INR d) by (apply Rdiv_lt_0_compat; lra).
  assert (R1 : 2 * (m / INR d) <= 1).
  { apply (Rmult_le_reg_r (INR d)); [lra|]; replace (2 * (m / INR d) * INR d) with (2 * m) by (field; lra); lra. }
  eapply Rle_trans; [apply (chernoff_of_letters (exp x) (m / INR d) (n - 1) t); try lra; apply Rlt_le, exp_pos|]; fold k.
  set (r := m / INR d) in *.
  assert (Q : 0 <= 1 - r * k).
  { assert (k <= 2) by (unfold k, kappa; pose proof (exp_pos t); pose proof (exp_pos (- (t * exp x))); lra).
    assert (r * k <= r * 2) by (apply Rmult_le_compat_l; lra); lra. }
  assert (P : (1 - r * k) ^ (n - 1) <= exp (- (r * k) * INR (n - 1))).
  { apply Rle_trans with (exp (- (r * k)) ^ (n - 1)); [apply pow_incr; pose proof (exp_ineq1_le (- (r * k))); lra|].
    right; clear; induction (n - 1)%nat as [|j IH]; [cbn; rewrite Rmult_0_r, exp_0; reflexivity|]; cbn [pow]; rewrite IH, <-
      exp_plus, S_INR; f_equal; ring. }
  apply Rle_trans with (exp t * exp (- (r * k) * INR (n - 1))); [apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | exact P]|].
  rewrite <- exp_plus; apply Rnot_lt_le; intros Lt; apply exp_lt_inv in Lt.
  assert (H' : 2 * INR d * (t + L) <= INR n * m * k).
  { apply (Rmult_le_compat_r k) in H; [|lra]; unfold Rdiv in H; rewrite Rmult_assoc, Rinv_l in H by lra; lra. }
  assert (M : r * INR d = m) by (unfold r; field; lra); rewrite <- M in H'.
  assert (H2 : 2 * (t + L) <= INR n * r * k) by (clear - H' D; clearbody k r; clearbody t; apply (Rmult_le_reg_l (INR d));
    [lra|]; replace (INR d * (INR n * r * k)) with (INR n * (r * INR d) * k) by ring; lra).
  rewrite minus_INR in Lt by lia; cbn [INR] in Lt.
  clearbody r k t; assert (0 <= r * k * (INR n - 2)) by (repeat apply Rmult_le_pos; lra); lra.
Qed.

Theorem wang2024_m_k_order (s : nat) (d : nat) (E : R) (delta : R) (n : nat) (m : R) :
  (1 <= s)%nat -> (2 <= d)%nat -> 0 < E -> 0 < delta -> delta < 1 -> (2 <= n)%nat -> 0 < m -> m <= 1 ->
  (INR n) * m >= ((2 * (INR d)) * (((E / (INR s)) / (2 + (4 * (E / (INR s))))) + (ln (((INR s) * (exp E))
  / delta)))) / ((2 - (exp ((E / (INR s)) / (2 + (4 * (E / (INR s))))))) - (exp (- (((E / (INR s)) / (2 +
  (4 * (E / (INR s))))) * (exp (E / (INR s))))))) -> apart_at (exp (E / INR s)) (m / INR d) (n - 1) 1 <=
  delta / ((INR s) * (exp E)).
Proof.
  intros Hs Hd HE Hd0 Hd1 Hn Hm Hm1 H; assert (S1 : 1 <= INR s) by (apply (le_INR 1); exact Hs).
  assert (X : 0 < E / INR s) by (apply Rdiv_lt_0_compat; lra); pose proof (exp_pos E) as PE.
  assert (Q : 0 < INR s * exp E / delta) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; lra | exact Hd0]).
  apply (order_of_messages n d m (exp (E / INR s)) _ (E / INR s) (ln (INR s * exp E / delta))); try assumption; try reflexivity.
  - unfold kappa; apply Rge_le in H; exact H.
  - rewrite exp_Ropp, exp_ln by exact Q; field; lra.
Qed.
