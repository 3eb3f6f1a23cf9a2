(** * The user with the largest budget is worst off (Liu et al. 2024, Section 3.3), with binary randomized response

    The victim's two laws of the number of a message, the second times E, have a difference that is first positive and then
    negative; independent bits keep that, so that some initial segment is the best event. If the victim and another user
    exchange their budgets x <= x1, the difference gains mass that moves towards 0.

    The statement is exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Arith.
Require Import ExactDP Lemmas RandomizedResponse ResponseOrders.
Import ListNotations.
Open Scope R_scope.

(** Users with e^eps and an input; D where the victim holds b or the other value. *)
Definition responses (users : list (R * nat)) : list (law nat) := map (fun u => randomized_response 2 (fst u) (snd u)) users.
Definition victim_apart (x : R) (b : nat) (others : list (R * nat)) (E : R) : R :=
  hockey_stick same_counts (view 2 (responses ((x, b) :: others))) (view 2 (responses ((x, (1 - b)%nat) :: others))) E.

(** All inputs of n users; the largest D over the inputs of the others, and both orders of the victim's. *)
Fixpoint inputs (n : nat) : list (list nat) :=
  match n with 0%nat => [[]] | S n => map (cons 0%nat) (inputs n) ++ map (cons 1%nat) (inputs n) end.
Definition worst_apart (x : R) (others : list R) (E : R) : R :=
  fold_right Rmax 0 (map (fun data => Rmax (victim_apart x 0 (combine others data) E) (victim_apart x 1 (combine others data) E))
    (inputs (length others))).

(** ** The number of one message *)

Definition tells (j : nat) (u : R * nat) : R := if Nat.eq_dec (snd u) j then fst u / (fst u + 1) else 1 / (fst u + 1).
Definition number (j : nat) (users : list (law nat)) (F : nat -> R) : R := mean (fun c => F (nth j c 0%nat)) (view 2 users).
Definition later (F : nat -> R) (k : nat) : R := F (S k).
Definition is_user (u : R * nat) : Prop := 1 <= fst u /\ (snd u <= 1)%nat.

Lemma number_cons j u us F : (j <= 1)%nat -> is_user u ->
  number j (randomized_response 2 (fst u) (snd u) :: us) F = (1 - tells j u) * number j us F + tells j u * number j us (later F).
Proof.
  intros Hj [Hx Hv]; destruct u as [x v]; cbn [fst snd] in *; unfold number; rewrite view_cons.
  assert (I : forall y, (y <= 1)%nat -> mean (fun c => F (nth j (increment y c) 0%nat)) (view 2 us)
    = if Nat.eq_dec y j then mean (fun c => later F (nth j c 0%nat)) (view 2 us) else mean (fun c => F (nth j c 0%nat)) (view 2 us)).
  { intros y Hy; destruct (Nat.eq_dec y j) as [E|N]; apply view_ext; intros c Hc;
      rewrite nth_increment by lia; unfold later; now destruct (Nat.eq_dec y j). }
  cbn [randomized_response map seq mean]; rewrite (I 0%nat), (I 1%nat) by lia; unfold tells, own, other; cbn [fst snd].
  destruct j as [|[|j]]; [| |lia]; (destruct v as [|[|v]]; [| |lia]); cbn; field; lra.
Qed.

(** The difference of the victim's two laws, among others: a at 0 and b at 1 more. *)
Definition difference (j : nat) (a b : R) (us : list (law nat)) (F : nat -> R) : R := a * number j us F + b * number j us (later F).

(** First positive, from kappa on negative. *)
Definition turns (D : (nat -> R) -> R) (kappa : nat) : Prop :=
  (forall F, (forall k, 0 <= F k) -> (forall k, (kappa <= k)%nat -> F k = 0) -> 0 <= D F) /\
  (forall F, (forall k, 0 <= F k) -> (forall k, (k < kappa)%nat -> F k = 0) -> D F <= 0).

Definition at_point (kappa : nat) (F : nat -> R) (k : nat) : R := if Nat.eq_dec k kappa then F k else 0.
Definition before (kappa : nat) (F : nat -> R) (k : nat) : R := if lt_dec k kappa then F k else 0.
Definition from (kappa : nat) (F : nat -> R) (k : nat) : R := if lt_dec k kappa then 0 else F k.

Lemma number_linear j us F G s t : number j us (fun k => s * F k + t * G k) = s * number j us F + t * number j us G.
Proof. unfold number; rewrite mean_plus, !mean_scale; reflexivity. Qed.

Lemma number_same j us F G : (forall k, F k = G k) -> number j us F = number j us G.
Proof. intros H; unfold number; apply mean_ext; intros c; apply H. Qed.

Lemma difference_linear j a b us F G s t :
  difference j a b us (fun k => s * F k + t * G k) = s * difference j a b us F + t * difference j a b us G.
Proof.
  unfold difference; rewrite number_linear.
  rewrite (number_same j us (later (fun k => s * F k + t * G k)) (fun k => s * later F k + t * later G k)) by reflexivity.
  rewrite number_linear; ring.
Qed.

Lemma difference_same j a b us F G : (forall k, F k = G k) -> difference j a b us F = difference j a b us G.
Proof. intros H; unfold difference; now rewrite (number_same j us F G), (number_same j us (later F) (later G)) by (intros; apply H). Qed.

Lemma difference_cons j a b u us F : (j <= 1)%nat -> is_user u ->
  difference j a b (randomized_response 2 (fst u) (snd u) :: us) F
  = (1 - tells j u) * difference j a b us F + tells j u * difference j a b us (later F).
Proof. intros Hj Hu; unfold difference; rewrite !number_cons by assumption; ring. Qed.

Lemma tells_between j u : is_user u -> 0 <= tells j u <= 1.
Proof.
  intros [Hx _]; unfold tells; destruct Nat.eq_dec; split;
    try (apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]);
    apply (Rmult_le_reg_r (fst u + 1)); try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma difference_turns j a b us : (j <= 1)%nat -> 0 <= a -> b <= 0 -> Forall is_user us ->
  exists kappa, turns (difference j a b (responses us)) kappa.
Proof.
  intros Hj Ha Hb H; induction H as [|u us Hu H [kappa [IH0 IH1]]].
  - exists 1%nat; assert (N : nth j [0; 0]%nat 0%nat = 0%nat) by (destruct j as [|[|j]]; reflexivity || lia).
    split; intros F P Z; unfold difference, number; cbn [responses map]; rewrite !view_nil; cbn [repeat]; rewrite !N.
    + unfold later; rewrite (Z 1%nat) by lia; pose proof (P 0%nat).
      assert (0 <= a * F 0%nat) by (apply Rmult_le_pos; lra); lra.
    + unfold later; rewrite (Z 0%nat) by lia; pose proof (P 1%nat).
      assert (0 <= - b * F 1%nat) by (apply Rmult_le_pos; lra); lra.
  - pose proof (tells_between j u Hu) as T; set (D := difference j a b (responses us)) in *.
    assert (C : forall F, difference j a b (responses (u :: us)) F = (1 - tells j u) * D F + tells j u * D (later F))
      by (intros F; apply difference_cons; assumption).
    set (one := fun k => if Nat.eq_dec k kappa then 1 else 0).
    set (v := (1 - tells j u) * D one + tells j u * D (later one)).
    assert (Low : forall F, (forall k, 0 <= F k) -> (forall k, (kappa <= k)%nat -> F k = 0) ->
      0 <= (1 - tells j u) * D F + tells j u * D (later F)).
    { intros F P Z; assert (0 <= D F) by (apply IH0; assumption).
      assert (0 <= D (later F)) by (apply IH0; unfold later; intros; [apply P | apply Z; lia]).
      assert (0 <= (1 - tells j u) * D F) by (apply Rmult_le_pos; lra); assert (0 <= tells j u * D (later F)) by (apply Rmult_le_pos; lra); lra. }
    assert (High : forall F, (forall k, 0 <= F k) -> (forall k, (k < S kappa)%nat -> F k = 0) ->
      (1 - tells j u) * D F + tells j u * D (later F) <= 0).
    { intros F P Z; assert (D F <= 0) by (apply IH1; [assumption | intros; apply Z; lia]).
      assert (D (later F) <= 0) by (apply IH1; unfold later; intros; [apply P | apply Z; lia]).
      assert (0 <= (1 - tells j u) * - D F) by (apply Rmult_le_pos; lra); assert (0 <= tells j u * - D (later F)) by (apply Rmult_le_pos; lra); lra. }
    assert (Split : forall F G s, (forall k, F k = s * one k + G k) ->
      (1 - tells j u) * D F + tells j u * D (later F) = s * v + ((1 - tells j u) * D G + tells j u * D (later G))).
    { intros F G s Q; unfold v, D.
      rewrite (difference_same j a b (responses us) F (fun k => s * one k + 1 * G k)) by (intros; rewrite Q; ring).
      rewrite (difference_same j a b (responses us) (later F) (fun k => s * later one k + 1 * later G k)) by (intros; unfold later; rewrite Q; ring).
      rewrite !difference_linear; ring. }
    destruct (Rle_dec 0 v) as [V|V].
    + exists (S kappa); split; intros F P Z; rewrite C; [|now apply High].
      rewrite (Split F (fun k => if Nat.eq_dec k kappa then 0 else F k) (F kappa)).
      * assert (0 <= F kappa * v) by (apply Rmult_le_pos; [apply P | exact V]).
        enough (0 <= (1 - tells j u) * D (fun k => if Nat.eq_dec k kappa then 0 else F k)
          + tells j u * D (later (fun k => if Nat.eq_dec k kappa then 0 else F k))) by lra.
        apply Low; intros k; destruct (Nat.eq_dec k kappa); try lra; [apply P | intros Hk; apply Z; lia].
      * intros k; unfold one; destruct (Nat.eq_dec k kappa) as [->|]; ring.
    + apply Rnot_le_lt in V; exists kappa; split; intros F P Z; rewrite C; [now apply Low|].
      rewrite (Split F (fun k => if Nat.eq_dec k kappa then 0 else F k) (F kappa)).
      * assert (0 <= F kappa * - v) by (apply Rmult_le_pos; [apply P | lra]).
        enough ((1 - tells j u) * D (fun k => if Nat.eq_dec k kappa then 0 else F k)
          + tells j u * D (later (fun k => if Nat.eq_dec k kappa then 0 else F k)) <= 0) by lra.
        apply High; intros k; destruct (Nat.eq_dec k kappa); try lra; [apply P | intros Hk; apply Z; lia].
      * intros k; unfold one; destruct (Nat.eq_dec k kappa) as [->|]; ring.
Qed.

(** ** The exchange *)

Lemma users_are_laws us : Forall is_user us -> Forall is_law (responses us).
Proof. intros H; apply Forall_map; eapply Forall_impl; [|exact H]; intros u [Hx Hv]; apply response_is_law; [lia | lra]. Qed.

Lemma users_below us : Forall (below 2) (responses us).
Proof. apply Forall_map, Forall_forall; intros u _; apply response_below. Qed.

Lemma number_le j us F G : Forall is_user us -> (forall k, F k <= G k) -> number j (responses us) F <= number j (responses us) G.
Proof. intros H L; apply mean_le; [apply view_is_law, users_are_laws, H | intros c; apply L]. Qed.

(** Of so many messages the number of one tells that of the other. *)
Definition with_number (j n k : nat) : counts := if Nat.eq_dec j 0 then [k; n - k]%nat else [n - k; k]%nat.

Lemma event_of_number j us S : (j <= 1)%nat ->
  prob S (view 2 (responses us)) = number j (responses us) (fun k => indicator S (with_number j (length us) k)).
Proof.
  intros Hj; unfold prob, number; apply (view_ext_total 2); [apply users_below|]; intros c Hc Hs.
  unfold responses in Hs; rewrite map_length in Hs.
  destruct c as [|k [|k' [|z c]]]; try discriminate; cbn in Hs; unfold with_number.
  destruct j as [|[|j]]; [| |lia]; cbn.
  - now replace (length us - k)%nat with k' by lia.
  - now replace (length us - k')%nat with k by lia.
Qed.

Definition gain (x E : R) : R := (x - E) / (x + 1).
Definition lack (x E : R) : R := (1 - E * x) / (x + 1).

Lemma victim_difference x b us E F : (b <= 1)%nat -> 1 <= x ->
  number (1 - b) (responses ((x, b) :: us)) F - E * number (1 - b) (responses ((x, (1 - b)%nat) :: us)) F
  = difference (1 - b) (gain x E) (lack x E) (responses us) F.
Proof.
  intros Hb Hx; cbn [responses map]; fold (responses us).
  rewrite (number_cons (1 - b) (x, b)), (number_cons (1 - b) (x, (1 - b)%nat)) by (first [lia | split; cbn [fst snd]; [lra | lia]]).
  unfold difference, tells, gain, lack; cbn [fst snd].
  destruct (Nat.eq_dec b (1 - b)) as [e|_]; [lia|]; destruct (Nat.eq_dec (1 - b) (1 - b)) as [_|e]; [|lia]; field; lra.
Qed.

Lemma first_best D (kappa : nat) F :
  (forall F G s t, D (fun k => s * F k + t * G k) = s * D F + t * D G) -> (forall F G, (forall k, F k = G k) -> D F = D G) ->
  turns D kappa -> (forall k, 0 <= F k <= 1) -> D F <= D (before kappa (fun _ => 1)).
Proof.
  intros L X [T0 T1] HF.
  assert (Q : D F = D (before kappa F) + D (from kappa F)).
  { rewrite (X F (fun k => 1 * before kappa F k + 1 * from kappa F k)); [rewrite L; ring|].
    intros k; unfold before, from; destruct (lt_dec k kappa); ring. }
  assert (D (from kappa F) <= 0).
  { apply T1; intros k; unfold from; destruct (lt_dec k kappa); try lra; [apply HF | intros; lia]. }
  assert (0 <= D (before kappa (fun k => 1 - F k))).
  { apply T0; intros k; unfold before; destruct (lt_dec k kappa); try lra; [specialize (HF k); lra | intros; lia]. }
  assert (D (before kappa (fun k => 1 - F k)) = D (before kappa (fun _ => 1)) - D (before kappa F)).
  { rewrite (X (before kappa (fun k => 1 - F k)) (fun k => 1 * before kappa (fun _ => 1) k + (- 1) * before kappa F k)); [rewrite L; ring|].
    intros k; unfold before; destruct (lt_dec k kappa); ring. }
  lra.
Qed.

Lemma exchanged x x1 E b c rest :
  1 <= x -> x <= x1 -> 1 <= E -> (b <= 1)%nat -> (c <= 1)%nat -> Forall is_user rest ->
  victim_apart x b ((x1, c) :: rest) E <= victim_apart x1 b ((x, c) :: rest) E.
Proof.
  intros Hx H1 HE Hb Hc HR; set (j := (1 - b)%nat); assert (Hj : (j <= 1)%nat) by (unfold j; lia).
  assert (U : forall y, 1 <= y -> Forall is_user ((y, c) :: rest)) by (intros y Hy; constructor; [split; cbn; lra || lia | exact HR]).
  assert (EX : 1 <= E * x) by (replace 1 with (1 * 1) by ring; apply Rmult_le_compat; lra).
  assert (B : lack x E <= 0).
  { unfold lack, Rdiv; assert (0 < / (x + 1)) by (apply Rinv_0_lt_compat; lra).
    enough (0 <= (E * x - 1) * / (x + 1)) by lra; apply Rmult_le_pos; lra. }
  assert (Event : forall x' us S, 1 <= x' -> prob S (view 2 (responses ((x', b) :: us))) - E * prob S (view 2 (responses ((x', (1 - b)%nat) :: us)))
    = difference j (gain x' E) (lack x' E) (responses us) (fun k => indicator S (with_number j (Datatypes.S (length us)) k))).
  { intros x' us S Hx'; rewrite !(event_of_number j) by exact Hj; cbn [length]; now apply victim_difference. }
  assert (I : forall (S : counts -> bool) z, 0 <= indicator S z <= 1) by (intros S z; unfold indicator; destruct (S z); lra).
  destruct (Rle_dec (gain x E) 0) as [A|A].
  - eapply Rle_trans; [|apply hockey_stick_nonnegative]; apply below_every_event; intros S.
    pose proof (Event x ((x1, c) :: rest) S Hx) as V; unfold difference in V.
    assert (P : forall F, (forall k, 0 <= F k) -> 0 <= number j (responses ((x1, c) :: rest)) F).
    { intros F HF; apply Rle_trans with (number j (responses ((x1, c) :: rest)) (fun k => 0 * F k + 0 * F k)).
      - rewrite number_linear; lra.
      - apply number_le; [apply U; lra | intros k; specialize (HF k); lra]. }
    set (F := fun k => indicator S (with_number j (Datatypes.S (length ((x1, c) :: rest))) k)) in V.
    assert (0 <= - gain x E * number j (responses ((x1, c) :: rest)) F) by (apply Rmult_le_pos; [lra | apply P; intros; apply (I S)]).
    assert (0 <= - lack x E * number j (responses ((x1, c) :: rest)) (later F)) by (apply Rmult_le_pos; [lra | apply P; intros; apply (I S)]).
    lra.
  - apply Rnot_le_lt in A; destruct (difference_turns j (gain x E) (lack x E) ((x1, c) :: rest) Hj ltac:(lra) B (U x1 ltac:(lra))) as [kappa T].
    set (F := before kappa (fun _ => 1)).
    apply Rle_trans with (difference j (gain x1 E) (lack x1 E) (responses ((x, c) :: rest)) F).
    + apply below_every_event; intros e; pose proof (Event x ((x1, c) :: rest) e Hx) as V.
      enough (difference j (gain x E) (lack x E) (responses ((x1, c) :: rest)) (fun k => indicator e (with_number j (S (length ((x1, c) :: rest))) k))
        <= difference j (gain x1 E) (lack x1 E) (responses ((x, c) :: rest)) F) by lra.
      eapply Rle_trans; [apply (first_best _ kappa); [apply difference_linear | apply difference_same | exact T | intros; apply I]|]; fold F.
      cbn [responses map]; fold (responses rest).
      rewrite (difference_cons j _ _ (x1, c)), (difference_cons j _ _ (x, c)) by (try assumption; split; cbn; lra || lia).
      unfold difference.
      set (n0 := number j (responses rest) F); set (n1 := number j (responses rest) (later F)); set (n2 := number j (responses rest) (later (later F))).
      assert (N1 : n1 <= n0) by (apply number_le; [exact HR|]; intros k; unfold later, F, before; destruct (lt_dec (S k) kappa), (lt_dec k kappa); lra || lia).
      assert (N2 : n2 <= n1) by (apply number_le; [exact HR|]; intros k; unfold later, F, before; destruct (lt_dec (S (S k)) kappa), (lt_dec (S k) kappa); lra || lia).
      assert (P : 0 < / ((x + 1) * (x1 + 1))) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
      unfold tells; cbn [fst snd]; destruct (Nat.eq_dec c j) as [Ec|Ec].
      * assert (0 <= (x1 - x) * / ((x + 1) * (x1 + 1)) * (n0 - n1)) by (repeat apply Rmult_le_pos; lra).
        assert (0 <= (x1 - x) * / ((x + 1) * (x1 + 1)) * (n1 - n2)) by (repeat apply Rmult_le_pos; lra).
        enough (Q : (1 - x / (x + 1)) * (gain x1 E * n0 + lack x1 E * n1) + x / (x + 1) * (gain x1 E * n1 + lack x1 E * n2)
          - ((1 - x1 / (x1 + 1)) * (gain x E * n0 + lack x E * n1) + x1 / (x1 + 1) * (gain x E * n1 + lack x E * n2))
          = (x1 - x) * / ((x + 1) * (x1 + 1)) * (n0 - n1) + (x1 - x) * / ((x + 1) * (x1 + 1)) * (n1 - n2)) by lra.
        unfold gain, lack; field; lra.
      * assert (0 <= E * (x1 - x) * / ((x + 1) * (x1 + 1)) * (n0 - n1)) by (repeat apply Rmult_le_pos; lra).
        assert (0 <= E * (x1 - x) * / ((x + 1) * (x1 + 1)) * (n1 - n2)) by (repeat apply Rmult_le_pos; lra).
        enough (Q : (1 - 1 / (x + 1)) * (gain x1 E * n0 + lack x1 E * n1) + 1 / (x + 1) * (gain x1 E * n1 + lack x1 E * n2)
          - ((1 - 1 / (x1 + 1)) * (gain x E * n0 + lack x E * n1) + 1 / (x1 + 1) * (gain x E * n1 + lack x E * n2))
          = E * (x1 - x) * / ((x + 1) * (x1 + 1)) * (n0 - n1) + E * (x1 - x) * / ((x + 1) * (x1 + 1)) * (n1 - n2)) by lra.
        unfold gain, lack; field; lra.
    + pose proof (proj1 (hockey_stick_largest same_counts (view 2 (responses ((x1, b) :: (x, c) :: rest)))
        (view 2 (responses ((x1, (1 - b)%nat) :: (x, c) :: rest))) E) (fun z => if lt_dec (nth j z 0%nat) kappa then true else false)) as Q.
      unfold victim_apart; eapply Rle_trans; [|exact Q]; right.
      rewrite (Event x1) by lra; apply difference_same; intros k; unfold F, before, indicator, with_number.
      destruct (Nat.eq_dec j 0) as [->|Nj]; [cbn [nth]; now destruct (lt_dec k kappa)|].
      replace j with 1%nat by lia; cbn [nth]; now destruct (lt_dec k kappa).
Qed.

(** ** The worst inputs *)

Lemma inputs_are n d : In d (inputs n) -> length d = n /\ Forall (fun v => (v <= 1)%nat) d.
Proof.
  revert d; induction n as [|n IH]; intros d H; cbn in H; [destruct H as [<-|[]]; now split|].
  apply in_app_or in H as [H|H]; apply in_map_iff in H as [d' [<- H]]; destruct (IH d' H) as [L F];
    (split; [cbn; now rewrite L | now constructor]) || (split; [cbn; now rewrite L | constructor; [lia | exact F]]).
Qed.

Lemma largest_grows {A} (f g : A -> R) l :
  (forall d, In d l -> f d <= g d) -> fold_right Rmax 0 (map f l) <= fold_right Rmax 0 (map g l).
Proof.
  induction l as [|d l IH]; intros H; cbn; [lra|]; apply Rmax_lub.
  - eapply Rle_trans; [apply H; now left | apply Rmax_l].
  - eapply Rle_trans; [apply IH; intros; apply H; now right | apply Rmax_r].
Qed.

Theorem liu2024_worst_case_budget (exp_epsilon1 : R) (exp_epsilon_i : R) (others : list R) (exp_epsilon : R) :
  1 <= exp_epsilon1 -> 1 <= exp_epsilon_i -> exp_epsilon_i <= exp_epsilon1 -> Forall (fun x => 1 <= x) others ->
  1 <= exp_epsilon ->
  worst_apart exp_epsilon_i (exp_epsilon1 :: others) exp_epsilon <= worst_apart exp_epsilon1 (exp_epsilon_i :: others) exp_epsilon.
Proof.
  intros _ Hx H1 HO HE; apply largest_grows; cbn [length]; intros d Hd; destruct (inputs_are _ _ Hd) as [L F].
  destruct d as [|c d]; [discriminate|]; apply Forall_cons_iff in F as [Hc F]; cbn [combine].
  assert (U : Forall is_user (combine others d)).
  { apply Forall_forall; intros [x v] I; split; cbn [fst snd].
    - exact (proj1 (Forall_forall _ _) HO x (in_combine_l _ _ _ _ I)).
    - exact (proj1 (Forall_forall _ _) F v (in_combine_r _ _ _ _ I)). }
  apply Rmax_lub; (eapply Rle_trans; [apply exchanged; try eassumption; try lia; lra|]); [apply Rmax_l | apply Rmax_r].
Qed.
