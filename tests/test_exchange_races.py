"""Two programs at one exchange: what one of them wrote, the other neither loses nor doubles.

Requirements: A-60, R-14, R-34.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread, Settings
from everthread.domain.errors import ExchangeRefused
from everthread.domain.harness.happenings import Happening
from everthread.services.exchanges.exchange import sweep
from everthread.store.exchanges import ExchangeTable
from everthread.testing import FrozenClock
from support.stores import EACH, Place, fresh

BARE = Settings(embedder="off", recall_seconds=30)
PATIENCE = 60.0
WAITERS = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"


@pytest.fixture
def clock() -> FrozenClock:
    return FrozenClock("2026-02-20T10:00:00Z")


@pytest.fixture(params=EACH)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with fresh(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def et(place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    with everthread.connect(place.target, clock=clock, background=False, settings=BARE) as et:
        for name in ("ada", "bob"):
            et.agent(name)
        yield et


@pytest.fixture
def other(et: Everthread, place: Place, clock: FrozenClock) -> Iterator[Everthread]:
    """Another program at the same store."""
    with everthread.connect(place.target, clock=clock, background=False, settings=BARE) as other:
        yield other


class Meanwhile:
    """What another program does after this one's first look, before it goes on."""

    def __init__(self, place: Place, patch: pytest.MonkeyPatch) -> None:
        self._place = place
        self._patch = patch
        self._thread: threading.Thread | None = None
        self._done = threading.Event()
        self.errors: list[Exception] = []

    def after(self, look: str, act: Callable[[], object]) -> None:
        plain, here = getattr(ExchangeTable, look), threading.current_thread()

        def looked(table: ExchangeTable, *args: Any, **more: Any) -> Sequence[Any]:
            found = plain(table, *args, **more)
            if self._thread is None and threading.current_thread() is here:
                self._begin(act)
            return found

        self._patch.setattr(ExchangeTable, look, looked)

    def _begin(self, act: Callable[[], object]) -> None:
        def run() -> None:
            try:
                act()
            except Exception as error:  # noqa: BLE001 - the test looks at it
                self.errors.append(error)
            finally:
                self._done.set()

        self._thread = threading.Thread(target=run)
        self._thread.start()
        if self._place.engine == "sqlite":
            self._done.wait(0.3)  # one writer at a time: it waits for us, unless we only look
            return
        # Until it is done, or waits for a lock of ours.
        while not self._done.wait(0.01) and not self._place.raw(WAITERS)[0][0]:
            pass

    def over(self) -> None:
        assert self._thread is not None, "nobody looked"
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        self._patch.undo()


