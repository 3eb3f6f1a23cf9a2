(** * Ding, Lu, Yang and Zhang (2025): the end of the proof of Lemma 5

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles ClaimsDing2025 ClaimsDing2025Bernoulli ClaimsDing2025Shifts ClaimsDing2025Figures.
Import ListNotations.
Open Scope R_scope.

(** (p_i, q_i) of each user, of whom the others of user i follow P_j; the reports of the others add up to 0, ..., n - 1. *)
Definition chances (u : R * R) : Prop := 0 <= fst u <= 1 /\ 0 <= snd u <= 1.
Definition differ_for (u : R * R) : bool := if Req_EM_T (fst u) (snd u) then false else true.
Definition others_follow (users : list (R * R)) (i : nat) : law R :=
  sum_of (map (fun u => bernoulli (fst u)) (firstn i users ++ skipn (S i) users)).
Definition numbers_to (n : nat) : list R := map INR (seq 0 (S n)).
Definition largest_of_users (users : list (R * R)) (f : nat -> R * R -> R) : R :=
  largest (map (fun i => f i (nth i users (0, 0))) (seq 0 (length users))).
(** sup of (25), and of (17). *)
Definition shift_of_x (users : list (R * R)) : R := largest_of_users users (fun i u =>
  largest_shift (numbers_to (length users)) (plus (bernoulli (fst u)) (others_follow users i))
    (plus (bernoulli (snd u)) (others_follow users i))).
Definition shift_of_reports (users : list (R * R)) : R := largest_of_users users (fun _ u =>
  largest_shift (numbers_to 1) (bernoulli (fst u)) (bernoulli (snd u))).

Lemma numbers_consecutive n : consecutive (numbers_to n).
Proof.
  unfold numbers_to; generalize 0%nat; induction n as [|n IH]; intros a; [exact I|]; cbn [seq map consecutive].
  split; [apply S_INR | apply (IH (S a))].
Qed.

Lemma bits p : 0 <= p <= 1 -> on [0; 1] (bernoulli p).
Proof. intros H; split; [now apply bernoulli_is_law | intros x Hx; exact Hx]. Qed.

Lemma sum_on others n : Forall (on [0; 1]) others -> (length others <= n)%nat -> on (numbers_to n) (sum_of others).
Proof.
  intros H L; split; [now apply sum_is_law, binary_laws|]; intros x Hx; destruct (binary_sum others x H Hx) as [k [K ->]].
  apply in_map, in_seq; lia.
Qed.

Lemma same_bits p q G : 0 <= p <= 1 -> 0 <= q <= 1 -> is_law G -> worst_ratio 2 (plus (bernoulli p) G) (plus (bernoulli q) G) <= 1 -> p = q.
Proof.
  intros HP HQ LG W; destruct (far_ratio 2 _ _ _ 1 ltac:(lra) (bernoulli_is_law p HP) (bernoulli_is_law q HQ) LG W) as [A B].
  rewrite !right_bernoulli in A by lra; rewrite !left_bernoulli in B by lra; lra.
Qed.

Lemma bits_apart p q : farthest (bernoulli p) (bernoulli q) <= 1.
Proof.
  apply farthest_le; [lra|]; intros x z Hx Hz _.
  destruct Hx as [<-|[<-|[]]], Hz as [<-|[<-|[]]]; cbn [fst]; unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** Delta* is a natural number, and 0 for laws that are one only. *)
Lemma shift_is_1 n P Q : on (numbers_to n) P -> on (numbers_to n) Q -> farthest P Q <= 1 -> ~ worst_ratio 2 P Q <= 1 ->
  1 <= largest_shift (numbers_to n) P Q.
Proof.
  intros OP OQ F N; pose proof (numbers_consecutive n) as C; rewrite shift_is_farthest by assumption.
  destruct (farthest_natural (numbers_to n) _ _ C OP OQ) as [k K]; rewrite K; destruct k as [|k]; [|apply (le_INR 1); lia].
  exfalso; apply N; eapply Rle_trans; [apply plan_ratio; [lra | apply OP | apply OQ]|]; rewrite K; cbn [INR]; rewrite Rpower_O; lra.
