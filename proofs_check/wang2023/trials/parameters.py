# ruff: noqa: E741  (l is the printed name of a hash length)
"""The table of parameters: how far two rows of each randomizer are apart, by ratio and in all.

Of the (p, β)-variation and q-ratio properties with p = q = e^ε: D_{e^ε} of two rows is 0 (for all
inputs, so that p and q are one), and D_1, their total variation, is at most β.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb
from typing import Any

from hypothesis import strategies as st

from exactdp.claims.cases import cases
from exactdp.claims.domains import Sort, integers, objects, reals
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
)
from exactdp.numbers import Epsilon
from proofs_check.lemmas.mixtures import NEAR, Row, positive_laws, ratio
from proofs_check.lemmas.quantities import LAW, divergence
from proofs_check.lemmas.theorems import theorem

RATIOS = (Fraction(9, 4), Fraction(4), Fraction(16))
LESS = Fraction(99, 100)
"""So much of β is too little."""

INPUTS: dict[str, Sort] = {"v": integers(0, lambda d: d - 1), "w": integers(0, lambda d: d - 1)}
"""Any two inputs."""

TWO: dict[str, Any] = {"v__w": lambda d: [(0, 1), (d - 1, 0)]}


def properties(
    apart: Callable[[Any], Any], exp_epsilon: Any, beta: Any, factor: Any = 1
) -> list[Relation]:
    """D_{e^ε} of two rows is 0, and D_1 at most β."""
    return [equal(apart(exp_epsilon), 0), at_most(apart(1), beta if factor == 1 else factor * beta)]


def rows_apart(of: Randomizer, v: int, w: int, gamma: Any) -> Term:
    """D of two rows."""
    return hockey_stick(finite_pair(of.row(v), of.row(w)), gamma)


def beta_of_response(exp_epsilon: Any, others: Any) -> Any:
    """(e^ε − 1)/(e^ε + others), others messages beside the likeliest."""
    return (term(exp_epsilon) - 1) / (term(exp_epsilon) + others)


@quantity(
    "(hockey_stick Nat.eq_dec (randomized_response {0:nat} {1} {2:nat}) "
    "(randomized_response {0:nat} {1} {3:nat}) {4})",
    name="D",
)
def responses_apart(d: int, exp_epsilon: Any, v: int, w: int, gamma: Any) -> Term:
    """D of two rows of randomized response on d options."""
    return rows_apart(randomized_response(d, Epsilon.log(exp_epsilon)), v, w, gamma)


def general_rr(d: Any, exp_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^ε − 1)/(e^ε + d − 1)."""
    apart = partial(responses_apart, d, exp_epsilon, v, w)
    return properties(apart, exp_epsilon, beta_of_response(exp_epsilon, term(d) - 1), factor)


@quantity(
    "(hockey_stick (list_eq_dec Bool.bool_dec) (rappor {0:nat} {1} {2:nat}) "
    "(rappor {0:nat} {1} {3:nat}) {4})",
    name="D",
)
def encodings_apart(d: int, exp_half_epsilon: Any, v: int, w: int, gamma: Any) -> Term:
    """D of two rows of RAPPOR."""
    epsilon = Epsilon.log(exp_half_epsilon**2)
    return rows_apart(symmetric_unary_encoding(d, epsilon), v, w, gamma)


def rappor(d: Any, exp_half_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^{ε/2} − 1)/(e^{ε/2} + 1)."""
    apart = partial(encodings_apart, d, exp_half_epsilon, v, w)
    beta = beta_of_response(exp_half_epsilon, 1)
    return properties(apart, exp_half_epsilon**2, beta, factor)


@quantity("(bin ({0:nat} - 1) ({1:nat} - 1))", name="with_one")
def with_one(d: int, k: int) -> int:
    """C(d − 1, k − 1), the k-subsets that have an option."""
    return comb(d - 1, k - 1)


@quantity("(with_both {0:nat} {1:nat})", name="with_both")
def with_both(d: int, k: int) -> int:
    """C(d − 2, k − 2), those that have two; none for k = 1."""
    return comb(d - 2, k - 2) if k > 1 else 0


@quantity("(bin ({0:nat} - 1) {1:nat})", name="without")
def without(d: int, k: int) -> int:
    """C(d − 1, k), those that do not have an option."""
    return comb(d - 1, k)


@quantity(
    "(hockey_stick (list_eq_dec Bool.bool_dec) (subset_selection {0:nat} {1:nat} {2} {3:nat}) "
    "(subset_selection {0:nat} {1:nat} {2} {4:nat}) {5})",
    name="D",
)
def selections_apart(d: int, k: int, exp_epsilon: Any, v: int, w: int, gamma: Any) -> Term:
    """D of two rows of the selection of k of d options."""
    return rows_apart(subset_selection(d, k, Epsilon.log(exp_epsilon)), v, w, gamma)


def subset(d: Any, k: Any, exp_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^ε − 1)(C(d−1, k−1) − C(d−2, k−2))/(e^ε C(d−1, k−1) + C(d−1, k))."""
    x, one = term(exp_epsilon), term(with_one(d, k))
    beta = (x - 1) * (one - with_both(d, k)) / (x * one + without(d, k))
    return properties(partial(selections_apart, d, k, exp_epsilon, v, w), x, beta, factor)


