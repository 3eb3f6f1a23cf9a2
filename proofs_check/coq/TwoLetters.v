(** * Two letters, and the counts of clones

    - [two_letters]: two laws within a factor x of each other are mixtures of two letters, with weights
      x/(x + 1) and 1/(x + 1);
    - [labels_are_clone_counts]: among n users of whom n - 1 are clones with probability r, the counts of
      the letters are (A + D, C - A + 1 - D), where C ~ Bin(n - 1, r), A ~ Bin(C, 1/2), D ~ Bern(x/(x + 1)),
      or (A + 1 - D, C - A + D);
    - [either_order]: these two are as far apart in one order as in the other;
    - [each_count], [more_clones]: neither more clones nor more users raise their divergence.

    Source: Feldman, McMillan, Talwar 2021, Section 3; the letters after Kairouz, Oh, Viswanath 2015. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas Composition Blanket Letters.
Import ListNotations.
Open Scope R_scope.

(** ** Two letters *)

Section Differences.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}).

(** Every outcome once, with its mass: a law if the masses are at least 0 and sum to 1. *)
Definition collected (P : law A) : law A := map (fun a => (a, mass same P a)) (nodup same (map fst P)).

Lemma mean_collected f P : mean f (collected P) = mean f P.
Proof.
  destruct (carries_all same (nodup same (map fst P)) P) as [_ C];
    [apply NoDup_nodup | intros a; now apply nodup_In |].
  rewrite C; clear C; unfold collected; induction (nodup same (map fst P)) as [|a xs IH]; cbn; [ring | rewrite IH; ring].
Qed.

Lemma collected_is_law P : (forall a, 0 <= mass same P a) -> mean (fun _ => 1) P = 1 -> is_law (collected P).
Proof.
  intros N M; split; [|now rewrite mean_collected].
  unfold collected, nonnegative; apply Forall_map, Forall_forall; intros a _; apply N.
Qed.

Lemma mass_app P Q a : mass same (P ++ Q) a = mass same P a + mass same Q a.
Proof. apply mean_app. Qed.

Lemma mass_weighted w P a : mass same (weighted w P) a = w * mass same P a.
Proof. apply mean_weighted. Qed.

Lemma equal_masses P Q : (forall a, mass same P a = mass same Q a) -> forall f, mean f P = mean f Q.
Proof.
  intros H f; destruct (outcomes_carry same P Q) as [[_ HP] [_ HQ]]; rewrite HP, HQ.
  apply total_ext; intros a _; now rewrite H.
Qed.

(** (x P - Q) / (x - 1). *)
Definition letter (x : R) (P Q : law A) : law A :=
  if Req_EM_T x 1 then P else collected (weighted (x / (x - 1)) P ++ weighted (- / (x - 1)) Q).

Definition within (x : R) (P Q : law A) : Prop := forall a, mass same P a <= x * mass same Q a.

Lemma letter_mass x P Q a : 1 < x -> mass same (letter x P Q) a = (x * mass same P a - mass same Q a) / (x - 1).
Proof.
  intros Hx; unfold letter; destruct (Req_EM_T x 1) as [E|E]; [lra|].
  unfold mass at 1, prob at 1; rewrite mean_collected, mean_app, !mean_weighted.
  unfold mass, prob; field; lra.
Qed.

Lemma letter_is_law x P Q : 1 <= x -> is_law P -> is_law Q -> within x Q P -> is_law (letter x P Q).
Proof.
  intros Hx LP [_ MQ] H; unfold letter; destruct (Req_EM_T x 1) as [E|E]; [exact LP|]; destruct LP as [_ MP].
  apply collected_is_law.
  - intros a; rewrite mass_app, !mass_weighted; specialize (H a).
    replace (x / (x - 1) * mass same P a + - / (x - 1) * mass same Q a)
      with ((x * mass same P a - mass same Q a) * / (x - 1)) by (field; lra).
    apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - rewrite mean_app, !mean_weighted, MP, MQ; field; lra.
Qed.

Lemma letters_mixed x P Q f :
  1 <= x -> within x P Q -> within x Q P ->
  mean f P = x / (x + 1) * mean f (letter x P Q) + 1 / (x + 1) * mean f (letter x Q P).
