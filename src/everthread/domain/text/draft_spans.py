"""Which stretches of an agent's message are a text that it writes for somebody: nothing there is its word.

A letter says `I have decided`, a novel `she had failed him`, and neither tells how things stand. Such a
text is known by what frames it: rules, quotation marks, a salutation with a closing, people who speak
in turn; and by who leads over to it, or asked for it. Where only a line leads to it, it is one paragraph
at most, and ends where somebody decides, fails or reports. In doubt it is the agent's own word: what is
marked without need was only one fact more, what is lost was perhaps a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from .acts import speech
from .acts.proposals import settles
from .made_up import made_up
from .patterns import lazy_pattern

Range = tuple[int, int]

LONGEST_LEAD = 300
"""Characters of a line that leads over to a text."""

LEAST = 20
"""Characters of a text that anybody would draft."""

LONGEST_NAME = 60
"""Characters of a line with a salutation or a name."""

SIGNED = 4
"""Lines of a signature at most."""

NEAR = 1_000
"""Characters after a closing in which the signature ends."""

SPOKEN = 2
"""Spoken lines of a scene that nobody asked for: one alone may be a quotation."""

_TALE = (
    r"(?:scenes?|chapters?|dialogues?|poems?|verses?|lyrics|songs?|monologue|prologue|epilogue|"
    r"szene|kapitel|gedicht|scène|chapitre|poème|escena|capítulo|poema|cuento)"
)
"""What is told in it never came about."""
_TEXT = (
    rf"(?:{_TALE}|e-?mails?|mails?|letters?|(?<!error )(?<!commit )(?<!log )messages?|invitations?|invites?|"
    r"drafts?|texts?|paragraphs?|passages?|openings?|stor(?:y|ies)|"
    r"speech|toast|eulogy|vows|bios?|biography|captions?|slogans?|taglines?|announcements?|"
    r"press release|newsletter|tweets?|posts?|blurbs?|obituary|essay|excerpt|"
    r"wording|rewrites?|rephrasing|(?:revised|shorter|longer|edited|polished) versions?|"
    r"entwurf|entwürfe|brief|nachricht|einladung|absatz|rede|geschichte|"
    r"brouillon|lettre|courriel|invitation|discours|"
    r"borrador|carta|correo|mensaje|invitación|discurso)"
)
_SHOWS = (
    r"(?:here(?:['’]s| is| are| comes| goes)|below (?:is|are)|how about|something like|try|"
    r"i(?:['’]ve| have)? (?:just )?(?:drafted|written|wrote|rewritten|rewrote|rephrased|reworked|"
    r"put together)|"
    r"hier (?:ist|sind|kommt)|wie wäre es mit|voici|aquí (?:está|tienes|va)|ecco)"
)
_ON = (
    r"(?P<on>,? (?:to|for|of|about|with|without|in|on|by|at|as|that|which|where|i|we|you|again|now|then|"
    r"below|"
    r"für|an|über|mit|auf|pour|à|de|avec|sur|para|a|con|sobre)\b[^:\n]{0,120}|[ ,]*[(–—-][^:\n]{0,120})?"
)
_LEADS = lazy_pattern(
    r"(?:^|[.!?…]\s+)(?:\W{0,20}(?:(?:ok(?:ay)?|sure|certainly|of course|great|done|gladly|gern|claro|"
    r"bien sûr)\b\W*)+)?"
    rf"{_SHOWS} (?P<whose>(?:[^\s:]+ ){{0,6}}?)(?P<kind>{_TEXT}){_ON}\s*[:\uff1a][*_]*\s*$",
    re.IGNORECASE,
)
"""A text that is shown, and what may follow its name: a `message format` is no message."""
_OWN = lazy_pattern(
    r"\b(?:changes?|plan|list|summary|steps|options|errors?|logs?|output|tests?|code|files?|function|"
    r"class|query|"
    r"command|schema|config\w*|results?|diff|issues?|problems?|questions?|points|in|on|from)\b|\w['’]s\b",
    re.IGNORECASE,
)
"""Before the name of the text: the agent tells something of it, it is no prose, or somebody else's."""
_RELAYED = lazy_pattern(
    r"\b(?:from|von|received|got)\b|['’]s (?:e-?mail|mail|letter|message|text|post)\b|"
    r"(?<!\bi )\b(?:sent|wrote|replied|answered|says?|said)\b",
    re.IGNORECASE,
)
"""Somebody wrote it already: what it says is news."""
_SUGGESTS = lazy_pattern(
    r"\b(?:you (?:could|can|might)|something like|how about|du (?:kannst|könntest)|tu peux|puedes)\b"
    r"[^\n]*[:\uff1a][*_]*\s*$",
    re.IGNORECASE,
)
_KIND = lazy_pattern(rf"\b(?:{_TEXT}|{_SHOWS})\b", re.IGNORECASE)
_WRITE = (
    r"\b(?:(?:re)?write|draft|compose|rephrase|reword|polish|schreib\w*|verfass\w*|formulier\w*|entwirf|"
    r"écri\w+|rédige\w*|escrib\w+|redact\w+|scriv\w+|escrev\w+)\b(?:\W+\w+){0,10}?\W+"
)
_ASKED = lazy_pattern(
    rf"{_WRITE}{_TEXT}\b|\b(?:write|reply|respond)(?: back)? to (?!me\b|us\b)\w", re.IGNORECASE
)
_ASKED_TALE = lazy_pattern(
    rf"{_WRITE}(?:{_TALE}|stor(?:y|ies)|novel|geschichte|roman)\b", re.IGNORECASE
)
_I_TELL = lazy_pattern(
    r"\bi(?:['’]ve| have| had| also| just| then| now| already| only| still)* (?:(?!need\b)\w{2,}ed|"
    r"found|saw|read|ran|wrote|made|set|put|took|left|kept|cut|got|went|sent|built|chose|lost|"
    r"could(?: not|n['’]t)|can(?:not|['’]t| not)|did(?: not|n['’]t)|was (?:un)?able)\b|"
    r"\bich (?:habe|konnte|kann|musste)\b|\bj['’]ai\b|\bje n['’]ai\b|\bje ne peux\b|"
    r"\b(?:no pude|he \w+[ai]do|ho \w+[aiu]to|non ho)\b",
    re.IGNORECASE,
)
"""Who writes tells what came of the work."""
_THING = lazy_pattern(r"`|\w://|(?:^|\s)[~.]{0,2}/\w|\w/[\w-]{1,60}[/.]\w|\w\.[a-z]\w{1,4}\b")
"""Code, or a path."""

