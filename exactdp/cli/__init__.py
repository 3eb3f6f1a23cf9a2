"""The command line: parsing and printing only."""

from exactdp.cli.app import main

__all__ = ["main"]
