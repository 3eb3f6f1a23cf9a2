"""The trial of Wang et al. 2023, "Privacy Amplification via Shuffling" (variation-ratio).

``catalog.toml`` says what the paper asserts; ``bounds`` holds its formula; ``trials`` puts
each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
