(** * What Erlingsson et al. 2019 claims and nobody has proved here

    Each is a claim of its catalog as a statement in Coq, without a proof. *)

From Coq Require Import Reals List Lia ZArith Bool.
Require Import ExactDP Longitudinal ClaimsErlingsson2019Mean.
Import ListNotations.
Open Scope R_scope.

(** T[h, j], the sum of what all clients report at level h for the j-th interval of 2^(h - 1) periods. *)
Definition node_sum (node : nat * nat) (out : list (list report)) : R :=
  total (map (reported (fst node) (snd node)) (concat out)).
Definition tree_nodes (d : nat) : list (nat * nat) :=
  flat_map (fun h => map (pair h) (seq 1 (d / 2 ^ (h - 1)))) (seq 1 (Nat.log2 d + 1)).
Definition is_far (P : law (list (list report))) (allowed : R) (out : list (list report)) (node : nat * nat) : bool :=
  if Rle_dec (Rabs (node_sum node out - mean (node_sum node) P)) allowed then false else true.

(** Theorem 6, proof: the union bound over all nodes, for beta = 1/3 and eps <= 1, y = e^(eps/2). Missing: Bernstein's
    inequality for the sum at a node, which is enough for all nodes at once if n is about (log2 d)^2 or more; for fewer users
    that of the number of clients at a level, as the failures of the nodes alone add up to more than 1. *)
Definition gap_erlingsson2019_union_bound : Prop :=
  forall (d k : nat) (y : R) (clients : list (list Z)),
  (exists L, (1 <= L)%nat /\ d = (2 ^ L)%nat) -> (1 <= k)%nat -> 1 < y <= exp (1 / 2) -> clients <> [] ->
  Forall (input d k) clients ->
  let P := messages (map (client d k y) clients) in
  let n := INR (length clients) in
  let allowed := (y + 1) / (y - 1) * sqrt (n * ln (2 * INR d / (1 / 3)) / INR (Nat.log2 d)) in
  prob (fun out => existsb (is_far P allowed out) (tree_nodes d)) P <= 1 / 3.
