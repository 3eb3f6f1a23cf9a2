(** * Laws of losses on a lattice, as integers: products, windows, every second point

    A law has a mass for each loss j h, in units of 1/u, and one of infinite losses; [height] is its curve. Proved here:
    - [multiplied_means]: one product of two long integers is the product of two laws;
    - [rounded_above], [trimmed_above], [coarser_above]: what is rounded up, what leaves a window, and a law on every
      second point only raise a curve;
    - [points_means]: the points of a law are not above its curve; [law_above]: a pair that is not above the points is
      below the curve. *)

From Coq Require Import Reals List Lra Lia ZArith Bool Sorted.
Require Import ExactDP AdvancedComposition Curves.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over masses, from the integer [f] on *)

Fixpoint sum_from (g : Z -> R) (ms : list Z) (f : Z) : R :=
  match ms with [] => 0 | m :: ms => IZR m * g f + sum_from g ms (f + 1)%Z end.

Definition nonnegative_masses (ms : list Z) := Forall (fun m => (0 <= m)%Z) ms.

Lemma sum_from_nonnegative g ms : (forall j, 0 <= g j) -> nonnegative_masses ms -> forall f, 0 <= sum_from g ms f.
Proof.
  intros G N; induction N as [|m ms Hm N IH]; intros f; cbn [sum_from]; [lra|].
  pose proof (Rmult_le_pos (IZR m) (g f) (IZR_le _ _ Hm) (G f)); specialize (IH (f + 1)%Z); lra.
Qed.

Lemma sum_from_le g h ms : (forall j, g j <= h j) -> nonnegative_masses ms -> forall f, sum_from g ms f <= sum_from h ms f.
Proof.
  intros G N; induction N as [|m ms Hm N IH]; intros f; cbn [sum_from]; [lra|].
  pose proof (Rmult_le_compat_l (IZR m) _ _ (IZR_le _ _ Hm) (G f)); specialize (IH (f + 1)%Z); lra.
Qed.

Lemma sum_from_ext g h ms : (forall j, g j = h j) -> forall f, sum_from g ms f = sum_from h ms f.
Proof. intros G; induction ms as [|m ms IH]; intros f; cbn [sum_from]; [reflexivity | now rewrite G, IH]. Qed.

Lemma sum_from_scaled c g ms : forall f, sum_from (fun j => c * g j) ms f = c * sum_from g ms f.
Proof. induction ms as [|m ms IH]; intros f; cbn [sum_from]; [ring | rewrite IH; ring]. Qed.

Lemma sum_from_minus g h ms : forall f, sum_from (fun j => g j - h j) ms f = sum_from g ms f - sum_from h ms f.
Proof. induction ms as [|m ms IH]; intros f; cbn [sum_from]; [ring | rewrite IH; ring]. Qed.

(** ** Integers whose digits are masses *)

Fixpoint value_at (B : Z) (l : list Z) : Z := match l with [] => 0 | c :: l => c + B * value_at B l end%Z.
Definition digits (B : Z) (l : list Z) := Forall (fun c => 0 <= c < B)%Z l.

Fixpoint plus_lists (a b : list Z) : list Z :=
  match a, b with x :: a, y :: b => (x + y)%Z :: plus_lists a b | [], b => b | a, [] => a end.
Fixpoint convolution (a b : list Z) : list Z :=
  match a with [] => [] | x :: a => plus_lists (map (Z.mul x) b) (0%Z :: convolution a b) end.

Lemma sum_plus_lists g a : forall b f, sum_from g (plus_lists a b) f = sum_from g a f + sum_from g b f.
Proof.
  induction a as [|x a IH]; intros [|y b] f; cbn [plus_lists sum_from]; try lra.
  rewrite IH, plus_IZR; lra.
Qed.

Lemma sum_scaled g x b : forall f, sum_from g (map (Z.mul x) b) f = IZR x * sum_from g b f.
Proof. induction b as [|y b IH]; intros f; cbn [map sum_from]; [lra | rewrite IH, mult_IZR; lra]. Qed.

Lemma sum_convolution g a b : forall f e,
  sum_from g (convolution a b) (f + e) = sum_from (fun i => sum_from (fun j => g (i + j)%Z) b e) a f.
Proof.
  assert (M : forall b i e, sum_from g b (i + e) = sum_from (fun j => g (i + j)%Z) b e).
  { intros l; induction l as [|y l IH]; intros i e; cbn [sum_from]; [reflexivity|].
    now rewrite <- Z.add_assoc, IH. }
  induction a as [|x a IH]; intros f e; cbn [convolution sum_from]; [reflexivity|].
  rewrite sum_plus_lists, sum_scaled; cbn [sum_from]; rewrite M.
  replace (f + e + 1)%Z with (f + 1 + e)%Z by lia; rewrite IH; lra.
Qed.

Lemma value_plus_lists B a : forall b, value_at B (plus_lists a b) = (value_at B a + value_at B b)%Z.
Proof. induction a as [|x a IH]; intros [|y b]; cbn [plus_lists value_at]; try lia; rewrite IH; lia. Qed.

Lemma value_scaled B x b : value_at B (map (Z.mul x) b) = (x * value_at B b)%Z.
Proof. induction b as [|y b IH]; cbn [map value_at]; [lia | rewrite IH; lia]. Qed.

Lemma value_convolution B a b : value_at B (convolution a b) = (value_at B a * value_at B b)%Z.
Proof.
  induction a as [|x a IH]; cbn [convolution value_at]; [lia|].
  rewrite value_plus_lists, value_scaled; cbn [value_at]; rewrite IH; lia.
Qed.

Lemma plus_lists_nonnegative a : forall b, nonnegative_masses a -> nonnegative_masses b -> nonnegative_masses (plus_lists a b).
Proof.
  induction a as [|x a IH]; intros [|y b] Ha Hb; cbn [plus_lists]; auto.
  inversion Ha; inversion Hb; subst; constructor; [lia | now apply IH].
Qed.

