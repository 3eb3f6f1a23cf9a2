(** * Bounds in numbers, and Definition 1, of Erlingsson et al. 2019

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP AdvancedComposition Claims ClaimsErlingsson2019.
Import ListNotations.
Open Scope R_scope.

(** ** The bound of the binary case beside the general one *)

Theorem erlingsson2019_binary_bound (epsilon0 : R) :
  0 < epsilon0 ->
  ((exp epsilon0) - 1) * (exp (2 * epsilon0)) >= (Rmin 1 epsilon0) * (exp (epsilon0 / 2))
  /\ ((exp (Rmin 1 epsilon0)) - 1) * (exp (2 * (Rmin 1 epsilon0)))
    <= (8 * (Rmin 1 epsilon0)) * (exp ((Rmin 1 epsilon0) / 2)).
Proof.
  intros He; split.
  - apply Rle_ge, Rmult_le_compat.
    + apply Rmin_glb; lra.
    + apply Rlt_le, exp_pos.
    + pose proof (exp_ineq1_le epsilon0); pose proof (Rmin_r 1 epsilon0); lra.
    + apply AdvancedComposition.exp_le; lra.
  - set (m := Rmin 1 epsilon0); assert (M : 0 < m <= 1) by (split; [apply Rmin_glb_lt; lra | apply Rmin_l]); clearbody m.
    pose proof (exp_at_most (1 / 64) ltac:(lra)) as E; pose proof (exp_pos (1 / 64)).
    assert (E1 : exp 1 <= 137 / 50).
    { replace 1 with (INR 64 * (1 / 64)) by (rewrite INR_IZR_INZ; cbn; field); rewrite exp_power.
      eapply Rle_trans; [apply (pow_incr _ (64 / 63)); lra | lra]. }
    assert (E2 : exp (3 / 2) <= 227 / 50).
    { replace (3 / 2) with (INR 96 * (1 / 64)) by (rewrite INR_IZR_INZ; cbn; field); rewrite exp_power.
      eapply Rle_trans; [apply (pow_incr _ (64 / 63)); lra | lra]. }
    pose proof (exp_chord 1 (87 / 50) m ltac:(lra) ltac:(lra) ltac:(lra)) as C.
    replace (2 * m) with (3 / 2 * m + m / 2) by field; rewrite exp_plus, <- Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rlt_le, exp_pos|].
    assert (exp (3 / 2 * m) <= 227 / 50) by (eapply Rle_trans; [apply AdvancedComposition.exp_le | exact E2]; lra).
    pose proof (exp_ineq1_le m); pose proof (exp_pos (3 / 2 * m)).
    apply Rle_trans with (87 / 50 * m * (227 / 50)); [apply Rmult_le_compat; lra | lra].
Qed.

(** ** Where the first bound of the main theorem is above eps0 *)

Theorem erlingsson2019_no_amplification (n : nat) (epsilon0 : R) (delta : R) :
  (2 <= n)%nat -> 0 < epsilon0 -> 0 < delta -> delta <= 1 / (INR n) -> 3 * epsilon0 > ln ((INR n) / 2) ->
  ((((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)) * (sqrt ((2 * (INR n)) * (ln (1 / delta)))))
    + (((INR n) * (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n)))
      * ((exp (((2 * (exp (2 * epsilon0))) * ((exp epsilon0) - 1)) / (INR n))) - 1))
  > 1 * epsilon0.
