"""Doubles that propose where balls decide: nothing rests on it."""
