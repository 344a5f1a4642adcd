"""The ledger while messages are read: each file, command, number, error and name once, bounded by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import one_line
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.specifics import Specific

from .command_ends import joined_ends
from .command_marks import checks_everything, command_mark
from .digest import MENDED, TRACES, Point, Trace
from .file_names import are_one_file, known_link, names_of, written_path
from .point_factory import speaker
from .points import lasting_weight
from .series import figure_series
from .trace_weight import (
    BY_PERSON,
    LOGGED,
    file_deed,
    frequency,
    is_run,
    trace_value,
    weigh_trace,
)

MOST: Mapping[str, int] = {
    "file": 130,
    "command": 130,
    "error": 80,
    "number": 110,
    "identifier": 70,
    "url": 40,
    "person": 40,
}
"""How many traces of a kind are carried: six hundred in all."""

LONGEST: Mapping[str, int] = {
    "file": 200,
    "command": 240,
    "error": 200,
    "number": 60,
    "identifier": 100,
    "url": 200,
    "person": 60,
}
SLACK = 16
"""So many more may be held before the weakest go."""

NOTE = 120
BESIDE = 90
"""Characters round a number."""

CUT = "…"
"""Where words go on before and after those that are kept."""

AROUND = 12
"""An error is shown as the line it stands on, if that is only so much longer."""

PAST = 0.2
"""What such an error weighs beside others: it is found, and not shown before them."""

SOURCES = 3

DEEDS = frozenset(("file", "command", "error"))
"""Their note says what became of them; beside all others stand somebody's words."""

_NO_PATH = lazy_pattern(r"[*?\"'<>|${}]|(?<!/)\((?!\d+\))|^_|^\d+$|/:")
"""A pattern of files, a number, or where a server listens: `/files/:id`. A folder may stand in brackets."""

_SCRATCH = lazy_pattern(r"/(?:dev|proc|sys)/")
_CHANGED = frozenset(("edited", "created", "deleted"))
_WENT_ON = "created, then edited"
_TELL = ("user", "agent")


