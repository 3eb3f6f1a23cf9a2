"""A claim as a theorem of Coq: its domain and its relations, exported from its own form.

What is proved by hand in ``proofs_check/coq`` is compared with this text, so that a theorem that
says less, or something else, is not a proof of the claim.

Definitions: :func:`coq_statement`, :func:`coq_definition`, :class:`CoqSides`, :func:`coq_sides`,
:func:`coq_term`, :func:`written_out`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.claims.claim import Quantifier, Statement
from exactdp.claims.domains import Domain
from exactdp.claims.forms import Relation
from exactdp.claims.general import proved_form
from exactdp.claims.kinds import Numbers, Sort, end_terms
from exactdp.claims.quantities import Notion
from exactdp.claims.terms import Term, parts_of_term, positive_part, term
from exactdp.coq.terms import bare
from exactdp.errors import DomainError

__all__ = [
    "CoqSides",
    "coq_definition",
    "coq_sides",
    "coq_statement",
    "coq_term",
    "relations_of",
    "written_out",
]

_SIGNS = {"<": "<", "<=": "<=", "=": "=", "!=": "<>", ">=": ">=", ">": ">"}
_APPLIED = {"exp": "exp", "log": "ln", "cos": "cos", "sqrt": "sqrt", "abs": "Rabs", "neg": "-"}
_APPLIED |= {"positive_part": "positive_part", "normal_cdf": "normal_cdf"}
_BETWEEN = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_PAIRS = {"max": "Rmax", "min": "Rmin"}


def coq_statement(statement: Statement) -> str:
    """Return a universal statement as a theorem's binders and statement.

    Raises:
        DomainError: If it declares no domain, or a kind or term of it has no form in Coq.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> from exactdp.claims.kinds import integers, reals
        >>> over = cases(n=(1,), x=(2,)).within(n=integers(1), x=reals(above=1))
        >>> print(coq_statement(for_all(over, lambda n, x: at_most(n, n * x))))
        (n : nat) (x : R) : (1 <= n)%nat -> 1 < x -> INR n <= (INR n) * x
    """
    found = coq_sides(statement)
    claimed = " /\\ ".join(found.claimed)
    return f"{found.binders} : " + " -> ".join([*found.assumed, claimed])


def coq_definition(name: str, statement: Statement) -> str:
    """Return a universal statement as a proposition of Coq, which nothing proves.

    Args:
        name: What it is called, after the claim's id.
        statement: The claim.

    Raises:
        DomainError: If its formula computes with numbers, or a part of it has no form in Coq.

    Example:
        >>> from exactdp.claims import at_most, cases, for_all
        >>> from exactdp.claims.kinds import reals
        >>> over = cases(x=(2,)).within(x=reals(1))
        >>> print(coq_definition("a.b", for_all(over, lambda x: at_most(x, x * x))))
        Definition a_b : Prop :=
          forall (x : R),
          1 <= x -> x <= x * x.
    """
    form = statement.form
    if statement.domain is not None and form is not None and form.said() is None:
        raise DomainError(
            "its formula computes with the numbers of an instance. Write it with quantities."
        )
    sides = coq_sides(statement)
    binders = re.sub(r"\{(\w+)( : Type)?\}", r"(\1 : Type)", sides.binders)
    said = " -> ".join([*sides.assumed, " /\\ ".join(sides.claimed)])
    made = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"Definition {made} : Prop :=\n  forall {binders},\n  {said}."


@dataclass(frozen=True, slots=True)
class CoqSides:
    """A statement in Coq, in parts.

    Attributes:
        binders: The variables with their types.
        assumed: The hypotheses.
        claimed: The relations of the conclusion.
        sides: Both sides of each relation, those of the domain's conditions first.
        terms: Both sides of each relation, as terms of the claim.
        notions: The quantities of each relation.
        inner: The quantities that are arguments of others, what they rest on first.
    """

    binders: str
    assumed: tuple[str, ...]
    claimed: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    terms: tuple[tuple[Term, Term], ...]
    notions: tuple[frozenset[Notion], ...]
    inner: tuple[str, ...]


def coq_sides(statement: Statement) -> CoqSides:
    """Return a universal statement as the parts of :func:`coq_statement`.

    Raises:
        DomainError: As there.
    """
    domain = statement.domain
    if domain is None or statement.says is None or statement.quantifier is not Quantifier.ALL:
        raise DomainError(
            "a statement in Coq is of a claim with a domain (`within`) and a formula."
        )
    if isinstance(found := proved_form(statement), str):
        raise DomainError(f"a statement in Coq is of relations, and {found}. Write them.")
    said = found.relations
    form, given = _Form(domain), domain.hypotheses()
    both = [*given, *said]
    return CoqSides(
        form.binders(),
        (*form.ranges(), *map(form.relation, given)),
        tuple(map(form.relation, said)),
        tuple((bare(form.real(r.left)), bare(form.real(r.right))) for r in both),
        tuple((r.left, r.right) for r in both),
        tuple(frozenset(t.parts[0] for t in _quantities(r)) for r in both),
        tuple(
            dict.fromkeys(form.real(x) for r in both for t in _quantities(r) for x in _arguments(t))
        ),
    )


def coq_term(domain: Domain, t: Term) -> str:
    """Return a term over a domain's variables as a real number of Coq."""
    return bare(_Form(domain).real(t))


