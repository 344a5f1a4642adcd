"""Backups while writing goes on, and exports that come back byte for byte, on either engine."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.distilling.receipts import Spending
from everthread.domain.errors import BadInput, ImportRefused, StoreFailed
from everthread.domain.times import moment_of
from everthread.jobs.worker import Worker
from everthread.services.upkeep.transfer import Redacting
from everthread.testing import FrozenClock
from support.stores import EACH, ENGINES, Place, fresh, furnished

pytestmark = pytest.mark.slow


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path / "from") as found:
        yield found


@pytest.fixture
def other(place: Place, tmp_path: Path) -> Iterator[Place]:
    """An empty place on the other engine."""
    engine = next(name for name in ENGINES if name != place.engine)
    with fresh(engine, tmp_path / "to") as found:
        yield found


def connected(place: Place, **options: Any) -> everthread.Everthread:
    """Without the model: vectors are no part of what is carried."""
    options.setdefault("settings", everthread.Settings.load().with_(embedder="off"))
    return everthread.connect(place.target, background=False, **options)


LONG = "a long story 👋 " * 800


def furnish(et: everthread.Everthread, clock: FrozenClock) -> None:
    """Two agents with some of everything: sessions, tools, large bodies, erased and removed threads."""
    for name in ("ada", "bob"):
        agent = et.agent(name, system=f"You are {name}.", tools=[{"name": "f", "input_schema": {}}])
        agent.turn("hé\x00llo 👋 \ud83d", channel="webchat", principal="mel").done(LONG)
        clock.forward(hours=5)
        turn = agent.turn("look it up", channel="signal:+49")
        turn.add([{"type": "tool_use", "id": "c1", "name": "f", "input": {"q": [1.5, None]}}])
        turn.tool_result("c1", LONG)
        turn.done("there", usage={"input_tokens": 100, "output_tokens": 5})
        agent.turn("and then?").failed("the model is away")
        agent.record(
            [
                {"id": f"e{i}", "role": "user", "name": "Mel", "content": f"old {i} {LONG[: i * 900]}",
                 "at": f"2020-01-0{i}T00:00:00Z"}
                for i in range(1, 6)
            ],
            source="import",
            project="/somewhere",
        )  # fmt: skip
        agent.resume(agent.sessions()[-1].id)
        agent.thread("heartbeat", kind="background").turn("tick").done("tock")
        for key in ("erased", "removed"):
            agent.thread(key, kind="ephemeral").turn("secret").done(LONG)
        et.erase(agent, thread="erased", reason="asked")
    clock.forward(hours=25)
    worker = Worker(et.house)
    while worker.step():
        pass
    et.agent("ada").turn("still here?").done("always")


def fill(place: Place, _: Path) -> None:
    clock = FrozenClock()
    with connected(place, clock=clock) as et:
        furnish(et, clock)


@pytest.fixture
def full(place: Place, tmp_path: Path) -> Iterator[Place]:
    """On the same engine, one that is furnished."""
    with furnished(place.engine, tmp_path / "full", fill) as found:
        yield found


@pytest.fixture
def clock() -> FrozenClock:
    """After all that was done there."""
    made = FrozenClock()
    made.forward(hours=35)
    return made


def exported(et: everthread.Everthread, *agents: everthread.Agent) -> list[str]:
    lines: list[str] = []
    assert et.export(lines.append, *agents) == len(lines)
    return lines


def rendered(agent: everthread.Agent, number: int) -> tuple[object, ...]:
    """What was sent in a turn, as both providers were given it."""
    request = agent.sent(number)
    return request.system, request.messages, request.tools, request.openai()


# ---- export and import


def test_an_export_comes_back_byte_for_byte_on_the_other_engine(
    full: Place, other: Place, clock: FrozenClock, tmp_path: Path
) -> None:
    """(R-30, R-37)"""
    with connected(full, clock=clock) as et:
        first = exported(et)
    with connected(other, clock=clock) as et:
        outcome = [(found.agent, found.outcome) for found in et.import_lines(first)]
        assert outcome == [("ada", "added"), ("bob", "added")]
        assert exported(et) == first
        for agent in et.agents():
            assert et.verify(agent).faults == []
    with fresh(full.engine, tmp_path / "back") as back, connected(back, clock=clock) as et:
        et.import_lines(first)
        assert exported(et) == first


def test_an_imported_agent_goes_on_where_it_was(
    full: Place, other: Place, clock: FrozenClock
) -> None:
    """(R-37)"""
    with connected(full, clock=clock) as et:
        ada = et.agent("ada")
        lines, told = exported(et, ada), [m.blocks for m in ada.messages(limit=999)]
        sent = [rendered(ada, turn.number) for turn in ada.turns()]
        aliases = [session.alias for session in ada.sessions()]
    with connected(other, clock=clock) as et:
        et.import_lines(lines)
        assert [agent.name for agent in et.agents()] == ["ada"]
        ada = et.agent("ada", system="You are ada.")
        assert [m.blocks for m in ada.messages(limit=999)] == told
        assert [rendered(ada, turn.number) for turn in ada.turns()] == sent
        assert [session.alias for session in ada.sessions()] == aliases
        again = [{"id": "e1", "role": "user", "content": "old", "at": "2020-01-01T00:00:00Z"}]
        assert ada.record(again, source="import").known == 1
        ada.turn("go on").done("gladly")
        assert et.verify(ada).faults == []


DISTILLED = (
    *("receipts", "summaries", "summary_sentences", "intents", "spending"),
    *("marks", "memories", "primed"),
)


def distill(et: everthread.Everthread, clock: FrozenClock) -> None:
    """Two distillations, one of them undone; something forgotten; money spent."""
    ada = et.agent("ada", window=20_000)
    ada.turn("Always send the ledger to Xylander before noon.").done("Understood.")
    for n in range(60):
        turn = ada.turn(f"We decided to keep module {n}: the parser needs it. See src/part{n}.py.")
        turn.add([{"type": "tool_use", "id": f"c{n}", "name": "f", "input": {"n": n}}])
        turn.tool_result(f"c{n}", f"line {n} of the output ")
        turn.done("I looked.", state={"current_task": f"part {n}"})
        if n in (25, 40):
            assert ada.distill().standing
            clock.forward(hours=1)
    et.undo(ada.receipts()[0].id)
    ada.forget(next(m.id for m in ada.memories() if "Xylander" in m.text))
    spent = Spending(f"{moment_of(clock.now()):%Y-%m-%d}", "a-model", 1, 200, 30, 4_000)
    et.house.store.write(lambda r: r.intents.spend(ada.scope, spent))


@pytest.mark.req("R-37", "R-15")
def test_what_was_distilled_travels_and_can_be_undone_there(
    place: Place, other: Place, tmp_path: Path
) -> None:
    clock = FrozenClock()
    settings = everthread.Settings(
        workspace=str(tmp_path / "files"), score_seconds=0.0, recall="off"
    )
    with connected(place, clock=clock, settings=settings) as et:
        distill(et, clock)
        ada = et.agent("ada")
        lines = exported(et)
        tables = [json.loads(line).get("table") for line in lines]
        assert set(DISTILLED) <= set(tables)
        told, state = ada.context().text, ada.working_state()
        receipts = [ada.receipt(receipt.id) for receipt in ada.receipts()]
        past = [ada.context(number).text for number in (1, 40, 61)]
        undone, first = ada.receipts()
        et.redo(undone.id)
        redone = ada.context().text
    with connected(other, clock=clock, settings=settings) as et:
        et.import_lines(lines)
        assert exported(et) == lines
        ada = et.agent("ada")
        assert et.verify(ada).faults == []
        assert (ada.context().text, ada.working_state()) == (told, state)
        for was in receipts:
            now = ada.receipt(was.receipt.id)
            assert (now.text, now.sentences, now.hidden) == (was.text, was.sentences, was.hidden)
            assert now.receipt.detail == was.receipt.detail
        assert [ada.context(number).text for number in (1, 40, 61)] == past
        et.redo(undone.id)
        assert ada.context().text == redone
        et.agent("ada", window=200_000)
        et.undo(undone.id)
        et.undo(first.id)
        assert ada.context().summary is None
        assert et.verify(ada).faults == []


@pytest.mark.req("R-30")
def test_a_backup_holds_what_was_distilled(place: Place, tmp_path: Path) -> None:
    clock = FrozenClock()
    settings = everthread.Settings(
        workspace=str(tmp_path / "files"), score_seconds=0.0, recall="off"
    )
    copy = tmp_path / "copy.db"
    with connected(place, clock=clock, settings=settings) as et:
        distill(et, clock)
        et.backup(copy)
        told, lines = et.agent("ada").context().text, exported(et)
    with everthread.connect(copy, background=False, clock=clock) as et:
        assert et.agent("ada").context().text == told
        assert exported(et) == lines
        assert et.verify("ada").faults == []


def test_what_is_imported_twice_is_known(full: Place, clock: FrozenClock) -> None:
    """(R-37)"""
    with connected(full, clock=clock) as et:
        lines = exported(et)
        assert [found.outcome for found in et.import_lines(lines)] == ["known", "known"]
        assert exported(et) == lines
        et.agent("ada").turn("meanwhile").done("time went on")
        later = exported(et)
        assert [found.outcome for found in et.import_lines(lines)] == ["known", "known"]
        assert exported(et) == later


def test_another_past_under_the_same_name_is_refused_and_nothing_is_changed(
    place: Place, other: Place
) -> None:
    """(R-37)"""
    with connected(place) as et:
        et.agent("aaa").turn("hello").done("hi")
        et.agent("ada").turn("hello").done("hi")
        lines = exported(et)
    with connected(other) as et:
        et.agent("ada").turn("somebody else").done("indeed")
        before = exported(et)
        with pytest.raises(ImportRefused, match="'ada' is here already, with another past"):
            et.import_lines(lines)
        assert exported(et) == before
        assert [agent.name for agent in et.agents()] == ["ada"]


def test_a_copy_that_went_another_way_is_refused(place: Place, other: Place) -> None:
    """The same agent, but each side has said something since that the other does not know (R-37)."""
    with connected(place) as here, connected(other) as there:
        here.agent("ada").turn("hello").done("hi")
        there.import_lines(exported(here))
        here.agent("ada").turn("left").done("left")
        there.agent("ada").turn("right").done("right")
        before = exported(there)
        with pytest.raises(ImportRefused, match="another past"):
            there.import_lines(exported(here))
        assert exported(there) == before


def test_a_cut_file_is_refused_and_nothing_is_changed(
    full: Place, other: Place, clock: FrozenClock
) -> None:
    """(R-37)"""
    with connected(full, clock=clock) as et:
        lines = exported(et)
    half = len(lines) // 2
    cut = [lines[:keep] for keep in (0, 1, 2, 10, -1)]
    with connected(other) as et:
        for some in (*cut, [*lines[:half], lines[half][:20]]):
            with pytest.raises(ImportRefused):
                et.import_lines(some)
            assert et.agents() == [], len(some)


GARBAGE: dict[str, list[str]] = {
    "no JSON": ["Dear diary,\n", "today\n"],
    "other JSON": ['{"hello": 1}\n', '{"world": 2}\n'],
    "a list": ["[1, 2]\n"],
    "a number": ["7\n"],
    "a newer format": ['{"everthread":99,"kind":"export"}\n', '{"everthread":99,"kind":"end"}\n'],
    "no version": ['{"everthread":"x","kind":"export"}\n', '{"everthread":1,"kind":"end"}\n'],
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_refused(name: str) -> None:
    """(R-37)"""
    with everthread.connect("memory://", background=False) as et:
        with pytest.raises(ImportRefused):
            et.import_lines(GARBAGE[name])
        assert et.agents() == []


def spoilt(
    change: Callable[[dict[str, Any]], None], table: str
) -> Callable[[list[str]], list[str]]:
    def apply(lines: list[str]) -> list[str]:
        out: list[str] = []
        for line in lines:
            row = json.loads(line)
            if row.get("table") == table:
                change(row)
            out.append(json.dumps(row) + "\n")
        return out

    return apply


SPOILT = {
    "an unknown table": spoilt(lambda row: row.update(table="secrets"), "messages"),
    "an id that is none": spoilt(lambda row: row.update(id="xyz"), "messages"),
    "a parent that is missing": spoilt(lambda row: row.update(thread_id="00" * 16), "messages"),
    "a role that is none": spoilt(lambda row: row.update(role="king"), "messages"),
    "a missing column": spoilt(lambda row: row.pop("content"), "messages"),
    "a text for a number": spoilt(lambda row: row.update(seq="one"), "messages"),
    "no name": spoilt(lambda row: row.pop("name"), "agents"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_export_is_refused_and_nothing_is_changed(place: Place, name: str) -> None:
    """By a named error, not by a stumble (R-37)."""
    with everthread.connect("memory://", background=False) as et:
        et.agent("ada").turn("hello").done("hi")
        lines = exported(et)
    with connected(place) as et:
        with pytest.raises((ImportRefused, StoreFailed)):
            et.import_lines(SPOILT[name](lines))
        assert et.agents() == []


def test_an_export_is_plain_ascii_with_one_row_a_line(full: Place, clock: FrozenClock) -> None:
    with connected(full, clock=clock) as et:
        lines = exported(et)
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)
    assert all(line.isascii() for line in lines)
    assert json.loads(lines[0]) == {"everthread": 1, "kind": "export"}
    seal = sha256("".join(lines[:-1]).encode()).hexdigest()
    assert json.loads(lines[-1]) == {"everthread": 1, "kind": "end", "sha256": seal}
    assert "secret" not in "".join(lines)


# ---- redacted exports

TOKEN = "ghp_" + "a1B2c3" * 6
SIGNED = {"type": "thinking", "thinking": f"{TOKEN}?", "signature": "c2VhbGVk" * 20}
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0K" * 2_000},
}


def whisper(et: everthread.Everthread) -> None:
    """Secrets in every kind of content: small and large, text and blocks, system prompt and tools."""
    tools = [{"name": "f", "description": f"needs {TOKEN}", "input_schema": {}}]
    ada = et.agent("ada", system=f"Your token is {TOKEN}. " + LONG, tools=tools)
    turn = ada.turn([{"type": "text", "text": f"take {TOKEN}"}, IMAGE])
    call = {
        "type": "tool_use",
        "id": "c1",
        "name": "f",
        "input": {"api_key": "k3yZx9Qw81LmP", "n": 1},
    }
    turn.add([SIGNED, call])
    turn.tool_result("c1", f"{LONG} {TOKEN}")
    turn.done(f"{LONG} and the password is hunter2")


def redacted_export(et: everthread.Everthread) -> list[dict[str, Any]]:
    lines: list[str] = []
    et.export(Redacting(lines.append))
    return [json.loads(line) for line in lines]


@pytest.mark.req("R-30", "X-19", "LB-13")
def test_a_redacted_export_holds_no_secret_in_any_row_and_all_else(place: Place) -> None:
    with connected(place) as et:
        whisper(et)
        raw = [json.loads(line) for line in exported(et)]
        rows = redacted_export(et)
    text = json.dumps(rows, ensure_ascii=False)
    assert not [secret for secret in (TOKEN, "hunter2", "k3yZx9Qw81LmP") if secret in text]
    assert [(r.get("table"), r.get("id")) for r in rows] == [
        (r.get("table"), r.get("id")) for r in raw
    ]
    assert rows[0]["redacted"] is True
    taken = rows[-1].pop("redacted")
    assert rows[-1] == {"everthread": 1, "kind": "end"}
    # What is derived was redacted before it was stored, and is not counted again.
    assert 0 < taken <= text.count("[REDACTED: ")


@pytest.mark.req("X-19", "LB-13")
def test_a_redacted_export_keeps_what_the_provider_sealed(place: Place) -> None:
    with connected(place) as et:
        whisper(et)
        rows = redacted_export(et)
    bodies = {row["hash"]: row["content"] for row in rows if row.get("table") == "bodies"}
    messages = [row for row in rows if row.get("table") == "messages"]
    blocks = [b for row in messages if row["form"] in (1, 3) for b in json.loads(row["content"])]
    thinking = next(b for b in blocks if b["type"] == "thinking")
    assert thinking == {**SIGNED, "thinking": "[REDACTED: github token]?"}
    image = next(b for b in blocks if b["type"] == "image")
    assert json.loads(bodies[image["everthread"]["body"]["source"]]) == IMAGE["source"]
    call = next(b for b in blocks if b["type"] == "tool_use")
    assert call["input"] == {"api_key": "[REDACTED: secret]", "n": 1}


@pytest.mark.req("R-30")
def test_nobody_can_check_a_guess_against_a_redacted_export(place: Place) -> None:
    """A hash of all that is left and a guess would tell; so salts are gone and hashes are numbers."""
    with connected(place) as et:
        whisper(et)
        raw = [json.loads(line) for line in exported(et)]
        rows = redacted_export(et)
    hashes = {row["hash"] for row in raw if row.get("table") == "bodies"}
    text = json.dumps(rows)
    assert hashes and not [name for name in hashes if name in text]
    entries = [row for row in rows if row.get("table") == "timeline"]
    assert entries and {row["salt"] for row in entries} == {None}
    named = {row["hash"] for row in rows if row.get("table") == "bodies"}
    agent = next(row for row in rows if row.get("table") == "agents")
    assert {agent["system_hash"], agent["tools_hash"]} <= named


def test_a_redacted_export_is_refused_where_it_would_be_imported(
    place: Place, other: Place
) -> None:
    """(R-30)"""
    with connected(place) as et:
        whisper(et)
        lines = [json.dumps(row) + "\n" for row in redacted_export(et)]
    with connected(other) as et:
        with pytest.raises(ImportRefused, match="redacted"):
            et.import_lines(lines)
        assert et.agents() == []


# ---- backup

WRITES = """
import os, sys
import everthread
ada = everthread.connect(sys.argv[1], background=False).agent("ada")
n = 0
while True:
    ada.record([{"id": f"p{n}", "role": "user", "content": f"p{n} " + "x" * 300}])
    os.write(1, b".")
    n += 1
