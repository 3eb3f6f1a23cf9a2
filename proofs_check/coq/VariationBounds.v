(** * A closed form for the counts of two letters

    The victim sends them with p alpha and alpha, or exchanged, each of n - 1 others both with r; b = (p - 1) alpha,
    s = (p + 1) alpha. With m = r n, M <= m / 8, L >= M and kappa at least sqrt (32 L / m) + 4 / m the two laws are
    (ln (1 + b kappa / (s + (1 - s) c)), 2 exp (- M))-close, c = max (0, 4 (1 - 3 r) / (9 (1 - 2 r))): [letters_hidden].

    One-sided, so that L = ln (2 / d) is enough where Theorem 4.3 has ln (4 / d). Where r is 1/3 or more the bound is that of
    clones, and the victim's leftover only helps.

    Source: Wang, Peng, Li, Wen, Li, Yu, Wang, Yang 2023, Theorem 4.3. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket BlanketBounds Letters TwoLetters CloneBounds VariationRatio.
Require Import VariationTails.
Import ListNotations.
Open Scope R_scope.

(** ** The two laws in units of a common one *)

(** The masses at a and b letters are these times that of n users of whom each sends a letter with r. *)
Definition relative (n : nat) (r s t : R) (z : nat * nat) : R :=
  s / r * INR (fst z) + t / r * INR (snd z) + (1 - s - t) / (1 - 2 * r) * (INR n - INR (fst z) - INR (snd z)).

Lemma mean_messages_three us (f h : list nat -> R) : Forall (below 3) us ->
  (forall ys, Forall (fun y => (y < 3)%nat) ys -> length ys = length us -> f ys = h ys) -> mean f (messages us) = mean h (messages us).
Proof.
  intros B; revert f h; induction B as [|u us Hu B IH]; intros f h H; [cbn; rewrite H by (constructor || reflexivity); reflexivity|].
  rewrite !mean_messages_cons; apply (mean_below 3); [exact Hu|]; intros y Hy; apply IH; intros ys F L; apply H; [now constructor | cbn; now rewrite L].
Qed.

Definition ratio_of (r s t : R) (y : nat) : R :=
  match y with 0%nat => s / r | 1%nat => t / r | _ => (1 - s - t) / (1 - 2 * r) end.
Definition two (c : counts) : nat * nat := (nth 0 c 0%nat, nth 1 c 0%nat).

Lemma relative_total n r s t ys : Forall (fun y => (y < 3)%nat) ys -> length ys = n ->
  total (map (ratio_of r s t) ys) = relative n r s t (two (histogram 2 ys)).
Proof.
  intros Hy <-; unfold relative, two; cbn [fst snd].
  induction Hy as [|y ys H Hy IH]; [cbn; ring|]; cbn [map total length histogram fold_right]; fold (histogram 2 ys); rewrite IH.
  pose proof (histogram_length 2 ys) as HL; destruct (histogram 2 ys) as [|a [|b [|e c]]]; try discriminate.
  rewrite (S_INR (length ys)); destruct y as [|[|[|y]]]; try lia; cbn [increment nth ratio_of]; rewrite ?S_INR; ring.
Qed.

Lemma pair_total shown p alpha s t r n G : (1 <= n)%nat ->
  0 < r -> 2 * r < 1 -> 0 < 1 - p * alpha -> shows shown p alpha s t ->
  INR n * mean G (mixture_counts shown p alpha r n) =
  mean (fun ys => total (map (ratio_of r s t) ys) * G (two (histogram 2 ys))) (messages (repeat (three r r) n)).
Proof.
  intros Hn Hr Hr2 Hp Hs; set (f := fun ys => G (two (histogram 2 ys))); destruct n as [|n]; [lia|].
  pose proof (first_of_equal_users (three r r) (ratio_of r s t) f n) as F.
  transitivity (mean (fun ys => total (map (ratio_of r s t) ys) * f ys) (messages (repeat (three r r) (S n)))); [|reflexivity].
  rewrite F by (intros ys zs P; unfold f; now rewrite (histogram_symmetric 2 ys zs P)); f_equal.
  transitivity (mean (fun c => G (two c)) (view 2 (three s t :: repeat (three r r) (S n - 1)))).
  - rewrite (three_counted shown p alpha) by assumption; apply mean_ext; now intros [a b].
  - replace (S n - 1)%nat with n by lia; unfold view; rewrite mean_image, mean_messages_cons.
    unfold f; cbn [three mean ratio_of histogram fold_right]; field; lra.
Qed.

(** ** The divergence is at most the mass of what is far *)

Definition far (n : nat) (p alpha r E : R) (z : nat * nat) : bool :=
  if Rle_dec (relative n r (p * alpha) alpha z) (E * relative n r alpha (p * alpha) z) then false else true.

Lemma ratios_nonnegative r s t ys : 0 < r -> 2 * r < 1 -> 0 <= s -> 0 <= t -> s + t <= 1 -> 0 <= total (map (ratio_of r s t) ys).
Proof.
  intros Hr Hr2 Hs Ht Hst; assert (I1 : 0 < / r) by (apply Rinv_0_lt_compat; lra).
  assert (I2 : 0 < / (1 - 2 * r)) by (apply Rinv_0_lt_compat; lra); induction ys as [|y ys IH]; cbn [map total]; [lra|]; enough (0 <= ratio_of r s t y) by lra.
  destruct y as [|[|y]]; unfold ratio_of, Rdiv; apply Rmult_le_pos; lra.
Qed.

Lemma near_but_for p alpha r n E : (1 <= n)%nat -> 0 < r -> 2 * r < 1 -> 0 < p -> 0 <= alpha -> p * alpha + alpha <= 1 ->
  0 < 1 - p * alpha -> 0 <= E ->
  hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n) E
  <= prob (far n p alpha r E) (mixture_counts upright p alpha r n).
