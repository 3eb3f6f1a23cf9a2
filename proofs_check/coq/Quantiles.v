(** * Shifts of distribution functions, and what a relaxed request of a coupling gives

    Proved here, for all finite laws on the reals:
    - [farthest_is_shift]: the largest distance of the plan is the least d such that each of the two
      distribution functions, shifted by d, is at least the other;
    - [relaxed_ratio]: if the mean of e^(|x - z|/theta) given z is at most e^eps, theta attains eps;
    - [total_variation_ratio]: what the total variation distance and the diameter of an alphabet give. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport.
Import ListNotations.
Open Scope R_scope.

(** ** The least shift at a point *)

(** min {D >= 0 : F(x) <= G(x + D)}: as far as the last point before which G is below F(x). *)
Definition needed (P Q : law R) (x : R) : R :=
  largest (map (fun z => if Rlt_dec (before Q z) (up_to P x) then z - x else 0) (points Q)).

Lemma in_points P x : In x (map fst P) <-> In x (points P).
Proof. unfold points; rewrite nodup_In; reflexivity. Qed.

Lemma up_to_same P s t : s <= t -> (forall x, In x (points P) -> x <= t -> x <= s) -> up_to P t = up_to P s.
Proof.
  intros L H; apply mean_ext_on; intros x I; unfold indicator, at_most.
  destruct (Rle_dec x t) as [A|A], (Rle_dec x s) as [B|B]; try reflexivity; [|lra].
  exfalso; apply B, H; [now apply in_points | exact A].
Qed.

Lemma up_to_none P t : (forall x, In x (points P) -> t < x) -> up_to P t = 0.
Proof.
  intros H; replace 0 with (mean (fun _ : R => 0 * 1) P) by (rewrite mean_scale; ring).
  apply mean_ext_on; intros x I; apply in_points, H in I; unfold indicator, at_most; destruct Rle_dec; lra.
Qed.

Lemma up_to_all P t : is_law P -> (forall x, In x (points P) -> x <= t) -> up_to P t = 1.
Proof.
  intros [_ M] H; rewrite <- M; apply mean_ext_on; intros x I; apply in_points, H in I.
  unfold indicator, at_most; destruct Rle_dec; lra.
Qed.

Lemma before_same P t z : t < z -> (forall x, In x (points P) -> x < z -> x <= t) -> before P z = up_to P t.
Proof.
  intros L H; apply mean_ext_on; intros x I; unfold indicator, at_most, less.
  destruct (Rlt_dec x z) as [A|A], (Rle_dec x t) as [B|B]; try reflexivity; [|lra].
  exfalso; apply B, H; [now apply in_points | exact A].
Qed.

Lemma some_above_or_not t (xs : list R) : (exists x, In x xs /\ t < x) \/ (forall x, In x xs -> x <= t).
Proof.
  induction xs as [|a xs [[b [I B]]|N]]; [right; easy | left; exists b; split; [now right | exact B]|].
  destruct (Rlt_dec t a); [left; exists a; split; [now left | assumption]|].
  right; intros b [->|I]; [lra | auto].
Qed.

(** The first point above t. *)
Lemma next_above t xs : (exists x, In x xs /\ t < x) ->
  exists z, In z xs /\ t < z /\ forall x, In x xs -> x < z -> x <= t.
Proof.
  induction xs as [|a xs IH]; intros [x [I X]]; [easy|].
  destruct (some_above_or_not t xs) as [C|C].
  - destruct (IH C) as [z [J [Z M]]]; destruct (Rlt_dec t a) as [A|A].
    + destruct (Rle_dec z a).
      * exists z; split; [now right|]; split; [exact Z|]; intros w [->|W] Hw; [lra | auto].
      * exists a; split; [now left|]; split; [exact A|]; intros w [->|W] Hw; [lra | apply M; [exact W | lra]].
    + exists z; split; [now right|]; split; [exact Z|]; intros w [->|W] Hw; [lra | auto].
  - destruct I as [->|I]; [|specialize (C x I); lra].
    exists x; split; [now left|]; split; [exact X|]; intros w [->|W] Hw; [lra | auto].
Qed.

Theorem needed_is_least P Q x : is_law P -> is_law Q ->
  0 <= needed P Q x /\ up_to P x <= up_to Q (x + needed P Q x)
  /\ forall d, 0 <= d -> up_to P x <= up_to Q (x + d) -> needed P Q x <= d.
Proof.
  intros LP LQ; split; [apply largest_nonnegative|]; split.
  - destruct (Rle_dec (up_to P x) (up_to Q (x + needed P Q x))) as [|N]; [assumption|]; exfalso.
    set (t := x + needed P Q x) in *; destruct (some_above_or_not t (points Q)) as [A|A].
    + destruct (next_above t _ A) as [z [I [Z M]]].
      pose proof (before_same Q t z Z M) as B.
      pose proof (largest_map_ge (fun z => if Rlt_dec (before Q z) (up_to P x) then z - x else 0) z _ I) as G.
      fold (needed P Q x) in G; cbv beta in G; destruct Rlt_dec as [|K]; [unfold t in Z; lra | lra].
    + rewrite (up_to_all Q t LQ A) in N; pose proof (up_to_between P x LP); lra.
  - intros d D H; apply largest_map_le; [exact D|]; intros z I; destruct Rlt_dec as [K|]; [|exact D].
    destruct (Rle_dec z (x + d)) as [|Z]; [lra|].
    pose proof (up_to_before Q (x + d) z (proj1 LQ) ltac:(lra)); lra.
Qed.

Definition on (X : list R) (P : law R) : Prop := is_law P /\ incl (map fst P) X.

(** max over x in X of the least shift, symmetric in both laws. *)
Definition symmetric_shift (X : list R) (P Q : law R) : R :=
  largest (map (fun x => Rmax (needed P Q x) (needed Q P x)) X).

Lemma shift_serves X P Q t : on X P -> is_law Q -> up_to P t <= up_to Q (t + symmetric_shift X P Q).
Proof.
  intros [LP I] LQ; destruct (some_below_or_not t (points P)) as [B|N].
  - destruct (nearest_below t _ B) as [lo [J [L M]]].
    rewrite (up_to_same P lo t L M); destruct (needed_is_least P Q lo LP LQ) as [_ [H _]].
    eapply Rle_trans; [exact H|]; apply up_to_le; [apply LQ|].
    pose proof (largest_map_ge (fun x => Rmax (needed P Q x) (needed Q P x)) lo X (I lo (proj2 (in_points P lo) J))) as G.
    fold (symmetric_shift X P Q) in G; cbv beta in G; pose proof (Rmax_l (needed P Q lo) (needed Q P lo)); lra.
  - rewrite (up_to_none P t N); apply up_to_between, LQ.
Qed.

Lemma symmetric_shift_reversed X P Q : symmetric_shift X P Q = symmetric_shift X Q P.
Proof. unfold symmetric_shift; f_equal; apply map_ext; intros x; apply Rmax_comm. Qed.

Theorem farthest_is_shift X P Q : on X P -> on X Q -> farthest P Q = symmetric_shift X P Q.
Proof.
  intros OP OQ; assert (LP := proj1 OP); assert (LQ := proj1 OQ); apply Rle_antisym.
  - apply steps_bound_reach; [exact LP | exact LQ | apply largest_nonnegative | |]; intros t.
    + now apply shift_serves.
    + rewrite symmetric_shift_reversed; now apply shift_serves.
  - apply largest_map_le; [apply reach_nonnegative|]; intros x _; apply Rmax_lub.
    + apply needed_is_least; try assumption; [apply reach_nonnegative | now apply plan_steps].
    + apply needed_is_least; try assumption; [apply reach_nonnegative|].
      rewrite farthest_reversed by assumption; now apply plan_steps.
Qed.

(** ** Sums *)

Lemma up_to_plus P G x : up_to (plus P G) x = mean (fun m => up_to P (x - m)) G.
Proof.
  unfold up_to, prob; rewrite mean_plus_law, mean_swap; apply mean_ext; intros m; apply mean_ext; intros t.
  unfold indicator, at_most; destruct (Rle_dec (t + m) x), (Rle_dec t (x - m)); lra.
Qed.

Definition smallest (xs : list R) : R := - largest (map Ropp xs).

Lemma smallest_le x xs : In x xs -> smallest xs <= x.
Proof. intros I; pose proof (largest_ge (- x) _ (in_map Ropp _ _ I)); unfold smallest; lra. Qed.

(** A difference of distribution functions takes the values that it has at their points. *)
Lemma difference_at_points D P Q d t : on D P -> on D Q -> 0 <= d ->
  exists s, In s (D ++ map (fun x => x - d) D) /\ up_to P (t + d) - up_to Q t = up_to P (s + d) - up_to Q s.
Proof.
  intros [LP IP] [LQ IQ] Hd; set (T := D ++ map (fun x => x - d) D).
  destruct (some_below_or_not t T) as [B|N].
  - destruct (nearest_below t T B) as [s [I [L M]]]; exists s; split; [exact I|].
    rewrite (up_to_same P (s + d) (t + d)), (up_to_same Q s t); [reflexivity | exact L | | lra |].
    + intros x J X; apply M; [|exact X]; apply in_or_app; left; apply IQ, in_points, J.
    + intros x J X; assert (x - d <= s); [|lra]; apply M; [|lra].
      apply in_or_app; right; apply in_map_iff; exists x; split; [reflexivity | apply IP, in_points, J].
  - destruct (nearest_below (largest (map Rabs D)) D) as [s [I [_ M]]].
    { destruct P as [|[a m] P]; [destruct LP as [_ K]; cbn in K; lra|]; exists a.
      assert (A : In a D) by (apply IP; now left); split; [exact A|].
      eapply Rle_trans; [apply Rle_abs | now apply (largest_map_ge Rabs)]. }
    assert (U : forall x, In x D -> x <= s).
    { intros x J; apply M; [exact J|]; eapply Rle_trans; [apply Rle_abs | now apply (largest_map_ge Rabs)]. }
    exists s; split; [apply in_or_app; now left|].
    rewrite (up_to_none P (t + d)), (up_to_none Q t), (up_to_all P (s + d) LP), (up_to_all Q s LQ); [ring | | | |].
    + intros x J; apply U, IQ, in_points, J.
    + intros x J; specialize (U x (IP x (proj2 (in_points P x) J))); lra.
    + intros x J; apply N, in_or_app; left; apply IQ, in_points, J.
    + intros x J; assert (t < x - d); [|lra]; apply N, in_or_app; right; apply in_map_iff; exists x.
      split; [reflexivity | apply IP, in_points, J].
Qed.

Theorem difference_between D P Q G d x : on D P -> on D Q -> is_law G -> 0 <= d ->
  let h := fun t => up_to P (t + d) - up_to Q t in
  let T := D ++ map (fun x => x - d) D in
  up_to (plus P G) (x + d) - up_to (plus Q G) x = mean (fun m => h (x - m)) G
  /\ smallest (map h T) <= mean (fun m => h (x - m)) G <= largest (map h T).
Proof.
  intros OP OQ LG Hd h T; split; [|split].
  - rewrite !up_to_plus; unfold h; unfold Rminus at 1.
    replace (- mean (fun m => up_to Q (x - m)) G) with (-1 * mean (fun m => up_to Q (x - m)) G) by ring.
    rewrite <- mean_scale, <- mean_plus; apply mean_ext; intros m; replace (x + d - m) with (x - m + d) by ring; ring.
  - rewrite <- (mean_constant (smallest (map h T)) G LG); apply mean_le; [apply LG|]; intros m.
    destruct (difference_at_points D P Q d (x - m) OP OQ Hd) as [s [I E]]; fold h in E; unfold h at 2; rewrite E.
    apply smallest_le, (in_map h), I.
  - rewrite <- (mean_constant (largest (map h T)) G LG); apply mean_le; [apply LG|]; intros m.
    destruct (difference_at_points D P Q d (x - m) OP OQ Hd) as [s [I E]]; unfold h at 1; rewrite E.
    now apply (largest_map_ge h).
Qed.

(** ** The relaxed request (20) *)

(** The sum over x of e^(|x - z|/theta) pi(x, z); the largest of these, each over pi's mass at z. *)
Definition column (g : R) (pi : law (R * R)) (z : R) : R :=
  mean (fun e => indicator (at_ Req_EM_T z) (snd e) * Rpower g (Rabs (fst e - snd e))) pi.
Definition seconds (pi : law (R * R)) : list R := points (image snd pi).
Definition relaxed (g : R) (pi : law (R * R)) : R :=
  largest (map (fun z => column g pi z / prob (fun e => at_ Req_EM_T z (snd e)) pi) (seconds pi)).

Lemma by_columns (h : R -> R) (u : R * R -> R) pi :
  mean (fun e => h (snd e) * u e) pi
  = total (map (fun z => h z * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * u e) pi) (seconds pi)).
Proof.
  set (zs := seconds pi); assert (N : NoDup zs) by apply NoDup_nodup.
  assert (I : forall e, In e (map fst pi) -> In (snd e) zs).
  { intros e I; apply in_points; unfold image; rewrite map_map; apply in_map_iff in I as [a [<- I]].
    apply in_map_iff; now exists a. }
  clearbody zs; induction pi as [|[e m] pi IH]; cbn [mean].
  - rewrite (total_ext _ (fun z => 0 * h z)), total_scale; [ring | intros; cbn [mean]; ring].
  - rewrite IH by (intros a A; apply I; now right).
    rewrite (total_ext (fun z => h z * mean (fun a => indicator (at_ Req_EM_T z) (snd a) * u a) ((e, m) :: pi))
      (fun z => m * u e * (h z * indicator (at_ Req_EM_T z) (snd e))
      + h z * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * u e) pi)) by (intros; cbn [mean]; ring).
    rewrite total_plus, total_scale, (total_at Req_EM_T h (snd e) zs N).
    destruct in_dec as [_|K]; [ring | exfalso; apply K, I; now left].
