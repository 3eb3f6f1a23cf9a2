"""Count pairs: their exact laws against the whole view, their parameters, their refusals."""

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Epsilon, Exact, decimal
from exactdp.shuffle import (
    CountPair,
    Users,
    Victim,
    clone_pair,
    shuffle_view,
    stronger_clone_pair,
    variation_ratio_pair,
)

tenths = st.integers(0, 10).map(lambda i: Fraction(i, 10))


def view_of(pair):
    """The same counts as a shuffle of three-letter messages: letter 1, letter 2, nothing."""
    a, b, r = pair.first, pair.second, pair.other
    rows = ((a, b, 1 - a - b), (b, a, 1 - a - b), (r, r, 1 - 2 * r))
    letters = Randomizer(rows, name="letters", labels=(0, 1, 2))
    return shuffle_view(Victim(letters, (0, 1)), [Users(letters, 2, pair.n - 1)])


def laws(pair):
    return {
        outcome: masses
        for outcome, masses in zip(pair.outcomes, pair.masses(), strict=True)
        if masses != (0, 0)
    }


@given(st.integers(1, 6), tenths, tenths, tenths)
@settings(max_examples=60)
def test_the_laws_are_those_of_a_three_letter_shuffle(n, a, b, r):
    assume(a + b <= 1 and 2 * r <= 1)
    pair = CountPair(n, Exact(a), Exact(b), Exact(r))
    exact = pair.pair()
    masses = exact.masses()
    assert sum((p for p, _ in masses), Exact(0)) == sum((q for _, q in masses), Exact(0)) == 1
    swapped = {(y, x): (q, p) for (x, y), (p, q) in laws(exact).items()}
    assert swapped == laws(exact)
    view = view_of(pair)
    for gamma in (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(4)):
        expected = view.delta(Epsilon(Exact(gamma)))
        assert exact.delta(Epsilon(Exact(gamma))) == expected


@pytest.mark.parametrize("family", [clone_pair, stronger_clone_pair])
def test_transcendental_parameters(family):
    pair = family(4, Epsilon.rational("1/2"))
    gamma = Exact.exp("1/5")
    expected = view_of(pair).delta(Epsilon(Exact(gamma)))
    assert pair.pair().delta(Epsilon(Exact(gamma))) == expected


def test_the_parameters_of_the_families():
    assert clone_pair(7, Epsilon.log(4)) == CountPair(7, Exact("4/5"), Exact("1/5"), Exact("1/8"))
    assert stronger_clone_pair(7, Epsilon.log(4)) == CountPair(
        7, Exact("4/5"), Exact("1/5"), Exact("1/5")
    )
    by_ratio = variation_ratio_pair(7, p=4, beta="3/10", q=2)
    assert by_ratio == CountPair(7, Exact("2/5"), Exact("1/10"), Exact("1/5"))
    assert variation_ratio_pair(7, p=Epsilon.log(4), beta="3/10", q=2) == by_ratio
    for infinity in ("infinity", Epsilon.infinity()):
        assert variation_ratio_pair(7, p=infinity, beta="3/10", q=2) == CountPair(
            7, Exact("3/10"), Exact(0), Exact("3/20")
        )


def test_two_users_of_randomized_response_are_their_stronger_clones():
    # For binary randomized response the stronger clones are exact where the other user's
    # letter is a fair coin: the worst case of the others' inputs is at least as good.
    rr = randomized_response(2, Epsilon.log(3))
    pair = stronger_clone_pair(2, Epsilon.log(3)).pair()
    for gamma in (1, Fraction(3, 2), 2):
        bound = pair.delta(Epsilon(Exact(gamma)))
        for x in (0, 1):
            view = shuffle_view(Victim(rr, (0, 1)), [Users(rr, x)])
            assert view.delta(Epsilon(Exact(gamma))) <= bound


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: clone_pair(0, Epsilon.log(3)), "n=0 must be at least 1"),
        (lambda: clone_pair(True, Epsilon.log(3)), "n=True"),
        (lambda: clone_pair(5, None), "of type NoneType"),
        (lambda: clone_pair(5, Epsilon.infinity()), "finite"),
        (lambda: stronger_clone_pair(5, Epsilon.rational(-1)), "at least 0"),
        (lambda: CountPair(5, Exact("2/3"), Exact("1/2"), Exact("1/4")), "sum to more than 1"),
        (lambda: CountPair(5, Exact("1/3"), Exact("1/2"), Exact("2/3")), "more than 1/2"),
        (lambda: variation_ratio_pair(5, p=1, beta="1/2", q=2), "must be above 1"),
        (lambda: variation_ratio_pair(5, p=3, beta="3/5", q=2), r"\(p - 1\)/\(p \+ 1\) = 1/2"),
        (lambda: variation_ratio_pair(5, p=3, beta="1/2", q="1/2"), "at least 1"),
        (lambda: variation_ratio_pair(5, p=3, beta="1/2", q=1), "at least 3/2"),
        (lambda: variation_ratio_pair(5, p=3, beta=float("nan"), q=2), "is not finite"),
    ],
)
def test_what_is_refused(build, words):
    with pytest.raises(DomainError, match=words):
        build()


@pytest.mark.parametrize("epsilon0", [Epsilon.log(3), Epsilon.rational("1/2")])
def test_exact_laws_that_are_too_large_are_refused_at_once(epsilon0):
    with pytest.raises(TooLargeError, match="relative_width"):
        clone_pair(10**6, epsilon0).pair()
    with pytest.raises(TooLargeError):
        clone_pair(10**30, epsilon0).pair()


def test_no_information_and_no_clones():
    nothing = clone_pair(10, Epsilon.log(1))
    assert nothing.first == nothing.second
    assert nothing.delta(Epsilon.log(1)) == 0
    alone = CountPair(10**9, Exact("3/4"), Exact("1/4"), Exact(0))
    assert alone.delta(Epsilon.log(2)) == Fraction(1, 4)
    assert decimal(alone.delta(Epsilon.rational("1/2")), digits=8) == "0.33781968"
