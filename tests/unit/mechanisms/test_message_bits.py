"""Messages by their bits: as the matrix has them; where it is too large, by formulas and sums."""

import pickle
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import exp, expm1, lgamma, log

import pytest

from exactdp.errors import DomainError, TooLargeError
from exactdp.mechanisms import (
    Randomizer,
    hadamard_response,
    local_hashing,
    optimized_unary_encoding,
    randomized_response,
    subset_selection,
    symmetric_unary_encoding,
    unary_encoding,
)
from exactdp.mechanisms.bit_randomizer import BitRandomizer
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.shuffle import (
    Hidden,
    HiddenVictim,
    Users,
    Victim,
    blanket_pair,
    is_input_symmetric,
    shuffle_view,
    shuffle_worst_case,
    worst_case,
)
from exactdp.shuffle.views.worst_case import telling_inputs
from tests.routes.laws import added, hockey_stick, one_message

F = Fraction
LN4 = Epsilon.log(4)

SMALL = {
    "response 2": randomized_response(2, LN4),
    "response": randomized_response(5, LN4),
    "symmetric": symmetric_unary_encoding(4, LN4),
    "optimized": optimized_unary_encoding(4, LN4),
    "optimized, in e": optimized_unary_encoding(3, 1),
    "unary": unary_encoding(4, p="2/3", q="1/5"),
    "unary, turned": unary_encoding(3, p="1/5", q="2/3"),
    "unary, certain": unary_encoding(3, p=1, q="1/3"),
    "subsets": subset_selection(5, LN4, size=2),
    "subsets but one": subset_selection(4, LN4, size=3),
    "subsets of one": subset_selection(4, LN4, size=1),
    "hadamard 2": hadamard_response(2, LN4),
    "hadamard 3": hadamard_response(3, LN4),
    "hadamard 4": hadamard_response(4, LN4),
    "hadamard 6": hadamard_response(6, LN4),
    "hashing": local_hashing(3, LN4, buckets=3),
    "hashing 2": local_hashing(4, LN4, buckets=2),
    "hashing of 3": local_hashing(3, LN4, buckets=2),
    "nothing": hadamard_response(5, 0),
}
EACH = pytest.mark.parametrize("name", SMALL)


def plain(randomizer):
    return Randomizer(randomizer.rows)


def merged(columns):
    """The columns by their direction: total masses of those that are multiples of one another."""
    found = {}
    for column in columns:
        if total := sum(column, Exact(0)):
            key = tuple(mass / total for mass in column)
            found[key] = found.get(key, 0) + total
    return found


@EACH
def test_the_classes_of_some_inputs_are_the_columns_of_the_matrix(name):
    one = SMALL[name]
    rows = one.rows
    for size in (1, 2, 3, 4):
        for inputs in combinations(range(one.inputs), size):
            columns = zip(*(rows[x] for x in inputs), strict=True)
            assert merged(one.columns_of(inputs)) == merged(columns)
    twice = (1, 0, 1)
    assert merged(one.columns_of(twice)) == merged(zip(*(rows[x] for x in twice), strict=True))
    assert blanket_pair(5, one, inputs=(1, 1)).delta(0) == Enclosure(F(0), F(0))


@EACH
def test_the_blanket_is_that_of_the_matrix(name):
    one = SMALL[name]
    least = [min(column) for column in zip(*one.rows, strict=True)]
    pairs = list(product(range(one.inputs), repeat=2))
    for (x, y), columns in zip(pairs, one.blanket_columns(pairs), strict=True):
        assert merged(columns) == merged(zip(one.rows[x], one.rows[y], least, strict=True))
    assert one.has_whole_blanket


@EACH
def test_symmetries_are_those_of_the_matrix(name):
    one = SMALL[name]
    assert is_input_symmetric([one]) == is_input_symmetric([plain(one)])
    triples = list(product(range(one.inputs), repeat=3))
    seen = [Counter(merged(one.columns_of(xs)).items()) for xs in triples if xs[0] != xs[1]]
    telling = range(min(telling_inputs(one), one.inputs))
    like = [Counter(merged(one.columns_of((0, 1, z))).items()) for z in telling]
    assert all(law in like for law in seen)


@EACH
def test_local_quantities_are_those_of_the_matrix(name):
    one = SMALL[name]
    assert one.ldp_epsilon() == plain(one).ldp_epsilon()
    for x, y in ((0, 1), (one.inputs - 1, 0)):
        p, q = (dict(enumerate(one.rows[z])) for z in (x, y))
        assert one.pair(x, y).delta(Epsilon.log("3/2")) == hockey_stick(p, q, Exact("3/2"))


