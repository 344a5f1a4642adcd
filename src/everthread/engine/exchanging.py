"""The verbs by which agents ask, tell and send each other."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.checks import checked_limit, checked_number, checked_of, checked_text
from everthread.domain.conversation.messages import Draft, content_column
from everthread.domain.errors import AgentUnknown
from everthread.domain.exchanges.exchanges import (
    ASK_SECONDS,
    LONGEST_SAID,
    MOST_SECONDS,
    SPAWN_SECONDS,
    Exchange,
    ExchangeKind,
    awaits_answer,
)

if TYPE_CHECKING:
    from everthread.domain.conversation.threads import Thread as ThreadRow
    from everthread.domain.conversation.turns import TurnRow
    from everthread.ports import House, Records
    from everthread.services.archive.sessions import Seat
    from everthread.services.exchanges.exchange import Wish
    from everthread.services.turns.converse import Also

    from .turn import Turn
    from .turn_hooks import TurnHooks


MOST_LISTED = 100_000
LOOKED_AT = 200
"""The newest exchanges, among which a question that waits is looked for."""


class Peer(Protocol):
    """An agent, as far as these verbs know it."""

    @property
    def name(self) -> str: ...

    def open_turn(
        self, thread: ThreadRow, draft: Draft, seat: Seat = ..., *, also: Also | None = None
    ) -> Turn: ...


class Exchanging:
    """What an agent does with other agents. The heavy parts are loaded with the first of it."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope
    _owners: frozenset[int] | None

    if TYPE_CHECKING:

        def _other(self, row: AgentRow) -> Peer: ...

    def peers(self) -> list[str]:
        """The names of the agents it can ask or tell."""
        return [row.name for row in self._known_agents() if row.ref != self._row.ref]

    def ask(
        self,
        target: str | Peer,
        text: str,
        *,
        seconds: float = ASK_SECONDS,
        within: Turn | Exchange | str | None = None,
    ) -> Turn:
        """Ask another agent: a turn on its thread `ask:<caller>`, for your program to complete.

        `turn.done(reply)` answers it. `within`: the turn or exchange that this agent is at work on.
        """
        wish = self._wish("ask", target, text, within)
        return self._open_exchange(wish._replace(seconds=_seconds(seconds)))

    def spawn(
        self,
        task: str,
        target: str | Peer | None = None,
        *,
        seconds: float = SPAWN_SECONDS,
        within: Turn | Exchange | str | None = None,
        errand: Turn | Exchange | str | None = None,
    ) -> Turn:
        """Give an errand to another agent, or to oneself: a turn on a thread of its own.

        `errand` names one to go on with, on the same thread, as long as it has turns and time.
        """
        named = _exchange_id(errand)
        goal: str | Peer = self._row.name if target is None else target
        if named is not None:
            goal = self.exchange(named).target
        wish = self._wish("spawn", goal, task, within)
        wish = wish._replace(seconds=_seconds(seconds), errand=named)
        return self._open_exchange(wish) if named is None else self._continue_errand(wish)

    def send(
        self,
        target: str | Peer,
        text: str,
        *,
        within: Turn | Exchange | str | None = None,
    ) -> Exchange:
        """Tell another agent something; it sees it as a notice in its next human turn."""
        return self._leave(self._wish("send", target, text, within))

    def question(
        self,
        target: str | Peer,
        text: str,
        *,
        seconds: float = ASK_SECONDS,
        within: Turn | Exchange | str | None = None,
    ) -> Exchange:
        """Ask without a turn: the target is told as of a message, and answers with `reply`."""
        wish = self._wish("ask", target, text, within)
        return self._leave(wish._replace(seconds=_seconds(seconds)))

    def errand(
        self,
        target: str | Peer,
        task: str,
        *,
        seconds: float = SPAWN_SECONDS,
        within: Turn | Exchange | str | None = None,
    ) -> Exchange:
        """Spawn without a turn: the target is told of the errand, and `reply` says what came of it."""
        wish = self._wish("spawn", target, task, within)
        return self._leave(wish._replace(seconds=_seconds(seconds)))

    def reply(self, exchange: Exchange | str, text: str) -> Exchange:
        """Answer a question or an errand that came without a turn."""
        from everthread.services.exchanges.exchange import reply

        name = _exchange_id(exchange) or ""
        return reply(self._house, self._row, name, _text("an answer", text))

    def inbox(self, *, limit: int = 20) -> list[Exchange]:
        """What other agents sent or asked and this one was not told of yet. Told once, by this too."""
        from everthread.services.exchanges.exchange import inbox

        return inbox(self._house, self._row, checked_limit(limit, high=1_000))

    def exchanges(self, *, limit: int = 50) -> list[Exchange]:
        """What it exchanged with others, newest first: the audit."""
        from everthread.services.exchanges.exchange import list_exchanges

        return list_exchanges(self._house, self._row, checked_limit(limit, high=MOST_LISTED))

    def unanswered(self) -> list[Exchange]:
        """What it was told of and what still waits for its `reply`, newest first."""
        now = self._house.clock.now()
        return [each for each in self.exchanges(limit=LOOKED_AT) if awaits_answer(each, now=now)]

    def exchange(self, name: Exchange | str) -> Exchange:
        """One of them, by its id or any unique ending of it, as it stands now."""
        from everthread.services.exchanges.exchange import find, sweep

        sweep(self._house)
        return self._house.store.read(lambda r: find(r, self._scope, _exchange_id(name) or ""))

    # The inside -------------------------------------------------------------------------------

    def _known_agents(self) -> list[AgentRow]:
        """All agents, or those that whoever holds this agent speaks for."""
        rows = self._house.store.read(lambda r: r.agents.all())
        owners = self._owners
        return [row for row in rows if owners is None or row.ref in owners]

    def _peer(self, target: str | Peer) -> AgentRow:
        name = checked_text("an agent's name", getattr(target, "name", target))
        found = [row for row in self._known_agents() if row.name == name]
        if not found:
            names = ", ".join(self.peers()) or "there are none"
            raise AgentUnknown(f"no agent {name!r:.60} to turn to; others here: {names}")
        return found[0]

    def _wish(
        self,
        kind: ExchangeKind,
        target: str | Peer,
        text: str,
        within: Turn | Exchange | str | None,
    ) -> Wish:
        from everthread.services.exchanges.exchange import Wish, check_wish

        said = _text("what is said", text)
        wish = Wish(kind, self._row, self._peer(target), said, within=_exchange_id(within))
        check_wish(self._house, wish)
        return wish

    def _leave(self, wish: Wish) -> Exchange:
        from everthread.services.exchanges.exchange import leave

        made = leave(self._house, wish)
        self._engine.stir()
        return made

    def _open_exchange(self, wish: Wish) -> Turn:
        from everthread.services.exchanges.exchange import open_exchange, target_thread

        thread = target_thread(self._house, wish)
        made: list[bytes] = []

        def also(records: Records, turn: TurnRow) -> None:
            made[:] = [open_exchange(self._house, records, wish, thread.ref, turn).pair]

        turn = self._open(wish, thread, also)
        return self._tie_to_exchange(turn, made[0])

    def _continue_errand(self, wish: Wish) -> Turn:
        from everthread.services.exchanges.exchange import continue_errand, find_errand

        found, thread = find_errand(self._house, wish)

        def also(records: Records, turn: TurnRow) -> None:
            continue_errand(self._house, records, found.pair, turn)

        return self._tie_to_exchange(self._open(wish, thread, also), found.pair)

    def _open(self, wish: Wish, thread: ThreadRow, also: Also) -> Turn:
        """The turn on the target's thread, said by the caller and by no human."""
        from everthread.domain.given.packing import strip_content

        row = self._house.store.read(lambda r: r.agents.get(Scope(thread.agent_ref)))
        form, content = content_column(strip_content(wish.text))
        draft = Draft("user", "agent", form, content, name=wish.caller.name)
        return self._other(row).open_turn(thread, draft, also=also)

    def _tie_to_exchange(self, turn: Turn, pair: bytes) -> Turn:
        """With its end the exchange ends."""
        from everthread.services.exchanges.exchange import closing_step

        turn.then(pair, partial(closing_step, self._house, pair))
        return turn


def _text(what: str, value: object) -> str:
    return checked_text(what, value, longest=LONGEST_SAID)


def _seconds(value: object) -> float:
    return checked_number("seconds", value, high=MOST_SECONDS)


def _exchange_id(value: Turn | Exchange | str | None) -> str | None:
    """The id of the exchange that is meant; None where none is."""
    if value is None or isinstance(value, str):
        return value
    from .turn import Turn

    return (
        value.exchange if isinstance(value, Turn) else checked_of("an exchange", value, Exchange).id
    )
