"""Work that is ordered, what somebody did, and a mere yes are no decisions; nor is what cannot be read."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.choices.exchanges import settled_sentences
from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.acts.classifier import act_of, can_read, may_state
from everthread.domain.text.acts.speech import parse_sentence
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

LIKED = frozenset(("decision", "preference", "rule"))


def talk(*told: str) -> Digest:
    """A person and the agent by turns."""
    gleaner = Gleaner()
    for n, text in enumerate(("Hello.", "Hello.", *told)):
        gleaner.read(spoken(text, "agent" if n % 2 else "user", n=n + 1))
    return gleaner.digest()


def held(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind in LIKED]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("I checked the valve again and it holds.", "check again"),
        ("The old drawings lie in the first drawer, with the plans.", "put the old drawings away"),
        ("I drew the pump. The pump is in the plan now.", "Ok I printed the plan."),
        ("The pump hums. We could grease it or swap the ring.", "where we put it"),
        ("Кран течёт, я его закрыл.", "закрой кран"),
        ("Насос работает, лампа горит.", "лампа"),
        ("He preparado el plan del jardín.", "Buenisimo+"),
    ],
)
def test_work_and_deeds_settle_nothing(reply: str, said: str) -> None:
    assert held(talk("How is the pump?", reply, said, "Done.")) == []


def test_an_order_that_takes_up_what_was_proposed_still_settles() -> None:
    before = take_apart("We could merge the two lists, or split them by town.").sentences
    assert settled_sentences(take_apart("So merge.").sentences, before) == {0}


@pytest.mark.parametrize("yes", ["yep do it", "alr do it", "yes go ahead"])
def test_leave_to_begin_is_no_decision(yes: str) -> None:
    asked = "The plan for the shed is drawn. Ready to start building the warm shed?"
    assert held(talk("Draw me a shed.", asked, yes, "The shed stands.")) == []


def test_a_yes_to_a_choice_still_decides_it() -> None:
    asked = "The plan is drawn. Should I use oak for the shed?"
    told = held(talk("Draw me a shed.", asked, "yes", "Noted."))
    assert told == ["Should I use oak for the shed?", "yes"]


def test_what_a_person_asked_is_not_decided_by_what_she_did() -> None:
    told = talk(
        "Should I leave the cover on the lamp, or take it off?",
        "The cover dims the lamp, so it is better without.",
        "Ok I washed the cover",
        "Good.",
    )
    assert held(told) == []


@pytest.mark.parametrize(
    "text",
    [
        "Der Kasten steht jetzt wieder links neben der Tür.",
        "la lámpara de la cocina ya no se enciende cuando pulso",
        "лампа",
    ],
)
def test_what_is_not_english_is_not_weighed(text: str) -> None:
    said = parse_sentence(text)
    assert not can_read(said)
    assert not may_state(said)


@pytest.mark.parametrize(
    "text", ["Café Rosa then", "oak for the frame, pine for the rest", "Friday"]
)
def test_english_is_weighed(text: str) -> None:
    assert can_read(parse_sentence(text))


def test_a_mere_yes_does_nothing_by_itself() -> None:
    assert act_of(parse_sentence("yep do it")) is None


def test_a_paragraph_without_a_stop_is_no_wish() -> None:
    long = (
        "also the gate squeaks again when i open it even tho you oiled it make it quiet and paint the post "
        "green and add a latch on the left side and the bell at the door should ring twice and when you "
        "press it long it should ring for all of the rooms"
    )
    assert (
        held(talk("Look at the gate.", "I did.", long, "The gate is quiet now, all of it.")) == []
    )


def test_a_choice_offered_in_russian_is_one() -> None:
    asked = "Лампа готова. Покрасить её белым или синим?"
    assert held(talk("Сделай лампу.", asked, "синим", "Хорошо.")) == [
        "Покрасить её белым или синим?",
        "синим",
    ]


def test_who_says_that_he_will_not_take_it_has_decided() -> None:
    assert held(talk("Paint it.", "Painted.", "I will not accept the blue frame", "I see.")) == [
        "I will not accept the blue frame"
    ]


def test_what_only_leads_to_a_list_is_not_what_a_yes_takes() -> None:
    reply = "The shed leaks at the back. To mend that, I would suggest:\n\n- new felt\n- a gutter"
    assert held(talk("Why is it wet?", reply, "yes", "The felt is new.")) == []
