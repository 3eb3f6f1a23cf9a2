(* From a step of a proof to what the checker takes: rules of FORMAT.md as those of Proofs.v.

   Trusted as reader.ml is: the statement is printed from what this returns. The rule orders, and
   laws in a claim, are read as claims about numbers: a divergence as the sum that it is, whose
   masses must then be shown to be a law. Reasons need no trust: the checker judges. *)

module Integer = Z
open Checked_in_coq
module Z = Integer
open Reader

let variables s found =
  let names = List.map name found in
  let free x = not (Hashtbl.mem s.known x) in
  require (List.for_all free names) "a name that is in use";
  require (List.length (List.sort_uniq compare names) = List.length names) "a name that is in use";
  names

let two = function Json.List [ x; y ] -> (x, y) | _ -> refuse "not a list of two"

(* Terms of a claim without laws: each operation on a law is written out as the sum that it is, and
   what makes it a law is added to [laws]: masses are not negative and sum to 1. *)

let zero = Json.Text "0x0"
let one = Json.Text "0x1"
let call head parts = Json.List (Json.Text head :: parts)
let at_least_zero x = call ">=" [ x; zero ]

let rows_of = function
  | Json.Object entries when List.assoc_opt "kind" entries = Some (Json.Text "finite_pair") ->
    let entries = keys (Json.Object entries) [ "kind"; "p"; "q" ] [] in
    [ items (List.assoc "p" entries); items (List.assoc "q" entries) ]
  | Json.List rows -> List.map items rows
  | _ -> raise (Not_read "a claim about a view, or about a law that is defined before")

let at line i = List.nth line (below (whole i) (List.length line) "outcome")

let rec written_out laws value =
  let out = written_out laws in
  let law rows =
    let rows = List.map (List.map out) (rows_of rows) in
    let same row = List.length row = List.length (List.hd rows) in
    require (List.for_all same rows) "rows of unequal lengths";
    let add x = if not (List.mem x !laws) then laws := !laws @ [ x ] in
    let row masses =
      List.iter (fun x -> add (at_least_zero x)) masses;
      add (call "=" [ call "add" masses; one ])
    in
    List.iter row rows;
    rows
  in
  let two_laws pair = match law pair with [ p; q ] -> (p, q) | _ -> refuse "not a pair" in
  let side pair = function
    | Json.Text "p" -> fst (two_laws pair)
    | Json.Text "q" -> snd (two_laws pair)
    | _ -> refuse "a side is p or q"
  in
  let gap x y = call "sub" [ x; y ] in
  match value with
  | Json.List [ Json.Text "hockey_stick"; pair; factor ] ->
    let (p, q), e = (two_laws pair, out factor) in
    let loss x y = call "positive_part" [ gap x (call "mul" [ e; y ]) ] in
    laws := !laws @ [ at_least_zero e ];
    call "add" (List.map2 loss p q)
  | Json.List [ Json.Text "total_variation"; pair ] ->
    let p, q = two_laws pair in
    let apart x y = call "abs" [ gap x y ] in
    call "mul" [ Json.Text "0x1/0x2"; call "add" (List.map2 apart p q) ]
  | Json.List [ Json.Text "mass"; pair; which; i ] -> at (side pair which) i
  | Json.List [ Json.Text "event"; pair; which; Json.List outcomes ] ->
    let places = List.map whole outcomes in
    require (List.length (List.sort_uniq Z.compare places) = List.length places) "an outcome twice";
    call "add" (zero :: List.map (at (side pair which)) outcomes)
  | Json.List [ Json.Text "entry"; rows; i; j ] ->
    let rows = law rows in
    at (List.nth rows (below (whole i) (List.length rows) "row")) j
  | Json.List [ Json.Text "row_sum"; rows; i ] ->
    let rows = law rows in
    call "add" (List.nth rows (below (whole i) (List.length rows) "row"))
  | Json.List parts -> Json.List (List.map out parts)
  | _ -> value

