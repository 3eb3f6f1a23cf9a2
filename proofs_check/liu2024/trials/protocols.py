"""Protocols with users of their own randomizers, and Theorems 1 and 2 for the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import NamedTuple

from exactdp.certificates import (
    Relation,
    Term,
    hockey_stick,
    mass,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view
from proofs_check.liu2024.confounding import other_confounding, victim_confounding
from proofs_check.liu2024.curves import clone_count_weights
from proofs_check.liu2024.trials.rows import Matrix, binary, matrix_term, other_term, victim_term

__all__ = [
    "ROWS",
    "Profile",
    "best_delta",
    "best_delta_term",
    "condition_relations",
    "definitions_of",
    "delta_term",
    "other_terms",
    "response_profiles",
    "sums_terms",
    "trade_off_term",
    "users_of",
    "victim_probability_term",
    "view_delta_term",
    "view_term",
    "weights_terms",
]

ROWS = ref("R")


class Profile(NamedTuple):
    """Users: rows 0 and 1 are the victim's, row j of the others is sent by counts[j − 2] users."""

    rows: Matrix
    counts: tuple[int, ...] = ()
    delta_1: Fraction = Fraction(0)

    @property
    def n(self) -> int:
        """The number of users."""
        return 1 + sum(self.counts)

    @property
    def w(self) -> Exact:
        """p_1, the least of its probabilities."""
        return victim_confounding(*self._exact[:2], delta=Exact(self.delta_1)).least

    @property
    def others(self) -> list[Exact]:
        """The p_i of the other users (δ_i = 0)."""
        rows = self._exact
        return [
            min(other_confounding(rows[0], rows[1], row))
            for row, count in zip(rows[2:], self.counts, strict=True)
            for _ in range(count)
        ]

    @property
    def weights(self) -> list[Exact]:
        """The w_i^0."""
        return clone_count_weights(self.others)

    def view(self) -> ShuffleView:
        """Return what the analyzer sees."""
        r = Randomizer.from_matrix(self.rows)
        users = [Users(r, 2 + j, count) for j, count in enumerate(self.counts)]
        return shuffle_view(Victim(r), users)

    def delta(self, exp_epsilon: Exact | Fraction) -> Exact:
        """Return the least δ for this dataset, over both directions."""
        r = Randomizer.from_matrix(self.rows)
        users = [Users(r, 2 + j, count) for j, count in enumerate(self.counts)]
        return max(
            shuffle_view(Victim(r, pair), users).hockey_stick_divergence(exp_epsilon=exp_epsilon)
            for pair in ((0, 1), (1, 0))
        )

    @property
    def _exact(self) -> tuple[tuple[Exact, ...], ...]:
        return Randomizer.from_matrix(self.rows).rows


def response_profiles(
    n: int, *, ratios: Sequence[int] = (2, 3, 5, 9), inputs: Sequence[int] = (0, 1)
) -> Iterator[tuple[tuple[int, ...], Profile]]:
    """Yield (e^ε_1, e^ε_2, ...) and users of binary randomized response, ε_i < ε_1.

    For ε_i = ε_1 and x_i = x_1^0 the strict inequalities give p_i = 0.
    """
    for first in ratios:
        smaller = [x for x in ratios if x < first]
        for rest in combinations_with_replacement(smaller, n - 1):
            for data in product(inputs, repeat=n - 1):
                own = [binary(x, y) for x, y in zip(rest, data, strict=True)]
                counts = tuple(1 for _ in own)
                yield (first, *rest), Profile((binary(first), binary(first, 1), *own), counts)


def best_delta(
    weights: Sequence[Exact], *, w: Exact, exp_epsilon: Exact | Fraction, delta_1: Fraction
) -> Exact:
    """Return the largest value of (5) over t, sums from i = 0: the bound as it is meant.

    With A = (1 − δ_1)(1 − 2w) and B = e^ε − 2w(1 − δ_1) − δ_1 it is A D_{B/A} of the clones'
    pair for w = 0, or A Pr[C = 0] + ...: Σ_i w_i max_k (A F_i(k) − B F_i(k − 1)).
    """
    a, b = _slopes(w, exp_epsilon, delta_1)
    total = Exact(0)
    for i, weight in enumerate(weights):
        if not weight:
            continue
        best = below = Exact(0)
        mass_k = Exact(Fraction(1, 2**i))
        for k in range(i + 1):
            best = max(best, a * (below + mass_k) - b * below)
            below += mass_k
            mass_k = mass_k * (i - k) / (k + 1)
        total += weight * best
    return total


def _slopes(w: Exact, exp_epsilon: Exact | Fraction, delta_1: Fraction) -> tuple[Exact, Exact]:
    return (1 - delta_1) * (1 - 2 * w), exp_epsilon - 2 * w * (1 - delta_1) - delta_1


# --- for the kernel ------------------------------------------------------------------------


def view_term(profile: Profile, *, inputs: tuple[int, int] = (0, 1)) -> Term:
    """Return the view; inputs (1, 0) for the other direction."""
    others = [(2 + j, count) for j, count in enumerate(profile.counts)]
    return shuffle_pair(profile.rows, inputs=inputs, others=others)


def victim_probability_term(profile: Profile) -> Term:
    """Return p_1 from the definition "R" of the rows: Pr[R(x_1^0) ∈ S], T_δ empty."""
    return victim_term(ROWS, len(profile.rows[0]))


