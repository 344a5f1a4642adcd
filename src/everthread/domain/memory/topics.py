"""What a short statement is about: its telling words in one form, whatever their endings.

`Deleting`, `deletes` and `deletions` are one, and so are `db` and `database`. It is crude, and the same on
both sides.
"""

from __future__ import annotations

from functools import lru_cache

from everthread.domain.text.acts.hasty_spelling import plain_spelling
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.words import STOP

_WORD = lazy_pattern(r"[^\W_]+(?:[-'_][^\W_]+)*")
_SMALL_WORDS = """
    always never ever any anymore longer instead back still every each using used uses keep kept fine okay
    allowed welcome alright right permitted feel free stop stopped quit drop dropped scrap skip forget ditch
    lose cut cancel ignore disregard leave mind pls ok good rule rules ban limit cap cutoff requirement stuff
    business whichever whatever whenever bother worry matter matters told asked wrote required necessary
    don't doesn't isn't aren't won't can't needn't let's lets i'm i've we're we've you're it's that's there's
    put go let start switch switched return revert change changed new bit lot lots simply quite anyway yes
    nope hey oh actually sure want wants pm am first
"""
_TELLING = """
    conversation conversations discussed discussion discussions mention mentioned overview recap summarize
    summary help show provide try kind take
"""
_SMALL = (STOP - frozenset(_TELLING.split())) | frozenset(_SMALL_WORDS.split())
_POLES = """
    before after without until during outside inside between under over above below via through off
"""
POLES = frozenset(_POLES.split())
"""Small words that make another thing of it: before noon is not after noon."""
OTHERS = frozenset(("his", "her", "their", "him", "them"))
"""Whose it is: her address is not mine."""
_TOUCHES = "edit edits editing edited modify modifies modifying modified"
_ONE_WORD = {
    "db": "database", "dbs": "database", "msg": "message", "msgs": "message", "email": "mail",
    "emails": "mail", "e-mail": "mail", "e-mails": "mail", "kid": "child", "kids": "child",
    "children": "child", "pic": "photo", "pics": "photo", "picture": "photo", "pictures": "photo",
    "doc": "document", "docs": "document", "repo": "repository", "config": "configuration",
    **dict.fromkeys(_TOUCHES.split(), "touch"),
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "10",
}  # fmt: skip
_LAST_LETTERS = "ings ing ions ion ments ment ities ity ers er ed es s e"
_ENDINGS = (*_LAST_LETTERS.split(),)
SHORTEST = 4
"""Letters of a word that may lose its ending."""


@lru_cache(maxsize=4_096)
def topic_words(text: str) -> tuple[str, ...]:
    """The telling words of a statement in their order, each in its one form."""
    words = _WORD.findall(plain_spelling(text.lower().replace("’", "'")))
    telling = (w for w in words if w in POLES or w in OTHERS or w not in _SMALL)
    return tuple(dict.fromkeys(map(one_form, telling)))


@lru_cache(maxsize=8_192)
def one_form(word: str) -> str:
    """A word without its ending."""
    word = word.removesuffix("'s")
    word = _ONE_WORD.get(word, word)
    if len(word) < SHORTEST or not word.isalpha() or word in POLES:
        return word
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    for ending in _ENDINGS:
        left = len(word) - len(ending)
        if word.endswith(ending) and left >= SHORTEST - (len(ending) < 3):  # noqa: PLR2004 - of a short ending a letter less
            if ending != "s" or not word.endswith(("ss", "us", "is")):
                word = word[:left]
            break
    if len(word) >= SHORTEST and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) >= SHORTEST else word
