"""The disk budget: old output of tools gives way, what was said never does, and `verify` knows."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Settings
from everthread.domain.conversation.bodies import body_of
from everthread.domain.distilling.shrinking import (
    LIMIT,
    StoredContent,
    calls_of,
    outputs_of,
    shrunk_text,
)
from everthread.domain.jobs import Job
from everthread.domain.times import text_of
from everthread.engine import Agent, Everthread
from everthread.jobs.duties import DUTIES, HANDLERS, KEEP_WITHIN
from everthread.jobs.pause import WorkerLeaving
from everthread.services.upkeep import shrink
from support.born import ran
from support.printing import OLD, exchange, noise, recorded
from support.skips import needs, private_mounts
from support.stores import ENGINES, Place, fresh

EVERTHREAD = Path(sys.executable).with_name("everthread")
MB = shrink.MEGABYTE


def opened(target: object, budget: int, home: Path) -> Everthread:
    settings = Settings(home=home, disk_budget_mb=budget)
    return everthread.connect(str(target), background=False, settings=settings)


def texts(agent: Agent) -> dict[str, str]:
    """Everything that was said, by the id it came with."""
    return {str(m.external_id): m.content for m in agent.messages(limit=9_999)}


def nothing() -> None:
    return None


def kept_within(engine: Everthread) -> None:
    while not shrink.keep_within(engine.house, nothing):
        pass


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "everthread.db"


# ---- what may shrink


def whole(n: int, content: Any) -> StoredContent:
    """A tool's result as it is stored, its body apart."""
    block = {"type": "tool_result", "tool_use_id": f"t{n}", "content": None}
    return StoredContent(
        n, n, 3, json.dumps([{**block, "everthread": {"body": {"content": content}}}]), 0
    )


@pytest.mark.parametrize("tool", ["Task", "Agent", "AskUserQuestion", "mcp__desk__ask_user"])
def test_what_people_and_agents_said_through_a_tool_is_no_output(tool: str) -> None:
    """(R-40)"""
    stored = whole(1, "ab" * 32)
    assert [use.hash for use in outputs_of(stored, {"t1": "Bash"})] == [b"\xab" * 32]
    assert outputs_of(stored, {"t1": tool}) == []


def test_a_result_whose_call_is_not_known_is_no_output() -> None:
    """Nobody can tell who spoke there (R-40)."""
    assert outputs_of(whole(1, "ab" * 32), {"t2": "Bash"}) == []


def test_calls_are_read_off_stored_messages() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
    assert calls_of(1, json.dumps([{"type": "text", "text": "tool_use"}, call])) == {"t1": "Bash"}
    assert calls_of(0, "tool_use in plain words") == {}


def test_head_tail_and_hash_stay() -> None:
    """(R-40)"""
    content = json.dumps("first line\n" + "x" * 50_000 + "\nlast line")
    kept = shrunk_text(content)
    assert kept is not None
    text = json.loads(kept)
    assert len(text) <= LIMIT
    assert text.startswith("first line\n")
    assert text.endswith("\nlast line")
    assert "50,0" in text  # how many bytes the whole had
    assert body_of(content).hash.hex() in text


def test_parts_and_pictures_shrink_to_words() -> None:
    """(R-40)"""
    picture = {"type": "image", "source": {"type": "base64", "data": "A" * 90_000}}
    small = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    parts = [
        {"type": "text", "text": "seen:"},
        picture,
        small,
        {"type": "text", "text": "y" * 9_000},
    ]
    kept = shrunk_text(json.dumps(parts))
    assert kept is not None
    first, gone, stayed = json.loads(kept)
    assert first["text"].startswith("seen:\nyyy")
    assert "one image was given up" in gone["text"]
    assert stayed == small


@pytest.mark.parametrize("content", ['"' + "x" * 3_000 + '"', '{"an": "object"}', "not json", "7"])
def test_what_would_save_little_stays(content: str) -> None:
    assert shrunk_text(content) is None


