"""The printed formula (6) at n = 100 and more, written with the kernel's own sums.

The generic formula in ``bounds`` would write every term out; here the sums over r stay
sums, so that a certificate for n = 100 is a page and not a library.
"""

from __future__ import annotations

from exactdp.certificates import Term, positive_part, ref, term
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2

__all__ = ["delta_hat_sums"]


def delta_hat_sums(x: Term, c: Counts, exp_epsilon: Term) -> Term:
    """Return (6) with the printed v_s as a term in x and e^eps."""
    m = c.n - c.n_x0
    first, second = kappa1(x, c.k), kappa2(x, c.k)
    s, r = ref("s"), ref("r")

    def inner(*body: Term) -> Term:
        return Term(["sum", "r", hex(0), s.json, ["mul", *(b.json for b in body)]])

    choose, rest, power = _binomial(term(c.n_x0), r), s - r, Term(["pow", first.json, r.json])
    full = inner(choose, _binomial(term(m), rest), power)
    top = inner(rest, choose, _binomial(term(m - 1), rest - 1), power)
    tau = second * m + (x - second) * rest
    scale = (
        Term(["pow", (x + (c.k - 2)).json, (term(m) - s).json])
        * (c.k - 1) ** c.n_x0
        / (x + (c.k - 1)) ** c.n
    )
    weight = scale / m * inner(choose, _binomial(term(m), rest), power, tau)
    exp_loss = second + (x - second) / m * top / full
    part = positive_part(1 - exp_epsilon / exp_loss) * weight
    return Term(["sum", "s", hex(0), hex(c.n), part.json])


def _binomial(n: Term, k: Term) -> Term:
    return Term(["binomial", n.json, k.json])
