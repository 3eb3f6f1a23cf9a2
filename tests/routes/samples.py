"""Records that are replaced on a sample, by the rate alone."""

from exactdp.accounting import sampled

__all__ = ["fixed_size", "replaced"]


def replaced(mechanism, rate):
    return sampled(mechanism, sampling_probability=rate, neighbors="substitution")


def fixed_size(mechanism, rate):
    return sampled(
        mechanism, sampling_probability=rate, neighbors="substitution", batches="fixed_size"
    )
