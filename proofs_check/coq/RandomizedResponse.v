(** * k-ary randomized response: the count of one value

    Each user holds one of k values and sends it by k-ary randomized response: their own value with probability
    p = x / (x + k - 1), each other one with probability q = 1 / (x + k - 1), where x = e^eps0. The analyzer
    counts the users who sent the value v; a of them hold it, b do not. Proved here, for all k, x, v, data, E:
    - [count_of_users]: the count is the sum of two independent binomial variables;
    - [mass_of_count]: its law, as a sum over how many of the a users sent v;
    - [count_divergence]: the divergence of the counts for a victim who holds v or another value;
    - [count_below_histogram]: it is at most that of the histogram of all messages.

    Source: Biswas, Jung, Palamidessi 2023, Theorem IV.1, for the count of x_0. *)

From Coq Require Import Reals List Lra Lia Bool Arith.
Require Import ExactDP Lemmas Blanket.
Import ListNotations.
Open Scope R_scope.

Definition own (k : nat) (x : R) : R := x / (x + INR k - 1).
Definition other (k : nat) (x : R) : R := 1 / (x + INR k - 1).

Definition randomized_response (k : nat) (x : R) (value : nat) : law nat :=
  map (fun y => (y, if Nat.eq_dec y value then own k x else other k x)) (seq 0 k).

(** How many users sent v. *)
Definition count (v : nat) (users : list (law nat)) : law nat :=
  image (fun ys => count_occ Nat.eq_dec ys v) (messages users).

(** P(s) of the sum of a binomial variable of a and p, and one of b and q. *)
Definition count_mass (a b : nat) (p q : R) (s : nat) : R :=
  binomial_total a (fun r => p ^ r * (1 - p) ^ (a - r) *
    if r <=? s then bin b (s - r) * (q ^ (s - r) * (1 - q) ^ (b - (s - r))) else 0).

(** ** The count *)

Lemma count_nil v f : mean f (count v []) = f 0%nat.
Proof. unfold count; rewrite mean_image; cbn; ring. Qed.

Lemma count_cons v u users f :
  mean f (count v (u :: users)) =
  mean (fun y => mean (fun c => f (if Nat.eq_dec y v then S c else c)) (count v users)) u.
Proof.
  unfold count; rewrite mean_image, mean_messages_cons; apply mean_ext; intros y.
  rewrite mean_image; apply mean_ext; intros ys; cbn [count_occ]; now destruct (Nat.eq_dec y v).
Qed.

(** The sum of c over k values of which two may be special. *)
Lemma total_but_one (A B : R) v m : forall start, (start <= v < start + m)%nat ->
  total (map (fun y => if Nat.eq_dec y v then A else B) (seq start m)) = A + (INR m - 1) * B.
Proof.
  induction m as [|m IH]; intros start H; [lia|].
  cbn [seq map total]; rewrite S_INR; destruct (Nat.eq_dec start v) as [->|N].
  - assert (F : forall start, (v < start)%nat ->
      total (map (fun y => if Nat.eq_dec y v then A else B) (seq start m)) = INR m * B).
    { clear; induction m as [|m IH]; intros start H; [cbn; ring|].
      cbn [seq map total]; rewrite S_INR, (IH (S start)) by lia.
      destruct (Nat.eq_dec start v); [lia | ring]. }
    rewrite F by lia; ring.
  - rewrite IH by lia; ring.
Qed.

Lemma mean_response k x value f :
  mean f (randomized_response k x value) =
  total (map (fun y => (if Nat.eq_dec y value then own k x else other k x) * f y) (seq 0 k)).
Proof.
  unfold randomized_response; induction (seq 0 k) as [|y l IH]; cbn; [reflexivity | now rewrite IH].
Qed.

(** Seen as v or not: v with probability p if v is held, else q. *)
Lemma response_seen k x v value A B :
  (v < k)%nat -> (value < k)%nat -> x + INR k - 1 <> 0 ->
  mean (fun y => if Nat.eq_dec y v then A else B) (randomized_response k x value) =
  let w := if Nat.eq_dec value v then own k x else other k x in w * A + (1 - w) * B.
