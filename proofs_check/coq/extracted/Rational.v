(** * Terms as rational functions: masses that sum to 1 though they are known only as intervals

    A definition that speaks of no law is [closed]: the terms that it names are put in. A closed term
    is a rational function of its atoms, the largest parts of it that are not sums, differences,
    products, quotients or whole powers, such as [exp] of something; [form] is a numerator and a
    denominator in Coq's own normal form of polynomials (Ring_polynom). Where the term has a meaning
    the denominator is not 0 ([form_means]), so equal numerator and denominator are 1 ([is_one_means]). *)

From Coq Require Import Reals List Lra Lia ZArith Bool Ring_polynom.
From Coq Require BinList.
Require Import Certificate Sensible.
Import ListNotations.
Open Scope R_scope.

(** ** Polynomials over the integers, at real numbers *)

Definition polynomial := Pol Z.
Definition constant (n : Z) : polynomial := Pc n.
Definition plus : polynomial -> polynomial -> polynomial := Padd 0%Z Z.add Z.eqb.
Definition minus : polynomial -> polynomial -> polynomial := Psub 0%Z Z.add Z.sub Z.opp Z.eqb.
Definition times : polynomial -> polynomial -> polynomial := Pmul 0%Z 1%Z Z.add Z.mul Z.eqb.
Definition opposite : polynomial -> polynomial := Popp Z.opp.
Definition variable (i : positive) : polynomial := mk_X 0%Z 1%Z i.
Definition same_polynomial : polynomial -> polynomial -> bool := Peq Z.eqb.
Fixpoint raised (p : polynomial) (n : nat) : polynomial :=
  match n with 0%nat => constant 1 | S n => times p (raised p n) end.

Definition at_ (l : list R) (p : polynomial) : R := Pphi 0 Rplus Rmult IZR l p.

Lemma reals_are_a_ring : almost_ring_theory 0 1 Rplus Rmult Rminus Ropp (@eq R).
Proof. apply Rth_ARth; [typeclasses eauto | exact (Eq_ext _ _ _) | exact RTheory]. Qed.

Lemma integers_in_reals :
  ring_morph 0 1 Rplus Rmult Rminus Ropp (@eq R) 0%Z 1%Z Z.add Z.mul Z.sub Z.opp Z.eqb IZR.
Proof.
  constructor; try reflexivity; intros;
    auto using plus_IZR, minus_IZR, mult_IZR, opp_IZR; f_equal; now apply Z.eqb_eq.
Qed.

Local Notation by_ring lemma :=
  (lemma _ _ _ _ _ _ _ _ _ (Eq_ext _ _ _) reals_are_a_ring _ _ _ _ _ _ _ _ _ integers_in_reals).

Lemma at_constant l n : at_ l (constant n) = IZR n.
Proof. reflexivity. Qed.
Lemma at_plus l p q : at_ l (plus p q) = at_ l p + at_ l q.
Proof. apply (by_ring Padd_ok). Qed.
Lemma at_minus l p q : at_ l (minus p q) = at_ l p - at_ l q.
Proof. apply (by_ring Psub_ok). Qed.
Lemma at_times l p q : at_ l (times p q) = at_ l p * at_ l q.
Proof. apply (by_ring Pmul_ok). Qed.
Lemma at_opposite l p : at_ l (opposite p) = - at_ l p.
Proof. apply (by_ring Popp_ok). Qed.
Lemma at_variable l i : at_ l (variable i) = BinList.nth 0 i l.
Proof. symmetry; apply (by_ring mkX_ok). Qed.
Lemma at_same l p q : same_polynomial p q = true -> at_ l p = at_ l q.
Proof.
  intros H; exact (Peq_ok _ (Eq_ext _ _ _) integers_in_reals p q H l).
Qed.
Lemma at_raised l p n : at_ l (raised p n) = at_ l p ^ n.
Proof. induction n as [|n IH]; cbn [raised pow]; [reflexivity | now rewrite at_times, IH]. Qed.

(** ** Closed terms *)

