"""Programs die, disks fill up and clocks go wrong while a thread is distilled or that is undone.

Whatever happens, the thread is as before or as after, never between, and what was left half done is
settled by whoever comes next.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import pytest

from everthread.domain.errors import DistillationBusy, EverthreadError, LeaseLost, StoreBusy
from everthread.domain.times import text_of
from everthread.jobs.worker import Worker
from everthread.services.distilling.flush import retry
from everthread.services.distilling.lease import sweep_receipts
from everthread.services.distilling.notice import look
from everthread.services.distilling.stages import LEFT_OFF, OVERTAKEN, STAGES, LeftOff
from everthread.testing import FrozenClock
from support.born import Talking, ran
from support.desk import Desk, desk_in
from support.stores import EACH, Place, fresh
from test_faults_disk import MOUNTED, apart, cut

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))
STORE = "everthread.db"
DUE = 40
"""So many messages in the view are enough here: what is killed need not be long."""

TESTS = str(Path(__file__).resolve().parent)

Open = Callable[..., AbstractContextManager[Desk]]

# What each child begins with: its own engine on the store, at the time that the parent says.
CHILD = f"""
DUE = {DUE}
"""
CHILD += """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import everthread
from everthread import Everthread
from everthread.services.distilling.distill import distill
from everthread.services.distilling.order import Order
from everthread.services.distilling.review import score_receipt
from everthread.testing import FrozenClock
from support.desk import settings
folder, target, at, what = Path(sys.argv[2]), *sys.argv[3:6]
chosen = settings(folder, distill_messages=DUE, score_seconds=20.0, score_threshold=100.0)
et = everthread.connect(target, clock=FrozenClock(at), background=False, settings=chosen)
ada = et.agent("ada")

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def die_in(milliseconds):
    # The kernel ends us in the middle of whatever we do: nobody handles this signal.
    signal.setitimer(signal.ITIMER_REAL, milliseconds / 1000)

def by_signals(progress):
    order = Order(ada.row, ada.primary.ref, fixed=50)
    receipt = distill(et.house, order, progress=progress)
    score_receipt(et.house, ada.row, receipt.ref, progress=progress)
"""

AT_STAGE = (
    CHILD
    + """
def progress(stage):
    if stage == what:
        die()

by_signals(progress)
"""
)

AT_A_MOMENT = (
    CHILD
    + """
def progress(stage):
    if stage == "flush":
        die_in(float(what))

by_signals(progress)
die()
"""
)

IN_AN_UNDO = (
    CHILD
    + """
class Deadly:
    def __init__(self, inner):
        self.inner = inner
    def path(self, agent):
        return self.inner.path(agent)
    def write(self, agent, order):
        done = self.inner.write(agent, order)
        die()
    def withdraw(self, agent, order):
        done = self.inner.withdraw(agent, order)
        die()

Everthread(replace(et.house, workspace=Deadly(et.house.workspace))).undo(what)
"""
)

# Says that it is ready, waits for the word, and does what is due.
WORKER = (
    CHILD
    + """
from everthread.jobs.worker import Worker
worker = Worker(et.house, rest=0)
print("ready", flush=True)
sys.stdin.readline()
while worker.step():
    pass
"""
)

BY_HAND = (
    CHILD
    + """
from everthread.domain.errors import DistillationBusy
print("ready", flush=True)
sys.stdin.readline()
try:
    print(ada.distill().outcome)
except DistillationBusy:
    print("busy")
"""
)


def arguments(folder: Path, target: str, clock: FrozenClock, what: str) -> list[str]:
    return [TESTS, str(folder), target, text_of(clock.now()), what]


def child(code: str, folder: Path, clock: FrozenClock, what: str) -> int:
    """Run it to its end; how it ended."""
    done = ran(code, *arguments(folder, str(folder / STORE), clock, what))
    assert done.stderr == "" or done.returncode < 0, done.stderr
    return done.returncode


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a thread that is due, and never distilled."""
    folder = tmp_path_factory.mktemp("prepared")
    with at_rest(folder, FrozenClock()) as desk:
        desk.turn("Never push to main without asking me.", "Understood.")
        desk.talk(0, 20)
    return folder


