(** * A closed form for the counts of clones

    - [clone_masses]: P(a, b) (a + x b) = Q(a, b) (x a + b) for the two laws of the counts;
    - [clones_hidden]: with M = ln (2 / d), x <= n / (16 M), and R = 8 sqrt (x L / n) + 8 x / n for some L >= M, the
      counts of n users are (ln (1 + (x - 1) / (x + 1) R), d)-close, if others are clones with probability 1 / x.

    Two tails, d / 2 each: fewer than n / (2 x) clones (Chernoff), and of c clones too many of the first letter
    (Hoeffding). One-sided, so that L = ln (2 / d) is enough where Theorem 3.1 has ln (4 / d).

    Source: Feldman, McMillan, Talwar 2021, Theorem 3.1. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket BlanketBounds TwoLetters.
Import ListNotations.
Open Scope R_scope.

Lemma mean_heads_le g n f h :
  0 <= g <= 1 -> (forall c, (c <= n)%nat -> f c <= h c) -> mean f (heads g n) <= mean h (heads g n).
Proof.
  intros Hg; revert f h; induction n as [|n IH]; intros f h H; [cbn; specialize (H 0%nat ltac:(lia)); lra|].
  rewrite !heads_S; apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; intros c Hc; apply H; lia.
Qed.

Lemma heads_powers g q n : mean (fun c => q ^ c) (heads g n) = (1 - g * (1 - q)) ^ n.
Proof. rewrite <- binomial_powers; apply heads_binomial. Qed.

(** ** The ratio of the masses *)

(** a times the chance of a heads is c - a + 1 times that of a - 1. *)
Lemma fair_absorbed c g :
  mean (fun a => (INR c - INR a) * g (S a)) (heads (1 / 2) c) = mean (fun a => INR a * g a) (heads (1 / 2) c).
Proof.
  revert g; induction c as [|c IH]; intros g; [cbn; ring|].
  rewrite !heads_S; replace (1 - 1 / 2) with (1 / 2) by lra.
  rewrite <- (IH g), (mean_ext (fun a => (INR (S c) - INR (S a)) * g (S (S a))) (fun a => (INR c - INR a) * g (S (S a))))
    by (intros; rewrite !S_INR; ring).
  rewrite (IH (fun a => g (S a))), <- !mean_scale, <- !mean_plus; apply mean_ext; intros a; rewrite !S_INR; ring.
Qed.

Lemma given_mean shown x c f :
  0 < x -> mean f (counts_given shown x c) =
  mean (fun a => (x * f (shown c a 1%nat) + f (shown c a 0%nat)) / (x + 1)) (heads (1 / 2) c).
Proof.
  intros Hx; unfold counts_given; rewrite mean_bind; apply mean_ext; intros a.
  rewrite mean_bind, heads_S; cbn [heads certain mean]; field; lra.
Qed.

Theorem clone_masses x r n f :
  0 < x ->
  mean (fun z => (INR (fst z) + x * INR (snd z)) * f z) (clone_counts forward x r n) =
  mean (fun z => (x * INR (fst z) + INR (snd z)) * f z) (clone_counts backward x r n).
Proof.
  intros Hx; unfold clone_counts; rewrite !mean_bind; apply mean_ext; intros c; rewrite !given_mean by exact Hx.
  pose proof (fair_absorbed c (fun a => f (a, (c - a + 1)%nat))) as B.
  rewrite (mean_heads_up_to _ _ (fun a => (INR c - INR a) * f (S a, (c - S a + 1)%nat))
    (fun a => (INR c - INR a) * f ((a + 1)%nat, (c - a)%nat))) in B.
  2: { intros a Ha; destruct (Nat.eq_dec a c) as [->|N]; [rewrite Rminus_diag_eq by reflexivity; ring|].
    do 2 f_equal; f_equal; lia. }
  apply Rminus_diag_uniq; unfold Rminus; rewrite <- (Rmult_1_l (mean _ _)) at 1.
  set (T := (x ^ 2 - 1) / (x + 1)).
  transitivity (T * (mean (fun a => (INR c - INR a) * f ((a + 1)%nat, (c - a)%nat)) (heads (1 / 2) c)
    + -1 * mean (fun a => INR a * f (a, (c - a + 1)%nat)) (heads (1 / 2) c))); [|rewrite B; ring].
  rewrite Rmult_1_l, <- (mean_scale (-1)), <- mean_plus, <- mean_scale.
  match goal with |- ?L + - ?R = _ => replace (L + - R) with (L + -1 * R) by ring end.
  rewrite <- mean_scale, <- mean_plus; apply mean_heads_up_to; intros a Ha; unfold forward, backward, T; cbn [fst snd].
  replace (c - a + 1 - 1)%nat with (c - a)%nat by lia; replace (c - a + 1 - 0)%nat with (c - a + 1)%nat by lia.
  replace (a + 0)%nat with a by lia; replace (a + 1 - 1)%nat with a by lia; replace (a + 1 - 0)%nat with (a + 1)%nat by lia.
  replace (c - a + 0)%nat with (c - a)%nat by lia.
  rewrite !plus_INR, minus_INR by exact Ha; cbn [INR]; field; lra.
Qed.

Definition too_far (x E : R) (z : nat * nat) : bool :=
  if Rle_dec (x * INR (fst z) + INR (snd z)) (E * (INR (fst z) + x * INR (snd z))) then false else true.

Lemma close_but_for x r n E :
  0 < x -> 0 <= r <= 1 -> 0 <= E ->
  hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E
  <= prob (too_far x E) (clone_counts forward x r n).
Proof.
  intros Hx Hr HE.
  assert (N : forall shown, is_law (clone_counts shown x r n)).
  { intros shown; apply bind_is_law; [now apply heads_is_law|]; intros c; apply bind_is_law; [apply heads_is_law; lra|].
    intros a; apply bind_is_law; [|intros; apply certain_is_law]; apply heads_is_law; split.
    - apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
    - apply (Rmult_le_reg_r (x + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  apply below_every_event; intros S; set (P := clone_counts forward x r n) in *; set (Q := clone_counts backward x r n) in *.
  set (size := fun z : nat * nat => INR (fst z) + x * INR (snd z)).
  set (f := fun z => (if too_far x E z then 0 else indicator S z) * / size z).
  assert (Z : forall z, 0 <= size z).
  { intros z; unfold size; pose proof (pos_INR (fst z)); pose proof (pos_INR (snd z)).
    assert (0 <= x * INR (snd z)) by (apply Rmult_le_pos; lra); lra. }
  pose proof (clone_masses x r n f Hx) as C; fold P Q in C.
  assert (I : forall z, 0 <= indicator S z <= 1) by (intros z; unfold indicator; destruct (S z); lra).
  (* An empty outcome has no mass: C + 1 letters are sent. *)
  assert (D : mean (indicator S) P <= mean (fun z => indicator (too_far x E) z + size z * f z) P).
  { apply (mean_le_sent same_pair); [apply N|]; intros z M; unfold f, indicator at 2.
    destruct (too_far x E z); [specialize (I z); rewrite Rmult_0_l, Rmult_0_r; lra|].
    destruct (Z z) as [Pz|Zz]; [right; field; lra|]; exfalso; clear - M Zz Hx.
    assert (z = (0, 0)%nat) as ->.
    { destruct z as [a b]; unfold size in Zz; cbn [fst snd] in Zz; pose proof (pos_INR a); pose proof (pos_INR b).
      assert (0 <= x * INR b) by (apply Rmult_le_pos; lra); f_equal; apply INR_eq; cbn [INR]; [lra|].
      apply (Rmult_eq_reg_l x); lra. }
    revert M; unfold mass, prob, P, clone_counts; rewrite mean_bind; apply Rle_not_lt; right.
    transitivity (mean (fun _ => 0 * 1) (heads r (n - 1))); [|rewrite mean_scale; ring].
    apply mean_ext; intros c; rewrite given_mean by exact Hx.
    transitivity (mean (fun _ => 0 * 1) (heads (1 / 2) c)); [|rewrite mean_scale; ring].
    apply mean_heads_up_to; intros a Ha; unfold indicator, at_, forward.
    destruct (same_pair (0, 0)%nat _) as [e|_]; [apply (f_equal fst) in e; cbn in e; lia|].
    destruct (same_pair (0, 0)%nat _) as [e|_]; [apply (f_equal snd) in e; cbn in e; lia|]; unfold Rdiv; ring. }
  unfold prob; eapply Rle_trans; [exact D|]; rewrite mean_plus; unfold size at 1; rewrite C, Rplus_comm.
  apply Rplus_le_compat_r; rewrite <- mean_scale; apply mean_le; [apply N|]; intros z; unfold f, too_far.
  destruct Rle_dec as [G|G]; [|specialize (I z); rewrite Rmult_0_l, Rmult_0_r; apply Rmult_le_pos; lra].
  fold (size z) in G; destruct (Z z) as [Pz|Zz].
  - apply (Rmult_le_reg_r (size z)); [exact Pz|].
    replace ((x * INR (fst z) + INR (snd z)) * (indicator S z * / size z) * size z)
      with (indicator S z * (x * INR (fst z) + INR (snd z))) by (field; lra).
    replace (E * indicator S z * size z) with (indicator S z * (E * size z)) by ring.
    apply Rmult_le_compat_l; [apply I | exact G].
  - rewrite <- Zz, Rmult_0_r in G; pose proof (pos_INR (fst z)); pose proof (pos_INR (snd z)).
    assert (0 <= x * INR (fst z)) by (apply Rmult_le_pos; lra).
    replace (x * INR (fst z) + INR (snd z)) with 0 by lra; rewrite Rmult_0_l; apply Rmult_le_pos; [exact HE | apply I].
Qed.

(** ** The two tails *)

(** c clones: at least n / (2 x), and not too many of the first letter. *)
Lemma near_is_close n x M L c a d :
  1 <= x -> 0 < n -> 0 < M -> M <= L -> x <= n / (16 * M) -> n / (2 * x) <= INR c ->
  (a <= c)%nat -> (d <= 1)%nat -> 2 * INR a - INR c <= sqrt (2 * INR c * M) ->
  too_far x (1 + (x - 1) / (x + 1) * (8 * sqrt (x * L / n) + 8 * x / n)) (forward c a d) = false.
Proof.
  intros Hx Hn HM HL Hxn Hc Ha Hd Hs; unfold too_far, forward; cbn [fst snd].
  destruct Rle_dec as [|G]; [reflexivity|]; exfalso; apply G; clear G.
  set (R := 8 * sqrt (x * L / n) + 8 * x / n); set (A := INR (a + d)); set (B := INR (c - a + 1 - d)).
  assert (Sum : A + B = INR c + 1).
  { unfold A, B; rewrite <- plus_INR, <- S_INR; f_equal; lia. }
  assert (Gap : A - B <= sqrt (2 * INR c * M) + 1).
  { assert (A <= INR a + 1) by (unfold A; rewrite <- S_INR; apply le_INR; lia); lra. }
  assert (PA : 0 <= A) by apply pos_INR; assert (PB : 0 <= B) by apply pos_INR.
  (* Everything in y = x / n. *)
  set (y := x / n); assert (Hy : 0 < y) by (apply Rdiv_lt_0_compat; lra).
  assert (yM : y * M <= 1 / 16).
  { apply (Rmult_le_compat_r (16 * M)) in Hxn; [|lra].
    replace (n / (16 * M) * (16 * M)) with n in Hxn by (field; lra).
    apply (Rmult_le_reg_r (16 * n)); [lra|]; unfold y.
    replace (x / n * M * (16 * n)) with (x * (16 * M)) by (field; lra); lra. }
  set (w := sqrt (y * L)); assert (W : R = 8 * w + 8 * y).
  { unfold R, w, y; f_equal; [f_equal; f_equal; field; lra | field; lra]. }
  assert (Hw : 0 <= w) by apply sqrt_pos; set (v := sqrt (y * M)).
  assert (Hv : 0 <= v) by apply sqrt_pos.
  assert (Hvw : v <= w) by (apply sqrt_le_1_alt, Rmult_le_compat_l; lra).
  assert (Hv4 : v <= 1 / 4).
  { replace (1 / 4) with (sqrt (1 / 16)); [now apply sqrt_le_1_alt|].
    replace (1 / 16) with (1 / 4 * (1 / 4)) by field; apply sqrt_square; lra. }
  set (p := sqrt (2 * y * INR c)).
  assert (Hc' : 1 <= 2 * y * INR c).
  { apply (Rmult_le_compat_l (2 * y)) in Hc; [|lra].
    replace (2 * y * (n / (2 * x))) with 1 in Hc by (unfold y; field; lra); exact Hc. }
  assert (Hp : 1 <= p) by (rewrite <- sqrt_1; now apply sqrt_le_1_alt).
  assert (Pp : p * p = 2 * y * INR c) by (apply sqrt_sqrt; lra).
  assert (Root : y * sqrt (2 * INR c * M) = p * v).
  { assert (0 <= INR c) by apply pos_INR; assert (0 <= y * M) by (apply Rmult_le_pos; lra).
    assert (0 <= 2 * INR c * M) by (repeat apply Rmult_le_pos; lra); assert (0 <= y * y) by (apply Rmult_le_pos; lra).
    unfold p, v; rewrite <- sqrt_mult by lra; replace (2 * y * INR c * (y * M)) with (y * y * (2 * INR c * M)) by ring.
    rewrite (sqrt_mult (y * y)) by lra; now rewrite sqrt_square by lra. }
  assert (Key : (sqrt (2 * INR c * M) + 1) * (2 + R) <= R * (INR c + 1)).
  { apply (Rmult_le_reg_l y); [exact Hy|].
    replace (y * ((sqrt (2 * INR c * M) + 1) * (2 + R))) with (y * sqrt (2 * INR c * M) * (2 + R) + y * (2 + R)) by ring.
    replace (y * (R * (INR c + 1))) with (R * (2 * y * INR c) / 2 + y * R) by field.
    rewrite Root, <- Pp, W.
    assert (v * (8 * w + 8 * y) <= 1 / 4 * (8 * w + 8 * y)) by (apply Rmult_le_compat_r; lra).
    assert (p * (v * (2 + (8 * w + 8 * y))) <= p * (4 * w + 2 * y)) by (apply Rmult_le_compat_l; lra).
    assert (p * 1 <= p * p) by (apply Rmult_le_compat_l; lra).
    assert ((4 * w + 2 * y) * p <= (4 * w + 2 * y) * (p * p)) by (apply Rmult_le_compat_l; lra).
    assert (1 <= p * p) by lra; assert (2 * y * 1 <= 2 * y * (p * p)) by (apply Rmult_le_compat_l; lra); lra. }
  assert (RP : 0 <= R) by (rewrite W; lra).
  assert (Close : (A - B) * (x + 1) <= R * (A + x * B)).
  { destruct (Rle_dec (A - B) 0) as [N|N].
    - assert (0 <= R * (A + x * B)) by (apply Rmult_le_pos; [|assert (0 <= x * B) by (apply Rmult_le_pos; lra)]; lra).
      assert (0 <= (B - A) * (x + 1)) by (apply Rmult_le_pos; lra); lra.
    - (* (A - B)(2 + R) <= R (A + B), and 2 (A + x B) >= (x + 1) (A + B - (A - B)). *)
      assert (K : (A - B) * (2 + R) <= R * (A + B)).
      { rewrite Sum; eapply Rle_trans; [|exact Key]; apply Rmult_le_compat_r; lra. }
      assert (K' : (A - B) <= R * B) by lra.
      assert ((A - B) * (x + 1) <= R * B * (x + 1)) by (apply Rmult_le_compat_r; lra).
      assert (R * B <= R * A) by (apply Rmult_le_compat_l; lra); lra. }
  assert (T : 0 <= (x - 1) / (x + 1)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
  apply (Rmult_le_compat_l _ _ _ T) in Close.
  replace ((x - 1) / (x + 1) * ((A - B) * (x + 1))) with ((x - 1) * (A - B)) in Close by (field; lra); lra.
Qed.

(** Hoeffding: of c clones. *)
Lemma first_letters_tail c M :
  (0 < c)%nat -> 0 < M ->
  mean (fun a => exp (sqrt (2 * M / INR c) * (2 * INR a - INR c) - 2 * M)) (heads (1 / 2) c) <= exp (- M).
Proof.
  intros Hc HM; apply lt_0_INR in Hc as Pc; set (l := sqrt (2 * M / INR c)).
  assert (Q : l * l = 2 * M / INR c) by (apply sqrt_sqrt, Rlt_le, Rdiv_lt_0_compat; lra).
  rewrite (mean_ext _ (fun a => exp (- (l * INR c) - 2 * M) * exp (2 * l) ^ a)).
  2: { intros a; rewrite exp_power, <- exp_plus; f_equal; ring. }
  rewrite mean_scale, heads_powers; replace (1 - 1 / 2 * (1 - exp (2 * l))) with (1 / 2 + 1 / 2 * exp (2 * l)) by field.
  pose proof (coin_moments (1 / 2) (2 * l) ltac:(lra)) as C.
  assert (S : 1 / 2 + 1 / 2 * exp (2 * l) <= exp (l + l * l / 2)).
  { rewrite exp_plus; apply Rle_trans with (exp l * ((1 - 1 / 2) * exp (- (1 / 2 * (2 * l))) + 1 / 2 * exp ((1 - 1 / 2) * (2 * l)))).
    - replace (- (1 / 2 * (2 * l))) with (- l) by field; replace ((1 - 1 / 2) * (2 * l)) with l by field.
      rewrite Rmult_plus_distr_l, <- !Rmult_assoc, (Rmult_comm (exp l) (1 - 1 / 2)), (Rmult_comm (exp l) (1 / 2)).
      rewrite !Rmult_assoc, <- !exp_plus; replace (l + - l) with 0 by ring; rewrite exp_0.
      replace (l + l) with (2 * l) by ring; lra.
    - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
      replace (l * l / 2) with (2 * l * (2 * l) / 8) by field; exact C. }
  apply Rle_trans with (exp (- (l * INR c) - 2 * M) * exp (l + l * l / 2) ^ c).
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]; apply pow_incr; split; [|exact S].
    pose proof (exp_pos (2 * l)); lra.
  - rewrite exp_power, <- exp_plus; right; f_equal; rewrite Q; field; lra.
Qed.

(** Chernoff: few clones. *)
Lemma clones_tail x n M :
  1 <= x -> 1 / 2 <= M -> x <= INR n / (16 * M) ->
  mean (fun c => exp (1 / 2 * (INR n / (2 * x) - INR c))) (heads (1 / x) (n - 1)) <= exp (- M).
Proof.
  intros Hx HM Hxn; set (N := INR n) in *.
  assert (HN : 16 * M * x <= N).
  { apply (Rmult_le_compat_r (16 * M)) in Hxn; [|lra].
    replace (N / (16 * M) * (16 * M)) with N in Hxn by (field; lra); lra. }
  assert (8 <= N) by (assert (16 * (1 / 2) * 1 <= 16 * M * x) by (apply Rmult_le_compat; lra); lra).
  assert (Hn : (1 <= n)%nat) by (apply INR_le; fold N; cbn; lra).
  set (q := exp (- (1 / 2))); assert (Hq : 3 / 8 <= 1 - q).
  { unfold q; rewrite exp_Ropp; pose proof (exp_quadratic_positive (1 / 2) ltac:(lra)).
    assert (13 / 8 <= exp (1 / 2)) by lra; assert (/ exp (1 / 2) <= / (13 / 8)) by (apply Rinv_le_contravar; lra); lra. }
  rewrite (mean_ext _ (fun c => exp (1 / 2 * (N / (2 * x))) * q ^ c)).
  2: { intros c; unfold q; rewrite exp_power, <- exp_plus; f_equal; ring. }
  rewrite mean_scale, heads_powers; set (r := 1 / x).
  assert (Hr : 0 < r <= 1).
  { unfold r; split; [apply Rdiv_lt_0_compat; lra|]; apply (Rmult_le_reg_r x); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rle_trans with (exp (1 / 2 * (N / (2 * x))) * exp (- (r * (3 / 8))) ^ (n - 1)).
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]; apply pow_incr.
    assert (0 < q) by apply exp_pos.
    assert (r * (1 - q) <= 1 * 1) by (apply Rmult_le_compat; lra).
    assert (r * (3 / 8) <= r * (1 - q)) by (apply Rmult_le_compat_l; lra).
    pose proof (exp_ineq1_le (- (r * (3 / 8)))); lra.
  - rewrite exp_power, <- exp_plus; apply exp_le; rewrite minus_INR by exact Hn; fold N; cbn [INR].
    apply (Rmult_le_reg_r (8 * x)); [lra|]; unfold r.
    replace ((1 / 2 * (N / (2 * x)) + (N - 1) * - (1 / x * (3 / 8))) * (8 * x)) with (2 * N - 3 * (N - 1)) by (field; lra); lra.
Qed.

Theorem clones_hidden x n M L :
  1 <= x -> 1 / 2 <= M -> M <= L -> x <= INR n / (16 * M) ->
  hockey_stick same_pair (clone_counts forward x (1 / x) n) (clone_counts backward x (1 / x) n)
    (1 + (x - 1) / (x + 1) * (8 * sqrt (x * L / INR n) + 8 * x / INR n))
  <= 2 * exp (- M).
Proof.
  intros Hx HM HL Hxn; set (E := 1 + _).
  assert (Pn : 0 < INR n).
  { apply (Rmult_lt_reg_r (/ (16 * M))); [apply Rinv_0_lt_compat; lra | unfold Rdiv in Hxn; lra]. }
  assert (HE : 0 <= E).
  { unfold E; assert (0 <= (x - 1) / (x + 1)) by (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]).
    assert (0 <= 8 * sqrt (x * L / INR n)) by (apply Rmult_le_pos; [lra | apply sqrt_pos]).
    assert (0 <= 8 * x / INR n) by (apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]).
    assert (0 <= (x - 1) / (x + 1) * (8 * sqrt (x * L / INR n) + 8 * x / INR n)) by (apply Rmult_le_pos; lra); lra. }
  assert (Hr : 0 <= 1 / x <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]; apply (Rmult_le_reg_r x); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  eapply Rle_trans; [apply close_but_for; [lra | exact Hr | exact HE]|].
  unfold prob, clone_counts; rewrite mean_bind.
  apply Rle_trans with (mean (fun c => exp (1 / 2 * (INR n / (2 * x) - INR c)) + exp (- M)) (heads (1 / x) (n - 1))).
  2: { rewrite mean_plus, (mean_constant (heads (1 / x) (n - 1))) by now apply heads_is_law.
    pose proof (clones_tail x n M Hx HM Hxn); lra. }
  apply mean_le; [now apply heads_is_law|]; intros c; rewrite given_mean by lra.
  assert (I : forall z, 0 <= indicator (too_far x E) z <= 1) by (intros z; unfold indicator; destruct too_far; lra).
  assert (Two : forall u v m, u <= m -> v <= m -> (x * u + v) / (x + 1) <= m).
  { intros u v m Hu Hv; apply (Rmult_le_reg_r (x + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
    assert (x * u <= x * m) by (apply Rmult_le_compat_l; lra); lra. }
  pose proof (exp_pos (- M)); pose proof (exp_pos (1 / 2 * (INR n / (2 * x) - INR c))).
  destruct (Rle_dec (INR n / (2 * x)) (INR c)) as [G|G].
  - assert (Pc : (0 < c)%nat).
    { apply INR_lt; cbn; eapply Rlt_le_trans; [|exact G]; apply Rdiv_lt_0_compat; lra. }
    apply Rle_trans with (exp (- M)); [|lra].
    eapply Rle_trans; [|apply (first_letters_tail c M Pc ltac:(lra))]; apply mean_heads_le; [lra|]; intros a Ha.
    assert (Hpc : 0 < INR c) by now apply lt_0_INR.
    set (l := sqrt (2 * M / INR c)); assert (Q : l * sqrt (2 * INR c * M) = 2 * M).
    { unfold l; rewrite <- sqrt_mult by (try apply Rlt_le, Rdiv_lt_0_compat; try (repeat apply Rmult_le_pos); lra).
      replace (2 * M / INR c * (2 * INR c * M)) with (2 * M * (2 * M)) by (field; lra); apply sqrt_square; lra. }
    assert (Pl : 0 < l) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
    assert (One : forall d, (d <= 1)%nat -> indicator (too_far x E) (forward c a d) <= exp (l * (2 * INR a - INR c) - 2 * M)).
    { intros d Hd; destruct (Rle_dec (2 * INR a - INR c) (sqrt (2 * INR c * M))) as [S|S].
      - unfold indicator, E; rewrite (near_is_close (INR n) x M L) by (assumption || lra); apply Rlt_le, exp_pos.
      - eapply Rle_trans; [apply I|]; rewrite <- exp_0; apply exp_le.
        assert (l * sqrt (2 * INR c * M) <= l * (2 * INR a - INR c)) by (apply Rmult_le_compat_l; lra); lra. }
    apply Two; apply One; lia.
  - apply Rle_trans with 1.
    + apply Rle_trans with (mean (fun _ => 1) (heads (1 / 2) c)).
      * apply mean_le; [apply heads_is_law; lra|]; intros a; apply Two; apply I.
      * rewrite (mean_constant (heads (1 / 2) c)) by (apply heads_is_law; lra); lra.
    + apply Rle_trans with (exp (1 / 2 * (INR n / (2 * x) - INR c))); [|lra].
      apply Rle_trans with (exp 0); [rewrite exp_0; lra | apply exp_le; lra].
Qed.