def test_half_an_emoji_where_it_is_cut_can_still_be_stored() -> None:
    kept = shrunk_text(json.dumps("\ud83d" * 20_000))
    assert kept is not None
    kept.encode()


# ---- the budget


@pytest.mark.parametrize("engine", ENGINES)
def test_the_oldest_output_gives_way_and_nothing_else(engine: str, tmp_path: Path) -> None:
    """(R-40, R-49)"""
    with fresh(engine, tmp_path) as where, opened(where.target, 0, tmp_path) as et:
        ada = et.agent("ada")
        said = {"id": "said", "role": "user", "content": noise("said", 200_000), "at": OLD}
        ada.record([said])
        rows = [
            row for n in range(40) for row in exchange(n, at=f"2026-01-{1 + n % 20:02}T10:00:00Z")
        ]
        ada.record([*rows, *exchange(99, tool="Task")])
        ada.record(exchange(100, at=text_of(et.house.clock.now())))
        before = texts(ada)
        used = shrink.disk(et.house).used
        with opened(where.target, max(1, (used - 600_000) // MB), tmp_path) as tight:
            assert shrink.disk(tight.house).over
            kept_within(tight)
            after, now = texts(tight.agent("ada")), shrink.disk(tight.house)
            assert tight.verify("ada").faults == []
        changed = {key for key in before if after[key] != before[key]}
        assert now.shrunk.bodies == len(changed) > 0
        assert changed <= {f"r{n}" for n in range(40)}
        days = {key: int(key[1:]) % 20 for key in changed}
        whole_days = {n % 20 for n in range(40) if f"r{n}" not in changed}
        assert max(days.values()) <= min(whole_days, default=20)
        assert now.used < used
        for key in changed:
            n = key[1:]
            assert f"begin n{n} " in after[key]
            assert f" end n{n}" in after[key]


def test_output_that_a_view_shows_stays_until_it_is_hidden(place: Path, tmp_path: Path) -> None:
    """What a model was sent does not change under it (R-7, R-40)."""
    with opened(place, 1, tmp_path) as et:
        ada = et.agent("ada", window=2_000_000)
        turn = ada.turn("print it")
        call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}
        turn.add([call])
        turn.tool_result("t1", noise("shown", 1_500_000))
        turn.done("done")
        later = et.house.clock.now() + 2 * shrink.YOUNGEST
        sent = ada.sent(1).messages
        object.__setattr__(et.house, "clock", Later(later))
        assert shrink.disk(et.house).over
        kept_within(et)
        assert shrink.disk(et.house).shrunk == (0, 0)
        assert ada.sent(1).messages == sent
        assert shrink.is_exhausted(et.house)
        hidden(et, ada)
        assert not shrink.is_exhausted(et.house)
        kept_within(et)
        assert shrink.disk(et.house).shrunk.bodies == 1
        assert et.verify(ada).faults == []


class Later:
    """A clock that stands."""

    def __init__(self, now: int) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)


def hidden(et: Everthread, ada: Agent) -> None:
    """All of the thread goes out of the view, as by a distillation."""
    from everthread.domain.conversation.views import Mark

    def work(records: Any) -> None:
        thread = records.threads.all(ada.scope)[0]
        mark = Mark(
            0, os.urandom(16), thread.ref, None, "hide", 1, thread.last_seq, 1, None, None, 0
        )
        records.marks.add(ada.scope, mark, now=et.house.clock.now())
        records.threads.note(ada.scope, thread.ref, view_version=1)

    et.house.store.write(work)


def test_without_a_budget_nothing_is_ever_shrunk(place: Path, tmp_path: Path) -> None:
    with opened(place, 0, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 10)
        kept_within(et)
        assert shrink.disk(et.house).shrunk == (0, 0)
        assert et.house.store.read(lambda r: r.outputs.oldest(before=2**60, limit=9)) == []


