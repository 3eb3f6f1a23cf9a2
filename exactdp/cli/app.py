"""The application: one line a command, errors as one line on standard error.

A command is a function, in a module of its own, that imports what it computes with
inside the function: ``--help`` and ``--version`` then load none of the mathematics, and a
command loads no other. To add one, write ``exactdp/cli/NAME.py`` with a function NAME and add
its name to :data:`GROUPS`.

Exit codes: 0 done, 2 an error in what was asked, 3 a paper could not be read (all others were
gone on with); what 1 means is up to the command.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from exactdp import __version__
from exactdp.cli.tables import one_line
from exactdp.errors import TRIALS_NEED, ExactDPError

__all__ = ["GROUPS", "application", "command", "main"]

GROUPS: dict[str, tuple[str, ...]] = {
    "Ask": ("solve", "plot", "bound", "bounds"),
    "Judge": ("audit", "show", "claims", "one-run", "audit-counts", "new-paper"),
    "Libraries": ("compare", "fixtures"),
    "Evidence": ("certify", "verify", "registry", "report", "export"),
}
"""The names of the commands as the help groups them, those for the main jobs first."""

_NAMES = [name for group in GROUPS.values() for name in group]

_UsageError: Any = typer.BadParameter.__base__
"""What a wrong command line is, by the only name that typer gives it."""


class _InGroups(TyperGroup):
    """The application, whose help lists the commands by group."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group with its commands, one line each."""
        width = formatter.width - 6 - max(map(len, self.commands))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(name, self.commands[name].get_short_help_str(width)) for name in group]
                )


def command(name: str) -> Callable[..., Any]:
    """Return the function of a command.

    Example:
        >>> command("new-paper").__name__
        'new_paper'
    """
    file = name.replace("-", "_")
    found: Callable[..., Any] = getattr(import_module(f"exactdp.cli.{file}"), file)
    return found


def application(names: Sequence[str] = _NAMES) -> typer.Typer:
    """Return the application, of all commands or of some."""
    app = typer.Typer(
        name="exactdp",
        cls=_InGroups,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    for name in names:
        app.command()(command(name))
    app.callback()(_options)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; never returns, but exits with the command's code.

    Args:
        arguments: What follows the program's name; by default ``sys.argv[1:]``.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="exactdp")
    given = sys.argv[1:] if arguments is None else list(arguments)
    is_one = bool({*given[:1]} & {*_NAMES}) and "_EXACTDP_COMPLETE" not in os.environ
    try:
        code = application(given[:1] if is_one else _NAMES)(
            args=given,
            prog_name="exactdp",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except _UsageError as error:
        message = error.format_message()
        if not given:  # what is shown is the help
            error.show()
            sys.exit(2)
    except ExactDPError as error:
        message = str(error)
    except ModuleNotFoundError as error:
        if error.name not in TRIALS_NEED:
            raise
        message = f"trials need {error.name}, which is not installed. Install exactdp[trials]."
    except OSError as error:
        name = "the output" if error.filename is None else repr(error.filename)
        message = f"{name} cannot be written: {error.strerror}. Write it elsewhere."
        # What is left of it would be tried again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    else:
        sys.exit(code or 0)
    print("error:", one_line(message), file=sys.stderr)
    sys.exit(2)


def _as_in_json(error: UnicodeError) -> tuple[str, int]:
    r"""Write characters that an encoding lacks as \uXXXX: in JSON the same text."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return json.dumps(text)[1:-1], error.end


codecs.register_error("exactdp", _as_in_json)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 - the signature is typer's
    if wanted:
        print(f"exactdp {__version__}")
        raise typer.Exit


def _options(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Exact verification of differential privacy."""
