(* The statement that was checked, printed from what the checker was given.

   Trusted: that the text says what the data say. Nothing is left out or shortened. Infix
   operations stand in brackets; an inline law, matrix or pair is a definition $1, $2, ..., and the
   variable of a sum is %1, %2, ... by its depth. *)

module Integer = Z
open Checked_in_coq
module Z = Integer

type names = { terms : string array; matrices : string array; pairs : string array }

let names_of (certificate : Reader.certificate) =
  let of_kind kind =
    List.filter_map (fun (k, name) -> if k = kind then Some name else None) certificate.names
    |> Array.of_list
  in
  { terms = of_kind Reader.Term; matrices = of_kind Reader.Matrix; pairs = of_kind Reader.Pair }

let whole n = Z.to_string n
let listed show xs = "[" ^ String.concat ", " (List.map show xs) ^ "]"
let brackets left sign right = Printf.sprintf "(%s %s %s)" left sign right
let name_at names i = names.(Z.to_int i)

(* A number, in brackets inside an infix operation unless it is natural. *)
let number n d = if Z.equal d Z.one then whole n else whole n ^ "/" ^ whole d

let sign_of = function
  | Lt0 -> "<" | Le -> "<=" | Eq0 -> "=" | Ne -> "!=" | Ge -> ">=" | Gt0 -> ">"

let function_name = function
  | Neg -> "neg" | Abs -> "abs" | Pos -> "positive_part" | Exp -> "exp" | Log -> "log"
  | Sqrt -> "sqrt" | Normal -> "normal_cdf"

(* [depth] sums stand around the term; [terms] definitions came before it. *)
let rec term names ~terms ~depth t =
  let inside = term names ~terms ~depth in
  let part t =
    match t with
    | Int n when Z.sign n < 0 -> "(" ^ inside t ^ ")"
    | Ratio _ -> "(" ^ inside t ^ ")"
    | _ -> inside t
  in
  let call name parts = name ^ "(" ^ String.concat ", " parts ^ ")" in
  let event side p set = call "event" [ name_at names.pairs p; side; listed (listed whole) set ] in
  match t with
  | Int n -> whole n
  | Ratio (n, d) -> number n d
  | Var i when Z.to_int i < terms -> name_at names.terms i
  | Var i -> Printf.sprintf "%%%d" (Z.to_int i - terms + 1)
  | Pi -> "pi()"
  | Apply (f, t) -> call (function_name f) [ inside t ]
  | Op (Add, t, u) -> brackets (part t) "+" (part u)
  | Op (Sub, t, u) -> brackets (part t) "-" (part u)
  | Op (Mul, t, u) -> brackets (part t) "*" (part u)
  | Op (Div, t, u) -> brackets (part t) "/" (part u)
  | Op (Pow, t, u) -> brackets (part t) "^" (part u)
  | Op (Max, t, u) -> call "max" [ inside t; inside u ]
  | Op (Min, t, u) -> call "min" [ inside t; inside u ]
  | Op (Binom, t, u) -> call "binomial" [ inside t; inside u ]
  | Sum (lo, hi, body) ->
    let variable = Printf.sprintf "%%%d" (depth + 1) in
    call "sum" [ variable; inside lo; inside hi; term names ~terms ~depth:(depth + 1) body ]
  | When (r, a, b, t, u) ->
    call "when" [ brackets (part a) (sign_of r) (part b); inside t; inside u ]
  | Divergence (p, t) -> call "hockey_stick" [ name_at names.pairs p; inside t ]
  | Distance p -> call "total_variation" [ name_at names.pairs p ]
  | EventP (p, set) -> event "p" p set
  | EventQ (p, set) -> event "q" p set
  | Entry (m, i, j) -> call "entry" [ name_at names.matrices m; whole i; whole j ]
  | RowSum (m, i) -> call "row_sum" [ name_at names.matrices m; whole i ]
  | LdpRatio m -> call "ldp_ratio" [ name_at names.matrices m ]

let shuffle names classes v w others =
  let row (m, i) = Printf.sprintf "row %s of %s" (whole i) (name_at names.matrices m) in
  let other (user, n) = Printf.sprintf "; %s users: %s" (whole n) (row user) in
  let merged = function
    | None -> ""
    | Some classes ->
      let numbered = List.mapi (fun y c -> (c, Z.of_int y)) classes in
      let block c = List.filter_map (fun (d, y) -> if Z.equal c d then Some y else None) numbered in
      "; merged " ^ listed (listed whole) (List.map block (List.sort_uniq Z.compare classes))
  in
  Printf.sprintf "shuffle(victim: %s or %s%s%s)" (row v) (row w)
    (String.concat "" (List.map other others))
    (merged classes)

let definition names ~terms = function
  | DefTerm t -> term names ~terms ~depth:0 t
  | DefMatrix rows -> listed (listed (term names ~terms ~depth:0)) rows
  | DefFinite m -> Printf.sprintf "finite_pair(%s)" (name_at names.matrices m)
  | DefShuffle (_, _, classes, v, w, others) -> shuffle names classes v w others

let of_certificate (certificate : Reader.certificate) =
  let names = names_of certificate in
  let all = Array.length names.terms in
  let shown = term names ~terms:all ~depth:0 in
  let relation ((r, t), u) = Printf.sprintf "%s %s %s" (shown t) (sign_of r) (shown u) in
  let terms = ref 0 in
  let defined d (kind, name) =
    let text = name ^ " = " ^ definition names ~terms:!terms d in
    if kind = Reader.Term then incr terms;
    text
  in
  let part head = function [] -> [] | texts -> [ head ^ String.concat " and " texts ] in
  String.concat "; "
    (part "" (List.map relation certificate.conclusion)
     @ part "where " (List.map2 defined certificate.definitions certificate.names)
     @ part "checked too: " (List.map relation certificate.hypotheses))
