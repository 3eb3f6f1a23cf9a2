"""Cards: the kernel's numbers beside the engine's, beside fractions and mpmath; changed cards."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from mpmath import mp, mpf

from exactdp.accounting import compose, composed_randomized_response, from_zcdp, poisson_subsampled
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    discrete_laplace_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
)
from exactdp.numbers import Exact, float_above, float_below
from proofs_check.kernel import Accepted, Rejected, Unreadable, check
from proofs_check.kernel.card_laws import Lattice, Law
from proofs_check.kernel.card_numbers import Fixed
from proofs_check.kernel.card_parts import discrete_gaussian, step
from proofs_check.kernel.cards import Card

P = ["1/2", "3/10", "1/5", "0"]
Q = ["1/10", "3/10", "1/2", "1/10"]
GRID = {"step": "1/32", "bits": 96, "points": 600}
FINE: dict[str, Any] = {"step": "1/160", "bits": 96, "points": 5000}
NOISE = ("gaussian", "zcdp")

MECHANISMS: dict[str, tuple[dict[str, Any], PrivacyProfile]] = {
    "gaussian": ({"noise_multiplier": "1.5"}, gaussian_mechanism(sigma="1.5")),
    "laplace": ({"scale": "1.25"}, laplace_mechanism(scale="1.25")),
    "discrete_laplace": (
        {"scale": "2", "sensitivity": 3},
        discrete_laplace_mechanism(scale=2, sensitivity=3),
    ),
    "discrete_gaussian": (
        {"sigma_squared": "7", "sensitivity": 2},
        discrete_gaussian_mechanism(sigma_squared=7, sensitivity=2),
    ),
    "randomized_response": (
        {"epsilon": "1.3", "k": 2},
        composed_randomized_response("1.3", 1).pair,
    ),
    "pair": ({"p": P, "q": Q}, Pair.from_masses(P, Q)),
    "guarantee": (
        {"epsilon": "1", "delta": "0.001"},
        composed_randomized_response(1, 1, delta0="0.001").pair,
    ),
    "zcdp": ({"rho": "0.1"}, from_zcdp(rho="0.1")),
}


def card(name: str, **changed: Any) -> dict[str, Any]:
    """Return a small card, with some keys of it or of its one part changed."""
    far = 200 if name in NOISE else 800
    part = {"mechanism": name, **MECHANISMS[name][0], "times": 1, "from": -far, "to": far}
    part |= {x: changed.pop(x) for x in ("times", "sampling_probability") if x in changed}
    content: dict[str, Any] = {"format": "exactdp-card/1", "says": "private", "epsilon": "1"}
    content |= {"delta": "0.9", "neighbors": "add_or_remove", "parts": [part]}
    content |= {"grid": GRID if name in NOISE else FINE}
    return content | changed


def delta_of(content: dict[str, Any]) -> dict[str, Fraction]:
    """Return what the kernel sees of delta, in each order."""
    read = Card(content, lambda _: None)
    return {order: read.divergence(law, read.epsilon) for order, law in read.laws().items()}


Ends = tuple[Fraction, Fraction]


def truth_of(profile: PrivacyProfile, epsilon: str) -> dict[str, Ends]:
    """Return what delta is between, in each order."""
    removed = profile.toward(0)
    found = {}
    for order, one in (("removed", removed), ("added", removed.reversed())):
        delta = one.delta(epsilon, relative_width=Fraction(1, 10**4))
        found[order] = Fraction(float_below(delta)), Fraction(float_above(delta))
    return found


def by_one_order(rho: mpf, epsilon: mpf) -> Fraction:
    """Return the least delta that one Renyi divergence of rho-zCDP gives."""

    def bound(a: mpf) -> mpf:
        return mp.exp((a - 1) * (a * rho - epsilon)) * (1 - 1 / a) ** a / (a - 1)

    found = min(bound(1 + mpf(i) / 200) for i in range(1, 8000))
    return Fraction(min(1.0, float(found)))


@pytest.mark.parametrize("times", [1, 5])
@pytest.mark.parametrize("share", [None, "0.3"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_both_sides_enclose_the_truth_and_are_near(
    name: str, share: str | None, times: int
) -> None:
    if name == "zcdp" and share:
        pytest.skip("of a sample of zCDP nothing is known")
    one = MECHANISMS[name][1]
    one = one if share is None else poisson_subsampled(one, sampling_probability=share)
    profile = compose([(one, times)])
    changed = {"times": times} | ({} if share is None else {"sampling_probability": share})
    # An atom may be a part of a step off; a density is not.
    off = Fraction(1, 1000) if name in NOISE else Fraction(FINE["step"]) / 3
    for epsilon in ("0.25", "1"):
        above = delta_of(card(name, epsilon=epsilon, **changed))
        for order, (low, high) in truth_of(profile, epsilon).items():
            if name == "zcdp":
                high = by_one_order(times * mpf("0.1"), mpf(epsilon))
            assert low <= above[order] <= high * Fraction(101, 100) + off
            if name in ("guarantee", "zcdp"):
                continue
            said = card(name, epsilon=epsilon, says="not private", order=order, **changed)
            below = delta_of(said)[order]
            assert low * Fraction(97, 100) - off <= below <= high


@pytest.mark.parametrize("bits", [20, 90])
def test_nothing_is_left_out_of_discrete_noise(bits: int) -> None:
    """What is not listed is in ``lost``: the curve beside the sum over all integers, by mpmath."""
    f = Fixed(bits, lambda _: None)
    knots = range(-6, 9)
    found = step(f, discrete_gaussian(f, Fraction(7), 2), Fraction(1, 4), knots)["removed"]
    with mp.workprec(400):
        masses = [mp.exp(-k * k / mpf(14)) for k in range(-300, 301)]
        total = mp.fsum(masses)
        for j, tails in zip(knots, found, strict=True):
            ratio = mp.exp(mpf(j) / 4)
            sticks = (x - ratio * y for x, y in zip(masses, masses[2:], strict=False))
            truth = mp.fsum(x for x in sticks if x > 0) / total * f.one
            assert truth <= f.less(*tails)[1] <= truth + (1 << 12)


def test_the_kernel_accepts_what_it_shows_and_nothing_less() -> None:
    found = max(delta_of(card("gaussian", times=3)).values())
    for delta, kind in ((found * 1001 / 1000, Accepted), (found * 999 / 1000, Rejected)):
        text = str(Fraction(round(delta * 10**30), 10**30))
        assert isinstance(check(json.dumps(card("gaussian", times=3, delta=text)).encode()), kind)


def test_what_is_said_is_made_from_what_was_checked() -> None:
    answer = check(json.dumps(card("gaussian", sampling_probability="0.1", label="x")).encode())
    assert isinstance(answer, Accepted)
    assert "1 x gaussian(noise_multiplier = 1.5, sampling_probability = 0.1)" in answer.statement
    assert "(1, 0.9)-differentially private" in answer.statement
    assert "Theorem 11" in answer.statement and "Poisson sampling" in answer.statement
    assert answer.labels == ("label 'x'",)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a claim without delta": ({"delta": "0"}, "delta must be above 0"),
    "a float": ({"epsilon": "one"}, "epsilon must be a string"),
    "digits of another script": ({"epsilon": "\u0661.\u0662"}, "epsilon must be a string"),
    "an unknown key": ({"more": 1}, "the key 'more' is unknown"),
    "neighbors": ({"neighbors": "substitution"}, "neighbors is add_or_remove or replace"),
    "a replaced record in a sample": (
        {"neighbors": "replace", "sampling_probability": "0.1"},
        "Poisson samples have neighbors by add_or_remove",
    ),
    "no parts": ({"parts": []}, "parts must be a list"),
    "a step": ({"grid": GRID | {"step": "2"}}, "step must be above 0, at most 1"),
    "bits": ({"grid": GRID | {"bits": 10**6}}, "bits must be from 32 to 4096"),
    "times": ({"times": 0}, "times must be from 1"),
    "order": ({"order": "removed"}, "order belongs to what is not private"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_card_is_refused_in_one_line(name: str) -> None:
    changed, said = BAD[name]
    answer = check(json.dumps(card("gaussian", **changed)).encode())
    assert isinstance(answer, Rejected)
    assert said in answer.reason
    assert "\n" not in answer.reason


def test_an_unknown_version_is_no_card() -> None:
    text = json.dumps(card("gaussian", format="exactdp-card/2")).encode()
    answer = check(text)
    assert isinstance(answer, Unreadable)
    assert answer.reason == "the format is not exactdp-card/1"


@pytest.mark.parametrize("name", ["guarantee", "zcdp"])
def test_a_promise_is_never_refuted(name: str) -> None:
    text = json.dumps(card(name, says="not private", order="removed")).encode()
    answer = check(text)
    assert isinstance(answer, Rejected)
    assert "a promise is not attained" in answer.reason


@pytest.mark.parametrize(
    "changed",
    [
        {"grid": {"step": "1/1000000", "bits": 4096, "points": 1 << 17}, "times": 10**12},
        {"times": 10**12},
        {"grid": GRID | {"points": 1 << 17}, "times": 1 << 30},
    ],
)
def test_hostile_cards_end_with_their_budget(changed: dict[str, Any]) -> None:
    assert isinstance(check(json.dumps(card("gaussian", **changed)).encode(), seconds=2), Rejected)


def mutants(count: int, seed: int) -> list[tuple[dict[str, Any], PrivacyProfile]]:
    """Return cards of drawn claims, each with the profile that it speaks of."""
    drawn, found = random.Random(seed), list[tuple[dict[str, Any], PrivacyProfile]]()
    while len(found) < count:
        name = drawn.choice([x for x in MECHANISMS if x not in ("zcdp", "randomized_response")])
        share = drawn.choice([None, "0.05", "0.7"])
        times = drawn.choice([1, 2, 6])
        epsilon = str(Fraction(drawn.randrange(0, 300), 100))
        one = MECHANISMS[name][1]
        one = one if share is None else poisson_subsampled(one, sampling_probability=share)
        changed: dict[str, Any] = {} if share is None else {"sampling_probability": share}
        step = drawn.choice(["1/16", "1/37", "3/100"])
        grid = {"step": step, "bits": drawn.choice([40, 96]), "points": drawn.choice([64, 600])}
        content = card(name, times=times, epsilon=epsilon, grid=grid, **changed)
        near = float(max(high for _, high in truth_of(compose([(one, times)]), epsilon).values()))
        delta = min(0.99, max(1e-12, near * drawn.choice([0.5, 0.98, 0.999, 1.001, 1.02, 2])))
        content["delta"] = f"{delta:.12f}"
        if Fraction(content["delta"]) == 0:
            continue
        if name != "guarantee" and drawn.random() < 0.5:
            content |= {"says": "not private", "order": drawn.choice(["removed", "added"])}
        found.append((content, compose([(one, times)])))
    return found


def test_what_is_accepted_of_drawn_claims_is_true() -> None:
    accepted = 0
    for content, profile in mutants(40, seed=1):
        if not isinstance(check(json.dumps(content).encode()), Accepted):
            continue
        accepted += 1
        truth, delta = truth_of(profile, content["epsilon"]), Fraction(content["delta"])
        if content["says"] == "private":
            assert all(low <= delta for low, _ in truth.values()), content
        else:
            assert truth[content["order"]][1] > delta, content
    assert accepted > 10


# The parts, by other routes.


def hockey_stick(masses: list[tuple[Fraction, Fraction]], times: int, ratio: Fraction) -> Fraction:
    """Return H of a product of pairs, from all its outcomes."""
    total = Fraction(0)
    for outcome in product(masses, repeat=times):
        p = q = Fraction(1)
        for x, y in outcome:
            p, q = p * x, q * y
        total += max(Fraction(0), p - ratio * q)
    return total


@pytest.mark.parametrize("step", ["1/4", "1/7", "1/50"])
@pytest.mark.parametrize("seed", range(4))
def test_laws_of_finite_pairs_beside_all_their_outcomes(step: str, seed: int) -> None:
    drawn = random.Random(seed)
    rows = [[Fraction(drawn.randrange(0, 9)) for _ in range(4)] for _ in range(2)]
    p, q = ([x / (sum(row) or 1) for x in row] for row in rows)
    if sum(p) != 1 or sum(q) != 1:
        pytest.skip("no law was drawn")
    masses = list(zip(p, q, strict=True))
    window = {"from": -3 * Fraction(step).denominator, "to": 3 * Fraction(step).denominator}
    part = {"mechanism": "pair", "p": [str(x) for x in p], "q": [str(x) for x in q], **window}
    grid = {"step": step, "bits": 80, "points": 24}
    for times, epsilon in product((1, 3), ("0", "0.3", "1")):
        content = card("pair", epsilon=epsilon, grid=grid) | {"parts": [part | {"times": times}]}
        above = delta_of(content)
        ratio = mp.exp(mpf(epsilon))
        for order, pairs in (("removed", masses), ("added", [(y, x) for x, y in masses])):
            low, high = (
                hockey_stick(pairs, times, Fraction(int(ratio * 10**12) + k, 10**12))
                for k in (1, 0)
            )
            assert above[order] >= low
            said = content | {"says": "not private", "order": order}
            assert delta_of(said)[order] <= high


@pytest.mark.parametrize("bits", [60, 150, 300])
def test_functions_beside_mpmath(bits: int) -> None:
    f, drawn = Fixed(bits, lambda _: None), random.Random(bits)
    with mp.workprec(bits + 60):
        for _ in range(60):
            x = Fraction(drawn.randrange(1, 10**9), drawn.randrange(1, 10**6))
            low, high = f.log(f.ball(x))
            assert low <= mp.log(mpf(x.numerator) / x.denominator) * f.one <= high
            assert high - low < 1 << 12
            z = Fraction(drawn.randrange(-(10**9), 10**9), 10**8)
            low, high = f.normal(f.ball(z))
            assert low <= mp.ncdf(mpf(z.numerator) / z.denominator) * f.one <= high
            assert high - low < 64
        for z in (-50, -40, Fraction(-1, 16), 0, Fraction(1, 16), 40, 50):
            low, high = f.normal(f.ball(Fraction(z)))
            assert (
                low <= mp.ncdf(mpf(Fraction(z).numerator) / Fraction(z).denominator) * f.one <= high
            )


@pytest.mark.parametrize("above", [True, False])
def test_a_coarser_law_is_on_its_side(above: bool) -> None:
    drawn, f = random.Random(7), Fixed(140, lambda _: None)
    lattice = Lattice(f, 90, 10**6, above)
    for first in (-7, -6, 0, 3):
        masses = [drawn.randrange(0, 1 << 84) for _ in range(41)]
        law = Law(Fraction(1, 16), first, masses, 1 << 70)
        coarse = lattice.coarser(law)
        for epsilon in (Fraction(-1), Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)):
            fine = lattice.divergence(law, epsilon)
            other = lattice.divergence(coarse, epsilon)
            assert fine - 1 <= other if above else other <= fine + 1
            assert abs(other - fine) <= fine // 50 + (1 << 78)


def test_the_lower_end_of_noise_is_within_a_percent() -> None:
    found = delta_of(card("gaussian", says="not private", order="removed", times=4))
    truth = compose([(gaussian_mechanism(sigma="1.5"), 4)]).delta(1)
    assert (
        Fraction(99, 100) * Fraction(float(Exact(1))) * Fraction(float(truth)) <= found["removed"]
    )
