"""The syntax trees of sources, for the rules of this folder."""

import ast
from functools import lru_cache

__all__ = ["tree"]


@lru_cache(maxsize=64)
def tree(path):
    """Return the syntax tree of a file; what is asked of one folder comes in a row."""
    return ast.parse(path.read_text(encoding="utf-8"))
