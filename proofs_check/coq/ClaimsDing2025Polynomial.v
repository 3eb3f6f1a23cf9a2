(** * Ding, Lu, Yang and Zhang (2025), Section 4.3.1: (13) is a polynomial equation

    The theorem is a claim of the catalog, its statement exported from the claim's own form. *)

From Coq Require Import Reals List Lra Lia.
Require Import ExactDP Noise Transport ClaimsDing2025Columns.
Import ListNotations.
Open Scope R_scope.

(** The probability that |D| = j. *)
Definition coefficient (P : law R) (j : nat) : R := prob (fun x => if Req_EM_T (Rabs x) (INR j) then true else false) P.

Lemma size_of_integer k : exists j, Rabs (IZR k) = INR j.
Proof. exists (Z.abs_nat k); rewrite <- abs_IZR, INR_IZR_INZ, Zabs2Nat.id_abs; reflexivity. Qed.

Lemma one_power (g x : R) n k : (k <= n)%nat -> Rabs x = INR k ->
  total (map (fun j => indicator (fun y => if Req_EM_T (Rabs y) (INR j) then true else false) x * g ^ j) (seq 0 (S n))) = g ^ k.
Proof.
  intros K E.
  assert (H : forall l, NoDup l -> total (map (fun j => indicator (fun y => if Req_EM_T (Rabs y) (INR j) then true else false) x * g ^ j) l)
    = if in_dec Nat.eq_dec k l then g ^ k else 0).
  { induction l as [|j l IH]; intros N; [reflexivity|]; inversion N as [|u v A B]; subst; cbn [map total]; rewrite (IH B).
    unfold indicator; rewrite E; destruct (Req_EM_T (INR k) (INR j)) as [F|F].
    - apply INR_eq in F; subst; destruct (in_dec Nat.eq_dec j l); [contradiction|].
      destruct (in_dec Nat.eq_dec j (j :: l)) as [_|D]; [ring | exfalso; apply D; now left].
    - destruct (in_dec Nat.eq_dec k l) as [I|I], (in_dec Nat.eq_dec k (j :: l)) as [J|J]; try ring.
      + exfalso; apply J; now right.
      + destruct J as [->|J]; [now elim F | contradiction]. }
  rewrite (H _ (seq_NoDup _ _)); destruct in_dec as [_|D]; [reflexivity | exfalso; apply D, in_seq; lia].
Qed.

Lemma mean_equal_on {A} (f h : A -> R) P :
  nonnegative P -> (forall e, In e P -> 0 < snd e -> f (fst e) = h (fst e)) -> mean f P = mean h P.
Proof. intros N H; apply Rle_antisym; apply mean_le_on; try exact N; intros e I M; rewrite (H e I M); lra. Qed.

Theorem ding2025_polynomial (P : law R) (growth : R) (n : nat) : is_law P /\ integers P -> 1 < growth ->
    size P = INR n -> moment growth P = total (map (fun j => coefficient P j * growth ^ j) (seq 0 (S n)))
    /\ coefficient P n > 0.
Proof.
  intros [[N M] IP] G Z; split.
  - unfold moment; rewrite (mean_equal_on _ (fun x => total (map (fun j =>
      indicator (fun y => if Req_EM_T (Rabs y) (INR j) then true else false) x * growth ^ j) (seq 0 (S n)))) P N).
    + rewrite mean_total; apply total_ext; intros j _; unfold coefficient, prob; rewrite Rmult_comm, <- mean_scale.
      apply mean_ext; intros x; ring.
    + intros e I W; destruct (integer_point P (fst e) IP) as [k K]; [now apply in_map|].
      destruct (size_of_integer k) as [j J]; rewrite <- K in J; rewrite (one_power growth (fst e) n j).
      * rewrite J; apply Rpower_pow; lra.
      * pose proof (size_ge P e I W) as S; rewrite Z, J in S; now apply INR_le.
      * exact J.
  - assert (T : exists e, In e P /\ 0 < snd e /\ Rabs (fst e) = INR n).
    { assert (Q : exists e, In e P /\ 0 < snd e).
      { clear -N M; induction P as [|[x w] l IH]; cbn [mean] in M; [lra|]; inversion N as [|u v Hw N']; subst; cbn in Hw.
        destruct Hw as [Hw|<-]; [exists (x, w); split; [now left | exact Hw]|].
        destruct IH as [e [I W]]; [exact N' | lra|]; exists e; split; [now right | exact W]. }
      destruct Q as [e [I W]]; destruct (Req_EM_T (INR n) 0) as [Z0|Z0].
      - exists e; split; [exact I|]; split; [exact W|]; pose proof (size_ge P e I W); pose proof (Rabs_pos (fst e)); lra.
      - assert (H : forall l, incl l P -> largest (map (fun e => if Rlt_dec 0 (snd e) then Rabs (fst e) else 0) l) = INR n ->
          exists e, In e P /\ 0 < snd e /\ Rabs (fst e) = INR n).
        { induction l as [|a l IH]; intros J L; cbn [map largest fold_right] in L; [now elim Z0|].
          unfold Rmax in L at 1; destruct Rle_dec; [apply IH; [intros b B; apply J; now right | exact L]|].
          destruct (Rlt_dec 0 (snd a)); [exists a; split; [apply J; now left | split; assumption] | now elim Z0]. }
        exact (H P (incl_refl P) Z). }
    destruct T as [e [I [W E]]]; unfold coefficient, prob; apply Rlt_gt; clear -I W E N.
    set (f := indicator (fun x => if Req_EM_T (Rabs x) (INR n) then true else false)).
    assert (F : forall x, 0 <= f x) by (intros x; unfold f, indicator; destruct Req_EM_T; lra).
    assert (F1 : f (fst e) = 1) by (unfold f, indicator; destruct Req_EM_T; [reflexivity | contradiction]).
    clearbody f; induction P as [|a l IH]; [easy|]; inversion N as [|u v Hw N']; subst; destruct a as [x w]; cbn [mean] in *; cbn in Hw.
    assert (K : 0 <= mean f l).
    { apply Rle_trans with (mean (fun _ => 0 * 1) l); [rewrite mean_scale; lra|]; apply mean_le; [exact N'|]; intros y; specialize (F y); lra. }
    specialize (F x); destruct I as [<-|I]; [cbn in W, F1; rewrite F1; lra | specialize (IH N' I); nra].
Qed.
