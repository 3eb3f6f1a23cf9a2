(** * Blanket messages: how many are sent, and what is seen of them (Wang et al. 2024)

    A slot sends a uniform item with probability m/⌈m⌉, or nothing. Each theorem is a claim of the catalog, its
    statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket RandomizedResponse TwoLetters VariationRatio Measures Sampled Survey ClaimsWang2024.
Import ListNotations.
Open Scope R_scope.

(** ** What blanket slots send *)

(** The number of messages. *)
Definition messages_in (c : counts) : nat := fold_right Nat.add 0%nat c.
Definition slots_counted (d n : nat) (gamma : R) : law counts := view d (repeat (slot d gamma) n).

Lemma messages_in_increment y c : (y < length c)%nat -> messages_in (increment y c) = S (messages_in c).
Proof.
  revert y; induction c as [|n c IH]; intros y Hy; [cbn in Hy; lia|]; destruct y as [|y]; [reflexivity|].
  cbn [increment length] in *; unfold messages_in in *; cbn [fold_right]; rewrite IH by lia; lia.
Qed.

Lemma heads_on_average g n : mean INR (heads g n) = INR n * g.
Proof.
  induction n as [|n IH]; [cbn; ring|].
  rewrite heads_S, (mean_ext (fun c => INR (S c)) (fun c => INR c + 1 * 1)) by (intros; rewrite S_INR; ring).
  rewrite mean_plus, mean_scale, IH, S_INR; enough (M : mean (fun _ => 1) (heads g n) = 1) by (rewrite M; ring).
  clear; induction n as [|n IH]; [cbn; ring | rewrite heads_S, IH; ring].
Qed.

Lemma all_heads g n k : (n <= k)%nat -> prob (Nat.eqb k) (heads g n) = if Nat.eq_dec n k then g ^ n else 0.
Proof.
  unfold prob; revert k; induction n as [|n IH]; intros k H.
  - cbn [heads]; rewrite mean_certain; unfold indicator; destruct (Nat.eqb_spec k 0), (Nat.eq_dec 0 k); try lia; reflexivity.
  - rewrite heads_S, IH by lia; destruct (Nat.eq_dec n k); [lia|].
    rewrite (mean_ext _ (indicator (Nat.eqb (pred k)))), IH by (lia || (intros c; unfold indicator; destruct (Nat.eqb_spec k
      (S c)), (Nat.eqb_spec (pred k) c); lia || reflexivity)).
    destruct (Nat.eq_dec n (pred k)), (Nat.eq_dec (S n) k); try lia; cbn; ring.
Qed.

Lemma uniform_counted d n gamma f :
  mean f (slots_counted d n gamma) = mean (fun N => mean f (view d (repeat (uniform_item d) N))) (heads gamma n).
Proof.
  unfold slots_counted; pose proof (slots_that_send d [] (uniform_item d) gamma n f) as T; cbn [List.app] in T; rewrite <- T.
  apply view_same, Forall2_repeat; intros g; rewrite mean_slot, mean_app, mean_weighted, mean_uniform_item; cbn; unfold Rdiv;
    ring.
Qed.

Lemma number_sent d n gamma (g : nat -> R) : (1 <= d)%nat ->
  mean (fun c => g (messages_in c)) (slots_counted d n gamma) = mean g (heads gamma n).
Proof.
  intros Hd; rewrite uniform_counted; apply mean_ext; intros N; revert g; induction N as [|N IH]; intros g.
  - cbn [repeat]; rewrite view_nil; f_equal; clear; induction d; cbn in *; auto.
  - cbn [repeat]; rewrite view_cons, mean_uniform_item.
    rewrite (total_ext _ (fun _ => g (S N) * 1)), total_scale, total_ones, seq_length; [assert (0 < INR d) by (apply lt_0_INR;
      lia); field; lra|].
    intros j Hj; apply in_seq in Hj; rewrite Rmult_1_r, <- (IH (fun c => g (S c))); apply view_ext; intros c Hc.
    now rewrite messages_in_increment by lia.
Qed.

Lemma slots_on_average slots m : INR slots - 1 < m -> m <= INR slots -> m >= 0 -> INR slots * (m / INR slots) = m.
Proof.
  intros Hl Hm H0; destruct (Req_dec (INR slots) 0) as [Z|Z]; [|field; exact Z].
  rewrite Z in *; unfold Rdiv; lra.
Qed.


Theorem wang2024_expected_m (d : nat) (slots : nat) (m : R) :
  (1 <= d)%nat -> (INR slots) - 1 < m -> m <= INR slots -> m >= 0 -> mean (fun c => INR (messages_in c))
  (slots_counted d slots (m / INR slots)) = m.
Proof.
  intros Hd Hl Hm H0; rewrite (number_sent d slots _ INR Hd), heads_on_average; now apply slots_on_average.
Qed.

Lemma slots_count_mean d n gamma j : (j < d)%nat -> count_mean j (slots_counted d n gamma) = INR n * (gamma / INR d).
Proof.
  intros Hj; assert (Hd : 0 < INR d) by (apply lt_0_INR; lia).
  assert (Ones : mean (fun _ => 1) (slot d gamma) = 1).
  { rewrite mean_slot, total_ones, seq_length; field; lra. }
  destruct (moments_of_view j d (repeat (slot d gamma) n) Hj) as (_ & E & _); [apply repeated, Ones|].
  unfold slots_counted; rewrite E, total_repeat; f_equal; unfold mass, prob; rewrite mean_slot.
  rewrite (total_ext _ (fun i => if Nat.eq_dec i j then 1 else 0) (seq 0 d))
    by (intros i _; unfold indicator, at_; destruct (Nat.eq_dec j i), (Nat.eq_dec i j); congruence).
  rewrite sent_once by apply seq_NoDup; unfold indicator, holds, at_.
  destruct (in_dec Nat.eq_dec j (seq 0 d)) as [_|no]; [|destruct no; apply in_seq; lia].
  destruct (Nat.eq_dec j d); [lia|]; ring.
Qed.


Theorem wang2024_blanket_count (n : nat) (d : nat) (j : nat) (slots : nat) (m : R) :
  (1 <= n)%nat -> (1 <= d)%nat -> (j <= (d - 1))%nat -> (INR slots) - 1 < m -> m <= INR slots -> m >= 0 ->
  count_mean j (slots_counted d (n * slots) (m / INR slots)) = ((INR n) / (INR d)) * m.
Proof.
  intros _ Hd Hj Hl Hm H0; rewrite slots_count_mean by lia; rewrite mult_INR; assert (0 < INR d) by (apply lt_0_INR; lia).
  pose proof (slots_on_average slots m Hl Hm H0) as A; rewrite <- A at 2; unfold Rdiv; ring.
Qed.


Theorem wang2024_number_of_blankets (n : nat) (d : nat) (slots : nat) (m : R) (seen : counts) :
  (1 <= n)%nat -> (1 <= d)%nat -> (INR slots) - 1 < m -> m <= INR slots -> m >= 0 -> mass same_counts
  (slots_counted d (n * slots) (m / INR slots)) seen = mass same_counts (bind (heads (m / INR slots) (n *
  slots)) (fun N => view d (repeat (uniform_item d) N))) seen.
Proof. intros _ _ _ _ _; unfold mass, prob; now rewrite uniform_counted, mean_bind. Qed.


Theorem wang2024_combination (users : nat) (slots : nat) (m : R) (d : nat) :
  (1 <= users)%nat -> (1 <= slots)%nat -> (INR slots) - 1 < m -> m <= INR slots -> (1 <= d)%nat -> prob
  (fun c => Nat.eqb (users * slots) (messages_in c)) (slots_counted d (users * slots) (m / INR slots)) > 0
  /\ prob (fun c => Nat.ltb (users * slots) (messages_in c)) (slots_counted d (users * slots) (m / INR
  slots)) = 0.
Proof.
  intros Hu Hs Hl Hm Hd; assert (S1 : 1 <= INR slots) by (apply (le_INR 1); exact Hs); set (n := (users * slots)%nat); split;
    unfold prob.
  - assert (E := number_sent d n (m / INR slots) (indicator (Nat.eqb n)) Hd); cbv beta in E.
    unfold indicator at 1; unfold indicator at 1 in E; rewrite E; clear E; change (prob (Nat.eqb n) (heads (m / INR slots) n)
      > 0).
    rewrite all_heads by lia; destruct (Nat.eq_dec n n) as [_|]; [|contradiction]; apply pow_lt, Rdiv_lt_0_compat; lra.
  - assert (E := number_sent d n (m / INR slots) (indicator (Nat.ltb n)) Hd); cbv beta in E.
    unfold indicator at 1; unfold indicator at 1 in E; rewrite E; clear E.
    rewrite (mean_heads_up_to _ _ _ (fun _ => 0 * 1)); [rewrite mean_scale; ring|].
    intros c Hc; unfold indicator; destruct (Nat.ltb_spec n c); [lia | ring].
Qed.

(** ** F_rb *)


Theorem wang2024_F_rb (k : nat) (n : nat) (gamma : R) (message : law nat) (blanket : law nat) (seen :
    counts) :
  (1 <= k)%nat -> 0 <= gamma -> gamma <= 1 -> is_law message -> is_law blanket -> mass same_counts (F_rb k
  n gamma blanket message) seen = mass same_counts (view k (message :: repeat (sampled k gamma blanket)
  n)) seen.
Proof. intros _ _ _ _ _; apply F_rb_slots. Qed.


Theorem wang2024_binomial_fact (n : nat) (gamma : R) (share : R) (c : nat) :
  0 <= gamma -> gamma <= 1 -> 0 <= share -> share <= 1 -> mass Nat.eq_dec (bind (heads gamma n) (heads
  share)) c = mass Nat.eq_dec (heads (gamma * share) n) c.
Proof. intros _ _ _ _; apply heads_thinned. Qed.

(** C ~ Bin(n, share), A ~ Bin(C, 1/2), D1 ~ Bern(beta p/(p - 1)), D2 ~ Bin(1 - D1, beta/(p - 1 - beta p)). *)
Definition letters_of (shown : nat -> nat -> nat -> nat -> nat * nat) (p beta share : R) (n : nat) : law (nat * nat) :=
  bind (heads share n) (fun c => bind (heads (1 / 2) c) (fun a => bind (heads (beta * p / (p - 1)) 1) (fun d =>
    bind (heads (beta / (p - 1 - beta * p)) (1 - d)) (fun e => certain (shown c a d e))))).
Definition share_of_letters (p beta q : R) : R := 2 * beta * p / ((p - 1) * q).
(** P (upright) and Q (turned) of Theorem 1, of a size; U and V of Theorem 2. *)
Definition theorem_1 shown (p beta q : R) (size : nat) := letters_of shown p beta (share_of_letters p beta q) (size - 1).
Definition theorem_2 shown (p beta q gamma : R) (n : nat) := letters_of shown p beta (gamma * share_of_letters p beta q) n.

Lemma divided_parameter shown p beta q gamma n : 1 < p -> 0 < q -> 0 < gamma -> theorem_2 shown p beta q gamma n = theorem_1
  shown p beta (q / gamma) (n + 1).
Proof.
  intros Hp Hq Hg; unfold theorem_1, theorem_2; replace (n + 1 - 1)%nat with n by lia; f_equal.
  unfold share_of_letters; field; lra.
Qed.


Theorem wang2024_U_is_P (p : R) (beta : R) (q : R) (gamma : R) (n : nat) (event : nat * nat -> bool) :
  1 < p -> 0 <= beta -> beta <= (p - 1) / (p + 1) -> 1 <= q -> 0 < gamma -> gamma <= 1 -> ((2 * beta) * p)
  / ((p - 1) * q) <= 1 -> prob event (theorem_2 upright p beta q gamma n) = prob event (theorem_1 upright
  p beta (q / gamma) (n + 1)) /\ prob event (theorem_2 turned p beta q gamma n) = prob event (theorem_1
  turned p beta (q / gamma) (n + 1)).
Proof. intros Hp _ _ Hq Hg _ _; split; now rewrite divided_parameter by lra. Qed.

Theorem wang2024_equivalence (p : R) (beta : R) (q : R) (slots : nat) (m : R) (users : nat) (event : nat *
    nat -> bool) :
  1 < p -> 0 <= beta -> beta <= (p - 1) / (p + 1) -> 1 <= q -> (1 <= slots)%nat -> (INR slots) - 1 < m ->
  m <= INR slots -> ((2 * beta) * p) / ((p - 1) * q) <= 1 -> prob event (theorem_2 upright p beta q (m /
  (INR slots)) (users * slots)) = prob event (theorem_1 upright p beta (q / (m / (INR slots))) ((users *
  slots) + 1)) /\ prob event (theorem_2 turned p beta q (m / (INR slots)) (users * slots)) = prob event
  (theorem_1 turned p beta (q / (m / (INR slots))) ((users * slots) + 1)).
Proof.
  intros Hp _ _ Hq Hs Hl Hm _; assert (1 <= INR slots) by (apply (le_INR 1); exact Hs).
  assert (0 < m / INR slots) by (apply Rdiv_lt_0_compat; lra); split; now rewrite divided_parameter by lra.
Qed.

(** ** Data *)

Fixpoint lists_of (d n : nat) : list (list nat) :=
  match n with 0%nat => [[]] | S n => flat_map (fun x => map (cons x) (lists_of d n)) (seq 0 d) end.
(** Two different data sets: user i holds another item in each, and the others, who hold the same in both, neither. *)
Definition as_constructed (two : list nat * list nat) : bool :=
  match two with
  | (x :: held, y :: held') => negb (Nat.eqb x y) && (if list_eq_dec Nat.eq_dec held held' then true else false)
      && negb (existsb (Nat.eqb x) held) && negb (existsb (Nat.eqb y) held)
  | _ => false
  end.
Definition pairs_of_datasets (n d : nat) : list (list nat * list nat) :=
  filter as_constructed (list_prod (lists_of d n) (lists_of d n)).

Lemma lists_of_repeat d n x : (x < d)%nat -> In (repeat x n) (lists_of d n).
Proof.
  intros H; induction n as [|n IH]; [now left|]; cbn; apply in_flat_map; exists x; split; [apply in_seq; lia | now apply in_map].
Qed.


Theorem wang2024_datasets (n : nat) (d : nat) :
  (1 <= n)%nat -> (3 <= d)%nat -> INR (length (pairs_of_datasets n d)) > 0.
Proof.
  intros Hn Hd; destruct n as [|n]; [lia|].
  assert (I : In (0 :: repeat 2 n, 1 :: repeat 2 n)%nat (pairs_of_datasets (S n) d)).
  { assert (A : forall x, (x < d)%nat -> In (x :: repeat 2%nat n) (lists_of d (S n))).
    { intros x H; cbn [lists_of]; apply in_flat_map; exists x; split; [apply in_seq; lia|].
      apply in_map, lists_of_repeat; lia. }
    apply filter_In; split; [apply in_prod; apply A; lia|]; unfold as_constructed.
    assert (N : forall x, x <> 2%nat -> forall k, existsb (Nat.eqb x) (repeat 2%nat k) = false).
    { intros x Hx k; induction k as [|k IH]; [reflexivity|]; cbn [repeat existsb]; rewrite IH; destruct (Nat.eqb_spec x 2);
        [contradiction | reflexivity]. }
    rewrite !N by lia; destruct list_eq_dec as [_|F]; [reflexivity | now contradiction F]. }
  apply lt_0_INR; destruct (pairs_of_datasets (S n) d); [contradiction | cbn; lia].
Qed.
