(** * Ding, Lu, Yang and Zhang (2025), multi-user pufferfish privacy: its claims

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles.
Import ListNotations.
Open Scope R_scope.

(** ** Section 2.1: transport plans *)

Definition worst_of_pairs (g : R) (S : list (law R * law R)) : R :=
  largest (map (fun two => worst_ratio g (fst two) (snd two)) S).
Definition farthest_of_pairs (S : list (law R * law R)) : R :=
  largest (map (fun two => farthest (fst two) (snd two)) S).

Theorem ding2025_proposition_1 (S : list (law R * law R)) (growth : R) :
  Forall (fun two => is_law (fst two) /\ is_law (snd two)) S -> 1 < growth ->
  worst_of_pairs growth S <= Rpower growth (farthest_of_pairs S).
Proof.
  intros L G; rewrite Forall_forall in L; apply largest_map_le; [left; apply power_positive|].
  intros two I; destruct (L two I) as [LP LQ]; eapply Rle_trans; [now apply plan_ratio|].
  apply power_le; [exact G | now apply (largest_map_ge (fun two => farthest (fst two) (snd two)))].
Qed.

Theorem ding2025_w_infinity (P : law R) (Q : law R) (coupling : law (R * R)) :
  is_law P -> is_law Q -> couples coupling P Q -> farthest P Q <= reach coupling.
Proof. apply plan_is_shortest. Qed.

Theorem ding2025_plan_has_w_infinity (P : law R) (Q : law R) (coupling : law (R * R)) (x : R) (z : R) :
  is_law P -> is_law Q -> couples coupling P Q ->
  farthest P Q <= reach coupling /\ plan P Q x z >= 0
  /\ total (map (plan P Q x) (points Q)) = mass Req_EM_T P x
  /\ total (map (fun x => plan P Q x z) (points P)) = mass Req_EM_T Q z.
Proof.
  intros LP LQ C; split; [now apply plan_is_shortest|].
  split; [apply Rle_ge, plan_nonnegative; [apply LP | apply LQ]|]; split; [now apply plan_row|].
  rewrite <- (plan_row Q P z LQ LP); apply total_ext; intros; apply plan_reversed.
Qed.

(** ** Abstract and Section 4.4: the other users *)

Theorem ding2025_own_user (P : law R) (Q : law R) (others : law R) (growth : R) :
  is_law P -> is_law Q -> is_law others -> 1 < growth ->
  worst_ratio growth (plus P others) (plus Q others) <= worst_ratio growth P Q.
Proof. intros; now apply beside_others. Qed.

Theorem ding2025_own_statistics (others : law R) (growth : R) (P : law R) (Q : law R) :
  is_law others -> 1 < growth -> is_law P -> is_law Q ->
  worst_ratio growth (plus P others) (plus Q others) <= Rpower growth (farthest P Q).
Proof. intros; eapply Rle_trans; [now apply beside_others | now apply plan_ratio]. Qed.

(** ** Sections 4.1 and 4.2: two values *)

Theorem ding2025_theorem_1 (V : system) (secrets : nat -> R * R) (growth : R) :
  is_system V -> 1 < growth ->
  worst_of V (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) growth
  <= Rpower growth (largest_of V (fun i => Rabs (fst (secrets i) - snd (secrets i)))).
Proof. intros; rewrite worst_of_values by assumption; lra. Qed.

Theorem ding2025_theorem_2 (V : system) (secrets : nat -> R * R) (growth : R) :
  is_system V -> (forall i, snd (secrets i) = 0) -> 1 < growth ->
  worst_of V (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) growth
  <= Rpower growth (largest_of V (fun i => Rabs (fst (secrets i) - snd (secrets i)))).
Proof. intros; rewrite worst_of_values by assumption; lra. Qed.

Theorem ding2025_minimal (secrets : nat -> R * R) (V : system) (growth : R) :
  is_system V -> 1 < growth ->
  one_sided_of V (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) growth
  = Rpower growth (largest_of V (fun i => Rabs (fst (secrets i) - snd (secrets i)))).
Proof.
  intros HS G; rewrite <- largest_of_powers; [|exact G | apply HS | intros; apply Rabs_pos].
  apply largest_of_ext; intros i; cbn [fst snd]; apply ratio_of_values; [exact G | now apply others_are_law].
Qed.

Theorem ding2025_presence (V : system) (secrets : nat -> R * R) (growth : R) :
  is_system V -> 1 < growth ->
  worst_of V (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) growth
  = worst_of (surely V) (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) growth.
Proof.
  intros HS G; rewrite !worst_of_values; try assumption.
  - unfold largest_of, surely; cbn [users]; rewrite map_length; reflexivity.
  - destruct HS as [N HS]; split; cbn [surely users]; [destruct (users V); easy|].
    apply Forall_map; eapply Forall_impl; [|exact HS]; cbn; intros u [L _]; split; [exact L | lra].
Qed.

(** ** Section 4.3: presence *)

Theorem ding2025_sufficient (growth : R) (V : system) :
  1 < growth -> is_system V ->
  worst_of V (fun i => (report V i, certain 0)) growth
  <= largest_of V (fun i => moment growth (report V i)).
Proof.
  intros G HS; apply worst_of_le; [exact G | exact HS | apply largest_nonnegative|]; intros i I; cbn [fst snd].
  assert (L : is_law (report V i)) by now apply report_is_law.
  split; [exact L|]; split; [apply certain_is_law|]; eapply Rle_trans; [now apply presence_ratio|].
  now apply (largest_of_ge V (fun i => moment growth (report V i))).
Qed.

(** The least of a number of each user; there is a user. *)
Definition least_of (V : system) (f : nat -> R) : R := fold_right Rmin (f 0%nat) (map f (seq 0 (length (users V)))).

Theorem ding2025_condition_13 (growth : R) (V : system) :
  1 < growth -> is_system V ->
  least_of V (fun i => moment growth (report V i)) = largest_of V (fun i => moment growth (report V i)) ->
  worst_of V (fun i => (report V i, certain 0)) growth
  <= largest_of V (fun i => moment growth (report V i)).
Proof. intros G HS _; now apply ding2025_sufficient. Qed.

Theorem ding2025_condition_14 (growth : R) (V : system) :
  1 < growth -> is_system V ->
  worst_of V (fun i => (report V i, certain 0)) growth
  <= Rpower growth (largest_of V (fun i => size (report V i))).
Proof.
  intros G HS; eapply Rle_trans; [now apply ding2025_sufficient|].
  apply largest_of_le; [left; apply power_positive|]; intros i I.
  eapply Rle_trans; [apply moment_le_size; [exact G | now apply report_is_law]|].
  apply power_le; [exact G | now apply (largest_of_ge V (fun i => size (report V i)))].
Qed.

Lemma mean_ge_one (f : R -> R) l a : nonnegative l -> In a l -> (forall t, 0 <= f t) -> snd a * f (fst a) <= mean f l.
Proof.
  intros N I F; assert (Z : forall l, nonnegative l -> 0 <= mean f l).
  { clear l N I; induction l as [|[t m] l IH]; intros N; cbn [mean]; [lra|]; inversion N as [|x y M N']; subst; cbn in M.
    pose proof (Rmult_le_pos _ _ M (F t)); specialize (IH N'); lra. }
  induction l as [|[t m] l IH]; [easy|]; inversion N as [|x y M N']; subst; cbn in M; cbn [mean].
  pose proof (Rmult_le_pos _ _ M (F t)); pose proof (Z l N').
  destruct I as [<-|I]; cbn [fst snd]; [lra | specialize (IH N' I); lra].
Qed.

(** (13) has a root, as e^(1/theta), where the value is not always 0: its moment is continuous. *)
Theorem ding2025_root_of_13 (P : law R) (exp_epsilon : R) :
  is_law P -> (exists a, In a P /\ 0 < snd a /\ fst a <> 0) -> 1 < exp_epsilon ->
  exists root, 1 < root /\ moment root P = exp_epsilon.
Proof.
  intros L [a [I [M Z]]] E; set (f u := mean (fun t => exp (Rabs t * u)) P).
  assert (F : forall u, moment (exp u) P = f u).
  { intros u; apply mean_ext; intros t; unfold Rpower; now rewrite ln_exp. }
  assert (A : f 0 = 1).
  { unfold f; rewrite <- (proj2 L); apply mean_ext; intros; now rewrite Rmult_0_r, exp_0. }
  assert (C : continuity (fun u => f u - exp_epsilon)).
  { assert (K : forall l : law R, continuity (fun u => mean (fun t => exp (Rabs t * u)) l)).
    { induction l as [|[t m] l IH]; cbn [mean]; intros u; [now apply continuity_pt_const|].
      apply (continuity_pt_plus (fun u => m * exp (Rabs t * u))); [|apply IH].
      apply (continuity_pt_scal (fun u => exp (Rabs t * u))).
      apply (continuity_pt_comp (fun u => Rabs t * u) exp); apply derivable_continuous_pt; [|apply derivable_pt_exp].
      apply (derivable_pt_scal (fun u => u)), derivable_pt_id. }
    intros u; apply (continuity_pt_minus f); [apply K | now apply continuity_pt_const]. }
  pose proof (Rabs_pos_lt _ Z) as D; set (top := ln (exp_epsilon / snd a) / Rabs (fst a)).
  assert (one : snd a <= 1).
  { rewrite <- (proj2 L), <- (Rmult_1_r (snd a)); apply (mean_ge_one (fun _ => 1)); [apply L | exact I | intros; lra]. }
  assert (G : 1 < exp_epsilon / snd a).
  { apply (Rmult_lt_reg_r (snd a)); [exact M|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
  assert (T : 0 < top) by (apply Rdiv_lt_0_compat; [rewrite <- ln_1; apply ln_increasing; lra | exact D]).
  assert (B : exp_epsilon <= f top).
  { eapply Rle_trans; [|apply (mean_ge_one _ P a (proj1 L) I); intros; left; apply exp_pos]; cbv beta.
    replace (Rabs (fst a) * top) with (ln (exp_epsilon / snd a)) by (unfold top; field; lra).
    rewrite exp_ln by lra; right; field; lra. }
  destruct (IVT_cor _ 0 top C ltac:(lra)) as [u [[U _] V]]; [rewrite A; nra|].
  exists (exp u); split; [|rewrite F; lra].
  destruct U as [U|<-]; [rewrite <- exp_0; now apply exp_increasing | lra].
Qed.

Lemma roots_in_order P g h : is_law P -> 1 < g -> 1 < h -> 1 < Rpower h (size P) -> Rpower h (size P) <= Rpower g (size P) -> h <= g.
Proof.
  intros L G H E M; apply Rnot_lt_le; intros N.
  destruct (Rtotal_order (size P) 0) as [S|[S|S]].
  - pose proof (largest_nonnegative (map (fun e => if Rlt_dec 0 (snd e) then Rabs (fst e) else 0) P)); unfold size in S; lra.
  - rewrite S, Rpower_O in E; lra.
  - assert (K : Rpower g (size P) < Rpower h (size P)) by (apply Rlt_Rpower_l; lra); lra.
Qed.

Theorem ding2025_remark_2 (P : law R) (exp_epsilon : R) (root_13 : R) (root_14 : R) :
  is_law P -> 1 < exp_epsilon -> 1 < root_13 -> 1 < root_14 -> moment root_13 P = exp_epsilon ->
  Rpower root_14 (size P) = exp_epsilon -> root_14 <= root_13.
Proof.
  intros L E G H A B; apply (roots_in_order P); try assumption; [lra|].
  rewrite B, <- A; now apply moment_le_size.
Qed.

Definition size_varies (P : law R) : Prop :=
  exists a b, In a P /\ In b P /\ 0 < snd a /\ 0 < snd b /\ Rabs (fst a) < Rabs (fst b).

Lemma moment_lt_size P growth : is_law P -> size_varies P -> 1 < growth -> moment growth P < Rpower growth (size P).
Proof.
  intros L [a [b [Ia [Ib [Ma [Mb D]]]]]] G.
  assert (S : Rabs (fst a) < size P) by (eapply Rlt_le_trans; [exact D | now apply size_ge]).
  pose proof (mean_constant (Rpower growth (size P)) P L) as C.
  assert (K : forall l, nonnegative l -> (forall e, In e l -> In e P) ->
    mean (fun t => Rpower growth (Rabs t)) l <= mean (fun _ => Rpower growth (size P)) l
    /\ (In a l -> mean (fun t => Rpower growth (Rabs t)) l < mean (fun _ => Rpower growth (size P)) l)).
  { induction l as [|[t m] l IH]; intros N U; cbn [mean]; [split; [lra | easy]|].
    inversion N as [|x y Hm N']; subst; cbn in Hm; destruct IH as [IH1 IH2]; [exact N' | intros; apply U; now right|].
    assert (T : 0 < m -> Rpower growth (Rabs t) <= Rpower growth (size P)).
    { intros M; apply power_le; [exact G|]; apply (size_ge P (t, m)); [apply U; now left | exact M]. }
    split.
    - destruct Hm as [Hm|<-]; [|lra]; pose proof (Rmult_le_compat_l m _ _ ltac:(lra) (T Hm)); lra.
    - intros [E|I].
      + rewrite <- E in Ma, S; cbn in Ma, S; pose proof (Rpower_lt growth _ _ G S) as Q.
        apply (Rmult_lt_compat_l m) in Q; [lra | exact Ma].
      + specialize (IH2 I); destruct Hm as [Hm|<-]; [|lra].
        pose proof (Rmult_le_compat_l m _ _ ltac:(lra) (T Hm)); lra. }
  destruct (K P (proj1 L) (fun _ I => I)) as [_ K2]; unfold moment; rewrite <- C; apply K2, Ia.
Qed.

Theorem ding2025_repair_remark_2 (P : law R) (exp_epsilon : R) (root_13 : R) (root_14 : R) :
  is_law P /\ size_varies P -> 1 < exp_epsilon -> 1 < root_13 -> 1 < root_14 -> moment root_13 P = exp_epsilon ->
  Rpower root_14 (size P) = exp_epsilon -> root_14 < root_13.
Proof.
  intros [L D] E G H A B; pose proof (moment_lt_size P root_13 L D G) as M.
  destruct (roots_in_order P root_13 root_14 L G H ltac:(lra) ltac:(lra)) as [K|K]; [exact K | exfalso; subst; lra].
Qed.

(** ** Section 4.4.1: Bernoulli users *)

Theorem ding2025_lemma_5 (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) :
  0 <= p -> p <= 1 -> 0 <= q -> q <= 1 -> Forall is_law others -> 1 < exp_epsilon ->
  worst_ratio exp_epsilon (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others))
  <= exp_epsilon.
Proof.
  intros P0 P1 Q0 Q1 LO E.
  assert (LP : is_law (bernoulli p)) by (apply bernoulli_is_law; lra).
  assert (LQ : is_law (bernoulli q)) by (apply bernoulli_is_law; lra).
  eapply Rle_trans; [apply beside_others; try assumption; now apply sum_is_law|].
  eapply Rle_trans; [now apply plan_ratio|].
  rewrite <- (Rpower_1 exp_epsilon) at 2 by lra; apply power_le; [exact E|].
  apply largest_map_le; [lra|]; intros e I; unfold moved; destruct Rlt_dec; [|lra].
  apply in_flat_map in I as [x [X I]]; apply in_map_iff in I as [z [<- Z]]; cbn [fst snd].
  apply nodup_In in X, Z; cbn in X, Z.
  destruct X as [<-|[<-|[]]], Z as [<-|[<-|[]]]; unfold Rabs; destruct Rcase_abs; lra.
Qed.

Theorem ding2025_without_calculation (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) :
  1 / 5 <= p -> p <= 1 / 5 -> 9 / 10 <= q -> q <= 9 / 10 -> Forall is_law others -> 1 < exp_epsilon ->
  worst_ratio exp_epsilon (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others))
  <= exp_epsilon.
Proof. intros; apply ding2025_lemma_5; try assumption; lra. Qed.

(** ** Inequality (4), and the relaxed request (20) *)

Theorem ding2025_equation_4 (P : law R) (Q : law R) (growth : R) (exp_epsilon : R) (y : R) : is_law P ->
    is_law Q -> 1 < growth -> 1 < exp_epsilon -> (output growth P y) - (exp_epsilon * (output growth Q y)) =
    mean (fun e => noise growth (y - fst e) - exp_epsilon * noise growth (y - snd e)) (plan_law P Q) /\ mean
    (fun e => noise growth (y - fst e) - exp_epsilon * noise growth (y - snd e)) (plan_law P Q) <= mean (fun e
    => noise growth (y - snd e) * (Rpower growth (Rabs (fst e - snd e)) - exp_epsilon)) (plan_law P Q).
Proof.
  intros LP LQ G E; destruct (plan_couples P Q LP LQ) as [N [M1 M2]]; split.
  - unfold output; rewrite <- (M1 (fun x => noise growth (y - x))), <- (M2 (fun x => noise growth (y - x))).
    rewrite (mean_ext (fun e => noise growth (y - fst e) - exp_epsilon * noise growth (y - snd e))
      (fun e => noise growth (y - fst e) + - exp_epsilon * noise growth (y - snd e))) by (intros; ring).
    rewrite mean_plus, mean_scale; cbv beta; ring.
  - apply mean_le; [exact N|]; intros e.
    pose proof (noise_moved growth _ y (fst e) (snd e) G (Rle_refl _)); lra.
Qed.

Theorem ding2025_equation_20 (P : law R) (Q : law R) (growth : R) : is_law P -> is_law Q -> 1 < growth ->
    worst_ratio growth P Q <= relaxed growth (plan_law P Q).
Proof. intros LP LQ G; apply relaxed_ratio; try assumption; now apply plan_couples. Qed.

Theorem ding2025_repair_smaller_theta (P : law R) (Q : law R) (coupling : law (R * R)) (growth : R) : is_law
    P -> is_law Q -> couples coupling P Q -> 1 < growth -> worst_ratio growth P Q <= relaxed growth coupling.
Proof. intros; now apply relaxed_ratio with (P := P) (Q := Q). Qed.

Theorem ding2025_repair_request (P : law R) (Q : law R) (growth : R) : is_law P -> is_law Q -> 1 < growth ->
    largest (map (fun e => if Rlt_dec 0 (snd e) then Rpower growth (Rabs (fst (fst e) - snd (fst e))) else 0)
    (plan_law P Q)) = Rpower growth (farthest P Q).
Proof.
  intros LP LQ G; apply Rle_antisym.
  - apply largest_map_le; [left; apply power_positive|]; intros e I; destruct Rlt_dec as [S|]; [|left; apply power_positive].
    apply power_le; [exact G | now apply reach_ge].
  - set (f := fun e : R * R * R => if Rlt_dec 0 (snd e) then Rpower growth (Rabs (fst (fst e) - snd (fst e))) else 0).
    destruct (plan_couples P Q LP LQ) as [N [M1 _]].
    assert (A : exists e, In e (plan_law P Q) /\ 0 < snd e).
    { specialize (M1 (fun _ => 1)); rewrite (proj2 LP) in M1; revert M1; generalize (plan_law P Q) N; clear.
      induction l as [|[e m] l IH]; cbn [mean]; intros N M; [lra|]; inversion N as [|a b Hm N']; subst; cbn in Hm.
      destruct Hm as [Hm|<-]; [exists (e, m); split; [now left | exact Hm]|].
      destruct IH as [e' [I S]]; [exact N' | lra|]; exists e'; split; [now right | exact S]. }
    assert (B : 1 <= largest (map f (plan_law P Q))).
    { destruct A as [e [I S]]; eapply Rle_trans; [|apply (largest_map_ge f e _ I)]; unfold f; destruct Rlt_dec; [|lra].
      rewrite <- (Rpower_O growth) at 1 by lra; apply power_le; [exact G | apply Rabs_pos]. }
    assert (K : forall l, incl l (plan_law P Q) -> Rpower growth (largest (map moved l)) <= largest (map f (plan_law P Q))).
    { induction l as [|e l IH]; intros I; cbn [map largest fold_right]; [rewrite Rpower_O by lra; exact B|].
      fold (largest (map moved l)); unfold Rmax; destruct Rle_dec; [apply IH; intros a J; apply I; now right|].
      unfold moved at 1; destruct (Rlt_dec 0 (snd e)) as [S|]; [|rewrite Rpower_O by lra; exact B].
      pose proof (largest_map_ge f e _ (I e (or_introl eq_refl))) as F; unfold f in F at 1; destruct Rlt_dec; [exact F | lra]. }
    apply K, incl_refl.
Qed.

(** ** The displays in the proofs of Theorems 1 and 2 *)

Lemma displayed a b others growth exp_epsilon y w :
  is_law others -> 1 < growth -> 0 <= w ->
  let inner := mean (fun t => noise growth (y - t - b)
    * (Rpower growth (Rabs (y - t - b) - Rabs (y - t - a)) - exp_epsilon)) others in
  let outer := mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (a - b)) - exp_epsilon)) others in
  w * (output growth (plus (certain a) others) y - exp_epsilon * output growth (plus (certain b) others) y) = w * inner
  /\ w * inner <= w * outer
  /\ w * outer = (Rpower growth (Rabs (a - b)) - exp_epsilon) * (w * output growth (plus (certain b) others) y).
Proof.
  intros L G W inner outer; split; [|split].
  - f_equal; unfold inner; rewrite !output_value.
    transitivity (mean (fun t => noise growth (y - a - t) + - exp_epsilon * noise growth (y - b - t)) others).
    + rewrite mean_plus, mean_scale; ring.
    + apply mean_ext; intros t; replace (y - t - b) with (y - b - t) by ring; replace (y - t - a) with (y - a - t) by ring.
      unfold noise; replace (- Rabs (y - a - t)) with (- Rabs (y - b - t) + (Rabs (y - b - t) - Rabs (y - a - t))) by ring.
      rewrite power_plus; ring.
  - apply Rmult_le_compat_l; [exact W|]; apply mean_le; [apply L|]; intros t.
    apply Rmult_le_compat_l; [left; apply power_positive|]; apply Rplus_le_compat_r, power_le; [exact G|].
    pose proof (Rabs_triang_inv (y - t - b) (y - t - a)) as T; replace (y - t - b - (y - t - a)) with (a - b) in T by ring; lra.
  - unfold outer; rewrite output_value.
    rewrite (mean_ext _ (fun t => (Rpower growth (Rabs (a - b)) - exp_epsilon) * noise growth (y - b - t)) others).
    + rewrite mean_scale; ring.
    + intros t; replace (y - t - b) with (y - b - t) by ring; ring.
Qed.

Theorem ding2025_display (a : R) (b : R) (others : law R) (growth : R) (exp_epsilon : R) (y : R) (w : R) :
    is_law others -> 1 < growth -> 1 < exp_epsilon -> 0 <= w -> w <= 1 -> w * ((output growth (plus (certain
    a) others) y) - (exp_epsilon * (output growth (plus (certain b) others) y))) = w * (mean (fun t => noise
    growth (y - t - b) * (Rpower growth (Rabs (y - t - b) - Rabs (y - t - a)) - exp_epsilon)) others) /\ w *
    (mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (y - t - b) - Rabs (y - t - a)) -
    exp_epsilon)) others) <= w * (mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (a - b)) -
    exp_epsilon)) others) /\ w * (mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (a - b)) -
    exp_epsilon)) others) = ((Rpower growth (Rabs (a - b))) - exp_epsilon) * (w * (output growth (plus
    (certain b) others) y)).
