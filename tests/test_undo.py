"""A distillation can be taken back everywhere it touched, and put in force again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from everthread.domain.distilling.receipts import Receipt
from everthread.domain.distilling.summaries import render
from everthread.domain.errors import DistillationBusy, ReceiptUnknown, UndoRefused
from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.memories import Memory
from everthread.providers.claims import CLAIM
from everthread.services.distilling.learn import memories_gained
from everthread.testing import FrozenClock
from support.desk import Desk, answer, desk_in, fired, question
from support.stores import ABOVE, EACH, Place, fresh, furnished

Open = Callable[..., AbstractContextManager[Desk]]

TEA = "I prefer tea from Xylander over coffee."


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    return lambda **chosen: desk_in(tmp_path, **chosen)


@pytest.fixture(params=ABOVE)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    with fresh(request.param, tmp_path) as place, desk_in(tmp_path, place.target) as found:
        yield found


Seen = tuple[bytes, dict[str, bytes], list[str]]


def seen(desk: Desk) -> Seen:
    """The rendered view, the files, the memories: all that a distillation touches, to the byte."""
    return desk.view(), desk.files, sorted(m.text for m in desk.ada.memories(limit=1_000))


def thrice(desk: Desk, turns: int = 12) -> tuple[list[Receipt], list[Seen]]:
    """Three distillations; and what was seen before each, and after the last."""
    receipts: list[Receipt] = []
    states: list[Seen] = []
    for n in range(3):
        desk.talk(n * turns, (n + 1) * turns)
        states.append(seen(desk))
        receipts.append(desk.ada.distill())
    return receipts, [*states, seen(desk)]


class Left(NamedTuple):
    """What three distillations left, beside the store and the files."""

    receipts: list[Receipt]
    states: list[Seen]
    said: list[str]
    at: float


class Thrice:
    """Three distillations that are made once: each test goes on from a copy of what they left."""

    def __init__(self, turns: int = 12, **chosen: Any) -> None:
        self._turns, self._chosen = turns, chosen
        self._left: dict[str, Left] = {}

    def furnish(self, place: Place, folder: Path) -> None:
        with desk_in(folder, place.target, **self._chosen) as desk:
            made = thrice(desk, self._turns)
            self._left[place.engine] = Left(*made, desk.said, desk.clock.now() / 1_000)
        for claim in folder.rglob(CLAIM):
            claim.unlink()  # or a copy of the store would not take the files for its own

    @contextmanager
    def copied(self, engine: str, folder: Path) -> Iterator[tuple[Desk, Left]]:
        with furnished(engine, folder, self.furnish) as place:
            left = self._left[engine]
            clock = FrozenClock(left.at)
            with desk_in(folder, place.target, clock=clock, **self._chosen) as desk:
                desk.said += left.said
                yield desk, left


SHORT, LONG = Thrice(), Thrice(24, summary_tokens=300)


@pytest.fixture(params=ABOVE)
def three(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Desk, Left]]:
    with SHORT.copied(request.param, tmp_path) as found:
        yield found


Three = tuple[Desk, Left]


# ---- the newest


@pytest.mark.parametrize("stored", EACH, indirect=True)
@pytest.mark.req("R-15", "LA-1")
def test_undoing_the_only_distillation_brings_back_every_byte(stored: Desk) -> None:
    stored.talk(0, 20)
    before = seen(stored)
    receipt = stored.ada.distill()
    assert seen(stored) != before
    done = stored.et.undo(receipt.id)
    assert seen(stored) == before
    assert stored.files == {}
    assert done.messages == 30
    assert done.receipt.outcome == "undone"
    assert stored.ada.receipts()[0].undone_ms == stored.clock.now()
    assert stored.problems() == []


@pytest.mark.req("R-15")
def test_undoing_the_newest_brings_back_what_stood_before_it(three: Three) -> None:
    stored, (receipts, states, *_) = three
    for receipt, before in zip(reversed(receipts), reversed(states[:-1]), strict=True):
        stored.et.undo(receipt.id)
        view, files, memories = seen(stored)
        first, was, known = before
        assert json.loads(view)[0] == json.loads(first)[0]
        assert files == was
        assert memories == known
        assert [r.outcome for r in stored.ada.receipts()].count("undone") > 0
    assert [m.text for m in stored.ada.context().history] == stored.said


@pytest.mark.req("R-15")
def test_what_was_said_after_a_distillation_stays_when_it_is_undone(desk: Desk) -> None:
    desk.talk(0, 20)
    before = desk.view()
    receipt = desk.ada.distill()
    desk.talk(20, 25)
    desk.et.undo(receipt.id)
    view = desk.view()
    assert view.startswith(before[:-1])
    assert len(json.loads(view)) == 50
    assert [m.text for m in desk.ada.messages(limit=99)] == desk.said
    assert desk.files == {}


@pytest.mark.req("R-15", "A-45")
def test_what_was_primed_by_an_undone_distillation_is_given_no_more(desk: Desk) -> None:
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.talk(0, 15)
    receipt = desk.ada.distill()
    assert "Never push" in json.dumps(desk.ada.turn("Hm?").failed().messages[-1])
    desk.et.undo(receipt.id)
    assert "Never push" not in json.dumps(desk.ada.turn("Hm?").failed().messages[-1])
    desk.et.redo(receipt.id)
    assert "Never push" in json.dumps(desk.ada.turn("Hm?").failed().messages[-1])


@pytest.mark.req("R-15", "A-45")
def test_what_a_turn_was_given_before_is_no_news_when_it_is_redone(desk: Desk) -> None:
    """Old values, long corrected, are not given once more as if they had just been learnt."""
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.talk(0, 15)
    first = desk.ada.distill()
    desk.talk(15, 30)
    second = desk.ada.distill()
    desk.turn("Good morning.", "Good morning.")
    for receipt in (first, second):
        desk.et.undo(receipt.id)
        desk.et.redo(receipt.id)
        assert waiting(desk) == []


@pytest.mark.req("R-15", "A-45")
def test_what_no_turn_was_given_waits_again_when_it_is_redone_as_far_as_it_holds(
    desk: Desk,
) -> None:
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.turn(TEA, "Noted.")
    desk.talk(0, 15)
    receipt = desk.ada.distill()
    before = waiting(desk)
    assert {TEA, "Never push to main without asking me."} <= set(before)
    desk.et.undo(receipt.id)
    assert waiting(desk) == []
    desk.et.redo(receipt.id)
    assert waiting(desk) == before
    assert "waiting" not in desk.ada.receipt(receipt.id).receipt.detail
    (rule,) = [m for m in desk.ada.memories(limit=99) if m.text.startswith("Never push")]
    desk.ada.edit(rule.id, "Never push to main without asking Melanie.")
    desk.et.undo(receipt.id)
    desk.et.redo(receipt.id)
    assert waiting(desk) == [text for text in before if text != rule.text]


def waiting(desk: Desk) -> list[str]:
    """What is primed for the next turn."""
    scope, thread = desk.ada.scope, desk.ada.primary.ref
    return [m.text for m in desk.et.house.store.read(lambda r: r.memories.primed(scope, thread))]


@pytest.mark.req("R-15")
def test_a_memory_that_somebody_changed_since_is_theirs(desk: Desk) -> None:
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.turn("My name is Melanie.", "Hello.")
    desk.talk(0, 15)
    receipt = desk.ada.distill()
    rule = next(m for m in desk.ada.memories(limit=99) if m.text.startswith("Never push"))
    edited = desk.ada.edit(rule.id, "Never push to main without asking Melanie.")
    would = desk.et.undo(receipt.id, dry_run=True)
    done = desk.et.undo(receipt.id)
    told = would.memories, would.left, would.left_why
    assert told == (done.memories, done.left, done.left_why)
    assert [m.text for m in desk.ada.memories()] == [edited.text]
    assert done.left == [rule.id]
    assert done.left_why == ["another took its place since"]


@pytest.mark.req("R-15")
@pytest.mark.parametrize("later", ["The staging port is 7000.", "The staging port is 9123."])
def test_what_was_replaced_does_not_stand_again_beside_what_is_left_of_it(
    desk: Desk, later: str
) -> None:
    """What took its place was itself replaced, or said again: neither is taken back."""
    receipts: list[Receipt] = []
    for n, port in enumerate(("The staging port is 8123.", "The staging port is 9123.")):
        desk.turn(port, "Noted.")
        desk.talk(12 * n, 12 * n + 12)
        receipts.append(desk.ada.distill())
    desk.clock.forward(hours=2)
    desk.ada.remember(later)
    assert ports(desk) == [later]
    done = desk.et.undo(receipts[1].id)
    assert ports(desk) == [later]
    assert done.left_why[-1] == "what took its place is left as it is"
    desk.et.redo(receipts[1].id)
    assert ports(desk) == [later]


def ports(desk: Desk) -> list[str]:
    return [m.text for m in desk.ada.memories(limit=999) if "staging port" in m.text]


def shown(desk: Desk) -> dict[str, tuple[str, str]]:
    return {m.id: (m.kind, m.text) for m in desk.ada.memories(limit=1_000)}


@pytest.mark.req("R-15")
def test_what_mending_took_for_a_rule_is_the_preference_it_was(
    stored: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a summary lost is put back into it as something to keep to; its memory is no other one."""

    def mended(*given: Any, **named: Any) -> list[Memory]:
        found = memories_gained(*given, **named)
        return [m._replace(kind="rule", importance=0.9) if TEA in m.text else m for m in found]

    stored.turn(TEA, "Understood.")
    stored.talk(0, 12)
    receipt = stored.ada.distill()
    before = shown(stored)
    assert ("preference", TEA) in before.values()
    monkeypatch.setattr("everthread.services.distilling.undo.memories_gained", mended)
    for _ in range(2):
        stored.et.undo(receipt.id)
        stored.et.redo(receipt.id)
        assert shown(stored) == before
    assert {m.importance for m in stored.ada.memories() if m.text == TEA} == {0.8}


