"""A card with the laws of its steps, for the checker that is proved in Coq.

That checker composes laws and bounds the divergence; it knows no noise. So each step is given as
masses on a lattice, which the kernel makes, with all that is known of the step: a finite pair, a
promise, or that no divergence is above the masses' curve, which is left to believe, and printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from exactdp.errors import DomainError
from proofs_check.kernel import cards

__all__ = ["FORMAT", "with_laws"]

FORMAT = "exactdp-card-laws/1"

_MORE_BITS = 96
"""The bits of ratios beyond those of masses; a nat of a window takes three more."""

_FEW = 23
"""What leaves a window is at most delta / 2**23 a doubling, as in the kernel."""

_JOINED = ("gaussian", "zcdp")
"""The mechanisms whose unsampled parts are one pair."""

_ASSUMED = {"kind": "assumed"}

Part = Mapping[str, Any]


def with_laws(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a card that says "private" with the laws of its steps.

    Args:
        content: The keys of a card that the kernel accepts.

    Raises:
        DomainError: If the card says "not private", or has no delta.

    Example:
        >>> pair = {"mechanism": "pair", "p": ["3/4", "1/4"], "q": ["1/4", "3/4"]}
        >>> content = {"format": "exactdp-card/1", "says": "private", "epsilon": "2",
        ...     "delta": "0.5", "neighbors": "replace",
        ...     "parts": [{**pair, "times": 2, "from": -9, "to": 9}],
        ...     "grid": {"step": "1/4", "bits": 64, "points": 100}}
        >>> made = with_laws(content)
        >>> made["steps"][0]["times"], made["steps"][0]["step"]["p"]
        ('0x2', ['0x3/0x4', '0x1/0x4'])
    """
    grid, delta = content["grid"], cards.rational(content["delta"], "delta")
    if content["says"] != "private" or not delta:
        raise DomainError(
            'the proved checker takes cards that say "private" with a delta above 0, and no others.'
        )
    width, total = cards.rational(grid["step"], "step"), sum(x["times"] for x in content["parts"])
    far = int(width * max(max(-x["from"], x["to"]) for x in content["parts"]))
    doublings = total.bit_length() + len(content["parts"])
    return {
        "format": FORMAT,
        "epsilon": _hexadecimal(cards.rational(content["epsilon"], "epsilon")),
        "delta": _hexadecimal(delta),
        "width": _hexadecimal(width),
        "bits": grid["bits"],
        "fine": grid["bits"] + _MORE_BITS + 3 * far,
        "cut": hex(int(delta * 2 ** grid["bits"]) // (doublings << _FEW)),
        # Its laws of single steps are longer than the kernel's, which cuts more of them off.
        "points": 2 * grid["points"],
        "steps": [
            _step(content, parts, times, delta / total) for parts, times in _steps(content["parts"])
        ],
    }


def _steps(parts: list[Part]) -> Iterator[tuple[list[Part], int]]:
    """Yield the parts that are one step, and how often: noise whose squares add up is one pair."""
    joined: dict[str, list[Part]] = {kind: [] for kind in _JOINED}
    for part in parts:
        if part["mechanism"] in _JOINED and _share(part) == 1 and part.get("one_of", 1) == 1:
            joined[part["mechanism"]].append(part)
        else:
            yield [{**part, "times": 1}], part["times"]
    yield from ((alike, 1) for alike in joined.values() if alike)


def _share(part: Part) -> Fraction:
    return min(cards.rational(part.get(key, "1"), key) for key in cards.SHARES)


def _step(
    content: Mapping[str, Any], parts: list[Part], times: int, delta: Fraction
) -> dict[str, Any]:
    alone = {**content, "parts": parts, "delta": _short(delta)}
    group = content.get("group", 1)
    known = _known(parts[0]) if group == 1 else _ASSUMED
    laws = [
        {
            "order": order,
            "first": law.first,
            "masses": [hex(m) for m in law.masses],
            # A unit more, as the proved checker knows ratios by intervals of its own.
            "infinite": hex(law.infinite + (known["kind"] != "assumed")),
        }
        for order, law in cards.Card(alone, _unlimited).laws().items()
    ]
    name = _label(parts) + (f" and groups of {group}" if group > 1 else "")
    return {"name": name, "times": hex(times), "step": known, "laws": laws}


def _unlimited(steps: int) -> None:
    """Let the kernel work as long as it takes: it accepted the card, which is more work."""


def _known(part: Part) -> Mapping[str, Any]:
    """Return the finite law of a step, or the promise about it; else that points are assumed."""
    kind, s = part["mechanism"], _share(part)
    if kind == "pair" and "batch_fraction" not in part:
        p, q = ([cards.rational(x, "a mass") for x in part[key]] for key in ("p", "q"))
        mixed = [s * x + (1 - s) * y for x, y in zip(p, q, strict=True)]
        return {"kind": "pair", "p": [*map(_hexadecimal, mixed)], "q": [*map(_hexadecimal, q)]}
    if s == 1 and kind == "randomized_response":
        epsilon = _hexadecimal(cards.rational(part["epsilon"], "epsilon"))
        return {"kind": kind, "epsilon": epsilon, "k": hex(part["k"])}
    if s == 1 and kind == "guarantee":
        return {"kind": kind} | {
            key: _hexadecimal(cards.rational(part[key], key)) for key in ("epsilon", "delta")
        }
    return _ASSUMED


def _label(parts: list[Part]) -> str:
    """Return the card's name of a step, with its parameters."""
    hidden, shown = set(cards.WINDOW) - {"times"}, list[str]()
    for part in parts:
        inside = ", ".join(f"{x} = {y}" for x, y in part.items() if x not in hidden and y != 1)
        shown.append(f"{part['mechanism']}({inside})"[:200])
    return " and ".join(shown)[:400]


def _short(x: Fraction) -> str:
    """Return a number of one digit that is not above x, as the keys of a card are short."""
    power = len(str(x.denominator // x.numerator))
    return f"{max(1, int(x * 10**power))}e-{power}" if x < 1 else "1"


def _hexadecimal(x: Fraction) -> str:
    sign = "-" if x < 0 else ""
    bottom = "" if x.denominator == 1 else f"/{hex(x.denominator)}"
    return f"{sign}{hex(abs(x.numerator))}{bottom}"
