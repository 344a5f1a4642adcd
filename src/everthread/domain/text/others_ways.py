"""What another person does, likes or wrote: no rule for the agent, and nobody's wish who tells it.

`Piet only drinks green tea, never coffee`, `my sister prefers the aisle`: by their words these read like the
wishes of whoever says them. A name alone is none where the verb could be a program's: `Build never fails`.
"""

from __future__ import annotations

from .acts.speech import ParsedSentence
from .patterns import lazy_pattern
from .specifics_people import NOBODY

_KIN = (
    r"(?:sister|brother|wife|husband|friend|colleague|coworker|boss|manager|partner|son|daughter|mother|father|"
    r"mom|mum|dad|aunt|uncle|cousin|neighbou?r|teammate|teacher|doctor|niece|nephew|grand(?:ma|pa|mother|father)|"
    r"boyfriend|girlfriend|flatmate|roommate|landlord|kid|baby)"
)
_WAY = (
    r"(?:,? (?:who|he|she)\b)?(?: (?:always|never|only|usually|often|rarely|mostly|still|also|just|really|"
    r"generally))*+ (?!(?:is|was|has|does|wants|needs|asks|insists|says|thinks|stays|gets|goes)\b)"
)
_VERB = r"(?P<verb>[a-z]{2,}(?:[^s\W]s|ses|shes|ches|zes))\b"
_CANNOT = r" (?:can't|cannot|can not|won't|doesn't|does not|will not) [a-z]+"
_OF_PERSON = lazy_pattern(
    r"^\W*+(?:(?:and|but|also|so|well|oh|btw|yes|no)\b[\s,]*+)*+"
    rf"(?:he|she|(?:my|our|his|her) (?:\w+ )?{_KIN}(?: [a-z]+)?|"
    r"(?:mr|mrs|ms|dr|aunt|uncle|grandma|grandpa)\.? \w+|"
    rf"mum|mom|dad|grandma|grandpa)(?:{_WAY}{_VERB}|{_CANNOT})"
)
_NAMED = lazy_pattern(rf"^\W*+(?P<who>[A-Z][a-z]+(?: [A-Z][a-z]+)?)(?:{_WAY}{_VERB}|{_CANNOT})")
_ANY = lazy_pattern(rf"^\W*+(?:the |our )?[a-z]+{_WAY}{_VERB}")
_TASTES = """
    eats drinks sings sleeps likes loves hates prefers wears refuses enjoys dislikes smokes snores naps cooks
    adores detests fears dreams laughs swims
"""
_HUMAN = frozenset(_TASTES.split())
"""What only people do, or what does it alive."""
_PRONOUNS = frozenset({"he", "she", "his", "her", "him", "hers"})
_TO_AGENT = lazy_pattern(
    r"\b(?:you|your|please|must|should|so (?:please|never|always|don't|do not)|let's|don't (?!like))\b"
)

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
    rf"^\W*+(?:(?:and|but|also|so|well|oh|btw|yes|no|ok)\b[\s,]*+)*+{_NOBODY}"
    rf"(?: (?:on|in|at|from|of|over|auf|im) (?:\w+ ){{0,2}}\w+)?(?: \w+)? {_SAYS}\b(?! (?:to )?(?:me|us)\b)"
    rf"|\b(?:is|was|that's) what (?!i\b|we\b)(?:\w+ ){{1,3}}?{_SAYS}\b"
    r"|^\W*+(?:the |an? |this )?(?:quote|slogan|proverb|spam|newsletter|(?:log|error|warning) "
    r"(?:line|text|entry|message)|(?:mail|e-?mail|message|letter|note|comment|review|tweet|post|advert)"
    r"(?= (?:from|by)))(?: (?:from|by|of|in|on) (?:\w+ ){0,3}\w+)?: "
    r"|^\W*+(?:our|the|my|their|his|her) (?:old|former|previous|earlier|original) (?:\w+ )?(?:policy|rule|"
    r"motto|habit|practice|way|guideline|instruction|convention)s? (?:was|were|said|used to)\b"
    r"|^\W*+i (?:once |just )?(?:read|heard)(?: \w+){0,3} (?:that|one should|you should|you must)\b"
)
"""Whose word it is binds nobody: a stranger's, a page's, a program's, or a rule's that was."""


def tells_anothers_way(said: ParsedSentence) -> bool:
    """Does it tell what somebody else does or likes, and ask the agent for nothing?"""
    if quotes_another(said):
        return True
    if said.asks or _TO_AGENT.search(said.lower):
        return False
    if _OF_PERSON.match(said.lower):
        return True
    referred = not said.bag.isdisjoint(_PRONOUNS)
    named = _NAMED.match(said.text)
    if named is not None and named["who"].split()[0] not in NOBODY:
        return referred or named["verb"] in _HUMAN
    return referred and _ANY.match(said.lower) is not None


def quotes_another(said: ParsedSentence) -> bool:
    """Does it only tell what a stranger, a page or a program says, or what was the rule once?"""
    return _QUOTES.search(said.lower) is not None