(** A closed term's variables, if any, are those of a step of a proof: the terms of [base]. *)
Section Base.
Variable base : world R pair.
Definition value_at (t : term) : R := denote base t.
Definition has_meaning (t : term) : Prop := sensible base t.

(** The term with its definitions put in; [known] are the closed definitions so far, by place. *)
Fixpoint closed (known : list (option term)) (t : term) : option term :=
  match t with
  | Int _ | Ratio _ _ | Pi => Some t
  | Var i => nth i known None
  | Apply f t => option_map (Apply f) (closed known t)
  | Op o t u =>
    match closed known t, closed known u with Some t, Some u => Some (Op o t u) | _, _ => None end
  | _ => None
  end.

Definition known_means (known : list (option term)) (xs : list R) : Prop :=
  Forall2 (fun o x => match o with Some t => has_meaning t /\ value_at t = x | None => True end) known xs.

Lemma closed_means known (s : world R pair) t : forall c,
  known_means known (terms s) -> sensible s t -> closed known t = Some c ->
  has_meaning c /\ value_at c = denote s t.
Proof.
  intros c K; revert c; induction t; intros c Y H; cbn [closed] in H; try discriminate.
  1,2,4: injection H as <-; split; [exact Logic.I | reflexivity].
  - assert (G : forall i known xs, known_means known xs ->
      match nth i known None with
      | Some t => has_meaning t /\ value_at t = nth i xs 0 | None => True end).
    { clear; intros i known xs K; revert i; induction K as [|o x os xs H K IH]; intros [|i];
        cbn [nth]; first [exact Logic.I | exact H | apply IH]. }
    specialize (G i known (terms s) K); rewrite H in G; exact G.
  - cbn [sensible] in Y; destruct (closed known t) as [u|]; [|discriminate]; injection H as <-.
    destruct Y as [Y D], (IHt u Y eq_refl) as [M E]; unfold has_meaning, value_at in *.
    cbn [sensible denote]; rewrite E; auto.
  - cbn [sensible] in Y; destruct (closed known t1) as [u|], (closed known t2) as [v|]; try discriminate.
    injection H as <-; destruct Y as (Y & Y' & D), (IHt1 u Y eq_refl) as [M E],
      (IHt2 v Y' eq_refl) as [M' E']; unfold has_meaning, value_at in *.
    cbn [sensible denote]; rewrite E, E'; auto.
Qed.

(** ** Atoms *)

Definition same_function (f g : function) : {f = g} + {f <> g}.
Proof. decide equality. Defined.
Definition same_operation (o p : operation) : {o = p} + {o <> p}.
Proof. decide equality. Defined.

Fixpoint same_term (t u : term) : bool :=
  match t, u with
  | Int m, Int n => Z.eqb m n
  | Ratio m d, Ratio n e => Z.eqb m n && Pos.eqb d e
  | Pi, Pi => true
  | Var i, Var j => Nat.eqb i j
  | Apply f t, Apply g u => if same_function f g then same_term t u else false
  | Op o t t', Op p u u' => if same_operation o p then same_term t u && same_term t' u' else false
  | _, _ => false
  end.

Lemma same_term_eq t : forall u, same_term t u = true -> t = u.
Proof.
  induction t; intros u; destruct u; cbn [same_term]; intros H; try discriminate; try reflexivity.
  - f_equal; now apply Z.eqb_eq.
  - apply andb_prop in H as [H H']; f_equal; [now apply Z.eqb_eq | now apply Pos.eqb_eq].
  - f_equal; now apply Nat.eqb_eq.
  - destruct same_function; [|discriminate]; subst; f_equal; auto.
  - destruct same_operation; [|discriminate]; apply andb_prop in H as [H H']; subst; f_equal; auto.
Qed.

Fixpoint place (t : term) (atoms : list term) : option positive :=
  match atoms with
  | [] => None
  | u :: atoms => if same_term u t then Some 1%positive else option_map Pos.succ (place t atoms)
  end.

Lemma nth_after (x : R) p l : BinList.nth 0 (Pos.succ p) (x :: l) = BinList.nth 0 p l.
Proof.
  pose proof (BinList.nth_jump 0 p (x :: l)) as H; cbn [tl] in H; rewrite H; clear H.
  pose proof (BinList.nth_jump 0 (Pos.succ p) (x :: x :: l)) as H; cbn [tl] in H; rewrite H; clear H.
  rewrite BinList.jump_succ; cbn [BinList.jump]; now rewrite BinList.jump_tl.
Qed.

Lemma place_means t atoms i :
  place t atoms = Some i -> BinList.nth 0 i (map value_at atoms) = value_at t.
Proof.
  revert i; induction atoms as [|u atoms IH]; cbn [place map]; intros i H; [discriminate|].
  destruct (same_term u t) eqn:E.
  - injection H as <-; apply same_term_eq in E; now subst.
  - destruct (place t atoms) as [j|]; [|discriminate]; injection H as <-.
    rewrite nth_after; now apply IH.
Qed.

(** Atoms that occur, each once; which they are needs no proof. *)
Fixpoint atoms_of (t : term) (found : list term) : list term :=
  match t with
  | Int _ | Ratio _ _ => found
  | Apply Neg t | Op Pow t (Int _) => atoms_of t found
  | Op Add t u | Op Sub t u | Op Mul t u | Op Div t u => atoms_of u (atoms_of t found)
  | _ => if place t found then found else found ++ [t]
  end.

(** ** A closed term as numerator and denominator *)

Definition fraction := (polynomial * polynomial)%type.
Definition sum_of (x y : fraction) : fraction :=
  if same_polynomial (snd x) (snd y) then (plus (fst x) (fst y), snd x)
  else (plus (times (fst x) (snd y)) (times (fst y) (snd x)), times (snd x) (snd y)).
Definition product_of (x y : fraction) : fraction := (times (fst x) (fst y), times (snd x) (snd y)).
Definition negative_of (x : fraction) : fraction := (opposite (fst x), snd x).
Definition inverse_of (x : fraction) : fraction := (snd x, fst x).

(** Higher powers are atoms. *)
Definition highest : Z := 1000.

Definition atom (atoms : list term) (t : term) : option fraction :=
  option_map (fun i => (variable i, constant 1)) (place t atoms).

Definition both (op : fraction -> fraction -> fraction) (x y : option fraction) : option fraction :=
  match x, y with Some x, Some y => Some (op x y) | _, _ => None end.

Fixpoint form (atoms : list term) (t : term) : option fraction :=
  match t with
  | Int n => Some (constant n, constant 1)
  | Ratio n d => Some (constant n, constant (Zpos d))
  | Apply Neg t => option_map negative_of (form atoms t)
  | Op Add t u => both sum_of (form atoms t) (form atoms u)
  | Op Sub t u => both (fun x y => sum_of x (negative_of y)) (form atoms t) (form atoms u)
  | Op Mul t u => both product_of (form atoms t) (form atoms u)
  | Op Div t u => both (fun x y => product_of x (inverse_of y)) (form atoms t) (form atoms u)
  | Op Pow t (Int n) =>
    if (Z.abs n <=? highest)%Z then
      option_map (fun x =>
        let y := (raised (fst x) (Z.abs_nat n), raised (snd x) (Z.abs_nat n)) in
        if (n <? 0)%Z then inverse_of y else y) (form atoms t)
    else None
  | _ => atom atoms t
  end.

Definition fraction_means (l : list R) (x : fraction) (v : R) : Prop :=
  at_ l (snd x) <> 0 /\ v = at_ l (fst x) / at_ l (snd x).

Section Meaning.
Variable l : list R.
Notation is := (fraction_means l).

Lemma sum_of_means x y v w : is x v -> is y w -> is (sum_of x y) (v + w).
Proof.
  intros [D ->] [D' ->]; unfold sum_of; destruct same_polynomial eqn:E; split; cbn [fst snd].
  - exact D.
  - rewrite at_plus, <- (at_same l _ _ E); field; exact D.
  - rewrite at_times; now apply Rmult_integral_contrapositive.
  - rewrite at_plus, !at_times; field; auto.
Qed.

Lemma product_of_means x y v w : is x v -> is y w -> is (product_of x y) (v * w).
Proof.
  intros [D ->] [D' ->]; split; cbn [product_of fst snd]; rewrite !at_times.
  - now apply Rmult_integral_contrapositive.
  - field; auto.
Qed.

Lemma negative_of_means x v : is x v -> is (negative_of x) (- v).
Proof. intros [D ->]; split; cbn [negative_of fst snd]; [exact D | rewrite at_opposite; field; exact D]. Qed.

Lemma inverse_of_means x v : v <> 0 -> is x v -> is (inverse_of x) (/ v).
Proof.
  intros N [D ->].
  assert (M : at_ l (fst x) <> 0) by (intros E; apply N; rewrite E; unfold Rdiv; ring).
  split; cbn [inverse_of fst snd]; [exact M | field; auto].
Qed.

Lemma power_means x v (n : Z) : ((n < 0)%Z -> v <> 0) -> is x v ->
  is (let y := (raised (fst x) (Z.abs_nat n), raised (snd x) (Z.abs_nat n)) in
      if (n <? 0)%Z then inverse_of y else y) (powerRZ v n).
Proof.
  intros N H; set (y := (_, _)).
  assert (Y : is y (v ^ Z.abs_nat n)).
  { destruct H as [D ->]; split; cbn [y fst snd]; rewrite !at_raised.
    - now apply pow_nonzero.
    - unfold Rdiv; now rewrite Rpow_mult_distr, pow_inv. }
  cbn zeta; destruct (Z.ltb_spec n 0) as [L|L].
  - replace (powerRZ v n) with (/ v ^ Z.abs_nat n).
    + apply inverse_of_means; [apply pow_nonzero; auto | exact Y].
    + destruct n; try lia; reflexivity.
  - replace (powerRZ v n) with (v ^ Z.abs_nat n); [exact Y|].
    destruct n; try lia; reflexivity.
Qed.
End Meaning.

Lemma atom_means atoms t x :
  atom atoms t = Some x -> fraction_means (map value_at atoms) x (value_at t).
Proof.
  unfold atom; destruct (place t atoms) as [i|] eqn:E; [|discriminate]; intros H; injection H as <-.
  apply place_means in E; split; cbn [fst snd]; rewrite at_constant; [lra|].
  rewrite at_variable, E; field.
Qed.

Lemma both_some op x y z :
  both op x y = Some z -> exists a b, x = Some a /\ y = Some b /\ z = op a b.
Proof. destruct x as [a|], y as [b|]; try discriminate; intros H; injection H as <-; now exists a, b. Qed.

Theorem form_means atoms t : forall x,
  has_meaning t -> form atoms t = Some x -> fraction_means (map value_at atoms) x (value_at t).
Proof.
  induction t; intros x M H; try exact (atom_means _ _ _ H).
  - injection H as <-; split; cbn [fst snd]; rewrite !at_constant; [lra | unfold value_at; cbn; field].
  - injection H as <-; split; cbn [fst snd]; rewrite !at_constant;
      [now apply not_0_IZR | reflexivity].
  - destruct f; try exact (atom_means _ _ _ H); cbn [form] in H.
    destruct (form atoms t) as [y|]; [|discriminate]; injection H as <-.
    apply (negative_of_means _ y (value_at t)); apply IHt; [apply M | reflexivity].
  - destruct M as (M & M' & D).
    destruct o; try exact (atom_means _ _ _ H); cbn [form] in H.
    + apply both_some in H as (a & b & A & B & ->).
      exact (sum_of_means _ a b _ _ (IHt1 a M A) (IHt2 b M' B)).
    + apply both_some in H as (a & b & A & B & ->).
      exact (sum_of_means _ a _ _ _ (IHt1 a M A) (negative_of_means _ b _ (IHt2 b M' B))).
    + apply both_some in H as (a & b & A & B & ->).
      exact (product_of_means _ a b _ _ (IHt1 a M A) (IHt2 b M' B)).
    + apply both_some in H as (a & b & A & B & ->).
      exact (product_of_means _ a _ _ _ (IHt1 a M A) (inverse_of_means _ b _ D (IHt2 b M' B))).
    + destruct t2; try exact (atom_means _ _ _ H); cbn [form] in H.
      destruct (_ <=? _)%Z; [|discriminate]; destruct (form atoms t1) as [y|]; [|discriminate].
      injection H as <-; unfold value_at; cbn [denote operation_of]; unfold power.
      rewrite Int_part_IZR; apply power_means; [|exact (IHt1 y M eq_refl)].
      intros L; apply D; cbn [denote]; now apply IZR_lt.
Qed.

(** ** Sums that are 1 *)

Definition total_term : list term -> term := fold_right (Op Add) (Int 0).

Definition is_one (t : term) : bool :=
  match form (atoms_of t []) t with Some (n, d) => same_polynomial n d | None => false end.

Lemma is_one_means t : has_meaning t -> is_one t = true -> value_at t = 1.
Proof.
  intros M H; unfold is_one in H; destruct (form _ t) as [[n d]|] eqn:F; [|discriminate].
  destruct (form_means _ _ _ M F) as [D ->]; cbn [fst snd] in *.
  rewrite (at_same _ _ _ H); field; exact D.
Qed.

Fixpoint all_closed (known : list (option term)) (ts : list term) : option (list term) :=
  match ts with
  | [] => Some []
  | t :: ts =>
    match closed known t, all_closed known ts with Some c, Some cs => Some (c :: cs) | _, _ => None end
  end.

(** Do the terms sum to 1 for all values of their atoms? *)
Definition sum_to_one (known : list (option term)) (ts : list term) : bool :=
  match all_closed known ts with Some cs => is_one (total_term cs) | None => false end.

Theorem sum_to_one_means known (s : world R pair) ts :
  known_means known (terms s) -> Forall (sensible s) ts -> sum_to_one known ts = true ->
  ExactDP.total (map (denote s) ts) = 1.
Proof.
  intros K S; unfold sum_to_one; destruct (all_closed known ts) as [cs|] eqn:C; [|discriminate].
  assert (G : has_meaning (total_term cs) /\
    value_at (total_term cs) = ExactDP.total (map (denote s) ts)).
  { revert cs C; induction S as [|t ts St S IH]; cbn [all_closed]; intros cs C.
    - injection C as <-; split; [exact Logic.I | reflexivity].
    - destruct (closed known t) as [c|] eqn:E; [|discriminate].
      destruct (all_closed known ts) as [ds|]; [|discriminate]; injection C as <-.
      destruct (closed_means known s t c K St E) as [M V], (IH ds eq_refl) as [M' V'].
      unfold has_meaning, value_at in *; cbn [total_term fold_right sensible denote map ExactDP.total].
      split; [repeat split; auto | cbn [operation_of]; now rewrite V, <- V']. }
  destruct G as [M <-]; now apply is_one_means.
Qed.
End Base.
