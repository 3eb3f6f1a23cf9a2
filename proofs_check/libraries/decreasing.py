"""Numbers of a library that are to be probabilities, and none above one before it.

Definitions: :class:`Decreasing`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

from exactdp.claims import (
    Cases,
    Effort,
    Falls,
    Instance,
    Outcome,
    Said,
    Statement,
    at_least,
    at_most,
    decided,
)
from exactdp.claims.calls import called
from exactdp.truth import Truth
from proofs_check.libraries.asked import reply
from proofs_check.libraries.promises import read

__all__ = ["Decreasing"]


@dataclass(frozen=True)
class Decreasing:
    """Several numbers of a library that are to be in [0, 1], and none above one before it.

    Attributes:
        library: As pip calls it.
        imports: The lines that the calls need.
        call: The fields of an instance to the expression of the list.
        over: The instances' fields.
        draws: How many a search beyond the list draws.
    """

    library: str
    imports: str
    call: Callable[..., str]
    over: Cases
    draws: int = 60

    def statement(self) -> Statement:
        """Return the statement; that all are below the first one's half is seen to be false."""
        return Statement(
            instances=self.instances,
            holds=self.decided,
            strategy=self._drawn if self.over.is_drawn else None,
            draws=self.draws,
            false_variant=Statement(
                instances=self.instances, holds=partial(self.decided, most=Fraction(1, 1000))
            ),
            falls=Falls.RESULT,
            read=read,
        )

    def instances(self, effort: Effort) -> Iterator[Instance]:
        """Return the deployments with the library's answers."""
        return map(self._answered, self.over.instances(effort))

    def _drawn(self) -> Any:
        return self.over.drawn_instances().map(self._answered)

    def _answered(self, at: Instance) -> Instance:
        said = reply(self.library, self.imports, called(self.call, at.mapping()))
        answer = f"({said.failure})" if said.failure else said.values
        return Instance((*at.values, ("answer", answer)))

    def decided(self, at: Instance, *, most: Fraction = Fraction(1)) -> Outcome:
        """Decide the promise at an instance."""
        answer = at["answer"]
        if isinstance(answer, str):  # a refusal breaks no promise; no answer says nothing
            truth = Truth.TRUE if answer.startswith("(raised ") else Truth.UNKNOWN
            return decided(truth, f"no numbers {answer}")
        assert isinstance(answer, tuple)
        if any(not math.isfinite(x) for x in answer):
            return decided(Truth.FALSE, f"no numbers: {answer}")
        numbers = list(map(Fraction, answer))
        relations = [at_least(numbers[-1], 0), at_most(numbers[0], most)]
        relations += [at_least(x, y) for x, y in pairwise(numbers)]
        return Said(relations).outcome()
