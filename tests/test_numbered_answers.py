"""Who answers several questions by their numbers has decided each of them, and nobody asks again."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY, Digest
from everthread.domain.gleaning.facts import memories_of
from test_gleaning import gleaned

pytestmark = pytest.mark.req("A-13", "A-21")

ASKED = (
    "Before I go on:\n\n"
    "1. **Tiles**: which ones should I order?\n"
    "   a) slate, dark and dear\n"
    "   b) clay, as on the barn\n"
    "2. **Gutter** – what is it made of now?\n"
    "3. Should the old chimney stay?\n\n"
    "Then I'll begin."
)
TILES = "Tiles: which ones should I order?"
GUTTER = "Gutter – what is it made of now?"
OPENED = "We renew the roof."
CHIMNEY = "Should the old chimney stay?"


def answered(answer: str, asked: str = ASKED) -> Digest:
    return gleaned(("user", OPENED), ("agent", asked), ("user", answer), ("agent", "Good."))


def told(digest: Digest) -> list[tuple[str, str]]:
    found = [(p.kind, p.text) for p in digest.points if p.kind in ("decision", "fact")]
    return [each for each in found if each[1] != OPENED]


def waiting(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item" and p.by == "agent"]


@pytest.mark.parametrize(
    ("answer", "first", "second", "third"),
    [
        ("1b, 2 zinc, 3 no", "1b", "2 zinc", "3 no"),
        ("1. b\n2. zinc\n3. no", "1. b", "2. zinc", "3. no"),
        ("1) b 2) zinc 3) no", "1) b", "2) zinc", "3) no"),
        ("Sure, here you go:\n1: b\n2: zinc\n3: no", "1: b", "2: zinc", "3: no"),
        ("1 - b, 2 - zinc, 3 - no", "1 - b", "2 - zinc", "3 - no"),
        ("Q1: b\nQ2: zinc\nQ3: no", "Q1: b", "Q2: zinc", "Q3: no"),
        ("1.b, 2.zinc, 3.no", "1.b", "2.zinc", "3.no"),
    ],
)
def test_each_answer_stands_behind_its_question(
    answer: str, first: str, second: str, third: str
) -> None:
    digest = answered(answer)
    assert told(digest) == [
        ("decision", f"{TILES} … clay, as on the barn"),
        ("decision", first),
        ("decision", CHIMNEY),
        ("decision", third),
        ("fact", GUTTER),
        ("fact", second),
    ]
    assert waiting(digest) == []


def test_a_memory_tells_the_question_with_its_answer() -> None:
    known = [memory.text for memory in memories_of(EMPTY, answered("1b, 2 zinc, 3 no"))]
    assert f"{CHIMNEY} 3 no" in known
    assert f"{TILES} 1b (clay, as on the barn)" in known


def test_options_within_the_question_are_told_with_it() -> None:
    asked = "Two things:\n1. Ship it by (a) rail, (b) road or (c) sea?\n2. Who signs?"
    digest = answered("1c, 2 the warden", asked)
    assert ("decision", "Ship it by (a) rail, (b) road or (c) sea?") in told(digest)
    assert ("fact", "2 the warden") in told(digest)


def test_what_she_leaves_out_is_not_decided() -> None:
    digest = answered("1. b\n2. zinc")
    assert ("fact", "2. zinc") in told(digest)
    assert CHIMNEY not in {text for _, text in told(digest)}


def test_who_asks_back_is_heard_and_the_rest_is_answered() -> None:
    digest = answered("1. how much dearer is slate?\n3. no")
    assert ("decision", "3. no") in told(digest)
    asked = [p.text for p in digest.points if p.kind == "request"]
    assert any("how much dearer is slate?" in text for text in asked)


def test_what_is_asked_for_beside_an_answer_is_open() -> None:
    digest = answered("1) b. Also move the ladder behind the barn.\n3) no")
    asked = [p.text for p in digest.points if p.kind == "request"]
    assert any("Also move the ladder" in text for text in asked)


def test_other_languages_answer_so_too() -> None:
    asked = "Drei Fragen:\n1. Welche Ziegel soll ich nehmen?\n2. Wie alt ist die Rinne?\n3. Bleibt der Kamin?"
    digest = answered("1 Ton\n2 etwa 40 Jahre\n3 nein", asked)
    assert ("decision", "1 Ton") in told(digest)
    assert ("fact", "2 etwa 40 Jahre") in told(digest)
    assert waiting(digest) == []


@pytest.mark.parametrize(
    "text",
    [
        "I have 2 ladders and 3 ropes already.",
        "3 weeks is too long, 2 would be fine",
        "1. Paint the door of the shed green\n2. Mend the fence behind the pond\n3. Sweep the cellar stairs",
        "b",
    ],
    ids=["figures", "figures first", "a list of her own", "no number"],
)
def test_figures_and_lists_of_her_own_answer_nothing(text: str) -> None:
    digest = answered(text)
    assert not {TILES, GUTTER} & {point for _, point in told(digest)}


def test_steps_by_number_are_no_questions() -> None:
    digest = answered(
        "1. done 2. too heavy", "Steps:\n1. Lift the beam.\n2. Turn it.\n\nShall I go on?"
    )
    assert not any("Lift the beam" in text for _, text in told(digest))


OFFERED = (
    "Before I go on:\n\n"
    "**Question 1: Tiles of the roof**\n- A) slate, dark and dear\n- B) clay, as on the barn\n\n"
    "**Question 2: Gutter**\n- A) zinc\n- B) copper, as on the church\n\n"
    "Then I'll begin."
)


def test_options_under_a_heading_ask_which() -> None:
    digest = answered("Question 1: B. with a note for adding A\nQuestion 2: A", OFFERED)
    decided = [text for kind, text in told(digest) if kind == "decision"]
    assert decided == [
        "Tiles of the roof … clay, as on the barn",
        "Question 1: B. with a note for adding A",
        "Gutter … zinc",
        "Question 2: A",
    ]


def test_let_us_within_an_answer_asks_for_nothing_more() -> None:
    asked = (
        "Three questions:\n1. **Tiles**: which ones?\n2. **Rows**: all of them, or some?\n"
        "3. **Gutter**: zinc or copper? What's your preference?"
    )
    words = (
        "1. Clay.\n2. I go step by step. Let's do the north side first\n3. Let's start with zinc"
    )
    digest = answered(words, asked)
    assert not [p for p in digest.points if p.kind == "open_item"]
    assert "What's your preference?" not in [text for _, text in told(digest)]


def test_what_was_advised_beside_the_questions_is_not_decided_by_a_later_nod() -> None:
    advised = f"I recommend to strip the old felt from the barn first.\n\n{ASKED}"
    digest = gleaned(
        ("user", "We renew the roof."),
        ("agent", advised),
        ("user", "1b, 2 zinc, 3 no"),
        ("agent", "I wrote the order for the tiles."),
        ("user", "Ok."),
        ("agent", "Good."),
    )
    assert not [p for p in digest.points if p.kind == "decision" and "old felt" in p.text]
