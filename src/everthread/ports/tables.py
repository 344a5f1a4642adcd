"""What the store keeps, table by table. Each promise is written on the method."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from everthread.domain.agents import AgentRow, Channel, Scope, Tombstone
    from everthread.domain.conversation.bodies import Body
    from everthread.domain.conversation.messages import Draft, Message
    from everthread.domain.conversation.sessions import Session, State
    from everthread.domain.conversation.threads import Thread, ThreadKind
    from everthread.domain.conversation.turns import TurnRow
    from everthread.domain.timeline import Entry, Facts


class Agents(Protocol):
    def find(self, name: str) -> AgentRow | None: ...

    def get(self, scope: Scope) -> AgentRow: ...

    def all(self) -> Sequence[AgentRow]: ...

    def add(self, name: str, *, window: int, now: int) -> AgentRow:
        """The agent of that name, created if nobody has."""
        ...

    def define(self, agent: AgentRow, *, now: int) -> AgentRow:
        """Store the agent's changed definition."""
        ...

    def calibration(self, scope: Scope, model: str) -> str | None: ...

    def calibrate(self, scope: Scope, model: str, numbers: str, *, now: int) -> None: ...


class Bodies(Protocol):
    def put(self, scope: Scope, bodies: Iterable[Body]) -> None:
        """Keep each once, however often it is put; each put counts one use."""
        ...

    def get(self, scope: Scope, hashes: Iterable[bytes]) -> Mapping[bytes, str]: ...

    def release(self, scope: Scope, hashes: Iterable[bytes]) -> None:
        """One use less of each; what nobody uses any more goes."""
        ...


class Threads(Protocol):
    def find(self, scope: Scope, key: str) -> Thread | None: ...

    def get(self, scope: Scope, ref: int) -> Thread: ...

    def all(self, scope: Scope) -> Sequence[Thread]: ...

    def tagged(self, scope: Scope, tags: Collection[int]) -> Sequence[Thread]:
        """To which the messages behind these tags belong, each once; an erased one has none."""
        ...

    def add(
        self, scope: Scope, *, key: str, kind: ThreadKind, now: int, lineage: int = 1
    ) -> Thread:
        """The open thread of that key, created if nobody has."""
        ...

    def hold(self, scope: Scope, ref: int) -> Thread:
        """The thread, locked against every other writer until the end of the transaction."""
        ...

    def note(
        self,
        scope: Scope,
        ref: int,
        *,
        computed: int | None = None,
        reported: int | None = None,
        view_version: int | None = None,
    ) -> None:
        """Set those counters that are given; they are not part of the thread's identity."""
        ...

    def distilled(
        self, scope: Scope, ref: int, *, at: int | None, version: int, computed: int
    ) -> None:
        """Its view changed by a distillation or its undoing: when, to which version, how large it is.

        What was reported of an earlier view says nothing any more.
        """
        ...

    def works_on(self, scope: Scope, ref: int, state: str | None) -> None:
        """What the agent is at; not part of the thread's identity."""
        ...

    def count_turn(self, scope: Scope, ref: int) -> int:
        """One turn more; its number."""
        ...

    def close(self, scope: Scope, thread: Thread, *, now: int) -> None:
        """Note that its work is done; it goes when its time has passed."""
        ...

    def idle_ephemeral(self, *, before: int, limit: int) -> Sequence[tuple[Scope, Thread]]:
        """Ephemeral threads of any agent whose last activity is older. For the retention job alone."""
        ...

    def remove(self, scope: Scope, thread: Thread, *, now: int) -> int:
        """Remove an ephemeral thread with all its rows; how many messages went."""
        ...

    def erase(self, scope: Scope, thread: Thread, *, reason: str | None, now: int) -> Tombstone:
        """Remove every text of the thread for good and leave a tombstone."""
        ...

    def bury(self, scope: Scope, stone: Tombstone) -> Tombstone:
        """Leave a tombstone; its id and entry are filled in."""
        ...


class Channels(Protocol):
    def find(self, scope: Scope, transport: str, key: str) -> Channel | None: ...

    def bind(self, scope: Scope, channel: Channel, *, now: int) -> None:
        """Bind the channel to its thread and session; a bound one moves its pointer."""
        ...

    def all(self, scope: Scope) -> Sequence[Channel]: ...


