"""Rényi divergences and trade-off functions at scale, against exact laws and second routes."""

from fractions import Fraction
from random import Random

import mpmath
import pytest

from exactdp.divergences.values import enclosed
from exactdp.errors import UndecidedError
from exactdp.mechanisms import Randomizer, randomized_response
from exactdp.numbers import Enclosure, Epsilon, Exact
from exactdp.problems import read_problem, solve
from exactdp.shuffle import (
    Bounds,
    Hidden,
    HiddenVictim,
    ScoreSum,
    Users,
    Victim,
    blanket_decomposition,
    blanket_pair,
    clone_pair,
    shuffle_view,
    shuffle_worst_case,
)
from exactdp.shuffle.at_scale.means import renyi_by_moments
from tests.routes.kinds import OnlyDelta
from tests.routes.reals import mpf_of

ORDERS = ("1/3", "3/2", "2", "9")


def meets(found, truth, width):
    """Return whether an enclosure meets that of the truth, and is as narrow as asked."""
    around = enclosed(truth, "1e-60")
    overlap = found.lower <= around.upper and around.lower <= found.upper
    return overlap and found.width <= Fraction(width) * found.lower


def near_uniform(random, messages, *, zero=False):
    """Return a law near uniform; with ``zero``, one whose first message has no mass."""
    weights = [100 + random.randrange(40) for _ in range(messages)]
    weights[0] = 0 if zero else weights[0]
    return [Exact(Fraction(w, sum(weights))) for w in weights]


@pytest.mark.parametrize("seed", range(6))
def test_moments_of_means_are_those_of_the_exact_view(seed):
    random = Random(seed)
    messages, n = random.choice([(2, 40), (3, 20)])
    p, q = (near_uniform(random, messages) for _ in range(2))
    others = near_uniform(random, messages, zero=seed % 4 == 3)
    if seed % 4 == 3:  # a message that only the victim sends
        rare = Exact("1/50")
        p, q = (
            [rare * (i + 1), *(m * (1 - rare * (i + 1)) / (1 - law[0]) for m in law[1:])]
            for i, law in enumerate((p, q))
        )
    if seed % 4 == 2:
        others = q
    randomizer = Randomizer.from_matrix([p, q, others])
    view = shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, 2, n - 1)])
    for order in ORDERS:
        truth = view.renyi(order, relative_width="1e-30")
        for width in ("1e-2", "1e-12"):
            found = renyi_by_moments(
                list(zip(p, q, others, strict=True)),
                n,
                order=Fraction(order),
                relative_width=Fraction(width),
            )
            assert found is not None and meets(found, truth, width)


def test_a_message_that_only_the_first_input_sends():
    # Only orders below 1 are finite, and it adds nothing to them.
    rows = [["1/50", "48/100", "1/2"], [0, "1/2", "1/2"], [0, "49/100", "51/100"]]
    view = shuffle_view(Victim(Randomizer.from_matrix(rows)), [])
    hidden = HiddenVictim(40, Hidden.of([tuple(Exact(r[y]) for r in rows) for y in range(3)]))
    randomizer = Randomizer.from_matrix(rows)
    view = shuffle_view(Victim(randomizer, (0, 1)), [Users(randomizer, 2, 39)])
    assert hidden.renyi(2) == view.renyi(2) == Epsilon.infinity()
    found = hidden.renyi("1/2", relative_width="1e-9")
    assert meets(found, view.renyi("1/2", relative_width="1e-30"), "1e-9")


def test_leftovers_are_counted_as_the_exact_blanket_counts_them():
    rows = [["30/90", "29/90", "31/90"], ["29/90", "31/90", "30/90"], ["1/3", "1/3", "1/3"]]
    randomizer = Randomizer.from_matrix(rows)
    blanket = blanket_pair(8, randomizer, inputs=(0, 1))
    exact = blanket_decomposition(randomizer).blanket_view(n=8, inputs=(0, 1))
    for order in ("1/3", "5/2"):
        truth = exact.renyi(order, relative_width="1e-20")
        assert meets(blanket.renyi(order, relative_width="1e-2"), truth, "1e-2")
    assert meets(blanket.trade_off("1/5", relative_width="1e-4"), exact.trade_off("1/5"), "1e-4")


@pytest.mark.parametrize("order", ["1/2", "2", "20"])
def test_the_moments_and_the_integral_of_delta_agree(order):
    rr = randomized_response(10, Epsilon.rational(1))
    for profile in (
        shuffle_view(Victim(rr, (0, 1)), [Users(rr, 2, 10**5 - 1)]).at_scale(),
        clone_pair(10**5, Epsilon.rational(1)),
    ):
        narrow = profile.renyi(order, relative_width="1e-9")
        wide = OnlyDelta(profile).renyi(order, relative_width="1/8")
        assert wide.lower < narrow.lower < narrow.upper < wide.upper
        assert narrow.width < narrow.lower / 10**9


