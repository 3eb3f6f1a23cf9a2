(** * Claims of Biswas, Jung, Palamidessi 2023

    Each theorem is a claim of its catalog, its statement exported from the claim's own form (a test compares
    them word for word). Users send their value by k-ary randomized response, x = e^eps0; the victim holds 0
    (x_0) or another value, the others' values are `others`, and M_x0 is the count of the value 0. *)

From Coq Require Import Reals List Lra Lia Arith Bool.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket RandomizedResponse ResponseOrders.
Import ListNotations.
Open Scope R_scope.

(** The values of the n - 1 other users: among 0, ..., k - 1, and n_x0 of them 0. *)
Definition dataset (n k n_x0 : nat) (others : list nat) : Prop :=
  S (length others) = n /\ Forall (fun v => (v < k)%nat) others /\ count_occ Nat.eq_dec others 0%nat = n_x0.

Definition count_of (k : nat) (x : R) (value : nat) (others : list nat) : law nat :=
  count 0 (users k x (value :: others)).
Definition count_at (k : nat) (x : R) (value : nat) (others : list nat) (s : nat) : R :=
  mass Nat.eq_dec (count_of k x value others) s.

(** delta of the count, for a victim who holds u or v; that of the whole histogram is [histogram_apart]. *)
Definition count_apart (k : nat) (x : R) (u v : nat) (others : list nat) (E : R) : R :=
  hockey_stick Nat.eq_dec (count_of k x u others) (count_of k x v others) E.

(** ** (2): the sum over privacy losses *)

