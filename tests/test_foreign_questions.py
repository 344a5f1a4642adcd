"""A question in another language looks for what it is about, not for how it is put."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.recall.questions import read_question
from everthread.testing import FrozenClock

SAID = [
    "war beim check. blutdruck 142/91 bisschen hoch, ferritin 11 zu niedrig. eisentabletten morgens",
    "Ben braucht nachhilfe in mathe. kennst du jemand",
    "laktose: der test war negativ!! ich darf wieder milch",
    "mein mann heißt Jörg, arbeitet schicht bei der Bahn. und sohn Ben ist 14",
    "du darfst abends auch wieder länger schreiben, ich les das jetzt gern",
    "er verträgt kein ibuprofen, asthma",
]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("wie war der blutdruck?", ["blutdruck"]),
        ("Was ist mit meinem Knie?", ["knie"]),
        ("an welchen tagen gehe ich schwimmen?", ["tagen", "schwimmen"]),
        ("¿Cuándo es la reunión con el equipo?", ["reunión", "equipo"]),
        ("quand est le rendez-vous avec le médecin ?", ["rendez", "médecin"]),
        ("quando è la riunione con il cliente?", ["riunione", "cliente"]),
        ("wanneer is de afspraak met de tandarts?", ["afspraak", "tandarts"]),
        ("What did the war cost?", ["war", "cost"]),
        ("why did the test die", ["test", "die"]),
        ("war es das?", ["war", "es", "das"]),
    ],
)
def test_small_words_of_its_language_are_not_looked_up(question: str, words: list[str]) -> None:
    """Where nothing else is left, they are; and English words are none of another language."""
    assert [*read_question(question, 0).words] == words


@pytest.mark.parametrize(
    ("question", "foreign"),
    [
        ("wie war der blutdruck?", True),
        ("今天天气怎么样?", True),
        ("what was the blood pressure?", False),
        ("pytest flaky redis timeout", False),
    ],
)
def test_the_language_of_a_question_is_known_by_its_small_words(
    question: str, *, foreign: bool
) -> None:
    assert read_question(question, 0).foreign is foreign


@pytest.fixture(scope="module")
def ada() -> Iterator[Agent]:
    clock = FrozenClock("2026-03-02T09:00:00Z")
    with everthread.connect("memory://", clock=clock, background=False) as et:
        ada = et.agent("ada")
        for text in SAID:
            clock.forward(hours=1)
            ada.turn(text).done("Gut.")
        ada.index()
        yield ada


@pytest.mark.parametrize(
    ("question", "found"),
    [("wie war der blutdruck?", SAID[0]), ("war der test negativ?", SAID[2])],
)
def test_what_it_is_about_comes_first(ada: Agent, question: str, found: str) -> None:
    assert ada.recall(question)[0].text == found


def test_what_nobody_spoke_of_is_not_told_as_sure(ada: Agent) -> None:
    """That two texts are in one language makes no answer."""
    assert all(hit.score < 0.5 for hit in ada.recall("wie hoch ist die kaution?"))
