"""An agent and its threads, as their caller holds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from everthread.domain import checks
from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import (
    ORIGINS,
    Draft,
    Message,
    Origin,
    content_column,
)
from everthread.domain.conversation.threads import must_be_of
from everthread.domain.errors import BadInput, ThreadUnknown
from everthread.services.archive.enrol import close_thread, open_thread, primary_of
from everthread.services.archive.sessions import ANYWHERE, Seat, find_session, resume
from everthread.services.distilling.stages import Progress, silent
from everthread.services.foreground import foreground

from .attending import Attending
from .distilling import Distilling
from .exchanging import Exchanging
from .knowing import Knowing
from .learning import Learning
from .remembering import Remembering
from .sitting import Sitting
from .tasking import Tasking

if TYPE_CHECKING:
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.conversation.threads import Thread as ThreadRow
    from everthread.domain.conversation.threads import ThreadKind
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.distilling.receipts import Receipt
    from everthread.domain.recall.hits import Hit
    from everthread.services.archive.rebuild import Sent
    from everthread.services.archive.record import Recorded
    from everthread.services.giving.inject import Recall, RecallQuery
    from everthread.services.turns.converse import Also

    from .turn import Turn
    from .turn_hooks import TurnHooks

DEFAULT_LIMIT = 50
LONGEST_LIST = 1_000_000


@cache
def _record_service() -> tuple[Callable[..., Recorded], type[Recorded]]:
    """Loaded when first needed, and then kept: to ask for an import takes longer than to hash a text."""
    from everthread.services.archive.record import Recorded, record

    return record, Recorded


class Thread:
    """A conversation of an agent: primary, background or ephemeral."""

    def __init__(self, agent: Agent, row: ThreadRow) -> None:
        self._agent = agent
        self._row = row

    def __repr__(self) -> str:
        return f"<Thread {self.key} ({self.kind})>"

    @property
    def id(self) -> str:
        return self._row.id

    @property
    def key(self) -> str:
        return self._row.key

    @property
    def kind(self) -> ThreadKind:
        return self._row.kind

    @property
    def ref(self) -> int:
        return self._row.ref

    @property
    def row_seen(self) -> ThreadRow:
        """The thread as it was when this handle was made."""
        return self._row

    @property
    def row(self) -> ThreadRow:
        """The thread as it is now: counters, sizes, times."""
        return self._agent.read_thread(self._row.ref)

    @property
    def message_count(self) -> int:
        """All messages it has ever held."""
        return self.row.message_count

    def turn(self, content: object, **options: Any) -> Turn:
        """Begin a turn here; see `Agent.turn`."""
        return self._agent.turn(content, thread=self, **options)

    def record(self, entries: Iterable[Mapping[str, Any]], **options: Any) -> Recorded:
        """Record what was said elsewhere here; see `Agent.record`."""
        return self._agent.record(entries, thread=self, **options)

    def messages(self, *, limit: int | None = None, tokens: int | None = None) -> list[Message]:
        """The newest messages; see `Agent.messages`."""
        return self._agent.messages(limit=limit, tokens=tokens, thread=self)

    def turns(self, *, limit: int = DEFAULT_LIMIT) -> list[TurnRow]:
        """The newest turns, newest first."""
        return self._agent.turns(limit=limit, thread=self)

    def distill(self, *, progress: Progress = silent) -> Receipt:
        """Distill this thread now; see `Agent.distill`."""
        return self._agent.distill(thread=self, progress=progress)

    def receipts(self, *, limit: int = DEFAULT_LIMIT) -> list[Receipt]:
        """What was distilled here, newest first."""
        return self._agent.receipts(limit=limit, thread=self)

    def close(self) -> None:
        """An ephemeral thread's work is done: it takes nothing more, and goes after its time."""
        self._agent.close_thread(self._row.ref)