Proof.
  intros Hx HPQ HQP; unfold letter; destruct (Req_EM_T x 1) as [E|E].
  - rewrite (equal_masses Q P), E; [field|].
    intros a; specialize (HPQ a); specialize (HQP a); rewrite E in *; lra.
  - rewrite !mean_collected, !mean_app, !mean_weighted; field; lra.
Qed.

(** (X - r/2 P - r/2 Q) / (1 - r). *)
Definition remainder (r : R) (P Q X : law A) : law A :=
  if Req_EM_T r 1 then P
  else collected (weighted (/ (1 - r)) X ++ weighted (- (r / 2) / (1 - r)) P ++ weighted (- (r / 2) / (1 - r)) Q).

(** X is at each outcome at least half r times each of P and Q. *)
Definition holds_both (r : R) (P Q X : law A) : Prop :=
  forall a, r / 2 * mass same P a + r / 2 * mass same Q a <= mass same X a.

Lemma remainder_is_law r P Q X :
  r <= 1 -> is_law P -> is_law Q -> is_law X -> holds_both r P Q X -> is_law (remainder r P Q X).
Proof.
  intros Hr LP [_ MQ] [_ MX] H; unfold remainder; destruct (Req_EM_T r 1) as [E|E]; [exact LP|].
  destruct LP as [_ MP]; apply collected_is_law.
  - intros a; rewrite !mass_app, !mass_weighted; specialize (H a).
    match goal with |- 0 <= ?y => replace y
      with ((mass same X a - (r / 2 * mass same P a + r / 2 * mass same Q a)) * / (1 - r)) by (field; lra) end.
    apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra].
  - rewrite !mean_app, !mean_weighted, MP, MQ, MX; field; lra.
Qed.

Lemma remainder_mixed r P Q X f :
  r <= 1 -> is_law P -> is_law Q -> is_law X -> holds_both r P Q X ->
  mean f X = r / 2 * mean f P + r / 2 * mean f Q + (1 - r) * mean f (remainder r P Q X).
Proof.
  intros Hr LP LQ LX H; unfold remainder; destruct (Req_EM_T r 1) as [E|E].
  - destruct (leftover_law same X P Q (r / 2) (r / 2)) as [L [_ HL]]; try assumption; [lra|].
    rewrite HL, E; field.
  - rewrite !mean_collected, !mean_app, !mean_weighted; field; lra.
Qed.

(** With r = 1/x, where P and Q are at most x times X. *)
Lemma within_both x P Q X : 1 <= x -> within x P X -> within x Q X -> holds_both (/ x) P Q X.
Proof.
  intros Hx HP HQ a; specialize (HP a); specialize (HQ a); apply (Rmult_le_reg_l x); [lra|].
  replace (x * (/ x / 2 * mass same P a + / x / 2 * mass same Q a)) with ((mass same P a + mass same Q a) / 2)
    by (field; lra); lra.
Qed.

End Differences.

(** Two laws within a factor x of each other are mixtures of two letters. *)
Theorem two_letters {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) x :
  1 <= x -> is_law P -> is_law Q ->
  (forall y, mass same P y <= x * mass same Q y) -> (forall y, mass same Q y <= x * mass same P y) ->
  exists Q0 Q1, is_law Q0 /\ is_law Q1 /\
    (forall f, mean f P = x / (x + 1) * mean f Q0 + 1 / (x + 1) * mean f Q1) /\
    (forall f, mean f Q = 1 / (x + 1) * mean f Q0 + x / (x + 1) * mean f Q1) /\
    (forall f, mean f P + mean f Q = mean f Q0 + mean f Q1) /\
    (1 < x -> forall y,
      mass same Q0 y = (x * mass same P y - mass same Q y) / (x - 1) /\
      mass same Q1 y = (x * mass same Q y - mass same P y) / (x - 1)).
