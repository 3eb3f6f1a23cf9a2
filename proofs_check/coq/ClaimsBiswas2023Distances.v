(** * How far the two estimates are from the data on average (Biswas et al. 2023, Abstract and Section VI)

    The expected total variation distance to the data's distribution: of the histogram with Gaussian noise on each count,
    and of the inverted histogram of shuffled randomized responses. *)

Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra Lia Arith.
Require Import ExactDP Lemmas Language Normal Gaussian Composition AdvancedComposition Blanket RandomizedResponse.
Require Import ResponseOrders VariationTails ClaimsBiswas2023 ClaimsBiswas2023Worst ClaimsBiswas2023Noise.
Import ListNotations.
Open Scope R_scope.

(** E |N(f, s^2) - f|; the distances. *)
Definition mean_deviation (f s : R) : R :=
  RInt_gen (V := R_CompleteNormedModule) (fun y => Rabs (y - f) * normal_density f s y) (Rbar_locally m_infty) (Rbar_locally
    p_infty).
Definition share (data : list nat) (j : nat) : R := INR (count_occ Nat.eq_dec data j) / INR (length data).
Definition noisy_distance (k : nat) (sigma : R) (data : list nat) : R :=
  total (map (fun j => mean_deviation (INR (count_occ Nat.eq_dec data j)) sigma / INR (length data)) (seq 0 k)) / 2.
Definition inverted_distance (k : nat) (x : R) (data : list nat) : R :=
  mean (fun ys => total (map (fun j => Rabs (inverted k x ys j / INR (length data) - share data j)) (seq 0 k)) / 2)
    (messages (users k x data)).

(** ** The noise *)

Section Deviation.
Variables (f s : R).
Hypotheses (Hs : 0 < s).

Let G (y : R) : R := - (s * (density ((y - f) / s) / sqrt (2 * PI))).

Lemma derive_G y : is_derive G y ((y - f) * normal_density f s y).
Proof.
  pose proof sqrt_2PI as Q; unfold G, normal_density, density; auto_derive; [trivial|].
  replace (- ((y - f) / s * ((y - f) / s)) / 2) with (- ((y + - f) * / s * ((y + - f) * / s)) * / 2) by (field; lra).
  field; lra.
Qed.

Lemma continuous_part y : continuous (fun y => (y - f) * normal_density f s y) y.
Proof. apply (ex_derive_continuous (V := R_NormedModule)); unfold normal_density; auto_derive; trivial. Qed.

Lemma deviation_between a b : a < f -> f < b ->
  is_RInt (V := R_CompleteNormedModule) (fun y => Rabs (y - f) * normal_density f s y) a b (G a + G b - 2 * G f).
Proof.
  intros Ha Hb; replace (G a + G b - 2 * G f) with (plus (G := R_CompleteNormedModule) (opp (minus (G f) (G a))) (minus (G b) (G f)))
    by (unfold plus, opp, minus; cbn; unfold plus, opp; cbn; ring).
  apply (is_RInt_Chasles (V := R_CompleteNormedModule)) with f.
  - apply (is_RInt_ext (V := R_CompleteNormedModule) (fun y => opp ((y - f) * normal_density f s y))).
    + intros y [_ H]; rewrite Rmax_right in H by lra; rewrite Rabs_left by lra; unfold opp; cbn; ring.
    + apply (is_RInt_opp (V := R_CompleteNormedModule)), (is_RInt_derive (V := R_CompleteNormedModule) G); intros;
        [apply derive_G | apply continuous_part].
  - apply (is_RInt_ext (V := R_CompleteNormedModule) (fun y => (y - f) * normal_density f s y)).
    + intros y [H _]; rewrite Rmin_left in H by lra; rewrite Rabs_right by lra; reflexivity.
    + apply (is_RInt_derive (V := R_CompleteNormedModule) G); intros; [apply derive_G | apply continuous_part].
Qed.

