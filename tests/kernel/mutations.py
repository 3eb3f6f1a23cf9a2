"""Certificates and proofs changed in one place, and what the kernel answers to them.

    python -m tests.kernel.mutations --each 400 --steps 480 --seed 1

changes every kept certificate and every step of the kept proofs, has each changed one judged by
``second_checker`` or ``proof_judge``, and prints the counts as they stand in TRUST.md, and
what is wrong at once, so that a run that is stopped has said it.
"""

import argparse
import copy
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from proofs_check.kernel import Accepted, Rejected, check
from tests.evidence import KeptFile, kept_files
from tests.kernel import proof_mutations
from tests.kernel.second_checker import NUMBER, Judgment, judged

CERTIFICATES: list[KeptFile | Path] = [*kept_files("certificates")]
CERTIFICATES += sorted((Path(__file__).parent / "accepted").glob("*.json"))
OPERATIONS = [
    {"add", "sub", "mul", "div", "max", "min"},
    {"exp", "log", "cos", "sqrt", "neg", "abs", "positive_part", "normal_cdf"},
    {"<", "<=", "=", "!=", ">=", ">"},
    {"p", "q"},
]
Place = tuple[Any, Any]  # a list or an object, and where in it


def places(value: Any, wanted: Callable[[Any], bool]) -> Iterator[Place]:
    """Yield where in a certificate what is wanted stands."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        if key in ("format", "claim", "reading", "precision_bits", "kind"):
            continue
        if wanted(part):
            yield value, key
        if isinstance(part, dict | list):
            yield from places(part, wanted)


def is_number(x: Any) -> bool:
    return isinstance(x, str) and NUMBER.fullmatch(x) is not None


def is_row(x: Any) -> bool:
    """Whether a list is a row of masses (or of arguments, which may be changed as well)."""
    return isinstance(x, list) and len(x) > 1 and all(is_number(y) for y in x)


def is_whole(x: Any) -> bool:
    return type(x) is int


def is_relation(x: Any) -> bool:
    return isinstance(x, list) and len(x) == 3 and x[0] in ("<", "<=", "=", "!=", ">=", ">")


def is_list(x: Any) -> bool:
    return isinstance(x, list) and len(x) > 1


def is_word(x: Any) -> bool:
    return isinstance(x, str) and any(x in words for words in OPERATIONS)


def is_term(x: Any) -> bool:
    return is_number(x) or (isinstance(x, list) and bool(x) and isinstance(x[0], str))


def written(top: int, bottom: int = 1) -> str:
    return f"{top:#x}/{bottom:#x}" if bottom != 1 else f"{top:#x}"


class Mutation:
    """One way to change a certificate in one random place; the methods return whether they did."""

    def __init__(self, certificate: dict[str, Any], dice: random.Random) -> None:
        self.certificate, self.dice = copy.deepcopy(certificate), dice

    def place(self, wanted: Callable[[Any], bool]) -> Place | None:
        found = list(places(self.certificate, wanted))
        return self.dice.choice(found) if found else None

    def numbers_by_one(self) -> bool:
        return self._number(lambda n, d, s: (n + s, d) if self.dice.random() < 0.6 else (n, d + s))

    def numbers_scaled(self) -> bool:
        by = self.dice.choice([(2, 1), (1, 2), (1001, 1000), (-1, 1), (2**60 + 1, 2**60)])
        return self._number(lambda n, d, _: (n * by[0], d * by[1]))

    def _number(self, change: Callable[[int, int, int], tuple[int, int]]) -> bool:
        if (at := self.place(is_number)) is None:
            return False
        top, _, bottom = at[0][at[1]].partition("/")
        n, d = change(int(top, 16), int(bottom or "1", 16), self.dice.choice((-1, 1)))
        at[0][at[1]] = written(n, d)
        return True

    def integers_by_one(self) -> bool:
        """Inputs, counts, outcomes, exponents, columns."""
        if (at := self.place(is_whole)) is None:
            return False
        at[0][at[1]] += self.dice.choice((-1, 1))
        return True

    def words(self) -> bool:
        """Operations, relations and sides become others of their kind."""
        if (at := self.place(is_word)) is None:
            return False
        word = at[0][at[1]]
        at[0][at[1]] = self.dice.choice(sorted(next(x for x in OPERATIONS if word in x) - {word}))
        return True

    def sides(self) -> bool:
        if (at := self.place(is_relation)) is None:
            return False
        relation = at[0][at[1]]
        relation[1], relation[2] = relation[2], relation[1]
        return True

    def arguments(self) -> bool:
        """Two entries of a list change places: arguments, messages, rows, inputs, users."""
        if (at := self.place(is_list)) is None:
            return False
        line = at[0][at[1]]
        first = 1 if isinstance(line[0], str) and not is_number(line[0]) and len(line) > 2 else 0
        i, j = self.dice.sample(range(first, len(line)), 2)
        line[i], line[j] = line[j], line[i]
        return True

    def dropped(self) -> bool:
        """A user, a message, an argument, an outcome, a hypothesis, a definition is left out."""
        if (at := self.place(is_list)) is None:
            return False
        line = at[0][at[1]]
        del line[self.dice.randrange(len(line))]
        return True

    def repeated(self) -> bool:
        if (at := self.place(is_list)) is None:
            return False
        line = at[0][at[1]]
        line.append(copy.deepcopy(self.dice.choice(line)))
        return True

    def rows_scaled(self) -> bool:
        if (at := self.place(is_row)) is None:
            return False
        factor = self.dice.choice(["0x2", "0x1/0x2", "0x3e9/0x3e8"])
        at[0][at[1]] = [["mul", factor, mass] for mass in at[0][at[1]]]
        return True

    def rows_blurred(self) -> bool:
        """A part of a mass moves: the row stays a law, or is off by very little."""
        if (at := self.place(is_row)) is None:
            return False
        row, lost = at[0][at[1]], self.dice.choice(["0x0", written(1, 2**300), written(1, 2**20)])
        i, j = self.dice.sample(range(len(row)), 2)
        part = ["mul", row[i], ["exp", "-0x1"]]
        row[i], row[j] = ["sub", row[i], part], ["add", row[j], ["sub", part, lost]]
        return True

    def terms_replaced(self) -> bool:
        here, there = self.place(is_term), self.place(is_term)
        if here is None or there is None:
            return False
        here[0][here[1]] = copy.deepcopy(there[0][there[1]])
        return len(json.dumps(self.certificate)) < 100_000

    def terms_wrapped(self) -> bool:
        if (at := self.place(is_term)) is None:
            return False
        x = at[0][at[1]]
        wraps: list[Any] = [["neg", x], ["abs", x], ["div", "0x0", x], ["div", x, ["sub", x, x]]]
        wraps.append(["pow", x, self.dice.randrange(-2, 3)])
        wraps.append(["add", x, ["sub", ["exp", x], ["exp", x]]])
        at[0][at[1]] = self.dice.choice(wraps)
        return True

    def precision(self) -> bool:
        self.certificate["precision_bits"] = self.dice.choice([16, 20, 24, 32, 53, 300])
        return True


def is_heavy(path: Path) -> bool:
    """Whether a certificate takes long: then it is changed less often."""
    return judged(json.loads(path.read_bytes()), most_steps=4000) is Judgment.OPEN


KINDS = [name for name in vars(Mutation) if not name.startswith("_") and name != "place"]


def mutants(path: Path, count: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield different changed certificates, with the kind of change; some are changed twice."""
    original = json.loads(path.read_bytes())
    dice = random.Random(f"{path.name} {seed}")
    seen = {json.dumps(original, sort_keys=True)}
    for _ in range(count):
        kind = dice.choice(KINDS)
        mutation = Mutation(original, dice)
        if not getattr(mutation, kind)() or (dice.random() < 0.1 and not mutation.precision()):
            continue
        text = json.dumps(mutation.certificate, sort_keys=True)
        if text not in seen:
            seen.add(text)
            yield kind, mutation.certificate


