"""The kernel, the proved program, Coq and the evaluators on the same changed files.

    python -m tests.kernel.three_checkers --each 400 --steps 480 --seed 1 --coq 300

takes the changed certificates and steps of ``mutations``, asks the kernel and the program that is
extracted from Coq about each, and Coq itself about a sample of the certificates; the second
evaluator judges the certificates, and ``proof_judge`` both printed statements of a step. It prints
what disagrees at once, and the counts as they stand in TRUST.md; the exit code is 1 if any do.
"""

import argparse
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from exactdp.cli.proved import ProvedChecker
from exactdp.coq.certificates import coq_file
from exactdp.errors import ParseError
from proofs_check.kernel import Accepted, check
from tests.kernel import proof_mutations
from tests.kernel.mutations import CERTIFICATES, is_heavy, mutants
from tests.kernel.printed import of_the_program, said
from tests.kernel.proof_judge import false_in
from tests.kernel.second_checker import Judgment, judged

AT_ONCE = 500  # files of one run of the program
LONGEST_FOR_COQ = 1500  # characters
WRONG = (Judgment.FALSE, Judgment.UNDEFINED)


def answers(
    program: Path, documents: Sequence[bytes], *, seconds: int = 2
) -> list[tuple[str, str]]:
    """Return the program's verdict on each, and what it says: its statement, or the reason."""
    found: list[tuple[str, str]] = []
    with TemporaryDirectory() as folder:
        for first in range(0, len(documents), AT_ONCE):
            files = []
            for i, document in enumerate(documents[first : first + AT_ONCE]):
                files.append(Path(folder) / f"{i}.json")
                files[-1].write_bytes(document)
            command = [program, "--seconds", str(seconds), *files]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            lines = run.stdout.removesuffix("\n").split("\n")  # a text may have other line ends
            assert len(lines) == len(files), (run.returncode, run.stderr, lines[-1:])
            for line in lines:
                _, word, text = line.split(": ", 2)
                found.append((word, text))
    return found


def in_groups(documents: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield what is asked about at once."""
    group: list[Any] = []
    for document in documents:
        group.append(document)
        if len(group) == AT_ONCE:
            yield group
            group = []
    if group:
        yield group


def of_certificates(each: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield changed certificates, each with the name of its file."""
    for path in CERTIFICATES:
        for _, mutant in mutants(path, each // (20 if is_heavy(path) else 1), seed):
            yield path.name, mutant


def on_certificates(
    program: Path, documents: list[tuple[str, dict[str, Any]]], counts: Counter[str]
) -> list[str]:
    """Count what the two checkers and the evaluator say, and return what disagrees."""
    wrong = []
    files = [json.dumps(document).encode() for _, document in documents]
    for (name, document), file, (word, _) in zip(
        documents, files, answers(program, files), strict=True
    ):
        kernel, judgment = check(file, seconds=2), judged(document)
        accepted = isinstance(kernel, Accepted)
        reason = getattr(kernel, "reason", "")
        bad = judgment in WRONG and (accepted or word == "accepted")
        bad |= accepted and word == "refused"
        bad |= word == "accepted" and "but the relation needs" in reason
        counts[f"{judgment.value}; kernel {_of(accepted)}, program {word}"] += 1
        if bad:
            wrong.append(f"{name}: {judgment}, {accepted}, {word}, {reason[:200]}: {document}")
    return wrong


def of_steps(each: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield proofs of one changed step, each with a name."""
    for number, (name, document, step) in enumerate(proof_mutations.steps()):
        for _, mutant in proof_mutations.mutants(number, step, each, seed):
            yield f"{name}, {step['rule']}", {**document, "conclusion": [mutant]}


def on_steps(
    program: Path, documents: list[tuple[str, dict[str, Any]]], counts: Counter[str]
) -> list[str]:
    """Count what the two checkers say of steps; return what disagrees, or is false as printed."""
    wrong = []
    files = [json.dumps(document).encode() for _, document in documents]
    for (name, document), file, (word, text) in zip(
        documents, files, answers(program, files), strict=True
    ):
        kernel, define = check(file, seconds=2), document.get("define", [])
        printed = [said(kernel.statement)] if isinstance(kernel, Accepted) else []
        printed += [of_the_program(text)] if word == "accepted" else []
        false = any(step is not None and false_in(define, step) is not None for step in printed)
        counts[f"kernel {_of(isinstance(kernel, Accepted))}, program {word}"] += 1
        if false or (isinstance(kernel, Accepted) and word == "refused"):
            wrong.append(f"{name}: {kernel}, {word}, {text[:300]}: {document['conclusion']}")
    return wrong


def _of(accepted: bool) -> str:
    return "accepted" if accepted else "rejected"


def on_a_sample_in_coq(count: int, seed: int, counts: Counter[str]) -> list[str]:
    """Ask Coq about some short changed certificates; return what it accepts and is false.

    What has no meaning here can be true of Coq's total functions (TRUST.md): it is counted.
    """
    from tests.kernel.test_coq import COQ, LIBRARIES, as_attempt, coqc, one_file

    short = [x for x in of_certificates(12, seed) if len(json.dumps(x[1])) < LONGEST_FOR_COQ]
    texts, judgments = [], []
    for _, document in random.Random(seed).sample(short, min(count, len(short))):
        try:
            texts.append(as_attempt(coq_file(json.dumps(document).encode()), str(len(texts))))
        except ParseError:
            counts["not translated"] += 1
        else:
            judgments.append((judged(document), document))
    with TemporaryDirectory() as name:
        folder = Path(name)
        for library in LIBRARIES:
            (folder / library).write_bytes((COQ / library).read_bytes())
            assert coqc(folder, library).returncode == 0
        (folder / "c_mutants.v").write_text(one_file(texts))
        run = coqc(folder, "c_mutants.v")
        assert run.returncode == 0, run.stderr
    accepted = {
        int(line.split()[-1].strip('"')) for line in run.stdout.splitlines() if "accepted" in line
    }
    wrong = []
    for i, (judgment, document) in enumerate(judgments):
        counts[f"{judgment.value}; Coq {'accepted' if i in accepted else 'not accepted'}"] += 1
        if i in accepted and judgment is Judgment.FALSE:
            wrong.append(f"Coq accepts what is false: {document}")
    return wrong


def main() -> int:
    """Run the campaign, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20, help="changes tried a certificate")
    parser.add_argument("--steps", type=int, default=20, help="changes tried a step of a proof")
    parser.add_argument("--coq", type=int, default=0, help="certificates that Coq is asked about")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program, failed = ProvedChecker.built().program, False
    campaigns = (
        ("certificates", of_certificates(options.each, options.seed), on_certificates),
        ("steps", of_steps(options.steps, options.seed), on_steps),
    )
    for what, documents, ask in campaigns:
        counts: Counter[str] = Counter()
        for group in in_groups(documents):
            for line in ask(program, group, counts):
                print(f"DISAGREE: {line}", flush=True)
                failed = True
        print(f"{counts.total()} changed {what}: {dict(sorted(counts.items()))}", flush=True)
    if options.coq:
        counts = Counter()
        for line in on_a_sample_in_coq(options.coq, options.seed, counts):
            print(f"DISAGREE: {line}", flush=True)
            failed = True
        print(f"in Coq: {dict(sorted(counts.items()))}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
