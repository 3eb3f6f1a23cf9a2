"""A claim of your own on trial: is my_delta ever below the truth?

The claim: shuffling n users of binary randomized response divides the local delta by
n. The audit looks for the smallest counterexample; the relation that fails there is a
certificate, which the kernel checks with code of its own.
"""

from fractions import Fraction

from exactdp.audit import decide
from exactdp.claims import Relation, at_most, cases, for_all, hockey_stick, shuffle_pair


def my_delta(n: int, x: Fraction, e: Fraction) -> Fraction:
    """The claimed bound, with x = e^eps0 and e = e^eps."""
    return max(Fraction(0), x - e) / (x + 1) / n


def claim(n: int, exp_epsilon0: Fraction, exp_epsilon: Fraction) -> Relation:
    """The victim's 0 against 1, all others hold 0: the view's delta is at most my_delta."""
    x = exp_epsilon0
    rows = [[x / (x + 1), 1 / (x + 1)], [1 / (x + 1), x / (x + 1)]]
    view = shuffle_pair(rows, inputs=(0, 1), others=[(0, n - 1)])
    return at_most(hockey_stick(view, exp_epsilon), my_delta(n, x, exp_epsilon))


over = cases(
    n=range(1, 20),
    exp_epsilon0=(Fraction(3), Fraction(9)),
    exp_epsilon=(Fraction(3, 2), Fraction(2)),
)
verdict = decide(for_all(over, claim))
print(verdict.label)
print(getattr(verdict, "witness", ""), "|", getattr(verdict, "found", ""))