def test_what_was_shrunk_is_found_by_its_head_and_its_tail(place: Path, tmp_path: Path) -> None:
    """Also by an index that is made anew from what is left (R-40)."""
    with opened(place, 1, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 40)
        kept_within(et)
        assert shrink.disk(et.house).shrunk.bodies
        et.house.index.drop(ada.row)
        for words in ("begin n0", "end n0"):
            assert any("n0" in hit.text for hit in ada.recall(words, limit=10)), words


def test_an_export_carries_what_was_shrunk_and_its_proof(place: Path, tmp_path: Path) -> None:
    """(R-37, R-49)"""
    with opened(place, 1, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 40)
        kept_within(et)
        lines: list[str] = []
        et.export(lines.append)
        before = texts(ada)
        saved = shrink.disk(et.house).shrunk
    with opened(tmp_path / "other.db", 1, tmp_path) as other:
        other.import_lines(lines)
        assert other.verify("ada").faults == []
        assert texts(other.known_agent("ada")) == before
        assert shrink.disk(other.house).shrunk == saved
        kept_within(other)  # what came shrunk is not shrunk again
        assert (
            texts(other.known_agent("ada")).items()
            >= {key: text for key, text in before.items() if "given up" in text}.items()
        )
        assert other.verify("ada").faults == []


# ---- the proof


@pytest.mark.parametrize(
    ("forgery", "problem"),
    [
        ("UPDATE bodies SET content = content || ' '", "its content was changed"),
        ("UPDATE shrunk SET size = size + 1", "the row was changed"),
        ("UPDATE shrunk SET kept_hash = hash", "the row was changed"),
        ("DELETE FROM shrunk", "the row was removed"),
    ],
)
def test_another_shrinking_than_the_recorded_one_is_named(
    place: Path, tmp_path: Path, forgery: str, problem: str
) -> None:
    """(R-49)"""
    with opened(place, 1, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 30, size=60_000)
        kept_within(et)
        assert et.verify(ada).sound
    Place("sqlite", str(place)).raw(f"{forgery} WHERE hash = (SELECT hash FROM shrunk LIMIT 1)")
    with opened(place, 1, tmp_path) as et:
        faults = et.verify("ada").faults
        assert any(problem in fault.problem for fault in faults), faults
        if "DELETE" in forgery:  # without its record the body is no longer what was sealed
            assert any("its content was changed" in fault.problem for fault in faults)


def test_a_body_shrunk_by_hand_is_named(place: Path, tmp_path: Path) -> None:
    """(R-49)"""
    with opened(place, 0, tmp_path) as et:
        et.agent("ada").record(exchange(1))
    Place("sqlite", str(place)).raw("UPDATE bodies SET content = '\"short\"'")
    with opened(place, 0, tmp_path) as et:
        (fault,) = et.verify("ada").faults
        assert "its content was changed" in fault.problem


# ---- the duty


def test_the_worker_sees_to_it_every_hour() -> None:
    assert {duty.name: duty.every_ms for duty in DUTIES}[KEEP_WITHIN] == 3_600_000


def test_a_run_that_is_left_off_goes_on_later(place: Path, tmp_path: Path) -> None:
    """After any step the program may end; what was done stays done (R-40)."""
    with opened(place, 2, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 60, size=80_000)
        runs, seen = 0, []
        while shrink.disk(et.house).over:
            left = iter([None, None])

            def pause(left: Iterator[None] = left) -> None:
                if next(left, WorkerLeaving) is WorkerLeaving:
                    raise WorkerLeaving

            pauses: Any = type("P", (), {"or_leave": staticmethod(pause)})
            HANDLERS[KEEP_WITHIN](et.house, a_job(), pauses)
            runs += 1
            seen.append(shrink.disk(et.house).shrunk.bodies)
            assert et.verify(ada).sound
            assert runs < 50
        assert runs > 1
        assert seen == sorted(seen)


def a_job() -> Job:
    fields = dict.fromkeys(Job._fields)
    return Job(**fields)  # type: ignore[arg-type]


# ---- space goes back

