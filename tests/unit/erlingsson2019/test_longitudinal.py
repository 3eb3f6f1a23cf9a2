"""Algorithms 1 and 2 of Section 3 by routes that share no code with them."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from exactdp.claims import value as value_of
from exactdp.errors import DomainError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, Exact, is_below, log, sqrt
from exactdp.truth import Truth
from proofs_check.erlingsson2019 import client, server, tree
from proofs_check.erlingsson2019.tree import Node
from proofs_check.erlingsson2019.trials import theorem_6

HORIZONS = (1, 2, 4)
RATIONAL = Epsilon.log("9/4")  # e^(eps/2) = 3/2, c_eps = 5, eps < 1
ONE = Epsilon.rational(1)
YES = Truth.TRUE


# --- the client -----------------------------------------------------------------------


def outline_law(x, *, k, truth):
    """The law of (level, signs) as the Outline tells it: trees, then all coins, in Fractions."""
    d, laws = len(x), {}
    depth = len(bin(d)) - 2
    changes = [place for place in range(d) if x[place]]
    for chosen, level in product(range(k), range(depth)):
        leaves = [0] * d
        if chosen < len(changes):
            leaves[changes[chosen]] = x[changes[chosen]]
        values = leaves
        for _ in range(level):
            values = [a + b for a, b in zip(values[::2], values[1::2], strict=True)]
        for coins in product((True, False), repeat=len(values)):
            mass = Fraction(1, k * depth)
            for value, coin in zip(values, coins, strict=True):
                heads = truth if value else Fraction(1, 2)
                mass *= heads if coin else 1 - heads
            signs = tuple(
                (v or 1) * (1 if coin else -1) for v, coin in zip(values, coins, strict=True)
            )
            laws[level + 1, signs] = laws.get((level + 1, signs), 0) + mass
    return laws


def closed_form_mass(x, level, signs, *, k, epsilon):
    """1/(L + 1) · 2^(-H(h)) · (1/k) Σ_κ (1 + s_κ/c), s_κ the κ-th change times its node's sign."""
    width = len(x) // len(signs)
    agreement = sum(entry * signs[place // width] for place, entry in enumerate(x))
    mean = 2 * client.truth_probability(epsilon) - 1
    return (1 + mean * agreement / k) / (len(tree.levels(len(x))) * 2 ** len(signs))


def variance_of(law):
    square = sum((value * value * mass for value, mass in law.masses.items()), Exact(0))
    return square - server.mean_of(law) ** 2


def read(outputs):
    reports = [report for report in outputs if report is not None]
    (level,) = {report.level for report in reports}
    return level, tuple(report.sign for report in reports)


@pytest.mark.parametrize("d", HORIZONS)
@pytest.mark.parametrize("k", [1, 2])
def test_client_law_is_that_of_all_coins(d, k):
    for x in client.change_vectors(d=d, k=k):
        law = client.sequence_law(x, k=k, epsilon=RATIONAL).push_forward(read)
        coins = outline_law(x, k=k, truth=Fraction(3, 5))
        assert {y: mass.as_fraction() for y, mass in law.masses.items()} == coins


@pytest.mark.parametrize("epsilon", [RATIONAL, ONE])
def test_client_law_is_the_closed_form(epsilon):
    for d, k in product(HORIZONS, (1, 2, 3)):
        for x in client.change_vectors(d=d, k=k):
            law = client.sequence_law(x, k=k, epsilon=epsilon)
            for outputs in client.all_outputs(d=d):
                level, signs = read(outputs)
                closed = closed_form_mass(x, level, signs, k=k, epsilon=epsilon)
                assert law[outputs] == closed


def test_input_families():
    for d, k in product(HORIZONS, (1, 2, 3)):
        everything = [
            x for x in product((-1, 0, 1), repeat=d) if sum(entry != 0 for entry in x) <= k
        ]
        assert sorted(client.change_vectors(d=d, k=k)) == sorted(everything)
        boolean = set()
        for states in product((0, 1), repeat=d):
            x = tuple(b - a for a, b in zip((0, *states), states, strict=False))
            if sum(entry != 0 for entry in x) <= k:
                boolean.add(x)
        found = list(client.boolean_change_vectors(d=d, k=k))
        assert set(found) == boolean and len(found) == len(boolean)


def test_inputs_outside_the_domain_are_refused():
    for x, k in [((2,), 1), ((1, 1), 1), ((1, 0, 0), 1), ((1,), 0)]:
        with pytest.raises(DomainError):
            client.sequence_law(x, k=k, epsilon=ONE)
    with pytest.raises(DomainError):
        client.truth_probability(Epsilon.log(3))


# --- Theorem 5 --------------------------------------------------------------------------

BOOLEAN_EXP = {  # e^eps as a function of x = e^(eps/2), where it is not x itself
    (1, 1): lambda x: (1 + x) / 2,
    (1, 2): lambda x: (2 + 2 * x) / (3 + x),
    (1, 3): lambda x: (3 + 3 * x) / (4 + 2 * x),
    (2, 2): lambda x: (1 + 3 * x) / 4,
    (2, 3): lambda x: (2 + 4 * x) / (5 + x),
}


@pytest.mark.parametrize("epsilon", [RATIONAL, ONE])
@pytest.mark.parametrize("d", HORIZONS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_exact_local_privacy(d, k, epsilon):
    """All vectors: k signs right against k signs wrong, as far as there are k periods."""
    half = epsilon.divided(2).exp
    most = min(k, d)
    mean = (half - 1) / (half + 1)
    inputs = tuple(client.change_vectors(d=d, k=k))
    full = Randomizer(client.client_rows(inputs, k=k, epsilon=epsilon)).ldp_epsilon()
    assert full.exp == (k + most * mean) / (k - most * mean)
    assert full <= epsilon.divided(2) < epsilon
    if k <= d:
        assert full == epsilon.divided(2)
    states = tuple(client.boolean_change_vectors(d=d, k=k))
    boolean = Randomizer(client.client_rows(states, k=k, epsilon=epsilon)).ldp_epsilon()
    assert boolean.exp == BOOLEAN_EXP.get((d, k), lambda x: x)(half)


def test_sensitivity_of_all_inputs():
    for d, k in product(HORIZONS, (1, 2, 3)):
        every = tuple(client.change_vectors(d=d, k=k))
        for kappa_star, h_star in product(range(1, k + 1), tree.levels(d)):
            count, change = client.sensitivity(every, kappa_star=kappa_star, h_star=h_star)
            assert count <= 2 and change == (2 if kappa_star <= d else 0)


# --- Theorem 6 --------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [RATIONAL, ONE])
@pytest.mark.parametrize("d", HORIZONS)
def test_moments_of_a_contribution(d, epsilon):
    c, L = server.response_scale(epsilon), tree.log2_of(d)
    for k in (1, 2, 3):
        unit = c * k * (L + 1)
        for x in client.change_vectors(d=d, k=k):
            for node in tree.nodes(d):
                z = sum(x[t - 1] for t in node.periods)
                law = server.contribution_law(x, frozenset({node}), k=k, epsilon=epsilon)
                assert server.mean_of(law) == z / unit
                assert variance_of(law) == Exact(1) / (L + 1) - (z / unit) ** 2
            for t in range(1, d + 1):
                cover, state = tree.cover_from_binary(t), sum(x[:t])
                law = server.contribution_law(x, cover, k=k, epsilon=epsilon)
                assert set(law.masses) <= {-1, 0, 1}
                assert server.mean_of(law) == state / unit
                assert variance_of(law) == Exact(len(cover)) / (L + 1) - (state / unit) ** 2


@pytest.mark.parametrize("users", [[(1, 0), (0, -1)], [(1, 0), (1, 0)], [(0, 0), (0, 1)]])
def test_node_sums_by_all_coins_of_two_users(users):
    """d = 2, k = 1, c = 5: T at a leaf and at the root from every pair of outputs, in Fractions."""
    laws = [outline_law(x, k=1, truth=Fraction(3, 5)) for x in users]
    for node in (Node(1, 1), Node(2, 1)):
        sums = {}
        for (a, p), (b, q) in product(laws[0].items(), laws[1].items()):
            sent = sum(signs[0] for level, signs in (a, b) if level == node.level)
            sums[sent] = sums.get(sent, 0) + p * q
        law = server.node_sum_law(users, frozenset({node}), k=1, epsilon=RATIONAL)
        assert {value: mass.as_fraction() for value, mass in law.masses.items()} == sums
        # Step 11's scale c k log_2 d = 5 makes half of the truth, c k (log_2 d + 1) all of it.
        true = sum(x[t - 1] for x in users for t in node.periods)
        assert 2 * 5 * server.mean_of(law) == true


@pytest.mark.parametrize("n", [50, 60])
def test_last_display_fails_with_60_users(n):
    """d = 2, k = 1, c = 5, all x = (1, 0), t = 1, beta = 1/100: by the law of T[1, 1]."""
    at = {"n": n, "d": 2, "k": 1, "exp_half_epsilon": Fraction(3, 2), "beta": Fraction(1, 100)}
    said = theorem_6.final_display(**at)
    law = server.node_sum_law([(1, 0)] * n, frozenset({Node(1, 1)}), k=1, epsilon=RATIONAL)
    allowed = 5 * sqrt(n * log(400))
    failure = [m for v, m in law.masses.items() if is_below(allowed, Exact(n - 5 * v)) is YES]
    assert value_of(said.relations[0].left) == sum(failure, Exact(0))
    assert said.relations[0].holds() is (n == 50)
    assert all(met.holds() for met in said.hypotheses)


@pytest.mark.parametrize(("constant", "n"), [(1, 119), (10, 2135), (100, 159442)])
def test_theorem_6_fails_for_any_constant(constant, n):
    at = {"constant": constant, "d": 2, "k": 1, "epsilon": 1}
    assert not theorem_6.error_of_all_changing(n=n, **at).relations[0].holds()
    assert theorem_6.error_of_all_changing(n=n - 1, **at).relations[0].holds()


def test_success_bound_is_an_upper_bound():
    """P(|f_1 - f~_1| <= c (ln 2)^2 sqrt(n)), d = 2, k = 1, eps = 1, from the law of T[1, 1]."""
    n, c = 100, server.response_scale(ONE)
    said = theorem_6.error_of_all_changing(constant=1, n=n, d=2, k=1, epsilon=1)
    one = server.contribution_law((1, 0), frozenset({Node(1, 1)}), k=1, epsilon=ONE)
    up, none = one[1] / one[-1], one[0] / one[-1]  # y and 1 + y, in units of P(-1)

    def mass(v):
        """P(T = v): b users with -1, b + v with 1."""
        terms = (
            comb(n, b) * comb(n - b, b + v) * up ** (b + v) * none ** (n - v - 2 * b)
            for b in range(max(0, -v), (n - v) // 2 + 1)
        )
        return sum(terms, Exact(0)) * one[-1] ** n

    allowed = c * log(2) ** 2 * sqrt(n)
    success = [v for v in range(-n, n + 1) if is_below(abs(n - c * v), allowed) is YES]
    bound = value_of(said.relations[0].left)
    likely = sum(map(mass, success), Exact(0))
    assert is_below(likely, bound) is YES and is_below(bound, Exact(1)) is YES


def test_union_bound_display_fails_for_deep_trees():
    """The argument's inequality again, by rationals below and above c^2 and the logarithms."""
    at = {"log2_d": 87, "epsilon": 1}
    assert not theorem_6.unanimous_leaf(n=84, beta="88^-84/2", **at).holds()
    assert theorem_6.unanimous_leaf(n=83, beta="88^-83/2", **at).holds()
    # c^2 < 16.671, 92 ln 2 + 90 ln 91 < 63.77 + 405.98.
    assert is_below(server.response_scale(ONE) ** 2, Exact("16.671")) is YES
    assert Fraction("16.671") * Fraction("469.75") / 90 < 90
