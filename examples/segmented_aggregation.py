"""Users of different privacy levels share one blanket: what is the best number of messages?

The multi-message shuffle protocol of Wang et al. 2024 ("Segmented Private Data Aggregation
in the Multi-message Shuffle Model"): each user sends each of its s items with a probability
λ_k of its privacy level E_k, and m uniformly random items in expectation; the server
counts. A quarter of the users asks for E = 0.5, a half for 1, a quarter for 2; δ = 0.01/n.

The λ_k are computed from two conditions, certified. The first is the paper's own (Theorem
3, (7)), which is not a proof of privacy: it overlooks that the number of messages tells
whether a user sent its item. The second lets the analyzer know that, and is one.

For each m: the λ_k, the bound on the mean squared error that the server minimizes, and the
expected and the simulated error on uniformly random sets. Then some of what the paper
compares with; their m is the least that (7) admits with λ = 1. Simulated numbers are
averages of pseudo-random runs in doubles; all others are exact or certified.

``--full`` takes d = 128 and n = 50,000; ``--plot FILE`` (needs matplotlib) plots the errors
against m.
"""

import argparse
from dataclasses import replace
from fractions import Fraction

from exactdp import Epsilon, Exact, decimal
from proofs_check.wang2024.competitors import (
    best_subset_size,
    blanket_error,
    separate_multi_message,
    uniform_multi_message,
)
from proofs_check.wang2024.parameters import Condition, Setting, largest_rate, objective
from proofs_check.wang2024.protocol import Parameters
from proofs_check.wang2024.simulation import simulated_error

LEVELS = [Epsilon.rational(level) for level in ("0.5", "1", "2")]
SHARES = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
MESSAGES = {
    17: ("0.3", "0.6", "1", "1.5", "2", "3", "5", "7"),
    128: ("0.3", "0.55", "1", "1.5", "1.81", "3", "5", "7"),
}
"""The m that are tried, by d."""


def shown(value, digits=3):
    return decimal(Exact(value) if isinstance(value, Fraction) else value, digits=digits)


def protocol(setting, counts, w, m, *, runs):
    """The rates at m, the bound on the error, its expectation, and the mean of the runs."""
    m = Fraction(m)
    rates = tuple(largest_rate(setting, m=m, epsilon=e, digits=3).lower for e in LEVELS)
    bound = objective(n=setting.n, s=setting.s, m=m, rates=rates, counts=counts)
    errors = simulated_error(
        segments=counts, d=setting.d, s=setting.s, parameters=Parameters(m, rates),
        runs=runs, seed=1,
    )  # fmt: skip
    expected = blanket_error(counts=counts, rates=rates, m=m, w=w)
    return rates, bound, expected, float(errors.population.mean())


def competitors(setting, counts, w):
    """Those who know no segments, and those who run each segment apart."""
    least, liberal = min(LEVELS), max(LEVELS)
    m, error = uniform_multi_message(setting, least, w=w, digits=2)
    yield f"MM, all users at E = 0.5 (m = {shown(m)})", error
    segments = list(zip(counts, LEVELS, strict=True))
    separate = separate_multi_message(setting, segments, w=w, digits=2)
    yield "SepMM, the mean of three runs", separate.averaged
    yield "Weighted SepMM", separate.weighted
    local = best_subset_size(d=setting.d, s=setting.s, exp_epsilon0=liberal.exp, w=w)
    yield "Subexp, local, all users at E = 2", local.error(n=setting.n, w=w)


def study(setting, *, runs):
    counts = [int(share * setting.n) for share in SHARES]
    w = [Fraction(setting.s, setting.d)] * setting.d
    tables = {}
    for condition in Condition:
        chosen = replace(setting, condition=condition)
        tables[condition] = rows = []
        print(f"λ_k from {condition.value}:")
        print("     m       λ_1       λ_2       λ_3      bound   expected  simulated")
        for m in MESSAGES[setting.d]:
            rates, bound, expected, simulated = protocol(chosen, counts, w, m, runs=runs)
            rows.append((float(m), float(bound), simulated))
            numbers = [*map(shown, rates), shown(bound), shown(expected), f"{simulated:.3g}"]
            print(f"{m:>6}", *(f"{number:>9}" for number in numbers))
        print()
    others = dict(competitors(setting, counts, w))
    print("Expected errors of:")
    for name, error in others.items():
        print(f"{shown(error):>10}  {name}")
    return tables, others


def plot(tables, others, path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(tables), figsize=(12, 4), sharey=True)
    for axis, (condition, rows) in zip(axes, tables.items(), strict=True):
        m, bounds, simulated = zip(*rows, strict=True)
        axis.loglog(m, bounds, "-", label="bound")
        axis.loglog(m, simulated, "o", label="simulated")
        for index, (name, error) in enumerate(others.items()):
            level = float(shown(error, 6))
            axis.axhline(level, ls="--", color=f"C{index + 2}", label=name)
        axis.set_xticks(m, labels=[f"{value:g}" for value in m])
        axis.minorticks_off()
        axis.set(xlabel="blanket messages a user, m", title=f"λ_k from {condition.value}")
    axes[0].set_ylabel("mean squared error")
    axes[-1].legend(fontsize="x-small")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="d = 128, n = 50,000")
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    d, n = (128, 50_000) if options.full else (17, 5000)
    tables, others = study(Setting(n=n, d=d, s=4, delta=Fraction(1, 100 * n)), runs=20)
    if options.plot:
        plot(tables, others, options.plot)
