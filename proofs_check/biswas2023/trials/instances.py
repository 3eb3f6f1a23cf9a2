"""Instances and outcomes that the trials of the theorem share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from exactdp.certificates import Certificate
from exactdp.claims import Effort, Instance, Outcome
from exactdp.numbers import Exact
from exactdp.truth import Truth
from proofs_check.biswas2023.bounds import Counts
from proofs_check.biswas2023.protocol import SIMPLE, definitions, hypotheses, small_counts

__all__ = [
    "Others",
    "certified",
    "compared",
    "count_instances",
    "count_strategy",
    "counts_of",
    "datasets",
    "epsilons",
    "histogram_instances",
    "histogram_strategy",
    "sign",
]

Others = tuple[tuple[int, int], ...]
"""The other users, as (input, count)."""


def epsilons() -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (e^eps0, e^eps) with 1 < e^eps, simplest first."""
    yield from sorted(
        product((v for v in SIMPLE if v >= 2 or v == Fraction(3, 2)), SIMPLE),
        key=lambda pair: (sum(v.numerator + v.denominator for v in pair), pair),
    )


def datasets(*, n: int, k: int, first_k: int = 2) -> Iterator[tuple[Counts, Others]]:
    """Yield all datasets of the other users, by n_x0 and up to renaming of inputs >= 2."""
    for c in small_counts(n=n, k=k, first_k=first_k):
        seen = set()
        for rest in combinations_with_replacement(range(1, c.k), c.b):
            counts = [rest.count(v) for v in range(1, c.k)]
            key = (counts[0] if counts else 0, tuple(sorted(counts[1:], reverse=True)))
            if key not in seen:
                seen.add(key)
                canonical = [c.n_x0, key[0], *key[1]]
                yield c, tuple((v, m) for v, m in enumerate(canonical) if m)


def count_instances(effort: Effort) -> Iterator[Instance]:
    """Yield small (n, k, n_x0, e^eps0, e^eps) for statements on the count of x_0."""
    largest = 4 if effort is Effort.DEFAULT else 7
    for c in small_counts(n=largest, k=3):
        for x, e in epsilons():
            yield Instance.of(n=c.n, k=c.k, n_x0=c.n_x0, exp_epsilon0=x, exp_epsilon=e)


def histogram_instances(effort: Effort, *, first_k: int = 2) -> Iterator[Instance]:
    """Yield small datasets with (e^eps0, e^eps) for statements on the whole histogram."""
    largest = 3 if effort is Effort.DEFAULT else 5
    for c, others in datasets(n=largest, k=4, first_k=first_k):
        for x, e in epsilons():
            yield Instance.of(
                n=c.n, k=c.k, n_x0=c.n_x0, others=others, exp_epsilon0=x, exp_epsilon=e
            )


def count_strategy() -> Any:
    """Return a strategy for instances on the count of x_0; shrinks to n = 1, k = 2."""
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        n, k = draw(st.integers(1, 7)), draw(st.integers(2, 6))
        n_x0 = draw(st.integers(0, n - 1))
        x, e = draw(_ratios()), draw(_ratios())
        return Instance.of(n=n, k=k, n_x0=n_x0, exp_epsilon0=x, exp_epsilon=e)

    return instances()


def histogram_strategy(*, first_k: int = 2) -> Any:
    """Return a strategy for datasets of all users; shrinks to n = 1 and the smallest k."""
    from hypothesis import strategies as st

    @st.composite
    def instances(draw: Any) -> Instance:
        n, k = draw(st.integers(1, 5)), draw(st.integers(first_k, first_k + 2))
        data = draw(st.lists(st.integers(0, k - 1), min_size=n - 1, max_size=n - 1))
        others = tuple((v, data.count(v)) for v in sorted(set(data)))
        x, e = draw(_ratios()), draw(_ratios())
        return Instance.of(
            n=n, k=k, n_x0=data.count(0), others=others, exp_epsilon0=x, exp_epsilon=e
        )

    return instances()


def _ratios() -> Any:
    """Values above 1, in steps that shrink to 2."""
    from hypothesis import strategies as st

    return st.builds(lambda a, b: 1 + Fraction(a, b), st.integers(1, 40), st.integers(1, 10))


def counts_of(v: Mapping[str, Any]) -> Counts:
    """Return the integers of an instance."""
    return Counts(v["k"], v["n"], v["n_x0"])


def certified(x: Exact, k: int, relations: Sequence[Any]) -> Callable[[], Certificate]:
    """Return a certificate of these relations for k-RR with e^eps0 = x, made when asked for."""
    return lambda: Certificate(
        define=definitions(x), hypotheses=hypotheses(x, k), conclusion=list(relations)
    )


def compared(
    claimed: Exact, truth: Exact, what: str, certificate: Callable[[], Certificate]
) -> Outcome:
    """Return whether a formula's value is the exact one, and on which side it misses."""
    if claimed == truth:
        return Outcome(Truth.TRUE)
    side = "below" if claimed < truth else "above"
    return Outcome(Truth.FALSE, f"formula {claimed}, {side} the exact {what} {truth}", certificate)


def sign(claimed: Exact, truth: Exact) -> str:
    """Return the sign between the truth and what is claimed."""
    return ">" if truth > claimed else "<"
