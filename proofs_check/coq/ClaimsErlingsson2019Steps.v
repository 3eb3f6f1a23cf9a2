(** * The steps of amplification by swapping, claims of Erlingsson et al. 2019

    Each theorem is a claim of its catalog, its statement exported from the claim's own form; x = e^eps0. Steps
    are known by how many outcomes are earlier. *)

From Coq Require Import Reals List Lra Lia Arith Bool.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket Letters TwoLetters Clones Claims Swapping SwappedOrders.
Require Import ClaimsErlingsson2019.
Import ListNotations.
Open Scope R_scope.

(** A_swap on data that differ in the first element, and the outcomes of its first steps, the last one first. *)
Record swap_step (X A : Type) := { all_steps : swapping X A; earlier : list A }.
Arguments all_steps {X A}. Arguments earlier {X A}.

Definition has_earlier {X A} (same : forall x y : A, {x = y} + {x <> y}) (x : R) (step : nat) (s : swap_step X A) : Prop :=
  private_after same (ln x) (randomizer (all_steps s)) /\ S (length (earlier s)) = step.

(** The data sets: 0 and 1. *)
Definition on {X A} (s : swap_step X A) (side : nat) : nat -> X :=
  placed (if side =? 0 then one (all_steps s) else two (all_steps s)) (elsewhere (all_steps s)).

(** Pr[Z_1, ..., Z_(i-1) | T = j], and without condition. *)
Definition given_position {X A} (same : forall x y : A, {x = y} + {x <> y}) (s : swap_step X A) (j : nat) : R :=
  likelihood same (randomizer (all_steps s)) (swapped (on s 0) (j - 1)) (earlier s).
