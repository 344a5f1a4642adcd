"""What a turn or a prompt is given holds each matter once: no nods, no pair told from both ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from everthread.domain.conversation.messages import Form, Message, Origin
from everthread.domain.given.echoes import is_nod, without_echoes
from everthread.domain.recall.hits import Hit
from support.harness import Bench, bench

STAGING = "the staging database is at db-staging.internal port 5433, the user is ledger_ro"


def message(text: str, seq: int, origin: Origin) -> Message:
    fields = dict.fromkeys(Message._fields, None) | {"thread_ref": 1, "session_ref": 1}
    fields |= {"key": seq.to_bytes(16, "big"), "seq": seq, "origin": origin}
    return Message(**fields | {"form": Form.TEXT, "content": text, "at_ms": seq})  # pyright: ignore[reportArgumentType]


def hit(text: str, seq: int, origin: Origin = "user", **more: object) -> Hit:
    said = message(text, seq, origin)
    made = Hit(id=f"{seq}", text=text, score=1.0, kind="message", at_ms=seq, why="")
    return replace(made, messages=(said,), **more)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        (STAGING, "Noted: staging is `db-staging.internal:5433`, user `ledger_ro`."),
        ("the release was moved to 4 December", "Noted: release on 4 December."),
        ("Priya has to review everything that touches app/tax", "Got it: Priya reviews `app/tax`."),
        ("use pnpm here, not npm", "Will do: pnpm from here on."),
        ("never mock the database in tests", "Got it, no database mocks in tests."),
    ],
)
def test_a_nod_gives_way_to_what_it_nods_to(said: str, reply: str):
    assert is_nod(reply, said)
    one, other = hit(said, 7), hit(reply, 8, "agent")
    assert without_echoes([other, one]) == [one]
    assert without_echoes([other]) == [other], "alone it is all there is"
    later = hit(reply, 9, "agent")
    assert without_echoes([later, one]) == [later, one], "a tool ran in between: it may be a report"


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("write the webhook endpoint", "The webhook endpoint is done."),
        ("write the webhook endpoint", "The webhook endpoint is written, and tested."),
        ("is the release on 4 December?", "Yes, the release is on 4 December."),
        ("the release is on 4 December", "No, the release is not on 4 December."),
        ("the release is on 4 December", "The release is on 4 December, but only for the shop."),
        ("the port of staging is 5433", "The port of staging was 5432 so far."),
        ("we cache tiles for 30 days", "`src/tiles.ts` caches tiles for 30 days."),
        ("Ship it to Ann", "Shall I ship it to Ann?"),
        ("mock the database in tests", "Then no test uses the database."),
        ("nice", "Thanks."),
    ],
)
def test_what_says_something_of_its_own_is_no_nod(said: str, reply: str):
    assert not is_nod(reply, said)


def test_a_question_and_its_answer_are_told_once():
    asked, told = (
        "quick one: what's the host of the staging db?",
        "`db-staging.internal`, port 5433.",
    )
    question = hit(asked, 3, context=[message(told, 4, "agent")])
    answer = hit(told, 4, "agent", context=[message(asked, 3, "user")])
    assert without_echoes([answer, question]) == [answer]
    assert without_echoes([question, answer]) == [question]
    more = replace(question, context=[*question.context, message("Which of them?", 2, "agent")])
    assert without_echoes([answer, more]) == [answer, more], "it shows a third"
    long = hit(asked * 20, 3, context=question.context)
    around = hit(told, 4, "agent", context=[message(asked * 20, 3, "user")])
    assert without_echoes([around, long]) == [around, long], (
        "a long one is not shown whole beside it"
    )


def test_what_an_agent_asked_tells_nothing_without_its_answer():
    asked = "The tree is dirty: commit first?"
    alone = hit(asked, 3, "agent", context=[message("deploy", 2, "user")])
    assert without_echoes([alone]) == []
    answered = replace(alone, context=[message("yes, then deploy", 4, "user")])
    more = hit(f"Committed as `90cc1aa`. {asked}", 3, "agent")
    person = hit("Shall we commit first?", 3)
    kept = replace(alone, kind="open_item", origin="agent")
    for other in (answered, more, person, kept):
        assert without_echoes([other]) == [other]


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


def test_a_prompt_is_not_given_a_nod_to_what_its_session_began_with(q: Bench):
    rule, nod = "Never mock the database in tests.", "Got it, no database mock in any of the tests."
    w = q.window("s-1")
    w.start()
    w.turn(rule, nod)
    w.end()
    q.work()
    q.clock.forward(hours=24 * 8)
    w = q.window("s-2")
    begun = w.start()
    assert rule in begun and nod not in begun
    assert nod not in w.prompt("Mocking the database in unit tests is fine, the container is slow.")
    assert rule in w.prompt("May I mock the database in tests?"), "who asks is given the answer"
