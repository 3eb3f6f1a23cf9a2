"""A certificate as a Coq file: its definitions and statement in ordinary notation, and a proof.

The statement is what a reader reads; the proof hands the same terms as data to ``certify``
(``proofs_check/coq/Certificate.v``), which computes them inside Coq. Nothing here is trusted: Coq
checks that the data mean the statement, and that the computation confirms them. What cannot be
translated is refused with its reason.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from exactdp.claims.certificate import FORMAT, PROOF_FORMAT
from exactdp.coq.identities import identity_theorems
from exactdp.coq.terms import Both, Definition, Terms, bare, in_coq, not_translated, whole
from exactdp.errors import ParseError

__all__ = ["LIBRARIES", "coq_file"]

LIBRARIES = ("ExactDP.v", "Language.v", "Polynomials.v", "Normal.v", "Certificate.v")
"""What a certificate's file needs, in the order of compilation (``proofs_check/coq``)."""

_OF_LAWS = {
    "hockey_stick": "pair",
    "total_variation": "pair",
    "mass": "pair",
    "event": "pair",
    "ldp_ratio": "matrix",
    "entry": "matrix",
    "row_sum": "matrix",
}
# Views of more users are computed with intervals: their masses are too long to be exact.
_MOST_EXACT_USERS = 8
# A rational of more bits becomes an interval.
_LONGEST = 3000
# The least precision of Coq's intervals: with fewer bits more relations are not confirmed.
_LEAST_BITS = 64
_EVENTS = {
    ">": ("exists", "some_event"),
    ">=": ("exists", "some_event_at_least"),
    "<": ("forall", "every_event_below"),
    "<=": ("forall", "every_event"),
}
_HEADER = """\
(** Certificate for {}: written by `exactdp export coq`.
    The label is not checked: read the theorem. *)
From Coq Require Import Reals List.
Require Import ExactDP Language Certificate.
Import ListNotations.
Open Scope R_scope.
"""


def coq_file(data: bytes) -> str:
    """Return a certificate as the text of a Coq file.

    The file's theorem ``certificate`` says that rows are laws, that the hypotheses hold and that
    the conclusion does; where the conclusion bounds a divergence, a corollary says it of events.
    A proof that lists the instances of a finite domain is a certificate of all their relations;
    its identities are theorems beside it.
    ``coqc`` accepts it beside :data:`LIBRARIES`, or it is false, or too close for the
    certificate's precision. What bounds a merged view from below is said of the whole view.

    Args:
        data: A certificate as in proofs_check/kernel/FORMAT.md.

    Raises:
        ParseError: If it is not a certificate, or has a part that is not translated.

    Example:
        >>> text = coq_file(b'{"format": "exactdp-certificate/1", "claim": "x", '
        ...                 b'"conclusion": [["<", "0x1/0x3", "0x1/0x2"]]}')
        >>> print(text.split("Proof")[0].splitlines()[-1])
          1 / 3 < 1 / 2.
    """
    try:
        document = json.loads(data, parse_float=_no_float, object_pairs_hook=_object)
        return _File().text(document)
    except ParseError:
        raise
    except (AttributeError, ArithmeticError, LookupError, RecursionError, TypeError) as error:
        reason = f"{type(error).__name__}: {error}"
    except ValueError as error:
        reason = str(error)
    raise ParseError(
        f"the certificate is not as in FORMAT.md: {reason}. Run `exactdp verify` on it."
    )


def _no_float(text: str) -> None:
    raise ValueError(f"{text} is a float")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a repeated key")
    return dict(pairs)


