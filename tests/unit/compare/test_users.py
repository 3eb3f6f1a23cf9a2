"""Programs about shuffling beside the truth: the users, the calls, and the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exactdp.cli.app import application
from exactdp.compare import ShuffledUsers, Task, installed_accountants, tasks_of
from exactdp.compare.accountants import chosen, known_programs
from exactdp.compare.adapters.wang_amplification import tabulated
from exactdp.compare.minimizing import simpler
from exactdp.errors import DomainError, ParseError
from exactdp.execution import Session
from exactdp.numbers import Exact, decimal
from exactdp.problems import read_problem
from exactdp.problems.randomizers import randomizer_of
from exactdp.testing import ShuffledRandomizedResponse

WANG = "wangsw/PrivacyAmplification"
COIN = ShuffledUsers("randomized_response", 1.0, 2, 4, 0.25, 1e-3)
SURVEY = ShuffledUsers(
    "randomized_response", 1.0, 3, 10, 0.25, 1e-3, others=((2, 6), (0, 3)), inputs=(0, 1)
)
HASHED = ShuffledUsers("local_hashing", 0.5, 3, 10, 0.25, 1e-3, size=2)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program of the same name and functions that says other numbers."""
    monkeypatch.setenv("EXACTDP_PROGRAMS", "")
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "unifiedamplification.py").write_text(
        "import math\n"
        "def amplificationUB(p, beta, q0, q1, n, delta, T):\n"
        "    return math.log(p) / 2 if beta < 0.4 else math.log(p)\n"
        "def amplificationLB(p, beta, q0, q1, n, delta, T): return 0.0\n"
    )
    problem = {
        "kind": "shuffle_worst_case",
        "n": 20,
        "randomizer": {"mechanism": "randomized_response", "k": 3, "epsilon": {"rational": "1"}},
        "ask": {"epsilon": ["1e-4"]},
    }
    (tmp_path / "p.json").write_text(json.dumps(problem))
    return folder


def run(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(application(), ["compare", *arguments])
    return found.exit_code, found.output


def test_a_program_is_asked_in_its_folder(program: Path) -> None:
    """Its β is (e − 1)/(e + 2) = 0.36, of general randomizers (e − 1)/(e + 1) = 0.46."""
    options = ("p.json", "--program", f"{WANG}={program}", "--with", WANG, "--ci")
    code, shown = run(*options)
    assert code == 1
    assert "epsilon at delta 0.0001 is [0.7336, 0.7542]" in shown
    assert "wang-amplification/UB: epsilon 0.5 at delta 0.0001 is below the truth [0.733" in shown
    assert "20 x randomized_response(1.0), k 3; the worst data; neighbors replace one" in shown
    assert f"where:      in a folder with the files of {WANG}" in shown
    findings = json.loads(run(*options, "--format", "json")[1])["findings"]
    assert {one["accountant"]: (one["decimal"], one["standing"]) for one in findings} == {
        "wang-amplification/LB": ("0.0", "right"),
        "wang-amplification/UB": ("0.5", "wrong"),
        "wang-amplification/UB-general": ("1.0", "right"),
    }


def test_programs_are_told_to_processes_side_by_side(program: Path) -> None:
    problem = json.loads(Path("p.json").read_text()) | {"n": {"each": [20, 10]}}
    Path("sweep.json").write_text(json.dumps(problem))
    options = ("--program", f"{WANG}={program}", "--with", "wang-amplification/UB-general")
    _, shown = run("sweep.json", *options, "--workers", "2", "--format", "json")
    findings = json.loads(shown)["findings"]
    assert [(one["problem"], one["decimal"]) for one in findings] == [
        ("n=20", "1.0"),
        ("n=10", "1.0"),
    ]


def test_a_program_without_a_folder_is_told_and_others_are_not_counted(program: Path) -> None:
    code, shown = run("p.json", "--with", "wang-amplification/UB", "--with", "opendp/map", "--ci")
    assert code == 0
    assert f"in no folder here (--program): {WANG}\n" in shown
    assert "no answer to such a question: opendp/map\n" in shown


def test_only_those_that_are_asked_about_users_have_no_answer(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = json.loads(Path("p.json").read_text()) | {"ask": {"hockey_stick": [{"log": "2"}]}}
    Path("d.json").write_text(json.dumps(problem))
    _, shown = run("d.json")
    assert [line for line in shown.splitlines() if line.startswith("no answer")] == [
        "no answer to such a question: apple-shuffling/closed-form, koskela-shuffling/strong, "
        "koskela-shuffling/weak, wang-amplification/LB, wang-amplification/UB, "
        "wang-amplification/UB-general"
    ]


def test_a_function_of_ones_own_gets_the_users(program: Path) -> None:
    Path("mine.py").write_text(
        "def local(users, *, delta):\n"
        "    assert delta == 1e-4 and users['n'] == 20 and users['others'] is None\n"
        "    return users['epsilon0']\n"
    )
    code, shown = run("p.json", "--with", "mine:local", "--ci")
    assert code == 0
    assert "right" in shown


def test_the_smallest_users_are_found(program: Path) -> None:
    options = ("--program", f"{WANG}={program}", "--with", "wang-amplification/UB", "--minimize")
    _, shown = run("p.json", *options, "--format", "json")
    [found] = json.loads(shown)["findings"]
    assert found["standing"] == "wrong"
    assert "p, p, 1, 1e-05" in found["smallest"]["call"]  # one user: no shuffling helps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--program", f"{WANG}=nowhere"], "is not a folder. Give NAME=FOLDER"),
        (["--program", "nobody/knows=."], f"Give one of {', '.join(known_programs())}."),
    ],
)
def test_bad_programs_are_one_line(arguments: list[str], message: str) -> None:
    found = CliRunner().invoke(application(), ["compare", "p.json", *arguments])
    assert isinstance(found.exception, ParseError)
    assert message in str(found.exception)


