"""Lines of code that stand in a message without a fence round them: a change, a file, a command's words.

Line by line much of it passes for prose, and would be told as what somebody stated: `path = db_path or
DEFAULT`. A line is code by the form of a statement, with none of the small words that people join their
words with. What is only likely, a comment or a value, is code beside such a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .patterns import lazy_pattern

Range = tuple[int, int]

LONGEST = 400
"""So much of a line is looked at."""

_HINTS = re.compile(r"[=(){};\[\]@<$]|\b(?:class|namespace|import) |:\s*$", re.MULTILINE)
"""Without one of these no line is code."""

_DIFF = re.compile(r"[+-](?![+-])\s?")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s")
_QUOTED = lazy_pattern(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_WORDS = lazy_pattern(
    r"(?<![\w.(])(?:the|an?|you|your|we|our|this|that|these|those|its?|will|would|should|can|could|be|been|"
    r"are|was|were|of|to|have|has|which|when|so|they|there|than|also|now|please|my|on|by|der|die|das|und|"
    r"ein|eine|ist|wird|le|la|les|des|une?|est|el|los|una?|que)(?![\w(=.])",
    re.IGNORECASE,
)
"""People join their words with these; of code only comments and what is quoted do."""

_STATEMENT = lazy_pattern(
    r"""(?:
        (?:async\ )?def\ \w+\s*\( | class\ \w+\s*[(:{] | from\ [\w.]+\ import\s | import\ [\w.{*][^.!?]*$
      | (?:export|public|private|protected|static|const|let|var|func|fn|function|interface|type|enum)\s
        [^.!?]*[;{(=]
      | (?:(?:export|default|public|private|protected|internal|abstract|static|sealed|partial)\s)+
        (?:class|interface|struct|enum|record|void|override)\s\w | namespace\s[\w.\\]+[;{]?$
      | (?:el)?if\ [^:]*[\w)\]"']:$ | (?:for|while|with|except|switch|catch|if)\b.*[=<>()\[\]_.].*[:{]$
      | (?:try|else|finally)\s?[:{]$ | [})]\s*(?:else|catch|finally)\b
      | (?:return|raise|assert|yield|await|throw|del|print|echo|exec)\b\s*\S*[()\[\]{}=_"'.$].*
      | [\w.$\[\]"'*]+(?::\ ?[\w\[\], |.]+)?\s(?:[-+*/|&:]|\?\?|\|\|)?=\s.*[\w)\]}"'][;,]?$
      | [\w$"'.-]+:\s\$?\w+(?:\.\$?\w+)+(?:\([^)]*\))?,$ | [\w$"'-]+:\s["'\d\[{].*,$
      | [\w$.]+\([^)]*\)(?:\.\w+\([^)]*\))*\s*[;,:{]?$ | @\w[\w.]*(?:\(.*\))?$
      | .*[;{]$ | [\])}]+[,;)]*$ | </?\w[^>]*>.*</?\w[^>]*>$ | <\w+[^>]*/?>$ | [\w.\#,\ -]+\{[^}]*\}$
      | if\ .*;\ (?:then|do)$ | (?:else|then|do|fi|done|esac|end)$
    )""",
    re.VERBOSE,
)
_BESIDE = lazy_pattern(
    r"""(?:
        \#(?!\#)\s?\S | //\s?\S | /\*|\*\s | \w+:\s[\w\[\], |.]+(?:\s=\s\S+)?,?$ | [\w"'.\[\]]+,$
      | \w+(?:\.\w+)*$ | .*[=(\[{,:]$ | .*[)\]}]$ | "[^"]*"[,:].*
    )""",
    re.VERBOSE,
)

_LEADS = lazy_pattern(r":\s*$|(?:[^\W_]{2,}[,:]? ){3}|\A\s*$")
"""What stands over code leads to it, unless it is a value or a word."""


def unfenced_code(text: str, fewest: int = 1) -> Iterator[Range]:
    """The stretches of so many lines that are code; the caller took out what is fenced."""
    if _HINTS.search(text) is None:
        return
    lines = [*_lines(text)]
    kinds = [_kind(text[start:end]) for start, end in lines]
    at = 0
    while at < len(lines):
        last = at
        while last + 1 < len(lines) and _goes_on(kinds, last + 1):
            last += 1
        if kinds[at] and "code" in kinds[at : last + 1]:
            first = at
            while kinds[first] != "code" and _LEADS.search(text[slice(*lines[first])]):
                first += 1
            if sum(kind != "empty" for kind in kinds[first : last + 1]) >= fewest:
                yield lines[first][0], lines[last][1]
        at = last + 1 if kinds[at] else at + 1


def _goes_on(kinds: list[str], n: int) -> bool:
    """Does a run of code go on in this line? Over one that is empty only where code follows."""
    if kinds[n] == "empty":
        return kinds[n + 1 : n + 2] == ["code"]
    return kinds[n] in ("code", "beside")


def _lines(text: str) -> Iterator[Range]:
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, at + len(line)
        at += len(line)


def _kind(line: str) -> str:
    bare = line.strip()[:LONGEST]
    if not bare:
        return "empty"
    if (mark := _DIFF.match(bare)) is not None:
        bare = bare[mark.end() :].strip()
    plain = _QUOTED.sub("x", bare) if "'" in bare or '"' in bare or "`" in bare else bare
    if _WORDS.search(plain) is None:
        if _STATEMENT.match(plain):
            return "code"
        inside = line[:2].isspace() and not _ITEM.match(line)
        return "beside" if inside or _BESIDE.match(plain) else ""
    return "beside" if bare.startswith(("# ", "// ")) else ""
