"""What holds for good is a rule by its scope; what points at one thing is an order."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import EMPTY
from everthread.domain.gleaning.reading import Gleaner
from everthread.domain.text.speech import heard, rules
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "A-21", "LA-10")


@pytest.mark.parametrize(
    "text",
    [
        "Distances must be in miles in everything you send me.",
        "Every reply in Welsh, please.",
        "All dates in ISO format, please.",
        "Run the linter after every change.",
        "Put the ticket number into every commit message.",
        "Whatever you write must be in British English.",
        "Show me the diff every time you edit a file.",
        "Give me the price in pounds, always.",
        "I want every answer in French.",
        "I'd like the amounts in euros from now on, please.",
        "Everything has to be vegan.",
        "Each function must have a docstring.",
        "Use metric units at all times.",
        "Und niemals neu starten ohne Sicherung.",
        "Immer erst eine Sicherung machen.",
        "Vor jedem Löschen bitte fragen.",
        "Jede Antwort auf Deutsch bitte.",
        "Todas las respuestas en español, por favor.",
        "Responde siempre con el precio.",
        "Toutes les réponses en français.",
        "Utilise toujours des tabulations.",
        "Rispondi sempre in italiano.",
        "Responda sempre em português.",
        "Antwoord altijd in het Nederlands.",
        "每次回答都要用中文。",
        "一律用公制单位。",
        "毎回日本語で答えてください。",
        "모든 답변은 한국어로 해 주세요.",
    ],
)
def test_what_holds_for_good_is_a_rule(text: str) -> None:
    assert rules(heard(text))


@pytest.mark.parametrize(
    "text",
    [
        "Rename every file in src.",
        "Delete all the logs.",
        "Check all the prices in the table.",
        "All prices in the table are wrong.",
        "Explain the purpose of each change.",
        "Every test fails.",
        "It crashes, every time.",
        "Show me everything you changed.",
        "Tell me everything you know about bees.",
        "All of them must have left by then.",
        "Everything must be ready by Friday.",
        "We have to finish all of this.",
        "I've set it up to run the tests on every pull request.",
        "The driver needs to be loaded on every connection you create.",
        "Send a mail every time a customer signs up.",
        "Are all answers in euros?",
        "Never saw this coming.",
        "We can always count on them.",
        "It's important to support each other when times are hard.",
        "Nie habe ich so gelacht.",
        "Immer noch kaputt.",
        "Immer dieselben Fragen.",
        "Siempre me pasa lo mismo.",
        "Nunca he estado en Roma.",
        "Toujours pas.",
        "Toujours la même erreur.",
        "Jamais vu ça.",
        "我不知道要不要去。",
        "每次都失败。",
    ],
)
def test_what_is_done_once_or_only_told_is_none(text: str) -> None:
    assert not rules(heard(text))


@pytest.mark.parametrize(
    "text",
    [
        "Don't touch that.",
        "Remove those, don't archive.",
        "Don't resize it in the file, only in the preview.",
        "Don't use a mock in these tests.",
        "不要动那个。",
    ],
)
def test_a_ban_on_one_thing_is_an_order(text: str) -> None:
    assert not rules(heard(text))


@pytest.mark.parametrize(
    "text",
    [
        "Don't ever touch that.",
        "Don't do that again.",
        "Don't send it without asking me.",
        "Don't use semicolons in this project.",
        "When I paste a table, don't read it out.",
        "Don't touch the generated files.",
        "Stop doing that.",
        "以后不要动那个。",
    ],
)
def test_a_ban_that_lasts_is_a_rule_whatever_it_points_at(text: str) -> None:
    assert rules(heard(text))


def test_an_order_on_one_thing_is_carried_with_what_it_points_at() -> None:
    gleaner = Gleaner(EMPTY)
    said = "The bay in the second verse is lovely. Don't touch that."
    for n, text in enumerate(("Hello there.", said), start=1):
        gleaner.read(spoken(text, "user", n=n))
    points = gleaner.digest().points
    assert not [p for p in points if p.kind == "rule"]
    assert said in [p.text for p in points if p.kind == "open_item"]
