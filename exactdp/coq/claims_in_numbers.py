"""A claim about numbers as a theorem of Coq, with its proof: the rule ``claim`` of FORMAT.md there.

The statement is the claim's own export (:func:`~exactdp.coq.statements.coq_statement`). The
proof writes each variable with slacks that are at least 0, gives the relations and their reasons
as data to the program of ``proofs_check/coq/Numbers.v``, and lets Coq compute its answer: that what
it says is true is a theorem (``shown``). Coq's division is total; the program divides only by what
it has seen to be above or below 0 on the whole domain.

Definitions: :func:`coq_file_of_claim`, :func:`is_in_numbers`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from exactdp.claims.certificate import Rule
from exactdp.claims.claim import Statement
from exactdp.claims.terms import Term
from exactdp.coq.statements import coq_statement, written_out
from exactdp.errors import DomainError

__all__ = ["coq_file_of_claim", "is_in_numbers"]

_HEAD = """\
(** A claim about numbers: written by `exactdp export coq-claims`. *)
From Coq Require Import Reals List.
Require Import ExactDP Numbers.
Import ListNotations.
Open Scope R_scope.
"""

# A sign: its lemmas' name, what is shown, and whether the right side is taken from the left one.
_SIGNS = {
    "<": ("lt", "Above", False),
    "<=": ("le", "AtLeast", False),
    "=": ("eq", "Zero", True),
    ">=": ("ge", "AtLeast", True),
    ">": ("gt", "Above", True),
}
_FOLDS = {"add": "Plus", "sub": "Minus", "mul": "Times", "div": "Over"}
_NESTED = {"max": "Largest", "min": "Least"}
_APPLIED = {"neg": "Negative", "positive_part": "Positive", "abs": "Absolute"}


def is_in_numbers(statement: Statement) -> bool:
    """Return whether a statement is proved in numbers: by the rule ``claim`` of the kernel."""
    return _rule(statement) is not None


def coq_file_of_claim(name: str, statement: Statement) -> str:
    """Return a claim that is proved in numbers as the text of a Coq file: its theorem and proof.

    ``coqc`` accepts it beside ``ExactDP.v`` and ``Numbers.v`` of ``proofs_check/coq``, or the claim
    is not shown: a false one never is.

    Args:
        name: What the theorem is called, after the claim's id.
        statement: The claim.

    Raises:
        DomainError: If the claim has no such proof, or a part of it no form in Coq.
    """
    rule = _rule(statement)
    if rule is None or statement.domain is None:
        raise DomainError(f"{name} is not proved in numbers. `exactdp show` says what proves it.")
    said = coq_statement(statement)
    called = re.sub(r"\W", "_", name, flags=re.ASCII)
    return _HEAD + _Theorem(called, said, rule.parts, statement.domain.kinds).text()


def _rule(statement: Statement) -> Rule | None:
    """Return the last line of a proof in numbers, if there is one."""
    steps = statement.proof.steps if statement.proof else ()
    grounds = [step.ground for step in steps if step.ground and step.ground.is_of(statement)]
    rules = [rule for ground in grounds for rule in ground.rules() or ()]
    return rules[0] if len(rules) == 1 and rules[0].name == "claim" else None


@dataclass
class _Theorem:
    """The parts of one theorem. A name that it gives ends in an apostrophe, as no variable's does.

    Attributes:
        name: What it is called.
        statement: The binders and the statement.
        parts: The parts of the rule ``claim``.
        kinds: What each variable may be.
        slacks: The proof that each slack is above 0, or at least 0, and whether it is above.
        pairs: The place of the first of each two slacks that sum to 1, with the proof.
        data: Definitions before the theorem.
        script: The lines of the proof.
    """

    name: str
    statement: str
    parts: Mapping[str, Any]
    kinds: Mapping[str, Any]
    slacks: list[tuple[str, bool]] = field(default_factory=list)
    pairs: list[tuple[int, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    script: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the definitions, the theorem and its proof."""
        for name, least, most in self.parts["variables"]:
            self._variable(name, least, most)
        given = [self._fact(*relation) for relation in self.parts["given"]]
        names = [f"g{i}'" for i in range(len(given))]
        self._define("open", "list bool", [str(strict).lower() for _, strict in self.slacks])
        self._define("pairs", "list nat", [f"{i}%nat" for i, _ in self.pairs])
        self._define("given", "list (sign * form)", [f"({s}, {t})" for _, s, t in given])
        values = f"[{'; '.join(f't{i}' + chr(39) for i in range(len(self.slacks)))}]"
        each = _all("Forall2", [proof for proof, _ in self.slacks])
        sums = _all("Forall", [proof for _, proof in self.pairs])
        self.script.append(f"assert (I' : Numbers.inside open' pairs' {values}).")
        self.script.append(f"{{ split; [{each} | {sums}]. }}")
        held = [f"(Numbers.of_{w} _ _ {g})" for g, (w, _, _) in zip(names, given, strict=True)]
        known = f"Forall (fun g => Numbers.holds (fst g) (Numbers.real {values} (snd g))) given'"
        self.script += [f"intros {' '.join(names)}."] if names else []
        self.script.append(f"assert (G' : {known}) by ({_all('Forall', held)}).")
        said = list(zip(self.parts["relations"], self.parts["reasons"], strict=True))
        holes = reduce(lambda rest, _: f"(conj _ {rest})", said[1:], "_")
        self.script += [f"refine {holes}."] if len(said) > 1 else []
        for i, (relation, why) in enumerate(said):
            word, sign, t = self._fact(*relation)
            self.data.append(f"Definition form{i}' : form := {t}.")
            self.data.append(f"Definition why{i}' : reason := {self._reason(why)}.")
            shown = f"(Numbers.shown open' pairs' _ I' given' Numbers.{sign} form{i}' why{i}' G')"
            claimed = f"Numbers.holds Numbers.{sign} (Numbers.real {values} form{i}')"
            self.script += [
                f"{{ assert (C' : {claimed}).",
                f"  {{ apply {shown}; vm_compute; reflexivity. }}",
                f"  apply Numbers.to_{word}; exact C'. }}",
            ]
        proof = ["Proof.", *(f"  {line}" for line in self.script), "Qed."]
        return "\n".join([*self.data, f"Theorem {self.name} {self.statement}.", *proof, ""])

    def _define(self, name: str, kind: str, parts: Sequence[str]) -> None:
        self.data.append(f"Definition {name}' : {kind} := [{'; '.join(parts)}].")

    def _variable(self, x: str, least: Any, most: Any) -> None:
        """Write a variable with slacks, in the goal and as data."""
        whole, i = self.kinds[x].whole, len(self.slacks)
        if whole and (least is None or most is not None):
            raise DomainError(f"the integer {x} has no least or a largest value: not translated.")
        if whole:
            self._whole(x, least[1], f"l{i}'")
        else:
            ends = ((least, f"l{i}'"), (most, f"m{i}'"))
            self.script += [f"intros {h}." for end, h in ends if end is not None]
        if least is not None and most is not None:
            form = self._between(i, least, most)
        elif least is None and most is None:
            found = f"t{i}' & t{i + 1}' & T{i}' & T{i + 1}' & E{i}'"
            self.script.append(f"destruct (Numbers.signed {x}) as ({found}).")
            self.slacks += [(f"T{i}'", False), (f"T{i + 1}'", False)]
            form = f"Minus (Slack {i}) (Slack {i + 1})"
        else:
            side, h = ("Plus", f"l{i}'") if least is not None else ("Minus", f"m{i}'")
            sign, end = least or most
            lemma = {">": "above", ">=": "from", "<": "below", "<=": "upto"}[sign]
            self.script.append(f"destruct (Numbers.{lemma} _ _ {h}) as (t{i}' & T{i}' & E{i}').")
            self.slacks.append((f"T{i}'", sign in "<>"))
            form = f"{side} {self._form(end)} (Slack {i})"
        self.script.append(f"rewrite ?E{i}'." if whole else f"subst {x}.")
        self.data.append(f"Definition {x}' : form := {form}.")

    def _whole(self, x: str, least: Term, h: str) -> None:
        """Introduce the least value of an integer, as of a real number."""
        if not (least.head == "number" and least.parts[0] >= 0):
            self.script.append(f"intros {h}.")  # it is stated of a real number
            return
        n = least.parts[0].as_fraction()
        how = (
            f"intros {h}; apply Numbers.of_nat in {h}" if n else f"pose proof (pos_INR {x}) as {h}"
        )
        self.script += [f"{how}.", f"change ({n} <= INR {x}) in {h}."]

    def _between(self, i: int, least: Any, most: Any) -> str:
        """Write a variable with two ends as their mixture, with two slacks that sum to 1."""
        (left, a), (right, b) = least, most
        low, high = (
            f"(Rlt_le _ _ {h})" if sign in "<>" else h
            for sign, h in ((left, f"l{i}'"), (right, f"m{i}'"))
        )
        found = f"t{i}' & t{i + 1}' & T{i}' & T{i + 1}' & U{i}' & E{i}' & A{i}' & B{i}'"
        self.script.append(f"destruct (Numbers.between _ _ _ {low} {high}) as ({found}).")
        self.pairs.append((i, f"U{i}'"))
        for j, sign, strict in ((i, right, f"B{i}' m{i}'"), (i + 1, left, f"A{i}' l{i}'")):
            if sign in "<>":
                self.script.append(f"pose proof ({strict}) as P{j}'.")
            self.slacks.append((f"P{j}'", True) if sign in "<>" else (f"T{j}'", False))
        return f"Plus (Times {self._form(a)} (Slack {i})) (Times {self._form(b)} (Slack {i + 1}))"

    def _fact(self, sign: str, left: Term, right: Term) -> tuple[str, str, str]:
        """Return a relation's lemmas, and as data: the sign of a difference, and this."""
        word, shown, is_left = _SIGNS[sign]
        a, b = (left, right) if is_left else (right, left)
        return word, shown, f"Minus {self._form(a)} {self._form(b)}"

    def _reason(self, why: Any) -> str:
        if why == "coefficients":
            return "(Sum [])"
        if isinstance(why, list) and why[0] == "sum":
            parts = "; ".join(f"({self._form(m)}, {i}%nat)" for m, i in why[1])
            return f"(Sum [{parts}])"
        if isinstance(why, list) and why[0] == "cases" and len(why) == 4:
            return f"(Cases {self._form(why[1])} {' '.join(map(self._reason, why[2:]))})"
        raise DomainError(f"the reason {why!r} is not translated to Coq.")

    def _form(self, t: Term) -> str:
        """Return a term as data, as its text in the statement is read."""
        match t.head, t.parts:
            case "number", (x,) if x.is_rational:
                value = x.as_fraction()
                top = f"(Number ({value.numerator}))"
                whole = value.denominator == 1
                return top if whole else f"(Over {top} (Number {value.denominator}))"
            case "variable", (str(name),):
                return f"{name}'"
            case "named", (_, inner):
                return self._form(inner)
            case "pow", (base, Term(head="number", parts=(n,))) if n.is_rational:
                return f"(Raised {self._form(base)} {n.as_fraction()}%nat)"
            case head, parts if head in _FOLDS:
                forms = map(self._form, parts)
                return reduce(lambda a, b: f"({_FOLDS[head]} {a} {b})", forms)
            case head, parts if head in _NESTED:
                *first, last = map(self._form, parts)
                return reduce(lambda b, a: f"({_NESTED[head]} {a} {b})", reversed(first), last)
            case head, (x,) if head in _APPLIED:
                return f"({_APPLIED[head]} {self._form(x)})"
            case (("hockey_stick" | "total_variation"), _):
                return self._form(written_out(t))
        raise DomainError(f"{t.head} is not translated to Coq.")


def _all(name: str, proofs: Sequence[str]) -> str:
    """Return the steps that show something of all of a list, from proofs for each."""
    last = f"apply {name}_nil"
    return reduce(
        lambda rest, one: f"apply {name}_cons; [exact {one} | {rest}]", reversed(proofs), last
    )
