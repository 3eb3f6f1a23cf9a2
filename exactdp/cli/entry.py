"""The entry: commands need packages that numbers do not, and say so."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never returns, but exits with the command's code.

    Args:
        arguments: What follows the program's name; by default ``sys.argv[1:]``.
    """
    # Most of what a command makes stays: who looks for garbage in it less often is sooner done.
    gc.set_threshold(50_000, 20)
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
