"""Cards changed in one place: what the kernel accepts is true by another evaluator.

The default run tries a few hundred; ``--deep`` ten thousand, and fifty of large cards, which the
engine judges.
"""

from __future__ import annotations

import copy
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from exactdp.accounting import compose, poisson_subsampled
from exactdp.mechanisms import gaussian_mechanism
from proofs_check.kernel import Accepted, check
from tests.kernel.second_cards import judged
from tests.kernel.second_checker import Judgment
from tests.kernel.test_card_kinds import other
from tests.kernel.test_cards import GRID, MECHANISMS, delta_of, truth_of

REPLACED = {"neighbors": "replace"}
SMALL: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    **{name: (name, keys, {"times": 2}) for name, (keys, _) in MECHANISMS.items()},
    "a sample": ("laplace", {"scale": "0.8", "sampling_probability": "0.2"}, {"times": 3}),
    "a batch": ("gaussian", {"noise_multiplier": "1", "batch_fraction": "1/5"}, REPLACED),
    "one of some": (
        "gaussian",
        {"noise_multiplier": "2", "one_of": 3, "ratio_step": "1/8", "ratios": 110},
        {"times": 2},
    ),
    "a group": ("discrete_laplace", {"scale": "5", "sensitivity": 2}, {"group": 2}),
    "clones": ("shuffled", {"users": 12, "epsilon": "1"}, REPLACED),
    "a blanket": ("shuffled_randomized_response", {"users": 9, "epsilon": "1", "k": 3}, REPLACED),
}


PROMISED = ("guarantee", "zcdp", "a batch", "clones", "a blanket", "one of some")


@cache
def base(name: str, *, is_above: bool) -> dict[str, Any]:
    """Return a small card whose claim just holds."""
    kind, keys, changed = SMALL[name]
    changed = {"epsilon": "0.3", "delta": "1e-6", "grid": GRID | {"step": "1/40"}} | changed
    if not is_above:
        changed |= {"says": "not private", "order": "removed"}
    content = other(kind, keys, 80 if name in ("zcdp", "a blanket") else 240, **changed)
    # What a law may lose grows with delta, and the other evaluator has about a percent.
    found = max(delta_of(content).values()) * (1 + Fraction(1 if is_above else -1, 100))
    content["delta"] = str(Fraction(int(found * 10**9) + is_above, 10**9))
    return content


