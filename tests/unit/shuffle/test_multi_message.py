"""Views of protocols with several messages a user, or none: independent routes to the law.

The engine multiplies polynomials after merging letters. The other routes add up users, or all
coins that they throw, with every letter apart: in Python's own fractions, or in mpmath.
"""

from fractions import Fraction
from itertools import product
from math import comb

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer
from exactdp.numbers import Epsilon, enclosure
from exactdp.shuffle import (
    MultiMessageUsers,
    MultiMessageVictim,
    MultisetLaw,
    Users,
    Victim,
    multi_message_view,
    shuffle_view,
    union_of,
)
from exactdp.testing import fractions, stochastic_matrices
from tests.routes.laws import added, hockey_stick, laws_on, merged

gammas = fractions(Fraction(1, 5), 4, max_denominator=5)


def multiset_laws(letters):
    """A law on tuples of up to two messages a letter."""
    return laws_on(st.tuples(*[st.integers(0, 2)] * letters), most=3, max_weight=4)


def view_of(victim, others, **options):
    laws = [MultisetLaw.from_masses(law) for law in victim]
    users = [MultiMessageUsers(MultisetLaw.from_masses(law), count) for law, count in others]
    return multi_message_view(MultiMessageVictim(*laws), users, **options)


def laws_of(victim, others):
    """The law of the union, with either law of the victim."""
    rest = [law for law, count in others for _ in range(count)]
    return [added([law, *rest]) for law in victim]


@settings(max_examples=80)
@given(st.data(), st.integers(1, 3), gammas)
def test_the_divergence_is_that_of_all_combinations(data, letters, gamma):
    law = multiset_laws(letters)
    victim = data.draw(st.tuples(law, law))
    others = data.draw(st.lists(st.tuples(law, st.integers(0, 2)), max_size=2))
    view = view_of(victim, others)
    p, q = laws_of(victim, others)
    assert not view.is_lower_bound
    for found in (view, view.pair):
        assert found.delta(Epsilon.log(gamma)) == hockey_stick(p, q, gamma)
        assert found.reversed().delta(Epsilon.log(gamma)) == hockey_stick(q, p, gamma)
    p, q = (merged(law, view.classes) for law in (p, q))
    for h, masses in zip(view.pair.outcomes, view.pair.masses(), strict=True):
        assert masses == (p.get(h, 0), q.get(h, 0))


@settings(max_examples=40)
@given(st.data(), gammas)
def test_merging_on_request_is_a_lower_bound(data, gamma):
    victim = data.draw(st.tuples(multiset_laws(3), multiset_laws(3)))
    others = [(data.draw(multiset_laws(3)), 1)]
    view = view_of(victim, others, merge=[[0, 2], [1]])
    p, q = (merged(law, [(0, 2), (1,)]) for law in laws_of(victim, others))
    value = view.delta(Epsilon.log(gamma))
    assert view.is_lower_bound
    assert value == hockey_stick(p, q, gamma)
    assert value <= view_of(victim, others).delta(Epsilon.log(gamma))


# --- a protocol of coins: sampled items and a blanket, all message sequences ------------


def sequences_law(items, blanket, *, letters, rate, slot_rate):
    """Sum over all sequences of coins and letters; the analyzer sorts what arrives."""
    masses = {}
    for coins in product([False, True], repeat=len(items)):
        for sent in product([None, *range(letters)], repeat=blanket):
            mass = rate**0
            for coin in coins:
                mass *= rate if coin else 1 - rate
            for y in sent:
                mass *= 1 - slot_rate if y is None else slot_rate / letters
            own = [item for item, coin in zip(items, coins, strict=True) if coin]
            seen = tuple(sorted(own + [y for y in sent if y is not None]))
            masses[seen] = masses.get(seen, 0) + mass
    return masses


