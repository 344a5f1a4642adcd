"""The folder of an agent: what is flushed is on disk, what is the user's stays, trouble is told."""

from __future__ import annotations

import fcntl
import os
import random
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everthread.domain.distilling import daily_files
from everthread.domain.errors import BadInput
from everthread.domain.gleaning.digest import Point
from everthread.domain.times import ms_of
from everthread.ports.workspace import Flush, FlushResult, Workspace
from everthread.providers.durable_files import read_file, swap
from everthread.providers.workspace import LOCK, FolderWorkspace, folder_name
from everthread.testing.workspace import MemoryWorkspace
from support.nursery import Nursery

DAY = "2026-11-15"
NOON = ms_of("2026-11-15T12:00:00Z")
MINE = "# Mine\r\n\r\n\ttabs, no end"


def order(receipt: str = "r-1", *facts: str, summary: str = "We chose tabs.") -> Flush:
    made = daily_files.section(receipt, number=1, at_ms=NOON, thread="t-1", summary=summary)
    points = [Point("fact", fact, (b"m",), "user", NOON, verbatim=True) for fact in facts]
    return Flush(receipt, DAY, made, daily_files.managed_section(points))


class Place:
    """A workspace, and a way to its files that does not go through it."""

    def __init__(self, root: Path | None) -> None:
        self.folder = FolderWorkspace(root) if root is not None else None
        self.memory = MemoryWorkspace() if root is None else None

    @property
    def workspace(self) -> Workspace:
        found = self.folder or self.memory
        assert found is not None
        return found

    def path(self, name: str) -> str:
        return f"{self.workspace.path('ada')}/{name}"

    def text(self, name: str) -> str | None:
        if self.memory is not None:
            return self.memory.files.get(self.path(name))
        place = Path(self.path(name))
        return place.read_bytes().decode() if place.exists() else None

    def write(self, name: str, text: str) -> None:
        if self.memory is not None:
            self.memory.files[self.path(name)] = text
        else:
            place = Path(self.path(name))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())