def places(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where something stands."""
    if path:
        yield path
    inside = (
        part.items()
        if isinstance(part, dict)
        else enumerate(part if isinstance(part, list) else [])
    )
    for key, value in inside:
        yield from places(value, (*path, key))


ODD = [None, True, 0, -1, 1.5, "", "0", "-1", "1e-400", "1e400", "1/0", [], {}, ["1"], "x" * 400]
FACTORS = ["0.999", "1.001", "0.9", "1.1", "1/2", "2", "10", "1/10"]
OTHERS = {
    "mechanism": [*MECHANISMS, "shuffled", "shuffled_randomized_response"],
    "neighbors": ["replace", "add_or_remove"],
    "says": ["private", "not private"],
    "order": ["added", "removed"],
}


def mutant(content: dict[str, Any], drawn: random.Random) -> tuple[str, dict[str, Any]]:
    """Return a card changed in one place, and how."""
    changed = copy.deepcopy(content)
    path = drawn.choice([x for x in places(changed) if x[0] != "format"])
    *way, last = path
    where = changed
    for key in way:
        where = where[key]
    value, kind = where[last], drawn.choice(["number"] * 6 + ["other", "odd", "gone", "more"])
    if kind == "number" and isinstance(value, str) and value[:1].isdigit():
        where[last] = str(Fraction(value) * Fraction(drawn.choice(FACTORS)))
    elif kind == "number" and type(value) is int:
        where[last] = value + drawn.choice([-1, 1, 1, 2, -2, value, -value])
    elif kind == "other" or (kind == "number" and isinstance(value, str)):
        where[last] = drawn.choice(OTHERS.get(last, [value]))
        if last == "says":
            changed.pop("order", None)
            changed |= {"order": "added"} if where[last] == "not private" else {}
    elif kind == "odd":
        where[last] = drawn.choice(ODD)
    elif kind == "gone":
        del where[last]
    else:
        kind = "more"
        part = changed["parts"][0] if changed.get("parts") else changed
        more = [("sampling_probability", "0.5"), ("batch_fraction", "0.5"), ("k", 2), ("one_of", 2)]
        if drawn.random() < 0.5:
            part, more = changed, [("group", 2), ("order", "removed"), ("label", "x"), ("y", 1)]
        key, added = drawn.choice(more)
        part[key] = added
    return kind, changed


def campaign(count: int, seed: int) -> Counter[str]:
    """Return how often what was found, and fail at the first card that is accepted falsely."""
    drawn, counts = random.Random(seed), Counter[str]()
    for _ in range(count):
        name = drawn.choice([*SMALL])
        is_pair = name not in PROMISED
        kind, changed = mutant(base(name, is_above=not is_pair or drawn.random() < 0.6), drawn)
        answer = check(json.dumps(changed).encode(), seconds=20)
        found = judged(changed) if isinstance(answer, Accepted) else None
        assert found not in (Judgment.FALSE, Judgment.UNDEFINED), (name, kind, changed)
        counts["rejected" if found is None else found.value] += 1
        counts[kind] += 1
    return counts


def test_no_changed_card_is_accepted_if_it_is_false() -> None:
    counts = campaign(120, seed=1)
    assert counts["rejected"] > 40 and counts["true"] > 20
    assert all(counts[kind] for kind in ("number", "other", "odd", "gone", "more"))


CHUNKS = 8


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_ten_thousand_changed_cards(request: pytest.FixtureRequest, chunk: int) -> None:
    deep = request.config.getoption("--deep")
    counts = campaign(10_000 // CHUNKS if deep else 2, seed=100 + chunk)
    assert not deep or counts["true"] > counts["open"]


@pytest.mark.parametrize("name", SMALL)
def test_small_cards_are_checked_in_few_milliseconds_and_judged(name: str) -> None:
    content = base(name, is_above=True)
    start = time.process_time()
    assert isinstance(check(json.dumps(content).encode(), seconds=20), Accepted)
    assert time.process_time() - start < 1
    assert judged(content) is not Judgment.FALSE
    assert judged(content | {"delta": str(Fraction(content["delta"]) / 2)}) is Judgment.FALSE


def by_engine(content: dict[str, Any]) -> bool:
    """Return whether a claim about samples of normal noise may be true."""
    parts = []
    for part in content["parts"]:
        noise = gaussian_mechanism(sigma=part["noise_multiplier"])
        share = part.get("sampling_probability", "1")
        parts.append((poisson_subsampled(noise, sampling_probability=share), part["times"]))
    truth = truth_of(compose(parts), content["epsilon"])
    return all(low <= Fraction(content["delta"]) for low, _ in truth.values())


def test_no_changed_large_card_is_accepted_if_it_is_false(request: pytest.FixtureRequest) -> None:
    keys = {"noise_multiplier": "1", "sampling_probability": "1/100"}
    grid = {"step": "1/256", "bits": 80, "points": 800}
    large = other("gaussian", keys, 600, times=1000, epsilon="1.85", delta="1e-5", grid=grid)
    drawn, accepted = random.Random(5), 0
    for _ in range(50 if request.config.getoption("--deep") else 2):
        kind, changed = mutant(large, drawn)
        if isinstance(check(json.dumps(changed).encode(), seconds=10), Accepted):
            accepted += 1
            assert changed.get("group", 1) == 1 and changed["neighbors"] == "add_or_remove"
            assert by_engine(changed), (kind, changed)
    assert isinstance(check(json.dumps(large).encode()), Accepted)
