(** * Terms on a box: the rule [nonnegative] of FORMAT.md

    A term is at least 0 on a box by its coefficients, as an interval computes it, on both parts of a
    box that is cut, or as it rises from, or falls to, an end ([reason]). [shown_on_means] says that
    it is so, wherever the term has a meaning. Who trusts the program reads [in_box]. *)

From Coq Require Import Reals QArith Qreals List Lra Lia ZArith Bool.
From Interval.Interval Require Import Interval Float_full.
From Interval.Real Require Import Xreal.
Require Import Certificate Sensible Rational Checker Signs Claimed.
Import ListNotations.
Open Scope R_scope.

(** The least value of each variable, and its largest one, if there is one. *)
Definition edge := (Q * option Q)%type.
Definition on_edge (e : edge) (x : R) : Prop :=
  Q2R (fst e) <= x /\ match snd e with Some q => x <= Q2R q | None => True end.
Definition in_box (box : list edge) (xs : list R) : Prop := Forall2 on_edge box xs.

Inductive reason :=
  | Coefficients | Value | Split (i : nat) (at_ : Q) (below above : reason)
  | Rises (i : nat) (slope least : reason) | Falls (i : nat) (slope largest : reason).

(** ** Lists with one place changed *)

Fixpoint set {A} (i : nat) (x : A) (l : list A) : list A :=
  match l, i with
  | [], _ => [] | _ :: l, O => x :: l | y :: l, S i => y :: set i x l
  end.

Lemma nth_set {A} i (x : A) l j d :
  (i < length l)%nat -> nth j (set i x l) d = if (j =? i)%nat then x else nth j l d.
Proof.
  revert i j; induction l as [|y l IH]; cbn; intros i j L; [lia|].
  destruct i, j; cbn; try reflexivity; apply IH; lia.
Qed.
Lemma set_app {A} i (x : A) k l : set (length k + i) x (k ++ l) = k ++ set i x l.
Proof. induction k; cbn; congruence. Qed.
Lemma length_set {A} i (x : A) l : length (set i x l) = length l.
Proof. revert i; induction l; intros [|i]; cbn; auto. Qed.
Lemma set_same {A} i (x : A) l : nth_error l i = Some x -> set i x l = l.
Proof.
  revert i; induction l as [|y l IH]; intros [|i] H; try discriminate; cbn in *; [congruence|].
  now rewrite IH.
Qed.
Lemma Forall2_set {A B} (P : A -> B -> Prop) i a b k l :
  P a b -> Forall2 P k l -> Forall2 P (set i a k) (set i b l).
Proof. intros H F; revert i; induction F; intros [|i]; cbn; constructor; auto. Qed.
Lemma Forall2_nth {A B} (P : A -> B -> Prop) k l i a :
  Forall2 P k l -> nth_error k i = Some a -> exists b, nth_error l i = Some b /\ P a b.
Proof.
  intros F; revert i; induction F as [|x y k l H F IH]; intros [|i] E; try discriminate.
  - injection E as <-; now exists y.
  - now apply IH.
Qed.

(** ** Slopes *)

(** Defined, with a derivative: as [sensible], but for roots of 0; and of few operations. *)
Fixpoint smooth (s : world R pair) (t : term) : Prop :=
  match t with
  | Int _ | Ratio _ _ | Pi => True
  | Var i => (i < length (terms s))%nat
  | Apply (Neg | Exp) t => smooth s t
  | Apply (Log | Sqrt) t => smooth s t /\ 0 < denote s t
  | Op (Add | Sub | Mul) t u => smooth s t /\ smooth s u
  | Op Div t u => smooth s t /\ smooth s u /\ denote s u <> 0
  | Op Pow t (Int n) => smooth s t /\ (0 <= n)%Z
  | _ => False
  end.

