"""Section III: definitions, notation and Remark 1."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

from exactdp.audit.claimed import in_numbers
from exactdp.claims.cases import Cases, cases, listed
from exactdp.claims.forms import (
    Relation,
    Said,
    Trials,
    above,
    at_least,
    at_most,
    below,
    equal,
    for_all,
)
from exactdp.claims.kinds import among, integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick, mass
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, function, term
from exactdp.claims.values import exact_value
from exactdp.claims.verdicts import Falls
from exactdp.coq.values import coq_value
from exactdp.testing import probability_vectors
from exactdp.testing.later import st
from proofs_check.biswas2023 import protocol
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2, kappa3
from proofs_check.biswas2023.protocol import (
    SIMPLE,
    exp_epsilon0_term,
    histogram_pair,
    message_law,
    private,
    rows,
)
from proofs_check.lemmas.quantities import SAME, is_law
from proofs_check.lemmas.theorems import theorem

TRIALS: Trials = {}

Pairs = set[tuple[Any, ...]]


def neighboring_pairs(alphabet: int, n: int) -> Pairs:
    """Return the ordered pairs of datasets that differ in exactly one place."""
    pairs = product(product(range(alphabet), repeat=n), repeat=2)
    return {(d, e) for d, e in pairs if sum(map(int.__ne__, d, e)) == 1}


def adaptive_pairs(alphabet: int, n: int, members: range) -> Pairs:
    """Return the pairs D(x), D(x') of Definition III.2, for all x != x' and the given members u."""
    return {
        ((*rest[:u], x0, *rest[u:]), (*rest[:u], x1, *rest[u:]))
        for u in members
        for rest in product(range(alphabet), repeat=n - 1)
        for x0, x1 in permutations(range(alphabet), 2)
    }


Mechanism = tuple[tuple[Fraction, ...], ...]
"""The law of the output for each dataset, in lexicographic order."""


def largest_delta(
    pairs: Pairs, n: int, alphabet: int, mechanism: Mechanism, exp_epsilon: Fraction
) -> Term:
    """Return the largest delta over pairs of datasets."""
    law = dict(zip(product(range(alphabet), repeat=n), mechanism, strict=True))
    deltas = [hockey_stick(finite_pair(law[d], law[e]), exp_epsilon) for d, e in sorted(pairs)]
    return function("max", 0, *deltas)


@quantity("(adaptive_delta same {0:nat} {1:nat} {2} {3})", name="ADP")
def of_adp(n: int, alphabet: int, mechanism: Mechanism, exp_epsilon: Fraction) -> Term:
    """Return the least delta of ADP for all x, x' and all members u."""
    pairs = adaptive_pairs(alphabet, n, range(n))
    return largest_delta(pairs, n, alphabet, mechanism, exp_epsilon)


def of_one_member(n: int, alphabet: int, mechanism: Mechanism, exp_epsilon: Fraction) -> Term:
    """Return the least delta of ADP for all x, x' and the first member."""
    pairs = adaptive_pairs(alphabet, n, range(1))
    return largest_delta(pairs, n, alphabet, mechanism, exp_epsilon)


@quantity("(private_delta same {0:nat} {1:nat} {2} {3})", name="DP")
def of_dp(n: int, alphabet: int, mechanism: Mechanism, exp_epsilon: Fraction) -> Term:
    """Return the least delta of DP."""
    pairs = neighboring_pairs(alphabet, n)
    return largest_delta(pairs, n, alphabet, mechanism, exp_epsilon)


def member(n: int, alphabet: int, place: int) -> Mechanism:
    """Return the mechanism that outputs a member's value; of a member n, nothing."""
    shown = [(*d, 0)[place] for d in product(range(alphabet), repeat=n)]
    return tuple(tuple(Fraction(y == z) for z in range(alphabet)) for y in shown)


MECHANISM = objects(
    "a mechanism on datasets of n members",
    lambda n, alphabet: st.tuples(*[probability_vectors(size=2, max_weight=2)] * alphabet**n),
    condition=lambda n, alphabet, mechanism: (
        len(mechanism) == alphabet**n and all(map(is_law, mechanism))
    ),
    coq=("list nat -> law A", "(forall data, is_law ({0} data))", SAME),
    written=lambda alphabet, mechanism: (
        f"(fun data => {coq_value('nat -> law A', mechanism)} "
        f"(fold_left (fun i v => {alphabet} * i + v)%nat data 0%nat))"
    ),
)


def mechanisms(of: Callable[..., Term]) -> Cases:
    """Return mechanisms with a delta that is at least the least one of ADP, or of DP."""
    return cases(
        n=range(1, 4),
        alphabet=(2, 3),
        mechanism=lambda n, alphabet: [member(n, alphabet, place) for place in range(n + 1)],
        exp_epsilon=[Fraction(2)],
        delta=lambda n, alphabet, mechanism, exp_epsilon: [
            exact_value(of(n, alphabet, mechanism, exp_epsilon)).as_fraction()
        ],
    ).within(
        lambda n, alphabet, mechanism, exp_epsilon, delta: at_most(
            of(n, alphabet, mechanism, exp_epsilon), delta
        ),
        n=integers(1, draws=1),
        alphabet=integers(2, draws=1),
        mechanism=MECHANISM,
        exp_epsilon=reals(1),
        delta=reals(0),
    )


def then(of: Callable[..., Term], delta: Fraction, **at: Any) -> Relation:
    """The least delta of DP, or of ADP, is at most that number."""
    return at_most(of(*(at[x] for x in ("n", "alphabet", "mechanism", "exp_epsilon"))), delta)


TRIALS["biswas2023/remark-1/adp-implies-dp"] = {
    "a": for_all(mechanisms(of_one_member), partial(then, of_dp), falls=Falls.MISPRINT),
    "b": for_all(
        mechanisms(of_adp),
        partial(then, of_dp),
        wrong=for_all(mechanisms(of_one_member), partial(then, of_dp)),
        proof=theorem("biswas2023_adp_implies_dp"),
    ),
}

TRIALS["biswas2023/remark-1/dp-implies-adp"] = for_all(
    mechanisms(of_dp),
    partial(then, of_adp),
    wrong=for_all(mechanisms(of_one_member), partial(then, of_adp)),
    proof=theorem("biswas2023_dp_implies_adp"),
)

MATRICES = (
    cases(k=range(2, 7), exp_epsilon=[*SIMPLE, Fraction(1)])
    .deep(k=range(2, 20))
    .within(k=integers(2), exp_epsilon=reals(1))
)


def entries(x: Any, k: Any) -> tuple[Any, Any]:
    """Return the two entries of k-RR, e^eps c and c: one and k - 1 of them in a row or column."""
    c = 1 / (term(x) + k - 1)
    return x * c, c


def normalization(k: Any, exp_epsilon: Any, shift: int = 0) -> list[Relation]:
    """Each row has mass 1, with c = 1/(e^eps + k - 1 + shift), and no negative entry."""
    same, other = entries(exp_epsilon, k + shift)
    return [equal(same + (k - 1) * other, 1), at_least(same, 0), at_least(other, 0)]


TRIALS["biswas2023/definition-III.5/normalization"] = for_all(
    MATRICES,
    normalization,
    wrong=partial(normalization, shift=1),
    proof=in_numbers(),
)


def ldp(k: Any, exp_epsilon: Any, exponent: int = 1) -> list[Relation]:
    """Each entry of a column is at most e^(eps/exponent) times any other."""
    pairs = product(entries(exp_epsilon, k), repeat=2)
    return [at_most((a / b) ** exponent, exp_epsilon) for a, b in pairs]


TRIALS["biswas2023/definition-III.5/ldp"] = for_all(
    MATRICES, ldp, wrong=partial(ldp, exponent=2), proof=in_numbers()
)


def user_indexed_frequencies(n: int, k: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Said:
    """(s_1, ..., s_n) of Definition III.7 has the delta of the histogram of Section IV-C."""
    x, matrix = exp_epsilon0_term(exp_epsilon0), rows(term(exp_epsilon0), k)
    laws: list[dict[Any, Any]] = [{}, {}]
    for law, first in zip(laws, (0, 1), strict=True):
        for messages, weight in message_law(matrix, (first, *[1] * (n - 1))):
            printed = tuple(Fraction(messages.count(y), n) for y in messages)
            law[printed] = law.get(printed, 0) + weight
    pair = finite_pair(*([law[s] for s in laws[0]] for law in laws))
    histogram = histogram_pair(x, k, [(1, n - 1)])
    return equal(hockey_stick(pair, exp_epsilon), hockey_stick(histogram, exp_epsilon)).given(
        lambda: private(x, k)
    )


TRIALS["biswas2023/definition-III.7"] = for_all(
    cases(n=range(1, 4), k=(2, 3), exp_epsilon0=[Fraction(2)], exp_epsilon=[Fraction(3, 2)]),
    user_indexed_frequencies,
    falls=Falls.MISPRINT,
)


def losses_are_real(p: Sequence[Any], q: Sequence[Any]) -> Said:
    """By (1) the loss of an output is infinite where P or Q has no mass there."""
    pair = finite_pair(p, q)
    outputs = range(len(p))
    return Said(
        [above(mass(pair, side, y), 0) for y in outputs for side in "pq"],
        [above(mass(pair, "p", y) + mass(pair, "q", y), 0) for y in outputs],
    )


_HALF = Fraction(1, 2)

TRIALS["biswas2023/definition-III.9/U"] = for_all(
    listed({"p": (1,), "q": (1,)}, {"p": (1, 0), "q": (_HALF, _HALF)}, {"p": (1, 0), "q": (0, 1)}),
    losses_are_real,
    falls=Falls.MISPRINT,
)


def constant(printed: str) -> list[Relation]:
    """1 - e^-2 rounds to the printed number."""
    value, unit = 1 - function("exp", -2), Fraction(1, 10 ** (len(printed) - 2))
    return [above(value, Fraction(printed) - unit / 2), below(value, Fraction(printed) + unit / 2)]


TRIALS["biswas2023/table-I/C"] = for_all(
    cases(printed=["0.86"]).all_of(printed=among("0.86")),
    constant,
    wrong=for_all(cases(printed=["0.87"]), constant),
)


def kappas_exceed(
    bound: int, n: int, k: int, n_x0: int, s: int, exp_epsilon0: Fraction
) -> list[Relation]:
    """All three kappas exceed the bound."""
    x = term(exp_epsilon0)
    return [
        above(value, bound)
        for value in (kappa1(x, k), kappa2(x, k), kappa3(x, Counts(k, n, n_x0), s))
    ]


KAPPAS = cases(
    n=range(1, 5), k=range(2, 6), n_x0=lambda n: range(n), s=range(6), exp_epsilon0=[Fraction(3, 2)]
).within(**protocol.SIZES, s=integers(0), exp_epsilon0=reals(above=1))

TRIALS["biswas2023/remark-2"] = for_all(
    KAPPAS,
    partial(kappas_exceed, 0),
    wrong=partial(kappas_exceed, 1),
    proof=theorem("biswas2023_remark_2"),
)
