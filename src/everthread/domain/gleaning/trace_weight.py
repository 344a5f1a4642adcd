"""How much a line of the ledger matters: what it is, what was done to it, and how often it came up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import log2

from everthread.domain.conversation.messages import TEXT, Message
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.refused_calls import REFUSED, STOPPED

from .command_marks import WENT
from .digest import Trace

LOOKED = 0.7
"""What a command that only looks weighs beside one that does something."""

MENTIONED = 0.6
"""What a command that is only spoken of, or printed, weighs beside one that was run."""

UNTAKEN = 0.4
"""What a name weighs that is spelt like any word, beside one that only a program or a project has."""

FEW = 0.5
"""What a single digit of an agent or a tool weighs beside other numbers: `2 of the 3 places`."""

SCRATCHED = 0.4
"""What a folder or a passing file weighs beside a file."""

WONT = 1.0
"""What a command weighs that the person would not have: whoever goes on must not try it again."""

BY_PERSON = (REFUSED, STOPPED)
"""What a person would not have."""

LOGGED = lazy_pattern(
    r"\s*(?:\[?\d{2,4}[-/]\d\d[-/]\d\d[T ]\d|\[\s*(?:trace|debug|info|message|warn(?:ing)?)\b)",
    re.IGNORECASE,
)
"""So begins a line of a log."""
_DEED: Mapping[str, float] = {
    "edited": 1.0,
    "created": 1.0,
    "deleted": 0.9,
    "failed": 0.5,
    REFUSED: 0.6,
    STOPPED: 0.6,
    "read": 0.3,
}
_SAID: Mapping[str, float] = {"user": 1.0, "agent": 0.7, "tool": 0.4, "system": 0.3}
_KIND: Mapping[str, float] = {
    "command": 0.7,
    "error": 0.8,
    "number": 0.6,
    "identifier": 0.4,
    "url": 0.6,
    "person": 0.6,
}
_PLAIN_NAME = lazy_pattern(
    r"(?!--)[^\w\s]{0,2}[^\W\d_][^\W\d_A-Z]*+(?>(?:[ -][^\W\d_][^\W\d_A-Z]*+)*)[^\w\s]{0,2}"
)
"""Words as a dictionary has them, alone or several, with signs before and after; but not `useMemo`."""
_PASSING = lazy_pattern(r"/(?:tmp|var)/")
_MEASURE = lazy_pattern(
    r"[$€£]?\d[\d.,_]*\s?(?:[kKMGT]i?[bB]?|[nµm]?s|m|h|%|x|\+)?|v?\d+(?:\.\d+)+\S*"
)
_REFERS = lazy_pattern(r"(?:lines?|zeilen?|page|step|item|option|#)\b", re.IGNORECASE)
_LOOKING = "cat grep rg sed head tail less find ls tree awk wc diff jq bat fd cd pwd echo which"
_LOOKS = frozenset(_LOOKING.split())
_DEED_END = lazy_pattern("[:,]")


def trace_value(trace: Trace) -> float:
    """How much a trace matters: what it is, and how often it came up."""
    return trace.weight * frequency(trace.times)


def frequency(times: int) -> float:
    return log2(1 + min(times, 16))


def weigh_trace(kind: str, text: str, note: str, message: Message) -> float:
    who = _SAID[message.origin]
    if kind == "file":
        folder = not note and "." not in text.rpartition("/")[2]
        share = SCRATCHED if folder or _PASSING.match(text) else 1.0
        return share * _DEED.get(file_deed(note), 0.35 * who + 0.1)
    if kind == "command":
        return _run_weight(text, note, message)
    if kind == "number":
        few = FEW if message.origin != "user" and len(text) == 1 else 1.0
        return few * _KIND[kind] * who * _number_worth(text, note)
    if kind == "error":
        return _KIND[kind]
    share = 1.0
    if kind == "url" and not text.startswith("http"):
        share = 0.5
    elif kind == "identifier" and message.origin != "user" and _PLAIN_NAME.fullmatch(text):
        share = UNTAKEN
    return share * _KIND[kind] * who


def is_passing(trace: Trace) -> bool:
    """Is it a name that came up once, and not from the person? It may be any words with capitals."""
    return (
        trace.kind == "identifier"
        and trace.times == 1
        and trace.weight <= UNTAKEN * _KIND["identifier"] * _SAID["agent"]
        and _PLAIN_NAME.fullmatch(trace.text) is not None
    )


def _run_weight(command: str, note: str, message: Message) -> float:
    if note in BY_PERSON:
        return WONT
    run = 1.0 if is_run(note, message) else MENTIONED
    return run * (LOOKED if _only_looks(command) else 1.0) * (0.7 if note in ("", "ok") else 0.9)


def is_run(note: str, message: Message) -> bool:
    """Was a command run there, and not only spoken of?"""
    return bool(note) or (message.origin == "agent" and message.form != TEXT)


def _only_looks(command: str) -> bool:
    """Does it only look? What follows `cd somewhere &&` is what is done."""
    done = WENT.sub("", command)
    return done.split(" ", 1)[0].rpartition("/")[2] in _LOOKS


def _number_worth(number: str, beside: str) -> float:
    """How much a number tells: a measure more than a count, a place in a file or a list least."""
    at = beside.find(number)
    before, after = (
        beside[max(0, at - 8) : max(at, 0)],
        beside[at + len(number) : at + len(number) + 1],
    )
    if _REFERS.search(before) or (before.endswith("(") and after == ")") or LOGGED.match(number):
        return 0.4
    if beside.count("|") > 1:
        return 0.4  # a row of a table: what its cells are, stands at its head
    return 1.0 if not number.isdigit() and _MEASURE.fullmatch(number) else 0.7


def file_deed(note: str) -> str:
    """What was done to a file, in a word."""
    return _DEED_END.split(note, maxsplit=1)[0]
