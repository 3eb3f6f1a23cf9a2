"""Laws that every profile obeys, of every kind, in both directions.

An enclosure fails a law only where it certainly breaks it; and it must be as narrow as was asked,
so that the law says something. An undecided question has no answer, which is allowed only where
a test says so.
"""

import importlib
import inspect
import pkgutil
from fractions import Fraction
from functools import cache
from itertools import pairwise

import pytest
from flint import arb

import exactdp
from exactdp.divergences import FiniteProfile, PrivacyProfile
from exactdp.divergences.profile import enclosed
from exactdp.errors import UndecidedError
from exactdp.numbers import Enclosure, Epsilon, Exact, Real, fmpq_of, is_below, precision
from exactdp.numbers.balls import endpoints
from tests.routes.profiles import KINDS

NAMES = sorted(KINDS)
EVERY = pytest.mark.parametrize("name", NAMES)
SIDES = pytest.mark.parametrize("side", ["forward", "backward"])
HAIR = Exact(Fraction(1, 10**60))
NOTHING = Epsilon.log(1)


@cache
def profile_of(name, side="forward"):
    found = KINDS[name].make()
    return found if side == "forward" else found.reversed()


@cache
def delta(name, side, nats, width=None):
    """δ at a rational number of nats, or at an Epsilon, as an enclosure of the kind's width."""
    at = nats if isinstance(nats, Epsilon) else Epsilon.rational(nats)
    kind, width = KINDS[name], Fraction(width or KINDS[name].width)
    found = enclosed(profile_of(name, side).delta(at, relative_width=width), width)
    # As narrow as was asked; two bounds as near as they are known to come.
    assert found.upper - found.lower <= max(width, Fraction(kind.gap)) * found.lower
    return found


@cache
def top_of(name, side):
    """The largest finite loss, as far as it is known; else None, of what is unbounded too."""
    if side == "forward" and KINDS[name].top is not ...:
        return KINDS[name].top
    try:
        found = profile_of(name, side).largest_finite_loss()
    except UndecidedError:
        return None
    return None if isinstance(found, Epsilon) and found.is_infinite else found


def nats_of(top):
    return enclosed(top.nats if isinstance(top, Epsilon) else top, "1e-30").lower


@cache
def inner(name, side):
    """Some ε > 0 with losses above them, where there are any."""
    if KINDS[name].at:
        return [Fraction(x) for x in KINDS[name].at]
    top = top_of(name, side)
    size = Fraction(2) if top is None else nats_of(top)
    if size <= 0:
        return [Fraction(1, 4)]
    size = min(size, Fraction(8))  # beyond, δ may be 1 to many digits
    return [(size * share).limit_denominator(1000) for share in map(Fraction, ("1/4", "3/5"))]


def outer(name):
    """Negative ε: inside the losses of both directions, at their ends, and beyond all."""
    found = [-x for x in inner(name, "forward")] + [-x for x in inner(name, "backward")]
    for side in ("forward", "backward"):
        top = top_of(name, side)
        if isinstance(top, Epsilon) and not top.is_infinite and top > NOTHING:
            found.append(-top)
            found.append(-top - Epsilon.rational(1))
    return [*found, Fraction(-7)]


def gamma_of(nats):
    return nats.exp if isinstance(nats, Epsilon) else Exact.exp(nats)


def is_certainly_above(a, b):
    """Whether a > b is proved, of numbers, to a thousand bits; UNKNOWN is no."""
    return is_below(b, a, max_bits=1 << 11).is_certain


# --- what there is ----------------------------------------------------------------------


def kinds_in_the_library():
    for module in pkgutil.walk_packages(exactdp.__path__, "exactdp."):
        if ".adapters." not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, left = set(), [PrivacyProfile]
    while left:
        for one in left.pop().__subclasses__():
            left.append(one)
            if one.__module__.startswith("exactdp.") and not inspect.isabstract(one):
                found.add(name_of(one))
    return found


def name_of(kind):
    # By names: dataclasses with slots are made twice.
    return f"{kind.__module__}.{kind.__qualname__}"


BOUNDS = {"exactdp.accounting.selection.tuning.ScaledProfile"}
"""Upper bounds of both orders at once, which are no pair's: their own tests ask them."""


def test_every_kind_of_profile_is_asked():
    def inside(profile):
        yield name_of(type(profile))
        for one in (*getattr(profile, "profiles", ()), *(x for x, _ in profile.composed_of())):
            yield from inside(one)

    asked = {kind for name in NAMES for kind in inside(profile_of(name))}
    assert kinds_in_the_library() - asked == BOUNDS


