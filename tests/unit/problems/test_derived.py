"""Samples and groups of other laws in problem files."""

import json
from fractions import Fraction

import pytest

from exactdp.accounting import compose, group_profile, guarantee, poisson_subsampled
from exactdp.errors import ParseError
from exactdp.mechanisms import laplace_mechanism
from exactdp.numbers import Epsilon, Exact
from exactdp.problems import read_problem, solve
from exactdp.shuffle import clone_pair

PAIR = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
CLONES = {"kind": "clone_pair", "n": 50, "epsilon0": {"log": "3"}}


def answered(**problem):
    return solve(read_problem(json.dumps(problem))).answers


def test_a_sample_of_a_pair_is_exact():
    asked = {"hockey_stick": [{"log": "4/3"}], "direction": "both"}
    (answer,) = answered(kind="sampled", problem=PAIR, sampling={"poisson": "1/2"}, ask=asked)
    # (1/2, 1/2) against (1/4, 3/4): 1/2 − 4/3·1/4, and in the other order 3/4 − 4/3·1/2.
    assert answer.exact == "1/6"


def test_a_batch_of_fixed_size_says_that_it_is_a_bound():
    sampling = {"without_replacement": [1, 2]}
    asked = {"hockey_stick": [{"log": "4/3"}]}
    (answer,) = answered(kind="sampled", problem=PAIR, sampling=sampling, ask=asked)
    assert answer.exact == "1/6" and "fixed size" in answer.note


def test_what_has_enclosures_is_sampled():
    asked = {"hockey_stick": [{"rational": "1/10"}], "relative_width": "1e-3"}
    (answer,) = answered(kind="sampled", problem=CLONES, sampling={"poisson": "1/4"}, ask=asked)
    profile = poisson_subsampled(clone_pair(50, Epsilon.log(3)), sampling_probability="1/4")
    found = profile.delta(Epsilon.rational("1/10"), relative_width="1e-9")
    assert Exact(answer.lower) <= found.lower <= found.upper <= Exact(answer.upper)


def test_a_group_is_that_of_the_engine():
    inner = {"kind": "guarantee", "epsilon": {"log": "2"}, "delta": "1/1000"}
    asked = {"hockey_stick": [{"log": "4"}]}
    (answer,) = answered(kind="group", problem=inner, size=3, ask=asked)
    profile = group_profile(guarantee(Epsilon.log(2), "1/1000"), 3)
    assert Exact(answer.exact) == profile.delta(Epsilon.log(4))
    assert answer.note.startswith("upper bound for groups of 3")


def test_a_group_of_a_composition_is_the_groups_of_its_parts():
    counts = {
        "kind": "thresholded_count",
        "noise": {"kind": "laplace", "scale": 4},
        "threshold": 60,
    }
    noise = {"kind": "bounded_laplace", "scale": 4, "upper": 10, "results": "clamped"}
    parts = [(counts, 2), (noise, 3)]
    asked = {"epsilon": ["1e-4"], "relative_width": "1e-2"}
    whole = {"kind": "composition", "parts": [{"problem": x, "times": k} for x, k in parts]}
    (answer,) = answered(kind="group", problem=whole, size=3, ask=asked)
    groups = [({"kind": "group", "problem": x, "size": 3}, k) for x, k in parts]
    (other,) = answered(
        kind="composition", parts=[{"problem": x, "times": k} for x, k in groups], ask=asked
    )
    assert (answer.lower, answer.upper) == (other.lower, other.upper)
    # Five releases of noise alone have less, and five that are shown always a bit more.
    alone = compose([(laplace_mechanism(scale=4, sensitivity=3), 5)])
    assert alone.epsilon("1e-4", relative_width="1e-3").lower <= Exact(answer.upper)
    assert Exact(answer.lower) <= Fraction(15, 4) < Exact(answer.upper) * Fraction(102, 100)
    assert "as a composition of such parts attains" in answer.note


def test_the_noise_is_found_for_a_group():
    asked = {"sigma": [{"epsilon": {"rational": "1"}, "delta": "1e-5"}], "relative_width": "1e-6"}
    (three,) = answered(kind="group", problem={"kind": "gaussian"}, size=3, ask=asked)
    (one,) = answered(kind="gaussian", sensitivity=3, ask=asked)
    assert abs(Exact(three.upper) - Exact(one.upper)) < Exact("1e-4")


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"kind": "sampled", "problem": PAIR, "sampling": {"neighbors": "substitution"}}, "rate"),
        ({"kind": "sampled", "problem": PAIR, "sampling": {}}, "says nothing"),
        ({"kind": "group", "problem": PAIR, "size": 0}, "from 1 to 1000"),
        ({"kind": "group", "problem": {"kind": "pufferfish"}, "size": 2}, "kind"),
    ],
)
def test_what_makes_no_sense_says_so(problem, words):
    with pytest.raises(ParseError, match=words):
        answered(**problem, ask={"max_divergence": True})
