"""Accountants beside the truth: each kind of answer, each format, and the way to the simplest."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from exactdp.cli.app import application
from exactdp.compare import Accountant, Finding, Task, compare, installed_accountants
from exactdp.compare.accountants import chosen
from exactdp.compare.formats import FORMATS, reproduction
from exactdp.compare.minimizing import minimized
from exactdp.errors import ParseError
from exactdp.execution.sessions import Session
from exactdp.side import Side
from exactdp.testing import Deployment, Mechanism
from exactdp.testing.deciding import Judgment

GAUSSIAN = Task(Deployment((Mechanism("gaussian", 2.5, 1.0, 7),), 1.5, 1e-6), "delta")
LAPLACE = Task(Deployment((Mechanism("laplace", 2.0),), 0.25, 1e-5), "delta")
TRUE_LAPLACE = "-math.expm1((0.25 - 0.5) / 2)"


def said(expression: str, task: Task = LAPLACE, *sides: Side) -> list[Finding]:
    answers = {task.ask: lambda _: expression}
    one = Accountant("mine", "", "import math, os, time", answers, sides or (Side.UPPER,))
    return list(compare([task], [one], limit=1.5))


@pytest.mark.parametrize(
    ("expression", "standing", "reason"),
    [
        (f"{TRUE_LAPLACE} * (1 + 1e-9)", Judgment.RIGHT, ""),
        (f"{TRUE_LAPLACE} * (1 - 1e-14)", Judgment.ROUNDED, ""),
        (f"{TRUE_LAPLACE} * (1 - 1e-9)", Judgment.WRONG, ""),
        ("-0.5", Judgment.WRONG, ""),
        ("math.inf", Judgment.RIGHT, ""),
        ("-math.inf", Judgment.WRONG, ""),
        ("math.nan", Judgment.FAILED, "nan is not an answer"),
        ("1 / 0", Judgment.FAILED, "raised ZeroDivisionError: division by zero"),
        ("'many'", Judgment.FAILED, "raised ValueError: could not convert string to float: 'many'"),
        ("(0.1, 0.2)", Judgment.FAILED, "gave 2 numbers, not 1"),
        ("time.sleep(60)", Judgment.FAILED, "no answer in 1.5 s"),
        ("os._exit(7)", Judgment.FAILED, "its process ended with exit code 7"),
    ],
)
def test_each_answer_has_its_standing(expression: str, standing: Judgment, reason: str) -> None:
    [found] = said(expression)
    assert (found.standing, found.reason) == (standing, reason)


def test_lower_bounds_and_intervals_are_judged_from_their_own_sides() -> None:
    [low] = said(f"{TRUE_LAPLACE} * (1 + 1e-9)", LAPLACE, Side.LOWER)
    assert low.standing is Judgment.WRONG
    ends = said(f"({TRUE_LAPLACE} * 1.1, {TRUE_LAPLACE} * 1.2)", LAPLACE, Side.LOWER, Side.UPPER)
    assert [end.standing for end in ends] == [Judgment.WRONG, Judgment.RIGHT]


@pytest.mark.parametrize(
    ("ask", "right", "wrong"), [("epsilon", 0.49999, 0.4998), ("parameter", 1.9, 1.1)]
)
def test_epsilons_and_noise_are_judged_by_the_delta_that_they_have(
    ask: str, right: float, wrong: float
) -> None:
    """Laplace of scale b has delta = 1 - e^((eps - 1/b)/2)."""
    # 1 - e^((0.49999 - 0.5)/2) = 5.0e-6 < 1e-5, and 1e-4 at 0.4998; scale 1.9: 0.22, 1.1: 0.38.
    delta = 1e-5 if ask == "epsilon" else 0.25
    case = Task(Deployment((Mechanism("laplace", 2.0),), 0.01, delta), ask)  # type: ignore[arg-type]
    assert [said(repr(x), case)[0].standing for x in (right, wrong)] == [
        Judgment.RIGHT,
        Judgment.WRONG,
    ]


def test_the_call_after_one_that_hangs_is_answered() -> None:
    answers = {"delta": lambda case: "time.sleep(60)" if case.epsilon else "0.5"}
    one = Accountant("mine", "", "import time", answers)
    calm = Task(Deployment((Mechanism("laplace", 2.0),), 0.0, 1e-5), "delta")
    found = list(compare([LAPLACE, calm], [one], limit=1))
    assert [f.value for f in found] == [None, 0.5]


def test_a_missing_library_and_what_it_has_no_answer_to_are_told_apart() -> None:
    gone = Accountant("gone", "no-such-distribution", "", {"delta": lambda _: "1.0"})
    silent = Accountant("silent", "", "", {"delta": lambda _: None})
    found = list(compare([LAPLACE], [gone, silent]))
    assert [(f.accountant.name, f.standing) for f in found] == [("gone", Judgment.ABSENT)]


def test_a_fault_is_brought_to_the_most_ordinary_deployment() -> None:
    forgets = {"delta": lambda c: f"0.5 * math.erfc({c.epsilon!r}) * 1e-3"}
    awkward = Deployment(
        (Mechanism("gaussian", 3.72, 0.1, 90), Mechanism("laplace", 2.31, 1.0, 12)), 0.37, 3e-9
    )
    one = Accountant("mine", "", "import math", forgets)
    [found] = compare([Task(awkward, "delta")], [one])
    simplest = minimized(found)
    assert simplest.standing is Judgment.WRONG
    # At epsilon = 1, the most ordinary, delta is 0.
    assert simplest.task.deployment == Deployment((Mechanism("laplace", 1.0),), 0.4, 1e-5)


def test_a_reproduction_runs_and_prints_the_value() -> None:
    import shlex
    import subprocess
    import sys

    [found] = said(f"{TRUE_LAPLACE} / 2")
    [line] = [text for text in reproduction(found).splitlines() if "call:" in text]
    _, _, code = shlex.split(line.split(":", 1)[1])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) == found.value


def test_each_format_is_well_formed_and_tells_what_is_wrong() -> None:
    findings = [*said(f"{TRUE_LAPLACE} / 2"), *said("1 / 0"), *said("1.0")]
    document = json.loads(FORMATS["json"](findings))["findings"]
    assert [one["standing"] for one in document] == ["wrong", "failed", "right"]
    assert float.fromhex(document[0]["value"]) == findings[0].value
    suite = ET.fromstring(FORMATS["junit"](findings))
    assert [suite.get("tests"), suite.get("failures")] == ["3", "1"]
    assert len(suite.findall("testcase/failure")) == len(suite.findall("testcase/skipped")) == 1
    [result] = json.loads(FORMATS["sarif"](findings))["runs"][0]["results"]
    assert result["level"] == "error"
    assert FORMATS["github"](findings).startswith("::error title=mine::mine: delta 0.0587")
    rows = [
        line for line in FORMATS["markdown"](findings).splitlines() if line.startswith("| mine")
    ]
    assert [row.split("|")[3].strip() for row in rows] == ["WRONG", "failed", "right"]


def test_the_adapters_write_expressions_of_all_that_they_answer() -> None:
    """Each compiles; what a library cannot do has none."""
    kinds = ("gaussian", "laplace", "discrete_gaussian", "discrete_laplace", "randomized_response")
    for one in installed_accountants():
        compile(one.before + one.imports, one.name, "exec")
        assert "\n" not in one.imports
        if one.is_program:
            continue  # of users: test_users
        texts = [
            one.expression(Task(Deployment((Mechanism(kind, 0.5),), 0.5, 1e-5), ask))
            for kind in kinds
            for ask in one.answers
        ]
        assert any(texts)
        for text in filter(None, texts):
            compile(f"{one.imports}; print({text})", one.name, "exec")
            compile(text, one.name, "eval")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def halved(mechanisms, *, epsilon): return 0.05\n")
    problem = {"kind": "laplace", "scale": "2", "ask": {"hockey_stick": [{"rational": "1/4"}]}}
    (tmp_path / "p.json").write_text(json.dumps(problem))
    run = CliRunner()
    shown = run.invoke(application(), ["compare", "p.json", "--with", "mine:halved", "--ci"])
    assert shown.exit_code == 1, shown.output
    assert "delta at epsilon 0.25 is [0.117503097415" in shown.output
    assert "mine:halved: delta 0.05 at epsilon 0.25 is below the truth" in shown.output
    silent = run.invoke(application(), ["compare", "p.json", "--with", "opendp/map", "--ci"])
    assert (silent.exit_code, silent.output) == (0, "no answer to such a question: opendp/map\n")
    listed = run.invoke(application(), ["compare", "--list"])
    assert "dp-accounting/pld" in listed.output


def test_a_reproduction_asks_the_truth_again(tmp_path: Path) -> None:
    """The problem that it prints has the truth that it shows; of a parameter, the δ it has."""
    import shlex

    sampled = Mechanism("gaussian", 0.7, 0.3)
    both = Deployment((Mechanism("laplace", 2.0, 1.0, 2), Mechanism("laplace", 3.1)), 0.25, 1e-5)
    for asked, value in (
        (LAPLACE, 0.05),
        (Task(Deployment((sampled,), 0.0, 1e-5), "epsilon"), 0.1),
        (Task(Deployment((sampled,), 0.5, 1e-5), "parameter"), 0.9),
        (Task(both, "delta"), 0.05),
    ):
        [found] = said(repr(value), asked)
        [line] = [text for text in reproduction(found).splitlines() if "again:" in text]
        _, problem, *rest = shlex.split(line.split(":", 1)[1])
        assert rest == ["|", "exactdp", "solve", "-"]
        solved = json.loads(
            CliRunner().invoke(application(), ["solve", "-", "--json"], problem).output
        )
        [answer] = solved["answers"]
        assert answer["direction"] == "both"
        assert found.truth is not None
        middle = float((found.truth.lower + found.truth.upper) / 2)
        assert answer["float_below"] <= middle * (1 + 1e-5)
        assert answer["float_above"] >= middle * (1 - 1e-5)
        assert abs(answer["float_below"] / middle - 1) < 1e-4


def test_one_process_answers_for_all_accountants_of_a_library() -> None:
    """With its own imports each; one whose imports fail leaves the others alone."""
    own = "import os; x = {}"
    accountants = [
        Accountant(f"mine/{i}", "", own.format(i), {"delta": lambda _: "[os.getpid(), x][0] + x"})
        for i in (0, 1)
    ]
    broken = Accountant(
        "mine/2", "", "import no_such", {"delta": lambda _: "1"}, needs="nothing<1", before="y = 1;"
    )
    found = list(compare([LAPLACE], [broken, *accountants]))
    assert "No module named 'no_such'" in found[0].reason
    assert found[2].value == found[1].value + 1  # type: ignore[operator]
    [prepared] = compare(
        [LAPLACE], [replace(broken, imports="z = y", answers={"delta": lambda _: "z"})]
    )
    assert prepared.value == 1
    failing = Accountant("mine/3", "", "raise ImportError('x.')", {"delta": lambda _: "1"})
    hinted = Accountant(
        "mine/4", "", "raise ImportError('x.')", {"delta": lambda _: "1"}, needs="a<2"
    )
    reasons = [f.reason for f in compare([LAPLACE], [failing, hinted])]
    assert reasons == ["ImportError: x.", "ImportError: x. It needs a<2."]


def test_a_grid_of_problems_and_the_smallest_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def low(mechanisms, *, epsilon): return 1e-9\n")
    problem = {
        "kind": "laplace",
        "scale": {"each": ["2", "3"]},
        "ask": {"hockey_stick": [{"rational": "1/4"}]},
    }
    (tmp_path / "a b.json").write_text(json.dumps(problem))
    run = CliRunner()
    arguments = ["compare", "a b.json", "--with", "mine:low", "--minimize", "--format"]
    found = json.loads(run.invoke(application(), [*arguments, "json"]).output)["findings"]
    assert [one["problem"] for one in found] == ["scale=2", "scale=3"]
    assert all("'parameter': 1.0" in one["smallest"]["call"] for one in found)
    [sarif] = json.loads(run.invoke(application(), [*arguments, "sarif"]).output)["runs"]
    [place] = sarif["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.json"
    assert "\nsmallest: mine:low" in sarif["results"][0]["message"]["text"]
    [first, *_] = run.invoke(application(), [*arguments, "github"]).output.splitlines()
    assert first.startswith("::error file=a b.json,title=mine%3Alow::mine:low: delta 1e-09 at")
    assert "%0Asmallest: mine:low" in first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--with", "nobody"], "accountant='nobody' is not known"),
        (["--format", "yaml"], "--format='yaml' is unknown"),
        ([], "FILE is missing"),
        (["--python", "x", "p.json"], "--python='x' is not an interpreter"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str) -> None:
    found = CliRunner().invoke(application(), ["compare", *arguments])
    assert isinstance(found.exception, ParseError)
    assert message in str(found.exception)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({"kind": "finite_pair", "p": ["1"], "q": ["1"], "ask": {"epsilon": [0]}}, "nothing that"),
        ({"kind": "gaussian", "ask": {"epsilon": ["1e-5"]}}, "Ask for sigma or scale"),
        (
            {"kind": "gaussian", "sigma": "1", "ask": {"max_divergence": True}},
            "Ask for delta or epsilon",
        ),
    ],
)
def test_what_no_accountant_answers_is_refused(
    problem: object, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(problem))
    found = CliRunner().invoke(application(), ["compare", str(path)])
    assert isinstance(found.exception, ParseError)
    assert message in str(found.exception)


def test_own_functions_get_plain_doubles() -> None:
    [own] = chosen(["a.b:c"])
    assert own.expression(GAUSSIAN) == (
        "c([{'kind': 'gaussian', 'parameter': 2.5, 'sampling_probability': 1.0, 'times': 7, "
        "'k': 2, 'rate': 1.0}], epsilon=1.5)"
    )


def test_a_process_begins_before_its_first_call() -> None:
    with Session("", "import math") as session:
        session.begin()
        assert session.ask("math.sqrt(2.25)").values == (1.5,)
        assert session.ask("os.getpid() > 0", imports="import os").values == (1.0,)


@pytest.mark.parametrize(
    ("library", "imports", "failure"),
    [
        ("no-such-library", "import math", "not installed"),
        ("", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("", "import os; os._exit(3)", "its process ended with exit code 3"),
    ],
)
def test_a_process_that_cannot_begin_says_why_at_the_first_call(
    library: str, imports: str, failure: str
) -> None:
    with Session(library, imports) as session:
        session.begin()
        assert [session.ask("1").failure, session.ask("1").failure] == [failure, failure]
        other = session.ask("2", imports="")
        assert other.values == ((2.0,) if not library else ())


def test_a_process_may_be_closed_while_another_thread_asks_it() -> None:
    with ThreadPoolExecutor(1) as other:
        for moment in range(20):
            session = Session("", "import os")
            session.ask("1")
            asked = other.submit(session.ask, "os._exit(3)")  # it ends at about the same time
            time.sleep(moment % 10 * 3e-4)
            session.close()
            assert asked.result(60).failure.startswith("its process ended with exit code")
            session.close()


def test_asking_whom_loads_no_mathematics() -> None:
    code = "import sys, exactdp.compare.accountants, exactdp.compare.adapters.opendp; "
    loaded = subprocess.run(
        [sys.executable, "-c", code + "print({'flint', 'numpy', 'msgspec'} & {*sys.modules})"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout == "set()\n"