@pytest.mark.req("R-15", "R-43")
def test_redoing_draws_nothing_in_the_place_of_what_was_edited_or_forgotten(desk: Desk) -> None:
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.turn(TEA, "Understood.")
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    names = {m.text: m.id for m in desk.ada.memories(limit=1_000)}
    desk.ada.edit(names["Never push to main without asking me."], "Pushing is for Melanie alone.")
    desk.ada.forget(names[TEA])
    before = shown(desk)
    desk.et.undo(receipt.id)
    desk.et.redo(receipt.id)
    assert shown(desk) == before


@pytest.mark.req("R-15", "R-43")
def test_redoing_draws_nothing_that_only_another_undone_one_drew(desk: Desk) -> None:
    """Of many decisions each distillation keeps ten: a place that forgetting leaves is not filled."""

    def decided(first: int, last: int) -> None:
        for n in range(first, last):
            desk.turn(f"We decided to keep plan {n} because it is simple.", "Noted. " * 40)

    decided(0, 13)
    desk.et.undo(desk.ada.distill().id)
    decided(13, 19)
    receipt = desk.ada.distill()
    desk.ada.forget(desk.ada.memories(kind="decision")[0].id)
    before = shown(desk)
    desk.et.undo(receipt.id)
    desk.et.redo(receipt.id)
    assert shown(desk) == before


