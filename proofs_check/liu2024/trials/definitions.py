"""Definition 2 (``local_privacy``) and the decompositions of Section 3.1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import isqrt
from typing import Any

import sympy

from exactdp.certificates import (
    Certificate,
    finite_pair,
    mass,
    ref,
    relation,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, decimal, is_below
from exactdp.shuffle import Mixture, first_fault
from exactdp.truth import Truth
from proofs_check.liu2024.confounding import (
    as_copies,
    equation_1,
    inline_decomposition,
)
from proofs_check.liu2024.noise import laplace_noise, victim_probability
from proofs_check.liu2024.trials.local_privacy import TRIALS as LOCAL_PRIVACY
from proofs_check.liu2024.trials.rows import (
    entry,
    matrix_term,
    pairs,
    private_rows,
    ratio_of,
    rows_of,
    small,
)

__all__ = ["TRIALS"]

# --- the decompositions of two rows --------------------------------------------------------


def _of_pairs(
    decide: Callable[[Randomizer], Outcome],
    *,
    proof: Callable[[], Proved | None] | None = None,
    false_variant: Statement | None = None,
) -> Statement:
    """A statement on two rows, with e^ε their largest ratio."""

    def holds(at: Instance) -> Outcome:
        return decide(rows_of(at))

    return Statement(
        instances=pairs,
        holds=holds,
        strategy=(lambda: private_rows(2)) if false_variant else None,
        proof=proof,
        false_variant=false_variant,
    )


def _fault(mixtures: list[Mixture] | tuple[Mixture, ...]) -> Outcome:
    fault = first_fault(mixtures)
    return Outcome(Truth.of(fault is None), str(fault or "every component is a law"))


def _inline_printed(p: Fraction | None = None) -> Callable[[Randomizer], Outcome]:
    """The second line says R(x_1^1) = Q(x_1^0), so the first leaves one Q(x_1^1)."""

    def decide(r: Randomizer) -> Outcome:
        weight = 1 / (ratio_of(r) + 1) if p is None else Exact(p)
        zero, one = r.rows
        rest = tuple((u - (1 - weight) * v) / weight for u, v in zip(zero, one, strict=True))
        outcome = _fault(inline_decomposition(zero, one, p=weight, letters=[one, rest]))
        worst = min(range(len(rest)), key=lambda z: rest[z])
        return Outcome(outcome.truth, outcome.found, lambda: _inline_certificate(r, worst))

    return decide


def _inline_certificate(r: Randomizer, z: int) -> Certificate:
    """p Q(x_1^1)(z) = R(x_1^0)(z) − (1 − p) R(x_1^1)(z) is negative."""
    x = ratio_of(r)
    p = 1 / (term(x) + 1)
    rows = ref("R")
    return Certificate(
        define=[("R", matrix_term(r.rows))],
        hypotheses=[relation("=", type(p)(["ldp_ratio", rows.json]), x)],
        conclusion=[relation("<", entry(rows, 0, z) - (1 - p) * entry(rows, 1, z), 0)],
    )


def _some_p_proof() -> Proved | None:
    u, v = sympy.symbols("u v", nonnegative=True)
    p, first, second = 1, v, u  # Q(x_1^0) = R(x_1^1), Q(x_1^1) = R(x_1^0)
    lines = [(1 - p) * first + p * second - u, p * first + (1 - p) * first - v]
    if any(sympy.simplify(line) != 0 for line in lines):
        return None
    return Proved("all randomizers", "p = 1, Q(x_1^0) = R(x_1^1), Q(x_1^1) = R(x_1^0)")


def _letters(*, share: Fraction = Fraction(1)) -> Callable[[Randomizer], Outcome]:
    """(1) with e^ε reduced to 1 + share·(ratio − 1): a smaller one must fail."""

    def decide(r: Randomizer) -> Outcome:
        x = 1 + share * (ratio_of(r) - 1)
        return _fault(equation_1(*r.rows, epsilon=Epsilon(x)))

    return decide


def _letters_proof() -> Proved | None:
    u, v, x = sympy.symbols("u v x", positive=True)
    one, two, p = (x * u - v) / (x - 1), (x * v - u) / (x - 1), 1 / (x + 1)
    lines = [x * p * one + p * two - u, p * one + x * p * two - v, x * p + p - 1]
    if any(sympy.simplify(line) != 0 for line in lines):
        return None
    return Proved(
        "all e^ε = x > 1 and randomizers (x = 1: both letters are R(x_1^0) = R(x_1^1))",
        "p = 1/(x + 1), Q(x_1^0) = (x R(x_1^0) − R(x_1^1))/(x − 1), Q(x_1^1) the other way round: "
        "nonnegative by ε-LDP, of mass 1, and the identities; e^ε p = 1 − p",
    )


# --- the other users' rows -----------------------------------------------------------------


def _triples(effort: Effort) -> Iterator[Instance]:
    for at in small(3, largest=6 if effort is Effort.DEFAULT else 9):
        rows: Any = at["rows"]
        if rows[0] != rows[1]:
            yield at


def _copies(weight: Callable[[Exact], Exact]) -> Callable[[Instance], Outcome]:
    def holds(at: Instance) -> Outcome:
        r = rows_of(at)
        p = weight(ratio_of(r))
        zero, one, other = r.rows
        outcome = _fault([as_copies(zero, one, other, p=p)])
        left = [w - p * (u + v) for u, v, w in zip(zero, one, other, strict=True)]
        worst = min(range(len(left)), key=lambda z: left[z])
        return Outcome(outcome.truth, outcome.found, lambda: _copies_certificate(r, worst))

    return holds


def _copies_certificate(r: Randomizer, z: int) -> Certificate:
    """With the p of (1), (1 − 2p) LO_i(z) = R(x_i)(z) − p (R(x_1^0) + R(x_1^1))(z) < 0."""
    x, rows = ratio_of(r), ref("R")
    p = 1 / (term(x) + 1)
    left = entry(rows, 2, z) - p * (entry(rows, 0, z) + entry(rows, 1, z))
    return Certificate(
        define=[("R", matrix_term(r.rows))],
        hypotheses=[
            relation("=", type(p)(["ldp_ratio", rows.json]), x),
            relation(">", 1 - 2 * p, 0),
        ],
        conclusion=[relation("<", left, 0)],
    )


def _type_one() -> Statement:
    """H_0: R(x_i), H_1: R(x_1^b), reject where R(x_i) < R(x_1^b): its error is p."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for at in _triples(effort):
            rows: Any = at["rows"]
            for b in (0, 1):
                if rows[2] != rows[b]:
                    yield Instance.of(rows=rows, b=b)

    def holds(at: Instance) -> Outcome:
        r, v = rows_of(at), at.mapping()
        b: Any = v["b"]
        p = 1 / (ratio_of(r) + 1)
        region = [z for z, (w, u) in enumerate(zip(r.rows[2], r.rows[b], strict=True)) if w < u]
        error = sum((r.rows[2][z] for z in region), Exact(0))
        return Outcome(
            Truth.of(error == p),
            f"type I error {error}, p = {p}",
            lambda: _type_one_certificate(r, b, region),
        )

    return Statement(instances=instances, holds=holds)