(** Both laws have mass there, so that the loss is finite. *)
Definition is_finite {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (y : A) : bool :=
  if Rlt_dec 0 (mass same P y) then if Rlt_dec 0 (mass same Q y) then true else false else false.
Definition finite_losses {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) : list R :=
  nodup Req_EM_T (map (loss same P Q) (filter (is_finite same P Q) (outcomes same P Q))).
(** Definition III.9: omega(u) and omega(infinity). *)
Definition omega {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (u : R) : R :=
  prob (fun y => is_finite same P Q y && at_ Req_EM_T u (loss same P Q y)) P.
Definition omega_infinite {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) : R :=
  prob (fun y => if Req_EM_T (mass same Q y) 0 then true else false) P.
Definition by_finite_losses {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (eps : R) : R :=
  total (map (fun u => if Rlt_dec eps u then (1 - exp (eps - u)) * omega same P Q u else 0)
    (finite_losses same P Q)).
Definition by_losses {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (eps : R) : R :=
  omega_infinite same P Q + by_finite_losses same P Q eps.

Lemma total_swap {A B} (g : A -> B -> R) us ys :
  total (map (fun u => total (map (g u) ys)) us) = total (map (fun y => total (map (fun u => g u y) us)) ys).
Proof.
  induction us as [|u us IH]; cbn.
  - induction ys as [|y ys IH]; cbn; [reflexivity | rewrite <- IH; ring].
  - rewrite IH, <- total_plus; reflexivity.
Qed.

Lemma mass_outcome {A} (same : forall x y : A, {x = y} + {x <> y}) (P : law A) y :
  mass same P y <> 0 -> In y (map fst P).
Proof.
  unfold mass, prob; induction P as [|[z m] P IH]; cbn; [lra|]; unfold indicator at 1, at_ at 1.
  destruct (same y z) as [->|N]; [now left | intros H; right; apply IH; lra].
Qed.

Section Losses.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (xs : list A).
Hypotheses carried : carries same xs P.

Lemma by_finite_losses_at eps :
  by_finite_losses same P Q eps = total (map (fun y => if is_finite same P Q y then
    if Rlt_dec eps (loss same P Q y) then (1 - exp (eps - loss same P Q y)) * mass same P y else 0 else 0) xs).
Proof.
  unfold by_finite_losses; destruct carried as [_ C].
  set (w := fun u => if Rlt_dec eps u then 1 - exp (eps - u) else 0).
  rewrite (total_ext _ (fun u => total (map (fun y =>
    (if is_finite same P Q y then mass same P y else 0) * (w u * indicator (at_ Req_EM_T u) (loss same P Q y))) xs))).
  - rewrite total_swap; apply total_ext; intros y _; rewrite total_scale.
    unfold w; rewrite total_at by apply NoDup_nodup.
    destruct (is_finite same P Q y) eqn:F; [|ring].
    destruct in_dec as [I|I]; [destruct Rlt_dec; ring | exfalso; apply I].
    apply nodup_In, in_map, filter_In; split; [|exact F].
    apply nodup_In, in_or_app; left; apply (mass_outcome same).
    unfold is_finite in F; destruct Rlt_dec in F; [lra | discriminate].
  - intros u _; unfold omega, prob; rewrite C.
    assert (T : forall c (f : A -> R) l, c * total (map f l) = total (map (fun y => c * f y) l))
      by (intros; symmetry; apply total_scale).
    unfold w; destruct Rlt_dec as [L|L].
    + rewrite T; apply total_ext; intros y _; unfold indicator.
      destruct (is_finite same P Q y); cbn; [destruct (at_ _ _ _); ring | ring].
    + rewrite (total_ext _ (fun y => 0 * 0)), total_scale; [ring | intros; ring].
Qed.

Lemma omega_infinite_at :
  omega_infinite same P Q = total (map (fun y => if Req_EM_T (mass same Q y) 0 then mass same P y else 0) xs).
Proof.
  unfold omega_infinite, prob; destruct carried as [_ C]; rewrite C; apply total_ext; intros y _.
  unfold indicator; destruct Req_EM_T; ring.
Qed.
End Losses.

(** (1 - e^(eps - u)) P = P - e^eps Q for u = ln(P / Q). *)
Lemma loss_term p q E :
  0 < p -> 0 < q -> 0 < E ->
  positive_part (p - E * q) =
  if Rlt_dec (ln E) (ln (p / q)) then (1 - exp (ln E - ln (p / q))) * p else 0.
Proof.
  intros Hp Hq HE; assert (0 < p / q) by (apply Rdiv_lt_0_compat; assumption).
  assert (F : exp (ln E - ln (p / q)) * p = E * q).
  { unfold Rminus; rewrite exp_plus, exp_Ropp, !exp_ln by assumption; field; lra. }
  assert (p = p / q * q) by (field; lra).
  unfold positive_part; destruct Rlt_dec as [L|L].
  - apply ln_lt_inv in L; try assumption; assert (E * q < p / q * q) by (apply Rmult_lt_compat_r; assumption).
    rewrite Rmax_right; lra.
  - assert (p / q <= E) by (destruct (Rle_dec (p / q) E); [assumption | exfalso; apply L, ln_increasing; lra]).
    assert (p / q * q <= E * q) by (apply Rmult_le_compat_r; lra); rewrite Rmax_left; lra.
Qed.

Theorem biswas2023_equation_2 {A} (same : forall x y : A, {x = y} + {x <> y})
    (p : law A) (q : law A) (exp_epsilon : R) :
  is_law p -> is_law q -> 1 < exp_epsilon ->
  hockey_stick same p q exp_epsilon = by_losses same p q (ln exp_epsilon).
Proof.
  intros [Np _] [Nq _] HE; unfold by_losses, hockey_stick, stick_on.
  destruct (outcomes_carry same p q) as [C _]; set (xs := outcomes same p q) in *.
  rewrite (by_finite_losses_at same p q xs C), (omega_infinite_at same p q xs C), <- total_plus.
  apply total_ext; intros y _.
  pose proof (prob_nonnegative (at_ same y) p Np : 0 <= mass same p y).
  pose proof (prob_nonnegative (at_ same y) q Nq : 0 <= mass same q y).
  unfold is_finite, loss; destruct (Req_EM_T (mass same q y) 0) as [Z|Z].
  - rewrite Z; destruct (Rlt_dec 0 0); [lra|]; unfold positive_part.
    rewrite Rmax_right by lra; destruct (Rlt_dec 0 (mass same p y)); ring.
  - destruct (Rlt_dec 0 (mass same q y)); [|lra]; destruct (Rlt_dec 0 (mass same p y)) as [L|L].
    + rewrite (loss_term _ _ exp_epsilon) by lra; ring.
    + assert (mass same p y = 0) as -> by lra; unfold positive_part; rewrite Rmax_left; [ring|].
      assert (0 <= exp_epsilon * mass same q y) by (apply Rmult_le_pos; lra); lra.
Qed.

(** ** The law of the count: (11) to (13), and the losses, (15) *)

Theorem biswas2023_remark_2 (n : nat) (k : nat) (n_x0 : nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 ->
  (exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1) > 0
  /\ ((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2)) > 0
  /\ kappa3 k exp_epsilon0 n_x0 ((n - 1) - n_x0) s > 0.
Proof.
  intros _ Hk _ Hx; apply (le_INR 2) in Hk; change (INR 2) with 2 in Hk.
  repeat split; unfold kappa3; apply Rdiv_lt_0_compat; try lra.
  - apply Rmult_lt_0_compat; lra.
  - apply Rmult_lt_0_compat; [apply pow_lt; lra | apply Rdiv_lt_0_compat; apply pow_lt; lra].
  - apply pow_lt; lra.
Qed.

Lemma kappa1_written k x : (x * (x + ((INR k) - 2))) / ((INR k) - 1) = kappa1 k x.
Proof. unfold kappa1; do 2 f_equal; ring. Qed.
Lemma kappa2_written k x : ((INR k) - 1) / (x + ((INR k) - 2)) = kappa2 k x.
Proof. unfold kappa2; f_equal; ring. Qed.

Section Setting.
Context (n k a : nat) (others : list nat) (x : R).
Hypotheses (Hn : (1 <= n)%nat) (Hk : (2 <= k)%nat) (Ha : (a <= (n - 1))%nat)
  (D : dataset n k a others) (Hx : 1 < x).
Let b : nat := ((n - 1) - a)%nat.

Lemma count_at_0 s : count_at k x 0 others s = count_mass (S a) b (own k x) (other k x) s.
Proof.
  destruct D as [<- [F C]]; unfold count_at, count_of, users.
  rewrite mass_of_count by (try constructor; (assumption || lia || lra)); cbv zeta; cbn [count_occ length].
  destruct (Nat.eq_dec 0 0) as [_|N]; [|contradiction]; rewrite C; f_equal; unfold b; lia.
Qed.

Lemma count_at_other v s :
  (v < k)%nat -> v <> 0%nat -> count_at k x v others s = count_mass a (S b) (own k x) (other k x) s.
Proof.
  intros Hv N; destruct D as [<- [F C]]; unfold count_at, count_of, users.
  rewrite mass_of_count by (try constructor; (assumption || lia || lra)); cbv zeta; cbn [count_occ length].
  destruct (Nat.eq_dec v 0) as [|_]; [contradiction|]; rewrite C; f_equal; unfold b; lia.
Qed.

Lemma count_at_positive s : (s <= n)%nat -> 0 < count_at k x 0 others s /\ 0 < count_at k x 1 others s.
Proof.
  intros H; rewrite count_at_0, count_at_other, (paper_mass_with k x Hk) by (lia || lra).
  destruct (loss_ratio k x Hk ltac:(lra) a b s) as [L [Q ->]]; [unfold b; lia|].
  split; [now apply Rmult_lt_0_compat | exact Q].
Qed.

Lemma counts_carry v : carries Nat.eq_dec (seq 0 (S n)) (count_of k x v others).
Proof.
  apply carries_all; [apply seq_NoDup|]; intros s Hs; apply count_outcomes in Hs; apply in_seq.
  unfold users in Hs; rewrite map_length in Hs; cbn [length] in Hs; destruct D as [<- _]; lia.
Qed.
End Setting.

Lemma common_factor c p q r : 0 < c * (1 * q + 1 * r) -> c * p / (c * (1 * q + 1 * r)) = p / (q + r).
Proof. intros H; assert (c <> 0 /\ q + r <> 0) by (split; intros Z; nra); field; tauto. Qed.

Ltac written := rewrite ?kappa1_written, ?kappa2_written, ?Nat.add_1_r.
Ltac masses H := erewrite ?count_at_0, ?count_at_other by (eassumption || lia); written.

Theorem biswas2023_equation_11 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  count_at k exp_epsilon0 0 others s = (kappa3 k exp_epsilon0 n_x0 ((n - 1) - n_x0) s)
  * ((exp_epsilon0 * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 1 s))
    + ((((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2)))
      * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 0 s))).
Proof.
  intros Hn Hk Ha D _ Hx; masses D; rewrite (mass_with k exp_epsilon0 Hk), paper_sum_S by lra; f_equal; ring.
Qed.

Theorem biswas2023_line_2 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  count_at k exp_epsilon0 0 others s = (kappa3 k exp_epsilon0 n_x0 ((n - 1) - n_x0) s)
  * (((((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2)))
      * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 (((n - 1) - n_x0) + 1) 0 s))
    + ((exp_epsilon0 - (((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2))))
      * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 1 s))).
Proof. intros Hn Hk Ha D _ Hx; masses D; apply mass_with; [exact Hk | lra]. Qed.

Theorem biswas2023_equation_12 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  count_at k exp_epsilon0 0 others s = paper_mass k exp_epsilon0 n_x0 ((n - 1) - n_x0) s.
Proof. intros Hn Hk Ha D _ Hx; masses D; apply paper_mass_with; [exact Hk | lra]. Qed.

Theorem biswas2023_equation_13 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  count_at k exp_epsilon0 1 others s = (kappa3 k exp_epsilon0 n_x0 ((n - 1) - n_x0) s)
  * (1 * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
      n_x0 (((n - 1) - n_x0) + 1) 0 s)).