Proof.
  intros Hn Hr Hr2 Hp Ha One Hp1 HE; apply below_every_event; intros S; unfold prob.
  assert (Pn : 0 < INR n) by (apply lt_0_INR; lia); assert (0 <= p * alpha) by (apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_l (INR n)); [exact Pn|].
  replace (INR n * (E * mean (indicator S) (mixture_counts turned p alpha r n) + mean (indicator (far n p alpha r E)) (mixture_counts upright p alpha r n)))
    with (E * (INR n * mean (indicator S) (mixture_counts turned p alpha r n)) + INR n * mean (indicator (far n p alpha r E)) (mixture_counts upright p alpha r n)) by ring.
  rewrite (pair_total upright p alpha (p * alpha) alpha) by (try assumption; left; auto).
  rewrite (pair_total turned p alpha alpha (p * alpha)) by (try assumption; right; auto).
  rewrite (pair_total upright p alpha (p * alpha) alpha) by (try assumption; left; auto).
  set (W := messages (repeat (three r r) n)); set (tp := fun ys => total (map (ratio_of r (p * alpha) alpha) ys));
    set (tq := fun ys => total (map (ratio_of r alpha (p * alpha)) ys)).
  change (mean (fun ys => tp ys * indicator S (two (histogram 2 ys))) W <= E * mean (fun ys => tq ys * indicator S (two (histogram 2 ys))) W
    + mean (fun ys => tp ys * indicator (far n p alpha r E) (two (histogram 2 ys))) W).
  rewrite <- mean_scale, <- mean_plus.
  set (ok := fun ys => (forallb (fun y => y <? 3)%nat ys && (length ys =? n)%nat)%bool).
  assert (B : Forall (below 3) (repeat (three r r) n)) by (apply Forall_forall; intros u Hu; apply repeat_spec in Hu; subst u; apply below_three).
  assert (OK : forall f, mean f W = mean (fun ys => if ok ys then f ys else 0) W).
  { intros f; apply mean_messages_three; [exact B|]; intros ys F L; rewrite repeat_length in L; unfold ok.
    replace (forallb (fun y => y <? 3)%nat ys) with true; [now rewrite L, Nat.eqb_refl|].
    symmetry; apply forallb_forall; intros y Hy; apply Nat.ltb_lt; exact (proj1 (Forall_forall _ _) F y Hy). }
  rewrite (OK (fun ys => tp ys * _)), (OK (fun ys => E * _ + _)); apply mean_le.
  { apply messages_are_law; apply Forall_forall; intros u Hu; apply repeat_spec in Hu; subst u; split; [|cbn; ring].
    do 3 (apply Forall_cons; [cbn; lra|]); apply Forall_nil. }
  intros ys; destruct (ok ys) eqn:O; [|lra]; unfold ok in O; apply Bool.andb_true_iff in O as [F L].
  assert (F' : Forall (fun y => (y < 3)%nat) ys) by (apply Forall_forall; intros y Hy; apply Nat.ltb_lt; exact (proj1 (forallb_forall _ _) F y Hy)).
  apply Nat.eqb_eq in L; set (z := two (histogram 2 ys)).
  assert (P0 : 0 <= tp ys) by (apply ratios_nonnegative; lra); assert (Q0 : 0 <= tq ys) by (apply ratios_nonnegative; lra).
  assert (D : far n p alpha r E z = true \/ tp ys <= E * tq ys).
  { unfold tp, tq, far; rewrite !(relative_total n) by assumption; fold z; destruct Rle_dec; auto. }
  assert (EQ : 0 <= E * tq ys) by (apply Rmult_le_pos; lra).
  unfold indicator; destruct D as [->|D]; [|destruct (far n p alpha r E z)]; destruct (S z); lra.
Qed.

(** ** The closed form *)

Definition leftover_share (r : R) : R := Rmax 0 (4 * (1 - 3 * r) / (9 * (1 - 2 * r))).

(** Of so many letters, t too many of the first kind with the victim's. *)
Lemma letters_apart_near c a d e m M L kappa :
  0 < M -> M <= L -> 8 * M <= m -> m <= INR c -> sqrt (32 * L / m) + 4 / m <= kappa -> (a <= c)%nat -> (d + e <= 1)%nat ->
  2 * INR a - INR c <= sqrt (2 * INR c * M) ->
  let A := INR (a + d) in let B := INR (c - a + e) in (A - B) * (2 + kappa) <= kappa * (A + B) /\ A + B <= INR c + 1.
Proof.
  intros HM HL Hm Hc Hk Ha Hde Ht A B; pose proof (near_key (INR c) m M L kappa HM HL Hm Hc Hk) as K.
  set (t := sqrt (2 * INR c * M)) in *; assert (0 <= t) by apply sqrt_pos.
  assert (K0 : 0 <= kappa).
  { eapply Rle_trans; [|exact Hk]; pose proof (sqrt_pos (32 * L / m)); assert (0 <= 4 / m) by (apply Rlt_le, Rdiv_lt_0_compat; lra); lra. }
  assert (EA : A = INR a + INR d) by (unfold A; apply plus_INR).
  assert (EB : B = INR c - INR a + INR e) by (unfold B; rewrite plus_INR, minus_INR by exact Ha; reflexivity).
  rewrite EA, EB; destruct d as [|[|d]]; [| |lia]; (destruct e as [|[|e]]; [| |lia]); try lia; cbn [INR]; split; try lra.
  - assert ((2 * INR a - INR c) * (2 + kappa) <= t * (2 + kappa)) by (apply Rmult_le_compat_r; lra); lra.
  - assert ((2 * INR a - INR c) * (2 + kappa) <= t * (2 + kappa)) by (apply Rmult_le_compat_r; lra); lra.
  - assert ((2 * INR a - INR c) * (2 + kappa) <= t * (2 + kappa)) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Section Closed.
Variables (n : nat) (p alpha r M L kappa : R).
Hypotheses (Hn : (1 <= n)%nat) (Hp : 1 < p) (Ha : 0 < alpha) (Hr : 0 < r) (Hr2 : 2 * r <= 1).
Hypotheses (HM : ln 2 <= M) (HL : M <= L) (HR : 8 * M <= r * INR n) (Hk : sqrt (32 * L / (r * INR n)) + 4 / (r * INR n) <= kappa).
Let s := (p + 1) * alpha.
Let b := (p - 1) * alpha.
Hypotheses (Hs : s <= 1).
Let E := 1 + b / (s + (1 - s) * leftover_share r) * kappa.

Lemma kappa_nonnegative : 0 <= kappa.
Proof.
  pose proof ln_2_between; eapply Rle_trans; [|exact Hk]; pose proof (sqrt_pos (32 * L / (r * INR n))).
  assert (0 <= 4 / (r * INR n)) by (apply Rlt_le, Rdiv_lt_0_compat; lra); lra.
Qed.

Lemma shares : 0 < s /\ 0 < b <= s /\ 0 <= leftover_share r /\ 0 < s + (1 - s) * leftover_share r /\ 1 <= E.
Proof.
  assert (S0 : 0 < s) by (unfold s; apply Rmult_lt_0_compat; lra); assert (B0 : 0 < b) by (unfold b; apply Rmult_lt_0_compat; lra).
  assert (C0 : 0 <= leftover_share r) by apply Rmax_l.
  assert (P : 0 <= (1 - s) * leftover_share r) by (apply Rmult_le_pos; lra).
  pose proof kappa_nonnegative as K0; assert (Sig : 0 < s + (1 - s) * leftover_share r) by lra.
  assert (0 <= b / (s + (1 - s) * leftover_share r) * kappa)
    by (apply Rmult_le_pos; [apply Rlt_le, Rdiv_lt_0_compat; lra | exact K0]).
  assert (b <= s) by (unfold s, b; lra); unfold E; repeat split; assumption || lra.
Qed.

Lemma near_is_not_far c a d e : 2 * r < 1 -> (a <= c)%nat -> (d + e <= 1)%nat -> (c <= n - 1)%nat -> r * INR n <= INR c ->
  (r < 1 / 3 -> INR c + 1 <= 9 * (r * INR n) / (2 + 3 * r)) -> 2 * INR a - INR c <= sqrt (2 * INR c * M) ->
  far n p alpha r E (upright c a d e) = false.
Proof.
  intros Hr3 Hac Hde Hcn Hc Hu Ht; unfold far; destruct Rle_dec as [|G]; [reflexivity|]; exfalso; apply G; clear G.
  pose proof ln_2_between as L2; pose proof kappa_nonnegative as K0; destruct shares as (S0 & B0 & C0 & Sig & E1).
  destruct (letters_apart_near c a d e (r * INR n) M L kappa ltac:(lra) HL HR Hc Hk Hac Hde Ht) as [K Mm].
  set (A := INR (a + d)) in *; set (B := INR (c - a + e)) in *; set (N := INR n) in *; set (m := r * N) in *.
  assert (A0 : 0 <= A) by apply pos_INR; assert (B1 : 0 <= B) by apply pos_INR.
  assert (Full : A + B <= N).
  { assert (INR c <= N - 1) by (unfold N; change 1 with (INR 1); rewrite <- minus_INR by exact Hn; now apply le_INR); lra. }
  set (sigma := s + (1 - s) * leftover_share r) in *; set (D := A - B) in *.
  unfold relative, upright; cbn [fst snd]; fold A B N.
  assert (Ir : 0 < / r) by (apply Rinv_0_lt_compat; lra); assert (Iu : 0 < / (1 - 2 * r)) by (apply Rinv_0_lt_compat; lra).
  set (Q := alpha / r * A + p * alpha / r * B + (1 - alpha - p * alpha) / (1 - 2 * r) * (N - A - B)).
  assert (Diff : p * alpha / r * A + alpha / r * B + (1 - p * alpha - alpha) / (1 - 2 * r) * (N - A - B) = Q + b * D * / r)
    by (unfold Q, b, D; field; lra).
  rewrite Diff; unfold E; fold sigma.
  enough (Main : D * sigma * / r <= kappa * Q).
  { assert (b / sigma * (D * sigma * / r) <= b / sigma * (kappa * Q)) by (apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra | exact Main]).
    replace (b / sigma * (D * sigma * / r)) with (b * D * / r) in H by (field; lra); lra. }
  assert (Q1 : Q = (s * (A + B) - b * D) / 2 * / r + (1 - s) * (/ (1 - 2 * r) * (N - (A + B)))) by (unfold Q, s, b, D; field; lra).
  assert (Over : 0 <= / (1 - 2 * r) * (N - (A + B))) by (apply Rmult_le_pos; lra).
  destruct (Rle_dec D 0) as [Neg|Pos].
  - assert (0 <= - D * sigma * / r) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= b * - D) by (apply Rmult_le_pos; lra); assert (0 <= s * (A + B)) by (apply Rmult_le_pos; lra).
    assert (0 <= (s * (A + B) - b * D) / 2 * / r) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - s) * (/ (1 - 2 * r) * (N - (A + B)))) by (apply Rmult_le_pos; lra).
    assert (0 <= kappa * Q) by (apply Rmult_le_pos; lra); lra.
  - apply Rnot_le_lt in Pos.
    assert (First : D * s * / r <= kappa * ((s * (A + B) - b * D) / 2 * / r)).
    { replace (kappa * ((s * (A + B) - b * D) / 2 * / r)) with (kappa * ((s * (A + B) - b * D) / 2) * / r) by ring.
      apply Rmult_le_compat_r; [lra|]; assert (kappa * (b * D) <= kappa * (s * D)) by (apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_r; lra]).
      assert (s * (D * (2 + kappa)) <= s * (kappa * (A + B))) by (apply Rmult_le_compat_l; lra); lra. }
    assert (Rest : D * leftover_share r * / r <= kappa * (/ (1 - 2 * r) * (N - (A + B)))).
    { assert (0 <= kappa * (/ (1 - 2 * r) * (N - (A + B)))) by (apply Rmult_le_pos; lra).
      unfold leftover_share, Rmax; destruct Rle_dec as [C|C]; [|lra].
      destruct (Rlt_dec r (1 / 3)) as [T|T].
      2: { assert (4 * (1 - 3 * r) / (9 * (1 - 2 * r)) <= 0).
           { apply (Rmult_le_reg_r (9 * (1 - 2 * r))); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
           replace (4 * (1 - 3 * r) / (9 * (1 - 2 * r))) with 0 by lra; lra. }
      specialize (Hu T); assert (KD : 2 * D <= kappa * (A + B)) by (assert (0 <= D * kappa) by (apply Rmult_le_pos; lra); lra).
      apply (Rmult_le_reg_r (9 * r * (1 - 2 * r))); [repeat apply Rmult_lt_0_compat; lra|].
      replace (D * (4 * (1 - 3 * r) / (9 * (1 - 2 * r))) * / r * (9 * r * (1 - 2 * r))) with (2 * (1 - 3 * r) * (2 * D)) by (field; lra).
      replace (kappa * (/ (1 - 2 * r) * (N - (A + B))) * (9 * r * (1 - 2 * r))) with (kappa * (9 * r * (N - (A + B)))) by (field; lra).
      apply Rle_trans with (2 * (1 - 3 * r) * (kappa * (A + B))); [apply Rmult_le_compat_l; lra|].
      replace (2 * (1 - 3 * r) * (kappa * (A + B))) with (kappa * (2 * (1 - 3 * r) * (A + B))) by ring; apply Rmult_le_compat_l; [exact K0|].
      assert ((A + B) * (2 + 3 * r) <= 9 * m).
      { apply Rle_trans with (9 * m / (2 + 3 * r) * (2 + 3 * r)); [apply Rmult_le_compat_r; lra | right; field; lra]. }
      unfold m in *; lra. }
    rewrite Q1; unfold sigma.
    assert ((1 - s) * (D * leftover_share r * / r) <= (1 - s) * (kappa * (/ (1 - 2 * r) * (N - (A + B))))) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma closed_general : 2 * r < 1 ->
  hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n) E <= 2 * exp (- M).
