"""Fixtures in other languages: each file is read by its language, doubles bit for bit."""

from __future__ import annotations

import json
import math
import shutil
import struct
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from exactdp.cli.app import application
from exactdp.errors import ExactDPError, ParseError
from exactdp.problems.fixtures import Fixture, fixture_of, read_problem_set
from exactdp.problems.sources import HEADS, LANGUAGES, source

AWKWARD = 'Laplace "b\\" $x ?? 𝔸Ω\n7'
SCALE = {"at_float": "0x1.5555555555555p+1"}
PROBLEMS = [
    (AWKWARD, {"kind": "laplace", "scale": SCALE, "ask": {"hockey_stick": [{"rational": "1/4"}]}}),
    ("logarithm", {"kind": "laplace", "scale": "1", "ask": {"hockey_stick": [{"log": "2"}]}}),
    ("infinite", {"kind": "gaussian", "sigma": "0.1", "ask": {"max_divergence": True}}),
    (
        "composed",
        {
            "kind": "composition",
            "parts": [{"problem": {"kind": "gaussian", "sigma": "3/2"}, "times": 7}],
            "ask": {"epsilon": ["1e-300"], "hockey_stick": [{"rational": "9"}]},
        },
    ),
]


@pytest.fixture(scope="module")
def fixtures() -> list[Fixture]:
    named = [{"name": name, "problem": problem} for name, problem in PROBLEMS]
    document = {"format": "exactdp-problems/1", "problems": named}
    return [fixture_of(one) for one in read_problem_set(json.dumps(document))]


def bits(x: float) -> str:
    return struct.pack(">d", x).hex()


def expected(fixtures: list[Fixture]) -> list[str]:
    """What every reader prints of a case: texts in UTF-8, doubles as their bits."""
    third = 0.25
    numbers: list[dict[str, float]] = [
        {"scale": float.fromhex("0x1.5555555555555p+1"), "at.epsilon": third},
        {"scale": 1.0, "at.epsilon": math.log(2)},
        {"sigma": 0.1},
        {"parts[0].problem.sigma": 1.5, "parts[0].times": 7.0, "at.delta": 1e-300},
        {"parts[0].problem.sigma": 1.5, "parts[0].times": 7.0, "at.epsilon": 9.0},
    ]
    is_exact = [True, False, False, False, True]
    answers = [(f, answer) for f in fixtures for answer in f.answers]
    lines = []
    for (fixture, answer), values, exact in zip(answers, numbers, is_exact, strict=True):
        law = {key: value for key, value in fixture.problem.items() if key != "ask"}
        ends = (answer.float_below, answer.float_above)
        shown = [
            (fixture.name + "|" + json.dumps(law) + "|" + answer.ask).encode().hex(),
            *(f"{name}={bits(values[name])}" for name in sorted(values)),
            "true" if exact else "false",
            *(bits(math.inf if end is None else end) for end in ends),
        ]
        lines.append(" ".join(shown))
    return lines


