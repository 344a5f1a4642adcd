"""What was distilled stays in the store until its age is over; then it goes, lawfully and on record."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Thread
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import MessagesPurged, StoreFailed, UndoRefused
from everthread.jobs.duties import DUTIES, PURGE
from everthread.services.distilling.stages import nothing
from everthread.services.distilling.undo import _Reverse
from everthread.services.upkeep import purge as service
from everthread.services.upkeep.purge import purge
from everthread.services.upkeep.shrink import shrink, weigh
from support.desk import Desk, calling, desk_in
from support.lying import lying
from support.printing import noise
from support.stores import ABOVE, EACH, Place, fresh, furnished

Open = Callable[..., AbstractContextManager[Desk]]

WEEK = 7 * 24


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda **chosen: desk_in(tmp_path, **chosen)


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


on_each = pytest.mark.parametrize("place", EACH, indirect=True)
"""Where rows go."""


@pytest.fixture(params=EACH)
def beaten(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """A store with a heartbeat that was distilled."""
    with furnished(request.param, tmp_path, beat) as found:
        yield found


def beat(place: Place, folder: Path) -> None:
    with desk_in(folder, place.target) as desk:
        beating(desk)


@pytest.fixture
def stored(place: Place, tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, place.target) as found:
        yield found


def beating(desk: Desk) -> tuple[Thread, Receipt]:
    """A heartbeat that was distilled: forty of its sixty messages are out of the view."""
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    desk.work()
    (receipt,) = desk.ada.receipts()
    assert (receipt.messages_before, receipt.messages_after) == (60, 20)
    return beat, receipt


def said(desk: Desk, thread: Thread | None = None) -> list[int]:
    return [message.seq for message in desk.ada.messages(limit=999, thread=thread)]


def purged(desk: Desk) -> int:
    return purge(desk.et.house, nothing)


# ---- when


@on_each
@pytest.mark.req("X-2", "LA-24", "R-33")
def test_a_heartbeats_messages_go_a_week_after_they_were_distilled(stored: Desk) -> None:
    beat, _ = beating(stored)
    before = stored.view(beat)
    stored.clock.forward(hours=WEEK - 1)
    assert purged(stored) == 0
    assert len(said(stored, beat)) == 60
    stored.clock.forward(hours=2)
    assert purged(stored) == 40
    assert said(stored, beat) == list(range(41, 61))
    assert stored.view(beat) == before
    assert stored.et.verify(stored.ada).sound
    assert purged(stored) == 0


@pytest.mark.req("X-2", "LA-24")
def test_the_primary_thread_keeps_everything_unless_told_otherwise(opened: Open) -> None:
    with opened() as desk:
        desk.talk(0, 20)
        desk.ada.distill()
        desk.clock.forward(hours=1_000 * 24)
        assert purged(desk) == 0
        assert len(said(desk)) == 40
    with opened(primary_keep_days=30) as desk:
        desk.talk(0, 20)
        desk.ada.distill()
        desk.clock.forward(hours=31 * 24)
        assert purged(desk) == 30
        assert said(desk) == list(range(31, 41))


@pytest.mark.req("X-2")
def test_only_what_a_distillation_took_out_of_the_view_goes(desk: Desk) -> None:
    """By age alone nothing does: neither the tail, nor what came back, nor what was imported."""
    beat, receipt = beating(desk)
    past = [{"role": "user", "content": "long ago", "at": "2020-01-01T00:00:00Z", "id": "old"}]
    desk.ada.record(past, thread=beat)
    desk.et.undo(receipt.id)
    desk.clock.forward(hours=99 * WEEK)
    assert purged(desk) == 0
    desk.et.redo(receipt.id)
    assert purged(desk) == 40
    texts = [message.text for message in desk.ada.messages(limit=99, thread=beat)]
    assert len(texts) == 21
    assert "long ago" in texts


@pytest.mark.req("X-2")
def test_an_errands_messages_go_with_its_thread(desk: Desk) -> None:
    errand = desk.ada.thread("errand", kind="ephemeral")
    desk.talk(0, 2, errand)
    desk.clock.forward(hours=25)
    desk.work()
    assert [thread.kind for thread in desk.ada.threads()] == ["primary"]
    assert desk.et.verify(desk.ada).sound


@pytest.mark.req("X-2")
def test_the_worker_purges_every_hour_and_once_for_all_the_time_it_was_away(desk: Desk) -> None:
    beat, _ = beating(desk)
    assert [duty.every_ms for duty in DUTIES if duty.name == PURGE] == [3_600_000]
    desk.clock.forward(hours=10 * WEEK)
    desk.work()
    assert len(said(desk, beat)) == 20


@pytest.mark.req("X-2")
def test_a_purge_goes_in_small_steps_and_can_be_left_off_between_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat, _ = beating(desk)
    desk.clock.forward(hours=WEEK + 1)
    monkeypatch.setattr(service, "BATCH", 15)
    steps: list[int] = []

    def leave() -> None:
        steps.append(len(said(desk, beat)))
        if len(steps) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        purge(desk.et.house, leave)
    assert steps == [45, 30]
    assert desk.et.verify(desk.ada).sound
    assert purged(desk) == 10
    assert desk.ada.receipts()[0].detail["purged"]["messages"] == 40


@pytest.mark.req("X-2", "R-33")
def test_what_went_is_settled_also_where_the_purge_was_left_off(desk: Desk) -> None:
    beating(desk)
    desk.clock.forward(hours=WEEK + 1)

    def leave() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        purge(desk.et.house, leave)
    now = desk.clock.now()
    job = desk.et.house.store.write(
        lambda r: r.jobs.claim("here", ["store.settle"], now=now, until=now + 1)
    )
    assert job is not None


@pytest.mark.req("X-2")
def test_an_agent_whose_index_fails_does_not_hold_up_the_others(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much of it is due, and though it is the oldest."""
    beat, _ = beating(desk)
    for n in range(1, 4):
        desk.talk(30 * n, 30 * n + 30, beat)
        desk.work()
    bob = desk.et.agent("bob")
    other = bob.thread("heartbeat:noon", kind="background")
    for _ in range(30):
        bob.turn("Anything new?", thread=other).done("Nothing.")
    desk.work()
    desk.clock.forward(hours=WEEK + 1)
    monkeypatch.setattr(service, "MARKS", 2)
    whole = service._withdraw_step

    def locked(house: Any, step: Any) -> Any:
        if step.scope.agent == desk.ada.row.ref:
            raise StoreFailed("locked")
        return whole(house, step)

    monkeypatch.setattr(service, "_withdraw_step", locked)
    assert purged(desk) == 40
    assert len(bob.messages(limit=99, thread=other)) == 20