Proof. intros L G _ W _; now apply displayed. Qed.

Theorem ding2025_repair_theorem_2_proof (a : R) (b : R) (others : law R) (growth : R) (exp_epsilon : R) (y :
    R) (w : R) : 0 <= b -> b <= 0 -> is_law others -> 1 < growth -> 1 < exp_epsilon -> 0 <= w -> w <= 1 -> w *
    ((output growth (plus (certain a) others) y) - (exp_epsilon * (output growth (plus (certain b) others)
    y))) = w * (mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (y - t - b) - Rabs (y - t - a))
    - exp_epsilon)) others) /\ w * (mean (fun t => noise growth (y - t - b) * (Rpower growth (Rabs (y - t - b)
    - Rabs (y - t - a)) - exp_epsilon)) others) <= w * (mean (fun t => noise growth (y - t - b) * (Rpower
    growth (Rabs (a - b)) - exp_epsilon)) others) /\ w * (mean (fun t => noise growth (y - t - b) * (Rpower
    growth (Rabs (a - b)) - exp_epsilon)) others) = ((Rpower growth (Rabs (a - b))) - exp_epsilon) * (w *
    (output growth (plus (certain b) others) y)).
Proof. intros _ _ L G _ W _; now apply displayed. Qed.

(** ** Appendix A: shifts *)

