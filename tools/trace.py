"""Which tests show which requirement, and which requirements no test names.

A test claims a requirement by its id: in the docstring of the module, class or function, or with
`@pytest.mark.req("A-22")`. A range such as `A-15 … A-27` claims all of it.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = "docs/requirements.md"
# The contract that every store fulfils is shipped with the package; the tests only subclass it.
TESTS = ["tests", "src/everthread/testing"]
STATES = ["built", "partly", "planned"]

GROUPS = r"(?:A|B|C|D|X|S|R|LA|LB|LC|LD)"
ID = re.compile(rf"\b{GROUPS}-\d+\b")
RANGE = re.compile(rf"\b(?P<group>{GROUPS})-(?P<first>\d+)\s*…\s*(?P=group)-(?P<last>\d+)\b")
ROW = re.compile(rf"^\|\s*(?P<id>{GROUPS}-\d+)\s*\|.*\|\s*`?(?P<state>\w+)`?\s*\|\s*$")

Claimant: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Trace:
    states: dict[str, str]
    """Every requirement with its state, in the order of the document."""
    tests: dict[str, list[str]]
    """Every id that a test names, with those tests."""

    @property
    def uncovered(self) -> dict[str, list[str]]:
        """The requirements that no test names, by state."""
        bare = [(name, state) for name, state in self.states.items() if name not in self.tests]
        return {wanted: [name for name, state in bare if state == wanted] for wanted in STATES}

    @property
    def unknown(self) -> dict[str, list[str]]:
        """The ids that tests name and no requirement has."""
        return {name: tests for name, tests in self.tests.items() if name not in self.states}

    @property
    def sound(self) -> bool:
        return not self.unknown and not self.uncovered["built"]


def trace(root: Path) -> Trace:
    tests: dict[str, list[str]] = {}
    for test, ids in claims(root):
        for name in ids:
            tests.setdefault(name, []).append(test)
    return Trace(requirements((root / REQUIREMENTS).read_text()), tests)


def requirements(text: str) -> dict[str, str]:
    """Every id of the document's tables, with its state."""
    states: dict[str, str] = {}
    for row in filter(None, map(ROW.match, text.splitlines())):
        name, state = row["id"], row["state"]
        if state not in STATES:
            raise ValueError(f"{REQUIREMENTS}: {name} is {state!r}, not one of {', '.join(STATES)}")
        if name in states:
            raise ValueError(f"{REQUIREMENTS}: {name} is there twice")
        states[name] = state
    return states


def claims(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Every test (or class, or module) that names requirements, with their ids."""
    for folder in TESTS:
        for path in sorted((root / folder).rglob("*.py")):
            tree = ast.parse(path.read_text(), filename=str(path))
            if holds_tests(tree):
                yield from claims_of(tree, path.relative_to(root).as_posix())


def claims_of(claimant: Claimant, name: str) -> Iterator[tuple[str, list[str]]]:
    ids = ids_in([ast.get_docstring(claimant) or "", *marked(claimant)])
    if ids:
        yield name, ids
    for child in claimant.body:
        if isinstance(child, ast.ClassDef) or is_test(child):
            yield from claims_of(child, f"{name}::{child.name}")


def is_test(node: ast.AST) -> bool:
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return is_function and node.name.startswith("test")


def holds_tests(tree: ast.Module) -> bool:
    """Helpers may speak of requirements too; they show nothing."""
    return any(is_test(node) or is_machine(node) for node in ast.walk(tree))


def is_machine(node: ast.AST) -> bool:
    """Whether this is hypothesis' way of making a test: `TestThreads = Threads.TestCase`."""
    return isinstance(node, ast.Attribute) and node.attr == "TestCase"


def marked(claimant: Claimant) -> Iterator[str]:
    """What the claimant's `req` marks say."""
    for mark in marks_of(claimant):
        for node in ast.walk(mark):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.req":
                yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def marks_of(claimant: Claimant) -> Iterator[ast.expr]:
    if not isinstance(claimant, ast.Module):
        yield from claimant.decorator_list
    if isinstance(claimant, ast.Module | ast.ClassDef):
        for node in claimant.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
                yield node.value


def ids_in(texts: Iterable[str]) -> list[str]:
    """The ids in the texts, ranges expanded, each once."""
    found: dict[str, None] = {}
    for text in texts:
        for span in RANGE.finditer(text):
            numbers = range(int(span["first"]), int(span["last"]) + 1)
            found.update(dict.fromkeys(f"{span['group']}-{number}" for number in numbers))
        found.update(dict.fromkeys(ID.findall(text)))
    return list(found)


# ---- showing it


def as_text(traced: Trace) -> str:
    next_line = "\n" + " " * 19
    lines = [
        f"{name:<7} {state:<8} → {next_line.join(traced.tests.get(name, ['-']))}"
        for name, state in traced.states.items()
    ]
    for state, names in traced.uncovered.items():
        lines += section(f"{state}, and no test names them: {len(names)}", names)
    if traced.unknown:
        lines += section(f"named by tests, but not in {REQUIREMENTS}:", [])
        lines += [f"  {name}: {', '.join(tests)}" for name, tests in traced.unknown.items()]
    return "\n".join(lines)


def section(title: str, names: list[str], *, per_line: int = 12) -> list[str]:
    rows = [names[start : start + per_line] for start in range(0, len(names), per_line)]
    return ["", title, *("  " + " ".join(row) for row in rows)]


def as_json(traced: Trace) -> str:
    shown = {
        "requirements": {
            name: {"state": state, "tests": traced.tests.get(name, [])}
            for name, state in traced.states.items()
        },
        "uncovered": traced.uncovered,
        "unknown": traced.unknown,
    }
    return json.dumps(shown, indent=2)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit 1 if a requirement marked built has no test, or a test names an unknown one",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository to look at")
    wanted = parser.parse_args()
    traced = trace(wanted.root)
    print(as_json(traced) if wanted.json else as_text(traced))
    return 1 if wanted.strict and not traced.sound else 0


if __name__ == "__main__":
    sys.exit(main())
