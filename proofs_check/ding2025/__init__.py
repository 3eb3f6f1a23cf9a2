"""The trial of Ding, Lu, Yang, Zhang 2025, "Multi-user Pufferfish Privacy".

``catalog.toml`` says what the paper asserts, ``repairs.toml`` what mends it; ``bounds`` holds
its scales of noise, ``printed`` its tables. ``law`` has the laws of reports, ``couplings`` their
transport plans, ``line`` what the paper computes from two of them, as terms; ``systems`` and
``bernoulli_user`` have the users that the trials search over, ``steps`` the inequalities that
proofs share. ``trials`` follows the paper's sections. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
