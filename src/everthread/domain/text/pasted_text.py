"""Which stretches of a message somebody only pasted: they are data, and nobody's rule or request.

Marks say it of any text: triple quotes, tags round a passage, a quotation over several lines, an
indented block. Of a person's message the line before says it too: `Summarize this mail:`. What follows
is then another's words, up to the question or the order with which she comes back to her own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice

from .acts.speech import parse_sentence, rules
from .copied_pages import copied_pages
from .patterns import lazy_pattern
from .printouts import printouts
from .unfenced_code import unfenced_code

Range = tuple[int, int]

LONGEST_LEAD = 240
"""Characters of a line that leads over to something pasted."""

LONGEST_TAIL = 300
"""Characters of the last line in which a person speaks again."""

LEAST_PASTED = 200
"""So much must follow a request that does not end in a colon, for that to be what it is about."""

SEVERAL_LINES = 2
"""A line of code that a person types by itself is what she says."""

SIGNS = 3
"""Of a long run of signs that are no letters so many are read; the rest says no more."""

_RUN = lazy_pattern(r"[^\w\s!-~](?:[^\S\n]*[^\w\s!-~]){15,}")
_FENCED = lazy_pattern(
    r"^[^\S\n]*(```|~~~)[^\n]*\n.*?(?:^[^\S\n]*\1[^\n]*$|\Z)", re.DOTALL | re.MULTILINE
)
_QUOTED_LINE = lazy_pattern(r"^[^\S\n]*>[^\n]*$", re.MULTILINE)
_TRIPLE = lazy_pattern(r"(\"\"\"|''')(?:(?!\1).)+\1", re.DOTALL)
_ON_ONE_LINE = lazy_pattern(r"```[^`\n]++```")
SEVERAL = 4
"""Words between fences on one line that make a passage; fewer are a name."""
_OVER_LINES = lazy_pattern(
    r"“[^”\n]*\n[^”]{0,2000}”|«[^»\n]*\n[^»]{0,2000}»|„[^“”\n]*\n[^“”]{0,2000}[“”]|"
    r"(?<=:)\s+\"(?!\")[^\"\n]*\n[^\"]{0,2000}\"(?=\s|$)"
)
_LETTER = lazy_pattern(
    r"^[^\S\n]*(?:\"[^\"\n]{80,4000}\"|“[^”\n]{80,4000}”|«[^»\n]{80,4000}»|„[^“”\n]{80,4000}[“”])[^\S\n]*$",
    re.MULTILINE,
)
"""A whole paragraph in quotation marks: somebody else wrote it, whatever it orders."""
_TAG = lazy_pattern(r"^[^\S\n]*<([A-Za-z][\w:-]*)\b[^>\n]*>", re.MULTILINE)
_WORDS_OF_HERS = lazy_pattern(
    r"user|query|question|task|request|instruction|prompt|rule|goal|requirement|answer|response|result|"
    r"output|final|thought|think|plan|message|content|(?:b|i|u|s|em|strong|a|span|p|div|br|ul|ol|li|h[1-6]|"
    r"font|small|mark|sub|sup|html|body|section|main)$",
    re.IGNORECASE,
)
"""Tags round what its writer says herself, and those that only say how it looks."""

_TEXT = (
    r"(?:e-?mails?|mails?|messages?|letters?|articles?|texts?|pages?|websites?|readme|docs?|documents?|"
    r"documentation|manual|handbook|guide|wiki|posts?|threads?|chats?|conversations?|transcripts?|drafts?|"
    r"essays?|abstracts?|paragraphs?|passages?|excerpts?|quotes?|quotations?|comments?|tweets?|story|poem|"
    r"blog|contract|cv|speech|newsletter|sentences?|lines|strings?|nachricht(?:en)?|brief|artikel|seite|"
    r"entwurf|beitrag|protokoll|absatz|aufsatz|textos?|correos?|mensajes?|carta|artículo|página|borrador|"
    r"textes?|courriels?|lettre|brouillon)"
)
_NAMES_TEXT = lazy_pattern(rf"(?:.*[_:-])?{_TEXT}$", re.IGNORECASE)
_THIS = (
    rf"(?:(?:this|these|that|it|the following|dies(?:e[nmrs]?)?|das|folgenden?|ceci|cela|esto)(?: {_TEXT})?|"
    rf"(?:[\w'’]+ ){{1,4}}{_TEXT})"
)
_TO = (
    r"(?: (?:(?:in)?to|for|from|of|by|in|on|as|about|with|please|that|which|i|we|he|she|they|auf|ins|von|"
    r"nach|en|au|al|de|del|du|por)\b[^:]{0,80})?"
)
_ENDS = r"(?:, [^:]{1,80})?\s*[:：][*_]*$"  # noqa: RUF001 - other scripts
_VERB = (
    r"(?:summari[sz]e|proof-?read|translate|paraphrase|rephrase|reword|critique|spell-?check|copy-?edit|"
    r"tl;?dr|übersetzen?|korrigieren?|zusammenfassen|fasse?|traduis|traduire|traduisez|résume[zr]?|traduce|"
    r"traducir|resume|resumir|corrige|corriger)"
)
_ASIDE = r"(?: (?:me|us|please|bitte|mir|quickly|briefly))*"
_TREATS = lazy_pattern(rf"\b{_VERB}{_ASIDE}(?: {_THIS})?{_TO}{_ENDS}")
_INLINE = lazy_pattern(
    rf"(?:^|[.!?]\s+)(?:[\w']+,? ){{0,4}}?{_VERB}{_ASIDE}(?: {_THIS})?{_TO}\s*:(?=[^\S\n]+\S)",
    re.IGNORECASE,
)
_ASKED = lazy_pattern(
    rf"\b{_VERB}{_ASIDE} (?:this|these|it|the following|the (?:\w+ ){{0,2}}{_TEXT} below){_TO}\s*[.?!]?$"
)
_SOURCE = lazy_pattern(
    rf"(?:^|[.!?] )\W*(?:(?:this|it|copied|pasted|taken|quoted|straight)(?:'s| is| comes)? )*from "
    rf"(?:[\w'’]+ ){{0,4}}{_TEXT}{_TO}{_ENDS}"
    rf"|\b(?:found|got|received|saw|copied|pasted|came across)(?: [\w'’]+){{0,2}}? "
    rf"(?:this|these|(?:the following|an?|the) (?:\w+ ){{0,2}}{_TEXT})(?: {_TEXT})?"
    rf"(?: (?:in|on|from|at|by|online|today|yesterday|here|about)\b[^:]*)?{_ENDS}"
    rf"|\b(?:here(?:['’]s| is| are| comes)|this is|these are|below is|hier (?:ist|sind)|das ist|voici|"
    rf"aquí (?:está|tienes)) (?:[\w'’]+ ){{0,4}}?{_TEXT}{_TO}{_ENDS}"
    rf"|\bwhat do you (?:think|make) (?:of|about) {_THIS}{_TO}{_ENDS}"
    rf"|\bread {_THIS}{_TO}{_ENDS}"
    rf"|(?<!\bi)(?<!\bwe) (?:says?|said|writes?|wrote|reads|states|replied|schrieb|schreibt|sagt|écrit|"
    rf"escribió|dice)(?: [\w'’]+){{0,3}}{_ENDS}"
)
_ABOUT = lazy_pattern(
    rf"\b(?:review|check|look at|analy[sz]e|explain|comment on|reply to|respond to|answer|rewrite|shorten|"
    rf"polish|correct|improve|antworte auf|prüfe?|lies|lee|lis) {_THIS}{_TO}{_ENDS}"
    rf"|^\W*(?:[\w'’]+ ){{0,2}}{_TEXT}\s*:$"
)
"""Of these a list that follows is the writer's own: `Check the page:` and then what to look for."""

