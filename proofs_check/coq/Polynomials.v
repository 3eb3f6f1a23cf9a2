(** * The laws of views as polynomials: a program, and the proof that it computes them

    A key holds the counts in binary; a polynomial is a list of keys, in order, with their
    coefficients. The same program runs on reals, where it is proved to give the law of a view
    ([powers_are_views], [mean_product]), and on values that enclose them ([product_related]). *)

From Coq Require Import Reals List Lra Lia ZArith NArith Bool.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

Definition key := list N.
Definition unary (a : key) : counts := map N.to_nat a.

Fixpoint compare_keys (a b : key) : comparison :=
  match a, b with
  | [], [] => Datatypes.Eq
  | [], _ => Datatypes.Lt
  | _, [] => Datatypes.Gt
  | x :: a, y :: b =>
    match (x ?= y)%N with Datatypes.Eq => compare_keys a b | c => c end
  end.

Lemma compare_keys_eq a b : compare_keys a b = Datatypes.Eq -> a = b.
Proof.
  revert b; induction a as [|x a IH]; intros [|y b]; cbn; try discriminate; [reflexivity|].
  destruct (N.compare_spec x y) as [->| |]; try discriminate; intros H; f_equal; auto.
Qed.

Fixpoint add_keys (a b : key) : key :=
  match a, b with x :: a, y :: b => (x + y)%N :: add_keys a b | _, _ => [] end.
Fixpoint add_at (y : nat) (n : N) (a : key) {struct a} : key :=
  match a, y with
  | [], _ => [] | x :: a, 0%nat => (n + x)%N :: a | x :: a, S y => x :: add_at y n a
  end.

Lemma unary_add a b : unary (add_keys a b) = plus_counts (unary a) (unary b).
Proof.
  revert b; induction a as [|x a IH]; intros [|y b]; try reflexivity.
  change (N.to_nat (x + y) :: unary (add_keys a b)
    = (N.to_nat x + N.to_nat y)%nat :: plus_counts (unary a) (unary b)).
  now rewrite IH, N2Nat.inj_add.
Qed.

