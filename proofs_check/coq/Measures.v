(** * Every measure of two laws that no channel raises

    - [hockey_stick_processed]: the hockey-stick divergence is one;
    - [exact_mixtures]: the letters of the variation-ratio reduction, of which the larger of the victim's two
      laws is made with weights p alpha, p alpha and 1 - alpha - p alpha;
    - [rest_counted]: so the counts of both letters and of the rest are as far apart as the messages, or
      farther, by every such measure.

    Source: Wang, Chen, Zeng, Yang, Jiang, Ye, Yu, Mei, Huang, Yang, Xin 2024, Theorems 1 and 2 with what is
    left over counted, too. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket Letters TwoLetters VariationRatio.
Import ListNotations.
Open Scope R_scope.

Definition measure := forall A : Type, (forall x y : A, {x = y} + {x <> y}) -> law A -> law A -> R.
Definition same_law {A} (P Q : law A) : Prop := forall f, mean f P = mean f Q.

(** It depends on the two laws alone, and no channel raises it. *)
Definition data_processing (D : measure) : Prop :=
  forall A B sameA sameB (K : A -> law B) (P Q : law A) (P' Q' : law B),
    is_law P -> is_law Q -> (forall a, is_law (K a)) ->
    same_law P' (bind P K) -> same_law Q' (bind Q K) -> D B sameB P' Q' <= D A sameA P Q.

Definition stick (E : R) : measure := fun A same P Q => hockey_stick same P Q E.

Theorem hockey_stick_processed E : data_processing (stick E).
Proof.
  intros A B sameA sameB K P Q P' Q' _ _ LK HP HQ; unfold stick.
  rewrite (hockey_stick_ext _ _ _ _ _ _ HP HQ); now apply randomized_post_processing.
Qed.

Lemma mean_certain {A} (a : A) f : mean f (certain a) = f a.
Proof. cbn; ring. Qed.

Lemma repeated {A} (Q : A -> Prop) x n : Q x -> Forall Q (repeat x n).
Proof. intros H; apply Forall_forall; intros y Hy; apply repeat_spec in Hy; now subst. Qed.

(** What is not counted may be any message. *)
Lemma view_same_counted k us vs f :
  Forall2 (fun u v => forall g, (forall y, (k <= y)%nat -> g y = g k) -> mean g u = mean g v) us vs ->
  mean f (view k us) = mean f (view k vs).
Proof.
  intros H; revert f; induction H as [|u v us vs E H IH]; intros f; [reflexivity|].
  rewrite !view_cons, E; [apply mean_ext; intros y; apply IH|].
  intros y Hy; apply view_ext; intros c Hc; now rewrite !increment_above by lia.
Qed.

(** ** The letters *)

Section Mixtures.
Context {A : Type} (same : forall x y : A, {x = y} + {x <> y}) (p : R) (V V' : law A).
Hypotheses (Hp : 1 < p) (LV : is_law V) (LV' : is_law V') (H : within same p V V') (H' : within same p V' V).
Let b := total_variation same V V'.

Lemma mean_of_masses (P Q : law A) f :
  (forall y, mass same P y <= mass same Q y) -> (forall y, 0 <= f y) -> mean f P <= mean f Q.
Proof.
  intros M F; destruct (outcomes_carry same P Q) as [[_ HP] [_ HQ]]; rewrite HP, HQ.
  apply total_le; intros a; apply Rmult_le_compat_l; auto.
Qed.

Lemma larger_law : 0 <= b /\ exists M, is_law M /\ forall y, (1 + b) * mass same M y = Rmax (mass same V y) (mass same V' y).
Proof.
  pose proof (same_excess same V V' LV LV') as S.
  assert (B : b = hockey_stick same V' V 1) by (unfold b, total_variation; rewrite S; field).
  assert (N : 0 <= b) by (rewrite B; apply hockey_stick_nonnegative); split; [exact N|].
  destruct (Req_dec b 0) as [Z|NZ].
  - exists V; split; [exact LV|]; intros y; rewrite Z.
    pose proof (proj1 (below_every_event same V V' 1 0) ltac:(lra) (at_ same y)) as U.
    pose proof (proj1 (below_every_event same V' V 1 0) ltac:(lra) (at_ same y)) as U'.
    unfold mass in *; rewrite Rmax_left; lra.
  - assert (L : is_law (excess same b V' V)) by (rewrite B; apply excess_is_law; lra).
    exists (weighted (/ (1 + b)) (V ++ weighted b (excess same b V' V))); split; [split|].
    + apply nonnegative_weighted; [apply Rlt_le, Rinv_0_lt_compat; lra|].
      apply Forall_app; split; [apply LV | apply nonnegative_weighted; [exact N | apply L]].
    + rewrite mean_weighted, mean_app, mean_weighted, (proj2 LV), (proj2 L); field; lra.
    + intros y; rewrite mass_weighted, mass_app, mass_weighted, excess_mass; unfold positive_part.
      destruct (Rle_dec (mass same V y) (mass same V' y)).
      * rewrite (Rmax_right 0), (Rmax_right (mass same V y)) by lra; field; lra.
      * rewrite (Rmax_left 0), (Rmax_left (mass same V y)) by lra; field; lra.
Qed.

Theorem exact_mixtures :
  let alpha := b / (p - 1) in
  exists Q0 Q1 Q, is_law Q0 /\ is_law Q1 /\ is_law Q /\ 0 <= alpha /\ alpha + p * alpha <= 1 /\
    (forall f, mean f V = p * alpha * mean f Q0 + alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
    (forall f, mean f V' = alpha * mean f Q0 + p * alpha * mean f Q1 + (1 - alpha - p * alpha) * mean f Q) /\
    forall y, p * alpha * mass same Q0 y + p * alpha * mass same Q1 y + (1 - alpha - p * alpha) * mass same Q y
      = Rmax (mass same V y) (mass same V' y).
Proof.
  intros alpha; destruct larger_law as (Nb & M & LM & HM).
  destruct (variation_mixtures same p (1 + b) V V' (fun _ : unit => M) Hp ltac:(lra) LV LV' H H')
    as (Q0 & Q1 & Q & L0 & L1 & LQ & Ha & One & MV & MV' & MK).
  { intros _; split; [exact LM|]; split; intros y; rewrite HM; [apply Rmax_l | apply Rmax_r]. }
  fold b in Ha, One, MV, MV', MK; fold alpha in Ha, One, MV, MV', MK.
  exists Q0, Q1, Q; do 7 (split; [assumption|]).
  destruct (MK tt) as (_ & L & LL & HL).
  assert (Eb : b = alpha * (p - 1)) by (unfold alpha; field; lra).
  assert (X : forall y, Rmax (mass same V y) (mass same V' y)
    = p * alpha * mass same Q0 y + p * alpha * mass same Q1 y + (1 - alpha - p * alpha) * mass same L y).
  { intros y; rewrite <- HM; unfold mass at 1, prob; rewrite HL; unfold mass, prob; rewrite Eb; field.
    lra. }
  clearbody alpha; set (c := 1 - alpha - p * alpha) in *.
  assert (Le : forall y, mass same (weighted c L) y <= mass same (weighted c Q) y).
  { intros y; rewrite !mass_weighted; specialize (X y).
    assert (N0 : 0 <= mass same Q0 y) by apply prob_nonnegative, L0.
    assert (N1 : 0 <= mass same Q1 y) by apply prob_nonnegative, L1.
    pose proof (MV (indicator (at_ same y)) : mass same V y = p * alpha * mass same Q0 y + alpha * mass same Q1 y + c * mass same Q y) as U.
    pose proof (MV' (indicator (at_ same y)) : mass same V' y = alpha * mass same Q0 y + p * alpha * mass same Q1 y + c * mass same Q y) as U'.
    assert (0 <= alpha * (p - 1) * mass same Q0 y) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= alpha * (p - 1) * mass same Q1 y) by (repeat apply Rmult_le_pos; lra).
    destruct (Rle_dec (mass same V y) (mass same V' y)); [rewrite Rmax_right in X by lra | rewrite Rmax_left in X by lra]; lra. }
  intros y; rewrite X; enough (c * mass same Q y <= c * mass same L y) by (specialize (Le y); rewrite !mass_weighted in Le; lra).
  pose proof (mean_of_masses _ _ (fun a => 1 + -1 * indicator (at_ same y) a) Le) as F.
  rewrite !mean_weighted, !mean_plus, !mean_scale, (proj2 LL), (proj2 LQ) in F; unfold mass, prob in *.
  assert (G : forall a, 0 <= 1 + -1 * indicator (at_ same y) a) by (intros a; unfold indicator; destruct (at_ same y a); lra).
  specialize (F G); lra.
Qed.
End Mixtures.

(** ** The counts of the letters, of the rest, and of the others' leftovers *)

(** The victim adds 1 to one of the first three; another user, if it sends, adds 1 to one of four. *)
Definition victims_count (p alpha : R) : law nat := [(0%nat, p * alpha); (1%nat, alpha); (2%nat, 1 - alpha - p * alpha)].
Definition victims_other_count (p alpha : R) : law nat := [(0%nat, alpha); (1%nat, p * alpha); (2%nat, 1 - alpha - p * alpha)].
Definition others_count (p beta q gamma : R) : law nat :=
  let alpha := beta / (p - 1) in
  [(0%nat, gamma * (p * alpha / q)); (1%nat, gamma * (p * alpha / q)); (2%nat, gamma * ((1 - alpha - p * alpha) / q));
   (3%nat, gamma * (1 - (1 + beta) / q)); (4%nat, 1 - gamma)].
Definition four_apart (D : measure) (p beta q gamma : R) (n : nat) : R :=
  D counts same_counts (view 4 (victims_count p (beta / (p - 1)) :: repeat (others_count p beta q gamma) n))
    (view 4 (victims_other_count p (beta / (p - 1)) :: repeat (others_count p beta q gamma) n)).

Theorem rest_counted (D : measure) k p q gamma (V V' : law nat) (ws us : list (law nat)) :
  data_processing D -> 1 < p -> 0 < q -> 0 <= gamma <= 1 -> is_law V -> is_law V' ->
  within Nat.eq_dec p V V' -> within Nat.eq_dec p V' V ->
  Forall (fun w => is_law w /\ within Nat.eq_dec q V w /\ within Nat.eq_dec q V' w) ws ->
  Forall2 (fun u w => forall f, mean f u = gamma * mean f w + (1 - gamma) * f k) us ws ->
  D counts same_counts (view k (V :: us)) (view k (V' :: us))
  <= four_apart D p (total_variation Nat.eq_dec V V') q gamma (length ws).
Proof.
  intros HD Hp Hq Hg LV LV' H H' HW HU.
  destruct (exact_mixtures Nat.eq_dec p V V' Hp LV LV' H H')
    as (Q0 & Q1 & Q & L0 & L1 & LQ & Ha & One & MV & MV' & MX).
  pose proof (proj1 (larger_law Nat.eq_dec V V' LV LV')) as Nb.
  unfold four_apart; set (b := total_variation Nat.eq_dec V V') in *; clearbody b; remember (b / (p - 1)) as alpha eqn:Ea.
  assert (Eb : b = alpha * (p - 1)) by (rewrite Ea; field; lra).
  set (c := 1 - alpha - p * alpha) in *.
  assert (Hpa : 0 <= p * alpha) by (apply Rmult_le_pos; lra).
  set (K := fun y : nat => match y with 0%nat => Q0 | 1%nat => Q1 | _ => Q end).
  set (letter := [(0%nat, p * alpha / (1 + b)); (1%nat, p * alpha / (1 + b)); (2%nat, c / (1 + b))]).
  assert (Sum : p * alpha + p * alpha + c = 1 + b) by (unfold c; rewrite Eb; ring).
  assert (Hc : 0 <= c /\ 1 - alpha - p * alpha = c) by (unfold c; split; [lra | reflexivity]); destruct Hc as [Hc Ec].
  clearbody c.
  assert (LL : is_law letter).
  { assert (0 < / (1 + b)) by (apply Rinv_0_lt_compat; lra); split.
    - do 3 (apply Forall_cons; [cbn; apply Rmult_le_pos; lra|]); apply Forall_nil.
    - cbn; rewrite <- Sum; field; lra. }
  assert (LK : forall y, is_law (K y)) by (intros [|[|y]]; assumption).
  assert (ML : forall f, mean f (bind letter K) = (p * alpha * mean f Q0 + p * alpha * mean f Q1 + c * mean f Q) / (1 + b)).
  { intros f; rewrite mean_bind; cbn; field; lra. }
  assert (Fit : forall w, is_law w /\ within Nat.eq_dec q V w /\ within Nat.eq_dec q V' w ->
    forall y, (1 + b) / q * mass Nat.eq_dec (bind letter K) y + 0 * mass Nat.eq_dec (bind letter K) y <= mass Nat.eq_dec w y).
  { intros w (LW & WV & WV') y; unfold mass at 1, prob; rewrite ML; fold (mass Nat.eq_dec Q0 y) (mass Nat.eq_dec Q1 y) (mass Nat.eq_dec Q y).
    specialize (MX y); unfold mass, prob in MX; unfold mass, prob.
    apply (Rmult_le_reg_l q); [exact Hq|].
    replace (q * ((1 + b) / q * ((p * alpha * mean (indicator (at_ Nat.eq_dec y)) Q0 + p * alpha * mean (indicator (at_ Nat.eq_dec y)) Q1
      + c * mean (indicator (at_ Nat.eq_dec y)) Q) / (1 + b)) + 0 * mean (indicator (at_ Nat.eq_dec y)) (bind letter K)))
      with (p * alpha * mean (indicator (at_ Nat.eq_dec y)) Q0 + p * alpha * mean (indicator (at_ Nat.eq_dec y)) Q1
      + c * mean (indicator (at_ Nat.eq_dec y)) Q) by (field; lra).
    rewrite MX; apply Rmax_lub; [apply WV | apply WV']. }
  assert (LB : is_law (bind letter K)) by (now apply bind_is_law).
  assert (Small : forall w, is_law w /\ within Nat.eq_dec q V w /\ within Nat.eq_dec q V' w -> 0 <= (1 + b) / q <= 1).
  { intros w Hw; split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, Hq]|].
    pose proof (fits_at_most_1 Nat.eq_dec w _ _ _ _ (proj1 Hw) LB LB (Fit w Hw)); lra. }
  assert (O : exists others : list (R * law nat), Forall good others /\ length others = length ws /\
    Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) us others /\
    Forall (fun x => fst x = gamma * ((1 + b) / q)) others).
  { clear HD; induction HU as [|u w us ws Hu HU IH]; [exists []; repeat constructor|].
    apply Forall_cons_iff in HW as [Hw HW]; destruct (IH HW) as (others & G & Len & F & W).
    pose proof (Small w Hw) as Sw; set (s := (1 + b) / q) in *.
    destruct (leftover_law Nat.eq_dec w (bind letter K) (bind letter K) s 0) as [L [LLw HL]];
      try (apply Hw || exact LB || lra); [intros y; now apply Fit|].
    assert (T : exists L', is_law L' /\ forall f, (1 - gamma * s) * mean f L' = gamma * (1 - s) * mean f L + (1 - gamma) * f k).
    { destruct (Req_dec (gamma * s) 1) as [E1|E1].
      - assert (gamma = 1 /\ s = 1) as [-> E2] by nra.
        exists L; split; [exact LLw|]; intros f; rewrite E2; ring.
      - assert (gamma * s <= 1 * 1) by (apply Rmult_le_compat; lra).
        assert (P : 0 < / (1 - gamma * s)) by (apply Rinv_0_lt_compat; lra).
        exists (weighted (gamma * (1 - s) / (1 - gamma * s)) L ++ weighted ((1 - gamma) / (1 - gamma * s)) (certain k)); split; [split|].
        + apply Forall_app; split; apply nonnegative_weighted; try apply LLw; try apply certain_is_law;
            unfold Rdiv; repeat apply Rmult_le_pos; lra.
        + rewrite mean_app, !mean_weighted, (proj2 LLw); cbn; field; lra.
        + intros f; rewrite mean_app, !mean_weighted; cbn; field; lra. }
    destruct T as (L' & LL' & HL'); exists ((gamma * s, L') :: others); split; [|split; [cbn; lia|split]].
    - constructor; [|exact G]; split; [cbn; nra | exact LL'].
    - constructor; [|exact F]; intros f; cbn [fst snd]; rewrite HL', Hu, HL; ring.
    - constructor; [reflexivity | exact W]. }
  destruct O as (others & G & Len & F & W).
  destruct (letters_tell_all k 3 letter K us others) as [channel [LC HC]]; try assumption.
  { do 3 (apply Forall_cons; [cbn; lia|]); apply Forall_nil. }
  assert (Rest : forall u v, (forall f, mean f u = mean f (bind v K)) -> below 3 v -> forall f,
    mean f (view k (u :: us)) = mean f (bind (view 4 (v :: repeat (others_count p b q gamma) (length ws))) (fun z => channel (firstn 3 z)))).
  { intros u v Huv Bv f; rewrite mean_bind, (view_firstn 3 4 _ (fun z => mean f (channel z))) by lia.
    transitivity (mean f (view k (bind v K :: us))); [apply view_same, Forall2_cons; [exact Huv|]; clear; induction us; constructor; auto|].
    rewrite (HC v Bv), mean_bind; apply view_same_counted, Forall2_cons; [reflexivity|]; rewrite <- Len.
    clear -W Sum Hq Hp Nb Eb Ea Ec; induction W as [|x others Hx W IH]; cbn; constructor; [|exact IH].
    intros g Hg; unfold label; rewrite mean_app, mean_weighted, Hx; unfold others_count, letter; cbv zeta; rewrite <- Ea; rewrite ?Ec; cbn [mean].
    rewrite (Hg 4%nat) by lia; replace (1 + b) with (p * alpha + p * alpha + c) by exact Sum; field.
    split; [lra | rewrite Sum; lra]. }
  assert (LO : Forall is_law (repeat (others_count p b q gamma) (length ws))).
  { destruct ws as [|w ws]; [constructor|]; apply repeated; apply Forall_cons_iff in HW as [Hw _]; apply Small in Hw.
    assert (0 < / q) by (apply Rinv_0_lt_compat; exact Hq); split; unfold others_count; cbv zeta; rewrite <- Ea; rewrite ?Ec.
    - do 5 (apply Forall_cons; [cbn; unfold Rdiv in *; try lra; repeat apply Rmult_le_pos; lra|]); apply Forall_nil.
    - cbn; rewrite <- Sum; field; lra. }
  apply (HD counts counts same_counts same_counts (fun z => channel (firstn 3 z))).
  - apply view_is_law, Forall_cons; [|exact LO]; split; [|cbn; ring].
    do 3 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
  - apply view_is_law, Forall_cons; [|exact LO]; split; [|cbn; ring].
    do 3 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
  - intros z; apply LC.
  - intros f; apply Rest; [intros g; rewrite MV, mean_bind; cbn; rewrite <- Ec; ring|].
    do 3 (apply Forall_cons; [cbn; lia|]); apply Forall_nil.
  - intros f; apply Rest; [intros g; rewrite MV', mean_bind; cbn; rewrite <- Ec; ring|].
    do 3 (apply Forall_cons; [cbn; lia|]); apply Forall_nil.
Qed.
