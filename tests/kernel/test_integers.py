"""The integers of the extracted checker, beside Python's and beside Coq's own computation."""

import math
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INTEGERS = HERE.parents[1] / "proofs_check" / "coq" / "extracted" / "integers.ml"
# Where what falls off lies, by number: nothing, below a half, a half, above it.
EQ, LO, MI, UP = range(4)
BOUNDARIES = [
    *range(10),
    *(2**k + d for k in (30, 31, 32, 61, 62, 63, 64, 65, 127, 128, 200) for d in (-1, 0, 1)),
]
# What the program is asked, and the same of Coq; its answers as lists of integers.
IN_COQ = {
    "bit_length": "[Zpos (Pos.size {0}); Zpos (digits2_pos {0}); StdZRadix2.mantissa_digits {0}]",
    "log2": "[Z.log2 {0}]",
    "ggcd": "let '(g, (a, b)) := Z.ggcd {0} {1} in [g; a; b]",
    "power": "[Z.pow {0} {1}]",
    "div_eucl": "pair (Zfast_div_eucl {0} {1}) ++ pair (Z.div_eucl {0} {1})",
    "div": "[Z.div {0} {1}]",
    "modulo": "[Z.modulo {0} {1}]",
    "square": "[Z.square {0}]",
    "sqrtrem": "pair (Z.sqrtrem {0})",
    "shift_left": "[Zpos (StdZRadix2.mantissa_shl {0} {1})]",
    "shift_right": "shifted {0} {1} {2}",
    "positive": "[Zpos {0}]",
}
ONLY_POSITIVE = ("bit_length", "positive", "shift_left", "shift_right")


def divided(a, b):
    return divmod(a, b) if b else (0, a)


def halved(m, d, position):
    """m halved d times, bit by bit, and where what falls off lies."""
    if d <= 0:
        return 1, EQ
    for _ in range(d):
        if m == 1:
            position = EQ
        elif m % 2:
            m, position = m // 2, MI if position == EQ else UP
        else:
            m, position = m // 2, EQ if position == EQ else LO
    return m, position