(** The derivative in the term of this place. *)
Fixpoint derivative (k : nat) (t : term) : option term :=
  let both f t u := match derivative k t, derivative k u with
    | Some d, Some e => Some (f d e) | _, _ => None end in
  match t with
  | Int _ | Ratio _ _ | Pi => Some (Int 0)
  | Var i => Some (Int (if (i =? k)%nat then 1 else 0))
  | Apply Neg t => option_map (Apply Neg) (derivative k t)
  | Apply Exp u => option_map (Op Mul t) (derivative k u)
  | Apply Log u => option_map (fun d => Op Div d u) (derivative k u)
  | Apply Sqrt u => option_map (fun d => Op Div d (Op Mul (Int 2) t)) (derivative k u)
  | Op Add t u => both (Op Add) t u
  | Op Sub t u => both (Op Sub) t u
  | Op Mul t u => both (fun d e => Op Add (Op Mul d u) (Op Mul t e)) t u
  | Op Div t u => both (fun d e => Op Div (Op Sub (Op Mul d u) (Op Mul t e)) (Op Mul u u)) t u
  | Op Pow t (Int n) =>
    if (n =? 0)%Z then Some (Int 0)
    else option_map (Op Mul (Op Mul (Int n) (Op Pow t (Int (n - 1))))) (derivative k t)
  | _ => None
  end.

Lemma smooth_sensible s t : smooth s t -> sensible s t.
Proof.
  induction t; cbn [smooth sensible]; try easy.
  - destruct f; cbn [function_is_defined]; try easy; intuition lra.
  - destruct o; try tauto; cbn [operation_is_defined]; try tauto.
    destruct t2; try easy; cbn [denote sensible]; intros [S N]; repeat split; auto; [now exists n|].
    intros L; apply lt_IZR in L; lia.
Qed.

Lemma power_nat x n : (0 <= n)%Z -> power x (IZR n) = x ^ Z.to_nat n.
Proof.
  intros N; unfold power; rewrite Int_part_IZR; destruct n; try lia; reflexivity.
Qed.

Section Slope.
Variables (s : world R pair) (k : nat).
Hypothesis K : (k < length (terms s))%nat.
Definition moved (v : R) : world R pair := World (set k v (terms s)) (matrices s) (pairs s).

Lemma derivative_sensible v t : smooth (moved v) t ->
  forall d, derivative k t = Some d -> sensible (moved v) d.
