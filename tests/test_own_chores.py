"""What those who speak have to do themselves is open, in any language and however it is put."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import parse_sentence
from everthread.domain.text.own_chores import own_chore
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

OTHER = ("How high is the tower?", "40 metres.")


@pytest.mark.parametrize(
    "said",
    [
        "muss noch den dauerauftrag ändern bis ende april",
        "ach ja und ich muss Ida noch bei der musikschule anmelden, frist 30.4.",
        "Tengo que llamar al banco todavía.",
        "Je dois encore écrire à Paul.",
        "todo for next week: intro outline, mail Dumont, book the dentist haha",
    ],
)
def test_it_is_open(said: str) -> None:
    assert own_chore(parse_sentence(said))
    found = read(*OTHER, said, "OK.", *OTHER)
    assert any(p.kind == "open_item" and p.text == said for p in found.points)


@pytest.mark.parametrize(
    "said",
    [
        "Ich muss noch immer lachen.",
        "Muss ich noch etwas ändern?",
        "Es muss noch Kuchen da sein.",
        "Das muss nicht noch einmal gemacht werden.",
        "My todo list is long.",
    ],
)
def test_what_only_sounds_like_it_is_none(said: str) -> None:
    assert not own_chore(parse_sentence(said))


def test_who_was_to_be_asked_did_it() -> None:
    found = read(*OTHER, "I'll ask Marta in procurement", "OK.", "marta ordered the keys", "Fine.")
    assert not any(p.kind == "open_item" for p in found.points)


def test_who_cancelled_comes_no_more() -> None:
    taken = "We take Kofi as the DJ."
    found = read("Whom for the music?", "Kofi or Ann?", taken, "OK.", "kofi cancelled", "Pity.")
    assert taken not in [p.text for p in found.points if p.kind == "decision"]


def test_a_name_that_is_short_for_something_ends_no_sentence() -> None:
    said = "I need to send her ch. 2 by wednesday evening, evtl. also ch. 3."
    assert any(said in p.text for p in read(*OTHER, said, "OK.").points)
