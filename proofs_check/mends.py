"""The errors of refuted bounds, and the smallest repair of each.

    python -m proofs_check.mends > proofs_check/mends.json

asks each refuted or withdrawn bound at ordinary deployments (:data:`ORDINARY`), and keeps

- by how much it is on the wrong side at the worst of them;
- the smallest factor, and the smallest addend, of three digits, with which no tried deployment
  refutes it, and one where the next smaller factor is refuted;
- the hypothesis on one argument, such as n >= 1000, under which most deployments are left and none
  of them refutes it as it is printed.

A factor is no bound: only deployments that were tried have not refuted it. All comparisons are of
enclosures.

Definitions: :func:`mend`, :func:`settings`, :func:`section`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from pathlib import Path
from typing import Any

from exactdp.bounds import PublishedBound, bounds_of, published
from exactdp.bounds.papers import papers_with_bounds
from exactdp.claims.printing import variable
from exactdp.errors import ExactDPError
from exactdp.execution import Limits, side_by_side
from exactdp.numbers import Enclosure, Exact, Rounding, decimal
from exactdp.numbers.limits import MAX_MEMORY
from exactdp.side import Side

__all__ = ["FILE", "ORDINARY", "Tried", "falling", "mend", "section", "settings", "tried_at"]

FILE = Path(__file__).parent / "mends.json"
"""What was found, kept."""

ORDINARY: Mapping[str, tuple[str, ...]] = {
    "n": ("100", "1000", "1e5"),
    "epsilon": ("1/50", "1/10", "1/4", "1"),
    "epsilon0": ("1/4", "1", "3"),
    **dict.fromkeys(("epsilon1", "epsilon2", "epsilon_1"), ("1/2", "1", "3")),
    **dict.fromkeys(("epsilon_2", "epsilon_3", "epsilon_i"), ("1/4", "1/2", "1")),
    **dict.fromkeys(("delta", "delta1", "delta2"), ("1e-6", "1e-3")),
    "delta_1": ("0", "1e-6"),
    "k": ("2", "10"),
    "s": ("1", "2", "10"),
    "d": ("2", "10", "100"),
    "n_x0": ("0", "10", "50"),
    **dict.fromkeys(("n_2", "n_3"), ("0", "10", "1000")),
    "p": ("1/10", "1/4", "2", "10"),
    "beta": ("1/20", "1/4"),
    "q": ("2", "10"),
    **dict.fromkeys(("rate", "gamma"), ("1/10", "1/2", "1")),
    "m": ("1/2", "1", "3/2"),
    "sigma_1": ("1/2", "1", "2"),
    **dict.fromkeys(("sigma_2", "sigma_i"), ("3/2", "3", "10")),
    "sensitivity": ("1",),
    "steps": ("20",),
}
"""What an argument is in ordinary deployments, by its name; what a bound's domain has of it."""

_MOST = 60
"""The deployments of one bound, spread over all combinations."""

_LEAST = Fraction(1, 10**15)
"""A δ below this is asked of no ordinary deployment."""

_WIDTH = Fraction(1, 10**6)
"""The relative width of the truth that a bound is compared with."""

_SECONDS, _LONG = 3.0, 1200
"""How long one number is asked, and one bound."""


