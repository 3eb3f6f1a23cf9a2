(* Functions of integers.ml on what standard input asks: a name and integers a line. *)

let () =
  let z = Z.of_string in
  let put xs = print_endline (String.concat " " (List.map Z.to_string xs)) in
  let pair (a, b) = put [ a; b ] in
  try
    while true do
      match String.split_on_char ' ' (input_line stdin) with
      | [ "bit_length"; p ] -> put [ Integers.bit_length (z p) ]
      | [ "log2"; n ] -> put [ Integers.log2 (z n) ]
      | [ "ggcd"; a; b ] ->
        let g, (x, y) = Integers.ggcd (z a) (z b) in
        put [ g; x; y ]
      | [ "power"; a; n ] -> put [ Integers.power (z a) (z n) ]
      | [ "div_eucl"; a; b ] -> pair (Integers.div_eucl (z a) (z b))
      | [ "div"; a; b ] -> put [ Integers.div (z a) (z b) ]
      | [ "modulo"; a; b ] -> put [ Integers.modulo (z a) (z b) ]
      | [ "square"; a ] -> put [ Integers.square (z a) ]
      | [ "sqrtrem"; n ] -> pair (Integers.sqrtrem (z n))
      | [ "shift_left"; m; d ] -> put [ Integers.shift_left (z m) (z d) ]
      | [ "shift_right"; m; d; p ] ->
        let m, p = Integers.shift_right ~eq:0 ~lo:1 ~mi:2 ~up:3 (z m) (z d) (int_of_string p) in
        put [ m; Z.of_int p ]
      | [ "positive"; p ] ->
        (* Taken apart and put together again. *)
        let rec again p =
          Integers.by_last_bit
            (fun p -> Integers.double_and_one (again p))
            (fun p -> Integers.double (again p))
            (fun () -> Z.one)
            p
        in
        put [ again (z p) ]
      | _ -> print_endline "?"
    done
  with End_of_file -> ()