Proof.
  intros Hx LP LQ HP HQ; exists (letter same x P Q), (letter same x Q P).
  pose proof (fun f => letters_mixed same x P Q f Hx HP HQ) as MP.
  pose proof (fun f => letters_mixed same x Q P f Hx HQ HP) as MQ.
  split; [now apply letter_is_law|]; split; [now apply letter_is_law|].
  split; [exact MP|]; split; [intros f; rewrite MQ; ring|]; split.
  - intros f; rewrite MP, MQ; field; lra.
  - intros H y; split; now apply letter_mass.
Qed.

(** ** The counts of clones *)

(** C clones beside the victim: A of them send the first letter; the victim sends it if D = 1. *)
Definition forward (c a d : nat) : nat * nat := ((a + d)%nat, (c - a + 1 - d)%nat).
Definition backward (c a d : nat) : nat * nat := ((a + 1 - d)%nat, (c - a + d)%nat).
Definition counts_given (shown : nat -> nat -> nat -> nat * nat) (x : R) (c : nat) : law (nat * nat) :=
  bind (heads (1 / 2) c) (fun a => bind (heads (x / (x + 1)) 1) (fun d => certain (shown c a d))).
Definition clone_counts (shown : nat -> nat -> nat -> nat * nat) (x r : R) (n : nat) : law (nat * nat) :=
  bind (heads r (n - 1)) (counts_given shown x).
Definition same_pair : forall x y : nat * nat, {x = y} + {x <> y} := ltac:(decide equality; apply Nat.eq_dec).

(** The letters of the victim, with x0 and with x1, and of a clone. *)
Definition first_letter (x : R) : law nat := [(0%nat, x / (x + 1)); (1%nat, 1 / (x + 1))].
Definition second_letter (x : R) : law nat := [(0%nat, 1 / (x + 1)); (1%nat, x / (x + 1))].
Definition fair : law nat := [(0%nat, 1 / 2); (1%nat, 1 / 2)].

Lemma mean_heads_up_to g n f h : (forall c, (c <= n)%nat -> f c = h c) -> mean f (heads g n) = mean h (heads g n).
Proof.
  revert f h; induction n as [|n IH]; intros f h H; [cbn; now rewrite H by lia|].
  rewrite !heads_S; f_equal; f_equal; apply IH; intros c Hc; apply H; lia.
Qed.

Lemma heads_is_law g n : 0 <= g <= 1 -> is_law (heads g n).
Proof.
  intros Hg; induction n as [|n IH]; [apply certain_is_law | apply bind_is_law; [exact IH|]].
  intros c; split; [|cbn; ring].
  do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Lemma mean_label r (g : nat -> R) :
  mean g (label 2 fair (r, tt)) = r * (1 / 2 * g 0%nat + 1 / 2 * g 1%nat) + (1 - r) * g 2%nat.
Proof. unfold label, fair; rewrite mean_app, mean_weighted; cbn; ring. Qed.

(** The letters of n others, each of whom is a clone with probability r. *)
Lemma labels_counted r n f :
  mean f (view 2 (repeat (label 2 fair (r, tt)) n)) =
  mean (fun c => mean (fun a => f [a; (c - a)%nat]) (heads (1 / 2) c)) (heads r n).
Proof.
  revert f; induction n as [|n IH]; intros f; [rewrite view_nil; cbn; ring|].
  cbn [repeat]; rewrite view_cons, heads_S, mean_label, !IH.
  rewrite (mean_ext (fun c => mean (fun a => f [a; (S c - a)%nat]) (heads (1 / 2) (S c)))
    (fun c => 1 / 2 * mean (fun a => f (increment 0 [a; (c - a)%nat])) (heads (1 / 2) c)
      + 1 / 2 * mean (fun a => f (increment 1 [a; (c - a)%nat])) (heads (1 / 2) c))).
  { rewrite mean_plus, !mean_scale; cbn [increment]; ring. }
  intros c; rewrite heads_S, Rplus_comm; replace (1 - 1 / 2) with (1 / 2) by lra; do 2 f_equal.
  apply mean_heads_up_to; intros a Ha; cbn [increment].
  now replace (S c - a)%nat with (S (c - a)) by lia.
Qed.

