(** * Claims about the privacy blanket

    Statements exported from the catalog's claims, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Lemmas Blanket Claims VariationRatio.
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
