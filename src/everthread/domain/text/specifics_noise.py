"""What looks like a specific and tells nothing: a plain word, a heading, an entry's number, a choice.

Whoever goes on from a list of names and files reads it only if it holds little else. Where it is not
plain that something is noise, it is kept.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .acts.word_lists import BASE
from .patterns import lazy_pattern
from .specifics_shapes import CALENDAR

_PLAIN = """
    any all none null nil true false undefined void unknown never let const var def function func class
    return await async import export default from new this self super static public private
    string number boolean object array list dict map int float char bool
    on off yes no ok info warn warning error debug trace log logs fatal
    get put post head options true main master dev prod test tests build lint start stop run serve
    name names type types value values key keys data text content body title status path paths file files
    folder doc docs document documents code output input result results message messages user users item
    items page pages config settings option params props state count size length index date time
    process console process tasks pipeline framework component components handle event events
"""
PLAIN = frozenset(_PLAIN.split()) | BASE
"""Words of every dictionary and of every program: between backticks they are still only words."""

_TOOLS = """
    old_string new_string replace_all file_path notebook_path tool_use tool_result tool_use_id tool_calls
    TodoWrite MultiEdit NotebookEdit WebFetch WebSearch ExitPlanMode BashOutput apply_patch
    offset_limit head_limit output_mode run_in_background subagent_type
"""
TOOLS = frozenset(_TOOLS.split())
"""Names of a harness's tools and of what they are given: of the harness, and not of the work."""

_UNITS = "dB dBm dBA kHz MHz GHz kW kWh mAh mW kV mV kJ eV kPa hPa mL pH PhD"
NO_NAMES = TOOLS | frozenset(_UNITS.split()) | {"NoneType"}
"""What is spelt like a name in a program and names nothing: also units, and what an error says of it."""

_FOLDERS = """
    api app apps assets backend bin build client cmd common components config core data dist docs domain
    etc examples features frontend hooks include infra internal lib libs migrations models modules
    node_modules packages pages pkg plans plugins public resources routes scripts server services shared
    spec specs src static store styles target templates test tests tmp tools ui usr utils var vendor views
    web workflows
"""
FOLDERS = frozenset(_FOLDERS.split())
"""Names of folders: one of them makes a row of words with slashes a path, and not a choice of words."""

_OPENERS = """
    the a an ok yes no not please thank thanks dear hi hello hey sorry meet met ping invoice remind contact
    today
    yesterday tomorrow now then next last also maybe when while where why how what who because after before
    if since until once we you he she they it his her their our my your its all both each every some
    these those there here see just only even still however although though let paid booked sent asked told
    and but or so as in on at for from with by of to
"""
OPENERS = frozenset(_OPENERS.split())
"""Words with which a sentence begins, before a name as before any other."""

ROUTE = lazy_pattern(
    r"/(?:api|v\d+|rest|graphql|rpc|oauth2?|auth|ws|webhooks?)(?:/[\w.{}:@\[\]-]+)*/?"
)
"""Where a server answers: a name that is told, and no file."""

_ROOTS = """
    Applications Library System Users Volumes app bin boot code data dev etc home lib lib64 media mnt nix opt
    private proc project projects repo root run sbin srv sys testbed tmp usr var work workdir workspace
    workspaces
"""
ROOTS = frozenset(_ROOTS.split())
"""With these the paths of a machine begin; with others, and no file at the end, those of a server."""

_ONLY_EXIT = lazy_pattern(
    r"(?:[A-Za-z]{1,20}[:!]? ){1,4}(?:with )?(?:exit )?(?:code|status) -?\d+\.?", re.IGNORECASE
)
"""That something ended badly, and nothing else."""

_TYPE = (
    r"(?:str|string|int|bool|boolean|number|any|Any|None|null|undefined|unknown|void|object|dict|Dict|list|List|"
    r"Optional|Union|Promise|Error|Exception)"
)
_DECLARES = lazy_pattern(rf"\w*: {_TYPE}(?:[\[\]<>|, ]+{_TYPE})*[\[\]>]*(?: = \S+)?[,;]?")
"""A field and its type: `error: str | None = None`."""

_FILLED_LATER = lazy_pattern(r"(?<![/$#])[$#]?\{\w[\w.!]*(?:\(\))?\}|%[sd]\b")
"""A place in a program's text: `Error: {reason}`; not in a route that an error names: `/beds/{id}`."""

_CAPTION = lazy_pattern(r"[A-Za-z][A-Za-z ]{0,39}: \d+(?:, [A-Za-z][A-Za-z ]{0,39}: \d+)*")
_MARKS = lazy_pattern(r"[\s#*_>(\[-]*")
_CHOICE = lazy_pattern(r"[^\W\d_]+(?:/[^\W\d_]+){2,}")
_FUNDING = lazy_pattern(r"\bpackages? (?:are|is) looking for funding\b")
_FIGURE = lazy_pattern(r"(?:0x)?[\d.]+[a-z]{0,2}")
"""`0.2f`, `16px`: a number, told as one."""
_PRINTED_AT = lazy_pattern(r":\d+:\d+$")
_TITLE_NUMBER = lazy_pattern(r"[\W_]{0,12}[A-Z][a-z]{1,20} (?=1?\d[*_]*(?:[:.)]|\s?[—–-]\s|$))")
"""Before the number of a part: `### Section 3: …`."""
_TITLE_WORD = lazy_pattern(r"[^\W\d_]{4,}")
_DIGITS = lazy_pattern(r"\d+")
TITLED = 0.6
"""Of the longer words of a heading so many begin with a capital."""