def _tables(d: int, l: int) -> st.SearchStrategy[Any]:
    table = st.tuples(*[st.integers(0, l - 1)] * d)
    return st.lists(table, min_size=1, max_size=3).map(tuple)


HASHES = objects(
    "hash functions, each the list of its d values below l",
    _tables,
    condition=lambda d, l, hashes: (
        hashes and all(len(h) == d and set(h) <= set(range(l)) for h in hashes)
    ),
    coq=(
        "list (list nat)",
        "{0} <> [] /\\ Forall (fun h => length h = d /\\ Forall (fun y => (y < l)%nat) h) {0}",
        "",
    ),
)


@quantity(
    "(hockey_stick same_hashed (local_hashing {2} {1:nat} {3} {4:nat}) "
    "(local_hashing {2} {1:nat} {3} {5:nat}) {6})",
    name="D",
)
def hashings_apart(
    d: int,
    l: int,
    hashes: Sequence[Sequence[int]],
    exp_epsilon: Any,
    v: int,
    w: int,
    gamma: Any,
) -> Term:
    """D of two rows of local hashing with a function of the family, all equally likely."""
    of = local_hashing(d, l, Epsilon.log(exp_epsilon), hash_family=hashes)
    return rows_apart(of, v, w, gamma)


def local_hash(
    d: Any,
    l: Any,
    hashes: Any,
    exp_epsilon: Any,
    v: Any,
    w: Any,
    factor: Any = 1,
) -> list[Relation]:
    """β = (e^ε − 1)/(e^ε + l − 1)."""
    apart = partial(hashings_apart, d, l, hashes, exp_epsilon, v, w)
    return properties(apart, exp_epsilon, beta_of_response(exp_epsilon, term(l) - 1), factor)


def likelier(of: Randomizer, x: int) -> tuple[int, ...]:
    """Return the messages that an input prefers."""
    row = of.row(x)
    return tuple(y for y, mass in enumerate(row) if mass == max(row))


def share_half(s: int, C: Sequence[int], C_prime: Sequence[int]) -> bool:
    """Return whether two sets of s messages share s/2."""
    return len(set(C_prime)) == s and 2 * len(set(C) & set(C_prime)) == s


PREFERRED: dict[str, Sort] = {
    "C": objects(
        "s of K messages",
        lambda K, s: st.permutations(range(K)).map(lambda ys: tuple(sorted(ys[:s]))),
        condition=lambda K, s, C: len(C) == s and set(C) <= set(range(K)),
        coq=("nat -> bool", "chosen_of {0} K = s", ""),
    ),
    "C_prime": objects(
        "s of K messages, half of them of C",
        lambda K, s: st.permutations(range(K)).map(lambda ys: tuple(sorted(ys[:s]))),
        condition=share_half,
        coq=("nat -> bool", "chosen_of {0} K = s /\\ (2 * chosen_by_both C {0} K)%nat = s", ""),
    ),
}


@quantity(
    "(hockey_stick Nat.eq_dec (codewords {0:nat} {1:nat} {2} {3}) "
    "(codewords {0:nat} {1:nat} {2} {4}) {5})",
    name="D",
)
def codewords_apart(
    K: int, s: int, exp_epsilon: Any, C: Sequence[int], C_prime: Sequence[int], gamma: Any
) -> Term:
    """D of two rows with mass e^ε/N on s messages each, and 1/N on the rest."""
    each = 1 / (s * exp_epsilon + K - s)
    rows: list[Row] = [
        tuple(exp_epsilon * each if y in chosen else each for y in range(K))
        for chosen in (C, C_prime)
    ]
    return hockey_stick(finite_pair(*rows), gamma)


