"""The table of the IETF draft on binomial noise, filled with exact numbers of coins.

draft-case-ppm-binomial-dp (github.com/private-attribution/i-d, commit 7e1d89c) lets the parties
of a secure computation add Bin(N, 1/2) to f(D)/s. It takes N from Theorem 1 of cpSGD, by its
formula (7); then solves that as a quadratic equation, printed with another sign. The exact N is
the smallest at which one count, of sensitivity 1, is (epsilon, delta)-private: s = 1/Δ makes that
Δ units of the noise. The error is the variance s²·N/4 of the result.

The draft's N are its formulas in doubles; the others are exact. A smaller s makes the error
smaller, the draft says, and N larger: there (7) becomes a rule for Gaussian noise that is proved
for epsilon up to 1, and in the draft's own range of epsilon and delta it is no longer private.

Run: python examples/binomial_noise_of_a_draft.py
"""

import math
from fractions import Fraction

from exactdp.divergences import calibrated
from exactdp.mechanisms import binomial_mechanism
from exactdp.numbers import Epsilon, Rounding, decimal

DELTA = "1e-5"  # the draft writes 10e-6
ROWS = [(epsilon, units) for epsilon in ("3", "1", "0.1") for units in (1, 4)]
TYPICAL = "10", Fraction(1, 2**24)  # the ends of what the draft calls typical
FINE = (1000, 2000, 4000, 8000, 16000)


def constants(delta, units):
    """The draft's c_1 and c_2 for d = 1, sensitivities 1 and s = 1/units."""
    c_p, b_p, d_p = math.sqrt(2) * 7 / 4, 1 / 3, 2 / 3
    inner = (c_p * math.sqrt(math.log(10 / delta)) + b_p) / (1 - delta / 10)
    inner += 2 * math.log(1.25 / delta) / 3
    inner += d_p * math.log(20 / delta) * math.log(10 / delta)
    return 2 * math.sqrt(2 * math.log(1.25 / delta)), 4 * units * inner


def by_formula_7(epsilon, delta, units):
    """The smallest N of formula (7), where c_1 is divided by s, and of the condition on delta."""
    c_1, c_2 = constants(delta, units)
    root = (c_1 * units + math.sqrt((c_1 * units) ** 2 + 4 * epsilon * c_2)) / (2 * epsilon)
    return max(math.ceil(root**2), by_delta(delta, units))


def as_printed(epsilon, delta, units):
    """The larger root of the quadratic equation as it stands; None where there is none."""
    c_1, c_2 = constants(delta, units)
    a, b, c = (epsilon / c_1) ** 2, 2 * epsilon * c_2 / c_1**2 - 1, (c_2 / c_1) ** 2
    if b * b < 4 * a * c:
        return None
    root = (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a)
    return max(math.ceil(root), by_delta(delta, units)) if root > 0 else None


def by_delta(delta, units):
    return math.ceil(4 * max(23 * math.log(10 / delta), 2 * units))


def main():
    print(f"delta = {DELTA}, one count of sensitivity 1")
    print(
        f"{'epsilon':>7} {'s':>4} {'exact N':>8} {'error':>9} {'by (7)':>8} {'as printed':>10}",
        end="",
    )
    print("  true delta at the N of (7)")
    for epsilon, units in ROWS:
        at = Epsilon.rational(epsilon)
        found = calibrated(binomial_mechanism, epsilon=at, delta=DELTA, sensitivity=units)
        exact = int(found.upper)
        seven = by_formula_7(float(epsilon), float(DELTA), units)
        printed = as_printed(float(epsilon), float(DELTA), units)
        error = exact / (4 * units**2)
        truth = binomial_mechanism(trials=seven, sensitivity=units).delta(at)
        shown = decimal(truth, digits=3, rounding=Rounding.UP)
        scale = "1" if units == 1 else f"1/{units}"
        root = printed or "no root"
        print(f"{epsilon:>7} {scale:>4} {exact:>8} {error:>9.3f} {seven:>8} {root:>10}  {shown}")

    epsilon, delta = TYPICAL
    print(f"epsilon = {epsilon}, delta = 2^-24")
    print(f"{'s':>7} {'by (7)':>10}  true delta there, over 2^-24")
    for units in FINE:
        seven = by_formula_7(float(epsilon), float(delta), units)
        noise = binomial_mechanism(trials=seven, sensitivity=units)
        truth = noise.delta(Epsilon.rational(epsilon), relative_width="1e-6")
        print(f"{f'1/{units}':>7} {seven:>10}  {decimal(truth.lower / delta, digits=4)}")


if __name__ == "__main__":
    main()
