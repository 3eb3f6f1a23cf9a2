(** * Amplification parameters of RAPPOR (Wang et al. 2023, the table)

    Each of d bits is kept with probability s/(s + 1), s = e^(eps/2): two rows are products of laws of bits, of which
      two
    differ ([two_bits]), and are as far apart as those two.

    The statement is exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool Arith.
Require Import ExactDP Lemmas Measures.
Import ListNotations.
Open Scope R_scope.

Definition bit (s : R) (b : bool) : law bool := [(b, s / (s + 1)); (negb b, 1 / (s + 1))].
Definition rappor (d : nat) (s : R) (v : nat) : law (list bool) := messages (map (fun j => bit s (j =? v)%nat) (seq 0
  d)).

Lemma bit_is_law s b : 0 < s -> is_law (bit s b).
Proof.
  intros Hs; assert (0 < / (s + 1)) by (apply Rinv_0_lt_compat; lra); split.
  - apply Forall_cons; [cbn; unfold Rdiv; nra|]; apply Forall_cons; [cbn; unfold Rdiv; lra | apply Forall_nil].
  - cbn; field; lra.
Qed.

Lemma messages_cons {A} (u : law A) us f :
  mean f (messages (u :: us)) = mean (fun y => mean (fun ys => f (y :: ys)) (messages us)) u.
Proof. cbn [messages]; rewrite mean_bind; apply mean_ext; intros y; apply mean_image. Qed.

(** One message first, then the others. *)
Lemma one_first {A} (p : law A) v (g : nat -> law A) js f : is_law p -> NoDup js ->
  mean f (messages (map (fun j => if (j =? v)%nat then p else g j) js))
  = mean (fun a => mean f (messages (map (fun j => if (j =? v)%nat then certain a else g j) js))) p.
Proof.
  intros Lp; revert f; induction js as [|j js IH]; intros f ND; cbn [map].
  - cbn; rewrite (mean_ext _ (fun _ => f [] * 1)) by (intros; ring); rewrite mean_scale, (proj2 Lp); ring.
  - inversion ND as [|x xs Nin ND']; subst.
    rewrite messages_cons; destruct (Nat.eqb_spec j v) as [->|N].
    + assert (O : forall q, map (fun j => if (j =? v)%nat then q else g j) js = map g js).
      { intros q; apply map_ext_in; intros i Hi; destruct (Nat.eqb_spec i v); [subst; contradiction | reflexivity]. }
      apply mean_ext; intros a; rewrite messages_cons, !O; now rewrite mean_certain.
    + rewrite (mean_ext _ (fun y => mean (fun a => mean (fun ys => f (y :: ys)) (messages (map (fun j0 => if (j0 =?
      v)%nat then
        certain a else g j0) js))) p)) by (intros y; apply IH, ND').
      rewrite mean_swap; apply mean_ext; intros a; now rewrite messages_cons.
Qed.

Lemma two_bits d s v w f : 0 < s -> v <> w ->
  mean f (rappor d s v) = mean (fun a => mean (fun b => mean f (messages (map (fun j => if (j =? v)%nat then certain a
    else
    if (j =? w)%nat then certain b else bit s false) (seq 0 d)))) (bit s false)) (bit s true).
Proof.
  intros Hs N; unfold rappor.
  rewrite (map_ext (fun j => bit s (j =? v)%nat) (fun j => if (j =? v)%nat then bit s true else bit s false))
    by (intros j; now destruct (j =? v)%nat).
  rewrite (one_first (bit s true) v (fun _ => bit s false)) by (try apply bit_is_law; try apply seq_NoDup; exact Hs).
  apply mean_ext; intros a.
  rewrite (map_ext (fun j => if (j =? v)%nat then certain a else bit s false)
    (fun j => if (j =? w)%nat then bit s false else if (j =? v)%nat then certain a else bit s false)).
  2:{ intros j; destruct (Nat.eqb_spec j v), (Nat.eqb_spec j w); trivial; congruence. }
  rewrite (one_first (bit s false) w (fun j => if (j =? v)%nat then certain a else bit s false))
    by (try apply bit_is_law; try apply seq_NoDup; exact Hs).
  apply mean_ext; intros b; f_equal; f_equal; apply map_ext; intros j.
  destruct (Nat.eqb_spec j v), (Nat.eqb_spec j w); trivial; congruence.
Qed.

Lemma bits_apart d s v w : 1 <= s ->
  hockey_stick (list_eq_dec Bool.bool_dec) (rappor d s v) (rappor d s w) (s ^ 2) = 0 /\
  hockey_stick (list_eq_dec Bool.bool_dec) (rappor d s v) (rappor d s w) 1 <= (s - 1) / (s + 1).
Proof.
  intros Hs; assert (I : 0 < / (s + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (LR : forall u, is_law (rappor d s u)).
  { intros u; apply messages_are_law, Forall_forall; intros p Hp; apply in_map_iff in Hp; destruct Hp as [j [<- _]].
    apply bit_is_law; lra. }
  enough (B : forall S, prob S (rappor d s v) <= s ^ 2 * prob S (rappor d s w) + 0 /\
    prob S (rappor d s v) <= 1 * prob S (rappor d s w) + (s - 1) / (s + 1)).
  { split; [apply Rle_antisym; [|apply hockey_stick_nonnegative]|]; apply below_every_event; intros S; apply B. }
  assert (V : 0 <= (s - 1) / (s + 1)) by (apply Rmult_le_pos; lra).
  intros S; destruct (Nat.eq_dec v w) as [<-|N].
  { pose proof (prob_between S _ (LR v)); assert (1 <= s ^ 2) by nra; split; [nra | lra]. }
  unfold prob; rewrite (two_bits d s v w), (two_bits d s w v) by (try lia; lra).
  set (G := fun a b => mean (indicator S) (messages (map (fun j => if (j =? v)%nat then certain a else
    if (j =? w)%nat then certain b else bit s false) (seq 0 d)))).
  assert (X : forall a b, mean (indicator S) (messages (map (fun j => if (j =? w)%nat then certain a else
    if (j =? v)%nat then certain b else bit s false) (seq 0 d))) = G b a).
  { intros a b; unfold G; f_equal; f_equal; apply map_ext; intros j.
    destruct (Nat.eqb_spec j v), (Nat.eqb_spec j w); trivial; congruence. }
  rewrite (mean_ext (fun a => mean (fun b => mean (indicator S) (messages (map (fun j => if (j =? w)%nat then certain
    a else
    if (j =? v)%nat then certain b else bit s false) (seq 0 d)))) (bit s false)) (fun a => mean (fun b => G b a) (bit
      s false)))
    by (intros a; apply mean_ext; intros b; apply X).
  assert (B : forall a b, 0 <= G a b <= 1).
  { intros a b; apply prob_between, messages_are_law, Forall_forall; intros p Hp; apply in_map_iff in Hp.
    destruct Hp as [j [<- _]]; destruct (j =? v)%nat, (j =? w)%nat; try apply certain_is_law; apply bit_is_law; lra. }
  change (mean (fun a => mean (G a) (bit s false)) (bit s true) <= s ^ 2 * mean (fun a => mean (fun b => G b a) (bit s
    false)) (bit s
    true) + 0 /\ mean (fun a => mean (G a) (bit s false)) (bit s true) <= 1 * mean (fun a => mean (fun b => G b a)
      (bit s false))
    (bit s true) + (s - 1) / (s + 1)).
  clearbody G; pose proof (B true true) as B3; pose proof (B true false) as B2; pose proof (B false true) as B1;
    pose proof (B false false) as B0; unfold bit; cbn [mean negb].
  set (i := / (s + 1)) in *; assert (E : s * i = 1 - i) by (unfold i; field; lra).
  replace (s / (s + 1)) with (s * i) by reflexivity; replace (1 / (s + 1)) with i by (unfold i; field; lra).
  replace ((s - 1) / (s + 1)) with ((s - 1) * i) by reflexivity.
  set (g3 := G true true) in *; set (g2 := G true false) in *; set (g1 := G false true) in *; set (g0 := G false
    false) in *.
  assert (Q : 0 <= i * i) by nra; split.
  - assert (0 <= i * i * s * (s ^ 2 - 1) * (g3 + g0)) by (repeat apply Rmult_le_pos; nra).
    assert (0 <= i * i * (s ^ 4 - 1) * g1) by (repeat apply Rmult_le_pos; try nra;
      replace (s ^ 4 - 1) with ((s - 1) * (s + 1) * (s ^ 2 + 1)) by ring; repeat apply Rmult_le_pos; nra).
    nra.
  - assert (D : (s * i) * (s * i) - i * i = (s - 1) * i).
    { replace ((s * i) * (s * i) - i * i) with ((s * i - i) * (s * i + i)) by ring; rewrite E; lra. }
    assert (0 <= (s - 1) * i) by (apply Rmult_le_pos; lra).
    assert ((s - 1) * i * (g2 - g1) <= (s - 1) * i * 1) by (apply Rmult_le_compat_l; lra).
    rewrite <- D in *; nra.
Qed.

Theorem wang2023_parameters_rappor (d : nat) (exp_half_epsilon : R) (v : nat) (w : nat) : (2 <= d)%nat -> 1 <=
  exp_half_epsilon -> (v <= (d -
  1))%nat -> (w <= (d - 1))%nat -> hockey_stick (list_eq_dec Bool.bool_dec) (rappor d exp_half_epsilon v) (rappor
  d exp_half_epsilon w) (exp_half_epsilon ^ 2) = 0 /\ hockey_stick (list_eq_dec Bool.bool_dec) (rappor d
  exp_half_epsilon v) (rappor d exp_half_epsilon w) 1 <= (exp_half_epsilon - 1) / (exp_half_epsilon + 1).
Proof.
  intros _ Hs _ _; now apply bits_apart.
Qed.