# --- at negative ε -----------------------------------------------------------------------


@EVERY
@SIDES
def test_below_0_it_is_from_what_gamma_lacks_to_1(name, side):
    for at in outer(name):
        found = delta(name, side, at)
        assert found.upper >= 1 - gamma_of(at)
        assert found.lower <= 1


@EVERY
@SIDES
def test_below_0_it_is_that_of_the_reversed_pair(name, side):
    """δ_{P‖Q}(−ε) = 1 − g + g·δ_{Q‖P}(ε), g = e^(−ε)."""
    other = "backward" if side == "forward" else "forward"
    for at in outer(name):
        g, here = gamma_of(at), delta(name, side, at)
        there = delta(name, other, -at)
        assert here.lower <= 1 - g + g * there.upper
        assert 1 - g + g * there.lower <= here.upper


# --- shape -------------------------------------------------------------------------------


@EVERY
@SIDES
def test_it_falls_and_is_convex(name, side):
    """In γ = e^ε, by enclosures; at 0 it starts from 1."""
    points = sorted({*outer_points(name), *inner(name, side), Fraction(0)})
    curve = [(arb(0), Enclosure(Fraction(1), Fraction(1)))]
    curve += [(Exact.exp(x).ball(256), delta(name, side, x)) for x in points]
    for (_, first), (_, last) in pairwise(curve):
        assert last.lower <= first.upper
    for (x, first), (y, middle), (z, last) in zip(curve, curve[1:], curve[2:], strict=False):
        with precision(256):
            a, b, c = (arb(fmpq_of(end)) for end in (first.upper, middle.lower, last.upper))
            assert not (z - x) * b > (z - y) * a + (y - x) * c


def outer_points(name):
    return [x for x in outer(name) if isinstance(x, Fraction)]


@EVERY
@SIDES
def test_beside_a_breakpoint_it_is_convex_to_60_digits(name, side):
    """Of finite pairs at each breakpoint, of numbers at the largest loss and inside."""
    profile = profile_of(name, side)
    places = []
    if isinstance(profile, FiniteProfile):
        places = list(profile.losses().breakpoints)
    elif KINDS[name].far:
        top = top_of(name, side)
        places = [top.exp] if isinstance(top, Epsilon) else []
        places += [Exact.exp(x) for x in inner(name, side)]
    for gamma in places:
        beside = [Epsilon(gamma * factor) for factor in (1 - HAIR, Exact(1), 1 + HAIR)]
        first, middle, last = (profile.delta(at) for at in beside)
        if isinstance(middle, Enclosure):
            ends = [profile.delta(at, relative_width="1e-130") for at in beside]
            (_, first), (middle, _), (_, last) = ((Exact(x.lower), Exact(x.upper)) for x in ends)
        assert not is_certainly_above(middle, (first + last) / 2)
        assert not is_certainly_above(middle, first)
        assert not is_certainly_above(last, middle)
        if all(isinstance(x, Exact) for x in (first, middle, last)):
            assert first >= middle >= last and 2 * middle <= first + last


# --- the largest loss ----------------------------------------------------------------------


@EVERY
@SIDES
def test_delta_is_the_mass_at_infinity_from_the_largest_finite_loss_on(name, side):
    profile, top = profile_of(name, side), top_of(name, side)
    if top is None:
        return
    try:
        mass = profile.infinity_mass()
    except UndecidedError:
        return
    limit = enclosed(mass, "1e-9")
    if side == "forward" and KINDS[name].top is not ...:
        known = profile.largest_finite_loss() if profile.reached != "bound" else top
        found = enclosed(known.nats if isinstance(known, Epsilon) else known, "1e-30")
        hand = enclosed(top.nats, "1e-30")
        assert max(found.lower, 0) <= hand.upper and hand.lower <= max(found.upper, 0)
    beyond = delta(name, side, nats_of(top) + 1 if nats_of(top) > 0 else Fraction(1))
    assert beyond.lower <= limit.upper and limit.lower <= beyond.upper
    assert profile.reached == "bound" or beyond.width <= limit.upper / 10**2


@EVERY
@SIDES
def test_just_below_the_largest_loss_delta_is_more(name, side):
    profile, top = profile_of(name, side), top_of(name, side)
    if not KINDS[name].far or not isinstance(top, Epsilon) or top <= NOTHING:
        return
    mass = profile.infinity_mass()
    if profile.worst_of() and mass != Exact(0):
        return  # it may be all of δ before the largest loss of another
    for gap in (10, 25, 60):
        at = Epsilon(top.exp * (1 - Fraction(1, 10**gap)))
        if mass == Exact(0):
            assert enclosed(profile.delta(at, relative_width="1e-3"), "1e-3").lower > 0
            continue
        number = profile.delta(at)
        assert not isinstance(number, Enclosure)
        assert is_certainly_above(number, mass)


