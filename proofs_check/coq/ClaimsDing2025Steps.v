(** * Ding, Lu, Yang and Zhang (2025): the displays in the proof of Lemma 1

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra.
Open Scope R_scope.

(** Minima and maxima are linear on each order of the four values. *)
Ltac in_every_order :=
  intros; unfold Rmin, Rmax; repeat split;
  repeat first [destruct Req_EM_T | destruct Rlt_dec | destruct Rle_dec]; lra.

Theorem ding2025_bullet_1 (F_i_x : R) (F_i_x_dx : R) (F_j_x : R) (F_j_x_dx : R) : 0 <= F_i_x -> F_i_x <= 1
    -> F_i_x <= F_i_x_dx -> F_i_x_dx <= 1 -> 0 <= F_j_x -> F_j_x <= 1 -> F_j_x <= F_j_x_dx -> F_j_x_dx <=
    1 -> (if Req_EM_T F_i_x F_j_x then (Rmin F_i_x F_j_x_dx) else (Rmin F_i_x F_j_x)) = Rmin F_i_x F_j_x
    /\ (if Req_EM_T F_i_x F_j_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x
    F_j_x_dx)) + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x))) = (Rmin
    F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x) /\ (if Req_EM_T F_i_x F_j_x then ((Rmin F_i_x_dx F_j_x_dx)
    - (Rmin F_i_x_dx F_j_x)) else 0) >= 0.
Proof. in_every_order. Qed.

Theorem ding2025_bullet_2 (F_i_x : R) (F_i_x_dx : R) (F_j_x : R) (F_j_x_dx : R) : 0 <= F_i_x -> F_i_x <= 1
    -> F_i_x <= F_i_x_dx -> F_i_x_dx <= 1 -> 0 <= F_j_x -> F_j_x <= 1 -> F_j_x <= F_j_x_dx -> F_j_x_dx <=
    1 -> (if Rlt_dec F_j_x F_i_x then (Rmin F_i_x_dx F_j_x) else (Rmin F_i_x F_j_x)) = Rmin F_i_x F_j_x /\
    (if Rlt_dec F_j_x F_i_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x
    F_j_x_dx)) + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x F_j_x_dx))) = (Rmin
    F_i_x_dx F_j_x_dx) - (Rmin F_i_x F_j_x_dx) /\ (if Rle_dec F_j_x_dx F_i_x then ((if Rlt_dec F_j_x F_i_x
    then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx)) + (Rmin F_i_x
    F_j_x)) else (0 * F_i_x))) else (0 * F_i_x)) = 0 * F_i_x /\ (if Rlt_dec F_i_x F_j_x_dx then ((if
    Rlt_dec F_j_x F_i_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx))
    + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx F_j_x_dx) - F_i_x))) else ((Rmin F_i_x_dx F_j_x_dx) -
    F_i_x)) = (Rmin F_i_x_dx F_j_x_dx) - F_i_x /\ (if Rlt_dec F_i_x F_j_x_dx then ((if Rlt_dec F_j_x F_i_x
    then ((Rmin F_i_x_dx F_j_x_dx) - F_i_x) else 0)) else 0) >= 0.
Proof. in_every_order. Qed.

Theorem ding2025_bullet_3 (F_i_x : R) (F_i_x_dx : R) (F_j_x : R) (F_j_x_dx : R) : 0 <= F_i_x -> F_i_x <= 1
    -> F_i_x <= F_i_x_dx -> F_i_x_dx <= 1 -> 0 <= F_j_x -> F_j_x <= 1 -> F_j_x <= F_j_x_dx -> F_j_x_dx <=
    1 -> (if Rlt_dec F_i_x F_j_x then (Rmin F_i_x F_j_x_dx) else (Rmin F_i_x F_j_x)) = Rmin F_i_x F_j_x.
Proof. in_every_order. Qed.

Theorem ding2025_repair_bullet_3 (F_i_x : R) (F_i_x_dx : R) (F_j_x : R) (F_j_x_dx : R) : 0 <= F_i_x ->
    F_i_x <= 1 -> F_i_x <= F_i_x_dx -> F_i_x_dx <= 1 -> 0 <= F_j_x -> F_j_x <= 1 -> F_j_x <= F_j_x_dx ->
    F_j_x_dx <= 1 -> (if Rlt_dec F_i_x F_j_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) -
    (Rmin F_i_x F_j_x_dx)) + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)))
    = (Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x) /\ (if Rle_dec F_i_x_dx F_j_x then ((if Rlt_dec
    F_i_x F_j_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx)) + (Rmin
    F_i_x F_j_x)) else (0 * F_i_x))) else (0 * F_i_x)) = 0 * F_i_x /\ (if Rlt_dec F_j_x F_i_x_dx then ((if
    Rlt_dec F_i_x F_j_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx))
    + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx F_j_x_dx) - F_j_x))) else ((Rmin F_i_x_dx F_j_x_dx) -
    F_j_x)) = (Rmin F_i_x_dx F_j_x_dx) - F_j_x /\ (if Rlt_dec F_j_x F_i_x_dx then ((if Rlt_dec F_i_x F_j_x
    then ((Rmin F_i_x_dx F_j_x_dx) - F_j_x) else 0)) else 0) >= 0.
Proof. in_every_order. Qed.

Theorem ding2025_repair_support (F_i_x : R) (F_i_x_dx : R) (F_j_x : R) (F_j_x_dx : R) : 0 <= F_i_x ->
    F_i_x <= 1 -> F_i_x <= F_i_x_dx -> F_i_x_dx <= 1 -> 0 <= F_j_x -> F_j_x <= 1 -> F_j_x <= F_j_x_dx ->
    F_j_x_dx <= 1 -> (if Rle_dec F_j_x F_i_x_dx then ((if Rle_dec F_i_x F_j_x_dx then ((((Rmin F_i_x_dx
    F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx)) + (Rmin F_i_x F_j_x)) else ((Rmin F_i_x_dx
    F_j_x_dx) - (Rmax F_i_x F_j_x)))) else ((Rmin F_i_x_dx F_j_x_dx) - (Rmax F_i_x F_j_x))) = (Rmin
    F_i_x_dx F_j_x_dx) - (Rmax F_i_x F_j_x) /\ (if Rle_dec F_j_x F_i_x_dx then ((if Rle_dec F_i_x F_j_x_dx
    then ((Rmin F_i_x_dx F_j_x_dx) - (Rmax F_i_x F_j_x)) else 0)) else 0) >= 0 /\ (if Rlt_dec F_j_x_dx
    F_i_x then ((((Rmin F_i_x_dx F_j_x_dx) - (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx)) + (Rmin F_i_x
    F_j_x)) else (0 * F_i_x)) = 0 * F_i_x /\ (if Rlt_dec F_i_x_dx F_j_x then ((((Rmin F_i_x_dx F_j_x_dx) -
    (Rmin F_i_x_dx F_j_x)) - (Rmin F_i_x F_j_x_dx)) + (Rmin F_i_x F_j_x)) else (0 * F_i_x)) = 0 * F_i_x.
Proof. in_every_order. Qed.
