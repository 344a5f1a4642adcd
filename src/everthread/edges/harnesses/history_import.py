"""Take in what a harness kept: each session once, whoever brings it, and nothing is asked of a model.

A session that hooks brought up to some place is read on from there. Which histories are in the store
whole is written down beside it, so that looking again costs nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from everthread.domain.conversation.sessions import Session
from everthread.domain.errors import BadInput, SessionUnknown
from everthread.domain.harness.happenings import LOGS, Happening, Reading
from everthread.domain.times import ms_of
from everthread.engine import Agent, Everthread

from .binding import Binding, binding_of, bound_agent
from .histories import History, read_history
from .jsonl import offset_in
from .markdown import chapters
from .privacy import PrivateTimes, Read, Span, public_reader, read_private, was_said_in, write_whole
from .specstory import stored_whole

log = logging.getLogger("everthread.harnesses")

LEDGER = "imports.json"
SAVE_EVERY = 100
HOMELESS = "it does not say where it worked; name the agent with --agent"
CAPTURED = "hooks brought it already"
ELSEWHERE = "its session is here from its harness"
ERASED = "it was erased, and nothing was said in it since"


class ImportResult(NamedTuple):
    """What came of a history."""

    history: History
    agent: str | None
    messages: int = 0
    skipped: int = 0
    reason: str = ""
    """Why nothing came of it."""


class Ledger:
    """Which histories a store holds whole, as they were then."""

    def __init__(self, home: Path, store: str) -> None:
        self._place = home / LEDGER
        self._store = store
        self._new = 0
        self._known: dict[str, dict[str, str]] = {}
        try:
            told: object = json.loads(self._place.read_text("utf-8"))
        except (OSError, ValueError):
            return  # the cursors in the store know it too; this only saves the reading
        if isinstance(told, dict):
            self._known = cast("dict[str, dict[str, str]]", told)

    def has(self, history: History) -> bool:
        return self._known.get(self._store, {}).get(history.place) == history.version

    def add(self, history: History) -> None:
        self._known.setdefault(self._store, {})[history.place] = history.version
        self._new += 1
        if self._new >= SAVE_EVERY:
            self.save()

    def close(self) -> None:
        self.save()

    def save(self) -> None:
        if self._new:
            write_whole(self._place, json.dumps(self._known))
            self._new = 0


def history_binding(
    history: History, home: Path, named: str | None, engine: Everthread | None = None
) -> Binding:
    """Who keeps it: the agent that is named, else its project's. What is switched off stays off."""
    if not history.folder:
        return Binding(named, "", HOMELESS)
    folder = history.folder
    binding = binding_of(folder, home) if engine is None else bound_agent(engine, folder, home)
    if binding.off:
        return binding
    return binding._replace(agent=named) if named else binding