class Ledger:
    """All traces, by kind, the newest last."""

    def __init__(self, before: Iterable[Trace] = ()) -> None:
        self._kinds: dict[str, dict[str, Trace]] = {kind: {} for kind in TRACES}
        for trace in before:
            self._kinds[trace.kind][_key(trace)] = trace
        self._ran = b"", ""

    def __iter__(self) -> Iterator[Trace]:
        return (trace for traces in self._kinds.values() for trace in traces.values())

    def unsay(self, point: Point) -> None:
        """The figures of a statement that no longer stands go with it; nobody else told them."""
        said, numbers = {*point.sources}, self._kinds["number"].items()
        self._kinds["number"] = {
            key: trace
            for key, trace in numbers
            if not (words := trace.note.strip(f"{CUT} "))
            or words not in point.text
            or not said.issuperset(trace.sources)
        }

    def add(
        self, found: Specific, message: Message, *, clean: bool = False, counts: bool = True
    ) -> None:
        """Take in what a message holds; what is known already comes up once more, where that counts.

        `clean`: there are no secrets in it, since the text it comes from was redacted whole.
        """
        if not clean:
            found = Specific(found.kind, *(text and strip_secrets(text) for text in found[1:]))
        found = self._as_person(found)
        traces = self._kinds.get(found.kind)
        text = one_line(_exact_text(found), LONGEST.get(found.kind, 0))
        if traces is None or not text or _tells_nothing(found, text):
            return
        text = _known_as(found.kind, traces, text)
        note = self._note(found) if _is_trusted(found, message) else ""
        if found.kind == "number" and _beside_another(traces, text, note, message):
            return
        weight = weigh_trace(found.kind, text, note, message)
        ran = self._run(found, note, message)
        trace = Trace(found.kind, text, note, (message.key,), message.at_ms, 1, weight, ran)
        if note and found.kind not in DEEDS:
            name = speaker(message) if message.origin == "user" else ""
            trace = trace._replace(by=message.origin, name=name)
        old = traces.pop(_key(trace), None)
        traces[_key(trace)] = (
            trace if old is None else _renew_trace(old, trace, message, counts=counts)
        )
        if old is None:
            if found.kind == "number" and message.origin in _TELL:
                self._fold(traces, trace)
            self._bound(traces, found.kind)

    def _as_person(self, found: Specific) -> Specific:
        """Who is known as a person is one wherever else the name comes up, before or after that."""
        people, names = self._kinds["person"], self._kinds["identifier"]
        if found.kind == "identifier" and found.text in people:
            return found._replace(kind="person")
        if found.kind == "person" and (known := names.pop(found.text, None)):
            people[found.text] = known._replace(kind="person")
        return found

    def _fold(self, traces: dict[str, Trace], newest: Trace) -> None:
        """The figure of a report stands for those of the reports before it."""
        before = figure_series(newest, [t for t in traces.values() if t is not newest])
        if not before:
            return
        for trace in before:
            del traces[_key(trace)]
        times = sum(t.times for t in (*before, newest))
        traces[_key(newest)] = newest._replace(
            sources=_bounded_sources([key for t in (*before, newest) for key in t.sources]),
            times=times,
            # A report is worth no more for coming every night.
            weight=newest.weight / frequency(times),
        )

    def _run(self, found: Specific, note: str, message: Message) -> str:
        """By which command an error was printed. A command that went well mends those before it."""
        if found.kind == "error":
            if found.of:
                return command_mark(found.of)
            key, ran = self._ran
            return ran if key == message.key else ""
        if found.kind == "command" and note and message.origin == "tool":
            ran = command_mark(found.text)
            if note == "ok":
                self._mend(ran, message, whole=checks_everything(found.text))
            # What several commands printed into one message is nobody's.
            self._ran = message.key, ran if self._ran[0] != message.key else ""
        return ""

    def _mend(self, ran: str, message: Message, *, whole: bool) -> None:
        """What the same command printed before is mended, or one that did the same to a part."""
        exact, head = ran.split()
        errors = self._kinds["error"]
        for key, error in errors.items():
            if error.note == MENDED or not error.ran or message.key in error.sources:
                continue
            if error.ran.startswith(exact) or (whole and error.ran.endswith(f" {head}")):
                errors[key] = error._replace(note=MENDED, weight=PAST * error.weight)

    def _note(self, found: Specific) -> str:
        if found.kind == "number":
            return one_line(words_around(found.line, found.text), BESIDE)
        return one_line(found.note, NOTE) if found.note else ""

    def _bound(self, traces: dict[str, Trace], kind: str) -> None:
        """The weakest go, a few at a time, since to find them all must be looked at."""
        if len(traces) < MOST[kind] + SLACK:
            return
        last = len(traces) - 1
        worth = [
            (trace_value(t) * lasting_weight(n / last), n, key)
            for n, (key, t) in enumerate(traces.items())
        ]
        for _, _, key in sorted(worth)[:SLACK]:
            del traces[key]


def _key(trace: Trace) -> str:
    """The same number beside other words counts something else."""
    return f"{trace.text} {trace.note}" if trace.kind == "number" else trace.text


def entry_of(ledger: Iterable[Trace], found: Specific, key: bytes) -> Trace | None:
    """The ledger's own entry for what a message holds, however it is written there."""
    text = one_line(_exact_text(found), LONGEST.get(found.kind, 0))
    same = _SAME.get(found.kind, str.__eq__)
    return next(
        (
            trace
            for trace in ledger
            if trace.kind == found.kind
            and same(trace.text, text)
            and (found.kind != "number" or key in trace.sources)
        ),
        None,
    )


_SAME: Mapping[str, Callable[[str, str], bool]] = {"file": are_one_file, "error": str.__contains__}
"""How it is told that two are one; others are written alike."""


def _exact_text(found: Specific) -> str:
    """As it was printed, with the few signs round it; a path without what only leads to it."""
    if found.kind == "error" and len(found.line.strip()) <= len(found.text) + AROUND:
        return found.line
    if found.kind == "file":
        return written_path(found.text, found.line)
    return found.text


def _beside_another(traces: dict[str, Trace], number: str, note: str, message: Message) -> bool:
    """Is it told already by the words round another number of the same sentence?"""
    last = traces[next(reversed(traces))] if traces else None
    return (
        last is not None and message.key in last.sources and number in last.note and number in note
    )


def _tells_nothing(found: Specific, text: str) -> bool:
    """Does it tell nothing: the time of a logged line, a pattern of files, a place where nothing stays?"""
    if found.kind == "number":
        return LOGGED.match(found.line) is not None
    if found.kind == "identifier" and "=" in text:
        return LOGGED.match(found.line) is not None
    return found.kind == "file" and (
        _NO_PATH.search(text) is not None or _SCRATCH.match(text) is not None
    )


