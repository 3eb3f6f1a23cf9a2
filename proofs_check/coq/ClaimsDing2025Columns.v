(** * Ding, Lu, Yang and Zhang (2025), Section 4.4.1: the plan of two Bernoulli users in the request (20)

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles ClaimsDing2025Bernoulli.
Import ListNotations.
Open Scope R_scope.

(** ** Laws on the integers *)

Definition integers (P : law R) : Prop := Forall (fun e => exists k : Z, fst e = IZR k) P.

Lemma integer_point P x : integers P -> In x (map fst P) -> exists k : Z, x = IZR k.
Proof. intros H I; apply in_map_iff in I as [e [<- I]]; unfold integers in H; rewrite Forall_forall in H; now apply H. Qed.

Lemma points_integers P : (forall x, In x (map fst P) -> exists k : Z, x = IZR k) -> integers P.
Proof. intros H; apply Forall_forall; intros e I; apply H, in_map, I. Qed.

Lemma in_plus_inv P G y : In y (map fst (plus P G)) -> exists a b, In a (map fst P) /\ In b (map fst G) /\ y = a + b.
Proof.
  unfold plus; induction P as [|[a m] P IH]; [easy|]; cbn [bind]; rewrite map_app; intros J; apply in_app_or in J as [J|J].
  - unfold weighted, image in J; rewrite !map_map in J; apply in_map_iff in J as [[b u] [<- J]]; cbn.
    exists a, b; split; [now left|]; split; [apply in_map_iff; now exists (b, u) | reflexivity].
  - destruct (IH J) as [c [b [C B]]]; exists c, b; split; [now right | exact B].
Qed.

Lemma sum_integers others : Forall (fun P => is_law P /\ integers P) others -> integers (sum_of others).
Proof.
  induction 1 as [|P others [_ I] H IH]; cbn [sum_of fold_right].
  - constructor; [now exists 0%Z | constructor].
  - apply points_integers; intros x J; apply in_plus_inv in J as [a [b [A [B ->]]]].
    destruct (integer_point P a I A) as [k ->], (integer_point _ b IH B) as [j ->]; exists (k + j)%Z; now rewrite plus_IZR.
Qed.

Lemma integer_laws others : Forall (fun P => is_law P /\ integers P) others -> Forall is_law others.
Proof. intros H; eapply Forall_impl; [|exact H]; intros P [L _]; exact L. Qed.

(** ** Two Bernoulli users beside others *)

Lemma up_to_bernoulli p G x : up_to (plus (bernoulli p) G) x = (1 - p) * up_to G x + p * up_to G (x - 1).
Proof.
  rewrite up_to_plus; unfold up_to at 1, prob, bernoulli; cbn [mean].
  rewrite (mean_ext _ (fun m => (1 - p) * indicator (at_most x) m + p * indicator (at_most (x - 1)) m)).
  - rewrite mean_plus, !mean_scale; reflexivity.
  - intros m; unfold up_to, prob; cbn [mean]; unfold indicator, at_most.
    destruct (Rle_dec 0 (x - m)), (Rle_dec 1 (x - m)), (Rle_dec m x), (Rle_dec m (x - 1)); lra.
Qed.

Lemma before_integer P x k : integers P -> x = IZR k -> before P x = up_to P (x - 1).
Proof.
  intros H ->; apply before_same; [lra|]; intros y I L; apply in_points in I.
  destruct (integer_point P y H I) as [j ->]; apply lt_IZR in L; rewrite <- minus_IZR; apply IZR_le; lia.
Qed.

Lemma up_to_step P x k : integers P -> x = IZR k -> up_to P x = up_to P (x - 1) + mass Req_EM_T P x.
Proof. intros H E; rewrite <- (before_integer P x k H E); pose proof (mass_of_steps P x); lra. Qed.

Lemma beside_integers p G : integers G -> integers (plus (bernoulli p) G).
Proof.
  intros H; apply points_integers; intros x I; apply in_plus_inv in I as [a [b [A [B ->]]]].
  destruct (integer_point G b H B) as [k ->].
  destruct A as [<-|[<-|[]]]; [exists k; cbn; ring | exists (1 + k)%Z; now rewrite plus_IZR].
Qed.

Section Less.
Variables (p q : R) (G : law R).
Hypotheses (P0 : 0 <= p) (PQ : p < q) (Q1 : q <= 1) (LG : is_law G) (IG : integers G).
Let A := plus (bernoulli p) G.
Let B := plus (bernoulli q) G.

Lemma less_law r : 0 <= r <= 1 -> is_law (plus (bernoulli r) G).
Proof. intros H; apply plus_is_law; [now apply bernoulli_is_law | exact LG]. Qed.

Lemma less_below x : up_to B x <= up_to A x.
Proof. unfold A, B; rewrite !up_to_bernoulli; pose proof (up_to_le G (x - 1) x (proj1 LG) ltac:(lra)); nra. Qed.

Lemma less_above x : up_to A x <= up_to B (x + 1).
Proof.
  unfold A, B; rewrite !up_to_bernoulli; replace (x + 1 - 1) with x by ring.
  pose proof (up_to_le G (x - 1) x (proj1 LG) ltac:(lra)); pose proof (up_to_le G x (x + 1) (proj1 LG) ltac:(lra)); nra.
Qed.

Lemma less_nonnegative x z : 0 <= plan A B x z.
Proof. apply plan_nonnegative; apply less_law; lra. Qed.

Lemma has_point P x : before P x < up_to P x -> In x (map fst P).
Proof.
  intros H; destruct (in_dec Req_EM_T x (map fst P)) as [I|I]; [exact I|]; exfalso; apply (Rlt_irrefl (up_to P x)).
  eapply Rle_lt_trans; [|exact H]; right; unfold up_to, before, prob; apply mean_ext_on; intros y J.
  unfold indicator, at_most, less; destruct (Rle_dec y x), (Rlt_dec y x); try reflexivity; [|lra].
  exfalso; apply I; replace x with y by lra; exact J.
Qed.

(** The support: the mass moves by 0 or by 1. *)
Lemma less_support x z : 0 < plan A B x z -> (exists k, z = IZR k) /\ (x = z \/ x = z - 1).
Proof.
  intros H; apply plan_support in H as [H1 [H2 [H3 H4]]]; [|apply less_law; lra | apply less_law; lra].
  destruct (integer_point _ x (beside_integers p G IG) (has_point _ x H3)) as [j ->].
  destruct (integer_point _ z (beside_integers q G IG) (has_point _ z H4)) as [k ->].
  split; [now exists k|].
  assert (L : IZR j <= IZR k).
  { destruct (Rle_dec (IZR j) (IZR k)) as [|N]; [assumption|]; exfalso.
    pose proof (up_to_before A (IZR k) (IZR j) (proj1 (less_law p ltac:(lra))) ltac:(lra)).
    pose proof (less_below (IZR k)); lra. }
  assert (U : IZR k <= IZR j + 1).
  { destruct (Rle_dec (IZR k) (IZR j + 1)) as [|N]; [assumption|]; exfalso.
    pose proof (up_to_before B (IZR j + 1) (IZR k) (proj1 (less_law q ltac:(lra))) ltac:(lra)).
    pose proof (less_above (IZR j)); lra. }
  apply le_IZR in L; rewrite <- plus_IZR in U; apply le_IZR in U.
  destruct (Z.eq_dec j k) as [->|]; [now left | right; rewrite <- minus_IZR; f_equal; lia].
Qed.

Lemma less_mass z k : z = IZR k ->
  plan A B z z = p * mass Req_EM_T G (z - 1) + (1 - q) * mass Req_EM_T G z
  /\ plan A B (z - 1) z = (q - p) * mass Req_EM_T G (z - 1).
Proof.
  intros E; assert (E1 : z - 1 = IZR (k - 1)) by (rewrite minus_IZR; lra).
  pose proof (beside_integers p G IG) as IA; pose proof (beside_integers q G IG) as IB.
  unfold plan, A, B; rewrite (before_integer _ z k IA E), (before_integer _ z k IB E), (before_integer _ (z - 1) _ IA E1).
  fold A B; pose proof (less_below z) as B0; pose proof (less_below (z - 1)) as B1; pose proof (less_above (z - 1)) as U1.
  pose proof (less_above (z - 1 - 1)) as U2; pose proof (less_above z) as U0.
  replace (z - 1 + 1) with z in U1 by ring; replace (z - 1 - 1 + 1) with (z - 1) in U2 by ring.
  pose proof (up_to_le A (z - 1 - 1) (z - 1) (proj1 (less_law p ltac:(lra))) ltac:(lra)) as M1.
  pose proof (up_to_le A (z - 1) z (proj1 (less_law p ltac:(lra))) ltac:(lra)) as M2.
  pose proof (up_to_le B (z - 1) z (proj1 (less_law q ltac:(lra))) ltac:(lra)) as M3.
  assert (T : up_to B z - up_to A (z - 1) = p * mass Req_EM_T G (z - 1) + (1 - q) * mass Req_EM_T G z
    /\ up_to A (z - 1) - up_to B (z - 1) = (q - p) * mass Req_EM_T G (z - 1)).
  { unfold A, B; rewrite !up_to_bernoulli; rewrite (up_to_step G z k IG E), (up_to_step G (z - 1) _ IG E1); split; ring. }
  destruct T as [T1 T2]; rewrite <- T1, <- T2; split.
  - rewrite (Rmin_right (up_to A z)), (Rmin_right (up_to A z)), (Rmin_left (up_to A (z - 1))), (Rmin_right (up_to A (z - 1))) by lra; ring.
  - rewrite (Rmin_left (up_to A (z - 1))), (Rmin_right (up_to A (z - 1))), (Rmin_left (up_to A (z - 1 - 1))), (Rmin_left (up_to A (z - 1 - 1))) by lra; ring.
Qed.

Lemma less_none x z : ~ In x (map fst A) \/ ~ In z (map fst B) -> plan A B x z = 0.
Proof.
  intros N; destruct (less_nonnegative x z) as [H|H]; [|now symmetry]; exfalso.
  apply plan_support in H as [_ [_ [H3 H4]]]; [|apply less_law; lra | apply less_law; lra].
  apply has_point in H3, H4; tauto.
Qed.
End Less.

(** A sum of which two entries count. *)
Lemma two_count (f : R -> R) a b xs : NoDup xs -> a <> b -> (forall x, f x <> 0 -> x = a \/ x = b) ->
  (~ In a xs -> f a = 0) -> (~ In b xs -> f b = 0) -> total (map f xs) = f a + f b.
Proof.
  intros N D H HA HB; rewrite (total_ext f (fun x => f x * indicator (at_ Req_EM_T x) a + f x * indicator (at_ Req_EM_T x) b)).
  - rewrite total_plus, !(total_at Req_EM_T f) by exact N; destruct (in_dec Req_EM_T a xs), (in_dec Req_EM_T b xs);
      rewrite ?HA, ?HB by assumption; ring.
  - intros x _; unfold indicator, at_; destruct (Req_EM_T x a), (Req_EM_T x b); subst; try (exfalso; now apply D); try ring.
    destruct (Req_EM_T (f x) 0) as [Z|Z]; [rewrite Z; ring | destruct (H x Z); contradiction].
Qed.

(** Column z of (20): the sum over x of (e^(|x - z|/theta) - e^eps) pi(x, z). *)
Definition column_20 (g E : R) (P Q : law R) (z : R) : R :=
  total (map (fun x => (Rpower g (Rabs (x - z)) - E) * plan P Q x z) (points P)).

Lemma nodup_points P : NoDup (points P).
Proof. apply NoDup_nodup. Qed.

Lemma column_less p q G g E z : 0 <= p -> p < q -> q <= 1 -> is_law G -> integers G -> 1 < g ->
  column_20 g E (plus (bernoulli p) G) (plus (bernoulli q) G) z
  = (1 - E) * plan (plus (bernoulli p) G) (plus (bernoulli q) G) z z
    + (g - E) * plan (plus (bernoulli p) G) (plus (bernoulli q) G) (z - 1) z.
Proof.
  intros P0 PQ Q1 LG IG HG; unfold column_20; rewrite (two_count _ z (z - 1)).
  - replace (z - z) with 0 by ring; rewrite Rabs_R0, Rpower_O by lra.
    replace (z - 1 - z) with (- (1)) by ring; rewrite Rabs_Ropp, Rabs_R1, Rpower_1 by lra; ring.
  - apply nodup_points.
  - lra.
  - intros x N; destruct (less_nonnegative p q G P0 PQ Q1 LG x z) as [H|H]; [|exfalso; apply N; rewrite <- H; ring].
    now destruct (less_support p q G P0 PQ Q1 LG IG x z H).
  - intros N; rewrite less_none; [ring | assumption .. | left; intros I; apply N; now apply in_points].
  - intros N; rewrite less_none; [ring | assumption .. | left; intros I; apply N; now apply in_points].
Qed.

Lemma column_more p q G g E z : 0 <= q -> q < p -> p <= 1 -> is_law G -> integers G -> 1 < g ->
  column_20 g E (plus (bernoulli p) G) (plus (bernoulli q) G) z
  = (1 - E) * plan (plus (bernoulli p) G) (plus (bernoulli q) G) z z
    + (g - E) * plan (plus (bernoulli p) G) (plus (bernoulli q) G) (z + 1) z.
Proof.
  intros Q0 QP P1 LG IG HG; unfold column_20; rewrite (two_count _ z (z + 1)).
  - replace (z - z) with 0 by ring; rewrite Rabs_R0, Rpower_O by lra.
    replace (z + 1 - z) with 1 by ring; rewrite Rabs_R1, Rpower_1 by lra; ring.
  - apply nodup_points.
  - lra.
  - intros x N; rewrite plan_reversed in N.
    destruct (less_nonnegative q p G Q0 QP P1 LG z x) as [H|H]; [|exfalso; apply N; rewrite <- H; ring].
    destruct (less_support q p G Q0 QP P1 LG IG z x H) as [_ [->| ->]]; [now left | right; ring].
  - intros N; rewrite plan_reversed, less_none; [ring | assumption .. | right; intros I; apply N; now apply in_points].
  - intros N; rewrite plan_reversed, less_none; [ring | assumption .. | right; intros I; apply N; now apply in_points].
Qed.

Lemma binary_integers others : Forall (on [0; 1]) others -> integers (sum_of others).
Proof. intros H; apply points_integers; intros x I; destruct (binary_sum others x H I) as [k [_ ->]]; exists (Z.of_nat k); apply INR_IZR_INZ. Qed.

(** ** (23) *)

Definition all_columns (g E : R) (P Q : law R) : R :=
  if Rle_dec (largest (map (column_20 g E P Q) (points Q))) 0 then 1 else 0.
Definition displayed (g E : R) (pi : R -> R -> R) (zs : list R) : R :=
  if Rle_dec (largest (map (fun z => pi z z + g * pi (z - 1) z - (pi z z + pi (z - 1) z) * E) zs)) 0 then 1 else 0.
Definition bounded (g E : R) (pi : R -> R -> R) (zs : list R) : R :=
  if Rle_dec (largest (map (fun z => if Rlt_dec 0 (pi (z - 1) z) then g - (E + (E - 1) * (pi z z / pi (z - 1) z)) else 0) zs)) 0
  then 1 else 0.

Lemma none_above (f : R -> R) xs : largest (map f xs) <= 0 <-> forall x, In x xs -> f x <= 0.
Proof.
  split; intros H; [|apply largest_map_le; [lra | exact H]].
  intros x I; exact (Rle_trans _ _ _ (largest_map_ge f x xs I) H).
Qed.

Theorem ding2025_equation_23 (p : R) (q : R) (others : list (law R)) (growth : R) (e : R) : 0 <= p -> p <
    1 -> p < q -> q <= 1 -> Forall (on [0; 1]) others -> 1 < growth -> 1 < e -> all_columns growth e (plus
    (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) = displayed growth e (plan (plus
    (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others))) (map INR (seq 1 (S (length
    others)))) /\ displayed growth e (plan (plus (bernoulli p) (sum_of others)) (plus (bernoulli q)
    (sum_of others))) (map INR (seq 1 (S (length others)))) <= bounded growth e (plan (plus (bernoulli p)
    (sum_of others)) (plus (bernoulli q) (sum_of others))) (map INR (seq 1 (S (length others)))).
Proof.
  intros P0 P1 PQ Q1 HB G HE; pose proof (sum_is_law _ (binary_laws _ HB)) as LG; pose proof (binary_integers _ HB) as IG.
  set (A := plus (bernoulli p) (sum_of others)); set (B := plus (bernoulli q) (sum_of others)).
  set (zs := map INR (seq 1 (S (length others)))).
  assert (C : forall z, column_20 growth e A B z = plan A B z z + growth * plan A B (z - 1) z - (plan A B z z + plan A B (z - 1) z) * e).
  { intros z; unfold A, B; rewrite column_less by assumption; ring. }
  assert (S : (forall z, In z (points B) -> column_20 growth e A B z <= 0)
    <-> forall z, In z zs -> plan A B z z + growth * plan A B (z - 1) z - (plan A B z z + plan A B (z - 1) z) * e <= 0).
  { split; intros H z I; [rewrite <- C | rewrite C].
    - destruct (in_dec Req_EM_T z (points B)) as [J|J]; [now apply H|]; rewrite C.
      assert (N : ~ In z (map fst B)) by (intros K; apply J; now apply in_points).
      unfold A, B in N |- *; rewrite (less_none p q _ P0 PQ Q1 LG z z (or_intror N)), (less_none p q _ P0 PQ Q1 LG (z - 1) z (or_intror N)); lra.
    - assert (K : exists k, (k <= S (length others))%nat /\ z = INR k).
      { apply (binary_sum (bernoulli q :: others)); [|now apply in_points].
        constructor; [|exact HB]; split; [apply bernoulli_is_law; lra | apply incl_refl]. }
      destruct K as [[|k] [K ->]]; [|apply H, in_map, in_seq; lia].
      assert (Z : plan A B (INR 0 - 1) (INR 0) = 0).
      { apply less_none; try assumption; left; intros J.
        assert (L : exists k, (k <= S (length others))%nat /\ INR 0 - 1 = INR k).
        { apply (binary_sum (bernoulli p :: others)); [|exact J].
          constructor; [|exact HB]; split; [apply bernoulli_is_law; lra | apply incl_refl]. }
        destruct L as [k [_ L]]; pose proof (pos_INR k); cbn in L; lra. }
      rewrite Z; pose proof (less_nonnegative p q _ P0 PQ Q1 LG (INR 0) (INR 0)) as N; fold A B in N; nra. }
  rewrite <- !none_above in S; unfold all_columns, displayed, bounded; split.
  - destruct Rle_dec as [D|D], Rle_dec as [F|F]; try reflexivity; exfalso; tauto.
  - destruct Rle_dec as [D|D]; [|destruct Rle_dec; lra]; destruct Rle_dec as [F|F]; [lra|]; exfalso; apply F, none_above.
    intros z I; rewrite none_above in D; specialize (D z I); cbv beta in D; destruct Rlt_dec as [M|]; [|lra].
    assert (K : (growth - e) <= (e - 1) * plan A B z z / plan A B (z - 1) z).
    { apply Rmult_le_reg_r with (plan A B (z - 1) z); [exact M|].
      replace ((e - 1) * plan A B z z / plan A B (z - 1) z * plan A B (z - 1) z) with ((e - 1) * plan A B z z) by (field; lra); lra. }
    unfold Rdiv in *; lra.
Qed.

(** ** Scales that satisfy (20) *)

Lemma met g E stay move : 1 < E -> 0 <= stay -> 0 <= move -> (move <> 0 -> g <= E + (E - 1) * (stay / move)) ->
  (1 - E) * stay + (g - E) * move <= 0.
Proof.
  intros HE S M H; destruct (Req_EM_T move 0) as [->|N]; [nra|]; specialize (H N).
  assert (K : (g - E) * move <= (E - 1) * (stay / move) * move) by (apply Rmult_le_compat_r; lra).
  replace ((E - 1) * (stay / move) * move) with ((E - 1) * stay) in K by (field; lra); lra.
Qed.

Lemma has_mass G x : is_law G -> mass Req_EM_T G x <> 0 -> In x (map fst G).
Proof.
  intros [N _] M; apply has_point; pose proof (before_le G x N); pose proof (mass_of_steps G x) as E.
  destruct (Rlt_dec (before G x) (up_to G x)); [assumption|]; exfalso; apply M; lra.
Qed.

Theorem ding2025_condition_20_less (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (z : R) : 0
    <= p -> p < 1 -> p < q -> q <= 1 -> Forall (on [0; 1]) others -> 1 < exp_epsilon -> column_20
    (growth_21 exp_epsilon p q (sum_of others) (map INR (seq 1 (S (length others))))) exp_epsilon (plus
    (bernoulli p) (sum_of others)) (plus (bernoulli q) (sum_of others)) z <= 0.
Proof.
  intros P0 P1 PQ Q1 HB HE; pose proof (sum_is_law _ (binary_laws _ HB)) as LG; pose proof (binary_integers _ HB) as IG.
  set (G := sum_of others) in *; set (X := map INR (seq 1 (S (length others)))); set (g := growth_21 exp_epsilon p q G X).
  assert (IX : forall x, mass Req_EM_T G (x - 1) <> 0 -> In x (quotients G X)).
  { intros x M; apply filter_In; split; [|now destruct Req_EM_T]; apply has_mass in M; [|exact LG].
    destruct (binary_sum others _ HB M) as [k [K E]]; apply in_map_iff; exists (S k).
    split; [rewrite S_INR; lra | apply in_seq; lia]. }
  assert (HG : 1 < g).
  { destruct (psi_at_zero p q ltac:(lra) ltac:(lra) ltac:(lra)) as [Z _].
    assert (N : quotients G X <> []).
    { destruct (last_point G LG) as [m [_ [M _]]]; intros N; assert (J : In (m + 1) (quotients G X)).
      { apply IX; now replace (m + 1 - 1) with m by ring. }
      rewrite N in J; easy. }
    pose proof (growth_at_least exp_epsilon p q G X ltac:(lra) ltac:(lra) ltac:(lra) LG HE N) as W; fold g in W; nra. }
  rewrite column_less by assumption.
  apply met; [exact HE | now apply less_nonnegative .. |]; intros M.
  destruct (less_nonnegative p q G P0 PQ Q1 LG (z - 1) z) as [H|H]; [|congruence].
  destruct (less_support p q G P0 PQ Q1 LG IG _ z H) as [[k K] _].
  destruct (less_mass p q G P0 PQ Q1 LG IG z k K) as [-> W]; rewrite W in M |- *.
  assert (N : mass Req_EM_T G (z - 1) <> 0) by (intros N; apply M; rewrite N; ring).
  unfold g, growth_21; eapply Rle_trans; [apply least_le, in_map, (IX z N)|]; right; unfold psi.
  rewrite Rmax_right, Rmin_left by lra; field; lra.
Qed.

(** The same for p > q, with the ratio of the plan, x over the points that have mass. *)
Definition growth_of_ratio (E p q : R) (G : law R) : R :=
  least (map (fun x => E + (E - 1) * (((1 - p) + q * (mass Req_EM_T G (x - 1) / mass Req_EM_T G x)) / (p - q)))
    (filter (fun x => if Req_EM_T (mass Req_EM_T G x) 0 then false else true) (points G))).

Theorem ding2025_repair_condition_20 (p : R) (q : R) (others : list (law R)) (exp_epsilon : R) (z : R) : 0
    < p -> p <= 1 -> 0 <= q -> q < p -> Forall (fun P => is_law P /\ integers P) others -> 1 < exp_epsilon
    -> column_20 (growth_of_ratio exp_epsilon p q (sum_of others)) exp_epsilon (plus (bernoulli p) (sum_of
    others)) (plus (bernoulli q) (sum_of others)) z <= 0.
Proof.
  intros P0 P1 Q0 QP HB HE; pose proof (sum_is_law _ (integer_laws _ HB)) as LG; pose proof (sum_integers _ HB) as IG.
  set (G := sum_of others) in *; set (g := growth_of_ratio exp_epsilon p q G).
  assert (IX : forall x, mass Req_EM_T G x <> 0 ->
    In x (filter (fun x => if Req_EM_T (mass Req_EM_T G x) 0 then false else true) (points G))).
  { intros x M; apply filter_In; split; [now apply in_points, has_mass | now destruct Req_EM_T]. }
  assert (HG : 1 < g).
  { apply Rlt_le_trans with exp_epsilon; [exact HE|]; apply least_ge.
    - destruct (last_point G LG) as [m [_ [M _]]]; intros N; apply map_eq_nil in N; apply IX in M; rewrite N in M; easy.
    - intros x I; apply in_map_iff in I as [y [<- I]]; apply filter_In in I as [_ I]; destruct Req_EM_T as [|M]; [easy|].
      pose proof (prob_nonnegative (at_ Req_EM_T y) G (proj1 LG)) as N; fold (mass Req_EM_T G y) in N.
      pose proof (prob_nonnegative (at_ Req_EM_T (y - 1)) G (proj1 LG)) as N'; fold (mass Req_EM_T G (y - 1)) in N'.
      assert (R0 : 0 <= mass Req_EM_T G (y - 1) / mass Req_EM_T G y).
      { apply Rmult_le_pos; [exact N' | left; apply Rinv_0_lt_compat; lra]. }
      assert (0 <= ((1 - p) + q * (mass Req_EM_T G (y - 1) / mass Req_EM_T G y)) / (p - q)).
      { apply Rmult_le_pos; [nra | left; apply Rinv_0_lt_compat; lra]. }
      nra. }
  rewrite column_more by assumption; rewrite (plan_reversed _ _ z z), (plan_reversed _ _ (z + 1) z).
  apply met; [exact HE | now apply less_nonnegative .. |]; intros M.
  destruct (less_nonnegative q p G Q0 QP P1 LG z (z + 1)) as [H|H]; [|congruence].
  destruct (less_support q p G Q0 QP P1 LG IG _ _ H) as [[k K] _].
  destruct (less_mass q p G Q0 QP P1 LG IG (z + 1) k K) as [_ W]; replace (z + 1 - 1) with z in W by ring.
  assert (K' : z = IZR (k - 1)) by (rewrite minus_IZR; lra).
  destruct (less_mass q p G Q0 QP P1 LG IG z _ K') as [-> _]; rewrite W in M |- *.
  assert (N : mass Req_EM_T G z <> 0) by (intros N; apply M; rewrite N; ring).
  unfold g, growth_of_ratio; eapply Rle_trans; [apply least_le, in_map, (IX z N)|]; right; field; lra.
Qed.
