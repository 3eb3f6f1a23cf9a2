(** * A record replaced in a Poisson sample

    The theorem is a claim of the lemmas' catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List.
Require Import Replaced.
Open Scope R_scope.

Theorem lemmas_poisson_substitution (noise : list R) (c : nat) (place : nat) (other_place : nat) (rate : R) (gamma : R) :
  is_noise noise -> (place <= (2 * c))%nat -> (other_place <= (2 * c))%nat -> 0 <= rate -> rate <= 1 -> 0 <= gamma ->
  replaced_apart noise c place other_place rate gamma <= replaced_apart noise c (2 * c) 0 rate gamma.
Proof. intros; now apply replaced_in_sample. Qed.
