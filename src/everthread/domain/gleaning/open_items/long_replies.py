"""What of a reply still stands at its end. An agent tells what it will do, and does it in the same reply.

Where nothing but that is said, it is a promise, or a question that must be answered first. Where more comes
after it, that is what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.message_text import own_words
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

LONG, WORK = 3, 8
"""A longer message that ends in a plan may have answered before; one with more than these tells of work."""

ENDING = 12
"""Letters by which an end is known."""

_TELLING = (
    r"(?:know|tell|explain|show|give|list|share|summari[sz]e|walk|clarify|recap|say|break|be|suggest|propose|"
    r"describe|outline|point|add that|remind|answer)"
)
_LET_ME = lazy_pattern(
    r"^\W*(?:[\w']+[,.!:]? ){0,3}?let(?: me(?>(?: just| also| now| first| quickly| briefly)*) "
    rf"(?!{_TELLING}\b)|(?:'s| us)\b(?! {_TELLING}\b).*[:\uff1a]\W*$)"
)
"""Who lets us know something, or tells it, does no work."""


def closing(sentences: Sequence[ParsedSentence]) -> Sequence[ParsedSentence]:
    """The last ones: what is announced before them is what they tell."""
    return sentences[-LONG:]


def ends_at_work(message: Message, said: Utterance) -> bool:
    """Does the mark of a step stand after the agent's last words? They are read without such marks."""
    return not own_words(message).rstrip().endswith(said.text.rstrip()[-ENDING:])


def goes_about(each: ParsedSentence) -> bool:
    """`Let me read the file`: is it what the agent does next, and has not done?"""
    return not each.asks and _LET_ME.match(each.lower) is not None


def tells_work(sentences: Sequence[ParsedSentence]) -> bool:
    """Is much told, and not only asked?"""
    return sum(not each.asks for each in sentences) > WORK


def hindering(
    sentences: Sequence[ParsedSentence], about: frozenset[str]
) -> Sequence[ParsedSentence]:
    """Those by which work may be put off: what hindered it halfway was overcome, or is told at the end.

    `about`: what the work is; a sentence that names most of it counts wherever it stands. Who asks after
    all that was told asks how to go on. What the agent went about, and told more after that, was overcome.
    """
    steps = [n for n, each in enumerate(sentences[:-1]) if goes_about(each)]
    sentences = sentences[steps[-1] :] if steps else sentences
    if not tells_work(sentences):
        return sentences
    last = len(sentences) - LONG
    return [
        each
        for n, each in enumerate(sentences)
        if not each.asks
        and not speech.promises(each)
        and (n == 0 or n >= last or names_half(about, roots(each.text)))
    ]


def names_half(about: frozenset[str], told: frozenset[str]) -> bool:
    """Is half of it told of?"""
    return bool(about & told) and 2 * len(about & told) >= len(about)


def shows_something(said: Utterance) -> bool:
    """Is it no sentence, and yet something: `95 %`, or code?"""
    return not said.sentences and any(map(str.isalnum, said.text))
