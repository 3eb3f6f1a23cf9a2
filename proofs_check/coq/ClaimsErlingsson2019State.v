(** * The client's state (Erlingsson et al. 2019, Section 3)

    A machine whose state is four integers reports as Algorithm 1 does. The theorem is a claim of the catalog, its statement
    exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia ZArith Bool.
Require Import ExactDP Swapping Longitudinal.
Import ListNotations.
Open Scope R_scope.

(** kappa_star, the level, and two counters: of the changes, and the change that waits. *)
Definition state : Type := nat * nat * nat * Z.

(** Lines 6 to 20: the next state and what is sent, of the state, the period and its change alone. *)
Definition step (y : R) (s : state) (t : nat) (x : Z) : law (state * report) :=
  match s with (kappa_star, h_star, kappa, c) =>
    let kappa := if Z.eqb x 0 then kappa else S kappa in
    let c := if negb (Z.eqb x 0) && (kappa =? kappa_star)%nat then x else c in
    if (t mod 2 ^ (h_star - 1) =? 0)%nat then
      let u := if Z.eqb c 0 then sign (1 / 2) else image (fun b => (b * c)%Z) (sign (y / (1 + y))) in
      image (fun u => ((kappa_star, h_star, kappa, 0%Z), Some (h_star, t, u))) u
    else certain ((kappa_star, h_star, kappa, c), None)
  end.
Fixpoint steps_from (y : R) (s : state) (t : nat) (changes : list Z) : law (list report) :=
  match changes with
  | [] => certain []
  | x :: changes => bind (step y s t x) (fun r => image (cons (snd r)) (steps_from y (fst r) (S t) changes))
  end.
Definition by_state (d k : nat) (y : R) (x : list Z) : law (list report) :=
  bind (uniform k) (fun kappa => bind (uniform (Nat.log2 d + 1)) (fun h => steps_from y (S kappa, S h, 0%nat, 0%Z) 1 x)).

Lemma steps_are_updates y changes : forall kappa_star h_star kappa c t f,
  mean f (steps_from y (kappa_star, h_star, kappa, c) t changes) = mean f (updates y kappa_star h_star kappa c t changes).
Proof.
  induction changes as [|x changes IH]; intros kappa_star h_star kappa c t f; [reflexivity|]; cbn [steps_from updates step].
  destruct (t mod 2 ^ (h_star - 1) =? 0)%nat.
  - rewrite mean_bind, mean_image, mean_bind; apply mean_ext; intros u; cbn [fst snd]; rewrite !mean_image; apply IH.
  - unfold certain; cbn [bind]; rewrite app_nil_r, mean_weighted; cbn [fst snd]; rewrite !mean_image, IH; apply Rmult_1_l.
Qed.

Theorem erlingsson2019_client_state (d : nat) (k : nat) (x : list Z) (exp_half_epsilon : R) :
  (exists L, d = (2 ^ L)%nat) -> (1 <= k)%nat -> input d k x -> 1 < exp_half_epsilon ->
  total_variation same_reports (by_state d k exp_half_epsilon x) (client d k exp_half_epsilon x) = 0.
Proof.
  intros _ _ _ _; assert (E : forall f, mean f (by_state d k exp_half_epsilon x) = mean f (client d k exp_half_epsilon x)).
  { intros f; unfold by_state, client; rewrite !mean_bind; apply mean_ext; intros kappa; rewrite !mean_bind; apply mean_ext; intros h.
    apply steps_are_updates. }
  assert (Z : forall P Q : law (list report), (forall f, mean f P = mean f Q) -> hockey_stick same_reports P Q 1 = 0).
  { intros P Q F; apply Rle_antisym; [|apply hockey_stick_nonnegative]; apply below_every_event; intros S; unfold prob; rewrite F; lra. }
  unfold total_variation; rewrite (Z _ _ E), (Z _ _ (fun f => eq_sym (E f))); ring.
Qed.
