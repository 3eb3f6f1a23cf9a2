"""A claim of your own on trial: is my_delta ever below the truth?

The claim: shuffling n users of binary randomized response divides the local delta by
n. The audit looks for the smallest counterexample.
"""

from collections.abc import Iterator
from fractions import Fraction

from exactdp import Epsilon, Exact, Truth, Users, Victim, randomized_response, shuffle_view
from exactdp.audit import decide
from exactdp.claims import Effort, Instance, Outcome, Statement


def my_delta(n: int, x: Fraction, e: Fraction) -> Fraction:
    """The claimed bound, with x = e^eps0 and e = e^eps."""
    return max(Fraction(0), x - e) / (x + 1) / n


def instances(effort: Effort) -> Iterator[Instance]:
    for n in range(1, 20):
        for x in (Fraction(3), Fraction(9)):
            for e in (Fraction(3, 2), Fraction(2)):
                yield Instance.of(n=n, exp_epsilon0=x, exp_epsilon=e)


def holds(at: Instance) -> Outcome:
    v = at.mapping()
    rr = randomized_response(2, Epsilon.log(v["exp_epsilon0"]))
    view = shuffle_view(Victim(rr), [Users(rr, 0, v["n"] - 1)])
    true = view.hockey_stick_divergence(exp_epsilon=Exact(v["exp_epsilon"]))
    claimed = my_delta(v["n"], v["exp_epsilon0"], v["exp_epsilon"])
    return Outcome(Truth.of(true <= claimed), f"claimed {claimed}, exact {true}")


verdict = decide(Statement(instances=instances, holds=holds))
print(verdict.label)
print(getattr(verdict, "witness", ""), "|", getattr(verdict, "found", ""))
