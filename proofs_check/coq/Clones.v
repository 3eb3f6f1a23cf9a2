(** * Hiding among the clones

    n users send one message each; for one of them, the victim, x0 becomes x1.
    - [clone_reduction]: the counts of the messages are made of those of clones by one channel, the same
      for x0 and x1; [clone_reduction_divergence]: so no divergence of them is larger;
      [mixed_reduction]: where the victim speaks so with weight a only, a times that divergence is left;
    - [shuffled_mixtures]: so are the messages of adaptive randomizers that are run on shuffled data, if
      what everyone sends is at least r/2 times each of the two laws of the victim's message;
    - [shuffled_clones]: r = e^-eps0, if the randomizers are eps0-private;
      [shuffled_clones_divergence]: so at every e^eps; [shuffled_clones_private]: so (eps, d)-privacy;
    - [stronger_clones]: r = 2/(e^eps0 + 1), if all laws are at least 1/(e^eps0 + 1) times the sum of any
      two; [randomized_response_mixes]: randomized response on k messages is so.

    Source: Feldman, McMillan, Talwar 2021, Section 3, and 2023, Lemma 3.5 for p = 1/(e^eps0 + 1). *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas Composition Blanket Letters TwoLetters.
Import ListNotations.
Open Scope R_scope.

(** ** Mixtures of letters *)

(** P and Q are the laws of the victim's message, [K z] those of others' messages. *)
Definition cloned {A X} (same : forall x y : A, {x = y} + {x <> y}) (x r : R) (P Q : law A) (K : X -> law A) : Prop :=
  is_law P /\ is_law Q /\ within same x P Q /\ within same x Q P /\
  forall z, is_law (K z) /\ holds_both same r P Q (K z).

(** The laws of the letters and of the leftovers. *)
Definition spoken {A X} (same : forall x y : A, {x = y} + {x <> y}) (x r : R) (P Q : law A) (K : X -> law A)
    (d : nat + X) : law A :=
  match d with
  | inl 0%nat => letter same x P Q
  | inl _ => letter same x Q P
  | inr z => remainder same r P Q (K z)
  end.

Section Spoken.
Context {A X : Type} (same : forall x y : A, {x = y} + {x <> y}) (x r : R) (P Q : law A) (K : X -> law A).
Hypotheses (Hx : 1 <= x) (Hr : 0 <= r <= 1) (C : cloned same x r P Q K).

Lemma spoken_is_law d : is_law (spoken same x r P Q K d).
Proof.
  destruct C as (LP & LQ & HP & HQ & HK); destruct d as [[|y]|z]; cbn.
  - now apply letter_is_law.
  - now apply letter_is_law.
  - apply remainder_is_law; try assumption; try apply HK; lra.
Qed.

Lemma first_spoken f : mean f P = mean f (bind (image inl (first_letter x)) (spoken same x r P Q K)).
Proof.
  destruct C as (LP & LQ & HP & HQ & HK); rewrite mean_bind, mean_image; cbn [mean first_letter spoken].
  rewrite (letters_mixed same x P Q f) at 1 by assumption; ring.
Qed.

Lemma second_spoken f : mean f Q = mean f (bind (image inl (second_letter x)) (spoken same x r P Q K)).
Proof.
  destruct C as (LP & LQ & HP & HQ & HK); rewrite mean_bind, mean_image; cbn [mean second_letter spoken].
  rewrite (letters_mixed same x Q P f) at 1 by assumption; ring.
Qed.

Lemma clone_spoken z f : mean f (K z) = mean f (bind (symbol fair (r, z)) (spoken same x r P Q K)).
Proof.
  destruct C as (LP & LQ & HP & HQ & HK); destruct (HK z) as (LK & HB).
  rewrite mean_bind; unfold symbol; rewrite mean_app, mean_image, mean_weighted; cbn [mean fair spoken fst snd].
  rewrite (remainder_mixed same r P Q (K z) f) at 1 by (assumption || apply Hr).
  rewrite (letters_mixed same x P Q f), (letters_mixed same x Q P f) by assumption; field; lra.
Qed.
End Spoken.

(** The symbol of the victim, who is [None], or of another user. *)
Definition symbol_of {X} (victim : law nat) (r : R) (t : option X) : law (nat + X) :=
  match t with None => image inl victim | Some z => symbol fair (r, z) end.

(** Whatever is made of the symbols without regard to their order is made of the counts of clones. *)
Lemma clones_channel {X B} x r (others : list X) (F : list (nat + X) -> law B) :
  1 <= x -> 0 <= r <= 1 -> (forall ds, is_law (F ds)) -> order_blind F ->
  let n := S (length others) in
  let symbols victim := messages (map (symbol_of victim r) (None :: map Some others)) in
  exists K : nat * nat -> law B, (forall c, is_law (K c)) /\
    (forall f, mean f (bind (symbols (first_letter x)) F) = mean f (bind (clone_counts forward x r n) K)) /\
    (forall f, mean f (bind (symbols (second_letter x)) F) = mean f (bind (clone_counts backward x r n) K)).
Proof.
  intros Hx Hr LF BF; cbv zeta; set (os := map (pair r) others).
  assert (W : Forall weighs os) by (apply Forall_map, Forall_forall; intros z _; exact Hr).
  assert (below2 : forall p q, below 2 [(0%nat, p); (1%nat, q)]).
  { intros p q; do 2 (apply Forall_cons; [cbn; lia|]); apply Forall_nil. }
  destruct (letters_channel 2 fair os F (below2 _ _) W LF BF) as [K [LK HK]].
  exists (fun c => K [fst c; snd c]); split; [intros; apply LK|].
  assert (L : map (label 2 fair) os = repeat (label 2 fair (r, tt)) (S (length others) - 1)).
  { cbn [Nat.sub]; rewrite Nat.sub_0_r; unfold os; clear; induction others as [|z zs IH]; [reflexivity|].
    cbn [map repeat length]; rewrite IH; reflexivity. }
  assert (M : forall victim, map (symbol_of victim r) (None :: map Some others) = image inl victim :: map (symbol fair) os)
    by (intros victim; cbn [map symbol_of]; unfold os; now rewrite !map_map).
  assert (positive : 0 < x) by lra; split; intros f; rewrite M, HK by apply below2; rewrite L, !mean_bind.
  - now rewrite (proj1 (labels_are_clone_counts x r _ _ positive)).
  - now rewrite (proj2 (labels_are_clone_counts x r _ _ positive)).
Qed.

(** ** Counts of messages *)

(** The counts of all messages. Every user sends by a law of their own. *)
Theorem clone_reduction {X} k x r (V V' : law nat) (K : X -> law nat) (others : list X) :
  1 <= x -> 0 <= r <= 1 -> cloned Nat.eq_dec x r V V' K ->
  let n := S (length others) in
  exists channel : nat * nat -> law counts, (forall c, is_law (channel c)) /\
    (forall f, mean f (view k (V :: map K others)) = mean f (bind (clone_counts forward x r n) channel)) /\
    (forall f, mean f (view k (V' :: map K others)) = mean f (bind (clone_counts backward x r n) channel)).
Proof.
  intros Hx Hr C; cbv zeta; set (J := spoken Nat.eq_dec x r V V' K).
  destruct (clones_channel x r others (fun ds => view k (map J ds))) as [channel [LK [H0 H1]]]; try assumption.
  { intros ds; apply view_is_law, Forall_map, Forall_forall; intros d _; now apply spoken_is_law. }
  { intros ds es H f; now apply view_permutation, Permutation_map. }
  exists channel; split; [exact LK|].
  assert (D : forall W victim, (forall g, mean g W = mean g (bind (image inl victim) J)) -> forall f,
    mean f (view k (W :: map K others)) = mean f (bind (messages (map (symbol_of victim r) (None :: map Some others)))
      (fun ds => view k (map J ds)))).
  { intros W victim HW f.
    pose proof (view_drawn k (symbol_of victim r) J (fun t => match t with None => W | Some z => K z end)
      (None :: map Some others) f) as E; cbn [map] in E; rewrite map_map in E; apply E.
    intros [z|] g; [now apply clone_spoken | apply HW]. }
  split; intros f.
  - rewrite <- H0; apply D; intros g; now apply first_spoken.
  - rewrite <- H1; apply D; intros g; now apply second_spoken.
Qed.

Theorem clone_reduction_divergence {X} k x r (V V' : law nat) (K : X -> law nat) (others : list X) E :
  1 <= x -> 0 <= r <= 1 -> cloned Nat.eq_dec x r V V' K ->
  let n := S (length others) in
  hockey_stick same_counts (view k (V :: map K others)) (view k (V' :: map K others)) E
  <= hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E.
Proof.
  intros Hx Hr C; cbv zeta.
  destruct (clone_reduction k x r V V' K others Hx Hr C) as [channel [LK [H0 H1]]].
  rewrite (hockey_stick_ext _ _ _ _ _ _ H0 H1); now apply randomized_post_processing.
Qed.

(** With weight a the victim's message is drawn from P or, with the other datum, from Q; else the same. *)
Theorem mixed_reduction {X} k x r a (V V' P Q rest : law nat) (K : X -> law nat) (others : list X) E :
  1 <= x -> 0 <= r <= 1 -> 0 <= a <= 1 -> 1 <= E -> is_law rest ->
  mixes V a P rest -> mixes V' a Q rest -> cloned Nat.eq_dec x r P Q K ->
  let n := S (length others) in
  hockey_stick same_counts (view k (V :: map K others)) (view k (V' :: map K others)) E
  <= a * hockey_stick same_pair (clone_counts forward x r n) (clone_counts backward x r n) E.
Proof.
  intros Hx Hr Ha HE LR HV HV' C; cbv zeta.
  eapply Rle_trans; [apply (partly_same k V V' a P Q rest); try assumption|].
  - apply Forall_map, Forall_forall; intros z _; apply C.
  - apply Rmult_le_compat_l; [apply Ha | now apply clone_reduction_divergence].
Qed.

(** ** Adaptive randomizers on shuffled data *)

Definition datum {X} (x : X) (t : option X) : X := match t with None => x | Some z => z end.

Lemma first_letter_is_law x : 1 <= x -> is_law (first_letter x) /\ is_law (second_letter x).
Proof.
  intros Hx; assert (I : 0 < / (x + 1)) by (apply Rinv_0_lt_compat; lra).
  assert (0 <= x / (x + 1)) by (apply Rmult_le_pos; lra); assert (0 <= 1 / (x + 1)) by lra.
  split; (split; [do 2 (apply Forall_cons; [assumption|]); apply Forall_nil | cbn; field; lra]).
Qed.

Lemma symbol_of_mean {X} victim r (t : option X) : is_law victim -> mean (fun _ => 1) (symbol_of victim r t) = 1.
Proof.
  intros [_ M]; destruct t as [z|]; cbn [symbol_of]; [|now rewrite mean_image].
  unfold symbol, fair; rewrite mean_app, mean_image, mean_weighted; cbn; field.
Qed.

(** Randomizers whose laws, whatever came before, are at least r/2 times each of the victim's two. *)
Theorem shuffled_mixtures {X A} (same : forall x y : A, {x = y} + {x <> y})
    (randomizers : list (list A -> X -> law A)) x r (before after : list X) x0 x1 :
  1 <= x -> 0 <= r <= 1 ->
  Forall (fun K => forall past, cloned same x r (K past x0) (K past x1) (K past)) randomizers ->
  let n := length (before ++ x0 :: after) in
  exists channel : nat * nat -> law (list A), (forall c, is_law (channel c)) /\
    (forall f, mean f (shuffled randomizers (before ++ x0 :: after))
      = mean f (bind (clone_counts forward x r n) channel)) /\
    (forall f, mean f (shuffled randomizers (before ++ x1 :: after))
      = mean f (bind (clone_counts backward x r n) channel)).
Proof.
  intros Hx Hr H; cbv zeta; set (others := before ++ after).
  set (J := fun (K : list A -> X -> law A) past => spoken same x r (K past x0) (K past x1) (K past)).
  destruct (clones_channel x r others (shuffled (map J randomizers))) as [channel [LC [H0 H1]]]; try assumption.
  { intros ds; apply bind_is_law; [apply permuted_is_law|]; intros zs; apply on_data_is_law, Forall_map.
    eapply Forall_impl; [|exact H]; intros K HK past d; now apply spoken_is_law. }
  { apply shuffled_order_blind. }
  exists channel; split; [exact LC|].
  replace (length (before ++ x0 :: after)) with (S (length others))
    by (unfold others; rewrite !app_length; cbn; lia).
  set (pairs := map (fun K => (K, J K)) randomizers).
  assert (P0 : map fst pairs = randomizers) by (unfold pairs; rewrite map_map; apply map_id).
  assert (P1 : map snd pairs = map J randomizers) by (unfold pairs; now rewrite map_map).
  assert (D : forall z victim, is_law victim ->
    Forall (fun K => forall past g, mean g (K past z) = mean g (bind (image inl victim) (J K past))) randomizers ->
    forall f, mean f (shuffled randomizers (before ++ z :: after)) =
      mean f (bind (messages (map (symbol_of victim r) (None :: map Some others))) (shuffled (map J randomizers)))).
  { intros z victim LV HV f.
    rewrite (shuffled_order_blind randomizers _ (z :: others)) by (symmetry; apply Permutation_middle).
    pose proof (shuffled_drawn (datum z) (symbol_of victim r) pairs (None :: map Some others) f) as E.
    rewrite P0, P1 in E; cbn [map datum] in E; rewrite (map_map Some (datum z)) in E; cbn [datum] in E.
    rewrite map_id in E; apply E.
    - intros t; now apply symbol_of_mean.
    - unfold pairs; apply Forall_map, Forall_forall; intros K HK past [t|] g; cbn [fst snd datum symbol_of].
      + apply (clone_spoken same x r (K past x0) (K past x1) (K past)); try assumption.
        now apply (proj1 (Forall_forall _ _) H K).
      + now apply (proj1 (Forall_forall _ _) HV K). }
  split; intros f.
  - rewrite <- H0; apply D; [now apply first_letter_is_law|]; eapply Forall_impl; [|exact H].
    intros K HK past g; now apply first_spoken.
  - rewrite <- H1; apply D; [now apply first_letter_is_law|]; eapply Forall_impl; [|exact H].
    intros K HK past g; now apply second_spoken.
Qed.

(** An eps0-private randomizer that sees all earlier messages. *)
Definition private_after {X A} (same : forall x y : A, {x = y} + {x <> y}) (eps0 : R) (K : list A -> X -> law A) : Prop :=
  forall past z z', is_law (K past z) /\ within same (exp eps0) (K past z) (K past z').

Lemma at_least_1 eps0 : 0 <= eps0 -> 1 <= exp eps0.
Proof. pose proof (exp_ineq1_le eps0); lra. Qed.

Theorem shuffled_clones {X A} (same : forall x y : A, {x = y} + {x <> y})
    (randomizers : list (list A -> X -> law A)) eps0 (before after : list X) x0 x1 :
  0 <= eps0 -> Forall (private_after same eps0) randomizers ->
  let n := length (before ++ x0 :: after) in
  exists channel : nat * nat -> law (list A), (forall c, is_law (channel c)) /\
    (forall f, mean f (shuffled randomizers (before ++ x0 :: after))
      = mean f (bind (clone_counts forward (exp eps0) (exp (- eps0)) n) channel)) /\
    (forall f, mean f (shuffled randomizers (before ++ x1 :: after))
      = mean f (bind (clone_counts backward (exp eps0) (exp (- eps0)) n) channel)).
Proof.
  intros He H; pose proof (at_least_1 eps0 He) as Hx; rewrite exp_Ropp; apply shuffled_mixtures with (same := same).
  - exact Hx.
  - split; [apply Rlt_le, Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra].
  - eapply Forall_impl; [|exact H]; intros K HK past; repeat split; try apply (HK past _ x0); try apply HK.
    apply within_both; [exact Hx | apply HK | apply HK].
Qed.

(** So the divergence of the messages is at most that of the counts, at every e^eps. *)
Theorem shuffled_clones_divergence {X A} (same : forall x y : A, {x = y} + {x <> y})
    (randomizers : list (list A -> X -> law A)) eps0 (before after : list X) x0 x1 E :
  0 <= eps0 -> Forall (private_after same eps0) randomizers ->
  let n := length (before ++ x0 :: after) in
  hockey_stick (list_eq_dec same) (shuffled randomizers (before ++ x0 :: after))
    (shuffled randomizers (before ++ x1 :: after)) E
  <= hockey_stick same_pair (clone_counts forward (exp eps0) (exp (- eps0)) n)
       (clone_counts backward (exp eps0) (exp (- eps0)) n) E.
Proof.
  intros He H; cbv zeta.
  destruct (shuffled_clones same randomizers eps0 before after x0 x1 He H) as [channel [LC [H0 H1]]].
  rewrite (hockey_stick_ext _ _ _ _ _ _ H0 H1); now apply randomized_post_processing.
Qed.

(** (eps, d)-privacy of the counts is that of the messages, in both directions. *)
Theorem shuffled_clones_private {X A} (same : forall x y : A, {x = y} + {x <> y})
    (randomizers : list (list A -> X -> law A)) eps0 (before after : list X) x0 x1 eps d :
  0 <= eps0 -> Forall (private_after same eps0) randomizers ->
  let n := length (before ++ x0 :: after) in
  let P := shuffled randomizers (before ++ x0 :: after) in
  let Q := shuffled randomizers (before ++ x1 :: after) in
  hockey_stick same_pair (clone_counts forward (exp eps0) (exp (- eps0)) n)
    (clone_counts backward (exp eps0) (exp (- eps0)) n) (exp eps) <= d ->
  forall S, prob S P <= exp eps * prob S Q + d /\ prob S Q <= exp eps * prob S P + d.
Proof.
  intros He H n P Q D; apply (private_both (list_eq_dec same)), Rmax_lub; (eapply Rle_trans; [|exact D]).
  - now apply shuffled_clones_divergence.
  - unfold n; replace (length (before ++ x0 :: after)) with (length (before ++ x1 :: after))
      by (rewrite !app_length; reflexivity).
    now apply shuffled_clones_divergence.
Qed.

(** All laws are at least 1/(e^eps0 + 1) times the sum of those of any two data. *)
Theorem stronger_clones {X A} (same : forall x y : A, {x = y} + {x <> y})
    (randomizers : list (list A -> X -> law A)) eps0 (before after : list X) x0 x1 :
  0 <= eps0 -> Forall (private_after same eps0) randomizers ->
  Forall (fun K => forall past z y,
    (mass same (K past x0) y + mass same (K past x1) y) / (exp eps0 + 1) <= mass same (K past z) y) randomizers ->
  let n := length (before ++ x0 :: after) in
  exists channel : nat * nat -> law (list A), (forall c, is_law (channel c)) /\
    (forall f, mean f (shuffled randomizers (before ++ x0 :: after))
      = mean f (bind (clone_counts forward (exp eps0) (2 / (exp eps0 + 1)) n) channel)) /\
    (forall f, mean f (shuffled randomizers (before ++ x1 :: after))
      = mean f (bind (clone_counts backward (exp eps0) (2 / (exp eps0 + 1)) n) channel)).
Proof.
  intros He H M; pose proof (at_least_1 eps0 He) as Hx; apply shuffled_mixtures with (same := same).
  - exact Hx.
  - assert (0 < / (exp eps0 + 1)) by (apply Rinv_0_lt_compat; lra); split.
    + apply Rmult_le_pos; lra.
    + apply (Rmult_le_reg_r (exp eps0 + 1)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - apply Forall_forall; intros K HK past.
    pose proof (proj1 (Forall_forall _ _) H K HK) as P; pose proof (proj1 (Forall_forall _ _) M K HK) as B.
    repeat split; try apply (P past _ x0); try apply P.
    intros y; specialize (B past z y); eapply Rle_trans; [|exact B]; apply Req_le; field; lra.
Qed.

(** ** Randomized response *)

Definition randomized_response (k : nat) (eps0 : R) (z : nat) : law nat :=
  map (fun y => (y, (if Nat.eq_dec y z then exp eps0 else 1) / (exp eps0 + INR k - 1))) (seq 0 k).

Lemma randomized_response_total k eps0 z f :
  mean f (randomized_response k eps0 z) =
  / (exp eps0 + INR k - 1) * total (map (fun y => f y * (1 + (exp eps0 - 1) * indicator (at_ Nat.eq_dec y) z)) (seq 0 k)).
Proof.
  unfold randomized_response, Rdiv; induction (seq 0 k) as [|y ys IH]; cbn [map mean total]; [ring|].
  rewrite IH; unfold indicator, at_; destruct (Nat.eq_dec y z); ring.
Qed.

Lemma randomized_response_mass k eps0 z y :
  mass Nat.eq_dec (randomized_response k eps0 z) y =
  if in_dec Nat.eq_dec y (seq 0 k) then (if Nat.eq_dec y z then exp eps0 else 1) / (exp eps0 + INR k - 1) else 0.
Proof.
  unfold mass, prob; rewrite randomized_response_total.
  rewrite (total_ext _ (fun a => (1 + (exp eps0 - 1) * indicator (at_ Nat.eq_dec a) z) * indicator (at_ Nat.eq_dec a) y)).
  - rewrite (total_at Nat.eq_dec) by apply seq_NoDup; destruct (in_dec Nat.eq_dec y (seq 0 k)); [|ring].
    unfold indicator, at_, Rdiv; destruct (Nat.eq_dec y z); ring.
  - intros a _; unfold indicator, at_; destruct (Nat.eq_dec y a), (Nat.eq_dec a y); try congruence; ring.
Qed.

(** Its rows are eps0-private, and at least 1/(e^eps0 + 1) times the sum of any two. *)
Theorem randomized_response_mixes k eps0 z z' :
  0 <= eps0 -> (z < k)%nat ->
  is_law (randomized_response k eps0 z) /\
  within Nat.eq_dec (exp eps0) (randomized_response k eps0 z) (randomized_response k eps0 z') /\
  forall z0 z1 y, z0 <> z1 ->
    (mass Nat.eq_dec (randomized_response k eps0 z0) y + mass Nat.eq_dec (randomized_response k eps0 z1) y)
      / (exp eps0 + 1) <= mass Nat.eq_dec (randomized_response k eps0 z) y.
Proof.
  intros He Hz; pose proof (at_least_1 eps0 He) as Hx.
  assert (Hk : 1 <= INR k) by (apply (le_INR 1); lia).
  assert (D : 0 < / (exp eps0 + INR k - 1)) by (apply Rinv_0_lt_compat; lra).
  split; [split|split].
  - unfold nonnegative, randomized_response; apply Forall_map, Forall_forall; intros y _; cbn.
    apply Rmult_le_pos; [destruct (Nat.eq_dec y z); lra | lra].
  - rewrite randomized_response_total.
    rewrite (total_ext _ (fun y => 1 + (exp eps0 - 1) * (1 * indicator (at_ Nat.eq_dec y) z))) by (intros; ring).
    rewrite total_plus, total_scale, (total_at Nat.eq_dec (fun _ => 1)) by apply seq_NoDup.
    destruct (in_dec Nat.eq_dec z (seq 0 k)) as [_|n]; [|destruct n; apply in_seq; lia].
    assert (T : forall xs : list nat, total (map (fun _ => 1) xs) = INR (length xs)).
    { induction xs as [|a xs IH]; [reflexivity|]; cbn [map total length]; rewrite IH, S_INR; ring. }
    rewrite T, seq_length; field; lra.
  - intros y; rewrite !randomized_response_mass; destruct (in_dec _ y _); [|lra].
    unfold Rdiv; rewrite <- Rmult_assoc; apply Rmult_le_compat_r; [lra|].
    destruct (Nat.eq_dec y z), (Nat.eq_dec y z'); nra.
  - intros z0 z1 y N; rewrite !randomized_response_mass; destruct (in_dec _ y _); [|unfold Rdiv; lra].
    rewrite <- Rdiv_plus_distr; unfold Rdiv; rewrite Rmult_assoc, (Rmult_comm (/ _) (/ (exp eps0 + 1))), <- Rmult_assoc.
    apply Rmult_le_compat_r; [lra|].
    apply (Rmult_le_reg_r (exp eps0 + 1)); [lra|]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    destruct (Nat.eq_dec y z0), (Nat.eq_dec y z1), (Nat.eq_dec y z); try congruence; nra.
Qed.
