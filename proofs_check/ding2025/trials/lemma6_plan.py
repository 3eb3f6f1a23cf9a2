"""Section 4.4.1, proof of Lemma 6: the plan π* for binary D_i, display by display.

With C the cumulative distribution of f(D_{-i}), F_{X|S}(x) = (1 − s) C(x) + s C(x − 1), s = p or
q. For p < q this gives F_Q(x) <= F_P(x) <= F_Q(x + 1), for p > q the same with P and Q
exchanged. So each minimum in (6) is decided by the order of x and x', and the masses
of the plan are differences of such F: identities in p, q and the masses of f(D_{-i}).
In the proof's displays for p > q the last one shifts that mass: π*(x'+1, x') is
(p − q) Pr(f(D_{-i}) = x'), not x' − 1.

A display is a function of (f, g, plan, p, q, x'), written once for numbers and for SymPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.ding2025.trials.lemma6_systems import (
    INTEGER,
    LESS,
    MORE,
    System,
    system_of,
    system_strategy,
    systems,
    written,
)

__all__ = ["TRIALS", "Parts", "identity", "plan_order_holds", "symbolic_parts"]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the displays are made of, over numbers, terms or symbols.

    Attributes:
        f: (side, x) -> F_{X|S}(x), side "p" or "q".
        g: x -> Pr(f(D_{-i}) = x).
        plan: (x, x') -> π*(x, x') of (6).
        p: P_i(1).
        q: Q_i(1).
    """

    f: Callable[[str, int], Any]
    g: Callable[[int], Any]
    plan: Callable[[int, int], Any]
    p: Any
    q: Any


Display = Callable[[Parts, int], Sequence[Any]]
"""The sides of a chain of equations at x'; a tuple as side is several equations."""


def _parts(side: Any) -> tuple[Any, ...]:
    return side if isinstance(side, tuple) else (side,)


def numeric_parts(system: System) -> Parts:
    """Return the parts of a system, in fractions."""
    return Parts(
        lambda side, x: system.cumulatives[side](x),
        system.others,
        system.plan,
        system.p,
        system.q,
    )


def written_parts(system: System) -> tuple[Any, Parts]:
    """Return the definitions of a certificate, and the parts as terms."""
    pair, others = written(system)
    return pair.define, Parts(
        lambda side, x: pair.cumulative(side, x),
        lambda x: others.mass("p", x),
        lambda x, z: pair.plan(x, z),
        system.p,
        system.q,
    )


def symbolic_parts(order: str) -> Parts:
    """Return the parts around x' = 0 for free p, q and masses of f(D_{-i}).

    The minima of (6) are resolved by :func:`plan_order_holds`.
    """
    import sympy

    p, q = sympy.symbols("p q", nonnegative=True)
    reach = 5
    masses = {k: sympy.Symbol(f"g{k + reach}", nonnegative=True) for k in range(-reach, reach + 1)}
    below = sympy.Symbol("below", nonnegative=True)

    def c(x: int) -> Any:
        return below + sum(m for k, m in masses.items() if k <= x)

    def f(side: str, x: int) -> Any:
        s = p if side == "p" else q
        return (1 - s) * c(x) + s * c(x - 1)

    def least(x: int, z: int) -> Any:
        second = z <= x if order == LESS else z < x
        return f("q", z) if second else f("p", x)

    def plan(x: int, z: int) -> Any:
        return least(x, z) - least(x - 1, z) - least(x, z - 1) + least(x - 1, z - 1)

    return Parts(f, lambda x: masses[x], plan, p, q)


def plan_order_holds(order: str) -> bool:
    """Return whether F_low(x) <= F_high(x) <= F_low(x + 1), low the side of the larger chance.

    For p < q: F_P(x) − F_Q(x) = (q − p) g(x), F_Q(x + 1) − F_P(x) = p g(x) + (1 − q) g(x + 1).
    F is monotone, so min{F_P(x), F_Q(x')} is F_Q(x') for x' <= x and F_P(x) for x' > x.
    """
    import sympy

    parts = symbolic_parts(order)
    low, high = ("q", "p") if order == LESS else ("p", "q")
    small, large = (parts.p, parts.q) if order == LESS else (parts.q, parts.p)
    first = parts.f(high, 0) - parts.f(low, 0) - (large - small) * parts.g(0)
    second = parts.f(low, 1) - parts.f(high, 0)
    second -= small * parts.g(0) + (1 - large) * parts.g(1)
    return bool(sympy.expand(first) == 0 and sympy.expand(second) == 0)


