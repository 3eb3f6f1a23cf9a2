(** * Laws on the line, seen through Laplace noise

    Proved here, for all finite laws on the reals:
    - [largest_ratio_iff]: the largest ratio of two output densities is found at the laws' points;
    - [beside_others]: an independent sum added to both never helps to tell them apart;
    - [presence_ratio]: noise hides whether a draw was added, by its moment E e^(|D|/theta). *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP.
Import ListNotations.
Open Scope R_scope.

(** ** The largest of some numbers, at least 0 *)

Definition largest (xs : list R) : R := fold_right Rmax 0 xs.

Lemma largest_nonnegative xs : 0 <= largest xs.
Proof. induction xs as [|x xs IH]; cbn; [lra | eapply Rle_trans; [exact IH | apply Rmax_r]]. Qed.

Lemma largest_ge x xs : In x xs -> x <= largest xs.
Proof.
  induction xs as [|y xs IH]; cbn; [easy|]; intros [->|I]; [apply Rmax_l|].
  eapply Rle_trans; [now apply IH | apply Rmax_r].
Qed.

Lemma largest_le m xs : 0 <= m -> (forall x, In x xs -> x <= m) -> largest xs <= m.
Proof.
  intros M H; induction xs as [|x xs IH]; cbn; [exact M|].
  apply Rmax_lub; [apply H; now left | apply IH; intros y I; apply H; now right].
Qed.

Lemma largest_map_le {A} (f : A -> R) m xs :
  0 <= m -> (forall x, In x xs -> f x <= m) -> largest (map f xs) <= m.
Proof. intros M H; apply largest_le; [exact M|]; intros y I; apply in_map_iff in I as [x [<- I]]; auto. Qed.

Lemma largest_map_ge {A} (f : A -> R) x xs : In x xs -> f x <= largest (map f xs).
Proof. intros I; apply largest_ge, in_map, I. Qed.

(** ** Means *)

Lemma mean_le_on {A} (f h : A -> R) P :
  nonnegative P -> (forall e, In e P -> 0 < snd e -> f (fst e) <= h (fst e)) -> mean f P <= mean h P.
Proof.
  intros N; induction N as [|[a m] P Hm N IH]; intros H; cbn [mean]; [lra|]; cbn in Hm.
  assert (mean f P <= mean h P) by (apply IH; intros e I; apply H; now right).
  destruct Hm as [Hm|<-]; [|lra].
  pose proof (H (a, m) (or_introl eq_refl) Hm) as G; cbn in G.
  assert (m * f a <= m * h a) by (apply Rmult_le_compat_l; lra); lra.
Qed.

Lemma mean_positive {A} (f : A -> R) P : (forall a, 0 < f a) -> is_law P -> 0 < mean f P.
Proof.
  intros F [N M].
  assert (G : 0 <= mean f P /\ (0 < mean (fun _ => 1) P -> 0 < mean f P)); [|apply G; lra].
  clear M; induction N as [|[a m] P Hm N [IH1 IH2]]; cbn; [lra|]; cbn in Hm.
  pose proof (F a); destruct Hm as [Hm|<-]; [|split; intros; [lra|]; rewrite Rmult_0_l, Rplus_0_l in *; auto].
  assert (0 < m * f a) by now apply Rmult_lt_0_compat. lra.
Qed.

Lemma mean_constant {A} c (P : law A) : is_law P -> mean (fun _ => c) P = c.
Proof.
  intros [_ M]; rewrite (mean_ext _ (fun _ => c * 1)) by (intros; ring); rewrite mean_scale, M; ring.
Qed.

(** ** Laplace noise: g = e^(1/theta) *)

(** 2 theta times the density at y of a draw from P and the noise. *)
Definition noise (g u : R) : R := Rpower g (- Rabs u).
Definition output (g : R) (P : law R) (y : R) : R := mean (fun x => noise g (y - x)) P.

(** The largest ratio of two densities over the points of both laws; the same, either way. *)
Definition largest_ratio (g : R) (P Q : law R) : R :=
  largest (map (fun y => output g P y / output g Q y) (map fst (P ++ Q))).
Definition worst_ratio (g : R) (P Q : law R) : R := Rmax (largest_ratio g P Q) (largest_ratio g Q P).

Lemma power_positive g x : 0 < Rpower g x.
Proof. apply exp_pos. Qed.

Lemma power_le g x y : 1 < g -> x <= y -> Rpower g x <= Rpower g y.
Proof. intros G H; apply Rle_Rpower; lra. Qed.

Lemma power_plus g x y : Rpower g (x + y) = Rpower g x * Rpower g y.
Proof. apply Rpower_plus. Qed.

Lemma output_positive g P y : is_law P -> 0 < output g P y.
Proof. intros L; apply mean_positive; [intros; apply power_positive | exact L]. Qed.

Lemma quotient_le a b E : 0 < b -> (a / b <= E <-> a <= E * b).
Proof.
  intros B; split; intros H.
  - apply Rmult_le_compat_r with (r := b) in H; [|lra].
    replace (a / b * b) with a in H by (field; lra); lra.
  - apply Rmult_le_reg_r with b; [lra|]; replace (a / b * b) with a by (field; lra); lra.
Qed.

(** Between neighboring points the noise is a mixture of the noise at both. *)
Lemma noise_between g lo hi y : 1 < g -> lo <= y <= hi -> lo < hi ->
  exists a b, 0 <= a /\ 0 <= b /\
    forall x, x <= lo \/ hi <= x -> noise g (y - x) = a * noise g (lo - x) + b * noise g (hi - x).
Proof.
  intros G Y L; set (l := Rpower g lo); set (u := Rpower g y); set (h := Rpower g hi).
  assert (Pl : 0 < l) by apply power_positive; assert (Pu : 0 < u) by apply power_positive.
  assert (Ph : 0 < h) by apply power_positive.
  assert (l <= u) by (apply power_le; lra); assert (u <= h) by (apply power_le; lra).
  assert (l < h) by (apply Rpower_lt; lra).
  assert (D : 0 < h * h - l * l) by nra.
  exists (l * (h * h - u * u) / (u * (h * h - l * l))), (h * (u * u - l * l) / (u * (h * h - l * l))).
  assert (0 < u * (h * h - l * l)) by now apply Rmult_lt_0_compat.
  assert (0 <= h * h - u * u) by nra; assert (0 <= u * u - l * l) by nra.
  split; [apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; now apply Rinv_0_lt_compat]|].
  split; [apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; now apply Rinv_0_lt_compat]|].
  intros x [X|X]; unfold noise.
  - rewrite !Rabs_right by lra.
    replace (- (y - x)) with (x + - y) by ring; replace (- (lo - x)) with (x + - lo) by ring.
    replace (- (hi - x)) with (x + - hi) by ring; rewrite !power_plus, !Rpower_Ropp.
    fold l u h; field; repeat split; lra.
  - rewrite !Rabs_left1 by lra; rewrite !Ropp_involutive; unfold Rminus; rewrite !power_plus.
    fold l u h; field; split; lra.