def few_users(one):
    last = one.inputs - 1
    yield (0, 1), [(last, 1)]
    yield (0, 1), [(0, 2)]
    yield (1, last), [(0, 1), (1, 1), (last, 1)]
    yield (last, 0), [(min(2, last), 2), (min(3, last), 1)]


@pytest.mark.parametrize(
    "name",
    [
        *("response", "symmetric", "optimized", "unary", "unary, certain", "unary, turned"),
        *("subsets", "hadamard 4", "hadamard 6", "hashing of 3"),
    ],
)
def test_views_of_few_users_are_those_of_the_definition(name, monkeypatch):
    """The truth adds up all users of the matrix; the view knows the bits alone."""
    one = SMALL[name]
    rows = [[mass.as_fraction() for mass in row] for row in one.rows]
    monkeypatch.setattr(BitRandomizer, "has_matrix", property(lambda self: False))
    for (x, y), others in few_users(one):
        sent = [one_message(rows[z]) for z, count in others for _ in range(count)]
        p, q = (added([one_message(rows[z]), *sent]) for z in (x, y))
        view = shuffle_view(Victim(one, (x, y)), [Users(one, *group) for group in others])
        for gamma in (F(1), F(3, 2), F(3)):
            assert view.delta(Epsilon.log(gamma)) == hockey_stick(p, q, gamma)


@pytest.mark.parametrize(
    "others",
    [
        optimized_unary_encoding(4, Epsilon.log(4)),
        unary_encoding(4, p="1/3", q="1/5"),
        unary_encoding(4, p="9/10", q="1/5"),
    ],
    ids=lambda one: one.name,
)
def test_users_of_one_alphabet_have_budgets_of_their_own(others, monkeypatch):
    one = SMALL["unary"]
    known = shuffle_view(Victim(plain(one)), [Users(plain(others), 2, 2)]).delta(Epsilon.log(2))
    monkeypatch.setattr(BitRandomizer, "has_matrix", property(lambda self: False))
    assert shuffle_view(Victim(one), [Users(others, 2, 2)]).delta(Epsilon.log(2)) == known


def test_messages_of_one_ratio_of_the_victim_merge_with_loss():
    one, at = randomized_response(20, Epsilon.log(8)), Epsilon.log(2)
    users = Victim(one), [Users(one, 2, 10)]
    merge = [[0], [1], list(range(2, 20))]
    whole, below = shuffle_view(*users), shuffle_view(*users, merge=merge)
    assert below.is_lower_bound and f"{float(below.delta(at).as_fraction()):.6f}" == "0.024702"
    large = randomized_response(2000, Epsilon.log(8))
    assert not shuffle_view(Victim(large), [Users(large, 2, 10)]).is_lower_bound
    masses = [F(8, 27), F(1, 27), F(1, 27), F(17, 27)]
    rows = [[masses[0 if i == x else 3 if i == 3 else 1] for i in range(4)] for x in range(3)]
    truth = Victim(Randomizer.from_matrix(rows)), [Users(Randomizer.from_matrix(rows), 2, 10)]
    assert whole.delta(at) == shuffle_view(*truth).delta(at) > below.delta(at)
    assert f"{float(whole.delta(at).as_fraction()):.6f}" == "0.027136"


# --- too many messages for a matrix -----------------------------------------------

