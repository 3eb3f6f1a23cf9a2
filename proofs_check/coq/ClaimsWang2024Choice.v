(** * Levels by randomized response, and the choice of lambda (Wang et al. 2024)

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket RandomizedResponse TwoLetters VariationRatio Claims ClaimsWang2023 Measures Sampled.
Require Import Survey ClaimsWang2024 ClaimsWang2024Blankets.
Import ListNotations.
Open Scope R_scope.

(** ** Levels that are collected by randomized response *)

(** The users of level k have place k, from the first on. *)
Fixpoint levels_from (k : nat) (gs : list (nat * R)) : list nat :=
  match gs with [] => [] | g :: gs => repeat k (fst g) ++ levels_from (S k) gs end.
Definition levels (s : survey) : nat := length (groups s).
Definition lie (s : survey) (truth : R) : R := (1 - truth) / (INR (levels s) - 1).
(** A user sends the own level with probability [truth], else another, uniformly. *)
Definition response_of (s : survey) (truth : R) (k : nat) : law nat :=
  map (fun i => (i, if Nat.eq_dec i k then truth else lie s truth)) (seq 0 (levels s)).
Definition responses (s : survey) (truth : R) : law counts :=
  view (levels s) (map (response_of s truth) (levels_from 0 (groups s))).
Definition estimated_signal (s : survey) (truth : R) (c : counts) : R :=
  total (map (fun k => (count_of k c - INR (users s) * lie s truth) / (truth - lie s truth) * snd (nth k (groups s) (0%nat, 0)))
    (seq 0 (levels s))).
Definition signal_mean (s : survey) (truth : R) : R := mean (estimated_signal s truth) (responses s truth).
Definition numerator_mean (s : survey) (j : nat) : R :=
  mean (fun c => count_of j c - INR (users s) * m s / INR (domain s)) (survey_counts s).

Lemma levels_number k gs : length (levels_from k gs) = length (flat_map (fun g : nat * R => repeat (snd g) (fst g)) gs).
Proof. revert k; induction gs as [|g gs IH]; intros k; [reflexivity|]; cbn; now rewrite !app_length, !repeat_length, IH. Qed.

Lemma mass_mapped (g : nat -> R) n i : mass Nat.eq_dec (map (fun i => (i, g i)) (seq 0 n)) i = if lt_dec i n then g i else 0.
Proof.
  unfold mass, prob; assert (F : forall xs, NoDup xs -> mean (indicator (at_ Nat.eq_dec i)) (map (fun i => (i, g i)) xs) = if
    in_dec Nat.eq_dec i xs then g i else 0).
  { intros xs N; induction N as [|x xs Hx N IH]; [reflexivity|]; cbn [map mean]; rewrite IH; unfold indicator, at_.
    destruct (Nat.eq_dec i x), (in_dec Nat.eq_dec i xs), (in_dec Nat.eq_dec i (x :: xs)); subst; cbn in *; try contradiction;
      try ring; exfalso; intuition congruence. }
  rewrite F by apply seq_NoDup; destruct (in_dec Nat.eq_dec i (seq 0 n)) as [I|I], (lt_dec i n) as [L|L]; try reflexivity;
    rewrite in_seq in I; lia.
Qed.

Lemma sum_of_response (xs : list nat) k truth q : NoDup xs -> total (map (fun i => if Nat.eq_dec i k then truth else q) xs)
  = INR (length xs) * q + (truth - q) * indicator (fun k => if in_dec Nat.eq_dec k xs then true else false) k.
Proof.
  intros N; unfold indicator; induction N as [|x xs Hx N IH]; [cbn; ring|]; cbn [map total length]; rewrite IH, S_INR.
  destruct (Nat.eq_dec x k), (in_dec Nat.eq_dec k xs), (in_dec Nat.eq_dec k (x :: xs)); subst; cbn in *; try contradiction;
    try ring; exfalso; intuition congruence.
Qed.

Section Levels.
Variables (s : survey) (truth : R).
Hypotheses (Hs : is_survey s) (Ht : truth * INR (levels s) > 1) (Ht' : truth <= 1).

Lemma several_levels : 1 < INR (levels s).
Proof. destruct (Rle_or_lt (INR (levels s)) 1); [pose proof (pos_INR (levels s)); nra | assumption]. Qed.

Lemma truth_above : 0 < truth - lie s truth.
Proof.
  pose proof several_levels as L; unfold lie; apply (Rmult_lt_reg_r (INR (levels s) - 1)); [lra|].
  replace ((truth - (1 - truth) / (INR (levels s) - 1)) * (INR (levels s) - 1)) with (truth * INR (levels s) - 1) by (field;
    lra); lra.
Qed.

Lemma response_mean k i : (k < levels s)%nat -> (i < levels s)%nat ->
  mass Nat.eq_dec (response_of s truth k) i = lie s truth + (truth - lie s truth) * (if Nat.eq_dec i k then 1 else 0).
Proof.
  intros Hk Hi; unfold response_of; rewrite (mass_mapped (fun i => if Nat.eq_dec i k then truth else lie s truth)).
  destruct (lt_dec i (levels s)); [|lia]; destruct (Nat.eq_dec i k); ring.
Qed.

Lemma levels_below k gs : Forall (fun i => k <= i < k + length gs)%nat (levels_from k gs).
Proof.
  revert k; induction gs as [|g gs IH]; intros k; cbn; [constructor|]; apply Forall_app; split; [apply repeated; lia|].
  eapply Forall_impl; [|apply IH]; cbn; intros; lia.
Qed.

Lemma response_is_law k : (k < levels s)%nat -> mean (fun _ => 1) (response_of s truth k) = 1.
Proof.
  intros Hk; pose proof several_levels as L; unfold response_of; transitivity (total (map (fun i => if Nat.eq_dec i k then
    truth else lie s truth) (seq 0 (levels s)))).
  - generalize (seq 0 (levels s)); intros xs; induction xs as [|x xs IH]; [reflexivity|]; cbn [map mean total]; rewrite IH; ring.
  - rewrite sum_of_response by apply seq_NoDup; rewrite seq_length; unfold indicator.
    destruct (in_dec Nat.eq_dec k (seq 0 (levels s))) as [_|n]; [|destruct n; apply in_seq; lia]; unfold lie; field; lra.
Qed.

Lemma count_of_level k : (k < levels s)%nat ->
  count_mean k (responses s truth) = INR (users s) * lie s truth
    + (truth - lie s truth) * total (map (fun i => if Nat.eq_dec k i then 1 else 0) (levels_from 0 (groups s))).
Proof.
  intros Hk; pose proof (levels_below 0 (groups s)) as B; fold (levels s) in B.
  destruct (moments_of_view k (levels s) (map (response_of s truth) (levels_from 0 (groups s))) Hk) as (_ & E & _).
  - apply Forall_map; eapply Forall_impl; [|exact B]; intros i Hi; apply response_is_law; cbn in Hi; lia.
  - unfold responses; rewrite E, map_map; unfold users, rates; rewrite <- (levels_number 0); clear E.
    induction B as [|i xs Hi B IH]; [cbn; ring|]; cbn [map total length]; rewrite IH, S_INR, response_mean by lia; ring.
Qed.

Lemma signal_by_level : total (map (fun k => snd (nth k (groups s) (0%nat, 0)) * total (map (fun i => if Nat.eq_dec k i then 1
  else 0) (levels_from 0 (groups s))))
  (seq 0 (levels s))) = signal s.
Proof.
  unfold levels, signal; generalize (groups s) as gs; clear.
  assert (Own : forall k n, total (map (fun i : nat => if Nat.eq_dec k i then 1 else 0) (repeat k n)) = INR n).
  { intros k n; induction n as [|n IH]; [reflexivity|]; cbn [repeat map total]; rewrite IH, S_INR; destruct (Nat.eq_dec k k);
      [ring | contradiction]. }
  assert (Not : forall k xs, Forall (fun i => i <> k) xs -> total (map (fun i : nat => if Nat.eq_dec k i then 1 else 0) xs) = 0).
  { intros k xs F; induction F as [|i xs Hi F IH]; [reflexivity|]; cbn [map total]; rewrite IH; destruct (Nat.eq_dec k i);
      [congruence | ring]. }
  enough (G : forall gs k, total (map (fun i => snd (nth (i - k) gs (0%nat, 0)) * total (map (fun l => if Nat.eq_dec i l then
    1 else 0) (levels_from k gs))) (seq k (length gs)))
    = total (map (fun g => INR (fst g) * snd g) gs)).
  { intros gs; rewrite <- (G gs 0%nat); apply total_ext; intros i _; now rewrite Nat.sub_0_r. }
  induction gs as [|g gs IH]; intros k; [reflexivity|]; cbn [length seq map total levels_from]; rewrite <- (IH (S k)); f_equal.
  - rewrite Nat.sub_diag, map_app, total_app, Own, Not; [cbn; ring|].
    eapply Forall_impl; [|apply levels_below]; cbn; intros; lia.
  - apply total_ext; intros i Hi; apply in_seq in Hi; rewrite map_app, total_app, (Not i (repeat k (fst g))) by (apply
      repeated; lia).
    replace (i - k)%nat with (S (i - S k)) by lia; cbn [nth]; ring.
Qed.

Lemma signal_unbiased : signal_mean s truth = signal s.
Proof.
  pose proof truth_above as T; unfold signal_mean, estimated_signal; rewrite mean_total, <- signal_by_level; apply total_ext;
    intros k Hk.
  apply in_seq in Hk; set (l := snd (nth k (groups s) (0%nat, 0))).
  destruct (moments_of_view k (levels s) (map (response_of s truth) (levels_from 0 (groups s))) ltac:(lia)) as (M & _).
  { apply Forall_map; eapply Forall_impl; [|apply (levels_below 0 (groups s))]; intros i Hi; apply response_is_law; cbn in Hi;
      unfold levels; lia. }
  fold (responses s truth) in M.
  rewrite (mean_ext _ (fun c => l / (truth - lie s truth) * (count_of k c + - (INR (users s) * lie s truth) * 1))) by (intros;
    unfold Rdiv; ring).
  rewrite mean_scale, mean_plus, mean_scale; ones M; fold (count_mean k (responses s truth)); rewrite count_of_level by lia;
    field; lra.
Qed.
End Levels.

Lemma numerator_unbiased s j : is_survey s -> (j < domain s)%nat -> numerator_mean s j = frequency s j * signal s.
Proof.
  intros Hs Hj; destruct (survey_moments s Hs j Hj) as (M & E & _); unfold numerator_mean.
  rewrite (mean_ext _ (fun c => count_of j c + - (INR (users s) * m s / INR (domain s)) * 1)) by (intros; ring).
  rewrite mean_plus, mean_scale; ones M; fold (count_mean j (survey_counts s)); rewrite E, (blanket_is s Hs), signal_is; ring.
Qed.

Theorem wang2024_noisy_counts (survey : survey) (truth : R) (j : nat) :
  is_survey survey -> 0 <= truth -> truth <= 1 -> (j < domain survey)%nat -> truth * (INR (levels survey))
  > 1 -> signal_mean survey truth = signal survey /\ numerator_mean survey j = (frequency survey j) *
  (signal survey).
Proof.
  intros Hs _ Ht' Hj Ht; split; [now apply signal_unbiased | now apply numerator_unbiased].
Qed.

(** ** The divergence of (7) grows with lambda *)

Definition apart_at (E r : R) (n : nat) (rate : R) : R :=
  hockey_stick same_pair (letters_counted upright rate r n) (letters_counted turned rate r n) E.

Section Grows.
Variables (r E : R) (n : nat).
Hypotheses (Hr : 0 < r) (Hr' : 2 * r <= 1) (HE : 1 <= E).
Let side shown rate S := prob S (letters_counted shown rate r n).

Lemma coin_of shown rate S : side shown rate S = rate * side shown 1 S + (1 - rate) * side shown 0 S.
Proof.
  unfold side, prob, letters_counted; rewrite !mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros c.
  rewrite !mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros a; rewrite !mean_bind, !heads_S; cbn [heads certain
    mean]; ring.
Qed.

Lemma no_letter S : side turned 0 S = side upright 0 S.
Proof.
  unfold side, prob, letters_counted; rewrite !mean_bind; apply mean_ext; intros c.
  rewrite !mean_bind; apply mean_ext; intros a; rewrite !mean_bind, !heads_S; cbn [heads certain mean]; unfold upright,
    turned; ring.
Qed.

Lemma attained_at rate : 0 <= rate <= 1 ->
  exists S, hockey_stick same_pair (letters_counted upright rate r n) (letters_counted turned rate r n) E
  = rate * (side upright 1 S - E * side turned 1 S) - (1 - rate) * (E - 1) * side upright 0 S /\ 0 <= side upright 0 S.
Proof.
  intros H; destruct (hockey_stick_largest same_pair (letters_counted upright rate r n) (letters_counted turned rate r n) E)
    as [_ [S HS]].
  exists S; split.
  - rewrite <- HS; fold (side upright rate S) (side turned rate S); rewrite (coin_of upright), (coin_of turned), no_letter; ring.
  - apply prob_nonnegative; unfold letters_counted; apply bind_is_law; [apply heads_is_law; lra|]; intros c.
    apply bind_is_law; [apply heads_is_law; lra|]; intros a; apply bind_is_law; [apply heads_is_law; lra | intros; apply
      certain_is_law].
Qed.

Lemma apart_at_least rate S :
  rate * (side upright 1 S - E * side turned 1 S) - (1 - rate) * (E - 1) * side upright 0 S
  <= hockey_stick same_pair (letters_counted upright rate r n) (letters_counted turned rate r n) E.
Proof.
  destruct (hockey_stick_largest same_pair (letters_counted upright rate r n) (letters_counted turned rate r n) E) as [U _].
  specialize (U S); fold (side upright rate S) (side turned rate S) in U; rewrite (coin_of upright), (coin_of turned),
    no_letter in U; lra.
Qed.

(** All letters alike, and one more than there are blanket letters: Q never shows that. *)
Definition all_alike (z : nat * nat) : bool := if same_pair z (S n, 0%nat) then true else false.

Lemma shown_alone rate : side upright rate all_alike = rate * (1 / 2) ^ n * (2 * r) ^ n /\ side turned rate all_alike = 0.
Proof.
  split; unfold side, prob, letters_counted; rewrite mean_bind.
  - rewrite (mean_heads_up_to _ _ _ (fun c => rate * (1 / 2) ^ n * indicator (Nat.eqb n) c)).
    { rewrite mean_scale; fold (prob (Nat.eqb n) (heads (2 * r) n)); rewrite all_heads by lia; destruct (Nat.eq_dec n n);
        [reflexivity | contradiction]. }
    intros c Hc; rewrite mean_bind, (mean_heads_up_to _ _ _ (fun a => rate * indicator (Nat.eqb n) a)).
    + rewrite mean_scale; fold (prob (Nat.eqb n) (heads (1 / 2) c)); rewrite all_heads by lia; unfold indicator.
      destruct (Nat.eq_dec c n), (Nat.eqb_spec n c); try lia; subst; ring.
    + intros a Ha; rewrite mean_bind, heads_S; cbn [heads certain mean]; unfold indicator, all_alike, upright.
      destruct (Nat.eqb_spec n a), (same_pair ((a + 0)%nat, (c - a + 0)%nat) (S n, 0%nat)) as [E0|E0],
        (same_pair ((a + 1)%nat, (c - a + 0)%nat) (S n, 0%nat)) as [E1|E1]; try injection E0 as ? ?; try injection E1 as ? ?;
          try lia; try ring.
      exfalso; apply E1; f_equal; lia.
  - rewrite (mean_heads_up_to _ _ _ (fun _ => 0 * 1)); [rewrite mean_scale; ring|]; intros c Hc.
    rewrite mean_bind, (mean_heads_up_to _ _ _ (fun _ => 0 * 1)); [rewrite mean_scale; ring|]; intros a Ha.
    rewrite mean_bind, heads_S; cbn [heads certain mean]; unfold indicator, all_alike, turned.
    destruct (same_pair ((a + 0)%nat, (c - a + 0)%nat) (S n, 0%nat)) as [E0|E0],
      (same_pair ((a + 0)%nat, (c - a + 1)%nat) (S n, 0%nat)) as [E1|E1]; try injection E0 as ? ?; try injection E1 as ? ?;
        try lia; ring.
Qed.

Lemma letters_apart_grow rate to : 0 <= rate -> rate < to -> to <= 1 -> apart_at E r n rate < apart_at E r n to.
Proof.
  intros H0 Hlt H1; unfold apart_at; destruct (attained_at rate ltac:(lra)) as (S & -> & B).
  pose proof (apart_at_least to S) as T; set (D := hockey_stick _ _ _ _) in *.
  assert (P : 0 < D).
  { pose proof (proj1 (hockey_stick_largest same_pair (letters_counted upright to r n) (letters_counted turned to r n) E)
      all_alike) as U.
    fold (side upright to all_alike) (side turned to all_alike) in U; destruct (shown_alone to) as [U1 U2]; rewrite U1, U2 in
      U; fold D in U.
    assert (0 < to * (1 / 2) ^ n * (2 * r) ^ n) by (repeat apply Rmult_lt_0_compat; try apply pow_lt; lra); lra. }
  clearbody D; set (x := side upright 1 S - E * side turned 1 S) in *; set (b := (E - 1) * side upright 0 S) in *.
  assert (Hb : 0 <= b) by (apply Rmult_le_pos; lra).
  replace ((1 - to) * (E - 1) * side upright 0 S) with ((1 - to) * b) in T by (unfold b; ring).
  replace ((1 - rate) * (E - 1) * side upright 0 S) with ((1 - rate) * b) by (unfold b; ring).
  apply (Rmult_lt_reg_l to); [lra|].
  apply Rle_lt_trans with (rate * D); [|apply Rmult_lt_compat_r; lra].
  apply Rle_trans with (rate * (to * x - (1 - to) * b)); [|apply Rmult_le_compat_l; lra].
  assert (0 <= (to - rate) * b) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma none_apart : apart_at E r n 0 <= 0.
Proof.
  unfold apart_at; destruct (attained_at 0 ltac:(lra)) as (S & -> & B).
  assert (0 <= (E - 1) * side upright 0 S) by (apply Rmult_le_pos; lra); lra.
Qed.
End Grows.

Lemma share_of_item (d slots : nat) m : (2 <= d)%nat -> (1 <= slots)%nat -> INR slots - 1 < m -> m <= INR slots ->
  0 < m / INR slots / INR d /\ 2 * (m / INR slots / INR d) <= 1.
Proof.
  intros Hd Hs Hl Hm; assert (1 <= INR slots) by (apply (le_INR 1); exact Hs); assert (2 <= INR d) by (apply (le_INR 2); exact
    Hd).
  assert (0 < m / INR slots) by (apply Rdiv_lt_0_compat; lra); split; [apply Rdiv_lt_0_compat; lra|].
  assert (m / INR slots <= 1) by (apply (Rmult_le_reg_r (INR slots)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  apply (Rmult_le_reg_r (INR d)); [lra|]; replace (2 * (m / INR slots / INR d) * INR d) with (2 * (m / INR slots)) by (field;
    lra); lra.
Qed.

Theorem wang2024_divergence_grows (n : nat) (d : nat) (slots : nat) (m : R) (exp_epsilon : R) (rate : R) (to
    : R) :
  (1 <= n)%nat -> (2 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> 1 <=
  exp_epsilon -> 0 <= rate -> rate < 1 -> rate < to -> to <= 1 -> apart_at exp_epsilon (m / INR slots /
  INR d) (n * slots - 1) rate < apart_at exp_epsilon (m / INR slots / INR d) (n * slots - 1) to.
Proof.
  intros _ Hd Hs Hl Hm HE H0 _ Hlt H1; destruct (share_of_item d slots m Hd Hs Hl Hm); now apply letters_apart_grow.
Qed.

(** Bisection of [0, 1]: the lower end after t steps. *)
Fixpoint bisected (f : R -> R) (bound : R) (t : nat) : R :=
  match t with
  | 0%nat => 0
  | S t => let lower := bisected f bound t in
      if Rle_dec (f (lower + / 2 ^ S t)) bound then lower + / 2 ^ S t else lower
  end.

Lemma bisection (f : R -> R) bound t : f 0 <= bound -> (forall x y, 0 <= x -> x < y -> y <= 1 -> f x < f y) ->
  let x := bisected f bound t in
  0 <= x /\ x + / 2 ^ t <= 1 /\ f x <= bound /\ forall y, 0 <= y <= 1 -> f y <= bound -> y <= x + / 2 ^ t.
Proof.
  intros H0 G; cbv zeta; induction t as [|t (A & B & C & D)].
  - cbn; repeat split; try lra; intros; lra.
  - assert (P : 0 < / 2 ^ S t) by (apply Rinv_0_lt_compat, pow_lt; lra).
    assert (T : / 2 ^ t = / 2 ^ S t + / 2 ^ S t) by (cbn [pow]; field; apply pow_nonzero; lra).
    cbn [bisected]; set (x := bisected f bound t) in *; rewrite T in B, D; set (h := / 2 ^ S t) in *; clearbody x h.
    destruct (Rle_dec (f (x + h)) bound) as [L|L]; repeat split; try lra.
    + intros y Hy Fy; specialize (D y Hy Fy); lra.
    + intros y Hy Fy; destruct (Rle_or_lt y (x + h)) as [|Far]; [assumption|]; specialize (G (x + h) y ltac:(lra) Far
        ltac:(lra)); lra.
Qed.

Theorem wang2024_binary_search (n : nat) (d : nat) (slots : nat) (m : R) (exp_epsilon : R) (bound : R) (t :
    nat) (other : R) :
  (1 <= n)%nat -> (2 <= d)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> 1 <=
  exp_epsilon -> 0 < bound -> 0 <= other -> other <= 1 -> apart_at exp_epsilon (m / INR slots / INR d) (n
  * slots - 1) other <= bound -> apart_at exp_epsilon (m / INR slots / INR d) (n * slots - 1) (bisected
  (apart_at exp_epsilon (m / INR slots / INR d) (n * slots - 1)) bound t) <= bound /\ other <= (bisected
  (apart_at exp_epsilon (m / INR slots / INR d) (n * slots - 1)) bound t) + (1 / (2 ^ t)).
Proof.
  intros _ Hd Hs Hl Hm HE Hb H0 H1 HO; destruct (share_of_item d slots m Hd Hs Hl Hm) as [Pr Pr'].
  set (f := apart_at exp_epsilon (m / INR slots / INR d) (n * slots - 1)) in *.
  destruct (bisection f bound t) as (_ & _ & C & D).
  - eapply Rle_trans; [now apply none_apart | lra].
  - intros x y Hx Hxy Hy; now apply letters_apart_grow.
  - split; [exact C|]; unfold Rdiv; rewrite Rmult_1_l; apply D; [lra | exact HO].
Qed.

(** ** The mixtures of the victim's two laws *)

Theorem wang2024_variation_property {A} (same : forall x y : A, {x = y} + {x <> y}) (p : R) (V : law A) (W :
    law A) (S : A -> bool) :
  1 < p -> is_law V -> private_pair same p V W -> prob S (part same V W) >= 0 /\ prob S (part same W V) >=
  0 /\ prob S (left_over same (p * (share_of same p V W)) (share_of same p V W) V (part same V W) (part
  same W V)) >= 0 /\ (1 - (share_of same p V W)) - (p * (share_of same p V W)) >= 0 /\ mean (fun _ => 1)
  (part same V W) = 1 /\ mean (fun _ => 1) (part same W V) = 1 /\ mean (fun _ => 1) (left_over same (p *
  (share_of same p V W)) (share_of same p V W) V (part same V W) (part same W V)) = 1 /\ prob S V = (((p *
  (share_of same p V W)) * (prob S (part same V W))) + ((share_of same p V W) * (prob S (part same W V))))
  + (((1 - (share_of same p V W)) - (p * (share_of same p V W))) * (prob S (left_over same (p * (share_of
  same p V W)) (share_of same p V W) V (part same V W) (part same W V)))) /\ prob S W = (((share_of same p
  V W) * (prob S (part same V W))) + ((p * (share_of same p V W)) * (prob S (part same W V)))) + (((1 -
  (share_of same p V W)) - (p * (share_of same p V W))) * (prob S (left_over same (p * (share_of same p V
  W)) (share_of same p V W) V (part same V W) (part same W V)))).
Proof.
  intros Hp LV HW; assert (Own : within same p V V).
  { intros y; assert (0 <= mass same V y) by (apply prob_nonnegative, LV); nra. }
  destruct (wang2023_lemma_4_4 same p p V W V S Hp ltac:(lra) LV HW) as (H1 & H2 & H3 & _ & H4 & _ & H5 & H6 & H7 & _ & H8 &
    H9 & _).
  { split; [exact LV|]; split; [exact Own | apply HW]. }
  repeat split; assumption.
Qed.