Qed.

Lemma noise_beyond g hi y : 
  forall x, (y <= hi <= x \/ x <= hi <= y) -> noise g (y - x) = noise g (y - hi) * noise g (hi - x).
Proof.
  intros x H; unfold noise; rewrite <- power_plus; f_equal.
  destruct H; [rewrite !Rabs_left1 by lra | rewrite !Rabs_right by lra]; ring.
Qed.

(** The nearest points below and above. *)
Lemma nearest_below y xs : (exists x, In x xs /\ x <= y) ->
  exists lo, In lo xs /\ lo <= y /\ forall x, In x xs -> x <= y -> x <= lo.
Proof.
  induction xs as [|z xs IH]; intros [x [I X]]; [easy|].
  assert (C : (exists x, In x xs /\ x <= y) \/ ~ (exists x, In x xs /\ x <= y)).
  { clear -xs; induction xs as [|a xs IH]; [right; intros [? [[] _]]|].
    destruct IH as [[b [I B]]|N]; [left; exists b; split; [now right | exact B]|].
    destruct (Rle_dec a y); [left; exists a; split; [now left | assumption]|].
    right; intros [b [[->|I] B]]; [contradiction | apply N; eauto]. }
  destruct C as [C|C].
  - destruct (IH C) as [lo [J [L M]]]; destruct (Rle_dec z y) as [Z|Z].
    + destruct (Rle_dec z lo).
      * exists lo; split; [now right|]; split; [exact L|]; intros w [->|W] Hw; auto.
      * exists z; split; [now left|]; split; [exact Z|]; intros w [->|W] Hw; [lra|].
        specialize (M w W Hw); lra.
    + exists lo; split; [now right|]; split; [exact L|]; intros w [->|W] Hw; [lra | auto].
  - destruct I as [->|I]; [|exfalso; apply C; eauto].
    exists x; split; [now left|]; split; [exact X|]; intros w [->|W] Hw; [lra|].
    exfalso; apply C; eauto.