Theorem ding2025_repair_lemma_1 (X : list R) (P : law R) (Q : law R) : on X P -> on X Q -> symmetric_shift X
    P Q = farthest P Q.
Proof. intros; symmetry; now apply farthest_is_shift. Qed.

Definition shift_of_pairs (X : list R) (S : list (law R * law R)) : R :=
  largest (map (fun two => symmetric_shift X (fst two) (snd two)) S).

Lemma shifts_are_distances X S :
  Forall (fun two => on X (fst two) /\ on X (snd two)) S -> shift_of_pairs X S = farthest_of_pairs S.
Proof.
  intros H; unfold shift_of_pairs, farthest_of_pairs; f_equal; apply map_ext_in; intros two I.
  rewrite Forall_forall in H; destruct (H two I); symmetry; now apply farthest_is_shift.
Qed.

Lemma pairs_on X S :
  Forall (fun two => on X (fst two) /\ on X (snd two)) S -> Forall (fun two => is_law (fst two) /\ is_law (snd two)) S.
Proof. intros H; eapply Forall_impl; [|exact H]; intros two [[A _] [B _]]; now split. Qed.

Theorem ding2025_repair_proposition_2 (X : list R) (S : list (law R * law R)) (growth : R) : Forall (fun two
    => on X (fst two) /\ on X (snd two)) S -> 1 < growth -> worst_of_pairs growth S <= Rpower growth
    (shift_of_pairs X S).
