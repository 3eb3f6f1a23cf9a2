"""The trials of the lemmas."""
