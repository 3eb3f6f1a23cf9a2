"""Lemma 4.5: from mixtures to counts, and the post-processing that is to prove it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import (
    Certificate,
    hockey_stick,
    mass,
    ref,
    relation,
    shuffle_pair,
    term,
)
from exactdp.claims import Effort, Instance, Open, Outcome, Statement
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Exact, decimal
from exactdp.shuffle import ShuffleView, Users, Victim, shuffle_view
from exactdp.truth import Truth

__all__ = ["TRIALS", "compared", "count_rows", "rows_view", "shapes"]

Row = Sequence[Fraction]


def shapes() -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Yield p, α and r, simplest first: a victim who always sends a letter, then others."""
    for p in (Fraction(2), Fraction(3)):
        for part, share in product((Fraction(1), Fraction(3, 4)), (Fraction(1), Fraction(1, 2))):
            alpha = part / (p + 1)
            yield p, alpha, share * alpha


def count_rows(p: Fraction, alpha: Fraction, r: Fraction) -> list[list[Fraction]]:
    """Return rows whose view is the pair: victim under P, under Q, another user."""
    rest = 1 - alpha - p * alpha
    return [[p * alpha, alpha, rest], [alpha, p * alpha, rest], [r, r, 1 - 2 * r]]


def rows_view(rows: Sequence[Row], n: int) -> ShuffleView:
    """Return the view of a victim with rows 0 and 1 and n − 1 others with row 2."""
    matrix = Randomizer.from_matrix(rows)
    return shuffle_view(Victim(matrix), [Users(matrix, 2, n - 1)])


def compared(true: Exact, bound: Exact) -> Outcome:
    """Return whether true <= bound, with both and the slack."""
    found = f"divergence {decimal(true, digits=6)}, claimed at most {decimal(bound, digits=6)}"
    slack = (bound / true).as_fraction() if true > 0 else None
    return Outcome(Truth.of(true <= bound), found, slack=slack)


# --- Lemma 4.5 -----------------------------------------------------------------------------


def _lemma_4_5() -> Statement:
    """Messages 0, 1, 2 are Q_1^0, Q_1^1, Q_1; all others have one law of leftovers."""
    third = Fraction(1, 3)
    leftovers = [(0, 0, 1), (1, 0, 0), (third, third, third)]

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, (p, alpha, r), leftover in product((1, 2, 3), shapes(), leftovers):
            for i in range(4):
                g = 1 + (p - 1) * Fraction(i, 4)
                yield Instance.of(n=n, p=p, alpha=alpha, r=r, leftover=leftover, exp_epsilon=g)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, g, r = v["n"], v["exp_epsilon"], v["r"]
        counts = count_rows(v["p"], v["alpha"], r)
        letters = (r, r, 0)
        other = [a + (1 - 2 * r) * b for a, b in zip(letters, v["leftover"], strict=True)]
        rows = [*counts[:2], other]
        true, bound = (
            rows_view(matrix, n).hockey_stick_divergence(exp_epsilon=g) for matrix in (rows, counts)
        )
        outcome = compared(true, bound)
        if outcome.truth is not Truth.FALSE:
            return outcome
        return Outcome(Truth.FALSE, outcome.found, lambda: certificate(v, rows))

    def certificate(v: Mapping[str, Any], rows: Sequence[Row]) -> Certificate:
        """The other user's row is the mixture, with a law that the kernel sees as the last row."""
        r, leftover = v["r"], [Fraction(m) for m in v["leftover"]]
        counts = count_rows(v["p"], v["alpha"], r)
        letters = [term(r), term(r), term(0)]
        mixture = [a + (1 - 2 * term(r)) * b for a, b in zip(letters, leftover, strict=True)]
        others = [(2, v["n"] - 1)]
        return Certificate(
            define=[
                ("view", shuffle_pair([*rows, leftover], inputs=(0, 1), others=others)),
                ("counts", shuffle_pair(counts, inputs=(0, 1), others=others)),
            ],
            hypotheses=[relation("=", a, b) for a, b in zip(rows[2], mixture, strict=True)],
            conclusion=[
                relation(">", *(hockey_stick(ref(x), v["exp_epsilon"]) for x in ("view", "counts")))
            ],
        )

    return Statement(instances=instances, holds=holds)


# --- Appendix C ----------------------------------------------------------------------------


def _weight(n: int, c: int, p: Any, alpha: Any, r: Any) -> Any:
    """Return w, the printed probability that one leftover is replaced by the victim's."""
    victim = (n - c) * (1 - p * alpha - alpha) * 2 * r
    return victim / (victim + c * (p * alpha + alpha) * (1 - 2 * r))


def _post_processing() -> Statement:
    """Compare the probability of a zeros, b ones and the victim's 2, outcome by outcome."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n, (p, alpha, r) in product((1, 2, 3), shapes()):
            if 2 * r < 1 and (p + 1) * alpha < 1:
                for a, b in product(range(n + 1), repeat=2):
                    if a + b < n:
                        yield Instance.of(n=n, p=p, alpha=alpha, r=r, a=a, b=b)

    def labels(v: Mapping[str, Any]) -> list[list[Fraction]]:
        """Return the rows with the victim's leftover, message 2, apart from others', 3."""
        first, second, other = count_rows(v["p"], v["alpha"], v["r"])
        return [[*first, Fraction(0)], [*second, Fraction(0)], [*other[:2], Fraction(0), other[2]]]

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, a, b = v["n"], v["a"], v["b"]
        counts = rows_view(count_rows(v["p"], v["alpha"], v["r"]), n)
        apart = rows_view(labels(v), n)
        claimed = _mass(counts, {0: a, 1: b, 2: n - a - b}) * _weight(
            n, a + b, v["p"], v["alpha"], v["r"]
        )
        true = _mass(apart, {0: a, 1: b, 2: 1, 3: n - a - b - 1})
        return Outcome(
            Truth.of(true == claimed),
            f"P(a zeros, b ones, one 2) is {true}, the post-processing has {claimed}",
            lambda: certificate(v),
        )

    def certificate(v: Mapping[str, Any]) -> Certificate:
        n, a, b, others = v["n"], v["a"], v["b"], [(2, v["n"] - 1)]
        rows = count_rows(v["p"], v["alpha"], v["r"])
        w = _weight(n, a + b, term(v["p"]), term(v["alpha"]), term(v["r"]))
        return Certificate(
            define=[
                ("counts", shuffle_pair(rows, inputs=(0, 1), others=others)),
                ("apart", shuffle_pair(labels(v), inputs=(0, 1), others=others)),
            ],
            conclusion=[
                relation(
                    "!=",
                    mass(ref("apart"), "p", [a, b, 1, n - a - b - 1]),
                    mass(ref("counts"), "p", [a, b, n - a - b]) * w,
                )
            ],
        )

    return Statement(instances=instances, holds=holds)


def _mass(view: ShuffleView, counts: Mapping[int, int]) -> Exact:
    """Return the mass under P of so many of each message; no messages may have merged."""
    wanted = tuple(sum(counts.get(y, 0) for y in part) for part in view.classes)
    assert all(len(part) == 1 for part in view.classes)
    outcomes = view.pair.outcomes or ()
    for outcome, (mass_under_p, _) in zip(outcomes, view.pair.masses(), strict=True):
        if outcome == wanted:
            return mass_under_p
    return Exact(0)


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "wang2023/lemma-4.5": {"": _lemma_4_5()},
    "wang2023/appendix-C/post-processing": {"": _post_processing()},
}
