"""Names say how neighbors differ, and how batches are drawn."""

from __future__ import annotations

from typing import Literal, TypeGuard, get_args

from exactdp.divergences.description import choice

__all__ = ["Batches", "EpochBatches", "NeighborRelation", "Replaced", "is_of_epochs", "one_of"]

NeighborRelation = Literal["add_or_remove", "substitution"]
"""A record is in or out, or it is one or another."""

Replaced = Literal["add_or_remove", "substitution", "zero_out"]
"""A record is in or out; it is one or another; it is there or adds nothing (in its place)."""

Batches = Literal["poisson", "fixed_size"]
"""Each record is in a batch at random, independently; or m of N are, without replacement."""

EpochBatches = Literal["deterministic", "shuffled", "balls_and_bins"]
"""Every record is in one batch of an epoch: a known one, by a shuffle of all, or by a draw."""


def is_of_epochs(batches: str) -> TypeGuard[EpochBatches]:
    """Return whether batches are the parts of an epoch."""
    return batches in get_args(EpochBatches)


def one_of(value: str, *kinds: object, name: str) -> None:
    """Refuse a word that is none of those of some kinds."""
    choice(*(word for kind in kinds for word in get_args(kind))).check(value, name=name)