@pytest.mark.parametrize("case", [COIN, SURVEY, HASHED], ids=str)
@pytest.mark.parametrize("ask", ["delta", "epsilon"])
def test_the_problem_of_a_task_is_the_task(case: ShuffledUsers, ask: str) -> None:
    task = Task(case, ask)  # type: ignore[arg-type]
    [again] = tasks_of(read_problem(json.dumps(task.problem(0.0))))
    assert (again.about, again.at) == ("users", task.at)
    assert replace(again.deployment, epsilon=0.25, delta=1e-3) == case


@pytest.mark.parametrize(("n", "k"), [(1, 2), (4, 2), (3, 3)])
def test_the_truth_is_that_of_all_datasets(n: int, k: int) -> None:
    """Another way to it: the maximum over every dataset, in balls."""
    users = ShuffledUsers("randomized_response", 1.0, k, n, 0.25, 1e-3)
    found = Task(users, "delta").question(0.0).answer(Fraction(1, 10**6))
    other = ShuffledRandomizedResponse(1.0, n, 0.25, k).truth
    near = Fraction(decimal(other, digits=20))
    assert found is not None
    assert found.lower <= near * (1 + Fraction(1, 10**19))
    assert found.upper >= near * (1 - Fraction(1, 10**19))


def test_users_on_other_data_have_another_truth() -> None:
    worst = ShuffledUsers("randomized_response", 1.0, 3, 10, 0.25, 1e-3)
    one, other = (Task(case, "delta").question(0.0) for case in (SURVEY, worst))
    assert one.answer(Fraction(1, 1000)) != other.answer(Fraction(1, 1000))


@pytest.mark.parametrize(
    ("law", "message"),
    [
        ({"others": [{"randomizer": "S", "input": 0}]}, "users who all have one randomizer"),
        ({"merge": [[0], [1, 2]]}, "$.merge: programs are asked about all messages"),
        ({"randomizers": {"R": [["1/2", "1/2"], ["1/4", "3/4"]]}}, "not their matrices"),
        (
            {"randomizers": {"R": {"mechanism": "unary_encoding", "k": 3, "p": "1/2", "q": "1/4"}}},
            "local epsilons",
        ),
    ],
)
def test_users_that_no_program_knows_are_refused(law: dict[str, object], message: str) -> None:
    one = {"mechanism": "randomized_response", "k": 3, "epsilon": {"rational": "1"}}
    problem = {
        "kind": "shuffle",
        "randomizers": {"R": one, "S": {**one, "epsilon": {"rational": "2"}}},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "ask": {"epsilon": ["1e-5"]},
    }
    with pytest.raises(ParseError) as found:
        tasks_of(read_problem(json.dumps(problem | law)))
    assert message in str(found.value)
    assert "\n" not in str(found.value)


