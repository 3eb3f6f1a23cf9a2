(** * The variation-ratio reduction

    The victim's two laws V, V' are within a factor p of each other and have total variation beta; they are
    at most q times every other user's law. alpha = beta/(p - 1), r = alpha p/q.
    - [variation_mixtures]: V = p alpha Q0 + alpha Q1 + (1 - alpha - p alpha) Q, V' with Q0 and Q1 exchanged, and every
      other user's law is r Q0 + r Q1 + (1 - 2 r) L;
    - [variation_ratio]: the counts of the messages are at most alpha + p alpha times as far apart as those of
      clones with x = p and probability 2 r: with the rest of the weight the victim's message tells nothing;
    - [common_leftover]: where Q and every L are one law, the paper's pair of counts bounds those of the messages;
    - [kept_counts]: letters that are kept with probability s, each independently, have the counts for s alpha, s r.

    Source: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2023, Lemma 4.4, and what holds of Lemma 4.5. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas Blanket Letters TwoLetters Clones.
Import ListNotations.
Open Scope R_scope.

Section Excess.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).

(** Laws that fit into X weigh at most 1. *)
Lemma fits_at_most_1 (X P Q : law A) a b :
  is_law X -> is_law P -> is_law Q ->
  (forall y, a * mass same P y + b * mass same Q y <= mass same X y) -> a + b <= 1.
Proof.
  intros [_ MX] [_ MP] [_ MQ] H; set (xs := nodup same (map fst X ++ map fst P ++ map fst Q)).
  assert (T : forall Y, incl (map fst Y) (map fst X ++ map fst P ++ map fst Q) ->
    mean (fun _ => 1) Y = total (map (mass same Y) xs)).
  { intros Y I; destruct (carries_all same xs Y) as [_ C]; [apply NoDup_nodup | intros y Hy; now apply nodup_In, I|].
    rewrite C; apply total_ext; intros; ring. }
  rewrite (T X) in MX by (intros y Hy; rewrite !in_app_iff; tauto).
  rewrite (T P) in MP by (intros y Hy; rewrite !in_app_iff; tauto).
  rewrite (T Q) in MQ by (intros y Hy; rewrite !in_app_iff; tauto).
  pose proof (total_le _ _ xs H) as L; rewrite total_plus, !total_scale, MX, MP, MQ in L; lra.
Qed.

(** The law of what P has more than Q, where that weighs b. *)
Definition excess (b : R) (P Q : law A) : law A :=
  map (fun y => (y, positive_part (mass same P y - mass same Q y) / b)) (outcomes same P Q).

Lemma excess_mean b P Q f : mean f (excess b P Q) =
  total (map (fun y => f y * (positive_part (mass same P y - mass same Q y) / b)) (outcomes same P Q)).
Proof. unfold excess; induction (outcomes same P Q) as [|y ys IH]; cbn; [ring | rewrite IH; ring]. Qed.

Lemma excess_mass b P Q y : mass same (excess b P Q) y = positive_part (mass same P y - mass same Q y) / b.
Proof.
  unfold mass at 1, prob; rewrite excess_mean.
  rewrite (total_ext _ (fun a => positive_part (mass same P a - mass same Q a) / b * indicator (at_ same a) y)).
  - rewrite total_at by apply NoDup_nodup; destruct (in_dec same y (outcomes same P Q)) as [|N]; [reflexivity|].
    assert (Z : forall Y, incl (map fst Y) (outcomes same P Q) -> mass same Y y = 0).
    { intros Y I; destruct (carries_all same (outcomes same P Q) Y) as [_ C]; [apply NoDup_nodup | exact I|].
      unfold mass, prob; induction Y as [|[a m] Y IHY]; [reflexivity|]; cbn.
      rewrite IHY; [|intros x Hx; apply I; now right | apply carries_all; [apply NoDup_nodup | intros x Hx; apply I; now right]].
      unfold indicator, at_; destruct (same y a) as [->|]; [destruct N; apply I; now left | ring]. }
    rewrite (Z P), (Z Q) by (intros a Ha; apply nodup_In, in_or_app; auto).
    unfold positive_part, Rdiv; rewrite Rmax_left by lra; ring.
  - intros a _; unfold indicator, at_; destruct (same y a), (same a y); try congruence; ring.
Qed.