class Census:
    """Counts what would come, and brings nothing. Without a store, none of it is known."""

    def __init__(self, home: Path, named: str | None, engine: Everthread | None = None) -> None:
        self._home = home
        self._named = named
        self._engine = engine
        self._agents = {each.name: each for each in engine.agents()} if engine else {}
        self._ledger = Ledger(home, engine.location) if engine else None
        self._seen: dict[str, set[str]] = {}

    def knows(self, history: History) -> bool:
        """Is its session in the store, be it to its end or not?"""
        agent = self._agents.get(
            history_binding(history, self._home, self._named, self._engine).agent or ""
        )
        if agent is None:
            return False
        return self._is_whole(history) if history.harness in LOGS else _is_stored(agent, history)

    def count(self, history: History) -> ImportResult:
        """What would come of a history, were it brought now, after those counted before."""
        binding = history_binding(history, self._home, self._named, self._engine)
        if binding.agent is None:
            return ImportResult(history, None, reason=binding.reason)
        agent = self._agents.get(binding.agent)
        held = agent is not None and _is_stored(agent, history)
        if self._is_whole(history) and (held or history.harness in LOGS):
            return ImportResult(history, binding.agent)
        if history.harness in LOGS:
            return self._count_log(history, binding, binding.agent)
        if held and history.harness == "openclaw":
            return ImportResult(history, binding.agent, reason=CAPTURED)
        return self._count_transcript(history, binding, binding.agent)

    def _is_whole(self, history: History) -> bool:
        return self._ledger is not None and self._ledger.has(history)

    def _spans(self, name: str, session: str, folder: str) -> tuple[Span, ...]:
        private, agent = read_private(self._home), self._agents.get(name)
        spans = private.spans(session, folder)
        return _unkept_spans(agent, private, session, folder) if agent else tuple(spans)

    def _count_transcript(self, history: History, binding: Binding, name: str) -> ImportResult:
        agent = self._agents.get(name)
        read = _reader(history, self._spans(name, history.session, binding.folder))
        since = agent.reached(_key(history), history.place) if agent else ""
        messages = skipped = lines = 0
        for reading in _pieces(read, since):
            lines += len(reading.lines)
            skipped += reading.skipped
            messages += self._new(name, "hook", [line.entry for line in reading.lines])
        reason = "" if lines or since else "nothing was said in it"
        return ImportResult(history, name, messages, skipped, reason)

    def _count_log(self, history: History, binding: Binding, name: str) -> ImportResult:
        agent, messages = self._agents.get(name), 0
        for chapter in chapters(Path(history.place)):
            if agent and chapter.original and _session(agent, chapter.original) is not None:
                return ImportResult(history, name, reason=ELSEWHERE)
            spans = (
                *self._spans(name, chapter.original, binding.folder),
                *self._spans(name, chapter.session, binding.folder),
            )
            entries = _public_entries(chapter.entries, spans)
            messages += self._new(
                name, "import", _unstored_entries(agent, entries) if agent else entries
            )
        return ImportResult(history, name, messages)

    def _new(self, name: str, source: str, entries: Sequence[Mapping[str, Any]]) -> int:
        """How many are neither in the store nor counted already; one without an id is new."""
        ids = [str(entry["id"]) for entry in entries if entry.get("id")]
        agent, seen = self._agents.get(name), self._seen.setdefault(name, set())
        fresh = {*ids} - seen - (agent.knows(source, ids) if agent else set[str]())
        seen |= fresh
        return len(fresh) + len(entries) - len(ids)


def _is_stored(agent: Agent, history: History) -> bool:
    return _session(agent, _key(history)) is not None


def _pieces(read: Read, cursor: str = "") -> Iterator[Reading]:
    while True:
        reading = read("", cursor)
        yield reading
        if reading.whole or reading.cursor == cursor:
            return
        cursor = reading.cursor


def take_or_leave(
    engine: Everthread,
    history: History,
    home: Path,
    named: str | None,
    ledger: Ledger,
    told: Callable[[int], None] = lambda _bytes: None,
) -> ImportResult:
    """The same as `take`; what is wrong with one history is told of it, and keeps no other out."""
    try:
        return take(engine, history, home, named, ledger, told)
    except (BadInput, OSError) as wrong:
        log.warning("%s is left out: %s", history.place, wrong)
        return ImportResult(history, None, reason=str(wrong))


def take(
    engine: Everthread,
    history: History,
    home: Path,
    named: str | None,
    ledger: Ledger,
    told: Callable[[int], None] = lambda _bytes: None,
) -> ImportResult:
    """Bring one history into the store; what is there already is known. `told` hears how far it is."""
    binding = history_binding(history, home, named, engine)
    if binding.agent is None:
        return ImportResult(history, None, reason=binding.reason)
    agent = engine.agent(binding.agent)
    before = _session(agent, _key(history))
    if ledger.has(history) and (before is not None or history.harness in LOGS):
        return ImportResult(history, agent.name)
    private = read_private(home)
    if history.harness in LOGS:
        taken = _take_log(agent, history, binding, private)
    else:
        spans = _unkept_spans(agent, private, history.session, binding.folder)
        taken = _take_transcript(agent, history, binding, before, spans, told)
    ledger.add(history)
    return taken


def _unkept_spans(
    agent: Agent, private: PrivateTimes, session: str, folder: str
) -> tuple[Span, ...]:
    """When nothing was said that may be kept: in private, or before the session was erased."""
    erased = agent.erased_at(session)
    return (*private.spans(session, folder), *([(0, erased)] if erased else []))


def _key(history: History) -> str:
    """The session's key with us."""
    return f"{history.session}:{history.child}" if history.child else history.session


def _session(agent: Agent, key: str) -> Session | None:
    try:
        found = agent.session(key)
    except SessionUnknown:
        return None
    return found if found.key == key else None