class Agent(Remembering, Knowing, Distilling, Exchanging, Attending, Tasking, Learning, Sitting):
    """An identity with its memory. Its primary thread never ends."""

    def __init__(self, engine: TurnHooks, row: AgentRow) -> None:
        self._engine = engine
        self._house = engine.house
        self._row = row
        self._scope = Scope(row.ref)
        self._primary: int | None = None
        self._fixed: tuple[tuple[Any, list[Any]], int] | None = None

    def __repr__(self) -> str:
        return f"<Agent {self.name}>"

    @property
    def id(self) -> str:
        return self._row.id

    @property
    def name(self) -> str:
        return self._row.name

    @property
    def row(self) -> AgentRow:
        return self._row

    @property
    def scope(self) -> Scope:
        return self._scope

    @property
    def primary(self) -> Thread:
        """The one thread that is the agent: key `agent:<name>:main`."""
        row = self._house.store.read(lambda r: primary_of(r, self._row))
        return Thread(self, row)

    def thread(self, key: str, *, kind: str) -> Thread:
        """The thread of that key, opened if it is not there; the kind has no default."""
        return Thread(self, open_thread(self._house, self._row, key, kind))

    def threads(self) -> list[Thread]:
        """The primary first, then background, then ephemeral, newest activity first."""
        rows = self._house.store.read(lambda r: r.threads.all(self._scope))
        return [Thread(self, row) for row in rows]

    def turn(
        self,
        content: object,
        *,
        channel: str | None = None,
        thread: Thread | str | None = None,
        session: str | None = None,
        principal: str | None = None,
        name: str | None = None,
        origin: Origin | None = None,
    ) -> Turn:
        """Find the session, append the message, compute the context, and open a turn.

        A person's message on the primary thread is given what was recalled for it (`knew` tells).
        A heartbeat or a cron job says `origin="system"`: no rule, tone or request is read from it,
        and it keeps no session open. Without `origin`, a person is taken to speak, unless the words
        are those of a known heartbeat or come time after time at even intervals, with no name.
        """
        from everthread.domain.conversation.replies import check_opening, read_content
        from everthread.domain.given.packing import strip_content
        from everthread.services.turns.sender import with_sender

        if origin is not None and origin not in ORIGINS:
            raise BadInput(f"origin must be one of {', '.join(ORIGINS)}; got {origin!r:.40}")
        target = self._target(thread)
        heard = read_content(content)
        by = origin or ("system" if target.kind == "background" else "user")
        if by == "user":
            heard = strip_content(heard)
        check_opening(heard)
        form, column = content_column(heard)
        draft = Draft(
            "user",
            by,
            form,
            column,
            name=checks.optional_text("name", name),
            principal=checks.optional_text("principal", principal),
        )
        if origin is None and by == "user":
            draft = with_sender(self._house, self._scope, target.ref, draft)
        seat = Seat(channel=channel, session=session, principal=principal)
        return self.open_turn(target.row_seen, draft, seat)

    @foreground
    def open_turn(
        self, thread: ThreadRow, draft: Draft, seat: Seat = ANYWHERE, *, also: Also | None = None
    ) -> Turn:
        """Open a turn with that message; `also` is written in the same transaction."""
        from everthread.services.archive.measure import with_tokens
        from everthread.services.giving.inject import make_offer
        from everthread.services.turns.converse import TurnRequest, begin

        from .turn import Turn

        prompt, fixed = self._prompt()
        key = self._house.ids.new()
        recaller = self._recaller(draft.principal)
        offer = make_offer(self._house, self._row, thread, draft, recaller, seat)
        asked = TurnRequest(
            thread.ref, with_tokens(self._house, draft), seat, fixed, key, offer, also
        )
        with self._engine.pulse.opening(key):
            begun = begin(self._house, self._row, asked, self._engine.pulse.living)
            turn = Turn(self._house, begun, prompt, self._engine)
            self._engine.opened(turn, begun.turn)
        self._engine.tally.enter_session(self._row.ref, begun.turn.session_ref)
        return turn

    def _recaller(self, principal: str | None) -> Recall:
        """How a turn recalls: in its project, for whom it speaks, and only so long."""
        from everthread.services.memory.recall import recall, recall_request

        def found(sought: RecallQuery) -> list[Hit]:
            scope = Scope(self._row.ref, sought.project, principal)
            wanted = recall_request(sought.query, scope, sought.limit)._replace(
                shown=sought.shown,
                without=sought.without,
                already=sought.already,
                owners=self._owners,
            )
            return self._engine.limited.run(lambda: recall(self._house, self._row, wanted))

        return found

    def record(
        self,
        entries: Iterable[Mapping[str, Any]],
        *,
        thread: Thread | str | None = None,
        session: str | None = None,
        source: str = "record",
        channel: str | None = None,
        project: str | None = None,
        parent: str | None = None,
    ) -> Recorded:
        """Append what was said elsewhere or earlier; idempotent by (source, id), or, with `channel`, by
        (source, channel, id): `1` of `slack` is stored as `slack#1`, and that id without a channel is the
        same one. `changed` tells ids that were known with another text: that one stays.

        An entry has role and content and, where known, id, at, name and principal, or whatever else a
        provider's message holds; a heartbeat has `"origin": "system"`. A key that nobody reads is refused
        (`EntryKeyUnknown`), with nothing stored. Of one call the newest alone are shown to the
        model (`tail_messages`); all is recalled. Of sessions that are over, memories follow (30 days back).
        """
        record, outcome = _record_service()
        wanted = "record() takes a list of entries, each a dict with role and content"
        given = list(checks.checked_several(wanted, entries))
        if not given:
            return outcome(0, 0)
        seat = ANYWHERE
        if (session, channel, project, parent) != (None, None, None, None):
            seat = Seat(session=session, channel=channel, project=project, parent=parent)
        ref = self._primary_ref() if thread is None else self._target(thread).ref
        try:
            done = record(self._house, self._row, ref, given, source, seat)
        except ThreadUnknown:
            if thread is not None:
                raise
            done = record(self._house, self._row, self._primary_anew(), given, source, seat)
        if done.added and any("at" in entry for entry in given):
            self._engine.nudge()  # what was said then may be over, and waits for the worker
        return done

    def messages(
        self,
        *,
        limit: int | None = None,
        tokens: int | None = None,
        thread: Thread | str | None = None,
    ) -> list[Message]:
        """The newest messages, oldest of them first: `limit` of them, or what fits into `tokens`."""
        usual = DEFAULT_LIMIT if tokens is None else LONGEST_LIST
        most = checks.checked_limit(usual if limit is None else limit)
        room = None if tokens is None else checks.checked_whole("tokens", tokens)
        if thread is not None:
            return self._newest(self._target(thread).ref, most, room)
        # None at all: the thread is new, or it is an erased one that has a successor.
        found = self._newest(self._primary_ref(), most, room)
        return found or self._newest(self._primary_anew(), most, room)

    def _newest(self, ref: int, limit: int, tokens: int | None) -> list[Message]:
        store, scope = self._house.store, self._scope
        if tokens is None:
            return list(store.read(lambda r: r.messages.newest(scope, ref, limit=limit)))
        from everthread.services.archive.read import newest_within

        return store.read(lambda r: newest_within(r, scope, ref, tokens=tokens, limit=limit))

    def sessions(self, *, limit: int = DEFAULT_LIMIT) -> list[Session]:
        """Newest activity first."""
        most = checks.checked_limit(limit)
        return list(self._house.store.read(lambda r: r.sessions.all(self._scope, limit=most)))

    def session(self, name: Session | str) -> Session:
        """A session by id, key, alias or any unique ending of its id."""
        return self._house.store.read(lambda r: find_session(r, self._scope, name))

    def resume(self, name: Session | str, *, channel: str | None = None) -> Session:
        """Make an earlier session the current one again."""
        return resume(self._house, self._row, name, channel)

    def turns(
        self, *, limit: int = DEFAULT_LIMIT, thread: Thread | str | None = None
    ) -> list[TurnRow]:
        """The newest turns, newest first."""
        ref, most = self._target(thread).ref, checks.checked_limit(limit)
        return list(self._house.store.read(lambda r: r.turns.all(self._scope, ref, limit=most)))

    def sent(
        self, number: int, *, call: int | None = None, thread: Thread | str | None = None
    ) -> Sent:
        """What was sent in a turn, rebuilt byte for byte: the last request, or that call of it."""
        from everthread.services.archive.rebuild import rebuild_request

        ref = self._target(thread).ref
        which = None if call is None else checks.checked_whole("call", call)
        return rebuild_request(
            self._house, self._scope, ref, checks.checked_whole("turn", number), which
        )

    def close_thread(self, ref: int) -> None:
        close_thread(self._house, self._row, ref)

    def read_thread(self, ref: int) -> ThreadRow:
        return self._house.store.read(lambda r: r.threads.get(self._scope, ref))

    def _other(self, row: AgentRow) -> Agent:
        """Another agent, for whoever holds this one."""
        made = Agent(self._engine, row)
        made._owners = self._owners
        return made

    def _prompt(self) -> tuple[tuple[Any, list[Any]], int]:
        """System prompt and tools with their size; read and counted once for this handle."""
        if self._fixed is None:
            from everthread.services.archive.measure import fixed_tokens, prompt_of

            read, hashes = self._house.store.read, (self._row.system_hash, self._row.tools_hash)
            prompt = read(lambda r: prompt_of(r, self._scope, *hashes))
            self._fixed = prompt, fixed_tokens(self._house, *prompt)
        return self._fixed

    def _target(self, thread: Thread | str | None) -> Thread:
        if isinstance(thread, Thread):
            must_be_of(thread.row_seen, self._row.ref, self.name)
            return thread
        if thread is None:
            return self.primary
        key = checks.checked_text("thread", thread)
        row = self._house.store.read(lambda r: r.threads.find(self._scope, key))
        if row is None:
            raise ThreadUnknown(
                f"agent {self.name!r} has no thread {thread!r:.80}; `everthread threads` shows those it "
                "has, agent.thread(key, kind=…) opens one"
            )
        return Thread(self, row)

    def _primary_ref(self) -> int:
        # The primary changes only by erasure, and then its old row refuses to be held.
        return self._primary_anew() if self._primary is None else self._primary

    def _primary_anew(self) -> int:
        self._primary = self.primary.ref
        return self._primary
