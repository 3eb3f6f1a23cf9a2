(** * The value of a closed expression, and what a quantity is at an instance

    A quantity of a claim has two meanings: an expression over these files, and a function of the
    engine that computes it. [exactdp export coq-meanings] writes instances at which [computed]
    shows that they are one number: it unfolds the expression, decides each comparison on the way,
    and computes what is left as a rational, or as the logarithm of one ([eval]). *)

From Coq Require Import Reals QArith Qreals Qpower ZArith List Lra Lia Rpower.
From Coquelicot Require Rbar Lub.
From Interval Require Import Tactic.
Require Import ExactDP Measures.
Require ClaimsBalle2019Laplace ClaimsBiswas2023Noise ClaimsBiswas2023Distances.
Require SparseVector SparseVectorAtZero ClaimsSparseVectorExact ClaimsSparseVectorTold.
Import ListNotations.
Open Scope R_scope.

Local Arguments Q2R : simpl never.
Local Arguments Qred : simpl never.
Local Arguments Qcompare : simpl never.

(** ** Numbers *)

(** A rational, or the logarithm of a rational that is above 0. *)
Inductive number := Rational (q : Q) | Logarithm (q : Q).

Definition means (v : number) (x : R) : Prop :=
  match v with
  | Rational q => x = Q2R q
  | Logarithm q => (0 < q)%Q /\ x = ln (Q2R q)
  end.

Inductive comparison_of := Le | Lt | Eq.

Inductive expression :=
  | Whole (z : Z) | Natural (n : nat)
  | Sum (a b : expression) | Product (a b : expression) | Negative (a : expression) | Inverse (a : expression)
  | Power (a : expression) (n : nat) | Larger (a b : expression) | Smaller (a b : expression) | Size (a : expression)
  | Exponential (a : expression) | Logarithm_of (a : expression)
  | If (sign : comparison_of) (a b c d : expression).

Fixpoint denote (e : expression) : R :=
  match e with
  | Whole z => IZR z
  | Natural n => INR n
  | Sum a b => denote a + denote b
  | Product a b => denote a * denote b
  | Negative a => - denote a
  | Inverse a => / denote a
  | Power a n => denote a ^ n
  | Larger a b => Rmax (denote a) (denote b)
  | Smaller a b => Rmin (denote a) (denote b)
  | Size a => Rabs (denote a)
  | Exponential a => exp (denote a)
  | Logarithm_of a => ln (denote a)
  | If Le a b c d => if Rle_dec (denote a) (denote b) then denote c else denote d
  | If Lt a b c d => if Rlt_dec (denote a) (denote b) then denote c else denote d
  | If Eq a b c d => if Req_EM_T (denote a) (denote b) then denote c else denote d
  end.

Definition log_of (q : Q) : number := if Qeq_bool q 1 then Rational 0 else Logarithm (Qred q).
Definition positive (q : Q) : bool := negb (Qle_bool q 0).

Definition add (v w : number) : option number :=
  match v, w with
  | Rational p, Rational q => Some (Rational (Qred (p + q)))
  | Logarithm p, Logarithm q => Some (log_of (p * q))
  | Rational p, Logarithm q | Logarithm q, Rational p => if Qeq_bool p 0 then Some (Logarithm q) else None
  end.
Definition negative (v : number) : number :=
  match v with Rational q => Rational (Qred (- q)) | Logarithm q => log_of (/ q) end.
Definition times (p q : Q) : option number := (* p ln q *)
  let p := Qred p in if (Qden p =? 1)%positive then Some (log_of (Qpower q (Qnum p))) else None.
Definition multiply (v w : number) : option number :=
  match v, w with
  | Rational p, Rational q => Some (Rational (Qred (p * q)))
  | Rational p, Logarithm q | Logarithm q, Rational p => times p q
  | _, _ => None
  end.
Definition inverse (v : number) : option number :=
  match v with Rational q => Some (Rational (Qred (/ q))) | _ => None end.
