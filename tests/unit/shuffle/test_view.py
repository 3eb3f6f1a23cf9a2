"""Shuffle views: three independent routes to the law of what the analyzer sees.

The engine multiplies polynomials. The second route adds up users, one after another, with
every message apart, in Python's own fractions; for transcendental weights in mpmath, with 60
digits.
"""

import time
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.distributions import multinomial
from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Enclosure, Epsilon, Exact, enclosure
from exactdp.shuffle import Users, Victim, shuffle_view
from exactdp.testing import fractions, stochastic_matrices
from tests.routes.laws import added, hockey_stick, merged, one_message
from tests.routes.reals import fraction_of, mpf_of

law = settings(max_examples=120)

gammas = fractions(Fraction(1, 6), 5, max_denominator=6)


@st.composite
def protocols(draw, *, messages=3, inputs=2):
    """Up to four users, each with a randomizer of its own (zero entries included)."""
    one = stochastic_matrices(rows=inputs, columns=messages, max_weight=3)
    matrices = draw(st.lists(one, min_size=1, max_size=3))
    other = st.tuples(st.integers(0, len(matrices) - 1), st.integers(0, inputs - 1))
    others = draw(st.lists(other, max_size=3))
    pair = draw(st.permutations(range(inputs)))[:2]
    return matrices, tuple(pair), others


def view_of(protocol, **options):
    matrices, pair, others = protocol
    randomizers = [Randomizer.from_matrix(m) for m in matrices]
    users = [Users(randomizers[i], x) for i, x in others]
    return shuffle_view(Victim(randomizers[0], pair), users, **options)


def laws_of(protocol):
    """The law of the whole histogram, with the victim's first and with its second input."""
    matrices, pair, others = protocol
    rest = [one_message(matrices[i][x]) for i, x in others]
    return [added([one_message(matrices[0][x]), *rest]) for x in pair]


# --- three routes -----------------------------------------------------------------


@law
@given(protocols() | protocols(messages=4, inputs=3) | protocols(messages=1), gammas)
def test_the_engine_is_the_sum_over_users(protocol, gamma):
    view, expected = view_of(protocol), hockey_stick(*laws_of(protocol), gamma)
    assert view.delta(Epsilon.log(gamma)) == view.pair.delta(Epsilon.log(gamma)) == expected
    assert view.delta(Epsilon.rational("1/2")) == view.pair.delta(Epsilon.rational("1/2"))


@law
@given(protocols(messages=4))
def test_the_pair_is_the_law_of_the_merged_histogram(protocol):
    view = view_of(protocol)
    assert view.cells >= len(view.pair)
    for side, expected in enumerate(laws_of(protocol)):
        masses = {
            h: masses[side].as_fraction()
            for h, masses in zip(view.pair.outcomes, view.pair.masses(), strict=True)
        }
        # Messages of no class are never sent.
        assert {h: m for h, m in masses.items() if m} == merged(expected, view.classes)


@pytest.mark.parametrize(
    ("k", "epsilon0", "others", "epsilon"),
    [
        (2, "0.49", [(0, 3), (1, 2)], "0.1"),
        (3, "1/2", [(2, 5)], "1/3"),
        (3, "1", [(0, 1), (1, 2), (2, 3)], "0"),
        (4, "7/10", [(3, 4), (1, 1)], "1/7"),
        (5, "2", [(4, 3)], "-1/2"),
    ],
)
def test_transcendental_weights_are_those_of_a_second_engine(k, epsilon0, others, epsilon):
    rr = randomized_response(k, Epsilon.rational(epsilon0))
    view = shuffle_view(Victim(rr), [Users(rr, x, count) for x, count in others])
    value = view.delta(Epsilon.rational(epsilon))
    with mpmath.workdps(60):
        odds, factor = (mpmath.exp(mpf_of(e)) for e in (epsilon0, epsilon))
        rows = [[(odds if x == y else 1) / (odds + k - 1) for y in range(k)] for x in range(k)]
        rest = [one_message(rows[x]) for x, count in others for _ in range(count)]
        p, q = (added([one_message(rows[x]), *rest]) for x in (0, 1))
        total = hockey_stick(p, q, factor)
        truth = fraction_of(total)
    found = enclosure(value, relative_bits=200)
    error = Fraction(1, 10**50)  # of mpmath, with 60 digits and a few hundred terms
    assert found.lower - error <= truth <= found.upper + error
    assert truth > Fraction(1, 1000)
    assert not value.is_rational


