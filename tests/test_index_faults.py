"""The index beside the store is lost, damaged, cut off, killed: recall goes on, and it is made anew.

What is decided here: the store never depends on its index. `recall` promises to find what was recorded
a moment ago, and half an answer would look like a whole one. So where the disk is full it makes an index
in memory; where the folder may not be written it raises the same named error as the store would.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.errors import StoreFailed
from everthread.domain.ids import place_at
from everthread.ports import Catalogue, Counts, House
from everthread.services.memory.index import follow
from everthread.store.sqlite import catalogue_file
from support.skips import needs, private_mounts
from support.stores import Place, furnished
from support.toys import ToyEmbedder

pytestmark = pytest.mark.slow  # the quick loop leaves it out; `make test` does not

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))
COUNT = 60
TESTS = Path(__file__).resolve().parent


def connect(path: Path) -> Everthread:
    return everthread.connect(path, background=False, settings=Settings(embedder="off"))


def entries(first: int, count: int) -> list[dict[str, object]]:
    return [
        {"id": f"m{n}", "role": "user", "content": f"talk number{n} of the zanzibar plan"}
        for n in range(first, first + count)
    ]


class Bench:
    """An agent with an index that has vectors, and the means to ask it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "everthread.db"
        self.folder = folder / "everthread.db-index"
        self.open()

    def open(self) -> None:
        self.et = connect(self.path)
        self.house: House = replace(self.et.house, embedder=ToyEmbedder())
        self.ada: Agent = self.et.agent("ada")

    def close(self) -> None:
        self.et.close()

    def anew(self) -> None:
        self.close()
        self.open()

    @property
    def catalogue(self) -> Catalogue:
        return self.house.index.of(self.ada.row)

    @property
    def counts(self) -> Counts:
        return self.catalogue.counts("toy")

    def follow(self) -> None:
        """File and embed all there is."""
        follow(self.house, self.ada.row)

    def db(self) -> Path:
        (found,) = self.folder.glob("*.db")
        return found

    def vectors(self, part: str) -> Path:
        (found,) = self.folder.glob(f"*.{part}")
        return found

    def finds(self, count: int = COUNT) -> None:
        """Everything is found, by the product's own door and by the catalogue's, each once."""
        for n in (0, count // 2, count - 1):
            hits = self.ada.recall(f"number{n}", limit=1)
            assert [m.external_id for hit in hits for m in hit.messages] == [f"m{n}"]
        found = [card for card, _ in self.catalogue.search(["zanzibar"], limit=10 * count)]
        assert len(found) == len(set(found)) == count
        assert self.counts.cards == count

    def is_asked(self) -> None:
        """By words and by meaning: all of its files are open then."""
        assert self.ada.recall("number0", limit=1)
        assert self.counts == Counts(COUNT, COUNT)
        assert self.catalogue.nearest(ToyEmbedder().ask("number0"), limit=1)

    def is_near(self, count: int = COUNT) -> None:
        """Every vector is there, and belongs to its card."""
        assert self.counts == Counts(count, count)
        messages = self.ada.messages(limit=count)
        for message in messages[:: max(1, count // 50)]:
            vector = ToyEmbedder().ask(message.text)
            (near,) = self.catalogue.nearest(vector, limit=1)
            assert near == place_at(message.thread_ref, message.seq, archived=message.archived)
            assert self.catalogue.likeness([near], vector).first[0] > 0.98


def furnish(_: Place, folder: Path) -> None:
    made = Bench(folder)
    made.ada.record(entries(0, COUNT))
    made.follow()
    made.finds()
    made.is_near()
    made.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with furnished("sqlite", tmp_path, furnish):
        made = Bench(tmp_path)
        made.is_asked()
        yield made
        made.close()


# ---- lost


@pytest.mark.req("R-51")
def test_an_index_that_was_deleted_is_made_anew(bench: Bench) -> None:
    bench.close()
    shutil.rmtree(bench.folder)
    bench.open()
    bench.finds()
    assert bench.counts == Counts(COUNT, 0)
    bench.follow()
    bench.is_near()


@pytest.mark.req("R-51")
def test_an_index_that_is_deleted_while_it_is_open_is_made_anew(bench: Bench) -> None:
    shutil.rmtree(bench.folder)
    bench.finds()
    bench.follow()
    bench.is_near()
    bench.ada.record(entries(COUNT, 5))
    bench.finds(COUNT + 5)
    bench.anew()
    bench.finds(COUNT + 5)
    assert bench.counts == Counts(COUNT + 5, COUNT)


def test_a_second_program_is_not_disturbed_when_the_first_finds_its_file_gone(
    bench: Bench,
) -> None:
    """SQLite deletes a log by its name: it must not be the log of the file that came after."""
    shutil.rmtree(bench.folder)
    second = Bench(bench.path.parent)
    second.follow()
    second.ada.record(entries(COUNT, 5))
    second.finds(COUNT + 5)
    assert second.db().with_name(second.db().name + "-wal").exists()
    bench.finds(COUNT + 5)
    bench.close()
    assert second.db().with_name(second.db().name + "-wal").exists()
    second.ada.record(entries(COUNT + 5, 5))
    second.finds(COUNT + 10)
    second.close()
    bench.open()
    bench.finds(COUNT + 10)


# ---- damaged


def overwrite(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def cut_in_half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 + 100)


def cut_to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def spoil_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for page in range(2, len(data) // 4096):
        data[page * 4096 : page * 4096 + 64] = b"\xa5" * 64
    path.write_bytes(data)


@pytest.mark.parametrize("harm", [overwrite, cut_in_half, cut_to_nothing, spoil_pages])
def test_a_damaged_index_is_made_anew(bench: Bench, harm: Callable[[Path], None]) -> None:
    bench.close()
    harm(bench.db())
    bench.open()
    bench.house.index.check(bench.ada.row)
    bench.finds()
    bench.follow()
    bench.is_near()


@pytest.mark.parametrize("harm", [overwrite, cut_in_half, spoil_pages])
def test_recall_mends_a_damaged_index_without_being_told(
    bench: Bench, harm: Callable[[Path], None]
) -> None:
    bench.close()
    harm(bench.db())
    bench.open()
    bench.finds()


@pytest.mark.parametrize("seed", range(200 if SOAK else 12))
@pytest.mark.soak
def test_wherever_a_page_was_spoilt_the_check_makes_it_sound(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    bench = Bench(tmp_path)
    bench.ada.record(entries(0, COUNT))
    bench.follow()
    bench.close()
    data = bytearray(bench.db().read_bytes())
    page = chance.randrange(len(data) // 4096) * 4096
    data[page : page + 4096] = chance.randbytes(4096)
    bench.db().write_bytes(data)
    bench.open()
    bench.house.index.check(bench.ada.row)
    bench.finds()
    bench.follow()
    bench.is_near()
    bench.close()


@pytest.mark.parametrize("part", ["ids", "bits", "codes"])
@pytest.mark.parametrize("harm", [Path.unlink, cut_in_half, cut_to_nothing])
@pytest.mark.parametrize("opened", [True, False])
def test_lost_vectors_are_made_anew_while_text_goes_on(
    bench: Bench, part: str, harm: Callable[[Path], None], opened: bool
) -> None:
    """Also where they were mapped a moment ago: to read where a file was cut kills a program."""
    if not opened:
        bench.close()
    harm(bench.vectors(part))
    if not opened:
        bench.open()
    assert list(bench.catalogue.nearest(ToyEmbedder().ask("x"), limit=5)) == []
    bench.finds()
    assert bench.counts == Counts(COUNT, 0)
    bench.follow()
    bench.is_near()


@pytest.mark.parametrize("part", ["ids", "bits", "codes"])
def test_a_flipped_byte_among_the_vectors_is_found_by_the_check(bench: Bench, part: str) -> None:
    path = bench.vectors(part)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 0x10]))
    bench.house.index.check(bench.ada.row)
    assert bench.counts == Counts(COUNT, 0)
    bench.finds()
    bench.follow()
    bench.is_near()
    bench.house.index.check(bench.ada.row)
    assert bench.counts == Counts(COUNT, COUNT)


def test_vectors_that_are_lost_to_two_programs_are_mended_once(bench: Bench) -> None:
    """Neither throws away what the other has begun anew."""
    second = Bench(bench.path.parent)
    second.is_near()
    bench.vectors("bits").unlink()
    assert list(bench.catalogue.nearest(ToyEmbedder().ask("x"), limit=5)) == []
    bench.follow()
    second.is_near()
    bench.is_near()
    assert len(list(bench.folder.glob("*.ids"))) == 1
    second.close()


# ---- another version, another store


@pytest.mark.parametrize("stamp", ["999:someone", "", "1:00000000-0000-0000-0000-000000000000"])
def test_an_index_of_another_version_or_agent_is_made_anew(bench: Bench, stamp: str) -> None:
    bench.close()
    with sqlite3.connect(bench.db()) as db:
        db.execute("UPDATE facts SET value = ? WHERE name = 'stamp'", (stamp,))
        db.execute("CREATE TABLE novelty (x)")
        db.execute("DROP TABLE names")
    db.close()
    stale = bench.vectors("codes")
    bench.open()
    bench.finds()
    assert not stale.exists()
    bench.follow()
    bench.is_near()


def test_a_store_that_was_replaced_does_not_use_the_index_of_the_old_one(bench: Bench) -> None:
    """(R-44)"""
    bench.close()
    for path in bench.path.parent.glob("everthread.db*"):
        if path.is_file():
            path.unlink()
    bench.open()
    assert bench.ada.recall("zanzibar") == []
    bench.ada.record([{"id": "n1", "role": "user", "content": "a new zanzibar"}])
    hits = bench.ada.recall("zanzibar")
    assert [hit.text for hit in hits] == ["a new zanzibar"]


def test_a_store_that_was_set_back_does_not_find_what_it_no_longer_has(bench: Bench) -> None:
    copy = bench.path.parent / "copy.db"
    bench.et.backup(copy)
    bench.ada.record([{"id": "late", "role": "user", "content": "a late quokka"}])
    assert bench.ada.recall("quokka")[0].text == "a late quokka"
    bench.close()
    bench.path.unlink()
    copy.rename(bench.path)
    bench.open()
    assert [hit for hit in bench.ada.recall("quokka") if "quokka" in hit.text] == []
    bench.finds()
    assert [card for card, _ in bench.catalogue.search(["quokka"], limit=5)] == []


# ---- removed for good


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir())).lower()


@pytest.mark.req("R-43")
def test_no_word_of_what_is_taken_out_stays_on_disk(bench: Bench) -> None:
    kept = bench.ada.remember("The quokka prefers xylophones")
    assert [hit.kind for hit in bench.ada.recall("quokka", limit=1)] != []
    bench.follow()
    bench.et.house.index.of(bench.ada.row).counts()
    assert b"quokka" in bytes_of(bench.folder)
    bench.ada.forget(kept.id)
    assert bench.ada.recall("quokka") == []
    left = bytes_of(bench.folder)
    assert b"quokka" not in left
    assert b"xylophon" not in left
    assert b"zanzibar" in left
    bench.finds()
    bench.house.index.check(bench.ada.row)
    assert bench.counts == Counts(COUNT, COUNT)


@pytest.mark.req("R-43")
def test_no_word_of_what_is_erased_stays_in_the_index(bench: Bench) -> None:
    bench.ada.thread("errands", kind="background").turn("buy a quokka").done("bought")
    bench.follow()
    assert b"quokka" in bytes_of(bench.folder)
    bench.et.erase("ada", thread="errands", reason="asked")
    assert b"quokka" not in bytes_of(bench.folder)
    assert bench.ada.recall("quokka") == []
    bench.finds()
    bench.et.erase("ada", reason="asked")
    assert b"zanzibar" not in bytes_of(bench.folder)
    assert bench.ada.recall("zanzibar") == []


def test_what_another_program_erased_is_not_found_here(bench: Bench) -> None:
    second = Bench(bench.path.parent)
    second.finds()
    bench.et.erase("ada", reason="asked")
    assert second.ada.recall("zanzibar") == []
    assert b"zanzibar" not in bytes_of(bench.folder)
    second.ada.record([{"id": "x", "role": "user", "content": "a second zanzibar"}])
    assert len(bench.ada.recall("zanzibar")) == 1
    second.close()


def test_an_index_that_was_filled_after_an_erasure_is_emptied(bench: Bench) -> None:
    """Someone who had read the messages before files them after: the next look puts it right."""
    old = shutil.copytree(bench.folder, bench.path.parent / "old")
    bench.et.erase("ada", reason="asked")
    bench.close()
    shutil.rmtree(bench.folder)
    shutil.copytree(old, bench.folder)
    assert b"zanzibar" in bytes_of(bench.folder)
    bench.open()
    assert bench.ada.recall("zanzibar") == []
    assert b"zanzibar" not in bytes_of(bench.folder)


# ---- killed

# Files and embeds what the store holds, over and over, until it dies.
KEEPER = """
import os, sys
from dataclasses import replace
import everthread
from everthread import Settings
from everthread.services.memory.index import follow
from support.toys import ToyEmbedder
et = everthread.connect(sys.argv[1], background=False, settings=Settings(embedder="off"))
house = replace(et.house, embedder=ToyEmbedder())
ada = et.agent("ada")
os.write(1, b"ready\\n")
follow(house, ada.row)
os.write(1, b"done\\n")
"""


def keeper(path: Path) -> subprocess.Popen[str]:
    child = subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(path)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def end(child: subprocess.Popen[str]) -> str:
    """Kill it, if it still lives; the last it said."""
    child.kill()
    assert child.stdout is not None
    with child.stdout:
        said = child.stdout.read()
    child.wait()
    return said


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-47", "R-51")
def test_whoever_is_killed_while_filing_or_embedding_leaves_nothing_twice_and_nothing_missing(
    tmp_path: Path,
) -> None:
    chance = random.Random(3)
    bench = Bench(tmp_path)
    total, cut_short = 0, 0
    for _ in range(100 if SOAK else 10):
        bench.ada.record(entries(total, 150))
        total += 150
        child = keeper(bench.path)
        time.sleep(chance.random() * 0.2)
        cut_short += end(child) == ""
        before = bench.counts
        assert before.cards <= total
        # What was filed and embedded by then is sound.
        bench.house.index.check(bench.ada.row)
        assert bench.counts == before
    assert cut_short > 0
    bench.finds(total)
    bench.follow()
    bench.is_near(total)
    bench.close()


@pytest.mark.slow
@pytest.mark.req("R-51", "R-52")
def test_several_programs_that_file_and_embed_at_once_do_each_once(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ada.record(entries(0, 600))
    children = [keeper(bench.path) for _ in range(3)]
    bench.follow()
    for child in children:
        assert child.wait(120) == 0
        assert end(child) == "done\n"
    bench.finds(600)
    bench.is_near(600)
    bench.house.index.check(bench.ada.row)
    assert bench.counts == Counts(600, 600)
    bench.close()


# ---- no space, no permission

MOUNTED = """
import json, os, subprocess, sys
from dataclasses import replace
from pathlib import Path
import everthread
from everthread import Settings
from everthread.domain.errors import EverthreadError
from everthread.services.memory.index import catch_up, follow
from support.toys import ToyEmbedder
folder = Path(sys.argv[1])
store = folder / "everthread.db"
index = folder / "everthread.db-index"
index.mkdir()

def mount(*options):
    subprocess.run(["mount", *options, index], check=True)

def told(work):
    try:
        work()
    except EverthreadError as error:
        return [type(error).__name__, str(error)]
    return ["fine", ""]

et = everthread.connect(store, background=False, settings=Settings(embedder="off"))
house = replace(et.house, embedder=ToyEmbedder())
ada = et.agent("ada")

def record(first, count, size):
    ada.record([
        {"id": f"m{n}", "role": "user", "content": f"number{n} " + " ".join(f"w{n}x{i}" for i in range(size))}
        for n in range(first, first + count)])

def texts(word):
    return [m.external_id for hit in ada.recall(word, limit=1) for m in hit.messages]
"""

FULL = (
    MOUNTED
    + """
mount("-o", "size=1m", "-t", "tmpfs", "tmpfs")
record(0, 5, 10)
early = texts("number3")
record(5, 200, 300)
full = told(lambda: catch_up(house, ada.row))
aside = [texts(f"number{n}") for n in (3, 100, 204)]
embedding = told(lambda: follow(house, ada.row))
stored = told(lambda: record(205, 1, 5))
aside.append(texts("number205"))
count = len(ada.messages(limit=999))
sound = et.verify(ada).faults == []
mount("-o", "remount,size=64m")
found = [texts(f"number{n}") for n in (0, 100, 205)]
embedded = told(lambda: follow(house, ada.row))
counts = list(house.index.of(ada.row).counts("toy"))
house.index.check(ada.row)
checked = list(house.index.of(ada.row).counts("toy"))
et.close()
print(json.dumps(dict(early=early, full=full, aside=aside, embedding=embedding, stored=stored,
    count=count, sound=sound, found=found, embedded=embedded, counts=counts, checked=checked)))
"""
)

VECTORS_FULL = (
    MOUNTED
    + """
mount("-o", "size=8m", "-t", "tmpfs", "tmpfs")
record(0, 400, 1)
catch_up(house, ada.row)
(index / "ballast").write_bytes(bytes(max(0, os.statvfs(index).f_bavail * 4096 - 60_000)))
first = told(lambda: follow(house, ada.row))
found = texts("number100")
some = house.index.of(ada.row).counts("toy").embedded
(index / "ballast").unlink()
again = told(lambda: follow(house, ada.row))
house.index.check(ada.row)
counts = list(house.index.of(ada.row).counts("toy"))
et.close()
print(json.dumps(dict(first=first, found=found, some=some, again=again, counts=counts)))
"""
)

READ_ONLY = (
    MOUNTED
    + """
mount("-o", "size=8m", "-t", "tmpfs", "tmpfs")
record(0, 5, 10)
early = texts("number3")
et.close()
mount("-o", "remount,ro")
et = everthread.connect(store, background=False, settings=Settings(embedder="off"))
ada = et.known_agent("ada")
stored = told(lambda: record(5, 5, 10))
refused = told(lambda: ada.recall("number3"))
turn = told(lambda: ada.turn("are you there?").done("yes"))
mount("-o", "remount,rw")
found = [texts(f"number{n}") for n in (3, 7)]
et.close()
print(json.dumps(dict(early=early, stored=stored, refused=refused, turn=turn, found=found)))
"""
)


def apart(script: str, folder: Path) -> dict[str, object]:
    """What the script says, run where it may mount."""
    needs("tmpfs")
    done = subprocess.run(
        [*(private_mounts() or []), sys.executable, "-c", script, str(folder)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.req("R-51")
def test_an_index_without_space_is_named_and_the_store_goes_on(tmp_path: Path) -> None:
    said = apart(FULL, tmp_path)
    assert said["early"] == ["m3"]
    for attempt in ("full", "embedding"):
        name, text = said[attempt]  # type: ignore[misc]
        assert name == "StoreFull", said
        assert "the index" in text
        assert "free some space" in text
    assert said["aside"] == [["m3"], ["m100"], ["m204"], ["m205"]]
    assert said["stored"] == ["fine", ""]
    assert said["count"] == 206
    assert said["sound"]
    assert said["found"] == [["m0"], ["m100"], ["m205"]]
    assert said["embedded"] == ["fine", ""]
    assert said["counts"] == said["checked"] == [206, 206]


@pytest.mark.slow
def test_vectors_without_space_are_named_and_text_goes_on(tmp_path: Path) -> None:
    said = apart(VECTORS_FULL, tmp_path)
    assert said["first"][0] == "StoreFull", said  # type: ignore[index]
    assert said["found"] == ["m100"]
    assert int(str(said["some"])) < 400
    assert said["again"] == ["fine", ""]
    assert said["counts"] == [400, 400]


@pytest.mark.slow
def test_an_index_that_may_not_be_written_is_named_and_the_store_goes_on(tmp_path: Path) -> None:
    said = apart(READ_ONLY, tmp_path)
    assert said["early"] == ["m3"]
    assert said["stored"] == said["turn"] == ["fine", ""]
    name, text = said["refused"]  # type: ignore[misc]
    assert name == "StoreReadOnly", said
    assert "the index" in text
    assert said["found"] == [["m3"], ["m7"]]


# ---- forked


def test_a_child_does_not_use_the_index_of_its_parent(bench: Bench) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        status = 1
        try:
            bench.catalogue.reached()
        except StoreFailed as error:
            status = 0 if "forked" in str(error) else 2
        finally:
            bench.house.index.close()
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    bench.finds()


def test_the_version_is_part_of_the_stamp(bench: Bench) -> None:
    with sqlite3.connect(bench.db()) as db:
        (stamp,) = db.execute("SELECT value FROM facts WHERE name = 'stamp'").fetchone()
    db.close()
    assert stamp == f"{catalogue_file.VERSION}:{bench.ada.row.id}"
