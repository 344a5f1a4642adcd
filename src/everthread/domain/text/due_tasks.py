"""What must be done to a thing by some time, and who is away until some time: a task, and no task.

`The insurance must be renewed before the end of May` asks nobody, and yet it is open. Only an errand that is
bound to a date is such a task: what must always be so is a rule, and so is what holds of all of a kind; what
must be `happy today`, or is due like a verdict, is nobody's to do. `Petra is on holiday till Monday` leaves
nothing to be done: it is how things are until then, if nothing else is told with it. Only people are away.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

LONGEST = 30
"""Words of a sentence that tells a task; a longer one tells a story."""

_LED = (
    r"^\W*+(?>(?:(?:and|also|but|so|btw|oh|ok|okay|by the way|reminder|note|fyi|remember|don't forget|yes)\b"
    r"[\s,:.–—-]*+)*)"
)
_KIN = (
    r"mum|mom|dad|mother|father|parents?|sisters?|brothers?|daughters?|sons?|niece|nephew|aunt|uncle|cousins?|"
    r"grandma|grandpa|granny|grandmother|grandfather|grandparents|kids?|child|children|twins|husband|wife|"
    r"partner|fiancée?|girlfriend|boyfriend|family|in-laws"
)
_ROLE = (
    rf"(?:{_KIN}|friends?|flatmates?|roommates?|neighbou?rs?|colleagues?|co-?workers?|boss|supervisor|"
    r"landlord|landlady|doctor|gp|dentist|vet|physio|nurse|therapist|midwife|pharmacist|surgeon|teacher|"
    r"tutor|nanny|babysitter|childminder|plumber|electrician|"
    r"carpenter|gardener|mechanic|caretaker|janitor|accountant|lawyer|notary|secretary|"
    r"receptionist|treasurer|chairman|chairwoman|organist|soloist|accompanist|chef|baker|butcher|"
    r"hairdresser|pastor|priest|headmaster|headmistress|librarian|intern|apprentice|"
    r"photographer|goalkeeper|team lead|tenants?)"
)
"""Who somebody is to those who speak."""

_ALONE = (
    r"(?:manager|editor|assistant|coach|captain|trainer|instructor|designer|developer|engineer|conductor|"
    r"principal|cleaner|builder)"
)
"""The same, but a password manager is nobody."""

_DETERMINER = r"(?:the|my|our|his|her|their|[\w-]+'s)"
_WORD = r"(?!(?:that|which|who|is|are|and|or|but|because|from|says?|said|thinks?|hopes?)\b)[^\s,;:.!?]++"
_THING = (
    rf"(?P<thing>(?:{_DETERMINER} |(?=[\w-]+ing (?:must|has|needs?)\b)|"
    rf"(?=\w++ (?:\d+|one|two|three|four|five|six)\b)){_WORD}(?: {_WORD}){{0,6}}?)"
)
"""One that is meant, and not all of a kind: `the forms for the trip`, `court three`, `stocktaking`."""
_PERSON_THING = lazy_pattern(rf"{_DETERMINER} (?:[\w-]+ )?(?:{_ROLE}|{_ALONE}|player|patient)$")
_DEEDS = (
    r"renewed|paid|booked|sent|submitted|filed|signed|returned|ordered|finished|completed|fixed|"
    r"handed(?= in| over| back)|picked(?= up)|dropped(?= off)|turned(?= in)|(?:brought|taken|given)(?= back)|"
    r"washed|repaired|mended|cleaned|serviced|replaced|changed|collected|posted|mailed|cancell?ed|registered|"
    r"bought|printed|painted|reserved|extended|invoiced|transferred|repeated|inspected|ironed|mowed|"
    r"swept|updated|emptied|prepared|packed|arranged|confirmed|scheduled|reviewed|translated|corrected|graded|"
    r"marked|scanned|copied|vaccinated|trimmed|cut|pruned|sharpened|calibrated|tested|checked|oiled|tuned|"
    r"installed|removed|cleared|refilled|restocked|topped(?= up)|planted|harvested|weeded|uploaded|"
    r"backed(?= up)|written|drafted|proofread|rewritten|revised|patched|upgraded|migrated|deregistered|sewn|"
    r"hemmed|framed|varnished|polished|stamped|notari[sz]ed"
)
_DOINGS = (
    r"washing|repairing|renewing|fixing|cleaning|painting|servicing|replacing|changing|mending|ironing|signing|"
    r"mowing|sweeping|sharpening|tuning|inspecting|paying|ordering|booking|pruning|cutting|trimming|oiling|"
    r"checking|testing|updating|emptying|restocking|refilling|calibrating|weeding|sewing|patching|polishing|"
    r"varnishing|sanding|hemming|proofreading|translating|reviewing|restringing|regrouting|sealing|vaccinating"
)
_SPARE = (
    r"tyres?|tires?|lines|strings?|batter(?:y|ies)|filters?|brakes?|locks?|soles|toner|bulbs?|nets?|seals?|"
    r"reeds?|pads|wheels?|blades?|chains?|belts?|hinges?|handles?|labels|signs?|fuses?|cartridges?|ink|hoses?|"
    r"cables?|straps?|wipers|gaskets?|zips?|tiles|gutters|boards?|covers?|curtains|laces|grips?|taps?"
)
_MONEY = (
    r"fees?|invoices?|bills?|tax(?:es)?|tax return|deposit|instal?ments?|premium|subscription|dues|payment|"
    r"balance|contribution|membership|mortgage"
)
_WORK = (
    r"report|paper|essay|assignment|homework|application|draft|thesis|manuscript|proposal|forms?|abstract|"
    r"presentation|timesheets?|grades|translation|accounts|minutes|portfolio|submission|coursework|slides|"
    r"registration|renewal|article|review|chapter|order form|claim|declaration|rsvp|reply"
)
_LENT = (
    r"books?|sheet music|scores?|costumes?|skis|keys?|tools?|rental car|van|dvds?|instruments?|projector|"
    r"laptop|camera|robes|suit|tent|trailer"
)
_TAIL = r"(?: (?:for|of|to|at) (?:the |my |our )?[\w-]+(?: [\w-]+)?)?"
_DUE = (
    rf"(?P<owed>(?:the|my|our) (?:[\w-]+ ){{0,2}}?(?:{_MONEY}){_TAIL}|the (?:{_WORK}){_TAIL}|"
    rf"(?:the|my|our) (?:[\w-]+ ){{0,2}}?(?:{_WORK}){_TAIL}(?= (?:is|are) due (?:by|before|no later)\b)|"
    rf"(?:my|our) (?:[\w-]+ ){{0,2}}?(?:{_WORK}){_TAIL}) (?:is|are) due\b(?! to\b)|"
    rf"(?P<lent>(?:(?:the|my|our) )?(?:[\w-]+ ){{0,2}}?(?:{_LENT}){_TAIL}) (?:is|are) due back\b"
)
"""What those owe who speak; a verdict, a train and a sister are due as well."""
_MUST = (
    r"(?>(?:still |also |really |all |now )*)(?:must|has to|have to|needs? to)"
    r"(?: still| all| really| also)? be"
)
_OUGHT = (
    rf"(?:{_MUST} (?P<deed>{_DEEDS})\b"
    r"|(?>(?:still |also |really |badly |now )*)needs? (?:an? |some )?(?:good |proper |thorough )?"
    rf"(?P<doing>{_DOINGS}|new(?= (?:{_SPARE})\b)|service|repairs)\b)"
)
_TASK = lazy_pattern(rf"{_LED}(?:{_THING} {_OUGHT}|{_DUE})")
_MORE = lazy_pattern(
    r"\b(?:and|but|so|because|as|since) (?:i|i'm|i'd|i'll|we|we're|we'll|you|let's|please)\b"
)
"""More is told than the task: that is judged by its own forms."""
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|"
    r"jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
)
_SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|xmas|easter|new year)\b"
_SOME = (
    r"(?:(?:an?|one|two|three|four|five|six|seven|eight|ten|\d+|a few) (?:days?|weeks?|months?)\b)"
)
_DATE = (
    rf"(?:(?:{_DAY},? )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|"
    rf"{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?|(?:{_DAY},? )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)\b|"
    rf"\d{{4}}-\d\d-\d\d|{_DAY}(?: week\b)?|tomorrow\b|tonight\b|today\b|"
    r"(?:the )?(?:end|start|beginning|middle) of (?:the |this |next )?"
    rf"(?:(?:week|month|year|quarter|term)\b|{_MONTH})|the weekend\b|"
    rf"(?:next|this) (?:week|weekend|month|year|quarter|{_SEASON}|{_DAY}))"
)
_EXPIRES = lazy_pattern(
    rf"{_LED}{_THING} (?:expires?|runs? out|lapses?|ends?) (?:(?:on|in|at|by) )?(?:{_DATE}|{_SOME})"
    r"[^.;!?]{0,30}?\b(?:so|and)\b(?: it| they)? "
    rf"(?:(?:must|has to|have to|needs? to) be (?P<deed>{_DEEDS})\b|needs? (?P<doing>{_DOINGS})\b)"
)
_EVENT = (
    r"(?:the|our|my|next|\w+'s) (?:\w+ )?(?:season|holidays?|vacation|wedding|concert|tournament|trip|party|"
    r"fair|festival|exams?|school year|parents' evening|exhibition|show|performance|premiere|recital|gala|"
    r"match|game|race|regatta|camp|semester|term|audit|birthday|anniversary|christening|funeral|frost|snow|"
    r"market|open day|retreat|conference|flight|departure|tour|journey|audition|reunion|guests)\b"
)
_GAP = (
    r"(?: (?:in|up|off|over|back|again)\b)?"
    r"(?: (?!(?:by|before|until|till|on|in|that|which|who|and|or|but|if|when|while|because|after|as|soon|"
    r"tomorrow|next|today|tonight|this|within|no|to be)\b)[\w'-]++){0,5}"
)
_BY = (
    rf"(?:(?:by|before|no later than)(?: about| around)? {_DATE}(?:'s [\w-]+)?|"
    rf"before (?:{_EVENT}(?: (?:starts?|begins?|opens?|arrives?|comes?))?|"
    rf"(?:the )?{_SEASON}(?: starts?| comes)?)|"
    rf"(?:on|at) (?!to(?:day|night|morrow)){_DATE}|(?P<month>in {_MONTH})|(?:in|within) {_SOME}|tomorrow|"
    r"next (?:week|month)|(?P<soon>(?:very |quite )?soon)|(?P<now>today|tonight|this (?:week|month)))"
)
_BOUND = lazy_pattern(
    rf"{_GAP} {_BY}(?>(?:,? (?:(?:on|at|in) {_DATE}|\d{{4}}\b|next (?:year|week|month)\b|"
    r"at the latest\b|latest\b|please\b|btw\b|by the way\b))*)"
    r"(?=\W*$|\s*[,;:(–—]| - | (?:so|because|or|and|but|at|for|with|from)\b)"
)
"""What comes after the deed and ends what is told: `on the 3rd row` is no day. Of what must be so now one may
only suppose it: `the hall must be booked today`; what one has to, one must."""
_OWN = lazy_pattern(r"(?:my|our)\b")
_HAS_TO = lazy_pattern(r"\b(?:has to|have to|needs?|due)\b")
_GENERAL = lazy_pattern(
    r"\b(?:always|never|every|each|any|usually|normally|whenever|if|unless|per|daily|weekly|monthly|would|"
    r"only|not|n't|no|nothing|\w+days|at all times|needed|had to|was|were|you|your|should|could|might|"
    r"rent|says?|said|according|apparently|supposedly|as a rule|normal)\b|n't\b"
)
"""What holds of more than one time, or is only supposed."""
_PUBLIC = lazy_pattern(
    r"\b(?:laws?|treaty|act|budget|bridge|constitution|stadium|government|parliament|minister|president|king|"
    r"queen|world|climate|country|dispute|strike|election|vote)\b"
)
"""What others see to."""


_PERSON = (
    rf"(?:(?i:i|we|he|she|{_KIN}|(?:my|our|his|her|their|the) (?:(?:[\w-]+ )?{_ROLE}|{_ALONE}))"
    r"(?: [A-Z][a-z-]+)?|"
    r"(?i:dr|mr|mrs|ms|prof|aunt|uncle)\.? [\w-]+)"
)
_FIRST = r"(?!(?:The|My|Our|His|Her|Their|Your|This|That|These|It|All|An?)\b)[A-Z][a-z-]+"
_IS = r"(?:'s|'m|'re| is| am| are| will be|'ll be)(?: still| now| all| currently)?"
_AS_PEOPLE = (
    r"(?:on (?:(?:annual|sick|parental|maternity|paternity|study|unpaid|compassionate) )?(?:holidays?|leave|"
    r"vacation|honeymoon)|on (?:sabbatical|a (?:\w+ )?(?:trip|course|retreat|cruise|sabbatical))|away|abroad|"
    r"off sick|out sick|out of (?:the )?(?:office|town|country)|ill|sick|injured|travelling|traveling|ooo|"
    r"in (?:hospital|rehab)|laid up|at (?:a|the) (?:\w+ )?(?:conference|workshop|seminar|wedding|retreat|"
    r"trade fair|training|summer camp))"
)
"""How only people are."""
_AWAY = (
    rf"(?:{_AS_PEOPLE}|off(?: work| duty)?|out|busy|unavailable|on (?:call|duty|tour|business|the road)|"
    r"not (?:here|in|available|around|reachable))"
)
_UNPLACED = (
    r"Beta|Alpha|Sprint|Phase|Chapter|Year|Grade|Week|Room|Marketing|Sales|Finance|Business|Economy|First|"
    r"Support|Engineering|Accounting|Legal|Production|Maintenance|Lockdown|Quarantine"
)
_PLACE = rf"in (?!(?:{_UNPLACED})\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?"
_WITH = r"(?: (?:for work|on business|with (?:my|his|her|their|the) (?:\w+)))?"
_UNTIL = (
    rf"(?:(?:till|until|til|through|up to) (?:{_DATE}(?:,? (?:\d{{4}}|next year))?|{_SOME})|"
    r"(?:all|this|for the) week)"
)
_LEAVE = r"(?:paternity|maternity|parental|sick|annual) leave"
_REST = (
    r"(?>(?:[ ,–—-]+(?:btw|by the way|fyi|nothing serious|sadly|unfortunately|though|i'm afraid"
    r"|i think|again|"
    rf"{_LEAVE}|as you know|lucky (?:him|her|them)))*)\W*$"
)
"""What may stand beside it. Where more is told, the whole does not end with the absence."""
_ABSENT = lazy_pattern(rf"(?i:{_LED}){_PERSON}(?i:{_IS} {_AWAY}{_WITH},? {_UNTIL}{_REST})")
_SOMEWHERE = lazy_pattern(
    rf"(?i:{_LED})(?:{_PERSON}|{_FIRST})(?i:{_IS}) {_PLACE}(?i:{_WITH},? {_UNTIL}{_REST})"
)
_NAMED = lazy_pattern(
    rf"(?i:{_LED}){_FIRST}(?: [A-Z][a-z-]+)?(?i:{_IS} "
    rf"(?:{_AS_PEOPLE}{_WITH},? {_UNTIL}{_REST}|out {_UNTIL}[ ,–—-]+{_LEAVE}\W*$))"
)
_LEFT_OPEN = lazy_pattern(
    r"\b(?:undecided|decide\w*|open|waiting|pending|blocked|need|needs|must|have to|has to|should|remind)\b"
)


_OBLIGES = frozenset({"must", "has", "have", "need", "needs", "due"})
_BOUND_WORDS = """
    by before later on in at within tomorrow tonight today soon next this
