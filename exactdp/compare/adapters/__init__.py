"""Adapters, one file a library: the expressions that ask it. None imports its library."""
