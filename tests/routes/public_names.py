"""Every public function and class, by its room and name; which of them other calls build."""

import inspect
from enum import Enum
from importlib import import_module

__all__ = ["BUILT", "PUBLIC", "RECORDS"]

ROOMS = [
    "numbers",
    "distributions",
    "divergences",
    "mechanisms",
    "accounting",
    "shuffle",
    "pufferfish",
    "problems",
    "testing",
    "compare",
    "bounds",
]
BUILT = {
    "distributions.Forms",
    "divergences.Family",
    "divergences.PrivacyLossDistribution",
    "divergences.TradeOffFunction",
    "mechanisms.LogConcaveNoise",
    "mechanisms.MatrixBounds",
    "mechanisms.MatrixMechanism",
    "shuffle.BlanketDecomposition",
    "shuffle.CloneDecomposition",
    "shuffle.HiddenVictim",
    "shuffle.MultiMessageView",
    "shuffle.ScoreSum",
    "shuffle.ShuffleView",
    "shuffle.ShuffleWorstCase",
    "shuffle.VariationRatio",
    "shuffle.WorstCase",
    "accounting.CertifiedPLD",
    "accounting.LossProfile",
    "accounting.RenyiGuarantee",
    "problems.Answer",
    "problems.Answers",
    "problems.FileQuestion",
    "problems.Problem",
    "problems.Refused",
    "problems.SomeAnswers",
    "testing.WrongClaimError",
    "compare.Accountant",
    "compare.EntryAnswer",
    "compare.Finding",
    "compare.RegistryEntry",
    "compare.Task",
    "compare.answer_of_entry",
    "bounds.BoundAnswer",
    "bounds.BoundCase",
    "bounds.BoundedNumber",
    "bounds.PublishedBound",
}
"""What other calls build: of these only junk everywhere is tried."""

RECORDS = {
    "testing.Slack",
    "compare.Accountant",
    "compare.EntryAnswer",
    "compare.Finding",
    "compare.RegistryEntry",
    "compare.Task",
    "bounds.BoundAnswer",
    "bounds.BoundCase",
    "bounds.BoundedNumber",
}
"""Of these the ones that hold what was found, of any type."""


def _public():
    """Each function and class once, by the room that names it."""
    found = {}
    for room in ROOMS:
        module = import_module(f"exactdp.{room}")
        for name in module.__all__:
            one = getattr(module, name)
            is_class = inspect.isclass(one)
            if is_class and (issubclass(one, BaseException | Enum) or inspect.isabstract(one)):
                continue
            if (is_class or inspect.isfunction(one)) and inspect.signature(one).parameters:
                found.setdefault(one, f"{room}.{name}")
    return {name: one for one, name in found.items()}


PUBLIC = _public()
