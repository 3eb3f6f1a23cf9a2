(** * Claims about numbers: a program that decides them, and the proof that it is right

    A claim about numbers compares terms of real variables, each in a range that terms of earlier
    ones end. In its proof every variable is written with slacks that are at least 0 ([from], [upto],
    [between], [signed]); a term is then a quotient of polynomials in these, positive parts being
    resolved by the signs that are shown; and a relation holds if coefficients have one sign, after
    multiples of hypotheses, and in each of two cases ([decided]). [shown] is what the files that
    `exactdp export coq-claims` writes apply. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

(** ** Polynomials in the slacks, in order *)

Definition monomial := list nat.
Definition polynomial := list (Z * monomial).

Fixpoint power_of (r : list R) (m : monomial) : R :=
  match m with [] => 1 | k :: m => hd 1 r ^ k * power_of (tl r) m end.
Fixpoint value (r : list R) (p : polynomial) : R :=
  match p with [] => 0 | (c, m) :: p => IZR c * power_of r m + value r p end.

Fixpoint times (a b : monomial) : monomial :=
  match a, b with j :: a, k :: b => (j + k)%nat :: times a b | [], b => b | a, [] => a end.
Fixpoint compared (a b : monomial) : comparison :=
  match a, b with
  | [], [] => Datatypes.Eq
  | [], _ => Datatypes.Lt
  | _, [] => Datatypes.Gt
  | j :: a, k :: b => match (j ?= k)%nat with Datatypes.Eq => compared a b | c => c end
  end.
Fixpoint insert (c : Z) (m : monomial) (p : polynomial) : polynomial :=
  match p with
  | [] => [(c, m)]
  | (d, n) :: q =>
    match compared m n with
    | Datatypes.Eq => if (c + d =? 0)%Z then q else ((c + d)%Z, n) :: q
    | Datatypes.Lt => (c, m) :: p
    | Datatypes.Gt => (d, n) :: insert c m q
    end
  end.
Definition add (p q : polynomial) : polynomial :=
  fold_right (fun x => insert (fst x) (snd x)) q p.
Definition scaled (c : Z) (m : monomial) (p : polynomial) : polynomial :=
  map (fun x => ((c * fst x)%Z, times m (snd x))) p.
Definition negated : polynomial -> polynomial := scaled (-1) [].
Definition mul (p q : polynomial) : polynomial :=
  fold_right (fun x => add (scaled (fst x) (snd x) q)) [] p.
Definition constant (c : Z) : polynomial := if (c =? 0)%Z then [] else [(c, [])].
Definition slack (i : nat) : polynomial := [(1%Z, repeat 0%nat i ++ [1%nat])].
Fixpoint to_the (p : polynomial) (n : nat) : polynomial :=
  match n with O => constant 1 | S n => mul p (to_the p n) end.

Lemma power_of_times r a b : power_of r (times a b) = power_of r a * power_of r b.
Proof.
  revert r b; induction a as [|j a IH]; intros r [|k b]; cbn; try lra.
  rewrite IH, pow_add; ring.
Qed.

Lemma compared_equal a b : compared a b = Datatypes.Eq -> a = b.
Proof.
  revert b; induction a as [|j a IH]; intros [|k b]; cbn; try discriminate; [easy|].
  destruct (Nat.compare_spec j k) as [->| |]; try discriminate; intros H; f_equal; auto.
Qed.

Lemma value_insert r c m p : value r (insert c m p) = IZR c * power_of r m + value r p.
Proof.
  induction p as [|[d n] p IH]; cbn; [lra|].
  destruct (compared m n) eqn:E; cbn; [|lra | rewrite IH; lra].
  apply compared_equal in E as ->.
  destruct (Z.eqb_spec (c + d) 0) as [E|E]; cbn; [|rewrite plus_IZR; lra].
  apply IZR_eq in E; rewrite plus_IZR in E; nra.
Qed.

Lemma value_add r p q : value r (add p q) = value r p + value r q.
Proof. induction p as [|[c m] p IH]; cbn; [lra|]; fold (add p q); rewrite value_insert, IH; cbn; lra. Qed.

Lemma value_scaled r c m p : value r (scaled c m p) = IZR c * power_of r m * value r p.
Proof.
  induction p as [|[d n] p IH]; cbn; [lra|].
  fold (scaled c m p); rewrite IH, power_of_times, mult_IZR; lra.
Qed.

Lemma value_negated r p : value r (negated p) = - value r p.
Proof. unfold negated; rewrite value_scaled; cbn; lra. Qed.

Lemma value_mul r p q : value r (mul p q) = value r p * value r q.
Proof.
  induction p as [|[c m] p IH]; cbn; [lra|].
  fold (mul p q); rewrite value_add, value_scaled, IH; lra.
Qed.

Lemma value_constant r c : value r (constant c) = IZR c.
Proof. unfold constant; destruct (Z.eqb_spec c 0) as [->|]; cbn; lra. Qed.

Lemma value_slack r i : value r (slack i) = nth i r 1.
Proof.
  unfold slack; cbn.
  enough (E : power_of r (repeat 0%nat i ++ [1%nat]) = nth i r 1) by (rewrite E; lra).
  revert r; induction i as [|i IH]; intros [|x r]; cbn; rewrite ?IH; try lra.
  destruct i; cbn; lra.
Qed.

Lemma value_to_the r p n : value r (to_the p n) = value r p ^ n.
Proof. induction n as [|n IH]; cbn; [lra | now rewrite value_mul, IH]. Qed.

(** ** Where the slacks are: at least 0, or above 0; two of a pair sum to 1 *)

Definition inside (open : list bool) (pairs : list nat) (r : list R) : Prop :=
  Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) open r /\
  Forall (fun j => nth j r 1 + nth (S j) r 1 = 1) pairs.