def test_a_pair_of_multinomials_by_hand():
    """Two users of 3-ary randomized response, e^eps0 = 2: rows (2, 1, 1)/4 and so on."""
    rr = randomized_response(3, Epsilon.log(2))
    view = shuffle_view(Victim(rr), [Users(rr, 2)])
    # P(0,2) = 4 + 1, P(0,1) = 2 + 1, P(0,0) = 2, all over 16; Q likewise with 0 and 1
    # swapped: P - Q = 5 - 3, 2 - 1 at (0,2) and (0,0), and nothing else is positive.
    assert view.classes == ((0,), (1,), (2,))
    assert view.delta(Epsilon.log(1)) == Exact("3/16")
    alone = shuffle_view(Victim(rr), [])
    assert alone.delta(Epsilon.log(1)) == Exact("1/4")
    same = shuffle_view(Victim(rr, (1, 1)), [Users(rr, 1, 2)])
    assert same.classes == ((0, 1, 2),)  # nothing depends on the input
    assert same.pair.masses() == [(Exact(1), Exact(1))]


def test_equal_users_follow_the_multinomial_law():
    rr = randomized_response(3, Epsilon.log(2))
    view = shuffle_view(Victim(rr), [Users(rr, 0, 4)])
    whole = multinomial(5, rr.row(0)).push_forward(lambda h: (h[0], h[1], h[2]))
    p = dict(zip(view.pair.outcomes, (p for p, _ in view.pair.masses()), strict=True))
    assert p == dict(whole.masses)


# --- merging ----------------------------------------------------------------------


@st.composite
def split_protocols(draw):
    """A protocol, and the same with every message split in fixed proportions, zeros added."""
    matrices, pair, others = draw(protocols(messages=2))
    shares = draw(st.lists(fractions(0, 1, max_denominator=5), min_size=2, max_size=2))

    def split(row):
        pieces = [part for m, s in zip(row, shares, strict=True) for part in (m * s, m * (1 - s))]
        return (*pieces, Fraction(0))

    longer = [tuple(split(row) for row in m) for m in matrices]
    return (matrices, pair, others), (longer, pair, others)


@law
@given(split_protocols(), gammas)
def test_proportional_columns_merge_without_loss(both, gamma):
    view, longer = map(view_of, both)
    assert len(longer.classes) == len(view.classes)
    assert longer.is_lower_bound is False
    expected = hockey_stick(*laws_of(both[1]), gamma)
    assert longer.delta(Epsilon.log(gamma)) == view.delta(Epsilon.log(gamma)) == expected


@law
@given(
    protocols(messages=4),
    gammas,
    st.sampled_from([[[0, 1], [2, 3]], [[0], [1, 2, 3]], [[3, 0], [1], [2]], [[0, 1, 2, 3]]]),
)
def test_other_merging_gives_a_lower_bound(protocol, gamma, merge):
    view = view_of(protocol, merge=merge)
    value = view.delta(Epsilon.log(gamma))
    assert view.is_lower_bound is True
    assert value <= view_of(protocol).delta(Epsilon.log(gamma))
    p, q = (merged(law, merge) for law in laws_of(protocol))
    assert value == hockey_stick(p, q, gamma)


def test_merged_rows_that_coincide_are_one_group():
    rr = randomized_response(4, Epsilon.log(3))
    others = [Users(rr, 1, 2), Users(rr, 2, 3), Users(rr, 3)]
    apart = shuffle_view(Victim(rr), others, merge=[[0], [1, 2, 3]])
    assert apart.classes == ((0,), (1, 2, 3))
    assert apart.users == 7
    together = shuffle_view(Victim(rr), [Users(rr, 1, 6)], merge=[[0], [1, 2, 3]])
    assert apart.delta(Epsilon.log(2)) == together.delta(Epsilon.log(2))


