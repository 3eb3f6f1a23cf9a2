(** * Corollary 9 of Erlingsson et al. 2019, where nobody outside of the set looks at what it sent

    The randomizers see all earlier outcomes; then all outcomes are put in a uniformly random order. Those in a
    set S are the same, whatever came between; those outside of S do not depend on an outcome in S. Given the outcomes
    outside of S, which tell nothing of the data in S, those in S are of one randomizer on its data: the
    outcomes are a channel of theirs in a random order, and Theorem 7 is about these.

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Arith Bool Permutation.
Require Import ExactDP Composition AdvancedComposition Blanket Letters TwoLetters Clones Claims Swapping SwappedOrders.
Require Import ClaimsErlingsson2019.
Import ListNotations.
Open Scope R_scope.

(** A_post: the randomizers see all earlier outcomes; then all outcomes are put in a uniformly random order. *)
Definition posted {X A} (Ks : list (list A -> X -> law A)) (data : list X) : law (list A) :=
  bind (run (on_data Ks data) []) permuted.

(** Two pasts of j outcomes, the last one first, are the same at all positions outside of a set. *)
Definition agree_outside {A} (inside : nat -> bool) (j : nat) (past past' : list A) : Prop :=
  length past = j /\ length past' = j /\
  forall i, (i < j)%nat -> inside i = false -> nth_error past (j - 1 - i) = nth_error past' (j - 1 - i).

(** The randomizers and the data, and who is in S. *)
Record group_protocol (X A : Type) := { all : protocol X A; inside : nat -> bool }.
Arguments all {X A}. Arguments inside {X A}.
Definition members {X A} (g : group_protocol X A) : nat := length (filter (inside g) (seq 0 (length (steps (all g))))).

(** In S: the same, whatever came between. Outside: it depends on no outcome in S. *)
Definition same_inside {X A} (g : group_protocol X A) : Prop := forall i j K L past z f,
  (i < j)%nat -> inside g i = true -> inside g j = true -> nth_error (steps (all g)) i = Some K ->
  nth_error (steps (all g)) j = Some L -> length past = j -> mean f (K (skipn (j - i) past) z) = mean f (L past z).
Definition blind_outside {X A} (g : group_protocol X A) : Prop := forall j K past past' z f,
  inside g j = false -> nth_error (steps (all g)) j = Some K -> agree_outside (inside g) j past past' ->
  mean f (K past z) = mean f (K past' z).

(** D of all outcomes in a random order, on data sets that differ in an element in S. *)
Definition posted_apart {X A} (same : forall x y : A, {x = y} + {x <> y}) (g : group_protocol X A) (E : R) : R :=
  let p := all g in
  hockey_stick (list_eq_dec same) (posted (steps p) (before p ++ first p :: after p))
    (posted (steps p) (before p ++ second p :: after p)) E.

(** ** Runs *)

Lemma run_append {A} (Ms Ns : list (list A -> law A)) past f :
  mean f (run (Ms ++ Ns) past) = mean (fun p => mean f (run Ns p)) (run Ms past).
Proof.
  revert past; induction Ms as [|M Ms IH]; intros past; [cbn; ring|].
  cbn [List.app run]; rewrite !mean_bind; apply mean_ext; intros a; apply IH.
Qed.

Lemma run_length {A} (Ms : list (list A -> law A)) past f h :
  (forall p, length p = (length Ms + length past)%nat -> f p = h p) -> mean f (run Ms past) = mean h (run Ms past).
Proof.
  revert past; induction Ms as [|M Ms IH]; intros past H; [cbn; rewrite H; reflexivity|].
  cbn [run]; rewrite !mean_bind; apply mean_ext; intros a; apply IH; intros p Hp; apply H; cbn in *; lia.
Qed.

Lemma on_data_append {X A} (Ks Ls : list (list A -> X -> law A)) xs ys :
  length Ks = length xs -> on_data (Ks ++ Ls) (xs ++ ys) = on_data Ks xs ++ on_data Ls ys.
Proof.
  intros H; unfold on_data; rewrite <- map_app; f_equal; revert xs H.
  induction Ks as [|K Ks IH]; intros [|x xs] H; try discriminate; [reflexivity|]; cbn; f_equal; apply IH; now injection H.
Qed.

(** ** Symmetric functions of outcomes in a random order *)

Lemma total_insertions {A} (x : A) ys (g : list A -> R) : symmetric g ->
  total (map g (insertions x ys)) = INR (S (length ys)) * g (x :: ys).
Proof.
  revert g; induction ys as [|y ys IH]; intros g H; [cbn; ring|]; cbn [insertions map total]; rewrite map_map.
  rewrite (IH (fun zs => g (y :: zs))) by (intros us vs P; apply H; now constructor).
  rewrite (H (y :: x :: ys) (x :: y :: ys)) by constructor; cbn [length]; rewrite (S_INR (S (length ys))); ring.
Qed.

Lemma symmetric_permuted {A} (ys : list A) (g : list A -> R) : symmetric g -> mean g (permuted ys) = g ys.
Proof.
  revert g; induction ys as [|y ys IH]; intros g H; [cbn; ring|].
  cbn [permuted]; rewrite mean_bind, (mean_ext _ (fun zs => g (y :: zs))); [apply (IH (fun zs => g (y :: zs)))|].
  - intros us vs P; apply H; now constructor.
  - intros zs; rewrite mean_inserted, total_insertions by exact H; field; apply not_0_INR; lia.
Qed.

Lemma messages_symmetric {A} (us vs : list (law A)) : Permutation us vs -> forall g, symmetric g ->
  mean g (messages us) = mean g (messages vs).
Proof.
  intros P; induction P as [|u us vs P IH|u v us|us vs ws P IH P' IH']; intros g H.
  - reflexivity.
  - rewrite !mean_messages_cons; apply mean_ext; intros y; apply IH; intros ys zs Q; apply H; now constructor.
  - rewrite !mean_messages_cons.
    rewrite (mean_ext _ _ v (fun y => mean_messages_cons u us (fun ys => g (y :: ys)))).
    rewrite (mean_ext _ _ u (fun y => mean_messages_cons v us (fun ys => g (y :: ys)))), mean_swap.
    apply mean_ext; intros a; apply mean_ext; intros b; apply mean_ext; intros ys; apply H; constructor.
  - now rewrite IH, IH'.
Qed.

(** One randomizer that does not look back, on shuffled data. *)
Lemma run_alike {X A} (R0 : X -> law A) zs past (g : list A -> R) : symmetric g ->
  mean g (run (on_data (repeat (fun _ => R0) (length zs)) zs) past) = mean (fun ss => g (ss ++ past)) (messages (map R0 zs)).
Proof.
  intros H; revert past; induction zs as [|z zs IH]; intros past; [cbn; ring|].
  cbn [length repeat map]; rewrite mean_messages_cons.
  change (mean g (bind (R0 z) (fun a => run (on_data (repeat (fun _ => R0) (length zs)) zs) (a :: past))) =
    mean (fun y => mean (fun ss => g ((y :: ss) ++ past)) (messages (map R0 zs))) (R0 z)).
  rewrite mean_bind; apply mean_ext; intros a; rewrite IH; apply mean_ext; intros ss.
  apply H; symmetry; apply (Permutation_middle ss past a).
Qed.

Lemma shuffled_alike {X A} (R0 : X -> law A) zs (g : list A -> R) : symmetric g ->
  mean g (shuffled (repeat (fun _ => R0) (length zs)) zs) = mean g (messages (map R0 zs)).
Proof.
  intros H; unfold shuffled; rewrite mean_bind.
  rewrite (permuted_length zs _ (fun us => mean g (messages (map R0 us)))).
  - apply (symmetric_permuted zs (fun us => mean g (messages (map R0 us)))); intros us vs P; apply messages_symmetric; [now apply Permutation_map | exact H].
  - intros us L; rewrite <- L, run_alike by exact H; apply mean_ext; intros ss; now rewrite app_nil_r.
Qed.

(** ** The outcomes outside of S, and those in S *)

Section Split.
Context {X A : Type}.
Variables (inside : nat -> bool) (i0 : nat) (past0 : list A) (R0 : X -> law A) (a0 : A).

(** The outcomes outside of S, each of which sees a0 for those in S. *)
Fixpoint seen_outside (Ks : list (list A -> X -> law A)) (zs : list X) (past : list A) : law (list A) :=
  match Ks, zs with
  | K :: Ks, z :: zs =>
    if inside (length past) then seen_outside Ks zs (a0 :: past)
    else bind (K past z) (fun a => image (cons a) (seen_outside Ks zs (a :: past)))
  | _, _ => certain []
  end.
Fixpoint data_inside (j : nat) (zs : list X) : list X :=
  match zs with [] => [] | z :: zs => if inside j then z :: data_inside (S j) zs else data_inside (S j) zs end.

Lemma data_inside_length zs : forall j, length (data_inside j zs) = length (filter inside (seq j (length zs))).
Proof.
  induction zs as [|z zs IH]; intros j; [reflexivity|]; cbn [data_inside length seq filter].
  destruct (inside j); cbn [length]; now rewrite IH.
Qed.

Lemma data_inside_append ys : forall j zs, data_inside j (ys ++ zs) = data_inside j ys ++ data_inside (j + length ys) zs.
Proof.
  induction ys as [|y ys IH]; intros j zs; [cbn; now rewrite Nat.add_0_r|]; cbn [List.app data_inside length].
  rewrite IH, Nat.add_succ_comm; now destruct (inside j).
Qed.

Lemma agree_more j (past past' : list A) a b :
  agree_outside inside j past past' -> inside j = true \/ a = b -> agree_outside inside (S j) (a :: past) (b :: past').
Proof.
  intros (L & L' & H) C; split; [cbn; lia|]; split; [cbn; lia|]; intros i Hi Ni.
  destruct (Nat.eq_dec i j) as [->|N].
  - replace (S j - 1 - j)%nat with 0%nat by lia; cbn; destruct C as [C| ->]; [congruence | reflexivity].
  - replace (S j - 1 - i)%nat with (S (j - 1 - i)) by lia; cbn; apply H; [lia | exact Ni].
Qed.

Lemma outcomes_split : forall Ks zs past ghost (f : list A -> R),
  length Ks = length zs -> symmetric f ->
  (forall i K z p g, nth_error Ks i = Some K -> inside (length ghost + i) = true -> length p = (length ghost + i)%nat ->
    skipn (length p - i0) p = past0 -> mean g (K p z) = mean g (R0 z)) ->
  (forall i K z p p' g, nth_error Ks i = Some K -> inside (length ghost + i) = false ->
    agree_outside inside (length ghost + i) p p' -> mean g (K p z) = mean g (K p' z)) ->
  agree_outside inside (length ghost) past ghost -> (i0 <= length past)%nat -> skipn (length past - i0) past = past0 ->
  mean f (run (on_data Ks zs) past)
  = mean (fun os => mean (fun ss => f (ss ++ os ++ past)) (messages (map R0 (data_inside (length ghost) zs))))
      (seen_outside Ks zs ghost).
Proof.
  induction Ks as [|K Ks IH]; intros [|z zs] past ghost f L Sf HI HO C Hi HP; try discriminate; [cbn; ring|].
  pose proof C as (LP & _ & _).
  assert (Next : forall a b, inside (length ghost) = true \/ a = b -> forall f, symmetric f ->
    mean f (run (on_data Ks zs) (a :: past))
    = mean (fun os => mean (fun ss => f (ss ++ os ++ a :: past))
        (messages (map R0 (data_inside (S (length ghost)) zs)))) (seen_outside Ks zs (b :: ghost))).
  { intros a b Hab g Sg; apply (IH zs (a :: past) (b :: ghost) g); try assumption.
    - now injection L.
    - intros i K' z' p g' HK; cbn [length]; rewrite Nat.add_succ_comm; apply (HI (S i)); exact HK.
    - intros i K' z' p p' g' HK; cbn [length]; rewrite Nat.add_succ_comm; apply (HO (S i)); exact HK.
    - now apply agree_more.
    - cbn; lia.
    - cbn [length]; replace (S (length past) - i0)%nat with (S (length past - i0)) by lia; exact HP. }
  change (mean f (bind (K past z) (fun a => run (on_data Ks zs) (a :: past))) =
    mean (fun os => mean (fun ss => f (ss ++ os ++ past)) (messages (map R0 (data_inside (length ghost) (z :: zs)))))
      (seen_outside (K :: Ks) (z :: zs) ghost)).
  cbn [seen_outside data_inside]; rewrite mean_bind; destruct (inside (length ghost)) eqn:I.
  - rewrite (HI 0%nat K z past) by (rewrite ?Nat.add_0_r; auto; reflexivity).
    rewrite (mean_ext _ _ (R0 z) (fun a => Next a a0 (or_introl eq_refl) f Sf)), mean_swap; apply mean_ext; intros os.
    cbn [map]; rewrite mean_messages_cons; apply mean_ext; intros a; apply mean_ext; intros ss; apply Sf.
    rewrite !app_assoc; symmetry; apply (Permutation_middle (ss ++ os) past a).
  - rewrite (HO 0%nat K z past ghost) by (rewrite ?Nat.add_0_r; auto; reflexivity); rewrite mean_bind.
    apply mean_ext; intros a; rewrite (Next a a (or_intror eq_refl) f Sf), mean_image; apply mean_ext; intros os.
    apply mean_ext; intros ss; apply Sf; apply Permutation_app_head; symmetry; apply (Permutation_middle os past a).
Qed.

(** The data in S do not show outside of it. *)
Lemma seen_outside_same x0 x1 after : forall Ks mid ghost f, inside (length ghost + length mid) = true ->
  mean f (seen_outside Ks (mid ++ x0 :: after) ghost) = mean f (seen_outside Ks (mid ++ x1 :: after) ghost).
Proof.
  induction Ks as [|K Ks IH]; intros [|z mid] ghost f I; try reflexivity; cbn [List.app seen_outside length] in *.
  - rewrite Nat.add_0_r in I; now rewrite I.
  - destruct (inside (length ghost)); [apply IH; cbn [length]; now rewrite Nat.add_succ_comm|].
    rewrite !mean_bind; apply mean_ext; intros a; rewrite !mean_image; apply IH; cbn [length]; now rewrite Nat.add_succ_comm.
Qed.
End Split.

Lemma seen_outside_is_law {X A} inside (a0 : A) (Ks : list (list A -> X -> law A)) : forall zs past,
  Forall (fun K => forall past z, is_law (K past z)) Ks -> is_law (seen_outside inside a0 Ks zs past).
Proof.
  induction Ks as [|K Ks IH]; intros [|z zs] past H; try apply (certain_is_law (@nil A)); cbn [seen_outside].
  apply Forall_cons_iff in H as [HK H]; destruct (inside (length past)); [now apply IH|].
  apply bind_is_law; [apply HK|]; intros a; apply image_is_law; now apply IH.
Qed.

(** The first one in S. *)
Lemma first_inside (inside : nat -> bool) j : inside j = true ->
  exists i, (i <= j)%nat /\ inside i = true /\ forall i', (i' < i)%nat -> inside i' = false.
Proof.
  intros H; induction j as [j IH] using lt_wf_ind.
  destruct (existsb inside (seq 0 j)) eqn:E.
  - apply existsb_exists in E as [i [Hi I]]; apply in_seq in Hi; destruct (IH i ltac:(lia) I) as (k & Hk & K & M).
    exists k; split; [lia | now split].
  - exists j; split; [lia|]; split; [exact H|]; intros i Hi; destruct (inside i) eqn:I; [|reflexivity].
    assert (X : existsb inside (seq 0 j) = true) by (apply existsb_exists; exists i; split; [apply in_seq; lia | exact I]); congruence.
Qed.

Lemma none_before (inside : nat -> bool) i : (forall k, (k < i)%nat -> inside k = false) -> filter inside (seq 0 i) = [].
Proof.
  intros H; induction i as [|i IH]; [reflexivity|]; rewrite seq_S, filter_app, IH by (intros; apply H; lia).
  cbn; now rewrite H by lia.
Qed.

(** ** Corollary 9 *)

Theorem erlingsson2019_repair_corollary_9 {A} (same : forall x y : A, {x = y} + {x <> y}) {X : Type}
    (n : nat) (exp_epsilon0 : R) (delta : R) (group : group_protocol X A) :
  (1000 <= n)%nat -> 1 < exp_epsilon0 -> 0 < delta -> delta < 1 / 100 ->
  users (all group) = length (steps (all group)) /\ members group = n /\ inside group (length (before (all group))) = true
  /\ Forall (private_after same (ln exp_epsilon0)) (steps (all group)) /\ same_inside group /\ blind_outside group ->
  ln exp_epsilon0 < 1 / 2 ->
  posted_apart same group (exp (large_bound n exp_epsilon0 delta)) <= delta.
Proof.
  intros Hn Hx H0 H1 (U & M & I & P & SI & BO) Hl; destruct group as [[Ks before x0 x1 after] inside].
  unfold posted_apart, members, users, same_inside, blind_outside in *; cbn [all ClaimsErlingsson2019Group.inside steps Claims.before first second Claims.after] in *.
  destruct (first_inside inside (length before) I) as (i0 & Hi0 & I0 & N0).
  assert (E : exists Ks1 K0 Ks2, Ks = Ks1 ++ K0 :: Ks2 /\ length Ks1 = i0).
  { assert (B : (i0 < length Ks)%nat) by (rewrite <- U, app_length; cbn; lia).
    destruct (nth_error Ks i0) as [K0|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (nth_error_split Ks i0 E) as (Ks1 & Ks2 & -> & L); now exists Ks1, K0, Ks2. }
  destruct E as (Ks1 & K0 & Ks2 & -> & L1); set (Ks := Ks1 ++ K0 :: Ks2) in *.
  set (pre := firstn i0 before); set (mid := skipn i0 before).
  assert (LP : length pre = i0) by (apply firstn_length_le, Hi0).
  assert (LM : (i0 + length mid)%nat = length before) by (unfold mid; rewrite skipn_length; lia).
  assert (D : forall x, before ++ x :: after = pre ++ mid ++ x :: after)
    by (intros x; rewrite app_assoc; unfold pre, mid; now rewrite firstn_skipn).
  assert (LK : length (K0 :: Ks2) = length (mid ++ x0 :: after)).
  { rewrite D in U; unfold Ks in U; rewrite !app_length in U; rewrite app_length; cbn in *; lia. }
  pose proof P as P'; apply Forall_app in P as [_ P2].
  assert (LS : Forall (fun K => forall past z, is_law (K past z)) Ks)
    by (eapply Forall_impl; [|exact P']; intros K HK past z; exact (proj1 (HK past z z))).
  assert (LS2 : Forall (fun K => forall past z, is_law (K past z)) (K0 :: Ks2)) by (apply Forall_app in LS; apply LS).
  destruct (some_outcome (K0 [] x0) (proj2 (Forall_inv LS2 [] x0))) as [a0 _].
  set (inner := data_inside inside i0 mid); set (outer := data_inside inside (S (length before)) after).
  assert (DI : forall x, data_inside inside i0 (mid ++ x :: after) = inner ++ x :: outer)
    by (intros x; rewrite data_inside_append, LM; cbn [data_inside]; now rewrite I).
  assert (LD : length (inner ++ x0 :: outer) = n).
  { rewrite <- DI, data_inside_length, <- M, <- U, D, (app_length pre), LP, seq_app, filter_app, none_before by exact N0; reflexivity. }
  assert (P0 : private_after same (ln exp_epsilon0) K0) by (exact (Forall_inv P2)).
  (* Given the first outcomes past0 and those outside of S, those in S are of K0 past0 on the data in S. *)
  set (W := seen_outside inside a0 (K0 :: Ks2) (mid ++ x0 :: after)).
  set (channel := fun past0 os ss : list A => permuted (ss ++ os ++ past0)).
  set (given := fun x past0 => bind (W past0) (fun os =>
    bind (shuffled (repeat (fun _ => K0 past0) n) (inner ++ x :: outer)) (channel past0 os))).
  assert (F : forall x : X, length (mid ++ x :: after) = length (mid ++ x0 :: after) /\
    length (inner ++ x :: outer) = n) by (intros x; rewrite !app_length in *; cbn in *; split; lia).
  assert (V : forall x f, mean f (posted Ks (before ++ x :: after)) =
    mean f (bind (run (on_data Ks1 pre) []) (given x))).
  { intros x f; unfold posted; rewrite D; unfold Ks; rewrite on_data_append by congruence; rewrite !mean_bind, run_append.
    apply run_length; intros past0 L; unfold on_data in L; rewrite map_length, combine_length in L; cbn [length] in L.
    assert (L0 : length past0 = i0) by lia; clear L.
    set (g := fun ys => mean f (permuted ys)).
    assert (Sg : symmetric g) by (intros ys zs Q; now apply permuted_order_blind).
    rewrite (outcomes_split inside i0 past0 (K0 past0) a0 (K0 :: Ks2) (mid ++ x :: after) past0 past0 g); try assumption.
    - unfold given; rewrite mean_bind; unfold W.
      rewrite L0, DI, (seen_outside_same inside a0 x x0) by (rewrite L0, LM; exact I).
      apply mean_ext; intros os; rewrite mean_bind; rewrite <- (proj2 (F x)) at 1.
      rewrite (shuffled_alike (K0 past0) _ (fun ss => mean f (channel past0 os ss))); [reflexivity|].
      intros ys zs Q; apply (permuted_order_blind (ys ++ os ++ past0) (zs ++ os ++ past0)); now apply Permutation_app_tail.
    - rewrite (proj1 (F x)); exact LK.
    - intros i K z p h HK In Lp HP; rewrite L0 in *; destruct i as [|i].
      + cbn in HK; injection HK as <-; rewrite Nat.add_0_r in Lp; rewrite Lp, Nat.sub_diag in HP; cbn in HP; now subst p.
      + rewrite <- (SI i0 (i0 + S i)%nat K0 K p z h); try assumption; try lia.
        * replace (i0 + S i - i0)%nat with (length p - i0)%nat by lia; now rewrite HP.
        * unfold Ks; rewrite nth_error_app2 by lia; now rewrite L1, Nat.sub_diag.
        * unfold Ks; rewrite nth_error_app2 by lia; rewrite L1; replace (i0 + S i - i0)%nat with (S i) by lia; exact HK.
    - intros i K z p p' h HK In C; rewrite L0 in *; apply (BO (i0 + i)%nat K p p'); try assumption.
      unfold Ks; rewrite nth_error_app2 by lia; rewrite L1; replace (i0 + i - i0)%nat with i by lia; exact HK.
    - split; [reflexivity|]; split; [reflexivity|]; reflexivity.
    - lia.
    - now rewrite L0, Nat.sub_diag. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (V x0) (V x1)).
  assert (LR : is_law (run (on_data Ks1 pre) [])) by (apply on_data_is_law; apply Forall_app in LS; apply LS).
  destruct LR as [NR MR]; eapply Rle_trans; [now apply mixed_pairs|].
  apply Rle_trans with (mean (fun _ => delta * 1) (run (on_data Ks1 pre) [])); [|rewrite mean_scale, MR; lra].
  apply mean_le; [exact NR|]; intros past0; unfold given.
  assert (LW : is_law (W past0)) by (apply seen_outside_is_law, LS2); destruct LW as [NW MW].
  eapply Rle_trans; [now apply mixed_pairs|]; rewrite Rmult_1_r.
  apply Rle_trans with (mean (fun _ => delta * 1) (W past0)); [|rewrite mean_scale, MW; lra].
  apply mean_le; [exact NW|]; intros os; rewrite Rmult_1_r.
  eapply Rle_trans; [apply (randomized_post_processing (list_eq_dec same)); intros ss; apply permuted_is_law|].
  pose proof (erlingsson2019_theorem_7_large same n exp_epsilon0 delta
    {| steps := repeat (fun _ => K0 past0) n; Claims.before := inner; first := x0; second := x1; Claims.after := outer |}) as T.
  apply T; try assumption; cbn [steps users Claims.before first Claims.after]; split; [exact LD|]; split; [apply repeat_length|].
  apply Forall_forall; intros K HK; apply repeat_spec in HK; subst K; intros past z z'; apply P0.
Qed.
