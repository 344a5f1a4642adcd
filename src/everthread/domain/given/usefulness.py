"""What helped? Rules without a model, each written down, each the same on every run.

They judge by telling words: names of programs and files, numbers, and words that are neither short
nor common. Where a rule errs it rather sees nothing, because the scorer learns from what is seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import is_echoed
from everthread.domain.text.words import STOP

READ = 20_000
"""So many characters of a text are looked at."""

PLAIN = 4
"""Letters that a word needs to tell anything; what looks like a name or a number needs fewer."""

ENOUGH = 2
"""So many plain words in common are no chance."""

LENGTHY = 25
"""For so many telling words of a message one more must be shared: a page shares two with anything."""

RETOLD = 0.6
LEAST_RETOLD = 3
"""A message tells something again that holds so much of its telling words, and so many of them."""

BRIEF = 12
"""A rejection of so many words at most speaks of the whole reply."""

_ENDINGS = ("ings", "ing", "ers", "ed", "er", "es", "ly", "s", "e")
_ROOT = 3

_TOKEN = lazy_pattern(r"[^\W_](?:[\w./:@+#-]*[^\W_])?[+#]*")
_COMMON = lazy_pattern(r"\d{1,2}|(?:19|20)\d\d")
"""Small numbers and years are in every other text."""

_SENTENCES = lazy_pattern(r"(?<=[.!?])\s+|\n")
_NAMED = lazy_pattern(r"\d|[._/:@+#]|[a-z][A-Z]|[A-Z]{2}")
_TALK = """
    thanks thank thx cheers hello hey hi bye goodbye morning evening night welcome sorry
    yes yeah yep nope okay sure right fine good great nice cool perfect awesome excellent lovely
    continue proceed next ready wait stop help understood correct exactly agreed deal interesting
    want need know think look work tell show something anything everything nothing
"""
_WRONG = (
    r"(?:that(?:['’]s| is| was)?|this(?: is)?|it(?:['’]s| is)?)\s+(?:just\s+|simply\s+|plain\s+)?"
    r"(?:not (?:right|correct|true|what)|wrong|incorrect|false|outdated|out of date|no longer)"
    r"|you(?:['’]re| are) (?:wrong|mistaken)|not (?:true|correct|right) any ?more"
)
_REJECTS = lazy_pattern(rf"^\W*(?:no|nope|wrong|incorrect|nein|falsch)\b|{_WRONG}", re.IGNORECASE)
_CORRECTS = lazy_pattern(
    rf"{_REJECTS.pattern}|\b(?:actually|correction|no longer|not any ?more|instead of|rather than"
    r"|i (?:meant|said)|has changed|have changed|was changed|changed (?:it|that|to)|wasn['’]?t|isn['’]?t"
    r"|stimmt nicht|nicht mehr|sondern)\b",
    re.IGNORECASE,
)


def root(word: str) -> str:
    """What a word's forms have in common, roughly: `moved` and `moving` are `mov`, as is `move`."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT:
            return word[: -len(ending)]
    return word


_SMALL_TALK = frozenset(map(root, _TALK.split()))
_OWN = frozenset(["i", "my", "we", "our"])
_OF_ONESELF = frozenset(("work",))
"""Small talk, unless somebody asks it of herself."""


class TellingWords(NamedTuple):
    """The words of a text by which it is known again."""

    named: frozenset[str]
    plain: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.named | self.plain


_TELLS_NOTHING = TellingWords(frozenset(), frozenset())


@lru_cache(maxsize=64)
def telling_words(text: str) -> TellingWords:
    """Its telling words: those that name something, and the plain ones, by their roots."""
    named: set[str] = set()
    plain: set[str] = set()
    for token in set(_TOKEN.findall(text[:READ])):
        names, words = _token_words(token)
        if names:
            named.add(names)
        else:
            plain.update(words)
    if not named and not plain:
        plain.update(_short_words(text))
    return TellingWords(frozenset(named), frozenset(plain))


def _short_words(text: str) -> list[str]:
    """What a question is about that has no longer word: `which crc?` A short order goes on with the work."""
    from .language_nearness import is_english  # noqa: PLC0415 - it reads sentences: large, seldom needed
    from .question_check import is_question  # noqa: PLC0415 - the same

    if not is_question(text) or not is_english(text):
        return []
    low = [token.lower() for token in _TOKEN.findall(text[:READ])]
    short = [w for w in low if len(w) == PLAIN - 1 and w.isalpha() and w not in STOP | _SMALL_TALK]
    if not short and not _OWN.isdisjoint(low):
        return [w for w in low if w in _OF_ONESELF]  # `where do I work?`
    return short