Proof. intros H G; rewrite (shifts_are_distances X S H); apply ding2025_proposition_1; [now apply pairs_on with X | exact G]. Qed.

Lemma value_up_to a G x : up_to (plus (certain a) G) x = up_to G (x - a).
Proof.
  rewrite up_to_plus; unfold up_to at 2, prob; apply mean_ext; intros m; unfold up_to, prob; cbn.
  unfold indicator, at_most; destruct (Rle_dec a (x - m)), (Rle_dec m (x - a)); lra.
Qed.

Theorem ding2025_lower_shift (G : law R) (a : R) (b : R) (Delta : R) (x : R) (w : R) : is_law G -> a - b <=
    Delta -> 0 <= w -> w <= 1 -> (w * (up_to (plus (certain a) G) x)) - (w * (up_to (plus (certain b) G) (x -
    Delta))) = ((up_to G (x - a)) - (up_to G ((x - Delta) - b))) * w /\ (w * (up_to (plus (certain a) G) x)) -
    (w * (up_to (plus (certain b) G) (x - Delta))) >= 0.
Proof.
  intros [N _] H W _; rewrite !value_up_to; split; [ring|].
  pose proof (up_to_le G (x - Delta - b) (x - a) N ltac:(lra)); nra.
Qed.

Theorem ding2025_upper_shift (G : law R) (a : R) (b : R) (Delta : R) (x : R) (w : R) : is_law G -> b - a <=
    Delta -> 0 <= w -> w <= 1 -> (w * (up_to (plus (certain a) G) x)) - (w * (up_to (plus (certain b) G) (x +
    Delta))) = ((up_to G (x - a)) - (up_to G ((x + Delta) - b))) * w /\ (w * (up_to (plus (certain a) G) x)) -
    (w * (up_to (plus (certain b) G) (x + Delta))) <= 0.
