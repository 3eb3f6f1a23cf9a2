"""Wang et al. 2024: segmented private aggregation in the multi-message shuffle model.

``catalog.toml`` says what the paper asserts. ``bounds`` holds the paper's formulas;
``protocol`` the law of what Algorithm 2 sends; ``parameters`` the server's choice of m and
the λ_k; ``utility`` the counts and estimates; ``competitors`` what the paper compares with;
``simulation`` Algorithm 2 as code that runs, at the scale of the experiments.
``trials`` puts each claim on trial. Verdicts are what an audit finds.
"""

from exactdp.claims import paper_of_package

PAPER = paper_of_package(__name__)
