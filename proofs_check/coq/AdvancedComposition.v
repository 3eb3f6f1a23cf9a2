(** * Advanced composition

    - [hoeffding]: Hoeffding's lemma, for finite laws;
    - [azuma]: Azuma's inequality, for the outcomes of any number of steps, each of which sees all earlier ones;
    - [loss_mean]: the mean privacy loss of an eps-private step is at most eps (e^eps - 1);
    - [advanced_composition]: n steps that are eps-private, whatever came before, together are
      (sqrt (2 n ln (1 / d)) eps + n eps (e^eps - 1), d)-private.

    A step may depend on how many came before it: the length of the past.

    Source: Dwork, Rothblum, Vadhan 2010, Theorem III.3, as in Dwork, Roth 2014, Theorem 3.20, and
    Erlingsson et al. 2019, Theorem 2, for delta = 0. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Composition.
Import ListNotations.
Open Scope R_scope.

(** ** Hoeffding's lemma *)

Lemma growing (f f' : R -> R) x :
  (forall c, derivable_pt_lim f c (f' c)) -> (forall c, 0 <= c -> 0 <= f' c) -> 0 <= x -> f 0 <= f x.
Proof.
  intros D P Hx; destruct (Req_dec x 0) as [->|N]; [lra|].
  destruct (MVT_cor2 f f' 0 x ltac:(lra)) as [c [E [C _]]]; [intros; apply D|].
  specialize (P c ltac:(lra)); assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; lra); lra.
Qed.

Section Coin.
Variable p : R.
Hypotheses (Hp : 0 <= p <= 1).

Let base h := 1 - p + p * exp h.
Let tilted h := p * exp h / base h.

Local Lemma base_positive h : 0 < base h.
Proof.
  unfold base; pose proof (exp_pos h); destruct (Req_dec p 0) as [->|N]; [lra|].
  assert (0 < p * exp h) by (apply Rmult_lt_0_compat; lra); lra.
Qed.

Local Lemma d_top h : derivable_pt_lim (fun h => p * exp h) h (p * exp h).
Proof. apply (derivable_pt_lim_scal exp), derivable_pt_lim_exp. Qed.

Local Lemma d_base h : derivable_pt_lim base h (p * exp h).
Proof.
  rewrite <- (Rplus_0_l (p * exp h)).
  apply (derivable_pt_lim_plus (fct_cte (1 - p)) (fun h => p * exp h));
    [apply derivable_pt_lim_const | apply d_top].
Qed.

Local Lemma d_tilted h : derivable_pt_lim tilted h (tilted h * (1 - tilted h)).
Proof.
  pose proof (base_positive h) as B.
  replace (tilted h * (1 - tilted h))
    with ((p * exp h * base h - p * exp h * (p * exp h)) / Rsqr (base h))
    by (unfold tilted, Rsqr; field; lra).
  apply (derivable_pt_lim_div (fun h => p * exp h) base); [apply d_top | apply d_base | lra].
Qed.

(** The exponent of a coin's moments, less the bound. *)
Local Lemma tilted_below h : 0 <= h -> tilted h <= p + h / 4.
Proof.
  intros Hh; pose proof (growing (fun h => / 4 * h - tilted h)
    (fun h => / 4 * 1 - tilted h * (1 - tilted h)) h) as G; cbv beta in G.
  enough (0 <= / 4 * h - tilted h + p) by lra.
  assert (Z : tilted 0 = p) by (unfold tilted, base; rewrite exp_0; field; lra).
  rewrite Z in G; enough (/ 4 * 0 - p <= / 4 * h - tilted h) by lra; apply G; [| |exact Hh].
  - intros c; apply (derivable_pt_lim_minus (fun h => / 4 * h) tilted); [|apply d_tilted].
    apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
  - intros c _; pose proof (Rle_0_sqr (tilted c - 1 / 2)); unfold Rsqr in *; lra.
Qed.

Local Lemma log_below h : 0 <= h -> ln (base h) <= p * h + h * h / 8.
Proof.
  intros Hh; set (f := fun h => (p * h + / 8 * (h * h)) - ln (base h)).
  assert (G : f 0 <= f h).
  { apply (growing f (fun h => (p * 1 + / 8 * (1 * h + h * 1)) - / base h * (p * exp h))); [| |exact Hh].
    - intros c; apply (derivable_pt_lim_minus (fun h => p * h + / 8 * (h * h)) (fun h => ln (base h))).
      + apply (derivable_pt_lim_plus (fun h => p * h) (fun h => / 8 * (h * h))).
        * apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
        * apply (derivable_pt_lim_scal (fun h => h * h)).
          apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
      + apply (derivable_pt_lim_comp base ln); [apply d_base | apply derivable_pt_lim_ln, base_positive].
    - intros c Hc; pose proof (tilted_below c Hc) as T; unfold tilted, Rdiv in T; lra. }
  unfold f in G; assert (base 0 = 1) as Z by (unfold base; rewrite exp_0; ring).
  rewrite Z, ln_1 in G; lra.
Qed.

Local Lemma coin_nonnegative h : 0 <= h -> (1 - p) * exp (- (p * h)) + p * exp ((1 - p) * h) <= exp (h * h / 8).
Proof.
  intros Hh.
  replace ((1 - p) * exp (- (p * h)) + p * exp ((1 - p) * h)) with (exp (- (p * h)) * base h).
  - rewrite <- (exp_ln (base h)) by apply base_positive; rewrite <- exp_plus.
    destruct (Rle_lt_or_eq_dec _ _ (log_below h Hh)) as [L|L]; [apply Rlt_le, exp_increasing; lra|].
    apply Req_le; f_equal; lra.
  - unfold base; replace ((1 - p) * h) with (- (p * h) + h) by ring; rewrite exp_plus; ring.
Qed.
End Coin.

(** A coin with mean 0: 1 - p with probability p, -p otherwise. *)
Lemma coin_moments p h :
  0 <= p <= 1 -> (1 - p) * exp (- (p * h)) + p * exp ((1 - p) * h) <= exp (h * h / 8).
Proof.
  intros Hp; destruct (Rle_dec 0 h) as [H|H]; [now apply coin_nonnegative|].
  pose proof (coin_nonnegative (1 - p) ltac:(lra) (- h) ltac:(lra)) as F.
  replace (1 - (1 - p)) with p in F by ring; replace (- ((1 - p) * - h)) with ((1 - p) * h) in F by ring.
  replace (p * - h) with (- (p * h)) in F by ring; replace (- h * - h) with (h * h) in F by ring; lra.
Qed.

Lemma exp_convex u c d : 0 <= u <= 1 -> exp (u * c + (1 - u) * d) <= u * exp c + (1 - u) * exp d.
Proof.
  intros Hu; set (m := u * c + (1 - u) * d).
  assert (T : forall z, exp m * (1 + (z - m)) <= exp z).
  { intros z; replace (exp z) with (exp m * exp (z - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | apply exp_ineq1_le]. }
  pose proof (Rmult_le_compat_l u _ _ (proj1 Hu) (T c)).
  pose proof (Rmult_le_compat_l (1 - u) _ _ ltac:(lra) (T d)).
  replace (exp m) with (u * (exp m * (1 + (c - m))) + (1 - u) * (exp m * (1 + (d - m)))); [lra|].
  unfold m; ring.
Qed.

Lemma mean_constant {A} (P : law A) c : is_law P -> mean (fun _ => c) P = c.
Proof.
  intros [_ M]; rewrite (mean_ext _ (fun _ => c * 1)) by (intros; ring); rewrite mean_scale, M; ring.
Qed.

Theorem hoeffding {A} (P : law A) (X : A -> R) a b t :
  is_law P -> (forall y, a <= X y <= b) -> mean X P = 0 ->
  mean (fun y => exp (t * X y)) P <= exp (t ^ 2 * (b - a) ^ 2 / 8).
Proof.
  intros LP HX M.
  assert (Ha : a <= 0) by (rewrite <- M, <- (mean_constant P a LP); apply mean_le; [apply LP | apply HX]).
  assert (Hb : 0 <= b) by (rewrite <- M, <- (mean_constant P b LP); apply mean_le; [apply LP | apply HX]).
  destruct (Req_dec a b) as [E|N].
  { assert (forall y, t * X y = 0) as Z by (intros y; replace (X y) with 0 by (specialize (HX y); lra); ring).
    rewrite (mean_ext _ (fun _ => 1)) by (intros; rewrite Z; apply exp_0); rewrite (mean_constant P 1 LP).
    rewrite <- exp_0; apply Req_le; f_equal; replace (b - a) with 0 by lra; field. }
  assert (D : 0 < b - a) by lra; set (p := - a / (b - a)).
  assert (Hp : 0 <= p <= 1).
  { unfold p; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]|].
    apply (Rmult_le_reg_r (b - a)); [exact D|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  apply Rle_trans with (mean (fun y => (b / (b - a) * exp (t * a) + - a / (b - a) * exp (t * b))
    + (exp (t * b) - exp (t * a)) / (b - a) * X y) P).
  - apply mean_le; [apply LP|]; intros y; specialize (HX y); set (u := (b - X y) / (b - a)).
    assert (Hu : 0 <= u <= 1).
    { unfold u; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]|].
      apply (Rmult_le_reg_r (b - a)); [exact D|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    pose proof (exp_convex u (t * a) (t * b) Hu) as C.
    replace (u * (t * a) + (1 - u) * (t * b)) with (t * X y) in C by (unfold u; field; lra).
    eapply Rle_trans; [exact C|]; apply Req_le; unfold u; field; lra.
  - rewrite mean_plus, mean_scale, M, (mean_constant P _ LP).
    pose proof (coin_moments p (t * (b - a)) Hp) as C.
    replace (t ^ 2 * (b - a) ^ 2 / 8) with (t * (b - a) * (t * (b - a)) / 8) by field.
    eapply Rle_trans; [|exact C]; apply Req_le.
    replace (- (p * (t * (b - a)))) with (t * a) by (unfold p; field; lra).
    replace ((1 - p) * (t * (b - a))) with (t * b) by (unfold p; field; lra).
    unfold p; field; lra.
Qed.

(** ** Azuma's inequality *)

(** The sum of what each outcome adds, which may depend on the outcomes before it. *)
Fixpoint summed {A} (X : list A -> A -> R) (outcomes : list A) : R :=
  match outcomes with
  | [] => 0
  | y :: past => X past y + summed X past
  end.

Lemma repeat_laws {A} (K : list A -> law A) n :
  (forall past, is_law (K past)) -> Forall (fun K => forall past, is_law (K past)) (repeat K n).
Proof. intros H; apply Forall_forall; intros M I; apply repeat_spec in I; now subst. Qed.

Lemma moments_of_run {A} (K : list A -> law A) (X : list A -> A -> R) t c n past :
  (forall past, is_law (K past)) ->
  (forall past, mean (fun y => exp (t * X past y)) (K past) <= exp c) ->
  mean (fun ys => exp (t * summed X ys)) (run (repeat K n) past) <= exp (t * summed X past + INR n * c).
Proof.
  intros L H; revert past; induction n as [|n IH]; intros past.
  - cbn; rewrite Rmult_1_l, Rplus_0_r; right; f_equal; ring.
  - cbn [repeat run]; rewrite mean_bind, S_INR.
    apply Rle_trans with (exp (t * summed X past + INR n * c) * mean (fun y => exp (t * X past y)) (K past)).
    + rewrite <- mean_scale; apply mean_le; [apply L|]; intros y; eapply Rle_trans; [apply IH|].
      rewrite <- exp_plus; right; f_equal; cbn [summed]; ring.
    + replace (t * summed X past + (INR n + 1) * c) with (t * summed X past + INR n * c + c) by ring.
      rewrite (exp_plus _ c); apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | apply H].
Qed.

Definition at_least {A} (f : A -> R) (s : R) (y : A) : bool := if Rle_dec s (f y) then true else false.

Lemma markov {A} (P : law A) (f : A -> R) s t :
  nonnegative P -> 0 <= t -> prob (at_least f s) P <= exp (- (t * s)) * mean (fun y => exp (t * f y)) P.
Proof.
  intros N Ht; rewrite <- mean_scale; apply mean_le; [exact N|]; intros y; unfold indicator, at_least.
  rewrite <- exp_plus; destruct Rle_dec as [H|H]; [|apply Rlt_le, exp_pos].
  pose proof (exp_ineq1_le (- (t * s) + t * f y)); assert (t * s <= t * f y) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Theorem azuma {A} (K : list A -> law A) (X : list A -> A -> R) a b n s :
  (forall past, is_law (K past) /\ mean (X past) (K past) = 0) -> (forall past y, a <= X past y <= b) ->
  a < b -> (0 < n)%nat -> 0 <= s ->
  prob (at_least (summed X) s) (run (repeat K n) []) <= exp (- (2 * s ^ 2 / (INR n * (b - a) ^ 2))).
Proof.
  intros HK HX Hab Hn Hs; apply lt_0_INR in Hn; set (t := 4 * s / (INR n * (b - a) ^ 2)).
  assert (D : 0 < INR n * (b - a) ^ 2) by (apply Rmult_lt_0_compat; [exact Hn | apply pow_lt; lra]).
  assert (Ht : 0 <= t)
    by (unfold t; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]).
  assert (L : forall past, is_law (K past)) by (intros; apply HK).
  eapply Rle_trans; [apply (markov _ _ s t); [apply run_is_law, repeat_laws, L | exact Ht]|].
  apply Rle_trans with (exp (- (t * s)) * exp (t * 0 + INR n * (t ^ 2 * (b - a) ^ 2 / 8))).
  - apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
    apply (moments_of_run K X t _ n []); [exact L|]; intros past; apply hoeffding; [apply L | apply HX | apply HK].
  - rewrite <- exp_plus; right; f_equal; unfold t; field; lra.
Qed.

(** ** The privacy loss *)

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [L|<-]; [apply Rlt_le, exp_increasing, L | lra]. Qed.

Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [L|<-]; [apply Rlt_le, ln_increasing; assumption | lra]. Qed.

(** ln of P(y) / Q(y). *)
Definition loss {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (y : A) : R :=
  ln (mass same P y / mass same Q y).

(** Neither law is more than e^eps times the other, on any event. *)
Definition private {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (eps : R) : Prop :=
  is_law P /\ is_law Q /\
  hockey_stick same P Q (exp eps) <= 0 /\ hockey_stick same Q P (exp eps) <= 0.

Section Step.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).
Variables (P Q : law A) (eps : R).
Hypotheses (He : 0 <= eps) (H : private same P Q eps).

Let p := mass same P.
Let q := mass same Q.

Lemma masses_close y : 0 <= p y /\ 0 <= q y /\ p y <= exp eps * q y /\ q y <= exp eps * p y.
Proof.
  destruct H as [[NP _] [[NQ _] [F G]]].
  pose proof (proj1 (below_every_event _ _ _ _ _) F (at_ same y)).
  pose proof (proj1 (below_every_event _ _ _ _ _) G (at_ same y)).
  pose proof (prob_nonnegative (at_ same y) P NP); pose proof (prob_nonnegative (at_ same y) Q NQ).
  unfold p, q, mass; lra.
Qed.

Lemma masses_positive y : (p y = 0 /\ q y = 0) \/ (0 < p y /\ 0 < q y).
Proof.
  destruct (masses_close y) as [Np [Nq [F G]]]; pose proof (exp_pos eps).
  destruct (Req_dec (p y) 0) as [Z|Z]; [rewrite Z, Rmult_0_r in G; left; lra|].
  destruct (Req_dec (q y) 0) as [Z'|Z']; [rewrite Z', Rmult_0_r in F; lra | right; lra].
Qed.

Lemma loss_bound y : - eps <= loss same P Q y <= eps.
Proof.
  unfold loss; fold (p y) (q y); destruct (masses_positive y) as [[-> ->]|[Pp Pq]].
  - unfold Rdiv; rewrite Rmult_0_l; unfold ln.
    destruct (Rlt_dec 0 0) as [Z|Z]; [exfalso; exact (Rlt_irrefl 0 Z) | lra].
  - destruct (masses_close y) as [_ [_ [F G]]].
    assert (0 < p y / q y) by (apply Rdiv_lt_0_compat; assumption); split.
    + rewrite <- (ln_exp (- eps)); apply ln_le; [apply exp_pos|].
      apply (Rmult_le_reg_r (q y)); [exact Pq|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
      rewrite exp_Ropp; apply (Rmult_le_reg_l (exp eps)); [apply exp_pos|].
      rewrite <- Rmult_assoc, Rinv_r by (pose proof (exp_pos eps); lra); lra.
    + rewrite <- (ln_exp eps); apply ln_le; [assumption|].
      apply (Rmult_le_reg_r (q y)); [exact Pq|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.

(** The law of the other data set, as a reweighting. *)
Lemma reweighted f : mean f Q = mean (fun y => exp (- loss same P Q y) * f y) P.
Proof.
  destruct (outcomes_carry same P Q) as [[_ EP] [_ EQ]]; rewrite EP, EQ; apply total_ext; intros y _.
  fold (p y) (q y); unfold loss; fold (p y) (q y); destruct (masses_positive y) as [[-> ->]|[Pp Pq]]; [ring|].
  assert (0 < p y / q y) by (apply Rdiv_lt_0_compat; assumption).
  rewrite exp_Ropp, exp_ln by assumption; field; lra.
Qed.

Lemma mean_loss : mean (loss same P Q) P <= eps * (exp eps - 1).
Proof.
  destruct (outcomes_carry same P Q) as [[_ EP] [_ EQ]].
  assert (LP : is_law P) by apply H; assert (LQ : is_law Q) by apply H.
  rewrite EP.
  apply Rle_trans with (total (map (fun y => eps * (exp eps - 1) * mass same P y
    + (p y + -1 * q y)) (outcomes same P Q))).
  - apply total_le; intros y; fold (p y) (q y).
    destruct (masses_close y) as [Np [Nq [F G]]]; destruct (loss_bound y) as [L U].
    assert (Ee : 0 <= exp eps - 1) by (pose proof (exp_ineq1_le eps); lra).
    (* loss q <= p - q, and loss (p - q) <= eps (e^eps - 1) p. *)
    assert (J : loss same P Q y * q y <= p y - q y).
    { unfold loss; fold (p y) (q y); destruct (masses_positive y) as [[-> ->]|[Pp Pq]]; [lra|].
      pose proof (exp_ineq1_le (ln (p y / q y))) as I.
      rewrite exp_ln in I by (apply Rdiv_lt_0_compat; assumption).
      apply (Rmult_le_compat_r (q y)) in I; [|exact Nq].
      unfold Rdiv in I at 2; rewrite Rmult_assoc, Rinv_l in I by lra; lra. }
    assert (M : loss same P Q y * (p y - q y) <= eps * ((exp eps - 1) * p y)).
    { assert (Z : (exp eps - 1) * q y <= (exp eps - 1) * p y \/ p y <= q y).
      { destruct (Rle_dec (q y) (p y)); [left; apply Rmult_le_compat_l | right]; lra. }
      assert (W : 0 <= (exp eps - 1) * p y) by (apply Rmult_le_pos; assumption).
      destruct (Rle_dec (q y) (p y)) as [B|B].
      - apply Rle_trans with (eps * (p y - q y)); [apply Rmult_le_compat_r; lra|].
        apply Rmult_le_compat_l; lra.
      - apply Rle_trans with (eps * (q y - p y)); [|apply Rmult_le_compat_l; lra].
        replace (loss same P Q y * (p y - q y)) with (- loss same P Q y * (q y - p y)) by ring.
        apply Rmult_le_compat_r; lra. }
    lra.
  - rewrite !total_plus, !total_scale.
    assert (One : forall T, is_law T ->
      (forall f, mean f T = total (map (fun y => f y * mass same T y) (outcomes same P Q))) ->
      total (map (mass same T) (outcomes same P Q)) = 1).
    { intros T [_ <-] ->; apply total_ext; intros; ring. }
    unfold p, q; rewrite (One P LP EP), (One Q LQ EQ); lra.
Qed.

Lemma loss_moments t :
  0 <= t -> mean (fun y => exp (t * loss same P Q y)) P
    <= exp (t * (eps * (exp eps - 1)) + t ^ 2 * eps ^ 2 / 2).
Proof.
  intros Ht; set (m := mean (loss same P Q) P); assert (LP : is_law P) by apply H.
  pose proof (hoeffding P (fun y => loss same P Q y + - m) (- eps - m) (eps - m) t LP) as F.
  assert (M : mean (fun y => loss same P Q y + - m) P = 0)
    by (rewrite mean_plus, (mean_constant P _ LP); unfold m; ring).
  specialize (F ltac:(intros y; pose proof (loss_bound y); lra) M).
  rewrite (mean_ext _ (fun y => exp (t * m) * exp (t * (loss same P Q y + - m))))
    by (intros y; rewrite <- exp_plus; f_equal; ring).
  rewrite mean_scale, exp_plus; apply Rmult_le_compat; [apply Rlt_le, exp_pos | | |].
  - rewrite <- (mean_constant P 0 LP); apply mean_le; [apply LP|]; intros; apply Rlt_le, exp_pos.
  - apply exp_le, Rmult_le_compat_l; [exact Ht | exact mean_loss].
  - eapply Rle_trans; [exact F|]; right; f_equal; field.
Qed.
End Step.

Theorem loss_mean {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) eps :
  0 <= eps -> private same P Q eps -> mean (loss same P Q) P <= eps * (exp eps - 1).
Proof. apply mean_loss. Qed.

(** ** Composition *)

Theorem advanced_composition {A} (same : forall x y : A, {x = y} + {x <> y})
    (K L : list A -> law A) eps d n S :
  0 <= eps -> 0 < d <= 1 -> (forall past, private same (K past) (L past) eps) ->
  let eps' := sqrt (2 * INR n * ln (1 / d)) * eps + INR n * eps * (exp eps - 1) in
  let P := run (repeat K n) [] in
  let Q := run (repeat L n) [] in
  prob S P <= exp eps' * prob S Q + d /\ prob S Q <= exp eps' * prob S P + d.
Proof.
  intros He Hd H; cbv zeta.
  enough (OneWay : forall K L : list A -> law A, (forall past, private same (K past) (L past) eps) ->
    prob S (run (repeat K n) []) <= exp (sqrt (2 * INR n * ln (1 / d)) * eps
      + INR n * eps * (exp eps - 1)) * prob S (run (repeat L n) []) + d).
  { split; apply OneWay; [exact H|]; intros past; destruct (H past) as [A1 [A2 [A3 A4]]].
    repeat split; assumption || apply A1 || apply A2. }
  clear K L H; intros K L H; set (X := fun past => loss same (K past) (L past)).
  set (eps' := sqrt _ * eps + _).
  assert (LK : forall past, is_law (K past)) by (intros; apply H).
  assert (Change : forall m past f, exp (- summed X past) * mean f (run (repeat L m) past)
    = mean (fun ys => exp (- summed X ys) * f ys) (run (repeat K m) past)).
  { induction m as [|m IH]; intros past f; [cbn; ring|]; cbn [repeat run]; rewrite !mean_bind.
    rewrite (reweighted same (K past) (L past) eps (H past)), <- mean_scale; apply mean_ext; intros y.
    rewrite <- IH, <- Rmult_assoc, <- exp_plus; do 2 f_equal; cbn [summed]; unfold X; ring. }
  assert (N : nonnegative (run (repeat K n) [])) by (apply run_is_law, repeat_laws, LK).
  assert (Tail : forall t, 0 <= t -> prob S (run (repeat K n) [])
    <= exp eps' * prob S (run (repeat L n) [])
      + exp (- (t * eps') + INR n * (t * (eps * (exp eps - 1)) + t ^ 2 * eps ^ 2 / 2))).
  { intros t Ht; unfold prob at 2; specialize (Change n [] (indicator S)); cbn [summed] in Change.
    rewrite Ropp_0, exp_0, Rmult_1_l in Change; rewrite Change, exp_plus.
    pose proof (moments_of_run K X t (t * (eps * (exp eps - 1)) + t ^ 2 * eps ^ 2 / 2) n [] LK
      ltac:(intros past; apply (loss_moments same _ _ eps He (H past) t Ht))) as M.
    cbn [summed] in M; rewrite Rmult_0_r, Rplus_0_l in M.
    apply Rle_trans with (mean (fun ys => exp eps' * (exp (- summed X ys) * indicator S ys)
      + exp (- (t * eps')) * exp (t * summed X ys)) (run (repeat K n) [])).
    - apply mean_le; [exact N|]; intros ys; rewrite <- Rmult_assoc, <- !exp_plus.
      pose proof (exp_pos (eps' + - summed X ys)); pose proof (exp_pos (- (t * eps') + t * summed X ys)).
      unfold indicator; destruct (S ys); [|lra]; destruct (Rle_dec (summed X ys) eps') as [C|C].
      + pose proof (exp_ineq1_le (eps' + - summed X ys)); lra.
      + pose proof (exp_ineq1_le (- (t * eps') + t * summed X ys)).
        assert (t * eps' <= t * summed X ys) by (apply Rmult_le_compat_l; lra); lra.
    - rewrite mean_plus, !mean_scale; apply Rplus_le_compat_l, Rmult_le_compat_l; [apply Rlt_le, exp_pos | exact M]. }
  (* eps' - n eps (e^eps - 1) = r eps with r^2 = 2 n ln (1 / d); t = r / (n eps). *)
  set (l := ln (1 / d)) in *.
  assert (Hl : 0 <= l).
  { rewrite <- ln_1; apply ln_le; [lra|]; apply (Rmult_le_reg_r d); [lra|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  assert (Ed : exp (- l) = d).
  { unfold l; rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra); field; lra. }
  destruct (Req_dec (INR n * eps) 0) as [Z|Z].
  - assert (E0 : eps' = 0).
    { unfold eps'; apply Rmult_integral in Z as [Z|Z]; rewrite Z; [|ring].
      rewrite Rmult_0_r, Rmult_0_l, sqrt_0; ring. }
    pose proof (composition_of_equal_steps same K L eps 0 n ltac:(intros past; destruct (H past) as [A1 [A2 [A3 _]]];
      repeat split; assumption || apply A1 || apply A2)) as C.
    rewrite Z, Rmult_0_r in C; rewrite E0; pose proof (proj1 (below_every_event _ _ _ _ _) C S); lra.
  - assert (Hn : 0 < INR n) by (pose proof (pos_INR n); destruct (Req_dec (INR n) 0) as [Y|Y]; [rewrite Y in Z|]; lra).
    assert (0 < eps) by (destruct (Req_dec eps 0) as [Y|Y]; [rewrite Y in Z|]; lra).
    set (r := sqrt (2 * INR n * l)) in *.
    assert (R2 : r * r = 2 * INR n * l) by (apply sqrt_sqrt; repeat apply Rmult_le_pos; lra).
    assert (R0 : 0 <= r) by apply sqrt_pos.
    assert (0 < INR n * eps) by (apply Rmult_lt_0_compat; assumption).
    specialize (Tail (r / (INR n * eps))
      ltac:(apply Rmult_le_pos; [exact R0 | apply Rlt_le, Rinv_0_lt_compat; assumption])).
    replace (- (r / (INR n * eps) * eps') + INR n * (r / (INR n * eps) * (eps * (exp eps - 1))
      + (r / (INR n * eps)) ^ 2 * eps ^ 2 / 2)) with (- l) in Tail; [rewrite Ed in Tail; exact Tail|].
    unfold eps'; replace l with (r * r / (2 * INR n)) at 1 by (rewrite R2; field; lra); field; lra.
Qed.
