"""One audited run by f-DP: games whose best guesses are known, and every step by another way."""

from fractions import Fraction
from itertools import product
from math import comb, log

import mpmath
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.auditing import OneRun, TradeOffRun
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import gaussian_mechanism
from exactdp.numbers import Epsilon, Exact
from proofs_check.kernel import check


def tail(n, least, p):
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1))


def other(u, j):
    """The other choice of canary j."""
    return tuple(1 - x if i == j else x for i, x in enumerate(u))


@pytest.mark.parametrize("choices", [2, 3, 5])
@pytest.mark.parametrize("ratio", [1, 2, 7])
def test_randomized_responses_are_never_above_the_bound(ratio, choices):
    """Each canary's choice is told by k-ary randomized response: e^ε to 1."""
    right = Fraction(ratio, ratio + choices - 1)
    for r in (1, 3, 6):
        for v in range(r + 1):
            found = TradeOffRun(r, r, v, choices).p_value(Epsilon.log(ratio))
            assert tail(r, v, right) <= found.upper
            if r == 1 or v == 0:  # and the bound is this
                assert found.upper <= tail(r, v, right) + Fraction(1, 10**8)


def test_what_shows_all_with_a_probability_is_never_above_the_bound():
    """All choices are shown with probability δ, and nothing else is: (0, δ)-DP."""
    for m, v in product((2, 5), (1, 2)):
        truth = Fraction(1, 10) + Fraction(9, 10) * tail(m, v, Fraction(1, 2))
        assert truth <= TradeOffRun(m, m, v).p_value(0, "1/10").upper


@settings(max_examples=40)
@given(st.data())
def test_no_mechanism_of_few_outputs_is_above_the_bound(data):
    """Random laws over guesses of two or three canaries, with the ε that they have."""
    m = data.draw(st.sampled_from([2, 3]))
    inputs = list(product((0, 1), repeat=m))
    weights = st.integers(1, 9)
    # Laws that favor right guesses are the ones that come near.
    laws = {}
    for u in inputs:
        favor = data.draw(st.integers(1, 4))
        masses = [
            data.draw(weights) * favor ** sum(a == b for a, b in zip(u, y, strict=True))
            for y in inputs
        ]
        laws[u] = [Fraction(x, sum(masses)) for x in masses]
    ratio = max(
        p / q
        for u in inputs
        for j in range(m)
        for p, q in zip(laws[u], laws[other(u, j)], strict=True)
    )
    for v in range(1, m + 1):
        truth = sum(
            laws[u][i]
            for u in inputs
            for i, y in enumerate(inputs)
            if sum(a == b for a, b in zip(u, y, strict=True)) >= v
        ) / len(inputs)
        assert truth <= TradeOffRun(m, m, v).p_value(Epsilon.log(ratio)).upper


@settings(max_examples=40)
@given(st.data())
def test_guesses_of_some_canaries_are_not_above_it_either(data):
    """One guess of two canaries, of whichever the output says most."""
    inputs = list(product((0, 1), repeat=2))
    guesses = [(j, w) for j in (0, 1) for w in (0, 1)]
    laws = {}
    for u in inputs:
        masses = [data.draw(st.integers(1, 9)) * (3 if u[j] == w else 1) for j, w in guesses]
        laws[u] = [Fraction(x, sum(masses)) for x in masses]
    ratio = max(
        p / q
        for u in inputs
        for j in (0, 1)
        for p, q in zip(laws[u], laws[other(u, j)], strict=True)
    )
    truth = sum(laws[u][i] for u in inputs for i, (j, w) in enumerate(guesses) if u[j] == w) / 4
    assert truth <= TradeOffRun(2, 1, 1).p_value(Epsilon.log(ratio)).upper


def recursion(m, r, v, t, g):
    """The sums (1) of the theorem in numbers of another library, mass by mass."""
    masses = {v: t}
    for i in range(v - 1, -1, -1):
        right = sum(j * p for j, p in masses.items()) / m
        wrong = sum((r - j) * p for j, p in masses.items()) / m
        masses[i] = max(mpmath.mpf(0), (g(right) - wrong) * m / (r - i))
    return sum(masses.values())


