"""The library in an asyncio program: it works, and it never holds up the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import pytest

import everthread
from everthread import Settings
from everthread.domain.errors import ThreadBusy
from support.model_clients import MODEL, TOOL
from support.model_server import ModelServer, Say, ToolCall

LOOKING = Say("I look.", calls=[ToolCall("look_up", {"q": "x"})])


def client_of(server: ModelServer) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key="test", base_url=server.url, max_retries=0)


def test_an_asyncio_program_talks_with_its_agent(tmp_path: Path) -> None:
    async def chat(words: str, agent: everthread.Agent, client: anthropic.AsyncAnthropic) -> str:
        # Beginning a turn may wait for another one and for the disk, so it goes to a thread.
        turn = await asyncio.to_thread(agent.turn, words, channel="webchat")
        said = ""
        while turn.state == "open":
            request: Any = {"system": turn.system, "messages": turn.messages, "tools": turn.tools}
            async with client.messages.stream(model=MODEL, max_tokens=99, **request) as stream:
                async for event in turn.watch(stream):
                    said += event.text if event.type == "text" else ""
            for call in turn.open_calls if turn.state == "open" else ():
                await asyncio.to_thread(turn.tool_result, call, "found")
        return said

    async def main(server: ModelServer) -> list[str]:
        with everthread.connect(tmp_path / "everthread.db") as et:
            ada = et.agent("ada", system="You are Ada.", tools=[TOOL])
            bob = et.agent("bob", system="You are Bob.", tools=[TOOL])
            async with client_of(server) as client:
                first = await chat("Look it up.", ada, client)
                both = await asyncio.gather(
                    chat("Hello, Ada.", ada, client), chat("Hello, Bob.", bob, client)
                )
            assert len(ada.messages()) == 6
            assert et.verify(ada).sound
            return [first, *both]

    with ModelServer([LOOKING, "Found.", "Hello.", "Hello."]) as server:
        said = asyncio.run(main(server))
        assert not any(sent.problems for sent in server.requests)
    assert said == ["I look.Found.", "Hello.", "Hello."]


class SlowDisk:
    """A store whose every write takes until the loop has done something else."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.waiting: list[threading.Event] = []
        self.writes = 0
        self.held_up = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, work: Any) -> Any:
        ticked = threading.Event()
        self.waiting.append(ticked)
        self.writes += 1
        self.held_up += not ticked.wait(60)
        return self._store.write(work)


async def greeting() -> AsyncIterator[Any]:
    yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
    block = {"type": "text", "text": "Hi"}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "message_stop"}


