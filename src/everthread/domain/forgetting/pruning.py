"""Pruned: a summary without some of its lines, where it need not be written anew for that.

A summary that was carried on a hundred times is made anew a hundred times when a sentence of it is
forgotten. Each shows the lines it showed, but for those that go: to choose and to fit them once more
would cost a hundred times as much, and come to the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.distilling.receipts import Sentence
from everthread.domain.distilling.summaries_lines import (
    EVIDENCE,
    GROUPS,
    Style,
    opening,
    style_of,
)
from everthread.domain.gleaning.choices.answer_pairs import answer_pairs
from everthread.domain.gleaning.digest import SECTIONS, Digest, Point, Trace

from .forgotten_texts import Became, ForgottenTexts, tells_of

Item = Point | Trace


class StoredSummary(NamedTuple):
    """A summary as it is kept."""

    text: str
    digest: Digest
    sentences: Sequence[Sentence]


class PrunedSummary(NamedTuple):
    """What is left of it."""

    text: str
    sentences: list[Sentence]


def prune_summary(
    stored: StoredSummary, less: Digest, became: Became, gone: ForgottenTexts, ordinal: int
) -> PrunedSummary | None:
    """The summary without what is gone; None where only writing it anew can tell how it reads.

    `less`: the digest without it; `ordinal`: which distillation it is, of those that stand.
    """
    style, lines = style_of(stored.digest), stored.text.split("\n")
    frame = opening(less, ordinal)
    if style_of(less) != style or lines[: len(frame)] != frame:
        return None
    if _parts_answers(stored.digest, became):
        return None
    taking = _LineSieve(stored.digest, became, gone, style)
    shown = [(each, taking.left(each)) for each in stored.sentences if each.shown]
    changed = {each.text: left for each, left in shown if left is not each}
    if None in changed.values() or any(lines.count(line) != 1 for line in changed):
        return None
    told = [left.text if (left := changed.get(line)) else line for line in lines]
    struck = [s for s in stored.sentences if not s.shown and not tells_of(s, gone)]
    kept = [left for _, left in shown if left is not None and left.text]
    counted = [s if s.n == n else s._replace(n=n) for n, s in enumerate([*kept, *struck], 1)]
    return PrunedSummary(
        "\n".join(_drop_empty_headings([line for line in told if line], style)), counted
    )


def _parts_answers(digest: Digest, became: Became) -> bool:
    """Does an answer stay whose question goes, or the other way? Alone it may say nothing."""
    going = {item for item, left in became.items() if left is None}
    if not any(isinstance(item, Point) for item in going):
        return False
    pairs = answer_pairs(digest.points).items()
    return any((question in going) != (answer in going) for answer, question in pairs)


class _LineSieve:
    """Takes a summary apart line by line."""

    def __init__(self, digest: Digest, became: Became, gone: ForgottenTexts, style: Style) -> None:
        self._digest = digest
        self._became = became
        self._gone = gone
        self._style = style
        self._lines = {style.line(item): item for item in became}
        self._keys = {key for item in became for key in item.sources} | gone.said
        self._near = [key.hex() for key in self._keys]
        self._beside: set[str] | None = None

    def left(self, shown: Sentence) -> Sentence | None:
        """The sentence as it is, or as it reads now, without a text where it goes; None: who knows."""
        item = self._lines.get(shown.text)
        if item is not None:
            return self._of(item, shown) if shown.sources == item.sources else None
        if self._gone.tells(shown.text):
            return None
        if any(key in shown.sources_json for key in self._near):
            # Of a message of which something goes. It may be made of that: cut short, or told with more.
            return shown if shown.text in self._untouched() else None
        return shown

    def _of(self, item: Item, shown: Sentence) -> Sentence:
        left = self._became[item]
        if left is None:
            return shown._replace(text="")
        sources = json.dumps([key.hex() for key in left.sources])
        return shown._replace(text=self._style.line(left), sources_json=sources)

    def _untouched(self) -> set[str]:
        """The lines of what stays as it is, of the same messages."""
        if self._beside is None:
            items: tuple[Item, ...] = (*self._digest.points, *self._digest.ledger)
            near = (item for item in items if not self._keys.isdisjoint(item.sources))
            self._beside = {self._style.line(item) for item in near if item not in self._became}
        return self._beside


def _drop_empty_headings(lines: Sequence[str], style: Style) -> list[str]:
    """Without headings below which nothing is left."""
    sections = {style.heading(name) for name in (*SECTIONS, EVIDENCE)}
    headings = sections | {style.heading(name) for name in GROUPS}
    kept: list[str] = []
    for line in reversed(lines):
        below = kept[-1] if kept else ""
        within = below in headings and below not in sections and line == style.heading(EVIDENCE)
        if line not in headings or below.startswith("- ") or within:
            kept.append(line)
    return kept[::-1]
