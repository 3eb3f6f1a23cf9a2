(** * A noisy threshold, and answers without noise

    - [between_answers]: the threshold's noise lies between two answers with the probability that it has there. *)

From Coq Require Import Reals List Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import SparseVector.
Import ListNotations.
Open Scope R_scope.

Definition exactly_compared (x q : R) (is_above : bool) : R :=
  if Rlt_dec x q then (if is_above then 1 else 0) else (if is_above then 0 else 1).
Fixpoint all_exactly (answers : list R) (report : list bool) (x : R) : R :=
  match answers, report with
  | q :: answers, r :: report => exactly_compared x q r * all_exactly answers report x
  | _, _ => 1
  end.
Definition noiseless_probability (b1 : R) (answers : list R) (report : list bool) : R :=
  line (fun x => threshold_density b1 x * all_exactly answers report x).

Lemma nothing_there (Fa Fb : (R -> Prop) -> Prop) {FFa : Filter Fa} {FFb : Filter Fb} :
  is_RInt_gen (V := R_NormedModule) (fun _ => 0) Fa Fb 0.
Proof.
  intros P HP; exists (fun _ => True) (fun _ => True); [apply filter_true | apply filter_true|].
  intros a b _ _; exists 0; split; [|now apply locally_singleton]; cbn.
  pose proof (is_RInt_const (V := R_NormedModule) a b 0) as C.
  assert (Z : scal (b - a) (0 : R_NormedModule) = 0) by (unfold scal; cbn; unfold mult; cbn; ring).
  rewrite Z in C; exact C.
Qed.

Lemma density_between b u v : 0 < b -> 0 <= u <= v ->
  is_RInt (threshold_density b) u v ((exp (- (u / b)) - exp (- (v / b))) / 2).
Proof.
  intros Hb H; apply (is_RInt_ext (fun x => exp (- (x / b)) / (2 * b))).
  - intros x; rewrite Rmin_left, Rmax_right by lra; intros Hx; unfold threshold_density; now rewrite Rabs_right by lra.
  - replace ((exp (- (u / b)) - exp (- (v / b))) / 2)
      with (minus ((fun x => - exp (- (x / b)) / 2) v) ((fun x => - exp (- (x / b)) / 2) u)) by (unfold minus, plus, opp; cbn; field).
    apply (is_RInt_derive (fun x => - exp (- (x / b)) / 2) (fun x => exp (- (x / b)) / (2 * b))).
    + intros x _; auto_derive; [exact I | unfold Rdiv; field; lra].
    + intros x _; apply (ex_derive_continuous (fun x => exp (- (x / b)) / (2 * b))); auto_derive; exact I.
Qed.

Lemma between_answers b u v : 0 < b -> 0 <= u -> u <= v ->
  noiseless_probability b [u; v] [false; true] = (exp (- (u / b)) - exp (- (v / b))) / 2.
Proof.
  intros Hb Hu Hv; apply line_is; set (g := fun x => threshold_density b x * all_exactly [u; v] [false; true] x).
  assert (Out : forall x, x < u \/ v < x -> 0 = g x).
  { intros x Hx; unfold g; cbn; unfold exactly_compared; destruct (Rlt_dec x u), (Rlt_dec x v); lra. }
  assert (In : forall x, u < x < v -> threshold_density b x = g x).
  { intros x Hx; unfold g; cbn; unfold exactly_compared; destruct (Rlt_dec x u), (Rlt_dec x v); lra. }
  set (w := (exp (- (u / b)) - exp (- (v / b))) / 2).
  replace w with (plus 0 (plus w 0)) by (unfold plus; cbn; ring).
  apply (is_RInt_gen_Chasles (V := R_NormedModule) g u).
  - eapply is_RInt_gen_ext; [|apply (nothing_there (Rbar_locally m_infty) (at_point u))].
    exists (fun a => a < u) (fun c => c = u); [exists u; easy | easy|].
    intros a c Ha -> x; cbn; rewrite Rmin_left, Rmax_right by lra; intros Hx; apply Out; lra.
  - apply (is_RInt_gen_Chasles (V := R_NormedModule) g v).
    + apply is_RInt_gen_at_point, (is_RInt_ext (threshold_density b)); [|now apply density_between].
      intros x; rewrite Rmin_left, Rmax_right by lra; apply In.
    + eapply is_RInt_gen_ext; [|apply (nothing_there (at_point v) (Rbar_locally p_infty))].
      exists (fun a => a = v) (fun c => v < c); [easy | exists v; easy|].
      intros a c -> Hc x; cbn; rewrite Rmin_left, Rmax_right by lra; intros Hx; apply Out; lra.
Qed.

Theorem sparse_vector_algorithm_5_unbounded (epsilon : R) (k : nat) :
  0 < epsilon -> (1 <= k)%nat ->
  noiseless_probability (2 / epsilon) [0; 1] [false; true]
  > (exp ((INR k) * epsilon)) * (noiseless_probability (2 / epsilon) [1; 1] [false; true]).
Proof.
  intros He _; assert (B : 0 < 2 / epsilon) by (apply Rmult_lt_0_compat; [lra | now apply Rinv_0_lt_compat]).
  rewrite !between_answers by lra.
  assert (Z : (exp (- (1 / (2 / epsilon))) - exp (- (1 / (2 / epsilon)))) / 2 = 0) by lra; rewrite Z, Rmult_0_r.
  assert (L : - (1 / (2 / epsilon)) < - (0 / (2 / epsilon))).
  { apply Ropp_lt_contravar; unfold Rdiv at 1 3; rewrite Rmult_0_l, Rmult_1_l; now apply Rinv_0_lt_compat. }
  apply exp_increasing in L; lra.
Qed.