def _type_one_certificate(r: Randomizer, b: int, region: list[int]) -> Certificate:
    rows, x = ref("R"), ratio_of(r)
    error = sum((entry(rows, 2, z) for z in region), term(0))
    letters = range(len(r.rows[0]))
    return Certificate(
        define=[("R", matrix_term(r.rows))],
        hypotheses=[
            relation("=", type(error)(["ldp_ratio", rows.json]), x),
            *(
                relation("<" if z in region else ">=", entry(rows, 2, z), entry(rows, b, z))
                for z in letters
            ),
        ],
        conclusion=[relation("!=", error, 1 / (term(x) + 1))],
    )


# --- Laplace noise -------------------------------------------------------------------------

EPSILONS = [Fraction(i, 4) for i in (1, 2, 3, 4, 6, 8, 12, 20, 40)]


def _larger_number(*, part: Fraction = Fraction(1)) -> Statement:
    def holds(at: Instance) -> Outcome:
        epsilon = at.mapping()["epsilon"]
        assert isinstance(epsilon, Fraction)
        scale = 1 / epsilon
        tested = part * victim_probability(laplace_noise(0, scale), laplace_noise(1, scale))
        reduced = 1 / (Exact.exp(epsilon) + 1)
        return Outcome(
            is_below(reduced, tested),
            f"p_1 = {decimal(tested, digits=6)}, by reduction {decimal(reduced, digits=6)}",
        )

    def proof() -> Proved | None:
        y = sympy.symbols("y", positive=True)  # e^(ε/2)
        gap = 1 / (2 * y) - 1 / (y**2 + 1)
        if sympy.simplify(gap - (y - 1) ** 2 / (2 * y * (y**2 + 1))) != 0:
            return None
        return Proved(
            "all ε > 0, Laplace noise of scale (x_1^1 − x_1^0)/ε",
            "S is the half line beyond the middle, p_1 = e^(−ε/2)/2, and with y = e^(ε/2) "
            "p_1 − 1/(e^ε + 1) = (y − 1)²/(2y(y² + 1)) > 0",
        )

    return Statement(
        instances=lambda effort: (Instance.of(epsilon=e) for e in EPSILONS),
        holds=holds,
        proof=proof if part == 1 else None,
        false_variant=_larger_number(part=Fraction(1, 2)) if part == 1 else None,
    )