# ---- one in the middle


def folded(desk: Desk, ranges: Sequence[set[int]], tokens: int) -> str:
    """The summary of these ranges alone, one on top of the other, as if nothing else had been."""
    messages = {m.seq: m for m in desk.ada.messages(limit=10_000)}
    digest: Digest = EMPTY
    for seqs in ranges:
        gleaner = Gleaner(digest)
        for seq in sorted(seqs):
            gleaner.read(messages[seq])
        digest = gleaner.digest()
    count = desk.et.house.tokenizer.count
    return render(digest, number=len(ranges), tokens=tokens, count=count).text


def hidden(desk: Desk, receipt: Receipt) -> set[int]:
    runs = desk.ada.receipt(receipt.id).hidden
    return {seq for first, last in runs for seq in range(first, last + 1)}


@pytest.mark.slow
@pytest.mark.req("R-15", "LA-10")
@pytest.mark.parametrize("gone", [0, 1])
def test_undoing_an_earlier_one_makes_the_later_ones_anew_without_it(
    tmp_path: Path, gone: int
) -> None:
    """Equal to the byte to a fold over the messages of those that stand."""
    with LONG.copied("sqlite", tmp_path) as (desk, (receipts, *_)):
        back = hidden(desk, receipts[gone])
        tail = {*desk.seqs()}
        done = desk.et.undo(receipts[gone].id)
        assert done.remade == [r.number for r in receipts[gone + 1 :]]
        assert {*desk.seqs()} == back | tail
        standing = [r for r in receipts if r is not receipts[gone]]
        ranges = [hidden(desk, r) for r in standing]
        # Long enough that the room is what the setting allows.
        assert desk.ada.context().summary == folded(desk, ranges, 300)
        assert "(Distillation #2)" in (desk.ada.context().summary or "")
        assert receipts[gone].id not in desk.daily
        assert all(r.id in desk.daily for r in standing)
        assert desk.problems() == []


