"""Answers agree with brute force over all message sequences, in plain fractions."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, TooLargeError
from exactdp.problems import Answer
from tests.commands import answers
from tests.routes.laws import hockey_stick

FOUR = [["4/7" if x == y else "1/7" for y in range(4)] for x in range(4)]
EXAMPLE: dict[str, Any] = {
    "kind": "shuffle",
    "randomizers": {"R": FOUR},
    "victim": {"randomizer": "R", "inputs": [0, 1]},
    "others": [{"randomizer": "R", "input": 2, "count": 4}],
    "ask": {"hockey_stick": [{"log": "2"}]},
}

Law = dict[tuple[int, ...], Fraction]


def law_of_view(rows: list[list[Fraction]]) -> Law:
    """The law of the histogram of messages of users with these rows, sequence by sequence."""
    law: Law = defaultdict(Fraction)
    messages = len(rows[0])
    for sequence in product(range(messages), repeat=len(rows)):
        mass = Fraction(1)
        for row, y in zip(rows, sequence, strict=True):
            mass *= row[y]
        law[tuple(sequence.count(y) for y in range(messages))] += mass
    return law


def both_laws(problem: dict[str, Any]) -> tuple[Law, Law]:
    matrices = {
        name: [[Fraction(m) for m in row] for row in rows]
        for name, rows in problem["randomizers"].items()
    }
    others = [
        matrices[group["randomizer"]][group["input"]]
        for group in problem["others"]
        for _ in range(group["count"])
    ]
    victim = problem["victim"]
    p, q = (law_of_view([matrices[victim["randomizer"]][x], *others]) for x in victim["inputs"])
    return p, q


def answers_to(problem: dict[str, Any], ask: dict[str, Any], digits: int = 17) -> list[Answer]:
    return answers(**{**problem, "ask": ask}, digits=digits)


def assert_consistent(answer: Answer, *, width: Fraction = Fraction(1, 10**15)) -> None:
    """The forms of one answer agree: bounds, decimal, doubles and exact value."""
    lower, upper = Fraction(answer.lower), Fraction(answer.upper)
    assert lower <= upper <= lower + width * abs(lower)
    assert answer.float_below is not None
    assert answer.float_above is not None
    assert Fraction(answer.float_below) <= upper
    assert Fraction(answer.float_above) >= lower
    assert answer.float_above in (answer.float_below, nextafter(answer.float_below, inf))
    if answer.exact is not None:
        truth = Fraction(answer.exact)
        assert lower <= truth <= upper
        assert answer.float_below <= truth <= answer.float_above
        assert (lower == upper) == (lower == truth)


def test_the_example_of_the_format():
    p, q = both_laws(EXAMPLE)
    (answer,) = answers_to(EXAMPLE, EXAMPLE["ask"])
    assert answer.ask == "hockey_stick"
    assert answer.at == {"log": "2"}
    assert Fraction(answer.exact) == hockey_stick(p, q, Fraction(2)) == Fraction(1321, 16807)
    assert_consistent(answer)


laws = (
    st.lists(st.integers(0, 5), min_size=3, max_size=3)
    .filter(any)
    .map(lambda weights: [str(Fraction(w, sum(weights))) for w in weights])
)


@st.composite
def protocols(draw: st.DrawFn) -> dict[str, Any]:
    matrix = st.lists(laws, min_size=2, max_size=2)
    group = st.fixed_dictionaries(
        {
            "randomizer": st.sampled_from("RS"),
            "input": st.integers(0, 1),
            "count": st.integers(0, 2),
        }
    )
    return {
        "kind": "shuffle",
        "randomizers": {"R": draw(matrix), "S": draw(matrix)},
        "victim": {"randomizer": "R", "inputs": draw(st.sampled_from([[0, 1], [1, 0]]))},
        "others": draw(st.lists(group, max_size=2)),
    }


@settings(max_examples=60)
@given(
    problem=protocols(),
    gamma=st.fractions(Fraction(1, 9), 9),
    delta=st.fractions(0, 1, max_denominator=40),
    direction=st.sampled_from(["forward", "both"]),
)
def test_every_question_agrees_with_brute_force(problem, gamma, delta, direction):
    p, q = both_laws(problem)
    orders = [(p, q), (q, p)] if direction == "both" else [(p, q)]
    ask = {
        "total_variation": True,
        "hockey_stick": [{"log": str(gamma)}, {"rational": "1/2"}],
        "epsilon": [str(delta)],
        "max_divergence": True,
        "trade_off": [str(delta)],
        "renyi": [2, "5/2"],
        "direction": direction,
    }
    variation, stick, half, epsilon, largest, trade_off, renyi, fractional = answers_to(
        problem, ask
    )
    assert Fraction(variation.exact) == hockey_stick(p, q, Fraction(1))
    assert Fraction(stick.exact) == max(hockey_stick(a, b, gamma) for a, b in orders)
    with localcontext() as context:
        context.prec = 60
        root = Fraction(Decimal("0.5").exp())
    truth = max(hockey_stick(a, b, root) for a, b in orders)
    assert abs(truth - Fraction(half.lower)) < Fraction(1, 10**15)
    # The smallest epsilon: enough, and anything smaller is not.
    if epsilon.decimal == "infinity":
        assert max(sum(a[h] for h in a if b[h] == 0) for a, b in orders) > delta
    else:
        bound = exp_of(epsilon)
        assert max(hockey_stick(a, b, bound) for a, b in orders) <= delta
        smaller = bound - Fraction(1, 10**9)
        assert bound == 1 or max(hockey_stick(a, b, smaller) for a, b in orders) > delta
    # Pure differential privacy, and the Renyi divergences that it bounds.
    if largest.decimal == "infinity":
        assert any(a[h] > 0 == b[h] for a, b in orders for h in a)
        assert renyi.decimal == fractional.decimal == "infinity"
        assert renyi.exact is renyi.float_below is renyi.float_above is None
    else:
        assert exp_of(largest) == max(a[h] / b[h] for a, b in orders for h in a if b[h])
        moment = max(sum(a[h] ** 2 / b[h] for h in a if b[h]) for a, b in orders)
        with localcontext() as context:
            context.prec = 60
            logarithm = (Decimal(moment.numerator) / Decimal(moment.denominator)).ln()
        assert abs(Fraction(logarithm) - Fraction(renyi.lower)) < Fraction(1, 10**14)
        assert Fraction(renyi.lower) <= Fraction(fractional.upper)
        assert Fraction(fractional.lower) <= Fraction(largest.upper)
        assert_consistent(fractional)
    # Neyman and Pearson: T(alpha) = max over g of (1 - alpha - H_g) / g is attained at a ratio.
    assert Fraction(trade_off.exact) == min(least_type_two_error(a, b, delta) for a, b in orders)
    for answer in (variation, stick, half, trade_off):
        assert_consistent(answer)


def exp_of(answer: Answer) -> Fraction:
    """Return e^epsilon of an epsilon between rational laws: epsilon is 0 or log(rational)."""
    if answer.exact is not None:
        assert answer.exact == "0"
        return Fraction(1)
    assert isinstance(answer.expression, str)
    return Fraction(answer.expression.removeprefix("log(").removesuffix(")"))


def least_type_two_error(p: Law, q: Law, alpha: Fraction) -> Fraction:
    """Reject the outcomes with the smallest P/Q first, the last one with a probability."""
    missed, budget = Fraction(1), alpha
    for h in sorted((h for h in p if q[h]), key=lambda h: p[h] / q[h]):
        share = min(Fraction(1), budget / p[h]) if p[h] else Fraction(1)
        missed -= share * q[h]
        budget -= share * p[h]
    return missed


def test_merging_gives_bounds_and_says_so():
    ask = {"hockey_stick": [{"log": "2"}], "trade_off": ["1/3"], "epsilon": ["1/100"]}
    whole = answers_to(EXAMPLE, ask)
    merged = answers_to({**EXAMPLE, "merge": [[0, 2], [1], [3]]}, ask)
    assert [answer.bound for answer in merged] == ["lower", "upper", "lower"]
    assert not any(isinstance(answer.bound, str) for answer in whole)
    assert Fraction(merged[0].exact) < Fraction(whole[0].exact)
    assert Fraction(merged[1].exact) > Fraction(whole[1].exact)
    assert Fraction(merged[2].upper) < Fraction(whole[2].lower)


MECHANISMS: list[dict[str, Any]] = [
    {"mechanism": "randomized_response", "k": 3},
    {"mechanism": "symmetric_unary_encoding", "k": 2},
    {"mechanism": "optimized_unary_encoding", "k": 2},
    {"mechanism": "subset_selection", "k": 3, "size": 2},
    {"mechanism": "hadamard_response", "k": 3},
    {"mechanism": "local_hashing", "k": 2, "buckets": 2},
]


@pytest.mark.parametrize("spec", MECHANISMS, ids=lambda spec: spec["mechanism"])
@pytest.mark.parametrize("epsilon", [{"log": 4}, {"rational": "1/2"}])
def test_a_mechanism_alone_has_its_epsilon(spec, epsilon):
    problem = {
        "kind": "shuffle",
        "randomizers": {"R": {**spec, "epsilon": epsilon}},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
    }
    (answer,) = answers_to(problem, {"max_divergence": True})
    if "log" in epsilon:
        assert answer.expression == "log(4)"
    else:
        assert answer.exact == "1/2"


def test_a_unary_encoding_has_probabilities_of_ones_own():
    unary = {"mechanism": "unary_encoding", "k": 3, "p": "1/2", "q": "1/4"}
    problem = {
        "kind": "shuffle",
        "randomizers": {"R": unary},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
    }
    (answer,) = answers_to(problem, {"max_divergence": True})
    assert answer.expression == "log(3)"
    problem["randomizers"] = {"R": {**unary, "q": "0"}}
    with pytest.raises(DomainError, match=r"^\$\.randomizers\.R: q=0 must be above 0"):
        answers_to(problem, {"max_divergence": True})


MILLION = 10**6


@pytest.mark.parametrize(
    "spec",
    [
        {"mechanism": "randomized_response", "epsilon": "4"},
        {"mechanism": "symmetric_unary_encoding", "epsilon": "4"},
        {"mechanism": "subset_selection", "epsilon": "4", "size": 1000},
        {"mechanism": "local_hashing", "epsilon": "4", "buckets": 55},
        {"mechanism": "unary_encoding", "p": "1/2", "q": "1/10"},
    ],
    ids=lambda spec: spec["mechanism"],
)
def test_a_file_knows_alphabets_of_a_million(spec):
    randomizer = {**spec, "k": MILLION}
    view = {
        "kind": "shuffle",
        "randomizers": {"R": randomizer},
        "victim": {"randomizer": "R", "inputs": [0, 1]},
        "others": [{"randomizer": "R", "input": MILLION - 1, "count": 10**4}],
    }
    (answer,) = answers_to(view, {"epsilon": ["1e-6"], "relative_width": "1e-2"})
    assert 0 < Fraction(answer.lower) < Fraction(answer.upper) < 4
    worst = {"kind": "shuffle_worst_case", "n": 10**4, "randomizer": randomizer}
    (bounds,) = answers_to(worst, {"epsilon": ["1e-6"], "relative_width": "1e-2"})
    assert Fraction(answer.lower) < Fraction(bounds.upper) and bounds.lower_by
    with pytest.raises(TooLargeError, match=r"k=1,000,001; the limit is 1,000,000"):
        answers_to(
            {**worst, "randomizer": {**randomizer, "k": MILLION + 1}}, {"max_divergence": True}
        )


def test_randomized_response_is_its_matrix():
    named = {"mechanism": "randomized_response", "k": 4, "epsilon": {"log": 4}}
    problem = {**EXAMPLE, "randomizers": {"R": named}}
    assert answers_to(problem, EXAMPLE["ask"])[0].exact == "1321/16807"


def test_composition_multiplies_the_pairs():
    pair = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/3", "2/3"]}
    one_user = {**EXAMPLE, "others": []}
    del one_user["ask"]
    problem = {
        "kind": "composition",
        "parts": [{"problem": pair, "times": 3}, {"problem": one_user}],
    }
    coin_p, coin_q = ([Fraction(m) for m in pair[name]] for name in "pq")
    p, q = defaultdict(Fraction), defaultdict(Fraction)
    for *coins, y in product((0, 1), (0, 1), (0, 1), range(4)):
        p[*coins, y] = Fraction(FOUR[0][y])
        q[*coins, y] = Fraction(FOUR[1][y])
        for c in coins:
            p[*coins, y] *= coin_p[c]
            q[*coins, y] *= coin_q[c]
    ask = {"hockey_stick": [{"log": "3"}], "max_divergence": True, "direction": "both"}
    stick, largest = answers_to(problem, ask)
    assert Fraction(stick.exact) == max(hockey_stick(p, q, 3), hockey_stick(q, p, 3))
    # Ratios: 9/4 three times and 4; reversed, 8/3 three times and 4.
    assert exp_of(largest) == Fraction(8, 3) ** 3 * 4


def test_a_thousand_copies_and_tiny_answers():
    coin = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
    problem = {"kind": "composition", "parts": [{"problem": coin, "times": 1000}]}
    ask = {"hockey_stick": [{"log": str(3**1000 - 1)}], "epsilon": ["0"]}
    tiny, epsilon = answers_to(problem, ask)
    # Only the largest ratio, 3^1000, is above: P - (3^1000 - 1) Q = Q = 4^-1000.
    assert Fraction(tiny.exact) == Fraction(1, 4**1000)
    assert tiny.decimal == "8.7098098162172167e-603"
    assert (tiny.float_below, tiny.float_above) == (0.0, 5e-324)
    assert epsilon.decimal == "1098.6122886681097"  # 1000 * 1.098612288668109691...


def test_infinity_and_what_equals_nothing():
    pair = {"kind": "finite_pair", "p": ["1/2", "1/2"], "q": [1, 0]}
    answers = answers_to(pair, {"epsilon": ["1/4", "1/2"], "renyi": [2], "max_divergence": True})
    assert [answer.decimal for answer in answers] == ["infinity", "0", "infinity", "infinity"]
    first = answers[0]
    assert (first.exact, first.lower, first.upper) == (None, "infinity", "infinity")
    assert first.float_below is first.float_above is None


def test_expressions_are_exact_and_short():
    pair = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
    ask = {"hockey_stick": [{"rational": "0.49"}], "epsilon": ["0"], "renyi": [2, "3/2"]}
    stick, epsilon, renyi, fractional = answers_to(pair, ask)
    assert stick.exact is None
    assert stick.at == {"rational": "0.49"}
    assert stick.expression == "(-e^(49/100) + 3)/4"
    assert epsilon.expression == "log(3)"
    assert renyi.expression == "log(7/3)"
    assert not isinstance(fractional.expression, str)
    large = 10**1500 + 1
    long = {"kind": "finite_pair", "p": [f"1/{large}", f"{large - 1}/{large}"], "q": ["1/2", "1/2"]}
    (answer,) = answers_to(long, {"hockey_stick": [{"rational": "-1"}]})
    assert answer.exact is None
    assert not isinstance(answer.expression, str)


def test_relative_width_and_digits():
    pair = {"kind": "finite_pair", "p": ["1/7", "6/7"], "q": ["6/7", "1/7"]}
    ask = {"epsilon": ["0"], "renyi": ["3/2"], "relative_width": "1e-300"}
    for answer in answers_to(pair, ask, digits=3):
        assert_consistent(answer, width=Fraction(1, 10**300))
    assert answers_to(pair, {"epsilon": ["0"]}, digits=3)[0].decimal == "1.79"
    assert len(answers_to(pair, {"total_variation": True}, digits=6_000)[0].decimal) == 6_002
    with pytest.raises(DomainError, match="digits=0 must be at least 1"):
        answers_to(pair, {"total_variation": True}, digits=0)


SAMPLED_STEPS = {
    "kind": "composition",
    "parts": [
        {"problem": {"kind": "laplace", "scale": "2"}, "times": 20},
        {"problem": {"kind": "gaussian", "sigma": "3"}, "times": 9},
    ],
}


def test_renyi_and_trade_off_of_noise_and_of_its_compositions():
    gaussian = {"kind": "gaussian", "sigma": "2"}
    ask = {"renyi": ["1/2", 3], "trade_off": ["1/20", 0, 1], "direction": "both"}
    half, third, missed, all_missed, nothing = answers_to(gaussian, ask)
    assert (half.exact, third.exact) == ("1/16", "3/8")  # a·μ²/2
    assert missed.decimal == "0.87386510180656971"  # Φ(Φ⁻¹(19/20) − 1/2)
    assert (all_missed.exact, nothing.exact) == ("1", "0")
    laplace, trade_off = answers_to(
        {"kind": "laplace", "scale": "1"}, {"renyi": [2], "trade_off": ["1/2"]}
    )
    assert laplace.expression == "log((2*e^3 + 1)/(3*e^2))"
    assert trade_off.expression == "1/(2*e)"
    ask = {"renyi": [2], "trade_off": ["1/20"], "relative_width": "1e-4"}
    order_2, at_a_level = answers_to(SAMPLED_STEPS, ask)
    for answer in (order_2, at_a_level):
        lower, upper = Fraction(answer.lower), Fraction(answer.upper)
        assert 0 < lower < upper <= lower * Fraction("1.00011")


def test_a_huge_order_has_an_enclosure():
    pair = {"kind": "finite_pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
    huge, large = answers_to(pair, {"renyi": ["1e300", 10**9]})
    assert huge.decimal == answers_to(pair, {"max_divergence": True})[0].decimal
    assert not isinstance(large.expression, str)
