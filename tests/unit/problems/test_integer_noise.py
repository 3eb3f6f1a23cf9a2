"""Integer noise in problem files: the answers are those of the mechanisms; refusals."""

from fractions import Fraction

import pytest

from exactdp.divergences.profile import enclosed
from exactdp.errors import DomainError, ExactDPError, ParseError, TooLargeError
from exactdp.mechanisms import (
    clamped_noise,
    clamped_results,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    rounded_noise,
)
from exactdp.numbers import Epsilon
from tests.commands import answers
from tests.routes.laws import binomial, hockey_stick

ONE = {"hockey_stick": [{"log": "2"}]}
TARGET = [{"epsilon": {"log": "2"}, "delta": "1/1000"}]


def delta_of(law, size, modulus=10**6):
    """Σ of the positive parts of P − 2Q, from the definition."""
    p, q = {}, {}
    for k, mass in law.items():
        p[k % modulus] = p.get(k % modulus, 0) + mass
        q[(k + size) % modulus] = q.get((k + size) % modulus, 0) + mass
    return hockey_stick(p, q, 2)


def test_exact_answers():
    (one,) = answers(kind="binomial", trials=9, sensitivity=2, ask=ONE)
    assert Fraction(one.exact) == delta_of(binomial(9, Fraction(1, 2)), 2)
    (one,) = answers(kind="binomial", trials=5, success="1/3", modulus=5, ask=ONE)
    assert Fraction(one.exact) == delta_of(binomial(5, Fraction(1, 3)), 1, 5)
    both = dict(ONE, direction="both")
    (one,) = answers(kind="binomial", trials=5, success="1/3", ask=both)
    sides = [delta_of(binomial(5, Fraction(p, 3)), 1) for p in (1, 2)]
    assert Fraction(one.exact) == max(sides) != min(sides)
    half = {k: Fraction(1, 2) ** abs(k) for k in range(-3, 4)}
    law = {k: mass / sum(half.values()) for k, mass in half.items()}
    rate = {"log": "2"}
    (one,) = answers(kind="truncated_discrete_laplace", rate=rate, radius=3, ask=ONE)
    assert Fraction(one.exact) == delta_of(law, 1)


def test_results_kept_in_a_range():
    (found,) = answers(
        kind="bounded_discrete_laplace", rate={"log": "2"}, upper=2, ask={"max_divergence": True}
    )
    assert found.expression == "log(16/7)"


def test_what_is_left_out_is_found():
    (fewest,) = answers(kind="binomial", ask={"trials": TARGET})
    n = int(fewest.exact)
    deltas = [delta_of(binomial(k, Fraction(1, 2)), 1) for k in (n, n - 1)]
    assert deltas[0] <= Fraction(1, 1000) < deltas[1] and fewest.unit == "coins"
    rate = {"log": "2"}
    (radius,) = answers(kind="truncated_discrete_laplace", rate=rate, ask={"radius": TARGET})
    r = int(radius.exact)
    tails = [Fraction(1, 2**k) / (3 - Fraction(2, 2**k)) for k in (r, r - 1)]
    assert tails[0] <= Fraction(1, 1000) < tails[1]
    (variance,) = answers(kind="skellam", ask={"variance": TARGET})
    around = [
        answers(kind="skellam", variance=v, ask=ONE)[0]
        for v in (variance.decimal, str(Fraction(variance.decimal) * Fraction("0.999999")))
    ]
    assert Fraction(around[0].upper) <= Fraction(1, 1000) < Fraction(around[1].lower)


def test_several_integers_and_a_modulus_are_calibrated():
    """Two fair coins' sums that move by 1 each, from all their outcomes; and residues of 5."""

    def worst(n):
        law = binomial(n, Fraction(1, 2))
        pairs = [(law.get(k, 0), law.get(k - 1, 0)) for k in range(n + 2)]
        return sum(max(0, p * a - 2 * q * b) for p, q in pairs for a, b in pairs)

    target = [{"epsilon": {"log": "2"}, "delta": "1/10"}]
    shifts = {"dimensions": 2, "linf": 1}
    (fewest,) = answers(kind="binomial", sensitivity=shifts, ask={"trials": target})
    n = int(fewest.exact)
    assert worst(n) <= Fraction(1, 10) < worst(n - 1)
    (fewest,) = answers(kind="binomial", modulus=5, ask={"trials": target})
    n = int(fewest.exact)
    deltas = [delta_of(binomial(k, Fraction(1, 2)), 1, 5) for k in (n, n - 1)]
    assert deltas[0] <= Fraction(1, 10) < deltas[1]
    (variance,) = answers(kind="skellam", sensitivity=shifts, ask={"variance": target})
    assert 1 < Fraction(variance.decimal) < 10
    found = [
        answers(kind="skellam", sensitivity=shifts, variance=str(v), ask=ONE)[0]
        for v in (Fraction(variance.decimal), Fraction(variance.decimal) * Fraction("0.999"))
    ]
    assert Fraction(found[0].upper) <= Fraction(1, 10) * Fraction("1.000001")
    assert Fraction(1, 10) < Fraction(found[1].lower)


