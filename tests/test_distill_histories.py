"""Whatever is said, distilled, undone, redone, crashed and however the clock runs: nothing is lost.

No message is lost or moved, tool pairs stay whole, one summary is visible and first, the context
stays within its budget, and the chain verifies.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import everthread
from everthread import Everthread
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreClosed, UndoRefused
from everthread.services.distilling.flush import retry
from everthread.services.distilling.lease import sweep_receipts
from everthread.services.distilling.stages import STAGES
from everthread.testing import FrozenClock
from support.desk import SYSTEM, TOOL, Desk, answer, calling, question
from support.desk import settings as chosen
from support.legality import anthropic_problems, openai_problems

SOAK = os.environ.get("EVERTHREAD_SOAK") == "1"
WINDOW = 8_000
LIMIT = WINDOW * 90 // 100
KEY = "heartbeat:noon"

words = st.sampled_from(
    [
        "Never push to main without asking me.",
        "We decided to use PostgreSQL because of its indexes.",
        "Please fix src/app.py, line 88, and run make check.",
        "汉字 🙂",
        "ok",
        "\x00 \ud800",
        "long",
    ]
)
OUTPUT = {
    "short": "found",
    "lines": "line\n" * 60,
    "long": "word " * 1_900,
    "huge": "word " * 5_000,
}


class Distilled(RuleBasedStateMachine):
    """A primary and a background thread, and a model of what must be in them."""

    place = "memory://"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="everthread-"))
        self.clock = FrozenClock()
        self.said: dict[str | None, list[str]] = {None: [], KEY: []}
        self.turns = 0
        self.rendered: dict[int, bytes] = {}
        self.desk = self.opened()

    def opened(self) -> Desk:
        place = str(self.folder / "everthread.db") if self.place == "file" else self.place
        given = chosen(
            self.folder,
            distill_messages=16,
            tail_messages=4,
            background_messages=24,
            body_bytes=256,
            background_keep_days=0,  # what goes for its age is test_purge's
        )
        et = everthread.connect(place, clock=self.clock, settings=given, background=False)
        ada = et.agent("ada", system=SYSTEM, tools=[TOOL], window=WINDOW)
        ada.thread(KEY, kind="background")
        return Desk(et, ada, self.clock, self.folder)

    def teardown(self) -> None:
        self.nothing_is_lost()
        verdict = self.desk.et.verify(self.desk.ada)
        assert verdict.sound, verdict.faults
        self.desk.et.close()
        shutil.rmtree(self.folder)

    # ---- what happens

    @rule(key=st.sampled_from([None, None, KEY]), more=words, count=st.integers(2, 8))
    def talks(self, key: str | None, more: str, count: int) -> None:
        more = "word " * 300 if more == "long" else more
        for _ in range(count):
            self.turns += 1
            self.clock.forward(minutes=1)
            turn = self.desk.ada.turn(f"{question(self.turns)} {more}", thread=key)
            self.checked(turn, key)
            turn.done(answer(self.turns))
            self.said[key] += [f"{question(self.turns)} {more}", answer(self.turns)]

    @rule(
        key=st.sampled_from([None, None, KEY]),
        calls=st.integers(1, 4),
        output=st.sampled_from([*OUTPUT]),
        end=st.sampled_from(["done", "failed", "open"]),
    )
    def works(self, key: str | None, calls: int, output: str, end: str) -> None:
        if key is not None and output in ("long", "huge"):
            return  # a heartbeat keeps twenty messages, however long they are
        self.turns += 1
        turn = self.desk.ada.turn(question(self.turns), thread=key)
        said = [question(self.turns)]
        for n in range(calls):
            name = f"c{self.turns}-{n}"
            if end != "done" and n == calls - 1:
                turn.add(calling(name))
                said.append("")
                break
            turn.add(calling(name)).tool_result(name, OUTPUT[output])
            said += ["", ""]
            if turn.context_tokens > LIMIT - 2_500:
                break
        if end == "done":
            turn.done(answer(self.turns))
            said.append(answer(self.turns))
        elif end == "failed" or turn.open_calls:
            turn.failed("overloaded")
        else:
            turn.failed("left")
        self.said[key] += said

    @initialize(count=st.integers(5, 14), beats=st.integers(8, 13))
    def it_begins(self, count: int, beats: int) -> None:
        self.talks(None, "ok", count)
        self.talks(KEY, "ok", beats)

    @rule(key=st.sampled_from([None, None, KEY]), more=words, first=st.integers(0, 6))
    def distills(self, key: str | None, more: str, first: int) -> None:
        self.talks(key, more, first)
        receipt = self.desk.ada.distill(thread=key)
        assert receipt.outcome in ("ok", "degraded", "refused"), receipt.errors
        self.counts(receipt, key)

    @rule()
    def does_what_is_due(self) -> None:
        before = self.failures()
        self.desk.work()
        assert self.failures() == before

    @precondition(lambda self: self.changed())
    @rule(data=st.data(), what=st.sampled_from(["undo", "undo", "redo"]), dry=st.booleans())
    def takes_back(self, data: st.DataObject, what: str, dry: bool) -> None:
        wanted = [
            r
            for r in self.desk.ada.receipts(limit=1_000)
            if r.standing == (what == "undo") and r.outcome in ("ok", "degraded", "undone")
        ]
        if not wanted:
            return
        receipt = data.draw(st.sampled_from(wanted))
        before = self.desk.view(), self.desk.files
        try:
            done = getattr(self.desk.et, what)(receipt.id, dry_run=dry)
        except UndoRefused:
            assert (self.desk.view(), self.desk.files) == before
            return
        if dry:
            assert (self.desk.view(), self.desk.files) == before
        else:
            assert done.receipt.standing == (what == "redo")
            assert done.warnings == []

    @precondition(lambda self: self.changed())
    @rule(data=st.data())
    def forth_and_back(self, data: st.DataObject) -> None:
        """Undoing the newest and redoing it changes no byte."""
        standing = [r for r in self.desk.ada.receipts(thread=None, limit=1_000) if r.standing]
        newest = [
            max((r for r in standing if r.thread_ref == ref), key=lambda r: r.number or 0)
            for ref in {r.thread_ref for r in standing}
        ]
        if not newest:
            return
        receipt = data.draw(st.sampled_from(sorted(newest, key=lambda r: r.ref)))
        thread = next(t for t in self.desk.ada.threads() if t.ref == receipt.thread_ref)
        before = self.desk.view(thread)
        try:
            self.desk.et.undo(receipt.id)
        except UndoRefused:
            return
        self.desk.et.redo(receipt.id)
        assert self.desk.view(thread) == before

    @rule(hours=st.sampled_from([0.01, 5, 200, -0.01, -1, -30]))
    def time_passes(self, hours: float) -> None:
        self.clock.forward(hours=hours)

    @precondition(lambda self: self.place == "file")
    @rule(stage=st.sampled_from(STAGES))
    def crashes(self, stage: str) -> None:
        """The program is gone without a word: nothing is closed, and a new one begins."""

        def die(at: str) -> None:
            if at == stage:
                dropped(self.desk.et)

        with suppress(StoreClosed):
            self.desk.ada.distill(progress=die)
        dropped(self.desk.et)
        # This process lives on, so only time can tell that nobody is at work any more.
        self.clock.forward(minutes=3)
        self.desk = self.opened()
        sweep_receipts(self.desk.et.house)
        retry(self.desk.et.house)
        assert all(r.outcome != "open" for r in self.desk.ada.receipts(limit=1_000))

    def changed(self) -> bool:
        return any(r.number for r in self.desk.ada.receipts(limit=1_000))

    def failures(self) -> int:
        return sum(r.outcome == "failed" for r in self.desk.ada.receipts(limit=1_000))

    # ---- what must hold

    def checked(self, turn: Any, key: str | None) -> None:
        """What is sent: legal, within the window, and as it can be rebuilt."""
        claude = {"model": "m", "max_tokens": 9, "messages": turn.messages, "tools": turn.tools}
        assert anthropic_problems(claude) == []
        assert openai_problems({"model": "m", **turn.openai()}) == []
        assert turn.context_tokens <= LIMIT
        if key is None:
            self.rendered[turn.number] = json.dumps(turn.messages).encode()

    def counts(self, receipt: Receipt, key: str | None) -> None:
        """A receipt says what can be seen."""
        assert receipt.messages_after == len(self.desk.seqs(self.thread(key)))

    @invariant()
    def one_summary_is_visible_and_first(self) -> None:
        for key in (None, KEY):
            thread = self.thread(key)
            kinds = Counter(m.kind for m in self.desk.ada.context(thread=thread).history)
            standing = [
                r
                for r in self.desk.ada.receipts(thread=thread, limit=1_000)
                if r.standing and r.mode != "shorten"
            ]
            assert kinds["summary"] == (1 if standing else 0)
            if standing:
                first = self.desk.ada.context(thread=thread).history[0]
                assert first.kind == "summary"
                start = "Conversation Summary" if key is None else "Distilled heartbeat session."
                assert first.content.startswith(start)

    @invariant()
    def order_is_kept_and_tool_pairs_are_whole(self) -> None:
        for key in (None, KEY):
            history = self.desk.ada.context(thread=self.thread(key)).history
            seqs = [m.seq for m in history if m.kind == "said"]
            assert seqs == sorted(set(seqs))
            blocks = [b for m in history if m.kind == "said" for b in m.blocks]
            calls = {b["id"] for b in blocks if b["type"] == "tool_use"}
            results = {b["tool_use_id"] for b in blocks if b["type"] == "tool_result"}
            assert results <= calls

    @invariant()
    def nothing_is_lost(self) -> None:
        for key, said in self.said.items():
            thread = self.thread(key)
            stored = self.desk.ada.messages(thread=thread, limit=100_000)
            stored = sorted(stored, key=lambda m: m.seq)
            assert [m.seq for m in stored] == [*range(1, len(stored) + 1)]
            texts = ["" if m.origin == "tool" else m.text for m in stored]
            assert texts == said

    @invariant()
    def what_was_sent_can_be_rebuilt(self) -> None:
        for number in [*self.rendered][-3:]:
            again = self.desk.ada.sent(number).messages
            assert json.dumps(again).encode() == self.rendered[number]

    @invariant()
    def hidden_is_what_the_receipts_say(self) -> None:
        for key in (None, KEY):
            thread = self.thread(key)
            gone = {
                seq
                for r in self.desk.ada.receipts(thread=thread, limit=1_000)
                for first, last in self.desk.ada.receipt(r.id).hidden
                for seq in range(first, last + 1)
            }
            assert gone.isdisjoint(self.desk.seqs(thread))
            assert len(gone) + len(self.desk.seqs(thread)) == len(self.said[key])

    @invariant()
    def files_tell_of_what_stands(self) -> None:
        daily = self.desk.daily
        for receipt in self.desk.ada.receipts(limit=1_000):
            if receipt.mode != "shorten":
                assert (receipt.id in daily) == receipt.standing

    def thread(self, key: str | None) -> Any:
        return (
            self.desk.ada.primary if key is None else self.desk.ada.thread(KEY, kind="background")
        )


def dropped(et: Everthread) -> None:
    """As far as the store can tell, the program is gone."""
    et.leaving.over = True  # and with it who would close what it left
    et.pulse.stop()
    et.house.index.close()
    et.house.store.close()


class DistilledOnDisk(Distilled):
    """The same on disk, where programs die."""

    place = "file"


def explore(machine: type[Distilled], *, examples: int, steps: int) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=500 if SOAK else examples,
            stateful_step_count=steps * (2 if SOAK else 1),
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-15", "R-42", "LA-1", "LA-9", "A-5", "LA-12", "LA-19", "R-7", "X-5")
def test_any_history_with_distillations_stays_whole() -> None:
    explore(Distilled, examples=8, steps=12)


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-15", "R-34", "R-42", "LA-1", "LA-6", "LA-20")
def test_any_history_with_distillations_and_crashes_stays_whole() -> None:
    explore(DistilledOnDisk, examples=6, steps=12)
