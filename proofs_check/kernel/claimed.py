"""The rule ``claim``: relations hold on a region, each for its reason.

What it prints may be a claim word for word: the ranges of its variables, what is given, and its
relation. FORMAT.md states the reasons; regions.py reads terms on the region.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack

from . import text
from .identity import Function
from .proofs import box_of, for_all, scope, shown_on
from .regions import PIECES, Fact, Ranges, Region
from .results import RefusedError, require
from .signs import denominators, opposite
from .terms import Evaluator
from .text import Json

TURNED = {"<": ">", "<=": ">="}


def claim(k: Evaluator, variables: Json, given: Json, relations: Json, reasons: Json) -> str:
    """For all variables in their ranges that meet the hypotheses, relations hold."""
    require(isinstance(given, list), "given must be a list")
    wanted, hows = text.items(relations, "relations"), text.items(reasons, "reasons")
    require(len(wanted) == len(hows), "there must be one reason for each relation")
    region, ranges = Region(k, Ranges(), []), list[str]()
    with ExitStack() as stack:
        for entry in text.items(variables, "variables"):
            name, *ends = text.items(entry, "a variable with its range", count=3)
            ranges.append(region.add(text.name(name), *ends))
            stack.enter_context(scope(k, [name]))
        differences = [_difference(k, relation) for relation in (*given, *wanted)]
        printed = [end for _, *ends in region.ranges.box for end in ends]
        printed += [side for relation in (*given, *wanted) for side in relation[1:]]
        for part in denominators(*printed):
            written = json.dumps(part)
            k.spend(len(written) // 9)
            region.ranges.apart.add(written)
        of = region.of
        facts = [(*x, of(x[1]) if _is_plain(x[1]) else None) for x in differences[: len(given)]]
        region = Region(k, region.ranges, facts)
        for i, ((sign, term), how) in enumerate(zip(differences[len(given) :], hows, strict=True)):
            left, right = map(text.shown, relations[i][1:])
            require(left != right, f"relation {i}: a term is compared with itself")
            try:
                _decide(region, sign, term, how)
            except RefusedError as error:
                raise RefusedError(f"relation {i}: {error}") from error
    shown = [[text.shortened(text.shown(x)[1:-1]) for x in some] for some in (given, wanted)]
    then = f"if {' and '.join(shown[0])} then " if given else ""
    return f"{for_all(ranges, '', *printed)}: {then}{' and '.join(shown[1])}"


def _difference(k: Evaluator, relation: Json) -> tuple[str, Json]:
    """Return a relation as a sign, =, >= or >, and the term that has it to 0."""
    k.relation(relation)
    sign, left, right = relation
    require(sign != "!=", "a relation here is =, <, <=, > or >=")
    return TURNED.get(sign, sign), ["sub", *((right, left) if sign in TURNED else (left, right))]


def _is_plain(term: Json) -> bool:
    """Return whether a term is rational as it is written."""
    if not isinstance(term, list):
        return True
    return term[0] not in PIECES and all(map(_is_plain, term[1:]))


def _decide(region: Region, sign: str, term: Json, how: Json) -> None:
    """Refuse ``term sign 0`` if its reason does not show it."""
    k, ranges = region.k, region.ranges
    k.spend(100)
    head = how[0] if isinstance(how, list) and how else how
    if how == "coefficients":
        _decide_sum(region, sign, region.of(term), [])
    elif head == "sum":
        parts = text.items(text.items(how, "a sum", count=2)[1], "sum")
        _decide_sum(region, sign, region.of(term), parts)
    elif head == "cases":
        require(len(how) in (4, 5), "cases: a term, and two or three reasons")
        x, less = region.defined(how[1]), ["neg", how[1]]
        cases: list[Fact] = [(">=", how[1], x), (">=", less, opposite(x))]
        if len(how) == 5:
            cases = [(">", how[1], x), ("=", how[1], x), (">", less, opposite(x))]
        for fact, reason in zip(cases, how[2:], strict=True):
            _decide(Region(k, ranges, [*region.facts, fact]), sign, term, reason)
    else:
        require(sign == ">=", lambda: f"{text.quoted(head)} does not show {sign}")
        shown_on(k, term, box_of(k, ranges.box), how)


def _decide_sum(region: Region, sign: str, rest: Function, parts: Sequence[Json]) -> None:
    """Take away multipliers times hypotheses: the rest must be shown by itself."""
    strict = False
    for i, pair in enumerate(parts):
        multiplier, number = text.items(pair, "a product", count=2)
        good = type(number) is int and 0 <= number < len(region.facts)
        require(good, f"product {i}: there is no such hypothesis")
        given, term, function = region.facts[number]
        weight = region.defined(multiplier)
        require(given == "=" or sign != "=", f"product {i}: only = gives =")
        good = given == "=" or region.shows(">=", weight)
        require(good, f"product {i}: the multiplier is not shown to be >= 0")
        strict = strict or (given == ">" and region.shows(">", weight))
        product = region.multiplied(weight, function or region.of(term))
        rest = region.plus(rest, opposite(product))
    good = region.shows(">=" if strict else sign, rest)
    require(good, "the two sides differ" if sign == "=" else f"{sign} is not shown")
