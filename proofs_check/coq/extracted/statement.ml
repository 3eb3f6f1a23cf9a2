(* The statement that was checked, printed from what the checker was given.

   Trusted: that the text says what the data say. Nothing is left out or shortened. Infix
   operations stand in brackets; an inline law, matrix or pair is a definition $1, $2, ..., and the
   variable of a sum is %1, %2, ... by its depth. *)

module Integer = Z
open Checked_in_coq
module Z = Integer

type names = { terms : string array; matrices : string array; pairs : string array }

let names_of (file : Reader.definitions) =
  let of_kind kind =
    List.filter_map (fun (k, name) -> if k = kind then Some name else None) file.names
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
  | Cos -> "cos" | Sqrt -> "sqrt" | Normal -> "normal_cdf"

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

let relation show ((r, t), u) = Printf.sprintf "%s %s %s" (show t) (sign_of r) (show u)
let all = String.concat " and "

(* What a step shows; [hypotheses] are those of [Follows], as the checker found them. *)
let step names (x : Reader.named_step) hypotheses =
  let bound = Array.of_list x.names in
  let names = { names with terms = Array.append names.terms bound } in
  let show = term names ~terms:(Array.length names.terms) ~depth:0 in
  let listed_names = String.concat ", " x.names in
  match x.step with
  | Identity (_, equations) ->
    let equation (t, u) = show t ^ " = " ^ show u in
    Printf.sprintf "for all %s, wherever both sides have a meaning: %s" listed_names
      (all (List.map equation equations))
  | Follows (_, conclusion, products) ->
    let at_least t = show t ^ " >= 0" in
    let product (w, t) = Printf.sprintf "(%s) * (%s)" (show w) (show t) in
    let given = if hypotheses = [] then "" else "if " ^ all (List.map at_least hypotheses) ^ " then " in
    Printf.sprintf "for all %s >= 0, wherever this and %s have a meaning: %s%s" listed_names
      (all (List.map product products)) given (at_least conclusion)
  | Every (values, relations) ->
    let choice name ts = Printf.sprintf "%s in {%s}" name (String.concat ", " (List.map show ts)) in
    let where = all (List.map2 choice x.names values) in
    (if where = "" then "" else "for each " ^ where ^ ": ") ^ all (List.map (relation show) relations)
  | Nonnegative (box, terms) ->
    let number { qnum; qden } = number qnum qden in
    let range x (lo, hi) =
      Printf.sprintf "%s <= %s%s" (number lo) x
        (match hi with None -> "" | Some hi -> " <= " ^ number hi)
    in
    let at_least_0 (t, _) = show t ^ " >= 0" in
    Printf.sprintf "for all %s, wherever these have a meaning: %s"
      (String.concat ", " (List.map2 range x.names box))
      (all (List.map at_least_0 terms))
  | Claim (ranges, given, wanted) ->
    let sign is_open = if is_open then "<" else "<=" in
    let range x { least; most } =
      match (least, most) with
      | None, None -> x ^ " in R"
      | Some (o, t), None -> Printf.sprintf "%s %s %s" x (if o then ">" else ">=") (show t)
      | None, Some (o, t) -> Printf.sprintf "%s %s %s" x (sign o) (show t)
      | Some (o, t), Some (p, u) ->
        Printf.sprintf "%s %s %s %s %s" (show t) (sign o) x (sign p) (show u)
    in
    let relations xs = all (List.map (relation show) xs) in
    let given = if given = [] then "" else "if " ^ relations given ^ " then " in
    Printf.sprintf "for all %s: %s%s" (String.concat ", " (List.map2 range x.names ranges)) given
      (relations (List.map fst wanted))

let of_file (file : Reader.definitions) content hypotheses =
  let names = names_of file in
  let show = term names ~terms:(Array.length names.terms) ~depth:0 in
  let terms = ref 0 in
  let defined d (kind, name) =
    let text = name ^ " = " ^ definition names ~terms:!terms d in
    if kind = Reader.Term then incr terms;
    text
  in
  let part head = function [] -> [] | texts -> [ head ^ all texts ] in
  let where = part "where " (List.map2 defined file.definitions file.names) in
  let shown =
    match (content : Reader.content) with
    | Relations { hypotheses; conclusion } ->
      part "" (List.map (relation show) conclusion)
      @ where
      @ part "checked too: " (List.map (relation show) hypotheses)
    | Steps steps -> List.map2 (step names) steps hypotheses @ where
  in
  String.concat "; " shown
