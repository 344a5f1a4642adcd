"""No everyday statement goes through a whole life: SQLite is asked how it would run each of them.

SQLite plans by the schema, so an empty store tells; PostgreSQL plans by what its tables hold.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

import everthread
from everthread import store
from everthread.store.sql import memories, receipts, scorers, statements
from everthread.store.sql.statements import Across, Scoped

SHORT = {"agents", "schedule", "jobs", "threads", "tokens", "channels", "scorers", "tasks"}
"""Tables that do not grow with what is said. Jobs that are done are deleted."""

WHOLE = {
    "BODIES_NAMED": "the audit reads all",
    "BODIES_SENT": "the audit reads all",
    "INJECTIONS_ALL": "newest first and a limit: it stops early",
    "ERASED_AT": "a row for each session that people erased",
    "RECEIPTS_UNSCORED": "of the distillations, for the sweep, once an hour",
    "SAVED": "the sum of all that was shrunk, for `status`",
    "SPENT": "a row a day and model",
}
"""Those that go through a table on purpose."""

NEWEST = {
    "receipts of an agent": (receipts.RECEIPTS_NEWEST, "receipts_newest"),
    "receipts of a thread": (receipts.RECEIPTS_NEWEST_OF, "receipts_of_thread"),
    "what stands": (memories.MEMORIES_STANDING, "memories_standing"),
    "what ends of sessions drew": (memories.MEMORIES_DRAWN, "memories_by_entry"),
    "what stands of harnesses": (memories.MEMORIES_STANDING_BESIDE, "memories_standing"),
}
OPEN = {
    "turns": (statements.TURNS_ABANDONED, "one_open_turn_per_thread"),
    "receipts": (receipts.RECEIPTS_OPEN, "one_distillation_per_thread"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("plans") / "everthread.db"
    everthread.connect(path, background=False).close()
    with closing(sqlite3.connect(path)) as db:
        yield db


def planned(db: sqlite3.Connection, statement: str) -> list[str]:
    values = dict.fromkeys(re.findall(r"(?<!:):([a-z_0-9]+)", statement), 1)
    return [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def every() -> Iterator[tuple[str, str]]:
    for module in pkgutil.iter_modules(store.__path__):
        if module.ispkg or module.name == "migrating":
            continue
        found = vars(importlib.import_module(f"{store.__name__}.{module.name}"))
        yield from (
            (name, value) for name, value in found.items() if isinstance(value, Scoped | Across)
        )


STATEMENTS = dict(every())


def gone_through(plan: list[str]) -> set[str]:
    """Tables of which every row is looked at; an index of a few of them is not all of it."""
    scans = [re.match(r"SCAN (\w+)(?! USING| VIRTUAL)\b", step) for step in plan]
    return {scan[1] for scan in scans if scan} - SHORT


@pytest.mark.req("R-47", "S-11")
@pytest.mark.parametrize("name", sorted(STATEMENTS))
def test_no_statement_goes_through_a_table_that_grows_for_ever(
    file: sqlite3.Connection, name: str
) -> None:
    tables = {row[0] for row in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    found = gone_through(planned(file, STATEMENTS[name])) & tables
    assert (found and name in WHOLE) or not found, planned(file, STATEMENTS[name])


@pytest.mark.parametrize("name", NEWEST)
def test_the_newest_are_read_off_an_index_without_sorting(
    file: sqlite3.Connection, name: str
) -> None:
    statement, index = NEWEST[name]
    plan = " ".join(planned(file, statement))
    assert index in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("name", OPEN)
def test_what_is_open_is_found_among_what_is_open(file: sqlite3.Connection, name: str) -> None:
    """Every minute, and there are few of them (A-51)."""
    statement, index = OPEN[name]
    assert index in planned(file, statement)[0]


def test_what_was_held_out_is_found_by_its_sessions(file: sqlite3.Connection) -> None:
    """Mostly nothing was: then nothing is read."""
    plan = planned(file, scorers.LIFTS)
    assert "PRIMARY KEY (session_id=?)" in plan[0]
    assert "session_memories_withheld" in plan[2]


def test_the_threads_of_messages_are_found_by_the_ends_of_their_ids(
    file: sqlite3.Connection,
) -> None:
    """However many threads there are: a turn asks for all that its memories came from."""
    assert (
        "threads_by_tail (agent_id=? AND <expr>=?)" in planned(file, statements.THREADS_TAILED)[0]
    )


def test_what_was_replaced_is_found_by_its_messages(file: sqlite3.Connection) -> None:
    """However much was: every writer of `MEMORY.md` asks."""
    withheld, replaced = planned(file, memories.REPLACED)
    assert "PRIMARY KEY (agent_id=? AND message=?)" in withheld
    assert "INTEGER PRIMARY KEY" in replaced
