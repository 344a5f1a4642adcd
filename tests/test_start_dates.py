"""What a start and a list date by: when it was said, however much later it was brought in or kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from everthread.domain.agents import Scope
from everthread.store.bodies import BodyTable
from support.commands import Cli
from support.harness import Bench, bench

RULE = "Never push to main without running make test."
SAID = "2026-02-01T09:30:00Z"


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_a_start_dates_a_memory_by_when_it_was_said(q: Bench):
    """Its worker came days later, as that of an import does."""
    w = q.window()
    w.start()
    w.turn(RULE, "I keep to that.")
    w.end()
    q.clock.forward(hours=24 * 10)
    q.work()
    (kept,) = [memory for memory in q.agent.memories() if memory.text == RULE]
    assert f"{kept.updated_at:%Y-%m-%d}" == "2026-03-02", "that is when it was kept"
    given = q.window("s-2").start().splitlines()
    (line,) = [n for n, text in enumerate(given) if RULE in text]
    head = "\n".join(given[line - 1 : line + 1])
    assert "2026-02-20 10:01" in head and "2026-03-02" not in head


def test_a_start_reads_no_words_to_date_a_memory(q: Bench, monkeypatch: pytest.MonkeyPatch):
    """A thousand memories may rest on as many long messages."""
    log = " ".join(f"line {n} of the log" for n in range(2_000))
    (said,) = q.agent.record([{"role": "user", "content": log}]) and q.agent.primary.messages()
    q.agent.remember(RULE, kind="rule", sources=[said])
    read: list[str] = []

    def noted(table: BodyTable, scope: Scope, hashes: Iterable[bytes]) -> Mapping[bytes, str]:
        found = get(table, scope, hashes)
        read.extend(found.values())
        return found

    get = BodyTable.get
    monkeypatch.setattr(BodyTable, "get", noted)
    assert RULE in q.window().start()
    assert log not in read


def test_a_start_goes_by_when_it_was_said_and_not_by_when_it_was_kept(q: Bench):
    """What the worker drew days later does not pass what was said since."""
    later = "Always write dates as 2026-11-16, the day last."
    w = q.window()
    w.start()
    w.turn(RULE, "I keep to that.")
    w.end()
    q.clock.forward(hours=24)
    q.agent.remember(later, kind="rule", scope="project", project=str(q.project))
    q.clock.forward(hours=24)
    q.work()
    kept = {memory.text: memory for memory in q.agent.memories(kind="rule")}
    assert kept[RULE].updated_ms > kept[later].updated_ms
    assert kept[RULE].importance == kept[later].importance
    given = q.window("s-2").start()
    assert given.index(later) < given.index(RULE)


def test_agents_tells_when_something_was_last_said_and_not_when_it_was_brought(tmp_path: Path):
    cli = Cli(tmp_path)
    file = tmp_path / "old.jsonl"
    file.write_text(json.dumps({"role": "user", "content": "zebra?", "at": SAID}))
    assert cli("import", file, "--agent", "ada").code == 0
    assert "2026-02-01 09:30" in cli("agents").out
    (told,) = cli("agents", "--json").json["agents"]
    assert told["last_activity"].startswith("2026-02-01T09:30")
