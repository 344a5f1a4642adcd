"""What is told of a known name and a new one is kept whole; the reader sees what it says of the known one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.domain.gleaning.digest import CHOSEN, Digest
from support.desk import Desk, desk_in
from support.spoken import gleaned_in_turn

pytestmark = pytest.mark.req("R-44")

LED = ("Hello there.", "Hello. What is it about?")
OTHER = ("What is a good soup for a cold evening?", "Leek and potato.")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with desk_in(tmp_path) as found:
        yield found


def kept(digest: Digest) -> list[str]:
    """What weighs as much as a choice."""
    return [point.text for point in digest.points if point.weight >= CHOSEN]


@pytest.mark.parametrize(
    ("was", "later"),
    [
        (
            "I run the cooking club. Marta does the accounts.",
            "Marta quit. Jonas does the accounts.",
        ),
        (
            "Our CI runs on Jenkins.",
            "We shut Jenkins down on Friday. Builds happen in Buildkite.",
        ),
        (
            "My phone contract is with Telmo.",
            "Telmo's coverage up here is zero. I signed with Fonix.",
        ),
        ("Our plumber is Karel.", "Karel has retired, his nephew Ondrej does our plumbing."),
        ("The site is hosted on Heroku.", "Heroku got too pricey. The site lives on Fly.io."),
    ],
)
def test_it_is_kept_whole_and_what_was_told_before_stays(was: str, later: str) -> None:
    digest = gleaned_in_turn(*LED, was, "Noted.", *OTHER, later, "OK.")
    assert later in kept(digest)
    assert any(was in point.text for point in digest.points), "nobody said that it ended"


@pytest.mark.parametrize(
    "later",
    [
        "Marta quit. Does Jonas do the accounts?",
        "Jonas does the drinks. Peter brings the plates.",  # neither was known
        "Marta quit. The accounts are done.",  # nothing new is named
        "Marta came on Friday. We met again in May.",
    ],
)
def test_what_is_told_of_one_of_them_alone_is_as_it_was(later: str) -> None:
    was = "I run the cooking club. Marta does the accounts."
    digest = gleaned_in_turn(*LED, was, "Noted.", *OTHER, later, "OK.")
    assert later not in kept(digest)


def test_it_is_remembered(desk: Desk) -> None:
    later = "Mateusz moved to the data team, Ines reviews our stuff."
    desk.turn("The reviewer for this repo is Mateusz.", "Noted.")
    desk.talk(0, 8)
    desk.turn(later, "OK.")
    desk.talk(8, 16)
    desk.ada.distill()
    desk.work()
    assert later in [memory.text for memory in desk.ada.memories()]
