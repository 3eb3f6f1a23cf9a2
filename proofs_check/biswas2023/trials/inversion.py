"""Section V-A: matrix inversion (shuffle+INV)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, Term, relation, term
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.divergences import Pair, hockey_stick_divergence
from exactdp.numbers import (
    Exact,
)
from exactdp.truth import Truth
from proofs_check.biswas2023.proof_steps import vanishes
from proofs_check.biswas2023.protocol import histogram_view, rows

__all__ = ["TRIALS"]

Matrix = list[list[Exact]]

# --- matrix inversion -----------------------------------------------------------------------


def _inverse(x: Any, k: int) -> list[list[Any]]:
    """R^-1 = ((x+k-1) I - J) / (x-1), J all ones."""
    return [
        [((x + (k - 1) if i == j else 0 * x) - 1) / (x - 1) for j in range(k)] for i in range(k)
    ]


def _times(a: Sequence[Sequence[Any]], b: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [
        [
            sum((row[m] * b[m][j] for m in range(1, len(b))), row[0] * b[0][j])
            for j in range(len(b[0]))
        ]
        for row in a
    ]


def _inverse_proof() -> Proved | None:
    import sympy

    x, k = sympy.symbols("x k")
    # (a I + b J)(a' I + b' J) = a a' I + (a b' + b a' + k b b') J
    a, b = (x - 1) / (x + k - 1), 1 / (x + k - 1)
    c, d = (x + k - 1) / (x - 1), -1 / (x - 1)
    if not (vanishes(a * c - 1) and vanishes(a * d + b * c + k * b * d)):
        return None
    return Proved("all k >= 1, eps0 > 0", "R ((x+k-1) I - J)/(x-1) = I in Q(x, k); x > 1")


def _inverse_exists(*, offset: int = 0) -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        for k in range(2, 7):
            for x in (Fraction(2), Fraction(3, 2), Fraction(11, 10)):
                yield Instance.of(k=k, exp_epsilon0=x)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, k = Exact(v["exp_epsilon0"]), v["k"]
        matrix = _times(rows(x, k), _inverse(x + offset, k))
        identity = all(matrix[i][j] == int(i == j) for i in range(k) for j in range(k))
        return Outcome(Truth.of(identity), f"R R^-1 has entry {matrix[0][0]}")

    return Statement(
        instances=instances,
        holds=holds,
        proof=_inverse_proof if offset == 0 else None,
        false_variant=_inverse_exists(offset=1) if offset == 0 else None,
    )


def _inverse_is_stochastic() -> Statement:
    def instances(effort: Effort) -> Iterator[Instance]:
        yield Instance.of(k=2, exp_epsilon0=Fraction(2))

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, k = Exact(v["exp_epsilon0"]), v["k"]
        inverse = _inverse(x, k)
        smallest = min(entry for row in inverse for entry in row)

        def certificate() -> Certificate:
            # The kernel recomputes R R^-1 = I, so the entries are those of the inverse.
            matrix, inv = rows(term(x), k), [[term(entry) for entry in row] for row in inverse]
            return Certificate(
                hypotheses=[
                    relation("=", entry, int(i == j))
                    for i, row in enumerate(_times(matrix, inv))
                    for j, entry in enumerate(row)
                ],
                conclusion=[relation("<", inv[0][1], 0)],
            )

        return Outcome(Truth.of(smallest >= 0), f"R^-1 has the entry {smallest}", certificate)

    return Statement(instances=instances, holds=holds)


def _histograms(n: int, k: int) -> Iterator[tuple[int, ...]]:
    for h in product(range(n + 1), repeat=k):
        if sum(h) == n:
            yield h


def _inverted(h: Sequence[int], x: Exact, k: int) -> list[Exact]:
    """h R^-1 / n."""
    n = sum(h)
    return _times([[Exact(Fraction(c, n)) for c in h]], _inverse(x, k))[0]


def _projected(point: Sequence[Exact]) -> list[Exact]:
    """The Euclidean projection on the probability simplex (Wang, Carreira-Perpinan 2013)."""
    ordered = sorted(point, reverse=True)
    shift, total = Exact(0), Exact(0)
    for size, value in enumerate(ordered, start=1):
        total += value
        candidate = (1 - total) / size
        if value + candidate > 0:
            shift = candidate
    return [max(Exact(0), value + shift) for value in point]


def _likelihood(h: Sequence[int], pi: Sequence[Any], x: Any, k: int) -> Any:
    """The likelihood of pi: the product over messages y of ((pi R)_y)^(h_y)."""
    result = x**0
    for y, probability in enumerate(_times([list(pi)], rows(x, k))[0]):
        if h[y]:
            result = result * probability ** h[y]
    return result


def _is_most_likely(*, projected: bool) -> Statement:
    """The estimate maximizes the likelihood over the probability simplex."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 5):
            for k in range(2, 4):
                for x in (Fraction(2), Fraction(4)):
                    for h in _histograms(n, k):
                        if list(h) == sorted(h, reverse=True):
                            yield Instance.of(n=n, k=k, exp_epsilon0=x, histogram=h)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        x, k, h = Exact(v["exp_epsilon0"]), v["k"], v["histogram"]
        estimate = _inverted(h, x, k)
        negative = min(estimate)
        if not projected:
            return Outcome(
                Truth.of(negative >= 0),
                f"the estimate {[str(e) for e in estimate]} is no distribution",
                lambda: Certificate(
                    conclusion=[relation("<", _inverted_term(h, x, k, estimate.index(negative)), 0)]
                ),
            )
        point = _projected(estimate)
        # The likelihood is log-concave: the point is a maximum exactly if no vertex
        # has a gradient above n (then moving towards that vertex gains).
        seen = _times([point], rows(x, k))[0]
        gradient = [
            sum((h[y] * rows(x, k)[vertex][y] / seen[y] for y in range(k) if h[y]), Exact(0))
            for vertex in range(k)
        ]
        steepest = max(range(k), key=lambda i: gradient[i])
        if gradient[steepest] <= sum(h):
            return Outcome(Truth.TRUE)
        better = _towards(point, steepest, h, x, k)
        return Outcome(
            Truth.FALSE,
            f"the projection {[str(e) for e in point]} is less likely than "
            f"{[str(e) for e in better]}",
            lambda: Certificate(
                conclusion=[
                    relation(
                        ">",
                        _likelihood(h, [term(e) for e in better], term(x), k),
                        _likelihood(h, [term(e) for e in point], term(x), k),
                    )
                ]
            ),
        )

    return Statement(instances=instances, holds=holds)


