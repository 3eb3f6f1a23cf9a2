(* Reasons for terms that are linear on each order of reals: what the rule orders leaves out.

   Needs no trust: the checker judges each reason. Every two reals that a term compares are a case;
   there it is a sum of differences, and a multiple of differences that are not negative if it can be
   written as what flows along these. *)

module Integer = Z
open Checked_in_coq
module Z = Integer
open Reader

(* A real is known by its name, 0 by no name; what is not of this kind is not read. *)
type edge = { above : string; below : string; place : int; sign : Q.t; equation : bool }

let most_cases = 8
let not_read () = raise (Not_read "a term that is not linear on each order")

let point = function
  | Json.Text "0x0" -> ""
  | Json.Object [ ("ref", Json.Text x) ] -> x
  | _ -> not_read ()

let difference = function
  | Json.List [ Json.Text "sub"; x; y ] -> (point x, point y)
  | x -> (point x, "")

(* The pairs whose order a term asks for. *)
let rec pairs = function
  | Json.List (Json.Text ("max" | "min") :: parts) ->
    let points = List.map point parts in
    let after i x = List.filteri (fun j _ -> j > i) points |> List.map (fun y -> (x, y)) in
    List.concat (List.mapi after points)
  | Json.List [ Json.Text ("abs" | "positive_part"); inner ] -> [ difference inner ]
  | Json.List (Json.Text ("add" | "sub" | "neg") :: parts) -> List.concat_map pairs parts
  | Json.List [ Json.Text "mul"; Json.Text _; t ] -> pairs t
  | x -> ignore (point x); []

let distinct = List.fold_left (fun found (x, y) ->
    if x = y || List.mem (x, y) found || List.mem (y, x) found then found else found @ [ (x, y) ]) []

let plus x y =
  let more total (name, c) =
    let before = Option.value (List.assoc_opt name total) ~default:Q.zero in
    (name, Q.add before c) :: List.remove_assoc name total
  in
  List.fold_left more x y

let times c = List.map (fun (name, d) -> (name, Q.mul c d))
let single x = [ (x, Q.one) ]
let gap x y = plus (single x) (times Q.minus_one (single y))

(* A term as a sum of reals with factors, in an order of those that it compares. *)
let rec linear up = function
  | Json.List (Json.Text (("max" | "min") as head) :: first :: rest) ->
    let choose x y = if up x y = (head = "max") then x else y in
    single (List.fold_left choose (point first) (List.map point rest))
  | Json.List [ Json.Text (("abs" | "positive_part") as head); inner ] ->
    let x, y = difference inner in
    if up x y then gap x y else if head = "abs" then gap y x else []
  | Json.List (Json.Text "add" :: parts) -> List.fold_left (fun t x -> plus t (linear up x)) [] parts
  | Json.List [ Json.Text "sub"; x; y ] -> plus (linear up x) (times Q.minus_one (linear up y))
  | Json.List [ Json.Text "neg"; x ] -> times Q.minus_one (linear up x)
  | Json.List [ Json.Text "mul"; Json.Text c; x ] -> times (number c) (linear up x)
  | x -> single (point x)

(* The edges of a way from a real down to another. *)
let way edges x y =
  let rec from seen = function
    | [] -> None
    | (here, taken) :: rest ->
      if here = y then Some taken
      else if List.mem here seen then from seen rest
      else
        let next e = if e.above = here then Some (e.below, e :: taken) else None in
        from (here :: seen) (rest @ List.filter_map next edges)
  in
  from [] [ (x, []) ]

(* Multiples of differences that sum to what is given, if there are any: each of the least amount. *)
let rec flow edges sum =
  let of_sign sign = List.filter (fun (_, c) -> Q.sign c = sign) sum in
  match (of_sign 1, of_sign (-1)) with
  | [], [] -> Some []
  | sources, sinks ->
    let send ((x, c), (y, d)) =
      match way edges x y with
      | None -> None
      | Some taken ->
        let amount = Q.min c (Q.neg d) in
        let parts = List.map (fun e -> (e.place, Q.mul amount e.sign)) taken in
        Option.map (fun more -> parts @ more) (flow edges (plus sum (times (Q.neg amount) (gap x y))))
    in
    List.find_map send (List.concat_map (fun x -> List.map (fun y -> (x, y)) sinks) sources)

(* The two directions of a relation that is given. *)
let edges_of place = function
  | Json.List [ Json.Text sign; x; y ] ->
    let x, y = (point x, point y) in
    let edge ?(equation = false) ?(sign = Q.one) above below = { above; below; place; sign; equation } in
    (match sign with
     | ">=" -> [ edge x y ]
     | "<=" -> [ edge y x ]
     | "=" -> [ edge ~equation:true x y; edge ~equation:true ~sign:Q.minus_one y x ]
     | _ -> not_read ())
  | _ -> refuse "not a relation"

(* The reason for a term: [read] reads a term of the file. *)
let reason read given t =
  let known = List.concat (List.mapi edges_of given) in
  (* An equation orders nothing for the checker: its pairs are cases. *)
  let goes_down edges x y = List.exists (fun e -> (not e.equation) && e.above = x && e.below = y) edges in
  let is_known (x, y) = goes_down known x y || goes_down known y x in
  let cases = List.filter (fun p -> not (is_known p)) (distinct (pairs t)) in
  if List.length cases > most_cases then raise (Not_read "too many orders");
  let written x = if x = "" then Json.Text "0x0" else Json.Object [ ("ref", Json.Text x) ] in
  let rec tree place edges = function
    | (x, y) :: rest ->
      let case above below =
        tree (place + 1) ({ above; below; place; sign = Q.one; equation = false } :: edges) rest
      in
      let up = case x y in
      ByCases (read (Json.List [ Json.Text "sub"; written x; written y ]), up, case y x)
    | [] ->
      let up x y = x = y || goes_down edges x y in
      let sum = linear up t in
      let total = List.fold_left (fun c (_, d) -> Q.add c d) Q.zero sum in
      let parts = flow edges (plus sum [ ("", Q.neg total) ]) in
      let part (place, c) = (constant c, Z.of_int place) in
      BySum (List.map part (Option.value parts ~default:[]))
  in
  tree (List.length given) known cases
