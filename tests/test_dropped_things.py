"""A thing that is used no longer ends what told to use it, though nothing stands in its place."""

from __future__ import annotations

import pytest

from everthread.domain.memory.contradictions import contradicts
from everthread.domain.text.dropped_things import dropped_thing, drops_thing, is_used_no_longer
from support.spoken import gleaned_in_turn as read

pytestmark = pytest.mark.req("A-21", "R-15")

QUEUE = "We use Redis for the queue."


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We dropped Redis.", QUEUE),
        ("We've finally got rid of Redis.", QUEUE),
        ("We no longer use Redis for the queue.", QUEUE),
        ("By the way, we don't use Redis any more.", QUEUE),
        ("We stopped using Redis last week, the queue is in Postgres.", QUEUE),
        ("We moved off Redis.", "The queue runs on Redis."),
        ("We decided against API keys.", "Let's use API keys."),
        ("I dropped the Vaillant.", "We take the Vaillant for the cellar."),
        ("We are no longer with Vodafone.", "We are with Vodafone."),
    ],
)
def test_what_told_to_use_it_ends(new: str, old: str) -> None:
    assert is_used_no_longer(new, old)
    assert contradicts(new, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We dropped Redis.", "Redis listens on port 6379."),
        ("We dropped Redis.", "We use Redis Cloud for the queue."),
        ("We dropped Redis.", "We dropped Redis for the sessions."),
        ("We dropped Redis for the sessions.", QUEUE),
        ("We dropped Redis for the sessions.", "We use Redis."),
        ("We dropped the price.", "We use Redis."),
        ("Should we drop Redis?", QUEUE),
        ("I dropped Anna at school.", "We go with Anna."),
        ("We don't use Redis on Mondays.", QUEUE),
        ("We decided against it.", QUEUE),
        ("They dropped Redis.", QUEUE),
        ("We decided against Postgres.", "We use Postgres for the app."),
        ("We dropped Redis for sessions.", "We use Redis for sessions and for the queue."),
        ("We dropped Friday.", "The demo is Friday."),
        ("We dropped Meyer a note.", "We work with Meyer."),
        ("We dropped Oma off.", "We go with Oma."),
        ("We dropped Redis.", "Don't use Redis."),
    ],
)
def test_what_tells_of_something_else_stays(new: str, old: str) -> None:
    assert not is_used_no_longer(new, old)


def test_the_thing_and_its_purpose_are_read() -> None:
    assert dropped_thing("We dropped Redis for the sessions.") == ("redis", "the sessions")
    assert dropped_thing("We dropped API keys altogether, they leak.") == ("api keys", "")


def test_who_lets_something_fall_decided_nothing() -> None:
    assert drops_thing("We dropped Redis.")
    assert not drops_thing("I dropped my phone.")


def test_what_is_carried_tells_only_what_is_so_now() -> None:
    talk = (QUEUE, "OK.", "The tower is 40 metres high.", "I see.", "We dropped Redis.", "Noted.")
    told = [point.text for point in read(*talk).points]
    assert "We dropped Redis." in told
    assert QUEUE not in told