"""


@pytest.mark.slow
def test_a_backup_is_consistent_although_others_keep_writing(place: Place, tmp_path: Path) -> None:
    """It opens, it verifies, and it holds what was there when it began and nothing half-done (R-30)."""
    with connected(place) as et:
        ada = et.agent("ada")
        for start in range(0, 6_000, 1_000):
            ada.record(
                [
                    {"id": f"old{i}", "role": "user", "content": f"{i} " + "y" * 900}
                    for i in range(start, start + 1_000)
                ]
            )
        with subprocess.Popen(
            [sys.executable, "-c", WRITES, place.target], stdout=subprocess.PIPE
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.read(20) == b"." * 20
            stop = threading.Event()
            thread = threading.Thread(target=write_on, args=(ada, stop))
            thread.start()
            copies = [tmp_path / f"copy{i}.db" for i in range(2)]
            for copy in copies:
                et.backup(copy, never_anew())
                et.agent("ada").record([{"role": "user", "content": "between"}])
            stop.set()
            thread.join()
            writer.kill()
        last = ada.messages(limit=100_000)
    for copy in copies:
        check_prefix(copy, [m.id for m in sorted(last, key=lambda m: m.seq)])


def never_anew() -> Callable[[int, int], None]:
    """Progress that leaves others time to write, and must not begin from the start for all that."""
    reached = [0]

    def step(done: int, _total: int) -> None:
        assert done >= reached[-1], "it began anew"
        reached.append(done)
        time.sleep(0.01)

    return step


def write_on(ada: everthread.Agent, stop: threading.Event) -> None:
    while not stop.is_set():
        ada.record([{"role": "user", "content": "from a thread"}])


def check_prefix(copy: Path, ids: list[str]) -> None:
    assert oct(copy.stat().st_mode & 0o777) == "0o600"
    with everthread.connect(copy, background=False) as et:
        ada = et.known_agent("ada")
        assert et.verify(ada).faults == []
        there = [m.id for m in sorted(ada.messages(limit=100_000), key=lambda m: m.seq)]
        assert len(there) > 6_000
        assert there == ids[: len(there)]
        ada.turn("a backup is a store").done("like any other")


def test_a_backup_holds_the_same_as_its_store(
    full: Place, clock: FrozenClock, tmp_path: Path
) -> None:
    """(R-30)"""
    steps: list[tuple[int, int]] = []
    with connected(full, clock=clock) as et:
        lines = exported(et)
        et.backup(tmp_path / "copy.db", lambda done, total: steps.append((done, total)))
    assert steps
    assert steps[-1][0] == steps[-1][1]
    assert [p.name for p in tmp_path.glob("*copy*")] == ["copy.db"]
    assert oct((tmp_path / "copy.db").stat().st_mode & 0o777) == "0o600"
    with everthread.connect(tmp_path / "copy.db", clock=clock, background=False) as et:
        assert exported(et) == lines


def test_a_backup_goes_to_a_new_file_in_a_folder_that_is_there(
    place: Place, tmp_path: Path
) -> None:
    """A mistyped folder, or a disk that is not there, is heard of."""
    with connected(place) as et:
        et.agent("ada").turn("hello").done("hi")
        with pytest.raises(BadInput, match=r"there is no folder .*/a/b; make it first"):
            et.backup(tmp_path / "a" / "b" / "copy.db")
        assert not (tmp_path / "a").exists()
        (tmp_path / "a" / "b").mkdir(parents=True)
        et.backup(tmp_path / "a" / "b" / "copy.db")
        precious = tmp_path / "precious.txt"
        precious.write_text("mine")
        for target in (precious, tmp_path, tmp_path / "a" / "b" / "copy.db"):
            with pytest.raises(BadInput, match="exists already"):
                et.backup(target)
        assert precious.read_text() == "mine"
    with everthread.connect(tmp_path / "a" / "b" / "copy.db", background=False) as et:
        assert len(et.known_agent("ada").messages()) == 2


def test_a_backup_that_cannot_be_written_is_an_error_and_leaves_nothing(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("not a folder")
    with connected(place) as et:
        et.agent("ada").turn("hello").done("hi")
        with pytest.raises(BadInput, match="there is no folder"):
            et.backup(tmp_path / "file" / "copy.db")
        assert len(et.agent("ada").messages()) == 2
    assert [p.name for p in tmp_path.rglob("*copy*")] == []


def test_a_store_in_memory_can_be_kept(tmp_path: Path) -> None:
    with everthread.connect("memory://", background=False) as et:
        et.agent("ada").turn("hello").done("hi")
        et.backup(tmp_path / "kept.db")
    with everthread.connect(tmp_path / "kept.db", background=False) as et:
        assert [m.text for m in et.known_agent("ada").messages()] == ["hello", "hi"]