@pytest.mark.req("R-15")
def test_what_only_the_undone_one_knew_is_in_no_summary_made_anew(desk: Desk) -> None:
    desk.turn("Always write docs in Esperanto.", "Understood.")
    desk.talk(0, 20)
    first = desk.ada.distill()
    desk.talk(20, 40)
    desk.ada.distill()
    assert "Esperanto" in (desk.ada.context().summary or "")
    assert b"Esperanto" in (desk.memory or b"")
    desk.et.undo(first.id)
    assert "Esperanto" not in (desk.ada.context().summary or "")
    assert b"Esperanto" not in (desk.memory or b"")
    assert "Esperanto" in desk.ada.context().text  # its message is back


# ---- redo


@pytest.mark.parametrize("three", EACH, indirect=True)
@pytest.mark.req("R-15")
def test_redoing_the_newest_brings_its_bytes_back(three: Three) -> None:
    stored, (receipts, states, *_) = three
    stored.et.undo(receipts[2].id)
    done = stored.et.redo(receipts[2].id)
    assert seen(stored) == states[3]
    assert done.receipt.outcome == "ok"
    assert stored.ada.receipts()[0].undone_ms is None
    stored.talk(50, 52)
    stored.et.undo(receipts[2].id)
    stored.et.redo(receipts[2].id)
    assert stored.view().startswith(states[3][0][:-1])


@pytest.mark.req("R-15")
@pytest.mark.parametrize("gone", [0, 1])
def test_redoing_an_earlier_one_brings_view_and_memory_back(three: Three, gone: int) -> None:
    desk, (receipts, states, *_) = three
    desk.et.undo(receipts[gone].id)
    desk.et.redo(receipts[gone].id)
    view, files, memories = seen(desk)
    assert view == states[3][0]
    assert files["ada/MEMORY.md"] == states[3][1]["ada/MEMORY.md"]
    assert memories == states[3][2]
    assert sections(desk.daily) == sections(states[3][1]["ada/memory/2026-02-20.md"].decode())


def sections(text: str) -> dict[str, str]:
    """The daily file's sections, by their receipts."""
    found = re.finditer(
        r"<!-- everthread:receipt (\S+) .*?<!-- /everthread:receipt \1 -->", text, re.S
    )
    return {each[1]: each[0] for each in found}


@pytest.mark.req("R-15")
def test_redoing_an_earlier_one_brings_the_bytes_of_the_daily_file_back(three: Three) -> None:
    desk, (receipts, states, *_) = three
    desk.et.undo(receipts[1].id)
    desk.et.redo(receipts[1].id)
    assert desk.files == states[3][1]


@pytest.mark.slow
@pytest.mark.req("R-15")
def test_undo_and_redo_again_and_again_lead_nowhere_else(three: Three) -> None:
    desk, (receipts, states, *_) = three
    for _ in range(3):
        for receipt in reversed(receipts):
            desk.et.undo(receipt.id)
        assert desk.files == {}
        assert len(desk.seqs()) == 72
        for receipt in receipts:
            desk.et.redo(receipt.id)
        assert seen(desk) == states[3]


def test_what_was_distilled_again_since_cannot_be_redone_over_it(desk: Desk) -> None:
    desk.talk(0, 20)
    first = desk.ada.distill()
    desk.et.undo(first.id)
    second = desk.ada.distill()
    with pytest.raises(UndoRefused, match="undo the later distillation first"):
        desk.et.redo(first.id)
    desk.et.undo(second.id)
    assert desk.et.redo(first.id).receipt.standing
    assert len(desk.seqs()) == 10


