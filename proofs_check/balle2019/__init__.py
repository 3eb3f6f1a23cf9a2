"""The trial of Balle, Bell, Gascon, Nissim 2019, "The Privacy Blanket of the Shuffle Model".

``catalog.toml`` says what the paper asserts of amplification by shuffling; ``bounds`` holds
its formulas; ``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
