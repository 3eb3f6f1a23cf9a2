(** * Surveys of sets of items

    n_k users of each level k hold sets of items, i.i.d.; each sends its items with probability lambda_k, and
    blanket slots beside them; the server takes n m/d away from the count of an item and divides by the signal.
    - [count_mean], [estimate_mean]: the estimate is unbiased;
    - [count_variance_is]: the variance of the count of an item;
    - [total_variance_is], [squared_error_is]: the sums over all items.

    Source: Wang, Chen, Zeng, Yang, Jiang, Ye, Yu, Mei, Huang, Yang, Xin 2024, Section 5.2. *)

From Coq Require Import Reals List Lra Lia Bool.
Require Import ExactDP Lemmas Blanket RandomizedResponse Measures Sampled.
Import ListNotations.
Open Scope R_scope.

(** ** Means and variances of a count *)

Definition sized (d : nat) (P : law counts) : Prop := Forall (fun x => length (fst x) = d) P.
Definition count_of (j : nat) (c : counts) : R := INR (nth j c 0%nat).
Definition count_mean (j : nat) (P : law counts) : R := mean (count_of j) P.
Definition count_variance (j : nat) (P : law counts) : R := mean (fun c => count_of j c ^ 2) P - count_mean j P ^ 2.

Lemma mean_sized d (P : law counts) (f g : counts -> R) : sized d P -> (forall c : counts, length c = d -> f c = g c) -> mean f P = mean g P.
Proof. intros H E; induction H as [|[c w] P Hc H IH]; cbn in *; [reflexivity | now rewrite IH, E]. Qed.

(** That the masses sum to 1, however the type of outcomes is written. *)
Ltac ones M := match type of M with @mean _ _ ?P = 1 =>
  repeat match goal with |- context [@mean ?T (fun _ => 1) P] => replace (@mean T (fun _ => 1) P) with 1 by (symmetry; exact M) end end.

Lemma view_sized d us : sized d (view d us).
Proof. apply Forall_map, Forall_forall; intros [ys w] _; apply histogram_length. Qed.

Lemma bind_sized {A} d (P : law A) K : (forall a, sized d (K a)) -> sized d (bind P K).
Proof.
  intros H; induction P as [|[a w] P IH]; cbn; [constructor|]; apply Forall_app; split; [|exact IH].
  apply Forall_map; eapply Forall_impl; [|exact (H a)]; now intros [c x].
Qed.

(** Independent counts add up. *)
Definition added (P Q : law counts) : law counts := bind P (fun c => image (plus_counts c) Q).

Lemma plus_length c d : length c = length d -> length (plus_counts c d) = length d.
Proof. revert d; induction c as [|m c IH]; intros [|n d] H; try discriminate; cbn; [reflexivity | rewrite IH; cbn in *; lia]. Qed.

Lemma nth_plus j c d : length c = length d -> nth j (plus_counts c d) 0%nat = (nth j c 0 + nth j d 0)%nat.
Proof.
  revert j d; induction c as [|m c IH]; intros j [|n d] H; try discriminate; [now destruct j|].
  destruct j as [|j]; cbn; [reflexivity | apply IH; cbn in H; lia].
Qed.

Lemma added_sized d P Q : sized d P -> sized d Q -> sized d (added P Q).
Proof.
  intros HP HQ; unfold added; induction HP as [|[c w] P Hc HP IH]; cbn; [constructor|]; apply Forall_app; split; [|exact IH].
  apply Forall_map, Forall_map; eapply Forall_impl; [|exact HQ]; intros [e x] He; cbn in *.
  rewrite plus_length; lia.
Qed.

Lemma moments_added j d P Q : sized d P -> sized d Q -> mean (fun _ => 1) P = 1 -> mean (fun _ => 1) Q = 1 ->
  mean (fun _ => 1) (added P Q) = 1 /\ count_mean j (added P Q) = count_mean j P + count_mean j Q /\
  count_variance j (added P Q) = count_variance j P + count_variance j Q.
