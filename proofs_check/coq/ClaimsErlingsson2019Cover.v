(** * The cover C does not depend on the order of merging

    Steps 7 to 10 of Algorithm 2 of Erlingsson et al. 2019: pairs [h, i - 1], [h, i] of C with i even are replaced by
    their parent, in any order, while there is one. All orders end in the nodes of the binary digits of t. *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith.
Require Import ExactDP ClaimsErlingsson2019Tree.
Import ListNotations.
Open Scope R_scope.

Definition same_node : forall u v : nat * nat, {u = v} + {u <> v} := ltac:(repeat decide equality).
Definition among (C : list (nat * nat)) (v : nat * nat) : bool := if in_dec same_node v C then true else false.
Definition left_of (v : nat * nat) : nat * nat := (fst v, snd v - 1)%nat.
Definition mergeable (C : list (nat * nat)) : list (nat * nat) :=
  filter (fun v => Nat.even (snd v) && among C (left_of v)) C.
Definition merged (C : list (nat * nat)) (v : nat * nat) : list (nat * nat) :=
  (S (fst v), snd v / 2)%nat :: remove same_node (left_of v) (remove same_node v C).

(** What all orders of merging end in, an end as often as there are orders. *)
Fixpoint ends (most : nat) (C : list (nat * nat)) : list (list (nat * nat)) :=
  match most with
  | 0%nat => [C]
  | S n => match mergeable C with [] => [C] | vs => flat_map (fun v => ends n (merged C v)) vs end
  end.
Definition leaves (t : nat) : list (nat * nat) := map (pair 1%nat) (seq 1 t).

Definition same_nodes (C D : list (nat * nat)) : bool := forallb (among D) C && forallb (among C) D.
Definition orders (t : nat) : nat := length (ends t (leaves t)).
Definition orders_to_cover (t : nat) : nat := length (filter (same_nodes (cover t)) (ends t (leaves t))).

Lemma among_true C v : among C v = true <-> In v C.
Proof. unfold among; destruct in_dec; split; (easy || discriminate). Qed.

Lemma same_nodes_true C D : same_nodes C D = true <-> forall v, In v C <-> In v D.
Proof.
  unfold same_nodes; rewrite andb_true_iff, !forallb_forall; split.
  - intros [H H'] v; split; intros I; apply among_true; auto.
  - intros H; split; intros v I; apply among_true, H, I.
Qed.

(** ** Nodes that hold a period *)

Lemma holds_iff b i q : holds_at b i q = true <-> (i * 2 ^ b <= q < (i + 1) * 2 ^ b)%nat.
Proof. unfold holds_at; rewrite Nat.eqb_eq; apply quotient_is, two_power. Qed.

Lemma first_held b i : holds_at b i (i * 2 ^ b) = true.
Proof. apply holds_iff; pose proof (two_power b); nia. Qed.

(** A node that holds one period of a lower one holds all of them. *)
Lemma nested b i b' i' q r : (b <= b')%nat ->
  holds_at b i q = true -> holds_at b' i' q = true -> holds_at b i r = true -> holds_at b' i' r = true.
Proof.
  unfold holds_at; rewrite !Nat.eqb_eq; intros L H1 H2 H3.
  assert (E : forall p, (p / 2 ^ b' = p / 2 ^ b / 2 ^ (b' - b))%nat).
  { intros p; rewrite Nat.div_div by (apply Nat.pow_nonzero; lia); rewrite <- Nat.pow_add_r; do 2 f_equal; lia. }
  rewrite E in *; congruence.
Qed.

Definition stands (t : nat) (C : list (nat * nat)) : Prop :=
  NoDup C /\ Forall valid C /\ forall q, above C (S q) = if (q <? t)%nat then 1%nat else 0%nat.

Lemma two_above C u v p : NoDup C -> In u C -> In v C -> u <> v -> spans u p = true -> spans v p = true ->
  (2 <= above C p)%nat.
Proof.
  intros N Iu Iv D Su Sv; apply (NoDup_incl_length (l := [u; v])).
  - repeat constructor; [intros [E|[]]; now apply D | intros []].
  - intros w [<-|[<-|[]]]; apply filter_In; now split.
Qed.

Section Standing.
Variables (t : nat) (C : list (nat * nat)) (H : stands t C).

Lemma only_one b i b' i' q : In (S b, S i) C -> In (S b', S i') C ->
  holds_at b i q = true -> holds_at b' i' q = true -> b = b' /\ i = i'.
Proof.
  destruct H as (N & _ & A); intros I I' Q Q'.
  destruct (same_node (S b, S i) (S b', S i')) as [E|D]; [injection E; auto|exfalso].
  rewrite <- spans_holds in Q, Q'; pose proof (two_above C _ _ (S q) N I I' D Q Q') as T; rewrite A in T.
  destruct (q <? t)%nat; lia.
Qed.

Lemma held_below b i q : In (S b, S i) C -> holds_at b i q = true -> (q < t)%nat.
Proof.
  destruct H as (_ & _ & A); intros I Q; specialize (A q); rewrite <- spans_holds in Q.
  destruct (Nat.ltb_spec q t); [assumption|]; unfold above in A; apply length_zero_iff_nil in A.
  assert (J : In (S b, S i) (filter (fun v => spans v (S q)) C)) by (apply filter_In; now split).
  rewrite A in J; contradiction.
Qed.

Lemma some_holds q : (q < t)%nat -> exists b i, In (S b, S i) C /\ holds_at b i q = true.
Proof.
  destruct H as (_ & V & A); intros Q; specialize (A q); apply Nat.ltb_lt in Q; rewrite Q in A; unfold above in A.
  destruct (filter _ C) as [|v l] eqn:E; [discriminate|].
  assert (I : In v (filter (fun v => spans v (S q)) C)) by (rewrite E; now left).
  apply filter_In in I as [I S]; rewrite Forall_forall in V; destruct (V v I) as [V1 V2].
  destruct v as [[|b] [|i]]; cbn [fst snd] in *; try lia; exists b, i; split; [exact I | now rewrite <- spans_holds].
Qed.

Context (none : mergeable C = []).

Lemma no_pair b m : In (S b, S (2 * m)) C -> In (S b, S (2 * m + 1)) C -> False.
Proof.
  intros I J; assert (K : In (S b, S (2 * m + 1)) (mergeable C)).
  { apply filter_In; split; [exact J|]; cbn [fst snd left_of]; apply andb_true_iff; split.
    - apply Nat.even_spec; exists (m + 1)%nat; lia.
    - apply among_true; unfold left_of; cbn [fst snd]; replace (S (2 * m + 1) - 1)%nat with (S (2 * m)) by lia; exact I. }
  rewrite none in K; contradiction.
Qed.

Lemma holds_half b i q : holds_at b i q = true -> holds_at (S b) (i / 2) q = true.
Proof. unfold holds_at; rewrite !Nat.eqb_eq; intros <-; apply half_quotient. Qed.

(** What lies in [1, t] lies below a node of C that is as high or higher. *)
Lemma covered b : forall i, ((i + 1) * 2 ^ b <= t)%nat ->
  exists b' i', (b <= b')%nat /\ In (S b', S i') C /\ holds_at b' i' (i * 2 ^ b) = true.
Proof.
  induction b as [|b IH]; intros i L.
  - destruct (some_holds (i * 2 ^ 0)) as (b' & i' & I & Q); [change (2 ^ 0)%nat with 1%nat in *; lia|]; exists b', i'; split; [lia | now split].
  - assert (P : (2 ^ S b = 2 * 2 ^ b)%nat) by reflexivity.
    destruct (IH (2 * i)%nat) as (b1 & i1 & L1 & I1 & Q1); [nia|].
    destruct (IH (2 * i + 1)%nat) as (b2 & i2 & L2 & I2 & Q2); [nia|].
    assert (E : (i * 2 ^ S b = 2 * i * 2 ^ b)%nat) by nia; rewrite E.
    destruct (Nat.eq_dec b1 b) as [->|D1]; [|exists b1, i1; split; [lia | now split]].
    assert (i1 = 2 * i)%nat as ->.
    { pose proof (first_held b (2 * i)) as F; unfold holds_at in *; apply Nat.eqb_eq in F, Q1; congruence. }
    destruct (Nat.eq_dec b2 b) as [->|D2].
    + assert (i2 = 2 * i + 1)%nat as ->.
      { pose proof (first_held b (2 * i + 1)) as F; unfold holds_at in *; apply Nat.eqb_eq in F, Q2; congruence. }
      exfalso; now apply (no_pair b i).
    + exists b2, i2; split; [lia|]; split; [exact I2|].
      apply (nested (S b) i b2 i2 ((2 * i + 1) * 2 ^ b)); try (lia || assumption);
        apply holds_iff; rewrite P; pose proof (two_power b); nia.
Qed.

Lemma ended_is_digit b i : In (S b, S i) C -> (t / 2 ^ b = S i)%nat /\ Nat.odd (S i) = true.
Proof.
  intros I; pose proof (two_power b) as W.
  assert (T : ((i + 1) * 2 ^ b <= t)%nat).
  { assert (i * 2 ^ b + 2 ^ b - 1 < t)%nat by (apply (held_below b i); [exact I | apply holds_iff; nia]); nia. }
  assert (Sib : forall s, (s / 2 = i / 2)%nat -> ((s + 1) * 2 ^ b <= t)%nat -> In (S b, S s) C).
  { intros s Hs Ls; destruct (covered b s Ls) as (b' & i' & Lb & J & Q).
    destruct (Nat.eq_dec b' b) as [->|D].
    - pose proof (first_held b s) as F; unfold holds_at in *; apply Nat.eqb_eq in F, Q; rewrite F in Q; now subst i'.
    - exfalso; assert (Q' : holds_at b' i' (i * 2 ^ b) = true).
      { apply (nested (S b) (i / 2) b' i' (s * 2 ^ b)); try (lia || assumption).
        - rewrite <- Hs; apply holds_half, first_held.
        - apply holds_half, first_held. }
      destruct (only_one b i b' i' _ I J (first_held b i) Q'); lia. }
  assert (O : Nat.odd (S i) = true).
  { rewrite Nat.odd_succ; destruct (Nat.even i) eqn:E; [reflexivity|exfalso].
    assert (Od : Nat.odd i = true) by (rewrite <- Nat.negb_even, E; reflexivity); apply Nat.odd_spec in Od as [m ->].
    apply (no_pair b m); [|exact I]; apply Sib; [|nia].
    rewrite (Nat.mul_comm 2), Nat.div_mul, Nat.add_comm, Nat.div_add by lia; reflexivity. }
  split; [|exact O]; apply quotient_is; [exact W|]; split; [nia|].
  destruct (Nat.le_gt_cases ((i + 2) * 2 ^ b) t) as [G|G]; [exfalso|nia].
  rewrite Nat.odd_succ in O; apply Nat.even_spec in O as [m ->].
  apply (no_pair b m); [exact I|]; apply Sib; [|nia].
  rewrite (Nat.mul_comm 2), Nat.add_comm, Nat.div_add, Nat.div_mul by lia; reflexivity.
Qed.

Lemma in_cover b : In (S b, t / 2 ^ b)%nat (cover t) <-> Nat.odd (t / 2 ^ b) = true.
Proof.
  unfold cover; rewrite in_map_iff, <- testbit_odd; split.
  - intros (b' & E & I); injection E as -> _; now apply filter_In in I.
  - intros O; exists b; split; [reflexivity|]; apply filter_In; split; [|exact O]; apply in_seq.
    destruct (Nat.le_gt_cases b (Nat.log2 t)); [lia|]; rewrite Nat.bits_above_log2 in O by assumption; discriminate.
Qed.

Lemma cover_nodup : NoDup (cover t).
Proof.
  unfold cover; apply FinFun.Injective_map_NoDup; [intros a b E; now injection E|]; apply NoDup_filter, seq_NoDup.
Qed.

Lemma ended v : In v (cover t) <-> In v C.
Proof.
  assert (Back : forall v, In v C -> In v (cover t)).
  { intros w I; destruct H as (_ & V & _); rewrite Forall_forall in V; destruct (V w I) as [V1 V2].
    destruct w as [[|b] [|i]]; cbn [fst snd] in *; try lia.
    destruct (ended_is_digit b i I) as [E O]; rewrite <- E; apply in_cover; now rewrite E. }
  split; [|apply Back]; intros I; pose proof I as I'; unfold cover in I; apply in_map_iff in I as (b & <- & I).
  apply filter_In in I as [_ O]; rewrite testbit_odd in O; destruct (t / 2 ^ b)%nat as [|i] eqn:E; [discriminate|].
  apply quotient_is in E as [E _]; [|apply two_power].
  destruct (covered b i ltac:(nia)) as (b' & i' & _ & J & Q).
  destruct (same_node (S b, S i) (S b', S i')) as [->|D]; [exact J|exfalso].
  pose proof (first_held b i) as F; rewrite <- spans_holds in F, Q.
  pose proof (two_above (cover t) _ _ _ cover_nodup I' (Back _ J) D F Q) as T.
  pose proof (cover_partition t (S (i * 2 ^ b)) ltac:(lia)) as P; apply le_INR in T; change (INR 2) with (1 + 1) in T.
  unfold reached in P; destruct (_ <=? _)%nat; lra.
Qed.
End Standing.

(** ** Merging *)

Lemma nodup_remove u (C : list (nat * nat)) : NoDup C -> NoDup (remove same_node u C).
Proof.
  intros N; induction N as [|v C I N IH]; [constructor|]; cbn; destruct (same_node u v); [exact IH|].
  constructor; [|exact IH]; intros J; apply I; now apply in_remove in J.
Qed.

Lemma above_removed u C p : NoDup C -> In u C ->
  above C p = ((if spans u p then 1 else 0) + above (remove same_node u C) p)%nat.
Proof.
  intros N; induction N as [|v C I N IH]; intros J; [contradiction|]; cbn [remove]; unfold above in *; cbn [filter].
  destruct (same_node u v) as [<-|D].
  - rewrite notin_remove by exact I; destruct (spans u p); reflexivity.
  - destruct J as [->|J]; [contradiction|]; specialize (IH J); cbn [filter].
    destruct (spans v p); cbn [length]; rewrite IH; lia.
Qed.

Lemma merging t C v : stands t C -> In v (mergeable C) ->
  stands t (merged C v) /\ (length (merged C v) < length C)%nat.
Proof.
  intros St I; pose proof St as (N & V & A); apply filter_In in I as [I E]; apply andb_true_iff in E as [E J].
  apply among_true in J; rewrite Forall_forall in V; destruct (V v I) as [V1 V2].
  destruct v as [[|b] [|i]]; unfold merged, left_of in *; cbn [fst snd] in *; try lia.
  apply Nat.even_spec in E as [m E]; destruct m as [|m]; [lia|]; assert (i = 2 * m + 1)%nat as -> by lia; clear E.
  replace (S (2 * m + 1) - 1)%nat with (S (2 * m)) in * by lia.
  replace (S (2 * m + 1) / 2)%nat with (S m) by (replace (S (2 * m + 1)) with (S m * 2)%nat by lia; now rewrite Nat.div_mul).
  set (D := remove same_node (S b, S (2 * m + 1)) C).
  assert (ND : NoDup D) by now apply nodup_remove.
  assert (JD : In (S b, S (2 * m)) D) by (apply in_in_remove; [intros F; injection F; lia | exact J]).
  assert (Count : forall p, above C p = ((if spans (S b, S (2 * m + 1)) p then 1 else 0)
    + ((if spans (S b, S (2 * m)) p then 1 else 0) + above (remove same_node (S b, S (2 * m)) D) p))%nat).
  { intros p; rewrite (above_removed _ C p N I); fold D; now rewrite <- (above_removed _ D p ND JD). }
  split; [split; [|split]|].
  - constructor; [|now apply nodup_remove]; intros K; apply in_remove in K as [K _]; apply in_remove in K as [K _].
    pose proof (first_held b (2 * m)) as F; pose proof (holds_half b _ _ F) as G.
    rewrite (Nat.mul_comm 2 m), Nat.div_mul in G by lia; rewrite Nat.mul_comm in G.
    destruct (only_one t C St b (2 * m) (S b) m (2 * m * 2 ^ b) J K F) as [X _]; [|lia].
    replace (2 * m * 2 ^ b)%nat with (2 ^ b * (m * 2))%nat by lia; exact G.
  - constructor; [split; cbn; lia|]; apply Forall_forall; intros w K; apply in_remove in K as [K _].
    apply in_remove in K as [K _]; now apply V.
  - intros q; rewrite <- A, Count; unfold above at 1; cbn [filter]; rewrite !spans_holds; unfold holds_at.
    rewrite half_quotient; set (r := (q / 2 ^ b)%nat); pose proof (Nat.div_mod_eq r 2); pose proof (Nat.mod_upper_bound r 2).
    fold (above (remove same_node (S b, S (2 * m)) D) (S q)).
    destruct (Nat.eqb_spec (r / 2) m), (Nat.eqb_spec r (2 * m + 1)), (Nat.eqb_spec r (2 * m)); cbn [length];
      fold (above (remove same_node (S b, S (2 * m)) D) (S q)); lia.
  - cbn [length]; pose proof (remove_length_lt same_node C _ I) as L1; fold D in L1.
    pose proof (remove_length_lt same_node D _ JD); lia.
Qed.

Lemma ends_are_cover t n : forall C, (length C <= n)%nat -> stands t C ->
  ends n C <> [] /\ Forall (fun D => same_nodes (cover t) D = true) (ends n C).
Proof.
  induction n as [|n IH]; intros C L St; cbn [ends].
  - split; [discriminate|]; repeat constructor; apply same_nodes_true; intros v; apply (ended t C St).
    destruct C; [reflexivity | cbn in L; lia].
  - destruct (mergeable C) as [|v vs] eqn:E.
    + split; [discriminate|]; repeat constructor; apply same_nodes_true; intros w; now apply (ended t C St).
    + assert (G : forall w, In w (v :: vs) -> ends n (merged C w) <> []
        /\ Forall (fun D => same_nodes (cover t) D = true) (ends n (merged C w))).
      { intros w I; rewrite <- E in I; destruct (merging t C w St I) as [S' L']; apply IH; [lia | exact S']. }
      split.
      * cbn [flat_map]; intros F; apply app_eq_nil in F as [F _]; now apply (proj1 (G v (or_introl eq_refl))).
      * apply Forall_flat_map, Forall_forall; intros w I; now apply G.
Qed.

Lemma leaves_stand t : stands t (leaves t).
Proof.
  unfold leaves; split; [|split].
  - apply FinFun.Injective_map_NoDup; [intros a b E; now injection E | apply seq_NoDup].
  - apply Forall_map, Forall_forall; intros j J; apply in_seq in J; split; cbn; lia.
  - intros q; unfold above; rewrite filter_map, map_length, <- seq_shift, filter_map, map_length.
    rewrite (filter_ext _ (Nat.eqb q)).
    + assert (E : forall n s, length (filter (Nat.eqb q) (seq s n)) = if ((s <=? q) && (q <? s + n))%nat then 1%nat else 0%nat).
      { induction n as [|n IH]; intros s; cbn [seq filter].
        - destruct (Nat.leb_spec s q), (Nat.ltb_spec q (s + 0)); cbn; lia.
        - destruct (Nat.eqb_spec q s); cbn [length]; rewrite IH;
            destruct (Nat.leb_spec s q), (Nat.ltb_spec q (s + S n)), (Nat.leb_spec (S s) q), (Nat.ltb_spec q (S s + n)); cbn; lia. }
      rewrite E; cbn; reflexivity.
    + intros i; rewrite (spans_holds 0); unfold holds_at; now rewrite Nat.div_1_r.
Qed.

Theorem erlingsson2019_cover_unique (d : nat) (t : nat) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= t)%nat -> (t <= d)%nat ->
  INR (orders_to_cover t) = INR (orders t) /\ INR (orders t) >= 1.
Proof.
  intros _ _ _; assert (L : (length (leaves t) <= t)%nat) by (unfold leaves; now rewrite map_length, seq_length).
  destruct (ends_are_cover t t (leaves t) L (leaves_stand t)) as [N F]; unfold orders_to_cover, orders; split.
  - enough (E : forall Cs, Forall (fun D => same_nodes (cover t) D = true) Cs -> filter (same_nodes (cover t)) Cs = Cs)
      by (now rewrite (E _ F)).
    intros Cs G; induction G as [|C Cs HC G IH]; [reflexivity|]; cbn [filter]; now rewrite HC, IH.
  - apply Rle_ge, (le_INR 1); destruct (ends t (leaves t)); [contradiction | cbn; lia].
Qed.