def _towards(
    point: Sequence[Exact], vertex: int, h: Sequence[int], x: Exact, k: int
) -> list[Exact]:
    """Return a more likely distribution on the way to a vertex."""
    step = Fraction(1, 2)
    while True:
        moved = [(1 - step) * p + (step if i == vertex else 0) for i, p in enumerate(point)]
        if _likelihood(h, moved, x, k) > _likelihood(h, point, x, k):
            return moved
        step /= 2


def _inverted_term(h: Sequence[int], x: Exact, k: int, index: int) -> Term:
    n = sum(h)
    result: Term = _times([[term(Fraction(c, n)) for c in h]], _inverse(term(x), k))[0][index]
    return result


def _is_unbiased(*, projected: bool) -> Statement:
    """E(estimate) = pi, over the messages of users whose values have distribution pi."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4):
            for k in range(2, 4):
                for data in product(range(k), repeat=n):
                    if list(data) == sorted(data):
                        yield Instance.of(n=n, k=k, exp_epsilon0=Fraction(2), data=data)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, k, x, data = v["n"], v["k"], Exact(v["exp_epsilon0"]), v["data"]
        true = [Exact(Fraction(data.count(i), n)) for i in range(k)]
        mean = _mean(data, x, k, projected=projected)

        def certificate() -> Certificate:
            wrong = next(i for i in range(k) if mean[i] != true[i])
            return Certificate(
                conclusion=[
                    relation("!=", _mean_term(data, x, k, wrong, projected=projected), true[wrong])
                ]
            )

        return Outcome(
            Truth.of(mean == true),
            f"E = {[str(m) for m in mean]}, pi = {[str(t) for t in true]}",
            certificate,
        )

    def proof() -> Proved | None:
        if _inverse_proof() is None:
            return None
        return Proved(
            "all n, k, eps0 > 0 and datasets", "E is linear: E(frequencies) = pi R, and R R^-1 = I"
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if projected else proof,
        false_variant=None if projected else _is_unbiased(projected=True),
    )


def _estimates(
    data: Sequence[int], x: Exact, k: int, *, projected: bool
) -> Iterator[tuple[tuple[int, ...], list[Exact]]]:
    for messages in product(range(k), repeat=len(data)):
        estimate = _inverted([messages.count(y) for y in range(k)], x, k)
        yield messages, _projected(estimate) if projected else estimate


def _mean(data: Sequence[int], x: Exact, k: int, *, projected: bool) -> list[Exact]:
    matrix = rows(x, k)
    total = [Exact(0)] * k
    for messages, estimate in _estimates(data, x, k, projected=projected):
        weight = Exact(1)
        for i, y in zip(data, messages, strict=True):
            weight *= matrix[i][y]
        total = [t + weight * e for t, e in zip(total, estimate, strict=True)]
    return total


def _mean_term(data: Sequence[int], x: Exact, k: int, index: int, *, projected: bool) -> Term:
    matrix = rows(term(x), k)
    total = term(0)
    for messages, estimate in _estimates(data, x, k, projected=projected):
        weight = term(estimate[index])
        for i, y in zip(data, messages, strict=True):
            weight = weight * matrix[i][y]
        total = total + weight
    return total


def _inversion_keeps_privacy(*, harmful: bool = False) -> Statement:
    """delta of the inverted (and projected) histogram is at most delta of the histogram.

    The false variant compares with the count of x_0 alone: more than the view reveals.
    """

    def instances(effort: Effort) -> Iterator[Instance]:
        for n in range(1, 4):
            for k in range(2, 4):
                for e in (Fraction(1), Fraction(5, 4), Fraction(2)):
                    yield Instance.of(n=n, k=k, exp_epsilon0=Fraction(3), exp_epsilon=e)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        n, k, x, e = v["n"], v["k"], Exact(v["exp_epsilon0"]), Exact(v["exp_epsilon"])
        view = histogram_view(x, k, [(k - 1, n - 1)])
        pair = view.pair
        images: dict[object, list[Exact]] = {}
        for outcome, (p, q) in zip(pair.outcomes or (), pair.masses(), strict=True):
            full = _spread(outcome, view.classes, k)
            image = tuple(_projected(_inverted(full, x, k))) if not harmful else full[0]
            held = images.setdefault(image, [Exact(0), Exact(0)])
            held[0], held[1] = held[0] + p, held[1] + q
        after = hockey_stick_divergence(
            Pair.from_masses([p for p, _ in images.values()], [q for _, q in images.values()]),
            exp_epsilon=e,
        )
        before = hockey_stick_divergence(pair, exp_epsilon=e)
        fine = after >= before if harmful else after <= before
        return Outcome(Truth.of(fine), f"{after} after, {before} before")

    def proof() -> Proved | None:
        # max(0, a + b) <= max(0, a) + max(0, b): checked on each cone of signs, where
        # both sides are linear, at the cone's generators.
        generators = [(1, 0), (0, 1), (1, -1), (-1, 1), (-1, 0), (0, -1)]
        if any(max(0, a + b) > max(0, a) + max(0, b) for a, b in generators):
            return None
        return Proved(
            "all n, k, eps0, eps and datasets",
            "the estimate is a function of the histogram: data processing, from "
            "max(0, a+b) <= max(0, a) + max(0, b), linear between the rays where it was checked",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=None if harmful else proof,
        false_variant=None if harmful else _inversion_keeps_privacy(harmful=True),
    )


def _spread(outcome: Any, classes: Sequence[tuple[int, ...]], k: int) -> list[int]:
    """A histogram of classes as one of messages (a class's count on its first message)."""
    full = [0] * k
    for count, members in zip(outcome, classes, strict=True):
        full[members[0]] += int(count)
    return full


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "biswas2023/footnote-5/inverse": {"": _inverse_exists()},
    "biswas2023/section-V-A/stochastic-channels": {"": _inverse_is_stochastic()},
    "biswas2023/section-V-A/most-likely-estimate": {
        "a": _is_most_likely(projected=False),
        "b": _is_most_likely(projected=True),
    },
    "biswas2023/equation-7": {
        "a": _is_unbiased(projected=False),
        "b": _is_unbiased(projected=True),
    },
    "biswas2023/section-I/post-processing": {"": _inversion_keeps_privacy()},
}