Proof.
  intros HP HQ MP MQ.
  assert (E1 : count_mean j (added P Q) = count_mean j P + count_mean j Q).
  { unfold count_mean, added; rewrite mean_bind.
    rewrite (mean_sized d P _ (fun c => count_of j c + mean (count_of j) Q * 1)); [rewrite mean_plus, mean_scale; ones MP; ring | exact HP|].
    intros c Hc; rewrite mean_image, (mean_sized d Q _ (fun e => count_of j c * 1 + count_of j e)); [rewrite mean_plus, mean_scale; ones MQ; ring | exact HQ|].
    intros e He; unfold count_of; rewrite nth_plus, plus_INR by lia; ring. }
  split; [|split; [exact E1|]].
  - unfold added; rewrite mean_bind, (mean_ext _ (fun _ => 1)); [exact MP|]; intros c; now rewrite mean_image.
  - unfold count_variance; rewrite E1.
    assert (E2 : mean (fun c => count_of j c ^ 2) (added P Q) =
      mean (fun c => count_of j c ^ 2) P + 2 * count_mean j P * count_mean j Q + mean (fun c => count_of j c ^ 2) Q).
    { unfold added; rewrite mean_bind.
      rewrite (mean_sized d P _ (fun c => count_of j c ^ 2 + (2 * count_mean j Q * count_of j c + mean (fun e => count_of j e ^ 2) Q * 1)));
        [rewrite !mean_plus, !mean_scale; ones MP; unfold count_mean; ring | exact HP|].
      intros c Hc; rewrite mean_image, (mean_sized d Q _ (fun e => count_of j c ^ 2 * 1 + (2 * count_of j c * count_of j e + count_of j e ^ 2)));
        [rewrite !mean_plus, !mean_scale; ones MQ; unfold count_mean; ring | exact HQ|].
      intros e He; unfold count_of; rewrite nth_plus, plus_INR by lia; ring. }
    rewrite E2; ring.
Qed.

(** One message, and many independent ones. *)
Lemma moments_of_view j d us : (j < d)%nat -> Forall (fun u => mean (fun _ => 1) u = 1) us ->
  mean (fun _ => 1) (view d us) = 1 /\
  count_mean j (view d us) = total (map (fun u => mass Nat.eq_dec u j) us) /\
  count_variance j (view d us) = total (map (fun u => mass Nat.eq_dec u j * (1 - mass Nat.eq_dec u j)) us).
Proof.
  intros Hj H; induction H as [|u us Hu H (M & E1 & V)].
  - unfold count_variance, count_mean; rewrite !view_nil; unfold count_of; rewrite nth_repeat; cbn; repeat split; ring.
  - set (p := mass Nat.eq_dec u j).
    assert (I : forall y c, length c = d -> count_of j (increment y c) = count_of j c + indicator (at_ Nat.eq_dec j) y).
    { intros y c Hc; unfold count_of; rewrite nth_increment by lia; unfold indicator, at_.
      destruct (Nat.eq_dec y j), (Nat.eq_dec j y); try congruence; rewrite ?S_INR; ring. }
    assert (F : mean (count_of j) (view d (u :: us)) = p + count_mean j (view d us)).
    { rewrite view_cons, (mean_ext _ (fun y => indicator (at_ Nat.eq_dec j) y + count_mean j (view d us) * 1)).
      - rewrite mean_plus, mean_scale; ones Hu; unfold p, mass, prob; ring.
      - intros y; rewrite (view_ext d us _ (fun c => count_of j c + indicator (at_ Nat.eq_dec j) y * 1)) by (intros c Hc; rewrite I by exact Hc; ring).
        rewrite mean_plus, mean_scale; ones M; unfold count_mean; ring. }
    assert (G : mean (fun c => count_of j c ^ 2) (view d (u :: us)) =
      mean (fun c => count_of j c ^ 2) (view d us) + 2 * p * count_mean j (view d us) + p).
    { rewrite view_cons, (mean_ext _ (fun y => mean (fun c => count_of j c ^ 2) (view d us) * 1
        + (2 * count_mean j (view d us) + 1) * indicator (at_ Nat.eq_dec j) y)).
      - rewrite mean_plus, !mean_scale; ones Hu; unfold p, mass, prob; ring.
      - intros y; rewrite (view_ext d us _ (fun c => count_of j c ^ 2 + (2 * indicator (at_ Nat.eq_dec j) y * count_of j c + indicator (at_ Nat.eq_dec j) y * 1))).
        + rewrite !mean_plus, !mean_scale; ones M; unfold count_mean; ring.
        + intros c Hc; rewrite I by exact Hc; unfold indicator; destruct (at_ Nat.eq_dec j y); ring. }
    split; [|split].
    + rewrite view_cons, (mean_ext _ (fun _ => 1)); [exact Hu | intros; exact M].
    + unfold count_mean in *; rewrite F; cbn [map total]; fold p; unfold count_mean; now rewrite E1.
    + unfold count_variance in *; unfold count_mean at 1; rewrite F, G; cbn [map total]; fold p; rewrite <- V; ring.
