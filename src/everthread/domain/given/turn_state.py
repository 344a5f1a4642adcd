"""The working state as it is read off a turn, where the program does not say it.

From a plan that a tool keeps, from what the tools did and how it ended, and from the sentences of
the reply. Modest on purpose: what is not found stays as it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from typing import NamedTuple

from everthread.domain.conversation.contents import listing, mapping
from everthread.domain.conversation.flow import mappings_in, text_and_rest
from everthread.domain.conversation.messages import BLOCKS, Block, Message, calls_in
from everthread.domain.text.acts.deed_reports import says_only_done, tells_deed
from everthread.domain.text.acts.reports import names_something, tells_state
from everthread.domain.text.acts.speech import (
    ParsedSentence,
    decides,
    defers_work,
    fails,
    leaves_open,
    offers,
    parse_sentence,
    plans,
    promises,
    reports,
    serves,
    speaks_for_user,
)
from everthread.domain.text.acts.word_lists import BASE, NO_VERB, OPENINGS
from everthread.domain.text.fences import flatten
from everthread.domain.text.sentences import bound_text, stretches
from everthread.domain.text.specifics import Specifics

from .usefulness import ENOUGH, telling_words, worth_asking
from .working_state import (
    LONGEST_ENTRY,
    LONGEST_TASK,
    MOST,
    NOTHING,
    WorkingState,
    line_of,
    state_of,
)

HOUR_MS = 3_600_000
FINISHED_HOURS, UNFINISHED_HOURS = 4, 24
"""So long after work it is told in the turns of a talk without any."""

_OUTPUT = 2_000
"""Characters of either end of a tool's output that tell how it ended."""

_FEWEST = 12
"""A shorter request (`go on`, `yes`) names no task."""

_CHECKBOX = re.compile(r"^\s*[-*+]\s+\[([ xX])\]\s+(.+)$", re.MULTILINE)
_DONE = frozenset({"completed", "complete", "done", "finished"})
_NOW = frozenset({"in_progress", "in-progress", "active", "doing", "current"})
_STEP = ("content", "step", "title", "text", "task", "description", "name")
_LOOKS = re.compile(
    r"(?:analy[sz]e|browse|compare|examine|explore|find|grep|inspect|investigate|measure|query|read|review|scan|"
    r"search|study|trace|view|check(?! (?:in|out|off)\b)|look (?:at|up|for|into|through)|"
    r"(?:show|tell) (?:me|us)|(?:count|describe|explain|list|summari[sz]e)(?!.*\b(?:in|on) ))\b"
)
"""To look at something; with some verbs only where no place is named to which it is to be written."""
_DOES = re.compile(r"[\w'-]+ (?:it|them|him|her|the|an?|my|our|up|back|if)\b")
_FOR_MORE = re.compile(
    r"\b(?:so that|before|until|till|unless|if|when|whenever|every|each|needs?|aloud|markup|"
    r"to \w+ (?:it|them|the))\b"
)
"""It is looked at so that something be done."""
_CLAUSES = re.compile(r"[,;:]\s|\b(?:and|then|or|afterwards)\b", re.IGNORECASE)
_DEEDS = frozenset({"edited", "created", "deleted"})


def extract_state(previous: WorkingState, messages: Sequence[Message], now: int) -> WorkingState:
    """The state after a turn of these messages. One without tools adds nothing to it."""
    blocks = [_tool_blocks(message) for message in messages]
    calls = [call for _, own in blocks for call in calls_in(own)]
    reply = next((m.text for m in reversed(messages) if m.origin == "agent" and m.text), "")
    if not calls:
        return _after_talk(_faded(previous, now), reply, now)
    plan = _plan(calls, reply)
    task = _task(messages) or plan.now
    changed = bool(task) and line_of(task, LONGEST_TASK) != previous.current_task
    found = _read_work(blocks, messages, reply, plan)
    # What was ahead and what stood in the way belong to the task they were found in.
    before = previous._replace(next_steps=(), blockers=()) if changed else previous
    current = task or previous.current_task
    if _is_over(current, found, plan, own=changed):
        current = ""
    state = _merge_work(before, found, current, now)._replace(given=previous.given)
    if state.told == previous.told and now - previous.updated_ms < HOUR_MS:
        return previous  # which need not be written anew
    return state


def _faded(state: WorkingState, now: int) -> WorkingState:
    """What was read off work of an earlier session goes once the talk is of other things.

    What somebody was still at outlives the night.
    """
    idle = (now - state.updated_ms) / HOUR_MS
    over = idle > (UNFINISHED_HOURS if state.current_task else FINISHED_HOURS)
    return NOTHING if over and not state.given else state