Qed.

Lemma nearest_above y xs : (exists x, In x xs /\ y <= x) ->
  exists hi, In hi xs /\ y <= hi /\ forall x, In x xs -> y <= x -> hi <= x.
Proof.
  intros [x [I X]]; destruct (nearest_below (- y) (map Ropp xs)) as [lo [J [L M]]].
  - exists (- x); split; [now apply in_map | lra].
  - apply in_map_iff in J as [z [<- J]]; exists z; split; [exact J|]; split; [lra|].
    intros w W Hw; specialize (M (- w) (in_map _ _ _ W)); lra.
Qed.

Lemma some_below_or_not y (xs : list R) : (exists x, In x xs /\ x <= y) \/ (forall x, In x xs -> y < x).
Proof.
  induction xs as [|a xs [[b [I B]]|N]]; [right; easy | left; exists b; split; [now right | exact B]|].
  destruct (Rle_dec a y); [left; exists a; split; [now left | assumption]|].
  right; intros b [->|I]; [lra | auto].
Qed.

Lemma mean_ext_on {A} (f h : A -> R) P : (forall a, In a (map fst P) -> f a = h a) -> mean f P = mean h P.
Proof.
  induction P as [|[a m] P IH]; intros H; cbn [mean]; [reflexivity|].
  rewrite (H a) by (now left); f_equal; apply IH; intros x I; apply H; now right.
Qed.

Lemma output_ext g P y (f : R -> R) :
  (forall x, In x (map fst P) -> noise g (y - x) = f x) -> output g P y = mean f P.
Proof. apply mean_ext_on. Qed.

(** It is the least E with f_P <= E f_Q at all real y. *)
Theorem largest_ratio_iff g P Q E :
  1 < g -> is_law P -> is_law Q ->
  (largest_ratio g P Q <= E <-> forall y, output g P y <= E * output g Q y).
