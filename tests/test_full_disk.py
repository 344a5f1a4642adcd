"""A full disk is seen by `doctor`, and what was kept is still found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import everthread
from everthread import Settings
from everthread.domain.errors import StoreFull
from everthread.domain.outages import DiskRoom
from everthread.providers import files
from everthread.providers.files import SystemFiles
from everthread.services.memory.index import follow_few
from everthread.services.upkeep.disk_room import rooms
from everthread.store.sqlite import index as sqlite_index
from support.skips import needs, private_mounts
from support.toys import ToyEmbedder

COMMAND = Path(sys.executable).with_name("everthread")

FILLED = """
import json, os, subprocess, sys
from pathlib import Path
import everthread
from everthread import Settings
folder = Path(sys.argv[1])
subprocess.run(["mount", "-o", "size=6m", "-t", "tmpfs", "tmpfs", folder], check=True)
store = folder / "everthread.db"

def connect():
    return everthread.connect(store, background=False, settings=Settings(embedder="off"))

def fill():
    with open(folder / "ballast", "wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(bytes(4096))
        except OSError:
            pass

def command(*words):
    words = [sys.argv[2], *words, "--store", str(store), "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    return [done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr]

def found(question):
    return [hit.text for hit in ada.recall(question, limit=1)]

et = connect()
ada = et.agent("ada")
ada.remember("The staging database runs on port 5433")
"""

OPEN = (
    FILLED
    + """
ada.turn("The zebra lives in Bern").done("Noted.")
fill()
answers = [found("staging port"), found("zebra")]
checks = {each.check: list(each) for each in et.diagnose()}
left = sorted(p.name for p in folder.iterdir())
checked = command("doctor")
asked = command("recall", "--agent", "ada", "zebra")
(folder / "ballast").unlink()
after = {each.check: each.fine for each in et.diagnose()}
again = found("zebra")
et.close()
print(json.dumps(dict(answers=answers, checks=checks, left=left, checked=checked, asked=asked,
    after=after, again=again)))
"""
)

CLOSED = (
    FILLED
    + """
ada.turn("The zebra lives in Bern").done("Noted.")
et.close()
fill()
try:
    connect()
except everthread.errors.EverthreadError as error:
    refused = [type(error).__name__, str(error)]
checked = command("doctor")
asked = command("recall", "--agent", "ada", "zebra")
wrote = command("remember", "--agent", "ada", "Something new")
(folder / "ballast").unlink()
with connect() as et:
    ada = et.known_agent("ada")
    again, sound = found("zebra"), et.verify(ada).sound
print(json.dumps(dict(refused=refused, checked=checked, asked=asked, wrote=wrote, again=again,
    sound=sound)))
"""
)


def apart(script: str, folder: Path) -> dict[str, Any]:
    """What the script says, run where it may mount."""
    needs("tmpfs")
    place, home = folder / "disk", folder / "home"
    place.mkdir()
    done = subprocess.run(
        [*(private_mounts() or []), sys.executable, "-c", script, str(place), str(COMMAND)],
        env={**os.environ, "EVERTHREAD_HOME": str(home), "EVERTHREAD_EMBEDDER": "off"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_name(answer: list[Any]) -> dict[str, Any]:
    return {each["check"]: each for each in answer[1]["checks"]}


@pytest.mark.slow
def test_a_disk_that_fills_up_under_an_open_store_is_told_and_recall_goes_on(
    tmp_path: Path,
) -> None:
    said = apart(OPEN, tmp_path)
    assert said["answers"] == [
        ["The staging database runs on port 5433"],
        ["The zebra lives in Bern"],
    ]
    for checks in (
        said["checks"],
        {k: list(v.values()) for k, v in by_name(said["checked"]).items()},
    ):
        assert checks["store"][1] is False and "no space is left" in checks["store"][2]
        assert checks["space"][1] is False
        assert "for the store, the index and the files" in checks["space"][2]
    assert not [name for name in said["left"] if name.startswith("tmp")]
    assert said["checked"][0] == 1
    code, answer, _ = said["asked"]
    assert code == 0 and answer["hits"][0]["text"] == "The zebra lives in Bern"
    assert said["after"]["store"] is True
    assert said["again"] == ["The zebra lives in Bern"]


@pytest.mark.slow
def test_a_store_that_was_closed_on_a_full_disk_is_read_as_it_is(tmp_path: Path) -> None:
    """SQLite needs space even to open it, so it is opened as on a read-only disk."""
    said = apart(CLOSED, tmp_path)
    assert said["refused"][0] == "StoreFull" and "no space is left" in said["refused"][1]
    code, _, told = said["checked"]
    assert code == 1 and "it is only read" in told
    checks = by_name(said["checked"])
    assert "no space is left to write" in checks["store"]["says"]
    assert checks["space"]["fine"] is False
    code, answer, told = said["asked"]
    assert code == 0 and "it is only read" in told
    assert answer["hits"][0]["text"] == "The zebra lives in Bern"
    assert said["wrote"][0] == 5 and "no space is left" in said["wrote"][2]
    assert said["again"] == ["The zebra lives in Bern"] and said["sound"]


def test_what_is_free_is_told_for_each_file_system_once() -> None:
    seen = {
        "/a/e.db": DiskRoom(1, 50_000_000_000, full=False),
        "/b/index": DiskRoom(2, 40_000_000, full=False),
        "/c/ada": DiskRoom(1, 50_000_000_000, full=False),
    }
    house: Any = SimpleNamespace(
        store=SimpleNamespace(location="/a/e.db"),
        index=SimpleNamespace(place=lambda: "/b/index"),
        workspace=SimpleNamespace(path=lambda _name: "/c/ada"),
        files=SimpleNamespace(rooms=lambda paths: [seen[path] for path in paths]),
    )
    agents: Any = [SimpleNamespace(name="ada")]
    assert [(each.fine, each.says) for each in rooms(house, agents)] == [
        (True, "50,000 MB are free for the store and the files"),
        (False, "only 40 MB are free for the index (/b/index)"),
    ]


def test_room_is_seen_where_a_path_would_be_made_and_nothing_is_left_there(tmp_path: Path) -> None:
    (seen,) = SystemFiles().rooms([str(tmp_path / "not" / "there")])
    assert seen is not None and not seen.full and seen.free > 0
    assert seen.disk == tmp_path.stat().st_dev
    assert list(tmp_path.iterdir()) == []


def test_doctor_tries_each_file_system_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is tried is brought to the disk, and a disk that is slow makes everybody wait for it."""
    tried: list[Path] = []
    monkeypatch.setattr(files, "_is_full", lambda folder: tried.append(folder) or False)
    with everthread.connect(tmp_path / "e.db", background=False) as et:
        ada = et.agent("ada")
        ada.remember("The staging database runs on port 5433")
        ada.recall("staging port")
        assert all(found.fine for found in et.diagnose(ada))
    assert tried == [tmp_path]


def test_an_index_in_memory_is_kept_for_the_next_question_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(embedder="off")
    with everthread.connect(tmp_path / "e.db", background=False, settings=settings) as et:
        ada = et.agent("ada")
        ada.remember("The staging database runs on port 5433")
        disk, now = et.house.index, [1_000.0]
        monkeypatch.setattr(sqlite_index.time, "monotonic", lambda: now[0])
        of, full = disk.of, [True]

        def refused(agent: Any) -> Any:
            if full[0]:
                raise StoreFull("no space is left")
            return of(agent)

        object.__setattr__(disk, "of", refused)
        assert ada.recall("staging port")
        kept = disk.spare()
        assert ada.recall("staging port") and disk.spare() is kept
        full[0] = False
        now[0] += sqlite_index.SPARE_SECONDS + 1
        assert ada.recall("staging port")
        assert disk.spare() is not kept
    with pytest.raises(everthread.errors.EverthreadError, match="closed"):
        disk.spare()


def test_who_asks_first_for_a_few_vectors_is_told_that_all_wait(tmp_path: Path) -> None:
    """The command `recall` makes those that are missing before it asks."""
    settings = Settings(embedder="off")
    with everthread.connect(tmp_path / "e.db", background=False, settings=settings) as et:
        ada = et.agent("ada")
        ada.remember("The staging database runs on port 5433")
        ada.remember("Ada prefers tabs")
        house = replace(et.house, embedder=ToyEmbedder())

        def refused(_agent: Any) -> Any:
            raise StoreFull("no space is left")

        object.__setattr__(house.index, "of", refused)
        assert follow_few(house, ada.row) == 2
