"""Bundle: uncommitted work is committed where that is allowed and safe, else kept as a patch.

A project without version control leaves a list of its files, with sizes and hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everthread.domain.errors import EverthreadError
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.checkpoint_rules import is_ours
from everthread.domain.tasks.governance import read_governance
from everthread.domain.tasks.rituals import HEALTHY, Result, unsafe_patch
from everthread.domain.tasks.tasks import Health
from everthread.domain.times import text_of
from everthread.ports import ListedFile, Repository, Versions
from everthread.services.tasks.checks.smoke import check
from everthread.services.tasks.checks.trust import trusted_rules
from everthread.services.tasks.desk import Desk, TaskSession
from everthread.services.tasks.files.projection import folder_of
from everthread.services.tasks.files.session_log import CONFIG

PATCHES = "work/patches"
LONGEST_PATCH = 4_000_000
MOST_FILES = 2_000
MOST_HASHED = 200
LONGEST_SUBJECT = 72
BINARY = "\nBinary files "
NOTHING = "no work is uncommitted; the files that tasks keep in tasks/ are yours to commit"
"""Of a task's folder, what we write ourselves is no work; git shows it all the same."""


class BundleOutcome(NamedTuple):
    """What became of the work."""

    result: Result
    detail: str
    health: Health | None = None
    """Where the smoke command was run for it."""
    files: Sequence[ListedFile] = ()
    """Without version control: what was written since the session began."""


def bundle(desk: Desk, at: TaskSession, summary: str) -> BundleOutcome:
    """Commit the work, or keep it as a patch; never inside a transaction."""
    versions = desk.house.versions
    if versions is None:
        return BundleOutcome("skipped", "this program knows no version control")
    repository = versions.of(desk.project)
    if repository is None:
        return _write_file_list(desk, at, versions)
    paths = [change.path for change in repository.changes() if not is_ours(change.path)]
    if not paths:
        return BundleOutcome("ok", NOTHING)
    patch, cut = repository.patch(LONGEST_PATCH)
    why, health = _why_not(desk, at, repository, (patch, cut), paths)
    if why is None:
        try:
            made = repository.commit(_message(at, summary))
            return BundleOutcome("ok", f"committed {len(paths)} files as {made:.12}", health)
        except EverthreadError as trouble:
            why = str(trouble)
    return BundleOutcome(
        "ok", f"{why}; {_write_patch(desk, at, patch, cut=cut, count=len(paths))}", health
    )


def _why_not(
    desk: Desk,
    at: TaskSession,
    repository: Repository,
    patch: tuple[str, bool],
    paths: Sequence[str],
) -> tuple[str | None, Health | None]:
    """Why nothing is committed, None if it is; and how healthy the project is, where that was looked at."""
    why = _why_forbidden(desk) or repository.unsafe()
    if why is None and patch[1]:
        why = "the changes are too large to be looked through"
    why = why or unsafe_patch(patch[0], paths)
    if why is not None:
        return f"not committed: {why}", None
    checked = check(desk, at.task)
    if checked.health == "fail":
        return "not committed: the smoke command fails", checked.health
    if checked.health not in HEALTHY and not _is_auto_commit_on(desk):
        why = f"auto_commit is off, and what {CONFIG} allows needs a smoke command that passes"
        return f"not committed: {why}", checked.health
    return None, checked.health


def _is_auto_commit_on(desk: Desk) -> bool:
    return desk.house.policy.auto_commit == "on"


def _why_forbidden(desk: Desk) -> str | None:
    """Is it allowed? The project's own configuration may forbid it. To allow it, it has to be trusted: it
    came with the repository, and somebody else may have written it.
    """
    folders = desk.house.folders
    try:
        text = None if folders is None else folders.project_file(desk.project, CONFIG)
    except EverthreadError as trouble:
        return str(trouble)
    said = read_governance(text).auto_commit
    if said is False:
        return f"{CONFIG} says that nothing is committed"
    if _is_auto_commit_on(desk) or trusted_rules(desk).auto_commit:
        return None
    more = f"; what {CONFIG} allows counts once it is trusted" if said else ""
    return f"auto_commit is off{more}"


def _message(at: TaskSession, summary: str) -> str:
    line = " ".join(strip_secrets(summary).split())
    subject = f"{at.task.slug}: {line}"
    short = subject if len(subject) <= LONGEST_SUBJECT else f"{subject[: LONGEST_SUBJECT - 1]}…"
    return f"{short}\n\n{line}\n\nTask {at.task.slug} at {at.task.gate}, {at.session.alias}.\n"


def _write_patch(desk: Desk, at: TaskSession, patch: str, *, cut: bool, count: int) -> str:
    name = f"{PATCHES}/{at.session.alias}.patch"
    safe = strip_secrets(patch)
    folder_of(desk, at.task, create=True).write(name, safe)
    notes = [
        "it was cut" if cut else "",
        "secrets in it were redacted" if safe != patch else "",
        "binary files are only named" if BINARY in patch else "",
    ]
    told = ", ".join(note for note in notes if note)
    return f"{count} files in {name}" + (f" ({told})" if told else "")


def _write_file_list(desk: Desk, at: TaskSession, versions: Versions) -> BundleOutcome:
    files, more = versions.listing(desk.project, MOST_FILES)
    name = f"{PATCHES}/{at.session.alias}.txt"
    head = f"# {at.task.slug}, {at.session.alias}, {text_of(desk.house.clock.now())}\n"
    last = f"# cut after {MOST_FILES} files\n" if more else ""
    lines = "".join(f"{file_line(file)}\n" for file in files)
    folder_of(desk, at.task, create=True).write(name, f"{head}{lines}{last}")
    cut = ", cut" if more else ""
    why = versions.why_none(desk.project)
    fresh = [f for f in files if f.modified_ms >= at.session.started_ms and not is_ours(f.path)]
    told = f"{why}; a list of {len(files)} files{cut} is in {name}"
    return BundleOutcome("ok", told, files=fresh[:MOST_HASHED])


def file_line(file: ListedFile) -> str:
    """Hash, size, time and name of a file. A hash is no secret, whatever the file is called."""
    path = " ".join(strip_secrets(file.path).split("\n"))
    return f"{file.sha256 or '-' * 64}  {file.size:>12}  {text_of(file.modified_ms)}  {path}"