Definition power (v : number) (n : nat) : option number :=
  match v with Rational q => Some (Rational (Qred (Qpower q (Z.of_nat n)))) | _ => None end.
Definition exponential (v : number) : option number :=
  match v with
  | Logarithm q => Some (Rational q)
  | Rational q => if Qeq_bool q 0 then Some (Rational 1) else None
  end.
Definition logarithm (v : number) : option number :=
  match v with Rational q => if positive q then Some (log_of q) else None | _ => None end.
Definition compared (v w : number) : option comparison :=
  match v, w with
  | Rational p, Rational q | Logarithm p, Logarithm q => Some (p ?= q)%Q
  | Rational p, Logarithm q => if Qeq_bool p 0 then Some (1 ?= q)%Q else None
  | Logarithm p, Rational q => if Qeq_bool q 0 then Some (p ?= 1)%Q else None
  end.
Definition holds (sign : comparison_of) (c : comparison) : bool :=
  match sign, c with
  | Le, Gt | Lt, Gt | Lt, Datatypes.Eq | Eq, Gt | Eq, Datatypes.Lt => false
  | _, _ => true
  end.

Definition bound {A B} (x : option A) (f : A -> option B) : option B :=
  match x with Some v => f v | None => None end.

Fixpoint eval (e : expression) : option number :=
  let both f a b := bound (eval a) (fun v => bound (eval b) (f v)) in
  match e with
  | Whole z => Some (Rational (inject_Z z))
  | Natural n => Some (Rational (inject_Z (Z.of_nat n)))
  | Sum a b => both add a b
  | Product a b => both multiply a b
  | Negative a => bound (eval a) (fun v => Some (negative v))
  | Inverse a => bound (eval a) inverse
  | Power a n => bound (eval a) (fun v => power v n)
  | Larger a b => both (fun v w => bound (compared v w) (fun c => Some (if holds Le c then w else v))) a b
  | Smaller a b => both (fun v w => bound (compared v w) (fun c => Some (if holds Le c then v else w))) a b
  | Size a =>
      bound (eval a) (fun v => bound (compared (Rational 0) v) (fun c => Some (if holds Le c then v else negative v)))
  | Exponential a => bound (eval a) exponential
  | Logarithm_of a => bound (eval a) logarithm
  | If sign a b c d =>
      bound (eval a) (fun v => bound (eval b) (fun w => bound (compared v w)
        (fun found => if holds sign found then eval c else eval d)))
  end.

(** ** The value is the value *)

Lemma Q2R_red q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_whole z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z; cbn; lra. Qed.

Lemma Q2R_inverse q : Q2R (/ q) = / Q2R q.
Proof.
  destruct (Qeq_dec q 0) as [H|H]; [|now apply Q2R_inv].
  assert (E : (/ q == 0)%Q) by (rewrite H; reflexivity).
  rewrite (Qeq_eqR _ _ E), (Qeq_eqR _ _ H), RMicromega.Q2R_0; now rewrite Rinv_0.
Qed.

Lemma Q2R_power q n : Q2R (Qpower q (Z.of_nat n)) = Q2R q ^ n.
Proof.
  induction n as [|n IH]; [apply RMicromega.Q2R_1|].
  rewrite Nat2Z.inj_succ; unfold Z.succ; rewrite Z.add_comm.
  destruct (Z.of_nat n) eqn:E; [destruct n; [cbn; unfold Q2R; cbn; lra|discriminate]| |lia].
  rewrite Qeq_eqR with (y := (q * Qpower q (Zpos p))%Q); [rewrite Q2R_mult, IH; reflexivity|].
  change (1 + Zpos p)%Z with (Z.of_nat 1 + Zpos p)%Z.
  change (Qpower q (1 + Z.pos p) == q * Qpower q (Z.pos p))%Q.
  rewrite Qpower_plus' by lia; reflexivity.
Qed.

