"""The exact view of the analyzer of a shuffled protocol, and its worst case."""
