"""The verbs by which an agent sits beside a harness: attend its events, keep and show checkpoints."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from types import NoneType
from typing import TYPE_CHECKING

from everthread.domain.agents import OTHERS, AgentRow, Scope
from everthread.domain.checks import (
    LONGEST_PATH,
    checked_limit,
    checked_of,
    checked_several,
    checked_text,
    checked_whole,
    is_storable,
    optional_text,
)
from everthread.domain.errors import AgentUnknown, BadInput, ThreadUnknown
from everthread.services.archive.enrol import Definition, enrol

from .preload import prepare_turns

if TYPE_CHECKING:
    from everthread.domain.conversation.sessions import Session
    from everthread.domain.harness.checkpoints import Checkpoint, CheckpointKind, Compaction
    from everthread.domain.harness.compaction_loss import Outcome
    from everthread.domain.harness.happenings import Answer, Happening, Reading
    from everthread.domain.recall.hits import Hit
    from everthread.ports import House, Records
    from everthread.services.attending.means import EventOutcome, PromptQuestion
    from everthread.services.harness.capture import Visit

    from .turn_hooks import TurnHooks

FOUND = 8
"""Hits that are asked for with a prompt; what the session has already is taken out of them."""

CATCHING_UP = 1.2
"""Seconds after which a start reads no more of what nobody had folded yet; its end is told then."""

OFTEN = ("prompt", "reply", "tool")
OWN_KINDS = ("explicit", "agent")
WHOLE = 8_000
"""Characters of a session's state, where somebody asks for it."""


def prepare() -> None:
    """Load what the first event would otherwise wait for."""
    prepare_turns()
    for name in (
        "everthread.services.attending.attend",
        "everthread.services.tasks.sessions.harness_context",
        "everthread.domain.gleaning.gleaner",
    ):
        import_module(name)


def prepare_patterns() -> None:
    """Compile the patterns of all that is loaded, which else happens where each is first used."""
    from everthread.domain.text.patterns import compile_all

    compile_all()


def prepare_recall() -> None:
    """Load what the first recall would otherwise wait for. It takes memory: only who will ask does it."""
    for name in ("everthread.domain.recall.deck", "everthread.domain.recall.relevance"):
        import_module(name)


def _read_nothing(_place: str, cursor: str) -> Reading:
    from everthread.domain.harness.happenings import Reading

    return Reading((), cursor)


def _give_way() -> None:
    """Let other threads of this program go on: somebody may wait for an answer of theirs."""
    time.sleep(0)