def other_terms(profile: Profile) -> list[tuple[Term, int]]:
    """Return the p_i from the definition "R" of the rows, with their numbers of users."""
    letters = len(profile.rows[0])
    found = []
    for j, count in enumerate(profile.counts):
        ends = [
            other_term(ROWS, letters, near=near, far=1 - near, other=2 + j).json for near in (0, 1)
        ]
        found.append((Term(["min", *ends]), count))
    return found


def definitions_of(profile: Profile) -> list[tuple[str, Term]]:
    """Return the definitions R, w, p_2, p_3, ... of the rows and the paper's probabilities."""
    return [
        ("R", matrix_term(profile.rows)),
        ("w", victim_probability_term(profile)),
        *((f"p_{j + 2}", p) for j, (p, _) in enumerate(other_terms(profile))),
    ]


def users_of(profile: Profile) -> list[tuple[Term, int]]:
    """Return references to the p_i of :func:`definitions_of`, with numbers of users."""
    return [(ref(f"p_{j + 2}"), count) for j, count in enumerate(profile.counts)]


def view_delta_term(profile: Profile) -> Term:
    """Return the larger D of both directions, e^ε being the definition "gamma"."""
    return Term(
        [
            "max",
            *(
                hockey_stick(view_term(profile, inputs=inputs), ref("gamma")).json
                for inputs in ((0, 1), (1, 0))
            ),
        ]
    )


def weights_terms(others: Sequence[tuple[Term, int]]) -> list[Term]:
    """Return the w_i^0 from the p_i: a count among users who say yes with 2 p_i."""
    n = 1 + sum(count for _, count in others)
    rows: list[list[Term]] = [[term(1), term(0)], [term(1), term(0)]]
    rows += [[1 - 2 * p, 2 * p] for p, _ in others]
    users = [(2 + j, count) for j, (_, count) in enumerate(others)]
    pair = shuffle_pair(rows, inputs=(0, 1), others=users)
    return [mass(pair, "p", [n - i, i]) for i in range(n)]


def best_delta_term(
    w: Term, others: Sequence[tuple[Term, int]], exp_epsilon: Term, delta_1: Term
) -> Term:
    """Return :func:`best_delta` as A D_{B/A}(P_0 ‖ Q_0), the pair without w."""
    a = (1 - delta_1) * (1 - 2 * w)
    b = exp_epsilon - 2 * w * (1 - delta_1) - delta_1
    rows: list[list[Term]] = [
        [term(1), term(0), term(0)],
        [term(0), term(1), term(0)],
        *([p, p, 1 - 2 * p] for p, _ in others),
    ]
    users = [(2 + j, count) for j, (_, count) in enumerate(others)]
    return a * hockey_stick(shuffle_pair(rows, inputs=(0, 1), others=users), b / a)


def sums_terms(weights: Sequence[Term], t: Fraction, *, first: int) -> tuple[Term, Term]:
    """Return Σ_i w_i F_i(i − x) and Σ_i w_i F_i(i + 1 − x), x = (i + 1)/(t + 1)."""
    alpha, plus = term(0), term(0)
    for i in range(first, len(weights)):
        top = (i + 1 - Fraction(i + 1) / (t + 1)).__floor__()
        alpha += weights[i] * _tail(i, top - 1)
        plus += weights[i] * _tail(i, top)
    return alpha, plus


def trade_off_term(
    alpha: Term, plus: Term, w: Term, delta_1: Fraction, *, complement: bool
) -> Term:
    """Return f_s(α) of Theorem 1, as printed or with 1 − F_i."""
    value = 1 - plus if complement else plus
    pure = 2 * w * (1 - alpha) + (1 - 2 * w) * value
    return (1 - delta_1) * pure + delta_1 * (1 - alpha)


def delta_term(alpha: Term, plus: Term, w: Term, exp_epsilon: Fraction) -> Term:
    """Return (5) for δ_1 = 0."""
    return (2 * w - exp_epsilon) * alpha + (1 - 2 * w) * plus


def condition_relations(
    n: int, w: Term, exp_epsilon: Fraction, t: Fraction, before: Sequence[Fraction]
) -> list[Relation]:
    """Return why t is t_ε (δ_1 = 0): its condition holds there and at no earlier step of l.

    Where the denominator of l is 0, l is minus infinity.
    """
    found = []
    for at in (*before, t):
        top, bottom = _slope_terms(n, at)
        if _denominator(n, at) == 0:
            found.append(relation("=", bottom, 0))
            continue
        value = (1 - 2 * w) * (-(top / bottom)) - 2 * w
        found.append(relation(">=" if at == t else "<", value, -exp_epsilon))
    return found


def _denominator(n: int, t: Fraction) -> Fraction:
    ends = [(i - Fraction(i + 1) / (t + 1)).__floor__() for i in range(1, n)]
    return sum((Fraction(comb(i, k), 2**i) for i, k in enumerate(ends, 1) if k >= 0), Fraction(0))


def _slope_terms(n: int, t: Fraction) -> tuple[Term, Term]:
    upper, lower = term(0), term(0)
    for i in range(1, n):
        k = (i + 1 - Fraction(i + 1) / (t + 1)).__floor__()
        upper += _mass_term(i, k)
        lower += _mass_term(i, k - 1)
    return upper, lower


def _mass_term(i: int, k: int) -> Term:
    return Term(["binomial", i, k]) * Fraction(1, 2**i)


def _tail(i: int, k: int) -> Term:
    body = ["binomial", i, {"ref": "k"}]
    return Term(["sum", "k", 0, min(k, i), body]) * Fraction(1, 2**i)
