"""Mechanisms on random batches: how records are drawn, and the neighboring relation."""
