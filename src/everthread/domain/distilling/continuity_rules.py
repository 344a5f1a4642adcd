"""Which sentences are drawn for the score: decisions, rules, requests and questions that nobody answered.

These rules are the score's own. Were they those of the distiller, it would be asked only for what it
had noticed.
"""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache

from everthread.domain.conversation.messages import Origin
from everthread.domain.text.patterns import lazy_pattern

from .continuity_items import Item

SENTENCE_END = lazy_pattern("(?<=[.!?]) +|(?<=[\u3002\uff01\uff1f])")

SHORTEST, LONGEST = 20, 300
"""Characters of a sentence that is drawn."""

SHORTEST_CHOICE = 8
"""A person chooses in fewer: `16 it is then.`"""

MOST_ASKED = 50
"""Questions that wait at once; of more, the newest."""

_DECIDED = lazy_pattern(
    r"(?<!n['’]t )(?<!not )(?<!never )\bdecided\b(?! yet)|\bdecision (?:is|was)\b|"
    r"\b(?:we|i)(?:['’]ll| will|['’]ve| have)? (?:settled on|chose|chosen|opted|agreed)\b|"
    r"\bagreed (?:to|on|that)\b|entschieden|décidé|decidido",
    re.IGNORECASE,
)
"""So anybody tells that something is decided."""

