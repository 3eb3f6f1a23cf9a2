(** * What the sparse vector technique costs: claims

    Each theorem is a claim of the catalog, its statement exported from the claim's own form. Scales: b1 of the noise on
    the threshold, b2 of that on each answer. *)

From Coq Require Import Reals List Lra Lia.
Require Import SparseVector.
Import ListNotations.
Open Scope R_scope.

(** Answers on neighboring data: each differs by at most 1; all are at most 1 more, or all at most 1 less. *)
Fixpoint near_by (answers neighbor : list R) : Prop :=
  match answers, neighbor with
  | [], [] => True
  | q :: answers, q' :: neighbor => Rabs (q - q') <= 1 /\ near_by answers neighbor
  | _, _ => False
  end.
Fixpoint rising (answers neighbor : list R) : Prop :=
  match answers, neighbor with
  | [], [] => True
  | q :: answers, q' :: neighbor => (0 <= q' - q /\ q' - q <= 1) /\ rising answers neighbor
  | _, _ => False
  end.
Definition near_monotone (answers neighbor : list R) : Prop := rising answers neighbor \/ rising neighbor answers.

(** Which answers are above, up to the c-th that is. *)
Fixpoint is_report (c : nat) (answers : list R) (report : list bool) {struct report} : Prop :=
  match c with
  | 0%nat => report = []
  | S c' =>
    match answers, report with
    | [], [] => True
    | _ :: answers, r :: report => is_report (if r then c' else c) answers report
    | _, _ => False
    end
  end.

Lemma near_pairs answers : forall neighbor, near_by answers neighbor -> Forall2 (fun q q' => Rabs (q - q') <= 1) answers neighbor.
Proof. induction answers as [|q l IH]; intros [|q' l'] H; cbn in H; try contradiction; constructor; [|apply IH]; apply H. Qed.

Lemma rising_pairs answers : forall neighbor, rising answers neighbor -> Forall2 (fun q q' => 0 <= q' - q <= 1) answers neighbor.
Proof. induction answers as [|q l IH]; intros [|q' l'] H; cbn in H; try contradiction; constructor; [|apply IH]; apply H. Qed.

Lemma one_way answers neighbor : near_monotone answers neighbor -> near_one_way answers neighbor.
Proof.
  intros [H|H]; [left; now apply rising_pairs | right].
  assert (F := rising_pairs _ _ H); clear H; induction F; constructor; auto.
Qed.

Lemma above_at_most report : forall c answers, is_report c answers report -> (count_above report <= c)%nat.
Proof.
  induction report as [|r report IH]; intros [|c] answers H; cbn in *; try lia; [discriminate|].
  destruct answers as [|q answers]; [contradiction|]; apply IH in H; unfold count_above in *; destruct r; cbn; lia.
Qed.

Lemma scales_general b1 b2 c answers neighbor report : 0 < b1 -> 0 < b2 -> near_by answers neighbor -> is_report c answers report ->
  report_probability b1 b2 answers report <= exp (1 / b1 + INR c * 2 / b2) * report_probability b1 b2 neighbor report.
Proof. intros H1 H2 N R; apply shifted_report; try assumption; [now apply (above_at_most report c answers) | now apply near_pairs]. Qed.

Lemma scales_monotone b1 b2 c answers neighbor report : 0 < b1 -> 0 < b2 -> near_monotone answers neighbor -> is_report c answers report ->
  report_probability b1 b2 answers report <= exp (1 / b1 + INR c * 1 / b2) * report_probability b1 b2 neighbor report.
Proof. intros H1 H2 N R; apply monotone_report; try assumption; [now apply (above_at_most report c answers) | now apply one_way]. Qed.

Lemma positive_count c : (1 <= c)%nat -> 0 < INR c.
Proof. intros H; apply lt_0_INR; lia. Qed.

Lemma scale_positive a epsilon : 0 < a -> 0 < epsilon -> 0 < a / epsilon.
Proof. intros; apply Rmult_lt_0_compat; [assumption | now apply Rinv_0_lt_compat]. Qed.

