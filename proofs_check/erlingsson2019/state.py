"""The client as a machine whose state is four integers, against its reports node by node.

Definitions: the quantity :func:`from_state`, :func:`apart_from_client`, :func:`direct_law`.
"""

from fractions import Fraction
from itertools import product

from exactdp.claims.quantities import quantity
from exactdp.numbers import Epsilon, Exact
from proofs_check.erlingsson2019.client import ChangeVector, Outputs, Report, sequence_law
from proofs_check.erlingsson2019.tree import levels

__all__ = ["apart_from_client", "direct_law", "from_state"]


@quantity(
    "(total_variation same_reports (by_state {0:nat} {1:nat} {3} {2}) "
    "(client {0:nat} {1:nat} {3} {4}))",
    name="TV",
)
def from_state(
    d: int, k: int, x: ChangeVector, exp_half_epsilon: Fraction, reported: ChangeVector
) -> Exact:
    """Return the distance of the machine's reports on x, by κ*, h*, κ, c, from the client's law."""
    return apart_from_client(d, k, x, exp_half_epsilon, reported)


def apart_from_client(
    d: int,
    k: int,
    x: ChangeVector,
    exp_half_epsilon: Fraction,
    reported: ChangeVector,
    *,
    waits: bool = True,
) -> Exact:
    """Return the total variation; or that of a machine that keeps no change until a node ends."""
    machine = sequence_law(x, k=k, epsilon=Epsilon.log(exp_half_epsilon**2)).masses
    direct = direct_law(d, k, reported, exp_half_epsilon, waits=waits)
    both = {*machine, *direct}
    return (
        sum((abs(machine.get(y, Exact(0)) - direct.get(y, Exact(0))) for y in both), Exact(0)) / 2
    )


def direct_law(
    d: int, k: int, x: ChangeVector, exp_half_epsilon: Fraction, *, waits: bool
) -> dict[Outputs, Exact]:
    """Return the law of the outputs, node by node.

    The drawn change is reported at the end of its node.

    Example:
        >>> law = direct_law(1, 1, (1,), Fraction(3), waits=True)
        >>> law[(Report(level=1, time=1, sign=1),)]
        Exact('3/4')
    """
    truth, found = Exact(exp_half_epsilon) / (1 + exp_half_epsilon), dict[Outputs, Exact]()
    changed = [t for t, change in enumerate(x, start=1) if change]
    for kappa_star, h in product(range(k), levels(d)):
        width = 2 ** (h - 1)
        place = changed[kappa_star] if kappa_star < len(changed) else 0
        end = -(-place // width) * width if waits or place % width == 0 else 0
        for signs in product((1, -1), repeat=d // width):
            mass = Exact(1) / (k * len(levels(d)))
            outputs: list[Report | None] = [None] * d
            for i, sign in enumerate(signs, start=1):
                t = i * width
                told = truth if sign == x[place - 1] else 1 - truth
                mass *= told if t == end and place else Fraction(1, 2)
                outputs[t - 1] = Report(h, t, sign)
            found[tuple(outputs)] = found.get(tuple(outputs), Exact(0)) + mass
    return found
