"""What people settle among themselves, and what they drop again: without asking the agent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import everthread
from everthread import Settings
from everthread.domain.conversation.messages import Message
from everthread.domain.forgetting.forgotten_texts import Sieve, forgotten_of
from everthread.domain.gleaning.digest import EMPTY, Digest, digest_text, read_digest
from everthread.domain.gleaning.facts import closed_of, memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.text.acts.peer_talk import (
    accepts,
    agrees,
    asks_objections,
    dropped_plan,
    puts,
)
from everthread.domain.text.acts.speech import parse_sentence
from everthread.testing import FrozenClock
from support.chance import few
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21", "A-66")

Line = tuple[str, str]
AGENT = "agent"


def said(*lines: Line, start: int = 1) -> list[Message]:
    """The lines, each of the person who is named, or of the agent."""
    return [
        spoken(text, "agent", n=n) if name == AGENT else spoken(text, n=n, name=name)
        for n, (name, text) in enumerate(lines, start=start)
    ]


def read(messages: Sequence[Message], before: Digest = EMPTY) -> Digest:
    gleaner = Gleaner(before)
    for message in messages:
        gleaner.read(message)
    return read_digest(digest_text(gleaner.digest()))


def decided(digest: Digest) -> list[Line]:
    return [(p.name, p.text) for p in digest.points if p.kind == "decision"]


def waiting(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "open_item"]


# ---- what a sentence does


@pytest.mark.parametrize(
    "text",
    [
        "Can we move the stand-up to half past nine?",
        "I'd say we take the blue tiles.",
        "How about the ferry instead of flying?",
        "Let's meet at the quarry.",
        "Wie wäre es mit dem Biergarten?",
        "Same again, ok?",
        "Any objections?",
    ],
)
def test_who_proposes_is_heard(text: str) -> None:
    assert puts(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Fine by me.",
        "yep",
        "works for us",
        "Go on then",
        "I'm in",
        "👍",
        "+1",
        "Yes to the ferry.",
        "yes but not before Tuesday",
        "passt",
        "von mir aus",
        "Good plan.",
        "Great, book it.",
        "Sure, thanks",
        "That's fine",
        "Ok if Tom drives.",
        "Fine, I take the bathroom.",
    ],
)
def test_who_agrees_is_heard(text: str) -> None:
    assert agrees(parse_sentence(text))


@pytest.mark.parametrize(
    "text", ["40 ok", "Saturday is fine.", "Ok, the ferry then.", "Sure, the green one."]
)
def test_some_agree_only_by_what_they_name(text: str) -> None:
    assert accepts(parse_sentence(text)) and not agrees(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "No way.",
        "It's not fine by me.",
        "ok?",
        "I don't agree",
        "The pump is done for, well done everybody.",
        "I'd like it on the wall by spring, and the old one has to go to my mother's cellar first.",
        "Yesterday it rained.",
        "Let's wait until Friday.",
        "Great, the train is late again.",
        "Same problem here.",
        "Works on my machine.",
        "Ok so the bus leaves at nine.",
        "I'm in Rome next week.",
        "Of course the printer jams today.",
        "Fine, but I'd prefer Saturday.",
        "Ok, let me check with my sister.",
        "Great idea but too expensive.",
    ],
)
def test_who_does_not_agree_is_not_taken_to(text: str) -> None:
    assert not agrees(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "I think I left my keys at yours.",
        "We should have left earlier.",
        "We might be late.",
        "I reckon it rained.",
    ],
)
def test_who_tells_or_guesses_proposes_nothing(text: str) -> None:
    assert not puts(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Scrap the sauna.", "sauna"),
        ("let's forget about the sauna", "sauna"),
        ("The sauna trip is off, too dear", "sauna"),
        ("The sauna is called off", "sauna"),
        ("No sauna after all.", "sauna"),
        ("we changed our minds, and I changed my mind about the sauna", "sauna"),
        ("Die Sauna fällt weg.", "sauna"),
    ],
)
def test_what_is_dropped_is_named(text: str, named: str) -> None:
    assert named in dropped_plan(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Drop the staging table and import it again.",
        "Don't forget the sauna.",
        "Kill the process if it hangs.",
        "If we scrap the sauna there is room.",
        "The counter is off by one.",
        "Is the sauna off?",
        "Skip the slow test for now.",
        "The sauna is off.",
        "Tom is off, back on Monday.",
        "The printer's dead again.",
        "There is no milk in the sauna any more.",
        "I forget the name of the sauna.",
        "Let's not heat the sauna before the guests come.",
        "Let's skip to the sauna.",
    ],
)
def test_an_order_or_a_doubt_drops_nothing(text: str) -> None:
    assert dropped_plan(parse_sentence(text)) == ""


def test_who_asks_for_objections_is_heard() -> None:
    assert asks_objections(parse_sentence("Anyone against?")) and asks_objections(
        parse_sentence("Objections?")
    )
    assert not asks_objections(parse_sentence("Who is against the wall?"))


# ---- what is read off a talk of several people

FERRY = "Can we take the ferry on the 4th, it is 62 for all of us?"


def test_what_one_proposes_and_another_takes_up_is_decided() -> None:
    digest = read(said(("Nora", FERRY), ("Piet", "Fine by me.")))
    assert decided(digest) == [("Nora", FERRY), ("Piet", "Fine by me.")]
    assert waiting(digest) == []
    (fact,) = [f for f in memories_of(EMPTY, digest) if f.kind == "decision"]
    assert fact.text == f"Nora: {FERRY} Piet: Fine by me."
    assert len(fact.sources) == 2


@pytest.mark.parametrize("answer", ["No, too early for the kids.", "The weather will be awful."])
def test_what_nobody_takes_up_is_not(answer: str) -> None:
    assert decided(read(said(("Nora", FERRY), ("Piet", answer)))) == []


@pytest.mark.parametrize(
    ("put", "answer"),
    [
        ("You ok?", "yes thanks"),
        ("Do you play any instruments?", "Yeah, I play the cello."),
        ("How about you?", "Great, thanks."),
        ("As kids we'd go through the fields to school.", "Lovely!"),
        ("The new floor still lets you slide.", "Sounds great!"),
        ("I think I left my passport at yours, Piet.", "Yes, it's on the kitchen table."),
        ("Shall we fly to Bergen on the 12th?", "Let's wait until Friday, I must ask my boss."),
        ("Could we rent a van for three days?", "Great, now my insurance has lapsed as well."),
    ],
)
def test_a_yes_to_no_proposal_and_another_proposal_decide_nothing(put: str, answer: str) -> None:
    assert decided(read(said(("Nora", put), ("Piet", answer)))) == []


def test_where_several_agree_it_is_one_memory_of_what_was_proposed() -> None:
    lines = (("Nora", FERRY), ("Piet", "Fine by me."), ("Lea", "Yes to the ferry."))
    digest = read(said(*lines))
    told = [f.text for f in memories_of(EMPTY, digest) if f.kind == "decision"]
    assert told == [f"Nora: {FERRY} Piet: Fine by me."]
    more = ("Lea", "Yes to the ferry, if both dogs and the bikes may come.")
    further = [f.text for f in memories_of(EMPTY, read(said(*lines[:2], more)))]
    assert {*told, f"Nora: {FERRY} Lea: {more[1]}"} <= {*further}
    after = read(said(("Nora", "Scrap the ferry."), start=9), digest)
    assert decided(after) == []
    assert told[0] in [p.text for p in closed_of(digest, after).points]


def test_what_one_decides_is_no_answer_to_what_another_did_before() -> None:
    lines = (
        ("Nora", "We go with the oak floor for the hall."),
        (AGENT, "The oak is in stock."),
        ("Piet", "We go with the blue tiles, sure."),
        ("Lea", "Right: entry stays at 5. Anyone against?"),
        (AGENT, "Noted."),
        ("Piet", "We go with Mel's band for the party."),
    )
    told = [f.text for f in memories_of(EMPTY, read(said(*lines))) if f.kind == "decision"]
    assert len(told) > 2
    assert not any(text.startswith(("Nora: ", "Lea: ")) for text in told)


def test_nobody_agrees_with_himself() -> None:
    assert decided(read(said(("Nora", FERRY), ("Nora", "Yes, fine.")))) == []
    assert read(said(("Nora", FERRY), ("Nora", "Yes, fine."))).put[0].name == "Nora"


def test_one_person_who_has_no_name_is_read_as_ever() -> None:
    lines = [spoken(FERRY, n=1), spoken("Fine by me.", n=2)]
    digest = read(lines)
    assert decided(digest) == [] and digest.put == ()


def test_a_yes_after_the_agent_asked_is_for_the_agent() -> None:
    asks = (AGENT, "Shall I book the museum for noon?")
    digest = read(said(("Nora", FERRY), asks, ("Piet", "yes")))
    assert ("Nora", FERRY) not in decided(digest)
    assert ("", "Shall I book the museum for noon?") in decided(digest)


def test_who_agrees_later_says_to_what() -> None:
    aside = (AGENT, "The museum opens at ten.")
    digest = read(
        said(("Nora", FERRY), aside, ("Lea", "My bike is at Tom's."), ("Piet", "Ferry ok"))
    )
    assert decided(digest) == [("Nora", FERRY), ("Piet", "Ferry ok")]


def test_who_asks_whether_anybody_is_against_it_has_settled_it() -> None:
    lines = (
        ("Nora", "Right: entry stays at 5, children free. Anyone against?"),
        ("Piet", "Rain again."),
    )
    digest = read(said(*lines))
    assert decided(digest) == [("Nora", "Right: entry stays at 5, children free.")]
    assert waiting(digest) == []
    assert decided(read(said(("Nora", "Anyone against?"), ("Piet", "Rain again.")))) == []


def test_what_is_told_beside_a_proposal_is_still_told() -> None:
    letter = "The letter to the landlord is gone, number RX 88412. Also can we agree on 40 for the plumber?"
    digest = read(said(("Nora", letter), ("Piet", "40 ok")))
    assert ("Nora", "Also can we agree on 40 for the plumber?") in decided(digest)
    assert any("RX 88412" in p.text and p.kind != "open_item" for p in digest.points)


def test_a_short_order_beside_a_yes_is_part_of_it() -> None:
    digest = read(
        said(("Nora", "He wants 410 and a parking place. ok?"), ("Piet", "Deal. Give him mine."))
    )
    assert waiting(digest) == []
    more = read(
        said(
            ("Nora", FERRY),
            ("Piet", "Deal. Please write down what the crossing costs with two dogs."),
        )
    )
    assert waiting(more) == ["Deal. Please write down what the crossing costs with two dogs."]


def test_a_question_that_another_speaks_to_is_not_open() -> None:
    asked = ("Nora", "Will the roof last until spring?")
    assert waiting(read(said(asked))) == [asked[1]]
    assert waiting(read(said(asked, ("Piet", "With luck, the beams are sound.")))) == []


def test_a_deed_that_one_asks_for_waits_while_others_talk_of_something_else() -> None:
    asked = ("Nora", "Could you compare the ferry with the flight?")
    talk = ("Piet", "I'm so tired, the dog barked all night.")
    assert waiting(read(said(asked, talk))) == [asked[1]]
    assert waiting(read(said(asked, ("Piet", "The flight is 210, the ferry half of that.")))) == []
    assert waiting(read(said(asked, ("Piet", "No.")))) == []


def test_what_another_says_to_a_question_chooses_only_after_the_agent_spoke_to_it() -> None:
    asked = ("Nora", "Which tiles shall we take, the blue or the green ones?")
    told = ("Piet", "Sorry about the tiles, I dropped one.")
    assert decided(read(said(asked, told))) == []
    advice = (AGENT, "The blue ones are in stock, the green ones take six weeks.")
    chosen = ("Piet", "The blue tiles then.")
    for cut in (2, 3):
        lines = said(asked, advice, chosen)
        digest = read(lines[cut:], read(lines[:cut]))
        assert chosen in decided(digest)


def test_one_that_was_put_to_somebody_else_is() -> None:
    asked = ("Nora", "Ada, what did the roofer charge in May?")
    assert waiting(read(said(asked, ("Piet", "Rain again.")))) == [asked[1]]
    lea = ("Nora", "Lea, what did the roofer charge in May?")
    assert waiting(read(said(lea, ("Lea", "1,240, all in.")))) == []


# ---- what is dropped again


def test_what_was_agreed_on_and_dropped_is_decided_no_longer() -> None:
    before = read(said(("Nora", "Let's build the sauna behind the shed."), ("Piet", "Good plan.")))
    assert len(decided(before)) == 2
    after = read(said(("Lea", "Scrap the sauna, the council says no."), start=3), before)
    assert decided(after) == []
    assert "Scrap the sauna" in "".join(p.text for p in after.points if p.kind == "correction")
    (gone,) = [p for p in closed_of(before, after).points if p.kind == "decision"]
    assert gone.text in {f.text for f in memories_of(EMPTY, before)}


def test_one_person_drops_what_she_decided_too() -> None:
    before = read([spoken("Let's go with the lake house in Alnmouth for the summer.", n=1)])
    assert len(decided(before)) == 1
    after = read([spoken("No lake house after all.", n=2)], before)
    assert decided(after) == []


def test_what_is_not_named_stays() -> None:
    before = read(said(("Nora", "Let's build the sauna behind the shed."), ("Piet", "Good plan.")))
    after = read(said(("Lea", "Scrap the sauna stove, the wood one is nicer."), start=3), before)
    assert decided(after) == decided(before)


# ---- over the end of a range, and when it is forgotten

LINES: tuple[Line, ...] = (
    ("Nora", FERRY),
    ("Piet", "Fine by me."),
    ("Lea", "yes"),
    ("Nora", "Will the roof last until spring?"),
    ("Piet", "With luck, the beams are sound."),
    ("Lea", "I'd say we paint the door green."),
    ("Piet", "Green ok"),
    ("Nora", "Scrap the ferry."),
    (AGENT, "The museum opens at ten."),
    (AGENT, "Shall I book the museum?"),
)


@given(
    st.lists(st.sampled_from(LINES), min_size=2, max_size=12),
    st.lists(st.integers(1, 11), max_size=4),
)
@settings(max_examples=few(100), deadline=None)
def test_what_was_agreed_on_does_not_depend_on_where_one_cuts(
    lines: list[Line], cuts: list[int]
) -> None:
    messages = said(*lines)
    inside = sorted({cut for cut in cuts if cut < len(messages)})
    often = EMPTY
    for first, last in zip([0, *inside], [*inside, len(messages)], strict=True):
        often = read(messages[first:last], often)
    once = read(messages)
    assert decided(often) == decided(once)
    assert often.put == once.put


def test_what_is_forgotten_waits_for_no_yes() -> None:
    messages = said(("Nora", FERRY))
    digest = read(messages)
    gone = forgotten_of((), messages, [])
    left = Sieve(gone, lambda _keys: []).without(digest)
    assert digest.put and left.put == ()


def test_a_summary_and_the_memories_tell_who_agreed(tmp_path: Path) -> None:
    kept = Settings(workspace=str(tmp_path / "files"), embedder="off")
    clock = FrozenClock("2026-03-02T09:00:00Z")
    with everthread.connect("memory://", settings=kept, clock=clock, background=False) as et:
        ada = et.agent("ada")
        ada.turn(FERRY, name="Nora").done("Noted, nothing to add from here.")
        ada.turn("Let's build the sauna behind the shed.", name="Nora").failed("nobody was asked")
        ada.turn("Good plan.", name="Piet").failed("nobody was asked")
        for n in range(12):
            ada.turn(f"Row {n} has its chairs from Kilmore street {n}.", name="Lea").done("Noted.")
        ada.distill()
        text = ada.context().summary or ""
        assert 'Nora, 2 Mar: "Let\'s build the sauna behind the shed."' in text
        assert 'Piet, 2 Mar: "Good plan."' in text
        told = [m.text for m in ada.memories(kind="decision")]
        assert "Nora: Let's build the sauna behind the shed. Piet: Good plan." in told
        ada.turn("Scrap the sauna, the council says no.", name="Lea").done("Noted.")
        for n in range(20, 32):
            ada.turn(f"Row {n} has its chairs from Kilmore street {n}.", name="Lea").done("Noted.")
        ada.distill()
        assert "Good plan." not in (ada.context().summary or "")
        assert [m for m in ada.memories(kind="decision") if m.valid_to is None] == []