(** ** New noise for the answers that are told *)

(** The probability that no answer above is told as more than x. *)
Fixpoint told_at_most (b x : R) (answers : list R) (report : list bool) : R :=
  match answers, report with
  | q :: answers, r :: report => (if r then laplace_cdf ((x - q) / b) else 1) * told_at_most b x answers report
  | _, _ => 1
  end.

Lemma cdf_mirrored y : laplace_cdf (- y) = 1 - laplace_cdf y.
Proof.
  unfold laplace_cdf; destruct (Rle_dec y 0), (Rle_dec (- y) 0); rewrite ?Ropp_involutive; try lra.
  assert (y = 0) as -> by lra; rewrite Ropp_0, exp_0; lra.
Qed.

Lemma cdf_moved y s t : Rabs s <= t -> laplace_cdf y <= exp t * laplace_cdf (y + s).
Proof.
  intros H; assert (T : 0 <= t) by (pose proof (Rabs_pos s); lra); apply Coquelicot.Rcomplements.Rabs_le_between in H.
  assert (E : 1 <= exp t) by (rewrite <- exp_0; now apply exp_rises).
  destruct (Rle_dec 0 s) as [S|S].
  - apply Rle_trans with (laplace_cdf (y + s)); [now apply cdf_rises|]; pose proof (cdf_between (y + s)).
    assert (1 * laplace_cdf (y + s) <= exp t * laplace_cdf (y + s)) by (apply Rmult_le_compat_r; lra); lra.
  - pose proof (tail_falls (- y) (- s) ltac:(lra)) as F; replace (- y + - s) with (- (y + s)) in F by ring; rewrite !cdf_mirrored in F.
    apply Rle_trans with (exp (- s) * laplace_cdf (y + s)); [lra|]; apply Rmult_le_compat_r; [apply cdf_between | apply exp_rises; lra].
Qed.

Lemma told_nonnegative b x report : forall answers, 0 <= told_at_most b x answers report.
Proof.
  induction report as [|r report IH]; intros [|q answers]; cbn; try lra; apply Rmult_le_pos; [|apply IH].
  destruct r; [apply cdf_between | lra].
Qed.

Lemma told_moved b x report : 0 < b -> forall answers neighbor, near_by answers neighbor ->
  told_at_most b x answers report <= exp (INR (count_above report) / b) * told_at_most b x neighbor report.