@dataclass(frozen=True)
class Tried:
    """A bound at a deployment, beside the best number that is known to be needed (or allowed).

    Attributes:
        at: The arguments, as they are written.
        formula: The formula's value.
        needed: What an upper bound must not be below, or a lower bound above.
        is_upper: Whether it is an upper bound.
    """

    at: Mapping[str, str]
    formula: Enclosure
    needed: Enclosure
    is_upper: bool

    @property
    def is_refuted(self) -> bool:
        """True if the formula is certainly on the wrong side."""
        return self.refutes(Fraction(1), Fraction(0))

    def refutes(self, factor: Fraction, addend: Fraction) -> bool:
        """Return whether factor times the formula plus the addend is certainly wrong."""
        if self.is_upper:
            return factor * self.formula.upper + addend < self.needed.lower
        return factor * self.formula.lower + addend > self.needed.upper

    def admits(self, factor: Fraction, addend: Fraction) -> bool:
        """Return whether it is certainly on its side of the need."""
        if self.is_upper:
            return factor * self.formula.lower + addend >= self.needed.upper
        return factor * self.formula.upper + addend <= self.needed.lower

    @property
    def factor(self) -> Fraction | None:
        """The factor that suffices here; None where the formula is not above 0."""
        if self.formula.lower <= 0:
            return None
        if self.is_upper:
            return self.needed.upper / self.formula.lower
        return self.needed.lower / self.formula.upper

    @property
    def addend(self) -> Fraction:
        """The addend that suffices here."""
        if self.is_upper:
            return self.needed.upper - self.formula.lower
        return self.needed.lower - self.formula.upper


def falling() -> Iterator[PublishedBound]:
    """Yield the bounds whose claims are refuted, or that their authors have withdrawn."""
    for paper in papers_with_bounds():
        for bound in bounds_of(paper):
            if bound.verdict == "refuted" or bound.withdrawn:
                yield bound