(** Multiplied by sums of pairs, so that all monomials have the same degree in each pair: two
    polynomials that agree wherever the pairs sum to 1 become the same. *)
Definition degree (j : nat) (m : monomial) : nat := (nth j m 0 + nth (S j) m 0)%nat.
Definition raised (j : nat) (p : polynomial) : polynomial :=
  let d := fold_right (fun x => Nat.max (degree j (snd x))) 0%nat p in
  fold_right (fun x => add (mul [x] (to_the (add (slack j) (slack (S j))) (d - degree j (snd x))))) [] p.
Definition normal (pairs : list nat) (p : polynomial) : polynomial := fold_right raised p pairs.

Lemma value_raised r j p : nth j r 1 + nth (S j) r 1 = 1 -> value r (raised j p) = value r p.
Proof.
  intros E; unfold raised; generalize (fold_right (fun x => Nat.max (degree j (snd x))) 0%nat p).
  intros d; induction p as [|[c m] p IH]; [easy|]; cbn [fold_right].
  rewrite value_add, IH, value_mul, value_to_the, value_add, !value_slack, E, pow1; cbn; lra.
Qed.

Lemma value_normal open pairs r p : inside open pairs r -> value r (normal pairs p) = value r p.
Proof.
  intros [_ H]; induction H as [|j pairs E _ IH]; [easy|]; cbn [normal fold_right].
  now rewrite value_raised.
Qed.

Definition is_zero (pairs : list nat) (p : polynomial) : bool :=
  match normal pairs p with [] => true | _ => false end.
Definition no_negative (p : polynomial) : bool := forallb (fun x => (0 <=? fst x)%Z) p.
Fixpoint only_open (open : list bool) (m : monomial) : bool :=
  match m with [] => true | k :: m => ((k =? 0)%nat || hd true open) && only_open (tl open) m end.
Fixpoint opened (j : nat) (open : list bool) : list bool :=
  match open, j with [], _ => [] | _ :: o, O => true :: o | b :: o, S j => b :: opened j o end.
(** Of each pair one is above 0: in every such case a monomial is. *)
Fixpoint has_positive (open : list bool) (pairs : list nat) (p : polynomial) : bool :=
  match pairs with
  | [] => existsb (fun x => (0 <? fst x)%Z && only_open open (snd x)) p
  | j :: pairs => has_positive (opened j open) pairs p && has_positive (opened (S j) open) pairs p
  end.

Lemma is_zero_means open pairs r p : inside open pairs r -> is_zero pairs p = true -> value r p = 0.
Proof.
  unfold is_zero; intros I E; rewrite <- (value_normal _ _ _ p I).
  destruct (normal pairs p); [easy | discriminate].
Qed.

Lemma power_of_pos open r m : Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) open r ->
  0 <= power_of r m /\ (only_open open m = true -> 0 < power_of r m).
Proof.
  intros F; revert open r F; induction m as [|k m IH]; intros open r F; cbn; [lra|].
  assert (0 <= hd 1 r /\ (hd true open = true -> 0 < hd 1 r) /\
    Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) (tl open) (tl r)) as (A & B & C).
  { destruct F as [|b x open r H F]; cbn; [repeat split; try constructor; lra|].
    destruct b; repeat split; try easy; lra. }
  destruct (IH _ _ C) as [P Q]; split.
  - apply Rmult_le_pos; [now apply pow_le | easy].
  - intros H; apply andb_true_iff in H as [H H']; apply Rmult_lt_0_compat; [|now apply Q].
    apply orb_true_iff in H as [H|H]; [apply Nat.eqb_eq in H as ->; cbn; lra | apply pow_lt; auto].
Qed.

Lemma no_negative_means open pairs r p : inside open pairs r -> no_negative p = true -> 0 <= value r p.
Proof.
  intros [F _] H; induction p as [|[c m] p IH]; cbn in *; [lra|].
  apply andb_true_iff in H as [H H']; apply Z.leb_le, IZR_le in H.
  destruct (power_of_pos _ _ m F) as [A _]; specialize (IH H'); nra.
Qed.

Lemma opened_means j open r : Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) open r ->
  0 < nth j r 1 -> Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) (opened j open) r.
Proof.
  intros F; revert j; induction F as [|b x open r H F IH]; intros j P; [destruct j; constructor|].
  destruct j; cbn in *; constructor; auto.
Qed.

Lemma nth_least j open r : Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) open r ->
  0 <= nth j r 1.
