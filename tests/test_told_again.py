"""What was told anew, in other words, stands before what it renews; nothing else passes it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import everthread
from everthread import Agent, Settings
from everthread.domain.conversation.messages import Message
from everthread.domain.memory.notes import Note
from everthread.domain.recall.cards import MACHINE, Card
from everthread.domain.recall.deck import Deck
from everthread.domain.recall.final_scores import RankedCard
from everthread.domain.recall.questions import read_question
from everthread.domain.recall.relevance import between_people
from everthread.domain.recall.told_again import MOST_WORDS, lift_retold
from everthread.domain.recall.value_questions import asks_how_it_is
from everthread.testing import FrozenClock
from everthread.testing.promises.rows import a_memory

NOW = 1_770_000_000_000
DAY = 86_400_000
ASKED = "Where does the book club meet?"
OLD = "Book club: we meet at Ines's place, first Friday of the month."
NEW = "Since the baby came we readers gather, from March on, at Café Anker instead of with Ines."
LIKE = 0.7
OTHER = "The film evening is a different crowd, at the Roxy."


@pytest.fixture
def said() -> Iterator[Message]:
    """One message, of which others are made."""
    settings = Settings(embedder="off")
    with everthread.connect(
        "memory://", clock=FrozenClock(), background=False, settings=settings
    ) as et:
        yield recorded(et.agent("ada"))


def recorded(agent: Agent) -> Message:
    agent.record([{"id": "0", "role": "user", "content": OLD}])
    return agent.recall(ASKED, limit=1)[0].messages[0]


def card(said: Message, row: int, text: str, score: float, **changes: Any) -> RankedCard:
    """A message of the day `row`, as it was found."""
    given = {"key": bytes([row]) * 16, "content": text, "at_ms": NOW + row * DAY} | changes
    return RankedCard(score, {}, said._replace(**given), alike=0.4, row=row)


def lifted(
    found: list[RankedCard], alike: Mapping[tuple[int, int], float], asked: str = ASKED
) -> list[RankedCard]:
    question = read_question(asked, NOW + 90 * DAY)
    return lift_retold(question, found, lambda one, other: alike.get((one, other), float("nan")))


def order(found: list[RankedCard]) -> list[int | None]:
    return [each.row for each in sorted(found, key=lambda each: -each.score)]


def pair(said: Message, new: str = NEW, **changes: Any) -> list[RankedCard]:
    """What is outdated, first; something else; what renews it, last."""
    return [
        card(said, 0, OLD, 1.0),
        card(said, 1, OTHER, 0.6),
        card(said, 5, new, 0.2, **changes),
    ]


def test_what_tells_it_anew_comes_right_before_it_and_is_named(said: Message) -> None:
    found = lifted(pair(said), {(0, 5): LIKE, (0, 1): 0.2})
    assert order(found) == [5, 0, 1]
    old, other, new = found
    assert old.later is not None
    assert old.later.row == 5
    assert (other.later, new.later) == (None, None)
    assert new.parts["told anew"] == pytest.approx(new.score - 0.2)
    assert (old.score, other.score) == (1.0, 0.6)


def test_what_may_tell_it_anew_comes_right_after_it_and_nothing_is_marked(said: Message) -> None:
    found = lifted(pair(said, "We sat at Café Anker with the readers and Ines."), {(0, 5): 0.8})
    assert order(found) == [0, 5, 1]
    assert found[0].later is None


def test_what_is_hardly_like_it_stays_where_it_is(said: Message) -> None:
    for alike in ({(0, 5): 0.2}, {}):  # and what is not known
        assert lifted(pair(said), alike) == pair(said)


def test_what_stands_out_only_because_nothing_else_is_alike_stays(said: Message) -> None:
    """A few messages on many matters: a change of another thing is the nearest there is."""
    found = pair(said, "From June on we send any book for free above 45 euros, not 60.")
    alike = {(0, 5): 0.24, (0, 1): -0.1}
    assert lifted(found, alike) == found


def test_where_all_are_alike_none_of_them_stands_out(said: Message) -> None:
    """One person's words on one day have much in common, whatever they tell."""
    others = [card(said, row, OTHER, 0.6) for row in range(10, 40)]
    found = [*pair(said), *others]
    assert lifted(found, {(0, 5): LIKE} | {(0, row): LIKE for row in range(10, 40)}) == found