@pytest.mark.parametrize("order", ["1/3", "9", "21/2"])
def test_too_few_for_moments_are_summed_over_histograms(order):
    rr = randomized_response(3, Epsilon.rational(3))
    view = shuffle_view(Victim(rr, (0, 1)), [Users(rr, 2, 11)])
    hidden = view.at_scale()
    truth = view.renyi(order, relative_width="1e-20")
    assert meets(hidden.renyi(order, relative_width="1e-15"), truth, "1e-15")
    assert meets(OnlyDelta(hidden).renyi(order, relative_width="1e-2"), truth, "1e-2")


def test_clones_of_more_users_than_have_exact_laws():
    clones = clone_pair(70, Epsilon.log(4))
    truth = clones.pair().renyi(12, relative_width="1e-20")
    assert meets(clones.renyi(12, relative_width="1e-12"), truth, "1e-12")


def test_a_mean_of_ratios_by_hand():
    # Others on the second input: R is a mean of n copies of 3 and 1/3 of variance 4/3.
    q, t = Exact("1/4"), Exact("3/4")
    for n in (10**4, 10**9):
        found = HiddenVictim(n, Hidden.of([(t, q, q), (q, t, t)])).renyi(2, relative_width="1e-20")
        with mpmath.workdps(60):
            truth = Fraction(mpmath.nstr(mpmath.log1p(mpmath.mpf(4) / (3 * n)), 50))
        assert abs(found.lower - truth) < truth / 10**20


@pytest.mark.parametrize("order", ["1/3", "2", "15/2"])
def test_a_view_of_two_groups_by_a_direct_sum(order):
    # The number of first letters of a binary view, from two binomial laws.
    rr = Randomizer.from_matrix([["3/4", "1/4"], ["1/3", "2/3"]])
    view = shuffle_view(Victim(rr, (0, 1)), [Users(rr, 0, 50), Users(rr, 1, 90)])
    scored = view.at_scale()
    assert isinstance(scored, ScoreSum)
    with mpmath.workdps(40):
        a = mpf_of(order)

        def binomial(n, p):
            return [mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]

        first, second = binomial(50, mpmath.mpf(3) / 4), binomial(90, mpmath.mpf(1) / 3)
        others = [
            mpmath.fsum(first[i] * second[s - i] for i in range(max(0, s - 90), min(50, s) + 1))
            for s in range(141)
        ]

        def law(p):
            ends = zip([*others, 0], [0, *others], strict=True)
            return [(1 - p) * same + p * fewer for same, fewer in ends]

        terms = zip(law(mpmath.mpf(3) / 4), law(mpmath.mpf(1) / 3), strict=True)
        truth = mpmath.log(mpmath.fsum(x**a * y ** (1 - a) for x, y in terms)) / (a - 1)
        near = Fraction(mpmath.nstr(truth, 35))
    found = scored.renyi(order, relative_width="1e-12")
    assert abs(found.lower - near) < near / 10**12
    assert found.width <= found.lower / 10**12
    wide = OnlyDelta(scored).renyi(order, relative_width="1/20")
    assert wide.lower < found.lower < found.upper < wide.upper


