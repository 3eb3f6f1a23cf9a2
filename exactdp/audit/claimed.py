"""Proofs whose last line is the claim: its own relations, on its own domain, by their coefficients.

Every variable becomes its least value plus t, or (least + most t)/(1 + t), for t >= 0; then a
rational function whose numerator and denominator have coefficients of one sign is at least 0. The
kernel decides the same by code of its own (rule ``claim`` of FORMAT.md).

Definitions: :func:`in_numbers`, :func:`by_sum`, :func:`by_cases`, :func:`by_signs`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from exactdp.claims.certificate import Rule
from exactdp.claims.claim import Statement
from exactdp.claims.domains import Domain
from exactdp.claims.forms import Relation
from exactdp.claims.general import proved_form
from exactdp.claims.kinds import Numbers, end_terms
from exactdp.claims.proofs import Ground, Proof, Step
from exactdp.claims.terms import Term, TermLike, term
from exactdp.errors import DomainError
from exactdp.numbers import fmpq_of

__all__ = ["Function", "OnRanges", "by_cases", "by_signs", "by_sum", "in_numbers"]

Reason = Any
"""How a relation is shown, as the kernel's rule has it: "coefficients", or a list."""


def in_numbers(*reasons: Reason, text: str = "the claim itself") -> Callable[[Statement], Proof]:
    """Return the proof of a statement about numbers: its relations, on its whole domain.

    Args:
        reasons: One for each relation, in order; "coefficients" for those that are not given.
        text: The step in words.

    Example:
        >>> from exactdp.claims import at_least, cases, for_all
        >>> from exactdp.claims.kinds import reals
        >>> squares = for_all(
        ...     cases(x=(1, 2)).within(x=reals(1)),
        ...     lambda x: at_least(x * x, x),
        ...     proof=in_numbers(),
        ... )
        >>> squares.proof.verdict("all x", squares).label
        'proved'
    """
    return lambda statement: Proof((Step(text, ground=InNumbers(statement, reasons)),))


@dataclass(frozen=True, eq=False, slots=True)
class InNumbers(Ground):
    """The claim's own relations on its own domain, by the kernel's rule ``claim``."""

    rests = "kernel"

    statement: Statement
    reasons: tuple[Reason, ...] = ()

    def refusal(self) -> str:
        """Return "" where the reasons show the relations."""
        shown = _holds(_rule(self.statement, self.reasons))
        return "" if shown else "its reasons do not show the relations"

    def rules(self) -> Sequence[Rule]:
        """Return the claim as the kernel's rule has it."""
        return [_rule(self.statement, self.reasons)]


def by_sum(*parts: tuple[TermLike | Callable[..., Any], int]) -> Reason:
    """Return the reason that the difference is at least a sum of multiples of hypotheses.

    A part is a multiplier and the number of a hypothesis of the domain (its conditions, then the
    cases that hold); the multiplier is a number, or a function of variables by their names.
    """
    return ["sum", [[_written(multiplier), i] for multiplier, i in parts]]


def by_cases(at: Callable[..., Any], above: Reason, below: Reason) -> Reason:
    """Return the reason by two cases: a term is at least 0, and at most 0."""
    return ["cases", _written(at), above, below]


def by_signs(at: Callable[..., Any], above: Reason, zero: Reason, below: Reason) -> Reason:
    """Return the reason by three cases: a term is above 0, is 0, and is below 0."""
    return ["cases", _written(at), above, zero, below]


def _written(part: Any) -> Term:
    if callable(part):
        from inspect import signature

        return term(part(*(Term("variable", name) for name in signature(part).parameters)))
    return term(part)


def _rule(statement: Statement, reasons: Sequence[Reason]) -> Rule:
    """Return the claim as the kernel's rule has it."""
    domain, said = _said(statement)
    variables = []
    for name, kind in domain.kinds.items():
        assert isinstance(kind, Numbers)
        least, most = end_terms(kind)
        signs = (">" if kind.is_open[0] else ">=", "<" if kind.is_open[1] else "<=")
        ends = [None if e is None else [s, e] for s, e in zip(signs, (least, most), strict=True)]
        variables.append([name, *ends])
    given = [[r.sign, r.left, r.right] for r in domain.hypotheses()]
    relations = [[r.sign, r.left, r.right] for r in said]
    how = [*reasons, *["coefficients"] * (len(said) - len(reasons))]
    parts = {"variables": variables, "given": given, "relations": relations, "reasons": how}
    return Rule("claim", parts)


def _said(statement: Statement) -> tuple[Domain, Sequence[Relation]]:
    domain = statement.domain
    if domain is None or not all(isinstance(kind, Numbers) for kind in domain.kinds.values()):
        raise DomainError(
            "a proof in numbers is of a claim whose variables are numbers. Declare its domain "
            "(`within`), or prove it otherwise."
        )
    found = proved_form(statement)
    if isinstance(found, str):
        raise DomainError(
            f"the claim has no general formula: {found}. Write it with terms of its variables."
        )
    return domain, found.relations


