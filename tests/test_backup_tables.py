"""A backup holds every table, on either engine: nothing is left out but what is named, with its reason."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.agents import Scope
from everthread.domain.conversation.bodies import hashes_in
from everthread.domain.distilling.shrinking import Use
from everthread.domain.jobs import Duty
from everthread.domain.scorer.scorer_row import ScorerRow
from everthread.domain.times import HOUR
from everthread.ports import Records
from everthread.services.upkeep.tokens import mint, secret_hash
from everthread.store.postgres.sqlite_copy import DERIVED, LEFT_OUT
from everthread.testing import FrozenClock
from support.stores import EACH, Place, fresh
from test_backup_export import LONG, connected, distill, furnish

pytestmark = [pytest.mark.slow, pytest.mark.req("R-30")]

Rows = list[tuple[Any, ...]]

BESIDE = {"tokens", "jobs", "schedule", "scorers", "weighed", "outputs"}
"""Those that no export carries."""
EMPTY = {
    *("notes", "withheld", "session_scores", "shrunk", "purges", "exchanges", "packed"),
    *("tasks", "sittings", "incidents", "outbox", "checkpoints", "cursors", "compactions"),
}
"""Tables in which what `fill` does leaves nothing, on one engine or the other."""


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path / "from") as found:
        yield found


def fill(et: everthread.Everthread, clock: FrozenClock) -> str:
    """Something in as many tables as a few calls can reach; the secret of a token."""
    furnish(et, clock)
    distill(et, clock)
    ada = et.agent("ada")
    ada.remember("The parser is in Rust.")
    secret = mint(et.house, "laptop", ["read"], ["ada"]).secret
    now = clock.now()
    [thread] = [each for each in ada.threads() if each.kind == "primary"]

    def work(records: Records) -> None:
        records.jobs.add("later", '{"thread":1}', due_at=now + HOUR, now=now, agent=ada.scope.agent)
        records.jobs.add("soon", "{}", due_at=now, now=now, once="only")
        assert records.jobs.claim("me", ["soon"], now=now, until=now + HOUR)
        records.jobs.due_duties([Duty("tidy", HOUR)], now=now)
        records.scorers.keep(ada.scope, ScorerRow(1, 2, '{"w":[0.5]}', "[]", "[1.25]", now))
        weigh(records, ada.scope, thread.ref)

    et.house.store.write(work)
    return secret


def weigh(records: Records, scope: Scope, thread: int) -> None:
    """As the disk budget finds output of tools: by body and message."""
    found = records.outputs.written(scope, thread, 1, 100)
    uses = [
        Use(body, one.place, 1, 5) for one in found for body in hashes_in(one.form, one.content)
    ]
    assert records.outputs.weigh(scope, thread, uses[:1], after=0, until=1)


def rows_of(place: Place) -> dict[str, Rows]:
    """All that a store holds but its index; large bodies as they were before they were packed."""
    found: dict[str, Rows] = {}
    for table, columns in place.tables().items():
        if not table.startswith(DERIVED):
            rows = place.raw(f"SELECT {', '.join(columns)} FROM {table}")
            found[table] = sorted(rows, key=repr)
    names = place.tables()["bodies"]
    content, ref = names.index("content"), names.index("body_id")
    data = {row[0]: zlib.decompress(row[2]).decode() for row in found.pop("packed")}
    found["bodies"] = sorted(
        (
            tuple(data.get(row[ref], v) if i == content else v for i, v in enumerate(row))
            for row in found["bodies"]
        ),
        key=repr,
    )
    return found


def all_tables(place: Place) -> set[str]:
    engine = {
        "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()",
        "sqlite": "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' "
        "ESCAPE '!'",
    }
    return {name for (name,) in place.raw(engine[place.engine])}


def test_every_table_of_either_engine_is_copied_or_named_with_its_reason(tmp_path: Path) -> None:
    """The copy is an embedded store: what the server has and that one has not would be lost."""
    tables: dict[str, set[str]] = {}
    for engine in ("sqlite", "postgres"):
        with fresh(engine, tmp_path / engine) as place:
            with connected(place) as et:
                et.agent("ada").recall("whatever")  # which makes the index
            tables[engine] = all_tables(place) - set(LEFT_OUT)
    derived = {name for name in tables["postgres"] if name.startswith(DERIVED)}
    assert derived, "the index is on the server"
    assert tables["postgres"] - derived == tables["sqlite"]
    assert tables["sqlite"] >= BESIDE
    assert all(len(reason.split()) > 5 for reason in LEFT_OUT.values())


def test_a_backup_holds_every_row_of_every_table(place: Place, tmp_path: Path) -> None:
    clock = FrozenClock()
    with connected(place, clock=clock) as et:
        secret = fill(et, clock)
        et.backup(tmp_path / "copy.db")
    was, copy = rows_of(place), Place("sqlite", str(tmp_path / "copy.db"))
    now = rows_of(copy)
    assert set(now) == set(was)
    for table, rows in was.items():
        assert now[table] == rows, table
    assert {table for table, rows in was.items() if not rows} <= EMPTY
    assert copy.raw("PRAGMA foreign_key_check") == []
    with connected(copy, clock=clock) as et:
        assert et.house.store.read(lambda r: r.tokens.find(secret_hash(secret))) is not None
        scorer = et.house.store.read(lambda r: r.scorers.get(et.agent("ada").scope))
        assert scorer is not None and scorer.history_json == "[1.25]"
        for agent in et.agents():
            assert et.verify(agent).faults == []
        assert et.agent("ada").turn("go on").done("gladly")


def test_a_backup_packs_large_bodies_and_gives_them_back_whole(
    place: Place, tmp_path: Path
) -> None:
    with connected(place) as et:
        et.agent("ada").record([{"role": "user", "content": LONG}])
        et.backup(tmp_path / "copy.db")
    copy = Place("sqlite", str(tmp_path / "copy.db"))
    assert copy.raw("SELECT count(*) FROM packed")[0][0] == 1
    with connected(copy) as et:
        assert [m.text for m in et.known_agent("ada").messages()] == [LONG]
        assert et.verify("ada").faults == []


def test_a_reference_that_was_given_away_is_not_given_again_in_the_copy(
    place: Place, tmp_path: Path
) -> None:
    """A job may still name what is gone."""
    clock = FrozenClock()
    with connected(place, clock=clock) as et:
        ada = et.agent("ada")
        ada.turn("hello").done("hi")
        last = ada.thread("gone", kind="ephemeral")
        last.turn("secret").done("yes")
        [ref] = [each.ref for each in ada.threads() if each.key == "gone"]
        last.close()
        et.erase(ada, thread="gone")
        place.without_triggers()
        place.raw("DELETE FROM jobs")
        for table in ("marks", "channels", "turns", "messages", "sessions"):
            place.raw(f"DELETE FROM {table} WHERE thread_id = :ref", ref=ref)
        place.raw("DELETE FROM threads WHERE thread_id = :ref", ref=ref)
        et.backup(tmp_path / "copy.db")
    with connected(Place("sqlite", str(tmp_path / "copy.db")), clock=clock) as et:
        ada = et.agent("ada")
        ada.thread("next", kind="background").turn("tick").done("tock")
        assert [each.ref for each in ada.threads() if each.key == "next"] == [ref + 1]
