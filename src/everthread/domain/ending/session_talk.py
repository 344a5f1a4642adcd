"""What stands round a statement in its conversation, and decides whether and how it may be told.

A text that was asked for speaks with voices of its own: what a story's "I" did, nobody did. What a
person later takes back or replaces no longer stands. And what the agent reports right after a request
is what came of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning import withdrawals
from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.message_text import bag_of, own_words, typed_request
from everthread.domain.gleaning.open_items.agent_replies import reply_to
from everthread.domain.gleaning.point_changes import Change
from everthread.domain.gleaning.roots import roots
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

from .session_exchanges import Exchange, amending_part, is_changed, is_given_up, is_turned

SENTENCES = 40
"""Of one message of a person that are looked at."""

REPLY = 2_000
"""Characters of a reply in which its outcome is looked for."""

LONGEST_RESULT = 90
"""Characters of an outcome that is quoted."""

TURNS, REVISIONS = 4_000, 200
"""So many replies and so many changes of mind are remembered, the newest."""

EXCHANGES = 400
"""So many exchanges are remembered whole, the newest."""

OPENING = 3
"""Messages of a person, the first, of which one says what the session is for."""

LONGEST_OPENING = 4_000

AFTERTHOUGHT = 12
"""Words of a message that still speaks of the text that was asked for before it."""

LEADS = 3
"""Sentences behind `No, wait.` that say what it means."""

_THING = (
    r"(?:stor(?:y|ies)|tales?|poems?|haikus?|limericks?|essays?|letters?|e-?mails?|speech(?:es)?|"
    r"dialog(?:ue)?s?|scenes?|songs?|lyrics|jokes?|chapters?|articles?|posts?|tweets?|messages?|"
    r"monolog(?:ue)?s?|scripts? for|screenplays?|diary|fables?|novels?|paragraphs?|toasts?|"
    r"cover letters?|press releases?|reviews?|bios?|captions?|slogans?)"
)
_MAKES = (
    r"(?:write|draft|compose|tell|make|create|give|generate|invent|continue|finish|need|want|like)"
)
_NEXT = r"[^\w\n.'’-][^\w\n.]*\w[\w'’-]*"
"""A gap, which begins with no sign that a word may end with, and a word: there is one way to read them."""
_TEXT = lazy_pattern(
    rf"\b{_MAKES}\b(?:{_NEXT}){{0,6}}?[^\w\n.]+(?<!user ){_THING}\b|"
    r"\b(?:translate|rephrase|reword|paraphrase|proofread|role-?play|pretend|imagine)\b|"
    rf"\b(?:an?|another|some|few|more|give|show|provide)(?:{_NEXT}){{0,3}}?[^\w\n.]+"
    r"(?:examples?|samples?)\b|"
    r"\b(?:translation|summary|übersetz\w*|traduis|traduire|traduce|traducir|gedicht|geschichte|"
    r"poème|poema|cuento)\b",
    re.IGNORECASE,
)
_WRITES = lazy_pattern(r"\b(?:re)?writ(?:e|ing)\b(?P<what>[^\n.!?:]{0,60})", re.IGNORECASE)
_BUILT = lazy_pattern(
    r"[`/_]|\b(?:tests?|functions?|code|scripts?|files?|modules?|class(?:es)?|methods?|quer(?:y|ies)|"
    r"parsers?|migrations?|programs?|hooks?|endpoints?|components?|handlers?|wrappers?|to|into|sql|"
    r"docs?|docstrings?|comments?|loops?|it)\b",
    re.IGNORECASE,
)
"""What is written and is no text that speaks for itself."""
_REWORKS = lazy_pattern(
    r"\b(?:make|change|continue|add|shorten|expand|try|give|use|let|put|tell|keep|go|turn|again)\b",
    re.IGNORECASE,
)

_MIND = lazy_pattern(
    r"\A\W*(?:(?:oh|ok|okay|well|hm+|no|nope|and|but|sorry)\b[\s,.!–—-]*)*"
    r"(?:wait|actually|on second thoughts?|correction|scratch|never ?mind|"
    r"(?:I|we)(?:['’]ve| have)? changed (?:my|our) minds?|forget)\b",
    re.IGNORECASE,
)
_BARE = lazy_pattern(
    r"\b(?:changed (?:my|our) minds?|never ?mind|scratch that|forget (?:it|that|about it)|"
    r"on second thoughts?,? no)\b",
    re.IGNORECASE,
)
_DROPS = lazy_pattern(
    r"\b(?:forget|drop|scrap|ditch|skip|abandon|cancel|scratch|never ?mind|no more|stop using|"
    r"instead of|rather than)(?: about)?\s+(?P<what>[^,;.:!?\n]{2,60})",
    re.IGNORECASE,
)
_NONE_OF = lazy_pattern(
    r"(?:\A|(?<=\w)(?=\W{0,9}[,;:.!–—]))\W*+"
    r"(?:(?:actually|wait|sorry|hm+|ok(?:ay)?|but|and|so|then|no)\b[\s,.!–—-]*+)*?"
    r"\bno (?!more\b|longer\b|one\b)(?P<what>[^,;.:!?\n]{2,60})",
    re.IGNORECASE,
)
_TURN = lazy_pattern(
    r"\b(?:forget|drop|scrap|ditch|skip|abandon|cancel|scratch|never ?mind|not|no|don['’]?t|instead|"
    r"rather|wait|actually|second thoughts?|changed|correction|anymore|longer|more|after all|now|"
    r"stop|switch|moved?|make|from now on|doch|statt\w*|nicht|sondern|mejor|ahora|plutôt)\b",
    re.IGNORECASE,
)
"""A word without which nobody changes a mind."""

_DONE = lazy_pattern(
    r"\A\W*(?:done|finished|fixed|all done|it['’]s done|that['’]s done|completed)\b"
    r"\s*(?:[.!:,–—-]|\Z)\s*(?P<rest>.*)\Z",
    re.IGNORECASE | re.DOTALL,
)
_RESULT = lazy_pattern(r"\d|`|\b(?:pass(?:es|ed)?|works?|green|succeed(?:s|ed)?)\b", re.IGNORECASE)


class Revision(NamedTuple):
    """A sentence by which a person may take something back."""

    point: Point
    said: ParsedSentence
    order: int
    turn: int
    """Which of the person's messages it stands in."""
    before: str
    """What the same message says before it."""
    mind: bool
    """Does the message say that she thinks again?"""


