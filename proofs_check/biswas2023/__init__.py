"""The trial of Biswas, Jung, Palamidessi 2023 (k-ary randomized response, shuffled).

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formulas, ``tables``
its numbers; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
