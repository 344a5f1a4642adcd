"""In German, too, it is open what somebody will do, until it is told as done."""

from __future__ import annotations

import pytest

from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("Wie hoch ist der Turm?", "40 Meter.")


def open_items(*said: str) -> list[str]:
    return [p.text for p in read(*OTHER, *said, *OTHER).points if p.kind == "open_item"]


@pytest.mark.parametrize(
    "said",
    [
        "Ich frage am Montag die Versicherung.",
        "Ich kümmere mich um die Getränke.",
        "mach ich am Wochenende",
        "ich ruf nächste Woche den Verpächter an",
        "hab sechs Leute angefragt, warte noch auf Antwort",
    ],
)
def test_what_she_will_do_is_open(said: str) -> None:
    assert said in open_items(said, "Gut.", "Schönes Wetter heute.", "Ja.")


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Kannst du eine Einkaufsliste machen?", "Ja, mache ich morgen."),
        ("kannst du mir bis Freitag ne Einkaufsliste machen?", "Mache ich bis Freitag."),
        ("Bitte prüfe die drei Zeilen.", "Klar, schaue ich mir am Montag an."),
        ("Bitte teste die drei Zeilen.", "Ja, teste ich morgen."),
        ("Bitte überarbeite die drei Zeilen.", "Überarbeite ich bis Freitag."),
    ],
)
def test_what_the_agent_will_do_later_is_open(asked: str, reply: str) -> None:
    assert asked in open_items(asked, reply, "Schönes Wetter heute.", "Ja.")


@pytest.mark.parametrize(
    ("said", "done"),
    [
        ("Ich frage am Montag die Versicherung.", "hab die Versicherung gefragt, kostet nichts"),
        ("Ich kümmere mich am Montag um die Getränke.", "Getränke sind bestellt"),
        ("Ich ruf morgen den Verpächter an.", "Der Verpächter ist angerufen, alles gut."),
    ],
)
def test_what_is_told_done_is_over(said: str, done: str) -> None:
    assert said not in open_items(said, "Gut.", done, "Schön.")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Ich frage am Montag die Versicherung.", "Die Versicherung ist noch nicht gefragt."),
        ("Ich frage am Montag die Versicherung.", "Die Getränke sind bestellt."),
        ("Ich kümmere mich am Montag um die Getränke.", "Wenn die Getränke bestellt sind, gut."),
        (
            "Ich bestell morgen die Getränke für die Party am Samstag.",
            "Hab gestern Fotos von der letzten Party gemacht.",
        ),
        (
            "Ich frag morgen die Versicherung wegen dem Schaden.",
            "Die Versicherung hat mich nach meiner Adresse gefragt.",
        ),
    ],
)
def test_what_is_told_of_something_else_or_not_done_ends_nothing(said: str, told: str) -> None:
    assert said in open_items(said, "Gut.", told, "Aha.")


def test_what_is_given_is_over() -> None:
    asked = "kannst du mir bis Freitag ne Einkaufsliste machen?"
    given = ("wo ist sie?", "Hier ist die Einkaufsliste: Bier, Wurst, Brot.")
    assert asked not in open_items(asked, "Mache ich bis Freitag.", *given, "danke", "Gern.")


@pytest.mark.parametrize(
    "said",
    [
        "Ich frage mich, was morgen kommt.",
        "Das mache ich immer am Montag.",
        "Mache ich das morgen?",
    ],
)
def test_what_only_sounds_like_it_is_none(said: str) -> None:
    assert said not in open_items(said, "Gut.", "Schönes Wetter heute.", "Ja.")


def test_what_the_agent_tells_in_the_past_is_no_promise() -> None:
    asked = "Behebe bitte den Fehler im Parser."
    reply = "Die Regel war falsch. Gestern Abend konnte ich dann den Fehler beheben."
    assert asked not in open_items(asked, reply, "Schönes Wetter heute.", "Ja.")
