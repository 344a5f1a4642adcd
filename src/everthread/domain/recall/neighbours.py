"""What completes a message that was found: the question it answers, the answer to it, the reply to an offer.

A turn may call tools between the question and its answer. These are passed over: the answer is what the
agent said last in the turn, and what it answers is what the turn began with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everthread.domain.conversation.messages import Message
from everthread.domain.text.acts.option_taking import taken_labels
from everthread.domain.text.patterns import lazy_pattern

from .weights import SCANT_WORDS

BRIEF = 30
"""Words of a reply that takes something up; a longer one says itself of what it speaks."""

_REPLIES = lazy_pattern(
    r"\W*(?:yes|yep|yeah|yup|no|nope|nah|ok|okay|sure|agreed|exactly|both|neither|none|do (?:it|that|both)"
    r"|go ahead|ja|nein|doch|genau|gern|beide[sn]?|oui|non|sí|si|да|нет)\b"
)
_ONWARD = lazy_pattern(
    r"\b(?:(?:next|new|another|other|different) (?:topic|subject|question|point|thing)|moving on|change of"
    r" (?:topic|subject)|(?:nächste|neue|andere)[sr]? (?:thema|frage|punkt)"
    r"|(?:autre|nouveau|prochain) (?:sujet|question)|(?:otro|nuevo|siguiente) (?:tema|pregunta))\b"
)


def completing_messages(
    message: Message, earlier: Iterable[Message], later: Iterable[Message]
) -> Iterator[Message]:
    """Those without which it says half: the question before, the answer after.

    A person's reply by a word or two is one, asked or not: "the second" says what became of an offer,
    and says nothing without it. `earlier` begins with its neighbour and goes back, `later` goes on; both
    are read no further than they must be.
    """
    if message.origin == "tool":
        return
    before = _message_before(message, earlier)
    if before is not None:
        yield before
    after = _message_after(message, later) if _speaks(message) else None
    # A question put twice, word for word, stands on both sides of its answer.
    if after is not None and (before is None or before.text != after.text):
        yield after


def _message_before(message: Message, earlier: Iterable[Message]) -> Message | None:
    asks = _asks(message)
    if _opens_turn(message):
        other = _next_message(message, earlier)
        led = other is not None and ((not asks and _asks(other)) or _settles(message, other))
        return other if led else None
    other = None if asks else _turn_opening(message, earlier)
    return other if other is not None and _asks(other) else None


def _message_after(message: Message, later: Iterable[Message]) -> Message | None:
    asks = _asks(message)
    if _opens_turn(message):
        return _answer(later) if asks else None
    other = _next_message(message, later)
    return other if other is not None and (asks or _settles(other, message)) else None


def _opens_turn(message: Message) -> bool:
    """Does it begin a turn: a person's word, or what a program sent in one's place?"""
    return message.role == "user" and message.origin != "tool"


def _speaks(message: Message) -> bool:
    return message.kind == "said" and message.origin != "tool" and bool(message.text.strip())


def _turn_opening(message: Message, earlier: Iterable[Message]) -> Message | None:
    """What the turn of an agent's message began with; else the word of another who spoke before."""
    for other in filter(_speaks, earlier):
        if _opens_turn(other) or other.name != message.name:
            return other
    return None


def _next_message(message: Message, beside: Iterable[Message]) -> Message | None:
    """What was said next to it; none where an agent goes on and only its last word counts."""
    other = next(filter(_speaks, beside), None)
    if other is None or _opens_turn(message) or not _same_speaker(message, other):
        return other
    return None


def _answer(later: Iterable[Message]) -> Message | None:
    """The last word of the agent that spoke next; of a person, the first."""
    said: Message | None = None
    for other in filter(_speaks, later):
        if said is None and _opens_turn(other):
            return other
        if said is not None and not _same_speaker(said, other):
            break
        said = other
    return said


def _same_speaker(one: Message, other: Message) -> bool:
    return (one.role, one.name) == (other.role, other.name)


def _asks(message: Message) -> bool:
    """Does it want an answer? Who names the next topic does."""
    return "?" in message.text or (_opens_turn(message) and _goes_on(message.text))


def _goes_on(text: str) -> bool:
    return len(text.split(None, BRIEF)) < BRIEF and _ONWARD.search(text.lower()) is not None


def _settles(reply: Message, offer: Message) -> bool:
    """Is it a person's reply to what the agent said, that says little by itself?"""
    if reply.origin != "user" or offer.origin != "agent":
        return False
    words = len(reply.text.split(None, BRIEF))
    if words >= BRIEF:
        return False
    lower = reply.text.lower()
    if _REPLIES.match(lower) is not None or bool(taken_labels(lower)):
        return True
    return words <= SCANT_WORDS // 2 and not _asks(reply)