"""
_TIMES = frozenset(_BOUND_WORDS.split())
_ENDS = frozenset({"till", "until", "til", "through", "up", "week"})


class DueTask(NamedTuple):
    """What is to be done, and to what."""

    thing: str
    deed: str
    """The verb; empty where it is only due."""


def due_task(said: ParsedSentence) -> DueTask | None:
    """What the sentence says must be done by some time; None if it does not."""
    if said.asks or not 3 < len(said.words) <= LONGEST:  # noqa: PLR2004 - fewer tell nothing
        return None
    if said.bag.isdisjoint(_OBLIGES) or said.bag.isdisjoint(_TIMES):
        return None
    return _task_in(said.lower)


@lru_cache(maxsize=2_048)  # what is open is held against every later message
def _task_in(lower: str) -> DueTask | None:
    found = _TASK.match(lower)
    bound = found is not None and _is_bound(lower, found)
    found = found if bound else _EXPIRES.match(lower)
    if found is None or _GENERAL.search(lower) or _MORE.search(lower):
        return None
    thing = _thing_of(found)
    if _PERSON_THING.match(thing) or _PUBLIC.search(thing):
        return None
    return DueTask(thing, found["deed"] or found["doing"] or "")


def _thing_of(found: re.Match[str]) -> str:
    told = found.groupdict()
    return told["thing"] or told.get("owed") or told.get("lent") or ""


def _is_bound(lower: str, found: re.Match[str]) -> bool:
    """To a date, or to one of the events for which one makes ready; and with that it is told."""
    bound = _BOUND.match(lower, found.end())
    if bound is None:
        return False
    if bound["soon"]:
        return _OWN.match(_thing_of(found)) is not None
    if bound["month"]:
        return not found["doing"]  # a lawn is mown in May each year
    return not bound["now"] or _HAS_TO.search(lower) is not None


def tells_absence(said: ParsedSentence) -> bool:
    """Does it tell where somebody is, or that somebody is away, until some time, and nothing else?"""
    if said.asks or len(said.words) > LONGEST or said.bag.isdisjoint(_ENDS):
        return False
    if _LEFT_OPEN.search(said.lower):
        return False
    return any(form.match(said.text) is not None for form in (_ABSENT, _SOMEWHERE, _NAMED))
