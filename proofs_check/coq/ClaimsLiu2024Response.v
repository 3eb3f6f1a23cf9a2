(** * Theorem 2 as it is meant, for binary randomized response (Liu et al. 2024, Section 3.3)

    All others hold p_i of both messages, so that the counts of both letters tell all that the view does; no event tells more
    of them than an initial segment, and the same segment is best for every number of letters.

    The statement is exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket RandomizedResponse Letters TwoLetters CloneBounds VariationRatio Sampling Measures
  Sampled Claims.
Require Import ClaimsLiu2024 ClaimsLiu2024Budget ClaimsLiu2024Tests.
Import ListNotations.
Open Scope R_scope.

(** p_1 and p_i of Section 3.2, for two messages: what the victim sends where its other law has more; what another user sends
    where both of its law and the victim's far one have less than the near one. *)
Definition over_two (f : nat -> R) : R := total (map f (seq 0 2)).
Definition p_victim (V V' : law nat) : R :=
  over_two (fun y => if Rlt_dec (mass Nat.eq_dec V y) (mass Nat.eq_dec V' y) then mass Nat.eq_dec V y else 0).
Definition p_near (V V' W : law nat) : R :=
  over_two (fun y => if Rlt_dec (mass Nat.eq_dec W y) (mass Nat.eq_dec V y) then
    if Rlt_dec (mass Nat.eq_dec V' y) (mass Nat.eq_dec V y) then mass Nat.eq_dec W y else 0 else 0).
Definition p_user (V V' W : law nat) : R := Rmin (p_near V V' W) (p_near V' V W).
Definition response (x : R) (v : nat) : law nat := randomized_response 2 x v.
Definition p_users (x : R) (others : list (R * nat)) : list R :=
  map (fun u => p_user (response x 0) (response x 1) (response (fst u) (snd u))) others.
(** (5) at t, with sums from i = 0. *)
Definition five (x : R) (others : list (R * nat)) (E t : R) : R :=
  let w := p_victim (response x 0) (response x 1) in
  (1 - 2 * w) * type_one_above (p_users x others) t - (E - 2 * w) * type_one (p_users x others) t.
Definition largest_five (x : R) (others : list (R * nat)) (E : R) : R :=
  let w := p_victim (response x 0) (response x 1) in five x others E ((1 - 2 * w) / (E - 2 * w)).

Lemma response_mass x v y : (v <= 1)%nat -> (y <= 1)%nat ->
  mass Nat.eq_dec (response x v) y = if Nat.eq_dec y v then x / (x + 1) else 1 / (x + 1).
Proof.
  intros Hv Hy; unfold mass, prob, response; rewrite mean_response; unfold own, other; cbn [seq map total]; unfold indicator, at_.
  replace (x + INR 2 - 1) with (x + 1) by (cbn; ring).
  destruct y as [|[|y]], v as [|[|v]]; try lia; cbn; ring.
Qed.

Lemma odds x : 1 <= x -> 0 < 1 / (x + 1) /\ 1 / (x + 1) <= x / (x + 1) /\ x / (x + 1) = 1 - 1 / (x + 1) /\ (1 < x -> 1 / (x +
  1) < x / (x + 1)).
Proof.
  intros Hx; assert (P : 0 < / (x + 1)) by (apply Rinv_0_lt_compat; lra).
  repeat split; [unfold Rdiv; lra | unfold Rdiv; nra | field; lra | intros; unfold Rdiv; nra].
Qed.

Lemma victim_share x : 1 <= x -> p_victim (response x 0) (response x 1) = if Rlt_dec 1 x then 1 / (x + 1) else 0.
Proof.
  intros Hx; destruct (odds x Hx) as (A & B & C & D); unfold p_victim, over_two; cbn [seq map total]; rewrite !response_mass
    by lia.
  cbn [Nat.eq_dec]; destruct (Rlt_dec 1 x) as [L|L].
  - specialize (D L); cbn; destruct (Rlt_dec (x / (x + 1)) (1 / (x + 1))), (Rlt_dec (1 / (x + 1)) (x / (x + 1))); lra.
  - assert (x = 1) by lra; subst; cbn; destruct (Rlt_dec (1 / (1 + 1)) (1 / (1 + 1))); lra.
Qed.

(** A user's share is at most the mass of either message. *)
Lemma user_share x u : 1 <= x -> is_user u ->
  let p := p_user (response x 0) (response x 1) (response (fst u) (snd u)) in
  0 <= p /\ (forall y, (y <= 1)%nat -> p <= mass Nat.eq_dec (response (fst u) (snd u)) y).
Proof.
  intros Hx [Hu Hv]; destruct u as [z v]; cbn [fst snd] in *; cbv zeta; destruct (odds x Hx) as (A & B & C & D), (odds z Hu)
    as (A' & B' & C' & D').
  set (W := response z v); assert (M : forall y, (y <= 1)%nat -> 0 < mass Nat.eq_dec W y).
  { intros y Hy; unfold W; rewrite response_mass by lia; destruct (Nat.eq_dec y v); lra. }
  clearbody W; pose proof (M 0%nat ltac:(lia)) as M0; pose proof (M 1%nat ltac:(lia)) as M1.
  assert (N0 : 0 <= p_near (response x 0) (response x 1) W <= mass Nat.eq_dec W 0%nat).
  { unfold p_near, over_two; cbn [seq map total]; rewrite !(response_mass x) by lia; cbn.
    destruct (Rlt_dec (x / (x + 1)) (1 / (x + 1))); [lra|];
      destruct (Rlt_dec (mass Nat.eq_dec W 0%nat) (x / (x + 1))), (Rlt_dec (1 / (x + 1)) (x / (x + 1))), (Rlt_dec (mass
        Nat.eq_dec W 1%nat) (1 / (x + 1))); lra. }
  assert (N1 : 0 <= p_near (response x 1) (response x 0) W <= mass Nat.eq_dec W 1%nat).
  { unfold p_near, over_two; cbn [seq map total]; rewrite !(response_mass x) by lia; cbn.
    destruct (Rlt_dec (x / (x + 1)) (1 / (x + 1))); [lra|];
      destruct (Rlt_dec (mass Nat.eq_dec W 1%nat) (x / (x + 1))), (Rlt_dec (1 / (x + 1)) (x / (x + 1))), (Rlt_dec (mass
        Nat.eq_dec W 0%nat) (1 / (x + 1))); lra. }
  unfold p_user; split; [apply Rmin_glb; lra|]; intros [|[|y]] Hy; [| |lia].
  - eapply Rle_trans; [apply Rmin_l | lra].
  - eapply Rle_trans; [apply Rmin_r | lra].
Qed.

Lemma shares_are_halves x others : 1 <= x -> Forall is_user others -> halves (p_users x others).
Proof.
  intros Hx H; apply Forall_map; eapply Forall_impl; [|exact H]; intros u Hu; destruct (user_share x u Hx Hu) as [A B].
  pose proof (B 0%nat ltac:(lia)) as B0; pose proof (B 1%nat ltac:(lia)) as B1; destruct Hu as [Hu Hv]; destruct u as [z v];
    cbn [fst snd] in *.
  rewrite response_mass in B0, B1 by lia; destruct (odds z Hu) as (_ & _ & C & _).
  split; [exact A|]; destruct (Nat.eq_dec 0 v), (Nat.eq_dec 1 v); try lia; lra.
Qed.

(** Fair coins may be turned. *)
Lemma fair_turned c g : mean g (heads (1 / 2) c) = mean (fun h => g (c - h)%nat) (heads (1 / 2) c).
Proof.
  revert g; induction c as [|c IH]; intros g; [reflexivity|]; rewrite !heads_S; replace (1 - 1 / 2) with (1 / 2) by lra.
  rewrite (mean_heads_up_to _ _ (fun h => g (S c - h)%nat) (fun h => g (S (c - h)))) by (intros h Hh; f_equal; lia).
  rewrite (IH g), (IH (fun h => g (S h))); cbn [Nat.sub]; ring.
Qed.

(** The counts if the victim sends the first letter, or the second. *)
Definition with_first (rs : list R) (S : nat * nat -> bool) : R :=
  mean (fun c => mean (fun h => indicator S ((h + 1)%nat, (c - h)%nat)) (heads (1 / 2) c)) (trials (map (Rmult 2) rs)).
Definition with_second (rs : list R) (S : nat * nat -> bool) : R :=
  mean (fun c => mean (fun h => indicator S (h, (c - h + 1)%nat)) (heads (1 / 2) c)) (trials (map (Rmult 2) rs)).

Lemma personal_prob a rs S : prob S (personal_counts a rs) = a * with_first rs S + (1 - a) * with_second rs S.
Proof.
  unfold prob, personal_counts, with_first, with_second; rewrite mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext;
    intros c.
  rewrite mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros h; cbn; ring.
Qed.

Lemma letters_below ps a b S : halves ps -> 0 < a -> 0 < b ->
  a * with_first ps S - b * with_second ps S <= a * type_one_above ps (a / b) - b * type_one ps (a / b).
Proof.
  intros HP Ha Hb; destruct (halves_trials ps HP) as [N _]; assert (P : 0 < a / b) by (apply Rdiv_lt_0_compat; lra).
  assert (T : a * type_one_above ps (a / b) - b * type_one ps (a / b) = mean (fun i => a * fair_below i (INR i + 1 - INR (i +
    1) / (a / b + 1))
    + - b * fair_below i (INR i - INR (i + 1) / (a / b + 1))) (trials (map (Rmult 2) ps))).
  { unfold type_one_above, type_one; rewrite mean_plus, !mean_scale; ring. }
  rewrite T; assert (T' : a * with_first ps S - b * with_second ps S = mean (fun c => a * mean (fun h => indicator S ((h +
    1)%nat, (c - h)%nat)) (heads (1 / 2) c)
    + - b * mean (fun h => indicator S (h, (c - h + 1)%nat)) (heads (1 / 2) c)) (trials (map (Rmult 2) ps))).
  { unfold with_first, with_second; rewrite mean_plus, !mean_scale; ring. }
  rewrite T'; apply mean_le; [exact N|]; intros i.
  assert (S1 : INR (i + 1) = INR (Datatypes.S i)) by (f_equal; lia); rewrite S1.
  set (g := fun w => indicator S ((Datatypes.S i - w)%nat, w)).
  pose proof (any_segment i a b (INR i + 1 - INR (Datatypes.S i) / (a / b + 1)) g ltac:(lra) ltac:(lra)) as B.
  assert (Y : INR i + 1 - INR (Datatypes.S i) / (a / b + 1) = INR (Datatypes.S i) * (a / (a + b))) by (rewrite S_INR; field;
    split; lra).
  specialize (B Y); assert (G : forall w, 0 <= g w <= 1) by (intros w; unfold g, indicator; destruct (S _); lra); specialize
    (B G).
  rewrite <- fair_below_is, <- fair_below_next in B.
  replace (INR i + 1 - INR (Datatypes.S i) / (a / b + 1) - 1) with (INR i - INR (Datatypes.S i) / (a / b + 1)) in B by ring.
  assert (E1 : mean g (heads (1 / 2) i) = mean (fun h => indicator S ((h + 1)%nat, (i - h)%nat)) (heads (1 / 2) i)).
  { rewrite fair_turned; apply mean_heads_up_to; intros h Hh; unfold g; f_equal; f_equal; lia. }
  assert (E2 : mean (fun h => g (Datatypes.S h)) (heads (1 / 2) i) = mean (fun h => indicator S (h, (i - h + 1)%nat)) (heads
    (1 / 2) i)).
  { rewrite fair_turned; apply mean_heads_up_to; intros h Hh; unfold g; f_equal; f_equal; lia. }
  rewrite E1, E2 in B; lra.
Qed.

Definition turned_event (S : nat * nat -> bool) (z : nat * nat) : bool := S (snd z, fst z).

Lemma letters_turned ps S : with_second ps S = with_first ps (turned_event S).
Proof.
  unfold with_first, with_second; apply mean_ext; intros c; rewrite fair_turned; apply mean_heads_up_to; intros h Hh.
  unfold indicator, turned_event; cbn [fst snd]; now replace (c - (c - h) + 1)%nat with (h + 1)%nat by lia.
Qed.

Lemma letters_turned_back ps S : with_first ps S = with_second ps (turned_event S).
Proof.
  unfold with_first, with_second; apply mean_ext; intros c; rewrite fair_turned; apply mean_heads_up_to; intros h Hh.
  unfold indicator, turned_event; cbn [fst snd]; now replace (c - (c - h))%nat with h by lia.
Qed.

Lemma with_nonnegative ps S : halves ps -> 0 <= with_first ps S /\ 0 <= with_second ps S.
Proof.
  intros HP; destruct (halves_trials ps HP) as [N M].
  assert (X : forall f : nat * nat -> R, (forall z, 0 <= f z) -> forall k : nat -> nat -> nat * nat,
    0 <= mean (fun c => mean (fun h => f (k c h)) (heads (1 / 2) c)) (trials (map (Rmult 2) ps))).
  { intros f Hf k; apply Rle_trans with (mean (fun c => mean (fun h => 0 * 1) (heads (1 / 2) c)) (trials (map (Rmult 2) ps))).
    - right; rewrite (mean_ext _ (fun _ => 0 * 1)) by (intros; rewrite mean_scale; ring); rewrite mean_scale; ring.
    - apply mean_le; [exact N|]; intros c; apply mean_le; [apply heads_is_law; lra|]; intros h; specialize (Hf (k c h)); lra. }
  assert (I : forall z, 0 <= indicator S z) by (intros z; unfold indicator; destruct (S z); lra).
  split; [exact (X _ I (fun c h => ((h + 1)%nat, (c - h)%nat))) | exact (X _ I (fun c h => (h, (c - h + 1)%nat)))].
Qed.

Lemma counts_below ps w E S : halves ps -> 0 <= w -> w < 1 / 2 -> 1 <= E ->
  let a := 1 - 2 * w in let b := E - 2 * w in
  (1 - w) * with_first ps S + w * with_second ps S - E * (w * with_first ps S + (1 - w) * with_second ps S)
  <= a * type_one_above ps (a / b) - b * type_one ps (a / b).
Proof.
  intros HP Hw Hw' HE; cbv zeta; pose proof (letters_below ps (1 - 2 * w) (E - 2 * w) S HP ltac:(lra) ltac:(lra)) as L.
  pose proof (letters_below ps (1 - 2 * w) (E - 2 * w) (fun _ => false) HP ltac:(lra) ltac:(lra)) as Z.
  assert (Z0 : with_first ps (fun _ => false) = 0 /\ with_second ps (fun _ => false) = 0).
  { unfold with_first, with_second, indicator; split; rewrite (mean_ext _ (fun _ => 0 * 1)) by (intros; rewrite (mean_ext _
      (fun _ => 0 * 1)) by (intros; ring); rewrite mean_scale; ring);
      rewrite mean_scale; ring. }
  destruct Z0 as [Z1 Z2]; rewrite Z1, Z2 in Z; destruct (with_nonnegative ps S HP) as [P Q].
  set (P0 := with_first ps S) in *; set (Q0 := with_second ps S) in *; set (best := (1 - 2 * w) * type_one_above ps ((1 - 2 *
    w) / (E - 2 * w)) - (E - 2 * w) * type_one ps ((1 - 2 * w) / (E - 2 * w))) in *.
  clearbody P0 Q0 best; clear Z1 Z2.
  replace ((1 - w) * P0 + w * Q0 - E * (w * P0 + (1 - w) * Q0)) with ((1 - w - E * w) * P0 - (E - w - E * w) * Q0) by ring.
  destruct (Rle_dec Q0 P0) as [O|O].
  - assert (0 <= w * (E - 1) * (P0 - Q0)) by (repeat apply Rmult_le_pos; lra).
    replace ((1 - w - E * w) * P0 - (E - w - E * w) * Q0) with ((1 - 2 * w) * P0 - (E - 2 * w) * Q0 - w * (E - 1) * (P0 - Q0))
      by ring; lra.
  - apply Rnot_le_lt in O; assert (w * (E - 1) <= 1 / 2 * (E - 1)) by (apply Rmult_le_compat_r; lra).
    assert (D : 0 <= E - w - E * w) by lra; enough ((1 - w - E * w) * P0 - (E - w - E * w) * Q0 <= 0) by lra.
    assert (0 <= (E - w - E * w) * Q0) by (apply Rmult_le_pos; lra).
    destruct (Rle_dec (1 - w - E * w) 0) as [K|K].
    + assert (0 <= - (1 - w - E * w) * P0) by (apply Rmult_le_pos; lra); lra.
    + assert ((1 - w - E * w) * P0 <= (1 - w - E * w) * Q0) by (apply Rmult_le_compat_l; lra).
      assert (0 <= (E - 1) * Q0) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma bound_of_counts x others E : 1 <= x -> Forall is_user others -> 1 <= E ->
  Rmax (victim_apart x 0 others E) (victim_apart x 1 others E) <= largest_five x others E.
Proof.
  intros Hx HO HE; pose proof (shares_are_halves x others Hx HO) as HP; destruct (odds x Hx) as (A & B & C & D).
  set (ps := p_users x others) in *; unfold largest_five, five; fold ps; rewrite victim_share by exact Hx.
  assert (LU : forall x v, 1 <= x -> (v <= 1)%nat -> is_law (randomized_response 2 x v)) by (intros; apply response_is_law;
    lia || lra).
  assert (LO : Forall is_law (responses others)).
  { apply Forall_map; eapply Forall_impl; [|exact HO]; intros u [U V]; apply LU; assumption. }
  destruct (Rlt_dec 1 x) as [L|L].
  - specialize (D L); set (w := 1 / (x + 1)) in *.
    set (c := {| zero := certain 0%nat; one := certain 1%nat; rest := certain 0%nat;
      sent := map (fun u => (p_user (response x 0) (response x 1) (response (fst u) (snd u)), response (fst u) (snd u)))
        others |}).
    assert (HC : holds_letters (S (length others)) c).
    { unfold holds_letters, c; cbn [zero one rest sent]; do 3 (split; [apply certain_is_law|]); split; [now rewrite map_length|].
      apply Forall_map; eapply Forall_impl; [|exact HO]; intros u Hu; cbn [fst snd]; destruct (user_share x u Hx Hu) as [S0 S1].
      split; [apply LU; apply Hu|]; split; [exact S0|]; intros y.
      assert (Z : 0 <= mass Nat.eq_dec (response (fst u) (snd u)) y) by (apply prob_nonnegative, LU; apply Hu).
      set (W := response (fst u) (snd u)) in *; set (r := p_user (response x 0) (response x 1) W) in *; clearbody r; clearbody W.
      rewrite !(fun z => eq_refl : mass Nat.eq_dec (certain z) y = 1 * indicator (at_ Nat.eq_dec y) z + 0); unfold indicator, at_.
      destruct (Nat.eq_dec y 0), (Nat.eq_dec y 1); subst; try lia; [specialize (S1 0%nat ltac:(lia)) | specialize (S1 1%nat
        ltac:(lia)) |]; lra. }
    assert (Fst : map fst (sent c) = ps) by (unfold c, ps, p_users; cbn [sent]; rewrite map_map; reflexivity).
    assert (Snd : map snd (sent c) = responses others) by (unfold c, responses, response; cbn [sent]; rewrite map_map;
      reflexivity).
    assert (V : forall a v f, (a = 1 - w /\ v = 0%nat) \/ (a = w /\ v = 1%nat) ->
      mean f (view 2 (responses ((x, v) :: others))) = mean f (view 2 (victim_law 1 a c :: map snd (sent c)))).
    { intros a v f Hav; rewrite Snd; cbn [responses map fst snd]; fold (responses others); apply view_same, Forall2_cons;
        [|clear; induction (responses others); constructor; auto].
      intros g; unfold victim_law, c; cbn [zero one rest]; rewrite mean_app, !mean_weighted, mean_app, !mean_weighted,
        mean_response.
      unfold own, other; replace (x + INR 2 - 1) with (x + 1) by (cbn; ring); fold w; cbn.
      destruct Hav as [[-> ->]|[-> ->]]; cbn; rewrite ?C; fold w; ring. }
    assert (Bound : forall a v, (a = 1 - w /\ v = 0%nat) \/ (a = w /\ v = 1%nat) -> victim_apart x v others E <=
      personal_apart a c E).
    { intros a v Hav; pose proof (personal_reduction 2 (S (length others)) 1 a c E ltac:(lra) ltac:(destruct Hav as [[->
        _]|[-> _]]; lra) HC HE) as R.
      rewrite Rmult_1_l in R; eapply Rle_trans; [|exact R]; unfold victim_apart, shuffled_apart; right.
      apply hockey_stick_ext; intros f; apply V; [exact Hav|].
      destruct Hav as [[-> ->]|[-> ->]]; [right | left]; split; (ring || reflexivity). }
    apply Rmax_lub; (eapply Rle_trans; [eapply Bound; (left; split; reflexivity) || (right; split; reflexivity)|]); unfold
      personal_apart; rewrite Fst;
      apply below_every_event; intros S; rewrite !personal_prob.
    + pose proof (counts_below ps w E S HP ltac:(lra) ltac:(lra) HE) as T; cbv zeta in T; replace (1 - (1 - w)) with w by
        ring; lra.
    + pose proof (counts_below ps w E (turned_event S) HP ltac:(lra) ltac:(lra) HE) as T; cbv zeta in T.
      rewrite <- letters_turned, <- letters_turned_back in T; replace (1 - (1 - w)) with w by ring; lra.
  - assert (x = 1) by lra; subst x; replace (1 - 2 * 0) with 1 by ring; replace (E - 2 * 0) with E by ring.
    pose proof (letters_below ps 1 E (fun _ => false) HP ltac:(lra) ltac:(lra)) as Z.
    assert (Z0 : with_first ps (fun _ => false) = 0 /\ with_second ps (fun _ => false) = 0).
    { unfold with_first, with_second, indicator; split; rewrite (mean_ext _ (fun _ => 0 * 1)) by (intros; rewrite (mean_ext _
        (fun _ => 0 * 1)) by (intros; ring); rewrite mean_scale; ring);
        rewrite mean_scale; ring. }
    destruct Z0 as [Z1 Z2]; rewrite Z1, Z2 in Z; eapply Rle_trans; [|replace (1 * 0 - E * 0) with 0 in Z by ring; exact Z].
    assert (Same : forall v v' f, (v <= 1)%nat -> (v' <= 1)%nat -> mean f (view 2 (responses ((1, v) :: others))) = mean f
      (view 2 (responses ((1, v') :: others)))).
    { intros v v' f Hv Hv'; cbn [responses map fst snd]; fold (responses others); apply view_same, Forall2_cons; [|clear;
        induction (responses others); constructor; auto].
      intros g; rewrite !mean_response; apply total_ext; intros y _; unfold own, other; destruct (Nat.eq_dec y v), (Nat.eq_dec
        y v'); reflexivity. }
    assert (None : forall v, (v <= 1)%nat -> victim_apart 1 v others E <= 0).
    { intros v Hv; unfold victim_apart.
      rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => eq_refl) (fun f => Same (1 - v)%nat v f ltac:(lia) Hv)).
      apply no_difference; [|exact HE]; apply view_is_law; cbn [responses map fst snd]; constructor; [apply LU; [lra | exact
        Hv] | exact LO]. }
    apply Rmax_lub; apply None; lia.
Qed.

Theorem liu2024_responses (exp_epsilon1 : R) (others : list (R * nat)) (exp_epsilon : R) (t : R) :
  1 <= exp_epsilon1 -> Forall is_user others -> 1 <= exp_epsilon -> 0 <= t -> Rmax (victim_apart
  exp_epsilon1 0 others exp_epsilon) (victim_apart exp_epsilon1 1 others exp_epsilon) <= largest_five
  exp_epsilon1 others exp_epsilon /\ five exp_epsilon1 others exp_epsilon t <= largest_five exp_epsilon1
  others exp_epsilon.
Proof.
  intros Hx HO HE Ht; split; [now apply bound_of_counts|].
  unfold largest_five, five; apply best_ratio; try assumption; [now apply shares_are_halves | |];
    rewrite victim_share by exact Hx; destruct (Rlt_dec 1 exp_epsilon1) as [L|L]; try lra;
    destruct (odds exp_epsilon1 Hx) as (A & B & C & D); specialize (D L); lra.
Qed.
