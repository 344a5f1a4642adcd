"""What a person says in passing tells nothing of who she is, what she likes, or what was wrong."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.statement_kinds import kind_of
from everthread.domain.text.acts.speech import identifies, parse_sentence


@pytest.mark.parametrize(
    "said",
    [
        "My brother is in, so go ahead and order the Piccolo.",
        "My sister is out, so cancel the table.",
        "My mother is moving into a smaller flat.",
        "My boss is fine with that.",
        "My phone is dead.",
        "My team is blocked by this.",
        "My son is asleep, keep it short.",
        "My manager is waiting for the numbers.",
        "My husband is on board with it.",
        "My partner is still away this week.",
        "My company is closed on Monday.",
        "Something else for a minute: my sister's cake.",
    ],
)
def test_how_somebody_is_for_now_is_no_identity(said: str) -> None:
    assert not identifies(parse_sentence(said))


@pytest.mark.parametrize(
    "said",
    [
        "My sister is a nurse.",
        "My brother is in the army.",
        "My wife is called Ruth.",
        "My son is 4.",
        "My team is the platform team.",
        "My boss is Ines.",
        "My email is ada@example.org.",
        "My daughter is allergic to nuts.",
        "My birthday is on 2 June.",
        "My company is based in Graz.",
        "My sister is in Lisbon.",
    ],
)
def test_who_somebody_is_stays_identity(said: str) -> None:
    assert identifies(parse_sentence(said))


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I can't live without coffee :)", "fact"),
        ("I could kill for a pizza right now.", "fact"),
        ("That's too much for me now.", "fact"),
        ("That is too much for one person.", "fact"),
        ("This is too complicated.", "correction"),
        ("That's overkill, keep it small.", "correction"),
        ("I prefer short answers in plain words.", "preference"),
    ],
)
def test_a_manner_of_speaking_is_no_preference_and_no_correction(said: str, kind: str) -> None:
    assert kind_of(parse_sentence(said)) == kind