Proof.
  intros [N _] H W _; rewrite !value_up_to; split; [ring|].
  pose proof (up_to_le G (x - a) (x + Delta - b) N ltac:(lra)); nra.
Qed.

(** ** Section 4.4: laws of a report *)

Definition beside (others : list (law R)) (S : list (law R * law R)) : list (law R * law R) :=
  map (fun two => (plus (fst two) (sum_of others), plus (snd two) (sum_of others))) S.

Theorem ding2025_repair_theorem_4 (others : list (law R)) (D : list R) (S : list (law R * law R)) (growth :
    R) : Forall is_law others -> Forall (fun two => on D (fst two) /\ on D (snd two)) S -> 1 < growth ->
    worst_of_pairs growth (beside others S) <= Rpower growth (shift_of_pairs D S) /\ shift_of_pairs D S =
    farthest_of_pairs S.
Proof.
  intros LO H G; split; [|now apply shifts_are_distances]; rewrite (shifts_are_distances D S H).
  pose proof (pairs_on D S H) as L; eapply Rle_trans; [|apply ding2025_proposition_1; [exact L | exact G]].
  unfold worst_of_pairs, beside; rewrite map_map; apply largest_map_le; [apply largest_nonnegative|]; intros two I; cbn [fst snd].
  rewrite Forall_forall in L; destruct (L two I).
  eapply Rle_trans; [apply beside_others; try assumption; now apply sum_is_law|].
  now apply (largest_map_ge (fun two => worst_ratio growth (fst two) (snd two))).
