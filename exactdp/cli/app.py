"""The application: one line a command, errors as one line on standard error.

A command is a function, in a module of its own, that imports what it computes with
inside the function: ``--help`` and ``--version`` then load none of the mathematics.
To add a command, write ``exactdp/cli/NAME.py`` with a function NAME and add it to
:data:`COMMANDS`.

Exit codes: 0 done, 2 an error in what was asked, 3 a paper could not be read (all others were
gone on with); what 1 means is up to the command.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from exactdp import __version__
from exactdp.cli.audit import audit
from exactdp.cli.claims import claims
from exactdp.cli.fixtures import fixtures
from exactdp.cli.new_paper import new_paper
from exactdp.cli.solve import solve
from exactdp.cli.verify import verify
from exactdp.errors import TRIALS_NEED, ExactDPError

__all__ = ["COMMANDS", "app", "main"]

COMMANDS: tuple[Callable[..., Any], ...] = (audit, claims, fixtures, new_paper, solve, verify)

app = typer.Typer(
    name="exactdp",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for _command in COMMANDS:
    app.command()(_command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never returns, but exits with the command's code.

    Args:
        arguments: What follows the program's name; by default ``sys.argv[1:]``.
    """
    try:
        app(args=None if arguments is None else list(arguments), prog_name="exactdp")
    except ExactDPError as error:
        print("error:", " ".join(str(error).split()), file=sys.stderr)
        sys.exit(2)
    except ModuleNotFoundError as error:
        if error.name not in TRIALS_NEED:
            raise
        message = f"trials need {error.name}, which is not installed. Install exactdp[trials]."
        print("error:", message, file=sys.stderr)
        sys.exit(2)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the signature is typer's
    if wanted:
        print(f"exactdp {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Exact verification of differential privacy."""
