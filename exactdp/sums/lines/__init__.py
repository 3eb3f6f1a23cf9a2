"""Sums along a vertical line: M^n at points through the saddle point, which ``saddle`` chooses.

``contours`` sums in balls, where ``envelopes`` see that M falls; ``smoothed`` sums in doubles
over the recurrences of ``factors``, with proven bounds of their errors; ``together`` sums those of
hundreds of sums at once, for curves.
"""
