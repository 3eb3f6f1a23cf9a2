"""The printed formula (6) at n = 100 and more, written with the kernel's own sums.

The generic formula in ``bounds`` would write every term out; here the sums over r stay
sums, so that a certificate for n = 100 is a page and not a library.
"""

from __future__ import annotations

from exactdp.certificates import Term, positive_part
from proofs_check.biswas2023.bounds import Counts, kappa1, kappa2, kappa3

__all__ = ["delta_hat_sums"]


def _sum(c: Counts, s: int, body: list[object]) -> Term:
    return Term(["sum", "r", hex(0), hex(s), ["mul", *body]])


def delta_hat_sums(x: Term, c: Counts, exp_epsilon: Term) -> Term:
    """Return (6) with the printed v_s as a term in x and e^eps."""
    m = c.n - c.n_x0
    first, second = kappa1(x, c.k), kappa2(x, c.k)
    r = {"ref": "r"}
    total: Term | None = None
    for s in range(c.n + 1):
        rest = ["sub", hex(s), r]
        power = ["pow", first.json, r]
        choose = ["binomial", hex(c.n_x0), r]
        full = _sum(c, s, [choose, ["binomial", hex(m), rest], power])
        top = _sum(c, s, [rest, choose, ["binomial", hex(m - 1), ["sub", rest, "0x1"]], power])
        tau = ["add", (second * m).json, ["mul", (x - second).json, rest]]
        weight = kappa3(x, c, s) / m * _sum(c, s, [choose, ["binomial", hex(m), rest], power, tau])
        exp_loss = second + (x - second) / m * top / full
        part = positive_part(1 - exp_epsilon / exp_loss) * weight
        total = part if total is None else total + part
    assert total is not None
    return total
