"""What `MEMORY.md` lists beside a harness: what stands, and the same whoever writes it. (S-4)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everthread import Everthread
from everthread.domain.distilling.daily_files import with_managed
from everthread.domain.distilling.receipts import Receipt
from everthread.domain.errors import StoreFailed
from everthread.ports import FlushResult
from everthread.services.distilling.flush import reflush, retry
from everthread.services.distilling.memory_file import RESTLESS, managed_now, write_listing
from everthread.services.forgetting.follow import follow
from everthread.services.harness.extract import extract
from support.harness import Bench, Window, bench
from support.stores import ABOVE, fresh

pytestmark = pytest.mark.req("S-4")

RULE = "Never restart the mail server during the day."
OVER = "The rule about restarting the mail server no longer applies."
CHECK = "Always run make check before you commit."
MINE = "# Mine\n\nBuy milk.\n"


@pytest.fixture(params=ABOVE)
def b(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    with fresh(request.param, tmp_path) as where, bench(tmp_path, where.target) as made:
        yield made


@pytest.fixture
def q(tmp_path: Path) -> Iterator[Bench]:
    """The quick one."""
    with bench(tmp_path) as made:
        yield made


def files(b: Bench) -> dict[str, str]:
    root = b.project.parent / "files"
    return {str(p.relative_to(root)): p.read_text() for p in root.rglob("*.md")}


def memory_md(b: Bench) -> str:
    return "".join(text for name, text in files(b).items() if name.endswith("MEMORY.md"))


def listing(b: Bench) -> str:
    """How the store says that it reads."""
    return b.et.house.store.read(lambda r: managed_now(b.et.house, r, b.agent.scope)) or ""


def as_it_should(b: Bench) -> bool:
    return with_managed(memory_md(b), listing(b)).outcome == "unchanged"


def session(b: Bench, name: str, *said: str, source: str = "startup") -> Window:
    """A whole session of a harness in which that was said."""
    w = b.window(name)
    w.start(source)
    for text in said:
        w.turn(text, "Understood.")
    w.end()
    b.work()
    b.clock.forward(hours=48)
    return w


def talk(b: Bench, *said: str) -> None:
    """On the primary thread; enough for a distillation."""
    for text in said:
        b.agent.turn(text).done("Understood.")
    for n in range(14):
        b.agent.turn(f"How is row {n} of the Kilmore street?").done("It is fine. " + "word " * 60)


# ---- what does not hold


def test_a_rule_that_was_taken_back_is_listed_no_more(b: Bench) -> None:
    """At once, and in no later session."""
    session(b, "s-1", RULE, CHECK)
    assert RULE in memory_md(b)
    session(b, "s-1", OVER, source="resume")
    assert RULE not in memory_md(b)
    session(b, "s-2", "We decided to name the gateway Falcon.")
    assert RULE not in memory_md(b)
    assert CHECK in memory_md(b), "what nobody took back stands"
    assert "Falcon" in memory_md(b)


def test_what_holds_for_a_while_is_listed_for_that_while(b: Bench) -> None:
    session(b, "s-1", RULE)
    session(b, "s-2", "We decided to name the gateway Falcon.")
    now = b.clock.now()
    (rule,) = [m for m in b.agent.memories() if m.text == RULE]
    b.et.house.store.write(lambda r: r.memories.bound(b.agent.scope, rule, until=now + 1, now=now))
    assert RULE in listing(b)
    b.clock.forward(seconds=1)
    assert RULE not in listing(b)
    assert write_listing(b.et.house, b.agent.row).ok
    assert RULE not in memory_md(b)


def test_what_another_memory_replaced_is_not_listed(q: Bench) -> None:
    session(q, "s-1", "Always deploy the parser on Fridays.")
    session(q, "s-2", "Never deploy the parser on Fridays.")
    session(q, "s-3", "We decided to name the gateway Falcon.")
    assert "- Never deploy the parser on Fridays." in memory_md(q)
    assert "- Always deploy the parser on Fridays." not in memory_md(q)


def test_what_another_session_replaced_is_not_listed_of_the_digest_that_still_holds_it(
    b: Bench,
) -> None:
    """Said once more on the thread itself, it stands again."""
    always, never = "Always deploy the parser on Fridays.", "Never deploy the parser on Fridays."
    talk(b, always, CHECK)
    b.agent.distill()
    assert f"- {always}" in memory_md(b)
    w = session(b, "s-1", never)
    assert f"- {never}" in memory_md(b)
    assert f"- {always}" not in memory_md(b)
    assert CHECK in memory_md(b)
    assert as_it_should(b)
    talk(b, always)
    b.agent.distill()
    w.end()
    b.work()
    assert f"- {always}" in memory_md(b)


def test_a_session_that_was_cleared_leaves_its_rule_there(q: Bench) -> None:
    """Nothing else is left of it."""
    session(q, "s-1", CHECK)
    w = q.window("s-2")
    w.start()
    w.turn(RULE, "Understood.")
    w.start("clear")
    q.work()
    assert RULE in memory_md(q)
    assert as_it_should(q)


# ---- one and the same, whoever writes it


def test_a_distillation_lists_what_stands_of_sessions_too(b: Bench) -> None:
    session(b, "s-1", RULE)
    session(b, "s-2", "We decided to name the gateway Falcon.")
    before = files(b)
    talk(b, CHECK)
    receipt = b.agent.distill()
    assert receipt.outcome == "ok"
    assert as_it_should(b)
    assert all(text in memory_md(b) for text in (RULE, "Falcon", CHECK))
    after = files(b)
    b.et.undo(receipt.id)
    assert files(b) == before
    b.et.redo(receipt.id)
    assert files(b) == after
    assert b.et.verify(b.agent).faults == []


def test_undo_brings_back_what_was_there_and_keeps_what_came_since(b: Bench) -> None:
    session(b, "s-1", CHECK)
    talk(b, "We decided to use port 8443.")
    receipt = b.agent.distill()
    session(b, "s-2", RULE)
    b.et.undo(receipt.id)
    assert as_it_should(b)
    assert RULE in memory_md(b)
    assert CHECK in memory_md(b)
    assert "port 8443" not in memory_md(b), "its digits alone may stand in a checksum"


def test_what_a_distillation_replaces_goes_with_it_and_comes_back_when_it_is_undone(
    b: Bench,
) -> None:
    """Its files are written before what it learnt is stored."""
    session(b, "s-1", "Always deploy the parser on Fridays.")
    session(b, "s-2", "We decided to name the gateway Falcon.")
    before = memory_md(b)
    assert "- Always deploy" in before
    talk(b, "Never deploy the parser on Fridays.")
    receipt = b.agent.distill()
    assert "- Always deploy" not in memory_md(b)
    assert "- Never deploy" in memory_md(b)
    b.et.undo(receipt.id)
    assert memory_md(b) == before
    b.et.redo(receipt.id)
    assert "- Always deploy" not in memory_md(b)
    assert as_it_should(b)


def test_an_agent_without_a_harness_has_what_it_had_before(q: Bench) -> None:
    """What was drawn from an ended chat of its own is of its thread, and listed by its distillations."""
    q.agent.turn(RULE).done("Understood.")
    q.agent.end_session()
    q.work()
    assert RULE in {m.text for m in q.agent.memories()}
    talk(q)
    assert files(q) == {}
    receipt = q.agent.distill()
    assert RULE in memory_md(q)
    q.et.undo(receipt.id)
    assert files(q) == {}


WRITERS: dict[str, Callable[[Bench, Any], object]] = {
    "reflush": lambda q, receipt: reflush(q.et.house, q.agent.row, receipt.ref),
    "follow": lambda q, receipt: follow(q.et.house, q.agent.row.ref, lambda: None),
    "forget": lambda q, receipt: q.agent.forget(q.agent.remember("The sky is blue today.").id),
    "undo and redo": lambda q, receipt: (q.et.undo(receipt.id), q.et.redo(receipt.id)),
    "listed": lambda q, receipt: write_listing(q.et.house, q.agent.row),
}


@pytest.mark.parametrize("who", WRITERS)
def test_every_writer_leaves_the_same(q: Bench, who: str) -> None:
    """And what a person wrote around it."""
    session(q, "s-1", RULE)
    session(q, "s-2", "We decided to name the gateway Falcon.")
    (place,) = (q.project.parent / "files").glob("*/MEMORY.md")
    place.write_text(MINE + place.read_text())
    talk(q, CHECK)
    receipt = q.agent.distill()
    whole = memory_md(q)
    assert with_managed(whole, None).text == MINE
    assert all(text in whole for text in (RULE, "Falcon", CHECK))
    WRITERS[who](q, receipt)
    assert memory_md(q) == whole


def test_what_a_disk_refused_is_listed_when_it_is_tried_again(q: Bench) -> None:
    session(q, "s-1", RULE)
    talk(q, CHECK)
    (place,) = (q.project.parent / "files").glob("*/MEMORY.md")
    text = place.read_text()
    place.unlink()
    place.mkdir()
    assert not q.agent.distill().flush_succeeded
    place.rmdir()
    place.write_text(text)
    q.clock.forward(minutes=10)
    assert retry(q.et.house) == 0
    assert as_it_should(q)
    assert all(said in memory_md(q) for said in (RULE, CHECK))


# ---- several write at once


def nothing() -> None:
    return None


class Meddled:
    """A workspace; before or after all that is written to it, something else is done."""

    def __init__(
        self, inner: Any, then: Callable[[], object], first: Callable[[], object] = nothing
    ) -> None:
        self._inner, self._then, self._first = inner, then, first

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._later(found) if name in ("write", "withdraw", "renew") else found

    def _later(self, work: Callable[..., FlushResult]) -> Callable[..., FlushResult]:
        def done(*given: Any) -> FlushResult:
            self._first()
            told = work(*given)
            self._then()
            return told

        return done


def test_who_writes_while_a_distillation_is_under_way_does_not_have_the_last_word(
    q: Bench,
) -> None:
    """They cannot know yet what is about to be in force."""
    session(q, "s-1", RULE)
    talk(q, CHECK)
    before = listing(q)
    times = list[int]()

    def old() -> None:
        times.append(1)
        if len(times) == 1:
            q.et.house.workspace.renew(q.agent.name, before)  # pyright: ignore[reportOptionalMemberAccess]

    meddled = replace(q.et.house, workspace=Meddled(q.et.house.workspace, old))
    receipt = Everthread(meddled).known_agent(q.agent.name).distill()
    assert receipt.outcome == "ok"
    assert as_it_should(q)
    assert CHECK in memory_md(q)


def test_a_session_that_ends_meanwhile_does_not_have_the_last_word_either(q: Bench) -> None:
    """It knew nothing of the distillation when it asked what to write."""
    session(q, "s-1", RULE)
    talk(q, CHECK)
    w = q.window("s-2")
    w.start()
    w.turn("We decided to name the gateway Falcon.", "Noted.")
    w.tell("compacting", trigger="auto")
    made, receipts = q.agent.checkpoints()[0], list[Receipt]()

    def distilled() -> None:
        if not receipts:
            receipts.append(q.agent.distill())

    meddled = replace(q.et.house, workspace=Meddled(q.et.house.workspace, nothing, distilled))
    extract(meddled, q.agent.row, w.row, made, lambda: None)
    assert [receipt.outcome for receipt in receipts] == ["ok"]
    assert as_it_should(q)
    assert all(text in memory_md(q) for text in (RULE, CHECK, "Falcon"))


def test_what_changes_all_the_time_is_given_up_and_said(q: Bench) -> None:
    session(q, "s-1", RULE)
    names = iter(range(99))

    def more() -> None:
        w = q.window(f"more-{next(names)}")
        w.start()
        w.turn(f"Always greet guest {next(names)} in the hall first.", "Understood.")
        w.end()
        q.work()

    meddled = replace(q.et.house, workspace=Meddled(q.et.house.workspace, more))
    assert write_listing(meddled, q.agent.row) == RESTLESS
    assert write_listing(q.et.house, q.agent.row).ok
    assert as_it_should(q)


def test_what_is_said_meanwhile_does_not_have_it_written_again(q: Bench) -> None:
    session(q, "s-1", RULE)
    times = list[int]()

    def said() -> None:
        times.append(1)
        q.agent.turn("How is the weather?").done("Fine.")

    meddled = replace(q.et.house, workspace=Meddled(q.et.house.workspace, said))
    assert write_listing(meddled, q.agent.row).ok
    assert times == [1]


def test_a_distillation_that_stands_is_not_called_failed_for_what_comes_after(q: Bench) -> None:
    session(q, "s-1", RULE)
    talk(q, CHECK)

    class Broken(Meddled):
        def renew(self, agent: str, managed: str | None) -> FlushResult:
            raise StoreFailed(f"no {agent} with {len(managed or '')} characters")

    broken = replace(q.et.house, workspace=Broken(q.et.house.workspace, nothing))
    with pytest.raises(StoreFailed):
        Everthread(broken).known_agent(q.agent.name).distill()
    assert [receipt.outcome for receipt in q.agent.receipts()] == ["ok"]
    assert CHECK in memory_md(q)