def _admissible() -> Statement:
    """Below x_1^0 the rows have masses 1/2 and e^(−ε)/2, whatever the clip range."""

    def holds(at: Instance) -> Outcome:
        x = at.mapping()["exp_epsilon"]
        assert isinstance(x, Fraction)
        p = Fraction(1, 2) / _root(x)  # p_1 = e^(−ε/2)/2
        letter = (1 - p) / (2 * x) - p / 2
        return Outcome(
            Truth.of(letter >= 0),
            f"with p = {p}, above 1/(e^ε + 1) = {1 / (x + 1)}, (1 − 2p) Q(x_1^1) has mass "
            f"{letter} below x_1^0; it is negative for every p above 1/(e^ε + 1)",
            lambda: _admissible_certificate(x, p),
        )

    return Statement(
        instances=lambda effort: (Instance.of(exp_epsilon=Fraction(i * i)) for i in (2, 3, 5)),
        holds=holds,
    )


def _root(x: Fraction) -> Fraction:
    return Fraction(isqrt(x.numerator), isqrt(x.denominator))


def _admissible_certificate(x: Fraction, p: Fraction) -> Certificate:
    """Zero at p = 1/(e^ε + 1), negative at p_1 and at 1/2, and linear in p."""
    half = Fraction(1, 2)
    rows = finite_pair([half, half], [half / x, 1 - half / x])
    zero, one = mass(ref("below"), "p", 0), mass(ref("below"), "q", 0)
    return Certificate(
        define=[("below", rows)],
        conclusion=[
            relation(sign, (1 - term(w)) * one - term(w) * zero, 0)
            for sign, w in (("=", 1 / (x + 1)), ("<", p), ("<", half))
        ],
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    **LOCAL_PRIVACY,
    "liu2024/section-3.1/inline-decomposition": {
        "a": _of_pairs(_inline_printed()),
        "b": _of_pairs(
            _inline_printed(Fraction(1)),
            proof=_some_p_proof,
            false_variant=_of_pairs(_inline_printed(Fraction(1, 2))),
        ),
        "c": _of_pairs(
            _letters(),
            proof=_letters_proof,
            false_variant=_of_pairs(_letters(share=Fraction(1, 2))),
        ),
    },
    "liu2024/equation-1": {
        "": _of_pairs(
            _letters(),
            proof=_letters_proof,
            false_variant=_of_pairs(_letters(share=Fraction(1, 2))),
        )
    },
    "liu2024/equation-2": {"": Statement(instances=_triples, holds=_copies(lambda x: 1 / (x + 1)))},
    "liu2024/section-3.1/reduction-underestimates": {"a": _larger_number(), "b": _admissible()},
    "liu2024/section-3.1/type-I-error": {"": _type_one()},
}