@pytest.fixture
def meanwhile(place: Place, monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    return Meanwhile(place, monkeypatch)


def sound(et: Everthread) -> bool:
    return all(et.verify(agent).sound for agent in et.agents())


@pytest.mark.parametrize("look", ["waiting", "sides", "hold"])
def test_an_answer_given_while_the_target_looks_into_its_inbox_stays(
    et: Everthread, other: Everthread, meanwhile: Meanwhile, look: str
) -> None:
    asked = et.known_agent("ada").question("bob", "Which port?")
    meanwhile.after(look, lambda: other.known_agent("bob").reply(asked.id, "5432"))
    et.known_agent("bob").inbox()
    meanwhile.over()
    for name in ("ada", "bob"):
        found = et.known_agent(name).exchange(asked.id)
        assert (found.status, found.answer) == ("responded", "5432")
    assert meanwhile.errors == [] and sound(et)


@pytest.mark.parametrize("look", ["given", "sides", "hold"])
def test_an_answer_given_while_the_turn_that_was_told_fails_stays(
    et: Everthread, other: Everthread, meanwhile: Meanwhile, look: str
) -> None:
    asked = et.known_agent("ada").question("bob", "Which port?")
    turn = et.known_agent("bob").turn("Hello")
    meanwhile.after(look, lambda: other.known_agent("bob").reply(asked.id, "5432"))
    turn.failed("the model is down")
    meanwhile.over()
    found = et.known_agent("ada").exchange(asked.id)
    assert (found.status, found.answer) == ("responded", "5432")
    assert meanwhile.errors == [] and sound(et)


@pytest.mark.parametrize("look", ["due", "sides", "hold"])
def test_a_question_ends_once_answered_or_too_late(
    et: Everthread, other: Everthread, meanwhile: Meanwhile, clock: FrozenClock, look: str
) -> None:
    turn = other.known_agent("ada").ask("bob", "Which port?")
    clock.forward(minutes=3)
    meanwhile.after(look, lambda: turn.done("5432"))
    sweep(et.house)
    meanwhile.over()
    found = et.known_agent("ada").exchange(turn)
    assert (found.status, found.answer) in (("responded", "5432"), ("timeout", None))
    assert found.status == et.known_agent("bob").exchange(turn).status
    ends = et.house.store.read(
        lambda r: r.timeline.about(et.known_agent("ada").scope, found.key_id)
    )
    assert [entry.event for entry in ends] == ["exchange.opened", "exchange.changed"]
    assert meanwhile.errors == [] and sound(et)


@pytest.mark.parametrize("look", ["ending", "sides", "hold"])
def test_of_two_who_answer_at_once_one_is_refused(
    et: Everthread, other: Everthread, meanwhile: Meanwhile, look: str
) -> None:
    asked = et.known_agent("ada").question("bob", "Which port?")
    bob = et.known_agent("bob")
    meanwhile.after(look, lambda: other.known_agent("bob").reply(asked.id, "5432"))
    mine: list[Exception] = []
    try:
        bob.reply(asked.id, "5433")
    except ExchangeRefused as refused:
        mine.append(refused)
    meanwhile.over()
    (refusal,) = mine + meanwhile.errors
    assert isinstance(refusal, ExchangeRefused) and "closed" in str(refusal)
    found = et.known_agent("ada").exchange(asked.id)
    said = [m.text for m in bob.messages(thread="ask:ada")]
    assert said == ["Which port?", found.answer], "nothing of the other is stored"
    assert sound(et)


def test_a_message_is_told_by_one_of_two_sessions_that_ask_at_once(
    et: Everthread, other: Everthread, meanwhile: Meanwhile, tmp_path: Path
) -> None:
    """X-9: once."""
    et.known_agent("ada").send("bob", "The build is red")
    told: list[str] = []

    def prompt(house: Everthread, session: str) -> None:
        happening = Happening("claude-code", "prompt", session, str(tmp_path), text="What is new?")
        told.append(house.known_agent("bob").attend(happening).context)

    meanwhile.after("waiting", lambda: prompt(other, "s-2"))
    prompt(et, "s-1")
    meanwhile.over()
    assert meanwhile.errors == []
    assert sorted("build is red" in text for text in told) == [False, True]
    given = [i for i in et.known_agent("bob").injections() if i.injection.purpose == "exchange"]
    assert len(given) == 1
    assert sound(et)


@pytest.mark.slow
def test_agents_who_send_to_each_other_at_once_lose_nothing(
    et: Everthread, other: Everthread
) -> None:
    errors: list[Exception] = []

    def talk(house: Everthread, me: str, you: str) -> None:
        try:
            for number in range(5):
                asked = house.known_agent(me).question(you, f"question {number}?")
                house.known_agent(you).inbox()
                house.known_agent(you).reply(asked, f"answer {number}")
                house.known_agent(me).ask(you, f"by a turn {number}?").done("yes")
        except Exception as error:  # noqa: BLE001 - the test looks at it
            errors.append(error)

    ways = [(et, "ada", "bob"), (other, "bob", "ada")]
    threads = [threading.Thread(target=talk, args=way) for way in ways]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * PATIENCE)
    assert errors == []
    for name in ("ada", "bob"):
        found = et.known_agent(name).exchanges()
        assert len(found) == 20
        assert {e.status for e in found} == {"responded"}
        assert all(e.answer for e in found)
    assert sound(et)
