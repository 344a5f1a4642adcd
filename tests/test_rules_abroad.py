"""Rules in other languages, by their grammar; and in which language the talk is to go on."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.text.acts.speech import decides, parse_sentence, rules

pytestmark = pytest.mark.req("A-13", "A-21")


@pytest.mark.parametrize(
    "text",
    [
        "Die Lampe soll immer sichtbar sein",
        "Das Tor darf niemals offen stehen bleiben",
        "ich möchte die Liste immer selbst abhaken",
        "Türen öffnen ausschließlich durch den roten Griff.",
        "debes usar la caja de abajo",
        "eso se debe guardar siempre",
        "lo que no debes tocar es la caja",
        "ya tengo pintura, no compres más en la tienda",
        "no toques la caja del abuelo",
        "везде надо писать полное имя",
        "не меняй цвет дверей",
        "bitte auf deutsch",
        "in english please",
        "en español por favor",
        "на русском пожалуйста",
        "请用中文回答",
        "next time dont paint the door so dark please",
        "make labels carry a new number with every update",
    ],
)
def test_what_holds_from_now_on(text: str) -> None:
    assert rules(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Das muss immer noch weg.",
        "Ich muss immer um sechs raus.",
        "ich hätte nie gedacht, dass es hält",
        "Das soll nicht immer so laut sein",
        "no puedes entrar por la puerta",
        "No deliveries on Sundays.",
        "No errores en la caja.",
        "у нас не всегда есть вода",
        "мне всегда нужно вставать рано",
        "не переживай",
        "это не такой цвет",
        "Is the manual in english?",
        "这两个窗户上下放，不要放在一起",
        "还可以，稍微再亮点，灯不要晃",
    ],
)
def test_what_is_told_or_meant_for_once(text: str) -> None:
    assert not rules(parse_sentence(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ich will keinen Zaun.", "decision"),
        ("ich möchte nicht dass die Tür nachts offen steht", "decision"),
        ("Nos quedaremos con la puerta verde", "decision"),
        ("me gusta más la puerta verde", "preference"),
        ("Opt for the green door", "decision"),
        ("I want us to use oak but first find out why the frame bends", "decision"),
        ("I want to use it for the shed", "fact"),
    ],
)
def test_what_is_chosen_or_liked(text: str, kind: str) -> None:
    assert kind_of(parse_sentence(text)) == kind


def test_what_was_taken_for_the_work_is_a_report() -> None:
    assert not decides(parse_sentence("门板采用了橡木"))
    assert decides(parse_sentence("门板采用橡木"))