Qed.

(** ** A survey *)

(** [groups] has n_k and lambda_k; m blanket messages a user are sent from [slots] = ⌈m⌉ slots. *)
Record survey := { groups : list (nat * R); domain : nat; m : R; slots : nat; size : nat; held : law (list nat) }.

Definition rates (s : survey) : list R := flat_map (fun g => repeat (snd g) (fst g)) (groups s).
Definition users (s : survey) : nat := length (rates s).
Definition signal (s : survey) : R := total (map (fun g => INR (fst g) * snd g) (groups s)).
Definition holds (j : nat) (x : list nat) : bool := if in_dec Nat.eq_dec j x then true else false.
Definition frequency (s : survey) (j : nat) : R := prob (holds j) (held s).
Definition is_survey (s : survey) : Prop :=
  Forall (fun g => 0 <= snd g <= 1) (groups s) /\ (1 <= domain s)%nat /\ INR (slots s) - 1 < m s <= INR (slots s) /\ 0 <= m s /\
  is_law (held s) /\ 0 < signal s /\
  Forall (fun x => NoDup (fst x) /\ Forall (fun j => (j < domain s)%nat) (fst x) /\ length (fst x) = size s) (held s).

Definition user_counts (s : survey) (rate : R) : law counts :=
  bind (held s) (fun x => view (domain s) (sends (domain s) (x, rate))).
Definition blanket_counts (s : survey) : law counts :=
  view (domain s) (repeat (slot (domain s) (m s / INR (slots s))) (users s * slots s)).
Definition survey_counts (s : survey) : law counts :=
  fold_right (fun rate P => added (user_counts s rate) P) (blanket_counts s) (rates s).

(** The estimate of the frequency of an item. *)
Definition estimate (s : survey) (j : nat) (c : counts) : R :=
  (count_of j c - INR (users s) * m s / INR (domain s)) / signal s.
Definition estimate_mean (s : survey) (j : nat) : R := mean (estimate s j) (survey_counts s).
Definition total_variance (s : survey) : R :=
  total (map (fun j => count_variance j (survey_counts s)) (seq 0 (domain s))).
Definition squared_error (s : survey) : R :=
  total (map (fun j => mean (fun c => (estimate s j c - frequency s j) ^ 2) (survey_counts s)) (seq 0 (domain s))).
Definition signal_variance (s : survey) : R :=
  total (map (fun g => INR (fst g) * total (map (fun j => frequency s j * snd g * (1 - frequency s j * snd g)) (seq 0 (domain s)))) (groups s)).

Section Moments.
Variable s : survey.
Hypotheses Hs : is_survey s.
Let d := domain s.
Let share := m s / INR (slots s) / INR d.