Lemma excess_is_law P Q : 0 < hockey_stick same P Q 1 -> is_law (excess (hockey_stick same P Q 1) P Q).
Proof.
  intros H; split.
  - unfold nonnegative, excess; apply Forall_map, Forall_forall; intros y _; cbn.
    apply Rmult_le_pos; [apply positive_part_ge | now apply Rlt_le, Rinv_0_lt_compat].
  - rewrite excess_mean; transitivity (/ hockey_stick same P Q 1 * hockey_stick same P Q 1); [|field; lra].
    unfold hockey_stick at 3, stick_on; rewrite <- total_scale; apply total_ext; intros y _.
    rewrite Rmult_1_l; unfold Rdiv; rewrite (Rmult_1_l (mass same Q y)); ring.
Qed.

Lemma same_excess P Q : is_law P -> is_law Q -> hockey_stick same P Q 1 = hockey_stick same Q P 1.
Proof.
  assert (H : forall P Q, is_law P -> is_law Q -> hockey_stick same P Q 1 <= hockey_stick same Q P 1).
  { clear; intros P Q [_ MP] [_ MQ]; apply below_every_event; intros S.
    pose proof (proj1 (hockey_stick_largest same Q P 1) (fun a => negb (S a))) as U.
    assert (N : forall Y : law A, mean (fun _ => 1) Y = 1 -> prob (fun a => negb (S a)) Y = 1 - prob S Y).
    { intros Y M; unfold prob; rewrite <- M; enough (mean (indicator (fun a => negb (S a))) Y + mean (indicator S) Y
        = mean (fun _ => 1) Y) by lra.
      rewrite <- mean_plus; apply mean_ext; intros a; unfold indicator; destruct (S a); cbn; ring. }
    rewrite (N Q MQ), (N P MP) in U; lra. }
  intros LP LQ; apply Rle_antisym; now apply H.
Qed.
(** The mass of the positive part of P - Q, and the law in proportion to it. *)
Definition part_mass (P Q : law A) : R := hockey_stick same P Q 1.
Definition part (P Q : law A) : law A :=
  if Req_EM_T (part_mass P Q) 0 then P else excess (part_mass P Q) P Q.

Lemma part_is_law P Q : is_law P -> is_law (part P Q).
Proof.
  intros LP; unfold part; destruct (Req_EM_T (part_mass P Q) 0) as [|N]; [exact LP|].
  apply excess_is_law; pose proof (hockey_stick_nonnegative same P Q 1) as H; unfold part_mass in *; lra.
Qed.

Lemma part_mass_at P Q y : part_mass P Q * mass same (part P Q) y = positive_part (mass same P y - mass same Q y).
Proof.
  unfold part; destruct (Req_EM_T (part_mass P Q) 0) as [Z|N]; [|rewrite excess_mass; field; exact N].
  pose proof (proj1 (below_every_event same P Q 1 0) (Req_le _ _ Z) (at_ same y)) as U.
  rewrite Z; unfold positive_part, mass; rewrite Rmax_left by lra; ring.
Qed.

Lemma total_variation_part P Q : is_law P -> is_law Q -> total_variation same P Q = part_mass P Q.
Proof. intros LP LQ; unfold total_variation, part_mass; rewrite (same_excess Q P LQ LP); field. Qed.

(** (X - s P - t Q) / (1 - s - t). *)
Definition left_over (s t : R) (X P Q : law A) : law A :=
  if Req_EM_T (s + t) 1 then X
  else collected same (weighted (/ (1 - s - t)) X ++ weighted (- s / (1 - s - t)) P ++ weighted (- t / (1 - s - t)) Q).

Lemma left_over_mixed s t X P Q :
  is_law X -> is_law P -> is_law Q -> (forall y, s * mass same P y + t * mass same Q y <= mass same X y) ->
  s + t <= 1 /\ is_law (left_over s t X P Q) /\
  forall f, mean f X = s * mean f P + t * mean f Q + (1 - s - t) * mean f (left_over s t X P Q).
Proof.
  intros LX LP LQ H; pose proof (fits_at_most_1 X P Q s t LX LP LQ H) as One; split; [exact One|].
  unfold left_over; destruct (Req_EM_T (s + t) 1) as [E|E].
  - split; [exact LX|]; destruct (leftover_law same X P Q s t LX LP LQ One H) as [L [_ HL]].
    intros f; rewrite HL; replace (1 - s - t) with 0 by lra; ring.
  - assert (I : 0 < / (1 - s - t)) by (apply Rinv_0_lt_compat; lra); split.
    + apply collected_is_law.
      * intros y; rewrite !mass_app, !mass_weighted; specialize (H y).
        match goal with |- 0 <= ?z => replace z
          with ((mass same X y - (s * mass same P y + t * mass same Q y)) * / (1 - s - t)) by (field; lra) end.
        apply Rmult_le_pos; lra.
      * rewrite !mean_app, !mean_weighted, (proj2 LX), (proj2 LP), (proj2 LQ); field; lra.
    + intros f; rewrite mean_collected, !mean_app, !mean_weighted; field; lra.
