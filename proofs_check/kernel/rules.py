"""Steps of proofs: each is read, checked by its rule, and printed as its result."""

from collections.abc import Callable, Mapping

from . import proofs, text
from .claimed import claim
from .results import require
from .terms import Evaluator
from .text import Json

FORMAT = "exactdp-proof/1"
NOTE = "each step was checked by itself; whether they give the claim was not"
LAST = "the statement is the last line, which was checked by itself"


def step(k: Evaluator, value: Json) -> str:
    """Check a step, and return its result in words."""
    head = value.get("rule") if isinstance(value, dict) else None
    require(head in tuple(RULES), lambda: f"{text.quoted(head)} is not a rule")
    rule, parts = RULES[str(head)]
    text.label(text.keys(value, f"a step by {head}", f"text rule {parts}")["text"], "text")
    if head == "claim" and NOTE not in k.notes:
        k.notes[LAST] = None
    else:
        k.notes.pop(LAST, None)
        k.notes[NOTE] = None
    return f"({head}) {rule(k, *(value[part] for part in parts.split()))}"


# Each rule: its function, and the parts of a step that it takes.
RULES: Mapping[str, tuple[Callable[..., str], str]] = {
    "identity": (proofs.identity, "variables equal"),
    "nonnegative": (proofs.nonnegative, "variables terms"),
    "follows": (proofs.follows, "variables conclusion sum"),
    "orders": (proofs.orders, "variables given terms"),
    "every": (proofs.every, "variables relations"),
    "claim": (claim, "variables given relations reasons"),
}
