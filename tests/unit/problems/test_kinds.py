"""Every kind of problem against a second route: mpmath, exact pairs, closed forms."""

import time
from fractions import Fraction

import mpmath
import pytest

from exactdp.errors import ExactDPError
from exactdp.numbers import Epsilon, Exact
from exactdp.shuffle import clone_pair, stronger_clone_pair, variation_ratio_pair
from tests.commands import answers
from tests.routes.noise import gaussian_delta, laplace_delta
from tests.routes.reals import fraction_of


def ends(answer):
    return Fraction(answer.lower), Fraction(answer.upper)


def gaussian(sigma, epsilon):
    """δ by 50 digits of mpmath, whose error is far below 1e-30."""
    return fraction_of(gaussian_delta(sigma, epsilon, digits=50))


@pytest.mark.parametrize(("sigma", "epsilon"), [("1", "1"), ("0.5", "7"), ("20", "0.25")])
def test_gaussian_delta(sigma, epsilon):
    (answer,) = answers(kind="gaussian", sigma=sigma, ask={"hockey_stick": [{"rational": epsilon}]})
    truth = gaussian(sigma, epsilon)
    lower, upper = ends(answer)
    assert lower <= truth <= upper <= lower * (1 + Fraction(1, 10**9))
    assert Fraction(answer.float_below) <= truth <= Fraction(answer.float_above)


def test_gaussian_epsilon_inverts_delta():
    (answer,) = answers(kind="gaussian", sigma="2", ask={"epsilon": ["1e-6"]})
    lower, upper = ends(answer)
    target = Fraction(1, 10**6)
    assert gaussian("2", answer.upper) <= target < gaussian("2", answer.lower)
    assert upper - lower <= lower / 10**9


def test_epsilon_at_the_ends_of_delta():
    for problem, top in (
        ({"kind": "gaussian", "sigma": "2"}, "infinity"),
        ({"kind": "laplace", "scale": "2"}, "0.50000000000000000"),
        ({"kind": "clone_pair", "n": 9, "epsilon0": {"log": "3"}}, "1.0986122886681097"),
    ):
        pure, nothing = answers(**problem, ask={"epsilon": [0, 1]})
        assert (pure.decimal, nothing.decimal) == (top, "0")


def test_the_smallest_sigma_is_rounded_up():
    (answer,) = answers(
        kind="gaussian", ask={"sigma": [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]}
    )
    target = Fraction(1, 10**5)
    assert gaussian(answer.decimal, "1") <= target
    assert gaussian(answer.lower, "1") > target
    assert Fraction(answer.decimal) <= Fraction(answer.upper)


@pytest.mark.parametrize(("kind", "parameter"), [("gaussian", "sigma"), ("laplace", "scale")])
def test_noise_grows_with_its_sensitivity(kind, parameter):
    ask = {"hockey_stick": [{"rational": "1/4"}]}
    (one,) = answers(kind=kind, **{parameter: "2"}, ask=ask)
    (three,) = answers(kind=kind, **{parameter: "6"}, sensitivity="3", ask=ask)
    assert one == three
    ask = {parameter: [{"epsilon": {"rational": "1"}, "delta": "1e-3"}]}
    (lower, upper), (low, high) = (
        ends(answers(kind=kind, sensitivity=s, ask=ask)[0]) for s in ("1", "3")
    )
    assert 3 * lower <= high and low <= 3 * upper


def test_laplace_delta_is_the_closed_form():
    delta, top = answers(
        kind="laplace",
        scale="2",
        ask={"hockey_stick": [{"rational": "1/4"}], "max_divergence": True},
    )
    with mpmath.workdps(50):
        truth = fraction_of(laplace_delta(2, "1/4"))
    lower, upper = ends(delta)
    assert lower <= truth <= upper
    assert top.exact == "1/2"


