"""Small random certificates: every operation, laws, views, merges, sums, cases, edge cases."""

import random
from typing import Any

from tests.kernel.mutations import written
from tests.kernel.second_checker import Judgment, value_of

EXACT = ("add", "mul", "max", "min", "sub", "div", "neg", "abs", "positive_part", "pow", "binomial")
IRRATIONAL = ("exp", "log", "cos", "sqrt", "pi", "normal_cdf")
OF_LAWS = ("hockey_stick", "total_variation", "mass", "event", "ldp_ratio", "entry", "row_sum")
OPERATIONS = (*EXACT, "sum", "when", *IRRATIONAL, *OF_LAWS)
COUNT = {"sub": 2, "div": 2, "neg": 1, "abs": 1, "positive_part": 1, "pi": 0}
SIGNS = ("<", "<=", "=", "!=", ">=", ">")


class Drawn:
    """One certificate's definitions, as they are drawn."""

    def __init__(self, dice: random.Random) -> None:
        self.dice, self.define = dice, []
        self.terms: list[str] = []
        self.matrices: dict[str, tuple[int, int]] = {}
        self.pairs: dict[str, tuple[int, int]] = {}

    def certificates(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return a certificate and one that says the opposite, of which one is true if any is."""
        for _ in range(self.dice.randrange(4)):
            draw = self.dice.choice([self.defined_term, self.matrix, self.pair])
            draw()
        laws = self.dice.random() < 0.4
        left = self.of_laws(self.dice.choice(OF_LAWS), 2) if laws else self.term(3)
        found = value_of(self.define, left)
        right, signs = self.number(), [("<", ">="), ("=", "!="), (">", "<=")]
        if not isinstance(found, Judgment):
            exact, value = found
            right = written(value.numerator, value.denominator)
            signs = [("=", "!="), ("<=", ">"), (">=", "<")] if exact else [(">", "<=")]
        one, opposite = (
            {
                "format": "exactdp-certificate/1",
                "claim": "drawn",
                "define": self.define,
                "conclusion": [[sign, left, right]],
            }
            for sign in self.dice.choice(signs)
        )
        return one, opposite

    def keep(self, value: Any) -> str:
        name = f"x{len(self.define)}"
        self.define.append([name, value])
        return name

    def defined_term(self) -> None:
        old = self.terms and self.dice.random() < 0.1
        value = {"ref": self.dice.choice(self.terms)} if old else self.term(2)
        self.terms.append(self.keep(value))

    def number(self) -> str:
        if self.dice.random() < 0.1:
            return self.dice.choice(["0x0", "-0x0", "0x1", "-0x1", "0x2/0x4", "0x1/0x" + "f" * 40])
        return written(self.dice.randint(-6, 9), self.dice.randint(1, 6))

    def index(self, least: int, most: int) -> Any:
        i = self.dice.randint(least, most)
        formula = self.dice.random() < 0.05
        return ["sub", written(i + 2), "0x2"] if formula else self.dice.choice([i, written(i)])

    def term(self, depth: int, variables: tuple[str, ...] = ()) -> Any:
        names = (*self.terms, *variables)
        if not depth or self.dice.random() < 0.1:
            use = names and self.dice.random() < 0.6
            return {"ref": self.dice.choice(names)} if use else self.number()
        head = self.dice.choice(OPERATIONS)
        if head in OF_LAWS:
            return self.of_laws(head, depth)
        more = [self.term(depth - 1, variables) for _ in range(3)]
        if head == "pow":
            return [head, more[0], self.index(-2, 3)]
        if head == "binomial":
            return [head, self.index(-1, 7), self.index(-1, 5)]
        if head == "sum":
            name = f"i{depth}{len(variables)}"
            body = self.term(depth - 1, (*variables, name))
            return [head, name, self.index(-1, 2), self.index(-2, 4), body]
        if head == "when":
            sides = [self.dice.choice(SIGNS), more[0], self.number()]
            return [head, sides, *more[1:]]
        if head in ("exp", "cos", "normal_cdf"):  # of what is not large
            more[0] = ["min", "0x9", ["max", "-0x9", more[0]]]
        if head in ("log", "sqrt") and self.dice.random() < 0.8:
            more[0] = ["abs", more[0]]
        default = self.dice.randint(1, 3) if head in ("add", "mul", "max", "min") else 1
        return [head, *more[: COUNT.get(head, default)]]

    def of_laws(self, head: str, depth: int) -> Any:
        if head in ("ldp_ratio", "entry", "row_sum"):
            name = self.dice.choice([*self.matrices, self.matrix()])
            rows, columns = self.matrices[name]
            at = [self.index(0, rows - 1), self.index(0, columns - 1)]
            size = {"ldp_ratio": 0, "row_sum": 1, "entry": 2}[head]
            return [head, {"ref": name}, *at[:size]]
        name = self.dice.choice([*self.pairs, self.pair()])
        pair, side = {"ref": name}, self.dice.choice("pq")
        if head == "hockey_stick":
            factors = ["0x0", "0x1/0x2", "0x1", "0x3/0x2", ["exp", "0x1/0x4"]]
            factors.append(["abs", self.term(min(depth - 1, 1))])
            return [head, pair, self.dice.choice(factors)]
        if head == "total_variation":
            return [head, pair]
        if head == "mass":
            return [head, pair, side, self.outcome(name)]
        drawn = [self.outcome(name) for _ in range(self.dice.randrange(3))]
        return [head, pair, side, drawn]

    def outcome(self, pair: str) -> Any:
        size, users = self.pairs[pair]
        if not users:
            return self.dice.randrange(size)
        cuts = sorted(self.dice.randint(0, users) for _ in range(size - 1))
        return [b - a for a, b in zip([0, *cuts], [*cuts, users], strict=True)]

    def row(self, columns: int) -> list[Any]:
        if columns > 1 and self.dice.random() < 0.15:  # irrational
            part = ["div", ["exp", self.number()], ["add", "0x1", ["exp", self.number()]]]
            part = ["div", "0x1", ["add", "0x1", part]]
            return [part, ["sub", "0x1", part], *["0x0"] * (columns - 2)]
        weights = [self.dice.randint(self.dice.random() < 0.8, 3) for _ in range(columns)]
        weights[self.dice.randrange(columns)] += 1
        row: list[Any] = [written(w, sum(weights)) for w in weights]
        if self.dice.random() < 0.03:  # no law
            row[0] = self.number()
        return row

    def matrix(self, columns: int = 0) -> str:
        rows = self.dice.choice((1, 2, 2, 3, 3))
        columns = columns or self.dice.choice((1, 2, 2, 3, 3))
        name = self.keep([self.row(columns) for _ in range(rows)])
        self.matrices[name] = rows, columns
        return name

    def pair(self) -> str:
        columns = self.dice.choice((1, 2, 2, 3, 3))
        if self.dice.random() < 0.3:
            name = self.keep(
                {"kind": "finite_pair", "p": self.row(columns), "q": self.row(columns)}
            )
            self.pairs[name] = columns, 0
            return name
        known = [self.matrix(columns) for _ in range(self.dice.randint(1, 2))]
        victim = {"randomizer": "r0", "inputs": [self.index(0, self.matrices[known[0]][0] - 1)] * 2}
        victim["inputs"][1] = self.index(0, self.matrices[known[0]][0] - 1)
        others, users = [], 1
        for i, name in enumerate(known):
            count = self.dice.randrange(3)
            at = self.index(0, self.matrices[name][0] - 1)
            others.append({"randomizer": f"r{i}", "input": at, "count": count})
            users += count
        value: dict[str, Any] = {
            "kind": "shuffle",
            "randomizers": {f"r{i}": {"ref": name} for i, name in enumerate(known)},
            "victim": victim,
            "others": others,
        }
        if self.dice.random() < 0.4:
            order = self.dice.sample(range(columns), columns)
            cut = self.dice.randint(1, columns)
            value["merge"] = [block for block in (order[:cut], order[cut:]) if block]
        name = self.keep(value)
        self.pairs[name] = len(value.get("merge", range(columns))), users
        return name


def drawn(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the certificates of a seed: one, and its opposite."""
    return Drawn(random.Random(seed)).certificates()
