"""The command ``export``: certificates as files for another checker."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from exactdp.cli.files import content
from exactdp.cli.tables import one_line
from exactdp.errors import ParseError

__all__ = ["export"]


class Target(Enum):
    """The checkers that certificates can be written for."""

    COQ = "coq"


def export(
    target: Annotated[Target, typer.Argument(metavar="coq", help="The other checker.")],
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Certificates.")],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
) -> None:
    """Write certificates for Coq: 0 all written, 1 some refused, each with its reason."""
    from importlib import resources

    from exactdp.claims.coq import LIBRARIES, coq_file
    from proofs_check.kernel.results import MAX_FILE_BYTES

    written: dict[str, str] = {}
    refused = 0
    for file in files:
        name = "c_" + re.sub(r"\W", "_", Path(file).name.removesuffix(".json"), flags=re.ASCII)
        try:
            text = coq_file(content(file, most=MAX_FILE_BYTES))
            if name in written:
                raise ParseError(f"{name}.v is written for {written[name]}. Export it alone.")
        except ParseError as error:
            print(f"{file if file.isprintable() else ascii(file)}: refused: {one_line(str(error))}")
            refused += 1
            continue
        written[name] = file
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{name}.v").write_text(text)
    if written:
        for library in LIBRARIES:
            source = resources.files("proofs_check") / "coq" / library
            (out / library).write_bytes(source.read_bytes())
    print(f"{len(written)} of {len(files)} certificates written to {out}, {refused} refused")
    if written:
        print(f"check them: cd {out} && for f in {' '.join(LIBRARIES)} c_*.v; do coqc $f; done")
    raise typer.Exit(1 if refused else 0)
