"""Gates: the eleven stations of a task, what each asks for, and how a task may move between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.errors import BadInput, GateRefused

NAMES = (
    "Task Init",
    "Research",
    "Planning",
    "Scaffold",
    "Implementation",
    "Verification",
    "Review",
    "Documentation",
    "Deploy",
    "Monitor",
    "Archive",
)
"""Display text; the ids G0 to G10 are the contract."""

LAST = len(NAMES) - 1
NONE_PASSED = -1

ASKED: tuple[tuple[str, ...], ...] = (
    ("task_definition", "acceptance_criteria"),
    ("findings", "approach_decision"),
    ("tdd_plan", "checklist"),
    ("file_structure", "interfaces"),
    ("code_changes", "test_status"),
    ("quality_gates", "coverage"),
    ("feedback", "resolutions"),
    ("docs", "changelog"),
    ("deployment_evidence",),
    ("deployment_evidence",),
    ("final_summary", "lessons"),
)
"""What a checkpoint must carry to pass each gate."""

ALSO_CALLED = {
    "research": "findings",
    "tests": "test_status",
    "test_results": "test_status",
    "review_notes": "feedback",
    "session_retrospective": "lessons",
    "rollout_plan": "deployment_evidence",
}
"""Files of a task's folder whose name is not the name of what they are evidence for."""

LARGEST_EVIDENCE = 1_000_000
EXCERPT = 2_000
MOST_EVIDENCE = 50

_GATE = re.compile(r"G(\d|10)", re.IGNORECASE | re.ASCII)
_NAMED = re.compile(r"([a-z][a-z0-9_]{0,63})=(.*)", re.DOTALL | re.ASCII)


class Passage(NamedTuple):
    """How a task came through a gate."""

    number: int
    missing: tuple[str, ...]
    """What was asked for and not there; a waiver stands for it."""
    waiver: str | None
    reasons: tuple[str, ...] = ()
    """What the waiver makes up for."""


class BroughtEvidence(NamedTuple):
    """One piece of evidence, as somebody brings it."""

    name: str
    text: str = ""
    file: str | None = None
    """A file of the project that holds it."""


def gate_name(number: int) -> str:
    return f"G{number}"


def gate_number(text: str) -> int:
    """The number of a gate that somebody wrote: G0 to G10."""
    found = _GATE.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"gates are G0 to G10; got {text!r:.40}")
    return int(found[1])


def current_gate(passed: int) -> int:
    """The gate at which a task stands that has passed this one."""
    return min(passed + 1, LAST)


def missing_evidence(number: int, evidence: frozenset[str] | set[str]) -> tuple[str, ...]:
    """What the gate asks for and the evidence does not have."""
    return tuple(part for part in ASKED[number] if part not in evidence)


def read_evidence(word: str) -> BroughtEvidence:
    """`name=text`, `name=@FILE`, or a FILE whose name says what it is evidence for."""
    found = _NAMED.fullmatch(word)
    if found is not None:
        name, value = found[1], found[2]
        if value.startswith("@"):
            return BroughtEvidence(name, file=value[1:])
        if not value.strip():
            raise BadInput(f"the evidence {name} says nothing: give {name}=TEXT or {name}=@FILE")
        return BroughtEvidence(name, value)
    stem = word.rpartition("/")[2].partition(".")[0]
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", plain):
        raise BadInput(f"{word!r:.80} does not say what it is evidence for: give NAME=@FILE")
    return BroughtEvidence(ALSO_CALLED.get(plain, plain), file=word)


def passage(
    passed: int,
    number: int,
    evidence: set[str],
    waiver: str | None,
    *,
    unsolved: Sequence[str] = (),
) -> Passage:
    """Through that gate, if the evidence is whole and it is the next one; a waiver makes up for both.

    Gates are passed one at a time. Passing one again, or jumping over some, needs a waiver too, and so
    do `unsolved` steps: they failed, and nobody has told how that was got over.
    """
    lacks = missing_evidence(number, evidence)
    reasons = _reasons(passed, number, lacks, unsolved)
    if reasons and waiver is None:
        how = " ".join(f"--evidence {part}=…" for part in lacks)
        also = f"give it as evidence ({how}; {lacks[0]}=@FILE for a file), or " if how else ""
        raise GateRefused(f"{'; '.join(reasons)}: {also}record a waiver that says why (--waiver …)")
    return Passage(number, lacks, waiver if reasons else None, tuple(reasons))


def _reasons(passed: int, number: int, lacks: Sequence[str], unsolved: Sequence[str]) -> list[str]:
    expected = current_gate(passed)
    reasons: list[str] = []
    if passed == LAST or number != expected:
        where = "all gates are passed" if passed == LAST else f"the task stands at G{expected}"
        reasons.append(f"{where}, so G{number} is not the next gate")
    if lacks:
        reasons.append(f"G{number} ({NAMES[number]}) asks for {' and '.join(lacks)}")
    if unsolved:
        steps = ", ".join(repr(step) for step in unsolved[:5])
        reasons.append(
            f"{steps} failed, and no checkpoint of type error_recovery tells how it was solved"
        )
    return reasons