@pytest.mark.parametrize(("first", "second"), [([0], [1]), ([0, 1], [2, 3]), ([0, 1], [0, 2])])
@pytest.mark.parametrize("slot_rate", [Fraction(1), Fraction(2, 3)])
def test_sampled_items_in_a_blanket_against_all_message_sequences(first, second, slot_rate):
    letters, blanket, rate = 4, 4, Fraction(1, 3)
    slot = MultisetLaw.one_of([slot_rate / letters] * letters)
    victim = MultiMessageVictim(
        *(
            MultisetLaw.sampled(items, letters=letters, sampling_probability=rate)
            for items in (first, second)
        )
    )
    view = multi_message_view(victim, [MultiMessageUsers(slot, blanket)])
    p, q = (
        sequences_law(items, blanket, letters=letters, rate=rate, slot_rate=slot_rate)
        for items in (first, second)
    )
    for gamma in (Fraction(1), Fraction(5, 4), Fraction(2)):
        assert view.delta(Epsilon.log(gamma)) == hockey_stick(p, q, gamma)
    # Letters of the blanket alone are not told apart, nor are items of both inputs.
    kinds = {(y in first, y in second) for y in range(letters)}
    singles = {y for y in range(letters) if (y in first) != (y in second)}
    both = [y for y in range(letters) if y in first and y in second]
    assert len(view.classes) == len(singles) + len(both) + ((False, False) in kinds)


def test_letters_merge_only_if_their_derivatives_are_proportional():
    # z0 and z1 occur with the same total masses, but 2 z0 z1 is not a function of z0 + z1
    # unless the squares stand beside it.
    split = {(2, 0): Fraction(1, 4), (1, 1): Fraction(1, 2), (0, 2): Fraction(1, 4)}
    assert view_of([split, split], []).classes == ((0, 1),)
    together = {(2, 0): Fraction(1, 2), (0, 2): Fraction(1, 2)}
    assert view_of([split, together], []).classes == ((0,), (1,))
    assert view_of([split, together], []).delta(Epsilon.log(1)) == Fraction(1, 2)


def test_letters_that_are_never_sent_are_left_out():
    victim = [{(1, 0, 0): Fraction(1)}, {(0, 0, 1): Fraction(1)}]
    assert view_of(victim, []).classes == ((0,), (2,))
    nothing = {(0, 0): Fraction(1)}
    view = view_of([nothing, nothing], [(nothing, 3)])
    assert view.classes == ((0, 1),)
    assert view.delta(Epsilon.log(1)) == 0


@settings(max_examples=40)
@given(stochastic_matrices(rows=2, columns=3, max_weight=3), st.integers(0, 3), gammas)
def test_one_message_a_user_is_the_view_of_the_shuffle_model(matrix, count, gamma):
    randomizer = Randomizer.from_matrix(matrix)
    single = shuffle_view(Victim(randomizer), [Users(randomizer, 1, count)])
    rows = [MultisetLaw.one_of(row) for row in randomizer.rows]
    many = multi_message_view(MultiMessageVictim(*rows), [MultiMessageUsers(rows[1], count)])
    assert many.delta(Epsilon.log(gamma)) == single.delta(Epsilon.log(gamma))


def test_how_many_messages_there_are_is_seen():
    always, half = MultisetLaw.point((1,)), MultisetLaw.one_of(["1/2"])
    view = multi_message_view(
        MultiMessageVictim(always, MultisetLaw.point((0,))), [MultiMessageUsers(half, 2)]
    )
    # Counts 1, 2, 3 against 0, 1, 2 with masses 1/4, 1/2, 1/4.
    assert view.delta(Epsilon.log(1)) == Fraction(1, 2)


def test_transcendental_weights_against_mpmath():
    rate = 1 / Epsilon.rational("1/2").exp
    victim = MultiMessageVictim(
        *(MultisetLaw.sampled([x], letters=3, sampling_probability=rate) for x in (0, 1))
    )
    slot = MultisetLaw.one_of([rate / 3] * 3)
    view = multi_message_view(victim, [MultiMessageUsers(slot, 3)])
    value = enclosure(view.delta(Epsilon.rational("1/4")), relative_bits=120)
    with mpmath.workdps(60):
        r, gamma = mpmath.exp(-mpmath.mpf(1) / 2), mpmath.exp(mpmath.mpf(1) / 4)
        p, q = (sequences_law([x], 3, letters=3, rate=r, slot_rate=r) for x in (0, 1))
        truth = hockey_stick(p, q, gamma)
        # mpmath's error is far below 1e-50 here; its value is rounded to a rational.
        near = Fraction(mpmath.nstr(truth, 50))
    assert abs(near - value.lower) < Fraction(1, 10**34)
    assert value.width < Fraction(1, 10**34)


@settings(max_examples=40)
@given(st.data())
def test_the_union_of_laws(data):
    laws = data.draw(st.lists(multiset_laws(2), min_size=1, max_size=3))
    united = union_of([MultisetLaw.from_masses(law) for law in laws])
    assert dict(united.masses.masses) == added(laws)
    assert united.most_messages == max(map(sum, added(laws)))


