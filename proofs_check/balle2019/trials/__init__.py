"""The trials of the paper's claims: ``blanket``, ``amplification``, ``closed_forms``, ``k_rr``."""