def _known_as(kind: str, traces: dict[str, Trace], text: str) -> str:
    """As it is carried already, where it is."""
    if kind == "file":
        return _known_path(traces, text)
    return known_link(traces, text) if kind == "url" else text


def _known_path(traces: dict[str, Trace], path: str) -> str:
    """The file as it is known; of several names of one file the longest is kept."""
    if path in traces:
        return path
    names = names_of(traces, path)
    best = max((*names, path), key=len)
    for name in names:
        if name != best:
            short = traces.pop(name)
            traces[best] = _one_trace(traces.get(best), short)._replace(text=best)
    return best


def _one_trace(known: Trace | None, other: Trace) -> Trace:
    """What was told of one file under two names."""
    if known is None:
        return other
    return known._replace(
        note=_last_deed(other.note, known.note) if known.note else other.note,
        sources=_bounded_sources((*other.sources, *known.sources)),
        at_ms=max(known.at_ms, other.at_ms),
        times=known.times + other.times,
        weight=max(known.weight, other.weight),
    )


def _is_trusted(found: Specific, message: Message) -> bool:
    """Is what was done to a file told by a tool, or by a call to one? Prose speaks of many deeds."""
    if found.kind != "file" or found.note in BY_PERSON:
        return True
    if found.note == "edited":
        return message.origin != "user"
    return message.origin == "agent" and message.form != TEXT


def _renew_trace(old: Trace, new: Trace, message: Message, *, counts: bool) -> Trace:
    told = _outcome(old, new.note)
    sources = _bounded_sources((*old.sources, message.key))
    # A result tells how a call ended; that it was called has been told.
    ended = message.origin == "tool" and old.kind == "command"
    came = counts and message.key not in old.sources and not ended
    times = old.times + came
    if old.kind == "command":
        times = _runs(old, new, message, times)
    # An error that is there again is not mended, and what is allowed now no longer refused.
    fresh = old.kind == "error" or not {old.note, told}.isdisjoint(BY_PERSON)
    return old._replace(
        note=told,
        sources=sources,
        at_ms=max(old.at_ms, message.at_ms),
        times=times,
        weight=new.weight if fresh and told != old.note else max(old.weight, new.weight),
        ran=new.ran or old.ran,
        # What she said too is no longer only somebody's report.
        **_voice(new if new.by == "user" else old),
    )


def _voice(trace: Trace) -> dict[str, str]:
    return {"by": trace.by, "name": trace.name}


def _runs(old: Trace, new: Trace, message: Message, times: int) -> int:
    """How often it was run: who only speaks of a command that was run does not run it again."""
    if is_run(new.note, message):
        return 1 if old.weight < new.weight and not old.note and message.origin != "tool" else times
    return old.times if old.note else times


def _bounded_sources(named: Iterable[bytes]) -> tuple[bytes, ...]:
    """Each once: the first, and the newest."""
    every = tuple(dict.fromkeys(named))
    return every if len(every) <= SOURCES else (every[0], *every[1 - SOURCES :])


def _outcome(old: Trace, note: str) -> str:
    """What became of it last. That a file was read says less than that it was edited."""
    if not note:
        return "" if old.kind == "error" else old.note
    if old.kind == "file":
        if note in BY_PERSON and old.times == 1:
            return note  # the only deed was that which she would not have
        return _last_deed(old.note, note)
    if old.kind == "command":
        return joined_ends(old.note, note)
    return old.note if old.kind == "number" else note


def _last_deed(before: str, after: str) -> str:
    """The newest change to a file; that it was new stays told when it is edited."""
    was, now = (file_deed(each) for each in (before, after))
    if was == "created" and now == "edited":
        return _WENT_ON
    if now not in _CHANGED and (was in _CHANGED or now == "read"):
        return before or after
    return after


def words_around(line: str, number: str) -> str:
    """The words round a number: alone it says nothing. Where they were cut, a mark says so."""
    at = line.find(number)
    if at < 0 or len(line) <= BESIDE:
        return " ".join(line[:BESIDE].split()).strip("|#- ")
    whole = BESIDE - 2 * len(f"{CUT} ")
    start = max(0, min(at - (whole - len(number)) // 2, len(line) - whole))
    part = line[start : start + whole]
    if start:
        part = part.partition(" ")[2] or part
    if start + whole < len(line):
        part = part.rpartition(" ")[0] or part
    part = " ".join(part.split()).strip("|#- ")
    before, after = f"{CUT} " if start else "", f" {CUT}" if start + whole < len(line) else ""
    return f"{before}{part}{after}"
