(** * Ding, Lu, Yang and Zhang (2025): its figures, and pairs of values

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport Quantiles ClaimsDing2025 ClaimsDing2025Bernoulli ClaimsDing2025Columns ClaimsDing2025Shifts.
Import ListNotations.
Open Scope R_scope.

(** ** Two values beside others: the plan is a shift *)

Lemma reach_at_least pi P Q (f : R -> R) : couples pi P Q -> is_law P ->
  (forall x z, f x - f z <= Rabs (x - z)) -> mean f P - mean f Q <= reach pi.
Proof.
  intros [N [M1 M2]] LP H.
  assert (L : is_law pi) by (split; [exact N | rewrite (M1 (fun _ => 1)); apply LP]).
  rewrite <- M1, <- M2, <- (mean_constant (reach pi) pi L).
  apply Rle_trans with (mean (fun e => f (fst e) - f (snd e)) pi).
  - right; rewrite (mean_ext (fun e => f (fst e) - f (snd e)) (fun e => f (fst e) + -1 * f (snd e))) by (intros; ring).
    rewrite mean_plus, mean_scale; ring.
  - apply mean_le_on; [exact N|]; intros e I M; eapply Rle_trans; [apply H | now apply reach_ge].
Qed.

Lemma values_apart a b G : is_law G -> farthest (plus (certain a) G) (plus (certain b) G) = Rabs (a - b).
Proof.
  intros LG; pose proof (plus_is_law _ G (certain_is_law a) LG) as LA; pose proof (plus_is_law _ G (certain_is_law b) LG) as LB.
  assert (V : forall f c, mean f (plus (certain c) G) = mean (fun z => f (c + z)) G).
  { intros f c; rewrite mean_plus_law; cbn; ring. }
  apply Rle_antisym.
  - set (pi := image (fun z => (a + z, b + z)) G).
    eapply Rle_trans; [apply (plan_is_shortest pi _ _ LA LB)|].
    + split; [apply nonnegative_image, LG|]; split; intros f; unfold pi; rewrite mean_image, V; reflexivity.
    + apply largest_map_le; [apply Rabs_pos|]; intros e I; apply in_map_iff in I as [[z m] [<- I]]; unfold moved; cbn.
      destruct Rlt_dec; [|apply Rabs_pos]; right; f_equal; ring.
  - pose proof (plan_couples _ _ LA LB) as C.
    assert (M : forall c s, mean (fun x => s * x) (plus (certain c) G) = s * c + mean (fun z => s * z) G).
    { intros c s; rewrite V, <- (mean_constant (s * c) G LG) at 1; rewrite <- mean_plus; apply mean_ext; intros; ring. }
    assert (H : forall s, Rabs s = 1 -> s * (a - b) <= farthest (plus (certain a) G) (plus (certain b) G)).
    { intros s S; eapply Rle_trans; [|apply (reach_at_least _ _ _ (fun x => s * x) C LA)].
      - rewrite !M; right; ring.
      - intros x z; replace (s * x - s * z) with (s * (x - z)) by ring.
        eapply Rle_trans; [apply Rle_abs|]; rewrite Rabs_mult, S; lra. }
    unfold Rabs at 1; destruct Rcase_abs.
    + replace (- (a - b)) with (-1 * (a - b)) by ring; apply H; rewrite Rabs_left; lra.
    + replace (a - b) with (1 * (a - b)) at 1 by ring; apply H; rewrite Rabs_right; lra.
Qed.

Theorem ding2025_shift_of_values (X : list R) (G : law R) (a : R) (b : R) : consecutive X -> is_law G ->
    on X (plus (certain a) G) /\ on X (plus (certain b) G) -> farthest (plus (certain a) G) (plus (certain
    b) G) = Rabs (a - b) /\ largest_shift X (plus (certain a) G) (plus (certain b) G) = Rabs (a - b).
Proof.
  intros C LG [OA OB]; pose proof (values_apart a b G LG) as V; split; [exact V|].
  rewrite <- V; now apply shift_is_farthest.
Qed.

(** ** Others move no mass farther *)

Lemma farthest_beside P Q G : is_law P -> is_law Q -> is_law G -> farthest (plus P G) (plus Q G) <= farthest P Q.
Proof.
  intros LP LQ LG; apply steps_bound_reach; [now apply plus_is_law | now apply plus_is_law | apply reach_nonnegative | |];
    intros t; rewrite !up_to_plus.
  - apply mean_le; [apply LG|]; intros m; replace (t + farthest P Q - m) with (t - m + farthest P Q) by ring; now apply plan_steps.
  - apply mean_le; [apply LG|]; intros m; replace (t + farthest P Q - m) with (t - m + farthest Q P)
      by (rewrite (farthest_reversed P Q) by assumption; ring); now apply plan_steps.
Qed.

Lemma farthest_le P Q d : 0 <= d ->
  (forall x z, In x (map fst P) -> In z (map fst Q) -> 0 < plan P Q x z -> Rabs (x - z) <= d) -> farthest P Q <= d.
Proof.
  intros D H; apply largest_map_le; [exact D|]; intros e I; unfold moved; destruct Rlt_dec as [S|]; [|exact D].
  apply in_flat_map in I as [x [Ix I]]; apply in_map_iff in I as [z [<- Iz]]; cbn [fst snd] in *.
  apply H; [now apply in_points | now apply in_points | exact S].
Qed.

Lemma noise_attains P Q G g d : 1 < g -> is_law P -> is_law Q -> is_law G -> farthest P Q <= d ->
  worst_ratio g (plus P G) (plus Q G) <= Rpower g d.
Proof.
  intros Hg LP LQ LG D; eapply Rle_trans; [now apply beside_others|]; eapply Rle_trans; [now apply plan_ratio|].
  now apply power_le.
Qed.

Ltac law_of_row := subst; split; [repeat constructor; cbn; lra | cbn; lra].
Ltac row := unfold up_to, before, prob, indicator, at_most, less; cbn [mean]; repeat (first [destruct Rle_dec | destruct Rlt_dec]; try lra).
Ltac far := unfold Rabs; destruct Rcase_abs; lra.
Ltac on_points := let I := fresh in intros I; cbn [map fst] in I; repeat (destruct I as [<-|I]; [|]); try easy.

Lemma figure_of_values a b G g d : Rabs (a - b) = d -> is_law G -> 1 < g ->
  farthest (plus [(a, 1)] G) (plus [(b, 1)] G) = d /\ worst_ratio g (plus [(a, 1)] G) (plus [(b, 1)] G) <= Rpower g d.
Proof.
  intros <- LG Hg; split; [exact (values_apart a b G LG)|].
  pose proof (worst_of_two_values g a b G Hg LG) as E; unfold certain in E; lra.
Qed.

Theorem ding2025_figure_1 (P : law R) (Q : law R) (others : law R) (base : R) : P = [(5, 1)] -> Q = [(3,
    1)] -> is_law others -> 1 < base -> farthest (plus P others) (plus Q others) = 2 /\ worst_ratio base
    (plus P others) (plus Q others) <= Rpower base 2.
Proof. intros -> -> LG G; apply figure_of_values; [rewrite Rabs_right; lra | assumption ..]. Qed.

Theorem ding2025_figure_2 (P : law R) (Q : law R) (others : law R) (base : R) : P = [(5, 1)] -> Q = [(0,
    1)] -> is_law others -> 1 < base -> farthest (plus P others) (plus Q others) = 5 /\ worst_ratio base
    (plus P others) (plus Q others) <= Rpower base 5.
Proof. intros -> -> LG G; apply figure_of_values; [rewrite Rabs_right; lra | assumption ..]. Qed.

(** The largest power that a law has decides how far its mass moves. *)
Lemma far_by_power P G w d c : is_law P -> is_law G -> 0 < c -> 0 <= w ->
  (forall g, 1 < g -> c * Rpower g d <= right g P) -> farthest (plus P G) (plus (certain 0) G) <= w -> d <= w.
Proof.
  intros LP LG Hc W H F; apply Rnot_lt_le; intros D.
  set (m := Rmax 2 (2 / c)); assert (M2 : 2 <= m) by apply Rmax_l; assert (Mc : 2 / c <= m) by apply Rmax_r.
  set (g := Rpower m (/ (d - w))); assert (I : 0 < / (d - w)) by (apply Rinv_0_lt_compat; lra).
  assert (G1 : 1 < g).
  { unfold g; rewrite <- (Rpower_O m) by lra; apply Rpower_lt; lra. }
  pose proof (certain_is_law 0) as L0.
  assert (R : worst_ratio g (plus P G) (plus (certain 0) G) <= Rpower g w).
  { eapply Rle_trans; [apply plan_ratio; [exact G1 | now apply plus_is_law | now apply plus_is_law]|]; now apply power_le. }
  destruct (far_ratio g P (certain 0) G _ G1 LP L0 LG R) as [A _].
  assert (Z : right g (certain 0) = 1) by (unfold right; cbn; rewrite Rpower_O by lra; ring); rewrite Z in A.
  specialize (H g G1); assert (E : Rpower g d = Rpower g w * m).
  { replace d with (w + (d - w)) at 1 by ring; rewrite power_plus; f_equal; unfold g; rewrite Rpower_mult.
    rewrite Rinv_l by lra; apply Rpower_1; lra. }
  rewrite E in H; pose proof (power_positive g w) as Pw; set (u := Rpower g w) in *.
  assert (K : c * m <= 1) by nra.
  apply (Rmult_le_compat_l c) in Mc; [|lra]; replace (c * (2 / c)) with 2 in Mc by (field; lra); lra.
Qed.

Lemma figure_of_p4 P G g : P = [(1, 2 / 5); (2, 1 / 10); (4, 1 / 10); (5, 2 / 5)] -> is_law G -> 1 < g ->
  farthest (plus P G) (plus (certain 0) G) = 5 /\ worst_ratio g (plus P G) (plus (certain 0) G) <= Rpower g 5.
Proof.
  intros EP LG Hg; assert (LP : is_law P) by law_of_row; pose proof (certain_is_law 0) as L0.
  assert (U : farthest P (certain 0) <= 5).
  { apply farthest_le; [lra|]; intros x z X Z _; subst; cbn in X, Z; destruct Z as [<-|[]].
    destruct X as [<-|[<-|[<-|[<-|[]]]]]; far. }
  split; [|now apply noise_attains]; apply Rle_antisym; [eapply Rle_trans; [now apply farthest_beside | exact U]|].
  apply (far_by_power P G _ 5 (2 / 5)); try assumption; [lra | apply reach_nonnegative | | apply Rle_refl].
  intros h H; subst; unfold right; cbn.
  pose proof (power_positive h 1); pose proof (power_positive h 2); pose proof (power_positive h 4); lra.
Qed.

Theorem ding2025_figure_3 (P : law R) (Q : law R) (others : law R) (base : R) : P = [(1, 2 / 5); (2, 1 /
    10); (4, 1 / 10); (5, 2 / 5)] -> Q = [(0, 1)] -> is_law others -> 1 < base -> farthest (plus P others)
    (plus Q others) = 5 /\ worst_ratio base (plus P others) (plus Q others) <= Rpower base 5.
Proof. intros EP -> LG G; exact (figure_of_p4 P others base EP LG G). Qed.

Theorem ding2025_figure_3_caption (P : law R) (Q : law R) (others : law R) (a : R) (rest : law R) (base :
    R) : P = [(1, 2 / 5); (2, 1 / 10); (4, 1 / 10); (5, 2 / 5)] -> Q = [(0, 1)] -> is_law others -> 1 <= a
    -> a <= 5 -> is_law rest -> 1 < base -> farthest (plus P others) (plus Q others) = 5 /\ worst_ratio
    base (plus P others) (plus Q others) <= Rpower base 5 /\ worst_ratio base (plus (certain a) rest)
    (plus Q rest) <= Rpower base 5.
Proof.
  intros EP -> LG A0 A1 LR G; destruct (figure_of_p4 P others base EP LG G) as [F W]; split; [exact F|]; split; [exact W|].
  pose proof (worst_of_two_values base a 0 rest G LR) as E; unfold certain in E at 2; rewrite E.
  apply power_le; [exact G|]; rewrite Rabs_right; lra.
Qed.

(** ** Table 3 *)

Lemma table_3_apart P Q : P = [(1, 2 / 5); (2, 1 / 10); (4, 1 / 10); (5, 2 / 5)] -> Q = [(2, 1 / 20); (3, 9 / 10); (4, 1 / 20)] ->
  farthest P Q <= 2.
Proof.
  intros EP EQ; apply farthest_le; [lra|]; intros x z X Z S.
  apply plan_support in S as [S1 [S2 _]]; [|subst; repeat constructor; cbn; lra | subst; repeat constructor; cbn; lra].
  subst; cbn in X, Z; unfold before, up_to, prob, indicator, less, at_most in S1, S2; cbn [mean] in S1, S2.
  destruct X as [<-|[<-|[<-|[<-|[]]]]], Z as [<-|[<-|[<-|[]]]]; try far;
    repeat (destruct Rlt_dec; try lra); repeat (destruct Rle_dec; try lra).
Qed.

Theorem ding2025_table_3_example (D : list R) (P : law R) (Q : law R) (users123 : list (law R)) (base : R)
    : D = [1; 2; 3; 4; 5] -> P = [(1, 2 / 5); (2, 1 / 10); (4, 1 / 10); (5, 2 / 5)] -> Q = [(2, 1 / 20);
    (3, 9 / 10); (4, 1 / 20)] -> Forall is_law users123 -> 1 < base -> largest_shift D P Q = 2 /\
    worst_ratio base (plus P (sum_of users123)) (plus Q (sum_of users123)) <= Rpower base 2.
Proof.
  intros ED EP EQ LU G; assert (LP : is_law P) by law_of_row; assert (LQ : is_law Q) by law_of_row.
  pose proof (table_3_apart P Q EP EQ) as U; split; [|apply noise_attains; try assumption; now apply sum_is_law].
  assert (C : consecutive D) by (subst; cbn; repeat split; lra).
  assert (OP : on D P) by (split; [exact LP | subst; intros x I; cbn in *; intuition]).
  assert (OQ : on D Q) by (split; [exact LQ | subst; intros x I; cbn in *; intuition]).
  rewrite (shift_is_farthest D P Q C OP OQ); apply Rle_antisym; [exact U|]; apply Rnot_lt_le; intros N.
  pose proof (plan_steps P Q 1 LP LQ) as S; pose proof (up_to_before Q (1 + farthest P Q) 3 (proj1 LQ) ltac:(lra)) as B.
  assert (E1 : up_to P 1 = 2 / 5) by (subst; row); assert (E2 : before Q 3 = 1 / 20) by (subst; row); lra.
Qed.

(** ** Others on the integers *)

(** The first point that has mass. *)
Lemma first_point G : is_law G -> exists m, In m (map fst G) /\ 0 < mass Req_EM_T G m
  /\ forall e, In e G -> 0 < snd e -> m <= fst e.
Proof.
  intros LG; set (N := image Ropp G); assert (LN : is_law N) by now apply image_is_law.
  assert (F : exists x, In x (map fst (filter (fun e => if Rlt_dec 0 (snd e) then true else false) G))).
  { destruct LG as [NG M]; clear N LN; induction G as [|[a w] G IH]; cbn [mean] in M; [lra|]; cbn [filter snd].
    inversion NG as [|u v Hw NG']; subst; cbn in Hw; destruct (Rlt_dec 0 w); [exists a; now left|].
    apply IH; [exact NG' | lra]. }
  destruct F as [x F]; set (S := map fst (filter (fun e => if Rlt_dec 0 (snd e) then true else false) G)) in *.
  destruct (nearest_above (smallest S) S) as [m [I [_ U]]]; [exists x; split; [exact F | now apply smallest_le]|].
  apply in_map_iff in I as [[y w] [E I]]; cbn in E; subst; apply filter_In in I as [I W]; cbn in W.
  exists m; split; [apply in_map_iff; now exists (m, w)|]; split.
  - unfold mass, prob; destruct (Rlt_dec 0 w) as [Hw|]; [|easy]; clear -I Hw LG; destruct LG as [NG _].
    induction G as [|[a v] G IH]; [easy|]; inversion NG as [|u t Hv NG']; subst; cbn in Hv; cbn [mean].
    pose proof (prob_nonnegative (at_ Req_EM_T m) G NG') as K; unfold prob in K.
    destruct I as [E|I].
    { inversion E; subst; unfold indicator at 1; destruct (at_ Req_EM_T m m) eqn:T; [lra|]; exfalso.
      unfold at_ in T; destruct (Req_EM_T m m); easy. }
    specialize (IH NG' I); unfold indicator at 1; destruct (at_ Req_EM_T m a); nra.
  - intros e J P; assert (K : In (fst e) S).
    { apply in_map, filter_In; split; [exact J|]; destruct (Rlt_dec 0 (snd e)); [reflexivity | contradiction]. }
    exact (U _ K (smallest_le _ _ K)).
Qed.

(** Up to d above it, less than 1 more than an integer, only what is there counts. *)
Lemma up_to_first G Q m d : is_law G -> integers G -> nonnegative Q -> In m (map fst G) ->
  (forall e, In e G -> 0 < snd e -> m <= fst e) -> up_to Q (d - 1) = 0 ->
  up_to (plus Q G) (m + d) = up_to Q d * mass Req_EM_T G m.
Proof.
  intros LG IG NQ I U Z; rewrite up_to_plus; unfold mass, prob; rewrite <- mean_scale.
  apply integer_point in I; [|exact IG]; destruct I as [k ->].
  assert (E : forall l, incl l G -> nonnegative l ->
    mean (fun x => up_to Q (IZR k + d - x)) l = mean (fun x => up_to Q d * indicator (at_ Req_EM_T (IZR k)) x) l).
  { induction l as [|[x w] l IH]; intros J N; [reflexivity|]; inversion N as [|u v Hw N']; subst; cbn in Hw; cbn [mean].
    rewrite IH by (try exact N'; intros y Y; apply J; now right); f_equal.
    destruct Hw as [Hw|<-]; [|ring]; f_equal; unfold indicator, at_; destruct Req_EM_T as [<-|D].
    - rewrite Rmult_1_r; f_equal; ring.
    - rewrite Rmult_0_r; pose proof (U (x, w) (J _ (or_introl eq_refl)) Hw) as L; cbn in L.
      destruct (integer_point G x IG) as [j ->]; [apply in_map_iff; exists (x, w); split; [reflexivity | apply J; now left]|].
      assert (L1 : IZR k + 1 <= IZR j).
      { rewrite <- plus_IZR; apply IZR_le; apply le_IZR in L; assert (k <> j) by congruence; lia. }
      pose proof (up_to_le Q (IZR k + d - IZR j) (d - 1) NQ ltac:(lra)).
      pose proof (prob_nonnegative (at_most (IZR k + d - IZR j)) Q NQ) as P; fold (up_to Q (IZR k + d - IZR j)) in P; lra. }
  apply E; [apply incl_refl | apply LG].
Qed.

(** If what P has up to d is more than what Q has below d + w, some mass of both moves w at least. *)
Lemma far_at_first P Q G d w : is_law P -> is_law Q -> is_law G -> integers G -> integers Q ->
  up_to P (d - 1) = 0 -> up_to Q (d + w - 2) = 0 -> up_to Q (d + w - 1) < up_to P d -> (exists k, d + w = IZR k) ->
  w <= farthest (plus P G) (plus Q G).
Proof.
  intros LP LQ LG IG IQ ZP ZQ H [k K]; destruct (first_point G LG) as [m [I [M U]]].
  pose proof (plus_is_law P G LP LG) as LA; pose proof (plus_is_law Q G LQ LG) as LB.
  apply Rnot_lt_le; intros F; pose proof (plan_steps _ _ (m + d) LA LB) as S.
  rewrite (up_to_first G P m d LG IG (proj1 LP) I U ZP) in S.
  assert (B : up_to (plus Q G) (m + d + farthest (plus P G) (plus Q G)) <= up_to (plus Q G) (m + (d + w - 1))).
  { destruct (integer_point G m IG I) as [j ->].
    assert (IB : integers (plus Q G)).
    { apply points_integers; intros x J; apply in_plus_inv in J as [a [b [A [B ->]]]].
      destruct (integer_point Q a IQ A) as [i ->], (integer_point G b IG B) as [l ->]; exists (i + l)%Z; now rewrite plus_IZR. }
    eapply Rle_trans; [apply (up_to_before _ _ (IZR (j + k)) (proj1 LB)); rewrite plus_IZR; lra|].
    rewrite (before_integer _ _ _ IB eq_refl); apply up_to_le; [apply LB | rewrite plus_IZR; lra]. }
  rewrite (up_to_first G Q m (d + w - 1) LG IG (proj1 LQ) I U) in B by (now replace (d + w - 1 - 1) with (d + w - 2) by ring).
  nra.
Qed.

Theorem ding2025_figure_6 (P : law R) (Q : law R) (others : law R) (base : R) : P = [(1, 2 / 5); (2, 1 /
    10); (4, 1 / 10); (5, 2 / 5)] -> Q = [(2, 1 / 20); (3, 9 / 10); (4, 1 / 20)] -> is_law others /\
    integers others -> 1 < base -> farthest (plus P others) (plus Q others) = 2 /\ worst_ratio base (plus
    P others) (plus Q others) <= Rpower base 2.
Proof.
  intros EP EQ [LG IG] G; assert (LP : is_law P) by law_of_row; assert (LQ : is_law Q) by law_of_row.
  pose proof (table_3_apart P Q EP EQ) as U; split; [|now apply noise_attains].
  apply Rle_antisym; [eapply Rle_trans; [now apply farthest_beside | exact U]|].
  apply (far_at_first P Q others 1 2 LP LQ LG IG).
  - subst; repeat constructor; [now exists 2%Z | now exists 3%Z | now exists 4%Z].
  - subst; row.
  - subst; row.
  - subst; row.
  - exists 3%Z; lra.
Qed.

Theorem ding2025_figure_7 (P : law R) (Q : law R) (others : law R) (base : R) : P = [(0, 4 / 5); (1, 1 /
    5)] -> Q = [(0, 1 / 10); (1, 9 / 10)] -> is_law others /\ integers others -> 1 < base -> farthest
    (plus P others) (plus Q others) = 1 /\ worst_ratio base (plus P others) (plus Q others) <= Rpower base
    1.
Proof.
  intros EP EQ [LG IG] G; assert (LP : is_law P) by law_of_row; assert (LQ : is_law Q) by law_of_row.
  assert (U : farthest P Q <= 1).
  { apply farthest_le; [lra|]; intros x z X Z _; subst; cbn in X, Z; destruct X as [<-|[<-|[]]], Z as [<-|[<-|[]]]; far. }
  split; [|now apply noise_attains]; apply Rle_antisym; [eapply Rle_trans; [now apply farthest_beside | exact U]|].
  apply (far_at_first P Q others 0 1 LP LQ LG IG).
  - subst; repeat constructor; [now exists 0%Z | now exists 1%Z].
  - subst; row.
  - subst; row.
  - subst; row.
  - exists 1%Z; lra.
Qed.
