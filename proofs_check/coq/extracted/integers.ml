(* Functions of Coq's integers by zarith's. Each comment is Coq's specification. *)

(* Pos.size p, Digits.digits2_pos p: the bits of p > 0. *)
let bit_length p = Z.of_int (Z.numbits p)

(* Z.log2 n: the largest k with 2^k <= n if n > 0, else 0. *)
let log2 n = if Z.sign n <= 0 then Z.zero else Z.of_int (Z.numbits n - 1)

(* Z.ggcd a b: (g, (a / g, b / g)) with g = gcd(a, b) >= 0; (0, (0, 0)) if both are 0. *)
let ggcd a b =
  let g = Z.gcd a b in
  if Z.equal g Z.zero then (g, (a, b)) else (g, (Z.divexact a g, Z.divexact b g))

(* Z.pow a n: a^n; 0 if n < 0. *)
let power a n = if Z.sign n < 0 then Z.zero else Z.pow a (Z.to_int n)

(* Z.div_eucl a b: (q, r) with a = b q + r, q rounded down; (0, a) if b = 0. *)
let div_eucl a b =
  if Z.equal b Z.zero then (Z.zero, a)
  else
    let q = Z.fdiv a b in
    (q, Z.sub a (Z.mul b q))

let div a b = fst (div_eucl a b)
let modulo a b = snd (div_eucl a b)
let square a = Z.mul a a

(* Z.sqrtrem n: (s, n - s^2), s the root rounded down; (0, 0) if n < 0. *)
let sqrtrem n = if Z.sign n < 0 then (Z.zero, Z.zero) else Z.sqrt_rem n

(* The constructors and cases of positive. *)
let double p = Z.shift_left p 1
let double_and_one p = Z.succ (double p)

let by_last_bit odd even one p =
  if Z.leq p Z.one then one () else if Z.is_odd p then odd (Z.shift_right p 1) else even (Z.shift_right p 1)

(* StdZRadix2.mantissa_shl m d: m doubled d times; 1 if d <= 0. *)
let shift_left m d = if Z.sign d <= 0 then Z.one else Z.shift_left m (Z.to_int d)

(* StdZRadix2.mantissa_shr m d p: m halved d times, and where what falls off lies, beside what fell
   off before (p): nothing, below a half, a half, above it; (1, eq) if d <= 0. One step halves m and
   turns p to mi or up by a bit 1, to eq or lo by a bit 0; from m = 1 it is (1, eq). *)
let shift_right ~eq ~lo ~mi ~up m d p =
  if Z.sign d <= 0 then (Z.one, eq)
  else if Z.geq d (bit_length m) then
    (* All bits fall off: step by step, as it is never asked for. *)
    let one_step (m, p) =
      if Z.leq m Z.one then (Z.one, eq)
      else
        (Z.shift_right m 1, if Z.is_odd m then if p = eq then mi else up else if p = eq then eq else lo)
    in
    let rec steps d x = if Z.sign d = 0 then x else steps (Z.pred d) (one_step x) in
    steps d (m, p)
  else
    let d = Z.to_int d in
    let exact = p = eq && (d = 1 || Z.trailing_zeros m >= d - 1) in
    let half = Z.testbit m (d - 1) in
    (Z.shift_right m d, if half then if exact then mi else up else if exact then eq else lo)