Qed.

Theorem ding2025_repair_theorem_4_bounds (D : list R) (P : law R) (Q : law R) (others : list (law R)) (Delta
    : R) (x : R) : on D P -> on D Q -> Forall is_law others -> 0 < Delta -> (up_to (plus P (sum_of others)) (x
    + Delta)) - (up_to (plus Q (sum_of others)) x) = mean (fun m => up_to P (x - m + Delta) - up_to Q (x - m))
    (sum_of others) /\ mean (fun m => up_to P (x - m + Delta) - up_to Q (x - m)) (sum_of others) >= smallest
    (map (fun t => up_to P (t + Delta) - up_to Q t) (D ++ map (fun t => t - Delta) D)) /\ mean (fun m => up_to
    P (x - m + Delta) - up_to Q (x - m)) (sum_of others) <= largest (map (fun t => up_to P (t + Delta) - up_to
    Q t) (D ++ map (fun t => t - Delta) D)).
Proof.
  intros OP OQ LO HD; pose proof (difference_between D P Q (sum_of others) Delta x OP OQ (sum_is_law _ LO) ltac:(lra)) as [E [A B]].
  split; [exact E|]; split; [apply Rle_ge, A | exact B].
Qed.

Theorem ding2025_sign_cases (D : list R) (P : law R) (Q : law R) (others : list (law R)) (x : R) : on D P ->
    on D Q -> Forall is_law others -> (up_to (plus P (sum_of others)) x) - (up_to (plus Q (sum_of others)) x)
    <= largest (map (fun t => up_to P t - up_to Q t) D) /\ (up_to (plus P (sum_of others)) x) - (up_to (plus Q
    (sum_of others)) x) >= smallest (map (fun t => up_to P t - up_to Q t) D).