Proof.
  intros Hn Hk Ha D _ Hx; masses D; rewrite (mass_without k exp_epsilon0 Hk) by lra; ring.
Qed.

Theorem biswas2023_second_display (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat)
    (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  count_at k exp_epsilon0 1 others s = (kappa3 k exp_epsilon0 n_x0 ((n - 1) - n_x0) s)
  * ((1 * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 1 s))
    + (1 * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 0 s))).
Proof.
  intros Hn Hk Ha D Hs Hx; rewrite (biswas2023_equation_13 n k n_x0) by assumption.
  rewrite Nat.add_1_r, paper_sum_S; ring.
Qed.

Theorem biswas2023_form_2 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  (count_at k exp_epsilon0 0 others s) / (count_at k exp_epsilon0 1 others s)
  = (((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2)))
  + (((exp_epsilon0 - (((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2))))
      * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 1 s))
    / (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 (((n - 1) - n_x0) + 1) 0 s)).
Proof.
  intros Hn Hk Ha D Hs Hx; masses D; rewrite (paper_mass_with k exp_epsilon0 Hk) by lra.
  destruct (loss_ratio k exp_epsilon0 Hk ltac:(lra) n_x0 ((n - 1) - n_x0) s) as [L [Q ->]]; [lia|].
  transitivity (exp_loss k exp_epsilon0 n_x0 ((n - 1) - n_x0) s); [field; lra | reflexivity].
