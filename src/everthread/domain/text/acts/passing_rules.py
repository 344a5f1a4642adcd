"""Rules that are laid down in passing, by their form alone: `nobody deploys on a friday`, `no nuts anywhere`.

People who live and work together seldom say `always` or `must`. Nearly the same words tell how the world is
(`nobody reads the docs`), so each form takes the few words by which it can be nothing but a rule.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

_LED = (
    r"^\W*(?>(?:(?:ok(?:ay)?|so|and|but|also|yes|yep|please|pls|btw|agreed|right|good|great|fine|thanks|excellent|"
    r"bitte|und|aber)\b[\s,.!:–—-]*)*)"
)
_DEEDS = (
    r"(?:deploys|merges|pushes|releases|ships|touches|commits|edits|deletes|restarts|reboots|migrates|"
    r"force-pushes|rebases|approves|signs|smokes|drinks|drives|eats|enters|leaves|opens|unlocks|phones|calls|"
    r"logs (?:in|on))"
)
_NO = r"no (?!(?:one|way|idea|problem|need|news|matter|wonder|doubt|luck|sign|pain)\b)[\w-]+"
_FORMS = (
    lazy_pattern(
        rf"{_LED}(?:nobody|no ?one) (?:{_DEEDS}|(?:may|must|shall|should|gets to|is allowed to|is to) \w+)\b"
        r"(?!.*\bby law\b)"
    ),
    lazy_pattern(
        rf"{_LED}{_NO}"
        r"(?: [\w-]+){0,3}? (?:anywhere|whatsoever|at any time|under any circumstances)\b"
        r"(?! (?:in sight|near|to))"
    ),
    lazy_pattern(
        rf"{_LED}{_NO}"
        r"(?: [\w-]+){0,4}? without (?:[\w'-]+ ){1,4}?(?:first|ok(?:ay)?|approvals?|permission|consent|"
        r"sign-?off|review)\b"
    ),
    lazy_pattern(
        rf"{_LED}(?:nothing (?:over|above|beyond|more than|under|new|big|public)\b|{_NO})"
        r"(?: [\w€$£%.,-]+){0,5}? without "
        r"(?:asking|telling|checking with|consulting|talking to|informing) (?:me|us|\w+)(?: first)?\b"
    ),
    lazy_pattern(
        rf"{_LED}(?:answer|reply|respond)(?: to)?(?: me| us)? (?:short|briefly|concisely|tersely|formally|"
        r"informally|plainly|in (?:short|plain|full|one|two|simple) \w+)\b"
        r"(?!.* (?:to|for) (?:him|her|them|mr|mrs))"
    ),
    lazy_pattern(
        rf"{_LED}(?:american|british|us|uk|metric|imperial|canadian|australian) "
        r"(?:spelling|english|units|dates|date format) (?:always|only|everywhere|please)\b"
    ),
    lazy_pattern(rf"{_LED}(?:duz|duze|siez|sieze)(?:t|n sie)? (?:mich|uns|bitte)\b"),
    lazy_pattern(
        rf"{_LED}(?!(?:the|my|our|your|his|her|its|their|this|that|these|those|an?|we|i|you|it|they|he|she|there)\b)"
        r"[\w-]+(?: [\w-]+)?s must (?:always |never |not )?be (?!done|paid|booked|sent|ordered|fixed|signed|"
        r"returned|renewed|submitted|mad\b|crazy|joking|kidding|tired|happy|proud|here|there)[\w-]+\b"
        r"(?!.*\b(?:by|until|before|tomorrow|today|tonight|under|\w+day)\b)[^.;]{0,40}\W*$"
    ),
)
_CHORE = lazy_pattern(
    rf"(?:{_LED}|[.,;:!] (?:so |and |but )?)(?:we|i) (?:must|have to|need to) (?!(?:always|never)\b).*"
    r"\b(?:by|before|until|till) "
    r"(?:then|tomorrow|tonight|noon|the end|\w+day|\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
)
CALLED = lazy_pattern(
    r"^\W*(?:and )?(?:that(?:'?s| is)|this is) (?:now )?(?:an?|the|our|my) "
    r"(?:(?:hard|strict|firm|golden|house|general|absolute) )?rule\W*(?:now|here|from now on)?\W*$"
)
"""So one calls what was said just before."""


def holds_in_passing(own: str) -> bool:
    """Is it a rule by its form? In small letters, without what is quoted."""
    return any(form.search(own) for form in _FORMS)


def is_chore(own: str) -> bool:
    """Is it something that those who speak have to do by a day: `we must confirm by then`?"""
    return _CHORE.search(own) is not None