class Attending:
    """What an agent does for a harness. The heavy parts are loaded with the first event."""

    _engine: TurnHooks
    _house: House
    _row: AgentRow
    _scope: Scope

    if TYPE_CHECKING:

        def _primary_ref(self) -> int: ...

        def _primary_anew(self) -> int: ...

    def attend(
        self,
        happening: Happening,
        read: Callable[[str, str], Reading] | None = None,
        *,
        others: Callable[[str, str], Reading] | None = None,
        at: int | None = None,
        seconds: float | None = None,
    ) -> Answer:
        """Store what a harness tells, and say what its session should know.

        `read` reads a transcript on from a place, `others` one of another session. With `at`, the event
        happened then; without `seconds` beside it, it is from the spool: it is stored, and nobody waits
        for an answer. `seconds`: how long somebody does.
        """
        from everthread.domain.harness.happenings import Happening
        from everthread.services.attending.attend import Means, attend

        began = time.monotonic()
        checked_of("happening", happening, Happening)
        checked_of("at", at, int, NoneType)
        checked_of("seconds", seconds, float, int, NoneType)
        waits = happening.kind == "compacting" or happening.start == "compact"
        until = began + self._house.policy.compaction_seconds if waits else None
        catching_up = CATCHING_UP if seconds is None else min(CATCHING_UP, seconds / 2)
        means = Means(
            read or _read_nothing,
            self._recall_for_prompt,
            others or _read_nothing,
            answered=at is None or seconds is not None,
            late=lambda: until is not None and time.monotonic() >= until,
            soon=lambda: time.monotonic() >= began + catching_up,
            over=lambda: seconds is not None and time.monotonic() - began >= seconds,
            pause=_give_way,
            turn=self._engine.few.turn,
        )
        try:
            done = attend(self._visit(happening, at), means)
        except (AgentUnknown, ThreadUnknown):  # erased, and it has a successor; or another store
            self._find_anew()
            done = attend(self._visit(happening, at), means)
        if done.session is not None:
            self._follow(happening, done, done.session)
        return done.answer

    def _follow(self, happening: Happening, done: EventOutcome, session: Session) -> None:
        """What follows from an event: its verdict is put down, and who has work now is called."""
        self._engine.tally.enter_session(self._row.ref, session.ref)
        if happening.kind == "end":
            self._engine.flush(self._row.ref)  # what was found in it belongs to its verdict
        if done.asked:
            self._engine.stir()
        else:
            self._engine.nudge()
        if happening.kind != "prompt":  # a person waits for the answer to one
            from everthread.services.tasks.sessions.harness_context import count_if_at_task

            if count_if_at_task(self._house, self._row, session, tasked=done.tasked):
                self._engine.call()

    def _visit(self, happening: Happening, at: int | None) -> Visit:
        from everthread.services.harness.capture import Visit

        row = self._row
        if happening.kind not in OFTEN:  # which need nothing of its definition: that may be old
            row = self._house.store.read(lambda r: r.agents.get(self._scope))
            if row.key_id != self._row.key_id:
                raise AgentUnknown(OTHERS)
        moment = at or self._house.clock.now()
        return Visit(self._house, row, self._primary_ref(), happening, moment)

    def _find_anew(self) -> None:
        """What this handle refers to is not what it was: look for the agent by its name."""
        self._row = enrol(self._house, self._row.name, Definition())
        self._scope = Scope(self._row.ref)
        self._primary_anew()

    def _recall_for_prompt(self, asking: PromptQuestion) -> Sequence[Hit]:
        from everthread.services.memory.recall import recall, recall_request

        wanted = recall_request(asking.query, asking.scope, FOUND)._replace(without=asking.without)
        hits = self._engine.limited.run(lambda: recall(self._house, self._row, wanted))
        now = self._house.clock.now()
        self._engine.tally.count_recall(self._row.ref, asking.query, hits[:5], now=now)
        return hits

    def erased_at(self, session: str) -> int:
        """When the session of that key was last erased, in milliseconds; 0 if it never was."""
        key = checked_of("session", session, str)
        return self._house.store.read(lambda r: r.cursors.erased(self._scope, key)).this

    def reached(self, session: str, place: str) -> str:
        """Up to where that transcript of a session was read; "" if it was not."""
        if not is_storable(checked_of("session", session, str) + checked_of("place", place, str)):
            return ""  # no store can ever have had it

        def look(records: Records) -> str:
            row = records.sessions.find(self._scope, session)
            known = records.cursors.get(self._scope, row.ref, place) if row else None
            return known.position if known else ""

        return self._house.store.read(look)

    def knows(self, source: str, ids: Sequence[str]) -> set[str]:
        """Which of these ids that source has brought already."""
        checked_text("source", source)
        given = [checked_of("an id", each, str) for each in checked_several("ids are a list", ids)]
        given = [each for each in given if is_storable(each)]  # others no store can have had
        return self._house.store.read(lambda r: r.messages.known(self._scope, source, given))

    def works_in(self, folder: str) -> bool:
        """Has this agent ever had a session in that project?"""
        real = self._house.files.real(checked_text("folder", folder, longest=LONGEST_PATH))
        read = self._house.store.read
        return bool(read(lambda r: r.sessions.of_project(self._scope, real, limit=1)))

    def checkpoint(
        self,
        text: str | None = None,
        *,
        session: Session | str | None = None,
        kind: CheckpointKind = "explicit",
        decisions: Sequence[str] = (),
        state: str = "",
        blockers: Sequence[str] = (),
        next_steps: Sequence[str] = (),
    ) -> Checkpoint:
        """Put down where a session stands: the one that is named, else the newest one.

        What is told here stands first in the checkpoint; what was seen in the session follows.
        """
        from everthread.domain.harness.checkpoint_text import Statement, checked_statement
        from everthread.services.harness.checkpoint import write_checkpoint

        if kind not in OWN_KINDS:
            raise BadInput(
                f"a checkpoint of one's own is {' or '.join(OWN_KINDS)}; got {kind!r:.40}"
            )
        lists = [
            tuple(map(str, checked_several(f"{name} are a list of texts", part)))
            for name, part in (
                ("decisions", decisions),
                ("blockers", blockers),
                ("next_steps", next_steps),
            )
        ]
        said = optional_text("text", text, longest=1_000_000) or ""
        told = checked_statement(Statement(said, lists[0], str(state), lists[1], lists[2]))
        where = self._house.store.read(lambda r: self._sitting(r, session))
        made, _ = write_checkpoint(self._house, self._row, where, kind, told)
        if made is None:
            raise BadInput("there is nothing new to put down: say something with it")
        return made

    def _sitting(self, records: Records, name: Session | str | None) -> Session:
        from everthread.domain.errors import SessionUnknown
        from everthread.services.archive.sessions import find_session

        if name is not None:
            return find_session(records, self._scope, name)
        found = records.sessions.own(self._scope, limit=1)
        if not found:
            raise SessionUnknown("this agent has no session yet: nothing was said to it")
        return found[0]

    def checkpoints(
        self, *, session: Session | str | None = None, project: str | None = None, limit: int = 10
    ) -> list[Checkpoint]:
        """The newest checkpoints: of a session, of a project, or of all; newest first."""
        most = checked_limit(limit)
        folder = optional_text("project", project)

        def work(records: Records) -> list[Checkpoint]:
            if session is not None:
                row = self._sitting(records, session)
                return [*records.checkpoints.of_session(self._scope, row.ref, limit=most)]
            if folder is not None:
                real = self._house.files.real(folder)
                return [*records.checkpoints.of_project(self._scope, real, limit=most)]
            return [*records.checkpoints.newest(self._scope, limit=most)]

        return self._house.store.read(work)

    def find_checkpoint(self, name: Checkpoint | str) -> Checkpoint:
        """A checkpoint by its id or any unique ending of it."""
        from everthread.services.harness.checkpoint import find_checkpoint

        return self._house.store.read(lambda r: find_checkpoint(r, self._scope, name))

    def checkpoint_text(self, checkpoint: Checkpoint) -> str:
        """What it says; it was redacted before it was written, and is again."""
        from everthread.domain.harness.checkpoints import Checkpoint
        from everthread.domain.redaction.secrets import strip_secrets

        checked_of("checkpoint", checkpoint, Checkpoint)
        return strip_secrets(
            self._house.store.read(lambda r: r.checkpoints.text(self._scope, checkpoint))
        )

    def recovery(self, session: Session | str | None = None, *, chars: int = WHOLE) -> str:
        """Where a session stood, as a new one would be given it, in more room; "" if nothing was said."""
        from everthread.services.attending.recover import whole_stand

        where = self._house.store.read(lambda r: self._sitting(r, session))
        now, most = self._house.clock.now(), checked_whole("chars", chars)
        return whole_stand(self._house, self._row, where, chars=most, now=now)

    def compactions(
        self, *, session: Session | str | None = None, limit: int = 20
    ) -> list[Compaction]:
        """What harnesses compacted by themselves, newest first."""
        most = checked_limit(limit)

        def work(records: Records) -> list[Compaction]:
            if session is None:
                return [*records.compactions.newest(self._scope, limit=most)]
            row = self._sitting(records, session)
            return [*records.compactions.of_session(self._scope, row.ref, limit=most)]

        return self._house.store.read(work)

    def compaction(self, name: Compaction | str) -> Compaction:
        """One of them, by its id or any unique ending of it."""
        from everthread.services.harness.compaction import find_compaction

        return self._house.store.read(lambda r: find_compaction(r, self._scope, name))

    def compaction_outcome(self, compaction: Compaction) -> Outcome | None:
        """Who kept what of it; None while its summary is not known or not measured."""
        from everthread.domain.harness.checkpoints import Compaction
        from everthread.domain.harness.compaction_loss import read_outcome

        checked_of("compaction", compaction, Compaction)
        return None if compaction.score_json is None else read_outcome(compaction.score_json)

    def restore(self, name: Compaction | str, items: Sequence[int] | None = None) -> list[str]:
        """Have what a compaction cost put into the session's next prompt: these items, or all of them."""
        from everthread.services.harness.compaction import restore

        return restore(self._house, self._scope, name, items)