def in_python(name, a, b=0, c=0):
    """What a function is by its specification."""
    match name:
        case "bit_length":
            return (a.bit_length(),)
        case "log2":
            return (max(a.bit_length() - 1, 0) if a > 0 else 0,)
        case "ggcd":
            g = math.gcd(a, b)
            return (g, a // g, b // g) if g else (0, 0, 0)
        case "power":
            return (a**b if b >= 0 else 0,)
        case "div_eucl":
            return divided(a, b)
        case "div":
            return (divided(a, b)[0],)
        case "modulo":
            return (divided(a, b)[1],)
        case "square":
            return (a * a,)
        case "sqrtrem":
            return (math.isqrt(a), a - math.isqrt(a) ** 2) if a >= 0 else (0, 0)
        case "shift_left":
            return (a << b if b > 0 else 1,)
        case "shift_right":
            return halved(a, b, c)
        case "positive":
            return (a,)
    raise AssertionError(name)


def questions(seed, each):
    """Boundary integers and random ones, for every function."""
    draw = random.Random(seed)
    signed = [s * n for n in BOUNDARIES for s in (1, -1)]

    def integer():
        some = draw.choice(signed)
        return some if draw.random() < 0.5 else draw.randint(-1, 1) * draw.getrandbits(300) + some

    asked = [(name, n) for name in ("log2", "square", "sqrtrem") for n in signed]
    asked += [(name, n) for name in ("bit_length", "positive") for n in BOUNDARIES if n > 0]
    asked += [
        (name, a, b)
        for name in ("div_eucl", "div", "modulo", "ggcd")
        for a in (-7, -6, -1, 0, 1, 6, 7)
        for b in (-3, -1, 0, 1, 3)
    ]
    asked += [
        ("shift_right", m, d, p)
        for m in range(1, 18)
        for d in range(-1, 7)
        for p in (EQ, LO, MI, UP)
    ]
    for _ in range(each):
        a, b = integer(), integer()
        asked += [(name, a, b) for name in ("div_eucl", "div", "modulo", "ggcd")]
        asked += [("power", draw.choice((a, a % 5 - 2)), draw.randint(-2, 9))]
        m, zeros = abs(a) or 1, draw.randint(0, 70)
        asked += [("shift_left", m, draw.randint(-1, 200)), ("bit_length", m), ("sqrtrem", a)]
        for shifted in (m, m << zeros, (2 * m + 1) << zeros):
            near = {1, zeros, zeros + 1, zeros + 2, shifted.bit_length() + draw.randint(-2, 2)}
            asked += [("shift_right", shifted, d, draw.randint(EQ, UP)) for d in sorted(near)]
    return asked


@pytest.fixture(scope="module")
def asked_ocaml(tmp_path_factory):
    """The functions, compiled: questions to answers."""
    zarith = ["ocamlfind", "query", "zarith"]
    if (
        shutil.which("ocamlfind") is None
        or subprocess.run(zarith, capture_output=True, check=False).returncode
    ):
        pytest.skip("ocamlfind or zarith is not installed: integers.ml was not compiled")
    folder = tmp_path_factory.mktemp("integers")
    for path in (INTEGERS, HERE / "integers_asked.ml"):
        shutil.copy(path, folder)
    build = "ocamlfind ocamlopt -w -a -package zarith -linkpkg -o asked integers.ml"
    subprocess.run([*build.split(), "integers_asked.ml"], cwd=folder, check=True)

    def answers(asked):
        text = "".join(" ".join(map(str, x)) + "\n" for x in asked)
        run = subprocess.run(
            folder / "asked", input=text, capture_output=True, text=True, check=True
        )
        return [tuple(map(int, line.split())) for line in run.stdout.splitlines()]

    return answers


def test_they_are_as_python_has_them(asked_ocaml):
    asked = questions(1, 1500)
    answers = asked_ocaml(asked)
    assert {name for name, *_ in asked} == IN_COQ.keys() and len(asked) == len(answers)
    wrong = [(x, y) for x, y in zip(asked, answers, strict=True) if in_python(x[0], *x[1:]) != y]
    assert wrong == []


def test_they_are_as_coq_computes_them(asked_ocaml, tmp_path, request):
    """Each function of Coq's that one of integers.ml stands for, by Coq's own evaluation."""
    if not request.config.getoption("--coq") or shutil.which("coqc") is None:
        pytest.skip("with --coq, where coqc is")
    asked = questions(2, 60)

    def lines():
        for name, *numbers in asked:
            scope = "%positive" if name in ONLY_POSITIVE else "%Z"
            first, *rest = numbers
            yield IN_COQ[name].format(f"({first}){scope}", *(f"({n})%Z" for n in rest))

    (tmp_path / "asked.v").write_text(
        "From Coq Require Import ZArith List.\nFrom Flocq Require Import Core.Digits Core.Zaux.\n"
        "From Flocq Require Import Calc.Bracket.\n"
        "From Interval.Float Require Import Specific_stdz Generic.\n"
        "Import ListNotations.\nOpen Scope Z_scope.\n"
        "Definition pair (x : Z * Z) := [fst x; snd x].\n"
        "Definition shifted m d p :=\n"
        "  let at_ := nth (Z.to_nat p) [pos_Eq; pos_Lo; pos_Mi; pos_Up] pos_Eq in\n"
        "  let (n, q) := StdZRadix2.mantissa_shr m d at_ in\n"
        "  [Zpos n; match q with pos_Eq => 0 | pos_Lo => 1 | pos_Mi => 2 | pos_Up => 3 end].\n"
        "Set Printing Width 100000.\n"
        + "".join(f"Eval vm_compute in ({line}).\n" for line in lines())
    )
    run = subprocess.run(
        ["coqc", "asked.v"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = re.findall(r"= \[(.*?)\]", run.stdout, re.DOTALL)
    in_coq = [tuple(int(n) for n in line.split(";")) for line in found]
    answers = asked_ocaml(asked)
    assert len(in_coq) == len(answers) == len(asked)
    for question, theirs, ours in zip(asked, in_coq, answers, strict=True):
        assert theirs == ours * (len(theirs) // len(ours)), question
