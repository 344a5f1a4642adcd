"""How the index follows the store: page by page, none too large to hold."""

from __future__ import annotations

import pytest

import everthread
from everthread import Settings
from everthread.services.memory import index
from everthread.store.messages import MessageTable

QUIET = Settings(embedder="off")


def test_after_long_messages_only_a_few_are_read_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A history of tool results must not be in memory a thousand at a time. (R-51)."""
    monkeypatch.setattr(index, "PAGE", 4)
    monkeypatch.setattr(index, "FEW", 2)
    monkeypatch.setattr(index, "LONG", 100)
    asked: list[int] = []
    following = MessageTable.following

    def noted(self: MessageTable, *given: object, limit: int, **named: object) -> object:
        asked.append(limit)
        return following(self, *given, limit=limit, **named)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(MessageTable, "following", noted)
    with everthread.connect("memory://", settings=QUIET, background=False) as et:
        ada = et.agent("ada")
        long, short = ["long " * 30] * 6, ["short"] * 6
        ada.record([{"role": "user", "content": text} for text in (*long, *short)])
        assert index.catch_up(et.house, ada.row) == 12
        assert asked == [4, 2, 2, 4, 4]
        assert index.catch_up(et.house, ada.row) == 0
