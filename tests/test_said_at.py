"""A memory is dated by when it was said, not by when it was distilled: it may speak of "tomorrow"."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from everthread.domain.agents import Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.memory.memories import Memory, new_memory, sources_text
from everthread.domain.times import DAY, HOUR, moment_of
from everthread.ports import Records
from everthread.services.memory.provenance import said_times
from everthread.testing import FrozenClock
from support.desk import Desk, desk_in

ORDER = "Please order food for the carp, the vet comes tomorrow to look at them."
PUT_OFF = "I cannot do that yet: the shop is closed. I will do it later."
SAID, DISTILLED = "2026-02-03 08:16", "2026-02-20"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path, clock=FrozenClock("2026-02-03T08:15:00Z")) as found:
        yield found


def told(desk: Desk) -> None:
    """The order, so much after it that a distillation is worth it, and that days later."""
    desk.turn(ORDER, PUT_OFF)
    desk.talk(0, 12)
    desk.clock.forward(hours=17 * 24)
    desk.ada.distill()
    (kept,) = [memory for memory in desk.ada.memories(limit=999) if memory.text == ORDER]
    assert f"{kept.updated_at:%Y-%m-%d}" == DISTILLED


def test_a_memory_is_found_with_the_day_on_which_it_was_said(desk: Desk) -> None:
    told(desk)
    found = [hit for hit in desk.ada.recall("food for the carp", limit=9) if hit.text == ORDER]
    assert [hit.kind for hit in found] == ["open_item"]
    assert f"{found[0].at:%Y-%m-%d %H:%M}" == SAID


def test_what_is_primed_tells_that_day_too(desk: Desk) -> None:
    told(desk)
    given = json.dumps(desk.ada.turn("Good morning.").failed().messages[-1], ensure_ascii=False)
    assert ORDER in given
    assert f"{SAID} UTC · user · open" in given
    assert DISTILLED not in given


def test_what_rests_on_no_message_has_the_day_on_which_it_was_kept(desk: Desk) -> None:
    desk.ada.remember("The carp are fed before noon.", kind="rule")
    assert f"{desk.ada.recall('feed the carp')[0].at:%Y-%m-%d %H:%M}" == "2026-02-03 08:15"


# ---- to whom it may be told


SECRET, TOLD = "I see the doctor at nine.", "The carp were moved to the pond."
KEPT = "Nobody feeds the carp on Sunday."


def of_two(desk: Desk) -> None:
    """A memory that rests on what all may know, and then on what was said to one alone; it is primed."""
    desk.ada.turn(TOLD, name="Nora").done("Good.")
    first = desk.ada.messages(limit=2)[0]
    desk.clock.forward(hours=24)
    desk.ada.turn(SECRET, name="Olu", principal="olu").done("I see.")
    second = desk.ada.messages(limit=2)[0]
    desk.clock.forward(hours=24)
    made = desk.ada.remember(KEPT, sources=[second, first])
    store, scope = desk.et.house.store, desk.ada.scope
    kept = store.read(lambda r: r.memories.ending(scope, made.id.replace("-", "")))
    ref, now = desk.ada.primary.row.ref, desk.clock.now()
    store.write(lambda r: r.memories.prime(scope, ref, kept, now=now))


def primed_for(desk: Desk, principal: str | None) -> str:
    turn = desk.ada.turn("Good morning.", principal=principal).failed()
    shown = json.dumps(turn.messages[-1], ensure_ascii=False)
    assert KEPT in shown
    return shown


@pytest.mark.req("R-44")
def test_what_is_primed_tells_neither_name_nor_day_of_what_another_said(desk: Desk) -> None:
    of_two(desk)
    assert "2026-02-03 08:15 UTC · Nora · fact" in primed_for(desk, "piet")
    assert "2026-02-04 08:15 UTC · user · fact" in primed_for(desk, "olu"), "of two, by no name"


@pytest.mark.req("R-44")
def test_what_is_recalled_tells_neither_name_nor_day_of_what_another_said(desk: Desk) -> None:
    of_two(desk)
    for principal, day, names in (("piet", 3, ["Nora"]), ("olu", 4, ["Olu", "Nora"])):
        (hit,) = [h for h in desk.ada.recall(KEPT, principal=principal) if h.text == KEPT]
        assert (hit.at.day, [m.name for m in hit.messages]) == (day, names)


@pytest.mark.req("R-43")
def test_what_is_primed_tells_nothing_of_a_message_that_was_forgotten(desk: Desk) -> None:
    of_two(desk)
    said = [message for message in desk.ada.messages(limit=9) if message.text == SECRET]
    other = desk.ada.remember("Olu is with the doctor at nine.", principal="olu", sources=said)
    desk.ada.forget(other.id)
    shown = primed_for(desk, None)
    assert "2026-02-03 08:15 UTC · Nora · fact" in shown
    assert "Olu" not in shown


# ---- the last that were said


def kept(desk: Desk, *sources: Message) -> Memory:
    """A memory of these, as a distillation keeps it."""
    house, now = desk.et.house, desk.clock.now()
    fresh = new_memory(house.ids.new(), "It is noted.", kind="fact", origin="user", now=now)
    drawn = fresh._replace(sources_json=sources_text([message.key for message in sources]))
    return house.store.write(lambda r: r.memories.add(desk.ada.scope, drawn))


def of_many_days(desk: Desk, chance: Random) -> dict[str, int]:
    """When what was kept was said: here, or long before it was brought; a day later, or at once."""
    said = dict[str, int]()
    for n in range(60):
        desk.clock.forward(hours=chance.randrange(30))
        if chance.random() < 0.2:
            memory = kept(desk)
            said[memory.id] = memory.updated_ms
            continue
        at = desk.clock.now() - chance.choice([0, 0, HOUR, 40 * DAY])
        desk.ada.record([{"role": "user", "content": f"note {n}", "at": moment_of(at)}])
        messages = desk.ada.messages(limit=200)
        sources = [m for m in messages if m.text == f"note {n}"] + chance.sample(messages, 1)
        desk.clock.forward(hours=chance.choice([0, 24, 24 * 50]))
        said[kept(desk, *sources).id] = max(message.at_ms for message in sources)
    return said


@pytest.mark.parametrize("seed", range(4))
def test_a_list_holds_those_that_were_said_last(
    desk: Desk, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few are looked at, and however late each was kept."""
    monkeypatch.setattr("everthread.services.memory.memories.FEW", 3)
    monkeypatch.setattr("everthread.services.memory.memories.LOOKED_UP", 3)
    said = of_many_days(desk, Random(seed))
    for limit in (1, 2, 7, 30, 59, 60, 999):
        listed = [said[memory.id] for memory in desk.ada.memories(limit=limit)]
        assert listed == sorted(said.values(), reverse=True)[:limit]


