"""Numbers of the analytic Gaussian mechanism's program, compared with the closed form of δ."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from exactdp.claims import (
    Cases,
    Falls,
    Relation,
    Statement,
    Trials,
    at_most,
    for_all,
    listed,
    rows,
    term,
)
from proofs_check.libraries.laws import gaussian

__all__ = ["TRIALS"]


def returned(*lines: tuple[str, str, str]) -> Cases:
    """Return the program's answers: ε, δ and the result, as they were printed."""
    names = ("epsilon", "delta", "answer")
    found = [dict(zip(names, map(Fraction, line), strict=True)) for line in lines]
    return listed(*found).all_of(**rows(*found))


SMALL = returned(
    ("0.1", "1e-14", "62.04831590367747"),
    ("8.0", "1e-14", "0.9330127018922193"),
    ("0.5", "1e-14", "13.928203230275509"),
    ("1.0", "1e-14", "6.999635521070491"),
    ("1.0", "1e-10", "5.867728601502758"),
    ("1.0", "1e-9", "5.495339185383304"),
    ("1.0", "1e-20", "9.848726953872188"),
)
LARGE = returned(("1.0", "1e-5", "3.730631634944469"), ("1.0", "1e-6", "4.2246789419396995"))


def calibrated(
    epsilon: Fraction, delta: Fraction, answer: Fraction, part: Fraction = Fraction(1)
) -> Relation:
    """Compare δ of the noise that was returned, or a part of it, with the one asked for."""
    return at_most(gaussian(term(epsilon), sigma=term(answer * part)), delta)


def of(over: Cases) -> Statement:
    """Return a reading."""
    wrong = partial(calibrated, part=Fraction(1, 2))
    return for_all(over, calibrated, wrong=wrong, falls=Falls.RESULT, unit="δ")


TRIALS: Trials = {"records/analytic-gaussian": {"a": of(SMALL), "b": of(LARGE)}}