def _after_talk(previous: WorkingState, reply: str, now: int) -> WorkingState:
    """What was said without any work: a task may be told as done, and how things stood is past."""
    if not (previous.current_task or previous.completed_steps) or not reply:
        return previous
    said = [parse_sentence(sentence) for sentence in _sentences(reply)]
    told = [s for s in said if _tells_done(s)]
    over = any(_speaks_of(s.text, previous.current_task) for s in told if not tells_state(s))
    steps = _replace_states(previous.completed_steps, [s.text for s in told if tells_state(s)])
    if not over and steps == previous.completed_steps:
        return previous
    task = "" if over and not _is_unfinished(said) else previous.current_task
    state = previous._replace(current_task=task, completed_steps=steps)
    return state._replace(updated_ms=now) if state != previous else previous


def _replace_states(steps: Sequence[str], states: Sequence[str]) -> tuple[str, ...]:
    """The steps; where one tells how things stood, what is told of the same now takes its place."""
    newest = states[-1] if states else ""
    stood = [step for step in steps if newest and tells_state(parse_sentence(step))]
    past = [step for step in stood if step != newest and _speaks_of(newest, step, least=1)]
    kept = tuple(step for step in steps if step not in past)
    return (*kept, newest) if past and newest not in kept else kept


def _is_over(task: str, found: _TurnWork, plan: _Plan, *, own: bool) -> bool:
    """Was the task answered or done in this turn, so that nobody is at it any longer?

    `own`: it was asked in this turn. Else only a report of that very thing ends it.
    """
    said, asked = found.said, own and (_only_asks(task) or _only_looks(task))
    if not task or not said or plan.ahead or _is_unfinished(said, answers=asked):
        return False
    if asked:
        return True
    if plan.known or found.failed:
        return bool(plan.done) and not found.failed
    if not own:
        return any(_tells_done(s) and _speaks_of(s.text, task) for s in said)
    return bool(found.completed) or any(map(_tells_done, said))


def _only_looks(task: str) -> bool:
    """Is something only to be looked at, and nothing to be made: `Read the log of run 12`?

    Who was sent for that tells what he found, and no deed.
    """
    parts = (part for sentence in _sentences(task) for part in _CLAUSES.split(sentence))
    clauses = [clause for part in parts if (clause := _without_opening(parse_sentence(part)))]
    if not clauses or _LOOKS.match(clauses[0]) is None or _FOR_MORE.search(task.lower()):
        return False
    return not any(map(_does_more, clauses))


def _does_more(clause: str) -> bool:
    """Is something else to be done in it? `Of the shop` goes on with what was said."""
    first = clause.split(" ", 1)[0]
    if _LOOKS.match(clause) or first in NO_VERB:
        return False
    return first in BASE or _DOES.match(clause) is not None


def _without_opening(clause: ParsedSentence) -> str:
    """Its words from the first on that says anything."""
    return " ".join(dropwhile(OPENINGS.__contains__, clause.words))


def _only_asks(task: str) -> bool:
    """Does it want to know something, and nothing done?"""
    asked = [parse_sentence(sentence) for sentence in _sentences(task)]
    return any(s.asks for s in asked) and not any(s.orders for s in asked)


def _is_unfinished(said: Sequence[ParsedSentence], *, answers: bool = False) -> bool:
    """Does the reply put something off, ask back, fail, or end with what comes next?

    `answers`: to who only asked, that something fails or is not yet done is an answer.
    """
    own = [s for s in said if not offers(s) and not (s.asks and serves(s))]
    if not own or any(s.asks for s in own) or plans(own[-1]) or promises(own[-1]):
        return True
    return not answers and any(defers_work(s) or fails(s) or leaves_open(s) for s in own)


def _tells_done(each: ParsedSentence) -> bool:
    return reports(each) or tells_deed(each)


def _speaks_of(text: str, other: str, least: int = ENOUGH) -> bool:
    """Does it share so many telling words with the other, or all that one has?"""
    one, two = telling_words(text).all, telling_words(other).all
    return len(one & two) >= min(least, len(one), len(two)) > 0


class _Plan(NamedTuple):
    """What a plan says: done, under way, ahead. `known` says that there is one."""

    done: list[str]
    now: str
    ahead: list[str]
    known: bool


