"""Hostile problem files: each ends with an answer, or with one line and exit code 2."""

import json
import os
import subprocess
import sys
from itertools import chain

import mpmath
import pytest

from exactdp import Exact, problems
from exactdp.problems import solving
from tests.commands import outcome
from tests.routes.noise import gaussian_delta

AT_1 = {"hockey_stick": [{"rational": "1"}]}
PAIR = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
ONE = "1.0000000000000000"


def noise(kind, parameter, ask=AT_1, **more):
    name = "sigma" if "gaussian" in kind else "scale"
    return {"kind": kind, name: parameter, **more, "ask": ask}


def composition(*parts, ask=AT_1):
    inner = [{key: value for key, value in part.items() if key != "ask"} for part in parts]
    return {"kind": "composition", "parts": [{"problem": part} for part in inner], "ask": ask}


def gaussian(sigma, epsilon):
    """To 17 digits, by mpmath with 60."""
    delta = gaussian_delta(sigma, epsilon, digits=60)
    return mpmath.nstr(delta, 17, min_fixed=-5, strip_zeros=False)


def renyi_of_pair(order):
    """Of PAIR, where the smaller term vanishes: ln 3 + ln(3/4)/(a − 1)."""
    with mpmath.workdps(60):
        return mpmath.nstr(mpmath.log(3) + mpmath.log(0.75) / (order - 1), 17, strip_zeros=False)


def gaussian_epsilon_far(sigma):
    """Of delta = 1e-5 at tiny sigma, to a relative sigma: delta is nearly Phi(mu/2 - eps/mu)."""
    with mpmath.workdps(60):
        mu, score = 1 / mpmath.mpf(sigma), mpmath.sqrt(2) * mpmath.erfinv(1 - mpmath.mpf("2e-5"))
        return mpmath.nstr(mu * (mu / 2 + score), 11, strip_zeros=False)


