(** * Amplification by swapping

    Local randomizers see all earlier outcomes; the first element of the data is swapped with a uniform one.
    - [posterior_run]: the outcomes are those of steps that draw the swapped position, given all earlier ones;
    - [likelihood_two]: the likelihoods of two positions differ by at most e^(2 eps0);
    - [posterior_private]: so each step is 2 e^(2 eps0) (e^eps0 - 1)/n-private at the first element;
    - [amplification_by_swapping]: and all together as advanced composition has it.

    Here x = e^eps0, positions are 0, ..., n - 1, and the step is known by the number of earlier outcomes.

    Source: Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019, Theorem 8. *)

From Coq Require Import Reals List Lra Lia Arith Bool.
Require Import ExactDP Composition AdvancedComposition TwoLetters.
Import ListNotations.
Open Scope R_scope.

Definition swapped {X} (z : nat -> X) (j k : nat) : X :=
  if k =? 0 then z j else if k =? j then z 0%nat else z k.
Definition fed {X A} (K : list A -> X -> law A) (z : nat -> X) (past : list A) : law A := K past (z (length past)).
Definition uniform (n : nat) : law nat := map (fun j => (j, / INR n)) (seq 0 n).
Definition swapped_run {X A} (K : list A -> X -> law A) (z : nat -> X) (n : nat) : law (list A) :=
  bind (uniform n) (fun j => run (repeat (fed K (swapped z j)) n) []).

Lemma total_exchanged {A B} (g : A -> B -> R) us ys :
  total (map (fun u => total (map (g u) ys)) us) = total (map (fun y => total (map (fun u => g u y) us)) ys).
Proof.
  induction us as [|u us IH]; cbn.
  - induction ys as [|y ys IH]; cbn; [reflexivity | rewrite <- IH; ring].
  - rewrite IH, <- total_plus; reflexivity.
Qed.

Lemma mean_listed {A} (w : A -> R) (g : A -> R) xs :
  mean g (map (fun a => (a, w a)) xs) = total (map (fun a => w a * g a) xs).
Proof. induction xs as [|a xs IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Lemma total_constant {A} (c : R) (xs : list A) : total (map (fun _ => c) xs) = INR (length xs) * c.
Proof. induction xs as [|y xs IH]; [cbn; ring|]; cbn [map total length]; rewrite IH, S_INR; ring. Qed.

Lemma total_zero {A} (w : A -> R) xs :
  (forall a, 0 <= w a) -> total (map w xs) = 0 -> forall a, In a xs -> w a = 0.
Proof.
  intros N; assert (P : forall l, 0 <= total (map w l))
    by (induction l as [|y l IH]; cbn; [lra | specialize (N y); lra]).
  induction xs as [|y xs IH]; intros Z a H; [contradiction|]; cbn in Z; specialize (P xs).
  pose proof (N y); destruct H as [<-|H]; [lra | apply IH; [lra | exact H]].
Qed.

Section Swapping.
Context {X A : Type} (same : forall x y : A, {x = y} + {x <> y}).
Variables (K : list A -> X -> law A) (x : R) (n : nat).
Hypotheses (Hx : 1 <= x) (Hn : (0 < n)%nat)
  (private_step : forall past z z', is_law (K past z) /\ within same x (K past z) (K past z')).

Let N : 0 < INR n. Proof. now apply lt_0_INR. Qed.

Lemma mass_nonnegative past z y : 0 <= mass same (K past z) y.
Proof. apply prob_nonnegative, private_step; exact z. Qed.

Fixpoint likelihood (z : nat -> X) (past : list A) : R :=
  match past with [] => 1 | y :: past => likelihood z past * mass same (fed K z past) y end.

Lemma likelihood_nonnegative z past : 0 <= likelihood z past.
Proof.
  induction past as [|y past IH]; cbn; [lra|]; apply Rmult_le_pos; [exact IH | apply mass_nonnegative].
Qed.

Lemma likelihood_same a b past :
  (forall k, (k < length past)%nat -> a k = b k) -> likelihood a past = likelihood b past.
Proof.
  induction past as [|y past IH]; intros H; [reflexivity|]; cbn [likelihood]; unfold fed.
  rewrite (H (length past)) by (cbn; lia); now rewrite IH by (intros; apply H; cbn; lia).
Qed.