_CHOOSES = lazy_pattern(
    r"""
    \b(?:we|i)(?:['’]ll|\ will|['’]re\ going\ to|['’]m\ going\ to)?\ (?:go|stick|stay)\ (?:with|for)\b
  | \b(?:we|i)(?:['’]re|\ are|['’]m|\ am)\ (?:going\ with|taking|keeping)\b
  | \b(?:we|i)(?:['’]ll|\ will)\ (?:take|have|keep|use|stick\ to|do\ without)\ (?!
        an?\ (?:look|think|go|eye|idea)\b|it\ to\b|care\b|to\b|you\b|him\b|her\b|over\b|it\ in\b|in\b)
  | \blet['’]?s\ (?:use|take|go\ (?:with|for)|keep|stick|stay|switch|make\ it|drop|skip|have|do)\b
        (?!\ (?:this|that|it|a\ look|going|moving|trying|talking|in\ touch)\b)
  | \b(?:we|i)(?:['’]ll|\ will|['’]re|\ are|['’]ve|\ have)?\ (?:switch|move)(?:d|ed|ing)?
        \ (?:over\ )?(?:from|to)\b
  | \b(?:use|take|make|get|have|keep|put|do)\b[^.?!]{1,60}\b(?:instead\ of|rather\ than)\b
  | ^(?:and\ )?(?:every|in|on|at|with)\ [^.?!]{1,40}\brather\ than\b
  | (?<![\w'’])(?!(?:what|how|where|who|that|as|and|think|because|if|whatever|say|like|so|than|guess|hope
        |since|but|this|there|when|or|know|yes|sure)\ )[\w&'’/.%€$£-]+\ it\ is(?:,?\ then)?(?=[.!,;]|$)
  | \b(?!she|he|it|who|that)\w+\ stays?\ (?:put|in|on|at|as|where|how)\b
  | ^(?!(?:see|talk|speak|until|till|back|by|since|even|what|well|bye|ok(?:ay)?|right|thanks)\b)
        (?![^.?!]*\b(?:was|were|had|did|you)\b)(?:[\w&'’/.-]+\ ){1,4}then[.!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""So a person chooses; from an agent the same words are a proposal, or tell how something works."""

_RULE = lazy_pattern(
    r"""
    ^(?:(?:please|pls|and|also|but|so|oh|ok(?:ay)?|btw|by\ the\ way|just)[,\ ]+)*
        (?:always|never|don['’]t|do\ not|avoid|from\ now\ on|going\ forward|prefer
        |immer|niemals|toujours|jamais|siempre|nunca)\b
  | ^(?:(?:please|and|also|but|so)[,\ ]+)*make\ sure\b[^.?!]*\b(?:always|never|every|each|any|all|no)\b
  | \b(?:please|pls)\ (?:always|never|no)\ | [:;]\ (?:please\ )?(?:always|never)\b
  | \b(?:don['’]t|do\ not)\ ever\b | \bfrom\ (?:now|here)\ on\b
  | \b(?:you|we|it|they|code|tests?|commits?)\ (?:must|should)\ (?:always|never|not|only)\b
  | \b(?:we|it|they|you)\ must\ (?:keep|stay|remain)\b | \bmust\ (?:not|never)\b
  | \b(?:nothing|nobody|no\ one)\ (?:must|may|should)\b | \bnothing\ (?:gets|goes)\b
  | \b(?:house|ground|standing)\ rule\b
  | \b(?:in|on|for)\ (?:the\ |our\ |all\ |every\ )?\w+,?\ we\ (?:never|always)\b
  | \b(?:no|not)\b[^.?!]{3,50}\b(?:ever|anywhere|full\ stop)(?=[,.!;]|$) | \bno\ \w+(?:\ \w+)?\ for\ me\b
  | \bwithout\ (?:asking|telling|showing|checking\ with)\ me\b
  | \bi\ (?:always\ |really\ )?prefer\b | \bi(?:['’]d|\ would)\ (?:rather|prefer)(?:\ it)?(?:\ if)?\ you\b
  | \bi\ (?:don['’]t|do\ not)\ want\ (?!to\ (?!be\b|see\b|hear\b|get\b)|it\b|this\b|that\b(?!\ (?:we|you))|\d)
  | \bi\ (?:want|need|would\ like)\ you\ to\ (?:always|never)\b
  | \bi(?:['’]d|\ would)\ like\ you\ to\b[^.?!]*\b(?:every|each|always|whenever)\b
  | \bwhen(?:ever)?\ (?:you|i)\ [^.?!]{3,60}\ (?:always|never|don['’]t|do\ not)\b
  | \bi\ (?:don['’]?t|do\ not|can['’]?t|cannot)\ (?:eat|drink)\b
  | ^(?:(?:please|and|also|but|so)[,\ ]+)*keep\ (?:\w+\ ){0,2}(?:messages|commits|replies|answers|e-?mails
        |comments|docstrings|names|titles|summaries|descriptions|sentences)
        \ (?:in|short|below|under|to|simple|brief|free)\b
  | ^(?:(?:please|and|also|but|so|no)[,\ ]+)*stop\ \w+ing\b | \bunder\ no\ circumstances\b
  | \b(?:ab\ (?:jetzt|sofort|heute)|von\ (?:jetzt|nun)\ an|künftig|désormais|à\ partir\ de\ maintenant
        |d['’]ora\ in\ poi|(?:a\ partir\ de|de)\ ahora(?:\ en\ adelante)?|de\ agora\ em\ diante|vanaf\ nu)\b
  | ^(?!(?:ich|wir|du|er|sie|es|ihr|man|das|je|nous|tu|il|elle|on|yo|io|noi|ik|wij|we|eu|nós|funziona|funciona
        |va|è|est|es|está|hay|sta|ha|fa|a|il|das|so|auch|noch|schon|fast|geht|marche)\b)
        (?:[^\W\d_]+(?<!t)\ (?:(?:mir|mich|uns|bitte|es|das|dabei|dann|hier)\ ){0,2}
            (?:immer(?!\ (?:noch|wieder|mehr))|nie|niemals)
        |[^\W\d_]+(?:-\w+)?\ (?:(?:me|moi|mi|ci|ons|alsjeblieft)\ )?
            (?:toujours(?!\ pas)|jamais|siempre|nunca|sempre|altijd|nooit|zawsze|nigdy))\b
  | ^non\ \w+(?:are|ere|ire)\ mai\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_STOPS = lazy_pattern(r"^(?:(?:please|and|also|but|so|no)[, ]+)*stop \w+ing\b", re.IGNORECASE)
_ONCE = lazy_pattern(
    r"^(?:never mind|why|who|what|how|where)\b|^(?:you|it|they) (?:always|never)\b|"
    r"\b(?:yet|right now|for now|today|tonight|this time|this once)\b|"
    r"^(?:(?:and|but|so|please|oh|well|now|no)[, ]+)*(?:don['’]t|do not) (?:worry|bother|forget|mention|"
    r"know|think|mind|get me wrong|have|believe|understand|like|love|need|want|care|remember|hesitate|"
    r"panic|you|we|they|say (?:it|that)|look at me|ask (?:me )?(?:why|how)|be (?:sorry|silly|afraid|shy)|"
    r"make me (?:cry|laugh|wait|say|choose))\b",
    re.IGNORECASE,
)
_WANTS = lazy_pattern(
    r"^(?:(?:and|also|then|now|ok(?:ay)?|so|next)[, ]+)*(?:please|kindly|bitte|por favor|"
    r"s['’]il (?:te|vous) pla[iî]t|i (?:need|want|would like) you to|i['’]d like you to|remind me|add|book|"
    r"build|buy|calculate|change|check|clean|compare|convert|copy|create|delete|deploy|draft|email|"
    r"explain|find|fix|give me|implement|install|list|look (?:at|up|for|into)|make|migrate|move|order|"
    r"plan|prepare|print|refactor|remove|rename|replace|review|rewrite|run|schedule|search|send|set up|"
    r"show me|summari[sz]e|tell me|test|translate|update|upload|write)\b|[, ]please[.!]*$",
    re.IGNORECASE,
)
_OPEN = lazy_pattern(
    r"\btodo\b|\b(?:still (?:need|have|to be|open)|not yet|next steps?:?|open question|follow[- ]up|"
    r"(?:come back|get back) to|(?:is|are) (?:still )?pending|(?:fix|do|handle|look at) (?:\w+ )?later|"
    r"undecided)\b",
    re.IGNORECASE,
)
_OFFER = lazy_pattern(
    r"^(?:would you like|do you (?:want|need)|is there anything|anything else|shall i)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=2_048)  # at each distillation, and again when it is scored
def kind_of(sentence: str, by: Origin) -> str | None:
    """The kind under which the sentence is drawn; None for most."""
    if not SHORTEST <= len(sentence) <= LONGEST:
        choice = by == "user" and SHORTEST_CHOICE <= len(sentence) < SHORTEST
        return "decisions" if choice and not _asks(sentence) and _chooses(sentence, by) else None
    if _asks(sentence):
        return None if _OFFER.match(sentence) else "questions"
    if by == "user" and _RULE.search(sentence) and not _ONCE.search(sentence):
        return "rules"
    if _chooses(sentence, by):
        return "decisions"
    left = by == "user" and _OPEN.search(sentence)  # what an agent left, its digest knows better
    return "questions" if left or _wants(sentence, by) else None


def only_ends(sentence: str) -> bool:
    """Does it forbid what an earlier rule asked for? Where it took that rule back, it is done with it."""
    return _STOPS.match(sentence) is not None


def _chooses(sentence: str, by: Origin) -> bool:
    """Is something decided by it?"""
    chosen = by == "user" and _CHOOSES.search(sentence) is not None
    return chosen or _DECIDED.search(sentence) is not None


def waits_for_answer(sentence: str, by: Origin) -> bool:
    """Does it ask for something, so that it is open until somebody answers?"""
    return _asks(sentence) or _wants(sentence, by)


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”’)]*_` ").endswith(("?", "\uff1f"))


def _wants(sentence: str, by: Origin) -> bool:
    """Does a person ask for it without a question mark?"""
    return by == "user" and _WANTS.search(sentence) is not None


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
