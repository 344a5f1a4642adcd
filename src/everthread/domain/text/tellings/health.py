"""What somebody tells of a person's health that lasts: an allergy, an illness, a handicap, a medicine.

Whoever cooks, books or advises must still know it in a year. It is told by what one has or is (`has a nut
allergy`, `is diabetic`), by what one cannot take or takes always, or under a heading (`allergies: Mina
peanuts`). A fever passes, and what is said of people in general, in a story, or of what is over, is told
of nobody.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from . import health_words as words
from .family import names_family

LONGEST = 300
"""Characters of a sentence that tells it; a longer one tells a story."""

_WHO = r"(?<![\w'-])(?P<who>[^\W\d][\w-]*+)(?: \([^()\n]{1,12}\))?,?"
_ALSO = r"(?: (?:also|still|now|really|both|all|probably|unfortunately|sadly|actually|auch|leider)){0,3}"
_GAP = (
    r"(?:(?!(?:no|not|never|with|about|on|for|who|that|whose|to|any|friends?|colleagues?)\b)"
    r"[\w'-]++ ){0,4}?"
)
_GAP_DE = r"(?: (?!(?:kein\w*|nicht|nie|mit|über|von|für)\b)[\w-]++){0,5}? "

_HAS = lazy_pattern(
    rf"{_WHO}{_ALSO}(?:(?: has| have| suffers? from| lives? with|'s|'ve)(?: got)?|"
    r"(?: is| was| am| are| were|'s|'m|'re| has| have|'ve)(?: just| recently)?(?: been)?(?: just|"
    r" recently)? "
    rf"diagnosed with) {_GAP}{words.AILMENT}"
)
_IS = lazy_pattern(
    rf"{_WHO}{_ALSO}(?:'m|'s|'re| is| am| are)(?: (?:also|very|really|an?|both|all|still|severe|strict|"
    rf"in fact|"
    rf"\d+ weeks|(?!only|hardly|barely)\w++(?<=ly))){{0,3}} {words.STATE}"
)
_CANNOT = lazy_pattern(
    rf"{_WHO}{_ALSO} (?:(?:can't|cannot|can not|mustn't|must not|(?:is|am|are) not allowed to|"
    rf"isn't allowed to|"
    r"may not|shouldn't|should not) (?:really )?(?:take|have|eat|drink|tolerate|digest)|"
    r"(?:doesn't|does not|don't|do not|never) (?:tolerate|digest|eats?|drinks?)) (?:any |anything with )?"
    rf"(?:[\w-]++ ){{0,2}}?{words.SUBSTANCE}"
)
_TAKES = lazy_pattern(
    rf"{_WHO}{_ALSO} (?:takes?|needs?|injects?|uses?|gets|carr(?:y|ies)|wears?) "
    rf"(?:{words.AID}|(?:[\w./-]++ ){{0,4}}?{words.MEDICINE})"
)
_BODY = lazy_pattern(
    rf"\b(?:my|our|his|her|\w+'s) (?:left |right |lower |upper |both )?{words.PART}\b(?:[^.;\n]{{0,30}}\b"
    rf"{words.MENDED}\b.*\b(?:19|20)\d\d\b| (?:is|are) (?:permanently |still )?(?:damaged|artificial|"
    rf"ruined|bad)\b)|"
    rf"\b(?:i|he|she|we|son|daughter|wife|husband)(?:'s| has|'ve| have)?(?: got|"
    rf" had)? (?:an? )?(?:\w+ )?(?:bad|"
    rf"damaged|artificial) (?:left |right )?{words.PART}\b|\bhad (?:an? )?(?:\w+ )?(?:stroke|"
    rf"heart attack|transplant)\b"
)
_HAS_DE = lazy_pattern(
    rf"{_WHO}(?: (?:hat|habe|hab|haben)| leidet an| leide an){_GAP_DE}{words.AILMENT_DE}"
)
_IS_DE = lazy_pattern(
    rf"{_WHO} (?:bin|ist|sind)(?: (?!nicht\b|kein\w*\b)[\w-]++){{0,3}}? {words.STATE_DE}"
)
_CANNOT_DE = lazy_pattern(
    rf"\b(?:hab|habe) ich{_GAP_DE}{words.AILMENT_DE}|"
    r"(?<![\w-])vertr(?:ag|age|ägt|agen)(?! sich)(?: (?!sich\b)[\w-]++){0,3}? (?:kein\w*|nicht)\b|"
    r"(?<![\w-])(?:keine?n?|nicht) (?:[\w-]++ ){0,2}?vertr(?:ag|age|ägt|agen)\b|"
    rf"\b(?:darf|dürfen|kann|können|soll|"
    rf"sollen)(?: [\w-]++){{0,2}}? keine?n? (?:[\w-]++ )?{words.SUBSTANCE_DE}"
    r"(?: \w+){0,2}? (?:nehmen|essen|trinken|haben|bekommen|kriegen)\b|"
    rf"\b(?:nehme|nehm|nimmt|nehmen|spritzt|spritze)(?: [\w-]++){{0,4}}? {words.MEDICINE}|"
    r"\w*tablett\w*+\b[^.;\n]{0,40}? \d[\d.,]*+ ?mg\b|"
    r"\b(?:sitzt|sitze) im rollstuhl\b|\bbraucht? (?:einen|nen|'nen) rollstuhl\b|"
    rf"\b{words.PART_DE}\b[^.;\n]{{0,40}}\b(?:op|operation|operiert)\b.{{0,20}}\b(?:19|20)\d\d\b"
)
_ABROAD = lazy_pattern(
    rf"\b(?:suis|est|sommes|sont|soy|es|somos|está|estoy|sono|è|siamo|ben|is|zijn) (?:\w+ ){{0,2}}?"
    rf"{words.AILMENT_ABROAD}|\b(?:j'ai|il a|elle a|fils a|fille a|mari a|femme a|tengo|tiene|tenemos|ho|"
    rf"heb|heeft) "
    r"(?:[\w']+ ){0,3}?(?:allergie|alergia|allergia|asthme|asma|astma|diab[eè]te|diabetes|[eé]pilepsie|"
    r"epilepsia)\b|"
    r"\b(?:en fauteuil roulant|en silla de ruedas|in sedia a rotelle|in een rolstoel)\b"
)
_FORMS = (_HAS, _IS, _CANNOT, _TAKES, _BODY, _HAS_DE, _IS_DE, _CANNOT_DE, _ABROAD)
_OF_NOW = (_CANNOT, _TAKES, _CANNOT_DE)
"""What one does, which may be so only today."""
_HEAD = lazy_pattern(
    r"^\W*(?:(?:and|also|btw|ok|okay|so|note|known|food|drug|nut|our|my|his|her|the|guest|dietary|"
    r"current|und|"
    r"bekannte|unsere|meine|\w+'s)\b[\s,:]*+){0,4}(?:allerg(?:y|ies)|allergie[ns]?|alergias|intolerances?|"
    r"medications?|meds|dietary (?:needs|requirements|restrictions)|disabilities|medical conditions?|"
    r"unverträglichkeit(?:en)?|medikamente?|vorerkrankung(?:en)?)(?:[ -]?list[ea]?)?(?: so far| bisher)?"
    r"(?P<end> ?[:–—] ?(?=\w)| - (?=\w)|\W*$)"
)
"""Under it they are named; with nothing after it on its line they follow."""
_NOBODY_WORDS = """
    it this that these those there here what which anyone everyone everybody someone somebody nobody who
    you whoever please and but or so just if when while app tool code server model system they one man
    jemand wer es das dies
