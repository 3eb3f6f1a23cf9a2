(** * Tests of two mixtures (Liu et al. 2024, Section 3.3)

    A test rejects with a probability at each outcome. Each theorem is a claim of the catalog, its statement exported
    from the claim's own form. *)

From Coq Require Import Reals List Lra Bool.
Require Import ExactDP Claims.
Import ListNotations.
Open Scope R_scope.

Lemma any_test {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) E (test : A -> R) :
  (forall y, 0 <= test y <= 1) -> mean test P - E * mean test Q <= hockey_stick same P Q E.
Proof.
  intros H; set (K := fun y : A => [(true, test y); (false, 1 - test y)]).
  eapply Rle_trans; [|apply (randomized_post_processing same bool_dec K P Q E)].
  - destruct (hockey_stick_largest bool_dec (bind P K) (bind Q K) E) as [U _]; specialize (U (fun b => b)).
    assert (M : forall L, prob (fun b => b) (bind L K) = mean test L).
    { intros L; unfold prob; rewrite mean_bind; apply mean_ext; intros y; cbn; unfold indicator; ring. }
    now rewrite !M in U.
  - intros y; specialize (H y); split; [|cbn; ring]; do 2 (apply Forall_cons; [cbn; lra|]); apply Forall_nil.
Qed.

Theorem liu2024_mixture {A} (same : forall x y : A, {x = y} + {x <> y}) (weights : law nat) (parts : nat ->
    law A * law A) (exp_epsilon : R) (test : A -> R) :
  is_law weights -> (forall i, is_law (fst (parts i)) /\ is_law (snd (parts i))) -> 0 <= exp_epsilon ->
  (forall y, 0 <= test y <= 1) -> hockey_stick same (bind weights (fun i => fst (parts i))) (bind weights
  (fun i => snd (parts i))) exp_epsilon <= mean (fun i => hockey_stick same (fst (parts i)) (snd (parts
  i)) exp_epsilon) weights /\ mean test (bind weights (fun i => snd (parts i))) = mean (fun i => mean test
  (snd (parts i))) weights /\ 1 - (mean test (bind weights (fun i => fst (parts i)))) >= mean (fun i => 1
  - hockey_stick same (fst (parts i)) (snd (parts i)) exp_epsilon - exp_epsilon * mean test (snd (parts
  i))) weights.
Proof.
  intros LW LP HE HT; split; [|split].
  - apply lemmas_joint_convexity; assumption.
  - apply mean_bind.
  - rewrite mean_bind; destruct LW as [N One]; apply Rle_ge.
    assert (S : 1 - mean (fun i => mean test (fst (parts i))) weights = mean (fun i => 1 - mean test (fst (parts i))) weights).
    { rewrite (mean_ext (fun i => 1 - mean test (fst (parts i))) (fun i => 1 + -1 * mean test (fst (parts i)))) by (intros; ring).
      rewrite mean_plus, mean_scale, One; ring. }
    rewrite S; clear -HT N; induction N as [|[i w] rest Hw N IH]; [cbn; lra|]; cbn in Hw; cbn [mean].
    pose proof (any_test same (fst (parts i)) (snd (parts i)) exp_epsilon test HT) as T.
    apply Rplus_le_compat; [apply Rmult_le_compat_l; lra | exact IH].
Qed.
