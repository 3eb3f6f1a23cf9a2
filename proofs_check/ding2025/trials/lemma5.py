"""Section 4.4.1: Lemma 5, and the displays of its proof.

With C the cumulative distribution of f(D_{-i}), an integer, and s = p or q:

    F_{X|S}(x) = (1 − s) C(x) + s C(x − 1),

so that all displays are identities in p, q and three neighboring values of C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.pufferfish import sum_of_independent
from exactdp.truth import Truth
from proofs_check.ding2025.cumulative import Cumulative, Shifts, largest_shift
from proofs_check.ding2025.laws import bernoulli, worst_ratio
from proofs_check.ding2025.proof_steps import triangle_inequality
from proofs_check.ding2025.terms import LinePair, shift_relations
from proofs_check.ding2025.trials.lemma6_systems import (
    BASES,
    INTEGER,
    System,
    sums_are_mixtures,
    system_of,
    system_strategy,
    systems,
    written,
)

__all__ = ["TRIALS", "one_over_epsilon"]


# --- Lemma 5 ---------------------------------------------------------------------------------


def one_over_epsilon(
    instances: Callable[[Effort], Iterator[Instance]],
    *,
    strategy: Callable[[], Any] | None = None,
    powers: tuple[int, int] = (1, 1),
    wrong: tuple[int, int] = (9, 10),
) -> Statement:
    """Noise of scale 1/ε attains ε on (s_P, s_Q), P and Q Bernoulli, whatever the rest.

    Args:
        instances: Yields instances with p, q, others and exp_epsilon, which is called b here.
        strategy: Draws such instances.
        powers: (m, n): e^ε = b^m and e^{1/θ} = b^n; the print has m = n = 1.
        wrong: The powers of the variant.
    """
    m, n = powers

    def holds(at: Instance) -> Outcome:
        system, base = system_of(at), at["exp_epsilon"]
        assert isinstance(base, Fraction)
        ratio, _, _ = worst_ratio(*system.laws, growth=base**n)
        return Outcome(
            Truth.of(ratio <= base**m),
            f"e^eps = {base**m}, worst ratio {ratio}",
            slack=base**m / ratio,
        )

    def proof() -> Proved | None:
        # Between two points of {0, 1} the distance is at most 1.
        far = any(abs(a - b) > 1 for a, b in product((0, 1), repeat=2))
        if far or not (triangle_inequality() and sums_are_mixtures()):
            return None
        return Proved(
            "all p, q, eps > 0, all other users",
            "with theta = 1/eps K(y-a) <= e^(|a-b|/theta) K(y-b) <= e^eps K(y-b) for a, b in "
            "{0, 1}, so the own densities have ratios <= e^eps; the rest is post-processing",
        )

    printed = powers == (1, 1)
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if printed else None,
        proof=proof if printed else None,
        false_variant=one_over_epsilon(instances, powers=wrong) if printed else None,
    )


def _all_systems(effort: Effort) -> Iterator[Instance]:
    yield from systems(effort, rests=INTEGER, bases=BASES[:2])


# --- the displays of the proof ---------------------------------------------------------------


Display = Callable[[System, int], bool]


def _display(
    said: Display,
    *,
    symbolic: Callable[..., Sequence[Any]],
    by: str,
    wrong: Display,
) -> Statement:
    """A display holds at all integers x; ``symbolic`` returns differences that must vanish."""

    def statement(check: Display, variant: Statement | None) -> Statement:
        def instances(effort: Effort) -> Iterator[Instance]:
            yield from systems(effort, rests=INTEGER)

        def holds(at: Instance) -> Outcome:
            system = system_of(at)
            bad = [x for x in system.places if not check(system, x)]
            return Outcome(Truth.of(not bad), f"fails at x = {bad[0]}" if bad else "")

        return Statement(
            instances=instances,
            holds=holds,
            strategy=(lambda: system_strategy(binary=False)) if variant else None,
            proof=proof if variant else None,
            false_variant=variant,
        )

    def proof() -> Proved | None:
        import sympy

        p, q, g, below, above, rest = sympy.symbols("p q G_x G_below G_above C", nonnegative=True)
        # C at x − 2, x − 1, x, x + 1.
        values = [rest, rest + below, rest + below + g, rest + below + g + above]

        def f(s: Any, k: int) -> Any:
            return (1 - s) * values[2 + k] + s * values[1 + k]

        differences = symbolic(f, p, q, g, below, above)
        if any(sympy.expand(d) != 0 for d in differences):
            return None
        return Proved("all p, q, all integer-valued f(D_-i)", by)

    return statement(said, statement(wrong, None))


def _f(system: System, side: str, x: int) -> Fraction:
    return system.cumulatives[side](x)


def _minus_one(system: System, x: int) -> bool:
    left = _f(system, "p", x) - _f(system, "q", x - 1)
    right = (1 - system.p) * system.others(x) + system.q * system.others(x - 1)
    return left == right >= 0


def _minus_one_exchanged(system: System, x: int) -> bool:
    left = _f(system, "p", x) - _f(system, "q", x - 1)
    return left == (1 - system.q) * system.others(x) + system.p * system.others(x - 1)


def _plus_one(system: System, x: int) -> bool:
    left = _f(system, "p", x) - _f(system, "q", x + 1)
    right = -system.p * system.others(x) - (1 - system.q) * system.others(x + 1)
    return left == right <= 0


def _plus_one_exchanged(system: System, x: int) -> bool:
    left = _f(system, "p", x) - _f(system, "q", x + 1)
    return left == -system.q * system.others(x) - (1 - system.p) * system.others(x + 1)


_FREE = "F_X|S(x) = (1-s) C(x) + s C(x-1), s = p or q, an identity in p, q and the values of C"


# --- (19) ------------------------------------------------------------------------------------


def _equation_19(*, positive: bool, factor: int = 1) -> Statement:
    """(19) at x with Pr(f(D_{-i}) = x) > 0, or at every x of the alphabet of X."""

    def instances(effort: Effort) -> Iterator[Instance]:
        yield from systems(effort, rests=INTEGER)

    def fails(system: System, x: int) -> bool:
        if positive and not system.others(x):
            return False
        left = _f(system, "p", x) - _f(system, "q", x)
        p, q = system.p, system.q
        values = [system.others(x) * ((1 - p) - (1 - q)), system.others(x) * (q - p) * factor]
        sign = (q > p) - (q < p)
        return any(left != v for v in values) or (left > 0) - (left < 0) != sign

    def holds(at: Instance) -> Outcome:
        system = system_of(at)
        places = sorted({x + d for x in map(int, system.rest.alphabet) for d in (0, 1)})
        bad = [x for x in places if fails(system, x)]
        if not bad:
            return Outcome(Truth.TRUE)

        def certificate() -> Certificate:
            pair, others = written(system)
            x, sign = bad[0], "<=" if system.p < system.q else ">="
            left = pair.cumulative("p", x) - pair.cumulative("q", x)
            return Certificate(
                define=pair.define,
                hypotheses=[relation("=", others.mass("p", x), 0)],
                conclusion=[
                    relation("<" if sign == "<=" else ">", system.p, system.q),
                    relation(sign, left, 0),
                ],
            )

        return Outcome(
            Truth.FALSE,
            f"at x = {bad[0]} the difference is "
            f"{_f(system, 'p', bad[0]) - _f(system, 'q', bad[0])}",
            certificate,
        )

    def proof() -> Proved | None:
        import sympy

        p, q, g, low = sympy.symbols("p q G_x C", positive=True)
        values = [(1 - s) * (low + g) + s * low for s in (p, q)]
        if sympy.expand(values[0] - values[1] - g * ((1 - p) - (1 - q))) != 0:
            return None
        if sympy.expand(((1 - p) - (1 - q)) - (q - p)) != 0:
            return None
        return Proved("all p, q, all integer-valued f(D_-i), Pr(f(D_-i)=x) > 0", _FREE)

    printed = positive and factor == 1
    return Statement(
        instances=instances,
        holds=holds,
        strategy=(lambda: system_strategy(binary=False)) if printed else None,
        proof=proof if printed else None,
        false_variant=_equation_19(positive=True, factor=-1) if printed else None,
    )


# --- the supremum of the shifts --------------------------------------------------------------


class _Pairs(tuple[tuple[Fraction, Fraction], ...]):
    """(p_i, q_i) for each user."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(f"({p}, {q})" for p, q in self)