Lemma G_far y : s <= Rabs (y - f) -> Rabs (G y) <= 2 * s * s / Rabs (y - f).
Proof.
  intros H; assert (Z : exists z, 1 <= z /\ Rabs (y - f) = s * z /\ density ((y - f) / s) = density z).
  { exists (Rabs (y - f) / s); repeat split.
    - apply (Rmult_le_reg_r s); [exact Hs|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
    - field; lra.
    - unfold density; f_equal; f_equal; f_equal.
      unfold Rdiv; replace (Rabs (y - f) * / s * (Rabs (y - f) * / s)) with (Rsqr (Rabs (y - f)) * (/ s * / s)) by (unfold Rsqr; ring).
      rewrite <- Rsqr_abs; unfold Rsqr; ring. }
  destruct Z as (z & Hz & E & D); rewrite E; unfold G; rewrite D; destruct (far_out z Hz) as [_ B].
  rewrite Rabs_Ropp, Rabs_right by (apply Rle_ge, Rmult_le_pos; lra).
  replace (2 * s * s / (s * z)) with (s * (2 / z)) by (field; lra); apply Rmult_le_compat_l; lra.
Qed.

Lemma deviation_is : mean_deviation f s = s * sqrt (2 / PI).
Proof.
  pose proof PI_RGT_0 as P; pose proof sqrt_2PI as Q.
  assert (E : s * sqrt (2 / PI) = - 2 * G f).
  { unfold G, density; replace ((f - f) / s) with 0 by (field; lra); replace (- (0 * 0) / 2) with 0 by field; rewrite exp_0.
    assert (R : sqrt (2 / PI) * sqrt (2 * PI) = 2).
    { rewrite <- sqrt_mult by (try apply Rlt_le, Rdiv_lt_0_compat; lra); replace (2 / PI * (2 * PI)) with (2 * 2) by (field; lra).
      apply sqrt_square; lra. }
    apply (Rmult_eq_reg_r (sqrt (2 * PI))); [|lra]; rewrite Rmult_assoc, R; field; lra. }
  rewrite E; unfold mean_deviation; apply (is_RInt_gen_unique (V := R_CompleteNormedModule)); intros S [eps HP].
  assert (E0 := cond_pos eps); set (M := s + 8 * s * s / eps).
  assert (HM : s < M) by (unfold M; assert (0 < 8 * s * s / eps) by (apply Rdiv_lt_0_compat; nra); lra).
  assert (Small : forall y, M < Rabs (y - f) -> Rabs (G y) <= eps / 4).
  { intros y Hy; eapply Rle_trans; [apply G_far; lra|]; apply (Rmult_le_reg_r (Rabs (y - f))); [lra|].
    unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rle_trans with (eps / 4 * M); [unfold M; replace (eps / 4 * (s + 8 * s * s / eps)) with (eps / 4 * s + 2 * s * s) by (field;
      lra); nra | apply Rmult_le_compat_l; lra]. }
  apply (Filter_prod _ _ _ (fun a => a < f - M) (fun b => f + M < b)); [now exists (f - M) | now exists (f + M)|].
  intros a b Ha Hb; cbn [fst snd]; exists (G a + G b - 2 * G f); split; [apply deviation_between; lra|].
  apply HP; unfold ball; cbn; unfold AbsRing_ball, abs, minus, plus, opp; cbn.
  assert (A := Small a ltac:(rewrite Rabs_left; lra)); assert (B := Small b ltac:(rewrite Rabs_right; lra)).
  replace (G a + G b - 2 * G f + - (- 2 * G f)) with (G a + G b) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang | lra].
Qed.
End Deviation.

Lemma total_constant {A} (c : R) (xs : list A) : total (map (fun _ => c) xs) = INR (length xs) * c.
Proof. induction xs as [|y xs IH]; [cbn; ring|]; cbn [map total length]; rewrite S_INR, IH; ring. Qed.

Lemma noisy_distance_is k sigma data : 0 < sigma ->
  noisy_distance k sigma data = INR k * (sigma * sqrt (2 / PI) / INR (length data)) / 2.
Proof.
  intros H; unfold noisy_distance.
  rewrite (map_ext _ (fun _ => sigma * sqrt (2 / PI) / INR (length data))) by (intros j; now rewrite deviation_is).
  rewrite total_constant, seq_length; reflexivity.