JAVASCRIPT = """
const hex = (x) => { view.setFloat64(0, x); return view.getBigUint64(0).toString(16)
  .padStart(16, "0"); };
for (const c of cases) console.log([
  Buffer.from([c.name, c.problem, c.ask].join("|")).toString("hex"),
  ...Object.keys(c.numbers).sort().map((name) => `${name}=${hex(c.numbers[name])}`),
  c.isExact, hex(c.below), hex(c.above)].join(" "));
"""
RUST = """
fn main() {
    for c in cases() {
        let text = format!("{}|{}|{}", c.name, c.problem, c.ask);
        let mut words = vec![text.bytes().map(|b| format!("{:02x}", b)).collect::<String>()];
        let mut numbers = c.numbers.clone();
        numbers.sort_by_key(|one| one.0);
        words.extend(numbers.iter().map(|(n, x)| format!("{}={:016x}", n, x.to_bits())));
        words.push(c.is_exact.to_string());
        words.extend([c.below, c.above].iter().map(|x| format!("{:016x}", x.to_bits())));
        println!("{}", words.join(" "));
        let _ = c.direction;
    }
}
"""
CPP = r"""
#include <cstdint>
#include <cstdio>
#include <cstring>
static void bits(const char *before, double x) {
    std::uint64_t u; std::memcpy(&u, &x, 8);
    std::printf("%s%016llx", before, (unsigned long long)u);
}
int main() {
    for (const Case &c : cases()) {
        for (unsigned char b : c.name + "|" + c.problem + "|" + c.ask) std::printf("%02x", b);
        for (const auto &one : c.numbers) bits((" " + one.first + "=").c_str(), one.second);
        std::printf(" %s", c.is_exact ? "true" : "false");
        bits(" ", c.below); bits(" ", c.above); std::printf("\n");
    }
}
"""
JAVA = """
final class Main {
    static String bits(double x) {
        return String.format("%016x", Double.doubleToRawLongBits(x));
    }
    public static void main(String[] none) {
        for (Fixtures.Case c : Fixtures.CASES) {
            StringBuilder line = new StringBuilder();
            String text = String.join("|", c.name(), c.problem(), c.ask());
            for (byte b : text.getBytes(java.nio.charset.StandardCharsets.UTF_8))
                line.append(String.format("%02x", b));
            new java.util.TreeMap<>(c.numbers()).forEach(
                (name, x) -> line.append(" " + name + "=" + bits(x)));
            System.out.println(line + " " + c.isExact() + " " + bits(c.below()) + " "
                + bits(c.above()));
        }
    }
}
"""
GO = """package main

import (
	"fmt"
	"math"
	"sort"

	"reader/fixtures"
)

func main() {
	for _, c := range fixtures.Cases {
		fmt.Printf("%x", c.Name+"|"+c.Problem+"|"+c.Ask)
		names := []string{}
		for name := range c.Numbers {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Printf(" %s=%016x", name, math.Float64bits(c.Numbers[name]))
		}
		fmt.Printf(" %t %016x %016x\\n", c.IsExact, math.Float64bits(c.Below),
			math.Float64bits(c.Above))
	}
}
"""
KOTLIN = """
fun bits(x: Double) = java.lang.Long.toHexString(x.toRawBits()).padStart(16, '0')
fun main() {
    for (c in cases) {
        val text = listOf(c.name, c.problem, c.ask).joinToString("|").toByteArray(Charsets.UTF_8)
        val numbers = c.numbers.toSortedMap().map { it.key + "=" + bits(it.value) }
        val words = listOf(text.joinToString("") { String.format("%02x", it) }) + numbers
        println((words + listOf(c.isExact, bits(c.below), bits(c.above))).joinToString(" "))
    }
}
"""