@pytest.fixture(scope="module")
def shortenable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for which shorter tool output is enough."""
    folder = tmp_path_factory.mktemp("shortenable")
    with desk_in(folder, str(folder / STORE)) as desk:
        desk.tools(0, 1, output="word " * 100_000)
        desk.tools(1, 9)
    return folder


def at_rest(folder: Path, clock: FrozenClock | None = None) -> AbstractContextManager[Desk]:
    """The store as the next program finds it, hours later."""
    at = clock or FrozenClock("2026-02-20T13:00:00Z")
    return desk_in(folder, str(folder / STORE), clock=at, distill_messages=DUE)


def hidden(desk: Desk) -> bool:
    return len(desk.seqs()) == 10


def files_agree(desk: Desk) -> bool:
    """Does the daily file hold a section for each distillation that stands, and for no other?"""
    summarized = [r for r in desk.ada.receipts(limit=99) if r.mode != "shorten"]
    return all((r.id in desk.daily) == r.standing for r in summarized)


def settled(desk: Desk) -> bool:
    """Is nothing left to be written, and no receipt left open?"""
    receipts = desk.ada.receipts(limit=99)
    done = all(state != "open" for r in receipts for _, state in desk.intents(r))
    return done and all(r.outcome != "open" for r in receipts)


# ---- kill -9


BEFORE = ("plan", "extract", "summarize", "flush", "commit")
AFTER = ("verify", "score", "repair")


def test_every_stage_is_named_here() -> None:
    assert {*BEFORE, *AFTER, "shorten"} == {*STAGES}


class Killed(NamedTuple):
    """What a program left that was killed, for all who come after it."""

    at: str
    folder: Path
    view: bytes
    """What the model would have been given before."""

    def found(self) -> Path:
        """The folder as it was left, and where: a store that lies elsewhere has files of its own."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.left, self.folder)
        return self.folder

    @property
    def left(self) -> Path:
        return self.folder.with_name("left")


def at_stages(*stages: str) -> pytest.MarkDecorator:
    """With what was killed at each; on one worker, or it would have to die on both."""
    each = [pytest.param(s, marks=pytest.mark.xdist_group(f"killed-{s}"), id=s) for s in stages]
    return pytest.mark.parametrize("killed", each, indirect=True)


@pytest.fixture(scope="module")
def killed(
    request: pytest.FixtureRequest, prepared: Path, tmp_path_factory: pytest.TempPathFactory
) -> Killed:
    folder = tmp_path_factory.mktemp("killed") / "copy"
    shutil.copytree(prepared, folder)
    with at_rest(folder) as desk:
        made = Killed(request.param, folder, desk.view())
    assert child(AT_STAGE, folder, FrozenClock(), made.at) == -signal.SIGKILL
    folder.rename(made.left)
    return made


@pytest.mark.slow
@pytest.mark.req("R-34", "R-17", "LA-20", "A-8")
@at_stages(*BEFORE, *AFTER)
def test_killed_at_any_stage_the_thread_is_as_before_or_as_after(killed: Killed) -> None:
    stage, _, before = killed
    with at_rest(killed.found()) as desk:
        (receipt,) = desk.ada.receipts()
        if stage in BEFORE:
            assert receipt.outcome == "open"
            assert desk.view() == before
            assert desk.ada.memories(state="all") == []
        else:
            assert receipt.outcome == "ok"
            assert hidden(desk)
            assert (receipt.messages_before, receipt.messages_after) == (42, 10)
        desk.work()
        (receipt,) = desk.ada.receipts()
        assert receipt.outcome == ("failed" if stage in BEFORE else "ok")
        assert settled(desk)
        assert files_agree(desk)
        if stage in BEFORE:
            assert receipt.errors == ["abandoned: the process that was at work on it is gone"]
            assert desk.view() == before
            assert desk.files == {}
        else:
            assert receipt.score is not None
        assert desk.problems() == []
        desk.talk(80, 81)
        desk.work()
        assert hidden(desk) or stage in AFTER


@pytest.mark.slow
@pytest.mark.req("R-34", "R-17", "LA-6")
@at_stages(*BEFORE)
def test_the_next_distillation_takes_over_from_a_dead_one(killed: Killed) -> None:
    with at_rest(killed.found()) as desk:
        assert desk.ada.distill().number == 1
        assert [r.outcome for r in desk.ada.receipts()] == ["ok", "failed"]
        desk.clock.forward(hours=1)
        desk.work()
        assert files_agree(desk)
        assert settled(desk)


