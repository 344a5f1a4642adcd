"""Several machines on one store, and several stores in one home folder: whose files say what."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread.domain.distilling.daily_files import section
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreReadOnly
from everthread.domain.tasks.tasks import Event
from everthread.domain.times import DAY
from everthread.jobs.duties import DUTIES
from everthread.jobs.worker import Worker
from everthread.providers.claims import CLAIM
from everthread.providers.home_id import NAME, home_id
from everthread.services.forgetting.forget import forget
from everthread.services.harness.prune import prune
from everthread.services.job_names import DELIVER, FOLLOW_FILES, addressed_kind
from everthread.services.places import UNSEEN, places, report_place
from everthread.services.tasks.desk import Desk
from everthread.services.tasks.events import is_ours_to_deliver, queue
from everthread.testing import FrozenClock
from support.harness import bench
from support.running import until
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.req("R-43", "A-40")

SECRET = "Always send the ledger to Xylander before noon."
WORD = "Xylander"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=EACH)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "anna").mkdir()
    (tmp_path / "ben").mkdir()
    with fresh(request.param, tmp_path / "anna") as found:
        yield found


def _still_there(path: Path) -> str:
    """What it says; nothing where a worker has taken it away since it was seen."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


class Machine:
    """A program with a home folder of its own on a store that others use, too."""

    def __init__(self, target: str, home: Path, clock: FrozenClock, **changes: Any) -> None:
        settings = everthread.Settings(
            home=home, score_seconds=0.0, recall="off", embedder="off", worker="off", **changes
        )
        self.et = everthread.connect(target, background=False, clock=clock, settings=settings)
        self.ada = self.et.agent("ada", window=20_000)

    @property
    def folder(self) -> Path:
        assert self.et.house.workspace is not None
        return Path(self.et.house.workspace.path("ada"))

    @property
    def text(self) -> str:
        return "\n".join(map(_still_there, sorted(self.folder.rglob("*.md"))))

    def work(self) -> None:
        worker = Worker(self.et.house, duties=(), rest=0)
        while worker.step():
            pass

    def talk(self, first: int = 0, said: str = SECRET) -> Receipt:
        """Say it among other things, and have it distilled here."""
        self.ada.turn(said).done("Understood.")
        for n in range(first, first + 12):
            self.ada.turn(
                f"We decided to keep module {n} as it is: the parser needs it. See src/part{n}.py."
            ).done(f"I looked at src/part{n}.py and ran pytest -k part{n}: 4 passed.")
        receipt = self.ada.distill()
        assert receipt.standing and receipt.flush_succeeded, receipt.errors
        return receipt

    def wrong(self) -> list[str]:
        found = self.et.diagnose(self.ada)
        return [each.says for each in found if each.check == "files" and not each.fine]


@pytest.fixture
def anna(store: Place, tmp_path: Path, clock: FrozenClock) -> Iterator[Machine]:
    made = Machine(store.target, tmp_path / "anna", clock)
    with made.et:
        yield made


@pytest.fixture
def ben(store: Place, tmp_path: Path, clock: FrozenClock) -> Iterator[Machine]:
    made = Machine(store.target, tmp_path / "ben", clock)
    with made.et:
        yield made


# ---- one store, two machines


def test_what_is_erased_from_one_machine_leaves_the_files_of_the_others(
    anna: Machine, ben: Machine, caplog: pytest.LogCaptureFixture
):
    anna.talk()
    assert anna.folder != ben.folder and WORD in anna.text
    with caplog.at_level(logging.WARNING, "everthread"):
        ben.et.erase(ben.ada, reason="asked")
    assert str(anna.folder.parent) in caplog.text, "who erases is told where it still is"
    ben.work()
    assert WORD in anna.text, "only its own workers can do that"
    assert any(str(anna.folder.parent) in says for says in ben.wrong())
    assert any("1 section is not as the store has it" in says for says in anna.wrong())
    anna.work()
    assert WORD not in anna.text
    assert "module" not in anna.text, "MEMORY.md follows, too"
    assert (anna.wrong(), ben.wrong()) == ([], [])


