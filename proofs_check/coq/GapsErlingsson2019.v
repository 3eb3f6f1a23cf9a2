(** * What Erlingsson et al. 2019 claims and nobody has proved here

    Each is a claim of its catalog as a statement in Coq, without a proof. *)

From Coq Require Import Reals List Lia.
Require Import ExactDP Composition Blanket Letters Clones.
Import ListNotations.
Open Scope R_scope.

(** A_post: the randomizers see all earlier outcomes; then all outcomes are put in a uniformly random order. *)
Definition posted {X A} (Ks : list (list A -> X -> law A)) (data : list X) : law (list A) :=
  bind (run (on_data Ks data) []) permuted.

(** Two pasts of j outcomes, the last one first, are the same at all positions outside of a set. *)
Definition agree_outside {A} (inside : nat -> bool) (j : nat) (past past' : list A) : Prop :=
  length past = j /\ length past' = j /\
  forall i, (i < j)%nat -> inside i = false -> nth_error past (j - 1 - i) = nth_error past' (j - 1 - i).

(** Corollary 9 with the hypothesis that no randomizer outside of S depends on an outcome in S: those in S are the same
    whatever came between, those outside look at no outcome in S, and the data differ at an index in S. *)
Definition gap_erlingsson2019_repair_corollary_9 : Prop :=
  forall (A X : Type) (same : forall x y : A, {x = y} + {x <> y}) (Ks : list (list A -> X -> law A))
    (inside : nat -> bool) (before after : list X) (x0 x1 : X) (eps0 d : R),
  let n := length Ks in let m := length (filter inside (seq 0 n)) in
  length (before ++ x0 :: after) = n -> inside (length before) = true ->
  Forall (private_after same eps0) Ks ->
  (forall i j K L past z f, (i < j)%nat -> inside i = true -> inside j = true ->
    nth_error Ks i = Some K -> nth_error Ks j = Some L -> length past = j ->
    mean f (K (skipn (j - i) past) z) = mean f (L past z)) ->
  (forall j K past past' z f, inside j = false -> nth_error Ks j = Some K -> agree_outside inside j past past' ->
    mean f (K past z) = mean f (K past' z)) ->
  (1000 <= m)%nat -> 0 < eps0 -> eps0 < 1 / 2 -> 0 < d -> d < 1 / 100 ->
  hockey_stick (list_eq_dec same) (posted Ks (before ++ x0 :: after)) (posted Ks (before ++ x1 :: after))
    (exp (12 * eps0 * sqrt (ln (1 / d) / INR m))) <= d.
