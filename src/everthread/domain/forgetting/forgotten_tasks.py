"""How what is to be said no more leaves what tasks say: rows, logs, entries.

Lists lose the entries that tell it; prose that nobody can sort goes as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, cast

from everthread.domain.conversation.contents import mapping
from everthread.domain.tasks.task_files import WITHHELD
from everthread.domain.tasks.tasks import Event, Incident, Sitting, Task

from .forgotten_texts import ForgottenTexts

FEWEST_WORDS = 4

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_NAME = re.compile(r"[!-~]*")
"""A name, a hash, a path: no statement."""
_HEADING = re.compile(r"^## Session ", re.MULTILINE)
_MARK = re.compile(r"^<!-- session-[\w-]+ -->$", re.MULTILINE)
_FIELD = re.compile(r"^(\*\*\w+\*\*: )(.*)$", re.MULTILINE)
_SERVICE = re.compile(r"^\[[^\]]*\] ")

Tells = Callable[[str], bool]


def prose_tells(text: str, gone: ForgottenTexts) -> bool:
    """Does it say it, as a whole or in one of its sentences?"""
    parts = (text, *_SENTENCE.split(text))
    return any(gone.tells(part) or _is_piece(part, gone) for part in parts)


def _is_piece(part: str, gone: ForgottenTexts) -> bool:
    """Is it a piece of those messages? A word or two, such as a yes, is a piece of anything."""
    return len(part.split()) >= FEWEST_WORDS and gone.came_from(part)


def make_teller(gone: ForgottenTexts) -> Tells:
    """Asks of a text whether it tells it; each text once."""
    known: dict[str, bool] = {}

    def tells(text: str) -> bool:
        if text not in known:
            known[text] = not _NAME.fullmatch(text) and prose_tells(text, gone)
        return known[text]

    return tells


# Rows


def plain_without(value: Any, tells: Tells) -> Any:
    """Plain data without it."""
    if isinstance(value, str):
        return WITHHELD if tells(value) else value
    known = mapping(value)
    if known is not None:
        return {k: plain_without(v, tells) for k, v in known.items() if not tells(k)}
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        kept = (one for one in listed if not (isinstance(one, str) and tells(one)))
        return [plain_without(one, tells) for one in kept]
    return value


def json_without(text: str, tells: Tells) -> str:
    """The same for JSON; to the byte as it was where nothing of it goes."""
    value = json.loads(text)
    left = plain_without(value, tells)
    return text if left == value else json.dumps(left, ensure_ascii=False)


def _prose(text: str, tells: Tells) -> str:
    return WITHHELD if tells(text) else text


def task_without(task: Task, tells: Tells) -> Task:
    """Its slug and its command stay: by them it is known, and run."""
    sandbox = None if task.sandbox_json is None else json_without(task.sandbox_json, tells)
    return task._replace(
        goal=_prose(task.goal, tells),
        acceptance_json=json_without(task.acceptance_json, tells),
        blockers_json=json_without(task.blockers_json, tells),
        next_steps_json=json_without(task.next_steps_json, tells),
        failures_json=json_without(task.failures_json, tells),
        sandbox_json=sandbox,
    )


def sitting_without(sitting: Sitting, tells: Tells) -> Sitting:
    return sitting._replace(
        goal=_prose(sitting.goal, tells), record_json=json_without(sitting.record_json, tells)
    )


def incident_without(incident: Incident, tells: Tells) -> Incident:
    said = None if incident.resolution is None else _prose(incident.resolution, tells)
    return incident._replace(
        summary=_prose(incident.summary, tells),
        details_json=json_without(incident.details_json, tells),
        resolution=said,
    )


def event_tells(event: Event, tells: Tells) -> bool:
    """An event has the same bytes with every attempt: what tells it is not told at all."""
    told = bool(event.body) and json_without(event.body, tells) != event.body
    return told or tells(event.error or "")


# Files


class Rest(NamedTuple):
    """What is left of a file, and whether somebody else's words in it still tell it."""

    text: str
    stays: bool = False


def lines_without(text: str, tells: Tells) -> Rest:
    """A log of JSON lines, all of which are ours."""
    return Rest("".join(_line(line, tells) for line in text.splitlines(keepends=True)))


def _line(line: str, tells: Tells) -> str:
    try:
        entry = mapping(json.loads(line))
    except (ValueError, RecursionError):
        entry = None
    if entry is None:
        return f"{json.dumps({'message': WITHHELD})}\n" if tells(line.strip()) else line
    left: dict[str, Any] = plain_without(entry, tells)
    if left == entry:
        return line
    service = _SERVICE.match(str(entry.get("message", "")))
    if service is not None and left.get("message") == WITHHELD:
        left["message"] = f"{service[0]}{WITHHELD}"
    return f"{json.dumps(left, ensure_ascii=False)}\n"


def document_without(text: str, tells: Tells) -> Rest:
    """One JSON document of ours; what is none is somebody else's."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Rest(text, any(map(tells, text.splitlines())))
    left = plain_without(value, tells)
    return Rest(text if left == value else json.dumps(left, ensure_ascii=False, indent=2) + "\n")


def entries_without(text: str, tells: Tells) -> Rest:
    """An implementation log: the entries that bear a session's mark are ours, the rest is people's."""
    starts = [found.start() for found in _HEADING.finditer(text)]
    bounds = [0, *starts, len(text)]
    parts = [text[a:b] for a, b in pairwise(bounds)]
    rests = [_entry(part, tells) for part in parts]
    return Rest("".join(rest.text for rest in rests), any(rest.stays for rest in rests))


def _entry(part: str, tells: Tells) -> Rest:
    mark = _MARK.search(part)
    end = 0 if mark is None else mark.end()
    ours = _FIELD.sub(lambda found: found[1] + _joined_without(found[2], tells), part[:end])
    others = part[end:]
    return Rest(ours + others, any(map(tells, others.splitlines())))


def _joined_without(line: str, tells: Tells) -> str:
    """Several texts on one line, without those that tell it."""
    left = "; ".join(one for one in line.split("; ") if not tells(one))
    return WITHHELD if not left or tells(left) else left
