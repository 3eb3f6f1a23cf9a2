(** * What Liu et al. 2024 claims and nobody has proved here

    Each is a claim of its catalog as a statement in Coq, without a proof. *)

Set Warnings "-ambiguous-paths".
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals List Lra.
Open Scope R_scope.

(** Densities of noise of scale s around 0. *)
Definition laplace_density (s t : R) : R := exp (- Rabs t / s) / (2 * s).
Definition gaussian_density (s t : R) : R := exp (- (t / s) ^ 2 / 2) / (s * sqrt (2 * PI)).

(** The mass that user i with input x puts where the victim with input v is likelier than the user, and than with v'. *)
Definition confounded (victim user : R -> R) (v v' x y : R) : R :=
  if Rlt_dec (victim (y - v')) (victim (y - v)) then
    if Rlt_dec (user (y - x)) (victim (y - v)) then user (y - x) else 0
  else 0.
Definition integral_is (f : R -> R) (m : R) : Prop :=
  is_RInt_gen (V := R_NormedModule) f (Rbar_locally m_infty) (Rbar_locally p_infty) m.
Definition least_is (victim user : R -> R) (x m : R) : Prop :=
  exists a b, integral_is (confounded victim user 0 1 x) a /\ integral_is (confounded victim user 1 0 x) b /\ m = Rmin a b.

(** Section 3.2.2: p_i is smallest at the ends, for noise of a larger scale than the victim's. Missing: the two regions as
    intervals, and that the mass of a shifted density over them has no smaller value inside than at 0. *)
Definition gap_liu2024_endpoints : Prop :=
  forall (density : R -> R -> R) (scale ratio x m m_0 : R),
  density = laplace_density \/ density = gaussian_density -> 0 < scale -> 1 < ratio -> 0 <= x <= 1 ->
  least_is (density scale) (density (scale * ratio)) x m -> least_is (density scale) (density (scale * ratio)) 0 m_0 ->
  m_0 <= m.
