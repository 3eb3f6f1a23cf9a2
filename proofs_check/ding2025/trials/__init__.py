"""The trials of the paper's claims: its sections, Lemmas 5, 6 and 1, its appendix's example."""