# With every prompt some texts are looked through, and most of their words are in others too.
@lru_cache(maxsize=16_384)
def _token_words(token: str) -> tuple[str, tuple[str, ...]]:
    """What a token names, or else the plain words that it stands for; neither, if it tells nothing."""
    low = token.lower().rstrip(".:-")
    if _COMMON.fullmatch(low):
        return "", ()
    if len(low) > 1 and _NAMED.search(token.rstrip(".:-")):
        return low, ()
    if not low.isascii() and _is_unspaced(low):
        return "", tuple(low[n : n + 2] for n in range(len(low) - 1))
    if len(low) >= PLAIN and low not in STOP and (found := root(low)) not in _SMALL_TALK:
        return "", (found,)
    return "", ()


def unrelated_queries(queries: Sequence[str], text: str) -> list[str]:
    """The queries that tell nothing of the text. One that shares a telling word with it may be its echo."""
    words = telling_words(text).all
    if not words:
        return [query for query in queries if not is_echoed(text, query)]
    return [query for query in queries if not any(word in query.lower() for word in words)]


def worth_asking(text: str) -> bool:
    """Is there anything in it to look for? "Thanks, go on" is answered by what is in the view."""
    return bool(telling_words(text).all)


def _is_unspaced(token: str) -> bool:
    """Is it written in signs that have no cases, many of them without spaces? Then pairs tell."""
    return all(c.lower() == c.upper() for c in token)


def bears_on(text: str, asked: TellingWords, *, memory: bool) -> bool:
    """Does it bear on what is asked? What is injected unasked must share words with it.

    One word that names something, two plain ones, or half of those asked for; of a memory, which is
    short and was kept for a purpose, one word is enough. The more is said, the more must be shared.
    A rank tells only that nothing was better.
    """
    wanted = asked.all
    found = shared_words(text, asked)
    more = len(wanted) // LENGTHY
    if _names_same(found, asked):
        return True
    shared = len(asked.plain & found.plain)
    if memory:
        return shared > more
    return shared >= ENOUGH + more or 0 < shared * 2 >= len(wanted)


def names_same(text: str, asked: TellingWords) -> bool:
    """Does it share a word with what is asked that names something? The more is said, the more words."""
    return _names_same(shared_words(text, asked), asked)


def _names_same(found: TellingWords, asked: TellingWords) -> bool:
    named = (asked.named & found.all) | (asked.plain & found.named)
    return len(named) > len(asked.all) // LENGTHY


def shared_words(text: str, asked: TellingWords) -> TellingWords:
    """Its telling words as far as they are among these. With every prompt some texts are looked through
    for a handful of words, and to read all of each takes ten times as long."""
    part, wanted = text[:READ], asked.all
    low = part.lower()
    # A word of other signs may be written in another way inside a text than by itself.
    near = tuple(word for word in wanted if not word.isascii() or word in low)
    if not near:
        return _TELLS_NOTHING
    named: set[str] = set()
    plain: set[str] = set()
    for token in set(_TOKEN.findall(part)):
        if token.isascii() and not token.lower().startswith(near):
            continue  # a token tells of itself, or of what it begins with
        names, words = _token_words(token)
        if names:
            named.add(names)
        else:
            # What tells nothing otherwise may be all that is asked for.
            plain.update(words or (root(token.lower()),))
    return TellingWords(wanted & named, wanted & plain)


def is_mentioned(text: str, question: str, reply: str) -> bool:
    """Does the reply use what the text says, beyond what the question had said already?"""
    new = telling_words(text)
    heard, said = telling_words(question).all, telling_words(reply).all
    if (new.named & said) - heard:
        return True
    plain = new.plain - heard
    return len(plain & said) >= min(ENOUGH, max(len(plain), 1))


def corrects(message: str, text: str, *, used: bool) -> bool:
    """Does the person's next message take back what the text says?

    It contradicts the text plainly; or it corrects something and shares a telling word with the
    text; or it is a short rejection, and the reply had used the text.
    """
    if telling_words(message).all & telling_words(text).all:
        # Stores look at this module, too, and a command that only looks starts without all of that.
        from everthread.domain.memory.contradictions import contradicts  # noqa: PLC0415 - see above

        stated = _without_questions(message)
        return bool(_CORRECTS.search(message)) or (bool(stated) and contradicts(stated, text))
    return used and len(message.split()) <= BRIEF and _REJECTS.search(message) is not None


def retold_texts(message: str, texts: Sequence[str]) -> list[int]:
    """Which of these texts the message explains again; what it asks explains nothing."""
    said = telling_words(_without_questions(message)).all
    if len(said) < LEAST_RETOLD:
        return []
    return [n for n, text in enumerate(texts) if _is_retold(said, telling_words(text).all)]


def _without_questions(message: str) -> str:
    """The message without its questions."""
    sentences = _SENTENCES.split(message[:READ])
    return " ".join(s for s in sentences if not s.rstrip().endswith("?"))


def _is_retold(said: frozenset[str], words: frozenset[str]) -> bool:
    shared = len(said & words)
    return shared >= LEAST_RETOLD and shared >= RETOLD * len(words)
