"""Algorithms 1 and 2 of Section 3 by routes that share no code with them."""

import dataclasses
from fractions import Fraction
from itertools import product

import pytest

from exactdp.errors import DomainError
from exactdp.numbers import Epsilon, Exact, is_below, log, sqrt
from exactdp.truth import Truth
from proofs_check.erlingsson2019 import client, server, tree
from proofs_check.erlingsson2019.tree import Node

HORIZONS = (1, 2, 4)
RATIONAL = Epsilon.log("9/4")  # e^(eps/2) = 3/2, c_eps = 5, eps < 1
ONE = Epsilon.rational(1)


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
                closed = client.closed_form_mass(x, level, signs, k=k, epsilon=epsilon)
                assert law[outputs] == closed


def test_client_by_hand():
    # d = 2, k = 2, x = (1, -1), truth 3/4. Leaves (prob. 1/2): kappa* = 1 gives 3/4 · 1/2 for
    # (+, +), kappa* = 2 gives 1/2 · 1/4: the mean is 1/4.
    law = client.sequence_law((1, -1), k=2, epsilon=Epsilon.log(9)).push_forward(read)
    assert law[1, (1, 1)] == Exact("1/8")
    assert law[1, (1, -1)] == Exact("3/16")  # (3/4 · 1/2 + 1/2 · 3/4) / 2 / 2
    assert law[2, (1,)] == law[2, (-1,)] == Exact("1/4")  # the changes cancel


def test_reports_come_when_the_level_divides_the_time():
    for outputs in client.sequence_law((0, 1, 0, -1), k=2, epsilon=ONE).masses:
        level, _ = read(outputs)
        sent = [t for t in range(1, 5) if outputs[t - 1] is not None]
        assert sent == {1: [1, 2, 3, 4], 2: [2, 4], 3: [4]}[level]
        assert all(outputs[t - 1].time == t for t in sent)


def test_the_state_is_four_integers():
    fields = dataclasses.fields(client.ClientState)
    assert [field.name for field in fields] == ["kappa_star", "h_star", "kappa", "c"]
    for state in client.setup(d=4, k=3).masses:
        assert all(type(value) is int for value in dataclasses.astuple(state))


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
    for signs in ([1], [1, 0]):
        with pytest.raises(DomainError):
            client.closed_form_mass((1, 0), 1, signs, k=1, epsilon=ONE)
    with pytest.raises(DomainError):
        client.client_randomizer([(1,), (1, 0)], k=1, epsilon=ONE)
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
    full = client.client_randomizer(inputs, k=k, epsilon=epsilon).ldp_epsilon()
    assert full.exp == (k + most * mean) / (k - most * mean)
    assert full <= epsilon.divided(2) < epsilon
    if k <= d:
        assert full == epsilon.divided(2)
    states = tuple(client.boolean_change_vectors(d=d, k=k))
    boolean = client.client_randomizer(states, k=k, epsilon=epsilon).ldp_epsilon()
    assert boolean.exp == BOOLEAN_EXP.get((d, k), lambda x: x)(half)


def test_local_privacy_by_all_coins():
    laws = [outline_law(x, k=2, truth=Fraction(3, 5)) for x in client.change_vectors(d=2, k=2)]
    assert max(p[y] / q[y] for p in laws for q in laws for y in p) == Fraction(3, 2)
    states = client.boolean_change_vectors(d=2, k=2)
    laws = [outline_law(x, k=2, truth=Fraction(3, 5)) for x in states]
    assert max(p[y] / q[y] for p in laws for q in laws for y in p) == Fraction(11, 8)


def test_sensitivity():
    assert client.sensitivity([(1,), (-1,)], kappa_star=1, h_star=1) == (1, 2)
    for d, k in product(HORIZONS, (1, 2, 3)):
        every = tuple(client.change_vectors(d=d, k=k))
        boolean = tuple(client.boolean_change_vectors(d=d, k=k))
        for kappa_star, h_star in product(range(1, k + 1), tree.levels(d)):
            at = {"kappa_star": kappa_star, "h_star": h_star}
            count, change = client.sensitivity(every, **at)
            assert count <= 2 and change == (2 if kappa_star <= d else 0)
            count, change = client.sensitivity(boolean, **at)
            assert count <= 2 and change <= 1


# --- Theorem 6 --------------------------------------------------------------------------


def test_level_probability_is_one_over_the_number_of_levels():
    for d in HORIZONS:
        law = client.setup(d=d, k=2).push_forward(lambda state: state.h_star)
        assert all(law[h] == Exact(1) / len(tree.levels(d)) for h in tree.levels(d))