let numbered = List.mapi (fun i x -> (Z.of_int i, x))

(* The reason of what is added: the same cases, and one equation that is given, if it is that. *)
let rec reason_of_law given relation = function
  | Json.List [ Json.Text "cases"; u; above; below ] ->
    let part = reason_of_law given relation in
    Json.List [ Json.Text "cases"; u; part above; part below ]
  | _ -> (
    match List.find_opt (fun (_, x) -> x = relation) (numbered given) with
    | Some (i, _) -> call "sum" [ Json.List [ Json.List [ one; Json.Int i ] ] ]
    | None -> Json.Text "coefficients")

let reason s names value =
  let rec read = function
    | Json.Text "coefficients" -> BySum []
    | Json.List [ Json.Text "sum"; Json.List parts ] ->
      let part value =
        match two value with
        | m, Json.Int i when Z.sign i >= 0 -> (term s names m, i)
        | _ -> refuse "not a multiplier and the place of a hypothesis"
      in
      BySum (List.map part parts)
    | Json.List [ Json.Text "cases"; u; above; below ] ->
      let u = term s names u in
      let above = read above in
      ByCases (u, above, read below)
    | _ -> raise (Not_read "a reason that is the kernel's alone")
  in
  read value

let open_or_closed signs s names = function
  | Json.Null -> None
  | value -> (
    match two value with
    | Json.Text sign, t when List.mem_assoc sign signs ->
      Some (List.assoc sign signs, term s names t)
    | _ -> refuse "not the end of a range")

(* Each end is read where the variables before it are known. *)
let ranges s laws entries =
  let entry (names, found) = function
    | Json.List [ called; lo; hi ] ->
      let lo, hi = (written_out laws lo, written_out laws hi) in
      let least = open_or_closed [ (">", true); (">=", false) ] s names lo in
      let most = open_or_closed [ ("<", true); ("<=", false) ] s names hi in
      (names @ [ name called ], found @ [ { least; most } ])
    | _ -> refuse "not a variable with its range"
  in
  let names, found = List.fold_left entry ([], []) entries in
  (variables s (List.map (fun x -> Json.Text x) names), found)

let compared = function
  | Json.List [ Json.Text sign; x; y ] as relation ->
    require (sign <> "!=" && x <> y) "a relation that is no relation of a claim";
    relation
  | _ -> refuse "not a relation"

let claim s part =
  let list key = match part key with Json.List found -> found | _ -> refuse "not a list" in
  let laws = ref [] in
  let names, ranges = ranges s laws (items (part "variables")) in
  let written key = List.map (fun x -> written_out laws (compared x)) (list key) in
  let given = written "given" in
  let before = List.length !laws in
  let relations = written "relations" in
  let reasons = List.map (written_out laws) (list "reasons") in
  require (relations <> []) "no relation";
  require (List.length relations = List.length reasons) "not one reason for each relation";
  let because i x =
    let why = if i < before then Json.Null else List.hd reasons in
    (x, reason_of_law given x why)
  in
  let wanted = List.combine relations reasons @ List.mapi because !laws in
  let relation (x, why) =
    let x = relation_in s names x in
    (x, reason s names why)
  in
  let given = List.map (relation_in s names) given in
  { names; step = Claim (ranges, given, List.map relation wanted) }