Proof.
  intros Hb; assert (I : 0 < / b) by (now apply Rinv_0_lt_compat).
  assert (Pos : forall k, 1 <= exp (INR k / b)).
  { intros k; rewrite <- exp_0; apply exp_rises; apply Rmult_le_pos; [apply pos_INR | lra]. }
  induction report as [|r report IH]; intros [|q answers] [|q' neighbor] H; cbn [near_by] in H; try contradiction; cbn [told_at_most];
    try (rewrite Rmult_1_r; apply Pos).
  destruct H as [H HN]; apply Rle_trans with
    ((exp ((if r then 1 else 0) / b) * (if r then laplace_cdf ((x - q') / b) else 1)) * (exp (INR (count_above report) / b) * told_at_most b x neighbor report)).
  - apply Rmult_le_compat; [destruct r; [apply cdf_between | lra] | apply told_nonnegative | | now apply IH].
    destruct r; [|unfold Rdiv; rewrite Rmult_0_l, exp_0; lra].
    replace ((x - q') / b) with ((x - q) / b + (q - q') / b) by (field; lra); apply cdf_moved.
    unfold Rdiv; rewrite Rabs_mult, (Rabs_right (/ b)) by lra; apply Rmult_le_compat_r; lra.
  - right; replace (exp (INR (count_above (r :: report)) / b)) with (exp ((if r then 1 else 0) / b) * exp (INR (count_above report) / b)).
    + ring.
    + rewrite <- exp_plus; f_equal; unfold count_above; destruct r; cbn [filter length]; [rewrite S_INR|]; unfold Rdiv; ring.
Qed.

(** ** New noise on the threshold after each answer above *)

(** With the answers, and what was reported of them, since the last one above. *)
Fixpoint renewed_since (b1 b2 : R) (before : list R) (below : list bool) (answers : list R) (report : list bool) : R :=
  match answers, report with
  | q :: answers, true :: report =>
    report_probability b1 b2 (before ++ [q]) (below ++ [true]) * renewed_since b1 b2 [] [] answers report
  | q :: answers, false :: report => renewed_since b1 b2 (before ++ [q]) (below ++ [false]) answers report
  | _, _ => report_probability b1 b2 before below
  end.
Definition renewed_probability (b1 b2 : R) (answers : list R) (report : list bool) : R :=
  renewed_since b1 b2 [] [] answers report.

Lemma probability_nonnegative b1 b2 answers report : 0 < b1 -> 0 <= report_probability b1 b2 answers report.
Proof.
  intros H; destruct (line_integral (report_density b1 b2 answers report) 1) as (l & Il & U & _).
  - intros; apply continuous_report.
  - intros; now apply report_nonnegative.
  - intros; now apply report_bounded.
  - unfold report_probability; rewrite (line_is _ l Il); specialize (U 0 ltac:(lra)).
    rewrite Ropp_0, Coquelicot.RInt.RInt_point in U; exact U.
Qed.

Lemma renewed_nonnegative b1 b2 report : 0 < b1 -> forall before below answers, 0 <= renewed_since b1 b2 before below answers report.
Proof.
  intros H; induction report as [|[|] report IH]; intros before below [|q answers]; cbn [renewed_since];
    try (now apply probability_nonnegative).
  - apply Rmult_le_pos; [now apply probability_nonnegative | apply IH].
  - apply IH.
Qed.

Lemma renewed_moved b1 b2 report : 0 < b1 -> 0 < b2 -> forall c before before' below answers neighbor,
  is_report c answers report -> near_by answers neighbor -> (c = 0%nat -> before = [] /\ before' = []) ->
  Forall2 (fun q q' => Rabs (q - q') <= 1) before before' -> count_above below = 0%nat ->
  renewed_since b1 b2 before below answers report
  <= exp (INR c * (1 / b1 + 2 / b2)) * renewed_since b1 b2 before' below neighbor report.
Proof.
  intros H1 H2; assert (I1 : 0 < / b1) by (now apply Rinv_0_lt_compat); assert (I2 : 0 < / b2) by (now apply Rinv_0_lt_compat).
  induction report as [|r report IH]; intros c before before' below answers neighbor R N C F Z.
  - assert (E : forall qs, renewed_since b1 b2 before below qs [] = report_probability b1 b2 before below
      /\ renewed_since b1 b2 before' below qs [] = report_probability b1 b2 before' below) by (intros [|? ?]; split; reflexivity).
    rewrite (proj1 (E answers)), (proj2 (E neighbor)); destruct c as [|c].
    + destruct (C eq_refl) as [-> ->]; rewrite Rmult_0_l, exp_0; lra.
    + eapply Rle_trans; [apply (shifted_report b1 b2 0 before before' below H1 H2); [lia | exact F]|].
      apply Rmult_le_compat_r; [now apply probability_nonnegative|]; apply exp_rises; rewrite S_INR.
      assert (0 <= INR c * (1 / b1 + 2 / b2)) by (apply Rmult_le_pos; [apply pos_INR | unfold Rdiv; lra]); cbn; unfold Rdiv in *; lra.
  - destruct c as [|c]; [discriminate R|]; destruct answers as [|q answers]; [contradiction|]; destruct neighbor as [|q' neighbor]; [contradiction|].
    cbn [near_by] in N; destruct N as [Nq N]; cbn [is_report] in R.
    assert (F' : Forall2 (fun q q' => Rabs (q - q') <= 1) (before ++ [q]) (before' ++ [q'])) by (apply Forall2_app; [exact F | constructor; [exact Nq | constructor] ]).
    assert (Cn : forall x, count_above (below ++ [x]) = (if x then 1 else 0)%nat).
    { intros x; unfold count_above in *; rewrite filter_app, app_length, Z; destruct x; reflexivity. }
    destruct r; cbn [renewed_since].
    + rewrite S_INR; replace ((INR c + 1) * (1 / b1 + 2 / b2)) with ((1 / b1 + INR 1 * 2 / b2) + INR c * (1 / b1 + 2 / b2)) by (cbn; field; lra).
      rewrite exp_plus.
      apply Rle_trans with ((exp (1 / b1 + INR 1 * 2 / b2) * report_probability b1 b2 (before' ++ [q']) (below ++ [true]))
        * (exp (INR c * (1 / b1 + 2 / b2)) * renewed_since b1 b2 [] [] neighbor report)); [|right; ring].
      apply Rmult_le_compat; [now apply probability_nonnegative | now apply renewed_nonnegative | |].
      * apply shifted_report; try assumption; rewrite Cn; lia.
      * apply IH; auto.
    + apply IH; try assumption; [discriminate | now rewrite Cn].
Qed.

(** ** The claims *)

Theorem sparse_vector_scales
    (threshold_scale : R) (query_scale : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < threshold_scale -> 0 < query_scale -> (1 <= c)%nat -> near_by answers neighbor -> is_report c answers report ->
  report_probability threshold_scale query_scale answers report
  <= (exp ((1 / threshold_scale) + ((2 * (INR c)) / query_scale))) * (report_probability threshold_scale query_scale neighbor report).
Proof. intros H1 H2 _ N R; rewrite (Rmult_comm 2); now apply scales_general. Qed.

Theorem sparse_vector_scales_monotone
    (threshold_scale : R) (query_scale : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < threshold_scale -> 0 < query_scale -> (1 <= c)%nat -> near_monotone answers neighbor -> is_report c answers report ->
  report_probability threshold_scale query_scale answers report
  <= (exp ((1 / threshold_scale) + ((1 * (INR c)) / query_scale))) * (report_probability threshold_scale query_scale neighbor report).
Proof. intros H1 H2 _ N R; rewrite (Rmult_comm 1); now apply scales_monotone. Qed.

Theorem sparse_vector_algorithm_1
    (epsilon : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < epsilon -> (1 <= c)%nat -> near_by answers neighbor -> is_report c answers report ->
  report_probability (2 / epsilon) ((4 * (INR c)) / epsilon) answers report
  <= (exp epsilon) * (report_probability (2 / epsilon) ((4 * (INR c)) / epsilon) neighbor report).
Proof.
  intros He Hc N R; pose proof (positive_count c Hc).
  replace (exp epsilon) with (exp (1 / (2 / epsilon) + INR c * 2 / (4 * INR c / epsilon))) by (f_equal; field; lra).
  apply scales_general; try assumption; apply scale_positive; lra.
Qed.

Theorem sparse_vector_algorithm_1_monotone
    (epsilon : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < epsilon -> (1 <= c)%nat -> near_monotone answers neighbor -> is_report c answers report ->
  report_probability (2 / epsilon) ((2 * (INR c)) / epsilon) answers report
  <= (exp epsilon) * (report_probability (2 / epsilon) ((2 * (INR c)) / epsilon) neighbor report).
Proof.
  intros He Hc N R; pose proof (positive_count c Hc).
  replace (exp epsilon) with (exp (1 / (2 / epsilon) + INR c * 1 / (2 * INR c / epsilon))) by (f_equal; field; lra).
  apply scales_monotone; try assumption; apply scale_positive; lra.
Qed.

Theorem sparse_vector_algorithm_2
    (epsilon : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < epsilon -> (1 <= c)%nat -> near_by answers neighbor -> is_report c answers report ->
  renewed_probability ((2 * (INR c)) / epsilon) ((4 * (INR c)) / epsilon) answers report
  <= (exp epsilon) * (renewed_probability ((2 * (INR c)) / epsilon) ((4 * (INR c)) / epsilon) neighbor report).
Proof.
  intros He Hc N R; pose proof (positive_count c Hc).
  replace (exp epsilon) with (exp (INR c * (1 / (2 * INR c / epsilon) + 2 / (4 * INR c / epsilon)))) by (f_equal; field; lra).
  apply renewed_moved; try assumption; try reflexivity; try (apply scale_positive; lra); [now split | constructor].
Qed.

Theorem sparse_vector_algorithm_4
    (epsilon : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) :
  0 < epsilon -> (1 <= c)%nat -> (c <= 1)%nat -> near_monotone answers neighbor -> is_report c answers report ->
  report_probability (4 / epsilon) ((4 / 3) / epsilon) answers report
  <= (exp epsilon) * (report_probability (4 / epsilon) ((4 / 3) / epsilon) neighbor report).
Proof.
  intros He H1 H2 N R; assert (c = 1)%nat as -> by lia.
  replace (exp epsilon) with (exp (1 / (4 / epsilon) + INR 1 * 1 / (4 / 3 / epsilon))) by (f_equal; cbn; field; lra).
  apply scales_monotone; try assumption; apply scale_positive; lra.
Qed.

Theorem sparse_vector_numerical
    (epsilon : R) (c : nat) (answers : list R) (neighbor : list R) (report : list bool) (x : R) :
  0 < epsilon -> (1 <= c)%nat -> near_by answers neighbor -> is_report c answers report ->
  (report_probability (3 / epsilon) ((6 * (INR c)) / epsilon) answers report)
    * (told_at_most ((3 * (INR c)) / epsilon) x answers report)
  <= (exp epsilon) * ((report_probability (3 / epsilon) ((6 * (INR c)) / epsilon) neighbor report)
    * (told_at_most ((3 * (INR c)) / epsilon) x neighbor report)).
Proof.
  intros He Hc N R; pose proof (positive_count c Hc) as P.
  assert (P1 : 0 < 3 / epsilon) by (apply scale_positive; lra); assert (P2 : 0 < 6 * INR c / epsilon) by (apply scale_positive; lra).
  assert (P3 : 0 < 3 * INR c / epsilon) by (apply scale_positive; lra).
  pose proof (scales_general _ _ c answers neighbor report P1 P2 N R) as S; pose proof (told_moved _ x report P3 answers neighbor N) as T.
  assert (B : exp (INR (count_above report) / (3 * INR c / epsilon)) <= exp (epsilon / 3)).
  { apply exp_rises; pose proof (above_at_most report c answers R) as A; apply le_INR in A.
    replace (epsilon / 3) with (INR c / (3 * INR c / epsilon)) by (field; lra).
    apply Rmult_le_compat_r; [now apply Rlt_le, Rinv_0_lt_compat | exact A]. }
  replace (exp epsilon) with (exp (1 / (3 / epsilon) + INR c * 2 / (6 * INR c / epsilon)) * exp (epsilon / 3))
    by (rewrite <- exp_plus; f_equal; field; lra).
  set (E := exp (1 / (3 / epsilon) + INR c * 2 / (6 * INR c / epsilon))) in *.
  replace (E * exp (epsilon / 3) * (report_probability (3 / epsilon) (6 * INR c / epsilon) neighbor report * told_at_most (3 * INR c / epsilon) x neighbor report))
    with ((E * report_probability (3 / epsilon) (6 * INR c / epsilon) neighbor report) * (exp (epsilon / 3) * told_at_most (3 * INR c / epsilon) x neighbor report)) by ring.
  apply Rmult_le_compat; [now apply probability_nonnegative | apply told_nonnegative | exact S|].
  eapply Rle_trans; [exact T|]; apply Rmult_le_compat_r; [apply told_nonnegative | exact B].
Qed.