Proof.
  intros Hr3; destruct shares as (S0 & B0 & C0 & Sig & E1).
  assert (PA : 0 < p * alpha) by (apply Rmult_lt_0_compat; lra); assert (One : p * alpha + alpha <= 1) by (unfold s in Hs; lra).
  assert (LD : 0 <= alpha / (1 - p * alpha) <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]; apply (Rmult_le_reg_r (1 - p * alpha)); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  eapply Rle_trans; [apply near_but_for; try assumption; lra|].
  unfold prob, mixture_counts; rewrite mean_bind.
  rewrite (mean_ext _ _ (heads (2 * r) (n - 1)) (fun c => mean_bind (indicator (far n p alpha r E)) (heads (1 / 2) c) _)).
  set (bad := fun c a => mean (indicator (far n p alpha r E)) (bind (heads (p * alpha) 1) (fun d =>
    bind (heads (alpha / (1 - p * alpha)) (1 - d)) (fun e => certain (upright c a d e))))).
  rewrite (mean_heads_up_to _ _ _ (fun c => if le_dec c (n - 1) then mean (bad c) (heads (1 / 2) c) else 0))
    by (intros c Hc; destruct (le_dec c (n - 1)); [reflexivity | contradiction]).
  rewrite (mean_ext _ (fun c => mean (fun a => if le_dec c (n - 1) then bad c a else 0) (heads (1 / 2) c))).
  2: { intros c; destruct (le_dec c (n - 1)); [reflexivity|].
       rewrite (mean_ext (fun _ => 0) (fun _ => 0 * 1)) by (intros; ring); rewrite mean_scale; ring. }
  assert (Lbad : forall c a, is_law (bind (heads (p * alpha) 1) (fun d => bind (heads (alpha / (1 - p * alpha)) (1 - d)) (fun e => certain (upright c a d e))))).
  { intros c a; apply bind_is_law; [apply heads_is_law; lra|]; intros d; apply bind_is_law; [apply heads_is_law; exact LD|].
    intros e; apply certain_is_law. }
  apply (bad_is_rare n r M); try assumption.
  - intros c a; destruct (le_dec c (n - 1)); [|lra]; apply (prob_between (far n p alpha r E) _ (Lbad c a)).
  - intros c a Hac Hc Hu Ht; destruct (le_dec c (n - 1)) as [Hcn|]; [|lra]; unfold bad; rewrite mean_bind.
    apply Rle_trans with (mean (fun _ => 0 * 1) (heads (p * alpha) 1)); [|rewrite mean_scale; lra].
    apply mean_heads_le; [lra|]; intros d Hd; rewrite mean_bind.
    apply Rle_trans with (mean (fun _ => 0 * 1) (heads (alpha / (1 - p * alpha)) (1 - d))); [|rewrite mean_scale; lra].
    apply mean_heads_le; [exact LD|]; intros e He; cbn [certain mean]; unfold indicator.
    rewrite (near_is_not_far c a d e) by (try assumption; lia); lra.
