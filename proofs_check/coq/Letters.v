(** * What letters and leftovers show, as a channel of the letters' counts

    A user's letter is [inl y], a leftover of datum x is [inr x]. Every user but the victim sends, with
    a weight of their own, a letter drawn from one law, or else their leftover; the victim sends a letter.
    - [letters_channel]: whatever is made of the letters and leftovers without regard to their order is
      made of the counts of the letters, by one channel for all laws of the victim's letter;
    - [letters_tell_all], [letters_reduction], [reduction_to_letters]: so the counts of the letters are as far apart as
      the view, or farther;
    - [relabelled]: to draw every user's symbol and then to shuffle is to shuffle and then to draw;
    - [shuffled_drawn]: so for randomizers that see all earlier messages, run on shuffled data.

    Source: Feldman, McMillan, Talwar 2021, Section 3, for letters of any law. *)

From Coq Require Import Reals List Lra Lia Bool Permutation.
Require Import ExactDP Lemmas Composition Blanket.
Import ListNotations.
Open Scope R_scope.

(** ** Finite laws of pairs *)

Lemma mean_constant {A} (P : law A) c : mean (fun _ => 1) P = 1 -> mean (fun _ => c) P = c.
Proof. intros M; rewrite (mean_ext _ (fun _ => c * 1)) by (intros; ring); rewrite mean_scale, M; ring. Qed.

Lemma some_outcome {A} (P : law A) : mean (fun _ => 1) P = 1 -> exists a : A, True.
Proof. destruct P as [|[a m] P]; cbn; [lra | now exists a]. Qed.

(** A law of pairs: the first, then the second given the first. *)
Lemma second_given_first {B} (P : law (nat * B)) :
  is_law P -> exists K : nat -> law B, (forall i, is_law (K i)) /\
    forall f, mean f P = mean (fun i => mean (fun b => f (i, b)) (K i)) (image fst P).
Proof.
  intros [N M]; destruct (some_outcome P M) as [[_ b0] _].
  set (here := fun i => filter (fun x : nat * B * R => Nat.eqb (fst (fst x)) i) P).
  set (p := fun i => mean (fun _ => 1) (here i)).
  assert (NH : forall i, nonnegative (here i)).
  { intros i; unfold here; apply Forall_forall; intros x Hx; apply filter_In in Hx as [Hx _].
    exact (proj1 (Forall_forall _ _) N x Hx). }
  assert (F : forall i (f : nat * B -> R),
    mean (fun x => indicator (at_ Nat.eq_dec i) (fst x) * f x) P = mean (fun x => f (i, snd x)) (here i)).
  { intros i f; unfold here; clear; induction P as [|[[j b] m] P IH]; cbn; [ring|]; rewrite IH.
    unfold indicator, at_; destruct (Nat.eqb_spec j i) as [->|Hj]; destruct (Nat.eq_dec i _) as [e|e];
      cbn; try congruence; ring. }
  assert (Z : forall i f, p i = 0 -> mean f (here i) = 0).
  { intros i f; unfold p; generalize (NH i); generalize (here i) as H; clear; intros H N.
    assert (G : forall H : law (nat * B), nonnegative H -> 0 <= mean (fun _ => 1) H).
    { clear; intros H; induction 1 as [|[a m] H Hm N IH]; cbn in *; lra. }
    induction N as [|[a m] H Hm N IH]; cbn in *; [reflexivity|]; intros E.
    pose proof (G H N); rewrite IH by lra; replace m with 0 by lra; ring. }
  exists (fun i => if Req_EM_T (p i) 0 then certain b0 else image snd (weighted (/ p i) (here i))); split.
  - intros i; destruct (Req_EM_T (p i) 0) as [E|E]; [apply certain_is_law|].
    assert (0 < p i).
    { enough (0 <= p i) by lra; unfold p; generalize (NH i); generalize (here i) as H; clear.
      intros H; induction 1 as [|[a m] H Hm N IH]; cbn in *; lra. }
    split; [apply nonnegative_image, nonnegative_weighted; [now apply Rlt_le, Rinv_0_lt_compat | apply NH]|].
    rewrite mean_image, mean_weighted; fold (p i); field; exact E.
  - intros f; set (xs := nodup Nat.eq_dec (map fst (image fst P))).
    assert (C : carries Nat.eq_dec xs (image fst P)).
    { apply carries_all; [apply NoDup_nodup|]; intros x Hx; now apply nodup_In. }
    destruct C as [ND C]; rewrite C.
    assert (S : mean f P = mean (fun x => total (map (fun i => indicator (at_ Nat.eq_dec i) (fst x) * f x) xs)) P).
    { assert (I : forall x, In x P -> In (fst (fst x)) xs).
      { intros [[j b] m] Hx; apply nodup_In; unfold image; rewrite map_map; apply in_map_iff.
        now exists (j, b, m). }
      revert I; clearbody xs; clear -ND; induction P as [|[[j b] m] P IH]; intros I; [reflexivity|].
      cbn [mean fst]; rewrite IH by (intros x Hx; apply I; now right); do 2 f_equal.
      rewrite (total_ext _ (fun i => f (j, b) * indicator (at_ Nat.eq_dec i) j)) by (intros; ring).
      rewrite (total_at Nat.eq_dec (fun _ => f (j, b))) by exact ND.
      destruct (in_dec Nat.eq_dec j xs) as [_|n]; [reflexivity | destruct n; exact (I _ (or_introl eq_refl))]. }
    rewrite S, mean_total; apply total_ext; intros i _; rewrite F.
    assert (Mi : mass Nat.eq_dec (image fst P) i = p i).
    { unfold mass, prob, p; rewrite mean_image, <- (F i (fun _ => 1)); apply mean_ext; intros; ring. }
    rewrite Mi; destruct (Req_EM_T (p i) 0) as [E|E]; [rewrite (Z i _ E), E; ring|].
    rewrite mean_image, mean_weighted, (Rmult_comm (/ p i)), Rmult_assoc, Rinv_l, Rmult_1_r by exact E.
    reflexivity.
