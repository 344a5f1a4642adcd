"""Which sentences are drawn for the score: decisions, rules, requests and questions that nobody answered.

These rules are the score's own. Were they those of the distiller, it would be asked only for what it
had noticed.
"""

from __future__ import annotations

import re
from collections import deque

from everthread.domain.conversation.messages import Origin
from everthread.domain.text.patterns import late

from .continuity_items import Item, telling

SENTENCE_END = late("(?<=[.!?]) +|(?<=[\u3002\uff01\uff1f])")

SHORTEST, LONGEST = 20, 300
"""Characters of a sentence that is drawn."""

MOST_ASKED = 50
"""Questions that wait at once; of more, the newest."""

_HINTS = late(
    r"decid|decision|let['’]?s|going with|go with|chose|opted|settled|agreed|switch|instead of|rather than|"
    r"always|never|from now|forward|don['’]t|do not|must|prefer|make sure|avoid|todo|still|later|pending|"
    r"follow|open question|next step|not yet|\?|\uff1f|entschieden|immer|niemals|décid|toujours|jamais|"
    r"siempre|nunca|decidi",
    re.IGNORECASE,
)
_DECISION = late(
    r"\b(?:decided|decision (?:is|was)|(?:we|i)(?:['’]ll| will)? (?:go with|stick with|settled on|chose|"
    r"opted|agreed)|let['’]s (?:use|go with|keep|stick|switch)|(?:we|i)(?:['’]re| are|['’]m| am) going with|"
    r"switch(?:ed|ing)? (?:from|to)\b|agreed (?:to|on|that)|\w+ (?:instead of|rather than) \w+|"
    r"entschieden|décidé|decidido)\b",
    re.IGNORECASE,
)
_RULE = late(
    r"^(?:please |and |also |but |so )*(?:always|never|don['’]t|do not|make sure|avoid|from now on|"
    r"going forward|prefer|immer|niemals|toujours|jamais|siempre|nunca)\b|"
    r"\b(?:you|we|it|they|code|tests?|commits?) (?:must|should) (?:always|never|not|only)\b|\bmust not\b|"
    r"\bi (?:always |really )?prefer\b|\bi (?:don['’]t|do not) want\b|\bfrom now on\b|"
    r"\bi want you to (?:always|never)\b",
    re.IGNORECASE,
)
_ONCE = late(
    r"^never mind\b|^(?:you|it|they) (?:always|never)\b|\b(?:yet|right now|for now|today|this time)\b",
    re.IGNORECASE,
)
_WANTS = late(
    r"^(?:(?:and|also|then|now|ok(?:ay)?|so|next)[, ]+)*(?:please|kindly|bitte|por favor|"
    r"s['’]il (?:te|vous) pla[iî]t|i (?:need|want|would like) you to|i['’]d like you to|remind me|add|book|"
    r"build|buy|calculate|change|check|clean|compare|convert|copy|create|delete|deploy|draft|email|"
    r"explain|find|fix|give me|implement|install|list|look (?:at|up|for|into)|make|migrate|move|order|"
    r"plan|prepare|print|refactor|remove|rename|replace|review|rewrite|run|schedule|search|send|set up|"
    r"show me|summari[sz]e|tell me|test|translate|update|upload|write)\b|[, ]please[.!]*$",
    re.IGNORECASE,
)
_REVOKES = late(
    r"\b(?:forget|ignore|drop|scrap|stop|no longer|any ?more|not needed|never mind|"
    r"(?:is|are) (?:fine|ok(?:ay)?|allowed)|you (?:can|may)\b.*\b(?:now|again)|don['’]t (?:have|need) to|"
    r"vergiss|nicht mehr|olvida|ya no|oublie|ne .* plus)\b",
    re.IGNORECASE,
)
_OPEN = late(
    r"\btodo\b|\b(?:still (?:need|have|to be|open)|not yet|next steps?:?|open question|follow[- ]up|"
    r"(?:come back|get back) to|(?:is|are) (?:still )?pending|(?:fix|do|handle|look at) (?:\w+ )?later|"
    r"undecided)\b",
    re.IGNORECASE,
)
_OFFER = late(
    r"^(?:would you like|do you (?:want|need)|is there anything|anything else|shall i)\b",
    re.IGNORECASE,
)


def kind_of(sentence: str, by: Origin) -> str | None:
    """The kind under which the sentence is drawn; None for most."""
    if not SHORTEST <= len(sentence) <= LONGEST:
        return None
    if not _HINTS.search(sentence):
        return "questions" if _wants(sentence, by) else None
    if _asks(sentence):
        return None if _OFFER.match(sentence) else "questions"
    if by == "user" and _RULE.search(sentence) and not _ONCE.search(sentence):
        return "rules"
    if _DECISION.search(sentence):
        return "decisions"
    return "questions" if _wants(sentence, by) or _OPEN.search(sentence) else None


def waits(sentence: str, by: Origin) -> bool:
    """Does it ask for something, so that it is open until somebody answers?"""
    return _asks(sentence) or _wants(sentence, by)


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)]*_` ").endswith(("?", "\uff1f"))


def _wants(sentence: str, by: Origin) -> bool:
    """Does a person ask for it without a question mark?"""
    return by == "user" and _WANTS.search(sentence) is not None


def revokes(sentence: str, rule: str) -> bool:
    """Does a person take the rule back by this sentence: are most of its own words the rule's?"""
    if len(sentence) > LONGEST or not _REVOKES.search(sentence):
        return False
    words, ruled = (telling(text) - _COMMON for text in (sentence, rule))
    return 2 * len(words & ruled) >= max(1, min(len(words), len(ruled)))


_COMMON = telling(
    "always never rule rules forget ignore drop scrap stop longer anymore any more needed mind fine ok okay "
    "allowed use using now again have need said told don't don’t"
)
"""Words that tell of no rule which it is."""

Speaker = tuple[Origin, str | None]
"""Who speaks: as whom, and under which name."""


class Pending:
    """Questions that wait for an answer. Whoever speaks next, and is not who asked, answers them."""

    def __init__(self) -> None:
        self._asked: deque[tuple[Speaker, Item]] = deque(maxlen=MOST_ASKED)

    def turn(self, speaker: Speaker) -> None:
        """Somebody says something."""
        if any(who != speaker for who, _ in self._asked):
            mine = [each for each in self._asked if each[0] == speaker]
            self._asked = deque(mine, maxlen=MOST_ASKED)

    def ask(self, speaker: Speaker, item: Item) -> None:
        self._asked.append((speaker, item))

    def open(self) -> list[Item]:
        return [item for _, item in self._asked]