@pytest.mark.parametrize(("m", "r", "v"), [(1000, 100, 75), (40, 40, 33), (200, 50, 50)])
def test_the_crossings_are_those_of_the_masses_themselves(m, r, v):
    audit, t = TradeOffRun(m, r, v), mpmath.mpf(1) / 20
    found, mu = audit.refuted(delta="1e-3"), audit.refuted_mu()
    with mpmath.workdps(60):
        delta, root = mpmath.mpf(1) / 1000, mpmath.sqrt(2)
        for end, is_beyond in ((found.lower, True), (found.upper, False)):
            ratio = mpmath.exp(mpmath.mpf(end.numerator) / end.denominator)
            total = recursion(
                m, r, v, t, lambda x, c=ratio: max(0, (x - delta) / c, 1 - delta - c * (1 - x))
            )
            assert (total > 1) == is_beyond
        for end, is_beyond in ((mu.lower, True), (mu.upper, False)):
            size = mpmath.mpf(end.numerator) / end.denominator
            total = recursion(
                m, r, v, t, lambda x, s=size: mpmath.ncdf(root * mpmath.erfinv(2 * x - 1) - s)
            )
            assert (total > 1) == is_beyond


def test_both_theorems_refute_less_than_holds():
    """A pure ε whose coin flips are right with the rate that is seen."""
    truth = log(75 / 25)
    for delta in ("0", "1e-4"):
        other = OneRun(1000, 100, 75, delta).refuted(level="0.05").lower
        assert 0.6 < other < truth
        assert 0.6 < TradeOffRun(1000, 100, 75).refuted(delta=delta).lower < truth


def test_a_hypothesis_is_refuted_by_its_own_curve():
    """Gaussian noise by its points (ε, δ), and by its μ: nearly the same."""
    audit = TradeOffRun(300, 100, 80)
    mu = audit.refuted_mu().lower
    below, above = (
        gaussian_mechanism(sigma=1 / (mu * x)) for x in (Fraction(99, 100), Fraction(101, 100))
    )
    assert audit.refutes(below) and not audit.refutes(above)
    assert not TradeOffRun(300, 100, 50).refutes(gaussian_mechanism(sigma=100))


@pytest.mark.parametrize(("choices", "delta"), [(2, "1e-4"), (2, "0"), (4, "1e-3")])
def test_certificates_are_accepted_and_end_where_the_theorem_does(choices, delta):
    audit = TradeOffRun(400, 60, 45, choices)
    found = audit.refuted(delta=delta)
    made = audit.certificate(level="0.05", epsilon=found.lower, delta=delta)
    assert type(check(made.to_bytes())).__name__ == "Accepted"
    with pytest.raises(DomainError, match="is not refuted"):
        audit.certificate(level="0.05", epsilon=found.upper, delta=delta)


def test_what_is_no_audit_is_refused():
    for given_, said in (
        ((10, 5, 6), "right guesses are some"),
        ((10, 11, 6), "right guesses are some"),
        ((0, 0, 0), "canaries=0"),
        ((10, 5, 2, 1), "choices=1"),
    ):
        with pytest.raises(DomainError, match=said):
            TradeOffRun(*given_)
    with pytest.raises(TooLargeError, match="Guess only"):
        TradeOffRun(10**6, 10**6, 1)
    audit = TradeOffRun(10, 5, 5)
    with pytest.raises(DomainError, match="level"):
        audit.refuted(level=1)
    with pytest.raises(DomainError, match="Pass a mechanism"):
        audit.refutes("dp_sgd")
    assert audit.refuted(level="1/100").upper == 0  # 1/32 at ε = 0
    assert audit.p_value(0).contains(Exact("1/32")) or audit.p_value(0).lower > Fraction(1, 32)


def test_the_command(capsys, tmp_path):
    from exactdp.cli.one_run import one_run

    file = tmp_path / "f.json"
    one_run(1000, 100, 75, delta="1e-4", level="0.05", by_trade_off=True, certificate=file)
    said = capsys.readouterr().out
    assert "(0.680158138275, 1e-4)-DP is refuted" in said and "-GDP is refuted" in said
    assert type(check(file.read_bytes())).__name__ == "Accepted"
    with pytest.raises(typer.Exit):
        one_run(1000, 100, 50, delta="1e-4", level="0.05", by_trade_off=True)
    assert "nothing is refuted" in capsys.readouterr().out