Theorem labels_are_clone_counts x r n f :
  0 < x ->
  mean f (view 2 (first_letter x :: repeat (label 2 fair (r, tt)) (n - 1))) =
    mean (fun c => f [fst c; snd c]) (clone_counts forward x r n) /\
  mean f (view 2 (second_letter x :: repeat (label 2 fair (r, tt)) (n - 1))) =
    mean (fun c => f [fst c; snd c]) (clone_counts backward x r n).
Proof.
  intros Hx; set (p := x / (x + 1)).
  assert (Hp : 1 / (x + 1) = 1 - p) by (unfold p; field; lra).
  assert (H : forall u shown, u = [(0%nat, p); (1%nat, 1 - p)] /\ shown = forward
      \/ u = [(0%nat, 1 - p); (1%nat, p)] /\ shown = backward ->
    mean f (view 2 (u :: repeat (label 2 fair (r, tt)) (n - 1))) =
    mean (fun c => f [fst c; snd c]) (clone_counts shown x r n)).
  { intros u shown Hu; unfold clone_counts; rewrite view_cons, mean_bind.
    rewrite (mean_ext _ _ u (fun y => labels_counted r (n - 1) (fun c => f (increment y c)))).
    rewrite mean_swap; apply mean_ext; intros c; unfold counts_given; rewrite mean_bind, mean_swap.
    apply mean_heads_up_to; intros a Ha; fold p.
    rewrite mean_bind, heads_S; cbn [heads certain mean].
    destruct Hu as [[-> ->]|[-> ->]]; cbn [mean increment fst snd forward backward].
    - replace (a + 1)%nat with (S a) by lia; replace (a + 0)%nat with a by lia.
      replace (c - a + 1 - 1)%nat with (c - a)%nat by lia; replace (c - a + 1 - 0)%nat with (S (c - a)) by lia; ring.
    - replace (a + 1 - 1)%nat with a by lia; replace (a + 1 - 0)%nat with (S a) by lia.
      replace (c - a + 1)%nat with (S (c - a)) by lia; replace (c - a + 0)%nat with (c - a)%nat by lia; ring. }
  unfold first_letter, second_letter; fold p; rewrite Hp; split; apply H; [left | right]; split; reflexivity.
Qed.

(** ** More clones *)

(** A letter more, either of the two. *)
Definition one_more (c : nat * nat) : law (nat * nat) := [((S (fst c), snd c), 1 / 2); ((fst c, S (snd c)), 1 / 2)].
Definition one_more_with (r : R) (c : nat * nat) : law (nat * nat) := weighted (1 - r) (certain c) ++ weighted r (one_more c).

Definition grows (shown : nat -> nat -> nat -> nat * nat) : Prop :=
  forall c a d, (a <= c)%nat -> (d <= 1)%nat ->
    shown (S c) (S a) d = (S (fst (shown c a d)), snd (shown c a d)) /\
    shown (S c) a d = (fst (shown c a d), S (snd (shown c a d))).

Lemma forward_grows : grows forward.
Proof. intros c a d Ha Hd; unfold forward; cbn [fst snd]; split; f_equal; lia. Qed.

Lemma backward_grows : grows backward.
Proof. intros c a d Ha Hd; unfold backward; cbn [fst snd]; split; f_equal; lia. Qed.

Lemma given_one_more shown x c f :
  grows shown -> mean f (counts_given shown x (S c)) = mean f (bind (counts_given shown x c) one_more).
Proof.
  intros G; unfold counts_given; rewrite !mean_bind, heads_S.
  replace (1 - 1 / 2) with (1 / 2) by lra; rewrite <- !mean_scale, <- mean_plus.
  apply mean_heads_up_to; intros a Ha; rewrite !mean_bind, <- !mean_scale, <- mean_plus.
  apply mean_heads_up_to; intros d Hd; destruct (G c a d Ha Hd) as [G0 G1]; cbn; rewrite G0, G1; ring.
Qed.

Lemma one_more_is_law c : is_law (one_more c).
Proof. split; [do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil | cbn; field]. Qed.

(** Given C = c: the divergence does not increase with c. *)
Theorem each_count x c E :
  hockey_stick same_pair (counts_given forward x (S c)) (counts_given backward x (S c)) E
  <= hockey_stick same_pair (counts_given forward x c) (counts_given backward x c) E.
