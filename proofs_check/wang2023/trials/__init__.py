"""The trials of the paper's claims: ``mixtures``, ``reduction``, ``parameters``, ``formulas``."""