# --- the check, by the engine -----------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    """A rational function: two polynomials over the rationals."""

    top: Any
    bottom: Any

    def __add__(self, other: Function) -> Function:
        if self.bottom == other.bottom:
            return Function(self.top + other.top, self.bottom)
        top = self.top * other.bottom + other.top * self.bottom
        return Function(top, self.bottom * other.bottom)

    def __neg__(self) -> Function:
        return Function(-self.top, self.bottom)

    def __sub__(self, other: Function) -> Function:
        return self + -other

    def __mul__(self, other: Function) -> Function:
        return Function(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other: Function) -> Function:
        if other.top == 0:
            raise DomainError("a term of the claim divides by what is 0 everywhere")
        return Function(self.top * other.bottom, self.bottom * other.top)

    @property
    def sign(self) -> int | None:
        """The sign, 1 or -1 if the coefficients show it, 0 if it is 0 everywhere, else None."""
        if self.top == 0:
            return 0
        signs = [{c > 0 for c in part.coeffs()} for part in (self.top, self.bottom)]
        if any(len(found) > 1 for found in signs):
            return None
        return 1 if signs[0] == signs[1] else -1


_Met = Sequence[tuple[str, Function]]
"""Hypotheses: x >= 0, or x > 0 (signs < and >), or x = 0."""


class OnRanges:
    """The functions that stand for the variables on their ranges, and the cases in force."""

    def __init__(self, variables: Sequence[Any]) -> None:
        names = [x for name, *_ in variables for x in (f"t_{name}", f"s_{name}")]
        self.context = fmpq_mpoly_ctx.get(tuple(names), Ordering.lex)
        one = self.context.constant(1)
        self.one = Function(one, one)
        self.known: dict[str, Function] = {}
        self.open, self.closed = set[int](), set[int]()
        for i, (name, least, most) in enumerate(variables):
            t, s = (Function(self.context.gen(2 * i + j), one) for j in (0, 1))
            low, high = (None if end is None else self.of(end[1], ()) for end in (least, most))
            if low is not None and high is not None:
                self.known[name] = (low + high * t) / (self.one + t)
            elif low is not None:
                self.known[name] = low + t
            else:
                self.known[name] = t - s if high is None else high - t
            only = least if least is not None else most
            if only is not None and only[0] in "<>":
                self.open.add(2 * i)
            if least is not None and most is not None and most[0] == "<=":
                self.closed.add(2 * i)

    def of(self, part: Term, met: _Met) -> Function:
        """Return a term as a function, its positive parts and cases resolved by signs.

        Raises:
            DomainError: If it is none, or a sign is not shown.
        """
        if part.head in ("hockey_stick", "total_variation"):
            return self._divergence(part, met)
        if part.head == "when":
            sign, left, right, then, otherwise = part.parts
            gap = self.of(left, met) - self.of(right, met)
            return self.of(then if self._holds(sign, gap, met) else otherwise, met)
        inner = [self.of(x, met) for x in part.parts if isinstance(x, Term)]
        match part.head:
            case "number" if part.parts[0].is_rational:
                value = self.context.constant(fmpq_of(part.parts[0].as_fraction()))
                return Function(value, self.one.top)
            case "variable" if part.parts[0] in self.known:
                return self.known[part.parts[0]]
            case "named":
                return inner[0]
            case "add":
                return reduce(Function.__add__, inner)
            case "sub":
                return inner[0] - inner[1]
            case "neg":
                return -inner[0]
            case "mul":
                return reduce(Function.__mul__, inner)
            case "div":
                return inner[0] / self._not_0(inner[1], met)
            case "pow" if part.parts[1].head == "number" and part.parts[1].parts[0].is_rational:
                exponent = part.parts[1].parts[0].as_fraction()
                return self._power(
                    inner[0] if exponent >= 0 else self._not_0(inner[0], met), exponent
                )
            case "positive_part":
                return self._positive(inner[0], met)
            case "max":
                return reduce(lambda x, y: x + self._positive(y - x, met), inner)
            case "min":
                return reduce(lambda x, y: x - self._positive(x - y, met), inner)
            case "abs":
                return self._positive(inner[0], met) + self._positive(-inner[0], met)
        raise DomainError(f"{part.head} is not a rational function of the claim's variables")

    def _not_0(self, x: Function, met: _Met) -> Function:
        """Return the divisor of a term, which is 0 at an end of the ranges at most."""
        if x.sign is None and not (self._is_over_0(x, met) or self._is_over_0(-x, met)):
            raise DomainError("a term of the claim divides by what is perhaps 0")
        return x

    def _power(self, base: Function, exponent: Fraction) -> Function:
        if exponent.denominator != 1 or abs(exponent) > 1000:
            raise DomainError(f"the power {exponent} is not a whole number up to 1000")
        n = abs(int(exponent))
        found = Function(base.top**n, base.bottom**n)
        return found if exponent >= 0 else self.one / found

    def _positive(self, x: Function, met: _Met) -> Function:
        if self._is_at_least_0(x, met):
            return x
        if self._is_at_least_0(-x, met):
            return x - x
        raise DomainError("the sign of a positive part is not shown. Use by_cases.")

    def _holds(self, sign: str, x: Function, met: _Met) -> bool:
        """Decide x >= 0, x > 0, ..., by signs that are shown or hypotheses."""
        up, down = self._is_at_least_0(x, met), self._is_at_least_0(-x, met)
        over, under = self._is_over_0(x, met), self._is_over_0(-x, met)
        yes, no = {
            ">=": (up, under),
            ">": (over, down),
            "<=": (down, over),
            "<": (under, up),
            "=": (up and down, over or under),
            "!=": (over or under, up and down),
        }[sign]
        if not yes and not no:
            raise DomainError(f"whether a term is {sign} 0 is not shown. Use by_signs.")
        return yes

    def _is_at_least_0(self, x: Function, met: _Met) -> bool:
        return x.sign in (0, 1) or any(
            self._is_multiple(x, y) or (sign == "=" and self._is_multiple(-x, y)) for sign, y in met
        )

    def _is_over_0(self, x: Function, met: _Met) -> bool:
        return self.is_above(x) or any(
            sign in ("<", ">") and self._is_multiple(x, y) for sign, y in met
        )

    def _is_multiple(self, x: Function, y: Function) -> bool:
        """Return whether x is a positive multiple of y, by a constant."""
        first, second = x.top * y.bottom, y.top * x.bottom
        if first == 0 or second == 0:
            return False
        ratio = first.leading_coefficient() / second.leading_coefficient()
        return bool(ratio > 0 and first == second * ratio)

    def _divergence(self, part: Term, met: _Met) -> Function:
        pair = part.parts[0]
        while pair.head == "named":
            pair = pair.parts[1]
        if pair.head != "finite_pair":
            raise DomainError(f"the divergence of a {pair.head} is not a function of numbers")
        p, q = ([self.of(mass, met) for mass in row] for row in pair.parts)
        for row in (p, q):
            if not all(map(self._is_mass, row)):
                raise DomainError("a mass of the claim is not certainly at least 0")
            rest = reduce(Function.__add__, row) - self.one
            if rest.top != 0:
                raise DomainError("masses of the claim do not sum to 1")
        factor = self.of(part.parts[1], met) if part.head == "hockey_stick" else self.one
        terms = [self._positive(u - factor * v, met) for u, v in zip(p, q, strict=True)]
        return reduce(Function.__add__, terms)

    def _is_mass(self, x: Function) -> bool:
        return x.sign in (0, 1)

    def is_above(self, x: Function) -> bool:
        """Return whether the coefficients show that a function is above 0 on all the ranges."""
        if x.sign != 1:
            return False
        above, below = (
            [{i for i, power in enumerate(m) if power} for m in part.to_dict()]
            for part in (x.top, x.bottom)
        )
        # A function of a variable with a closed largest end would be 0 there, perhaps.
        ends = self.closed & set().union(*above, *below)
        return any(m <= self.open for m in above) and not ends


