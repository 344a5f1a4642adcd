"""A failure is one that came about, not what would be done if there were one."""

from __future__ import annotations

import pytest

from everthread.domain.text.acts.speech import fails, parse_sentence

pytestmark = pytest.mark.req("A-13", "LA-10")


@pytest.mark.parametrize(
    "text",
    [
        "The build fails on Windows.",
        "When I click it, the page crashes.",
        "When the tests failed I reverted the change.",
        "It crashes when the file is empty.",
        "The save button doesn't work.",
        "If it helps: the parser breaks on tabs.",
        "That approach was broken.",
        "The migration timed out until we raised the limit.",
        "The issue is that the URL has a double slash.",
        "Das Skript funktioniert nicht.",
    ],
)
def test_what_went_wrong_is_heard(text: str) -> None:
    assert fails(parse_sentence(text))


@pytest.mark.parametrize(
    "text",
    [
        "Shows error messages if the save fails.",
        "It creates the folder (if it doesn't exist).",
        "The plan is broken into four phases.",
        "Retries the request whenever the connection breaks.",
        "Add a fallback in case the model can't find it.",
        "It returns a 404 when the file does not exist.",
        "Unless the check fails, it is merged.",
        "Long lines keep their line breaks.",
        "Does it fail?",
    ],
)
def test_what_is_only_supposed_is_not(text: str) -> None:
    assert not fails(parse_sentence(text))