Lemma convolution_nonnegative a b : nonnegative_masses a -> nonnegative_masses b -> nonnegative_masses (convolution a b).
Proof.
  intros Ha Hb; induction Ha as [|x a Hx Ha IH]; cbn [convolution]; [constructor|].
  apply plus_lists_nonnegative; [|constructor; [lia | exact IH]].
  clear -Hx Hb; induction Hb as [|y b Hy Hb IH]; constructor; [now apply Z.mul_nonneg_nonneg | exact IH].
Qed.

Lemma value_nonnegative B l : (0 <= B)%Z -> nonnegative_masses l -> (0 <= value_at B l)%Z.
Proof.
  intros HB N; induction N as [|x l Hx N IH]; cbn [value_at]; [lia|]; apply Z.add_nonneg_nonneg; [exact Hx | now apply Z.mul_nonneg_nonneg].
Qed.

Lemma below_total l : nonnegative_masses l -> Forall (fun c => 0 <= c <= value_at 1 l)%Z l.
Proof.
  intros N; induction N as [|x l Hx N IH]; constructor; cbn [value_at].
  - pose proof (value_nonnegative 1 l ltac:(lia) N); lia.
  - eapply Forall_impl; [|exact IH]; cbv beta; intros c Hc; lia.
Qed.

(** A number has one list of digits, but for zeros at its end. *)
Lemma zero_digits B l : (0 < B)%Z -> digits B l -> value_at B l = 0%Z -> forall g f, sum_from g l f = 0.
Proof.
  intros HB D; induction D as [|x l Hx D IH]; intros V g f; cbn [value_at sum_from] in *; [reflexivity|].
  assert (V' : (0 <= value_at B l)%Z) by (apply value_nonnegative; [lia | eapply Forall_impl; [|exact D]; cbn; lia]).
  assert (x = 0 /\ value_at B l = 0)%Z as [-> Z] by nia; rewrite (IH Z); lra.
Qed.

Lemma same_digits B a : (0 < B)%Z -> forall b, digits B a -> digits B b -> value_at B a = value_at B b ->
  forall g f, sum_from g a f = sum_from g b f.
Proof.
  intros HB; induction a as [|x a IH]; intros b Da Db V g f.
  - symmetry; apply (zero_digits B); auto; cbn [value_at] in V; lia.
  - destruct b as [|y b]; [apply (zero_digits B); auto; cbn [value_at] in V |- *; lia|].
    inversion Da as [|? ? Hx Da']; inversion Db as [|? ? Hy Db']; subst; cbn [value_at sum_from] in *.
    assert (x = y /\ value_at B a = value_at B b)%Z as [-> E].
    { assert (E : (x mod B = y mod B)%Z).
      { rewrite <- (Z_mod_plus_full x (value_at B a) B), <- (Z_mod_plus_full y (value_at B b) B); f_equal; lia. }
      rewrite !Z.mod_small in E by lia; nia. }
    now rewrite (IH b Da' Db' E).
Qed.

Fixpoint merged (w : Z) (l : list Z) : list Z :=
  match l with x :: y :: l => (x + Z.shiftl y w)%Z :: merged w l | l => l end.
Fixpoint spread (w : Z) (l : list Z) : list Z :=
  match l with [] => [] | x :: l => let q := Z.shiftr x w in (x - Z.shiftl q w)%Z :: q :: spread w l end.
Fixpoint packed (k : nat) (w : Z) (l : list Z) : list Z :=
  match k with O => l | S k => packed k (2 * w)%Z (merged w l) end.
Fixpoint unpacked (k : nat) (w n : Z) : list Z :=
  match k with O => [n] | S k => spread w (unpacked k (2 * w)%Z n) end.

Lemma two_powers w : (0 <= w)%Z -> (2 ^ (2 * w) = 2 ^ w * 2 ^ w)%Z.
Proof. intros H; rewrite <- Z.pow_add_r by lia; f_equal; lia. Qed.

Lemma merged_means w l : (0 <= w)%Z -> value_at (2 ^ w) l = value_at (2 ^ (2 * w)) (merged w l).
Proof.
  intros H; rewrite two_powers by exact H; set (B := (2 ^ w)%Z).
  assert (G : forall n l, (length l <= n)%nat -> value_at B l = value_at (B * B) (merged w l)).
  { induction n as [|n IH]; intros [|x [|y r]] L; cbn [length merged value_at] in *; try lia.
    rewrite (IH r) by lia; rewrite Z.shiftl_mul_pow2 by exact H; fold B; lia. }
  now apply (G (length l)).
Qed.

Lemma packed_means k : forall w l, (0 <= w)%Z -> value_at (2 ^ w) l = value_at (2 ^ (w * 2 ^ Z.of_nat k)) (packed k w l).
Proof.
  induction k as [|k IH]; intros w l H; cbn [packed]; [now rewrite Z.mul_1_r|].
  rewrite merged_means, IH by lia; f_equal; f_equal; rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia; lia.
Qed.

Lemma spread_means w l : (0 <= w)%Z -> digits (2 ^ (2 * w)) l ->
  digits (2 ^ w) (spread w l) /\ value_at (2 ^ w) (spread w l) = value_at (2 ^ (2 * w)) l.
Proof.
  intros H D; rewrite two_powers in * by exact H; pose proof (Z.pow_pos_nonneg 2 w ltac:(lia) H) as P; set (B := (2 ^ w)%Z) in *.
  induction D as [|x l Hx D [IH1 IH2]]; cbn [spread value_at]; [split; [constructor | reflexivity]|].
  rewrite Z.shiftr_div_pow2, Z.shiftl_mul_pow2 by exact H; fold B; pose proof (Z.div_mod x B ltac:(lia)) as E.
  pose proof (Z.mod_pos_bound x B P); split; [|rewrite IH2; nia].
  constructor; [nia|]; constructor; [|exact IH1]; split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia].
Qed.

Lemma unpacked_means k : forall w n, (0 <= w)%Z -> (0 <= n < 2 ^ (w * 2 ^ Z.of_nat k))%Z ->
  digits (2 ^ w) (unpacked k w n) /\ value_at (2 ^ w) (unpacked k w n) = n.