Definition of_earlier {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (s : swap_step X A) : R :=
  weight same (randomizer (all_steps s)) n (on s 0) (earlier s) / INR n.

(** p = Pr[T = i | Z_1, ..., Z_(i-1)]; mu, the law of Z_i given these; mu_0, given T <> i too. *)
Definition position_next {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (s : swap_step X A) (side : nat) : R :=
  here_next same (randomizer (all_steps s)) n (on s side) (earlier s).
Definition next_law {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (s : swap_step X A) (side : nat) : law A :=
  posterior same (randomizer (all_steps s)) n (on s side) (earlier s).
Definition others_weight {X A} (same : forall x y : A, {x = y} + {x <> y}) (K : list A -> X -> law A)
    (z : nat -> X) (past : list A) (j : nat) : R :=
  if j =? length past then 0 else likelihood same K (swapped z j) past.
Definition law_elsewhere {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (s : swap_step X A) (side : nat) : law A :=
  let K := randomizer (all_steps s) in
  let w := others_weight same K (on s side) (earlier s) in
  bind (map (fun j => (j, w j / total (map w (seq 0 n)))) (seq 0 n)) (fun j => fed K (swapped (on s side) j) (earlier s)).

Definition steps_apart {X A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (s : swap_step X A) (E : R) : R :=
  hockey_stick same (next_law same n s 0) (next_law same n s 1) E.

Section Step.
Context {X A : Type} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (x : R) (s : swap_step X A) (step : nat).
Hypotheses (Hn : (2 <= n)%nat) (Hx : 1 < x) (H : has_earlier same x step s).

Let K := randomizer (all_steps s).
Let N : 0 < INR n. Proof. apply lt_0_INR; lia. Qed.
Let L : length (earlier s) = (step - 1)%nat. Proof. destruct H as [_ H']; lia. Qed.
Let P : forall past z z', is_law (K past z) /\ within same x (K past z) (K past z').
Proof. destruct H as [H' _]; now apply private_ratio. Qed.

Lemma agree k : k <> 0%nat -> on s 0 k = on s 1 k.
Proof. destruct k; [contradiction | reflexivity]. Qed.

Lemma step_private : steps_apart same n s (exp (eps1 n x)) <= 0.
Proof.
  apply within_close; apply (posterior_within same K x n ltac:(lra) ltac:(lia) P); exact agree.
Qed.

Lemma p_at_most : position_next same n s 0 <= x ^ 2 / INR n.
Proof.
  assert (B : 0 <= x ^ 2 / INR n) by (apply Rmult_le_pos; [apply pow_le; lra | apply Rlt_le, Rinv_0_lt_compat, N]).
  unfold position_next; fold K.
  destruct (Rle_lt_or_eq_dec _ _ (weight_nonnegative same K x n P (on s 0) (earlier s))) as [W|W].
  - apply (here_next_bound same K x n ltac:(lra) ltac:(lia) P (on s 0) (earlier s) W).
  - unfold here_next; destruct in_dec as [I|_]; [|exact B].
    pose proof (total_zero _ _ (fun j => likelihood_nonnegative same K x P (swapped (on s 0) j) (earlier s)) (eq_sym W) _ I) as Z.
    cbv beta in Z; rewrite Z; unfold Rdiv at 1; rewrite Rmult_0_l; exact B.
Qed.

Lemma likelihoods_close j : given_position same s step <= x ^ 2 * given_position same s j.
Proof. apply (likelihood_two same K x n ltac:(lra) ltac:(lia) P); lia. Qed.

Lemma likelihood_close : given_position same s step <= x ^ 2 * of_earlier same n s.
Proof.
  unfold of_earlier; fold K; apply (Rmult_le_reg_l (INR n)); [exact N|].
  replace (INR n * (x ^ 2 * (weight same K n (on s 0) (earlier s) / INR n)))
    with (x ^ 2 * weight same K n (on s 0) (earlier s)) by (field; lra).
  unfold weight; rewrite <- total_scale, <- (seq_length n 0) at 1.
  rewrite <- (total_constant (given_position same s step) (seq 0 n)); apply total_le; intros j.
  unfold given_position; apply (likelihood_two same K x n ltac:(lra) ltac:(lia) P); lia.
Qed.

(** ** The law given that the next position is not the swapped one *)

Definition mass_elsewhere (side : nat) (S : A -> bool) : R :=
  total (map (fun j => others_weight same K (on s side) (earlier s) j * prob S (fed K (swapped (on s side) j) (earlier s))) (seq 0 n)).
Definition weight_elsewhere (side : nat) : R := total (map (others_weight same K (on s side) (earlier s)) (seq 0 n)).

Lemma elsewhere_prob side S : prob S (law_elsewhere same n s side) = mass_elsewhere side S / weight_elsewhere side.
Proof.
  unfold prob, law_elsewhere; cbv zeta; fold K; rewrite mean_bind, mean_listed.
  fold (weight_elsewhere side); unfold Rdiv at 2; rewrite Rmult_comm; unfold mass_elsewhere; rewrite <- total_scale.
  apply total_ext; intros j _; unfold Rdiv, prob; ring.
Qed.

Lemma others_nonnegative side j : 0 <= others_weight same K (on s side) (earlier s) j.
Proof. unfold others_weight; destruct (_ =? _)%nat; [lra | apply (likelihood_nonnegative same K x P)]. Qed.

Lemma others_zero a b : (forall k, k <> 0%nat -> on s a k = on s b k) -> weight_elsewhere a = 0 -> weight_elsewhere b = 0.
Proof.
  intros D Z; unfold weight_elsewhere in *.
  rewrite (total_ext _ (fun _ => 0 * 0)), total_scale; [ring|]; intros j Hj.
  pose proof (total_zero _ _ (others_nonnegative a) Z j Hj) as Zj; pose proof (others_nonnegative b j) as Nj.
  unfold others_weight in *; destruct (_ =? _)%nat; [ring|].
  pose proof (likelihood_one same K x n ltac:(lra) ltac:(lia) P (swapped (on s b) j) (swapped (on s a) j) j (earlier s)) as O.
  rewrite Zj in O; rewrite Rmult_0_r in *; apply Rle_antisym; [|exact Nj]; apply O; intros k _ Hk; unfold swapped.
  destruct (Nat.eqb_spec k 0) as [->|]; [symmetry; apply D; lia|].
  destruct (Nat.eqb_spec k j); [contradiction | symmetry; now apply D].
Qed.

(** From the second step on it is the law of the step's own element. *)
Lemma later_elsewhere side S : (2 <= step)%nat -> weight_elsewhere side <> 0 ->
  prob S (law_elsewhere same n s side) = prob S (K (earlier s) (on s side (length (earlier s)))).
Proof.
  intros Hs W; rewrite elsewhere_prob; set (v := prob S (K _ _)).
  enough (mass_elsewhere side S = v * weight_elsewhere side) as -> by (field; exact W).
  unfold mass_elsewhere, weight_elsewhere; rewrite <- total_scale; apply total_ext; intros j _; unfold others_weight.
  destruct (Nat.eqb_spec j (length (earlier s))) as [E|E]; [ring|]; unfold fed, swapped at 2.
  destruct (Nat.eqb_spec (length (earlier s)) 0); [lia|].
  destruct (Nat.eqb_spec (length (earlier s)) j); [congruence | fold v; ring].
Qed.

Lemma first_elsewhere side S : step = 1%nat ->
  prob S (law_elsewhere same n s side) = total (map (fun j => prob S (K [] (on s side j))) (seq 1 (n - 1))) / INR (n - 1).
Proof.
  intros E; assert (Z : earlier s = []) by (destruct (earlier s); [reflexivity | cbn in L; lia]).
  rewrite elsewhere_prob; unfold mass_elsewhere, weight_elsewhere, others_weight; rewrite Z.
  replace n with (Datatypes.S (n - 1)) at 1 2 by lia; cbn [seq map total length Nat.eqb likelihood].
  rewrite (total_ext _ (fun j => prob S (K [] (on s side j)))).
  - rewrite (total_ext (fun j => if (j =? 0)%nat then 0 else 1) (fun _ => 1)).
    + rewrite total_constant, seq_length; f_equal; ring.
    + intros j Hj; apply in_seq in Hj; destruct (Nat.eqb_spec j 0); [lia | reflexivity].
  - intros j Hj; apply in_seq in Hj; destruct (Nat.eqb_spec j 0); [lia|]; unfold fed, swapped; cbn [length Nat.eqb]; ring.
Qed.

Lemma first_next side S : step = 1%nat -> INR n * prob S (next_law same n s side) =
  prob S (K [] (on s side 0)) + total (map (fun j => prob S (K [] (on s side j))) (seq 1 (n - 1))).
Proof.
  intros E; assert (Z : earlier s = []) by (destruct (earlier s); [reflexivity | cbn in L; lia]).
  unfold next_law; fold K; rewrite Z.
  assert (W : weight same K n (on s side) [] = INR n)
    by (unfold weight; cbn [likelihood]; rewrite total_constant, seq_length; ring).
  rewrite <- W at 1; unfold prob at 1; rewrite posterior_mean by (rewrite W; lra).
  replace n with (Datatypes.S (n - 1)) at 1 by lia; cbn [seq map total likelihood]; unfold fed; cbn [length].
  unfold swapped; cbn [Nat.eqb]; rewrite Rmult_1_l; f_equal; apply total_ext; intros; unfold prob; ring.
Qed.

Lemma elsewhere_same S : prob S (law_elsewhere same n s 0) = prob S (law_elsewhere same n s 1).
Proof.
  destruct (Nat.eq_dec step 1) as [E|E].
  - rewrite !first_elsewhere by exact E; f_equal; apply total_ext; intros j Hj; apply in_seq in Hj; now rewrite agree by lia.
  - assert (step <> 0)%nat by (destruct H as [_ H']; lia).
    destruct (Req_EM_T (weight_elsewhere 0) 0) as [W|W].
    + rewrite !elsewhere_prob, W, (others_zero 0 1 agree W); unfold Rdiv; rewrite Rinv_0; ring.
    + assert (W' : weight_elsewhere 1 <> 0)
        by (intros W'; apply W, (others_zero 1 0); [intros k Hk; symmetry; now apply agree | exact W']).
      rewrite !later_elsewhere by (assumption || lia); now rewrite agree by lia.
Qed.

Lemma first_position side : step = 1%nat -> position_next same n s side = 1 / INR n.
Proof.
  intros E; assert (Z : earlier s = []) by (destruct (earlier s); [reflexivity | cbn in L; lia]).
  unfold position_next, here_next; fold K; rewrite Z; destruct in_dec as [_|I]; [|exfalso; apply I, in_seq; cbn; lia].
  unfold weight; cbn [likelihood]; rewrite total_constant, seq_length; f_equal; ring.
Qed.

(** Masses u and v of the first element's laws, and s of all others'. *)
Lemma first_masses side y : step = 1%nat ->
  let u := mass same (K [] (on s side 0)) y in
  let a := mass same (law_elsewhere same n s side) y in
  INR n * mass same (next_law same n s side) y = u + (INR n - 1) * a /\ 0 <= u /\ u <= x * a /\ a <= x * u.
Proof.
  intros E u a; assert (N1 : 0 < INR (n - 1)) by (apply lt_0_INR; lia).
  assert (D : INR (n - 1) = INR n - 1) by (rewrite minus_INR by lia; reflexivity).
  assert (Ea : INR (n - 1) * a = total (map (fun j => mass same (K [] (on s side j)) y) (seq 1 (n - 1)))).
  { unfold a, mass; rewrite first_elsewhere by exact E; unfold mass; field; lra. }
  split; [unfold mass at 1; rewrite first_next by exact E; rewrite <- D, Ea; reflexivity|].
  split; [apply prob_nonnegative, P; exact (on s 0 0%nat)|].
  split; apply (Rmult_le_reg_l (INR (n - 1))); try exact N1.
  - replace (INR (n - 1) * (x * a)) with (x * (INR (n - 1) * a)) by ring; rewrite Ea, <- total_scale.
    rewrite <- (seq_length (n - 1) 1) at 1; rewrite <- (total_constant u (seq 1 (n - 1))).
    apply total_le; intros j; apply P.
  - rewrite Ea; replace (INR (n - 1) * (x * u)) with (INR (length (seq 1 (n - 1))) * (x * u)) by (now rewrite seq_length).
    rewrite <- (total_constant (x * u)); apply total_le; intros j; apply P.
Qed.

Lemma close_by_masses E Q T : (forall y, INR n * mass same Q y <= exp E * (INR n * mass same T y)) ->
  hockey_stick same Q T (exp E) <= 0.
Proof.
  intros M; apply within_close; intros y; apply (Rmult_le_reg_l (INR n)); [exact N|]; specialize (M y); lra.
Qed.

Lemma first_step_close : step = 1%nat ->
  hockey_stick same (next_law same n s 0) (law_elsewhere same n s 0) (exp ((x - 1) / INR n)) <= 0 /\
  hockey_stick same (law_elsewhere same n s 0) (next_law same n s 0) (exp ((x - 1) / INR n)) <= 0.
Proof.
  intros E; assert (N2 : 2 <= INR n) by (apply (le_INR 2), Hn).
  assert (G : INR n + (x - 1) <= INR n * exp ((x - 1) / INR n)).
  { pose proof (exp_ineq1_le ((x - 1) / INR n)) as B; apply (Rmult_le_compat_l (INR n)) in B; [|lra].
    replace (INR n * (1 + (x - 1) / INR n)) with (INR n + (x - 1)) in B by (field; lra); exact B. }
  split; apply close_by_masses; intros y; destruct (first_masses 0 y E) as [M [U0 [U1 U2]]]; rewrite M;
    set (u := mass same (K [] _) y) in *; set (a := mass same (law_elsewhere same n s 0) y) in *;
    assert (A0 : 0 <= a) by (apply (Rmult_le_reg_l x); lra).
  - apply Rle_trans with ((INR n + (x - 1)) * a); [lra|].
    rewrite <- Rmult_assoc, (Rmult_comm (exp _)); apply Rmult_le_compat_r; assumption.
  - apply (Rmult_le_reg_l (INR n)); [exact N|].
    replace (INR n * (exp ((x - 1) / INR n) * (u + (INR n - 1) * a)))
      with (INR n * exp ((x - 1) / INR n) * (u + (INR n - 1) * a)) by ring.
    assert (B : 0 <= u + (INR n - 1) * a) by (assert (0 <= (INR n - 1) * a) by (apply Rmult_le_pos; lra); lra).
    apply Rle_trans with ((INR n + (x - 1)) * (u + (INR n - 1) * a)); [|now apply Rmult_le_compat_r].
    apply (Rmult_le_reg_l x); [lra|].
    assert ((INR n + (x - 1)) * a <= (INR n + (x - 1)) * (x * u)) by (apply Rmult_le_compat_l; lra).
    assert (0 <= (INR n - 1) * ((x - 1) * (x - 1)) * a)
      by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply Rmult_le_pos; lra] | exact A0]).
    lra.
Qed.

Lemma first_step_private : step = 1%nat -> steps_apart same n s (exp (2 * (x - 1) / INR n)) <= 0.
Proof.
  intros E; apply close_by_masses; intros y.
  destruct (first_masses 0 y E) as [M [U0 [U1 _]]], (first_masses 1 y E) as [M' [V0 [V1 _]]]; rewrite M, M'.
  assert (Ea : mass same (law_elsewhere same n s 1) y = mass same (law_elsewhere same n s 0) y)
    by (symmetry; apply elsewhere_same); rewrite Ea in *.
  pose proof (proj2 (P [] (on s 0 0%nat) (on s 1 0%nat)) y) as UV.
  set (u := mass same (K [] (on s 0 0%nat)) y) in *; set (v := mass same (K [] (on s 1 0%nat)) y) in *.
  set (a := mass same (law_elsewhere same n s 0) y) in *.
  assert (N2 : 2 <= INR n) by (apply (le_INR 2), Hn); assert (A0 : 0 <= a) by (apply (Rmult_le_reg_l x); lra).
  assert (G : INR n + (x - 1) <= INR n * exp (2 * (x - 1) / INR n)).
  { pose proof (exp_ineq1_le (2 * (x - 1) / INR n)) as B; apply (Rmult_le_compat_l (INR n)) in B; [|lra].
    replace (INR n * (1 + 2 * (x - 1) / INR n)) with (INR n + 2 * (x - 1)) in B by (field; lra); lra. }
  assert (B : 0 <= v + (INR n - 1) * a) by (assert (0 <= (INR n - 1) * a) by (apply Rmult_le_pos; lra); lra).
  apply (Rmult_le_reg_l (INR n)); [exact N|].
  replace (INR n * (exp (2 * (x - 1) / INR n) * (v + (INR n - 1) * a)))
    with (INR n * exp (2 * (x - 1) / INR n) * (v + (INR n - 1) * a)) by ring.
  apply Rle_trans with ((INR n + (x - 1)) * (v + (INR n - 1) * a)); [|now apply Rmult_le_compat_r].
  assert ((INR n - 1) * u <= (INR n - 1) * (x * a)) by (apply Rmult_le_compat_l; lra).
  assert ((x - 1) * (INR n * u) <= (x - 1) * (x * (v + (INR n - 1) * a))) by (apply Rmult_le_compat_l; lra).
  apply (Rmult_le_reg_l x); [lra|].
  assert (INR n * u <= INR n * (x * v)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
End Step.

(** ** The claims *)

Theorem erlingsson2019_first_elsewhere {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (run : swap_step X A) (event : A -> bool) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> has_earlier same exp_epsilon0 1 run ->
  prob event (law_elsewhere same n run 0) = prob event (law_elsewhere same n run 1)
  /\ position_next same n run 0 = 1 / (INR n) /\ position_next same n run 1 = 1 / (INR n).
Proof.
  intros Hn Hx H; split; [now apply (elsewhere_same same n exp_epsilon0 run 1)|].
  split; now apply (first_position same n exp_epsilon0 run 1).
Qed.

Theorem erlingsson2019_later_elsewhere {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (step : nat) (run : swap_step X A) (event : A -> bool) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> (2 <= step)%nat -> (step <= n)%nat ->
  has_earlier same exp_epsilon0 step run ->
  prob event (law_elsewhere same n run 0) = prob event (law_elsewhere same n run 1).
Proof. intros Hn Hx _ _ H; now apply (elsewhere_same same n exp_epsilon0 run step). Qed.

Theorem erlingsson2019_first_step {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (run : swap_step X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> has_earlier same exp_epsilon0 1 run ->
  hockey_stick same (next_law same n run 0) (law_elsewhere same n run 0) (exp ((exp_epsilon0 - 1) / (INR n))) <= 0
  /\ hockey_stick same (law_elsewhere same n run 0) (next_law same n run 0) (exp ((exp_epsilon0 - 1) / (INR n))) <= 0.
Proof. intros Hn Hx H; now apply (first_step_close same n exp_epsilon0 run 1). Qed.

Theorem erlingsson2019_first_private {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (run : swap_step X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> has_earlier same exp_epsilon0 1 run ->
  steps_apart same n run (exp ((2 * (exp_epsilon0 - 1)) / (INR n))) <= 0.
Proof. intros Hn Hx H; now apply (first_step_private same n exp_epsilon0 run 1). Qed.

Theorem erlingsson2019_likelihood_ratio {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (step : nat) (run : swap_step X A) (j : nat) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> (2 <= step)%nat -> (step <= n)%nat ->
  has_earlier same exp_epsilon0 step run -> (1 <= j)%nat -> (j <= n)%nat ->
  given_position same run step <= (exp_epsilon0 ^ 2) * (given_position same run j)
  /\ given_position same run step <= (exp_epsilon0 ^ 2) * (of_earlier same n run).
Proof.
  intros Hn Hx _ _ H _ _; split; [now apply (likelihoods_close same n exp_epsilon0 run step)|].
  now apply (likelihood_close same n exp_epsilon0 run step).
Qed.

Theorem erlingsson2019_p_bound {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (step : nat) (run : swap_step X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> (2 <= step)%nat -> (step <= n)%nat ->
  has_earlier same exp_epsilon0 step run -> position_next same n run 0 <= (exp_epsilon0 ^ 2) / (INR n).
Proof. intros Hn Hx _ _ H; now apply (p_at_most same n exp_epsilon0 run step). Qed.

Theorem erlingsson2019_step_private {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (step : nat) (run : swap_step X A) :
  (2 <= n)%nat -> 1 < exp_epsilon0 -> (1 <= step)%nat -> (step <= n)%nat ->
  has_earlier same exp_epsilon0 step run -> steps_apart same n run (exp (eps1 n exp_epsilon0)) <= 0.
Proof. intros Hn Hx _ _ H; now apply (step_private same n exp_epsilon0 run step). Qed.
