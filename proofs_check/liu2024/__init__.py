"""The trial of Liu, Liu, Xiong, Gu, Chen 2024.

``catalog.toml`` says what the paper asserts; ``randomizers`` holds its sets and probabilities
for finite randomizers, ``theorems`` its theorems, both as terms; ``noise`` the same for Laplace
and Gaussian noise; ``bounds`` its formulas, ``curves`` their values for many users; ``truth``
what the analyzer sees; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