Proof.
  induction k as [|k IH]; intros w n H N; cbn [unpacked].
  - rewrite Z.mul_1_r in N; split; [repeat constructor; lia | cbn; lia].
  - rewrite Nat2Z.inj_succ, Z.pow_succ_r in N by lia.
    destruct (IH (2 * w)%Z n ltac:(lia)) as [D V]; [now replace (2 * w * 2 ^ Z.of_nat k)%Z with (w * (2 * 2 ^ Z.of_nat k))%Z by lia|].
    destruct (spread_means w _ H D) as [D' V']; split; [exact D' | now rewrite V'].
Qed.

(** One product of two long integers; None where the digits would not be those of the convolution. *)
Definition multiplied (a b : list Z) : option (list Z) :=
  let A := value_at 1 a in let B := value_at 1 b in
  let w := (Z.log2 A + Z.log2 B + 2)%Z in
  let k := S (Z.to_nat (Z.log2 (Z.of_nat (length a + length b)))) in
  if (A * B <? 2 ^ w)%Z then
    match packed k w a, packed k w b with
    | [M], [N] => if (M * N <? 2 ^ (w * 2 ^ Z.of_nat k))%Z then Some (unpacked k w (M * N)) else None
    | _, _ => None
    end
  else None.

Lemma multiplied_means a b c : nonnegative_masses a -> nonnegative_masses b -> multiplied a b = Some c ->
  nonnegative_masses c /\ forall g f, sum_from g c f = sum_from g (convolution a b) f.
Proof.
  unfold multiplied; intros Na Nb H; cbv zeta in H.
  set (w := (Z.log2 (value_at 1 a) + Z.log2 (value_at 1 b) + 2)%Z) in *; set (k := S _) in *; clearbody k.
  destruct (Z.ltb_spec (value_at 1 a * value_at 1 b) (2 ^ w)) as [T|]; [|discriminate].
  destruct (packed k w a) as [|M [|]] eqn:EM; try discriminate; destruct (packed k w b) as [|N [|]] eqn:EN; try discriminate.
  destruct (Z.ltb_spec (M * N) (2 ^ (w * 2 ^ Z.of_nat k))) as [L|]; [|discriminate]; injection H as <-.
  assert (Hw : (0 <= w)%Z) by (unfold w; pose proof (Z.log2_nonneg (value_at 1 a)); pose proof (Z.log2_nonneg (value_at 1 b)); lia).
  pose proof (Z.pow_pos_nonneg 2 w ltac:(lia) Hw) as P.
  pose proof (packed_means k w a Hw) as VM; pose proof (packed_means k w b Hw) as VN; rewrite EM in VM; rewrite EN in VN.
  cbn [value_at] in VM, VN; rewrite Z.mul_0_r, Z.add_0_r in VM, VN.
  pose proof (value_nonnegative (2 ^ w) a ltac:(lia) Na); pose proof (value_nonnegative (2 ^ w) b ltac:(lia) Nb).
  destruct (unpacked_means k w (M * N) Hw ltac:(nia)) as [D V]; split; [eapply Forall_impl; [|exact D]; cbn; lia|].
  apply (same_digits (2 ^ w)); [exact P | exact D | | now rewrite V, value_convolution, VM, VN].
  pose proof (below_total _ (convolution_nonnegative a b Na Nb)) as U; rewrite value_convolution in U.
  eapply Forall_impl; [|exact U]; cbn; intros c Hc; lia.
Qed.

(** ** Curves *)

Record masses := Masses { first : Z; listed : list Z; infinite : Z }.
Definition good (x : masses) := nonnegative_masses (listed x) /\ (0 <= infinite x)%Z.

Definition hinge (h E : R) (j : Z) : R := positive_part (1 - E * exp (- (IZR j * h))).

(** The law of the losses. *)
Fixpoint on_lattice (h u : R) (f : Z) (ms : list Z) : law R :=
  match ms with [] => [] | m :: ms => (IZR f * h, IZR m / u) :: on_lattice h u (f + 1)%Z ms end.

Definition height (h u : R) (x : masses) (E : R) : R := curve (IZR (infinite x) / u) (on_lattice h u (first x) (listed x)) E.

Lemma hinge_pos h E j : 0 <= hinge h E j.
Proof. apply positive_part_ge. Qed.
Lemma hinge_le_1 h E j : 0 <= E -> hinge h E j <= 1.
Proof.
  intros HE; unfold hinge, positive_part; apply Rmax_lub; [lra|].
  pose proof (Rmult_le_pos E (exp (- (IZR j * h))) HE ltac:(apply Rlt_le, exp_pos)); lra.
Qed.
Lemma hinge_grows h E i j : 0 <= h -> 0 <= E -> (i <= j)%Z -> hinge h E i <= hinge h E j.
Proof.
  intros Hh HE H; unfold hinge, positive_part; apply Rle_max_compat_l.
  pose proof (Rmult_le_compat_r h _ _ Hh (IZR_le _ _ H)).
  pose proof (Rmult_le_compat_l E _ _ HE (exp_le (- (IZR j * h)) (- (IZR i * h)) ltac:(lra))); lra.
Qed.

Section Units.
Variable (bits : Z).
Hypothesis Hbits : (0 <= bits)%Z.
Notation u := (IZR (2 ^ bits)).

Lemma u_positive : 0 < u.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.

Lemma mean_on_lattice h g f ms : mean g (on_lattice h u f ms) = sum_from (fun j => g (IZR j * h)) ms f / u.
Proof.
  pose proof u_positive; revert f; induction ms as [|m ms IH]; intros f; cbn [on_lattice mean sum_from]; [field; lra | rewrite IH; field; lra].
Qed.

