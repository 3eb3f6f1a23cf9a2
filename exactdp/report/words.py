"""The words of a report: what a verdict means, its sign, and what falls.

A status is a word and a sign, never a color alone; ``survived`` is no success.

Definitions: :data:`SIGNS`, :data:`MEANING`, :data:`FALLS`, :data:`HOW`, :func:`label`,
:func:`fallen`, :func:`falls_in_words`.
"""

from __future__ import annotations

from collections.abc import Iterable

from exactdp.audit.tally import Tally, tally
from exactdp.report.reading import Reading, ReportedClaim, ReportedPaper

__all__ = ["FALLS", "HOW", "MEANING", "SIGNS", "fallen", "falls_in_words", "label"]

SIGNS = {
    "refuted": "✗",
    "depends": "◐",
    "undecided": "?",
    "survived": "○",
    "argued": "∴",
    "proved": "∎",
    "absent": "–",
    "error": "!",
}

MEANING = {
    "refuted": "fails at a witness that meets every hypothesis",
    "depends": "its readings have different verdicts",
    "undecided": "neither side was established; the reason is given",
    "survived": "no failure was found, and no proof: this is not a success",
    "argued": "holds by an argument whose steps, or their joint, are in words: this is no proof",
    "proved": "holds on the stated domain; a machine checked the claim itself",
    "absent": "not tried: the library is not installed here, and no verdict is kept",
    "error": "the trial itself raised an error: it says nothing of the claim",
}

FALLS = {
    "result": "a bound, a theorem, a table or a promise",
    "step": "a step or a lemma; the result stands",
    "remark": "a sentence that nothing rests on",
    "misprint": "another text was evidently meant, and it holds",
    "rounding": "less than 1e-9 of the number, or the documented tolerance of a search, is lost",
}

HOW = {
    "kernel": "checked by the kernel",
    "engine": "checked by the engine",
    "coq": "Coq",
    "words": "in words",
    "claim": "by claim",
}
"""How a step of a proof is established."""


def label(claim: ReportedClaim, reading: Reading) -> str:
    """Return a short name: the id without the paper, and the reading."""
    name = claim.id.partition("/")[2]
    return f"{name} ({reading.key})" if reading.key else name


def fallen(papers: Iterable[ReportedPaper]) -> Tally:
    """Return what falls in papers."""
    return tally(row for paper in papers for claim in paper.claims for row in claim.rows)


def falls_in_words(paper: ReportedPaper) -> str:
    """Return one sentence on what falls in a paper.

    Example:
        >>> falls_in_words(ReportedPaper("nobody2000", "", ()))
        'Nothing that somebody claims falls.'
    """
    line = fallen([paper]).line
    back = sum(bool(claim.withdrawn) for claim in paper.claims)
    return f"{line[0].upper()}{line[1:]}." + (
        f" The authors have withdrawn {back} of the claims themselves." if back else ""
    )