_BY = (
    "F_X|S(x) = (1-s) C(x) + s C(x-1), s = p or q; for p < q F_Q(x) <= F_P(x) <= F_Q(x+1) (P and "
    "Q exchanged for p > q) decides every minimum in (6)"
)


def identity(
    order: str,
    display: Display,
    *,
    wrong: Display | None = None,
    defined: Callable[[Parts, int], bool] = lambda parts, x: True,
    note: str = "all integer-valued f(D_-i)",
) -> Statement:
    """All sides of a display agree at every integer x' (where ``defined``).

    Args:
        order: "p < q" or "p > q".
        display: The sides.
        wrong: A nearby display, for a statement that stands.
        defined: Where the display is meant, as for quotients.
        note: The domain, for the evidence.
    """

    def statement(sides: Display, variant: Statement | None) -> Statement:
        def instances(effort: Effort) -> Iterator[Instance]:
            yield from systems(effort, order=order, rests=INTEGER)

        def holds(at: Instance) -> Outcome:
            system = system_of(at)
            parts = numeric_parts(system)
            where = (x for x in system.places if defined(parts, x))
            bad = next((x for x in where if len(set(sides(parts, x))) > 1), None)
            if bad is None:
                return Outcome(Truth.TRUE)
            found = " = ".join(", ".join(map(str, _parts(v))) for v in sides(parts, bad))
            return Outcome(Truth.FALSE, f"x' = {bad}: {found}", lambda: unequal(at, bad))

        def unequal(at: Instance, x: int) -> Certificate:
            system = system_of(at)
            numbers = [_parts(side) for side in sides(numeric_parts(system), x)]
            i, k = next(
                (i, k)
                for i, side in enumerate(numbers)
                for k, value in enumerate(side)
                if value != numbers[0][k]
            )
            define, parts = written_parts(system)
            terms = [_parts(side)[k] for side in sides(parts, x)]
            sign = "<" if system.p < system.q else ">"
            return Certificate(
                define=define,
                hypotheses=[relation(sign, system.p, system.q)],
                conclusion=[relation("!=", terms[0], terms[i])],
            )

        return Statement(
            instances=instances,
            holds=holds,
            strategy=(lambda: system_strategy(order=order, binary=False)) if variant else None,
            proof=proof if variant else None,
            false_variant=variant,
        )

    def proof() -> Proved | None:
        import sympy

        sides = display(symbolic_parts(order), 0)
        if not plan_order_holds(order):
            return None
        pairs = [p for side in sides[1:] for p in zip(_parts(side), _parts(sides[0]), strict=True)]
        if any(sympy.simplify(one - other) != 0 for one, other in pairs):
            return None
        return Proved(f"all {order}, {note}", f"{_BY}; then an identity in p, q and the masses")

    return statement(display, None if wrong is None else statement(wrong, None))


# --- the displays ----------------------------------------------------------------------------


def _diagonal_less(t: Parts, x: int) -> Sequence[Any]:
    f, g = t.f, t.g
    return (
        t.plan(x, x),
        f("q", x) - f("q", x - 1) - f("p", x - 1) + f("q", x - 1),
        f("q", x) - f("p", x - 1),
        t.p * g(x - 1) + (1 - t.q) * g(x),
    )


def _diagonal_less_exchanged(t: Parts, x: int) -> Sequence[Any]:
    return t.plan(x, x), t.q * t.g(x - 1) + (1 - t.p) * t.g(x)


def _off_less(t: Parts, x: int) -> Sequence[Any]:
    f = t.f
    return (
        t.plan(x - 1, x),
        f("p", x - 1) - f("q", x - 1) - f("p", x - 2) + f("p", x - 2),
        f("p", x - 1) - f("q", x - 1),
        (t.q - t.p) * t.g(x - 1),
    )


def _off_less_at_x(t: Parts, x: int) -> Sequence[Any]:
    return t.plan(x - 1, x), (t.q - t.p) * t.g(x)


def _ratio_less(t: Parts, x: int) -> Sequence[Any]:
    return (
        t.plan(x, x) / t.plan(x - 1, x),
        ((1 - t.q) * (t.g(x) / t.g(x - 1)) + t.p) / (t.q - t.p),
    )


