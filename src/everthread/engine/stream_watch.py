"""Watching a stream: events pass through untouched, and the turn is completed from them."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from everthread.domain.conversation.messages import calls_in
from everthread.domain.conversation.replies import PAUSED
from everthread.domain.errors import BadInput, StreamBroken

from .clearing import log

if TYPE_CHECKING:
    from everthread.domain.conversation.replies import Reply
    from everthread.domain.conversation.streams import Gathering

    from .limits import Aside


class WatchedTurn(Protocol):
    """The part of a turn that a stream completes."""

    @property
    def state(self) -> str: ...
    def add(self, response: object) -> object: ...
    def done(self, reply: object = None, *, usage: object = None) -> object: ...
    def failed(self, error: object = "failed") -> object: ...


class Watch:
    """Iterate it with `for` over a sync stream, with `async for` over an async one. Once."""

    def __init__(
        self,
        turn: WatchedTurn,
        stream: Iterable[Any] | AsyncIterable[Any],
        gathering: Gathering,
        aside: Aside,
    ) -> None:
        _must_be_stream(stream)
        self._turn = turn
        self._stream = stream
        self._aside = aside
        # The turn's own: whoever ends it in the middle of the stream keeps what was said so far.
        self._gathering = gathering

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._stream, Iterable):
            raise BadInput(
                "this stream is asynchronous; use `async for event in turn.watch(stream)`"
            )
        try:
            for event in self._stream:
                self._gathering.feed(event)
                yield event
        except BaseException as error:
            self._broken(error)
            raise
        self._complete()

    async def __aiter__(self) -> AsyncIterator[Any]:
        if not isinstance(self._stream, AsyncIterable):
            raise BadInput("this stream is synchronous; use `for event in turn.watch(stream)`")
        try:
            async for event in self._stream:
                self._gathering.feed(event)
                yield event
        except BaseException as error:
            await self._aside.run(self._broken, error)
            raise
        await self._aside.run(self._complete)

    def _complete(self) -> None:
        if not self._gathering.complete:
            error = StreamBroken("the stream ended before the reply was complete; the turn failed")
            self._broken(error)
            raise error
        reply = self._gathering.reply()
        if any(calls_in(reply.blocks)) or reply.stop_reason == PAUSED:
            self._turn.add(reply)
        else:
            self._turn.done(reply)

    def _broken(self, error: BaseException) -> None:
        if self._turn.state != "open":
            return  # ended by its caller while the stream was still being read
        reason = "the stream was left before its end" if isinstance(error, GeneratorExit) else error
        try:
            self._turn.failed(f"{type(error).__name__}: {reason}".removesuffix(": "))
        except Exception as trouble:
            if isinstance(error, GeneratorExit):
                raise
            # What broke the stream is what must be heard.
            error.add_note(f"and the turn's failure could not be stored: {trouble}")


def note_pause(turn: str, reply: Reply | None) -> None:
    """Say that a turn ends with a reply that its model had not finished: whoever asked may not know."""
    if reply is not None and reply.stop_reason == PAUSED:
        log.warning(
            "turn %s ends with a reply that was paused (%s): to let the model go on, keep it with "
            "turn.add(response) and ask again with turn.messages",
            turn,
            PAUSED,
        )


def _must_be_stream(stream: object) -> None:
    """A stream of events, not what the provider answers without one."""
    # An SDK's whole response can be iterated, too: it gives its fields.
    kind = type(stream)
    whole = issubclass(kind, str | bytes | Mapping) or hasattr(kind, "model_dump")
    if whole or not issubclass(kind, Iterable | AsyncIterable):
        raise BadInput(
            f"stream must be what the provider streams, made with stream=True; got {kind.__name__}. "
            "A whole response is kept by turn.add(response) or turn.done(response)"
        )
