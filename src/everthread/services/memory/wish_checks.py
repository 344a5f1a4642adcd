"""What a wish to remember says, as it comes from outside: checked, part by part."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.checks import checked_several, checked_text, optional_text
from everthread.domain.errors import BadInput
from everthread.domain.memory.memories import ORIGINS, REACHES, Origin, Reach
from everthread.domain.times import end_of, ms_of
from everthread.ports import House

LONGEST_PROJECT = 4_000


def checked_tags(tags: Sequence[str]) -> list[str]:
    given = checked_several("tags are a list of words", tags)
    return [checked_text("a tag", tag) for tag in given]


def checked_project(house: House, project: object, reach: Reach) -> str | None:
    folder = optional_text("project", project, longest=LONGEST_PROJECT)
    if folder is None and reach == "project":
        raise BadInput("a project's memory needs its folder: give project=…")
    return None if folder is None else house.files.real(folder)


def checked_period(valid_from: object, valid_to: object) -> tuple[int | None, int | None]:
    start = None if valid_from is None else ms_of(valid_from)  # pyright: ignore[reportArgumentType]
    end = None if valid_to is None else end_of(valid_to)  # pyright: ignore[reportArgumentType]
    if start is not None and end is not None and end <= start:
        raise BadInput("valid_to must be after valid_from")
    return start, end


def checked_origin(value: object) -> Origin:
    if value not in ORIGINS:
        raise BadInput(f"origin must be one of {', '.join(ORIGINS)}; got {value!r:.40}")
    return value


def checked_reach(value: object) -> Reach:
    if value not in REACHES:
        raise BadInput(f"scope must be one of {', '.join(REACHES)}; got {value!r:.40}")
    return value