Qed.

Theorem biswas2023_form_1 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (s : nat) (exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (s <= n)%nat ->
  1 < exp_epsilon0 ->
  (count_at k exp_epsilon0 0 others s) / (count_at k exp_epsilon0 1 others s)
  = ((exp_epsilon0 * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 1 s))
    + ((((INR k) - 1) / (exp_epsilon0 + ((INR k) - 2)))
      * (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1))
        n_x0 ((n - 1) - n_x0) 0 s)))
  / ((paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1)) n_x0 ((n - 1) - n_x0) 1 s)
    + (paper_sum ((exp_epsilon0 * (exp_epsilon0 + ((INR k) - 2))) / ((INR k) - 1)) n_x0 ((n - 1) - n_x0) 0 s)).
Proof.
  intros Hn Hk Ha D Hs Hx.
  destruct (count_at_positive n k n_x0 others exp_epsilon0 Hn Hk Ha D Hx s Hs) as [_ Q].
  rewrite (biswas2023_second_display n k n_x0) in Q |- * by assumption.
  rewrite (biswas2023_equation_11 n k n_x0) by assumption.
  now apply common_factor.
Qed.

(** ** (6), (14) and the sums over outputs *)

(** The sum over s of the weights with factors (1 - e^(eps - v_s)), where v_s > eps. *)
Definition by_outputs (k : nat) (x : R) (others : list nat) (eps : R) (weight : nat -> R) : R :=
  let v := fun s => ln (count_at k x 0 others s / count_at k x 1 others s) in
  total (map (fun s => if Rlt_dec eps (v s) then (1 - exp (eps - v s)) * weight s else 0)
    (seq 0 (S (S (length others))))).
