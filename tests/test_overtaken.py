"""What was said before does not take the place of what was said since, however late it is distilled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread
from everthread.domain.memory.memories import sources_text
from everthread.services.distilling.learn import compare, learn, unlearn
from everthread.services.memory.remember import Wish, prepare, settle
from everthread.testing import FrozenClock
from support.stores import ABOVE, fresh

pytestmark = pytest.mark.req("LA-18", "R-15")

SAID, SINCE = "The staging port is 8123.", "The staging port is 9000."
ASKED = "What is the staging port?"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock()


@pytest.fixture(params=ABOVE)
def et(request: pytest.FixtureRequest, tmp_path: Path, clock: FrozenClock) -> Iterator[Everthread]:
    settings = everthread.Settings(score_seconds=0.0, embedder="off")
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, background=False, clock=clock, settings=settings) as found,
    ):
        yield found


def talk(agent: Agent, first: str) -> None:
    for said in (first, *(f"Please look at module {n}, it is slow." for n in range(12))):
        agent.turn(said).done("I looked at it and all is well.")


@pytest.fixture
def ada(et: Everthread, clock: FrozenClock) -> Agent:
    """The port was told, and much else; nothing is distilled yet."""
    agent = et.agent("ada", window=10_000)
    talk(agent, SAID)
    clock.forward(hours=1)
    return agent


def states(agent: Agent) -> list[tuple[str, str]]:
    found = agent.memories(state="all", limit=999)
    return sorted((m.text, m.state) for m in found if "staging port" in m.text)


HOLDS = [(SAID, "superseded"), (SINCE, "kept")]


def test_what_is_distilled_late_stands_below_what_was_told_since(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    """It is kept as superseded: looked up, and ranked below."""
    since = ada.remember(SINCE)
    clock.forward(hours=1)
    ada.distill()
    assert states(ada) == HOLDS
    (old,) = [m for m in ada.memories(state="superseded") if m.text == SAID]
    assert old.superseded_by == since.id and old.sources
    first, *others = ada.recall(ASKED)
    assert first.text == SINCE
    assert all(hit.superseded for hit in others if hit.text == SAID)
    assert et.verify(ada).faults == []


def test_undoing_takes_it_back_and_redoing_brings_it_in_the_same_row(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    ada.remember(SINCE)
    clock.forward(hours=1)
    receipt = ada.distill()
    for _ in range(2):
        clock.forward(hours=1)
        et.undo(receipt.id)
        assert states(ada) == HOLDS
        assert not any(hit.superseded for hit in ada.recall(ASKED)), "as it was before"
        clock.forward(hours=1)
        et.redo(receipt.id)
        assert states(ada) == HOLDS
        assert ada.recall(ASKED)[0].text == SINCE


def test_redoing_does_not_bring_back_what_was_corrected_since(
    et: Everthread, ada: Agent, clock: FrozenClock
) -> None:
    receipt = ada.distill()
    for value in ("9000", "9100"):
        clock.forward(hours=1)
        ada.remember(f"The staging port is {value}.")
    now = [(SAID, "superseded"), (SINCE, "superseded"), ("The staging port is 9100.", "kept")]
    assert states(ada) == now
    clock.forward(hours=1)
    et.undo(receipt.id)
    clock.forward(hours=1)
    et.redo(receipt.id)
    assert states(ada) == now
    assert ada.recall(ASKED)[0].text == "The staging port is 9100."


def test_what_is_said_after_it_was_told_takes_its_place(ada: Agent, clock: FrozenClock) -> None:
    ada.remember(SINCE)
    clock.forward(hours=1)
    talk(ada, "The staging port is 8124.")
    clock.forward(hours=1)
    ada.distill()
    assert ("The staging port is 8124.", "kept") in states(ada)
    assert (SINCE, "superseded") in states(ada)


def test_a_machine_that_speaks_later_overtakes_nobody(ada: Agent, clock: FrozenClock) -> None:
    """Both stand, as they would had they been learnt in their order."""
    ada.remember(SINCE, origin="agent")
    clock.forward(hours=1)
    ada.distill()
    assert states(ada) == [(SAID, "kept"), (SINCE, "kept")]


def test_what_was_said_long_ago_counts_from_then_however_late_it_is_brought(
    et: Everthread, clock: FrozenClock
) -> None:
    bob = et.agent("bob")
    bob.remember(SINCE)
    clock.forward(hours=1)
    bob.record([{"role": "user", "content": SAID, "at": "2020-05-01T10:00:00Z"}])
    key = bob.messages()[-1].key
    drawn = prepare(et.house, Wish(SAID))._replace(sources_json=sources_text([key]))
    told = et.house.store.write(lambda records: settle(records, bob.scope, drawn, drawn=True))
    assert told.outcome == "overtaken"
    assert states(bob) == HOLDS


def draw_late(
    et: Everthread, agent: Agent, said: str, at: str = "2020-05-01T10:00:00Z"
) -> Sequence[Mapping[str, Any]]:
    """Something that was said long ago is brought and drawn now; what that did."""
    agent.record([{"role": "user", "content": said, "at": at}])
    key = next(m.key for m in agent.messages(limit=999) if m.text == said)
    drawn = prepare(et.house, Wish(said))._replace(sources_json=sources_text([key]))
    compared = compare(et.house, agent.scope, [drawn], lambda: None)
    found = et.house.store.write(lambda records: learn(records, agent.scope, compared))
    assert not found.memories and found.effects
    return found.effects


def test_undoing_the_later_word_lets_the_earlier_stand_again(
    et: Everthread, clock: FrozenClock
) -> None:
    """Whichever was drawn first, undoing the one leaves the other as what is so; redoing ends that."""
    bob = et.agent("bob", window=10_000)
    talk(bob, SINCE)
    clock.forward(hours=1)
    receipt = bob.distill()
    draw_late(et, bob, SAID)
    assert states(bob) == HOLDS
    for _ in range(2):
        clock.forward(hours=1)
        undone = et.undo(receipt.id)
        assert states(bob) == [(SAID, "kept"), (SINCE, "superseded")]
        assert any(hit.text == SAID and not hit.superseded for hit in bob.recall(ASKED))
        assert undone.memories >= 2
        clock.forward(hours=1)
        redone = et.redo(receipt.id).receipt
        assert states(bob) == HOLDS
        changed = {each["memory"] for each in redone.detail["effects"]}
        assert {m.key_id.hex() for m in bob.memories(state="superseded")} <= changed
        assert bob.recall(ASKED)[0].text == SINCE
    assert et.verify(bob).faults == []


def test_undoing_lets_only_the_last_of_the_earlier_words_stand_again(
    et: Everthread, clock: FrozenClock
) -> None:
    """One that was replaced comes back, and what is older than it, or says the same, stays below it."""
    between = "The staging port is 8500."
    bob = et.agent("bob", window=10_000)
    bob.remember(between)
    clock.forward(hours=1)
    talk(bob, SINCE)
    clock.forward(hours=1)
    receipt = bob.distill()
    draw_late(et, bob, SAID)
    draw_late(et, bob, between, at="2020-06-01T10:00:00Z")
    clock.forward(hours=1)
    et.undo(receipt.id)
    stand = [(SAID, "superseded"), (between, "kept"), (between, "superseded")]
    assert states(bob) == [*stand, (SINCE, "superseded")]
    assert len(bob.memories(state="superseded")) == 3
    assert all(hit.superseded for hit in bob.recall(ASKED) if hit.text == SAID)


def test_undoing_what_came_overtaken_takes_it_back_although_it_stands_since(
    et: Everthread, clock: FrozenClock
) -> None:
    """What overtook it was undone first; then neither stands."""
    bob = et.agent("bob", window=10_000)
    talk(bob, SINCE)
    clock.forward(hours=1)
    receipt = bob.distill()
    effects = json.dumps({"effects": draw_late(et, bob, SAID)})
    other = receipt._replace(key_id=et.house.ids.new(), detail_json=effects)
    clock.forward(hours=1)
    et.undo(receipt.id)
    now = et.house.clock.now()
    taken = et.house.store.write(lambda records: unlearn(records, bob.scope, other, now=now))
    assert (taken.touched, taken.left) == (1, {})
    assert states(bob) == [(SAID, "superseded"), (SINCE, "superseded")]
