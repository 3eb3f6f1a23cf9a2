(** * The checker of proofs that is extracted, and the theorem about it

    Steps by the rules [identity], [follows], [every] and [claim] of FORMAT.md. What a step says of
    all values of its variables is [shows]: wherever its terms have a meaning; a [Claim] also says
    that they have one. [proof_checker_sound] says that accepted steps show it. Who trusts the
    program reads [shows], Claimed.v's [in_range] and [relates], Sensible.v and Language.v. *)

From Coq Require Import Reals List Lra Lia ZArith Bool Ring_polynom.
From Coq Require BinList.
Require Import Certificate Sensible Rational Checker Claimed.
Import ListNotations.
Open Scope R_scope.

(** ** Steps, and what they say *)

(** [Identity n] and [Follows n] have n variables, which come after all definitions. [Follows] has the
    conclusion, and products of a multiplier and a slack; [Every] the values of each variable;
    [Claim] its range, whose ends are terms of the variables before. *)
Inductive step :=
| Identity (n : nat) (equations : list (term * term))
| Follows (n : nat) (conclusion : term) (products : list (term * term))
| Every (values : list (list term)) (relations : list statement)
  | Claim (ranges : list range) (given : list statement) (relations : list (statement * why)).

Definition with_terms {V P} (s : world V P) (xs : list V) : world V P :=
  World (terms s ++ xs) (matrices s) (pairs s).

Fixpoint choices (values : list (list term)) : list (list term) :=
  match values with
  | [] => [[]]
  | v :: rest => flat_map (fun t => map (cons t) (choices rest)) v
  end.

Definition both_sensible (s : world R pair) (x : term * term) : Prop :=
  sensible s (fst x) /\ sensible s (snd x).

(** What a step shows; [hypotheses] are those of [Follows]. *)
Definition shows (s : world R pair) (x : step) (hypotheses : list term) : Prop :=
  match x with
  | Identity n equations => forall xs, length xs = n ->
    let s := with_terms s xs in
    Forall (fun x => both_sensible s x -> denote s (fst x) = denote s (snd x)) equations
  | Follows n conclusion products => forall xs, length xs = n -> Forall (Rle 0) xs ->
    let s := with_terms s xs in
    sensible s conclusion -> Forall (both_sensible s) products ->
    Forall (fun t => 0 <= denote s t) hypotheses -> 0 <= denote s conclusion
  | Every values relations => Forall (fun ts => Forall (sensible s) ts /\
      Forall (true_of (with_terms s (map (denote s) ts))) relations) (choices values)
  | Claim ranges given relations => forall xs,
    let s := with_terms s xs in
    Forall2 (in_range s) ranges xs -> Forall (relates s) given ->
    Forall (sensible s) (flat_map ends_of ranges) /\
    Forall (true_of s) (given ++ map fst relations)
  end.

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

(** The sum of the products, and the slacks that are hypotheses. *)
Fixpoint combined known n (products : list (term * term)) : option (fraction * list term) :=
  match products with
  | [] => Some ((constant 0, constant 1), [])
  | (w, t) :: rest =>
    match fraction_of known n w, fraction_of known n t, combined known n rest with
    | Some x, Some y, Some (total, hypotheses) =>
      if one_sign x then
        Some (sum_of (product_of x y) total,
          if one_sign y || is_square t then hypotheses else t :: hypotheses)
      else None
    | _, _, _ => None
    end
  end.

(** A hypothesis that is the conclusion itself shows nothing. *)
Definition is_one_of known n (x : fraction) (hypotheses : list term) : bool :=
  existsb (fun t => match fraction_of known n t with
                    | Some y => equal_fractions x y | None => true end) hypotheses.

Definition same_sides known n (x : term * term) : answer unit :=
  match fraction_of known n (fst x), fraction_of known n (snd x) with
  | Some x, Some y =>
    if is_fraction x && is_fraction y then
      if equal_fractions x y then Known tt else Fault Untrue
    else Fault Undefined
  | _, _ => Fault Undecided
  end.

Section Computation.
Variables (prec : F.precision) (longest : Z).

(** Values that are listed twice are no two instances. *)
Fixpoint all_different (vs : list value) : bool :=
  match vs with
  | [] => true
  | v :: vs => forallb (fun w => is_true (decided prec Ne v w)) vs && all_different vs
  end.
Definition different s (ts : list term) : bool :=
  match each (value_of prec longest s) ts with Known vs => all_different vs | Fault _ => false end.

(** The hypotheses of a step that is right. *)
Definition checked_step (s : world value (option joint)) known (x : step) : answer (list term) :=
  match x with
  | Identity n equations => let* _ := each (same_sides known n) equations in Known []
  | Follows n conclusion products =>
    match fraction_of known n conclusion, combined known n products with
    | Some x, Some (total, hypotheses) =>
      if is_fraction x && is_fraction total then
        if equal_fractions x total && negb (is_one_of known n x hypotheses)
        then Known hypotheses else Fault Untrue
      else Fault Undefined
    | _, _ => Fault Undecided
    end
  | Every values relations =>
    if forallb (different s) values then
      let* _ := each (fun ts =>
        let* vs := each (value_of prec longest s) ts in
        each (confirm prec longest (with_terms s vs)) relations) (choices values) in
      Known []
    else Fault Undecided
  | Claim ranges given relations =>
    if claim_is_decided known ranges given relations then Known [] else Fault Undecided
  end.
End Computation.

Definition proof_checker (bits : positive) (longest : Z) (defs : list definition)
    (steps : list step) : answer (list (list term)) :=
  let prec := F.PtoP bits in
  let* s := world_of prec longest empty [] defs in
  each (checked_step prec longest s (fold_left known_after defs [])) steps.

(** ** It is sound *)

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

Lemma combined_means products : forall x hypotheses,
  Forall (Rle 0) xs -> combined known n products = Some (x, hypotheses) ->
  Forall (both_sensible t_) products -> Forall (fun t => 0 <= denote t_ t) hypotheses ->
  exists v, fraction_means xs x v /\ 0 <= v.
Proof.
  intros x hypotheses P; revert x hypotheses; induction products as [|[w t] rest IH];
    intros x hypotheses C F H; cbn [combined] in C.
  - injection C as <- <-; exists 0; split; [|lra]; split; cbn [fst snd]; rewrite !at_constant;
      [lra | field].
  - destruct (fraction_of known n w) as [a|] eqn:A; [|discriminate].
    destruct (fraction_of known n t) as [b|] eqn:B; [|discriminate].
    destruct (combined known n rest) as [[total hs]|]; [|discriminate].
    destruct (one_sign a) eqn:O; [|discriminate]; injection C as <- <-.
    apply Forall_cons_iff in F as [[Sw St] F]; cbn [fst snd] in Sw, St.
    pose proof (fraction_of_means _ _ A Sw) as MA; pose proof (fraction_of_means _ _ B St) as MB.
    assert (G : 0 <= denote t_ t /\ Forall (fun t => 0 <= denote t_ t) hs).
    { destruct (one_sign b) eqn:Ob; [split; [exact (one_sign_means _ _ P Ob MB) | exact H]|].
      destruct (is_square t) eqn:Q; [split; [now apply is_square_means | exact H]|].
      now apply Forall_cons_iff in H. }
    destruct G as [Nt G], (IH total hs eq_refl F G) as [v [MV Nv]].
    exists (denote t_ w * denote t_ t + v); split.
    + apply sum_of_means; [now apply product_of_means | exact MV].
    + pose proof (one_sign_means _ _ P O MA); apply Rplus_le_le_0_compat; [|exact Nv].
      now apply Rmult_le_pos.
Qed.
End Soundness.

Lemma with_terms_means s s' vs xs :
  world_means s s' -> Forall2 means vs xs -> world_means (with_terms s vs) (with_terms s' xs).
