"""What a person says after a question of the agent, and that does not answer it.

Asked `Shall I add a lamp?`, who says `the bell is still too loud` speaks of something else. It begins with no
yes or no, and shares no word with the question. Of several questions, one is answered by its own words:
the last is not, where another shares more of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.option_taking import names_label
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

ASKED, ENDS = 3, 8
"""Sentences at the end of a message in which it asks, and in which it asks several things."""

NOD = 5
"""Words at the beginning of a sentence that says yes or no; some say so at its end."""

_OPEN = lazy_pattern(
    r"\b(?:which|what|how|where|when|who|whose|why|welche\w*|was|wie|wo|wann|wer|warum|qué|cuál\w*|cómo|dónde|"
    r"cuándo|quién|quel\w*|quoi|comment|où|quand|qui|these|those|any|diese\w*|est[ao]s|or|oder|ou|o|или|как\w*|что|где|когда|кто|почему)\b"
)
"""To these anything may be the answer, and of several ways one may be taken by what was told of it."""
_NODS = """
    yes yeah yep yup yea ya aye no nope nah not never don't dont ok okay k sure fine good great perfect please
    go do correct right exactly true agreed deal absolutely definitely later maybe both neither none either
    done already works worked all nothing ja jo nein nicht doch genau klar gern gerne passt gut später schon
    sí si claro dale vale bueno oui non pas ouais bien d'accord да нет не давай конечно хорошо
"""
_NODDING = frozenset(_NODS.split())
_SIGNS = lazy_pattern("[\u2e80-\u9fff\ua000-\uabff\uac00-\ud7af]")
_LETTERS = lazy_pattern(r"[\W_]+")


def answers_another(said: Utterance, before: Sequence[ParsedSentence]) -> bool:
    """Does it answer another question than the one that was asked last?"""
    asked = _last_question(before)
    if asked is None:
        return False
    own = roots(said.own.casefold())
    shared = [
        len(own & roots(e.text.casefold())) for e in before[-ENDS:] if e.asks and e is not asked
    ]
    return max(shared, default=0) > len(own & roots(asked.text.casefold()))


def misses_question(said: Utterance, before: Sequence[ParsedSentence]) -> bool:
    """Does it speak of something that was told, and not of what was asked?"""
    asked = _last_question(before)
    if asked is None or not said.sentences or _SIGNS.search(f"{said.text}{asked.text}"):
        return False
    if _OPEN.search(asked.lower) or names_label(said.text.lower()):
        return False
    own, squeezed = roots(said.own.casefold()), _LETTERS.sub("", asked.text.casefold())
    told = frozenset[str]().union(*(roots(each.text) for each in before if each is not asked))
    if own.isdisjoint(told) or any(each in squeezed for each in own):  # `pihole` is Pi-hole
        return False
    nodding = any(
        not _NODDING.isdisjoint((*s.words[:NOD], s.words[-1])) for s in said.sentences if s.words
    )
    return not nodding


def _last_question(before: Sequence[ParsedSentence]) -> ParsedSentence | None:
    return next((each for each in reversed(before[-ASKED:]) if each.asks), None)
