"""Questions about coding sessions, made by rule: what did this request lead to?

A question is put in the words of the person's request. Gold are the messages of the same turn,
written by the agent or a tool, that hold the item: the file first edited, the first command, the
first error, the rarest number, or what was decided. The request itself stays in the index, as it
would be in life, but is not gold. See the README for the rule in full.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import coding
from talks import Question, Said, Talk

Words = Sequence[Said]

WORDS = 30
"""So many words of the request, from its beginning, make the question."""

GOLD = 3
"""At most so many messages are gold for one item, the first ones."""

TELLING = 3
"""A request of fewer different words says too little to be asked about."""

_COMMON = """
    the and that this with for from not don are but was were you can can't what how why when its
    it's let's should would could have has had use make add into them then there these those
"""
COMMON = frozenset(_COMMON.split())

FRAMES = {
    "file": "Which file did we edit for this: {}",
    "command": "Which command did we run for this: {}",
    "error": "What error came up with this: {}",
    "number": "What was the number when we did this: {}",
    "decision": "What did we end up doing about this: {}",
}

_EDIT = re.compile(
    r"^([\w./-]+\.\w+)\n```\w*\n<<<<<<< SEARCH"  # aider
    r"|^The file (\S+) has been (?:updated|created) successfully"  # Claude Code
    r"|```\s*\n(?:edit|create) (\S+)",  # SWE-agent
    re.MULTILINE,
)
_COMMAND = re.compile(
    r"data-tool-name=\"Bash\"[^`]*\n`([^`\n]{6,})`"
    r"|^## Running: ([^\n]{6,})"
    r"|```(?:bash|sh|shell)\n([^\n]{6,})"
    r"|```\s*\n((?:python|pytest|find_file|open|rm|search_dir) [^\n]+)",
    re.MULTILINE,
)
_ERROR = re.compile(
    r"^(?:E +)?((?:[\w.]+)?(?:Error|Exception|NoExactMatch)\b:?[^\n]{0,60}|(?:--- )?FAIL\b[^\n]{3,60}"
    r"|[\w./]+:\d+:\d+: [^\n]{3,60}|Unexpected error: [^\n]{3,60}|(?:- )?E\d{3} [^\n]{3,60})",
    re.MULTILINE,
)
_NUMBER = re.compile(r"(?<![\w./-])(\d{2,}(?:\.\d+)?)(?![\w/-])")
_COMMIT = re.compile(r"^Commit [0-9a-f]{7} (.+)$", re.MULTILINE)
_READS = re.compile(r'data-tool-name="(?:Read|Grep|Glob|Edit|Write)"')
_TELLING = re.compile(r"[A-Za-z]{3,}")


def ask(talk: Talk) -> None:
    """Adds the questions that the talk gives rise to; sittings are dev and test in turn."""
    everywhere = Counter(n for said in talk.said for n in set(_NUMBER.findall(said.content)))
    sittings = {name: n for n, name in enumerate(dict.fromkeys(map(coding.session_of, talk.said)))}
    for request, work in _turns(talk.said):
        part = "test" if sittings[coding.session_of(request)] % 2 else "dev"
        words = coding.request_of(request)
        for kind, gold in _items(request, work, everywhere):
            for form, text in _forms(kind, words):
                name = f"{talk.name}/{request.id}/{kind}/{form}"
                talk.questions.append(Question(name, kind, text, frozenset(gold), part))


def _forms(kind: str, request: str) -> Iterator[tuple[str, str]]:
    """Asked as a person would, and as the bare words that an agent would search for."""
    yield "asked", FRAMES[kind].format(" ".join(request.split()[:WORDS]))
    telling = [w for w in dict.fromkeys(_TELLING.findall(request)) if w.lower() not in COMMON]
    if len(telling) >= TELLING:
        yield "words", " ".join(telling[:6])


def _turns(said: Words) -> Iterator[tuple[Said, Words]]:
    """A request and what was done about it, up to the next word of a person."""
    starts = [n for n, one in enumerate(said) if one.role == "user"] + [len(said)]
    for start, stop in pairwise(starts):
        request = said[start]
        same = coding.session_of(request)
        work = [one for one in said[start + 1 : stop] if coding.session_of(one) == same]
        if work and len(set(_TELLING.findall(coding.request_of(request)))) >= TELLING:
            yield request, work


def _items(request: Said, work: Words, everywhere: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    tools = [said for said in work if said.role == "tool" and not _READS.search(said.content[:200])]
    found = {
        "file": _announced(work, _holding(work, _EDIT)),
        "command": _holding(work, _COMMAND),
        "error": _holding(tools, _ERROR, but=request.content),
        "number": _rare(request, work, everywhere),
        "decision": _decided(work),
    }
    yield from ((kind, gold) for kind, gold in found.items() if gold)


def _holding(work: Words, pattern: re.Pattern[str], but: str = "") -> list[str]:
    """The messages with the first item that the pattern finds and the request does not say."""
    items = (next(filter(None, m.groups())) for s in work for m in pattern.finditer(s.content))
    item = next((item for item in items if item not in but), None)
    return [] if item is None else _first(work, lambda said: _has(said, pattern, item))


def _announced(work: Words, gold: list[str]) -> list[str]:
    """An edit that only a tool reports is told in the agent's words right before it: the first
    report and these words are gold then."""
    places = [n for n, said in enumerate(work) if said.id in gold]
    if not places or work[places[0]].role != "tool":
        return gold
    first = places[0]
    before = [said.id for said in work[max(0, first - 1) : first] if said.role == "assistant"]
    return [*before, work[first].id]


def _has(said: Said, pattern: re.Pattern[str], item: str) -> bool:
    return any(item in match.groups() for match in pattern.finditer(said.content))


def _rare(request: Said, work: Words, everywhere: Counter[str]) -> list[str]:
    """A number that few messages of the whole talk hold, and the request does not."""
    asked = set(_NUMBER.findall(request.content))
    prose = [said for said in work if said.role == "assistant"]
    told = {n for said in prose for n in _NUMBER.findall(said.content)} - asked
    rare = min(sorted(told), key=lambda n: everywhere[n], default=None)
    if rare is None or everywhere[rare] > GOLD:
        return []
    return _first(prose, lambda said: rare in _NUMBER.findall(said.content))


def _decided(work: Words) -> list[str]:
    """The commit where there is one; else the agent's last words, if they are more than a line."""
    commits = _first(work, lambda said: said.role == "tool" and bool(_COMMIT.search(said.content)))
    if commits:
        return commits[:1]
    last = [said for said in work if said.role == "assistant"][-1:]
    return [said.id for said in last if len(said.content.split()) >= 15]


def _first(work: Words, fits: Callable[[Said], bool]) -> list[str]:
    return [said.id for said in work if fits(said)][:GOLD]
