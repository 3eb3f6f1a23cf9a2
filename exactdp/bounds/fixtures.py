"""Fixtures of published bounds: arguments, safe doubles and truth, in any language.

A bound at arguments gives two cases: the formula, between the doubles around it, and the truth,
between the doubles around its ends.

Definitions: :func:`ordinary`, :func:`asked_again`, :func:`written`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactdp.bounds.answers import BoundAnswer
from exactdp.bounds.bound import PublishedBound
from exactdp.bounds.deployments import drawn_alike
from exactdp.bounds.papers import published
from exactdp.errors import ExactDPError, ParseError
from exactdp.numbers import Exact, float_above, float_below
from exactdp.numbers.real_functions import nearest_float
from exactdp.problems.sources import LANGUAGES, source_of_cases
from exactdp.testing.deciding import within_budget

__all__ = ["FIXTURES_FORMAT", "STYLES", "asked_again", "ordinary", "written"]

FIXTURES_FORMAT = "exactdp-bound-fixtures/1"
"""The name of the JSON document's format, with the version of its keys."""

STYLES = ("json", "jsonl", *LANGUAGES)

_DRAWN = 60
"""Deployments that are drawn for one bound; those that are kept are spread over them."""

_SECONDS = 2.0
"""Work: a deployment that takes more is passed over, as who asks it again should not wait."""


def ordinary(bound: PublishedBound, *, count: int = 4) -> list[BoundAnswer]:
    """Return a bound at deployments spread over its domain, those that are answered soon.

    The same at each call, on every machine.
    """
    found: list[BoundAnswer] = []
    chosen = list({str(at): at for at in drawn_alike(bound, _DRAWN)}.values())
    step = max(1, len(chosen) // (2 * count))
    for start in range(step):  # others, if none of these is answered
        for at in chosen[start::step]:
            if len(found) == count:
                break
            try:
                with within_budget(_SECONDS):
                    answer = bound(**at)
            except ExactDPError:
                continue
            if answer.formula is not None and answer.truth is not None:
                found.append(answer)
        if found:
            break
    return found


def asked_again(content: bytes) -> list[BoundAnswer]:
    """Return the answers of a JSON document of fixtures, asked again at its arguments.

    Raises:
        ParseError: If it is none.
        DomainError: If a bound is unknown, or is not asked so.
    """
    try:
        document = json.loads(content)
        if document["format"] != FIXTURES_FORMAT:
            raise ValueError(f"format {document['format']!r}")
        asked = [(str(one["claim"]), dict(one["arguments"])) for one in document["bounds"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ParseError(
            f"--at: not a file of fixtures of bounds ({error}). Make one with --fixtures json."
        ) from None
    return [published(name)(**arguments) for name, arguments in asked]


def written(answers: Sequence[BoundAnswer], style: str) -> str:
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


def _cases(answer: BoundAnswer) -> list[dict[str, Any]]:
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
