"""The published variants of the sparse vector technique on trial.

``catalog.toml`` says of each variant that it is ε-differentially private, with the scales that
its programs have; ``variants`` has these as exact laws, ``trials`` tries them. Verdicts are what an
audit finds.
"""

from exactdp.claims import paper_of_package

__all__ = ["PAPER"]

PAPER = paper_of_package(__name__)