@pytest.mark.parametrize("epsilon", [RATIONAL, ONE])
def test_response_mean(epsilon):
    half = epsilon.divided(2).exp
    assert 2 * half / (half + 1) - 1 == 1 / server.response_scale(epsilon)
    for sign in (-1, 1):
        state = client.ClientState(kappa_star=1, h_star=1, kappa=0, c=0)
        law = client.update(state, 1, sign, epsilon).push_forward(lambda after: after[1].sign)
        assert server.mean_of(law) == sign / server.response_scale(epsilon)


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
                assert server.variance_of(law) == Exact(1) / (L + 1) - (z / unit) ** 2
            for t in range(1, d + 1):
                cover, state = tree.cover_from_binary(t), sum(x[:t])
                law = server.contribution_law(x, cover, k=k, epsilon=epsilon)
                assert set(law.masses) <= {-1, 0, 1}
                assert server.mean_of(law) == state / unit
                assert server.variance_of(law) == Exact(len(cover)) / (L + 1) - (state / unit) ** 2


@pytest.mark.parametrize("users", [[(1, 0), (0, -1)], [(1, 0), (1, 0)], [(0, 0), (0, 1)]])
def test_estimates_by_all_coins_of_two_users(users):
    """d = 2, k = 1, c = 5: T and both estimates from every pair of outputs, in Fractions."""
    laws = [outline_law(x, k=1, truth=Fraction(3, 5)) for x in users]
    first = second = second_square = Fraction(0)
    sums = {}
    for (a, p), (b, q) in product(laws[0].items(), laws[1].items()):
        leaf_1 = sum(signs[0] for level, signs in (a, b) if level == 1)
        root = sum(signs[0] for level, signs in (a, b) if level == 2)
        first += p * q * 5 * leaf_1
        second += p * q * 5 * root
        second_square += p * q * 25 * root**2
        sums[root] = sums.get(root, 0) + p * q
    scale = server.printed_scale(d=2, k=1, epsilon=RATIONAL)
    at = {"scale": scale, "k": 1, "epsilon": RATIONAL}
    assert scale == 5
    assert server.estimate_mean(users, 1, **at) == first
    assert server.estimate_mean(users, 2, **at) == second
    assert server.estimate_variance(users, 2, **at) == second_square - second**2
    law = server.node_sum_law(users, frozenset({Node(2, 1)}), k=1, epsilon=RATIONAL)
    assert {value: mass.as_fraction() for value, mass in law.masses.items()} == sums
    unbiased = {**at, "scale": server.unbiased_scale(d=2, k=1, epsilon=RATIONAL)}
    for t in (1, 2):
        assert 2 * server.estimate_mean(users, t, **at) == server.states_at(users, t)
        assert server.estimate_mean(users, t, **unbiased) == server.states_at(users, t)


def test_server_by_hand():
    Report = client.Report
    sequences = [
        (Report(1, 1, 1), Report(1, 2, 1), Report(1, 3, -1), Report(1, 4, 1)),
        (None, Report(2, 2, -1), None, Report(2, 4, 1)),
        (None, Report(2, 2, -1), None, Report(2, 4, -1)),
        (None, None, None, Report(3, 4, 1)),
    ]
    sums = server.sums_of_reports(sequences, d=4)
    by_level = [[sums[Node(h, j)] for j in range(1, 2 ** (3 - h) + 1)] for h in (1, 2, 3)]
    assert by_level == [[1, 1, -1, 1], [-2, 0], [1]]
    # t = 1: [1,1]; t = 2: [2,1]; t = 3: [2,1] and [1,3]; t = 4: [3,1].
    assert server.marginal_estimates(sums, d=4, scale=Exact(10)) == (10, -20, -30, 10)


def test_the_two_meanings_of_f():
    users = [(1, 0)]
    assert (server.changes_at(users, 2), server.states_at(users, 2)) == (0, 1)
    at = {"k": 1, "epsilon": RATIONAL}
    printed = server.printed_scale(d=2, **at)
    assert server.estimate_mean(users, 2, scale=printed, **at) == Exact("1/2")
    assert server.estimate_mean(users, 2, scale=server.unbiased_scale(d=2, **at), **at) == 1


def test_chernoff_with_the_square_root_of_the_mean_fails():
    law = server.node_sum_law([(0,)], frozenset({Node(1, 1)}), k=1, epsilon=ONE)
    assert server.mean_of(law) == 0 and law[1] == law[-1] == Exact("1/2")
    law = server.node_sum_law([(-1,)], frozenset({Node(1, 1)}), k=1, epsilon=ONE)
    assert server.mean_of(law) == -1 / server.response_scale(ONE)


