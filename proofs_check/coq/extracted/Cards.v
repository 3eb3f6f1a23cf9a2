(** * The checker of cards that is extracted, and the theorem about it

    A card has parts, each a number of steps. Of each step is known its law, a finite pair, or a promise; or only the
    points of a curve, which are assumed. It comes with masses on a lattice. [card_checker] checks that no known curve is
    above the masses' own, composes all steps, and bounds the divergence at e^eps. [card_checker_sound] says what an
    answer means: whoever trusts the program reads [step_of], [deployed], and the theorem. *)

From Coq Require Import Reals QArith Qreals List Lra Lia ZArith Bool Sorted.
Require Import ExactDP Composition AdvancedComposition OptimalComposition ApproximateComposition Curves.
Require Import Certificate Checker Lattice.
Import ListNotations.
Open Scope R_scope.

(** ** What a card says *)

(** Of one step: the masses of a pair; randomized response among k; (eps, d)-closeness, in both orders; or points. *)
Inductive known :=
  | Listed (atoms : list (Q * Q))
  | Response (eps : Q) (k : positive)
  | Promise (eps d : Q)
  | Assumed.
Record part := Part { what : known; copies : positive; one : masses }.

(** The divergence of a pair whose outcomes are listed, each once. *)
Definition pair_curve (atoms : list (R * R)) (E : R) : R :=
  total (map (fun x => positive_part (fst x - E * snd x)) atoms).
Definition reals (atoms : list (Q * Q)) : list (R * R) := map (fun x => (Q2R (fst x), Q2R (snd x))) atoms.
Definition response_atoms (eps : R) (k : positive) : list (R * R) :=
  let t := exp eps + (IZR (Zpos k) - 1) in
  [(exp eps / t, 1 / t); (1 / t, exp eps / t); ((IZR (Zpos k) - 2) / t, (IZR (Zpos k) - 2) / t)].

(** About 2^k e^q: nothing rests on it, as it is compared with an interval of e^q. *)
Fixpoint series (terms : nat) (i K x t : Z) : Z :=
  match terms with O => 0 | S n => t + series n (i + 1) K x (- (Z.shiftr (t * x) K / i)) end%Z.
Fixpoint squared (times : nat) (K z : Z) : Z :=
  match times with O => z | S n => squared n K (Z.shiftr (z * z) K) end.
Definition about_exp (k : Z) (q : Q) : Z :=
  let size := (Z.abs (Qnum q) / Zpos (Qden q) + 1)%Z in
  let s := (Z.log2 size + 9)%Z in
  let K := (k + 3 * size + s + 32)%Z in
  let x := Z.shiftr (Z.shiftl (Z.abs (Qnum q)) K / Zpos (Qden q)) s in
  let z := squared (Z.to_nat s) K (series (Z.to_nat (K / 8 + 4)) 1 K x (2 ^ K)) in
  if (Qnum q <=? 0)%Z then Z.shiftr z (K - k) else Z.shiftl 1 (K + k) / z.

(** A little above 2^k e^(-h): the ratio by which points are made. *)
Definition ratio_above (k : Z) (h : Q) : Z := (about_exp k (- h) + 4)%Z.

(** The points that are assumed of a part: no divergence of a step, at e^(j h), is above d / 2^(bits + k). *)
Definition assumed (bits k : Z) (h : Q) (x : masses) : list (Z * Z) := points k (ratio_above k h) x.

(** A step on the one data set and on the other, as functions of all that came before. *)
Definition step (A : Type) := ((list A -> law A) * (list A -> law A))%type.

Definition step_of {A} (same : forall x y : A, {x = y} + {x <> y}) (bits k : Z) (h : Q) (p : part) (s : step A) : Prop :=
  forall past, is_law (fst s past) /\ is_law (snd s past) /\
  let H := hockey_stick same (fst s past) (snd s past) in
  match what p with
  | Listed atoms => forall E, 0 <= E -> H E <= pair_curve (reals atoms) E
  | Response eps k => forall E, 0 <= E -> H E <= pair_curve (response_atoms (Q2R eps) k) E
  | Promise eps d => H (exp (Q2R eps)) <= Q2R d /\ hockey_stick same (snd s past) (fst s past) (exp (Q2R eps)) <= Q2R d
  | Assumed => Forall (fun d => H (exp (IZR (fst d) * Q2R h)) <= IZR (snd d) / IZR (2 ^ (bits + k))) (assumed bits k h (one p))
  end.

(** The steps of the parts, one part after the other. *)
Fixpoint deployed {A} (same : forall x y : A, {x = y} + {x <> y}) (bits k : Z) (h : Q) (parts : list part) (steps : list (step A)) : Prop :=
  match parts with
  | [] => steps = []
  | p :: parts => exists these others, steps = these ++ others /\ length these = Pos.to_nat (copies p) /\
      Forall (step_of same bits k h p) these /\ deployed same bits k h parts others
  end.

(** ** The computation *)

Section Computation.
Variables (prec : F.precision) (longest bits k : Z) (h : Q).

Definition scaled (n : Z) : Q := n # Z.to_pos (2 ^ k).
Definition below_exp (q : Q) : answer Z :=
  let z := Z.max 0 (about_exp k q - 4) in
  demand decided prec Le (exact prec longest (scaled z)) (vexp prec (exact prec longest q)) or Undefined in Known z.
Definition above_exp (q : Q) : answer Z :=
  let z := (about_exp k q + 4)%Z in
  demand decided prec Ge (exact prec longest (scaled z)) (vexp prec (exact prec longest q)) or Undefined in Known z.

(** Bounds of p above and of q below, in units of 1/2^k. *)
Definition over (n d : Z) : Z := (- ((- n) / d))%Z.
Definition bounds_of (x : Q * Q) : Z * Z :=
  (over (Qnum (fst x) * 2 ^ k) (Zpos (Qden (fst x))), Qnum (snd x) * 2 ^ k / Zpos (Qden (snd x)))%Z.
Definition response_bounds (eps : Q) (n : positive) : answer (list (Z * Z)) :=
  let* lo := below_exp (- eps) in let* hi := above_exp (- eps) in
  let unit := (2 ^ k)%Z in let r := (Zpos n - 1)%Z in
  let own := (over (unit * unit) (unit + r * lo), (unit * unit) / (unit + r * hi))%Z in
  let other := (over (unit * hi) (unit + r * hi), (unit * lo) / (unit + r * lo))%Z in
  Known [(fst own, snd other); (fst other, snd own); ((r - 1) * fst other, (r - 1) * snd other)]%Z.
Definition thinned (d : Q) (x : Z * Z) : Z * Z :=
  let n := (Zpos (Qden d) - Qnum d)%Z in (over (n * fst x) (Zpos (Qden d)), n * snd x / Zpos (Qden d))%Z.
Definition bounds (w : known) : answer (list (Z * Z)) :=
  match w with
  | Listed atoms => Known (map bounds_of atoms)
  | Response eps n => if (1 <? Zpos n)%Z then response_bounds eps n else Fault Undefined
  | Promise eps d =>
    if (0 <=? Qnum eps)%Z && (0 <=? Qnum d)%Z && (Qnum d <=? Zpos (Qden d))%Z then
      let* rr := response_bounds eps 2 in
      Known (bounds_of (d, 0) :: bounds_of (0, d) :: map (thinned d) (firstn 2 rr))%Q
    else Fault Undefined
  | Assumed => Fault Undefined
  end.