EPSILON = {"epsilon": ["1e-5"]}
MIXTURE = {"p": {"0": "1/2", "1": "1/2"}, "q": {"0": 1}, "scale": {"rational": 1}}
ANSWERED = {
    **{
        f"composed discrete gaussian {sigma}": (composition(noise("discrete_gaussian", sigma)), ONE)
        for sigma in ("1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-3")
    },
    **{f"gaussian {s}": (noise("gaussian", s), ONE) for s in ("1e-100", "1e-5000", "1e-999999")},
    "gaussian 1e5": (noise("gaussian", "1e5"), gaussian("1e5", 1)),
    "gaussian 1e6": (noise("gaussian", "1e6"), gaussian("1e6", 1)),
    **{
        f"epsilon of gaussian {s}": (noise("gaussian", s, EPSILON), gaussian_epsilon_far(s))
        for s in ("1e-8", "1e-10", "1e-100")
    },
    "total variation of gaussian 1e999999": (
        noise("gaussian", "1e999999", {"total_variation": True}),
        "3.9894228040143268e-1000000",  # 1/sqrt(2 pi)
    ),
    "gaussian log 1e99999": (noise("gaussian", 1, {"hockey_stick": [{"log": "1e99999"}]}), None),
    "three discrete gaussians 1e9": (
        composition(*[noise("discrete_gaussian", "1e9", sensitivity=s) for s in (1, 7, 10**9)]),
        None,
    ),
    "composed gaussian 1e-6": (composition(noise("gaussian", "1e-6")), ONE),
    "discrete gaussian, sensitivity 1e18": (
        noise("discrete_gaussian", 1, sensitivity=10**18),
        ONE,
    ),
    "discrete gaussian, sensitivity 100": (
        noise("discrete_gaussian", "1e-3", sensitivity=100),
        ONE,
    ),
    "discrete gaussian 1e-9999": (noise("discrete_gaussian", "1e-9999"), ONE),
    **{f"laplace {s}": (noise("laplace", s), ONE) for s in ("1e-9", "1e-999999")},
    "epsilon of laplace 1e-5000": (noise("laplace", "1e-5000", EPSILON), "1.0000000000e+5000"),
    **{f"discrete laplace {s}": (noise("discrete_laplace", s), ONE) for s in ("1e-20", "1e-5000")},
    "epsilon of discrete laplace, sensitivity 1e9": (
        noise("discrete_laplace", "1/2", {"epsilon": ["1/2"]}, sensitivity=10**9),
        "2.00000000e+9",  # 2*10^9 less 2 at most, to the usual width
    ),
    "randomized response at 1e-9999": (
        {
            "kind": "blanket_pair",
            "n": 1,
            "randomizer": {
                "mechanism": "randomized_response",
                "k": 2,
                "epsilon": {"rational": "1e-9999"},
            },
            "ask": {"epsilon": ["1/2"]},
        },
        "0",
    ),
    "losses of 1e12 beside 1e-100": (
        composition(noise("laplace", "1e-12"), noise("discrete_laplace", "1e100")),
        "1.0000",  # 1 - e^(1 - 10^12)
    ),
    "discrete laplace 1e999999": (noise("discrete_laplace", "1e999999"), "0"),
    **{
        f"discrete laplace, sensitivity {n}": (noise("discrete_laplace", 1, sensitivity=n), ONE)
        for n in (10**4, 10**5, 10**18)
    },
    "trade-off of discrete laplace": (
        noise("discrete_laplace", "1e-12", {"trade_off": ["1e-300"]}, sensitivity=5),
        None,
    ),
    "laplace at a negative epsilon": (  # 1 - e^-1: P lies above e^-1 Q on all but a half-line
        noise("laplace", 1, {"hockey_stick": [{"rational": "-1"}]}),
        "0.63212055882855768",
    ),
    "gaussian at a negative epsilon": (
        noise("gaussian", 1, {"hockey_stick": [{"rational": "-1"}]}),
        gaussian(1, -1),
    ),
    "renyi 1e8": (PAIR | {"ask": {"renyi": ["1e8"]}}, renyi_of_pair(10**8)),
    "target 1e-99999": (
        {
            "kind": "gaussian",
            "ask": {"sigma": [{"epsilon": {"rational": 1}, "delta": "1e-99999"}]},
        },
        "678.581207976",
    ),
    "40 pairs without a common lattice": (
        composition(
            *(PAIR | {"p": [f"{i}/{2 * i + 1}", f"{i + 1}/{2 * i + 1}"]} for i in range(1, 41))
        ),
        None,
    ),
    "mixture of scale 1e999999": (
        {
            "kind": "laplace_mixture",
            **MIXTURE,
            "scale": {"rational": "1e999999"},
            "ask": {"max_divergence": True},
        },
        None,
    ),
}
REFUSED = {
    "epsilon of gaussian 1e-5000": (noise("gaussian", "1e-5000", EPSILON), "a less extreme one"),
    "discrete gaussian 1e9": (noise("discrete_gaussian", "1e9"), "Ask at a smaller epsilon"),
    "trade-off of a wide discrete laplace": (
        noise("discrete_laplace", 1, {"trade_off": ["1/10"]}, sensitivity=10**6),
        "the number of outcomes to tell apart",
    ),
    "width 1e-400": (
        composition(
            noise("gaussian", 1), noise("laplace", 1), ask={**AT_1, "relative_width": "1e-400"}
        ),
        "below what is reached",
    ),
    "a blanket of masses near e^-9999": (
        {
            "kind": "blanket_pair",
            "n": 1000,
            "randomizer": [["e^-9999/2", "1 - e^-9999/2", "0"], ["1/3", "1/3", "1/3"]],
            "ask": {"renyi": ["1/2"]},
        },
        "too extreme for doubles",
    ),
    **{
        f"width 1e-400 of {name}": (
            {**problem, "ask": {**ask, "relative_width": "1e-400"}},
            "(403 characters) ",
        )
        for name, problem, ask in [
            (
                "a blanket",
                {
                    "kind": "blanket_pair",
                    "n": 20,
                    "randomizer": {
                        "mechanism": "local_hashing",
                        "k": 3,
                        "epsilon": {"log": "10"},
                        "buckets": 3,
                    },
                    "inputs": [2, 1],
                },
                {"trade_off": ["0.1"]},
            ),
            ("few laplaces", composition(noise("laplace", 1), noise("laplace", 2)), AT_1),
        ]
    },
    "point 1e999999": (
        {
            "kind": "laplace_mixture",
            **MIXTURE,
            "p": {"0": "1/2", "1e999999": "1/3"},
            "ask": {"max_divergence": True},
        },
        "the masses sum to",
    ),
    "questions": (PAIR | {"ask": {"epsilon": [0] * 100_001}}, "the limit is 100,000"),
    "terminal codes": (PAIR | {"\x1b[31m": 0, "ask": AT_1}, "unknown key"),
    "terminal codes in a name": (
        {
            "kind": "shuffle",
            "randomizers": {"\x1b]0;title\x07": [["1"]]},
            "victim": {"randomizer": "R", "inputs": [0, 0]},
            "ask": AT_1,
        },
        r"there is: \x1b]0;title\x07.",
    ),
    "a law that is absent or not": (
        {
            "kind": "pufferfish",
            "users": [{"law": {"0": 1}}],
            "user": 0,
            "secrets": [{"absent": False}, {"value": 0}],
            "ask": {"max_divergence": True},
        },
        "Use true",
    ),
}