# ---- refusals


@pytest.mark.req("R-15")
def test_a_dry_run_tells_all_and_changes_nothing(three: Three) -> None:
    desk, (receipts, states, *_) = three
    entries = len(desk.et.timeline(desk.ada, limit=10_000))
    told = desk.et.undo(receipts[1].id, dry_run=True)
    assert seen(desk) == states[3]
    assert len(desk.et.timeline(desk.ada, limit=10_000)) == entries
    assert [r.outcome for r in desk.ada.receipts()] == ["ok"] * 3
    done = desk.et.undo(receipts[1].id)
    assert told.dry
    assert not done.dry
    for name in ("messages", "tokens_before", "tokens_after", "limit", "remade"):
        assert getattr(told, name) == getattr(done, name)
    again = desk.et.redo(receipts[1].id, dry_run=True)
    assert again.dry
    assert desk.ada.receipts()[1].outcome == "undone"


@pytest.mark.req("R-15")
@pytest.mark.parametrize("what", ["undo", "redo"])
def test_a_dry_run_leaves_open_what_a_process_left_open(desk: Desk, what: str) -> None:
    """And where one is at work, it says so as the real one would."""
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    if what == "redo":
        desk.et.undo(receipt.id)
    act = getattr(desk.et, what)
    held = receipt._replace(
        key_id=desk.et.house.ids.new(),
        number=None,
        outcome="open",
        closed_ms=None,
        lease_until=desk.clock.now() + 60_000,
    )
    desk.et.house.store.write(lambda r: r.receipts.add(desk.ada.scope, held))
    with pytest.raises(DistillationBusy):
        act(receipt.id, dry_run=True)
    desk.clock.forward(minutes=5)
    entries = len(desk.et.timeline(desk.ada, limit=10_000))
    assert act(receipt.id, dry_run=True).dry
    assert desk.ada.receipts()[0].outcome == "open"
    assert len(desk.et.timeline(desk.ada, limit=10_000)) == entries
    act(receipt.id)
    assert desk.ada.receipts()[0].outcome == "failed"


@pytest.mark.req("R-15", "LA-19")
def test_what_undo_says_of_tokens_is_what_can_be_seen(three: Three) -> None:
    desk, (receipts, *_) = three
    for number in (1, 2, 0):
        before = sum(m.tokens for m in desk.ada.context().history)
        done = desk.et.undo(receipts[number].id)
        after = sum(m.tokens for m in desk.ada.context().history)
        assert (done.tokens_before, done.tokens_after) == (before, after)


@pytest.mark.req("R-15")
@pytest.mark.parametrize("what", ["undo", "redo"])
def test_twice_is_refused(desk: Desk, what: str) -> None:
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    desk.et.undo(receipt.id)
    if what == "redo":
        desk.et.redo(receipt.id)
    state = seen(desk)
    with pytest.raises(UndoRefused, match="undone already" if what == "undo" else "was not undone"):
        getattr(desk.et, what)(receipt.id)
    assert seen(desk) == state


@pytest.mark.req("R-15")
@pytest.mark.parametrize(
    "name", ["", "x", "019c7a90-4080-7001-99a8-7d53ec6d3cc1", "%", "' OR 1=1 --", "\x00"]
)
def test_a_forged_receipt_id_is_unknown_and_changes_nothing(desk: Desk, name: str) -> None:
    desk.talk(0, 20)
    desk.ada.distill()
    state = seen(desk)
    for verb in (desk.et.undo, desk.et.redo, desk.ada.receipt):
        with pytest.raises((ReceiptUnknown, ValueError)):
            verb(name)
    assert seen(desk) == state


def test_another_agents_receipt_is_not_found_by_this_one(desk: Desk) -> None:
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    bob = desk.et.agent("bob")
    with pytest.raises(ReceiptUnknown):
        bob.receipt(receipt.id)
    assert bob.receipts() == []


def test_what_changed_nothing_has_nothing_to_undo(desk: Desk) -> None:
    desk.talk(0, 1)
    refused = desk.ada.distill()
    with pytest.raises(UndoRefused, match="nothing to undo"):
        desk.et.undo(refused.id)