_RULE = lazy_pattern(
    r"[^\S\n]*+(?:-{3,}|\*{3,}|_{3,}|={3,}|(?:\*\s){3,}|—{2,})[^\S\n]*$", re.MULTILINE
)
_SALUTES = lazy_pattern(
    r"^[^\w\n]{0,3}(?:(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to whom it may concern|"
    r"sehr geehrte[rs]?|liebe[rs]?|hallo|guten (?:tag|morgen)|cher|chère|chers|bonjour|madame|monsieur|"
    r"estimad[oa]s?|querid[oa]s?|hola|buen[oa]s (?:días|tardes)|car[oaie]|gentile|egregi[oa]|prezad[oa]s?|"
    r"olá|beste|geachte|уважаем\w+|дорог\w+)\b"
    r"(?:[^.!?\n:]|\b(?:mr|mrs|ms|dr|prof|hr|fr|sra?|mme)\.){0,60}[,!:]?|(?:尊敬的|亲爱的|親愛的).{1,20}|.{1,20}様)"
    r"[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSES = lazy_pattern(
    r"^[^\w\n]{0,3}(?:(?:(?:with )?(?:best|kind|kindest|warm|warmest|many)(?: regards| wishes| thanks)?|"
    r"sincerely|regards|warmly|fondly|talk soon|hugs|with (?:love|gratitude|appreciation)|"
    r"(?:looking forward|see you)[^.!?\n]{0,40}|"
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
_SUBJECT = lazy_pattern(
    r"^[^\w\n]{0,4}(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|主题|主題|件名)\W{0,3}[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
_SAID = (
    r"(?:said|asked|replied|whispered|murmured|answered|shouted|cried|muttered|sighed|sagte|fragte|rief|"
    r"antwortete|flüsterte|dit|demanda|répondit|murmura|dijo|preguntó|respondió|"
    r"contestó|susurró|disse|chiese|rispose|perguntou|respondeu|сказал\w*|спросил\w*)"
)
_TALKED = lazy_pattern(
    rf"[,!?.…—–][\"”»“]\s+(?:(?:[A-ZÀ-Ý][\w'’]+|he|she|they|the \w+|er|sie|elle|il|él|ella|lui|"
    rf"lei)\s+)?{_SAID}\b|"
    r"—\s?(?:dijo|preguntó|respondió|contestó|susurró|disse|chiese|rispose|perguntou|respondeu)\b|"
    rf"[,!?]\s+{_SAID}-(?:il|elle|t-il|t-elle)\b"
)
_COLON = lazy_pattern(r"^[^\n]*[:\uff1a][*_]*[^\S\n]*$", re.MULTILINE)
_NO_PROSE = lazy_pattern(r"\s*(?:```|~~~|[#|>]|(?:[-*+•]|\d{1,3}[.)])\s)")
"""What begins so is code, a list or a table, or is known as a quotation already."""
_HEADER = lazy_pattern(r"\W*\w[\w -]{0,20}\W{0,3}[:\uff1a]")
_MARKS = '"“«„—'
"""Without one of these nobody speaks in a text."""
_OPENS = lazy_pattern(r"^[^\S\n]*[\"“«„]", re.MULTILINE)
_LINE = lazy_pattern(r"^[^\S\n]*\S[^\n]*", re.MULTILINE)
_PARAGRAPH = lazy_pattern(r"[^\S\n]*\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_SENTENCE = lazy_pattern(
    r"\S[^\n]*?(?:[.!?…]+[\"”»)*_]*(?=\s|$)|[\u3002\uff01\uff1f]|$)", re.MULTILINE
)
_SPEECH = lazy_pattern(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]")
_SPEAKS = lazy_pattern(r"\W{0,3}[\"“«„][^\"”»“\n]*[,.!?…—–][\"”»“]|\s*—")
"""Begins with what somebody says."""
_TO_READER = lazy_pattern(
    r"\b(?:you|your|i['’](?:d|ll|ve|m)|let me|let['’]s|du|dir|dein\w*|tu|te|vous|votre)\b|"
    r"[:?\uff1a\uff1f]\s*$",
    re.IGNORECASE,
)
_NOW = lazy_pattern(
    r"\b(?:is|are|has|isn['’]t|aren['’]t|hasn['’]t|ist|sind|hat|est|sont|es|está|están|hay|è|sono|é|são)\b",
    re.IGNORECASE,
)
"""A scene looks back; who tells how things are reports."""


class _Part(NamedTuple):
    """A paragraph, or a line."""

    start: int
    end: int
    text: str


def drafts(text: str, asked: str = "") -> list[Range]:
    """The stretches, in order; they may touch. `asked`: what a person said before it."""
    if len(text) < LEAST:
        return []
    framed = {*_letters(text, asked), *_between_marks(text, asked)}
    whole = {*made_up(text, asked)}
    return sorted({*_led_ranges(text, framed), *framed, *_scenes(text, asked), *whole})


def leads_to_draft(line: str) -> bool:
    """Does the line lead over to a text that was written for somebody?"""
    return _kind(line) is not None


def beside_kind(line: str) -> str:
    """What the line says beside showing a text, and of what kind it is."""
    return _KIND.sub(" ", line)


def _kind(line: str) -> str | None:
    """Of what kind is the text that it leads over to?"""
    if not line.rstrip("*_ ").endswith((":", "\uff1a")):
        return None
    found = _LEADS.search(line)
    if found is None or _OWN.search(found["whose"]) or _RELAYED.search(found["on"] or ""):
        return None
    return found["kind"]


def _is_tale(line: str) -> bool:
    return re.fullmatch(_TALE, _kind(line) or "", re.IGNORECASE) is not None


def _parts(text: str, pattern: re.Pattern[str], at: int = 0) -> list[_Part]:
    return [_Part(each.start(), each.end(), each[0]) for each in pattern.finditer(text, at)]


def _led_ranges(text: str, framed: Set[Range]) -> Iterator[Range]:
    """What a line leads over to: all between two rules, or else one paragraph.

    Of what is `framed` itself the end is known.
    """
    at = 0
    for line in _COLON.finditer(text):
        if line.start() < at or len(line[0]) > LONGEST_LEAD or _NO_PROSE.match(text, line.end()):
            continue
        first = _PARAGRAPH.search(text, line.end()) if leads_to_draft(line[0]) else None
        if first is None or any(first.start() <= begin < first.end() for begin, _ in framed):
            continue
        ruled = _RULE.match(text, first.start())
        below = _RULE.search(text, ruled.end()) if ruled else None
        if below:
            at = below.end()
            yield first.start(), at
            continue
        first = _PARAGRAPH.search(text, ruled.end()) if ruled else first
        if first and (end := _own_words_start(text, first.span(), tale=_is_tale(line[0]))):
            at = end
            yield first.start(), end


def _own_words_start(text: str, within: Range, *, tale: bool) -> int:
    """Where the text ends: before the first sentence that may be the agent's word; 0 if that is all."""
    end = 0
    for each in _SENTENCE.finditer(text, *within):
        if _may_be_own(_SPEECH.sub("", each[0]), tale=tale):
            return end
        end = each.end()
    return end


def _may_be_own(sentence: str, *, tale: bool) -> bool:
    """Does somebody report, decide or fail in it? In a tale that is so only of who tells it."""
    if _THING.search(sentence) or _I_TELL.search(sentence):
        return True
    if tale:
        return False
    each = speech.parse_sentence(sentence)
    if speech.fails(each) or settles(each) or speech.leaves_open(each):
        return True
    return speech.defers_work(each) or speech.tells_hindrance(each)


def _letters(text: str, asked: str) -> Iterator[Range]:
    """From a salutation, or the line with the subject before it, to the closing and the name below.

    An agent may greet and sign itself: that it is a letter something else must show.
    """
    if ",\n" not in text and "!\n" not in text and text.isascii():
        return
    at = 0
    while (begin := _SALUTES.search(text, at)) is not None:
        close = _CLOSES.search(text, begin.end())
        if close is None:
            return
        start = [begin, *_SALUTES.finditer(text, begin.end(), close.start())][-1].start()
        subject = _subject_start(text, at, start)
        first = start if subject is None else subject
        at = _signature(text, close.end())
        signed = text[close.end() : at].strip()
        above = text[max(0, first - LONGEST_LEAD) : first].rstrip().rpartition("\n")[2]
        leading = above.rstrip("*_ ").endswith((":", "\uff1a"))
        if leading and _RELAYED.search(above):
            continue
        shown = leading or _RULE.match(above) or "[" in signed or _ASKED.search(asked)
        if subject is not None or (signed and shown):
            yield first, at


def _subject_start(text: str, at: int, salute: int) -> int | None:
    """Where the line with the subject begins: but for other lines of that kind nothing follows it."""
    found = [*_SUBJECT.finditer(text, at, salute)]
    if not found:
        return None
    below = text[found[-1].start() : salute].split("\n")
    heads = all(not line.strip() or _HEADER.match(line) or _RULE.match(line) for line in below)
    return found[-1].start() if heads else None


def _signature(text: str, at: int) -> int:
    """After the short lines below a closing, without a full stop: who signs it."""
    end, signed = at, False
    for line in text[at : at + NEAR].split("\n")[: SIGNED + 2]:
        bare = line.strip()
        if len(bare) > LONGEST_NAME or bare.endswith((".", "?", ":")) or _RULE.match(line):
            break
        if (signed and not bare) or _I_TELL.search(bare):
            break
        signed = signed or bool(bare)
        at += len(line) + 1
        end = min(at, len(text)) if bare else end
    return end


def _scenes(text: str, asked: str) -> Iterator[Range]:
    """A scene: people speak in it, and nobody reports.

    What stands round their words belongs to it where a scene was asked for, or a line leads to one.
    """
    if not any(mark in text for mark in _MARKS) or not _TALKED.search(text):
        return
    wanted = _ASKED_TALE.search(asked) is not None
    run: list[_Part] = []
    tale = wanted
    for line in _parts(text, _LINE):
        if _fits_scene(line.text, tale=tale):
            run.append(line)
            continue
        yield from _scene(run, tale=tale)
        run, tale = [], wanted or _is_tale(line.text)
    yield from _scene(run, tale=tale)


def _scene(run: list[_Part], *, tale: bool) -> Iterator[Range]:
    spoken = [line for line in run if _TALKED.search(line.text) or _SPEAKS.match(line.text)]
    if not any(_TALKED.search(line.text) for line in spoken):
        return
    if tale:
        yield run[0].start, run[-1].end
    elif len(spoken) >= SPOKEN:
        yield spoken[0].start, spoken[-1].end


def _fits_scene(line: str, *, tale: bool) -> bool:
    """May the line stand in a scene?"""
    own = _SPEECH.sub("", line)
    if _NO_PROSE.match(line) or _may_be_own(own, tale=tale):
        return False
    return line.lstrip().startswith("—") or not (_NOW.search(own) or _TO_READER.search(own))


def _between_marks(text: str, asked: str) -> Iterator[Range]:
    """Paragraphs that are nothing but a quotation, and are there for somebody to use."""
    if not _OPENS.search(text):
        return
    above = ""
    for part in _parts(text, _PARAGRAPH):
        lines = part.text.rstrip().split("\n")
        quoted = _is_quotation(part.text.strip())
        if quoted and (leads_to_draft(above) or _SUGGESTS.search(above) or _ASKED.search(asked)):
            yield part.start, part.end
        elif (
            len(lines) > 1
            and leads_to_draft(lines[0])
            and _is_quotation("\n".join(lines[1:]).strip())
        ):
            yield part.start + len(lines[0]) + 1, part.end
        above = above if quoted else lines[-1]


def _is_quotation(paragraph: str) -> bool:
    pairs = {'"': '"', "“": "”", "«": "»", "„": "“”"}
    close = pairs.get(paragraph[:1])
    if close is None or len(paragraph) < 3 or paragraph[-1] not in close:  # noqa: PLR2004 - two marks and a sign
        return False
    return not any(mark in paragraph[1:-1] for mark in close)
