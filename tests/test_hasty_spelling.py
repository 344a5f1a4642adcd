"""People type small words in haste; what their sentences do is seen all the same."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.hasty_spelling import plain_spelling
from everthread.domain.text.acts.speech import parse_sentence, rules
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13")


@pytest.mark.parametrize(
    "said",
    [
        "oh & never put a photo on the page w/o me seeing it",
        "& pls never post w/o asking",
        "u must never push to main w/o asking me",
    ],
)
def test_a_rule_is_one_however_it_is_typed(said: str) -> None:
    assert rules(parse_sentence(said))
    digest = read(said, "Understood.", "How high is the tower?", "It is 40 metres high.")
    assert [p.text for p in digest.points if p.kind == "rule"] == [said], "in her own spelling"


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("dont do that pls", "don't do that please"),
        ("x w/ y & z", "x with y and z"),
        ("idk, gonna ask abt it tmrw", "i don't know, going to ask about it tomorrow"),
    ],
)
def test_small_words_are_read_in_full(typed: str, plain: str) -> None:
    assert plain_spelling(typed) == plain


@pytest.mark.parametrize(
    "typed",
    [
        "la maison dont je parle",
        "mieszkam w domu i jest dobrze",
        "r&d costs less than q&a",
        "w=3 and u_1 is u.name",
        "the path is /u/w and the flag is -u",
        "nothing here is typed in haste",
    ],
)
def test_other_languages_names_and_sums_stay(typed: str) -> None:
    assert plain_spelling(typed) == typed