def solved(capsys, tmp_path, problem, *options):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(problem))
    return outcome(capsys, "solve", str(path), *options)


@pytest.mark.parametrize("name", ANSWERED)
def test_extreme_problems_are_answered(capsys, tmp_path, name):
    problem, decimal = ANSWERED[name]
    code, out, err = solved(capsys, tmp_path, problem, "--json")
    assert (code, err) == (0, "")
    (answer,) = json.loads(out)["answers"]
    assert decimal is None or answer["decimal"] == decimal
    assert decimal != ONE or answer["upper"] in ("1.0000000000000000", "1.00000000000000000")


@pytest.mark.parametrize("name", REFUSED)
def test_hostile_problems_get_one_line_and_exit_2(capsys, tmp_path, name):
    problem, words = REFUSED[name]
    code, out, err = solved(capsys, tmp_path, problem)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.endswith("\n") and err[:-1].isprintable()
    assert words in err


@pytest.mark.parametrize(
    "arguments",
    [["solve", "x", "--digits", "x"], ["solve", "--no-such"], ["dissolve"], ["verify"]],
    ids=range(4),
)
def test_a_wrong_command_line_gets_one_line(capsys, arguments):
    code, out, err = outcome(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is always full")
def test_a_full_disk_gets_one_line():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "exactdp.cli", "--help"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "error: the output cannot be written: No space left on device. Write it elsewhere.\n"
    )


LONG = {
    "clones to 10,000 digits": {
        "kind": "clone_pair",
        "n": 10**9,
        "epsilon0": {"rational": 1},
        "ask": {"hockey_stick": [{"log": "1.0002"}], "relative_width": "1e-10000"},
    },
    "a file of megabytes": {
        **PAIR,
        "p": ["1/400000"] * 400_000,
        "q": ["1/400000"] * 400_000,
        "ask": AT_1,
    },
}


@pytest.mark.parametrize("name", LONG)
def test_solve_gives_up_at_its_limit(capsys, tmp_path, name):
    code, out, err = solved(capsys, tmp_path, LONG[name], "--time-limit", "0.2")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "took more than 0.2 s of processor time" in err


def test_a_question_that_is_asked_often_is_answered_once(capsys, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(solving, "_delta", lambda *_: asked.append(_) or Exact("1/2"))
    at = {"hockey_stick": [{"rational": 1}, {"log": 2}] * 500, "epsilon": [0], "trade_off": [0]}
    ask = {**at, "total_variation": True}
    answers = problems.solve(problems.read_problem(json.dumps({**PAIR, "ask": ask}))).answers
    assert len(asked) == 3 and [a.at for a in answers] == [*chain(*at.values()), None]
    assert [a.ask for a in answers[1_000:]] == ["epsilon", "trade_off", "total_variation"]


def test_a_file_beyond_the_limit_is_refused_before_it_is_parsed(capsys, tmp_path):
    (tmp_path / "p.json").write_bytes(b" " * 50_000_001)
    code, out, err = outcome(capsys, "solve", str(tmp_path / "p.json"))
    assert (code, out, err.count("\n")) == (2, "", 1) and "50,000,000" in err


def test_a_problem_without_an_answer_leaves_the_others_theirs(capsys, tmp_path):
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    problems = {"good": PAIR | {"ask": AT_1}, "\x1b[1mbad": REFUSED["discrete gaussian 1e9"][0]}
    entries = [{"name": name, "problem": problem} for name, problem in problems.items()]
    source.write_text(json.dumps({"format": "exactdp-problems/1", "problems": entries}))
    code, _, err = outcome(capsys, "fixtures", str(source), "--out", str(out), "--workers", "1")
    assert code == 1 and err.startswith(r"error: \x1b[1mbad: ") and err.count("\n") == 1
    assert [fixture["name"] for fixture in json.loads(out.read_text())["fixtures"]] == ["good"]
