"""What stands beside a hit: the question it answers, the answer to it, whatever tools were called between."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.conversation.messages import (
    Draft,
    Message,
    Origin,
    Role,
    as_message,
    content_column,
)
from everthread.domain.recall.neighbours import completing_messages
from everthread.services.memory.recall import NEAR
from everthread.testing import FrozenClock
from support.stores import ABOVE, fresh

QUESTION, ANSWER = (
    "And what does the guide say about tabs?",
    "The guide says: never tabs, four spaces.",
)
NEXT = "Thanks. Next topic: lunch."


@pytest.fixture(params=ABOVE)
def ada(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Agent]:
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(
            place.target,
            clock=FrozenClock("2026-02-20T10:00:00Z"),
            background=False,
            settings=Settings(embedder="off"),
        ) as et,
    ):
        yield et.agent("ada")


def turn(agent: Agent, question: str, answer: str, *, calls: int = 0, aside: str = "") -> None:
    with agent.turn(question) as at:
        for n in range(calls):
            call = {"type": "tool_use", "id": f"c{n}", "name": "look_up", "input": {"word": "tabs"}}
            at.add([*([{"type": "text", "text": aside}] if aside else []), call])
            at.tool_result(f"c{n}", f"page {n} of the guide")
        at.done(answer)


def beside(agent: Agent, query: str) -> dict[str, list[str]]:
    return {hit.text: [m.text for m in hit.context] for hit in agent.recall(query, limit=20)}


@pytest.mark.parametrize(("calls", "aside"), [(1, ""), (3, "Let me look."), (40, "And on.")])
def test_a_tool_loop_keeps_a_question_and_its_answer_together(
    ada: Agent, calls: int, aside: str
) -> None:
    turn(ada, "Which editor does Kim use?", "Kim uses Helix.")
    turn(ada, QUESTION, ANSWER, calls=calls, aside=aside)
    turn(ada, NEXT, "Soup.")
    shown = beside(ada, "guide tabs spaces editor Kim Helix topic lunch soup look page")
    assert shown[QUESTION] == [ANSWER]
    assert shown[ANSWER] == [QUESTION]
    assert shown["Which editor does Kim use?"] == ["Kim uses Helix."]
    assert shown["Kim uses Helix."] == ["Which editor does Kim use?"]
    assert shown[NEXT] == ["Soup."], "it opens another matter"
    assert "" not in {text for texts in shown.values() for text in texts}


def test_an_offer_after_a_tool_loop_comes_with_the_reply_and_the_reply_with_the_offer(
    ada: Agent,
) -> None:
    offer = "There is yew, slow and dense, or privet, quick and cheap."
    turn(ada, "Something along the road.", offer, calls=2, aside="Let me see.")
    turn(ada, "the slow one", "Ordered.", calls=1)
    shown = beside(ada, "yew privet slow one")
    assert shown[offer] == ["the slow one"]
    assert shown["the slow one"] == [offer]


def test_a_question_put_twice_stands_once_beside_its_answer(ada: Agent) -> None:
    for _ in range(2):
        turn(ada, "Shall we use tabs?", "Tabs, as in the rest of this project.")
    shown = beside(ada, "tabs or spaces?")
    assert shown["Tabs, as in the rest of this project."] == ["Shall we use tabs?"]
    assert shown["Shall we use tabs?"] == ["Tabs, as in the rest of this project."]


def test_what_was_forgotten_stands_beside_nothing_and_nothing_takes_its_place(ada: Agent) -> None:
    turn(ada, "Where is the key to the shed?", "Under the mat by the shed.")
    turn(ada, QUESTION, ANSWER, calls=1)
    ada.forget(ada.remember(QUESTION).id)
    assert beside(ada, "guide tabs spaces")[ANSWER] == []


def _said(role: Role, origin: Origin, text: str, seq: int, name: str | None = None) -> Message:
    form, content = content_column(
        text or [{"type": "tool_use", "id": "c", "name": "x", "input": {}}]
    )
    return as_message(Draft(role, origin, form, content))._replace(seq=seq, name=name)


def test_among_several_speakers_the_next_word_answers() -> None:
    asked = _said("user", "user", "Who has the key?", 1, "Mel")
    told = _said("user", "user", "I have it, in the drawer beside the stove.", 2, "Ana")
    thanked = _said("user", "user", "Lovely, then I come by after the market on Friday.", 3, "Mel")
    assert list(completing_messages(asked, [], [told, thanked])) == [told]
    assert list(completing_messages(told, [asked], [thanked])) == [asked]
    one = _said("assistant", "agent", "Which of us writes it?", 1, "Bo")
    other = _said("assistant", "agent", "I write the report on it tonight.", 2, "Cy")
    assert list(completing_messages(one, [], [other])) == [other]
    assert list(completing_messages(other, [one], [])) == [one]


def test_calls_and_results_between_an_offer_and_the_reply_are_passed_over() -> None:
    offer = _said(
        "assistant", "agent", "There is yew, slow and dense, or privet, quick and cheap.", 1
    )
    call, result = _said("assistant", "agent", "", 2), _said("user", "tool", "3 left", 3)
    reply = _said("user", "user", "the slow one", 4)
    assert list(completing_messages(reply, [result, call, offer], [])) == [offer]
    assert list(completing_messages(offer, [], [call, result, reply])) == [reply]
    assert list(completing_messages(call, [offer], [result, reply])) == []


def test_a_loop_is_read_only_as_far_as_it_must_be() -> None:
    read = count()

    def loop() -> Iterator[Message]:
        for n in range(100):
            next(read)
            yield _said("assistant", "agent", "" if n else "So.", n)

    list(
        completing_messages(
            _said("user", "user", "We painted the long fence green on Sunday.", 1), [], loop()
        )
    )
    assert next(read) == 0
    assert sum(NEAR) >= 300
