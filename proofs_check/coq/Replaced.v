(** * A record replaced in a Poisson sample, for noise on a line

    M(a) is a noise with symmetric, log-concave masses, put at a; without the record the noise is at c, with it at a or b, 0 <= a, b
    <= 2 c. No pair is farther apart than a = 2 c and b = 0: an event is exchanged for the half-line, randomized at its end, that
    has the same mass under M(c) (Neyman and Pearson, for likelihood ratios that are monotone).
    - [replaced_in_sample]: the worst pair. *)

From Coq Require Import Reals List Lra Lia Arith.
Require Import ExactDP Sampling.
Import ListNotations.
Open Scope R_scope.

Definition is_noise (noise : list R) : Prop :=
  total noise = 1 /\ Forall (fun m => 0 < m) noise /\ rev noise = noise /\
  forall j, nth j noise 0 * nth (2 + j) noise 0 <= nth (1 + j) noise 0 ^ 2.
(** The mass at i of the noise at a, and the law on 0, 1, ... that has room for places up to 2 c. *)
Definition mass_from (noise : list R) (a i : nat) : R := if a <=? i then nth (i - a) noise 0 else 0.
Definition placed (noise : list R) (c a : nat) : law nat :=
  map (fun i => (i, mass_from noise a i)) (seq 0 (length noise + 2 * c)).
Definition replaced_apart (noise : list R) (c a b : nat) (rate gamma : R) : R :=
  hockey_stick Nat.eq_dec (mixture rate (placed noise c c) (placed noise c a)) (mixture rate (placed noise c c) (placed noise c b)) gamma.

Section Noise.
Variables (noise : list R).
Hypotheses (H : is_noise noise).
Let g (j : nat) : R := nth j noise 0.
Let L := length noise.

Lemma noise_positive j : (j < L)%nat -> 0 < g j.
Proof. intros J; destruct H as (_ & P & _); rewrite Forall_forall in P; apply P, nth_In, J. Qed.

Lemma noise_zero j : (L <= j)%nat -> g j = 0.
Proof. intros J; apply nth_overflow, J. Qed.

Lemma noise_nonnegative j : 0 <= g j.
Proof. destruct (Nat.lt_ge_cases j L) as [J|J]; [now apply Rlt_le, noise_positive | rewrite noise_zero by exact J; lra]. Qed.

Lemma noise_mirrored j : (j < L)%nat -> g (L - 1 - j) = g j.
Proof.
  intros J; destruct H as (_ & _ & S & _); unfold g; rewrite <- S at 2; rewrite rev_nth by exact J; f_equal; unfold L; lia.
Qed.

(** Ratios of neighbors fall, and so do those of masses that are as far apart. *)
Lemma neighbors_fall p w : g p * g (p + w + 1) <= g (p + 1) * g (p + w).
Proof.
  induction w as [|w IH]; [rewrite Nat.add_0_r; lra|].
  destruct (Nat.lt_ge_cases (p + S w + 1) L) as [J|J].
  - assert (A : 0 < g (p + w)) by (apply noise_positive; lia); assert (B : 0 < g (p + S w)) by (apply noise_positive; lia).
    destruct H as (_ & _ & _ & C); specialize (C (p + w)%nat); fold (g (p + w)) (g (2 + (p + w))) (g (1 + (p + w))) in C.
    replace (2 + (p + w))%nat with (p + S w + 1)%nat in C by lia; replace (1 + (p + w))%nat with (p + S w)%nat in C by lia.
    replace (p + w + 1)%nat with (p + S w)%nat in IH by lia.
    apply (Rmult_le_reg_r (g (p + w) * g (p + S w))); [now apply Rmult_lt_0_compat|].
    pose proof (noise_nonnegative p); pose proof (noise_nonnegative (p + 1)).
    apply Rle_trans with (g p * g (p + S w) * g (p + S w) ^ 2).
    + replace (g p * g (p + S w + 1) * (g (p + w) * g (p + S w))) with (g p * g (p + S w) * (g (p + w) * g (p + S w + 1))) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | exact C].
    + replace (g (p + 1) * g (p + S w) * (g (p + w) * g (p + S w))) with (g (p + 1) * g (p + w) * g (p + S w) ^ 2) by ring.
      apply Rmult_le_compat_r; [apply pow2_ge_0 | exact IH].
  - rewrite (noise_zero (p + S w + 1)) by exact J; rewrite Rmult_0_r; apply Rmult_le_pos; apply noise_nonnegative.