Proof.
  intros G LP LQ; set (l := map fst (P ++ Q)).
  assert (PP := fun y => output_positive g P y LP); assert (PQ := fun y => output_positive g Q y LQ).
  split.
  - intros H.
    assert (A : forall x, In x l -> output g P x <= E * output g Q x).
    { intros x I; apply quotient_le; [apply PQ|]; eapply Rle_trans; [|exact H].
      now apply (largest_map_ge (fun y => output g P y / output g Q y)). }
    assert (IP : incl (map fst P) l) by (intros x I; unfold l; rewrite map_app; apply in_or_app; auto).
    assert (IQ : incl (map fst Q) l) by (intros x I; unfold l; rewrite map_app; apply in_or_app; auto).
    assert (NE : exists x, In x l).
    { destruct P as [|[a m] P]; [destruct LP as [_ M]; cbn in M; lra | exists a; now left]. }
    assert (One : forall y z, In z l -> (forall x, In x l -> y <= z <= x \/ x <= z <= y) ->
      output g P y <= E * output g Q y).
    { intros y z I B; specialize (A z I).
      rewrite (output_ext g P y (fun x => noise g (y - z) * noise g (z - x))), mean_scale
        by (intros x J; apply noise_beyond; auto).
      rewrite (output_ext g Q y (fun x => noise g (y - z) * noise g (z - x))), mean_scale
        by (intros x J; apply noise_beyond; auto).
      fold (output g P z) (output g Q z).
      pose proof (power_positive g (- Rabs (y - z))) as N; fold (noise g (y - z)) in N; nra. }
    intros y; destruct (some_below_or_not y l) as [Lo|No].
    + destruct (nearest_below y l Lo) as [lo [I [L M]]].
      destruct (some_below_or_not (- y) (map Ropp l)) as [[z [J Z]]|No].
      * apply in_map_iff in J as [w [<- J]].
        destruct (nearest_above y l) as [hi [K [U V]]]; [exists w; split; [exact J | lra]|].
        destruct (Rle_lt_or_eq_dec lo hi) as [S|S]; [lra | |].
        -- destruct (noise_between g lo hi y G (conj L U) S) as [a [b [Pa [Pb C]]]].
           assert (O : forall x, In x l -> x <= lo \/ hi <= x).
           { intros x X; destruct (Rle_dec x y); [left; auto | right; apply V; [exact X | lra]]. }
           rewrite (output_ext g P y (fun x => a * noise g (lo - x) + b * noise g (hi - x)))
             by (intros; apply C; auto).
           rewrite (output_ext g Q y (fun x => a * noise g (lo - x) + b * noise g (hi - x)))
             by (intros; apply C; auto).
           rewrite !mean_plus, !mean_scale; fold (output g P lo) (output g P hi) (output g Q lo) (output g Q hi).
           pose proof (A lo I); pose proof (A hi K); nra.
        -- replace y with lo by lra; auto.
      * apply (One y lo I); intros x X; right; split; [|exact L].
        apply M; [exact X|]; specialize (No (- x) (in_map _ _ _ X)); lra.
    + destruct NE as [x0 X0]; destruct (nearest_above y l) as [hi [K [U V]]].
      { exists x0; split; [exact X0 | left; auto]. }
      apply (One y hi K); intros x X; left; split; [exact U | apply V; [exact X | left; auto]].
  - intros H; apply largest_map_le.
    + specialize (H 0); specialize (PP 0); specialize (PQ 0); destruct (Rle_dec 0 E); [assumption | nra].
    + intros x _; apply quotient_le; auto.
Qed.

(** The worst ratio is the least E of (1): for all real y, both ways. *)
Theorem worst_ratio_iff g P Q E :
  1 < g -> is_law P -> is_law Q ->
  (worst_ratio g P Q <= E <->
   forall y, output g P y <= E * output g Q y /\ output g Q y <= E * output g P y).
Proof.
  intros G LP LQ; pose proof (largest_ratio_iff g P Q E G LP LQ); pose proof (largest_ratio_iff g Q P E G LQ LP).
  unfold worst_ratio; split.
  - intros W; assert (largest_ratio g P Q <= E) by (eapply Rle_trans; [apply Rmax_l | exact W]).
    assert (largest_ratio g Q P <= E) by (eapply Rle_trans; [apply Rmax_r | exact W]).
    intros y; split; revert y; tauto.
  - intros W; apply Rmax_lub; [apply H | apply H0]; intros y; apply W.
Qed.

(** ** Independent sums *)

Definition plus (P G : law R) : law R := bind P (fun x => image (Rplus x) G).

Lemma mean_bind_image {A B C} (h : A -> B -> C) (f : C -> R) P G :
  mean f (bind P (fun x => image (h x) G)) = mean (fun x => mean (fun z => f (h x z)) G) P.
Proof. rewrite mean_bind; apply mean_ext; intros x; apply mean_image. Qed.

Lemma mean_plus_law f P G : mean f (plus P G) = mean (fun x => mean (fun z => f (x + z)) G) P.
Proof. apply (mean_bind_image Rplus). Qed.