Qed.

Lemma root_small : sqrt (2 / PI) <= 82 / 100.
Proof.
  pose proof PI2_3_2; rewrite <- (sqrt_square (82 / 100)) by lra; apply sqrt_le_1_alt, (Rmult_le_reg_r PI); [lra|].
  unfold Rdiv at 1; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** ** The inverted histogram *)

Section Inverted.
Variables (k : nat) (x : R) (j : nat).
Hypotheses (Hx : 1 < x) (Hj : (j < k)%nat).

Let r := (x + INR k - 1) / (x - 1).
Definition deviation (data ys : list nat) : R := inverted k x ys j - INR (count_occ Nat.eq_dec data j).
(** The probability that a user with this value sends j. *)
Definition sends (w : nat) : R := if Nat.eq_dec w j then own k x else other k x.

Lemma size_above_1 : 1 <= INR k.
Proof. apply (le_INR 1); lia. Qed.

Lemma sends_between w : 0 <= sends w <= 1.
Proof.
  pose proof size_above_1; unfold sends, own, other; destruct Nat.eq_dec; split;
    try (apply Rlt_le, Rdiv_lt_0_compat; lra); apply (Rmult_le_reg_r (x + INR k - 1)); try lra; unfold Rdiv;
    rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma deviation_step (F : R -> R) w data : (w < k)%nat -> Forall (fun v => (v < k)%nat) data ->
  mean (fun ys => F (deviation (w :: data) ys)) (messages (users k x (w :: data))) =
  sends w * mean (fun ys => F (r * (1 - sends w) + deviation data ys)) (messages (users k x data))
  + (1 - sends w) * mean (fun ys => F (- (r * sends w) + deviation data ys)) (messages (users k x data)).
Proof.
  intros Hw HF; pose proof size_above_1 as K; unfold users; cbn [map]; rewrite mean_messages_cons.
  rewrite (ExactDP.mean_below k _ _ (fun y => if Nat.eq_dec y j
    then mean (fun ys => F (r * (1 - sends w) + deviation data ys)) (messages (users k x data))
    else mean (fun ys => F (- (r * sends w) + deviation data ys)) (messages (users k x data)))); [|apply response_below|].
  - rewrite response_seen by (assumption || lra); cbv zeta; reflexivity.
  - intros y Hy; destruct (Nat.eq_dec y j) as [->|N]; apply mean_ext; intros ys; f_equal; unfold deviation, sends;
      rewrite inverted_cons by assumption; cbn [count_occ]; unfold inverse, own, other, r;
      destruct (Nat.eq_dec w j); destruct (Nat.eq_dec _ j); try contradiction; rewrite ?S_INR; field; lra.
Qed.

Lemma messages_law data : Forall (fun v => (v < k)%nat) data -> mean (fun _ => 1) (messages (users k x data)) = 1.
Proof.
  intros HF; apply messages_are_law; unfold users; apply Forall_map; eapply Forall_impl; [|exact HF]; intros w Hw.
  apply response_is_law; [exact Hw | lra].
Qed.

(** The moments of the deviation. *)
Definition moment (m : nat) (data : list nat) : R := mean (fun ys => deviation data ys ^ m) (messages (users k x data)).

Lemma mean_powers (a : R) data : Forall (fun v => (v < k)%nat) data ->
  let P := messages (users k x data) in
  mean (fun ys => (a + deviation data ys) ^ 1) P = a + moment 1 data /\
  mean (fun ys => (a + deviation data ys) ^ 2) P = a ^ 2 + 2 * a * moment 1 data + moment 2 data /\
  mean (fun ys => (a + deviation data ys) ^ 3) P = a ^ 3 + 3 * a ^ 2 * moment 1 data + 3 * a * moment 2 data + moment 3 data /\
  mean (fun ys => (a + deviation data ys) ^ 4) P
  = a ^ 4 + 4 * a ^ 3 * moment 1 data + 6 * a ^ 2 * moment 2 data + 4 * a * moment 3 data + moment 4 data.
