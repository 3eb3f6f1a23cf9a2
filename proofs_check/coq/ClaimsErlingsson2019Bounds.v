(** * Bounds in numbers, and Definition 1, of Erlingsson et al. 2019

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP AdvancedComposition Composition Blanket Letters TwoLetters Clones Claims ClaimsErlingsson2019.
Require ApproximateComposition Measures.
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

(** ** For all n and delta, with the constant 27 *)

Section OneReplaced.
Context {X A : Type} (same : forall x y : A, {x = y} + {x <> y}) (x : R).
Context (Hx : 1 <= x).

Lemma mean_within (P Q : law A) f : within same x P Q -> (forall y, 0 <= f y) -> mean f P <= x * mean f Q.
Proof.
  intros W F; rewrite <- mean_weighted; apply (Measures.mean_of_masses same); [|exact F].
  intros y; rewrite mass_weighted; apply W.
Qed.

Let Private (K : list A -> X -> law A) : Prop :=
  forall past u v, is_law (K past u) /\ within same x (K past u) (K past v).

Lemma run_nonnegative (Ks : list (list A -> X -> law A)) zs past (f : list A -> R) :
  Forall Private Ks -> (forall ys, 0 <= f ys) -> 0 <= mean f (run (on_data Ks zs) past).
Proof.
  intros P F; replace 0 with (mean (fun _ : list A => 0 * 1) (run (on_data Ks zs) past)) by (rewrite mean_scale; ring).
  apply mean_le; [|intros ys; rewrite Rmult_0_l; apply F]; apply on_data_is_law.
  eapply Forall_impl; [|exact P]; intros K HK past' u; apply (HK past' u u).
Qed.

Lemma run_replaced u v after before : forall (Ks : list (list A -> X -> law A)) past f,
  Forall Private Ks -> (forall ys, 0 <= f ys) ->
  mean f (run (on_data Ks (before ++ u :: after)) past) <= x * mean f (run (on_data Ks (before ++ v :: after)) past).
Proof.
  induction before as [|z before IH]; intros Ks past f P F; destruct P as [|K Ks HK P];
    try (cbn; specialize (F past); assert (1 * f past <= x * f past) by (apply Rmult_le_compat_r; lra); lra); cbn [app].
  - change (run (on_data (K :: Ks) (u :: after)) past) with (bind (K past u) (fun y => run (on_data Ks after) (y :: past))).
    change (run (on_data (K :: Ks) (v :: after)) past) with (bind (K past v) (fun y => run (on_data Ks after) (y :: past))).
    rewrite !mean_bind; apply mean_within; [apply HK|]; intros y; now apply run_nonnegative.
  - change (run (on_data (K :: Ks) (z :: before ++ u :: after)) past)
      with (bind (K past z) (fun y => run (on_data Ks (before ++ u :: after)) (y :: past))).
    change (run (on_data (K :: Ks) (z :: before ++ v :: after)) past)
      with (bind (K past z) (fun y => run (on_data Ks (before ++ v :: after)) (y :: past))).
    rewrite !mean_bind, <- mean_scale; apply mean_le; [apply (HK past z z)|]; intros y; now apply IH.
Qed.

