"""Cards: that a deployment is private, as a file that a program of the standard library re-checks.

    python -I -S proofs_check/kernel/check.py card.json

recomputes all of it in integers that round to the safe side (``proofs_check/kernel/cards.py``).
Here cards are written: what was deployed is read from a profile, and a grid is chosen on which the
claim holds. Nothing rests on the choice.
"""

from exactdp.cards.card import Card
from exactdp.cards.reading import read_card
from exactdp.cards.writing import certify, refute

__all__ = ["Card", "certify", "read_card", "refute"]
