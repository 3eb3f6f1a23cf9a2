(** * Dominating pairs and the optimal composition of pure guarantees

    A pair P', Q' of laws dominates P, Q if no hockey-stick divergence of P, Q is larger. Proved here, for all
    finite laws:
    - [dominating_pair_composes]: a dominating pair may stand for the pair beside any other, independent pair;
    - [dominating_run]: n steps, each dominated by P', Q' whatever came before, are dominated by n independent
      draws from P', Q';
    - [binary_response]: every eps-private pair is a random function of binary randomized response;
    - [optimal_composition]: so n adaptive eps-private steps have at every E at most the divergence of n binary
      randomized responses, a sum over a binomial; [optimal_composition_attained]: these attain it.

    Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3 and its proof; Zhu, Dong, Wang 2022, Theorem 10. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Composition AdvancedComposition.
Import ListNotations.
Open Scope R_scope.

Definition product {A B} (P : law A) (R : law B) : law (A * B) := followed P (fun _ => R).

Definition dominated {A B} (sameA : forall x y : A, {x = y} + {x <> y})
    (sameB : forall x y : B, {x = y} + {x <> y}) (P Q : law A) (P' Q' : law B) : Prop :=
  forall E, 0 <= E -> hockey_stick sameA P Q E <= hockey_stick sameB P' Q' E.

(** n independent draws. *)
Fixpoint draws {A} (P : law A) (n : nat) : law (list A) :=
  match n with 0%nat => certain [] | S n => bind P (fun a => image (cons a) (draws P n)) end.

(** ** Products *)

Lemma prob_weighted {A} (S : A -> bool) w P : prob S (weighted w P) = w * prob S P.
Proof. apply mean_weighted. Qed.

Lemma hockey_stick_weighted {A} same (P Q : law A) u v :
  0 < u -> hockey_stick same (weighted u P) Q v = u * hockey_stick same P Q (v / u).
Proof.
  intros Hu; destruct (hockey_stick_largest same P Q (v / u)) as [U [S HS]].
  destruct (hockey_stick_largest same (weighted u P) Q v) as [V [T HT]].
  assert (F : forall X, prob X (weighted u P) - v * prob X Q = u * (prob X P - v / u * prob X Q))
    by (intros X; rewrite prob_weighted; field; lra).
  apply Rle_antisym.
  - rewrite <- HT, F; apply Rmult_le_compat_l; [lra | apply U].
  - rewrite <- HS, <- F; apply V.
Qed.

Lemma dominated_weighted {A B} sameA sameB (P Q : law A) (P' Q' : law B) u v :
  dominated sameA sameB P Q P' Q' -> nonnegative Q -> 0 <= u -> 0 <= v ->
  hockey_stick sameA (weighted u P) Q v <= hockey_stick sameB (weighted u P') Q' v.
Proof.
  intros D N Hu Hv; destruct (Req_dec u 0) as [->|Z].
  - apply Rle_trans with 0; [|apply hockey_stick_nonnegative]; apply below_every_event; intros S.
    rewrite prob_weighted; pose proof (prob_nonnegative S Q N).
    assert (0 <= v * prob S Q) by (apply Rmult_le_pos; assumption); lra.
  - rewrite !hockey_stick_weighted by lra; apply Rmult_le_compat_l; [exact Hu|]; apply D.
    apply Rmult_le_pos; [exact Hv | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

(** Outcome by outcome of the first. *)
Lemma followed_divergence {A B} (sameA : forall x y : A, {x = y} + {x <> y})
    (sameB : forall x y : B, {x = y} + {x <> y}) sameAB xs (P Q : law A) (K L : A -> law B) E :
  carries sameA xs P -> carries sameA xs Q ->
  hockey_stick sameAB (followed P K) (followed Q L) E =
  total (map (fun a => hockey_stick sameB (weighted (mass sameA P a) (K a)) (L a) (E * mass sameA Q a)) xs).
Proof.
  intros [_ CP] [_ CQ].
  assert (F : forall (S : A * B -> bool) (T : law A) (M : A -> law B),
    (forall f, mean f T = total (map (fun a => f a * mass sameA T a) xs)) ->
    prob S (followed T M) = total (map (fun a => mass sameA T a * prob (fun b => S (a, b)) (M a)) xs)).
  { intros S T M C; unfold prob, followed; rewrite mean_bind, C; apply total_ext; intros a _.
    rewrite mean_image, Rmult_comm; reflexivity. }
  assert (G : forall S, prob S (followed P K) - E * prob S (followed Q L) =
    total (map (fun a => prob (fun b => S (a, b)) (weighted (mass sameA P a) (K a))
      - E * mass sameA Q a * prob (fun b => S (a, b)) (L a)) xs)).
  { intros S; rewrite (F S P K CP), (F S Q L CQ), <- total_scale.
    rewrite (total_ext (fun a => prob _ (weighted _ _) - _)
      (fun a => mass sameA P a * prob (fun b => S (a, b)) (K a)
        + -1 * (E * (mass sameA Q a * prob (fun b => S (a, b)) (L a)))))
      by (intros; rewrite prob_weighted; ring).
    rewrite total_plus, (total_scale (-1)); ring. }
  apply Rle_antisym.
  - apply below_every_event; intros S; enough (prob S (followed P K) - E * prob S (followed Q L)
      <= total (map (fun a => hockey_stick sameB (weighted (mass sameA P a) (K a)) (L a) (E * mass sameA Q a)) xs))
      by lra.
    rewrite G; apply total_le; intros a; apply hockey_stick_largest.
  - destruct (hockey_stick_largest sameAB (followed P K) (followed Q L) E) as [U _].
    eapply Rle_trans; [|apply (U (fun ab => best_event sameB (weighted (mass sameA P (fst ab)) (K (fst ab)))
      (L (fst ab)) (E * mass sameA Q (fst ab)) (snd ab)))].
    rewrite G; right; apply total_ext; intros a _; symmetry.
    exact (best_event_attains sameB (weighted (mass sameA P a) (K a)) (L a) (E * mass sameA Q a)).
Qed.

Lemma mass_nonnegative {A} same (P : law A) a : nonnegative P -> 0 <= mass same P a.
Proof. apply prob_nonnegative. Qed.

(** Whatever came first, the second pair may be replaced. *)
Lemma dominating_second {A B C} (sameA : forall x y : A, {x = y} + {x <> y}) sameB sameC sameAB sameAC
    (P Q : law A) (K L : A -> law B) (R S : law C) E :
  nonnegative P -> nonnegative Q -> (forall a, nonnegative (L a)) -> 0 <= E ->
  (forall a, dominated sameB sameC (K a) (L a) R S) ->
  hockey_stick sameAB (followed P K) (followed Q L) E <= hockey_stick sameAC (product P R) (product Q S) E.
Proof.
  intros NP NQ NL HE D; destruct (outcomes_carry sameA P Q) as [CP CQ].
  unfold product; rewrite (followed_divergence sameA sameB sameAB _ P Q K L E CP CQ).
  rewrite (followed_divergence sameA sameC sameAC _ P Q _ _ E CP CQ).
  apply total_le; intros a; apply dominated_weighted; [apply D | apply NL | now apply mass_nonnegative|].
  apply Rmult_le_pos; [exact HE | now apply mass_nonnegative].
Qed.

Lemma mean_product {A B} (P : law A) (R : law B) f :
  mean f (product P R) = mean (fun a => mean (fun b => f (a, b)) R) P.
Proof. unfold product, followed; rewrite mean_bind; apply mean_ext; intros a; now rewrite mean_image. Qed.

Lemma product_swap {A B} sameAB sameBA (P Q : law A) (R S : law B) E :
  hockey_stick sameAB (product P R) (product Q S) E <= hockey_stick sameBA (product R P) (product S Q) E.
Proof.
  assert (F : forall (P : law A) (R : law B) f,
    mean f (product P R) = mean f (image (fun x => (snd x, fst x)) (product R P)))
    by (intros; rewrite mean_image, !mean_product, mean_swap; reflexivity).
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F P R) (F Q S)); apply post_processing.
Qed.

Theorem dominating_pair_composes {A B C} (sameA : forall x y : A, {x = y} + {x <> y})
    (sameB : forall x y : B, {x = y} + {x <> y}) (sameC : forall x y : C, {x = y} + {x <> y})
    sameAC sameBC (P Q : law A) (P' Q' : law B) (R S : law C) :
  is_law Q -> is_law R -> is_law S -> dominated sameA sameB P Q P' Q' ->
  dominated sameAC sameBC (product P R) (product Q S) (product P' R) (product Q' S).
Proof.
  intros LQ LR LS D E HE.
  assert (sameCA : forall x y : C * A, {x = y} + {x <> y}) by (decide equality).
  assert (sameCB : forall x y : C * B, {x = y} + {x <> y}) by (decide equality).
  eapply Rle_trans; [apply (product_swap _ sameCA)|]; eapply Rle_trans; [|apply (product_swap sameCB)].
  apply (dominating_second sameC sameA sameB); try apply LR; try apply LS; try assumption; [|intros; apply D].
  intros; apply LQ.
Qed.

(** ** Any number of steps *)

Lemma draws_law {A} (P : law A) n : is_law P -> is_law (draws P n).
Proof.
  intros L; induction n as [|n IH]; [apply (certain_is_law (@nil A))|].
  apply bind_is_law; [exact L | intros; now apply image_is_law].
Qed.

(** The first draw and the others. *)
Lemma draws_divergence {A} same sameAl (P Q : law A) n E :
  hockey_stick sameAl (product P (draws P n)) (product Q (draws Q n)) E =
  hockey_stick (list_eq_dec same) (draws P (S n)) (draws Q (S n)) E.
Proof.
  assert (F : forall (P : law A) f, mean f (draws P (S n)) = mean f (image (fun x => fst x :: snd x) (product P (draws P n)))).
  { intros T f; rewrite mean_image, mean_product; cbn [draws]; rewrite mean_bind.
    apply mean_ext; intros a; now rewrite mean_image. }
  apply Rle_antisym.
  - apply below_every_event; intros S.
    pose proof (hockey_stick_largest (list_eq_dec same) (draws P (Datatypes.S n)) (draws Q (Datatypes.S n)) E) as [U _].
    specialize (U (fun l => match l with [] => false | a :: l => S (a, l) end)).
    unfold prob in *; rewrite !F, !mean_image in U.
    rewrite (mean_ext (indicator S) (fun x => indicator (fun l => match l with [] => false | a :: l => S (a, l) end)
      (fst x :: snd x)) (product P _)) by (intros []; reflexivity).
    rewrite (mean_ext (indicator S) (fun x => indicator (fun l => match l with [] => false | a :: l => S (a, l) end)
      (fst x :: snd x)) (product Q _)) by (intros []; reflexivity).
    lra.
  - rewrite (hockey_stick_ext _ _ _ _ _ _ (F P) (F Q)); apply post_processing.
Qed.

Theorem dominating_run {A B} (same : forall x y : A, {x = y} + {x <> y})
    (same' : forall x y : B, {x = y} + {x <> y}) (K L : list A -> law A) (P Q : law B) n past :
  (forall past, is_law (K past) /\ is_law (L past) /\ dominated same same' (K past) (L past) P Q) ->
  is_law P -> is_law Q ->
  dominated (list_eq_dec same) (list_eq_dec same')
    (run (repeat K n) past) (run (repeat L n) past) (draws P n) (draws Q n).
Proof.
  intros H LP LQ; revert past; induction n as [|n IH]; intros past E HE.
  - cbn [repeat run draws]; eapply Rle_trans; [|apply (post_processing (list_eq_dec same') (list_eq_dec same) (fun _ => past))].
    right; apply hockey_stick_ext; intros f; rewrite mean_image; cbn; reflexivity.
  - cbn [repeat run].
    set (M := fun a => run (repeat K n) (a :: past)); set (N := fun a => run (repeat L n) (a :: past)).
    assert (sameAl : forall x y : A * list A, {x = y} + {x <> y})
      by (decide equality; apply (list_eq_dec same)).
    assert (sameAm : forall x y : A * list B, {x = y} + {x <> y})
      by (decide equality; apply (list_eq_dec same')).
    assert (sameBm : forall x y : B * list B, {x = y} + {x <> y})
      by (decide equality; apply (list_eq_dec same')).
    assert (F : forall T (V : A -> law (list A)) f, mean f (bind T V) = mean f (image snd (followed T V))).
    { intros T V f; unfold followed; rewrite mean_image, !mean_bind; apply mean_ext; intros a.
      now rewrite mean_image. }
    rewrite (hockey_stick_ext _ _ _ _ _ _ (F (K past) M) (F (L past) N)).
    eapply Rle_trans; [apply (post_processing sameAl)|].
    destruct (H past) as [LK [LL D]].
    assert (RL : forall a, is_law (N a))
      by (intros a; apply run_is_law, repeat_laws; intros; apply H).
    eapply Rle_trans; [apply (dominating_second same (list_eq_dec same) (list_eq_dec same') sameAl sameAm
      _ _ _ _ (draws P n) (draws Q n) E (proj1 LK) (proj1 LL) (fun a => proj1 (RL a)) HE (fun a => IH (a :: past)))|].
    rewrite <- (draws_divergence same' sameBm).
    apply (dominating_pair_composes same same' (list_eq_dec same')); try assumption; now apply draws_law.
Qed.

(** ** Binary randomized response *)

(** The bit b with probability E / (1 + E), E = e^eps. *)
Definition response (E : R) (b : bool) : law bool := [(b, E / (1 + E)); (negb b, / (1 + E))].

Lemma response_law E b : 0 <= E -> is_law (response E b).
Proof.
  intros H; assert (0 < / (1 + E)) by (apply Rinv_0_lt_compat; lra); split.
  - constructor; [|constructor; [|constructor]]; cbn; [apply Rmult_le_pos|]; lra.
  - cbn; field; lra.
Qed.

Theorem binary_response {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) eps :
  0 <= eps -> private same P Q eps ->
  exists K : bool -> law A, (forall b, is_law (K b)) /\ forall f,
    mean f P = mean f (bind (response (exp eps) true) K) /\
    mean f Q = mean f (bind (response (exp eps) false) K).
Proof.
  intros He H; pose proof (masses_close same P Q eps H) as C.
  destruct (outcomes_carry same P Q) as [[_ CP] [_ CQ]]; set (xs := outcomes same P Q) in *.
  assert (LP : is_law P) by apply H; assert (LQ : is_law Q) by apply H.
  pose proof (exp_ineq1_le eps) as Ge; set (E := exp eps) in *.
  destruct (Req_dec E 1) as [One|More].
  { exists (fun _ => P); split; [intros; exact LP|]; intros f.
    rewrite !mean_bind; cbn; rewrite One; split; [field|].
    transitivity (mean f P); [|field]; rewrite CP, CQ; apply total_ext; intros y _.
    specialize (C y); rewrite One in C; f_equal; lra. }
  set (m := fun (b : bool) y => (E * mass same (if b then P else Q) y - mass same (if b then Q else P) y) / (E - 1)).
  assert (M : forall b f, mean f (map (fun y => (y, m b y)) xs)
    = (E * mean f (if b then P else Q) - mean f (if b then Q else P)) / (E - 1)).
  { intros b f; transitivity (total (map (fun y => f y * m b y) xs)).
    - clear; induction xs as [|y xs IH]; cbn; [reflexivity | rewrite IH; ring].
    - rewrite (total_ext _ (fun y => E / (E - 1) * (f y * mass same (if b then P else Q) y)
        + - / (E - 1) * (f y * mass same (if b then Q else P) y)))
        by (intros; unfold m; field; lra).
      rewrite total_plus, !total_scale; destruct b; cbv iota; rewrite (CP f), (CQ f); fold xs; field; lra. }
  exists (fun b => map (fun y => (y, m b y)) xs); split.
  - intros b; split.
    + apply Forall_map, Forall_forall; intros y _; cbn; unfold m; specialize (C y).
      apply Rmult_le_pos; [destruct b; lra | apply Rlt_le, Rinv_0_lt_compat; lra].
    + rewrite M; destruct b, LP as [_ ->], LQ as [_ ->]; field; lra.
  - intros f; rewrite !mean_bind; cbn [response mean negb]; rewrite !M; split; field; lra.
Qed.

Corollary response_dominates {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) eps :
  0 <= eps -> private same P Q eps ->
  dominated same bool_dec P Q (response (exp eps) true) (response (exp eps) false).
Proof.
  intros He H E HE; destruct (binary_response same P Q eps He H) as [K [L F]].
  rewrite (hockey_stick_ext _ _ _ _ _ _ (fun f => proj1 (F f)) (fun f => proj2 (F f))).
  now apply randomized_post_processing.
Qed.

Lemma positive_part_scale c x : 0 <= c -> c * positive_part x = positive_part (c * x).
Proof. intros H; unfold positive_part; rewrite <- RmaxRmult, Rmult_0_r by exact H; reflexivity. Qed.

(** The divergence of n binary randomized responses; c of the bits are told as the first data set has them. *)
Definition optimal_delta (n : nat) (eps E : R) : R :=
  binomial_total n (fun c => positive_part (exp eps ^ c - E * exp eps ^ (n - c))) / (1 + exp eps) ^ n.

Lemma draws_of_response n eps E :
  hockey_stick (list_eq_dec bool_dec) (draws (response (exp eps) true) n) (draws (response (exp eps) false) n) E
  = optimal_delta n eps E.
Proof.
  unfold optimal_delta; pose proof (exp_pos eps) as G; set (e := exp eps) in *.
  revert E; induction n as [|n IH]; intros E.
  - rewrite (stick_on_any _ [[]]).
    + unfold stick_on, binomial_total, mass, prob; cbn; unfold indicator, at_; cbn.
      replace (1 * 1 + 0 - E * (1 * 1 + 0)) with (1 - E * 1) by ring; field.
    + apply carries_all; [repeat constructor; intros [] | intros x [<-|[]]; now left].
    + apply carries_all; [repeat constructor; intros [] | intros x [<-|[]]; now left].
  - assert (sameBl : forall x y : bool * list bool, {x = y} + {x <> y})
      by (decide equality; [apply (list_eq_dec bool_dec) | apply bool_dec]).
    rewrite <- (draws_divergence bool_dec sameBl).
    assert (C : forall b, carries bool_dec [true; false] (response e b)).
    { intros b; apply carries_all; [repeat constructor; cbn; intuition congruence|].
      intros [] _; cbn; auto. }
    unfold product; rewrite (followed_divergence bool_dec (list_eq_dec bool_dec) sameBl _ _ _ _ _ E (C true) (C false)).
    assert (mass bool_dec (response e true) true = e / (1 + e) /\
      mass bool_dec (response e false) true = / (1 + e) /\
      mass bool_dec (response e true) false = / (1 + e) /\
      mass bool_dec (response e false) false = e / (1 + e)) as [M1 [M2 [M3 M4]]]
      by (unfold mass, prob; cbn; repeat split; ring).
    cbn [map total]; rewrite M1, M2, M3, M4, !hockey_stick_weighted
      by (try apply Rinv_0_lt_compat; try apply Rdiv_lt_0_compat; lra).
    rewrite !IH, binomial_total_S; cbn [pow]; rewrite Rplus_0_r.
    assert (0 < (1 + e) ^ n) by (apply pow_lt; lra).
    transitivity ((e * binomial_total n (fun c => positive_part (e ^ c - E * / e * e ^ (n - c)))
      + binomial_total n (fun c => positive_part (e ^ c - E * e * e ^ (n - c)))) / ((1 + e) * (1 + e) ^ n)).
    + replace (E * / (1 + e) / (e / (1 + e))) with (E * / e) by (field; lra).
      replace (E * (e / (1 + e)) / / (1 + e)) with (E * e) by (field; lra); field; lra.
    + unfold Rdiv; f_equal; unfold binomial_total; rewrite <- total_scale; f_equal; apply total_ext; intros c Hc.
      * replace (S n - S c)%nat with (n - c)%nat by lia.
        rewrite <- Rmult_assoc, (Rmult_comm e (bin n c)), Rmult_assoc, positive_part_scale by lra.
        do 2 f_equal; cbn [pow]; field; lra.
      * apply in_seq in Hc; replace (S n - c)%nat with (S (n - c)) by lia; do 2 f_equal; cbn [pow]; ring.
Qed.

Theorem optimal_composition {A} (same : forall x y : A, {x = y} + {x <> y}) (K L : list A -> law A) eps n E :
  0 <= eps -> 0 <= E -> (forall past, private same (K past) (L past) eps) ->
  hockey_stick (list_eq_dec same) (run (repeat K n) []) (run (repeat L n) []) E <= optimal_delta n eps E.
Proof.
  intros He HE H; rewrite <- draws_of_response.
  apply (dominating_run same bool_dec); try (apply response_law, Rlt_le, exp_pos); [|exact HE].
  intros past; repeat split; try apply H; now apply response_dominates.
Qed.

(** Records of n independent draws, the last one first. *)
Lemma run_of_draws {A} (P : law A) n past f :
  mean f (run (repeat (fun _ => P) n) past) = mean (fun ys => f (rev ys ++ past)) (draws P n).
Proof.
  revert past; induction n as [|n IH]; intros past; [cbn; ring|]; cbn [repeat run draws].
  rewrite !mean_bind; apply mean_ext; intros a; rewrite IH, mean_image; apply mean_ext; intros ys.
  cbn [rev]; now rewrite <- app_assoc.
Qed.

Theorem optimal_composition_attained eps n E :
  0 <= eps ->
  (forall b, private bool_dec (response (exp eps) b) (response (exp eps) (negb b)) eps) /\
  hockey_stick (list_eq_dec bool_dec) (run (repeat (fun _ => response (exp eps) true) n) [])
    (run (repeat (fun _ => response (exp eps) false) n) []) E = optimal_delta n eps E.
Proof.
  intros He; pose proof (exp_ineq1_le eps) as G; split.
  - intros b; assert (0 < / (1 + exp eps)) by (apply Rinv_0_lt_compat; lra).
    assert (1 * / (1 + exp eps) <= exp eps * / (1 + exp eps)) by (apply Rmult_le_compat_r; lra).
    assert (1 * (exp eps * / (1 + exp eps)) <= exp eps * (exp eps * / (1 + exp eps)))
      by (apply Rmult_le_compat_r; lra).
    repeat split; try (apply response_law; lra); apply below_every_event; intros S;
      unfold prob; cbn; rewrite negb_involutive; unfold indicator, Rdiv;
      destruct (S b), (S (negb b)); lra.
  - rewrite <- draws_of_response; apply Rle_antisym.
    + rewrite (hockey_stick_ext _ _ _ (image (@rev bool) (draws (response (exp eps) true) n))
        (image (@rev bool) (draws (response (exp eps) false) n)))
        by (intros f; rewrite run_of_draws, mean_image; apply mean_ext; intros; now rewrite app_nil_r).
      apply post_processing.
    + assert (F : forall P f, mean f (draws P n) = mean f (image (@rev bool) (run (repeat (fun _ : list bool => P) n) []))).
      { intros P f; rewrite mean_image, run_of_draws; apply mean_ext; intros ys.
        now rewrite app_nil_r, rev_involutive. }
      rewrite (hockey_stick_ext _ _ _ _ _ _ (F (response (exp eps) true)) (F (response (exp eps) false))).
      apply post_processing.
Qed.
