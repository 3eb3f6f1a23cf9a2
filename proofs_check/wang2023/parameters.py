"""The table of parameters as published bounds: β, the total variation of two rows.

Each is compared with the rows themselves, summed over the messages that tell the two inputs apart.
"""

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

from exactdp.bounds import BoundedNumber, PublishedBound, one_number
from exactdp.claims.domains import Domain
from exactdp.claims.kinds import Numbers, integers, reals
from exactdp.numbers import Exact
from proofs_check.wang2023 import bounds

UNITS = {
    "d": "options",
    "k": "options in a subset",
    "l": "values of a hash",
    "K": "messages",
    "s": "messages that an input prefers",
}


def row(
    name: str,
    printed: Callable[..., Any],
    kinds: dict[str, Numbers],
    true: Callable[..., Exact],
    of: str,
    *given: Callable[..., Any],
    **rest: Any,
) -> PublishedBound:
    """Return a row of the table, with the total variation of the rows of its randomizer."""

    def truth(**at: Any) -> BoundedNumber:
        return one_number(f"two rows of {of}", true(**at))

    return PublishedBound(
        f"wang2023/parameters#{name}",
        printed,
        Domain({"epsilon": reals(above=0), **kinds}, given),
        bounds="total variation",
        of=f"two rows of {of}",
        truth=truth,
        units=UNITS,
        **rest,
    )


def general_rr(f: Any, *, epsilon: Any, d: Any) -> Any:
    """Return (e^eps - 1)/(e^eps + d - 1)."""
    return bounds.total_variation(f, epsilon=epsilon, others=d - 1)


def local_hash(f: Any, *, epsilon: Any, l: Any) -> Any:  # noqa: E741
    """Return (e^eps - 1)/(e^eps + l - 1)."""
    return bounds.total_variation(f, epsilon=epsilon, others=l - 1)


def rappor(f: Any, *, epsilon: Any) -> Any:
    """Return (e^(eps/2) - 1)/(e^(eps/2) + 1)."""
    return bounds.total_variation(f, epsilon=epsilon / 2, others=1)


def hadamard(f: Any, *, epsilon: Any, K: Any, s: Any) -> Any:
    """Return (s (e^eps - 1)/2)/(s e^eps + K - s)."""
    return bounds.hadamard_variation(f, k=K, s=s, epsilon=epsilon)


def in_two_bits(epsilon: Fraction) -> Exact:
    """Return the total variation of two unary encodings, which differ in two bits."""
    root = Exact.exp(epsilon / 2)
    true = root / (1 + root)
    return true**2 - (1 - true) ** 2


def in_subsets(epsilon: Fraction, d: int, k: int) -> Exact:
    """Return the mass that subsets with the first input but not the second one gain."""
    x = Exact.exp(epsilon)
    return comb(d - 2, k - 1) * (x - 1) / (comb(d - 1, k - 1) * x + comb(d - 1, k))


def in_response(epsilon: Fraction, k: int) -> Exact:
    """Return the gap of k-ary response in one message."""
    x = Exact.exp(epsilon)
    return x / (x + k - 1) - 1 / (x + k - 1)


def in_codewords(epsilon: Fraction, size: int, s: int) -> Exact:
    """Return the gap in the s/2 messages that one input prefers and the other does not."""
    x = Exact.exp(epsilon)
    each = 1 / (s * x + size - s)
    return Exact(Fraction(s, 2)) * (x * each - each)


PARAMETERS = [
    row(
        "general-rr",
        general_rr,
        {"d": integers(2)},
        lambda epsilon, d: in_response(epsilon, d),
        "randomized response on d options",
        stable=lambda f, *, epsilon, d: bounds.stable_variation(f, epsilon=epsilon, others=d - 1),
    ),
    row(
        "rappor",
        rappor,
        {},
        in_two_bits,
        "RAPPOR",
        stable=lambda f, *, epsilon: bounds.stable_variation(f, epsilon=epsilon / 2, others=1),
    ),
    row(
        "k-subset",
        bounds.subset_variation,
        {"d": integers(2, 1000), "k": integers(1, lambda d: d - 1)},
        in_subsets,
        "k-subset selection on d options",
        stable=bounds.stable_subset_variation,
        counts=("d", "k"),
    ),
    row(
        "local-hash",
        local_hash,
        {"l": integers(2)},
        lambda epsilon, l: in_response(epsilon, l),  # noqa: E741
        "local hashing of two inputs that never collide",
        stable=lambda f, *, epsilon, l: bounds.stable_variation(f, epsilon=epsilon, others=l - 1),  # noqa: E741
    ),
    row(
        "hadamard",
        hadamard,
        {"K": integers(2), "s": integers(1, lambda K: K - 1)},
        lambda epsilon, K, s: in_codewords(epsilon, K, s),
        "Hadamard response, s of K messages preferred by each input, half of them by both",
        stable=lambda f, *, epsilon, K, s: bounds.stable_hadamard_variation(
            f, epsilon=epsilon, k=K, s=s
        ),
    ),
    row(
        "any",
        lambda f, *, epsilon: bounds.total_variation(f, epsilon=epsilon, others=1),
        {},
        lambda epsilon: in_response(epsilon, 2),
        "any ε-private randomizer",
        stable=lambda f, *, epsilon: bounds.stable_variation(f, epsilon=epsilon, others=1),
    ),
]
