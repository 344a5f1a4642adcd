"""The sentences of a summary as people see them in its receipt: under its headings, with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from everthread.domain.distilling.summaries_lines import EVIDENCE
from everthread.domain.ids import short

from .base.terminal import hanging, styled, time_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from everthread.domain.conversation.messages import Message
    from everthread.domain.distilling.receipts import Sentence
    from everthread.services.distilling.ended_memories import EndedMemory
    from everthread.services.distilling.receipts import Shown

MOST_SOURCES = 3

Views = Iterator[list["RenderableType"]]


class SentenceView:
    """How the sentences of one receipt are shown: with the messages that they came from."""

    def __init__(self, sources: Mapping[bytes, Message], agent: str) -> None:
        self._sources = sources
        self._agent = agent

    def sentence(self, sentence: Sentence) -> list[RenderableType]:
        """The sentence, and below it where it came from."""
        told = [self._source(key) for key in sentence.sources[:MOST_SOURCES]]
        more = len(sentence.sources) - MOST_SOURCES
        tail = f", and {more:,} more" if more > 0 else ""
        lead, body = ("-", sentence.text[2:]) if sentence.text[:2] == "- " else ("", sentence.text)
        text = hanging(lead, body) if lead else styled((body, ""))
        return [text, hanging("   ", f"from {', '.join(told)}{tail}", "dim")]

    def _source(self, key: bytes) -> str:
        message = self._sources.get(key)
        if message is None:
            return f"{short(key)} (erased or purged since)"
        who = message.name or (self._agent if message.origin == "agent" else message.origin)
        return f"{short(key)} {who} {time_text(message.at_ms)}"


def sentence_views(
    sentences: Sequence[Sentence], sources: Mapping[bytes, Message], agent: str, summary: str
) -> Views:
    """All of them, then what was struck; evidence under the headings that it has in the summary."""
    view = SentenceView(sources, agent)
    kept = [each for each in sentences if each.shown]
    for section, group in groupby(kept, key=lambda each: each.section):
        yield ["", styled((section, "bold"))]
        if section == EVIDENCE:
            yield from _evidence_views(view, list(group), summary)
        else:
            yield from map(view.sentence, group)
    struck = [each for each in sentences if not each.shown]
    if struck:
        yield ["", styled(("Struck", "bold red"))]
    for each in struck:
        yield [*view.sentence(each), styled((f"    {each.verdict}", "red"))]


def ended_views(shown: Shown) -> Views:
    """The memories that no longer hold, each with what a person said; undone, they hold again."""
    if not shown.ended:
        return
    undone = shown.receipt.outcome == "undone"
    head = "Holds again, as it was undone" if undone else "No longer holds"
    yield ["", styled((f"{head} ({len(shown.ended):,})", "bold"))]
    for each in shown.ended:
        told = f"{_short_id(each.memory)} {each.text}"
        yield [hanging("-", told), hanging("   ", _because_text(each), "dim")]


def _because_text(ended: EndedMemory) -> str:
    said = "(erased, purged or forgotten since)" if ended.said is None else f"“{ended.said}”"
    heir = f"; in its place: {_short_id(ended.successor)}" if ended.successor else ""
    return f"because of {_short_id(ended.because)} {said}{heir}"


def _short_id(text: str) -> str:
    return text.replace("-", "")[-8:]


def _evidence_views(view: SentenceView, sentences: list[Sentence], summary: str) -> Views:
    """`README.md` alone does not say whether it is a file, nor in which folder."""
    waiting = {id(each): each for each in sentences}
    for heading, lines in _evidence_lines(summary):
        under = [_take(waiting, line) for line in lines]
        found = [each for each in under if each is not None]
        if found:
            yield [styled((heading, "dim"))]
            yield from map(view.sentence, found)
    # A summary that was forgotten in part no longer has their lines.
    yield from map(view.sentence, waiting.values())


def _take(waiting: dict[int, Sentence], line: str) -> Sentence | None:
    found = next((key for key, each in waiting.items() if each.text == line), None)
    return None if found is None else waiting.pop(found)


def _evidence_lines(summary: str) -> Iterator[tuple[str, list[str]]]:
    """The headings below `Evidence`, each with its lines."""
    _, _, evidence = summary.partition(f"## {EVIDENCE}\n")
    heading, lines = "", list[str]()
    for line in evidence.splitlines():
        if line.startswith("- "):
            lines.append(line)
            continue
        yield heading, lines
        heading, lines = line, []
    yield heading, lines
