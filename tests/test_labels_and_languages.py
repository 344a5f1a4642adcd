"""What looks like an order and is none, and how somebody lays down a language or a style.

`Deploy target: Fly.io` begins with a verb and tells of a thing. `no jargon please` beside one piece of work
speaks of that piece. A language that is wanted `always` holds in any tongue.
"""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.digest import Digest
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13", "A-21")

ASIDE = ("How high is the tower?", "40 metres.", "And the bridge?", "12 metres.")


def of(digest: Digest, kind: str) -> list[str]:
    return [p.text for p in digest.points if p.kind == kind]


@pytest.mark.parametrize("label", ["Deploy target: Fly.io, region ams.", "Build tool: uv."])
@pytest.mark.parametrize("reply", ["Noted.", "Got it, I'll keep that in mind."])
def test_a_label_is_told_and_nothing_is_left_to_do(label: str, reply: str) -> None:
    found = read(label, reply, *ASIDE)
    assert label in of(found, "fact")
    assert not of(found, "open_item")


def test_what_is_kept_in_mind_does_not_do_what_was_ordered() -> None:
    order = "Please book the hall for Friday."
    found = read(order, "I'll keep that in mind.", *ASIDE)
    assert order in of(found, "open_item")


def test_a_style_of_the_house_is_a_rule() -> None:
    style = "House style: British spelling, no Oxford comma."
    assert style in of(read(style, "Noted."), "rule")


@pytest.mark.parametrize(
    "said",
    [
        "Can you summarise this paper, no jargon please?",
        "Write the letter, one page, no greeting.",
    ],
)
def test_how_one_piece_shall_be_is_no_rule(said: str) -> None:
    assert not of(read("Hello.", "Hi.", said, "Here it is: trees grow."), "rule")


@pytest.mark.parametrize(
    "said",
    [
        "Format your replies as plain text, no markdown.",
        "Write your answers in plain words, no jargon.",
        "Write the commit messages in English, don't mention the ticket.",
        "Draft my emails in a formal tone, no exclamation marks.",
        "Write the tests with pytest, don't use unittest.",
        "Prepare the release, but don't push to main.",
        "Write the migration, don't run it on production.",
    ],
)
def test_how_all_pieces_shall_be_and_what_may_not_happen_is_a_rule(said: str) -> None:
    found = read("Hello.", "Hi.", said, "OK.")
    assert any(p.kind in ("rule", "preference") and p.text == said for p in found.points)


@pytest.mark.parametrize(
    "said",
    [
        "Antworte mir bitte immer auf Deutsch, auch wenn ich englisch schreibe.",
        "Responde siempre en español.",
        "Responde en español aunque escriba en inglés.",
        "Réponds seulement en français.",
        "Réponds toujours en français, même si j'écris en anglais.",
    ],
)
def test_a_language_for_always_is_a_rule(said: str) -> None:
    assert said in of(read("Hello.", "Hi.", said, "OK."), "rule")


def test_who_asks_which_are_no_longer_needed_takes_nothing_back() -> None:
    rule, order = "Always update PLAN.md after a step.", "Note which tasks are no longer needed."
    found = read(rule, "OK.", order, "Done.")
    assert rule in of(found, "rule")
    assert not of(found, "correction")


@pytest.mark.parametrize(
    "said",
    [
        "Forget the linter rule, which is no longer needed.",
        "You no longer have to run the linter, which is not needed any more.",
    ],
)
def test_a_rule_that_is_no_longer_needed_is_lifted(said: str) -> None:
    rule = "Always run the linter before you commit."
    assert rule not in of(read(rule, "OK.", said, "OK."), "rule")
