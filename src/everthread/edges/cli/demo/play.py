"""The example itself: real calls of the library, days of conversation in a few seconds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

from everthread.domain.errors import DistillationBusy
from everthread.domain.times import DAY, text_of

from . import script
from .script import Call, Exchange

if TYPE_CHECKING:
    from everthread.domain.distilling.receipts import Receipt
    from everthread.engine import Agent, Everthread
    from everthread.engine.turn import Turn
    from everthread.services.archive.context import Context

    from .clock import DemoClock

LONGEST_SITTING = 3 * 3_600.0
TURN_SECONDS = 110.0
LONGEST_THOUGHT = 10.0
"""Short of the lease of a turn: a longer silence would look like a process that died."""

HISTORY_DAYS = 30
PATIENCE = 30.0
T = TypeVar("T")
MILLISECOND = timedelta(milliseconds=1)


class Watcher(Protocol):
    """Who looks on while the example plays."""

    def sitting(self, at: int, channel: str, turns: int) -> None:
        """A stretch of the conversation begins."""
        ...

    def turned(self, exchange: Exchange) -> None:
        """A turn is over. Raises KeyboardInterrupt if the rest is not wanted any more."""
        ...

    def stage(self, name: str) -> None:
        """A stage of a distillation begins."""
        ...

    def distilled(self, receipt: Receipt) -> None:
        """A distillation is over. Raises as `turned` does."""
        ...


class Part(NamedTuple):
    """One sitting of the example, with the turns that fall to it."""

    starts: int
    channels: tuple[str, ...]
    first: int
    last: int
    seconds: float
    distills: bool


def parts(turns: int, now: int) -> Iterator[Part]:
    """The sittings over which so many turns spread; the last of them ends now."""
    done = shared = 0
    for sitting in script.SITTINGS:
        shared += sitting.share
        upto = turns * shared // 100
        count, first = upto - done, done + 1
        done = upto
        if not count:
            continue
        seconds = min(TURN_SECONDS, LONGEST_SITTING / count)
        starts = now - sitting.ago // MILLISECOND - int(count * seconds * 1000)
        yield Part(starts, tuple(sitting.channels), first, upto, seconds, sitting.distills)


class Room(NamedTuple):
    """Where room was made: the receipt, and what the agent was given before."""

    receipt: Receipt
    turn: int
    before: str
    """The messages of the context, as JSON."""
    messages: int
    tokens: int


class Life(NamedTuple):
    """An agent that has lived through the example."""

    agent: Agent
    rooms: list[Room]


def play(engine: Everthread, clock: DemoClock, watcher: Watcher, *, turns: int, now: int) -> Life:
    """Let the conversation happen, from a month ago until now."""
    ada = engine.agent(
        "ada",
        system=script.SYSTEM,
        tools=script.TOOLS,
        model=script.MODEL,
        window=script.WINDOW,
        inactivity_hours=4.0,
    )
    _remember(ada, now)
    rooms: list[Room] = []
    for part in parts(turns, now):
        clock.reach(part.starts)
        _beat(ada)
        watcher.sitting(clock.now(), part.channels[0], part.last - part.first + 1)
        _sit(ada, clock, watcher, part)
        if part.distills:
            rooms.append(_make_room(ada, watcher, part.last))
    _scratch(ada)
    return Life(ada, rooms)


def _make_room(ada: Agent, watcher: Watcher, turn: int) -> Room:
    """Distil by hand. Signals would do it by themselves, later, at 150 messages or 100,000 tokens."""
    context = ada.context()
    receipt = retry_while_busy(lambda: ada.distill(progress=watcher.stage))
    watcher.distilled(receipt)
    return Room(receipt, turn, as_json(context), len(context.messages), context.tokens)


def as_json(context: Context, messages: int | None = None) -> str:
    """What the agent is given, all of it or its first messages, in a form that can be compared."""
    return json.dumps(context.messages[:messages], ensure_ascii=False)


def retry_while_busy(act: Callable[[], T]) -> T:
    """Do it; while the worker distils the same thread by itself, wait for it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return act()
        except DistillationBusy:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _remember(ada: Agent, now: int) -> None:
    """What Mel and Ada said elsewhere, before there was a thread."""
    start = now - HISTORY_DAYS * DAY
    ada.record(
        {
            "id": f"forum-{n}",
            "role": role,
            "content": said,
            "name": "Mel" if role == "user" else None,
            "at": text_of(start + n * 90_000),
        }
        for n, (role, said) in enumerate(script.EARLIER, 1)
    )


def _sit(ada: Agent, clock: DemoClock, watcher: Watcher, part: Part) -> None:
    """The turns of one sitting; where two channels share it, they take half of them each."""
    thought = min(part.seconds / 4, LONGEST_THOUGHT)
    for number in range(part.first, part.last + 1):
        exchange = script.exchange(number)
        began = clock.now()
        half = (number - part.first) * len(part.channels) // (part.last - part.first + 1)
        with ada.turn(exchange.say, channel=part.channels[half], name="Mel") as turn:
            clock.sleep(thought)
            _answer(turn, clock, exchange, thought)
        clock.reach(began + int(part.seconds * 1000))
        watcher.turned(exchange)


def _answer(turn: Turn, clock: DemoClock, exchange: Exchange, thought: float) -> None:
    """What a program does with a model's answers; here they come from the script."""
    if exchange.call is not None:
        turn.add({"role": "assistant", "content": [_tool_use(turn.number, exchange.call)]})
        clock.sleep(thought)
        turn.tool_result(f"call-{turn.number}", exchange.call.result)
    if exchange.trouble is not None:
        turn.failed(exchange.trouble)
        return
    # A provider counts by a vocabulary of its own; the agent's calibration learns the difference.
    read = len(json.dumps([turn.system, turn.tools, turn.messages], ensure_ascii=False)) // 6
    turn.done(
        exchange.reply, usage={"input_tokens": read, "output_tokens": len(exchange.reply) // 4}
    )


def _tool_use(number: int, call: Call) -> dict[str, object]:
    return {
        "type": "tool_use",
        "id": f"call-{number}",
        "name": call.tool,
        "input": dict(call.given),
    }


def _beat(ada: Agent) -> None:
    """The check that nobody asked for, on a thread of its own: it opens no human session."""
    asked, answered = script.BEAT
    with ada.thread("heartbeat:beds", kind="background").turn(asked) as turn:
        turn.done(answered)


def _scratch(ada: Agent) -> None:
    """Something for the moment, on a thread that vanishes a day later."""
    asked, answered = script.SCRATCH
    with ada.thread("scratch:plan", kind="ephemeral").turn(asked, name="Mel") as turn:
        turn.done(answered)