Qed.

(** ** Users' letters *)

Lemma mean_messages_length {A} (users : list (law A)) f g :
  (forall ys, length ys = length users -> f ys = g ys) -> mean f (messages users) = mean g (messages users).
Proof.
  revert f g; induction users as [|u users IH]; intros f g H; [cbn; now rewrite H|].
  rewrite !mean_messages_cons; apply mean_ext; intros y; apply IH; intros ys Hy; apply H; cbn; now rewrite Hy.
Qed.

(** The symbol of a user of datum [snd o] who sends a letter with weight [fst o]. *)
Definition symbol {X} (letter : law nat) (o : R * X) : law (nat + X) :=
  image inl (weighted (fst o) letter) ++ [(inr (snd o), 1 - fst o)].

(** The same, counted: a leftover has the number m, and is not counted among m letters. *)
Definition label {X} (m : nat) (letter : law nat) (o : R * X) : law nat :=
  weighted (fst o) letter ++ [(m, 1 - fst o)].

Definition weighs {X} (o : R * X) : Prop := 0 <= fst o <= 1.

(** How many users send a letter, and the data of those who do not. *)
Fixpoint shares {X} (others : list (R * X)) : law (nat * list X) :=
  match others with
  | [] => certain (0%nat, [])
  | o :: others => bind (shares others) (fun s =>
      [((S (fst s), snd s), fst o); ((fst s, snd o :: snd s), 1 - fst o)])
  end.

Lemma mean_shares {X} (o : R * X) others g :
  mean g (shares (o :: others)) =
  fst o * mean (fun s => g (S (fst s), snd s)) (shares others)
  + (1 - fst o) * mean (fun s => g (fst s, snd o :: snd s)) (shares others).
Proof.
  cbn [shares]; rewrite mean_bind, <- !mean_scale, <- mean_plus; apply mean_ext; intros s; cbn; ring.
Qed.

Lemma shares_are_law {X} (others : list (R * X)) : Forall weighs others -> is_law (shares others).
Proof.
  induction 1 as [|o others Ho H IH]; [apply certain_is_law | apply bind_is_law; [exact IH|]].
  unfold weighs in Ho; intros s; split; [|cbn; ring].
  do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Lemma symbols_in_shares {X} letter (others : list (R * X)) (G : list (nat + X) -> R) :
  symmetric G ->
  mean G (messages (map (symbol letter) others)) =
  mean (fun s => mean (fun ys => G (map inl ys ++ map inr (snd s))) (messages (repeat letter (fst s))))
    (shares others).
Proof.
  revert G; induction others as [|o others IH]; intros G HG; [cbn; ring|].
  assert (HC : forall d, symmetric (fun ds => G (d :: ds))) by (intros d ds es H; apply HG; now constructor).
  cbn [map]; rewrite mean_messages_cons, mean_shares; cbn [fst snd].
  rewrite (mean_ext _ _ _ (fun d => IH _ (HC d))); unfold symbol.
  rewrite mean_app, mean_image, mean_weighted; cbn [mean]; rewrite Rplus_0_r; f_equal; f_equal.
  - rewrite mean_swap; apply mean_ext; intros s; cbn [repeat]; now rewrite mean_messages_cons.
  - apply mean_ext; intros s; apply mean_ext; intros ys; apply HG; cbn [map]; apply Permutation_middle.
Qed.

Lemma labels_in_shares {X} m letter us (others : list (R * X)) (g : counts -> R) :
  mean g (view m (us ++ map (label m letter) others)) =
  mean (fun s => mean g (view m (us ++ repeat letter (fst s)))) (shares others).
Proof.
  revert g; induction others as [|o others IH]; intros g.
  - cbn [map shares certain mean fst repeat]; rewrite app_nil_r; ring.
  - cbn [map]; rewrite (view_permutation m _ (label m letter o :: us ++ map (label m letter) others))
      by (symmetry; apply Permutation_middle).
    rewrite view_cons, mean_shares; cbn [fst]; change (label m letter o) with (weighted (fst o) letter ++ [(m, 1 - fst o)]); rewrite mean_app, mean_weighted; cbn [mean].
    rewrite Rplus_0_r; f_equal; f_equal.
    + rewrite (mean_ext _ _ _ (fun y => IH (fun c => g (increment y c)))), mean_swap.
      apply mean_ext; intros s; cbn [repeat].
      rewrite (view_permutation m _ (letter :: us ++ repeat letter (fst s)))
        by (symmetry; apply Permutation_middle).
      now rewrite view_cons.
    + rewrite (view_ext m _ _ g) by (intros c Hc; now rewrite increment_above by lia); apply IH.
Qed.

(** All that is made of the symbols without regard to their order is made of the counts of the letters. *)
Theorem letters_channel {X B} m (letter : law nat) (others : list (R * X)) (F : list (nat + X) -> law B) :
  below m letter -> Forall weighs others -> (forall ds, is_law (F ds)) -> order_blind F ->
  exists K : counts -> law B, (forall c, is_law (K c)) /\
    forall v, below m v -> forall f,
      mean f (bind (messages (image inl v :: map (symbol letter) others)) F) =
      mean f (bind (view m (v :: map (label m letter) others)) K).
Proof.
  intros Bl W LF BF; destruct (second_given_first (shares others) (shares_are_law others W)) as [J [LJ HJ]].
  set (made := fun c L => F (map inl (listed 0 c) ++ map inr L)).
  exists (fun c => bind (J (pred (list_sum c))) (made c)); split.
  { intros c; apply bind_is_law; [apply LJ | intros; apply LF]. }
  intros v Bv f; rewrite !mean_bind, mean_messages_cons, mean_image.
  set (G := fun ds => mean f (F ds)).
  assert (HG : symmetric G) by (intros ds es H; apply (BF ds es H)).
  assert (HC : forall d, symmetric (fun ds => G (d :: ds))) by (intros d ds es H; apply HG; now constructor).
  etransitivity; [apply mean_ext; intros y; exact (symbols_in_shares letter others _ (HC (inl y)))|].
  rewrite mean_swap.
  set (P := fun i => view m (v :: repeat letter i)).
  assert (Bi : forall i, Forall (below m) (v :: repeat letter i)).
  { intros i; constructor; [exact Bv|]; apply Forall_forall; intros x Hx; apply repeat_spec in Hx; now subst. }
  transitivity (mean (fun s => mean (fun c => G (map inl (listed 0 c) ++ map inr (snd s))) (P (fst s))) (shares others)).
  { apply mean_ext; intros [i L]; cbn [fst snd].
    transitivity (mean (fun ys => G (map inl ys ++ map inr L)) (messages (v :: repeat letter i)));
      [now rewrite mean_messages_cons|].
    unfold P, view; rewrite mean_image; apply (mean_messages_below m); [apply Bi|].
    intros ys Hys; apply HG, Permutation_app_tail, Permutation_map; symmetry; now apply listed_histogram. }
  rewrite HJ, mean_image; cbn [fst snd].
  rewrite (labels_in_shares m letter [v] others); apply mean_ext; intros [i L]; cbn [fst List.app].
  rewrite mean_swap; apply (view_ext_total m); [apply Bi|]; intros c _ Hc.
  rewrite Hc; cbn [length pred]; rewrite repeat_length, mean_bind; reflexivity.
Qed.

(** ** Counts of messages *)

Lemma view_drawn {T D} k (draw : T -> law D) (J : D -> law nat) (K : T -> law nat) ts f :
  (forall t g, mean g (K t) = mean g (bind (draw t) J)) ->
  mean f (view k (map K ts)) = mean f (bind (messages (map draw ts)) (fun ds => view k (map J ds))).
Proof.
  intros H; rewrite mean_bind; revert f; induction ts as [|t ts IH]; intros f; [cbn; ring|].
  cbn [map]; rewrite view_cons, H, mean_bind, mean_messages_cons; apply mean_ext; intros d.
  rewrite (mean_ext _ _ (J d) (fun y => IH (fun c => f (increment y c)))), mean_swap; apply mean_ext; intros ds.
  cbn [map]; now rewrite view_cons.
Qed.

Definition good (x : R * law nat) : Prop := 0 <= fst x <= 1 /\ is_law (snd x).

(** Every other user sends, with a weight of their own, a letter drawn from [letter], or else a leftover of
    their own: by one channel the counts of the letters tell as much as the messages, whatever the victim's letter. *)
Theorem letters_tell_all k m (letter : law nat) (K : nat -> law nat) (users : list (law nat)) (others : list (R * law nat)) :
  below m letter -> (forall y, is_law (K y)) -> Forall good others ->
  Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) users others ->
  exists channel : counts -> law counts, (forall c, is_law (channel c)) /\
    forall v, below m v -> forall f, mean f (view k (bind v K :: users)) =
      mean f (bind (view m (v :: map (label m letter) others)) channel).
Proof.
  intros Bl LK G H.
  set (J := fun d : nat + {L : law nat | is_law L} => match d with inl y => K y | inr L => proj1_sig L end).
  (* Who sends a leftover, and which one, says nothing about the victim. *)
  assert (O : exists os : list (R * {L : law nat | is_law L}), Forall weighs os /\
    map (label m letter) os = map (label m letter) others /\
    Forall2 (fun u o => forall g, mean g u = mean g (bind (symbol letter o) J)) users os).
  { clear -G H; induction H as [|u [w L] users others Hu H IH]; [exists []; repeat constructor|].
    apply Forall_cons_iff in G as [[Hw LL] G]; destruct (IH G) as (os & W & E & F).
    exists ((w, exist _ L LL) :: os); split; [now constructor|]; split; [cbn [map]; now rewrite E|].
    constructor; [|exact F]; intros g; rewrite Hu; unfold symbol; cbn [fst snd].
    rewrite !mean_bind, mean_app, mean_image, mean_weighted; cbn; ring. }
  destruct O as (os & W & L & F).
  destruct (letters_channel m letter os (fun ds => view k (map J ds)) Bl W) as [channel [LC HC]].
  { intros ds; apply view_is_law, Forall_map, Forall_forall; intros [y|[X LX]] _; cbn; auto. }
  { intros ds es P f; now apply view_permutation, Permutation_map. }
  exists channel; split; [exact LC|]; intros u Bu f; rewrite <- L, <- (HC u Bu).
  transitivity (mean f (view k (map (fun us => bind us J) (image inl u :: map (symbol letter) os)))).
  - apply view_same; cbn [map]; apply Forall2_cons.
    + intros g; rewrite !mean_bind, mean_image; reflexivity.
    + rewrite map_map; clear -F; induction F; constructor; assumption.
  - rewrite (view_drawn k (fun us => us) J) by reflexivity; now rewrite map_id.
Qed.

(** The victim sends a letter drawn from v or, with the other data, from v', by K. Every other user sends,
    with a weight of their own, a letter drawn from [letter], or else a leftover of their own. *)
Theorem letters_reduction k m (letter : law nat) (K : nat -> law nat) v v'
    (users : list (law nat)) (others : list (R * law nat)) E :
  below m letter -> (forall y, is_law (K y)) -> below m v -> below m v' -> Forall good others ->
  Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) users others ->
  hockey_stick same_counts (view k (bind v K :: users)) (view k (bind v' K :: users)) E
  <= hockey_stick same_counts (view m (v :: map (label m letter) others))
       (view m (v' :: map (label m letter) others)) E.
Proof.
  intros Bl LK Bv Bv' G H.
  destruct (letters_tell_all k m letter K users others Bl LK G H) as [channel [LC D]].
  rewrite (hockey_stick_ext _ _ _ _ _ _ (D v Bv) (D v' Bv')); now apply randomized_post_processing.
Qed.

(** The reduction to letters, where the victim does so with weight a, and else sends the same. *)
Theorem reduction_to_letters k m (letter : law nat) (K : nat -> law nat) a V V' v v' rest
    (users : list (law nat)) (others : list (R * law nat)) E :
  below m letter -> (forall y, is_law (K y)) -> Forall is_law users ->
  below m v -> below m v' -> is_law rest -> 0 <= a <= 1 -> 1 <= E ->
  mixes V a (bind v K) rest -> mixes V' a (bind v' K) rest ->
  Forall good others ->
  Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) users others ->
  hockey_stick same_counts (view k (V :: users)) (view k (V' :: users)) E
  <= a * hockey_stick same_counts (view m (v :: map (label m letter) others))
      (view m (v' :: map (label m letter) others)) E.
Proof.
  intros Bl LK LU Bv Bv' LR Ha HE HV HV' G H.
  eapply Rle_trans; [apply (partly_same k V V' a (bind v K) (bind v' K) rest); assumption|].
  apply Rmult_le_compat_l; [apply Ha | now apply letters_reduction].
Qed.

(** ** Shuffled, then drawn *)

Lemma mean_symbols_certain {T A} (h : T -> A) ts f :
  mean f (messages (map (fun t => certain (h t)) ts)) = f (map h ts).
Proof.
  revert f; induction ts as [|t ts IH]; intros f; [cbn; ring|].
  cbn [map]; rewrite mean_messages_cons; cbn [mean certain]; rewrite IH; ring.
Qed.

Lemma insertions_drawn {T A} (draw : T -> law A) t ts f :
  total (map (fun zs => mean f (messages (map draw zs))) (insertions t ts)) =
  mean (fun a => mean (fun ys => total (map f (insertions a ys))) (messages (map draw ts))) (draw t).
Proof.
  revert f; induction ts as [|s ts IH]; intros f.
  - cbn [insertions map total]; rewrite mean_messages_cons, Rplus_0_r; apply mean_ext; intros a; cbn; ring.
  - cbn [insertions map total]; rewrite map_map; cbn [map].
    rewrite (total_ext (fun zs => mean f (messages (draw s :: map draw zs)))
      (fun zs => mean (fun b => mean (fun ys => f (b :: ys)) (messages (map draw zs))) (draw s)))
      by (intros; apply mean_messages_cons).
    rewrite <- mean_total, (mean_ext _ _ (draw s) (fun b => IH (fun ys => f (b :: ys)))), mean_swap.
    rewrite mean_messages_cons, <- mean_plus; apply mean_ext; intros a.
    rewrite !mean_messages_cons, <- mean_plus; apply mean_ext; intros b.
    rewrite <- mean_plus; apply mean_ext; intros ys; cbn [insertions map total]; now rewrite map_map.
Qed.

(** To shuffle and then to draw for each is to draw for each and then to shuffle. *)
Theorem relabelled {T A} (draw : T -> law A) ts (f : list A -> R) :
  mean (fun zs => mean f (messages (map draw zs))) (permuted ts) =
  mean (fun ys => mean f (permuted ys)) (messages (map draw ts)).
Proof.
  revert f; induction ts as [|t ts IH]; intros f; [cbn; ring|].
  cbn [permuted map]; rewrite mean_bind, mean_messages_cons.
  assert (I : forall zs, mean (fun us => mean f (messages (map draw us))) (inserted t zs) =
    mean (fun a => mean (fun ys => mean f (inserted a ys)) (messages (map draw zs))) (draw t)).
  { intros zs; rewrite mean_inserted, insertions_drawn, <- mean_scale; apply mean_ext; intros a.
    rewrite <- mean_scale; apply mean_messages_length; intros ys Hys; rewrite map_length in Hys.
    now rewrite mean_inserted, Hys. }
  rewrite (mean_ext _ _ _ I), mean_swap; apply mean_ext; intros a; rewrite IH; apply mean_ext; intros ys.
  cbn [permuted]; now rewrite mean_bind.
Qed.

(** ** Randomizers that see all earlier messages *)

(** The i-th randomizer on the i-th datum. *)
Definition on_data {X A} (randomizers : list (list A -> X -> law A)) (data : list X) : list (list A -> law A) :=
  map (fun x past => fst x past (snd x)) (combine randomizers data).

(** The data in a uniformly random order, then processed in sequence. *)
Definition shuffled {X A} (randomizers : list (list A -> X -> law A)) (data : list X) : law (list A) :=
  bind (permuted data) (fun zs => run (on_data randomizers zs) []).

Lemma on_data_is_law {X A} (randomizers : list (list A -> X -> law A)) data past :
  Forall (fun K => forall past x, is_law (K past x)) randomizers -> is_law (run (on_data randomizers data) past).
Proof.
  intros H; apply run_is_law; revert data; induction H as [|K Ks HK H IH]; intros [|x data]; try constructor.
  - intros p; apply HK.
  - apply IH.
Qed.

Lemma shuffled_order_blind {X A} (randomizers : list (list A -> X -> law A)) :
  order_blind (shuffled randomizers).
Proof. intros ys zs H f; unfold shuffled; rewrite !mean_bind; now apply permuted_order_blind. Qed.

(** Every randomizer's law is a mixture of laws of its own, with weights that do not depend on the
    randomizer or on the past. *)
Lemma run_drawn {T X D A} (datum : T -> X) (draw : T -> law D)
    (pairs : list ((list A -> X -> law A) * (list A -> D -> law A))) ts past f :
  (forall t, mean (fun _ => 1) (draw t) = 1) ->
  Forall (fun p => forall past t f, mean f (fst p past (datum t)) = mean f (bind (draw t) (snd p past))) pairs ->
  mean f (run (on_data (map fst pairs) (map datum ts)) past) =
  mean (fun ds => mean f (run (on_data (map snd pairs) ds) past)) (messages (map draw ts)).
Proof.
  intros L H; revert ts past; induction H as [|[K J] pairs HK H IH]; intros ts past.
  - cbn; rewrite Rplus_0_r, Rmult_1_l, mean_constant; [reflexivity|].
    clear -L; induction ts as [|t ts IH]; [cbn; ring|]; cbn [map]; rewrite mean_messages_cons, mean_constant; auto.
  - destruct ts as [|t ts]; [cbn; ring|].
    change (on_data (map fst ((K, J) :: pairs)) (map datum (t :: ts)))
      with ((fun past => K past (datum t)) :: on_data (map fst pairs) (map datum ts)).
    cbn [run map]; rewrite mean_bind, (HK past t), mean_bind, mean_messages_cons; apply mean_ext; intros d.
    rewrite (mean_ext _ _ _ (fun y => IH ts (y :: past))), mean_swap; apply mean_ext; intros ds.
    symmetry; apply (mean_bind f (J past d)).
Qed.

Theorem shuffled_drawn {T X D A} (datum : T -> X) (draw : T -> law D)
    (pairs : list ((list A -> X -> law A) * (list A -> D -> law A))) ts f :
  (forall t, mean (fun _ => 1) (draw t) = 1) ->
  Forall (fun p => forall past t f, mean f (fst p past (datum t)) = mean f (bind (draw t) (snd p past))) pairs ->
  mean f (shuffled (map fst pairs) (map datum ts)) =
  mean f (bind (messages (map draw ts)) (shuffled (map snd pairs))).
Proof.
  intros L H; unfold shuffled; rewrite !mean_bind.
  pose proof (relabelled (fun t => certain (datum t)) ts (fun zs => mean f (run (on_data (map fst pairs) zs) []))) as R.
  rewrite mean_symbols_certain in R; rewrite <- R.
  rewrite (mean_ext (A := list T) _ (fun zs => mean (fun ds => mean f (run (on_data (map snd pairs) ds) []))
    (messages (map draw zs)))) by (intros zs; rewrite mean_symbols_certain; now apply run_drawn).
  rewrite relabelled; apply mean_ext; intros ys; now rewrite mean_bind.
Qed.
