"""From a training loop with opacus to a card, which proves the privacy of the steps that ran.

Optimizer and loader are stand-ins where opacus, or torch, is not installed.
"""

from random import Random

from exactdp.accounting.opacus import Accountant
from exactdp.cards import certify

DELTA, RATE, STEPS, RECORDS = "1e-5", 1 / 64, 100, 640


class Optimizer:
    """The part of opacus' DPOptimizer that an accountant sees: its noise and its hook."""

    noise_multiplier, accumulated_iterations = 1.0, 1

    def attach_step_hook(self, hook):
        self.hook = hook

    def step(self, gradient):
        self.hook(self)
        return -0.1 * (gradient + Random(0).gauss(0, self.noise_multiplier))


def loader_with(batches):
    """The loader that PrivacyEngine.make_private returns: torch's, with opacus' own sampler."""
    try:
        from torch.utils.data import DataLoader
    except ModuleNotFoundError:
        return batches
    return DataLoader(range(RECORDS), batch_sampler=batches)


def poisson_batches():
    """Batches in which each record is by itself, with the same probability: opacus' own."""
    try:
        from opacus.utils.uniform_sampler import UniformWithReplacementSampler
    except ModuleNotFoundError:
        drawn = Random(0)
        return [[i for i in range(RECORDS) if drawn.random() < RATE] for _ in range(STEPS)]
    return UniformWithReplacementSampler(num_samples=RECORDS, sample_rate=RATE, steps=STEPS)


def who_sampled(loader, accountant):
    """Return who says that batches are Poisson samples; refuse a loader that is seen not to be.

    The card counts on it: of shuffled batches its epsilon is not true.
    """
    try:
        from opacus.utils.uniform_sampler import UniformWithReplacementSampler
    except ModuleNotFoundError:
        return "nobody has looked at the loader"
    sampler = getattr(loader, "batch_sampler", None)
    rates = {rate for _, rate, _ in accountant.history}
    if not isinstance(sampler, UniformWithReplacementSampler) or rates != {sampler.sample_rate}:
        raise SystemExit("the batches are not the Poisson samples that the accountant counts")
    return "the loader has the Poisson sampler of opacus, at this rate"


def main():
    accountant, optimizer, weight = Accountant(), Optimizer(), 0.0
    optimizer.attach_step_hook(accountant.get_optimizer_hook_fn(sample_rate=RATE))
    loader = loader_with(poisson_batches())
    for _ in loader:
        weight += optimizer.step(gradient=weight - 1)
    said = who_sampled(loader, accountant)
    card = certify(accountant.profile(), delta=DELTA, label=said)
    print(f"epsilon <= {accountant.get_epsilon(delta=float(DELTA)):.4f}, by the accountant")
    print(f"epsilon <= {card.content['epsilon']}, by a card of {len(card.to_json())} bytes: {said}")


if __name__ == "__main__":
    main()