def _holds(rule: Rule) -> bool:
    """Return whether the reasons show the relations, by the engine's own arithmetic."""
    parts: Mapping[str, Any] = rule.parts
    try:
        ranges = OnRanges(parts["variables"])
        slacks = [(sign, ranges.of(_slack(sign, a, b), ())) for sign, a, b in parts["given"]]
        return all(
            _shown(ranges, relation, reason, slacks)
            for relation, reason in zip(parts["relations"], parts["reasons"], strict=True)
        )
    except DomainError:
        return False


def _slack(sign: str, left: Term, right: Term) -> Term:
    return right - left if sign in ("<", "<=") else left - right


def _shown(
    ranges: OnRanges,
    relation: Sequence[Any],
    reason: Reason,
    given: _Met,
) -> bool:
    sign, left, right = relation
    if left.json == right.json:
        return False  # a term compared with itself is not a claim
    if isinstance(reason, list) and reason[0] == "cases":
        _, point, *reasons = reason
        at = ranges.of(point, given)
        two = [(">=", at), (">=", -at)]
        cases = two if len(reasons) == 2 else [(">", at), ("=", at), (">", -at)]
        return all(
            _shown(ranges, relation, one, [*given, case])
            for one, case in zip(reasons, cases, strict=True)
        )
    rest = ranges.of(_slack(sign, left, right), given)
    strict = False
    if isinstance(reason, list):
        for multiplier, i in reason[1]:
            weight, (held, slack) = ranges.of(multiplier, given), given[i]
            if held != "=" and (sign == "=" or weight.sign not in (0, 1)):
                return False
            strict = strict or (held in ("<", ">") and ranges.is_above(weight))
            rest = rest - weight * slack
    if sign == "=":
        return bool(rest.top == 0)
    return rest.sign in (0, 1) and (sign in ("<=", ">=") or strict or ranges.is_above(rest))