def test_messages_that_nobody_sends_are_dropped():
    r = Randomizer.from_matrix([["1/2", 0, "1/2", 0], ["1/3", 0, "2/3", 0]])
    view = shuffle_view(Victim(r), [Users(r, 0, 2)])
    assert view.classes == ((0,), (2,))
    assert view.cells == 4


# --- errors and sizes -------------------------------------------------------------

RR = randomized_response(3, Epsilon.log(2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: shuffle_view(Victim(RR), [Users(randomized_response(4, Epsilon.log(2)), 0)]),
            r"^a randomizer has 4 messages, the victim's has 3",
        ),
        (
            lambda: shuffle_view(Victim(RR), merge=[[0], [1]]),
            r"the messages 0\.\.2",
        ),
        (lambda: shuffle_view(Victim(RR), merge=[[0, 1], [1, 2]]), r"is not a partition"),
        (lambda: shuffle_view(Victim(RR), merge=[[0, 1, 2], []]), r"is not a partition"),
        (lambda: shuffle_view(Victim(RR), merge=[[0, 1], [2, 3]]), r"is not a partition"),
        (lambda: Victim(RR, (0, 3)), r"^victim input=3 is outside the alphabet 0\.\.2"),
        (lambda: Victim(RR, (-1, 0)), r"^victim input=-1 must be at least 0"),
        (lambda: Users(RR, 3), r"^others input=3 is outside"),
        (lambda: Users(RR, 3, 0), r"^others input=3 is outside"),
        (lambda: Users(RR, True), r"^input=True is of type bool"),
        (lambda: Users(RR, 0, -1), r"^count=-1 must be at least 0"),
        (lambda: Users(RR, 1, 2.5), r"^count=2.5 is of type float"),
        (lambda: shuffle_view(Victim(RR)).delta(True), "is a bool"),
        (lambda: shuffle_view(Victim(RR)).delta([2]), "of type list"),
        (lambda: shuffle_view(Victim(RR)).delta(None), "of type NoneType"),
    ],
)
def test_what_is_no_protocol_is_refused(make, message):
    with pytest.raises(DomainError, match=message):
        make()


def test_a_view_is_a_profile():
    view = shuffle_view(Victim(RR), [Users(RR, 1)])
    two, turned = Epsilon.log("3/2"), shuffle_view(Victim(RR, (1, 0)), [Users(RR, 1)])
    assert view.reversed().delta(two) == turned.delta(two) != view.delta(two)
    assert view.both_directions().delta(two) == max(view.delta(two), turned.delta(two))
    assert view.max_divergence() == view.pair.max_divergence()
    epsilon = view.epsilon("1/100")
    assert view.delta(epsilon) == Exact("1/100")
    around = view.epsilon("1/100", relative_width="1e-9")
    assert Exact.exp(around.lower) <= epsilon.exp <= Exact.exp(around.upper)
    assert view.delta(two, relative_width="1e-9").contains(view.delta(two))
    assert view.note is None
    assert "a lower bound" in shuffle_view(Victim(RR), merge=[[0], [1, 2]]).note