Proof. intros (T & M & P) H; repeat split; auto; now apply Forall2_app. Qed.

Lemma checked_step_means prec longest s s' known x hypotheses :
  world_means s s' -> (forall xs, known_means (base_of xs) known (terms s')) ->
  checked_step prec longest s known x = Known hypotheses -> shows s' x hypotheses.
Proof.
  intros W K H; destruct x as [n equations|n conclusion products|values relations|ranges given relations];
    cbn [checked_step shows] in *.
  - destruct (each _ _) as [us|] eqn:E; [|discriminate]; clear H; intros xs <-; cbn zeta.
    apply each_known in E; induction E as [|[t u] y es us H E IH]; constructor; [|exact IH].
    intros [St Su]; cbn [fst snd] in *; unfold same_sides in H; cbn [fst snd] in H.
    destruct (fraction_of _ _ t) as [a|] eqn:A; [|discriminate].
    destruct (fraction_of _ _ u) as [b|] eqn:B; [|discriminate].
    destruct (_ && _); [|discriminate]; destruct (equal_fractions a b) eqn:Q; [|discriminate].
    exact (equal_fractions_means xs _ _ _ _ Q (fraction_of_means s' known xs (K xs) _ _ A St)
      (fraction_of_means s' known xs (K xs) _ _ B Su)).
  - destruct (fraction_of _ _ conclusion) as [a|] eqn:A; [|discriminate].
    destruct (combined _ _ _) as [[total hs]|] eqn:C; [|discriminate].
    destruct (_ && _); [|discriminate]; destruct (equal_fractions a total) eqn:Q; [|discriminate].
    destruct (negb _); [|discriminate]; injection H as <-; intros xs <- P; cbn zeta; intros Sc F G.
    destruct (combined_means s' known xs (K xs) products _ _ P C F G) as [v [MV Nv]].
    rewrite (equal_fractions_means xs _ _ _ _ Q (fraction_of_means s' known xs (K xs) _ _ A Sc) MV).
    exact Nv.
  - destruct (forallb _ _); [|discriminate].
    destruct (each _ _) as [us|] eqn:E; [|discriminate]; clear H.
    apply each_known in E; induction E as [|ts y cs us H E IH]; constructor; [|exact IH].
    destruct (each (value_of _ _ _) ts) as [vs|] eqn:V; [|discriminate].
    destruct (values_means _ _ _ _ _ _ W V) as [S M]; split; [exact S|].
    apply each_known in H; clear -H W M; induction H as [|r z rs zs H E IH]; constructor; [|exact IH].
    exact (confirm_means _ _ _ _ _ _ (with_terms_means _ _ _ _ W M) H).
  - destruct (claim_is_decided _ _ _ _) eqn:D; [|discriminate]; intros xs.
    exact (claim_means (base_of xs) (with_terms s' xs) known (terms s') xs _ _ _ eq_refl (K xs) D).
Qed.

Theorem proof_checker_sound bits longest defs steps hypotheses :
  proof_checker bits longest defs steps = Known hypotheses ->
  all_lawful empty defs /\ Forall2 (shows (fold_left define defs empty)) steps hypotheses.
Proof.
  unfold proof_checker; intros H; destruct (world_of _ _ _ _ _) as [s|] eqn:W; [|discriminate].
  destruct (world_of_means _ _ empty _ _ _ _ _ empty_means (Forall2_nil _) W) as (L & M & _).
  split; [exact L|].
  assert (K : forall xs, known_means (base_of xs) (fold_left known_after defs [])
      (terms (fold_left define defs empty))).
  { intros xs; exact (proj2 (proj2 (world_of_means _ _ (base_of xs) _ _ _ _ _ empty_means
      (Forall2_nil _) W))). }
  apply each_known in H; induction H as [|x h xs hs H F IH]; constructor; [|exact IH].
  exact (checked_step_means _ _ _ _ _ _ _ M K H).
Qed.
