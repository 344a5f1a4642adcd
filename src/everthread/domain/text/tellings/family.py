"""Who somebody's family is: `our son Ben is 14`, `mein Mann heißt Jörg`, `we have two cats`.

That is told by a name, an age, a number or what one works. Where they are just now, or what is theirs
(`my sister's cake`), tells nothing of it.
"""

from __future__ import annotations

from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

LONGEST = 200
"""Characters of a sentence that tells it."""

_PETS = r"(?:dogs?|cats?|rabbits?|horses?|guinea pigs?|hamsters?|parrots?|chickens|ponies|pony|puppy|kitten)"
_KIN = (
    r"(?:(?:ex-)?(?:wife|husband)|partner|fianc[ée]+|girlfriend|boyfriend|(?:step)?(?:daughters?|sons?|"
    r"sisters?|"
    r"brothers?|mother|father|mum|mom|dad)|kids?|child(?:ren)?|baby|twins|parents|grandm\w+|grandf\w+|"
    r"grandpa|"
    rf"grandparents|grandsons?|granddaughters?|aunt|uncle|niece|nephew|cousin|{_PETS})"
)
_KIN_DE = (
    r"(?:frau|mann|partner(?:in)?|freund(?:in)?|verlobte[r]?|tochter|töchter|sohn|söhne|kind(?:er)?|"
    r"zwillinge|mutter|"
    r"vater|mama|papa|eltern|schwestern?|br[uü]der|oma|opa|tante|onkel|nichte|neffe|enkel(?:in)?|"
    r"hund|katzen?|kater|hunde|pferd|kaninchen|hamster)"
)
_KIN_ABROAD = (
    r"(?:femme|mari|fille|fils|mère|père|sœur|frère|enfants|chien|chat|mujer|marido|hij[oa]s?|madre|"
    r"padre|herman[oa]s?|"
    r"perr[oa]|gat[oa]|moglie|marito|figli[oae]?|sorella|fratello|cane|gatto|vrouw|man|zoon|dochter|"
    r"kinderen|hond|kat)"
)
_OWN = r"(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?|mi[oa]|mijn|onze?)"
_FAMILY = lazy_pattern(rf"\b{_OWN} (?:\w+ )?(?:{_KIN}|{_KIN_DE}|{_KIN_ABROAD})\b")
_NUMBER = r"(?:an?|one|two|three|four|five|six|\d|eine?n?|zwei|drei|vier|fünf|sechs)"
_NAME = r"(?: (?!and\b|or\b|und\b|just\b|still\b|also\b|now\b)[^\W\d_]{2,})?"
_IS = lazy_pattern(
    rf"\b(?:my|our) (?:\w+ )?{_KIN}{_NAME}(?:'s| is| are)(?: (?:called|named|turning|already|now|only|"
    rf"just|almost)){{0,2}} "
    rf"(?:\d{{1,2}}(?=\W*$|[,.;]| (?:and|years?|months?|now|but)\b)|(?<=called |.named )\w|"
    rf"an? (?!\w+ (?:late|away)\b)\w)|"
    rf"\b(?:my|our) {_KIN}{_NAME} (?:works?|studies|lives?) (?:as|at|for|in|on)\b|"
    rf"\b{_OWN} {_KIN_DE}{_NAME} (?:heißt|heissen|heißen|arbeitet|studiert|wohnt|wird \d{{1,2}}\b|"
    rf"ist \d{{1,2}}(?=\W*$|,| jahre?\b| und\b)|"
    rf"ist (?:von beruf )?(?!ein\w? )\w+(?:er|erin|in|arzt|frau|mann)(?=\W*$|,))|"
    rf"(?:^\W*(?:und )?|, (?:und )?| und ){_KIN_DE} \w+ ist \d{{1,2}}(?=\W*$|,)|"
    r"\b(?:mon|ma|notre|mi|nuestr[oa]|mi[oa]|il mio|la mia|mijn|onze) "
    rf"{_KIN_ABROAD}(?: \w+)? (?:s'appelle|a \d+ ans|se llama|tiene \d+ años|si chiama|ha \d+ anni|heet)\b"
)
_HAVE = lazy_pattern(
    rf"(?:^|[,;.] |\band )\W*(?:i|we)(?:'ve got| have(?: got)?| own) {_NUMBER} (?:\w+ ){{0,2}}?{_KIN}"
    r"(?=\W*$|[,.;(]| (?:called|named|and (?!need|want|have|am|are)\w+|aged|of \d)\b)|"
    rf"(?:^|[,;.] |\bund )\W*(?:(?:ich|wir) (?:habe|hab|haben)|(?:habe|hab|haben) (?:ich|"
    rf"wir)) {_NUMBER} (?:\w+ ){{0,2}}?{_KIN_DE}"
    r"(?=\W*$|[,.;(]| (?:namens|und)\b)"
)
_PASSES = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|yesterday|right now|this (?:morning|afternoon|evening|week|weekend)|"
    r"heute|morgen|"
    r"gestern|gerade|zu besuch|visiting|coming|staying)\b"
)


def names_family(lower: str) -> bool:
    """Is somebody of the family of who speaks named there?"""
    return _FAMILY.search(lower) is not None


def tells_family(said: ParsedSentence) -> bool:
    """Does it tell who belongs to the family, by name, age or number?"""
    lower = said.lower
    if said.asks or len(lower) > LONGEST or _PASSES.search(lower):
        return False
    return _IS.search(lower) is not None or _HAVE.search(lower) is not None
