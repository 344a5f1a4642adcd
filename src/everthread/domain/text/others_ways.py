"""What another person does, likes or wrote: no rule for the agent, and nobody's wish who tells it.

`Piet only drinks green tea, never coffee`, `my sister prefers the aisle`: by their words these read like the
wishes of whoever says them. A name alone is none where the verb could be a program's: `Build never fails`.
"""

from __future__ import annotations

from .acts.quoting import quotes_another
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern
from .specifics_people import NOBODY

_KIN = (
    r"(?:sister|brother|wife|husband|friend|colleague|coworker|boss|manager|partner|son|daughter|mother|father|"
    r"mom|mum|dad|aunt|uncle|cousin|neighbou?r|teammate|teacher|doctor|niece|nephew|grand(?:ma|pa|mother|father)|"
    r"boyfriend|girlfriend|flatmate|roommate|landlord|kid|baby)"
)
_WAY = (
    r"(?:,? (?:who|he|she)\b)?(?>(?: (?:always|never|only|usually|often|rarely|mostly|still|also|just|really|"
    r"generally))*) (?!(?:is|was|has|does|wants|needs|asks|insists|says|thinks|stays|gets|goes)\b)"
)
_VERB = r"(?P<verb>[a-z]{2,}(?:[^s\W]s|ses|shes|ches|zes))\b"
_CANNOT = r" (?:can't|cannot|can not|won't|doesn't|does not|will not) [a-z]+"
_OF_PERSON = lazy_pattern(
    r"^\W*+(?>(?:(?:and|but|also|so|well|oh|btw|yes|no)\b[\s,]*+)*)"
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


def tells_anothers_way(said: ParsedSentence) -> bool:
    """Does it tell what somebody else does or likes, and ask the agent for nothing?"""
    if quotes_another(said.lower):
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
