"""The rule ``identity`` of a proof as a theorem of Coq: two rational functions are the same.

The theorem says it, as the kernel does, of all real numbers at which nothing that is divided by is
0. The tactic ``same_functions`` of ``Language.v`` proves it: a power stands for itself there, so
both sides must have the same ones.

Definitions: :func:`identity_theorems`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from exactdp.coq.terms import Terms, bare, in_coq

__all__ = ["identity_theorems"]


def identity_theorems(steps: list[dict[str, Any]], terms: Terms) -> list[str]:
    """Return a theorem for each equation of steps by ``identity``, with its proof.

    Args:
        steps: The steps, as FORMAT.md has them.
        terms: The definitions that they may use.
    """
    theorems: list[str] = []
    for step in steps:
        names = [terms.new(name) for name in step["variables"]]
        terms.variables += names
        binders = f"forall {' '.join(map(in_coq, names))} : R,"
        for left, right in step["equal"]:
            divisors = dict.fromkeys(terms.term(x).said for x in _divisors([left, right]))
            given = "".join(f"\n  {bare(x)} <> 0 ->" for x in divisors)
            said = f"{bare(terms.term(left).said)} =\n  {bare(terms.term(right).said)}"
            name = f"identity_{len(theorems) + 1}"
            theorems.append(
                f"\nTheorem {name} : {binders}{given}\n  {said}.\nProof. same_functions. Qed."
            )
        del terms.variables[-len(names) :]
    return theorems


def _divisors(part: Any) -> Iterator[Any]:
    """Yield the divisors of a term, but for numbers."""
    if isinstance(part, list):
        if part[0] == "div" and not isinstance(part[2], str):
            yield part[2]
        for inner in part:
            yield from _divisors(inner)
