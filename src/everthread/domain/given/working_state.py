"""The working state: what the agent is at, in a few lines that outlive every distillation.

A program says it with `turn.done(state=…)`. Where it does not, it is read off the turn (`turn_state`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from everthread.domain.conversation.contents import kind_of, listing, mapping
from everthread.domain.errors import BadInput
from everthread.domain.redaction.secrets import strip_secrets
from everthread.domain.text.fences import flatten, neutralize, strip_unseen

Count = Callable[[str], int]

MOST: Mapping[str, int] = {
    "completed_steps": 5,
    "next_steps": 3,
    "recent_decisions": 3,
    "open_files": 5,
    "blockers": 3,
}
"""The lists of a working state, and how many entries of each are kept."""

TITLES: Mapping[str, str] = {
    "completed_steps": "Completed",
    "next_steps": "Next",
    "recent_decisions": "Decisions",
    "open_files": "Files",
    "blockers": "Blockers",
}

TITLE = "## Working State"
TOKENS = 500
LONGEST_TASK = 400
LONGEST_ENTRY = 160
LONGEST_GIVEN = 20_000
"""What a program hands over may be long; what is kept of it is not."""

_BESIDE = ("updated_ms", "given")
_NEWEST_LAST = frozenset({"completed_steps", "recent_decisions", "open_files"})
_WIDTHS = (LONGEST_ENTRY, 80, 40, 20)

HELP = (
    "a working state is the current task as a text, or a dict of "
    f"current_task (a text) and {', '.join(MOST)} (lists of texts)"
)


class WorkingState(NamedTuple):
    """What the agent is doing, has done, and will do next."""

    current_task: str = ""
    completed_steps: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    recent_decisions: tuple[str, ...] = ()
    open_files: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    updated_ms: int = 0
    given: bool = False
    """Did the program say it, so that only the program ends it?"""

    def __bool__(self) -> bool:
        """Does it say anything?"""
        return any(self.told)

    @property
    def told(self) -> tuple[object, ...]:
        """What it says, whenever and by whomever."""
        return self[: -len(_BESIDE)]


NOTHING = WorkingState()


# What a program says


def read_state(value: object, *, now: int = 0) -> WorkingState:
    """What `turn.done(state=…)` takes: a dict, JSON, or the current task as a text."""
    if isinstance(value, WorkingState):
        return _make_state(value._asdict(), now)._replace(given=True)
    given = _from_text(value) if isinstance(value, str) else value
    fields = mapping(given)
    if fields is None:
        raise BadInput(f"the state cannot be {kind_of(value)}; {HELP}")
    unknown = sorted(set(map(str, fields)) - set(WorkingState._fields))
    if unknown:
        raise BadInput(f"the state has no {', '.join(map(repr, unknown))}; {HELP}")
    return _make_state(fields, now)._replace(given=True)


def _from_text(text: str) -> object:
    if not text.lstrip().startswith("{"):
        return {"current_task": text}
    try:
        return json.loads(text)
    except ValueError as wrong:
        raise BadInput(f"the state begins like JSON and is none: {wrong}; {HELP}") from wrong


def _make_state(fields: Mapping[str, object], now: int) -> WorkingState:
    task = fields.get("current_task")
    if task is not None and not isinstance(task, str):
        raise BadInput(f"current_task cannot be {kind_of(task)}; {HELP}")
    lists = {name: _entries(name, fields.get(name)) for name in MOST}
    return state_of(task or "", lists, now)


def _entries(name: str, value: object) -> list[str]:
    if value is None:
        return []
    items: object = list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
    texts = [items] if isinstance(items, str) else listing(items)
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise BadInput(f"{name} must be a list of texts; {HELP}")
    return texts


def state_of(task: str, lists: Mapping[str, Sequence[str]], now: int) -> WorkingState:
    """A state of these texts, each on one line, short, without secrets, and not too many."""
    entries = {name: _cap_entries(name, lists.get(name, ())) for name in MOST}
    return WorkingState(line_of(task, LONGEST_TASK), updated_ms=now)._replace(**entries)


def _cap_entries(name: str, entries: Sequence[str]) -> tuple[str, ...]:
    """Each once, at most so many: of what grows the newest, of what is ahead the next."""
    lines = [line for entry in entries if (line := line_of(entry, LONGEST_ENTRY))]
    if name not in _NEWEST_LAST:
        return tuple(dict.fromkeys(lines))[: MOST[name]]
    newest = [*dict.fromkeys(reversed(lines))][: MOST[name]]
    return tuple(reversed(newest))


def line_of(text: str, longest: int) -> str:
    """On one line, without secrets, and short. Secrets go first: half of one is not known as one."""
    return _cut(flatten(strip_secrets(strip_unseen(text[:LONGEST_GIVEN]))), longest)


def _cut(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    at = head.rfind(" ")
    return f"{(head[:at] if at > longest // 2 else head).rstrip()}…"


# As it is stored


def state_text(state: WorkingState) -> str:
    """The state as it is stored."""
    return json.dumps(state._asdict(), ensure_ascii=True, separators=(",", ":"))


def stored_state(text: str | None) -> WorkingState:
    """A stored state; nothing where there is none."""
    if not text:
        return NOTHING
    fields = json.loads(text)
    stored = _make_state(fields, int(fields.get("updated_ms", 0)))
    return stored._replace(given=fields.get("given") is True)


# As it is shown


def render_state(state: WorkingState, *, count: Count | None = None, tokens: int = TOKENS) -> str:
    """The state in a few lines, in at most so many tokens; empty if it says nothing.

    Entries grow shorter before lines go, and the task goes last.
    """
    if not state:
        return ""
    size = count or _estimate_tokens
    shorter = [_lines(state, width) for width in _WIDTHS]
    fewer = [shorter[-1][:n] for n in range(len(shorter[-1]) - 1, 0, -1)]
    texts = ("\n".join([TITLE, *lines]) for lines in (*shorter, *fewer))
    return next((text for text in texts if size(text) <= tokens), "")


def _estimate_tokens(text: str) -> int:
    """Tokens where nobody counts them: never fewer than there are characters of other scripts."""
    plain = sum(character.isascii() for character in text)
    return -(-plain // 3) + 2 * (len(text) - plain)


def _lines(state: WorkingState, width: int) -> list[str]:
    lists: Mapping[str, tuple[str, ...]] = {name: getattr(state, name) for name in MOST}
    told = [
        f"{TITLES[name]}: {'; '.join(_show_entry(entry, width) for entry in entries)}"
        for name, entries in lists.items()
        if entries
    ]
    task = _show_entry(state.current_task, min(LONGEST_TASK, 2 * width + 80))
    return [f"Current task: {task}", *told] if task else told


def _show_entry(entry: str, width: int) -> str:
    return _cut(flatten(neutralize(strip_secrets(entry))), width)