(** (6), with v_s = ln [exp_loss]: b of the n - 1 = a + b other users do not hold x_0. *)
Definition delta_hat (k : nat) (x : R) (a b : nat) (E : R) : R :=
  let v := fun s => ln (exp_loss k x a b s) in
  total (map (fun s => if Rlt_dec (ln E) (v s) then (1 - exp (ln E - v s)) * paper_mass k x a b s else 0)
    (seq 0 (S (a + S b)))).

Theorem biswas2023_last_step (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (exp_epsilon0 : R)
    (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> 1 < exp_epsilon0 ->
  1 < exp_epsilon ->
  by_outputs k exp_epsilon0 others (ln exp_epsilon) (count_at k exp_epsilon0 0 others)
  = by_outputs k exp_epsilon0 others (ln exp_epsilon) (paper_mass k exp_epsilon0 n_x0 ((n - 1) - n_x0)).
Proof.
  intros Hn Hk Ha D Hx _; unfold by_outputs; apply total_ext; intros s Hs; apply in_seq in Hs.
  rewrite <- (biswas2023_equation_12 n k n_x0 others) by (assumption || (destruct D as [<- _]; lia)); reflexivity.
Qed.

Theorem biswas2023_first_step (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (exp_epsilon0 : R)
    (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> 1 < exp_epsilon0 ->
  1 < exp_epsilon ->
  by_outputs k exp_epsilon0 others (ln exp_epsilon) (count_at k exp_epsilon0 0 others)
  = by_finite_losses Nat.eq_dec (count_of k exp_epsilon0 0 others) (count_of k exp_epsilon0 1 others) (ln exp_epsilon).
Proof.
  intros Hn Hk Ha D Hx _; rewrite (by_finite_losses_at Nat.eq_dec _ _ (seq 0 (S n)))
    by (now apply (counts_carry n k n_x0)).
  assert (L : S (length others) = n) by apply D; unfold by_outputs; rewrite L; apply total_ext; intros s Hs.
  apply in_seq in Hs; destruct (count_at_positive n k n_x0 others exp_epsilon0 Hn Hk Ha D Hx s) as [P Q]; [lia|].
  unfold is_finite, loss; fold (count_at k exp_epsilon0 0 others s) (count_at k exp_epsilon0 1 others s).
  destruct (Rlt_dec 0 (count_at k exp_epsilon0 0 others s)), (Rlt_dec 0 (count_at k exp_epsilon0 1 others s));
    reflexivity || contradiction.
Qed.

Lemma count_apart_outputs n k a others x E :
  (1 <= n)%nat -> (2 <= k)%nat -> (a <= n - 1)%nat -> dataset n k a others -> 1 < x -> 1 < E ->
  count_apart k x 0 1 others E = by_outputs k x others (ln E) (count_at k x 0 others).
Proof.
  intros Hn Hk Ha D Hx HE; unfold count_apart.
  rewrite (stick_on_any Nat.eq_dec (seq 0 (S n))) by (now apply (counts_carry n k a)).
  assert (L : S (length others) = n) by apply D; unfold by_outputs, stick_on; rewrite L; apply total_ext; intros s Hs.
  apply in_seq in Hs; destruct (count_at_positive n k a others x Hn Hk Ha D Hx s) as [P Q]; [lia|].
  apply loss_term; (assumption || lra).
Qed.

Theorem biswas2023_equation_14 (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (exp_epsilon0 : R)
    (exp_epsilon : R) :
  (1 <= n)%nat -> (3 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> 1 < exp_epsilon0 ->
  1 < exp_epsilon ->
  count_apart k exp_epsilon0 0 1 others exp_epsilon
  = by_finite_losses Nat.eq_dec (count_of k exp_epsilon0 0 others) (count_of k exp_epsilon0 1 others) (ln exp_epsilon).
Proof.
  intros Hn Hk Ha D Hx HE; rewrite <- (biswas2023_first_step n k n_x0) by (assumption || lia).
  apply (count_apart_outputs n k n_x0); (assumption || lia).
Qed.

Theorem biswas2023_mended_theorem (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (exp_epsilon0 : R)
    (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> 1 < exp_epsilon0 ->
  1 < exp_epsilon ->
  count_apart k exp_epsilon0 0 1 others exp_epsilon = delta_hat k exp_epsilon0 n_x0 ((n - 1) - n_x0) exp_epsilon
  /\ delta_hat k exp_epsilon0 n_x0 ((n - 1) - n_x0) exp_epsilon
  <= histogram_apart k exp_epsilon0 0 1 others exp_epsilon.
Proof.
  intros Hn Hk Ha [Ln [F C]] Hx HE.
  assert (0 < ln exp_epsilon0) by (rewrite <- ln_1; apply ln_increasing; lra).
  pose proof (tight_delta_of_count k (ln exp_epsilon0) (ln exp_epsilon) 0 1 others Hk ltac:(assumption)
    ltac:(lia) ltac:(lia) ltac:(lia) F) as T.
  cbv zeta in T; rewrite !exp_ln in T by lra; rewrite C in T.
  replace (length others - n_x0)%nat with ((n - 1) - n_x0)%nat in T by lia.
  replace (seq 0 (S (S (length others)))) with (seq 0 (S (n_x0 + S ((n - 1) - n_x0)))) in T
    by (f_equal; lia).
  exact T.
Qed.

Theorem biswas2023_x1_is_arbitrary (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (x_1 : nat)
    (exp_epsilon0 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> (3 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (2 <= x_1)%nat ->
  (x_1 <= (k - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  count_apart k exp_epsilon0 0 1 others exp_epsilon = count_apart k exp_epsilon0 0 x_1 others exp_epsilon.
Proof.
  intros _ Hk _ [_ [F _]] H1 H2 Hx _; unfold count_apart, count_of, users.
  rewrite (proj1 (count_divergence k exp_epsilon0 0 1 others exp_epsilon ltac:(lia) ltac:(lia) ltac:(lia) F ltac:(lra))).
  rewrite (proj1 (count_divergence k exp_epsilon0 0 x_1 others exp_epsilon ltac:(lia) ltac:(lia) ltac:(lia) F ltac:(lra))).
  reflexivity.
Qed.
