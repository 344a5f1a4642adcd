"""What is told of less, of more or of others than before ends nothing; and what passes is not kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.contradictions import contradicts
from everthread.domain.text.attributes import states_attribute
from everthread.testing import FrozenClock
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

BOTH_STAND = [
    # only then
    ("The forge opens at 7", "The forge opens at 9 in winter now"),
    ("The ferry is at 9:30", "The ferry is at 10:00 on Fridays now"),
    ("The kiln shuts at 17:00", "The kiln shuts at 15:00 on Fridays now"),
    ("I work for Brandt on Mondays", "I work for Keller now"),
    ("I live in Munich", "In summer I live in Rome now"),
    # by how much
    ("The gas costs 80 euros a month", "The gas costs 15 euros more now"),
    ("The fee is 50 euros", "The fee is up 10 euros now"),
    ("I weigh 82 kilos", "I weigh 4 kilos less now"),
    # for how many, or for how long
    ("We pay 40 euros for the class", "We pay 20 euros each for the class now"),
    ("The tour costs 80 euros", "The tour costs 40 euros per child now"),
    ("We pay 900 euros rent a month", "We pay 11,400 euros rent a year now"),
    ("My son weighs 30 kilos", "My sons weigh 70 kilos now"),
    # one more
    ("The class is on Mondays", "The class is on Mondays and Wednesdays now"),
    ("Das Training ist dienstags", "Das Training ist jetzt dienstags und freitags"),
    ("My neighbour is Mr Voss", "My neighbour is Mr Hahn now"),
    ("My friend is called Ida", "My friend is called Otto now"),
    # where that is
    ("I live in Munich", "I live in Bavaria now"),
    ("I live in Porto", "I live in Portugal these days"),
    ("Ich wohne in Köln", "Ich wohne jetzt in Nordrhein-Westfalen"),
    # a part of it; or of something else, named in the clause before
    ("Our rent is 900 euros", "We pay 450 euros of the rent now"),
    ("Wir zahlen 900 Euro Miete", "Von der Miete zahlen wir jetzt 450 Euro"),
    ("The kitchen budget is 5,000 euros", "The kitchen is done, we pay 300 euros a month now"),
    # how somebody is, or for a while
    ("Our project lead is Ida", "Our project lead is Danish now"),
    ("Our coach is Bilal", "Our coach is with Hanne now"),
    ("Our dentist is Dr Farrow", "Our dentist is away, Dr Lang is there for now"),
    # the way back
    ("My train leaves at 7:40", "My train back leaves at 18:10 now"),
]

CHANGED = [
    ("The forge opens at 7 in winter", "The forge opens at 9 in winter now"),
    ("The ferry is at 9:30 on Fridays", "The ferry is at 10:00 on Fridays now"),
    ("The fee is 50 euros", "The fee went up to 60 euros"),
    ("We pay 900 euros rent a month", "We pay 950 euros rent now"),
    ("Our rent is 900 euros", "The landlord put the rent up, we pay 950 now"),
    ("My rent is 900 euros", "We pay 950 euros rent since last summer"),
    ("My son weighs 30 kilos", "My son weighs 32 kilos now"),
    ("The class is on Mondays and Wednesdays", "The class is on Tuesdays now"),
    ("My coach is Mr Voss", "My coach is Mr Hahn now"),
    ("Our project lead is Ida", "Our project lead is Otto now"),
    ("My dog is called Rex", "My dog's name is Max, not Rex"),
    ("I live in Munich", "I live in Rome now"),
    ("The launch is at 9:00", "The launch was pushed back to 10:00"),
    ("The launch is on 3 May", "The launch moved back to 1 May"),
]


@pytest.mark.parametrize(("old", "new"), BOTH_STAND)
def test_what_a_small_word_narrows_ends_nothing(old: str, new: str) -> None:
    assert not contradicts(new, old)


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_the_same_told_anew_still_takes_its_place(old: str, new: str) -> None:
    assert contradicts(new, old)


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", clock=FrozenClock(), background=False) as et:
        yield et.agent("ada")


def test_both_are_remembered(ada: Agent) -> None:
    first = ada.remember("The forge opens at 7")
    ada.remember("The forge opens at 9 in winter now")
    assert first.id in {each.id for each in ada.memories()}


def points(*said: str) -> list[str]:
    gleaner = Gleaner()
    for n, text in enumerate(("Good morning.", *said)):
        gleaner.read(spoken(text, n=2 * n + 1))
        gleaner.read(spoken("Understood.", "agent", n=2 * n + 2))
    return [point.text for point in gleaner.digest().points]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The launch is on 3 May.", "The launch party moved to 10 May."),
        ("The flight is on 3 May.", "The return flight was moved to 12 May."),
        ("Our cat Milo weighs 4 kilos.", "Our cat Luna weighs 5 kilos now."),
        ("The class starts at 18:00.", "The class starts at 17:00 in summer now."),
        ("The budget is 5,000 euros.", "We are 600 euros over budget now."),
        ("I work at Siemens.", "We both worked at Siemens before I moved to Bosch."),
    ],
)
def test_in_a_talk_both_stand(old: str, new: str) -> None:
    assert old in points(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The launch is on 3 May.", "The launch moved to 10 May because Eva is away."),
        ("Our cat Milo weighs 4 kilos.", "Our cat Milo weighs 5 kilos now."),
        ("The class starts at 18:00.", "The class starts at 17:00 now."),
    ],
)
def test_in_a_talk_a_change_ends_the_first(old: str, new: str) -> None:
    told = points(old, new)
    assert new in told
    assert old not in told


@pytest.mark.parametrize(
    "text",
    [
        "Die Datei hat jetzt 30 Zeilen.",
        "La función tiene 3 parámetros.",
        "Das Skript braucht 20 Minuten.",
        "Der Fehler ist jetzt in Zeile 40.",
        "Ich bin jetzt in Zeile 12.",
        "Der Zug hat jetzt 10 Minuten Verspätung.",
        "Le test prend 20 secondes maintenant.",
        "Het bestand heeft nu 30 regels.",
        "We drive through Lyon now.",
        "I open Chrome now.",
        "I type with Anna on the phone now.",
        "I use Chrome for this test.",
        "The queue is at 240 messages now.",
        "The build is at 80% now.",
        "The cursor is at line 42 now.",
        "This branch is 5 commits ahead now.",
    ],
)
def test_what_passes_is_no_attribute(text: str) -> None:
    assert not states_attribute(text)


@pytest.mark.parametrize(
    "text",
    [
        "Unsere Miete beträgt 900 Euro.",
        "In der Gruppe sind 24 Kinder.",
        "Der Chor probt jetzt donnerstags.",
        "I use Chrome as my browser.",
        "I drive a Skoda these days.",
        "The rent is at 980 euros now.",
        "Our office is at 12 Mill Lane now.",
    ],
)
def test_what_lasts_is_one(text: str) -> None:
    assert states_attribute(text)
