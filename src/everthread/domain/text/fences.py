"""Make a text harmless inside a frame: nothing in it can close the frame, or pose as someone who speaks.

What is quoted line by line cannot close a frame by its grammar. A model, though, reads by likeness
and not by grammar. So what looks like our fences, a harness's tags, a vendor's markers or the name
of a role at the start of a line is bent until it is only something that was said.
"""

# ruff: noqa: RUF001 - look-alikes are the point

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .patterns import lazy_pattern

Edit = tuple[int, int, str]
"""Put this in place of that stretch."""

_BREAKS = lazy_pattern(r"\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn"})
_CONTROLS = dict.fromkeys({*range(32), 127} - {9, 10})
# Selectors that nobody needs, and by which bytes can be hidden behind a letter.
_VARIANTS = lazy_pattern("[\ufe00-\ufe0d\U000e0100-\U000e01ef]")
_JOINERS = "\u200c\u200d"
_JOINED = frozenset({"Lo", "Lm", "Mn", "Mc", "So", "Sk"})

# One character each, so that a place in the folded text is a place in the text.
_LOOKALIKES = {
    **dict.fromkeys("‹〈⟨《«˂ᐸ❮❰⧼≺＜﹤", "<"),
    **dict.fromkeys("›〉⟩》»˃ᐳ❯❱⧽≻＞﹥", ">"),
    **dict.fromkeys("∕⁄⧸／╱", "/"),
    **dict.fromkeys("ǀ∣│❘｜∥", "|"),
    **dict.fromkeys("‐‑‒–—−﹣－⁃", "-"),
    **dict.fromkeys("꞉：∶ː﹕׃", ":"),
    **dict.fromkeys("ˋ｀", "`"),
    **dict.fromkeys("∼～˜", "~"),
    **dict(zip("авеһіјкмнорѕтухԁԛԝ", "abehijkmhopstyxdqw", strict=True)),
    **dict(zip("αβεηικνορτυχγ", "abenikvoptuxy", strict=True)),
    **dict(zip("ɑɡıʟɴʀꜱ", "agilnrs", strict=True)),
}

_ROLES = (
    "human|assistant|system|user|developer|tool|function|ai|model|admin|administrator|instructions?"
)
_TAGS = (
    f"{_ROLES}|everthread|important|context|thinking|invoke|parameters?|result|output|example|"
    "documents?|source|summary|command|prompt|messages?|memory|memories|reminder|s|bos|eos|inst|sys"
)
_TAG = lazy_pattern(rf"<[\s/!?<]*+((?=(?:{_TAGS})\b|\w+[-_:]\w))?")
"""A row of signs before a word, read once however long it is; the group is there if that names a tag."""
_OWN = lazy_pattern(r"(?<=everthread)-(?=\w)")
_SPECIAL = lazy_pattern(r"<(?=\|)|(?<=\|)>")
_INST = lazy_pattern(r"\[(?=\s*/?\s*(?:inst|sys|everthread)\b)")
_ROLE = lazy_pattern(
    rf"^(?:[^\w\n]{{0,12}}({_ROLES})\b(?=[^\w\n:]{{0,6}}:)|[^\S\n]*\#{{1,6}}\s*({_ROLES})\b)",
    re.MULTILINE,
)
_FENCE = lazy_pattern(r"`{3,}|~{3,}")


KEPT_LENGTH = 2_000
"""Characters up to which what was made of a text is kept for the next who asks."""


def neutralize(text: str) -> str:
    """The text, harmless: line breaks are line breaks, nothing unseen is in it, no marker works."""
    return _kept_text(text) if len(text) <= KEPT_LENGTH else _harmless(text)


def _harmless(text: str) -> str:
    text = strip_unseen(text)
    for start, end, instead in sorted(_edits(fold_lookalikes(text)), reverse=True):
        text = text[:start] + instead + text[end:]
    return text


_kept_text = lru_cache(2_048)(_harmless)


def flatten(text: str) -> str:
    """On one line, one blank between two words."""
    return " ".join(text.split())


def one_line(text: str, longest: int) -> str:
    """A field for a heading: harmless, on one line, and short."""
    made = _kept_line if len(text) <= KEPT_LENGTH else _line
    return made(text, longest)


def _line(text: str, longest: int) -> str:
    line = " ".join(neutralize(text).replace("·", " ").split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


# A summary is fitted by trying its lines, and one is like the next: most are asked for again and again.
_kept_line = lru_cache(4_096)(_line)


def strip_unseen(text: str) -> str:
    """Without characters that nobody sees, and with one kind of line break."""
    text = _BREAKS.sub("\n", text)
    if text.isascii():
        return text.translate(_CONTROLS)
    text = _VARIANTS.sub("", text)
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join(c for n, c in enumerate(text) if c.isprintable() or _is_visible(text, n, c))


def _is_visible(text: str, n: int, c: str) -> bool:
    if c in _JOINERS:
        # Some scripts and emoji are written with joiners; between Latin letters they only hide.
        return 0 < n < len(text) - 1 and {_kind(text[n - 1]), _kind(text[n + 1])} <= _JOINED
    return c in "\n\t" or _kind(c) not in _UNSEEN


def _kind(c: str) -> str:
    return unicodedata.category(c)


def fold_lookalikes(text: str) -> str:
    """What the text looks like, character by character, in small ASCII letters where it can."""
    if text.isascii():
        return text.lower()
    return "".join(map(_plain_letter, text))


@lru_cache(maxsize=4096)
def _plain_letter(c: str) -> str:
    found = _LOOKALIKES.get(c)
    if found is not None:
        return found
    form = unicodedata.normalize("NFKD", c)[0].lower()
    return _LOOKALIKES.get(form, form) if len(form) == 1 else c


def _edits(folded: str) -> Iterator[Edit]:
    if "<" in folded or "|>" in folded:
        tags = (m for m in _TAG.finditer(folded) if m[1] is not None)
        angles = {at for m in tags for at in range(*m.span()) if folded[at] == "<"}
        angles |= {m.start() for m in _SPECIAL.finditer(folded)}
        yield from ((at, at + 1, "(" if folded[at] == "<" else ")") for at in angles)
    yield from ((m.start(), m.end(), " ") for m in _OWN.finditer(folded))
    yield from ((m.start(), m.end(), "(") for m in _INST.finditer(folded))
    yield from ((m.start(), m.end(), "'" * len(m[0])) for m in _FENCE.finditer(folded))
    for found in _ROLE.finditer(folded):
        group = 1 if found[1] else 2
        start, end = found.span(group)
        yield start, start, '"'
        yield end, end, '"'
