"""How much Laplace noise hides one person in the sum of what all of them report?

``data/clinic_visits.csv`` (synthetic) counts how many people of two groups came to a clinic on
0 to 5 days of a week: their laws P (patients: rarely or daily) and Q (staff: two or three days).
Six people, three of each group, each present with probability 9/10, report their days; the
clinic publishes the sum with Laplace noise of scale θ. About one of them it hides:

    S_{a,b}   5 days or 2            S_{a,⊥}   5 days or not present
    S_{P,⊥}   patient or not present S_{P,Q}   patient or staff

For several ε: the smallest θ in this system, the smallest that serves whoever the others are,
and what Ding et al. 2025 ("Multi-user Pufferfish Privacy") charge in Theorems 1-4, equations
(10), (12), (14) and (16): |a − b|/ε, |a|/ε, max |t|/ε and W_∞(P, Q)/ε. The values are
consecutive integers, for which the sup Δ* of (16) is W_∞; with gaps, W_∞ is what serves.

All θ are certified and rounded up, so each one printed attains its ε. Far out, for y → ±∞,
the others cancel from the ratio of the two densities: they help only where the worst y
lies in between, as it does for S_{P,Q} and small ε.

``--plot FILE`` (needs matplotlib) plots θ against ε.
"""

import argparse
from fractions import Fraction
from pathlib import Path

from exactdp import Epsilon, Exact, decimal
from exactdp.numbers import Rounding
from exactdp.pufferfish import (
    MultiUserSystem,
    Others,
    Secret,
    User,
    law_of_counts,
    smallest_scale,
    smallest_scale_over_systems,
    wasserstein_infinity,
)

TABLE = Path(__file__).parent / "data" / "clinic_visits.csv"
P, Q = (
    law_of_counts(TABLE, value="visits", count="people", where={"group": group})
    for group in ("patients", "staff")
)
A, B = 5, 2

SYSTEM = MultiUserSystem(
    [User(law, presence="9/10") for law in 3 * [P] + 3 * [Q]], Others.PRESENT_AT_RANDOM
)
PAIRS = {
    # name: (first secret, second secret, what the theorem divides by ε, and its value)
    "S_{a,b}": (Secret.value(A), Secret.value(B), "|a − b|", abs(A - B)),
    "S_{a,⊥}": (Secret.value(A), Secret.absent(), "|a|", abs(A)),
    "S_{P,⊥}": (Secret.follows(P), Secret.absent(), "max |t|", max(map(abs, P.masses))),
    "S_{P,Q}": (Secret.follows(P), Secret.follows(Q), "W_∞", wasserstein_infinity(P, Q)),
}


def scales(name, epsilon):
    """The three θ of a pair: in this system, over all systems, as charged."""
    first, second, _, distance = PAIRS[name]
    nats = Epsilon.rational(epsilon)
    pair = SYSTEM.pair(0, first, second)
    here = smallest_scale([pair], epsilon=nats, relative_width="1e-6")
    everywhere = smallest_scale_over_systems(first, second, epsilon=nats, relative_width="1e-6")
    return here.upper, everywhere.upper, distance / Fraction(epsilon)


def shown(theta):
    return decimal(Exact(theta), digits=5, rounding=Rounding.UP)


def table(epsilons):
    print("pair      formula      ε    this system  all systems      charged")
    for name, (_, _, formula, _) in PAIRS.items():
        for epsilon in epsilons:
            columns = "".join(f"{shown(theta):>13}" for theta in scales(name, epsilon))
            print(f"{name:<9} {formula + '/ε':<9} {epsilon:>5}  {columns}")


def plot(path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    epsilons = [Fraction(k, 10) for k in range(1, 21)]
    figure, axes = pyplot.subplots(2, 2, figsize=(9, 7), sharex=True)
    for axis, (name, (_, _, formula, _)) in zip(axes.flat, PAIRS.items(), strict=True):
        here, everywhere, charged = zip(*(scales(name, e) for e in epsilons), strict=True)
        xs = list(map(float, epsilons))
        axis.loglog(xs, list(map(float, charged)), "k-", lw=3, alpha=0.3, label=f"{formula}/ε")
        axis.loglog(xs, list(map(float, here)), "-", label="smallest, this system")
        axis.loglog(xs, list(map(float, everywhere)), "--", label="smallest, all systems")
        axis.set(title=f"${name.replace('⊥', chr(92) + 'bot')}$")
        axis.legend(fontsize="small")
    for axis in axes[1]:
        axis.set_xlabel("ε")
    for axis in axes[:, 0]:
        axis.set_ylabel("θ")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    table(["0.1", "0.5", "1", "2"])
    if options.plot:
        plot(options.plot)