Lemma above_zero q : (0 < q)%Q -> 0 < Q2R q.
Proof. intros H; apply Qlt_Rlt in H; now rewrite RMicromega.Q2R_0 in H. Qed.

Lemma positive_true q : positive q = true -> (0 < q)%Q.
Proof.
  unfold positive; destruct (Qle_bool q 0) eqn:E; [discriminate|intros _].
  apply Qnot_le_lt; intros H; apply Qle_bool_iff in H; congruence.
Qed.

Lemma log_of_means q : (0 < q)%Q -> means (log_of q) (ln (Q2R q)).
Proof.
  intros H; unfold log_of; destruct (Qeq_bool q 1) eqn:E; cbn.
  - apply Qeq_bool_iff in E; rewrite (Qeq_eqR _ _ E), RMicromega.Q2R_1, RMicromega.Q2R_0; apply ln_1.
  - now rewrite Q2R_red, Qred_correct.
Qed.

Lemma zero_of p : Qeq_bool p 0 = true -> Q2R p = 0.
Proof. intros H; apply Qeq_bool_iff in H; rewrite (Qeq_eqR _ _ H); apply RMicromega.Q2R_0. Qed.

Ltac cut_some := match goal with
  | H : Some _ = Some _ |- _ => injection H as <-
  | H : None = Some _ |- _ => discriminate H
  end.

Lemma add_means v w u x y : means v x -> means w y -> add v w = Some u -> means u (x + y).
Proof.
  destruct v as [p|p], w as [q|q]; cbn; intros Hx Hy E.
  - cut_some; cbn; subst; now rewrite Q2R_red, Q2R_plus.
  - destruct (Qeq_bool p 0) eqn:Z; cut_some; cbn; destruct Hy as [Hq ->]; split; [easy|].
    rewrite Hx, (zero_of _ Z); lra.
  - destruct (Qeq_bool q 0) eqn:Z; cut_some; cbn; destruct Hx as [Hp ->]; split; [easy|].
    rewrite Hy, (zero_of _ Z); lra.
  - cut_some; destruct Hx as [Hp ->], Hy as [Hq ->].
    rewrite <- ln_mult by now apply above_zero.
    rewrite <- Q2R_mult; apply log_of_means.
    apply Qmult_lt_0_compat; easy.
Qed.

Lemma inverse_above q : (0 < q)%Q -> (0 < / q)%Q.
Proof. apply Qinv_lt_0_compat. Qed.

Lemma negative_means v x : means v x -> means (negative v) (- x).
Proof.
  destruct v as [q|q]; cbn; [intros ->; now rewrite Q2R_red, Q2R_opp|].
  intros [H ->]; rewrite <- ln_Rinv by now apply above_zero.
  rewrite <- Q2R_inverse; apply log_of_means; now apply inverse_above.
Qed.

