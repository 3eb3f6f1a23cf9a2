"""The trials of the paper's claims: Section 3, Theorem 2, Section 4, and the repairs."""
