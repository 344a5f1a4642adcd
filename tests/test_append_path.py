"""The short way of what is recorded: how little it takes, and that it stores the same as ever."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.conversation.messages import Draft
from everthread.errors import EverthreadError
from everthread.store.sqlite.link import TOGETHER
from everthread.store.sqlite.store import SqliteStore

QUIET = Settings(durability="process", embedder="off")


@pytest.fixture
def et(tmp_path: Path) -> Iterator[Everthread]:
    with everthread.connect(tmp_path / "a.db", settings=QUIET, background=False) as made:
        yield made


def said(count: int, first: int = 0) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[n % 2], "content": f"Line {n} of the log."}
        for n in range(first, first + count)
    ]


def test_many_entries_are_stored_by_few_statements(et: Everthread) -> None:
    """A statement for every row would take longer than the rows."""
    ada = et.agent("ada")
    ada.record(said(1))
    run: list[str] = []
    store = et.house.store
    assert isinstance(store, SqliteStore)
    store._connection.set_trace_callback(run.append)  # pyright: ignore[reportPrivateUsage]
    assert ada.record(said(1_000, first=1)).added == 1_000
    assert len([text for text in run if text.startswith("INSERT")]) <= 2 * 1_000 / TOGETHER


@pytest.mark.parametrize("count", [2, TOGETHER - 1, TOGETHER, TOGETHER + 1, 2 * TOGETHER + 3])
def test_however_many_come_at_once_all_are_stored_in_order(et: Everthread, count: int) -> None:
    ada = et.agent("ada")
    given = said(count)
    given[count // 2]["content"] = "A long line of the log. " * 200  # kept apart from its row
    assert ada.record(given).added == count
    assert [m.text for m in ada.messages(limit=200)] == [entry["content"] for entry in given]
    assert et.verify("ada").sound


def test_a_message_that_is_refused_takes_those_beside_it_back(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One statement for many rows fails as a whole, and so does the transaction around it."""
    ada = et.agent("ada")
    ada.record(said(3))
    given = said(2 * TOGETHER, first=3)
    for entry in (given[7], given[TOGETHER + 7]):
        entry["id"] = "the same"

    def take_all(_records: object, _scope: object, drafts: Sequence[Draft]) -> Sequence[Draft]:
        return drafts

    monkeypatch.setattr("everthread.services.archive.record._new_drafts", take_all)
    with pytest.raises(EverthreadError):
        ada.record(given)
    assert [m.text for m in ada.messages(limit=200)] == [entry["content"] for entry in said(3)]
    assert et.verify("ada").sound


def test_only_the_first_append_imports_anything(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask for a module that is long loaded costs as much as to hash a message twice."""
    ada = et.agent("ada")
    ada.record(said(2))
    asked: list[str] = []
    real = builtins.__import__

    def noted(name: str, *given: Any, **named: Any) -> Any:
        asked.append(name)
        return real(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", noted)
    ada.record(said(1, first=2))
    monkeypatch.undo()
    assert not asked


def test_to_record_nothing_is_no_error(et: Everthread) -> None:
    assert et.agent("ada").record([]) == (0, 0, ())