(** Data that differ at one position. *)
Lemma likelihood_one a b c past :
  (forall k, (k < length past)%nat -> k <> c -> a k = b k) -> likelihood a past <= x * likelihood b past.
Proof.
  induction past as [|y past IH]; intros H; cbn [likelihood]; [lra|]; unfold fed.
  pose proof (likelihood_nonnegative b past); pose proof (mass_nonnegative past (b (length past)) y).
  destruct (Nat.eq_dec (length past) c) as [E|E].
  - rewrite (likelihood_same a b) by (intros k Hk; apply H; cbn; lia).
    pose proof (proj2 (private_step past (a (length past)) (b (length past))) y) as W.
    rewrite <- Rmult_assoc, (Rmult_comm x), Rmult_assoc; now apply Rmult_le_compat_l.
  - rewrite (H (length past)) by (cbn; lia || exact E).
    rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [assumption|]; apply IH; intros; apply H; cbn; lia.
Qed.

(** The inputs of the steps before i, for the positions i and j, differ in at most two. *)
Theorem likelihood_two z i j past :
  (length past <= i)%nat -> likelihood (swapped z i) past <= x ^ 2 * likelihood (swapped z j) past.
Proof.
  intros L; set (m := fun k => if k =? 0 then z j else swapped z i k).
  assert (likelihood (swapped z i) past <= x * likelihood m past).
  { apply (likelihood_one _ _ 0); intros k _ H; unfold m; destruct (Nat.eqb_spec k 0); [contradiction | reflexivity]. }
  assert (likelihood m past <= x * likelihood (swapped z j) past).
  { apply (likelihood_one _ _ j); intros k H1 H2; unfold m, swapped.
    destruct (Nat.eqb_spec k 0), (Nat.eqb_spec k i), (Nat.eqb_spec k j); (reflexivity || lia). }
  assert (x * likelihood m past <= x * (x * likelihood (swapped z j) past)) by (apply Rmult_le_compat_l; lra).
  cbn; lra.
Qed.

Definition weight (z : nat -> X) (past : list A) : R :=
  total (map (fun j => likelihood (swapped z j) past) (seq 0 n)).
(** The next outcome, given all earlier ones (of which some position makes them possible). *)
Definition posterior (z : nat -> X) (past : list A) : law A :=
  if Req_EM_T (weight z past) 0 then fed K z past
  else bind (map (fun j => (j, likelihood (swapped z j) past / weight z past)) (seq 0 n))
    (fun j => fed K (swapped z j) past).

Lemma weight_nonnegative z past : 0 <= weight z past.
Proof.
  unfold weight; induction (seq 0 n) as [|j l IH]; cbn; [lra|].
  pose proof (likelihood_nonnegative (swapped z j) past); lra.
Qed.

Lemma posterior_mean z past g : weight z past <> 0 ->
  weight z past * mean g (posterior z past) =
  total (map (fun j => likelihood (swapped z j) past * mean g (fed K (swapped z j) past)) (seq 0 n)).
Proof.
  intros W; unfold posterior; destruct Req_EM_T as [|_]; [contradiction|].
  rewrite mean_bind, mean_listed, <- total_scale; apply total_ext; intros j _; field; exact W.
Qed.

Lemma posterior_is_law z past : is_law (posterior z past).
Proof.
  destruct (Req_EM_T (weight z past) 0) as [W|W].
  - unfold posterior; destruct Req_EM_T as [_|]; [|contradiction].
    exact (proj1 (private_step past (z (length past)) (z 0%nat))).
  - unfold posterior; destruct Req_EM_T as [|_]; [contradiction|]; apply bind_is_law; [split|].
    + apply Forall_map, Forall_forall; intros j _; cbn; pose proof (weight_nonnegative z past).
      apply Rmult_le_pos; [apply likelihood_nonnegative | apply Rlt_le, Rinv_0_lt_compat; lra].
    + rewrite mean_listed; unfold Rdiv.
      rewrite (total_ext _ (fun j => / weight z past * likelihood (swapped z j) past)) by (intros; ring).
      rewrite total_scale; fold (weight z past); field; exact W.
    + intros j; apply private_step; exact (z 0%nat).
Qed.

Theorem posterior_run z m : forall past f,
  total (map (fun j => likelihood (swapped z j) past * mean f (run (repeat (fed K (swapped z j)) m) past)) (seq 0 n))
  = weight z past * mean f (run (repeat (posterior z) m) past).
