"""A choice that is given up for another by its name ends, and what takes its place is kept.

Requirements: A-13.
"""

from __future__ import annotations

import pytest

from everthread.domain.memory.switches import turns_down
from everthread.domain.text.given_up_choices import given_up
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-13")

GIVEN_UP = [
    ("Forget asyncpg, we use psycopg 3.", "asyncpg"),
    ("Scrap the CSV export, we do JSON.", "csv export"),
    ("Hm, drop Redis, let's take Memcached.", "redis"),
    ("We cancel Kanazawa and stay in Kyoto.", "kanazawa"),
    ("Vergiss MySQL, wir nehmen Postgres.", "mysql"),
]
NOT = [
    "Forget the meeting.",
    "Forget asyncpg?",
    "Drop me a line, I want news.",
    "We use psycopg 3.",
    "Forget it, we use Postgres 15, forget it.",
]


@pytest.mark.parametrize(("said", "gone"), GIVEN_UP)
def test_what_is_given_up_is_named(said: str, gone: str) -> None:
    assert given_up(said) == gone


@pytest.mark.parametrize("said", NOT)
def test_without_another_thing_nothing_is_given_up(said: str) -> None:
    assert not given_up(said)


def test_only_what_chose_it_ends() -> None:
    new = "Forget MySQL, we use Postgres."
    assert turns_down(new, "Let's go with MySQL for the shop.")
    assert turns_down(new, "Decided: MySQL.")
    assert not turns_down(new, "MySQL listens on port 3306.")
    assert not turns_down(new, "We use MySQLite for tests.")
    assert not turns_down(new, new)


def test_the_summary_tells_what_is_used_now() -> None:
    digest = read(
        *("Let's go with asyncpg then, speed matters.", "Decided: asyncpg."),
        *("Forget asyncpg, we use psycopg 3.", "Then psycopg 3."),
    )
    decided = [point.text for point in digest.points if point.kind == "decision"]
    assert "Forget asyncpg, we use psycopg 3." in decided
    assert not [
        text for text in decided if "go with asyncpg" in text or text == "Decided: asyncpg."
    ]