Proof.
  intros Hv Hi Hx; cbv zeta; rewrite mean_response.
  destruct (Nat.eq_dec value v) as [<-|N].
  - rewrite (total_ext _ (fun y => if Nat.eq_dec y value then own k x * A else other k x * B))
      by (intros y _; now destruct (Nat.eq_dec y value)).
    rewrite total_but_one by lia; unfold own, other; field; exact Hx.
  - rewrite (total_ext _ (fun y => (if Nat.eq_dec y v then other k x * (A - B) else 0)
      + (if Nat.eq_dec y value then own k x * B else other k x * B))).
    + rewrite total_plus, !total_but_one by lia; unfold own, other; field; exact Hx.
    + intros y _; destruct (Nat.eq_dec y v), (Nat.eq_dec y value); subst; try contradiction; ring.
Qed.

Lemma response_is_law k x value : (value < k)%nat -> 0 < x -> is_law (randomized_response k x value).
Proof.
  intros Hi Hx; assert (1 <= INR k) by (apply (le_INR 1); lia); split.
  - apply Forall_map, Forall_forall; intros y _; cbn; unfold own, other.
    destruct (Nat.eq_dec y value); apply Rlt_le, Rdiv_lt_0_compat; lra.
  - rewrite (mean_ext _ (fun y => if Nat.eq_dec y value then 1 else 1))
      by (intros y; now destruct (Nat.eq_dec y value)).
    rewrite response_seen by (assumption || lra); cbv zeta; ring.
Qed.

(** It is eps0-private, x = e^eps0. *)
Theorem response_private k x i j y :
  1 <= x -> (0 < k)%nat ->
  mass Nat.eq_dec (randomized_response k x i) y <= x * mass Nat.eq_dec (randomized_response k x j) y.
Proof.
  intros Hx Hk; assert (1 <= INR k) by (apply (le_INR 1); lia).
  unfold mass, prob; rewrite !mean_response, <- total_scale; apply total_le; intros z.
  assert (H0 : 0 < other k x) by (unfold other; apply Rdiv_lt_0_compat; lra).
  assert (Ho : own k x = x * other k x) by (unfold own, other; field; lra).
  unfold indicator; destruct (at_ Nat.eq_dec y z); [|lra].
  assert (1 * other k x <= x * other k x) by (apply Rmult_le_compat_r; lra).
  assert (1 * (x * other k x) <= x * (x * other k x)) by (apply Rmult_le_compat_r; lra).
  rewrite Ho; destruct (Nat.eq_dec z i), (Nat.eq_dec z j); lra.
Qed.

Lemma count_of_heads k x v data f :
  (v < k)%nat -> Forall (fun value => (value < k)%nat) data -> x + INR k - 1 <> 0 ->
  mean f (count v (map (randomized_response k x) data)) =
  mean (fun r => mean (fun t => f (r + t)%nat)
      (heads (other k x) (length data - count_occ Nat.eq_dec data v)))
    (heads (own k x) (count_occ Nat.eq_dec data v)).
Proof.
  intros Hv H Hx; revert f; induction H as [|value data Hd H IH]; intros f.
  - cbn [map]; rewrite count_nil; cbn; ring.
  - cbn [map]; rewrite count_cons.
    rewrite (mean_ext _ (fun y => if Nat.eq_dec y v
      then mean (fun c => f (S c)) (count v (map (randomized_response k x) data))
      else mean f (count v (map (randomized_response k x) data))))
      by (intros y; now destruct (Nat.eq_dec y v)).
    rewrite response_seen by assumption; cbv zeta; rewrite !IH; cbn [count_occ length].
    destruct (Nat.eq_dec value v) as [E|E].
    + rewrite heads_S, Rplus_comm; reflexivity.
    + pose proof (count_occ_bound Nat.eq_dec v data) as L.
      replace (S (length data) - count_occ Nat.eq_dec data v)%nat
        with (S (length data - count_occ Nat.eq_dec data v)) by lia.
      rewrite <- !mean_scale, <- mean_plus; apply mean_ext; intros r; rewrite heads_S, Rplus_comm.
      f_equal; f_equal; apply mean_ext; intros t; f_equal; lia.
Qed.

