(** * Closed forms for the privacy blanket

    [blanket_excess] of [Blanket], the mean of the positive part of a sum of m independent variables
    L(W_1), ..., L(W_m) with the mean 1 - E = -a, below a closed form:
    - [excess_hoeffding]: where L lies in an interval of length b, it is at most
      b^2 / (4 e a) e^(-2 m a^2 / b^2);
    - [excess_bennett]: where L <= b and the mean of L^2 is at most c, it is at most
      b / (e ln (1 + u)) e^(-m c / b^2 ((1 + u) ln (1 + u) - u)), u = a b / c;
    - [bennett]: Bennett's bound on exponential moments.

    Both are the papers' divided by e = exp 1: the positive part of x is at most e^(t x - 1) / t for every t > 0.

    Source: Balle, Bell, Gascón, Nissim 2019, Section 5; Boucheron, Lugosi, Massart 2013, Section 2.7. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket.
Import ListNotations.
Open Scope R_scope.

(** ** What outcomes without mass add *)

Lemma mean_le_sent {A} (same : forall x y : A, {x = y} + {x <> y}) (P : law A) f h :
  nonnegative P -> (forall y, 0 < mass same P y -> f y <= h y) -> mean f P <= mean h P.
Proof.
  intros N H; destruct (outcomes_carry same P P) as [[_ C] _]; rewrite (C f), (C h); apply total_le; intros y.
  destruct (prob_nonnegative (at_ same y) P N) as [M|M]; fold (mass same P y) in M.
  - apply Rmult_le_compat_r; [lra | now apply H].
  - rewrite <- M; lra.
Qed.

Lemma mean_ext_sent {A} (same : forall x y : A, {x = y} + {x <> y}) (P : law A) f h :
  nonnegative P -> (forall y, 0 < mass same P y -> f y = h y) -> mean f P = mean h P.
Proof.
  intros N H; apply Rle_antisym; apply (mean_le_sent same); try exact N; intros y M; rewrite (H y M); lra.
Qed.

(** ** Exponential moments of one variable *)

Lemma hoeffding_sent {A} (same : forall x y : A, {x = y} + {x <> y}) (P : law A) X a b t :
  is_law P -> (forall y, 0 < mass same P y -> a <= X y <= b) ->
  mean (fun y => exp (t * X y)) P <= exp (t * mean X P + t ^ 2 * (b - a) ^ 2 / 8).
Proof.
  intros LP H; set (m := mean X P); destruct LP as [N One].
  assert (B : a <= m <= b).
  { rewrite <- (mean_constant P a (conj N One)), <- (mean_constant P b (conj N One)); unfold m.
    split; apply (mean_le_sent same); try exact N; intros y M; now apply H. }
  set (Z := fun y => Rmax a (Rmin b (X y)) + - m).
  assert (E : forall y, 0 < mass same P y -> Z y = X y + - m).
  { intros y M; unfold Z; destruct (H y M); rewrite Rmin_right, Rmax_right; lra. }
  rewrite (mean_ext_sent same P _ (fun y => exp (t * m) * exp (t * Z y))); [|exact N|].
  2: { intros y M; rewrite (E y M), <- exp_plus; f_equal; ring. }
  rewrite mean_scale, exp_plus; apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
  replace (b - a) with (b - m - (a - m)) by ring; apply hoeffding; [now split| |].
  - intros y; unfold Z; pose proof (Rmax_l a (Rmin b (X y))).
    assert (Rmax a (Rmin b (X y)) <= b) by (apply Rmax_lub; [lra | apply Rmin_l]); lra.
  - rewrite (mean_ext_sent same P Z (fun y => X y + - m)) by assumption.
    rewrite mean_plus, (mean_constant P (- m) (conj N One)); unfold m; ring.
Qed.

(** (e^x - 1 - x) / x^2 does not decrease. *)
Lemma exp_quadratic_negative x : x <= 0 -> exp x - 1 - x <= x ^ 2 / 2.
Proof.
  intros Hx; pose proof (growing (fun s => / 2 * (s * s) + (1 * - s + 1) - exp (- s))
    (fun s => / 2 * (1 * s + s * 1) + (1 * - (1) + 0) - exp (- s) * - (1)) (- x)) as G; cbv beta in G.
  rewrite Ropp_involutive, Ropp_0, exp_0 in G.
  enough (/ 2 * (0 * 0) + (1 * 0 + 1) - 1 <= / 2 * (- x * - x) + (1 * x + 1) - exp x) by lra.
  apply G; [| |lra].
  - intros c; pose proof (derivable_pt_lim_opp id c 1 (derivable_pt_lim_id c)) as O.
    apply (derivable_pt_lim_minus (fun s => / 2 * (s * s) + (1 * - s + 1)) (fun s => exp (- s))).
    + apply (derivable_pt_lim_plus (fun s => / 2 * (s * s)) (fun s => 1 * - s + 1)).
      * apply (derivable_pt_lim_scal (fun s => s * s)).
        apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
      * apply (derivable_pt_lim_plus (fun s => 1 * - s) (fct_cte 1)); [|apply derivable_pt_lim_const].
        apply (derivable_pt_lim_scal (fun s => - s)), O.
    + apply (derivable_pt_lim_comp (fun s => - s) exp); [exact O | apply derivable_pt_lim_exp].
  - intros c Hc; pose proof (exp_ineq1_le (- c)); lra.
Qed.

Lemma exp_quadratic_positive y : 0 <= y -> y ^ 2 / 2 <= exp y - 1 - y.
Proof.
  intros Hy; pose proof (growing (fun s => exp s - (/ 2 * (s * s) + s))
    (fun s => exp s - (/ 2 * (1 * s + s * 1) + 1)) y) as G; cbv beta in G.
  rewrite exp_0 in G; enough (1 - (/ 2 * (0 * 0) + 0) <= exp y - (/ 2 * (y * y) + y)) by lra.
  apply G; [| |exact Hy].
  - intros c; apply (derivable_pt_lim_minus exp (fun s => / 2 * (s * s) + s)); [apply derivable_pt_lim_exp|].
    apply (derivable_pt_lim_plus (fun s => / 2 * (s * s)) id); [|apply derivable_pt_lim_id].
    apply (derivable_pt_lim_scal (fun s => s * s)).
    apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  - intros c Hc; pose proof (exp_ineq1_le c); lra.
Qed.

Lemma exp_quadratic_scaled r y : 0 <= r <= 1 -> 0 <= y -> exp (r * y) - 1 - r * y <= r ^ 2 * (exp y - 1 - y).
Proof.
  intros Hr Hy; pose proof (growing
    (fun s => r ^ 2 * (exp s - (1 + s)) - (exp (r * s) - (1 + r * s)))
    (fun s => r ^ 2 * (exp s - (0 + 1)) - (exp (r * s) * (r * 1) - (0 + r * 1))) y) as G; cbv beta in G.
  rewrite Rmult_0_r, exp_0 in G.
  enough (r ^ 2 * (1 - (1 + 0)) - (1 - (1 + 0)) <= r ^ 2 * (exp y - (1 + y)) - (exp (r * y) - (1 + r * y))) by lra.
  apply G; [| |exact Hy].
  - intros c; assert (D : derivable_pt_lim (fun s => r * s) c (r * 1))
      by apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
    apply (derivable_pt_lim_minus (fun s => r ^ 2 * (exp s - (1 + s))) (fun s => exp (r * s) - (1 + r * s))).
    + apply (derivable_pt_lim_scal (fun s => exp s - (1 + s))).
      apply (derivable_pt_lim_minus exp (fun s => 1 + s)); [apply derivable_pt_lim_exp|].
      apply (derivable_pt_lim_plus (fct_cte 1) id); [apply derivable_pt_lim_const | apply derivable_pt_lim_id].
    + apply (derivable_pt_lim_minus (fun s => exp (r * s)) (fun s => 1 + r * s)).
      * apply (derivable_pt_lim_comp (fun s => r * s) exp); [exact D | apply derivable_pt_lim_exp].
      * apply (derivable_pt_lim_plus (fct_cte 1) (fun s => r * s)); [apply derivable_pt_lim_const | exact D].
  - intros c _; pose proof (exp_convex r c 0 Hr) as C; rewrite Rmult_0_r, Rplus_0_r, exp_0 in C.
    assert (0 <= r * (r * exp c + (1 - r) - exp (r * c))) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma exp_quadratic x y : x <= y -> 0 < y -> exp x - 1 - x <= x ^ 2 * ((exp y - 1 - y) / y ^ 2).
Proof.
  intros H Hy; assert (0 < y ^ 2) by (apply pow_lt; exact Hy); destruct (Rle_dec x 0) as [Hx|Hx].
  - eapply Rle_trans; [now apply exp_quadratic_negative|]; unfold Rdiv at 1.
    apply Rmult_le_compat_l; [apply pow2_ge_0|]; apply (Rmult_le_reg_r (y ^ 2)); [assumption|].
    pose proof (exp_quadratic_positive y ltac:(lra)).
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; lra.
  - pose proof (exp_quadratic_scaled (x / y) y) as S.
    replace (x / y * y) with x in S by (field; lra).
    replace (x ^ 2 * ((exp y - 1 - y) / y ^ 2)) with ((x / y) ^ 2 * (exp y - 1 - y)) by (field; lra).
    apply S; [|lra]; split; [apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]|].
    apply (Rmult_le_reg_r y); [exact Hy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

Theorem bennett {A} (same : forall x y : A, {x = y} + {x <> y}) (P : law A) (X : A -> R) b c t :
  is_law P -> (forall y, 0 < mass same P y -> X y <= b) -> mean (fun y => X y ^ 2) P <= c -> 0 < b -> 0 < t ->
  mean (fun y => exp (t * X y)) P <= exp (t * mean X P + c / b ^ 2 * (exp (t * b) - 1 - t * b)).
Proof.
  intros [N One] H C Hb Ht; set (K := (exp (t * b) - 1 - t * b) / b ^ 2).
  assert (Hb2 : 0 < b ^ 2) by (apply pow_lt; exact Hb).
  assert (HK : 0 <= K).
  { apply Rmult_le_pos; [|now apply Rlt_le, Rinv_0_lt_compat]; pose proof (exp_ineq1_le (t * b)); lra. }
  assert (Htb : 0 < t * b) by now apply Rmult_lt_0_compat.
  apply Rle_trans with (mean (fun y => (1 + t * X y) + K * X y ^ 2) P).
  - apply (mean_le_sent same); [exact N|]; intros y M.
    pose proof (exp_quadratic (t * X y) (t * b) ltac:(apply Rmult_le_compat_l; [lra | now apply H]) Htb) as Q.
    replace ((t * X y) ^ 2 * ((exp (t * b) - 1 - t * b) / (t * b) ^ 2)) with (K * X y ^ 2) in Q
      by (unfold K; field; lra); lra.
  - rewrite !mean_plus, !mean_scale, One.
    assert (K * mean (fun y => X y ^ 2) P <= K * c) by (apply Rmult_le_compat_l; assumption).
    pose proof (exp_ineq1_le (t * mean X P + K * c)) as E.
    replace (c / b ^ 2 * (exp (t * b) - 1 - t * b)) with (K * c) by (unfold K; field; lra); lra.
Qed.

Lemma exp_power x m : exp x ^ m = exp (INR m * x).
Proof.
  induction m as [|m IH]; [now rewrite Rmult_0_l, exp_0|].
  cbn [pow]; rewrite IH, <- exp_plus, S_INR; f_equal; ring.
Qed.

(** ** Sums of independent draws *)

Lemma moments_of_sum (omega : law nat) L t m :
  mean (fun ys => exp (t * total (map L ys))) (messages (repeat omega m)) = mean (fun y => exp (t * L y)) omega ^ m.
Proof.
  induction m as [|m IH]; cbn [repeat pow]; [cbn; rewrite Rmult_0_r, exp_0; ring|].
  rewrite mean_messages_cons, <- IH, Rmult_comm, <- mean_scale; apply mean_ext; intros y.
  rewrite Rmult_comm, <- mean_scale; apply mean_ext; intros ys; rewrite <- exp_plus; f_equal; cbn; ring.
Qed.

Lemma positive_part_exp t x : 0 < t -> positive_part x <= exp (-1) / t * exp (t * x).
Proof.
  intros Ht; unfold Rdiv; rewrite Rmult_assoc, (Rmult_comm (/ t)), <- Rmult_assoc, <- exp_plus.
  apply (Rmult_le_reg_r t); [exact Ht|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold positive_part; pose proof (exp_pos (-1 + t * x)); pose proof (exp_ineq1_le (-1 + t * x)).
  unfold Rmax; destruct Rle_dec; lra.
Qed.

Lemma excess_by_moments V V' omega E t M m :
  is_law omega -> 0 < t -> mean (fun y => exp (t * amplification V V' omega E y)) omega <= exp M ->
  blanket_excess V V' omega E m <= exp (-1) / t * exp M ^ m.
Proof.
  intros [N _] Ht H; unfold blanket_excess; set (L := amplification V V' omega E) in *.
  assert (0 < exp (-1) / t) by (apply Rdiv_lt_0_compat; [apply exp_pos | exact Ht]).
  apply Rle_trans with (mean (fun ys => exp (-1) / t * exp (t * total (map L ys))) (messages (repeat omega m))).
  - apply mean_le; [now apply nonnegative_messages|]; intros ys; now apply positive_part_exp.
  - rewrite mean_scale, moments_of_sum; apply Rmult_le_compat_l; [lra|]; apply pow_incr; split; [|exact H].
    rewrite <- (Rmult_0_l (mean (fun _ => 0) omega)), <- mean_scale.
    apply mean_le; [exact N|]; intros y; rewrite Rmult_0_l; apply Rlt_le, exp_pos.
Qed.

Lemma amplification_mean V V' omega E :
  is_law V -> is_law V' -> dominates omega V -> dominates omega V' -> mean (amplification V V' omega E) omega = 1 - E.
Proof.
  intros [_ L] [_ L'] D D'; rewrite (change_of_law omega V _ D) in L; rewrite (change_of_law omega V' _ D') in L'.
  rewrite (mean_ext _ (fun y => mass Nat.eq_dec V y / mass Nat.eq_dec omega y * 1
    + - E * (mass Nat.eq_dec V' y / mass Nat.eq_dec omega y * 1))) by (intros; unfold amplification, Rdiv; ring).
  rewrite mean_plus, mean_scale, L, L'; ring.
Qed.

Theorem excess_hoeffding V V' omega E low b m :
  is_law omega -> is_law V -> is_law V' -> dominates omega V -> dominates omega V' -> 1 < E -> 0 < b ->
  (forall y, 0 < mass Nat.eq_dec omega y -> low <= amplification V V' omega E y <= low + b) ->
  blanket_excess V V' omega E m
  <= exp (-1) * (b ^ 2 / (4 * (E - 1))) * exp (- (2 * (E - 1) ^ 2 / b ^ 2)) ^ m.
Proof.
  intros LO LV LV' D D' HE Hb H; set (a := E - 1); assert (Ha : 0 < a) by (unfold a; lra).
  assert (Hb2 : 0 < b ^ 2) by (apply pow_lt; exact Hb).
  pose proof (excess_by_moments V V' omega E (4 * a / b ^ 2) (- (2 * a ^ 2 / b ^ 2)) m LO) as X.
  replace (exp (-1) * (b ^ 2 / (4 * a))) with (exp (-1) / (4 * a / b ^ 2)) by (field; lra).
  apply X; [apply Rdiv_lt_0_compat; lra|].
  eapply Rle_trans; [apply (hoeffding_sent Nat.eq_dec omega _ low (low + b) _ LO H)|].
  rewrite (amplification_mean V V' omega E LV LV' D D'); replace (1 - E) with (- a) by (unfold a; ring).
  right; f_equal; field; lra.
Qed.

Theorem excess_bennett V V' omega E b c m :
  is_law omega -> is_law V -> is_law V' -> dominates omega V -> dominates omega V' -> 1 < E -> 0 < b -> 0 < c ->
  (forall y, 0 < mass Nat.eq_dec omega y -> amplification V V' omega E y <= b) ->
  mean (fun y => amplification V V' omega E y ^ 2) omega <= c ->
  let u := (E - 1) * b / c in
  blanket_excess V V' omega E m
  <= exp (-1) * (b / ln (1 + u)) * exp (- (c / b ^ 2 * ((1 + u) * ln (1 + u) - u))) ^ m.
Proof.
  intros LO LV LV' D D' HE Hb Hc H C; cbv zeta; set (a := E - 1); assert (Ha : 0 < a) by (unfold a; lra).
  set (u := a * b / c); assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat | exact Hc]).
  set (l := ln (1 + u)); assert (Hl : 0 < l) by (unfold l; rewrite <- ln_1; apply ln_increasing; lra).
  replace (exp (-1) * (b / l)) with (exp (-1) / (l / b)) by (field; lra).
  assert (Ht : 0 < l / b) by now apply Rdiv_lt_0_compat.
  apply excess_by_moments; [exact LO | exact Ht|].
  eapply Rle_trans; [apply (bennett Nat.eq_dec omega _ b c (l / b)); assumption|].
  rewrite (amplification_mean V V' omega E LV LV' D D'); replace (1 - E) with (- a) by (unfold a; ring).
  replace (l / b * b) with l by (field; lra); unfold l at 2; rewrite exp_ln by lra.
  right; f_equal; replace a with (u * c / b) by (unfold u; field; lra); clearbody l u; field; lra.
Qed.

(** ** On average over a binomial number of draws *)

Lemma binomial_powers g q n : binomial_total n (fun m => g ^ m * (1 - g) ^ (n - m) * q ^ m) = (1 - g * (1 - q)) ^ n.
Proof.
  rewrite <- (heads_binomial g n (fun c => q ^ c)); induction n as [|n IH]; [cbn; ring|].
  rewrite heads_S, IH; cbn [pow]; rewrite mean_scale; change (mean (pow q) (heads g n)) with (mean (fun c => q ^ c) (heads g n)).
  rewrite IH; generalize ((1 - g * (1 - q)) ^ n); intros; ring.
Qed.

Lemma binomial_total_le n f h : (forall c, f c <= h c) -> binomial_total n f <= binomial_total n h.
Proof.
  intros H; unfold binomial_total; apply total_le; intros c; apply Rmult_le_compat_l; [|apply H].
  clear; revert c; induction n as [|n IH]; intros [|c]; cbn; try lra; pose proof (IH c); pose proof (IH (S c)); lra.
Qed.
