(** * Terms over variables as rational functions, and the signs that coefficients show

    For the rules of Proofs.v: variables come after all definitions. *)

From Coq Require Import Reals List Lra Lia ZArith Bool Ring_polynom.
From Coq Require BinList.
Require Import Certificate Sensible Rational Checker.
Import ListNotations.
Open Scope R_scope.

Definition with_terms {V P} (s : world V P) (xs : list V) : world V P :=
  World (terms s ++ xs) (matrices s) (pairs s).

(** ** Terms over variables, as fractions *)

Definition variables (n : nat) : list term := map Var (seq 0 n).

Definition fraction_of (known : list (option term)) (n : nat) (t : term) : option fraction :=
  match closed (known ++ map Some (variables n)) t with
  | Some c => form (variables n) c
  | None => None
  end.

Definition is_fraction (x : fraction) : bool := negb (same_polynomial (snd x) (constant 0)).
Definition equal_fractions (x y : fraction) : bool :=
  same_polynomial (times (fst x) (snd y)) (times (fst y) (snd x)).

(** *** Signs: polynomials without negative coefficients are not negative where variables are not *)

Fixpoint no_negative (p : polynomial) : bool :=
  match p with
  | Pc c => (0 <=? c)%Z
  | Pinj _ p => no_negative p
  | PX p _ q => no_negative p && no_negative q
  end.
Definition one_sign (x : fraction) : bool :=
  no_negative (fst x) && no_negative (snd x)
  || no_negative (opposite (fst x)) && no_negative (opposite (snd x)).

Definition is_square (t : term) : bool :=
  match t with Op Pow _ (Int n) => Z.even n | _ => false end.

(** ** What they mean *)

Definition base_of (xs : list R) : world R pair := World xs [] [].

Lemma variables_are xs : map (value_at (base_of xs)) (variables (length xs)) = xs.
Proof.
  unfold variables; rewrite map_map; unfold value_at; cbn [denote terms base_of].
  induction xs as [|x xs IH]; [reflexivity|].
  cbn [length seq map]; f_equal; rewrite <- seq_shift, map_map; exact IH.
Qed.

Lemma known_with_variables (s : world R pair) known xs :
  known_means (base_of xs) known (terms s) ->
  known_means (base_of xs) (known ++ map Some (variables (length xs))) (terms (with_terms s xs)).
Proof.
  intros K; apply Forall2_app; [exact K|].
  assert (G : forall ys i, (forall j, (j < length ys)%nat -> nth (i + j) xs 0 = nth j ys 0
      /\ (i + j < length xs)%nat) ->
    known_means (base_of xs) (map Some (map Var (seq i (length ys)))) ys).
  { induction ys as [|y ys IH]; intros i H; cbn [length seq map]; constructor.
    - destruct (H 0%nat) as [E L]; [cbn; lia|]; rewrite Nat.add_0_r in E, L; split; [exact L | exact E].
    - apply IH; intros j L; replace (S i + j)%nat with (i + S j)%nat by lia.
      apply (H (S j)); cbn; lia. }
  apply G; intros j L; split; [reflexivity | exact L].
Qed.

Section Soundness.
Variables (s : world R pair) (known : list (option term)) (xs : list R).
Hypothesis K : known_means (base_of xs) known (terms s).
Notation n := (length xs).
Notation t_ := (with_terms s xs).

Lemma fraction_of_means t x :
  fraction_of known n t = Some x -> sensible t_ t -> fraction_means xs x (denote t_ t).
Proof.
  unfold fraction_of; destruct (closed _ t) as [c|] eqn:C; [|discriminate]; intros F H.
  destruct (closed_means _ _ t_ t c (known_with_variables s known xs K) H C) as [M <-].
  rewrite <- (variables_are xs) at 1; exact (form_means _ _ c x M F).
Qed.

Lemma equal_fractions_means x y v w :
  equal_fractions x y = true -> fraction_means xs x v -> fraction_means xs y w -> v = w.
