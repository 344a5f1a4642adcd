"""What needs the speaker's word each time: `only commit with my approval`, `run everything by me first`.

A thing that is pointed at is done once, and what somebody needed is told: neither is a rule.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

WORD = (
    r"(?:ok|okay|approval|permission|consent|go[- ]?ahead|say[- ]so|sign[- ]?off|blessing|confirmation|"
    r"green light)"
)
"""By which one lets another act."""
MINE = rf"(?:my|our) (?:explicit |prior |written )?{WORD}\b"

LONGEST = 300
"""Characters of a sentence that is looked at; a rule is said in less."""

_START = (
    r"(?:^|[,;:.–—] )\W*+(?>(?:(?:please|and|but|also|so|ok|okay|from now on|always)\b[\s,]*+)*)"
)
_NOBODY = r"(?!(?:i|we|he|she|they|it|this|that|there|who|what|the|these|those)\b)"
_BOUND = r"(?! (?:tomorrow|today|tonight|for (?:this|that|the))\b)"
_FORMS = (
    lazy_pattern(rf"{_START}only {_NOBODY}[^,;:.]+ (?:with|after|on) {MINE}{_BOUND}"),
    lazy_pattern(rf"{_START}{_NOBODY}[^,;:.]+ only (?:with|after|on) {MINE}{_BOUND}"),
    lazy_pattern(rf"{_START}{_NOBODY}[^,;:.]+ (?:with|after|on) {MINE} only{_BOUND}"),
    lazy_pattern(rf"{_START}{_NOBODY}[^,;:.]+ (?:need|require) {MINE}{_BOUND}"),
    lazy_pattern(
        rf"{_START}(?:every|each|any|anything|everything)\b[^,;:.]* (?:needs|requires) {MINE}{_BOUND}"
    ),
    lazy_pattern(
        rf"{_START}{MINE} is (?:always )?(?:needed|required|necessary) (?:for|before) {_NOBODY}\w"
    ),
    lazy_pattern(
        rf"{_START}run (?:everything|anything|(?:all|every|any) [\w -]+?) (?:by|past) (?:me|us)"
        rf"(?: first| before\b)?{_BOUND}"
    ),
    lazy_pattern(
        rf"{_START}(?:let me see|show me) (?:everything|anything|drafts?|plans?|changes|diffs?|"
        r"(?:all|every|any) [\w -]+?) first\b"
    ),
    lazy_pattern(
        rf"{_START}(?:let me see|show me) (?:everything|anything|drafts?|plans?|changes|diffs?|"
        r"(?:a|the) (?:plan|draft|diff)|(?:all|every|any) [\w -]+?) before (?:you|they|any\w*|\w+ing)\b"
    ),
)
_HINTS = frozenset(
    ["ok", "okay", "approval", "permission", "consent", "say", "sign", "blessing", "confirmation",
     "green", "go", "ahead", "go-ahead", "say-so", "sign-off", "signoff", "me", "us"]
)  # fmt: skip
_POINTED = lazy_pattern(
    r"\b(?:this|that|these|those|it) (?:one|with|after|only)\b|\b(?:had|did|was|were|got|gave)\b"
)


def needs_approval(lower: str, bag: frozenset[str]) -> bool:
    """Is it to be done only with the speaker's leave, each time?"""
    if len(lower) > LONGEST or bag.isdisjoint(_HINTS) or _POINTED.search(lower):
        return False
    return any(form.search(lower) for form in _FORMS)
