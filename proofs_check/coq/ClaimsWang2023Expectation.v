(** * The variation-ratio reduction as an expectation (Wang et al. 2023, Theorem 4.8)

    P(S) - E Q(S) is the mean, over the counts of n users of the others' law, of 1_S times what a message of each kind is worth
    there; of all events the one where that is not negative has the most, and it is an initial or a final segment of a.

    The statement is exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket RandomizedResponse TwoLetters Claims VariationRatio Measures.
Import ListNotations.
Open Scope R_scope.

(** CDF_c[x, c] and CDF_c[0, x] are of these: a from low on, and up to high. *)
Definition from_on (low : R) (a : nat) : R := if Rle_dec low (INR a) then 1 else 0.
Definition up_to (high : R) (a : nat) : R := if Rle_dec (INR a) high then 1 else 0.
(** low_c with E = e^eps, high_c with E = e^(-eps). *)
Definition slope_of (p alpha r0 r1 E : R) : R := alpha * (p / r0 - 1 / r1 + E * (p / r1 - 1 / r0)).
Definition threshold (n : nat) (p alpha r0 r1 E : R) (c : nat) : R :=
  ((E * p - 1) * alpha * INR c / r1 + (E - 1) * ((1 - alpha - alpha * p) * (INR n - INR c) / (1 - r0 - r1))) / slope_of p
    alpha r0 r1 E.
(** c ~ Bin(n - 1, r0 + r1), a ~ Bin(c, r0/(r0 + r1)). *)
Definition letters_mean (r0 r1 : R) (m : nat) (g : nat -> nat -> R) : R :=
  mean (fun c => mean (g c) (heads (r0 / (r0 + r1)) c)) (heads (r0 + r1) m).
Definition expectation (n : nat) (p alpha r0 r1 E : R) : R :=
  let low := threshold n p alpha r0 r1 E in
  letters_mean r0 r1 (n - 1) (fun c a => (p - E) * alpha * from_on (low (S c) - 1) a
    + (1 - p * E) * alpha * from_on (low (S c)) a + (1 - E) * (1 - alpha - p * alpha) * from_on (low c) a).
Definition expectation_back (n : nat) (p alpha r0 r1 E : R) : R :=
  let high := threshold n p alpha r0 r1 (/ E) in
  letters_mean r0 r1 (n - 1) (fun c a => (1 - p * E) * alpha * up_to (high (S c) - 1) a
    + (p - E) * alpha * up_to (high (S c)) a + (1 - E) * (1 - alpha - p * alpha) * up_to (high c) a).
Definition victim_apart (n : nat) (s t r0 r1 E : R) : R :=
  hockey_stick same_counts (view 3 (three s t :: repeat (three r0 r1) (n - 1))) (view 3 (three t s :: repeat (three r0 r1) (n
    - 1))) E.

(** Of n users with one law: each count times f, by one user less. *)
Lemma counted_out k (u : law nat) y m (f : counts -> R) : (y < k)%nat ->
  mean (fun c => INR (nth y c 0%nat) * f c) (view k (repeat u m))
  = INR m * mass Nat.eq_dec u y * mean (fun c => f (increment y c)) (view k (repeat u (pred m))).
Proof.
  intros Hy; revert f; induction m as [|m IH]; intros f.
  - cbn [repeat]; rewrite !view_nil, nth_repeat; cbn; ring.
  - cbn [repeat pred]; rewrite view_cons.
    rewrite (mean_ext _ (fun z => mean (fun c => INR (nth y c 0%nat) * f (increment z c)) (view k (repeat u m))
      + mean (fun c => f (increment y c)) (view k (repeat u m)) * indicator (at_ Nat.eq_dec y) z)).
    + rewrite mean_plus, (mean_scale (mean (fun c => f (increment y c)) (view k (repeat u m)))).
      fold (prob (at_ Nat.eq_dec y) u); fold (mass Nat.eq_dec u y).
      rewrite (mean_ext _ (fun z => INR m * mass Nat.eq_dec u y * mean (fun c => f (increment z (increment y c))) (view k
        (repeat u (pred m)))))
        by (intros z; apply (IH (fun c => f (increment z c)))).
      rewrite mean_scale, S_INR; destruct m as [|m]; [cbn; ring|]; cbn [pred repeat].
      rewrite (view_cons k u (repeat u m) (fun c => f (increment y c))).
      rewrite (mean_ext (fun z => mean (fun c => f (increment z (increment y c))) (view k (repeat u m)))
        (fun z => mean (fun c => f (increment y (increment z c))) (view k (repeat u m)))); [ring|].
      intros z; apply view_ext; intros c _; f_equal; clear.
      revert y z; induction c as [|a c IH]; intros [|y] [|z]; cbn; try reflexivity; f_equal; apply IH.
    + intros z; rewrite Rmult_comm, <- mean_scale, <- mean_plus; apply view_ext; intros c Hc; rewrite nth_increment by lia.
      unfold indicator, at_; destruct (Nat.eq_dec z y), (Nat.eq_dec y z); try congruence; subst; rewrite ?S_INR; ring.
Qed.

(** All users are counted. *)
Lemma all_counted n r0 r1 (f g : counts -> R) :
  (forall a b e, (a + b + e)%nat = n -> f [a; b; e] = g [a; b; e]) ->
  mean f (view 3 (repeat (three r0 r1) n)) = mean g (view 3 (repeat (three r0 r1) n)).
Proof.
  revert f g; induction n as [|n IH]; intros f g H; cbn [repeat]; [rewrite !view_nil; now apply H|].
  rewrite !view_cons; unfold three; cbn [mean]; f_equal; [|f_equal; [|f_equal]]; f_equal; apply IH; intros a b e E; apply H; lia.
Qed.

Lemma letters_are r0 r1 m (g : nat -> nat -> R) : 0 < r0 -> 0 < r1 ->
  mean (fun c => g (nth 0 c 0 + nth 1 c 0)%nat (nth 0 c 0%nat)) (view 3 (repeat (three r0 r1) m)) = letters_mean r0 r1 m g.
Proof.
  intros H0 H1; unfold letters_mean; revert g; induction m as [|m IH]; intros g; cbn [repeat].
  - rewrite view_nil; cbn; ring.
  - rewrite view_cons, heads_S; unfold three; cbn [mean].
    rewrite <- (IH g), (mean_ext (fun c => mean (g (S c)) (heads (r0 / (r0 + r1)) (S c)))
      (fun c => r1 / (r0 + r1) * mean (g (S c)) (heads (r0 / (r0 + r1)) c) + r0 / (r0 + r1) * mean (fun a => g (S c) (S a))
        (heads (r0 / (r0 + r1)) c)))
      by (intros c; rewrite heads_S; f_equal; f_equal; field; lra).
    rewrite mean_plus, !mean_scale, <- (IH (fun c => g (S c))), <- (IH (fun c a => g (S c) (S a))).
    rewrite (view_ext 3 _ (fun c => g (nth 0 (increment 0%nat c) 0 + nth 1 (increment 0%nat c) 0)%nat (nth 0 (increment 0%nat
      c) 0%nat))
      (fun c => g (S (nth 0 c 0 + nth 1 c 0))%nat (S (nth 0 c 0%nat)))) by (intros [|a [|b [|e c]]] Hc; try discriminate;
        reflexivity).
    rewrite (view_ext 3 _ (fun c => g (nth 0 (increment 1%nat c) 0 + nth 1 (increment 1%nat c) 0)%nat (nth 0 (increment 1%nat
      c) 0%nat))
      (fun c => g (S (nth 0 c 0 + nth 1 c 0))%nat (nth 0 c 0%nat)))
      by (intros [|a [|b [|e c]]] Hc; try discriminate; cbn; f_equal; lia).
    rewrite (view_ext 3 _ (fun c => g (nth 0 (increment 2%nat c) 0 + nth 1 (increment 2%nat c) 0)%nat (nth 0 (increment 2%nat
      c) 0%nat))
      (fun c => g (nth 0 c 0 + nth 1 c 0)%nat (nth 0 c 0%nat))) by (intros [|a [|b [|e c]]] Hc; try discriminate; reflexivity).
    cbv beta; fold (three r0 r1); change counts with (list nat); field; lra.
Qed.

Section Expectation.
Variables (n : nat) (r0 r1 : R).
Hypotheses (Hn : (1 <= n)%nat) (H0 : 0 < r0) (H1 : 0 < r1) (H2 : r0 + r1 < 1).
Let others := repeat (three r0 r1) (n - 1).

Lemma three_is_law : is_law (three r0 r1).
Proof. split; [|cbn; ring]; do 3 (apply Forall_cons; [cbn; lra|]); apply Forall_nil. Qed.

(** What event S is worth, by all n users' counts under the others' law. *)
Definition worth (s0 s1 s2 : R) (f : counts -> R) : R :=
  mean (fun c => (s0 * INR (nth 0 c 0%nat) / r0 + s1 * INR (nth 1 c 0%nat) / r1 + s2 * INR (nth 2 c 0%nat) / (1 - r0 - r1)) * f c)
    (view 3 (repeat (three r0 r1) n)).

Lemma worth_is s0 s1 s2 f :
  worth s0 s1 s2 f = INR n * (s0 * mean (fun c => f (increment 0%nat c)) (view 3 others) + s1 * mean (fun c => f (increment
    1%nat c)) (view 3 others)
    + s2 * mean (fun c => f (increment 2%nat c)) (view 3 others)).
Proof.
  unfold worth, others.
  rewrite (mean_ext _ (fun c => s0 / r0 * (INR (nth 0 c 0%nat) * f c) + (s1 / r1 * (INR (nth 1 c 0%nat) * f c)
    + s2 / (1 - r0 - r1) * (INR (nth 2 c 0%nat) * f c)))) by (intros; unfold Rdiv; ring).
  rewrite !mean_plus, !mean_scale, !counted_out by lia; rewrite <- Nat.sub_1_r.
  assert (M : forall y, mass Nat.eq_dec (three r0 r1) y = match y with 0%nat => r0 | 1%nat => r1 | 2%nat => 1 - r0 - r1 | _ =>
    0 end).
  { intros [|[|[|y]]]; unfold mass, prob, three, indicator, at_; cbn; ring. }
  rewrite !M; field; lra.
Qed.

Lemma difference s t E f : mean f (view 3 (three s t :: others)) - E * mean f (view 3 (three t s :: others))
  = / INR n * worth (s - E * t) (t - E * s) ((1 - E) * (1 - s - t)) f.
Proof.
  assert (0 < INR n) by (apply lt_0_INR; lia); rewrite worth_is, !view_cons; unfold three; cbn [mean]; field; lra.
Qed.

(** The best event is where the counts are worth more than nothing. *)
Lemma best_event s t E (best : nat -> nat -> bool) :
  (forall a b e, (a + b + e)%nat = n ->
    let w := (s - E * t) * INR a / r0 + (t - E * s) * INR b / r1 + (1 - E) * (1 - s - t) * INR e / (1 - r0 - r1) in
    if best (a + b)%nat a then 0 <= w else w <= 0) ->
  victim_apart n s t r0 r1 E = letters_mean r0 r1 (n - 1) (fun c a =>
    (s - E * t) * (if best (S c) (S a) then 1 else 0) + (t - E * s) * (if best (S c) a then 1 else 0)
    + (1 - E) * (1 - s - t) * (if best c a then 1 else 0)).
Proof.
  intros B; assert (N : 0 < INR n) by (apply lt_0_INR; lia); set (S := fun c : counts => best (nth 0 c 0 + nth 1 c 0)%nat (nth
    0 c 0%nat)).
  transitivity (prob S (view 3 (three s t :: others)) - E * prob S (view 3 (three t s :: others))).
  - unfold victim_apart; fold others; apply Rle_antisym; [|apply hockey_stick_largest].
    apply below_every_event; intros T; unfold prob; assert (D := difference s t E (indicator T)); assert (D' := difference s t
      E (indicator S)).
    enough (worth (s - E * t) (t - E * s) ((1 - E) * (1 - s - t)) (indicator T) <= worth (s - E * t) (t - E * s) ((1 - E) * (1
      - s - t)) (indicator S)) as W.
    { apply (Rmult_le_compat_l (/ INR n)) in W; [lra | now apply Rlt_le, Rinv_0_lt_compat]. }
    unfold worth; set (w := fun c : counts => (s - E * t) * INR (nth 0 c 0%nat) / r0 + (t - E * s) * INR (nth 1 c 0%nat) / r1
      + (1 - E) * (1 - s - t) * INR (nth 2 c 0%nat) / (1 - r0 - r1)).
    change (mean (fun c => w c * indicator T c) (view 3 (repeat (three r0 r1) n)) <= mean (fun c => w c * indicator S c) (view
      3 (repeat (three r0 r1) n))).
    rewrite (all_counted n r0 r1 (fun c : counts => w c * indicator S c) (fun c => Rmax 0 (w c))).
    + apply mean_le; [apply view_is_law, repeated, three_is_law|]; intros c; unfold indicator; destruct (T c); [rewrite
        Rmult_1_r; apply Rmax_r | rewrite Rmult_0_r; apply Rmax_l].
    + intros a b e He; specialize (B a b e He); cbv zeta in B; unfold S, w, indicator; cbn [nth]; destruct (best (a + b)%nat a);
        [rewrite Rmax_right by exact B | rewrite Rmax_left by exact B]; ring.
  - unfold prob; rewrite difference, worth_is; rewrite <- (letters_are r0 r1 (n - 1)) by assumption; fold others.
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
    rewrite (view_ext 3 _ (fun c => indicator S (increment 0%nat c)) (fun c => if best (Datatypes.S (nth 0 c 0 + nth 1 c
      0)%nat) (Datatypes.S (nth 0 c 0%nat)) then 1 else 0))
      by (intros [|a [|b [|e c]]] Hc; try discriminate; reflexivity).
    rewrite (view_ext 3 _ (fun c => indicator S (increment 1%nat c)) (fun c => if best (Datatypes.S (nth 0 c 0 + nth 1 c
      0)%nat) (nth 0 c 0%nat) then 1 else 0))
      by (intros [|a [|b [|e c]]] Hc; try discriminate; unfold S, indicator; cbn [increment nth]; now rewrite Nat.add_succ_r).
    rewrite (view_ext 3 _ (fun c => indicator S (increment 2%nat c)) (fun c => if best (nth 0 c 0 + nth 1 c 0)%nat (nth 0 c
      0%nat) then 1 else 0))
      by (intros [|a [|b [|e c]]] Hc; try discriminate; reflexivity).
    cbv beta; rewrite !mean_plus, !mean_scale; change counts with (list nat). ring.
Qed.
End Expectation.

Lemma slope_positive p alpha r0 r1 E : 1 < p -> 0 < alpha -> 0 < r0 -> r0 / p <= r1 -> r1 <= r0 * p -> 0 < E -> 0 < slope_of p
  alpha r0 r1 E.
Proof.
  intros Hp Ha H0 Hl Hm HE; unfold slope_of; apply Rmult_lt_0_compat; [exact Ha|].
  assert (L : r0 <= p * r1) by (apply (Rmult_le_compat_l p) in Hl; [|lra]; replace (p * (r0 / p)) with r0 in Hl by (field;
    lra); exact Hl).
  assert (H1 : 0 < r1) by nra; assert (P : 0 < / (r0 * r1)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
  replace (p / r0 - 1 / r1 + E * (p / r1 - 1 / r0)) with ((p * r1 - r0 + E * (p * r0 - r1)) * / (r0 * r1)) by (field; lra).
  apply Rmult_lt_0_compat; [|exact P].
  destruct (Rle_lt_dec (p * r0 - r1) 0) as [Z|Z]; [|assert (0 < E * (p * r0 - r1)) by (apply Rmult_lt_0_compat; assumption); lra].
  assert (r1 = p * r0) by lra; subst r1; assert (p * r0 - p * r0 = 0) by ring; nra.
Qed.

Theorem wang2023_theorem_4_8 (n : nat) (p : R) (alpha : R) (r0 : R) (r1 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> 1 < p -> 0 < alpha -> alpha <= 1 / (p + 1) -> 0 < r0 -> r0 <= p * alpha -> r0 / p <= r1
  -> r1 <= r0 * p -> 0 < exp_epsilon -> r0 + r1 < 1 -> r1 <= p * alpha -> victim_apart n (p * alpha) alpha
  r0 r1 exp_epsilon = expectation n p alpha r0 r1 exp_epsilon /\ victim_apart n alpha (p * alpha) r0 r1
  exp_epsilon = expectation_back n p alpha r0 r1 exp_epsilon.
Proof.
  intros Hn Hp Ha Ha' H0 H0' Hl Hm HE H2 H1'; set (E := exp_epsilon) in *.
  assert (H1 : 0 < r1) by (apply Rlt_le_trans with (r0 / p); [apply Rdiv_lt_0_compat; lra | exact Hl]).
  assert (IE : 0 < / E) by (now apply Rinv_0_lt_compat).
  pose proof (slope_positive p alpha r0 r1 E Hp Ha H0 Hl Hm HE) as SP; pose proof (slope_positive p alpha r0 r1 (/ E) Hp Ha H0
    Hl Hm IE) as SQ.
  assert (N : forall a b e, (a + b + e)%nat = n -> INR e = INR n - INR (a + b)) by (intros a b e <-; rewrite !plus_INR; ring).
  split.
  - rewrite (best_event n r0 r1 Hn H0 H1 H2 (p * alpha) alpha E
      (fun c a => if Rle_dec (threshold n p alpha r0 r1 E c) (INR a) then true else false)).
    + unfold expectation, letters_mean; apply mean_ext; intros c; apply mean_ext; intros a; unfold from_on; rewrite S_INR.
      destruct (Rle_dec (threshold n p alpha r0 r1 E (S c)) (INR a + 1)), (Rle_dec (threshold n p alpha r0 r1 E (S c) - 1)
        (INR a)); try lra;
        destruct (Rle_dec (threshold n p alpha r0 r1 E (S c)) (INR a)), (Rle_dec (threshold n p alpha r0 r1 E c) (INR a)); try
          lra; ring.
    + intros a b e He; cbv zeta; pose proof (N a b e He) as Ne; rewrite Ne.
      assert (W : (p * alpha - E * alpha) * INR a / r0 + (alpha - E * (p * alpha)) * INR b / r1
        + (1 - E) * (1 - p * alpha - alpha) * (INR n - INR (a + b)) / (1 - r0 - r1)
        = slope_of p alpha r0 r1 E * (INR a - threshold n p alpha r0 r1 E (a + b))).
      { unfold threshold; replace (slope_of p alpha r0 r1 E * (INR a - ((E * p - 1) * alpha * INR (a + b) / r1
          + (E - 1) * ((1 - alpha - alpha * p) * (INR n - INR (a + b)) / (1 - r0 - r1))) / slope_of p alpha r0 r1 E))
          with (slope_of p alpha r0 r1 E * INR a - ((E * p - 1) * alpha * INR (a + b) / r1
          + (E - 1) * ((1 - alpha - alpha * p) * (INR n - INR (a + b)) / (1 - r0 - r1)))) by (field; lra).
        unfold slope_of; rewrite plus_INR; field; lra. }
      rewrite W; destruct (Rle_dec (threshold n p alpha r0 r1 E (a + b)) (INR a)); nra.
  - rewrite (best_event n r0 r1 Hn H0 H1 H2 alpha (p * alpha) E
      (fun c a => if Rle_dec (INR a) (threshold n p alpha r0 r1 (/ E) c) then true else false)).
    + unfold expectation_back, letters_mean; apply mean_ext; intros c; apply mean_ext; intros a; unfold up_to; rewrite S_INR.
      destruct (Rle_dec (INR a + 1) (threshold n p alpha r0 r1 (/ E) (S c))), (Rle_dec (INR a) (threshold n p alpha r0 r1 (/
        E) (S c) - 1)); try lra;
        destruct (Rle_dec (INR a) (threshold n p alpha r0 r1 (/ E) (S c))), (Rle_dec (INR a) (threshold n p alpha r0 r1 (/ E)
          c)); try lra; ring.
    + intros a b e He; cbv zeta; pose proof (N a b e He) as Ne; rewrite Ne.
      assert (W : (alpha - E * (p * alpha)) * INR a / r0 + (p * alpha - E * alpha) * INR b / r1
        + (1 - E) * (1 - alpha - p * alpha) * (INR n - INR (a + b)) / (1 - r0 - r1)
        = - (E * slope_of p alpha r0 r1 (/ E) * (INR a - threshold n p alpha r0 r1 (/ E) (a + b)))).
      { unfold threshold; replace (E * slope_of p alpha r0 r1 (/ E) * (INR a - ((/ E * p - 1) * alpha * INR (a + b) / r1
          + (/ E - 1) * ((1 - alpha - alpha * p) * (INR n - INR (a + b)) / (1 - r0 - r1))) / slope_of p alpha r0 r1 (/ E)))
          with (E * (slope_of p alpha r0 r1 (/ E) * INR a - ((/ E * p - 1) * alpha * INR (a + b) / r1
          + (/ E - 1) * ((1 - alpha - alpha * p) * (INR n - INR (a + b)) / (1 - r0 - r1))))) by (field; lra).
        unfold slope_of; rewrite plus_INR; field; lra. }
      rewrite W; assert (0 < E * slope_of p alpha r0 r1 (/ E)) by (apply Rmult_lt_0_compat; assumption).
      destruct (Rle_dec (INR a) (threshold n p alpha r0 r1 (/ E) (a + b))); nra.
Qed.
