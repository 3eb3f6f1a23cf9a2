(** * Claims about the privacy blanket

    Statements exported from the catalog's claims, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia Permutation.
From Coquelicot Require Rbar Lub.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket BlanketBounds UniformBlanket Claims VariationRatio.
Import ListNotations.
Open Scope R_scope.

(** eps0-DP for some eps0. *)
Definition private_rows {X} (rows : X -> law nat) : Prop :=
  (forall z, is_law (rows z)) /\
  exists eps0, forall z z' y, mass Nat.eq_dec (rows z) y <= exp eps0 * mass Nat.eq_dec (rows z') y.

(** gamma omega is at each message the infimum of the masses over all inputs. *)
Definition is_blanket {X} (rows : X -> law nat) (blanket : R * law nat) : Prop :=
  let (gamma, omega) := blanket in is_law omega /\ 0 < gamma /\
  forall y, (forall z, gamma * mass Nat.eq_dec omega y <= mass Nat.eq_dec (rows z) y) /\
    forall b, (forall z, b <= mass Nat.eq_dec (rows z) y) -> b <= gamma * mass Nat.eq_dec omega y.

Lemma off_blanket {X} (rows : X -> law nat) gamma omega eps0 y z :
  is_blanket rows (gamma, omega) -> (forall z, is_law (rows z)) ->
  (forall z z' y, mass Nat.eq_dec (rows z) y <= exp eps0 * mass Nat.eq_dec (rows z') y) ->
  mass Nat.eq_dec omega y = 0 -> mass Nat.eq_dec (rows z) y = 0.
Proof.
  intros (_ & _ & B) LR P Z; destruct (B y) as [_ G]; rewrite Z, Rmult_0_r in G.
  pose proof (prob_nonnegative (at_ Nat.eq_dec y) _ (proj1 (LR z)) : 0 <= mass Nat.eq_dec (rows z) y) as N.
  pose proof (exp_pos (- eps0)) as I.
  assert (F : exp (- eps0) * mass Nat.eq_dec (rows z) y <= 0).
  { apply G; intros z'; specialize (P z z' y); apply (Rmult_le_compat_l _ _ _ (Rlt_le _ _ I)) in P.
    rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0, Rmult_1_l in P; exact P. }
  nra.
Qed.

(** D of the counts of the messages 0, ..., k - 1, and the paper's expectation. *)
Definition views_apart {X} (k : nat) (rows : X -> law nat) (data : neighbors X) (E : R) : R :=
  hockey_stick same_counts (view k (map rows (data_of data))) (view k (map rows (changed_data data))) E.
Definition expectation {X} (n : nat) (rows : X -> law nat) (blanket : R * law nat) (data : neighbors X) (E : R) : R :=
  let (gamma, omega) := blanket in
  / (gamma * INR n) * binomial_total n (fun m => gamma ^ m * (1 - gamma) ^ (n - m) *
    blanket_excess (rows (old data)) (rows (new data)) omega E m).

Theorem balle2019_reduction {X : Type} {k : nat} (rows : X -> law nat) (n : nat) (blanket : R * law nat)
    (data : neighbors X) (exp_epsilon : R) :
  private_rows rows -> (1 <= n)%nat -> is_blanket rows blanket -> length (data_of data) = n -> 1 <= exp_epsilon ->
  views_apart k rows data exp_epsilon <= expectation n rows blanket data exp_epsilon.
Proof.
  destruct blanket as [gamma omega]; intros [LR [eps0 P]] _ (LO & Hg & B) <- _; unfold views_apart, expectation.
  set (others := left data ++ right data).
  assert (N : length (data_of data) = S (length (map rows others)))
    by (unfold data_of, others; rewrite map_length, !app_length; cbn; lia).
  assert (V : forall x f, mean f (view k (map rows (left data ++ x :: right data)))
    = mean f (view k (rows x :: map rows others))).
  { intros x f; apply view_permutation; rewrite <- (map_cons rows); apply Permutation_map.
    symmetry; apply Permutation_middle. }
  unfold data_of at 1, changed_data; rewrite (hockey_stick_ext _ _ _ _ _ _ (V _) (V _)), N.
  apply privacy_blanket; try exact LO.
  - split; [exact Hg|]; enough (gamma + 0 <= 1) by lra.
    apply (fits_at_most_1 Nat.eq_dec (rows (old data)) omega omega); try assumption; [apply LR|].
    intros y; destruct (B y) as [L _]; specialize (L (old data)); lra.
  - apply Forall_map, Forall_forall; intros z _; split; [apply LR | intros y; apply B].
  - intros y; now apply (off_blanket rows gamma omega eps0).
  - intros y; now apply (off_blanket rows gamma omega eps0).
Qed.

(** ** The privacy amplification variable *)

(** x-private: the masses of a message differ by at most a factor x = e^eps0. *)
Definition rows_within {X} (x : R) (rows : X -> law nat) : Prop :=
  (forall z, is_law (rows z)) /\
  forall z z' y, mass Nat.eq_dec (rows z) y <= x * mass Nat.eq_dec (rows z') y.