MILLION = 10**6
E = Exact.exp(1)
LARGE = {
    "response": (randomized_response(MILLION, 1), Exact(1) / (E + MILLION - 1)),
    "symmetric": (symmetric_unary_encoding(1024, 1), 1 / (Exact.exp("1/2") + 1) ** 2),
    "optimized": (optimized_unary_encoding(65_536, 1), 1 / (2 * (E + 1))),
    "unary": (unary_encoding(MILLION, p=E / (E + 2), q=1 / (E + 2) * 2 / 3), None),
    "subsets": (
        subset_selection(MILLION, 1, size=MILLION // 4),
        Exact("3/4") * MILLION / (MILLION - 1) / (E + 3),
    ),
    "hadamard": (hadamard_response(900_000, 1), 1 / (2 * (E + 1))),
    "hashing": (local_hashing(MILLION, 1, buckets=4), Exact("3/4") / (E + 3)),
}


@pytest.mark.parametrize("name", [name for name in LARGE if name != "unary"])
def test_local_quantities_of_a_large_alphabet_have_closed_forms(name):
    """Of two inputs, e^ε·c and c are the masses of the messages that tell them apart."""
    one, c = LARGE[name]
    assert one.ldp_epsilon() == Epsilon.rational(1)
    pair = one.pair(one.inputs - 1, 3)
    assert pair.delta(Epsilon.rational("1/2")) == c * (E - Exact.exp("1/2"))
    # Σ p²/q = 1 + Σ (p − q)²/q
    moment = 1 + c * (E - 1) ** 2 * (1 + 1 / E)
    assert abs(float(pair.renyi(2, relative_width="1e-9").lower) - log(float_of(moment))) < 1e-9


def float_of(exact):
    return float(exact.ball(64))


def test_a_large_unary_encoding_of_ones_own():
    one = LARGE["unary"][0]
    # p(1 − q) and q(1 − p), with p = e/(e + 2) and q = 2/(3(e + 2))
    delta = one.pair(5, 6).delta(0)
    assert delta == E / (E + 2) - Exact("2/3") / (E + 2)
    assert one.ldp_epsilon().exp == E * (3 * E + 4) / 4


def multinomial(counts, logs):
    return exp(
        lgamma(sum(counts) + 1)
        + sum(c * x - lgamma(c + 1) for c, x in zip(counts, logs, strict=True))
    )


def test_a_view_of_ten_thousand_answers_is_the_sum_over_three_counts():
    """The truth, in doubles, from the definition: Σ_h max(0, P(h) − γ·Q(h))."""
    k = n = 10**4
    one = randomized_response(k, Epsilon.log(50))
    z = 50 + k - 1
    others = [1 / z, 1 / z, 50 / z, (k - 3) / z]
    first, second = ([50 / z, 1 / z, 1 / z, others[3]], [1 / z, 50 / z, 1 / z, others[3]])
    logs, gamma, truth = [log(m) for m in others], exp(0.01), 0.0
    # Without the victim, counts of n − 1 others; with it, of n messages.
    for a, b, c in product(range(20), range(20), range(130)):
        h, p, q = (a, b, c, n - a - b - c), 0.0, 0.0
        for y in range(4):
            if h[y]:
                mass = multinomial([m - (i == y) for i, m in enumerate(h)], logs)
                p, q = p + first[y] * mass, q + second[y] * mass
        truth += max(0.0, p - gamma * q)
    view = shuffle_view(Victim(one), [Users(one, 2, n - 1)])
    found = view.at_scale().delta("0.01", relative_width="1e-4")
    assert found.lower * (1 - 1e-7) < truth < found.upper * (1 + 1e-7)


def test_a_large_view_is_that_of_the_letters_merged_by_hand():
    k, n = 10**4, 10**4
    one = randomized_response(k, 4)
    rest = Exact(k - 3)
    weights = [[Exact.exp(4) if i == x else Exact(1) for i in range(3)] + [rest] for x in range(3)]
    total = sum(weights[0], Exact(0))
    by_hand = Randomizer.from_matrix([[w / total for w in row] for row in weights])
    for other in (0, 1, 2):
        scaled = (
            shuffle_view(Victim(r), [Users(r, other, n - 1)]).at_scale() for r in (one, by_hand)
        )
        assert next(scaled) == next(scaled)


def test_hashing_is_a_unary_encoding_to_whoever_sees_some_inputs():
    e = Exact.exp(2)
    hashing = local_hashing(500, 2, buckets=5)
    bits = unary_encoding(500, p=e / (e + 4), q="1/5")
    assert merged(hashing.columns_of((3, 1, 4))) == merged(bits.columns_of((0, 1, 2)))


@pytest.mark.parametrize("name", LARGE)
def test_a_billion_users_of_a_large_alphabet(name):
    one = LARGE[name][0]
    n = 10**9
    view = shuffle_view(Victim(one, (7, 1)), [Users(one, 2, n - 1)]).at_scale()
    found = view.epsilon("1e-9", relative_width="1e-2")
    assert 0 <= found.lower <= found.upper <= Fraction(101, 100) * found.lower < 1
    worst = shuffle_worst_case(n, one).epsilon("1e-9", relative_width="1e-2")
    assert found.lower <= worst.upper
    assert blanket_pair(n, one).epsilon("1e-9", relative_width="1e-2").upper >= worst.lower


def test_the_blanket_leaves_out_what_is_hardly_ever_sent_and_says_so():
    """As if k were larger: the least mass of all inputs, everywhere."""
    found = blanket_pair(10**5, symmetric_unary_encoding(5_000, 2))
    assert "upper bound" in found.note
    s = Exact.exp(1)
    p, q = s / (s + 1), 1 / (s + 1)
    columns = [
        (
            (p if a else q) * (q if b else p),
            (q if a else p) * (p if b else q),
            (q if a else p) * (q if b else p) * q / p,
        )
        for a, b in product((0, 1), repeat=2)
    ]
    assert found.profiles == (HiddenVictim(10**5, Hidden.of(columns)),)
    assert blanket_pair(10**5, symmetric_unary_encoding(50, 2)).note is None
    with pytest.raises(DomainError, match=r"^the blanket is empty"):
        blanket_pair(10, unary_encoding(MILLION, p=1, q="1/3"))


@pytest.mark.parametrize("k", [2_000, MILLION])
def test_the_worst_case_of_few_users_of_a_large_alphabet(k):
    """Three users: the others may share an input that the victim never has."""
    one, small = (randomized_response(size, Epsilon.log(50)) for size in (k, 4))
    found = worst_case([(one, 3)], Epsilon.log(2))
    assert found.views == worst_case([(small, 3)], Epsilon.log(2)).views
    assert found.value == found.neighbors.view().delta(Epsilon.log(2)) > 0


def test_large_alphabets_are_equal_by_their_masses():
    e = Exact.exp(1)
    one = optimized_unary_encoding(1000, 1)
    same = unary_encoding(1000, p="1/2", q=1 / (e + 1))
    assert one == same and hash(one) == hash(same) and one != optimized_unary_encoding(1000, 2)
    assert one != Randomizer.from_matrix([["1/2", "1/2"]]) and one != "one"
    assert pickle.loads(pickle.dumps(one)) == one
    small = unary_encoding(3, p="1/2", q="1/4")
    assert small == plain(small) and plain(small) == small and hash(small) == hash(plain(small))
    assert pickle.loads(pickle.dumps(small)).labels == small.labels
    assert repr(one) == (
        "<Randomizer optimized_unary_encoding(1000, Epsilon.rational('1')): "
        "1,000 inputs, about 2^1000 messages>"
    )
    assert eval(same.name) == same


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda r: r.row(0), "Without a matrix ask pair(x, y)"),
        (lambda r: r.law(0), "Without a matrix ask pair(x, y)"),
        (lambda r: r.labels, "Without a matrix ask pair(x, y)"),
        (lambda r: r.post_process([[1]]), "Without a matrix ask pair(x, y)"),
        (
            lambda r: shuffle_view(Victim(r), [Users(r, x) for x in range(20)]),
            "20 inputs have up to 1,048,576 classes of messages",
        ),
    ],
)
def test_what_takes_the_matrix_is_refused_with_the_way_out(ask, says):
    with pytest.raises(TooLargeError) as refused:
        ask(symmetric_unary_encoding(1024, 1))
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda r: r.pair(0, 1024), "x=1024 is not an input of symmetric_unary_encoding"),
        (lambda r: blanket_pair(10, r, inputs=(-1, 0)), "x=-1 is not an input"),
        (lambda r: shuffle_view(Victim(r), merge=[[0], [1]]), "merge names messages that are"),
        (
            lambda r: shuffle_view(Victim(r), [Users(optimized_unary_encoding(1024, 1), 0)]),
            "randomizers have different messages: symmetric_unary_encoding(1024, ",
        ),
        (
            lambda r: shuffle_view(Victim(r), [Users(SMALL["response"], 0)]),
            "randomizers have different messages: symmetric_unary_encoding(1024, ",
        ),
    ],
)
def test_misuse_of_a_large_alphabet(ask, says):
    with pytest.raises(DomainError) as refused:
        ask(symmetric_unary_encoding(1024, 1))
    assert str(refused.value).startswith(says)


def test_the_shuffled_answers_of_a_thousand_choices():
    """The value of a two-dimensional sum of binomial laws: .0239990."""
    one = randomized_response(1024, 4)
    view = shuffle_view(Victim(one), [Users(one, 2, 99_999)]).at_scale()
    found = view.epsilon("1e-6", relative_width="1e-4")
    assert found.lower < Fraction("0.02399905") and found.upper > Fraction("0.02399895")
    assert expm1(float(found.upper)) < 0.0243