def test_discrete_laplace_is_an_exact_pair():
    scale = {"kind": "discrete_laplace", "scale": "2", "sensitivity": 1}
    (answer,) = answers(**scale, ask={"hockey_stick": [{"rational": "1/4"}]})
    a = Exact.exp(Fraction(-1, 2))
    truth = 1 / (1 + a) - Exact.exp(Fraction(1, 4)) * a / (1 + a)
    lower, upper = ends(answer)
    assert lower <= truth <= upper
    assert answer.expression == truth.expression()


def test_discrete_gaussian_delta_in_mpmath():
    (answer,) = answers(
        kind="discrete_gaussian", sigma="2", ask={"hockey_stick": [{"rational": "1/3"}]}
    )
    with mpmath.workdps(50):

        def mass(k):
            return mpmath.exp(-(mpmath.mpf(k) ** 2) / 8)

        norm = mpmath.fsum(mass(k) for k in range(-60, 61))
        gamma = mpmath.exp(mpmath.mpf(1) / 3)
        terms = (mass(k) - gamma * mass(k - 1) for k in range(-60, 61))
        truth = fraction_of(mpmath.fsum(t for t in terms if t > 0) / norm)
    lower, upper = ends(answer)
    assert lower <= truth <= upper <= lower * (1 + Fraction(1, 10**9))


FAMILIES = [
    ({"kind": "clone_pair", "epsilon0": {"log": "3"}}, clone_pair(12, Epsilon.log(3))),
    (
        {"kind": "stronger_clone_pair", "epsilon0": {"rational": "1"}},
        stronger_clone_pair(12, Epsilon.rational(1)),
    ),
    (
        {"kind": "variation_ratio_pair", "p": "4", "beta": "1/2", "q": "3"},
        variation_ratio_pair(12, p=4, beta="1/2", q=3),
    ),
    (
        {"kind": "variation_ratio_pair", "p": "infinity", "beta": "1/2", "q": "3"},
        variation_ratio_pair(12, p="infinity", beta="1/2", q=3),
    ),
]


@pytest.mark.parametrize(("problem", "counts"), FAMILIES, ids=range(len(FAMILIES)))
def test_pairs_of_counts_against_the_exact_pair(problem, counts):
    asked = {"hockey_stick": [{"log": "1"}, {"log": "6/5"}, {"log": "2"}]}
    masses = counts.pair().masses()
    for answer, gamma in zip(answers(**problem, n=12, ask=asked), ("1", "6/5", "2"), strict=True):
        truth = sum((max(p - Exact(gamma) * q, Exact(0)) for p, q in masses), Exact(0))
        lower, upper = ends(answer)
        assert lower <= truth <= upper


def test_what_is_open_about_a_bound_is_noted():
    clones = {"n": 9, "ask": {"hockey_stick": [{"log": 2}]}}
    target = {"n": 9, "ask": {"epsilon0": [{"epsilon": {"log": 2}, "delta": "1/9"}]}}
    for ask in (clones, target):
        chosen = {} if ask is target else {"epsilon0": {"log": 3}}
        (proved,) = answers(kind="clone_pair", **ask, **chosen)
        (stronger,) = answers(kind="stronger_clone_pair", **ask, **chosen)
        assert not isinstance(proved.note, str)
        assert isinstance(stronger.note, str) and stronger.note


def test_the_largest_epsilon0_is_rounded_down():
    (answer,) = answers(
        kind="clone_pair", n=1, ask={"epsilon0": [{"epsilon": {"log": "1"}, "delta": "1/2"}]}
    )
    # Alone, delta = (e - 1)/(e + 1) at epsilon = 0: one half at e^epsilon0 = 3.
    assert Exact.exp(Fraction(answer.decimal)) < 3 < Exact.exp(Fraction(answer.upper))


def copies(times, p, q):
    pair = {"kind": "finite_pair", "p": p, "q": q}
    return {"kind": "composition", "parts": [{"problem": pair, "times": times}]}


