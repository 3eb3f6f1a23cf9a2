"""Reductions of a view to pairs of counts: mixtures, letters, and when they hide the victim."""
