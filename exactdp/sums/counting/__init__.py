"""Sums count by count: how often each value is met.

``counted`` adds over the counts of few values; ``trials`` has positive parts of sums of two
values, ``laplaces`` copies of one Laplace mechanism; ``letters`` has sums of three values, from
their ``terms`` in machine numbers (``floats``) or in balls (``balls``); ``tails`` has those of
binomial laws.
"""