Proof.
  intros HF P; pose proof (messages_law data HF) as L; fold P in L; unfold moment; fold P; set (D := deviation data).
  repeat split.
  - rewrite (mean_ext _ (fun ys => a * 1 + D ys ^ 1)) by (intros; ring); now rewrite mean_plus, mean_scale, L, Rmult_1_r.
  - rewrite (mean_ext _ (fun ys => (a ^ 2 * 1 + 2 * a * D ys ^ 1) + D ys ^ 2)) by (intros; ring).
    rewrite !mean_plus, !mean_scale, L; ring.
  - rewrite (mean_ext _ (fun ys => (a ^ 3 * 1 + 3 * a ^ 2 * D ys ^ 1) + (3 * a * D ys ^ 2 + D ys ^ 3))) by (intros; ring).
    rewrite !mean_plus, !mean_scale, L; ring.
  - rewrite (mean_ext _ (fun ys => (a ^ 4 * 1 + 4 * a ^ 3 * D ys ^ 1) + (6 * a ^ 2 * D ys ^ 2 + (4 * a * D ys ^ 3 + D ys ^ 4))))
      by (intros; ring).
    rewrite !mean_plus, !mean_scale, L; ring.
Qed.

Lemma moment_nil m : moment (S m) [] = 0.
Proof.
  unfold moment, deviation, inverted; cbn [users map messages certain mean count_occ].
  rewrite (total_ext _ (fun _ => 0 * 0)) by (intros; cbn; ring); rewrite total_scale; change (INR 0) with 0; cbn [pow]; ring.
Qed.

Lemma moment_1 data : Forall (fun v => (v < k)%nat) data -> moment 1 data = 0.
Proof.
  induction 1 as [|w data Hw HF IH]; [apply moment_nil|]; unfold moment.
  rewrite (deviation_step (fun d => d ^ 1)) by assumption.
  rewrite (proj1 (mean_powers (r * (1 - sends w)) data HF)), (proj1 (mean_powers (- (r * sends w)) data HF)), IH; ring.
Qed.

Lemma moment_2_cons w data : (w < k)%nat -> Forall (fun v => (v < k)%nat) data ->
  moment 2 (w :: data) = sends w * (1 - sends w) * r ^ 2 + moment 2 data.
Proof.
  intros Hw HF; unfold moment at 1; rewrite (deviation_step (fun d => d ^ 2)) by assumption.
  destruct (mean_powers (r * (1 - sends w)) data HF) as (_ & A & _), (mean_powers (- (r * sends w)) data HF) as (_ & B & _).
  rewrite A, B, (moment_1 data HF); ring.
Qed.

Lemma moment_4_cons w data : (w < k)%nat -> Forall (fun v => (v < k)%nat) data ->
  let t := sends w in
  moment 4 (w :: data) = t * (1 - t) * ((1 - t) ^ 3 + t ^ 3) * r ^ 4 + 6 * (t * (1 - t) * r ^ 2) * moment 2 data + moment 4 data.
Proof.
  intros Hw HF t; unfold moment at 1; rewrite (deviation_step (fun d => d ^ 4)) by assumption; fold t.
  destruct (mean_powers (r * (1 - t)) data HF) as (_ & _ & _ & A), (mean_powers (- (r * t)) data HF) as (_ & _ & _ & B).
  rewrite A, B, (moment_1 data HF); ring.
Qed.

Lemma moment_2_at_most data : Forall (fun v => (v < k)%nat) data -> 0 <= moment 2 data <= INR (length data) * (r ^ 2 / 4).
Proof.
  induction 1 as [|w data Hw HF IH]; [rewrite moment_nil; cbn; lra|]; rewrite moment_2_cons by assumption.
  cbn [length]; rewrite S_INR; pose proof (sends_between w) as T; set (t := sends w) in *.
  assert (0 <= t * (1 - t) <= 1 / 4) by (pose proof (Rle_0_sqr (t - 1 / 2)) as Q; unfold Rsqr in Q; split; [apply Rmult_le_pos; lra | lra]).
  pose proof (pow2_ge_0 r); split; [|replace ((INR (length data) + 1) * (r ^ 2 / 4)) with (1 / 4 * r ^ 2 + INR (length data) * (r ^ 2 / 4)) by field];
    apply Rplus_le_compat || apply Rplus_le_le_0_compat; try lra; [apply Rmult_le_pos | apply Rmult_le_compat_r]; lra.
