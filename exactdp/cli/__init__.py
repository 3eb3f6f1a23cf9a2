"""The command line: parsing and printing only."""

from exactdp.cli.entry import main

__all__ = ["main"]
