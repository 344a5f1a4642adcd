"""Ledger items: what a coding session must not forget, read off the transcripts by rules of the bench.

Files edited, commands run, errors shown, numbers told, requests made. The product has rules of its
own for such things; these here are others, written for measuring and never shared with it.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from matching import Page, content_words, edged, flat
from steps import CARRIED, Step

KINDS = ("file", "request", "command", "error", "number")

MOST = 50
"""Items of a kind drawn from a thread, by seed."""

LONGEST = 80
"""So many characters of a command or an error make the item."""

REQUEST = 30
"""So many words of a request, from the start of its prose, make the item."""

WHOLE = 100
"""Words of a request that is asked for in full; what follows in a longer one is a plan or a paste."""

NEAR = 6
"""Words next to a number, of which two must stand beside it on the same line."""

RARE = 3
"""A number in more messages than this is no evidence, nor one whose line comes so often."""

SUMMED_UP = 5
"""Of a command's output only the last lines are read for numbers: there it sums up."""

_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.M)
_EDITED = re.compile(
    r"^([\w./-]+\.\w+)\n```\w*\n<<<<<<< SEARCH"
    r"|^Applied edit to (\S+)"
    r"|^The file (\S+) has been (?:updated|created)"
    r"|^File created successfully at: (\S+)",
    re.M,
)
_RAN = re.compile(r"^## Running: ([^\n]{4,})|^\$ ([a-zA-Z./~][^\n]{3,})", re.M)
_ERROR = re.compile(
    r"^[^\S\n]*(?:E +)?("
    r"(?:[\w.]+)?(?:Error|Exception)\b:[^\n]{8,}"
    r"|(?:error|fatal|panic|ERROR|FATAL):[^\n]{8,}"
    r"|(?:--- )?FAIL(?:ED)?\b[^\n]{8,}"
    r"|[\w./-]+\.\w+:\d+(?::\d+)?: [^\n]{8,}"
    r"|[\w./-]+: [^\n]*(?:No such file or directory|command not found|Permission denied)"
    r")",
    re.M,
)
_UNIT = r"(?:ms|s|[kKMG]i?B|[kKMx%])"
_NUMBER = re.compile(
    rf"(?<![\w.,/:#+-])(\d+(?:[.,]\d+)+{_UNIT}?|\d{{2,}}{_UNIT}?|\d{_UNIT})(?![\w/:-]|[.,]\d)"
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_CODE = re.compile(r"[{};│\\→]|=\S|^\s*(?:@@|>|\$|\||File \"|<)|\bid='")
_PASTED = re.compile(
    r"^\s*(?:[>|`#$+*=~-]|E  |File \"|at |\d{4}[-/]\d\d|\[\d|(?:def|class|import|from|with|return)\b)"
    r"|[{};]\s*$|^\S+$|\)\s*:$|= <|\w\\\w"
)
_VARYING = re.compile(r"\S*[\d/_.]\S*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_QUIET = frozenset({"Read", "Grep", "Glob", "Edit", "Write", "TaskCreate", "TaskUpdate"})


@dataclass(frozen=True)
class Item:
    kind: str
    text: str
    """What must be found again."""
    step: str
    sentence: str
    """The line or sentence it stands in."""
    before: str
    """The line before it."""
    request: str
    """The words of the person's request that led to it."""
    near: tuple[str, ...] = ()
    """Of a number, the words next to it; of a request, its content words."""
    line: str = ""
    """Of a number, the line as it was written."""
    names: tuple[str, ...] = ()
    """Of a file, what it may be called: a name that is its own here, or its last two parts."""

    def on(self, page: Page) -> bool:
        """Is it on this page?"""
        if self.kind == "file":
            return any(page.holds(name) for name in self.names)
        if self.kind == "request":
            return page.holds_words(self.near)
        if self.kind == "number":
            return page.holds_number(self.text, self.near)
        return page.holds(self.text)

    @property
    def probe(self) -> str | None:
        """Its sentence without it; alone on its line, the line before it and its kind (R-16)."""
        if len(content_words(rest := self._masked(self.sentence))) >= 3:
            return rest
        before = self._masked(self.before)
        return f"{before} {self.kind}" if content_words(before) else None

    def _masked(self, text: str) -> str:
        """The text without the item, whole or by one of its names."""
        text = flat(text)
        for name in (self.text, *self.names):
            text = re.sub(
                rf"\S*{edged(flat(name))}" if self.names else edged(flat(name)), " ", text
            )
        return flat(text)


def read(steps: Sequence[Step]) -> list[Item]:
    """Every item, each once, at its first place."""
    found: dict[tuple[str, str], Item] = {}
    request, last = "", ""
    for step in steps:
        asked = request_of(step)
        if asked:
            request = asked
        for item in _of(step, request, last):
            found.setdefault((item.kind, item.text), item)
        last = _last_line(step) or last
    return _telling(list(_named(found.values())), steps)


def draw(items: Iterable[Item], seed: int = 4, most: int = MOST) -> list[Item]:
    """At most so many of a kind, by seed, before anything is distilled."""
    kinds: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        kinds[item.kind].append(item)
    chance = random.Random(seed)
    return [i for k in KINDS for i in chance.sample(kinds[k], min(most, len(kinds[k])))]


def request_of(step: Step) -> str:
    """The prose by which a person asks for work; empty for commands to the tool and for pastes."""
    text = step.text.removeprefix("/ask ").strip()
    _, issue, rest = text.partition("ISSUE:\n")
    text = rest if issue else text
    if step.role != "user" or step.expanded or text.startswith(("/", "!", "<", CARRIED)):
        return ""
    return next(_prose(_FENCE.sub("\n", text).splitlines()), "")


def whole_request(step: Step) -> str:
    """All the prose of a request, line by line, up to `WHOLE` words."""
    kept, left = list[str](), WHOLE
    for line in _FENCE.sub("\n", step.text).splitlines() if request_of(step) else ():
        words = [] if _PASTED.search(line) else line.split()[:left]
        kept, left = [*kept, " ".join(words)], left - len(words)
    return "\n".join(line for line in kept if line)


def _prose(lines: Sequence[str]) -> Iterator[str]:
    """Two lines of prose that follow each other, or one, where they say enough to be known again."""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        pair = [one for one in (line, below) if one.strip() and not _PASTED.search(one)]
        if not pair or pair[0] is not line:
            continue
        words = " ".join(" ".join(pair).split()[:REQUEST])
        if len(set(content_words(words))) >= 3:
            yield words


def _of(step: Step, request: str, last: str) -> Iterator[Item]:
    if asked := request_of(step):
        words = tuple(dict.fromkeys(content_words(asked)))
        yield Item("request", asked, step.id, "", last, "", near=words)
    yield from _calls(step, request, last)
    yield from _printed(step, request)
    if not step.expanded and step.tool not in _QUIET:
        yield from _numbers(step, request)


def cut(text: str) -> str:
    """The first characters, ending with a whole word: half of one is found nowhere."""
    text = flat(text)
    return text if len(text) <= LONGEST else re.sub(r"\w+$", "", text[: LONGEST + 1]).strip()


def _calls(step: Step, request: str, last: str) -> Iterator[Item]:
    """What a call did. It has no sentence of its own: the words before it lead to it."""
    told = str(step.call.get("description") or "") or last
    if command := str(step.call.get("command") or ""):
        text = cut(command.strip().partition("\n")[0])
        if len(text) >= 4:
            yield Item("command", text, step.id, "", told, request)
    if step.tool in {"Edit", "Write"} and (path := str(step.call.get("file_path") or "")):
        yield Item("file", path, step.id, "", last, request)


def _printed(step: Step, request: str) -> Iterator[Item]:
    """Edits, commands and errors that only the text tells."""
    for found in _EDITED.finditer(step.text) if step.role != "user" else ():
        path = next(filter(None, found.groups()))
        yield Item("file", path, step.id, "", _line_before(step.text, found.start()), request)
    if step.role == "user" or step.tool in _QUIET:
        return
    for found in _RAN.finditer(step.text):
        text = cut(next(filter(None, found.groups())))
        yield Item("command", text, step.id, "", _line_before(step.text, found.start()), request)
    for found in _ERROR.finditer(step.text) if step.role == "tool" else ():
        text = cut(found[1])
        yield Item("error", text, step.id, "", _line_before(step.text, found.start()), request)


def _numbers(step: Step, request: str) -> Iterator[Item]:
    """Numbers told in prose, or where a command sums up; with the words next to them."""
    before, lines = "", _SENTENCE.split(_FENCE.sub("", step.text))
    for line in lines[-SUMMED_UP:] if step.role == "tool" else lines:
        sentence = _BULLET.sub("", line)
        for found in () if _CODE.search(sentence) else _NUMBER.finditer(sentence):
            left = content_words(sentence[: found.start()])[-NEAR // 2 :]
            right = content_words(sentence[found.end() :])[: NEAR // 2]
            near = tuple(word for word in (*left, *right) if not word.isdigit())
            if len(near) >= 2:
                yield Item("number", found[1], step.id, sentence, before, request, near, line)
        before = sentence if content_words(sentence) else before


def _named(items: Iterable[Item]) -> Iterator[Item]:
    """Files under the shortest name that is theirs alone: summaries seldom write whole paths."""
    items = list(items)
    files = {item.text for item in items if item.kind == "file"}
    tails = Counter(PurePosixPath(path).name for path in _distinct(files))
    seen = set[str]()
    for item in items:
        if item.kind != "file":
            yield item
            continue
        path = PurePosixPath(item.text)
        name = path.name if tails[path.name] <= 1 else "/".join(path.parts[-2:])
        if name not in seen:
            seen.add(name)
            yield Item(**{**item.__dict__, "names": (name,)})


def _distinct(files: set[str]) -> Iterator[str]:
    """Without those that are the end of another: the same file, told from another folder."""
    for path in files:
        short = path.removeprefix("./")
        if not any(other != path and other.endswith(f"/{short}") for other in files):
            yield path


def _telling(items: list[Item], steps: Sequence[Step]) -> list[Item]:
    """Without numbers that say nothing: those that are everywhere, and those of a meter.

    A meter's lines are the same but for digits and paths (tokens sent, seconds taken), all the time.
    """
    wanted = {item.text for item in items if item.kind == "number"}
    spread, forms = Counter[str](), Counter[str]()
    for step in steps:
        spread.update(set(_NUMBER.findall(step.shown)) & wanted)
        forms.update({_form(piece) for piece in _SENTENCE.split(step.shown)})
    return [
        item
        for item in items
        if item.kind != "number" or (spread[item.text] <= RARE and forms[_form(item.line)] < RARE)
    ]


def _form(line: str) -> str:
    return flat(_VARYING.sub("0", line))


def _line_before(text: str, at: int) -> str:
    """The last line before this place that says something."""
    lines = text[:at].splitlines()
    return next((line.strip() for line in reversed(lines) if content_words(line)), "")


def _last_line(step: Step) -> str:
    if step.role == "tool":
        return ""
    return _line_before(step.text, len(step.text))