Lemma rows_within_private {X} x (rows : X -> law nat) : 1 <= x -> rows_within x rows -> private_rows rows.
Proof. intros Hx [L H]; split; [exact L|]; exists (ln x); rewrite exp_ln by lra; exact H. Qed.

(** L at the data of the victim, and its first two moments; what the blanket never sends has no L. *)
Definition variable {X} (rows : X -> law nat) (blanket : R * law nat) (inputs : X * X) (E : R) (y : nat) : R :=
  amplification (rows (fst inputs)) (rows (snd inputs)) (snd blanket) E y.
Definition moment {X} (rows : X -> law nat) (blanket : R * law nat) (inputs : X * X) (E : R) (power : nat) : R :=
  mean (fun y => variable rows blanket inputs E y ^ power) (snd blanket).
Definition is_sent (blanket : R * law nat) (y : nat) : Prop := 0 < mass Nat.eq_dec (snd blanket) y.

Section Blanketed.
Context {X : Type} (rows : X -> law nat) (gamma : R) (omega : law nat) (x : R).
Hypotheses (Hx : 1 <= x) (W : rows_within x rows) (B : is_blanket rows (gamma, omega)).

Lemma blanket_dominates z : dominates omega (rows z).
Proof.
  destruct (rows_within_private x rows Hx W) as [L [eps0 P]]; intros y.
  now apply (off_blanket rows gamma omega eps0).
Qed.

(** The mass of each message: from gamma omega to x times as much. *)
Lemma blanket_ratio z y :
  gamma * mass Nat.eq_dec omega y <= mass Nat.eq_dec (rows z) y <= x * (gamma * mass Nat.eq_dec omega y).
Proof.
  destruct B as (_ & _ & G); destruct (G y) as [L U]; split; [apply L|].
  assert (mass Nat.eq_dec (rows z) y / x <= gamma * mass Nat.eq_dec omega y).
  { apply U; intros z'; apply (Rmult_le_reg_l x); [lra|]; destruct W as [_ M]; specialize (M z z' y).
    replace (x * (mass Nat.eq_dec (rows z) y / x)) with (mass Nat.eq_dec (rows z) y) by (field; lra); exact M. }
  apply (Rmult_le_compat_l x) in H; [|lra].
  replace (x * (mass Nat.eq_dec (rows z) y / x)) with (mass Nat.eq_dec (rows z) y) in H by (field; lra); exact H.
Qed.

Lemma blanket_mass_below (z : X) : 0 < gamma <= 1.
Proof.
  destruct B as ([N One] & G & _); split; [exact G|].
  destruct W as [L _]; destruct (L z) as [_ Lz].
  rewrite (change_of_law omega (rows z) _ (blanket_dominates z)) in Lz.
  rewrite <- Lz, <- (mean_constant omega gamma (conj N One)); apply (mean_le_sent Nat.eq_dec); [exact N|].
  intros y M; pose proof (proj1 (blanket_ratio z y)); apply (Rmult_le_reg_r (mass Nat.eq_dec omega y)); [exact M|].
  unfold Rdiv; rewrite Rmult_1_r, Rmult_assoc, Rinv_l by lra; lra.
Qed.

(** R / omega, from gamma to x gamma. *)
Lemma blanket_quotient z y :
  0 < mass Nat.eq_dec omega y -> gamma <= mass Nat.eq_dec (rows z) y / mass Nat.eq_dec omega y <= x * gamma.
Proof.
  intros M; pose proof (blanket_ratio z y); set (m := mass Nat.eq_dec omega y) in *.
  split; apply (Rmult_le_reg_r m); try exact M; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
Qed.
End Blanketed.

