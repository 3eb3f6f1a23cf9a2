"""The trials of the paper's claims: ``reduction``, ``sequences``."""
