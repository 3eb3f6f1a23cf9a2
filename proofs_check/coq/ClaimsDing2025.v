(** * Ding, Lu, Yang and Zhang (2025), multi-user pufferfish privacy: its claims

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport.
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

Theorem ding2025_remark_2 (P : law R) (growth : R) :
  is_law P -> 1 < growth -> moment growth P <= Rpower growth (size P).
Proof. intros; now apply moment_le_size. Qed.

Definition size_varies (P : law R) : Prop :=
  exists a b, In a P /\ In b P /\ 0 < snd a /\ 0 < snd b /\ Rabs (fst a) < Rabs (fst b).

Theorem ding2025_repair_remark_2 (P : law R) (growth : R) :
  is_law P /\ size_varies P -> 1 < growth -> moment growth P < Rpower growth (size P).
Proof.
  intros [L [a [b [Ia [Ib [Ma [Mb D]]]]]]] G.
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
