"""What reached user-wide is forgotten with other agents too: what is the same, and the same person's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.receipts import summary_message
from everthread.domain.forgetting.restatements import Restatements, memory_to_forget
from everthread.domain.jobs import Job
from everthread.domain.memory.memories import Memory, new_memory, sources_text
from everthread.domain.text.sayings import likeness_of
from everthread.domain.times import HOUR, moment_of
from everthread.jobs.worker import Worker
from everthread.ports import Records
from everthread.services.forgetting.forget import forget
from everthread.services.job_names import ERASURE, SETTLE, UNSHARE
from everthread.testing import FrozenClock
from support.stores import EACH, Place, fresh

pytestmark = pytest.mark.req("R-43")

T = TypeVar("T")

SAID = "I am allergic to walnuts."
LONGER = "Kitchen notes: I am allergic to walnuts. The plumber is Mrs Ott, at the blue cupboard."


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(place: Place, tmp_path: Path) -> Iterator[everthread.Everthread]:
    settings = everthread.Settings(
        workspace=str(tmp_path / "files"), score_seconds=0.0, recall="off", embedder="off"
    )
    with everthread.connect(place.target, background=False, settings=settings) as engine:
        yield engine
        for agent in engine.agents():
            assert engine.verify(agent).faults == []


@pytest.fixture
def ada(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("ada", window=10_000)


@pytest.fixture
def bob(et: everthread.Everthread) -> everthread.Agent:
    return et.agent("bob", window=10_000)


def said(agent: everthread.Agent, text: str, principal: str | None) -> Message:
    agent.turn(text, principal=principal).done("Noted.")
    return next(m for m in agent.messages(limit=9) if m.text == text and m.principal == principal)


def kept(agent: everthread.Agent) -> set[tuple[str, str | None]]:
    return {(m.text, m.principal) for m in agent.memories(limit=99)}


def withheld(et: everthread.Everthread, agent: everthread.Agent) -> Mapping[bytes, str]:
    return et.house.store.read(lambda r: r.memories.withheld(agent.scope))


def test_a_note_of_the_same_goes_too_and_what_may_still_say_it_is_named(
    ada: everthread.Agent,
) -> None:
    memory = ada.remember(SAID)
    same = ada.note("I am allergic to walnuts")
    longer = ada.note(LONGER)
    wide = ada.remember("Allergic to walnuts since school", scope="user")
    ada.note("The plumber comes on Monday")
    left = ada.forget(memory.id)
    assert {hit.id for hit in left} == {longer.id, wide.id}
    assert same.id not in {note.id for note in ada.notes()}
    assert [hit.text for hit in ada.recall("I am allergic to walnuts", limit=9)] == [
        hit.text for hit in left
    ]
    assert ada.forget(memory.id) == []


def test_what_a_person_noted_stays_where_an_agents_word_is_forgotten(ada: everthread.Agent) -> None:
    memory = ada.remember(SAID, origin="agent")
    note = ada.note(SAID, origin="user")
    assert [hit.id for hit in ada.forget(memory.id)] == [note.id]
    assert [each.id for each in ada.notes()] == [note.id]


def test_what_tells_its_code_alone_is_named(ada: everthread.Agent) -> None:
    memory = ada.remember("My locker combination is zanzibar-77")
    for text in ("It is zanzibar-77.", "Zanzibar is lovely.", "Row 77 is full."):
        ada.record([{"role": "assistant", "content": text}])
    assert [hit.text for hit in ada.forget(memory.id)] == ["It is zanzibar-77."]


def found(agent: everthread.Agent, principal: str | None) -> bool:
    hits = agent.recall("who is allergic to walnuts?", principal=principal)
    return any("walnuts" in hit.text for hit in hits)


# ---- whose memories go


def test_only_the_same_statement_of_the_same_person_goes(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    bob.remember("i am ALLERGIC to walnuts", principal="anna")
    bob.remember(LONGER, principal="anna")
    for other in ("ben", None):
        bob.remember(SAID, principal=other)
    ada.remember(SAID, principal="carl")
    mine = ada.remember(SAID, scope="user", principal="anna")
    done = forget(et.house, ada.row, mine.id)
    assert kept(ada) == {(SAID, "carl")}
    assert kept(bob) == {(LONGER, "anna"), (SAID, "ben"), (SAID, None)}
    assert (done.versions, done.beside, done.withheld, done.out) == (1, 1, 0, True)


def test_what_an_agent_keeps_to_itself_takes_nothing_from_others(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    bob.remember(SAID)
    assert forget(et.house, ada.row, ada.remember(SAID).id).beside == 0
    assert kept(bob) == {(SAID, None)}


@pytest.mark.req("R-44")
def test_nobody_loses_what_they_said_to_another_agent(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    told = said(bob, SAID, "ben")
    bob.remember(SAID, principal="ben", sources=[told], kind="identity")
    forget(et.house, ada.row, ada.remember(SAID, scope="user", principal="anna").id)
    assert found(bob, "ben")
    assert withheld(et, bob) == {}


@pytest.mark.req("R-44")
def test_nobody_loses_what_they_said_to_the_same_agent(
    et: everthread.Everthread, ada: everthread.Agent
) -> None:
    """Though it says the same: hers is found no more, his is."""
    his, hers, open_to_all = (said(ada, SAID, who) for who in ("carl", "anna", None))
    done = forget(et.house, ada.row, ada.remember(SAID, principal="anna").id)
    assert withheld(et, ada) == {hers.key: "forgotten", open_to_all.key: "forgotten"}
    assert his.key not in withheld(et, ada) and found(ada, "carl")
    assert done.withheld == 2


def test_what_went_elsewhere_is_counted_with_the_messages_it_came_from(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    first, second = said(bob, SAID, None), said(bob, "Yes, walnuts, as I said.", None)
    theirs = said(bob, f"Ben says: {SAID}", "ben")
    bob.remember(SAID, sources=[first])
    bob.remember(f"[food]: {SAID}", sources=[second], kind="identity", principal="anna")
    mine = ada.remember(SAID, scope="user", sources=[said(ada, SAID, None)])
    done = forget(et.house, ada.row, mine.id)
    assert kept(bob) == {(SAID, "anna")}
    assert (done.versions, done.beside, done.withheld) == (1, 1, 2)
    assert withheld(et, bob) == {first.key: "forgotten"}
    assert theirs.key not in withheld(et, bob)
    again = forget(et.house, ada.row, mine.id)
    assert (again.versions, again.beside) == (0, 0)


def test_a_source_that_another_person_said_is_not_withheld(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    own, bens = said(bob, SAID, "anna"), said(bob, "Anna is allergic to walnuts!", "ben")
    bob.remember(SAID, principal="anna", sources=[own, bens])
    forget(et.house, ada.row, ada.remember(SAID, scope="user", principal="anna").id)
    assert kept(bob) == set()
    assert withheld(et, bob) == {own.key: "forgotten"}
    assert any("walnuts!" in hit.text for hit in bob.recall("allergic", principal="ben"))


def test_whose_it_is_tell_its_messages_where_nobody_put_that_down(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    bens = bob.remember(SAID, sources=[said(bob, SAID, "ben")])
    forget(et.house, ada.row, ada.remember(SAID, scope="user").id)
    assert [m.id for m in bob.memories()] == [bens.id]
    forget(et.house, ada.row, ada.remember(SAID, scope="user", principal="ben").id)
    assert bob.memories() == []


# ---- what is made of it


def test_neither_undo_nor_redo_brings_it_back(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    rule = "Always send the ledger to Xylander before noon."
    bob.turn(rule).done("Understood.")
    for n in range(10):
        bob.turn(f"We decided to keep module {n} as it is. Look at src/part{n}.py.").done(
            f"I looked at src/part{n}.py and ran pytest -k part{n}: 4 passed, as it was before."
        )
    receipt = bob.distill()
    assert receipt.standing, receipt.errors
    assert "Xylander" in repr(bob.memories(limit=99))
    done = forget(et.house, ada.row, ada.remember(rule, kind="rule", scope="user").id)
    assert (done.beside, done.withheld) == (1, 1)
    for turned in (et.undo, et.redo, et.undo):
        turned(receipt.id)
        assert "Xylander" not in repr(bob.memories(limit=99, state="all"))
        assert "Xylander" not in (bob.context().summary or "")
        assert et.verify(bob).faults == []


# ---- meanwhile


class Watched:
    """The store; before its second transaction, and each that follows, something is done."""

    def __init__(self, et: everthread.Everthread, first: Callable[[], object]) -> None:
        self._store = et.house.store
        self._first = first
        self.writes = 0

    def write(self, work: Callable[[Records], T]) -> T:
        self.writes += 1
        if self.writes > 1:
            self._first()
        return self._store.write(work)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_what_comes_while_it_is_looked_for_goes_too(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    known = bob.remember(SAID)

    def meanwhile() -> None:
        if len(bob.memories(state="all")) == 1:
            bob.edit(known.id, "I am allergic to hazelnuts, and to almonds since last year.")
            bob.remember(SAID)

    mine = ada.remember(SAID, scope="user")
    watched = Watched(et, meanwhile)
    done = forget(replace(et.house, store=watched), ada.row, mine.id)
    assert watched.writes > 1
    assert [m.text for m in bob.memories(limit=9)] == [
        "I am allergic to hazelnuts, and to almonds since last year."
    ]
    assert SAID not in repr(bob.memories(limit=9, state="all"))
    assert done.beside == 2


def test_the_log_is_emptied_after_the_last_row_has_changed(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    """A worker may have settled the store between two agents."""
    bob.remember(SAID)
    mine = ada.remember(SAID, scope="user")
    store = et.house.store

    def settled() -> None:
        if bob.memories():
            store.write(lambda r: r.jobs.cancel(SETTLE, once=ERASURE))

    forget(replace(et.house, store=Watched(et, settled)), ada.row, mine.id)
    assert bob.memories() == []
    assert store.read(lambda r: r.jobs.waits(SETTLE, once=ERASURE))


# ---- the rule


def memory(text: str, principal: str | None, *sources: bytes) -> Memory:
    made = new_memory(b"m" * 16, text, kind="fact", origin="user", now=0)
    return made._replace(principal=principal, sources_json=sources_text(sources))


def test_what_the_agent_itself_drew_besides_goes_too(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    """For other readers it is a memory of its own; to be found by it would be to have forgotten nothing."""
    message = said(ada, SAID, None)
    ada.remember(SAID, sources=[message])
    ada.remember(SAID, principal="ben")
    ada.remember(LONGER)
    mine = ada.remember(SAID, scope="user")
    done = forget(et.house, ada.row, mine.id)
    assert kept(ada) == {(SAID, "ben"), (LONGER, None)}
    assert (done.versions, done.beside, done.withheld) == (1, 1, 1)
    assert withheld(et, ada) == {message.key: "forgotten"}


# ---- what a process that ends leaves behind


def asked(et: everthread.Everthread) -> list[Job]:
    return [job for job in et.house.store.read(lambda r: r.jobs.all()) if job.kind == UNSHARE]


def test_who_ends_before_others_have_forgotten_it_has_asked_a_job_for_that(
    et: everthread.Everthread,
    ada: everthread.Agent,
    bob: everthread.Agent,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The agent's own was forgotten, and the process was killed: the others' is forgotten all the same."""
    bob.remember(SAID, principal="anna")
    bob.remember(LONGER, principal="anna")
    mine = ada.remember(SAID, scope="user", principal="anna")

    def killed(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr("everthread.services.forgetting.forget.unshare", killed)
        with pytest.raises(SystemExit):
            ada.forget(mine.id)
    assert kept(ada) == set()
    assert kept(bob) == {(SAID, "anna"), (LONGER, "anna")}
    assert len(asked(et)) == 1
    clock = FrozenClock(moment_of(et.house.clock.now() + HOUR))
    worker = Worker(replace(et.house, clock=clock), duties=())
    while worker.step():
        pass
    assert kept(bob) == {(LONGER, "anna")}
    assert asked(et) == []


def test_who_has_seen_to_it_leaves_no_word_in_a_job(
    et: everthread.Everthread, ada: everthread.Agent, bob: everthread.Agent
) -> None:
    bob.remember(SAID, principal="anna")
    ada.forget(ada.remember(SAID, scope="user", principal="anna").id)
    assert kept(bob) == set()
    assert asked(et) == []


def heard(principal: str | None) -> Message:
    return summary_message("words", 3)._replace(principal=principal)


_WORDS = """
    walnuts walnut parties party I my am is not no longer over instead of allergic to Straße STRASSE 8081
    好 不 Remember: actually, İ user’s the. Yes!
"""
WORDS = _WORDS.split()
texts = st.one_of(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), st.text(max_size=20))