def printed(*command: str | Path, cwd: Path) -> list[str]:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("language", "tool"),
    [
        ("javascript", "node"),
        ("rust", "rustc"),
        ("cpp", "g++"),
        ("java", "javac"),
        ("go", "go"),
        ("kotlin", "kotlinc"),
    ],
)
def test_the_language_reads_its_file(
    language: str,
    tool: str,
    fixtures: list[Fixture],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: {language} is not tried")
    if language == "kotlin" and not request.config.getoption("--deep"):
        pytest.skip("kotlinc takes ten seconds: kotlin is tried with --deep")
    text = source(fixtures, language=language)
    match language:
        case "javascript":
            (tmp_path / "main.mjs").write_text(text + JAVASCRIPT)
            found = printed("node", "main.mjs", cwd=tmp_path)
        case "java":
            # A single file, whose first class is run.
            whole = text.replace("final class Fixtures", JAVA + "final class Fixtures")
            (tmp_path / "Main.java").write_text(whole)
            found = printed(
                "java", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "Main.java", cwd=tmp_path
            )
        case "rust":
            (tmp_path / "main.rs").write_text(text + RUST)
            printed("rustc", "main.rs", "-o", "main", cwd=tmp_path)
            found = printed(tmp_path / "main", cwd=tmp_path)
        case "go":
            (tmp_path / "fixtures").mkdir()
            (tmp_path / "fixtures" / "fixtures.go").write_text(text)
            (tmp_path / "go.mod").write_text("module reader\n\ngo 1.13\n")
            (tmp_path / "main.go").write_text(GO)
            found = printed("go", "run", ".", cwd=tmp_path)
        case "kotlin":
            (tmp_path / "Main.kt").write_text(text + KOTLIN)
            printed("kotlinc", "-Werror", "Main.kt", "-d", "out", cwd=tmp_path)
            found = printed("kotlin", "-classpath", "out", "MainKt", cwd=tmp_path)
        case _:
            # As a header that is included twice.
            (tmp_path / "fixtures.hpp").write_text(text)
            (tmp_path / "main.cpp").write_text('#include "fixtures.hpp"\n' * 2 + CPP)
            printed("g++", "-std=c++17", "-Wall", "main.cpp", "-o", "main", cwd=tmp_path)
            found = printed(tmp_path / "main", cwd=tmp_path)
    assert found == expected(fixtures)


def test_json_lines_are_read_by_python(fixtures: list[Fixture]) -> None:
    text = source(fixtures, language="jsonl")
    first, *lines = text.splitlines()
    about, cases = json.loads(first), [json.loads(line) for line in lines]
    assert about["cases"] == len(cases) == len(expected(fixtures))
    found = []
    for case in cases:
        words: list[Any] = [f"{case['name']}|{case['problem']}|{case['ask']}".encode().hex()]
        numbers = {name: float.fromhex(x) for name, x in case["numbers"].items()}
        words += [f"{name}={bits(numbers[name])}" for name in sorted(numbers)]
        words.append(str(case["is_exact"]).lower())
        words += [bits(float.fromhex(case[end])) for end in ("below", "above")]
        found.append(" ".join(words))
    assert found == expected(fixtures)


@pytest.mark.parametrize("language", ["jsonl", *LANGUAGES])
def test_the_first_line_has_the_digest_of_the_rest(language: str, fixtures: list[Fixture]) -> None:
    text = source(fixtures, language=language)
    first, rest = text.split("\n", 1)
    assert sha256(rest.encode()).hexdigest() in first
    assert text.startswith(HEADS[language])
    assert text.isascii()
    assert source(fixtures, language=language) == text
    assert rest.count("hockey_stick") == 3


def test_the_command(tmp_path: Path) -> None:
    problem = {"kind": "laplace", "scale": {"each": ["1", "2"]}, "ask": {"max_divergence": True}}
    document = {"format": "exactdp-problems/1", "problems": [{"name": "L", "problem": problem}]}
    (tmp_path / "p.json").write_text(json.dumps(document))
    arguments = ["fixtures", str(tmp_path / "p.json"), "--workers", "1", "--format"]
    out, run = tmp_path / "cases.go", CliRunner()
    for _ in range(2):  # a file of ours is replaced
        found = run.invoke(application(), [*arguments, "go", "--out", str(out)])
        assert found.output.startswith("2 problems, 2 answers: ")
    assert 'map[string]float64{"scale": 0x1.0000000000000p+1}, true' in out.read_text()
    wrong = run.invoke(application(), [*arguments, "fortran", "--out", str(out)])
    assert isinstance(wrong.exception, ParseError)
    assert "--format='fortran' is unknown. Give one of json, jsonl, rust" in str(wrong.exception)
    foreign = run.invoke(application(), [*arguments, "rust", "--out", str(tmp_path / "p.json")])
    assert isinstance(foreign.exception, ExactDPError)


def test_texts_as_kotlin_and_go_say_them(fixtures: list[Fixture]) -> None:
    """Kotlin: $ takes a backslash, a double is its bits. Go: no surrogates, hexadecimal doubles."""
    kotlin, go = (source(fixtures, language=name) for name in ("kotlin", "go"))
    assert r'"Laplace \"b\\\" \$x ?? \ud835\udd38\u03a9\u000a7"' in kotlin
    assert "true, Double.fromBits(0x" in kotlin
    assert LANGUAGES["kotlin"].double(-2.0) == "Double.fromBits(-0x4000000000000000L)"
    assert "listOf(case0(), case1(), case2(), case3(), case4())" in kotlin
    assert r'"Laplace \"b\\\" $x ?? \U0001d538\U000003a9\U0000000a7"' in go
    assert '"sigma": 0x1.999999999999ap-4}, false, infinity, infinity},' in go
