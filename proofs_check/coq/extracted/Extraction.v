(** * The extraction of the checkers to OCaml

    [Z], [positive], [N] and [nat] become zarith's integers, which have no bounds; lists, options,
    pairs and booleans become OCaml's. Trusted besides Coq's extraction: the mappings of Coq's own
    ExtrOcamlZBigInt and ExtrOcamlNatBigInt, and each line below, that the function of integers.ml
    computes the one of Coq's. *)

From Coq Require Import ZArith.
From Flocq Require Import Core.Digits Core.Zaux.
From Interval.Float Require Import Specific_stdz.
Require Import Checker Proofs Cards.
Require Import ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatBigInt.

(* Used by proofs about reals alone; no computation of the checker reaches it. *)
Extract Constant ClassicalDedekindReals.sig_forall_dec => "(fun _ -> assert false)".

(* The cases of a positive number: 2 p + 1, 2 p, 1. *)
Extract Inductive positive => "Big_int_Z.big_int"
  [ "Integers.double_and_one" "Integers.double" "Big_int_Z.unit_big_int" ] "Integers.by_last_bit".

Extract Constant Pos.size => "Integers.bit_length".
Extract Constant Digits.digits2_pos => "Integers.bit_length".
Extract Constant Z.square => "Integers.square".
Extract Constant Z.sqrtrem => "Integers.sqrtrem".
Extract Constant Zfast_div_eucl => "Integers.div_eucl".
Extract Constant Z.log2 => "Integers.log2".
Extract Constant Z.ggcd => "Integers.ggcd".
Extract Constant Z.pow => "Integers.power".
Extract Constant Z.div_eucl => "Integers.div_eucl".
Extract Constant Z.div => "Integers.div".
Extract Constant Z.modulo => "Integers.modulo".

(* CoqInterval's mantissas, which go bit by bit. *)
Extract Constant StdZRadix2.mantissa_digits => "Integers.bit_length".
Extract Constant StdZRadix2.mantissa_shl => "Integers.shift_left".
Extract Constant StdZRadix2.mantissa_shr =>
  "(fun m d p -> Integers.shift_right ~eq:Pos_Eq ~lo:Pos_Lo ~mi:Pos_Mi ~up:Pos_Up m d p)".

Extraction "checked_in_coq.ml" checker proof_checker card_checker assumed.
