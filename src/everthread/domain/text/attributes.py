"""A plain statement of what something is or has: `The deploy port is 8080`, `My hourly rate is 85 euros`.

Few words and one figure or name: nothing else in it is specific, and yet somebody will ask for it. What
holds only today, and what somebody merely thinks of it, is no such statement.
"""

from __future__ import annotations

from .patterns import lazy_pattern
from .tellings.plain_tellings import tells_plainly

LONGEST = 160
"""Characters of such a statement."""

_LED = (
    r"^\W*(?:(?:ok(?:ay)?|oh|so|well|right|and|but|also|btw|by the way|fyi|note(?: that)?|actually|yes|no|"
    r"sorry|for the record|correction|we moved|we switched|it changed|i moved)\b[\s,.:;!–—-]*)*"
)
_OF = (
    r"(?:my|our|his|her|their|its|the|this|your|mein\w*|unser\w*|der|die|das|mon|ma|mes|notre|le|la|mi|"
    r"nuestr[oa]|el)"
)
_NOUNS = (
    r"(?: (?!(?:is|are|was|were|has|have|had|will|would|can|could|should|that|which|who|if|when|and|or|to)\b)"
    r"[\w'’/&.-]+){1,6}?"
)
_SUBJECT = (
    rf"(?:{_OF}{_NOUNS}|[A-Z][\w-]+(?:'s|’s){_NOUNS}|[A-Z][\w-]+ [A-Z][\w-]+|[\w-]*[_\d][\w-]*)"
)
_VERB = (
    r"(?:(?:(?:has|have) (?:now )?(?:been )?|was |were |got |is being |is |are |will be )?(?:moved|changed|"
    r"switched|postponed|rescheduled|pushed back|put back|brought forward|renamed|raised|lowered|increased|"
    r"reduced|extended|shortened|gone up|gone down|went up|went down)(?: back| again| forward)? to|"
    r"(?:moves?|changes?|switch(?:es)?) to|"
    r"is|are|will be|remains?|stays?|costs?|weighs?|starts?|ends?|opens?|closes?|expires?|"
    r"runs? (?:on|at|from)|goes to|go to|belongs? to|listens? on|points? to|lives? (?:in|at|on)|"
    r"works? (?:at|for|in)|comes? (?:from|on|at)|equals?|"
    r"ist|sind|kostet|beträgt|lautet|wohnt|est|sont|coûte|es|son|cuesta|vive en)"
)
_TALKED_OF = (
    r"(?:problems?|issues?|questions?|answer|point|thing|fact|truth|reason|guess|hunch|bet|error|bugs?|output|"
    r"results?|trick|catch|worry|idea|impression|feeling|difference|(?:best|worst|only|easiest|first|second|third|"
    r"last|next|other) (?:way|one|thing|option|step|part|try|attempt))"
)
_TALK = lazy_pattern(rf"\b{_TALKED_OF} (?:now |still |only |always )?(?:is|are|was|were|will be)\b")
"""What is said of the talk itself, or of what is looked into just then: tomorrow nobody asks for it."""
_STATES = lazy_pattern(
    rf"{_LED}{_SUBJECT} (?:now |still |only |always |jetzt )?{_VERB} (?P<value>\S.*)$"
)
_SHORT = lazy_pattern(
    rf"{_LED}(?:(?i:{_OF}){_NOUNS}|[A-Z][\w-]+(?:'s|’s){_NOUNS}) ?[:=] ?(?P<value>\S.*)$"
)
_TURNED = lazy_pattern(
    rf"{_LED}(?:i|we)(?:'ve|’ve| have)?(?: just| recently| finally| now)? (?:moved|relocated|switched)"
    r"(?: [\w'-]+){0,3}? to (?P<value>\S.*)$"
)
"""Where somebody is now, or what he has changed to."""
_ANEW = lazy_pattern(
    rf"{_LED}(?:{_SUBJECT}|[\w-]+)(?:'s|’s| has| have)? (?:changed|moved|is new|is different)"
    r"(?: again| recently)?\s*+[,;:–—-]++\s*+(?:and |so |but )?(?:now )?"
    r"(?:it's|it’s|it is|that's|they're|they are|(?:the new one|it)(?:'s|’s| is)) (?:now )?(?P<value>\S.*)$"
)
"""`Our landlord has changed, it's Immo Delta now`."""
_HOLDS = lazy_pattern(
    r"(?!(?:This|That|It|He|She|They|We|There|Here|Who|What|Which|Today|Now|Then)\b)"
    r"(?P<value>[A-Z][\w-]+\.?(?: [A-Z][\w-]+)?) is (?:now )?(?:my|our|the) "
    rf"(?!(?:\w+ )?{_TALKED_OF}\b)[a-z]+(?: [a-z]+)?(?: (?:of|at|for) (?:the |our |my )?[\w-]+)?(?: now)?\W*$"
)
"""`Jonas is our accountant now`: who it is stands first. Only told as new it is worth as much as a value."""
_COUNTS = lazy_pattern(
    rf"{_LED}we(?:'re|’re| are) (?P<value>(?:now |only |down to )*\d+ (?:now|people|staff|"
    r"(?!(?:day|week|month|year|hour|minute|second|mile|metre|meter)s)[a-z]+s)(?: now)?)\W*$"
)
"""`We are 24 people`, `We are 22 now`."""
_BARE = (
    r"(?!(?:i|you|he|she|it|we|they|this|that|these|those|there|here|what|who|whose|which|where|when|how|why|if|"
    r"all|both|either|one|none|some|most|mine|yours|everything|everyone|everybody|nothing|nobody|something|"
    r"someone|today|tomorrow|now|then|next|last|first|not|please|in|on|at|by|from|of|for|with|as|say|says)\b)"
    rf"[\w-]+(?!(?:'s|’s|'|’))(?:{_NOUNS})?"
)
"""A thing by its name alone, as one speaks of what everybody there knows: `standup`, `code review`."""
_TIME = (
    r"(?:\d{1,2}[:.]\d\d\b|\d{1,2} ?(?:am|pm|o'clock|uhr)\b|noon\b|midnight\b|the \d{1,2}(?:st|nd|rd|th)\b|"
    r"\d{1,2}(?:st|nd|rd|th)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b)"
)
_WHEN = lazy_pattern(
    rf"{_LED}(?:{_OF} )?{_BARE} (?:now |always |usually )?"
    r"(?:is|are|starts?|ends?|begins?|opens?|closes?|runs?|happens?|takes? place|meets?|ships?|"
    r"go(?:es)? (?:out|live)|comes? out) "
    rf"(?:now |always |usually )?(?:at|on|every|each|from) {_TIME}.*$"
)
"""When it is: `Standup is at 9:30`, `Releases go out on Thursdays`. The time says enough of it."""
_OWNS = lazy_pattern(
    r"(?!(?:This|That|It|He|She|They|We|You|There|Here|Who|Whoever|What|Which|(?:Any|Every|No|Some)"
    r"(?: ?one|body|thing))\b)"
    r"[A-Z][\w-]+(?: [A-Z][\w-]+)? (?:now )?(?:(?:owns?|maintains?|leads?|is (?:now )?in charge of|"
    r"is (?:now )?responsible for) (?:the|our|my|all) \S|(?:took|takes|has taken) over \S.* from [A-Z]).*$"
)
"""Whose it is: `Tom owns the payments module`, `Vera took over payments from Tom`."""
_SPECIFIC = lazy_pattern(
    r"\d|(?<![.!?] )(?<!^)\b(?!I['’])[A-Z][\w'’-]+|`[^`]+`|\"[^\"]+\"|[\w.+-]+@[\w-]+\.\w|https?://|\w/\w|\w_\w"
)
_PASSES = lazy_pattern(
    r"\b(?:today|tonight|right now|at the moment|this (?:morning|afternoon|evening|minute|time)|just now|"
    r"yesterday|heute|gerade|im moment|aujourd'hui|hoy)\b"
    r"|\b(?:is|are) (?:now )?at \d[\d.,]*(?:%| (?!am\b|pm\b|o'clock|uhr|euro|dollar|pound|franc)[a-z]+) now\b"
    r"|\b(?:is|am|are|ist|bin|sind)(?: now| jetzt)? (?:at|on|in|auf) "
    r"(?:line|row|column|page|step|zeile|seite|schritt) \d"
    r"|\b\d+ \w+ (?:ahead|behind)\b"
)
"""What holds only today, how far something has come, and where in a text one is."""
_SENTENCES = lazy_pattern(r"(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)[.!?…]\s+\S|\n")
_ANY_NOW = lazy_pattern(r"\bnow\b")