_WORK = lazy_pattern(
    r"\b(?:issue|task|ticket|bug|problem|feature|spec|requirement|assignment|exercise|aufgabe)s?\b"
)
"""Who leads over to one of these wants it done: that is the request, whoever wrote it."""

_ITEM = lazy_pattern(r"[^\S\n]*(?:[-*+•]|\d{1,3}[.)])\s")
_BLANK = lazy_pattern(r"\s*")
MOST_LINES, BREAKS = 120, 13
"""Lines that stand for what was taken out, and those without a blank at either end of it."""
_COLON = lazy_pattern(r"[:：][*_]*\s*$")  # noqa: RUF001 - other scripts
_SECTION = lazy_pattern(r"^[A-Z][A-Z ]{2,30}:[^\S\n]*$", re.MULTILINE)
_SENTENCE_ENDS = lazy_pattern(r"(?<=[.!?])\s+")


def pasted_ranges(text: str, *, own: bool, pause: Callable[[], None] = lambda: None) -> list[Range]:
    """The stretches that are pasted; with `own`, also what a person leads over to."""
    # A mark inside of code says nothing of the text round it.
    plain = blank_out(text, list(_spans(_FENCED, text))) if "```" in text or "~~~" in text else text
    code = unfenced_code(plain, SEVERAL_LINES if own else 1)
    found = sorted(chain(_marked_ranges(plain), _indented_ranges(plain), code))
    if not own or ("\n" not in text and ":" not in text):
        return found
    pause()
    hidden = sorted(chain(found, _spans(_FENCED, text), _spans(_QUOTED_LINE, text)))
    led = list(_led_ranges(text, blank_out(text, hidden)))
    pause()
    shown = chain(_letters(plain), copied_pages(plain), printouts(plain, pause))
    return sorted(chain(found, led, shown))