def test_sampled_items_are_binomial():
    law = MultisetLaw.sampled([0, 0, 0], letters=1, sampling_probability="1/4")
    for j in range(4):
        assert law.masses[(j,)] == Fraction(comb(3, j) * 3 ** (3 - j), 64)


def test_a_large_alphabet_costs_nothing():
    letters = 1000
    victim = MultiMessageVictim(
        *(MultisetLaw.sampled([x], letters=letters, sampling_probability="1/3") for x in (0, 1))
    )
    slot = MultisetLaw.one_of([Fraction(1, letters)] * letters)
    view = multi_message_view(victim, [MultiMessageUsers(slot, 6)])
    third, rare = Fraction(1, 3), Fraction(1, letters)
    small = [{own: third, (0, 0, 0): 1 - third} for own in ((1, 0, 0), (0, 1, 0))]
    blanket = {(1, 0, 0): rare, (0, 1, 0): rare, (0, 0, 1): 1 - 2 * rare}
    assert view.delta(Epsilon.log(2)) == hockey_stick(*laws_of(small, [(blanket, 6)]), 2)


# --- refusals ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MultisetLaw.from_masses({(1, -1): 1}), "not a multiset"),
        (lambda: MultisetLaw.from_masses({(): 1}), "not a multiset"),
        (lambda: MultisetLaw.from_masses({3: 1}), "not a multiset"),
        (lambda: MultisetLaw.from_masses({(True,): 1}), "not a multiset"),
        (lambda: MultisetLaw.from_masses({(1,): "1/2", (1, 0): "1/2"}), "one count a letter"),
        (lambda: MultisetLaw.from_masses({(1,): "1/2"}), "masses sum to 1/2"),
        (lambda: MultisetLaw.from_masses({}), "masses sum to 0"),
        (lambda: MultisetLaw.one_of(["2/3", "2/3"]), "total probability 4/3"),
        (lambda: MultisetLaw.one_of([]), "at least one letter"),
        (lambda: MultisetLaw.one_of([float("nan")]), "is not finite"),
        (
            lambda: MultisetLaw.sampled([3], letters=3, sampling_probability="1/2"),
            r"items \[3\] are outside",
        ),
        (
            lambda: MultisetLaw.sampled([0], letters=3, sampling_probability="3/2"),
            "sampling_probability=3/2",
        ),
        (
            lambda: MultisetLaw.sampled([], letters=0, sampling_probability="1/2"),
            "outside the letters",
        ),
        (lambda: union_of([]), "no law to unite"),
        (
            lambda: union_of([MultisetLaw.point((0,)), MultisetLaw.point((0, 1))]),
            "alphabets of 1 and of 2 letters",
        ),
    ],
)
def test_laws_refuse(make, words):
    with pytest.raises(DomainError, match=words):
        make()


def test_views_refuse():
    bit = MultisetLaw.point((1, 0))
    victim = MultiMessageVictim(bit, bit)
    for count in (-1, True, 2.5):
        with pytest.raises(DomainError, match=r"^count="):
            multi_message_view(victim, [MultiMessageUsers(bit, count)])
    with pytest.raises(DomainError, match="alphabets of 1 and of 2"):
        multi_message_view(victim, [MultiMessageUsers(MultisetLaw.point((1,)), 0)])
    for merge in ([[0]], [[0, 1], []], [[0, 0], [1]]):
        with pytest.raises(DomainError, match="not a partition"):
            multi_message_view(victim, merge=merge)
    for gamma in (-1, -0.5, Epsilon.log(2)):
        with pytest.raises(DomainError, match="exp_epsilon"):
            multi_message_view(victim).delta(Epsilon.log(gamma))


def test_what_is_too_large_is_refused_before_it_is_made():
    law = MultisetLaw.one_of([Fraction(y + 1, 100) for y in range(6)])
    other = MultisetLaw.one_of([Fraction(6 - y, 100) for y in range(6)])
    view = multi_message_view(MultiMessageVictim(law, other), [MultiMessageUsers(law, 10**6)])
    with pytest.raises(TooLargeError, match="multisets"):
        view.delta(Epsilon.log(2))
    with pytest.raises(TooLargeError, match="multisets"):
        assert view.pair
    with pytest.raises(TooLargeError, match="multisets"):
        union_of([law] * 60)