FALSE = "false accepted"
LOST = "true rejected as false"


def compared(certificate: dict[str, Any], *, seconds: int = 2) -> str:
    """Return what the kernel and the second checker make of a certificate, in words."""
    answer = check(json.dumps(certificate).encode(), seconds=seconds)
    judgment = judged(certificate)
    if isinstance(answer, Accepted):
        return (
            "true accepted"
            if judgment is Judgment.TRUE
            else ("accepted, too large to judge" if judgment is Judgment.OPEN else FALSE)
        )
    if judgment is Judgment.TRUE:
        # Else it is undecided, too large, or not in the grammar where it is not computed.
        as_false = isinstance(answer, Rejected) and "but the relation needs" in answer.reason
        return LOST if as_false else "true, not accepted"
    return f"{judgment.value} refused"


def main() -> None:
    """Run the campaign: print what is found to be wrong, then a line a kind, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=150, help="changes tried a certificate")
    parser.add_argument("--steps", type=int, default=150, help="changes tried a step of a proof")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    for path in CERTIFICATES:
        each = options.each // (20 if is_heavy(path) else 1)
        for kind, mutant in mutants(path, each, options.seed):
            found = compared(mutant)
            counts[kind, found] += 1
            if found in (FALSE, LOST):
                print(f"{found}: {path.name}, {kind}: {json.dumps(mutant)}", flush=True)
    printed(f"{len(CERTIFICATES)} certificates", counts)
    counts.clear()
    steps = list(proof_mutations.steps())
    for number, (name, document, step) in enumerate(steps):
        for kind, mutant in proof_mutations.mutants(number, step, options.steps, options.seed):
            found = proof_mutations.compared(document, mutant)
            counts[f"{step['rule']}, {kind}", found] += 1
            if found == proof_mutations.FALSE:
                print(f"{found}: {name}, {kind}: {json.dumps(mutant)}", flush=True)
    printed(f"{len(steps)} steps of proofs", counts)


def printed(what: str, counts: Counter[tuple[str, str]]) -> None:
    total: Counter[str] = Counter()
    for (_, found), count in counts.items():
        total[found] += count
    for kind in sorted({kind for kind, _ in counts}):
        print(kind, {found: n for (k, found), n in sorted(counts.items()) if k == kind})
    print(f"{what}, {total.total()} changed: {dict(sorted(total.items()))}", flush=True)


if __name__ == "__main__":
    main()