Qed.

(** |d| is at most (c + d^2 / c) / 2. *)
Lemma absolute_at_most data : Forall (fun v => (v < k)%nat) data -> (1 <= length data)%nat ->
  mean (fun ys => Rabs (deviation data ys)) (messages (users k x data)) <= sqrt (INR (length data)) * (r / 2).
Proof.
  intros HF Hn; assert (N : 1 <= INR (length data)) by (apply (le_INR 1); exact Hn).
  pose proof size_above_1 as K; assert (R0 : 0 < r) by (apply Rdiv_lt_0_compat; lra).
  set (q := sqrt (INR (length data))); assert (Q : q * q = INR (length data)) by (apply sqrt_sqrt; lra).
  assert (Q0 : 0 < q) by (apply sqrt_lt_R0; lra); set (c := q * (r / 2)); assert (C : 0 < c) by (unfold c; nra).
  assert (L : forall d, Rabs d <= c / 2 * 1 + / (2 * c) * d ^ 2).
  { intros d; apply (Rmult_le_reg_r (2 * c)); [lra|].
    replace ((c / 2 * 1 + / (2 * c) * d ^ 2) * (2 * c)) with (c * c + d ^ 2) by (field; lra).
    rewrite <- (pow2_abs d); pose proof (Rle_0_sqr (Rabs d - c)) as S; unfold Rsqr in S; lra. }
  eapply Rle_trans; [apply mean_le; [|intros ys; apply L]|].
  - apply messages_are_law; unfold users; apply Forall_map; eapply Forall_impl; [|exact HF]; intros w Hw.
    apply response_is_law; [exact Hw | lra].
  - rewrite mean_plus, !mean_scale, messages_law by exact HF; fold (moment 2 data).
    pose proof (proj2 (moment_2_at_most data HF)) as M; rewrite <- Q in M.
    replace (q * q * (r ^ 2 / 4)) with (c * c) in M by (unfold c; field).
    assert (/ (2 * c) * moment 2 data <= / (2 * c) * (c * c)) by (apply Rmult_le_compat_l; [apply Rlt_le, Rinv_0_lt_compat; lra | exact M]).
    replace (/ (2 * c) * (c * c)) with (c / 2) in H by (field; lra); lra.
Qed.

(** |d| is at least (5/2) (d^2 / s - d^4 / s^3): 5/2 is below 3 sqrt 3 / 2. *)
Lemma absolute_at_least data s : Forall (fun v => (v < k)%nat) data -> 0 < s ->
  5 / 2 * (moment 2 data / s - moment 4 data / s ^ 3) <= mean (fun ys => Rabs (deviation data ys)) (messages (users k x data)).
Proof.
  intros HF Hs; assert (I : 0 < / s) by (now apply Rinv_0_lt_compat).
  assert (L : forall d, 5 / 2 * / s * d ^ 2 + - (5 / 2) * (/ s) ^ 3 * d ^ 4 <= Rabs d).
  { intros d; set (u := Rabs d * / s); assert (U : 0 <= u) by (apply Rmult_le_pos; [apply Rabs_pos | lra]).
    replace (d ^ 4) with ((d ^ 2) ^ 2) by ring; rewrite <- (pow2_abs d).
    replace (Rabs d) with (u * s) by (unfold u; field; lra).
    replace (5 / 2 * / s * (u * s) ^ 2 + - (5 / 2) * (/ s) ^ 3 * ((u * s) ^ 2) ^ 2) with (u * s * (5 / 2 * u - 5 / 2 * u ^ 3)) by (field; lra).
    rewrite <- (Rmult_1_r (u * s)) at 2; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    assert (0 <= (u - 29 / 50) ^ 2 * (u + 29 / 25)) by (apply Rmult_le_pos; [apply pow2_ge_0 | lra]); lra. }
  eapply Rle_trans; [|apply mean_le; [|intros ys; apply L]].
  - rewrite mean_plus, !mean_scale; fold (moment 2 data) (moment 4 data); right; field; lra.
  - apply messages_are_law; unfold users; apply Forall_map; eapply Forall_impl; [|exact HF]; intros w Hw.
    apply response_is_law; [exact Hw | lra].