"""
_NOBODY = frozenset(_NOBODY_WORDS.split())
_GENERAL_WORDS = """
    people patients children kids humans women men babies toddlers adults dogs cats birds horses animals
    users customers guests students vegans vegetarians muslims jews hindus diabetics celiacs athletes
    menschen leute kinder patienten hunde katzen frauen männer veganer vegetarier
"""
_GENERAL = frozenset(_GENERAL_WORDS.split())
"""Some of them are meant only where it says whose they are."""
_OURS_BEFORE = lazy_pattern(
    r"\b(?:my|our|both|all|his|her|their|these|meine?|unsere?|beide|ihre?)\W*$"
)
_UNREAL = lazy_pattern(
    r"^\W*(?:(?:and|but|so|also|or|und|aber)\W+)*(?:if|when(?:ever)?|suppose|imagine|what if|unless|wenn|"
    r"falls|si|"
    r"anyone|people|many|most|some people|every\w*|no ?(?:body|one))\b|"
    r"\b(?:story|novel|character|protagonist|chapter|scene|film|movie|plot|roman|figur|romanfigur|"
    r"geschichte|"
    r"if (?:i|he|she|they|someone|somebody|the|a|any\w*)|who(?:ever)? (?:has|is)|in case)\b"
)
_OVER = lazy_pattern(
    r"\b(?:no longer|out ?gr(?:ew|own?)|grew out of|grown out of|used to|cured|negative|nicht mehr|"
    r"kein\w* \w+ mehr|"
    r"negativ|geheilt|früher|not any ?more|ne .{1,20} plus|ya no)\b"
)
_PASSES = lazy_pattern(
    r"\b(?:today|tonight|right now|at the moment|for now|tomorrow|yesterday|until|till|this (?:morning|"
    r"afternoon|"
    r"evening|week|weekend|time)|heute|gerade|gestern|bis|im moment|aujourd'hui|hoy|oggi)\b"
)
_FIRST = lazy_pattern(
    r"\b(?:i|we|my|our|ich|wir|mein\w{0,2}|vertrage?|nehme?|spritze|j'ai|suis|sommes|soy|somos|tengo|"
    r"tenemos|sono|siamo|ho|ik|heb)\b"
)


def tells_health(said: ParsedSentence) -> bool:
    """Does it tell what lasts of somebody's health?"""
    return heads_health(said) or _health_of(said) is not None


def heads_health(said: ParsedSentence) -> bool:
    """Is it the heading of what lasts of people's health, or begins it with one?"""
    return not said.asks and _HEAD.match(said.lower) is not None


def tells_own_health(said: ParsedSentence) -> bool:
    """Does it tell that of who speaks, or of her family?"""
    found = _health_of(said)
    if found is None:
        return False
    who = found.groupdict().get("who") or found[0]
    return _FIRST.search(who) is not None or names_family(found.string[: found.end()])


def _health_of(said: ParsedSentence) -> re.Match[str] | None:
    return None if said.asks else _health_in(said.lower)


@lru_cache(maxsize=1_024)  # several readers ask it of each sentence
def _health_in(lower: str) -> re.Match[str] | None:
    if len(lower) > LONGEST or _UNREAL.search(lower) or _OVER.search(lower):
        return None
    every = ((form, found) for form in _FORMS for found in form.finditer(lower))
    return next((found for form, found in every if _is_of_somebody(form, found)), None)


def _is_of_somebody(form: re.Pattern[str], found: re.Match[str]) -> bool:
    """Of one person, and for good? Not of people in general, nor what one only does today."""
    if form in _OF_NOW and _PASSES.search(found.string):
        return False
    who = found.groupdict().get("who") or ""
    if who in _NOBODY:
        return False
    return who not in _GENERAL or _OURS_BEFORE.search(found.string[: found.start()]) is not None