Definition curve_at (z : Z) (atoms : list (Z * Z)) : Z :=
  fold_right (fun x sum => Z.max 0 (fst x - Z.shiftr (snd x * z) k) + sum)%Z 0%Z atoms.
Fixpoint all_below (ratio z : Z) (atoms : list (Z * Z)) (ds : list (Z * Z)) : bool :=
  match ds with
  | [] => true
  | d :: ds => (2 ^ bits * curve_at z atoms <=? snd d)%Z && all_below ratio (Z.shiftr (z * ratio) k) atoms ds
  end.

Definition good_law (x : masses) : bool :=
  forallb (fun m => 0 <=? m)%Z (listed x) && (0 <=? infinite x)%Z && (2 ^ bits <=? value_at 1 (listed x) + infinite x)%Z.
Definition checked_part (ratio : Z) (p : part) : answer unit :=
  if good_law (one p) then
    match what p with
    | Assumed => Known tt
    | w => let* atoms := bounds w in
      let* z := below_exp (inject_Z (first (one p)) * h) in
      if forallb (fun x => 0 <=? snd x)%Z atoms && all_below ratio z atoms (assumed bits k h (one p))
      then Known tt else Fault Untrue
    end
  else Fault Undefined.

(** Laws on h, 2 h, 4 h, ...: [low] / 2^k is at most e^-h, and [low_at l] at most e^(-2^l h). *)
Variables (cut most low : Z).
Fixpoint low_at (l : nat) : Z := match l with O => low | S l => let y := low_at l in Z.shiftr (y * y) k end.
Fixpoint coarsened (times l : nat) (x : masses) : masses :=
  match times with O => x | S n => coarsened n (S l) (coarser k (low_at l) x) end.
Fixpoint shrunk (fuel l : nat) (x : masses) : nat * masses :=
  match fuel with
  | O => (l, x)
  | S n => if (Z.of_nat (length (listed x)) <=? most)%Z then (l, x) else shrunk n (S l) (coarser k (low_at l) x)
  end.
Definition together (x y : nat * masses) : answer (nat * masses) :=
  let l := Nat.max (fst x) (fst y) in
  match product bits (coarsened (l - fst x) (fst x) (snd x)) (coarsened (l - fst y) (fst y) (snd y)) with
  | Some z => Known (shrunk 40 l (trimmed cut z))
  | None => Fault Undecided
  end.
(** x^n, and what came before: from the lowest bit on, so that laws of like widths meet. *)
Fixpoint repeated (before : option (nat * masses)) (x : nat * masses) (n : positive) : answer (nat * masses) :=
  let all := match before with Some a => together a x | None => Known x end in
  match n with
  | xH => all
  | xO n => let* y := together x x in repeated before y n
  | xI n => let* a := all in let* y := together x x in repeated (Some a) y n
  end.
Fixpoint all_parts (ratio : Z) (parts : list part) : answer (nat * masses) :=
  match parts with
  | [] => Fault Undefined
  | [p] => let* _ := checked_part ratio p in repeated None (O, one p) (copies p)
  | p :: parts => let* _ := checked_part ratio p in
    let* x := repeated None (O, one p) (copies p) in let* y := all_parts ratio parts in together x y
  end.

Fixpoint rest_of (y z : Z) (ms : list Z) : Z :=
  match ms with [] => 0 | m :: ms => m * Z.max 0 (2 ^ k - z) + rest_of y (Z.shiftr (z * y) k) ms end%Z.