def settings(bound: PublishedBound) -> list[dict[str, str]]:
    """Return ordinary deployments that the theorem supposes, spread over all there are."""
    names = list(bound.domain.kinds)
    found = []
    for texts in product(*(ORDINARY[name] for name in names)):
        at = dict(zip(names, texts, strict=True))
        try:
            if bound.domain.admits(bound.checked(at)):
                found.append(at)
        except ExactDPError:
            continue
    return [found[i * len(found) // _MOST] for i in range(_MOST)] if len(found) > _MOST else found


def tried_at(bound: PublishedBound, at: dict[str, str]) -> Tried | None:
    """Return a bound at a deployment; None where formula or truth is not told, or δ is tiny."""
    exact = bound.checked(at)
    try:
        formula = bound.enclosed(bound.formula_at(exact))
    except ExactDPError:
        return None
    target = bound.target_at(exact)
    needed = target.known(bound.side, _WIDTH, seconds=_SECONDS)
    if needed is None or (bound.bounds == "delta" and needed.upper < _LEAST):
        return None
    return Tried(at, formula, needed, bound.side is Side.UPPER)


def mend(name: str) -> dict[str, Any]:
    """Return the kept row of a bound."""
    bound = published(name)
    return summary([one for at in settings(bound) if (one := tried_at(bound, at))])


def summary(tried: Sequence[Tried]) -> dict[str, Any]:
    """Return the smallest mends of a bound that was tried."""
    refuted = [one for one in tried if one.is_refuted]
    found: dict[str, Any] = {"tried": len(tried), "refuted": len(refuted)}
    if not refuted:
        return found
    is_upper = refuted[0].is_upper
    worst = (max if is_upper else min)(refuted, key=lambda one: one.addend)
    factors = [(one.factor, one) for one in refuted]
    if all(factor is not None for factor, _ in factors):
        known = [(factor, one) for factor, one in factors if factor is not None]
        factor, least = (max if is_upper else min)(known, key=lambda pair: pair[0])
        worst = least
        found["factor"] = _mended(tried, least, factor, lambda x: (x, Fraction(0)))
    by_addend = (max if is_upper else min)(refuted, key=lambda one: one.addend)
    found["addend"] = _mended(tried, by_addend, by_addend.addend, lambda x: (Fraction(1), x))
    found["worst"] = {
        "at": dict(worst.at),
        "formula": _text(worst.formula.upper if is_upper else worst.formula.lower, up=is_upper),
        "truth": _text(worst.needed.lower if is_upper else worst.needed.upper, up=not is_upper),
    }
    found["hypothesis"] = _hypothesis(tried)
    return found


def _mended(tried: Sequence[Tried], worst: Tried, value: Fraction, mended: Any) -> dict[str, Any]:
    """Return a mend that holds at all deployments, and the next smaller one, which does not."""
    step = _step(value)
    sign = 1 if worst.is_upper else -1
    kept = sign * ceil(sign * value / step) * step
    assert all(one.admits(*mended(kept)) or not one.refutes(*mended(kept)) for one in tried)
    smaller = kept - sign * step
    is_told = worst.refutes(*mended(smaller))
    return {
        "value": _text(kept, up=worst.is_upper),
        "refuted": _text(smaller, up=worst.is_upper) if is_told else None,
        "at": dict(worst.at) if is_told else None,
    }


def _step(value: Fraction) -> Fraction:
    """Return a unit of the third digit of a number."""
    exponent = 0
    while abs(value) >= Fraction(10) ** (exponent + 1):
        exponent += 1
    while 0 < abs(value) < Fraction(10) ** exponent:
        exponent -= 1
    return Fraction(10) ** (exponent - 2)


def _hypothesis(tried: Sequence[Tried]) -> dict[str, Any] | None:
    """Return the bound on one argument that leaves most deployments, and none that refutes."""
    best: tuple[int, str] | None = None
    for name in tried[0].at:
        values = sorted({Fraction(one.at[name]) for one in tried})
        for sign, end in product("≥≤", values):
            there = [(Fraction(one.at[name]), one) for one in tried]
            left = [one for x, one in there if (x >= end if sign == "≥" else x <= end)]
            if any(one.is_refuted for one in left):
                continue
            if best is None or len(left) > best[0]:
                best = len(left), f"{variable(name)} {sign} {_short(end)}"
    return None if best is None else {"text": best[1], "tried": best[0]}


def _short(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else f"{float(value):g}"


def _text(value: Fraction, *, up: bool, digits: int = 3) -> str:
    return decimal(Exact(value), digits=digits, rounding=Rounding.UP if up else Rounding.DOWN)


def section() -> str:
    """Return the part of FINDINGS.md on mends."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    heads = ["bound", "refuted", "at worst, by its factor", "formula", "needed", "factor"]
    heads += ["addend, and where it takes it", "or suppose"]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for name, one in kept.items():
        if one["refuted"]:
            lines.append(f"| {' | '.join(_cells(name, one))} |")
    left = [f"`{name}` ({one['tried']})" for name, one in kept.items() if not one["refuted"]]
    return _SECTION.format(table="\n".join(lines), left=", ".join(left))


def _cells(name: str, one: Mapping[str, Any]) -> list[str]:
    worst, factor, addend = one["worst"], one.get("factor"), one["addend"]
    cells = [f"`{name}`", f"{one['refuted']} of {one['tried']}", _at(worst["at"])]
    cells += [worst["formula"], worst["truth"], factor["value"] if factor else "none"]
    cells.append(addend["value"] + (f" at {_at(addend['at'])}" if addend["at"] else ""))
    supposed = one["hypothesis"]
    return [*cells, f"{supposed['text']} ({supposed['tried']} left)" if supposed else "–"]


def _at(deployment: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in deployment.items())


_SECTION = """\
### How far refuted bounds are off, and the smallest repairs

Each bound whose claim is refuted or withdrawn, at ordinary deployments of its own arguments (δ from
1e-15 on). A factor or an addend is the smallest of three digits with which none of them refutes the
bound; that does not prove it. A formula that is not above 0 has no factor. The last column is the
hypothesis on one argument under which none refutes the printed bound, with the number of
deployments that are left.

{table}

Refuted or withdrawn, but wrong at no ordinary deployment that was tried: {left}.
"""


def main(workers: int | None = None) -> None:
    """Print the findings, by so many processes; by default one a processor."""
    names = [bound.claim for bound in falling()]
    limits = Limits(seconds=_LONG, memory=MAX_MEMORY)
    entries = side_by_side(mend, names, workers=workers, name=str, limits=limits)
    print(json.dumps(dict(zip(names, entries, strict=True)), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
