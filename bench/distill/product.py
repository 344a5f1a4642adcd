"""The product as its user drives it: turns, tool results, `distill`, `context`, `recall`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from baselines import count
from matching import Page
from rolling import parts
from steps import Step

import everthread
from everthread import Settings
from everthread.domain.distilling.context_text import ContextText
from everthread.domain.recall.excerpts import Budget, hits_within
from everthread.domain.text.words import query_words
from everthread.errors import BadInput
from everthread.settings import names
from everthread.testing import FrozenClock

WINDOW = 20_000_000
"""So large that nothing is distilled but by hand, and no budget is scaled down."""

TAIL_SHARE = 0.3
"""Of the context asked for, what the tail may take; the rest is the summary's."""

LIMIT = 5
"""Hits of a probe, as the score has it (R-16)."""

DEPTH = 60
"""Hits asked for where a token budget is to be filled: so many short messages fit into it."""


def can_distil() -> bool:
    return hasattr(everthread.Agent, "distill")


class Product:
    """One agent in a store of its own, whose clock stands at what it hears."""

    def __init__(self, folder: Path, start: datetime, budget: int = 0, **changes: Any) -> None:
        self.clock = FrozenClock(start)
        settings = Settings(home=folder / "home", **_sizes(budget), **changes)
        self.et = everthread.connect(
            folder / "bench.db", background=False, settings=settings, clock=self.clock
        )
        self.ada = self.et.agent("ada", window=WINDOW)
        self._turn: Any = None
        self._calls = 0
        self.receipts = list[Any]()

    def __enter__(self) -> Product:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.et.close()

    def hear(self, steps: Iterable[Step]) -> None:
        """The steps, as they would come: a person's words open a turn, the rest goes on in it."""
        for step in steps:
            if step.role == "user":
                self._end()  # before the clock moves: a turn is not held open for days
            gap = step.at.timestamp() - self.clock.now() / 1000
            self.clock.forward(seconds=max(gap, 0.001))
            if step.role == "user":
                self._begin(step.text)
            elif self._turn is None:
                self._begin(step.text, origin="tool" if step.role == "tool" else "agent")
            elif step.role == "assistant":
                self._turn.add(step.text)
            else:
                self._use(step)

    def distil(self, steps: Sequence[Step], number: int) -> None:
        """The steps in so many stretches, with a distillation after each."""
        for part in parts(steps, number):
            self.hear(part)
            self._end()
            self.receipts.append(self.ada.distill())

    def context(self) -> str:
        """What the next turn would be given."""
        return str(self.ada.context().text)

    def index(self) -> None:
        self._end()
        self.ada.index()

    def found(self, query: str | None) -> Page:
        """All that a probe brings: the first hits whole, and the neighbours that complete them."""
        if not query or not query.strip():
            return Page("")
        hits = self.ada.recall(query, limit=LIMIT)
        return Page("\n".join(text for hit in hits for text in _texts(hit)))

    def beside_view(self, query: str, tokens: int) -> str:
        """What one recall puts before the model beside the thread's own context, as in a turn."""
        hits = self.ada.recall(query, limit=DEPTH, tokens=tokens, unseen=True)
        return "\n".join(hit.text for hit in hits)

    def ranked(self, query: str) -> list[Any]:
        """What it finds, best first: enough that a view may hold half of it."""
        return self.ada.recall(query, limit=2 * DEPTH)

    def _begin(self, text: str, **options: Any) -> None:
        self._end()
        self._turn = self.ada.turn(text, **options)

    def _use(self, step: Step) -> None:
        self._calls += 1
        name = f"call_{self._calls}"
        call = {"type": "tool_use", "id": name, "name": step.tool, "input": dict(step.call)}
        self._turn.add({"role": "assistant", "content": [call]})
        self._turn.tool_result(name, step.text or "(no output)")

    def _end(self) -> None:
        """A turn whose last word is not the agent's was left without a reply."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        try:
            turn.done()
        except BadInput:
            turn.failed("no reply")


def beside(hits: Iterable[Any], view: str, query: str, tokens: int, depth: int = DEPTH) -> str:
    """The same for a view that is not the product's: the texts that it does not show, that fit."""
    already = ContextText(view)
    unseen = [hit for hit in hits if not already.says(hit.text)]
    room = Budget(tokens, count, query_words(query))
    return "\n".join(hit.text for hit in hits_within(unseen[:depth], room))


def _sizes(budget: int) -> dict[str, int]:
    """The settings that make the context so large; those that are not there yet are left out."""
    known = names()
    if not budget:
        return {}
    tail = max(int(budget * TAIL_SHARE), 100)
    wanted = {"tail_tokens": tail, "summary_tokens": max(budget - tail, 150)}
    return {name: value for name, value in wanted.items() if name in known}


def _texts(hit: Any) -> Iterable[str]:
    """A memory says its own words only; a message is brought back whole."""
    yield hit.text
    own = hit.messages if hit.kind == "message" else ()
    for message in (*own, *hit.context):
        for block in message.blocks:
            yield from words_of(block)


def words_of(block: Any) -> Iterable[str]:
    """What a block says: its text, what a tool was given, what it answered."""
    kind = block.get("type")
    if kind == "text":
        yield str(block["text"])
    elif kind == "tool_use":
        yield from (str(value) for value in block.get("input", {}).values())
    elif kind == "tool_result":
        content = block.get("content", "")
        if isinstance(content, str):
            yield content
        else:
            for inner in content:
                yield from words_of(inner)