Lemma mass_sent j rate i : (j < d)%nat -> mass Nat.eq_dec (sent d rate i) j = if Nat.eq_dec i j then rate else 0.
Proof.
  intros Hj; unfold mass, prob, sent; cbn; unfold indicator, at_.
  destruct (Nat.eq_dec j i), (Nat.eq_dec j d), (Nat.eq_dec i j); try lia; ring.
Qed.

Lemma sent_once j x (g : R) : NoDup x -> total (map (fun i => if Nat.eq_dec i j then g else 0) x) = g * indicator (holds j) x.
Proof.
  intros N; unfold indicator, holds; induction N as [|i x Hi N IH]; [cbn; ring|].
  cbn [map total]; rewrite IH; destruct (in_dec Nat.eq_dec j x), (in_dec Nat.eq_dec j (i :: x)), (Nat.eq_dec i j); subst; cbn in *;
    try contradiction; try tauto; try ring; exfalso; intuition.
Qed.

Lemma mean_held f g : (forall x, NoDup x -> f x = g x) -> mean f (held s) = mean g (held s).
Proof.
  intros E; destruct Hs as (_ & _ & _ & _ & _ & _ & H); induction H as [|[x w] P (N & _) H IH]; [reflexivity|].
  cbn in *; now rewrite IH, E.
Qed.

Lemma user_moments j rate : (j < d)%nat ->
  mean (fun _ => 1) (user_counts s rate) = 1 /\ sized d (user_counts s rate) /\
  count_mean j (user_counts s rate) = rate * frequency s j /\
  count_variance j (user_counts s rate) = rate * frequency s j * (1 - rate * frequency s j).
Proof.
  intros Hj; pose proof Hs as (_ & _ & _ & _ & [_ MH] & _).
  assert (U : forall x, Forall (fun u => mean (fun _ => 1) u = 1) (sends d (x, rate))).
  { intros x; apply Forall_map, Forall_forall; intros i _; cbn; ring. }
  assert (E : forall x, NoDup x -> count_mean j (view d (sends d (x, rate))) = rate * indicator (holds j) x /\
    mean (fun c => count_of j c ^ 2) (view d (sends d (x, rate))) = rate * indicator (holds j) x).
  { intros x N; destruct (moments_of_view j d _ Hj (U x)) as (_ & E1 & V); unfold count_variance in V.
    unfold sends in *; cbn [fst snd] in *; rewrite !map_map in *.
    rewrite (total_ext _ (fun i => if Nat.eq_dec i j then rate else 0) x) in E1 by (intros; now apply mass_sent).
    rewrite (total_ext _ (fun i => if Nat.eq_dec i j then rate * (1 - rate) else 0) x) in V
      by (intros i _; rewrite mass_sent by exact Hj; destruct (Nat.eq_dec i j); ring).
    rewrite sent_once in E1, V by exact N; rewrite E1 in V; split; [exact E1|].
    assert (I : indicator (holds j) x = 0 \/ indicator (holds j) x = 1) by (unfold indicator; destruct (holds j x); auto).
    destruct I as [I|I]; rewrite I in *; lra. }
  assert (E1 : count_mean j (user_counts s rate) = rate * frequency s j).
  { unfold count_mean, user_counts; rewrite mean_bind; fold d.
    rewrite (mean_held _ (fun x => rate * indicator (holds j) x)) by (intros x N; now apply E); now rewrite mean_scale. }
  split; [|split; [apply bind_sized; intros x; apply view_sized|]; split; [exact E1|]].
  - unfold user_counts; rewrite mean_bind; fold d; rewrite (mean_ext _ (fun _ => 1)); [exact MH|].
    intros x; apply (moments_of_view j d _ Hj (U x)).
  - unfold count_variance; rewrite E1; unfold user_counts; rewrite mean_bind; fold d.
    rewrite (mean_held _ (fun x => rate * indicator (holds j) x)) by (intros x N; now apply E).
    rewrite mean_scale; unfold frequency, prob; ring.
