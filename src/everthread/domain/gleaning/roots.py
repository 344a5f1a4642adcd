"""The roots of a text's telling words, by which what was said is found again in other forms of it."""

from __future__ import annotations

from functools import lru_cache

from everthread.domain.support.sentence_parts import stem
from everthread.domain.text.words import STOP

from .message_text import bag_of

LONGEST = 6
"""Letters of a root: with more, the forms of a word in most languages fall apart."""

_HELPERS = """
    always never ever anymore any more longer again instead back still only every each time times using
    used keep future onwards forward okay fine allowed free feel ahead stop thanks going uses
    decided decide chose chosen changed changes moved moves switched
    immer nie niemals mehr wieder nicht kein keine keinen jetzt künftig bitte darfst kannst musst
    brauchst noch auch siempre nunca ahora más puedes tienes desde partir para los las del que
    usar usa usas usando verwende verwenden benutze benutzen nutze nutzen utilise utiliser
    toujours jamais plus peux dois
    cant dont wont didnt doesnt isnt arent wasnt werent havent hasnt hadnt couldnt wouldnt shouldnt aint
    youre theyre thats whats theres lets abt bc cuz cos tho thru pls plz btw rn gonna wanna gotta dunno yet
"""
_HELPING = frozenset(_HELPERS.split())
"""Words that say how something holds, and not what; and small words as people type them in haste."""

_EMPTY = _HELPING | STOP
_GERMAN = """
    der das dem des ein eine einen einem einer eines und oder aber mit von vom zum zur bei bis für ohne nach
    über unter durch ich wir ihr sie mich mir dich dir sich uns euch ihm ihn ihnen mein meine meinen meiner
    dein deine deinen unser unsere ihre ihren sein seine seinen ist sind habe haben hast wird werden wurde
    kann soll sollen muss müssen dass weil wenn dann doch schon mal nur sehr hier dort dieser diese dieses
    also denn sobald
"""
_FRENCH = """
    les une des mais dans sur avec pour par pas que qui elle nous vous ils mon mes ton tes ses notre votre
    est sont cette ces aux été avoir être fait quand donc alors aussi très
"""
_SPANISH = """
    los las una unos pero con por para sin sobre que quien ella nos mis tus sus esta este eso esto está están
    hay muy como cuando han hemos también luego
"""
_SMALL_WORDS = tuple(frozenset(each.split()) for each in (_GERMAN, _FRENCH, _SPANISH))
"""Small words of other languages, but for those that tell something in English: `hat`, `die`, `war`."""

FOREIGN = 2
"""Of so many on, a text is in their language: `mit` alone may be a licence."""
_ENDINGS = ("en", "er", "ar", "ir", "es", "as", "st", "e", "a", "o", "s", "n")


@lru_cache(maxsize=2_048)
def roots(text: str) -> frozenset[str]:
    """What the text is about: its telling words without their endings."""
    bag = frozenset(bag_of(text))
    small = [each for each in _SMALL_WORDS if len(bag & each) >= FOREIGN]
    words = (word.replace("’", "'").removesuffix("'s") for word in bag.difference(*small))
    return frozenset(root(word) for word in words if "'" not in word and word not in _EMPTY)


@lru_cache(maxsize=8_192)
def root(word: str) -> str:
    """A word without its ending; crude, and the same on both sides."""
    bare = stem(word)
    if not bare.isalpha():
        return bare
    for ending in _ENDINGS:
        if len(bare) - len(ending) >= LONGEST - 1 and bare.endswith(ending):
            bare = bare.removesuffix(ending)
            break
    return bare[:LONGEST]
