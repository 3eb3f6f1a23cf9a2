"""The entry: commands need packages that numbers do not, and say so."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never returns, but exits with the command's code.

    Args:
        arguments: What follows the program's name; by default ``sys.argv[1:]``.
    """
    try:
        from exactdp.cli.app import main as run
    except ModuleNotFoundError as error:
        if (error.name or "exactdp").startswith("exactdp"):
            raise
        print(
            f"error: commands need {error.name}, which is not installed. Install exactdp[cli].",
            file=sys.stderr,
        )
        sys.exit(2)
    run(arguments)
