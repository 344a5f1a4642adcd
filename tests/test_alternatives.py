"""What is put up for choice without labels, and what is sorted: this one yes, that one no, one later."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.distilling.summaries import render
from everthread.domain.ending.session_prose import Claim
from everthread.domain.ending.session_summary import plain_prose
from everthread.domain.gleaning.choices.alternatives import HeardList
from everthread.domain.gleaning.choices.answer_pairs import answer_pairs
from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.list_context import places_of
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.support.support import verdict
from everthread.domain.text.acts.option_sorting import (
    LATER,
    OUT,
    TAKEN,
    all_label_verdicts,
    label_verdicts,
)
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21")


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner(EMPTY)
    for n, (who, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, who, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def of(digest: Digest, kind: str, by: str) -> list[str]:
    return [p.text for p in digest.points if (p.kind, p.by) == (kind, by)]


def items(text: str) -> list[str]:
    """What a message offers without labels, each without its sentence."""
    found = HeardList.of(spoken(text, "agent"), take_apart(text))
    if found is None or found.offer.labelled:
        return []
    return [item.text.rpartition(" … ")[2] for item in found.offer.items]


# Without labels

BULLETS = "We could use:\n- oak from Veld\n- pine from Korn\nWhich one?"


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (BULLETS, ["oak from Veld", "pine from Korn"]),
        ("Options:\n\n* oak\n  * dear\n  * dark\n* pine\n\nThey last.", ["oak", "pine"]),
        ("Shall I take the oak or the pine?", ["the oak", "the pine"]),
        ("Next I could plane the door, or the frame.", ["the door", "the frame"]),
        ("Should I use oak, ash or pine?", ["Should I use oak", "ash", "pine"]),
        ("For the door, should I use oak or pine?", ["should I use oak", "pine"]),
        ("Soll ich die Eiche oder die Kiefer nehmen?", ["die Eiche", "die Kiefer nehmen"]),
        ("Tu veux le chêne ou le pin ?", ["le chêne", "le pin"]),
        ("¿Prefieres el roble o el pino?", ["el roble", "el pino"]),
    ],
)
def test_what_is_offered_without_labels(text: str, ways: list[str]) -> None:
    assert items(text) == ways


@pytest.mark.parametrize(
    "text",
    [
        "Done so far:\n- the door is planed\n- the frame is oiled\n\nDo you want more?",
        "The shop has:\n- oak from Veld\n- pine from Korn",
        "Good:\n- it lasts\n- it is cheap\nBad:\n- it is dark\n\nWhich one do you want?",
        "Shall I go on or not?",
        "Do you want tea or something else?",
        "The door is oak or ash.",
        "One item:\n- oak\n\nWhich one?",
    ],
)
def test_what_offers_nothing(text: str) -> None:
    assert items(text) == []


@pytest.mark.parametrize(
    ("answer", "way"),
    [
        ("the second one", "pine from Korn"),
        ("the latter", "pine from Korn"),
        ("the first option", "oak from Veld"),
        ("take the former", "oak from Veld"),
        ("do the second one", "pine from Korn"),
        ("das zweite", "pine from Korn"),
        ("letzteres", "pine from Korn"),
        ("la deuxième", "pine from Korn"),
        ("el primero", "oak from Veld"),
        ("2", "pine from Korn"),
    ],
)
def test_a_place_is_resolved_to_the_item(answer: str, way: str) -> None:
    digest = gleaned(("user", "Which wood?"), ("agent", BULLETS), ("user", answer))
    assert of(digest, "decision", "agent") == [f"Which one? … {way}"]
    assert of(digest, "decision", "user") == [answer]
    source = spoken(BULLETS, "agent", n=2)
    assert verdict(f"Which one? … {way}", [source], by="agent", verbatim=True).supported


def test_a_place_on_one_side_of_an_or() -> None:
    asked = "Should I use oak or pine?"
    digest = gleaned(("user", "Which wood?"), ("agent", asked), ("user", "the latter"))
    assert of(digest, "decision", "agent") == [f"{asked} … pine"]
    first = gleaned(("user", "Which wood?"), ("agent", asked), ("user", "the first one"))
    (told,) = of(first, "decision", "agent")
    assert told == f"{asked} … Should I use oak"
    assert verdict(told, [spoken(asked, "agent")], by="agent", verbatim=True).supported


@pytest.mark.parametrize(
    "answer",
    [
        "First, ask Ann.",
        "The second one looks too dark",
        "a",
        "Which is the second one?",
        "The latter is what Finn has, is it not?",
    ],
)
def test_who_names_a_place_otherwise_chooses_nothing(answer: str) -> None:
    digest = gleaned(("user", "Which wood?"), ("agent", BULLETS), ("user", answer))
    assert not [text for text in of(digest, "decision", "agent") if " … " in text]


def test_a_number_alone_picks_no_side_of_an_or() -> None:
    asked = "Do you want one room or two rooms?"
    digest = gleaned(("user", "Book it."), ("agent", asked), ("user", "2"))
    assert not [text for text in of(digest, "decision", "agent") if " … " in text]


def test_a_place_means_only_what_was_said_last() -> None:
    digest = gleaned(
        ("user", "Which wood?"),
        ("agent", BULLETS),
        ("user", "Who is Korn?"),
        ("agent", "He has a mill."),
        ("user", "the second one"),
    )
    assert not of(digest, "decision", "agent")


# Sorted

WAYS = "Three ways:\nOption A: by post\nOption B: by courier\nOption C: at the desk"


@pytest.mark.parametrize(
    "text",
    [
        "a is out, too dear. b for now, c later.",
        "a: no, b: yes, c: later",
        "not a, b please, c can wait",
        "drop a, do b now and c maybe later",
        "1. no 2. yes 3. later",
        "a raus, b jetzt, c später",
        "a non, b oui, c plus tard",
        "a no, b sí, c más tarde",
        "option a is too slow, let's take option b, c next week",
    ],
)
def test_each_label_is_sorted(text: str) -> None:
    found = label_verdicts(text)
    assert found is not None
    assert [one.how for one in found] == [OUT, TAKEN, LATER]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("a and c are out, b it is", [OUT, OUT, TAKEN]),
        ("skip 1 and 3, do 2", [OUT, OUT, TAKEN]),
        ("b and c later, a now", [LATER, LATER, TAKEN]),
    ],
)
def test_of_two_labels_with_an_and_the_same_is_said(text: str, how: list[str]) -> None:
    assert [one.how for one in label_verdicts(text) or ()] == how


@pytest.mark.parametrize(
    "text",
    [
        "neither 2 nor option 3, we want a garden",
        "2 of the tests fail, 3 pass",
        "1 is cheaper than 2, 3 is out",
        "a is fine if b is out",
        "2, 3 later",
        "take 1 and 2 later",
        "maybe a, b is out",
        "a is out, no wait, b is out",
        "i have 2 cats, 3 dogs and no birds",
        "a queue is out, a table is fine",
        "1 or 2, 3 is out",
    ],
)
def test_what_is_not_clear_sorts_nothing(text: str) -> None:
    assert not label_verdicts(text)


def test_two_verdicts_on_one_label_are_none() -> None:
    assert not all_label_verdicts(["a is out, b is fine", "a later"])


LABELS = st.lists(st.sampled_from("bcdfg"), min_size=1, max_size=4, unique=True)
VERDICTS = {"yes": TAKEN, "now": TAKEN, "no": OUT, "is out": OUT, "later": LATER, "can wait": LATER}


@given(LABELS, st.data())
def test_every_label_has_its_own_verdict(labels: Sequence[str], data: st.DataObject) -> None:
    said = [(label, data.draw(st.sampled_from([*VERDICTS]))) for label in labels]
    text = ", ".join(f"{label} {verdict}" for label, verdict in said)
    assert label_verdicts(text) == [(label, VERDICTS[verdict]) for label, verdict in said]


def test_what_is_sorted_is_kept_with_what_each_label_means() -> None:
    answer = "A is out, too dear. B for now, C later."
    digest = gleaned(("user", "How do we send it?"), ("agent", WAYS), ("user", answer))
    assert of(digest, "decision", "agent") == ["Three ways … Option B: by courier"]
    assert of(digest, "decision", "user") == [answer]
    assert of(digest, "correction", "agent") == ["Three ways … Option A: by post"]
    assert of(digest, "correction", "user") == ["A is out, too dear."]
    assert of(digest, "open_item", "agent") == ["Option C: at the desk"]
    messages = [spoken(WAYS, "agent", n=2), spoken(answer, "user", n=3)]
    for point in digest.points:
        if point.kind in ("decision", "correction", "open_item"):
            sources = [m for m in messages if m.key in point.sources]
            assert verdict(point.text, sources, by=point.by, verbatim=True).supported


def test_the_memories_of_what_is_sorted_say_what_it_is() -> None:
    answer = "A is out, too dear. B for now, C later."
    digest = gleaned(("user", "How do we send it?"), ("agent", WAYS), ("user", answer))
    told = {(fact.kind, fact.by): fact.text for fact in memories_of(EMPTY, digest)}
    assert told["decision", "user"] == f"Three ways: {answer} (Option B: by courier)"
    assert told["correction", "user"] == "Three ways: A is out, too dear. (Option A: by post)"
    assert ("correction", "agent") not in told


def test_what_is_sorted_line_by_line() -> None:
    rooms = "Rooms:\n\n1. Harbour hall\n2. Old bakery\n3. Glass house\n\nWhich do you want?"
    digest = gleaned(("user", "Where?"), ("agent", rooms), ("user", "1. no\n2. yes\n3. later"))
    assert of(digest, "decision", "agent") == ["Which do you want? … 2. Old bakery"]
    assert of(digest, "open_item", "agent") == ["3. Glass house"]


def test_what_is_put_off_stays_open_until_it_is_done() -> None:
    said = [("user", "How?"), ("agent", WAYS), ("user", "A is out. B now, C later.")]
    more = [("agent", "The courier comes."), ("user", "Who is it?"), ("agent", "It is Finn.")] * 3
    assert of(gleaned(*said, *more), "open_item", "agent") == ["Option C: at the desk"]
    done = ("agent", "I've added option C, so letters are taken at the desk.")
    assert not of(gleaned(*said, *more, ("user", "And?"), done), "open_item", "agent")


@pytest.mark.parametrize("answer", ["A is out, we have no stamps.", "A is out and B is too slow."])
def test_what_is_only_turned_down_decides_nothing(answer: str) -> None:
    digest = gleaned(("user", "How do we send it?"), ("agent", WAYS), ("user", answer))
    assert not of(digest, "decision", "agent")
    assert "Three ways … Option A: by post" in of(digest, "correction", "agent")
    assert answer in of(digest, "correction", "user")
    assert answer not in of(digest, "fact", "user")
    assert of(digest, "fact", "agent") == [f"Three ways … {' … '.join(WAYS.splitlines()[1:])}"]


def test_nothing_is_sorted_of_what_was_done() -> None:
    done = "Done so far:\n\n1. The hall is booked\n2. The bakery is paid\n3. The band is told"
    digest = gleaned(("user", "And?"), ("agent", done), ("user", "1 is out, 2 yes, 3 later"))
    assert not of(digest, "decision", "agent")
    assert not of(digest, "open_item", "agent")


# What orders, and what stands alone


def test_an_item_that_reads_as_an_order_is_told_with_its_question() -> None:
    said = "1. Paint the door\n2. Replace the lock\n\nWhich one?"
    digest = gleaned(("user", "What now?"), ("agent", said), ("user", "2"))
    (told,) = of(digest, "decision", "agent")
    assert told == "Which one […] Replace the lock"
    assert verdict(told, [spoken(said, "agent")], by="agent", verbatim=True).supported
    assert not of(digest, "open_item", "agent")


def test_items_that_read_as_orders_are_sorted_and_taken_back_with_their_question() -> None:
    said = "1. Add a bolt\n2. Replace the lock\n3. Remove the hinge\n\nWhich one?"
    start = (("user", "What now?"), ("agent", said), ("user", "1 no, 2 yes, 3 later"))
    digest = gleaned(*start)
    assert of(digest, "decision", "agent") == ["Which one […] Replace the lock"]
    assert of(digest, "correction", "agent") == ["Which one […] Add a bolt"]
    assert of(digest, "open_item", "agent") == ["Which one […] Remove the hinge"]
    later = gleaned(*start, ("agent", "Fine."), ("user", "Actually, 1."))
    assert not of(later, "decision", "agent")
    assert of(later, "decision", "user") == ["Actually, 1."]


def test_a_label_that_nothing_explains_is_left_out() -> None:
    said = "1. Paint the door\n2. Replace the lock"
    digest = gleaned(("user", "What now?"), ("agent", said), ("user", "2"))
    assert "2" not in [p.text for p in digest.points]


def lines(digest: Digest, tokens: int) -> list[str]:
    shown = render(digest, number=1, tokens=tokens, count=lambda text: len(text) // 4)
    return [line for line in shown.text.splitlines() if line.startswith("- ")]


TALK = (
    ("user", "Write the letter."),
    ("agent", "It is written. Do you want it in blue ink on the good paper?"),
    ("user", "no"),
    ("agent", "Fine. Three rooms:\n\n1. Harbour hall\n2. Old bakery\n\nWhich one do you want?"),
    ("user", "2"),
    ("agent", "Good."),
)


@pytest.mark.parametrize("tokens", range(60, 200, 7))
def test_a_short_answer_is_shown_with_what_it_answers_or_not_at_all(tokens: int) -> None:
    shown = lines(gleaned(*TALK), tokens)
    for answer, asked in ((': "no"', "good paper?"), (': "2"', "2. Old bakery")):
        at = [n for n, line in enumerate(shown) if line.endswith(answer)]
        assert all(shown[n - 1].endswith(asked) for n in at)


def test_all_of_it_is_shown_where_there_is_room() -> None:
    shown = lines(gleaned(*TALK), 2_000)
    assert [line for line in shown if line.endswith((': "no"', ': "2"'))]


def test_an_answer_without_its_question_is_not_shown() -> None:
    digest = gleaned(*TALK)
    alone = digest._replace(points=tuple(p for p in digest.points if p not in _asked(digest)))
    assert not [line for line in lines(alone, 2_000) if line.endswith((': "no"', ': "2"'))]
    named = gleaned(("user", "Go."), ("agent", "Which town?"), ("user", "Veld"))
    left = named._replace(points=tuple(p for p in named.points if p not in _asked(named)))
    assert [line for line in lines(left, 2_000) if "Veld" in line]


def test_a_session_tells_an_answer_with_what_it_answers() -> None:
    told = plain_prose(
        gleaned(*TALK), lambda _: True, lambda t: len(t) // 4, extent="It was short."
    )
    assert "They answered “Which one do you want? … 2. Old bakery” with “2”." in told
    assert "said: “2”" not in told
    named = gleaned(("user", "Go."), ("agent", BULLETS), ("user", "the second one then"))
    told = plain_prose(named, lambda _: True, lambda t: len(t) // 4, extent="It was short.")
    assert "pine from Korn" in told or "second one" not in told


def test_what_a_session_answered_is_held_against_both_sources() -> None:
    def hers(claim: Claim) -> bool:
        return claim.point.by == "user"

    told = plain_prose(gleaned(*TALK), hers, lambda t: len(t) // 4, extent="It was short.")
    assert "answered" not in told


def test_the_question_above_a_list_leads_to_its_items() -> None:
    said = "Good. First: where do the letters go?\nOption A: by post\nOption B: by courier"
    digest = gleaned(("user", "Let's begin."), ("agent", said), ("user", "B"))
    (told,) = of(digest, "decision", "agent")
    assert told == "First: where do the letters go? … Option B: by courier"
    orders = "Good. Which first?\n1. Add a bolt\n2. Replace the lock"
    digest = gleaned(("user", "Let's begin."), ("agent", orders), ("user", "2"))
    (told,) = of(digest, "decision", "agent")
    assert told == "Which first […] Replace the lock"
    assert verdict(told, [spoken(orders, "agent")], by="agent", verbatim=True).supported


def _asked(digest: Digest) -> list[Point]:
    return [*answer_pairs(digest.points).values()]


def test_lines_with_a_letter_or_a_name_are_items() -> None:
    said = take_apart("Ways:\nOption A: by post\nOption B: by courier\nI ask Ann.")
    assert [above.item for above in places_of(said)] == [False, True, True, False]
    said = take_apart("Ways:\na) by post\nb) by courier")
    assert [above.item for above in places_of(said)] == [False, True, True]