def names_work(text: str) -> bool:
    """Does a person name what she shows as something to be done?"""
    return _WORK.search(text.lower()) is not None


def _letters(text: str) -> Iterator[Range]:
    """Paragraphs that somebody else wrote; a message that is nothing else is what its writer says."""
    for start, end in _spans(_LETTER, text):
        if text[:start].strip() or text[end:].strip():
            yield start, end


def blank_out(text: str, ranges: Sequence[Range]) -> str:
    """The text with empty lines in these places: all else stands where it stood."""
    parts: list[str] = []
    at = 0
    for start, end in ranges:
        if end > at:
            first = max(at, start)
            parts += text[at:first], _empty_lines(end - first)
            at = end
    return "".join((*parts, text[at:])) if parts else text


def _empty_lines(size: int) -> str:
    """So many signs on empty lines: more than any reader counts, and not one for each sign."""
    if size <= MOST_LINES:
        return "\n" * size
    inside = size - 2 * BREAKS
    width = -(-inside // (MOST_LINES - 2 * BREAKS))
    line = f"{' ' * (width - 1)}\n"
    breaks = "\n" * BREAKS
    return f"{breaks}{(line * (inside // width + 1))[:inside]}{breaks}"


def _spans(form: re.Pattern[str], text: str) -> Iterator[Range]:
    return (match.span() for match in form.finditer(text))


def _marked_ranges(text: str) -> Iterator[Range]:
    if '"""' in text or "'''" in text:
        yield from _spans(_TRIPLE, text)
    if "```" in text:
        found = _ON_ONE_LINE.finditer(text)
        yield from (match.span() for match in found if len(match[0].split()) >= SEVERAL)
    if "\n" in text:
        yield from _spans(_OVER_LINES, text)
    if "</" in text:
        yield from _tagged_ranges(text)
    if not text.isascii():
        yield from ((start + SIGNS, end) for start, end in _spans(_RUN, text))


def _tagged_ranges(text: str) -> Iterator[Range]:
    """Passages between two tags; of what the writer says herself only the tags."""
    at = 0
    while (tag := _TAG.search(text, at)) is not None:
        close = text.find(f"</{tag[1]}>", tag.end())
        at = tag.end()
        if close < 0:
            continue
        end = close + len(tag[1]) + 3
        if not _is_own_tag(tag[1], text[: tag.start()] + text[end:]):
            yield tag.start(), end
            at = end
        elif not text[end:].partition("\n")[0].strip():
            yield tag.span()
            yield close, end


def _is_own_tag(tag: str, around: str) -> bool:
    """What stands in a tag alone is the message itself, unless the tag is the name of a text."""
    alone = not around.strip()
    return bool(_WORDS_OF_HERS.search(tag)) or (alone and not _NAMES_TEXT.match(tag))


def _indented_ranges(text: str) -> Iterator[Range]:
    """Blocks that stand further in than the text round them; not what belongs to an item of a list."""
    lines = text.splitlines(keepends=True)
    if not any(map(_is_indented, lines)) or not any(line[:1].strip() for line in lines):
        return
    at, start, count, blank, listed = 0, -1, 0, True, False
    for line in (*lines, "."):
        here, at = at, at + len(line)
        if not line.strip():
            blank = True
            continue
        if _is_indented(line):
            if start < 0 and blank and not listed and not _ITEM.match(line):
                start, count = here, 0
            count += 1
        else:
            # One line further in, with text right below, is how some begin a paragraph.
            if start >= 0 and (blank or count > 1 or here == len(text)):
                yield start, here
            start, listed = -1, _ITEM.match(line) is not None
        blank = False


def _is_indented(line: str) -> bool:
    return line.startswith(("    ", "\t")) and bool(line.strip())


def _led_ranges(text: str, bare: str) -> Iterator[Range]:
    """What a line of a person's leads over to. In `bare` what is marked already does not stand."""
    at, until = 0, 0
    for line in bare.splitlines(keepends=True):
        here, at = at, at + len(line)
        if here < until or not line.strip():
            continue
        if (inline := _INLINE.search(line)) is not None and not _COLON.search(line):
            yield here + inline.end(), at
        elif (first := _next_line_start(text, bare, at)) and (
            end := _pasted_end(line, bare, at, first)
        ):
            until = end
            yield at, end


def _next_line_start(text: str, bare: str, at: int) -> int:
    """Where the next line begins that says something; 0 if it is known as pasted already."""
    blank = _BLANK.match(text, at)
    first = blank.end() if blank else at
    return first if first < len(text) and not bare[first].isspace() else 0


def _pasted_end(line: str, bare: str, at: int, first: int) -> int:
    """Where the pasted text ends to which this line leads; 0 if it leads to none."""
    lead = " ".join(line[-LONGEST_LEAD:].lower().replace("’", "'").split())
    listed = _ITEM.match(bare, first) is not None
    if names_work(lead):
        return 0
    if not _COLON.search(lead):
        long = bare.count("\n", at, first) > 0 and len(bare) - first >= LEAST_PASTED
        return _own_words_start(bare, at) if long and not listed and _ASKED.search(lead) else 0
    if _TREATS.search(lead) or _SOURCE.search(lead):
        return _list_end(bare, at) if listed else _own_words_start(bare, at)
    return _own_words_start(bare, at) if not listed and _ABOUT.search(lead) else 0


def _list_end(bare: str, at: int) -> int:
    """After the last item of a list, and the lines that belong to it."""
    end, blank = at, False
    for line in bare[at:].splitlines(keepends=True):
        inside = _ITEM.match(line) or line[:1].isspace() or not blank
        if line.strip() and not inside:
            break
        blank = not line.strip()
        at += len(line)
        end = end if blank else at
    return end


def _own_words_start(bare: str, at: int) -> int:
    """Where the person speaks again: in the last line, if that asks, or orders and makes no rule.

    If what she pasted stands in a section with a heading, it ends where the next section begins.
    """
    sections = list(islice(_SECTION.finditer(bare, at), 2))
    if sections and not bare[at : sections[0].start()].strip():
        return sections[1].start() if len(sections) > 1 else len(bare)
    body = bare[at:].rstrip()
    line = body.rpartition("\n")[2]
    end = at + len(body)
    start = end - len(line)
    apart = not bare[at : max(at, start - 1)].rpartition("\n")[2].strip()
    if not bare[at:start].strip() or len(line) > LONGEST_TAIL:
        return end
    said = [parse_sentence(each) for each in _SENTENCE_ENDS.split(line.strip())]
    ends = (said[0], said[-1])
    asks = any(each.asks or (apart and each.orders and not rules(each)) for each in ends)
    return start if asks else end
