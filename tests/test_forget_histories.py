"""Whatever is said, distilled, undone, redone, told by hand and edited: what is forgotten is gone.

By any id that the statement was ever shown under, and for good: no later undo or redo brings it back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

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
from everthread.domain.errors import UndoRefused
from everthread.testing import FrozenClock
from support.desk import Desk, answer, question
from support.desk import settings as chosen
from support.stores import fresh

SOAK = os.environ.get("EVERTHREAD_SOAK") == "1"

WORDS = ("Xylander", "Quorvex", "Bramblewick", "Zanzifort")
SAYING = {
    "Xylander": "I prefer tea from Xylander over coffee.",
    "Quorvex": "Never push to Quorvex without asking me.",
    "Bramblewick": "We decided to use Bramblewick because of its indexes.",
    "Zanzifort": "Always send the ledger to Zanzifort before noon.",
}
ASKED = {
    "Xylander": "Which tea do I prefer over coffee?",
    "Quorvex": "Where may you never push without asking me?",
    "Bramblewick": "What did we decide to use because of its indexes?",
    "Zanzifort": "Where do you send the ledger before noon?",
}
KINDS = {
    "Xylander": "preference",
    "Quorvex": "rule",
    "Bramblewick": "decision",
    "Zanzifort": "rule",
}


class Forgotten(RuleBasedStateMachine):
    """One agent, four statements, and every id that each was ever shown under."""

    engine = "memory"

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="everthread-"))
        self.clock = FrozenClock()
        self.turns = 0
        self.said: set[str] = set()
        self.shown: dict[str, set[str]] = {word: set() for word in WORDS}
        self.gone: set[str] = set()
        self.place = None if self.engine == "memory" else fresh(self.engine, self.folder)
        target = "memory://" if self.place is None else self.place.__enter__().target
        given = chosen(self.folder, distill_messages=10_000, tail_messages=4)
        et = everthread.connect(target, clock=self.clock, settings=given, background=False)
        self.desk = Desk(et, et.agent("ada", window=20_000), self.clock, self.folder)

    def teardown(self) -> None:
        verdict = self.desk.et.verify(self.desk.ada)
        assert verdict.sound, verdict.faults
        self.desk.et.close()
        if self.place is not None:
            self.place.__exit__(None, None, None)
        shutil.rmtree(self.folder)

    # ---- what happens

    def talks(self, count: int) -> None:
        for _ in range(count):
            self.turns += 1
            self.desk.turn(question(self.turns), answer(self.turns))

    @initialize(words=st.sets(st.sampled_from(WORDS), min_size=1))
    def it_begins(self, words: set[str]) -> None:
        for word in sorted(words):
            self.says(word)
        self.talks(12)
        assert self.desk.ada.distill().standing

    @rule(word=st.sampled_from(WORDS))
    def says(self, word: str) -> None:
        if word not in self.gone:  # who says it anew wants it known
            self.said.add(word)
            self.desk.turn(SAYING[word], "Understood.")

    @precondition(lambda self: self.said - self.gone)
    @rule(data=st.data())
    def tells_by_hand(self, data: st.DataObject) -> None:
        word = data.draw(st.sampled_from(sorted(self.said - self.gone)))
        self.desk.ada.remember(SAYING[word], kind=KINDS[word])

    @rule(count=st.integers(6, 10))
    def distills(self, count: int) -> None:
        self.talks(count)
        assert self.desk.ada.distill().outcome in ("ok", "degraded", "refused")

    @rule(data=st.data(), what=st.sampled_from(["undo", "redo"]))
    def takes_back(self, data: st.DataObject, what: str) -> None:
        wanted = [
            r
            for r in self.desk.ada.receipts(limit=1_000)
            if r.outcome in (("ok", "degraded") if what == "undo" else ("undone",))
        ]
        if wanted:
            receipt = data.draw(st.sampled_from(wanted))
            try:
                getattr(self.desk.et, what)(receipt.id)
            except UndoRefused:
                return

    @rule(data=st.data())
    def forth_and_back(self, data: st.DataObject) -> None:
        """Undoing the newest and redoing it leaves the same memories, and none beside them."""
        standing = [r for r in self.desk.ada.receipts(limit=1_000) if r.standing]
        if not standing:
            return
        newest = max(standing, key=lambda r: r.number or 0)
        before = self.kept()
        every = {m.id for m in self.desk.ada.memories(state="all", limit=10_000)}
        try:
            self.desk.et.undo(newest.id)
        except UndoRefused:
            return
        self.clock.forward(hours=data.draw(st.sampled_from([0, 30])))
        self.desk.et.redo(newest.id)
        assert self.kept() == before
        assert {m.id for m in self.desk.ada.memories(state="all", limit=10_000)} == every

    def kept(self) -> dict[str, str]:
        return {m.id: m.text for m in self.desk.ada.memories(limit=10_000)}

    @precondition(lambda self: any(self.shown[word] for word in set(WORDS) - self.gone))
    @rule(data=st.data())
    def forgets(self, data: st.DataObject) -> None:
        word = data.draw(
            st.sampled_from([w for w in WORDS if self.shown[w] and w not in self.gone])
        )
        name = data.draw(st.sampled_from(sorted(self.shown[word])))
        self.desk.ada.forget(name)
        self.gone.add(word)

    # ---- what must hold

    @invariant()
    def every_id_is_noted(self) -> None:
        for memory in self.desk.ada.memories(state="all", limit=10_000):
            for word in WORDS:
                if word in memory.text:
                    self.shown[word].add(memory.id)

    @invariant()
    def one_memory_says_it(self) -> None:
        kept = list(self.kept().values())
        for word in WORDS:
            assert sum(word in text for text in kept) <= 1, kept

    @invariant()
    def what_is_forgotten_is_nowhere(self) -> None:
        ada, et = self.desk.ada, self.desk.et
        if not self.gone:
            return
        rows = et.house.store.read(lambda r: list(r.audit.dump(ada.scope)))
        told = {
            "rows": repr([row for row in rows if row[0] != "messages"]),
            "files": repr(self.desk.files),
            "receipts": repr([ada.receipt(each.id) for each in ada.receipts(limit=1_000)]),
            "summary": ada.context().summary or "",
        }
        for word in self.gone:
            where = [name for name, text in told.items() if word in text]
            assert where == [], (word, where)
            assert word not in repr([hit.text for hit in ada.recall(ASKED[word])])


class ForgottenOnDisk(Forgotten):
    """The same in a file, in `make soak`: above the tables nothing differs from one in memory."""

    engine = "sqlite"


class ForgottenByServer(Forgotten):
    """The same on a server."""

    engine = "postgres"


@pytest.mark.slow
@pytest.mark.soak
@pytest.mark.req("R-15", "R-43")
@pytest.mark.parametrize("machine", [Forgotten, ForgottenByServer, *([ForgottenOnDisk] * SOAK)])
def test_what_is_forgotten_by_any_of_its_ids_stays_gone(machine: type[Forgotten]) -> None:
    # A server takes three times as long for the same steps.
    usual = 3 if machine is ForgottenByServer else 6
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=300 if SOAK else usual,
            stateful_step_count=20 if SOAK else 10,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
