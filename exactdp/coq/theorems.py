"""Theorems of ``proofs_check/coq`` as grounds of proofs: the shipped files state and prove them.

The text alone is compared here: the shipped file states this, and proves it with ``Qed``. That
Coq accepts it, with no axiom but those of the real numbers, is checked where Coq is.

Definitions: :class:`IsTheorem`, :class:`Cited`, :func:`stated`, :func:`told_before`,
:func:`is_shipped`, :func:`shipped_folder`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from exactdp.claims.proofs import Ground, Proof
from exactdp.coq.instances import too_few_tell
from exactdp.coq.statements import coq_sides, coq_statement
from exactdp.errors import ParseError

__all__ = ["Cited", "IsTheorem", "is_shipped", "shipped_folder", "stated", "told_before"]

_THEOREM = re.compile(
    r"\bTheorem (\w+)\b(.*?)\.\s+Proof\.(.*?)\b(Qed|Admitted|Abort|Defined)\.", re.S
)


@lru_cache(maxsize=1)
def _all_stated() -> dict[str, str]:
    folder = shipped_folder() / "coq"
    files = sorted(x.name for x in folder.iterdir() if x.name.endswith(".v"))
    found = (x for file in files for x in _THEOREM.findall((folder / file).read_text("utf-8")))
    return {
        name: " ".join(says.split())
        for name, says, proof, end in found
        if end == "Qed" and not re.search(r"\b(admit|give_up)\b", proof)
    }


def stated(name: str) -> str | None:
    """Return the statement of a theorem that the shipped files prove; None if none does.

    Example:
        >>> stated("merged_view").split(" : ")[0], stated("no_such_theorem")
        ('h j k users (f', None)
    """
    return _all_stated().get(name)


@dataclass(frozen=True, eq=False, slots=True)
class IsTheorem(Ground):
    """A claim is a theorem: its own form, exported, word for word."""

    rests = "coq"

    statement: Any
    name: str
    outside: Mapping[str, Any] | None = None
    """Values outside of the claim's domain, where both meanings are compared, too."""
    is_told: bool = field(default=False, init=False)
    """Whether instances that tell the meanings apart are known, and not looked for."""

    def refusal(self) -> str:
        """Return "" where the shipped theorem states the claim, in words that are compared."""
        return _refusal(self)


@dataclass(frozen=True, eq=False, slots=True)
class Cited(Ground):
    """A step is an instance of a theorem with this statement."""

    rests = "coq"

    name: str
    says: str
    statement: None = None

    def refusal(self) -> str:
        """Return "" where the shipped theorem has this statement."""
        same = stated(self.name) == " ".join(self.says.split())
        return "" if same else f"proofs_check/coq proves no theorem {self.name} of this statement"


@lru_cache(maxsize=1024)
def _refusal(ground: IsTheorem) -> str:
    """Return why the shipped theorem does not state the claim, in words that are compared."""
    sides = coq_sides(ground.statement)
    for notion in frozenset().union(*sides.notions):
        if not (is_shipped(notion.compute) and _is_own(notion.made_in)):
            return (
                f"the quantity {notion.name} is not of proofs_check, whose quantities are "
                "compared with what they are in Coq"
            )
    found = stated(ground.name)
    if found is None:
        return f"proofs_check/coq proves no theorem {ground.name}"
    if found != coq_statement(ground.statement):
        return f"{ground.name} says something else"
    return "" if ground.is_told else too_few_tell(ground.statement, ground.outside)


def told_before(proof: Proof) -> Proof:
    """Return a proof whose theorems are compared, word for word, without telling instances.

    These are looked for where a proof is new; they are the same for the same claim.
    """
    return Proof(tuple(replace(step, ground=_told(step.ground)) for step in proof.steps))


def _told(ground: Ground | None) -> Ground | None:
    if not isinstance(ground, IsTheorem):
        return ground
    told = replace(ground)
    object.__setattr__(told, "is_told", True)
    return told


def is_shipped(compute: Callable[..., Any]) -> bool:
    """Return whether a quantity is computed by code that is shipped with the theorems.

    What wraps such code, or is wrapped by it, may compute anything: it must be shipped, too.
    """
    while isinstance(compute, partial):
        compute = compute.func
    inner = getattr(compute, "__wrapped__", None)
    code = getattr(compute, "__code__", None)
    is_cache = code is None and inner is not None  # Python's own, which has no code
    is_own = is_cache or (code is not None and _is_own(code.co_filename))
    return is_own and (inner is None or is_shipped(inner))


@lru_cache(maxsize=1024)
def _is_own(file: str) -> bool:
    """Return whether a file is shipped with the theorems, or is this library's."""
    own = (shipped_folder(), Path(str(resources.files("exactdp"))).absolute())
    return any(Path(file).is_relative_to(x) for x in own)


@lru_cache(maxsize=1)
def shipped_folder() -> Path:
    """Return the folder of the papers that are shipped, with the theory in ``coq``."""
    spec = find_spec("proofs_check.lemmas")
    if spec is None or spec.origin is None:
        raise ParseError("proofs_check has no lemmas. Install exactdp again.")
    return Path(spec.origin).absolute().parents[1]
