"""How much does shuffling amplify at a million, or a thousand million, users?

Each user holds one value and reports it with an ε0-private local randomizer, ε0 = 1. The
clones of Feldman, McMillan and Talwar bound what the analyzer learns from the shuffled
reports. All numbers printed are certified: the true ones lie in the brackets.

With ``--plot FILE`` (needs matplotlib) the time is plotted against n and log(1/δ).
"""

import argparse
import math
import time
from fractions import Fraction

from exactdp import Epsilon, Exact, decimal
from exactdp.shuffle import clone_pair, stronger_clone_pair

ONE = Epsilon.rational(1)


def digits_of(bracket):
    """The digits on which both ends of a bracket agree."""
    lower, upper = (decimal(Exact(end), digits=12) for end in (bracket.lower, bracket.upper))
    same = [a == b for a, b in zip(lower, upper, strict=False)]
    shared = lower[: same.index(False)] if False in same else lower
    _, mark, exponent = lower.partition("e")
    return shared if mark in shared and mark else f"{shared}...{mark}{exponent}"


def table(sizes):
    print("n              epsilon at delta = 1e-10            delta at half that epsilon")
    print("               clones            stronger clones   stronger clones")
    for n in sizes:
        clones, stronger = (family(n, ONE) for family in (clone_pair, stronger_clone_pair))
        at = [pair.epsilon(delta="1e-10") for pair in (clones, stronger)]
        gamma = Exact.exp(round(at[1].lower / 2, 10))
        delta = stronger.delta(Epsilon(gamma), relative_width="1e-9")
        print(f"{n:<14,} {digits_of(at[0]):<17} {digits_of(at[1]):<17} {digits_of(delta)}")


def seconds(function):
    times = []
    for _ in range(3):
        begun = time.process_time()
        function()
        times.append(time.process_time() - begun)
    return min(times)


def slope(xs, ys):
    """The slope of the least-squares line through the logarithms."""
    xs, ys = [math.log(x) for x in xs], [math.log(y) for y in ys]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    products = sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True))
    return products / sum((x - x0) ** 2 for x in xs)


def time_against_n(width, sizes, z=6):
    def work(n):
        epsilon = Fraction(z * 1.04 / math.sqrt(n)).limit_denominator(10**9)
        clone_pair(n, ONE).delta(Epsilon.rational(epsilon), relative_width=width)

    return [seconds(lambda n=n: work(n)) for n in sizes]


def time_against_delta(width, exponents, n=10**6):
    """The inverse is found first; the time is that of δ at the ε found."""
    pair = clone_pair(n, ONE)
    gammas = [
        Exact.exp(pair.epsilon(delta=f"1e-{k}", relative_width="1e-4").upper) for k in exponents
    ]
    return [seconds(lambda g=g: pair.delta(Epsilon(g), relative_width=width)) for g in gammas]


def plot(path):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = [10**k for k in range(4, 11)]
    exponents = [10 * 2**k for k in range(8)]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for width, last in (("1e-9", 7), ("1e-15", 6)):
        times = time_against_n(width, sizes[:last])
        fit = slope(sizes[2:last], times[2:])
        print(f"relative width {width}: time ~ n^{fit:.2f}")
        left.loglog(sizes[:last], times, "o-", label=f"width {width}, slope {fit:.2f}")
        times = time_against_delta(width, exponents)
        logs = [k * math.log(10) for k in exponents]
        fit = slope(logs, times)
        print(f"relative width {width}: time ~ log(1/delta)^{fit:.2f} at n = 10^6")
        right.loglog(logs, times, "o-", label=f"width {width}, slope {fit:.2f}")
    left.set(xlabel="n", ylabel="seconds", title="delta of clones, epsilon0 = 1")
    right.set(xlabel="log(1/delta)", title="n = 10^6")
    for axis in (left, right):
        axis.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", metavar="FILE")
    options = parser.parse_args()
    table([10**3, 10**4, 10**5, 10**6, 10**7, 10**8, 10**9])
    if options.plot:
        plot(options.plot)
