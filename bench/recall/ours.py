"""The product, asked through its own interface: record, index, recall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from talks import Said, Talk

import everthread
from everthread import Settings
from everthread.testing import FrozenClock

LIMIT = 20
"""What a caller asks for."""

DEPTH = 60
"""Asked for where a token budget is to be filled: so many short messages fit into it."""


class Ours:
    """One talk, recorded by an agent of its own."""

    def __init__(self, talk: Talk, store: str | Path) -> None:
        clock = FrozenClock(talk.end)
        self._et = everthread.connect(store, background=False, settings=Settings(), clock=clock)
        self._agent = self._et.agent(talk.name)
        self._agent.record([entry_of(said) for said in talk.said])
        self._agent.index()

    def __enter__(self) -> Ours:
        return self

    def __exit__(self, *_: object) -> None:
        self._et.close()

    def found(self, question: str, limit: int = LIMIT) -> list[str]:
        """Ids of the messages that come back, in order, each once."""
        return list(dict.fromkeys(self._flat(question, limit)))

    def _flat(self, question: str, limit: int) -> Iterator[str]:
        for hit in self._agent.recall(question, limit=limit):
            for message in hit.messages:
                if message.external_id is not None:
                    yield message.external_id


def entry_of(said: Said) -> dict[str, Any]:
    """A message as `record` takes it."""
    entry = {"id": said.id, "name": said.name, "at": said.at.isoformat()}
    if said.role != "tool":
        return {**entry, "role": said.role, "content": said.content}
    result = {"type": "tool_result", "tool_use_id": said.id, "content": said.content}
    return {**entry, "role": "user", "content": [result]}