(* Terms on a box, by the reasons of FORMAT.md; a variable is known by its place. *)
let nonnegative s part =
  let exact = function
    | Json.Text t -> let q = number t in { qnum = Q.num q; qden = Q.den q }
    | _ -> refuse "not a number"
  in
  let range = function
    | Json.List [ called; lo; Json.Null ] -> (called, (exact lo, None))
    | Json.List [ called; (Json.Text a as lo); (Json.Text b as hi) ] ->
      require (Q.leq (number a) (number b)) "an empty range";
      (called, (exact lo, Some (exact hi)))
    | _ -> refuse "not a variable with its range"
  in
  let entries = List.map range (items (part "variables")) in
  let names = variables s (List.map fst entries) in
  let place x =
    let rec at i = function
      | [] -> refuse "a variable that is unknown"
      | y :: rest -> if Json.Text y = x then Z.of_int i else at (i + 1) rest
    in
    at 0 names
  in
  let rec why = function
    | Json.Text "coefficients" -> Coefficients
    | Json.Text "value" -> Value
    | Json.List [ Json.Text "split"; x; cut; below; above ] ->
      Split (place x, exact cut, why below, why above)
    | Json.List [ Json.Text "rises"; x; slope; least ] -> Rises (place x, why slope, why least)
    | Json.List [ Json.Text "falls"; x; slope; largest ] -> Falls (place x, why slope, why largest)
    | _ -> refuse "not a reason"
  in
  let wanted value = let t, how = two value in (term s names t, why how) in
  let terms = List.map wanted (items (part "terms")) in
  { names; step = Nonnegative (List.map snd entries, terms) }

(* Terms that are linear on each order of reals: a claim, for reasons that are found here. *)
let orders s part =
  let names = variables s (items (part "variables")) in
  let given = match part "given" with Json.List found -> found | _ -> refuse "not a list" in
  let relations = List.map (relation_in s names) given in
  let wanted t = (((Ge, term s names t), Int Z.zero), Orders.reason (term s names) given t) in
  let anywhere _ = { least = None; most = None } in
  { names; step = Claim (List.map anywhere names, relations, List.map wanted (items (part "terms"))) }

let step s _ value =
  let rule = match value with Json.Object entries -> List.assoc_opt "rule" entries | _ -> None in
  let parts required =
    let entries = keys value ([ "text"; "rule" ] @ required) [] in
    (match List.assoc "text" entries with
     | Json.Text t when String.length t <= 1800 -> ()
     | _ -> refuse "a text of a step");
    fun key -> List.assoc key entries
  in
  let both names x y = (term s names x, term s names y) in
  match rule with
  | Some (Json.Text "identity") ->
    let part = parts [ "variables"; "equal" ] in
    let names = variables s (items (part "variables")) in
    let equation value =
      let x, y = two value in
      require (x <> y) "a term is compared with itself";
      both names x y
    in
    let equations = List.map equation (items (part "equal")) in
    { names; step = Identity (Z.of_int (List.length names), equations) }
  | Some (Json.Text "follows") ->
    let part = parts [ "variables"; "conclusion"; "sum" ] in
    let names = variables s (items (part "variables")) in
    let conclusion = term s names (part "conclusion") in
    let product value = let x, y = two value in both names x y in
    let products = List.map product (items (part "sum")) in
    { names; step = Follows (Z.of_int (List.length names), conclusion, products) }
  | Some (Json.Text "every") ->
    let part = parts [ "variables"; "relations" ] in
    let entries =
      match part "variables" with Json.List found -> List.map two found | _ -> refuse "not a list"
    in
    let names = variables s (List.map fst entries) in
    let values = List.map (fun (_, x) -> List.map (term s []) (items x)) entries in
    let relations = List.map (relation_in s names) (items (part "relations")) in
    { names; step = Every (values, relations) }
  | Some (Json.Text "claim") -> claim s (parts [ "variables"; "given"; "relations"; "reasons" ])
  | Some (Json.Text "nonnegative") -> nonnegative s (parts [ "variables"; "terms" ])
  | Some (Json.Text "orders") -> orders s (parts [ "variables"; "given"; "terms" ])
  | _ -> refuse "not a rule"

let file data =
  let outer = Json.read data in
  match outer with
  | Json.Object entries when List.assoc_opt "format" entries = Some (Json.Text "exactdp-certificate/1") ->
    with_definitions outer [ "hypotheses" ] relations
  | Json.Object entries when List.assoc_opt "format" entries = Some (Json.Text "exactdp-proof/1") ->
    with_definitions outer [] (fun s entries found -> Steps (List.map (step s entries) found))
  | _ -> refuse "not the format exactdp-certificate/1 or exactdp-proof/1"
