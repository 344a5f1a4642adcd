"""The working state as it is read off a turn, where the program does not say it.

From a plan that a tool keeps, from what the tools did and how it ended, and from the sentences of
the reply. Modest on purpose: what is not found stays as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.flow import mappings_in, text_and_rest
from everthread.domain.conversation.messages import BLOCKS, Block, Message, calls_in
from everthread.domain.text.fences import flat
from everthread.domain.text.sentences import bounded, stretches
from everthread.domain.text.specifics import Specifics
from everthread.domain.text.speech import (
    Heard,
    decides,
    heard,
    leaves_open,
    of_the_user,
    plans,
    reports,
    unable,
)

from .helped import worth_asking
from .working import LONGEST_ENTRY, LONGEST_TASK, MOST, WorkingState, line_of, state_of

_OUTPUT = 2_000
"""Characters of either end of a tool's output that tell how it ended."""

_FEWEST = 12
"""A shorter request (`go on`, `yes`) names no task."""

_CHECKBOX = re.compile(r"^\s*[-*+]\s+\[([ xX])\]\s+(.+)$", re.MULTILINE)
_DONE = frozenset({"completed", "complete", "done", "finished"})
_NOW = frozenset({"in_progress", "in-progress", "active", "doing", "current"})
_STEP = ("content", "step", "title", "text", "task", "description", "name")
_DEEDS = frozenset({"edited", "created", "deleted"})


def extracted(previous: WorkingState, messages: Sequence[Message], now: int) -> WorkingState:
    """The state after a turn of these messages. One without tools leaves it as it was."""
    blocks = [_light(message) for message in messages]
    calls = [call for _, own in blocks for call in calls_in(own)]
    if not calls:
        return previous
    reply = next((m.text for m in reversed(messages) if m.origin == "agent" and m.text), "")
    plan = _plan(calls, reply)
    task = _task(messages) or plan.now
    changed = bool(task) and line_of(task, LONGEST_TASK) != previous.current_task
    found = _found(blocks, messages, reply, plan)
    # What was ahead and what stood in the way belong to the task they were found in.
    before = previous._replace(next_steps=(), blockers=()) if changed else previous
    state = _merged(before, found, task or previous.current_task, now)
    return state if state[:-1] != previous[:-1] else previous


class _Plan(NamedTuple):
    """What a plan says: done, under way, ahead. `known` says that there is one."""

    done: list[str]
    now: str
    ahead: list[str]
    known: bool


class _Found(NamedTuple):
    """What a turn told of its work."""

    completed: list[str]
    ahead: list[str] | None
    """None: nothing was said about it."""
    decisions: list[str]
    files: list[str]
    failed: dict[str, str]
    succeeded: frozenset[str]
    waits: list[str]


def _merged(before: WorkingState, found: _Found, task: str, now: int) -> WorkingState:
    steps = (*before.completed_steps, *found.completed)
    ahead = before.next_steps if found.ahead is None else found.ahead
    over = found.succeeded | found.failed.keys()
    still = [b for b in before.blockers if not any(b.startswith(f"{cmd} -> ") for cmd in over)]
    blocked = [f"{what} -> {why}" for what, why in found.failed.items()]
    return state_of(
        task,
        {
            "completed_steps": steps,
            "next_steps": ahead,
            "recent_decisions": (*before.recent_decisions, *found.decisions),
            "open_files": (*before.open_files, *found.files),
            "blockers": [*found.waits, *blocked[-MOST["blockers"] :], *still],
        },
        now,
    )


def _found(
    blocks: Sequence[tuple[Message, list[Block]]],
    messages: Sequence[Message],
    reply: str,
    plan: _Plan,
) -> _Found:
    files, ended = _worked(blocks)
    said = [heard(sentence) for sentence in _sentences(reply)]
    done = plan.done or [s.text for s in said if reports(s)] or _deeds(files, ended)
    ahead = [s.text for s in said if (plans(s) or leaves_open(s)) and not decides(s)]
    return _Found(
        completed=done,
        ahead=plan.ahead if plan.known else ahead or None,
        decisions=[s.text for by, s in _spoken(messages) if decides(s) and _owns(by, s)],
        files=[path for path, deed in files.items() if deed != "deleted"],
        failed={_command(cmd): why for cmd, why in ended.items() if why != "ok"},
        succeeded=frozenset(_command(cmd) for cmd, why in ended.items() if why == "ok"),
        waits=[s.text for s in said if unable(s)],
    )


