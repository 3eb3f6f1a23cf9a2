"""The place of an installed library: here, or an environment of the trials of libraries."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

__all__ = ["folder"]


def folder(library: str) -> Path | None:
    """Return the folder with a library's package, by its name as pip calls it; None if nowhere."""
    package = library.replace("-", "_")
    spec = find_spec(package)
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parents[1]
    pythons = dict(
        one.split("=", 1) for one in os.environ.get("EXACTDP_PYTHONS", "").split(":") if one
    )
    paths = Path(pythons.get(library, "/nowhere/bin/python")).parents[1].glob("lib/*/*")
    return next((path for path in paths if (path / package).is_dir()), None)