@pytest.mark.parametrize("n", [10**6, 10**9, 10**18])
@pytest.mark.parametrize("epsilon0", [Epsilon.log(4), Epsilon.rational("1/2")])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_large_views_are_refused_at_once(n, epsilon0, k):
    rr = randomized_response(k, epsilon0)
    start = time.process_time()
    view = shuffle_view(Victim(rr), [Users(rr, 0, n // 2), Users(rr, 1, n - 1 - n // 2)])
    assert view.users == n
    questions = (
        lambda: view.pair,
        lambda: view.delta(Epsilon.log(2)),
        lambda: view.delta(Epsilon.rational(1)),
    )
    for question in questions:
        with pytest.raises(TooLargeError, match=r"^n=.* users .*the limit is .*[lL]ower n"):
            question()
    assert time.process_time() - start < 1


def test_a_number_of_nats_asks_for_no_exact_answer():
    rr = randomized_response(2, 0.3)
    view = shuffle_view(Victim(rr), [Users(rr, 0, 20)])
    found = view.delta(0.1)
    assert isinstance(found, Enclosure) and found.is_narrow(Fraction(1, 10**9))
    with pytest.raises(TooLargeError, match='Or pass relative_width="1e-9"'):
        view.delta(Epsilon.rational(0.1))
    decimal = randomized_response(2, "0.3")
    near = shuffle_view(Victim(decimal), [Users(decimal, 0, 20)]).delta("0.1")
    assert isinstance(near, Exact) and abs(float(near) - float(found.lower)) < 1e-12


def test_a_thousand_users_are_not_large():
    rr = randomized_response(3, Epsilon.log(4))
    view = shuffle_view(Victim(rr), [Users(rr, 0, 100), Users(rr, 2, 99)])
    swapped = shuffle_view(Victim(rr, (1, 0)), [Users(rr, 1, 100), Users(rr, 2, 99)])
    values = [v.delta(Epsilon.log("3/2")) for v in (view, swapped)]
    assert values[0] == values[1] > 0


def test_the_reversed_view_is_the_view_of_the_inputs_exchanged():
    """It reads the first one's products; the other has its own."""
    rows = [["1/2", "1/2", 0], ["1/4", "1/4", "1/2"], ["1/8", "3/8", "1/2"]]
    randomizer = Randomizer.from_matrix(rows)
    others = [Users(randomizer, 2, 2), Users(randomizer, 1)]
    there = shuffle_view(Victim(randomizer, (0, 1)), others)
    back, own = there.reversed(), shuffle_view(Victim(randomizer, (1, 0)), others)
    assert own.losses() != there.losses()
    assert back.losses() == own.losses() == back.pair.losses()
    assert dict(zip(back.pair.outcomes, back.pair, strict=True)) == dict(
        zip(own.pair.outcomes, own.pair, strict=True)
    )
    for epsilon in (Epsilon.log("3/2"), Epsilon.rational("1/3")):
        assert back.delta(epsilon) == own.delta(epsilon) != there.delta(epsilon)
    assert back.max_divergence() == own.max_divergence()
    assert back.reversed().losses() == there.losses()


@law
@given(protocols(), gammas)
def test_what_is_asked_of_a_view_is_asked_of_its_pair(protocol, gamma):
    view, epsilon = view_of(protocol), Epsilon.rational(abs(gamma))
    assert view.delta(epsilon) == view.pair.delta(epsilon)
    assert view.losses() == view.pair.losses()
    assert view.max_divergence() == view.pair.max_divergence()


@law
@given(protocols(messages=4, inputs=3), st.integers(1, 5), gammas)
def test_others_who_send_with_one_law_are_asked_without_the_pair(protocol, count, gamma):
    matrices, pair, _ = protocol
    epsilon, others = Epsilon.rational(abs(gamma)), [(len(matrices) - 1, 2)] * count
    view = view_of((matrices, pair, others))
    for side in (view, view.reversed()):
        assert side.delta(epsilon) == side.pair.delta(epsilon)
        assert side.losses() == side.pair.losses()
        assert side.losses().weights() == side.pair.losses().weights()


def test_long_weights_of_others_who_send_with_one_law_are_those_of_the_pair():
    one = Randomizer.from_matrix([["0.1234567", "0.8765433"], ["0.7654321", "0.2345679"]])
    view = shuffle_view(Victim(one, (0, 1)), [Users(one, 1, 2), Users(one, 1, 3)])
    assert view.losses() == view.pair.losses()


@law
@given(protocols())
def test_a_view_that_is_its_reverse_is_asked_once(protocol):
    view = view_of(protocol)
    if view.is_its_reverse:
        assert view.losses() == view.reversed().losses() and view.both_directions() is view


def test_messages_change_places_where_no_other_user_tells_them_apart():
    three = randomized_response(3, Epsilon.log(2))
    alike, apart = (shuffle_view(Victim(three), [Users(three, x, 2)]) for x in (2, 0))
    assert alike.is_its_reverse and not apart.is_its_reverse
    assert len(apart.both_directions().profiles) == 2