class _TurnWork(NamedTuple):
    """What a turn told of its work."""

    said: list[ParsedSentence]
    """The sentences of the reply."""
    completed: list[str]
    ahead: list[str] | None
    """None: nothing was said about it."""
    decisions: list[str]
    files: list[str]
    failed: dict[str, str]
    succeeded: frozenset[str]
    waits: list[str]


def _merge_work(before: WorkingState, found: _TurnWork, task: str, now: int) -> WorkingState:
    states = [text for text in found.completed if tells_state(parse_sentence(text))]
    steps = (*_replace_states(before.completed_steps, states), *found.completed)
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


def _read_work(
    blocks: Sequence[tuple[Message, list[Block]]],
    messages: Sequence[Message],
    reply: str,
    plan: _Plan,
) -> _TurnWork:
    files, ended = _tool_work(blocks)
    said = [parse_sentence(sentence) for sentence in _sentences(reply)]
    working = {} if _only_asks(_asked(messages)) else ended
    done = plan.done or _told_deeds(said) or _deeds(files, working)
    ahead = [s.text for s in said if (plans(s) or leaves_open(s)) and not decides(s)]
    return _TurnWork(
        said=said,
        completed=done,
        ahead=plan.ahead if plan.known else ahead or None,
        decisions=[s.text for by, s in _spoken_sentences(messages) if decides(s) and _owns(by, s)],
        files=[path for path, deed in files.items() if deed != "deleted"],
        failed={_command(cmd): why for cmd, why in ended.items() if why != "ok"},
        succeeded=frozenset(_command(cmd) for cmd, why in ended.items() if why == "ok"),
        waits=[s.text for s in said if defers_work(s)],
    )


def _command(command: str) -> str:
    """By which a command is known again in what stands in the way."""
    return line_of(command, LONGEST_ENTRY // 2)


def _tool_work(
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


def _told_deeds(said: Sequence[ParsedSentence]) -> list[str]:
    """What the reply tells as done, where it names it: `Done.` with what follows it."""
    told: list[str] = []
    for n, each in enumerate(said):
        after = said[n + 1] if says_only_done(each) and n + 1 < len(said) else None
        if after is not None and not (after.asks or plans(after) or _tells_done(after)):
            told.append(f"{each.text} {after.text}")
        elif _tells_done(each) and names_something(each.text):
            told.append(each.text)
    return told


def _deeds(files: Mapping[str, str], ended: Mapping[str, str]) -> list[str]:
    """What was done where nobody told it: files that changed, else commands that went well.

    What was only run to answer a question got nothing done.
    """
    changed = [f"{deed} {path}" for path, deed in files.items() if deed in _DEEDS]
    return changed or [f"ran {_command(cmd)}" for cmd, why in ended.items() if why == "ok"]


def _tool_blocks(message: Message) -> tuple[Message, list[Block]]:
    """The blocks of a message that tell of tools, with both ends of what a tool printed."""
    if not message.form:
        return message, []
    return message, [*map(_shorten_block, (b for b in message.blocks if _is_tool_block(b)))]


def _is_tool_block(block: Block) -> bool:
    return block.get("type") in {"tool_use", "tool_result"}


def _shorten_block(block: Block) -> Block:
    if block.get("type") != "tool_result":
        return block
    text = text_and_rest(block)[0]
    if len(text) > 2 * _OUTPUT:
        text = f"{text[:_OUTPUT]}\n{text[-_OUTPUT:]}"
    return {**block, "content": text}


def _task(messages: Sequence[Message]) -> str:
    """What a person asked for last, if it names anything: its first sentences, as they were said."""
    text = _asked(messages)
    if len(text.strip()) < _FEWEST or not worth_asking(text):
        return ""
    told = " ".join(_sentences(text))
    return told or flatten(bound_text(text))


def _asked(messages: Sequence[Message]) -> str:
    """What a person said last."""
    said = (m.text for m in reversed(messages) if m.origin == "user" and m.text.strip())
    return next(said, "")


def _sentences(text: str) -> Iterator[str]:
    text = bound_text(text)
    return (flatten(text[s.start : s.end]) for s in stretches(text))


def _spoken_sentences(messages: Iterable[Message]) -> Iterator[tuple[str, ParsedSentence]]:
    for message in messages:
        if message.origin in {"user", "agent"} and message.text:
            yield from ((message.origin, parse_sentence(each)) for each in _sentences(message.text))


def _owns(by: str, said: ParsedSentence) -> bool:
    """Who decided it must have said so: an agent's word for a person's will does not count."""
    return by == "user" or not speaks_for_user(said)


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