@given(texts, texts, st.sampled_from([None, "anna"]))
@example("I am allergic to walnuts.", "Allergic to walnut!", "anna")
@example("x " * 1_500, "X " * 1_500, None)
@example("tabs over spaces", "tabs instead of spaces", None)
def test_a_quick_look_misses_nothing_that_is_the_same(
    gone: str, text: str, principal: str | None
) -> None:
    same = bool(gone) and likeness_of(text, gone, cased=False) == "same"
    persons = Restatements([memory(gone, principal)]).persons(memory(text, "ben"))
    assert persons == ({principal} if same else set())


KEYS = [bytes([n]) * 16 for n in range(4)]
people = st.sampled_from([None, "anna", "ben"])


@given(people, st.lists(people, max_size=4), people)
def test_nothing_of_another_person_goes(
    whose: str | None, speakers: list[str | None], person: str | None
) -> None:
    messages = {key: heard(speaker) for key, speaker in zip(KEYS, speakers, strict=False)}
    named = {speaker for speaker in speakers if speaker is not None}
    went = memory_to_forget(memory(SAID, whose, *messages), messages, {person})
    owner = whose or (named.pop() if len(named) == 1 else None)
    assert (went is not None) == (owner == person)
    if went is not None:
        spared = [key for key, one in messages.items() if one.principal not in (None, person)]
        assert list(went.sources) == [key for key in messages if key not in spared]