class Reply(NamedTuple):
    key: bytes
    at_ms: int
    text: str
    result: str = ""
    """What it tells behind `Done`, in its own words."""


class Talk:
    """A conversation, message by message; what is kept of it is bounded."""

    def __init__(self) -> None:
        self._order: dict[bytes, int] = {}
        self._turn: dict[bytes, int] = {}
        self._composed: set[bytes] = set()
        self._replies: dict[bytes, Reply] = {}
        self._revisions: list[Revision] = []
        self._asker: bytes | None = None
        self._composing = False
        self.opening: list[Point] = []
        """What a person said first, message by message."""
        self.exchanges: list[Exchange] = []
        """What was said and answered, in its order."""

    def hear(self, message: Message) -> None:
        """Take in the next message of a person or of the agent."""
        self._order[message.key] = len(self._order)
        if message.origin == "user":
            self._person(message)
        elif message.origin == "agent":
            self._agent(message)

    def _person(self, message: Message) -> None:
        text = " ".join(own_words(message).split())
        parts = sentences_of(own_words(message))[:SENTENCES]
        self._turn[message.key] = len(self._turn)
        self._asker = message.key
        self.exchanges.append(Exchange(message.key, message.at_ms, tuple(parts)))
        del self.exchanges[:-EXCHANGES]
        goes_on = self._composing and _is_afterthought(text)
        self._composing = goes_on or any(map(asks_text, parts))
        self._revise(message, parts)
        if len(self.opening) < OPENING and (said := _own_request(own_words(message))):
            self.opening.append(Point("request", said, (message.key,), "user", message.at_ms))

    def _agent(self, message: Message) -> None:
        if self._composing:
            self._composed.add(message.key)
        elif self._asker is not None:
            # The last word of a turn tells what came of it.
            self._replies[self._asker] = Reply(message.key, message.at_ms, message.text[:REPLY])
            if len(self._replies) > TURNS:
                del self._replies[next(iter(self._replies))]
            self.exchanges[-1] = self.exchanges[-1]._replace(
                reply=message.key,
                reply_ms=message.at_ms,
                answer=tuple(sentences_of(message.text[:REPLY])),
            )

    def _revise(self, message: Message, parts: Sequence[str]) -> None:
        mind = 0
        for n, part in enumerate(parts):
            mind = LEADS if _MIND.match(part) else mind - 1
            if mind <= 0 and not _TURN.search(part):
                continue
            said = parse_sentence(part)
            if not said.asks:
                point = Point("decision", part, (message.key,), "user", message.at_ms, 0.8)
                order, turn = self._order[message.key], self._turn[message.key]
                before = " ".join(" ".join(parts[:n]).split())
                self._revisions.append(Revision(point, said, order, turn, before, mind > 0))
        del self._revisions[:-REVISIONS]

    def composed(self, point: Point) -> bool:
        """Does it come from a text that the agent wrote because it was asked for one?"""
        return point.by == "agent" and not self._composed.isdisjoint(point.sources)

    def overtaken(self, point: Point, sentence: str) -> bool:
        """Was it taken back in the same breath, or changed or given up with the person's next message?"""
        for n, each in enumerate(self.exchanges):
            if not {each.key, each.reply} & set(point.sources):
                continue
            later = self.exchanges[n + 1] if n + 1 < len(self.exchanges) else None
            if point.by == "user" and is_turned(each.parts, sentence):
                return True
            if later is not None and is_changed(each, later, sentence):
                return True
            if later is not None and point.by == "user" and is_given_up(each, later):
                return True
        return False

    def was_answered(self, point: Point) -> bool:
        """Did the agent say something to that message, which is no question of its own?"""
        said = [each.answer for each in self.exchanges if each.key in point.sources]
        return any(parts and not parse_sentence(parts[-1]).asks for parts in said)

    def change_to(self, point: Point) -> tuple[str, bytes] | None:
        """The sentence by which the person's next message changed what she had asked for, and its message."""
        for each, later in pairwise(self.exchanges):
            if each.key in point.sources and (part := amending_part(later)):
                return part, later.key
        return None

    def replaced(self, point: Point, sentence: str) -> Point | None:
        """The later words by which a person took that sentence back, the last of them."""
        flat = " ".join(sentence.split())
        found = (each for each in reversed(self._revisions) if self._after(each, point, flat))
        return next((each.point for each in found if self._revokes(each, point, flat)), None)

    def retracted(self, point: Point, sentence: str) -> bool:
        """Was it taken back at once, in the same message or the person's next? What is changed long
        afterwards was wanted all the same."""
        flat = " ".join(sentence.split())
        mine = max((self._turn[key] for key in point.sources if key in self._turn), default=0)
        soon = (each for each in self._revisions if each.turn - mine <= 1)
        return any(
            self._after(each, point, flat) and self._revokes(each, point, flat) for each in soon
        )

    def _after(self, each: Revision, point: Point, sentence: str) -> bool:
        newest = max((self._order.get(key, -1) for key in point.sources), default=-1)
        if newest < 0 or each.point.text == sentence:
            return False
        return each.order > newest or (each.order == newest and sentence in each.before)

    def _revokes(self, each: Revision, point: Point, sentence: str) -> bool:
        told = point._replace(kind="decision", text=sentence)
        had = roots(sentence)
        if Change(each.point).retires(told, bag_of(sentence)) or _drops_statement(each, had):
            return True
        turns = [self._turn[key] for key in point.sources if key in self._turn]
        if not turns or each.turn - max(turns) > 1:
            return False
        bare = _BARE.search(each.said.text) is not None or withdrawals.cancels(each.said)
        named = roots(each.said.text) - roots("actually wait forget mind thoughts changed")
        return (each.mind and bool(named & had)) or (bare and not named)

    def answer(self, point: Point, request: str) -> Reply | None:
        """What the agent said to the request, where it reports it as done and nothing to the contrary."""
        reply = self._replies.get(point.sources[-1])
        if reply is None:
            return None
        parts = sentences_of(reply.text)
        if _was_hindered([parse_sentence(part) for part in parts], request):
            return None
        return reply._replace(result=_result(parts))


