"""Theorems of ``proofs_check/coq`` that proofs cite, with their statements word for word.

A step that cites one is checked here by the text only: the shipped file states this, and proves
it with ``Qed``. That the proof is one, with no axiom but those of the real numbers, is checked
where Coq is: ``.ci/coq``, and ``pytest tests/kernel/test_coq.py --coq``.

A theorem that is a claim itself (:func:`theorem`) states what the claim's own form is exported as;
no copy of it is kept here.

Definitions: :data:`THEOREMS`, :func:`in_coq`, :func:`theorem`, :func:`theorem_of`,
:func:`outside_of`, :func:`preamble`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from exactdp.claims import Proof, Statement, Step
from exactdp.coq.theorems import Cited, IsTheorem, shipped_folder
from proofs_check.lemmas.outside import INSTANCES

__all__ = ["FILES", "THEOREMS", "in_coq", "outside_of", "preamble", "theorem", "theorem_of"]

THEOREMS = {
    "group_privacy_bound": """(x : nat -> R) E d s t :
        1 <= E -> 0 <= d -> (t <= s)%nat -> 0 <= x t ->
        (forall i, (i < t)%nat -> x i <= E * x (S i) + d) ->
        x 0%nat <= E ^ s * x t + INR s * E ^ s * d""",
    "view_equal_users": """k y w rest n (f : counts -> R) :
        mean f (view k (repeat ((y, w) :: rest) n)) =
        binomial_total n (fun c =>
          w ^ c * mean (fun d => f (increments c y d)) (view k (repeat rest (n - c))))""",
    "merged_view": """h j k users (f : counts -> R) :
        Forall (below k) users ->
        mean f (view j (map (image h) users)) = mean f (image (regroup h j 0) (view k users))""",
    "merging_messages": """h j k users users' E :
        Forall (below k) users -> Forall (below k) users' ->
        hockey_stick same_counts (view j (map (image h) users)) (view j (map (image h) users')) E
        <= hockey_stick same_counts (view k users) (view k users') E""",
    "resent_view": """(K : nat -> law nat) j k users (f : counts -> R) :
        Forall (below k) users ->
        mean f (view j (map (fun u => bind u K) users))
        = mean f (bind (view k users) (resent K j))""",
    "each_message": """(K : nat -> law nat) j k users users' E :
        (forall y, is_law (K y)) -> Forall (below k) users -> Forall (below k) users' ->
        hockey_stick same_counts (view j (map (fun u => bind u K) users))
          (view j (map (fun u => bind u K) users')) E
        <= hockey_stick same_counts (view k users) (view k users') E""",
    "more_users": """k users users' others E :
        Forall is_law others ->
        hockey_stick same_counts (view k (users ++ others)) (view k (users' ++ others)) E
        <= hockey_stick same_counts (view k users) (view k users') E""",
    "reduction_to_letters": """k m (letter : law nat) (K : nat -> law nat) a V V' v v' rest
          (users : list (law nat)) (others : list (R * law nat)) E :
        below m letter -> (forall y, is_law (K y)) -> Forall is_law users ->
        below m v -> below m v' -> is_law rest -> 0 <= a <= 1 -> 1 <= E ->
        mixes V a (bind v K) rest -> mixes V' a (bind v' K) rest ->
        Forall good others ->
        Forall2 (fun u x => mixes u (fst x) (bind letter K) (snd x)) users others ->
        hockey_stick same_counts (view k (V :: users)) (view k (V' :: users)) E
        <= a * hockey_stick same_counts (view m (v :: map (label m letter) others))
            (view m (v' :: map (label m letter) others)) E""",
}
"""What each says; laws, views and the rest are defined in :data:`FILES`."""

FILES = (
    *("ExactDP.v", "Lemmas.v", "Mechanisms.v", "Composition.v", "AdvancedComposition.v"),
    *("OptimalComposition.v", "Sampling.v", "WithoutReplacement.v", "Blanket.v"),
    *("BlanketBounds.v", "RandomizedResponse.v", "ResponseOrders.v", "Letters.v"),
    *("TwoLetters.v", "Clones.v", "CloneBounds.v", "UniformBlanket.v", "VariationRatio.v"),
    *("VariationTails.v", "VariationBounds.v"),
    *("Swapping.v", "SwappedOrders.v", "Noise.v", "Transport.v", "Quantiles.v", "Measures.v"),
    *("Sampled.v", "Survey.v", "ApproximateComposition.v", "Renyi.v", "Curves.v"),
    "Longitudinal.v",
    *("Language.v", "Normal.v", "Gaussian.v", "Replaced.v"),
    *(
        "Claims.v",
        "ClaimsReplaced.v",
        "ClaimsBalle2019.v",
        "ClaimsBalle2019Laplace.v",
        "ClaimsBiswas2023.v",
    ),
    *("ClaimsBiswas2023Worst.v", "ClaimsBiswas2023Gaussian.v", "ClaimsBiswas2023Noise.v"),
    *("ClaimsBiswas2023Distances.v", "ClaimsBiswas2023Utility.v", "ClaimsDing2025.v"),
    *("ClaimsDing2025Steps.v", "ClaimsDing2025Users.v", "ClaimsDing2025Bernoulli.v"),
    *("ClaimsDing2025Columns.v", "ClaimsDing2025Presence.v", "ClaimsDing2025Shifts.v"),
    *("ClaimsDing2025Figures.v", "ClaimsDing2025Cost.v", "ClaimsDing2025Polynomial.v"),
    "ClaimsDing2025Bits.v",
    "ClaimsErlingsson2019.v",
    *("ClaimsErlingsson2019Steps.v", "ClaimsErlingsson2019More.v", "ClaimsErlingsson2019Group.v"),
    *("ClaimsErlingsson2019Bounds.v", "ClaimsErlingsson2019Orders.v"),
    *("ClaimsErlingsson2019Tree.v", "ClaimsErlingsson2019Cover.v", "ClaimsErlingsson2019Mean.v"),
    *("ClaimsErlingsson2019Inputs.v", "ClaimsErlingsson2019Error.v"),
    "ClaimsErlingsson2019State.v",
    "ClaimsFeldman2021.v",
    *("ClaimsLiu2024.v", "ClaimsLiu2024Budget.v", "ClaimsLiu2024Tests.v"),
    *("ClaimsLiu2024Response.v", "ClaimsLiu2024Figures.v", "ClaimsWang2023.v"),
    *("ClaimsWang2023Tight.v", "ClaimsWang2023Expectation.v"),
    *("ClaimsWang2023Parameters.v", "ClaimsWang2023Rappor.v"),
    *("ClaimsWang2023Closed.v", "ClaimsWang2024.v", "ClaimsWang2024Blankets.v"),
    *("ClaimsWang2024Choice.v", "ClaimsWang2024Order.v"),
    *("SparseVector.v", "SparseVectorAtZero.v", "ClaimsSparseVector.v"),
    *("ClaimsSparseVectorExact.v", "ClaimsSparseVectorTold.v"),
    *("Meanings.v", "Allocation.v", "Gaps.v", "GapsErlingsson2019.v", "GapsLiu2024.v"),
)
"""The theory, in the order in which Coq compiles it; what certificates need comes first."""

_IS_THEOREM = "the claim is the theorem {} (see .ci/coq)"


def in_coq(name: str, text: str) -> Step:
    """Return a step that a theorem in Coq proves.

    Args:
        name: One of :data:`THEOREMS`.
        text: What the step says, no more than the theorem does at its instance.

    Example:
        >>> step = in_coq("more_users", "a user more never raises it")
        >>> step.stands(), step.rests
        (True, 'coq')
        >>> step.text
        'a user more never raises it (more_users; see .ci/coq)'
    """
    return Step(f"{text} ({name}; see .ci/coq)", ground=Cited(name, THEOREMS[name]))


def theorem(name: str) -> Callable[[Statement], Proof]:
    """Return the proof of a statement that is a theorem in Coq, word for word.

    Args:
        name: The theorem, in one of :data:`FILES`. Its statement has to be the statement's own
            form, exported (:func:`~exactdp.coq.statements.coq_statement`).
    """
    text = _IS_THEOREM.format(name)
    outside = outside_of(name)
    return lambda statement: Proof((Step(text, ground=IsTheorem(statement, name, outside)),))


def theorem_of(statement: Statement) -> str | None:
    """Return the name of the theorem that a statement is, if :func:`theorem` proves it."""
    ground = statement.proof.steps[-1].ground if statement.proof else None
    return ground.name if isinstance(ground, IsTheorem) else None


def outside_of(name: str) -> Mapping[str, Any] | None:
    """Return values outside of a theorem's domain, if those inside are too large for Coq."""
    return INSTANCES[name]() if name in INSTANCES else None


def preamble(name: str) -> str:
    """Return the head of a file in which all words mean the same as where a theorem stands.

    Raises:
        LookupError: If no file has the theorem.
    """
    folder = shipped_folder() / "coq"
    for file in FILES:
        text = (folder / file).read_text("utf-8")
        if re.search(rf"^Theorem {name}\b", text, re.M):
            first = re.findall(r"^(?:From|Require) .*?\.$", text, re.M)
            own = f"Require Import {file.removesuffix('.v')}."
            opened = "From Coq Require Import List.\nImport ListNotations.\nOpen Scope R_scope."
            return "\n".join(("Require Import Meanings.", *first, own, opened))
    raise LookupError(f"no file has the theorem {name}")