Proof.
  intros OP OQ LO; pose proof (difference_between D P Q (sum_of others) 0 x OP OQ (sum_is_law _ LO) (Rle_refl _)) as [E [A B]].
  rewrite Rplus_0_r in E; rewrite E.
  assert (F : forall t, up_to P (t + 0) - up_to Q t = up_to P t - up_to Q t) by (intros; now rewrite Rplus_0_r).
  split; [eapply Rle_trans; [exact B|] | apply Rle_ge; eapply Rle_trans; [|exact A]].
  - apply largest_map_le; [apply largest_nonnegative|]; intros t I; rewrite F.
    apply in_app_or in I as [I|I]; [now apply (largest_map_ge (fun t => up_to P t - up_to Q t))|].
    apply in_map_iff in I as [s [<- I]]; rewrite Rminus_0_r; now apply (largest_map_ge (fun t => up_to P t - up_to Q t)).
  - unfold smallest; apply Ropp_le_contravar; rewrite !map_map.
    apply largest_map_le; [apply largest_nonnegative|]; intros t I; rewrite F.
    apply in_app_or in I as [I|I]; [now apply (largest_map_ge (fun t => - (up_to P t - up_to Q t)))|].
    apply in_map_iff in I as [s [<- I]]; rewrite Rminus_0_r; now apply (largest_map_ge (fun t => - (up_to P t - up_to Q t))).
