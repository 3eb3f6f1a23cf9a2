(** * The longitudinal client

    Algorithm 1 of Erlingsson et al. 2019, line by line: d periods, x[t] the change of period t, which is -1, 0 or 1.
    The client draws which change it reports, kappa_star, and the level h_star; at the end of each of the level's
    nodes it sends a sign, which is that change's with probability y / (1 + y), y = e^(eps/2), if it
    lies below the node, and a fair coin else.
    - [client_ratio]: whatever the inputs, no output is more than y times as likely: the client is (eps/2)-private.

    Source: Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019, Algorithm 1 and Theorem 5. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Require Import ExactDP Swapping.
Import ListNotations.
Open Scope R_scope.

(** What line 20 sends in a period: (h_star, t, u), or nothing. *)
Definition report : Type := option (nat * nat * Z).
Definition same_reports : forall x y : list report, {x = y} + {x <> y} :=
  ltac:(repeat decide equality).

(** A sign that is 1 with probability p. *)
Definition sign (p : R) : law Z := [(1%Z, p); ((-1)%Z, 1 - p)].

(** Update (lines 6 to 20) in the periods from t on: kappa changes were seen, c waits to be reported. *)
Fixpoint updates (y : R) (kappa_star h_star kappa : nat) (c : Z) (t : nat) (changes : list Z) : law (list report) :=
  match changes with
  | [] => certain []
  | x :: changes =>
    let kappa := if Z.eqb x 0 then kappa else S kappa in
    let c := if negb (Z.eqb x 0) && (kappa =? kappa_star)%nat then x else c in
    if (t mod 2 ^ (h_star - 1) =? 0)%nat then
      let u := if Z.eqb c 0 then sign (1 / 2) else image (fun b => (b * c)%Z) (sign (y / (1 + y))) in
      bind u (fun u => image (cons (Some (h_star, t, u))) (updates y kappa_star h_star kappa 0 (S t) changes))
    else image (cons None) (updates y kappa_star h_star kappa c (S t) changes)
  end.

(** Setup (lines 1 to 4), and d updates. *)
Definition client (d k : nat) (y : R) (x : list Z) : law (list report) :=
  bind (uniform k) (fun kappa => bind (uniform (Nat.log2 d + 1)) (fun h => updates y (S kappa) (S h) 0 0 1 x)).

Definition change (x : Z) : Prop := x = (-1)%Z \/ x = 0%Z \/ x = 1%Z.
Definition input (d k : nat) (x : list Z) : Prop :=
  length x = d /\ Forall change x /\ (length (filter (fun c => negb (Z.eqb c 0)) x) <= k)%nat.

(** All signs fair. *)
Fixpoint fair_signs (h_star t d : nat) : law (list report) :=
  match d with
  | 0%nat => certain []
  | S d =>
    if (t mod 2 ^ (h_star - 1) =? 0)%nat
    then bind (sign (1 / 2)) (fun u => image (cons (Some (h_star, t, u))) (fair_signs h_star (S t) d))
    else image (cons None) (fair_signs h_star (S t) d)
  end.

Section Client.
Variables (y : R) (kappa_star h_star : nat).
Variable (Hy : 1 < y).

Lemma sign_mean p f : mean f (sign p) = p * f 1%Z + (1 - p) * f (-1)%Z.
Proof. cbn; ring. Qed.

(** Once the change is reported, or has passed unseen. *)
Lemma fair_after changes : forall kappa t f, (kappa_star <= kappa)%nat ->
  mean f (updates y kappa_star h_star kappa 0 t changes) = mean f (fair_signs h_star t (length changes)).
Proof.
  induction changes as [|x changes IH]; intros kappa t f H; [reflexivity|]; cbn [updates fair_signs length].
  set (kappa' := if Z.eqb x 0 then kappa else S kappa).
  assert (H' : (kappa_star <= kappa')%nat) by (unfold kappa'; destruct (Z.eqb x 0); lia).
  assert (C : (if negb (Z.eqb x 0) && (kappa' =? kappa_star)%nat then x else 0%Z) = 0%Z).
  { unfold kappa'; destruct (Z.eqb_spec x 0) as [->|_]; [reflexivity|]; cbn [negb andb].
    destruct (Nat.eqb_spec (S kappa) kappa_star); [lia | reflexivity]. }
  rewrite C; cbn [Z.eqb]; destruct (_ =? 0)%nat.
  - rewrite !mean_bind; apply mean_ext; intros u; rewrite !mean_image; now apply IH.
  - rewrite !mean_image; now apply IH.
Qed.

Let low := 2 / (1 + y).
Let high := 2 * y / (1 + y).

Lemma mean_positive {A} (f : A -> R) P : nonnegative P -> (forall a, 0 <= f a) -> 0 <= mean f P.
Proof.
  intros N H; replace 0 with (mean (fun _ : A => 0 * 1) P) by (rewrite mean_scale; ring).
  apply mean_le; [exact N|]; intros a; specialize (H a); lra.
Qed.

Lemma fair_signs_law t d : is_law (fair_signs h_star t d).
Proof.
  revert t; induction d as [|d IH]; intros t; [apply (certain_is_law (@nil report))|]; cbn [fair_signs].
  destruct (_ =? 0)%nat; [|now apply image_is_law].
  apply bind_is_law; [split; [repeat constructor; cbn; lra | cbn; ring] | intros; now apply image_is_law].
Qed.

(** One sign at most is not fair, and that one has probabilities 1/(1 + y) and y/(1 + y). *)
Lemma near_fair changes : Forall change changes -> forall kappa c t f, (forall ys, 0 <= f ys) ->
  change c -> (c = 0%Z \/ (kappa_star <= kappa)%nat) ->
  low * mean f (fair_signs h_star t (length changes)) <= mean f (updates y kappa_star h_star kappa c t changes)
  <= high * mean f (fair_signs h_star t (length changes)).
Proof.
  assert (I : 0 < / (1 + y)) by (apply Rinv_0_lt_compat; lra).
  assert (Y : 1 * / (1 + y) <= y * / (1 + y)) by (apply Rmult_le_compat_r; lra).
  assert (One : 1 * / (1 + y) + y * / (1 + y) = 1) by (field; lra).
  assert (B : low <= 1 <= high) by (unfold low, high, Rdiv; lra).
  intros V; induction V as [|x changes Vx V IH]; intros kappa c t f Hf Hc Hk.
  { cbn; specialize (Hf []); unfold low, high in *; split; [apply Rle_trans with (1 * (1 * f [] + 0)) | apply Rle_trans with (1 * (1 * f [] + 0))];
      try lra; apply Rmult_le_compat_r; lra. }
  cbn [updates fair_signs length].
  set (kappa' := if Z.eqb x 0 then kappa else S kappa).
  set (c' := if negb (Z.eqb x 0) && (kappa' =? kappa_star)%nat then x else c).
  assert (Hc' : change c') by (unfold c'; destruct (negb _ && _); assumption).
  assert (Hk' : c' = 0%Z \/ (kappa_star <= kappa')%nat).
  { unfold c', kappa'; destruct (Z.eqb_spec x 0) as [->|]; cbn [negb andb]; [exact Hk|].
    destruct (Nat.eqb_spec (S kappa) kappa_star); [right; lia | destruct Hk; [now left | right; lia]]. }
  destruct (_ =? 0)%nat.
  - destruct (Z.eqb_spec c' 0) as [Z|Z].
    + rewrite !mean_bind, <- !mean_scale; assert (N : nonnegative (sign (1 / 2))) by (repeat constructor; cbn; lra).
      split; apply mean_le; try exact N; intros u; rewrite !mean_image;
        apply (IH kappa' 0%Z (S t) (fun ys => f (Some (h_star, t, u) :: ys)));
        try (intros; apply Hf); (right; now left) || now left.
    + destruct Hk' as [Hk'|Hk']; [contradiction|].
      set (g := fun u => mean (fun ys => f (Some (h_star, t, u) :: ys)) (fair_signs h_star (S t) (length changes))).
      assert (G : forall u, 0 <= g u) by (intros u; apply mean_positive; [apply fair_signs_law | intros; apply Hf]).
      rewrite !mean_bind.
      rewrite (mean_ext _ g (sign (1 / 2))) by (intros; apply mean_image).
      rewrite (mean_ext _ g (image _ _)) by (intros u; rewrite mean_image; now apply fair_after).
      rewrite mean_image, !sign_mean; unfold low, high.
      replace (1 - 1 / 2) with (1 / 2) by field; replace (1 - y / (1 + y)) with (/ (1 + y)) by (field; lra).
      assert (S : forall u v, 0 <= u -> 0 <= v -> 2 / (1 + y) * (1 / 2 * u + 1 / 2 * v) <= y / (1 + y) * u + / (1 + y) * v
        <= 2 * y / (1 + y) * (1 / 2 * u + 1 / 2 * v)).
      { intros u v Hu Hv; assert (/ (1 + y) * u <= y / (1 + y) * u) by (apply Rmult_le_compat_r; unfold Rdiv; lra).
        assert (/ (1 + y) * v <= y / (1 + y) * v) by (apply Rmult_le_compat_r; unfold Rdiv; lra).
        replace (2 / (1 + y) * (1 / 2 * u + 1 / 2 * v)) with (/ (1 + y) * u + / (1 + y) * v) by (field; lra).
        replace (2 * y / (1 + y) * (1 / 2 * u + 1 / 2 * v)) with (y / (1 + y) * u + y / (1 + y) * v) by (field; lra); lra. }
      clearbody c'; destruct Hc' as [-> | [-> | ->] ]; [| contradiction |]; cbn [Z.mul Pos.mul].
      * specialize (S (g (-1)%Z) (g 1%Z) (G _) (G _)); lra.
      * specialize (S (g 1%Z) (g (-1)%Z) (G _) (G _)); lra.
  - rewrite !mean_image; now apply (IH kappa' c' (S t) (fun ys => f (None :: ys))).
Qed.
End Client.

Lemma uniform_law n : (0 < n)%nat -> is_law (uniform n).
Proof.
  intros H; apply lt_0_INR in H; split; unfold uniform.
  - apply Forall_map, Forall_forall; intros i _; cbn; apply Rlt_le, Rinv_0_lt_compat, H.
  - rewrite mean_listed, (total_ext _ (fun _ => / INR n)) by (intros; ring).
    rewrite total_constant, seq_length; field; lra.
Qed.

Lemma sign_law p : 0 <= p <= 1 -> is_law (sign p).
Proof. intros H; split; [constructor; [cbn; lra | constructor; [cbn; lra | constructor]] | cbn; ring]. Qed.

Lemma updates_law y kappa_star h_star changes : 0 < y -> forall kappa c t,
  is_law (updates y kappa_star h_star kappa c t changes).
Proof.
  intros Hy; induction changes as [|x changes IH]; intros kappa c t; [apply (certain_is_law (@nil report))|].
  assert (T : 0 <= y / (1 + y) <= 1).
  { split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra]|].
    apply (Rmult_le_reg_r (1 + y)); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
  cbn [updates]; destruct (_ mod _ =? 0)%nat; [|apply image_is_law, IH]; apply bind_is_law.
  - destruct (Z.eqb _ 0); [apply sign_law; lra | now apply image_is_law, sign_law].
  - intros u; apply image_is_law, IH.
Qed.

Theorem client_law d k y x : (0 < k)%nat -> 0 < y -> is_law (client d k y x).
Proof.
  intros Hk Hy; apply bind_is_law; [now apply uniform_law|]; intros kappa.
  apply bind_is_law; [apply uniform_law; lia | intros h; now apply updates_law].
Qed.

Lemma mean_uniform_between (n : nat) (f g : nat -> R) : (forall i, f i <= g i) -> mean f (uniform n) <= mean g (uniform n).
Proof.
  intros H; apply mean_le; [|exact H]; unfold uniform; apply Forall_map, Forall_forall; intros i Hi; cbn.
  apply in_seq in Hi; apply Rlt_le, Rinv_0_lt_compat, lt_0_INR; lia.
Qed.

Theorem client_ratio d k y x x' f :
  1 < y -> length x = d -> length x' = d -> Forall change x -> Forall change x' -> (forall ys, 0 <= f ys) ->
  mean f (client d k y x) <= y * mean f (client d k y x').
Proof.
  intros Hy L L' V V' Hf; unfold client; rewrite !mean_bind, <- mean_scale; apply mean_uniform_between; intros kappa.
  rewrite !mean_bind, <- mean_scale; apply mean_uniform_between; intros h.
  pose proof (near_fair y (S kappa) (S h) Hy x V 0 0 1 f Hf ltac:(right; now left) ltac:(now left)) as [_ U].
  pose proof (near_fair y (S kappa) (S h) Hy x' V' 0 0 1 f Hf ltac:(right; now left) ltac:(now left)) as [W _].
  rewrite L in U; rewrite L' in W; set (m := mean f (fair_signs (S h) 1 d)) in *.
  apply (Rmult_le_compat_l y) in W; [|lra]; eapply Rle_trans; [exact U|]; eapply Rle_trans; [|exact W].
  right; field; lra.
Qed.