@pytest.fixture(params=["folder", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Place(tmp_path / "agents" if request.param == "folder" else None)


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    """The folder of the agent ada, whose workspace is `FolderWorkspace(tmp_path)`."""
    folder = tmp_path / "ada"
    folder.mkdir()
    return folder


# ---- what every workspace promises


@pytest.mark.req("A-8", "A-39", "A-67", "S-4")
def test_a_flush_is_in_the_daily_file_and_in_memory_md(place: Place) -> None:
    done = place.workspace.write("ada", order("r-1", "The port is 8443."))
    days, memory = place.path(f"memory/{DAY}.md"), place.path("MEMORY.md")
    assert done == FlushResult(ok=True, paths=(days, memory))
    assert (place.text(f"memory/{DAY}.md") or "").startswith("# Memory - 2026-11-15\n")
    assert "We chose tabs." in (place.text(f"memory/{DAY}.md") or "")
    assert "- The port is 8443. (2026-11-15)" in (place.text("MEMORY.md") or "")


@pytest.mark.req("R-17")
def test_a_flush_that_is_repeated_writes_nothing_twice(place: Place) -> None:
    place.write("MEMORY.md", MINE)
    first = place.workspace.write("ada", order("r-1", "One."))
    before = place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")
    assert place.workspace.write("ada", order("r-1", "One.")) == first
    assert (place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")) == before


@pytest.mark.req("R-15", "S-4")
def test_a_withdrawn_flush_leaves_the_bytes_from_before(place: Place) -> None:
    place.write("MEMORY.md", MINE)
    place.write(f"memory/{DAY}.md", MINE)
    place.workspace.write("ada", order("r-1", "One."))
    first = place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")
    place.workspace.write("ada", order("r-2", "One.", "Two."))
    assert place.workspace.withdraw("ada", order("r-2", "One.")).ok
    assert (place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")) == first
    assert place.workspace.withdraw("ada", order("r-1")).ok
    assert (place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")) == (MINE, MINE)
    assert place.workspace.withdraw("ada", order("r-1")) == FlushResult(ok=True)


@pytest.mark.req("R-15")
def test_files_that_only_we_wrote_go_with_our_words(place: Place) -> None:
    place.workspace.write("ada", order("r-1", "One."))
    place.workspace.withdraw("ada", order("r-1"))
    assert (place.text(f"memory/{DAY}.md"), place.text("MEMORY.md")) == (None, None)


@pytest.mark.req("R-15")
def test_what_was_edited_by_hand_is_kept_and_told(place: Place) -> None:
    place.workspace.write("ada", order("r-1", "One."))
    for name in (f"memory/{DAY}.md", "MEMORY.md"):
        place.write(name, (place.text(name) or "").replace("tabs", "spaces").replace("One", "1"))
    done = place.workspace.withdraw("ada", order("r-1"))
    assert (done.ok, done.edited) == (True, True)
    assert "We chose spaces." in (place.text(f"memory/{DAY}.md") or "")
    assert daily_files.KEPT in (place.text("MEMORY.md") or "")
    assert "- 1. (2026-11-15)" in (place.text("MEMORY.md") or "")
    assert place.workspace.write("ada", order("r-1", "One.")).edited


@pytest.mark.req("S-15")
def test_a_day_of_over_a_megabyte_goes_on_in_its_next_file(place: Place) -> None:
    place.write(f"memory/{DAY}.md", "x" * daily_files.LARGEST)
    assert place.workspace.write("ada", order("r-1")).paths == (place.path(f"memory/{DAY}.2.md"),)
    place.workspace.write("ada", order("r-2"))
    assert place.workspace.write("ada", order("r-1")).paths == (place.path(f"memory/{DAY}.2.md"),)
    second = place.text(f"memory/{DAY}.2.md") or ""
    assert re.findall(r"<!-- everthread:receipt (\S+)", second) == ["r-1", "r-2"]
    for receipt in ("r-1", "r-2"):
        place.workspace.withdraw("ada", order(receipt))
    assert place.text(f"memory/{DAY}.2.md") is None
    assert place.text(f"memory/{DAY}.md") == "x" * daily_files.LARGEST


def test_a_day_that_is_none_is_refused(place: Place) -> None:
    for call in (place.workspace.write, place.workspace.withdraw):
        with pytest.raises(BadInput):
            call("ada", order()._replace(day="../../x"))


def test_agents_have_files_of_their_own(place: Place) -> None:
    place.workspace.write("ada", order("r-1", "One."))
    place.workspace.write("bob", order("r-2", "Two."))
    assert "Two." not in (place.text("MEMORY.md") or "")
    assert place.workspace.withdraw("bob", order("r-1", "Two.")).edited is False
    assert "r-1" in (place.text(f"memory/{DAY}.md") or "")


def test_a_workspace_in_memory_can_be_in_trouble() -> None:
    workspace = MemoryWorkspace()
    workspace.trouble = "the disk is full"
    done = workspace.write("ada", order())
    assert (done.ok, done.error) == (False, "cannot write memory:ada: the disk is full")
    assert workspace.files == {}


# ---- folders


def test_a_folder_has_a_readable_name_that_is_no_other_agents() -> None:
    names = [
        "ada",
        "Ada",
        "a.b-c_1",
        "../x",
        "..",
        ".",
        "",
        "a/b",
        "a b",
        "a\\b",
        "a\0b",
        ".hidden",
        "-rf",
        "小明",
        "Łódź @ home",
        "e\u0301",
        "\u00e9",
        "x" * 64,
        "x" * 65,
        "小" * 500,
        "\ud800",
        folder_name("../x"),
    ]
    folders = [folder_name(name) for name in names]
    assert folders[:3] == names[:3]
    assert len(set(folders)) == len(names)
    for folder in folders:
        assert len(os.fsencode(folder)) <= 255
        assert re.fullmatch(r"\w[\w.~-]*", folder)
        assert Path("/a", folder).parent == Path("/a")
    assert re.fullmatch("小明~[0-9a-f]{12}", folder_name("小明"))


@pytest.mark.req("R-30")
def test_files_and_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    workspace = FolderWorkspace(tmp_path / "home" / "agents")
    assert workspace.write("ada", order("r-1", "One.")).ok
    for found in (tmp_path / "home").rglob("*"):
        assert stat.S_IMODE(found.stat().st_mode) == (0o700 if found.is_dir() else 0o600), found
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_a_file_of_the_user_keeps_its_mode(ada: Path) -> None:
    memory = ada / "MEMORY.md"
    memory.write_text("mine")
    memory.chmod(0o644)
    assert FolderWorkspace(ada.parent).write("ada", order("r-1", "One.")).ok
    assert stat.S_IMODE(memory.stat().st_mode) == 0o644


@pytest.mark.req("S-4")
def test_a_link_stays_a_link_and_its_target_is_written(ada: Path, tmp_path: Path) -> None:
    target = tmp_path / "notes" / "shared.md"
    target.parent.mkdir()
    target.write_text("mine")
    (ada / "MEMORY.md").symlink_to(target)
    workspace = FolderWorkspace(tmp_path)
    assert workspace.write("ada", order("r-1", "One.")).ok
    assert (ada / "MEMORY.md").is_symlink()
    assert "One." in target.read_text()
    assert workspace.withdraw("ada", order("r-1")).ok
    assert target.read_text() == "mine"
    target.unlink()
    assert workspace.write("ada", order("r-1", "One.")).ok
    assert "One." in target.read_text()
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.req("S-4")
@pytest.mark.parametrize("raw", [b"caf\xe9\r\n", b"\xef\xbb\xbfmine", b"\xff mine", b"a\rb\r"])
def test_bytes_of_the_user_survive_whatever_they_mean(ada: Path, raw: bytes) -> None:
    memory = ada / "MEMORY.md"
    memory.write_bytes(raw)
    workspace = FolderWorkspace(ada.parent)
    assert workspace.write("ada", order("r-1", "Ümlaut.")).ok
    assert memory.read_bytes().startswith(raw)
    assert "Ümlaut.".encode() in memory.read_bytes()
    assert workspace.withdraw("ada", order("r-1")).ok
    assert memory.read_bytes() == raw


# ---- trouble


def _in_the_way(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("mine")


def _no_days(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "memory").write_text("mine")


def _wide(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("mine", encoding="utf-16")


def _pipe(folder: Path) -> None:
    folder.mkdir(parents=True)
    os.mkfifo(folder / "MEMORY.md")


def _huge(folder: Path) -> None:
    folder.mkdir(parents=True)
    with (folder / "MEMORY.md").open("wb") as file:
        file.truncate(16_000_001)


def _no_file(folder: Path) -> None:
    (folder / "MEMORY.md").mkdir(parents=True)


def _circle(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").symlink_to(folder / "MEMORY.md")


def _nowhere(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").symlink_to(folder / "gone" / "MEMORY.md")


@pytest.mark.req("A-40", "A-67", "R-17")
@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (_in_the_way, ": a file stands where a folder should be"),
        (_no_days, "/memory: a file stands where a folder should be"),
        (_wide, "/MEMORY.md: it is not a text in UTF-8, and what we add would spoil it"),
        (_pipe, "/MEMORY.md: it is not a plain file"),
        (_huge, "/MEMORY.md: it is larger than 16 MB"),
        (_no_file, "/MEMORY.md: a folder stands where a file should be"),
        (_circle, "/MEMORY.md: its links go round in a circle"),
        (_nowhere, "/MEMORY.md: the folder is not there"),
    ],
)
def test_trouble_is_told_and_what_can_be_written_is(
    tmp_path: Path, trouble: Callable[[Path], None], told: str
) -> None:
    workspace = FolderWorkspace(tmp_path / "agents")
    folder = Path(workspace.path("ada"))
    trouble(folder)
    done = workspace.write("ada", order("r-1", "One."))
    assert (done.ok, done.error) == (False, f"cannot write {folder}{told}")
    if trouble is _in_the_way:
        assert folder.read_text() == "mine"
    elif trouble is _no_days:
        assert (folder / "memory").read_text() == "mine"
        assert done.paths == (str(folder / "MEMORY.md"),)
    else:
        assert done.paths == (str(folder / "memory" / f"{DAY}.md"),)
    assert workspace.withdraw("ada", order("r-1", "One.")).error == done.error
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.req("A-40")
def test_a_path_that_is_too_long_is_told(tmp_path: Path) -> None:
    for root in (tmp_path / ("x" * 300), tmp_path.joinpath(*["x" * 200] * 25)):
        done = FolderWorkspace(root).write("ada", order())
        assert not done.ok
        assert (done.error or "").endswith(": the path is too long")


CHILD = """
import os, resource, sys
from everthread.domain.distilling import daily_files
from everthread.domain.gleaning.digest import Point
from everthread.ports.workspace import Flush
from everthread.providers.workspace import FolderWorkspace
workspace = FolderWorkspace(sys.argv[1], patience=30)

def order(receipt, fact):
    made = daily_files.section(receipt, number=1, at_ms={now}, thread="t-1", summary="We chose tabs.")
    points = [Point("fact", fact, (b"m",), "user", {now}, verbatim=True)]
    return Flush(receipt, "{day}", made, daily_files.managed_section(points))
"""


def child(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD.format(now=NOON, day=DAY) + code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )


def born(code: str) -> Nursery:
    """Many that run this code, one after the other, and are killed."""
    return Nursery(CHILD.format(now=NOON, day=DAY) + code)


def answer(process: subprocess.Popen[str]) -> str:
    told, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return told.strip()


FULL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
print(workspace.write("ada", order("r-2", "Two.")))
"""


@pytest.mark.req("A-40", "R-17")
def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path: Path) -> None:
    workspace = FolderWorkspace(tmp_path)
    workspace.write("ada", order("r-1", "One."))
    before = {place: place.read_bytes() for place in tmp_path.rglob("*") if place.is_file()}
    told = answer(child(FULL, tmp_path))
    assert told.startswith("FlushResult(ok=False, paths=(), edited=False, error=")
    assert told.count("the file may not grow any further") == 2
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert workspace.write("ada", order("r-2", "Two.")).ok


NOBODY = """
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
print(workspace.write("ada", order("r-1", "One.")))
"""


@pytest.mark.req("A-40", "R-17")
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    try:
        told = answer(child(NOBODY, closed))
    finally:
        closed.chmod(0o700)
    assert f"error='cannot write {closed}/ada: no permission'" in told
    assert list(closed.iterdir()) == []


@pytest.mark.req("A-40")
def test_a_lock_that_cannot_be_had_is_told_in_time(ada: Path) -> None:
    workspace = FolderWorkspace(ada.parent, patience=0.2)
    with (ada / LOCK).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        begun = time.monotonic()
        done = workspace.write("ada", order())
        assert time.monotonic() - begun < 20
    assert done.error == f"cannot write {ada}: another process has been writing for over 0.2 s"
    assert workspace.write("ada", order()).ok


def test_who_waits_for_the_lock_gets_it(ada: Path) -> None:
    done: list[FlushResult] = []
    with (ada / LOCK).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = threading.Thread(
            target=lambda: done.append(FolderWorkspace(ada.parent).write("ada", order()))
        )
        waiting.start()
        time.sleep(0.1)
        assert done == []
    waiting.join()
    assert done[0].ok


# ---- others who write


def test_a_file_that_changed_since_it_was_read_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_text("old")
    found = read_file(path)
    # As fast as can be, and of the same length: times of files are too coarse to tell.
    path.write_text("new")
    assert not swap(found, "ours")
    assert not swap(found, None)
    assert path.read_text() == "new"
    assert swap(read_file(path), "ours")
    assert path.read_text() == "ours"
    path.unlink()
    gone = read_file(path)
    path.write_text("theirs")
    assert not swap(gone, "ours")
    assert list(tmp_path.iterdir()) == [path]


# An editor saves each time our draft is opened, that often: after we have read, before we rename.
EDITOR = """
memory, left = os.path.join(sys.argv[1], "ada", "MEMORY.md"), [int(sys.argv[2])]
def edit(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".tmp") and left[0]:
        if os.path.exists(memory):
            left[0] -= 1
            with open(memory, "a") as file:
                file.write(f"mine {left[0]}\\n")
sys.addaudithook(edit)
print(workspace.write("ada", order("r-1", "One.")))
"""


@pytest.mark.req("S-4")
def test_what_an_editor_saves_in_between_is_kept(ada: Path) -> None:
    (ada / "memory").mkdir()
    section = order("r-1").section
    (ada / "memory" / f"{DAY}.md").write_text(section)
    (ada / "MEMORY.md").write_text("mine\n")
    assert "ok=True" in answer(child(EDITOR, ada.parent, 3))
    text = (ada / "MEMORY.md").read_text()
    assert text.startswith("mine\nmine 2\nmine 1\nmine 0\n\n<!-- everthread:begin")
    assert text.count("One.") == 1


@pytest.mark.req("A-40")
def test_an_editor_that_never_stops_saving_is_told(ada: Path) -> None:
    (ada / "MEMORY.md").write_text("mine\n")
    told = answer(child(EDITOR, ada.parent, 1000))
    assert f"error='cannot write {ada}/MEMORY.md: somebody else keeps changing it'" in told
    assert "One." not in (ada / "MEMORY.md").read_text()


RACER = """
for n in range(int(sys.argv[3])):
    done = workspace.write("ada", order(f"{sys.argv[2]}-{n}", f"{sys.argv[2]} {n}."))
    assert done.ok, done
"""


@pytest.mark.req("A-39", "S-4")
def test_processes_that_write_at_once_keep_all_sections_and_one_header(ada: Path) -> None:
    (ada / "MEMORY.md").write_text(MINE)
    children = [child(RACER, ada.parent, name, 15) for name in "abc"]
    for each in children:
        answer(each)
    text = (ada / "memory" / f"{DAY}.md").read_text()
    assert text.count("# Memory - ") == 1
    receipts = re.findall(r"<!-- everthread:receipt (\S+)", text)
    assert sorted(receipts) == sorted(f"{name}-{n}" for name in "abc" for n in range(15))
    memory = (ada / "MEMORY.md").read_bytes().decode()
    assert memory.startswith(MINE)
    assert memory.count("everthread:begin") == 1


# ---- killed

# Counts what it asks of the system, and dies at the nth of it.
MORTAL = """
import signal
left = [int(sys.argv[2])]
def die(event, arguments):
    if event in ("open", "os.rename", "os.remove", "os.mkdir", "os.chmod", "fcntl.flock"):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(die)
assert workspace.write("ada", order("r-2", "Two.")).ok
assert workspace.withdraw("ada", order("r-1", "Two.")).ok
os.write(1, b"alive")
"""


def _states() -> Iterator[tuple[str | None, ...]]:
    """The files after each step of what the mortal does."""
    place = Place(None)
    names = (f"memory/{DAY}.md", "MEMORY.md")
    place.write("MEMORY.md", MINE)
    place.workspace.write("ada", order("r-1", "One."))
    before = tuple(map(place.text, names))
    yield before
    place.workspace.write("ada", order("r-2", "Two."))
    after = tuple(map(place.text, names))
    yield after[0], before[1]
    yield after
    place.workspace.withdraw("ada", order("r-1", "Two."))
    yield tuple(map(place.text, names))


@pytest.mark.slow
@pytest.mark.req("R-17", "R-34")
def test_killed_at_each_step_it_leaves_the_old_bytes_or_the_new(tmp_path: Path) -> None:
    names = (f"memory/{DAY}.md", "MEMORY.md")
    states, seen = list(_states()), set[int]()
    with born(MORTAL) as nursery:
        for step in range(200):
            place = Place(tmp_path / str(step))
            place.write("MEMORY.md", MINE)
            place.workspace.write("ada", order("r-1", "One."))
            process = nursery.bear([str(tmp_path / str(step)), str(step)])
            survived, complaint = process.stdout.read(), process.stderr.read()
            process.wait()
            assert not complaint
            seen.add(states.index(tuple(map(place.text, names))))
            assert place.workspace.write("ada", order("r-2", "Two.")).ok
            assert place.workspace.withdraw("ada", order("r-1", "Two.")).ok
            assert tuple(map(place.text, names)) == states[-1]
            assert not list((tmp_path / str(step)).rglob("*.tmp"))
            if survived:
                break
    assert seen == {0, 1, 2, 3}
    assert step > 20


WRITER = """
n = int(sys.argv[2])
while True:
    assert workspace.write("ada", order(f"r-{n}", f"Fact {n}.")).ok
    if n % 3 == 2:
        assert workspace.withdraw("ada", order(f"r-{n}", f"Fact {n}.")).ok
    os.write(1, f"{n}\\n".encode())
    n += 1
"""


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-17", "R-34")
def test_killed_at_any_moment_it_loses_nothing_that_it_acknowledged(ada: Path) -> None:
    rounds = 300 if os.environ.get("EVERTHREAD_SOAK") else 30
    chance, reached = random.Random(rounds), 0
    (ada / "MEMORY.md").write_bytes(MINE.encode())
    with born(WRITER) as nursery:
        for _ in range(rounds):
            process = nursery.bear([str(ada.parent), str(reached)])
            first = process.stdout.readline()
            time.sleep(chance.random() * 0.05)
            process.kill()
            reached = int((first + process.stdout.read()).split()[-1]) + 1
            process.wait()
            _whole(ada, reached)
    assert reached > rounds


def _whole(ada: Path, reached: int) -> None:
    """The files hold what was acknowledged, each once, and perhaps what was under way."""
    days = sorted((ada / "memory").glob("*.md"))
    texts = [day.read_bytes().decode() for day in days]
    assert all(text.count("# Memory - ") == 1 for text in texts)
    receipts = re.findall(r"^<!-- everthread:receipt r-(\d+) ", "".join(texts), re.MULTILINE)
    kept = [n for n in range(reached) if n % 3 != 2]
    assert list(map(int, receipts)) in (kept, [*kept, reached])
    for n in receipts[-5:]:
        outcomes = [daily_files.without_section(text, f"r-{n}").outcome for text in texts]
        assert outcomes.count("removed") == 1
        assert "edited" not in outcomes
    memory = (ada / "MEMORY.md").read_bytes().decode()
    assert daily_files.with_managed(memory, None) == daily_files.Change(MINE, "removed")
    assert any(f"- Fact {n}. (" in memory for n in (reached - 1, reached))


def test_what_of_ours_stands_in_the_daily_files_can_be_read(place: Place) -> None:
    """(R-43)"""
    workspace = place.workspace
    assert workspace.sections("ada") == []
    workspace.write("ada", order("r-1", summary="We chose tabs."))
    workspace.write("ada", order("r-2", summary="We chose spaces.")._replace(day="2026-11-16"))
    found = workspace.sections("ada")
    assert [(one.receipt_id, one.day) for one in found] == [("r-1", DAY), ("r-2", "2026-11-16")]
    assert ["tabs" in one.text for one in found] == [True, False]
    assert workspace.sections("bob") == []