Qed.

(** The victim sends a letter, as among clones, or nothing. *)
Lemma closed_clones : 1 / 3 <= r ->
  hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n) E <= 2 * exp (- M).
Proof.
  intros H3; destruct shares as (S0 & B0 & C0 & Sig & E1); pose proof ln_2_between as L2; pose proof kappa_nonnegative as K0.
  assert (Z : leftover_share r = 0).
  { unfold leftover_share; apply Rmax_left; destruct (Req_dec (2 * r) 1) as [H|H].
    - rewrite H; replace (9 * (1 - 1)) with 0 by ring; unfold Rdiv; rewrite Rinv_0; lra.
    - apply (Rmult_le_reg_r (9 * (1 - 2 * r))); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (HE : E = 1 + (p - 1) / (p + 1) * kappa) by (unfold E; rewrite Z; unfold b, s; field; lra).
  assert (PA : 0 < p * alpha) by (apply Rmult_lt_0_compat; lra); assert (One : p * alpha + alpha <= 1) by (unfold s in Hs; lra).
  set (none := bind (heads (2 * r) (n - 1)) (fun c => image (fun a => (a, (c - a)%nat)) (heads (1 / 2) c))).
  assert (F : forall shown shown', (shown = upright /\ shown' = forward) \/ (shown = turned /\ shown' = backward) -> forall f,
    mean f (mixture_counts shown p alpha r n) = mean f (weighted s (clone_counts shown' p (2 * r) n) ++ weighted (1 - s) none)).
  { intros shown shown' Sh f; rewrite mean_app, !mean_weighted; unfold mixture_counts, clone_counts, none.
    rewrite !mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros c.
    rewrite given_mean, mean_image, mean_bind, <- !mean_scale, <- mean_plus by lra; apply mean_heads_up_to; intros a Hac.
    rewrite mean_bind, heads_S; cbn [heads certain mean]; change (1 - 0)%nat with 1%nat; change (1 - 1)%nat with 0%nat.
    rewrite !mean_bind, heads_S; cbn [heads certain mean]; destruct Sh as [[-> ->]|[-> ->]]; unfold upright, turned, forward, backward, s.
    - rewrite !Nat.add_0_r, !Nat.sub_0_r; replace (c - a + 1 - 1)%nat with (c - a)%nat by lia; field; lra.
    - rewrite !Nat.add_0_r, !Nat.sub_0_r; replace (a + 1 - 1)%nat with a by lia; field; lra. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F upright forward ltac:(left; auto)) (F turned backward ltac:(right; auto))).
  assert (LN : is_law none) by (apply bind_is_law; [apply heads_is_law; lra | intros c; apply image_is_law, heads_is_law; lra]).
  eapply Rle_trans; [apply joint_convexity; lra|].
  assert (N0 : hockey_stick same_pair none none E <= 0).
  { apply below_every_event; intros S; pose proof (prob_nonnegative S none (proj1 LN)) as P.
    assert (1 * prob S none <= E * prob S none) by (apply Rmult_le_compat_r; lra); lra. }
  enough (C : hockey_stick same_pair (clone_counts forward p (2 * r) n) (clone_counts backward p (2 * r) n) E <= 2 * exp (- M)).
  { assert ((1 - s) * hockey_stick same_pair none none E <= (1 - s) * 0) by (apply Rmult_le_compat_l; lra).
    pose proof (exp_pos (- M)); assert (s * hockey_stick same_pair (clone_counts forward p (2 * r) n) (clone_counts backward p (2 * r) n) E
      <= 1 * (2 * exp (- M))) by (apply Rmult_le_compat; try lra; apply hockey_stick_nonnegative); lra. }
  eapply Rle_trans; [apply close_but_for; lra|]; unfold prob, clone_counts; rewrite mean_bind.
  rewrite (mean_ext _ _ (heads (2 * r) (n - 1)) (fun c => given_mean forward p c (indicator (too_far p E)) ltac:(lra))).
  assert (I : forall z, 0 <= indicator (too_far p E) z <= 1) by (intros z; unfold indicator; destruct too_far; lra).
  assert (Two : forall u v w, u <= w -> v <= w -> (p * u + v) / (p + 1) <= w).
  { intros u v w Hu Hv; apply (Rmult_le_reg_r (p + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
    assert (p * u <= p * w) by (apply Rmult_le_compat_l; lra); lra. }
  apply (bad_is_rare n r M (fun c a => (p * indicator (too_far p E) (forward c a 1) + indicator (too_far p E) (forward c a 0)) / (p + 1)));
    try assumption; [intros c a; apply Two; apply I|].
  intros c a Hac Hc _ Ht; assert (One' : forall d e, (d + e = 1)%nat -> indicator (too_far p E) ((a + d)%nat, (c - a + e)%nat) <= 0).
  { intros d e Hde; unfold indicator, too_far; cbn [fst snd]; destruct Rle_dec as [|G]; [lra|]; exfalso; apply G; clear G.
    destruct (letters_apart_near c a d e (r * INR n) M L kappa ltac:(lra) HL HR Hc Hk Hac ltac:(lia) Ht) as [K _].
    set (A := INR (a + d)) in *; set (B := INR (c - a + e)) in *.
    assert (A0 : 0 <= A) by apply pos_INR; assert (B1 : 0 <= B) by apply pos_INR.
    assert (Close : (A - B) * (p + 1) <= kappa * (A + p * B)).
    { destruct (Rle_dec (A - B) 0) as [Neg|Pos].
      - assert (0 <= p * B) by (apply Rmult_le_pos; lra); assert (0 <= kappa * (A + p * B)) by (apply Rmult_le_pos; lra).
        assert (0 <= (B - A) * (p + 1)) by (apply Rmult_le_pos; lra); lra.
      - assert (K' : A - B <= kappa * B) by lra.
        assert ((A - B) * (p + 1) <= kappa * B * (p + 1)) by (apply Rmult_le_compat_r; lra).
        assert (kappa * B <= kappa * A) by (apply Rmult_le_compat_l; lra); lra. }
    rewrite HE; assert (T : 0 <= (p - 1) / (p + 1)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
    apply (Rmult_le_compat_l _ _ _ T) in Close.
    replace ((p - 1) / (p + 1) * ((A - B) * (p + 1))) with ((p - 1) * (A - B)) in Close by (field; lra); lra. }
  apply Two; unfold forward.
  - replace (c - a + 1 - 1)%nat with (c - a + 0)%nat by lia; apply One'; lia.
  - replace (c - a + 1 - 0)%nat with (c - a + 1)%nat by lia; apply One'; lia.
Qed.

End Closed.

Theorem letters_hidden n p alpha r M L kappa :
  (1 <= n)%nat -> 1 < p -> 0 < alpha -> (p + 1) * alpha <= 1 -> 0 < r -> 2 * r <= 1 ->
  ln 2 <= M -> M <= L -> 8 * M <= r * INR n -> sqrt (32 * L / (r * INR n)) + 4 / (r * INR n) <= kappa ->
  hockey_stick same_pair (mixture_counts upright p alpha r n) (mixture_counts turned p alpha r n)
    (1 + (p - 1) * alpha / ((p + 1) * alpha + (1 - (p + 1) * alpha) * leftover_share r) * kappa)
  <= 2 * exp (- M).
Proof.
  intros; destruct (Rle_dec (1 / 3) r); [eapply closed_clones; eassumption | eapply closed_general; eassumption || lra].
Qed.