def test_where_nothing_can_be_written_it_is_told_all_the_same(
    anna: Machine, ben: Machine, monkeypatch: pytest.MonkeyPatch
):
    anna.talk()
    ben.et.erase(ben.ada, reason="asked")

    def refused(*_: object) -> None:
        raise StoreReadOnly("it is only read")

    monkeypatch.setattr(anna.et.house.store, "write", refused)
    found = [each for each in anna.et.diagnose() if not each.fine]
    assert [each.check for each in found] == ["store", "files"]
    assert found[1].advice.endswith("is put right by itself once the store can be written")


def test_what_is_forgotten_on_one_machine_leaves_the_files_of_the_others(
    anna: Machine, ben: Machine
):
    anna.talk()
    ben.talk(30, "Never push to main.")
    memory = next(m.id for m in ben.ada.memories() if WORD in m.text)
    assert not forget(ben.et.house, ben.ada.row, memory).out
    ben.work()
    assert WORD not in ben.text and WORD in anna.text
    anna.work()
    assert WORD not in anna.text
    assert "module 3 " in anna.text, "all else stays"
    assert "Never push to main" in ben.text
    assert (anna.wrong(), ben.wrong()) == ([], [])


def test_what_is_corrected_on_one_machine_is_corrected_in_the_files_of_the_others(
    anna: Machine, ben: Machine
):
    anna.talk()
    memory = next(m.id for m in ben.ada.memories() if WORD in m.text)
    fresh = ben.ada.edit(memory, "Always send the ledger to Yvonne before noon.")
    ben.work()
    anna.work()
    listed = (anna.folder / "MEMORY.md").read_text()
    assert WORD not in listed and f"{fresh.text} (" in listed and fresh.id[-8:] in listed


def test_what_is_undone_on_one_machine_is_undone_in_the_files_of_the_others(
    anna: Machine, ben: Machine
):
    receipt = anna.talk()
    done = ben.et.undo(receipt.id)
    assert any(str(anna.folder.parent) in told for told in done.warnings)
    ben.work()
    assert receipt.id in anna.text
    anna.work()
    assert receipt.id not in anna.text and WORD not in anna.text


def test_what_a_person_edited_on_another_machine_stays_and_what_nobody_knows_too(
    anna: Machine, ben: Machine
):
    anna.talk()
    day = next((anna.folder / "memory").iterdir())
    day.write_text(day.read_text().replace("### Extracted", "### Extracted by hand") + "\nMine.\n")
    before = day.read_text()
    ben.et.erase(ben.ada, reason="asked")
    anna.work()
    assert day.read_text() == before
    assert anna.wrong() == [], "it is theirs now; it was told when it was left"


def test_memory_md_follows_where_no_section_is_left_and_sections_of_others_stay(
    anna: Machine, ben: Machine
):
    anna.talk()
    [day] = (anna.folder / "memory").iterdir()
    day.write_text(section(f"{7:032x}", number=1, at_ms=0, thread="t", summary="Not ours."))
    assert WORD in anna.text
    ben.et.erase(ben.ada, reason="asked")
    anna.work()
    assert WORD not in anna.text and "Not ours." in anna.text


def test_a_disk_that_failed_on_one_machine_is_tried_again_there(anna: Machine, ben: Machine):
    """A worker elsewhere must not take the withdrawal for done: it is not in its files at all."""
    receipt = anna.talk()
    blocked = anna.folder.rename(anna.folder.with_name("away"))
    anna.folder.write_text("a file where the folder should be")
    anna.et.undo(receipt.id)
    clock = anna.et.house.clock
    assert isinstance(clock, FrozenClock)
    clock.forward(minutes=2)
    ben.work()
    anna.folder.unlink()
    blocked.rename(anna.folder)
    assert WORD in anna.text
    anna.work()
    assert WORD not in anna.text


