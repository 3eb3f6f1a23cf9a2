"""The options on where jobs run, which audit, compare and fixtures share."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from exactdp.cli.numeric import whole
from exactdp.errors import ParseError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from exactdp.execution import Place, Store

__all__ = ["Dask", "Programs", "Pythons", "Resume", "Workers", "executor_of", "store_of"]

Workers = Annotated[
    int | None, typer.Option(help="Processes; by default one a processor.", **whole(1))
]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on the cluster of this Dask scheduler instead."),
]
Pythons = Annotated[
    list[str] | None,
    typer.Option("--python", metavar="LIBRARY=PATH", help="The interpreter that has a library."),
]
Programs = Annotated[
    list[str] | None,
    typer.Option(
        "--program", metavar="NAME=FOLDER", help="The folder of a program that is not a package."
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume/--no-resume", help="Go on where a stopped run for --out was.")
]


def executor_of(dask: str | None, workers: int | None) -> AbstractContextManager[Executor | None]:
    """Return a context of the executor asked for; None for processes of this machine.

    Raises:
        ParseError: If both are asked for.
        DomainError: If there is no such cluster.
    """
    from exactdp.execution import cluster

    if dask is None:
        return nullcontext()
    if workers is not None:
        raise ParseError("--workers are of this machine, --dask is others. Give one of the two.")
    return cluster(dask)


def store_of(place: Place | None, *, resume: bool) -> Store | None:
    """Return the store of a run's results until its place is written; None without one."""
    from exactdp.execution import Store

    return None if place is None else Store(place.store, resume=resume)