def test_a_composition_that_is_too_large_to_be_exact():
    # A third outcome that shows nothing: half of the copies are randomized response.
    problem = copies(100_000, ["3/10", "2/10", "1/2"], ["2/10", "3/10", "1/2"])
    (answer,) = answers(**problem, ask={"hockey_stick": [{"rational": "4200"}]})
    lower, upper = ends(answer)
    assert 0 < lower <= upper <= lower * (1 + Fraction(2, 10**6))
    # The sum of 100,000 losses, 0 or about ±0.405, is nearly normal.
    step = mpmath.log(mpmath.mpf(3) / 2)
    mean, deviation = step * 10**4, step * mpmath.sqrt(5 * 10**4 - 10**3)
    with mpmath.workdps(30):
        tilted = mpmath.exp(4200 - mean + deviation**2 / 2)
        far = (4200 - mean) / deviation
        normal = mpmath.ncdf(-far) - tilted * mpmath.ncdf(-far - deviation)
    assert abs(mpmath.mpf(float(lower)) / normal - 1) < 0.02


RESPONSES = {
    "two outcomes": (["10001/20001", "10000/20001"], ["10000/20001", "10001/20001"]),
    "relabeled": (
        ["10000/20001", "10001/40002", "10001/40002"],
        ["10001/20001", "10000/40002", "10000/40002"],
    ),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_billion_randomized_responses_at_once(name):
    started = time.process_time()
    asked = {"hockey_stick": [{"rational": 8}], "epsilon": ["1e-9"]}
    delta, epsilon = answers(**copies(10**9, *RESPONSES[name]), ask=asked)
    assert time.process_time() - started < 5  # less than one on a machine that has time
    # A billion losses of ±ε0: normal, but for a millionth or so.
    sigma = 1 / (mpmath.sqrt(10**9) * mpmath.log1p(mpmath.mpf(1) / 10**4))
    lower, upper = ends(delta)
    assert lower <= upper <= lower * (1 + Fraction(2, 10**6))
    assert abs(lower / gaussian(sigma, 8) - 1) < Fraction(1, 10**4)
    lower, upper = ends(epsilon)
    margin, target = Fraction(1, 10**4), Fraction(1, 10**9)
    assert gaussian(sigma, upper + margin) < target < gaussian(sigma, lower - margin)


def test_gaussians_compose_to_a_gaussian():
    (answer,) = answers(
        kind="composition",
        parts=[{"problem": {"kind": "gaussian", "sigma": "30"}, "times": 900}],
        ask={"hockey_stick": [{"rational": "4"}], "relative_width": "1e-3"},
    )
    lower, upper = ends(answer)
    assert lower <= gaussian("1", "4") <= upper <= lower * (1 + Fraction(2, 10**3))


def test_two_laplace_mixtures_at_their_support_points():
    (answer,) = answers(
        kind="laplace_mixture",
        p={"0": "1/2", "3": "1/2"},
        q={"1": "1"},
        scale={"inverse_log": "2"},
        ask={"max_divergence": True, "direction": "both"},
    )

    def density(law, y):
        return sum(Fraction(m) / 2 ** abs(y - x) for x, m in law.items())

    p, q = {0: Fraction(1, 2), 3: Fraction(1, 2)}, {1: Fraction(1)}
    ratios = [density(p, y) / density(q, y) for y in range(-5, 9)]
    assert answer.expression == f"log({max(*ratios, *(1 / r for r in ratios))})"


def test_a_pufferfish_system_and_what_bounds_charge():
    users = [{"law": {"0": "1/2", "1": "1/2"}}, {"law": {"0": "1/2", "2": "1/2"}}]
    target = [{"epsilon": {"rational": "1/2"}}]
    own, every, transport = answers(
        kind="pufferfish",
        users=users,
        user=0,
        secrets=[{"value": "1"}, {"absent": True}],
        ask={"scale": target, "scale_over_systems": target, "transport_scale": target},
    )
    # A report of 1 or none moves the answer by 1: the scale is 1/epsilon.
    assert Fraction(own.lower) <= 2 <= Fraction(own.upper)
    assert Fraction(every.lower) <= 2 <= Fraction(every.upper)
    assert transport.upper.startswith("2.0")


BAD = [
    ({"kind": "clone_pair", "n": 0, "ask": {"total_variation": True}}, "$.n=0"),
    ({"kind": "gaussian", "sigma": "0", "ask": {"total_variation": True}}, "$.sigma=0"),
    ({"kind": "gaussian", "ask": {"total_variation": True}}, "Give the law its sigma"),
    (
        {"kind": "gaussian", "sigma": "1", "ask": {"sigma": [{"epsilon": {"log": 2}}]}},
        "Leave the parameter out",
    ),
    ({"kind": "gaussian", "ask": {"sigma": [{"epsilon": {"log": 2}}]}}, "needs a delta"),
    (
        {"kind": "gaussian", "ask": {"sigma": [{"epsilon": {"log": 2}, "delta": "1"}]}},
        "must be above 0 and below 1",
    ),
    (
        {"kind": "variation_ratio_pair", "n": 9, "p": 2, "beta": "1/2", "q": 2, "ask": {}},
        "asks nothing",
    ),
    (
        {
            "kind": "variation_ratio_pair",
            "n": 9,
            "p": 2,
            "beta": "1/2",
            "q": 2,
            "ask": {"total_variation": True},
        },
        "beta=1/2",
    ),
    (
        {
            "kind": "laplace_mixture",
            "p": {"0": "1/2", "0.0": "1/2"},
            "q": {"1": "1"},
            "ask": {"scale": [{"epsilon": {"log": 2}}]},
        },
        "are one point",
    ),
]


@pytest.mark.parametrize(("problem", "words"), BAD, ids=range(len(BAD)))
def test_refusals_say_what_and_the_way_out(problem, words):
    with pytest.raises(ExactDPError) as caught:
        answers(**problem)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def sampled(times=1000, **parts):
    problem = {"kind": "gaussian", "sigma": "1", "sampling": {"poisson": "0.01"}} | parts
    counted = {"times": times} if times else {}
    return {"kind": "composition", "parts": [{"problem": problem, **counted}]}


def test_steps_of_dp_sgd():
    ask = {"epsilon": ["1e-5"], "relative_width": "1e-3"}
    (removing,) = answers(**sampled(), ask=ask)
    (worst,) = answers(**sampled(), ask=ask | {"direction": "both"})
    # dp-accounting 0.6 says 1.82824, from above.
    assert Fraction("1.827") < ends(removing)[0] < ends(removing)[1] < Fraction("1.830")
    assert ends(worst) == ends(removing)
    (none,) = answers(**sampled(sampling={"poisson": "0"}), ask=ask)
    assert none.exact == "0"


def test_guarantees_compose_as_randomized_response_that_may_fail():
    part = {"kind": "guarantee", "epsilon": {"log": "3"}, "delta": "1/5"}
    (one,) = answers(**part, ask={"hockey_stick": [{"log": "1"}]})
    assert one.exact == "3/5"  # 1/5 + 4/5·(3/4 − 1/4)
    both = {"kind": "composition", "parts": [{"problem": part, "times": 2}]}
    (two,) = answers(**both, ask={"hockey_stick": [{"log": "9"}]})
    assert two.exact == "9/25"  # 1 − (4/5)²: nothing else exceeds 9


def test_the_times_of_a_composition():
    noise = {"problem": {"kind": "gaussian", "sigma": "10"}}
    ask = {"times": [{"epsilon": {"rational": "1"}, "delta": "1e-5"}]}
    (found,) = answers(kind="composition", parts=[noise], ask=ask)
    assert found.exact == "7"
