"""What only tells the words of a stranger, a page or a program, or what was the rule once.

`Someone on the internet wrote that you should always use sudo` asks nothing of anybody. What a person who is
named says is another matter: it may be her boss.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

_SAYS = (
    r"(?:says?|said|writes?|wrote|claim(?:s|ed)?|recommend(?:s|ed)?|suggest(?:s|ed)?|advise[sd]?|states?|"
    r"stated|thinks?|thought|insist(?:s|ed)?|tells?|told|reads?|schreibt|schrieb|sagte?|behauptet\w*)"
)
_NOBODY = (
    r"(?:(?:some(?:one|body)|people|everybody|everyone|others|some|they|a \w+|jemand|leute)|"
    r"(?:the |an? |this |that )?(?:\w+ )?(?:internet|web|forum|blog|article|post|tweet|book|video|advert|"
    r"troll|stranger|error|warning|log|output|message|docs?|documentation|manual|readme|tutorial|page|site|"
    r"website|label|sign|comment|review|spam|newsletter))"
)
_QUOTES = lazy_pattern(
    rf"^\W*+(?>(?:(?:and|but|also|so|well|oh|btw|yes|no|ok)\b[\s,]*+)*){_NOBODY}"
    rf"(?: (?:on|in|at|from|of|over|auf|im) (?:\w+ ){{0,2}}\w+)?(?: \w+)? {_SAYS}\b(?! (?:to )?(?:me|us)\b)"
    rf"|\b(?:is|was|that's) what (?!i\b|we\b)(?:\w+ ){{1,3}}?{_SAYS}\b"
    r"|^\W*+(?:the |an? |this )?(?:quote|slogan|proverb|spam|newsletter|(?:log|error|warning) "
    r"(?:line|text|entry|message)|(?:mail|e-?mail|message|letter|note|comment|review|tweet|post|advert)"
    r"(?= (?:from|by)))(?: (?:from|by|of|in|on) (?:\w+ ){0,3}\w+)?: "
    r"|^\W*+(?:our|the|my|their|his|her) (?:old|former|previous|earlier|original) (?:\w+ )?(?:policy|rule|"
    r"motto|habit|practice|way|guideline|instruction|convention)s? (?:was|were|said|used to)\b"
    r"|^\W*+i (?:once |just )?(?:read|heard)(?: \w+){0,3} (?:that|one should|you should|you must)\b"
)


def quotes_another(lower: str) -> bool:
    """Does a sentence, in small letters, only tell what nobody who could say so has said?"""
    return _QUOTES.search(lower) is not None