Qed.

(** What P and Q have in common. *)
Definition in_both (P Q : law A) : law A := left_over (part_mass P Q) 0 P (part P Q) Q.

Lemma parts_mixed P Q : is_law P -> is_law Q ->
  is_law (in_both P Q) /\ forall f,
  mean f P = part_mass P Q * mean f (part P Q) + (1 - part_mass P Q) * mean f (in_both P Q) /\
  mean f Q = part_mass P Q * mean f (part Q P) + (1 - part_mass P Q) * mean f (in_both P Q).
Proof.
  intros LP LQ; destruct (left_over_mixed (part_mass P Q) 0 P (part P Q) Q LP (part_is_law P Q LP) LQ) as (_ & L & M).
  { intros y; pose proof (part_mass_at P Q y) as E.
    pose proof (prob_nonnegative (at_ same y) _ (proj1 LP) : 0 <= mass same P y).
    pose proof (prob_nonnegative (at_ same y) _ (proj1 LQ) : 0 <= mass same Q y).
    unfold positive_part, Rmax in E; destruct (Rle_dec 0 (mass same P y - mass same Q y)); lra. }
  fold (in_both P Q) in L, M; split; [exact L|]; intros f; specialize (M f); split; [lra|].
  assert (D : mean f (weighted 1 P ++ weighted (part_mass Q P) (part Q P))
    = mean f (weighted 1 Q ++ weighted (part_mass P Q) (part P Q))).
  { apply (equal_masses same); intros y; rewrite !mass_app, !mass_weighted, !part_mass_at; unfold positive_part, Rmax.
    destruct (Rle_dec 0 (mass same P y - mass same Q y)), (Rle_dec 0 (mass same Q y - mass same P y)); lra. }
  rewrite !mean_app, !mean_weighted in D.
  assert (E : part_mass Q P = part_mass P Q) by (symmetry; now apply same_excess); rewrite E in D; lra.
Qed.
End Excess.