Lemma times_means p q u : (0 < q)%Q -> times p q = Some u -> means u (Q2R p * ln (Q2R q)).
Proof.
  unfold times; intros H; rewrite <- (Q2R_red p); destruct (Qred p) as [n d]; unfold Qden, Qnum.
  destruct (Pos.eqb_spec d 1) as [->|]; intros E; cut_some.
  assert (P := above_zero q H).
  replace (Q2R (n # 1) * ln (Q2R q)) with (ln (Q2R (Qpower q n))); [apply log_of_means; now apply Qpower_0_lt|].
  replace (Q2R (n # 1)) with (IZR n) by (unfold Q2R; cbn; lra).
  assert (Hn : forall k, ln (Q2R q ^ k) = INR k * ln (Q2R q)) by (intros; now apply ln_pow).
  destruct n as [|n|n].
  - change (Qpower q 0) with 1%Q; rewrite RMicromega.Q2R_1, ln_1; lra.
  - rewrite <- positive_nat_Z, Q2R_power, Hn, INR_IZR_INZ; reflexivity.
  - change (Qpower q (Z.neg n)) with (/ Qpower q (Z.pos n))%Q.
    rewrite Q2R_inverse, <- positive_nat_Z, Q2R_power.
    rewrite ln_Rinv by now apply pow_lt.
    rewrite Hn, INR_IZR_INZ, positive_nat_Z.
    rewrite <- Pos2Z.opp_pos, opp_IZR; lra.
Qed.

Lemma multiply_means v w u x y : means v x -> means w y -> multiply v w = Some u -> means u (x * y).
Proof.
  destruct v as [p|p], w as [q|q]; cbn; intros Hx Hy E; try discriminate.
  - cut_some; cbn; subst; now rewrite Q2R_red, Q2R_mult.
  - destruct Hy as [Hq ->]; subst x; now apply times_means.
  - destruct Hx as [Hp ->]; subst y; rewrite Rmult_comm; now apply times_means.
Qed.

Lemma Q2R_compare p q :
  match (p ?= q)%Q with Datatypes.Eq => Q2R p = Q2R q | Datatypes.Lt => Q2R p < Q2R q | Gt => Q2R q < Q2R p end.
Proof.
  destruct (p ?= q)%Q eqn:E.
  - apply Qeq_eqR; now apply Qeq_alt.
  - apply Qlt_Rlt; now apply Qlt_alt.
  - apply Qlt_Rlt; now apply Qgt_alt.
Qed.

Lemma ln_compare p q : (0 < p)%Q -> (0 < q)%Q ->
  match (p ?= q)%Q with
  | Datatypes.Eq => ln (Q2R p) = ln (Q2R q)
  | Datatypes.Lt => ln (Q2R p) < ln (Q2R q)
  | Gt => ln (Q2R q) < ln (Q2R p)
  end.
Proof.
  intros Hp Hq; pose proof (Q2R_compare p q) as H; apply above_zero in Hp, Hq.
  destruct (p ?= q)%Q; [now rewrite H|now apply ln_increasing|now apply ln_increasing].
Qed.

Lemma compared_means v w c x y : means v x -> means w y -> compared v w = Some c ->
  match c with Datatypes.Eq => x = y | Datatypes.Lt => x < y | Gt => y < x end.
Proof.
  destruct v as [p|p], w as [q|q]; cbn; intros Hx Hy E.
  - cut_some; subst; apply Q2R_compare.
  - destruct Hy as [Hq ->]; destruct (Qeq_bool p 0) eqn:Z; cut_some; rewrite Hx, (zero_of _ Z).
    rewrite <- ln_1, <- RMicromega.Q2R_1; now apply (ln_compare 1 q).
  - destruct Hx as [Hp ->]; destruct (Qeq_bool q 0) eqn:Z; cut_some; rewrite Hy, (zero_of _ Z).
    rewrite <- ln_1, <- RMicromega.Q2R_1; now apply (ln_compare p 1).
  - cut_some; destruct Hx as [Hp ->], Hy as [Hq ->]; now apply ln_compare.
Qed.

Ltac taken := repeat match goal with
  | H : bound ?x _ = Some _ |- _ => destruct x eqn:?; cbn in H; [|discriminate H]
  end.

Theorem eval_sound e v : eval e = Some v -> means v (denote e).
Proof.
  revert v; induction e; cbn; intros v E; taken.
  - cut_some; cbn; now rewrite Q2R_whole.
  - cut_some; cbn; now rewrite Q2R_whole, INR_IZR_INZ.
  - exact (add_means _ _ _ _ _ (IHe1 _ eq_refl) (IHe2 _ eq_refl) E).
  - exact (multiply_means _ _ _ _ _ (IHe1 _ eq_refl) (IHe2 _ eq_refl) E).
  - cut_some; apply negative_means; auto.
  - specialize (IHe _ eq_refl); destruct n as [q|q]; cbn in *; [|discriminate].
    cut_some; cbn; rewrite IHe, Q2R_red; symmetry; apply Q2R_inverse.
  - specialize (IHe _ eq_refl); destruct n0 as [q|q]; cbn in *; [|discriminate].
    cut_some; cbn; rewrite IHe, Q2R_red; symmetry; apply Q2R_power.
  - pose proof (compared_means _ _ _ _ _ (IHe1 _ eq_refl) (IHe2 _ eq_refl) ltac:(eassumption)) as C.
    cut_some; destruct c; cbn; unfold Rmax; destruct Rle_dec; auto; try lra.
  - pose proof (compared_means _ _ _ _ _ (IHe1 _ eq_refl) (IHe2 _ eq_refl) ltac:(eassumption)) as C.
    cut_some; destruct c; cbn; unfold Rmin; destruct Rle_dec; auto; try lra.
  - specialize (IHe _ eq_refl).
    assert (Z : means (Rational 0) 0) by (cbn; now rewrite RMicromega.Q2R_0).
    pose proof (compared_means _ _ _ _ _ Z IHe ltac:(eassumption)) as C.
    cut_some; destruct c; cbn.
    + rewrite <- C, Rabs_R0, C; exact IHe.
    + rewrite Rabs_right by lra; exact IHe.
    + rewrite Rabs_left by lra; now apply negative_means.
  - specialize (IHe _ eq_refl); destruct n as [q|q]; cbn in *.
    + destruct (Qeq_bool q 0) eqn:Z; cut_some; cbn.
      rewrite IHe, (zero_of _ Z), exp_0; symmetry; apply RMicromega.Q2R_1.
    + cut_some; cbn; destruct IHe as [H ->]; apply exp_ln; now apply above_zero.
  - specialize (IHe _ eq_refl); destruct n as [q|q]; cbn in *; [|discriminate].
    destruct (positive q) eqn:P; cut_some; rewrite IHe; apply log_of_means; now apply positive_true.
  - pose proof (compared_means _ _ _ _ _ (IHe1 _ eq_refl) (IHe2 _ eq_refl) ltac:(eassumption)) as C.
    destruct sign, c; cbn in *; first [destruct Rle_dec | destruct Rlt_dec | destruct Req_EM_T]; auto; lra.
Qed.

Lemma decided a b :
  match bound (eval a) (fun v => bound (eval b) (compared v)) with
  | Some Datatypes.Eq => denote a = denote b
  | Some Datatypes.Lt => denote a < denote b
  | Some Gt => denote a > denote b
  | None => True
  end.
Proof.
  destruct (eval a) as [v|] eqn:A; cbn; [|exact I]; destruct (eval b) as [w|] eqn:B; cbn; [|exact I].
  destruct (compared v w) as [c|] eqn:C; [|exact I].
  exact (compared_means _ _ _ _ _ (eval_sound _ _ A) (eval_sound _ _ B) C).
Qed.

(** ** The tactic *)

Ltac reify x :=
  lazymatch x with
  | IZR ?z => constr:(Whole z)
  | INR ?n => let n := eval cbv in n in constr:(Natural n)
  | ?a + ?b => let a := reify a in let b := reify b in constr:(Sum a b)
  | ?a - ?b => let a := reify a in let b := reify b in constr:(Sum a (Negative b))
  | ?a * ?b => let a := reify a in let b := reify b in constr:(Product a b)
  | ?a / ?b => let a := reify a in let b := reify b in constr:(Product a (Inverse b))
  | - ?a => let a := reify a in constr:(Negative a)
  | / ?a => let a := reify a in constr:(Inverse a)
  | ?a ^ ?n => let a := reify a in let n := eval cbv in n in constr:(Power a n)
  | Rmax ?a ?b => let a := reify a in let b := reify b in constr:(Larger a b)
  | Rmin ?a ?b => let a := reify a in let b := reify b in constr:(Smaller a b)
  | Rabs ?a => let a := reify a in constr:(Size a)
  | exp ?a => let a := reify a in constr:(Exponential a)
  | ln ?a => let a := reify a in constr:(Logarithm_of a)
  | Rpower ?a ?b => let a := reify a in let b := reify b in constr:(Exponential (Product b (Logarithm_of a)))
  | (if Rle_dec ?a ?b then ?c else ?d) =>
      let a := reify a in let b := reify b in let c := reify c in let d := reify d in constr:(If Le a b c d)
  | (if Rlt_dec ?a ?b then ?c else ?d) =>
      let a := reify a in let b := reify b in let c := reify c in let d := reify d in constr:(If Lt a b c d)
  | (if Req_EM_T ?a ?b then ?c else ?d) =>
      let a := reify a in let b := reify b in let c := reify c in let d := reify d in constr:(If Eq a b c d)
  end.

(** What is known of two closed numbers. *)
Ltac compare_numbers a b H :=
  let a' := reify a in
  let b' := reify b in
  pose proof (decided a' b') as H;
  let found := eval vm_compute in (bound (eval a') (fun v => bound (eval b') (compared v))) in
  lazymatch found with
  | Some Datatypes.Eq => change (a = b) in H
  | Some Datatypes.Lt => change (a < b) in H
  | Some Gt => change (a > b) in H
  end.

(** The least of what a function has from 0 on, where from some n on it is the same. *)
Lemma least_of (f : nat -> R) n : (forall m, f (n + m)%nat = f n) ->
  Rbar.real (Lub.Glb_Rbar (fun x => exists m, x = f m)) = fold_right (fun m x => Rmin (f m) x) (f n) (seq 0 n).
Proof.
  intros H; set (x := fold_right _ _ _).
  assert (L : forall m, x <= f m).
  { assert (F : forall l, (forall m, In m l -> fold_right (fun m x => Rmin (f m) x) (f n) l <= f m)
      /\ fold_right (fun m x => Rmin (f m) x) (f n) l <= f n).
    { induction l as [|y l [I J]]; cbn; split; try (easy || lra); [intros m [<-|M]|].
      - apply Rmin_l.
      - eapply Rle_trans; [apply Rmin_r | now apply I].
      - eapply Rle_trans; [apply Rmin_r | exact J]. }
    destruct (F (seq 0 n)) as [I J]; intros m; destruct (Nat.le_gt_cases n m) as [M|M].
    - replace m with (n + (m - n))%nat by lia; rewrite H; exact J.
    - apply I, in_seq; lia. }
  assert (A : exists m, x = f m).
  { unfold x; clear; induction (seq 0 n) as [|y l [m I]]; cbn; [now exists n|].
    unfold Rmin; destruct Rle_dec; [now exists y | now exists m]. }
  rewrite (Lub.is_glb_Rbar_unique _ (Rbar.Finite x)); [reflexivity|]; split.
  - intros y [m ->]; apply L.
  - intros y Y; apply Y, A.
Qed.

Ltac kept := lazy -[Rplus Rminus Rmult Rdiv Ropp Rinv pow IZR INR Rmax Rmin Rabs exp ln Rpower sqrt
  PI Rle_dec Rlt_dec Req_EM_T Rle Rlt Rge Rgt Rbar.real Lub.Glb_Rbar SparseVector.report_probability
  ClaimsSparseVectorExact.noiseless_probability].
Ltac identical := match goal with |- ?a = ?b => constr_eq a b; exact (eq_refl a) end. (* reals may not be unfolded *)
Ltac least_found n :=
  match goal with |- context [Rbar.real (Lub.Glb_Rbar (fun x => exists m : nat, x = @?f m))] =>
    first [rewrite (least_of f n) by (intros [|m]; kept; identical)
          | lazymatch n with 6%nat => fail | _ => least_found (S n) end]
  end.
Ltac unfolded := kept; repeat (least_found 0%nat; kept).

(** A comparison on which the shape of the expression rests. *)
Ltac choose :=
  match goal with
  | |- context [match Req_EM_T ?a ?b with _ => _ end] =>
      let H := fresh in compare_numbers a b H; destruct (Req_EM_T a b); [try (exfalso; lra)|try (exfalso; lra)]; clear H
  | |- context [match Rle_dec ?a ?b with _ => _ end] =>
      let H := fresh in compare_numbers a b H; destruct (Rle_dec a b); [try (exfalso; lra)|try (exfalso; lra)]; clear H
  | |- context [match Rlt_dec ?a ?b with _ => _ end] =>
      let H := fresh in compare_numbers a b H; destruct (Rlt_dec a b); [try (exfalso; lra)|try (exfalso; lra)]; clear H
  end.

(** The same for numbers of other kinds, which are compared by enclosures. *)
Ltac near :=
  unfold Rpower, pow;
  first [lra | interval with (i_prec 120)
        | repeat (rewrite Rmult_0_l || rewrite Rmult_0_r || rewrite Rplus_0_l || rewrite Rplus_0_r); interval with (i_prec 120)].
Ltac choose_near :=
  match goal with
  | |- context [match Rle_dec ?a ?b with _ => _ end] =>
      first [assert (a <= b) by near; destruct (Rle_dec a b); [|exfalso; lra] | assert (b < a) by near; destruct (Rle_dec a b); [exfalso; lra|]]
  end.

Ltac evaluated :=
  match goal with
  | |- ?a = ?b => let H := fresh in compare_numbers a b H; exact H
  | |- ?a < ?b => let H := fresh in compare_numbers a b H; exact H
  | |- ?a > ?b => let H := fresh in compare_numbers a b H; exact H
  | |- ?a <= ?b => let H := fresh in compare_numbers a b H; first [exact (Rlt_le _ _ H) | exact (Req_le _ _ H)]
  | |- ?a >= ?b => let H := fresh in compare_numbers a b H; first [exact (Rgt_ge _ _ H) | exact (Req_ge _ _ H)]
  end.

(** Masses as rationals: an inner quantity is computed once. *)
Ltac rational_of x :=
  let e := reify x in
  lazymatch eval vm_compute in (eval e) with
  | Some (Rational (?n # 1)%Q) => constr:(IZR n)
  | Some (Rational (?n # ?d)%Q) => constr:(IZR n / IZR (Zpos d))
  end.
Ltac is_rational x :=
  lazymatch x with IZR _ => idtac | IZR _ / IZR _ => idtac end.
Ltac replaced x := let q := rational_of x in let H := fresh in compare_numbers x q H; rewrite H; clear H.
Ltac masses :=
  repeat match goal with
  | |- context [Rmax 0 (?p - _ * ?q)] =>
      first [tryif is_rational p then fail else replaced p | tryif is_rational q then fail else replaced q]
  end.

Ltac larger :=
  masses;
  match goal with
  | |- context [Rmax ?a ?b] =>
      first [rewrite (Rmax_right a b) by first [solve [evaluated] | near]
            | rewrite (Rmax_left a b) by first [solve [evaluated] | near]]
  end.

(** An integral over the noise on a threshold, where all answers are at it; or where they have no noise. *)
Ltac at_threshold :=
  repeat (rewrite SparseVectorAtZero.report_at_zero by first [evaluated | repeat constructor]; unfolded);
  repeat (rewrite ClaimsSparseVectorExact.between_answers by evaluated; unfolded).

(** What no tactic unfolds is what a theorem says that it is. *)
Ltac by_theorem :=
  rewrite ?ClaimsBalle2019Laplace.balle2019_blanket_laplace by (unfolded; lra);
  rewrite ?ClaimsBiswas2023Noise.noisy_mean_is by (unfolded; lra);
  rewrite ?ClaimsBiswas2023Distances.noisy_distance_is by (unfolded; lra);
  rewrite ?ClaimsSparseVectorTold.told_is by (unfolded; evaluated).

Ltac computed := by_theorem; unfolded; at_threshold; repeat first [evaluated | choose; unfolded | choose_near; unfolded]; try solve [repeat larger; lra].

(** A number of another kind, between two rationals. *)
Ltac enclosed := by_theorem; unfolded; at_threshold; repeat (choose; unfolded); repeat larger; split; near.

Ltac rationals :=
  repeat match goal with |- context [(?a, ?x)] => tryif is_rational x then fail else replaced x end;
  match goal with
  | |- ?x = _ => match type of x with R => tryif is_rational x then idtac else replaced x | _ => idtac end
  end.
Ltac exists_value := eexists; match goal with |- _ = ?x => let y := fresh "value" in set (y := x) end.
Ltac normal := unfolded; repeat (choose; unfolded); rationals; reflexivity.

(** What a theorem assumes, at an instance: each part is computed; a natural number is taken case by
    case as long as anything rests on it. *)
Ltac apart := intros ?; match goal with E : ?a = ?b |- False => let H := fresh in compare_numbers a b H; lra end.
Ltac plain :=
  first [exact I | reflexivity | exact (hockey_stick_processed _) | solve [lia] | solve [lra] | solve [discriminate]
        | solve [intros; exfalso; unfolded; lia]].
Ltac settled := first [plain | solve [computed] | solve [unfolded; near]].
Ltac opened :=
  lazymatch goal with
  | |- is_law (?f ?x) => let g := eval red in f in change (is_law (g x)); cbv beta
  end;
  repeat match goal with |- context [if same_counts ?a ?b then _ else _] => destruct (same_counts a b) end;
  try match goal with |- context [nth ?i _ _] => generalize i end.
Ltac assumed_at depth :=
  try solve [plain];
  lazymatch goal with
  | |- forall data : list nat, is_law _ => intros ?; opened
  | |- exists n : nat, ?m = (2 ^ n)%nat => exists (Nat.log2 m)
  | |- exists n : nat, _ /\ ?m = (2 ^ n)%nat => exists (Nat.log2 m)
  | |- _ => idtac
  end;
  unfolded;
  lazymatch goal with
  | |- _ /\ _ => split; assumed_at depth
  | |- Forall _ [] => constructor
  | |- Forall ?P (?x :: _) =>
      let H := fresh in assert (H : P x) by first [assumption | assumed_at depth];
      constructor; [exact H | assumed_at depth]
  | |- NoDup [] => constructor
  | |- NoDup (_ :: _) => constructor; [cbn; intuition discriminate | assumed_at depth]
  | |- exists x : R, forall n : nat, _ -> x <= @?f n /\ _ =>
      first [exists (f 0%nat); solve [assumed_at depth] | exists (f 1%nat); solve [assumed_at depth]]
  | |- exists _ : R, _ => exists (ln 1000); assumed_at depth
  | |- exists _, _ => eexists; assumed_at depth
  | |- _ \/ _ => (left; reflexivity) + (right; assumed_at depth)
  | |- @eq R _ _ -> False => apart
  | |- forall _ : nat, _ => let n := fresh "n" in intros n; by_cases n depth depth
  | |- forall _ : list nat, _ => (* only a number of it counts *)
      let past := fresh "past" in intros past;
      try match goal with |- context [?f past] => lazymatch type of (f past) with nat => generalize (f past) end end;
      assumed_at depth
  | |- forall b : R, (forall _ : nat, _) -> _ =>
      let H := fresh in
      intros ? H; generalize (H 0%nat) (H 1%nat) (H 2%nat) (H 3%nat); clear H; unfolded; intros; lra
  | |- forall _, _ => intros; assumed_at depth
  | |- _ => settled
  end
with by_cases n fuel depth :=
  lazymatch goal with
  | |- context [n] => lazymatch fuel with S ?f => destruct n as [|n]; unfolded; [assumed_at depth | by_cases n f depth] end
  | |- _ => assumed_at depth
  end.
Ltac assumed := assumed_at 6%nat.