@dataclass
class _File:
    """The lines of definitions so far, as they are read and as data."""

    terms: Terms = field(default_factory=Terms)
    lines: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    inline: dict[str, str] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)

    def text(self, document: dict[str, Any]) -> str:
        """Return the whole file."""
        required, optional = {"format", "claim", "conclusion"}, {"reading", "precision_bits"}
        known = required | optional | {"define", "hypotheses"}
        identities: list[dict[str, Any]] = []
        if document.get("format") == PROOF_FORMAT:
            document, identities = _listed(document)
        if not required <= document.keys() <= known or document["format"] != FORMAT:
            raise ValueError(f"it is not an object of {FORMAT}")
        for name, value in document.get("define", []):
            self.define(self.terms.new(name), self.named(value))
        hypotheses, conclusion = (
            [self.named(x) for x in document.get(key, [])] for key in ("hypotheses", "conclusion")
        )
        if any(x[0] == "hole" for x in conclusion):
            raise not_translated("a hole (a step left to do)")
        rows = [self.rows(name, x) for name, x in self.of_kind("matrix")]
        parts = rows + [self.terms.relation(x) for x in hypotheses + conclusion]
        bits = max(whole(document.get("precision_bits", 128)), _LEAST_BITS)
        return "\n".join(
            [
                _HEADER.format(re.sub(r"[^\w ./=,+-]", "?", document["claim"], flags=re.ASCII)),
                *self.lines,
                "\nTheorem certificate :\n  " + " /\\\n  ".join(x.said for x in parts) + ".",
                "Proof.",
                f"certify {bits}%positive {_LONGEST}%Z",
                "  [" + ";\n   ".join(self.data) + "]" if self.data else "  (@nil definition)",
                "  [" + ";\n   ".join(x.data for x in parts) + "].",
                "Qed.",
                *self.sums(len(parts)),
                *self.corollaries(conclusion, len(parts)),
                *identity_theorems(identities, self.terms),
                "",
            ]
        )

    def of_kind(self, kind: str) -> list[tuple[str, Definition]]:
        """Return the definitions of a kind, by their names in Coq, in order."""
        return [(in_coq(name), x) for name, x in self.terms.known.items() if x.kind == kind]

    def rows(self, name: str, matrix: Definition) -> Both:
        """Return the theorem about a matrix; irrational sums have a proof of their own."""
        if matrix.exact:
            return Both(f"Forall is_row {name}", f"Rows {matrix.place}")
        return Both(f"Forall (Forall (fun x => 0 <= x)) {name}", f"Nonnegative {matrix.place}")

    def sums(self, parts: int) -> list[str]:
        """Return the proofs that rows which are not rational are laws, as rational functions."""
        terms = [name for name, _ in self.of_kind("term")]
        return [
            f"\nTheorem {name}_rows : Forall is_row {name}.\n"
            f"Proof.\napply rows_are_laws; [exact {_part(x.place, parts)}|].\n"
            f"unfold {', '.join([name, *terms])}; rows_sum.\nQed."
            for name, x in self.of_kind("matrix")
            if not x.exact
        ]

    def corollaries(self, conclusion: list[Any], parts: int) -> list[str]:
        """Return conclusions about divergences as inequalities of events."""
        lines = []
        for i, (sign, left, right) in enumerate(conclusion, 1):
            if not (isinstance(left, list) and left[0] == "hockey_stick" and sign in _EVENTS):
                continue
            (word, lemma), pair = _EVENTS[sign], in_coq(left[1]["ref"])
            factor, bound = self.terms.term(left[2]).said, bare(self.terms.term(right).said)
            proof = _part(parts - len(conclusion) + i - 1, parts)
            if pair in self.merged and word == "exists":
                step = {">": "Rge_gt_trans", ">=": "Rge_trans"}[sign]
                proof, pair = f"({step} _ _ _ ({pair}_merged _) {proof})", f"{pair}_whole"
            lines.append(
                f"\nCorollary conclusion_{i} : {word} S,\n"
                f"  prob S (fst {pair}) - {factor} * prob S (snd {pair}) {sign} {bound}.\n"
                f"Proof. exact ({lemma} _ _ _ {proof}). Qed."
            )
        return lines

    def named(self, value: Any) -> Any:
        """Return a part whose pairs and matrices inside terms are definitions, by first names."""
        if isinstance(value, dict) and isinstance(value.get("ref"), str):
            _keys(value, {"ref"})
            return {"ref": self.terms.renamed.get(value["ref"], value["ref"])}
        if isinstance(value, dict):
            return {key: self.named(x) for key, x in value.items()}
        if not isinstance(value, list):
            return value
        kind = _OF_LAWS.get(value[0]) if value and isinstance(value[0], str) else None
        if kind is None or (isinstance(value[1], dict) and "ref" in value[1]):
            return [self.named(x) for x in value]
        written = json.dumps(value[1])
        if written not in self.inline:
            name = f"${kind}_{len(self.inline) + 1}"
            self.inline[written] = name
            self.define(name, value[1])
        return [value[0], {"ref": self.inline[written]}, *map(self.named, value[2:])]

    def define(self, name: str, value: Any) -> None:
        """Define a term, a matrix or a pair."""
        if isinstance(value, dict) and "ref" in value:
            _ = self.terms.known[value["ref"]]
            self.terms.renamed[name] = value["ref"]
        elif isinstance(value, dict):
            self.pair(name, value)
        elif isinstance(value, list) and isinstance(value[0], list):
            self.matrix(name, value)
        else:
            x = self.terms.term(value)
            x = Both(bare(x.said), f"DefTerm {x.data}")
            self.keep(name, "R", x, self.found("term", self.terms.exact(value)))

    def found(self, kind: str, exact: object, *size: int) -> Definition:
        """Return the next definition of a kind."""
        first, second = size or (0, 0)
        return Definition(kind, self.terms.count(kind), bool(exact), (first, second))

    def keep(self, name: str, type_: str, both: Both, found: Definition) -> None:
        """Keep a definition."""
        self.terms.known[name] = found
        self.data.append(both.data)
        self.lines.append(f"Definition {in_coq(name)} : {type_} :=\n  {both.said}.")

    def matrix(self, name: str, rows: list[list[Any]]) -> None:
        """Define a matrix; its rows are laws, which is part of the theorem."""
        if len({len(row) for row in rows}) != 1 or not rows[0]:
            raise ValueError("the rows of a matrix must have equal lengths")
        both = [[self.terms.term(x) for x in row] for row in rows]
        said = ";\n   ".join("[" + "; ".join(bare(x.said) for x in row) + "]" for row in both)
        data = "; ".join("[" + "; ".join(x.data for x in row) + "]" for row in both)
        exact = all(self.terms.exact(x) for row in rows for x in row)
        found = self.found("matrix", exact, len(rows), len(rows[0]))
        self.keep(name, "matrix", Both(f"[{said}]", f"DefMatrix [{data}]"), found)

    def pair(self, name: str, value: dict[str, Any]) -> None:
        """Define a finite pair or a shuffled view."""
        if value["kind"] == "finite_pair":
            _keys(value, {"kind", "p", "q"})
            laws = f"${in_coq(name)}_laws"
            self.matrix(laws, [value["p"], value["q"]])
            x, laws = self.terms.known[laws], in_coq(laws)
            said = f"finite_pair (nth 0 {laws} []) (nth 1 {laws} [])"
            found = self.found("pair", x.exact, x.size[1], 0)
            self.keep(name, "pair", Both(said, f"DefFinite {x.place}"), found)
            return
        if value["kind"] != "shuffle":
            raise ValueError(f"{value['kind']!a} is not a kind of pair")
        _keys(value.keys() - {"merge"}, {"kind", "randomizers", "victim", "others"})
        matrices = {}
        for key, x in value["randomizers"].items():
            if not isinstance(x, dict):
                x = self.named(["ldp_ratio", x])[1]
            matrices[key] = (in_coq(x["ref"]), self.terms.reference(x, "matrix"))
        (columns,) = {x.size[1] for _, x in matrices.values()}
        merge = value.get("merge", [])
        classes = {y: i for i, block in enumerate(merge) for y in block}
        if merge and sorted(y for block in merge for y in block) != list(range(columns)):
            raise ValueError("merge must partition the columns")
        of_column = "[" + "; ".join(str(classes[y]) for y in sorted(classes)) + "]%nat"

        def user(who: str, number: Any) -> Both:
            (matrix, x), i = matrices[who], whole(number)
            if not 0 <= i < x.size[0]:
                raise ValueError(f"{matrix} has no row {i}")
            return Both(f"(row {matrix} {i})", f"({x.place}, {i})%nat")

        _keys(value["victim"], {"randomizer", "inputs"})
        v, w = (user(value["victim"]["randomizer"], x) for x in value["victim"]["inputs"])
        others = []
        for entry in value["others"]:
            _keys(entry, {"randomizer", "input", "count"})
            others.append((user(entry["randomizer"], entry["input"]), whole(entry["count"])))
        if any(n < 0 for _, n in others):
            raise ValueError("a count is negative")
        users, size = 1 + sum(n for _, n in others), len(merge) or columns
        exact = all(x.exact for _, x in matrices.values())
        rounded = "false" if exact and users <= _MOST_EXACT_USERS else "true"
        option = f"(Some {of_column})" if merge else "None"
        crowd = "; ".join(f"({u.data}, {n}%nat)" for u, n in others)
        data = f"DefShuffle {rounded} {size} {option} {v.data} {w.data} [{crowd}]"

        def sent(mark: str) -> list[str]:
            crowd = "; ".join(f"({bare(mark.format(u.said))}, {n}%nat)" for u, n in others)
            return [mark.format(v.said), mark.format(w.said), f"\n    [{crowd}]"]

        seen = "{} {}{}".format(*sent(f"(merged {of_column} {{}})" if merge else "{}"))
        both = Both(f"shuffle {size} {seen}", data)
        self.keep(name, "pair", both, self.found("pair", exact, size, users))
        if merge:
            merged, all_seen = in_coq(name), "{} {}{}".format(*sent("{}"))
            self.lines.append(
                f"(* The whole view, of which {merged} is a function. *)\n"
                f"Definition {merged}_whole : pair :=\n  shuffle {columns} {all_seen}.\n"
                f"Lemma {merged}_merged : forall E, "
                f"divergence {merged}_whole E >= divergence {merged} E.\n"
                f"Proof.\nintros E; apply Rle_ge, (whole_view {size} {columns} {of_column}"
                f" {all_seen}).\nall: below_rows.\nQed."
            )
            self.merged.add(merged)


def _keys(value: Any, wanted: set[str]) -> None:
    if set(value) != wanted:
        raise ValueError(f"the keys {sorted(value)} must be {sorted(wanted)}")


def _listed(document: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a proof by listing as the certificate of all its relations, and the identities."""
    listed = [step for step in document["conclusion"] if step["rule"] != "identity"]
    if not listed or any(step["rule"] != "every" or step["variables"] for step in listed):
        raise not_translated(
            f"a proof for the kernel ({PROOF_FORMAT}) that is not a list of instances"
        )
    kept = {name: part for name, part in document.items() if name != "domain"}
    relations = [relation for step in listed for relation in step["relations"]]
    identities = [step for step in document["conclusion"] if step["rule"] == "identity"]
    return kept | {"format": FORMAT, "conclusion": relations}, identities


def _part(i: int, parts: int) -> str:
    """Return the proof of part i of the theorem."""
    proof = "(proj2 " * i + "certificate" + ")" * i
    return f"(proj1 {proof})" if i < parts - 1 else proof
