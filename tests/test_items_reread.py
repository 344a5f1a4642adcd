"""A session that is extracted several times is not read from its beginning each time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.sessions import Session
from everthread.services.harness import earlier_items
from everthread.services.harness.checkpoint import write_checkpoint
from everthread.services.harness.extract import extract, extract_until
from everthread.testing import FrozenClock

ROBES = "The robes need washing before the concert on the 12th."
WASHED = "The robes are washed, Sven did it yesterday."


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect("memory://", clock=clock, background=False) as engine:
        yield engine


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of messages that were held against what earlier sessions left open."""
    texts = list[str]()
    plain = earlier_items.own_words

    def noted(message: Message) -> str:
        texts.append(message.text)
        return plain(message)

    monkeypatch.setattr(earlier_items, "own_words", noted)
    return texts


def left_open(ada: Agent, clock: FrozenClock, text: str = ROBES) -> None:
    say(ada, clock, "Good morning.", text)
    assert ada.conclude_session(ada.end_session())
    clock.forward(hours=24)


def say(ada: Agent, clock: FrozenClock, *texts: str) -> Session:
    for text in texts:
        clock.forward(minutes=1)
        ada.record([{"role": "user", "content": text}])
    return ada.sessions(limit=1)[0]


def compacted(et: Everthread, ada: Agent, session: Session) -> None:
    made, _ = write_checkpoint(et.house, ada.row, session, "pre_compaction", pause=lambda: None)
    assert made is not None
    extract(et.house, ada.row, session, made, lambda: None)


def open_items(ada: Agent) -> list[str]:
    return [m.text for m in ada.memories(kind="open_item") if m.valid_to is None]


def test_each_checkpoint_reads_what_came_since_the_last(
    et: Everthread, ada: Agent, clock: FrozenClock, read: list[str]
) -> None:
    left_open(ada, clock)
    read.clear()
    for n in range(4):
        session = say(ada, clock, f"Bed {n} is dry.", f"Bed {n} was watered.")
        compacted(et, ada, session)
    assert read == [f"Bed {n} {what}" for n in range(4) for what in ("is dry.", "was watered.")]
    session = say(ada, clock, WASHED)
    read.clear()
    compacted(et, ada, session)
    assert read == [WASHED] and ROBES not in open_items(ada)


def test_so_does_the_end_of_the_session(
    et: Everthread, ada: Agent, clock: FrozenClock, read: list[str]
) -> None:
    left_open(ada, clock)
    compacted(et, ada, say(ada, clock, "Bed 1 is dry."))
    session = say(ada, clock, WASHED)
    read.clear()
    extract_until(et.house, ada.scope, session.ref, session.last_seq, lambda: None)
    assert read == [WASHED] and ROBES not in open_items(ada)


def test_what_was_remembered_since_is_held_against_all_of_it(
    et: Everthread, ada: Agent, clock: FrozenClock, read: list[str]
) -> None:
    """An earlier session may be seen to late: what it left open is known only then."""
    say(ada, clock, "Good morning.", ROBES)
    early = ada.end_session()
    clock.forward(hours=24)
    compacted(et, ada, say(ada, clock, "Good morning.", WASHED))
    assert ada.conclude_session(early)
    assert open_items(ada) == [ROBES]
    session = say(ada, clock, "Bed 1 is dry.")
    read.clear()
    compacted(et, ada, session)
    assert (read, open_items(ada)) == (["Good morning.", WASHED, "Bed 1 is dry."], [])