@EVERY
@SIDES
@pytest.mark.parametrize("bits", [200, 20_000])
def test_a_hair_above_the_largest_loss_it_is_the_mass_or_undecided(name, side, bits):
    profile, top = profile_of(name, side), top_of(name, side)
    if not KINDS[name].far or top is None:
        return
    with precision(bits + 64):
        ball = top.exp.ball(bits + 64) if isinstance(top, Epsilon) else top.ball(bits + 64).exp()
        gamma = endpoints(ball)[1]
    at = Epsilon.log(gamma + Fraction(1, 2**bits))
    limit = enclosed(profile.infinity_mass(), "1e-9")
    try:
        found = enclosed(profile.delta(at, relative_width="1e-3"), "1e-3")
    except UndecidedError:
        assert bits > 200
        return
    assert found.lower <= limit.upper and limit.lower <= found.upper


# --- the smallest ε ------------------------------------------------------------------------


@EVERY
@SIDES
def test_the_smallest_epsilon_of_a_delta_is_at_most_where_it_was_found(name, side):
    profile, width = profile_of(name, side), Fraction(KINDS[name].width)
    for at in inner(name, side):
        target = delta(name, side, at).upper
        if not 0 < target < 1:
            continue
        found = profile.epsilon(target, relative_width=width)
        if isinstance(found, Epsilon):
            assert not found.is_infinite  # for δ(at) is at most the target
            found = enclosed(found.nats, width)
        assert found.lower <= at
        assert found.upper - found.lower <= width * found.lower or profile.reached == "bound"
        assert delta(name, side, found.upper).lower <= target
        if 0 < found.lower < found.upper:
            assert delta(name, side, found.lower).upper > target


@EVERY
@SIDES
def test_of_exact_profiles_it_is_so_at_every_breakpoint(name, side):
    profile = profile_of(name, side)
    if not isinstance(profile, FiniteProfile):
        return
    for gamma, at_gamma in profile.losses().vertices[1:]:
        found = profile.epsilon(at_gamma)
        assert found <= max(Epsilon(gamma), NOTHING)
        assert profile.delta(found) <= at_gamma
        if found > NOTHING:
            assert profile.delta(Epsilon(found.exp * (1 - HAIR))) > at_gamma


@EVERY
@SIDES
def test_the_mass_at_infinity_is_reached_where_losses_are_bounded(name, side):
    profile, top = profile_of(name, side), top_of(name, side)
    try:
        mass = profile.infinity_mass()
    except UndecidedError:
        return
    if not isinstance(mass, Exact) or not 0 < mass < 1:
        return
    for found in (profile.epsilon(mass), profile.epsilon(mass, relative_width="1e-6")):
        if KINDS[name].top is None:
            assert found == Epsilon.infinity()
            continue
        assert not (isinstance(found, Epsilon) and found.is_infinite)
        ends = enclosed(found.nats, "1e-20") if isinstance(found, Epsilon) else found
        if top is not None:
            most = max(nats_of(top) * (1 + Fraction(1, 10**20)), 0)
            assert ends.lower <= most
            # Of several profiles, some have less mass at infinity than the largest.
            assert profile.worst_of() or ends.upper >= min(most, nats_of(top))
        reached = delta(name, side, ends.upper)
        assert reached.lower <= mass
        assert profile.reached == "bound" or reached.upper <= mass * (1 + Fraction(1, 10**3))


# --- routes ----------------------------------------------------------------------------------


@EVERY
@SIDES
def test_exact_and_enclosed_answers_overlap(name, side):
    profile = profile_of(name, side)
    for at in [*inner(name, side), *outer(name)[:2]]:
        number = profile.delta(Epsilon.rational(at))
        narrow = delta(name, side, at)
        wide = delta(name, side, at, "1/2")
        assert wide.lower <= narrow.upper and narrow.lower <= wide.upper
        around = enclosed(number, "1e-15")
        assert around.lower <= narrow.upper and narrow.lower <= around.upper
        if not isinstance(number, Enclosure):
            assert around.width <= around.lower / 10**14


def test_the_laws_see_what_breaks_them():
    """What is certain fails; what is open does not."""
    assert is_certainly_above(Exact(1), Exact("1/2"))
    assert not is_certainly_above(Real(lambda: Exact.exp(1).ball(64), "e"), Exact.exp(1))
