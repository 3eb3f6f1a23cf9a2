"""Cards of groups, batches and shuffles, and without delta: beside all outcomes, and the engine."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Any

import pytest
from mpmath import mp, mpf

from exactdp.accounting import compose, composed_randomized_response, dp_sgd
from exactdp.accounting.groups.group_profiles import group_profile
from exactdp.accounting.sampling.batches import sampled
from exactdp.divergences import Pair, PrivacyProfile
from exactdp.mechanisms import (
    discrete_gaussian_mechanism,
    gaussian_mechanism,
    laplace_mechanism,
    randomized_response,
)
from exactdp.numbers import Epsilon, float_above, float_below
from exactdp.shuffle import blanket_pair, clone_pair
from proofs_check.kernel import Accepted, Rejected, check
from proofs_check.kernel.card_numbers import Fixed
from proofs_check.kernel.card_parts import allocated, listed, shuffled, step
from tests.kernel.test_cards import GRID, MECHANISMS, P, Q, card, delta_of, hockey_stick, truth_of

Law = dict[Any, Fraction]


def other(name: str, keys: dict[str, Any], far: int = 200, **changed: Any) -> dict[str, Any]:
    """Return a small card of one part with some keys."""
    times = changed.pop("times", 1)
    part = {"mechanism": name, **keys, "times": times, "from": -far, "to": far}
    return card("gaussian", **changed) | {"parts": [part]}


def stick(p: Law, q: Law, ratio: Fraction) -> Fraction:
    """Return H of two laws, from all outcomes."""
    return sum((max(Fraction(0), p[x] - ratio * q.get(x, Fraction(0))) for x in p), Fraction(0))


def ratio_above(epsilon: str) -> Fraction:
    """Return a little more than exp(epsilon)."""
    return Fraction(int(mp.exp(mpf(epsilon)) * 10**12) + 1, 10**12)


def coin(odds: Fraction) -> list[list[Fraction]]:
    """Return the rows of randomized response."""
    one = odds / (odds + 1)
    return [[one, 1 - one], [1 - one, one]]


def response(odds: Fraction, k: int) -> list[list[Fraction]]:
    """Return the rows of randomized response among k."""
    return [[(odds if x == y else 1) / (odds + k - 1) for y in range(k)] for x in range(k)]


# Groups.

MOVED: dict[str, PrivacyProfile] = {
    "gaussian": gaussian_mechanism(sigma="1.5", sensitivity=3),
    "laplace": laplace_mechanism(scale="1.25", sensitivity=3),
    "discrete_gaussian": discrete_gaussian_mechanism(sigma_squared=7, sensitivity=6),
}


@pytest.mark.parametrize("name", MOVED)
def test_noise_of_a_group_is_moved_as_far_as_all(name: str) -> None:
    part = MECHANISMS[name][0]
    for order, (low, high) in truth_of(MOVED[name], "1").items():
        found = delta_of(other(name, part, 500, group=3))[order]
        assert low <= found <= high * Fraction(1001, 1000)
        below = other(name, part, 500, group=3, says="not private", order=order)
        assert low * Fraction(98, 100) <= delta_of(below)[order] <= high


CURVES: dict[str, PrivacyProfile] = {
    "randomized_response": composed_randomized_response("1.3", 1).pair,
    "guarantee": composed_randomized_response(1, 1, delta0="0.001").pair,
    "pair": Pair.from_masses(P, Q),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_of_a_group_is_that_of_chains(name: str) -> None:
    for size in (2, 5):
        for order, (low, high) in truth_of(group_profile(CURVES[name], size), "1").items():
            found = delta_of(other(name, MECHANISMS[name][0], 300, group=size))[order]
            assert low <= found <= high * Fraction(103, 100)


def test_no_chain_of_laws_is_above_the_curve_of_a_group() -> None:
    drawn = random.Random(3)
    for _ in range(6):
        laws = []
        for _ in range(3):
            row = [Fraction(drawn.randrange(1, 9)) for _ in range(4)]
            laws.append({y: x / sum(row) for y, x in enumerate(row)})
        e, links = ratio_above("0.4"), list(pairwise(laws))
        most = max(stick(*pair, e) for p, q in links for pair in ((p, q), (q, p)))
        text = str(Fraction(int(most * 10**6) + 1, 10**6))
        for epsilon in ("0", "0.5", "0.9"):
            changed = {"group": 2, "epsilon": epsilon}
            found = delta_of(other("guarantee", {"epsilon": "0.4", "delta": text}, **changed))
            ratio = ratio_above(epsilon)
            assert found["removed"] >= stick(laws[0], laws[2], ratio)
            assert found["added"] >= stick(laws[2], laws[0], ratio)


def test_zcdp_of_a_group_has_the_square_of_its_size() -> None:
    of_two = delta_of(other("zcdp", {"rho": "0.05"}, group=2))
    assert of_two == delta_of(other("zcdp", {"rho": "0.2"}))


# Batches of a fixed size.

BATCHES: dict[str, tuple[dict[str, Any], PrivacyProfile]] = {
    "gaussian": ({"noise_multiplier": "1.5"}, gaussian_mechanism(sigma="3")),
    "laplace": ({"scale": "1.25"}, laplace_mechanism(scale="2.5")),
    "pair": ({"p": P, "q": Q}, Pair.from_masses(P, Q)),
    "guarantee": MECHANISMS["guarantee"],
}


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("name", BATCHES)
def test_batches_beside_the_engine(name: str, times: int) -> None:
    keys, noise = BATCHES[name]
    share: dict[str, Any] = {"sampling_probability": "0.2", "neighbors": "substitution"}
    one = sampled(noise, **share, batches="fixed_size")
    profile = compose([(one, times)]) if times > 1 else one
    keys = keys | {"batch_fraction": "0.2"}
    fine = GRID | {"step": "1/128", "points": 2000}
    content = other(name, keys, 400, times=times, epsilon="0.2", neighbors="replace", grid=fine)
    for order, found in delta_of(content).items():
        high = profile.toward(0).delta("0.2")
        top = Fraction(float(getattr(high, "upper", high)))
        assert top * Fraction(999, 1000) <= found <= top * Fraction(101, 100), order


@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_replaced_record_of_a_batch_shows_more(size: int) -> None:
    """All data of four bits, and all batches: a coin says whether there is a one in the batch."""
    rows, batches = coin(ratio_above("1")), [*combinations(range(4), size)]

    def law(data: tuple[int, ...]) -> Law:
        seen = [rows[any(data[i] for i in batch)] for batch in batches]
        return {y: sum(row[y] for row in seen) / len(seen) for y in (0, 1)}

    keys = {"epsilon": "1", "k": 2, "batch_fraction": f"{size}/4"}
    for epsilon in ("0", "0.3"):
        ratio, most = ratio_above(epsilon), Fraction(0)
        for data in product((0, 1), repeat=4):
            for i in range(4):
                near = (*data[:i], 1 - data[i], *data[i + 1 :])
                most = max(most, stick(law(data), law(near), ratio))
        content = other("randomized_response", keys, epsilon=epsilon, neighbors="replace")
        found = delta_of(content)
        assert most * Fraction(999999, 10**6) <= found["removed"] == found["added"]
        assert found["removed"] <= most + Fraction(1, 100)


# One step of some.


@pytest.mark.parametrize(("width", "near"), [("1/3", 10**-9), ("1/4", 0.05)])
@pytest.mark.parametrize("steps", [2, 3])
def test_one_step_of_some_beside_all_outcomes(steps: int, width: str, near: float) -> None:
    """On a lattice of all ratios, 3 and 1/3, nothing is rounded; on another it is above."""
    p, q = ([Fraction(x, 4) for x in row] for row in ((3, 1), (1, 3)))
    allocated_law: Law = {}
    alone: Law = {}
    for outcome in product((0, 1), repeat=steps):
        alone[outcome] = prod(q[y] for y in outcome)
        ratios = [p[y] / q[y] for y in outcome]
        allocated_law[outcome] = alone[outcome] * sum(ratios) / steps
    f = Fixed(120, lambda _: None, 1 << 60)
    tails = allocated(f, listed(f, p, q), steps, Fraction(width), 3 * Fraction(width).denominator)
    knots = range(-8, 9)
    found = step(f, tails, Fraction(1, 8), knots)
    for order, laws in (("removed", (allocated_law, alone)), ("added", (alone, allocated_law))):
        for j, (x, y) in zip(knots, found[order], strict=True):
            truth = float(stick(*laws, ratio_above(str(Fraction(j, 8)))))
            assert truth - 1e-9 <= f.less(x, y)[1] / f.one <= truth + near


@pytest.mark.parametrize("epochs", [1, 4])
def test_one_step_of_some_beside_the_engine(epochs: int) -> None:
    profile = dp_sgd(
        noise_multiplier=2,
        sampling_probability="1/20",
        steps=20 * epochs,
        batches="balls_and_bins",
        neighbors="zero_out",
    )
    keys = {"noise_multiplier": "2", "one_of": 20, "ratio_step": "1/32", "ratios": 700}
    fine = GRID | {"step": "1/400"}
    content = other("gaussian", keys, 700, times=epochs, epsilon="0.4", grid=fine, delta="1e-4")
    found, removed = delta_of(content), profile.toward(0)
    for order, one in (("removed", removed), ("added", removed.reversed())):
        delta = one.delta("0.4", relative_width="1e-2")
        low, high = Fraction(float_below(delta)), Fraction(float_above(delta))
        assert low <= found[order] <= high * Fraction(102, 100)
    answer = check(json.dumps(content | {"delta": "0.01"}).encode())
    assert isinstance(answer, Accepted)
    assert "one_of = 20)" in answer.statement and "Feldman and Shenfeld 2025" in answer.statement


# Shuffles.


def views(rows: list[list[Fraction]], data: tuple[int, ...]) -> Law:
    """Return the law of the counts of all messages."""
    law = Counter[tuple[int, ...]]()
    for messages in product(range(len(rows[0])), repeat=len(data)):
        mass = Fraction(1)
        for x, y in zip(data, messages, strict=True):
            mass *= rows[x][y]
        law[tuple(sorted(messages))] += mass  # type: ignore[assignment]
    return dict(law)  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [2, 3])
def test_no_data_of_shuffled_users_show_more(k: int) -> None:
    rows, users = response(ratio_above("1"), k), 4 if k == 2 else 3
    fine = GRID | {"step": "1/100"}
    for epsilon in ("0", "0.4"):
        most = max(
            stick(views(rows, (0, *others)), views(rows, (1, *others)), ratio_above(epsilon))
            for others in product(range(k), repeat=users - 1)
        )
        keys = {"users": users, "epsilon": "1"}
        changed: dict[str, Any] = {
            "epsilon": epsilon,
            "neighbors": "replace",
            "grid": fine,
            "delta": "1e-9",
        }
        blanket = delta_of(other("shuffled_randomized_response", keys | {"k": k}, **changed))
        clones = delta_of(other("shuffled", keys, **changed))
        assert most * Fraction(999999, 10**6) <= min(blanket.values())
        assert abs(blanket["removed"] - blanket["added"]) < Fraction(1, 10**12)
        assert most * Fraction(999999, 10**6) <= clones["removed"]
        assert blanket["removed"] <= clones["removed"]


@pytest.mark.parametrize(
    ("users", "k", "near"), [(30, 0, "1/100"), (30, 2, "1/100"), (30, 3, "1/12"), (1000, 0, "1/50")]
)
def test_shuffles_beside_the_engine(users: int, k: int, near: str) -> None:
    epsilon, step = ("0.5", "1/256") if users == 30 else ("0.1", "1/1024")
    if k:
        profile = blanket_pair(users, randomized_response(k, Epsilon.rational(1)))
        keys, name = {"users": users, "epsilon": "1", "k": k}, "shuffled_randomized_response"
    else:
        profile, keys, name = clone_pair(users, 1), {"users": users, "epsilon": "1"}, "shuffled"
    grid = GRID | {"step": step}
    content = other(name, keys, 600, epsilon=epsilon, neighbors="replace", grid=grid)
    found = max(delta_of(content | {"delta": "1e-9"}).values())
    assert truth_of(profile, epsilon)["removed"][0] <= found
    # At a smaller epsilon the truth is as much: what is shown is near, in nats.
    assert found <= truth_of(profile, str(Fraction(epsilon) * (1 - Fraction(near))))["removed"][1]


def test_a_million_users_are_few_seconds() -> None:
    keys = {"users": 10**6, "epsilon": "1"}
    grid = GRID | {"step": "1/16384", "points": 2000}
    changed = {"epsilon": "0.0051", "delta": "2e-7", "neighbors": "replace", "grid": grid}
    content = other("shuffled", keys, 300, **changed)
    answer = check(json.dumps(content).encode(), seconds=10)
    assert isinstance(answer, Accepted), answer
    assert "Theorem 3.1 (clones)" in answer.statement


# Without delta.

PURE: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "laplace": ({"scale": "1.25"}, {}, "2.4", "2.3999"),
    "discrete_laplace": ({"scale": "2", "sensitivity": 3}, {}, "4.5", "4.4999"),
    "randomized_response": ({"epsilon": "1.3", "k": 4}, {}, "3.9", "3.8999"),
    "guarantee": ({"epsilon": "1", "delta": "0"}, {}, "3", "2.9999"),
    # 3 ln 4, and 3 ln(1 + 0.1 (e - 1)), and groups of 2.
    "pair": ({"p": ["1/5", "4/5"], "q": ["4/5", "1/5"]}, {}, "4.158884", "4.158883"),
    "guarantee ": (
        {"epsilon": "1", "delta": "0", "sampling_probability": "0.1"},
        {},
        "0.475696",
        "0.475694",
    ),
    "laplace ": ({"scale": "1.25"}, {"group": 2}, "4.8", "4.7999"),
    "randomized_response ": ({"epsilon": "1", "k": 4}, {"group": 2}, "6", "5.9999"),
    "shuffled": ({"users": 9, "epsilon": "1"}, {"neighbors": "replace"}, "3", "2.999"),
}


@pytest.mark.parametrize("name", PURE)
def test_a_claim_without_delta_holds_from_the_largest_loss_on(name: str) -> None:
    keys, changed, holds, fails = PURE[name]
    for epsilon, kind in ((holds, Accepted), (fails, Rejected)):
        content = other(name.strip(), keys, times=3, delta="0", epsilon=epsilon, **changed)
        answer = check(json.dumps(content).encode())
        assert isinstance(answer, kind), answer
        assert "no loss is above" in str(answer)


@pytest.mark.parametrize("name", ["gaussian", "discrete_gaussian", "zcdp", "guarantee"])
def test_without_a_largest_loss_there_is_no_claim_without_delta(name: str) -> None:
    answer = check(json.dumps(card(name, delta="0", epsilon="1000")).encode())
    assert isinstance(answer, Rejected)
    assert "losses have no bound" in answer.reason


def test_that_no_epsilon_is_enough_is_shown() -> None:
    for epsilon, kind in (("0.7", Accepted), ("0.9", Rejected)):
        changed = {"says": "not private", "order": "added", "delta": "0", "epsilon": epsilon}
        answer = check(json.dumps(card("laplace", **changed)).encode())
        assert isinstance(answer, kind), answer


# Knots, words and bad input.


def test_what_is_said_of_groups_and_batches() -> None:
    keys = {"noise_multiplier": "2", "batch_fraction": "1/10"}
    content = other("gaussian", keys, group=2, neighbors="replace")
    answer = check(json.dumps(content).encode())
    assert isinstance(answer, Accepted)
    assert "where 2 are replaced" in answer.statement
    assert "batch_fraction = 1/10" in answer.statement
    for words in ("Proposition 30", "chains of neighbors", "of a run that stops early"):
        assert words in answer.statement


BATCH = {"noise_multiplier": "2", "batch_fraction": "1/10"}
USERS = {"users": 10, "epsilon": "1"}
BELOW = {"says": "not private", "order": "added"}
REFUSED: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "a batch of added records": ("gaussian", BATCH, {}, "batches of a fixed size have"),
    "a batch in one order": ("gaussian", BATCH, {"neighbors": "replace"} | BELOW, "not attained"),
    "a group": (
        "randomized_response",
        MECHANISMS["randomized_response"][0],
        {"group": 0},
        "from 1",
    ),
    "a curve": (
        "randomized_response",
        MECHANISMS["randomized_response"][0],
        {"group": 2} | BELOW,
        "not attained",
    ),
    "users": ("shuffled", USERS, {}, "the report is replaced"),
    "too many": ("shuffled", USERS | {"users": 10**7}, {"neighbors": "replace"}, "users must be"),
    "a view": ("shuffled", USERS, {"neighbors": "replace"} | BELOW, "not attained"),
    "no privacy": (
        "shuffled",
        USERS | {"epsilon": "0"},
        {"neighbors": "replace"},
        "is not seen to be above 0",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_card_cannot_say_is_refused_in_one_line(name: str) -> None:
    kind, keys, changed, said = REFUSED[name]
    answer = check(json.dumps(other(kind, keys, **changed)).encode())
    assert isinstance(answer, Rejected)
    assert said in answer.reason
    assert "\n" not in answer.reason


def test_outcomes_of_a_product_are_those_of_a_pure_claim() -> None:
    """The largest loss of three steps, beside all their outcomes."""
    pairs = [(Fraction(1, 5), Fraction(4, 5)), (Fraction(4, 5), Fraction(1, 5))]
    assert hockey_stick(pairs, 3, Fraction(64)) == 0 < hockey_stick(pairs, 3, Fraction(639, 10))


def test_counts_of_users_that_are_left_out_are_lost() -> None:
    """Of laws whose ends are cut the curve is not below that of whole ones."""
    whole, cut = (Fixed(96, lambda _: None, x) for x in (0, 1 << 90))
    knots = range(-20, 21)
    for k in (0, 3):
        curves = [
            [
                f.less(*x)[1]
                for x in step(f, shuffled(f, 12, Fraction(1), k), Fraction(1, 16), knots)["removed"]
            ]
            for f in (whole, cut)
        ]
        assert all(x <= y + 64 for x, y in zip(*curves, strict=True))
        assert any(x < y for x, y in zip(*curves, strict=True))


HOSTILE: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "wide noise": ("discrete_gaussian", {"sigma_squared": "1e30", "sensitivity": 1}, {}),
    "a far group": ("pair", {"p": P, "q": Q}, {"group": 1000, "grid": GRID | {"step": "1e-4"}}),
    "far users": ("shuffled", {"users": 10**6, "epsilon": "1e9"}, {"neighbors": "replace"}),
    "near users": (
        "shuffled_randomized_response",
        {"users": 10**6, "epsilon": "1e-12", "k": 200_000},
        {"neighbors": "replace", "grid": GRID | {"bits": 4096}},
    ),
    "many outcomes of many bits": (
        "discrete_laplace",
        {"scale": "1e30", "sensitivity": 199_999},
        {"grid": GRID | {"bits": 4096}},
    ),
    "many steps of many ratios": (
        "gaussian",
        {"noise_multiplier": "2", "one_of": 10**6, "ratio_step": "1/1000", "ratios": 100_000},
        {},
    ),
    "a far loss": (
        "laplace",
        {"scale": "1e-30", "sampling_probability": "1e-30"},
        {"delta": "0", "group": 1000},
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_cards_of_all_kinds_end_with_their_budget(name: str) -> None:
    kind, keys, changed = HOSTILE[name]
    start, content = time.process_time(), other(kind, keys, 1000, **changed)
    answer = check(json.dumps(content).encode(), seconds=1)
    assert isinstance(answer, Rejected), answer
    assert "cannot be checked here" not in answer.reason
    assert time.process_time() - start < 4
