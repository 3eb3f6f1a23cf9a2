"""Steps about the errors of Section 6: the kernel decides as the engine does; both can fail."""

from fractions import Fraction

import pytest

from exactdp.claims.certificate import ProofCertificate
from exactdp.claims.values import value
from exactdp.numbers import Epsilon
from proofs_check.kernel import Accepted, check
from proofs_check.wang2024.parameters import constraint, target_delta
from proofs_check.wang2024.trials import steps
from proofs_check.wang2024.trials.scales import (
    GRID,
    LEVELS,
    MSNBC,
    Measure,
    error,
    least,
    rates,
    setting_of,
)
from proofs_check.wang2024.trials.section_6 import near_least, separated
from proofs_check.wang2024.trials.section_6_2 import few_messages, most_below, ratio_in_range
from proofs_check.wang2024.trials.steps import DATA, AtMost, at_every_q, chosen_rates, ends_of

SMALL, LARGE = MSNBC[5000], MSNBC[50_000]


def accepted(step):
    """Return whether the kernel accepts a step's rules."""
    found = ProofCertificate("", [(step.text, rule) for rule in step.rules()])
    return isinstance(check(found.to_bytes()), Accepted)


def beside(m, other, factor="11/10", kind="population"):
    return AtMost(
        kind, SMALL, Fraction(m), Fraction(factor), SMALL, Fraction(other), ends_of(SMALL)
    )


@pytest.mark.parametrize(
    "found",
    [
        lambda: [beside(2, m) for m in ("1/2", "7/4", 10)],
        lambda: separated(LARGE, SMALL),
        ratio_in_range,
    ],
)
def test_the_kernel_accepts_what_the_engine_finds(found):
    step = at_every_q("errors", found)
    assert step.stands()
    assert accepted(step)


@pytest.mark.parametrize(
    "found",
    [
        lambda: [beside(10, 2)],  # at no Q
        lambda: [beside("7/4", 2, "1")],
        lambda: [beside("1/10", 2, kind="empirical")],
    ],
)
def test_both_refuse_an_error_that_is_larger(found):
    step = at_every_q("errors", found)
    assert not step.stands()
    assert not accepted(step)


def test_a_step_of_nothing_fails():
    assert not at_every_q("errors", list).stands()
    assert not at_every_q("errors", lambda: separated(SMALL, LARGE)).stands()


def test_an_error_that_is_at_most_at_both_ends_is_so_between():
    one, (low, high) = beside(2, "1/2"), ends_of(SMALL)
    for i in range(11):
        measure = Measure("population", low + (high - low) * Fraction(i, 10))
        ratio = error(SMALL, "S_1", one.m, measure) / error(SMALL, "S_1", one.at, measure)
        assert ratio <= one.factor
        assert least(SMALL, "S_1", measure)[0] == 2


def test_the_kernel_accepts_what_data_are_taken_to_be():
    for step in DATA:
        assert step.stands()
        assert accepted(step)


@pytest.mark.parametrize("kind", steps.KINDS)
def test_the_printed_m_is_near_the_least_and_another_is_not(kind):
    assert near_least(SMALL, Fraction(2), kind).steps[-1].stands()
    assert not near_least(SMALL, Fraction(10), kind).steps[-1].stands()


def test_relations_between_least_bounds_hold_and_a_lower_limit_fails():
    assert all(relation.holds() for relation in [*most_below(4), *few_messages()])
    assert not all(relation.holds() for relation in most_below(1))


def test_the_rates_are_the_largest_of_the_constraint(monkeypatch):
    def divergence(m, rate, level):
        factor, pair = constraint(setting_of(SMALL), m=m, rate=rate)
        assert factor == 1
        return pair.delta(Epsilon.rational(level / SMALL.s), relative_width="1e-9")

    m = Fraction(2)
    for level, rate in zip(LEVELS, rates(SMALL, m), strict=True):
        bound = target_delta(setting_of(SMALL), Epsilon.rational(level))
        assert value(bound) >= divergence(m, rate, level).upper
        if rate < 1:
            assert value(bound) < divergence(m, rate + Fraction(1, 10_000), level).lower
    assert chosen_rates(SMALL).stands()
    for part in (Fraction(1001, 1000), Fraction(999, 1000)):
        wrong = {m: tuple(min(r * part, Fraction(1)) for r in rates(SMALL, m)) for m in GRID}
        monkeypatch.setattr(steps, "rates", lambda study, m, wrong=wrong: wrong[m])
        assert not chosen_rates(SMALL).stands()