@pytest.mark.req("R-15")
def test_what_would_pass_the_guard_is_refused_and_the_refusal_says_what_fits(opened: Open) -> None:
    with opened(window=8_000) as desk:
        for n in range(35):
            desk.turn(f"{question(n)} {'word ' * 85}", answer(n))
        receipt = desk.ada.distill()
        for n in range(35, 60):
            desk.turn(f"{question(n)} {'word ' * 85}", answer(n))
        state = seen(desk)
        for dry_run in (True, False):
            with pytest.raises(UndoRefused, match=r"guard of 7,200.*tokens can come back"):
                desk.et.undo(receipt.id, dry_run=dry_run)
        assert seen(desk) == state
        assert desk.ada.receipts()[0].outcome == "ok"


def test_undo_waits_for_nobody_who_is_distilling(desk: Desk) -> None:
    desk.talk(0, 20)
    first = desk.ada.distill()
    desk.talk(20, 40)
    caught: list[Exception] = []

    def meanwhile(stage: str) -> None:
        if stage == "summarize":
            try:
                desk.et.undo(first.id)
            except DistillationBusy as busy:
                caught.append(busy)

    assert desk.ada.distill(progress=meanwhile).outcome == "ok"
    assert len(caught) == 1


# ---- afterwards


@pytest.mark.req("R-15")
def test_what_came_back_is_left_alone_for_twenty_messages(opened: Open) -> None:
    with opened(distill_messages=30) as desk:
        desk.talk(0, 15)
        desk.work()
        (receipt,) = desk.ada.receipts()
        desk.et.undo(receipt.id)
        for n in range(15, 24):
            desk.talk(n, n + 1)
            desk.work()
        assert len(desk.ada.receipts()) == 1
        desk.talk(24, 25)
        desk.work()
        assert [r.outcome for r in desk.ada.receipts()] == ["ok", "undone"]
        assert desk.ada.receipts()[0].messages_before == 50


@pytest.mark.req("R-15", "A-5")
def test_the_guard_goes_before_that_exemption(opened: Open) -> None:
    with opened(window=8_000) as desk:
        desk.talk(0, 30)
        receipt = desk.ada.distill()
        desk.et.undo(receipt.id)
        desk.ada.turn("word " * 6_000).done("Long.")
        assert [r.outcome for r in desk.ada.receipts()] == ["degraded", "undone"]
        assert "guard" in fired(desk.ada.receipts()[0])


@pytest.mark.req("R-15", "R-17")
def test_what_people_wrote_in_the_files_survives(desk: Desk) -> None:
    folder = desk.folder / "workspace" / "ada"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_bytes(b"# Mine\r\n\r\nBuy milk.\r\n")
    desk.talk(0, 20)
    before = desk.files
    receipt = desk.ada.distill()
    day = next((folder / "memory").iterdir())
    day.write_text(day.read_text() + "\nMy own line.\n")
    desk.et.undo(receipt.id)
    assert desk.files["ada/MEMORY.md"] == before["ada/MEMORY.md"]
    assert "My own line." in desk.daily
    assert receipt.id not in desk.daily


@pytest.mark.req("R-15")
def test_a_section_that_was_edited_by_hand_is_left_and_that_is_said(desk: Desk) -> None:
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    day = desk.folder / "workspace" / "ada" / "memory" / "2026-02-20.md"
    day.write_text(day.read_text().replace("### Summary", "### Summary\n\nI disagree."))
    done = desk.et.undo(receipt.id)
    assert "I disagree." in desk.daily
    assert any("edited" in warning for warning in done.warnings)
    assert desk.ada.receipts()[0].outcome == "undone"


@pytest.mark.req("R-15")
def test_memory_edited_inside_the_markers_keeps_the_edit(desk: Desk) -> None:
    desk.turn("Never push to main without asking me.", "Understood.")
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    path = desk.folder / "workspace" / "ada" / "MEMORY.md"
    path.write_text(path.read_text().replace("### Rules", "### Rules\n\n- Mine: feed the cat."))
    done = desk.et.undo(receipt.id)
    assert "Mine: feed the cat." in (desk.memory or b"").decode()
    assert b"everthread:begin" not in (desk.memory or b"")
    assert any("edited" in warning for warning in done.warnings)
    assert len(desk.seqs()) == 42


