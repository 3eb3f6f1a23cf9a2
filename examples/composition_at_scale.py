"""Certified deltas and epsilons of many compositions, of DP-SGD among them.

Run: python examples/composition_at_scale.py [--plot FILE]
"""

import argparse
import math
import time

from exactdp.accounting import compose_certified, poisson_subsampled
from exactdp.divergences import Pair
from exactdp.mechanisms import discrete_laplace_mechanism, gaussian_mechanism, laplace_mechanism
from exactdp.numbers import Epsilon, Exact, Rounding, decimal

COIN = Pair.from_masses(["11/20", "9/20"], ["9/20", "11/20"])
KINDS = {
    "1000 Gaussian": ([(gaussian_mechanism(sigma=30), 1000)], "7"),
    "1000 Laplace": ([(laplace_mechanism(scale=20), 1000)], "11"),
    "1000 discrete Laplace": (
        [(discrete_laplace_mechanism(rate=Epsilon.rational("1/20")), 1000)],
        "11",
    ),
    "a mixture of 260": (
        [
            (gaussian_mechanism(sigma=30), 100),
            (laplace_mechanism(scale=20), 100),
            (COIN, 50),
            (poisson_subsampled(gaussian_mechanism(sigma=4), sampling_probability="1/100"), 10),
        ],
        "8",
    ),
}
TRAINING = {
    "1,000 steps": (
        poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="0.01"),
        1000,
        "1e-5",
    ),
    "1,000,000 steps": (
        poisson_subsampled(gaussian_mechanism(sigma=1), sampling_probability="0.001"),
        10**6,
        "1e-12",
    ),
}


def text(enclosure):
    lower = decimal(Exact(enclosure.lower), digits=6, rounding=Rounding.DOWN)
    upper = decimal(Exact(enclosure.upper), digits=6, rounding=Rounding.UP)
    return f"[{lower}, {upper}]"


def table():
    print(f"{'what':<24}{'epsilon':>8}  delta is in")
    for name, (parts, epsilon) in KINDS.items():
        found = compose_certified(parts).delta(Epsilon.rational(epsilon), relative_width="1e-5")
        print(f"{name:<24}{epsilon:>8}  {text(found)}")
    for name, (step, times, delta) in TRAINING.items():
        found = compose_certified([(step, times)]).epsilon(delta, relative_width="1e-5")
        print(f"{name} of DP-SGD: the smallest epsilon for delta = {delta} is in {text(found)}")


def plot(file):
    """Plot the time against the number k of Laplace mechanisms, with its slope."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    counts, seconds = [30, 100, 300, 1000, 3000], []
    for k in counts:
        losses = compose_certified([(laplace_mechanism(scale=20), k)])
        epsilon = f"{k / 800 + 5 * math.sqrt(k) / 20:.3f}"
        start = time.perf_counter()
        losses.delta(Epsilon.rational(epsilon), relative_width="1e-3")
        seconds.append(time.perf_counter() - start)
    x, y = [math.log(k) for k in counts], [math.log(s) for s in seconds]
    middle = sum(x) / len(x)
    slope = sum((a - middle) * b for a, b in zip(x, y, strict=True)) / sum(
        (a - middle) ** 2 for a in x
    )
    print(f"time grows like k^{slope:.2f}")
    figure, axes = pyplot.subplots()
    axes.loglog(counts, seconds, "o-", label=f"slope {slope:.2f}")
    axes.set(xlabel="compositions k", ylabel="seconds", title="relative width 1e-3")
    axes.legend()
    figure.savefig(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--plot", metavar="FILE", help="time against k (needs matplotlib)")
    arguments = parser.parse_args()
    table()
    if arguments.plot:
        plot(arguments.plot)
