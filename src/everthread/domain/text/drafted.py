"""Which stretches of an agent's message are a text that it writes for somebody: nothing there is its word.

A letter says `I have decided`, a novel `she had failed him`, and neither tells how things stand. Such a
text is known by what frames it: a line that leads to it, rules round it, a salutation and a closing,
quotation marks, people who speak in it. What an agent writes without any of these reads as its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from .patterns import late

Range = tuple[int, int]

LONGEST_LEAD = 300
"""Characters of a line that leads over to a text."""

LEAST = 20
"""Characters of a text that anybody would draft."""

LONGEST_NAME = 60
"""Characters of a line with a salutation or a name."""

SIGNED = 4
"""Lines of a signature at most."""

_TEXT = (
    r"(?:e-?mails?|mails?|letters?|(?<!error )(?<!commit )(?<!log )messages?|invitations?|invites?|"
    r"drafts?|texts?|"
    r"paragraphs?|passages?|scenes?|chapters?|openings?|dialogues?|poems?|verses?|lyrics|songs?|stor(?:y|"
    r"ies)|"
    r"speech|toast|eulogy|vows|bios?|biography|captions?|slogans?|taglines?|announcements?|"
    r"press release|newsletter|tweets?|posts?|blurbs?|obituary|essay|monologue|excerpt|prologue|epilogue|"
    r"wording|rewrites?|rephrasing|(?:new|revised|shorter|longer|second|third|edited|polished) versions?|"
    r"entwurf|entwürfe|brief|nachricht|einladung|szene|kapitel|absatz|gedicht|rede|geschichte|"
    r"brouillon|lettre|courriel|invitation|scène|chapitre|poème|discours|"
    r"borrador|carta|correo|mensaje|invitación|escena|capítulo|poema|discurso|cuento)"
)
_SHOWS = (
    r"(?:here(?:['’]s| is| are| comes| goes)|below (?:is|are)|this is|how about|something like|try|"
    r"i(?:['’]ve| have)? (?:just )?(?:drafted|written|wrote|rewritten|rewrote|rephrased|reworked|"
    r"put together)|"
    r"hier (?:ist|sind|kommt)|wie wäre es mit|voici|aquí (?:está|tienes|va)|ecco)"
)
_ON = (
    r"(?:,? (?:to|for|of|from|about|with|without|in|on|by|at|as|that|which|where|i|we|you|again|now|then|"
    r"below|"
    r"für|an|über|mit|auf|von|pour|à|de|avec|sur|para|a|con|sobre)\b[^:\n]{0,120}|[ ,]*[(–—-][^:\n]{0,120})?"
)
_LEADS = late(
    r"(?:^|[.!?…]\s+)(?:\W*(?:ok(?:ay)?|sure|certainly|of course|great|done|gladly|gern|claro|"
    r"bien sûr)\b\W*)*"
    rf"(?P<what>{_SHOWS} (?:[^\s:]+ ){{0,6}}?{_TEXT}|(?:[^\s:]+ ){{0,3}}?{_TEXT}){_ON}\s*[:\uff1a][*_]*\s*$",
    re.IGNORECASE,
)
"""A text that is shown, and what may follow its name: a `message format` is no message."""
_OWN = late(
    r"\b(?:changes?|plan|list|summary|steps|options|errors?|logs?|output|tests?|code|files?|function|"
    r"class|query|"
    r"command|schema|config\w*|results?|diff|issues?|problems?|questions?|points|in|on|from)\b",
    re.IGNORECASE,
)
"""Before the name of the text: the agent tells something of it, or it is no prose."""

_RULE = late(r"[^\S\n]*(?:-{3,}|\*{3,}|_{3,}|={3,}|(?:\*\s){3,}|—{2,})[^\S\n]*$", re.MULTILINE)
_SALUTES = late(
    r"^[^\w\n]{0,3}(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to whom it may concern|"
    r"sehr geehrte[rs]?|liebe[rs]?|hallo|guten (?:tag|morgen)|cher|chère|chers|bonjour|madame|monsieur|"
    r"estimad[oa]s?|querid[oa]s?|hola|buen[oa]s (?:días|tardes)|car[oaie]|gentile|egregi[oa]|prezad[oa]s?|"
    r"olá|beste|geachte|уважаем\w+|дорог\w+)\b[^.!?\n:]{0,60}[,!:]?|(?:尊敬的|亲爱的|親愛的).{1,20}|.{1,20}様)"
    r"[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES = late(
    r"^[^\w\n]{0,3}(?:(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)(?: regards| wishes| thanks)?|"
    r"sincerely|regards|"
    r"yours(?: \w+)?|cheers|love|thanks(?: again)?|thank you|take care|respectfully|cordially|"
    r"(?:mit )?(?:freundlichen|besten|lieben|herzlichen|vielen) grü(?:ß|ss)en?|(?:viele|liebe|beste|"
    r"herzliche) "
    r"grü(?:ß|ss)e|lg|mfg|hochachtungsvoll|cordialement|bien à (?:vous|toi)|sincères salutations|"
    r"amicalement|bises|"
    r"(?:un |muchos )?(?:cordiales? )?saludos?(?: cordiales)?|atentamente|un abrazo|cordiali saluti|"
    r"distinti saluti|"
    r"atenciosamente|abraços|"
    r"met vriendelijke groet|[\u0441] уважением)[^\S\n]*[,.!]?|此致|敬礼|敬具|祝好)[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_SUBJECT = late(
    r"^[^\w\n]{0,4}(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|主题|主題|件名)\W{0,3}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
_SAID = (
    r"(?:said|asked|replied|whispered|murmured|answered|shouted|cried|muttered|sighed|sagte|fragte|rief|"
    r"antwortete|flüsterte|dit|demanda|répondit|murmura|dijo|preguntó|respondió|"
    r"contestó|susurró|disse|chiese|rispose|perguntou|respondeu|сказал\w*|спросил\w*)"
)
_TALKED = late(
    rf"[,!?.…—–][\"”»“]\s+(?:(?:[A-ZÀ-Ý][\w'’]+|he|she|they|the \w+|er|sie|elle|il|él|ella|lui|"
    rf"lei)\s+)?{_SAID}\b|"
    r"—\s?(?:dijo|preguntó|respondió|contestó|susurró|disse|chiese|rispose|perguntou|respondeu)\b|"
    rf"[,!?]\s+{_SAID}-(?:il|elle|t-il|t-elle)\b"
)
_COLON = late(r"^[^\n]*[:\uff1a][*_]*[^\S\n]*$", re.MULTILINE)
_NO_PROSE = late(r"\s*(?:```|~~~|[#|>]|(?:[-*+•]|\d{1,3}[.)])\s)")
"""What begins so is code, a list or a table, or is known as a quotation already."""
_MARKS = '"“«„—'
"""Without one of these nobody speaks in a text."""
_OPENS = late(r"^[^\S\n]*[\"“«„]", re.MULTILINE)
_PARAGRAPH = late(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_SPEECH = late(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]")
_TO_READER = late(
    r"\b(?:you|your|i['’](?:d|ll|ve|m)|let me|let['’]s|du|dir|dein\w*|tu|te|vous|votre)\b|"
    r"[:?\uff1a\uff1f]\s*$",
    re.IGNORECASE,
)
_ASKS_READER = late(
    r"\b(?:you|your|i|me|ich|du|je|tu|vous|quieres|te)\b[^.!?]*[?\uff1f]\W*\Z", re.IGNORECASE
)
_AFTERWARDS = late(
    r"\W*(?:let me know|would you like|do you (?:want|like)|want me to|shall i|should i|feel free|"
    r"if you(?:['’]d)?|"
    r"does (?:this|that)|how (?:does|is) (?:this|that)|i(?:['’]ve| have)? (?:kept|left|made|cut|changed|"
    r"added|removed|"
    r"used|tried|avoided|shortened|mentioned|included|aimed|went|can|could)|(?:changes|notes?|what i changed|"
    r"key changes|why)\b.{0,40}[:\uff1a]|it(?:['’]s| is) (?:about )?\d+ words|that(?:['’]s|"
    r" is) (?:about )?\d+ words|"
    r"soll ich|sag mir|möchtest du|ich habe|dis-moi|veux-tu|dime|quieres)",
    re.IGNORECASE,
)
"""How an agent speaks again after it."""


class _Part(NamedTuple):
    """A paragraph."""

    start: int
    end: int
    text: str


def drafts(text: str) -> list[Range]:
    """The stretches, in order; they may touch."""
    if len(text) < LEAST:
        return []
    framed = {*_letters(text), *_between_marks(text)}
    return sorted({*_led(text, framed), *framed, *_told(text)})


def _parts(text: str, at: int = 0) -> list[_Part]:
    found = _PARAGRAPH.finditer(text, at)
    return [_Part(each.start(), each.end(), each[0]) for each in found]


def _led(text: str, framed: Set[Range]) -> Iterator[Range]:
    """What a line leads over to: to the rule below it, or until the agent speaks again.

    Of what is `framed` itself the end is known.
    """
    at = 0
    for line in _COLON.finditer(text):
        if line.start() < at or len(line[0]) > LONGEST_LEAD or _NO_PROSE.match(text, line.end()):
            continue
        parts = _parts(text, line.end()) if leads(line[0]) else ()
        if not parts or any(parts[0].start <= first < parts[0].end for first, _ in framed):
            continue
        ruled = _RULE.match(text, parts[0].start)
        below = _RULE.search(text, ruled.end()) if ruled else None
        at = below.end() if below else _back(parts)
        yield parts[0].start, at


def leads(line: str) -> bool:
    """Does the line lead over to a text that was written for somebody?"""
    if not line.rstrip("*_ ").endswith((":", "\uff1a")):
        return False
    found = _LEADS.search(line)
    return found is not None and _OWN.search(found["what"]) is None


def _back(parts: Sequence[_Part]) -> int:
    """Where the text ends: before the last paragraphs, in which the agent speaks of it."""
    for n in range(1, len(parts)):
        text = parts[n].text
        asks = n == len(parts) - 1 and _ASKS_READER.search(_SPEECH.sub("", text))
        if asks or _AFTERWARDS.match(text) or text.lstrip().startswith("#"):
            return parts[n - 1].end
    return parts[-1].end


def _letters(text: str) -> Iterator[Range]:
    """From a salutation, or the line with the subject before it, to the closing and the name below."""
    if ",\n" not in text and "!\n" not in text and text.isascii():
        return
    at = 0
    while (begin := _SALUTES.search(text, at)) is not None:
        close = _CLOSES.search(text, begin.end())
        if close is None:
            return
        subjects = [s.start() for s in _SUBJECT.finditer(text, at, begin.start())]
        at = _signature(text, close.end())
        # Who only begins with a greeting and ends with thanks may speak to the reader.
        if subjects or text[close.end() : at].strip():
            yield (subjects[-1] if subjects else begin.start()), at


def _signature(text: str, at: int) -> int:
    """After the short lines below a closing, without a full stop: who signs it."""
    end, lines = at, text[at:].split("\n")
    for line in lines[: SIGNED + 2]:
        bare = line.strip()
        if len(bare) > LONGEST_NAME or bare.endswith((".", "?", ":")) or _RULE.match(line):
            break
        at += len(line) + 1
        end = min(at, len(text)) if bare else end
    return end


def _told(text: str) -> Iterator[Range]:
    """A scene: people speak in it. It begins where the agent no longer speaks to its reader."""
    if not any(mark in text for mark in _MARKS) or not _TALKED.search(text):
        return
    parts = _parts(text)
    first = 0
    while first < len(parts) - 1 and not _tells(parts[first].text):
        first += 1
    yield parts[first].start, _back(parts[first:])


def _tells(paragraph: str) -> bool:
    return _TALKED.search(paragraph) is not None or not _TO_READER.search(
        _SPEECH.sub("", paragraph)
    )


def _between_marks(text: str) -> Iterator[Range]:
    """Paragraphs that are nothing but a quotation."""
    if not _OPENS.search(text):
        return
    yield from ((part.start, part.end) for part in _parts(text) if _quoted(part.text.strip()))


def _quoted(paragraph: str) -> bool:
    pairs = {'"': '"', "“": "”", "«": "»", "„": "“”"}
    close = pairs.get(paragraph[:1])
    if close is None or len(paragraph) < 3 or paragraph[-1] not in close:  # noqa: PLR2004 - two marks and a sign
        return False
    return not any(mark in paragraph[1:-1] for mark in close)