Lemma on_lattice_nonnegative h f ms : nonnegative_masses ms -> nonnegative (on_lattice h u f ms).
Proof.
  pose proof u_positive; intros N; revert f; induction N as [|m ms Hm N IH]; intros f; cbn [on_lattice]; constructor; [|apply IH]; cbn.
  apply Rmult_le_pos; [now apply IZR_le | apply Rlt_le, Rinv_0_lt_compat; lra].
Qed.

Lemma height_is h x E : height h u x E = (IZR (infinite x) + sum_from (hinge h E) (listed x) (first x)) / u.
Proof. unfold height, curve; rewrite mean_on_lattice; unfold hinge; pose proof u_positive; field; lra. Qed.

Lemma height_le h h' x y E E' :
  IZR (infinite x) + sum_from (hinge h E) (listed x) (first x)
    <= IZR (infinite y) + sum_from (hinge h' E') (listed y) (first y) ->
  height h u x E <= height h' u y E'.
Proof.
  intros H; rewrite !height_is; unfold Rdiv; apply Rmult_le_compat_r; [|exact H].
  apply Rlt_le, Rinv_0_lt_compat, u_positive.
Qed.

(** Rounded up. *)
Definition up (n x : Z) : Z := (- Z.shiftr (- x) n)%Z.

Lemma up_ge n x : (0 <= n)%Z -> (x <= up n x * 2 ^ n)%Z.
Proof.
  intros H; unfold up; rewrite Z.shiftr_div_pow2 by exact H; pose proof (Z.pow_pos_nonneg 2 n ltac:(lia) H).
  pose proof (Z.mul_div_le (- x) (2 ^ n) ltac:(lia)); lia.
Qed.
Lemma up_nonnegative n x : (0 <= n)%Z -> (0 <= x)%Z -> (0 <= up n x)%Z.
Proof. intros H Hx; pose proof (up_ge n x H); pose proof (Z.pow_pos_nonneg 2 n ltac:(lia) H); nia. Qed.

(** The sum of losses of two laws. *)
Definition product (x y : masses) : option masses :=
  match multiplied (listed x) (listed y) with
  | Some c => Some (Masses (first x + first y) (map (up bits) c)
      (up bits (infinite y * 2 ^ bits + infinite x * value_at 1 (listed y))))
  | None => None
  end.

Lemma sum_of_masses ms f : sum_from (fun _ => 1) ms f = IZR (value_at 1 ms).
Proof. revert f; induction ms as [|m ms IH]; intros f; cbn [sum_from value_at]; [reflexivity|]; rewrite IH, Z.mul_1_l, plus_IZR; lra. Qed.

Lemma rounded_above g c f : (forall j, 0 <= g j) -> sum_from g c f / (u * u) <= sum_from g (map (up bits) c) f / u.
Proof.
  intros G; pose proof u_positive as U.
  enough (H : forall f, sum_from g c f <= sum_from g (map (up bits) c) f * u).
  { specialize (H f); apply (Rmult_le_reg_r (u * u)); [now apply Rmult_lt_0_compat|].
    replace (sum_from g c f / (u * u) * (u * u)) with (sum_from g c f) by (field; lra).
    replace (sum_from g (map (up bits) c) f / u * (u * u)) with (sum_from g (map (up bits) c) f * u) by (field; lra); exact H. }
  clear f; induction c as [|m c IH]; intros f; cbn [map sum_from]; [lra|]; specialize (IH (f + 1)%Z).
  pose proof (IZR_le _ _ (up_ge bits m Hbits)) as M; rewrite mult_IZR in M.
  pose proof (Rmult_le_compat_r (g f) _ _ (G f) M); lra.
Qed.

Lemma product_means h x y z : good x -> good y -> product x y = Some z -> good z /\
  forall E, 0 <= E ->
    curve (IZR (infinite y) / u + IZR (infinite x) / u * mean (fun _ => 1) (on_lattice h u (first y) (listed y)))
      (sums (on_lattice h u (first x) (listed x)) (on_lattice h u (first y) (listed y))) E <= height h u z E.
Proof.
  intros [Nx Ix] [Ny Iy]; unfold product; destruct multiplied as [c|] eqn:M; [|discriminate]; intros [= <-].
  destruct (multiplied_means _ _ _ Nx Ny M) as [Nc Mc]; pose proof u_positive as U.
  pose proof (value_nonnegative 1 (listed y) ltac:(lia) Ny) as Ty.
  pose proof (Z.pow_pos_nonneg 2 bits ltac:(lia) Hbits) as P; split.
  - split; cbn [listed infinite]; [|apply up_nonnegative; [exact Hbits | nia]].
    clear -Nc Hbits; induction Nc; constructor; [now apply up_nonnegative | assumption].
  - intros E HE; rewrite height_is; unfold curve; cbn [first listed infinite].
    rewrite mean_on_lattice, sum_of_masses; unfold sums; rewrite mean_bind, mean_on_lattice.
    replace (sum_from (fun i => mean (fun x => positive_part (1 - E * exp (- x))) (image (Rplus (IZR i * h)) (on_lattice h u (first y) (listed y)))) (listed x) (first x))
      with (sum_from (hinge h E) c (first x + first y) / u).
    + assert (A : IZR (infinite y) / u + IZR (infinite x) / u * (IZR (value_at 1 (listed y)) / u)
        <= IZR (up bits (infinite y * 2 ^ bits + infinite x * value_at 1 (listed y))) / u).
      { pose proof (IZR_le _ _ (up_ge bits (infinite y * 2 ^ bits + infinite x * value_at 1 (listed y)) Hbits)) as V.
        rewrite !mult_IZR, plus_IZR, !mult_IZR in V.
        apply (Rmult_le_reg_r (u * u)); [now apply Rmult_lt_0_compat|].
        match goal with |- ?a <= ?b => replace a with (IZR (infinite y) * u + IZR (infinite x) * IZR (value_at 1 (listed y))) by (field; lra) end.
        unfold Rdiv; rewrite Rmult_assoc, <- (Rmult_assoc (/ u)), Rinv_l, Rmult_1_l by lra; exact V. }
      pose proof (rounded_above (hinge h E) c (first x + first y)%Z (hinge_pos h E)) as B.
      replace (sum_from (hinge h E) c (first x + first y) / u / u) with (sum_from (hinge h E) c (first x + first y) / (u * u)) by (field; lra).
      unfold Rdiv at 5; rewrite Rmult_plus_distr_r; unfold Rdiv in *; lra.
    + rewrite Mc, sum_convolution.
      assert (Q : forall a f, sum_from (fun i => sum_from (fun j => hinge h E (i + j)) (listed y) (first y)) a f / u
        = sum_from (fun i => mean (fun x => positive_part (1 - E * exp (- x))) (image (Rplus (IZR i * h)) (on_lattice h u (first y) (listed y)))) a f).
      { induction a as [|m a IH]; intros f; cbn [sum_from]; [field; lra|]; rewrite <- IH, mean_image, mean_on_lattice.
        replace (sum_from (fun j => positive_part (1 - E * exp (- (IZR f * h + IZR j * h)))) (listed y) (first y))
          with (sum_from (fun j => hinge h E (f + j)) (listed y) (first y)); [field; lra|].
        clear; generalize (first y); induction (listed y) as [|n l IH]; intros e; cbn [sum_from]; [reflexivity|]; rewrite IH.
        unfold hinge at 1; rewrite plus_IZR, Rmult_plus_distr_r; reflexivity. }
      apply Q.
