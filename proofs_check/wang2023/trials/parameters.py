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

from exactdp import mechanisms
from exactdp.claims import Statement
from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import Sort, integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import Notion, quantity
from exactdp.claims.terms import Term, term
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon
from exactdp.testing.later import st
from proofs_check.lemmas.mixtures import NEAR, positive_laws, ratio
from proofs_check.lemmas.quantities import LAW, divergence
from proofs_check.lemmas.theorems import theorem

RATIOS = (Fraction(9, 4), Fraction(4), Fraction(16))
INPUTS: dict[str, Sort] = {x: integers(0, lambda d: d - 1) for x in "vw"}
"""Any two inputs."""

TWO: dict[str, Any] = {"v__w": lambda d: [(0, 1), (d - 1, 0)]}


def properties(apart: Callable[[Any], Any], x: Any, beta: Any, factor: Any) -> list[Relation]:
    """D_x of two rows is 0, and D_1 at most β (or, false, less)."""
    return [equal(apart(x), 0), at_most(apart(1), beta if factor == 1 else factor * beta)]


def beta_of_response(exp_epsilon: Any, others: Any) -> Any:
    """Return (e^ε − 1)/(e^ε + others), others messages beside the likeliest."""
    return (term(exp_epsilon) - 1) / (term(exp_epsilon) + others)


def rows_apart(coq: str, of: Callable[..., Randomizer]) -> Notion:
    """D of two rows; the arguments are the randomizer's, two inputs and an order."""

    @quantity(f"(hockey_stick {coq})", name="D")
    def apart(*at: Any) -> Term:
        *parameters, v, w, gamma = at
        made = of(*parameters)
        return hockey_stick(finite_pair(made.row(v), made.row(w)), gamma)

    return apart


responses_apart = rows_apart(
    "Nat.eq_dec (randomized_response {0:nat} {1} {2:nat}) "
    "(randomized_response {0:nat} {1} {3:nat}) {4}",
    lambda d, x: mechanisms.randomized_response(d, Epsilon.log(x)),
)
encodings_apart = rows_apart(
    "(list_eq_dec Bool.bool_dec) (rappor {0:nat} {1} {2:nat}) (rappor {0:nat} {1} {3:nat}) {4}",
    lambda d, root: mechanisms.symmetric_unary_encoding(d, Epsilon.log(root**2)),
)
selections_apart = rows_apart(
    "(list_eq_dec Bool.bool_dec) (subset_selection {0:nat} {1:nat} {2} {3:nat}) "
    "(subset_selection {0:nat} {1:nat} {2} {4:nat}) {5}",
    lambda d, k, x: mechanisms.subset_selection(d, Epsilon.log(x), size=k),
)
hashings_apart = rows_apart(
    "same_hashed (local_hashing {2} {1:nat} {3} {4:nat}) "
    "(local_hashing {2} {1:nat} {3} {5:nat}) {6}",
    lambda d, l, hashes, x: mechanisms.local_hashing(
        d, Epsilon.log(x), buckets=l, hash_family=hashes
    ),
)


def general_rr(d: Any, exp_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^ε − 1)/(e^ε + d − 1)."""
    apart = partial(responses_apart, d, exp_epsilon, v, w)
    return properties(apart, exp_epsilon, beta_of_response(exp_epsilon, term(d) - 1), factor)


def rappor(d: Any, exp_half_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^{ε/2} − 1)/(e^{ε/2} + 1)."""
    apart = partial(encodings_apart, d, exp_half_epsilon, v, w)
    return properties(apart, exp_half_epsilon**2, beta_of_response(exp_half_epsilon, 1), factor)


@quantity("(bin ({0:nat} - 1) ({1:nat} - 1))")
def with_one(d: int, k: int) -> int:
    """C(d − 1, k − 1), the k-subsets that have an option."""
    return comb(d - 1, k - 1)


@quantity("(with_both {0:nat} {1:nat})")
def with_both(d: int, k: int) -> int:
    """C(d − 2, k − 2), those that have two; none for k = 1."""
    return comb(d - 2, k - 2) if k > 1 else 0


@quantity("(bin ({0:nat} - 1) {1:nat})")
def without(d: int, k: int) -> int:
    """C(d − 1, k), those that do not have an option."""
    return comb(d - 1, k)


def subset(d: Any, k: Any, exp_epsilon: Any, v: Any, w: Any, factor: Any = 1) -> list[Relation]:
    """β = (e^ε − 1)(C(d−1, k−1) − C(d−2, k−2))/(e^ε C(d−1, k−1) + C(d−1, k))."""
    x, one = term(exp_epsilon), term(with_one(d, k))
    beta = (x - 1) * (one - with_both(d, k)) / (x * one + without(d, k))
    return properties(partial(selections_apart, d, k, exp_epsilon, v, w), x, beta, factor)


def _tables(d: int, l: int) -> st.SearchStrategy[Any]:
    return st.lists(st.tuples(*[st.integers(0, l - 1)] * d), min_size=1, max_size=3).map(tuple)


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


def local_hash(
    d: Any, l: Any, hashes: Any, exp_epsilon: Any, v: Any, w: Any, factor: Any = 1
) -> list[Relation]:
    """β = (e^ε − 1)/(e^ε + l − 1); all functions of the family are equally likely."""
    apart = partial(hashings_apart, d, l, hashes, exp_epsilon, v, w)
    return properties(apart, exp_epsilon, beta_of_response(exp_epsilon, term(l) - 1), factor)


