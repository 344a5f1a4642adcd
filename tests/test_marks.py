"""Marks add up in a thread that never ends; a turn reads those of what its view shows, and no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.agents import Scope
from everthread.domain.conversation.views import Mark
from everthread.ports import Records
from everthread.services.archive.view import view_at, view_messages
from everthread.store.postgres.link import PostgresLink
from everthread.store.sqlite.link import SqliteLink
from everthread.testing import FrozenClock
from support.stores import EACH, fresh

OLD = 200
LONG = "line of output\n" * 400
CUT = "characters cut by Everthread"


@pytest.fixture(params=EACH)
def et(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Everthread]:
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, clock=FrozenClock(), background=False) as engine,
    ):
        yield engine


class Rows:
    """How many rows of marks were read."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.read = 0
        for link in (SqliteLink, PostgresLink):
            patch.setattr(link, "all", self._counted(link.all))

    def _counted(self, plain: Any) -> Any:
        def counted(link: Any, sql: str, scope: Scope | None, /, **values: Any) -> list[Any]:
            rows = plain(link, sql, scope, **values)
            self.read += len(rows) if "FROM marks" in sql else 0
            return rows

        return counted

    def of(self, work: Any) -> int:
        before = self.read
        work()
        return self.read - before


def marked(et: Everthread, ada: Agent, made: Sequence[tuple[str, int, int]]) -> int:
    """Marks as distillations and long turns leave them, of one version; which it is."""
    scope, ref = Scope(ada.row.ref), ada.primary.row.ref

    def work(records: Records) -> int:
        version = records.threads.hold(scope, ref).view_version + 1
        for action, first, last in made:
            mark = Mark(
                *(0, et.house.ids.new(), ref, None, action, first, last, version, None, 5, 0)
            )
            records.marks.add(scope, mark, now=et.house.clock.now())
        records.threads.note(scope, ref, view_version=version)
        return version

    return et.house.store.write(work)


def spoken(ada: Agent, turns: int) -> None:
    for n in range(turns):
        with ada.turn(f"question {n}") as turn:
            call = {"type": "tool_use", "id": f"c{n}", "name": "ls", "input": {}}
            turn.add({"role": "assistant", "content": [call]})
            turn.tool_result(f"c{n}", f"{n}\n{LONG}")
            turn.done("done")


@pytest.mark.req("LD-12")
def test_a_turn_reads_no_mark_of_what_its_view_hides(
    et: Everthread, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = et.agent("ada", window=400_000)
    spoken(ada, 3)
    rows = Rows(monkeypatch)
    # 12 messages; the first two turns go, and the result of the third is shortened.
    marked(et, ada, [("hide", 1, 8), ("shorten", 11, 11)])
    few = rows.of(lambda: ada.turn("and now?").done("well"))
    assert few
    marked(et, ada, [("shorten", 3 + n % 5, 3 + n % 5) for n in range(OLD)])
    assert rows.of(lambda: ada.turn("and then?").done("well")) == few
    marked(et, ada, [("shorten", 14, 14)])
    assert rows.of(lambda: ada.turn("at last?").done("well")) > few, "what is shown is looked at"


@pytest.mark.req("R-15", "R-42")
def test_earlier_versions_show_what_they_showed(et: Everthread) -> None:
    """A time travel goes back to marks that the newest view does not look at."""
    ada = et.agent("ada", window=400_000)
    spoken(ada, 3)
    scope, ref, last = Scope(ada.row.ref), ada.primary.row.ref, ada.primary.row.last_seq
    short = marked(et, ada, [("shorten", 3, 3), ("shorten", 7, 7)])
    gone = marked(et, ada, [("hide", 1, 4)])
    both = marked(et, ada, [("hide", 5, 8), ("shorten", 11, 11)])

    def seen(version: int) -> list[tuple[int, bool]]:
        def read(records: Records) -> list[tuple[int, bool]]:
            view = view_at(records, scope, ref, version=version, last=last)
            shown = view_messages(records, scope, ref, view)
            return [(m.seq, CUT in m.content) for m in shown if m.origin == "tool"]

        return et.house.store.read(read)

    assert seen(0) == [(3, False), (7, False), (11, False)]
    assert seen(short) == [(3, True), (7, True), (11, False)]
    assert seen(gone) == [(7, True), (11, False)]
    assert seen(both) == [(11, True)]