Qed.

Lemma mass_slot j : (j < d)%nat -> mass Nat.eq_dec (slot d (m s / INR (slots s))) j = share.
Proof.
  intros Hj; unfold mass, prob; rewrite mean_slot.
  rewrite (total_ext _ (fun i => if Nat.eq_dec i j then 1 else 0) (seq 0 d))
    by (intros i _; unfold indicator, at_; destruct (Nat.eq_dec j i), (Nat.eq_dec i j); congruence).
  rewrite sent_once by apply seq_NoDup; unfold indicator, holds, at_.
  destruct (in_dec Nat.eq_dec j (seq 0 d)) as [_|n]; [|destruct n; apply in_seq; lia].
  destruct (Nat.eq_dec j d); [lia|]; unfold share; ring.
Qed.

Lemma total_repeat (g : law nat -> R) u n : total (map g (repeat u n)) = INR n * g u.
Proof. induction n as [|n IH]; [cbn; ring|]; cbn [repeat map total]; rewrite IH, S_INR; ring. Qed.

Lemma one_slot : mean (fun _ => 1) (slot d (m s / INR (slots s))) = 1.
Proof.
  pose proof Hs as (_ & Hd & _); rewrite mean_slot, total_ones, seq_length; fold d in Hd.
  assert (0 < INR d) by (apply lt_0_INR; lia); generalize (m s / INR (slots s)); intros g; field; lra.
Qed.

Theorem survey_moments j : (j < d)%nat ->
  mean (fun _ => 1) (survey_counts s) = 1 /\
  count_mean j (survey_counts s) = frequency s j * total (rates s) + INR (users s * slots s) * share /\
  count_variance j (survey_counts s) = total (map (fun r => frequency s j * r * (1 - frequency s j * r)) (rates s))
    + INR (users s * slots s) * (share * (1 - share)).