def test_what_was_said_last_is_listed_first_though_much_was_kept_after_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everthread.services.memory.memories.FEW", 3)
    desk.ada.record([{"role": "user", "content": "said last"}])
    last = kept(desk, desk.ada.messages(limit=1)[0])
    long_ago = moment_of(desk.clock.now() - 40 * DAY)
    desk.clock.forward(hours=1)
    desk.ada.record([{"role": "user", "content": "long ago", "at": long_ago}])
    old = next(m for m in desk.ada.messages(limit=9) if m.text == "long ago")
    for _ in range(9):
        kept(desk, old)
    assert [memory.id for memory in desk.ada.memories(limit=1)] == [last.id]


def test_a_list_of_a_few_does_not_look_up_the_messages_of_all(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = list[int]()

    def counted(records: Records, scope: Scope, memories: Sequence[Memory]) -> dict[bytes, int]:
        looked_up.append(len(memories))
        return said_times(records, scope, memories)

    monkeypatch.setattr("everthread.services.memory.memories.said_times", counted)
    for n in range(700):
        desk.clock.forward(minutes=1)
        desk.ada.record([{"role": "user", "content": f"note {n}"}])
    for message in desk.ada.messages(limit=700):
        kept(desk, message)
    assert len(desk.ada.memories(limit=5)) == 5
    assert sum(looked_up) <= 200