def _reader(history: History, spans: Sequence[Span]) -> Read:
    """Reads it on without what was private, and without the harness's own summaries."""
    read = public_reader(lambda _place, cursor: read_history(history, cursor), spans)

    def reading(_place: str, cursor: str) -> Reading:
        found = read("", cursor)
        return found._replace(lines=[line for line in found.lines if not line.summary])

    return reading


def _take_transcript(
    agent: Agent,
    history: History,
    binding: Binding,
    before: Session | None,
    spans: Sequence[Span],
    told: Callable[[int], None],
) -> ImportResult:
    if before is not None and history.harness == "openclaw":
        # Its events and its database name messages in different ways.
        return ImportResult(history, agent.name, reason=CAPTURED)
    read = _reader(history, spans)
    first = read("", "")
    if first.whole and not first.lines:
        gone = agent.erased_at(history.session) > 0
        reason = ERASED if gone else "nothing was said in it"
        return ImportResult(history, agent.name, skipped=first.skipped, reason=reason)
    skipped = 0

    def reading(_place: str, cursor: str) -> Reading:
        nonlocal skipped
        found = first if cursor == "" else read("", cursor)
        skipped += found.skipped
        told(offset_in(cursor))
        return found

    happening = Happening(
        harness=history.harness,
        kind="child_end" if history.child else "reply",
        session=history.session,
        folder=_folder(history, binding),
        name="import",
        transcript=history.place,
        child=history.child,
    )
    # A session that somebody works in goes on; a subagent's has a parent, which is touched with it.
    keys = dict.fromkeys((_key(history), history.session))
    alive = {key for key in keys if (known := _session(agent, key)) and known.state == "active"}
    agent.attend(happening, reading, at=history.started or _first_time(first))
    for key in keys:
        if key not in alive:
            _end_session(agent, history, binding, key)
    after = _session(agent, _key(history))
    had = 0 if before is None else before.message_count
    return ImportResult(
        history, agent.name, 0 if after is None else after.message_count - had, skipped
    )


def _folder(history: History, binding: Binding) -> str:
    """The project of the session; where nobody says, the folder in which it was kept."""
    return binding.folder or history.folder or str(Path(history.place).parent)


def _first_time(reading: Reading) -> int:
    times = [line.entry["at"] for line in reading.lines if "at" in line.entry]
    return ms_of(times[0]) if times else 1


def _take_log(
    agent: Agent, history: History, binding: Binding, private: PrivateTimes
) -> ImportResult:
    """A log in Markdown: it has no places to read on from, its messages are known by their ids."""
    added = 0
    for chapter in chapters(Path(history.place)):
        if chapter.original and _session(agent, chapter.original) is not None:
            return ImportResult(history, agent.name, reason=ELSEWHERE)
        spans = (
            *_unkept_spans(agent, private, chapter.original, binding.folder),
            *_unkept_spans(agent, private, chapter.session, binding.folder),
        )
        if entries := _unstored_entries(agent, _public_entries(chapter.entries, spans)):
            done = agent.record(
                entries,
                source="import",
                session=chapter.session,
                project=binding.folder or None,
            )
            added += done.added
            if done.added:
                _end_session(agent, history, binding, chapter.session)
    return ImportResult(history, agent.name, added)


def _public_entries(
    entries: Sequence[Mapping[str, Any]], spans: Sequence[Span]
) -> list[Mapping[str, Any]]:
    """Those that were not said while it was private."""
    return [entry for entry in entries if not was_said_in(entry, spans)]


def _unstored_entries(
    agent: Agent, entries: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """Those that are new: not stored themselves, nor as pieces of one message by a version that did not
    part it. To ask for their ids takes less than to record them again.
    """
    names = {
        ident: {ident, *stored_whole(ident)} for entry in entries for ident in [str(entry["id"])]
    }
    asked = sorted({name for each in names.values() for name in each})
    known = agent.knows("import", asked) if asked else set[str]()
    return [entry for entry in entries if known.isdisjoint(names[str(entry["id"])])]


def _end_session(agent: Agent, history: History, binding: Binding, key: str) -> None:
    """The session is over; it is not worth a checkpoint of its own."""
    session = _session(agent, key)
    if session is None:
        return
    end = Happening(
        harness=session.harness or history.harness,
        kind="end",
        session=key,
        folder=_folder(history, binding),
        name="import",
        reason="clear",
    )
    agent.attend(end, at=session.last_activity_ms)