_HENCEFORTH = lazy_pattern(
    r"\b(?:from now on|from today(?: on)?|as of (?:now|today)|ab (?:jetzt|sofort))\b"
)
_FIGURE = lazy_pattern(
    r"\b(?:is|are|costs?|weighs?|starts?|ends?|opens?|closes?|listens?|ist|kostet|beträgt|lautet|est|coûte|es|cuesta)"
    r" (?:now |jetzt )?(?:at |on |from |um |ab |à |a )?[£$€]?\d"
)
_RULES = lazy_pattern(r"\b(?:always|never|must|should|shall|please|don't|do not|you|only)\b")


def revises_figure(text: str) -> bool:
    """Does it tell another figure from now on? That is how it is, and nothing that anybody is to do.

    A word in its place may well be a rule: `The answers are in German from now on`.
    """
    lower = text.lower()
    if _HENCEFORTH.search(lower) is None or _RULES.search(lower):
        return False
    return _FIGURE.search(lower) is not None and states_attribute(text)


def states_attribute(text: str) -> bool:
    """Does it say what something is or has, by a figure or a name, and no more?"""
    text = text.strip()
    if len(text) > LONGEST or text.endswith(("?", "\uff1f")) or _SENTENCES.search(text):
        return False
    lowered = text[:1].lower() + text[1:]
    forms = (
        _HOLDS.match(text) if _ANY_NOW.search(text) else None,
        _STATES.match(lowered),
        _SHORT.match(lowered),
        _STATES.match(text),
        _TURNED.match(lowered),
        _ANEW.match(lowered),
        _COUNTS.match(lowered),
    )
    found = next(filter(None, forms), None)
    lower = text.lower()
    if _PASSES.search(lower) or _TALK.search(lower):
        return False
    if found is not None and _SPECIFIC.search(f"x {found['value']}"):
        return True
    if _WHEN.match(lower) is not None or _OWNS.match(text) is not None:
        return True
    return tells_plainly(text)
