"""Section 4.4.1, proof of Lemma 6: the minima (22), (24), the support of π*, and (20) by (21).

The masses of π* are those of ``lemma6_plan``. For p < q column x' of (20) is

    π*(x', x') + e^{1/θ} π*(x'−1, x') <= e^ε (π*(x', x') + π*(x'−1, x')),

so the θ of (21) satisfies it by construction. For p > q the printed ψ is not the ratio
of the two masses (see there), and the θ of (21) need not satisfy (20), over any range of x.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from exactdp.certificates import Certificate, Term, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.truth import Truth
from proofs_check.ding2025.trials.lemma6_plan import plan_order_holds, symbolic_parts
from proofs_check.ding2025.trials.lemma6_systems import (
    BASES,
    BINARY,
    INTEGER,
    LESS,
    MORE,
    Range,
    Rest,
    System,
    exp_epsilon_of,
    growth_relations,
    system_of,
    system_strategy,
    systems,
    written,
)

__all__ = ["TRIALS"]

Fails = Callable[[System], str]
"""Where a statement fails in a system, in words; empty if nowhere."""


def _statement(
    order: str,
    fails: Fails,
    *,
    proof: Callable[[], Proved | None] | None = None,
    wrong: Fails | None = None,
    certificate: Callable[[System], Certificate] | None = None,
    rests: Sequence[Rest] = INTEGER,
) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        yield from systems(effort, order=order, rests=rests)

    def holds(at: Instance) -> Outcome:
        system = system_of(at)
        found = fails(system)
        return Outcome(
            Truth.of(not found),
            found,
            None if certificate is None else lambda: certificate(system),
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=(lambda: system_strategy(order=order, binary=rests is BINARY)) if proof else None,
        proof=proof,
        false_variant=None if wrong is None else _statement(order, wrong, rests=rests),
    )


# --- (22) and (24) ---------------------------------------------------------------------------


def _minima(order: str, *, shift: int = 0) -> Fails:
    """The minimum is F_Q(x') for x' <= x (p < q) or x' < x (p > q), and F_P(x) elsewhere.

    The variant has the first case for one x' more.
    """
    last = (0 if order == LESS else -1) + shift

    def fails(system: System) -> str:
        first, second = system.cumulatives["p"], system.cumulatives["q"]
        for x in system.places:
            for z in system.places:
                claimed = second(z) if z <= x + last else first(x)
                if min(first(x), second(z)) != claimed:
                    return f"x = {x}, x' = {z}: {min(first(x), second(z))}, claimed {claimed}"
        return ""

    return fails


def _minima_proof(order: str) -> Callable[[], Proved | None]:
    def proof() -> Proved | None:
        if not plan_order_holds(order):
            return None
        return Proved(
            f"all {order}, all integer-valued f(D_-i)",
            "F_Q(x) <= F_P(x) <= F_Q(x+1) for p < q, F_P(x) <= F_Q(x) <= F_P(x+1) for p > q, as "
            "F_P(x) - F_Q(x) = (q-p) g(x) and F_Q(x+1) - F_P(x) = p g(x) + (1-q) g(x+1) (P and Q "
            "exchanged for p > q), and F is monotone",
        )

    return proof


# --- the support of the plan -----------------------------------------------------------------


def _forms(order: str) -> tuple[int, int]:
    """Return the values of x − x' that the print allows."""
    return (-1, 0) if order == LESS else (0, 1)


def _inside(order: str, forms: Sequence[int]) -> Fails:
    def fails(system: System) -> str:
        far = [(x, z) for x, z in system.cells if x - z not in forms]
        return f"pi*{far[0]} = {system.plan(*far[0])}" if far else ""

    return fails


def _missing(order: str) -> Callable[[System], tuple[Fraction, Fraction] | None]:
    """Return a function that finds a pair of X² of one of the two forms without mass."""

    def missing(system: System) -> tuple[Fraction, Fraction] | None:
        alphabet = system.values(Range.ALPHABET)
        for x in alphabet:
            for z in alphabet:
                if x - z in _forms(order) and not system.plan(int(x), int(z)):
                    return x, z
        return None

    return missing


def _all_inside(order: str) -> Fails:
    def fails(system: System) -> str:
        found = _missing(order)(system)
        return "" if found is None else f"pi*({found[0]}, {found[1]}) = 0"

    return fails


def _missing_certificate(order: str) -> Callable[[System], Certificate]:
    def certificate(system: System) -> Certificate:
        found = _missing(order)(system)
        assert found is not None  # the failure that is kept
        pair, _ = written(system)
        sign = "<" if order == LESS else ">"
        return Certificate(
            define=pair.define,
            hypotheses=[relation(sign, system.p, system.q)],
            conclusion=[relation("=", pair.plan(*found), 0)],
        )

    return certificate


def _support_proof(order: str) -> Callable[[], Proved | None]:
    def proof() -> Proved | None:
        import sympy

        parts = symbolic_parts(order)
        # Farther from the diagonal every minimum is resolved in the same way.
        far = [(0, z) for z in (-3, -2, -1, 1, 2, 3) if -z not in _forms(order)]
        if not plan_order_holds(order) or any(sympy.expand(parts.plan(*c)) != 0 for c in far):
            return None
        return Proved(
            f"all {order}, all integer-valued f(D_-i)",
            "elsewhere all four minima of (6) are F_P at x, x-1 or all are F_Q at x', x'-1, and "
            "cancel",
        )

    return proof


# --- (23): column x' of (20) -----------------------------------------------------------------


def _column(system: System, z: int, growth: Fraction, e: Fraction) -> Fraction:
    """Return Σ_x (e^{|x − x'|/θ} − e^ε) π*(x, x'), which (20) wants to be <= 0."""
    column = ((x, mass) for (x, w), mass in system.cells.items() if w == z)
    return sum(((growth ** abs(x - z) - e) * mass for x, mass in column), Fraction(0))


_PAIRS = [(Fraction(g), Fraction(e)) for g in ("3/2", "2", "3", "20") for e in ("3/2", "2", "5")]


def _equation_23(*, ratio: bool = True) -> Fails:
    """(20) over all x' is the display over 1, ..., |V|, and implies the bound on e^{1/θ}.

    The variant forgets the ratio: e^{1/θ} <= e^ε.
    """

    def fails(system: System) -> str:
        columns = range(1, len(system.rest.laws) + 2)
        for growth, e in _PAIRS:
            request = all(_column(system, z, growth, e) <= 0 for z in system.places)
            display = implied = True
            for z in columns:
                stay, move = system.plan(z, z), system.plan(z - 1, z)
                display &= stay + growth * move <= (stay + move) * e
                if move:
                    implied &= growth <= e + (e - 1) * (stay / move if ratio else 0)
            if request != display or (display and not implied):
                return f"e^(1/theta) = {growth}, e^eps = {e}: (20) {request}, bound {implied}"
        return ""

    return fails


def _equation_23_proof() -> Proved | None:
    import sympy

    stay, growth, e = sympy.symbols("stay growth E", positive=True)
    move = sympy.symbols("move", positive=True)
    slack = (stay + move) * e - (stay + growth * move)
    bound = e + (e - 1) * stay / move - growth
    inside = _support_proof(LESS)()
    if inside is None or sympy.simplify(slack - move * bound) != 0:
        return None
    return Proved(
        "all p < q, all other users binary, quotients c/0 counted as infinite, 0/0 left out",
        "column x' of (20) has the two masses only (support of pi*), column 0 the one at (0, 0), "
        "where it reads 1 <= e^eps; the slack of the display is pi*(x'-1, x') times that of the "
        "bound",
    )


# --- (20) by (21) ----------------------------------------------------------------------------


def _with_ratio(system: System, e: Fraction) -> Fraction | None:
    """Return e^{1/θ} for p > q with ψ(x) = ((1 − p) + q g(x−1)/g(x)) / (p − q) on the support."""
    values = [
        ((1 - system.p) + system.q * system.others(x - 1) / mass) / (system.p - system.q)
        for x, mass in system.g.items()
    ]
    return e + (e - 1) * min(values)


def _condition_20(
    order: str,
    growth_of: Callable[[System, Fraction], Fraction | None],
    *,
    rests: Sequence[Rest],
    wrong: Callable[[System, Fraction], Fraction | None] | None = None,
    proof: Callable[[], Proved | None] | None = None,
    over: Range | None = None,
) -> Statement:
    """The θ with e^{1/θ} = growth_of(system, e^ε) satisfies (20); θ = 0 is left out.

    ``over`` is the range of x for a certificate, if growth_of is (21).
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in systems(effort, order=order, rests=rests, bases=BASES[:2]):
            if growth_of(system_of(at), Fraction(2)) is not None:
                yield at

    def strategy() -> Any:
        return system_strategy(order=order, binary=rests is BINARY, bases=BASES).filter(
            lambda at: growth_of(system_of(at), Fraction(2)) is not None
        )

    def holds(at: Instance) -> Outcome:
        system, e = system_of(at), exp_epsilon_of(at)
        growth = growth_of(system, e)
        assert growth is not None  # left out
        columns = {z: _column(system, z, growth, e) for z in system.places}
        z, worst = max(columns.items(), key=lambda item: item[1])

        def certificate() -> Certificate:
            assert over is not None
            pair, others = written(system)
            cells: list[Term] = [
                (term(growth) ** abs(int(x) - z) - e) * pair.plan(x, z) for x in pair.points
            ]
            return Certificate(
                define=pair.define,
                hypotheses=growth_relations(system, others, over, exp_epsilon=e, growth=growth),
                conclusion=[relation(">", sum(cells, start=term(0)), 0)],
            )

        return Outcome(
            Truth.of(worst <= 0),
            f"e^(1/theta) = {growth}; the left side of (20) at x' = {z}, not above 0, is {worst}",
            None if over is None else certificate,
        )

    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if proof else None,
        proof=proof,
        false_variant=None if wrong is None else _condition_20(order, wrong, rests=rests),
    )


def _by_21(over: Range) -> Callable[[System, Fraction], Fraction | None]:
    return lambda system, e: system.growth(over, e)


def _exact_ratio_proof(order: str) -> Callable[[], Proved | None]:
    """Prove (20) where e^{1/θ} is at most E + (E − 1) stay/move in every column."""

    def proof() -> Proved | None:
        import sympy

        parts = symbolic_parts(order)
        p, q, g = parts.p, parts.q, parts.g
        move = parts.plan(-1, 0) if order == LESS else parts.plan(1, 0)
        stay = parts.plan(0, 0)
        if order == LESS:
            psi = ((1 - q) * g(0) / g(-1) + p) / (q - p)
            mass = (q - p) * g(-1)
        else:
            psi = ((1 - p) + q * g(-1) / g(0)) / (p - q)
            mass = (p - q) * g(0)
        if _support_proof(order)() is None or sympy.expand(move - mass) != 0:
            return None
        if sympy.simplify(stay / mass - psi) != 0:
            return None
        return Proved(
            f"all {order}, eps > 0, f(D_-i) integer-valued (for p < q all users binary, as said)",
            "psi(x') is pi*(x', x') over the mass next to it, so e^(1/theta) <= E + (E-1) psi(x') "
            "is column x' of (20); columns with 0 next to it read pi*(x', x') (1 - E) <= 0",
        )

    return proof


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/equation-22": {
        "": _statement(LESS, _minima(LESS), proof=_minima_proof(LESS), wrong=_minima(LESS, shift=1))
    },
    "ding2025/lemma-6/proof/support-p-less": {
        "a": _statement(
            LESS,
            _inside(LESS, _forms(LESS)),
            proof=_support_proof(LESS),
            wrong=_inside(LESS, (0,)),
        ),
        "b": _statement(LESS, _all_inside(LESS), certificate=_missing_certificate(LESS)),
    },
    "ding2025/equation-23": {
        "": _statement(
            LESS,
            _equation_23(),
            proof=_equation_23_proof,
            wrong=_equation_23(ratio=False),
            rests=BINARY,
        )
    },
    "ding2025/lemma-6/proof/condition-20-p-less": {
        "": _condition_20(
            LESS,
            _by_21(Range.PROOF),
            rests=BINARY,
            wrong=_by_21(Range.SUPPORT),
            proof=_exact_ratio_proof(LESS),
        )
    },
    "ding2025/equation-24": {
        "": _statement(MORE, _minima(MORE), proof=_minima_proof(MORE), wrong=_minima(MORE, shift=1))
    },
    "ding2025/lemma-6/proof/support-p-greater": {
        "a": _statement(
            MORE,
            _inside(MORE, _forms(MORE)),
            proof=_support_proof(MORE),
            wrong=_inside(MORE, (0,)),
        ),
        "b": _statement(MORE, _all_inside(MORE), certificate=_missing_certificate(MORE)),
    },
    # Over the largest range (21) gives the largest θ: over fewer x (20) fails there too.
    "ding2025/lemma-6/proof/condition-20-p-greater": {
        "": _condition_20(MORE, _by_21(Range.ALPHABET), rests=BINARY, over=Range.ALPHABET)
    },
    "ding2025/repair/lemma-6-condition-20": {
        "": _condition_20(
            MORE,
            _with_ratio,
            rests=INTEGER,
            wrong=_by_21(Range.ALPHABET),
            proof=_exact_ratio_proof(MORE),
        )
    },
}