def _sup_is_one(*, distinct: bool, claimed: int = 1) -> Statement:
    """sup Δ* of (25) over all users, and of (17), is 1; the others of user i follow P_j."""

    def instances(effort: Effort) -> Iterator[Instance]:
        grid = [Fraction(k, 4) for k in range(5)]
        short = grid if effort is Effort.DEEP else grid[::2]
        one = [((p, q),) for p, q in product(grid, repeat=2)]
        two = product(product(short, repeat=2), repeat=2)
        for users in (*one, *two):
            if not distinct or any(p != q for p, q in users):
                yield Instance.of(users=_Pairs((p, q) for p, q in users))

    def strategy() -> Any:
        from hypothesis import strategies as st

        chance = st.integers(0, 30).map(lambda k: Fraction(k, 30))
        users = st.lists(st.tuples(chance, chance), min_size=1, max_size=4)
        return users.filter(lambda us: any(p != q for p, q in us)).map(
            lambda us: Instance.of(users=_Pairs(us))
        )

    def holds(at: Instance) -> Outcome:
        users = at["users"]
        assert isinstance(users, _Pairs)
        of_x, of_user = [], []
        for i, (p, q) in enumerate(users):
            others = [bernoulli(s) for j, (s, _) in enumerate(users) if j != i]
            first, second = (
                Cumulative.of(sum_of_independent([bernoulli(s), *others])) for s in (p, q)
            )
            alphabet = range(len(users) + 1)
            of_x.append(largest_shift(first, second, alphabet, shifts=Shifts.INTEGERS))
            own, other = Cumulative.of(bernoulli(p)), Cumulative.of(bernoulli(q))
            of_user.append(largest_shift(own, other, (0, 1), shifts=Shifts.INTEGERS))
        found = max(v for v in of_x if v is not None), max(v for v in of_user if v is not None)
        return Outcome(
            Truth.of(all(value == claimed for value in found)),
            f"sup of Delta* is {found[0]} by (25), {found[1]} by (17)",
            None if distinct else lambda: _no_shift(users),
        )

    def proof() -> Proved | None:
        import sympy

        p, q, g, up, down, low = sympy.symbols("p q G_x G_above G_below C", nonnegative=True)

        def f(s: Any, k: int) -> Any:
            values = [low, low + down, low + down + g, low + down + g + up]  # C(x - 2), ...
            return (1 - s) * values[2 + k] + s * values[1 + k]

        # Where p < q, F_P(x) − F_Q(x) = (q − p) G(x) > 0 at some x, and one step serves.
        gap = f(p, 0) - f(q, 0) - (q - p) * g
        right = f(q, 1) - f(p, 0) - (p * g + (1 - q) * up)
        left = f(p, 0) - f(q, -1) - ((1 - p) * g + q * down)
        if any(sympy.expand(difference) != 0 for difference in (gap, right, left)):
            return None
        return Proved(
            "all Bernoulli P_i, Q_i, distinct for some i",
            "p < q: F_P(x) - F_Q(x) = (q-p) G(x), positive at some x, and F_Q(x+1) - F_P(x) = "
            "p G(x) + (1-q) G(x+1) >= 0, so Delta* is 1 where it is not 0; p > q mirrored, with "
            "F_P(x) - F_Q(x-1) = (1-p) G(x) + q G(x-1) >= 0; (17) is the case without others",
        )

    printed = distinct and claimed == 1
    return Statement(
        instances=instances,
        holds=holds,
        strategy=strategy if printed else None,
        proof=proof if printed else None,
        false_variant=_sup_is_one(distinct=True, claimed=2) if printed else None,
    )