Qed.

Lemma ratios_fall p w s : g p * g (p + w + s) <= g (p + s) * g (p + w).
Proof.
  induction s as [|s IH]; [rewrite !Nat.add_0_r; lra|].
  destruct (Nat.lt_ge_cases (p + w + S s) L) as [J|J].
  - assert (A : 0 < g (p + s)) by (apply noise_positive; lia); assert (B : 0 < g (p + w + s)) by (apply noise_positive; lia).
    pose proof (neighbors_fall (p + s) w) as N; replace (p + s + w + 1)%nat with (p + w + S s)%nat in N by lia.
    replace (p + s + w)%nat with (p + w + s)%nat in N by lia; replace (p + s + 1)%nat with (p + S s)%nat in N by lia.
    apply (Rmult_le_reg_r (g (p + s) * g (p + w + s))); [now apply Rmult_lt_0_compat|].
    apply Rle_trans with (g (p + s) * g (p + w) * (g (p + s) * g (p + w + S s))).
    + replace (g p * g (p + w + S s) * (g (p + s) * g (p + w + s))) with (g p * g (p + w + s) * (g (p + s) * g (p + w + S s))) by ring.
      apply Rmult_le_compat_r; [apply Rmult_le_pos; apply noise_nonnegative | exact IH].
    + replace (g (p + S s) * g (p + w) * (g (p + s) * g (p + w + s))) with (g (p + s) * g (p + w) * (g (p + S s) * g (p + w + s))) by ring.
      apply Rmult_le_compat_l; [apply Rmult_le_pos; apply noise_nonnegative | exact N].
  - rewrite (noise_zero (p + w + S s)) by exact J; rewrite Rmult_0_r; apply Rmult_le_pos; apply noise_nonnegative.
Qed.

Let F (a i : nat) : R := mass_from noise a i.

Lemma mass_nonnegative a i : 0 <= F a i.
Proof. unfold F, mass_from; destruct (a <=? i); [apply noise_nonnegative | lra]. Qed.

(** The noise farther up is likelier, the farther up: t <= i, a <= b. *)
Lemma monotone_ratio a b t i : (t <= i)%nat -> (a <= b)%nat -> F b t * F a i <= F b i * F a t.
Proof.
  intros I A; unfold F, mass_from.
  destruct (Nat.leb_spec b t); [|rewrite Rmult_0_l; apply Rmult_le_pos; apply mass_nonnegative].
  destruct (Nat.leb_spec a i), (Nat.leb_spec b i), (Nat.leb_spec a t); try lia.
  pose proof (ratios_fall (t - b) (b - a) (i - t)) as R; unfold g in R.
  replace (t - b + (b - a) + (i - t))%nat with (i - a)%nat in R by lia; replace (t - b + (i - t))%nat with (i - b)%nat in R by lia.
  replace (t - b + (b - a))%nat with (t - a)%nat in R by lia; exact R.
Qed.
End Noise.

(** ** Half-lines *)

Definition half_line (t : nat) (share : R) (i : nat) : R := if i <? t then 0 else if i =? t then share else 1.

Lemma total_seq_S (f : nat -> R) n : total (map f (seq 0 (S n))) = f 0%nat + total (map (fun j => f (S j)) (seq 0 n)).
Proof. cbn [seq map total]; now rewrite <- seq_shift, map_map. Qed.

Lemma total_of_nth l : total (map (fun j => nth j l 0 * 1) (seq 0 (length l))) = total l.
Proof. induction l as [|m l IH]; [reflexivity|]; cbn [length]; rewrite total_seq_S; cbn [nth total]; rewrite IH; ring. Qed.

Lemma some_half_line l m : Forall (fun y => 0 < y) l -> l <> [] -> 0 <= m <= total l -> exists t share, (t < length l)%nat /\ 0 <= share <= 1 /\
  total (map (fun j => nth j l 0 * half_line t share j) (seq 0 (length l))) = m.
