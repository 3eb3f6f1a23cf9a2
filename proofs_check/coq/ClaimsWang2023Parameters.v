(** * Amplification parameters of local randomizers (Wang et al. 2023, the table)

    Two rows of each randomizer are within a factor x = e^eps, and their total variation is at most the table's beta.
    - [design_apart]: rows that have mass x/N on a set of messages and 1/N on all others;
    - of those are randomized response, subset selection ([count_apart]: how many subsets have one option, but not
      the other), Hadamard response, and local hashing given the hash function;
    - for any private randomizer, the letters of the two rows weigh at most 1 ([exact_mixtures]).

    The statements are exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool Arith.
Require Import ExactDP Lemmas Blanket RandomizedResponse TwoLetters Claims VariationRatio Measures.
Import ListNotations.
Open Scope R_scope.

(** ** Two masses *)

Definition design {Y} (ys : list Y) (chosen : Y -> bool) (x N : R) : law Y :=
  map (fun y => (y, (if chosen y then x else 1) / N)) ys.

Definition only {Y} (chosen chosen' : Y -> bool) (y : Y) : bool := chosen y && negb (chosen' y).

Lemma design_apart {Y} (same : forall a b : Y, {a = b} + {a <> b}) ys chosen chosen' x N m :
  1 <= x -> 0 < N -> INR (length (filter (only chosen chosen') ys)) <= m ->
  hockey_stick same (design ys chosen x N) (design ys chosen' x N) x = 0 /\
  hockey_stick same (design ys chosen x N) (design ys chosen' x N) 1 <= (x - 1) / N * m.
Proof.
  intros Hx HN Hm; assert (I : 0 < / N) by (now apply Rinv_0_lt_compat).
  assert (I' : 0 <= (x - 1) * / N) by (apply Rmult_le_pos; lra).
  split; [apply Rle_antisym; [|apply hockey_stick_nonnegative]|]; apply below_every_event; intros S; unfold prob.
  - clear Hm; unfold design; induction ys as [|y ys IH]; cbn [map mean]; [lra|].
    assert (L : (if chosen y then x else 1) / N * indicator S y <= x * ((if chosen' y then x else 1) / N * indicator S
      y)).
    { replace (x * _) with (x * (if chosen' y then x else 1) * (/ N * indicator S y)) by (unfold Rdiv; ring).
      replace (_ / N * indicator S y) with ((if chosen y then x else 1) * (/ N * indicator S y)) by (unfold Rdiv; ring).
      apply Rmult_le_compat_r; [unfold indicator; destruct (S y); lra | destruct (chosen y), (chosen' y); nra]. }
    lra.
  - apply Rle_trans with (1 * mean (indicator S) (design ys chosen' x N)
      + (x - 1) / N * INR (length (filter (only chosen chosen') ys))); [|unfold Rdiv; nra].
    clear Hm; unfold design; induction ys as [|y ys IH]; [cbn; lra|]; cbn [map mean filter].
    assert (L : (if chosen y then x else 1) / N * indicator S y <= (if chosen' y then x else 1) / N * indicator S y
      + (x - 1) / N * (if only chosen chosen' y then 1 else 0)).
    { unfold only, indicator, Rdiv; destruct (S y), (chosen y), (chosen' y); cbn; lra. }
    destruct (only chosen chosen' y); cbn [length]; rewrite ?S_INR; lra.
Qed.

(** One message of each row is more likely. *)
Lemma response_is_design k x v : randomized_response k x v = design (seq 0 k) (fun y => y =? v)%nat x (x + INR k - 1).
Proof.
  unfold randomized_response, design, own, other; apply map_ext; intros y.
  destruct (Nat.eq_dec y v), (Nat.eqb_spec y v); try congruence.
Qed.

Lemma one_value v w m : forall start, (length (filter (only (fun y => y =? v) (fun y => y =? w)) (seq start m)) <=
  1)%nat.
Proof.
  intros start; change 1%nat with (length [v]); apply NoDup_incl_length; [apply NoDup_filter, seq_NoDup|].
  intros y Hy; apply filter_In in Hy; unfold only in Hy; destruct Hy as [_ Hy]; apply andb_prop in Hy.
  left; symmetry; now apply Nat.eqb_eq.
Qed.

Lemma response_apart l x v w : (2 <= l)%nat -> 1 <= x ->
  hockey_stick Nat.eq_dec (randomized_response l x v) (randomized_response l x w) x = 0 /\
  hockey_stick Nat.eq_dec (randomized_response l x v) (randomized_response l x w) 1 <= (x - 1) / (x + INR l - 1).
Proof.
  intros Hl Hx; apply le_INR in Hl; cbn in Hl; rewrite !response_is_design.
  replace ((x - 1) / (x + INR l - 1)) with ((x - 1) / (x + INR l - 1) * 1) by ring.
  apply design_apart; [exact Hx | lra | change 1 with (INR 1); apply le_INR, one_value].
Qed.

(** ** Subsets *)

(** The subsets of d options with k of them, by whether each option is in it. *)
Fixpoint subsets (d k : nat) : list (list bool) :=
  match d, k with
  | O, O => [[]]
  | O, S _ => []
  | S d, O => map (cons false) (subsets d 0)
  | S d, S k => map (cons true) (subsets d k) ++ map (cons false) (subsets d (S k))
  end.
Definition has (v : nat) (b : list bool) : bool := nth v b false.
(** C(d-2, k-2), which is 0 for k = 1. *)
Definition with_both (d k : nat) : R := match k with S (S k) => bin (d - 2) k | _ => 0 end.
Definition subset_selection (d k : nat) (x : R) (v : nat) : law (list bool) :=
  design (subsets d k) (has v) x (x * bin (d - 1) (k - 1) + bin (d - 1) k).

Lemma count_map {A B} (f : B -> bool) (h : A -> B) xs : length (filter f (map h xs)) = length (filter (fun a => f (h
  a)) xs).
Proof. induction xs as [|x xs IH]; cbn; [reflexivity|]; destruct (f (h x)); cbn; now rewrite IH. Qed.

Lemma bin_0 n : bin n 0 = 1.
Proof. now destruct n. Qed.

Lemma count_all d k : INR (length (subsets d k)) = bin d k.
Proof.
  revert k; induction d as [|d IH]; intros [|k]; cbn [subsets]; [reflexivity | reflexivity | |].
  - rewrite map_length, IH, !bin_0; reflexivity.
  - rewrite app_length, plus_INR, !map_length, !IH; reflexivity.
Qed.

Definition counted (f : list bool -> bool) (d k : nat) : R := INR (length (filter f (subsets d k))).

Lemma counted_0 f d : counted f (S d) 0 = counted (fun b => f (false :: b)) d 0.
Proof. unfold counted; cbn [subsets]; now rewrite count_map. Qed.

Lemma counted_S f d k : counted f (S d) (S k) = counted (fun b => f (true :: b)) d k + counted (fun b => f (false ::
  b)) d (S k).
Proof. unfold counted; cbn [subsets]; now rewrite filter_app, app_length, plus_INR, !count_map. Qed.

Lemma counted_none f d k : (forall b, f b = false) -> counted f d k = 0.
Proof.
  intros H; unfold counted; replace (filter f (subsets d k)) with (@nil (list bool)); [reflexivity|].
  induction (subsets d k) as [|b bs IH]; cbn; [|rewrite H]; trivial.
Qed.

Lemma counted_every f d k : (forall b, f b = true) -> counted f d k = bin d k.
Proof.
  intros H; rewrite <- count_all; unfold counted; f_equal; f_equal.
  induction (subsets d k) as [|b bs IH]; cbn; [|rewrite H, IH]; trivial.
Qed.

Lemma count_in d k v : (v < d)%nat -> counted (has v) d k = match k with O => 0 | S k => bin (d - 1) k end.
Proof.
  revert k v; induction d as [|d IH]; intros [|k] v Hv; try lia.
  - rewrite counted_0; destruct v as [|v]; [now apply counted_none|].
    change (counted (has v) d 0 = 0); now rewrite IH by lia.
  - rewrite counted_S; cbn [Nat.sub]; rewrite Nat.sub_0_r; destruct v as [|v].
    + rewrite counted_every, counted_none by reflexivity; ring.
    + change (counted (has v) d k + counted (has v) d (S k) = bin d k); rewrite !IH by lia.
      destruct d as [|d]; [lia|]; cbn [Nat.sub]; rewrite Nat.sub_0_r.
      destruct k as [|k]; [rewrite !bin_0; ring | reflexivity].
Qed.

Lemma count_out d k v : (v < d)%nat -> counted (fun b => negb (has v b)) d k = bin (d - 1) k.
Proof.
  revert k v; induction d as [|d IH]; intros [|k] v Hv; try lia; cbn [Nat.sub]; rewrite Nat.sub_0_r.
  - rewrite counted_0; destruct v as [|v]; [now apply counted_every|].
    change (counted (fun b => negb (has v b)) d 0 = bin d 0); now rewrite IH, !bin_0 by lia.
  - rewrite counted_S; destruct v as [|v].
    + rewrite counted_none, counted_every by reflexivity; ring.
    + change (counted (fun b => negb (has v b)) d k + counted (fun b => negb (has v b)) d (S k) = bin d (S k)).
      rewrite !IH by lia; destruct d as [|d]; [lia|]; cbn [Nat.sub]; now rewrite Nat.sub_0_r.
Qed.

Lemma count_apart d k v w : (v < d)%nat -> (w < d)%nat -> v <> w ->
  counted (only (has v) (has w)) d k = match k with O => 0 | S k => bin (d - 2) k end.
Proof.
  revert k v w; induction d as [|d IH]; intros [|k] v w Hv Hw N; try lia.
  - rewrite counted_0; destruct v as [|v]; [now apply counted_none|]; destruct w as [|w].
    + change (counted (fun b => has v b && true)%bool d 0 = 0).
      unfold counted; rewrite (filter_ext _ (has v)) by (intros b; apply andb_true_r).
      fold (counted (has v) d 0); now rewrite count_in by lia.
    + change (counted (only (has v) (has w)) d 0 = 0); now rewrite IH by lia.
  - rewrite counted_S; destruct v as [|v], w as [|w]; [lia| | |].
    + change (counted (fun b => negb (has w b)) d k + counted (fun _ => false) d (S k) = bin (S d - 2) k).
      rewrite count_out, counted_none by (trivial; lia); replace (S d - 2)%nat with (d - 1)%nat by lia; ring.
    + change (counted (fun b => has v b && false)%bool d k + counted (fun b => has v b && true)%bool d (S k) = bin (S
      d - 2) k).
      rewrite counted_none by (intros b; apply andb_false_r).
      unfold counted; rewrite (filter_ext _ (has v)) by (intros b; apply andb_true_r).
      fold (counted (has v) d (S k)); rewrite count_in by lia; replace (S d - 2)%nat with (d - 1)%nat by lia; ring.
    + change (counted (only (has v) (has w)) d k + counted (only (has v) (has w)) d (S k) = bin (S d - 2) k).
      rewrite !IH by lia; replace (S d - 2)%nat with (S (d - 2)) by lia.
      destruct k as [|k]; [rewrite !bin_0; ring | reflexivity].
Qed.

Lemma subsets_apart d k x v w : (2 <= d)%nat -> (1 <= k)%nat -> (k <= d - 1)%nat -> 1 <= x -> (v < d)%nat -> (w <
  d)%nat ->
  hockey_stick (list_eq_dec Bool.bool_dec) (subset_selection d k x v) (subset_selection d k x w) x = 0 /\
  hockey_stick (list_eq_dec Bool.bool_dec) (subset_selection d k x v) (subset_selection d k x w) 1
  <= (x - 1) * (bin (d - 1) (k - 1) - with_both d k) / (x * bin (d - 1) (k - 1) + bin (d - 1) k).
Proof.
  intros Hd Hk Hk' Hx Hv Hw.
  assert (P : 0 < bin (d - 1) (k - 1)) by (apply bin_positive; lia).
  assert (P' : 0 < bin (d - 1) k) by (apply bin_positive; lia).
  assert (B : bin (d - 1) (k - 1) - with_both d k = bin (d - 2) (k - 1)).
  { destruct d as [|[|d]], k as [|[|k]]; try lia; cbn [Nat.sub with_both]; rewrite ?Nat.sub_0_r; cbn [bin]; rewrite
    ?bin_0; ring. }
  rewrite B; replace ((x - 1) * bin (d - 2) (k - 1) / (x * bin (d - 1) (k - 1) + bin (d - 1) k))
    with ((x - 1) / (x * bin (d - 1) (k - 1) + bin (d - 1) k) * bin (d - 2) (k - 1)) by (unfold Rdiv; ring).
  apply design_apart; [exact Hx | nra|]; fold (counted (only (has v) (has w)) d k).
  destruct (Nat.eq_dec v w) as [<-|N].
  - rewrite counted_none by (intros b; unfold only; now destruct (has v b)); apply bin_nonnegative.
  - rewrite count_apart by assumption; destruct k as [|k]; [lia|]; cbn [Nat.sub]; rewrite Nat.sub_0_r; apply Rle_refl.
Qed.

(** ** Hash functions *)

(** A hash function is the list of its values; the family's are equally likely. *)
Definition local_hashing (hashes : list (list nat)) (l : nat) (x : R) (v : nat) : law (list nat * nat) :=
  followed (map (fun h => (h, 1 / INR (length hashes))) hashes) (fun h => randomized_response l x (nth v h 0%nat)).
Definition same_hashed : forall a b : list nat * nat, {a = b} + {a <> b}.
Proof. decide equality; [apply Nat.eq_dec | apply list_eq_dec, Nat.eq_dec]. Defined.

Lemma hashed_apart hashes l x v w : hashes <> [] -> (2 <= l)%nat -> 1 <= x ->
  hockey_stick same_hashed (local_hashing hashes l x v) (local_hashing hashes l x w) x = 0 /\
  hockey_stick same_hashed (local_hashing hashes l x v) (local_hashing hashes l x w) 1 <= (x - 1) / (x + INR l - 1).
Proof.
  intros Hh Hl Hx; unfold local_hashing; set (H := map (fun h => (h, 1 / INR (length hashes))) hashes).
  assert (N : 0 < INR (length hashes)) by (apply lt_0_INR; destruct hashes; [congruence | cbn; lia]).
  assert (LH : is_law H).
  { split.
    - apply Forall_forall; intros y Hy; apply in_map_iff in Hy; destruct Hy as [h [<- _]]; cbn.
      apply Rlt_le, Rdiv_lt_0_compat; lra.
    - enough (G : forall c hs, mean (fun _ => 1) (map (fun h : list nat => (h, c)) hs) = INR (length hs) * c)
        by (unfold H; rewrite G; field; lra).
      intros c hs; induction hs as [|h hs IH]; [cbn; ring|]; cbn [map mean length]; rewrite IH, S_INR; ring. }
  assert (G : forall E c, (forall h, hockey_stick Nat.eq_dec (randomized_response l x (nth v h 0%nat))
      (randomized_response l x (nth w h 0%nat)) E <= c) ->
    hockey_stick same_hashed (followed H (fun h => randomized_response l x (nth v h 0%nat)))
      (followed H (fun h => randomized_response l x (nth w h 0%nat))) E <= c).
  { intros E c B; unfold followed; eapply Rle_trans; [apply mixed_pairs, LH|].
    apply Rle_trans with (mean (fun h => c * (fun _ => 1) h) H).
    - apply mean_le; [apply LH|]; intros h; eapply Rle_trans; [apply (post_processing Nat.eq_dec)|].
      specialize (B h); lra.
    - rewrite mean_scale, (proj2 LH); lra. }
  split; [apply Rle_antisym; [|apply hockey_stick_nonnegative]|]; apply G; intros h;
    destruct (response_apart l x (nth v h 0%nat) (nth w h 0%nat) Hl Hx); lra.
Qed.

(** ** Hadamard response *)

Definition codewords (K s : nat) (x : R) (chosen : nat -> bool) : law nat :=
  design (seq 0 K) chosen x (INR s * x + INR K - INR s).
Definition chosen_of (chosen : nat -> bool) (K : nat) : nat := length (filter chosen (seq 0 K)).
Definition chosen_by_both (chosen chosen' : nat -> bool) (K : nat) : nat := chosen_of (fun y => chosen y && chosen'
  y)%bool K.

Lemma chosen_split chosen chosen' K :
  chosen_of chosen K = (chosen_by_both chosen chosen' K + chosen_of (only chosen chosen') K)%nat.
Proof.
  unfold chosen_by_both, chosen_of, only; induction (seq 0 K) as [|y ys IH]; cbn; [reflexivity|].
  destruct (chosen y), (chosen' y); cbn; lia.
Qed.

(** ** Any private randomizer *)

Lemma private_apart {A} (same : forall x y : A, {x = y} + {x <> y}) x (V W : law A) : 1 <= x -> private_pair same x V
  W ->
  hockey_stick same V W 1 <= (x - 1) / (x + 1).
Proof.
  intros Hx (LV & LW & Q1 & Q2); destruct (Req_dec x 1) as [->|N].
  - apply below_every_event; intros S; unfold prob.
    assert (M : mean (indicator S) V <= mean (indicator S) W).
    { apply (mean_of_masses same); [intros y; specialize (Q1 y); lra|].
      intros y; unfold indicator; destruct (S y); lra. }
    lra.
  - assert (Hp : 1 < x) by lra.
    destruct (exact_mixtures same x V W Hp LV LW Q1 Q2) as (_ & _ & _ & _ & _ & _ & _ & One & _).
    assert (B : total_variation same V W = hockey_stick same V W 1).
    { unfold total_variation; rewrite (same_excess same V W LV LW); field. }
    rewrite B in One; apply Rmult_le_reg_r with ((x + 1) / (x - 1)); [apply Rdiv_lt_0_compat; lra|].
    replace ((x - 1) / (x + 1) * ((x + 1) / (x - 1))) with 1 by (field; lra).
    replace (hockey_stick same V W 1 * ((x + 1) / (x - 1)))
      with (hockey_stick same V W 1 / (x - 1) + x * (hockey_stick same V W 1 / (x - 1))) by (field; lra); exact One.
Qed.

(** ** The table *)

Theorem wang2023_parameters_general_rr (d : nat) (exp_epsilon : R) (v : nat) (w : nat) : (2 <= d)%nat -> 1 <=
  exp_epsilon -> (v <= (d - 1))%nat -> (w
  <= (d - 1))%nat -> hockey_stick Nat.eq_dec (randomized_response d exp_epsilon v) (randomized_response d
  exp_epsilon w) exp_epsilon = 0 /\ hockey_stick Nat.eq_dec (randomized_response d exp_epsilon v)
  (randomized_response d exp_epsilon w) 1 <= (exp_epsilon - 1) / (exp_epsilon + ((INR d) - 1)).
Proof.
  intros Hd Hx _ _; replace (exp_epsilon + (INR d - 1)) with (exp_epsilon + INR d - 1) by ring; now apply
    response_apart.
Qed.

Theorem wang2023_parameters_subset (d : nat) (k : nat) (exp_epsilon : R) (v : nat) (w : nat) : (2 <= d)%nat -> (1 <=
  k)%nat -> (k <= (d - 1))%nat
  -> 1 <= exp_epsilon -> (v <= (d - 1))%nat -> (w <= (d - 1))%nat -> hockey_stick (list_eq_dec Bool.bool_dec)
  (subset_selection d k exp_epsilon v) (subset_selection d k exp_epsilon w) exp_epsilon = 0 /\ hockey_stick
  (list_eq_dec Bool.bool_dec) (subset_selection d k exp_epsilon v) (subset_selection d k exp_epsilon w) 1 <=
  ((exp_epsilon - 1) * ((bin (d - 1) (k - 1)) - (with_both d k))) / ((exp_epsilon * (bin (d - 1) (k - 1))) + (bin
  (d - 1) k)).
Proof.
  intros Hd Hk Hk' Hx Hv Hw; apply subsets_apart; trivial; lia.
Qed.

Theorem wang2023_parameters_local_hash (d : nat) (l : nat) (hashes : list (list nat)) (exp_epsilon : R) (v : nat) (w :
  nat) : (2 <= d)%nat -> (2 <=
  l)%nat -> hashes <> [] /\ Forall (fun h => length h = d /\ Forall (fun y => (y < l)%nat) h) hashes -> 1 <=
  exp_epsilon -> (v <= (d - 1))%nat -> (w <= (d - 1))%nat -> hockey_stick same_hashed (local_hashing hashes l
  exp_epsilon v) (local_hashing hashes l exp_epsilon w) exp_epsilon = 0 /\ hockey_stick same_hashed (local_hashing
  hashes l exp_epsilon v) (local_hashing hashes l exp_epsilon w) 1 <= (exp_epsilon - 1) / (exp_epsilon + ((INR l)
  - 1)).
Proof.
  intros _ Hl [Hh _] Hx _ _; replace (exp_epsilon + (INR l - 1)) with (exp_epsilon + INR l - 1) by ring; now apply
    hashed_apart.
Qed.

Theorem wang2023_parameters_hadamard (K : nat) (s : nat) (exp_epsilon : R) (C : nat -> bool) (C_prime : nat -> bool) :
  (2 <= K)%nat -> (1 <= s)%nat
  -> (s <= (K - 1))%nat -> 1 <= exp_epsilon -> chosen_of C K = s -> chosen_of C_prime K = s /\ (2 * chosen_by_both
  C C_prime K)%nat = s -> hockey_stick Nat.eq_dec (codewords K s exp_epsilon C) (codewords K s exp_epsilon
  C_prime) exp_epsilon = 0 /\ hockey_stick Nat.eq_dec (codewords K s exp_epsilon C) (codewords K s exp_epsilon
  C_prime) 1 <= (((INR s) * (exp_epsilon - 1)) / 2) / ((((INR s) * exp_epsilon) + (INR K)) - (INR s)).
Proof.
  intros HK Hs Hs' Hx HC [HC' HB]; pose proof (chosen_split C C_prime K) as Sp; rewrite HC in Sp.
  assert (M : INR (chosen_of (only C C_prime) K) = INR s / 2).
  { assert (I : (2 * chosen_of (only C C_prime) K)%nat = s) by lia.
    apply (f_equal INR) in I; rewrite mult_INR in I; cbn in I; lra. }
  assert (1 <= INR s) by (apply (le_INR 1) in Hs; exact Hs); assert (INR s <= INR K) by (apply le_INR; lia).
  replace (INR s * (exp_epsilon - 1) / 2 / (INR s * exp_epsilon + INR K - INR s))
    with ((exp_epsilon - 1) / (INR s * exp_epsilon + INR K - INR s) * (INR s / 2)) by (unfold Rdiv; ring).
  apply design_apart; [exact Hx | nra | rewrite <- M; apply Rle_refl].
Qed.

Theorem wang2023_parameters_any {A} (same : forall x y : A, {x = y} + {x <> y}) (p : R) (V : law A) (W : law A) : 1 <=
  p -> is_law V ->
  private_pair same p V W -> hockey_stick same V W p = 0 /\ hockey_stick same V W 1 <= (p - 1) / (p + 1).
Proof.
  intros Hp _ H; split; [|now apply private_apart].
  apply Rle_antisym; [|apply hockey_stick_nonnegative]; apply below_every_event; intros S; unfold prob.
  rewrite Rplus_0_r, <- mean_weighted; apply (mean_of_masses same); [|intros y; unfold indicator; destruct (S y); lra].
  intros y; rewrite mass_weighted; apply H.
Qed.