Proof.
  induction t; cbn [smooth derivative]; intros M slope H; try discriminate; try easy;
    try (injection H as <-; exact Logic.I).
  - destruct f; try easy; destruct (derivative k t) as [e|]; try discriminate; injection H as <-;
      cbn [sensible function_is_defined operation_is_defined denote operation_of function_of].
    + repeat split; auto.
    + repeat split; auto; now apply smooth_sensible.
    + destruct M as [M P]; repeat split; auto; [now apply smooth_sensible | lra].
    + destruct M as [M P]; repeat split; auto; [now apply smooth_sensible | lra |].
      pose proof (sqrt_lt_R0 _ P); lra.
  - destruct o; try easy.
    1-4: destruct (derivative k t1) as [e1|], (derivative k t2) as [e2|]; try discriminate;
      injection H as <-; cbn [sensible operation_is_defined denote operation_of].
    + repeat split; auto; [now apply IHt1 | now apply IHt2].
    + repeat split; auto; [now apply IHt1 | now apply IHt2].
    + destruct M as [M M']; repeat split; auto; now apply smooth_sensible.
    + destruct M as (M & M' & N); repeat split; auto; now apply smooth_sensible.
    + destruct t2; try easy; destruct M as [M N]; destruct (Z.eqb_spec n 0) as [E|E].
      * injection H as <-; exact Logic.I.
      * destruct (derivative k t1) as [e|]; [|discriminate]; injection H as <-.
        cbn [sensible operation_is_defined denote]; repeat split; auto.
        -- now apply smooth_sensible.
        -- now exists (n - 1)%Z.
        -- intros L; apply lt_IZR in L; lia.
Qed.

Theorem derivative_means v t : smooth (moved v) t -> forall d, derivative k t = Some d ->
  derivable_pt_lim (fun v => denote (moved v) t) v (denote (moved v) d).
Proof.
  induction t; cbn [smooth derivative]; intros M slope H; try discriminate; try easy;
    try (injection H as <-; exact (derivable_pt_lim_const _ v)).
  - injection H as <-; cbn [denote moved terms].
    assert (E : forall v, nth i (set k v (terms s)) 0 = if (i =? k)%nat then v else nth i (terms s) 0)
      by (intros; now apply nth_set).
    eapply derivable_pt_lim_ext; [intros w; symmetry; apply E|].
    destruct (i =? k)%nat; [apply derivable_pt_lim_id | apply derivable_pt_lim_const].
  - destruct f; try easy; destruct (derivative k t) as [e|]; try discriminate; injection H as <-.
    + exact (derivable_pt_lim_opp _ _ _ (IHt M _ eq_refl)).
    + exact (derivable_pt_lim_comp _ exp v _ _ (IHt M _ eq_refl) (derivable_pt_lim_exp _)).
    + destruct M as [M P].
      pose proof (derivable_pt_lim_comp _ ln v _ _ (IHt M _ eq_refl) (derivable_pt_lim_ln _ P)) as G.
      cbn [denote operation_of]; unfold Rdiv; rewrite Rmult_comm; exact G.
    + destruct M as [M P].
      pose proof (derivable_pt_lim_comp _ sqrt v _ _ (IHt M _ eq_refl) (derivable_pt_lim_sqrt _ P)) as G.
      cbn [denote operation_of]; unfold Rdiv; rewrite Rmult_comm; exact G.
  - destruct o; try easy.
    1-4: destruct (derivative k t1) as [e1|], (derivative k t2) as [e2|]; try discriminate;
      injection H as <-.
    + exact (derivable_pt_lim_plus _ _ _ _ _ (IHt1 (proj1 M) _ eq_refl) (IHt2 (proj2 M) _ eq_refl)).
    + exact (derivable_pt_lim_minus _ _ _ _ _ (IHt1 (proj1 M) _ eq_refl) (IHt2 (proj2 M) _ eq_refl)).
    + exact (derivable_pt_lim_mult _ _ _ _ _ (IHt1 (proj1 M) _ eq_refl) (IHt2 (proj2 M) _ eq_refl)).
    + destruct M as (M & M' & N).
      pose proof (derivable_pt_lim_div _ _ _ _ _ (IHt1 M _ eq_refl) (IHt2 M' _ eq_refl) N) as G.
      cbn [denote operation_of]; rewrite (Rmult_comm (denote (moved v) t1)); exact G.
    + destruct t2; try easy; destruct M as [M N].
      assert (E : forall w, denote (moved w) t1 ^ Z.to_nat n = denote (moved w) (Op Pow t1 (Int n)))
        by (intros; symmetry; now apply power_nat).
      eapply derivable_pt_lim_ext; [exact E|]; destruct (Z.eqb_spec n 0) as [->|L].
      * injection H as <-; exact (derivable_pt_lim_const 1 v).
      * destruct (derivative k t1) as [e|]; [|discriminate]; injection H as <-.
        pose proof (derivable_pt_lim_comp _ _ v _ _ (IHt1 M _ eq_refl)
          (derivable_pt_lim_pow (denote (moved v) t1) (Z.to_nat n))) as G.
        cbn [denote operation_of]; rewrite power_nat by lia.
        replace (Z.to_nat (n - 1)) with (Nat.pred (Z.to_nat n)) by lia.
        replace (IZR n) with (INR (Z.to_nat n)) by (rewrite INR_IZR_INZ, Z2Nat.id; auto).
        exact G.
Qed.
End Slope.

(** A function whose slope is not negative between two points rises there. *)
Lemma rising f g a b : a <= b -> (forall x, a <= x <= b -> derivable_pt_lim f x (g x) /\ 0 <= g x) ->
  f a <= f b.
Proof.
  intros [L| ->] H; [|lra].
  destruct (MVT_cor2 f g a b L (fun x I => proj1 (H x I))) as (c & E & I).
  pose proof (proj2 (H c (conj (Rlt_le _ _ (proj1 I)) (Rlt_le _ _ (proj2 I))))); nra.
Qed.

(** ** The decision *)

Definition constant_of (q : Q) : term := Ratio (Qnum q) (Qden q).
Definition range_of (e : edge) : range :=
  Range (Some (false, constant_of (fst e))) (option_map (fun q => (false, constant_of q)) (snd e)).

Lemma in_box_ranges s box xs : in_box box xs -> Forall2 (in_range s) (map range_of box) xs.
Proof.
  induction 1 as [|[lo [hi|]] x box xs [A B] _ IH]; cbn [map]; constructor; auto; split; cbn in *; auto.
Qed.

Section Decision.
Variables (prec : F.precision) (longest : Z) (s : world value (option joint)).
Variable known : list (option term).

Definition hull (e : edge) : option value :=
  match snd e with
  | Some hi =>
    if Qeq_bool (fst e) hi then Some (exact prec longest hi)
    else Some (Ball (I.join (ball_of prec (fst e)) (ball_of prec hi)))
  | None => None
  end.
Fixpoint hulls (box : list edge) : option (list value) :=
  match box with
  | [] => Some []
  | e :: box => match hull e, hulls box with Some v, Some vs => Some (v :: vs) | _, _ => None end
  end.

(** A relation on the whole box: as intervals compute it, or as a claim. *)
Definition holds_on (box : list edge) (c : statement) : bool :=
  match hulls box with
  | Some vs => match confirm prec longest (with_terms s vs) c with Known _ => true | _ => false end
  | None => false
  end || claim_is_decided known (map range_of box) [] [(c, BySum [])].

Definition is_orthant (box : list edge) : bool :=
  forallb (fun e => Qeq_bool (fst e) 0 && match snd e with Some _ => false | None => true end) box.
Definition by_coefficients (box : list edge) (t : term) : bool :=
  is_orthant box && match fraction_of known (length box) t with
                    | Some x => one_sign x | None => false end
  || claim_is_decided known (map range_of box) [] [((Ge, t, Int 0), BySum [])].

Fixpoint smooth_on (box : list edge) (t : term) : bool :=
  match t with
  | Int _ | Ratio _ _ | Pi => true
  | Var i => (i <? length known + length box)%nat
  | Apply (Neg | Exp) t => smooth_on box t
  | Apply (Log | Sqrt) t => smooth_on box t && holds_on box (Gt, t, Int 0)
  | Op (Add | Sub | Mul) t u => smooth_on box t && smooth_on box u
  | Op Div t u => smooth_on box t && smooth_on box u &&
    (holds_on box (Gt, u, Int 0) || holds_on box (Lt, u, Int 0))
  | Op Pow t (Int n) => smooth_on box t && (0 <=? n)%Z
  | _ => false
  end.

Fixpoint shown_on (box : list edge) (t : term) (why : reason) : bool :=
  match why with
  | Coefficients => by_coefficients box t
  | Value => holds_on box (Ge, t, Int 0)
  | Split i cut below above =>
    match nth_error box i with
    | Some (lo, hi) => shown_on (set i (lo, Some cut) box) t below
                       && shown_on (set i (cut, hi) box) t above
    | None => false
    end
  | Rises i slope least =>
    match nth_error box i, derivative (length known + i) t with
    | Some (lo, _), Some d =>
      smooth_on box t && shown_on box d slope && shown_on (set i (lo, Some lo) box) t least
    | _, _ => false
    end
  | Falls i slope largest =>
    match nth_error box i, derivative (length known + i) t with
    | Some (_, Some hi), Some d =>
      smooth_on box t && shown_on box (Apply Neg d) slope && shown_on (set i (hi, Some hi) box) t largest
    | _, _ => false
    end
  end.

(** ** It is right *)

Variable s' : world R pair.
Hypothesis W : world_means s s'.
Hypothesis K : forall xs, known_means (base_of xs) known (terms s').

Lemma length_known : length known = length (terms s').
Proof. exact (same_length _ _ _ (K [])). Qed.

Lemma hull_means e v x : hull e = Some v -> on_edge e x -> means v x.
Proof.
  unfold hull; destruct e as [lo [hi|]]; [|discriminate]; cbn [fst snd]; intros H [A B].
  destruct (Qeq_bool lo hi) eqn:E; injection H as <-; cbn [fst snd] in *.
  - apply Qeq_bool_eq, Qeq_eqR in E; apply exact_means; lra.
  - apply (contains_connected _ (Q2R lo) (Q2R hi)); [| |lra];
      apply I.join_correct; [left | right]; apply ball_of_means.
Qed.

Lemma hulls_mean box xs : in_box box xs -> forall vs, hulls box = Some vs -> Forall2 means vs xs.
Proof.
  induction 1 as [|e x box xs H _ IH]; cbn [hulls]; intros vs E; [injection E as <-; constructor|].
  destruct (hull e) as [v|] eqn:V; [|discriminate].
  destruct (hulls box) as [us|]; [|discriminate]; injection E as <-.
  constructor; auto; now apply (hull_means e).
Qed.

Lemma claim_holds box c xs : claim_is_decided known (map range_of box) [] [(c, BySum [])] = true ->
  in_box box xs -> true_of (with_terms s' xs) c.
Proof.
  intros D B.
  destruct (claim_means (base_of xs) (with_terms s' xs) known (terms s') xs _ _ _ eq_refl (K xs) D)
    as [_ G]; [now apply in_box_ranges | constructor | now inversion G].
Qed.

Lemma holds_on_means box c xs :
  holds_on box c = true -> in_box box xs -> true_of (with_terms s' xs) c.
Proof.
  intros H B; apply orb_true_iff in H as [H|H]; [|now apply (claim_holds box)].
  destruct (hulls box) as [vs|] eqn:V; [|discriminate].
  destruct (confirm _ _ _ c) as [u|] eqn:C; [|discriminate].
  apply (confirm_means prec longest (with_terms s vs) _ c u); [|exact C].
  destruct W as (T & M & P); repeat split; auto; apply Forall2_app; [exact T|].
  now apply (hulls_mean box).
Qed.

Lemma by_coefficients_means box t xs : by_coefficients box t = true -> in_box box xs ->
  sensible (with_terms s' xs) t -> 0 <= denote (with_terms s' xs) t.
Proof.
  intros H B S; apply orb_true_iff in H as [H|H].
  - apply andb_true_iff in H as [O H]; destruct (fraction_of _ _ t) as [x|] eqn:F; [|discriminate].
    rewrite (same_length _ _ _ B) in F.
    apply (one_sign_means xs x); [|exact H | exact (fraction_of_means s' known xs (K xs) t x F S)].
    unfold is_orthant in O; clear -O B; induction B as [|[lo hi] x box xs [A _] _ IH]; constructor;
      cbn in O; apply andb_true_iff in O as [O O']; auto.
    apply andb_true_iff in O as [O _]; apply Qeq_bool_eq, Qeq_eqR in O; cbn in A, O.
    rewrite O in A; unfold Q2R in A; cbn in A; lra.
  - destruct (claim_holds box (Ge, t, Int 0) xs H B) as (_ & _ & G); cbn in G; lra.
Qed.

Lemma smooth_on_means box t xs :
  smooth_on box t = true -> in_box box xs -> smooth (with_terms s' xs) t.
Proof.
  intros H B; induction t; cbn [smooth_on smooth] in *; try discriminate; try exact Logic.I.
  - apply Nat.ltb_lt in H; cbn; rewrite app_length, <- length_known, <- (same_length _ _ _ B); lia.
  - destruct f; try discriminate; auto; apply andb_true_iff in H as [H P]; split; auto;
      destruct (holds_on_means _ _ _ P B) as (_ & _ & G); cbn in G; lra.
  - destruct o; try discriminate.
    1-3: apply andb_true_iff in H as [H H']; auto.
    + apply andb_true_iff in H as [H N]; apply andb_true_iff in H as [H H']; repeat split; auto.
      apply orb_true_iff in N as [N|N];
        destruct (holds_on_means _ _ _ N B) as (_ & _ & G); cbn in G; lra.
    + destruct t2; try discriminate; apply andb_true_iff in H as [H N]; apply Z.leb_le in N; auto.
Qed.

(** Along one variable, from [a] to [b], where the slope is not negative. *)
Lemma along box t d i xs a b :
  in_box box xs -> nth_error xs i <> None -> a <= b -> derivative (length known + i) t = Some d ->
  smooth_on box t = true -> (forall v, a <= v <= b -> in_box box (set i v xs)) ->
  (forall v, a <= v <= b -> sensible (with_terms s' (set i v xs)) d ->
    0 <= denote (with_terms s' (set i v xs)) d) ->
  denote (with_terms s' (set i a xs)) t <= denote (with_terms s' (set i b xs)) t.
Proof.
  intros B N L D M Into P; rewrite length_known in D.
  assert (E : forall v, with_terms s' (set i v xs) =
    moved (with_terms s' xs) (length (terms s') + i) v)
    by (intros v; unfold moved; cbn; now rewrite set_app).
  assert (I : (length (terms s') + i < length (terms (with_terms s' xs)))%nat).
  { cbn; rewrite app_length; apply nth_error_Some in N; lia. }
  rewrite !E; apply (rising (fun v => denote (moved (with_terms s' xs) (length (terms s') + i) v) t)
    (fun v => denote (moved (with_terms s' xs) (length (terms s') + i) v) d)); [exact L|].
  intros v V; specialize (P v V).
  assert (S : smooth (moved (with_terms s' xs) (length (terms s') + i) v) t)
    by (rewrite <- E; apply (smooth_on_means box); auto).
  split; [now apply derivative_means|]; rewrite <- E; apply P; rewrite E.
  now apply (derivative_sensible _ _ I v t).
Qed.

Lemma into_box box xs i e x v :
  in_box box xs -> nth_error box i = Some e -> nth_error xs i = Some x -> on_edge e v ->
  in_box box (set i v xs).
Proof.
  intros B E X V; rewrite <- (set_same i e box E); now apply Forall2_set.
Qed.

Theorem shown_on_means why : forall box t xs,
  shown_on box t why = true -> in_box box xs ->
  sensible (with_terms s' xs) t -> 0 <= denote (with_terms s' xs) t.
Proof.
  induction why as [| |i cut below IHb above IHa|i slope IHs least IHl|i slope IHs largest IHl];
    intros box t xs H B S; cbn [shown_on] in H.
  - now apply (by_coefficients_means box).
  - destruct (holds_on_means _ _ _ H B) as (_ & _ & G); cbn in G; lra.
  - destruct (nth_error box i) as [[lo hi]|] eqn:E; [|discriminate].
    destruct (Forall2_nth _ _ _ _ _ B E) as (x & X & [A A']); cbn [fst snd] in *.
    apply andb_true_iff in H as [H H'].
    destruct (Rle_lt_dec x (Q2R cut)) as [L|L]; [apply (IHb _ t xs H) | apply (IHa _ t xs H')];
      auto; rewrite <- (set_same i x xs X); apply Forall2_set; auto; split; cbn; auto; lra.
  - destruct (nth_error box i) as [[lo hi]|] eqn:E; [|discriminate].
    destruct (derivative _ t) as [d|] eqn:D; [|discriminate].
    destruct (Forall2_nth _ _ _ _ _ B E) as (x & X & [A A']); cbn [fst snd] in *.
    apply andb_true_iff in H as [H HL]; apply andb_true_iff in H as [M HS].
    assert (Into : forall v, Q2R lo <= v <= x -> in_box box (set i v xs)).
    { intros v V; apply (into_box box xs i _ x v B E X); split; cbn; [lra|]; destruct hi; lra. }
    assert (G : 0 <= denote (with_terms s' (set i (Q2R lo) xs)) t).
    { apply (IHl _ t _ HL); [apply Forall2_set; auto; split; cbn; lra|].
      apply smooth_sensible, (smooth_on_means box); auto; apply Into; lra. }
    pose proof (along box t d i xs (Q2R lo) x B ltac:(congruence) A D M Into
      (fun v V => IHs box d _ HS (Into v V))) as R.
    rewrite (set_same i x xs X) in R; lra.
  - destruct (nth_error box i) as [[lo [hi|]]|] eqn:E; try discriminate.
    destruct (derivative _ t) as [d|] eqn:D; [|discriminate].
    destruct (Forall2_nth _ _ _ _ _ B E) as (x & X & [A A']); cbn [fst snd] in *.
    apply andb_true_iff in H as [H HL]; apply andb_true_iff in H as [M HS].
    assert (Into : forall v, x <= v <= Q2R hi -> in_box box (set i v xs)).
    { intros v V; apply (into_box box xs i _ x v B E X); split; cbn; lra. }
    assert (G : 0 <= denote (with_terms s' (set i (Q2R hi) xs)) t).
    { apply (IHl _ t _ HL); [apply Forall2_set; auto; split; cbn; lra|].
      apply smooth_sensible, (smooth_on_means box); auto; apply Into; lra. }
    pose proof (along box (Apply Neg t) (Apply Neg d) i xs x (Q2R hi) B ltac:(congruence) A'
      ltac:(cbn [derivative]; now rewrite D) M Into (fun v V => IHs box (Apply Neg d) _ HS (Into v V))) as R.
    rewrite (set_same i x xs X) in R; cbn [denote function_of] in R; lra.
Qed.
End Decision.
