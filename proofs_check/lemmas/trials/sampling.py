"""Sampling and the hockey-stick divergence, where a record is replaced.

Everything is computed from the definition: mixtures over all samples, of finite laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations, combinations_with_replacement, permutations, product
from operator import mul
from typing import Any

from exactdp.claims.cases import Cases, cases
from exactdp.claims.forms import Relation, Trials, at_most, equal, for_all
from exactdp.claims.kinds import integers, objects, reals
from exactdp.claims.laws import finite_pair, hockey_stick
from exactdp.claims.quantities import quantity
from exactdp.claims.terms import Term, term
from exactdp.coq.values import coq_value
from exactdp.testing import fractions, probability_vectors
from exactdp.testing.later import st
from proofs_check.lemmas.quantities import (
    LAW,
    SAME,
    divergence,
    is_law,
    mixed,
    mixture,
    written_neighbors,
)
from proofs_check.lemmas.theorems import theorem
from proofs_check.lemmas.trials.divergences import laws

TRIALS: Trials = {}

Law = tuple[Fraction, ...]

_GAMMAS = [Fraction(x) for x in ("1", "5/4", "2", "4")]


def advanced(
    mu_0: Law, mu_1: Law, other: Law, eta: Fraction, alpha: Fraction, share: Fraction = Fraction(1)
) -> Relation:
    """Compare the mixtures with ``share`` η times the divergence from the mixture with β."""
    alpha_mixed = 1 + eta * (alpha - 1)
    beta = (alpha_mixed if share == 1 else share * alpha_mixed) / alpha
    both = (mixture(eta, mu_0, mu) for mu in (mu_1, other))
    inner = divergence(mu_1, mixture(beta, mu_0, other), alpha)
    return equal(divergence(*both, alpha_mixed), eta * inner)


TRIALS["lemmas/advanced-joint-convexity"] = for_all(
    cases(
        mu_0=laws(2, 2),
        mu_1=laws(2, 3),
        other=laws(2, 3),
        eta=[Fraction(x) for x in ("0", "1/3", "1/2", "1")],
        alpha=_GAMMAS,
    ).within(mu_0=LAW, mu_1=LAW, other=LAW, eta=reals(0, 1), alpha=reals(1)),
    advanced,
    wrong=partial(advanced, share=Fraction(1, 2)),
    proof=theorem("lemmas_advanced_joint_convexity"),
)

Batch = tuple[int, ...]

_VALUES = (0, 1, 2)
_SWAPS = [(x, y) for x in _VALUES for y in _VALUES]


@quantity(
    "hockey_stick same (on_subset {0:nat} {1} (data_of {2})) "
    "(on_subset {0:nat} {1} (changed_data {2})) {3}",
    name="sampled",
)
def on_batches(m: int, mechanism: Sequence[Law], data: Sequence[Batch], gamma: Fraction) -> Term:
    """D_γ of the mechanism on m records of both data; its laws in the order of :func:`batches`."""
    law = dict(zip(batches(m), mechanism, strict=True))
    seen = []
    for records in data:
        drawn = [law[tuple(sorted(batch))] for batch in combinations(records, m)]
        seen.append(mixed([Fraction(1, len(drawn))] * len(drawn), drawn))
    return hockey_stick(finite_pair(*seen), gamma)


def without_replacement(
    m: int, records: int, mechanism: Any, data: Any, gamma: Any, most: Any
) -> Relation:
    """Compare the mechanism on m of N records with q times the largest effect of a swap."""
    return at_most(on_batches(m, mechanism, data, gamma), term(m) / records * most)


def largest_swap(
    m: int,
    records: int,
    mechanism: Sequence[Law],
    gamma: Fraction,
    swaps: Sequence[tuple[int, int]] = _SWAPS,
) -> list[Fraction]:
    """Return the largest D_α of two batches in which these values are exchanged."""
    law = dict(zip(batches(m), mechanism, strict=True))
    pairs = (
        (law[tuple(sorted((*t, x)))], law[tuple(sorted((*t, y)))])
        for t in combinations_with_replacement(_VALUES, m - 1)
        for x, y in swaps
    )
    return [max(_excess(p, q, 1 + (gamma - 1) * records / m) for p, q in pairs)]


def _excess(p: Law, q: Law, gamma: Fraction) -> Fraction:
    return sum((max(Fraction(0), a - gamma * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def batches(m: int) -> list[Batch]:
    """Return all batches of m values, as multisets.

    Example:
        >>> batches(1)
        [(0,), (1,), (2,)]
    """
    return list(combinations_with_replacement(_VALUES, m))


def one_changed(records: int) -> list[tuple[Batch, Batch]]:
    """Return data whose first record is changed from 0 to 1."""
    others = combinations_with_replacement(_VALUES, records - 1)
    return [((0, *rest), (1, *rest)) for rest in others]


def swapped(swaps: Sequence[tuple[int, int]]) -> Cases:
    """Return mechanisms on data, with the largest effect of these swaps in a batch."""
    return cases(
        m__records=[(1, 2), (1, 3), (2, 3), (2, 4)],
        mechanism=lambda m: list(product(laws(2, 2), repeat=len(batches(m))))[:: m**6],
        data=one_changed,
        gamma=_GAMMAS,
        most=partial(largest_swap, swaps=swaps),
    )


def written_mechanism(m: int, mechanism: Sequence[Law]) -> str:
    """Return the laws of batches, in any order of their records, as a function in Coq."""
    known = {t: law for b, law in zip(batches(m), mechanism, strict=True) for t in permutations(b)}
    cases = (
        f"if same_counts s {coq_value('list nat', t)} then {coq_value('law nat', law)} else"
        for t, law in known.items()
    )
    return f"(fun s => {' '.join(cases)} {coq_value('law nat', mechanism[0])})"


TRIALS["lemmas/sampling-without-replacement"] = for_all(
    swapped(_SWAPS).within(
        m=integers(1, draws=1),
        records=integers(lambda m: m, draws=2),
        mechanism=objects(
            "a law for each batch",
            lambda m: st.tuples(*[probability_vectors(size=3)] * len(batches(m))),
            coq=("list D -> law A", "(forall s, is_law ({0} s))", f"{SAME} {{D : Type}}"),
            written=lambda m, mechanism: written_mechanism(m, mechanism),
        ),
        data=objects(
            "data of so many records, of which one is changed",
            lambda records: st.sampled_from(one_changed(records)),
            coq=("neighbors D", "length (data_of {0}) = records", ""),
            written=lambda data: written_neighbors("D", data),
        ),
        gamma=reals(1),
        most=objects(
            "at least D_α of the laws on any two batches that differ in one record",
            lambda m, records, mechanism, gamma: st.sampled_from(
                largest_swap(m, records, mechanism, gamma)
            ),
            condition=lambda m, records, mechanism, gamma, most: (
                largest_swap(m, records, mechanism, gamma)[0] <= most
            ),
            coq=(
                "R",
                "(forall s t, length s = m -> replaced s t -> hockey_stick same (mechanism s) "
                "(mechanism t) (1 + (gamma - 1) / (INR m / INR records)) <= {0})",
                "",
            ),
        ),
    ),
    without_replacement,
    wrong=for_all(swapped(((0, 1),)), without_replacement),
    proof=theorem("lemmas_sampling_without_replacement"),
)


@quantity("(replaced_apart {0} {1:nat} {2:nat} {3:nat} {4} {5})", name="D_replaced")
def replaced_apart(
    noise: Law, c: int, place: int, other_place: int, rate: Fraction, gamma: Fraction
) -> Term:
    """D_γ of noise at c, or with this rate at a place, against the same with the other place."""
    rows = ([shifted(noise, s - c, c) for s in (c, end)] for end in (place, other_place))
    return hockey_stick(finite_pair(*(mixed((1 - rate, rate), row) for row in rows)), gamma)


def replaced(
    noise: Law,
    c: Any,
    place: Any,
    other_place: Any,
    rate: Fraction,
    gamma: Fraction,
    least: int = 0,
) -> Relation:
    """Compare a record x = place − c replaced by x' in a Poisson sample, with c replaced by −c.

    In the false variant, by least − c.
    """
    found = replaced_apart(noise, c, place, other_place, rate, gamma)
    return at_most(found, replaced_apart(noise, c, 2 * c, least, rate, gamma))


def shifted(noise: Law, shift: int, most: int) -> Law:
    """Return the law of shift + noise on a line that holds shifts of size up to ``most``.

    Example:
        >>> [str(mass) for mass in shifted((Fraction(1, 3), Fraction(2, 3)), 1, 1)]
        ['0', '0', '1/3', '2/3']
    """
    zero = Fraction(0)
    return (*[zero] * (most + shift), *noise, *[zero] * (most - shift))


def of_weights(*weights: int | Fraction) -> Law:
    """Return the masses in proportion to weights."""
    return tuple(Fraction(w) / sum(weights) for w in weights)


def is_noise(noise: Law) -> bool:
    """Return whether a law is symmetric and log-concave, without gaps."""
    inner = zip(noise, noise[1:], noise[2:], strict=False)
    concave = all(b * b >= a * c for a, b, c in inner)
    return is_law(noise) and min(noise) > 0 and noise == noise[::-1] and concave


def _noises() -> st.SearchStrategy[Law]:
    """Draw noises whose ratios from one mass to the next outer one fall."""
    steps = st.lists(fractions(Fraction(1, 9), 1, max_denominator=9), max_size=3)
    tails = steps.map(lambda falls: list(accumulate(sorted(falls, reverse=True), mul)))
    centers = st.sampled_from([(Fraction(1),), (Fraction(1),) * 2])
    return st.builds(lambda tail, center: of_weights(*tail[::-1], *center, *tail), tails, centers)


_NOISES = [of_weights(*weights) for weights in ((1, 1), (1, 2, 1), (1, 2, 4, 2, 1))]

TRIALS["lemmas/poisson-substitution"] = for_all(
    cases(
        noise=_NOISES,
        c=(1, 2),
        place=lambda c: range(2 * c + 1),
        other_place=lambda c: range(2 * c + 1),
        rate=[Fraction(1, 10), Fraction(1, 2)],
        gamma=[Fraction(x) for x in ("0", "9/10", "1", "11/10", "2")],
    ).within(
        noise=objects(
            "symmetric, log-concave masses on a line",
            _noises,
            condition=is_noise,
            coq=("list R", "is_noise {0}", ""),
        ),
        c=integers(0, draws=2),
        place=integers(0, lambda c: 2 * c),
        other_place=integers(0, lambda c: 2 * c),
        rate=reals(0, 1),
        gamma=reals(0),
    ),
    replaced,
    wrong=partial(replaced, least=1),
    proof=theorem("lemmas_poisson_substitution"),
)
