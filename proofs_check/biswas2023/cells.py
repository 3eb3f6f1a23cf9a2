"""Certificates of printed cells for (6): their terms, or that no loss exceeds eps.

No printed v_s exceeds eps0, and v_n is eps0 whatever eps0 is: as e^eps0 is no rational, the kernel
is shown the first for s < n by intervals, and the second as an identity in z = e^eps0.
"""

from collections.abc import Sequence
from fractions import Fraction

from exactdp.audit.algebra import identity
from exactdp.claims.forms import Relation, above, at_most, below, equal, holding
from exactdp.claims.proofs import Proof, proof
from exactdp.claims.terms import named, positive_part, term
from exactdp.numbers import Exact
from proofs_check.biswas2023.bounds import Counts, delta_hat, exp_privacy_loss_printed, summed
from proofs_check.biswas2023.protocol import exp_epsilon0_term
from proofs_check.biswas2023.tables import Cell


def cell_holds(epsilon0: Fraction, c: Counts, epsilon: Fraction, cell: Cell) -> list[Relation]:
    """Return that (6) is within one unit of the cell's last digit."""
    x, at = exp_epsilon0_term(Exact.exp(epsilon0)), f"{epsilon}".replace("/", "_")
    e = named(f"e_{at}", term(Exact.exp(epsilon)))
    value = named(f"delta_{at}", delta_hat(x, c, e))
    digits = cell.value / cell.unit
    power = term(10) ** (len(str(1 / cell.unit)) - 1)  # so the kernel prints the whole of it
    return [above(value, (digits - 1) / power), below(value, (digits + 1) / power)]


def loss_above(epsilon0: Fraction, c: Counts, epsilon: Fraction) -> Relation:
    """Return that v_n > eps, which holds if eps0 > eps."""
    x = exp_epsilon0_term(Exact.exp(epsilon0))
    return above(exp_privacy_loss_printed(x, c, c.n), named("e", term(Exact.exp(epsilon))))


def no_loss_above(epsilon0: Fraction, data: Sequence[Counts], epsilon: Fraction) -> Proof:
    """Return the steps that no v_s > eps, for eps >= eps0: then (6) is an empty sum.

    Args:
        epsilon0: That of the randomizer.
        data: The data for which it is shown.
        epsilon: The epsilon of the cell.
    """
    x = exp_epsilon0_term(Exact.exp(epsilon0))

    def excess(c: Counts) -> Relation:
        terms = summed(
            x, "s", (0, c.n - 1), lambda s: positive_part(exp_privacy_loss_printed(x, c, s) - x)
        )
        return equal(named(f"excess_{c.n_x0}", terms), 0)

    if epsilon > epsilon0:
        last = [below(exp_privacy_loss_printed(x, c, c.n), Exact.exp(epsilon)) for c in data]
        known = [at_most(epsilon0, epsilon), *last]
        return proof(
            holding(
                "v_s <= eps0 <= eps for s < n, and v_n < eps",
                lambda: [*map(excess, data), *known],
            )
        )
    return proof(
        holding("v_s <= eps0 for s < n", lambda: list(map(excess, data))),
        identity(
            "v_n = eps0, for any z = e^eps0",
            "z",
            *(lambda z, c=c: (exp_privacy_loss_printed(z, c, c.n), z) for c in data),
        ),
    )