def test_what_is_of_no_worth_to_the_question_stays(said: Message) -> None:
    found = [*pair(said)[:2], card(said, 5, NEW, 0.05)]
    assert lifted(found, {(0, 5): LIKE}) == found


def test_who_asks_how_it_was_is_told_that(said: Message) -> None:
    found = pair(said)
    for asked in ("Where did the book club meet?", "Where was the book club before March?"):
        assert lifted(found, {(0, 5): LIKE}, asked) == found


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"origin": "agent"}, id="an agent's word"),
        pytest.param({"origin": "tool"}, id="a tool's"),
        pytest.param({"at_ms": NOW - DAY}, id="what was said before"),
        pytest.param({"new": f"{NEW} {'and on ' * MOST_WORDS}"}, id="a long text"),
    ],
)
def test_what_cannot_renew_it_stays(said: Message, changes: dict[str, Any]) -> None:
    found = pair(said, **changes)
    assert lifted(found, {(0, 5): LIKE}) == found


def test_a_question_renews_nothing(said: Message) -> None:
    asking = card(said, 5, NEW, 0.2)._replace(parts={"asking": -0.2})
    found = [*pair(said)[:2], asking]
    assert lifted(found, {(0, 5): LIKE}) == found


def test_what_one_says_of_himself_another_does_not_change(said: Message) -> None:
    mine, hers = "My book club meets at my place.", "My club gathers at Café Anker now, my readers."
    for name, expected in (("Bo", [5, 0]), ("Cy", [0, 5])):
        found = [card(said, 0, mine, 1.0, name="Bo"), card(said, 5, hers, 0.2, name=name)]
        assert order(lifted(found, {(0, 5): 0.6})) == expected


def test_a_memory_does_not_renew_the_message_it_came_from(said: Message) -> None:
    """Nor does one that came from a later one as well."""
    source = card(said, 0, OLD, 1.0)
    assert source.message is not None
    later = (NOW + 9 * DAY).to_bytes(6, "big").hex() + "00" * 10
    for sources, expected in (([source.message.key.hex(), later], [0, 3]), ([later], [3, 0])):
        kept = a_memory(OLD, sources_json=json.dumps(sources))
        learnt = RankedCard(0.8, {}, memory=kept, alike=0.4, row=3)
        assert order(lifted([source, learnt], {(0, 3): 0.99})) == expected


def test_what_is_for_one_project_renews_nothing_of_another() -> None:
    def kept(row: int, text: str, project: str, reach: str) -> RankedCard:
        memory = a_memory(text, updated_ms=NOW + row * DAY, reach=reach, project=project)
        return RankedCard(1.0 if row == 0 else 0.2, {}, memory=memory, alike=0.4, row=row)

    for project, reach, expected in (
        ("/b", "project", [0, 5]),
        ("/a", "project", [5, 0]),
        ("/b", "agent", [5, 0]),  # said there, but for all
    ):
        found = [kept(0, OLD, "/a", "project"), kept(5, NEW, project, reach)]
        assert order(lifted(found, {(0, 5): LIKE})) == expected


def test_what_is_found_twice_counts_once_among_the_best(said: Message) -> None:
    """A message and the memories of it leave room for what comes after them."""
    other = card(said, 1, OTHER, 1.0)
    assert other.message is not None
    kept = a_memory(OTHER, sources_json=json.dumps([other.message.key.hex()]))
    memories = [RankedCard(score, {}, memory=kept, row=9) for score in (0.95, 0.9, 0.85)]
    found = [other, *memories, card(said, 2, OLD, 0.8), card(said, 5, NEW, 0.2)]
    assert lifted(found, {(2, 5): LIKE})[4].later is not None


