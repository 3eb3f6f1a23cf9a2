"""The quantities that ``export coq-meanings`` compares in Coq, and those that it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from exactdp.cli.tables import one_line
from exactdp.errors import DomainError

if TYPE_CHECKING:
    from exactdp.claims import Statement
    from exactdp.claims.quantities import Notion

__all__ = ["Quantities", "Written"]

Written = Iterator[tuple[str, str, Callable[[], str]]]
"""What is to be written: its name for a reader, that of its file, and how its text is made."""


@dataclass
class Quantities:
    """The quantities of the claims that are theorems of Coq.

    Attributes:
        compared: The quantities with a comparison of their two meanings.
        reasons: All of them, with the last reason for which one is not compared.
        taken: What is assumed of an instance and not shown, with the claim.
        outside: The claims with an instance outside of their domain, as theirs are too large.
    """

    compared: set[Notion] = field(default_factory=set)
    reasons: dict[Notion, str] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def files(self, names: Sequence[str]) -> Written:
        """Yield the readings that are theorems of Coq and have quantities."""
        from exactdp.audit import certificate_name
        from exactdp.claims import Statement, select
        from exactdp.coq.statements import coq_sides
        from proofs_check.lemmas.theorems import theorem_of

        for _, claims in select(names).chosen:
            for claim in claims:
                for key, stated in claim.readings.items():
                    if not isinstance(stated, Statement) or theorem_of(stated) is None:
                        continue
                    found: frozenset[Notion] | None = frozenset()
                    try:
                        found = frozenset().union(*coq_sides(stated).notions)
                    except DomainError:  # which is told where its file is made
                        found = None
                    if found is None or found:
                        name = certificate_name(claim.id, key).removesuffix(".json")
                        yield name, name, partial(self._file, name, stated, found or frozenset())

    def _file(self, name: str, stated: Statement, found: frozenset[Notion]) -> str:
        from exactdp.coq.meanings import OUTSIDE, meanings_file, not_shown
        from proofs_check.lemmas.theorems import outside_of, preamble, theorem_of

        theorem = theorem_of(stated)
        assert theorem is not None
        try:
            text = meanings_file(name, stated, theorem, preamble(theorem), outside_of(theorem))
        except DomainError as error:
            self.reasons |= dict.fromkeys(found, f"{name}: {one_line(str(error))}")
            raise
        self.reasons |= dict.fromkeys(found, "")
        self.compared |= found
        if OUTSIDE in text:
            self.outside.append(name)
        else:
            self.taken += [f"{name}: {assumed}" for assumed in not_shown(stated)]
        return text

    def libraries(self) -> list[str]:
        """Return the files of the theory, in the order in which Coq compiles them."""
        from proofs_check.lemmas.theorems import FILES

        return [*FILES]

    def report(self) -> None:
        """Print how many are compared, where, the others with the reason, and the rest."""
        for assumed in self.taken:
            print(f"not shown of the instance: {assumed}")
        for name in self.outside:
            print(f"compared outside of the domain, whose instances are too large: {name}")
        for notion, reason in self.reasons.items():
            if notion not in self.compared:
                print(f"not compared: {notion.name}, {one_line(notion.coq)}: {reason}")
        if self.reasons:
            print(f"{len(self.compared)} of {len(self.reasons)} quantities compared")
