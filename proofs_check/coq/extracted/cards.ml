(* Cards: from JSON to what the checker of Cards.v takes, and the statement of what it checked.

   Trusted: that the text says what the data say. All numbers are printed in full but for what was found,
   rounded up, and points, rounded down: the ends and some between, or with --points all. *)

module Integer = Z
open Checked_in_coq
module Z = Integer

let format = "exactdp-card-laws/1"
let most_bits = 16_384 (* of a mass, and of what is finer *)
let most_shown = 5
let refuse = Reader.refuse
let require = Reader.require

type step = { name : string; times : Z.t; what : known; laws : (string * masses) list }

type card = {
  epsilon : Q.t;
  delta : Q.t;
  width : Q.t; (* of the lattice, in nats *)
  bits : Z.t;
  fine : Z.t;
  cut : Z.t;
  points : Z.t;
  steps : step list;
}

let number = function Json.Text s -> Reader.number s | _ -> refuse "not a number"
let coq_rational q = { qnum = Q.num q; qden = Q.den q }

let text = function
  | Json.Text s when String.length s <= 500 -> String.map (fun c -> if c < ' ' || c > '~' then '?' else c) s
  | _ -> refuse "not a short text"

let small value =
  let n = Reader.whole value in
  require (Z.sign n >= 0 && Z.leq n (Z.of_int most_bits)) "bits beyond the limit";
  n

let natural value =
  let n = Reader.whole value in
  require (Z.sign n >= 0) "a number below 0";
  n

let positive value =
  let n = natural value in
  require (Z.sign n > 0) "a number that is not above 0";
  n

let known value =
  let part required =
    let entries = Reader.keys value ("kind" :: required) [] in
    fun key -> List.assoc key entries
  in
  match value with
  | Json.Object entries -> (
    match List.assoc_opt "kind" entries with
    | Some (Json.Text "assumed") -> ignore (part []); Assumed
    | Some (Json.Text "pair") ->
      let part = part [ "p"; "q" ] in
      let masses key = List.map (fun x -> coq_rational (number x)) (Reader.items (part key)) in
      let p = masses "p" and q = masses "q" in
      require (List.length p = List.length q) "laws of two lengths";
      Listed (List.combine p q)
    | Some (Json.Text "randomized_response") ->
      let part = part [ "epsilon"; "k" ] in
      Response (coq_rational (number (part "epsilon")), positive (part "k"))
    | Some (Json.Text "guarantee") ->
      let part = part [ "epsilon"; "delta" ] in
      Promise (coq_rational (number (part "epsilon")), coq_rational (number (part "delta")))
    | _ -> refuse "not a kind of step")
  | _ -> refuse "not an object"

let law value =
  let entries = Reader.keys value [ "order"; "first"; "masses"; "infinite" ] [] in
  let part key = List.assoc key entries in
  let order = match part "order" with Json.Text (("removed" | "added") as s) -> s | _ -> refuse "not an order" in
  (order, { first = Reader.whole (part "first"); listed = List.map natural (Reader.items (part "masses")); infinite = natural (part "infinite") })

let step value =
  let entries = Reader.keys value [ "name"; "times"; "step"; "laws" ] [] in
  let part key = List.assoc key entries in
  { name = text (part "name"); times = positive (part "times"); what = known (part "step"); laws = List.map law (Reader.items (part "laws")) }

let is_card = function
  | Json.Object entries -> List.assoc_opt "format" entries = Some (Json.Text format)
  | _ -> false

let read outer =
  let keys = [ "format"; "epsilon"; "delta"; "width"; "bits"; "fine"; "cut"; "points"; "steps" ] in
  let entries = Reader.keys outer keys [] in
  let part key = List.assoc key entries in
  let card =
    { epsilon = number (part "epsilon"); delta = number (part "delta"); width = number (part "width");
      bits = small (part "bits"); fine = small (part "fine"); cut = natural (part "cut");
      points = positive (part "points"); steps = List.map step (Reader.items (part "steps")) }
  in
  require (Q.sign card.width > 0 && Q.leq card.width Q.one) "a width that is not above 0 and at most 1";
  let orders = List.map (fun step -> List.sort compare (List.map fst step.laws)) card.steps in
  require (List.for_all (fun found -> found = [ "added"; "removed" ]) orders) "not one law for each order";
  card

(* What is known of a step in an order: added is the other way around. *)
let in_order order = function
  | Listed atoms when order = "added" -> Listed (List.map (fun (p, q) -> (q, p)) atoms)
  | what -> what

