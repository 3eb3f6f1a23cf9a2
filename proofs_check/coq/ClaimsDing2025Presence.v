(** * Ding, Lu, Yang and Zhang (2025), Section 4.3: Theorem 3 as a calibration

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise ClaimsDing2025Bernoulli ClaimsDing2025Columns.
Import ListNotations.
Open Scope R_scope.

(** No two points of both signs. *)
Definition one_signed (P : law R) : Prop := Forall (fun a => Forall (fun b => 0 <= fst a * fst b) P) P.

Lemma signs P : one_signed P -> (forall x, In x (map fst P) -> 0 <= x) \/ (forall x, In x (map fst P) -> x <= 0).
Proof.
  intros H; unfold one_signed in H; rewrite Forall_forall in H.
  destruct (some_below_or_not (-1) (map (fun e => if Rlt_dec (fst e) 0 then -1 else 0) P)) as [[s [I S]]|N].
  - right; apply in_map_iff in I as [a [E I]]; destruct (Rlt_dec (fst a) 0) as [A|]; [|lra].
    intros x J; apply in_map_iff in J as [b [<- J]]; specialize (H a I); rewrite Forall_forall in H; specialize (H b J).
    destruct (Rle_dec (fst b) 0); [assumption | exfalso; nra].
  - left; intros x J; apply in_map_iff in J as [b [<- J]]; destruct (Rlt_dec (fst b) 0) as [B|]; [|lra]; exfalso.
    specialize (N (-1)); apply (Rlt_irrefl (-1)), N, in_map_iff; exists b; split; [|exact J].
    destruct (Rlt_dec (fst b) 0); [reflexivity | contradiction].
Qed.

Lemma moment_increases g h P : is_law P -> 1 < g -> g <= h -> moment g P <= moment h P.
Proof. intros L G H; apply mean_le; [apply L|]; intros t; apply Rle_Rpower_l; [apply Rabs_pos | lra]. Qed.

Lemma moment_of_zero g P : is_law P -> 1 < g -> size P = 0 -> moment g P <= 1.
Proof. intros L G Z; eapply Rle_trans; [now apply moment_le_size|]; rewrite Z, Rpower_O; lra. Qed.

Lemma moment_strict g h P : is_law P -> 1 < g -> g < h -> 1 < moment g P -> moment g P < moment h P.
Proof.
  intros L G H M.
  assert (K : forall l : law R, nonnegative l -> mean (fun t => Rpower g (Rabs t)) l <= mean (fun t => Rpower h (Rabs t)) l
    /\ (mean (fun _ => 1) l < mean (fun t => Rpower g (Rabs t)) l ->
        mean (fun t => Rpower g (Rabs t)) l < mean (fun t => Rpower h (Rabs t)) l)).
  { induction l as [|[t m] l IH]; intros N; cbn [mean]; [lra|]; inversion N as [|a b Hm N']; subst; cbn in Hm.
    destruct (IH N') as [A B].
    assert (T : Rpower g (Rabs t) <= Rpower h (Rabs t)) by (apply Rle_Rpower_l; [apply Rabs_pos | lra]).
    split; [apply Rplus_le_compat; [now apply Rmult_le_compat_l | exact A]|]; intros C.
    destruct (Req_EM_T t 0) as [->|Z].
    - rewrite Rabs_R0, !Rpower_O in * by lra; specialize (B ltac:(lra)); lra.
    - destruct Hm as [Hm|<-]; [|rewrite !Rmult_0_l in *; specialize (B ltac:(lra)); lra].
      assert (S : Rpower g (Rabs t) < Rpower h (Rabs t)) by (apply Rlt_Rpower_l; [now apply Rabs_pos_lt | lra]).
      apply (Rmult_lt_compat_l m) in S; lra. }
  destruct (K P (proj1 L)) as [_ S]; apply S; rewrite (proj2 L); exact M.
Qed.

Theorem ding2025_repair_condition_13 (exp_epsilon : R) (V : system) (growth : R) (roots : list R) (P : law
    R) (others : law R) (root : R) (more : R) : 1 < exp_epsilon -> is_system V -> 1 < growth -> length
    roots = length (users V) /\ Forall (fun u => size (fst (fst u)) = 0 \/ (1 < snd u /\ moment (snd u)
    (fst (fst u)) = exp_epsilon /\ growth <= snd u)) (combine (users V) roots) -> is_law P /\ one_signed P
    -> is_law others -> 1 < root /\ moment root P = exp_epsilon -> root < more -> worst_of V (fun i =>
    (report V i, certain 0)) growth <= exp_epsilon /\ exp_epsilon < worst_ratio more (plus P others) (plus
    (certain 0) others).
Proof.
  intros E HS G [N HG] [LP OS] LO [R1 M] HM; split.
  - apply worst_of_le; [exact G | exact HS | lra|]; intros i I; cbn [fst snd].
    assert (L : is_law (report V i)) by now apply report_is_law.
    split; [exact L|]; split; [apply certain_is_law|]; eapply Rle_trans; [now apply presence_ratio|].
    assert (U : In (nth i (users V) (certain 0, 1), nth i roots 0) (combine (users V) roots)).
    { rewrite <- combine_nth by (symmetry; exact N); apply nth_In; rewrite combine_length, N; lia. }
    rewrite Forall_forall in HG; specialize (HG _ U); cbn [fst snd] in HG; fold (report V i) in HG.
    destruct HG as [Z|[R0 [Z B]]]; [pose proof (moment_of_zero growth _ L G Z); lra|].
    rewrite <- Z; now apply moment_increases.
  - apply Rnot_le_lt; intros W.
    destruct (far_ratio more P (certain 0) others exp_epsilon ltac:(lra) LP (certain_is_law 0) LO ltac:(lra)) as [A B].
    assert (S : moment root P < moment more P) by (apply moment_strict; try assumption; lra).
    assert (C : right more (certain 0) = 1 /\ left more (certain 0) = 1).
    { unfold right, left; cbn; rewrite Ropp_0, Rpower_O by lra; lra. }
    destruct C as [C1 C2]; rewrite C1 in A; rewrite C2 in B.
    destruct (signs P OS) as [H|H].
    + assert (moment more P = right more P); [|lra].
      apply mean_ext_on; intros x I; rewrite Rabs_right; [reflexivity | apply Rle_ge, H, I].
    + assert (moment more P = left more P); [|lra].
      apply mean_ext_on; intros x I; rewrite Rabs_left1; [reflexivity | apply H, I].
Qed.

(** ** What the conditions ask does not depend on the presence, given that all others are present *)

Definition same_reports (V W : system) : Prop := map fst (users V) = map fst (users W) /\ all_present V = true /\ all_present W = true.

Lemma same_report V W i : same_reports V W -> report V i = report W i.
Proof.
  intros [S _]; unfold report; change (certain 0) with (fst (certain 0, 1)) at 1 2; now rewrite <- !(map_nth fst), S.
Qed.

Lemma same_largest V W f g : same_reports V W -> (forall i, f i = g i) -> largest_of V f = largest_of W g.
Proof.
  intros [S _] E; unfold largest_of; rewrite <- (map_length fst (users V)), S, map_length; f_equal; apply map_ext, E.
Qed.

Lemma same_others V W i : same_reports V W -> others_of V i = others_of W i.
Proof.
  intros (S & PV & PW); unfold others_of; rewrite PV, PW, !map_app; cbv zeta.
  now rewrite <- !firstn_map, <- !skipn_map, S.
Qed.

Theorem ding2025_other_presence (V : system) (W : system) (secrets : nat -> R * R) (user : nat) (p : R) (q : R)
    (exp_epsilon : R) (growth : R) (X : list R) : is_system V -> is_system W /\ same_reports V W -> 0 <= p -> p <= 1 -> 0 <=
    q -> q <= 1 -> 1 < exp_epsilon -> 1 < growth -> largest_of V (fun i => Rabs (fst (secrets i) - snd (secrets i))) =
    largest_of W (fun i => Rabs (fst (secrets i) - snd (secrets i))) /\ largest_of V (fun i => size (report V i)) =
    largest_of W (fun i => size (report W i)) /\ largest_of V (fun i => moment growth (report V i)) = largest_of W (fun i =>
    moment growth (report W i)) /\ growth_21 exp_epsilon p q (others_of V user) X = growth_21 exp_epsilon p q (others_of W
    user) X /\ all_columns growth exp_epsilon (plus (bernoulli p) (others_of V user)) (plus (bernoulli q) (others_of V user))
    = all_columns growth exp_epsilon (plus (bernoulli p) (others_of W user)) (plus (bernoulli q) (others_of W user)).
Proof.
  intros _ [_ S] _ _ _ _ _ _; rewrite (same_others V W user S); split; [|split; [|split; [|split; reflexivity]]];
    (apply same_largest; [exact S | intros i; now rewrite ?(same_report V W i S)]).
Qed.