class Sessions(Protocol):
    def find(self, scope: Scope, key: str) -> Session | None: ...

    def get(self, scope: Scope, ref: int) -> Session: ...

    def ending(self, scope: Scope, digits: str) -> Sequence[Session]:
        """Those whose id ends in these hexadecimal digits."""
        ...

    def latest(self, scope: Scope, thread: int, *, at: int | None = None) -> Session | None:
        """The thread's session with the newest start (not after `at`)."""
        ...

    def live(self, scope: Scope, thread: int) -> Session | None:
        """The thread's active session with the newest pulse."""

    def all(self, scope: Scope, *, thread: int | None = None, limit: int) -> Sequence[Session]:
        """Newest first."""
        ...

    def own(self, scope: Scope, *, limit: int) -> Sequence[Session]:
        """Those that are no subagent's, newest activity first."""
        ...

    def of_project(
        self, scope: Scope, project: str, *, limit: int, least: int = 0
    ) -> Sequence[Session]:
        """Of this normalised project, no subagents', of `least` messages; newest activity first."""
        ...

    def count(self, scope: Scope) -> int: ...
    def children(self, scope: Scope, ref: int) -> Sequence[Session]: ...

    def add(self, scope: Scope, session: Session) -> Session:
        """Store a new session; its ref and entry are filled in."""
        ...

    def move(
        self, scope: Scope, session: Session, to: State, *, now: int, ended: int | None = None
    ) -> Session:
        """Another state; the database refuses illegal moves. `ended`: when it really ended."""
        ...

    def touch(
        self,
        scope: Scope,
        ref: int,
        *,
        at: int,
        human: bool,
        messages: int = 0,
        seqs: tuple[int, int] | None = None,
        context: int = 0,
    ) -> None:
        """Something happened in it: so many messages more, from the first of `seqs` to the last.

        Times only grow; only a human moves `last_human_at`; `context` adds to what it processed.
        """
        ...


class Turns(Protocol):
    def open_on(self, scope: Scope, thread: int) -> TurnRow | None: ...

    def get(self, scope: Scope, ref: int) -> TurnRow: ...

    def numbered(self, scope: Scope, thread: int, number: int) -> TurnRow | None: ...

    def add(self, scope: Scope, turn: TurnRow) -> TurnRow: ...

    def extend(self, scope: Scope, turn: TurnRow, *, last_seq: int, until: int) -> TurnRow:
        """Grow an open turn of this owner; LeaseLost if it is not open or not this owner's."""
        ...

    def close(self, scope: Scope, turn: TurnRow) -> TurnRow:
        """Store the closed turn; LeaseLost if it was closed by someone else."""
        ...

    def renew(self, owner: str, refs: Sequence[int], *, until: int) -> int:
        """Set the lease of those of these turns that are open and this process's; how many there are."""
        ...

    def abandoned(self, *, now: int, limit: int) -> Sequence[tuple[Scope, TurnRow]]:
        """Open turns of any agent whose lease ran out. For the sweep alone."""
        ...

    def all(self, scope: Scope, thread: int, *, limit: int) -> Sequence[TurnRow]:
        """Newest first."""
        ...