let parts card order =
  List.map (fun step -> { what = in_order order step.what; copies = step.times; one = List.assoc order step.laws }) card.steps

let orders = [ "removed"; "added" ]

(* For each order what was found, in units of 1/2^(bits + fine). *)
let judged card precision longest =
  let rec each = function
    | [] -> Known []
    | order :: more -> (
      let width = coq_rational card.width and epsilon = coq_rational card.epsilon and delta = coq_rational card.delta in
      match card_checker precision longest card.bits card.fine card.cut card.points width epsilon delta (parts card order) with
      | Fault fault -> Fault fault
      | Known found -> (match each more with Known all -> Known ((order, found) :: all) | Fault fault -> Fault fault))
  in
  each orders

(* A decimal of six digits, by a division that rounds up or down. *)
let decimal divide n d =
  if Z.sign n <= 0 then "0"
  else
    let ten e = Z.pow (Z.of_int 10) e in
    let scaled e = if e >= 0 then divide (Z.mul n (ten e)) d else divide n (Z.mul d (ten (-e))) in
    let has_six e = Z.geq (scaled e) (ten 5) in
    let rec least e = if has_six (e - 1) then least (e - 1) else e in
    let rec first e = if has_six e then least e else first (e + 1) in
    let e = first 0 in
    let digits = Z.to_string (scaled e) in
    (* Rounded up to a power of ten, there are seven. *)
    let power = String.length digits - 1 - e in
    Printf.sprintf "%c.%se%d" digits.[0] (String.sub digits 1 5) power

let rounded_up = decimal Z.cdiv

(* A point as it is printed is not above the one that is assumed. *)
let rounded_down = decimal Z.fdiv

let rational q = if Z.equal (Q.den q) Z.one then Z.to_string (Q.num q) else Z.to_string (Q.num q) ^ "/" ^ Z.to_string (Q.den q)
let coq_text q = rational (Q.make q.qnum q.qden)
let listed show xs = "[" ^ String.concat ", " (List.map show xs) ^ "]"

let points_text card all order law =
  let points = assumed card.bits card.fine (coq_rational card.width) law in
  let unit = Z.shift_left Z.one (Z.to_int (Z.add card.bits card.fine)) in
  let count = List.length points in
  let is_shown i = all || count <= most_shown || i * (most_shown - 1) / (count - 1) > (i - 1) * (most_shown - 1) / (count - 1) || i = 0 in
  let shown = List.filteri (fun i _ -> is_shown i) points in
  let one (j, d) = Printf.sprintf "%s: %s" (Z.to_string j) (rounded_down d unit) in
  Printf.sprintf "%s, at most d for each of %d j: %s" order count (String.concat ", " (List.map one shown))
  ^ if List.length shown < count then " (all: checked --points)" else ""

let step_text card all i step =
  let name = Printf.sprintf "#%d" (i + 1) in
  let says =
    match step.what with
    | Listed atoms ->
      Printf.sprintf "%s has no larger divergence than the pair p = %s, q = %s, in either order" name
        (listed (fun (p, _) -> coq_text p) atoms)
        (listed (fun (_, q) -> coq_text q) atoms)
    | Response (epsilon, k) ->
      Printf.sprintf "%s has no larger divergence than randomized response among %s at epsilon %s" name (Z.to_string k) (coq_text epsilon)
    | Promise (epsilon, delta) ->
      Printf.sprintf "%s is (%s, %s)-close in both orders" name (coq_text epsilon) (coq_text delta)
    | Assumed ->
      Printf.sprintf "%s has a divergence at e^(j * %s) of %s" name (rational card.width)
        (String.concat "; " (List.map (fun order -> points_text card all order (List.assoc order step.laws)) orders))
  in
  Printf.sprintf "%s (labeled '%s')" says step.name

let statement card all found =
  let unit = Z.shift_left Z.one (Z.to_int (Z.add card.bits card.fine)) in
  let steps = List.mapi (fun i step -> Printf.sprintf "%s x #%d" (Z.to_string step.times) (i + 1)) card.steps in
  let deltas = List.map (fun (order, d) -> Printf.sprintf "%s: delta <= %s" order (rounded_up d unit)) found in
  Printf.sprintf
    "(%s, %s)-private, of finite laws: %s, one after the other, each chosen by what came before (%s); \
     what remains on paper, of each step, whatever came before: %s"
    (rational card.epsilon) (rational card.delta) (String.concat ", " steps) (String.concat "; " deltas)
    (String.concat "; and " (List.mapi (step_text card all) card.steps))
