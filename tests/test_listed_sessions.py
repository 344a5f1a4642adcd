"""`MEMORY.md` lists what is kept of every session of a harness, not of the last one alone. (S-4)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from everthread.services.distilling.memory_file import managed_now
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

pytestmark = pytest.mark.req("S-4")

CHOSEN = "We decided to name the gateway Falcon."
FACT = "The staging machine is at larder-staging.fly.dev, deploys go through `make ship`."
OPEN = "Please send Mrs Aydin the contract by Tuesday."


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def memory_md(b: Bench) -> str:
    return "".join(p.read_text() for p in (b.project.parent / "files").rglob("MEMORY.md"))


def says(b: Bench, name: str, *said: str, owner: str = "") -> Window:
    w = b.window(name, owner=owner)
    w.start()
    for text in said:
        w.turn(text, "I will." if text == OPEN else "Noted.")
    return w


def test_what_a_session_that_was_cut_off_left_stays_listed_after_the_next_one(b: Bench) -> None:
    """Its harness was killed: nobody told of its end, and the next session notices."""
    says(b, "s-1", CHOSEN, FACT, OPEN, owner="1:killed")
    b.clock.forward(hours=1)
    b = b.gone("1:killed")
    w = says(b, "s-2", "The logs are in /var/log/larder, rotated weekly by logrotate.")
    b.work()
    assert all(text in memory_md(b) for text in (CHOSEN, FACT, OPEN)), "soon after it was noticed"
    w.end()
    b.work()
    text = memory_md(b)
    assert "/var/log/larder" in text
    assert all(said in text for said in (CHOSEN, FACT, OPEN))
    kept = {memory.text: memory.id[-8:] for memory in b.agent.memories()}
    assert all(f"{one} (" in text and kept[one] in text for one in (CHOSEN, FACT, OPEN))


def test_each_is_listed_once(q: Bench) -> None:
    """Though the digest of the last session tells it, and the memory drawn from that."""
    says(q, "s-1", CHOSEN, FACT).end()
    q.work()
    q.clock.forward(hours=6)
    says(q, "s-2", CHOSEN).end()
    q.work()
    assert memory_md(q).count(CHOSEN) == memory_md(q).count("make ship") == 1


def test_what_is_over_or_forgotten_is_listed_no_more(q: Bench) -> None:
    says(q, "s-1", CHOSEN, FACT, OPEN).end()
    q.work()
    q.clock.forward(hours=6)
    says(q, "s-2", "I sent Mrs Aydin the contract myself.").end()
    q.work()
    (fact,) = (memory for memory in q.agent.memories() if memory.text == FACT)
    q.agent.forget(fact.id)
    q.work()
    text = memory_md(q)
    assert CHOSEN in text and FACT not in text and OPEN not in text


def test_it_reads_as_the_store_says(q: Bench) -> None:
    says(q, "s-1", CHOSEN, FACT).end()
    q.work()
    q.clock.forward(hours=6)
    says(q, "s-2", OPEN).end()
    q.work()
    listing = q.et.house.store.read(lambda r: managed_now(q.et.house, r, q.agent.scope)) or ""
    assert {line for line in listing.split("\n") if line.startswith("- ")} == {
        line for line in memory_md(q).split("\n") if line.startswith("- ")
    }