def test_what_no_problem_file_says_is_no_users() -> None:
    with pytest.raises(ParseError):
        ShuffledUsers("randomized_response", 1.0, 2, 0, 0.25, 1e-3)
    with pytest.raises(DomainError):
        ShuffledUsers("subset_selection", 1.0, 3, 5, 0.25, 1e-3, size=9).profile  # noqa: B018


def test_simpler_users_are_ever_fewer() -> None:
    for case in (COIN, SURVEY, HASHED):
        for one in simpler(case):
            assert isinstance(one, ShuffledUsers)
            assert one != case
            assert (one.n, one.k) <= (case.n, case.k)
            assert one.others is None or sum(count for _, count in one.others) == one.n - 1
    assert [one.others for one in simpler(SURVEY)][:2] == [((2, 9),), ((0, 9),)]


def test_each_program_writes_expressions_of_all_that_it_answers() -> None:
    asked = [one for one in installed_accountants() if one.is_program]
    assert {one.library for one in asked} == set(known_programs())
    for one in asked:
        assert "\n" not in one.imports
        texts = [one.expression(Task(COIN, ask)) for ask in one.answers]  # type: ignore[arg-type]
        assert all(texts)
        for text in filter(None, texts):
            compile(f"{one.imports}; print({text})", one.name, "exec")
    [lower] = chosen(["wang-amplification/LB"])
    assert lower.expression(Task(SURVEY, "epsilon")) is None  # other data may have less
    assert lower.expression(Task(HASHED, "epsilon")) is None


ROWS = [
    ("k_rr", {"mechanism": "randomized_response", "k": 5}, 1),
    ("rappor", {"mechanism": "symmetric_unary_encoding", "k": 4}, 1),
    ("subset", {"mechanism": "subset_selection", "k": 5, "size": 2}, 1),
    ("subset", {"mechanism": "subset_selection", "k": 5, "size": 1}, 1),
    ("hadamard", {"mechanism": "hadamard_response", "k": 3}, 1),
    ("local_hash", {"mechanism": "local_hashing", "k": 2, "buckets": 2}, Fraction(1, 2)),
    ("general", {"mechanism": "optimized_unary_encoding", "k": 3}, None),
]


@pytest.mark.parametrize(("row", "written", "part"), ROWS, ids=lambda x: str(x)[:40])
def test_the_rows_of_the_list_are_total_variations(
    row: str, written: dict[str, object], part: Fraction | None
) -> None:
    """β is the total variation of two rows; two hash values are equal in one case of l."""
    task = tasks_of(
        read_problem(
            json.dumps(
                {
                    "kind": "shuffle_worst_case",
                    "n": 7,
                    "randomizer": {**written, "epsilon": {"log": "4"}},
                    "ask": {"epsilon": ["1e-5"]},
                }
            )
        )
    )[0]
    case = task.deployment
    assert isinstance(case, ShuffledUsers)
    call = tabulated("UB", row, case.k, case.epsilon0, 7, 1e-5, 12, case.size)
    shown = "import math\nclass program:\n amplificationUB = lambda p, b, q, r, n, d, t: (p, b)"
    with Session("", shown) as session:
        p, beta = session.ask(call).values
    rows = randomizer_of(
        read_problem(json.dumps(task.problem(0.0))).law.randomizer,  # type: ignore[attr-defined]
        path="$",
    ).rows
    apart = max(
        sum((abs(x - y) for x, y in zip(a, b, strict=True)), Exact(0)) / 2
        for a, b in pairwise(rows)
    )
    variation = float(Fraction(decimal(apart, digits=20)))
    assert math.isclose(p, 4)
    if part is None:
        assert variation < beta
    else:
        assert math.isclose(variation, float(part) * beta)


def test_a_reproduction_of_users_asks_the_truth_again(program: Path) -> None:
    options = ("--program", f"{WANG}={program}", "--with", "wang-amplification/UB")
    _, shown = run("p.json", *options)
    [line] = [text for text in shown.splitlines() if "again:" in text]
    problem = line.split("'")[1]
    solved = CliRunner().invoke(application(), ["solve", "-", "--json"], problem).output
    [answer] = json.loads(solved)["answers"]
    # The truth that the command shows, [0.7336, 0.7542], is this one, rounded outward.
    assert Fraction("0.7335") < Fraction(answer["lower"]) < Fraction("0.7336")
    assert Fraction("0.7541") < Fraction(answer["upper"]) < Fraction("0.7543")
