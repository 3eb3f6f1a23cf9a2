"""The trial of Feldman, McMillan, Talwar 2021, "Hiding among the Clones".

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formula; ``trials`` puts
each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
