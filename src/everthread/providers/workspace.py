"""Folders of agents, each with `MEMORY.md` and `memory/YYYY-MM-DD.md`."""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from everthread.domain.distilling.daily import (
    FOLDER,
    MEMORY,
    Change,
    Outcome,
    by_hand,
    day_in,
    day_name,
    put_day,
    sections_in,
    with_managed,
    without_section,
)
from everthread.ports.workspace import Flush, Flushed, Handwritten, Written

from .durable import Found, Trouble, locked, look, make, reason, swap, sync

LOCK = ".everthread.lock"
READ = 256_000
"""Bytes of `MEMORY.md` that are read for what a person wrote there."""

PATIENCE = 2.0
"""Seconds to wait for another process that writes."""

_TRIES = 8
_PAUSE = 0.02
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PART = re.compile(r"\.([2-9]|[1-9]\d{1,3})\.md")
_LONGEST = 40

Done = tuple[Path, Outcome]
Step = Callable[[Path, Flush], Iterator[Done]]


def folder_name(agent: str) -> str:
    """A simple name as it is; any other as what can be read of it, and a hash that tells it apart."""
    if _PLAIN.fullmatch(agent):
        return agent
    words = re.sub(r"[^\w.-]+", "-", unicodedata.normalize("NFC", agent)).strip(".-_")
    digest = hashlib.sha256(agent.encode(errors="surrogatepass")).hexdigest()[:12]
    # No simple name has a tilde, so none can be taken for this one.
    return f"{words[:_LONGEST] or 'agent'}~{digest}"


class FolderWorkspace:
    """A folder for each agent below `root`; one process at a time writes in it."""

    def __init__(self, root: str | Path, *, patience: float = PATIENCE) -> None:
        self._root = Path(root)
        self._patience = patience

    def path(self, agent: str) -> str:
        return str(self._root / folder_name(agent))

    def write(self, agent: str, order: Flush) -> Flushed:
        return self._done(agent, order, _put)

    def withdraw(self, agent: str, order: Flush) -> Flushed:
        return self._done(agent, order, _take)

    def sections(self, agent: str) -> Sequence[Written]:
        days = Path(self.path(agent)) / FOLDER
        try:
            names = sorted(place.name for place in days.iterdir())
        except FileNotFoundError:
            return []
        dated = ((name, day_in(name)) for name in names)
        found = ((day, look(days / name).text or "") for name, day in dated if day is not None)
        return [Written(key, day, told) for day, text in found for key, told in sections_in(text)]

    def handwritten(self, agent: str) -> Handwritten | None:
        place = Path(self.path(agent)) / MEMORY
        if not place.is_file():
            return None
        with place.open("rb") as file:
            data, changed = file.read(READ), os.fstat(file.fileno()).st_mtime_ns
        text = by_hand(data.decode(errors="replace").removeprefix("\ufeff"))
        return Handwritten(text, changed // 1_000_000) if text.strip() else None

    def _done(self, agent: str, order: Flush, daily: Step) -> Flushed:
        """Both files are tried: where one cannot be written, the other may be."""
        day_name(order.day)
        folder = Path(self.path(agent))
        done: list[Done] = []
        wrong: list[str] = []
        try:
            make(folder)
            with locked(folder / LOCK, seconds=self._patience):
                for place, step in ((folder / FOLDER, daily), (folder / MEMORY, _renew)):
                    try:
                        done.extend(step(place, order))
                    except OSError as error:
                        wrong.append(_told(place, error))
        except OSError as error:
            wrong.append(_told(folder, error))
        return Flushed(
            ok=not wrong,
            paths=tuple(str(path) for path, outcome in done if outcome != "absent"),
            edited=any(outcome == "edited" for _, outcome in done),
            error="; ".join(wrong) or None,
        )


def _told(place: Path, error: OSError) -> str:
    return f"cannot write {place}: {reason(error)}"


def _put(days: Path, order: Flush) -> Iterator[Done]:
    make(days)
    yield _until(partial(_put_once, days, order))


def _put_once(days: Path, order: Flush) -> Done | None:
    found = [look(days / day_name(order.day, n + 1)) for n in range(_parts(days, order.day))]
    at, change = put_day([each.text for each in found], order.section, order.day)
    path = days / day_name(order.day, at + 1)
    target = found[at] if at < len(found) else look(path)
    return (path, change.outcome) if _kept(target, change.text) else None


def _take(days: Path, order: Flush) -> Iterator[Done]:
    for n in range(_parts(days, order.day)):
        path = days / day_name(order.day, n + 1)
        yield _until(partial(_once, path, lambda text: without_section(text, order.receipt_id)))


def _renew(path: Path, order: Flush) -> Iterator[Done]:
    yield _until(partial(_once, path, lambda text: with_managed(text, order.managed)))


def _once(path: Path, change: Callable[[str | None], Change]) -> Done | None:
    found = look(path)
    changed = change(found.text)
    return (path, changed.outcome) if _kept(found, changed.text) else None


def _until(work: Callable[[], Done | None]) -> Done:
    """Read, change and write again, as long as somebody else changes the file in between."""
    for _ in range(_TRIES):
        if (done := work()) is not None:
            return done
        time.sleep(_PAUSE)
    raise Trouble("somebody else keeps changing it")


def _kept(found: Found, text: str | None) -> bool:
    if text != found.text:
        return swap(found, text)
    if text is not None:
        # It may be from one that was killed before it could sync.
        sync(Path(found.path))
        sync(Path(found.path).parent)
    return True


def _parts(days: Path, day: str) -> int:
    """How many files the day has, also where one of them is missing."""
    if not days.exists():
        return 0
    names = {place.name for place in days.iterdir() if place.name.startswith(day)}
    numbers = [int(found[1]) for name in names if (found := _PART.fullmatch(name[len(day) :]))]
    return max([int(f"{day}.md" in names), *numbers])
