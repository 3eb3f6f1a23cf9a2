"""Pairs of counts: two laws of how often two letters arrive, and their certified δ."""

from exactdp.shuffle.counts.pairs import CountPair

__all__ = ["CountPair"]