def some_of(K: int, s: int) -> st.SearchStrategy[Any]:
    """Draw s of K messages."""
    return st.permutations(range(K)).map(lambda ys: tuple(sorted(ys[:s])))


PREFERRED: dict[str, Sort] = {
    "C": objects(
        "s of K messages",
        some_of,
        condition=lambda K, s, C: len(C) == s and set(C) <= set(range(K)),
        coq=("nat -> bool", "chosen_of {0} K = s", ""),
    ),
    "C_prime": objects(
        "s of K messages, half of them of C",
        some_of,
        condition=lambda s, C, C_prime: len(C_prime) == s == 2 * len(set(C) & set(C_prime)),
        coq=("nat -> bool", "chosen_of {0} K = s /\\ (2 * chosen_by_both C {0} K)%nat = s", ""),
    ),
}


@quantity(
    "(hockey_stick Nat.eq_dec (codewords {0:nat} {1:nat} {2} {3}) "
    "(codewords {0:nat} {1:nat} {2} {4}) {5})",
    name="D",
)
def codewords_apart(K: int, s: int, x: Any, C: Sequence[int], C_prime: Any, gamma: Any) -> Term:
    """D of two rows with mass e^ε/N on s messages each, and 1/N on the rest."""
    each = 1 / (s * x + K - s)
    rows = (tuple(x * each if y in some else each for y in range(K)) for some in (C, C_prime))
    return hockey_stick(finite_pair(*rows), gamma)


def hadamard(K: Any, s: Any, exp_epsilon: Any, C: Any, C_prime: Any, factor: Any = 1) -> Any:
    """Return β = (s (e^ε − 1)/2)/(s e^ε + K − s)."""
    x = term(exp_epsilon)
    beta = s * (x - 1) / 2 / (s * x + K - s)
    return properties(partial(codewords_apart, K, s, exp_epsilon, C, C_prime), x, beta, factor)


def _codes() -> list[Any]:
    """Return K, s and two rows' likelier messages: Hadamard's, and a code's that is none."""
    found: list[Any] = [(6, 4, (0, 1, 2, 3), (2, 3, 4, 5))]
    for d in (2, 3, 4):
        rows = mechanisms.hadamard_response(d, Epsilon.log(2)).rows
        one, two = (tuple(y for y, m in enumerate(u) if m == max(u)) for u in (rows[0], rows[-1]))
        found.append((len(rows[0]), len(one), one, two))
    return found


def any_private(p: Any, V: Any, W: Any, factor: Any = 1) -> list[Relation]:
    """β = (p − 1)/(p + 1), p = e^ε."""
    return properties(partial(divergence, V, W), p, beta_of_response(p, 1), factor)


def _kind(name: str, says: Callable[..., Any], over: Cases, kinds: dict[str, Sort]) -> Statement:
    """Return the reading for a kind of randomizers; 99/100 of β is too little."""
    wrong, shown = partial(says, factor=Fraction(99, 100)), theorem(f"wang2023_parameters_{name}")
    return for_all(over.within(**kinds), says, wrong=wrong, proof=shown)


RATIO: dict[str, Sort] = {"exp_epsilon": reals(1)}
TRIALS: Trials = {}

TRIALS["wang2023/parameters"] = {
    "a": _kind(
        "general_rr",
        general_rr,
        cases(d=(3, 2, 5), exp_epsilon=RATIOS, **TWO),
        {"d": integers(2), **RATIO, **INPUTS},
    ),
    "b": _kind(
        "rappor",
        rappor,
        cases(d=(3, 2, 4), exp_half_epsilon=(Fraction(3, 2), Fraction(4)), **TWO),
        {"d": integers(2, draws=2), "exp_half_epsilon": reals(1), **INPUTS},
    ),
    "c": _kind(
        "subset",
        subset,
        cases(d__k=[(3, 2), *((4, k) for k in (1, 2, 3))], exp_epsilon=RATIOS, **TWO),
        {"d": integers(2, draws=3), "k": integers(1, lambda d: d - 1), **RATIO, **INPUTS},
    ),
    "d": _kind(
        "local_hash",
        local_hash,
        cases(
            d=(3, 2),
            l=(3, 2),
            _one=lambda d, l: [tuple(i % l for i in range(d))],
            hashes=lambda d, l, _one: [
                (_one, (0,) * d),
                (_one,),
                tuple(product(range(l), repeat=d)),
            ],
            exp_epsilon=RATIOS[:2],
            **TWO,
        ),
        {"d": integers(2, draws=2), "l": integers(2, draws=2), "hashes": HASHES, **RATIO, **INPUTS},
    ),
    "e": _kind(
        "hadamard",
        hadamard,
        cases(K__s__C__C_prime=_codes, exp_epsilon=RATIOS),
        {"K": integers(2), "s": integers(1, lambda K: K - 1), **RATIO, **PREFERRED},
    ),
    "f": _kind(
        "any",
        any_private,
        cases(
            _rows=lambda: [
                *(((x / (x + 1), 1 / (x + 1)), (1 / (x + 1), x / (x + 1))) for x in RATIOS),
                *((v, w) for v, w in product(positive_laws(4), repeat=2) if v != w),
            ],
            p=lambda _rows: [ratio(_rows, _rows)],
            V__W=lambda _rows: [_rows],
        ),
        {"p": reals(1), "V": LAW, "W": NEAR},
    ),
}
