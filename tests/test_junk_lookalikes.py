"""What begins like a step of the work, or a question, and states something all the same, is kept."""

from __future__ import annotations

import pytest

from everthread.domain.memory.junk import why_junk

pytestmark = pytest.mark.req("LA-7")

STATED = [
    ("preference", "The user asked to be called Sam"),
    ("rule", "The user asked never to be called before 9"),
    ("fact", "The user asked that we never use emojis"),
    ("fact", "Running tests needs REDIS_URL to be set"),
    ("fact", "Running Postgres in Docker needs shm_size 256 MB"),
    ("fact", "Reading the config file happens once at start, changes need a restart"),
    ("fact", "Searching uses trigram indexes"),
    ("fact", "Checking account at Sparkasse ends in 4711"),
    ("fact", "Reading glasses: +1.5"),
    ("rule", "Running the linter before every commit is mandatory"),
    ("decision", "Discussed and agreed: no cookies"),
    ("fact", "Exit code 137 means the container ran out of memory"),
    ("fact", "Exit status 2 of the linter means a config error"),
    ("fact", "Born 1990-05-04"),
]
CHATTER = [
    ("fact", "Running the tests now"),
    ("fact", "Reading the file"),
    ("fact", "Checking the logs, the server is down"),
    ("fact", "Searching for the config file"),
    ("fact", "exit status 2: build failed"),
    ("fact", "The user asked about the weather"),
    ("fact", "The user asks how to run it"),
    ("fact", "The user asked to see the logs"),
    ("fact", "2026-01-02 13:22:11 4411 22"),
    ("fact", "Discussed the roadmap"),
    ("fact", "Ran the tests, all pass"),
]


@pytest.mark.parametrize("origin", ["agent", "tool", "imported"])
@pytest.mark.parametrize(("kind", "text"), STATED)
def test_a_statement_is_no_junk(kind: str, text: str, origin: str) -> None:
    assert why_junk(text, origin=origin, kind=kind) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "text"), CHATTER)
def test_chatter_is(kind: str, text: str) -> None:
    assert why_junk(text, origin="agent", kind=kind) is not None
