"""The `-ing` form of an English verb, by its spelling: `stopping`, `writing`, `opening`, `dying`.

Whether a last consonant is doubled hangs on the stress, which is not written. A verb of one syllable
has it at its end; of the longer ones, those that begin like `commit` or `reset`, and some more.
"""

from __future__ import annotations

from .patterns import lazy_pattern

_ONE = lazy_pattern(r"(?:[^aeiou]*qu|[^aeiou]+|)[aeiou][^aeiouwxy]")
_STRESSED = lazy_pattern(
    r"(?:ad|be|com|con|de|dis|ex|for|fore|in|mis|off|out|over|per|pre|pro|re|sub|trans|un|under|up)"
    r"(?:qu|[bcdfghjklmnpqrstvwz][hlrw]?|s[cklmnpt]r?)[aeiou][^aeiouwxy]"
    r"|.+(?:cut|map|nap|plug|run|set|shop|swap|wrap|zip)"
)
_MORE = frozenset(
    (
        *(
            "abet",
            "abhor",
            "abut",
            "acquit",
            "allot",
            "annul",
            "babysit",
            "concur",
            "emit",
            "equip",
        ),
        *("handicap", "incur", "occur", "omit", "regret", "zigzag"),
    )
)
_PLAIN = frozenset(("bevel", "combat", "conquer", "debit", "debut", "profit", "prosper", "revel"))
"""They begin like those, and are stressed before."""
_WITH_E = frozenset(("be", "singe", "swinge", "tinge"))


def gerund(verb: str) -> str:
    """Of a verb in small letters."""
    if verb in _WITH_E:
        return f"{verb}ing"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    if verb.endswith("ic") and len(verb) > 3:  # noqa: PLR2004 - mimic, panic
        return f"{verb}king"
    return f"{verb}{verb[-1]}ing" if _doubles(verb) else f"{verb}ing"


def _doubles(verb: str) -> bool:
    if _ONE.fullmatch(verb) or verb in _MORE:
        return len(verb) > 2  # noqa: PLR2004 - go, do, up
    return verb not in _PLAIN and bool(_STRESSED.fullmatch(verb))