# ---- what is left


@pytest.mark.req("X-2", "LA-24")
def test_the_receipt_keeps_the_counts_and_a_hash(stored: Desk) -> None:
    _, receipt = beating(stored)
    stored.clock.forward(hours=WEEK + 1)
    purged(stored)
    (now,) = stored.ada.receipts()
    kept = now.detail["purged"]
    assert (kept["messages"], kept["at_ms"]) == (40, stored.clock.now())
    assert kept["tokens"] > 0
    assert len(bytes.fromhex(kept["hash"])) == 32
    assert now[:24] == receipt[:21] + now[21:24]
    assert now.outcome == receipt.outcome


@on_each
@pytest.mark.req("X-2", "R-33")
def test_no_word_and_no_salt_of_what_was_purged_is_left(place: Place, tmp_path: Path) -> None:
    with desk_in(tmp_path, place.target) as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        desk.turn(f"the quokka said {noise('q', 9_000)}", "indeed", beat)
        desk.talk(0, 29, beat)
        desk.work()
        desk.clock.forward(hours=WEEK + 1)
        purged(desk)
        desk.work()
    assert place.raw("SELECT count(*) FROM messages WHERE content LIKE '%quokka%'") == [(0,)]
    assert [text for text in lying(place).values() if "quokka" in text] == []
    salts = "SELECT count(*) FROM timeline WHERE event = 'message' AND salt IS NULL"
    assert place.raw(salts) == [(40,)]
    assert place.raw("SELECT count(*) FROM timeline WHERE event = 'purge'") == [(1,)]