def _ratio_less_inverted(t: Parts, x: int) -> Sequence[Any]:
    return (
        t.plan(x, x) / t.plan(x - 1, x),
        ((1 - t.q) + t.p * (t.g(x) / t.g(x - 1))) / (t.q - t.p),
    )


def _diagonal_more(t: Parts, x: int) -> Sequence[Any]:
    f, g = t.f, t.g
    return (
        t.plan(x, x),
        f("p", x) - f("q", x - 1) - f("p", x - 1) + f("p", x - 1),
        f("p", x) - f("q", x - 1),
        (1 - t.p) * g(x) + t.q * g(x - 1),
    )


def _diagonal_more_exchanged(t: Parts, x: int) -> Sequence[Any]:
    return t.plan(x, x), (1 - t.q) * t.g(x) + t.p * t.g(x - 1)


def _off_more(t: Parts, z: int, *, shift: int) -> Sequence[Any]:
    """The print's x is z + shift: the column z, or the row z + 1."""
    f = t.f
    return (
        t.plan(z + 1, z),
        f("q", z) - f("q", z - 1) - f("p", z) + f("q", z - 1),
        f("q", z) - f("p", z),
        (t.p - t.q) * t.g(z + shift - 1),
    )


def _ratio_more(t: Parts, z: int, *, shift: int) -> Sequence[Any]:
    x = z + shift
    return (
        t.plan(z, z) / t.plan(z + 1, z),
        ((1 - t.p) * (t.g(x) / t.g(x - 1)) + t.q) / (t.p - t.q),
    )


def _defined_more(t: Parts, z: int, *, shift: int) -> bool:
    """Both quotients are finite: π*(x'+1, x') > 0 and Pr(f(D_{-i}) = x − 1) > 0."""
    return bool(t.g(z) and t.g(z + shift - 1))


def _repaired_more(t: Parts, z: int) -> Sequence[Any]:
    """Two equations: the mass beside the diagonal, and the ratio."""
    return (
        (t.plan(z + 1, z), t.plan(z, z) / t.plan(z + 1, z)),
        ((t.p - t.q) * t.g(z), ((1 - t.p) + t.q * (t.g(z - 1) / t.g(z))) / (t.p - t.q)),
    )


def _repaired_more_shifted(t: Parts, z: int) -> Sequence[Any]:
    return _repaired_more(t, z)[0], ((t.p - t.q) * t.g(z - 1), _repaired_more(t, z)[1][1])


_QUOTIENTS = "all integer-valued f(D_-i), where the quotients are finite"

TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-6/proof/diagonal-p-less": {
        "": identity(LESS, _diagonal_less, wrong=_diagonal_less_exchanged)
    },
    "ding2025/lemma-6/proof/off-diagonal-p-less": {
        "": identity(LESS, _off_less, wrong=_off_less_at_x)
    },
    "ding2025/lemma-6/proof/ratio-p-less": {
        "": identity(
            LESS,
            _ratio_less,
            wrong=_ratio_less_inverted,
            defined=lambda t, x: bool(t.g(x - 1)),
            note=_QUOTIENTS,
        )
    },
    "ding2025/lemma-6/proof/diagonal-p-greater": {
        "": identity(MORE, _diagonal_more, wrong=_diagonal_more_exchanged)
    },
    "ding2025/lemma-6/proof/off-diagonal-p-greater": {
        "a": identity(MORE, lambda t, z: _off_more(t, z, shift=0)),
        "b": identity(
            MORE,
            lambda t, z: _off_more(t, z, shift=1),
            wrong=lambda t, z: _off_more(t, z, shift=2),
        ),
    },
    "ding2025/lemma-6/proof/ratio-p-greater": {
        "a": identity(
            MORE,
            lambda t, z: _ratio_more(t, z, shift=0),
            defined=lambda t, z: _defined_more(t, z, shift=0),
        ),
        "b": identity(
            MORE,
            lambda t, z: _ratio_more(t, z, shift=1),
            defined=lambda t, z: _defined_more(t, z, shift=1),
        ),
    },
    "ding2025/repair/lemma-6-plan": {
        "": identity(
            MORE,
            _repaired_more,
            wrong=_repaired_more_shifted,
            defined=lambda t, z: bool(t.g(z)),
            note=_QUOTIENTS,
        )
    },
}
