"""Mixture decompositions: identities in Python's fractions, and what the counts bound.

The truth of every bound is the full view, computed by ``shuffle_view``; the existence of
a decomposition is decided a second time by an inequality between rows.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import (
    Component,
    DecompositionFault,
    FaultKind,
    Mixture,
    Users,
    Victim,
    blanket_decomposition,
    clone_decomposition,
    clone_pair,
    shuffle_view,
    stronger_clone_decomposition,
    stronger_clone_pair,
    variation_ratio,
    variation_ratio_decomposition,
    variation_ratio_pair,
)
from exactdp.testing import local_randomizers, stochastic_matrices

law = settings(max_examples=60)
X = Fraction(3)
GAMMAS = [Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(5, 2)]

lopsided = st.lists(st.sampled_from([1, 2, 3]), min_size=9, max_size=9)


@st.composite
def private_rows(draw):
    """Three rows on three messages; each column has ratios of at most 3 (often exactly)."""
    if draw(st.booleans()):
        matrix = draw(local_randomizers(rows=3, columns=3, max_ratio=X))
    else:
        w = draw(lopsided)
        matrix = [[Fraction(v, sum(w[i : i + 3])) for v in w[i : i + 3]] for i in (0, 3, 6)]
    randomizer = Randomizer.from_matrix(matrix)
    assume(randomizer.ldp_epsilon() <= Epsilon.log(X))
    return randomizer


def divergence_of_view(r, inputs, others, gamma):
    view = shuffle_view(Victim(r, inputs), [Users(r, x) for x in others])
    return view.delta(Epsilon.log(gamma))


def worst_view(r, n, gamma, directions=((0, 1), (1, 0))):
    datasets = combinations_with_replacement(range(3), n - 1)
    return max(
        divergence_of_view(r, inputs, others, gamma)
        for others, inputs in product(datasets, directions)
    )


def divergence_of_counts(pair, gamma):
    return pair.pair().delta(Epsilon.log(gamma))


# --- mixtures -------------------------------------------------------------------------


def mixture(**changes):
    half = Exact("1/2")
    parts = (
        (half, Component("even", (half, half))),
        (half, Component("sure", (Exact(1), Exact(0)))),
    )
    return replace(Mixture("other", (Exact("3/4"), Exact("1/4")), parts), **changes)


def test_each_fault_is_found_and_placed():
    one, half = Exact(1), Exact("1/2")
    even, sure = (part for _, part in mixture().parts)
    assert mixture().check() is None
    cases = {
        (FaultKind.ROW, "", 0, "1/4"): mixture(row=(half, half)),
        (FaultKind.WEIGHTS, "", None, "3/2"): mixture(parts=((one, even), (half, sure))),
        (FaultKind.NEGATIVE_WEIGHT, "sure", None, "-1"): mixture(parts=((one, even), (-one, sure))),
        (FaultKind.NEGATIVE_MASS, "odd", 1, "-1"): mixture(
            parts=((one, Component("odd", (one + 1, -one))),)
        ),
        (FaultKind.LAW, "odd", None, "3/2"): mixture(parts=((one, Component("odd", (one, half))),)),
    }
    for (kind, component, message, value), broken in cases.items():
        expected = DecompositionFault(kind, "other", component, message, Exact(value))
        assert broken.check() == expected


@law
@given(private_rows(), st.integers(0, 2), st.integers(0, 2))
def test_a_moved_mass_is_noticed(r, part, y):
    """Moving mass inside any component of any mixture breaks the identity."""
    parts = variation_ratio_decomposition if r.rows[0] != r.rows[1] else clone_decomposition
    options = {} if parts is variation_ratio_decomposition else {"epsilon0": Epsilon.log(X)}
    for m in parts(r, **options).mixtures:
        weight, component = m.parts[part % len(m.parts)]
        moved = list(component.law)
        moved[y] += Exact("1/1000")
        moved[(y + 1) % 3] -= Exact("1/1000")
        changed = list(m.parts)
        changed[part % len(m.parts)] = (weight, Component(component.name, tuple(moved)))
        assert m.check() is None
        assert replace(m, parts=tuple(changed)).check() is not None


# --- blanket --------------------------------------------------------------------------


@law
@given(stochastic_matrices(rows=3, columns=3, max_weight=4))
def test_blanket_is_the_least_row(matrix):
    least = [min(column) for column in zip(*matrix, strict=True)]
    randomizer = Randomizer.from_matrix(matrix)
    if sum(least) == 0:
        with pytest.raises(DomainError, match="blanket is empty"):
            blanket_decomposition(randomizer)
        return
    blanket = blanket_decomposition(randomizer)
    assert blanket.check() is None
    gamma = sum(least)
    assert blanket.gamma == gamma
    for row, m in zip(matrix, blanket.mixtures, strict=True):
        leftover = m.component("leftover")
        if leftover is None:
            assert list(row) == [mass / gamma for mass in least]
        else:  # no larger blanket fits: some leftover misses each message
            rest = [(a - b) / (1 - gamma) for a, b in zip(row, least, strict=True)]
            assert list(leftover.law) == rest


def blanket_formula(r, blanket, n, g):
    """(1/(gamma n)) E[(L_1 + ... + L_m)^+], m ~ Bin(n, gamma): over all sequences."""
    gamma, total = blanket.gamma.as_fraction(), Fraction(0)
    laws = [[m.as_fraction() for m in row] for row in (*r.rows[:2], blanket.blanket.law)]
    losses = [((p - g * q) / w, w) for p, q, w in zip(*laws, strict=True) if w]
    for m in range(1, n + 1):
        chance = comb(n, m) * gamma**m * (1 - gamma) ** (n - m)
        for sent in product(losses, repeat=m):
            loss = sum(loss for loss, _ in sent)
            total += chance * prod(w for _, w in sent) * max(loss, 0)
    return total / (gamma * n)


@settings(max_examples=25)
@given(private_rows(), st.integers(1, 4), st.sampled_from(GAMMAS))
def test_blanket_view_is_the_published_expectation_and_bounds_the_view(r, n, g):
    blanket = blanket_decomposition(r)
    assert blanket.gamma >= 1 / X
    formula = blanket_formula(r, blanket, n, g)
    assert blanket.blanket_view(n=n).delta(Epsilon.log(g)) == formula
    assert worst_view(r, n, g, [(0, 1)]) <= formula


def test_blanket_view_keeps_messages_outside_the_blanket():
    """Message 2 is sent by input 0 only: the expectation misses it, the view does not."""
    r = Randomizer.from_matrix([["1/2", "1/4", "1/4"], ["1/2", "1/2", 0]])
    blanket = blanket_decomposition(r)
    assert blanket.blanket_view(n=1).delta(Epsilon.log(1)) == Exact("1/4")
    assert blanket_formula(r, blanket, 1, Fraction(1)) == 0


# --- clones ---------------------------------------------------------------------------


@law
@given(
    stochastic_matrices(rows=3, columns=3, max_weight=4),
    st.sampled_from([Fraction(1), Fraction(3, 2), X]),
)
def test_clones_exist_exactly_if_the_rows_are_close_enough(matrix, x):
    r, epsilon0 = Randomizer.from_matrix(matrix), Epsilon.log(x)
    zero, one, _ = matrix
    near = all(u <= x * v and v <= x * u for u, v in zip(zero, one, strict=True))
    for construction, share, pair in (
        (clone_decomposition, 1 / (2 * x), clone_pair),
        (stronger_clone_decomposition, 1 / (x + 1), stronger_clone_pair),
    ):
        fits = all(
            w >= share * (u + v) for row in matrix for u, v, w in zip(zero, one, row, strict=True)
        )
        parts = construction(r, epsilon0=epsilon0)
        assert (parts.check() is None) == (near and fits)
        assert parts.count_pair(n=5) == pair(5, epsilon0)
        assert parts.hides_victim


@settings(max_examples=20)
@given(private_rows(), st.integers(2, 3), st.sampled_from(GAMMAS))
def test_counts_of_clones_bound_the_view(r, n, g):
    epsilon0 = Epsilon.log(X)
    clones = clone_decomposition(r, epsilon0=epsilon0)
    assert clones.check() is None
    bounds = [divergence_of_counts(clones.count_pair(n=n), g)]
    stronger = stronger_clone_decomposition(r, epsilon0=epsilon0)
    if stronger.check() is None:
        bounds.append(divergence_of_counts(stronger.count_pair(n=n), g))
    assert worst_view(r, n, g) <= min(bounds)


def test_stronger_clones_need_not_exist():
    r = Randomizer.from_matrix([["1/4", "3/4"], ["1/4", "3/4"], ["3/4", "1/4"]])
    assert r.ldp_epsilon() == Epsilon.log(3)
    fault = stronger_clone_decomposition(r, epsilon0=Epsilon.log(3)).check()
    # (1/4 − (3/4 + 3/4)/4) / (1 − 2/4)
    assert fault == DecompositionFault(
        FaultKind.NEGATIVE_MASS, "other 2", "leftover", 1, Exact("-1/4")
    )


def test_clones_of_transcendental_rows():
    r = randomized_response(3, Epsilon.rational(1))
    assert clone_decomposition(r, epsilon0=Epsilon.rational(1)).check() is None
    assert stronger_clone_decomposition(r, epsilon0=Epsilon.rational(1)).check() is None
    assert clone_decomposition(r, epsilon0=Epsilon.rational("99/100")).check() is not None


# --- variation-ratio ------------------------------------------------------------------


@law
@given(stochastic_matrices(rows=3, columns=3, max_weight=4))
def test_variation_ratio_parameters_and_decomposition(matrix):
    r = Randomizer.from_matrix(matrix)
    zero, one, _ = matrix
    assume(zero != one)
    found = variation_ratio(r)
    assert found.beta == sum(abs(u - v) for u, v in zip(zero, one, strict=True)) / 2
    if found.p.is_infinite:
        assert any((u == 0) != (v == 0) for u, v in zip(zero, one, strict=True))
    else:  # p is enough, and no less is
        p = found.p.exp.as_fraction()
        assert min(min(p * v - u, p * u - v) for u, v in zip(zero, one, strict=True)) == 0
    parts = variation_ratio_decomposition(r)
    assert parts.check() is None
    if found.q.is_infinite:
        assert parts.other == 0
    else:
        q = found.q.exp.as_fraction()
        tops = [max(u, v) for u, v in zip(zero, one, strict=True)]
        slack = min(q * w - top for row in matrix for w, top in zip(row, tops, strict=True))
        assert slack == 0 or (q == 1 and slack > 0)
        p = "infinity" if found.p.is_infinite else found.p.exp
        pair = variation_ratio_pair(4, p=p, beta=found.beta, q=found.q.exp)
        assert parts.count_pair(n=4) == pair


def test_a_smaller_p_or_q_is_faulted():
    r = randomized_response(3, Epsilon.log(3))
    # The others' row 2 has a third of the letters' mass: q = 3 is needed.
    assert variation_ratio_decomposition(r, q=3).check() is None
    fault = variation_ratio_decomposition(r, q="29/10").check()
    assert (fault.kind, fault.component) == (FaultKind.NEGATIVE_MASS, "leftover")
    assert variation_ratio_decomposition(r, p=Epsilon.log("29/10")).check() is not None
    # A smaller q does where the victim's rows agree: row 2 is small at message 2 only.
    rows = [["1/4", "1/8", "5/8"], ["1/8", "1/4", "5/8"], ["3/8", "3/8", "1/4"]]
    r = Randomizer.from_matrix(rows)
    only = r.rows[2:]
    assert variation_ratio(r, others=only).q == Epsilon.log("5/2")
    assert variation_ratio_decomposition(r, others=only, q=1).check() is None


def test_infinite_ratio():
    r = Randomizer.from_matrix([["1/2", 0, "1/2"], [0, "1/2", "1/2"], ["1/3", "1/3", "1/3"]])
    parts = variation_ratio_decomposition(r, others=r.rows[2:])
    assert parts.check() is None
    assert (parts.first, parts.second, parts.other) == (Exact("1/2"), 0, Exact("1/3"))
    assert parts.hides_victim  # both send message 2 when they send no letter
    for g in GAMMAS:
        pair = parts.count_pair(n=3)
        assert divergence_of_counts(pair, g) == divergence_of_view(r, (0, 1), (2, 2), g)


@settings(max_examples=25)
@given(private_rows(), st.integers(2, 3), st.sampled_from(GAMMAS))
def test_labeled_counts_always_bound_the_view(r, n, g):
    assume(r.rows[0] != r.rows[1])
    parts = variation_ratio_decomposition(r)
    weight, pair = parts.labeled_count_pair(n=n)
    bound = weight * divergence_of_counts(pair, g)
    worst = worst_view(r, n, g)
    assert worst <= bound
    assert divergence_of_counts(parts.count_pair(n=n), g) <= bound
    if parts.hides_victim:
        assert worst <= divergence_of_counts(parts.count_pair(n=n), g)


def test_unlabeled_counts_do_not_bound_the_view():
    """Two witnesses: three 3-private rows with n = 2; 3-ary randomized response with n = 3."""
    rows = [["1/5", "2/5", "2/5"], ["2/5", "1/5", "2/5"], ["1/5", "3/5", "1/5"]]
    cases = [
        (Randomizer.from_matrix(rows), (2,), "3/2", "3/50", "1/25"),
        (randomized_response(3, Epsilon.log(3)), (0, 2), 2, "2/25", "9/125"),
    ]
    for r, others, g, view, counts in cases:
        parts = variation_ratio_decomposition(r)
        assert parts.check() is None
        assert not parts.hides_victim
        assert divergence_of_view(r, (0, 1), others, g) == Exact(view)
        pair = parts.count_pair(n=1 + len(others))
        assert divergence_of_counts(pair, g) == Exact(counts)


def test_a_common_component_that_all_leftovers_share_hides_the_victim():
    """3-ary randomized response, all others at the third input: the counts are the view."""
    r = randomized_response(3, Epsilon.log(3))
    parts = variation_ratio_decomposition(r, others=r.rows[2:])
    assert parts.hides_victim
    for g in GAMMAS:
        pair = parts.count_pair(n=4)
        assert divergence_of_counts(pair, g) == divergence_of_view(r, (0, 1), (2, 2, 2), g)


def test_bad_arguments():
    r = randomized_response(3, Epsilon.log(3))
    with pytest.raises(DomainError, match="rows are equal"):
        variation_ratio_decomposition(r, inputs=(1, 1))
    with pytest.raises(DomainError, match="not an input"):
        clone_decomposition(r, epsilon0=Epsilon.log(3), inputs=(0, 3))
    with pytest.raises(DomainError, match="others have 2 messages"):
        clone_decomposition(r, epsilon0=Epsilon.log(3), others=[(Exact(1), Exact(0))])
    with pytest.raises(DomainError, match="infinite"):
        stronger_clone_decomposition(r, epsilon0=Epsilon.infinity())
    with pytest.raises(DomainError, match=r"p=.*must be above 0"):
        variation_ratio_decomposition(r, p=Epsilon.log(1))
    with pytest.raises(DomainError, match=r"q=.* must be at least 1"):
        variation_ratio_decomposition(r, q="1/2")
    with pytest.raises(DomainError, match="n=0"):
        blanket_decomposition(r).blanket_view(n=0)
