"""The truth: what the analyzer of a shuffled protocol sees, and its worst case."""
