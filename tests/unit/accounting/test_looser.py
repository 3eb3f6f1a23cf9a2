"""Answers where a width is not reached: wider enclosures, then bounds that have a name."""

import json
from fractions import Fraction

import mpmath
import pytest

from exactdp.accounting import CertifiedComposition, compose, poisson_subsampled
from exactdp.divergences.worst import Bounds
from exactdp.errors import DomainError, TooLargeError, UndecidedError
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism, skellam_mechanism
from exactdp.numbers import Enclosure, Epsilon
from exactdp.problems import read_problem, solve
from exactdp.shuffle import clone_pair
from exactdp.sums import LossSum
from tests.routes.reals import mpf_of

nats = Epsilon.rational
FAINT = [(poisson_subsampled(laplace_mechanism(scale="1e30"), sampling_probability="1/2"), 70)]
"""Losses of 1e-30: no route sums them."""
NOISE = [(laplace_mechanism(scale=3), 20), (gaussian_mechanism(sigma=4), 3)]


def refusing(monkeypatch, *, below=None):
    """Let sums refuse what is narrower than a width, or everything."""
    for name in ("delta", "smallest"):
        whole = getattr(LossSum, name)

        def answer(self, at, *, relative_width, whole=whole):
            if below is None or relative_width < below:
                raise TooLargeError("too narrow. Take others.")
            return whole(self, at, relative_width=relative_width)

        monkeypatch.setattr(LossSum, name, answer)


def test_a_width_that_is_asked_is_kept_or_refused():
    with pytest.raises(TooLargeError, match="too widely"):
        compose(FAINT).epsilon("1e-33", relative_width="1e-2")


def test_what_no_route_sums_is_at_most_its_largest_loss():
    found = compose(FAINT).epsilon("1e-33")
    assert isinstance(found, Bounds) and found.lower == 0
    with mpmath.workdps(80):  # 70 ln(1/2 + e^(1e-30)/2)
        top = 70 * mpmath.log(mpmath.mpf(1) / 2 + mpmath.exp(mpmath.mpf("1e-30")) / 2)
        assert top <= mpf_of(found.upper) <= top * (1 + mpmath.mpf("1e-3"))
    assert found.upper_by == "looser: the largest loss"
    both = compose(FAINT).both_directions().epsilon("1e-33")
    assert both.upper_by == found.upper_by  # a name outlives the choice of a direction


def test_a_wider_enclosure_comes_before_a_bound(monkeypatch):
    exact = compose(NOISE).delta(nats(4), relative_width="1e-6")
    refusing(monkeypatch, below=Fraction(1, 100))
    found = compose(NOISE).delta(nats(4))
    assert not isinstance(found, Bounds)
    assert found.lower <= exact.lower <= exact.upper <= found.upper <= found.lower * 2


def test_a_bound_is_at_least_the_truth_and_says_what_it_is(monkeypatch):
    composed = compose(NOISE)
    delta = composed.delta(nats(4), relative_width="1e-6")
    epsilon = composed.epsilon("1e-5", relative_width="1e-6")
    refusing(monkeypatch)
    found, size = composed.delta(nats(4)), composed.epsilon("1e-5")
    assert delta.upper <= found.upper <= 20 * delta.upper
    assert epsilon.upper <= size.upper <= Fraction(3, 2) * epsilon.upper
    assert found.upper_by == "looser: Chernoff's bound by Rényi divergences"
    assert size.upper_by.startswith("looser: the Rényi bound of order ")
    with pytest.raises(TooLargeError, match="too narrow"):
        composed.delta(nats(4), relative_width="1e-2")


def test_what_is_known_by_delta_alone_has_bounds_too(monkeypatch):
    parts = [(clone_pair(50, Epsilon.log(3)), 10)]
    composed = compose(parts)
    assert isinstance(composed, CertifiedComposition)
    truth = composed.epsilon("1e-4", relative_width="1e-2")
    monkeypatch.setattr(CertifiedComposition, "sizes", (0, 0))
    found = compose(parts).epsilon("1e-4")
    assert truth.upper <= found.upper and found.upper_by.startswith("looser: ")
    with pytest.raises(UndecidedError, match="not bounded"):
        compose(parts).epsilon("1e-4", relative_width="1e-2")


def test_what_has_no_bound_is_too_large(monkeypatch):
    composed = compose(NOISE)
    refusing(monkeypatch)
    for part, _ in NOISE:
        for name in ("renyi", "largest_finite_loss", "max_divergence"):
            monkeypatch.setattr(type(part), name, unknown)
    with pytest.raises(TooLargeError, match="too narrow"):
        composed.delta(nats(4))


def unknown(*_, **__):
    raise UndecidedError("it is not known. Ask for another.")


def test_bad_arguments_are_no_looser():
    with pytest.raises(DomainError):
        compose(FAINT).epsilon("3/2")
    with pytest.raises(DomainError):
        compose(FAINT).delta(None)


def test_files_say_what_a_bound_is(monkeypatch):
    part = {"kind": "laplace", "scale": "1e30", "sampling": {"poisson": "1/2"}}
    law = {"kind": "composition", "parts": [{"problem": part, "times": 70}]}
    asked = {"epsilon": ["1e-33"]}
    (answer,) = solve(read_problem(json.dumps(law | {"ask": asked}))).answers
    assert answer.lower == "0" and answer.upper_by == "looser: the largest loss"
    narrow = read_problem(json.dumps(law | {"ask": asked | {"relative_width": "1e-2"}}))
    with pytest.raises(TooLargeError, match=r"\$.ask.epsilon"):
        solve(narrow)
    assert isinstance(compose(NOISE).delta(nats(4)), Enclosure)


def test_integer_noise_whose_masses_are_too_many_is_bounded():
    """Skellam noise is wider than Gaussian noise of its variance is, by next to nothing here."""
    wide = [(skellam_mechanism(variance=10**11), 1000)]
    found = compose(wide).epsilon("1e-6")
    assert found.upper_by.startswith("looser: the Rényi bound")
    normal = compose([(gaussian_mechanism(sigma=316_227), 1000)]).epsilon("1e-6")
    assert normal.upper < found.upper < 2 * normal.upper
    found = compose(wide).delta(nats("1/100"))
    assert found.upper_by == "looser: Chernoff's bound by Rényi divergences"
    with pytest.raises(TooLargeError, match="likely values"):
        compose(wide).epsilon("1e-6", relative_width="1e-3")