Qed.

Theorem ding2025_repair_total_variation (D : list R) (P : law R) (Q : law R) (others : list (law R)) (growth
    : R) : on D P -> on D Q -> Forall is_law others -> 1 < growth -> worst_ratio growth (plus P (sum_of
    others)) (plus Q (sum_of others)) <= 1 + ((total_variation Req_EM_T P Q) * ((Rpower growth (spread D)) -
    1)).
Proof.
  intros OP OQ LO G; eapply Rle_trans; [apply beside_others; [exact G | apply OP | apply OQ | now apply sum_is_law]|].
  now apply total_variation_ratio.
Qed.

(** ** Section 4.3: classes of records, and Bernoulli users *)

Definition product_of_moments (g : R) (records : list (law R)) : R := fold_right (fun P r => moment g P * r) 1 records.
Definition sum_of_sizes (records : list (law R)) : R := fold_right (fun P r => size P + r) 0 records.

Lemma moment_positive g P : is_law P -> 0 < moment g P.
Proof. intros L; apply mean_positive; [intros; apply power_positive | exact L]. Qed.

Lemma moment_of_sum g records : 1 < g -> Forall is_law records -> moment g (sum_of records) <= product_of_moments g records.
Proof.
  intros G; induction 1 as [|P records LP L IH]; cbn [sum_of fold_right product_of_moments].
  - unfold moment, certain; cbn; rewrite Rabs_R0, Rpower_O by lra; lra.
  - fold (sum_of records) (product_of_moments g records); pose proof (moment_positive g P LP) as Mp.
    eapply Rle_trans; [|apply Rmult_le_compat_l; [lra | exact IH]].
    unfold moment at 1; rewrite mean_plus_law; unfold moment at 1; rewrite Rmult_comm, <- mean_scale.
    apply mean_le; [apply LP|]; intros t; rewrite Rmult_comm; unfold moment; rewrite <- mean_scale.
    apply mean_le; [apply (sum_is_law records L)|]; intros z; rewrite <- power_plus; apply power_le; [exact G | apply Rabs_triang].
Qed.

Theorem ding2025_class_removal (records : list (law R)) (others : law R) (growth : R) : Forall is_law
    records -> is_law others -> 1 < growth -> worst_ratio growth (plus (sum_of records) others) (plus (certain
    0) others) <= product_of_moments growth records /\ product_of_moments growth records <= Rpower growth
    (sum_of_sizes records).
Proof.
  intros L LO G; split.
  - pose proof (sum_is_law records L) as LS.
    eapply Rle_trans; [apply beside_others; try assumption; apply certain_is_law|].
    eapply Rle_trans; [now apply presence_ratio | now apply moment_of_sum].
  - induction L as [|P records LP L IH]; cbn [product_of_moments sum_of_sizes fold_right]; [rewrite Rpower_O; lra|].
    fold (product_of_moments growth records) (sum_of_sizes records); rewrite power_plus.
    assert (0 <= product_of_moments growth records).
    { clear -L; induction L as [|Q l LQ L IH]; cbn; [lra|]; apply Rmult_le_pos; [left; now apply moment_positive | exact IH]. }
    apply Rmult_le_compat; [left; now apply moment_positive | assumption | now apply moment_le_size | exact IH].
Qed.

Lemma moment_of_bernoulli g p : 1 < g -> moment g (bernoulli p) = p * g + (1 - p).
Proof. intros G; unfold moment, bernoulli; cbn; rewrite Rabs_R0, Rabs_R1, Rpower_O, Rpower_1 by lra; ring. Qed.

Theorem ding2025_equation_15 (p : R) (exp_epsilon : R) (others : law R) (growth : R) : 0 < p -> p <= 1 -> 1
    < exp_epsilon -> is_law others -> 1 < growth -> growth <= (exp_epsilon - (1 - p)) / p -> moment
    ((exp_epsilon - (1 - p)) / p) (bernoulli p) = exp_epsilon /\ worst_ratio growth (plus (bernoulli p)
    others) (plus (certain 0) others) <= exp_epsilon.
Proof.
  intros P0 P1 E LO G R; assert (R1 : 1 < (exp_epsilon - (1 - p)) / p) by lra.
  assert (LP : is_law (bernoulli p)) by (apply bernoulli_is_law; lra).
  split; [rewrite moment_of_bernoulli by exact R1; field; lra|].
  eapply Rle_trans; [apply beside_others; try assumption; apply certain_is_law|].
  eapply Rle_trans; [now apply presence_ratio|]; rewrite moment_of_bernoulli by exact G.
  apply (Rmult_le_compat_l p) in R; [|lra]; replace (p * ((exp_epsilon - (1 - p)) / p)) with (exp_epsilon - (1 - p)) in R by (field; lra); lra.
Qed.