def test_three_scores_have_the_loss_of_the_victim():
    rows = [["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]
    scored = ScoreSum(*[tuple(map(Exact, row)) for row in (*rows,)], (((Exact("1/3"),) * 3, 9),))
    assert scored.loss_bound() == Epsilon.log(2)
    narrow = scored.renyi(3, relative_width="1e-9")
    wide = OnlyDelta(scored).renyi(3, relative_width="1/50")
    assert wide.lower < narrow.lower < narrow.upper < wide.upper
    with pytest.raises(UndecidedError):
        scored.max_divergence()


def test_counts_of_all_sizes():
    for n, order in ((30, "7"), (70, "5/2")):
        counts = clone_pair(n, Epsilon.log("3/2"))
        truth = counts.pair().renyi(order, relative_width="1e-20")
        assert meets(counts.renyi(order, relative_width="1e-2"), truth, "1e-2")
    assert isinstance(clone_pair(10**6, Epsilon.log(3)).renyi(2), Enclosure)
    few = clone_pair(30, Epsilon.log(3))
    assert few.renyi(2).text == few.pair().renyi(2).text


def test_the_worst_blanket_is_the_worst_of_its_pairs():
    rows = [["3/10", "3/10", "4/10"], ["1/4", "35/100", "2/5"], ["1/3", "1/3", "1/3"]]
    randomizer = Randomizer.from_matrix(rows)
    pairs = [
        blanket_pair(5000, randomizer, inputs=(i, j)) for i in range(3) for j in range(3) if i != j
    ]
    worst = blanket_pair(5000, randomizer)
    found = worst.renyi(3, relative_width="1e-6")
    assert found.lower == max(pair.renyi(3, relative_width="1e-6").lower for pair in pairs)
    missed = worst.trade_off("1/10", relative_width="1e-3")
    assert missed.lower == min(p.trade_off("1/10", relative_width="1e-3").lower for p in pairs)


def test_bounds_of_the_worst_case_hold_the_worst_view():
    coin = Randomizer.from_matrix([["3/4", "1/4"], ["1/3", "2/3"]])
    n, bounds = 4, shuffle_worst_case(4, coin)
    views = [
        shuffle_view(Victim(coin, pair), [Users(coin, 0, m), Users(coin, 1, n - 1 - m)])
        for pair in ((0, 1), (1, 0))
        for m in range(n)
    ]
    for order in ("1/2", "4"):
        found = bounds.renyi(order)
        assert isinstance(found, Bounds) and found.lower_by and "blocks" in found.upper_by
        truths = [view.renyi(order, relative_width="1e-9") for view in views]
        assert found.lower <= max(x.upper for x in truths) <= found.upper * Fraction("1.000001")
    missed = bounds.trade_off("1/10")
    assert missed.lower <= min(v.trade_off("1/10").as_fraction() for v in views) <= missed.upper


def test_a_large_view_answers_as_its_profile_at_scale():
    rr = randomized_response(4, Epsilon.rational(1))
    view = shuffle_view(Victim(rr, (0, 1)), [Users(rr, 2, 10**6 - 1)])
    assert view.is_too_large
    found = view.renyi(2, relative_width="1e-6")
    assert found == view.at_scale().renyi(2, relative_width="1e-6")
    half = view.trade_off("1/2", relative_width="1e-6")
    assert Fraction("0.499") < half.lower < half.upper < Fraction("0.5")


def test_the_trade_off_of_a_large_view_is_near_the_gaussian_one():
    # Others on the second input: R has the deviation √(4/(3n)), and the limit is G_μ for it.
    q, t = Exact("1/4"), Exact("3/4")
    found = HiddenVictim(10**6, Hidden.of([(t, q, q), (q, t, t)])).trade_off(
        "1/20", relative_width="1e-8"
    )
    with mpmath.workdps(30):
        score = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf("0.05"))
        limit = mpmath.ncdf(score - mpmath.sqrt(mpmath.mpf(4) / 3 / 10**6))
    assert abs(Fraction(mpmath.nstr(limit, 20)) - found.lower) < 1e-6


PROBLEMS = (
    """{"kind": "shuffle", "randomizers": {"R": {"mechanism": "randomized_response", "k": 10,
    "epsilon": {"rational": "2"}}}, "victim": {"randomizer": "R", "inputs": [0, 1]},
    "others": [{"randomizer": "R", "input": 2, "count": 999999}], "ask": ASK}""",
    """{"kind": "clone_pair", "n": 1000000, "epsilon0": {"rational": "1"}, "ask": ASK}""",
    """{"kind": "variation_ratio_pair", "n": 1000000, "p": "4", "beta": "3/7", "q": "4",
    "ask": ASK}""",
    """{"kind": "blanket_pair", "n": 1000000, "randomizer": {"mechanism": "randomized_response",
    "k": 10, "epsilon": {"rational": "2"}}, "ask": ASK}""",
)


@pytest.mark.parametrize("text", PROBLEMS, ids=["view", "clones", "ratio", "blanket"])
def test_problem_files_ask_at_scale(text):
    for ask, width in (
        ('{"renyi": [2, "3/2"], "trade_off": ["1/20"]}', "1e-3"),
        ('{"renyi": [2, "3/2"], "trade_off": ["1/20"], "relative_width": "1e-6"}', "1e-6"),
    ):
        two, less, missed = solve(read_problem(text.replace("ASK", ask))).answers
        for answer in (two, less, missed):
            lower, upper = Fraction(answer.lower), Fraction(answer.upper)
            assert 0 < lower < upper <= lower * (1 + 2 * Fraction(width))
        assert Fraction(less.upper) < Fraction(two.lower) < Fraction(1, 10**5)
        assert Fraction("0.94") < Fraction(missed.lower) <= Fraction("0.95")


def test_a_laplace_mixture_answers_from_its_delta():
    text = """{"kind": "laplace_mixture", "p": {"0": "1"}, "q": {"1": "1"},
    "scale": {"rational": "1"}, "ask": {"renyi": [2], "relative_width": "WIDTH"}}"""
    # The Laplace mechanism: ln((2e + e^−2)/3).
    truth = mpmath.log((2 * mpmath.e + mpmath.exp(-2)) / 3)
    for width in ("1e-2", "1e-4"):
        answer = solve(read_problem(text.replace("WIDTH", width))).answers[0]
        lower, upper = Fraction(answer.lower), Fraction(answer.upper)
        assert lower < Fraction(str(truth)) < upper < lower * (1 + 2 * Fraction(width))


@pytest.mark.parametrize("n", [5, 10**6])
@pytest.mark.parametrize("order", ["1/2", "3"])
def test_others_who_hide_nothing_of_one_input(n, order):
    """Input 0 sends message 0 alone, which no other sends: the divergence is the victim's, ln 2.

    1/2: -2 ln E sqrt(PQ) = -2 ln sqrt(1 * 1/2) = ln 2; 3: ln(1^3 / (1/2)^2)/2 = ln 2.
    """
    rows = Randomizer.from_matrix([[1, 0], ["1/2", "1/2"], [0, 1]])
    view = shuffle_view(Victim(rows, (0, 1)), [Users(rows, 2, n - 1)])
    profile = view if n < 10 else view.at_scale()
    found = profile.renyi(order, relative_width="1e-9")
    assert meets(found, Epsilon.log(2).nats, "1e-9")
