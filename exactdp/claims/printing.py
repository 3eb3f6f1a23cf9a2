"""Terms, relations and values as people write them: the one printer of formulas.

``e^(ε/2)``, ``F_p(1)``, ``Σ_{i=1}^{n} i^2``: text that a terminal shows, with sub- and superscripts
that a page can set. Numbers are exact; what changes nothing (``+ 0``, ``·1``, ``/1``, ``^1``) is
not written. Named terms are their names, and :func:`where` says what these are. The kernel prints
its statements by code of its own.

Definitions: :func:`shown`, :func:`shown_value`, :func:`variable`, :func:`where`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from exactdp.claims.terms import Term, parts_of_term
from exactdp.claims.verdicts import Plain
from exactdp.numbers import Exact

__all__ = ["SIGNS", "shown", "shown_value", "variable", "where"]

SIGNS = {"<": "<", "<=": "≤", "=": "=", "!=": "≠", ">=": "≥", ">": ">"}

_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "Delta": "Δ", "epsilon": "ε"}
_GREEK |= {"eps": "ε", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "sigma": "σ"}
_MARKS = {"prime": "′", "star": "*"}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # what binds more tightly has the larger number
_CALLS = {"log": "ln", "sqrt": "√", "normal_cdf": "Φ", "binomial": "C", "total_variation": "TV"}


def variable(name: str) -> str:
    """Return the name of a variable: Greek letters, e to the epsilon, primes and indices.

    Example:
        >>> [variable(name) for name in ("n", "exp_epsilon0", "next_n", "mu_prime_0", "others")]
        ['n', 'e^(ε_0)', 'n′', 'μ′_0', 'others']
    """
    if name.startswith("next_"):
        return f"{variable(name[5:])}′"
    if name.startswith("exp_half_"):
        return f"e^({variable(name[9:])}/2)"
    if name.startswith("exp_"):
        return _power("e", variable(name[4:]))
    word, _, index = name.partition("_")
    mark, _, more = index.partition("_")
    if mark in _MARKS:
        return variable(word) + _MARKS[mark] + (f"_{more}" if more else "")
    letter = word.rstrip("0123456789")
    if letter != word and not index:
        word, index = letter, word[len(letter) :]
    return _GREEK.get(word, word) + (f"_{index}" if index else "")


def shown(part: Term) -> str:
    """Return a term in ordinary notation.

    Example:
        >>> from exactdp.claims import finite_pair, hockey_stick, mass, named, sum_over
        >>> F = named("F", finite_pair(["3/4", "1/4"], ["1/4", "3/4"]))
        >>> shown(hockey_stick(F, 2) - mass(F, "p", 1) / 2)
        'D_{2}(F) − F_p(1)/2'
        >>> shown(sum_over("i", 1, 4, lambda i: (1 - i) ** 2))
        'Σ_{i=1}^{4} (1 − i)^2'
    """
    return _printed(part)[0]


def where(terms: Sequence[Term]) -> list[tuple[str, str]]:
    """Return the definitions of the named terms in these, inner ones first: (name, term).

    Example:
        >>> from exactdp.claims.terms import named, term
        >>> where([named("x", term("1/3")) + 1])
        [('x', '1/3')]
    """
    named = (part for one in terms for part in parts_of_term(one) if part.head == "named")
    return list({part.parts[0]: shown(part.parts[1]) for part in named}.items())


def shown_value(value: Plain) -> str:
    """Return a value of a witness, as :class:`~exactdp.claims.verdicts.Instance` keeps it.

    Example:
        >>> shown_value([[1, "1/2"], {"a": None}])
        '((1, 1/2), {a: None})'
    """
    match value:
        case list():
            inner = ", ".join(map(shown_value, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case dict():
            return "{" + ", ".join(f"{k}: {shown_value(v)}" for k, v in value.items()) + "}"
    return str(value)


def _printed(t: Term) -> tuple[str, int]:
    """Return a term with how tightly it binds."""
    match t.head, t.parts:
        case "number", (number,):
            return _number(number)
        case "variable" | "named", (str(name), *_):
            found = variable(name) if t.head == "variable" else name
            return found, _POWER if "^" in found else _ATOM
        case "add", terms:
            while terms[0].head == "add":  # a sum of sums is as deep as it is long
                terms = (*terms[0].parts, *terms[1:])
            first, *others = _without(0, terms)
            text = "".join([_in(first, _SUM), *map(_added, others)])
            return (text, _SUM) if others else _printed(first)
        case "sub", (x, y):
            return f"{_in(x, _SUM)} − {_in(y, _PRODUCT)}", _SUM
        case "neg", (x,):
            return f"−{_in(x, _PRODUCT)}", _SUM
        case "mul", factors:
            first, *others = _without(1, factors)
            text = "·".join(_in(x, _PRODUCT) for x in (first, *others))
            return (text, _PRODUCT) if others else _printed(first)
        case "div" | "pow", (x, y) if _is(1, y):
            return _printed(x)
        case "div", (x, y):
            top = shown(x) if x.head == "neg" else _in(x, _PRODUCT)
            return f"{top}/{_in(y, _POWER)}", _SUM if top[0] == "−" else _PRODUCT
        case "pow", (x, y):
            return _power(_in(x, _ATOM), shown(y)), _POWER
        case "exp", (x,):
            return _power("e", shown(x)), _POWER
        case "sum", (name, first, last, body):
            ends = f"Σ_{{{variable(name)}={shown(first)}}}^{{{shown(last)}}}"
            return f"{ends} {_in(body, _PRODUCT)}", _SUM
        case "when", (sign, left, right, then, otherwise):
            case = f"{shown(left)} {SIGNS[sign]} {shown(right)}"
            return f"({shown(then)} if {case} else {shown(otherwise)})", _ATOM
        case "pi", ():
            return "π", _ATOM
        case "abs", (x,):
            return f"|{shown(x)}|", _ATOM
        case "positive_part", (x,):
            return f"max(0, {shown(x)})", _ATOM
        case "hockey_stick", (pair, factor):
            return f"D_{{{shown(factor)}}}({shown(pair)})", _ATOM
        case "mass" | "event", (pair, side, outcomes):
            at = _outcome(outcomes).removeprefix("(").removesuffix(")")
            at = f"{{{at}}}" if t.head == "event" else at
            return f"{_in(pair, _ATOM)}_{side}({at})", _ATOM
        case "matrix", (rows,):
            return f"[{', '.join(map(_law, rows))}]", _ATOM
        case "finite_pair", (p, q):
            return f"{_law(p)} ‖ {_law(q)}", _SUM
        case "shuffle", parts:
            return _view(*parts), _SUM
        case "entry", (rows, i, j):
            return f"{_in(rows, _ATOM)}[{shown(i)}, {shown(j)}]", _ATOM
        case "quantity", (notion, *arguments):
            given = (shown(x) if isinstance(x, Term) else str(x) for x in arguments)
            return f"{notion.name}({', '.join(given)})", _ATOM
        case head, parts:
            return f"{_CALLS.get(head, head)}({', '.join(map(shown, parts))})", _ATOM


def _in(part: Term, binding: int) -> str:
    """Return a term inside of another, in brackets where it binds less tightly."""
    text, own = _printed(part)
    return text if own >= binding else f"({text})"


def _is(number: int, part: Term) -> bool:
    return part.head == "number" and bool(part.parts[0] == Exact(number))


def _without(number: int, parts: Sequence[Term]) -> list[Term]:
    """Return the parts that are not the number, which changes nothing; one of them, if all are."""
    return [part for part in parts if not _is(number, part)] or list(parts[:1])


def _added(part: Term) -> str:
    text = _in(part, _SUM)
    return f" − {text[1:]}" if text[0] == "−" else f" + {text}"


def _power(base: str, exponent: str) -> str:
    return f"{base}^{exponent}" if exponent.isalnum() else f"{base}^({exponent})"


def _number(number: Exact) -> tuple[str, int]:
    text = number.expression().replace("-", "−")
    if text.isdigit():
        return text, _ATOM
    if "−" in text or "+" in text:
        return text, _SUM
    return text, _PRODUCT if "/" in text.partition("^")[0] else _POWER if "^" in text else _PRODUCT


def _outcome(outcome: object) -> str:
    """Return an outcome, or several: an index or counts, which a variable may stand for."""
    if isinstance(outcome, tuple):
        return f"({', '.join(map(_outcome, outcome))})"
    return shown(outcome) if isinstance(outcome, Term) else str(outcome)


def _law(masses: Sequence[Term]) -> str:
    return f"({', '.join(map(shown, masses))})"


def _view(rows: Any, victim: Any, others: Any, merge: Any) -> str:
    """Return a shuffled view: who shuffles, the victim's two inputs, the others by input."""
    (who, inputs), known = victim, {name: shown(m) for name, m in rows}
    unnamed = {
        name: text
        for (name, m), text in zip(rows, known.values(), strict=True)
        if m.head == "matrix"
    }
    known |= {name: name for name in unnamed}
    users = [f"{known[who]}({inputs[0]}) ‖ {known[who]}({inputs[1]})"]
    users += [f"{count} × {known[name]}({x})" for name, x, count in others]
    users += [f"messages {merge} merged"] if merge is not None else []
    return f"shuffle({', '.join([*users, *(f'{x} = {text}' for x, text in unnamed.items())])})"
