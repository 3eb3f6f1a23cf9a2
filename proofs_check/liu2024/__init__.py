"""The trial of Liu, Liu, Xiong, Gu, Chen 2024.

``catalog.toml`` says what the paper asserts; ``randomizers`` holds its sets and probabilities
for finite randomizers, ``theorems`` its theorems, both as terms; ``noise`` the same for Laplace
and Gaussian noise; ``bounds`` its formulas, ``curves`` their values for many users; ``truth``
what the analyzer sees; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from __future__ import annotations

from exactdp.claims import paper_of_package

__all__ = ["PAPER"]

PAPER = paper_of_package(
    __name__,
    repairs={
        "liu2024/equation-2": "liu2024/repair/equation-2",
        "liu2024/equation-3": "liu2024/equation-1",
        "liu2024/equation-4": "liu2024/repair/equation-4",
        "liu2024/theorem-1/approximate-term": "liu2024/repair/approximate-term",
        "liu2024/equation-5": "liu2024/repair/equation-5",
        "liu2024/theorem-1": "liu2024/repair/theorem-2",
        "liu2024/theorem-2": "liu2024/repair/theorem-2",
        "liu2024/theorem-2/t_epsilon": "liu2024/repair/t_epsilon",
        "liu2024/theorem-2/l": "liu2024/repair/t_epsilon",
    },
)
