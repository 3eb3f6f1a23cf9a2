"""The tests of hosts that fail with this library's accountants in place, each with the reason.

A test is kept here if it reads a private name, compares a message, expects a refusal of an event
that is answered here, or expects a number that is another one here: then ``test_kept.py`` has both
numbers, and how each is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

__all__ = ["KEPT", "Why", "kept"]


class Why(Enum):
    """The reason why a test fails, with a text of its failure."""

    PRIVATE = "it reads a private name that no public one has", "has no attribute '_"
    MESSAGE = "the error is of the type that it expects, in other words", "does not match"
    ANSWERED = "it expects a refusal of what is answered here", "not"
    LOOSER = "it expects a number that is a looser bound", ""
    WRONG = "it expects a number that is wrong", ""


WHEEL, HEAD, OPACUS = "dp-accounting 0.6.0", "dp-accounting b5b0286", "opacus 1.6.0"
"""A version of a host: of its wheel, or a commit of its source."""

PLD, RDP, ACCOUNTING = "PldPrivacyAccountantTest", "RdpPrivacyAccountantTest", "AccountingTest"

_BOTH: Mapping[str, Why] = {
    f"{PLD}.test_composition_errors_for_neighboring_relation0": Why.MESSAGE,
    f"{PLD}.test_composition_errors_for_neighboring_relation1": Why.ANSWERED,
    f"{PLD}.test_composition_errors_for_neighboring_relation2": Why.ANSWERED,
    f"{PLD}.test_composition_errors_for_neighboring_relation3": Why.ANSWERED,
    f"{PLD}.test_composition_errors_for_neighboring_relation4": Why.MESSAGE,
    f"{PLD}.test_poisson_subsampling_laplace_not_supported_for_replace_one": Why.ANSWERED,
    f"{PLD}.test_randomized_response_with_zero_noise_parameter": Why.WRONG,
    f"{PLD}.test_truncated_subsampled_gaussian_basic": Why.LOOSER,
    f"{RDP}.test_compute_rdp_poisson_sampled_gaussian": Why.LOOSER,
    f"{RDP}.test_compute_rdp_tree_restart_raise_negative_noise": Why.MESSAGE,
    f"{RDP}.test_compute_rdp_tree_restart_raise_negative_steps": Why.MESSAGE,
    f"{RDP}.test_laplace_repetition": Why.LOOSER,
    f"{RDP}.test_log_a_frac_early_termination": Why.LOOSER,
    f"{RDP}.test_raises_on_invalid_noise_multiplier": Why.MESSAGE,
    f"{RDP}.test_raises_on_invalid_sampling_rate_q_large": Why.MESSAGE,
    f"{RDP}.test_raises_on_invalid_sampling_rate_q_neg": Why.MESSAGE,
    f"{RDP}.test_repeat_and_select_gaussian_poisson_large_large": Why.LOOSER,
    f"{RDP}.test_repeat_and_select_gaussian_poisson_med_large": Why.LOOSER,
    f"{RDP}.test_repeat_and_select_gaussian_poisson_med_med": Why.LOOSER,
    f"{RDP}.test_repeat_and_select_gaussian_poisson_small_med": Why.LOOSER,
    f"{RDP}.test_repeat_and_select_gaussian_poisson_small_small": Why.LOOSER,
    f"{RDP}.test_repeat_and_select_pure_poisson_mean10": Why.LOOSER,
    f"{RDP}.test_repeat_select_pure_negative_binomial_negative binomial 2": Why.LOOSER,
    f"{RDP}.test_repeat_select_pure_negative_binomial_negative binomial 5": Why.LOOSER,
    f"{RDP}.test_supports": Why.ANSWERED,
}

KEPT: Mapping[str, Mapping[str, Why]] = {
    WHEEL: _BOTH,
    HEAD: {
        **_BOTH,
        f"{PLD}.test_composition_errors_for_neighboring_relation3": Why.ANSWERED,
        f"{PLD}.test_composition_errors_for_neighboring_relation5": Why.MESSAGE,
        f"{RDP}.test_compute_rdp_exponential_mechanism": Why.LOOSER,
        f"{RDP}.test_epsilon_delta_dp_event_self_composed": Why.PRIVATE,
        f"{RDP}.test_epsilon_delta_dp_event_with_epsilon": Why.LOOSER,
        f"{RDP}.test_poisson_sampled_zcdp_matches_gaussian": Why.WRONG,
        f"{RDP}.test_poisson_sampled_zcdp_xi_positive_unsupported": Why.ANSWERED,
    },
    OPACUS: {
        f"{ACCOUNTING}.test_rdp_accountant": Why.LOOSER,
        f"{ACCOUNTING}.test_accountant_load_state_dict": Why.LOOSER,
        f"{ACCOUNTING}.test_prv_accountant": Why.LOOSER,
        f"{ACCOUNTING}.test_gdp_accountant": Why.WRONG,
        f"{ACCOUNTING}.test_get_noise_multiplier_gdp": Why.WRONG,
        f"{ACCOUNTING}.test_get_noise_multiplier_prv_epochs": Why.LOOSER,
        f"{ACCOUNTING}.test_get_noise_multiplier_prv_steps": Why.LOOSER,
        f"{ACCOUNTING}.test_get_noise_multiplier_rdp_epochs": Why.LOOSER,
        f"{ACCOUNTING}.test_get_noise_multiplier_rdp_steps": Why.LOOSER,
    },
}
"""The tests by host and version."""


def kept(host: str, found: Mapping[str, str | None]) -> list[str]:
    """Return how the tests that ran differ from those that are kept: unexpected in either way."""
    expected, told = KEPT[host], []
    for name, said in found.items():
        why = expected.get(name)
        if why is None and said is not None:
            told.append(f"{name} fails unexpectedly: {said}")
        elif why is not None and said is None:
            told.append(f"{name} passes, and is kept as one that fails: {why.value[0]}")
        elif why is not None and said is not None and why.value[1] not in said:
            told.append(f"{name} fails for another reason than that {why.value[0]}: {said}")
    return told + [f"{name} did not run" for name in expected if name not in found]
