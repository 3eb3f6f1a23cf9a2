(** * The checker of proofs that is extracted, and the theorem about it

    Steps by the rules of FORMAT.md; those by [orders] are read as claims. What a step says of all
    values of its variables is [shows]: wherever its terms have a meaning; a [Claim] also says that
    they have one. [proof_checker_sound] says that accepted steps show it. Who trusts the program
    reads [shows], [in_range] and [relates] of Claimed.v, [in_box], Sensible.v and Language.v. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Require Import Certificate Sensible Rational Checker Signs Claimed Boxes.
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
  | Claim (ranges : list range) (given : list statement) (relations : list (statement * why))
  | Nonnegative (box : list edge) (terms : list (term * reason)).

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
  | Nonnegative box terms => forall xs, in_box box xs ->
    let s := with_terms s xs in
    Forall (fun t => sensible s t -> 0 <= denote s t) (map fst terms)
  end.

(** ** The decision *)

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
  | Nonnegative box terms =>
    if forallb (fun x => shown_on prec longest s known box (fst x) (snd x)) terms
    then Known [] else Fault Undecided
  end.
End Computation.

Definition proof_checker (bits : positive) (longest : Z) (defs : list definition)
    (steps : list step) : answer (list (list term)) :=
  let prec := F.PtoP bits in
  let* s := world_of prec longest empty [] defs in
  each (checked_step prec longest s (fold_left known_after defs [])) steps.

(** ** It is sound *)

Section Soundness.
Variables (s : world R pair) (known : list (option term)) (xs : list R).
Hypothesis K : known_means (base_of xs) known (terms s).
Notation n := (length xs).
Notation t_ := (with_terms s xs).

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
    pose proof (fraction_of_means s known xs K _ _ A Sw) as MA; pose proof (fraction_of_means s known xs K _ _ B St) as MB.
    assert (G : 0 <= denote t_ t /\ Forall (fun t => 0 <= denote t_ t) hs).
    { destruct (one_sign b) eqn:Ob; [split; [exact (one_sign_means xs _ _ P Ob MB) | exact H]|].
      destruct (is_square t) eqn:Q; [split; [now apply (is_square_means s xs) | exact H]|].
      now apply Forall_cons_iff in H. }
    destruct G as [Nt G], (IH total hs eq_refl F G) as [v [MV Nv]].
    exists (denote t_ w * denote t_ t + v); split.
    + apply sum_of_means; [now apply product_of_means | exact MV].
    + pose proof (one_sign_means xs _ _ P O MA); apply Rplus_le_le_0_compat; [|exact Nv].
      now apply Rmult_le_pos.
Qed.
End Soundness.

Lemma checked_step_means prec longest s s' known x hypotheses :
  world_means s s' -> (forall xs, known_means (base_of xs) known (terms s')) ->
  checked_step prec longest s known x = Known hypotheses -> shows s' x hypotheses.
Proof.
  intros W K H; destruct x as [n equations|n conclusion products|values relations|ranges given relations
    |box terms];
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
  - destruct (forallb _ _) eqn:D; [|discriminate]; intros xs B; rewrite forallb_forall in D.
    apply Forall_forall; intros t T; apply in_map_iff in T as ([u why] & <- & T).
    exact (shown_on_means prec longest s known s' W K why box u xs (D _ T) B).
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
