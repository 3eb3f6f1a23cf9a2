"""Mechanisms on random batches: how records are drawn, and what neighbors are."""