async def beside(work: Awaitable[None], disk: SlowDisk) -> None:
    """The loop does something else too while this is awaited: it tells the writes that wait for it."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(0.005)
            while disk.waiting:
                disk.waiting.pop().set()

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()


@pytest.mark.slow
def test_a_slow_disk_does_not_hold_up_the_loop() -> None:
    async def talk(ada: everthread.Agent) -> None:
        turn = await asyncio.to_thread(ada.turn, "Hello")
        async for _ in turn.watch(greeting()):
            pass
        assert turn.state == "done"

    with everthread.connect("memory://", background=False) as et:
        et.agent("ada")
        disk = SlowDisk(et.house.store)
        slow = everthread.Everthread(replace(et.house, store=disk))
        asyncio.run(beside(talk(slow.known_agent("ada")), disk))
        assert disk.writes >= 2
        assert disk.held_up == 0


def test_a_cancelled_task_leaves_no_turn_open() -> None:
    async def main() -> list[str]:
        with everthread.connect("memory://", background=False) as et:
            ada = et.agent("ada")

            under_way = asyncio.Event()

            async def events() -> Any:
                yield {"type": "message_start", "message": {"role": "assistant", "content": []}}
                under_way.set()
                await asyncio.sleep(60)

            async def talk() -> None:
                turn = await asyncio.to_thread(ada.turn, "Hello")
                async for _ in turn.watch(events()):
                    pass

            task = asyncio.create_task(talk())
            await asyncio.wait_for(under_way.wait(), 60)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            following = await asyncio.to_thread(ada.turn, "Again")
            await asyncio.to_thread(following.done, "Yes.")
            return [turn.state for turn in ada.turns()]

    assert asyncio.run(main()) == ["done", "failed"]


LONG = "The launch is at ten, and the vault is in Bern, behind the second door."


async def left(way: str, turn: everthread.Turn, stream: Any, under_way: asyncio.Event) -> None:
    """Read half of the stream, and leave it."""
    words = ""
    async for event in turn.watch(stream):
        words += event.delta.text if event.type == "content_block_delta" else ""
        if "Bern" not in words:
            continue
        if way == "break":
            break
        if way == "raise":
            raise ZeroDivisionError("the window is gone")
        if way == "failed":
            turn.failed("Escape")
            break
        under_way.set()
        await asyncio.sleep(60)


@pytest.mark.req("D-2")
@pytest.mark.parametrize("way", ["break", "raise", "cancel", "failed"])
def test_what_a_stream_had_said_before_it_was_left_is_kept(way: str) -> None:
    """The loop closes the stream only after the turn has ended; the words are there by then."""

    async def talk(ada: everthread.Agent, server: ModelServer, under_way: asyncio.Event) -> None:
        with await asyncio.to_thread(ada.turn, "When and where?") as turn:
            async with client_of(server) as client:
                create: Any = client.messages.create
                asked = {"system": turn.system, "messages": turn.messages}
                stream = await create(model=MODEL, max_tokens=99, stream=True, **asked)
                await left(way, turn, stream, under_way)

    async def main(ada: everthread.Agent, server: ModelServer) -> None:
        under_way = asyncio.Event()
        task = asyncio.create_task(talk(ada, server, under_way))
        if way == "cancel":
            await asyncio.wait_for(under_way.wait(), 60)
            task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is not None:
            assert isinstance(task.exception(), ZeroDivisionError)
        await asyncio.sleep(0.1)  # the loop closes what was left

    with everthread.connect("memory://", background=False) as et, ModelServer([LONG]) as server:
        ada = et.agent("ada", system="You are Ada.")
        asyncio.run(main(ada, server))
        said = ada.messages()
        assert [(m.role, m.kind) for m in said] == [("user", "said"), ("assistant", "notice")]
        assert said[1].text.startswith("The launch is at ten, and the vault is in Bern")
        assert LONG.startswith(said[1].text)
        assert [row.state for row in ada.turns()] == ["failed"]
        with ada.turn("Again?") as turn:
            assert "Bern" not in str(turn.messages)
            turn.done("At ten.")
        assert et.verify(ada).sound


@pytest.mark.req("D-2")
def test_a_reply_that_was_taken_whole_is_not_kept_twice() -> None:
    """The turn fails later, in its tool: what the stream said is a message already."""
    with everthread.connect("memory://", background=False) as et, ModelServer([LOOKING]) as server:
        ada = et.agent("ada", tools=[TOOL])

        async def main() -> None:
            async with client_of(server) as client:
                turn = await asyncio.to_thread(ada.turn, "Look.")
                asked: Any = {"messages": turn.messages, "tools": turn.tools}
                async with client.messages.stream(model=MODEL, max_tokens=9, **asked) as stream:
                    async for _ in turn.watch(stream):
                        pass
                turn.failed("the tool broke")

        asyncio.run(main())
        assert [(m.kind, m.text) for m in ada.messages()] == [
            ("said", "Look."),
            ("said", "I look."),
        ]


def test_tasks_that_talk_at_once_take_their_turns() -> None:
    """(R-6)."""

    async def main() -> tuple[int, int]:
        settings = Settings(turn_wait_seconds=20)
        with everthread.connect("memory://", settings=settings, background=False) as et:
            ada = et.agent("ada")

            async def talk(n: int) -> None:
                turn = await asyncio.to_thread(ada.turn, f"question {n}")
                await asyncio.sleep(0.005)
                await asyncio.to_thread(turn.done, f"answer {n}")

            await asyncio.gather(*(talk(n) for n in range(4)))
            texts = [message.text.split()[1] for message in ada.messages()]
            assert texts[0::2] == texts[1::2]
            return len(ada.turns()), len(ada.sessions())

    assert asyncio.run(main()) == (4, 1)


def test_a_busy_thread_says_so_in_a_task_too() -> None:
    """(R-6)."""

    async def main() -> None:
        settings = Settings(turn_wait_seconds=0)
        with everthread.connect("memory://", settings=settings, background=False) as et:
            ada = et.agent("ada")
            _held = await asyncio.to_thread(ada.turn, "first")
            with pytest.raises(ThreadBusy):
                await asyncio.to_thread(ada.turn, "second")

    asyncio.run(main())