def relations_of(said: Any) -> list[Relation]:
    """Return the relations that a formula says."""
    return [said] if isinstance(said, Relation) else list(getattr(said, "relations", said))


def _quantities(r: Relation) -> list[Term]:
    """Return the quantities of a relation, each after those it rests on."""
    return [t for t in parts_of_term((r.left, r.right)) if t.head == "quantity"]


def _arguments(whole: Term) -> list[Term]:
    """Return the quantities in the arguments of a quantity, each after those it rests on."""
    return [t for t in parts_of_term(whole.parts[1:]) if t.head == "quantity"]


def written_out(divergence: Term) -> Term:
    """Return a divergence of laws with listed masses as the sum of positive parts that it is.

    Raises:
        DomainError: If its pair lists no masses.
    """
    pair, *factor = divergence.parts
    while pair.head == "named":
        pair = pair.parts[1]
    if pair.head != "finite_pair":
        raise DomainError(f"the divergence of a {pair.head} has no form in Coq here.")
    reached = [p - (factor[0] * q if factor else q) for p, q in zip(*pair.parts, strict=True)]
    return Term("add", *(positive_part(x) for x in reached))


class _Form:
    """The writer of a domain's variables, and of terms over them."""

    def __init__(self, domain: Domain) -> None:
        self.kinds = domain.kinds

    def binders(self) -> str:
        """Return the variables with their types, after the variables of the types."""
        first = dict.fromkeys(x for kind in self.kinds.values() if (x := _coq(kind)[2]))
        return " ".join([*first, *(f"({x} : {_coq(k)[0]})" for x, k in self.kinds.items())])

    def ranges(self) -> list[str]:
        """Return the condition on each variable."""
        found = []
        for name, kind in self.kinds.items():
            if not isinstance(kind, Numbers):
                found += [_coq(kind)[1].format(name)] if _coq(kind)[1] else []
                continue
            signs = [" < " if is_open else " <= " for is_open in kind.is_open]
            least, most = end_terms(kind)
            if kind.whole and not (least is not None and self._is_never_negative(least)):
                raise DomainError(
                    f"{name} may be a negative integer, and is a natural number in Coq. "
                    "Give it a least value of at least 0, or a real variable."
                )
            x = Term("variable", name)
            ends = ([] if least is None else [(least, signs[0], x)]) + (
                [] if most is None else [(x, signs[1], most)]
            )
            for a, sign, b in ends:
                if kind.whole and a.head == "number" and a.parts[0] == 0:
                    continue  # so is every natural number
                is_whole = kind.whole and self.is_natural(a) and self.is_natural(b)
                write = self.natural if is_whole else self.real
                text = f"{write(a)}{sign}{write(b)}"
                found.append(f"({text})%nat" if is_whole else text)
        return found

    def relation(self, r: Relation) -> str:
        """Return a relation between real numbers."""
        return f"{bare(self.real(r.left))} {_SIGNS[r.sign]} {bare(self.real(r.right))}"

    def inner(self, t: Term) -> str:
        """Return a term as a real number inside of another."""
        text = self.real(t)
        return text if " " not in text or _is_closed(text) else f"({text})"

    def real(self, t: Term) -> str:
        """Return a term as a real number."""
        match t.head, t.parts:
            case "number", (x,) if x.is_rational:
                value = x.as_fraction()
                top = str(value.numerator) if value >= 0 else f"(- {-value.numerator})"
                return top if value.denominator == 1 else f"{top} / {value.denominator}"
            case "variable", (name,):
                return f"INR {name}" if self._is_whole(name) else name
            case "named", (_, inner):
                return self.real(inner)
            case "pow", (base, exponent) if exponent.head == "number":
                return f"{self.inner(base)} ^ {self.natural(exponent)}"
            case "pow", (base, Term(head="variable", parts=(name,))) if self._is_whole(name):
                return f"{self.inner(base)} ^ {name}"
            case ("add" | "sub" | "mul" | "div") as head, parts:
                return f" {_BETWEEN[head]} ".join(self.inner(x) for x in parts)
            case head, parts if head in _PAIRS:
                return _folded(_PAIRS[head], [self.inner(x) for x in parts])
            case head, (x,) if head in _APPLIED:
                return f"{_APPLIED[head]} {self.inner(x)}"
            case (("hockey_stick" | "total_variation"), _):
                return self.real(written_out(t))
            case "quantity", (Notion() as found, *arguments):
                return str(found.coq.format(*(_Argument(self, x) for x in arguments)))
        raise DomainError(f"{t.head} has no form in Coq here. Make a quantity of it.")

    def is_natural(self, t: Term) -> bool:
        """Return whether a term is written with operations of natural numbers alone."""
        match t.head, t.parts:
            case "number", (x,):
                return bool(x.is_rational and x.as_fraction().denominator == 1 and x >= 0)
            case "variable", (str(name),):
                return self._is_whole(name)
        return t.head in ("add", "sub", "mul") and all(map(self.is_natural, t.parts))

    def natural(self, t: Term) -> str:
        """Return a term as a natural number."""
        match t.head, t.parts:
            case "number", (x,) if x.is_rational and x.as_fraction().denominator == 1:
                return str(x.as_fraction())
            case "variable", (str(name),):
                return name
            case ("add" | "sub" | "mul") as head, parts:
                return "(" + f" {_BETWEEN[head]} ".join(map(self.natural, parts)) + ")"
        raise DomainError(f"{t.head} is not a natural number in Coq.")

    def _is_never_negative(self, t: Term) -> bool:
        """Return whether a term has no difference, and its variables are at least 0."""
        match t.head, t.parts:
            case "number", (x,):
                return bool(x >= 0)
            case "variable", (str(name),):
                kind = self.kinds[name]
                least = end_terms(kind)[0] if isinstance(kind, Numbers) else None
                return least is not None and self._is_never_negative(least)
        known = t.head in ("add", "mul", "div", "pow", "exp", "max")
        return known and all(map(self._is_never_negative, t.parts))

    def _is_whole(self, name: str) -> bool:
        kind = self.kinds.get(name)
        if isinstance(kind, Numbers) or kind is None:
            return kind is not None and kind.whole
        return kind.coq is not None and kind.coq[0] == "nat"


class _Argument:
    """An argument of a quantity, as its expression asks for it."""

    def __init__(self, form: _Form, value: Any) -> None:
        self.form, self.value = form, value

    def __format__(self, spec: str) -> str:
        part = self.value if isinstance(self.value, Term) else term(self.value)
        if part.head == "variable" and not isinstance(self.form.kinds[part.parts[0]], Numbers):
            return str(part.parts[0])
        return self.form.natural(part) if spec == "nat" else self.form.inner(part)


def _coq(kind: Sort) -> tuple[str, str, str]:
    """Return the type of a kind, its assumptions, and the variables of its type."""
    if isinstance(kind, Numbers):
        return ("nat" if kind.whole else "R"), "", ""
    if kind.coq is None:
        raise DomainError(f"{kind.what} has no type in Coq. Give the kind one.")
    return kind.coq


def _is_closed(text: str) -> bool:
    """Return whether brackets stand around the whole of a text."""
    return text[0] == "(" and bare(text) != text


def _folded(name: str, parts: Sequence[str]) -> str:
    *first, last = parts
    for part in reversed(first):
        last = f"{name} {part} ({last})" if " " in last else f"{name} {part} {last}"
    return last
