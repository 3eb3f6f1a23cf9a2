"""Fixtures of published bounds: arguments, safe doubles and truth, in any language.

A bound at arguments gives two cases: the formula, between the doubles around it, and the truth,
between the doubles around its ends.

Definitions: :func:`ordinary`, :func:`written`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.bounds.answers import Answer
from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.deployments import deployments
from exactdp.errors import ExactDPError, ParseError
from exactdp.numbers import Exact, float_above, float_below
from exactdp.numbers.real_functions import nearest_float
from exactdp.problems.sources import LANGUAGES, source_of_cases

__all__ = ["FIXTURES_FORMAT", "STYLES", "ordinary", "written"]

FIXTURES_FORMAT = "exactdp-bound-fixtures/1"
"""The name of the JSON document's format, with the version of its keys."""

STYLES = ("json", "jsonl", *LANGUAGES)

_DRAWN = 60
"""Deployments that are drawn for one bound; those that are kept are spread over them."""


def ordinary(bound: PublishedBound, *, count: int = 4) -> list[Answer]:
    """Return a bound at deployments spread over its domain, those that can be answered.

    The same at each call.
    """
    from hypothesis import HealthCheck, Phase, given, settings

    seen: dict[str, dict[str, Any]] = {}

    @settings(
        max_examples=_DRAWN,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(deployments(bound))
    def drawn(at: dict[str, Any]) -> None:
        seen.setdefault(str(at), at)

    drawn()
    found: list[Answer] = []
    chosen = list(seen.values())
    for at in chosen[:: max(1, len(chosen) // (2 * count))]:
        if len(found) == count:
            break
        try:
            answer = bound(**at)
        except ExactDPError:
            continue
        if answer.formula is not None and answer.truth is not None:
            found.append(answer)
    return found


def written(answers: Sequence[Answer], style: str) -> str:
    """Return answers as a file of fixtures.

    Args:
        answers: Each with a formula and a truth.
        style: One of :data:`STYLES`.

    Raises:
        ParseError: If the style is unknown.
    """
    if style not in STYLES:
        raise ParseError(f"--fixtures={style!r} is unknown. Give one of {', '.join(STYLES)}.")
    if style == "json":
        document = {"format": FIXTURES_FORMAT, "bounds": [one.document() for one in answers]}
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return source_of_cases([case for one in answers for case in _cases(one)], language=style)


def _cases(answer: Answer) -> list[dict[str, Any]]:
    bound, truth = answer.bound, answer.truth
    assert truth is not None
    assert answer.formula is not None
    doubles = {name: nearest_float(Exact(value)) for name, value in answer.arguments.items()}
    is_exact = all(Fraction(doubles[name]) == value for name, value in answer.arguments.items())
    common = {
        "name": bound.claim,
        "problem": json.dumps({"bound": bound.claim, "bounds": bound.bounds}),
        "direction": bound.side.value,
        "numbers": doubles,
        "is_exact": is_exact,
    }
    return [
        common
        | {
            "ask": "formula",
            "below": float_below(answer.formula),
            "above": float_above(answer.formula),
        },
        common
        | {"ask": "truth", "below": float_below(truth.lower), "above": float_above(truth.upper)},
    ]