Proof.
  intros Hn He D0 D1 H; rewrite Rmult_1_l; assert (N : 2 <= INR n) by (apply (le_INR 2), Hn).
  assert (I : 0 < / INR n) by (apply Rinv_0_lt_compat; lra); set (x := exp epsilon0).
  assert (X : epsilon0 < x - 1) by (unfold x; pose proof (exp_ineq1 epsilon0 ltac:(lra)); lra).
  assert (E2 : exp (2 * epsilon0) = x ^ 2)
    by (unfold x; replace (2 * epsilon0) with (epsilon0 + epsilon0) by ring; rewrite exp_plus; ring).
  rewrite E2; assert (X3 : INR n / 2 < x ^ 3).
  { apply exp_increasing in H; rewrite exp_ln in H by lra.
    replace (3 * epsilon0) with (epsilon0 + epsilon0 + epsilon0) in H by ring; rewrite !exp_plus in H; fold x in H; cbn; lra. }
  set (s := 2 * x ^ 2 * (x - 1) / INR n).
  assert (P2 : 0 < x ^ 2) by (apply pow_lt; lra).
  assert (S0 : 0 < s) by (unfold s; repeat apply Rmult_lt_0_compat; lra).
  assert (L : 1 / 4 <= ln (1 / delta)).
  { apply Rle_trans with (ln (INR n)).
    - rewrite <- (ln_exp (1 / 4)); apply ln_le; [apply exp_pos|].
      pose proof (exp_at_most (1 / 4) ltac:(lra)); lra.
    - apply ln_le; [lra|]; apply (Rmult_le_reg_r delta); [lra|]; apply (Rmult_le_compat_l (INR n)) in D1; [|lra].
      replace (INR n * (1 / INR n)) with 1 in D1 by (field; lra); replace (1 / delta * delta) with 1 by (field; lra); lra. }
  assert (Q : x - 1 <= s * sqrt (2 * INR n * ln (1 / delta))).
  { assert (R : sqrt (INR n / 2) <= sqrt (2 * INR n * ln (1 / delta))).
    { apply sqrt_le_1_alt; assert (2 * INR n * (1 / 4) <= 2 * INR n * ln (1 / delta)) by (apply Rmult_le_compat_l; lra); lra. }
    apply Rle_trans with (s * sqrt (INR n / 2)); [|apply Rmult_le_compat_l; lra].
    pose proof (sqrt_sqrt (INR n / 2) ltac:(lra)) as RR; set (r := sqrt (INR n / 2)) in *.
    assert (R0 : 0 < r) by (apply sqrt_lt_R0; lra).
    (* x^4 >= x^3 >= n / 2 = r^2, so that x^2 >= r. *)
    assert (XR : r <= x ^ 2).
    { apply Rsqr_incr_0_var; [|lra]; unfold Rsqr; rewrite RR.
      assert (x ^ 3 * 1 <= x ^ 3 * x) by (apply Rmult_le_compat_l; [apply pow_le|]; lra); cbn in *; lra. }
    replace s with (x ^ 2 * (x - 1) / (r * r)) by (unfold s; rewrite RR; field; lra).
    apply (Rmult_le_reg_r r); [exact R0|]; replace (x ^ 2 * (x - 1) / (r * r) * r * r) with (x ^ 2 * (x - 1)) by (field; lra).
    rewrite Rmult_comm; apply Rmult_le_compat_r; lra. }
  pose proof (exp_ineq1_le s); assert (0 <= INR n * s * (exp s - 1)) by (repeat apply Rmult_le_pos; lra); lra.
Qed.

(** ** Definition 1: the least delta *)

Section Least.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).

Fixpoint sublists (l : list A) : list (list A) :=
  match l with [] => [[]] | a :: l => sublists l ++ map (cons a) (sublists l) end.
Definition event_of (l : list A) (a : A) : bool := if in_dec same a l then true else false.

(** The largest P(S) - E Q(S) over the sets of outcomes, at least 0. *)
Definition least_delta (P Q : law A) (E : R) : R :=
  fold_right Rmax 0 (map (fun l => prob (event_of l) P - E * prob (event_of l) Q) (sublists (outcomes same P Q))).

Lemma filtered_sublist S l : In (filter S l) (sublists l).
Proof.
  induction l as [|a l IH]; [now left|]; cbn; apply in_or_app; destruct (S a); [right; now apply in_map | now left].
Qed.

Lemma same_on P (S T : A -> bool) : (forall a, In a (map fst P) -> S a = T a) -> prob S P = prob T P.
Proof.
  intros H; unfold prob; induction P as [|[a m] P IH]; [reflexivity|]; cbn [mean].
  assert (E : indicator S a = indicator T a) by (unfold indicator; now rewrite (H a) by (now left)).
  rewrite E, IH; [reflexivity|]; intros b Hb; apply H; now right.
Qed.
End Least.

Theorem erlingsson2019_definition_1 {A} (same : forall x y : A, {x = y} + {x <> y})
    (p : law A) (q : law A) (exp_epsilon : R) :
  is_law p -> is_law q -> 1 <= exp_epsilon ->
  least_delta same p q exp_epsilon = hockey_stick same p q exp_epsilon.
Proof.
  intros _ _ _; destruct (hockey_stick_largest same p q exp_epsilon) as [U [S HS]].
  pose proof (hockey_stick_nonnegative same p q exp_epsilon) as N; apply Rle_antisym.
  - unfold least_delta; induction (sublists (outcomes same p q)) as [|l ls IH]; cbn; [exact N|].
    apply Rmax_lub; [apply U | exact IH].
  - rewrite <- HS; set (l := filter S (outcomes same p q)).
    assert (M : forall x ls, In x ls -> x <= fold_right Rmax 0 ls).
    { intros x ls; induction ls as [|y ls IH]; [easy|]; intros [->|I]; cbn; [apply Rmax_l|].
      eapply Rle_trans; [now apply IH | apply Rmax_r]. }
    assert (E : forall a, In a (outcomes same p q) -> S a = event_of same l a).
    { intros a Ha; unfold event_of, l; destruct in_dec as [I|I]; [now apply filter_In in I|].
      destruct (S a) eqn:T; [exfalso; apply I, filter_In; now split | reflexivity]. }
    assert (O : forall a, In a (map fst p) \/ In a (map fst q) -> In a (outcomes same p q))
      by (intros a Ha; unfold outcomes; apply nodup_In, in_or_app; exact Ha).
    apply M, in_map_iff; exists l; split; [|apply filtered_sublist].
    f_equal; [|f_equal]; apply same_on; intros a Ha; symmetry; apply E, O; [now left | now right].
Qed.
