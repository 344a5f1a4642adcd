"""What happened in a session since its last checkpoint, and whether the next is due."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.domain.text.words import query_words
from everthread.domain.times import MINUTE

MOST_QUERIES = 20
MOST_REMEMBERED = 10
MOST_SNIPPETS = 10
LONGEST_SNIPPET = 200
MOST_TERMS = 12
"""Words of a prompt by which it is looked for later."""


class Activity(NamedTuple):
    """Counted from what is stored, so that a crash takes none of it."""

    prompts: int = 0
    """Since the checkpoint before."""
    total: int = 0
    """Of the whole session."""
    queries: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()
    snippets: tuple[str, ...] = ()
    """The beginnings of the last prompts."""
    top: tuple[str, ...] = ()
    """The memories that were found or given most often."""

    def text(self) -> str:
        """As it is stored beside the checkpoint."""
        told = {
            "memory_queries": self.queries,
            "recent_remembers": self.remembered,
            "snippets": self.snippets,
            "top_memories": self.top,
        }
        return json.dumps(told, ensure_ascii=True)


def snippet(prompt: str) -> str:
    """The beginning of a prompt on one line, without secrets; empty where it says nothing."""
    return one_line(strip_secrets(prompt), LONGEST_SNIPPET)


def terms(prompt: str) -> str:
    """The words by which a prompt is looked for, without secrets."""
    return " ".join(query_words(strip_secrets(prompt))[:MOST_TERMS])


def activity(
    prompts: Sequence[str],
    *,
    before: int = 0,
    remembered: Iterable[str] = (),
    top: Iterable[str] = (),
) -> Activity:
    """Of these prompts, oldest first, after so many before the last checkpoint."""
    newest = [*prompts]
    kept = [one_line(strip_secrets(text), LONGEST_SNIPPET) for text in remembered]
    return Activity(
        prompts=len(newest),
        total=before + len(newest),
        queries=_newest_texts(map(terms, newest[-MOST_QUERIES:]), MOST_QUERIES),
        remembered=_newest_texts(kept, MOST_REMEMBERED),
        snippets=_newest_texts(map(snippet, newest[-MOST_SNIPPETS:]), MOST_SNIPPETS),
        top=tuple(top),
    )


def _newest_texts(texts: Iterable[str], most: int) -> tuple[str, ...]:
    """The newest, each once, in their order."""
    found = list(dict.fromkeys(text for text in texts if text))
    return tuple(found[-most:])


def checkpoint_due(prompts: int, since: int, *, now: int, every: int, minutes: float) -> bool:
    """Is a checkpoint due? After so many prompts, or so long after the last one, if anything was said."""
    if prompts < 1:
        return False
    return prompts >= every or now - since >= minutes * MINUTE
