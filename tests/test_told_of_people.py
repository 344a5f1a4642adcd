"""What lasts of people, told in passing: their health, and who is of the family."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.facts import memories_of
from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.tellings.family import tells_family
from everthread.domain.text.tellings.health import tells_health, tells_own_health
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    "text",
    [
        "my daughter Mia has a nut allergy, a real one, with an emergency pen",
        "my son Ben can't take ibuprofen because of asthma",
        "I have type 1 diabetes",
        "i take 50mg of iron in the evening",
        "our cat has epilepsy and gets 10 mg twice a day",
        "I'm allergic to bee stings",
        "I was diagnosed with coeliac disease today",
        "we can't eat gluten",
        "my knee: meniscus surgery 2023",
        "my wife is 14 weeks pregnant",
        "my mum had a stroke",
        "ich vertrag keine laktose",
        "ich vertrag keine laktose und meine tochter Mia (9) hat eine nussallergie",
        "unser Sohn ist allergisch gegen Wespen",
        "ich nehme morgens 100 mg Eisen",
        "mein Vater sitzt im Rollstuhl",
        "je suis allergique aux noix",
        "mi hija es alérgica a los frutos secos",
    ],
)
def test_what_lasts_of_ones_own_health(text: str) -> None:
    assert tells_own_health(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Mina is allergic to peanuts, severe",
        "ruth okafor uses a wheelchair so step free is a must",
        "one speaker, Ruth Okafor, uses a wheelchair so step free is a must",
        "ben can't take ibuprofen because of asthma",
        "Henrik says the bride is lactose intolerant",
        "he is on blood thinners",
        "Tom's been diagnosed with Parkinson's",
        "er verträgt kein ibuprofen, asthma",
        "Lotte hat Zöliakie",
        "Frau Ebner ist schwerhörig",
        "knie links ist aber kaputt, meniskus op 2023",
        "eisentabletten Ferro sanol 100mg morgens",
        "allergies: Mina peanuts, severe.",
        "known allergies - nuts, kiwi",
        "Unverträglichkeiten: Lotte Gluten",
    ],
)
def test_what_lasts_of_anothers_health(text: str) -> None:
    said = parse_sentence(text)
    assert tells_health(said)
    assert not tells_own_health(said)


@pytest.mark.parametrize(
    "text",
    [
        "ben hat fieber, 39,1",
        "I have a headache today",
        "my daughter is at school",
        "I can't drink alcohol tonight",
        "I'm allergic to meetings",
        "people with asthma can't take ibuprofen",
        "dogs can't eat chocolate or nuts",
        "if you have diabetes you can't eat honey",
        "the main character has asthma",
        "does Mina have an allergy?",
        "we don't have milk",
        "Mia has an allergy test on Monday",
        "the lactose test was negative, I can drink milk again",
        "laktose: der test war negativ!! ich darf wieder milch",
        "Mia has outgrown her nut allergy",
        "Mia is not allergic to nuts",
        "the recipe needs 200 g of nuts",
        "the test is blind to newlines",
        "die Katzen vertragen sich nicht",
        "I read a paper about diabetes",
        "you can take ibuprofen for that",
        "Paul has a friend with epilepsy",
    ],
)
def test_what_passes_or_is_said_of_nobody(text: str) -> None:
    assert not tells_health(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "my wife is called Ana, our son Ben is 14",
        "our son Ben is 14",
        "we have two cats",
        "I have three kids, 4, 7 and 9",
        "I've got a dog called Rex",
        "our daughter works at the hospital",
        "mein mann heißt Jörg, arbeitet schicht bei der Bahn.",
        "und sohn Ben ist 14",
        "wir haben zwei katzen",
        "unsere Tochter wird 10",
        "mi marido se llama Luis",
    ],
)
def test_who_is_of_the_family(text: str) -> None:
    assert tells_family(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "my sister's cake was lovely",
        "my daughter is at school",
        "our son is late",
        "our cat is sick today",
        "we have two kids coming over tonight",
        "I have one child process that hangs",
        "I have a cat picture to show you",
        "mein Mann ist gerade nicht da",
        "I have two sons visiting",
        "our parent class is 40 lines",
    ],
)
def test_what_is_of_the_moment_or_only_theirs(text: str) -> None:
    assert not tells_family(parse_sentence(text))


def told(*texts: str) -> list[tuple[str, str]]:
    digest = gleaned_in_turn("Hello, are you there?", "Yes.", *texts)
    return [(p.kind, p.text) for p in digest.points if p.by == "user" and p.kind != "words"][1:]


KINDS = {
    "Oh, and my daughter Mia has a nut allergy, a real one.": "identity",
    "my son Ben can't take ibuprofen because of asthma": "identity",
    "I am allergic to penicillin": "identity",
    "i take 50mg of iron in the evening": "identity",
    "ich vertrag keine laktose": "identity",
    "mein mann heißt Jörg, arbeitet schicht bei der Bahn.": "identity",
    "we have two cats": "identity",
    "Mina is allergic to peanuts, severe": "fact",
    "er verträgt kein ibuprofen, asthma": "fact",
    "Never put nuts in it, Mia has a nut allergy.": "rule",
}


@pytest.mark.parametrize(("text", "kind"), KINDS.items())
def test_it_is_carried_as_what_it_is_and_nothing_is_asked_by_it(text: str, kind: str) -> None:
    assert told(text, "Noted.") == [(kind, text)]


def test_a_list_is_carried_with_its_lines() -> None:
    text = "allergies: Mina peanuts, severe. Ines gluten"
    assert told(text, "I'll put it in the order.") == [("fact", text)]
    assert told("Allergies\n- Mina: peanuts\n- Ines: gluten", "Noted.") == [
        ("fact", "Allergies - Mina: peanuts - Ines: gluten")
    ]


def test_what_is_asked_beside_it_is_still_asked() -> None:
    text = "Mina is allergic to peanuts, please tell the caterer."
    found = told(text)
    assert ("fact", text) in found
    assert ("open_item", text) in found


def test_it_becomes_a_memory_and_is_carried_through_a_long_talk() -> None:
    later = [f"What does box {n} of the left shelf hold, then?" for n in range(60)]
    talk = [part for text in KINDS for part in (text, "Noted.")]
    talk += [
        part for text in later for part in (text, "It holds screws of 4 mm and nails of 20 mm.")
    ]
    before = gleaned_in_turn("Hello, are you there?", "Yes.")
    after = gleaned_in_turn(*talk, before=before, start=3)
    texts = {fact.text for fact in memories_of(before, after)}
    assert texts >= {text for text, kind in KINDS.items() if kind in ("identity", "fact")}
    for text in KINDS:
        assert any(text in point.text for point in after.points), text


def test_where_somebody_is_just_now_tells_not_who_he_is() -> None:
    assert told("my daughter is at school", "I see.") == [("fact", "my daughter is at school")]
