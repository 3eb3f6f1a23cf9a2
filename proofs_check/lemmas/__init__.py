"""Lemmas and constructions that several papers share, with ids and verdicts of their own.

``catalog.toml`` says what they assert; ``trials`` puts each on trial, and keeps its proof as
a value that a paper's proof can rest on; ``extremal`` lists the extremal private
randomizers and the worst adaptive sequences of few users.
"""

from __future__ import annotations

from collections.abc import Mapping

from exactdp.claims import Open, Statement, paper_of_package

__all__ = ["PAPER", "Trials"]

Trials = dict[str, Statement | Open | Mapping[str, Statement | Open]]
"""Claim id -> what to decide; by reading, if the print has several. A trial file fills it."""

PAPER = paper_of_package(__name__)