@pytest.mark.req("X-2", "R-51")
def test_recall_no_longer_finds_it(stored: Desk) -> None:
    beat = stored.ada.thread("heartbeat:noon", kind="background")
    stored.turn("The quokka eats eucalyptus at dawn.", "Noted.", beat)
    stored.talk(0, 30, beat)
    stored.work()
    assert any("quokka" in hit.text for hit in stored.ada.recall("quokka eucalyptus"))
    cards = stored.et.house.index.of(stored.ada.row).counts().cards
    stored.clock.forward(hours=WEEK + 1)
    gone = purged(stored)
    index = stored.et.house.index
    index.check(stored.ada.row)
    assert index.of(stored.ada.row).counts().cards == cards - gone
    assert index.of(stored.ada.row).search(["quokka"], limit=9) == []
    assert not any("quokka" in hit.text for hit in stored.ada.recall("quokka eucalyptus"))


@pytest.mark.req("X-2")
def test_undo_says_clearly_that_its_messages_are_gone_and_changes_nothing(stored: Desk) -> None:
    beat, receipt = beating(stored)
    stored.clock.forward(hours=WEEK + 1)
    purged(stored)
    before = stored.view(beat)
    for dry in (True, False):
        with pytest.raises(UndoRefused, match=r"40 messages .* purge of .* nothing left"):
            stored.et.undo(receipt.id, dry_run=dry)
    assert stored.view(beat) == before
    assert stored.ada.receipts()[0].outcome == "ok"


@pytest.mark.req("X-2", "R-15")
def test_a_later_distillation_whose_messages_are_there_can_still_be_undone(desk: Desk) -> None:
    beat, first = beating(desk)
    desk.clock.forward(hours=WEEK + 1)
    desk.talk(30, 60, beat)
    before = desk.view(beat)
    purged(desk)
    second = desk.ada.distill(thread=beat)
    desk.et.undo(second.id)
    assert desk.view(beat) == before
    assert desk.ada.receipt(first.id).receipt.outcome == "ok"