Lemma increments_cons n y x c : increments n (S y) (x :: c) = x :: increments n y c.
Proof. induction n as [|n IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Lemma increments_nil n y : increments n y [] = [].
Proof. induction n as [|n IH]; cbn [increments]; [reflexivity | rewrite IH; destruct y; reflexivity]. Qed.

Lemma unary_add_at y n a : unary (add_at y n a) = increments (N.to_nat n) y (unary a).
Proof.
  revert y; induction a as [|x a IH]; intros y; [cbn; now rewrite increments_nil|].
  destruct y as [|y].
  - change (N.to_nat (n + x) :: unary a = increments (N.to_nat n) 0 (N.to_nat x :: unary a)).
    clear IH; rewrite N2Nat.inj_add; induction (N.to_nat n) as [|m IHm]; [reflexivity|].
    cbn [increments]; rewrite <- IHm; reflexivity.
  - change (N.to_nat x :: unary (add_at y n a)
      = increments (N.to_nat n) (S y) (N.to_nat x :: unary a)).
    now rewrite increments_cons, IH.
Qed.

Definition zero_key (k : nat) : key := repeat 0%N k.

Section Polynomials.
Context {C D : Type}.

Definition scale (h : key -> key) (op : C -> D) (p : list (key * C)) : list (key * D) :=
  map (fun x => (h (fst x), op (snd x))) p.

Fixpoint merge (add : D -> D -> D) (p : list (key * D)) : list (key * D) -> list (key * D) :=
  match p with
  | [] => fun q => q
  | (a, x) :: p' =>
    fix inner (q : list (key * D)) : list (key * D) :=
      match q with
      | [] => p
      | (b, y) :: q' =>
        match compare_keys a b with
        | Datatypes.Lt => (a, x) :: merge add p' q
        | Datatypes.Gt => (b, y) :: inner q'
        | Datatypes.Eq => (a, add x y) :: merge add p' q'
        end
      end
  end.
End Polynomials.

Definition product {B C D} (mul : B -> C -> D) (add : D -> D -> D) (p : list (key * B))
    (q : list (key * C)) : list (key * D) :=
  fold_right (fun x r => merge add (scale (add_keys (fst x)) (mul (snd x)) q) r) [] p.

Section Power.
Context {C : Type} (one : C) (mul : C -> C -> C) (ratio : C -> nat -> nat -> C) (pow : C -> nat -> C).

(** bin n c * w^c, from c on: each from the one before, times w (n - c) / (c + 1). *)
Fixpoint coefficients (w : C) (left c : nat) (x : C) : list (nat * (nat * C)) :=
  (c, (left, x)) ::
  match left with 0%nat => [] | S rest => coefficients w rest (S c) (ratio (mul x w) left (S c)) end.

(** The law of the counts of [n] users who all send by [u]. *)
Fixpoint powers (k : nat) (u : list (nat * C)) (n : nat) : list (key * C) :=
  match u with
  | [] => match n with 0%nat => [(zero_key k, one)] | _ => [] end
  | [(y, w)] => [(add_at y (N.of_nat n) (zero_key k), pow w n)]
  | (y, w) :: rest =>
    flat_map (fun x => scale (add_at y (N.of_nat (fst x))) (mul (snd (snd x)))
        (powers k rest (fst (snd x))))
      (coefficients w n 0 one)
  end.
End Power.

(** *** The same program on related coefficients gives related results *)

Definition related {K C D} (rel : C -> D -> Prop) : list (K * C) -> list (K * D) -> Prop :=
  Forall2 (fun x y => fst x = fst y /\ rel (snd x) (snd y)).

Section Related.
Context {C C' D D' : Type} (rel : C -> C' -> Prop) (rel' : D -> D' -> Prop).

Lemma scale_related h op op' p p' :
  (forall x x', rel x x' -> rel' (op x) (op' x')) ->
  related rel p p' -> related rel' (scale h op p) (scale h op' p').
Proof.
  intros H; induction 1 as [|[a x] [b y] p p' [E R] F IH]; constructor; cbn in *.
  - subst; auto.
  - exact IH.
Qed.

Lemma merge_related add add' p p' q q' :
  (forall x y x' y', rel' x x' -> rel' y y' -> rel' (add x y) (add' x' y')) ->
  related rel' p p' -> related rel' q q' -> related rel' (merge add p q) (merge add' p' q').
Proof.
  intros H Rp; revert q q'; induction Rp as [|[a x] [a' x'] p p' [E R] Rp IH]; intros q q' Rq;
    [exact Rq|].
  cbn in E, R; subst a'; induction Rq as [|[b y] [b' y'] q q' [E' R'] Rq IHq].
  - constructor; [split; [reflexivity | exact R] | exact Rp].
  - cbn in E', R'; subst b'; cbn [merge]; destruct (compare_keys a b).
    + constructor; [split; cbn; auto | apply IH, Rq].
    + constructor; [split; cbn; auto | apply IH; constructor; [split; cbn; auto | exact Rq]].
    + constructor; [split; cbn; auto | exact IHq].
Qed.
End Related.

