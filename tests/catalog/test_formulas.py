"""The formulas that are printed are the claims': at an instance they are the same numbers."""

from collections import Counter
from fractions import Fraction

import pytest

from exactdp.claims import Effort, Open, Term, exact_value, papers, term
from exactdp.claims.calls import called
from exactdp.claims.general import _said, written_generally
from exactdp.claims.terms import parts_of_term
from exactdp.claims.values import evaluator
from exactdp.numbers import Epsilon, Exact
from exactdp.truth import Truth

PAPERS = papers()
FEW = 3
"""So many listed instances of a claim are compared."""


def put(part, values, known):
    """Return a term, or a tuple of terms, with numbers in place of variables."""
    if isinstance(part, tuple):
        return tuple(put(inner, values, known) for inner in part)
    if not isinstance(part, Term):
        return part
    if part.head == "variable" and part.parts[0] in values:
        return values[part.parts[0]]
    if part.head == "quantity":
        return term(asked(part, values, known))
    if id(part) not in known:  # a term may stand at many places
        parts = put(part.parts, values, known)
        if part.head in ("mass", "event"):
            parts = (*parts[:2], whole(parts[2]))
        known[id(part)] = Term(part.head, *parts)
    return known[id(part)]


def asked(part, values, known):
    """Return an argument of a quantity, or a quantity itself, at an instance."""
    if isinstance(part, tuple | list):
        return tuple(asked(inner, values, known) for inner in part)
    if not isinstance(part, Term):
        return part
    if part.head == "quantity":
        notion, *arguments = part.parts
        return notion(*(asked(x, values, known) for x in arguments))
    if part.head == "variable" and part.parts[0] in known["here"]:
        return known["here"][part.parts[0]]
    if part.head == "variable" and part.parts[0] not in values:
        raise ValueError("an index of a sum, of which a quantity is asked")
    filled = put(part, values, known)
    exact = exact_value(filled)
    names = {inner.parts[0] for inner in parts_of_term(part) if inner.head == "variable"}
    if all(type(known["here"].get(name)) is int for name in names) and exact == round(exact):
        return int(exact.as_fraction())  # a count of users less one, say
    return exact.as_fraction() if exact.is_rational else exact


def whole(outcome):
    """Return an outcome with integers where terms stand for them."""
    if isinstance(outcome, tuple):
        return tuple(map(whole, outcome))
    return int(exact_value(outcome).as_fraction()) if isinstance(outcome, Term) else outcome


def numbers_of(symbol, value):
    """Yield the variables in a symbol with the numbers in a value of the same shape."""
    if isinstance(symbol, tuple):
        for one, other in zip(symbol, value, strict=True):
            yield from numbers_of(one, other)
    elif not isinstance(value, int | Fraction | Exact | str | Epsilon):
        yield symbol.parts[0], value  # a law, say, of which a quantity is asked
    else:
        yield symbol.parts[0], term(value)


def _form(one):
    """Return a side as certificates have it; None for what is known between two numbers only."""
    is_enclosed = any(part.head == "enclosed" for part in parts_of_term((one,)))
    return None if is_enclosed else one.json


@pytest.mark.parametrize("key", PAPERS)
def test_with_the_values_of_an_instance_it_is_what_the_claim_says_there(key):
    tally = Counter()
    claims = [(c, k, s) for c in PAPERS[key].claims() for k, s in c.readings.items()]
    for claim, reading, statement in claims:
        found = None if isinstance(statement, Open) else written_generally(statement)
        if found is None:
            tally["no formula"] += 1
            continue
        general, opened, fixed = found
        for at, _ in zip(statement.instances(Effort.DEFAULT), range(FEW), strict=False):
            here = at.mapping()
            if any(here[name] != value for name, value in fixed.items()):
                continue
            try:
                values = dict(p for x, s in opened.items() for p in numbers_of(s, here[x]))
            except ValueError:  # of another shape
                continue
            said = _said(statement.says, here)
            if said is None:  # nothing is left to claim there
                assert called(statement.says, here).truth is Truth.TRUE, (claim.id, str(at))
                tally["vacuous"] += 1
                continue
            written, sides = general.relations, ("left", "right")
            if (
                len(said.relations) > len(written) == 1
            ):  # each protocol of a supremum: one right side
                assert written[0].left.head == "quantity", claim.id
                written, sides = written * len(said.relations), ("right",)
            evaluate, other, known = evaluator(), evaluator(), {"here": here}
            for one, two in zip(said.relations, written, strict=True):
                assert one.sign == two.sign, claim.id
                for side in sides:
                    try:
                        wanted, filled = getattr(one, side), put(getattr(two, side), values, known)
                    except ValueError:
                        continue
                    if _form(wanted) is None or _form(wanted) != _form(filled):
                        gap = evaluate(wanted) - other(filled)
                        assert gap.ball(64).contains(0), (claim.id, reading, str(at))
            tally["compared"] += 1
    assert tally["compared"] or tally["no formula"]