Proof.
  revert m; induction l as [|y l IH]; intros m P N M; [contradiction|]; inversion P as [|? ? Y P']; subst; cbn [total] in M.
  destruct l as [|z l]; [|destruct (Rle_dec m (total (z :: l))) as [B|B]].
  - exists 0%nat, (m / y); cbn in *; split; [lia|]; split; [|field; lra].
    split; [apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]|]; apply (Rmult_le_reg_r y); [exact Y|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - destruct (IH m P' ltac:(discriminate) ltac:(lra)) as (t & share & T & Sh & E); exists (S t), share; split; [cbn in *; lia|]; split; [exact Sh|].
    cbn [length]; rewrite total_seq_S; cbn [nth]; change (half_line (S t) share 0) with 0; rewrite Rmult_0_r, Rplus_0_l; exact E.
  - set (r := z :: l) in *; exists 0%nat, ((m - total r) / y); split; [cbn; lia|]; split.
    + split; [apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat]|]; apply (Rmult_le_reg_r y); [exact Y|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
    + change (length (y :: r)) with (S (length r)); rewrite total_seq_S; cbn [nth]; unfold half_line at 1; cbn [Nat.ltb Nat.leb Nat.eqb].
      rewrite (total_ext _ (fun j => nth j r 0 * 1)) by (intros; unfold half_line; reflexivity); rewrite total_of_nth; field; lra.
Qed.

Lemma total_reversed (f : nat -> R) n : total (map f (seq 0 n)) = total (map (fun j => f (n - 1 - j)%nat) (seq 0 n)).
Proof.
  revert f; induction n as [|n IH]; intros f; [reflexivity|]; rewrite total_seq_S, (IH (fun j => f (S j))), seq_S, map_app, total_app.
  cbn [map total Nat.add]; replace (S n - 1 - n)%nat with 0%nat by lia.
  rewrite (total_ext (fun j => f (S n - 1 - j)%nat) (fun j => f (S (n - 1 - j)))); [ring|].
  intros j J; apply in_seq in J; f_equal; lia.
Qed.

Lemma total_at_least {A} (f : A -> R) xs : (forall a, In a xs -> 0 <= f a) -> 0 <= total (map f xs).
Proof.
  induction xs as [|y xs IH]; intros P; cbn; [lra|]; apply Rplus_le_le_0_compat; [apply P; now left | apply IH; intros; apply P; now right].
Qed.

Section Exchange.
Variables (noise : list R) (c : nat).
Hypotheses (H : is_noise noise).
Let L := length noise.
Let N := (L + 2 * c)%nat.
(** The mean of h under the noise at a. *)
Let T (a : nat) (h : nat -> R) : R := mean h (placed noise c a).

Lemma mean_listed a h : T a h = total (map (fun i => mass_from noise a i * h i) (seq 0 N)).
Proof. unfold T, placed; fold L N; induction (seq 0 N) as [|i l IH]; cbn; [reflexivity | rewrite IH; ring]. Qed.

Lemma mean_placed a h : (a <= 2 * c)%nat -> T a h = total (map (fun j => nth j noise 0 * h (a + j)%nat) (seq 0 L)).
Proof.
  intros A; rewrite mean_listed; replace N with (a + (L + (2 * c - a)))%nat by (unfold N; lia); rewrite !seq_app, !map_app, !total_app; cbn [Nat.add].
  assert (Z : forall xs, (forall i, In i xs -> mass_from noise a i = 0) -> total (map (fun i => mass_from noise a i * h i) xs) = 0).
  { intros xs X; rewrite (total_ext _ (fun _ => 0 * 0)), total_scale by (intros i I; rewrite X by exact I; ring); ring. }
  rewrite (Z (seq 0 a)), (Z (seq (a + L) _)).
  - rewrite Rplus_0_l, Rplus_0_r; replace (seq a L) with (map (Nat.add a) (seq 0 L)).
    + rewrite map_map; apply total_ext; intros j _; unfold mass_from; destruct (Nat.leb_spec a (a + j)); [|lia].
      now replace (a + j - a)%nat with j by lia.
    + clear; induction a as [|a IH]; [now rewrite map_id|]; rewrite <- seq_shift, <- IH, map_map; reflexivity.
  - intros i I; apply in_seq in I; unfold mass_from; destruct (a <=? i); [|reflexivity]; apply nth_overflow; unfold L in *; lia.
  - intros i I; apply in_seq in I; unfold mass_from; destruct (Nat.leb_spec a i); [lia | reflexivity].
Qed.

Let mirrored (h : nat -> R) (i : nat) : R := h (N - 1 - i)%nat.

Lemma mean_mirrored a h : (a <= 2 * c)%nat -> T a h = T (2 * c - a) (mirrored h).
Proof.
  intros A; rewrite !mean_placed by lia; rewrite total_reversed; apply total_ext; intros j J; apply in_seq in J; unfold mirrored.
  pose proof (noise_mirrored noise H j ltac:(unfold L in *; lia)) as M; fold L in M; rewrite M; f_equal; f_equal; unfold N; lia.
Qed.

Section Line.
Variables (t : nat) (share : R) (h : nat -> R).
Hypotheses (S : 0 <= share <= 1) (B : forall i, 0 <= h i <= 1) (Pt : 0 < mass_from noise c t) (E : T c (half_line t share) = T c h).
Let I := half_line t share.

Lemma rises i j : (i <= j)%nat -> I i <= I j.
Proof.
  intros IJ; unfold I, half_line; destruct (Nat.ltb_spec i t), (Nat.ltb_spec j t), (Nat.eqb_spec i t), (Nat.eqb_spec j t); (lia || lra).
Qed.

Lemma shifted_up a b : (a <= b)%nat -> (b <= 2 * c)%nat -> T a I <= T b I.
Proof.
  intros AB BC; rewrite !mean_placed by lia; apply total_le; intros j; apply Rmult_le_compat_l; [apply (noise_nonnegative noise H) | apply rises; lia].
Qed.

(** The sum of (I - h)(F_a(i) F_c(t) - F_a(t) F_c(i)). *)
Lemma exchanged a : total (map (fun i => (I i - h i) * (mass_from noise a i * mass_from noise c t - mass_from noise a t * mass_from noise c i)) (seq 0 N))
  = mass_from noise c t * (T a I - T a h).
Proof.
  transitivity (mass_from noise c t * (T a I - T a h) - mass_from noise a t * (T c I - T c h)); [|unfold I; rewrite E; ring].
  rewrite !mean_listed; induction (seq 0 N) as [|i l IH]; cbn [map total]; [ring | rewrite IH; ring].
Qed.

Lemma more_above a : (c <= a)%nat -> T a h <= T a I.
Proof.
  intros A; assert (P : 0 <= mass_from noise c t * (T a I - T a h)); [|apply Rmult_le_reg_l with (mass_from noise c t); lra].
  rewrite <- exchanged; apply total_at_least; intros i _; specialize (B i); unfold I, half_line.
  destruct (Nat.ltb_spec i t); [|destruct (Nat.eqb_spec i t) as [->|]].
  - pose proof (monotone_ratio noise H c a i t ltac:(lia) A); nra.
  - right; ring.
  - pose proof (monotone_ratio noise H c a t i ltac:(lia) A); apply Rmult_le_pos; lra.
Qed.

Lemma less_below b : (b <= c)%nat -> T b I <= T b h.
Proof.
  intros A; assert (P : 0 <= - (mass_from noise c t * (T b I - T b h))); [|apply Rmult_le_reg_l with (mass_from noise c t); lra].
  rewrite <- exchanged, <- (Rmult_1_l (- _)), Ropp_mult_distr_r_reverse, Ropp_mult_distr_l, <- total_scale; apply total_at_least; intros i _; specialize (B i).
  unfold I, half_line; destruct (Nat.ltb_spec i t); [|destruct (Nat.eqb_spec i t) as [->|]].
  - pose proof (monotone_ratio noise H b c i t ltac:(lia) A); nra.
  - right; ring.
  - pose proof (monotone_ratio noise H b c t i ltac:(lia) A); nra.
Qed.
End Line.

Lemma exchange h : (forall i, 0 <= h i <= 1) -> exists I, (forall i, 0 <= I i <= 1) /\ T c I = T c h /\
  forall a, (a <= 2 * c)%nat -> T a h <= T (2 * c) I /\ T 0 I <= T a h.
Proof.
  intros B; pose proof H as (M1 & MP & _); assert (LN : noise <> []) by (intros ->; cbn in M1; lra).
  assert (C2 : (c <= 2 * c)%nat) by lia.
  destruct (some_half_line noise (T c h) MP LN) as (j & share & J & S & E).
  { rewrite mean_placed by exact C2; split.
    - apply total_at_least; intros i _; apply Rmult_le_pos; [apply (noise_nonnegative noise H) | apply B].
    - rewrite <- (total_of_nth noise); fold L; apply total_le; intros i; apply Rmult_le_compat_l; [apply (noise_nonnegative noise H) | apply B]. }
  set (t := (c + j)%nat); exists (half_line t share).
  assert (Pt : 0 < mass_from noise c t).
  { unfold mass_from, t; destruct (Nat.leb_spec c (c + j)); [|lia]; replace (c + j - c)%nat with j by lia; now apply (noise_positive noise H). }
  assert (Et : T c (half_line t share) = T c h).
  { rewrite mean_placed, <- E by exact C2; fold L; apply total_ext; intros i _; f_equal; unfold half_line, t.
    destruct (Nat.ltb_spec (c + i) (c + j)), (Nat.ltb_spec i j), (Nat.eqb_spec (c + i) (c + j)), (Nat.eqb_spec i j); (lia || reflexivity). }
  assert (B' : forall i, 0 <= mirrored h i <= 1) by (intros i; apply B).
  assert (Em : T c (half_line t share) = T c (mirrored h)).
  { rewrite Et, (mean_mirrored c h) by exact C2; now replace (2 * c - c)%nat with c by lia. }
  split; [intros i; unfold half_line; destruct (i <? t), (i =? t); lra|]; split; [exact Et|]; intros a A; destruct (Nat.le_ge_cases c a) as [CA|CA].
  - split.
    + eapply Rle_trans; [now apply (more_above t share) | now apply shifted_up].
    + rewrite (mean_mirrored a h) by exact A; eapply Rle_trans; [|apply (less_below t share); (assumption || lia)]; apply shifted_up; (assumption || lia).
  - split.
    + rewrite (mean_mirrored a h) by exact A; eapply Rle_trans; [apply (more_above t share); (assumption || lia)|]; apply shifted_up; (assumption || lia).
    + eapply Rle_trans; [|apply (less_below t share); assumption]; apply shifted_up; (assumption || lia).
Qed.
End Exchange.

Theorem replaced_in_sample noise c a b rate gamma :
  is_noise noise -> (a <= 2 * c)%nat -> (b <= 2 * c)%nat -> 0 <= rate -> 0 <= gamma ->
  replaced_apart noise c a b rate gamma <= replaced_apart noise c (2 * c) 0 rate gamma.
Proof.
  intros H A B R0 G; apply below_every_event; intros S.
  destruct (exchange noise c H (indicator S)) as (I & BI & E & X).
  { intros i; unfold indicator; destruct (S i); lra. }
  destruct (X a A) as [X1 _], (X b B) as [_ X2].
  pose proof (randomized_event Nat.eq_dec I (mixture rate (placed noise c c) (placed noise c (2 * c))) (mixture rate (placed noise c c) (placed noise c 0)) gamma BI) as U.
  fold (replaced_apart noise c (2 * c) 0 rate gamma) in U; rewrite !mean_mixture in U; unfold prob; rewrite !mean_mixture, <- E.
  assert (rate * mean (indicator S) (placed noise c a) <= rate * mean I (placed noise c (2 * c))) by (apply Rmult_le_compat_l; lra).
  assert (gamma * (rate * mean I (placed noise c 0)) <= gamma * (rate * mean (indicator S) (placed noise c b)))
    by (apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_l; lra]); lra.
Qed.
