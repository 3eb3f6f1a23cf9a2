(** * How far the estimates of all periods are off (Erlingsson et al. 2019, Section 1.2)

    The estimate at t is the sum of what all clients report over the nodes of C, times c k (log2 d + 1), c = (y + 1)/(y - 1),
    y = e^(eps/2): the scale with which it has the right mean. A client adds -1, 0 or 1, as C has one node of a level at most;
    so Hoeffding's inequality. The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia Arith Bool ZArith.
Require Import ExactDP Noise Composition AdvancedComposition Swapping Blanket Longitudinal VariationTails.
Require WithoutReplacement.
Require Import ClaimsErlingsson2019More ClaimsErlingsson2019Tree ClaimsErlingsson2019Mean.
Import ListNotations.
Open Scope R_scope.

(** What a client reports over C; the estimate, the truth, and how probable it is that these differ by more than is allowed. *)
Definition at_cover (t : nat) (out : list report) : R := total (map (fun v => contribution (fst v) (snd v) out) (cover t)).
Definition scale_of (d k : nat) (y : R) : R := (y + 1) / (y - 1) * INR k * (INR (Nat.log2 d) + 1).
Definition estimate (d k : nat) (y : R) (t : nat) (outs : list (list report)) : R := scale_of d k y * total (map (at_cover t) outs).
Definition truth (clients : list (list Z)) (t : nat) : R := total (map (fun x => state_at x t) clients).
Definition is_off (d k : nat) (y : R) (clients : list (list Z)) (allowed : R) (t : nat) (outs : list (list report)) : bool :=
  if Rle_dec (Rabs (estimate d k y t outs - truth clients t)) allowed then false else true.
(** Over all periods. *)
Definition estimates_off (d k : nat) (y : R) (clients : list (list Z)) (allowed : R) : R :=
  total (map (fun t => prob (is_off d k y clients allowed t) (messages (map (client d k y) clients))) (seq 1 d)).

(** ** What a client reports *)

(** Reports of one level, from the period t on, each of at most 1. *)
Fixpoint of_level (h t : nat) (out : list report) : Prop :=
  match out with
  | [] => True
  | r :: out => (r = None \/ exists u, r = Some (h, t, u) /\ -1 <= IZR u <= 1) /\ of_level h (S t) out
  end.

Lemma in_bind {A B} (P : law A) (K : A -> law B) z : In z (map fst (bind P K)) -> exists x, In x (map fst P) /\ In z (map fst (K x)).
Proof.
  induction P as [|[x w] P IH]; [easy|]; cbn [bind]; rewrite map_app; intros H; apply in_app_or in H as [H|H].
  - exists x; split; [now left|]; unfold weighted in H; rewrite map_map in H; exact H.
  - destruct (IH H) as [y [Y Z]]; exists y; split; [now right | exact Z].
Qed.

Lemma in_image {A B} (h : A -> B) (P : law A) z : In z (map fst (image h P)) -> exists x, In x (map fst P) /\ z = h x.
Proof. unfold image; rewrite map_map; cbn [fst]; intros H; apply in_map_iff in H as [x [<- I]]; exists (fst x); split; [now apply in_map | reflexivity]. Qed.

Lemma updates_of_level y kappa_star h changes : Forall change changes -> forall kappa c t out, change c ->
  In out (map fst (updates y kappa_star h kappa c t changes)) -> of_level h t out.
Proof.
  intros V; induction V as [|x changes Vx V IH]; intros kappa c t out Hc I; cbn [updates] in I.
  - destruct I as [<-|[]]; exact Logic.I.
  - set (kappa' := if Z.eqb x 0 then kappa else S kappa) in I.
    set (c' := if negb (Z.eqb x 0) && (kappa' =? kappa_star)%nat then x else c) in I.
    assert (Hc' : change c') by (unfold c'; destruct (negb _ && _); assumption).
    destruct (t mod 2 ^ (h - 1) =? 0)%nat.
    + apply in_bind in I as [u [U I]]; apply in_image in I as [rest [I ->]]; split; [|now apply (IH kappa' 0%Z); [right; left|]].
      right; exists u; split; [reflexivity|]; destruct (Z.eqb c' 0).
      * cbn in U; destruct U as [<-|[<-|[]]]; lra.
      * apply in_image in U as [b [U ->]]; cbn in U; destruct U as [<-|[<-|[]]], Hc' as [-> | [-> | ->] ]; cbn; lra.
    + apply in_image in I as [rest [I ->]]; split; [now left | now apply (IH kappa' c')].
Qed.

Lemma contribution_of_level h j out : forall t h', of_level h' t out ->
  (h' <> h \/ (j * 2 ^ (h - 1) < t)%nat -> contribution h j out = 0) /\ -1 <= contribution h j out <= 1.
Proof.
  induction out as [|r out IH]; intros t h' H; [cbn; split; [reflexivity | lra]|].
  destruct H as [R H]; destruct (IH (S t) h' H) as [Z B]; rewrite contribution_cons.
  destruct R as [->|(u & -> & U)]; cbn [reported].
  - rewrite Rplus_0_l; split; [intros [N|N]; apply Z; [now left | right; lia] | exact B].
  - destruct (Nat.eqb_spec h' h) as [->|N]; cbn [andb].
    + destruct (Nat.eqb_spec t (j * 2 ^ (h - 1))) as [E|E].
      * rewrite (Z ltac:(right; lia)); split; [intros [N|N]; [now destruct N | lia] | lra].
      * rewrite Rplus_0_l; split; [intros [N|N]; [now destruct N | apply Z; right; lia] | exact B].
    + rewrite Rplus_0_l; split; [intros _; apply Z; now left | exact B].
Qed.

Lemma one_term (f : nat -> R) b0 l : NoDup l -> (forall b, b <> b0 -> f b = 0) -> -1 <= f b0 <= 1 -> -1 <= total (map f l) <= 1.
Proof.
  intros N Z B; enough (E : total (map f l) = if in_dec Nat.eq_dec b0 l then f b0 else 0) by (rewrite E; destruct in_dec; lra).
  induction N as [|b l Hb N IH]; [reflexivity|]; cbn [map total]; rewrite IH.
  destruct (Nat.eq_dec b b0) as [->|D].
  - destruct (in_dec Nat.eq_dec b0 l); [contradiction|]; destruct (in_dec Nat.eq_dec b0 (b0 :: l)) as [_|X]; [ring | exfalso; apply X; now left].
  - rewrite (Z b D); destruct (in_dec Nat.eq_dec b0 l) as [I|I], (in_dec Nat.eq_dec b0 (b :: l)) as [J|J]; try ring;
      exfalso; [apply J; now right | destruct J; [now apply D | now apply I]].
Qed.

Lemma client_at_cover d k y x t out : input d k x -> In out (map fst (client d k y x)) -> -1 <= at_cover t out <= 1.
Proof.
  intros (_ & V & _) I; unfold client in I; apply in_bind in I as [kappa [_ I]]; apply in_bind in I as [h [_ I]].
  apply updates_of_level in I; [|exact V | right; now left]; unfold at_cover, cover; rewrite map_map; cbn [fst snd].
  apply (one_term (fun b => contribution (S b) (t / 2 ^ b) out) h); [apply NoDup_filter, seq_NoDup | |].
  - intros b N; apply (contribution_of_level _ _ _ 1 (S h) I); left; lia.
  - apply (contribution_of_level _ _ _ 1 (S h) I).
Qed.

Lemma client_mean d k y x t : (1 <= k)%nat -> 1 < y -> input d k x -> (1 <= t)%nat -> (t <= d)%nat ->
  scale_of d k y * mean (at_cover t) (client d k y x) = state_at x t.
Proof.
  intros Hk Hy HI T1 T2; unfold at_cover; rewrite mean_total, <- total_scale.
  rewrite (total_ext _ (node_change x)).
  - rewrite <- cover_sum; [reflexivity | destruct HI as (-> & _); exact T2].
  - intros [h j] I; unfold cover in I; apply in_map_iff in I as [b [E I]]; injection E as <- <-; apply filter_In in I as [I O].
    apply in_seq in I; cbn [fst snd]; apply node_mean; try assumption.
    + split; [lia|]; pose proof (Nat.log2_le_mono t d T2); lia.
    + split.
      * rewrite testbit_odd in O; destruct (t / 2 ^ b)%nat; [discriminate | lia].
      * replace (S b - 1)%nat with b by lia; pose proof (Nat.div_mod_eq t (2 ^ b)); nia.
Qed.

(** ** Hoeffding's inequality for the sum of all clients *)

Section Sum.
Context {A : Type} (X : A -> R).
Definition bounded (P : law A) : Prop := is_law P /\ forall y, In y (map fst P) -> -1 <= X y <= 1.
Let deviation (us : list (law A)) (ys : list A) : R := total (map X ys) - total (map (mean X) us).

Lemma one_moment (P : law A) t : bounded P -> mean (fun y => exp (t * (X y - mean X P))) P <= exp (t ^ 2 / 2).
Proof.
  intros [LP B]; set (m := mean X P); set (Y := fun y => Rmax (-1) (Rmin 1 (X y)) - m).
  assert (E : forall y, In y (map fst P) -> X y - m = Y y).
  { intros y I; specialize (B y I); unfold Y; rewrite Rmin_right, Rmax_right; lra. }
  rewrite (mean_ext_on _ (fun y => exp (t * Y y))) by (intros y I; now rewrite E).
  replace (t ^ 2 / 2) with (t ^ 2 * (1 - m - (-1 - m)) ^ 2 / 8) by field; apply hoeffding; [exact LP | |].
  - intros y; unfold Y, Rmax, Rmin; repeat destruct Rle_dec; lra.
  - rewrite <- (mean_ext_on (fun y => X y - m)) by exact E.
    rewrite (mean_ext _ (fun y => X y + - m * 1)) by (intros; ring); rewrite mean_plus, mean_scale, (proj2 LP); fold m; ring.
Qed.

Lemma all_moments us t : Forall bounded us -> mean (fun ys => exp (t * deviation us ys)) (messages us) <= exp (INR (length us) * (t ^ 2 / 2)).
Proof.
  induction 1 as [|P us HP H IH].
  - unfold deviation; cbn; rewrite Rminus_diag_eq by reflexivity; rewrite Rmult_0_r, Rmult_0_l, exp_0; lra.
  - rewrite mean_messages_cons; cbn [length]; rewrite S_INR.
    rewrite (mean_ext _ (fun y => mean (fun ys => exp (t * deviation us ys)) (messages us) * exp (t * (X y - mean X P)))).
    + rewrite mean_scale, Rmult_plus_distr_r, Rmult_1_l, exp_plus; apply Rmult_le_compat.
      * apply mean_positive; [|intros; apply Rlt_le, exp_pos]; apply messages_are_law; eapply Forall_impl; [|exact H]; intros Q [L _]; exact L.
      * apply mean_positive; [apply HP | intros; apply Rlt_le, exp_pos].
      * exact IH.
      * now apply one_moment.
    + intros y; rewrite Rmult_comm, <- mean_scale; apply mean_ext; intros ys; rewrite <- exp_plus; f_equal; unfold deviation; cbn [map total]; ring.
Qed.

Lemma far_sum us s : Forall bounded us -> (1 <= length us)%nat -> 0 <= s ->
  prob (fun ys => if Rle_dec (Rabs (deviation us ys)) s then false else true) (messages us) <= 2 * exp (- (s ^ 2 / (2 * INR (length us)))).
Proof.
  intros H Hn Hs; assert (N : 1 <= INR (length us)) by (apply (le_INR 1); exact Hn); set (n := INR (length us)) in *.
  assert (L : is_law (messages us)) by (apply messages_are_law; eapply Forall_impl; [|exact H]; intros Q [L _]; exact L).
  assert (T0 : 0 <= s / n) by (apply Rmult_le_pos; [exact Hs | apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (One : forall t, t ^ 2 = (s / n) ^ 2 -> exp (- (s / n * s)) * mean (fun ys => exp (t * deviation us ys)) (messages us) <= exp (- (s ^ 2 / (2 * n)))).
  { intros t Ht; pose proof (all_moments us t H) as M; rewrite Ht in M; fold n in M.
    apply Rle_trans with (exp (- (s / n * s)) * exp (n * ((s / n) ^ 2 / 2))); [apply Rmult_le_compat_l; [apply Rlt_le, exp_pos | exact M]|].
    rewrite <- exp_plus; right; f_equal; field; lra. }
  pose proof (One (s / n) eq_refl) as U1; pose proof (One (- (s / n)) ltac:(ring)) as U2.
  pose proof (markov (messages us) (deviation us) s (s / n) (proj1 L) T0) as M1.
  pose proof (markov (messages us) (fun ys => - deviation us ys) s (s / n) (proj1 L) T0) as M2.
  rewrite (mean_ext (fun ys => exp (s / n * - deviation us ys)) (fun ys => exp (- (s / n) * deviation us ys))) in M2 by (intros; f_equal; ring).
  apply Rle_trans with (prob (at_least (deviation us) s) (messages us) + prob (at_least (fun ys => - deviation us ys) s) (messages us)); [|lra].
  unfold prob; rewrite <- mean_plus; apply mean_le; [apply L|]; intros ys; unfold indicator, at_least, Rabs.
  destruct Rcase_abs; repeat destruct Rle_dec; lra.
Qed.
End Sum.

(** ** Numbers *)

Lemma below_sinh u : 0 < u -> u <= sinh u.
Proof.
  intros Hu; destruct (MVT_cor2 (sinh - id)%F (fun v => cosh v - 1) 0 u Hu) as [c [E _]].
  - intros v _; apply derivable_pt_lim_minus; [apply derivable_pt_lim_sinh | apply derivable_pt_lim_id].
  - unfold minus_fct, id in E; rewrite sinh_0 in E.
    assert (0 <= cosh c - 1) by (unfold cosh; pose proof (exp_ineq1_le c); pose proof (exp_ineq1_le (- c)); lra).
    assert (0 <= (cosh c - 1) * (u - 0)) by (apply Rmult_le_pos; lra); lra.
Qed.

Lemma scale_bounded y : 1 < y -> y <= 5 / 3 -> 2 * ln y * ((y + 1) / (y - 1)) <= 427 / 100.
Proof.
  intros H1 H2; assert (L : 0 < ln y) by (rewrite <- ln_1; apply ln_increasing; lra).
  pose proof (below_sinh (ln y) L) as S; unfold sinh in S; rewrite exp_Ropp, exp_ln in S by lra.
  apply Rle_trans with ((y - / y) * ((y + 1) / (y - 1))).
  - apply Rmult_le_compat_r; [apply Rlt_le, Rdiv_lt_0_compat; lra | lra].
  - replace ((y - / y) * ((y + 1) / (y - 1))) with ((y + 1) * (y + 1) * / y) by (field; lra).
    apply (Rmult_le_reg_r y); [lra|]; rewrite Rmult_assoc, Rinv_l by lra; nra.
Qed.

Lemma enough L : 1 <= L -> ln 6 + L * ln 2 <= (42 * (L * ln 2) ^ 2 / (427 / 100 * (L + 1))) ^ 2 / 2.
Proof.
  intros HL; pose proof ln_2_between as B.
  assert (L6 : ln 6 <= 19 / 10).
  { replace 6 with (2 * (2 * (1 + 1 / 2))) by field; rewrite !ln_mult by lra.
    assert (ln (1 + 1 / 2) <= 1 / 2) by (rewrite <- (ln_exp (1 / 2)) at 2; apply ln_le; [lra | apply exp_ineq1_le]); lra. }
  assert (Q : 232 / 100 * L <= 42 * (L * ln 2) ^ 2 / (427 / 100 * (L + 1))).
  { apply (Rmult_le_reg_r (427 / 100 * (L + 1))); [lra|].
    replace (42 * (L * ln 2) ^ 2 / (427 / 100 * (L + 1)) * (427 / 100 * (L + 1))) with (42 * (L * ln 2) ^ 2) by (field; lra).
    assert (11 / 16 * (11 / 16) <= ln 2 * ln 2) by (apply Rmult_le_compat; lra).
    assert (L * L * (11 / 16 * (11 / 16)) <= L * L * (ln 2 * ln 2)) by (apply Rmult_le_compat_l; [nra | assumption]).
    replace (42 * (L * ln 2) ^ 2) with (42 * (L * L * (ln 2 * ln 2))) by ring; nra. }
  assert ((232 / 100 * L) ^ 2 <= (42 * (L * ln 2) ^ 2 / (427 / 100 * (L + 1))) ^ 2) by (apply pow_incr; lra).
  assert (L * ln 2 <= L * (7 / 10)) by (apply Rmult_le_compat_l; lra); nra.
Qed.

Theorem erlingsson2019_frequency_error (n : nat) (d : nat) (k : nat) (clients : list (list Z))
    (inputs : list Z * list Z) (exp_half_epsilon : R) :
  (1 <= n)%nat -> (exists L, (1 <= L)%nat /\ d = (2 ^ L)%nat) -> (1 <= k)%nat ->
  length clients = n /\ Forall (input d k) clients -> input d k (fst inputs) /\ input d k (snd inputs) ->
  1 < exp_half_epsilon -> exp_half_epsilon <= 5 / 3 ->
  client_apart d k exp_half_epsilon inputs (exp_half_epsilon ^ 2) <= 0 /\
  estimates_off d k exp_half_epsilon clients (((((42 * (ln (INR d))) * (ln (INR d))) * (INR k)) * (sqrt (INR n)))
    / (2 * (ln exp_half_epsilon))) <= 1 / 3.
Proof.
  intros Hn HD Hk HC HI H1 H2; split; [|clear inputs HI].
  { apply erlingsson2019_theorem_5; try assumption; destruct HD as [L [_ ->]]; now exists L. }
  revert Hn HD Hk HC H1 H2.
  intros Hn [L [HL ->]] Hk [LC HC] H1 H2; set (y := exp_half_epsilon) in *; set (d := (2 ^ L)%nat) in *.
  assert (LD : Nat.log2 d = L) by (unfold d; apply Nat.log2_pow2; lia).
  assert (D2 : INR d = 2 ^ L) by (unfold d; rewrite pow_INR; reflexivity).
  assert (L1 : 1 <= INR L) by (apply (le_INR 1); exact HL); assert (D1 : 1 <= INR d) by (rewrite D2; apply pow_R1_Rle; lra).
  assert (LN : ln (INR d) = INR L * ln 2) by (rewrite D2; apply ln_pow; lra).
  assert (N1 : 1 <= INR n) by (apply (le_INR 1); exact Hn); assert (K1 : 1 <= INR k) by (apply (le_INR 1); exact Hk).
  assert (E0 : 0 < ln y) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (C0 : 0 < (y + 1) / (y - 1)) by (apply Rdiv_lt_0_compat; lra); pose proof (scale_bounded y H1 H2) as CB; set (c := (y + 1) / (y - 1)) in *.
  assert (R0 : 0 < sqrt (INR n)) by (apply sqrt_lt_R0; lra); assert (R2 : sqrt (INR n) * sqrt (INR n) = INR n) by (apply sqrt_sqrt; lra).
  pose proof ln_2_between as TWO.
  set (allowed := 42 * ln (INR d) * ln (INR d) * INR k * sqrt (INR n) / (2 * ln y)).
  assert (SC : scale_of d k y = c * INR k * (INR L + 1)) by (unfold scale_of; rewrite LD; reflexivity).
  assert (S0 : 0 < scale_of d k y) by (rewrite SC; apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra]).
  set (s := allowed / scale_of d k y).
  assert (SB : sqrt (INR n) * (42 * (INR L * ln 2) ^ 2 / (427 / 100 * (INR L + 1))) <= s).
  { unfold s, allowed; rewrite SC, LN.
    replace (42 * (INR L * ln 2) * (INR L * ln 2) * INR k * sqrt (INR n) / (2 * ln y) / (c * INR k * (INR L + 1)))
      with (sqrt (INR n) * (42 * (INR L * ln 2) ^ 2 / (2 * ln y * c * (INR L + 1)))) by (field; lra).
    apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | apply pow2_ge_0]|].
    apply Rinv_le_contravar; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra | lra] | apply Rmult_le_compat_r; lra]. }
  pose proof (enough (INR L) L1) as EN; set (v := 42 * (INR L * ln 2) ^ 2 / (427 / 100 * (INR L + 1))) in *.
  assert (V0 : 0 <= v) by (unfold v; apply Rmult_le_pos; [apply Rmult_le_pos; [lra | apply pow2_ge_0] | apply Rlt_le, Rinv_0_lt_compat; lra]).
  assert (SS : 0 <= s) by (eapply Rle_trans; [|exact SB]; apply Rmult_le_pos; lra).
  assert (X : 2 * exp (- (s ^ 2 / (2 * INR n))) <= 1 / (3 * INR d)).
  { replace (1 / (3 * INR d)) with (2 * exp (- ln (6 * INR d))).
    - apply Rmult_le_compat_l; [lra|]; apply exp_le, Ropp_le_contravar; rewrite ln_mult, LN by lra; eapply Rle_trans; [exact EN|].
      apply (Rmult_le_reg_r (2 * INR n)); [lra|]; replace (s ^ 2 / (2 * INR n) * (2 * INR n)) with (s ^ 2) by (field; lra).
      replace (v ^ 2 / 2 * (2 * INR n)) with ((sqrt (INR n) * v) ^ 2) by (rewrite Rpow_mult_distr; replace (sqrt (INR n) ^ 2) with (INR n) by (rewrite <- R2 at 1; ring); field); apply pow_incr; split; [apply Rmult_le_pos; lra | exact SB].
    - rewrite exp_Ropp, exp_ln by lra; field; lra. }
  unfold estimates_off; apply Rle_trans with (total (map (fun _ => 1 / (3 * INR d)) (seq 1 d))).
  - apply WithoutReplacement.total_le_in; intros t Ht; apply in_seq in Ht; eapply Rle_trans; [|exact X].
    set (users := map (client d k y) clients); assert (LU : length users = n) by (unfold users; now rewrite map_length).
    assert (BU : Forall (bounded (at_cover t)) users).
    { apply Forall_map; eapply Forall_impl; [|exact HC]; intros x Hx; split; [apply client_law; lia || lra|]; intros out; now apply client_at_cover. }
    eapply Rle_trans; [|rewrite <- LU; apply (far_sum (at_cover t) users s BU); [lia | exact SS]].
    apply mean_le; [apply messages_are_law; eapply Forall_impl; [|exact BU]; intros P [Q _]; exact Q|]; intros outs; unfold indicator, is_off.
    assert (E : estimate d k y t outs - truth clients t = scale_of d k y * (total (map (at_cover t) outs) - total (map (mean (at_cover t)) users))).
    { unfold estimate, truth, users; rewrite map_map, Rmult_minus_distr_l; f_equal; rewrite <- total_scale; apply total_ext; intros x Hx; symmetry.
      rewrite Forall_forall in HC; apply client_mean; (assumption || lia || now apply HC). }
    rewrite E, Rabs_mult, (Rabs_right (scale_of d k y)) by lra; set (w := Rabs _).
    assert (W : w <= s -> scale_of d k y * w <= allowed).
    { intros W; replace allowed with (scale_of d k y * s) by (unfold s; field; lra); apply Rmult_le_compat_l; lra. }
    destruct (Rle_dec (scale_of d k y * w) allowed), (Rle_dec w s); try lra; exfalso; auto.
  - rewrite (total_ext _ (fun _ => 1 / (3 * INR d) * 1)), total_scale, WithoutReplacement.total_one, seq_length by (intros; ring); right; field; lra.
Qed.
