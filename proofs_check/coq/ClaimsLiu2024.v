(** * Claims about personalized privacy

    Statements exported from the catalog's claims, as in [Claims]. *)

From Coq Require Import Reals List Lra Lia Permutation.
Require Import ExactDP Lemmas Blanket Letters TwoLetters Clones VariationRatio Sampling Claims.
Import ListNotations.
Open Scope R_scope.

(** ** Users with weights of their own *)

(** How many of independent trials with these probabilities succeed. *)
Fixpoint trials (rs : list R) : law nat :=
  match rs with [] => certain 0%nat | r :: rs => bind (trials rs) (fun c => [(c, 1 - r); (S c, r)]) end.

(** a (A + 1, C - A) + (1 - a) (A, C - A + 1), A ~ Bin(C, 1/2), C a sum of Bern(2 r_i). *)
Definition personal_counts (a : R) (rs : list R) : law (nat * nat) :=
  bind (trials (map (Rmult 2) rs)) (fun c => bind (heads (1 / 2) c) (fun h =>
    [(((h + 1)%nat, (c - h)%nat), a); ((h, (c - h + 1)%nat), 1 - a)])).

Lemma personal_labels {X} (os : list (R * X)) f :
  mean f (view 2 (map (label 2 fair) os))
  = mean (fun c => mean (fun h => f [h; (c - h)%nat]) (heads (1 / 2) c)) (trials (map fst os)).
Proof.
  revert f; induction os as [|[r x] os IH]; intros f; [rewrite view_nil; cbn; ring|].
  cbn [map trials fst]; rewrite view_cons, mean_bind.
  transitivity (mean (fun c => (1 - r) * mean (fun h => f [h; (c - h)%nat]) (heads (1 / 2) c)
    + r * (1 / 2 * mean (fun h => f (increment 0 [h; (c - h)%nat])) (heads (1 / 2) c)
      + 1 / 2 * mean (fun h => f (increment 1 [h; (c - h)%nat])) (heads (1 / 2) c))) (trials (map fst os))).
  - change (label 2 fair (r, x)) with (label 2 fair (r, tt)); rewrite mean_label, !IH.
    rewrite mean_plus, !mean_scale, mean_plus, !mean_scale; cbn [increment]; ring.
  - apply mean_ext; intros c; cbn [mean]; rewrite heads_S.
    replace (1 - 1 / 2) with (1 / 2) by lra; rewrite Rplus_0_r; f_equal; f_equal.
    rewrite Rplus_comm; f_equal; f_equal.
    apply mean_heads_up_to; intros h Hh; cbn [increment]; now replace (S c - h)%nat with (S (c - h)) by lia.
Qed.

Lemma personal_view {X} a rs (os : list (R * X)) f :
  map fst os = map (Rmult 2) rs ->
  mean f (view 2 ([(0%nat, a); (1%nat, 1 - a)] :: map (label 2 fair) os))
  = mean (fun c => f [fst c; snd c]) (personal_counts a rs).
Proof.
  intros E; unfold personal_counts; rewrite view_cons, <- E, mean_bind; cbn [mean].
  rewrite !personal_labels, Rplus_0_r, <- !mean_scale, <- mean_plus; apply mean_ext; intros c.
  rewrite mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros h; cbn [mean increment fst snd].
  rewrite !Nat.add_1_r; ring.
Qed.

(** Two letters, what else the victim sends, and the others' laws, which hold r_i of both letters. *)
Record shared_letters := { zero : law nat; one : law nat; rest : law nat; sent : list (R * law nat) }.
Definition holds_letters (n : nat) (c : shared_letters) : Prop :=
  is_law (zero c) /\ is_law (one c) /\ is_law (rest c) /\ S (length (sent c)) = n /\
  Forall (fun o => is_law (snd o) /\ 0 <= fst o /\ forall y,
    fst o * mass Nat.eq_dec (zero c) y + fst o * mass Nat.eq_dec (one c) y <= mass Nat.eq_dec (snd o) y) (sent c).

Definition victim_law (v a : R) (c : shared_letters) : law nat :=
  weighted v (weighted a (zero c) ++ weighted (1 - a) (one c)) ++ weighted (1 - v) (rest c).
Definition shuffled_apart (k : nat) (v a : R) (c : shared_letters) (E : R) : R :=
  hockey_stick same_counts (view k (victim_law v a c :: map snd (sent c)))
    (view k (victim_law v (1 - a) c :: map snd (sent c))) E.
Definition personal_apart (a : R) (c : shared_letters) (E : R) : R :=
  hockey_stick same_pair (personal_counts a (map fst (sent c))) (personal_counts (1 - a) (map fst (sent c))) E.

Lemma personal_reduction k n v a c E :
  0 <= v <= 1 -> 0 <= a <= 1 -> holds_letters n c -> 1 <= E ->
  shuffled_apart k v a c E <= v * personal_apart a c E.
Proof.
  destruct c as [Q0 Q1 Q others]; unfold holds_letters, shuffled_apart, personal_apart, victim_law; cbn [zero one rest sent].
  intros Hv Ha (L0 & L1 & L & _ & H) HE.
  assert (O : exists os, Forall good os /\ map fst os = map (Rmult 2) (map fst others) /\
    Forall2 (fun u x => mixes u (fst x) (bind fair (fun y => match y with 0%nat => Q0 | _ => Q1 end)) (snd x))
      (map snd others) os).
  { induction H as [|[r U] others (LU & Hr & F) H IH]; [exists []; repeat constructor|].
    destruct IH as (os & G & M & X); cbn [fst snd] in *.
    pose proof (fits_at_most_1 Nat.eq_dec U Q0 Q1 r r LU L0 L1 F) as Two.
    destruct (leftover_law Nat.eq_dec U Q0 Q1 r r LU L0 L1 Two F) as [R0 [LR HR]].
    exists ((2 * r, R0) :: os); split; [constructor; [split; [cbn; lra | exact LR] | exact G]|].
    split; [cbn; now rewrite M|]; constructor; [|exact X].
    intros f; cbn [fst snd]; rewrite HR, mean_bind; cbn; field. }
  destruct O as (os & G & M & X); set (K := fun y : nat => match y with 0%nat => Q0 | _ => Q1 end) in *.
  assert (B : forall s t, below 2 [(0%nat, s); (1%nat, t)])
    by (intros s t; do 2 (apply Forall_cons; [cbn; lia|]); apply Forall_nil).
  assert (V : forall s, mixes (weighted v (weighted s Q0 ++ weighted (1 - s) Q1) ++ weighted (1 - v) Q) v
    (bind [(0%nat, s); (1%nat, 1 - s)] K) Q).
  { intros s f; rewrite mean_app, !mean_weighted, mean_app, !mean_weighted, mean_bind; cbn; ring. }
  eapply Rle_trans; [apply (reduction_to_letters k 2 fair K v _ _ [(0%nat, a); (1%nat, 1 - a)] [(0%nat, 1 - a); (1%nat, 1 - (1 - a))]
    Q (map snd others) os E); try apply V; try apply B; try assumption|].
  - intros [|y]; assumption.
  - apply Forall_map; eapply Forall_impl; [|exact H]; intros o Ho; apply Ho.
  - apply Rmult_le_compat_l; [apply Hv|].
    set (pair := fun z : nat * nat => [fst z; snd z]).
    assert (P : forall s f, mean f (view 2 ([(0%nat, s); (1%nat, 1 - s)] :: map (label 2 fair) os))
      = mean f (image pair (personal_counts s (map fst others))))
      by (intros s f; rewrite mean_image; now apply personal_view).
    rewrite (hockey_stick_ext _ _ _ _ _ _ (P a) (P (1 - a))); apply post_processing.
Qed.

(** ** Letters of any two laws: the clones', and the normalized positive parts of their differences *)

Theorem liu2024_repair_theorem_2 {k : nat} {A} (same : forall x y : A, {x = y} + {x <> y}) (n : nat) (v : R) (a : R) (users : shared_letters)
    (exp_epsilon : R) (exp_epsilon0 : R) (P : law A) (Q : law A) (S : A -> bool) :
  (1 <= n)%nat -> 0 <= v -> v <= 1 -> 0 <= a -> a <= 1 -> holds_letters n users -> 1 <= exp_epsilon -> 1 <=
  exp_epsilon0 -> is_law P -> private_pair same exp_epsilon0 P Q ->
  shuffled_apart k v a users exp_epsilon <= v * (personal_apart a users exp_epsilon)
  /\ prob S (letter same exp_epsilon0 P Q) >= 0
  /\ prob S (letter same exp_epsilon0 Q P) >= 0
  /\ mean (fun _ => 1) (letter same exp_epsilon0 P Q) = 1
  /\ mean (fun _ => 1) (letter same exp_epsilon0 Q P) = 1
  /\ prob S P = ((exp_epsilon0 * (prob S (letter same exp_epsilon0 P Q))) + (prob S (letter same exp_epsilon0 Q P))) / (exp_epsilon0 + 1)
  /\ prob S Q = ((prob S (letter same exp_epsilon0 P Q)) + (exp_epsilon0 * (prob S (letter same exp_epsilon0 Q P)))) / (exp_epsilon0 + 1)
  /\ (prob S P) + (prob S Q) = (prob S (letter same exp_epsilon0 P Q)) + (prob S (letter same exp_epsilon0 Q P))
  /\ prob S (part same P Q) >= 0
  /\ prob S (part same Q P) >= 0
  /\ prob S (in_both same P Q) >= 0
  /\ mean (fun _ => 1) (part same P Q) = 1
  /\ mean (fun _ => 1) (part same Q P) = 1
  /\ mean (fun _ => 1) (in_both same P Q) = 1
  /\ prob S P = ((part_mass same P Q) * (prob S (part same P Q))) + ((1 - (part_mass same P Q)) * (prob S (in_both same P Q)))
  /\ prob S Q = ((part_mass same P Q) * (prob S (part same Q P))) + ((1 - (part_mass same P Q)) * (prob S (in_both same P Q))).
Proof.
  intros _ Hv Hv' Ha Ha' HU HE Hx LP HPQ; pose proof HPQ as (_ & LQ & _ & _).
  pose proof (part_is_law same P Q LP) as [N0 M0]; pose proof (part_is_law same Q P LQ) as [N1 M1].
  destruct (parts_mixed same P Q LP LQ) as [[N2 M2] M]; destruct (M (indicator S)) as [F G].
  pose proof (prob_nonnegative S _ N0); pose proof (prob_nonnegative S _ N1); pose proof (prob_nonnegative S _ N2).
  split; [apply (personal_reduction k n); [lra | lra | exact HU | exact HE]|].
  pose proof (feldman2021_two_letters same exp_epsilon0 P Q S Hx LP HPQ) as T.
  repeat split; try apply T; try assumption; lra.
Qed.

(** ** Definition 2, tests, and a victim who fails *)

(** (eps, 0)-close for every set of messages. *)
Definition close_sets {A} (x : R) (P Q : law A) : Prop :=
  is_law Q /\ forall S, prob S P <= x * prob S Q /\ prob S Q <= x * prob S P.

Theorem liu2024_definition_2_pure {A} (same : forall x y : A, {x = y} + {x <> y})
    (exp_epsilon0 : R) (P : law A) (Q : law A) (S : A -> bool) (U : law A) (W : law A) (y : A) :
  1 <= exp_epsilon0 -> is_law P -> private_pair same exp_epsilon0 P Q -> is_law U -> close_sets exp_epsilon0 U W ->
  prob S P <= exp_epsilon0 * (prob S Q) /\ prob S Q <= exp_epsilon0 * (prob S P)
  /\ mass same U y <= exp_epsilon0 * (mass same W y) /\ mass same W y <= exp_epsilon0 * (mass same U y).
Proof.
  intros _ _ (_ & _ & HP & HQ) _ [_ C]; split; [|split; [|exact (C (at_ same y))]].
  all: destruct (outcomes_carry same P Q) as [[_ EP] [_ EQ]]; unfold prob; rewrite EP, EQ, <- total_scale.
  all: apply total_le; intros a; specialize (HP a); specialize (HQ a); unfold indicator; destruct (S a); lra.
Qed.

(** The messages of users, one of whom stands between others; in order, and shuffled. *)
Record among (A : Type) := { earlier : list (law A); later : list (law A) }.
Arguments earlier {A}. Arguments later {A}.
Definition are_laws {A} (n : nat) (u : among A) : Prop :=
  (length (earlier u) + S (length (later u)))%nat = n /\ Forall is_law (earlier u) /\ Forall is_law (later u).
Definition in_order_apart {A} (same : forall x y : A, {x = y} + {x <> y}) (u : among A) (V W : law A) (E : R) : R :=
  hockey_stick (list_eq_dec same) (messages (earlier u ++ V :: later u)) (messages (earlier u ++ W :: later u)) E.
Definition shuffled_order_apart {A} (same : forall x y : A, {x = y} + {x <> y}) (u : among A) (V W : law A) (E : R) : R :=
  hockey_stick (list_eq_dec same) (bind (messages (earlier u ++ V :: later u)) permuted)
    (bind (messages (earlier u ++ W :: later u)) permuted) E.

Lemma messages_is_law {A} (users : list (law A)) : Forall is_law users -> is_law (messages users).
Proof.
  induction 1 as [|u users Hu H IH]; [apply certain_is_law|]; cbn [messages].
  apply bind_is_law; [exact Hu|]; intros; now apply image_is_law.
Qed.

Lemma mean_messages_app {A} (us vs : list (law A)) f :
  mean f (messages (us ++ vs)) = mean (fun x => mean (fun y => f (x ++ y)) (messages vs)) (messages us).
Proof.
  revert f; induction us as [|u us IH]; intros f; [cbn; rewrite Rmult_1_l, Rplus_0_r; now apply mean_ext|].
  cbn [List.app]; rewrite !mean_messages_cons; apply mean_ext; intros y; rewrite IH; reflexivity.
Qed.

Lemma in_order {A} (u : among A) V f :
  mean f (messages (earlier u ++ V :: later u)) =
  mean f (bind V (fun y => bind (messages (earlier u)) (fun x => image (fun z => x ++ y :: z) (messages (later u))))).
Proof.
  rewrite mean_messages_app, mean_bind.
  rewrite (mean_ext _ (fun x => mean (fun y => mean (fun z => f (x ++ y :: z)) (messages (later u))) V))
    by (intros x; now rewrite mean_messages_cons).
  rewrite mean_swap; apply mean_ext; intros y; rewrite mean_bind; apply mean_ext; intros x; now rewrite mean_image.
Qed.

Theorem liu2024_definition_2_sets {A} (same : forall x y : A, {x = y} + {x <> y})
    (n : nat) (P : law A) (Q : law A) (others : among A) (exp_epsilon : R) :
  (1 <= n)%nat -> is_law P -> is_law Q -> are_laws n others -> 1 <= exp_epsilon ->
  in_order_apart same others P Q exp_epsilon <= hockey_stick same P Q exp_epsilon
  /\ shuffled_order_apart same others P Q exp_epsilon <= hockey_stick same P Q exp_epsilon.
Proof.
  intros _ LP LQ (_ & L1 & L2) _; unfold in_order_apart, shuffled_order_apart.
  assert (O : hockey_stick (list_eq_dec same) (messages (earlier others ++ P :: later others))
    (messages (earlier others ++ Q :: later others)) exp_epsilon <= hockey_stick same P Q exp_epsilon).
  { rewrite (hockey_stick_ext _ _ _ _ _ _ (in_order others P) (in_order others Q)).
    apply randomized_post_processing; intros y; apply bind_is_law; [now apply messages_is_law|].
    intros x; apply image_is_law; now apply messages_is_law. }
  split; [exact O|]; eapply Rle_trans; [|exact O]; apply randomized_post_processing; apply permuted_is_law.
Qed.

(** The probability that a test rejects; 1 on the region where Q has more. *)
Definition more_likely {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) (y : A) : bool :=
  if Rlt_dec (mass same P y) (mass same Q y) then true else false.

Theorem liu2024_most_powerful {A} (same : forall x y : A, {x = y} + {x <> y})
    (P : law A) (Q : law A) (test : A -> R) :
  is_law P -> is_law Q -> (forall y, 0 <= test y <= 1) ->
  mean test P <= prob (more_likely same P Q) P ->
  mean test Q <= prob (more_likely same P Q) Q.
Proof.
  intros _ _ H L; unfold prob in *; set (S := indicator (more_likely same P Q)) in *.
  enough (mean test Q - mean test P <= mean S Q - mean S P) by lra.
  destruct (outcomes_carry same P Q) as [[_ HP] [_ HQ]]; rewrite !HP, !HQ.
  set (xs := outcomes same P Q).
  assert (T : forall f : A -> R, total (map (fun a => f a * mass same Q a) xs) - total (map (fun a => f a * mass same P a) xs)
    = total (map (fun a => f a * (mass same Q a - mass same P a)) xs)).
  { intros f; induction xs as [|x xs IH]; cbn; [ring | rewrite <- IH; ring]. }
  rewrite !T; apply total_le; intros a; unfold S, indicator, more_likely; specialize (H a).
  destruct (Rlt_dec (mass same P a) (mass same Q a)); nra.
Qed.

(** The victim's laws, those of failures, and the others'. *)
Record failing := { pure : law nat; pure' : law nat; failed : law nat; failed' : law nat; beside : list (law nat) }.
Definition are_failing (n : nat) (c : failing) : Prop :=
  is_law (pure c) /\ is_law (pure' c) /\ is_law (failed c) /\ is_law (failed' c) /\
  S (length (beside c)) = n /\ Forall is_law (beside c).
Definition failing_apart (k : nat) (d : R) (c : failing) (E : R) : R :=
  hockey_stick same_counts (view k (mixture d (pure c) (failed c) :: beside c))
    (view k (mixture d (pure' c) (failed' c) :: beside c)) E.

Theorem liu2024_approximate_term {k : nat} (n : nat) (delta_1 : R) (users : failing) (exp_epsilon : R) :
  (1 <= n)%nat -> 0 <= delta_1 -> delta_1 <= 1 -> are_failing n users -> 1 <= exp_epsilon ->
  failing_apart k delta_1 users exp_epsilon <= delta_1 + ((1 - delta_1) * (failing_apart k 0 users exp_epsilon)).
Proof.
  intros _ Hd Hd' (L0 & L1 & F0 & F1 & _ & LO) HE; unfold failing_apart.
  assert (M : forall d V F f, mean f (view k (mixture d V F :: beside users)) =
    mean f (weighted d (view k (F :: beside users)) ++ weighted (1 - d) (view k (V :: beside users)))).
  { intros d V F f; rewrite mean_app, !mean_weighted, !view_cons, mean_mixture; ring. }
  assert (Z : forall V F f, mean f (view k (mixture 0 V F :: beside users)) = mean f (view k (V :: beside users)))
    by (intros V F f; rewrite M, mean_app, !mean_weighted; ring).
  rewrite (hockey_stick_ext _ _ _ _ _ _ (M delta_1 (pure users) (failed users)) (M delta_1 (pure' users) (failed' users))).
  rewrite (hockey_stick_ext _ _ _ _ _ _ (Z (pure users) (failed users)) (Z (pure' users) (failed' users))).
  assert (One : hockey_stick same_counts (view k (failed users :: beside users)) (view k (failed' users :: beside users)) exp_epsilon <= 1).
  { apply below_every_event; intros S.
    pose proof (prob_between S _ (view_is_law k (failed users :: beside users) (Forall_cons _ F0 LO))).
    pose proof (prob_between S _ (view_is_law k (failed' users :: beside users) (Forall_cons _ F1 LO))); nra. }
  eapply Rle_trans; [now apply joint_convexity|]; nra.
Qed.

(** F_i(x) of Bin(i, 1/2), and alpha(t) of Theorem 1. *)
Definition fair_below (i : nat) (x : R) : R := prob (fun h => if Rle_dec (INR h) x then true else false) (heads (1 / 2) i).
Definition type_one (ps : list R) (t : R) : R :=
  mean (fun i => fair_below i (INR i - INR (i + 1) / (t + 1))) (trials (map (Rmult 2) ps)).
Definition halves (ps : list R) : Prop := Forall (fun p => 0 <= p <= 1 / 2) ps.

Lemma trials_is_law rs : Forall (fun r => 0 <= r <= 1) rs -> is_law (trials rs).
Proof.
  induction 1 as [|r rs Hr H IH]; [apply certain_is_law | apply bind_is_law; [exact IH|]].
  intros c; split; [|cbn; ring]; do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Lemma halves_trials ps : halves ps -> is_law (trials (map (Rmult 2) ps)).
Proof. intros H; apply trials_is_law, Forall_map; eapply Forall_impl; [|exact H]; intros p Hp; cbn in *; lra. Qed.

Theorem liu2024_alpha_range (others : list R) (t : R) :
  halves others -> 0 <= t -> type_one others t >= 0 /\ type_one others t <= 1.
Proof.
  intros H _; pose proof (halves_trials others H) as [N M]; unfold type_one.
  assert (B : forall i x, 0 <= fair_below i x <= 1) by (intros i x; apply prob_between, heads_is_law; lra).
  split.
  - apply Rle_ge; replace 0 with (mean (fun _ : nat => 0 * 1) (trials (map (Rmult 2) others))) by (rewrite mean_scale; ring).
    apply mean_le; [exact N|]; intros i; rewrite Rmult_0_l; apply B.
  - eapply Rle_trans; [|right; exact M]; apply mean_le; [exact N | intros i; apply B].
Qed.