Lemma plus_is_law P G : is_law P -> is_law G -> is_law (plus P G).
Proof. intros LP LG; apply bind_is_law; [exact LP | intros x; now apply image_is_law]. Qed.

Lemma output_plus g P G y : output g (plus P G) y = mean (fun z => output g P (y - z)) G.
Proof.
  unfold output; rewrite mean_plus_law, mean_swap; apply mean_ext; intros z; apply mean_ext; intros x.
  f_equal; ring.
Qed.

(** What holds alone for every output holds beside others, with their probabilities. *)
Lemma output_beside g P Q G a b :
  is_law G -> (forall y, a * output g P y <= b * output g Q y) ->
  forall y, a * output g (plus P G) y <= b * output g (plus Q G) y.
Proof.
  intros [N _] H y; rewrite !output_plus, <- !mean_scale; apply mean_le; [exact N|]; intros z; apply H.
Qed.

Theorem beside_others g P Q G :
  1 < g -> is_law P -> is_law Q -> is_law G ->
  worst_ratio g (plus P G) (plus Q G) <= worst_ratio g P Q.
Proof.
  intros Hg LP LQ LG.
  pose proof (proj1 (worst_ratio_iff g P Q _ Hg LP LQ) (Rle_refl _)) as H.
  apply worst_ratio_iff; try assumption; try now apply plus_is_law.
  intros y; split.
  - pose proof (output_beside g P Q G 1 (worst_ratio g P Q) LG) as B.
    specialize (B ltac:(intros z; destruct (H z); lra) y); lra.
  - pose proof (output_beside g Q P G 1 (worst_ratio g P Q) LG) as B.
    specialize (B ltac:(intros z; destruct (H z); lra) y); lra.
Qed.


(** ** Moments *)

(** E e^(|D|/theta). *)
Definition moment (g : R) (P : law R) : R := mean (fun t => Rpower g (Rabs t)) P.

Lemma mean_of_inverses {A} (u : A -> R) P :
  is_law P -> (forall a, 0 < u a) -> 1 <= mean u P * mean (fun a => / u a) P.
Proof.
  intros L U; pose proof (mean_positive u P U L) as C; set (c := mean u P) in *.
  assert (H : / c <= mean (fun a => / u a) P).
  { replace (/ c) with (mean (fun a => 2 / c + - / (c * c) * u a) P).
    - apply mean_le; [apply L|]; intros a; specialize (U a).
      assert (0 <= (c - u a) * (c - u a) * / (c * c * u a)).
      { apply Rmult_le_pos; [apply Rle_0_sqr | left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra]. }
      replace (/ u a) with ((c - u a) * (c - u a) * / (c * c * u a) + (2 / c + - / (c * c) * u a)) by (field; lra).
      lra.
    - rewrite mean_plus, mean_scale, (mean_constant _ P L); fold c; field; lra. }
  apply Rmult_le_compat_l with (r := c) in H; [|lra]; rewrite Rinv_r in H by lra; exact H.
Qed.

Lemma noise_shifted g y t : 1 < g -> noise g (y - t) <= Rpower g (Rabs t) * noise g y.
Proof.
  intros G; unfold noise; rewrite <- power_plus; apply power_le; [exact G|].
  pose proof (Rabs_triang (y - t) t) as T; replace (y - t + t) with y in T by ring; lra.
Qed.

Lemma noise_unshifted g y t : 1 < g -> / Rpower g (Rabs t) * noise g y <= noise g (y - t).
Proof.
  intros G; unfold noise; rewrite <- Rpower_Ropp, <- power_plus; apply power_le; [exact G|].
  pose proof (Rabs_triang_inv y t); pose proof (Rabs_triang y (- t)) as T.
  rewrite Rabs_Ropp in T; unfold Rminus; lra.
Qed.

