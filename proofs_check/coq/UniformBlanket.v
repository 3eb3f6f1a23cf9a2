(** * Shuffled k-ary randomized response

    - [revealed_among_uniform]: of a victim who tells x or x' among c uniform messages, the divergence at E is at most
      e^t (1 + (e^t + e^(-t E) - 2) / k)^c for every t > 0;
    - [k_rr_shuffled]: so on average over who else speaks uniformly: e^t (1 + g (e^t + e^(-t E) - 2) / k)^(n - 1).

    Source: Balle, Bell, Gascón, Nissim 2019, Theorem 3.1, with one Chernoff bound in place of two. *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket BlanketBounds TwoLetters CloneBounds.
Import ListNotations.
Open Scope R_scope.

Definition uniform_message (k : nat) : law nat := map (fun y => (y, / INR k)) (seq 0 k).
(** The truth z with probability 1 - g, else a uniform value. *)
Definition told (k : nat) (g : R) (z : nat) : law nat := weighted (1 - g) (certain z) ++ weighted g (uniform_message k).

Lemma mean_uniform_message k f : mean f (uniform_message k) = / INR k * total (map f (seq 0 k)).
Proof. unfold uniform_message; induction (seq 0 k) as [|y l IH]; cbn [map mean total]; [ring | rewrite IH; ring]. Qed.

Lemma total_indicator z k : (z < k)%nat -> forall g, total (map (fun y => g y * indicator (at_ Nat.eq_dec y) z) (seq 0 k)) = g z.
Proof.
  intros Hz g; rewrite (total_at Nat.eq_dec) by apply seq_NoDup; destruct in_dec as [I|I]; [reflexivity|].
  exfalso; apply I, in_seq; lia.
Qed.

Lemma uniform_message_is_law k : (0 < k)%nat -> is_law (uniform_message k).
Proof.
  intros Hk; apply lt_0_INR in Hk; split.
  - unfold nonnegative, uniform_message; apply Forall_map, Forall_forall; intros y _; cbn.
    now apply Rlt_le, Rinv_0_lt_compat.
  - rewrite mean_uniform_message; assert (H : forall l : list nat, total (map (fun _ => 1) l) = INR (length l)).
    { induction l as [|y l IH]; [reflexivity|]; cbn [map total length]; rewrite IH, S_INR; ring. }
    rewrite H, seq_length; field; lra.
Qed.

(** The number of messages z. *)
Definition count (z : nat) (ys : list nat) : R := total (map (indicator (at_ Nat.eq_dec z)) ys).

Lemma count_permutation z ys zs : Permutation ys zs -> count z ys = count z zs.
Proof. unfold count; induction 1; cbn [map total]; lra. Qed.

Lemma count_nonnegative z ys : 0 <= count z ys.
Proof.
  unfold count; induction ys as [|y ys IH]; cbn [map total]; [lra|].
  unfold indicator at 1; destruct at_; lra.
Qed.

Section Victim.
Variables (k c x x' : nat) (E t : R).
Hypotheses (Hx : (x < k)%nat) (Hx' : (x' < k)%nat) (N : x <> x') (HE : 1 <= E) (Ht : 0 < t).
Let omega := uniform_message k.
Let others := messages (repeat omega c).

Lemma count_self z ys : count z (z :: ys) = 1 + count z ys.
Proof. unfold count; cbn [map total]; unfold indicator at 1, at_; destruct (Nat.eq_dec z z); [reflexivity | easy]. Qed.
Lemma count_other z y ys : z <> y -> count z (y :: ys) = count z ys.
Proof. intros D; unfold count; cbn [map total]; unfold indicator at 1, at_; destruct (Nat.eq_dec z y); [easy | ring]. Qed.

(** n_x' P = n_x Q. *)
Lemma masses_exchanged (f : list nat -> R) :
  symmetric f ->
  mean (fun ys => count x' (x :: ys) * f (x :: ys)) others = mean (fun ys => count x (x' :: ys) * f (x' :: ys)) others.
Proof.
  intros Sf.
  rewrite (mean_ext _ (fun ys => count x' ys * f (x :: ys))) by (intros; now rewrite count_other by auto).
  rewrite (mean_ext (fun ys => count x (x' :: ys) * f (x' :: ys)) (fun ys => count x ys * f (x' :: ys)))
    by (intros; now rewrite count_other by auto).
  unfold others; destruct c as [|d]; [cbn; ring|].
  assert (S1 : forall z, symmetric (fun ys => f (z :: ys))) by (intros z ys zs H; apply Sf; now constructor).
  unfold count.
  rewrite (first_of_equal_users omega (indicator (at_ Nat.eq_dec x')) (fun ys => f (x :: ys)) d (S1 x)).
  rewrite (first_of_equal_users omega (indicator (at_ Nat.eq_dec x)) (fun ys => f (x' :: ys)) d (S1 x')).
  f_equal; unfold omega; rewrite !mean_uniform_message; f_equal.
  assert (P : forall z (g : nat -> R), (z < k)%nat ->
    total (map (fun y => indicator (at_ Nat.eq_dec z) y * g y) (seq 0 k)) = g z).
  { intros z g Hz; rewrite <- (total_indicator z k Hz g); apply total_ext; intros y _; unfold indicator, at_.
    destruct (Nat.eq_dec z y), (Nat.eq_dec y z); subst; try easy; ring. }
  rewrite !P by assumption; apply mean_ext; intros ys; apply Sf, perm_swap.
Qed.

Lemma revealed_among_uniform :
  hockey_stick same_counts (view k (certain x :: repeat omega c)) (view k (certain x' :: repeat omega c)) E
  <= exp t * (1 + (exp t + exp (- (t * E)) - 2) / INR k) ^ c.
Proof.
  assert (LO : is_law omega) by (apply uniform_message_is_law; lia).
  assert (NO : nonnegative others) by apply nonnegative_messages, LO.
  apply below_every_event; intros S.
  assert (V : forall z, prob S (view k (certain z :: repeat omega c)) = mean (fun ys => indicator S (histogram k (z :: ys))) others).
  { intros z; unfold prob, view; rewrite mean_image, mean_messages_cons; cbn [certain mean]; fold others; ring. }
  rewrite !V; clear V.
  set (far := fun ys => if Rle_dec (count x ys) (E * count x' ys) then 0 else 1).
  set (f := fun ys => (if Rle_dec (count x ys) (E * count x' ys) then indicator S (histogram k ys) else 0) * / count x' ys).
  assert (Sf : symmetric f).
  { intros ys zs H; unfold f; now rewrite (count_permutation x _ _ H), (count_permutation x' _ _ H), (histogram_symmetric k _ _ H). }
  pose proof (masses_exchanged f Sf) as M.
  assert (I : forall h, 0 <= indicator S h <= 1) by (intros h; unfold indicator; destruct (S h); lra).
  apply Rle_trans with (mean (fun ys => count x' (x :: ys) * f (x :: ys)) others + mean (fun ys => far (x :: ys)) others).
  - rewrite <- mean_plus; apply mean_le; [exact NO|]; intros ys; unfold f, far.
    pose proof (I (histogram k (x :: ys))); pose proof (count_nonnegative x' (x :: ys)).
    destruct Rle_dec as [G|G]; [|lra].
    rewrite count_self in G; pose proof (count_nonnegative x ys).
    destruct (Req_dec (count x' (x :: ys)) 0) as [Z|Z]; [rewrite Z in G; lra|].
    right; field; exact Z.
  - rewrite M; apply Rplus_le_compat.
    + rewrite <- mean_scale; apply mean_le; [exact NO|]; intros ys; unfold f.
      pose proof (I (histogram k (x' :: ys))); pose proof (count_nonnegative x (x' :: ys)).
      assert (0 < count x' (x' :: ys)) by (rewrite count_self; pose proof (count_nonnegative x' ys); lra).
      destruct Rle_dec as [G|G]; [|rewrite Rmult_0_l, Rmult_0_r; apply Rmult_le_pos; lra].
      apply (Rmult_le_reg_r (count x' (x' :: ys))); [assumption|].
      replace (count x (x' :: ys) * (indicator S (histogram k (x' :: ys)) * / count x' (x' :: ys)) * count x' (x' :: ys))
        with (indicator S (histogram k (x' :: ys)) * count x (x' :: ys)) by (field; lra).
      replace (E * indicator S (histogram k (x' :: ys)) * count x' (x' :: ys))
        with (indicator S (histogram k (x' :: ys)) * (E * count x' (x' :: ys))) by ring.
      apply Rmult_le_compat_l; [apply I | exact G].
    + (* Chernoff. *)
      set (L := fun y => indicator (at_ Nat.eq_dec x) y + - E * indicator (at_ Nat.eq_dec x') y).
      assert (T : forall ys, total (map L ys) = count x ys - E * count x' ys)
        by (intros ys; unfold L, count; rewrite total_plus, total_scale; ring).
      apply Rle_trans with (mean (fun ys => exp t * exp (t * total (map L ys))) others).
      * apply mean_le; [exact NO|]; intros ys; unfold far; rewrite count_self, (count_other x' x ys) by auto.
        rewrite T, <- exp_plus; destruct Rle_dec as [G|G]; [apply Rlt_le, exp_pos|].
        apply Rle_trans with (exp 0); [rewrite exp_0; lra|]; apply exp_le.
        assert (0 <= t * (1 + count x ys - E * count x' ys)) by (apply Rmult_le_pos; lra); lra.
      * rewrite mean_scale; unfold others; rewrite moments_of_sum; right; f_equal; f_equal.
        unfold omega; rewrite mean_uniform_message.
        rewrite (total_ext _ (fun y => 1 * 1 + ((exp t - 1) * indicator (at_ Nat.eq_dec y) x
          + (exp (- (t * E)) - 1) * indicator (at_ Nat.eq_dec y) x'))).
        2: { intros y _; unfold L, indicator, at_.
          destruct (Nat.eq_dec x y), (Nat.eq_dec x' y), (Nat.eq_dec y x), (Nat.eq_dec y x'); subst; try easy.
          - replace (t * (1 + - E * 0)) with t by ring; ring.
          - replace (t * (0 + - E * 1)) with (- (t * E)) by ring; ring.
          - replace (t * (0 + - E * 0)) with 0 by ring; rewrite exp_0; ring. }
        rewrite !total_plus, (total_indicator x k Hx (fun _ => exp t - 1)), (total_indicator x' k Hx' (fun _ => exp (- (t * E)) - 1)).
        pose proof (proj2 (uniform_message_is_law k ltac:(lia))) as One; rewrite mean_uniform_message in One.
        assert (Pk : 0 < INR k) by (apply lt_0_INR; lia).
        assert (Tk : total (map (fun _ => 1) (seq 0 k)) = INR k) by (apply (Rmult_eq_reg_l (/ INR k)); [rewrite One; field; lra | apply Rinv_neq_0_compat; lra]).
        rewrite total_scale, Tk; field; lra.
Qed.
End Victim.

(** ** All users *)

Lemma told_mixes k g z : mixes (told k g z) (1 - g) (certain z) (uniform_message k).
Proof. intros f; unfold told; rewrite mean_app, !mean_weighted; ring. Qed.

Lemma told_covered k g z : (0 < k)%nat -> 0 <= g <= 1 -> covered g (uniform_message k) (told k g z).
Proof.
  intros Hk Hg; pose proof (uniform_message_is_law k Hk) as [N One]; split; [split|].
  - apply Forall_app; split; apply nonnegative_weighted; try lra; [apply certain_is_law | exact N].
  - rewrite told_mixes, One; cbn; ring.
  - intros y; unfold mass, prob; rewrite told_mixes; cbn [certain mean].
    assert (0 <= indicator (at_ Nat.eq_dec y) z) by (unfold indicator; destruct at_; lra).
    assert (0 <= (1 - g) * indicator (at_ Nat.eq_dec y) z) by (apply Rmult_le_pos; lra); lra.
Qed.

Theorem k_rr_shuffled k g x x' others E t :
  (x < k)%nat -> (x' < k)%nat -> x <> x' -> 0 <= g <= 1 -> 1 <= E -> 0 < t ->
  hockey_stick same_counts (view k (told k g x :: map (told k g) others)) (view k (told k g x' :: map (told k g) others)) E
  <= exp t * (1 + g * ((exp t + exp (- (t * E)) - 2) / INR k)) ^ length others.
Proof.
  intros Hx Hx' N Hg HE Ht; set (omega := uniform_message k); set (q := 1 + (exp t + exp (- (t * E)) - 2) / INR k).
  assert (Hk : (0 < k)%nat) by lia; assert (LO : is_law omega) by now apply uniform_message_is_law.
  eapply Rle_trans; [apply (blanket_reduction k omega g); [exact LO | exact Hg|]|].
  { apply Forall_map, Forall_forall; intros z _; now apply told_covered. }
  rewrite map_length.
  apply Rle_trans with (binomial_total (length others) (fun c => g ^ c * (1 - g) ^ (length others - c) * (exp t * q ^ c))).
  - apply binomial_total_le; intros c; apply Rmult_le_compat_l; [apply Rmult_le_pos; apply pow_le; lra|].
    eapply Rle_trans; [apply (partly_same k _ _ (1 - g) (certain x) (certain x') omega); try apply told_mixes; try lra; [exact LO|]|].
    { apply Forall_forall; intros u Hu; apply repeat_spec in Hu; now subst. }
    pose proof (revealed_among_uniform k c x x' E t Hx Hx' N HE Ht) as R; fold omega q in R.
    pose proof (hockey_stick_nonnegative same_counts (view k (certain x :: repeat omega c)) (view k (certain x' :: repeat omega c)) E).
    eapply Rle_trans; [|exact R]; rewrite <- (Rmult_1_l (hockey_stick _ _ _ E)) at 2; apply Rmult_le_compat_r; lra.
  - rewrite <- (heads_binomial g (length others) (fun c => exp t * q ^ c)), mean_scale, heads_powers.
    right; f_equal; f_equal; unfold q; ring.
Qed.

(** ** The closed form *)

Lemma exp_quarter : exp (1 / 4) <= 103 / 80.
Proof.
  assert (S : exp (1 / 64) <= 64 / 63).
  { replace (1 / 64) with (- - (1 / 64)) by ring; rewrite exp_Ropp; pose proof (exp_ineq1_le (- (1 / 64))).
    replace (64 / 63) with (/ (63 / 64)) by field; apply Rinv_le_contravar; lra. }
  replace (1 / 4) with (INR 16 * (1 / 64)) by (cbn; field); rewrite <- exp_power.
  apply Rle_trans with ((64 / 63) ^ 16); [apply pow_incr; split; [apply Rlt_le, exp_pos | exact S] | lra].
Qed.

Lemma quarter_moments e :
  0 < e <= 1 -> e / 4 * e / 27 + (exp (e / 4) + exp (- (e / 4 * exp e)) - 2) <= - (e ^ 2 / 14).
Proof.
  intros He.
  assert (A : exp (e / 4) <= 1 + e / 4 + e ^ 2 * (3 / 80)).
  { pose proof (exp_quadratic (e / 4) (1 / 4) ltac:(lra) ltac:(lra)) as Q; pose proof exp_quarter.
    assert ((exp (1 / 4) - 1 - 1 / 4) / (1 / 4) ^ 2 <= 3 / 5) by lra.
    assert ((e / 4) ^ 2 * ((exp (1 / 4) - 1 - 1 / 4) / (1 / 4) ^ 2) <= (e / 4) ^ 2 * (3 / 5))
      by (apply Rmult_le_compat_l; [apply pow2_ge_0 | assumption]); lra. }
  set (s := e / 4 * (1 + e)); assert (Hs : 0 <= s) by (apply Rmult_le_pos; lra).
  assert (B : exp (- (e / 4 * exp e)) <= 1 - s + s ^ 2 / 2).
  { apply Rle_trans with (exp (- s)).
    - apply exp_le; unfold s; pose proof (exp_ineq1_le e).
      assert (e / 4 * (1 + e) <= e / 4 * exp e) by (apply Rmult_le_compat_l; lra); lra.
    - pose proof (exp_quadratic_negative (- s) ltac:(lra)); lra. }
  assert (C : s ^ 2 <= e ^ 2 / 4).
  { replace (s ^ 2) with (e ^ 2 * ((1 + e) ^ 2 / 16)) by (unfold s; field).
    replace (e ^ 2 / 4) with (e ^ 2 * (1 / 4)) by field; apply Rmult_le_compat_l; [apply pow2_ge_0 | nra]. }
  unfold s in B, C; pose proof (pow2_ge_0 e); lra.
Qed.

Theorem k_rr_hidden k g x x' others e d :
  (x < k)%nat -> (x' < k)%nat -> 0 <= g <= 1 -> 0 < e <= 1 -> 0 < d <= 1 ->
  14 * ln (2 / d) / e ^ 2 <= INR (length others) * g / INR k -> 27 / e <= INR (length others) * g / INR k ->
  hockey_stick same_counts (view k (told k g x :: map (told k g) others)) (view k (told k g x' :: map (told k g) others)) (exp e)
  <= d / 2.
Proof.
  intros Hx Hx' Hg He Hd H14 H27; set (m := INR (length others) * g / INR k) in *.
  assert (E1 : 1 <= exp e) by (pose proof (exp_ineq1_le e); lra).
  destruct (Nat.eq_dec x x') as [<-|N].
  { apply Rle_trans with 0; [|lra]; apply below_every_event; intros S.
    assert (Hk : (0 < k)%nat) by lia.
    assert (L : is_law (view k (told k g x :: map (told k g) others))).
    { apply view_is_law; constructor; [now apply told_covered|]; apply Forall_map, Forall_forall; intros z _; now apply told_covered. }
    pose proof (prob_nonnegative S _ (proj1 L)); rewrite Rplus_0_r; set (p := prob S _) in *.
    rewrite <- (Rmult_1_l p) at 1; apply Rmult_le_compat_r; lra. }
  assert (Pk : 2 <= INR k) by (replace 2 with (INR 2) by (cbn; ring); apply le_INR; lia).
  set (t := e / 4); set (u := exp t + exp (- (t * exp e)) - 2).
  assert (Ht : 0 < t) by (unfold t; lra).
  eapply Rle_trans; [apply (k_rr_shuffled k g x x' others (exp e) t); assumption|]; fold u.
  assert (U : -2 <= u) by (unfold u; pose proof (exp_pos t); pose proof (exp_pos (- (t * exp e))); lra).
  apply Rle_trans with (exp t * exp (g * (u / INR k)) ^ length others).
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|]; apply pow_incr; split; [|apply exp_ineq1_le].
    assert (-1 <= u / INR k).
    { apply (Rmult_le_reg_r (INR k)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    assert (g * -1 <= g * (u / INR k)) by (apply Rmult_le_compat_l; lra); lra.
  - rewrite exp_power, <- exp_plus; replace (INR (length others) * (g * (u / INR k))) with (m * u) by (unfold m; field; lra).
    assert (Pm : 0 < m) by (eapply Rlt_le_trans; [|exact H27]; apply Rdiv_lt_0_compat; lra).
    pose proof (quarter_moments e He) as Q; fold t u in Q.
    assert (T : t <= m * (t * e / 27)).
    { apply (Rmult_le_compat_r (t * e / 27)) in H27; [|unfold t; apply Rmult_le_pos; [apply Rmult_le_pos|]; lra].
      replace (27 / e * (t * e / 27)) with t in H27 by (field; lra); exact H27. }
    assert (Mu : m * (t * e / 27 + u) <= m * (- (e ^ 2 / 14))) by (apply Rmult_le_compat_l; lra).
    assert (Hl : ln (2 / d) <= m * (e ^ 2 / 14)).
    { assert (0 < e ^ 2) by (apply pow_lt; lra); apply (Rmult_le_compat_r (e ^ 2 / 14)) in H14; [|lra].
      replace (14 * ln (2 / d) / e ^ 2 * (e ^ 2 / 14)) with (ln (2 / d)) in H14 by (field; lra); exact H14. }
    apply Rle_trans with (exp (- ln (2 / d))); [apply exp_le; lra|].
    assert (0 < 2 / d) by (apply Rdiv_lt_0_compat; lra).
    rewrite exp_Ropp, exp_ln by assumption; replace (/ (2 / d)) with (d / 2) by (field; lra); lra.
Qed.
