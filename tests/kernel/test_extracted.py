"""The program that is extracted from the proved checker, beside the kernel."""

import json
import math
import re
import subprocess
from collections import Counter
from functools import reduce

import pytest

from proofs_check.kernel import Accepted, check
from tests.commands import outcome
from tests.evidence import KeptFile
from tests.kernel.certificates import stated
from tests.kernel.drawn import drawn
from tests.kernel.mutations import CERTIFICATES, mutants
from tests.kernel.printed import of_the_program, said
from tests.kernel.proof_mutations import PROOFS
from tests.kernel.proof_steps import every, follows, identity, proved
from tests.kernel.second_checker import Judgment, judged
from tests.kernel.test_coq import AXIOMS
from tests.kernel.three_checkers import (
    answers,
    in_groups,
    of_certificates,
    of_steps,
    on_a_sample_in_coq,
    on_certificates,
    on_steps,
)

# What the kernel says of what is too close or too long for it, not of what is false or undefined.
OPEN = ("undecided", "seconds of work", "identically", "outcomes for", "more than")
UNCERTAIN = "not certainly"  # of a divisor or an argument, at the precision that the file asks for
COIN = [["0x1/0x2", "0x1/0x2"], ["0x1/0x4", "0x3/0x4"]]
PAIR = {"kind": "finite_pair", "p": COIN[0], "q": COIN[1]}
BY_ZERO = ["div", "0x1", "0x0"]
HIDDEN_ZERO = ["div", "0x1", ["sub", ["exp", "0x1"], ["exp", "0x1"]]]


