"""The largest of several profiles: an enclosure of it, and the smaller ones are asked little."""

import random
from fractions import Fraction

import pytest

from exactdp.accounting import compose, dp_sgd
from exactdp.accounting.composition.certified_composition import CertifiedComposition
from exactdp.divergences import Largest, Pair, PrivacyProfile
from exactdp.divergences.values import told
from exactdp.errors import TooLargeError, UndecidedError
from exactdp.mechanisms import discrete_gaussian_mechanism
from exactdp.numbers import Enclosure, Epsilon, Exact
from tests.routes.deployments import profile as deployment

AT = Epsilon.rational(1)


class Falling(PrivacyProfile):
    """δ(ε) = size/(1 + ε), as an enclosure drawn at random; every question is kept."""

    def __init__(self, size, rng, *, narrowest=Fraction(0), is_coarse_first=True):
        self.size, self.rng, self.asked = Fraction(size), rng, []
        self.narrowest, self.is_coarse_first = narrowest, is_coarse_first

    def delta(self, epsilon, *, relative_width=None):
        width = self.usual_width if relative_width is None else Fraction(relative_width)
        if width < self.narrowest:
            raise UndecidedError("the width is not reached.")
        self.asked.append(width)
        return self._around(self.size / (1 + epsilon.nats.as_fraction()), width)

    def _epsilon_within(self, delta, width):
        self.asked.append(width)
        value = self.size / delta.as_fraction() - 1
        return self._around(value, width) if value > 0 else Enclosure(Fraction(0), Fraction(0))

    def _around(self, value, width):
        below, above = (self.rng.choice([0, 1, self.rng.randrange(100)]) for _ in range(2))
        return Enclosure(
            value / (1 + width * Fraction(below, 250)), value * (1 + width * Fraction(above, 250))
        )

    def delta_beside(self, epsilon, target, width):
        if not self.is_coarse_first:
            return super().delta_beside(epsilon, target, width)
        return told(lambda asked: self.delta(epsilon, relative_width=asked), target, width)

    def max_divergence(self):
        return Epsilon.infinity()

    def reversed(self):
        return self


@pytest.mark.parametrize("is_coarse_first", [True, False])
@pytest.mark.parametrize("width", [None, "1e-6", "1e-2"])
def test_what_is_found_encloses_the_largest_to_the_width_that_is_promised(width, is_coarse_first):
    rng = random.Random(f"{width} {is_coarse_first}")
    promised = Fraction(width or "1e-9")
    for _ in range(300):
        size = Fraction(rng.randrange(1, 90), 100)
        near = (1 + Fraction(rng.choice([-1, 1]), 10 ** rng.randrange(1, 12)) for _ in range(2))
        sizes = [size, size, *(size * factor for factor in near), Fraction(1, 9)]
        chosen = rng.sample(sizes, rng.randrange(1, 5))
        most = max(chosen)

        def both(chosen=chosen):
            return Largest(
                tuple(Falling(one, rng, is_coarse_first=is_coarse_first) for one in chosen)
            )

        for found, truth in (
            (both().delta(AT, relative_width=width), most / 2),
            (both().epsilon(Fraction(1, 10), relative_width=width), max(0, 10 * most - 1)),
        ):
            assert found.lower <= truth <= found.upper
            assert found.width <= promised * found.lower


def test_the_smaller_are_asked_coarsely():
    one, small, equal = (Falling(size, random.Random(0)) for size in ("0.8", "0.3", "0.8"))
    Largest((one, small, equal)).delta(AT, relative_width="1e-6")
    assert one.asked == [Fraction(1, 10**6)]
    assert small.asked == [Fraction(1, 8)]
    assert equal.asked[0] == Fraction(1, 8) and min(equal.asked) <= Fraction(1, 256)
    small.asked.clear()
    Largest((one, small)).epsilon("1/10", relative_width="1e-6")
    assert small.asked == [Fraction(1, 8)]  # one δ, and no search


def test_a_smaller_one_that_reaches_no_width_is_no_obstacle():
    rough = Falling("0.3", random.Random(0), narrowest=Fraction(1, 10))
    one = Falling("0.8", random.Random(0))
    assert Largest((one, rough)).delta(AT, relative_width="1e-6").contains(Exact("0.4"))
    with pytest.raises(UndecidedError):
        Largest((rough, one)).delta(AT, relative_width="1e-6")


