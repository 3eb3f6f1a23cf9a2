(** * Claims of Biswas, Jung, Palamidessi 2023 about the worst data, and about what is done with the histogram

    Each theorem is a claim of its catalog, its statement exported from the claim's own form (a test compares
    them word for word). *)

From Coq Require Import Reals List Lra Lia Arith Bool Permutation.
Require Import ExactDP Lemmas Composition AdvancedComposition Blanket RandomizedResponse ResponseOrders.
Require Import ClaimsBiswas2023.
Import ListNotations.
Open Scope R_scope.

(** ** The tight delta of the histogram, and how it moves *)

(** The largest value of f, which is at least 0. *)
Definition largest {A} (f : A -> R) (xs : list A) : R := fold_right (fun a m => Rmax (f a) m) 0 xs.
(** The lists of m values among 0, ..., k - 1; those of n - 1 of which n_x0 are 0. *)
Fixpoint sequences (m k : nat) : list (list nat) :=
  match m with 0%nat => [[]] | S m => flat_map (fun v => map (cons v) (sequences m k)) (seq 0 k) end.
Definition datasets (n k n_x0 : nat) : list (list nat) :=
  filter (fun others => count_occ Nat.eq_dec others 0%nat =? n_x0) (sequences (n - 1) k).

(** Over the others' data with this n_x0; over all of them; and over what the victim may hold, too. *)
Definition tight (n k n_x0 : nat) (x : R) (u v : nat) (E : R) : R :=
  largest (fun others => histogram_apart k x u v others E) (datasets n k n_x0).
Definition tight_over_all (n k : nat) (x : R) (u v : nat) (E : R) : R :=
  largest (fun others => histogram_apart k x u v others E) (sequences (n - 1) k).
Definition worst_from (n k : nat) (x : R) (u : nat) (E : R) : R :=
  largest (fun v => tight_over_all n k x u v E) (filter (fun v => negb (v =? u)) (seq 0 k)).
Definition worst (n k : nat) (x E : R) : R := largest (fun u => worst_from n k x u E) (seq 0 k).

Lemma largest_at {A} (f : A -> R) xs a : In a xs -> f a <= largest f xs.
Proof.
  induction xs as [|y xs IH]; intros H; [contradiction|]; cbn; destruct H as [->|H]; [apply Rmax_l|].
  eapply Rle_trans; [now apply IH | apply Rmax_r].
Qed.

Lemma largest_least {A} (f : A -> R) xs c : 0 <= c -> (forall a, In a xs -> f a <= c) -> largest f xs <= c.
Proof.
  intros Hc; induction xs as [|y xs IH]; intros H; cbn; [exact Hc|].
  apply Rmax_lub; [apply H; now left | apply IH; intros; apply H; now right].
Qed.

Lemma largest_nonnegative {A} (f : A -> R) xs : 0 <= largest f xs.
Proof. induction xs as [|y xs IH]; cbn; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

(** Each value is at most one of the other list's. *)
Lemma largest_le {A B} (f : A -> R) (g : B -> R) xs ys :
  (forall a, In a xs -> exists b, In b ys /\ f a <= g b) -> largest f xs <= largest g ys.
Proof.
  intros H; apply largest_least; [apply largest_nonnegative|]; intros a Ha; destruct (H a Ha) as [b [Hb L]].
  eapply Rle_trans; [exact L | now apply largest_at].
Qed.

Lemma in_sequences m k d : In d (sequences m k) <-> length d = m /\ Forall (fun v => (v < k)%nat) d.
Proof.
  revert d; induction m as [|m IH]; intros d; cbn [sequences].
  - split; [intros [<-|[]]; split; constructor | intros [L _]; left; now destruct d].
  - rewrite in_flat_map; split.
    + intros [v [Hv H]]; apply in_map_iff in H as [r [<- Hr]]; apply IH in Hr as [L F]; apply in_seq in Hv.
      cbn; split; [now f_equal | constructor; [lia | exact F]].
    + intros [L F]; destruct d as [|v r]; [discriminate|]; inversion F; subst.
      exists v; rewrite in_seq, in_map_iff; split; [lia|]; exists r; split; [reflexivity|].
      apply IH; split; [now injection L | assumption].
Qed.

Lemma in_datasets n k a d :
  In d (datasets n k a) <-> length d = (n - 1)%nat /\ Forall (fun v => (v < k)%nat) d /\ count_occ Nat.eq_dec d 0%nat = a.
Proof. unfold datasets; rewrite filter_In, in_sequences, Nat.eqb_eq; tauto. Qed.

Lemma apart_decreases k x u v others E E' :
  (v < k)%nat -> Forall (fun w => (w < k)%nat) others -> 0 < x -> E <= E' ->
  histogram_apart k x u v others E' <= histogram_apart k x u v others E.
Proof.
  intros Hv F Hx HE; apply larger_factor; [|exact HE]; apply view_is_law; unfold users; apply Forall_map.
  apply Forall_forall; intros w [<-|Hw]; apply response_is_law; try assumption.
  now apply (proj1 (Forall_forall _ _) F).
Qed.

Theorem biswas2023_decreasing_in_epsilon (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R) (exp_epsilon : R)
    (next_exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  exp_epsilon <= next_exp_epsilon ->
  tight n k n_x0 exp_epsilon0 0 1 next_exp_epsilon <= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon.
Proof.
  intros _ Hk _ Hx _ HE; apply largest_le; intros d Hd; exists d; split; [exact Hd|].
  apply in_datasets in Hd as [_ [F _]]; apply apart_decreases; (assumption || lia || lra).
Qed.

Theorem biswas2023_increasing_in_epsilon0 (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R) (exp_epsilon : R)
    (next_exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  exp_epsilon0 <= next_exp_epsilon0 ->
  tight n k n_x0 next_exp_epsilon0 0 1 exp_epsilon >= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon.
Proof.
  intros _ Hk _ Hx _ HE; apply Rle_ge, largest_le; intros d Hd; exists d; split; [exact Hd|].
  apply in_datasets in Hd as [_ [F _]]; apply more_noise; (assumption || lia).
Qed.

Theorem biswas2023_figure_1 (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R) (exp_epsilon : R)
    (next_exp_epsilon : R) (next_exp_epsilon0 : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  exp_epsilon <= next_exp_epsilon -> exp_epsilon0 <= next_exp_epsilon0 ->
  tight n k n_x0 exp_epsilon0 0 1 next_exp_epsilon <= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon
  /\ tight n k n_x0 next_exp_epsilon0 0 1 exp_epsilon >= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon.
Proof.
  intros; split; [now apply biswas2023_decreasing_in_epsilon | now apply biswas2023_increasing_in_epsilon0].
Qed.

(** A dataset is one of fewer users with the same zeros, and more users, up to the order. *)
Lemma zeros_first d :
  Permutation d (repeat 0%nat (count_occ Nat.eq_dec d 0%nat) ++ filter (fun v => negb (v =? 0)) d).
Proof.
  induction d as [|v d IH]; [constructor|]; cbn [count_occ filter].
  destruct (Nat.eq_dec v 0) as [->|N]; [now constructor|].
  destruct (Nat.eqb_spec v 0) as [|_]; [contradiction|]; cbn [negb].
  eapply perm_trans; [apply perm_skip, IH | apply Permutation_middle].
Qed.

Lemma count_zeros a r :
  Forall (fun v => v <> 0%nat) r -> count_occ Nat.eq_dec (repeat 0%nat a ++ r) 0%nat = a.
Proof.
  intros F; induction a as [|a IH]; cbn [repeat app].
  - apply count_occ_not_In; intros I; now apply (proj1 (Forall_forall _ _) F) in I.
  - cbn [count_occ]; destruct (Nat.eq_dec 0 0); [now rewrite IH | contradiction].
Qed.

Theorem biswas2023_decreasing_in_n (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R) (exp_epsilon : R)
    (next_n : nat) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  (n <= next_n)%nat ->
  tight next_n k n_x0 exp_epsilon0 0 1 exp_epsilon <= tight n k n_x0 exp_epsilon0 0 1 exp_epsilon.
Proof.
  intros Hn Hk Ha Hx _ HN; apply largest_le; intros d Hd; apply in_datasets in Hd as [L [F C]].
  pose proof (zeros_first d) as P; rewrite C in P; set (r := filter _ d) in P.
  assert (Lr : (n_x0 + length r)%nat = (next_n - 1)%nat)
    by (apply Permutation_length in P; rewrite app_length, repeat_length in P; lia).
  assert (Fr : Forall (fun v => (v < k)%nat /\ v <> 0%nat) r).
  { apply Forall_forall; intros v Hv; apply filter_In in Hv as [Hv N]; split.
    - now apply (proj1 (Forall_forall _ _) F).
    - intros ->; discriminate. }
  set (m := (n - 1 - n_x0)%nat); rewrite <- (firstn_skipn m r) in P, Fr; apply Forall_app in Fr as [F1 F2].
  exists (repeat 0%nat n_x0 ++ firstn m r); split.
  - apply in_datasets; rewrite app_length, repeat_length, firstn_length; split; [unfold m; lia|]; split.
    + apply Forall_app; split; [apply Forall_forall; intros v Hv; apply repeat_spec in Hv; lia|].
      eapply Forall_impl; [|exact F1]; intros v [Hv N]; assumption.
    + apply count_zeros; eapply Forall_impl; [|exact F1]; intros v [Hv N]; assumption.
  - rewrite app_assoc in P; rewrite (permuted_data _ _ _ _ _ _ _ P); apply more_data; [lra|].
    eapply Forall_impl; [|exact F2]; intros v [Hv N]; assumption.
Qed.

Theorem biswas2023_decreasing_in_k (n : nat) (k : nat) (n_x0 : nat) (others : list nat) (next_k : nat)
    (exp_epsilon0 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> (k <= next_k)%nat ->
  1 < exp_epsilon0 -> 1 < exp_epsilon ->
  histogram_apart next_k exp_epsilon0 0 1 others exp_epsilon <= histogram_apart k exp_epsilon0 0 1 others exp_epsilon.
Proof. intros _ Hk _ [_ [F _]] HK Hx _; apply more_values; (assumption || lia). Qed.

(** All pairs of different inputs are as far apart, over all data. *)
Lemma renamed_worst n k x u v u' v' E :
  (u < k)%nat -> (v < k)%nat -> (u' < k)%nat -> (v' < k)%nat -> u <> v -> u' <> v' ->
  tight_over_all n k x u' v' E <= tight_over_all n k x u v E.
Proof.
  intros Hu Hv Hu' Hv' N N'; destruct (renamed_pair k u v u' v') as [h [g [H [<- <-]]]]; try assumption.
  apply largest_le; intros d Hd; apply in_sequences in Hd as [L F]; exists (map g d).
  assert (G : Forall (fun w => (w < k)%nat) (map g d))
    by (apply Forall_map; eapply Forall_impl; [|exact F]; intros w Hw; now apply H).
  split; [apply in_sequences; now rewrite map_length|].
  replace (histogram_apart k x (h u) (h v) d E) with (histogram_apart k x (h u) (h v) (map h (map g d)) E);
    [now apply (renamed_values k x h g)|].
  f_equal; rewrite map_map; rewrite <- (map_id d) at 2; apply map_ext_in; intros w Hw.
  apply H, (proj1 (Forall_forall _ _) F), Hw.
Qed.

Theorem biswas2023_wlog_x0 (n : nat) (k : nat) (exp_epsilon0 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  tight_over_all n k exp_epsilon0 0 1 exp_epsilon = tight_over_all n k exp_epsilon0 1 0 exp_epsilon.
Proof. intros _ Hk _ _; apply Rle_antisym; apply renamed_worst; lia. Qed.

Theorem biswas2023_equation_10 (n : nat) (k : nat) (primary : nat) (exp_epsilon0 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (primary <= (k - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  worst_from n k exp_epsilon0 primary exp_epsilon = worst n k exp_epsilon0 exp_epsilon.
Proof.
  intros _ Hk Hp _ _; apply Rle_antisym.
  - apply (largest_at (fun u => worst_from n k exp_epsilon0 u exp_epsilon)), in_seq; lia.
  - apply largest_least; [apply largest_nonnegative|]; intros u Hu; apply in_seq in Hu.
    apply largest_le; intros v Hv; apply filter_In in Hv as [Hv N]; apply in_seq in Hv.
    destruct (Nat.eqb_spec v u) as [|N']; [discriminate|].
    set (w := if Nat.eq_dec primary 0 then 1%nat else 0%nat).
    assert (W : (w < k)%nat /\ w <> primary) by (unfold w; destruct Nat.eq_dec; lia).
    exists w; split; [|apply renamed_worst; lia].
    apply filter_In; split; [apply in_seq; lia | destruct (Nat.eqb_spec w primary); [lia | reflexivity]].
Qed.

(** The last form of (15), as printed, and (6) with it. *)
Definition printed_loss (k : nat) (x : R) (a b s : nat) : R :=
  kappa2 k x + (x - kappa2 k x) / INR (S b) * binomial_total a (fun r => if S r <=? s
    then INR (s - r) * bin b (s - 1 - r) * kappa1 k x ^ r else 0) / paper_sum (kappa1 k x) a (S b) 0 s.
Definition printed_delta_hat (k : nat) (x : R) (a b : nat) (E : R) : R :=
  let v := fun s => ln (printed_loss k x a b s) in
  total (map (fun s => if Rlt_dec (ln E) (v s) then (1 - exp (ln E - v s)) * paper_mass k x a b s else 0)
    (seq 0 (S (a + S b)))).

Lemma total_le_in {A} (f g : A -> R) xs : (forall a, In a xs -> f a <= g a) -> total (map f xs) <= total (map g xs).
Proof.
  induction xs as [|y xs IH]; intros H; cbn; [lra|].
  pose proof (H y ltac:(now left)); assert (total (map f xs) <= total (map g xs)) by (apply IH; intros; apply H; now right); lra.
Qed.

Theorem biswas2023_printed_decreases_in_epsilon (n : nat) (k : nat) (n_x0 : nat) (exp_epsilon0 : R)
    (exp_epsilon : R) (next_exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> 1 < exp_epsilon0 -> 1 < exp_epsilon ->
  exp_epsilon <= next_exp_epsilon ->
  printed_delta_hat k exp_epsilon0 n_x0 ((n - 1) - n_x0) next_exp_epsilon
  <= printed_delta_hat k exp_epsilon0 n_x0 ((n - 1) - n_x0) exp_epsilon.
Proof.
  intros _ Hk _ Hx HE HN; unfold printed_delta_hat; apply total_le_in; intros s Hs; apply in_seq in Hs.
  set (b := ((n - 1) - n_x0)%nat) in *; set (m := paper_mass k exp_epsilon0 n_x0 b s).
  assert (0 <= m).
  { destruct (loss_ratio k exp_epsilon0 Hk ltac:(lra) n_x0 b s) as [P [Q M]]; [lia|].
    unfold m; rewrite M; now apply Rlt_le, Rmult_lt_0_compat. }
  assert (ln exp_epsilon <= ln next_exp_epsilon) by (apply ln_le; lra).
  set (v := ln (printed_loss k exp_epsilon0 n_x0 b s)).
  assert (M : forall e, e < v -> 0 <= 1 - exp (e - v))
    by (intros e He; assert (exp (e - v) <= exp 0) by (apply exp_le; lra); rewrite exp_0 in *; lra).
  assert (exp (ln exp_epsilon - v) <= exp (ln next_exp_epsilon - v)) by (apply exp_le; lra).
  destruct (Rlt_dec (ln next_exp_epsilon) v), (Rlt_dec (ln exp_epsilon) v); try lra.
  - apply Rmult_le_compat_r; lra.
  - apply Rmult_le_pos; [now apply M | assumption].
Qed.

(** ** The estimate from the histogram *)

(** delta of what a function of the histogram shows, for a victim who holds u or v. *)
Definition estimate_apart {A} (same : forall x y : A, {x = y} + {x <> y}) (k : nat) (x : R) (u v : nat)
    (others : list nat) (estimate : counts -> A) (E : R) : R :=
  hockey_stick same (image estimate (view k (users k x (u :: others))))
    (image estimate (view k (users k x (v :: others)))) E.

Theorem biswas2023_post_processing {A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (k : nat) (n_x0 : nat)
    (others : list nat) (estimate : counts -> A) (exp_epsilon0 : R) (exp_epsilon : R) :
  (1 <= n)%nat -> (2 <= k)%nat -> (n_x0 <= (n - 1))%nat -> dataset n k n_x0 others -> 1 < exp_epsilon0 ->
  1 <= exp_epsilon ->
  estimate_apart same k exp_epsilon0 0 1 others estimate exp_epsilon
  <= histogram_apart k exp_epsilon0 0 1 others exp_epsilon.
Proof. intros; apply post_processing. Qed.

(** Row i and column j of the inverse of k-ary randomized response; an entry of a histogram times it; its mean. *)
Definition inverse (k : nat) (x : R) (i j : nat) : R :=
  ((if Nat.eq_dec i j then x + INR k - 1 else 0) - 1) / (x - 1).
Definition inverted (k : nat) (x : R) (ys : list nat) (j : nat) : R :=
  total (map (fun i => INR (count_occ Nat.eq_dec ys i) * inverse k x i j) (seq 0 k)).
Definition mean_estimate (k : nat) (x : R) (data : list nat) (j : nat) : R :=
  mean (fun ys => inverted k x ys j / INR (length data)) (messages (users k x data)).

Lemma inverted_cons k x y ys j : (y < k)%nat -> inverted k x (y :: ys) j = inverse k x y j + inverted k x ys j.
Proof.
  intros Hy; unfold inverted.
  rewrite (total_ext _ (fun i => inverse k x i j * indicator (at_ Nat.eq_dec i) y
    + INR (count_occ Nat.eq_dec ys i) * inverse k x i j)).
  - rewrite total_plus, total_at by apply seq_NoDup; destruct in_dec as [I|I]; [reflexivity|].
    exfalso; apply I, in_seq; lia.
  - intros i _; cbn [count_occ]; unfold indicator, at_; destruct (Nat.eq_dec y i), (Nat.eq_dec i y);
      subst; try contradiction; rewrite ?S_INR; ring.
Qed.

Lemma mean_inverse k x value j :
  1 < x -> (value < k)%nat -> (j < k)%nat ->
  mean (fun y => inverse k x y j) (randomized_response k x value) = if Nat.eq_dec value j then 1 else 0.
Proof.
  intros Hx Hv Hj; assert (K : 1 <= INR k) by (apply (le_INR 1); lia).
  rewrite (mean_ext _ (fun y => if Nat.eq_dec y j then (x + INR k - 1 - 1) / (x - 1) else (0 - 1) / (x - 1)))
    by (intros y; unfold inverse; now destruct (Nat.eq_dec y j)).
  rewrite response_seen by (assumption || lra); cbv zeta.
  destruct (Nat.eq_dec value j); unfold own, other; field; lra.
Qed.

Theorem biswas2023_equation_7 (n : nat) (k : nat) (exp_epsilon0 : R) (data : list nat) (value : nat) :
  (1 <= n)%nat -> (2 <= k)%nat -> 1 < exp_epsilon0 ->
  length data = n /\ Forall (fun v => (v < k)%nat) data -> (value <= (k - 1))%nat ->
  mean_estimate k exp_epsilon0 data value = INR (count_occ Nat.eq_dec data value) / INR n.
Proof.
  intros _ Hk Hx [<- F] Hv; unfold mean_estimate, Rdiv.
  rewrite (mean_ext _ (fun ys => / INR (length data) * inverted k exp_epsilon0 ys value)) by (intros; ring).
  rewrite mean_scale, Rmult_comm; f_equal; induction F as [|w data Hw F IH].
  - cbn; unfold inverted; rewrite (total_ext _ (fun _ => 0 * 0)), total_scale; [ring | intros; cbn; ring].
  - unfold users; cbn [map]; rewrite mean_messages_cons.
    rewrite (mean_below k _ _ (fun y => inverse k exp_epsilon0 y value
        + INR (count_occ Nat.eq_dec data value) * 1)); [|apply response_below|].
    + rewrite mean_plus, mean_inverse, mean_scale by (assumption || lia).
      rewrite (proj2 (response_is_law k exp_epsilon0 w Hw ltac:(lra))); cbn [count_occ].
      destruct (Nat.eq_dec w value); rewrite ?S_INR; ring.
    + intros y Hy; rewrite <- IH.
      rewrite (mean_ext _ (fun ys => inverse k exp_epsilon0 y value * 1 + inverted k exp_epsilon0 ys value))
        by (intros ys; rewrite inverted_cons by exact Hy; ring).
      rewrite mean_plus, mean_scale; fold (users k exp_epsilon0 data).
      rewrite (proj2 (messages_are_law (users k exp_epsilon0 data)
        ltac:(apply Forall_map; eapply Forall_impl; [|exact F]; intros v Hv'; apply response_is_law; [exact Hv' | lra]))); ring.
Qed.

(** ** Remark 1: adaptive differential privacy, of one member u, and differential privacy *)

(** D(x) and D(x'): the member u of n holds x or x', the others what they hold. *)
Definition member_pairs (n k u : nat) : list (list nat * list nat) :=
  flat_map (fun x => flat_map (fun x' => if Nat.eq_dec x x' then [] else
    map (fun rest => (firstn u rest ++ x :: skipn u rest, firstn u rest ++ x' :: skipn u rest))
      (sequences (n - 1) k)) (seq 0 k)) (seq 0 k).
(** Data sets that differ in exactly one place. *)
Definition differing (d e : list nat) : nat :=
  length (filter (fun p => negb (fst p =? snd p)) (combine d e)).
Definition neighbors (n k : nat) : list (list nat * list nat) :=
  filter (fun p => differing (fst p) (snd p) =? 1) (list_prod (sequences n k) (sequences n k)).

(** The least delta of ADP for all x, x' and all members, and that of DP. *)
Definition apart {A} (same : forall x y : A, {x = y} + {x <> y}) (K : list nat -> law A) (E : R)
    (p : list nat * list nat) : R := hockey_stick same (K (fst p)) (K (snd p)) E.
Definition adaptive_delta {A} (same : forall x y : A, {x = y} + {x <> y}) (n k : nat) (K : list nat -> law A) (E : R) : R :=
  largest (fun u => largest (apart same K E) (member_pairs n k u)) (seq 0 n).
Definition private_delta {A} (same : forall x y : A, {x = y} + {x <> y}) (n k : nat) (K : list nat -> law A) (E : R) : R :=
  largest (apart same K E) (neighbors n k).

Lemma in_member_pairs n k u p :
  In p (member_pairs n k u) <-> exists x x' rest, (x < k)%nat /\ (x' < k)%nat /\ x <> x' /\
    In rest (sequences (n - 1) k) /\ p = (firstn u rest ++ x :: skipn u rest, firstn u rest ++ x' :: skipn u rest).
Proof.
  unfold member_pairs; rewrite in_flat_map; split.
  - intros [x [Hx H]]; apply in_flat_map in H as [x' [Hx' H]]; apply in_seq in Hx, Hx'.
    destruct (Nat.eq_dec x x') as [|N]; [contradiction|]; apply in_map_iff in H as [rest [<- H]].
    exists x, x', rest; repeat split; (lia || assumption).
  - intros (x & x' & rest & Hx & Hx' & N & H & ->); exists x; split; [apply in_seq; lia|].
    apply in_flat_map; exists x'; split; [apply in_seq; lia|]; destruct (Nat.eq_dec x x'); [contradiction|].
    now apply in_map_iff; exists rest.
Qed.

Lemma in_neighbors n k d e :
  In (d, e) (neighbors n k) <-> In d (sequences n k) /\ In e (sequences n k) /\ differing d e = 1%nat.
Proof. unfold neighbors; rewrite filter_In, in_prod_iff, Nat.eqb_eq; cbn; tauto. Qed.

Lemma differing_same d : differing d d = 0%nat.
Proof. unfold differing; induction d as [|v d IH]; cbn; [reflexivity|]; now rewrite Nat.eqb_refl. Qed.

Lemma differing_app r d e : differing (r ++ d) (r ++ e) = differing d e.
Proof. unfold differing; induction r as [|v r IH]; cbn; [reflexivity|]; now rewrite Nat.eqb_refl. Qed.

Lemma differing_none d : forall e, length d = length e -> differing d e = 0%nat -> d = e.
Proof.
  induction d as [|x d IH]; intros [|y e] L H; try discriminate; [reflexivity|].
  unfold differing in H; cbn in H; destruct (Nat.eqb_spec x y) as [->|]; [|discriminate].
  f_equal; apply IH; [now injection L | exact H].
Qed.

Lemma one_difference d : forall e, length d = length e -> differing d e = 1%nat ->
  exists r x x' r', x <> x' /\ d = r ++ x :: r' /\ e = r ++ x' :: r'.
Proof.
  induction d as [|x d IH]; intros [|y e] L H; try discriminate.
  unfold differing in H; cbn in H; destruct (Nat.eqb_spec x y) as [->|N]; cbn in H.
  - destruct (IH e ltac:(now injection L) H) as (r & a & a' & r' & N & -> & ->).
    now exists (y :: r), a, a', r'.
  - exists [], x, y, d; repeat split; [exact N|]; cbn; f_equal; symmetry; apply differing_none;
      [now injection L | unfold differing; lia].
Qed.

Lemma member_sequences n k u x rest :
  (1 <= n)%nat -> (x < k)%nat -> In rest (sequences (n - 1) k) -> In (firstn u rest ++ x :: skipn u rest) (sequences n k).
Proof.
  intros Hn Hx H; apply in_sequences in H as [L F]; apply in_sequences.
  rewrite <- (firstn_skipn u rest) in F; apply Forall_app in F as [F1 F2]; split.
  - rewrite app_length; cbn [length]; rewrite Nat.add_succ_r, <- app_length, firstn_skipn; lia.
  - apply Forall_app; split; [exact F1 | now constructor].
Qed.

Theorem biswas2023_adp_implies_dp {A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (alphabet : nat)
    (mechanism : list nat -> law A) (exp_epsilon : R) (delta : R) :
  (1 <= n)%nat -> (2 <= alphabet)%nat -> (forall data, is_law (mechanism data)) -> 1 <= exp_epsilon -> 0 <= delta ->
  adaptive_delta same n alphabet mechanism exp_epsilon <= delta ->
  private_delta same n alphabet mechanism exp_epsilon <= delta.
Proof.
  intros Hn _ _ _ _ H; eapply Rle_trans; [|exact H]; apply largest_least; [apply largest_nonnegative|].
  intros [d e] Hp; apply in_neighbors in Hp as [Hd [He D]].
  apply in_sequences in Hd as [Ld Fd], He as [Le Fe].
  destruct (one_difference d e) as (r & x & x' & r' & N & -> & ->); [congruence | exact D |].
  apply Forall_app in Fd as [F1 F2], Fe as [_ F3]; pose proof (Forall_inv F2); pose proof (Forall_inv F3); apply Forall_inv_tail in F2.
  rewrite app_length in Ld; cbn [length] in Ld.
  eapply Rle_trans; [|apply largest_at with (a := length r)]; [|apply in_seq; lia].
  apply largest_at, in_member_pairs; exists x, x', (r ++ r'); repeat split; try assumption.
  - apply in_sequences; rewrite app_length; split; [lia | now apply Forall_app].
  - rewrite firstn_app, skipn_app, firstn_all, skipn_all, Nat.sub_diag; cbn; now rewrite app_nil_r.
Qed.

Theorem biswas2023_dp_implies_adp {A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (alphabet : nat)
    (mechanism : list nat -> law A) (exp_epsilon : R) (delta : R) :
  (1 <= n)%nat -> (2 <= alphabet)%nat -> (forall data, is_law (mechanism data)) -> 1 <= exp_epsilon -> 0 <= delta ->
  private_delta same n alphabet mechanism exp_epsilon <= delta ->
  adaptive_delta same n alphabet mechanism exp_epsilon <= delta.
Proof.
  intros Hn _ _ _ _ H; eapply Rle_trans; [|exact H]; apply largest_least; [apply largest_nonnegative|].
  intros u _; apply largest_least; [apply largest_nonnegative|]; intros p Hp.
  apply in_member_pairs in Hp as (x & x' & rest & Hx & Hx' & N & Hr & ->).
  apply largest_at, in_neighbors; repeat split; try (now apply member_sequences).
  rewrite differing_app; unfold differing; cbn; destruct (Nat.eqb_spec x x'); [contradiction|]; cbn; f_equal.
  apply differing_same.
Qed.
