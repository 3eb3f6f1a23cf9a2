(* checked [--seconds N] [--points] FILE...: for each file one line, its verdict and the statement.

   accepted: the checker that is proved sound in Coq (Checker.v, Proofs.v, Cards.v) says so. refused: a relation is
   false, a part has no meaning, or the file is not as in FORMAT.md. undecided: it is too close or too
   long, or of a kind that is not read. The exit status is 0 if every file is accepted, else 1. *)

module Integer = Z
open Checked_in_coq
module Z = Integer

(* A rational of more bits becomes an interval. *)
let longest = Z.of_int 3000
let longest_of_card = Z.of_int 100_000

(* The first attempt has this precision, the second the certificate's own. *)
let few_bits = Z.of_int 80

exception Out_of_time

let within seconds work =
  let stop _ = raise Out_of_time in
  Sys.set_signal Sys.sigalrm (Sys.Signal_handle stop);
  ignore (Unix.alarm seconds);
  Fun.protect ~finally:(fun () -> ignore (Unix.alarm 0)) work

(* What the checker says, with the hypotheses that it found for each step of a proof. *)
let judged (file : Reader.definitions) content =
  let with_bits bits =
    match (content : Reader.content) with
    | Relations { hypotheses; conclusion } -> (
      match checker bits longest file.definitions (hypotheses @ conclusion) with
      | Known () -> Known []
      | Fault f -> Fault f)
    | Steps steps ->
      proof_checker bits longest file.definitions (List.map (fun (x : Reader.named_step) -> x.step) steps)
  in
  match with_bits few_bits with
  | Fault Undecided when Z.gt file.bits few_bits -> with_bits file.bits
  | answer -> answer

(* Of a card, at the precision that its fine unit asks for. *)
let verdict_of_card all outer =
  let card = Cards.read outer in
  match Cards.judged card (Z.add card.fine few_bits) longest_of_card with
  | Known found -> ("accepted", Cards.statement card all found)
  | Fault Untrue -> ("refused", "delta is larger, or a step is above its masses")
  | Fault Undefined -> ("refused", "masses are not those of a law, or a parameter has no meaning")
  | Fault Undecided -> ("undecided", "too close for its precision, or too large")

let verdict seconds all data =
  try
    within seconds (fun () ->
        let outer = Json.read data in
        if Cards.is_card outer then verdict_of_card all outer else
        let file, content = Steps.file data in
        match judged file content with
        | Known hypotheses -> ("accepted", Statement.of_file file content hypotheses)
        | Fault Untrue -> ("refused", "a relation is false")
        | Fault Undefined -> ("refused", "a part has no meaning, or a row is no law")
        | Fault Undecided -> ("undecided", "too close for its precision, or not known to be a law"))
  with
  | Json.Unreadable reason -> ("refused", "not readable: " ^ reason)
  | Reader.Refused reason -> ("refused", reason)
  | Reader.Not_read reason -> ("undecided", reason)
  | Out_of_time -> ("undecided", Printf.sprintf "more than %d seconds" seconds)
  | Stack_overflow | Out_of_memory -> ("undecided", "too large")
  | Z.Overflow | Invalid_argument _ | Failure _ -> ("undecided", "too large for this program")

let contents path =
  let file = open_in_bin path in
  Fun.protect
    ~finally:(fun () -> close_in file)
    (fun () -> really_input_string file (min (in_channel_length file) (Json.most_bytes + 1)))

let () =
  let rec options seconds all = function
    | "--seconds" :: n :: more -> options (int_of_string n) all more
    | "--points" :: more -> options seconds true more
    | paths -> (seconds, all, paths)
  in
  let seconds, all, paths = options 60 false (List.tl (Array.to_list Sys.argv)) in
  if paths = [] then prerr_endline "usage: checked [--seconds N] [--points] FILE...";
  let line path =
    let word, text =
      match contents path with
      | data -> verdict seconds all data
      | exception Sys_error _ -> ("refused", "the file cannot be read")
    in
    Printf.printf "%s: %s: %s\n%!" path word text;
    word = "accepted"
  in
  (* In a process of its own: numbers too long for the stack of the library of integers end it. *)
  let judge path =
    match Unix.fork () with
    | 0 -> exit (if line path then 0 else 1)
    | child -> (
      match snd (Unix.waitpid [] child) with
      | WEXITED code when code <= 1 -> code = 0
      | _ ->
        Printf.printf "%s: undecided: too large: it ended its process\n%!" path;
        false)
  in
  let all = List.map judge paths in
  exit (if paths <> [] && List.for_all Fun.id all then 0 else 1)