def _command(command: str) -> str:
    """By which a command is known again in what stands in the way."""
    return line_of(command, LONGEST_ENTRY // 2)


def _worked(
    blocks: Sequence[tuple[Message, list[Block]]],
) -> tuple[dict[str, str], dict[str, str]]:
    """What tools did: files and what was done to each, commands and how each ended; newest last."""
    reader = Specifics()
    files: dict[str, str] = {}
    ended: dict[str, str] = {}
    for message, own in blocks:
        light = message._replace(form=BLOCKS, content=json.dumps(own))
        for one in reader.read(light):
            if one.kind == "file" and one.note and not one.note.startswith("failed"):
                deed = files.pop(one.text, "")
                files[one.text] = deed if one.note == "read" and deed else one.note
            elif one.kind == "command" and one.note:
                ended.pop(one.text, None)
                ended[one.text] = one.note
    return files, ended


def _deeds(files: Mapping[str, str], ended: Mapping[str, str]) -> list[str]:
    """What was done where nobody told it: files that changed, else commands that went well."""
    changed = [f"{deed} {path}" for path, deed in files.items() if deed in _DEEDS]
    return changed or [f"ran {_command(cmd)}" for cmd, why in ended.items() if why == "ok"]


def _light(message: Message) -> tuple[Message, list[Block]]:
    """The blocks of a message that tell of tools, with both ends of what a tool printed."""
    if not message.form:
        return message, []
    return message, [*map(_short, (b for b in message.blocks if _of_tools(b)))]


def _of_tools(block: Block) -> bool:
    return block.get("type") in {"tool_use", "tool_result"}


def _short(block: Block) -> Block:
    if block.get("type") != "tool_result":
        return block
    text = text_and_rest(block)[0]
    if len(text) > 2 * _OUTPUT:
        text = f"{text[:_OUTPUT]}\n{text[-_OUTPUT:]}"
    return {**block, "content": text}


def _task(messages: Sequence[Message]) -> str:
    """What a person asked for last, if it names anything: its first sentences, as they were said."""
    asked = [m.text for m in messages if m.origin == "user" and m.text.strip()]
    text = asked[-1] if asked else ""
    if len(text.strip()) < _FEWEST or not worth_asking(text):
        return ""
    told = " ".join(_sentences(text))
    return told or flat(bounded(text))


def _sentences(text: str) -> Iterator[str]:
    text = bounded(text)
    return (flat(text[s.start : s.end]) for s in stretches(text))


def _spoken(messages: Iterable[Message]) -> Iterator[tuple[str, Heard]]:
    for message in messages:
        if message.origin in {"user", "agent"} and message.text:
            yield from ((message.origin, heard(each)) for each in _sentences(message.text))


def _owns(by: str, said: Heard) -> bool:
    """Who decided it must have said so: an agent's word for a person's will does not count."""
    return by == "user" or not of_the_user(said)


def _plan(calls: Sequence[Block], reply: str) -> _Plan:
    """The newest plan that a tool was given, by its shape; else the boxes of the reply."""
    steps: list[tuple[str, str]] = []
    for call in calls:
        given = mapping(call.get("input")) or {}
        steps = next((found for value in given.values() if (found := _steps(value))), steps)
    if not steps:
        steps = [(m[2], " " if m[1] == " " else "done") for m in _CHECKBOX.finditer(reply)]
    done = [text for text, status in steps if status in _DONE]
    now = [text for text, status in steps if status in _NOW]
    ahead = [text for text, status in steps if status not in _DONE | _NOW]
    return _Plan(done, next(iter(now), ""), [*now, *ahead], bool(steps))


def _steps(value: object) -> list[tuple[str, str]]:
    """A list of steps that each say how far they are; nothing where it is something else."""
    items = listing(value) or []
    blocks = mappings_in(items)
    found = [(_step(block), str(block.get("status", "")).lower()) for block in blocks]
    whole = len(blocks) == len(items) and all(text and status for text, status in found)
    return found if whole else []


def _step(block: Block) -> str:
    texts = (block.get(name) for name in _STEP)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")