Definition wide (l : nat) : Q := h * inject_Z (2 ^ Z.of_nat l).
Definition at_epsilon (eps : Q) (x : nat * masses) : answer Z :=
  let step := wide (fst x) in let x' := snd x in
  let j := Z.max (first x') (Qnum eps * Zpos (Qden step) / (Zpos (Qden eps) * Qnum step) + 1)%Z in
  let* z := below_exp (eps - inject_Z j * step) in
  if (j =? first x')%Z || Qle_bool (inject_Z (j - 1) * step) eps then
    Known (infinite x' * 2 ^ k + rest_of (low_at (fst x)) z (skipn (Z.to_nat (j - first x')) (listed x')))%Z
  else Fault Undecided.
End Computation.

(** The program: the divergence at e^eps, in units of 1/2^(bits + k), if it is at most delta. *)
Definition card_checker (precision : positive) (longest bits k cut most : Z) (h eps delta : Q) (parts : list part) : answer Z :=
  let prec := F.PtoP precision in
  if (0 <=? bits)%Z && (0 <=? k)%Z && (0 <? Qnum h)%Z then
    let* low := below_exp prec longest k (- h) in
    let* _ := above_exp prec longest k (- h) in
    let* ratio := below_exp prec longest k h in
    let* x := all_parts prec longest bits k h cut most low ratio parts in
    let* found := at_epsilon prec longest k h low eps x in
    if (found * Zpos (Qden delta) <=? Qnum delta * 2 ^ (bits + k))%Z then Known found else Fault Untrue
  else Fault Undefined.

(** ** The proof *)

Section Proof.
Variables (prec : F.precision) (longest bits k : Z) (h : Q).
Hypotheses (Hbits : (0 <= bits)%Z) (Hk : (0 <= k)%Z) (Hh : (0 < Qnum h)%Z).
Notation u := (IZR (2 ^ bits)).
Notation unit := (IZR (2 ^ k)).
Notation step_length := (Q2R h).

Lemma unit_pos : 0 < unit.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.

Lemma scaled_means z : Q2R (scaled k z) = IZR z / unit.
Proof.
  unfold scaled, Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id; [reflexivity|]; apply Z.pow_pos_nonneg; lia.
Qed.

Lemma h_positive : 0 < step_length.
Proof. unfold Q2R; apply Rmult_lt_0_compat; [now apply IZR_lt | apply Rinv_0_lt_compat, IZR_lt; reflexivity]. Qed.

Lemma exp_value q : means (vexp prec (exact prec longest q)) (exp (Q2R q)).
Proof. apply vexp_means, exact_means; reflexivity. Qed.

Lemma below_exp_means q z : below_exp prec longest k q = Known z -> (0 <= z)%Z /\ IZR z <= unit * exp (Q2R q).
Proof.
  unfold below_exp; intros H; apply demand_known in H as [D <-]; split; [lia|].
  pose proof (decided_true _ _ _ _ _ _ (exact_means prec longest _ _ (scaled_means _)) (exp_value q) D) as G.
  cbn [holds] in G; apply (Rmult_le_compat_l unit) in G; [|apply Rlt_le, unit_pos].
  replace (unit * (IZR (Z.max 0 (about_exp k q - 4)) / unit)) with (IZR (Z.max 0 (about_exp k q - 4))) in G by (pose proof unit_pos; field; lra); exact G.
Qed.

Lemma above_exp_means q z : above_exp prec longest k q = Known z -> z = (about_exp k q + 4)%Z /\ unit * exp (Q2R q) <= IZR z.
Proof.
  unfold above_exp; intros H; apply demand_known in H as [D <-]; split; [reflexivity|].
  pose proof (decided_true _ _ _ _ _ _ (exact_means prec longest _ _ (scaled_means _)) (exp_value q) D) as G.
  cbn [holds] in G; apply Rge_le, (Rmult_le_compat_l unit) in G; [|apply Rlt_le, unit_pos].
  replace (unit * (IZR (about_exp k q + 4) / unit)) with (IZR (about_exp k q + 4)) in G by (pose proof unit_pos; field; lra); exact G.
Qed.

(** *** One step *)

Lemma known_same {A} (x y : A) : Known x = Known y -> x = y.
Proof. now intros [= ->]. Qed.

Definition bounded (x : R * R) (b : Z * Z) := unit * fst x <= IZR (fst b) /\ IZR (snd b) <= unit * snd x.

Lemma over_means n d : (0 < d)%Z -> IZR n / IZR d <= IZR (over n d).
Proof.
  intros Hd; apply IZR_lt in Hd as Hd'; apply (Rmult_le_reg_r (IZR d)); [exact Hd'|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra; apply IZR_le; unfold over.
  pose proof (Z.mul_div_le (- n) d ltac:(lia)); lia.
Qed.
Lemma under_means n d : (0 < d)%Z -> IZR (n / d) <= IZR n / IZR d.
Proof.
  intros Hd; apply IZR_lt in Hd as Hd'; apply (Rmult_le_reg_r (IZR d)); [exact Hd'|].
  unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra; apply IZR_le.
  pose proof (Z.mul_div_le n d ltac:(lia)); lia.
Qed.

Lemma bounds_of_means x : bounded (Q2R (fst x), Q2R (snd x)) (bounds_of k x).
Proof.
  destruct x as [[n d] [n' d']]; split; unfold bounds_of, Q2R; cbn [fst snd Qnum Qden].
  - eapply Rle_trans; [|apply over_means; reflexivity]; rewrite mult_IZR; right; unfold Rdiv; ring.
  - eapply Rle_trans; [apply under_means; reflexivity|]; rewrite mult_IZR; right; unfold Rdiv; ring.
Qed.

Lemma response_bounds_means eps n b : (1 < Zpos n)%Z -> response_bounds prec longest k eps n = Known b ->
  Forall2 bounded (response_atoms (Q2R eps) n) b.
Proof.
  intros Hn H; unfold response_bounds in H.
  destruct (below_exp prec longest k (- eps)) as [lo|] eqn:L; [|discriminate].
  destruct (above_exp prec longest k (- eps)) as [hi|] eqn:G; [|discriminate]; cbv zeta in H.
  set (r := (Zpos n - 1)%Z) in *; apply known_same in H; subst b; cbn [fst snd].
  apply below_exp_means in L as [L0 L]; apply above_exp_means in G as [_ G]; rewrite Q2R_opp, exp_Ropp in *.
  pose proof unit_pos as U; pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as UZ.
  set (e := exp (Q2R eps)) in *; assert (He : 0 < e) by apply exp_pos.
  assert (Hi0 : (0 <= hi)%Z) by (apply le_IZR; eapply Rle_trans; [|exact G]; apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, He]).
  assert (Hr : (1 <= r)%Z) by (unfold r; lia).
  assert (Er : IZR (Zpos n) - 1 = IZR r) by (unfold r; rewrite minus_IZR; reflexivity).
  assert (Er2 : IZR (Zpos n) - 2 = IZR (r - 1)) by (unfold r; rewrite !minus_IZR; ring); clearbody r.
  apply IZR_le in Hr as Hr'; apply IZR_le in L0 as L0'; apply IZR_le in Hi0 as Hi0'.
  assert (Ep : 0 < / e) by (now apply Rinv_0_lt_compat).
  assert (D1 : (0 < 2 ^ k + r * lo)%Z) by nia; assert (D2 : (0 < 2 ^ k + r * hi)%Z) by nia.
  apply IZR_lt in D1 as D1'; apply IZR_lt in D2 as D2'; rewrite plus_IZR, mult_IZR in D1', D2'.
  (* own = 1 / (1 + r x) falls, other = x / (1 + r x) grows, at x = e^-eps *)
  set (x := / e) in *; assert (X : 0 < 1 + IZR r * x) by (apply Rplus_lt_0_compat; [lra | apply Rmult_lt_0_compat; lra]).
  assert (R1 : IZR r * IZR lo <= IZR r * (unit * x)) by (apply Rmult_le_compat_l; lra).
  assert (R2 : IZR r * (unit * x) <= IZR r * IZR hi) by (apply Rmult_le_compat_l; lra).
  assert (Own : forall y, 0 <= y -> e / (e + IZR r) = / (1 + IZR r * x)).
  { intros _ _; unfold x; field; split; lra. }
  assert (Other : 1 / (e + IZR r) = x / (1 + IZR r * x)) by (unfold x; field; lra).
  specialize (Own 0 ltac:(lra)).
  assert (O1 : unit * (e / (e + IZR r)) <= IZR (over (2 ^ k * 2 ^ k) (2 ^ k + r * lo))).
  { eapply Rle_trans; [|apply over_means; exact D1]; rewrite Own, plus_IZR, !mult_IZR.
    apply (Rmult_le_reg_r ((unit + IZR r * IZR lo) * (1 + IZR r * x))); [now apply Rmult_lt_0_compat|].
    field_simplify; [|lra|lra]. nra. }
  assert (O2 : IZR (2 ^ k * 2 ^ k / (2 ^ k + r * hi)) <= unit * (e / (e + IZR r))).
  { eapply Rle_trans; [apply under_means; exact D2|]; rewrite Own, plus_IZR, !mult_IZR.
    apply (Rmult_le_reg_r ((unit + IZR r * IZR hi) * (1 + IZR r * x))); [now apply Rmult_lt_0_compat|].
    field_simplify; [|lra|lra]. nra. }
  assert (O3 : unit * (1 / (e + IZR r)) <= IZR (over (2 ^ k * hi) (2 ^ k + r * hi))).
  { eapply Rle_trans; [|apply over_means; exact D2]; rewrite Other, plus_IZR, !mult_IZR.
    apply (Rmult_le_reg_r ((unit + IZR r * IZR hi) * (1 + IZR r * x))); [now apply Rmult_lt_0_compat|].
    field_simplify; [|lra|lra]. nra. }
  assert (O4 : IZR (2 ^ k * lo / (2 ^ k + r * lo)) <= unit * (1 / (e + IZR r))).
  { eapply Rle_trans; [apply under_means; exact D1|]; rewrite Other, plus_IZR, !mult_IZR.
    apply (Rmult_le_reg_r ((unit + IZR r * IZR lo) * (1 + IZR r * x))); [now apply Rmult_lt_0_compat|].
    field_simplify; [|lra|lra]. nra. }
  unfold response_atoms; fold e; rewrite Er, Er2; cbn [fst snd].
  repeat apply Forall2_cons; try apply Forall2_nil; split; cbn [fst snd]; try assumption.
  - rewrite mult_IZR; replace (unit * (IZR (r - 1) / (e + IZR r))) with (IZR (r - 1) * (unit * (1 / (e + IZR r)))) by (field; lra).
    apply Rmult_le_compat_l; [apply IZR_le; lia | exact O3].
  - rewrite mult_IZR; replace (unit * (IZR (r - 1) / (e + IZR r))) with (IZR (r - 1) * (unit * (1 / (e + IZR r)))) by (field; lra).
    apply Rmult_le_compat_l; [apply IZR_le; lia | exact O4].
Qed.

Lemma thinned_means d p q b : (0 <= Qnum d)%Z -> (Qnum d <= Zpos (Qden d))%Z -> bounded (p, q) b ->
  bounded ((1 - Q2R d) * p, (1 - Q2R d) * q) (thinned d b).