def test_a_persons_note_may_renew_and_an_agents_may_not(said: Message) -> None:
    note = Note(1, 1, bytes(16), None, "note", NEW, "user", NOW + 9 * DAY, None, 0)
    for origin, expected in (("user", [3, 0]), ("agent", [0, 3])):
        kept = RankedCard(0.2, {}, note=note._replace(origin=origin), alike=0.4, row=3)
        found = [card(said, 0, OLD, 1.0), kept]
        assert order(lifted(found, {(0, 3): LIKE})) == expected


def test_who_asks_for_somebody_elses_is_not_told_what_is_like_it(said: Message) -> None:
    hers = "My sister pays 980 for her place in Leipzig, the lucky one."
    mine = "Letter today: I am to pay 1,220 for my place."
    found = [card(said, 0, hers, 1.0), card(said, 5, mine, 0.2)]
    assert order(lifted(found, {(0, 5): 0.4}, "What is paid for a place?")) == [5, 0]
    told = lifted(found, {(0, 5): 0.4}, "What does my sister pay in Leipzig?")
    assert order(told) == [0, 5]
    assert told[0].later is None


def test_the_names_of_those_who_speak_tie_nothing_together(said: Message) -> None:
    """`Thanks, Caroline` may be said of anything."""
    old, new = "Yes, Caroline, the club meets in town.", "The club has keys, Caroline."
    for name, marked in (("Caroline", False), (None, True)):
        found = [
            card(said, 0, old, 1.0),
            card(said, 1, OTHER, 0.6, name=name),
            card(said, 5, new, 0.2),
        ]
        told = lifted(found, {(0, 5): 0.55}, "Where is the club?")
        assert (told[0].later is not None) == marked


@pytest.mark.parametrize(
    "asked",
    [
        "Where does the book club meet?",
        "What is the mobile rewrite called?",
        "When does the platform team meet each week?",
        "who walks Pixel at lunchtime",
        "Was zahle ich für Strom?",
        "Von wem bekommen wir unsere Kartons?",
        "wie oft liefern wir aus",
    ],
)
def test_asks_how_it_is(asked: str) -> None:
    assert asks_how_it_is(read_question(asked, NOW))


@pytest.mark.parametrize(
    "asked",
    [
        "Where did the book club meet?",
        "Who had the pager before Yuki?",
        "What was the working title?",
        "Was the invoice paid?",
        "Was that the plan?",
        "How has the deadline changed?",
        "Have I ever used Flask?",
        "Could we move the standup?",
        "Who should take the notes?",
        "Why is the standup at ten?",
        "Wer war mein Hausarzt?",
        "Wo lag die Doku ursprünglich?",
        "Was kostete der Chor vor der Versammlung?",
        "Warum liefern wir freitags aus?",
        "Is the standup, which Priya wanted at ten and Bo at nine, at ten on all days that matter?",
        "book club meeting place",
        "Where does the club meet in March 2026?",
    ],
)
def test_asks_for_something_else(asked: str) -> None:
    assert not asks_how_it_is(read_question(asked, NOW))


def test_people_among_themselves_are_known_by_nobody_else_having_a_word() -> None:
    def row(number: int, session: int, flags: int = 0, kind: str = "message", by: str = "") -> Card:
        return Card(number, kind, number, session, "user", by, NOW, flags, 9, number)

    deck = Deck.of(
        [
            row(1, 10, by="Bo"),
            row(2, 10, by="Cy"),
            row(3, 20),
            row(4, 20, MACHINE),
            row(5, 30, MACHINE, by="Robbie"),
            row(6, 40, kind="fact"),
            row(7, 10, kind="fact"),
        ]
    )
    assert between_people(deck).tolist() == [True, True, False, False, True, False, True]