Qed.

(** Ends of a window: above they become infinite, and below they move up to the first that is kept. *)
Fixpoint cut_top (cut : Z) (l : list Z) : Z * list Z :=
  match l with
  | [] => (0%Z, [])
  | x :: l => let (over, kept) := cut_top cut l in
    match kept with
    | [] => if (over + x <=? cut)%Z then ((over + x)%Z, []) else (over, [x])
    | _ => (over, x :: kept)
    end
  end.
Fixpoint cut_low (cut under f : Z) (l : list Z) : Z * list Z :=
  match l with
  | x :: l => if (under + x <=? cut)%Z then cut_low cut (under + x)%Z (f + 1)%Z l else (f, (under + x)%Z :: l)
  | [] => (f, [under])
  end.
Definition trimmed (cut : Z) (x : masses) : masses :=
  let (over, l) := cut_top cut (listed x) in
  let (f, l) := cut_low cut 0 (first x) l in Masses f l (infinite x + over).

Lemma cut_top_means cut l : nonnegative_masses l ->
  nonnegative_masses (snd (cut_top cut l)) /\ (0 <= fst (cut_top cut l))%Z /\
  forall g f, (forall j, 0 <= g j <= 1) -> sum_from g l f <= IZR (fst (cut_top cut l)) + sum_from g (snd (cut_top cut l)) f.
Proof.
  intros N; induction N as [|x l Hx N (IH1 & IH2 & IH3)]; cbn [cut_top]; [repeat split; [constructor | cbn; lia | cbn; intros; lra]|].
  destruct (cut_top cut l) as [over kept]; cbn [fst snd] in *.
  assert (G : nonnegative_masses (x :: kept) /\ (0 <= over)%Z /\ forall g f, (forall j, 0 <= g j <= 1) ->
    sum_from g (x :: l) f <= IZR over + sum_from g (x :: kept) f).
  { split; [now constructor|]; split; [exact IH2|]; intros g f H; cbn [sum_from]; specialize (IH3 g (f + 1)%Z H); lra. }
  destruct kept as [|y kept]; [|exact G]; destruct (_ <=? _)%Z; [|exact G]; cbn [fst snd].
  split; [constructor|]; split; [lia|]; intros g f H; destruct G as (_ & _ & G); specialize (G g f H); cbn [sum_from] in *.
  rewrite plus_IZR; destruct (H f); pose proof (Rmult_le_compat_l (IZR x) _ _ (IZR_le _ _ Hx) H1); lra.
Qed.

Lemma cut_low_means cut l : nonnegative_masses l -> forall under f, (0 <= under)%Z ->
  nonnegative_masses (snd (cut_low cut under f l)) /\
  forall g, (forall i j, (i <= j)%Z -> g i <= g j) ->
    IZR under * g f + sum_from g l f <= sum_from g (snd (cut_low cut under f l)) (fst (cut_low cut under f l)).
Proof.
  intros N; induction N as [|x l Hx N IH]; intros under f Hu; cbn [cut_low].
  - split; [now repeat constructor | intros g G; cbn; lra].
  - destruct (_ <=? _)%Z; cbn [fst snd].
    + destruct (IH (under + x)%Z (f + 1)%Z ltac:(lia)) as [I J]; split; [exact I|]; intros g G; specialize (J g G); cbn [sum_from].
      assert (P : (0 <= under + x)%Z) by lia.
      pose proof (Rmult_le_compat_l (IZR (under + x)) _ _ (IZR_le _ _ P) (G f (f + 1)%Z ltac:(lia))) as L.
      rewrite plus_IZR in *; lra.
    + split; [constructor; [lia | exact N]|]; intros g _; cbn [sum_from]; rewrite plus_IZR; lra.
Qed.

Lemma trimmed_above h cut x : 0 <= h -> good x -> good (trimmed cut x) /\
  forall E, 0 <= E -> height h u x E <= height h u (trimmed cut x) E.
Proof.
  intros Hh [N I]; unfold trimmed; destruct (cut_top_means cut (listed x) N) as (N1 & O & T).
  destruct (cut_top cut (listed x)) as [over l]; cbn [fst snd] in *.
  destruct (cut_low_means cut l N1 0 (first x) ltac:(lia)) as [N2 L].
  destruct (cut_low cut 0 (first x) l) as [f kept]; cbn [fst snd] in *; split; [split; cbn; [exact N2 | lia]|].
  intros E HE; apply height_le; cbn [first listed infinite].
  specialize (T (hinge h E) (first x) (fun j => conj (hinge_pos h E j) (hinge_le_1 h E j HE))).
  specialize (L (hinge h E) (fun i j => hinge_grows h E i j Hh HE)); rewrite plus_IZR; lra.