Proof.
  intros D0 D1 [B1 B2]; destruct d as [n m]; unfold thinned, bounded, Q2R in *; cbn [fst snd Qnum Qden] in *.
  assert (M : 0 < IZR (Zpos m)) by (apply IZR_lt; reflexivity).
  assert (N : 0 <= IZR (Zpos m - n)) by (apply IZR_le; lia).
  assert (E : 1 - IZR n * / IZR (Zpos m) = IZR (Zpos m - n) / IZR (Zpos m)) by (rewrite minus_IZR; field; lra).
  assert (P : 0 <= IZR (Zpos m - n) / IZR (Zpos m)) by (apply Rmult_le_pos; [exact N | apply Rlt_le, Rinv_0_lt_compat, M]).
  rewrite E; split.
  - eapply Rle_trans; [|apply over_means; reflexivity]; rewrite mult_IZR.
    apply (Rmult_le_compat_l _ _ _ P) in B1; unfold Rdiv in *; lra.
  - eapply Rle_trans; [apply under_means; reflexivity|]; rewrite mult_IZR.
    apply (Rmult_le_compat_l _ _ _ P) in B2; unfold Rdiv in *; lra.
Qed.

Definition promised_atoms (eps d : Q) : list (R * R) :=
  (Q2R d, 0) :: (0, Q2R d) :: map (fun x => ((1 - Q2R d) * fst x, (1 - Q2R d) * snd x)) (firstn 2 (response_atoms (Q2R eps) 2)).

Definition atoms_of (w : known) : list (R * R) :=
  match w with
  | Listed atoms => reals atoms
  | Response eps n => response_atoms (Q2R eps) n
  | Promise eps d => promised_atoms eps d
  | Assumed => []
  end.

Lemma bounds_means w b : bounds prec longest k w = Known b -> Forall2 bounded (atoms_of w) b.
Proof.
  destruct w as [atoms|eps n|eps d|]; cbn [bounds atoms_of]; [|destruct (Z.ltb_spec 1 (Zpos n)); [|discriminate]| |discriminate].
  - intros H; apply known_same in H; subst b; unfold reals; induction atoms as [|x atoms IH]; cbn [map]; constructor; [apply bounds_of_means | exact IH].
  - now apply response_bounds_means.
  - destruct (_ && _)%bool eqn:C; [|discriminate]; apply andb_prop in C as [C C3]; apply andb_prop in C as [C1 C2].
    apply Z.leb_le in C1, C2, C3; destruct (response_bounds prec longest k eps 2) as [rr|] eqn:E; [|discriminate].
    intros H; apply known_same in H; subst b; apply response_bounds_means in E; [|lia].
    assert (Z0 : Q2R 0 = 0) by apply Q2R_0.
    constructor; [rewrite <- Z0; apply (bounds_of_means (d, 0%Q))|]; constructor; [rewrite <- Z0; apply (bounds_of_means (0%Q, d))|].
    inversion E as [|? b1 ? r1 B1 E1]; subst; inversion E1 as [|? b2 ? r2 B2 E2]; subst; cbn [firstn map].
    constructor; [apply (thinned_means d _ _ b1 C2 C3 B1)|]; constructor; [apply (thinned_means d _ _ b2 C2 C3 B2) | constructor].
Qed.

Lemma indicator_below {B} (S : B -> bool) b x : indicator S b * x <= positive_part x.
Proof. destruct (positive_part_ge x); unfold indicator; destruct (S b); lra. Qed.

Lemma promised_below {B} (same : forall x y : B, {x = y} + {x <> y}) (P Q : law B) eps d :
  (0 <= Qnum eps)%Z -> (0 <= Qnum d)%Z -> (Qnum d <= Zpos (Qden d))%Z -> is_law P -> is_law Q ->
  hockey_stick same P Q (exp (Q2R eps)) <= Q2R d -> hockey_stick same Q P (exp (Q2R eps)) <= Q2R d ->
  forall E, 0 <= E -> hockey_stick same P Q E <= pair_curve (promised_atoms eps d) E.
