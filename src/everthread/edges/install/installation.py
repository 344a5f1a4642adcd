"""Plan an installation, make it, take it back: the same for every harness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from everthread import __version__
from everthread.domain.errors import InstallRefused

from . import install_log as books
from .changes import Change, Made, apply, bytes_of, content, lenient_text, text_of
from .install_log import ChangedFile, InstallLog, digest
from .parts import Entries, Installer, Machine, OwnFile, Part


class Plan(NamedTuple):
    """What would be done for one harness."""

    installer: Installer
    changes: list[Change]
    told: list[str]
    """What the person should know."""


# ---- installing


def plan(installer: Installer, around: Machine) -> Plan:
    """What has to change so that the harness speaks to us; nothing if it does already."""
    parts = installer.parts(around)
    known = books.load(around.home, installer.name)
    files = {kept.path: kept for kept in known.files} if known else {}
    wanted = [_change_for(part, files.get(part.path)) for part in parts]
    changes = [change for change in wanted if change is not None]
    changes += _obsolete(known, parts)
    return Plan(installer, changes, installer.advice(around))


def _change_for(part: Part, kept: ChangedFile | None) -> Change | None:
    before = content(part.path)
    if isinstance(part, OwnFile):
        after, made = part.data, ()
    else:
        after, made = _with_entries(part, before, kept)
    if after == before or (before is None and not after):
        return None
    return Change(part.path, before, after, part.why, owned=isinstance(part, OwnFile), made=made)


def _with_entries(
    part: Entries, data: bytes | None, kept: ChangedFile | None
) -> tuple[bytes, Made]:
    """The file with our entries. What an earlier installation left is taken out first, if it differs."""
    if data is not None and _adds_nothing(part, data):
        return data, ()
    text = "" if data is None else text_of(part.path, data)
    new, made = part.add(text)
    if new != text and kept is not None and data is not None:
        exact = kept.exact and digest(data) == kept.after
        base = text_of(part.path, kept.before or b"") if exact else part.remove(text, kept.made)
        new, made = part.add(base)
    return new.encode(), made


def _adds_nothing(part: Entries, data: bytes) -> bool:
    """Is there nothing to add? Then the file may be written in whatever encoding it likes."""
    text = lenient_text(data)
    with suppress(InstallRefused):
        return part.add(text)[0] == text
    return False


def _obsolete(known: InstallLog | None, parts: Sequence[Part]) -> Iterator[Change]:
    """Files of ours that this form of the installation no longer has."""
    now = {part.path for part in parts}
    for kept in known.files if known else ():
        if kept.owned and kept.path not in now:
            data = content(kept.path)
            if data is not None and digest(data) == kept.after:
                yield Change(kept.path, data, None, "no longer needed", owned=True)


def install(plan: Plan, around: Machine) -> None:
    """Make the changes of a plan, and keep what is needed to take them back."""
    name = plan.installer.name
    known = books.load(around.home, name)
    files = {kept.path: kept for kept in known.files} if known else {}
    for change in plan.changes:
        if change.after is None:
            files.pop(change.path, None)
        else:
            files[change.path] = _record_of(change, change.after, files.get(change.path))
    folders = list(known.folders) if known else []
    # Where the folders of new files are not there yet, they will be ours.
    folders += [each for each in _missing_folders(plan.changes) if each not in folders]
    form = "plain" if around.plain else "usual"
    program = around.hook(name, "SessionStart")[0]
    books.save(
        around.home, InstallLog(name, form, __version__, program, list(files.values()), folders)
    )
    try:
        apply(plan.changes)
    except InstallRefused:
        # Nothing was changed, so nothing is to be taken back.
        books.save(around.home, known) if known else books.forget(around.home, name)
        raise
    _sweep(folders)


def _record_of(change: Change, after: bytes, old: ChangedFile | None) -> ChangedFile:
    """What to remember of a file: its bytes before the first of our changes, if nobody came between."""
    if old is None:
        return ChangedFile(
            change.path, change.before, digest(after), change.owned, made=change.made
        )
    still = change.before is not None and digest(change.before) == old.after
    made = tuple(dict.fromkeys((*old.made, *change.made)))
    if still or change.owned:
        return ChangedFile(change.path, old.before, digest(after), change.owned, old.exact, made)
    before = None if old.before is None else change.before
    return ChangedFile(change.path, before, digest(after), owned=False, exact=False, made=made)


def _missing_folders(changes: Sequence[Change]) -> list[Path]:
    found: dict[Path, None] = {}
    for change in changes:
        if change.after is not None:
            for folder in reversed(change.path.parents):
                if not folder.exists():
                    found[folder] = None
    return list(found)


# ---- taking it back


def removal(installer: Installer, around: Machine) -> Plan:
    """What has to change so that nothing of ours is left."""
    known = books.load(around.home, installer.name)
    parts = {part.path: part for part in installer.parts(around)}
    told: list[str] = []
    changes: list[Change] = []
    kept = {each.path: each for each in known.files} if known else {}
    for path in reversed(list({**parts, **kept})):
        data = content(path)
        if data is None:
            continue
        after, said = _content_without_us(path, data, kept.get(path), parts.get(path))
        told += said
        if after != data:
            why = "what Everthread put there goes"
            changes.append(Change(path, data, after, why, owned=after is None))
    return Plan(installer, changes, told)


def _content_without_us(
    path: Path, data: bytes, kept: ChangedFile | None, part: Part | None
) -> tuple[bytes | None, list[str]]:
    """What a file is without us, and what to say about it."""
    if kept is not None and digest(data) == kept.after and kept.exact:
        return kept.before, []
    if isinstance(part, Entries):
        return _without_entries(data, part, kept), []
    if kept is None and isinstance(part, OwnFile) and part.data == data:
        return None, []
    if kept is not None and data == kept.before:
        return data, []
    return data, [f"{path} was changed by somebody since; it was left alone"]


def _without_entries(data: bytes, part: Entries, kept: ChangedFile | None) -> bytes | None:
    made: Made = kept.made if kept else ()
    left = part.remove(lenient_text(data), made)
    if kept is not None and kept.before is None and left.strip() in ("", "{}"):
        return None
    return bytes_of(left)


def uninstall(plan: Plan, around: Machine) -> None:
    """Make the changes of a removal, and forget the installation."""
    known = books.load(around.home, plan.installer.name)
    apply(plan.changes)
    books.forget(around.home, plan.installer.name)
    _sweep(known.folders if known else ())


def _sweep(ours: Sequence[Path]) -> None:
    """Remove the folders that were made for our files, if nobody else has put anything there."""
    for folder in sorted(ours, key=lambda each: len(each.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()
