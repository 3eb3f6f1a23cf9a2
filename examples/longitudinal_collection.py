"""Counting a changing yes/no answer every day, with local privacy over all days at once.

Each of n users holds a state in {0, 1} that changes at most k times in d days. The client
of Erlingsson et al. (2019), Algorithm 1, picks one of its changes and one level of the
binary tree over the days, and reports randomized signs at that level; the server,
Algorithm 2, estimates how many users are in state 1 on each day. The tree has
log2(d) + 1 levels, and the printed server scales by log2(d): its estimates are too small
by the factor log2(d) / (log2(d) + 1), on average.

Run it with --help for its options; with --epsilon 8 the factor can be seen with 10^5 users.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

Changes = np.ndarray[Any, np.dtype[np.int64]]
Sums = dict[int, np.ndarray[Any, np.dtype[np.int64]]]
Series = np.ndarray[Any, np.dtype[np.float64]]

CELLS_AT_ONCE = 1 << 23


def random_changes(rng: np.random.Generator, *, users: int, days: int, k: int) -> Changes:
    """Row i holds the days 1..d of the changes of user i, increasing; d + 1 for none.

    The first change (into state 1) comes early for most users, so that there is
    something to count; each next one comes some days later, or never.
    """
    gaps = 1 + rng.geometric(p=4 / (days + 3), size=(users, k)).astype(np.int64)
    return np.minimum(np.cumsum(gaps, axis=1) - 1, days + 1)


def true_counts(changes: Changes, *, days: int) -> Series:
    """How many users are in state 1 on each day; the changes alternate, +1 first."""
    steps = np.zeros(days + 2)
    for order in range(changes.shape[1]):
        steps += (-1) ** order * np.bincount(changes[:, order], minlength=days + 2)
    return np.cumsum(steps[1 : days + 1])


def collect(
    rng: np.random.Generator,
    changes: Changes,
    *,
    days: int,
    epsilon: float,
    advance: Callable[[], None],
) -> Sums:
    """Every client's reports, summed at every node: Algorithm 1, and steps 2-5 of Algorithm 2."""
    users, k = changes.shape
    level_count = days.bit_length()
    truth = 1 / (1 + np.exp(-epsilon / 2))  # e^(eps/2) / (1 + e^(eps/2))
    kappa_star = rng.integers(0, k, size=users)
    h_star = rng.integers(1, level_count + 1, size=users)
    day = changes[np.arange(users), kappa_star]
    change = np.where(kappa_star % 2 == 0, 1, -1)
    sums: Sums = {}
    for h in range(1, level_count + 1):
        size = days >> (h - 1)
        total = np.zeros(size, dtype=np.int64)
        members = np.flatnonzero(h_star == h)
        step = max(1, CELLS_AT_ONCE // size)
        for start in range(0, len(members), step):
            group = members[start : start + step]
            signs = rng.integers(0, 2, size=(len(group), size), dtype=np.int8) * 2 - 1
            rows = np.flatnonzero(day[group] <= days)
            node = (day[group[rows]] - 1) >> (h - 1)
            kept = np.where(rng.random(len(rows)) < truth, 1, -1)
            signs[rows, node] = kept * change[group[rows]]
            total += signs.sum(axis=0, dtype=np.int64)
        sums[h] = total
        advance()
    return sums


def cover_sums(sums: Sums, *, days: int) -> Series:
    """For each day t the sum over the nodes that partition [1, t]: steps 6-11, unscaled."""
    t = np.arange(1, days + 1)
    total = np.zeros(days)
    for h, values in sums.items():
        last = t >> (h - 1)  # the node of this level that ends at t without its lower bits
        used = last % 2 == 1
        total[used] += values[last[used] - 1]
    return total


def plot(path: str, truth: Series, printed: Series, unbiased: Series) -> str:
    """Draw the estimates against the truth, if matplotlib is there; return a line on it."""
    try:
        matplotlib = importlib.import_module("matplotlib")
    except ModuleNotFoundError:
        return "no plot: matplotlib is not installed (pip install matplotlib)"
    matplotlib.use("Agg")
    pyplot = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=(9, 5))
    days = np.arange(1, len(truth) + 1)
    axes.plot(days, unbiased, linewidth=0.8, label="estimate, scaled by log2(d) + 1")
    axes.plot(days, printed, linewidth=0.8, label="estimate, scaled by log2(d) as printed")
    axes.plot(days, truth, color="black", linewidth=2, label="truth")
    axes.set_xlabel("day")
    axes.set_ylabel("users in state 1")
    axes.legend()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    return f"plot written to {path}"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Simulate longitudinal collection.")
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=1024, help="a power of two, at least 2")
    parser.add_argument("--changes", type=int, default=2, help="k, at most --days")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=2019)
    parser.add_argument("--plot", metavar="FILE", help="write a PNG (needs matplotlib)")
    options = parser.parse_args()
    if options.days < 2 or options.days & (options.days - 1):
        parser.error(f"--days {options.days} must be a power of two, at least 2")
    if not 1 <= options.changes <= options.days:
        parser.error(f"--changes {options.changes} must be from 1 to --days {options.days}")
    if options.users < 1:
        parser.error(f"--users {options.users} must be at least 1")
    if options.epsilon <= 0:
        parser.error(f"--epsilon {options.epsilon} must be positive")
    return options


def main() -> None:
    options = arguments()
    n, d, k = options.users, options.days, options.changes
    log2_d = d.bit_length() - 1
    rng = np.random.default_rng(options.seed)
    changes = random_changes(rng, users=n, days=d, k=k)
    truth = true_counts(changes, days=d)
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("levels collected", total=log2_d + 1)
        sums = collect(
            rng, changes, days=d, epsilon=options.epsilon, advance=lambda: progress.advance(task)
        )
    response_scale = 1 / np.tanh(options.epsilon / 4)  # (e^(eps/2) + 1) / (e^(eps/2) - 1)
    raw = cover_sums(sums, days=d)
    printed = response_scale * k * log2_d * raw
    unbiased = response_scale * k * (log2_d + 1) * raw
    ones = np.array([int(t).bit_count() for t in range(1, d + 1)])
    # Upper bound on the standard deviation: each user is -1, 0 or 1 with E[U^2] = |C|/(L + 1).
    deviation = response_scale * k * np.sqrt(n * ones * (log2_d + 1))

    print(f"{n:,} users, {d:,} days, at most {k} changes, epsilon {options.epsilon:g} (all days)")
    print(f"{'day':>6} {'truth':>10} {'printed':>12} {'unbiased':>12} {'st. dev.':>10}")
    for t in sorted({1, d // 4, d // 2, 3 * d // 4, d} - {0}):
        i = t - 1
        print(
            f"{t:>6} {truth[i]:>10,.0f} {printed[i]:>12,.0f} {unbiased[i]:>12,.0f} "
            f"{deviation[i]:>10,.0f}"
        )
    for name, estimate in (("printed", printed), ("unbiased", unbiased)):
        error = estimate - truth
        worst, typical = np.abs(error).max(), np.sqrt((error**2).mean())
        print(f"{name:>9}: largest error {worst:,.0f}, root mean square {typical:,.0f}")
    bound = response_scale * k * (log2_d + 1) * np.sqrt(2 * n * np.log(6 * d))
    print(f"the unbiased largest error is below {bound:,.0f} with probability at least 2/3")
    print(
        f"the printed scale loses 1/{log2_d + 1} of the truth on average: "
        f"up to {truth.max() / (log2_d + 1):,.0f} users here"
    )
    if options.plot:
        print(plot(options.plot, truth, printed, unbiased))


if __name__ == "__main__":
    main()
