(** * Random allocation beside Poisson sampling

    One of t steps, uniformly random, sees the record: its outcome is drawn from P, all others from Q. In the mean as
    many steps see it as if each did with probability 1/t, independently; but it may show more.

    Source: Feldman, Shenfeld 2025 (privacy amplification by random allocation); the example is computed here. *)

From Coq Require Import Reals List Lra.
Require Import ExactDP Sampling Swapping Meanings.
Import ListNotations.
Open Scope R_scope.

Definition allocated {A} (P Q : law A) (t : nat) : law (list A) :=
  bind (uniform t) (fun j => messages (map (fun i => if (i =? j)%nat then P else Q) (seq 0 t))).
Definition coin (p : R) : law nat := [(0%nat, p); (1%nat, 1 - p)].

(** Two steps, of which the record raises the chance of 0 from 1/5 to 3/5: 8/25 at eps = 0, and not 7/25. *)
Theorem allocation_above_poisson :
  let P := coin (3 / 5) in let Q := coin (1 / 5) in
  let stick := hockey_stick (list_eq_dec Nat.eq_dec) in
  stick (messages (repeat (mixture (1 / 2) Q P) 2)) (messages (repeat Q 2)) 1
  < stick (allocated P Q 2) (messages (repeat Q 2)) 1.
Proof.
  cbv zeta; apply Rlt_trans with (3 / 10).
  - apply Rle_lt_trans with (7 / 25); [right|lra]; unfold coin; computed.
  - apply Rlt_le_trans with (8 / 25); [lra|right]; symmetry; unfold coin; computed.
Qed.
