"""Persons in reported speech: what is said of `I`, `we` and `you`, told of the user and the agent.

The verb goes with its person: `before you push` becomes `before the agent pushes`.
"""

from __future__ import annotations

import re

from everthread.domain.conversation.messages import Origin
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern

KEPT = lazy_pattern(
    r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]|‘[^’\n]*’(?!\w)|"
    r"(?<![\w'])'(?=\w)(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)|"
    r"\bhttps?://\S+|\S*[/\\_]\S*"
)
_COLON = lazy_pattern(r"[:：]\s+(?=\S)")  # noqa: RUF001 - other scripts
_OTHERS = lazy_pattern(
    r"(?<!\bI )(?<!\bwe )(?<!\byou )(?<!\bnever )(?<!\bhave )(?<!['’]ve )(?<!\bto )"
    r"\b(?:says?|said|saying|writes?|wrote|asks|shouts?|shouted|replie[sd]|answers?|answered|tells|told|"
    r"thinks|thought|claims?|claimed|quot(?:es?|ed))\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
"""Somebody else speaks: an `I` behind it may be hers."""
_USER = {
    "i'm": "they are",
    "i am": "they are",
    "i was": "they were",
    "i've": "they have",
    "i'll": "they will",
    "i'd": "they would",
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themselves",
    "ourselves": "themselves",
    "yourself": "itself",
    "yourselves": "itself",
    "we're": "they are",
    "we've": "they have",
    "we'll": "they will",
    "we'd": "they would",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "you'll": "the agent will",
    "you'd": "the agent would",
    "you were": "the agent was",
    "you are": "the agent is",
    "you're": "the agent is",
    "you have": "the agent has",
    "you've": "the agent has",
    "you": "the agent",
    "your": "the agent's",
    "yours": "the agent's",
}
_AGENT = {
    "i'm": "it is",
    "i am": "it is",
    "i was": "it was",
    "i've": "it has",
    "i'll": "it will",
    "i'd": "it would",
    "i": "it",
    "me": "it",
    "my": "its",
    "mine": "its own",
    "myself": "itself",
    "ourselves": "themselves",
    "yourself": "themselves",
    "yourselves": "themselves",
    "we're": "they are",
    "we've": "they have",
    "we'll": "they will",
    "we'd": "they would",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "you're": "the user is",
    "you are": "the user is",
    "you were": "the user was",
    "you've": "the user has",
    "you have": "the user has",
    "you'll": "the user will",
    "you'd": "the user would",
    "you": "the user",
    "your": "the user's",
    "yours": "the user's",
}
_SHIFTED = lazy_pattern(
    r"\b(?:I am|I was|you (?:were|are|have)|(?:I|we|you)['’](?:m|ve|ll|d|re)|"
    r"I|me|mine|myself|my|we|(?-i:us|Us)|ourselves|ours|our|yoursel(?:f|ves)|yours?|"
    r"(?<!\bthank )you)\b(?!['’]\w)",
    re.IGNORECASE,
)
_SINGULAR = frozenset(("the agent", "it", "the user"))
_AFTER = lazy_pattern(
    r"(?: (?:also|still|always|never|just|really|then|only))? (?P<verb>[a-z]+)\b(?!['’])"
)
_HAD = lazy_pattern(
    r" (?:\w+ly |just |already |never |not )?(?:been|had|\w{3,}ed|\w{3,}(?:ven|wn|ken|ten|den))\b"
)
"""Behind `I'd`: what had been."""
_OPENS = lazy_pattern(
    r"(?:\A|[,;:.!?(–—-]|\b(?:before|after|when|whenever|while|if|once|until|till|unless|because|since|"
    r"what|whatever|how|why|where|whether|that|which|as|hope|think|so|sure|everything|anything|all))\s*\Z",
    re.IGNORECASE,
)
"""Behind this a person is the subject of what follows."""
_INVERTED = lazy_pattern(r"\b(?:(?:do|are|have|were) you|(?:do|am|have) I)\b", re.IGNORECASE)
_TELLING = """
    need want think know like mean hope wish believe feel love hate prefer buy eat learn lose pay own plan
    post prefer promise agree belong cost happen hear live miss offer require seem sell sit sleep spend
    stand wear win worry have do go
"""
_PAST = "put set reset cut let read hit split quit shut spread cost"
_PAST_ALIKE = frozenset(_PAST.split())
"""What is written so may have been in the past: `what you put there`."""
_VERBS = (BASE | frozenset(_TELLING.split())) - _PAST_ALIKE
_ODD = {"have": "has", "do": "does", "go": "goes", "be": "is"}
_HISSING = ("s", "x", "z", "ch", "sh", "o")


def shift_person(text: str, by: Origin) -> str:
    """The same in the third person; code, paths and what is quoted stay as they are.

    Behind a colon somebody's words are given, so they stand between quotation marks if they have persons.
    """
    words = _USER if by == "user" else _AGENT
    parts: list[str] = []
    at = 0
    for kept in KEPT.finditer(text):
        if colon := _COLON.search(text, at, kept.start()):
            return _shift_before_colon("".join(parts), text, at, colon, words)
        parts += [_shift_words(text[at : kept.start()], words), kept[0]]
        at = kept.end()
    if colon := _COLON.search(text, at):
        return _shift_before_colon("".join(parts), text, at, colon, words)
    return "".join((*parts, _shift_words(text[at:], words)))


def _shift_before_colon(
    before: str, text: str, at: int, colon: re.Match[str], words: dict[str, str]
) -> str:
    head, rest = before + _shift_words(text[at : colon.end()], words), text[colon.end() :]
    quoted = _SHIFTED.search(rest) and not set('“”"«»„`') & set(rest)
    return f"{head}“{rest}”" if quoted else head + rest


def _shift_words(text: str, words: dict[str, str]) -> str:
    parts: list[str] = []
    at = 0
    for found in _SHIFTED.finditer(text):
        told = words.get(found[0].lower().replace("’", "'"), found[0])
        if told.endswith(" would") and _HAD.match(text, found.end()):
            told = f"{told.removesuffix('would')}had"
        parts += [text[at : found.start()], told]
        at = found.end()
        verb = _AFTER.match(text, at) if told in _SINGULAR else None
        if verb and verb["verb"] in _VERBS and _OPENS.search(text, 0, found.start()):
            parts += [text[at : verb.start("verb")], _third_person(verb["verb"])]
            at = verb.end()
    return "".join((*parts, text[at:]))


def _third_person(verb: str) -> str:
    if verb in _ODD:
        return _ODD[verb]
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(_HISSING) else f"{verb}s"


def asks_in_passing(text: str) -> bool:
    """Is there a question in it whose verb stands before `you` or `I`? It cannot be told of another."""
    return _INVERTED.search(KEPT.sub("it", text)) is not None


def is_doubtful(text: str) -> bool:
    """Is it not certain who `I` is, since somebody else speaks in it, without a sign where that begins?"""
    bare = KEPT.sub("it", text)
    colon = _COLON.search(bare)
    found = _OTHERS.search(bare[: colon.start()] if colon else bare)
    return found is not None and _SHIFTED.search(found["rest"]) is not None
