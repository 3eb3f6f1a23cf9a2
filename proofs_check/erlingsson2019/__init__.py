"""The trial of Erlingsson, Feldman, Mironov, Raghunathan, Talwar, Thakurta 2019.

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formulas; ``tree``,
``client`` and ``server`` its algorithms of Section 3; ``swaps`` the steps of Algorithm 5;
``quantities`` what claims about Section 3 are made of; ``trials`` puts each claim on trial.
Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
