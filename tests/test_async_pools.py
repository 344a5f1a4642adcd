"""Turns that wait for each other in an asyncio program: whoever waits keeps nobody from ending."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import everthread
from everthread import Settings
from everthread.engine.limits import ASIDE as MOST

TURNS, THREADS = 12, 4
ASIDE = "everthread-aside"


async def greeting() -> AsyncIterator[Any]:
    yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
    block = {"type": "text", "text": "Hi"}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    await asyncio.sleep(0.01)  # the others come and wait
    yield {"type": "message_stop"}


Beside = Callable[[], int]


@pytest.fixture
def beside() -> Beside:
    """How many threads store for the streams of this test; others may have left some of their own."""
    before = set(threading.enumerate())

    def count() -> int:
        new = set(threading.enumerate()) - before
        return sum(thread.name.startswith(ASIDE) for thread in new)

    return count


def connected() -> everthread.Everthread:
    settings = Settings(turn_wait_seconds=20)
    return everthread.connect("memory://", settings=settings, background=False)


async def all_at_once(talk: Callable[[int], Any]) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
    await asyncio.wait_for(asyncio.gather(*(talk(n) for n in range(TURNS))), 15)


def test_a_watched_stream_ends_its_turn_while_others_wait_for_it_in_every_thread(
    beside: Beside,
) -> None:
    """(R-6)."""
    with connected() as et:
        ada = et.agent("ada")

        async def talk(n: int) -> None:
            with await asyncio.to_thread(ada.turn, f"question {n}") as turn:
                async for _ in turn.watch(greeting()):
                    pass

        asyncio.run(all_at_once(talk))
        assert [row.state for row in ada.turns()] == ["done"] * TURNS
        assert 1 <= beside() <= MOST
    assert beside() == 0


def test_a_stream_that_breaks_ends_its_turn_while_others_wait_for_it() -> None:
    with connected() as et:
        ada = et.agent("ada")

        async def broken() -> AsyncIterator[Any]:
            yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
            await asyncio.sleep(0.01)
            raise ConnectionError("gone")

        async def talk(n: int) -> None:
            turn = await asyncio.to_thread(ada.turn, f"question {n}")
            with pytest.raises(ConnectionError):
                async for _ in turn.watch(broken()):
                    pass

        asyncio.run(all_at_once(talk))
        assert [row.state for row in ada.turns()] == ["failed"] * TURNS


def test_turns_that_begin_in_a_pool_of_their_own_end_in_that_of_the_loop(beside: Beside) -> None:
    """As the how-to says it (R-6)."""
    with connected() as et, ThreadPoolExecutor(THREADS) as beginning:
        ada = et.agent("ada")

        async def talk(n: int) -> None:
            loop = asyncio.get_running_loop()
            with await loop.run_in_executor(beginning, ada.turn, f"question {n}") as turn:
                await asyncio.sleep(0.01)
                await asyncio.to_thread(turn.done, f"answer {n}")

        asyncio.run(all_at_once(talk))
        assert [row.state for row in ada.turns()] == ["done"] * TURNS
        assert beside() == 0  # none is made for a program without streams


def test_an_engine_that_is_closed_under_a_stream_says_so_and_starts_no_thread(
    beside: Beside,
) -> None:
    async def main() -> None:
        et = connected()
        turn = et.agent("ada").turn("Hello")
        with pytest.raises(everthread.errors.EverthreadError) as told:
            async for event in turn.watch(greeting()):
                if event["type"] == "message_stop":
                    et.close()
        assert "closed" in str(told.value)

    asyncio.run(main())
    assert beside() == 0


def test_what_a_stream_stores_is_on_disk_before_the_engine_closes() -> None:
    """A task was left alone with its end; the engine waits for what it had begun."""
    et = connected()
    ada = et.agent("ada")
    turn = ada.turn("Hello")
    begun, go_on = threading.Event(), threading.Event()
    store = et.house.store
    write = store.write

    def slowly(work: Any) -> Any:
        begun.set()
        assert go_on.wait(10)
        return write(work)

    async def main() -> None:
        async def talk() -> None:
            async for _ in turn.watch(greeting()):
                pass

        task = asyncio.create_task(talk())
        object.__setattr__(store, "write", slowly)
        await asyncio.to_thread(begun.wait, 10)
        closing = asyncio.create_task(asyncio.to_thread(et.close))
        await asyncio.sleep(0.05)
        assert not closing.done()
        go_on.set()
        await asyncio.gather(task, closing)

    asyncio.run(main())
    assert turn.state == "done"


def test_an_engine_may_end_in_one_of_its_own_threads() -> None:
    """The last to hold a dropped engine may be what it stored for a stream."""
    et = connected()
    asyncio.run(et.aside.run(et.leaving.leave))
    assert et.leaving.over