def test_whose_process_died_is_asked_by_whoever_sweeps(anna: Machine, ben: Machine):
    """Nobody asked for the retry: the process was killed between the intent and the file."""
    receipt = anna.talk()
    anna.folder.rename(anna.folder.with_name("away"))
    anna.folder.write_text("a file where the folder should be")
    anna.et.undo(receipt.id)
    anna.folder.unlink()
    anna.folder.with_name("away").rename(anna.folder)
    kind = addressed_kind("files.flush", anna.et.house.here.files)
    anna.et.house.store.write(lambda r: r.jobs.cancel(kind, once="retry"))
    clock = anna.et.house.clock
    assert isinstance(clock, FrozenClock)
    clock.forward(minutes=2)
    sweep = [duty for duty in DUTIES if duty.name == "receipts.sweep"]
    worker = Worker(ben.et.house, duties=sweep, rest=0)
    while worker.step():
        pass
    anna.work()
    assert WORD not in anna.text


def test_a_place_that_nobody_saw_for_long_is_struck_off_and_looks_through_all_when_it_is_back(
    anna: Machine, ben: Machine, clock: FrozenClock
):
    anna.talk()
    clock.forward(hours=24 * (UNSEEN // DAY + 1))
    ben.talk(30, "Never push to main.")
    report_place(ben.et.house)
    assert {p.id for p in ben.et.house.store.read(lambda r: list(places(r)))} == {
        ben.et.house.here.files
    }
    ben.et.erase(ben.ada, reason="asked")
    assert ben.wrong() == []
    anna.work()
    assert WORD in anna.text
    report_place(anna.et.house)
    anna.work()
    assert WORD not in anna.text
    report_place(anna.et.house)
    jobs = anna.et.house.store.read(lambda r: [job.kind for job in r.jobs.all()])
    assert not [kind for kind in jobs if kind.startswith(FOLLOW_FILES)], "once is enough"


def test_files_from_before_places_were_noted_are_looked_through_once(
    anna: Machine, ben: Machine, clock: FrozenClock
):
    anna.talk()
    store = ben.et.house.store
    for name, _ in store.read(lambda r: r.jobs.noted("files ")):
        store.write(lambda r, n=name: r.jobs.unnote(n))
    ben.et.erase(ben.ada, reason="asked")
    first = next(duty for duty in DUTIES if duty.name == "turns.sweep")
    worker = Worker(anna.et.house, duties=[first], rest=0)
    while worker.step():
        pass
    assert WORD not in anna.text


def test_sections_of_sessions_leave_the_files_of_others_also_when_they_are_old(
    store: Place, tmp_path: Path
):
    """Of a checkpoint that was removed for its age the section is all that is left."""
    with bench(tmp_path, store.target, home=tmp_path / "anna") as b:
        home = b.et.house.here
        assert home.files
        w = b.window("s-1")
        w.turn("Always run make check before you commit.", "Understood.")
        w.turn(SECRET, "I will send it.")
        w.end()
        b.work()
        clock = b.clock
        clock.forward(hours=24 * 8)
        for n in range(2, 4):
            other = b.window(f"s-{n}")
            other.turn(f"Always greet customer {n} by name.", "Understood.")
            other.end()
            b.work()
        prune(b.et.house)
        files = tmp_path / "files"

        def told() -> str:
            return "\n".join(p.read_text() for p in files.rglob("memory/*.md"))

        assert WORD in told()
        other = everthread.connect(
            store.target,
            background=False,
            clock=clock,
            settings=everthread.Settings(
                home=tmp_path / "ben", embedder="off", recall="off", score_seconds=0.0
            ),
        )
        with other:
            agent = other.agent(b.agent.name)
            memory = next(m.id for m in agent.memories() if WORD in m.text)
            agent.forget(memory)
            assert WORD in told()
            b.work()
            assert WORD not in told() and "customer 2" in told() and "make check" not in told()
            other.erase(agent, reason="asked")
            b.work()
            assert "customer" not in told()


def test_the_worker_process_works_for_the_home_of_its_parent(store: Place, tmp_path: Path):
    """It is another program; what is addressed to this home is for it to do."""
    clock = FrozenClock()
    anna = Machine(store.target, tmp_path / "anna", clock)
    with anna.et:
        anna.talk()
        ben = Machine(store.target, tmp_path / "ben", clock)
        with ben.et:
            ben.et.erase(ben.ada, reason="asked")
        settings = everthread.Settings(
            home=tmp_path / "anna", embedder="off", worker="process", recall="off"
        )
        with everthread.connect(store.target, settings=settings):
            until(lambda: WORD not in anna.text, "the worker takes it out")


# ---- several stores in one home folder


@pytest.fixture
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    return str(tmp_path / "home" / "everthread.db"), str(tmp_path / "home" / "second.db")


def both(first: str, second: str, home: Path) -> None:
    """Each writes files for an agent of its own; neither writes over the other's."""
    clock = FrozenClock()
    one, two = Machine(first, home, clock), Machine(second, home, clock)
    with one.et, two.et:
        one.talk()
        assert one.folder == home / "agents" / "ada", "the first stays where it was"
        two.talk(said="Never push to main.")
        assert two.folder != one.folder and two.folder.parent == one.folder.parent
        assert WORD in (one.folder / "MEMORY.md").read_text()
        assert WORD not in two.text and "Never push to main" in two.text
        two.et.erase(two.ada, reason="asked")
        two.work()
        assert "module 3 " in one.text and "module" not in two.text
    with Machine(second, home, clock).et as again:
        assert again.house.workspace is not None
        assert Path(again.house.workspace.path("ada")) == two.folder


def test_two_embedded_stores_in_one_home_have_files_of_their_own(
    pair: tuple[str, str], tmp_path: Path
):
    both(*pair, tmp_path / "home")


@pytest.mark.slow
def test_a_server_and_an_embedded_store_in_one_home_have_files_of_their_own(
    pair: tuple[str, str], tmp_path: Path
):
    with fresh("postgres", tmp_path) as server:
        both(pair[0], server.target, tmp_path / "home")
    with fresh("postgres", tmp_path) as one, fresh("postgres", tmp_path) as two:
        both(one.target, two.target, tmp_path / "team")


def test_who_wrote_before_folders_were_claimed_goes_on_there(
    pair: tuple[str, str], tmp_path: Path, clock: FrozenClock
):
    home = tmp_path / "home"
    old = Machine(pair[0], home, clock)
    with old.et:
        old.talk()
        (old.folder / CLAIM).unlink()
    other = Machine(pair[1], home, clock)
    with other.et:
        other.talk(said="Never push to main.")
        assert other.folder.name.startswith("ada~")
    again = Machine(pair[0], home, clock)
    with again.et:
        assert again.folder == home / "agents" / "ada"


def test_what_both_wrote_into_one_folder_once_is_still_taken_out(
    pair: tuple[str, str], tmp_path: Path, clock: FrozenClock
):
    home = tmp_path / "home"
    one, two = Machine(pair[0], home, clock), Machine(pair[1], home, clock)
    with one.et, two.et:
        one.talk(said="Never push to main.")
        two.talk()
        # As it was before: the section of the second in the folder of the first.
        [mine] = (two.folder / "memory").iterdir()
        [theirs] = (one.folder / "memory").iterdir()
        parts = mine.read_text().partition("<!-- everthread:receipt")
        theirs.write_text(f"{theirs.read_text()}\n{parts[1]}{parts[2]}")
        assert WORD in one.text
        two.et.erase(two.ada, reason="asked")
        assert WORD not in one.text and "Never push to main" in one.text


def gone(store: str) -> None:
    for file in Path(store).parent.glob(f"{Path(store).name}*"):
        file.unlink() if file.is_file() else None


def test_a_store_that_was_moved_or_made_anew_keeps_its_folder(
    pair: tuple[str, str], tmp_path: Path, clock: FrozenClock
):
    home = tmp_path / "home"
    first = Machine(pair[0], home, clock)
    with first.et:
        first.talk()
        first.et.backup(pair[1])
    gone(pair[0])
    moved = Machine(pair[1], home, clock)
    with moved.et:
        assert moved.folder == home / "agents" / "ada", "its agents have the same ids"
    fresh_one = Machine(pair[0], home, clock)
    with fresh_one.et:
        assert fresh_one.folder == home / "agents" / "ada", "it is in the same place"


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_is_done_in_a_copy_touches_no_file_of_the_store_it_was_made_of(
    pair: tuple[str, str], tmp_path: Path, clock: FrozenClock, elsewhere: bool
):
    """Undo, forget, erase and distill in a copy, in the home folder or with one `workspace` for both."""
    home, more = tmp_path / "home", {"workspace": str(tmp_path / "files")} if elsewhere else {}
    copies = [str((tmp_path if elsewhere else home) / f"copy-{n}.db") for n in range(2)]
    live = Machine(pair[0], home, clock, **more)
    with live.et:
        receipt = live.talk()
        for copy in copies:
            live.et.backup(copy)
        before = bytes_below(live.folder)
    folders = {live.folder}
    for copy in copies:
        looked = Machine(copy, home, clock, **more)
        with looked.et:
            looked.et.undo(receipt.id)
            looked.talk()
            folders.add(looked.folder)
            looked.et.erase(looked.ada, reason="a try")
            looked.work()
            report_place(looked.et.house)
            looked.work()
        assert bytes_below(live.folder) == before
    assert len(folders) == 3, "each copy has files of its own"


def test_the_store_of_a_folder_that_names_no_file_is_taken_for_moved(
    pair: tuple[str, str], tmp_path: Path, clock: FrozenClock
):
    """Claims from before say only whose it is; a link to the same store is the same store."""
    home = tmp_path / "home"
    first = Machine(pair[0], home, clock)
    with first.et:
        first.talk()
        first.et.backup(pair[1])
        link = tmp_path / "home" / "link.db"
        claim = first.folder / CLAIM
        whole = claim.read_text()
    Path(link).symlink_to(pair[0])
    with Machine(str(link), home, clock).et as same:
        assert same.house.workspace is not None
        assert Path(same.house.workspace.path("ada")) == first.folder
    claim.write_text(" ".join(whole.split()[:2]) + "\n")
    with Machine(pair[1], home, clock).et as moved:
        assert moved.house.workspace is not None
        assert Path(moved.house.workspace.path("ada")) == first.folder


# ---- the id of a home folder


def test_a_home_has_one_id_that_goes_where_it_goes(tmp_path: Path):
    home = tmp_path / "home"
    first = home_id(home)
    assert first == home_id(home) and (home / NAME).stat().st_mode & 0o777 == 0o600
    home.rename(tmp_path / "moved")
    assert home_id(tmp_path / "moved") == first
    (tmp_path / "moved" / NAME).write_text("")
    assert home_id(tmp_path / "moved") not in ("", first), "one that was emptied is made anew"
    (tmp_path / "file").write_text("")
    none = tmp_path / "file" / "home"
    assert home_id(none) == home_id(none) != first, "where nothing can be kept it stays the same"


def test_a_store_elsewhere_makes_no_home_folder(tmp_path: Path, clock: FrozenClock):
    made = Machine(str(tmp_path / "x.db"), tmp_path / "nowhere", clock)
    with made.et:
        made.talk()
    assert not (tmp_path / "nowhere").exists()
    assert (tmp_path / "x.db-agents" / "ada" / "MEMORY.md").exists()


# ---- events


def event_of(machine: Machine, kind: str) -> Event:
    """Queue an event there, as a task does."""
    desk = Desk(machine.et.house, machine.ada.row, "/project")
    now = machine.et.house.clock.now()
    [made] = machine.et.house.store.write(
        lambda r: queue(r, desk, kind, subject="s", data={}, now=now)
    )
    return made


def lines(path: Path) -> list[str]:
    return (
        [json.loads(line)["type"] for line in path.read_text().splitlines()]
        if path.exists()
        else []
    )


@pytest.mark.req("C-28")
def test_an_event_is_brought_by_the_home_it_comes_from(
    store: Place, tmp_path: Path, clock: FrozenClock
):
    one, two, none = (tmp_path / name for name in ("one.jsonl", "two.jsonl", "none"))
    none.mkdir()
    anna = Machine(store.target, tmp_path / "anna", clock, outbox_file=str(one))
    ben = Machine(store.target, tmp_path / "ben", clock, outbox_file=str(two))
    cleo = Machine(store.target, none, clock)
    with anna.et, ben.et, cleo.et:
        made = event_of(anna, "from.anna")
        for machine in (cleo, ben):
            machine.work()
            watch = [duty for duty in DUTIES if duty.name == "tasks.watch"]
            worker = Worker(machine.et.house, duties=watch, rest=0)
            while worker.step():
                pass
            clock.forward(minutes=2)
        assert (lines(one), lines(two)) == ([], [])
        left = cleo.et.house.store.read(lambda r: r.outbox.get(cleo.ada.scope, made.ref))
        assert left is not None and (left.state, left.attempts) == ("pending", 0)
        clock.forward(hours=24)
        told = [f.says for f in cleo.et.diagnose(cleo.ada) if f.check == "tasks"]
        assert any("1 event waits" in says for says in told)
        anna.work()
        assert (lines(one), lines(two)) == (["from.anna"], [])


@pytest.mark.req("C-28")
def test_an_event_for_one_webhook_may_be_brought_by_whoever_names_it(
    store: Place, tmp_path: Path, clock: FrozenClock
):
    """Homes of containers do not come back: another one with the very same webhook takes over."""
    hook = {"outbox_url": "https://example.test/hook?key=k1", "outbox_secret": "s"}
    anna = Machine(store.target, tmp_path / "anna", clock, **hook)
    ben = Machine(store.target, tmp_path / "ben", clock, **hook)
    other = {**hook, "outbox_url": "https://example.test/else"}
    cleo = Machine(store.target, tmp_path / "cleo", clock, **other)
    with anna.et, ben.et, cleo.et:
        made = event_of(anna, "from.anna")
        assert "key" not in made.target and made.receiver == "webhook"
        assert is_ours_to_deliver(anna.et.house, made) and is_ours_to_deliver(ben.et.house, made)
        assert not is_ours_to_deliver(cleo.et.house, made)
        kinds = anna.et.house.store.read(lambda r: [job.kind for job in r.jobs.all()])
        assert addressed_kind(DELIVER, anna.et.house.here.home) in kinds


@pytest.mark.req("C-28")
def test_events_of_a_home_that_is_gone_hide_those_of_no_other(
    store: Place, tmp_path: Path, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("everthread.services.tasks.events.AT_ONCE", 2)
    mine = tmp_path / "ben.jsonl"
    anna = Machine(store.target, tmp_path / "anna", clock, outbox_file=str(tmp_path / "anna.jsonl"))
    ben = Machine(store.target, tmp_path / "ben", clock, outbox_file=str(mine))
    with anna.et, ben.et:
        for n in range(5):
            event_of(anna, f"from.anna.{n}")
        event_of(ben, "from.ben")
        ben.work()
        assert lines(mine) == ["from.ben"]