def test_the_theorem_rests_on_the_axioms_of_the_reals_alone(program):
    (program.parent / "Sound.v").write_text(
        "Require Import Checker Proofs Cards.\n"
        "Print Assumptions checker_sound.\nPrint Assumptions proof_checker_sound.\n"
        "Print Assumptions card_checker_sound.\n"
    )
    run = subprocess.run(
        ["coqc", "Sound.v"], cwd=program.parent, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    used = set(re.findall(r"^([A-Za-z_.0-9]+)\s*:", run.stdout, re.MULTILINE)) - {"Axioms"}
    assert used == AXIOMS


def test_verify_asks_it_beside_the_kernel(program, tmp_path, monkeypatch, capsys):
    """From an empty cache, twice: built once, and asked about what is true, false and undefined."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    cases = {
        "true": ["<", "0x1", "0x2"],
        "false": ["<", "0x2", "0x1"],
        "undefined": ["=", ["mul", "0x0", BY_ZERO], "0x0"],
    }
    for name, relation in cases.items():
        document = json.loads(stated(relation)) | {"claim": ""}
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    said = {}
    for name in (*cases, "true"):
        code, out, _ = outcome(capsys, "verify", "--proved", tmp_path / f"{name}.json")
        said[name] = code, next(x for x in out.splitlines() if "the proved checker: " in x)
    assert said == {
        "true": (0, "  the proved checker: accepted: 1 < 2"),
        "false": (1, "  the proved checker: refused: a relation is false"),
        "undefined": (
            1,
            "  the proved checker: refused: a part has no meaning, or a row is no law",
        ),
    }
    (built,) = (tmp_path / "cache" / "exactdp").iterdir()
    assert built.name.startswith("checked-")


def compared(program, documents):
    """How often what was said, after comparing the program and the kernel on each."""
    counts = Counter()
    for document, (word, text) in zip(documents, answers(program, documents), strict=True):
        found = check(document, seconds=2)
        accepted, reason = isinstance(found, Accepted), getattr(found, "reason", "")
        counts[word, "accepted" if accepted else "rejected"] += 1
        if word == "accepted" and not accepted:
            assert any(x in reason for x in (*OPEN, UNCERTAIN)), (reason, document)
            judgment = judged(json.loads(document))
            may = [Judgment.TRUE] if UNCERTAIN in reason else [Judgment.TRUE, Judgment.OPEN]
            assert judgment in may, (judgment, reason, document)
            counts["accepted beyond the kernel", reason.split(": ", 1)[1][:30]] += 1
        assert word != "refused" or not accepted, (text, document)
    return counts


def test_it_agrees_with_the_kernel_on_the_kept_certificates(program):
    kept = [path.read_bytes() for path in CERTIFICATES if isinstance(path, KeptFile)]
    words = Counter(word for word, _ in answers(program, kept, seconds=60))
    assert words == {"accepted": len(kept)}, words


@pytest.mark.parametrize(("a", "b"), [(129, 64), (600, 599), (5_000, 1_234), (118_906, 58_823)])
def test_long_binomial_coefficients_have_all_their_leading_bits(program, a, b):
    """The program multiplies parts and rounds; Python has the integer."""
    exact = math.comb(a, b)
    shift = max(exact.bit_length() - 70, 0)
    below, above = hex((exact >> shift) - 1), hex((exact >> shift) + 2)
    scaled = ["div", ["binomial", hex(a), hex(b)], ["pow", "0x2", hex(shift)]]
    documents = [stated([sign, below, scaled], [sign, scaled, above]) for sign in ("<", ">=")]
    said = [word for word, _ in answers(program, documents)]
    assert said == ["accepted", "refused"]


def test_it_agrees_with_the_kernel_on_mutants(program, request, capsys):
    """Two thousand; with --deep a hundred thousand."""
    each, least = (1100, 100_000) if request.config.getoption("--deep") else (12, 2000)
    documents = [
        json.dumps(mutant).encode()
        for path in CERTIFICATES
        if len(path.read_bytes()) < 5000
        for _, mutant in mutants(path, each, 5)
    ]
    assert len(documents) > least
    counts = compared(program, documents)
    with capsys.disabled():
        print(dict(counts))
    assert counts["accepted", "accepted"] > 500 and counts["refused", "rejected"] > 500


def test_it_agrees_with_the_kernel_on_drawn_certificates(program, capsys):
    documents = [json.dumps(x).encode() for seed in range(400) for x in drawn(seed)]
    counts = compared(program, documents)
    with capsys.disabled():
        print(dict(counts))
    assert counts["accepted", "accepted"] > 100 and counts["refused", "rejected"] > 100


@pytest.mark.parametrize(
    ("conclusion", "define"),
    [
        (["=", ["mul", "0x0", BY_ZERO], "0x0"], []),
        (["=", ["mul", "0x0", ["pow", "0x0", "-0x1"]], "0x0"], []),
        (["=", ["mul", "0x0", ["log", "0x0"]], "0x0"], []),
        (["=", ["pow", ["log", "-0x1"], "0x0"], "0x1"], []),
        (["=", ["mul", "0x0", ["sqrt", "-0x1"]], "0x0"], []),
        (["=", ["mul", "0x0", ["entry", COIN, 9, 9]], "0x0"], []),
        (["=", ["mul", "0x0", ["ldp_ratio", [["0x1", "0x0"], COIN[0]]]], "0x0"], []),
        (["=", ["mul", "0x0", ["hockey_stick", PAIR, BY_ZERO]], "0x0"], []),
        (["=", ["mul", "0x0", ["hockey_stick", PAIR, "-0x1"]], "0x0"], []),
        (["=", ["sum", "i", 1, 3, ["mul", "0x0", ["log", ["neg", {"ref": "i"}]]]], "0x0"], []),
        (["<", "0x0", "0x1"], [["z", BY_ZERO]]),
        (["<", "0x0", "0x1"], [["z", ["log", "-0x1"]]]),
        (["<", "0x0", "0x1"], [["R", [[["mul", "0x0", ["log", "-0x1"]], "0x1"]]]]),
        (["<", "0x0", "0x1"], [["R", [["0x1/0x2", "0x1/0x3"]]]]),
        (["<", "0x0", "0x1"], [["R", [["0x3/0x2", "-0x1/0x2"]]]]),
        (["=", ["event", PAIR, "p", [0, 0]], "0x1/0x2"], []),
        (["<", "0x0", "0x1/0x0"], []),
        (["<", "0x0", 1], []),
    ],
)
def test_what_is_undefined_is_refused_though_coq_is_total(program, conclusion, define):
    document = stated(conclusion, define=define)
    assert not isinstance(check(document), Accepted)
    assert answers(program, [document])[0][0] == "refused"


E = ["exp", "0x1/0x2"]
ROOT = ["sqrt", "0x2"]
WHOLE = ["add", E, "0x1"]


def less(x):
    return ["sub", "0x1", x]


@pytest.mark.parametrize(
    "row",
    [
        [["div", E, WHOLE], ["div", "0x1", WHOLE]],
        [["div", "0x1", ["mul", ["pow", E, 2], "0x2"]], less(["div", ["pow", E, -2], "0x2"])],
        [["div", {"ref": "x"}, ["add", {"ref": "x"}, "0x1"]], ["div", "0x1", WHOLE]],
        [
            ["div", "0x1", ["add", ROOT, E]],
            ["div", ["add", ROOT, ["neg", "0x1"], E], ["add", ROOT, E]],
        ],
        [less(less(["normal_cdf", "0x1"])), less(["normal_cdf", "0x1"])],
        [["div", ["pi"], "0x4"], ["div", ["sub", "0x4", ["pi"]], "0x4"]],
        [["pow", ["sub", E, E], "0x0"]],
        [["div", ["log", "0x2"], ["log", "0x3"]], less(["div", ["log", "0x2"], ["log", "0x3"]])],
    ],
)
def test_rows_that_sum_to_1_as_rational_functions_are_laws(program, row):
    document = stated(["<", "0x0", "0x1"], define=[["x", E], ["R", [row]]])
    assert isinstance(check(document), Accepted)
    assert answers(program, [document])[0][0] == "accepted"


TINY = "0x1/0x" + "1" + "0" * 200  # far below what the intervals see


@pytest.mark.parametrize(
    "row",
    [
        [["div", E, WHOLE], ["sub", ["div", "0x1", WHOLE], TINY]],
        [["div", E, WHOLE], ["add", ["div", "0x1", WHOLE], ["mul", TINY, ROOT]]],
        [["div", E, WHOLE], ["div", "0x1", ["add", E, "0x1", TINY]]],
        [["div", E, WHOLE], ["div", "0x1", ["add", ["exp", ["add", "0x1/0x2", TINY]], "0x1"]]],
        [["mul", "0x0", HIDDEN_ZERO], "0x1"],
        [["div", HIDDEN_ZERO, HIDDEN_ZERO]],
        [["div", ["sub", E, E], ["sub", E, E]]],
        [["add", E, "0x1"], ["neg", E]],
    ],
)
def test_rows_that_do_not_or_have_no_meaning_are_no_laws(program, row):
    """Sums that are off by 2^-800, fractions whose denominators are 0, a negative mass."""
    document = stated(["<", "0x0", "0x1"], define=[["R", [row]]])
    assert not isinstance(check(document), Accepted)
    assert answers(program, [document], seconds=20)[0][0] in ("refused", "undecided")


def test_a_hidden_zero_is_never_accepted(program):
    """That e - e is 0 is not seen by intervals: undecided, and not accepted."""
    document = stated(["=", ["mul", "0x0", HIDDEN_ZERO], "0x0"])
    assert answers(program, [document])[0][0] == "undecided"


def test_a_number_that_ends_its_process_is_undecided_and_the_next_file_is_read(program):
    """Φ(−100 s), s = 7.3·Φ(10^4): the integers of its powers need more stack than there is."""
    far = ["div", "0x64", ["normal_cdf", "0x2710"]]
    scaled = ["mul", "0xe9562ffeb561d/0x2000000000000", far]
    tail = ["normal_cdf", ["sub", ["neg", ["div", "0x1", ["mul", "0x2", far]]], scaled]]
    relation = [">", ["mul", ["exp", "0xe9562ffeb561d/0x2000000000000"], tail], "0x1/0x2"]
    files = [stated(one) for one in (relation, [">", "0x1", "0x0"])]
    (word, _), (after, _) = answers(program, files)
    assert (word, after) == ("undecided", "accepted")
    assert not isinstance(check(files[0]), Accepted)


def test_it_prints_what_it_checked(program):
    view = {
        "kind": "shuffle",
        "randomizers": {"R": {"ref": "R"}},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "others": [{"randomizer": "R", "input": 1, "count": 2}],
        "merge": [[1], [0]],
    }
    documents = [
        stated(
            ["<=", ["total_variation", {"ref": "V"}], ["sub", "0x1", "-0x1/0x3"]],
            ["=", ["sum", "i", 1, 3, ["pow", {"ref": "i"}, "0x2"]], "0xe"],
            define=[["R", COIN], ["V", view]],
            hypotheses=[["=", ["mass", PAIR, "q", 1], "0x3/0x4"]],
        ),
    ]
    assert answers(program, documents) == [
        (
            "accepted",
            "total_variation(V) <= (1 - (-1/3)) and sum(%1, 1, 3, (%1 ^ 2)) = 14; "
            "where R = [[1/2, 1/2], [1/4, 3/4]] and "
            "V = shuffle(victim: row 0 of R or row 1 of R; 2 users: row 1 of R; "
            "merged [[1], [0]]) and $2 = [[1/2, 1/2], [1/4, 3/4]] and $1 = finite_pair($2); "
            "checked too: event($1, q, [[1]]) = 3/4",
        )
    ]


def test_it_accepts_all_kept_proofs_and_prints_what_the_kernel_does(program):
    files = {path: path.read_bytes() for path in PROOFS}
    compared = Counter()
    for (path, data), (word, text) in zip(
        files.items(), answers(program, [*files.values()], seconds=60), strict=True
    ):
        assert word == "accepted", (path, text)
        conclusion = json.loads(data)["conclusion"]
        if len(conclusion) == 1 and b"finite_pair" not in data:  # laws are written out
            kernel, own = said(check(data).statement), of_the_program(text)
            if kernel is not None and own is not None:
                assert plain(own) == plain(kernel), path
                compared[conclusion[0]["rule"]] += 1
    assert compared["claim"] >= 40 and compared.total() >= 45, compared  # of 75 files


def plain(step):
    """What is said of the variables: ranges, conditions and claims, with two arguments each."""
    ranges = [(name, folded(lo), folded(hi)) for name, lo, hi in step.ranges]
    values = [(name, list(map(folded, terms))) for name, terms in step.values]
    return ranges, values, *(list(map(folded, x)) for x in (step.conditions, step.claims))


def folded(term):
    """A term in which what has more than two arguments has two, as the program has them."""
    if not isinstance(term, list):
        return term
    head, *rest = [folded(x) for x in term]
    if head in ("add", "mul", "max", "min"):
        return reduce(lambda x, y: [head, x, y], rest)
    return [head, *rest]


def test_three_checkers_and_the_evaluators_agree(program, request, capsys):
    """On changed steps, and with --deep as in TRUST.md on certificates and in Coq, too."""
    deep = request.config.getoption("--deep")
    counts, wrong = Counter(), []
    for group in in_groups(of_steps(48 if deep else 4, 7)):
        wrong += on_steps(program, group, counts)
    if deep:
        for group in in_groups(of_certificates(40, 7)):
            wrong += on_certificates(program, group, counts)
        wrong += on_a_sample_in_coq(60, 7, counts)
    with capsys.disabled():
        print(dict(counts))
    assert wrong == []
    assert counts["kernel accepted, program accepted"] > 50
    assert counts["kernel rejected, program refused"] > 50


X, Y = {"ref": "a"}, {"ref": "b"}
NO_FRACTION = ["div", "0x1", ["sub", X, X]]


@pytest.mark.parametrize(
    ("step", "word"),
    [
        (identity([["sub", X, Y], ["sub", Y, X]]), "refused"),
        (identity([NO_FRACTION, ["mul", "0x2", NO_FRACTION]]), "refused"),
        (identity([X, X]), "refused"),
        (identity([["exp", X], ["add", ["exp", X], "0x0"]]), "undecided"),
        (identity([["sqrt", ["pow", X, 2]], X]), "undecided"),
        (identity([X, ["add", X, "0x0"]], over="a a"), "refused"),
        (follows(["sub", X, "0x1"], [["div", "0x1", X], ["neg", "0x1"]]), "refused"),
        (follows(X, ["0x1", ["sub", X, "0x0"]]), "accepted"),
        (follows(["sub", X, Y], ["-0x1", ["sub", Y, X]]), "undecided"),
        (follows(["sub", X, Y], ["0x1", ["sub", ["mul", "0x2", X], ["add", X, Y]]]), "refused"),
        (follows(["neg", X], ["0x1", ["neg", X]]), "refused"),
        (every(["<", X, "0x2"], a=["0x0", "0x1"]), "accepted"),
        (every(["<", X, "0x2"], a=["0x0", "0x2"]), "refused"),
        (every(["<", X, "0x2"], a=["0x1", "0x2/0x2"]), "undecided"),
        (every(["=", ["mul", "0x0", ["div", "0x1", X]], "0x0"], a=["0x1", "0x0"]), "refused"),
    ],
)
def test_steps_that_show_nothing_are_not_accepted(program, step, word):
    document = proved(step)
    assert isinstance(check(document), Accepted) == (word == "accepted")
    assert answers(program, [document])[0][0] == word


def test_a_step_is_printed_with_all_that_it_rests_on(program):
    """A multiplier 1/a divides by 0 at a = 0, where the hypothesis holds and the conclusion not."""
    less = ["sub", X, "0x1"]
    step = follows(less, [["div", "0x1", X], ["mul", X, less]], over="a")
    (word, said), (other, listed) = answers(
        program,
        [proved(step), proved(every(["<", X, {"ref": "k"}], a=["0x1"]), define=[["k", "0x2"]])],
    )
    assert (word, other) == ("accepted", "accepted")
    assert said == (
        "for all a >= 0, wherever this and ((1 / a)) * ((a * (a - 1))) have a meaning: "
        "if (a * (a - 1)) >= 0 then (a - 1) >= 0"
    )
    assert listed == "for each a in {1}: a < k; where k = 2"