Proof.
  rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => given_one_more forward x c f forward_grows)
    (fun f => given_one_more backward x c f backward_grows)).
  apply randomized_post_processing, one_more_is_law.
Qed.

Lemma counts_one_more shown x r n f :
  grows shown -> mean f (clone_counts shown x r (S (S n))) = mean f (bind (clone_counts shown x r (S n)) (one_more_with r)).
Proof.
  intros G; unfold clone_counts; cbn [Nat.sub]; rewrite Nat.sub_0_r, !mean_bind, heads_S, <- !mean_scale, <- mean_plus.
  apply mean_ext; intros c; rewrite given_one_more by exact G; rewrite mean_bind, <- !mean_scale, <- mean_plus.
  apply mean_ext; intros z; unfold one_more_with; rewrite mean_app, !mean_weighted; cbn; ring.
Qed.

(** Nor does that of the counts increase with the number of users. *)
Theorem more_clones x r n n' E :
  0 <= r <= 1 -> (n <= n')%nat ->
  hockey_stick same_pair (clone_counts forward x r n') (clone_counts backward x r n') E
  <= hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E.
Proof.
  intros Hr H; induction H as [|n' H IH]; [lra|]; eapply Rle_trans; [|exact IH]; clear IH H.
  destruct n' as [|n']; [apply Rle_refl|].
  rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => counts_one_more forward x r n' f forward_grows)
    (fun f => counts_one_more backward x r n' f backward_grows)).
  apply randomized_post_processing; intros c; unfold one_more_with; split.
  - apply Forall_app; split; apply nonnegative_weighted; try lra; [apply certain_is_law | apply one_more_is_law].
  - rewrite mean_app, !mean_weighted; cbn; field.
Qed.

Lemma fair_heads_turned c f : mean (fun a => f (c - a)%nat) (heads (1 / 2) c) = mean f (heads (1 / 2) c).
Proof.
  revert f; induction c as [|c IH]; intros f; [reflexivity|].
  rewrite !heads_S; replace (1 - 1 / 2) with (1 / 2) by lra; rewrite Rplus_comm; f_equal; f_equal.
  - exact (IH f).
  - rewrite <- (IH (fun a => f (S a))); apply mean_heads_up_to; intros a Ha.
    now replace (S c - a)%nat with (S (c - a)) by lia.
Qed.

(** The letters exchanged, one law of the counts is the other. *)
Theorem either_order x r n E :
  hockey_stick same_pair (clone_counts backward x r n) (clone_counts forward x r n) E
  = hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E.
Proof.
  set (turn := fun z : nat * nat => (snd z, fst z)).
  assert (T : forall shown shown', (forall c a d, (a <= c)%nat -> (d <= 1)%nat -> shown c (c - a)%nat d = turn (shown' c a d)) ->
    forall f, mean f (clone_counts shown x r n) = mean f (image turn (clone_counts shown' x r n))).
  { intros shown shown' H f; rewrite mean_image; unfold clone_counts; rewrite !mean_bind; apply mean_ext; intros c.
    unfold counts_given; rewrite !mean_bind, <- fair_heads_turned; apply mean_heads_up_to; intros a Ha.
    rewrite !mean_bind; apply mean_heads_up_to; intros d Hd; cbn [certain mean]; now rewrite H. }
  assert (FB : forall c a d, (a <= c)%nat -> (d <= 1)%nat -> forward c (c - a)%nat d = turn (backward c a d))
    by (intros c a d Ha Hd; unfold forward, backward, turn; cbn [fst snd]; f_equal; lia).
  assert (BF : forall c a d, (a <= c)%nat -> (d <= 1)%nat -> backward c (c - a)%nat d = turn (forward c a d))
    by (intros c a d Ha Hd; unfold forward, backward, turn; cbn [fst snd]; f_equal; lia).
  apply Rle_antisym.
  - rewrite (hockey_stick_ext _ _ _ _ _ _ (T _ _ BF) (T _ _ FB)); apply post_processing.
  - rewrite (hockey_stick_ext _ _ _ _ _ _ (T _ _ FB) (T _ _ BF)); apply post_processing.
Qed.
