"""Accountants beside the truth: what each says about a deployment, and who is on the wrong side."""

from exactdp.compare.accountants import Accountant, Promise, installed_accountants
from exactdp.compare.findings import Finding, compare
from exactdp.compare.tasks import Task, tasks_of

__all__ = [
    "Accountant",
    "Finding",
    "Promise",
    "Task",
    "compare",
    "installed_accountants",
    "tasks_of",
]