def test_expectation_of_a_node_is_at_most_n_over_levels():
    for d in HORIZONS:
        for users in ([(1,) + (0,) * (d - 1)] * 3, [(-1,) + (0,) * (d - 1)] * 2):
            law = server.node_sum_law(users, frozenset({Node(1, 1)}), k=1, epsilon=RATIONAL)
            assert abs(server.mean_of(law)) == Exact(len(users)) / (5 * len(tree.levels(d)))


def test_one_period_makes_every_estimate_zero():
    at = {"scale": server.printed_scale(d=1, k=1, epsilon=ONE), "k": 1, "epsilon": ONE}
    assert at["scale"] == 0
    assert server.error_probability([(1,)], 1, allowed=Exact(0), **at) == 1


@pytest.mark.parametrize(
    ("n", "beta", "fails"), [(20, "13/1000000", 1), (51, "1/100", 1), (50, "1/100", 0)]
)
def test_last_display_fails_with_few_users(n, beta, fails):
    """d = 2, k = 1, eps = 1, all x = (1, 0), t = 1; with 20 users T[1, 1] is at most -11."""
    allowed = server.response_scale(ONE) * sqrt(n * log(4 / Exact(beta)))
    scale = server.printed_scale(d=2, k=1, epsilon=ONE)
    at = {"k": 1, "epsilon": ONE}
    failure = server.error_probability([(1, 0)] * n, 1, scale=scale, allowed=allowed, **at)
    assert (failure > Exact(beta)) == bool(fails)
    if n == 20:
        law = server.node_sum_law([(1, 0)] * n, frozenset({Node(1, 1)}), **at)
        assert failure == law.probability(range(-20, -10))


@pytest.mark.parametrize(("constant", "n"), [(1, 119), (10, 2135), (100, 159442)])
def test_theorem_6_fails_for_any_constant(constant, n):
    def bound(users):
        allowed = constant * server.response_scale(ONE) * log(2) ** 2 * sqrt(users)
        return server.success_upper_bound(users, d=2, k=1, epsilon=ONE, allowed=allowed)

    assert bound(n) < Exact("2/3")
    before = bound(n - 1)
    assert before is None or before >= Exact("2/3")


def test_success_bound_is_an_upper_bound():
    scale = server.printed_scale(d=2, k=1, epsilon=RATIONAL)
    at = {"k": 1, "epsilon": RATIONAL}
    for n in (30, 60):
        bound = server.success_upper_bound(n, d=2, allowed=Exact(1), **at)
        success = 1 - server.error_probability([(1, 0)] * n, 1, scale=scale, allowed=Exact(1), **at)
        assert success <= bound
    assert server.success_upper_bound(10, d=2, allowed=Exact(5), **at) is None


def test_repaired_bound_holds_exactly_for_few_users():
    for d, users in [(1, [(1,)] * 12), (2, [(1, 0)] * 8 + [(0, 0)] * 4), (4, [(1, 0, -1, 1)] * 6)]:
        k = sum(entry != 0 for entry in users[0])
        at = {"k": k, "epsilon": RATIONAL}
        allowed = server.repaired_error_bound(len(users), d=d, **at)
        scale = server.unbiased_scale(d=d, **at)
        failures = [
            server.error_probability(users, t, scale=scale, allowed=allowed, **at)
            for t in range(1, d + 1)
        ]
        assert sum(failures, Exact(0)) <= Exact("1/3")


def test_union_bound_display_fails_for_deep_trees():
    """The argument's inequality again, by rationals below and above c^2 and the logarithms."""
    assert server.is_union_bound_exceeded(90, log2_d=90, epsilon=ONE) is Truth.TRUE
    assert server.is_union_bound_exceeded(84, log2_d=87, epsilon=ONE) is Truth.TRUE
    assert server.is_union_bound_exceeded(83, log2_d=87, epsilon=ONE) is Truth.FALSE
    # c^2 < 16.671, 92 ln 2 + 90 ln 91 < 63.77 + 405.98.
    assert is_below(server.response_scale(ONE) ** 2, Exact("16.671")) is Truth.TRUE
    assert Fraction("16.671") * Fraction("469.75") / 90 < 90
    with pytest.raises(DomainError):
        server.is_union_bound_exceeded(5, log2_d=3, epsilon=ONE)


def test_no_response_scale_at_epsilon_zero():
    with pytest.raises(DomainError):
        server.response_scale(Epsilon.rational(0))