def _no_shift(users: _Pairs) -> Certificate:
    """Evidence, for one user with p = q, that Δ* is 0 at every x."""
    ((p, q),) = users
    first, second = bernoulli(p), bernoulli(q)
    pair = LinePair.of(first, second, points=(0, 1))
    conclusion = []
    for x in (0, 1):
        step, relations = shift_relations(pair, first, second, x, shifts=Shifts.INTEGERS)
        assert step == 0  # p = q
        conclusion += relations
    return Certificate(define=pair.define, conclusion=conclusion)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "ding2025/lemma-5": {
        "": one_over_epsilon(
            _all_systems, strategy=lambda: system_strategy(binary=False, bases=BASES)
        )
    },
    "ding2025/equation-19": {
        "a": _equation_19(positive=True),
        "b": _equation_19(positive=False),
    },
    "ding2025/lemma-5/proof/shift-minus-one": {
        "": _display(
            _minus_one,
            symbolic=lambda f, p, q, g, below, above: [
                f(p, 0) - f(q, -1) - (1 - p) * g - q * below
            ],
            by=f"{_FREE}; the right side is a sum of products of numbers >= 0",
            wrong=_minus_one_exchanged,
        )
    },
    "ding2025/lemma-5/proof/shift-plus-one": {
        "": _display(
            _plus_one,
            symbolic=lambda f, p, q, g, below, above: [f(p, 0) - f(q, 1) + p * g + (1 - q) * above],
            by=f"{_FREE}; the right side is minus a sum of products of numbers >= 0",
            wrong=_plus_one_exchanged,
        )
    },
    "ding2025/lemma-5/proof/sup-one": {
        "a": _sup_is_one(distinct=False),
        "b": _sup_is_one(distinct=True),
    },
}
