(** * Couplings of two laws on the line, and the plan of quantiles

    Proved here, for all finite laws on the reals:
    - [plan_couples], [plan_is_shortest]: the plan of quantiles is a coupling, and no coupling has a
      smaller largest distance;
    - [coupled_ratio]: noise of scale d / eps hides which of two laws was drawn, if a coupling moves
      no mass farther than d. *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Noise.
Import ListNotations.
Open Scope R_scope.

(** ** Couplings *)

Definition couples (pi : law (R * R)) (P Q : law R) : Prop :=
  nonnegative pi /\ (forall f, mean (fun e => f (fst e)) pi = mean f P)
  /\ (forall f, mean (fun e => f (snd e)) pi = mean f Q).

(** The largest distance that any mass moves. *)
Definition moved (e : (R * R) * R) : R :=
  if Rlt_dec 0 (snd e) then Rabs (fst (fst e) - snd (fst e)) else 0.
Definition reach (pi : law (R * R)) : R := largest (map moved pi).

Lemma reach_nonnegative pi : 0 <= reach pi.
Proof. apply largest_nonnegative. Qed.

Lemma reach_ge pi e : In e pi -> 0 < snd e -> Rabs (fst (fst e) - snd (fst e)) <= reach pi.
Proof.
  intros I H; pose proof (largest_map_ge moved e pi I) as M; unfold moved in M at 1.
  destruct Rlt_dec; [exact M | lra].
Qed.

Lemma couples_reversed pi P Q : couples pi P Q -> couples (image (fun e => (snd e, fst e)) pi) Q P.
Proof.
  intros [N [M1 M2]]; split; [now apply nonnegative_image|].
  split; intros f; rewrite mean_image; [apply M2 | apply M1].
Qed.

Lemma reach_reversed pi : reach (image (fun e => (snd e, fst e)) pi) = reach pi.
Proof.
  unfold reach, image; rewrite map_map; f_equal; apply map_ext; intros [[x z] m]; unfold moved; cbn.
  rewrite Rabs_minus_sym; reflexivity.
Qed.

Lemma noise_moved g d y x z : 1 < g -> Rabs (x - z) <= d -> noise g (y - x) <= Rpower g d * noise g (y - z).
Proof.
  intros G H; unfold noise; rewrite <- power_plus; apply power_le; [exact G|].
  pose proof (Rabs_triang_inv (y - z) (y - x)) as T; replace (y - z - (y - x)) with (x - z) in T by ring; lra.
Qed.

Lemma coupled_output g pi P Q y :
  1 < g -> couples pi P Q -> output g P y <= Rpower g (reach pi) * output g Q y.
Proof.
  intros G [N [M1 M2]]; unfold output.
  rewrite <- (M1 (fun x => noise g (y - x))), <- (M2 (fun x => noise g (y - x))), <- mean_scale.
  apply mean_le_on; [exact N|]; intros e I H; apply noise_moved; [exact G | now apply reach_ge].
Qed.

(** Noise of scale d/eps hides which of two laws was drawn, if a coupling moves no mass farther than d. *)
Theorem coupled_ratio g pi P Q :
  1 < g -> is_law P -> is_law Q -> couples pi P Q -> worst_ratio g P Q <= Rpower g (reach pi).
Proof.
  intros G LP LQ C; apply worst_ratio_iff; try assumption; intros y; split; [now apply coupled_output|].
  rewrite <- reach_reversed; apply coupled_output; [exact G | now apply couples_reversed].
Qed.

(** ** Distribution functions *)

Definition at_most (x z : R) : bool := if Rle_dec z x then true else false.
Definition less (x z : R) : bool := if Rlt_dec z x then true else false.
Definition up_to (P : law R) (x : R) : R := prob (at_most x) P.
Definition before (P : law R) (x : R) : R := prob (less x) P.

Lemma prob_le {A} (S T : A -> bool) P :
  nonnegative P -> (forall a, S a = true -> T a = true) -> prob S P <= prob T P.
Proof.
  intros N H; apply mean_le; [exact N|]; intros a; unfold indicator; specialize (H a).
  destruct (S a), (T a); try lra; discriminate H; reflexivity.
Qed.

Lemma up_to_le P x y : nonnegative P -> x <= y -> up_to P x <= up_to P y.
Proof.
  intros N H; apply prob_le; [exact N|]; intros z; unfold at_most; destruct (Rle_dec z x), (Rle_dec z y); auto; lra.
Qed.

Lemma before_le P x : nonnegative P -> before P x <= up_to P x.
Proof.
  intros N; apply prob_le; [exact N|]; intros z; unfold at_most, less; destruct (Rlt_dec z x), (Rle_dec z x); auto; lra.
Qed.

Lemma up_to_before P x y : nonnegative P -> x < y -> up_to P x <= before P y.
Proof.
  intros N H; apply prob_le; [exact N|]; intros z; unfold at_most, less; destruct (Rle_dec z x), (Rlt_dec z y); auto; lra.
Qed.

Lemma up_to_between P x : is_law P -> 0 <= up_to P x <= 1.
Proof. apply prob_between. Qed.

Lemma before_between P x : is_law P -> 0 <= before P x <= 1.
Proof. apply prob_between. Qed.

Notation mass_at := (mass Req_EM_T).

Lemma mass_of_steps P x : up_to P x - before P x = mass_at P x.
Proof.
  unfold up_to, before, mass, prob.
  replace (mean (indicator (at_most x)) P)
    with (mean (fun z => indicator (less x) z + indicator (at_ Req_EM_T x) z) P).
  - rewrite mean_plus; ring.
  - apply mean_ext; intros z; unfold indicator, at_most, less, at_.
    destruct (Rlt_dec z x), (Rle_dec z x), (Req_EM_T x z); lra.
Qed.

(** ** The plan of quantiles, (6) *)

Definition points (P : law R) : list R := nodup Req_EM_T (map fst P).

Definition plan (P Q : law R) (x z : R) : R :=
  Rmin (up_to P x) (up_to Q z) - Rmin (up_to P x) (before Q z)
  - Rmin (before P x) (up_to Q z) + Rmin (before P x) (before Q z).

Definition plan_law (P Q : law R) : law (R * R) :=
  flat_map (fun x => map (fun z => ((x, z), plan P Q x z)) (points Q)) (points P).

Lemma points_carry P : carries Req_EM_T (points P) P.
Proof.
  apply carries_all; [apply NoDup_nodup|]; intros x I; now apply nodup_In.
Qed.

Lemma total_permutation xs ys : Permutation xs ys -> total xs = total ys.
Proof. induction 1; cbn; lra. Qed.

Lemma total_swap {A B} (f : A -> B -> R) xs zs :
  total (map (fun x => total (map (f x) zs)) xs) = total (map (fun z => total (map (fun x => f x z) xs)) zs).
Proof.
  induction xs as [|x xs IH]; cbn [map total].
  - induction zs as [|z zs IH]; cbn [map total]; lra.
  - rewrite IH, <- total_plus; reflexivity.
Qed.

(** The largest of different numbers. *)
Lemma extract_last (l : list R) : NoDup l -> l <> [] ->
  exists M l', Permutation l (M :: l') /\ NoDup l' /\ forall w, In w l' -> w < M.
