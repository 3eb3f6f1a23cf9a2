"""The epsilon that Theorem 2 bounds, for personalized users: certain protocols, proved weights.

User 1 is one of three groups; each group has a victim. Below: the view where all others hold 0.
Above: the repair of Theorem 2, with each group's user as the victim once.

Definitions: :func:`responding`, :func:`laplace`, :func:`gaussian`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from exactdp.bounds import BoundedNumber
from exactdp.divergences import Largest, PrivacyProfile
from exactdp.divergences.questions import Question
from exactdp.numbers import Epsilon, Exact, enclosure
from exactdp.numbers.real_functions import evaluate
from exactdp.shuffle import CountPair
from proofs_check.liu2024 import closed_forms
from proofs_check.liu2024.noise import Noise, Shape, noise
from proofs_check.liu2024.personalized_clones import PersonalizedCountPair
from proofs_check.liu2024.truth import threshold_view

_GRID = 1 << 80
"""Chances are rounded to multiples of this, to their safe side."""

Group = tuple[Fraction, int]
"""A budget (or σ), and how many users have it."""


def responding(*, epsilon: Fraction, groups: Sequence[Group]) -> BoundedNumber:
    """Return δ of users of binary randomized response, each group with its ε_i.

    Below: chances of the rare letter that are rounded up are private, too. Above: a message has
    each letter with at least 1/(e^ε_i + 1), rounded down.
    """
    below, above = [], []
    for budget, others in victims(groups):
        rare = _response(budget, up=True)
        view = _two_letters(1 - rare, rare, [(_response(e, up=True), c) for e, c in others])
        below.append(view)
        known = [(Exact(_response(e, up=False)), c) for e, c in others]
        above.append(PersonalizedCountPair(Exact(1 - _response(budget, up=False)), tuple(known)))
    return _target(epsilon, below, above, "the count of a letter, all others on one input")


def laplace(*, epsilon: Fraction, groups: Sequence[Group]) -> BoundedNumber:
    """Return δ of users of Laplace noise of scale 1/ε_i on inputs in [0, 1]."""

    def weight(victim: Fraction, other: Fraction) -> Fraction:
        if other > victim:
            return Fraction(0)  # its tails are lighter than the victim's
        return _down(closed_forms.laplace_weight, epsilon_1=victim, epsilon_i=other)

    below: list[PrivacyProfile] = []
    above: list[PrivacyProfile] = []
    for budget, others in victims(groups):
        laws = [(noise(Shape.LAPLACE, 0, 1 / e), c) for e, c in others]
        for cut in _cuts([math.log(max(c, 2)) / float(e) for e, c in others]):
            below += _at_threshold(Shape.LAPLACE, 1 / budget, laws, cut)
        known = tuple((Exact(weight(budget, e)), c) for e, c in others)
        above.append(PersonalizedCountPair(Exact(1 - _response(budget, up=False)), known))
    return _target(epsilon, below, above, "the messages beyond a threshold, all others on 0")


def gaussian(*, epsilon: Fraction, groups: Sequence[Group]) -> BoundedNumber:
    """Return δ of users of Gaussian noise on inputs in [0, 1], each group with its σ_i.

    Above: the letters are the positive parts of the victim's two laws, whose mass is
    β = 2 Φ(1/(2σ)) − 1; others' laws are at least κ times either of the two, so κβ times both.
    """
    below: list[PrivacyProfile] = []
    above: list[PrivacyProfile] = []
    for sigma, others in victims(groups):
        laws = [(noise(Shape.GAUSSIAN, 0, s), c) for s, c in others]
        for cut in _cuts([float(s) * math.sqrt(2 * math.log(max(c, 2))) for s, c in others]):
            below += _at_threshold(Shape.GAUSSIAN, sigma, laws, cut)
        mass = enclosure(evaluate(lambda f, *, s: 1 - 2 * f.normal_cdf(-1 / (2 * s)), s=sigma))
        known = []
        for other, count in others:
            share = Fraction(0)
            if other > sigma:
                share = _down(closed_forms.gaussian_ratio, sigma_1=sigma, sigma_i=other)
            known.append((Exact(_floor(share * mass.lower)), count))
        beta = Exact(min(Fraction(1), -_floor(-mass.upper)))
        above.append(PersonalizedCountPair(Exact(1), tuple(known), beta))
    return _target(epsilon, below, above, "the messages beyond a threshold, all others on 0")


def victims(groups: Sequence[Group]) -> Iterator[tuple[Fraction, list[Group]]]:
    """Yield each group's budget with the others of a victim in it."""
    for i, (budget, count) in enumerate(groups):
        if count:
            others = [(e, c - (i == j)) for j, (e, c) in enumerate(groups)]
            yield budget, [(e, c) for e, c in others if c]


def _target(
    epsilon: Fraction, below: Sequence[PrivacyProfile], above: Sequence[PrivacyProfile], words: str
) -> BoundedNumber:
    there = Epsilon.rational(epsilon)
    proved = "weights that are proved, for each victim (liu2024/repair/theorem-2)"
    return BoundedNumber(
        tuple((words, Question(one, there)) for one in below),
        ((proved, Question(Largest(tuple(above)), there)),),
    )


def _two_letters(zero: Fraction, one: Fraction, others: Sequence[Group]) -> PrivacyProfile:
    """Return the view of how many send letter 1: the rare one of others."""
    from exactdp.shuffle import ScoreSum

    if not others:
        return CountPair(1, Exact(zero), Exact(one), Exact(0))
    rows = tuple(((Exact(1 - p), Exact(p)), count) for p, count in others)
    view = ScoreSum((Exact(1 - one), Exact(one)), (Exact(1 - zero), Exact(zero)), rows)
    return Largest((view, view.reversed()))


def _at_threshold(
    shape: Shape, scale: Fraction, others: Sequence[tuple[Noise, int]], cut: Fraction
) -> list[PrivacyProfile]:
    zero, one = (noise(shape, x, scale) for x in (0, 1))
    view = threshold_view(zero, one, others, threshold=cut, bits=96)
    return [view, view.reversed()]


def _cuts(tails: Sequence[float]) -> list[Fraction]:
    """Return thresholds in the middle, and where few of the others' messages are beyond."""
    return sorted({Fraction(1, 2), *(Fraction(max(1, round(8 * x)), 8) for x in tails)})


def _response(epsilon: Fraction, *, up: bool) -> Fraction:
    """Return 1/(e^ε + 1), rounded to a side."""
    known = enclosure(evaluate(closed_forms.response_p, epsilon=epsilon))
    return -_floor(-known.upper) if up else _floor(known.lower)


def _down(formula: Callable[..., Any], **at: Any) -> Fraction:
    return _floor(enclosure(evaluate(formula, **at)).lower)


def _floor(x: Fraction) -> Fraction:
    return Fraction(math.floor(x * _GRID), _GRID)