class Messages(Protocol):
    def append(
        self,
        scope: Scope,
        thread: Thread,
        drafts: Sequence[Draft],
        *,
        session: int | None,
        turn: int | None,
        now: int,
    ) -> Sequence[Message]:
        """Store the drafts in order; seq is assigned here, without gaps.

        Live drafts follow each other in time; what was said earlier is archived.
        """
        ...

    def known(self, scope: Scope, source: str, external_ids: Sequence[str]) -> set[str]:
        """Which of these ids that source has brought already."""
        ...

    def differing(self, scope: Scope, source: str, drafts: Sequence[Draft]) -> Sequence[str]:
        """The ids of those that the source brought with another role or text, each once."""
        ...

    def newest(
        self,
        scope: Scope,
        thread: int,
        *,
        limit: int,
        before: tuple[int, int] | None = None,
        live: int | None = None,
    ) -> Sequence[Message]:
        """The newest `limit` by (at, seq), oldest of them first; before that place if given.

        Live messages keep the order of their seq: where a clock was set back, one counts as said no later
        than those after it. `live`, the lowest seq seen of them, saves reading over those again.
        """
        ...

    def between(self, scope: Scope, thread: int, first: int, last: int) -> Sequence[Message]:
        """By seq, both ends included; archived ones left out."""
        ...

    def following(self, scope: Scope, thread: int, *, after: int, limit: int) -> Sequence[Message]:
        """By seq, those after that one, archived ones too."""
        ...

    def placed(self, scope: Scope, places: Iterable[int]) -> Sequence[Message]:
        """Those at these places (`domain.ids.place_at`), in this order; what is gone is left out."""
        ...

    def heads(self, scope: Scope, places: Iterable[int]) -> Sequence[Message]:
        """The same without their words: when something was said, and by whom, takes less to read."""
        ...

    def holding(self, scope: Scope, signs: Sequence[str], *, limit: int) -> Sequence[int]:
        """The last places of messages whose text has the first and the last of these signs. All are read,
        but not what is kept packed."""
        ...

    def weights(self, scope: Scope, thread: int, first: int, last: int) -> int:
        """The tokens of what `between` would give."""
        ...

    def spoken(self, scope: Scope, thread: int, first: int, last: int) -> int:
        """How many of what `between` would give was said: no notices, no markers."""
        ...

    def of_session(self, scope: Scope, session: Session, *, limit: int) -> Sequence[Message]:
        """The newest `limit` of a session, oldest of them first."""
        ...

    def said_in(
        self, scope: Scope, session: Session, *, start: int, stop: int, limit: int
    ) -> Sequence[Message]:
        """What was said in a session from one time up to another, without its words: the last `limit`, by
        their times."""
        ...

    def of_session_after(
        self, scope: Scope, session: Session, *, after: int, limit: int
    ) -> Sequence[Message]:
        """By seq, the first `limit` archived ones of a session after that seq."""
        ...

    def prompts_after(self, scope: Scope, session: Session, *, after: int) -> int:
        """How many archived messages of a session after that seq a person said."""
        ...

    def tail(
        self, scope: Scope, thread: int, *, after: int, limit: int
    ) -> Sequence[tuple[int, int]]:
        """(seq, tokens) of the newest messages in the view after that seq, newest first."""
        ...


class Timeline(Protocol):
    def page(self, scope: Scope, *, after: int, limit: int) -> Sequence[Entry]:
        """Entries with a number above `after`, in order."""
        ...

    def newest(self, scope: Scope, *, limit: int) -> Sequence[Entry]:
        """The newest entries, oldest of them first."""
        ...

    def about(self, scope: Scope, subject: bytes) -> Sequence[Entry]:
        """What happened to one row other than a message, in order."""
        ...

    def head(self, scope: Scope) -> tuple[int, bytes]:
        """Number and hash of the newest entry; zero and the genesis where there is none."""
        ...


class Audit(Protocol):
    """The rows behind the timeline, for `verify`, export and import."""

    def row(self, scope: Scope, event: str, subject: bytes) -> tuple[int, Facts] | None:
        """(entry, facts) of the live row that an entry speaks of; None if there is none."""
        ...

    def rows(
        self, scope: Scope, named: Sequence[tuple[str, bytes]]
    ) -> Iterator[tuple[int, Facts] | None]:
        """The same for each of these events and subjects, in this order; messages are looked up together."""
        ...

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """How many live rows each logged table has, by the first word of its events."""
        ...

    def beyond(self, scope: Scope, n: int) -> Sequence[tuple[str, bytes, int]]:
        """(event, subject, entry) of rows whose entry has a higher number than `n`."""
        ...

    def miscounted(self, scope: Scope) -> Sequence[tuple[bytes, str, int, int]]:
        """(id, key, told, found) of threads that do not hold as many messages as they count."""
        ...

    def misplaced(self, scope: Scope) -> Iterator[tuple[str, bytes, str]]:
        """(kind, subject, problem) of rows that do not fit what they name, or what names them."""
        ...

    def ownerless(self) -> Sequence[tuple[int, str | None, str, int]]:
        """(agent, key of its primary thread, kind, count) of rows whose agent is not there."""
        ...

    def bad_bodies(self, scope: Scope) -> Sequence[bytes]:
        """Hashes of bodies whose content no longer has that hash, or that are gone."""
        ...

    def dump(self, scope: Scope) -> Iterator[tuple[str, dict[str, Any]]]:
        """Every row of the agent as (table, columns), parents first; references are public ids."""
        ...

    def load(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Mapping[str, int]:
        """Store dumped rows under fresh local references; how many of each table."""
        ...
