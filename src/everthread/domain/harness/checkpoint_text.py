"""A checkpoint as people and agents read it. Everything in it is redacted and harmless."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from everthread.domain.distilling.summaries_lines import style_of
from everthread.domain.errors import BadInput
from everthread.domain.gleaning.digest import TRACES, Digest
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import neutralize, one_line
from everthread.domain.times import DAY, HOUR, MINUTE

from .activity import Activity

LONGEST = 8_000
"""Characters of what an agent or a person says in a checkpoint of their own."""

LONGEST_LINE = 400
FILES, LINES = 12, 6
"""Lines of evidence in a checkpoint, by kind."""


class Statement(NamedTuple):
    """What an agent, or a person, says about where things stand (S-7)."""

    summary: str = ""
    decisions: tuple[str, ...] = ()
    state: str = ""
    blockers: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @property
    def says(self) -> bool:
        return bool(
            self.summary or self.state or self.decisions or self.blockers or self.next_steps
        )


NO_STATEMENT = Statement()


def checked_statement(told: Statement) -> Statement:
    """What was told, if it is not too long; it must not be cut behind its author's back."""
    size = len(told.summary) + len(told.state)
    size += sum(
        len(line) for part in (told.decisions, told.blockers, told.next_steps) for line in part
    )
    if size > LONGEST:
        raise BadInput(
            f"a digest has at most {LONGEST:,} characters; this one has {size:,}: shorten it"
        )
    return told


def duration_text(ms: int) -> str:
    """How long that is, for people: `2 d 3 h`, `1 h 5 min`, `12 min`."""
    ms = max(0, ms)
    days, hours, minutes = ms // DAY, ms % DAY // HOUR, ms % HOUR // MINUTE
    if days:
        return f"{days} d {hours} h" if hours else f"{days} d"
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min"


def render_checkpoint(
    project: str | None, activity: Activity, duration: int, digest: Digest, told: Statement
) -> str:
    """The text of a checkpoint: what was told, then what was seen. Empty sections are left out."""
    lines = ["## Session Checkpoint"]
    if project:
        lines.append(f"Project: {one_line(strip_secrets(project), LONGEST_LINE)}")
    lines.append(f"Prompts: {activity.total} | Duration: {duration_text(duration)}")
    for part in (
        _statement_lines(told),
        _memory_lines(activity),
        _prompt_lines(activity),
        _evidence_lines(digest),
    ):
        lines += part
    return "\n".join(lines)


def _statement_lines(told: Statement) -> Iterator[str]:
    if told.summary.strip():
        yield "### Summary"
        yield from _free_lines(told.summary)
    for name, part in (("Decisions", told.decisions), ("Blockers", told.blockers)):
        yield from _list_section(name, part)
    if told.state.strip():
        yield "### State"
        yield from _free_lines(told.state)
    yield from _list_section("Next Steps", told.next_steps)


def _free_lines(text: str) -> list[str]:
    return neutralize(strip_secrets(text)).strip().split("\n")


def _list_section(name: str, part: Sequence[str]) -> Iterator[str]:
    lines = [one_line(strip_secrets(line), LONGEST) for line in part]
    if any(lines):
        yield f"### {name}"
        yield from (f"- {line}" for line in lines if line)


def _memory_lines(activity: Activity) -> Iterator[str]:
    found = {
        "Queries": activity.queries,
        "Remembered": activity.remembered,
        "Top memories accessed": activity.top,
    }
    if any(found.values()):
        yield "### Memory Activity Since Last Checkpoint"
        yield from (f"{name}: {'; '.join(part)}" for name, part in found.items() if part)


def _prompt_lines(activity: Activity) -> Iterator[str]:
    if activity.snippets:
        yield "### Recent Prompts"
        yield from (f"- {line}" for line in activity.snippets)


def _evidence_lines(digest: Digest) -> Iterator[str]:
    style = style_of(digest)
    found: list[str] = []
    for kind in TRACES:
        most = FILES if kind == "file" else LINES
        traces = sorted((t for t in digest.ledger if t.kind == kind), key=lambda t: -t.weight)[
            :most
        ]
        traces.sort(key=lambda t: t.at_ms)
        found += [style.line(trace) for trace in traces]
    if found:
        yield "### Evidence"
        yield from found
