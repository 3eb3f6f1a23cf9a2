(* Strict JSON, as in FORMAT.md: UTF-8, no floats, no repeated keys, limits.

   Trusted: that one text is read as one value. *)

type t =
  | Null
  | Bool of bool
  | Int of Z.t
  | Text of string
  | List of t list
  | Object of (string * t) list

exception Unreadable of string

let most_bytes = 8_000_000
let most_nesting = 200
let most_digits = 20

let valid_utf8 s =
  let n = String.length s in
  let byte i = if i < n then Char.code s.[i] else 0 in
  let follows i = byte i land 0xc0 = 0x80 in
  let rec from i =
    if i >= n then true
    else
      let a = byte i and b = byte (i + 1) in
      if a < 0x80 then from (i + 1)
      else if a >= 0xc2 && a <= 0xdf then follows (i + 1) && from (i + 2)
      else if a >= 0xe0 && a <= 0xef then
        follows (i + 1) && follows (i + 2)
        && (a <> 0xe0 || b >= 0xa0)
        && (a <> 0xed || b < 0xa0)
        && from (i + 3)
      else
        a >= 0xf0 && a <= 0xf4
        && follows (i + 1) && follows (i + 2) && follows (i + 3)
        && (a <> 0xf0 || b >= 0x90)
        && (a <> 0xf4 || b < 0x90)
        && from (i + 4)
  in
  from 0

let read s =
  let bad reason = raise (Unreadable reason) in
  if String.length s > most_bytes then bad "too many bytes";
  if not (valid_utf8 s) then bad "not UTF-8";
  let place = ref 0 in
  let peek () = if !place < String.length s then s.[!place] else '\000' in
  let step () = incr place in
  let rec space () =
    match peek () with ' ' | '\t' | '\n' | '\r' -> step (); space () | _ -> ()
  in
  let expect c = if peek () = c then step () else bad (Printf.sprintf "byte %d: no %C" !place c) in
  let word w value =
    String.iter expect w;
    value
  in
  let unicode () =
    let digits = try String.sub s (!place + 1) 4 with Invalid_argument _ -> bad "an escape" in
    let hexadecimal = function '0' .. '9' | 'a' .. 'f' | 'A' .. 'F' -> true | _ -> false in
    if not (String.for_all hexadecimal digits) then bad "an escape";
    place := !place + 4;
    int_of_string ("0x" ^ digits)
  in
  let text () =
    let b = Buffer.create 16 in
    let rec more () =
      if !place >= String.length s then bad "a text without an end";
      let c = peek () in
      if c = '"' then step ()
      else if Char.code c < 32 then bad "a control character in a text"
      else begin
        (if c <> '\\' then Buffer.add_char b c
         else begin
           step ();
           match peek () with
           | ('"' | '\\' | '/') as c -> Buffer.add_char b c
           | 'b' -> Buffer.add_char b '\b'
           | 'f' -> Buffer.add_char b '\012'
           | 'n' -> Buffer.add_char b '\n'
           | 'r' -> Buffer.add_char b '\r'
           | 't' -> Buffer.add_char b '\t'
           | 'u' ->
             (* Only names and numbers matter, and these are ASCII; a half of a pair stays apart. *)
             let code = unicode () in
             if code < 128 then Buffer.add_char b (Char.chr code)
             else Buffer.add_string b (Printf.sprintf "\\u%04x" code)
           | _ -> bad "an escape"
         end);
        step ();
        more ()
      end
    in
    expect '"';
    more ();
    Buffer.contents b
  in
  let number () =
    let start = !place in
    if peek () = '-' then step ();
    let first = !place in
    let rec digits () = match peek () with '0' .. '9' -> step (); digits () | _ -> () in
    digits ();
    let length = !place - first in
    if length = 0 || (length > 1 && s.[first] = '0') then bad "not JSON";
    (match peek () with '.' | 'e' | 'E' -> bad "a float" | _ -> ());
    if !place - start > most_digits then bad "an integer that is too long";
    Int (Z.of_string (String.sub s start (!place - start)))
  in
  let rec value depth =
    if depth > most_nesting then bad "nested too deeply";
    space ();
    let found =
      match peek () with
      | '{' -> step (); Object (entries depth)
      | '[' -> step (); List (items depth)
      | '"' -> Text (text ())
      | 't' -> word "true" (Bool true)
      | 'f' -> word "false" (Bool false)
      | 'n' -> word "null" Null
      | _ -> number ()
    in
    space ();
    found
  and separated : 'a. char -> (unit -> 'a) -> 'a list =
    fun last one ->
     space ();
     if peek () = last then (step (); [])
     else
       let rec more found =
         let found = one () :: found in
         if peek () = ',' then (step (); more found) else (expect last; List.rev found)
       in
       more []
  and items depth = separated ']' (fun () -> value (depth + 1))
  and entries depth =
    let found =
      separated '}' (fun () ->
          space ();
          let key = text () in
          space ();
          expect ':';
          (key, value (depth + 1)))
    in
    let names = List.map fst found in
    if List.length (List.sort_uniq compare names) < List.length names then bad "a repeated key";
    found
  in
  let found = value 0 in
  if !place < String.length s then bad "more than one value";
  found