Qed.

(** Every second point: what is between two of them goes to both, so that the curve stays at these. *)
Section Coarser.
Variables (k Y : Z). (* Y / 2^k is at most e^-h *)
Hypotheses (Hk : (0 <= k)%Z) (HY : (0 <= Y)%Z).

Definition moved_up (o : Z) : Z := Z.min o (- (- (o * 2 ^ k) / (2 ^ k + Y))).
Fixpoint every_second (carry : Z) (l : list Z) : list Z :=
  match l with
  | [] => [carry]
  | [e] => [(e + carry)%Z]
  | e :: o :: l => let b := moved_up o in (e + carry + (o - b))%Z :: every_second b l
  end.
Definition coarser (x : masses) : masses :=
  let (f, l) := if Z.even (first x) then (first x, listed x) else ((first x - 1)%Z, 0%Z :: listed x) in
  Masses (f / 2) (every_second 0 l) (infinite x).

Lemma moved_up_means o : (0 <= o)%Z -> (0 <= moved_up o <= o)%Z /\ (o * 2 ^ k <= moved_up o * (2 ^ k + Y))%Z.
Proof.
  intros H; unfold moved_up; pose proof (Z.pow_pos_nonneg 2 k ltac:(lia) Hk) as P.
  pose proof (Z.mul_div_le (- (o * 2 ^ k)) (2 ^ k + Y) ltac:(lia)) as D.
  set (d := (- (o * 2 ^ k) / (2 ^ k + Y))%Z) in *.
  assert (0 <= - d)%Z by nia; split; [lia|].
  destruct (Z.min_spec o (- d)) as [[_ ->]|[_ ->]]; nia.
Qed.

Variable (h E : R).
Hypotheses (Hh : 0 <= h) (HE : 0 <= E) (Yh : IZR Y <= IZR (2 ^ k) * exp (- h)).

Lemma moved_up_above o j : (0 <= o)%Z ->
  IZR o * hinge h E j <= IZR (o - moved_up o) * hinge h E (j - 1) + IZR (moved_up o) * hinge h E (j + 1).