def test_a_query_of_several_integers_and_a_composition():
    law = binomial(6, Fraction(1, 2))
    worst = {"dimensions": 3, "l1": 2, "linf": 1}
    (one,) = answers(kind="binomial", trials=6, sensitivity=worst, ask=ONE)
    part = {"problem": {"kind": "binomial", "trials": 6}, "times": 2}
    (two,) = answers(kind="composition", parts=[part], ask=ONE)
    pairs = [(law.get(k, 0), law.get(k - 1, 0)) for k in range(8)]
    truth = sum(max(0, p * a - 2 * q * b) for p, q in pairs for a, b in pairs)
    for answer in (one, two):
        assert Fraction(answer.lower) <= truth <= Fraction(answer.upper)


BAD = [
    ({"kind": "binomial"}, ParseError, "needs the parameter that the law leaves out.*trials"),
    ({"kind": "binomial", "trials": 0}, ParseError, r"\$.trials=0 is not an integer >= 1"),
    ({"kind": "binomial", "trials": 3, "success": "1"}, DomainError, "success=1 must be rational"),
    (
        {"kind": "binomial", "trials": 3, "sensitivity": "1/3"},
        ParseError,
        "is not an integer or an object. Write an integer",
    ),
    (
        {"kind": "binomial", "trials": 3, "sensitivity": {"dimensions": 2}},
        ParseError,
        r"\$.sensitivity bounds no change. Give it l1, l2_squared or linf",
    ),
    (
        {"kind": "binomial", "trials": 3, "sensitivity": {"dimensions": 300, "l1": 300}},
        TooLargeError,
        "Give smaller norms",
    ),
    (
        {"kind": "truncated_discrete_laplace", "radius": 3},
        ParseError,
        "needs scale or rate",
    ),
    (
        {"kind": "truncated_discrete_laplace", "radius": 3, "scale": 1, "ends": "all"},
        ParseError,
        r'\$.ends="all" is not known. Use together or each',
    ),
    ({"kind": "skellam", "modulus": 7}, ParseError, "parameter that the law leaves out.*variance"),
    ({"kind": "skellam", "variance": -1}, ParseError, r"\$.variance=-1 must be positive"),
]


@pytest.mark.parametrize(("law", "error", "message"), BAD)
def test_refusals(law, error, message):
    with pytest.raises(error, match=message) as caught:
        answers(**law, ask=ONE)
    assert "\n" not in str(caught.value) and isinstance(caught.value, ExactDPError)


def test_several_shifts_are_between_one_of_them_and_all():
    part = {
        "problem": {"kind": "binomial", "trials": 6, "sensitivity": 2, "modulus": 5},
        "times": 2,
    }
    (several,) = answers(kind="composition", parts=[part], ask=ONE)
    assert several.lower_by.startswith("each time the same: profile ")
    assert 0 < Fraction(several.lower) < Fraction(several.upper) < 1
    part["problem"]["sensitivity"] = 1  # one shift is a pair
    (found,) = answers(kind="composition", parts=[part], ask=ONE)
    assert found.exact is not None


@pytest.mark.parametrize(
    ("fields", "profile"),
    [
        (
            {"kind": "rounded_noise", "problem": {"kind": "gaussian", "sigma": "5/2"}},
            rounded_noise(gaussian_mechanism(sigma="5/2")),
        ),
        (
            {
                "kind": "clamped_results",
                "problem": {"kind": "discrete_laplace", "rate": {"log": "3/2"}},
                "upper": 8,
            },
            clamped_results(discrete_laplace_mechanism(rate=Epsilon.log("3/2")), upper=8),
        ),
        (
            {
                "kind": "clamped_noise",
                "problem": {"kind": "rounded_noise", "problem": {"kind": "laplace", "scale": 2}},
                "radius": 9,
            },
            clamped_noise(rounded_noise(laplace_mechanism(scale=2)), radius=9),
        ),
    ],
)
def test_noise_that_is_rounded_or_clamped(fields, profile):
    for gamma in ("4/5", "1", "5/4"):
        ask = {"hockey_stick": [{"log": gamma}], "relative_width": "1e-9"}
        (found,) = answers(**fields, ask=ask)
        near = enclosed(profile.delta(Epsilon.log(gamma), relative_width="1e-9"), "1e-9")
        assert Fraction(found.lower) <= near.upper and near.lower <= Fraction(found.upper)


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ({"kind": "gaussian"}, "leaves out a parameter"),
        ({"kind": "gaussian", "sigma": 1, "sampling": {"sampling_probability": "1/2"}}, "around"),
        ({"kind": "discrete_gaussian", "sigma": 1}, "not continuous"),
    ],
)
def test_refusals_of_rounded_noise_in_one_line(problem, words):
    with pytest.raises((DomainError, ParseError), match=r"^\$") as refused:
        answers(kind="rounded_noise", problem=problem, ask={"epsilon": ["1e-5"]})
    assert words in str(refused.value) and "\n" not in str(refused.value)
