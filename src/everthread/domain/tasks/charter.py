"""The charter: how far an agent goes before it sums up, how often it asks, how long it recaps.

An arc is the stretch from one recap to the next: from a gate, a session's end, a fork or a refresh to the
next of these. The limits are the protocol's, so they are no settings. A plan and a question that would pass
one are refused, with a way out; a step that was taken is never refused, for what happened must be put down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from everthread.domain.errors import BadInput, TaskRefused
from everthread.domain.harness.checkpoints import CheckpointKind
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line

MOST_STEPS = 7
MOST_QUESTIONS = 3
RECAP_TOKENS = 500

RECAPS: tuple[CheckpointKind, ...] = (
    "gate_transition",
    "session_end",
    "context_refresh",
    "interrupted",
    "emergency",
)
"""Kinds of checkpoints that sum up: an arc ends with each of them."""

STEPS: tuple[CheckpointKind, ...] = (
    "decision",
    "file_change",
    "error_recovery",
    "explicit",
    "agent",
)
"""Kinds that put down a step; files that change close together are one."""

LONGEST_LINE = 1_000
SHORTER = (500, 250, 120, 60)
"""Characters to which the first line of a part is cut, one after the other."""

Count = Callable[[str], int]
Place = tuple[int, int]
"""The number of a line in its part, and the part's."""


class Arc(NamedTuple):
    """How far the present arc of a task went."""

    steps: int = 0
    questions: tuple[str, ...] = ()

    @property
    def over(self) -> bool:
        """Did it go further than the charter lets it?"""
        return self.steps > MOST_STEPS

    @property
    def summary_line(self) -> str:
        asked = f"{len(self.questions)} of {MOST_QUESTIONS} questions"
        return f"{self.steps} of {MOST_STEPS} steps, {asked} since the last recap"

    def document(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "most_steps": MOST_STEPS,
            "questions": list(self.questions),
            "most_questions": MOST_QUESTIONS,
        }


NOTHING = Arc()


def arc_of(checkpoints: Iterable[tuple[CheckpointKind, Sequence[str]]]) -> Arc:
    """The present arc, from kind and questions of each checkpoint, newest first."""
    steps, asked = 0, list[str]()
    for kind, questions in checkpoints:
        if kind in RECAPS:
            break
        steps += kind in STEPS
        asked = [*questions, *asked]
    return Arc(steps, tuple(asked))


def checked_plan(steps: Sequence[str]) -> Sequence[str]:
    """The next steps, if they are no more than an arc has."""
    if len(steps) > MOST_STEPS:
        raise BadInput(
            f"a plan has at most {MOST_STEPS} steps; got {len(steps)}: name the next {MOST_STEPS}, "
            "and the others when these are done"
        )
    return steps


def may_ask(arc: Arc, questions: Sequence[str]) -> None:
    """Refused where it would be one question too many."""
    if len(arc.questions) + len(questions) > MOST_QUESTIONS:
        raise TaskRefused(
            f"at most {MOST_QUESTIONS} clarifying questions are asked between two recaps; "
            f"{len(arc.questions)} were, and here are {len(questions)} more: decide yourself, and put that "
            "down (`everthread task checkpoint --type decision`), or pass the gate first"
        )


# The recap


class RecapPart(NamedTuple):
    """A part of a recap: its heading, and its lines, what matters most first."""

    heading: str
    lines: Sequence[str]


class Frame(NamedTuple):
    """What stands around a recap, and where all that found no room in it can be read."""

    head: Sequence[str]
    tail: str
    more: str


def recap(frame: Frame, parts: Sequence[RecapPart], count: Count) -> str:
    """The parts in at most 500 tokens: of each its first line, then its second, as long as there is room.

    A first line that is too long is cut; what is left out is counted.
    """
    lines = {
        (n, part): one_line(strip_secrets(line), LONGEST_LINE)
        for part, said in enumerate(parts)
        for n, line in enumerate(line for line in said.lines if line.strip())
    }
    shown: dict[Place, str] = {}
    for place in sorted(lines):
        for length in (LONGEST_LINE, *(SHORTER if place[0] == 0 else ())):
            tried = {**shown, place: one_line(lines[place], length)}
            if count(_page(frame, parts, tried, len(lines))) <= RECAP_TOKENS:
                shown = tried
                break
    return _page(frame, parts, shown, len(lines))


def _page(frame: Frame, parts: Sequence[RecapPart], shown: Mapping[Place, str], total: int) -> str:
    body: list[str] = []
    for part, said in enumerate(parts):
        lines = [f"- {shown[place]}" for place in sorted(shown) if place[1] == part]
        body += [f"{said.heading}:", *lines] if lines else []
    left = total - len(shown)
    note = [f"Left out for room: {left}. {frame.more}"] if left else []
    return "\n".join([*frame.head, *body, *note, frame.tail])
