"""The reference of ε for DP-SGD and its kin: which points, and the rows that the route finds.

``python -m tests.routes.dp_sgd_reference`` writes tests/reference/dp_sgd.json anew, in minutes.
A row is the composition of ``parts``, each [noise, scale, rate, steps], at ``delta``: ε in each
direction ("remove" and "add", or "replace"), the larger of them, 0 where δ(0) <= δ, the relative
accuracy of both, and the method.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from tests.routes.dp_sgd import Answer, epsilon
from tests.routes.noise_steps import Step

__all__ = ["DELTAS", "RATES", "REFERENCE", "SCALES", "STEPS", "read"]

SCALES = ("0.3", "0.5", "0.7", "1", "2", "4", "8", "30", "100", "1000")
RATES = ("1e-6", "1e-5", "1e-4", "1e-3", "0.01", "0.1", "0.5", "1")
STEPS = (1, 2, 3, 5, 8, 10, 10**2, 10**3, 10**4, 10**5, 10**6)
DELTAS = ("1e-3", "1e-5", "1e-8", "1e-12")

REFERENCE = Path(__file__).resolve().parents[1] / "reference" / "dp_sgd.json"

Part = tuple[str, str, str, int]


def read() -> list[dict[str, Any]]:
    """The rows."""
    found: list[dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return found


def row(parts: list[Part], neighbors: str, delta: str) -> dict[str, Any]:
    """What the route finds at one point."""
    directions = ("remove", "add") if neighbors == "add_or_remove" else ("replace",)
    found: dict[str, Answer] = {}
    for direction in directions:
        steps = [
            (Step(noise, float(scale), float(rate), direction), times)
            for noise, scale, rate, times in parts
        ]
        found[direction] = epsilon(steps, float(delta))
    largest = max(found.values())
    return {
        "parts": parts,
        "neighbors": neighbors,
        "delta": delta,
        "directions": {direction: answer.value for direction, answer in found.items()},
        "epsilon": largest.value,
        "accuracy": max(answer.accuracy for answer in found.values()),
        "method": largest.method,
    }


def points() -> Iterator[tuple[list[Part], str, str, bool]]:
    """Corners, then random points: of Gaussian noise, replacement, Laplace noise, two kinds.

    At last chosen ones of two kinds.

    The last says whether a point where ε is 0 is kept.
    """
    corners = [
        ((("gaussian", scale, rate, steps),), "add_or_remove", delta)
        for scale, rate, steps, delta in product(*(axis[:: len(axis) - 1] for axis in _AXES))
    ]
    for parts, kind, delta in corners:
        yield list(parts), kind, delta, True
    for seed, (count, noises, neighbors) in enumerate(_KINDS):
        chosen = random.Random(seed)
        seen: set[object] = set()
        while len(seen) < count:
            parts = []
            for noise in noises:
                scale, rate, steps = (chosen.choice(axis) for axis in _AXES[:3])
                parts.append((noise, scale, rate, steps))
            delta = chosen.choice(DELTAS)
            kind = neighbors or chosen.choice(["add_or_remove", "substitution"])
            point = (tuple(parts), kind, delta)
            if point not in seen:
                seen.add(point)
                if point not in corners:
                    yield parts, kind, delta, len(seen) % 8 == 0
    for name in UNLIKE:
        *texts, last = name.split(" + ")
        last, delta = last.split(", ")
        words = [text.split() for text in (*texts, last)]
        parts = [(noise, scale, rate, int(steps)) for noise, scale, _, rate, _, steps in words]
        yield parts, "add_or_remove", delta, True


UNLIKE = (
    "gaussian 0.3 at 1e-6 x 100 + laplace 1000 at 1e-5 x 1000000, 1e-3",
    "gaussian 1000 at 0.01 x 8 + laplace 4 at 0.01 x 1, 1e-12",
    "gaussian 4 at 1e-4 x 8 + laplace 0.3 at 1 x 10, 1e-5",
    "gaussian 0.7 at 1e-6 x 5 + laplace 0.7 at 0.01 x 1, 1e-12",
    "gaussian 0.5 at 1e-3 x 1 + laplace 4 at 1e-5 x 100000, 1e-12",
    "gaussian 2 at 1e-4 x 10 + laplace 30 at 0.1 x 1, 1e-12",
    "gaussian 0.5 at 1e-3 x 1000 + laplace 2 at 1e-6 x 100000, 1e-3",
    "gaussian 0.7 at 0.5 x 10 + laplace 30 at 1e-4 x 1000000, 1e-8",
    "gaussian 1000 at 1 x 100 + laplace 0.3 at 0.5 x 1000000, 1e-12",
    "gaussian 0.3 at 1e-6 x 100 + laplace 0.7 at 1 x 3, 1e-8",
    "gaussian 0.3 at 1e-3 x 10 + laplace 0.7 at 1e-5 x 10, 1e-12",
    "gaussian 1000 at 1e-5 x 8 + laplace 1000 at 0.1 x 1, 1e-12",
    "gaussian 4 at 1 x 1000000 + gaussian 8 at 0.01 x 1000000, 1e-8",
    "gaussian 30 at 1 x 100000 + laplace 4 at 1e-5 x 5, 1e-5",
    "gaussian 4 at 1 x 8 + laplace 1 at 1e-6 x 10000, 1e-8",
    "gaussian 0.7 at 0.5 x 8 + laplace 4 at 1e-5 x 2, 1e-12",
    "gaussian 4 at 1e-3 x 1000000 + laplace 8 at 1e-6 x 8, 1e-5",
    "gaussian 0.3 at 1e-4 x 2 + gaussian 8 at 1e-5 x 10000, 1e-5",
    "gaussian 100 at 1e-3 x 5 + laplace 2 at 0.01 x 2, 1e-5",
    "gaussian 1 at 1e-4 x 10 + laplace 100 at 1e-6 x 3, 1e-12",
    "gaussian 0.7 at 1e-4 x 2 + laplace 8 at 1 x 8, 1e-12",
    "gaussian 8 at 1e-5 x 100000 + gaussian 0.5 at 1e-3 x 2, 1e-8",
    "gaussian 0.3 at 1e-3 x 2 + laplace 100 at 1e-4 x 1000000, 1e-3",
    "gaussian 0.3 at 1e-5 x 3 + gaussian 30 at 1e-6 x 10000, 1e-12",
    "gaussian 30 at 1e-6 x 10 + laplace 1 at 0.1 x 2, 1e-8",
    "gaussian 1000 at 1e-3 x 5 + laplace 0.5 at 1e-3 x 2, 1e-12",
    "gaussian 100 at 1e-6 x 100 + gaussian 0.7 at 1e-6 x 5, 1e-8",
    "gaussian 30 at 1e-4 x 10 + gaussian 0.3 at 1e-4 x 1, 1e-12",
    "gaussian 30 at 1e-5 x 8 + laplace 0.3 at 0.5 x 3, 1e-12",
    "gaussian 8 at 1e-6 x 2 + laplace 0.3 at 1 x 3, 1e-5",
)
"""Two kinds of steps, of sizes far apart, as ``deployments.name_of`` names them."""

_AXES = (SCALES, RATES, STEPS, DELTAS)
_KINDS = (
    (240, ["gaussian"], "add_or_remove"),
    (65, ["gaussian"], "substitution"),
    (50, ["laplace"], "add_or_remove"),
    (18, ["laplace"], "substitution"),
    (14, ["gaussian", "gaussian"], None),
    (12, ["gaussian", "laplace"], None),
)


def main() -> None:
    """Write the reference."""
    lines = []
    for parts, neighbors, delta, is_zero_kept in points():
        found = row(parts, neighbors, delta)
        if found["epsilon"] or is_zero_kept:
            lines.append(json.dumps(found, ensure_ascii=False))
    REFERENCE.parent.mkdir(exist_ok=True)
    REFERENCE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