(** Noise hides whether a draw was added, up to its moment. *)
Theorem presence_ratio g P : 1 < g -> is_law P -> worst_ratio g P (certain 0) <= moment g P.
Proof.
  intros G L; apply worst_ratio_iff; [exact G | exact L | apply certain_is_law|]; intros y.
  assert (Z : output g (certain 0) y = noise g y) by (unfold output; cbn; rewrite Rminus_0_r; ring).
  rewrite Z; clear Z; unfold output, moment; pose proof (power_positive g (- Rabs y)) as Np; fold (noise g y) in Np.
  pose proof (mean_positive (fun t => Rpower g (Rabs t)) P (fun t => power_positive g _) L) as Mp.
  pose proof (mean_of_inverses (fun t => Rpower g (Rabs t)) P L (fun t => power_positive g _)) as J; split.
  - rewrite Rmult_comm, <- mean_scale; apply mean_le; [apply L|]; intros t; rewrite Rmult_comm; now apply noise_shifted.
  - assert (K : noise g y * mean (fun t => / Rpower g (Rabs t)) P <= mean (fun t => noise g (y - t)) P).
    { rewrite <- mean_scale; apply mean_le; [apply L|]; intros t; rewrite Rmult_comm; now apply noise_unshifted. }
    cbv beta in J; apply Rmult_le_compat_l with (r := mean (fun t => Rpower g (Rabs t)) P) in K; [|lra]; nra.
Qed.

(** ** Users who may be absent *)

