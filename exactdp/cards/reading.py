"""A card that somebody gives: whether it holds, and whether it is of a deployment."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from exactdp.cards.card import Card
from exactdp.cards.deployed import parts_of
from exactdp.divergences import PrivacyProfile
from exactdp.errors import DomainError, ParseError
from exactdp.numbers import Exact, RationalLike, Rounding
from exactdp.numbers.validated import validated
from proofs_check.kernel import Accepted, cards, check

__all__ = ["read_card", "refuse_other"]


@validated
def read_card(data: str | bytes) -> Card:
    """Return a card that the kernel accepts.

    Args:
        data: The content of the file.

    Raises:
        ParseError: If it is no card, or is rejected; the message says why, on one line.

    Example:
        With p = (3/4, 1/4), q = (1/4, 3/4) delta is 1/10 where e^epsilon is (3/4 - 1/10) 4 = 2.6:

        >>> from exactdp.cards import certify
        >>> from exactdp.divergences import Pair
        >>> card = certify(Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"]), delta="1/10")
        >>> card.content["epsilon"], read_card(card.to_json()).sha256 == card.sha256
        ('0.9556', True)
        >>> read_card(card.to_json().replace("0.9556", "0.95"))  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        exactdp.errors.ParseError: the card is rejected: ... Write it anew with exactdp certify.
    """
    text = data.encode() if isinstance(data, str) else data
    answer = check(text)
    if not isinstance(answer, Accepted):
        raise ParseError(
            f"the card is rejected: {getattr(answer, 'reason', answer)}. "
            "Write it anew with exactdp certify."
        )
    content = json.loads(text)
    if content["format"] != cards.FORMAT:
        raise ParseError(f"the format is not {cards.FORMAT}. Give a card.")
    return Card(content, answer.statement)


def refuse_other(
    card: Card,
    profile: PrivacyProfile,
    *,
    epsilon: Exact | RationalLike,
    delta: Exact | RationalLike,
) -> None:
    """Refuse a card that does not show that a deployment is (epsilon, delta)-private.

    Args:
        card: What the kernel accepts.
        profile: What is deployed.
        epsilon: The claimed epsilon, in nats.
        delta: The claimed delta.

    Raises:
        DomainError: If the card is of another deployment, or shows less.

    Example:
        >>> from exactdp.cards import certify
        >>> from exactdp.divergences import Pair
        >>> from exactdp.mechanisms import gaussian_mechanism
        >>> one = Pair.from_masses(["3/4", "1/4"], ["1/4", "3/4"])
        >>> card = certify(one, delta="1/10")
        >>> refuse_other(card, one, epsilon=1, delta="1/10")
        >>> noise = gaussian_mechanism(sigma=3)
        >>> refuse_other(card, noise, epsilon=1, delta="1/10")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        exactdp.errors.DomainError: the card is of another deployment: 1 x pair(p = ...
    """
    content = card.content
    shown = {name: cards.rational(content[name], name) for name in ("epsilon", "delta")}
    if content["says"] != "private":
        raise DomainError('the card says "not private". Give one that says "private".')
    if shown["epsilon"] > Exact(epsilon) or shown["delta"] > Exact(delta):
        raise DomainError(
            f"the card shows ({content['epsilon']}, {content['delta']}), which is more than is "
            "claimed. Certify the claim: exactdp certify --epsilon --delta."
        )
    deployed = [{**part.keys, "times": part.times} for part in parts_of(profile, Rounding.DOWN)]
    if content.get("group", 1) != 1 or _same(deployed) != _same(content["parts"]):
        said = card.statement.partition(": (")[0]
        raise DomainError(
            f"the card is of another deployment: {said}. Make it of this one: exactdp certify."
        )


def _same(parts: Iterable[Mapping[str, Any]]) -> Mapping[Hashable, Fraction]:
    """Return each mechanism with its parameters as numbers, and the amount of it that runs.

    Example:
        >>> once = {"mechanism": "gaussian", "noise_multiplier": "2", "times": 1}
        >>> _same([once]) == _same([{**once, "noise_multiplier": "4", "times": 4}])
        True
    """
    found: dict[Hashable, Fraction] = {}
    for part in parts:
        kind = part["mechanism"]
        numbers = {key: _number(x) for key, x in part.items() if key not in cards.WINDOW}
        numbers = {key: x for key, x in numbers.items() if key not in cards.SAMPLES or x != 1}
        amount = Fraction(part["times"])
        if numbers.keys() == {"noise_multiplier"}:
            amount /= cards.rational(part["noise_multiplier"], "noise_multiplier") ** 2
            numbers = {}
        elif kind == "zcdp":
            amount, numbers = amount * cards.rational(part["rho"], "rho"), {}
        key = kind, frozenset(numbers.items())
        found[key] = found.get(key, Fraction(0)) + amount
    return found


def _number(x: Any) -> Fraction | tuple[Fraction, ...]:
    if isinstance(x, list):
        return tuple(cards.rational(one, "a mass") for one in x)
    return cards.rational(str(x), "a parameter")