Proof.
  intros E [D ->] [D' ->]; apply (at_same xs) in E; rewrite !at_times in E.
  apply (Rmult_eq_reg_r (at_ xs (snd x) * at_ xs (snd y)));
    [|now apply Rmult_integral_contrapositive].
  transitivity (at_ xs (fst x) * at_ xs (snd y)); [field; auto|]; rewrite E; field; auto.
Qed.

Lemma no_negative_means p : forall l,
  Forall (Rle 0) l -> no_negative p = true -> 0 <= at_ l p.
Proof.
  assert (J : forall i l, Forall (Rle 0) l -> Forall (Rle 0) (BinList.jump i l)).
  { induction i; cbn [BinList.jump]; intros l H; auto.
    - apply IHi, IHi; destruct H; [constructor | assumption].
    - destruct H; [constructor | assumption]. }
  induction p as [c|i p IH|p IHp i q IHq]; intros l H N; cbn [no_negative] in N.
  - rewrite <- at_constant with (l := l) in *; apply Z.leb_le in N; now apply IZR_le.
  - unfold at_; cbn [Pphi]; apply IH; auto.
  - apply andb_prop in N as [N N']; unfold at_; cbn [Pphi].
    apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [now apply IHp|]|].
    + assert (P : 0 <= hd 0 l) by (destruct H; cbn; [lra | assumption]).
      clear -P; induction i; cbn [Ring_theory.pow_pos]; repeat apply Rmult_le_pos; assumption.
    + apply IHq; [|exact N']; destruct H; [constructor | assumption].
Qed.

Lemma one_sign_means x v :
  Forall (Rle 0) xs -> one_sign x = true -> fraction_means xs x v -> 0 <= v.
Proof.
  intros H O [D ->]; unfold one_sign in O.
  assert (G : forall a b, b <> 0 -> 0 <= a -> 0 <= b -> 0 <= a / b).
  { intros a b N A B; apply Rmult_le_pos; [exact A|]; apply Rlt_le, Rinv_0_lt_compat; lra. }
  apply orb_prop in O as [O|O]; apply andb_prop in O as [O O'];
    apply (no_negative_means _ xs H) in O, O'.
  - now apply G.
  - rewrite at_opposite in O, O'.
    replace (at_ xs (fst x) / at_ xs (snd x)) with (- at_ xs (fst x) / - at_ xs (snd x))
      by (field; lra).
    apply G; lra.
Qed.

Lemma is_square_means t : is_square t = true -> 0 <= denote t_ t.
Proof.
  destruct t as [| | | | |o u v| | | | | | | | |]; try discriminate.
  destruct o, v; try discriminate; cbn [is_square denote operation_of]; intros E.
  unfold power; rewrite Int_part_IZR; apply Z.even_spec in E as [k ->].
  assert (P : forall k, 0 <= denote t_ u ^ (2 * k)).
  { intros m; rewrite pow_mult; apply pow_le; cbn; rewrite Rmult_1_r; apply Rle_0_sqr. }
  destruct k as [|p|p]; cbn [Z.mul powerRZ]; [lra | |].
  - replace (Pos.to_nat _) with (2 * Pos.to_nat p)%nat by lia; apply P.
  - assert (Q : 0 <= / denote t_ u ^ (2 * Pos.to_nat p)).
    { destruct (P (Pos.to_nat p)) as [L| <-]; [now apply Rlt_le, Rinv_0_lt_compat | rewrite Rinv_0; lra]. }
    replace (Pos.to_nat _) with (2 * Pos.to_nat p)%nat by lia; exact Q.
Qed.

End Soundness.

Lemma with_terms_means s s' vs xs :
  world_means s s' -> Forall2 means vs xs -> world_means (with_terms s vs) (with_terms s' xs).
Proof. intros (T & M & P) H; repeat split; auto; now apply Forall2_app. Qed.
