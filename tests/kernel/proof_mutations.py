"""Steps of proofs changed in one place, or in two places that make up for each other."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from proofs_check.kernel import Accepted, check
from tests.evidence import kept_files
from tests.kernel.proof_judge import false_at, value, written
from tests.kernel.proof_steps import SHOWN

PROOFS = kept_files("proofs")
LONGEST = 20_000  # characters of a step that is changed: longer ones are tables
ALIKE = [
    ("add", "sub", "mul", "div", "max", "min"),
    ("rises", "falls", "value", "coefficients"),
    ("<", "<=", "=", "!=", ">=", ">"),
]
Json = Any


def places(part: Json, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all parts of a step but its rule and its text."""
    yield at
    if isinstance(part, dict | list):
        for key in part if isinstance(part, dict) else range(len(part)):
            if key not in ("rule", "text"):
                yield from places(part[key], (*at, key))


def anywhere(step: Json, dice: random.Random) -> None:
    """A number, a word, two parts exchanged, one left out or repeated, a sign."""
    *above, last = dice.choice([at for at in places(step) if at])
    holder = step
    for key in above:
        holder = holder[key]
    part = holder[last]
    if isinstance(part, str) and part.lstrip("-").startswith("0x"):
        x = value(part)
        holder[last] = written(dice.choice([x + 1, x - 1, -x, x * 2, x + Fraction(1, 1000)]))
    elif isinstance(part, str) and any(part in words for words in ALIKE):
        holder[last] = dice.choice(next(words for words in ALIKE if part in words))
    elif isinstance(part, int):
        holder[last] = part + dice.choice((-1, 1))
    elif isinstance(part, list) and len(part) > 1 and dice.random() < 0.4:
        one, other = dice.sample(range(len(part)), 2)
        part[one], part[other] = part[other], part[one]
    elif isinstance(part, list) and part and dice.random() < 0.5:
        if dice.random() < 0.3:
            part.append(copy.deepcopy(dice.choice(part)))
        else:
            part.pop(dice.randrange(len(part)))
    elif isinstance(part, dict | list) and isinstance(holder, list):
        holder[last] = dice.choice((["neg", part], "0x0", "0x1", ["add", part, "0x1/0x64"]))


def variable(step: Json, dice: random.Random) -> Json:
    names = [x if isinstance(x, str) else x[0] for x in step["variables"]]
    return {"ref": dice.choice(names)} if names else "0x2"


def factor(step: Json, dice: random.Random) -> Json:
    """Return what may be 0 on the border of the domain, and mostly is there."""
    x, y = variable(step, dice), variable(step, dice)
    return dice.choice([x, x, ["mul", x, y], ["add", x, y], ["pow", x, 2], ["add", "0x1", x]])


def over(term: Json, by: Json, dice: random.Random) -> Json:
    """Return a term divided, in one of the ways to write it."""
    inverse = ["div", "0x1", by]
    ways = [["div", term, by], ["mul", term, ["pow", by, -1]], ["mul", inverse, term]]
    return dice.choice([*ways, ["div", term, ["div", by, "0x1"]]])


def divided(step: Json, dice: random.Random) -> None:
    """A multiplier is divided by what its hypothesis is multiplied by: the sum stays."""
    if step["rule"] == "follows":
        pair, by = dice.choice(step["sum"]), factor(step, dice)
        first = dice.random() < 0.8
        one, other = pair if first else pair[::-1]
        changed = [over(one, by, dice), ["mul", by, other]]
        pair[:] = changed if first else changed[::-1]
    elif step["rule"] == "identity":
        pair, by = dice.choice(step["equal"]), factor(step, dice)
        i = dice.randrange(len(pair))
        pair[i] = over(["mul", by, pair[i]], by, dice)
    elif step["rule"] == "nonnegative":
        pair, by = dice.choice(step["terms"]), factor(step, dice)
        pair[0] = over(["mul", by, pair[0]], by, dice)
    elif step["rule"] == "claim":
        relation, by = dice.choice([*step["relations"], *step["given"]]), factor(step, dice)
        i = dice.randrange(1, 3)
        relation[i] = over(["mul", by, relation[i]], by, dice)


def bounded(step: Json, dice: random.Random) -> None:
    """An end of a range or a relation is opened, closed, moved or left out."""
    entry, i = dice.choice(step["variables"]), dice.randrange(1, 3)
    opened = (">", ">=") if i == 1 else ("<", "<=")
    term = dice.choice([entry[i][1] if entry[i] else "0x1", "0x0", "0x1", "-0x1"])
    if dice.random() < 0.5:
        entry[i] = dice.choice([None, [dice.choice(opened), term]])
    relation = dice.choice([*step["relations"], *step["given"]])
    if dice.random() < 0.5:
        relation[0] = {">=": ">", "<=": "<", "=": "<="}.get(relation[0], relation[0] + "=")
    if dice.random() < 0.2:
        step["given"] = [[">=", variable(step, dice), "0x1"]]