(** Lemma 4.4: the letters are the positive parts of V - V' and of V' - V. *)
Theorem variation_letters {A} (same : forall x y : A, {x = y} + {x <> y}) p q (V V' U : law A) :
  1 < p -> 0 < q -> is_law V -> is_law V' -> is_law U -> within same p V V' -> within same p V' V ->
  within same q V U -> within same q V' U ->
  let alpha := total_variation same V V' / (p - 1) in
  let r := alpha * p / q in
  let Q0 := part same V V' in let Q1 := part same V' V in
  let Q := left_over same (p * alpha) alpha V Q0 Q1 in let L := left_over same r r U Q0 Q1 in
  is_law Q0 /\ is_law Q1 /\ is_law Q /\ is_law L /\ 0 <= alpha /\ alpha + p * alpha <= 1 /\ 2 * r <= 1 /\
  (forall f, mean f V = p * alpha * mean f Q0 + alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
  (forall f, mean f V' = alpha * mean f Q0 + p * alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
  forall f, mean f U = r * mean f Q0 + r * mean f Q1 + (1 - 2 * r) * mean f L.
Proof.
  intros Hp Hq LV LV' LU H H' KV KV' alpha r Q0 Q1 Q L.
  pose proof (total_variation_part same V V' LV LV') as B.
  assert (B' : total_variation same V V' = part_mass same V' V)
    by (rewrite B; now apply same_excess).
  assert (L0 : is_law Q0) by now apply part_is_law.
  assert (L1 : is_law Q1) by now apply part_is_law.
  assert (M0 : forall y, alpha * mass same Q0 y = positive_part (mass same V y - mass same V' y) / (p - 1)).
  { intros y; unfold alpha, Q0; rewrite B, <- part_mass_at; field; lra. }
  assert (M1 : forall y, alpha * mass same Q1 y = positive_part (mass same V' y - mass same V y) / (p - 1)).
  { intros y; unfold alpha, Q1; rewrite B', <- part_mass_at; field; lra. }
  (* At each message one of the two is 0, and p times the other leaves the less likely law p/(p - 1) - 1/(p - 1). *)
  assert (F : forall y, p * (alpha * mass same Q0 y) + alpha * mass same Q1 y <= mass same V y /\
    alpha * mass same Q0 y + p * (alpha * mass same Q1 y) <= mass same V' y /\
    mass same V y - (p * (alpha * mass same Q0 y) + alpha * mass same Q1 y)
      = mass same V' y - (alpha * mass same Q0 y + p * (alpha * mass same Q1 y))).
  { intros y; rewrite M0, M1; specialize (H y); specialize (H' y).
    set (u := mass same V y) in *; set (v := mass same V' y) in *; unfold positive_part.
    assert (G : 0 < / (p - 1)) by (apply Rinv_0_lt_compat; lra).
    destruct (Rle_dec v u).
    - rewrite (Rmax_right 0 (u - v)), (Rmax_left 0 (v - u)) by lra.
      assert (0 <= (p * v - u) * / (p - 1)) by (apply Rmult_le_pos; lra).
      assert (u - p * ((u - v) / (p - 1)) = (p * v - u) * / (p - 1)) by (field; lra).
      assert (v - (u - v) / (p - 1) = (p * v - u) * / (p - 1)) by (field; lra); lra.
    - rewrite (Rmax_left 0 (u - v)), (Rmax_right 0 (v - u)) by lra.
      assert (0 <= (p * u - v) * / (p - 1)) by (apply Rmult_le_pos; lra).
      assert (v - p * ((v - u) / (p - 1)) = (p * u - v) * / (p - 1)) by (field; lra).
      assert (u - (v - u) / (p - 1) = (p * u - v) * / (p - 1)) by (field; lra); lra. }
  assert (Ha : 0 <= alpha).
  { unfold alpha; rewrite B; apply Rmult_le_pos; [apply hockey_stick_nonnegative | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  destruct (left_over_mixed same (p * alpha) alpha V Q0 Q1 LV L0 L1) as (One & LQ & HQ).
  { intros y; destruct (F y) as (T & _); lra. }
  fold Q in LQ, HQ.
  assert (R0 : forall y, r * mass same Q0 y + r * mass same Q1 y <= mass same U y).
  { intros y; specialize (KV y); specialize (KV' y); destruct (F y) as (T & T' & _).
    assert (N0 : 0 <= alpha * mass same Q0 y) by (apply Rmult_le_pos; [exact Ha | apply prob_nonnegative, L0]).
    assert (N1 : 0 <= alpha * mass same Q1 y) by (apply Rmult_le_pos; [exact Ha | apply prob_nonnegative, L1]).
    assert (S : p * (alpha * mass same Q0 y) + p * (alpha * mass same Q1 y) <= q * mass same U y).
    { rewrite M0, M1 in *; unfold positive_part in *.
      destruct (Rle_dec (mass same V' y) (mass same V y)).
      - rewrite (Rmax_left 0 (mass same V' y - mass same V y)) in * by lra; lra.
      - rewrite (Rmax_left 0 (mass same V y - mass same V' y)) in * by lra; lra. }
    apply (Rmult_le_reg_l q); [exact Hq|]; unfold r.
    replace (q * (alpha * p / q * mass same Q0 y + alpha * p / q * mass same Q1 y))
      with (p * (alpha * mass same Q0 y) + p * (alpha * mass same Q1 y)) by (field; lra); exact S. }
  destruct (left_over_mixed same r r U Q0 Q1 LU L0 L1 R0) as (Two & LL & HL); fold L in LL, HL.
  do 4 (split; [assumption|]); split; [exact Ha|]; split; [lra|]; split; [lra|]; split; [|split].
  - intros f; rewrite HQ; ring.
  - intros f.
    assert (E : mean f (weighted 1 V ++ weighted (- (p * alpha)) Q0 ++ weighted (- alpha) Q1)
      = mean f (weighted 1 V' ++ weighted (- alpha) Q0 ++ weighted (- (p * alpha)) Q1)).
    { apply (equal_masses same); intros y; rewrite !mass_app, !mass_weighted; destruct (F y) as (_ & _ & T); lra. }
    rewrite !mean_app, !mean_weighted, HQ in E; lra.
  - intros f; rewrite HL; ring.
Qed.

Theorem variation_mixtures {A X} (same : forall x y : A, {x = y} + {x <> y}) p q (V V' : law A) (K : X -> law A) :
  1 < p -> 0 < q -> is_law V -> is_law V' -> within same p V V' -> within same p V' V ->
  (forall z, is_law (K z) /\ within same q V (K z) /\ within same q V' (K z)) ->
  let alpha := total_variation same V V' / (p - 1) in
  let r := alpha * p / q in
  exists Q0 Q1 Q, is_law Q0 /\ is_law Q1 /\ is_law Q /\ 0 <= alpha /\ alpha + p * alpha <= 1 /\
    (forall f, mean f V = p * alpha * mean f Q0 + alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
    (forall f, mean f V' = alpha * mean f Q0 + p * alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
    forall z, 2 * r <= 1 /\ exists L, is_law L /\
      forall f, mean f (K z) = r * mean f Q0 + r * mean f Q1 + (1 - 2 * r) * mean f L.
Proof.
  intros Hp Hq LV LV' H H' HK alpha r; exists (part same V V'), (part same V' V).
  exists (left_over same (p * alpha) alpha V (part same V V') (part same V' V)).
  assert (O : within same p V V /\ within same p V' V).
  { split; [|exact H']; intros y; pose proof (prob_nonnegative (at_ same y) _ (proj1 LV) : 0 <= mass same V y); nra. }
  destruct (variation_letters same p p V V' V Hp ltac:(lra) LV LV' LV H H' (proj1 O) (proj2 O))
    as (L0 & L1 & LQ & _ & Ha & One & _ & MV & MV' & _); do 7 (split; [assumption|]).
  intros z; destruct (HK z) as (LK & KV & KV').
  destruct (variation_letters same p q V V' (K z) Hp Hq LV LV' LK H H' KV KV') as (_ & _ & _ & LL & _ & _ & Two & _ & _ & M).
  split; [exact Two|]; eexists; split; [exact LL | exact M].
Qed.

(** The hockey-stick divergence at e^eps = E, given that the victim sends a letter. *)
Theorem variation_ratio {X} k p q (V V' : law nat) (K : X -> law nat) (others : list X) E :
  1 < p -> 0 < q -> is_law V -> is_law V' -> within Nat.eq_dec p V V' -> within Nat.eq_dec p V' V ->
  (forall z, is_law (K z) /\ within Nat.eq_dec q V (K z) /\ within Nat.eq_dec q V' (K z)) -> 1 <= E ->
  let alpha := total_variation Nat.eq_dec V V' / (p - 1) in
  let r := alpha * p / q in
  let n := S (length others) in
  hockey_stick same_counts (view k (V :: map K others)) (view k (V' :: map K others)) E
  <= (alpha + p * alpha) * hockey_stick same_pair (clone_counts forward p (2 * r) n) (clone_counts backward p (2 * r) n) E.
Proof.
  intros Hp Hq LV LV' H H' HK HE alpha r n.
  destruct (variation_mixtures Nat.eq_dec p q V V' K Hp Hq LV LV' H H' HK)
    as (Q0 & Q1 & Q & L0 & L1 & LQ & Ha & One & MV & MV' & MK).
  fold alpha in Ha, One, MV, MV', MK; fold r in MK.
  assert (Nr : 0 <= r) by (unfold r; apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat, Hq]).
  set (w := p / (p + 1)); assert (Hw : 0 <= w <= 1 /\ 1 / (p + 1) = 1 - w).
  { unfold w; split; [|field; lra]; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (p + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  destruct Hw as [Hw Hw'].
  set (P0 := weighted w Q0 ++ weighted (1 - w) Q1); set (P1 := weighted (1 - w) Q0 ++ weighted w Q1).
  assert (LP : forall u, 0 <= u <= 1 -> is_law (weighted u Q0 ++ weighted (1 - u) Q1)).
  { intros u Hu; split; [apply Forall_app; split; apply nonnegative_weighted; try apply L0; try apply L1; lra|].
    rewrite mean_app, !mean_weighted, (proj2 L0), (proj2 L1); ring. }
  assert (LP1 : is_law P1) by (unfold P1; replace w with (1 - (1 - w)) at 2 by ring; apply LP; lra).
  assert (Ww : p * (1 - w) = w) by (rewrite <- Hw'; unfold w; field; lra).
  assert (N : forall Y y, is_law Y -> 0 <= mass Nat.eq_dec Y y) by (intros Y y LY; apply prob_nonnegative, LY).
  assert (W : within Nat.eq_dec p P0 P1 /\ within Nat.eq_dec p P1 P0).
  { split; intros y; unfold P0, P1; rewrite !mass_app, !mass_weighted.
    - pose proof (N Q0 y L0); pose proof (N Q1 y L1); assert (1 - w <= p * w) by nra; nra.
    - pose proof (N Q0 y L0); pose proof (N Q1 y L1); assert (1 - w <= p * w) by nra; nra. }
  assert (MixV : mixes V (alpha + p * alpha) P0 Q).
  { intros f; rewrite MV; unfold P0; rewrite mean_app, !mean_weighted; unfold w; field; lra. }
  assert (MixV' : mixes V' (alpha + p * alpha) P1 Q).
  { intros f; rewrite MV'; unfold P1; rewrite mean_app, !mean_weighted; unfold w; field; lra. }
  assert (C : cloned Nat.eq_dec p (2 * r) P0 P1 K).
  { split; [now apply LP|]; split; [exact LP1|]; split; [apply W|]; split; [apply W|]; intros z.
    split; [apply HK|]; intros y; destruct (MK z) as (Two & L & LL & HL).
    unfold P0, P1; rewrite !mass_app, !mass_weighted.
    assert (E1 : mass Nat.eq_dec (K z) y = r * mass Nat.eq_dec Q0 y + r * mass Nat.eq_dec Q1 y + (1 - 2 * r) * mass Nat.eq_dec L y)
      by (apply HL).
    assert (0 <= (1 - 2 * r) * mass Nat.eq_dec L y) by (apply Rmult_le_pos; [lra | now apply N]).
    rewrite E1; nra. }
  destruct others as [|z others].
  - apply (mixed_reduction k p 0 (alpha + p * alpha) V V' P0 P1 Q K [] E); try assumption; try lra; [nra|].
    destruct C as (C1 & C2 & C3 & C4 & C5); do 4 (split; [assumption|]); intros t; split; [apply HK|].
    intros y; pose proof (N (K t) y (proj1 (HK t))); lra.
  - destruct (MK z) as [Two _].
    apply (mixed_reduction k p (2 * r) (alpha + p * alpha) V V' P0 P1 Q K (z :: others) E); try assumption; lra || nra.
Qed.

(** ** Leftovers of one law *)

(** C ~ Bin(n - 1, 2 r), A ~ Bin(C, 1/2), D1 ~ Bern(p alpha), D2 ~ Bin(1 - D1, alpha/(1 - p alpha)). *)
Definition mixture_counts (shown : nat -> nat -> nat -> nat -> nat * nat) (p alpha r : R) (n : nat) : law (nat * nat) :=
  bind (heads (2 * r) (n - 1)) (fun c => bind (heads (1 / 2) c) (fun a =>
    bind (heads (p * alpha) 1) (fun d => bind (heads (alpha / (1 - p * alpha)) (1 - d)) (fun e =>
      certain (shown c a d e))))).
Definition upright (c a d e : nat) : nat * nat := ((a + d)%nat, (c - a + e)%nat).
Definition turned (c a d e : nat) : nat * nat := ((a + e)%nat, (c - a + d)%nat).

Lemma firstn_increment n y c : firstn n (increment y c) = increment y (firstn n c).
Proof.
  revert y c; induction n as [|n IH]; intros y [|m c]; destruct y as [|y]; try reflexivity.
  cbn; now rewrite IH.
Qed.

Lemma view_firstn j k users f : (j <= k)%nat -> mean (fun c => f (firstn j c)) (view k users) = mean f (view j users).
Proof.
  intros H; revert f; induction users as [|u users IH]; intros f.
  - rewrite !view_nil; f_equal; revert k H; induction j as [|j IH]; [reflexivity|].
    intros [|k] H; [lia|]; cbn; f_equal; apply IH; lia.
  - rewrite !view_cons; apply mean_ext; intros y; rewrite <- IH; apply mean_ext; intros c; now rewrite firstn_increment.
Qed.

(** A letter 0 or 1, or the message 2 for none: their counts are these. *)
Definition three (s t : R) : law nat := [(0%nat, s); (1%nat, t); (2%nat, 1 - s - t)].
Definition shows (shown : nat -> nat -> nat -> nat -> nat * nat) (p alpha s t : R) : Prop :=
  (s = p * alpha /\ t = alpha /\ shown = upright) \/ (s = alpha /\ t = p * alpha /\ shown = turned).

Lemma below_three s t : below 3 (three s t).
Proof. do 3 (apply Forall_cons; [cbn; lia|]); apply Forall_nil. Qed.

Lemma all_below_three s t r n : Forall (below 3) (three s t :: repeat (three r r) n).
Proof. constructor; [apply below_three|]; apply Forall_forall; intros u Hu; apply repeat_spec in Hu; subst u; apply below_three. Qed.

Lemma three_counted shown p alpha s t r n G :
  0 < 1 - p * alpha -> shows shown p alpha s t ->
  mean G (view 2 (three s t :: repeat (three r r) (n - 1)))
  = mean (fun c => G [fst c; snd c]) (mixture_counts shown p alpha r n).
Proof.
  intros Hp Hs; rewrite view_cons.
  assert (R2 : forall g, mean g (view 2 (repeat (three r r) (n - 1)))
    = mean g (view 2 (repeat (label 2 fair (2 * r, tt)) (n - 1)))).
  { intros g; apply view_same; clear; induction (n - 1)%nat as [|m IH]; cbn [repeat]; constructor; [|exact IH].
    intros g; rewrite mean_label; cbn; field. }
  rewrite (mean_ext _ _ (three s t) (fun y => eq_trans (R2 (fun c => G (increment y c)))
    (labels_counted (2 * r) (n - 1) (fun c => G (increment y c))))), mean_swap.
  unfold mixture_counts; rewrite mean_bind; apply mean_ext; intros c; rewrite mean_bind, mean_swap; apply mean_ext; intros a.
  unfold three; clear -Hs Hp; rewrite mean_bind, heads_S; cbn [mean increment nth].
  destruct Hs as [(-> & -> & ->)|(-> & -> & ->)]; unfold upright, turned; cbn -[Rdiv Rminus Nat.add Nat.sub].
  all: change (1 - 0)%nat with 1%nat; change (1 - 1)%nat with 0%nat.
  all: rewrite !mean_bind, heads_S; cbn -[Rdiv Rminus Nat.add Nat.sub].
  all: rewrite !Nat.add_0_r, !Nat.add_1_r; field; lra.
Qed.

Definition mixed3 (s t : R) (P Q L U : law nat) : Prop :=
  forall f, mean f U = s * mean f P + t * mean f Q + (1 - s - t) * mean f L.

(** The victim's leftover and all others' are of one law: the counts of the letters are as far apart, or farther. *)
Theorem common_leftover k p alpha r (V V' Q0 Q1 L : law nat) (others : list (law nat)) E :
  is_law Q0 -> is_law Q1 -> is_law L -> 0 < 1 - p * alpha ->
  mixed3 (p * alpha) alpha Q0 Q1 L V -> mixed3 alpha (p * alpha) Q0 Q1 L V' -> Forall (mixed3 r r Q0 Q1 L) others ->
  let n := S (length others) in
  hockey_stick same_counts (view k (V :: others)) (view k (V' :: others)) E
  <= hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n) E.
Proof.
  intros L0 L1 LL Hp HV HV' HO n.
  set (J := fun y : nat => match y with 0%nat => Q0 | 1%nat => Q1 | _ => L end).
  assert (LJ : forall y, is_law (J y)) by (intros [|[|y]]; assumption).
  assert (S3 : forall s t U, mixed3 s t Q0 Q1 L U -> forall f, mean f U = mean f (bind (three s t) J)).
  { intros s t U H f; rewrite H, mean_bind; cbn; ring. }
  set (channel := fun c : nat * nat => resent J k [fst c; snd c; (n - fst c - snd c)%nat]).
  assert (D : forall U s t shown,
    shows shown p alpha s t ->
    mixed3 s t Q0 Q1 L U -> forall f,
    mean f (view k (U :: others)) = mean f (bind (mixture_counts shown p alpha r n) channel)).
  { intros U s t shown Hs HU f; set (us := three s t :: repeat (three r r) (length others)).
    assert (Bus : Forall (below 3) us) by apply all_below_three.
    transitivity (mean f (view k (map (fun u => bind u J) us))).
    { apply view_same; unfold us; cbn [map]; apply Forall2_cons; [now apply S3|].
      clear -HO S3; induction HO as [|u others Hu HO IH]; cbn; constructor; [now apply S3 | exact IH]. }
    rewrite (resent_view J k 3 us f Bus), mean_bind.
    set (G := fun c => mean f (channel (nth 0 c 0%nat, nth 1 c 0%nat))).
    transitivity (mean (fun c => G (firstn 2 c)) (view 3 us)).
    { apply (view_ext_total 3 us); [exact Bus|]; intros c Hc Hn.
      destruct c as [|a [|b [|e [|z c]]]]; try discriminate; unfold G, channel; cbn [firstn nth fst snd].
      unfold us in Hn; cbn in Hn; rewrite repeat_length in Hn; fold n in Hn.
      now replace (n - a - b)%nat with e by lia. }
    rewrite view_firstn by lia; unfold us; replace (length others) with (n - 1)%nat by (unfold n; lia).
    rewrite mean_bind; exact (three_counted shown p alpha s t r n G Hp Hs). }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (D V _ _ upright ltac:(left; auto) HV) (D V' _ _ turned ltac:(right; auto) HV')).
  apply randomized_post_processing; intros c; apply view_is_law, Forall_map, Forall_forall; auto.
Qed.

(** ** Fewer letters *)

(** Each letter is kept with probability s, independently. *)
Definition keep (s : R) (y : nat) : law nat :=
  match y with 0%nat => [(0%nat, s); (2%nat, 1 - s)] | 1%nat => [(1%nat, s); (2%nat, 1 - s)] | _ => certain 2%nat end.
Definition kept (s : R) (c : nat * nat) : law (nat * nat) :=
  image (fun d => (nth 0 d 0%nat, nth 1 d 0%nat)) (resent (keep s) 2 [fst c; snd c]).

Lemma mapped_repeat {A B} (h : A -> B) x n : map h (repeat x n) = repeat (h x) n.
Proof. induction n as [|n IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Lemma nobody_counted us e f : mean f (view 2 (us ++ repeat (certain 2%nat) e)) = mean f (view 2 us).
Proof.
  rewrite (view_permutation 2 _ (repeat (certain 2%nat) e ++ us)) by apply Permutation_app_comm.
  induction e as [|e IH]; [reflexivity|]; cbn [repeat List.app]; rewrite view_cons; cbn [certain mean].
  rewrite (view_ext 2 _ _ f) by (intros c Hc; now rewrite increment_above by lia); rewrite IH; ring.
Qed.

Lemma keep_is_law s y : 0 <= s <= 1 -> is_law (keep s y).
Proof.
  intros Hs; destruct y as [|[|y]]; [split| split | apply certain_is_law]; cbn; try ring;
    do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Lemma kept_is_law s c : 0 <= s <= 1 -> is_law (kept s c).
Proof. intros Hs; apply image_is_law, view_is_law, Forall_map, Forall_forall; intros; now apply keep_is_law. Qed.

Theorem kept_counts shown p alpha r s n f :
  shown = upright \/ shown = turned -> 0 < 1 - p * alpha -> 0 < 1 - p * (s * alpha) ->
  mean f (bind (mixture_counts shown p alpha r n) (kept s)) = mean f (mixture_counts shown p (s * alpha) (s * r) n).
Proof.
  intros Hs Hp Hp'; set (g := fun d : counts => f (nth 0 d 0%nat, nth 1 d 0%nat)).
  assert (W : exists a b, shows shown p alpha a b /\ shows shown p (s * alpha) (s * a) (s * b)).
  { destruct Hs as [->| ->]; [exists (p * alpha), alpha | exists alpha, (p * alpha)]; split; [left|left|right|right];
      repeat split; ring. }
  destruct W as (a & b & Ha & Hb).
  transitivity (mean g (view 2 (three (s * a) (s * b) :: repeat (three (s * r) (s * r)) (n - 1)))).
  - set (us := three a b :: repeat (three r r) (n - 1)).
    assert (T : forall x y h, mean h (three (s * x) (s * y)) = mean h (bind (three x y) (keep s)))
      by (intros x y h; rewrite mean_bind; cbn; ring).
    transitivity (mean g (view 2 (map (fun u => bind u (keep s)) us))).
    + rewrite (resent_view (keep s) 2 3 us g (all_below_three a b r (n - 1))), !mean_bind.
      set (h := fun c : counts => mean f (kept s (nth 0 c 0%nat, nth 1 c 0%nat))).
      transitivity (mean h (view 2 us));
        [symmetry; etransitivity; [exact (three_counted shown p alpha a b r n h Hp Ha)|]; apply mean_ext; now intros [i j]|].
      unfold h; clear h.
      rewrite <- (view_firstn 2 3) by lia; apply view_ext; intros c Hc.
      destruct c as [|i [|j [|e [|z c]]]]; try discriminate; cbn [firstn nth]; unfold kept; rewrite mean_image.
      unfold resent; cbn [listed fst snd]; rewrite !map_app, !mapped_repeat, !app_assoc; cbn [keep map].
      fold g; rewrite !app_nil_r; symmetry; apply nobody_counted.
    + apply view_same; unfold us; cbn [map]; constructor; [intros h; symmetry; apply T|].
      clear -T; induction (n - 1)%nat as [|m IH]; cbn [repeat map]; constructor; [intros h; symmetry; apply T | exact IH].
  - rewrite (three_counted shown p (s * alpha) _ _ (s * r) n g Hp' Hb); unfold g; apply mean_ext; now intros [i j].
Qed.