(** The law of each user's report with the probability of presence; whether all others are present. *)
Record system := { users : list (law R * R); all_present : bool }.
Definition is_system (V : system) : Prop :=
  users V <> [] /\ Forall (fun u => is_law (fst u) /\ 0 <= snd u <= 1) (users V).

Definition report (V : system) (i : nat) : law R := fst (nth i (users V) (certain 0, 1)).
Definition if_present (u : law R * R) : law R := weighted (snd u) (fst u) ++ weighted (1 - snd u) (certain 0).
Definition sum_of (laws : list (law R)) : law R := fold_right plus (certain 0) laws.

(** What the others of user i add. *)
Definition others_of (V : system) (i : nat) : law R :=
  sum_of (map (if all_present V then fst else if_present) (firstn i (users V) ++ skipn (S i) (users V))).

(** The largest of a number of each user; the worst ratio over a pair of secrets of each user. *)
Definition largest_of (V : system) (f : nat -> R) : R := largest (map f (seq 0 (length (users V)))).
Definition worst_of (V : system) (secrets : nat -> law R * law R) (g : R) : R :=
  largest_of V (fun i =>
    worst_ratio g (plus (fst (secrets i)) (others_of V i)) (plus (snd (secrets i)) (others_of V i))).

(** The largest f_s/f_t over a pair of secrets (s, t) of each user; all users present for certain. *)
Definition one_sided_of (V : system) (secrets : nat -> law R * law R) (g : R) : R :=
  largest_of V (fun i =>
    largest_ratio g (plus (fst (secrets i)) (others_of V i)) (plus (snd (secrets i)) (others_of V i))).
Definition surely (V : system) : system :=
  {| users := map (fun u => (fst u, 1)) (users V); all_present := true |}.

Lemma if_present_is_law u : is_law (fst u) /\ 0 <= snd u <= 1 -> is_law (if_present u).
Proof.
  intros [[N M] Z]; split.
  - apply Forall_app; split; apply nonnegative_weighted; try lra; [exact N | apply certain_is_law].
  - unfold if_present; rewrite mean_app, !mean_weighted, M; cbn; ring.
Qed.

Lemma sum_is_law laws : Forall is_law laws -> is_law (sum_of laws).
Proof. induction 1; cbn; [apply certain_is_law | now apply plus_is_law]. Qed.

Lemma others_are_law V i : is_system V -> is_law (others_of V i).
Proof.
  intros [_ HS]; apply sum_is_law, Forall_map.
  assert (T : Forall (fun u => is_law (fst u) /\ 0 <= snd u <= 1) (firstn i (users V) ++ skipn (S i) (users V))).
  { apply Forall_app; rewrite Forall_forall in HS; split; apply Forall_forall; intros u I; apply HS.
    - rewrite <- (firstn_skipn i); apply in_or_app; now left.
    - rewrite <- (firstn_skipn (S i)); apply in_or_app; now right. }
  eapply Forall_impl; [|exact T]; intros u U; destruct (all_present V); [apply U | now apply if_present_is_law].
Qed.

Lemma report_is_law V i : is_system V -> is_law (report V i).
Proof.
  intros S; unfold report; destruct (nth_in_or_default i (users V) (certain 0, 1)) as [I| ->]; [|apply certain_is_law].
  destruct S as [_ S]; rewrite Forall_forall in S; now apply S.
Qed.

Theorem worst_of_le V secrets g m :
  1 < g -> is_system V -> 0 <= m ->
  (forall i, (i < length (users V))%nat ->
    is_law (fst (secrets i)) /\ is_law (snd (secrets i)) /\ worst_ratio g (fst (secrets i)) (snd (secrets i)) <= m) ->
  worst_of V secrets g <= m.
Proof.
  intros G S M H; apply largest_map_le; [exact M|]; intros i I; apply in_seq in I.
  destruct (H i ltac:(lia)) as [LP [LQ W]]; eapply Rle_trans; [apply beside_others; auto; now apply others_are_law | exact W].
Qed.

Lemma largest_of_ge V f i : (i < length (users V))%nat -> f i <= largest_of V f.
Proof. intros I; apply (largest_map_ge f), in_seq; lia. Qed.

Lemma largest_of_ext V f h : (forall i, f i = h i) -> largest_of V f = largest_of V h.
Proof. intros H; unfold largest_of; f_equal; apply map_ext, H. Qed.

Lemma largest_of_le V f m : 0 <= m -> (forall i, (i < length (users V))%nat -> f i <= m) -> largest_of V f <= m.
Proof. intros M H; apply largest_map_le; [exact M|]; intros i I; apply in_seq in I; apply H; lia. Qed.

Lemma largest_of_powers V f g :
  1 < g -> users V <> [] -> (forall i, 0 <= f i) -> largest_of V (fun i => Rpower g (f i)) = Rpower g (largest_of V f).
Proof.
  intros G N F; unfold largest_of; destruct (users V) as [|u us]; [easy|]; cbn [length seq map].
  generalize (seq 1 (length us)); intros l; clear N; revert F; generalize 0%nat; induction l as [|j l IH]; intros i F.
  - cbn; rewrite !Rmax_left; [reflexivity | apply F | left; apply power_positive].
  - cbn [largest fold_right map] in *; specialize (IH j F).
    assert (M : forall a b, Rmax (Rpower g a) (Rpower g b) = Rpower g (Rmax a b)).
    { intros a b; unfold Rmax; destruct (Rle_dec a b) as [L|L], Rle_dec as [K|K]; try reflexivity.
      - exfalso; apply K; now apply power_le.
      - apply Rle_antisym; [|exact K]; apply power_le; lra. }
    unfold largest in *; cbn [fold_right] in *; rewrite <- M; f_equal; exact IH.
Qed.

(** ** Two values of one user *)

Lemma output_value g a G y : output g (plus (certain a) G) y = mean (fun z => noise g (y - a - z)) G.
Proof.
  unfold output; rewrite mean_plus_law; cbn; rewrite Rmult_1_l, Rplus_0_r.
  apply mean_ext; intros z; f_equal; ring.
Qed.

Lemma point_near (G : law R) z : In z (map fst G) -> Rabs z <= largest (map Rabs (map fst G)).
Proof. apply largest_map_ge. Qed.

(** Beyond all points the densities of two values differ by e^(|a - b|/theta), whatever the others. *)
Theorem ratio_of_values g a b G :
  1 < g -> is_law G -> largest_ratio g (plus (certain a) G) (plus (certain b) G) = Rpower g (Rabs (a - b)).
Proof.
  intros Hg LG; set (P := plus (certain a) G); set (Q := plus (certain b) G).
  assert (LP : is_law P) by (apply plus_is_law; [apply certain_is_law | exact LG]).
  assert (LQ : is_law Q) by (apply plus_is_law; [apply certain_is_law | exact LG]).
  apply Rle_antisym.
  - apply largest_ratio_iff; try assumption; intros y; unfold P, Q; rewrite !output_value, <- mean_scale.
    apply mean_le; [apply LG|]; intros z; unfold noise; rewrite <- power_plus; apply power_le; [exact Hg|].
    pose proof (Rabs_triang_inv (y - b - z) (y - a - z)) as T.
    replace (y - b - z - (y - a - z)) with (a - b) in T by ring; lra.
  - pose proof (proj1 (largest_ratio_iff g P Q _ Hg LP LQ) (Rle_refl _)) as H.
    set (r := largest (map Rabs (map fst G))).
    assert (E : exists y, output g P y = Rpower g (Rabs (a - b)) * output g Q y).
    { unfold P, Q; destruct (Rle_dec b a) as [L|L].
      - exists (a + r); rewrite !output_value, <- mean_scale; apply mean_ext_on; intros z I.
        pose proof (point_near G z I) as Z; fold r in Z; pose proof (Rle_abs z).
        unfold noise; rewrite <- power_plus; rewrite !Rabs_right by lra; f_equal; ring.
      - exists (a - r); rewrite !output_value, <- mean_scale; apply mean_ext_on; intros z I.
        pose proof (point_near G z I) as Z; fold r in Z; pose proof (Rle_abs (- z)) as Z'; rewrite Rabs_Ropp in Z'.
        unfold noise; rewrite <- power_plus; rewrite !Rabs_left1 by lra; f_equal; ring. }
    destruct E as [y E]; specialize (H y); rewrite E in H.
    apply Rmult_le_reg_r in H; [exact H | now apply output_positive].
Qed.

Lemma worst_of_two_values g a b G :
  1 < g -> is_law G -> worst_ratio g (plus (certain a) G) (plus (certain b) G) = Rpower g (Rabs (a - b)).
Proof.
  intros; unfold worst_ratio; rewrite !ratio_of_values, (Rabs_minus_sym b a) by assumption.
  apply Rmax_left; lra.
Qed.

Lemma worst_of_values V (secrets : nat -> R * R) g :
  1 < g -> is_system V ->
  worst_of V (fun i => (certain (fst (secrets i)), certain (snd (secrets i)))) g
  = Rpower g (largest_of V (fun i => Rabs (fst (secrets i) - snd (secrets i)))).
Proof.
  intros G HS; rewrite <- largest_of_powers; [|exact G | apply HS | intros; apply Rabs_pos].
  apply largest_of_ext; intros i; cbn [fst snd]; apply worst_of_two_values; [exact G | now apply others_are_law].
Qed.

(** ** Sizes, and two outcomes *)

Definition size (P : law R) : R := largest (map (fun e => if Rlt_dec 0 (snd e) then Rabs (fst e) else 0) P).

Lemma size_ge P e : In e P -> 0 < snd e -> Rabs (fst e) <= size P.
Proof.
  intros I H; pose proof (largest_map_ge (fun e => if Rlt_dec 0 (snd e) then Rabs (fst e) else 0) e P I) as M.
  fold (size P) in M; cbv beta in M; destruct Rlt_dec; lra.
Qed.

Lemma moment_le_size g P : 1 < g -> is_law P -> moment g P <= Rpower g (size P).
Proof.
  intros G L; rewrite <- (mean_constant (Rpower g (size P)) P L); apply mean_le_on; [apply L|].
  intros e I H; apply power_le; [exact G | now apply size_ge].
Qed.

Definition bernoulli (p : R) : law R := [(0, 1 - p); (1, p)].

Lemma bernoulli_is_law p : 0 <= p <= 1 -> is_law (bernoulli p).
Proof. intros H; split; [repeat apply Forall_cons; try apply Forall_nil; cbn; lra | cbn; ring]. Qed.
