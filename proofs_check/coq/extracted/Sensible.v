(** * What has a meaning

    Coq's operations are total; FORMAT.md's are not. [sensible] says which terms are defined. Who
    trusts the extracted program reads these definitions. *)

From Coq Require Import Reals List ZArith.
Require Import Certificate.
Import ListNotations.
Open Scope R_scope.

Definition is_integer (x : R) : Prop := exists n, x = IZR n.

Definition function_is_defined (f : function) (x : R) : Prop :=
  match f with Log => 0 < x | Sqrt => 0 <= x | _ => True end.
Definition operation_is_defined (o : operation) (x y : R) : Prop :=
  match o with
  | Div => y <> 0
  | Pow => is_integer y /\ (y < 0 -> x <> 0)
  | Binom => is_integer x /\ is_integer y
  | _ => True
  end.

(** A column is of zeros, or its least entry is not 0. *)
Definition ratio_is_defined (M : matrix) : Prop :=
  Forall (fun j => column_max j M = 0 \/ column_min j M <> 0) (seq 0 (length (nth 0 M []))).

(** Every part is defined; of a [When] the part that counts. *)
Fixpoint sensible (s : world R pair) (t : term) : Prop :=
  match t with
  | Int _ | Ratio _ _ | Pi => True
  | Var i => (i < length (terms s))%nat
  | Apply f t => sensible s t /\ function_is_defined f (denote s t)
  | Op o t u =>
    sensible s t /\ sensible s u /\ operation_is_defined o (denote s t) (denote s u)
  | Sum lo hi body =>
    sensible s lo /\ sensible s hi /\ is_integer (denote s lo) /\ is_integer (denote s hi) /\
    Forall (fun i => sensible (with_term s (IZR i)) body)
      (whole_numbers (Int_part (denote s lo)) (Int_part (denote s hi)))
  | When r a b t u =>
    sensible s a /\ sensible s b /\
    if decide r (denote s a) (denote s b) then sensible s t else sensible s u
  | Divergence p t => (p < length (pairs s))%nat /\ sensible s t /\ 0 <= denote s t
  | Distance p => (p < length (pairs s))%nat
  | EventP p A | EventQ p A => (p < length (pairs s))%nat /\ NoDup A
  | Entry m i j => exists M row,
    nth_error (matrices s) m = Some M /\ nth_error M i = Some row /\ (j < length row)%nat
  | RowSum m i => exists M row, nth_error (matrices s) m = Some M /\ nth_error M i = Some row
  | LdpRatio m => exists M, nth_error (matrices s) m = Some M /\ ratio_is_defined M
  end.