Qed.

Lemma column_le g pi z : 1 < g -> nonnegative pi -> In z (seconds pi) ->
  column g pi z <= relaxed g pi * prob (fun e => at_ Req_EM_T z (snd e)) pi.
Proof.
  intros G N I; set (m := prob (fun e => at_ Req_EM_T z (snd e)) pi).
  assert (M : 0 <= m) by (apply prob_nonnegative, N).
  destruct M as [M|M].
  - apply quotient_le; [exact M|]; unfold relaxed.
    apply (largest_map_ge (fun z => column g pi z / prob (fun e => at_ Req_EM_T z (snd e)) pi) z _ I).
  - rewrite <- M, Rmult_0_r; unfold column.
    assert (K : forall l, nonnegative l -> prob (fun e => at_ Req_EM_T z (snd e)) l <= 0 ->
      mean (fun e => indicator (at_ Req_EM_T z) (snd e) * Rpower g (Rabs (fst e - snd e))) l <= 0).
    { induction l as [|[e w] l IH]; intros Nl H; cbn [mean]; [lra|].
      inversion Nl as [|a b Hw Nl']; subst; cbn in Hw; unfold prob in H; cbn [mean] in H.
      pose proof (prob_nonnegative (fun e => at_ Req_EM_T z (snd e)) l Nl') as Q; unfold prob in Q.
      unfold indicator in *; destruct (at_ Req_EM_T z (snd e)).
      - assert (w = 0) by lra; subst; specialize (IH Nl' ltac:(unfold prob, indicator; lra)); lra.
      - specialize (IH Nl' ltac:(unfold prob, indicator; lra)); lra. }
    apply K; [exact N | unfold m in M; lra].
Qed.

Lemma relaxed_sum g pi P Q y : 1 < g -> couples pi P Q ->
  mean (fun e => noise g (y - snd e) * Rpower g (Rabs (fst e - snd e))) pi <= relaxed g pi * output g Q y.
Proof.
  intros G [N [_ M2]].
  rewrite (by_columns (fun z => noise g (y - z)) (fun e => Rpower g (Rabs (fst e - snd e)))).
  unfold output; rewrite <- (M2 (fun z => noise g (y - z))).
  rewrite (mean_ext _ (fun e => noise g (y - snd e) * 1) pi) by (intros; ring).
  rewrite (by_columns (fun z => noise g (y - z)) (fun _ => 1)), <- total_scale.
  assert (H : forall zs, incl zs (seconds pi) ->
    total (map (fun z => noise g (y - z) * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * Rpower g (Rabs (fst e - snd e))) pi) zs)
    <= total (map (fun z => relaxed g pi * (noise g (y - z) * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * 1) pi)) zs)).
  { induction zs as [|z zs IH]; intros I; cbn [map total]; [lra|].
    assert (total (map (fun z => noise g (y - z) * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * Rpower g (Rabs (fst e - snd e))) pi) zs)
      <= total (map (fun z => relaxed g pi * (noise g (y - z) * mean (fun e => indicator (at_ Req_EM_T z) (snd e) * 1) pi)) zs))
      by (apply IH; intros a A; apply I; now right).
    pose proof (column_le g pi z G N (I z (or_introl eq_refl))) as C; unfold column, prob in C.
    rewrite (mean_ext (fun e => indicator (at_ Req_EM_T z) (snd e) * 1) (indicator (fun e => at_ Req_EM_T z (snd e))))
      by (intros; unfold indicator; ring).
    pose proof (power_positive g (- Rabs (y - z))) as K; fold (noise g (y - z)) in K.
    apply (Rmult_le_compat_l (noise g (y - z))) in C; lra. }
  apply H, incl_refl.
Qed.

Theorem relaxed_ratio g pi P Q :
  1 < g -> is_law P -> is_law Q -> couples pi P Q -> worst_ratio g P Q <= relaxed g pi.
Proof.
  intros G LP LQ C; set (u := fun e : R * R => Rpower g (Rabs (fst e - snd e))).
  assert (S : forall y, mean (fun e => noise g (y - snd e) * u e) pi <= relaxed g pi * output g Q y)
    by (intros y; now apply (relaxed_sum g pi P Q y)).
  destruct C as [N [M1 M2]].
  assert (U : forall e, 0 < u e) by (intros; apply power_positive).
  assert (F : forall y, output g P y <= mean (fun e => noise g (y - snd e) * u e) pi).
  { intros y; unfold output; rewrite <- (M1 (fun x => noise g (y - x))); apply mean_le; [exact N|]; intros e.
    rewrite Rmult_comm; apply noise_moved; [exact G | lra]. }
  assert (E : 0 < relaxed g pi).
  { specialize (F 0); specialize (S 0); pose proof (output_positive g P 0 LP); pose proof (output_positive g Q 0 LQ).
    destruct (Rlt_dec 0 (relaxed g pi)); [assumption | exfalso; nra]. }
  apply worst_ratio_iff; try assumption; intros y; split; [eapply Rle_trans; [apply F | apply S]|].
  set (c := relaxed g pi) in *.
  assert (H : 2 / c * output g Q y + - / (c * c) * mean (fun e => noise g (y - snd e) * u e) pi <= output g P y).
  { unfold output; rewrite <- (M1 (fun x => noise g (y - x))), <- (M2 (fun x => noise g (y - x))).
    rewrite <- !mean_scale, <- mean_plus; apply mean_le; [exact N|]; intros e.
    pose proof (power_positive g (- Rabs (y - snd e))) as K; fold (noise g (y - snd e)) in K.
    assert (L : noise g (y - snd e) <= u e * noise g (y - fst e)).
    { apply noise_moved; [exact G | rewrite Rabs_minus_sym; lra]. }
    specialize (U e); set (n := noise g (y - snd e)) in *; set (v := u e) in *.
    assert (n / v <= noise g (y - fst e)).
    { apply quotient_le; [exact U | lra]. }
    assert (0 <= n * ((c - v) * (c - v) * / (c * c * v))).
    { apply Rmult_le_pos; [lra|]; apply Rmult_le_pos; [apply Rle_0_sqr | left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra]. }
    replace (n / v) with (n * ((c - v) * (c - v) * / (c * c * v)) + (2 / c * n + - / (c * c) * (n * v))) in * by (field; lra).
    lra. }
  specialize (S y); assert (I : 0 < / (c * c)) by (apply Rinv_0_lt_compat; nra).
  apply (Rmult_le_compat_l (/ (c * c))) in S; [|lra].
  replace (/ (c * c) * (c * output g Q y)) with (/ c * output g Q y) in S by (field; lra).
  assert (Z : / c * output g Q y <= output g P y) by (unfold Rdiv in H; lra).
  apply (Rmult_le_compat_l c) in Z; [|lra]; rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in Z by lra; exact Z.
Qed.

(** ** Total variation *)

Lemma mean_difference (h : R -> R) c P Q :
  0 <= c -> (forall t, In t (outcomes Req_EM_T P Q) -> 0 <= h t <= c) ->
  mean h P - mean h Q <= c * hockey_stick Req_EM_T P Q 1.
Proof.
  intros C H; destruct (outcomes_carry Req_EM_T P Q) as [[_ CP] [_ CQ]]; rewrite CP, CQ; unfold hockey_stick, stick_on.
  revert H; generalize (outcomes Req_EM_T P Q); intros xs H; rewrite <- total_scale.
  induction xs as [|x xs IH]; cbn [map total]; [lra|].
  specialize (IH (fun t I => H t (or_intror I))); specialize (H x (or_introl eq_refl)).
  destruct (positive_part_ge (mass Req_EM_T P x - 1 * mass Req_EM_T Q x)).
  set (s := positive_part (mass Req_EM_T P x - 1 * mass Req_EM_T Q x)) in *; nra.
Qed.

Lemma stick_at_one P Q : is_law P -> is_law Q -> hockey_stick Req_EM_T P Q 1 = total_variation Req_EM_T P Q.
Proof.
  assert (H : forall P Q, is_law P -> is_law Q -> hockey_stick Req_EM_T P Q 1 <= hockey_stick Req_EM_T Q P 1).
  { intros A B [_ MA] [_ MB]; destruct (hockey_stick_largest Req_EM_T A B 1) as [_ [S HS]].
    rewrite <- HS; destruct (hockey_stick_largest Req_EM_T B A 1) as [U _]; specialize (U (fun x => negb (S x))).
    assert (K : forall L, mean (fun _ => 1) L = 1 -> prob (fun x => negb (S x)) L = 1 - prob S L).
    { intros L M; unfold prob; rewrite <- M; replace (mean (fun _ : R => 1) L) with
        (mean (fun x => indicator (fun x => negb (S x)) x + indicator S x) L).
      - rewrite mean_plus; ring.
      - apply mean_ext; intros x; unfold indicator; destruct (S x); cbn; ring. }
    rewrite !K in U by assumption; lra. }
  intros LP LQ; pose proof (H P Q LP LQ); pose proof (H Q P LQ LP); unfold total_variation; lra.
Qed.

Definition spread (D : list R) : R := largest (map (fun x => largest (map (fun z => Rabs (x - z)) D)) D).

Lemma spread_ge D x z : In x D -> In z D -> Rabs (x - z) <= spread D.
Proof.
  intros X Z; eapply Rle_trans; [apply (largest_map_ge (fun z => Rabs (x - z)) z D Z)|].
  apply (largest_map_ge (fun x => largest (map (fun z => Rabs (x - z)) D)) x D X).
Qed.

Lemma least_value (h : R -> R) (xs : list R) : xs <> [] -> exists x, In x xs /\ forall z, In z xs -> h x <= h z.
Proof.
  induction xs as [|a xs IH]; [easy|]; intros _; destruct xs as [|b xs].
  - exists a; split; [now left|]; intros z [->|[]]; lra.
  - destruct IH as [x [I M]]; [easy|]; destruct (Rle_dec (h a) (h x)).
    + exists a; split; [now left|]; intros z [->|Z]; [lra | specialize (M z Z); lra].
    + exists x; split; [now right|]; intros z [->|Z]; [lra | auto].
Qed.

Lemma one_way g D P Q y : 1 < g -> on D P -> on D Q ->
  output g P y <= (1 + total_variation Req_EM_T P Q * (Rpower g (spread D) - 1)) * output g Q y.
Proof.
  intros G [LP IP] [LQ IQ]; set (xs := outcomes Req_EM_T P Q).
  assert (ID : forall t, In t xs -> In t D).
  { intros t I; apply nodup_In, in_app_or in I as [I|I]; auto. }
  assert (NE : xs <> []).
  { destruct P as [|[a m] P]; [destruct LP as [_ K]; cbn in K; lra|].
    assert (In a xs) by (apply nodup_In, in_or_app; left; now left); intros K; rewrite K in *; easy. }
  destruct (least_value (fun t => noise g (y - t)) xs NE) as [s [Is Ms]]; set (k := noise g (y - s)) in *.
  assert (Pk : 0 < k) by apply power_positive.
  assert (S1 : 1 <= Rpower g (spread D)).
  { rewrite <- (Rpower_O g) by lra; apply power_le; [exact G | apply largest_nonnegative]. }
  assert (B : forall t, In t xs -> 0 <= noise g (y - t) - k <= (Rpower g (spread D) - 1) * k).
  { intros t I; split; [specialize (Ms t I); cbn in Ms; fold k in Ms; lra|].
    pose proof (noise_moved g (spread D) y t s G (spread_ge D t s (ID t I) (ID s Is))); fold k in H; lra. }
  pose proof (mean_difference (fun t => noise g (y - t) - k) ((Rpower g (spread D) - 1) * k) P Q ltac:(nra) B) as M.
  assert (E : forall L, is_law L -> mean (fun t => noise g (y - t) - k) L = output g L y - k).
  { intros L HL; rewrite (mean_ext (fun t => noise g (y - t) - k) (fun t => noise g (y - t) + - k) L) by (intros; ring).
    rewrite mean_plus, (mean_constant _ L HL); reflexivity. }
  rewrite !E, stick_at_one in M by assumption.
  assert (Q1 : k <= output g Q y).
  { rewrite <- (mean_constant k Q LQ); apply mean_le_on; [apply LQ|]; intros e I _.
    apply Ms, nodup_In, in_or_app; right; now apply in_map. }
  assert (T : 0 <= total_variation Req_EM_T P Q).
  { unfold total_variation; pose proof (hockey_stick_nonnegative Req_EM_T P Q 1).
    pose proof (hockey_stick_nonnegative Req_EM_T Q P 1); lra. }
  assert (0 <= total_variation Req_EM_T P Q * (Rpower g (spread D) - 1)) by (apply Rmult_le_pos; lra); nra.
Qed.

Theorem total_variation_ratio g D P Q : 1 < g -> on D P -> on D Q ->
  worst_ratio g P Q <= 1 + total_variation Req_EM_T P Q * (Rpower g (spread D) - 1).
Proof.
  intros G OP OQ; apply worst_ratio_iff; [exact G | apply OP | apply OQ|]; intros y; split; [now apply one_way|].
  replace (total_variation Req_EM_T P Q) with (total_variation Req_EM_T Q P) by (unfold total_variation; ring).
  now apply one_way.
Qed.