Theorem count_of_users k x v data f :
  (v < k)%nat -> Forall (fun value => (value < k)%nat) data -> 0 < x ->
  let a := count_occ Nat.eq_dec data v in let b := (length data - a)%nat in
  let p := own k x in let q := other k x in
  mean f (count v (map (randomized_response k x) data)) =
  binomial_total a (fun r => p ^ r * (1 - p) ^ (a - r) *
    binomial_total b (fun t => q ^ t * (1 - q) ^ (b - t) * f (r + t)%nat)).
Proof.
  intros Hv H Hx; cbv zeta; assert (1 <= INR k) by (apply (le_INR 1); lia).
  rewrite count_of_heads by (assumption || lra); rewrite heads_binomial.
  unfold binomial_total at 1 2; apply total_ext; intros r _; now rewrite heads_binomial.
Qed.

Theorem mass_of_count k x v data s :
  (v < k)%nat -> Forall (fun value => (value < k)%nat) data -> 0 < x ->
  let a := count_occ Nat.eq_dec data v in let b := (length data - a)%nat in
  mass Nat.eq_dec (count v (map (randomized_response k x) data)) s =
  count_mass a b (own k x) (other k x) s.
Proof.
  intros Hv H Hx; cbv zeta; unfold mass, prob; rewrite count_of_users by assumption; cbv zeta.
  unfold count_mass; set (b := (length data - _)%nat); set (q := other k x).
  unfold binomial_total at 1 3; apply total_ext; intros r _; do 2 f_equal.
  destruct (Nat.leb_spec r s) as [L|L].
  - unfold binomial_total; rewrite (total_ext _ (fun t => bin b t * (q ^ t * (1 - q) ^ (b - t))
      * indicator (at_ Nat.eq_dec t) (s - r)%nat)).
    + rewrite total_at by apply seq_NoDup; destruct in_dec as [I|I]; [reflexivity|].
      rewrite in_seq in I; rewrite bin_above by lia; ring.
    + intros t _; unfold indicator, at_.
      destruct (Nat.eq_dec s (r + t)%nat), (Nat.eq_dec t (s - r)%nat); try lia; ring.
  - unfold binomial_total; rewrite (total_ext _ (fun t => 0 * 0)); [rewrite total_scale; ring|].
    intros t _; unfold indicator, at_; destruct (Nat.eq_dec s (r + t)%nat); [lia | ring].
Qed.

