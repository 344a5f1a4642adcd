"""What is told plainly becomes a memory, in six languages; what is thought, planned or was does not."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.facts import memories_of
from everthread.domain.text.tellings.plain_tellings import tells_plainly
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("A-13")

GREETING = ("Good morning.", "Good morning.")


def _memories(*texts: str) -> list[tuple[str, str]]:
    return [(f.kind, f.text) for f in memories_of(EMPTY, gleaned_in_turn(*GREETING, *texts))]


TOLD = [
    "I use Vim as my editor.",
    "I go to the gym on Tuesdays and Thursdays.",
    "We keep the production data in Amsterdam.",
    "We manage our servers with Terraform.",
    "I drink three coffees a day.",
    "I sold the Skoda and drive a red Fiat now.",
    "I've started at Helio Labs, I left Brandt in March.",
    "The landlord put the rent up, we pay 1010 now.",
    "Pixel weighs five kilos by now.",
    "Die Halle kostet jetzt 1100 Euro, nicht mehr 900.",
    "Unsere Trainerin ist Frau Behrens.",
    "Meine Schuhgröße ist 43.",
    "Der Chor probt jeden Mittwoch um 20 Uhr.",
    "In der Gruppe sind 24 Kinder.",
    "Seit Oktober wohne ich in Fulda.",
    "Ma pointure est 38.",
    "La cotisation coûte 45 euros par an.",
    "Mi hermana vive en Valencia.",
    "Il nostro avvocato è la signora Moretti.",
    "Onze huur is 620 euro per maand.",
]

NOT_TOLD = [
    "I met Tom Berg.",
    "I now think Berlin is nice.",
    "I might use Vim.",
    "I'm in Berlin now.",
    "I drive to Anna.",
    "I sit in the Lund train.",
    "I attach the Lund contract.",
    "I quote Tom Berg here.",
    "We play chess with Anna tonight.",
    "We hold the meeting on Friday.",
    "If I had a boat, I would sail to Norway.",
    "Tom is 40 minutes late now.",
    "Pytest shows 3 failures now.",
    "We won 3 games now.",
    "I paid 30 euros now.",
    "I took care of Rex and visited Anna.",
    "Heute sind es 18 Grad.",
    "Wasser kocht bei 100 Grad.",
    "In meinem Roman wohnt der Held in Prag.",
    "Ich fahre nach Berlin.",
    "Ich treffe Frau Lind um 18 Uhr.",
    "Das Essen war gut und kostete 30 Euro.",
    "Das Spiel steht 2 zu 1.",
    "Kostet die Halle bald 1100 Euro?",
    "Wenn wir 2000 Euro hätten, würden wir verreisen.",
    "Vielleicht kostet es 50 Euro.",
    "Il fait 18 degrés ce matin.",
    "Sono in treno adesso.",
]


@pytest.mark.parametrize("text", TOLD)
def test_what_is_told_plainly_is_kept(text: str) -> None:
    assert tells_plainly(text)
    assert _memories(text, "Noted.") == [("fact", text)]


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_no_telling_is_not(text: str) -> None:
    assert not tells_plainly(text)


@pytest.mark.parametrize("text", ["I wonder why they decided that.", "No idea what they decided."])
def test_what_is_only_asked_decides_nothing(text: str) -> None:
    assert _memories(text, "Noted.") == []


def test_what_others_decided_answers_with_its_question() -> None:
    asked = "Who will be the treasurer?"
    found = memories_of(
        EMPTY, gleaned_in_turn("Good morning.", asked, "They decided: Tom.", "Fine.")
    )
    assert [(f.kind, f.text) for f in found] == [("decision", f"{asked} They decided: Tom.")]


def test_who_is_tired_tells_nothing_of_herself() -> None:
    assert _memories("Quelle journée, je suis fatigué.", "Noted.") == []
    assert _memories("Je suis d'accord.", "Noted.") == []
    assert _memories("Je suis au bureau.", "Noted.") == []
    told = "Soy alérgica a los cacahuetes."
    assert _memories(told, "Noted.") == [("identity", told)]
    assert _memories("Je suis née à Lyon.", "Noted.") == [("identity", "Je suis née à Lyon.")]
    assert _memories("Sono allergico al glutine.", "Noted.")[0][0] == "identity"
