"""How a word of a question is looked up, where an index that stems English misses its other forms.

`Strasse` is `Straße` to whoever reads it. Words in Cyrillic letters change their endings with every case:
`квартира`, `квартиру`, `квартирой`. They are looked for by what all of these begin with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .patterns import lazy_pattern


class Beginning(str):
    """Stands for every word that begins so."""

    __slots__ = ()


SHORTEST = 4
"""Letters by which a word is still known: `нов` begins the new, the news and November."""

_CYRILLIC = lazy_pattern(r"[\u0400-\u04ff]+")
# Of nouns, adjectives and infinitives, in Russian and its neighbours. What is not among them stays on: a
# beginning that is too long finds less, one that is too short finds what is not meant.
_ENDING = lazy_pattern(
    r"(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|ией|ться|ать|ять|еть|ить|уть|иям|иях|"  # noqa: RUF001 - Cyrillic
    r"ей|ой|ий|ый|ая|яя|ое|ее|ые|ие|ую|юю|ых|их|ым|им|ом|ем|ам|ям|ах|ях|ов|ев|ью|"  # noqa: RUF001 - Cyrillic
    r"ия|ья|ию|ье|ьи|[аеийоуыьюяіїє])$"
)


def looked_up(words: Iterable[str]) -> list[str]:
    """The words as they are looked for, each once: as they are, in another spelling, by their beginning."""
    return list(dict.fromkeys(form for word in words for form in _forms(word)))


def _forms(word: str) -> Iterator[str]:
    if _CYRILLIC.fullmatch(word):
        yield _beginning(word)
        return
    yield word
    if "ß" in word:
        yield word.replace("ß", "ss")
    elif "ss" in word:
        yield word.replace("ss", "ß")


def _beginning(word: str) -> str:
    stem = next((s for s in _stems(word) if len(s) >= SHORTEST), word)
    return Beginning(stem) if len(stem) >= SHORTEST else word


def _stems(word: str) -> Iterator[str]:
    """Without its ending, the longest first; a shorter one may leave more of a short word."""
    found = _ENDING.search(word)
    if found is not None:
        yield word[: found.start()]
        if _ENDING.search(word[-1]):
            yield word[:-1]
