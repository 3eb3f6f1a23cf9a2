"""The numbers of ``findings.md``: k-RR with k = 10 and eps0 = 2, all n users, delta = 1e-6."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from exactdp.divergences import PrivacyProfile
from exactdp.mechanisms import randomized_response
from exactdp.numbers import Epsilon
from exactdp.shuffle import (
    blanket_pair,
    clone_pair,
    shuffle_worst_case,
    stronger_clone_pair,
    variation_ratio_pair,
)

_K, _LOCAL = 10, Epsilon.rational(2)
_USER = randomized_response(_K, _LOCAL)
_X = _LOCAL.exp


def _epsilon(profile: Callable[[int], PrivacyProfile], n: int) -> Any:
    return profile(n).epsilon("1e-6", relative_width="1e-5")


truth = partial(_epsilon, lambda n: shuffle_worst_case(n, _USER))
blanket = partial(_epsilon, lambda n: blanket_pair(n, _USER))
clones = partial(_epsilon, lambda n: clone_pair(n, _LOCAL))
stronger_clones = partial(_epsilon, lambda n: stronger_clone_pair(n, _LOCAL))
variation_ratio = partial(
    _epsilon, lambda n: variation_ratio_pair(n, p=_X, beta=(_X - 1) / (_X + (_K - 1)), q=_X)
)