def _own_request(text: str) -> str:
    """What a person says of her own, without what she pasted; a mere command to a tool is nothing."""
    text = typed_request(text)[:LONGEST_OPENING]
    return " ".join(text[place.start : place.end] for place in stretches(text, own=True))


def sentences_of(text: str) -> list[str]:
    """The sentences of a text that are prose."""
    return [text[place.start : place.end] for place in stretches(text)]


def asks_text(sentence: str) -> bool:
    """Is a text asked for, which then speaks for itself: a story, a letter, a translation, an example?"""
    if _TEXT.search(sentence):
        return True
    return any(
        not _BUILT.search(found["what"]) and _is_request(sentence) and found["what"].strip() != ""
        for found in _WRITES.finditer(sentence)
    )


def _is_request(sentence: str) -> bool:
    """Is the agent to do it? What the person will write herself is no request."""
    said = parse_sentence(sentence)
    return said.asks or (said.orders and not re.match(r"\W*(?:I|we)\b", sentence, re.IGNORECASE))


def _is_afterthought(text: str) -> bool:
    """Is it still about the text: `Shorter, please`? A new order of another kind is not."""
    if len(text.split()) > AFTERTHOUGHT:
        return False
    return not any(
        reads_as_order(part) and not _REWORKS.search(part) for part in sentences_of(text)
    )


def _drops_statement(each: Revision, had: frozenset[str]) -> bool:
    """Does it name what it drops, and is that what was said? Who thinks again may say `no floats`."""
    text = each.said.text
    forms = (_DROPS, _NONE_OF) if each.mind else (_DROPS,)
    dropped = (
        roots(re.split(r"\b(?:and|use|let|but)\b", found["what"])[0])
        for form in forms
        for found in form.finditer(text)
    )
    return any(what and what <= had for what in dropped)


def _result(parts: Sequence[str]) -> str:
    first = _DONE.match(parts[0]) if parts else None
    if first is None:
        return ""
    told = first["rest"].strip() or (parts[1] if len(parts) > 1 else "")
    told = " ".join(told.split()).rstrip(".!")
    plan = reads_as_order(told) or speech.plans(parse_sentence(told))
    fits = len(told) <= LONGEST_RESULT and not set('“”"') & set(told)
    return told if fits and not plan and _RESULT.search(told) else ""


def _was_hindered(said: Sequence[ParsedSentence], request: str) -> bool:
    reply = reply_to(said, request)
    return reply.deferred or not reply.answered or any(_is_negative(each) for each in said)


def _is_negative(each: ParsedSentence) -> bool:
    return speech.defers_work(each) or speech.tells_hindrance(each) or speech.fails(each)
