"""Runs: jobs in processes of their own, within limits, side by side; and where results are left."""

from exactdp.execution.cluster import cluster
from exactdp.execution.executor import alone, side_by_side
from exactdp.execution.libraries import (
    absence,
    interpreters,
    programs,
    tell_any_version,
    tell_interpreters,
    tell_programs,
)
from exactdp.execution.outputs import Place, held_file, held_folder
from exactdp.execution.sessions import Session
from exactdp.execution.store import Store
from exactdp.execution.workers import Limits, Worker

__all__ = [
    "Limits",
    "Place",
    "Session",
    "Store",
    "Worker",
    "absence",
    "alone",
    "cluster",
    "held_file",
    "held_folder",
    "interpreters",
    "programs",
    "side_by_side",
    "tell_any_version",
    "tell_interpreters",
    "tell_programs",
]