Proof.
  induction m as [|m IH]; intros past f; cbn [repeat run].
  - unfold weight; rewrite (Rmult_comm (total _)), <- total_scale; apply total_ext; intros; ring.
  - destruct (Req_EM_T (weight z past) 0) as [W|W].
    + rewrite W, Rmult_0_l, (total_ext _ (fun _ => 0 * 0)), total_scale; [ring|]; intros j Hj.
      rewrite (total_zero _ _ (fun j => likelihood_nonnegative (swapped z j) past) W j Hj); ring.
    + rewrite mean_bind, posterior_mean by exact W.
      set (xs := nodup same (flat_map (fun j => map fst (fed K (swapped z j) past)) (seq 0 n))).
      assert (C : forall j, In j (seq 0 n) -> carries same xs (fed K (swapped z j) past)).
      { intros j Hj; apply carries_all; [apply NoDup_nodup|]; intros y Hy; apply nodup_In, in_flat_map.
        now exists j. }
      assert (E : forall (g : nat -> A -> R),
        total (map (fun j => likelihood (swapped z j) past * mean (g j) (fed K (swapped z j) past)) (seq 0 n))
        = total (map (fun y => total (map (fun j => likelihood (swapped z j) (y :: past) * g j y) (seq 0 n))) xs)).
      { intros g; rewrite <- total_exchanged; apply total_ext; intros j Hj; destruct (C j Hj) as [_ M].
        rewrite M, <- total_scale; apply total_ext; intros y _; cbn [likelihood]; ring. }
      rewrite (total_ext _ (fun j => likelihood (swapped z j) past
        * mean (fun y => mean f (run (repeat (fed K (swapped z j)) m) (y :: past))) (fed K (swapped z j) past)))
        by (intros j _; now rewrite mean_bind).
      rewrite (E (fun j y => mean f (run (repeat (fed K (swapped z j)) m) (y :: past)))).
      rewrite (E (fun _ y => mean f (run (repeat (posterior z) m) (y :: past)))).
      apply total_ext; intros y _; rewrite IH; unfold weight; rewrite Rmult_comm, <- total_scale.
      apply total_ext; intros; ring.
Qed.

Lemma swapped_run_mean z f : mean f (swapped_run K z n) = mean f (run (repeat (posterior z) n) []).
Proof.
  unfold swapped_run, uniform; rewrite mean_bind, mean_listed.
  pose proof (posterior_run z n [] f) as P; cbn [likelihood] in P.
  rewrite total_scale, (total_ext _ (fun j => 1 * mean f (run (repeat (fed K (swapped z j)) n) []))), P
    by (intros; ring).
  unfold weight; cbn [likelihood]; rewrite total_constant, seq_length; field; lra.
Qed.

(** The probability that the swapped position is that of the next step, which is none beyond the last. *)
Definition here_next (z : nat -> X) (past : list A) : R :=
  if in_dec Nat.eq_dec (length past) (seq 0 n) then likelihood (swapped z (length past)) past / weight z past else 0.

Lemma here_next_bound z past : 0 < weight z past -> 0 <= here_next z past <= 1 /\ here_next z past <= x ^ 2 / INR n.
Proof.
  intros W; unfold here_next; destruct in_dec as [I|I].
  - set (i := length past) in *; set (l := likelihood (swapped z i) past).
    assert (L0 : 0 <= l) by apply likelihood_nonnegative.
    assert (L1 : l <= weight z past).
    { unfold weight; fold l; apply in_split in I as [a [b ->]]; rewrite map_app, total_app; cbn [map total]; fold l.
      assert (P : forall q, 0 <= total (map (fun j => likelihood (swapped z j) past) q))
        by (induction q as [|j q IH]; cbn; [lra | pose proof (likelihood_nonnegative (swapped z j) past); lra]).
      pose proof (P a); pose proof (P b); lra. }
    assert (L2 : INR n * l <= x ^ 2 * weight z past).
    { unfold weight; rewrite <- total_scale, <- (seq_length n 0) at 1; rewrite <- (total_constant l (seq 0 n)).
      apply total_le; intros j; apply likelihood_two; unfold i; lia. }
    assert (I0 : 0 < / weight z past) by (apply Rinv_0_lt_compat, W).
    assert (l / weight z past * weight z past = l) by (field; lra).
    repeat split; [apply Rmult_le_pos; lra | apply (Rmult_le_reg_r (weight z past)); lra |].
    apply (Rmult_le_reg_r (weight z past)), (Rmult_le_reg_l (INR n)); try assumption.
    replace (INR n * (x ^ 2 / INR n * weight z past)) with (x ^ 2 * weight z past) by (field; lra).
    replace (INR n * (l / weight z past * weight z past)) with (INR n * l) by (field; lra); exact L2.
  - assert (0 <= x ^ 2 / INR n) by (apply Rmult_le_pos; [apply pow_le; lra | apply Rlt_le, Rinv_0_lt_compat, N]); lra.
