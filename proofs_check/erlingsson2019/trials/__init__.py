"""The trials of the paper's claims, by topic."""
