"""The accountant of a training loop with opacus; optimizer and data are stand-ins without torch."""

from random import Random

from exactdp.accounting.opacus import Accountant

DELTA, RATE, STEPS = 1e-5, 1 / 64, 300


class Optimizer:
    """The part of opacus' DPOptimizer that an accountant sees: its noise and its hook."""

    noise_multiplier, accumulated_iterations = 1.0, 1

    def attach_step_hook(self, hook):
        self.hook = hook

    def step(self, gradient):
        self.hook(self)
        return -0.1 * (gradient + Random(0).gauss(0, self.noise_multiplier))


def main():
    accountant, optimizer, weight = Accountant(), Optimizer(), 0.0
    optimizer.attach_step_hook(accountant.get_optimizer_hook_fn(sample_rate=RATE))
    for step in range(1, STEPS + 1):
        weight += optimizer.step(gradient=weight - 1)
        if step % 100 == 0:
            print(f"{step} steps: epsilon <= {accountant.get_epsilon(delta=DELTA):.3f}")
    resumed = Accountant()  # from a checkpoint
    resumed.load_state_dict(accountant.state_dict())
    print(f"resumed: {len(resumed)} steps of {resumed.mechanism()}")


if __name__ == "__main__":
    main()