Lemma count_outcomes v users s : In s (map fst (count v users)) -> (s <= length users)%nat.
Proof.
  unfold count, image; rewrite map_map; cbn [fst]; rewrite in_map_iff; intros [[ys m] [<- I]]; cbn.
  enough (length ys = length users) as <- by apply count_occ_bound.
  revert ys m I; induction users as [|u users IH]; intros ys m I.
  - destruct I as [E|[]]; now injection E as <- _.
  - cbn [messages] in I; cbn [length]; induction u as [|[y w] u IHu]; cbn in I; [contradiction|].
    apply in_app_or in I as [I|I]; [|now apply IHu].
    unfold weighted, image in I; rewrite map_map in I; apply in_map_iff in I as [[zs m'] [E I]].
    injection E as <- _; cbn; f_equal; now apply (IH zs m').
Qed.

(** The divergence of the counts with the victim's value v and with another value, both ways. *)
Theorem count_divergence k x v w data E :
  (v < k)%nat -> (w < k)%nat -> w <> v -> Forall (fun value => (value < k)%nat) data -> 0 < x ->
  let a := count_occ Nat.eq_dec data v in let b := (length data - a)%nat in
  let P := count_mass (S a) b (own k x) (other k x) in
  let Q := count_mass a (S b) (own k x) (other k x) in
  let with_v := count v (map (randomized_response k x) (v :: data)) in
  let with_w := count v (map (randomized_response k x) (w :: data)) in
  hockey_stick Nat.eq_dec with_v with_w E =
    total (map (fun s => positive_part (P s - E * Q s)) (seq 0 (S (S (length data))))) /\
  hockey_stick Nat.eq_dec with_w with_v E =
    total (map (fun s => positive_part (Q s - E * P s)) (seq 0 (S (S (length data))))).
Proof.
  intros Hv Hw N H Hx; cbv zeta.
  set (xs := seq 0 (S (S (length data)))).
  assert (C : forall value, carries Nat.eq_dec xs (count v (map (randomized_response k x) (value :: data)))).
  { intros value; apply carries_all; [apply seq_NoDup|]; intros s Hs; apply count_outcomes in Hs.
    rewrite map_length in Hs; cbn [length] in Hs; apply in_seq; lia. }
  assert (M : forall s,
    mass Nat.eq_dec (count v (map (randomized_response k x) (v :: data))) s =
      count_mass (S (count_occ Nat.eq_dec data v)) (length data - count_occ Nat.eq_dec data v)
        (own k x) (other k x) s /\
    mass Nat.eq_dec (count v (map (randomized_response k x) (w :: data))) s =
      count_mass (count_occ Nat.eq_dec data v) (S (length data - count_occ Nat.eq_dec data v))
        (own k x) (other k x) s).
  { intros s; rewrite !mass_of_count by (try constructor; assumption); cbv zeta; cbn [count_occ length].
    destruct (Nat.eq_dec v v) as [_|F]; [|contradiction]; destruct (Nat.eq_dec w v); [contradiction|].
    pose proof (count_occ_bound Nat.eq_dec v data); split; f_equal; lia. }
  split; rewrite (stick_on_any Nat.eq_dec xs) by apply C; apply total_ext; intros s _;
    destruct (M s) as [-> ->]; reflexivity.
Qed.

Lemma nth_increment y v c :
  (v < length c)%nat -> nth v (increment y c) 0%nat = (if Nat.eq_dec y v then S (nth v c 0) else nth v c 0)%nat.
Proof.
  revert y v; induction c as [|n c IH]; intros [|y] [|v] H; cbn [length] in H; try lia; try reflexivity.
  cbn [increment nth]; rewrite IH by lia; now destruct (Nat.eq_dec y v), (Nat.eq_dec (S y) (S v)); try lia.
Qed.

Lemma nth_histogram k v ys : (v < k)%nat -> nth v (histogram k ys) 0%nat = count_occ Nat.eq_dec ys v.
Proof.
  intros H; induction ys as [|y ys IH]; [apply nth_repeat|].
  change (histogram k (y :: ys)) with (increment y (histogram k ys)); cbn [count_occ].
  rewrite nth_increment, IH by (now rewrite histogram_length); now destruct (Nat.eq_dec y v).
Qed.

(** The count is read off the histogram, whatever the users send. *)
Theorem count_below_histogram k v users users' E :
  (v < k)%nat ->
  hockey_stick Nat.eq_dec (count v users) (count v users') E
  <= hockey_stick same_counts (view k users) (view k users') E.
Proof.
  intros H.
  assert (F : forall us f, mean f (count v us) = mean f (image (fun c => nth v c 0%nat) (view k us))).
  { intros us f; unfold count, view; rewrite !mean_image; apply mean_ext; intros ys.
    now rewrite nth_histogram. }
  rewrite (hockey_stick_ext _ _ _ _ _ _ (F users) (F users')); apply post_processing.
Qed.

(** ** The paper's form of it

    t = x + k - 2; b of the other users do not hold v, so that n = a + b + 1. *)

Definition kappa1 (k : nat) (x : R) : R := x * (x + INR k - 2) / (INR k - 1).
Definition kappa2 (k : nat) (x : R) : R := (INR k - 1) / (x + INR k - 2).
Definition kappa3 (k : nat) (x : R) (a b s : nat) : R :=
  (INR k - 1) ^ a * ((x + INR k - 2) ^ S b / (x + INR k - 2) ^ s) / (x + INR k - 1) ^ (a + S b).

(** The sum over r of C(a, r) C(u, s - j - r) c^r. *)
Definition paper_sum (c : R) (a u j s : nat) : R :=
  binomial_total a (fun r => if j + r <=? s then bin u (s - j - r) * c ^ r else 0).

(** e^(v_s), and kappa3 / (n - a) times the sum over r of mu(s, r) tau_r. *)
Definition exp_loss (k : nat) (x : R) (a b s : nat) : R :=
  kappa2 k x + (x - kappa2 k x) * paper_sum (kappa1 k x) a b 1 s / paper_sum (kappa1 k x) a (S b) 0 s.
Definition paper_mass (k : nat) (x : R) (a b s : nat) : R :=
  kappa3 k x a b s / INR (S b) * binomial_total a (fun r => if r <=? s
    then bin (S b) (s - r) * kappa1 k x ^ r * (kappa2 k x * INR (S b) + (x - kappa2 k x) * INR (s - r))
    else 0).

Lemma bin_positive n c : (c <= n)%nat -> 0 < bin n c.
Proof.
  revert c; induction n as [|n IH]; intros [|c] H; cbn; try lra; [lia|].
  pose proof (IH c ltac:(lia)); destruct (Nat.eq_dec c n) as [->|N].
  - rewrite (bin_above n (S n)) by lia; lra.
  - pose proof (IH (S c) ltac:(lia)); lra.
Qed.

Lemma bin_nonnegative n c : 0 <= bin n c.
Proof.
  destruct (le_lt_dec c n) as [L|L]; [apply Rlt_le, bin_positive, L | rewrite bin_above by exact L; lra].
Qed.

Lemma total_positive {A} (f : A -> R) z xs :
  (forall y, 0 <= f y) -> In z xs -> 0 < f z -> 0 < total (map f xs).
Proof.
  intros N I Z; induction xs as [|y xs IH]; [contradiction|]; cbn.
  assert (0 <= total (map f xs)) by (clear -N; induction xs as [|y xs IH]; cbn; [lra | specialize (N y); lra]).
  specialize (N y); destruct I as [->|I]; [lra | specialize (IH I); lra].
Qed.

Lemma paper_sum_positive c a u s : 0 < c -> (s <= a + u)%nat -> 0 < paper_sum c a u 0 s.
Proof.
  intros Hc H; apply (total_positive _ (Nat.min a s)).
  - intros r; apply Rmult_le_pos; [apply bin_nonnegative|].
    destruct (_ <=? _); [apply Rmult_le_pos; [apply bin_nonnegative | apply pow_le; lra] | lra].
  - apply in_seq; lia.
  - destruct (Nat.leb_spec (0 + Nat.min a s) s) as [L|L]; [|lia].
    apply Rmult_lt_0_compat; [apply bin_positive; lia|].
    apply Rmult_lt_0_compat; [apply bin_positive; lia | apply pow_lt, Hc].
Qed.

Lemma paper_sum_nonnegative c a u j s : 0 < c -> 0 <= paper_sum c a u j s.
Proof.
  intros Hc; unfold paper_sum, binomial_total; induction (seq 0 (S a)) as [|r l IH]; cbn [map total]; [lra|].
  enough (0 <= bin a r * (if j + r <=? s then bin u (s - j - r) * c ^ r else 0)) by lra.
  apply Rmult_le_pos; [apply bin_nonnegative|].
  destruct (_ <=? _); [apply Rmult_le_pos; [apply bin_nonnegative | apply pow_le; lra] | lra].
Qed.

(** Pascal's rule. *)
Lemma paper_sum_S c a b s : paper_sum c a (S b) 0 s = paper_sum c a b 0 s + paper_sum c a b 1 s.
Proof.
  unfold paper_sum, binomial_total; rewrite <- total_plus; apply total_ext; intros r _.
  rewrite <- Rmult_plus_distr_l; f_equal; cbn [Nat.add]; rewrite Nat.sub_0_r.
  destruct (Nat.leb_spec r s), (Nat.leb_spec (S r) s); try lia; try ring.
  - replace (s - r)%nat with (S (s - 1 - r)) by lia; cbn [bin]; ring.
  - replace (s - r)%nat with 0%nat by lia; destruct b; cbn [bin]; ring.
Qed.

Section Closed.
Variables (k : nat) (x : R).
Hypotheses (Hk : (2 <= k)%nat) (Hx : 1 <= x).
Let K : 2 <= INR k. Proof. apply (le_INR 2), Hk. Qed.

(** The mass with u = b or b + 1 users who do not hold v. *)
Lemma count_mass_closed a u s :
  count_mass a u (own k x) (other k x) s =
  (INR k - 1) ^ a * ((x + INR k - 2) ^ u / (x + INR k - 2) ^ s) / (x + INR k - 1) ^ (a + u)
    * paper_sum (kappa1 k x) a u 0 s.
Proof.
  unfold count_mass, paper_sum, binomial_total; rewrite <- total_scale; apply total_ext; intros r Hr.
  apply in_seq in Hr; cbn [Nat.add]; rewrite Nat.sub_0_r.
  destruct (Nat.leb_spec r s) as [L|L]; [|ring].
  destruct (le_lt_dec (s - r) u) as [U|U]; [|rewrite (bin_above u) by exact U; ring].
  assert (exists A V U, a = r + A /\ s = r + V /\ u = V + U)%nat as [A [V [U' [-> [-> ->]]]]]
    by (exists (a - r)%nat, (s - r)%nat, (u - (s - r))%nat; lia).
  replace (r + A - r)%nat with A by lia; replace (r + V - r)%nat with V by lia.
  replace (V + U' - V)%nat with U' by lia.
  set (y := x + INR k - 1); set (t := x + INR k - 2).
  assert (y <> 0 /\ t <> 0 /\ INR k - 1 <> 0) as [Y [T Z]] by (unfold y, t; repeat split; lra).
  assert (1 - own k x = (INR k - 1) / y) as -> by (unfold own, y in *; field; exact Y).
  assert (1 - other k x = t / y) as -> by (unfold other, y, t in *; field; exact Y).
  change (own k x) with (x / y); change (other k x) with (1 / y).
  unfold kappa1; fold t; unfold Rdiv; rewrite ?Rpow_mult_distr, !pow_inv, pow1.
  rewrite !pow_add; field; repeat split; apply pow_nonzero; assumption.
Qed.

Lemma mass_without a b s :
  count_mass a (S b) (own k x) (other k x) s = kappa3 k x a b s * paper_sum (kappa1 k x) a (S b) 0 s.
Proof. apply count_mass_closed. Qed.

Lemma paper_sum_more c a b s :
  paper_sum c (S a) b 0 s = c * paper_sum c a b 1 s + paper_sum c a b 0 s.
Proof.
  unfold paper_sum; rewrite binomial_total_S; f_equal; unfold binomial_total.
  rewrite <- total_scale; apply total_ext; intros r _; cbn [Nat.add].
  destruct (Nat.leb_spec (S r) s) as [L|L]; [|ring].
  replace (s - 0 - S r)%nat with (s - 1 - r)%nat by lia; cbn [pow]; ring.
Qed.

Lemma mass_with a b s :
  count_mass (S a) b (own k x) (other k x) s = kappa3 k x a b s *
    (kappa2 k x * paper_sum (kappa1 k x) a (S b) 0 s
      + (x - kappa2 k x) * paper_sum (kappa1 k x) a b 1 s).
Proof.
  rewrite count_mass_closed, paper_sum_more, paper_sum_S; unfold kappa3, kappa2, kappa1.
  replace (S a + b)%nat with (a + S b)%nat by lia; cbn [pow]; field; repeat split; (lra || apply pow_nonzero; lra).
Qed.

(** Absorption: (s - r) C(b + 1, s - r) = (b + 1) C(b, s - 1 - r). *)
Lemma paper_mass_with a b s : count_mass (S a) b (own k x) (other k x) s = paper_mass k x a b s.
Proof.
  rewrite mass_with; unfold paper_mass, paper_sum, binomial_total.
  unfold Rdiv; rewrite Rmult_assoc; f_equal; rewrite <- !total_scale, <- total_plus.
  assert (Hb : 0 < INR (S b)) by (apply lt_0_INR; lia).
  apply total_ext; intros r _; cbn [Nat.add]; rewrite Nat.sub_0_r.
  destruct (Nat.leb_spec r s), (Nat.leb_spec (S r) s); try lia; try ring.
  - pose proof (bin_absorbed b (s - 1 - r)) as B.
    replace (S (s - 1 - r)) with (s - r)%nat in B by lia.
    assert (bin b (s - 1 - r) = / INR (S b) * (INR (s - r) * bin (S b) (s - r))) as ->
      by (rewrite B; field; lra).
    field; lra.
  - replace (s - r)%nat with 0%nat by lia; change (INR 0) with 0; field; lra.
Qed.

Lemma loss_ratio a b s :
  (s <= a + S b)%nat -> 0 < exp_loss k x a b s /\ 0 < count_mass a (S b) (own k x) (other k x) s /\
  paper_mass k x a b s = exp_loss k x a b s * count_mass a (S b) (own k x) (other k x) s.
Proof.
  intros H.
  assert (H1 : 0 < kappa1 k x) by (unfold kappa1; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (H2 : 0 < kappa2 k x) by (unfold kappa2; apply Rdiv_lt_0_compat; lra).
  assert (G : 0 <= x - kappa2 k x).
  { assert (x - kappa2 k x = (x - 1) * (x + INR k - 1) / (x + INR k - 2)) as -> by (unfold kappa2; field; lra).
    apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply Rlt_le, Rinv_0_lt_compat; lra]. }
  assert (H3 : 0 < kappa3 k x a b s).
  { unfold kappa3; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [|apply Rdiv_lt_0_compat]|];
      apply pow_lt; lra. }
  pose proof (paper_sum_positive (kappa1 k x) a (S b) s H1 H) as S0.
  pose proof (paper_sum_nonnegative (kappa1 k x) a b 1 s H1) as S1.
  repeat split.
  - unfold exp_loss; apply Rplus_lt_le_0_compat; [exact H2|].
    apply Rmult_le_pos; [apply Rmult_le_pos; assumption | apply Rlt_le, Rinv_0_lt_compat, S0].
  - rewrite mass_without; apply Rmult_lt_0_compat; assumption.
  - rewrite <- paper_mass_with, mass_with, mass_without; unfold exp_loss; field; lra.
Qed.
End Closed.

(** (6) with v_s = ln [exp_loss]: delta of the count, and a lower bound of delta of the histogram. *)
Theorem tight_delta_of_count k eps0 eps v w data :
  (2 <= k)%nat -> 0 < eps0 -> (v < k)%nat -> (w < k)%nat -> w <> v ->
  Forall (fun value => (value < k)%nat) data ->
  let a := count_occ Nat.eq_dec data v in let b := (length data - a)%nat in
  let loss := fun s => ln (exp_loss k (exp eps0) a b s) in
  let delta := total (map (fun s => if Rlt_dec eps (loss s)
    then (1 - exp (eps - loss s)) * paper_mass k (exp eps0) a b s else 0)
    (seq 0 (S (S (length data))))) in
  let users := fun value => map (randomized_response k (exp eps0)) (value :: data) in
  hockey_stick Nat.eq_dec (count v (users v)) (count v (users w)) (exp eps) = delta /\
  delta <= hockey_stick same_counts (view k (users v)) (view k (users w)) (exp eps).
Proof.
  intros Hk He Hv Hw N H a b loss delta users.
  assert (Hx : 1 <= exp eps0) by (pose proof (exp_ineq1_le eps0); lra).
  enough (D : hockey_stick Nat.eq_dec (count v (users v)) (count v (users w)) (exp eps) = delta)
    by (split; [exact D | rewrite <- D; now apply count_below_histogram]).
  unfold users; rewrite (proj1 (count_divergence k (exp eps0) v w data (exp eps) Hv Hw N H (exp_pos eps0))).
  unfold delta; apply total_ext; intros s Hs; fold a b; apply in_seq in Hs.
  assert (L : (s <= a + S b)%nat)
    by (pose proof (count_occ_bound Nat.eq_dec v data); unfold b, a in *; lia).
  destruct (loss_ratio k (exp eps0) Hk Hx a b s L) as [P [Q M]].
  rewrite (paper_mass_with k (exp eps0) Hk Hx), M; set (q := count_mass a (S b) _ _ s) in *.
  unfold loss; set (l := exp_loss k (exp eps0) a b s) in *; unfold positive_part.
  assert (F : exp (eps - ln l) * l = exp eps)
    by (rewrite <- (exp_ln l P) at 2; rewrite <- exp_plus; f_equal; ring).
  destruct (Rlt_dec eps (ln l)) as [Z|Z].
  - apply exp_increasing in Z; rewrite exp_ln in Z by exact P.
    assert (0 <= (l - exp eps) * q) by (apply Rmult_le_pos; lra).
    rewrite Rmax_right by lra; rewrite <- F; ring.
  - assert (l <= exp eps).
    { rewrite <- (exp_ln l P); destruct (Req_dec (ln l) eps) as [->|E]; [lra|].
      apply Rlt_le, exp_increasing; lra. }
    assert (0 <= (exp eps - l) * q) by (apply Rmult_le_pos; lra); rewrite Rmax_left by lra; reflexivity.
Qed.