def is_plain(word: str) -> bool:
    """Is it a word that names nothing by itself, although somebody set it in backticks?"""
    return word in PLAIN or word in TOOLS


def one_name(text: str) -> str:
    """`f()` is `f` where its spelling alone tells that it is a name; `find()` stays what it is."""
    bare = text.removesuffix("()")
    return bare if bare != text and re.search(r"[a-z0-9][A-Z]|\w_\w", bare) else text


def is_worth(text: str) -> bool:
    """May what stands between backticks be kept as a name?"""
    shortest, longest = 3, 80
    fits = shortest <= len(text) <= longest and any(c.isalpha() for c in text)
    return fits and not is_plain(text) and "://" not in text and not _FIGURE.fullmatch(text)


@lru_cache(maxsize=2)  # each name in it asks; what a tool printed is not kept for longer
def is_heading(sentence: str) -> bool:
    """Is every word of it written with a capital because it is a heading?"""
    said = sentence.strip(" #*_-:")
    if not said or said[-1] in ".!?。" or sentence.rstrip()[-1] in ".!?。":
        return False
    words = _TITLE_WORD.findall(said)
    raised = sum(word[0].isupper() for word in words)
    marked = sentence.lstrip()[:1] == "#"
    return raised > (not marked) and raised >= TITLED * len(words)


def is_opener(word: str) -> bool:
    """Does a sentence begin with it, before a name as before anything else?"""
    lower = word.lower()
    return lower in BASE or lower in OPENERS or word in CALENDAR


def is_label(sentence: str, token: re.Match[str]) -> bool:
    """`1.`, `(21)`, `## 2.` before an entry of a list or a heading; or what no work is about."""
    if "funding" in sentence and _FUNDING.search(sentence):
        return True
    if not _MARKS.fullmatch(sentence, 0, token.start()):
        titled = _TITLE_NUMBER.match(sentence)
        return titled is not None and titled.end() == token.start()
    return token[0][-1] in ".:" or sentence[token.end() : token.end() + 1] in (")", "]")


def is_path(word: str, last: str) -> bool:
    """Does it read as a path although its end has no known extension: not `and/or`, not 24/7?"""
    if not any(c.isalpha() for c in word) or word.startswith(("//", "node:")):
        return False
    if word.startswith(("./", "../", "~/")):
        return len(word) > 3  # noqa: PLR2004 - ../ alone
    parts = [part for part in word.split("/") if part]
    numbered = len({_DIGITS.sub("", part) for part in parts}) == 1 < len(parts)
    if numbered or "." in parts[0][1:]:  # V2/V3; a host, as in example.org/a/b
        return False
    if word[0] == "/":
        return len(parts) > 1 and len(last) != 1 and (parts[0] in ROOTS or parts[0][0] == ".")
    if len(parts) < 3 or not all(part[0].isalnum() or part[0] in "._" for part in parts):  # noqa: PLR2004 - shorter tells nothing
        return False
    return word[-1] == "/" or any(map(_is_folder_name, parts))


def _is_folder_name(part: str) -> bool:
    """Is it spelt as folders are, and words between which one may choose are not?"""
    return part in FOLDERS or any(c.isdigit() or c in "._-" for c in part)


def is_choice(word: str) -> bool:
    """Words to choose from, `new/changed/removed`; or a place inside the interpreter itself."""
    return word.startswith("node:") or _CHOICE.fullmatch(word) is not None


def bare_key(word: str, after: str) -> str:
    """`notAfter=May 29 …`: where a date goes on behind the space, the key alone is one thing."""
    key, _, value = word.partition("=")
    return key if key and value.isalpha() and after[:1] == " " and after[1:2].isdigit() else word


def is_caption(line: str) -> bool:
    """Is it nothing but counts with their labels, as a tool writes them above what it shows?"""
    return line[-1:].isdigit() and _CAPTION.fullmatch(line.lstrip()) is not None


def unquoted(text: str) -> str:
    """Without the quotes round it; a quote that ends its last word belongs to that."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1].strip() if quoted and text[0] not in text[1:-1] else text


def unmarked(word: str) -> str:
    """Without the marks of what is bold, where only its first or its last word has them; not `__dirname`."""
    bare = word.removeprefix("__") if word.startswith("__") else word.removesuffix("__")
    return bare if bare.istitle() and bare.isalpha() else word


def is_no_error(text: str) -> bool:
    """Is it only what a program ended with, or a line of one that names errors?"""
    if _ONLY_EXIT.fullmatch(text) or _DECLARES.fullmatch(text):
        return True
    return _FILLED_LATER.search(text) is not None


def is_link(word: str, token: re.Match[str]) -> bool:
    """Is it where something is found? Not a key of a file (`example.org/role: x`), nor a line that ran."""
    if "://" not in word and token[0].endswith(":"):
        return False
    return _PRINTED_AT.search(word) is None


def names_error(token: re.Match[str]) -> bool:
    """`TypeError: …` names the error that the same line tells whole."""
    return token[0].endswith(("Error:", "Exception:"))


def is_address(word: str) -> bool:
    """Does a person have it? A picture for two screens, `a@2x.png`, has nobody, nor has `git@…`."""
    name, _, host = word.partition("@")
    return name != "git" and not host.lower().endswith((".png", ".jpg", ".jpeg", ".gif", ".webp"))