def weighed(step: Json, dice: random.Random) -> None:
    """What a claim is given is multiplied by what is perhaps 0, and its multiplier divided."""
    if not step["given"]:
        return
    by = factor(step, dice)
    i = dice.randrange(len(step["given"]))
    sign, left, right = step["given"][i]
    step["given"][i] = [sign, ["mul", by, left], ["mul", by, right]]
    for reason in step["reasons"]:
        if reason[0] == "sum":
            reason[1] = [[over(m, by, dice) if j == i else m, j] for m, j in reason[1]]


def split(step: Json, dice: random.Random) -> None:
    """A product of the sum becomes two; a square that is no hypothesis is added to the sum."""
    if step["rule"] != "follows":
        return
    weight, slack = dice.choice(step["sum"])
    square = ["pow", over(["sub", variable(step, dice), "0x1"], factor(step, dice), dice), 2]
    step["sum"].append(["0x1", square])
    if dice.random() < 0.5:
        step["sum"].append(["0x1", ["neg", square]])
    else:
        step["conclusion"] = ["add", step["conclusion"], square]
    step["sum"].append([dice.choice([weight, "0x0"]), slack])
    if dice.random() < 0.5:
        step["conclusion"] = ["add", step["conclusion"], ["mul", weight, slack]]


def exchanged(step: Json, dice: random.Random) -> None:
    """A variable becomes another wherever a part speaks of it."""
    part = dice.choice([key for key in step if key not in ("rule", "text", "variables")])
    x, y = variable(step, dice), variable(step, dice)
    step[part] = json.loads(json.dumps(step[part]).replace(json.dumps(x), json.dumps(y)))


def repeated(step: Json, dice: random.Random) -> None:
    """An instance is listed again, in other words; or a condition."""
    if step["rule"] == "every" and step["variables"]:
        values = dice.choice(step["variables"])[1]
        x = dice.choice(values)
        values.append(dice.choice([x, ["add", x, "0x0"], ["mul", "0x1", x]]))
    elif step["rule"] == "orders":
        relation = [dice.choice(("<=", "=", ">=")), variable(step, dice), variable(step, dice)]
        step["given"].append(relation)


KINDS: list[Callable[[Json, random.Random], None]] = [
    divided,
    split,
    repeated,
    exchanged,
    anywhere,
    anywhere,
]
OF_CLAIMS = [bounded, weighed]


def steps() -> Iterator[tuple[str, Json, Json]]:
    """Yield a name, the document and the step: the kept ones that are no tables, and our own."""
    for path in PROOFS:
        document = json.loads(path.read_bytes())
        for step in document["conclusion"]:
            if len(json.dumps([step, document.get("define", [])])) < LONGEST:
                yield path.name, document, step
    for name, (step, _) in SHOWN.items():
        yield name, {"format": "exactdp-proof/1", "claim": ""}, {"text": "so", **step}


def mutants(number: int, step: Json, count: int, seed: int) -> Iterator[tuple[str, Json]]:
    """Yield different changed steps, some changed twice, with the name of the (first) change."""
    dice = random.Random(f"{number} {seed}")
    seen = {json.dumps(step)}
    possible = [*(OF_CLAIMS if step["rule"] == "claim" else []), *KINDS]
    for _ in range(count):
        # What may leave no step at all comes last.
        kinds = sorted(dice.choices(possible, k=1 + (dice.random() < 0.2)), key=possible.index)
        mutant = copy.deepcopy(step)
        for kind in kinds:
            kind(mutant, dice)
        if (text := json.dumps(mutant)) not in seen:
            seen.add(text)
            yield kinds[0].__name__, mutant


def used(define: list[Json], step: Json) -> list[Json]:
    """Return the definitions that a step uses, also through others."""
    text, kept = json.dumps(step), list[Json]()
    for name, written_as in reversed(define):
        if f'{{"ref": "{name}"}}' in text:
            kept.insert(0, [name, written_as])
            text += json.dumps(written_as)
    return kept


FALSE = "false as printed, accepted"


def compared(document: Json, step: Json, *, seconds: int = 2) -> str:
    """Return what the kernel makes of a step, and the judge of an accepted one, in words."""
    document = {**document, "define": used(document.get("define", []), step)}
    file = json.dumps({**document, "conclusion": [step]}).encode()
    answer = check(file, seconds=seconds)
    if not isinstance(answer, Accepted):
        return "rejected"
    if "[..." in answer.statement.partition("; ")[0]:
        return "accepted, in parts"
    point = false_at(document["define"], answer.statement)
    return "accepted, not false at the points tried" if point is None else FALSE
