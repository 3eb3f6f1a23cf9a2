(* From a certificate's JSON to what the checker takes: definitions and relations, by place.

   Trusted: only as far as statement.ml does not show it. The statement is printed from what this
   returns, not from the file; it hides nothing that was checked. What is not shown is checked here:
   that an event's outcomes are outcomes of its pair, and that a merge is a partition. *)

module Integer = Z
open Checked_in_coq
module Z = Integer

exception Refused of string
exception Not_read of string (* perhaps a certificate, but not one for this checker *)

type kind = Term | Matrix | Pair

(* A name's kind and place; whether it is rational; rows and columns, or outcomes and users. *)
type entry = { kind : kind; place : int; exact : bool; size : int * int }

type definitions = {
  bits : Z.t;
  definitions : definition list;
  names : (kind * string) list; (* of the definitions; an inline one is $1, $2, ... *)
}

type relations = { hypotheses : statement list; conclusion : statement list }

(* A step of a proof, and the names of its variables. *)
type named_step = { names : string list; step : step }

type content = Relations of relations | Steps of named_step list

let most_bits = 1_000_000
let most_exact_users = 8 (* views of more users are computed with intervals *)
let least_bits = 64
let refuse reason = raise (Refused reason)
let require good reason = if not good then refuse reason

let is_name s =
  let letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c = '_' in
  let digit c = c >= '0' && c <= '9' in
  s <> "" && String.length s <= 64 && letter s.[0] && String.for_all (fun c -> letter c || digit c) s

let name = function Json.Text s when is_name s -> s | _ -> refuse "not a name"

let hexadecimal s =
  let digit = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
  let n = String.length s in
  require (n > 2 && String.sub s 0 2 = "0x") "not a number";
  require (String.for_all digit (String.sub s 2 (n - 2))) "not a number";
  Z.of_string s

let number s =
  require (4 * String.length s <= most_bits) "a number that is too long";
  let negative = s <> "" && s.[0] = '-' in
  let s = if negative then String.sub s 1 (String.length s - 1) else s in
  let top, bottom =
    match String.index_opt s '/' with
    | None -> (hexadecimal s, Z.one)
    | Some i ->
      (hexadecimal (String.sub s 0 i), hexadecimal (String.sub s (i + 1) (String.length s - i - 1)))
  in
  require (Z.sign bottom > 0) "the denominator 0";
  Q.make (if negative then Z.neg top else top) bottom

let constant q = if Z.equal (Q.den q) Z.one then Int (Q.num q) else Ratio (Q.num q, Q.den q)

(* An input, a count or an index. FORMAT.md also has formulas here, which are not read. *)
let whole = function
  | Json.Int n -> n
  | Json.Text s when s <> "" && (s.[0] = '-' || s.[0] = '0') ->
    let q = number s in
    require (Z.equal (Q.den q) Z.one) "not a whole number";
    Q.num q
  | Json.Text _ -> refuse "not a number"
  | Json.List _ | Json.Object _ -> raise (Not_read "an input, a count or an index is a formula")
  | _ -> refuse "not a whole number"

let below n limit what =
  require (Z.sign n >= 0 && Z.lt n (Z.of_int limit)) ("no such " ^ what);
  Z.to_int n

let keys value required optional =
  match value with
  | Json.Object entries ->
    let all = required @ optional in
    List.iter (fun (key, _) -> require (List.mem key all) "an unknown key") entries;
    List.iter (fun key -> require (List.mem_assoc key entries) ("the key " ^ key ^ " is missing")) required;
    entries
  | _ -> refuse "not an object"

let items = function Json.List (_ :: _ as found) -> found | _ -> refuse "not a list of one or more"

let relation_of = function
  | "<" -> Lt0 | "<=" -> Le | "=" -> Eq0 | "!=" -> Ne | ">=" -> Ge | ">" -> Gt0
  | _ -> refuse "not a relation"

let functions =
  [ ("neg", Neg); ("abs", Abs); ("positive_part", Pos); ("exp", Exp); ("log", Log);
    ("cos", Cos); ("sqrt", Sqrt); ("normal_cdf", Normal) ]

let folds = [ ("add", Add); ("mul", Mul); ("max", Max); ("min", Min) ]
let indices = [ ("pow", Pow); ("binomial", Binom) ]
let irrational = [ "exp"; "log"; "cos"; "sqrt"; "pi"; "normal_cdf" ]

type state = {
  known : (string, entry) Hashtbl.t;
  inline : (Json.t, entry) Hashtbl.t;
  counts : (kind, int) Hashtbl.t;
  mutable inlined : int;
  mutable made : (definition * (kind * string)) list; (* the last one first *)
}

let count s kind = Option.value (Hashtbl.find_opt s.counts kind) ~default:0

let add s kind called definition exact size =
  let place = count s kind in
  Hashtbl.replace s.counts kind (place + 1);
  s.made <- (definition, (kind, called)) :: s.made;
  { kind; place; exact; size }

(* Whether a term is rational by the way it is written. *)
let rec rational s = function
  | Json.Object [ ("ref", Json.Text r) ] -> (
    match Hashtbl.find_opt s.known r with Some x -> x.exact | None -> true)
  | Json.List (Json.Text head :: rest) ->
    (not (List.mem head irrational)) && List.for_all (rational s) rest
  | Json.List parts -> List.for_all (rational s) parts
  | Json.Object entries -> List.for_all (fun (_, x) -> rational s x) entries
  | _ -> true

let reference s variables kind value =
  let target = name (List.assoc "ref" (keys value [ "ref" ] [])) in
  match Hashtbl.find_opt s.known target with
  | Some x ->
    require (x.kind = kind) "a reference to another kind";
    x
  | None ->
    require (List.mem target variables) "a name that is not defined here";
    raise (Not_read "a law inside a sum depends on its variable")

let rec term s variables value : term =
  match value with
  | Json.Text t -> constant (number t)
  | Json.Object _ -> (
    let target = name (List.assoc "ref" (keys value [ "ref" ] [])) in
    let rec place i = function
      | [] -> Z.of_int (reference s [] Term value).place
      | x :: rest -> if x = target then Z.of_int (count s Term + i) else place (i + 1) rest
    in
    Var (place 0 variables))
  | Json.List (Json.Text head :: rest) -> operation s variables head rest
  | _ -> refuse "not a term"

and index s variables = function Json.Int n -> Int n | value -> term s variables value

and operation s variables head rest =
  let term = term s variables in
  match (head, rest) with
  | _, [ x ] when List.mem_assoc head functions -> Apply (List.assoc head functions, term x)
  | _, x :: more when List.mem_assoc head folds ->
    let o = List.assoc head folds in
    List.fold_left (fun total x -> Op (o, total, term x)) (term x) more
  | "sub", [ x; y ] -> op Sub (term x) term y
  | "div", [ x; y ] -> op Div (term x) term y
  | "pow", [ x; n ] -> op Pow (term x) (index s variables) n
  | "binomial", [ a; b ] -> op Binom (index s variables a) (index s variables) b
  | "pi", [] -> Pi
  | "sum", [ variable; lo; hi; body ] ->
    let x = name variable in
    require (not (Hashtbl.mem s.known x || List.mem x variables)) "a name that is in use";
    let lo = index s variables lo in
    let hi = index s variables hi in
    Sum (lo, hi, perhaps_not_computed (term_in s (variables @ [ x ])) body)
  | "when", [ relation; t; u ] ->
    let (r, a), b = relation_in s variables relation in
    let t = perhaps_not_computed term t in
    When (r, a, b, t, perhaps_not_computed term u)
  | "hockey_stick", [ law; factor ] ->
    let p = pair s variables law in
    Divergence (Z.of_int p.place, term factor)
  | "total_variation", [ law ] -> Distance (Z.of_int (pair s variables law).place)
  | "mass", [ law; side; outcome ] -> event s variables law side [ outcome ]
  | "event", [ law; side; Json.List outcomes ] -> event s variables law side outcomes
  | "ldp_ratio", [ m ] -> LdpRatio (Z.of_int (matrix s variables m).place)
  | "entry", [ m; i; j ] ->
    let found = matrix s variables m in
    let i = below (whole i) (fst found.size) "row" in
    Entry (Z.of_int found.place, Z.of_int i, Z.of_int (below (whole j) (snd found.size) "column"))
  | "row_sum", [ m; i ] ->
    let found = matrix s variables m in
    RowSum (Z.of_int found.place, Z.of_int (below (whole i) (fst found.size) "row"))
  | _ -> refuse "an unknown operation, or a wrong number of arguments"

and term_in s variables = term s variables

(* What has no meaning in a case that does not count, or in an empty sum, is no fault. *)
and perhaps_not_computed read value =
  try read value with Refused reason -> raise (Not_read ("perhaps not computed: " ^ reason))

and op o x read y = Op (o, x, read y)

and relation_in s variables = function
  | Json.List [ Json.Text sign; x; y ] ->
    let r = relation_of sign in
    let x = term s variables x in
    ((r, x), term s variables y)
  | _ -> refuse "not a relation"

and event s variables law side outcomes =
  let found = pair s variables law in
  let size, users = found.size in
  let counts outcome =
    match outcome with
    | Json.List (Json.Text _ :: _) when users = 0 -> [ whole outcome ]
    | Json.List counts when users > 0 -> List.map whole counts
    | Json.List _ -> refuse "an outcome of another kind"
    | _ ->
      require (users = 0) "an outcome of another kind";
      [ whole outcome ]
  in
  let checked outcome =
    let found = counts outcome in
    require (List.for_all (fun n -> Z.sign n >= 0) found) "not an outcome";
    (if users = 0 then require (Z.lt (List.hd found) (Z.of_int size)) "not an outcome"
     else
       let total = List.fold_left Z.add Z.zero found in
       require (List.length found = size && Z.equal total (Z.of_int users)) "not an outcome");
    found
  in
  let set = List.map checked outcomes and place = Z.of_int found.place in
  match side with
  | Json.Text "p" -> EventP (place, set)
  | Json.Text "q" -> EventQ (place, set)
  | _ -> refuse "a side is p or q"

(* A matrix or pair inside a term is a definition before it, once for each text. *)
and inline s value make =
  match Hashtbl.find_opt s.inline value with
  | Some found -> found
  | None ->
    s.inlined <- s.inlined + 1;
    let found = make (Printf.sprintf "$%d" s.inlined) in
    Hashtbl.replace s.inline value found;
    found

and matrix s variables value =
  match value with
  | Json.Object _ -> reference s variables Matrix value
  | _ -> inline s value (fun called -> new_matrix s variables called value)

and new_matrix s variables called value =
  let written = List.map items (items value) in
  let rows =
    if variables = [] then List.map (List.map (term s [])) written
    else
      try List.map (List.map (term s [])) written
      with Refused _ -> raise (Not_read "a law inside a sum, which may depend on its variable")
  in
  let columns = List.length (List.hd rows) in
  require (List.for_all (fun row -> List.length row = columns) rows) "rows of unequal lengths";
  add s Matrix called (DefMatrix rows) (rational s value) (List.length rows, columns)

and pair s variables value =
  match value with
  | Json.Object entries when List.mem_assoc "ref" entries -> reference s variables Pair value
  | _ -> inline s value (fun called -> new_pair s variables called value)

and new_pair s variables called value =
  match value with
  | Json.Object entries when List.assoc_opt "kind" entries = Some (Json.Text "finite_pair") ->
    let entries = keys value [ "kind"; "p"; "q" ] [] in
    let laws = Json.List [ List.assoc "p" entries; List.assoc "q" entries ] in
    let laws = matrix s variables laws in
    add s Pair called (DefFinite (Z.of_int laws.place)) laws.exact (snd laws.size, 0)
  | Json.Object entries when List.assoc_opt "kind" entries = Some (Json.Text "shuffle") ->
    shuffle s variables called (keys value [ "kind"; "randomizers"; "victim"; "others" ] [ "merge" ])
  | _ -> refuse "not a kind of pair"

and shuffle s variables called entries =
  let randomizers =
    match List.assoc "randomizers" entries with
    | Json.Object (_ :: _ as found) ->
      List.map (fun (key, x) -> (name (Json.Text key), matrix s variables x)) found
    | _ -> refuse "randomizers are an object, not empty"
  in
  let columns = snd (snd (List.hd randomizers)).size in
  let same = List.for_all (fun (_, x) -> snd x.size = columns) randomizers in
  require same "randomizers of unequal lengths";
  let user who row =
    match List.assoc_opt (name who) randomizers with
    | Some x -> (Z.of_int x.place, Z.of_int (below (whole row) (fst x.size) "row"))
    | None -> refuse "no such randomizer"
  in
  let victim = keys (List.assoc "victim" entries) [ "randomizer"; "inputs" ] [] in
  let v, w =
    match List.assoc "inputs" victim with
    | Json.List [ x; y ] ->
      let who = List.assoc "randomizer" victim in
      let v = user who x in
      (v, user who y)
    | _ -> refuse "a victim has two inputs"
  in
  let other value =
    let x = keys value [ "randomizer"; "input"; "count" ] [] in
    let n = whole (List.assoc "count" x) in
    require (Z.sign n >= 0 && Z.fits_int n) "a count";
    (user (List.assoc "randomizer" x) (List.assoc "input" x), n)
  in
  let others =
    match List.assoc "others" entries with
    | Json.List found -> List.map other found
    | _ -> refuse "others are a list"
  in
  let merge =
    match List.assoc_opt "merge" entries with
    | None -> []
    | Some blocks ->
      let column = function Json.Int n -> n | _ -> refuse "not a column" in
      List.map (fun block -> List.map column (items block)) (items blocks)
  in
  let listed = List.sort Z.compare (List.concat merge) in
  let every = List.init columns Z.of_int in
  require (merge = [] || List.equal Z.equal listed every) "a merge is a partition of the columns";
  let class_of y =
    let rec at i = function
      | [] -> assert false
      | block :: rest -> if List.exists (Z.equal y) block then Z.of_int i else at (i + 1) rest
    in
    at 0 merge
  in
  let classes = if merge = [] then None else Some (List.map class_of every) in
  let size = if merge = [] then columns else List.length merge in
  let users = List.fold_left (fun n (_, count) -> Z.add n count) Z.one others in
  require (Z.fits_int users) "too many users";
  let exact = List.for_all (fun (_, x) -> x.exact) randomizers in
  let rounded = not (exact && Z.leq users (Z.of_int most_exact_users)) in
  let made = DefShuffle (rounded, Z.of_int size, classes, v, w, others) in
  add s Pair called made exact (size, Z.to_int users)

let define s = function
  | Json.List [ called; value ] -> (
    let called = name called in
    require (not (Hashtbl.mem s.known called)) "a name that is already defined";
    let keep x = Hashtbl.replace s.known called x in
    match value with
    | Json.Object entries when List.mem_assoc "ref" entries -> (
      let target = name (List.assoc "ref" (keys value [ "ref" ] [])) in
      match Hashtbl.find_opt s.known target with
      | None -> refuse "a name that is not defined here"
      | Some x -> keep x)
    | Json.Object _ -> keep (new_pair s [] called value)
    | Json.List (Json.List _ :: _) -> keep (new_matrix s [] called value)
    | _ ->
      let t = term s [] value in
      keep (add s Term called (DefTerm t) (rational s value) (0, 0)))
  | _ -> refuse "not a definition"

let label entries key =
  match List.assoc_opt key entries with
  | None -> ()
  | Some (Json.Text s) -> if String.length s > 1800 then raise (Json.Unreadable "a long label")
  | Some _ -> raise (Json.Unreadable "a label is a text")

let listed entries key =
  match List.assoc_opt key entries with
  | None -> []
  | Some (Json.List found) -> found
  | Some _ -> raise (Json.Unreadable (key ^ " is a list"))

(* The definitions of a file, and what stands on them. *)
let with_definitions outer optional read =
  let optional = [ "reading"; "domain"; "precision_bits"; "define" ] @ optional in
  let entries = keys outer [ "format"; "claim"; "conclusion" ] optional in
  List.iter (label entries) [ "claim"; "reading"; "domain" ];
  let bits =
    match List.assoc_opt "precision_bits" entries with
    | None -> 128
    | Some (Json.Int n) when Z.leq (Z.of_int 16) n && Z.leq n (Z.of_int 65536) -> Z.to_int n
    | Some _ -> refuse "precision_bits is an integer from 16 to 65536"
  in
  let s =
    { known = Hashtbl.create 16; inline = Hashtbl.create 16; counts = Hashtbl.create 3;
      inlined = 0; made = [] }
  in
  List.iter (define s) (listed entries "define");
  let conclusion = listed entries "conclusion" in
  require (conclusion <> []) "the conclusion is a list that is not empty";
  let found = read s entries conclusion in
  let made = List.rev s.made in
  ({ bits = Z.of_int (max bits least_bits); definitions = List.map fst made;
     names = List.map snd made }, found)

let relations s entries conclusion =
  let hypotheses = List.map (relation_in s []) (listed entries "hypotheses") in
  let relation = function
    | Json.List [ Json.Text "hole"; Json.Text _ ] -> raise (Not_read "it has a hole")
    | value -> relation_in s [] value
  in
  let conclusion = List.map relation conclusion in
  Relations { hypotheses; conclusion }