@pytest.mark.slow
@pytest.mark.req("R-34", "R-42")
def test_killed_while_tool_output_is_shortened_nothing_is_cut(
    shortenable: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(shortenable, folder)
    with at_rest(folder) as desk:
        before = desk.view()
    assert child(AT_STAGE, folder, FrozenClock(), "shorten") == -signal.SIGKILL
    with at_rest(folder) as desk:
        assert desk.view() == before
        desk.work()
        assert [r.outcome for r in desk.ada.receipts()] == ["failed"]
        desk.talk(80, 81)
        desk.work()
        assert [r.mode for r in desk.ada.receipts()] == ["shorten", "full"]
        assert settled(desk)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-34", "R-17", "R-15")
def test_killed_at_any_moment_of_flush_and_commit_it_is_all_or_nothing(
    prepared: Path, tmp_path: Path
) -> None:
    chance = random.Random(7)
    with at_rest(prepared) as desk:
        before = desk.view()
    outcomes: set[str] = set()
    for n in range(150 if SOAK else 4):
        folder = tmp_path / str(n)
        shutil.copytree(prepared, folder)
        child(AT_A_MOMENT, folder, FrozenClock(), str(chance.uniform(0.1, 120)))
        with at_rest(folder) as desk:
            (receipt,) = desk.ada.receipts()
            assert receipt.outcome in ("open", "ok")
            assert hidden(desk) == (receipt.outcome == "ok")
            if receipt.outcome == "open":
                assert desk.view() == before
            sweep_receipts(desk.et.house)
            retry(desk.et.house)
            assert settled(desk)
            assert files_agree(desk)
            outcomes.add(desk.ada.receipts()[0].outcome)
        shutil.rmtree(folder)
    assert outcomes <= {"failed", "ok"}


@pytest.fixture(scope="module")
def undoing(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """A distillation, and an undo of it that is killed when the files are written."""
    folder = tmp_path_factory.mktemp("undoing") / "copy"
    shutil.copytree(prepared, folder)
    with at_rest(folder) as desk:
        receipt = desk.ada.distill()
        desk.work()
        made, clock = Killed(receipt.id, folder, desk.view()), desk.clock
    assert child(IN_AN_UNDO, folder, clock, receipt.id) == -signal.SIGKILL
    folder.rename(made.left)
    return made


@pytest.mark.slow
@pytest.mark.xdist_group("killed-undoing")
@pytest.mark.req("R-15", "R-34")
def test_killed_in_an_undo_the_thread_is_as_before_and_it_can_be_undone_again(
    undoing: Killed,
) -> None:
    with at_rest(undoing.found()) as desk:
        assert desk.view() == undoing.view
        assert desk.ada.receipts()[0].outcome == "ok"
        desk.work()
        desk.et.undo(undoing.at)
        desk.clock.forward(hours=1)
        desk.work()
        assert len(desk.seqs()) == 42
        assert desk.files == {}


@pytest.mark.slow
@pytest.mark.xdist_group("killed-undoing")
@pytest.mark.req("R-15", "R-17", "R-34")
def test_killed_in_an_undo_the_files_say_again_what_stands(undoing: Killed) -> None:
    with at_rest(undoing.found()) as desk:
        desk.work()
        desk.clock.forward(hours=1)
        desk.work()
        assert settled(desk)
        assert files_agree(desk)
        assert desk.memory is not None


# ---- a failure, where nobody dies


@pytest.mark.req("R-17", "A-40", "LA-20")
def test_what_failed_after_its_flush_leaves_no_section(desk: Desk) -> None:
    desk.talk(0, 20)

    def trip(stage: str) -> None:
        if stage == "commit":
            raise OSError("tripped")

    receipt = desk.ada.distill(progress=trip)
    assert receipt.outcome == "failed"
    desk.clock.forward(hours=1)
    desk.work()
    assert desk.files == {}
    assert desk.intents(receipt) == [("write", "void")]


@pytest.mark.req("R-17", "R-13")
def test_what_a_program_left_off_after_its_flush_leaves_no_section(desk: Desk) -> None:
    """Not by a sweep, some time, but by a job of its own; and its receipt claims no flush."""
    desk.talk(0, 20)
    receipt = desk.ada.distill(progress=ended_at_commit(LeftOff()))
    assert (receipt.outcome, receipt.errors) == ("refused", [LEFT_OFF])
    desk.clock.forward(minutes=2)
    assert Worker(desk.et.house, duties=(), rest=0).step(), "nobody asked for it"
    assert desk.files == {}
    assert desk.intents(receipt) == [("write", "void")]
    assert not desk.ada.receipt(receipt).receipt.flush_succeeded


@pytest.mark.req("R-17", "R-13")
def test_whoever_lost_its_job_to_another_worker_frees_the_thread(desk: Desk) -> None:
    desk.talk(0, 20)
    with pytest.raises(LeaseLost):
        desk.ada.distill(progress=ended_at_commit(LeaseLost("the job was taken over")))
    (receipt,) = desk.ada.receipts()
    assert (receipt.outcome, receipt.errors) == ("refused", [OVERTAKEN])
    assert desk.files == {}
    assert desk.ada.distill().outcome == "ok"


def ended_at_commit(end: Exception) -> Callable[[str], None]:
    def trip(stage: str) -> None:
        if stage == "commit":
            raise end

    return trip


@pytest.mark.req("A-31", "R-13")
def test_failures_are_still_counted_after_one_that_was_left_off(desk: Desk) -> None:
    """Else a distillation that fails each time would be tried after every program that ended."""
    desk.talk(0, 20)
    for end in (OSError("full"), OSError("full"), LeftOff()):
        desk.ada.distill(progress=ended_at_commit(end))
    assert [r.outcome for r in desk.ada.receipts()] == ["refused", "failed", "failed"]
    thread = desk.ada.threads()[0]
    signs = desk.et.house.store.read(
        lambda r: look(desk.et.house, r, desk.ada.row, r.threads.get(desk.ada.scope, thread.ref))
    ).signs
    assert signs.failures == 2


@pytest.mark.req("R-17", "R-10")
def test_a_heartbeats_flush_that_is_tried_again_leaves_memory_as_it_is(desk: Desk) -> None:
    desk.talk(0, 20)
    desk.ada.distill()
    memory = desk.memory
    assert memory is not None
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    days = desk.folder / "workspace" / "ada" / "memory"
    days.rename(desk.folder / "away")
    days.write_text("in the way")
    receipt = desk.ada.distill(thread=beat)
    assert receipt.flush_succeeded == 0
    days.unlink()
    (desk.folder / "away").rename(days)
    desk.clock.forward(minutes=2)
    desk.work()
    assert desk.intents(receipt) == [("write", "done")]
    assert desk.memory == memory


# ---- at the same time


def race(code: str, folder: Path, target: str, clock: FrozenClock, count: int) -> list[str]:
    """Children that begin at one word; what each says."""
    words = arguments(folder, target, clock, "")
    children = [Talking(code, *words) for _ in range(count)]
    for each in children:
        assert each.stdout.readline() == "ready\n"
    for each in children:
        each.stdin.write("go\n")
    ended = [each.end() for each in children]
    assert [code for code, _ in ended] == [0] * count
    return [said.strip() for _, said in ended]


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.mark.slow
@pytest.mark.req("LA-6", "LA-12")
def test_two_workers_that_see_the_same_signal_leave_one_receipt(
    place: Place, tmp_path: Path
) -> None:
    with desk_in(tmp_path, place.target, distill_messages=DUE) as desk:
        desk.talk(0, 21)
        race(WORKER, tmp_path, place.target, desk.clock, 2)
        (receipt,) = desk.ada.receipts()
        assert (receipt.outcome, receipt.number) == ("ok", 1)
        assert hidden(desk)
        assert desk.daily.count("## Distillation #") == 1


@pytest.mark.slow
@pytest.mark.req("LA-6")
def test_two_people_who_distill_at_once_get_one_distillation(place: Place, tmp_path: Path) -> None:
    with desk_in(tmp_path, place.target) as desk:
        desk.talk(0, 12)
        said = race(BY_HAND, tmp_path, place.target, desk.clock, 2)
        assert sorted(said) in (["busy", "ok"], ["ok", "refused"])
        assert [r.outcome for r in desk.ada.receipts() if r.standing] == ["ok"]
        assert settled(desk)


@pytest.mark.req("LA-6")
def test_while_one_is_at_work_another_is_told_so(desk: Desk) -> None:
    desk.talk(0, 20)
    told: list[str] = []

    def meanwhile(stage: str) -> None:
        if stage == "extract":
            with pytest.raises(DistillationBusy) as busy:
                desk.ada.distill()
            told.append(str(busy.value))

    receipt = desk.ada.distill(progress=meanwhile)
    assert receipt.outcome == "ok"
    assert receipt.id in told[0]
    assert len(desk.ada.receipts()) == 1


@pytest.mark.slow
@pytest.mark.req("LA-6", "R-16")
def test_a_score_that_mends_the_one_before_leaves_no_receipt_open(tmp_path: Path) -> None:
    with desk_in(tmp_path, score_seconds=20.0, score_threshold=100.0) as desk:
        desk.talk(0, 40)

        class Stop(Exception):
            pass

        def unscored(stage: str) -> None:
            if stage == "verify":
                raise Stop

        with pytest.raises(Stop):
            desk.ada.distill(progress=unscored)
        desk.talk(40, 60)

        def meanwhile(stage: str) -> None:
            if stage == "extract":
                desk.work()
                assert any("repaired" in error for error in desk.ada.receipts()[1].errors)

        # What was made for a view that is no more may be given up, but not left lying.
        assert desk.ada.distill(progress=meanwhile).outcome in ("ok", "refused")
        assert desk.ada.context().summary is not None
        assert desk.ada.distill().outcome in ("ok", "refused")
        assert desk.ada.receipts()[0].number in (2, None)
        assert "open" not in {r.outcome for r in desk.ada.receipts()}


# ---- the store fails


@pytest.mark.req("R-34", "R-52")
def test_a_file_that_is_locked_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    with desk_in(tmp_path, str(tmp_path / STORE)) as desk:
        desk.talk(0, 20)
        release = threading.Event()

        def hold(stage: str) -> None:
            if stage == "summarize":
                threading.Thread(target=lock, args=(tmp_path / STORE, release)).start()
                assert release.wait(10)

        assert desk.ada.distill(progress=hold).outcome == "ok"
        assert hidden(desk)


def lock(path: Path, held: threading.Event, seconds: float = 0.5) -> None:
    """Hold the file locked for so long, as another program would."""
    other = sqlite3.connect(path, timeout=10, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    held.set()
    threading.Event().wait(seconds)
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.slow
@pytest.mark.req("R-34", "LA-6", "LA-20")
def test_a_file_that_stays_locked_changes_nothing_and_is_tried_again(tmp_path: Path) -> None:
    with desk_in(tmp_path, str(tmp_path / STORE)) as desk:
        desk.talk(0, 20)
        before = desk.view()
        held = sqlite3.connect(tmp_path / STORE, isolation_level=None)

        def hold(stage: str) -> None:
            if stage == "summarize":
                held.execute("BEGIN EXCLUSIVE")

        with pytest.raises(StoreBusy):
            desk.ada.distill(progress=hold)
        held.execute("ROLLBACK")
        held.close()
        assert desk.view() == before
        assert desk.files == {}
        # Nobody could close its receipt; its lease runs out.
        desk.clock.forward(minutes=3)
        assert desk.ada.distill().number == 1
        assert [r.outcome for r in desk.ada.receipts()] == ["ok", "failed"]


FULL = (
    MOUNTED
    + """
sys.path.insert(0, {tests!r})
from everthread.testing import FrozenClock
from support.desk import desk_in
mount("size=6m")
clock = FrozenClock()
with desk_in(folder, str(folder / "everthread.db"), clock=clock) as desk:
    desk.talk(0, 20)
    before = desk.view()
    ballast = folder / "ballast"

    def fill(stage):
        if stage == {stage!r}:
            try:
                with ballast.open("wb") as file:
                    while True:
                        file.write(bytes(4096))
                        file.flush()
            except OSError:
                pass

    first = told(lambda: desk.ada.distill(progress=fill))
    same = desk.view() == before
    after = len(desk.seqs())
    ballast.unlink()
    clock.forward(hours=1)
    desk.work()
    again = told(lambda: desk.ada.distill())
    receipts = [(r.outcome, r.flush_succeeded) for r in desk.ada.receipts()]
    clock.forward(hours=1)
    desk.work()
    texts = [m.text for m in desk.ada.messages(limit=999)] == desk.said
    states = sorted(state for r in desk.ada.receipts() for _, state in desk.intents(r))
    say(first=first, same=same, after=after, again=again, receipts=receipts, texts=texts,
        states=states)
"""
)


@pytest.mark.slow
@pytest.mark.req("R-34", "A-40", "R-17")
@pytest.mark.parametrize("stage", ["extract", "flush", "commit"])
def test_a_disk_that_fills_up_while_distilling_loses_nothing(tmp_path: Path, stage: str) -> None:
    said = apart(FULL.format(tests=TESTS, stage=stage), tmp_path)
    name, text = said["first"]  # type: ignore[misc]
    assert name in ("fine", "StoreFull"), text
    assert said["same"] == (said["after"] == 40)
    assert said["after"] in (10, 40)
    assert said["again"] == ["fine", ""], said
    assert ["ok", 1] in said["receipts"]  # type: ignore[operator]
    assert said["texts"]
    assert "open" not in said["states"]  # type: ignore[operator]


def test_a_server_that_cuts_the_connection_in_the_middle_is_survived(tmp_path: Path) -> None:
    with fresh("postgres", tmp_path) as place, desk_in(tmp_path, place.target) as desk:
        desk.talk(0, 20)
        before = desk.view()
        try:
            first = desk.ada.distill(progress=lambda s: cut(place) if s == "commit" else None)
            assert first.outcome in ("ok", "failed")
        except EverthreadError:
            assert desk.ada.receipts()[0].outcome == "open"
        if desk.ada.receipts()[0].outcome != "ok":
            assert desk.view() == before
            desk.clock.forward(minutes=3)
            assert desk.ada.distill().outcome == "ok"
        assert hidden(desk)
        assert [m.text for m in desk.ada.messages(limit=99)] == desk.said


# ---- clocks


@pytest.mark.req("LA-6", "LA-20", "R-15")
def test_a_clock_that_steps_back_confuses_nothing(desk: Desk) -> None:
    desk.talk(0, 15)
    first = desk.ada.distill()
    desk.clock.forward(hours=-30)
    desk.talk(15, 30)
    stepped = {"back": False}

    def back(stage: str) -> None:
        if stage == "flush" and not stepped["back"]:
            stepped["back"] = True
            desk.clock.forward(hours=-5)

    second = desk.ada.distill(progress=back)
    assert (first.number, second.number) == (1, 2)
    assert second.closed_ms is not None
    assert second.closed_ms >= second.opened_ms
    assert desk.ada.context().history[0].kind == "summary"
    assert "(Distillation #2)" in (desk.ada.context().summary or "")
    assert desk.seqs() == [*range(51, 61)]
    desk.et.undo(first.id)
    desk.et.undo(second.id)
    assert desk.seqs() == [*range(1, 61)]
    assert desk.files == {}


@pytest.mark.slow
@pytest.mark.req("LA-6", "R-34")
def test_a_dead_distillation_is_taken_over_though_the_clock_stepped_back(
    prepared: Path, tmp_path: Path
) -> None:
    """Its lease ends far in the future; its process is known to be gone."""
    folder = tmp_path / "copy"
    shutil.copytree(prepared, folder)
    assert child(AT_STAGE, folder, FrozenClock("2026-03-20T10:00:00Z"), "summarize") < 0
    with at_rest(folder) as desk:
        assert desk.ada.distill().outcome == "ok"
        assert {r.outcome for r in desk.ada.receipts()} == {"ok", "failed"}


@pytest.mark.req("LA-6", "LA-20")
def test_the_newest_receipt_of_a_thread_is_the_one_that_was_made_last(desk: Desk) -> None:
    """What failed or was refused before the clock was set right must not count as the newest."""
    desk.talk(0, 15)
    first = desk.ada.distill()
    desk.clock.forward(hours=-30)
    desk.talk(15, 30)
    second = desk.ada.distill()
    assert [r.id for r in desk.ada.receipts(thread=desk.ada.primary)] == [second.id, first.id]