Lemma insertions_replaced (u v : X) zs : forall h h' : list X -> R,
  (forall a b, h (a ++ u :: b) <= x * h' (a ++ v :: b)) ->
  total (map h (insertions u zs)) <= x * total (map h' (insertions v zs)).
Proof.
  induction zs as [|z zs IH]; intros h h' H; cbn [insertions map total].
  - specialize (H [] []); cbn in H; lra.
  - rewrite !map_map; pose proof (H [] (z :: zs)) as H0; cbn [app] in H0.
    pose proof (IH (fun l => h (z :: l)) (fun l => h' (z :: l)) (fun a b => H (z :: a) b)); lra.
Qed.

Lemma shuffled_with_another (Ks : list (list A -> X -> law A)) before u v after f :
  Forall Private Ks -> (forall ys, 0 <= f ys) ->
  mean f (shuffled Ks (before ++ u :: after)) <= x * mean f (shuffled Ks (before ++ v :: after)).
Proof.
  intros P F; unfold shuffled; rewrite !mean_bind.
  assert (E : forall w h, mean h (permuted (before ++ w :: after)) = mean (fun zs => mean h (inserted w zs)) (permuted (before ++ after))).
  { intros w h; rewrite <- mean_bind; change (bind (permuted (before ++ after)) (inserted w)) with (permuted (w :: before ++ after)).
    apply permuted_order_blind; symmetry; apply Permutation.Permutation_middle. }
  rewrite !E, <- mean_scale; apply mean_le; [apply permuted_is_law|]; intros zs; rewrite !mean_inserted.
  assert (I : 0 < / INR (S (length zs))) by (apply Rinv_0_lt_compat, lt_0_INR; lia).
  set (h := fun l : list X => mean f (run (on_data Ks l) [])).
  pose proof (insertions_replaced u v zs h h (fun a b => run_replaced u v b a Ks [] f P F)) as T.
  apply (Rmult_le_compat_l (/ INR (S (length zs)))) in T; [lra|lra].
Qed.
End OneReplaced.

Section Apart.
Context {X A : Type} (same : forall x y : A, {x = y} + {x <> y}) (x : R) (p : protocol X A).
Hypotheses (Hx : 1 < x) (P : Forall (private_after same (ln x)) (steps p)).

Let PX : Forall (fun K => forall past u v, is_law (K past u) /\ within same x (K past u) (K past v)) (steps p).
Proof. eapply Forall_impl; [|exact P]; intros K HK past u v; now apply (private_ratio same x K Hx HK past u v). Qed.

Let side (u : X) : law (list A) := shuffled (steps p) (before p ++ u :: after p).

Lemma side_ratio u v S : prob S (side u) <= x * prob S (side v).
Proof.
  apply (shuffled_with_another same x ltac:(lra) (steps p)); [exact PX|].
  intros ys; unfold indicator; destruct (S ys); lra.
Qed.

Lemma side_law u : is_law (side u).
Proof.
  apply shuffled_is_law; eapply Forall_impl; [|exact PX]; intros K HK past z; exact (proj1 (HK past z z)).
Qed.

Lemma nothing_left E : x <= E -> messages_apart same p E <= 0.
Proof.
  intros HE; apply below_every_event; intros S; fold (side (first p)) (side (second p)).
  pose proof (side_ratio (first p) (second p) S); pose proof (prob_between S _ (side_law (second p))).
  assert (x * prob S (side (second p)) <= E * prob S (side (second p))) by (apply Rmult_le_compat_r; lra); lra.
Qed.

Lemma variation_left E : 1 <= E -> messages_apart same p E <= (x - 1) / (x + 1).
Proof.
  intros HE; apply below_every_event; intros S; fold (side (first p)) (side (second p)).
  pose proof (side_ratio (first p) (second p) S) as R1; pose proof (side_ratio (second p) (first p) (fun ys => negb (S ys))) as R2.
  rewrite !(ApproximateComposition.prob_complement S) in R2 by apply side_law; pose proof (prob_between S _ (side_law (second p))).
  set (a := prob S (side (first p))) in *; set (b := prob S (side (second p))) in *.
  assert (1 * b <= E * b) by (apply Rmult_le_compat_r; lra).
  enough (a - b <= (x - 1) / (x + 1)) by lra.
  apply (Rmult_le_reg_r (x + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.
End Apart.

Lemma log_4 : 11 / 8 <= ln 4.
Proof.
  rewrite <- (ln_exp (11 / 8)); apply ln_le; [apply exp_pos|].
  replace (11 / 8) with (INR 88 * (1 / 64)) by (rewrite INR_IZR_INZ; cbn; field); rewrite exp_power.
  pose proof (exp_at_most (1 / 64) ltac:(lra)); pose proof (exp_pos (1 / 64)).
  eapply Rle_trans; [apply (pow_incr _ (64 / 63)); lra | lra].
Qed.

Lemma log_101 : ln (1 / (1 / 101)) <= 69 / 10.
Proof.
  rewrite <- (ln_exp (69 / 10)); apply ln_le; [lra|].
  replace (69 / 10) with (INR 8 * (69 / 80)) by (cbn; field); rewrite exp_power.
  pose proof (exp_ineq1_le (69 / 80)); apply Rle_trans with ((1 + 69 / 80) ^ 8); [lra | apply pow_incr; lra].
Qed.

Theorem erlingsson2019_any_n {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (randomizers : protocol X A) :
  (1 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta < 1 ->
  users randomizers = n /\ length (steps randomizers) = n
  /\ Forall (private_after same (ln exp_epsilon0)) (steps randomizers) ->
  ln exp_epsilon0 < 1 / 2 ->
  messages_apart same randomizers (exp ((fun n x d => 27 / 12 * large_bound n x d) n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx D0 D1 H Hl; pose proof H as (_ & _ & P); cbv beta; set (x := exp_epsilon0) in *.
  assert (L0 : 0 < ln x) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (N : 0 < INR n) by (apply lt_0_INR; lia); assert (I : 0 < / INR n) by now apply Rinv_0_lt_compat.
  pose proof (log_nonnegative delta D0 ltac:(lra)) as L.
  assert (B0 : forall d, 0 <= large_bound n x d) by (intros d; unfold large_bound; apply Rmult_le_pos; [lra | apply sqrt_pos]).
  destruct (Rle_dec (1 / 4) delta) as [D|D].
  - apply Rle_trans with (1 / 4); [|exact D]; eapply Rle_trans.
    + apply (variation_left same x randomizers Hx P); rewrite <- exp_0; apply exp_le; specialize (B0 delta); lra.
    + assert (x <= 5 / 3).
      { rewrite <- (exp_ln x) by lra; eapply Rle_trans; [apply exp_le, Rlt_le, Hl | exact exp_half_at_most]. }
      apply (Rmult_le_reg_r (x + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
  - assert (L4 : 11 / 8 <= ln (1 / delta)).
    { eapply Rle_trans; [exact log_4|]; apply ln_le; [lra|]; apply (Rmult_le_reg_r delta); [lra|].
      replace (1 / delta * delta) with 1 by (field; lra); lra. }
    destruct (Nat.le_gt_cases 1000 n) as [N1|N1].
    + destruct (Rlt_dec delta (1 / 100)) as [E|E].
      * apply (larger_bound same n x); try assumption; try lra; [lia|].
        pose proof (general_below_large n x delta N1 Hx Hl D0 E); specialize (B0 delta); lra.
      * apply Rle_trans with (1 / 101); [|lra]; apply (larger_bound same n x); try assumption; try lra; [lia|].
        eapply Rle_trans; [apply (general_below_large n x (1 / 101) N1 Hx Hl); lra|]; unfold large_bound.
        replace (27 / 12 * (12 * ln x * sqrt (ln (1 / delta) / INR n))) with (12 * ln x * (27 / 12 * sqrt (ln (1 / delta) / INR n))) by field.
        apply Rmult_le_compat_l; [lra|]; rewrite <- (sqrt_square (27 / 12)) by lra; rewrite <- sqrt_mult_alt by lra.
        apply sqrt_le_1_alt; unfold Rdiv; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [lra|].
        pose proof log_101; unfold Rdiv in *; lra.
    + apply Rle_trans with 0; [|lra]; apply (nothing_left same x randomizers Hx P).
      rewrite <- (exp_ln x) at 1 by lra; apply exp_le; unfold large_bound.
      assert (M : INR n <= 999).
      { assert (n <= 999)%nat by lia; apply le_INR in H0; replace (INR 999) with 999 in H0 by (rewrite INR_IZR_INZ; reflexivity); exact H0. }
      assert (S : 1 <= 27 * sqrt (ln (1 / delta) / INR n)).
      { rewrite <- sqrt_1 at 1; rewrite <- (sqrt_square 27), <- sqrt_mult_alt by lra; apply sqrt_le_1_alt.
        apply (Rmult_le_reg_r (INR n)); [exact N|]; unfold Rdiv; rewrite <- Rmult_assoc, (Rmult_assoc _ (/ INR n)), Rinv_l by lra; lra. }
      assert (ln x * 1 <= ln x * (27 * sqrt (ln (1 / delta) / INR n))) by (apply Rmult_le_compat_l; lra); lra.
Qed.