def hadamard(
    K: Any, s: Any, exp_epsilon: Any, C: Any, C_prime: Any, factor: Any = 1
) -> list[Relation]:
    """β = (s (e^ε − 1)/2)/(s e^ε + K − s)."""
    x = term(exp_epsilon)
    beta = s * (x - 1) / 2 / (s * x + K - s)
    return properties(partial(codewords_apart, K, s, exp_epsilon, C, C_prime), x, beta, factor)


def _codes() -> list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]:
    """Return K, s and two rows' messages of Hadamard responses, and of a larger code."""
    found = []
    for d in (2, 3, 4):
        of = hadamard_response(d, Epsilon.log(2))
        found.append((of.messages, of.messages // 2, likelier(of, 0), likelier(of, d - 1)))
    return [*found, (6, 4, (0, 1, 2, 3), (2, 3, 4, 5))]


def any_private(p: Any, V: Any, W: Any, factor: Any = 1) -> list[Relation]:
    """β = (p − 1)/(p + 1), p = e^ε."""
    return properties(partial(divergence, V, W), p, beta_of_response(p, 1), factor)


TRIALS: Trials = {}

TRIALS["wang2023/parameters"] = {
    "a": for_all(
        cases(d=(2, 3, 5), exp_epsilon=RATIOS, **TWO).within(
            d=integers(2), exp_epsilon=reals(1), **INPUTS
        ),
        general_rr,
        wrong=partial(general_rr, factor=LESS),
        proof=theorem("wang2023_parameters_general_rr"),
    ),
    "b": for_all(
        cases(d=(2, 3, 4), exp_half_epsilon=(Fraction(3, 2), Fraction(4)), **TWO).within(
            d=integers(2, draws=2), exp_half_epsilon=reals(1), **INPUTS
        ),
        rappor,
        wrong=partial(rappor, factor=LESS),
        proof=theorem("wang2023_parameters_rappor"),
    ),
    "c": for_all(
        cases(d=(2, 3, 4), k=lambda d: range(1, d), exp_epsilon=RATIOS, **TWO).within(
            d=integers(2, draws=3),
            k=integers(1, lambda d: d - 1),
            exp_epsilon=reals(1),
            **INPUTS,
        ),
        subset,
        wrong=partial(subset, factor=LESS),
        proof=theorem("wang2023_parameters_subset"),
    ),
    "d": for_all(
        cases(
            d=(2, 3),
            l=(2, 3),
            hashes=lambda d, l: [
                tuple(product(range(l), repeat=d)),
                (tuple(i % l for i in range(d)), (0,) * d),
                (tuple(i % l for i in range(d)),),
            ],
            exp_epsilon=RATIOS[:2],
            **TWO,
        ).within(
            d=integers(2, draws=2),
            l=integers(2, draws=2),
            hashes=HASHES,
            exp_epsilon=reals(1),
            **INPUTS,
        ),
        local_hash,
        wrong=partial(local_hash, factor=LESS),
        proof=theorem("wang2023_parameters_local_hash"),
    ),
    "e": for_all(
        cases(
            _code=_codes,
            K=lambda _code: [_code[0]],
            s=lambda _code: [_code[1]],
            exp_epsilon=RATIOS,
            C=lambda _code: [_code[2]],
            C_prime=lambda _code: [_code[3]],
        ).within(K=integers(2), s=integers(1, lambda K: K - 1), exp_epsilon=reals(1), **PREFERRED),
        hadamard,
        wrong=partial(hadamard, factor=LESS),
        proof=theorem("wang2023_parameters_hadamard"),
    ),
    "f": for_all(
        cases(
            _rows=lambda: [
                *(((x / (x + 1), 1 / (x + 1)), (1 / (x + 1), x / (x + 1))) for x in RATIOS),
                *((v, w) for v, w in product(positive_laws(4), repeat=2) if v != w),
            ],
            p=lambda _rows: [max(ratio(_rows[:1], _rows[1:]), ratio(_rows[1:], _rows[:1]))],
            V=lambda _rows: [_rows[0]],
            W=lambda _rows: [_rows[1]],
        ).within(p=reals(1), V=LAW, W=NEAR),
        any_private,
        wrong=partial(any_private, factor=LESS),
        proof=theorem("wang2023_parameters_any"),
    ),
}
