"""New: make a task with its folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NotRequired, TypedDict

from everthread.domain.checks import checked_several, checked_text
from everthread.domain.errors import BadInput, TaskRefused
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.tasks.commands import plain_command
from everthread.domain.tasks.gates import NONE_PASSED
from everthread.domain.tasks.task_files import (
    META,
    STATUS,
    dump_json,
    meta_document,
    strip_document,
)
from everthread.domain.tasks.tasks import LONGEST_LIST, LONGEST_TEXT, Task, checked_slug
from everthread.ports import Folder, House, Records

from .checks.trust import trust_own
from .desk import Desk
from .files.projection import folder_of, open_folder, write_projection

PLACES = tuple(file.rpartition("/")[0] for file in (STATUS, META))
TRIED = ".tried.new"
"""Written and removed again, to see that we can; a lost one is swept with other drafts."""


class TaskFields(TypedDict):
    """What is said of a new task."""

    goal: str
    acceptance: NotRequired[Sequence[str]]
    smoke: NotRequired[str | Sequence[str] | None]


def must_be_possible(
    house: House,
    project: str,
    slug: str,
    *,
    goal: str,
    acceptance: Sequence[str] = (),
    smoke: str | Sequence[str] | None = None,
) -> None:
    """Refuse what `new_task` refuses, before an agent is made for it; nothing is stored."""
    _goal(goal)
    _lines("acceptance", acceptance)
    _smoke(smoke)
    folder = open_folder(house, project, slug, create=True)
    with folder.locked():
        _must_be_free(folder)


def new_task(
    desk: Desk,
    slug: str,
    *,
    goal: str,
    acceptance: Sequence[str] = (),
    smoke: str | Sequence[str] | None = None,
) -> Task:
    """A task at its first gate. One slug names one task of a project."""
    now = desk.house.clock.now()
    fresh = Task(
        ref=0,
        agent_ref=desk.agent.ref,
        key_id=desk.house.ids.new(),
        slug=checked_slug(slug),
        project=desk.project,
        goal=_goal(goal),
        acceptance_json=json.dumps(_lines("acceptance", acceptance)),
        smoke_json=_smoke(smoke),
        status="in-progress",
        passed=NONE_PASSED,
        step=0,
        blockers_json="[]",
        next_steps_json="[]",
        failures_json="{}",
        sandbox_json=None,
        stopped_ms=None,
        last_session=None,
        created_ms=now,
        updated_ms=now,
        entry=0,
    )

    def work(records: Records) -> Task:
        _must_be_new(records, desk, slug)
        return records.tasks.add(desk.scope, fresh)

    desk.house.store.read(lambda r: _must_be_new(r, desk, slug))
    made = _store_task(desk, fresh, work)
    write_projection(desk, made)
    trust_own(desk, made)
    return made


def _store_task(desk: Desk, fresh: Task, work: Callable[[Records], Task]) -> Task:
    """Store it, once it is known that its folder is nobody's and can be written."""
    folder = folder_of(desk, fresh, create=True)
    with folder.locked():
        _must_be_free(folder)
        made = desk.house.store.write(work)
        with suppress(TaskRefused):  # `projected` writes it again, and says what is wrong
            folder.write(META, dump_json(strip_document(meta_document(made))))
    return made


def _must_be_free(folder: Folder) -> None:
    """It is nobody's, and can be written."""
    if folder.read(META) is not None:
        raise TaskRefused(
            f"{folder.path} is the folder of another task: take another slug, or move it away. "
            "`everthread task list` shows the tasks of this project"
        )
    for place in PLACES:
        folder.write(f"{place}/{TRIED}", "")
        folder.remove(f"{place}/{TRIED}")


def _must_be_new(records: Records, desk: Desk, slug: str) -> None:
    if records.tasks.find(desk.scope, desk.project, slug) is not None:
        raise TaskRefused(
            f"there is a task {slug} here already: `everthread task status --task {slug}`"
        )


def _goal(goal: str) -> str:
    return strip_secrets(checked_text("goal", goal, longest=LONGEST_TEXT))


def _smoke(command: str | Sequence[str] | None) -> str | None:
    if command is None:
        return None
    if isinstance(command, str):
        return json.dumps(plain_command(checked_text("smoke", command, longest=LONGEST_TEXT)))
    given = checked_several("smoke is a command, or the list of its words", command)
    words = [checked_text("smoke", word, longest=LONGEST_TEXT) for word in given]
    if not words:
        raise BadInput("the smoke command is empty")
    return json.dumps(plain_command(words))


def _lines(what: str, lines: Sequence[str]) -> list[str]:
    given = list(checked_several(f"{what} is a list of texts", lines))
    if len(given) > LONGEST_LIST:
        raise BadInput(f"{what} has at most {LONGEST_LIST} lines; got {len(given)}")
    return [strip_secrets(checked_text(what, line, longest=LONGEST_TEXT)) for line in given]