Proof.
  intros Hj; unfold survey_counts, blanket_counts; fold d; set (N := (users s * slots s)%nat).
  destruct (moments_of_view j d (repeat (slot d (m s / INR (slots s))) N) Hj) as (M & E & V);
    [apply repeated, one_slot|].
  rewrite !total_repeat, mass_slot in * by exact Hj; clearbody N.
  assert (S : sized d (view d (repeat (slot d (m s / INR (slots s))) N))) by apply view_sized.
  enough (G : sized d (fold_right (fun rate P => added (user_counts s rate) P) (view d (repeat (slot d (m s / INR (slots s))) N)) (rates s)) /\
    mean (fun _ => 1) (fold_right (fun rate P => added (user_counts s rate) P) (view d (repeat (slot d (m s / INR (slots s))) N)) (rates s)) = 1 /\
    count_mean j (fold_right (fun rate P => added (user_counts s rate) P) (view d (repeat (slot d (m s / INR (slots s))) N)) (rates s))
      = frequency s j * total (rates s) + INR N * share /\
    count_variance j (fold_right (fun rate P => added (user_counts s rate) P) (view d (repeat (slot d (m s / INR (slots s))) N)) (rates s))
      = total (map (fun r => frequency s j * r * (1 - frequency s j * r)) (rates s)) + INR N * (share * (1 - share))) by apply G.
  induction (rates s) as [|r rs (Sz & M' & E' & V')]; cbn [fold_right map total].
  - repeat split; [exact S | exact M | rewrite E; ring | rewrite V; ring].
  - destruct (user_moments j r Hj) as (MU & SU & EU & VU).
    destruct (moments_added j d _ _ SU Sz MU M') as (MA & EA & VA).
    split; [now apply added_sized|]; split; [exact MA|]; split; [rewrite EA, EU, E'; ring | rewrite VA, VU, V'; ring].
Qed.

Lemma over_rates (g : R -> R) : total (map g (rates s)) = total (map (fun x => INR (fst x) * g (snd x)) (groups s)).
Proof.
  unfold rates; induction (groups s) as [|[n r] gs IH]; [reflexivity|].
  cbn [flat_map map total fst snd]; rewrite map_app, total_app, IH; f_equal.
  clear; induction n as [|n IH]; [cbn; ring|]; cbn [repeat map total]; rewrite IH, S_INR; ring.
Qed.

Lemma signal_is : total (rates s) = signal s.
Proof. unfold signal; rewrite <- (over_rates (fun r => r)); now rewrite map_id. Qed.

(** What the slots send of an item on average. *)
Lemma blanket_is : INR (users s * slots s) * share = INR (users s) * m s / INR d.
Proof.
  pose proof Hs as (_ & Hd & Hm & Hm' & _); fold d in Hd; assert (0 < INR d) by (apply lt_0_INR; lia).
  rewrite mult_INR; unfold share; destruct (Req_dec (INR (slots s)) 0) as [Z|Z].
  - replace (m s) with 0 by lra; rewrite Z; unfold Rdiv; ring.
  - field; lra.
Qed.

Theorem estimate_unbiased j : (j < d)%nat -> estimate_mean s j = frequency s j.
Proof.
  intros Hj; destruct (survey_moments j Hj) as (M & E & _); pose proof Hs as (_ & _ & _ & _ & _ & P & _).
  assert (0 < INR d) by (apply lt_0_INR; lia).
  unfold estimate_mean, estimate; rewrite (mean_ext _ (fun c => / signal s * (count_of j c + - (INR (users s) * m s / INR d) * 1)))
    by (intros; unfold Rdiv, d; ring).
  rewrite mean_scale, mean_plus, mean_scale; ones M; fold (count_mean j (survey_counts s)); rewrite E, blanket_is, signal_is; field; lra.
Qed.

Theorem total_variance_is :
  total_variance s = signal_variance s + INR d * (INR (users s * slots s) * (share * (1 - share))).
Proof.
  unfold total_variance; fold d.
  rewrite (total_ext _ (fun j => total (map (fun r => frequency s j * r * (1 - frequency s j * r)) (rates s))
    + INR (users s * slots s) * (share * (1 - share)) * 1)) by (intros j I; apply in_seq in I; rewrite Rmult_1_r; now apply survey_moments).
  rewrite total_plus, total_scale, total_ones, seq_length; rewrite (Rmult_comm (INR d)); f_equal.
  unfold signal_variance; rewrite (total_ext _ (fun j => total (map (fun g => INR (fst g) * (frequency s j * snd g * (1 - frequency s j * snd g))) (groups s))))
    by (intros; apply (over_rates (fun r => frequency s a * r * (1 - frequency s a * r)))).
  fold d; induction (groups s) as [|g gs IH]; cbn [map total].
  - rewrite (total_ext _ (fun _ => 0 * 1)) by (intros; ring); rewrite total_scale; ring.
  - rewrite total_plus, total_scale, IH; reflexivity.
Qed.

Theorem squared_error_is : squared_error s = total_variance s / signal s ^ 2.
Proof.
  pose proof Hs as (_ & _ & _ & _ & _ & P & _).
  unfold squared_error, total_variance; fold d; unfold Rdiv; rewrite Rmult_comm, <- total_scale.
  apply total_ext; intros j I; apply in_seq in I; destruct (survey_moments j ltac:(lia)) as (M & E & _).
  rewrite blanket_is, signal_is in E.
  rewrite (mean_ext _ (fun c => / signal s ^ 2 * (count_of j c ^ 2 + (-2 * count_mean j (survey_counts s) * count_of j c
    + count_mean j (survey_counts s) ^ 2 * 1)))).
  - rewrite mean_scale, !mean_plus, !mean_scale; ones M; unfold count_variance; fold (count_mean j (survey_counts s)); ring.
  - intros c; rewrite E; unfold estimate; fold d; assert (0 < INR d) by (apply lt_0_INR; lia); field; lra.
Qed.

Lemma share_between : 0 <= share <= 1 /\ INR (users s * slots s) * share * INR d = INR (users s) * m s.
Proof.
  pose proof Hs as (_ & Hd & Hm & Hm' & _); fold d in Hd; assert (1 <= INR d) by (apply (le_INR 1); lia).
  split; [|rewrite blanket_is; field; lra].
  assert (0 < / INR d <= 1) by (split; [apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra]).
  unfold share; destruct (Req_dec (INR (slots s)) 0) as [Z|Z].
  - replace (m s) with 0 by lra; unfold Rdiv; rewrite !Rmult_0_l; lra.
  - pose proof (pos_INR (slots s)); assert (0 < / INR (slots s)) by (apply Rinv_0_lt_compat; lra).
    assert (0 <= m s / INR (slots s) <= 1).
    { split; [apply Rmult_le_pos; lra|]; apply (Rmult_le_reg_r (INR (slots s))); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
    unfold Rdiv at 1 3; split; [apply Rmult_le_pos; lra | nra].
Qed.

Lemma frequency_between j : 0 <= frequency s j <= 1.
Proof. apply prob_between; apply Hs. Qed.

Lemma frequencies_sum : total (map (frequency s) (seq 0 d)) = INR (size s).
Proof.
  pose proof Hs as (_ & _ & _ & _ & [_ MH] & _ & H); unfold frequency, prob; rewrite <- mean_total.
  transitivity (mean (fun _ => INR (size s) * 1) (held s)); [|rewrite mean_scale; ones MH; ring].
  clear MH; induction H as [|[x w] P (N & B & L) H IH]; [reflexivity|]; cbn [mean fst] in *; rewrite IH; f_equal; f_equal.
  rewrite <- L; clear -N B; unfold indicator, holds.
  rewrite (total_ext _ (fun j => total (map (fun i => if Nat.eq_dec i j then 1 else 0) x)) (seq 0 d)).
  - clear N; induction B as [|i x Hi B IH]; [cbn [map total length INR]; rewrite (total_ext _ (fun _ => 0 * 1)) by (intros; ring); rewrite total_scale; ring|].
    cbn [map total length]; rewrite total_plus, S_INR, Rmult_plus_distr_r, <- IH.
    rewrite (total_ext _ (fun j => if Nat.eq_dec j i then 1 else 0) (seq 0 d))
      by (intros j _; destruct (Nat.eq_dec i j), (Nat.eq_dec j i); congruence).
    rewrite sent_once by apply seq_NoDup; unfold indicator, holds.
    destruct (in_dec Nat.eq_dec i (seq 0 d)) as [_|n]; [ring | destruct n; apply in_seq; unfold d; lia].
  - intros j _; rewrite (sent_once j x 1 N); unfold indicator, holds; ring.
Qed.

Lemma signal_variance_at_most : signal_variance s <= INR (size s) * signal s.
Proof.
  pose proof Hs as (HG & _); unfold signal_variance, signal; rewrite <- total_scale; fold d.
  induction HG as [|[n r] gs Hr HG IH]; cbn [map total fst snd] in *; [lra|].
  apply Rplus_le_compat; [|exact IH].
  replace (INR (size s) * (INR n * r)) with (INR n * (r * INR (size s))) by ring.
  apply Rmult_le_compat_l; [apply pos_INR|]; rewrite <- frequencies_sum, <- total_scale; apply total_le; intros j.
  pose proof (frequency_between j); assert (0 <= (frequency s j * r) ^ 2) by (apply pow2_ge_0); nra.
Qed.
End Moments.

(** ** The lines of Section 5.2 *)

Section Lines.
Variable s : survey.
Hypotheses Hs : is_survey s.
Let d := INR (domain s).
Let n := INR (users s).
Let share := m s / (d * INR (slots s)).

Lemma one_share : m s / INR (slots s) / d = share.
Proof.
  pose proof Hs as (_ & Hd & Hm & Hm' & _); assert (1 <= d) by (apply (le_INR 1); exact Hd); unfold share.
  destruct (Req_dec (INR (slots s)) 0) as [Z|Z]; [replace (m s) with 0 by lra; unfold Rdiv; ring | field; lra].
Qed.

Lemma variance_line_1 : total_variance s = signal_variance s + d * n * INR (slots s) * (share * (1 - share)).
Proof. rewrite total_variance_is by exact Hs; fold d; rewrite one_share, mult_INR; unfold n; ring. Qed.

Lemma blanket_term : 0 <= d * n * INR (slots s) * (share * (1 - share)) <= n * m s /\ 1 <= d.
Proof.
  destruct (share_between s Hs) as [B E]; fold d n in B, E; rewrite one_share, mult_INR in *; fold n in E.
  pose proof Hs as (_ & Hd & _ & Hm & _); assert (1 <= d) by (apply (le_INR 1); exact Hd).
  assert (0 <= n * m s) by (apply Rmult_le_pos; [apply pos_INR | exact Hm]).
  replace (d * n * INR (slots s) * (share * (1 - share))) with (n * m s * (1 - share)) by (rewrite <- E; ring).
  split; [split; [apply Rmult_le_pos; lra | nra] | assumption].
Qed.

Lemma variance_line_2 : total_variance s <= n * m s + signal_variance s.
Proof. rewrite variance_line_1; pose proof blanket_term; lra. Qed.

Lemma variance_line_3 : total_variance s <= n * m s + INR (size s) * signal s.
Proof. pose proof variance_line_2; pose proof (signal_variance_at_most s Hs); lra. Qed.

Lemma error_line b : total_variance s <= b -> squared_error s <= b / signal s ^ 2.
Proof.
  intros H; rewrite squared_error_is by exact Hs; pose proof Hs as (_ & _ & _ & _ & _ & P & _).
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; apply pow_lt; exact P | exact H].
Qed.
End Lines.

(** The share of the signal whose users hold item j, on average over the data. *)
Definition display (s : survey) (j : nat) : R :=
  mean (fun data => total (map (fun u => fst u * indicator (holds j) (snd u)) (combine (rates s) data)) / signal s)
    (messages (repeat (held s) (users s))).

Lemma display_is s j : is_survey s -> display s j = frequency s j.
Proof.
  intros Hs; pose proof Hs as (_ & _ & _ & _ & [_ M] & P & _); unfold display, users.
  rewrite (mean_ext _ (fun data => / signal s * total (map (fun u => fst u * indicator (holds j) (snd u)) (combine (rates s) data))))
    by (intros; unfold Rdiv; ring).
  rewrite mean_scale.
  enough (E : mean (fun data => total (map (fun u => fst u * indicator (holds j) (snd u)) (combine (rates s) data)))
    (messages (repeat (held s) (length (rates s)))) = total (rates s) * frequency s j).
  { rewrite E, signal_is; field; lra. }
  assert (One : forall k, mean (fun _ => 1) (messages (repeat (held s) k)) = 1).
  { induction k as [|k IH]; [cbn; ring|]; cbn [repeat]; rewrite mean_messages_cons, (mean_ext _ (fun _ => 1)); [exact M | intros; exact IH]. }
  induction (rates s) as [|r rs IH]; [cbn; ring|]; cbn [length repeat]; rewrite mean_messages_cons.
  rewrite (mean_ext _ (fun x => r * indicator (holds j) x + total rs * frequency s j * 1)).
  - rewrite mean_plus, !mean_scale, M; unfold frequency, prob; cbn [total]; ring.
  - intros x; cbn [combine map total fst snd].
    rewrite (mean_ext _ (fun data => r * indicator (holds j) x * 1
      + total (map (fun u => fst u * indicator (holds j) (snd u)) (combine rs data)))) by (intros; ring).
    rewrite mean_plus, mean_scale, One, IH; ring.
Qed.
