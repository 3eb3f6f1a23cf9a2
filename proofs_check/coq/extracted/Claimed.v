(** * Claims about numbers, in the terms of certificates

    The rule [claim] of FORMAT.md: variables in ranges that meet what is given, and relations that
    hold there. Each variable becomes a form of Numbers.v in slacks, whose program decides the
    relations by their reasons. [claim_means]: what is decided is true, and no part of it lacks a
    meaning there. Who trusts the program reads [in_range] and [relates]. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Require Import Certificate Sensible Rational Checker.
Require Numbers.
Import ListNotations.
Open Scope R_scope.

(** An end of a range, if there is one: whether it is open, and a term of the variables before. *)
Definition bound := option (bool * term).
Record range := Range { least : bound; most : bound }.

Definition precedes (is_open : bool) (x y : R) : Prop := if is_open then x < y else x <= y.
Definition in_range (s : world R pair) (g : range) (x : R) : Prop :=
  match least g with Some (o, t) => precedes o (denote s t) x | None => True end /\
  match most g with Some (o, t) => precedes o x (denote s t) | None => True end.
Definition relates (s : world R pair) (c : statement) : Prop :=
  let '(r, t, u) := c in holds r (denote s t) (denote s u).

(** Why a relation holds: after multiples of hypotheses, by their places; or in two cases. *)
Inductive why := BySum (parts : list (term * nat)) | ByCases (u : term) (above below : why).

(** ** Terms as forms in slacks *)

Definition environment := list (option Numbers.form).

Definition form_for (o : operation) : option (Numbers.form -> Numbers.form -> Numbers.form) :=
  match o with
  | Add => Some Numbers.Plus | Sub => Some Numbers.Minus | Mul => Some Numbers.Times
  | Div => Some Numbers.Over | Max => Some Numbers.Largest | Min => Some Numbers.Least
  | Pow | Binom => None
  end.
Definition power_form (f : Numbers.form) (n : Z) : Numbers.form :=
  let p := Numbers.Raised f (Z.abs_nat n) in
  if (n <? 0)%Z then Numbers.Over (Numbers.Number 1) p else p.
Fixpoint form_of (env : environment) (t : term) : option Numbers.form :=
  match t with
  | Int n => Some (Numbers.Number n)
  | Ratio n d => Some (Numbers.Over (Numbers.Number n) (Numbers.Number (Zpos d)))
  | Var i => match nth_error env i with Some f => f | None => None end
  | Apply Neg t => option_map Numbers.Negative (form_of env t)
  | Apply Abs t => option_map Numbers.Absolute (form_of env t)
  | Apply Pos t => option_map Numbers.Positive (form_of env t)
  | Op Pow t (Int n) =>
    if (Z.abs n <=? highest)%Z then option_map (fun f => power_form f n) (form_of env t) else None
  | Op o t u =>
    match form_for o, form_of env t, form_of env u with
    | Some op, Some f, Some g => Some (op f g)
    | _, _, _ => None
    end
  | _ => None
  end.

Fixpoint defined (r : list R) (f : Numbers.form) : Prop :=
  match f with
  | Numbers.Number _ | Numbers.Slack _ => True
  | Numbers.Over f g => defined r f /\ defined r g /\ Numbers.real r g <> 0
  | Numbers.Plus f g | Numbers.Minus f g | Numbers.Times f g
  | Numbers.Largest f g | Numbers.Least f g => defined r f /\ defined r g
  | Numbers.Negative f | Numbers.Raised f _ | Numbers.Positive f | Numbers.Absolute f => defined r f
  end.

(** What stands for the variables, also when slacks come after them. *)
Definition env_means (env : environment) (s : world R pair) (r : list R) : Prop :=
  forall i f, nth_error env i = Some (Some f) ->
    (i < length (terms s))%nat /\ forall more, Numbers.real (r ++ more) f = nth i (terms s) 0.

Lemma power_form_means r f n :
  Numbers.real r (power_form f n) = powerRZ (Numbers.real r f) n /\
  (defined r (power_form f n) -> defined r f /\ ((n < 0)%Z -> Numbers.real r f <> 0)).
Proof.
  unfold power_form; destruct (Z.ltb_spec n 0) as [L|L]; cbn [Numbers.real defined].
  - destruct n as [|p|p]; try lia; cbn [Z.abs_nat powerRZ]; split; [unfold Rdiv; ring|].
    intros (_ & D & N); split; [exact D|]; intros _ E; apply N; rewrite E; apply pow_i; lia.
  - split; [destruct n; try lia; reflexivity|]; intros D; split; [exact D | lia].
Qed.

Lemma form_of_means env s r more t : env_means env s r -> forall f, form_of env t = Some f ->
  Numbers.real (r ++ more) f = denote s t /\ (defined (r ++ more) f -> sensible s t).
Proof.
  intros M; induction t; cbn [form_of]; intros g H; try discriminate.
  - injection H as <-; split; [reflexivity | easy].
  - injection H as <-; split; [reflexivity | easy].
  - destruct (nth_error env i) as [o|] eqn:E; [|discriminate]; subst o.
    destruct (M _ _ E) as [L V]; split; [apply V | intros _; exact L].
  - destruct f; try discriminate; destruct (form_of env t) as [f|]; try discriminate;
      injection H as <-; destruct (IHt _ eq_refl) as [V S]; cbn; rewrite V; tauto.
  - assert (G : forall op, form_for o = Some op -> (forall f h, form_of env t1 = Some f ->
        form_of env t2 = Some h -> Numbers.real (r ++ more) (op f h) = operation_of o (denote s t1) (denote s t2)
        /\ (defined (r ++ more) (op f h) -> sensible s (Op o t1 t2)))).
    { intros op E f h F G; destruct (IHt1 _ F) as [V S], (IHt2 _ G) as [V' S'].
      destruct o; try discriminate; injection E as <-;
        cbn [Numbers.real defined operation_of sensible operation_is_defined]; rewrite V, V'; tauto. }
    assert (G' : forall o', o = o' -> match form_for o', form_of env t1, form_of env t2 with
        | Some op, Some f, Some g => Some (op f g) | _, _, _ => None end = Some g ->
        Numbers.real (r ++ more) g = denote s (Op o t1 t2) /\
        (defined (r ++ more) g -> sensible s (Op o t1 t2))).
    { intros o' <- K; destruct (form_for o) as [op|] eqn:E; [|discriminate].
      destruct (form_of env t1) as [f|] eqn:F, (form_of env t2) as [h|] eqn:F'; try discriminate.
      injection K as <-; now apply G. }
    destruct o; try (exact (G' _ eq_refl H)); try discriminate.
    destruct t2; try discriminate.
    destruct (_ <=? _)%Z; [|discriminate]; destruct (form_of env t1) as [f|]; [|discriminate].
    injection H as <-; destruct (IHt1 _ eq_refl) as [V S].
    destruct (power_form_means (r ++ more) f n) as [E D]; rewrite V in E, D.
    cbn [denote operation_of sensible operation_is_defined]; unfold power.
    rewrite Int_part_IZR; split; [exact E|]; intros K; destruct (D K) as [D1 D2].
    repeat split; auto; [now exists n | intros L; apply D2; now apply lt_IZR].
Qed.

(** ** What the program of Numbers.v evaluates has no denominator that is 0 *)

Section Defined.
Variables (open : list bool) (pairs : list nat) (r : list R).
Hypothesis I : Numbers.inside open pairs r.

Lemma evaluated_defined facts t : Forall (Numbers.known r) facts ->
  forall x, Numbers.evaluated open pairs facts t = Some x -> defined r t.
Proof.
  intros F; induction t; cbn [Numbers.evaluated defined]; intros x H; try exact Logic.I;
    try (destruct (Numbers.evaluated open pairs facts t1) as [x1|] eqn:E1; [|discriminate];
         destruct (Numbers.evaluated open pairs facts t2) as [x2|] eqn:E2; [|discriminate];
         specialize (IHt1 _ eq_refl); specialize (IHt2 _ eq_refl); try tauto);
    try (destruct (Numbers.evaluated open pairs facts t) as [x1|]; [|discriminate]; exact (IHt _ eq_refl)).
  repeat split; auto.
  pose proof (Numbers.evaluated_means _ _ _ I facts t2 F _ E2) as M.
  cbn [Numbers.both] in H; unfold Numbers.quotient in H.
  destruct (Numbers.is_sure open pairs facts x2) eqn:S.
  - pose proof (Numbers.is_sure_means _ _ _ I facts x2 _ F M S); lra.
  - destruct (Numbers.above_0 _ _ _ _) eqn:N; [|discriminate].
    pose proof (Numbers.above_0_means _ _ _ I facts _ _ F (Numbers.opposite_means r _ _ (proj1 M)) N); lra.
Qed.

Lemma fraction_defined facts t x : Forall (Numbers.known r) facts ->
  Numbers.fraction_of open pairs facts t = Some x -> defined r t.
Proof.
  unfold Numbers.fraction_of; intros F H.
  destruct (Numbers.evaluated open pairs facts t) eqn:E; [|discriminate].
  now apply (evaluated_defined facts t F _ E).
Qed.

Lemma decided_defined s t reason : forall facts, Forall (Numbers.known r) facts ->
  Numbers.decided open pairs facts s t reason = true -> defined r t.
Proof.
  induction reason as [parts|u above IHa below IHb]; intros facts F H; cbn [Numbers.decided] in H.
  - destruct (Numbers.fraction_of open pairs facts t) as [x|] eqn:X; [|discriminate].
    exact (fraction_defined facts t x F X).
  - destruct (Numbers.fraction_of open pairs facts u) as [x|] eqn:X; [|discriminate].
    apply (Numbers.fraction_of_means _ _ _ I facts u F) in X; apply andb_true_iff in H as [H H'].
    destruct (Rle_lt_dec 0 (Numbers.real r u)) as [L|L].
    + apply (IHa (facts ++ [(Numbers.AtLeast, x)])); [|exact H].
      apply Forall_app; split; [exact F|]; constructor; [|constructor].
      now exists (Numbers.real r u).
    + apply (IHb (facts ++ [(Numbers.AtLeast, Numbers.opposite x)])); [|exact H'].
      apply Forall_app; split; [exact F|]; constructor; [|constructor].
      exists (- Numbers.real r u); split; [now apply Numbers.opposite_means | cbn; lra].
Qed.

Lemma all_facts_means given : Forall (fun g => Numbers.holds (fst g) (Numbers.real r (snd g))) given ->
  forall facts, Numbers.all_facts open pairs given = Some facts ->
  Forall (Numbers.known r) facts /\ Forall (fun g => defined r (snd g)) given.
Proof.
  induction 1 as [|[g f] given H _ IH]; intros facts E; cbn [Numbers.all_facts] in E.
  - injection E as <-; split; constructor.
  - destruct (Numbers.fraction_of open pairs [] f) as [x|] eqn:X; [|discriminate].
    destruct (Numbers.all_facts open pairs given) as [found|]; [|discriminate]; injection E as <-.
    destruct (IH _ eq_refl) as [K D]; split; constructor; auto.
    + exists (Numbers.real r f); split; [|exact H].
      now apply (Numbers.fraction_of_means _ _ _ I []).
    + now apply (fraction_defined [] f x).
Qed.
End Defined.

(** ** Variables, in their order, as forms in slacks *)

Record layout := Layout { env : environment; open : list bool; pairs_of : list nat }.

Definition extended (l : layout) (f : Numbers.form) (o : list bool) (p : list nat) : layout :=
  Layout (env l ++ [Some f]) (open l ++ o) (pairs_of l ++ p).
Definition with_range (l : layout) (g : range) : option layout :=
  let i := length (open l) in
  let t := Numbers.Slack i in
  let u := Numbers.Slack (S i) in
  match least g, most g with
  | None, None => Some (extended l (Numbers.Minus t u) [false; false] [])
  | Some (o, a), None => option_map (fun f => extended l (Numbers.Plus f t) [o] []) (form_of (env l) a)
  | None, Some (o, b) => option_map (fun f => extended l (Numbers.Minus f t) [o] []) (form_of (env l) b)
  | Some (o, a), Some (p, b) =>
    match form_of (env l) a, form_of (env l) b with
    | Some f, Some h =>
      Some (extended l (Numbers.Plus (Numbers.Times f t) (Numbers.Times h u)) [p; o] [i])
    | _, _ => None
    end
  end.
Fixpoint laid_out (l : layout) (ranges : list range) : option layout :=
  match ranges with
  | [] => Some l
  | g :: ranges => match with_range l g with Some l => laid_out l ranges | None => None end
  end.

Definition fits (s : world R pair) (l : layout) (r : list R) : Prop :=
  env_means (env l) s r /\
  Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) (open l) r /\
  Forall (fun j => forall more, nth j (r ++ more) 1 + nth (S j) (r ++ more) 1 = 1) (pairs_of l).

Lemma fits_inside s l r : fits s l r -> Numbers.inside (open l) (pairs_of l) r.
Proof.
  intros (_ & O & P); split; [exact O|]; eapply Forall_impl; [|exact P].
  intros j H; specialize (H []); now rewrite app_nil_r in H.
Qed.

Lemma nth_new {A} (r : list A) x new more d : nth (length r) ((r ++ x :: new) ++ more) d = x.
Proof. rewrite <- app_assoc, app_nth2, Nat.sub_diag; [reflexivity | lia]. Qed.
Lemma nth_new' {A} (r : list A) x y new more d : nth (S (length r)) ((r ++ x :: y :: new) ++ more) d = y.
Proof.
  rewrite <- app_assoc, app_nth2 by lia.
  now replace (S (length r) - length r)%nat with 1%nat by lia.
Qed.

Lemma extended_fits s l r f o new p x :
  fits s l r -> nth_error (terms s) (length (env l)) = Some x ->
  (forall more, Numbers.real ((r ++ new) ++ more) f = x) ->
  Forall2 (fun (b : bool) x => if b then 0 < x else 0 <= x) o new ->
  Forall (fun j => forall more, nth j ((r ++ new) ++ more) 1 + nth (S j) ((r ++ new) ++ more) 1 = 1) p ->
  fits s (extended l f o p) (r ++ new).
Proof.
  intros (E & O & P) X V O' P'; split; [|split]; cbn [extended env open pairs_of].
  - intros i h H; destruct (Nat.lt_ge_cases i (length (env l))) as [L|L].
    + rewrite nth_error_app1 in H by exact L; destruct (E _ _ H) as [N W].
      split; [exact N|]; intros more; rewrite <- app_assoc; apply W.
    + rewrite nth_error_app2 in H by exact L.
      destruct (i - length (env l))%nat as [|k] eqn:K; [|now destruct k].
      injection H as <-; replace i with (length (env l)) by lia; split.
      * apply nth_error_Some; now rewrite X.
      * intros more; now rewrite V, (nth_error_nth _ _ 0 X).
  - now apply Forall2_app.
  - apply Forall_app; split; [|exact P']; eapply Forall_impl; [|exact P].
    intros j H more; rewrite <- app_assoc; apply H.
Qed.

Lemma slack_of (o : bool) a x : precedes o a x -> exists t, (if o then 0 < t else 0 <= t) /\ x = a + t.
Proof. destruct o; [apply Numbers.above | apply Numbers.from]. Qed.

Lemma with_range_fits s l l' r g x :
  fits s l r -> nth_error (terms s) (length (env l)) = Some x -> in_range s g x ->
  with_range l g = Some l' -> exists new, fits s l' (r ++ new).
Proof.
  intros F X [A B] H; unfold with_range in H.
  assert (L : length (open l) = length r) by exact (same_length _ _ _ (proj1 (proj2 F))).
  assert (V : forall t f, form_of (env l) t = Some f -> forall new more,
      Numbers.real ((r ++ new) ++ more) f = denote s t).
  { intros t f E new more; rewrite <- app_assoc.
    exact (proj1 (form_of_means _ _ _ (new ++ more) t (proj1 F) f E)). }
  rewrite L in H; destruct (least g) as [[o a]|], (most g) as [[p b]|].
  - destruct (form_of (env l) a) as [f|] eqn:Fa; [|discriminate].
    destruct (form_of (env l) b) as [h|] eqn:Fb; [|discriminate]; injection H as <-.
    assert (A' : denote s a <= x) by (destruct o; cbn in A; lra).
    assert (B' : x <= denote s b) by (destruct p; cbn in B; lra).
    destruct (Numbers.between _ _ _ A' B') as (u & t & U & T & E & -> & Al & Bl).
    exists [u; t]; eapply extended_fits; eauto.
    + intros more; cbn [Numbers.real]; rewrite nth_new, nth_new', (V _ _ Fa), (V _ _ Fb); reflexivity.
    + constructor; [|constructor; [|constructor]].
      * destruct p; [now apply Bl | exact U].
      * destruct o; [now apply Al | exact T].
    + constructor; [|constructor]; intros more; now rewrite nth_new, nth_new'.
  - destruct (form_of (env l) a) as [f|] eqn:Fa; [|discriminate]; injection H as <-.
    destruct (slack_of _ _ _ A) as (t & T & ->); exists [t]; eapply extended_fits; eauto.
    intros more; cbn [Numbers.real]; now rewrite nth_new, (V _ _ Fa).
  - destruct (form_of (env l) b) as [f|] eqn:Fb; [|discriminate]; injection H as <-.
    destruct (slack_of _ _ _ B) as (t & T & E); exists [t]; eapply extended_fits; eauto.
    intros more; cbn [Numbers.real]; rewrite nth_new, (V _ _ Fb); lra.
  - injection H as <-; destruct (Numbers.signed x) as (t & u & T & U & ->).
    exists [t; u]; eapply extended_fits; eauto.
    intros more; cbn [Numbers.real]; now rewrite nth_new, nth_new'.
Qed.

Lemma laid_out_fits s ranges : forall l l' r front xs,
  fits s l r -> terms s = front ++ xs -> length front = length (env l) ->
  Forall2 (in_range s) ranges xs -> laid_out l ranges = Some l' -> exists r', fits s l' r'.
Proof.
  induction ranges as [|g ranges IH]; intros l l' r front xs F E N G H; cbn [laid_out] in H.
  - injection H as <-; now exists r.
  - destruct (with_range l g) as [m|] eqn:W; [|discriminate].
    inversion G as [|? x ? ys Gx Gs]; subst.
    assert (X : nth_error (terms s) (length (env l)) = Some x).
    { rewrite E, nth_error_app2, N, Nat.sub_diag by lia; reflexivity. }
    destruct (with_range_fits _ _ _ _ _ _ F X Gx W) as [new F'].
    apply (IH m l' (r ++ new) (front ++ [x]) ys); auto.
    + now rewrite E, <- app_assoc.
    + enough (length (env m) = S (length (env l))) by (rewrite app_length; cbn; lia).
      unfold with_range in W.
      destruct (least g) as [[o a]|], (most g) as [[p b]|];
        try destruct (form_of (env l) a); try destruct (form_of (env l) b); try discriminate;
        injection W as <-; cbn; rewrite app_length; cbn; lia.
Qed.

(** ** Relations as signs of differences *)

Definition difference (env : environment) (c : statement) : option (Numbers.sign * Numbers.form) :=
  let '(r, a, b) := c in
  match form_of env a, form_of env b with
  | Some f, Some g =>
    match r with
    | Lt => Some (Numbers.Above, Numbers.Minus g f)
    | Le => Some (Numbers.AtLeast, Numbers.Minus g f)
    | Eq => Some (Numbers.Zero, Numbers.Minus f g)
    | Ge => Some (Numbers.AtLeast, Numbers.Minus f g)
    | Gt => Some (Numbers.Above, Numbers.Minus f g)
    | Ne => None
    end
  | _, _ => None
  end.

Lemma difference_means env s r c x : env_means env s r -> difference env c = Some x ->
  (relates s c <-> Numbers.holds (fst x) (Numbers.real r (snd x))) /\
  (defined r (snd x) -> relates s c -> true_of s c).
Proof.
  intros M; destruct c as [[o a] b]; cbn [difference relates true_of]; intros H.
  destruct (form_of env a) as [f|] eqn:F; [|discriminate].
  destruct (form_of env b) as [g|] eqn:G; [|discriminate].
  destruct (form_of_means env s r [] a M f F) as [V S].
  destruct (form_of_means env s r [] b M g G) as [V' S'].
  rewrite app_nil_r in *; rewrite <- V, <- V'.
  destruct o; try discriminate; injection H as <-; cbn [fst snd Numbers.real Numbers.holds defined];
    (split; [split; cbn; intros; lra | rewrite V, V'; tauto]).
Qed.

(** ** Reasons; no proof says that they were read right *)

Fixpoint all_some {A B} (f : A -> option B) (xs : list A) : option (list B) :=
  match xs with
  | [] => Some []
  | x :: xs => match f x, all_some f xs with Some y, Some ys => Some (y :: ys) | _, _ => None end
  end.
Definition part_of env (p : term * nat) : option (Numbers.form * nat) :=
  option_map (fun f => (f, snd p)) (form_of env (fst p)).
Fixpoint reason_of (env : environment) (w : why) : option Numbers.reason :=
  match w with
  | BySum parts => option_map Numbers.Sum (all_some (part_of env) parts)
  | ByCases u above below =>
    match form_of env u, reason_of env above, reason_of env below with
    | Some f, Some a, Some b => Some (Numbers.Cases f a b)
    | _, _, _ => None
    end
  end.

(** ** The decision, and that it is right *)

Definition ends_of (g : range) : list term :=
  match least g with Some (_, t) => [t] | None => [] end ++
  match most g with Some (_, t) => [t] | None => [] end.
Definition has_fraction (l : layout) (t : term) : bool :=
  match form_of (env l) t with
  | Some f => match Numbers.fraction_of (open l) (pairs_of l) [] f with Some _ => true | None => false end
  | None => false
  end.
Definition is_decided (l : layout) given (x : statement * why) : bool :=
  match difference (env l) (fst x), reason_of (env l) (snd x) with
  | Some (s, f), Some reason => Numbers.decides (open l) (pairs_of l) given s f reason
  | _, _ => false
  end.

(** The definitions that are closed, as forms. *)
Definition first_layout (known : list (option term)) : layout :=
  Layout (map (fun o => match o with Some c => form_of [] c | None => None end) known) [] [].

Definition claim_is_decided known (ranges : list range) (given : list statement)
    (relations : list (statement * why)) : bool :=
  match laid_out (first_layout known) ranges with
  | Some l =>
    match all_some (difference (env l)) given with
    | Some facts =>
      match Numbers.all_facts (open l) (pairs_of l) facts with Some _ => true | None => false end
      && forallb (has_fraction l) (flat_map ends_of ranges)
      && forallb (is_decided l facts) relations
    | None => false
    end
  | None => false
  end.

Lemma all_some_means {A B} (f : A -> option B) xs : forall ys,
  all_some f xs = Some ys -> Forall2 (fun x y => f x = Some y) xs ys.
Proof.
  induction xs as [|x xs IH]; cbn; intros ys H; [injection H as <-; constructor|].
  destruct (f x) as [y|] eqn:E; [|discriminate].
  destruct (all_some f xs) as [zs|]; [|discriminate]; injection H as <-; constructor; auto.
Qed.

Theorem claim_means base (s : world R pair) known before xs ranges given relations :
  terms s = before ++ xs -> known_means base known before ->
  claim_is_decided known ranges given relations = true ->
  Forall2 (in_range s) ranges xs -> Forall (relates s) given ->
  Forall (sensible s) (flat_map ends_of ranges) /\ Forall (true_of s) (given ++ map fst relations).
Proof.
  intros E K H G Q; unfold claim_is_decided in H.
  destruct (laid_out _ _) as [l|] eqn:L; [|discriminate].
  destruct (all_some _ given) as [facts|] eqn:D; [|discriminate].
  apply andb_true_iff in H as [H HR]; apply andb_true_iff in H as [HF HE].
  destruct (Numbers.all_facts _ _ facts) as [fs|] eqn:FS; [|discriminate].
  assert (F0 : fits s (first_layout known) []).
  { split; [|split; constructor]; cbn [first_layout env]; intros i f H.
    rewrite nth_error_map in H; destruct (nth_error known i) as [[c|]|] eqn:N; try discriminate.
    injection H as H; destruct (nth_error_related _ _ _ _ _ K N) as [x [Y [_ V]]]; split.
    - rewrite E, app_length; enough (i < length before)%nat by lia.
      apply nth_error_Some; now rewrite Y.
    - intros more; rewrite E, app_nth1, (nth_error_nth _ _ 0 Y), <- V
        by (apply nth_error_Some; now rewrite Y).
      apply (form_of_means [] base [] more c); [|exact H].
      intros j; now destruct j. }
  destruct (laid_out_fits s ranges _ l [] before xs F0 E) as [r F]; auto.
  { cbn; rewrite map_length; symmetry; exact (same_length _ _ _ K). }
  pose proof (fits_inside _ _ _ F) as I; destruct F as [M _].
  assert (Gs : Forall (fun g => Numbers.holds (fst g) (Numbers.real r (snd g))) facts).
  { apply all_some_means in D; clear -D Q M; induction D as [|c x cs fs H D IH]; constructor;
      apply Forall_cons_iff in Q as [Qc Qs]; auto.
    now apply (proj1 (difference_means _ _ _ _ _ M H)). }
  destruct (all_facts_means _ _ _ I _ Gs _ FS) as [Kf Df]; split.
  - rewrite forallb_forall in HE; apply Forall_forall; intros t T; specialize (HE t T).
    unfold has_fraction in HE; destruct (form_of (env l) t) as [f|] eqn:Ft; [|discriminate].
    destruct (Numbers.fraction_of _ _ _ f) as [x|] eqn:X; [|discriminate].
    apply (fraction_defined _ _ _ I [] f x) in X; [|constructor].
    destruct (form_of_means (env l) s r [] t M f Ft) as [_ S]; rewrite app_nil_r in S; auto.
  - apply Forall_app; split.
    + apply all_some_means in D; clear -D Q M Df; induction D as [|c x cs fs H D IH]; constructor;
        apply Forall_cons_iff in Q as [Qc Qs]; apply Forall_cons_iff in Df as [Dx Ds]; auto.
      now apply (proj2 (difference_means _ _ _ _ _ M H)).
    + rewrite forallb_forall in HR; apply Forall_forall; intros c C.
      apply in_map_iff in C as ((c' & w) & <- & C); specialize (HR _ C); cbn [fst snd] in *.
      unfold is_decided in HR; cbn [fst snd] in HR.
      destruct (difference (env l) c') as [[o f]|] eqn:X; [|discriminate].
      destruct (reason_of (env l) w) as [reason|]; [|discriminate].
      destruct (difference_means _ _ _ _ _ M X) as [V S]; cbn [fst snd] in V, S.
      apply S.
      * unfold Numbers.decides in HR; rewrite FS in HR.
        exact (decided_defined _ _ _ I _ _ _ _ Kf HR).
      * apply V; exact (Numbers.shown _ _ _ I facts o f reason Gs HR).
Qed.
