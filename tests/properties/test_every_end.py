"""Every kind of profile at the ends of its questions: an answer, or the library's own refusal.

An end takes another branch: ε of 0, below 0, far beyond all losses; δ of 0 and 1, of almost
nothing and almost all, of the total variation and of the mass at infinity themselves; a part
beside which nothing else matters. Every third kind is asked, with ``--deep`` each.
"""

import re
from fractions import Fraction

import pytest

from exactdp.accounting import compose, group_profile, sampled
from exactdp.divergences import Pair
from exactdp.divergences.profile import enclosed
from exactdp.errors import ExactDPError
from exactdp.numbers import Enclosure, Epsilon, Exact, Real
from tests.routes.profiles import KINDS

SLOW = {
    "allocation of noise",
    "exponential mechanism",
    "gaussian and laplace",
    "modular discrete gaussian",
    "modular discrete laplace",
    "modular skellam",
    "sampled discrete gaussian, replaced",
    "sampled skellam",
    "steps of discrete gaussian",
    "two views by enclosures",
    "worst case with mass at infinity",
}
"""Kinds of which an answer at an end takes seconds: with ``--deep``."""
DISJOINT = Pair.from_masses([1, 0], [0, 1])
EQUAL = Pair.from_masses(["1/2", "1/2"], ["1/2", "1/2"])
POINT = Pair.from_masses([1], [1])
LEAKY = Pair.from_masses(["1/2", "1/2"], [1, 0])
ZERO = Epsilon.log(1)
EPSILONS = [0, -1, Fraction(1, 10**9), 20, 10**6]
DELTAS = [0, 1, "1e-300", "9999/10000"]
WIDTHS = [None, "1e-2"]
ANSWERS = Exact, Real, Enclosure, Epsilon


def pytest_generate_tests(metafunc):
    if "kind" in metafunc.fixturenames:
        is_deep = metafunc.config.getoption("--deep")
        names = [name for name in KINDS if name not in SLOW]
        metafunc.parametrize("kind", list(KINDS) if is_deep else names[::3])


def answered(call, *asked, relative_width=None):
    """Return an answer, or None where it is refused: in one line, of the width that was asked."""
    try:
        found = call(*asked, relative_width=relative_width)
    except ExactDPError as error:
        text = str(error)
        assert "\n" not in text
        assert ". " in text
        assert "exceeds upper" not in text
        for width in re.findall(r"relative_width=([\w./-]+)", text):
            assert relative_width is not None
            assert Fraction(width) == Fraction(relative_width)
        return None
    assert isinstance(found, ANSWERS)
    return found


def known(call):
    try:
        return call()
    except ExactDPError:
        return None


def asked_at_its_ends(profile):
    """Ask for δ and ε at every end, and see that ε is 0 where δ is the total variation."""
    top = known(profile.largest_finite_loss)
    tops = [top] if isinstance(top, Epsilon) and not top.is_infinite else []
    for width in WIDTHS:
        for at in (*map(Epsilon.rational, EPSILONS), *tops):
            found = answered(profile.delta, at, relative_width=width)
            if found is not None and not isinstance(found, Real):
                ends = enclosed(found, "1e-2") if isinstance(found, Exact) else found
                assert 0 <= ends.lower <= 1
        for delta in DELTAS:
            answered(profile.epsilon, delta, relative_width=width)
        infinite = known(profile.infinity_mass)
        if isinstance(infinite, Exact):
            answered(profile.epsilon, infinite, relative_width=width)
        whole = known(lambda: profile.delta(ZERO))
        if isinstance(whole, Exact) and 0 < whole < 1:
            found = answered(profile.epsilon, whole, relative_width=width)
            assert (found.nats if isinstance(found, Epsilon) else found.upper) == 0


def test_a_profile_and_its_reverse(kind):
    profile = KINDS[kind].make()
    asked_at_its_ends(profile)
    other = known(profile.reversed)
    if other is not None and other is not profile:
        asked_at_its_ends(other)


def test_beside_a_pair_that_has_nothing_in_common_delta_is_1(kind):
    for parts in (
        [(KINDS[kind].make(), 1), (DISJOINT, 1)],
        [(DISJOINT, 1), (KINDS[kind].make(), 1)],
    ):
        profile = known(lambda parts=parts: compose(parts))
        for width in WIDTHS if profile is not None else ():
            for at in (Epsilon.rational(0), Epsilon.log(2)):
                found = answered(profile.delta, at, relative_width=width)
                assert found is None or enclosed(found, "1e-2").contains(Exact(1))


@pytest.mark.parametrize("beside", [EQUAL, POINT, LEAKY], ids=["equal laws", "a point", "leaky"])
def test_beside_another_pair(kind, beside, request):
    if not request.config.getoption("--deep"):
        pytest.skip("with --deep")
    profile = known(lambda: compose([(KINDS[kind].make(), 1), (beside, 1)]))
    if profile is not None:
        asked_at_its_ends(profile)


@pytest.mark.parametrize("rate", [0, "1/2", 1])
def test_sampled(kind, rate, request):
    if not request.config.getoption("--deep"):
        pytest.skip("with --deep")
    profile = known(lambda: sampled(KINDS[kind].make(), sampling_probability=rate))
    if profile is None:
        return
    if rate == 0:
        found = answered(profile.delta, Epsilon.rational(0))
        assert found is None or enclosed(found, "1e-2").contains(Exact(0))
    else:
        asked_at_its_ends(profile)


def test_groups(kind, request):
    if not request.config.getoption("--deep"):
        pytest.skip("with --deep")
    for size in (1, 2):
        profile = known(lambda size=size: group_profile(KINDS[kind].make(), size))
        if profile is not None:
            asked_at_its_ends(profile)
