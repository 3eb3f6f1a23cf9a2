"""How private is a shuffled survey of n users, whatever they hold?

Everybody answers with k-ary randomized response, k = 10 and ε0 = 2, and the answers are
shuffled. The ε of the real protocol at δ = 1e-9, the worst over all data, is certified to lie
between the two ends printed; beside them what published bounds say. Stronger clones are proved
where their decomposition exists, as it does here; not for all randomizers.

With ``--plot FILE`` (needs matplotlib) all of it is drawn against n, from 10^2 to 10^9.
"""

import argparse

from exactdp import Epsilon, Exact, decimal
from exactdp.mechanisms import randomized_response
from exactdp.shuffle import shuffle_worst_case

SURVEY = randomized_response(10, Epsilon.rational(2))
DELTA = "1e-9"
NAMES = ("blanket", "clones", "stronger clones (not proved for all randomizers)")


def ends_and_published(n):
    """Both ends, then the upper ends of the blanket, the clones and the stronger clones."""
    worst = shuffle_worst_case(n, SURVEY)
    ends = worst.epsilon(DELTA, relative_width="1e-2")
    published = worst.published(DELTA, relative_width="1e-2")
    return ends.lower, ends.upper, *(bound.epsilon.upper for bound in published)


def table(sizes):
    print(f"epsilon at delta = {DELTA}, k = 10, epsilon0 = 2")
    print("n              at least   at most    blanket    clones     stronger clones")
    rows = [ends_and_published(n) for n in sizes]
    for n, row in zip(sizes, rows, strict=True):
        print(f"{n:<14,} " + " ".join(f"{decimal(Exact(x), digits=3):<10}" for x in row))
    return rows


def plot(path, sizes, rows):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    lower, upper, *published = zip(*rows, strict=True)
    figure, axes = pyplot.subplots(figsize=(6, 4))
    ends = [[float(x) for x in end] for end in (lower, upper)]
    axes.fill_between(sizes, *ends, alpha=0.3)
    axes.loglog(sizes, ends[0], "v", label="worst case: at least")
    axes.loglog(sizes, ends[1], "^", label="worst case: at most")
    for name, values, style in zip(NAMES, published, (":", "-", "--"), strict=True):
        axes.loglog(sizes, [float(x) for x in values], style, label=name)
    axes.set(xlabel="n", ylabel="epsilon", title="10-ary randomized response, epsilon0 = 2")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    sizes = [10**k for k in (range(2, 10) if options.plot else (2, 4, 6, 9))]
    rows = table(sizes)
    if options.plot:
        plot(options.plot, sizes, rows)
