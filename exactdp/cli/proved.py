"""The checker that is proved in Coq, as a program: built once, kept in a cache, and asked."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from exactdp.errors import ExactDPError

__all__ = ["ProvedAnswer", "ProvedChecker", "theorems"]

DEBIAN = "coq libcoq-interval ocaml ocaml-findlib libzarith-ocaml-dev"
"""The packages of Debian that build the program."""

_THEOREMS = {
    "Checker.v": "checker_sound",
    "Proofs.v": "proof_checker_sound",
    "Cards.v": "card_checker_sound",
}

# In bytes: a certificate that needs more is undecided.
_MOST_MEMORY = 4 << 30
# Longer than the program itself takes for a file: it stops by its own clock.
_SLACK_SECONDS = 30


class ProvedAnswer(NamedTuple):
    """The proved checker's answer to a certificate.

    Attributes:
        word: accepted, refused or undecided.
        said: The statement that was checked, or the reason.
    """

    word: str
    said: str


def _folder() -> Path:
    """Return the folder of the theory and, inside, of the program."""
    from exactdp.coq.theorems import shipped_folder

    return shipped_folder() / "coq"


def _sources() -> list[Path]:
    """Return the files that the program is made of."""
    folder = _folder()
    return [
        *sorted(folder.glob("*.v")),
        *sorted((folder / "extracted").glob("*.v")),
        *sorted((folder / "extracted").glob("*.ml")),
        folder / "extracted" / "build",
    ]


def theorems() -> str:
    """Return the theorems on certificates, proofs and cards, word for word as Coq reads them.

    Example:
        >>> theorems().splitlines()[1].strip()
        'checker bits longest defs claims = Known tt -> certified defs claims.'
    """
    found = []
    for file, name in _THEOREMS.items():
        text = (_folder() / "extracted" / file).read_text()
        start = text.index(f"Theorem {name} ")
        found.append(text[start : text.index(".\n", start) + 1])
    return "\n\n".join(found)


@dataclass(frozen=True, slots=True)
class ProvedChecker:
    """The program, built.

    Attributes:
        program: Its path.
    """

    program: Path

    @classmethod
    def built(cls) -> ProvedChecker:
        """Return the program of these sources: the one in the cache, or a new one beside it.

        It is built in a folder of its own and renamed, so that a build that was stopped leaves
        no half of a program. The cache is ``$XDG_CACHE_HOME/exactdp``, or ``~/.cache/exactdp``.

        Raises:
            ExactDPError: If it is not built and cannot be: what is missing, or what failed.
        """
        digest = hashlib.sha256()
        for path in _sources():
            content = path.read_bytes()
            digest.update(f"{path.name} {len(content)}\n".encode())
            digest.update(content)
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exactdp"
        program = cache / f"checked-{digest.hexdigest()[:24]}"
        if not program.exists():
            _refuse_missing()
            cache.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=cache, prefix="building-") as folder:
                _build(Path(folder))
                (Path(folder) / "checked").replace(program)
        return cls(program)

    def answer(self, certificate: bytes, *, seconds: int) -> ProvedAnswer:
        """Return the program's answer to a certificate's content.

        Args:
            certificate: The content of the file.
            seconds: Where it stops: undecided.
        """
        with TemporaryDirectory() as folder:
            path = Path(folder) / "certificate.json"
            path.write_bytes(certificate)
            run = subprocess.run(
                [self.program, "--seconds", str(seconds), path],
                capture_output=True,
                check=False,
                preexec_fn=partial(_limit, 10 * seconds + _SLACK_SECONDS),
            )
        line = run.stdout.decode("ascii", "backslashreplace").rstrip("\n")
        own, _, answer = line.partition(f"{path}: ")
        word, _, said = answer.partition(": ")
        codes = {"accepted": 0, "refused": 1, "undecided": 1}
        if own or codes.get(word) != run.returncode:
            return ProvedAnswer("undecided", "too large: the program ended")
        return ProvedAnswer(word, said)


def _limit(seconds: int) -> None:
    """Limit a process that ought to end by itself: its steps are counted."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def _refuse_missing() -> None:
    """Refuse if Coq, OCaml or zarith are not there."""
    missing = [tool for tool in ("coqc", "ocamlfind") if shutil.which(tool) is None]
    if "ocamlfind" not in missing and subprocess.call(
        ["ocamlfind", "query", "zarith"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ):
        missing.append("zarith")
    if missing:
        raise ExactDPError(
            f"the proved checker cannot be built: {', '.join(missing)} is not installed. "
            f"On Debian: apt-get install {DEBIAN}."
        )


def _build(folder: Path) -> None:
    """Compile the theory, extract and build, in a folder."""
    run = subprocess.run(
        ["bash", _folder() / "extracted" / "build", folder],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if run.returncode or not (folder / "checked").exists():
        last = " ".join(run.stdout.split())[-300:]
        raise ExactDPError(
            f"the proved checker cannot be built: {last!a}. "
            f"On Debian, these packages build it: {DEBIAN}."
        )
