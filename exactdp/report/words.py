"""The words of a report: the meaning and the sign of each verdict, and the kinds of refutations.

A status is a word and a sign, never a color alone; ``survived`` is not a success.

Definitions: :data:`SIGNS`, :data:`MEANING`, :data:`FALLS`, :data:`HOW`, :func:`label`,
:data:`IN_DOUBLES`, :func:`fallen`, :func:`falls_in_words`, :func:`doubles_in_words`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from exactdp.audit.tally import Tally, tally
from exactdp.report.reading import Reading, ReportedClaim, ReportedPaper

__all__ = ["FALLS", "HOW", "IN_DOUBLES", "MEANING", "SIGNS", "doubles_in_words", "fallen"]
__all__ += ["falls_in_words", "label"]

SIGNS = {
    "refuted": "✗",
    "depends": "◐",
    "undecided": "?",
    "unspecified": "…",
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
    "unspecified": "the print fixes too little: what is missing, and how the verdict depends on it",
    "survived": "no failure was found, and no proof: this is not a success",
    "argued": "holds by an argument whose steps, or their joint, are in words: this is not a proof",
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

IN_DOUBLES = {
    "nan or negative": "the formula in doubles is not a number, or is below 0 where it is positive",
    "overflow": "a number on the way is beyond the doubles: infinite, an error, or too small",
    "cancellation": "more than 10^-12 of the formula is lost, on the wrong side",
    "rounding": "less than that is lost, on the wrong side",
    "holds": "no double was found on the wrong side of the formula",
    "undecided": "the trial took too long",
}
"""What happens to a published bound in doubles; the worst comes first."""

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
    """Return the tally of papers."""
    return tally(row for paper in papers for claim in paper.claims for row in claim.rows)


def falls_in_words(paper: ReportedPaper) -> str:
    """Return one sentence on the refuted claims of a paper.

    Example:
        >>> falls_in_words(ReportedPaper("nobody2000", "", ()))
        'No claim of the source is refuted.'
    """
    line = fallen([paper]).line
    back = sum(bool(claim.withdrawn) for claim in paper.claims)
    return f"{line[0].upper()}{line[1:]}." + (
        f" The authors have withdrawn {back} of the claims themselves." if back else ""
    )


def doubles_in_words(paper: ReportedPaper) -> str:
    """Return how many of a paper's published bounds have which word in doubles.

    Example:
        >>> doubles_in_words(ReportedPaper("nobody2000", "", ()))
        ''
    """
    counts = Counter(one.word for _, one in paper.in_doubles)
    return ", ".join(f"{counts[word]} {word}" for word in IN_DOUBLES if counts[word])
