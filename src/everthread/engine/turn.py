"""A turn as its caller holds it: what to send, and where the answers go."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Sequence
from copy import deepcopy
from types import TracebackType
from typing import Any, Self

from everthread.domain.checks import mend_text
from everthread.domain.conversation.messages import (
    Draft,
    Message,
    as_message,
    calls_in,
    content_column,
    results_in,
)
from everthread.domain.conversation.rendering import (
    anthropic_messages,
    anthropic_tools,
    open_calls,
    openai_messages,
    openai_tools,
)
from everthread.domain.conversation.replies import Reply, Usage, read_reply, read_usage, tool_output
from everthread.domain.conversation.reply_blocks import check_blocks
from everthread.domain.conversation.sessions import Session
from everthread.domain.conversation.streams import Gathering
from everthread.domain.errors import BadInput, CallsOpen, CallUnknown, LeaseLost, TurnFinished
from everthread.domain.given.injections import block_message
from everthread.domain.given.usefulness import is_mentioned
from everthread.domain.given.working_state import WorkingState, read_state, state_text, stored_state
from everthread.domain.ids import id_text
from everthread.ports import House
from everthread.services.archive.measure import with_tokens
from everthread.services.foreground import foreground
from everthread.services.giving.holdout import withheld_uses
from everthread.services.giving.tally import SessionCounts, given_use
from everthread.services.giving.validity import key_of
from everthread.services.turns.converse import After, Ending, OpenTurn, extend, finish

from .clearing import Clearing, log
from .stream_watch import Watch, note_pause
from .turn_hooks import TurnHooks

LONGEST_ERROR = 2_000


class Turn:
    """One human message, the model's work on it, the reply. Also a context manager.

    `system`, `messages` and `tools` are ready for the Anthropic client, `openai()` for the OpenAI one.
    """

    def __init__(
        self, house: House, begun: OpenTurn, prompt: tuple[Any, list[Any]], hooks: TurnHooks
    ) -> None:
        self._house = house
        self._hooks = hooks
        self._row = begun.turn
        self._session, self._calibration = begun.session, begun.calibration
        self._history = begun.history
        self._own: list[Message] = [begun.said]
        self._clearing = Clearing()
        self._offer = begun.offer
        self._fixed = begun.fixed
        self._state = begun.state
        block = None if begun.offer is None else begun.offer.text
        # Before the user's words in the request, and in no message of anyone's.
        self._beside = [] if block is None else [block_message(block)]
        self._human = begun.said.origin == "user"
        self._computed = begun.turn.computed_tokens
        self._sent = self._computed
        self._usage: Usage | None = None
        self._measured = self._computed
        self._model: str | None = None
        self._gathering: Gathering | None = None
        self._pair: bytes | None = None
        self._then: Callable[[str, Usage | None], After] | None = None
        # Its own copy: whoever marks a block of it must not change what other turns send.
        self._system: Any = deepcopy(prompt[0])
        self._tools = prompt[1]

    def __repr__(self) -> str:
        return f"<Turn {self.number} {self.state}>"

    @property
    def id(self) -> str:
        return self._row.id

    @property
    def number(self) -> int:
        """Turns of a thread are numbered from 1."""
        return self._row.number

    @property
    def state(self) -> str:
        """`open`, `done` or `failed`."""
        return self._row.state

    @property
    def session(self) -> Session:
        """The session this turn belongs to."""
        return self._session

    @property
    def exchange(self) -> str | None:
        """The id of the exchange that this turn answers, if another agent began it."""
        return None if self._pair is None else id_text(self._pair)

    @property
    def system(self) -> Any:
        """The agent's system prompt as it was given, text or blocks; this turn's own copy of it."""
        return self._system

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The history to send, for the Anthropic client; current again after each `add` and `tool_result`."""
        return anthropic_messages(self._request_messages())

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The agent's tool definitions, for the Anthropic client."""
        return anthropic_tools(self._tools, [*self._history, *self._own])

    def openai(self) -> dict[str, Any]:
        """`messages` (with the system prompt) and, if there are any, `tools`, for the OpenAI client."""
        messages = openai_messages(self.system, self._request_messages())
        request: dict[str, Any] = {"messages": messages}
        if tools := openai_tools(self._tools):
            request["tools"] = tools
        return request

    @property
    def context_tokens(self) -> int:
        """How large the next request is: computed from content, calibrated by what was reported."""
        return self._calibration.apply(self._computed)

    @property
    def open_calls(self) -> list[str]:
        """Ids of the tool calls of this turn that wait for a result."""
        return open_calls(self._own)

    def add(self, response: object) -> Self:
        """Take the model's answer in the middle of a tool loop."""
        reply = self._take_reply(response)
        if not reply.blocks:
            raise BadInput("the response holds nothing to add; end with done() or failed()")
        self._extend([self._draft("assistant", "agent", reply.blocks)])
        self._gathering = None  # what was streamed of it is no longer all there is
        return self

    def tool_result(self, call_id: str, output: object, *, is_error: bool = False) -> Self:
        """Take a tool's answer to one of the calls the model made."""
        self._must_be_open()
        waiting = self.open_calls
        if call_id not in waiting:
            expected = ", ".join(waiting) or "none is open"
            raise CallUnknown(f"no open tool call {call_id!r} in this turn; open calls: {expected}")
        said = tool_output(output)
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id, "content": said}
        if is_error:
            block["is_error"] = True
        self._extend([self._draft("user", "tool", [block])])
        return self

    def result_of(self, call_id: str) -> Any:
        """What a tool answered in this turn, whole; long tool loops show the model less of old ones."""
        blocks = (block for message in reversed(self._own) for block in results_in(message.blocks))
        for block in blocks:
            if block.get("tool_use_id") == call_id:
                return deepcopy(block.get("content"))
        raise CallUnknown(f"no result for tool call {call_id!r} in this turn")

    def done(self, reply: object = None, *, usage: object = None, state: object = None) -> Self:
        """End the turn with the reply: a text, a dict, or a response object of either SDK.

        Without a reply, the last answer given to `add` is the reply. `state` says what the agent is
        at; where it is not said, it is read off a turn that used tools.
        """
        given = None if state is None else read_state(state, now=self._house.clock.now())
        drafts: list[Draft] = []
        heard = None if reply is None else self._take_reply(reply)
        self._must_be_open()
        note_pause(self.id, heard)
        if heard is not None and heard.blocks:
            drafts.append(self._draft("assistant", "agent", heard.blocks))
        elif self._own[-1].role != "assistant":
            if heard is None:
                raise BadInput("done() needs the reply; use failed() if there is none")
            # A model may end its turn without a word, and that is an answer too.
            drafts.append(self._draft("assistant", "agent", ""))
        if open_calls([*self._own, *map(as_message, drafts)]):
            raise CallsOpen(
                "the model is waiting for tool results: give them with tool_result(), "
                "or end the turn with failed()"
            )
        told = read_usage(usage)
        # A figure is held against the request it was reported for, which need not be the last one.
        computed = self._measured if told is None else self._sent
        ending = Ending(
            drafts,
            usage=told or self._usage,
            model=self._model,
            human=self._human,
            computed=computed,
            state=self._new_state(given, drafts),
        )
        self._finish(ending)
        return self

    def failed(self, error: object = "failed") -> Self:
        """End the turn without a reply. What was said in it stays; the next turn renders legally.

        Where the store cannot take that, its error is raised, and the turn is over all the same.
        """
        self._must_be_open()
        text = mend_text(str(error) or type(error).__name__)
        try:
            self._finish(Ending(self._partial(), error=text[:LONGEST_ERROR], human=self._human))
        except BaseException:
            # Nobody ends a turn twice: held on to, it would keep its thread busy for good.
            self._give_up()
            raise
        return self

    def watch(self, stream: Iterable[Any] | AsyncIterable[Any]) -> Watch:
        """Pass a stream's events through and complete the turn from them.

        A reply that calls tools, or was paused, leaves the turn open: answer the calls, ask again.
        """
        self._must_be_open()
        # Only what is gathered, not who watches: a turn that nobody holds must not hold itself.
        self._gathering = Gathering()
        return Watch(self, stream, self._gathering, self._hooks.aside)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.state != "open":
            return
        if error is None:
            self.failed("the turn was left without done()")
            log.warning("turn %s was left without done(): the reply to it is not kept", self.id)
            return
        try:
            self.failed(f"{type(error).__name__}: {error}".removesuffix(": "))
        except Exception as trouble:  # noqa: BLE001 - what went wrong first is what must be heard
            self._give_up()
            error.add_note(f"and the turn's failure could not be stored: {trouble}")

    # The inside -------------------------------------------------------------------------------

    def then(self, pair: bytes, make: Callable[[str, Usage | None], After]) -> None:
        """With this turn that exchange ends: what `make` makes of the reply is written with it."""
        self._pair, self._then = pair, make

    def _partial(self) -> list[Draft]:
        """What a stream said before it broke, for outside the view: nothing that was said is lost."""
        text = "" if self._gathering is None else self._gathering.partial_text
        if not text.strip():
            return []
        return [self._draft("assistant", "agent", text)._replace(kind="notice", tokens=0)]

    def _after(self, ending: Ending) -> After | None:
        if self._then is None:
            return None
        said = [*self._own[1:], *map(as_message, ending.drafts)]
        replies = [m.text for m in said if m.role == "assistant" and m.kind == "said"]
        return self._then(replies[-1] if replies else "", ending.usage)

    def _take_reply(self, response: object) -> Reply:
        self._must_be_open()
        reply = read_reply(response)
        check_blocks(response, reply.blocks)
        self._sent = self._computed
        if reply.usage is not None:
            self._usage, self._measured = reply.usage, self._sent
        self._model = reply.model or self._model
        return reply

    def _draft(self, role: Any, origin: Any, content: str | Sequence[dict[str, Any]]) -> Draft:
        form, column = content_column(content)
        # Said to that person: what one is told is not for another.
        to = self._own[0].principal
        return with_tokens(self._house, Draft(role, origin, form, column, principal=to))

    @foreground
    def _extend(self, drafts: list[Draft]) -> None:
        try:
            self._row, stored = extend(self._house, self._row, drafts)
        except LeaseLost:
            self._mark_lost()
            raise
        self._own.extend(stored)
        self._computed += sum(message.tokens for message in stored)
        sizes: Any = {"computed": self._computed, "calibration": self._calibration}
        self._computed -= self._clearing.make_room(self._house, self._row, self._own, **sizes)

    def _request_messages(self) -> list[Message]:
        """The request's messages: what came before, what the turn was given, what was said in it."""
        return [*self._history, *self._beside, *self._clearing.shown(self._own)]

    @foreground
    def _finish(self, ending: Ending) -> None:
        counted = self._session_counts(ending)
        try:
            self._row, stored = finish(
                self._house,
                self._row,
                ending._replace(counted=counted, after=self._after(ending)),
            )
        except BaseException as error:
            if counted is not None:
                self._hooks.tally.add(counted)
            if isinstance(error, LeaseLost):
                self._mark_lost()
            raise
        self._own.extend(stored)
        self._hooks.finished(self._row, self._fixed)
        if self.session.task is not None and ending.error is None:
            from everthread.services.tasks.sessions.context_growth import after_turn

            if after_turn(self._house, self._row, size=self.context_tokens):
                self._hooks.call()

    def _session_counts(self, ending: Ending) -> SessionCounts | None:
        """What is to be written of this session: what this turn was given, and what waited before."""
        row, tally = self._row, self._hooks.tally
        if self._offer is not None:
            now, items = self._house.clock.now(), self._offer.found
            used = self._used_ranks(ending)
            learned = {key_of(hit): hit.learned for hit in self._offer.hits}
            uses = tuple(
                given_use(
                    row.session_ref,
                    item,
                    now,
                    mentioned=item.rank in used,
                    learned=learned.get(item.ref),
                )
                for item in items
            )
            texts = self._question_and_reply(ending)
            held = withheld_uses(row.session_ref, self._offer.withheld, now, texts)
            counted = self._offer.counted
            own = counted._replace(
                session=row.session_ref,
                uses=(*counted.uses, *uses, *held),
                injected=len(uses),
            )
            tally.add(own)
            self._offer = None  # once, however often the turn is tried to be ended
        return tally.take(row.agent_ref, row.session_ref)

    def _used_ranks(self, ending: Ending) -> set[int]:
        """The ranks of the items that the reply mentions."""
        block = None if self._offer is None else self._offer.block
        if block is None or ending.error is not None:
            return set()
        texts = self._question_and_reply(ending)
        return {each.rank for each in block.placed if is_mentioned(each.part.text, *texts)}

    def _question_and_reply(self, ending: Ending) -> tuple[str, str]:
        """The question and the reply; of a turn that failed there is none."""
        said = [] if ending.error is not None else [*self._own[1:], *map(as_message, ending.drafts)]
        reply = "\n".join(message.text for message in said if message.role == "assistant")
        return self._own[0].text, reply

    def _new_state(self, given: WorkingState | None, drafts: Sequence[Draft]) -> str | None:
        """What the agent is at after this turn; None where nothing new is known of it."""
        before, said = stored_state(self._state), [*self._own, *map(as_message, drafts)]
        worked = any(m.form and any(calls_in(m.blocks)) for m in said)
        if given is None and not worked and not before:
            return None
        from everthread.domain.given.turn_state import extract_state

        now = given if given is not None else extract_state(before, said, self._house.clock.now())
        return None if now == before else state_text(now)

    def _mark_lost(self) -> None:
        self._row = self._row._replace(state="failed")
        self._hooks.finished(self._row, self._fixed)

    def _give_up(self) -> None:
        self._row = self._row._replace(state="failed")
        self._hooks.pulse.dropped(self._row.key_id)

    def _must_be_open(self) -> None:
        if self._row.state != "open":
            raise TurnFinished(
                f"turn {self.number} is {self.state} already; begin a new one with agent.turn()"
            )
