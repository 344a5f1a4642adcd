"""What is taken for a purpose ends what was taken for just that, whichever verb told of it."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.memory.contradictions import contradicts
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-8")

CHOSEN = (
    "We decided to use SQLite for the store.",
    "We're going with SQLite for the store.",
    "Use SQLite for the store.",
    "Let's use SQLite for our store.",
    "We settled on SQLite for the store.",
    "We use SQLite for the store.",
)
TAKEN_INSTEAD = (
    "We use PostgreSQL for the store now, not SQLite.",
    "Use PostgreSQL for the store, not SQLite.",
    "Let's go with PostgreSQL for the store instead of SQLite.",
    "We're using PostgreSQL for the store now.",
    "We decided to go with PostgreSQL for the store instead.",
    "I changed my mind: PostgreSQL for the store.",
)


@pytest.mark.parametrize("new", TAKEN_INSTEAD)
@pytest.mark.parametrize("old", CHOSEN)
def test_what_is_taken_instead_ends_what_was_chosen(new: str, old: str) -> None:
    assert contradicts(new, old)
    assert not contradicts(old, new), "what was said before changes nothing later"


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We use Redis for the cache now.", "We use PostgreSQL for the store."),
        ("We use Python for the backend now.", "We use PostgreSQL for the backend."),
        ("We use SQLite for tests, not PostgreSQL.", "We use PostgreSQL for production."),
        ("We use PostgreSQL for the store.", "We use SQLite for the store."),
        ("We might use PostgreSQL for the store now.", "We use SQLite for the store."),
        ("Should we use PostgreSQL for the store now?", "We use SQLite for the store."),
        ("We use PostgreSQL for the store now, too.", "We use SQLite for the store."),
        ("We use PostgreSQL for the store, not only SQLite.", "We use SQLite for the store."),
        ("We use it for the store now.", "We use SQLite for the store."),
        ("We use SQLite 3.45 for the store now.", "We use SQLite for the store."),
        ("I changed my mind: not today.", "We use SQLite for the store."),
        ("We use the blue mug for tea now.", "We use the red kettle for tea."),
    ],
)
def test_what_may_stand_beside_it_ends_nothing(new: str, old: str) -> None:
    assert not contradicts(new, old)


def test_only_the_newest_choice_is_told() -> None:
    gleaner = Gleaner()
    for n, text in enumerate((CHOSEN[0], TAKEN_INSTEAD[0]), start=1):
        gleaner.read(spoken(text, "user", n=n))
    told = [point.text for point in gleaner.digest().points if point.kind != "tone"]
    assert told == [TAKEN_INSTEAD[0]]
