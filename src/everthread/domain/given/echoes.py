"""Of what a person said and the agent's nod to it, the person's words tell enough."""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.recall.hits import Hit
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

from .packing import BESIDE
from .question_check import is_question
from .usefulness import telling_words

NODDED = 0.6
"""The share of the telling words of a nod that the person had said; the rest is `Understood`."""

OPENING = 2
"""So many words open a nod, and tell only that it was heard."""

_JOINTS = lazy_pattern(r"[:/=@#-]")
_WORD = lazy_pattern(r"[^\W_]+(?:['’]\w+)?")
_DENIES = lazy_pattern(r"(?:no|not|never|without|nicht|kein\w*|nie|ohne|\w+n['’]t)")
_OWN = lazy_pattern(
    r"(?:but|however|except|done|ready|works?|finished|now|already|aber|fertig|\w+ed)"
)
"""What an agent says of its own: that it is otherwise, or that it was done."""


def is_nod(reply: str, said: str) -> bool:
    """Does the reply only say again what was said? A name or a number of its own is news, and so is what
    answers a question."""
    if "?" in said or "?" in reply:
        return False
    words, low = telling_words(reply), said.lower()

    def heard(word: str) -> bool:
        return all(part in low for part in _JOINTS.split(word))

    if not words.all or not all(map(heard, words.named)):
        return False
    said_words, own_words = _WORD.findall(low), _WORD.findall(reply.lower())
    if any(map(_OWN.fullmatch, set(own_words[OPENING:]) - set(said_words))):
        return False
    if any(map(_DENIES.fullmatch, own_words)) and not any(map(_DENIES.fullmatch, said_words)):
        return False
    return sum(map(heard, words.all)) >= NODDED * len(words.all)


def without_echoes(hits: Sequence[Hit]) -> list[Hit]:
    """The hits without what tells nothing beside the others: the agent's nods to some of them, what another
    one shows beside it (the question above its answer, the answer below its question), and what the agent
    asked where no answer is shown."""
    said = [hit for hit in hits if _origin(hit) == "user"]
    kept: list[Hit] = []
    for hit in hits:
        nods = _origin(hit) == "agent" and any(_nods_to(hit, each) for each in said)
        if not nods and not _only_asks(hit) and not any(_shows(better, hit) for better in kept):
            kept.append(hit)
    return kept


def _only_asks(hit: Hit) -> bool:
    """Is it a question of the agent's, and nothing else, whose answer is not beside it?"""
    if hit.kind != "message" or _origin(hit) != "agent" or not is_question(hit.text):
        return False
    return len(stretches(hit.text)) <= 1 and all(m.at_ms <= hit.at_ms for m in hit.context)


def _origin(hit: Hit) -> str | None:
    return hit.origin or next((m.origin for m in hit.messages), None)


def _nods_to(reply: Hit, said: Hit) -> bool:
    if not reply.messages or not said.messages:
        return False
    one, other = reply.messages[0], said.messages[-1]
    # With nothing in between: whoever ran a tool reports what came of it.
    follows = one.thread_ref == other.thread_ref and one.seq == other.seq + 1
    return follows and is_nod(reply.text, said.text)


def _shows(hit: Hit, other: Hit) -> bool:
    """Does the one quote the other whole beside it, and all that stands beside that?"""
    if other.kind != "message" or not other.messages or len(other.text) > BESIDE:
        return False
    told = {message.key for message in (*hit.messages, *hit.context)}
    return all(message.key in told for message in (*other.messages, *other.context))
