"""What is forgotten goes under every id it was ever shown by, also after undoing and redoing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import everthread
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.memory.memories import Memory
from everthread.services.forgetting.forget import forget
from everthread.services.memory.remember import Wish, prepare
from everthread.testing import FrozenClock
from support.stores import ABOVE, EACH, Place, fresh

pytestmark = pytest.mark.req("R-15", "R-43")

SAID = "I prefer tea from Xylander over coffee."
WORD = "Xylander"
ASKED = "Which tea do I prefer over coffee?"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=ABOVE)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def files(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture
def et(place: Place, files: Path, clock: FrozenClock) -> Iterator[everthread.Everthread]:
    settings = everthread.Settings(workspace=str(files), score_seconds=0.0, embedder="off")
    with everthread.connect(
        place.target, background=False, clock=clock, settings=settings
    ) as found:
        yield found


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada", window=10_000)


def talk(agent: everthread.Agent, first: int, count: int = 10) -> None:
    for n in range(first, first + count):
        agent.turn(
            f"We decided to keep module {n} as it is, because the parser needs it. Look at src/part{n}.py."
        ).done(f"I looked at src/part{n}.py and ran pytest -k part{n}: 4 passed.")


def told(agent: everthread.Agent, clock: FrozenClock) -> Receipt:
    """What is to be forgotten is said, and distilled."""
    agent.turn(SAID).done("Noted.")
    talk(agent, 0)
    clock.forward(hours=1)
    receipt = agent.distill()
    assert receipt.standing, receipt.errors
    return receipt


def saying(agent: everthread.Agent, state: str = "kept") -> list[Memory]:
    found = [m for m in agent.memories(state=state, limit=999) if WORD in m.text]
    return sorted(found, key=lambda memory: memory.ref)


def back_and_forth(et: everthread.Everthread, receipt: Receipt, clock: FrozenClock) -> None:
    clock.forward(hours=24)
    et.undo(receipt.id)
    clock.forward(hours=24)
    et.redo(receipt.id)


def assert_unsaid(et: everthread.Everthread, agent: everthread.Agent, files: Path) -> None:
    """No word of it anywhere but in the message that said it."""
    rows = et.house.store.read(lambda r: list(r.audit.dump(agent.scope)))
    assert [row for row in rows if row[0] != "messages" and WORD in repr(row)] == []
    assert [str(p) for p in files.rglob("*.md") if WORD in p.read_text()] == []
    assert WORD not in repr([agent.receipt(each.id) for each in agent.receipts()])
    assert WORD not in (agent.context().summary or "")
    assert WORD not in repr(agent.recall(ASKED))
    turn = agent.turn(ASKED)
    block = json.dumps(turn.messages[-1])
    turn.failed()
    assert WORD not in block
    assert et.verify(agent).faults == []


@pytest.mark.parametrize("place", EACH, indirect=True)
def test_redoing_brings_the_same_memories_back(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    """Under the same ids, as they were: nobody said anything again."""
    ada.remember("We decided to keep module 3 as it is, because the parser needs it.")
    receipt = told(ada, clock)
    before = sorted(ada.memories(limit=999))
    undone = et.undo(receipt.id)
    (gone,) = saying(ada, "superseded")
    assert gone.superseded_by == receipt.id
    clock.forward(hours=24)
    redone = et.redo(receipt.id)
    after = sorted(ada.memories(limit=999))
    assert [m._replace(entry=0) for m in after] == [m._replace(entry=0) for m in before]
    assert undone.memories == redone.memories > 0
    assert saying(ada, "all") == saying(ada)
    (version,) = ada.history(gone.id)
    events = [entry.event for entry in version.events]
    assert events == ["memory.kept", "memory.retracted", "memory.restored"]
    assert et.verify(ada).faults == []
    # And back again, and again.
    for _ in range(2):
        assert et.undo(receipt.id).memories == undone.memories
        assert saying(ada) == []
        assert et.redo(receipt.id).memories == undone.memories
    assert [m._replace(entry=0) for m in sorted(ada.memories(limit=999))] == [
        m._replace(entry=0) for m in before
    ]


def test_distilling_anew_what_was_undone_brings_the_same_memory_back(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, files: Path
) -> None:
    receipt = told(ada, clock)
    (first,) = saying(ada)
    et.undo(receipt.id)
    clock.forward(hours=24)
    again = ada.distill()
    assert again.standing and again.id != receipt.id
    assert [m.id for m in saying(ada, "all")] == [first.id]
    et.undo(again.id)
    (gone,) = saying(ada, "superseded")
    assert gone.superseded_by == again.id
    et.redo(receipt.id)
    assert [m.id for m in saying(ada)] == [first.id]
    ada.forget(first.id)
    assert_unsaid(et, ada, files)


@pytest.mark.parametrize("which", ["before", "after"])
def test_any_id_it_was_shown_by_forgets_it(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, files: Path, which: str
) -> None:
    receipt = told(ada, clock)
    shown = {"before": saying(ada)[0].id}
    back_and_forth(et, receipt, clock)
    shown["after"] = saying(ada)[0].id
    ada.turn(ASKED).done("Tea.")
    ada.forget(shown[which])
    assert_unsaid(et, ada, files)
    back_and_forth(et, receipt, clock)
    assert_unsaid(et, ada, files)


@pytest.mark.parametrize("which", ["old", "new"])
def test_twins_that_were_kept_apart_go_together(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, files: Path, which: str
) -> None:
    """Stores from before have a twin for each redo: a row of its own from the same message."""
    receipt = told(ada, clock)
    (old,) = saying(ada)
    et.undo(receipt.id)
    new = twin(et, ada, old)
    assert [m.id for m in saying(ada, "all")] == [old.id, new.id]
    done = forget(et.house, ada.row, old.id if which == "old" else new.id)
    assert done.versions == 2
    assert saying(ada, "all") == []
    et.redo(receipt.id)
    assert_unsaid(et, ada, files)


def twin(et: everthread.Everthread, agent: everthread.Agent, old: Memory) -> Memory:
    made = prepare(et.house, Wish(old.text, kind=old.kind))
    made = made._replace(sources_json=old.sources_json, receipt_ref=old.receipt_ref)
    return et.house.store.write(lambda r: r.memories.add(agent.scope, made))


@pytest.mark.parametrize("which", ["drawn", "told"])
def test_what_was_told_while_it_was_undone_is_the_same_statement(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, files: Path, which: str
) -> None:
    receipt = told(ada, clock)
    (drawn,) = saying(ada)
    et.undo(receipt.id)
    by_hand = ada.remember(SAID, kind="preference")
    ada.forget(drawn.id if which == "drawn" else by_hand.id)
    assert_unsaid(et, ada, files)
    et.redo(receipt.id)
    assert_unsaid(et, ada, files)


@pytest.mark.parametrize("place", EACH, indirect=True)
def test_a_redo_over_what_was_told_meanwhile_leaves_one_statement_to_forget(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, files: Path
) -> None:
    receipt = told(ada, clock)
    (drawn,) = saying(ada)
    et.undo(receipt.id)
    ada.remember(SAID, kind="preference")
    et.redo(receipt.id)
    assert len(saying(ada)) == 1
    ada.forget(drawn.id)
    assert_unsaid(et, ada, files)


def test_the_same_words_of_another_person_or_project_stay(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock, tmp_path: Path
) -> None:
    told(ada, clock)
    (drawn,) = saying(ada)
    ben = ada.remember(SAID, kind="preference", principal="ben")
    here = ada.remember(SAID, kind="preference", scope="project", project=str(tmp_path))
    ada.forget(drawn.id)
    assert {m.id for m in saying(ada)} == {ben.id, here.id}


def test_an_edit_of_what_was_undone_says_how_it_comes_back(
    et: everthread.Everthread, ada: everthread.Agent, clock: FrozenClock
) -> None:
    receipt = told(ada, clock)
    (drawn,) = saying(ada)
    et.undo(receipt.id)
    with pytest.raises(everthread.errors.MemoryRefused, match=f"redo {receipt.id}"):
        ada.edit(drawn.id, "I prefer water.")
