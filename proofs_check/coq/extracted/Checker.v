(** * The checker of certificates that is extracted, and the theorem about it

    [checker] computes what a certificate defines and relates, by the operations of Certificate.v.
    Unlike [Certificate.eval] it computes every part, and refuses what FORMAT.md calls undefined
    though Coq's operations are total: [sensible] (Sensible.v) and [lawful] say what that is, and
    [checker_sound] that an accepted certificate is both meaningful and true. Who trusts the
    program reads these definitions, and Language.v. *)

From Coq Require Import Reals QArith List Lra Lia ZArith Bool.
Require Import Polynomials Certificate Sensible Rational.
Import ListNotations.
Open Scope R_scope.

(** ** What has a meaning: terms, definitions, certificates *)

(** A user's row exists; with classes, every message is in one; none is [k] or above. *)
Definition user_exists (s : world R pair) (k : nat) (c : option (list nat)) (x : nat * nat) :=
  below k (user_of s c x) /\ exists M row,
    nth_error (matrices s) (fst x) = Some M /\ nth_error M (snd x) = Some row /\
    match c with None => length row = k | Some c => length row = length c end.

(** Matrices are laws, row by row, of one length; pairs are made of such rows. *)
Definition lawful (s : world R pair) (d : definition) : Prop :=
  match d with
  | DefTerm t => sensible s t
  | DefMatrix M =>
    Forall (Forall (sensible s)) M /\ Forall is_row (map (map (denote s)) M) /\
    exists n, Forall (fun row => length row = n) M
  | DefFinite m => exists p q,
    nth_error (matrices s) m = Some [p; q] /\ length p = length q
  | DefShuffle _ k c v w others => Forall (user_exists s k c) (v :: w :: map fst others)
  end.

Fixpoint all_lawful (s : world R pair) (defs : list definition) : Prop :=
  match defs with [] => True | d :: defs => lawful s d /\ all_lawful (define s d) defs end.

Definition statement := (relation * term * term)%type.
Definition true_of (s : world R pair) (c : statement) : Prop :=
  let '(r, t, u) := c in sensible s t /\ sensible s u /\ holds r (denote s t) (denote s u).

(** What a certificate says. *)
Definition certified (defs : list definition) (claims : list statement) : Prop :=
  all_lawful empty defs /\ Forall (true_of (fold_left define defs empty)) claims.

(** ** Answers *)

Inductive fault := Untrue | Undefined | Undecided.
Inductive answer (A : Type) := Known (a : A) | Fault (f : fault).
Arguments Known {A}.
Arguments Fault {A}.

Notation "'let*' x := a 'in' b" :=
  (match a with Known x => b | Fault f => Fault f end) (at level 200, x pattern).
Notation "'demand' o 'or' f 'in' b" :=
  (match o with Some true => b | Some false => Fault f | None => Fault Undecided end)
  (at level 200).

Definition found {A} (o : option A) : answer A :=
  match o with Some x => Known x | None => Fault Undefined end.

Fixpoint each {A B} (f : A -> answer B) (xs : list A) : answer (list B) :=
  match xs with
  | [] => Known []
  | x :: xs => let* y := f x in let* ys := each f xs in Known (y :: ys)
  end.

Lemma each_known {A B} (f : A -> answer B) xs : forall ys,
  each f xs = Known ys -> Forall2 (fun x y => f x = Known y) xs ys.
Proof.
  induction xs as [|x xs IH]; cbn; intros ys H; [injection H as <-; constructor|].
  destruct (f x) as [y|] eqn:E; [|discriminate].
  destruct (each f xs) as [zs|]; [|discriminate]; injection H as <-; constructor; auto.
Qed.

(** ** The computation *)

Section Computation.
Variables (prec : F.precision) (longest : Z).

Notation zero := (Exact 0).
Notation decided := (decided prec).

Definition integer (v : value) : answer Z :=
  match whole v, v with
  | Some n, _ => Known n | None, Exact _ => Fault Undefined | None, Ball _ => Fault Undecided
  end.

Definition apply (f : function) (v : value) : answer value :=
  match f with
  | Log => demand decided Lt zero v or Undefined in Known (vlog prec v)
  | Sqrt => demand decided Le zero v or Undefined in Known (vsqrt prec v)
  | _ => Known (vfunction prec longest f v)
  end.

Definition operate (o : operation) (v w : value) : answer value :=
  match o with
  | Div => demand decided Ne w zero or Undefined in Known (vdiv prec longest v w)
  | Pow =>
    let* n := integer w in
    if (0 <=? n)%Z then Known (vpower prec longest v w)
    else demand decided Ne v zero or Undefined in Known (vpower prec longest v w)
  | Binom =>
    let* a := integer v in let* b := integer w in Known (vbinomial prec longest v w)
  | _ => Known (voperation prec longest o v w)
  end.

Definition column_is_defined (M : list (list value)) (j : nat) : option bool :=
  match decided Eq (vcolumn (vmax prec) j M) zero with
  | Some false => decided Ne (vcolumn (vmin prec) j M) zero
  | o => o
  end.
Definition ratio (M : list (list value)) : answer value :=
  let* _ := each (fun j => demand column_is_defined M j or Undefined in Known tt)
    (seq 0 (length (nth 0 M []))) in
  Known (vldp_ratio prec longest M).

Fixpoint is_new (c : counts) (A : list counts) : bool :=
  match A with
  | [] => true | a :: A => if same_counts a c then false else is_new c A
  end.
Fixpoint distinct (A : list counts) : bool :=
  match A with [] => true | a :: A => is_new a A && distinct A end.

Definition the_pair (s : world value (option joint)) (p : nat) : answer joint :=
  let* L := found (nth_error (pairs s) p) in
  match L with Some L => Known L | None => Fault Undecided end.
Definition probability side s p (A : list counts) : answer value :=
  let* L := the_pair s p in
  if distinct A then Known (vevent prec longest side A L) else Fault Undefined.

Fixpoint value_of (s : world value (option joint)) (t : term) : answer value :=
  match t with
  | Int n => Known (Exact (n # 1))
  | Ratio n d => Known (exact prec longest (n # d))
  | Var i => found (nth_error (terms s) i)
  | Pi => Known (vpi prec)
  | Apply f t => let* v := value_of s t in apply f v
  | Op o t u => let* v := value_of s t in let* w := value_of s u in operate o v w
  | Sum lo hi body =>
    let* v := value_of s lo in let* w := value_of s hi in
    let* a := integer v in let* b := integer w in
    let* vs := each (fun i => value_of (with_term s (Exact (i # 1))) body) (whole_numbers a b) in
    Known (vtotal prec longest vs)
  | When r a b t u =>
    let* v := value_of s a in let* w := value_of s b in
    match decided r v w with
    | Some true => value_of s t | Some false => value_of s u | None => Fault Undecided
    end
  | Divergence p t =>
    let* L := the_pair s p in let* E := value_of s t in
    demand decided Le zero E or Undefined in Known (vstick prec longest L E)
  | Distance p =>
    let* L := the_pair s p in
    Known (vmul prec longest (exact prec longest (1 # 2))
      (vadd prec longest (vstick prec longest L (Exact 1))
        (vstick prec longest (swapped L) (Exact 1))))
  | EventP p A => probability fst s p A
  | EventQ p A => probability snd s p A
  | Entry m i j =>
    let* M := found (nth_error (matrices s) m) in let* row := found (nth_error M i) in
    found (nth_error row j)
  | RowSum m i =>
    let* M := found (nth_error (matrices s) m) in let* row := found (nth_error M i) in
    Known (vtotal prec longest row)
  | LdpRatio m => let* M := found (nth_error (matrices s) m) in ratio M
  end.

(** *** It computes what is meant, and that it has a meaning *)

Lemma demand_known {A} o f (x y : A) :
  (demand o or f in Known x) = Known y -> o = Some true /\ x = y.
Proof. destruct o as [[|]|]; try discriminate; intros H; now injection H. Qed.

Lemma decided_true r v w x y :
  means v x -> means w y -> decided r v w = Some true -> holds r x y.
Proof. intros Hv Hw D; apply (is_true_holds prec r v w); auto; now rewrite D. Qed.

Lemma integer_means v n x :
  integer v = Known n -> means v x -> whole v = Some n /\ x = IZR n.
Proof.
  unfold integer; destruct v as [[m [d|d|]]|]; cbn; try discriminate; intros H <-.
  injection H as ->; split; [reflexivity|]; unfold Q2R; cbn; field.
Qed.

Lemma apply_means f v w x : means v x -> apply f v = Known w ->
  function_is_defined f x /\ means w (function_of f x).
Proof.
  intros Hv H; pose proof (vfunction_means prec longest f v x Hv) as G; destruct f; cbn [apply] in H.
  1-4,6,8: injection H as <-; split; [exact Logic.I | exact G].
  all: apply demand_known in H as [D <-]; split;
    [exact (decided_true _ _ _ _ _ zero_means Hv D) | exact G].
Qed.

Lemma operate_means o v w z x y : means v x -> means w y -> operate o v w = Known z ->
  operation_is_defined o x y /\ means z (operation_of o x y).
Proof.
  intros Hv Hw H.
  assert (G : forall P : Prop, P -> z = voperation prec longest o v w ->
    P /\ means z (operation_of o x y)) by (intros P p ->; split; [exact p | now apply voperation_means]).
  destruct o; cbn [operate] in H; try (injection H as <-; now apply G).
  - apply demand_known in H as [D <-]; apply G; [|reflexivity].
    exact (decided_true _ _ _ _ _ Hw zero_means D).
  - destruct (integer w) as [n|] eqn:N; [|discriminate].
    destruct (integer_means _ _ _ N Hw) as [_ ->].
    destruct (Z.leb_spec 0 n) as [L|L].
    + injection H as <-; apply G; [|reflexivity]; split; [now exists n|].
      intros B; apply (IZR_le 0) in L; lra.
    + apply demand_known in H as [D <-]; apply G; [|reflexivity]; split; [now exists n|].
      intros _; exact (decided_true _ _ _ _ _ Hv zero_means D).
  - destruct (integer v) as [a|] eqn:A; [|discriminate].
    destruct (integer w) as [b|] eqn:B; [|discriminate]; injection H as <-.
    apply G; [|reflexivity]; split;
      [destruct (integer_means _ _ _ A Hv) as [_ ->]; now exists a|].
    destruct (integer_means _ _ _ B Hw) as [_ ->]; now exists b.
Qed.

Lemma ratio_means M M' v : Forall2 (Forall2 means) M M' -> ratio M = Known v ->
  ratio_is_defined M' /\ means v (ldp_ratio M').
Proof.
  intros H R; unfold ratio in R; destruct (each _ _) as [us|] eqn:E; [|discriminate].
  injection R as <-; split; [|now apply vldp_ratio_means].
  unfold ratio_is_defined.
  replace (length (nth 0 M' [])) with (length (nth 0 M []))
    by (apply (same_length means), nth_related; [constructor | exact H]).
  apply each_known in E; induction E as [|j u js us D E IH]; constructor; [|exact IH].
  apply demand_known in D as [D _]; unfold column_is_defined in D.
  destruct (column_means prec M M' j H) as [I J].
  destruct (decided Eq _ _) as [[|]|] eqn:C; try discriminate.
  - left; exact (decided_true _ _ _ _ _ I zero_means C).
  - right; exact (decided_true _ _ _ _ _ J zero_means D).
Qed.

Lemma distinct_NoDup A : distinct A = true -> NoDup A.
Proof.
  assert (G : forall c B, is_new c B = true -> ~ In c B).
  { intros c B; induction B as [|b B IH]; cbn; [auto|].
    destruct (same_counts b c); [discriminate|]; intros H [K|K]; [congruence | exact (IH H K)]. }
  induction A as [|a A IH]; cbn; intros H; constructor; apply andb_prop in H as [H1 H2]; auto.
Qed.

Lemma nth_error_related {A B} (rel : A -> B -> Prop) xs ys i x :
  Forall2 rel xs ys -> nth_error xs i = Some x -> exists y, nth_error ys i = Some y /\ rel x y.
Proof.
  intros H; revert i; induction H as [|a b xs ys Hx H IH]; intros [|i] E; try discriminate.
  - injection E as <-; now exists b.
  - now apply IH.
Qed.

Lemma found_known {A} o (x : A) : found o = Known x -> o = Some x.
Proof. destruct o; [|discriminate]; intros H; now injection H as ->. Qed.

Lemma the_pair_means s s' p L : world_means s s' -> the_pair s p = Known L ->
  (p < length (pairs s'))%nat /\ pair_means (Some L) (nth p (pairs s') no_pair).
Proof.
  intros (_ & _ & P) H; unfold the_pair in H; destruct (nth_error (pairs s) p) as [o|] eqn:E;
    [|discriminate]; cbn in H.
  destruct o as [K|]; [|discriminate]; injection H as ->.
  destruct (nth_error_related _ _ _ _ _ P E) as [X [EX H]]; split.
  - apply nth_error_Some; now rewrite EX.
  - now rewrite (nth_error_nth _ _ no_pair EX).
Qed.

Theorem value_of_means t : forall s s' v, world_means s s' -> value_of s t = Known v ->
  sensible s' t /\ means v (denote s' t).
Proof.
  induction t; intros s s' v W; pose proof W as (T & M & P); cbn [value_of sensible denote]; intros H.
  - injection H as <-; split; [exact Logic.I | apply int_means].
  - injection H as <-; split; [exact Logic.I|].
    apply exact_means; unfold Q2R; cbn; field; apply not_0_IZR; discriminate.
  - apply found_known in H; destruct (nth_error_related _ _ _ _ _ T H) as [x [E Hx]]; split.
    + apply nth_error_Some; now rewrite E.
    + now rewrite (nth_error_nth _ _ 0 E).
  - injection H as <-; split; [exact Logic.I | apply vpi_means].
  - destruct (value_of s t) as [x|] eqn:X; [|discriminate].
    destruct (IHt s s' x W X) as [S V]; destruct (apply_means _ _ _ _ V H); auto.
  - destruct (value_of s t1) as [x|] eqn:X; [|discriminate].
    destruct (value_of s t2) as [y|] eqn:Y; [|discriminate].
    destruct (IHt1 s s' x W X) as [S V], (IHt2 s s' y W Y) as [S' V'].
    destruct (operate_means _ _ _ _ _ _ V V' H); auto.
  - destruct (value_of s t1) as [x|] eqn:X; [|discriminate].
    destruct (value_of s t2) as [y|] eqn:Y; [|discriminate].
    destruct (integer x) as [a|] eqn:A; [|discriminate].
    destruct (integer y) as [b|] eqn:B; [|discriminate].
    destruct (each _ _) as [vs|] eqn:E; [|discriminate]; injection H as <-.
    destruct (IHt1 s s' x W X) as [S V], (IHt2 s s' y W Y) as [S' V'].
    destruct (integer_means _ _ _ A V) as [WA EA], (integer_means _ _ _ B V') as [WB EB].
    unfold sum; rewrite (whole_means _ a _ WA V), (whole_means _ b _ WB V').
    apply each_known in E.
    assert (G : Forall2 (fun i w => sensible (with_term s' (IZR i)) t3 /\
      means w (denote (with_term s' (IZR i)) t3)) (whole_numbers a b) vs).
    { clear -E IHt3 W; induction E as [|i w is ws Hw E IH]; constructor; [|exact IH].
      refine (IHt3 _ _ w _ Hw); apply with_term_means; [exact W | apply int_means]. }
    repeat split; auto; [now exists a | now exists b | |].
    + clear -G; induction G as [|i w is ws [H _] G IH]; constructor; auto.
    + apply vtotal_means; clear -G; induction G as [|i w is ws [_ H] G IH]; constructor; auto.
  - destruct (value_of s t1) as [x|] eqn:X; [|discriminate].
    destruct (value_of s t2) as [y|] eqn:Y; [|discriminate].
    destruct (IHt1 s s' x W X) as [S V], (IHt2 s s' y W Y) as [S' V'].
    pose proof (decided_means prec r _ _ _ _ V V') as D.
    destruct (decided r x y) as [[|]|], (decide r _ _); try contradiction; try discriminate.
    + destruct (IHt3 s s' v W H); auto.
    + destruct (IHt4 s s' v W H); auto.
  - destruct (the_pair s p) as [L|] eqn:L_; [|discriminate].
    destruct (value_of s t) as [x|] eqn:X; [|discriminate].
    apply demand_known in H as [D <-].
    destruct (the_pair_means s s' p L W L_) as [HP HL], (IHt s s' x W X) as [S V].
    repeat split; auto; [exact (decided_true _ _ _ _ _ zero_means V D) | now apply vstick_means].
  - destruct (the_pair s p) as [L|] eqn:L_; [|discriminate]; injection H as <-.
    destruct (the_pair_means s s' p L W L_) as [HP HL]; split; [exact HP|].
    unfold distance, total_variation; apply vmul_means.
    + apply exact_means; unfold Q2R; cbn; lra.
    + apply vadd_means; [exact (vstick_means _ _ _ _ _ _ HL one_means)|].
      exact (vstick_means _ _ _ _ _ _ (swapped_means _ _ HL) one_means).
  - unfold probability in H; destruct (the_pair s p) as [L|] eqn:L_; [|discriminate].
    destruct (distinct S) eqn:D; [|discriminate]; injection H as <-.
    destruct (the_pair_means s s' p L W L_) as [HP HL].
    repeat split; auto using distinct_NoDup; exact (vevent_means _ _ true _ _ _ HL).
  - unfold probability in H; destruct (the_pair s p) as [L|] eqn:L_; [|discriminate].
    destruct (distinct S) eqn:D; [|discriminate]; injection H as <-.
    destruct (the_pair_means s s' p L W L_) as [HP HL].
    repeat split; auto using distinct_NoDup; exact (vevent_means _ _ false _ _ _ HL).
  - destruct (found (nth_error (matrices s) m)) as [A|] eqn:A_; [|discriminate].
    destruct (found (nth_error A i)) as [row|] eqn:R_; [|discriminate].
    apply found_known in A_, R_, H.
    destruct (nth_error_related _ _ _ _ _ M A_) as [A' [EA RA]].
    destruct (nth_error_related _ _ _ _ _ RA R_) as [row' [ER RR]].
    destruct (nth_error_related _ _ _ _ _ RR H) as [x [EX Hx]]; split.
    + exists A', row'; repeat split; auto; apply nth_error_Some; now rewrite EX.
    + unfold entry; now rewrite (nth_error_nth _ _ [] EA), (nth_error_nth _ _ [] ER),
        (nth_error_nth _ _ 0 EX).
  - destruct (found (nth_error (matrices s) m)) as [A|] eqn:A_; [|discriminate].
    destruct (found (nth_error A i)) as [row|] eqn:R_; [|discriminate]; injection H as <-.
    apply found_known in A_, R_.
    destruct (nth_error_related _ _ _ _ _ M A_) as [A' [EA RA]].
    destruct (nth_error_related _ _ _ _ _ RA R_) as [row' [ER RR]]; split; [now exists A', row'|].
    unfold row_sum; rewrite (nth_error_nth _ _ [] EA), (nth_error_nth _ _ [] ER).
    now apply vtotal_means.
  - destruct (found (nth_error (matrices s) m)) as [A|] eqn:A_; [|discriminate].
    apply found_known in A_; destruct (nth_error_related _ _ _ _ _ M A_) as [A' [EA RA]].
    destruct (ratio_means A A' v RA H) as [D V]; split; [now exists A'|].
    now rewrite (nth_error_nth _ _ [] EA).
Qed.

(** ** Definitions and claims *)

Fixpoint none_negative (row : list value) : option bool :=
  match row with
  | [] => Some true
  | v :: row => match decided Le zero v with Some true => none_negative row | o => o end
  end.
(** A sum that is only known to be close to 1 is 1 if it is as a rational function. *)
Definition row_is_law (known : list (option term)) (row : list term) (vs : list value) : option bool :=
  match none_negative vs with
  | Some true =>
    match decided Eq (vtotal prec longest vs) (Exact 1) with
    | None => if sum_to_one known row then Some true else None
    | o => o
    end
  | o => o
  end.
Definition row_of (s : world value (option joint)) known (row : list term) : answer (list value) :=
  let* vs := each (value_of s) row in demand row_is_law known row vs or Undefined in Known vs.

Definition user_exists_b (s : world value (option joint)) k c (x : nat * nat) : bool :=
  below_b k (user_of s c x) &&
  match nth_error (matrices s) (fst x) with
  | Some M =>
    match nth_error M (snd x) with
    | Some row => Nat.eqb (length row) match c with None => k | Some c => length c end
    | None => false
    end
  | None => false
  end.

Definition defined (s : world value (option joint)) known (d : definition)
    : answer (world value (option joint)) :=
  match d with
  | DefTerm t => let* v := value_of s t in Known (with_term s v)
  | DefMatrix M =>
    let* rows := each (row_of s known) M in
    if forallb (fun row => Nat.eqb (length row) (length (nth 0 M []))) M
    then Known (World (terms s) (matrices s ++ [rows]) (pairs s)) else Fault Undefined
  | DefFinite m =>
    match nth_error (matrices s) m with
    | Some [p; q] =>
      if Nat.eqb (length p) (length q) then Known (compute prec longest s d) else Fault Undefined
    | _ => Fault Undefined
    end
  | DefShuffle _ k c v w others =>
    if forallb (user_exists_b s k c) (v :: w :: map fst others)
    then Known (compute prec longest s d) else Fault Undefined
  end.

(** The definitions of terms that are closed. *)
Definition known_after (known : list (option term)) (d : definition) : list (option term) :=
  match d with DefTerm t => known ++ [closed known t] | _ => known end.

Fixpoint world_of (s : world value (option joint)) known (defs : list definition) :=
  match defs with
  | [] => Known s
  | d :: defs => let* s := defined s known d in world_of s (known_after known d) defs
  end.

Definition confirm (s : world value (option joint)) (c : statement) : answer unit :=
  let '(r, t, u) := c in
  let* v := value_of s t in let* w := value_of s u in
  demand decided r v w or Untrue in Known tt.

(* What the closed definitions speak of besides their constants: the variables of a step. *)
Variable base : world R pair.

Lemma none_negative_means vs xs :
  Forall2 means vs xs -> none_negative vs = Some true -> Forall (fun x => 0 <= x) xs.
Proof.
  induction 1 as [|v x vs xs H R IH]; cbn [none_negative]; intros N; constructor;
    destruct (decided Le zero v) as [[|]|] eqn:D; try discriminate; [|now apply IH].
  exact (decided_true _ _ _ _ _ zero_means H D).
Qed.

Lemma values_means s s' ts vs : world_means s s' -> each (value_of s) ts = Known vs ->
  Forall (sensible s') ts /\ Forall2 means vs (map (denote s') ts).
Proof.
  intros W E; apply each_known in E; induction E as [|t v ts vs H E [I J]]; [split; constructor|].
  destruct (value_of_means _ _ _ _ W H); split; constructor; auto.
Qed.

Lemma row_of_means s s' known ts vs :
  world_means s s' -> known_means base known (terms s') -> row_of s known ts = Known vs ->
  Forall (sensible s') ts /\ is_row (map (denote s') ts) /\ Forall2 means vs (map (denote s') ts).
Proof.
  intros W K H; unfold row_of in H; destruct (each _ _) as [us|] eqn:E; [|discriminate].
  apply demand_known in H as [L <-]; destruct (values_means _ _ _ _ W E) as [S V].
  unfold row_is_law in L; destruct (none_negative us) as [[|]|] eqn:N; try discriminate.
  repeat split; auto; [now apply (none_negative_means us)|].
  destruct (decided Eq _ _) as [[|]|] eqn:D; try discriminate.
  - exact (decided_true _ _ _ _ _ (vtotal_means _ _ _ _ V) one_means D).
  - destruct (sum_to_one known ts) eqn:O; [|discriminate]; exact (sum_to_one_means base known s' ts K S O).
Qed.

Lemma rows_means s s' known M rows :
  world_means s s' -> known_means base known (terms s') -> each (row_of s known) M = Known rows ->
  Forall (Forall (sensible s')) M /\ Forall is_row (map (map (denote s')) M) /\
  Forall2 (Forall2 means) rows (map (map (denote s')) M).
Proof.
  intros W N E; apply each_known in E; induction E as [|ts vs M rows H E [I [J K]]]; [repeat split; constructor|].
  destruct (row_of_means _ _ _ _ _ W N H) as [S [L V]]; repeat split; constructor; auto.
Qed.

Lemma user_exists_means s s' k c x :
  world_means s s' -> user_exists_b s k c x = true -> user_exists s' k c x.
Proof.
  intros W H; apply andb_prop in H as [B H]; split.
  - exact (below_related k _ _ (user_of_related s s' c x W) B).
  - destruct W as (_ & M & _); destruct (nth_error (matrices s) (fst x)) as [A|] eqn:E; [|discriminate].
    destruct (nth_error A (snd x)) as [row|] eqn:R; [|discriminate].
    destruct (nth_error_related _ _ _ _ _ M E) as [A' [EA RA]].
    destruct (nth_error_related _ _ _ _ _ RA R) as [row' [ER RR]].
    exists A', row'; repeat split; auto; apply Nat.eqb_eq in H.
    pose proof (same_length means _ _ RR); destruct c; congruence.
Qed.

Lemma known_after_means s known d :
  known_means base known (terms s) -> lawful s d ->
  known_means base (known_after known d) (terms (define s d)).
Proof.
  intros K L; destruct d as [t| | |]; try exact K; cbn [known_after define lawful with_term terms] in *.
  apply Forall2_app; [exact K|]; constructor; [|constructor].
  destruct (closed known t) as [c|] eqn:C; [|exact Logic.I]; now apply (closed_means base known s t).
Qed.

Lemma defined_means s s' known d t :
  world_means s s' -> known_means base known (terms s') -> defined s known d = Known t ->
  lawful s' d /\ world_means t (define s' d).
Proof.
  intros W K H; destruct d as [u|M|m|rounded k c v w others]; cbn [defined lawful] in *.
  - destruct (value_of s u) as [x|] eqn:X; [|discriminate]; injection H as <-.
    destruct (value_of_means _ _ _ _ W X) as [S V]; split; [exact S|].
    now apply with_term_means.
  - destruct (each _ _) as [rows|] eqn:E; [|discriminate].
    destruct (forallb _ _) eqn:L; [|discriminate]; injection H as <-.
    destruct (rows_means _ _ _ _ _ W K E) as [S [R V]]; destruct W as (T & A & P); split.
    + repeat split; auto; exists (length (nth 0 M [])); apply Forall_forall; intros row I.
      rewrite forallb_forall in L; now apply Nat.eqb_eq, L.
    + repeat split; auto; cbn; apply Forall2_app; auto.
  - assert (G : world_means (compute prec longest s (DefFinite m)) (define s' (DefFinite m)))
      by now apply compute_means.
    destruct (nth_error (matrices s) m) as [[|p [|q [|]]]|] eqn:E; try discriminate.
    destruct (Nat.eqb_spec (length p) (length q)) as [L|]; [|discriminate]; injection H as <-.
    split; [|exact G]; destruct W as (_ & M & _).
    destruct (nth_error_related _ _ _ _ _ M E) as [A [EA RA]].
    inversion RA as [|? p' ? A1 Hp RA1]; subst; inversion RA1 as [|? q' ? A2 Hq RA2]; subst.
    inversion RA2; subst; exists p', q'; split; [exact EA|].
    now rewrite <- (same_length means _ _ Hp), <- (same_length means _ _ Hq).
  - destruct (forallb _ _) eqn:B; [|discriminate]; injection H as <-; split.
    + rewrite forallb_forall in B; apply Forall_forall; intros x I.
      now apply (user_exists_means s), B.
    + exact (compute_means prec longest s s' (DefShuffle rounded k c v w others) W).
Qed.

Lemma world_of_means defs : forall s s' known t,
  world_means s s' -> known_means base known (terms s') -> world_of s known defs = Known t ->
  all_lawful s' defs /\ world_means t (fold_left define defs s') /\
  known_means base (fold_left known_after defs known) (terms (fold_left define defs s')).
Proof.
  induction defs as [|d defs IH]; intros s s' known t W K H; cbn [world_of all_lawful fold_left] in *.
  - injection H as <-; auto.
  - destruct (defined s known d) as [u|] eqn:E; [|discriminate].
    destruct (defined_means _ _ _ _ _ W K E) as [L W'].
    destruct (IH _ _ _ _ W' (known_after_means _ _ _ K L) H); auto.
Qed.

Lemma confirm_means s s' c u : world_means s s' -> confirm s c = Known u -> true_of s' c.
Proof.
  intros W H; destruct c as [[r t] t']; cbn [confirm true_of] in *.
  destruct (value_of s t) as [v|] eqn:V; [|discriminate].
  destruct (value_of s t') as [w|] eqn:X; [|discriminate].
  apply demand_known in H as [D _].
  destruct (value_of_means _ _ _ _ W V), (value_of_means _ _ _ _ W X); repeat split; auto.
  now apply (decided_true r v w).
Qed.
End Computation.

(** The program: is a certificate's every relation true, and has all of it a meaning? *)
Definition checker (bits : positive) (longest : Z) (defs : list definition)
    (claims : list statement) : answer unit :=
  let* s := world_of (F.PtoP bits) longest empty [] defs in
  let* _ := each (confirm (F.PtoP bits) longest s) claims in Known tt.

Theorem checker_sound bits longest defs claims :
  checker bits longest defs claims = Known tt -> certified defs claims.
Proof.
  unfold checker; intros H; destruct (world_of _ _ _ _ _) as [s|] eqn:W; [|discriminate].
  destruct (each _ _) as [us|] eqn:E; [|discriminate].
  destruct (world_of_means _ _ empty _ _ _ _ _ empty_means (Forall2_nil _) W) as (L & M & _); split; [exact L|].
  apply each_known in E; clear -E M; induction E as [|c u cs us C E IH]; constructor; auto.
  exact (confirm_means _ _ _ _ _ _ M C).
Qed.
