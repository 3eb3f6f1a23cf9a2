(** * Ding, Lu, Yang and Zhang (2025), Section 4.4.1: Bernoulli users, Lemma 6 and its proof

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles.
Import ListNotations.
Open Scope R_scope.

(** ** Beyond all points *)

Definition right (g : R) (P : law R) : R := mean (Rpower g) P.
Definition left (g : R) (P : law R) : R := mean (fun x => Rpower g (- x)) P.

Lemma output_right g P y : (forall x, In x (map fst P) -> x <= y) -> output g P y = Rpower g (- y) * right g P.
Proof.
  intros H; unfold right; rewrite <- mean_scale; apply mean_ext_on; intros x I; specialize (H x I).
  unfold noise; rewrite <- power_plus, Rabs_right by lra; f_equal; ring.
Qed.

Lemma output_left g P y : (forall x, In x (map fst P) -> y <= x) -> output g P y = Rpower g y * left g P.
Proof.
  intros H; unfold left; rewrite <- mean_scale; apply mean_ext_on; intros x I; specialize (H x I).
  unfold noise; rewrite <- power_plus, Rabs_left1 by lra; f_equal; ring.
Qed.

Lemma right_plus g P G : right g (plus P G) = right g G * right g P.
Proof.
  unfold right; rewrite mean_plus_law, <- mean_scale; apply mean_ext; intros x.
  rewrite Rmult_comm, <- mean_scale; apply mean_ext; intros z; apply power_plus.
Qed.

Lemma left_plus g P G : left g (plus P G) = left g G * left g P.
Proof.
  unfold left; rewrite mean_plus_law, <- mean_scale; apply mean_ext; intros x.
  rewrite Rmult_comm, <- mean_scale; apply mean_ext; intros z; rewrite <- power_plus; f_equal; ring.
Qed.

(** Beyond all points the others contribute a factor that cancels. *)
Lemma far_ratio g P Q G E : 1 < g -> is_law P -> is_law Q -> is_law G ->
  worst_ratio g (plus P G) (plus Q G) <= E -> right g P <= E * right g Q /\ left g P <= E * left g Q.
Proof.
  intros Hg LP LQ LG W; pose proof (plus_is_law P G LP LG) as LA; pose proof (plus_is_law Q G LQ LG) as LB.
  pose proof (proj1 (worst_ratio_iff g _ _ E Hg LA LB) W) as H.
  set (far := largest (map Rabs (map fst (plus P G ++ plus Q G)))).
  assert (B : forall x, In x (map fst (plus P G)) \/ In x (map fst (plus Q G)) -> - far <= x <= far).
  { intros x I; assert (A : Rabs x <= far).
    { apply (largest_map_ge Rabs); rewrite map_app; apply in_or_app; exact I. }
    revert A; unfold Rabs; destruct Rcase_abs; lra. }
  assert (RG : 0 < right g G) by (apply mean_positive; [intros; apply power_positive | exact LG]).
  assert (FG : 0 < left g G) by (apply mean_positive; [intros; apply power_positive | exact LG]).
  split.
  - destruct (H far) as [A _].
    rewrite !output_right, !right_plus in A by (intros x I; apply B; auto).
    pose proof (power_positive g (- far)).
    apply Rmult_le_reg_l with (Rpower g (- far) * right g G); [now apply Rmult_lt_0_compat | lra].
  - destruct (H (- far)) as [A _].
    rewrite !output_left, !left_plus in A by (intros x I; apply B; auto).
    pose proof (power_positive g (- far)).
    apply Rmult_le_reg_l with (Rpower g (- far) * left g G); [now apply Rmult_lt_0_compat | lra].
Qed.

(** ** The smallest scale of two Bernoulli laws *)

Lemma right_bernoulli g p : 1 < g -> right g (bernoulli p) = 1 + p * (g - 1).
Proof. intros G; unfold right, bernoulli; cbn; rewrite Rpower_O, Rpower_1 by lra; ring. Qed.

Lemma left_bernoulli g p : 1 < g -> left g (bernoulli p) = (1 + (1 - p) * (g - 1)) / g.
Proof. intros G; unfold left, bernoulli; cbn; rewrite Ropp_0, Rpower_O, Rpower_Ropp, Rpower_1 by lra; field; lra. Qed.

Lemma bernoulli_outputs g p : 1 < g ->
  output g (bernoulli p) 0 = (1 + (1 - p) * (g - 1)) / g /\ output g (bernoulli p) 1 = (1 + p * (g - 1)) / g.
Proof.
  intros G; unfold output, noise, bernoulli; cbn; replace (0 - 0) with 0 by ring; replace (1 - 1) with 0 by ring.
  rewrite Rminus_0_r; replace (0 - 1) with (- (1)) by ring; rewrite Rabs_Ropp, Rabs_R0, Rabs_R1, Ropp_0.
  rewrite Rpower_O, Rpower_Ropp, Rpower_1 by lra; split; field; lra.
Qed.

(** Two numbers, of l < h, that e^(1/theta) - 1 may not multiply to more than e^eps - 1. *)
Definition most_of (E p q : R) : R :=
  Rmax (Rmax p q - E * Rmin p q) ((1 - Rmin p q) - E * (1 - Rmax p q)).

Lemma side_le g E a b : 1 < g -> 1 < E -> 0 <= a -> 0 <= b ->
  (g - 1) * (a - E * b) <= E - 1 <-> 1 + a * (g - 1) <= E * (1 + b * (g - 1)).
Proof. intros; split; intros; nra. Qed.

Lemma smaller_side g E a b : 1 < g -> 1 < E -> 0 <= a <= b -> 1 + a * (g - 1) <= E * (1 + b * (g - 1)).
Proof.
  intros G HE H; assert (a * (g - 1) <= b * (g - 1)) by (apply Rmult_le_compat_r; lra).
  assert (0 <= a * (g - 1)) by (apply Rmult_le_pos; lra); nra.
Qed.

Lemma smallest_scale p q others E g :
  0 <= p <= 1 -> 0 <= q <= 1 -> Forall is_law others -> 1 < E -> 1 < g ->
  (g - 1) * most_of E p q <= E - 1
  <-> worst_ratio g (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <= E.
Proof.
  intros HP HQ LO HE G; pose proof (sum_is_law _ LO) as LG.
  pose proof (bernoulli_is_law p HP) as LP; pose proof (bernoulli_is_law q HQ) as LQ.
  assert (C : (g - 1) * most_of E p q <= E - 1 <->
    (g - 1) * (Rmax p q - E * Rmin p q) <= E - 1 /\ (g - 1) * ((1 - Rmin p q) - E * (1 - Rmax p q)) <= E - 1).
  { unfold most_of; split; [intros H | intros [A B]; now apply (Rmax_case _ _ (fun m => (g - 1) * m <= E - 1))].
    split; (eapply Rle_trans; [apply Rmult_le_compat_l; [lra|] | exact H]); [apply Rmax_l | apply Rmax_r]. }
  rewrite C; clear C; assert (M : 0 <= Rmin p q /\ Rmax p q <= 1 /\ Rmin p q <= Rmax p q).
  { unfold Rmin, Rmax; destruct (Rle_dec p q); repeat split; lra. }
  rewrite !side_le by lra; split.
  - intros [A B]; eapply Rle_trans; [now apply beside_others|].
    assert (T : forall a b, 0 <= a <= 1 -> 0 <= b <= 1 -> Rmin a b = Rmin p q -> Rmax a b = Rmax p q ->
      largest_ratio g (bernoulli a) (bernoulli b) <= E).
    { intros a b Ha Hb Mi Ma; destruct (bernoulli_outputs g a G) as [A0 A1], (bernoulli_outputs g b G) as [B0 B1].
      assert (Z : 1 + (1 - a) * (g - 1) <= E * (1 + (1 - b) * (g - 1)) /\ 1 + a * (g - 1) <= E * (1 + b * (g - 1))).
      { rewrite <- Mi, <- Ma in A, B; unfold Rmin, Rmax in A, B.
        destruct (Rle_dec a b); split; try assumption; apply smaller_side; lra. }
      assert (D : forall u v, 0 < v -> u <= E * v -> u / g / (v / g) <= E).
      { intros u v V L; replace (u / g / (v / g)) with (u / v) by (field; lra); apply quotient_le; lra. }
      assert (K : forall c, 0 <= c <= 1 -> 0 < 1 + c * (g - 1)) by (intros c Hc; nra).
      apply largest_map_le; [lra|]; intros y I; cbn [bernoulli map app fst] in I.
      destruct I as [<-|[<-|[<-|[<-|[]]]]]; rewrite ?A0, ?A1, ?B0, ?B1; (apply D; [apply K; lra | apply Z]). }
    apply Rmax_lub; apply T; auto; [apply Rmin_comm | apply Rmax_comm].
  - intros W.
    assert (W' : worst_ratio g (plus (bernoulli q) (sum_of others)) (plus (bernoulli p) (sum_of others)) <= E).
    { unfold worst_ratio in *; now rewrite Rmax_comm. }
    destruct (far_ratio g _ _ _ E G LP LQ LG W) as [R1 L1], (far_ratio g _ _ _ E G LQ LP LG W') as [R2 L2].
    rewrite !right_bernoulli in R1, R2 by exact G; rewrite !left_bernoulli in L1, L2 by exact G.
    assert (D : forall u v, u / g <= E * (v / g) -> u <= E * v).
    { intros u v H; apply (Rmult_le_compat_l g) in H; [|lra]; replace (g * (u / g)) with u in H by (field; lra).
      replace (g * (E * (v / g))) with (E * v) in H by (field; lra); exact H. }
    apply D in L1, L2; unfold Rmin, Rmax; destruct (Rle_dec p q); split; assumption.
Qed.

(** ** (21) *)

Definition psi (p q r : R) : R := ((1 - Rmax p q) * r + Rmin p q) / (Rmax p q - Rmin p q).
Definition least (xs : list R) : R := fold_right Rmin (hd 0 xs) xs.
Definition quotients (G : law R) (X : list R) : list R :=
  filter (fun x => if Req_EM_T (mass Req_EM_T G (x - 1)) 0 then false else true) X.

(** e^(1/theta) of (21), x over those of a list with a finite quotient. *)
Definition growth_21 (E p q : R) (G : law R) (X : list R) : R :=
  least (map (fun x => E + (E - 1) * psi p q (mass Req_EM_T G x / mass Req_EM_T G (x - 1))) (quotients G X)).

Lemma least_le x xs : In x xs -> least xs <= x.
Proof.
  intros I; unfold least; generalize (hd 0 xs); intros d; induction xs as [|y xs IH]; [easy|].
  destruct I as [->|I]; cbn [fold_right]; [apply Rmin_l | eapply Rle_trans; [apply Rmin_r | now apply IH]].
Qed.

Lemma least_ge m xs : xs <> [] -> (forall x, In x xs -> m <= x) -> m <= least xs.
Proof.
  intros N H; assert (D : m <= hd 0 xs) by (destruct xs; [easy | apply H; now left]).
  unfold least; revert D; generalize (hd 0 xs); intros d D; clear N; induction xs as [|y xs IH]; cbn [fold_right]; [exact D|].
  apply Rmin_glb; [apply H; now left | apply IH; intros x I; apply H; now right].
Qed.

(** An E and a g as in Lemma 6: g is at most that of a place where the quotient is 0. *)
Lemma serves p q others E g : p <> q -> 0 <= p <= 1 -> 0 <= q <= 1 -> Forall is_law others -> 1 < E -> 1 < g ->
  g <= E + (E - 1) * psi p q 0 ->
  worst_ratio g (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <= E.
Proof.
  intros D HP HQ LO HE G B; apply smallest_scale; try assumption; unfold psi, most_of in *.
  assert (M : 0 <= Rmin p q /\ Rmax p q <= 1 /\ Rmin p q < Rmax p q).
  { unfold Rmin, Rmax; destruct (Rle_dec p q); repeat split; lra. }
  revert B M; generalize (Rmin p q) (Rmax p q); intros l h B [L [H LH]].
  assert (V : (g - 1) * (h - l) <= E - 1).
  { replace (E + (E - 1) * (((1 - h) * 0 + l) / (h - l))) with (1 + (E - 1) * h / (h - l)) in B by (field; lra).
    assert (V : (g - 1) * (h - l) <= (E - 1) * h / (h - l) * (h - l)) by (apply Rmult_le_compat_r; lra).
    replace ((E - 1) * h / (h - l) * (h - l)) with ((E - 1) * h) in V by (field; lra); nra. }
  apply (Rmax_case _ _ (fun m => (g - 1) * m <= E - 1)); (eapply Rle_trans; [|exact V]); apply Rmult_le_compat_l; nra.
Qed.

(** The largest point that has mass. *)
Lemma last_point G : is_law G -> exists m, In m (map fst G) /\ mass Req_EM_T G m <> 0 /\ mass Req_EM_T G (m + 1) = 0.
Proof.
  intros [N M].
  assert (E : forall x, mass Req_EM_T G x <> 0 -> In x (map fst G)).
  { intros x Z; destruct (in_dec Req_EM_T x (map fst G)) as [I|I]; [exact I|]; exfalso; apply Z; clear -I.
    unfold mass, prob; induction G as [|[a w] G IH]; [reflexivity|]; cbn [mean map fst In] in *.
    rewrite IH by tauto; unfold indicator, at_; destruct Req_EM_T; [exfalso; apply I; auto | ring]. }
  assert (F : exists x, In x (map fst G) /\ mass Req_EM_T G x <> 0).
  { destruct (points_carry G) as [_ C]; rewrite (C (fun _ => 1)) in M.
    assert (K : forall l, total (map (fun a => 1 * mass Req_EM_T G a) l) <> 0 -> exists x, In x l /\ mass Req_EM_T G x <> 0).
    { induction l as [|x l IH]; cbn [map total]; intros T; [easy|].
      destruct (Req_EM_T (mass Req_EM_T G x) 0) as [Z|Z]; [|exists x; split; [now left | exact Z]].
      destruct IH as [y [I Y]]; [lra | exists y; split; [now right | exact Y]]. }
    destruct (K (points G)) as [x [I Z]]; [lra|]; exists x; split; [now apply in_points | exact Z]. }
  set (S := filter (fun x => if Req_EM_T (mass Req_EM_T G x) 0 then false else true) (map fst G)).
  assert (IS : forall x, In x S <-> In x (map fst G) /\ mass Req_EM_T G x <> 0).
  { intros x; unfold S; rewrite filter_In; destruct Req_EM_T; intuition congruence. }
  destruct (nearest_below (largest S) S) as [m [I [_ U]]].
  { destruct F as [x F]; exists x; split; [now apply IS | now apply largest_ge, IS]. }
  exists m; split; [now apply IS|]; split; [now apply IS|].
  destruct (Req_EM_T (mass Req_EM_T G (m + 1)) 0) as [Z|Z]; [exact Z|]; exfalso.
  assert (J : In (m + 1) S) by (apply IS; auto); specialize (U _ J (largest_ge _ _ J)); lra.
Qed.

Lemma growth_beyond E p q G X m : mass Req_EM_T G m <> 0 -> mass Req_EM_T G (m + 1) = 0 -> In (m + 1) X ->
  growth_21 E p q G X <= E + (E - 1) * psi p q 0.
Proof.
  intros M Z I; apply least_le, in_map_iff; exists (m + 1); split.
  - rewrite Z; unfold Rdiv at 1; now rewrite Rmult_0_l.
  - apply filter_In; split; [exact I|]; replace (m + 1 - 1) with m by ring; now destruct Req_EM_T.
Qed.

Lemma growth_at_least E p q G X : p <> q -> 0 <= p <= 1 -> 0 <= q <= 1 -> is_law G -> 1 < E -> quotients G X <> [] ->
  E + (E - 1) * psi p q 0 <= growth_21 E p q G X.
Proof.
  intros D HP HQ [N _] HE Q; apply least_ge; [intros C; apply map_eq_nil in C; easy|].
  intros x I; apply in_map_iff in I as [y [<- I]]; apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
  assert (M : 0 <= Rmin p q /\ Rmax p q <= 1 /\ Rmin p q < Rmax p q).
  { unfold Rmin, Rmax; destruct (Rle_dec p q); repeat split; lra. }
  unfold psi; revert M; generalize (Rmin p q) (Rmax p q); intros l h [L [H LH]].
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  assert (0 <= mass Req_EM_T G y / mass Req_EM_T G (y - 1)); [|nra].
  pose proof (prob_nonnegative (at_ Req_EM_T y) G N); pose proof (prob_nonnegative (at_ Req_EM_T (y - 1)) G N).
  unfold mass; apply filter_In in I as [_ I]; unfold mass in I; destruct Req_EM_T as [|Z]; [easy|].
  apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma psi_at_zero p q : p <> q -> 0 <= p -> 0 <= q -> 0 <= psi p q 0 /\ (0 < p -> 0 < q -> 0 < psi p q 0).
Proof.
  intros D HP HQ; unfold psi; assert (M : 0 <= Rmin p q /\ Rmin p q < Rmax p q /\ (0 < p -> 0 < q -> 0 < Rmin p q)).
  { unfold Rmin, Rmax; destruct (Rle_dec p q); repeat split; intros; lra. }
  revert M; generalize (Rmin p q) (Rmax p q); intros l h [L [LH P]]; assert (0 < / (h - l)) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv; rewrite Rmult_0_r, Rplus_0_l; split; [apply Rmult_le_pos; lra | intros; apply Rmult_lt_0_compat; [auto | assumption]].
Qed.

Lemma some_quotient G X : largest (map (fun x => mass Req_EM_T G (x - 1)) X) > 0 -> quotients G X <> [].
Proof.
  intros L N; apply (Rgt_not_le _ _ L), largest_map_le; [lra|]; intros x I.
  destruct (Req_EM_T (mass Req_EM_T G (x - 1)) 0) as [Z|Z]; [lra|]; exfalso.
  assert (J : In x (quotients G X)) by (apply filter_In; split; [exact I|]; now destruct Req_EM_T).
  rewrite N in J; easy.
Qed.

Lemma binary_laws others : Forall (on [0; 1]) others -> Forall is_law others.
Proof. intros H; eapply Forall_impl; [|exact H]; intros P [L _]; exact L. Qed.

(** The sum of n reports of 0 or 1 is one of 0, ..., n. *)
Lemma binary_sum others x : Forall (on [0; 1]) others -> In x (map fst (sum_of others)) ->
  exists k, (k <= length others)%nat /\ x = INR k.
Proof.
  intros H; revert x; induction H as [|P others [_ I] H IH]; intros x J; cbn [sum_of fold_right length] in *.
  - destruct J as [<-|[]]; exists 0%nat; split; [lia | reflexivity].
  - fold (sum_of others) in J; apply in_map_iff in J as [[y w] [<- J]]; cbn [fst].
    assert (K : exists a b, In a (map fst P) /\ In b (map fst (sum_of others)) /\ y = a + b).
    { clear -J; unfold plus in J; induction P as [|[a m] P IH]; [easy|]; cbn [bind] in J; apply in_app_or in J as [J|J].
      - apply in_map_iff in J as [[z v] [E J]]; apply in_map_iff in J as [[b u] [F J]]; cbn in *.
        exists a, b; split; [now left|]; split; [apply in_map_iff; now exists (b, u) | congruence].
      - destruct (IH J) as [c [b [C B]]]; exists c, b; split; [now right | exact B]. }
    destruct K as [a [b [A [B ->]]]]; destruct (IH b B) as [k [K ->]].
    destruct (I a A) as [<-|[<-|[]]]; [exists k; split; [lia | ring] | exists (S k); split; [lia | rewrite S_INR; ring]].
Qed.

Lemma in_plus P G a b : In a (map fst P) -> In b (map fst G) -> In (a + b) (map fst (plus P G)).
Proof.
  intros A B; unfold plus; induction P as [|[x m] P IH]; [easy|]; cbn [bind map]; rewrite map_app; apply in_or_app.
  destruct A as [E|A]; [left | right; now apply IH]; cbn in E; subst.
  unfold weighted, image; rewrite !map_map; apply in_map_iff in B as [[z v] [<- B]]; apply in_map_iff; now exists (z, v).
Qed.

Theorem ding2025_repair_lemma_6 (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (growth : R) : 0
    <= p -> p <= 1 -> 0 <= q -> q <= 1 -> Forall is_law others -> 1 < exp_epsilon -> 1 < growth -> p <> q
    -> (if Rle_dec ((growth - 1) * (Rmax ((Rmax p q) - (exp_epsilon * (Rmin p q))) (((1 - (Rmin p q)) -
    (exp_epsilon * (1 - (Rmax p q))))))) (exp_epsilon - 1) then 1 else 0) = (if Rle_dec (worst_ratio
    growth (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others))) exp_epsilon then 1
    else 0).
Proof.
  intros P0 P1 Q0 Q1 LO E G D; pose proof (smallest_scale p q others exp_epsilon growth ltac:(lra) ltac:(lra) LO E G) as S.
  unfold most_of in S; destruct Rle_dec as [A|A], Rle_dec as [B|B]; try reflexivity; exfalso; tauto.
Qed.

Theorem ding2025_smaller_theta (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (X : list R) : 0
    <= p -> p <= 1 -> 0 <= q -> q <= 1 -> Forall (on [0; 1]) others -> 1 < exp_epsilon -> p <> q ->
    largest (map (fun x => mass Req_EM_T (sum_of others) (x - 1)) X) > 0 -> growth_21 exp_epsilon p q
    (sum_of others) X >= exp_epsilon.
Proof.
  intros P0 P1 Q0 Q1 B E D X0; pose proof (sum_is_law _ (binary_laws _ B)) as LG.
  destruct (psi_at_zero p q D P0 Q0) as [Z _].
  pose proof (growth_at_least exp_epsilon p q _ X D ltac:(lra) ltac:(lra) LG E (some_quotient _ X X0)); nra.
Qed.

Theorem ding2025_figure_8 (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (X : list R) : 1 / 5
    <= p -> p <= 1 / 5 -> 9 / 10 <= q -> q <= 9 / 10 -> Forall is_law others -> 1 < exp_epsilon -> largest
    (map (fun x => mass Req_EM_T (sum_of others) (x - 1)) X) > 0 -> growth_21 exp_epsilon p q (sum_of
    others) X > exp_epsilon.
Proof.
  intros P0 P1 Q0 Q1 LO E X0; destruct (psi_at_zero p q ltac:(lra) ltac:(lra) ltac:(lra)) as [_ Z]; specialize (Z ltac:(lra) ltac:(lra)).
  pose proof (growth_at_least exp_epsilon p q _ X ltac:(lra) ltac:(lra) ltac:(lra) (sum_is_law _ LO) E (some_quotient _ X X0)).
  nra.
Qed.

Lemma attains_over X p q others E g : p <> q -> 0 <= p <= 1 -> 0 <= q <= 1 -> Forall is_law others -> 1 < E -> 1 < g ->
  (forall m, In m (map fst (sum_of others)) -> In (m + 1) X) -> g <= growth_21 E p q (sum_of others) X ->
  worst_ratio g (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <= E.
Proof.
  intros D HP HQ LO HE G HX B; apply serves; try assumption; eapply Rle_trans; [exact B|].
  destruct (last_point _ (sum_is_law _ LO)) as [m [I [M Z]]]; now apply growth_beyond with m; [| |apply HX].
Qed.

Lemma beyond_in_alphabet others m : In m (map fst (sum_of others)) ->
  In (m + 1) (map fst (plus (bernoulli (1 / 2)) (sum_of others))).
Proof. intros I; rewrite Rplus_comm; apply in_plus; [right; now left | exact I]. Qed.

Theorem ding2025_lemma_6_less_as_in_proof (p : R) (q : R) (others : list (law R)) (exp_epsilon : R)
    (growth : R) : 0 <= p -> p < 1 -> p < q -> q <= 1 -> Forall (on [0; 1]) others -> 1 < exp_epsilon -> 1
    < growth -> growth <= growth_21 exp_epsilon p q (sum_of others) (map INR (seq 1 (S (length others))))
    -> worst_ratio growth (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <=
    exp_epsilon.
Proof.
  intros P0 P1 Q0 Q1 B E G; apply attains_over; try assumption; try lra; [now apply binary_laws|]; intros m I.
  destruct (binary_sum others m B I) as [k [K ->]]; apply in_map_iff; exists (S k); split; [apply S_INR | apply in_seq; lia].
Qed.

Theorem ding2025_lemma_6_less (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (growth : R) : 0
    <= p -> p < 1 -> p < q -> q <= 1 -> Forall is_law others -> 1 < exp_epsilon -> 1 < growth -> growth <=
    growth_21 exp_epsilon p q (sum_of others) (map fst (plus (bernoulli (1 / 2)) (sum_of others))) ->
    worst_ratio growth (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <=
    exp_epsilon.
Proof. intros P0 P1 Q0 Q1 LO E G; apply attains_over; try assumption; try lra; apply beyond_in_alphabet. Qed.

Theorem ding2025_lemma_6_more (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (growth : R) : 0 <
    p -> p <= 1 -> 0 <= q -> q < p -> Forall is_law others -> 1 < exp_epsilon -> 1 < growth -> growth <=
    growth_21 exp_epsilon p q (sum_of others) (map fst (plus (bernoulli (1 / 2)) (sum_of others))) ->
    worst_ratio growth (plus (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) <=
    exp_epsilon.
Proof. intros P0 P1 Q0 Q1 LO E G; apply attains_over; try assumption; try lra; apply beyond_in_alphabet. Qed.