@pytest.mark.req("X-2", "R-15")
def test_a_purge_while_another_distillation_is_redone_is_not_forgotten(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The later one is made anew then; that it lost its messages stands on its receipt."""
    with opened(primary_keep_days=30) as desk:
        desk.talk(0, 20)
        first = desk.ada.distill()
        desk.talk(20, 40)
        second = desk.ada.distill()
        desk.et.undo(first.id)
        desk.clock.forward(hours=31 * 24)
        gone: list[int] = []

        def meanwhile(*given: Any) -> Any:
            gone.append(purged(desk))
            return written(*given)

        written = _Reverse._files
        monkeypatch.setattr(_Reverse, "_files", meanwhile)
        desk.et.redo(first.id)
        assert gone == [40]
        assert desk.ada.receipt(second.id).receipt.detail["purged"]["messages"] == 40
        with pytest.raises(UndoRefused, match="nothing left"):
            desk.et.undo(second.id)


@pytest.mark.req("X-2", "R-42")
def test_what_a_turn_was_given_is_refused_once_a_part_of_it_was_purged(desk: Desk) -> None:
    beat, _ = beating(desk)
    desk.talk(30, 31, beat)
    seen = json.dumps(desk.ada.context(31, thread=beat).messages)
    desk.clock.forward(hours=WEEK + 1)
    purged(desk)
    with pytest.raises(MessagesPurged, match="turn 3 "):
        desk.ada.context(3, thread=beat)
    assert json.dumps(desk.ada.context(31, thread=beat).messages) == seen


@pytest.mark.req("X-2")
def test_a_memory_says_that_its_sources_were_purged(desk: Desk) -> None:
    beat, _ = beating(desk)
    sources = [desk.ada.messages(limit=60, thread=beat)[n] for n in (0, 59)]
    both = desk.ada.remember("The counter was off by three.", sources=sources)
    one = desk.ada.remember("Plan nought is the simple one.", sources=sources[:1])
    assert desk.ada.purged_sources(one.id) == []
    desk.clock.forward(hours=WEEK + 1)
    purged(desk)
    assert desk.ada.purged_sources(one.id) == [sources[0].id]
    assert desk.ada.purged_sources(both.id) == [sources[0].id]
    assert desk.ada.memory(one.id).text == "Plan nought is the simple one."


# ---- what must not break


@on_each
@pytest.mark.req("X-2", "R-33")
def test_what_goes_without_a_purge_is_found_out(place: Place, tmp_path: Path) -> None:
    with desk_in(tmp_path, place.target) as desk:
        beating(desk)
        desk.clock.forward(hours=WEEK + 1)
        purged(desk)
    with pytest.raises(Exception, match="never deleted"):
        place.raw("DELETE FROM messages WHERE seq = 50")
    with pytest.raises(Exception, match="never deleted"):
        place.raw("DELETE FROM purges")
    place.without_triggers()
    thief = (
        "UPDATE timeline SET salt = NULL WHERE n = (SELECT entry FROM messages WHERE seq = 50)",
        "DELETE FROM messages WHERE seq = 50",
        "UPDATE threads SET message_count = message_count - 1 WHERE kind = 'background'",
    )
    place.raw(*thief)
    with pytest.raises(AssertionError), desk_in(tmp_path, place.target) as desk:
        (fault,) = desk.et.verify(desk.ada).faults
        assert "though its thread was not erased" in fault.problem


@pytest.mark.req("X-2", "R-33")
def test_a_purge_that_says_less_than_it_took_is_found_out(place: Place, tmp_path: Path) -> None:
    with desk_in(tmp_path, place.target) as desk:
        beating(desk)
        desk.clock.forward(hours=WEEK + 1)
        purged(desk)
    place.without_triggers()
    place.raw("UPDATE purges SET to_seq = 41, messages = 41")
    place.raw(
        "UPDATE timeline SET salt = NULL WHERE n = (SELECT entry FROM messages WHERE seq = 41)",
        "DELETE FROM messages WHERE seq = 41",
    )
    with pytest.raises(AssertionError), desk_in(tmp_path, place.target) as desk:
        problems = {fault.problem for fault in desk.et.verify(desk.ada).faults}
        assert "it took other messages than the 41 it says" in problems
        assert "the row was changed" in problems


@pytest.mark.req("X-2", "R-37")
def test_an_export_carries_what_was_purged_and_the_copy_verifies(
    place: Place, tmp_path: Path
) -> None:
    lines: list[str] = []
    with desk_in(tmp_path, place.target) as desk:
        beat, _ = beating(desk)
        desk.clock.forward(hours=WEEK + 1)
        purged(desk)
        seen = desk.view(beat)
        desk.et.export(lines.append)
    with everthread.connect("memory://", background=False) as copy:
        copy.import_lines(lines)
        ada = copy.known_agent("ada")
        assert json.dumps(ada.context(thread="heartbeat:noon").messages).encode() == seen
        assert copy.verify(ada).sound
        with pytest.raises(UndoRefused, match="40 messages"):
            copy.undo(ada.receipts()[0].id)


@pytest.mark.req("X-2", "R-40")
def test_an_erased_thread_takes_its_purges_along(stored: Desk) -> None:
    beating(stored)
    stored.clock.forward(hours=WEEK + 1)
    purged(stored)
    stored.et.erase(stored.ada, thread="heartbeat:noon")
    assert stored.et.verify(stored.ada).sound
    assert stored.ada.receipts() == []


@pytest.mark.req("X-2", "R-40")
def test_output_that_gave_way_to_the_disk_budget_is_purged_too(opened: Open) -> None:
    """What the index holds of it is not what it says now; its card goes all the same."""
    with opened() as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        turn = desk.ada.turn("run it", thread=beat).add(calling("c1"))
        turn.tool_result("c1", "wombat " + noise("w", 40_000)).done("ran")
        desk.talk(0, 30, beat)
        desk.work()
        desk.ada.recall("wombat")
        desk.clock.forward(hours=WEEK + 1)
        shrink_all(desk)
        assert purged(desk) > 0
        desk.et.house.index.check(desk.ada.row)
        assert not any("wombat" in hit.text for hit in desk.ada.recall("wombat"))
        assert desk.et.verify(desk.ada).sound


@on_each
@pytest.mark.req("X-2", "R-33", "R-40")
def test_no_word_of_shrunk_output_is_left_in_the_index(place: Place, tmp_path: Path) -> None:
    """Though its text is not known any more: the words are read out of the index, and taken out."""
    with desk_in(tmp_path, place.target) as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        turn = desk.ada.turn("run it", thread=beat).add(calling("c1"))
        middle = f"{noise('w', 20_000)} wombats agreed {noise('v', 20_000)}"
        turn.tool_result("c1", middle).done("ran, said the numbat")
        desk.talk(0, 30, beat)
        desk.turn("Koalas agreed too.", "indeed")
        desk.work()
        assert desk.ada.recall("wombat") and desk.ada.recall("numbat")
        assert {"wombat", "numbat", "agre"} <= terms(place)
        desk.clock.forward(hours=WEEK + 1)
        shrink_all(desk)
        assert purged(desk) > 0
        desk.work()
        index = desk.et.house.index
        for word in ("wombat", "numbat"):
            assert index.of(desk.ada.row).search([word], limit=9) == []
        assert desk.ada.recall("koala"), "what was not purged is found as before"
        index.check(desk.ada.row)
        assert {"wombat", "numbat"}.isdisjoint(terms(place))
        assert {"koala", "agre"} <= terms(place)


def terms(place: Place) -> set[str]:
    """All words that the index has, as its own tables tell; and those that lie about in its files."""
    if place.engine == "postgres":
        words = [word for (word,) in place.raw(PG_WORDS)]
        ends = enumerate(zip(min(words), max(words), strict=False))
        mark = next(n for n, (a, b) in ends if a != b)  # each begins with whose it is
        return {word[mark:] for word in words}
    folder = Path(f"{place.target}-index")
    (file,) = folder.glob("*.db")
    db = sqlite3.connect(file)
    try:
        db.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, texts, row)")
        live = {word for (word,) in db.execute("SELECT term FROM temp.v")}
    finally:
        db.close()
    # There a word begins where it differs from the one before it.
    lying = b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())
    return live | {word for word in ("wombat", "numbat") if word[1:].encode() in lying}


PG_WORDS = "SELECT DISTINCT unnest(tsvector_to_array(text)) FROM index_texts"


def shrink_all(desk: Desk) -> None:
    weigh(desk.et.house, nothing)
    assert shrink(desk.et.house, 10**9, nothing) > 0


@pytest.mark.req("X-2")
def test_what_another_worker_purged_meanwhile_is_purged_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat, _ = beating(desk)
    desk.clock.forward(hours=WEEK + 1)
    real = service._withdraw_step

    def quicker(*given: Any) -> Any:
        filed = real(*given)
        monkeypatch.setattr(service, "_withdraw_step", real)
        assert purged(desk) == 40
        return filed

    monkeypatch.setattr(service, "_withdraw_step", quicker)
    assert purged(desk) == 0
    assert len(said(desk, beat)) == 20
    assert desk.et.house.index.of(desk.ada.row).search(["module_0"], limit=9) == []
    assert desk.ada.receipts()[0].detail["purged"]["messages"] == 40


@pytest.mark.req("X-2")
def test_what_a_crash_left_between_index_and_store_is_purged_by_the_next_run(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat, _ = beating(desk)
    desk.ada.recall("module")
    desk.clock.forward(hours=WEEK + 1)

    def crash(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(service, "_purge_step", crash)
        with pytest.raises(KeyboardInterrupt):
            purged(desk)
    assert len(said(desk, beat)) == 60
    assert desk.et.verify(desk.ada).sound
    assert purged(desk) == 40
    desk.et.house.index.check(desk.ada.row)
    assert desk.et.house.index.of(desk.ada.row).counts().cards == len(said(desk, beat))


@pytest.mark.req("X-2")
def test_an_index_that_cannot_be_written_holds_up_its_agent_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    beat, _ = beating(desk)
    bob = desk.et.agent("bob")
    other = bob.thread("heartbeat:noon", kind="background")
    for n in range(30):
        bob.turn(f"tick {n}", thread=other).done("tock")
    other.distill()
    desk.clock.forward(hours=WEEK + 1)
    real = service._withdraw_step

    def full(house: Any, step: Any) -> Any:
        if step.scope == desk.ada.scope:
            raise StoreFailed("the disk is full")
        return real(house, step)

    monkeypatch.setattr(service, "_withdraw_step", full)
    assert purged(desk) == 40
    assert (len(said(desk, beat)), len(bob.messages(limit=99, thread=other))) == (60, 20)
    assert "the disk is full" in caplog.text


@pytest.mark.req("X-2")
def test_what_was_undone_between_the_look_and_the_lock_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    beat, receipt = beating(desk)
    desk.clock.forward(hours=WEEK + 1)
    real = service._withdraw_step

    def undone_just_then(*given: Any) -> Any:
        filed = real(*given)
        monkeypatch.setattr(service, "_withdraw_step", real)
        desk.et.undo(receipt.id)
        return filed

    monkeypatch.setattr(service, "_withdraw_step", undone_just_then)
    assert purged(desk) == 0
    assert len(said(desk, beat)) == 60
    assert any("bug 0" in hit.text for hit in desk.ada.recall("src/module_0.py bug 0", limit=9))


PURGING = """
import sys
import everthread
from everthread import Settings
from everthread.services.upkeep import purge
from everthread.testing import FrozenClock

purge.BATCH = 2
settings = Settings(embedder="off", durability="process")
clock = FrozenClock()
clock.forward(hours=24 * 30)
with everthread.connect(sys.argv[1], clock=clock, background=False, settings=settings) as et:
    purge.purge(et.house, lambda: print("gone", flush=True))
"""


@pytest.mark.slow
@pytest.mark.req("X-2", "R-33")
@pytest.mark.parametrize("steps", [0, 1, 3, 7, 12])
def test_a_purge_that_is_killed_leaves_nothing_between(
    beaten: Place, tmp_path: Path, steps: int
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PURGING, beaten.target], stdout=subprocess.PIPE
    ) as killed:
        assert killed.stdout is not None
        for _ in range(steps):
            assert killed.stdout.readline() == b"gone\n"
        killed.kill()
    with desk_in(tmp_path, beaten.target) as desk:
        beat = desk.ada.thread("heartbeat:noon", kind="background")
        left = len(said(desk, beat))
        assert 20 <= left <= 60 - 2 * steps
        assert desk.et.verify(desk.ada).sound
        told = desk.ada.receipts()[0].detail.get("purged", {"messages": 0})
        assert told["messages"] == 60 - left
        desk.clock.forward(hours=24 * 30)
        assert purged(desk) == left - 20
        assert desk.et.verify(desk.ada).sound