Qed.
End Inverted.

Lemma total_nonnegative_in {A} (f : A -> R) xs : (forall a, In a xs -> 0 <= f a) -> 0 <= total (map f xs).
Proof.
  induction xs as [|y xs IH]; intros H; cbn; [lra|]; apply Rplus_le_le_0_compat; [apply H; now left | apply IH; intros; apply H; now right].
Qed.

(** Both distances. *)
Lemma inverted_distance_is k x data : 1 < x -> Forall (fun v => (v < k)%nat) data -> (1 <= length data)%nat ->
  inverted_distance k x data
  = total (map (fun j => mean (fun ys => Rabs (deviation k x j data ys)) (messages (users k x data))) (seq 0 k)) / (2 * INR (length data)).
Proof.
  intros Hx HF Hn; assert (N : 1 <= INR (length data)) by (apply (le_INR 1); exact Hn); unfold inverted_distance.
  rewrite (mean_ext _ (fun ys => / (2 * INR (length data)) * total (map (fun j => Rabs (deviation k x j data ys)) (seq 0 k)))).
  - rewrite mean_scale, <- mean_total; unfold Rdiv; ring.
  - intros ys; rewrite <- total_scale; unfold Rdiv at 1; rewrite Rmult_comm, <- total_scale; apply total_ext; intros j _.
    unfold deviation, share; set (N' := INR (length data)) in *.
    replace (inverted k x ys j / N' - INR (count_occ Nat.eq_dec data j) / N')
      with (/ N' * (inverted k x ys j - INR (count_occ Nat.eq_dec data j))) by (field; lra).
    rewrite Rabs_mult, (Rabs_right (/ N')) by (apply Rle_ge, Rlt_le, Rinv_0_lt_compat; lra); field; lra.
Qed.

Lemma inverted_distance_at_most k x data : (1 <= k)%nat -> 1 < x -> Forall (fun v => (v < k)%nat) data -> (1 <= length data)%nat ->
  0 <= inverted_distance k x data <= INR k * ((x + INR k - 1) / (4 * (x - 1))) / sqrt (INR (length data)).
Proof.
  intros Hk Hx HF Hn; assert (N : 1 <= INR (length data)) by (apply (le_INR 1); exact Hn).
  rewrite inverted_distance_is by assumption; set (n := INR (length data)) in *.
  assert (Q : sqrt n * sqrt n = n) by (apply sqrt_sqrt; lra); assert (Q0 : 0 < sqrt n) by (apply sqrt_lt_R0; lra).
  assert (I : 0 < / (2 * n)) by (apply Rinv_0_lt_compat; lra); split.
  - apply Rmult_le_pos; [|lra]; apply total_nonnegative_in; intros j _.
    rewrite <- (Rmult_0_l (mean (fun _ => 0) (messages (users k x data)))), <- mean_scale.
    apply mean_le; [|intros ys; rewrite Rmult_0_l; apply Rabs_pos].
    apply messages_are_law; unfold users; apply Forall_map; eapply Forall_impl; [|exact HF]; intros w Hw.
    apply response_is_law; [exact Hw | lra].
  - apply Rle_trans with (total (map (fun _ => sqrt n * ((x + INR k - 1) / (x - 1) / 2)) (seq 0 k)) / (2 * n)).
    + apply Rmult_le_compat_r; [lra|]; apply total_le_in; intros j Hj; apply in_seq in Hj; apply absolute_at_most; (assumption || lia).
    + rewrite total_constant, seq_length; right; rewrite <- Q at 2; field; lra.
Qed.