Qed.

(** At a later step the next input is the step's own element, or the first one. *)
Lemma posterior_mixture z past y :
  past <> [] -> 0 < weight z past ->
  mass same (posterior z past) y = (1 - here_next z past) * mass same (K past (z (length past))) y
    + here_next z past * mass same (K past (z 0%nat)) y.
Proof.
  intros H W; apply (Rmult_eq_reg_l (weight z past)); [|lra].
  unfold mass at 1, prob; rewrite posterior_mean by lra.
  set (i := length past); assert (i <> 0%nat) by (unfold i; destruct past; [contradiction | cbn; lia]).
  set (u := mass same (K past (z i)) y); set (v := mass same (K past (z 0%nat)) y).
  rewrite (total_ext _ (fun j => u * likelihood (swapped z j) past
    + (likelihood (swapped z j) past * (v - u)) * indicator (at_ Nat.eq_dec j) i)).
  - rewrite total_plus, total_scale, total_at by apply seq_NoDup; fold (weight z past).
    unfold here_next; fold i; destruct in_dec; [field; lra | ring].
  - intros j _; unfold fed, swapped at 2; fold i; unfold indicator at 2, at_ at 2.
    destruct (Nat.eqb_spec i 0); [contradiction|].
    destruct (Nat.eqb_spec i j), (Nat.eq_dec j i); subst; try contradiction; try congruence;
      unfold u, v, mass, prob; fold i; ring.
Qed.

Lemma mixture_close p q u v w :
  0 <= p <= 1 -> 0 <= q <= 1 -> 0 <= u -> 0 <= v -> v <= x * u -> u <= x * w ->
  (1 - p) * u + p * v <= (1 + p * (x - 1)) * (1 + q * (x - 1)) * ((1 - q) * u + q * w).
Proof.
  intros Hp Hq Hu Hv Hvu Huw.
  assert (S1 : (1 - p) * u + p * v <= (1 + p * (x - 1)) * u).
  { assert (p * v <= p * (x * u)) by (apply Rmult_le_compat_l; lra); lra. }
  assert (S2 : u <= (1 + q * (x - 1)) * ((1 - q) * u + q * w)).
  { assert (G : 0 <= 1 + q * (x - 1)) by (assert (0 <= q * (x - 1)) by (apply Rmult_le_pos; lra); lra).
    assert (w >= u / x).
    { apply Rle_ge, (Rmult_le_reg_r x); [lra|]; replace (u / x * x) with u by (field; lra); lra. }
    assert (T : (1 + q * (x - 1)) * ((1 - q) * u + q * (u / x)) <= (1 + q * (x - 1)) * ((1 - q) * u + q * w)).
    { apply Rmult_le_compat_l; [exact G|]; assert (q * (u / x) <= q * w) by (apply Rmult_le_compat_l; lra); lra. }
    replace ((1 + q * (x - 1)) * ((1 - q) * u + q * (u / x))) with (u + u * (q * (1 - q)) * ((x - 1) * (x - 1) / x)) in T
      by (field; lra).
    assert (0 <= u * (q * (1 - q)) * ((x - 1) * (x - 1) / x)); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos; [exact Hu | apply Rmult_le_pos; lra]|].
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (0 <= 1 + p * (x - 1)) by (assert (0 <= p * (x - 1)) by (apply Rmult_le_pos; lra); lra).
  eapply Rle_trans; [exact S1|]; rewrite Rmult_assoc; now apply Rmult_le_compat_l.
Qed.

Definition step_epsilon : R := 2 * x ^ 2 * (x - 1) / INR n.

(** Each step on data that differ at the first element. *)
Theorem posterior_within z z' past :
  (forall k, k <> 0%nat -> z k = z' k) -> within same (exp step_epsilon) (posterior z past) (posterior z' past).
Proof.
  intros D y; assert (E0 : 0 <= step_epsilon).
  { unfold step_epsilon; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, N].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le; lra] | lra]. }
  assert (E1 : 1 <= exp step_epsilon) by (pose proof (exp_ineq1_le step_epsilon); lra).
  destruct (list_eq_dec same past []) as [->|P].
  - assert (W : forall z, weight z [] = INR n)
      by (intros; unfold weight; cbn [likelihood]; rewrite total_constant, seq_length; ring).
    assert (M : forall z, INR n * mass same (posterior z []) y
      = mass same (K [] (z 0%nat)) y + total (map (fun j => mass same (K [] (z j)) y) (seq 1 (n - 1)))).
    { intros a; rewrite <- (W a) at 1; unfold mass at 1, prob; rewrite posterior_mean by (rewrite W; lra).
      replace n with (S (n - 1)) at 1 by lia; cbn [seq map total likelihood]; unfold fed; cbn [length].
      unfold swapped; cbn [Nat.eqb]; rewrite Rmult_1_l; f_equal; apply total_ext; intros; unfold mass, prob; ring. }
    apply (Rmult_le_reg_l (INR n)); [exact N|].
    replace (INR n * (exp step_epsilon * mass same (posterior z' []) y))
      with (exp step_epsilon * (INR n * mass same (posterior z' []) y)) by ring; rewrite !M.
    rewrite (total_ext _ (fun j => mass same (K [] (z' j)) y)) by (intros j Hj; apply in_seq in Hj; rewrite D by lia; reflexivity).
    set (u := mass same (K [] (z 0%nat)) y); set (v := mass same (K [] (z' 0%nat)) y).
    set (s := total (map (fun j => mass same (K [] (z' j)) y) (seq 1 (n - 1)))).
    assert (U : u <= x * v) by apply private_step.
    assert (V0 : 0 <= v) by apply mass_nonnegative.
    assert (S : INR (n - 1) * v <= x * s).
    { unfold s; rewrite <- total_scale, <- (seq_length (n - 1) 1) at 1; rewrite <- (total_constant v (seq 1 (n - 1))).
      apply total_le; intros j; apply private_step. }
    rewrite minus_INR in S by lia; change (INR 1) with 1 in S.
    assert (S0 : 0 <= s).
    { assert (P : forall l, 0 <= total (map (fun j => mass same (K [] (z' j)) y) l))
        by (induction l as [|j l IH]; cbn [map total]; [lra | pose proof (mass_nonnegative [] (z' j) y); lra]).
      apply P. }
    assert (V1 : 1 * v <= x * v) by (apply Rmult_le_compat_r; lra).
    assert (G : u + s <= (1 + x * (x - 1) / INR n) * (v + s)).
    { assert (INR n * v <= x * (v + s)) by lra.
      assert ((x - 1) * (INR n * v) <= (x - 1) * (x * (v + s))) by (apply Rmult_le_compat_l; lra).
      apply (Rmult_le_reg_l (INR n)); [exact N|].
      replace (INR n * ((1 + x * (x - 1) / INR n) * (v + s))) with (INR n * (v + s) + (x - 1) * (x * (v + s))) by (field; lra).
      assert (INR n * u <= INR n * (x * v)) by (apply Rmult_le_compat_l; lra); lra. }
    eapply Rle_trans; [exact G|]; apply Rmult_le_compat_r; [lra|].
    eapply Rle_trans; [|apply exp_ineq1_le]; apply Rplus_le_compat_l; unfold step_epsilon, Rdiv.
    apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat, N|]; apply Rmult_le_compat_r; [lra|].
    assert (1 * x <= x * x) by (apply Rmult_le_compat_r; lra); cbn; lra.
  - assert (I : length past <> 0%nat) by (destruct past; [contradiction | cbn; lia]).
    assert (Z : z (length past) = z' (length past)) by (now apply D).
    assert (Zero : forall a b, (forall k, k <> 0%nat -> a k = b k) -> weight a past = 0 -> weight b past = 0).
    { intros a b Dab Wa; apply Rle_antisym; [|apply weight_nonnegative]; unfold weight.
      rewrite (total_ext _ (fun _ => 0 * 0)), total_scale; [lra|]; intros j Hj.
      pose proof (total_zero _ _ (fun j => likelihood_nonnegative (swapped a j) past) Wa j Hj) as L0.
      assert (likelihood (swapped b j) past <= x * likelihood (swapped a j) past).
      { apply (likelihood_one _ _ j); intros k _ Hk; unfold swapped.
        destruct (Nat.eqb_spec k 0) as [->|]; [symmetry; apply Dab; lia|].
        destruct (Nat.eqb_spec k j); [contradiction | symmetry; now apply Dab]. }
      pose proof (likelihood_nonnegative (swapped b j) past); cbv beta in L0; rewrite L0 in *; lra. }
    pose proof (weight_nonnegative z past); pose proof (weight_nonnegative z' past).
    destruct (Req_EM_T (weight z past) 0) as [W|W].
    + assert (W' : weight z' past = 0) by (now apply (Zero z)).
      unfold posterior; destruct (Req_EM_T (weight z past) 0), (Req_EM_T (weight z' past) 0); try contradiction.
      unfold fed; rewrite Z; pose proof (mass_nonnegative past (z' (length past)) y).
      assert (1 * mass same (K past (z' (length past))) y <= exp step_epsilon * mass same (K past (z' (length past))) y)
        by (apply Rmult_le_compat_r; lra); lra.
    + assert (W' : weight z' past <> 0) by (intros W'; apply W, (Zero z'); [intros; symmetry; now apply D | exact W']).
      rewrite !posterior_mixture by (assumption || lra); rewrite Z.
      destruct (here_next_bound z past ltac:(lra)) as [P1 P2], (here_next_bound z' past ltac:(lra)) as [Q1 Q2].
      eapply Rle_trans; [apply (mixture_close (here_next z past) (here_next z' past)); try assumption;
        (apply mass_nonnegative || apply private_step)|].
      apply Rmult_le_compat_r.
      * pose proof (mass_nonnegative past (z' (length past)) y); pose proof (mass_nonnegative past (z' 0%nat) y).
        apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
      * assert (B : forall p, 0 <= p <= 1 -> p <= x ^ 2 / INR n -> 0 <= 1 + p * (x - 1) <= exp (step_epsilon / 2)).
        { intros p Hp Hpn; assert (0 <= p * (x - 1)) by (apply Rmult_le_pos; lra); split; [lra|].
          eapply Rle_trans; [|apply exp_ineq1_le]; apply Rplus_le_compat_l.
          replace (step_epsilon / 2) with (x ^ 2 / INR n * (x - 1)) by (unfold step_epsilon; field; lra).
          apply Rmult_le_compat_r; lra. }
        destruct (B _ P1 P2), (B _ Q1 Q2); replace step_epsilon with (step_epsilon / 2 + step_epsilon / 2) by field.
        rewrite exp_plus; apply Rmult_le_compat; assumption.
Qed.

Lemma within_close P Q E : within same E P Q -> hockey_stick same P Q E <= 0.
Proof.
  intros H; unfold hockey_stick, stick_on.
  rewrite (total_ext _ (fun _ => 0 * 0)), total_scale; [lra|]; intros y _; specialize (H y).
  unfold positive_part; rewrite Rmax_left; lra.
Qed.

Theorem amplification_by_swapping z z' d :
  (forall k, k <> 0%nat -> z k = z' k) -> 0 < d <= 1 ->
  hockey_stick (list_eq_dec same) (swapped_run K z n) (swapped_run K z' n)
    (exp (sqrt (2 * INR n * ln (1 / d)) * step_epsilon + INR n * step_epsilon * (exp step_epsilon - 1))) <= d.
Proof.
  intros D Hd; rewrite (hockey_stick_ext _ _ _ _ _ _ (swapped_run_mean z) (swapped_run_mean z')).
  apply below_every_event; intros S; apply (advanced_composition same); [|exact Hd|].
  - unfold step_epsilon; apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat, N].
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow_le; lra] | lra].
  - intros past; split; [apply posterior_is_law|]; split; [apply posterior_is_law|]; split;
      apply within_close, posterior_within; intros; now (apply D || (symmetry; apply D)).
Qed.
End Swapping.
