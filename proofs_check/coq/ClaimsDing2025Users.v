(** * Ding, Lu, Yang and Zhang (2025), Section 3: the answer of a query, and what a secret says of it

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Noise.
Import ListNotations.
Open Scope R_scope.

(** ** Lists without one entry *)

Definition removed {A} (i : nat) (l : list A) : list A := firstn i l ++ skipn (S i) l.

Theorem ding2025_repair_complement (D : list R) (i : nat) : (2 <= length D)%nat -> (i < length D)%nat ->
    total (removed i D) = (total D) - (nth i D 0).
Proof.
  intros _ I; revert i I; induction D as [|x D IH]; intros [|i] I; cbn [length] in I; try lia; [cbn; ring|].
  change (removed (S i) (x :: D)) with (x :: removed i D); cbn [total nth]; rewrite IH by lia; ring.
Qed.

(** ** What users send, and the answer *)

(** An absent user sends nothing. *)
Definition sent (u : law R * R) : law (option R) := weighted (snd u) (image Some (fst u)) ++ weighted (1 - snd u) (certain None).
Definition reports (V : system) : law (list (option R)) := messages (map sent (users V)).
Definition adds (y : option R) : R := match y with Some t => t | None => 0 end.
Definition answer (ys : list (option R)) : R := total (map adds ys).
Definition presence (V : system) (i : nat) : R := snd (nth i (users V) (certain 0, 1)).

Definition absent (y : option R) : bool := match y with Some _ => false | None => true end.
Definition present (y : option R) : bool := negb (absent y).
Definition is_value (a : R) (y : option R) : bool := match y with Some t => at_ Req_EM_T a t | None => false end.

(** The probability of an event and an answer; that of an answer, given what a secret says of user i. *)
Definition joint (V : system) (event : list (option R) -> bool) (x : R) : R :=
  prob (fun ys => event ys && at_ Req_EM_T x (answer ys)) (reports V).
Definition given (V : system) (i : nat) (own : option R -> bool) (x : R) : R :=
  joint V (fun ys => own (nth i ys None)) x / prob (fun ys => own (nth i ys None)) (reports V).
Definition only_absent (i : nat) (ys : list (option R)) : bool := absent (nth i ys None) && forallb present (removed i ys).

(** What the others add: all of them present, or each by its probability. *)
Definition others_present (V : system) (i : nat) : law R := sum_of (map fst (removed i (users V))).
Definition others_at_random (V : system) (i : nat) : law R := sum_of (map if_present (removed i (users V))).
Definition all_others (V : system) (i : nat) : R := fold_right (fun u w => snd u * w) 1 (removed i (users V)).

Lemma one_user (f : option R -> list (option R) -> R) us i d : (i < length us)%nat ->
  mean (fun ys => f (nth i ys None) (removed i ys)) (messages us)
  = mean (fun y => mean (f y) (messages (removed i us))) (nth i us d).
Proof.
  revert f i; induction us as [|u us IH]; intros f [|i] I; cbn in I; try lia; cbn [messages nth].
  - rewrite mean_bind; apply mean_ext; intros y; now rewrite mean_image.
  - rewrite mean_bind; cbn [removed firstn skipn app messages].
    rewrite (mean_ext _ (fun z => mean (fun y => mean (fun ys => f y (z :: ys)) (messages (removed i us))) (nth i us d)) u).
    + rewrite mean_swap; apply mean_ext; intros y; rewrite mean_bind; apply mean_ext; intros z; now rewrite mean_image.
    + intros z; rewrite mean_image; exact (IH (fun y ys => f y (z :: ys)) i ltac:(lia)).
Qed.

Lemma answer_apart i ys : answer ys = adds (nth i ys None) + answer (removed i ys).
Proof.
  revert i; induction ys as [|y ys IH]; intros i; [destruct i; unfold answer; cbn; ring|].
  destruct i; [reflexivity|]; specialize (IH i); unfold answer in *; cbn [map total nth] in *.
  change (removed (S i) (y :: ys)) with (y :: removed i ys); cbn [map total]; rewrite IH; ring.
Qed.

Lemma removed_map {A B} (f : A -> B) i l : removed i (map f l) = map f (removed i l).
Proof. unfold removed; now rewrite map_app, firstn_map, skipn_map. Qed.

Lemma mean_sent f u : mean f (sent u) = snd u * mean (fun t => f (Some t)) (fst u) + (1 - snd u) * f None.
Proof. unfold sent; rewrite mean_app, !mean_weighted, mean_image; cbn; ring. Qed.

Lemma mean_if_present f u : mean f (if_present u) = snd u * mean f (fst u) + (1 - snd u) * f 0.
Proof. unfold if_present; rewrite mean_app, !mean_weighted; cbn; ring. Qed.

Lemma answers_at_random (h : R -> R) us :
  mean (fun ys => h (answer ys)) (messages (map sent us)) = mean h (sum_of (map if_present us)).
Proof.
  revert h; induction us as [|u us IH]; intros h; cbn [map messages sum_of fold_right].
  - unfold answer; cbn; ring.
  - rewrite mean_bind; fold (sum_of (map if_present us)); rewrite mean_plus_law.
    rewrite (mean_ext _ (fun y => mean (fun z => h (adds y + z)) (sum_of (map if_present us))) (sent u)).
    + rewrite mean_sent, mean_if_present; reflexivity.
    + intros y; rewrite mean_image, <- (IH (fun z => h (adds y + z))); reflexivity.
Qed.

Lemma answers_of_all (h : R -> R) us :
  mean (fun ys => indicator (forallb present) ys * h (answer ys)) (messages (map sent us))
  = fold_right (fun u w => snd u * w) 1 us * mean h (sum_of (map fst us)).
Proof.
  revert h; induction us as [|u us IH]; intros h; cbn [map messages sum_of fold_right].
  - unfold answer, indicator; cbn; ring.
  - rewrite mean_bind; fold (sum_of (map fst us)); rewrite mean_plus_law.
    rewrite (mean_ext _ (fun y => indicator present y
      * (fold_right (fun u w => snd u * w) 1 us * mean (fun z => h (adds y + z)) (sum_of (map fst us)))) (sent u)).
    + rewrite mean_sent; unfold indicator; cbn [present absent negb adds].
      rewrite (mean_ext (fun t => 1 * (fold_right (fun u w => snd u * w) 1 us * mean (fun z => h (t + z)) (sum_of (map fst us))))
        (fun t => fold_right (fun u w => snd u * w) 1 us * mean (fun z => h (t + z)) (sum_of (map fst us)))) by (intros; ring).
      rewrite mean_scale; ring.
    + intros y; rewrite mean_image, <- IH, <- mean_scale; apply mean_ext; intros ys; unfold indicator, answer; cbn.
      destruct (present y); cbn; ring.
Qed.

Lemma mass_plus P G x : mass Req_EM_T (plus P G) x = mean (fun t => mean (fun z => indicator (at_ Req_EM_T x) (t + z)) G) P.
Proof. unfold mass, prob; now rewrite mean_plus_law. Qed.

Lemma joint_own V i own x : (i < length (users V))%nat ->
  joint V (fun ys => own (nth i ys None)) x
  = mean (fun y => indicator own y * mass Req_EM_T (plus (certain (adds y)) (others_at_random V i)) x)
      (sent (nth i (users V) (certain 0, 1))).
Proof.
  intros I; set (f := fun y rest => indicator own y * indicator (at_ Req_EM_T x) (adds y + answer rest)).
  transitivity (mean (fun ys => f (nth i ys None) (removed i ys)) (messages (map sent (users V)))).
  2: { rewrite (one_user f _ i (sent (certain 0, 1))) by (now rewrite map_length); rewrite (map_nth sent).
    apply mean_ext; intros y; unfold f; rewrite removed_map, mean_scale, mass_plus; f_equal.
    rewrite (answers_at_random (fun z => indicator (at_ Req_EM_T x) (adds y + z))).
    cbn [mean certain]; unfold others_at_random; ring. }
  apply mean_ext; intros ys; unfold f; rewrite <- (answer_apart i ys); unfold indicator.
  destruct (own (nth i ys None)); cbn; ring.
Qed.

Lemma prob_own V i own : (i < length (users V))%nat -> is_system V ->
  prob (fun ys => own (nth i ys None)) (reports V) = mean (indicator own) (sent (nth i (users V) (certain 0, 1))).
Proof.
  intros I [_ S]; set (f := fun (y : option R) (_ : list (option R)) => indicator own y).
  change (mean (fun ys => f (nth i ys None) (removed i ys)) (messages (map sent (users V)))
    = mean (indicator own) (sent (nth i (users V) (certain 0, 1)))).
  rewrite (one_user f _ i (sent (certain 0, 1))) by (now rewrite map_length); rewrite (map_nth sent).
  apply mean_ext; intros y; apply (mean_constant (indicator own y)), messages_are_law; rewrite removed_map.
  apply Forall_map; rewrite Forall_forall in S; apply Forall_forall; intros u J.
  assert (In u (users V)).
  { apply in_app_or in J as [J|J]; [rewrite <- (firstn_skipn i) | rewrite <- (firstn_skipn (Datatypes.S i))]; apply in_or_app; auto. }
  destruct (S u H) as [[N M] Z]; split.
  - apply Forall_app; split; apply nonnegative_weighted; try lra; [now apply nonnegative_image | apply certain_is_law].
  - rewrite mean_sent, M; ring.
Qed.

Lemma given_as V i own x c : is_system V -> (i < length (users V))%nat ->
  0 < mean (indicator own) (sent (nth i (users V) (certain 0, 1))) ->
  mean (fun y => indicator own y * mass Req_EM_T (plus (certain (adds y)) (others_at_random V i)) x)
    (sent (nth i (users V) (certain 0, 1))) = c * mean (indicator own) (sent (nth i (users V) (certain 0, 1))) ->
  given V i own x = c.
Proof. intros S I M E; unfold given; rewrite joint_own, prob_own, E by assumption; field; lra. Qed.

Lemma given_value V i a x : is_system V -> (i < length (users V))%nat -> 0 < presence V i ->
  0 < mass Req_EM_T (report V i) a ->
  given V i (is_value a) x = mass Req_EM_T (plus (certain a) (others_at_random V i)) x.
Proof.
  intros S I Z M; apply given_as; try assumption.
  - rewrite mean_sent; change (0 < presence V i * mass Req_EM_T (report V i) a + (1 - presence V i) * 0); nra.
  - rewrite <- mean_scale; apply mean_ext; intros [t|]; unfold indicator, is_value, at_; cbn [adds]; [|ring].
    destruct (Req_EM_T a t) as [->|]; ring.
Qed.

Lemma given_absent V i x : is_system V -> (i < length (users V))%nat -> presence V i < 1 ->
  given V i absent x = mass Req_EM_T (plus (certain 0) (others_at_random V i)) x.
Proof.
  intros S I Z; apply given_as; try assumption.
  - rewrite mean_sent, (mean_ext _ (fun _ => 0 * 1)), mean_scale by (intros; unfold indicator; cbn; ring).
    unfold indicator, presence in *; cbn; lra.
  - rewrite <- mean_scale; apply mean_ext; intros [t|]; unfold indicator; cbn [absent adds]; ring.
Qed.

Lemma given_present V i x : is_system V -> (i < length (users V))%nat -> 0 < presence V i ->
  given V i present x = mass Req_EM_T (plus (report V i) (others_at_random V i)) x.
Proof.
  intros S I Z; destruct (report_is_law V i S) as [_ M]; unfold report in M; unfold presence in Z.
  assert (E : mean (indicator present) (sent (nth i (users V) (certain 0, 1))) = presence V i).
  { rewrite mean_sent, (mean_ext _ (fun _ => 1)), M by reflexivity; unfold indicator, presence; cbn; ring. }
  apply given_as; try assumption; rewrite E; [exact Z|]; rewrite mean_sent, (mass_plus (report V i)); unfold report.
  rewrite (mean_ext _ (fun t => mean (fun z => indicator (at_ Req_EM_T x) (t + z)) (others_at_random V i))).
  - change (indicator present None) with 0; unfold presence; ring.
  - intros t; change (indicator present (Some t)) with 1; rewrite mass_plus; cbn [adds mean certain]; ring.
Qed.

Theorem ding2025_repair_missing_user_law (V : system) (i : nat) (x : R) : is_system V -> (i < length
    (users V))%nat -> joint V (only_absent i) x = ((mass Req_EM_T (others_present V i) x) * (1 - (presence
    V i))) * (all_others V i).
Proof.
  intros HS I; set (f := fun y rest => indicator absent y
    * (indicator (forallb present) rest * indicator (at_ Req_EM_T x) (adds y + answer rest))).
  transitivity (mean (fun ys => f (nth i ys None) (removed i ys)) (messages (map sent (users V)))).
  2: { rewrite (one_user f _ i (sent (certain 0, 1))) by (now rewrite map_length); rewrite (map_nth sent), removed_map, mean_sent.
    rewrite (mean_ext (fun t => mean (f (Some t)) (messages (map sent (removed i (users V))))) (fun _ => 0 * 1)), mean_scale.
    - rewrite (mean_ext (f None) (fun ys => indicator (forallb present) ys * indicator (at_ Req_EM_T x) (answer ys))).
      + rewrite (answers_of_all (indicator (at_ Req_EM_T x))); unfold presence, all_others, others_present, mass, prob; ring.
      + intros ys; unfold f; change (indicator absent None) with 1; cbn [adds]; rewrite Rplus_0_l; ring.
    - intros t; unfold f; change (indicator absent (Some t)) with 0; rewrite mean_scale; ring. }
  apply mean_ext; intros ys; unfold f; rewrite <- (answer_apart i ys); unfold indicator, only_absent.
  destruct (absent (nth i ys None)), (forallb present (removed i ys)); cbn; ring.
Qed.

Theorem ding2025_repair_conditional_laws (V : system) (i : nat) (a : R) (x : R) : is_system V -> (i <
    length (users V))%nat /\ (0 < presence V i < 1) -> 0 < mass Req_EM_T (report V i) a -> given V i
    (is_value a) x = mass Req_EM_T (plus (certain a) (others_at_random V i)) x /\ given V i absent x =
    mass Req_EM_T (plus (certain 0) (others_at_random V i)) x /\ given V i present x = mass Req_EM_T (plus
    (report V i) (others_at_random V i)) x.
Proof.
  intros HS [I [Z0 Z1]] M; split; [now apply given_value|]; split; [now apply given_absent | now apply given_present].
Qed.

Theorem ding2025_remark_1 (V : system) (i : nat) (x : R) : is_system V -> (i < length (users V))%nat /\ (0
    < presence V i < 1 /\ 0 < mass Req_EM_T (report V i) 0) -> given V i absent x = given V i (is_value 0)
    x.
Proof.
  intros HS [I [[Z0 Z1] M]]; rewrite given_absent by assumption; symmetry; now apply given_value.
Qed.
