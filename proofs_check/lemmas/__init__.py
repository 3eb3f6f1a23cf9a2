"""Lemmas and constructions that several papers share, with ids and verdicts of their own.

``catalog.toml`` says what they assert; ``trials`` puts each on trial, and keeps its proof as
a value that a paper's proof can rest on; ``extremal`` lists the extremal private
randomizers and the worst adaptive sequences of few users.
"""

from exactdp.claims import paper_of_package

__all__ = ["PAPER"]

PAPER = paper_of_package(__name__)