Qed.

Lemma others_on users i : Forall chances users -> (i < length users)%nat ->
  Forall (on [0; 1]) (map (fun u => bernoulli (fst u)) (firstn i users ++ skipn (S i) users))
  /\ S (length (map (fun u => bernoulli (fst u)) (firstn i users ++ skipn (S i) users))) = length users.
Proof.
  intros H L; split.
  - apply Forall_map, Forall_forall; intros u Hu; apply bits; rewrite Forall_forall in H; apply (H u).
    apply in_app_or in Hu as [Hu|Hu]; [rewrite <- (firstn_skipn i users) | rewrite <- (firstn_skipn (S i) users)]; apply in_or_app; auto.
  - rewrite map_length, app_length, firstn_length, skipn_length; lia.
Qed.

Lemma largest_is_1 users f : Forall chances users -> (exists u, In u users /\ fst u <> snd u) ->
  (forall i u, (i < length users)%nat -> chances u -> f i u <= 1 /\ (fst u <> snd u -> 1 <= f i u)) -> largest_of_users users f = 1.
Proof.
  intros H [u [Hu N]] F; rewrite Forall_forall in H; apply Rle_antisym.
  - apply largest_map_le; [lra|]; intros i Hi; apply in_seq in Hi; apply F; [lia|]; apply H, nth_In; lia.
  - apply (In_nth _ _ (0, 0)) in Hu as [i [Hi <-]]; eapply Rle_trans; [|apply (largest_map_ge _ i)]; [|apply in_seq; lia].
    cbv beta; apply (F i); [exact Hi | apply H, nth_In, Hi | exact N].
Qed.

Theorem ding2025_sup_one (users : list (R * R)) : Forall chances users /\ existsb differ_for users = true ->
    shift_of_x users = 1 /\ shift_of_reports users = 1.
Proof.
  intros [H D]; assert (E : exists u, In u users /\ fst u <> snd u).
  { apply existsb_exists in D as [u [I D]]; exists u; split; [exact I|]; unfold differ_for in D; now destruct Req_EM_T. }
  split; apply largest_is_1; try assumption; intros i u Hi [HP HQ]; cbv beta.
  - destruct (others_on users i H Hi) as [HO L]; unfold others_follow; set (others := map _ _) in *.
    pose proof (bernoulli_is_law _ HP) as LP; pose proof (bernoulli_is_law _ HQ) as LQ; pose proof (sum_is_law _ (binary_laws _ HO)) as LG.
    pose proof (sum_on (bernoulli (fst u) :: others) (length users) (Forall_cons _ (bits _ HP) HO) (Nat.eq_le_incl _ _ L)) as OP.
    pose proof (sum_on (bernoulli (snd u) :: others) (length users) (Forall_cons _ (bits _ HQ) HO) (Nat.eq_le_incl _ _ L)) as OQ.
    cbn [sum_of fold_right] in OP, OQ; fold (sum_of others) in OP, OQ.
    assert (F : farthest (plus (bernoulli (fst u)) (sum_of others)) (plus (bernoulli (snd u)) (sum_of others)) <= 1)
      by (eapply Rle_trans; [now apply farthest_beside | apply bits_apart]).
    split; [rewrite shift_is_farthest by (assumption || apply numbers_consecutive); exact F|].
    intros N; apply shift_is_1; try assumption; intros W; now apply N, (same_bits _ _ (sum_of others)).
  - assert (OP : on (numbers_to 1) (bernoulli (fst u))) by (now apply bits); assert (OQ : on (numbers_to 1) (bernoulli (snd u))) by (now apply bits).
    split; [rewrite shift_is_farthest by (assumption || apply numbers_consecutive); apply bits_apart|].
    intros N; apply shift_is_1; try assumption; [apply bits_apart|]; intros W; apply N, (same_bits _ _ (certain 0) HP HQ (certain_is_law 0)).
    eapply Rle_trans; [apply beside_others; (lra || apply certain_is_law || apply OP || apply OQ) | exact W].
Qed.