Proof.
  induction 1 as [|x l X N IH]; [easy|]; intros _; destruct l as [|y l].
  - exists x, []; split; [apply Permutation_refl|]; split; [constructor | easy].
  - destruct IH as [M [l' [P [N' U]]]]; [easy|].
    assert (XM : x <> M).
    { intros ->; apply X; eapply Permutation_in; [symmetry; exact P | now left]. }
    assert (XL : ~ In x l').
    { intros I; apply X; eapply Permutation_in; [symmetry; exact P | now right]. }
    destruct (Rlt_dec x M) as [L|L].
    + exists M, (x :: l'); split; [rewrite P; apply perm_swap|].
      split; [now constructor|]; intros w [<-|I]; auto.
    + exists x, (M :: l'); split; [now rewrite P|].
      split; [constructor; [|exact N']; intros I; specialize (U M I); lra|].
      intros w [<-|I]; [lra | specialize (U w I); lra].
Qed.

(** Steps of a function of a distribution function, added up over the points. *)
Lemma steps_add_up (h m : R -> R) n l : length l = n -> NoDup l ->
  total (map (fun z => h (total (map (fun w => indicator (at_most z) w * m w) l))
    - h (total (map (fun w => indicator (less z) w * m w) l))) l) = h (total (map m l)) - h 0.
Proof.
  revert l; induction n as [|n IH]; intros l L N.
  - destruct l; [cbn; ring | discriminate L].
  - destruct (extract_last l N) as [M [l' [P [N' U]]]]; [now intros ->|].
    assert (E : forall f, total (map f l) = f M + total (map f l')).
    { intros f; rewrite (total_permutation _ _ (Permutation_map f P)); reflexivity. }
    rewrite E, (E m).
    rewrite (total_ext _ (fun z => h (total (map (fun w => indicator (at_most z) w * m w) l'))
      - h (total (map (fun w => indicator (less z) w * m w) l'))) l').
    + rewrite (IH l'); [|apply Permutation_length in P; cbn in P; lia | exact N'].
      rewrite !E; unfold indicator at 1, at_most at 1; destruct (Rle_dec M M); [|lra].
      unfold indicator at 2, less at 1; destruct (Rlt_dec M M); [lra|].
      rewrite (total_ext (fun w => indicator (at_most M) w * m w) m)
        by (intros w I; specialize (U w I); unfold indicator, at_most; destruct Rle_dec; lra).
      rewrite (total_ext (fun w => indicator (less M) w * m w) m)
        by (intros w I; specialize (U w I); unfold indicator, less; destruct Rlt_dec; lra).
      rewrite Rmult_1_l, Rmult_0_l, Rplus_0_l; ring.
    + intros z I; specialize (U z I); rewrite !E; unfold indicator at 1, at_most at 1.
      destruct (Rle_dec M z); [lra|]; unfold indicator at 2, less at 1; destruct (Rlt_dec M z); [lra|].
      rewrite !Rmult_0_l, !Rplus_0_l; reflexivity.
Qed.

Lemma steps_of_law (h : R -> R) P : is_law P ->
  total (map (fun z => h (up_to P z) - h (before P z)) (points P)) = h 1 - h 0.
Proof.
  intros [N M]; destruct (points_carry P) as [D C].
  rewrite <- M, (C (fun _ => 1)).
  rewrite (total_ext (fun a => 1 * mass_at P a) (mass_at P)) by (intros; ring).
  rewrite <- (steps_add_up h (mass_at P) _ (points P) eq_refl D).
  apply total_ext; intros z _; unfold up_to, before, prob; now rewrite <- !C.
Qed.

Lemma plan_nonnegative P Q x z : nonnegative P -> nonnegative Q -> 0 <= plan P Q x z.
Proof.
  intros NP NQ; pose proof (before_le P x NP); pose proof (before_le Q z NQ).
  unfold plan, Rmin; repeat destruct Rle_dec; lra.
Qed.

Lemma plan_row P Q x : is_law P -> is_law Q -> total (map (plan P Q x) (points Q)) = mass_at P x.
Proof.
  intros LP LQ; pose proof (up_to_between P x LP); pose proof (before_between P x LP).
  rewrite (total_ext _ (fun z => (Rmin (up_to P x) (up_to Q z) - Rmin (before P x) (up_to Q z))
    - (Rmin (up_to P x) (before Q z) - Rmin (before P x) (before Q z)))) by (intros; unfold plan; ring).
  rewrite (steps_of_law (fun b => Rmin (up_to P x) b - Rmin (before P x) b) Q LQ).
  rewrite <- mass_of_steps; unfold Rmin; repeat destruct Rle_dec; lra.
Qed.

Lemma plan_reversed P Q x z : plan P Q x z = plan Q P z x.
Proof.
  unfold plan; rewrite (Rmin_comm (up_to P x) (up_to Q z)), (Rmin_comm (up_to P x) (before Q z)).
  rewrite (Rmin_comm (before P x) (up_to Q z)), (Rmin_comm (before P x) (before Q z)); ring.
Qed.

Lemma mean_plan (f : R * R -> R) P Q :
  mean f (plan_law P Q) = total (map (fun x => total (map (fun z => plan P Q x z * f (x, z)) (points Q))) (points P)).
Proof.
  unfold plan_law; induction (points P) as [|x xs IH]; cbn [flat_map map total]; [reflexivity|].
  rewrite mean_app, IH; f_equal; clear IH.
  induction (points Q) as [|z zs IHz]; cbn [map mean total]; [reflexivity | now rewrite IHz].
Qed.

(** The plan of quantiles has the two laws as its marginals. *)
Theorem plan_couples P Q : is_law P -> is_law Q -> couples (plan_law P Q) P Q.
Proof.
  intros LP LQ; split; [|split; intros f; rewrite mean_plan].
  - apply Forall_forall; intros e I; apply in_flat_map in I as [x [_ I]]; apply in_map_iff in I as [z [<- _]].
    apply plan_nonnegative; [apply LP | apply LQ].
  - rewrite (proj2 (points_carry P) f); apply total_ext; intros x _; cbn [fst].
    rewrite <- (plan_row P Q x LP LQ), <- total_scale; apply total_ext; intros; ring.
  - rewrite total_swap, (proj2 (points_carry Q) f); apply total_ext; intros z _; cbn [snd].
    rewrite <- (plan_row Q P z LQ LP), <- total_scale.
    apply total_ext; intros x _; rewrite plan_reversed; ring.
Qed.

(** (x, z) is in its support exactly if the intervals (F(x-), F(x)] and (G(z-), G(z)] overlap. *)
Lemma plan_support P Q x z : nonnegative P -> nonnegative Q ->
  (0 < plan P Q x z <-> before P x < up_to Q z /\ before Q z < up_to P x
    /\ before P x < up_to P x /\ before Q z < up_to Q z).
Proof.
  intros NP NQ; pose proof (before_le P x NP); pose proof (before_le Q z NQ).
  unfold plan, Rmin; repeat destruct Rle_dec; split; intros; lra.
Qed.

Definition farthest (P Q : law R) : R := reach (plan_law P Q).

Lemma coupled_steps pi P Q t : couples pi P Q -> up_to P t <= up_to Q (t + reach pi).
Proof.
  intros [N [M1 M2]]; unfold up_to, prob; rewrite <- (M1 (indicator (at_most t))), <- (M2 (indicator (at_most (t + reach pi)))).
  apply mean_le_on; [exact N|]; intros e I H; pose proof (reach_ge pi e I H) as D.
  unfold indicator, at_most; destruct (Rle_dec (fst (fst e)) t); [|destruct Rle_dec; lra].
  destruct Rle_dec as [|NL]; [lra|]; exfalso; apply NL; revert D; unfold Rabs; destruct Rcase_abs; lra.
Qed.

(** If the steps of both lie within d, so do the pairs of the plan. *)
Lemma steps_bound_reach P Q d : is_law P -> is_law Q -> 0 <= d ->
  (forall t, up_to P t <= up_to Q (t + d)) -> (forall t, up_to Q t <= up_to P (t + d)) -> farthest P Q <= d.
Proof.
  intros [NP _] [NQ _] D H1 H2; apply largest_map_le; [exact D|]; intros e I.
  unfold moved; destruct Rlt_dec as [S|]; [|exact D].
  apply in_flat_map in I as [x [_ I]]; apply in_map_iff in I as [z [<- _]]; cbn in *.
  apply (plan_support P Q x z NP NQ) in S as [S1 [S2 _]].
  destruct (Rle_dec (Rabs (x - z)) d) as [|B]; [assumption|]; exfalso; revert B; unfold Rabs.
  destruct Rcase_abs; intros B.
  - pose proof (up_to_before Q (x + d) z NQ ltac:(lra)); specialize (H1 x); lra.
  - pose proof (up_to_before P (z + d) x NP ltac:(lra)); specialize (H2 z); lra.
Qed.

(** No coupling has a smaller largest distance: that of the plan is the distance W_infinity. *)
Theorem plan_is_shortest pi P Q : is_law P -> is_law Q -> couples pi P Q -> farthest P Q <= reach pi.
Proof.
  intros LP LQ C; apply steps_bound_reach; try assumption; [apply reach_nonnegative | |]; intros t.
  - now apply coupled_steps.
  - rewrite <- reach_reversed; apply coupled_steps; now apply couples_reversed.
Qed.

Theorem plan_ratio g P Q : 1 < g -> is_law P -> is_law Q -> worst_ratio g P Q <= Rpower g (farthest P Q).
Proof. intros G LP LQ; apply coupled_ratio; try assumption; now apply plan_couples. Qed.

Lemma plan_steps P Q t : is_law P -> is_law Q -> up_to P t <= up_to Q (t + farthest P Q).
Proof. intros LP LQ; apply coupled_steps, plan_couples; assumption. Qed.

Lemma farthest_reversed P Q : is_law P -> is_law Q -> farthest P Q = farthest Q P.
Proof.
  intros LP LQ; apply Rle_antisym; apply steps_bound_reach; try assumption; try apply reach_nonnegative; intros t.
  - unfold farthest; rewrite <- (reach_reversed (plan_law Q P)); apply coupled_steps, couples_reversed, plan_couples; assumption.
  - now apply plan_steps.
  - unfold farthest; rewrite <- (reach_reversed (plan_law P Q)); apply coupled_steps, couples_reversed, plan_couples; assumption.
  - now apply plan_steps.
Qed.