Proof.
  intros Ho; destruct (moved_up_means o Ho) as [[B1 B2] B3]; set (b := moved_up o) in *.
  apply IZR_le in Ho, B1, B2, B3; rewrite !mult_IZR, plus_IZR in B3; rewrite minus_IZR.
  set (o' := IZR o) in *; set (b' := IZR b) in *; pose proof (hinge_pos h E (j - 1)) as H1; pose proof (hinge_pos h E (j + 1)) as H2.
  pose proof (Rmult_le_pos (o' - b') _ ltac:(lra) H1); pose proof (Rmult_le_pos b' _ B1 H2).
  set (t := E * exp (- (IZR j * h))); destruct (Rle_dec (1 - t) 0) as [C|C].
  { unfold hinge at 1, positive_part; fold t; rewrite Rmax_left by lra; lra. }
  replace (hinge h E j) with (1 - t) by (unfold hinge, positive_part; fold t; rewrite Rmax_right; lra).
  set (y := exp (- h)) in *; pose proof (exp_pos (- h)) as Py; fold y in Py; set (z := exp h).
  assert (YZ : y * z = 1) by (unfold y, z; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (Z1 : 1 - t * z <= hinge h E (j - 1)).
  { unfold hinge; replace (E * exp (- (IZR (j - 1) * h))) with (t * z); [apply positive_part_ge|].
    unfold t, z; rewrite Rmult_assoc, <- exp_plus, minus_IZR; do 2 f_equal; ring. }
  assert (Z2 : 1 - t * y <= hinge h E (j + 1)).
  { unfold hinge; replace (E * exp (- (IZR (j + 1) * h))) with (t * y); [apply positive_part_ge|].
    unfold t, y; rewrite Rmult_assoc, <- exp_plus, plus_IZR; do 2 f_equal; ring. }
  assert (Tp : 0 <= t) by (unfold t; apply Rmult_le_pos; [exact HE | apply Rlt_le, exp_pos]).
  apply (Rmult_le_compat_l (o' - b')) in Z1; [|lra]; apply (Rmult_le_compat_l b') in Z2; [|exact B1].
  enough (K : (o' - b') * z + b' * y <= o').
  { apply (Rmult_le_compat_l t) in K; [|exact Tp]; lra. }
  (* o <= b (1 + y), so o (1 - y) <= b (1 - y^2), and division by y gives it *)
  assert (B4 : o' <= b' * (1 + y)).
  { pose proof (IZR_lt 0 (2 ^ k) (Z.pow_pos_nonneg 2 k ltac:(lia) Hk)) as P; apply (Rmult_le_reg_r (IZR (2 ^ k))); [exact P|].
    eapply Rle_trans; [exact B3|]; pose proof (Rmult_le_compat_l b' _ _ B1 Yh); lra. }
  assert (y1 : y <= 1) by (unfold y; rewrite <- exp_0; apply exp_le; lra).
  apply (Rmult_le_compat_r (1 - y)) in B4; [|lra].
  apply (Rmult_le_reg_l y); [exact Py|].
  replace (y * ((o' - b') * z + b' * y)) with ((o' - b') * (y * z) + b' * y * y) by ring; rewrite YZ; lra.
Qed.

Lemma hinge_double i : hinge (2 * h) E i = hinge h E (2 * i).
Proof. unfold hinge; rewrite mult_IZR; do 5 f_equal; ring. Qed.

Lemma every_second_above n : forall l carry f, (length l <= n)%nat -> nonnegative_masses l -> (0 <= carry)%Z ->
  nonnegative_masses (every_second carry l) /\
  IZR carry * hinge h E (2 * f) + sum_from (hinge h E) l (2 * f) <= sum_from (hinge (2 * h) E) (every_second carry l) f.
Proof.
  induction n as [|n IH]; intros [|e [|o l]] carry f L N C; cbn [length] in L; try lia; cbn [every_second sum_from].
  - split; [now repeat constructor | rewrite hinge_double; lra].
  - split; [now repeat constructor | rewrite hinge_double; lra].
  - inversion N; subst; split; [constructor; [lia | constructor] | rewrite hinge_double, plus_IZR; lra].
  - inversion N as [|? ? He N']; inversion N' as [|? ? Ho N'']; subst.
    destruct (moved_up_means o Ho) as [[B1 B2] _].
    destruct (IH l (moved_up o) (f + 1)%Z ltac:(lia) N'' B1) as [I J]; split; [constructor; [lia | exact I]|].
    pose proof (moved_up_above o (2 * f + 1)%Z Ho) as M.
    replace (2 * f + 1 - 1)%Z with (2 * f)%Z in M by lia; replace (2 * f + 1 + 1)%Z with (2 * (f + 1))%Z in * by lia.
    rewrite hinge_double, !plus_IZR; lra.
Qed.

Lemma coarser_above x : good x -> good (coarser x) /\ height h u x E <= height (2 * h) u (coarser x) E.
Proof.
  intros [N I]; unfold coarser.
  assert (G : exists f l, (if Z.even (first x) then (first x, listed x) else ((first x - 1)%Z, 0%Z :: listed x)) = ((2 * f)%Z, l)
    /\ nonnegative_masses l /\ sum_from (hinge h E) (listed x) (first x) = sum_from (hinge h E) l (2 * f)).
  { destruct (Z.even (first x)) eqn:V.
    - apply Z.even_spec in V as [f ->]; exists f, (listed x); auto.
    - exists ((first x - 1) / 2)%Z, (0%Z :: listed x).
      assert (F : (first x = 2 * ((first x - 1) / 2) + 1)%Z).
      { rewrite <- Z.negb_odd, Bool.negb_false_iff in V; apply Z.odd_spec in V as [f ->].
        replace (2 * f + 1 - 1)%Z with (f * 2)%Z by lia; rewrite Z.div_mul by lia; lia. }
      repeat split; [f_equal; lia | now constructor; [lia|] | cbn [sum_from]; rewrite <- F; lra]. }
  destruct G as (f & l & -> & Nl & S); rewrite Z.mul_comm, Z.div_mul by lia.
  destruct (every_second_above (length l) l 0 f ltac:(lia) Nl ltac:(lia)) as [J K].
  split; [now split|]; apply height_le; cbn [first listed infinite]; lra.
Qed.
End Coarser.

(** ** Points of a law's curve *)

Section Points.
Variables (k Y : Z). (* Y / 2^k is at least e^-h *)
Hypotheses (Hk : (0 <= k)%Z).

(** All that is above, that at its ratios to the first, and the points, in units of 1/2^k, without what is infinite. *)
Fixpoint points_of (f : Z) (ms : list Z) : Z * Z * list (Z * Z) :=
  match ms with
  | [] => (0, 0, [])
  | m :: ms => let '(A, W, ds) := points_of (f + 1) ms in
    let B := up k (W * Y) in (A + m, B + m * 2 ^ k, (f, A * 2 ^ k - B) :: ds)
  end%Z.
Definition points (x : masses) : list (Z * Z) :=
  map (fun d => (fst d, snd d + infinite x * 2 ^ k)%Z) (snd (points_of (first x) (listed x))).

Variable (h : R).
Hypotheses (Hh : 0 <= h) (Yh : IZR (2 ^ k) * exp (- h) <= IZR Y).
Notation unit := (IZR (2 ^ k)).

Lemma unit_positive : 0 < unit.
Proof. apply IZR_lt, Z.pow_pos_nonneg; lia. Qed.

Lemma points_of_means ms : nonnegative_masses ms -> forall f A S ds, points_of f ms = (A, S, ds) ->
  IZR A = sum_from (fun _ => 1) ms f /\ 0 <= IZR S /\
  unit * sum_from (fun i => exp (IZR f * h) * exp (- (IZR i * h))) ms f <= IZR S /\
  Forall (fun d => IZR (snd d) <= unit * sum_from (hinge h (exp (IZR (fst d) * h))) ms f) ds.
Proof.
  pose proof unit_positive as U; intros N; induction N as [|m ms Hm N IH]; intros f A S ds H; cbn [points_of sum_from] in *.
  - injection H as <- <- <-; repeat split; try lra; constructor.
  - destruct (points_of (f + 1) ms) as [[A' S'] ds'] eqn:P; injection H as <- <- <-.
    destruct (IH _ _ _ _ P) as (IA & IS0 & IS & ID).
    pose proof (IZR_le _ _ (up_ge k (S' * Y) Hk)) as V; rewrite !mult_IZR in V; set (B := up k (S' * Y)) in *.
    apply IZR_le in Hm.
    set (r := fun f i => exp (IZR f * h) * exp (- (IZR i * h))).
    change (unit * sum_from (r (f + 1)%Z) ms (f + 1) <= IZR S') in IS.
    change (fun i => exp (IZR f * h) * exp (- (IZR i * h))) with (r f).
    assert (W : unit * sum_from (r f) ms (f + 1) <= IZR B).
    { rewrite (sum_from_ext (r f) (fun i => exp (- h) * r (f + 1)%Z i)), sum_from_scaled.
      - apply (Rmult_le_reg_r unit); [exact U|]; eapply Rle_trans; [|exact V].
        apply Rle_trans with (IZR S' * (unit * exp (- h))); [|now apply Rmult_le_compat_l].
        pose proof (exp_pos (- h)); apply (Rmult_le_compat_r (unit * exp (- h))) in IS; [lra | apply Rmult_le_pos; lra].
      - intros i; unfold r; rewrite <- !exp_plus, plus_IZR; f_equal; ring. }
    assert (R0 : forall f, r f f = 1) by (intros j; unfold r; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    assert (B0 : 0 <= IZR B).
    { apply (Rmult_le_reg_r unit); [exact U|]; rewrite Rmult_0_l; eapply Rle_trans; [|exact V].
      apply Rmult_le_pos; [exact IS0|]; eapply Rle_trans; [|exact Yh]; apply Rmult_le_pos; [lra | apply Rlt_le, exp_pos]. }
    repeat split.
    + rewrite plus_IZR; lra.
    + rewrite plus_IZR, mult_IZR; pose proof (Rmult_le_pos _ _ Hm (Rlt_le _ _ U)); lra.
    + change (exp (IZR f * h) * exp (- (IZR f * h))) with (r f f); rewrite R0, plus_IZR, mult_IZR; lra.
    + assert (T : forall E, unit * sum_from (hinge h E) ms (f + 1) <= unit * (IZR m * hinge h E f + sum_from (hinge h E) ms (f + 1))).
      { intros E; pose proof (Rmult_le_pos _ _ (Rlt_le _ _ U) (Rmult_le_pos _ _ Hm (hinge_pos h E f))); lra. }
      constructor; [|eapply Forall_impl; [|exact ID]; cbv beta; intros d Hd; eapply Rle_trans; [exact Hd | apply T]].
      cbn [fst snd]; eapply Rle_trans; [|apply T]; rewrite minus_IZR, mult_IZR, IA.
      apply Rle_trans with (unit * sum_from (fun i => 1 - r f i) ms (f + 1)).
      * rewrite (sum_from_minus (fun _ => 1)); lra.
      * apply Rmult_le_compat_l; [lra|]; apply sum_from_le; [|exact N].
        intros i; unfold hinge, r; apply positive_part_ge.
Qed.

Fixpoint places (f : Z) (ms : list Z) : list Z := match ms with [] => [] | _ :: ms => f :: places (f + 1) ms end.

Lemma points_places ms : forall f, map fst (snd (points_of f ms)) = places f ms.
Proof.
  induction ms as [|m ms IH]; intros f; cbn [points_of places]; [reflexivity|]; specialize (IH (f + 1)%Z).
  destruct (points_of (f + 1) ms) as [[A S] ds]; cbn [snd map fst] in *; now rewrite IH.
Qed.

Lemma places_sorted ms : forall f,
  StronglySorted Rle (map (fun j => IZR j * h) (places f ms)) /\ Forall (fun j => (f <= j)%Z) (places f ms).
Proof.
  induction ms as [|m ms IH]; intros f; cbn [places map]; [split; constructor|]; destruct (IH (f + 1)%Z) as [I J].
  assert (K : Forall (fun j => (f <= j)%Z) (places (f + 1) ms)) by (eapply Forall_impl; [|exact J]; cbv beta; intros; lia).
  split; [|constructor; [lia | exact K]]; constructor; [exact I|]; apply Forall_map; eapply Forall_impl; [|exact K].
  cbv beta; intros j Hj; apply Rmult_le_compat_r; [exact Hh | now apply IZR_le].
Qed.

Lemma losses_are_places ms : forall f,
  Forall (fun x => In (fst x) (map (fun j => IZR j * h) (places f ms))) (on_lattice h u f ms).
Proof.
  induction ms as [|m ms IH]; intros f; cbn [places map on_lattice]; constructor; [now left|].
  eapply Forall_impl; [|apply IH]; intros x Hx; now right.
Qed.

(** A pair that is not above the points of a law is below its curve. *)
Theorem law_above {A} (same : forall x y : A, {x = y} + {x <> y}) (P Q : law A) x :
  is_law P -> nonnegative Q -> good x -> (2 ^ bits <= value_at 1 (listed x) + infinite x)%Z ->
  Forall (fun d => hockey_stick same P Q (exp (IZR (fst d) * h)) <= IZR (snd d) / (u * unit)) (points x) ->
  below_curve same P Q (IZR (infinite x) / u) (on_lattice h u (first x) (listed x)).
Proof.
  intros LP NQ [N I] T H; pose proof u_positive as U; pose proof unit_positive as U'.
  unfold points in H; destruct (points_of (first x) (listed x)) as [[A' S] ds] eqn:E.
  destruct (points_of_means _ N _ _ _ _ E) as (_ & _ & _ & D); cbn [snd] in H; apply Forall_map in H.
  pose proof (points_places (listed x) (first x)) as Pl; rewrite E in Pl; cbn [snd] in Pl.
  destruct (places_sorted (listed x) (first x)) as [St _].
  intros e He; apply (polygon_above (hockey_stick same P Q) _ _ (map (fun j => IZR j * h) (places (first x) (listed x)))); auto.
  - apply hockey_stick_convex.
  - now apply hockey_stick_falling.
  - now apply on_lattice_nonnegative.
  - apply losses_are_places.
  - eapply Rle_trans; [now apply hockey_stick_at_zero|].
    change (1 <= height h u x 0); rewrite height_is.
    rewrite (sum_from_ext (hinge h 0) (fun _ => 1)), sum_of_masses
      by (intros j; unfold hinge, positive_part; rewrite Rmult_0_l, Rminus_0_r, Rmax_right; lra).
    apply (Rmult_le_reg_r u); [exact U|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, <- plus_IZR by lra.
    rewrite Rmult_1_l, Rmult_1_r; apply IZR_le; lia.
  - rewrite <- Pl, map_map; apply Forall_map; clear -Hbits H D U U'; induction H as [|d ds Hd H IH]; constructor; inversion D; subst; auto.
    eapply Rle_trans; [exact Hd|]; cbn [fst snd] in *.
    change (IZR (snd d + infinite x * 2 ^ k) / (u * unit) <= height h u x (exp (IZR (fst d) * h))); rewrite height_is, plus_IZR, mult_IZR.
    apply (Rmult_le_reg_r (u * unit)); [now apply Rmult_lt_0_compat|].
    unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq; now apply Rmult_lt_0_compat).
    replace ((IZR (infinite x) + sum_from (hinge h (exp (IZR (fst d) * h))) (listed x) (first x)) * / u * (u * unit))
      with (IZR (infinite x) * unit + unit * sum_from (hinge h (exp (IZR (fst d) * h))) (listed x) (first x)) by (field; lra); lra.
Qed.
End Points.
End Units.
