(** * What a client's reports say of a node of the tree, on average

    Each theorem is a claim of the catalog of Erlingsson et al. 2019, its statement exported from the claim's own form;
    y = e^(eps/2). At the end of a node of the level h_star the client reports the kappa_star-th change, if it lies
    below the node, and it is right with probability y / (1 + y). *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith.
Require Import ExactDP Swapping Longitudinal ClaimsErlingsson2019Tree.
Import ListNotations.
Open Scope R_scope.

(** What a report adds at level h for the j-th interval of 2^(h - 1) periods, and all of a client's. *)
Definition reported (h j : nat) (r : report) : R :=
  match r with
  | Some (level, t, u) => if (level =? h)%nat && (t =? j * 2 ^ (h - 1))%nat then IZR u else 0
  | None => 0
  end.
Definition contribution (h j : nat) (out : list report) : R := total (map (reported h j) out).
Definition mean_at_node (d k : nat) (y : R) (x : list Z) (h j : nat) : R := mean (contribution h j) (client d k y x).

(** The vector that keeps the kappa-th change alone. *)
Fixpoint only_change (kappa : nat) (x : list Z) : list Z :=
  match x with
  | [] => []
  | c :: x =>
    if Z.eqb c 0 then 0%Z :: only_change kappa x
    else (if (kappa =? 1)%nat then c else 0%Z) :: only_change (kappa - 1) x
  end.

(** The changes below a node, of which the first is that of period t. *)
Fixpoint below_from (v : nat * nat) (t : nat) (x : list Z) : R :=
  match x with [] => 0 | c :: x => (if spans v t then IZR c else 0) + below_from v (S t) x end.

Lemma node_change_from v x : node_change x v = below_from v 1 x.
Proof.
  unfold node_change; rewrite total_filtered.
  enough (E : forall t (f : nat -> R), (forall i, f (t + i)%nat = IZR (nth i x 0%Z)) ->
    total (map (fun p => (if spans v p then 1 else 0) * f p) (seq t (length x))) = below_from v t x)
    by (apply E; intros i; unfold change_at; do 3 f_equal; lia).
  induction x as [|c x IH]; intros t f H; [reflexivity|]; cbn [length seq map total below_from]; rewrite (IH (S t)).
  - specialize (H 0%nat); rewrite Nat.add_0_r in H; cbn in H; rewrite H; destruct (spans v t); ring.
  - intros i; specialize (H (S i)); rewrite Nat.add_succ_r in H; exact H.
Qed.

Lemma only_change_none x : forall v t, below_from v t (only_change 0 x) = 0.
Proof.
  induction x as [|c x IH]; intros v t; [reflexivity|]; cbn [only_change Nat.eqb Nat.sub].
  destruct (Z.eqb c 0); cbn [below_from]; rewrite IH; destruct (spans v t); lra.
Qed.

Lemma below_from_past h j x : forall t, (j * 2 ^ (h - 1) < t)%nat -> below_from (h, j) t x = 0.
Proof.
  induction x as [|c x IH]; intros t H; [reflexivity|]; cbn [below_from]; rewrite IH by lia; unfold spans; cbn [fst snd].
  destruct (Nat.leb_spec t (j * 2 ^ (h - 1))); [lia|]; rewrite andb_false_r; ring.
Qed.

Section Client.
Variables (y : R) (kappa_star h j : nat).
Hypotheses (Hy : 1 < y) (Hk : (1 <= kappa_star)%nat) (Hj : (1 <= j)%nat).
Let w := (2 ^ (h - 1))%nat.
Let W : (0 < w)%nat. Proof. apply two_power. Qed.

Lemma contribution_cons r out : contribution h j (r :: out) = reported h j r + contribution h j out.
Proof. reflexivity. Qed.

(** At other levels, and after the end of the node, nothing is added. *)
Lemma nothing_added h_star changes : forall kappa c t, (h_star <> h \/ (j * w < t)%nat) ->
  mean (contribution h j) (updates y kappa_star h_star kappa c t changes) = 0.
Proof.
  induction changes as [|x changes IH]; intros kappa c t H; [cbn; ring|]; cbn [updates].
  assert (N : forall u, reported h j (Some (h_star, t, u)) = 0).
  { intros u; unfold reported; fold w; destruct (Nat.eqb_spec h_star h), (Nat.eqb_spec t (j * w)); cbn [andb]; try reflexivity; lia. }
  assert (H' : h_star <> h \/ (j * w < S t)%nat) by (destruct H; [now left | right; lia]).
  destruct (_ =? 0)%nat.
  - rewrite mean_bind, (mean_ext _ (fun _ => 0 * 1)); [rewrite mean_scale; ring|].
    intros u; rewrite mean_image, (mean_ext _ (contribution h j)) by (intros; rewrite contribution_cons, N; ring).
    rewrite IH by exact H'; ring.
  - rewrite mean_image, (mean_ext _ (contribution h j)) by (intros; rewrite contribution_cons; cbn; ring); now apply IH.
Qed.

(** The change that waits when the node ends. *)
Fixpoint waiting (kappa : nat) (c : Z) (t : nat) (changes : list Z) : Z :=
  match changes with
  | [] => 0%Z
  | x :: changes =>
    let kappa := if Z.eqb x 0 then kappa else S kappa in
    let c := if negb (Z.eqb x 0) && (kappa =? kappa_star)%nat then x else c in
    if (t mod w =? 0)%nat then (if (t =? j * w)%nat then c else waiting kappa 0 (S t) changes)
    else waiting kappa c (S t) changes
  end.

Lemma updates_laws changes kappa c t : is_law (updates y kappa_star h kappa c t changes).
Proof. apply updates_law; lra. Qed.

Lemma reports_waiting changes : Forall change changes -> forall kappa c t, change c ->
  mean (contribution h j) (updates y kappa_star h kappa c t changes) = (y - 1) / (y + 1) * IZR (waiting kappa c t changes).
Proof.
  intros V; induction V as [|x changes Vx V IH]; intros kappa c t Hc; [cbn; ring|]; cbn [updates waiting]; fold w.
  set (kappa' := if Z.eqb x 0 then kappa else S kappa).
  set (c' := if negb (Z.eqb x 0) && (kappa' =? kappa_star)%nat then x else c).
  assert (Hc' : change c') by (unfold c'; destruct (negb _ && _); assumption).
  assert (Z0 : change 0) by (right; now left).
  destruct (t mod w =? 0)%nat.
  - rewrite mean_bind; destruct (Nat.eqb_spec t (j * w)) as [E|E].
    + rewrite (mean_ext _ (fun u => IZR u)).
      * clearbody c'; destruct (Z.eqb_spec c' 0) as [->|N]; [cbn; field; lra|].
        rewrite mean_image, sign_mean; rewrite !mult_IZR; cbn; field; lra.
      * intros u; rewrite mean_image, (mean_ext _ (fun out => contribution h j out + IZR u * 1)).
        -- rewrite mean_plus, mean_scale, nothing_added by (right; lia); rewrite (proj2 (updates_laws _ _ _ _)); ring.
        -- intros out; rewrite contribution_cons; unfold reported; fold w; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec t (j * w)); [cbn; ring | contradiction].
    + rewrite (mean_ext _ (fun u => ((y - 1) / (y + 1) * IZR (waiting kappa' 0 (S t) changes)) * 1)).
      * rewrite mean_scale; destruct (Z.eqb c' 0); [cbn; field | rewrite mean_image; cbn; field; lra].
        lra.
      * intros u; rewrite mean_image, (mean_ext _ (contribution h j)), IH by assumption || (intros out; rewrite contribution_cons;
          unfold reported; fold w; destruct (Nat.eqb_spec t (j * w)); [contradiction | rewrite andb_false_r; ring]); ring.
  - rewrite mean_image, (mean_ext _ (contribution h j)) by (intros; rewrite contribution_cons; cbn; ring); now apply IH.
Qed.

(** It is the sum of the kept changes below the node. *)
Lemma waiting_below changes : forall kappa c t, (c = 0%Z \/ (kappa_star <= kappa)%nat) ->
  (1 <= t)%nat -> (t <= j * w)%nat -> (j * w < t + length changes)%nat ->
  IZR (waiting kappa c t changes)
  = (if ((j - 1) * w <? t)%nat then IZR c else 0) + below_from (h, j) t (only_change (kappa_star - kappa) changes).
Proof.
  induction changes as [|x changes IH]; intros kappa c t Hc H1 Ht L; [cbn in L; lia|]; cbn [waiting length] in *.
  set (kappa' := if Z.eqb x 0 then kappa else S kappa).
  set (c' := if negb (Z.eqb x 0) && (kappa' =? kappa_star)%nat then x else c).
  assert (Hc' : c' = 0%Z \/ (kappa_star <= kappa')%nat).
  { unfold c', kappa'; destruct (Z.eqb_spec x 0) as [->|]; cbn [negb andb]; [exact Hc|].
    destruct (Nat.eqb_spec (S kappa) kappa_star); [right; lia | destruct Hc; [now left | right; lia]]. }
  (* This period's change is kept if it is the one. *)
  assert (S1 : forall b : bool, (if b then IZR c else 0) + below_from (h, j) t (only_change (kappa_star - kappa) (x :: changes))
    = (if b then IZR c else 0) + (if spans (h, j) t then IZR c' - IZR c else 0) + below_from (h, j) (S t) (only_change (kappa_star - kappa') changes)).
  { intros b; cbn [only_change]; unfold c', kappa'; destruct (Z.eqb_spec x 0) as [->|N]; cbn [negb andb below_from].
    - destruct (spans (h, j) t); ring.
    - replace (kappa_star - kappa - 1)%nat with (kappa_star - S kappa)%nat by lia.
      destruct (Nat.eqb_spec (S kappa) kappa_star), (Nat.eqb_spec (kappa_star - kappa) 1); try lia.
      + destruct Hc as [->|]; [|lia]; destruct (spans (h, j) t); ring.
      + destruct (spans (h, j) t); ring. }
  rewrite S1; clear S1.
  assert (Sp : spans (h, j) t = ((j - 1) * w <? t)%nat).
  { unfold spans; cbn [fst snd]; fold w; destruct (Nat.leb_spec t (j * w)); [apply andb_true_r | lia]. }
  rewrite Sp; pose proof (Nat.div_mod_eq t w) as D; pose proof (Nat.mod_upper_bound t w) as M.
  destruct (Nat.eqb_spec (t mod w) 0) as [Z|Z].
  - assert (Q : (t = w * (t / w))%nat) by lia; set (q := (t / w)%nat) in *; clearbody q.
    destruct (Nat.eqb_spec t (j * w)) as [E|E].
    + rewrite below_from_past by (fold w; lia); destruct (Nat.ltb_spec ((j - 1) * w) t); [ring | nia].
    + assert (q < j)%nat by nia; rewrite IH by (now left || nia).
      destruct (Nat.ltb_spec ((j - 1) * w) t); [nia|]; destruct (_ <? S t)%nat; ring.
  - assert (t <> j * w)%nat by (intros ->; rewrite Nat.mod_mul in Z; lia).
    assert ((j - 1) * w <> t)%nat by (intros <-; rewrite Nat.mod_mul in Z; lia).
    rewrite IH by (assumption || lia).
    destruct (Nat.ltb_spec ((j - 1) * w) t), (Nat.ltb_spec ((j - 1) * w) (S t)); try lia; ring.
Qed.
End Client.

(** All changes together. *)
Lemma all_changes v x k : (length (filter (fun c => negb (Z.eqb c 0)) x) <= k)%nat -> forall t,
  total (map (fun kappa => below_from v t (only_change (S kappa) x)) (seq 0 k)) = below_from v t x.
Proof.
  revert k; induction x as [|c x IH]; intros k H t; [cbn; rewrite total_constant; ring|]; cbn [filter] in H.
  destruct (Z.eqb_spec c 0) as [->|N]; cbn [negb] in H; cbn [below_from].
  - rewrite (total_ext _ (fun kappa => below_from v (S t) (only_change (S kappa) x)))
      by (intros; cbn [only_change Z.eqb below_from]; destruct (spans v t); ring).
    rewrite IH by exact H; destruct (spans v t); ring.
  - cbn [length] in H; destruct k as [|k]; [lia|]; cbn [seq map total].
    rewrite <- seq_shift, map_map, <- (IH k ltac:(lia) (S t)).
    rewrite (total_ext (fun kappa => below_from v t (only_change (S (S kappa)) (c :: x)))
      (fun kappa => below_from v (S t) (only_change (S kappa) x))).
    + cbn [only_change]; destruct (Z.eqb_spec c 0); [contradiction|]; cbn [Nat.eqb Nat.sub below_from]; rewrite only_change_none; ring.
    + intros kappa _; cbn [only_change]; destruct (Z.eqb_spec c 0); [contradiction|]; cbn [Nat.eqb Nat.sub below_from].
      destruct (spans v t); ring.
Qed.

Lemma uniform_mean n f : mean f (uniform n) = / INR n * total (map f (seq 0 n)).
Proof. unfold uniform; now rewrite mean_listed, total_scale. Qed.

(** A node of the tree over d periods. *)
Definition node_of (d h j : nat) : Prop := (1 <= j)%nat /\ (j * 2 ^ (h - 1) <= d)%nat.

Lemma node_mean d k x h j y : (1 <= k)%nat -> input d k x -> (1 <= h <= Nat.log2 d + 1)%nat -> node_of d h j -> 1 < y ->
  (y + 1) / (y - 1) * INR k * (INR (Nat.log2 d) + 1) * mean_at_node d k y x h j = node_change x (h, j).
Proof.
  intros Hk (L & V & C) [H1 H2] [J1 J2] Hy; assert (K : 0 < INR k) by (apply lt_0_INR; lia).
  assert (M : forall kappa, mean (contribution h j) (bind (uniform (Nat.log2 d + 1)) (fun g => updates y (S kappa) (S g) 0 0 1 x))
    = (y - 1) / (y + 1) / (INR (Nat.log2 d) + 1) * below_from (h, j) 1 (only_change (S kappa) x)).
  { intros kappa; rewrite mean_bind, uniform_mean, plus_INR; change (INR 1) with 1.
    rewrite (total_ext _ (fun g => (y - 1) / (y + 1) * below_from (h, j) 1 (only_change (S kappa) x) * indicator (at_ Nat.eq_dec g) (h - 1)%nat)).
    - rewrite (total_at Nat.eq_dec (fun _ => (y - 1) / (y + 1) * below_from (h, j) 1 (only_change (S kappa) x))) by apply seq_NoDup;
      destruct in_dec as [_|I]; [|exfalso; apply I, in_seq; lia].
      pose proof (pos_INR (Nat.log2 d)); field; lra.
    - intros g _; unfold indicator, at_; destruct (Nat.eq_dec g (h - 1)) as [->|N].
      + replace (S (h - 1)) with h by lia; rewrite (reports_waiting y (S kappa) h j) by (assumption || lia || (right; now left)).
        rewrite waiting_below by ((now left) || lia || (pose proof (two_power (h - 1)); nia)).
        rewrite Nat.sub_0_r; destruct (_ <? 1)%nat; ring.
      + rewrite nothing_added by (assumption || lia || (left; lia)); ring. }
  unfold mean_at_node, client; rewrite mean_bind, (mean_ext _ _ _ M), mean_scale, uniform_mean.
  rewrite all_changes by exact C; rewrite node_change_from.
  pose proof (pos_INR (Nat.log2 d)); field; lra.
Qed.

Theorem erlingsson2019_node_mean (d : nat) (k : nat) (x : list Z) (h : nat) (j : nat) (exp_half_epsilon : R) :
  (exists L, (1 <= L)%nat /\ d = (2 ^ L)%nat) -> (1 <= k)%nat -> input d k x ->
  (1 <= h)%nat /\ (h <= Nat.log2 d + 1)%nat -> node_of d h j -> 1 < exp_half_epsilon ->
  ((((exp_half_epsilon + 1) / (exp_half_epsilon - 1)) * (INR k)) * ((INR (Nat.log2 d)) + 1))
    * (mean_at_node d k exp_half_epsilon x h j) = node_change x (h, j).
Proof. intros _ Hk I H J Hy; now apply node_mean. Qed.

Lemma below_from_at_most v x : Forall change x -> forall t,
  Rabs (below_from v t x) <= INR (length (filter (fun c => negb (Z.eqb c 0)) x)).
Proof.
  intros V; induction V as [|c x Vc V IH]; intros t; [cbn; rewrite Rabs_R0; lra|]; cbn [below_from filter].
  specialize (IH (S t)); destruct (Z.eqb_spec c 0) as [->|N]; cbn [negb].
  - destruct (spans v t); rewrite Rplus_0_l; exact IH.
  - cbn [length]; rewrite S_INR; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rplus_comm; apply Rplus_le_compat; [exact IH|].
    destruct (spans v t); [|rewrite Rabs_R0; lra]; destruct Vc as [-> | [-> | ->] ]; cbn; unfold Rabs; destruct Rcase_abs; lra.
Qed.

Theorem erlingsson2019_expectation_bound (d : nat) (k : nat) (x : list Z) (h : nat) (j : nat) (exp_half_epsilon : R) :
  (exists L, (1 <= L)%nat /\ d = (2 ^ L)%nat) -> (1 <= k)%nat -> input d k x ->
  (1 <= h)%nat /\ (h <= Nat.log2 d + 1)%nat -> node_of d h j -> 1 < exp_half_epsilon ->
  Rabs (mean_at_node d k exp_half_epsilon x h j) <= 1 / (INR (Nat.log2 d)).
Proof.
  intros [L [HL E]] Hk I H J Hy; pose proof (node_mean d k x h j exp_half_epsilon Hk I H J Hy) as M.
  assert (D : 1 <= INR (Nat.log2 d)) by (subst d; rewrite Nat.log2_pow2 by lia; now apply (le_INR 1)).
  assert (K : 1 <= INR k) by now apply (le_INR 1).
  assert (Z : Rabs (node_change x (h, j)) <= INR k).
  { rewrite node_change_from; destruct I as (_ & V & C); eapply Rle_trans; [now apply below_from_at_most | now apply le_INR]. }
  set (u := mean_at_node _ _ _ _ _ _) in *; set (l := INR (Nat.log2 d)) in *; set (z := node_change _ _) in *; set (y := exp_half_epsilon) in *.
  assert (R : 1 <= (y + 1) / (y - 1)).
  { apply (Rmult_le_reg_r (y - 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  set (c := (y + 1) / (y - 1)) in *; clearbody u l z c; rewrite <- M, Rabs_mult in Z.
  rewrite (Rabs_right (c * INR k * (l + 1))) in Z by (apply Rle_ge; repeat apply Rmult_le_pos; lra).
  apply (Rmult_le_reg_r l); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra.
  apply (Rmult_le_reg_l (INR k)); [lra|]; pose proof (Rabs_pos u).
  assert (INR k * (Rabs u * l) <= c * INR k * (l + 1) * Rabs u); [|lra].
  assert (0 <= INR k * Rabs u) by (apply Rmult_le_pos; lra).
  replace (INR k * (Rabs u * l)) with (1 * l * (INR k * Rabs u)) by ring.
  replace (c * INR k * (l + 1) * Rabs u) with (c * (l + 1) * (INR k * Rabs u)) by ring.
  apply Rmult_le_compat_r; [assumption|]; apply Rmult_le_compat; lra.
Qed.
