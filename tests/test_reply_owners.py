"""A recorded reply without a principal is hers whose message it answers, as in a turn. (R-44)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.times import text_of
from everthread.testing import FrozenClock

pytestmark = pytest.mark.req("R-44")

ASKED = "My bonus is 9,000 euros"
REPLY = "Congratulations on the 9,000 euros bonus, Bob!"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture
def et(clock: FrozenClock) -> Iterator[Everthread]:
    settings = Settings(embedder="off")
    with everthread.connect("memory://", clock=clock, settings=settings, background=False) as et:
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def user(text: str, who: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "principal": who, **more}


def reply(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **more}


def ident(given: int | None) -> dict[str, Any]:
    return {} if given is None else {"id": given}


def calling(n: int) -> dict[str, Any]:
    call: dict[str, Any] = {"type": "tool_use", "id": f"call-{n}", "name": "look_up", "input": {}}
    return {"role": "assistant", "content": [call]}


def result(n: int, text: str) -> dict[str, Any]:
    told = {"type": "tool_result", "tool_use_id": f"call-{n}", "content": text}
    return {"role": "user", "content": [told]}


def whose(ada: Agent) -> list[str | None]:
    return [message.principal for message in ada.messages(limit=999)]


def ago(clock: FrozenClock, minutes: int) -> str:
    return text_of(clock.now() - minutes * 60_000)


@pytest.mark.parametrize("source", ["record", "import"])
@pytest.mark.parametrize("together", [True, False])
def test_what_answers_one_is_found_by_no_other(
    ada: Agent, clock: FrozenClock, source: str, together: bool
) -> None:
    entries = [user(ASKED, "bob", id=3), reply(REPLY, id=4)]
    for some in [entries] if together else [[entries[0]], [entries[1]]]:
        ada.record(some, source=source)
        clock.forward(minutes=1)
    assert whose(ada) == ["bob", "bob"]
    assert not ada.recall("bonus euros", principal="al")
    assert {h.text for h in ada.recall("bonus euros", principal="bob")} == {ASKED, REPLY}
    turn = ada.turn("What bonus in euros?", principal="al")
    if source == "import":  # what was recorded as said here is on the thread, as any turn's words
        assert "9,000" not in str(turn.messages)
    turn.failed()


def test_tools_and_what_follows_them_are_hers_too(ada: Agent, clock: FrozenClock) -> None:
    entries = [user(ASKED, "bob"), calling(1), result(1, "found"), reply(REPLY)]
    ada.record(entries)
    for entry in (user("And mine?", "al"), calling(2), result(2, "none"), reply("You have none.")):
        clock.forward(minutes=1)
        ada.record([entry])
    assert whose(ada) == ["bob"] * 4 + ["al"] * 4


def test_a_long_loop_of_tools_does_not_lose_its_person(ada: Agent, clock: FrozenClock) -> None:
    ada.record([user(ASKED, "bob")])
    for n in range(40):
        clock.forward(seconds=1)
        ada.record([calling(n), result(n, "found")] if n % 2 else [calling(n)])
    ada.record([reply(REPLY)])
    assert set(whose(ada)) == {"bob"}


def test_each_of_several_is_answered_by_what_follows(ada: Agent) -> None:
    ada.record(
        [
            user("Hello.", "bob"),
            reply("Hello Bob."),
            user("Hello.", "al"),
            reply("Hello Al."),
            user("Who is there?"),
            reply("All of us."),
        ]
    )
    assert whose(ada) == ["bob", "bob", "al", "al", None, None]


def test_replies_that_come_after_the_questions_of_all_are_placed_by_their_times(
    ada: Agent, clock: FrozenClock
) -> None:
    said = [(30, "bob"), (20, "al"), (10, None)]
    ada.record(
        [user(f"From {who}.", who, at=ago(clock, m), id=f"u{m}") for m, who in said],
        source="import",
    )
    ada.record(
        [reply(f"To {who}.", at=ago(clock, m - 5), id=f"a{m}") for m, who in said], source="import"
    )
    told = {m.text: m.principal for m in ada.messages(limit=99) if m.role == "assistant"}
    assert told == {"To bob.": "bob", "To al.": "al", "To None.": None}


def test_in_a_named_session_too(ada: Agent) -> None:
    ada.record([user("Hello.", "al")], session="other")
    ada.record([user(ASKED, "bob")], session="s-1")
    ada.record([reply("Hello Al.")], session="other")
    ada.record([reply(REPLY)], session="s-1")
    assert whose(ada) == ["al", "bob", "al", "bob"]


def test_each_channel_by_itself(ada: Agent, clock: FrozenClock) -> None:
    """Their ids tell them apart, though they are one session."""
    ada.record([user(ASKED, "bob", id=1)], channel="slack")
    clock.forward(minutes=1)
    ada.record([user("Hello.", "al", id=1)], channel="mail")
    clock.forward(minutes=1)
    ada.record([reply(REPLY, id=2)], channel="slack")
    assert whose(ada) == ["bob", "al", "bob"]


def test_what_is_answered_a_day_later_is_hers(ada: Agent, clock: FrozenClock) -> None:
    ada.record([user(ASKED, "bob")])
    clock.forward(hours=48)
    ada.record([reply(REPLY)])
    assert whose(ada) == ["bob", "bob"]


def test_so_many_that_they_are_stored_in_parts(ada: Agent, clock: FrozenClock) -> None:
    entries = [user(ASKED, "bob", at=ago(clock, 60))]
    entries += [reply(f"Part {n}.", at=ago(clock, 50)) for n in range(1_005)]
    ada.record(entries, source="import")
    assert set(whose(ada)) == {"bob"}


@pytest.mark.parametrize("ids", [[None, 1], [1, None], [1, 1]])
def test_an_id_on_the_channel_tells_more_than_one_elsewhere(
    ada: Agent, clock: FrozenClock, ids: list[int | None]
) -> None:
    """What certainly came by the channel and last of all there is answered."""
    ada.record([user("Hello.", "al", **ident(ids[0]))], channel="mail")
    clock.forward(minutes=1)
    ada.record([user(ASKED, "bob", **ident(ids[1]))], channel="slack")
    clock.forward(minutes=1)
    ada.record([reply(REPLY)], channel="slack")
    assert whose(ada)[-1] == ("bob" if ids[1] else None)


def test_one_person_on_one_channel_needs_no_ids(ada: Agent, clock: FrozenClock) -> None:
    for entry in (user(ASKED, "bob"), calling(1), result(1, "found"), reply(REPLY)):
        ada.record([entry], channel="slack")
        clock.forward(minutes=1)
    assert whose(ada) == ["bob"] * 4


def test_several_who_came_together_with_their_replies_need_no_ids(ada: Agent) -> None:
    ada.record([user("Hello.", "al")], channel="mail")
    ada.record(
        [user(ASKED, "bob"), reply(REPLY), user("Hello.", "al"), reply("Hello Al.")],
        channel="slack",
    )
    assert whose(ada)[1:] == ["bob", "bob", "al", "al"]


def test_a_turn_is_answered_on_its_own_channel(ada: Agent, clock: FrozenClock) -> None:
    ada.turn(ASKED, principal="bob", channel="web").done("ok")
    clock.forward(minutes=1)
    ada.record([reply(REPLY)], channel="web")
    assert whose(ada) == ["bob"] * 3


def test_a_turn_is_answered_by_what_names_no_channel(ada: Agent, clock: FrozenClock) -> None:
    ada.turn(ASKED, principal="bob", channel="web").done("ok")
    clock.forward(minutes=1)
    ada.record([reply(REPLY)])
    assert whose(ada) == ["bob"] * 3


# ---- what cannot be told is for all


@pytest.mark.parametrize("last", ["al", None])
def test_without_ids_nobody_is_taken_for_another_channels(
    ada: Agent, clock: FrozenClock, last: str | None
) -> None:
    ada.record([user(ASKED, "bob")], channel="slack")
    clock.forward(minutes=1)
    ada.record([user("Hello.", last)], channel="mail")
    clock.forward(minutes=1)
    ada.record([reply(REPLY)], channel="slack")
    assert whose(ada) == ["bob", last, None]
    assert REPLY in {h.text for h in ada.recall("bonus euros", principal="bob")}


def test_nor_for_what_stands_among_those_of_another_channel(ada: Agent, clock: FrozenClock) -> None:
    hello = [user("Hi.", "al", at=ago(clock, 40)), user("Hello.", "al", at=ago(clock, 20))]
    ada.record(hello, source="import")
    entries = [user(ASKED, "bob", at=ago(clock, 30)), reply(REPLY, at=ago(clock, 10))]
    ada.record(entries, source="import", channel="slack")
    told = {m.text: m.principal for m in ada.messages(limit=9)}
    assert told == {"Hi.": "al", ASKED: "bob", "Hello.": "al", REPLY: None}


def test_another_channel_does_not_answer_a_turn(ada: Agent, clock: FrozenClock) -> None:
    ada.turn(ASKED, principal="bob", channel="web").done("ok")
    clock.forward(minutes=1)
    ada.record([reply("Al: your bonus is zero euros.")], channel="mail")
    assert whose(ada) == ["bob", "bob", None]
    assert ada.recall("bonus euros", principal="al")


def test_nor_where_the_turn_came_into_its_session(ada: Agent, clock: FrozenClock) -> None:
    ada.record([user("Hello.", "bob", id=1)], channel="mail")
    clock.forward(minutes=1)
    ada.turn(ASKED, principal="bob", channel="web").done("ok")
    clock.forward(minutes=1)
    ada.record([reply("Al: your bonus is zero euros.")], channel="mail")
    assert whose(ada) == ["bob", "bob", "bob", None]


# ---- what stays as it is


def test_a_reply_that_names_somebody_is_theirs(ada: Agent) -> None:
    ada.record([user(ASKED, "bob"), reply("For Al.", principal="al"), reply(REPLY)])
    assert whose(ada) == ["bob", "al", "bob"]


@pytest.mark.parametrize("together", [True, False])
def test_where_nobody_has_a_principal_nothing_has(ada: Agent, together: bool) -> None:
    entries = [user("Hello."), calling(1), result(1, "found"), reply("Hello.")]
    for some in [entries] if together else [[entry] for entry in entries]:
        ada.record(some)
    assert whose(ada) == [None] * 4


def test_what_people_say_without_a_principal_is_for_all(ada: Agent) -> None:
    ada.record([user(ASKED, "bob"), reply(REPLY), user("Lunch is at noon, all of you.")])
    assert whose(ada) == ["bob", "bob", None]


def test_an_answer_to_a_heartbeat_is_for_all(ada: Agent) -> None:
    ada.record([user(ASKED, "bob"), reply(REPLY)])
    ada.record([{"role": "user", "content": "HEARTBEAT 10:00", "origin": "system"}])
    ada.record([reply("The build is green.")])
    assert whose(ada) == ["bob", "bob", None, None]


def test_what_the_system_says_is_for_all(ada: Agent) -> None:
    ada.record([user(ASKED, "bob"), {"role": "system", "content": "It is noon."}, reply(REPLY)])
    assert whose(ada) == ["bob", None, "bob"]


def test_a_reply_before_anybody_spoke_is_for_all(ada: Agent) -> None:
    ada.record([reply("Welcome."), user(ASKED, "bob")])
    assert whose(ada) == [None, "bob"]


def test_another_channel_answers_nobody_here(ada: Agent) -> None:
    ada.record([user(ASKED, "bob", id=1)], channel="slack")
    ada.record([reply("The build is green.", id=1)], channel="builds")
    assert whose(ada) == ["bob", None]


def test_what_was_stored_stays_as_it_was(ada: Agent) -> None:
    entries = [user(ASKED, "bob", id="1"), reply(REPLY, id="2")]
    assert ada.record(entries).added == 2
    told = ada.record(entries)
    assert (told.added, told.known, told.changed) == (0, 2, ())
