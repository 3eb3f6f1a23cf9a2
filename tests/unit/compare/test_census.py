"""A census release as one entry of a registry: its numbers are those of the published files.

``source/configs/production/pl94/person_US.ini`` has the global scale and the parts of the levels,
``source/programs/strategies/strategies.py`` those of the queries
(uscensusbureau/DAS_2020_Redistricting_Production_Code).
"""

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path

from exactdp.accounting import compose
from exactdp.compare.registry import answer_of_entry, registry_of
from exactdp.mechanisms import DiscreteGaussianMechanism, gaussian_mechanism

FILE = Path(__file__).parents[3] / "examples/registry/census_2020.json"
SCALE = Fraction(339, 542)
LEVELS = {
    "Block": (104, "5 9 5 5 5 5 21 21 5 71 3945", 4097),
    "Block_Group": (1440, "1705 3 3 3 3 3 1055 9 3 24 1288", 4099),
    "Tract": (447, "1567 8 5 5 5 5 1933 20 5 67 482", 4102),
    "County": (687, "3126 10 10 10 10 10 28 28 10 101 754", 4097),
    "State": (1256, "3773 6 6 6 6 6 12 12 6 34 230", 4097),
    "US": (165, "52 26 26 26 26 130 130 26 442 3213", 4097),
}
"""The 4099ths of ρ that a level has, and the parts of it that its queries have."""


def noises():
    """Return ρ of one count of each query; a record in another's place moves two, by 1 each."""
    found = Counter()
    for share, parts, whole in LEVELS.values():
        numbers = [int(part) for part in parts.split()]
        assert sum(numbers) == whole
        for number in numbers:
            rho = Fraction(share, 4099) * Fraction(number, whole) / SCALE**2
            found[rho / 2] += 2
    assert sum(rho * times for rho, times in found.items()) == 1 / SCALE**2
    return found


def test_the_file_has_the_noise_of_the_published_parts():
    [entry] = json.loads(FILE.read_text())["entries"]
    parts = entry["parameters"]["parts"]
    assert {Fraction(p["problem"]["rho"]): p["times"] for p in parts} == noises()
    assert (len(parts), sum(p["times"] for p in parts)) == (33, 130)


def test_its_claim_holds_and_its_epsilon_is_known_to_a_thousandth():
    [entry] = registry_of(json.loads(FILE.read_text()))
    assert answer_of_entry(entry).standing == "holds"
    release = compose(
        [(DiscreteGaussianMechanism(1 / (2 * rho), 1), k) for rho, k in noises().items()]
    )
    found = release.epsilon("1e-10", relative_width="1e-3")
    assert found.upper <= found.lower * Fraction(1001, 1000)
    # Noise of so large variances is nearly Gaussian: that of the same ρ is one closed form.
    whole = gaussian_mechanism(sigma_squared=SCALE**2 / 2).epsilon("1e-10", relative_width="1e-6")
    assert found.lower < whole.upper * Fraction(101, 100)
    assert found.upper > whole.lower * Fraction(99, 100)