KILLED = """
import os, signal, sys
from pathlib import Path
import everthread
from everthread.services.upkeep import shrink
settings = everthread.Settings(home=Path(sys.argv[2]), disk_budget_mb=2)
et = everthread.connect(sys.argv[1], background=False, settings=settings)
shrink.reclaim = lambda house, pause: os.kill(os.getpid(), signal.SIGKILL)
shrink.keep_within(et.house, lambda: None)
"""


def test_killed_between_shrinking_and_giving_back_nothing_is_lost(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """(R-40)"""
    monkeypatch.setattr(shrink, "RESERVE", 0)
    with opened(place, 2, tmp_path) as et:
        ada = et.agent("ada")
        recorded(ada, 80, size=100_000)
        et.house.store.settle()
    before = place.stat().st_size
    done = ran(KILLED, str(place), str(tmp_path))
    assert done.returncode == -signal.SIGKILL, done.stderr
    with opened(place, 2, tmp_path) as et:
        halfway = shrink.disk(et.house)
        assert not halfway.over
        assert halfway.free > 4 * MB
        assert et.verify("ada").sound
        kept_within(et)
        et.house.store.settle()
        assert shrink.disk(et.house).free == 0
        assert shrink.disk(et.house).shrunk == halfway.shrunk
        assert et.verify("ada").sound
        assert len(et.known_agent("ada").messages(limit=999)) == 160
    assert place.stat().st_size < before - 4 * MB


def test_a_small_reserve_stays_in_the_store(place: Path, tmp_path: Path) -> None:
    """What comes next need not ask the disk for it."""
    with opened(place, 1, tmp_path) as et:
        recorded(et.agent("ada"), 80, size=60_000)
        kept_within(et)
        assert 0 < shrink.disk(et.house).free <= shrink.RESERVE


FULL = """
import json, subprocess, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import everthread
from everthread.domain.errors import EverthreadError
from everthread.services.upkeep import shrink
from support.printing import recorded
from test_disk_budget import kept_within, nothing, texts
folder = Path(sys.argv[1])
subprocess.run(["mount", "-o", "size=24m", "-t", "tmpfs", "tmpfs", folder], check=True)
settings = everthread.Settings(home=folder, disk_budget_mb=2)
et = everthread.connect(folder / "everthread.db", background=False, settings=settings)
ada = et.agent("ada")
recorded(ada, 80, size=100_000)
et.house.store.settle()
before = texts(ada)
ballast = folder / "ballast"
with ballast.open("wb", buffering=0) as file:
    try:
        while file.write(bytes(4096)):
            pass
    except OSError:
        pass
try:
    shrink.keep_within(et.house, nothing)
    told = ["fine", ""]
except EverthreadError as error:
    told = [type(error).__name__, str(error)]
while_full = texts(ada) == before or shrink.disk(et.house).shrunk.bodies > 0
sound_while_full = et.verify(ada).faults == []
ballast.unlink()
kept_within(et)
print(json.dumps({
    "told": told, "while_full": while_full, "sound_while_full": sound_while_full,
    "over": shrink.disk(et.house).over, "sound": et.verify(ada).faults == [],
    "messages": len(texts(ada)),
}))
"""


@pytest.mark.slow
def test_a_disk_that_is_full_is_told_and_shrinking_goes_on_later(tmp_path: Path) -> None:
    """(R-34, R-40)"""
    needs("tmpfs")
    script = [*(private_mounts() or []), sys.executable, "-c", FULL, str(tmp_path)]
    here = str(Path(__file__).parent)
    done = subprocess.run([*script, here], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["told"][0] == "StoreFull"
    assert "free some space" in said["told"][1]
    assert said["while_full"]
    assert said["sound_while_full"]
    assert said["sound"]
    assert not said["over"]
    assert said["messages"] == 160


# ---- the doors


def command(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The installed command, as someone types it."""
    env = {**os.environ, "EVERTHREAD_HOME": str(home), **variables}
    return subprocess.run(
        [EVERTHREAD, *arguments], capture_output=True, text=True, check=False, timeout=60, env=env
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose store takes some three megabytes."""
    with opened(tmp_path / "everthread.db", 0, tmp_path) as et:
        recorded(et.agent("ada"), 40, size=70_000)
    return tmp_path


@pytest.mark.slow
def test_status_shows_the_meter_and_what_was_shrunk(home: Path) -> None:
    """(R-40)"""
    shown = command(home, "status", EVERTHREAD_DISK_BUDGET_MB="20").stdout
    assert "of 20.0 MB" in shown
    assert "shrunk" not in shown
    with opened(home / "everthread.db", 2, home) as et:
        kept_within(et)
        saved = shrink.disk(et.house).shrunk
    shown = command(home, "status", EVERTHREAD_DISK_BUDGET_MB="20").stdout
    assert f"{saved.bodies} outputs of tools to both ends" in shown
    disk = json.loads(command(home, "status", "--json").stdout)["disk"]
    assert (disk["shrunk"], disk["saved"]) == saved
    assert disk["budget"] == 10_240 * MB
    none = command(home, "status", EVERTHREAD_DISK_BUDGET_MB="0").stdout
    assert "none (everthread config set disk_budget_mb)" in none


def disk_check(home: Path, budget: int) -> dict[str, Any]:
    told = command(home, "doctor", "--json", EVERTHREAD_DISK_BUDGET_MB=str(budget)).stdout
    return next(check for check in json.loads(told)["checks"] if check["check"] == "disk")


def test_status_and_doctor_tell_the_same_of_a_budget_that_is_exceeded(home: Path) -> None:
    """(R-40)"""
    shown = command(home, "status", EVERTHREAD_DISK_BUDGET_MB="1").stdout
    (share,) = re.findall(r"of 1\.0 MB \((\d+) %\)", shown)
    assert int(share) > 200
    assert f"({share} %)" in disk_check(home, 1)["says"]


@pytest.mark.slow
def test_doctor_warns_before_the_budget_is_spent_and_when_nothing_is_left(home: Path) -> None:
    """(R-40)"""
    with opened(home / "everthread.db", 0, home) as et:
        used = shrink.disk(et.house).used
    assert disk_check(home, 0)["says"] == "no budget is set"
    assert disk_check(home, 2 * used // MB)["fine"]
    near = disk_check(home, used // MB + 1)
    assert near["fine"] == (used / MB / (used // MB + 1) < shrink.WARNING)
    over = disk_check(home, 1)
    assert not over["fine"]
    assert "a part every hour" in over["says"]
    assert "disk_budget_mb" in over["advice"]
    with opened(home / "everthread.db", 1, home) as et:
        et.agent("ada").record([{"id": "s", "role": "user", "content": noise("s", 3 * MB)}])
        kept_within(et)
    spent = disk_check(home, 1)
    assert not spent["fine"]
    assert "nothing is left that may shrink" in spent["says"]


def test_vacuum_gives_back_what_a_file_of_old_kept(home: Path) -> None:
    """A file that was not made for it gives nothing back by itself, only when asked (R-40)."""
    path = home / "everthread.db"
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA journal_mode = DELETE")
        raw.execute("PRAGMA auto_vacuum = NONE")
        raw.execute("VACUUM")
    raw.close()
    with opened(path, 1, home) as et:
        kept_within(et)
        assert et.house.store.reclaim(MB) == 0
        assert shrink.disk(et.house).free > MB
    before = path.stat().st_size
    told = command(home, "vacuum", "--json")
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["given_back"] > MB
    assert path.stat().st_size < before - MB
    assert "went back to the disk" in command(home, "vacuum").stdout
    with opened(path, 1, home) as et:
        assert et.verify("ada").sound
        et.agent("ada").record([{"id": "more", "role": "user", "content": noise("m", MB)}])
        et.erase("ada")
        assert et.house.store.reclaim(MB) > 0


def test_vacuum_is_for_the_whole_store(home: Path) -> None:
    told = command(home, "vacuum", "--agent", "ada")
    assert told.returncode == 2
    assert "the whole store" in told.stderr
