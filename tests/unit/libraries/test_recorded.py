"""Promises of several numbers: their terms against the engine, and their witnesses by mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import mpmath as mp
import pytest

from exactdp.accounting import compose
from exactdp.audit import audit_claim, read_inventory
from exactdp.claims import Claim, Source, cases, value
from exactdp.divergences import Pair
from exactdp.mechanisms import gaussian_mechanism, laplace_mechanism, thresholded
from exactdp.numbers import Epsilon
from proofs_check.libraries import PAPER
from proofs_check.libraries.laws import leaky, leaky_delta
from proofs_check.libraries.opendp.further import amplified, canonical, leaks, projected, seen
from proofs_check.libraries.promises import Promise, read
from proofs_check.libraries.recorded import recorded, told, two_outcomes
from proofs_check.libraries.smartnoise_sql import gaussian_threshold, laplace_threshold

P, Q = Fraction(0.7), Fraction(0.3)
HALF = Fraction(1, 2)


def number(made: Any) -> float:
    return float(value(made).ball(200).mid())


@pytest.mark.parametrize(
    ("p", "q", "times"),
    [
        (P, Q, 1),
        (Q, P, 1),
        (P, Q, 3),
        (Fraction(0), Q, 4),
        (Q, Fraction(0), 4),
        (Fraction(1), Q, 3),
    ],
)
def test_two_outcomes_are_the_engines_and_all_sequences(p: Fraction, q: Fraction, times: int):
    found = number(told(HALF, p, q, times))
    pair = compose([(Pair.from_masses([p, 1 - p], [q, 1 - q]), times)])
    at = pair.delta(Epsilon.rational(HALF), relative_width="1e-15")
    assert found == pytest.approx(float(getattr(at, "lower", at)), rel=1e-12)
    by_hand = 0.0
    for outcome in product((True, False), repeat=times):
        one, other = (math.prod(float(x if seen else 1 - x) for seen in outcome) for x in (p, q))
        by_hand += max(0.0, one - math.exp(0.5) * other)
    assert found == pytest.approx(by_hand, rel=1e-12)


def test_a_million_events_of_which_one_law_has_none() -> None:
    found = number(told(HALF, Fraction(1e-11), Fraction(0), 10**6))
    assert found == pytest.approx(-math.expm1(10**6 * math.log1p(-1e-11)), rel=1e-12)


@pytest.mark.parametrize(
    ("answer", "a", "b"),
    [
        ("0.25, 0.5", "survived", "survived"),  # 1/2 - e^(1/2)/4 is 0.088
        ("0.25, 0.75", "refuted", "refuted"),
        ("0.75, 0.25", "refuted", "refuted"),  # either order
        ("0.0, 0.1 * (1 + 1e-13)", "survived", "refuted"),
        ("0.25, 1.5", "refuted", "refuted"),
        ("0.25, float('nan')", "refuted", "refuted"),
        ("0.25, 1 / 0", "undecided", "undecided"),  # nothing is seen where there are no numbers
    ],
)
def test_probabilities_are_tried_twice(answer: str, a: str, b: str) -> None:
    readings = recorded(
        "",
        "",
        lambda epsilon, delta: f"({answer})",
        cases(epsilon=(0.5,), delta=(0.1,)),
        picks=slice(2),
        says=two_outcomes,
        shaved=Fraction(1, 2),
    )
    found = audit_claim(Claim("libraries/mine/two", "s", Source("l", "x"), readings)).readings
    assert [found[key].label for key in "ab"] == [a, b]


@pytest.mark.parametrize(
    ("answer", "a", "b"),
    [
        ("2.0, 0.5 + 2**-54", "survived", "survived"),  # two steps of (1, 1/4): 1 - (3/4)^2 = 7/16
        ("2.0, 0.4375 * (1 - 1e-13)", "survived", "refuted"),
        ("2.0, 0.4375 * (1 - 1e-9)", "refuted", "refuted"),
        ("1.5, 0.4375", "refuted", "refuted"),
        ("2.0, float('nan')", "refuted", "refuted"),
    ],
)
def test_what_is_said_to_be_spent_is_an_epsilon_with_its_delta(answer: str, a: str, b: str) -> None:
    promise = Promise(
        "",
        "",
        lambda parameter, leak, times: f"({answer})",
        "epsilon",
        leaky,
        leaky_delta,
        cases(parameter=(1.0,), leak=(0.25,), times=(2,)),
        picks=slice(2),
        shaved=Fraction(1, 2),
    )
    claim = Claim("libraries/mine/spent", "s", Source("l", "x"), promise.readings())
    found = audit_claim(claim).readings
    assert [found[key].label for key in "ab"] == [a, b]


def test_where_no_delta_is_allowed_rounding_is_a_share_of_epsilon() -> None:
    """Beside e^(-1) are two doubles: against the lower one, 1 is more than e times as likely."""
    lower = math.nextafter(math.exp(-1.0), 0)
    for room, holds in ((1 + Fraction(1, 10**12), True), (Fraction(1), False)):
        made = two_outcomes(1.0, 0.0, (HALF * Fraction(lower), HALF), room)
        assert all(one.holds() for one in made) is holds


def test_samples_by_their_subsets() -> None:
    for sample, population, changed in ((2, 6, 1), (3, 7, 2), (4, 5, 3), (2, 3, 3)):
        drawn = list(combinations(range(population), sample))
        share = sum(min(one) < changed for one in drawn)
        assert seen(sample, population, changed) == Fraction(share, len(drawn))


def test_samples_of_leaky_analyses_are_the_engines() -> None:
    at = Fraction(1, 8)
    found = number(leaks(at, 1.0, 2.0**-10, Fraction(1, 4)))
    engine = amplified(1.0, 2.0**-10, 1, 4).delta(Epsilon.rational(at), relative_width="1e-15")
    assert found == pytest.approx(float(getattr(engine, "lower", engine)), rel=1e-12)
    whole = number(canonical(at, 1.0, 2.0**-10))
    engine = amplified(1.0, 2.0**-10, 1, 1).delta(Epsilon.rational(at), relative_width="1e-15")
    assert whole == pytest.approx(float(getattr(engine, "lower", engine)), rel=1e-12)


def test_canonical_noise_by_its_recursion() -> None:
    """Awan and Vadhan 2023, Definition 3.7: F(x) = 1 − f(F(x − 1)), and c at −1/2."""
    epsilon, delta = 1.0, 0.01
    c = (1 - delta) / (1 + math.exp(epsilon))

    def f(alpha: float) -> float:
        steep, flat = (1 - delta - math.exp(epsilon) * alpha), (1 - delta - alpha)
        return max(0.0, steep, math.exp(-epsilon) * flat)

    def cumulative(x: float) -> float:
        if x < -0.5:
            return f(1 - cumulative(x + 1))
        if x > 0.5:
            return 1 - f(cumulative(x - 1))
        return c * (0.5 - x) + (1 - c) * (x + 0.5)

    cells = 1000
    for at in (1.0, 0.25):
        masses = [cumulative((i + 1) / cells) - cumulative(i / cells) for i in range(-9999, 9999)]
        shifted = [0.0] * cells + masses[:-cells]
        found = sum(max(0.0, q - math.exp(at) * p) for p, q in zip(masses, shifted, strict=True))
        # Cells that an end cuts are off by their width.
        assert found == pytest.approx(number(canonical(Fraction(at), epsilon, delta)), abs=1e-4)


def test_a_sparse_histogram_by_its_bits() -> None:
    """Of a key from 0 to 1 all bits of its unary code are set, and each is flipped."""
    for scale, alpha in ((1.0, 4), (10.0, 4), (0.5, 2), (6.0, 3)):
        flip, bits = 1 / (alpha + 2), scale / alpha
        probabilities = [1.0] * int(bits) + [bits - int(bits)]
        ratios = [((1 - flip) * r + flip * (1 - r)) / flip for r in probabilities]
        found = number(projected(scale, alpha, 3))
        assert found == pytest.approx(3 * sum(map(math.log, ratios)), rel=1e-12)
        assert found <= 3 * scale


@pytest.mark.parametrize(
    ("noise", "says"),
    [(laplace_mechanism, laplace_threshold), (gaussian_mechanism, gaussian_threshold)],
)
def test_thresholds_are_the_engines(noise: Callable[..., Any], says: Callable[..., Any]) -> None:
    size = {"scale": 2} if noise is laplace_mechanism else {"sigma": 2}
    whole = thresholded(noise(**size), threshold=6)
    epsilon = Fraction(3, 2)
    at = whole.delta(Epsilon.rational(epsilon), relative_width="1e-12")
    truth = Fraction(float(getattr(at, "upper", at)))
    for factor, holds in ((1 + Fraction(1, 10**6), True), (1 - Fraction(1, 10**6), False)):
        made = says(1.5, float(truth), 1, (Fraction(2), Fraction(6)), factor)
        assert all(one.holds() for one in made) is holds


def test_results_at_an_end_lose_what_noise_on_integers_loses() -> None:
    """Truncated and folded at 0, of inputs 0 and 3: the output 0 has the ratio e^(3 rate)."""
    a, beyond = math.exp(-0.25), range(-400, 401)
    masses = {k: a ** abs(k) * (1 - a) / (1 + a) for k in beyond}
    for moved in (lambda y: max(y, 0), abs):
        at_zero = [sum(m for k, m in masses.items() if moved(x + k) == 0) for x in (0, 3)]
        assert math.log(at_zero[0] / at_zero[1]) == pytest.approx(0.75, rel=1e-9)


# --- The witnesses that are kept, again: by mpmath, from the numbers of the witness alone.


def of_two(at: Any) -> tuple[mp.mpf, mp.mpf]:
    p, q = (mp.mpf(x) for x in at["answer"][-2:])
    g = mp.exp(mp.mpf(at["epsilon"]))
    orders = ((p, q), (q, p))
    truth = max(max(x - g * y, 0) + max(1 - x - g * (1 - y), 0) for x, y in orders)
    return truth, mp.mpf(at["delta"])


def of_records(at: Any) -> tuple[mp.mpf, mp.mpf]:
    n, size, d = at["population"], at["sample"], at["changed"]
    missed = mp.mpf(1)
    for i in range(d):
        missed *= mp.mpf(n - size - i) / (n - i)
    return mp.log(1 + (1 - missed) * mp.expm1(at["parameter"])), mp.mpf(at["answer"])


def of_threshold(at: Any) -> tuple[mp.mpf, mp.mpf]:
    scale, threshold = map(mp.mpf, at["answer"])
    one = mp.exp(-(threshold - 1) / scale) / 2
    return 1 - (1 - one) ** at["keys"], mp.mpf(at["delta"])


def of_spent(at: Any) -> tuple[mp.mpf, mp.mpf]:
    """That any step leaks; and else the responses, above the loss that is said to be spent."""
    epsilon, delta = map(mp.mpf, at["answer"])
    steps, one = at["times"], mp.exp(mp.mpf(at["parameter"]))
    leaked = 1 - (1 - mp.mpf(at["leak"])) ** steps
    rest = mp.mpf(0)
    if steps <= 1000:
        for i in range(steps + 1):
            weight = mp.binomial(steps, i) / (1 + one) ** steps
            rest += weight * max(0, one**i - mp.exp(epsilon) * one ** (steps - i))
    return 1 - (1 - leaked) * (1 - rest), delta


WITNESSES: dict[str, Callable[[Any], tuple[mp.mpf, mp.mpf]]] = {
    "python-dp/partition-selection-truncated-geometric": of_two,
    "python-dp/partition-selection-laplace": of_two,
    "python-dp/partition-selection-gaussian": of_two,
    "opendp/amplification-map-of-several-records": of_records,
    "smartnoise-sql/threshold-laplace": of_threshold,
    "smartnoise-sql/odometer-homogeneous": of_spent,
    "smartnoise-sql/odometer-heterogeneous": of_spent,
    "diffprivlib/budget-accountant": of_spent,
}


@pytest.mark.parametrize("name", WITNESSES)
def test_the_kept_witnesses_by_mpmath(name: str) -> None:
    kept = read_inventory(PAPER)
    assert kept is not None
    facts = kept[f"libraries/{name}"]["readings"]["b"]
    at = read(facts["witness"]).mapping()
    with mp.workdps(60):
        truth, claimed = WITNESSES[name](at)
        assert truth > claimed
        said = facts["by_how_much"]
        shown = float(said.get("kernel") or said["lower"])
        assert float(truth / claimed) == pytest.approx(shown, rel=1e-3)


def test_noise_on_integers_is_too_little_by_the_last_bit() -> None:
    kept = read_inventory(PAPER)
    assert kept is not None
    for name in ("geometric", "geometric-truncated", "geometric-folded"):
        at = read(kept[f"libraries/diffprivlib/{name}"]["readings"]["b"]["witness"]).mapping()
        assert Fraction(at["answer"]) * at["sensitivity"] > Fraction(at["epsilon"])  # type: ignore[arg-type]
