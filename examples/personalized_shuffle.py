"""Shuffled reports with a privacy level for each user: the truth, and the published bound.

Liu et al. 2024 ("Enhanced Privacy Bound for Shuffle Model with Personalized Privacy") give
δ_s(ε) when user i is ε_i-locally private. Here it is computed as it is meant, at its best t
with all sums from i = 0 (as printed it can be negative), beside certified numbers:

1. binary randomized response, ε_i evenly spaced in [0.5, 2]: the true δ of user 1, for data
   that are all x_1^0; the bound from clones with a weight for each user, valid for any
   randomizers once their rows are compared; and the clones' bound with ε_i = 2 for all. For
   this mechanism δ_s is proved, and larger than the bound;
2. Laplace noise on [0, 1], ε_1 = 1 and ε_i = 0.99 for all others, x_i = 0: a lower bound on
   the true δ, from how many messages are below a threshold. It exceeds δ_s for few users.

``--plot FILE`` (needs matplotlib) plots the first table.
"""

import argparse
from fractions import Fraction

from exactdp import Epsilon, Exact, decimal
from exactdp.shuffle import stronger_clone_pair
from proofs_check.liu2024.curves import CentralBound
from proofs_check.liu2024.noise import (
    Shape,
    laplace_noise,
    least_probability,
    victim_probability,
)
from proofs_check.liu2024.personalized_clones import personalized_clones
from proofs_check.liu2024.truth import TwoLetterView, best_threshold

LARGEST = Fraction(2)
GROUPS = 20


def budgets(n):
    """Evenly spaced ε_i below 2, each with its number of users; n − 1 in all."""
    spaced = [Fraction(1, 2) + Fraction(3, 2) * Fraction(2 * j + 1, 2 * GROUPS)
              for j in range(GROUPS)]  # fmt: skip
    share, more = divmod(n - 1, GROUPS)
    return [(e, share + (j < more)) for j, e in enumerate(spaced)]


def randomized_response_rows(n, epsilons):
    """For each ε: the true δ, personalized clones, δ_s, and clones with ε_i = 2 for all."""
    rare = [(1 / (Exact.exp(e) + 1), count) for e, count in budgets(n)]
    least = 1 / (Exact.exp(LARGEST) + 1)
    view = TwoLetterView(least, 1 - least, tuple(rare))
    clones = personalized_clones(Epsilon.rational(LARGEST), rare)
    paper = CentralBound(rare, w=least)
    equal = stronger_clone_pair(n, Epsilon.rational(LARGEST))
    for e in epsilons:
        at = Epsilon.rational(e)
        yield (
            view.both_directions().delta(at).upper,
            clones.delta(at, relative_width="1e-9").upper,
            paper.best_delta(at).upper,
            equal.delta(at, relative_width="1e-9").upper,
        )


def laplace_row(n, epsilon):
    """δ_s and a lower bound on the true δ; 0 < 1 − ε_i/ε_1 is small, so that no masses tie."""
    first, other = Fraction(1), Fraction(99, 100)
    zero, one = laplace_noise(0, 1 / first), laplace_noise(1, 1 / first)
    noise = laplace_noise(0, 1 / other)
    p = least_probability(Shape.LAPLACE, 1 / first, 1 / other)
    paper = CentralBound([(p, n - 1)], w=victim_probability(zero, one))
    at = Epsilon.rational(epsilon)
    thresholds = [Fraction(j, 4) for j in range(2, 9)]
    _, found = best_threshold(zero, one, [(noise, n - 1)], thresholds=thresholds, epsilon=at)
    return paper.best_delta(at).upper, found.lower


def shown(value):
    return f"{decimal(Exact(value), digits=4):>12}"


def plot(tables, epsilons, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(tables), figsize=(10, 4), sharey=True)
    names = ["true δ", "personalized clones", "δ_s of the paper", "clones, ε_i = 2"]
    for axis, (n, rows) in zip(axes, tables.items(), strict=True):
        for name, values in zip(names, zip(*rows, strict=True), strict=True):
            axis.semilogy([float(e) for e in epsilons], [float(v) for v in values], label=name)
        axis.set(xlabel="ε", title=f"n = {n}")
    axes[0].set_ylabel("δ")
    axes[-1].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    epsilons = [Fraction(x, 100) for x in (1, 5, 10, 20)]
    tables = {}
    for n in (1000, 10_000):
        tables[n] = list(randomized_response_rows(n, epsilons))
        print(f"Randomized response, n = {n}")
        print("     ε      true δ      clones         δ_s  clones, 2 for all")
        for e, row in zip(epsilons, tables[n], strict=True):
            print(f"{float(e):6}", *map(shown, row), sep="")
        print()
    print("Laplace noise, ε_1 = 1, ε_i = 0.99")
    print("     n     ε         δ_s      true δ")
    for n in (2, 3, 10, 100):
        for e in (Fraction(1, 1000), Fraction(1, 100)):
            claimed, true = laplace_row(n, e)
            verdict = "  true δ is larger" if true > claimed else "  (a lower bound)"
            print(f"{n:6}{float(e):6}", shown(claimed), shown(true), verdict, sep="")
    if options.plot:
        plot(tables, epsilons, options.plot)
