"""Other machines for the jobs of a run: a Dask cluster, by the address of its scheduler."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from exactdp.errors import DomainError

__all__ = ["cluster"]

_SECONDS = 4
"""The seconds after which an address without an answer is given up."""


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """Yield the executor of a Dask cluster.

    Its machines need the same exactdp, papers and Python.

    Args:
        address: The address of the cluster's scheduler, as it prints it.

    Raises:
        DomainError: If dask.distributed is not installed, or nobody answers.
    """
    import asyncio

    try:
        from distributed import Client, Security
        from distributed.comm import connect
    except ModuleNotFoundError as error:
        raise DomainError(
            f"--dask needs {error.name}, which is not installed. Install exactdp[cluster]."
        ) from None
    for name in [name for name in logging.root.manager.loggerDict if "distributed" in name]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are one line here

    async def greet() -> None:
        # A client that finds no scheduler would hang at its end.
        ways = Security().get_connection_args("client")
        (await connect(address, timeout=_SECONDS, **ways)).abort()

    try:
        asyncio.run(greet())
    except Exception as error:  # whatever the answer of another server sets off
        said = " ".join(str(error).split()) or type(error).__name__
        raise DomainError(
            f"--dask={address!a} is not a scheduler: {said}. Give the address that "
            "`dask scheduler` prints, such as tcp://127.0.0.1:8786."
        ) from None
    with Client(address, timeout=_SECONDS, set_as_default=False) as client:
        if not client.nthreads():
            print("note: the cluster has no workers yet; the run waits", file=sys.stderr)
        yield client.get_executor(pure=False)