@pytest.mark.req("R-15", "A-40")
def test_undo_goes_on_where_the_files_cannot_be_written(desk: Desk) -> None:
    desk.talk(0, 20)
    receipt = desk.ada.distill()
    folder = desk.folder / "workspace" / "ada"
    folder.rename(desk.folder / "away")
    folder.write_text("in the way")
    done = desk.et.undo(receipt.id)
    assert any("cannot write" in warning for warning in done.warnings)
    assert len(desk.seqs()) == 40
    folder.unlink()
    (desk.folder / "away").rename(folder)
    desk.clock.forward(minutes=2)
    desk.work()
    assert desk.files == {}
    assert desk.intents(receipt) == [("write", "done"), ("withdraw", "done")]


@pytest.mark.req("R-15", "R-42")
def test_shortened_tool_output_comes_back_whole(opened: Open) -> None:
    with opened(window=40_000) as desk:
        desk.tools(0, 1, output="word " * 19_400)
        desk.tools(1, 10)
        before = desk.view()
        desk.work()
        (receipt,) = desk.ada.receipts()
        assert receipt.mode == "shorten"
        short = desk.view()
        assert short != before
        done = desk.et.undo(receipt.id)
        assert desk.view() == before
        assert done.tokens_after == receipt.tokens_before
        desk.et.redo(receipt.id)
        assert desk.view() == short


def cut_and_gone(desk: Desk) -> tuple[bytes, Receipt]:
    """The view when its tool output is cut, and the distillation after which that is gone too."""
    desk.tools(0, 1, output="word " * 19_400)
    desk.tools(1, 10)
    desk.work()
    before = desk.view()
    assert b"cut by Everthread" in before
    receipt = desk.ada.distill()
    assert (receipt.mode, receipt.outcome) == ("full", "ok")
    assert b"cut by Everthread" not in desk.view()
    return before, receipt


@pytest.mark.req("R-15")
def test_messages_that_were_shortened_before_they_went_come_back_short(opened: Open) -> None:
    with opened(window=40_000) as desk:
        before, receipt = cut_and_gone(desk)
        desk.et.undo(receipt.id)
        assert desk.view() == before


@pytest.mark.req("R-15", "LA-19")
def test_what_comes_back_short_weighs_no_more_than_that(opened: Open) -> None:
    with opened(window=40_000) as desk:
        _, receipt = cut_and_gone(desk)
        assert desk.et.undo(receipt.id).tokens_after == receipt.tokens_before


# ---- background


@pytest.mark.req("R-15", "R-10")
def test_a_heartbeats_distillation_can_be_undone_and_redone(desk: Desk) -> None:
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    before = desk.view(beat)
    desk.work()
    (receipt,) = desk.ada.receipts()
    after, files = desk.view(beat), desk.files
    desk.et.undo(receipt.id)
    assert desk.view(beat) == before
    assert desk.files == {}
    desk.et.redo(receipt.id)
    assert desk.view(beat) == after
    assert desk.files == files


@pytest.mark.req("R-15", "R-17")
def test_undoing_a_heartbeats_distillation_leaves_memory_as_it_is(desk: Desk) -> None:
    desk.talk(0, 20)
    desk.ada.distill()
    memory = desk.memory
    assert memory is not None
    beat = desk.ada.thread("heartbeat:noon", kind="background")
    desk.talk(0, 30, beat)
    receipt = desk.ada.distill(thread=beat)
    assert desk.memory == memory
    desk.et.undo(receipt.id)
    assert desk.memory == memory


# ---- time travel


@pytest.mark.req("R-15", "R-42")
def test_what_was_sent_before_an_undo_can_still_be_rebuilt(stored: Desk) -> None:
    sent: dict[int, list[dict[str, Any]]] = {}

    def said(n: int) -> None:
        turn = stored.ada.turn(question(n))
        sent[turn.number] = turn.messages
        turn.done(answer(n))

    for n in range(10):
        said(n)
    first = stored.ada.distill()
    for n in range(10, 20):
        said(n)
    stored.ada.distill()
    said(20)
    stored.et.undo(first.id)
    said(21)
    stored.et.redo(first.id)
    said(22)
    for number, messages in sent.items():
        assert stored.ada.sent(number).messages == messages
        assert stored.ada.context(number).messages == messages
