(** * Claims of Erlingsson et al. 2019 on composition, Rényi divergences and the longitudinal client

    Each theorem is a claim of its catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket Letters TwoLetters Clones Claims Swapping SwappedOrders.
Require Import OptimalComposition ApproximateComposition Renyi Longitudinal ClaimsErlingsson2019.
Import ListNotations.
Open Scope R_scope.

(** ** Advanced composition *)

(** D of k steps on one data set and on the other; the bound on eps, and that of the remark after it, x = e^eps. *)
Definition composed_apart {A} (same : forall x y : A, {x = y} + {x <> y}) (k : nat)
    (s : (list A -> law A) * (list A -> law A)) (E : R) : R :=
  hockey_stick (list_eq_dec same) (run (repeat (fst s) k) []) (run (repeat (snd s) k) []) E.
Definition composed_epsilon (k : nat) (x d : R) : R :=
  ln x * sqrt (2 * INR k * ln (1 / d)) + INR k * ln x * (x - 1).
Definition overhead_epsilon (k : nat) (x d : R) : R := 2 * ln x * sqrt (2 * INR k * ln (1 / d)).

Lemma ln_nonnegative x : 1 <= x -> 0 <= ln x.
Proof. intros H; rewrite <- ln_1; apply ln_le; lra. Qed.

Theorem erlingsson2019_theorem_2 {A} (same : forall x y : A, {x = y} + {x <> y})
    (k : nat) (exp_epsilon : R) (delta : R) (delta_prime : R) (steps : (list A -> law A) * (list A -> law A)) :
  (1 <= k)%nat -> 1 <= exp_epsilon -> 0 <= delta -> delta < 1 -> 0 < delta_prime -> delta_prime < 1 ->
  (forall past, approximately_private same exp_epsilon delta (fst steps past) (snd steps past)) ->
  composed_apart same k steps (exp (composed_epsilon k exp_epsilon delta_prime)) <= ((INR k) * delta) + delta_prime.
Proof.
  intros _ Hx H0 H1 D0 D1 H; assert (E : exp (ln exp_epsilon) = exp_epsilon) by (apply exp_ln; lra).
  pose proof (approximate_composition same (fst steps) (snd steps) (ln exp_epsilon) delta k delta_prime) as T.
  rewrite E in T; unfold composed_apart, composed_epsilon; rewrite (Rmult_comm (ln exp_epsilon) (sqrt _)).
  apply T; try lra; [now apply ln_nonnegative | exact H].
Qed.

(** The second term is below the first, unless delta is more than a half. *)
Lemma composed_below_overhead k x d :
  (1 <= k)%nat -> 1 <= x -> 0 < d -> d <= 1 / 2 -> x < exp 1 -> overhead_epsilon k x d < 1 ->
  composed_epsilon k x d <= overhead_epsilon k x d.
Proof.
  intros Hk Hx D0 D1 Hx1 O; unfold composed_epsilon, overhead_epsilon in *.
  assert (L : 1 / 2 <= ln (1 / d)).
  { rewrite <- (ln_exp (1 / 2)); apply ln_le; [apply exp_pos|]; pose proof exp_half_at_most.
    apply Rle_trans with 2; [lra|]; apply (Rmult_le_reg_r d); [lra|]; replace (1 / d * d) with 1 by (field; lra); lra. }
  set (l := ln (1 / d)) in *; set (e := ln x) in *; set (r := sqrt (2 * INR k * l)) in *.
  assert (K : 1 <= INR k) by (apply (le_INR 1), Hk).
  assert (R2 : r * r = 2 * INR k * l) by (apply sqrt_sqrt; repeat apply Rmult_le_pos; lra).
  assert (R0 : 0 <= r) by apply sqrt_pos; assert (E0 : 0 <= e) by (now apply ln_nonnegative).
  assert (E1 : e <= 1) by (unfold e; rewrite <- (ln_exp 1); apply ln_le; lra).
  assert (X : x - 1 <= 2 * e).
  { replace x with (exp e) by (apply exp_ln; lra); apply (exp_chord 1); try lra.
    apply Rle_trans with (5 / 3 * (5 / 3) - 1); [|lra]; replace 1 with (1 / 2 + 1 / 2) at 1 by field; rewrite exp_plus.
    pose proof exp_half_at_most; pose proof (exp_pos (1 / 2)).
    assert (exp (1 / 2) * exp (1 / 2) <= 5 / 3 * (5 / 3)) by (apply Rmult_le_compat; lra); lra. }
  (* k <= r^2, and 2 e r <= 1. *)
  assert (KR : INR k <= r * r).
  { rewrite R2; assert (INR k * (1 / 2) <= INR k * l) by (apply Rmult_le_compat_l; lra); lra. }
  assert (INR k * (x - 1) <= r * r * (2 * e)) by (apply Rmult_le_compat; lra).
  assert (r * (2 * e * r) <= r * 1) by (apply Rmult_le_compat_l; lra).
  assert (e * (INR k * (x - 1)) <= e * r) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma composed_at_most_one {A} (same : forall x y : A, {x = y} + {x <> y}) k (s : (list A -> law A) * (list A -> law A)) E :
  0 <= E -> (forall past, is_law (fst s past) /\ is_law (snd s past)) -> composed_apart same k s E <= 1.
Proof.
  intros HE H; apply below_every_event; intros S.
  assert (L : is_law (run (repeat (fst s) k) []) /\ is_law (run (repeat (snd s) k) []))
    by (split; apply run_is_law, repeat_laws; intros; apply H).
  destruct L as [L L']; pose proof (prob_between S _ L); pose proof (prob_between S _ L').
  assert (0 <= E * prob S (run (repeat (snd s) k) [])) by (apply Rmult_le_pos; lra); lra.
Qed.

Theorem erlingsson2019_theorem_2_corollary {A} (same : forall x y : A, {x = y} + {x <> y})
    (k : nat) (exp_epsilon : R) (delta : R) (steps : (list A -> law A) * (list A -> law A)) :
  (1 <= k)%nat -> 1 <= exp_epsilon -> 0 < delta -> delta < 1 ->
  (forall past, approximately_private same exp_epsilon delta (fst steps past) (snd steps past)) ->
  exp_epsilon < exp 1 -> (2 * (ln exp_epsilon)) * (sqrt ((2 * (INR k)) * (ln (1 / delta)))) < 1 ->
  composed_apart same k steps (exp (overhead_epsilon k exp_epsilon delta)) <= ((INR k) + 1) * delta.
Proof.
  intros Hk Hx D0 D1 H Hx1 O.
  assert (L : forall past, is_law (fst steps past) /\ is_law (snd steps past)) by (intros past; destruct (H past) as [? [? _]]; now split).
  destruct (Rle_dec delta (1 / 2)) as [S|S].
  - apply Rle_trans with (INR k * delta + delta); [|lra].
    eapply Rle_trans; [|apply (erlingsson2019_theorem_2 same k exp_epsilon delta delta steps); assumption || lra].
    apply larger_factor; [apply run_is_law, repeat_laws; intros; apply L|].
    apply exp_le; now apply composed_below_overhead.
  - apply Rle_trans with 1; [apply composed_at_most_one; [apply Rlt_le, exp_pos | exact L]|].
    assert (1 <= INR k) by (apply (le_INR 1), Hk).
    assert (2 * delta <= (INR k + 1) * delta) by (apply Rmult_le_compat_r; lra); lra.
Qed.

(** ** Remark 1 *)

Lemma private_of_pair {A} (same : forall x y : A, {x = y} + {x <> y}) x (P Q : law A) :
  0 < x -> private_pair same x P Q -> private same P Q (ln x).
Proof.
  intros Hx (LP & LQ & HPQ & HQP); unfold private; rewrite exp_ln by exact Hx.
  split; [exact LP|]; split; [exact LQ|]; split; now apply within_close.
Qed.

Theorem erlingsson2019_dp_to_rdp {A} (same : forall x y : A, {x = y} + {x <> y})
    (exp_epsilon : R) (order : R) (P : law A) (Q : law A) :
  1 <= exp_epsilon -> 1 <= order -> is_law P -> private_pair same exp_epsilon P Q ->
  renyi same order P Q <= (order * ((ln exp_epsilon) ^ 2)) / 2.
Proof.
  intros Hx Ho _ H; pose proof (private_of_pair same exp_epsilon P Q ltac:(lra) H) as Pr.
  replace (order * ln exp_epsilon ^ 2 / 2) with (order * (ln exp_epsilon ^ 2 / 2)) by field.
  apply (renyi_below same P Q (ln exp_epsilon)); [exact Pr | | exact Ho]; intros b Hb.
  replace (b * (b - 1) * (ln exp_epsilon ^ 2 / 2)) with (b * (b - 1) * ln exp_epsilon ^ 2 / 2) by field.
  apply (private_moments same); [now apply ln_nonnegative | lra | exact Pr].
Qed.

(** The Rényi divergence of the messages of data sets that differ in one element, in a uniformly random order. *)
Definition messages_renyi {X A} (same : forall x y : A, {x = y} + {x <> y}) (order : R) (p : protocol X A) : R :=
  renyi (list_eq_dec same) order (shuffled (steps p) (before p ++ first p :: after p))
    (shuffled (steps p) (before p ++ second p :: after p)).

Theorem erlingsson2019_rdp {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (order : R) (randomizers : protocol X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> 1 <= order ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  messages_renyi same order randomizers
  <= (((2 * order) * (exp_epsilon0 ^ 4)) * ((exp_epsilon0 - 1) ^ 2)) / (INR n).
Proof.
  intros Hn Hx Ho [U [L H]]; assert (N : 0 < INR n) by (apply lt_0_INR; lia).
  assert (P : Forall (fun K => forall past z z', is_law (K past z) /\ within same exp_epsilon0 (K past z) (K past z'))
    (steps randomizers)) by (eapply Forall_impl; [|exact H]; intros K HK; now apply private_ratio).
  destruct (shuffling_swaps same _ _ n _ (after randomizers) (first randomizers) U L P) as [K [PK F]].
  set (e := step_epsilon exp_epsilon0 n); set (others := before randomizers ++ after randomizers) in *.
  set (z := fun y zs => at_position (first randomizers) (y :: zs)) in *.
  assert (E0 : 0 <= e).
  { unfold e, step_epsilon; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, N].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le; lra] | lra]. }
  pose proof (posterior_is_law same K exp_epsilon0 n PK) as LP.
  assert (C : forall y y' zs past,
    private same (posterior same K n (z y zs) past) (posterior same K n (z y' zs) past) e).
  { intros y y' zs past; split; [apply LP|]; split; [apply LP|]; split; apply within_close;
      apply (posterior_within same K exp_epsilon0 n ltac:(lra) ltac:(lia) PK); intros [|k] Hk; (contradiction || reflexivity). }
  assert (M : forall y f, mean f (bind (permuted others) (fun zs => run (repeat (posterior same K n (z y zs)) n) []))
    = mean f (shuffled (steps randomizers) (before randomizers ++ y :: after randomizers))).
  { intros y f; rewrite F, !mean_bind; apply mean_ext; intros zs; symmetry.
    apply (swapped_run_mean same K exp_epsilon0 n ltac:(lia) PK). }
  assert (Pr : forall y y', hockey_stick (list_eq_dec same)
    (shuffled (steps randomizers) (before randomizers ++ y :: after randomizers))
    (shuffled (steps randomizers) (before randomizers ++ y' :: after randomizers)) (exp (INR n * e)) <= 0).
  { intros y y'; rewrite <- (hockey_stick_ext _ _ _ _ _ _ (M y) (M y')).
    destruct (permuted_is_law others) as [Np Mp]; eapply Rle_trans; [now apply mixed_pairs|].
    apply Rle_trans with (mean (fun _ => 0 * 1) (permuted others)); [|rewrite mean_scale, Mp; lra].
    apply mean_le; [exact Np|]; intros zs; rewrite Rmult_0_l, <- (Rmult_0_r (INR n)).
    apply (composition_of_equal_steps same); intros past; destruct (C y y' zs past) as [A1 [A2 [A3 _]]]; auto. }
  unfold messages_renyi.
  replace (2 * order * exp_epsilon0 ^ 4 * (exp_epsilon0 - 1) ^ 2 / INR n) with (order * (INR n * (e ^ 2 / 2)))
    by (unfold e, step_epsilon; field; lra).
  assert (LS : forall data, is_law (shuffled (steps randomizers) data)).
  { intros data; apply shuffled_is_law; eapply Forall_impl; [|exact P]; intros K' HK past y; apply (HK past y y). }
  apply (renyi_below (list_eq_dec same) _ _ (INR n * e)); [|intros b Hb | exact Ho].
  - split; [apply LS|]; split; [apply LS|]; split; apply Pr.
  - eapply moment_below_ext; [apply M | apply M|]; apply moments_of_mixtures; [apply permuted_is_law|]; intros zs.
    replace (b * (b - 1) * (INR n * (e ^ 2 / 2))) with (INR n * (b * (b - 1) * e ^ 2 / 2)) by field.
    apply moments_of_runs; [lra|]; intros past; split; [apply LP|]; split; [apply LP|].
    apply (private_moments same); [exact E0 | lra | apply C].
Qed.

(** ** The longitudinal client *)

(** D of the client's outputs on two inputs; y = e^(eps/2). *)
Definition client_apart (d k : nat) (y : R) (inputs : list Z * list Z) (E : R) : R :=
  hockey_stick same_reports (client d k y (fst inputs)) (client d k y (snd inputs)) E.

Theorem erlingsson2019_theorem_5 (d : nat) (k : nat) (exp_half_epsilon : R) (inputs : list Z * list Z) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= k)%nat -> 1 < exp_half_epsilon -> input d k (fst inputs) /\ input d k (snd inputs) ->
  client_apart d k exp_half_epsilon inputs (exp_half_epsilon ^ 2) <= 0.
Proof.
  intros _ Hk Hy [[L [V _]] [L' [V' _]]]; apply below_every_event; intros S; rewrite Rplus_0_r.
  assert (I : forall ys, 0 <= indicator S ys) by (intros ys; unfold indicator; destruct (S ys); lra).
  eapply Rle_trans; [apply (client_ratio d k exp_half_epsilon _ (snd inputs) (indicator S)); assumption|].
  apply Rmult_le_compat_r; [apply prob_nonnegative, client_law; [lia | lra]|].
  assert (1 * exp_half_epsilon <= exp_half_epsilon * exp_half_epsilon) by (apply Rmult_le_compat_r; lra); cbn; lra.
Qed.

(** ** Swapped positions *)

(** The positions below m at which data with all elements different are not the same, swapped with i and with j. *)
Definition positions_apart (i j m : nat) : nat :=
  length (filter (fun k => negb (swapped (fun k => k) i k =? swapped (fun k => k) j k)%nat) (seq 0 m)).

Theorem erlingsson2019_two_positions (n : nat) (i : nat) (j : nat) :
  (2 <= n)%nat -> (1 <= i)%nat -> (i <= n)%nat -> (1 <= j)%nat -> (j <= n)%nat -> INR i <> INR j ->
  INR (positions_apart (i - 1) (j - 1) (i - 1)) <= 2.
Proof.
  intros _ Hi _ Hj _ D; apply (le_INR _ 2); unfold positions_apart.
  apply (NoDup_incl_length (l' := [0; j - 1]%nat)); [apply NoDup_filter, seq_NoDup|].
  intros k Hk; apply filter_In in Hk as [Hk N]; apply in_seq in Hk; unfold swapped in N.
  destruct (Nat.eqb_spec k 0) as [->|]; [now left|].
  destruct (Nat.eqb_spec k (i - 1)); [lia|]; destruct (Nat.eqb_spec k (j - 1)) as [->|]; [right; now left|].
  rewrite Nat.eqb_refl in N; discriminate.
Qed.

(** The elements of [n] without i_star in a uniformly random order behind it, and its change of place with a uniform one. *)
Definition arranged (n i_star : nat) : law (list nat) :=
  bind (permuted (remove Nat.eq_dec i_star (seq 1 n))) (fun zs =>
    bind (uniform n) (fun i => certain (map (swapped (at_position i_star (i_star :: zs)) i) (seq 0 n)))).

Lemma swapped_list {X} (x d : X) zs f :
  mean f (bind (uniform (S (length zs))) (fun i => certain (map (swapped (at_position d (x :: zs)) i) (seq 0 (S (length zs))))))
  = / INR (S (length zs)) * (f (x :: zs) + total (map (fun r => f (fst r :: snd r)) (replacements x zs))).
Proof.
  rewrite mean_bind; unfold uniform; rewrite mean_listed, total_scale; f_equal.
  set (g := fun i => f (map (swapped (at_position d (x :: zs)) i) (seq 0 (S (length zs))))).
  rewrite (total_ext _ g) by (intros; unfold g, certain; cbn [mean]; ring).
  rewrite (total_nth _ (x, []) (replacements x zs)), replacements_length.
  change (total (map g (seq 0 (S (length zs))))) with (g 0%nat + total (map g (seq 1 (length zs)))); unfold g; f_equal.
  - f_equal; apply (nth_ext _ _ d d); [rewrite map_length, seq_length; reflexivity|]; intros k Hk.
    rewrite map_length, seq_length in Hk; rewrite (nth_indep _ d (swapped (at_position d (x :: zs)) 0 0)) by (now rewrite map_length, seq_length).
    rewrite map_nth, seq_nth by exact Hk; unfold swapped, at_position; cbn [plus].
    destruct (Nat.eqb_spec k 0) as [->|]; reflexivity.
  - rewrite <- seq_shift, map_map; apply total_ext; intros j Hj; apply in_seq in Hj.
    destruct (replacement_at x d zs j ltac:(lia)) as [E [L H]]; set (r := nth j (replacements x zs) (x, [])) in *.
    f_equal; apply (nth_ext _ _ d d); [rewrite map_length, seq_length; cbn; lia|]; intros k Hk.
    rewrite map_length, seq_length in Hk; rewrite (nth_indep _ d (swapped (at_position d (x :: zs)) (S j) 0)) by (now rewrite map_length, seq_length).
    rewrite map_nth, seq_nth by exact Hk; unfold swapped, at_position; cbn [plus].
    destruct k as [|k]; cbn [Nat.eqb nth]; [symmetry; exact E|]; rewrite H; now destruct (Nat.eqb_spec k j).
Qed.

Lemma remove_one (a : nat) l : NoDup l -> In a l -> Permutation.Permutation l (a :: remove Nat.eq_dec a l).
Proof.
  intros D; induction D as [|b l N D IH]; intros I; [contradiction|]; cbn [remove]; destruct (Nat.eq_dec a b) as [->|E].
  - now rewrite (notin_remove Nat.eq_dec l b N).
  - destruct I as [I|I]; [now subst|]; rewrite Permutation.perm_swap; apply Permutation.perm_skip, IH, I.
Qed.

Theorem erlingsson2019_uniform_permutation (n : nat) (i_star : nat) (event : list nat -> bool) :
  (1 <= n)%nat -> (1 <= i_star)%nat -> (i_star <= n)%nat ->
  prob event (arranged n i_star) = prob event (permuted (seq 1 n)).
Proof.
  intros Hn H1 H2; set (zs := remove Nat.eq_dec i_star (seq 1 n)).
  assert (P : Permutation.Permutation (seq 1 n) (i_star :: zs)) by (apply remove_one; [apply seq_NoDup | apply in_seq; lia]).
  pose proof (Permutation.Permutation_length P) as L; rewrite seq_length in L; cbn [length] in L.
  unfold prob, arranged; rewrite (permuted_order_blind _ _ P); fold zs; rewrite mean_bind.
  rewrite (permuted_length zs _ (fun ys => / INR n * (indicator event (i_star :: ys)
    + total (map (fun r => indicator event (fst r :: snd r)) (replacements i_star ys)))))
    by (intros ys Ly; rewrite L, <- Ly; apply swapped_list).
  rewrite mean_scale, <- swapped_order, L; field; apply not_0_INR; lia.
Qed.
