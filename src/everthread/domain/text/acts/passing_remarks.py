"""What is said in passing and lays nothing down: how things are for now, and manners of speaking."""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

EXAGGERATES = lazy_pattern(
    r"\b(?:can(?:'t|not)|couldn't|could not|can't even) (?:live|survive|function|breathe|exist|"
    r"sleep) without\b|"
    r"\b(?:would|could|'d) (?:kill|die) for\b|\b(?:to die|dying) for\b"
)
"""A manner of speaking, by which nobody lays down anything."""
PAST_FORM = r"(?:agreed|freed|guaranteed|(?!\w*eed\b|(?:embed|shred|shed)\b)\w+ed)\b"
"""What somebody did: `never failed`, and not `never feed`, `never exceed`."""
NO_TIME = (
    r"(?!(?:at|any|anytime|back|on|in|if|when|before|after|again|later|today|tonight|tomorrow|now|about|"
    r"from|"
    r"as|once|up)\b)"
)
"""Not when, or how, one may be called: `call me at five` tells no name."""
FOR_NOW = (
    r"(?! (?:just |still |now |already |currently |all |very |so |totally )*(?:"
    r"(?:in|out|on|up|back|off|home)\b(?=\s*(?:[,.;:!?–—]|$)| (?:so|and|but|now|today|again|"
    r"already|too|tonight|board)\b)|"
    r"(?:here|there|away|down|over|around|ready|fine|ok|okay|late|early|busy|sick|ill|tired|asleep|awake|"
    r"done|gone|"
    r"free|available|happy|angry|upset|sure|right|wrong|dead|broken|blocked|stuck|closed|full|empty|"
    r"offline|"
    r"online|worried|afraid|glad|against|for it)\b|"
    r"at (?:school|home|lunch|kindergarten|nursery|the (?:doctor|dentist|vet|gym|hospital|shop|airport|"
    r"station))\b|"
    r"(?:coming|going|waiting|asking|calling|moving|driving|leaving|sleeping|looking|arriving|visiting|"
    r"joining|"
    r"bringing|picking|paying|barking|crying|complaining|planning|trying|getting|having|taking|making|"
    r"working on|thinking|telling|pushing|expecting)\b))"
)
"""How somebody or something is for now says nothing of who a person is: `my brother is in, so order it`."""