Proof.
  intros F; revert j; induction F as [|b x open r H F IH]; intros [|j]; cbn; try lra; [|apply IH].
  destruct b; lra.
Qed.

Lemma has_positive_means open pairs r p : inside open pairs r -> no_negative p = true ->
  has_positive open pairs p = true -> 0 < value r p.
Proof.
  intros [F S] N; revert open F; induction S as [|j pairs E _ IH]; intros open F H; cbn in H.
  - induction p as [|[c m] p IHp]; cbn in *; [discriminate|].
    apply andb_true_iff in N as [N N']; apply Z.leb_le, IZR_le in N.
    destruct (power_of_pos _ _ m F) as [A B].
    pose proof (no_negative_means open [] r p (conj F (Forall_nil _)) N').
    apply orb_true_iff in H as [H|H]; [|specialize (IHp N' H); nra].
    apply andb_true_iff in H as [H H']; apply Z.ltb_lt, IZR_lt in H; specialize (B H'); nra.
  - apply andb_true_iff in H as [H H'].
    pose proof (nth_least j _ _ F); pose proof (nth_least (Datatypes.S j) _ _ F).
    destruct (Rle_lt_dec (nth j r 1) 0) as [L|L].
    + apply (IH (opened (Datatypes.S j) open)); [apply opened_means; [easy | lra] | easy].
    + apply (IH (opened j open)); [now apply opened_means | easy].
Qed.

(** ** Terms, and the quotients of polynomials that they are; denominators are above 0 *)

Inductive form :=
  | Number (c : Z) | Slack (i : nat) | Plus (s t : form) | Minus (s t : form) | Times (s t : form)
  | Over (s t : form) | Negative (t : form) | Raised (t : form) (n : nat) | Largest (s t : form)
  | Least (s t : form) | Positive (t : form) | Absolute (t : form).

Fixpoint real (r : list R) (t : form) : R :=
  match t with
  | Number c => IZR c
  | Slack i => nth i r 1
  | Plus s t => real r s + real r t
  | Minus s t => real r s - real r t
  | Times s t => real r s * real r t
  | Over s t => real r s / real r t
  | Negative t => - real r t
  | Raised t n => real r t ^ n
  | Largest s t => Rmax (real r s) (real r t)
  | Least s t => Rmin (real r s) (real r t)
  | Positive t => positive_part (real r t)
  | Absolute t => Rabs (real r t)
  end.

Definition fraction := (polynomial * polynomial)%type.
Definition is_value (r : list R) (x : fraction) (v : R) : Prop :=
  0 < value r (snd x) /\ v = value r (fst x) / value r (snd x).

(** What is known of a term: it is above 0, at least 0, or 0. *)
Inductive sign := Above | AtLeast | Zero.
Definition holds (s : sign) (v : R) : Prop :=
  match s with Above => 0 < v | AtLeast => 0 <= v | Zero => v = 0 end.

Section Decide.

Variables (open : list bool) (pairs : list nat).

Definition is_nonnegative (p : polynomial) : bool := no_negative (normal pairs p).
Definition is_positive (p : polynomial) : bool :=
  is_nonnegative p && has_positive open pairs (normal pairs p).

Definition sum (x y : fraction) : fraction :=
  if is_zero pairs (add (snd x) (negated (snd y))) then (add (fst x) (fst y), snd x)
  else (add (mul (fst x) (snd y)) (mul (fst y) (snd x)), mul (snd x) (snd y)).
Definition opposite (x : fraction) : fraction := (negated (fst x), snd x).
Definition product (x y : fraction) : fraction := (mul (fst x) (fst y), mul (snd x) (snd y)).
(** Whether [x] is a multiple of [y] by a number above 0. *)
Definition is_multiple (x y : fraction) : bool :=
  let p := normal pairs (mul (fst x) (snd y)) in
  let q := normal pairs (mul (fst y) (snd x)) in
  match p, q with
  | (c, _) :: _, (d, _) :: _ =>
    (0 <? c * d)%Z && is_zero pairs (add (scaled (Z.abs d) [] p) (scaled (- Z.abs c) [] q))
  | _, _ => false
  end.
Definition is_fact (strict : bool) (facts : list (sign * fraction)) (x : fraction) : bool :=
  existsb (fun f => match fst f with Above => true | AtLeast => negb strict | Zero => false end
    && is_multiple x (snd f)) facts.
Definition at_least_0 (facts : list (sign * fraction)) (x : fraction) : bool :=
  is_nonnegative (fst x) || is_fact false facts x.
Definition above_0 (facts : list (sign * fraction)) (x : fraction) : bool :=
  is_positive (fst x) || is_fact true facts x.

(** A term's fraction, and whether its factors are known to be above 0. *)
Definition factored := (fraction * bool)%type.
Definition is_sure facts (x : factored) : bool := snd x || above_0 facts (fst x).
Definition quotient facts (x y : factored) : option factored :=
  if is_sure facts y then Some (product (fst x) (snd (fst y), fst (fst y)), false)
  else if above_0 facts (opposite (fst y)) then
    Some (product (fst x) (negated (snd (fst y)), negated (fst (fst y))), false)
  else None.
Definition both {A B} (f : A -> A -> option B) (x y : option A) : option B :=
  match x, y with Some x, Some y => f x y | _, _ => None end.
Definition plain (f : fraction -> fraction -> fraction) (x y : factored) : option factored :=
  Some (f (fst x) (fst y), false).
(** The larger of two whose order is shown. *)
Definition larger facts (x y : factored) : option factored :=
  if at_least_0 facts (sum (fst y) (opposite (fst x))) then Some y
  else if at_least_0 facts (sum (fst x) (opposite (fst y))) then Some x else None.
Definition smaller facts (x y : factored) : option factored :=
  if at_least_0 facts (sum (fst y) (opposite (fst x))) then Some x
  else if at_least_0 facts (sum (fst x) (opposite (fst y))) then Some y else None.
Definition minus (x : factored) : factored := (opposite (fst x), false).

Fixpoint evaluated (facts : list (sign * fraction)) (t : form) : option factored :=
  match t with
  | Number c => Some ((constant c, constant 1), false)
  | Slack i => Some ((slack i, constant 1), false)
  | Plus s t => both (plain sum) (evaluated facts s) (evaluated facts t)
  | Minus s t =>
    both (plain (fun x y => sum x (opposite y))) (evaluated facts s) (evaluated facts t)
  | Times s t =>
    both (fun x y => Some (product (fst x) (fst y), is_sure facts x && is_sure facts y))
      (evaluated facts s) (evaluated facts t)
  | Over s t => both (quotient facts) (evaluated facts s) (evaluated facts t)
  | Negative t => option_map minus (evaluated facts t)
  | Raised t n =>
    option_map (fun x => ((to_the (fst (fst x)) n, to_the (snd (fst x)) n), is_sure facts x))
      (evaluated facts t)
  | Largest s t => both (larger facts) (evaluated facts s) (evaluated facts t)
  | Least s t => both (smaller facts) (evaluated facts s) (evaluated facts t)
  | Positive t => both (larger facts) (Some (([], constant 1), false)) (evaluated facts t)
  | Absolute t =>
    both (larger facts) (evaluated facts t) (option_map minus (evaluated facts t))
  end.
Definition fraction_of facts t : option fraction := option_map fst (evaluated facts t).

(** ** How a sign is shown: after multiples of hypotheses, by their places; or in two cases *)

Inductive reason := Sum (parts : list (form * nat)) | Cases (u : form) (above below : reason).

(** What is left after the multiples; whether they are above 0 together, and whether they are 0. *)
Fixpoint rest facts (parts : list (form * nat)) (x : fraction) : option (fraction * bool * bool) :=
  match parts with
  | [] => Some (x, false, true)
  | (m, i) :: parts =>
    match rest facts parts x, fraction_of facts m, nth_error facts i with
    | Some (x, strict, exact), Some w, Some (s, f) =>
      let left := sum x (opposite (product w f)) in
      match s with
      | Zero => Some (left, strict, exact)
      | Above => if is_nonnegative (fst w)
                 then Some (left, strict || is_positive (fst w), false) else None
      | AtLeast => if is_nonnegative (fst w) then Some (left, strict, false) else None
      end
    | _, _, _ => None
    end
  end.

Fixpoint decided facts (s : sign) (t : form) (why : reason) : bool :=
  match why with
  | Cases u above below =>
    match fraction_of facts u with
    | Some x =>
      decided (facts ++ [(AtLeast, x)]) s t above
      && decided (facts ++ [(AtLeast, opposite x)]) s t below
    | None => false
    end
  | Sum parts =>
    match option_map (rest facts parts) (fraction_of facts t) with
    | Some (Some (x, strict, exact)) =>
      match s with
      | Zero => exact && is_zero pairs (fst x)
      | AtLeast => at_least_0 facts x
      | Above => if strict then at_least_0 facts x else above_0 facts x
      end
    | _ => false
    end
  end.

Fixpoint all_facts (given : list (sign * form)) : option (list (sign * fraction)) :=
  match given with
  | [] => Some []
  | (s, t) :: given =>
    match fraction_of [] t, all_facts given with
    | Some x, Some facts => Some ((s, x) :: facts)
    | _, _ => None
    end
  end.
Definition decides (given : list (sign * form)) (s : sign) (t : form) (why : reason) : bool :=
  match all_facts given with Some facts => decided facts s t why | None => false end.

(** ** What is decided is true *)

Context (r : list R) (I : inside open pairs r).

Definition known (f : sign * fraction) : Prop := exists v, is_value r (snd f) v /\ holds (fst f) v.

Lemma is_nonnegative_means p : is_nonnegative p = true -> 0 <= value r p.
Proof. intros H; rewrite <- (value_normal _ _ _ p I); now apply no_negative_means with (1 := I). Qed.

Lemma is_positive_means p : is_positive p = true -> 0 < value r p.
Proof.
  intros H; apply andb_true_iff in H as [N H].
  rewrite <- (value_normal _ _ _ p I); now apply has_positive_means with (1 := I).
Qed.

Lemma sum_means x y v w : is_value r x v -> is_value r y w -> is_value r (sum x y) (v + w).
Proof.
  intros [A ->] [B ->]; unfold sum, is_value.
  destruct (is_zero _ _) eqn:Z; cbn; rewrite ?value_add, ?value_mul.
  - apply (is_zero_means _ _ _ _ I) in Z; rewrite value_add, value_negated in Z.
    replace (value r (snd y)) with (value r (snd x)) by lra; split; [easy | field; lra].
  - split; [nra | field; lra].
Qed.

Lemma opposite_means x v : is_value r x v -> is_value r (opposite x) (- v).
Proof. intros [A ->]; split; cbn; rewrite ?value_negated; [easy | field; lra]. Qed.

Lemma product_means x y v w : is_value r x v -> is_value r y w -> is_value r (product x y) (v * w).
Proof. intros [A ->] [B ->]; split; cbn; rewrite ?value_mul; [nra | field; lra]. Qed.

Lemma quotient_sign a b : 0 < b -> 0 <= a -> 0 <= a / b.
Proof. intros; apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]. Qed.

Lemma is_multiple_means x y v w : is_value r x v -> is_value r y w -> is_multiple x y = true ->
  exists k, 0 < k /\ v = k * w.
Proof.
  intros [A ->] [B ->]; unfold is_multiple.
  set (p := normal pairs (mul (fst x) (snd y))); set (q := normal pairs (mul (fst y) (snd x))).
  assert (P : value r p = value r (fst x) * value r (snd y))
    by (unfold p; now rewrite (value_normal _ _ _ _ I), value_mul).
  assert (Q : value r q = value r (fst y) * value r (snd x))
    by (unfold q; now rewrite (value_normal _ _ _ _ I), value_mul).
  revert P Q; generalize p q; clear p q; intros p q P Q.
  destruct p as [|[c m] p']; [discriminate|]; destruct q as [|[d n] q']; [discriminate|].
  set (p := (c, m) :: p') in *; set (q := (d, n) :: q') in *; clearbody p q.
  intros H; apply andb_true_iff in H as [S H]; apply Z.ltb_lt in S.
  apply (is_zero_means _ _ _ _ I) in H; rewrite value_add, !value_scaled, P, Q in H; cbn in H.
  assert (C : 0 < IZR (Z.abs c)) by (apply (IZR_lt 0); nia).
  assert (D : 0 < IZR (Z.abs d)) by (apply (IZR_lt 0); nia).
  rewrite opp_IZR in H; exists (IZR (Z.abs c) / IZR (Z.abs d)).
  split; [now apply Rdiv_lt_0_compat | field_simplify_eq; lra].
Qed.

Lemma is_fact_means strict facts x v : Forall known facts -> is_value r x v ->
  is_fact strict facts x = true -> 0 <= v /\ (strict = true -> 0 < v).
Proof.
  intros F V H; unfold is_fact in H; apply existsb_exists in H as [[s f] [Y H]]; cbn in H.
  apply andb_true_iff in H as [H M]; rewrite Forall_forall in F; destruct (F _ Y) as [w [W S]].
  destruct (is_multiple_means x f v w V W M) as (k & K & ->); cbn in S.
  destruct s, strict; cbn in *; try discriminate; split; try easy; try nra.
Qed.

Lemma at_least_0_means facts x v :
  Forall known facts -> is_value r x v -> at_least_0 facts x = true -> 0 <= v.
Proof.
  intros F V H; apply orb_true_iff in H as [H|H]; [|destruct (is_fact_means _ _ _ _ F V H); auto].
  destruct V as [A ->]; apply quotient_sign; [easy | now apply is_nonnegative_means].
Qed.

Lemma above_0_means facts x v :
  Forall known facts -> is_value r x v -> above_0 facts x = true -> 0 < v.
Proof.
  intros F V H; apply orb_true_iff in H as [H|H]; [|destruct (is_fact_means _ _ _ _ F V H); auto].
  destruct V as [A ->]; apply Rdiv_lt_0_compat; [now apply is_positive_means | easy].
Qed.

Lemma minus_means x y v w : is_value r x v -> is_value r y w -> is_value r (sum x (opposite y)) (v - w).
Proof. intros; unfold Rminus; apply sum_means; [easy | now apply opposite_means]. Qed.

Definition is_factored (x : factored) (v : R) : Prop := is_value r (fst x) v /\ (snd x = true -> 0 < v).

Lemma is_sure_means facts x v :
  Forall known facts -> is_factored x v -> is_sure facts x = true -> 0 < v.
Proof.
  intros F [V S] H; apply orb_true_iff in H as [H|H]; [auto | now apply (above_0_means facts (fst x))].
Qed.

Lemma swapped_means x v : is_value r x v -> 0 < v -> is_value r (snd x, fst x) (/ v).
Proof.
  intros [A ->] P; assert (0 < value r (fst x)).
  { replace (value r (fst x)) with (value r (fst x) / value r (snd x) * value r (snd x))
      by (field; lra); now apply Rmult_lt_0_compat. }
  split; cbn; [easy | field; lra].
Qed.

Lemma quotient_means facts x y z v w : Forall known facts -> is_factored x v -> is_factored y w ->
  quotient facts x y = Some z -> is_factored z (v / w).
Proof.
  intros F V W; unfold quotient.
  destruct (is_sure facts y) eqn:S; [|destruct (above_0 _ _) eqn:N];
    intros H; try discriminate; injection H as <-; (split; [|discriminate]).
  - apply product_means; [apply V | apply swapped_means; [apply W|]].
    now apply (is_sure_means facts y).
  - apply (above_0_means facts _ (- w) F) in N; [|apply opposite_means, W].
    replace (v / w) with (v * - / (- w)) by (field; lra).
    apply product_means; [apply V|].
    destruct (swapped_means _ _ (opposite_means _ _ (proj1 W)) N) as [A ->]; cbn in *.
    rewrite !value_negated in *.
    split; cbn; rewrite ?value_negated; [easy|]; field; lra.
Qed.

Lemma larger_means facts x y z v w : Forall known facts -> is_factored x v -> is_factored y w ->
  larger facts x y = Some z -> is_factored z (Rmax v w).
Proof.
  intros F V W; unfold larger.
  destruct (at_least_0 _ (sum (fst y) _)) eqn:A; [|destruct (at_least_0 _ (sum (fst x) _)) eqn:B];
    intros H; try discriminate; injection H as <-.
  - apply (at_least_0_means _ _ (w - v) F) in A; [|now apply minus_means; [apply W | apply V]].
    now rewrite Rmax_right by lra.
  - apply (at_least_0_means _ _ (v - w) F) in B; [|now apply minus_means; [apply V | apply W]].
    now rewrite Rmax_left by lra.
Qed.

Lemma smaller_means facts x y z v w : Forall known facts -> is_factored x v -> is_factored y w ->
  smaller facts x y = Some z -> is_factored z (Rmin v w).
Proof.
  intros F V W; unfold smaller.
  destruct (at_least_0 _ (sum (fst y) _)) eqn:A; [|destruct (at_least_0 _ (sum (fst x) _)) eqn:B];
    intros H; try discriminate; injection H as <-.
  - apply (at_least_0_means _ _ (w - v) F) in A; [|now apply minus_means; [apply W | apply V]].
    now rewrite Rmin_left by lra.
  - apply (at_least_0_means _ _ (v - w) F) in B; [|now apply minus_means; [apply V | apply W]].
    now rewrite Rmin_right by lra.
Qed.

Lemma number_means p : is_value r (p, constant 1) (value r p).
Proof. split; cbn [snd fst]; rewrite value_constant; [lra | field]. Qed.

Lemma evaluated_means facts t : Forall known facts ->
  forall x, evaluated facts t = Some x -> is_factored x (real r t).
Proof.
  intros F; induction t; cbn [evaluated real]; intros x H;
    try (destruct (evaluated facts t1) as [x1|]; [|discriminate];
         destruct (evaluated facts t2) as [x2|]; [|discriminate];
         specialize (IHt1 _ eq_refl); specialize (IHt2 _ eq_refl); cbn [both plain] in H);
    try (destruct (evaluated facts t) as [x1|]; [|discriminate];
         specialize (IHt _ eq_refl); cbn [both option_map] in H).
  - injection H as <-; split; [|discriminate]; rewrite <- (value_constant r c); apply number_means.
  - injection H as <-; split; [|discriminate]; rewrite <- value_slack; apply number_means.
  - injection H as <-; split; [|discriminate]; apply sum_means; [apply IHt1 | apply IHt2].
  - injection H as <-; split; [|discriminate]; apply minus_means; [apply IHt1 | apply IHt2].
  - injection H as <-; split; [apply product_means; [apply IHt1 | apply IHt2]|]; cbn.
    intros H; apply andb_true_iff in H as [H H'].
    apply Rmult_lt_0_compat; [now apply (is_sure_means facts x1) | now apply (is_sure_means facts x2)].
  - now apply (quotient_means facts x1 x2).
  - injection H as <-; split; [apply opposite_means, IHt | discriminate].
  - injection H as <-; split; cbn [fst snd].
    + destruct IHt as [[A E] _]; unfold is_value; cbn [fst snd].
      rewrite !value_to_the, E; split; [now apply pow_lt|].
      unfold Rdiv; rewrite Rpow_mult_distr, pow_inv; easy.
    + intros H; apply pow_lt; now apply (is_sure_means facts x1).
  - now apply (larger_means facts x1 x2).
  - now apply (smaller_means facts x1 x2).
  - apply (larger_means facts (([], constant 1), false) x1); auto.
    split; [exact (number_means []) | discriminate].
  - replace (Rabs (real r t)) with (Rmax (real r t) (- real r t)).
    + apply (larger_means facts x1 (minus x1)); auto.
      split; [apply opposite_means, IHt | discriminate].
    + unfold Rabs, Rmax; destruct (Rcase_abs _), (Rle_dec _ _); lra.
Qed.

Lemma fraction_of_means facts t : Forall known facts ->
  forall x, fraction_of facts t = Some x -> is_value r x (real r t).
Proof.
  unfold fraction_of; intros F x H; destruct (evaluated facts t) as [y|] eqn:E; [|discriminate].
  injection H as <-; now apply (evaluated_means facts t F).
Qed.

Lemma rest_means facts parts : Forall known facts -> forall x v y strict exact,
  is_value r x v -> rest facts parts x = Some (y, strict, exact) ->
  exists e, is_value r y (v - e) /\ 0 <= e /\ (strict = true -> 0 < e) /\ (exact = true -> e = 0).
Proof.
  intros F; induction parts as [|[m i] parts IH]; intros x v y strict exact V H; cbn in H.
  - injection H as <- <- <-; exists 0; rewrite Rminus_0_r; repeat split; try easy; apply V || lra.
  - destruct (rest facts parts x) as [[[z strict'] exact']|] eqn:X; [|discriminate].
    destruct (fraction_of facts m) as [w|] eqn:W; [|discriminate].
    destruct (nth_error facts i) as [[s f]|] eqn:E; [|discriminate].
    destruct (IH _ _ _ _ _ V X) as (e & Z & A & B & C).
    apply (fraction_of_means facts m F) in W.
    apply nth_error_In in E; destruct (proj1 (Forall_forall _ _) F _ E) as (u & U & S).
    cbn [fst snd] in *.
    assert (L : is_value r (sum z (opposite (product w f))) (v - (e + real r m * u))).
    { replace (v - (e + real r m * u)) with (v - e - real r m * u) by lra.
      apply minus_means; [easy | now apply product_means]. }
    assert (N : is_nonnegative (fst w) = true -> 0 <= real r m).
    { destruct W as [P ->]; intros Q; apply quotient_sign; [easy | now apply is_nonnegative_means]. }
    assert (O : is_positive (fst w) = true -> 0 < real r m).
    { destruct W as [P ->]; intros Q; apply Rdiv_lt_0_compat; [now apply is_positive_means | easy]. }
    exists (e + real r m * u); destruct s; cbn in S.
    + destruct (is_nonnegative (fst w)); [|discriminate]; injection H as <- <- <-.
      specialize (N eq_refl); repeat split; try easy; try apply L; [nra|].
      intros H; apply orb_true_iff in H as [H|H]; [specialize (B H) | specialize (O H)]; nra.
    + destruct (is_nonnegative (fst w)); [|discriminate]; injection H as <- <- <-.
      specialize (N eq_refl); repeat split; try easy; try apply L; [nra|].
      intros H; specialize (B H); nra.
    + injection H as <- <- <-; subst u; rewrite Rmult_0_r, Rplus_0_r in *; auto.
Qed.

Lemma decided_means s t why : forall facts, Forall known facts ->
  decided facts s t why = true -> holds s (real r t).
Proof.
  induction why as [parts|u above IHa below IHb]; intros facts F H; cbn in H.
  - destruct (fraction_of facts t) as [x|] eqn:X; [|discriminate]; cbn in H.
    apply (fraction_of_means facts t F) in X.
    destruct (rest facts parts x) as [[[y strict] exact]|] eqn:Y; [|discriminate].
    destruct (rest_means facts parts F _ _ _ _ _ X Y) as (e & V & A & B & C); destruct s; cbn.
    + destruct strict.
      * apply (at_least_0_means facts _ _ F V) in H; specialize (B eq_refl); lra.
      * apply (above_0_means facts _ _ F V) in H; lra.
    + apply (at_least_0_means facts _ _ F V) in H; lra.
    + apply andb_true_iff in H as [H Z]; specialize (C H); apply (is_zero_means _ _ _ _ I) in Z.
      destruct V as [P E]; rewrite Z in E; unfold Rdiv in E; lra.
  - destruct (fraction_of facts u) as [x|] eqn:X; [|discriminate].
    apply (fraction_of_means facts u F) in X; apply andb_true_iff in H as [H H'].
    destruct (Rle_lt_dec 0 (real r u)) as [L|L].
    + apply (IHa (facts ++ [(AtLeast, x)])); [|easy].
      apply Forall_app; split; [easy|]; constructor; [|constructor]; now exists (real r u).
    + apply (IHb (facts ++ [(AtLeast, opposite x)])); [|easy].
      apply Forall_app; split; [easy|]; constructor; [|constructor].
      exists (- real r u); split; [now apply opposite_means | cbn; lra].
Qed.

Theorem shown given s t why : Forall (fun g => holds (fst g) (real r (snd g))) given ->
  decides given s t why = true -> holds s (real r t).
Proof.
  unfold decides; intros G; destruct (all_facts given) as [facts|] eqn:E; [|discriminate].
  apply decided_means; revert facts E; induction G as [|[g f] given H _ IH]; intros facts E; cbn in E.
  - injection E as <-; constructor.
  - destruct (fraction_of [] f) as [x|] eqn:X; [|discriminate].
    destruct (all_facts given) as [found|]; [|discriminate]; injection E as <-.
    constructor; [|now apply IH]; exists (real r f); split; [|easy].
    now apply (fraction_of_means []).
Qed.

End Decide.

(** ** Variables with slacks *)

Lemma from a x : a <= x -> exists t, 0 <= t /\ x = a + t.
Proof. intros; exists (x - a); lra. Qed.
Lemma above a x : a < x -> exists t, 0 < t /\ x = a + t.
Proof. intros; exists (x - a); lra. Qed.
Lemma upto b x : x <= b -> exists t, 0 <= t /\ x = b - t.
Proof. intros; exists (b - x); lra. Qed.
Lemma below b x : x < b -> exists t, 0 < t /\ x = b - t.
Proof. intros; exists (b - x); lra. Qed.
Lemma signed x : exists t s, 0 <= t /\ 0 <= s /\ x = t - s.
Proof. destruct (Rle_lt_dec 0 x); [exists x, 0 | exists 0, (- x)]; lra. Qed.

(** Between two ends: a mixture of these. *)
Lemma between a b x : a <= x -> x <= b ->
  exists s t, 0 <= s /\ 0 <= t /\ s + t = 1 /\ x = a * s + b * t /\
    (a < x -> 0 < t) /\ (x < b -> 0 < s).
Proof.
  intros A B; destruct (Req_dec a b) as [->|N].
  - exists 1, 0; repeat split; lra.
  - assert (P : 0 < b - a) by lra; assert (Q := Rinv_0_lt_compat _ P).
    exists ((b - x) * / (b - a)), ((x - a) * / (b - a)).
    repeat split; intros; try (apply Rmult_le_pos; lra); try (apply Rmult_lt_0_compat; lra); field; lra.
Qed.

(** ** Relations as signs, and back *)

Lemma of_lt a b : a < b -> holds Above (b - a). Proof. cbn; lra. Qed.
Lemma of_le a b : a <= b -> holds AtLeast (b - a). Proof. cbn; lra. Qed.
Lemma of_gt a b : a > b -> holds Above (a - b). Proof. cbn; lra. Qed.
Lemma of_ge a b : a >= b -> holds AtLeast (a - b). Proof. cbn; lra. Qed.
Lemma of_eq a b : a = b -> holds Zero (a - b). Proof. cbn; lra. Qed.
Lemma to_lt a b : holds Above (b - a) -> a < b. Proof. cbn; lra. Qed.
Lemma to_le a b : holds AtLeast (b - a) -> a <= b. Proof. cbn; lra. Qed.
Lemma to_gt a b : holds Above (a - b) -> a > b. Proof. cbn; lra. Qed.
Lemma to_ge a b : holds AtLeast (a - b) -> a >= b. Proof. cbn; lra. Qed.
Lemma to_eq a b : holds Zero (a - b) -> a = b. Proof. cbn; lra. Qed.

Lemma of_nat c n : (c <= n)%nat -> IZR (Z.of_nat c) <= INR n.
Proof. rewrite <- INR_IZR_INZ; apply le_INR. Qed.
