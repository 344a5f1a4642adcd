"""What was said by or to one person: what is learnt from it is hers too, and told to no other (R-44)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import everthread
from everthread import Agent, Everthread, Settings
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.given.packing import TAG, read_block
from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.memory.memories import owner_of
from everthread.services.distilling import learn
from everthread.testing import FrozenClock
from support.distilling import house as a_house
from support.model_server import ModelServer, Say
from support.stores import ABOVE, fresh

pytestmark = pytest.mark.req("R-44")

CODE = "Remember: my door code is 4711."
BARE = Settings(embedder="off")
ENGINES = ("memory", *ABOVE)


@pytest.fixture(params=ENGINES)
def et(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Everthread]:
    clock = FrozenClock()
    if request.param == "memory":
        with everthread.connect("memory://", clock=clock, background=False, settings=BARE) as et:
            yield et
        return
    with (
        fresh(request.param, tmp_path) as place,
        everthread.connect(place.target, clock=clock, background=False, settings=BARE) as et,
    ):
        yield et


@pytest.fixture
def ada(et: Everthread) -> Agent:
    return et.agent("ada")


def say(agent: Agent, who: str | None, text: str, reply: str = "Noted.") -> None:
    name = None if who is None else who.title()
    agent.turn(text, name=name, principal=who).done(reply)


def chat(agent: Agent, who: str | None = "piet", turns: int = 12, first: int = 0) -> None:
    """So much that the words before it leave the view."""
    for n in range(first, first + turns):
        say(agent, who, f"The lamps of row {n} are in box {n}.", "Noted for who puts them up.")


def distilled(agent: Agent, who: str | None = "piet", first: int = 0) -> Receipt:
    chat(agent, who, first=first)
    receipt = agent.distill()
    assert receipt.outcome == "ok", receipt.errors
    return receipt


def learnt(agent: Agent, word: str, state: str = "kept") -> list[tuple[str, str | None]]:
    return sorted(
        (m.text, m.principal)
        for m in agent.memories(state=state, limit=999)
        if word in m.text and not (m.valid_to is not None and state == "kept")
    )


def finds(agent: Agent, who: str | None, asked: str, word: str) -> set[str]:
    """As what somebody who asks is told the word."""
    return {h.kind for h in agent.recall(asked, principal=who, limit=50) if word in h.text}


def given_to(agent: Agent, who: str, asked: str) -> str:
    """What a turn is given beside the thread."""
    turn = agent.turn(asked, name=who.title(), principal=who)
    texts = [b["text"] for m in turn.messages for b in m["content"] if b["type"] == "text"]
    turn.failed()
    items = [item for text in texts if TAG in text for item in read_block(text) or ()]
    return "\n".join(item.text for item in items)


def untouched(et: Everthread) -> bool:
    return et.verify("ada").faults == []


# ---- whose it is


PEOPLE = st.lists(st.sampled_from([None, "nora", "piet", "kim"]), max_size=5)


@given(PEOPLE)
def test_what_is_drawn_is_hers_who_alone_is_named(people: list[str | None]) -> None:
    found = owner_of(people)
    assert found in {*people, None}
    named = {one for one in people if one is not None}
    assert (found is None) == (len(named) != 1)
    assert owner_of(reversed(people)) == found
    assert owner_of([*people, None]) == found, "what is for all makes it no less hers"


def point(text: str, source: bytes, at: int) -> Point:
    return Point("open_item", text, (source,), "user", at, weight=0.5, verbatim=True)


def test_what_one_asks_does_not_stand_for_what_another_does() -> None:
    """Nor is it twice what one asks twice: told in fewer words, it is a memory once."""
    hall = "Please book the hall in Dunmore for the twelfth of June."
    again = hall.replace("Please", "Kindly, please,")
    digest = Digest(points=(point(hall, b"n" * 16, 1), point(again, b"p" * 16, 2)))
    assert len(memories_of(EMPTY, digest)) == 1
    people = {b"n" * 16: "nora", b"p" * 16: "piet"}
    facts = memories_of(EMPTY, digest, whose=lambda keys: owner_of(map(people.get, keys)))
    assert {(f.text, f.principal) for f in facts} == {(hall, "nora"), (again, "piet")}


# ---- drawn, recalled, given


def test_what_a_distillation_learns_from_one_is_told_to_no_other(
    et: Everthread, ada: Agent
) -> None:
    """LD-18: as two people, end to end."""
    say(ada, "nora", CODE, "I will remember it.")
    distilled(ada)
    assert learnt(ada, "4711") == [("my door code is 4711.", "nora")]
    assert finds(ada, "piet", "what is the door code?", "4711") == set()
    assert "fact" in finds(ada, "nora", "what is the door code?", "4711")
    assert "fact" in finds(ada, None, "what is the door code?", "4711")
    assert "4711" not in given_to(ada, "piet", "What is the door code?")
    # It was just learnt, so her next turn is given it, whoever spoke before her.
    say(ada, "piet", "Good evening to all of you.")
    assert "4711" in given_to(ada, "nora", "Good evening.")
    assert untouched(et)


def test_what_the_end_of_a_session_draws_is_told_to_no_other(et: Everthread, ada: Agent) -> None:
    say(ada, "nora", CODE, "I will remember it.")
    session = ada.end_session()
    assert ada.conclude_session(session.id)
    assert learnt(ada, "4711") == [("my door code is 4711.", "nora")]
    distilled(ada)
    assert "fact" in finds(ada, "nora", "what is the door code?", "4711")
    assert finds(ada, "piet", "what is the door code?", "4711") == set()


def test_what_a_model_tells_of_it_is_told_to_no_other(tmp_path: Path) -> None:
    told = {"kind": "fact", "text": "my door code is 4711", "sources": ["m1"], "quote": False}
    shared = {"kind": "fact", "text": "The lamps of row 1 are in box 1.", "sources": ["m5"]}
    points = {"points": [told, {**shared, "quote": False}], "outdated": []}
    with ModelServer() as server:
        server.script(*[Say(json.dumps(points))] * 4)
        changes = {
            "distiller": "openai",
            "distiller_url": f"{server.url}/v1",
            "distiller_model": "m",
            "distiller_key": "k",
        }
        with a_house(tmp_path / "m.db", home=tmp_path, **changes) as (_, ada, _):
            say(ada, "nora", CODE, "I will remember it.")
            receipt = distilled(ada)
            assert receipt.distiller == "openai:m"
            assert {whose for _, whose in learnt(ada, "4711")} == {"nora"}
            assert finds(ada, "piet", "what is the door code?", "4711") == set()


def test_who_gives_no_principal_is_told_as_before(ada: Agent) -> None:
    say(ada, None, CODE, "I will remember it.")
    distilled(ada)
    assert learnt(ada, "4711") == [("my door code is 4711.", None)]
    assert "fact" in finds(ada, "piet", "what is the door code?", "4711")


def test_what_two_say_word_for_word_each_is_told_and_no_third(ada: Agent) -> None:
    tea = "I prefer my tea without any sugar."
    say(ada, "nora", tea)
    say(ada, "piet", tea)
    distilled(ada)
    assert learnt(ada, "sugar") == [(tea, "nora"), (tea, "piet")]
    assert all("preference" in finds(ada, who, "tea", "sugar") for who in ("nora", "piet"))
    assert finds(ada, "kim", "tea", "sugar") == set()


def test_what_people_settle_among_themselves_is_for_all(ada: Agent) -> None:
    say(ada, "nora", "Shall we hold the fair in the Harbour Hall?")
    say(ada, "piet", "Yes, agreed, let's take the Harbour Hall.")
    distilled(ada)
    [(text, whose)] = learnt(ada, "Harbour Hall")
    assert (text.startswith("Nora: Shall we"), "Piet: Yes" in text, whose) == (True, True, None)
    assert finds(ada, "kim", "where is the fair", "Harbour Hall") == {"decision"}


def test_what_answers_a_question_nobody_in_particular_asked_is_hers_who_answers(ada: Agent) -> None:
    """A program that records names the person on her own words alone."""
    ada.record(
        [
            {"role": "user", "content": "I need a code for the door.", "principal": "nora"},
            {"role": "assistant", "content": "Which code shall I use for the door?"},
            {"role": "user", "content": "4711", "principal": "nora"},
            {"role": "assistant", "content": "Noted."},
        ]
    )
    distilled(ada)
    assert {whose for _, whose in learnt(ada, "4711")} == {"nora"}
    assert finds(ada, "piet", "which code for the door", "4711") == set()


# ---- beside each other


EARLY, LATE = "Always call me in the morning.", "Never call me in the morning."


def test_what_one_rules_ends_nothing_that_another_does(et: Everthread, ada: Agent) -> None:
    say(ada, "nora", EARLY)
    distilled(ada)
    say(ada, "piet", LATE)
    distilled(ada, first=20)
    both = [(LATE, "piet"), (EARLY, "nora")]
    assert learnt(ada, "in the morning") == sorted(both)
    say(ada, "nora", LATE)
    distilled(ada, first=40)
    kept = learnt(ada, "in the morning")
    assert (EARLY, "nora") not in kept
    assert (LATE, "piet") in kept
    assert untouched(et)


def test_nor_where_nobody_has_a_name(et: Everthread, ada: Agent) -> None:
    """A digest tells people apart by their names alone; whose a memory is does not hang on them."""
    for n, (who, text) in enumerate([("nora", EARLY), ("piet", LATE)]):
        ada.turn(text, principal=who).done("Noted.")
        distilled(ada, None, first=20 * n)
    assert learnt(ada, "in the morning") == sorted([(EARLY, "nora"), (LATE, "piet")])
    assert untouched(et)


def test_what_nobody_in_particular_says_ends_it(ada: Agent) -> None:
    for n, (who, text) in enumerate([("nora", EARLY), (None, LATE)]):
        ada.turn(text, principal=who).done("Noted.")
        distilled(ada, None, first=20 * n)
    assert learnt(ada, "in the morning") == [(LATE, None)]


def test_what_is_undone_and_redone_is_hers_as_before(et: Everthread, ada: Agent) -> None:
    say(ada, "nora", CODE, "I will remember it.")
    receipt = distilled(ada)
    before = learnt(ada, "4711")
    et.undo(receipt.id)
    assert learnt(ada, "4711") == []
    et.redo(receipt.id)
    assert learnt(ada, "4711") == before == [("my door code is 4711.", "nora")]
    assert untouched(et)


def nobodys(*_: object) -> None:
    """Whose it was when that was not yet asked."""


def sat(agent: Agent, who: str, *texts: str) -> None:
    """A session of hers, from its first word to what is drawn from it."""
    for text in texts:
        say(agent, who, text)
    assert agent.conclude_session(agent.end_session().id)


def test_what_one_says_in_her_session_ends_nothing_of_anothers(et: Everthread, ada: Agent) -> None:
    sat(ada, "nora", EARLY)
    sat(ada, "piet", LATE)
    assert learnt(ada, "in the morning") == sorted([(EARLY, "nora"), (LATE, "piet")])
    sat(ada, "piet", EARLY)
    assert learnt(ada, "in the morning") == [(EARLY, "nora"), (EARLY, "piet")]
    assert learnt(ada, "in the morning", "superseded") == [(LATE, "piet")]
    assert untouched(et)


def test_what_was_drawn_before_it_was_known_whose_it_is_stays_and_is_hers_to_change(
    et: Everthread, ada: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a store of earlier holds it: another's word does not end it, and her own does."""
    with monkeypatch.context() as then:
        then.setattr(learn, "principal_of", nobodys)
        sat(ada, "nora", EARLY)
    assert learnt(ada, "in the morning") == [(EARLY, None)]
    sat(ada, "nora", EARLY)
    (again,) = ada.memories()
    assert (again.text, again.principal, again.said) == (EARLY, None, 2)
    sat(ada, "piet", LATE)
    assert learnt(ada, "in the morning") == sorted([(EARLY, None), (LATE, "piet")])
    sat(ada, "nora", LATE)
    assert learnt(ada, "in the morning") == [(LATE, "nora"), (LATE, "piet")]
    assert learnt(ada, "in the morning", "superseded") == [(EARLY, None)]
    assert untouched(et)


def test_what_is_said_again_stays_for_whom_it_was(et: Everthread, ada: Agent) -> None:
    """A row keeps its project; what seals it must not tell another."""
    said = "The office printer stands in the cellar."
    kept = ada.remember(said, project="/src/red")
    again = ada.remember(said[:-1], project="/src/blue", origin="agent")
    assert (again.id, again.project, again.said) == (kept.id, "/src/red", 2)
    assert untouched(et)
