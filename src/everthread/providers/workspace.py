"""Folders of agents, each with `MEMORY.md` and `memory/YYYY-MM-DD.md`."""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from everthread.domain.distilling.daily_files import (
    FOLDER,
    MEMORY,
    Change,
    Outcome,
    by_hand,
    day_in,
    day_name,
    is_untouched,
    put_day,
    sections_in,
    with_managed,
    without_section,
)
from everthread.ports.workspace import (
    Claims,
    Flush,
    FlushResult,
    Handwritten,
    Owner,
    WrittenSection,
)

from .claims import FolderTaken, claim, claimed_by, is_original
from .durable_files import FoundFile, Trouble, file_lock, make_folder, read_file, reason, swap, sync

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
_TOLD_APART = 12
NO_DAY = "1970-01-01"
"""Where only `MEMORY.md` is meant."""

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
    """A folder for each agent below `root`; one process at a time writes in it.

    With `claims`, agents of several stores may have one name: the first has the plain folder.
    """

    def __init__(
        self, root: str | Path, *, patience: float = PATIENCE, claims: Claims | None = None
    ) -> None:
        self._root = Path(root)
        self._patience = patience
        self._claims = claims
        self._found: dict[str, Path] = {}

    def path(self, agent: str) -> str:
        return str(self._folder(agent))

    def write(self, agent: str, order: Flush) -> FlushResult:
        return self._done(agent, order, _put)

    def withdraw(self, agent: str, order: Flush) -> FlushResult:
        done = self._done(agent, order, _take)
        plain = self._plain(agent)
        if plain not in self._folders(agent)[1:] or not plain.is_dir():
            return done
        also = self._stepped(plain, order, ((plain / FOLDER, _take),))
        return FlushResult(
            ok=done.ok and also.ok,
            paths=(*done.paths, *also.paths),
            edited=done.edited or also.edited,
            error="; ".join(filter(None, (done.error, also.error))) or None,
        )

    def renew(self, agent: str, managed: str | None) -> FlushResult:
        if not self.there(agent):
            return FlushResult(ok=True)
        return self._done(agent, Flush("", NO_DAY, "", managed), _do_nothing)

    def there(self, agent: str) -> bool:
        return self._folder(agent).is_dir()

    def sections(self, agent: str) -> Sequence[WrittenSection]:
        return [one for folder in self._folders(agent) for one in _sections(folder)]

    def handwritten(self, agent: str) -> Handwritten | None:
        place = Path(self.path(agent)) / MEMORY
        if not place.is_file():
            return None
        with place.open("rb") as file:
            data, changed = file.read(READ), os.fstat(file.fileno()).st_mtime_ns
        text = by_hand(data.decode(errors="replace").removeprefix("\ufeff"))
        return Handwritten(text, changed // 1_000_000) if text.strip() else None

    def _done(self, agent: str, order: Flush, daily: Step) -> FlushResult:
        day_name(order.day)
        folder = self._folder(agent)
        steps = ((folder / FOLDER, daily), (folder / MEMORY, _renew))
        try:
            return self._stepped(folder, order, steps, self._owner(agent))
        except FolderTaken:
            del self._found[agent]
            return self._done(agent, order, daily)

    def _folder(self, agent: str) -> Path:
        """The plain one, unless it belongs to an agent of that name in another store."""
        if agent not in self._found:
            plain, owner = self._plain(agent), self._owner(agent)
            if owner is None or self._claims is None:
                return plain
            try:
                ours = claimed_by(plain, owner)
                # Not claimed yet: who wrote there goes on there.
                ids = [one.receipt_id for one in _sections(plain)] if ours is None else []
            except OSError:
                return plain  # whoever reads or writes there is told
            if ours is None:
                ours = not ids or self._claims.wrote(agent, ids)
            # Agents of one name differ in their ids, copies of one agent in where their store is.
            told = owner.store if is_original(plain, owner) else owner.agent
            own = self._root / f"{folder_name(agent)}~{told[-_TOLD_APART:]}"
            self._found[agent] = plain if ours else own
        return self._found[agent]

    def _folders(self, agent: str) -> list[Path]:
        """Where files of the agent may lie: its own folder first. Before folders were told apart,
        agents of one name wrote into the plain one; that of the store we are a copy of is not ours."""
        own, plain, owner = self._folder(agent), self._plain(agent), self._owner(agent)
        if own == plain or (owner is not None and is_original(plain, owner)):
            return [own]
        return [own, plain]

    def _plain(self, agent: str) -> Path:
        return self._root / folder_name(agent)

    def _owner(self, agent: str) -> Owner | None:
        return None if self._claims is None else self._claims.owner(agent)

    def _stepped(
        self,
        folder: Path,
        order: Flush,
        steps: Iterable[tuple[Path, Step]],
        owner: Owner | None = None,
    ) -> FlushResult:
        """All files are tried: where one cannot be written, the other may be."""
        done: list[Done] = []
        wrong: list[str] = []
        try:
            make_folder(folder)
            with file_lock(folder / LOCK, seconds=self._patience):
                if owner is not None:
                    claim(folder, owner)
                for place, step in steps:
                    try:
                        done.extend(step(place, order))
                    except OSError as error:
                        wrong.append(_failure_text(place, error))
        except OSError as error:
            wrong.append(_failure_text(folder, error))
        return FlushResult(
            ok=not wrong,
            paths=tuple(str(path) for path, outcome in done if outcome != "absent"),
            edited=any(outcome == "edited" for _, outcome in done),
            error="; ".join(wrong) or None,
        )


def _failure_text(place: Path, error: OSError) -> str:
    return f"cannot write {place}: {reason(error)}"


def _sections(folder: Path) -> list[WrittenSection]:
    days = folder / FOLDER
    try:
        names = sorted(place.name for place in days.iterdir())
    except FileNotFoundError:
        return []
    dated = ((name, day_in(name)) for name in names)
    found = [(day, read_file(days / name).text or "") for name, day in dated if day is not None]
    return [
        WrittenSection(key, day, told, is_untouched(text, key))
        for day, text in found
        for key, told in sections_in(text)
    ]


def _do_nothing(_days: Path, _order: Flush) -> Iterator[Done]:
    return iter(())


def _put(days: Path, order: Flush) -> Iterator[Done]:
    make_folder(days)
    yield _retry(partial(_put_once, days, order))


def _put_once(days: Path, order: Flush) -> Done | None:
    found = [read_file(days / day_name(order.day, n + 1)) for n in range(_parts(days, order.day))]
    at, change = put_day([each.text for each in found], order.section, order.day)
    path = days / day_name(order.day, at + 1)
    target = found[at] if at < len(found) else read_file(path)
    return (path, change.outcome) if _keep(target, change.text) else None


def _take(days: Path, order: Flush) -> Iterator[Done]:
    for n in range(_parts(days, order.day)):
        path = days / day_name(order.day, n + 1)
        yield _retry(
            partial(_change_once, path, lambda text: without_section(text, order.receipt_id))
        )


def _renew(path: Path, order: Flush) -> Iterator[Done]:
    yield _retry(partial(_change_once, path, lambda text: with_managed(text, order.managed)))


def _change_once(path: Path, change: Callable[[str | None], Change]) -> Done | None:
    found = read_file(path)
    changed = change(found.text)
    return (path, changed.outcome) if _keep(found, changed.text) else None


def _retry(work: Callable[[], Done | None]) -> Done:
    """Read, change and write again, as long as somebody else changes the file in between."""
    for _ in range(_TRIES):
        if (done := work()) is not None:
            return done
        time.sleep(_PAUSE)
    raise Trouble("somebody else keeps changing it")


def _keep(found: FoundFile, text: str | None) -> bool:
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