Theorem balle2019_amplification_variable {X : Type} (exp_epsilon0 : R) (rows : X -> law nat) (blanket : R * law nat)
    (inputs : X * X) (exp_epsilon : R) (y : nat) (z : nat) :
  1 <= exp_epsilon0 -> rows_within exp_epsilon0 rows -> is_blanket rows blanket -> 1 <= exp_epsilon ->
  is_sent blanket y -> is_sent blanket z ->
  moment rows blanket inputs exp_epsilon 1 = 1 - exp_epsilon
  /\ variable rows blanket inputs exp_epsilon y
      <= ((fst blanket) * exp_epsilon0) * (1 - (exp_epsilon / (exp_epsilon0 ^ 2)))
  /\ (variable rows blanket inputs exp_epsilon y) - (variable rows blanket inputs exp_epsilon z)
      <= ((fst blanket) * (exp_epsilon + 1)) * (exp_epsilon0 - (1 / exp_epsilon0))
  /\ moment rows blanket inputs exp_epsilon 2
      <= (((fst blanket) * exp_epsilon0) * ((exp_epsilon ^ 2) + 1))
        - (((2 * ((fst blanket) ^ 2)) * exp_epsilon) / (exp_epsilon0 ^ 2)).
Proof.
  destruct blanket as [gamma omega]; intros Hx W B HE Sy Sz; cbn [fst]; rename exp_epsilon0 into x, exp_epsilon into E.
  destruct inputs as [v v']; pose proof (proj1 W) as LR; pose proof (proj1 B) as [N One].
  pose proof (blanket_mass_below rows gamma omega x Hx W B v) as [G0 G1].
  pose proof (blanket_dominates rows gamma omega x Hx W B) as D.
  pose proof (blanket_quotient rows gamma omega x Hx W B) as Q.
  assert (Hxi : 1 / x <= 1) by (apply (Rmult_le_reg_r x); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra).
  assert (Hxp : 0 < 1 / x) by (apply Rdiv_lt_0_compat; lra).
  set (i := 1 / x) in *; assert (I : x * i = 1) by (unfold i; field; lra).
  assert (F : forall u, variable rows (gamma, omega) (v, v') E u
    = mass Nat.eq_dec (rows v) u / mass Nat.eq_dec omega u - E * (mass Nat.eq_dec (rows v') u / mass Nat.eq_dec omega u))
    by (intros; unfold variable, amplification, Rdiv; cbn [fst snd]; ring).
  repeat split.
  - unfold moment; rewrite <- (amplification_mean (rows v) (rows v') omega E) by auto.
    apply mean_ext; intros u; unfold variable; cbn [fst snd]; ring.
  - rewrite F; pose proof (Q v y Sy); pose proof (Q v' y Sy).
    replace (gamma * x * (1 - E / x ^ 2)) with (gamma * x - E * gamma * i) by (unfold i; field; lra).
    assert (E * gamma * i <= E * gamma * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
    assert (E * gamma <= E * (mass Nat.eq_dec (rows v') y / mass Nat.eq_dec omega y)) by (apply Rmult_le_compat_l; lra).
    lra.
  - rewrite !F; pose proof (Q v y Sy); pose proof (Q v' y Sy); pose proof (Q v z Sz); pose proof (Q v' z Sz).
    set (q := mass Nat.eq_dec (rows v) y / mass Nat.eq_dec omega y) in *.
    set (q' := mass Nat.eq_dec (rows v') y / mass Nat.eq_dec omega y) in *.
    set (r := mass Nat.eq_dec (rows v) z / mass Nat.eq_dec omega z) in *.
    set (r' := mass Nat.eq_dec (rows v') z / mass Nat.eq_dec omega z) in *.
    assert (E * (r' - q') <= E * (x * gamma - gamma)) by (apply Rmult_le_compat_l; lra).
    assert (gamma * (E + 1) * i <= gamma * (E + 1) * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
    lra.
  - pose proof (proj2 (LR v)) as Lv; pose proof (proj2 (LR v')) as Lv'.
    rewrite (change_of_law omega (rows v) _ (D v)) in Lv; rewrite (change_of_law omega (rows v') _ (D v')) in Lv'.
    apply Rle_trans with (gamma * x * (E ^ 2 + 1) - 2 * gamma * E).
    + unfold moment; cbn [snd].
      apply Rle_trans with (mean (fun u => (x * gamma - 2 * E * gamma) * (mass Nat.eq_dec (rows v) u / mass Nat.eq_dec omega u * 1)
        + E ^ 2 * (x * gamma) * (mass Nat.eq_dec (rows v') u / mass Nat.eq_dec omega u * 1)) omega).
      * apply (mean_le_sent Nat.eq_dec); [exact N|]; intros u M; rewrite F; pose proof (Q v u M); pose proof (Q v' u M).
        set (q := mass Nat.eq_dec (rows v) u / mass Nat.eq_dec omega u) in *.
        set (q' := mass Nat.eq_dec (rows v') u / mass Nat.eq_dec omega u) in *.
        assert (q * q <= q * (x * gamma)) by (apply Rmult_le_compat_l; lra).
        assert (E ^ 2 * (q' * q') <= E ^ 2 * (q' * (x * gamma)))
          by (apply Rmult_le_compat_l; [apply pow2_ge_0 | apply Rmult_le_compat_l; lra]).
        assert (E * (q * gamma) <= E * (q * q')) by (apply Rmult_le_compat_l; [|apply Rmult_le_compat_l]; lra).
        replace ((q - E * q') ^ 2) with (q * q - 2 * (E * (q * q')) + E ^ 2 * (q' * q')) by ring; lra.
      * rewrite mean_plus, !mean_scale, Lv, Lv'; lra.
    + assert (i ^ 2 <= 1) by (cbn [pow]; rewrite Rmult_1_r; rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; lra).
      replace (2 * gamma ^ 2 * E / x ^ 2) with (2 * gamma * E * (gamma * i ^ 2)) by (unfold i; field; lra).
      assert (gamma * i ^ 2 <= 1) by (rewrite <- (Rmult_1_r 1); apply Rmult_le_compat; try lra; apply pow2_ge_0).
      assert (0 <= 2 * gamma * E) by (repeat apply Rmult_le_pos; lra).
      assert (2 * gamma * E * (gamma * i ^ 2) <= 2 * gamma * E * 1) by (apply Rmult_le_compat_l; lra); lra.
Qed.

(** ** The decomposition *)

(** The infimum of a message's masses over all inputs; gamma, the sum of these; omega; and nu of an input. *)
Definition least {X} (rows : X -> law nat) (y : nat) : R :=
  Rbar.real (Lub.Glb_Rbar (fun m => exists z, m = mass Nat.eq_dec (rows z) y)).
Definition blanket_mass {X} (k : nat) (rows : X -> law nat) : R := total (map (least rows) (seq 0 k)).
Definition masses (k : nat) (f : nat -> R) : law nat := map (fun y => (y, f y)) (seq 0 k).
Definition blanket_law {X} (k : nat) (rows : X -> law nat) : law nat :=
  masses k (fun y => least rows y / blanket_mass k rows).
Definition rest_law {X} (k : nat) (rows : X -> law nat) (z : X) : law nat :=
  masses k (fun y => (mass Nat.eq_dec (rows z) y - least rows y) / (1 - blanket_mass k rows)).

Lemma least_is_infimum {X} (rows : X -> law nat) (z : X) y :
  (forall z, is_law (rows z)) ->
  (forall z, least rows y <= mass Nat.eq_dec (rows z) y) /\
  forall b, (forall z, b <= mass Nat.eq_dec (rows z) y) -> b <= least rows y.
Proof.
  intros L; unfold least; set (S := fun m => exists z, m = mass Nat.eq_dec (rows z) y).
  destruct (Lub.Glb_Rbar_correct S) as [B G].
  assert (P : Rbar.Rbar_le (Rbar.Finite 0) (Lub.Glb_Rbar S)).
  { apply G; intros m [u ->]; exact (prob_nonnegative (at_ Nat.eq_dec y) _ (proj1 (L u))). }
  pose proof (B _ (ex_intro _ z eq_refl)) as U; destruct (Lub.Glb_Rbar S) as [r| |]; try easy; cbn; split.
  - intros u; exact (B _ (ex_intro _ u eq_refl)).
  - intros b Hb; apply (G (Rbar.Finite b)); intros m [u ->]; apply Hb.
Qed.

Lemma mean_masses k f h : mean h (masses k f) = total (map (fun y => h y * f y) (seq 0 k)).
Proof. unfold masses; induction (seq 0 k) as [|y l IH]; cbn [map mean total]; [reflexivity | rewrite IH; ring]. Qed.

Lemma mass_masses k f y : (y < k)%nat -> mass Nat.eq_dec (masses k f) y = f y.
Proof.
  intros Hy; unfold mass, prob; rewrite mean_masses.
  rewrite (total_ext _ (fun a => f a * indicator (at_ Nat.eq_dec a) y)).
  - rewrite (total_at Nat.eq_dec) by apply seq_NoDup; destruct in_dec as [I|I]; [reflexivity|].
    exfalso; apply I, in_seq; lia.
  - intros a _; unfold indicator, at_; destruct (Nat.eq_dec y a), (Nat.eq_dec a y); subst; try contradiction; ring.
Qed.

Lemma total_of_masses k u : is_law u -> below k u -> total (map (mass Nat.eq_dec u) (seq 0 k)) = 1.
Proof.
  intros [_ One] B; rewrite <- One; destruct (carries_all Nat.eq_dec (seq 0 k) u) as [_ C]; [apply seq_NoDup| |].
  - intros y I; apply in_map_iff in I as [e [<- I]]; apply (proj1 (Forall_forall _ _) B) in I; apply in_seq; lia.
  - rewrite C; apply total_ext; intros; ring.
Qed.

Theorem balle2019_blanket {X : Type} {k : nat} (exp_epsilon0 : R) (rows : X -> law nat) (x : X) (y : nat) :
  1 <= exp_epsilon0 -> rows_within exp_epsilon0 rows /\ (forall z, below k (rows z)) -> (y < k)%nat ->
  mass Nat.eq_dec (rows x) y
    = ((blanket_mass k rows) * (mass Nat.eq_dec (blanket_law k rows) y))
      + ((1 - (blanket_mass k rows)) * (mass Nat.eq_dec (rest_law k rows x) y))
  /\ 0 <= mass Nat.eq_dec (blanket_law k rows) y
  /\ mean (fun _ => 1) (blanket_law k rows) = 1
  /\ 0 <= mass Nat.eq_dec (rest_law k rows x) y
  /\ (1 - (blanket_mass k rows)) * (mean (fun _ => 1) (rest_law k rows x)) = 1 - (blanket_mass k rows)
  /\ 1 / exp_epsilon0 <= blanket_mass k rows.
Proof.
  intros Hx [[L W] K] Hy; set (g := blanket_mass k rows); rename x into input, exp_epsilon0 into x.
  pose proof (fun y => least_is_infimum rows input y L) as I.
  assert (T : total (map (mass Nat.eq_dec (rows input)) (seq 0 k)) = 1) by now apply total_of_masses.
  assert (Z : forall y, 0 <= least rows y).
  { intros u; apply I; intros z; exact (prob_nonnegative (at_ Nat.eq_dec u) _ (proj1 (L z))). }
  assert (G : 1 / x <= g).
  { unfold g, blanket_mass; unfold Rdiv; rewrite Rmult_comm, <- T, <- total_scale; apply total_le; intros u.
    apply I; intros z; apply (Rmult_le_reg_l x); [lra|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; apply W. }
  assert (G1 : g <= 1) by (rewrite <- T; apply total_le; intros u; apply I).
  assert (Gp : 0 < g) by (eapply Rlt_le_trans; [|exact G]; apply Rdiv_lt_0_compat; lra).
  unfold blanket_law, rest_law; fold g; rewrite !mean_masses, !mass_masses by exact Hy.
  set (m := mass Nat.eq_dec (rows input) y); assert (Hm : least rows y <= m) by apply I.
  assert (E : g = 1 -> m = least rows y).
  { intros One; pose proof (mass_masses k (fun u => mass Nat.eq_dec (rows input) u - least rows u) y Hy) as M; cbv beta in M.
    apply Rle_antisym; [|exact Hm]; enough (m - least rows y <= 1 - g) by lra.
    rewrite <- T; unfold g, blanket_mass; fold m in M.
    rewrite <- M; unfold mass at 1, prob; rewrite mean_masses.
    eapply Rle_trans; [apply (total_le _ (fun u => mass Nat.eq_dec (rows input) u + -1 * least rows u))|].
    - intros u; unfold indicator; pose proof (proj1 (I u) input); destruct at_; lra.
    - rewrite total_plus, total_scale; right; ring. }
  assert (Z1 : 0 <= (m - least rows y) / (1 - g)).
  { destruct (Req_dec g 1) as [One|N]; [rewrite (E One), Rminus_diag_eq by reflexivity; unfold Rdiv; lra|].
    apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  repeat split; try exact Z1; try exact G.
  - destruct (Req_dec g 1) as [One|N]; [rewrite (E One), One; unfold Rdiv; rewrite Rinv_1; ring | field; lra].
  - apply Rmult_le_pos; [apply Z | now apply Rlt_le, Rinv_0_lt_compat].
  - rewrite (total_ext _ (fun u => / g * least rows u)) by (intros; unfold Rdiv; ring).
    rewrite total_scale; fold (blanket_mass k rows); fold g; field; lra.
  - destruct (Req_dec g 1) as [One|N]; [rewrite One; ring|].
    rewrite (total_ext _ (fun u => / (1 - g) * (mass Nat.eq_dec (rows input) u + -1 * least rows u)))
      by (intros; unfold Rdiv; ring).
    rewrite total_scale, total_plus, total_scale, T; fold (blanket_mass k rows); fold g; field; lra.
Qed.

(** ** The closed forms *)

Definition victim {X} (data : neighbors X) : X * X := (old data, new data).
Definition holds_variable {X} (rows : X -> law nat) (blanket : R * law nat) (data : neighbors X) (E width : R) : Prop :=
  exists low, forall y, is_sent blanket y -> low <= variable rows blanket (victim data) E y <= low + width.
Definition bounds_variable {X} (rows : X -> law nat) (blanket : R * law nat) (data : neighbors X) (E most : R) : Prop :=
  forall y, is_sent blanket y -> variable rows blanket (victim data) E y <= most.
Definition phi (u : R) : R := (1 + u) * ln (1 + u) - u.
Definition bennett_delta (n : nat) (gamma E b c : R) : R :=
  let u := (E - 1) * b / c in
  / (gamma * INR n) * binomial_total n (fun m => gamma ^ m * (1 - gamma) ^ (n - m) *
    match m with 0%nat => 0 | S _ => b / ln (1 + u) * exp (- (INR m * (c / b ^ 2) * phi u)) end).

Lemma exp_below_1 : exp (-1) <= 1.
Proof. rewrite <- exp_0; apply exp_le; lra. Qed.

(** The expectation of the reduction, term by term. *)
Lemma expectation_below {X} (k : nat) (rows : X -> law nat) x n gamma omega (data : neighbors X) E T :
  1 <= x -> rows_within x rows -> (1 <= n)%nat -> is_blanket rows (gamma, omega) -> length (data_of data) = n -> 1 <= E ->
  (forall m, blanket_excess (rows (old data)) (rows (new data)) omega E m <= T m) ->
  views_apart k rows data E
  <= / (gamma * INR n) * binomial_total n (fun m => gamma ^ m * (1 - gamma) ^ (n - m) * T m).
Proof.
  intros Hx W Hn B Hd HE H.
  pose proof (blanket_mass_below rows gamma omega x Hx W B (old data)) as G.
  eapply Rle_trans; [apply (balle2019_reduction rows n (gamma, omega) data E);
    [now apply (rows_within_private x) | assumption ..]|].
  apply Rmult_le_compat_l.
  - apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; [lra | apply lt_0_INR; lia].
  - apply binomial_total_le; intros m; apply Rmult_le_compat_l; [apply Rmult_le_pos; apply pow_le; lra | apply H].
Qed.

Theorem balle2019_hoeffding {X : Type} {k : nat} (exp_epsilon0 : R) (rows : X -> law nat) (n : nat)
    (blanket : R * law nat) (data : neighbors X) (exp_epsilon : R) (width : R) :
  1 < exp_epsilon0 -> rows_within exp_epsilon0 rows -> (1 <= n)%nat -> is_blanket rows blanket ->
  length (data_of data) = n -> 1 < exp_epsilon -> exp_epsilon < exp_epsilon0 ->
  0 < width /\ holds_variable rows blanket data exp_epsilon width ->
  views_apart k rows data exp_epsilon
  <= (((width ^ 2) / (4 * (exp_epsilon - 1))) * ((1 - ((fst blanket) * (1 - (exp (((- 2) * ((exp_epsilon - 1) ^ 2))
      / (width ^ 2)))))) ^ n)) / ((fst blanket) * (INR n)).
Proof.
  destruct blanket as [gamma omega]; intros Hx W Hn B Hd HE _ [Hw [low H]]; cbn [fst].
  apply Rlt_le in Hx; rename exp_epsilon0 into x, exp_epsilon into E; pose proof (proj1 W) as L.
  pose proof (blanket_dominates rows gamma omega x Hx W B) as D.
  pose proof (blanket_mass_below rows gamma omega x Hx W B (old data)) as G.
  assert (0 < INR n) by (apply lt_0_INR; lia); assert (Hw2 : 0 < width ^ 2) by (apply pow_lt; exact Hw).
  set (q := exp (- (2 * (E - 1) ^ 2 / width ^ 2))); set (b := width ^ 2 / (4 * (E - 1))).
  assert (Hb : 0 < b) by (apply Rdiv_lt_0_compat; lra).
  eapply Rle_trans; [apply (expectation_below k rows x n gamma omega data E (fun m => b * q ^ m)); try assumption; try lra|].
  - intros m; eapply Rle_trans; [apply (excess_hoeffding _ _ _ _ low width m); try apply B; try apply L; try apply D; assumption|].
    fold q b; apply Rmult_le_compat_r; [apply pow_le, Rlt_le, exp_pos|].
    pose proof exp_below_1; assert (exp (-1) * b <= 1 * b) by (apply Rmult_le_compat_r; lra); lra.
  - replace (- 2 * (E - 1) ^ 2 / width ^ 2) with (- (2 * (E - 1) ^ 2 / width ^ 2)) by (field; lra); fold q.
    rewrite <- binomial_powers; unfold binomial_total.
    rewrite (total_ext _ (fun m => b * (bin n m * (gamma ^ m * (1 - gamma) ^ (n - m) * q ^ m)))) by (intros; ring).
    rewrite total_scale; right; unfold Rdiv; ring.
Qed.

Theorem balle2019_bennett {X : Type} {k : nat} (exp_epsilon0 : R) (rows : X -> law nat) (n : nat)
    (blanket : R * law nat) (data : neighbors X) (exp_epsilon : R) (maximum : R) (second_moment : R) :
  1 < exp_epsilon0 -> rows_within exp_epsilon0 rows -> (1 <= n)%nat -> is_blanket rows blanket ->
  length (data_of data) = n -> 1 < exp_epsilon -> exp_epsilon < exp_epsilon0 ->
  0 < maximum /\ bounds_variable rows blanket data exp_epsilon maximum ->
  moment rows blanket (victim data) exp_epsilon 2 <= second_moment ->
  views_apart k rows data exp_epsilon <= bennett_delta n (fst blanket) exp_epsilon maximum second_moment.
Proof.
  destruct blanket as [gamma omega]; intros Hx W Hn B Hd HE _ [Hb H] C; cbn [fst]; unfold bennett_delta.
  apply Rlt_le in Hx; rename exp_epsilon0 into x, exp_epsilon into E, maximum into b, second_moment into c.
  pose proof (proj1 W) as L; pose proof (blanket_dominates rows gamma omega x Hx W B) as D.
  (* E[L^2] is at least (1 - E)^2 > 0. *)
  assert (Hc : 0 < c).
  { eapply Rlt_le_trans; [|exact C]; destruct B as ([N One] & _ & _); unfold moment; cbn [snd].
    pose proof (amplification_mean _ _ omega E (L (old data)) (L (new data)) (D _) (D _)) as M.
    apply Rlt_le_trans with (mean (fun y => 2 * (1 - E) * amplification (rows (old data)) (rows (new data)) omega E y
      + - (1 - E) ^ 2) omega).
    - rewrite mean_plus, mean_scale, M, (mean_constant omega _ (conj N One)); nra.
    - apply mean_le; [exact N|]; intros y; unfold variable, victim; cbn [fst snd].
      set (l := amplification _ _ _ _ _); pose proof (pow2_ge_0 (l - (1 - E))); nra. }
  set (u := (E - 1) * b / c); assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (Hl : 0 < ln (1 + u)) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply (expectation_below k rows x n gamma omega data E (fun m => match m with 0%nat => 0 | S _ => b / ln (1 + u) * exp (- (INR m * (c / b ^ 2) * phi u)) end)); try assumption; try lra; intros [|m].
  - unfold blanket_excess, positive_part; cbn; rewrite Rmax_left; lra.
  - eapply Rle_trans; [apply (excess_bennett _ _ _ _ b c (S m)); try apply B; try apply L; try apply D; assumption|].
    fold u; rewrite exp_power; fold (phi u).
    replace (INR (S m) * - (c / b ^ 2 * phi u)) with (- (INR (S m) * (c / b ^ 2) * phi u)) by ring.
    apply Rmult_le_compat_r; [apply Rlt_le, exp_pos|].
    assert (0 < b / ln (1 + u)) by now apply Rdiv_lt_0_compat.
    pose proof exp_below_1; assert (exp (-1) * (b / ln (1 + u)) <= 1 * (b / ln (1 + u))) by (apply Rmult_le_compat_r; lra); lra.
Qed.

(** ** k-ary randomized response *)

Definition told_apart (k : nat) (gamma : R) (data : neighbors nat) (E : R) : R :=
  hockey_stick same_counts (view k (map (told k gamma) (data_of data))) (view k (map (told k gamma) (changed_data data))) E.

Theorem balle2019_k_rr (k : nat) (n : nat) (epsilon : R) (delta : R) (gamma : R) (data : neighbors nat) :
  (1 <= k)%nat -> (2 <= n)%nat -> 0 < epsilon -> epsilon <= 1 -> 0 < delta -> delta <= 1 -> gamma < 1 ->
  length (data_of data) = n /\ Forall (fun z => (z < k)%nat) (new data :: data_of data) ->
  Rmax (((14 * (INR k)) * (ln (2 / delta))) / (((INR n) - 1) * (epsilon ^ 2)))
    (((27 * (INR k)) / (((INR n) - 1) * epsilon))) <= gamma ->
  told_apart k gamma data (exp epsilon) <= delta.
Proof.
  intros Hk Hn He He1 Hd Hd1 Hg [Hl HF] HM; unfold told_apart; set (others := left data ++ right data).
  assert (N : INR (length others) = INR n - 1).
  { replace (length others) with (n - 1)%nat by (rewrite <- Hl; unfold others, data_of; rewrite !app_length; cbn; lia).
    rewrite minus_INR by lia; cbn; ring. }
  assert (Pn : 0 < INR n - 1) by (apply (lt_INR 1) in Hn; cbn in Hn; lra).
  assert (Pk : 0 < INR k) by (apply lt_0_INR; lia).
  pose proof (Rle_trans _ _ _ (Rmax_l _ _) HM) as H14; pose proof (Rle_trans _ _ _ (Rmax_r _ _) HM) as H27.
  assert (V : forall x f, mean f (view k (map (told k gamma) (left data ++ x :: right data)))
    = mean f (view k (told k gamma x :: map (told k gamma) others))).
  { intros x f; apply view_permutation; rewrite <- (map_cons (told k gamma)); apply Permutation_map.
    symmetry; apply Permutation_middle. }
  unfold data_of, changed_data; rewrite (hockey_stick_ext _ _ _ _ _ _ (V _) (V _)).
  apply Forall_cons_iff in HF as [Hnew HF].
  assert (Hold : (old data < k)%nat) by (apply (proj1 (Forall_forall _ _) HF); unfold data_of; apply in_elt).
  assert (Up : forall a b, a / ((INR n - 1) * b) <= gamma -> 0 < b -> a / (INR k * b) <= (INR n - 1) * gamma / INR k).
  { intros a b H Hb; apply (Rmult_le_compat_l ((INR n - 1) / INR k)) in H.
    - replace ((INR n - 1) / INR k * (a / ((INR n - 1) * b))) with (a / (INR k * b)) in H by (field; lra).
      replace ((INR n - 1) / INR k * gamma) with ((INR n - 1) * gamma / INR k) in H by (field; lra); exact H.
    - apply Rlt_le, Rdiv_lt_0_compat; lra. }
  assert (G : 0 <= gamma).
  { eapply Rle_trans; [|exact H27]; apply Rlt_le, Rdiv_lt_0_compat; apply Rmult_lt_0_compat; lra. }
  assert (0 < epsilon ^ 2) by (apply pow_lt; exact He).
  apply Rle_trans with (delta / 2); [|lra]; apply k_rr_hidden; try assumption; try (split; lra); rewrite N.
  - replace (14 * ln (2 / delta) / epsilon ^ 2) with (14 * INR k * ln (2 / delta) / (INR k * epsilon ^ 2)) by (field; lra).
    apply Up; lra.
  - replace (27 / epsilon) with (27 * INR k / (INR k * epsilon)) by (field; lra).
    apply Up; lra.
Qed.