Lemma product_related {B B' C C' D D'} (rB : B -> B' -> Prop) (rC : C -> C' -> Prop)
    (rD : D -> D' -> Prop) mul mul' add add' p p' q q' :
  (forall x y x' y', rB x x' -> rC y y' -> rD (mul x y) (mul' x' y')) ->
  (forall x y x' y', rD x x' -> rD y y' -> rD (add x y) (add' x' y')) ->
  related rB p p' -> related rC q q' -> related rD (product mul add p q) (product mul' add' p' q').
Proof.
  intros Hm Ha Rp Rq; induction Rp as [|[a x] [b y] p p' [E R] Rp IH]; [constructor|].
  cbn in E, R; subst b; cbn [product fold_right]; apply merge_related; [exact Ha | | exact IH].
  cbn [fst snd]; apply (scale_related rC); [|exact Rq]; auto.
Qed.

Lemma powers_related {C C'} (rel : C -> C' -> Prop) one one' mul mul' ratio ratio' pow pow' :
  rel one one' ->
  (forall x y x' y', rel x x' -> rel y y' -> rel (mul x y) (mul' x' y')) ->
  (forall x x' m n, rel x x' -> rel (ratio x m (S n)) (ratio' x' m (S n))) ->
  (forall x x' n, rel x x' -> rel (pow x n) (pow' x' n)) ->
  forall k u u' n, related rel u u' ->
  related rel (powers one mul ratio pow k u n) (powers one' mul' ratio' pow' k u' n).
Proof.
  intros H1 Hm Hr Hp k u u' n R; revert n.
  induction R as [|[y w] [y' w'] u u' [E W] R IH]; intros n.
  - destruct n; cbn; constructor; [split; [reflexivity | exact H1] | constructor].
  - cbn in E, W; subst y'; destruct R as [|v v' u u' Rv R].
    + cbn; constructor; [split; [reflexivity | apply Hp, W] | constructor].
    + remember (v :: u) as us; remember (v' :: u') as us'.
      replace (powers one mul ratio pow k ((y, w) :: us) n) with
        (flat_map (fun x => scale (add_at y (N.of_nat (fst x))) (mul (snd (snd x)))
          (powers one mul ratio pow k us (fst (snd x)))) (coefficients mul ratio w n 0 one))
        by (subst; reflexivity).
      replace (powers one' mul' ratio' pow' k ((y, w') :: us') n) with
        (flat_map (fun x => scale (add_at y (N.of_nat (fst x))) (mul' (snd (snd x)))
          (powers one' mul' ratio' pow' k us' (fst (snd x)))) (coefficients mul' ratio' w' n 0 one'))
        by (subst; reflexivity).
      clear Hequs Hequs'; generalize 0%nat as c; revert H1; generalize one at 1 3 as x.
      generalize one' at 1 3 as x'; revert n.
      induction n as [|n IHn]; intros x' x Hx c; cbn [coefficients flat_map].
      * apply Forall2_app; [|constructor]; cbn; apply (scale_related rel); auto.
      * apply Forall2_app; [|apply IHn; auto]; cbn [fst snd]; apply (scale_related rel); auto.
Qed.

(** *** On reals the program computes the law *)

Lemma mean_scale_key (h : key -> key) m p (f : key -> R) :
  mean f (scale h (Rmult m) p) = m * mean (fun a => f (h a)) p.
Proof. unfold scale; induction p as [|[a x] p IH]; cbn in *; [ring | rewrite IH; ring]. Qed.

Lemma mean_merge p q (f : key -> R) : mean f (merge Rplus p q) = mean f p + mean f q.
Proof.
  revert q; induction p as [|[a x] p IH]; intros q; [cbn; ring|].
  induction q as [|[b y] q IHq]; [cbn; ring|].
  cbn [merge]; destruct (compare_keys a b) eqn:E.
  - apply compare_keys_eq in E; subst b; cbn [mean]; rewrite IH; ring.
  - cbn [mean]; rewrite IH; cbn [mean]; ring.
  - cbn [mean] in *; fold (merge Rplus ((a, x) :: p)).
    cbn [merge] in IHq; rewrite IHq; ring.
Qed.

Lemma mean_product p q (f : key -> R) :
  mean f (product Rmult Rplus p q) = mean (fun a => mean (fun b => f (add_keys a b)) q) p.
Proof.
  induction p as [|[a x] p IH]; [reflexivity|].
  cbn [product fold_right mean]; rewrite mean_merge; unfold product in IH; rewrite IH.
  cbn [fst snd]; rewrite mean_scale_key; reflexivity.
Qed.

Definition rratio (x : R) (m n : nat) : R := x * (INR m / INR n).
Notation rpowers := (powers 1 Rmult rratio Rpow_def.pow).

Lemma coefficients_are w n T : forall left c,
  (c + left = n)%nat ->
  total (map (fun x => snd (snd x) * T (fst x))
    (coefficients Rmult rratio w left c (bin n c * w ^ c)))
  = total (map (fun c => bin n c * (w ^ c * T c)) (seq c (S left)))
  /\ Forall (fun x => (fst x + fst (snd x) = n)%nat)
    (coefficients Rmult rratio w left c (bin n c * w ^ c)).
Proof.
  induction left as [|left IH]; intros c H.
  - cbn; split; [ring | repeat constructor; cbn; exact H].
  - replace (S left) with (n - c)%nat at 1 3 by lia.
    cbn [coefficients]; rewrite <- (cons_seq (S left)); cbn [map total fst snd].
    assert (E : rratio (bin n c * w ^ c * w) (S left) (S c) = bin n (S c) * w ^ S c).
    { unfold rratio; pose proof (bin_next n c) as B.
      assert (INR (S c) <> 0) by (apply not_0_INR; lia).
      replace (INR n - INR c) with (INR (S left)) in B
        by (rewrite <- H, plus_INR; ring).
      apply (Rmult_eq_reg_l (INR (S c))); [|assumption].
      replace (INR (S c) * (bin n (S c) * w ^ S c)) with (INR (S c) * bin n (S c) * w ^ S c) by ring.
      rewrite B; cbn [Rpow_def.pow]; field; assumption. }
    replace (n - c)%nat with (S left) by lia.
    cbn [coefficients map total fst snd]; rewrite E.
    destruct (IH (S c)) as [I J]; [lia|]; split.
    + rewrite I; ring.
    + constructor; [exact H | exact J].
Qed.

Lemma mean_flat_map {X} (g : X -> list (key * R)) xs (f : key -> R) :
  mean f (flat_map g xs) = total (map (fun x => mean f (g x)) xs).
Proof. induction xs as [|x xs IH]; cbn; [reflexivity | now rewrite mean_app, IH]. Qed.

Lemma unary_zero k : unary (zero_key k) = repeat 0%nat k.
Proof. unfold unary, zero_key; induction k as [|k IH]; cbn; [reflexivity | now rewrite IH]. Qed.

Lemma total_ext_in {A} (f g : A -> R) xs :
  Forall (fun x => f x = g x) xs -> total (map f xs) = total (map g xs).
Proof. induction 1 as [|x xs E F IH]; cbn; [reflexivity | now rewrite E, IH]. Qed.

Theorem powers_are_views k u n (f : counts -> R) :
  mean (fun a => f (unary a)) (rpowers k u n) = mean f (view k (repeat u n)).
Proof.
  revert n f; induction u as [|[y w] u IH]; intros n f.
  - destruct n as [|n]; cbn [powers repeat].
    + cbn [mean]; rewrite view_nil, unary_zero; ring.
    + rewrite view_cons; reflexivity.
  - rewrite view_equal_users; unfold binomial_total; destruct u as [|v u].
    + cbn [powers mean]; rewrite unary_add_at, Nat2N.id, unary_zero.
      rewrite seq_S, map_app, total_app; cbn [map total]; rewrite Nat.add_0_l, Nat.sub_diag.
      cbn [repeat]; rewrite view_nil.
      rewrite (total_ext _ (fun c => 0 * 0)).
      * rewrite total_scale.
        replace (bin n n) with 1; [ring|].
        clear; induction n as [|n I]; [reflexivity|]; cbn; rewrite <- I, bin_above by lia; ring.
      * intros c Hc; apply in_seq in Hc; replace (n - c)%nat with (S (n - c - 1)) by lia.
        cbn [repeat]; rewrite view_cons; cbn; ring.
    + remember (v :: u) as us; replace (rpowers k ((y, w) :: us) n) with
        (flat_map (fun x => scale (add_at y (N.of_nat (fst x))) (Rmult (snd (snd x)))
          (rpowers k us (fst (snd x)))) (coefficients Rmult rratio w n 0 1))
        by (subst; reflexivity).
      rewrite mean_flat_map.
      set (T := fun c => mean (fun d => f (increments c y d)) (view k (repeat us (n - c)))).
      destruct (coefficients_are w n T n 0 eq_refl) as [I J].
      replace (bin n 0 * w ^ 0) with 1 in I, J by (destruct n; cbn; ring).
      change (total (map (fun x => mean (fun a => f (unary a))
        (scale (add_at y (N.of_nat (fst x))) (Rmult (snd (snd x))) (rpowers k us (fst (snd x)))))
        (coefficients Rmult rratio w n 0 1))
        = total (map (fun c => bin n c * (w ^ c * T c)) (seq 0 (S n)))).
      rewrite <- I; apply total_ext_in; revert J; apply Forall_impl; intros [c [l x]] E.
      cbn [fst snd] in *; rewrite mean_scale_key; f_equal; unfold T.
      replace (n - c)%nat with l by lia; rewrite <- IH; apply mean_ext; intros a.
      now rewrite unary_add_at, Nat2N.id.
Qed.

(** ** Views of explicit users *)

Definition user_law {C} (classes : option (list nat)) (M : list (list C)) (i : nat)
    : list (nat * C) :=
  let u := combine (seq 0 (length (nth i M []))) (nth i M []) in
  match classes with
  | None => u
  | Some c => map (fun x => (nth (fst x) c 0%nat, snd x)) u
  end.

(** The masses of equal messages added. *)
Definition collect {C} (zero : C) (add : C -> C -> C) (k : nat) (u : list (nat * C)) : list (nat * C) :=
  map (fun y => (y, fold_right (fun x s => if Nat.eqb (fst x) y then add (snd x) s else s) zero u))
    (seq 0 k).

Definition single {C} (k : nat) (u : list (nat * C)) : list (key * C) :=
  map (fun x => (add_at (fst x) 1 (zero_key k), snd x)) u.

Lemma mean_collect k u (f : nat -> R) : below k u -> mean f (collect 0 Rplus k u) = mean f u.
Proof.
  assert (E : forall g, mean f (map (fun y => (y, g y)) (seq 0 k))
    = total (map (fun y => f y * g y) (seq 0 k))).
  { intros g; induction (seq 0 k) as [|y ys IH]; cbn; [reflexivity | rewrite IH; ring]. }
  intros B; unfold collect; rewrite E; induction B as [|[y m] u Hy B IH]; cbn [mean fold_right].
  - rewrite (total_ext _ (fun _ => 0 * 0)) by (intros; cbn; ring); rewrite total_scale; ring.
  - rewrite <- IH, (total_ext _ (fun x => m * (f x * indicator (at_ Nat.eq_dec x) y)
      + f x * fold_right (fun x0 s => if Nat.eqb (fst x0) x then snd x0 + s else s) 0 u)).
    + rewrite total_plus, total_scale, (total_at Nat.eq_dec) by apply seq_NoDup.
      destruct in_dec as [_|N]; [ring|]; exfalso; apply N, in_seq; cbn in Hy; lia.
    + intros x _; unfold indicator, at_; cbn [fst snd].
      destruct (Nat.eqb_spec y x), (Nat.eq_dec x y); try congruence; ring.
Qed.

Lemma mean_single k u (f : counts -> R) :
  mean (fun a => f (unary a)) (single k u) = mean f (view k [u]).
Proof.
  rewrite view_cons; induction u as [|[y m] u IH]; cbn [mean single map]; [reflexivity|].
  cbn [mean single fst snd] in *; unfold single in IH; rewrite IH; f_equal; f_equal.
  rewrite view_nil, unary_add_at, unary_zero; reflexivity.
Qed.

Lemma view_ext_user k u u' us (f : counts -> R) :
  (forall g, mean g u = mean g u') -> mean f (view k (u :: us)) = mean f (view k (u' :: us)).
Proof. intros H; rewrite !view_cons; apply H. Qed.

Lemma view_ext_users k u u' n (f : counts -> R) :
  (forall g, mean g u = mean g u') -> mean f (view k (repeat u n)) = mean f (view k (repeat u' n)).
Proof.
  intros H; revert f; induction n as [|n IH]; intros f; cbn [repeat]; [reflexivity|].
  rewrite !view_cons, H; apply mean_ext; intros y; apply IH.
Qed.
