(** * A computation that decides a certificate's relations, and the proof that it may

    Terms as data with their meaning [denote], a computation [eval] on exact rationals and on
    CoqInterval's intervals, and [sound]: what is computed encloses what is meant. Nobody has to
    read this to trust a certificate's theorem: Coq has checked it. *)

From Coq Require Import Reals Qreals QArith List Lra Lia ZArith NArith Bool.
From Coq Require FinFun.
From Interval.Float Require Import Basic Specific_stdz Specific_ops.
From Interval.Interval Require Import Interval Float Float_full Transcend.
From Interval.Real Require Import Xreal.
Require Export ExactDP Language.
Require Import Polynomials Normal.
Import ListNotations.
Open Scope R_scope.

(** ** Values: exact rationals and intervals *)

Module F := SpecificFloat StdZRadix2.
Module I := FloatIntervalFull F.

Inductive value := Exact (q : Q) | Ball (i : I.type).

Definition means (v : value) (x : R) : Prop :=
  match v with Exact q => Q2R q = x | Ball i => contains (I.convert i) (Xreal x) end.

Definition undefined := Ball I.nai.

Lemma undefined_means x : means undefined x.
Proof. unfold means, undefined; rewrite I.nai_correct; exact Logic.I. Qed.

Lemma contains_nan i x : contains i Xnan -> contains i x.
Proof. destruct i; cbn; [trivial | tauto]. Qed.

(** ** Pascal's triangle: sums compute many of the same binomial coefficients *)

Fixpoint next_row (x : Z) (r : list Z) : list Z :=
  match r with [] => [x] | y :: r => (x + y)%Z :: next_row y r end.
Fixpoint rows_from (n : nat) (r : list Z) : list (list Z) :=
  match n with 0%nat => [r] | S n => r :: rows_from n (next_row 0 r) end.
Definition triangle : list (list Z) := rows_from 128 [1%Z].
Definition tabled (a b : Z) : Z := nth (Z.to_nat b) (nth (Z.to_nat a) triangle []) 0%Z.

Lemma nth_next_row x r b :
  nth (S b) (next_row x r) 0%Z = (nth b r 0 + nth (S b) r 0)%Z.
Proof.
  revert x b; induction r as [|y r IH]; intros x b; [destruct b; reflexivity|].
  cbn [next_row]; destruct b as [|b]; [destruct r; cbn; lia|].
  change (nth (S b) (next_row y r) 0%Z = (nth b r 0 + nth (S b) r 0)%Z); apply IH.
Qed.

Lemma falling_next a b : falling (a + 1) (S b) = ((a + 1) * falling a b)%Z.
Proof.
  induction b as [|b IH]; [cbn [falling]; lia|].
  change (falling (a + 1) (S (S b))) with (falling (a + 1) (S b) * (a + 1 - Z.of_nat (S b)))%Z.
  rewrite IH; cbn [falling]; rewrite Nat2Z.inj_succ; ring.
Qed.

Definition is_row_of (a : nat) (r : list Z) : Prop :=
  forall b, (nth b r 0 * falling (Z.of_nat b) b)%Z = falling (Z.of_nat a) b.

Lemma next_row_of a r : is_row_of a r -> is_row_of (S a) (next_row 0 r).
Proof.
  intros H [|b].
  - pose proof (H 0%nat) as E; destruct r; cbn in *; lia.
  - pose proof (H b) as E; pose proof (H (S b)) as F; rewrite nth_next_row.
    rewrite !Nat2Z.inj_succ, <- !Z.add_1_r in *; rewrite !falling_next in *; cbn [falling] in F.
    rewrite Z.mul_add_distr_r, F, <- E; ring.
Qed.

Lemma nth_rows_from n : forall a r i, is_row_of a r -> (i <= n)%nat ->
  is_row_of (a + i) (nth i (rows_from n r) []).
Proof.
  induction n as [|n IH]; intros a r [|i] H L; cbn [rows_from nth];
    try (rewrite Nat.add_0_r; exact H); [lia|].
  replace (a + S i)%nat with (S a + i)%nat by lia; apply IH; [now apply next_row_of | lia].
Qed.

Lemma falling_positive b : (0 < falling (Z.of_nat b) b)%Z.
Proof.
  induction b as [|b IH]; [reflexivity|].
  rewrite Nat2Z.inj_succ, <- Z.add_1_r, falling_next; lia.
Qed.

Lemma tabled_choose a b : (0 <= b <= a)%Z -> (a <= 128)%Z ->
  IZR (tabled a b) = IZR (falling a (Z.to_nat b)) / IZR (falling b (Z.to_nat b)).
Proof.
  intros [B A] M; unfold tabled.
  assert (R : is_row_of (0 + Z.to_nat a) (nth (Z.to_nat a) triangle [])).
  { apply nth_rows_from; [|lia]; intros [|i]; [reflexivity|].
    replace (nth (S i) [1%Z] 0%Z) with 0%Z by (destruct i; reflexivity).
    rewrite Z.mul_0_l; induction i as [|i IH]; [reflexivity|]; cbn [falling] in *; rewrite <- IH; ring. }
  specialize (R (Z.to_nat b)); rewrite Nat.add_0_l, !Z2Nat.id in R by lia.
  pose proof (falling_positive (Z.to_nat b)) as P; rewrite Z2Nat.id in P by lia.
  rewrite <- R, mult_IZR; field; apply not_0_IZR; lia.
Qed.

Section Computation.
(** Working precision of intervals, and the length beyond which a rational becomes an interval. *)
Variables (prec : F.precision) (longest : Z).

Definition ball_of (q : Q) : I.type :=
  match q with
  | n # 1 => I.fromZ prec n
  | n # d => I.div prec (I.fromZ prec n) (I.fromZ prec (Zpos d))
  end.
Definition ball (v : value) : I.type := match v with Exact q => ball_of q | Ball i => i end.

Definition size (q : Q) : Z := (Z.log2 (Z.abs (Qnum q)) + Z.log2 (Zpos (Qden q)))%Z.

Definition exact (q : Q) : value := if (size q <=? longest)%Z then Exact (Qred q) else Ball (ball_of q).

Definition is_zero (v : value) : bool := match v with Exact (0 # _) => true | _ => false end.

Lemma div_means wp i j x y :
  contains (I.convert i) (Xreal x) -> contains (I.convert j) (Xreal y) ->
  contains (I.convert (I.div wp i j)) (Xreal (x / y)).
Proof.
  intros Hx Hy; pose proof (I.div_correct wp i j _ _ Hx Hy) as H; cbn in H; unfold Xdiv' in H.
  destruct (Xreal.is_zero y) in H; [apply contains_nan, H | exact H].
Qed.

Lemma fromZ_means n : contains (I.convert (I.fromZ prec n)) (Xreal (IZR n)).
Proof. apply I.fromZ_correct. Qed.

Lemma ball_of_means q : contains (I.convert (ball_of q)) (Xreal (Q2R q)).
Proof.
  destruct q as [n d]; unfold Q2R; cbn [Qnum Qden].
  assert (G : contains (I.convert (I.div prec (I.fromZ prec n) (I.fromZ prec (Zpos d))))
    (Xreal (IZR n * / IZR (Zpos d)))) by (apply div_means; apply fromZ_means).
  destruct d; try exact G; cbn.
  rewrite Rinv_1, Rmult_1_r; apply fromZ_means.
Qed.

Lemma ball_means v x : means v x -> contains (I.convert (ball v)) (Xreal x).
Proof. destruct v; cbn; [intros <-; apply ball_of_means | trivial]. Qed.

Lemma Qred_means q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma exact_means q x : Q2R q = x -> means (exact q) x.
Proof.
  intros <-; unfold exact; destruct (_ <=? _)%Z; cbn; [apply Qred_means | apply ball_of_means].
Qed.

Lemma is_zero_means v x : is_zero v = true -> means v x -> x = 0.
Proof.
  destruct v as [[[|n|n] d]|]; cbn; try discriminate; intros _ <-; unfold Q2R; cbn; ring.
Qed.

Definition lift2 (f : Q -> Q -> Q) (g : I.type -> I.type -> I.type) (v w : value) : value :=
  match v, w with Exact a, Exact b => exact (f a b) | _, _ => Ball (g (ball v) (ball w)) end.

Definition vadd (v w : value) : value :=
  if is_zero v then w else if is_zero w then v else lift2 Qplus (I.add prec) v w.
Definition vmul (v w : value) : value :=
  if is_zero v then Exact 0 else if is_zero w then Exact 0 else lift2 Qmult (I.mul prec) v w.
Definition vsub := lift2 Qminus (I.sub prec).
Definition vneg (v : value) := vsub (Exact 0) v.
Definition vdiv (v w : value) : value :=
  if is_zero w then undefined else if is_zero v then Exact 0 else lift2 Qdiv (I.div prec) v w.

Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R; cbn; ring. Qed.

Lemma lift2_means f g h v w x y :
  (forall a b, Q2R (f a b) = h (Q2R a) (Q2R b)) ->
  (contains (I.convert (ball v)) (Xreal x) -> contains (I.convert (ball w)) (Xreal y) ->
    contains (I.convert (g (ball v) (ball w))) (Xreal (h x y))) ->
  means v x -> means w y -> means (lift2 f g v w) (h x y).
Proof.
  intros Hf Hg Hv Hw; pose proof (Hg (ball_means _ _ Hv) (ball_means _ _ Hw)) as G.
  destruct v as [a|i], w as [b|j]; cbn [lift2]; try exact G.
  cbn in Hv, Hw; apply exact_means; subst; apply Hf.
Qed.

Lemma vadd_means v w x y : means v x -> means w y -> means (vadd v w) (x + y).
Proof.
  intros Hv Hw; unfold vadd.
  destruct (is_zero v) eqn:Zv; [rewrite (is_zero_means v x Zv Hv), Rplus_0_l; exact Hw|].
  destruct (is_zero w) eqn:Zw; [rewrite (is_zero_means w y Zw Hw), Rplus_0_r; exact Hv|].
  apply (lift2_means _ _ Rplus); auto using Q2R_plus.
  exact (I.add_correct prec (ball v) (ball w) (Xreal x) (Xreal y)).
Qed.

Lemma vmul_means v w x y : means v x -> means w y -> means (vmul v w) (x * y).
Proof.
  intros Hv Hw; unfold vmul.
  destruct (is_zero v) eqn:Zv;
    [rewrite (is_zero_means v x Zv Hv), Rmult_0_l; exact Q2R_0|].
  destruct (is_zero w) eqn:Zw;
    [rewrite (is_zero_means w y Zw Hw), Rmult_0_r; exact Q2R_0|].
  apply (lift2_means _ _ Rmult); auto using Q2R_mult.
  exact (I.mul_correct prec (ball v) (ball w) (Xreal x) (Xreal y)).
Qed.

Lemma vsub_means v w x y : means v x -> means w y -> means (vsub v w) (x - y).
Proof.
  intros Hv Hw; apply (lift2_means _ _ Rminus); auto using Q2R_minus.
  exact (I.sub_correct prec (ball v) (ball w) (Xreal x) (Xreal y)).
Qed.

Lemma vneg_means v x : means v x -> means (vneg v) (- x).
Proof.
  intros H; replace (- x) with (0 - x) by ring; apply vsub_means; [exact Q2R_0 | exact H].
Qed.

Lemma vdiv_means v w x y : means v x -> means w y -> means (vdiv v w) (x / y).
Proof.
  intros Hv Hw; unfold vdiv; destruct (is_zero w) eqn:Zw; [apply undefined_means|].
  destruct (is_zero v) eqn:Zv.
  { rewrite (is_zero_means v x Zv Hv); unfold Rdiv; rewrite Rmult_0_l; exact Q2R_0. }
  pose proof (div_means prec _ _ _ _ (ball_means _ _ Hv) (ball_means _ _ Hw)) as G.
  destruct v as [a|i], w as [b|j]; cbn [lift2]; try exact G.
  cbn in Hv, Hw; apply exact_means; subst; apply Q2R_div.
  intros E; destruct b as [[|n|n] d]; cbn in Zw; try discriminate; apply E.
Qed.

(** *** Comparisons *)

Definition compare_values (v w : value) : option comparison :=
  match v, w with
  | Exact a, Exact b => Some (a ?= b)%Q
  | _, _ => match I.sign_strict (I.sub prec (ball v) (ball w)) with
            | Xlt => Some Datatypes.Lt | Xgt => Some Datatypes.Gt | _ => None end
  end.

Lemma compare_means v w x y :
  means v x -> means w y ->
  match compare_values v w with
  | Some Datatypes.Lt => x < y | Some Datatypes.Eq => x = y | Some Datatypes.Gt => x > y
  | None => True
  end.
Proof.
  intros Hv Hw.
  assert (G : match I.sign_strict (I.sub prec (ball v) (ball w)) with
              | Xlt => x < y | Xgt => x > y | _ => True end).
  { pose proof (I.sign_strict_correct (I.sub prec (ball v) (ball w))) as S.
    pose proof (I.sub_correct prec (ball v) (ball w) _ _ (ball_means _ _ Hv) (ball_means _ _ Hw))
      as C; cbn in C.
    destruct I.sign_strict; trivial; destruct (S _ C) as [_ S']; cbn in S'; lra. }
  destruct v as [a|i], w as [b|j]; cbn [compare_values];
    try (destruct I.sign_strict; exact G || exact Logic.I).
  cbn in Hv, Hw; subst; destruct (Qcompare_spec a b) as [H|H|H].
  - now apply Qeq_eqR.
  - now apply Qlt_Rlt.
  - now apply Qlt_Rlt.
Qed.

Definition decided (r : relation) (v w : value) : option bool :=
  match compare_values v w with
  | None => None
  | Some c => Some match r, c with
    | Lt, Datatypes.Lt | Le, Datatypes.Lt | Le, Datatypes.Eq | Eq, Datatypes.Eq
    | Ne, Datatypes.Lt | Ne, Datatypes.Gt | Ge, Datatypes.Eq | Ge, Datatypes.Gt
    | Gt, Datatypes.Gt => true
    | _, _ => false end
  end.

Lemma decided_means r v w x y :
  means v x -> means w y ->
  match decided r v w with
  | Some true => holds r x y | Some false => ~ holds r x y | None => True
  end.
Proof.
  intros Hv Hw; pose proof (compare_means v w x y Hv Hw) as H; unfold decided.
  destruct compare_values as [[| |]|]; [| | |trivial]; destruct r; cbn; lra.
Qed.

(** The larger or the smaller; between them if it cannot be seen which one is. *)
Definition one_of (larger : bool) (v w : value) : value :=
  match compare_values v w with
  | Some Datatypes.Gt => if larger then v else w
  | Some _ => if larger then w else v
  | None => Ball (I.join (ball v) (ball w))
  end.
Definition vmax := one_of true.
Definition vmin := one_of false.
Definition vpos (v : value) : value := vmax (Exact 0) v.
Definition vabs (v : value) : value :=
  match compare_values v (Exact 0) with
  | Some Datatypes.Lt => vneg v
  | Some _ => v
  | None => Ball (I.abs (ball v))
  end.

Lemma one_of_means larger v w x y :
  means v x -> means w y -> means (one_of larger v w) ((if larger then Rmax else Rmin) x y).
Proof.
  intros Hv Hw; pose proof (compare_means v w x y Hv Hw) as H; unfold one_of.
  assert (J : forall z, z = x \/ z = y -> means (Ball (I.join (ball v) (ball w))) z)
    by (intros z [->| ->]; apply I.join_correct; [left|right]; now apply ball_means).
  destruct compare_values as [[| |]|], larger; unfold Rmax, Rmin; destruct Rle_dec; auto;
    exfalso; lra.
Qed.

Lemma vmax_means v w x y : means v x -> means w y -> means (vmax v w) (Rmax x y).
Proof. exact (one_of_means true v w x y). Qed.

Lemma vmin_means v w x y : means v x -> means w y -> means (vmin v w) (Rmin x y).
Proof. exact (one_of_means false v w x y). Qed.

Lemma vpos_means v x : means v x -> means (vpos v) (positive_part x).
Proof. intros H; apply vmax_means; [exact Q2R_0 | exact H]. Qed.

Lemma vabs_means v x : means v x -> means (vabs v) (Rabs x).
Proof.
  intros Hv; pose proof (compare_means v (Exact 0) x 0 Hv Q2R_0) as H; unfold vabs.
  destruct compare_values as [[| |]|].
  - rewrite Rabs_pos_eq by lra; exact Hv.
  - rewrite Rabs_left by lra; now apply vneg_means.
  - rewrite Rabs_pos_eq by lra; exact Hv.
  - exact (I.abs_correct (ball v) (Xreal x) (ball_means _ _ Hv)).
Qed.

(** *** Functions *)

Definition vexp (v : value) := if is_zero v then Exact 1 else Ball (I.exp prec (ball v)).
Definition is_unit (v : value) : bool := match v with Exact q => Qeq_bool q 1 | Ball _ => false end.
Definition vlog (v : value) := if is_unit v then Exact 0 else Ball (I.ln prec (ball v)).
(* Coq's sqrt is total; FORMAT.md's is not. *)
Definition vsqrt (v : value) :=
  match decided Le (Exact 0) v with
  | Some true => Ball (I.sqrt prec (ball v)) | _ => undefined
  end.
Definition vcos (v : value) := if is_zero v then Exact 1 else Ball (I.cos prec (ball v)).
Definition vpi := Ball (I.pi prec).

Lemma vexp_means v x : means v x -> means (vexp v) (exp x).
Proof.
  intros H; unfold vexp; destruct (is_zero v) eqn:Z.
  - rewrite (is_zero_means v x Z H), exp_0; unfold means, Q2R; cbn; lra.
  - exact (I.exp_correct prec (ball v) (Xreal x) (ball_means _ _ H)).
Qed.

Lemma vlog_means v x : means v x -> means (vlog v) (ln x).
Proof.
  intros H; pose proof (I.ln_correct prec (ball v) (Xreal x) (ball_means _ _ H)) as G.
  unfold vlog; destruct (is_unit v) eqn:O.
  { destruct v as [q|]; [|discriminate]; apply Qeq_bool_eq, Qeq_eqR in O; cbn in H; rewrite <- H, O.
    replace (Q2R 1) with 1 by (unfold Q2R; cbn; lra); rewrite ln_1; cbn; unfold Q2R; cbn; lra. }
  cbn in G; unfold Xln' in G; destruct (is_positive x); [exact G | exact (contains_nan _ _ G)].
Qed.

Lemma vsqrt_means v x : means v x -> means (vsqrt v) (sqrt x).
Proof.
  intros H; unfold vsqrt; destruct (decided Le (Exact 0) v) as [[|]|]; try apply undefined_means.
  exact (I.sqrt_correct prec (ball v) (Xreal x) (ball_means _ _ H)).
Qed.

Lemma vcos_means v x : means v x -> means (vcos v) (cos x).
Proof.
  intros H; unfold vcos; destruct (is_zero v) eqn:Z.
  - rewrite (is_zero_means v x Z H), cos_0; unfold means, Q2R; cbn; lra.
  - exact (I.cos_correct prec (ball v) (Xreal x) (ball_means _ _ H)).
Qed.

Lemma vpi_means : means vpi PI.
Proof. exact (I.pi_correct prec). Qed.

(** The normal distribution function: its series at both ends of an interval, as it increases. The
    number of terms and the precision are guesses that no proof needs. *)
Definition ceiling (i : I.type) : Z :=
  match I.upper (I.abs i) with Specific_ops.Float m e => Z.shiftl m e + 1 | Specific_ops.Fnan => 0 end.
Definition is_tiny (wp : F.precision) (i : I.type) : bool :=
  match I.upper (I.abs i) with
  | Specific_ops.Float m e => (Z.log2 m + e + wp <? 0)%Z | Specific_ops.Fnan => false
  end.

(** The sum of the terms after [total], and the next one; [k] is 2n + 3. *)
Fixpoint odd_series (wp : F.precision) (fuel : nat) (k : Z) (square total term : I.type) :=
  match fuel with
  | 0%nat => (total, term)
  | S fuel =>
    if is_tiny wp term then (total, term)
    else odd_series wp fuel (k + 2) square (I.add wp total term)
      (I.div wp (I.mul wp term square) (I.fromZ wp k))
  end.

Definition normal_at (i : I.type) : I.type :=
  let b := Z.min (ceiling i) 100 in
  let tail := match I.sign_strict i with Xlt => (b * b)%Z | _ => 0%Z end in
  let wp := F.incr_prec prec (Z.to_pos (tail + 32)) in
  let square := I.mul wp i i in
  let fuel := (Z.to_nat (2 * b * b) + Z.to_nat wp)%nat in
  let (total, term) := odd_series wp fuel 3 square (I.fromZ wp 0) i in
  let density := I.exp wp (I.div wp (I.neg square) (I.fromZ wp 2)) in
  let rest := I.mul wp (I.join (I.fromZ wp 0) (I.fromZ wp 1)) term in
  I.add wp (I.div wp (I.fromZ wp 1) (I.fromZ wp 2))
    (I.div wp (I.add wp (I.mul wp density total) rest)
      (I.sqrt wp (I.mul wp (I.fromZ wp 2) (I.pi wp)))).

Definition end_point (f : F.type) : I.type := I.bnd f f.
Definition vnormal (v : value) : value :=
  if is_zero v then Exact (1 # 2)
  else let i := ball v in
    Ball (I.join (normal_at (end_point (I.lower i))) (normal_at (end_point (I.upper i)))).

Lemma odd_series_means wp fuel : forall n square total term x,
  contains (I.convert square) (Xreal (x * x)) ->
  contains (I.convert total) (Xreal (odd_terms n x)) ->
  contains (I.convert term) (Xreal (odd_term n x)) ->
  exists m, let r := odd_series wp fuel (Z.of_nat (2 * n + 3)) square total term in
    contains (I.convert (fst r)) (Xreal (odd_terms m x)) /\
    contains (I.convert (snd r)) (Xreal (odd_term m x)).
Proof.
  induction fuel as [|fuel IH]; intros n square total term x Hx Ht Hn; cbn [odd_series];
    [exists n; split; assumption|].
  destruct (is_tiny wp term); [exists n; split; assumption|].
  replace (Z.of_nat (2 * n + 3) + 2)%Z with (Z.of_nat (2 * S n + 3)) by lia.
  apply IH; [exact Hx | exact (I.add_correct wp _ _ (Xreal _) (Xreal _) Ht Hn)|].
  cbn [odd_term]; rewrite INR_IZR_INZ; apply div_means; [|apply I.fromZ_correct].
  exact (I.mul_correct wp _ _ (Xreal _) (Xreal _) Hn Hx).
Qed.

Lemma normal_at_means i x : contains (I.convert i) (Xreal x) ->
  contains (I.convert (normal_at i)) (Xreal (normal_cdf x)).
Proof.
  intros H; unfold normal_at; set (wp := F.incr_prec _ _).
  assert (S : contains (I.convert (I.mul wp i i)) (Xreal (x * x)))
    by exact (I.mul_correct wp _ _ (Xreal x) (Xreal x) H H).
  destruct (odd_series_means wp (Z.to_nat (2 * Z.min (ceiling i) 100 * Z.min (ceiling i) 100)
    + Z.to_nat wp) 0 _ (I.fromZ wp 0) i x S) as [n [T N]];
    [apply I.fromZ_correct | exact H|].
  destruct (odd_series _ _ _ _ _ _) as [total term]; cbn [fst snd] in T, N.
  destruct (normal_series n x) as [s [Hs ->]].
  apply (I.add_correct wp _ _ (Xreal _) (Xreal _)); [apply div_means; apply I.fromZ_correct|].
  apply div_means; [apply (I.add_correct wp _ _ (Xreal _) (Xreal _))|].
  - refine (I.mul_correct wp _ _ (Xreal _) (Xreal _) (I.exp_correct wp _ (Xreal _) _) T).
    apply div_means; [exact (I.neg_correct _ (Xreal _) S) | apply I.fromZ_correct].
  - refine (I.mul_correct wp _ _ (Xreal _) (Xreal _) _ N).
    refine (contains_connected _ 0 1 _ _ s Hs); apply I.join_correct; [left|right]; apply I.fromZ_correct.
  - apply (I.sqrt_correct wp _ (Xreal _)).
    exact (I.mul_correct wp _ _ (Xreal _) (Xreal _) (I.fromZ_correct wp 2) (I.pi_correct wp)).
Qed.

Lemma end_point_means f x : (F.toX f = Xnan \/ F.toX f = Xreal x) ->
  contains (I.convert (end_point f)) (Xreal x).
Proof.
  intros H; unfold end_point; rewrite I.bnd_correct by reflexivity.
  change I.F.toX with F.toX; destruct H as [-> | ->]; cbn; lra.
Qed.

Lemma vnormal_means v x : means v x -> means (vnormal v) (normal_cdf x).
Proof.
  intros H; unfold vnormal; destruct (is_zero v) eqn:Z.
  { rewrite (is_zero_means v x Z H), normal_zero; cbn; unfold Q2R; cbn; lra. }
  apply ball_means in H; revert H; generalize (ball v) as i; intros i H; cbn zeta.
  assert (NE : not_empty (I.convert i)) by (exists x; exact H).
  pose proof (I.lower_correct i NE) as L; pose proof (I.upper_correct i NE) as U.
  assert (E : exists l u, l <= x <= u /\ contains (I.convert (end_point (I.lower i))) (Xreal l) /\
    contains (I.convert (end_point (I.upper i))) (Xreal u)).
  { change I.F.toX with F.toX in *; destruct (I.convert i) as [|[|l] [|u]]; cbn in L, U, H;
      [exists x, x | exists x, x | exists x, u | exists l, x | exists l, u];
      repeat split; try lra; apply end_point_means; auto. }
  destruct E as (l & u & [HL HU] & CL & CU); cbn [means].
  apply (contains_connected _ (normal_cdf l) (normal_cdf u)); [| |split; now apply normal_increasing].
  - apply I.join_correct; left; now apply normal_at_means.
  - apply I.join_correct; right; now apply normal_at_means.
Qed.

(** A value as a whole number, if it is exact and one. *)
Definition whole (v : value) : option Z := match v with Exact (n # 1) => Some n | _ => None end.

Lemma Int_part_IZR n : Int_part (IZR n) = n.
Proof.
  unfold Int_part; rewrite <- (tech_up (IZR n) (n + 1)); [lia | |]; rewrite plus_IZR; lra.
Qed.

Lemma whole_means v n x : whole v = Some n -> means v x -> Int_part x = n.
Proof.
  destruct v as [[m [d|d|]]|]; cbn; try discriminate; intros H <-; injection H as ->.
  unfold Q2R; cbn; rewrite Rinv_1, Rmult_1_r; apply Int_part_IZR.
Qed.

Definition qpower (q : Q) (n : Z) : Q := Qnum q ^ n # Z.to_pos (Zpos (Qden q) ^ n).

Lemma qpower_means q n : (0 <= n)%Z -> Q2R (qpower q n) = powerRZ (Q2R q) n.
Proof.
  intros H; unfold qpower, Q2R; cbn [Qnum Qden].
  rewrite Z2Pos.id by (apply Z.pow_pos_nonneg; lia).
  rewrite <- (Z2Nat.id n H), <- !pow_powerRZ, <- !pow_IZR, Rpow_mult_distr; f_equal.
  symmetry; rewrite pow_inv; reflexivity.
Qed.

Lemma power_int_means v n x :
  means v x -> contains (I.convert (I.power_int prec (ball v) n)) (Xreal (powerRZ x n)).
Proof.
  intros H; pose proof (I.power_int_correct prec n (ball v) (Xreal x) (ball_means _ _ H)) as G.
  cbn in G; unfold Xpower_int' in G; destruct n; try exact G.
  destruct (Xreal.is_zero x) in G; [exact (contains_nan _ _ G) | exact G].
Qed.

Definition vpower_Z (v : value) (n : Z) : value :=
  match v with
  | Exact q =>
    if (0 <=? n)%Z && ((size q + 1) * n <=? longest)%Z then exact (qpower q n)
    else Ball (I.power_int prec (ball v) n)
  | _ => if (n =? 0)%Z then Exact 1 else Ball (I.power_int prec (ball v) n)
  end.
(** A negative power is one over the power. *)
Definition vpower_signed (v : value) (n : Z) : value :=
  if (n <? 0)%Z then vdiv (Exact 1) (vpower_Z v (- n)) else vpower_Z v n.
Definition vpower (v w : value) : value :=
  match whole w with Some n => vpower_signed v n | None => undefined end.

Lemma vpower_Z_means v n x : (0 <= n)%Z -> means v x -> means (vpower_Z v n) (powerRZ x n).
Proof.
  intros Hn H; pose proof (power_int_means v n x H) as G; destruct v as [q|i]; cbn [vpower_Z].
  - destruct (_ && _)%bool; [|exact G].
    apply exact_means; rewrite qpower_means by exact Hn; f_equal; exact H.
  - destruct (Z.eqb_spec n 0) as [->|]; [|exact G]; cbn; unfold Q2R; cbn; lra.
Qed.

Lemma zero_means : means (Exact 0) 0.
Proof. exact Q2R_0. Qed.

Lemma one_means : means (Exact 1) 1.
Proof. cbn; unfold Q2R; cbn; lra. Qed.

Lemma vpower_means v w x y : means v x -> means w y -> means (vpower v w) (power x y).
Proof.
  intros Hv Hw; unfold vpower, power; destruct (whole w) as [n|] eqn:W; [|apply undefined_means].
  rewrite (whole_means w n y W Hw); unfold vpower_signed; destruct (Z.ltb_spec n 0) as [L|L].
  - replace (powerRZ x n) with (1 / powerRZ x (- n)).
    + apply vdiv_means; [apply one_means | apply vpower_Z_means; [lia | exact Hv]].
    + destruct n as [|p|p]; try lia; cbn; unfold Rdiv; ring.
  - apply vpower_Z_means; [lia | exact Hv].
Qed.

(** The product a (a - 1) ... of n factors. A long one is cut in halves, and these again, until a part is
    short enough to be multiplied out; the parts are multiplied as intervals. *)
Fixpoint descending (n : nat) (a : Z) : Z :=
  match n with 0%nat => 1%Z | S n => (a * descending n (a - 1))%Z end.
Definition at_once : Z := 64. (* bits of a part *)
Definition ball_descending (a n : Z) : I.type := I.fromZ prec (descending (Z.to_nat n) a).
Fixpoint ball_falling (depth : nat) (a n : Z) : I.type :=
  match depth with
  | 0%nat => ball_descending a n
  | S depth =>
    if ((Z.log2 a + 1) * n <=? at_once)%Z then ball_descending a n
    else I.mul prec (ball_falling depth a (n / 2)) (ball_falling depth (a - n / 2) (n - n / 2))
  end.
Definition vfalling (a : Z) (b : Z) : value :=
  if ((Z.log2 a + 1) * b <=? longest)%Z then exact (inject_Z (descending (Z.to_nat b) a))
  else Ball (ball_falling (S (Z.to_nat (Z.log2 b))) a b).
Definition vchoose (a b : Z) : value :=
  if (0 <=? b)%Z && (b <=? a)%Z then
    if (a <=? 128)%Z then exact (inject_Z (tabled a b)) else vdiv (vfalling a b) (vfalling b b)
  else Exact 0.
Definition vbinomial (v w : value) : value :=
  match whole v, whole w with Some a, Some b => vchoose a b | _, _ => undefined end.

Lemma inject_means n : means (exact (inject_Z n)) (IZR n).
Proof. apply exact_means; unfold Q2R; cbn; field. Qed.

Lemma falling_descending n : forall a, falling a n = descending n a.
Proof.
  induction n as [|n IH]; intros a; [reflexivity|]; cbn [descending].
  replace a with (a - 1 + 1)%Z at 1 by lia; rewrite falling_next, IH; f_equal; lia.
Qed.

Lemma descending_app m : forall n a,
  descending (m + n) a = (descending m a * descending n (a - Z.of_nat m))%Z.
Proof.
  induction m as [|m IH]; intros n a; cbn [descending Nat.add].
  - rewrite Z.sub_0_r; lia.
  - rewrite IH, Nat2Z.inj_succ; replace (a - 1 - Z.of_nat m)%Z with (a - Z.succ (Z.of_nat m))%Z by lia; ring.
Qed.

Lemma ball_falling_means depth : forall a n, (0 <= n)%Z ->
  contains (I.convert (ball_falling depth a n)) (Xreal (IZR (descending (Z.to_nat n) a))).
Proof.
  induction depth as [|depth IH]; intros a n N; cbn [ball_falling]; [apply fromZ_means|].
  destruct (_ <=? _)%Z; [apply fromZ_means|].
  assert (H : (0 <= n / 2 <= n)%Z) by (split; [apply Z.div_pos; lia | apply Z.div_le_upper_bound; lia]).
  replace (descending (Z.to_nat n) a)
    with (descending (Z.to_nat (n / 2)) a * descending (Z.to_nat (n - n / 2)) (a - n / 2))%Z.
  - rewrite mult_IZR; refine (I.mul_correct prec _ _ (Xreal _) (Xreal _) _ _); apply IH; lia.
  - replace (Z.to_nat n) with (Z.to_nat (n / 2) + Z.to_nat (n - n / 2))%nat by lia.
    rewrite descending_app, Z2Nat.id by lia; reflexivity.
Qed.

Lemma vfalling_means a b : (0 <= b)%Z -> means (vfalling a b) (IZR (falling a (Z.to_nat b))).
Proof.
  intros B; unfold vfalling; rewrite falling_descending.
  destruct (_ <=? _)%Z; [apply inject_means | now apply ball_falling_means].
Qed.

Lemma vbinomial_means v w x y : means v x -> means w y -> means (vbinomial v w) (binomial x y).
Proof.
  intros Hv Hw; unfold vbinomial, binomial.
  destruct (whole v) as [a|] eqn:V; [|apply undefined_means].
  destruct (whole w) as [b|] eqn:W; [|apply undefined_means].
  rewrite (whole_means v a x V Hv), (whole_means w b y W Hw); unfold vchoose, choose.
  destruct (_ && _)%bool eqn:B; [|exact Q2R_0]; apply andb_prop in B as [B0 BA].
  apply Z.leb_le in B0, BA.
  destruct (Z.leb_spec a 128); [|apply vdiv_means; apply vfalling_means; lia].
  rewrite <- tabled_choose by lia; apply inject_means.
Qed.

Fixpoint vtotal (vs : list value) : value :=
  match vs with [] => Exact 0 | v :: rest => vadd v (vtotal rest) end.

Lemma vtotal_means vs xs : Forall2 means vs xs -> means (vtotal vs) (total xs).
Proof. induction 1; cbn [vtotal total]; [exact Q2R_0 | now apply vadd_means]. Qed.

(** *** Related rows *)

Lemma user_law_related classes M M' i :
  Forall2 (Forall2 means) M M' -> related means (user_law classes M i) (user_law classes M' i).
Proof.
  intros H; assert (R : Forall2 means (nth i M []) (nth i M' [])).
  { revert i; induction H as [|r r' M M' Hr H IH]; intros [|i]; cbn; auto. }
  assert (G : related means (combine (seq 0 (length (nth i M []))) (nth i M []))
    (combine (seq 0 (length (nth i M' []))) (nth i M' []))).
  { generalize 0%nat; induction R as [|x y xs ys Hx R IH]; intros n; constructor; [split|]; auto.
    apply IH. }
  unfold user_law; destruct classes as [c|]; [|exact G].
  induction G as [|x y xs ys [E Hx] G IH]; constructor; [split; cbn; [now rewrite E | exact Hx]|].
  exact IH.
Qed.

Lemma collect_related k u u' :
  related means u u' -> related means (collect (Exact 0) vadd k u) (collect 0 Rplus k u').
Proof.
  intros H; unfold collect; induction (seq 0 k) as [|y ys IH]; constructor; [split|]; auto; cbn [snd].
  clear IH; induction H as [|[a x] [b x'] u u' [E Hx] H IHu]; cbn [fold_right fst snd] in *;
    [exact Q2R_0|].
  subst b; destruct (Nat.eqb a y); [now apply vadd_means | exact IHu].
Qed.

Definition nonzero (u : list (nat * value)) := filter (fun x => negb (is_zero (snd x))) u.

Lemma nonzero_related u u' :
  related means u u' -> exists w, related means (nonzero u) w /\ forall f, mean f w = mean f u'.
Proof.
  induction 1 as [|[y v] [y' x] u u' [E H] R [w [Rw Hw]]]; [exists []; split; [constructor|reflexivity]|].
  cbn in E, H; subst y'; unfold nonzero in *; cbn [filter snd]; destruct (is_zero v) eqn:Z; cbn [negb].
  - exists w; split; [exact Rw|]; intros f; cbn.
    rewrite (is_zero_means v x Z H), Hw; ring.
  - exists ((y, x) :: w); split; [constructor; [split|]; auto|]; intros f; cbn; now rewrite Hw.
Qed.

Definition below_b (k : nat) {C} (u : list (nat * C)) : bool := forallb (fun x => Nat.ltb (fst x) k) u.

Lemma below_related k u (u' : law nat) : related means u u' -> below_b k u = true -> below k u'.
Proof.
  induction 1 as [|[y v] [y' x] u u' [E H] R IH]; intros B; constructor; cbn in *.
  - subst; apply andb_prop in B; now apply Nat.ltb_lt.
  - apply IH; now apply andb_prop in B.
Qed.

Definition vratio (v : value) (m n : nat) : value :=
  vmul v (exact (Z.of_nat m # Pos.of_nat n)).
Definition vpow (v : value) (n : nat) : value := vpower_Z v (Z.of_nat n).

Lemma vratio_means v x m n : means v x -> means (vratio v m (S n)) (rratio x m (S n)).
Proof.
  intros H; apply vmul_means; [exact H | apply exact_means]; unfold Q2R; cbn [Qnum Qden].
  rewrite <- INR_IZR_INZ, <- positive_nat_Z, <- INR_IZR_INZ, Nat2Pos.id by lia; reflexivity.
Qed.

Lemma vpow_means v x n : means v x -> means (vpow v n) (x ^ n).
Proof. intros H; rewrite pow_powerRZ; apply vpower_Z_means; [lia | exact H]. Qed.

Definition group (k : nat) (u : list (nat * value)) (n : nat) : list (key * value) :=
  powers (Exact 1) vmul vratio vpow k (nonzero (collect (Exact 0) vadd k u)) n.

Lemma group_means k u u' n :
  related means u u' -> below_b k u = true ->
  exists p, related means (group k u n) p /\
    forall f, mean (fun a => f (unary a)) p = mean f (view k (repeat u' n)).
Proof.
  intros R B; destruct (nonzero_related _ _ (collect_related k u u' R)) as [w [Rw Hw]].
  exists (rpowers k w n); split.
  - apply powers_related; auto using one_means, vmul_means, vratio_means, vpow_means.
  - intros f; rewrite powers_are_views; apply view_ext_users; intros g.
    rewrite Hw; apply mean_collect; now apply (below_related k u).
Qed.

Fixpoint others_law (k : nat) (users : list (list (nat * value) * nat)) : list (key * value) :=
  match users with
  | [] => [(zero_key k, Exact 1)]
  | (u, n) :: rest => product vmul vadd (group k u n) (others_law k rest)
  end.

Definition related_users (us : list (list (nat * value) * nat)) (us' : list (law nat * nat)) :=
  Forall2 (fun x y => related means (fst x) (fst y) /\ snd x = snd y) us us'.

Lemma others_law_means k us us' :
  related_users us us' -> forallb (fun x => below_b k (fst x)) us = true ->
  exists p, related means (others_law k us) p /\
    forall f, mean (fun a => f (unary a)) p = mean f (view k (crowd us')).
Proof.
  induction 1 as [|[u n] [u' n'] us us' [R E] H IH]; intros B.
  - exists [(zero_key k, 1)]; split; [constructor; [split; [reflexivity | apply one_means]|constructor]|].
    intros f; cbn [crowd flat_map mean]; rewrite view_nil, unary_zero; ring.
  - cbn in R, E; subst n'; cbn in B; apply andb_prop in B as [B1 B2].
    destruct (IH B2) as [q [Rq Hq]], (group_means k u u' n R B1) as [p [Rp Hp]].
    exists (product Rmult Rplus p q); split.
    + cbn [others_law]; apply (product_related means means means); auto using vmul_means, vadd_means.
    + intros f; rewrite mean_product; cbn [crowd flat_map fst snd]; rewrite view_app, <- Hp.
      apply mean_ext; intros a; rewrite <- Hq; apply mean_ext; intros b; now rewrite unary_add.
Qed.

(** *** Two laws over the same keys *)

Definition joint := list (key * (value * value)).

Definition on_both {C D E} (op : C -> D -> E) (x : C * C) (y : D) : E * E :=
  (op (fst x) y, op (snd x) y).
Definition add_both (x y : value * value) : value * value :=
  (vadd (fst x) (fst y), vadd (snd x) (snd y)).

Definition join_rows (p q : list (key * value)) : joint :=
  map (fun x => (fst (fst x), (snd (fst x), snd (snd x)))) (combine p q).

Fixpoint increasing (L : joint) : bool :=
  match L with
  | (a, _) :: (((b, _) :: _) as rest) =>
    match compare_keys a b with Datatypes.Lt => increasing rest | _ => false end
  | _ => true
  end.

Lemma compare_keys_trans a b c :
  compare_keys a b = Datatypes.Lt -> compare_keys b c = Datatypes.Lt ->
  compare_keys a c = Datatypes.Lt.
Proof.
  revert b c; induction a as [|x a IH]; intros [|y b] [|z c]; cbn; try discriminate; auto.
  destruct (N.compare_spec x y) as [->|L|L]; try discriminate;
    destruct (N.compare_spec y z) as [->|L'|L']; try discriminate; intros H H'.
  all: first [exact (IH _ _ H H') | reflexivity
    | rewrite (proj2 (N.compare_lt_iff _ _)) by lia; reflexivity].
Qed.

Lemma compare_keys_irrefl a : compare_keys a a <> Datatypes.Lt.
Proof. induction a as [|x a IH]; cbn; [discriminate|]; now rewrite N.compare_refl. Qed.

Lemma increasing_NoDup L : increasing L = true -> NoDup (map fst L).
Proof.
  assert (A : forall L a x, increasing ((a, x) :: L) = true ->
    Forall (fun y => compare_keys a (fst y) = Datatypes.Lt) L /\ increasing L = true).
  { induction L0 as [|[b y] M IH]; intros a x H; [split; [constructor | reflexivity]|].
    cbn [increasing] in H; destruct (compare_keys a b) eqn:E; try discriminate; split; [|exact H].
    constructor; [exact E|]; destruct (IH b y H) as [G _]; revert G; apply Forall_impl.
    intros z; now apply compare_keys_trans. }
  induction L as [|[a x] L IH]; intros H; [constructor|]; destruct (A _ _ _ H) as [G H'].
  constructor; [|exact (IH H')]; cbn [fst]; intros I; apply in_map_iff in I as [[b y] [E I]].
  cbn in E; subst b; rewrite Forall_forall in G; exact (compare_keys_irrefl a (G _ I)).
Qed.

Definition checked (L : joint) : option joint := if increasing L then Some L else None.

Definition pair_means (L : option joint) (X : pair) : Prop :=
  match L with
  | None => True
  | Some L =>
    let keys := map (fun x => unary (fst x)) L in
    carries same_counts keys (fst X) /\ carries same_counts keys (snd X) /\
    Forall (fun x => means (fst (snd x)) (mass same_counts (fst X) (unary (fst x)))
      /\ means (snd (snd x)) (mass same_counts (snd X) (unary (fst x)))) L
  end.

Lemma unary_injective a b : unary a = unary b -> a = b.
Proof.
  revert b; induction a as [|x a IH]; intros [|y b] H; try discriminate; [reflexivity|].
  injection H as H1 H2; f_equal; [now apply N2Nat.inj | now apply IH].
Qed.

Lemma mean_at_key a x p :
  NoDup (map fst p) -> In (a, x) p ->
  mean (fun b => indicator (at_ same_counts (unary a)) (unary b)) p = x.
Proof.
  assert (Z : forall p, ~ In a (map fst p) ->
    mean (fun b => indicator (at_ same_counts (unary a)) (unary b)) p = 0).
  { induction p0 as [|[b y] q IH]; cbn; intros N; [reflexivity|]; rewrite IH by tauto.
    unfold indicator, at_; destruct same_counts as [e|]; [|ring].
    exfalso; apply N; left; symmetry; now apply unary_injective. }
  induction p as [|[b y] p IH]; [intros _ []|]; cbn [map fst]; intros N I.
  apply NoDup_cons_iff in N as [Nb N]; destruct I as [E|I]; cbn [mean].
  - injection E as -> ->; rewrite Z by exact Nb; unfold indicator, at_.
    destruct same_counts; [ring | congruence].
  - rewrite (IH N I); unfold indicator at 1, at_; destruct same_counts as [e|]; [|ring].
    apply unary_injective in e; subst b; exfalso; apply Nb, (in_map fst _ _ I).
Qed.

Lemma law_of_polynomial (P : law counts) (p : list (key * R)) :
  NoDup (map fst p) -> (forall f, mean (fun a => f (unary a)) p = mean f P) ->
  carries same_counts (map (fun x => unary (fst x)) p) P /\
  Forall (fun x => mass same_counts P (unary (fst x)) = snd x) p.
Proof.
  intros N H; split.
  - assert (C : carries same_counts (map (fun x => unary (fst x)) p) (image unary p)).
    { apply carries_all.
      - rewrite <- (map_map fst unary); apply FinFun.Injective_map_NoDup; [|exact N].
        intros a b; apply unary_injective.
      - unfold image; rewrite map_map; cbn; apply incl_refl. }
    destruct C as [C1 C2]; split; [exact C1|]; intros f; rewrite <- H.
    rewrite <- (mean_image f unary), C2; apply total_ext; intros a _; f_equal.
    unfold mass, prob; rewrite mean_image; apply H.
  - apply Forall_forall; intros [a x] I; unfold mass, prob; rewrite <- H.
    cbn [fst snd]; now apply mean_at_key.
Qed.

Lemma related_keys {K C D} (rel : C -> D -> Prop) (p : list (K * C)) q :
  related rel p q -> map fst p = map fst q.
Proof. induction 1 as [|x y xs ys [e _] R IH]; cbn; [reflexivity | now rewrite e, IH]. Qed.

Lemma checked_means L (p q : list (key * R)) X :
  related (fun vw x => means (fst vw) x) L p -> related (fun vw x => means (snd vw) x) L q ->
  (forall f, mean (fun a => f (unary a)) p = mean f (fst X)) ->
  (forall f, mean (fun a => f (unary a)) q = mean f (snd X)) ->
  pair_means (checked L) X.
Proof.
  intros Rp Rq Hp Hq; unfold checked; destruct (increasing L) eqn:E; [|exact Logic.I].
  apply increasing_NoDup in E.
  assert (S : forall rel (r : list (key * R)) P, related rel L r ->
      (forall f, mean (fun a => f (unary a)) r = mean f P) ->
      carries same_counts (map (fun x => unary (fst x)) L) P /\
      Forall (fun x => rel (snd x) (mass same_counts P (unary (fst x)))) L).
  { intros rel r P R H; pose proof (related_keys rel L r R) as KE; rewrite KE in E.
    destruct (law_of_polynomial P r E H) as [C F]; split.
    - rewrite <- (map_map fst unary), KE, (map_map fst unary); exact C.
    - clear -R F; induction R as [|x y xs ys [e Hx] R IH]; [constructor|].
      apply Forall_cons_iff in F as [F1 F2]; constructor; [|apply IH, F2].
      rewrite e, F1; exact Hx. }
  destruct (S _ p (fst X) Rp Hp) as [C1 F1], (S _ q (snd X) Rq Hq) as [C2 F2].
  split; [exact C1|]; split; [exact C2|]; rewrite Forall_forall in *; auto.
Qed.

Definition shuffle_joint (k : nat) (v w : list (nat * value)) (others : list (list (nat * value) * nat))
    : option joint :=
  if below_b k v && below_b k w && forallb (fun x => below_b k (fst x)) others then
    checked (product (on_both vmul) add_both
      (join_rows (single k (collect (Exact 0) vadd k v)) (single k (collect (Exact 0) vadd k w)))
      (others_law k others))
  else None.

Lemma single_related k u u' : related means u u' -> related means (single k u) (single k u').
Proof. induction 1 as [|x y u u' [E H] R IH]; constructor; [split; cbn; [now rewrite E | exact H]|exact IH]. Qed.

Lemma join_rows_related (p q : list (key * value)) p' q' :
  map fst p = map fst q -> related means p p' -> related means q q' ->
  related (fun vw x => means (fst vw) x) (join_rows p q) p' /\
  related (fun vw x => means (snd vw) x) (join_rows p q) q'.
Proof.
  intros K R; revert q q' K; induction R as [|[a x] [b y] p p' [E H] R IH]; intros [|[c z] q] q' K S;
    try discriminate; [inversion S; split; constructor|].
  inversion S as [|? [d t] ? q1 [E' H'] S']; subst; cbn in *; injection K as -> K.
  destruct (IH q q1 K S') as [I J]; subst; split; constructor; auto.
Qed.

Lemma shuffle_joint_means k v w us v' w' us' :
  related means v v' -> related means w w' -> related_users us us' ->
  pair_means (shuffle_joint k v w us) (shuffle k v' w' us').
Proof.
  intros Rv Rw R; unfold shuffle_joint.
  destruct (below_b k v) eqn:Bv; [|exact Logic.I].
  destruct (below_b k w) eqn:Bw; [|exact Logic.I].
  destruct (forallb _ us) eqn:B; [|exact Logic.I]; cbn [andb].
  destruct (others_law_means k us us' R B) as [g [Rg Hg]].
  assert (K : map fst (single k (collect (Exact 0) vadd k v))
    = map fst (single k (collect (Exact 0) vadd k w)))
    by (unfold single, collect; rewrite !map_map; reflexivity).
  destruct (join_rows_related _ _ _ _ K
    (single_related k _ _ (collect_related k v v' Rv))
    (single_related k _ _ (collect_related k w w' Rw))) as [Jv Jw].
  assert (V : forall u u' f, related means u u' -> below_b k u = true ->
    mean (fun a => f (unary a)) (product Rmult Rplus (single k (collect 0 Rplus k u')) g)
    = mean f (view k (u' :: crowd us'))).
  { intros u u' f Ru Bu; rewrite mean_product.
    rewrite (view_ext_user k u' (collect 0 Rplus k u'))
      by (intros h; symmetry; apply mean_collect; now apply (below_related k u)).
    change (collect 0 Rplus k u' :: crowd us') with ([collect 0 Rplus k u'] ++ crowd us').
    rewrite view_app, <- mean_single; apply mean_ext; intros a; rewrite <- Hg.
    apply mean_ext; intros b; now rewrite unary_add. }
  refine (checked_means _ (product Rmult Rplus (single k (collect 0 Rplus k v')) g)
    (product Rmult Rplus (single k (collect 0 Rplus k w')) g) _ _ _ _ _).
  - apply (product_related (fun vw x => means (fst vw) x) means (fun vw x => means (fst vw) x));
      auto; intros; cbn [on_both add_both fst snd]; auto using vmul_means, vadd_means.
  - apply (product_related (fun vw x => means (snd vw) x) means (fun vw x => means (snd vw) x));
      auto; intros; cbn [on_both add_both fst snd]; auto using vmul_means, vadd_means.
  - intros f; exact (V v v' f Rv Bv).
  - intros f; exact (V w w' f Rw Bw).
Qed.


(** ** Terms, and what they mean *)

Inductive function := Neg | Abs | Pos | Exp | Log | Cos | Sqrt | Normal.
Inductive operation := Add | Sub | Mul | Div | Max | Min | Pow | Binom.
Inductive term :=
| Int (n : Z)
| Ratio (n : Z) (d : positive)
| Var (i : nat)
| Pi
| Apply (f : function) (t : term)
| Op (o : operation) (t u : term)
| Sum (lo hi body : term)
| When (r : relation) (a b t u : term)
| Divergence (p : nat) (t : term)
| Distance (p : nat)
| EventP (p : nat) (S : list counts)
| EventQ (p : nat) (S : list counts)
| Entry (m i j : nat)
| RowSum (m i : nat)
| LdpRatio (m : nat).

(** Terms, matrices and pairs by the order of their definitions; a sum's variable comes last. *)
Record world (V P : Type) := World { terms : list V; matrices : list (list (list V)); pairs : list P }.
Arguments World {V P}.
Arguments terms {V P}.
Arguments matrices {V P}.
Arguments pairs {V P}.

Definition with_term {V P} (s : world V P) (x : V) : world V P :=
  World (terms s ++ [x]) (matrices s) (pairs s).

Definition function_of (f : function) : R -> R :=
  match f with
  | Neg => Ropp | Abs => Rabs | Pos => positive_part | Exp => exp | Log => ln | Cos => cos | Sqrt => sqrt
  | Normal => normal_cdf
  end.
Definition operation_of (o : operation) : R -> R -> R :=
  match o with
  | Add => Rplus | Sub => Rminus | Mul => Rmult | Div => Rdiv | Max => Rmax | Min => Rmin
  | Pow => power | Binom => binomial
  end.

Definition no_pair : pair := ([], []).

Fixpoint denote (s : world R pair) (t : term) : R :=
  match t with
  | Int n => IZR n
  | Ratio n d => IZR n / IZR (Zpos d)
  | Var i => nth i (terms s) 0
  | Pi => PI
  | Apply f t => function_of f (denote s t)
  | Op o t u => operation_of o (denote s t) (denote s u)
  | Sum lo hi body => sum (denote s lo) (denote s hi) (fun x => denote (with_term s x) body)
  | When r a b t u => if decide r (denote s a) (denote s b) then denote s t else denote s u
  | Divergence p t => divergence (nth p (pairs s) no_pair) (denote s t)
  | Distance p => distance (nth p (pairs s) no_pair)
  | EventP p A => event A (fst (nth p (pairs s) no_pair))
  | EventQ p A => event A (snd (nth p (pairs s) no_pair))
  | Entry m i j => entry (nth m (matrices s) []) i j
  | RowSum m i => row_sum (nth m (matrices s) []) i
  | LdpRatio m => ldp_ratio (nth m (matrices s) [])
  end.

Definition vfunction (f : function) : value -> value :=
  match f with
  | Neg => vneg | Abs => vabs | Pos => vpos | Exp => vexp | Log => vlog | Cos => vcos | Sqrt => vsqrt
  | Normal => vnormal
  end.
Definition voperation (o : operation) : value -> value -> value :=
  match o with
  | Add => vadd | Sub => vsub | Mul => vmul | Div => vdiv | Max => vmax | Min => vmin
  | Pow => vpower | Binom => vbinomial
  end.

Definition vstick (L : joint) (E : value) : value :=
  vtotal (map (fun x => vpos (vsub (fst (snd x)) (vmul E (snd (snd x))))) L).
Definition swapped (L : joint) : joint := map (fun x => (fst x, (snd (snd x), fst (snd x)))) L.
Definition vevent (side : value * value -> value) (S : list counts) (L : joint) : value :=
  vtotal (map (fun x => if is_among S (unary (fst x)) then side (snd x) else Exact 0) L).
Definition on_pair (f : joint -> value) (L : option joint) : value :=
  match L with Some L => f L | None => undefined end.

Fixpoint vcolumn (op : value -> value -> value) (j : nat) (M : list (list value)) : value :=
  match M with
  | [] => Exact 0
  | [r] => nth j r undefined
  | r :: M => op (nth j r undefined) (vcolumn op j M)
  end.
Definition vcolumn_ratio (M : list (list value)) (j : nat) : value :=
  match decided Eq (vcolumn vmax j M) (Exact 0) with
  | Some true => Exact 1
  | Some false => vdiv (vcolumn vmax j M) (vcolumn vmin j M)
  | None => undefined
  end.
Definition vldp_ratio (M : list (list value)) : value :=
  fold_right (fun j x => vmax (vcolumn_ratio M j) x) (Exact 1) (seq 0 (length (nth 0 M []))).

Fixpoint eval (s : world value (option joint)) (t : term) : value :=
  match t with
  | Int n => Exact (n # 1)
  | Ratio n d => exact (n # d)
  | Var i => nth i (terms s) undefined
  | Pi => vpi
  | Apply f t => vfunction f (eval s t)
  | Op o t u => voperation o (eval s t) (eval s u)
  | Sum lo hi body =>
    match whole (eval s lo), whole (eval s hi) with
    | Some a, Some b =>
      vtotal (map (fun i => eval (with_term s (Exact (i # 1))) body) (whole_numbers a b))
    | _, _ => undefined
    end
  | When r a b t u =>
    match decided r (eval s a) (eval s b) with
    | Some true => eval s t | Some false => eval s u | None => undefined
    end
  | Divergence p t =>
    let E := eval s t in on_pair (fun L => vstick L E) (nth p (pairs s) None)
  | Distance p => on_pair (fun L => vmul (exact (1 # 2))
      (vadd (vstick L (Exact 1)) (vstick (swapped L) (Exact 1)))) (nth p (pairs s) None)
  | EventP p A => on_pair (vevent fst A) (nth p (pairs s) None)
  | EventQ p A => on_pair (vevent snd A) (nth p (pairs s) None)
  | Entry m i j => nth j (nth i (nth m (matrices s) []) []) undefined
  | RowSum m i => match nth i (nth m (matrices s) []) [] with [] => undefined | r => vtotal r end
  | LdpRatio m => vldp_ratio (nth m (matrices s) [])
  end.

Definition world_means (s : world value (option joint)) (s' : world R pair) : Prop :=
  Forall2 means (terms s) (terms s') /\
  Forall2 (Forall2 (Forall2 means)) (matrices s) (matrices s') /\
  Forall2 pair_means (pairs s) (pairs s').

Lemma nth_related {A B} (rel : A -> B -> Prop) xs ys a b i :
  rel a b -> Forall2 rel xs ys -> rel (nth i xs a) (nth i ys b).
Proof. intros H R; revert i; induction R; intros [|i]; cbn; auto. Qed.

Lemma same_length {A B} (rel : A -> B -> Prop) xs ys : Forall2 rel xs ys -> length xs = length ys.
Proof. induction 1; cbn; auto. Qed.

(** As [nth_related], but a place that is not there is undefined. *)
Lemma nth_means vs xs i x : Forall2 means vs xs -> means (nth i vs undefined) (nth i xs x).
Proof. apply nth_related, undefined_means. Qed.

Lemma vfunction_means f v x : means v x -> means (vfunction f v) (function_of f x).
Proof.
  destruct f;
    auto using vneg_means, vabs_means, vpos_means, vexp_means, vlog_means, vcos_means, vsqrt_means,
      vnormal_means.
Qed.

Lemma voperation_means o v w x y :
  means v x -> means w y -> means (voperation o v w) (operation_of o x y).
Proof.
  destruct o; auto using vadd_means, vsub_means, vmul_means, vdiv_means, vmax_means, vmin_means,
    vpower_means, vbinomial_means.
Qed.

Lemma int_means n : means (Exact (n # 1)) (IZR n).
Proof. cbn; unfold Q2R; cbn; field. Qed.

Lemma with_term_means s s' v x :
  world_means s s' -> means v x -> world_means (with_term s v) (with_term s' x).
Proof. intros (T & M & P) H; repeat split; auto; apply Forall2_app; auto. Qed.

Lemma vstick_means L X E e :
  pair_means (Some L) X -> means E e -> means (vstick L E) (divergence X e).
Proof.
  intros (C1 & C2 & F) HE; unfold divergence; rewrite (stick_on_any _ _ _ _ _ C1 C2).
  unfold stick_on, vstick; rewrite map_map; apply vtotal_means; clear C1 C2.
  induction F as [|x L [Hp Hq] F IH]; constructor; [|exact IH].
  apply vpos_means, vsub_means; [exact Hp | apply vmul_means; assumption].
Qed.

Lemma swapped_means L X : pair_means (Some L) X -> pair_means (Some (swapped L)) (snd X, fst X).
Proof.
  intros (C1 & C2 & F); cbn; unfold swapped; rewrite !map_map; cbn; repeat split; try apply C1;
    try apply C2; clear C1 C2; induction F as [|x L [Hp Hq] F IH]; constructor; auto.
Qed.

Lemma vevent_means (side : bool) S L X :
  pair_means (Some L) X ->
  means (vevent (if side then fst else snd) S L) (event S (if side then fst X else snd X)).
Proof.
  intros (C1 & C2 & F); unfold event, vevent, prob.
  assert (G : forall P (pick : value * value -> value),
    carries same_counts (map (fun x => unary (fst x)) L) P ->
    Forall (fun x => means (pick (snd x)) (mass same_counts P (unary (fst x)))) L ->
    means (vtotal (map (fun x => if is_among S (unary (fst x)) then pick (snd x) else Exact 0) L))
      (mean (indicator (is_among S)) P)).
  { intros P pick C H; rewrite (proj2 C), map_map; apply vtotal_means; clear -H.
    induction H as [|x L Hx H IH]; constructor; [|exact IH].
    unfold indicator; destruct is_among; [rewrite Rmult_1_l; exact Hx | rewrite Rmult_0_l; exact Q2R_0]. }
  destruct side; apply G; auto; revert F; apply Forall_impl; intros x []; assumption.
Qed.

Lemma column_means M M' j :
  Forall2 (Forall2 means) M M' ->
  means (vcolumn vmax j M) (column_max j M') /\ means (vcolumn vmin j M) (column_min j M').
Proof.
  induction 1 as [|r r' M M' Hr H [I J]]; [split; exact Q2R_0|].
  pose proof (nth_means _ _ j 0 Hr) as N; destruct H as [|t t' M M' Ht H]; [split; exact N|].
  split; [apply vmax_means | apply vmin_means]; assumption.
Qed.

Lemma vldp_ratio_means M M' :
  Forall2 (Forall2 means) M M' -> means (vldp_ratio M) (ldp_ratio M').
Proof.
  intros H; unfold vldp_ratio, ldp_ratio.
  rewrite (same_length means _ (nth 0 M' [])) by (apply nth_related; [constructor | exact H]).
  induction (seq 0 _) as [|j js IH]; cbn [fold_right];
    [apply one_means|].
  apply vmax_means; [|exact IH]; destruct (column_means M M' j H) as [I J].
  unfold vcolumn_ratio, column_ratio.
  pose proof (decided_means Eq _ _ _ 0 I zero_means) as D.
  destruct (decided Eq _ _) as [[|]|], (decide Eq _ _); try contradiction;
    try apply undefined_means; [apply one_means | now apply vdiv_means].
Qed.

Theorem eval_means t : forall s s', world_means s s' -> means (eval s t) (denote s' t).
Proof.
  induction t; intros s s' W; pose proof W as (T & M & P); cbn [eval denote].
  - apply int_means.
  - apply exact_means; unfold Q2R; cbn; field; apply not_0_IZR; discriminate.
  - now apply nth_means.
  - apply vpi_means.
  - apply vfunction_means; auto.
  - apply voperation_means; auto.
  - destruct (whole (eval s t1)) as [a|] eqn:A; [|apply undefined_means].
    destruct (whole (eval s t2)) as [b|] eqn:B; [|apply undefined_means].
    unfold sum; rewrite (whole_means _ a _ A (IHt1 s s' W)), (whole_means _ b _ B (IHt2 s s' W)).
    apply vtotal_means; induction (whole_numbers a b) as [|i is IH]; constructor; [|exact IH].
    apply IHt3, with_term_means; [exact W | apply int_means].
  - pose proof (decided_means r _ _ _ _ (IHt1 s s' W) (IHt2 s s' W)) as D.
    destruct (decided r _ _) as [[|]|], (decide r _ _); try contradiction; auto using undefined_means.
  - pose proof (nth_related pair_means _ _ None no_pair p Logic.I P) as H.
    destruct (nth p (pairs s) None) as [L|]; cbn [on_pair]; [|apply undefined_means].
    apply vstick_means; auto.
  - pose proof (nth_related pair_means _ _ None no_pair p Logic.I P) as H.
    destruct (nth p (pairs s) None) as [L|]; cbn [on_pair]; [|apply undefined_means].
    unfold distance, total_variation; apply vmul_means.
    + apply exact_means; unfold Q2R; cbn; lra.
    + apply vadd_means; [exact (vstick_means _ _ _ _ H one_means)|].
      exact (vstick_means _ _ _ _ (swapped_means _ _ H) one_means).
  - pose proof (nth_related pair_means _ _ None no_pair p Logic.I P) as H.
    destruct (nth p (pairs s) None) as [L|]; cbn [on_pair]; [|apply undefined_means].
    exact (vevent_means true _ _ _ H).
  - pose proof (nth_related pair_means _ _ None no_pair p Logic.I P) as H.
    destruct (nth p (pairs s) None) as [L|]; cbn [on_pair]; [|apply undefined_means].
    exact (vevent_means false _ _ _ H).
  - apply nth_means, nth_related; [constructor | apply nth_related; [constructor | exact M]].
  - assert (R : Forall2 means (nth i (nth m (matrices s) []) []) (nth i (nth m (matrices s') []) []))
      by (apply nth_related; [constructor | apply nth_related; [constructor | exact M]]).
    unfold row_sum; apply vtotal_means in R as V.
    destruct (nth i (nth m (matrices s) []) []); [apply undefined_means | exact V].
  - apply vldp_ratio_means, nth_related; [constructor | exact M].
Qed.

(** ** Definitions and claims *)

Inductive definition :=
| DefTerm (t : term)
| DefMatrix (M : list (list term))
| DefFinite (m : nat)  (* the rows 0 and 1 of matrix m *)
| DefShuffle (rounded : bool) (k : nat) (classes : option (list nat)) (v w : nat * nat)
    (others : list (nat * nat * nat)).  (* matrix, row; and how many *)

Definition user_of {C P} (s : world C P) (classes : option (list nat)) (x : nat * nat) : list (nat * C) :=
  user_law classes (nth (fst x) (matrices s) []) (snd x).

Definition define (s : world R pair) (d : definition) : world R pair :=
  match d with
  | DefTerm t => with_term s (denote s t)
  | DefMatrix M => World (terms s) (matrices s ++ [map (map (denote s)) M]) (pairs s)
  | DefFinite m => World (terms s) (matrices s) (pairs s ++
      [finite_pair (nth 0 (nth m (matrices s) []) []) (nth 1 (nth m (matrices s) []) [])])
  | DefShuffle _ k c v w others => World (terms s) (matrices s) (pairs s ++
      [shuffle k (user_of s c v) (user_of s c w)
        (map (fun x => (user_of s c (fst x), snd x)) others)])
  end.

Definition round (u : list (nat * value)) : list (nat * value) :=
  map (fun x => (fst x, if is_zero (snd x) then snd x else Ball (ball (snd x)))) u.

Definition finite_joint (p q : list value) : option joint :=
  if Nat.eqb (length p) (length q) then
    checked (map (fun x => ([N.of_nat (fst x)], snd x)) (combine (seq 0 (length p)) (combine p q)))
  else None.

Definition compute (s : world value (option joint)) (d : definition) : world value (option joint) :=
  match d with
  | DefTerm t => with_term s (eval s t)
  | DefMatrix M => World (terms s) (matrices s ++ [map (map (eval s)) M]) (pairs s)
  | DefFinite m => World (terms s) (matrices s) (pairs s ++
      [finite_joint (nth 0 (nth m (matrices s) []) []) (nth 1 (nth m (matrices s) []) [])])
  | DefShuffle rounded k c v w others =>
    let user x := let u := user_of s c x in if rounded then round u else u in
    World (terms s) (matrices s) (pairs s ++
      [shuffle_joint k (user v) (user w) (map (fun x => (user (fst x), snd x)) others)])
  end.

Lemma round_related u u' : related means u u' -> related means (round u) u'.
Proof.
  induction 1 as [|x y u u' [E H] R IH]; constructor; [split; [exact E|]|exact IH].
  cbn; destruct (is_zero (snd x)); [exact H | now apply ball_means].
Qed.

Lemma user_of_related s s' c x :
  world_means s s' -> related means (user_of s c x) (user_of s' c x).
Proof.
  intros (T & M & P); apply user_law_related, nth_related; [constructor | exact M].
Qed.

Lemma finite_joint_means p q p' q' :
  Forall2 means p p' -> Forall2 means q q' -> pair_means (finite_joint p q) (finite_pair p' q').
Proof.
  intros Hp Hq; unfold finite_joint; destruct (Nat.eqb_spec (length p) (length q)) as [E|]; [|exact Logic.I].
  assert (K : forall (r : list R) f,
    mean (fun a => f (unary a)) (map (fun x => ([N.of_nat (fst x)], snd x)) (combine (seq 0 (length r)) r))
    = mean f (image (fun i => [i]) (law_of_row r))).
  { intros r f; unfold law_of_row; rewrite mean_image; generalize (seq 0 (length r)) as is.
    induction r as [|x r IH]; intros [|i is]; cbn; try reflexivity.
    rewrite IH, Nat2N.id; reflexivity. }
  eapply checked_means; [| |intros f; apply K|intros f; apply K]; cbn [fst snd].
  - rewrite <- (same_length _ _ _ Hp); clear Hq K; revert q E; generalize 0%nat as n.
    induction Hp as [|v x p p' H Hp IH]; intros n [|w q] E; try discriminate; constructor.
    + split; [reflexivity | exact H].
    + apply IH; now injection E.
  - rewrite <- (same_length _ _ _ Hq), E; clear Hp K p'; revert p E; generalize 0%nat as n.
    induction Hq as [|v x q q' H Hq IH]; intros n [|w p] E; try discriminate; constructor.
    + split; [reflexivity | exact H].
    + apply IH; now injection E.
Qed.

Lemma compute_means s s' d : world_means s s' -> world_means (compute s d) (define s' d).
Proof.
  intros W; pose proof W as (T & M & P); destruct d as [t|A|m|rounded k c v w others]; cbn [compute define].
  - apply with_term_means; [exact W | now apply eval_means].
  - repeat split; auto; cbn; apply Forall2_app; auto; constructor; [|constructor].
    induction A as [|r A IH]; constructor; [|exact IH].
    induction r as [|t r IHr]; constructor; [now apply eval_means | exact IHr].
  - repeat split; auto; cbn; apply Forall2_app; auto; constructor; [|constructor].
    apply finite_joint_means; apply nth_related; try constructor;
      (apply nth_related; [constructor | exact M]).
  - repeat split; auto; cbn; apply Forall2_app; auto; constructor; [|constructor].
    assert (U : forall x, related means
      ((fun x => if rounded then round (user_of s c x) else user_of s c x) x) (user_of s' c x)).
    { intros x; cbn; pose proof (user_of_related s s' c x W); destruct rounded; auto using round_related. }
    apply shuffle_joint_means; [apply U | apply U|].
    induction others as [|x others IH]; constructor; [split; [apply U | reflexivity] | exact IH].
Qed.

Inductive claim :=
| Holds (r : relation) (t u : term)
| Rows (m : nat)         (* exact: every row of matrix m is a law *)
| Nonnegative (m : nat).  (* no entry is negative *)

Definition claimed (s : world R pair) (c : claim) : Prop :=
  match c with
  | Holds r t u => holds r (denote s t) (denote s u)
  | Rows m => Forall is_row (nth m (matrices s) [])
  | Nonnegative m => Forall (Forall (fun x => 0 <= x)) (nth m (matrices s) [])
  end.

Definition is_true (o : option bool) : bool := match o with Some true => true | _ => false end.
Definition nonnegative_b (v : value) : bool := is_true (decided Le (Exact 0) v).

Definition confirmed (s : world value (option joint)) (c : claim) : bool :=
  match c with
  | Holds r t u => is_true (decided r (eval s t) (eval s u))
  | Rows m => forallb (fun row => forallb nonnegative_b row
      && is_true (decided Eq (vtotal row) (Exact 1))) (nth m (matrices s) [])
  | Nonnegative m => forallb (forallb nonnegative_b) (nth m (matrices s) [])
  end.

Lemma is_true_holds r v w x y :
  means v x -> means w y -> is_true (decided r v w) = true -> holds r x y.
Proof.
  intros Hv Hw; pose proof (decided_means r v w x y Hv Hw) as D.
  destruct decided as [[|]|]; cbn; (discriminate || auto).
Qed.

Lemma nonnegative_means vs xs :
  Forall2 means vs xs -> forallb nonnegative_b vs = true -> Forall (fun x => 0 <= x) xs.
Proof.
  induction 1 as [|v x vs xs H R IH]; intros B; constructor; cbn in B; apply andb_prop in B as [B1 B2].
  - exact (is_true_holds Le _ _ _ _ zero_means H B1).
  - exact (IH B2).
Qed.

Lemma confirmed_claimed s s' c : world_means s s' -> confirmed s c = true -> claimed s' c.
Proof.
  intros W; pose proof W as (T & M & P); destruct c as [r t u|m|m]; cbn [confirmed claimed].
  - apply is_true_holds; now apply eval_means.
  - assert (H : Forall2 (Forall2 means) (nth m (matrices s) []) (nth m (matrices s') []))
      by (apply nth_related; [constructor | exact M]).
    induction H as [|r r' A A' Hr H IH]; cbn; intros B; constructor;
      apply andb_prop in B as [B1 B2]; [|exact (IH B2)].
    apply andb_prop in B1 as [N E]; split; [now apply (nonnegative_means r)|].
    apply (is_true_holds Eq _ _ _ _ (vtotal_means _ _ Hr) one_means E).
  - assert (H : Forall2 (Forall2 means) (nth m (matrices s) []) (nth m (matrices s') []))
      by (apply nth_related; [constructor | exact M]).
    induction H as [|r r' A A' Hr H IH]; cbn; intros B; constructor;
      apply andb_prop in B as [B1 B2]; [now apply (nonnegative_means r) | exact (IH B2)].
Qed.

Fixpoint all_claimed (s : world R pair) (cs : list claim) : Prop :=
  match cs with
  | [] => True
  | [c] => claimed s c
  | c :: rest => claimed s c /\ all_claimed s rest
  end.

(** Every defined thing has a meaning, also where no claim mentions it: no theorem needs it, but
    FORMAT.md asks it of a certificate. *)
Definition has_meaning (v : value) : bool := match v with Exact _ => true | Ball i => I.bounded i end.
Definition complete (s : world value (option joint)) : bool :=
  forallb has_meaning (terms s) && forallb (forallb (forallb has_meaning)) (matrices s)
  && forallb (fun D : option joint => if D then true else false) (pairs s).

(** The one theorem that a certificate's proof uses. *)
Theorem sound s s' defs claims :
  world_means s s' ->
  (let s := fold_left compute defs s in complete s && forallb (confirmed s) claims) = true ->
  all_claimed (fold_left define defs s') claims.
Proof.
  revert s s'; induction defs as [|d defs IH]; intros s s' W; cbn [fold_left].
  - intros B; cbn zeta in B; apply andb_prop in B as [_ B]; induction claims as [|c cs IH]; [exact Logic.I|].
    cbn [forallb] in B; apply andb_prop in B as [B1 B2].
    pose proof (confirmed_claimed s s' c W B1) as C; destruct cs; [exact C | split; auto].
  - apply IH, compute_means, W.
Qed.

Definition empty {V P} : world V P := World [] [] [].

Lemma empty_means : world_means empty empty.
Proof. repeat split; constructor. Qed.

End Computation.

(** ** What certificates call *)

Arguments World {V P}.
Arguments terms {V P}.
Arguments matrices {V P}.
Arguments pairs {V P}.

(* To see that a theorem is what was claimed, Coq unfolds terms, never laws or reals. *)
Strategy 1000 [divergence distance event entry row_sum is_row ldp_ratio sum power binomial
  positive_part shuffle finite_pair view decide
  Rplus Rminus Rmult Rdiv Rinv Ropp Rmax Rmin Rabs exp ln cos sqrt normal_cdf PI IZR Rlt Rle Rge Rgt].

(** [certify bits longest definitions claims] proves the goal if [claims] mean it and are confirmed:
    with 32 bits, with 80, or else with [bits]. Coq's kernel computes each once. *)
Ltac certify_with bits longest defs claims :=
  let check := constr:(let s := fold_left (compute (F.PtoP bits) longest) defs empty in
    complete s && forallb (confirmed (F.PtoP bits) longest s) claims) in
  let H := fresh in
  assert (H : check = true) by abstract (vm_cast_no_check (eq_refl true));
  exact_no_check (sound (F.PtoP bits) longest empty empty defs claims empty_means H).
Ltac certify bits longest defs claims :=
  first [ certify_with 32%positive longest defs claims | certify_with 80%positive longest defs claims
        | certify_with bits longest defs claims
        | fail "the computation does not confirm the certificate" ].