def test_the_larger_may_come_second_and_may_be_infinite():
    one, large = Falling("0.1", random.Random(0)), Falling("0.9", random.Random(0))
    assert Largest((one, large)).delta(AT, relative_width="1e-6").contains(Exact("0.45"))
    assert Largest((one, large)).epsilon("1/20", relative_width="1e-6").contains(Exact(17))
    leaking = Pair.from_masses(["1/2", "1/2"], [0, 1])
    assert Largest((large, leaking)).epsilon("1/10", relative_width="1e-6").is_infinite


def test_negative_epsilons_are_asked_of_all():
    one, small = Falling("0.4", random.Random(0)), Falling("0.2", random.Random(0))
    found = Largest((one, small)).delta(Epsilon.rational("-1/2"), relative_width="1e-6")
    assert found.contains(Exact("0.8")) and small.asked == [Fraction(1, 10**6)]


def test_exact_profiles_answer_with_numbers():
    pair = Pair.from_masses(["1/2", "1/2"], ["1/8", "7/8"])
    both = pair.both_directions()
    assert both.delta(Epsilon.log(2)) == Exact("1/4")
    assert both.epsilon("1/4") == Epsilon.log(2)


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        (
            {"noise_multiplier": 8, "sampling_probability": "1/10", "steps": 3},
            [],
        ),  # a coarse law tells
        ({"noise_multiplier": 2, "sampling_probability": "1e-2", "steps": 1000}, []),
        ({"noise_multiplier": 20, "sampling_probability": "1/2", "steps": 100}, [Fraction(1, 8)]),
    ],
)
def test_the_direction_that_loses_less_is_told_at_one_wide_delta(settings, asked, monkeypatch):
    run, alone, widths = dp_sgd(**settings), dp_sgd(**settings).profiles[0], []
    whole = CertifiedComposition.delta

    def delta(self, epsilon, *, relative_width=None):
        if self.parts == run.profiles[1].parts:
            widths.append(relative_width)
        return whole(self, epsilon, relative_width=relative_width)

    monkeypatch.setattr(CertifiedComposition, "delta", delta)
    found = alone.epsilon("1e-5", relative_width="1e-3")
    assert run.epsilon("1e-5", relative_width="1e-3") == found
    assert widths == asked


def test_one_that_ends_a_little_above_the_crossing_of_another_moves_no_end():
    """All of its losses end at 6.01; the other's delta there would be far below 1e-50."""
    noise = [("gaussian", "100", "1e-3", 10), ("laplace", "1/2", "1", 3)]
    found = deployment(noise, "add_or_remove").epsilon("1e-5", relative_width="1e-2")
    assert found.lower < found.upper < Fraction("6.001")
    delta = deployment(noise, "add_or_remove").delta(
        Epsilon.rational(found.upper), relative_width="1e-2"
    )
    assert 0 < delta.lower < delta.upper <= Fraction(1, 10**5)


@pytest.mark.parametrize(
    ("noise", "delta", "least"),
    [
        # The other direction is nothing there, which no width tells from 0 ...
        ([("gaussian", "100", "1e-4", 2), ("laplace", "2", "1e-4", 1)], "1e-8", "1e-9"),
        # ... or it would take a lattice of too many points.
        ([("gaussian", "1000", "1e-4", 2), ("laplace", "1/2", "1e-5", 10)], "1e-8", "1e-9"),
        # Just beyond an atom next to nothing is left: the upper end lies where something is.
        ([("gaussian", "2", "1e-5", 10**4), ("laplace", "1/2", "1", 1)], "1e-8", "1e-15"),
    ],
)
def test_where_one_direction_is_nothing_the_largest_is_known(noise, delta, least):
    both = deployment(noise, "add_or_remove")
    found = both.epsilon(delta, relative_width="1e-2")
    value = both.delta(Epsilon.rational(found.upper), relative_width="1e-2")
    assert Fraction(least) < value.lower < value.upper <= Fraction(delta)
    assert value.width <= value.lower / 100


def test_a_bound_is_given_where_it_tells_and_refused_where_it_does_not():
    side = dp_sgd(noise_multiplier=2, sampling_probability="1/10", steps=8).profiles[0]
    truth = side.delta(Epsilon.rational(1), relative_width="1e-3")
    for factor in (2, 10**6):
        most = Exact(truth.upper * factor)
        found = side.losses.delta_at_most(Epsilon.rational(1), most)
        assert found.lower <= truth.lower <= truth.upper <= found.upper <= most
    with pytest.raises(UndecidedError, match="not seen to be so small"):
        side.losses.delta_at_most(Epsilon.rational(1), Exact(truth.lower / 2))
    with pytest.raises(TooLargeError, match="no coarse law"):
        atoms = compose([(discrete_gaussian_mechanism(sigma=2), 3)])
        atoms.losses.delta_at_most(Epsilon.rational(1), Exact("1/2"))
