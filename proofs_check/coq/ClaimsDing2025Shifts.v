(** * Ding, Lu, Yang and Zhang (2025): Lemma 1 and what follows from it, on consecutive integers

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles ClaimsDing2025.
Import ListNotations.
Open Scope R_scope.

(** ** (25), over the positive integers *)

(** The first of n numbers from d on that serves; the one after them, if none does. *)
Fixpoint first (serves : R -> bool) (d n : nat) : R :=
  match n with
  | O => INR d
  | S n => if serves (INR d) then INR d else first serves (S d) n
  end.

Definition shift_at (P Q : law R) (n : nat) (x : R) : R :=
  if Req_EM_T (up_to P x) (up_to Q x) then 0
  else if Rlt_dec (up_to Q x) (up_to P x)
    then first (fun d => if Rle_dec (up_to P x) (up_to Q (x + d)) then true else false) 1 n
    else first (fun d => if Rle_dec (up_to Q (x - d)) (up_to P x) then true else false) 1 n.

(** sup over x of the shifts; on n consecutive points no shift is larger than n. *)
Definition largest_shift (X : list R) (P Q : law R) : R := largest (map (shift_at P Q (length X)) X).

Fixpoint consecutive (X : list R) : Prop :=
  match X with
  | x :: ((y :: _) as rest) => y = x + 1 /\ consecutive rest
  | _ => True
  end.

Lemma first_least serves d n k : (d <= k)%nat -> serves (INR k) = true -> first serves d n <= INR k.
Proof.
  revert d; induction n as [|n IH]; intros d L S; cbn [first]; [now apply le_INR|].
  destruct (serves (INR d)) eqn:E; [now apply le_INR|].
  apply IH; [|exact S]; destruct (Nat.eq_dec d k) as [->|]; [congruence | lia].
Qed.

Lemma first_natural serves d n : exists k, (d <= k <= d + n)%nat /\ first serves d n = INR k
  /\ (serves (INR k) = true \/ k = (d + n)%nat).
Proof.
  revert d; induction n as [|n IH]; intros d; cbn [first]; [exists d; repeat split; auto; lia|].
  destruct (serves (INR d)) eqn:E; [exists d; repeat split; auto; lia|].
  destruct (IH (S d)) as [k [K [F S]]]; exists k; repeat split; try lia; [exact F|]; destruct S; [auto | right; lia].
Qed.

Lemma consecutive_places X x : consecutive X -> In x X -> exists k, (k < length X)%nat /\ x = hd 0 X + INR k.
Proof.
  revert x; induction X as [|y X IH]; intros x C I; [easy|]; destruct I as [->|I]; [exists 0%nat; cbn; split; [lia | ring]|].
  destruct X as [|z X]; [easy|]; destruct C as [E C]; destruct (IH x C I) as [k [K ->]].
  exists (S k); split; [cbn in *; lia|]; rewrite S_INR; cbn [hd]; lra.
Qed.

Lemma consecutive_all X k : consecutive X -> (k < length X)%nat -> In (hd 0 X + INR k) X.
Proof.
  revert k; induction X as [|y X IH]; intros k C K; [cbn in K; lia|]; destruct k as [|k]; [left; cbn; ring|].
  destruct X as [|z X]; [cbn in K; lia|]; destruct C as [E C]; right.
  replace (hd 0 (y :: z :: X) + INR (S k)) with (hd 0 (z :: X) + INR k) by (rewrite S_INR; cbn [hd]; lra).
  apply IH; [exact C | cbn in *; lia].
Qed.

Section Consecutive.
Variables (X : list R) (P Q : law R).
Hypotheses (C : consecutive X) (OP : on X P) (OQ : on X Q).
Let a := hd 0 X.
Let n := length X.

(** A point k steps from the first of X, k an integer; distribution functions have their steps there. *)
Lemma beyond_last L t : on X L -> a + INR n - 1 <= t -> up_to L t = 1.
Proof.
  intros [HL I] T; apply up_to_all; [exact HL|]; intros x J; apply in_points, I in J.
  destruct (consecutive_places X x C J) as [k [K ->]]; fold a; fold n in K.
  assert (INR k + 1 <= INR n); [|lra]; rewrite <- S_INR; apply le_INR; lia.
Qed.

Lemma below_first L t : on X L -> t < a -> up_to L t = 0.
Proof.
  intros [_ I] T; apply up_to_none; intros x J; apply in_points, I in J.
  destruct (consecutive_places X x C J) as [k [K ->]]; fold a; pose proof (pos_INR k); lra.
Qed.

Lemma on_place L t : on X L -> up_to L t = 0 \/ exists k, (k < n)%nat /\ a + INR k <= t /\ up_to L t = up_to L (a + INR k).
Proof.
  intros OL; destruct (some_below_or_not t X) as [B|B].
  - destruct (nearest_below t X B) as [x [I [L1 M]]]; destruct (consecutive_places X x C I) as [k [K ->]]; fold a in L1, M |- *; fold n in K.
    right; exists k; split; [exact K|]; split; [exact L1|]; apply up_to_same; [exact L1|].
    intros y J Y; apply M; [|exact Y]; now apply (proj2 OL), in_points.
  - left; apply up_to_none; intros x J; apply B; now apply (proj2 OL), in_points.
Qed.

Lemma shift_natural x : exists k, shift_at P Q n x = INR k.
Proof.
  unfold shift_at; destruct Req_EM_T; [now exists 0%nat|].
  destruct Rlt_dec; edestruct first_natural as [k [_ [-> _]]]; now exists k.
Qed.

Lemma largest_natural (f : R -> R) xs : (forall x, In x xs -> exists k, f x = INR k) -> exists k, largest (map f xs) = INR k.
Proof.
  induction xs as [|x xs IH]; intros H; [now exists 0%nat|]; cbn [map largest fold_right]; fold (largest (map f xs)).
  destruct IH as [k ->]; [intros y I; apply H; now right|]; destruct (H x (or_introl eq_refl)) as [j ->].
  unfold Rmax; destruct Rle_dec; eauto.
Qed.

Lemma largest_serves t : up_to P t <= up_to Q (t + largest_shift X P Q) /\ up_to Q t <= up_to P (t + largest_shift X P Q).
Proof.
  assert (N : exists m, largest_shift X P Q = INR m) by exact (largest_natural (shift_at P Q n) X (fun x _ => shift_natural x)).
  destruct N as [m M]; rewrite M.
  assert (U : forall k, (k < n)%nat -> shift_at P Q n (a + INR k) <= INR m).
  { intros k K; rewrite <- M; exact (largest_map_ge (shift_at P Q n) _ X (consecutive_all X k C K)). }
  pose proof (pos_INR m) as M0; assert (LP := proj1 OP); assert (LQ := proj1 OQ); split.
  - destruct (on_place P t OP) as [->|[k [K [T ->]]]]; [apply up_to_between, LQ|]; specialize (U k K); set (x := a + INR k) in *.
    destruct (Rle_dec (up_to P x) (up_to Q x)) as [L|L].
    + eapply Rle_trans; [exact L|]; apply up_to_le; [apply LQ | lra].
    + unfold shift_at in U; destruct Req_EM_T; [lra|]; destruct Rlt_dec; [|lra].
      edestruct first_natural as [d [D [F S]]]; rewrite F in U.
      destruct S as [S|S]; [destruct Rle_dec as [V|]; [|easy]; eapply Rle_trans; [exact V|]; apply up_to_le; [apply LQ | lra]|].
      rewrite (beyond_last Q) by (try exact OQ; subst d; rewrite plus_INR in U; cbn in U; pose proof (pos_INR k); unfold x in *; lra).
      apply up_to_between, LP.
  - destruct (on_place Q t OQ) as [->|[k [K [T ->]]]]; [apply up_to_between, LP|].
    apply Rle_trans with (up_to P (a + INR k + INR m)); [|apply up_to_le; [apply LP | lra]].
    destruct (Nat.lt_ge_cases (k + m) n) as [I|I].
    + specialize (U (k + m)%nat I); rewrite plus_INR, <- Rplus_assoc in U; set (x := a + INR k) in *.
      apply Rnot_lt_le; intros N; pose proof (up_to_le Q x (x + INR m) (proj1 LQ) ltac:(lra)).
      unfold shift_at in U; destruct Req_EM_T; [lra|]; destruct Rlt_dec; [lra|].
      edestruct first_natural as [d [D [F S]]]; rewrite F in U; apply INR_le in U.
      destruct S as [S|S]; [|lia]; destruct Rle_dec as [V|]; [|easy]; apply le_INR in U.
      pose proof (up_to_le Q x (x + INR m - INR d) (proj1 LQ) ltac:(lra)); lra.
    + rewrite (beyond_last P) by (try exact OP; apply le_INR in I; rewrite plus_INR in I; lra); apply up_to_between, LQ.
Qed.

Lemma farthest_natural : exists k, farthest P Q = INR k.
Proof.
  unfold farthest, reach; assert (H : forall e, In e (plan_law P Q) -> exists k, moved e = INR k).
  { intros e I; unfold moved; destruct Rlt_dec; [|now exists 0%nat].
    apply in_flat_map in I as [x [Ix I]]; apply in_map_iff in I as [z [<- Iz]]; cbn [fst snd].
    apply in_points, (proj2 OP) in Ix; apply in_points, (proj2 OQ) in Iz.
    destruct (consecutive_places X x C Ix) as [j [_ ->]], (consecutive_places X z C Iz) as [k [_ ->]].
    destruct (Nat.le_ge_cases j k) as [L|L]; [exists (k - j)%nat | exists (j - k)%nat]; rewrite minus_INR by exact L;
      apply le_INR in L; unfold Rabs; destruct Rcase_abs; lra. }
  induction (plan_law P Q) as [|e l IH]; [now exists 0%nat|]; cbn [map largest fold_right]; fold (largest (map moved l)).
  destruct IH as [k ->]; [intros b I; apply H; now right|]; destruct (H e (or_introl eq_refl)) as [j ->].
  unfold Rmax; destruct Rle_dec; eauto.
Qed.

Lemma shift_is_farthest : largest_shift X P Q = farthest P Q.
Proof.
  assert (LP := proj1 OP); assert (LQ := proj1 OQ); apply Rle_antisym.
  - apply largest_map_le; [apply reach_nonnegative|]; intros x _; destruct farthest_natural as [k K]; rewrite K.
    unfold shift_at; destruct Req_EM_T; [apply pos_INR|]; destruct Rlt_dec.
    + pose proof (plan_steps P Q x LP LQ) as S; rewrite K in S; apply first_least.
      * destruct k; [|lia]; exfalso; cbn in S; rewrite Rplus_0_r in S; lra.
      * now destruct Rle_dec.
    + pose proof (plan_steps Q P (x - INR k) LQ LP) as S; rewrite (farthest_reversed Q P LQ LP), K in S.
      replace (x - INR k + INR k) with x in S by ring; apply first_least.
      * destruct k; [|lia]; exfalso; cbn in S; rewrite Rminus_0_r in S; lra.
      * now destruct Rle_dec.
  - apply steps_bound_reach; try assumption; [apply largest_nonnegative | |]; intros t; apply largest_serves.
Qed.
End Consecutive.

Theorem ding2025_lemma_1 (X : list R) (P : law R) (Q : law R) : consecutive X -> on X P -> on X Q ->
    largest_shift X P Q = farthest P Q.
Proof. intros; now apply shift_is_farthest. Qed.

Definition largest_shift_of_pairs (X : list R) (S : list (law R * law R)) : R :=
  largest (map (fun two => largest_shift X (fst two) (snd two)) S).

Lemma shifts_are_farthest X S : consecutive X -> Forall (fun two => on X (fst two) /\ on X (snd two)) S ->
  largest_shift_of_pairs X S = farthest_of_pairs S.
Proof.
  intros C H; unfold largest_shift_of_pairs, farthest_of_pairs; f_equal; apply map_ext_in; intros two I.
  rewrite Forall_forall in H; destruct (H two I); now apply shift_is_farthest.
Qed.

Theorem ding2025_proposition_2 (X : list R) (S : list (law R * law R)) (growth : R) : consecutive X ->
    Forall (fun two => on X (fst two) /\ on X (snd two)) S -> 1 < growth -> worst_of_pairs growth S <=
    Rpower growth (largest_shift_of_pairs X S).
Proof.
  intros C H G; rewrite (shifts_are_farthest X S C H); apply ding2025_proposition_1; [now apply pairs_on with X | exact G].
Qed.

Theorem ding2025_theorem_4 (others : list (law R)) (D : list R) (S : list (law R * law R)) (growth : R) :
    Forall is_law others -> consecutive D -> Forall (fun two => on D (fst two) /\ on D (snd two)) S -> 1 <
    growth -> worst_of_pairs growth (beside others S) <= Rpower growth (largest_shift_of_pairs D S).
Proof.
  intros LO C H G; rewrite (shifts_are_farthest D S C H), <- (shifts_are_distances D S H).
  now apply ding2025_repair_theorem_4.
Qed.
