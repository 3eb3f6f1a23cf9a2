(** * The privacy blanket

    n users send one message each, independently; the analyzer sees the messages shuffled. [others] are
    the laws of the messages of n - 1 of them, whatever their data; V is the law of the victim's message,
    V' with the other data. If every one of the others' laws is at least g omega at each message, 0 <= g <= 1
    (with probability g they speak as the blanket omega, whatever their data), then
    - [blanket_reduction]: the views are at most as far apart as those with c blanket users beside the
      victim on average, where c is binomial of n - 1 and g;
    - [privacy_blanket]: they are at most

        1 / (g n) * sum over m of binomial (n, m) g^m (1 - g)^(n - m) E [positive part of L(W_1) + ... + L(W_m)],

      where W_i are drawn from omega, and L(y) = (V(y) - E V'(y)) / omega(y), if omega sends what V or V' sends;
    - [shuffled_messages]: no analyzer of the messages that does not see their order sees more than the view;
    - [permuted_messages]: in particular the list of the messages in a uniformly random order;
    - [shuffle_model]: so [privacy_blanket] for every local randomizer and all data, and such analyzers;
    - [blanket_of_private_randomizer]: with the paper's blanket of an eps0-private randomizer.

    Source: Balle, Bell, Gascón, Nissim 2019, Section 5.1 and Lemma 5.3. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas.
Import ListNotations.
Open Scope R_scope.

(** ** How many users speak as the blanket *)

(** The number of heads of n coins, each a head with probability g. *)
Fixpoint heads (g : R) (n : nat) : law nat :=
  match n with 0%nat => certain 0%nat | S n => bind (heads g n) (fun c => [(c, 1 - g); (S c, g)]) end.

Lemma heads_S g n f :
  mean f (heads g (S n)) = (1 - g) * mean f (heads g n) + g * mean (fun c => f (S c)) (heads g n).
Proof.
  cbn [heads]; rewrite mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros c; cbn; ring.
Qed.

Theorem heads_binomial g n f :
  mean f (heads g n) = binomial_total n (fun c => g ^ c * (1 - g) ^ (n - c) * f c).
Proof.
  revert f; induction n as [|n IH]; intros f; [unfold binomial_total; cbn; ring|].
  rewrite heads_S, binomial_total_S, !IH, Rplus_comm; unfold binomial_total.
  rewrite <- !total_scale; f_equal; apply total_ext; intros c Hc; apply in_seq in Hc.
  - replace (S n - S c)%nat with (n - c)%nat by lia; cbn [pow]; ring.
  - replace (S n - c)%nat with (S (n - c)) by lia; cbn [pow]; ring.
Qed.

Definition covered (g : R) (omega u : law nat) : Prop :=
  is_law u /\ forall y, g * mass Nat.eq_dec omega y <= mass Nat.eq_dec u y.

Lemma leftover g omega u :
  is_law omega -> g <= 1 -> covered g omega u -> exists L, is_law L /\ mixes u g omega L.
Proof.
  intros LO Hg [LU H].
  destruct (leftover_law Nat.eq_dec u omega omega g 0) as [L [LL HL]]; try assumption; try lra.
  - intros y; specialize (H y); lra.
  - exists L; split; [exact LL|]; intros f; rewrite HL; ring.
Qed.

Lemma blanket_heads k omega g users V V' E j :
  is_law omega -> 0 <= g <= 1 -> Forall (covered g omega) users ->
  hockey_stick same_counts (view k (V :: repeat omega j ++ users)) (view k (V' :: repeat omega j ++ users)) E
  <= mean (fun c => hockey_stick same_counts (view k (V :: repeat omega (j + c)))
       (view k (V' :: repeat omega (j + c))) E) (heads g (length users)).
Proof.
  intros LO Hg H; revert j; induction H as [|u users Hu H IH]; intros j.
  - cbn; rewrite Nat.add_0_r, app_nil_r; lra.
  - destruct (leftover g omega u LO (proj2 Hg) Hu) as [L [LL HL]].
    assert (F : forall W f, mean f (view k (W :: repeat omega j ++ u :: users)) =
      mean f (weighted g (view k (W :: repeat omega (S j) ++ users))
        ++ weighted (1 - g) (view k ((W :: repeat omega j ++ users) ++ [L])))).
    { intros W f; rewrite mean_app, !mean_weighted.
      rewrite (view_permutation k _ (u :: W :: repeat omega j ++ users))
        by (symmetry; exact (Permutation_middle (W :: repeat omega j) users u)).
      rewrite (view_mixes k u g omega L) by exact HL; f_equal; f_equal.
      - apply view_permutation; cbn [repeat List.app]; apply perm_swap.
      - apply view_permutation, Permutation_cons_append. }
    rewrite (hockey_stick_ext _ _ _ _ _ _ (F V) (F V')); clear F.
    eapply Rle_trans; [apply joint_convexity; exact Hg|].
    cbn [length]; rewrite heads_S, Rplus_comm; apply Rplus_le_compat; apply Rmult_le_compat_l; try lra.
    + eapply Rle_trans; [|apply IH].
      apply (more_users k (V :: repeat omega j ++ users) (V' :: repeat omega j ++ users) [L] E).
      constructor; [exact LL | constructor].
    + eapply Rle_trans; [apply IH|]; apply Req_le, mean_ext; intros c.
      now rewrite Nat.add_succ_r.
Qed.

Theorem blanket_reduction k omega g others V V' E :
  is_law omega -> 0 <= g <= 1 -> Forall (covered g omega) others ->
  let n := length others in
  hockey_stick same_counts (view k (V :: others)) (view k (V' :: others)) E
  <= binomial_total n (fun c => g ^ c * (1 - g) ^ (n - c) *
       hockey_stick same_counts (view k (V :: repeat omega c)) (view k (V' :: repeat omega c)) E).
Proof.
  intros LO Hg H n; unfold n; rewrite <- (heads_binomial g (length others) (fun c => hockey_stick same_counts
    (view k (V :: repeat omega c)) (view k (V' :: repeat omega c)) E)).
  exact (blanket_heads k omega g others V V' E 0 LO Hg H).
Qed.

(** ** The victim beside blanket users *)

(** What the messages are, in any order. *)
Definition symmetric {A T} (f : list A -> T) : Prop := forall ys zs, Permutation ys zs -> f ys = f zs.

Lemma histogram_symmetric k : symmetric (histogram k).
Proof.
  intros ys zs H; unfold histogram; induction H; cbn; [reflexivity | congruence | apply increment_commutes | congruence].
Qed.

Lemma mean_messages_cons {A} (u : law A) users f :
  mean f (messages (u :: users)) = mean (fun y => mean (fun ys => f (y :: ys)) (messages users)) u.
Proof. cbn; rewrite mean_bind; apply mean_ext; intros y; now rewrite mean_image. Qed.

(** Of equal users each contributes as much as the first. *)
Lemma first_of_equal_users (omega : law nat) (ell : nat -> R) (f : list nat -> R) n :
  symmetric f ->
  mean (fun ys => total (map ell ys) * f ys) (messages (repeat omega (S n))) =
  INR (S n) * mean (fun y => ell y * mean (fun ys => f (y :: ys)) (messages (repeat omega n))) omega.
Proof.
  revert f; induction n as [|n IH]; intros f Hf; cbn [repeat]; rewrite mean_messages_cons.
  - rewrite <- mean_scale; apply mean_ext; intros y; cbn; ring.
  - set (T := messages (repeat omega (S n))); fold (repeat omega (S n)).
    change (omega :: repeat omega n) with (repeat omega (S n)); fold T.
    rewrite (mean_ext _ (fun y => ell y * mean (fun ys => f (y :: ys)) T
      + mean (fun ys => total (map ell ys) * f (y :: ys)) T)).
    2: { intros y; rewrite <- mean_scale, <- mean_plus; apply mean_ext; intros ys; cbn; ring. }
    rewrite mean_plus, (S_INR (S n)), Rmult_plus_distr_r, Rmult_1_l, Rplus_comm; f_equal.
    transitivity (mean (fun y => INR (S n) * mean (fun z => ell z *
      mean (fun ys => f (y :: z :: ys)) (messages (repeat omega n))) omega) omega).
    { apply mean_ext; intros y; apply (IH (fun ys => f (y :: ys))).
      intros ys zs H; apply Hf; now constructor. }
    rewrite mean_scale, mean_swap; f_equal; apply mean_ext; intros z.
    rewrite mean_scale; f_equal; unfold T; cbn [repeat]; rewrite mean_messages_cons.
    apply mean_ext; intros y; apply mean_ext; intros ys; apply Hf, perm_swap.
Qed.

(** omega sends what V sends. *)
Definition dominates (omega V : law nat) : Prop :=
  forall y, mass Nat.eq_dec omega y = 0 -> mass Nat.eq_dec V y = 0.

Lemma change_of_law omega V f :
  dominates omega V ->
  mean f V = mean (fun y => mass Nat.eq_dec V y / mass Nat.eq_dec omega y * f y) omega.
Proof.
  intros H; destruct (outcomes_carry Nat.eq_dec V omega) as [[_ HV] [_ HO]].
  rewrite HV, HO; apply total_ext; intros y _.
  destruct (Req_dec (mass Nat.eq_dec omega y) 0) as [Z|Z]; [rewrite Z, (H y Z); ring | field; exact Z].
Qed.

(** The privacy amplification variable. *)
Definition amplification (V V' omega : law nat) (E : R) (y : nat) : R :=
  (mass Nat.eq_dec V y - E * mass Nat.eq_dec V' y) / mass Nat.eq_dec omega y.

(** E [positive part of L(W_1) + ... + L(W_m)]. *)
Definition blanket_excess (V V' omega : law nat) (E : R) (m : nat) : R :=
  mean (fun ys => positive_part (total (map (amplification V V' omega E) ys))) (messages (repeat omega m)).

Lemma nonnegative_messages (omega : law nat) n : nonnegative omega -> nonnegative (messages (repeat omega n)).
Proof.
  intros N; induction n as [|n IH]; [apply (certain_is_law (@nil nat))|].
  cbn; apply nonnegative_bind; [exact N|]; intros; now apply nonnegative_image.
Qed.

Theorem victim_among_blanket k omega V V' E c :
  is_law omega -> dominates omega V -> dominates omega V' ->
  hockey_stick same_counts (view k (V :: repeat omega c)) (view k (V' :: repeat omega c)) E
  <= / INR (S c) * blanket_excess V V' omega E (S c).
Proof.
  intros LO HV HV'; apply below_every_event; intros X.
  set (f := fun ys => indicator X (histogram k ys)).
  assert (Hf : symmetric f) by (intros ys zs H; unfold f; now rewrite (histogram_symmetric k ys zs H)).
  set (h := fun y => mean (fun ys => f (y :: ys)) (messages (repeat omega c))).
  assert (P : forall W, prob X (view k (W :: repeat omega c)) = mean h W).
  { intros W; unfold prob, view, h; rewrite mean_image; apply mean_messages_cons. }
  rewrite !P, (change_of_law omega V), (change_of_law omega V') by assumption; clear P.
  assert (Hn : 0 < INR (S c)) by (apply lt_0_INR; lia).
  set (ell := amplification V V' omega E).
  assert (D : mean (fun y => ell y * h y) omega <= / INR (S c) * blanket_excess V V' omega E (S c)).
  { pose proof (first_of_equal_users omega ell f c Hf) as F; fold h in F.
    apply (Rmult_le_reg_l (INR (S c))); [exact Hn|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra; unfold h in *; rewrite <- F.
    apply mean_le; [apply nonnegative_messages, LO|]; intros ys; fold ell.
    destruct (positive_part_ge (total (map ell ys))) as [A B].
    unfold f, indicator; destruct (X (histogram k ys)); lra. }
  eapply Rle_trans; [|apply Rplus_le_compat_l, D].
  rewrite <- mean_scale, <- mean_plus; apply Req_le, mean_ext; intros y.
  unfold ell, amplification, Rdiv; ring.
Qed.

Lemma bin_absorbed n c : INR (S c) * bin (S n) (S c) = INR (S n) * bin n c.
Proof.
  cbn [bin]; rewrite Rmult_plus_distr_l, bin_next, !S_INR; ring.
Qed.

Theorem privacy_blanket k omega g others V V' E :
  is_law omega -> 0 < g <= 1 -> Forall (covered g omega) others ->
  dominates omega V -> dominates omega V' ->
  let n := S (length others) in
  hockey_stick same_counts (view k (V :: others)) (view k (V' :: others)) E
  <= / (g * INR n) * binomial_total n (fun m =>
       g ^ m * (1 - g) ^ (n - m) * blanket_excess V V' omega E m).
Proof.
  intros LO Hg H HV HV'; cbv zeta.
  assert (Hn : 0 < INR (S (length others))) by (apply lt_0_INR; lia).
  eapply Rle_trans; [apply (blanket_reduction k omega g); try assumption; lra|].
  set (n := length others) in *.
  unfold binomial_total at 2; rewrite <- (cons_seq (S n) 0), <- seq_shift, map_cons, map_map; cbn [total].
  replace (blanket_excess V V' omega E 0) with 0
    by (unfold blanket_excess, positive_part; cbn; rewrite Rmax_left; lra).
  rewrite !Rmult_0_r, Rplus_0_l, <- total_scale; unfold binomial_total.
  apply total_le; intros c.
  (* bin (S n) (S c) / (g (n + 1)) g^(c + 1) = bin n c / (c + 1) g^c. *)
  assert (Hc : 0 < INR (S c)) by (apply lt_0_INR; lia).
  assert (B : 0 <= bin n c).
  { clear; revert c; induction n as [|n IH]; intros [|c]; cbn; try lra; pose proof (IH c); pose proof (IH (S c)); lra. }
  assert (W : 0 <= bin n c * (g ^ c * (1 - g) ^ (n - c)))
    by (repeat apply Rmult_le_pos; try apply pow_le; lra).
  pose proof (victim_among_blanket k omega V V' E c LO HV HV') as F.
  apply (Rmult_le_compat_l _ _ _ W) in F.
  eapply Rle_trans; [rewrite <- Rmult_assoc; exact F|]; apply Req_le.
  replace (S n - S c)%nat with (n - c)%nat by lia; cbn [pow].
  assert (J : bin (S n) (S c) = INR (S n) * bin n c * / INR (S c))
    by (rewrite <- bin_absorbed; field; lra).
  rewrite J; field; lra.
Qed.

(** ** Analyzers that do not see the order *)

(** K's output law does not depend on the order of the messages, as after a uniform permutation. *)
Definition order_blind {A B} (K : list A -> law B) : Prop :=
  forall ys zs, Permutation ys zs -> forall f, mean f (K ys) = mean f (K zs).

Lemma listed_histogram k ys :
  Forall (fun y => (y < k)%nat) ys -> Permutation (listed 0 (histogram k ys)) ys.
Proof.
  induction 1 as [|y ys Hy H IH]; [cbn; now rewrite listed_zero|].
  change (histogram k (y :: ys)) with (increment y (histogram k ys)).
  rewrite listed_increment by (rewrite histogram_length; exact Hy); now constructor.
Qed.

Lemma mean_messages_below k users f h :
  Forall (below k) users -> (forall ys, Forall (fun y => (y < k)%nat) ys -> f ys = h ys) ->
  mean f (messages users) = mean h (messages users).
Proof.
  intros B; revert f h; induction B as [|u users Hu B IH]; intros f h H.
  - cbn; rewrite H by constructor; reflexivity.
  - rewrite !mean_messages_cons; apply (mean_below k); [exact Hu|]; intros y Hy; apply IH.
    intros ys Hys; apply H; now constructor.
Qed.

Theorem shuffled_messages {A} (same : forall x y : A, {x = y} + {x <> y}) (K : list nat -> law A)
    k users users' E :
  (forall ys, is_law (K ys)) -> order_blind K -> Forall (below k) users -> Forall (below k) users' ->
  hockey_stick same (bind (messages users) K) (bind (messages users') K) E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof.
  intros LK SK B B'.
  assert (F : forall us, Forall (below k) us -> forall f,
    mean f (bind (messages us) K) = mean f (bind (view k us) (fun c => K (listed 0 c)))).
  { intros us Hus f; unfold view; rewrite !mean_bind, mean_image.
    apply (mean_messages_below k); [exact Hus|]; intros ys Hys.
    apply SK; symmetry; now apply listed_histogram. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F users B) (F users' B')).
  now apply randomized_post_processing.
Qed.

(** The messages in a uniformly random order: each is put at a uniformly random place among those
    that follow it. *)
Fixpoint insertions {A} (x : A) (ys : list A) : list (list A) :=
  match ys with [] => [[x]] | y :: ys' => (x :: ys) :: map (cons y) (insertions x ys') end.

Definition inserted {A} (x : A) (ys : list A) : law (list A) :=
  map (fun zs => (zs, / INR (S (length ys)))) (insertions x ys).

Fixpoint permuted {A} (ys : list A) : law (list A) :=
  match ys with [] => certain [] | y :: ys => bind (permuted ys) (inserted y) end.

Lemma mean_inserted {A} (x : A) ys f :
  mean f (inserted x ys) = / INR (S (length ys)) * total (map f (insertions x ys)).
Proof.
  unfold inserted; induction (insertions x ys) as [|zs l IH]; cbn [map mean total]; [ring|].
  rewrite IH; ring.
Qed.

Lemma insertions_of_equal_length {A} (x : A) ys (f h : list A -> R) :
  (forall zs, length zs = S (length ys) -> f zs = h zs) ->
  total (map f (insertions x ys)) = total (map h (insertions x ys)).
Proof.
  revert f h; induction ys as [|y ys IH]; intros f h H; cbn [insertions map total].
  - now rewrite H.
  - rewrite H by reflexivity; f_equal; rewrite !map_map; apply IH; intros zs Hz; apply H; cbn; now rewrite Hz.
Qed.

Lemma inserted_is_law {A} (x : A) ys : is_law (inserted x ys).
Proof.
  assert (P : 0 < INR (S (length ys))) by (apply lt_0_INR; lia); split.
  - unfold nonnegative, inserted; apply Forall_map, Forall_forall; intros zs _; cbn.
    now apply Rlt_le, Rinv_0_lt_compat.
  - rewrite mean_inserted.
    assert (H : total (map (fun _ => 1) (insertions x ys)) = INR (S (length ys))).
    { clear P; induction ys as [|y ys IH]; cbn [insertions map total length]; [cbn; ring|].
      rewrite map_map, IH, !S_INR; ring. }
    rewrite H; field; lra.
Qed.

Lemma permuted_is_law {A} (ys : list A) : is_law (permuted ys).
Proof.
  induction ys as [|y ys IH]; [apply (certain_is_law (@nil A))|].
  apply bind_is_law; [exact IH | intros; apply inserted_is_law].
Qed.

Lemma insertions_commute {A} (x y : A) ys (f : list A -> R) :
  total (map (fun zs => total (map f (insertions x zs))) (insertions y ys)) =
  total (map (fun zs => total (map f (insertions y zs))) (insertions x ys)).
Proof.
  revert f; induction ys as [|a ys IH]; intros f; cbn [insertions map total]; [ring|].
  rewrite !map_map; cbn [insertions map total]; rewrite !total_plus, ?map_map.
  pose proof (IH (fun zs => f (a :: zs))) as H.
  rewrite (total_ext (fun zs => total (map f (map (cons a) (insertions x zs))))
    (fun zs => total (map (fun zs => f (a :: zs)) (insertions x zs)))) by (intros; cbn beta; now rewrite map_map).
  rewrite (total_ext (fun zs => total (map f (map (cons a) (insertions y zs))))
    (fun zs => total (map (fun zs => f (a :: zs)) (insertions y zs)))) by (intros; cbn beta; now rewrite map_map).
  rewrite H; ring.
Qed.

Lemma inserted_commute {A} (x y : A) ys f :
  mean (fun zs => mean f (inserted x zs)) (inserted y ys) =
  mean (fun zs => mean f (inserted y zs)) (inserted x ys).
Proof.
  rewrite !mean_inserted; f_equal.
  assert (L : forall x y, total (map (fun zs => mean f (inserted x zs)) (insertions y ys)) =
    / INR (S (S (length ys))) * total (map (fun zs => total (map f (insertions x zs))) (insertions y ys))).
  { intros u v; rewrite <- total_scale; apply insertions_of_equal_length; intros zs Hz.
    now rewrite mean_inserted, Hz. }
  rewrite !L; f_equal; apply insertions_commute.
Qed.

Lemma permuted_order_blind {A} : order_blind (@permuted A).
Proof.
  intros ys zs H; induction H as [|y ys zs H IH|x y ys|ys zs us H IH H' IH']; intros f.
  - reflexivity.
  - cbn [permuted]; rewrite !mean_bind; apply IH.
  - cbn [permuted]; rewrite !mean_bind; apply mean_ext; intros zs; apply inserted_commute.
  - now rewrite IH, IH'.
Qed.

Definition same_list : forall x y : list nat, {x = y} + {x <> y} := list_eq_dec Nat.eq_dec.

Theorem permuted_messages k users users' E :
  Forall (below k) users -> Forall (below k) users' ->
  hockey_stick same_list (bind (messages users) permuted) (bind (messages users') permuted) E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof. apply shuffled_messages; [exact permuted_is_law | exact permuted_order_blind]. Qed.

(** ** A local randomizer

    [randomizer] is what each user sends on their datum; x becomes x', the others' data are any. *)
Theorem shuffle_model {X A} (same : forall x y : A, {x = y} + {x <> y}) (K : list nat -> law A)
    (randomizer : X -> law nat) k omega g (data : list X) x x' E :
  (forall ys, is_law (K ys)) -> order_blind K ->
  is_law omega -> 0 < g <= 1 ->
  (forall z, below k (randomizer z) /\ covered g omega (randomizer z)) ->
  dominates omega (randomizer x) -> dominates omega (randomizer x') ->
  let n := S (length data) in
  hockey_stick same (bind (messages (map randomizer (x :: data))) K)
    (bind (messages (map randomizer (x' :: data))) K) E
  <= / (g * INR n) * binomial_total n (fun m => g ^ m * (1 - g) ^ (n - m) *
       blanket_excess (randomizer x) (randomizer x') omega E m).
Proof.
  intros LK SK LO Hg H D D'; cbv zeta.
  assert (B : forall xs, Forall (below k) (map randomizer xs))
    by (intros xs; apply Forall_map, Forall_forall; intros; apply H).
  eapply Rle_trans; [apply (shuffled_messages same K k); try assumption; apply B|].
  rewrite <- (map_length randomizer data); apply privacy_blanket; try assumption.
  apply Forall_map, Forall_forall; intros; apply H.
Qed.

(** The paper's blanket: the least chance of each message over all data. If the randomizer is
    eps0-private, omega sends all that anyone sends. *)
Theorem blanket_of_private_randomizer {X} (randomizer : X -> law nat) k omega g eps0 (data : list X) x x' E :
  is_law omega -> 0 < g <= 1 ->
  (forall z, covered g omega (randomizer z)) ->
  (forall y, exists z, mass Nat.eq_dec (randomizer z) y = g * mass Nat.eq_dec omega y) ->
  (forall z z' y, mass Nat.eq_dec (randomizer z) y <= exp eps0 * mass Nat.eq_dec (randomizer z') y) ->
  let n := S (length data) in
  hockey_stick same_counts (view k (map randomizer (x :: data))) (view k (map randomizer (x' :: data))) E
  <= / (g * INR n) * binomial_total n (fun m => g ^ m * (1 - g) ^ (n - m) *
       blanket_excess (randomizer x) (randomizer x') omega E m).
Proof.
  intros LO Hg H Least P; cbv zeta; rewrite <- (map_length randomizer data).
  assert (D : forall z, dominates omega (randomizer z)).
  { intros z y Z; destruct (Least y) as [l Hl]; specialize (P z l y); rewrite Hl, Z in P.
    pose proof (prob_nonnegative (at_ Nat.eq_dec y) (randomizer z) (proj1 (proj1 (H z)))) as N.
    fold (mass Nat.eq_dec (randomizer z) y) in N; lra. }
  apply privacy_blanket; try assumption; try apply D.
  apply Forall_map, Forall_forall; intros; apply H.
Qed.