Proof.
  intros E0 D0 D1 LP LQ H1 H2 E HE; set (e := exp (Q2R eps)) in *; set (d' := Q2R d) in *.
  assert (M : 0 < / IZR (Zpos (Qden d))) by (apply Rinv_0_lt_compat, IZR_lt; reflexivity).
  assert (He : 1 <= e).
  { unfold e; rewrite <- exp_0; apply exp_le; unfold Q2R; apply Rmult_le_pos; [now apply IZR_le | apply Rlt_le, Rinv_0_lt_compat, IZR_lt; reflexivity]. }
  assert (Hd : 0 <= d' <= 1).
  { unfold d', Q2R; split; [apply Rmult_le_pos; [now apply IZR_le | lra]|].
    rewrite <- (Rinv_r (IZR (Zpos (Qden d)))) by (apply not_0_IZR; discriminate); apply Rmult_le_compat_r; [lra | now apply IZR_le]. }
  eapply Rle_trans; [apply (approximate_response same P Q e d' He Hd); [now split | exact HE]|].
  apply below_every_event; intros S; unfold prob, told; rewrite !mean_app, !mean_weighted, !mean_image.
  unfold pair_curve, promised_atoms, response_atoms; fold e d'; cbn [mean response certain firstn map total fst snd negb].
  pose proof (indicator_below S (true, true) (d' - E * 0)); pose proof (indicator_below S (true, false) (0 - E * d')).
  pose proof (indicator_below S (false, true) ((1 - d') * (e / (e + (2 - 1))) - E * ((1 - d') * (1 / (e + (2 - 1)))))) as I1.
  pose proof (indicator_below S (false, false) ((1 - d') * (1 / (e + (2 - 1))) - E * ((1 - d') * (e / (e + (2 - 1)))))) as I2.
  replace (e / (e + (2 - 1))) with (e / (1 + e)) in * by (field; lra).
  replace (1 / (e + (2 - 1))) with (/ (1 + e)) in * by (field; lra).
  lra.
Qed.

Lemma curve_at_means atoms b z E : Forall2 bounded atoms b -> Forall (fun x => 0 <= snd x)%Z b ->
  (0 <= z)%Z -> IZR z <= unit * E -> unit * pair_curve atoms E <= IZR (curve_at k z b).
Proof.
  intros F N Hz Z; pose proof unit_pos as U; unfold pair_curve; induction F as [|[p q] [a c] atoms b [B1 B2] F IH]; cbn [map total curve_at fold_right fst snd] in *; [lra|].
  inversion N as [|? ? N1 N2]; subst; specialize (IH N2); cbn [snd] in N1; rewrite plus_IZR, Rmult_plus_distr_l; apply Rplus_le_compat; [|exact IH].
  pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as UZ.
  assert (V : IZR (Z.shiftr (c * z) k) <= unit * (E * q)).
  { rewrite Z.shiftr_div_pow2 by exact Hk; eapply Rle_trans; [apply under_means; exact UZ|].
    apply (Rmult_le_reg_r unit); [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, mult_IZR by lra.
    apply IZR_le in N1, Hz.
    apply Rle_trans with (IZR c * (unit * E)); [now apply Rmult_le_compat_l|].
    assert (0 <= unit * E) by lra; apply (Rmult_le_compat_r (unit * E)) in B2; [lra | assumption]. }
  unfold positive_part; rewrite <- RmaxRmult, Rmult_0_r by lra; apply Rmax_lub; [apply IZR_le; lia|].
  apply Rle_trans with (IZR (a - Z.shiftr (c * z) k)); [rewrite minus_IZR; lra | apply IZR_le; lia].
Qed.

Lemma all_below_means atoms b ratio : Forall2 bounded atoms b -> Forall (fun x => 0 <= snd x)%Z b ->
  (0 <= ratio)%Z -> IZR ratio <= unit * exp step_length -> forall ms ds f z, map fst ds = places f ms ->
  (0 <= z)%Z -> IZR z <= unit * exp (IZR f * step_length) -> all_below bits k ratio z b ds = true ->
  Forall (fun d => pair_curve atoms (exp (IZR (fst d) * step_length)) <= IZR (snd d) / (u * unit)) ds.
Proof.
  intros F N R0 R; pose proof unit_pos as U; pose proof (u_positive bits Hbits) as U'; pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as UZ.
  induction ms as [|m ms IH]; intros [|[j d] ds] f z Pl Hz Z H; cbn [map places] in Pl; try discriminate; constructor; injection Pl as Ej Pl; cbn [fst] in Ej; subst j; cbn [all_below snd] in H; apply andb_prop in H as [H1 H2].
  - apply Z.leb_le, IZR_le in H1; rewrite mult_IZR in H1; cbn [fst snd].
    pose proof (curve_at_means atoms b z _ F N Hz Z) as C; apply (Rmult_le_compat_l u) in C; [|lra].
    apply (Rmult_le_reg_r (u * unit)); [now apply Rmult_lt_0_compat|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq; now apply Rmult_lt_0_compat); lra.
  - apply (IH ds (f + 1)%Z (Z.shiftr (z * ratio) k) Pl); [| |exact H2]; rewrite Z.shiftr_div_pow2 by exact Hk.
    + apply Z.div_pos; nia.
    + eapply Rle_trans; [apply under_means; exact UZ|]; rewrite plus_IZR, Rmult_plus_distr_r, exp_plus, Rmult_1_l, mult_IZR.
      apply (Rmult_le_reg_r unit); [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      apply IZR_le in R0, Hz; pose proof (Rmult_le_compat _ _ _ _ Hz R0 Z R); lra.
Qed.

Lemma good_law_means x : good_law bits x = true -> good x /\ (2 ^ bits <= value_at 1 (listed x) + infinite x)%Z.
Proof.
  unfold good_law; intros H; apply andb_prop in H as [H H3]; apply andb_prop in H as [H1 H2].
  apply Z.leb_le in H2, H3; rewrite forallb_forall in H1; split; [split|]; auto.
  apply Forall_forall; intros m I; now apply Z.leb_le, H1.
Qed.

Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).

Lemma checked_part_means ratio p : (0 <= ratio)%Z -> IZR ratio <= unit * exp step_length ->
  unit * exp (- step_length) <= IZR (ratio_above k h) -> checked_part prec longest bits k h ratio p = Known tt ->
  good (one p) /\ forall s, step_of same bits k h p s -> forall past, is_law (fst s past) /\ is_law (snd s past) /\
    below_curve same (fst s past) (snd s past) (IZR (infinite (one p)) / u) (on_lattice step_length u (first (one p)) (listed (one p))).
Proof.
  intros R0 R Y H; unfold checked_part in H; destruct (good_law bits (one p)) eqn:G; [|discriminate].
  destruct (good_law_means _ G) as [Gx T]; split; [exact Gx|]; intros s Hs past; destruct (Hs past) as (LP & LQ & K); cbv zeta in K.
  repeat split; try apply LP; try apply LQ.
  pose proof h_positive as H0.
  apply (law_above bits Hbits k (ratio_above k h) Hk step_length (Rlt_le _ _ H0) Y same); try assumption; [apply LQ|].
  change (points k (ratio_above k h) (one p)) with (assumed bits k h (one p)).
  assert (C : what p = Assumed \/ exists b z, bounds prec longest k (what p) = Known b /\
    below_exp prec longest k (inject_Z (first (one p)) * h) = Known z /\
    (forallb (fun x => 0 <=? snd x)%Z b && all_below bits k ratio z b (assumed bits k h (one p)) = true)%bool).
  { destruct (what p) eqn:W; [right|right|right|now left]; destruct (bounds prec longest k _) as [b|]; try discriminate;
      destruct (below_exp _ _ _ _) as [z|]; try discriminate; exists b, z; destruct (_ && _)%bool; try discriminate; auto. }
  assert (D : what p = Assumed \/ Forall (fun d => pair_curve (atoms_of (what p)) (exp (IZR (fst d) * step_length)) <= IZR (snd d) / (u * unit)) (assumed bits k h (one p))).
  { destruct C as [C|(b & z & B & E & C)]; [now left|right]; apply andb_prop in C as [C1 C2].
    apply below_exp_means in E as [Z0 Z1]; rewrite Q2R_mult in Z1.
    assert (Q1 : Q2R (inject_Z (first (one p))) = IZR (first (one p))) by (unfold Q2R, inject_Z; cbn; field).
    rewrite Q1 in Z1; rewrite forallb_forall in C1.
    apply (all_below_means _ b ratio (bounds_means _ _ B)) with (ms := listed (one p)) (f := first (one p)) (z := z); auto.
    - apply Forall_forall; intros y I; now apply Z.leb_le, C1.
    - unfold assumed, points; rewrite map_map; cbn [fst]; apply points_places. }
  replace (IZR (2 ^ (bits + k))) with (u * unit) in K by (rewrite <- mult_IZR, <- Z.pow_add_r by assumption; reflexivity).
  destruct D as [W|D]; [rewrite W in K; exact K|].
  assert (Below : what p = Assumed \/ forall E, 0 <= E -> hockey_stick same (fst s past) (snd s past) E <= pair_curve (atoms_of (what p)) E).
  { destruct C as [C|(b & z & B & _)]; [now left|right]; intros E HE; destruct (what p) as [atoms|eps n|eps d|] eqn:W; cbn [atoms_of]; [now apply K|now apply K| |discriminate].
    destruct K as [K1 K2]; cbn [bounds] in B.
    destruct ((0 <=? Qnum eps)%Z && (0 <=? Qnum d)%Z && (Qnum d <=? Zpos (Qden d))%Z)%bool eqn:C; [|discriminate].
    apply andb_prop in C as [C C3]; apply andb_prop in C as [C1 C2]; apply Z.leb_le in C1, C2, C3.
    now apply promised_below. }
  destruct Below as [W|Below]; [rewrite W in K; exact K|].
  eapply Forall_impl; [|exact D]; cbv beta; intros d Hd; specialize (Below (exp (IZR (fst d) * step_length)) ltac:(apply Rlt_le, exp_pos)); lra.
Qed.

(** *** All steps *)

Variables (cut most low : Z).
Hypotheses (Hlow : (0 <= low)%Z) (Hlow1 : IZR low <= unit * exp (- step_length)).

Definition wide_r (l : nat) : R := step_length * IZR (2 ^ Z.of_nat l).

Lemma wide_nonnegative l : 0 <= wide_r l.
Proof. apply Rmult_le_pos; [apply Rlt_le, h_positive | apply IZR_le, Z.pow_nonneg; lia]. Qed.
Lemma wide_next l : wide_r (S l) = 2 * wide_r l.
Proof. unfold wide_r; rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia; ring. Qed.

Lemma low_at_means l : (0 <= low_at k low l)%Z /\ IZR (low_at k low l) <= unit * exp (- wide_r l).
Proof.
  induction l as [|l [I J]]; cbn [low_at].
  - split; [exact Hlow|]; unfold wide_r; cbn; now rewrite Rmult_1_r.
  - pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as UZ; pose proof unit_pos as U; rewrite Z.shiftr_div_pow2 by exact Hk.
    split; [apply Z.div_pos; nia|]; eapply Rle_trans; [apply under_means; exact UZ|]; rewrite mult_IZR, wide_next.
    apply (Rmult_le_reg_r unit); [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply IZR_le in I; pose proof (Rmult_le_compat _ _ _ _ I I J J) as M.
    replace (unit * exp (- (2 * wide_r l)) * unit) with (unit * exp (- wide_r l) * (unit * exp (- wide_r l))); [exact M|].
    replace (- (2 * wide_r l)) with (- wide_r l + - wide_r l) by ring; rewrite exp_plus; ring.
Qed.

Definition not_lower (l : nat) (x : masses) (m : nat) (y : masses) : Prop :=
  good y /\ forall E, 0 <= E -> height (wide_r l) u x E <= height (wide_r m) u y E.

Lemma not_lower_trans l x m y n z : not_lower l x m y -> not_lower m y n z -> not_lower l x n z.
Proof. intros [G H] [G' H']; split; [exact G'|]; intros E HE; eapply Rle_trans; [now apply H | now apply H']. Qed.

Lemma coarser_not_lower l x : good x -> not_lower l x (S l) (coarser k (low_at k low l) x).
Proof.
  intros G; destruct (low_at_means l) as [I J].
  pose proof (fun E HE => coarser_above bits Hbits k (low_at k low l) Hk I (wide_r l) E (wide_nonnegative l) HE J x G) as H.
  split; [apply (H 0); lra|]; intros E HE; rewrite wide_next; apply H; lra.
Qed.

Lemma coarsened_not_lower n : forall l x, good x -> not_lower l x (l + n) (coarsened k low n l x).
Proof.
  induction n as [|n IH]; intros l x G; cbn [coarsened].
  - rewrite Nat.add_0_r; split; [exact G | intros; lra].
  - pose proof (coarser_not_lower l x G) as C; rewrite <- Nat.add_succ_comm.
    eapply not_lower_trans; [exact C | apply IH, C].
Qed.

Lemma shrunk_not_lower fuel : forall l x, good x ->
  not_lower l x (fst (shrunk k most low fuel l x)) (snd (shrunk k most low fuel l x)).
Proof.
  induction fuel as [|n IH]; intros l x G; cbn [shrunk]; [split; [exact G | intros; cbn; lra]|].
  destruct (_ <=? _)%Z; [split; [exact G | intros; cbn; lra]|].
  pose proof (coarser_not_lower l x G) as C; eapply not_lower_trans; [exact C | apply IH, C].
Qed.

Definition legal (steps : list (step A)) : Prop := Forall (fun s => forall past, is_law (fst s past) /\ is_law (snd s past)) steps.

(** All runs of steps of a kind are below the curve of masses. *)
Definition holds_for (kind : list (step A) -> Prop) (x : nat * masses) : Prop :=
  good (snd x) /\ forall steps, kind steps -> legal steps ->
    runs_below same (map fst steps) (map snd steps) (IZR (infinite (snd x)) / u) (on_lattice (wide_r (fst x)) u (first (snd x)) (listed (snd x))).

Lemma raised kind x y : holds_for kind x -> not_lower (fst x) (snd x) (fst y) (snd y) -> holds_for kind y.
Proof.
  intros [G H] [G' H']; split; [exact G'|]; intros steps K L past E HE.
  eapply Rle_trans; [now apply (H steps K L past E HE) | now apply H'].
Qed.

Lemma legal_laws steps : legal steps -> all_laws (map fst steps) /\ all_laws (map snd steps).
Proof.
  intros L; split; apply Forall_map; eapply Forall_impl; [|exact L| |exact L]; cbv beta; intros s H past; apply H.
Qed.

Lemma together_means kind kind' x y z : holds_for kind x -> holds_for kind' y -> together bits k cut most low x y = Known z ->
  holds_for (fun steps => exists these others, steps = these ++ others /\ kind these /\ kind' others) z.
Proof.
  destruct x as [l x], y as [m y]; intros Hx Hy; unfold together; cbn [fst snd].
  set (n := Nat.max l m).
  assert (Hx' : holds_for kind (n, coarsened k low (n - l) l x)).
  { eapply raised; [exact Hx|]; cbn [fst snd]; replace n with (l + (n - l))%nat at 1 by lia; apply coarsened_not_lower, Hx. }
  assert (Hy' : holds_for kind' (n, coarsened k low (n - m) m y)).
  { eapply raised; [exact Hy|]; cbn [fst snd]; replace n with (m + (n - m))%nat at 1 by lia; apply coarsened_not_lower, Hy. }
  set (x' := coarsened k low (n - l) l x) in *; set (y' := coarsened k low (n - m) m y) in *.
  destruct (product bits x' y') as [p|] eqn:P; [|discriminate]; intros F; apply known_same in F; subst z.
  destruct Hx' as [Gx Hx'], Hy' as [Gy Hy']; cbn [fst snd] in *.
  destruct (product_means bits Hbits (wide_r n) x' y' p Gx Gy P) as [Gp Hp].
  destruct (trimmed_above bits Hbits (wide_r n) cut p (wide_nonnegative n) Gp) as [Gt Ht].
  assert (Hn : holds_for (fun steps => exists these others, steps = these ++ others /\ kind these /\ kind' others) (n, p)).
  { split; [exact Gp|]; intros steps (these & others & -> & K & K') L past E HE; cbn [fst snd].
    apply Forall_app in L as [L1 L2]; destruct (legal_laws _ L1), (legal_laws _ L2).
    rewrite !map_app; eapply Rle_trans; [|now apply Hp].
    apply (runs_compose same); auto.
    - apply on_lattice_nonnegative; [exact Hbits | apply Gy].
    - apply Rmult_le_pos; [apply IZR_le, Gy | apply Rlt_le, Rinv_0_lt_compat, u_positive, Hbits]. }
  eapply raised; [exact Hn|]; eapply not_lower_trans; [|apply shrunk_not_lower, Gt]; now split.
Qed.

Lemma holds_for_less (kind kind' : list (step A) -> Prop) x : (forall steps, kind' steps -> kind steps) -> holds_for kind x -> holds_for kind' x.
Proof. intros I [G H]; split; [exact G|]; intros steps K; apply H, I, K. Qed.

Definition copies_of (one : step A -> Prop) (n : nat) (steps : list (step A)) : Prop := length steps = n /\ Forall one steps.

Lemma copies_split one m n steps : copies_of one (m + n) steps -> exists these others, steps = these ++ others /\ copies_of one m these /\ copies_of one n others.
Proof.
  intros [L F]; exists (firstn m steps), (skipn m steps); rewrite <- (firstn_skipn m steps) in F; apply Forall_app in F as [F1 F2].
  split; [symmetry; apply firstn_skipn|]; repeat split; auto; [rewrite firstn_length | rewrite skipn_length]; lia.
Qed.

Lemma added_means one a m x c z : holds_for (copies_of one m) a -> holds_for (copies_of one c) x ->
  together bits k cut most low a x = Known z -> holds_for (copies_of one (m + c)) z.
Proof.
  intros Ha Hx H; eapply holds_for_less; [|exact (together_means _ _ _ _ _ Ha Hx H)]; apply copies_split.
Qed.

Lemma repeated_means one n : forall m before c x z, holds_for (copies_of one c) x ->
  match before with Some a => holds_for (copies_of one m) a | None => m = 0%nat end ->
  repeated bits k cut most low before x n = Known z -> holds_for (copies_of one (m + c * Pos.to_nat n)) z.
Proof.
  induction n as [n IH|n IH|]; intros m before c x z Hx Hb H; cbn [repeated] in H.
  - assert (B : exists a, match before with Some a => together bits k cut most low a x | None => Known x end = Known a /\ holds_for (copies_of one (m + c)) a).
    { destruct before as [b|]; [|subst m; now exists x]; destruct (together bits k cut most low b x) as [a|] eqn:T; [|discriminate].
      exists a; split; [reflexivity | exact (added_means _ _ _ _ _ _ Hb Hx T)]. }
    destruct B as (a & B & Ha); rewrite B in H; destruct (together bits k cut most low x x) as [y|] eqn:Y; [|discriminate].
    pose proof (IH _ (Some a) _ _ _ (added_means _ _ _ _ _ _ Hx Hx Y) Ha H) as R.
    rewrite Pos2Nat.inj_xI; replace (m + c * S (2 * Pos.to_nat n))%nat with (m + c + (c + c) * Pos.to_nat n)%nat by lia; exact R.
  - destruct (together bits k cut most low x x) as [y|] eqn:Y; [|discriminate].
    pose proof (IH _ before _ _ _ (added_means _ _ _ _ _ _ Hx Hx Y) Hb H) as R.
    rewrite Pos2Nat.inj_xO; replace (m + c * (2 * Pos.to_nat n))%nat with (m + (c + c) * Pos.to_nat n)%nat by lia; exact R.
  - change (Pos.to_nat 1) with 1%nat; rewrite Nat.mul_1_r; destruct before as [b|]; [exact (added_means _ _ _ _ _ _ Hb Hx H)|].
    apply known_same in H; subst; exact Hx.
Qed.

Lemma one_step p ratio : (0 <= ratio)%Z -> IZR ratio <= unit * exp step_length ->
  unit * exp (- step_length) <= IZR (ratio_above k h) -> checked_part prec longest bits k h ratio p = Known tt ->
  holds_for (copies_of (step_of same bits k h p) 1) (O, one p).
Proof.
  intros R0 R Y H; destruct (checked_part_means ratio p R0 R Y H) as [G K]; split; [exact G|]; cbn [fst snd].
  intros steps [L F] _ past E HE; destruct steps as [|s [|]]; try discriminate; inversion F as [|? ? Fs _]; subst.
  destruct (K s Fs past) as (LP & LQ & B); cbn [map run].
  assert (W : wide_r 0 = step_length) by (unfold wide_r; cbn; ring); rewrite W.
  assert (I : forall (P : law A) f, mean f (bind P (fun a => certain (a :: past))) = mean f (image (fun a => a :: past) P)).
  { intros P f; rewrite mean_bind, mean_image; apply mean_ext; intros a; cbn; ring. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (I (fst s past)) (I (snd s past))).
  eapply Rle_trans; [apply (post_processing same) | now apply B].
Qed.

Lemma all_parts_means ratio : (0 <= ratio)%Z -> IZR ratio <= unit * exp step_length ->
  unit * exp (- step_length) <= IZR (ratio_above k h) -> forall parts z,
  all_parts prec longest bits k h cut most low ratio parts = Known z -> holds_for (deployed same bits k h parts) z.
Proof.
  intros R0 R Y; induction parts as [|p parts IH]; intros z H; [discriminate|].
  assert (C : checked_part prec longest bits k h ratio p = Known tt).
  { cbn [all_parts] in H; destruct parts; destruct (checked_part _ _ _ _ _ _ _) as [[]|]; try discriminate; reflexivity. }
  assert (One : forall x, repeated bits k cut most low None (O, one p) (copies p) = Known x ->
    holds_for (copies_of (step_of same bits k h p) (Pos.to_nat (copies p))) x).
  { intros x X; pose proof (repeated_means _ _ 0 None 1 _ _ (one_step p ratio R0 R Y C) eq_refl X) as M.
    rewrite Nat.mul_1_l in M; exact M. }
  destruct parts as [|q parts].
  - cbn [all_parts] in H; rewrite C in H; eapply holds_for_less; [|exact (One _ H)].
    intros steps (these & others & -> & L & F & ->); rewrite app_nil_r; now split.
  - remember (q :: parts) as more; cbn [all_parts] in H; subst more; rewrite C in H.
    destruct (repeated bits k cut most low None (O, one p) (copies p)) as [x|] eqn:X; [|discriminate].
    destruct (all_parts prec longest bits k h cut most low ratio (q :: parts)) as [y|] eqn:V; [|discriminate].
    eapply holds_for_less; [|exact (together_means _ _ _ _ _ (One _ eq_refl) (IH y eq_refl) H)].
    intros steps (these & others & -> & L & F & D); exists these, others; repeat split; auto.
Qed.

(** *** The divergence *)

Lemma rest_of_means eps y w ms : nonnegative_masses ms -> forall z j, (0 <= z)%Z -> (0 <= y)%Z -> IZR y <= unit * exp (- w) ->
  IZR z <= unit * exp (eps - IZR j * w) -> unit * sum_from (hinge w (exp eps)) ms j <= IZR (rest_of k y z ms).
Proof.
  pose proof unit_pos as U; pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as UZ.
  intros N; induction N as [|m ms Hm N IH]; intros z j Hz Hy Y Z; cbn [sum_from rest_of]; [lra|].
  assert (T : unit * sum_from (hinge w (exp eps)) ms (j + 1) <= IZR (rest_of k y (Z.shiftr (z * y) k) ms)).
  { apply IH; auto; rewrite Z.shiftr_div_pow2 by exact Hk; [apply Z.div_pos; nia|].
    eapply Rle_trans; [apply under_means; exact UZ|]; rewrite mult_IZR.
    apply (Rmult_le_reg_r unit); [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply IZR_le in Hz, Hy; pose proof (Rmult_le_compat _ _ _ _ Hz Hy Z Y) as M.
    replace (unit * exp (eps - IZR (j + 1) * w) * unit) with (unit * exp (eps - IZR j * w) * (unit * exp (- w))); [exact M|].
    rewrite plus_IZR; replace (eps - (IZR j + 1) * w) with (eps - IZR j * w + - w) by ring; rewrite exp_plus; ring. }
  rewrite plus_IZR, mult_IZR, Rmult_plus_distr_l; apply Rplus_le_compat; [|exact T].
  rewrite <- Rmult_assoc, (Rmult_comm unit), Rmult_assoc; apply Rmult_le_compat_l; [now apply IZR_le|].
  unfold hinge, positive_part; rewrite <- RmaxRmult, Rmult_0_r by lra; apply Rmax_lub; [apply IZR_le; lia|].
  apply Rle_trans with (IZR (2 ^ k - z)); [|apply IZR_le; lia]; rewrite minus_IZR, <- exp_plus.
  replace (eps + - (IZR j * w)) with (eps - IZR j * w) by ring; lra.
Qed.

Lemma sum_skipped g n : forall ms f, (forall j, (f <= j < f + Z.of_nat n)%Z -> g j = 0) ->
  sum_from g ms f = sum_from g (skipn n ms) (f + Z.of_nat n).
Proof.
  induction n as [|n IH]; intros ms f H; [cbn [skipn]; now rewrite Z.add_0_r|].
  destruct ms as [|m ms]; [reflexivity|]; cbn [skipn sum_from]; rewrite (H f) by lia; rewrite IH; [|intros; apply H; lia].
  replace (f + 1 + Z.of_nat n)%Z with (f + Z.of_nat (S n))%Z by lia; ring.
Qed.

Lemma inject_real n : Q2R (inject_Z n) = IZR n.
Proof. unfold Q2R, inject_Z; cbn; field. Qed.

Lemma wide_real l : Q2R (wide h l) = wide_r l.
Proof. unfold wide, wide_r; now rewrite Q2R_mult, inject_real. Qed.

Lemma at_epsilon_means eps x d : good (snd x) -> at_epsilon prec longest k h low eps x = Known d ->
  height (wide_r (fst x)) u (snd x) (exp (Q2R eps)) <= IZR d / (u * unit).
Proof.
  intros [N _] H; unfold at_epsilon in H; set (w := wide h (fst x)) in *; set (x' := snd x) in *.
  set (j := Z.max _ _) in H; assert (J : (first x' <= j)%Z) by (unfold j; lia); clearbody j.
  destruct (below_exp prec longest k (eps - inject_Z j * w)) as [z|] eqn:E; [|discriminate].
  destruct (_ || _)%bool eqn:C; [|discriminate]; apply known_same in H; subst d.
  apply below_exp_means in E as [Z0 Z1]; rewrite Q2R_minus, Q2R_mult, inject_real in Z1.
  assert (W : Q2R w = wide_r (fst x)) by apply wide_real; rewrite W in Z1.
  destruct (low_at_means (fst x)) as [L0 L1]; pose proof unit_pos as U; pose proof (u_positive bits Hbits) as U'.
  rewrite height_is by exact Hbits.
  rewrite (sum_skipped _ (Z.to_nat (j - first x')) (listed x')).
  - replace (first x' + Z.of_nat (Z.to_nat (j - first x')))%Z with j by lia.
    assert (N' : nonnegative_masses (skipn (Z.to_nat (j - first x')) (listed x'))).
    { unfold nonnegative_masses in *; rewrite <- (firstn_skipn (Z.to_nat (j - first x')) (listed x')) in N; now apply Forall_app in N. }
    pose proof (rest_of_means _ _ _ _ N' z j Z0 L0 L1 Z1) as R.
    apply (Rmult_le_reg_r (u * unit)); [now apply Rmult_lt_0_compat|].
    unfold Rdiv; rewrite !Rmult_assoc, (Rinv_l (u * unit)) by (apply Rgt_not_eq; now apply Rmult_lt_0_compat).
    rewrite <- (Rmult_assoc (/ u)), Rinv_l, Rmult_1_l, Rmult_1_r, plus_IZR, mult_IZR by lra; lra.
  - intros i Hi; replace (first x' + Z.of_nat (Z.to_nat (j - first x')))%Z with j in Hi by lia.
    apply Bool.orb_prop in C as [C|C].
    + apply Z.eqb_eq in C; lia.
    + apply Qle_bool_imp_le, Qle_Rle in C; rewrite Q2R_mult, inject_real, W in C.
      unfold hinge, positive_part; apply Rmax_left.
      assert (I : (i <= j - 1)%Z) by lia; apply IZR_le in I.
      pose proof (Rmult_le_compat_r _ _ _ (wide_nonnegative (fst x)) I).
      rewrite <- exp_plus; pose proof (exp_le 0 (Q2R eps + - (IZR i * wide_r (fst x))) ltac:(lra)); rewrite exp_0 in *; lra.
Qed.
End Proof.

Theorem card_checker_sound precision longest bits k cut most h eps delta parts found :
  card_checker precision longest bits k cut most h eps delta parts = Known found ->
  forall A (same : forall x y : A, {x = y} + {x <> y}) (steps : list (step A)),
  deployed same bits k h parts steps ->
  hockey_stick (list_eq_dec same) (run (map fst steps) []) (run (map snd steps) []) (exp (Q2R eps)) <= Q2R delta.
Proof.
  unfold card_checker; intros H A same steps D; set (prec := F.PtoP precision) in *; clearbody prec.
  destruct (_ && _)%bool eqn:C in H; [|discriminate]; apply andb_prop in C as [C C3]; apply andb_prop in C as [C1 C2].
  apply Z.leb_le in C1, C2; apply Z.ltb_lt in C3.
  destruct (below_exp prec longest k (- h)) as [low|] eqn:L; [|discriminate].
  destruct (above_exp prec longest k (- h)) as [up|] eqn:U; [|discriminate].
  destruct (below_exp prec longest k h) as [ratio|] eqn:R; [|discriminate].
  destruct (all_parts _ _ _ _ _ _ _ _ _ _) as [x|] eqn:X; [|discriminate].
  destruct (at_epsilon _ _ _ _ _ _ _) as [d|] eqn:E; [|discriminate].
  destruct (Z.leb_spec (d * Zpos (Qden delta)) (Qnum delta * 2 ^ (bits + k))) as [G|]; [|discriminate]; clear H.
  apply (below_exp_means prec longest k C2) in L as [L0 L1]; apply (below_exp_means prec longest k C2) in R as [R0 R1].
  apply (above_exp_means prec longest k C2) in U as [-> U]; rewrite Q2R_opp in *.
  destruct (all_parts_means prec longest bits k h C1 C2 C3 same cut most low L0 L1 ratio R0 R1 U parts x X) as [Gx Hx].
  assert (Legal : legal steps).
  { clear -D; revert steps D; induction parts as [|p parts IH]; intros steps D; cbn [deployed] in D; [subst; constructor|].
    destruct D as (these & others & -> & _ & F & D); apply Forall_app; split; [|now apply IH].
    eapply Forall_impl; [|exact F]; intros s S past; split; apply (S past). }
  pose proof (Hx steps D Legal [] (exp (Q2R eps)) ltac:(apply Rlt_le, exp_pos)) as B.
  eapply Rle_trans; [exact B|].
  eapply Rle_trans; [exact (at_epsilon_means prec longest bits k h C1 C2 C3 low L0 L1 eps x d Gx E)|].
  rewrite <- mult_IZR, <- Z.pow_add_r by assumption.
  assert (P : 0 < IZR (2 ^ (bits + k))) by (apply IZR_lt, Z.pow_pos_nonneg; lia).
  assert (Q : 0 < IZR (Zpos (Qden delta))) by (apply IZR_lt; reflexivity).
  apply IZR_le in G; rewrite !mult_IZR in G; unfold Q2R.
  apply (Rmult_le_reg_r (IZR (2 ^ (bits + k)) * IZR (Zpos (Qden delta)))); [now apply Rmult_lt_0_compat|].
  replace (IZR d / IZR (2 ^ (bits + k)) * (IZR (2 ^ (bits + k)) * IZR (Zpos (Qden delta)))) with (IZR d * IZR (Zpos (Qden delta))) by (field; lra).
  replace (IZR (Qnum delta) * / IZR (Zpos (Qden delta)) * (IZR (2 ^ (bits + k)) * IZR (Zpos (Qden delta)))) with (IZR (Qnum delta) * IZR (2 ^ (bits + k))) by (field; lra).
  exact G.
Qed.
