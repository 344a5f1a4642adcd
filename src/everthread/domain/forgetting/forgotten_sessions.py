"""How what is to be said no more leaves what sessions of harnesses left: checkpoints, compactions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.domain.gleaning.digest import Digest
from everthread.domain.harness.activity import Activity, snippet, terms
from everthread.domain.harness.checkpoint_text import NO_STATEMENT, render_checkpoint
from everthread.domain.harness.checkpoints import Checkpoint

from .forgotten_texts import ForgottenTexts

COUNTED = ("### Memory Activity Since Last Checkpoint", "### Recent Prompts", "### Evidence")
"""The sections of a checkpoint's text that nobody told: they are made from what was counted."""


class Echo(NamedTuple):
    """What is gone, and how the messages that said it look where prompts were counted."""

    gone: ForgottenTexts
    snippets: frozenset[str] = frozenset()
    queries: frozenset[str] = frozenset()

    def tells(self, text: str) -> bool:
        """Does a line say it, or is it a piece of what those messages say?"""
        plain = text.strip().removeprefix("- ")
        return self.gone.tells(plain) or self.gone.came_from(plain)

    def within(self, text: str) -> bool:
        """Does one of the items that a section of a file lists?"""
        items = (line for line in text.split("\n") if line.startswith("- "))
        return any(self.tells(_without_speaker(line)) for line in items)

    def asks(self, query: str) -> bool:
        """Are the words by which a prompt is looked for, or half of them, those of what is gone?"""
        words = set(query.split())
        gone = (set(terms(text).split()) for text in self.gone.texts)
        return query in self.queries or any(2 * len(words & its) >= len(words) for its in gone)

    def lines(self, texts: Iterable[str]) -> list[str]:
        """Those that do not tell it."""
        return [text for text in texts if not self.tells(text)]


def _without_speaker(line: str) -> str:
    """A line of a file without whose words it gives, which stands behind them."""
    said, told, whose = line.strip().rpartition(" (")
    return said if told and whose in ("agent)", "tool)", "system)") else line


def echo_of(gone: ForgottenTexts, messages: Iterable[Message]) -> Echo:
    """What is gone, with how these messages were counted."""
    said = [message.text for message in messages if message.text]
    return Echo(gone, frozenset(map(snippet, said)), frozenset(map(terms, said)))


# Checkpoints


def activity_of(checkpoint: Checkpoint) -> Activity:
    """What was counted for a checkpoint; nothing where that was withheld."""
    told: dict[str, Any] = json.loads(checkpoint.activity_json)
    return Activity(
        checkpoint.prompt_count,
        checkpoint.total_prompts,
        *(
            tuple(map(str, told.get(name, ())))
            for name in ("memory_queries", "recent_remembers", "snippets", "top_memories")
        ),
    )


def activity_without(activity: Activity, echo: Echo) -> Activity:
    """What was counted, without what tells it."""
    queries = [q for q in activity.queries if not echo.asks(q)]
    snippets = [text for text in activity.snippets if text not in echo.snippets]
    return activity._replace(
        queries=tuple(queries),
        remembered=tuple(echo.lines(activity.remembered)),
        snippets=tuple(echo.lines(snippets)),
        top=tuple(echo.lines(activity.top)),
    )


def statement_lines(text: str) -> list[str]:
    """What somebody told in a checkpoint, line by line: all between its head and what was counted."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.startswith("### ")), len(lines))
    told = lines[start:]
    end = next((n for n, line in enumerate(told) if line in COUNTED), len(told))
    return told[:end]


def statement_without(told: Sequence[str], echo: Echo) -> list[str]:
    """What was told, without the lines that tell it and the headings that are left with nothing."""
    left = echo.lines(told)
    if len(left) == len(told) and not echo.gone.tells(" ".join(told)):
        return left
    if echo.gone.tells(" ".join(left)):
        return []  # it is said across lines, so that none of them alone does
    below = [*left[1:], "### "]
    pairs = zip(left, below, strict=True) if left else ()
    return [line for line, after in pairs if not (_is_heading(line) and _is_heading(after))]


def _is_heading(line: str) -> bool:
    return line.startswith("### ")


def checkpoint_text(
    session: Session,
    checkpoint: Checkpoint,
    activity: Activity,
    digest: Digest,
    told: Sequence[str],
) -> str:
    """The text of a checkpoint, made of what may still be said."""
    duration = checkpoint.created_ms - session.started_ms
    fresh = render_checkpoint(session.project, activity, duration, digest, NO_STATEMENT).split("\n")
    head = next((n for n, line in enumerate(fresh) if _is_heading(line)), len(fresh))
    return "\n".join([*fresh[:head], *told, *fresh[head:]])


# Compactions


def score_without(score: str | None, echo: Echo) -> str | None:
    """A compaction's score, of which the shares may be told and not what tells it."""
    if score is None:
        return None
    from everthread.domain.harness.compaction_loss import read_outcome  # noqa: PLC0415 - all that reads speech, seldom needed here

    found = read_outcome(score)
    left = tuple(one for one in found.missing if not echo.tells(_without_kind(one.line)))
    return score if left == found.missing else found._replace(missing=left).text()


def waiting_without(restore: str, echo: Echo) -> str:
    """What waits to be put into a prompt, without what tells it."""
    lines: list[str] = json.loads(restore)
    left = [line for line in lines if not echo.tells(_without_kind(line))]
    return restore if left == lines else json.dumps(left)


def _without_kind(line: str) -> str:
    """An item without the kind that stands before it."""
    return line.partition(") ")[2] if line.startswith("(") else line
