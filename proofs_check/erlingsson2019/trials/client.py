"""Section 3: the client of Algorithm 1 and its privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from fractions import Fraction
from itertools import product
from typing import Any

from exactdp.certificates import Certificate, relation
from exactdp.claims import Effort, Instance, Open, Outcome, Proved, Statement
from exactdp.numbers import Epsilon
from exactdp.truth import Truth
from proofs_check.erlingsson2019.client import (
    ClientState,
    boolean_change_vectors,
    change_vectors,
    client_randomizer,
    sensitivity,
)
from proofs_check.erlingsson2019.tree import (
    levels,
)

__all__ = ["TRIALS"]


def _numbers(*relations: Any) -> Callable[[], Certificate]:
    return lambda: Certificate(conclusion=list(relations))


def _client_is_private(*, scale: Fraction = Fraction(1)) -> Statement:
    """The client's exact LDP epsilon is at most eps (the false variant: eps/4)."""

    def instances(effort: Effort) -> Iterator[Instance]:
        sizes = ((1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (4, 1), (4, 2))
        for d, k in sizes if effort is Effort.DEFAULT else (*sizes, (4, 3), (4, 4)):
            for x in (Fraction(2), Fraction(3, 2)):
                yield Instance.of(d=d, k=k, exp_half_epsilon=x)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        d, k, x = v["d"], v["k"], v["exp_half_epsilon"]
        inputs = tuple(change_vectors(d=d, k=k))
        exact = client_randomizer(inputs, k=k, epsilon=Epsilon.log(x * x)).ldp_epsilon()
        # exact <= scale * eps, as 4 * exact <= 4 * scale * (2 ln x)
        fine = 4 * exact <= int(8 * scale) * Epsilon.log(x)
        return Outcome(Truth.of(fine), f"e^epsilon of the client is {exact.exp}, e^eps is {x * x}")

    def proof() -> Proved | None:
        import sympy

        y = sympy.symbols("y", positive=True)
        # At fixed kappa*, h*: mass 2^-H (1 + s/c), s in {-1, 0, 1}, c = (y+1)/(y-1), y = e^(eps/2).
        if sympy.simplify((1 + (y - 1) / (y + 1)) / (1 - (y - 1) / (y + 1)) - y) != 0:
            return None
        return Proved(
            "all d, k, eps > 0 and all inputs in {-1,0,1}^d",
            "at fixed (kappa*, h*), independent of the input, a mass is 2^-H (1 + s/c), |s| <= 1, "
            "and (1 + 1/c)/(1 - 1/c) = e^(eps/2): even (eps/2)-LDP",
        )

    return Statement(
        instances=instances,
        holds=holds,
        proof=proof if scale == 1 else None,
        false_variant=_client_is_private(scale=Fraction(1, 4)) if scale == 1 else None,
    )


def _sensitivity(*, boolean: bool) -> Statement:
    """For fixed kappa*, h*: at most two nodes change, each by at most one."""

    def instances(effort: Effort) -> Iterator[Instance]:
        for depth, k in product(range(3 if effort is Effort.DEFAULT else 4), (1, 2, 3)):
            for kappa in range(1, k + 1):
                for h in levels(2**depth):
                    yield Instance.of(d=2**depth, k=k, kappa_star=kappa, h_star=h)

    def holds(at: Instance) -> Outcome:
        v: Mapping[str, Any] = at.mapping()
        family = boolean_change_vectors if boolean else change_vectors
        inputs = tuple(family(d=v["d"], k=v["k"]))
        changed, by = sensitivity(inputs, kappa_star=v["kappa_star"], h_star=v["h_star"])
        return Outcome(
            Truth.of(changed <= 2 and by <= 1),
            f"{changed} nodes change, by up to {by}",
            _numbers(relation(">", by, 1)),
        )

    return Statement(
        instances=instances,
        holds=holds,
        complete="d = 1, 2, 4, k = 1, 2, 3, all boolean inputs (the kappa*-th change has the sign "
        "(-1)^(kappa*-1) in every input)"
        if boolean
        else None,
        false_variant=_sensitivity(boolean=False) if boolean else None,
    )


def _client_state(*, printed: int = 4) -> Statement:
    """The client keeps this many integers: those of the state that steps 6-20 update."""

    def holds(at: Instance) -> Outcome:
        kept = [field.name for field in fields(ClientState)]
        return Outcome(Truth.of(len(kept) == printed), f"kept: {', '.join(kept)}")

    return Statement(
        instances=lambda effort: [Instance.of(printed=printed)],
        holds=holds,
        complete="the state of Algorithm 1 as it runs here, line by line",
        false_variant=_client_state(printed=3) if printed == 4 else None,
    )


TRIALS: dict[str, dict[str, Statement | Open]] = {
    "erlingsson2019/abstract/polylog-in-changes": {
        "": Open(
            "privacy cost at what error is not stated: the epsilon of Algorithm 1 does not depend "
            "on k at all, while at fixed error epsilon must grow in proportion to k"
        )
    },
    "erlingsson2019/section-3/power-of-two": {
        "": Open("a remark on how to pad the horizon, not a statement with instances")
    },
    "erlingsson2019/theorem-5": {"": _client_is_private()},
    "erlingsson2019/theorem-5/proof/sensitivity": {
        "a": _sensitivity(boolean=False),
        "b": _sensitivity(boolean=True),
    },
    "erlingsson2019/section-3/client-state": {"": _client_state()},
}
