"""An agent's reply to an order that does not carry it out: consent alone, or work that is still under way.

Consent and the words of how far something is are few in every language; what is done is told in any
words there are. So the first is looked for here, and whatever else is replied counts as an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.gleaning.roots import root
from everthread.domain.text.acts.sentence_forms import IN_CASE, LABEL
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE, LOOKING, OPENINGS
from everthread.domain.text.patterns import lazy_pattern

from .leftovers import tells_missing

_TAKES_IN = lazy_pattern(
    r"\bi(?:'ll| will) (?:keep|bear|have) (?:that|this|it|both|all of (?:it|that|this)) in mind\b|"
    r"\bi(?:'ll| will)(?: definitely| certainly)? (?:remember|note) (?:that|this|it)\b|"
    r"\bi(?:'ll| will)(?: definitely| certainly)? keep (?:track|note|count|a note|a list)\b|"
    r"\bich (?:behalte|merke mir) (?:das|es)\b|\blo tendré en cuenta\b"
)
_SENTENCE = lazy_pattern(r"(?<=[.!?])\s+")

_BEHAVING = """
    stop wait hold ignore forget remember note keep use call be let go continue proceed think relax skip
    leave avoid never don't dont consider assume imagine pretend act treat mind trust focus stay speak talk
    answer reply respond stick quit start begin resume carry move drop disregard bear take do come enjoy help
    warte vergiss merk lass hör sei nenn nutze verwende bleib attends oublie arrête utilise sois appelle
    espera olvida usa deja
"""
_STARTING = "start launch restart boot spin kick bring trigger resume serve open run"
_WORDING = """
    write draft compose give suggest list name tell explain translate summarise summarize propose describe
    show rhyme phrase word title rewrite rephrase reword outline sketch recommend pick choose compare quote
    recite schreib formuliere gib nenn schlag erklär übersetze écris rédige donne propose traduis escribe
    redacta dame ponme sugiere traduce prüf prüfe sag sagen dis dime schau sieh vérifie regarde mira comprueba
"""
_BEHAVES = frozenset(_BEHAVING.split())
"""What is asked of how one behaves: who consents to that does it."""

_DOING = "move drop take start begin resume carry do leave reply answer respond help call"
_WORK_TOO = frozenset(_DOING.split())
_AT_SOMETHING = lazy_pattern(
    r"(?:the|my|his|her|our|their|(?!it's|that's|what's)\w+'s)\b(?! (?:time|best|word|lead|floor)\b)|"
    r"to (?:the|my|his|her|our|their|\w+'s)\b|(?!me\b|us\b)\w+ with (?:the|my|his|her|our|their)\b"
)
"""`Move on` is behaviour; `move the file` is work: it is done to something."""
_NO_WORK = lazy_pattern(
    r"\W*(?:please )?(?:(?:give|allow) (?:me|us) (?:a|one|some) (?:sec|second|min|minute|moment|bit|"
    r"while|break|time)\b|cancel (?:that|it)\W*$|mark my words|guess what\b|check (?:this|that|it) out\b|"
    r"(?:look|watch) out\b|(?:turn|switch) (?:on|off|up|down)\b|"
    r"give (?:me|us) (?:\w+er|more|less|fewer) \w+s\W*$|\w+:)"
)
"""Orders in form only; and the word before a colon is a heading."""
_HAPPENED = lazy_pattern(
    r"\W*\w+ \w+ed(?: (?:today|yesterday|again|fine|now|already|well|late|early|at|in|on|by|for|with|to|from)"
    r"\b|\W*$)"
)
"""`Order arrived today`: the first word is no verb."""

_AWAY_FROM_HERE = """
    book buy remind renew send mail email call phone ring reserve pay invite print ship post register return
    collect deliver file rent hire pick contact reschedule translate vacuum water schreib schreibe schick
    bestell buche ruf
"""
_ERRANDS = frozenset(_AWAY_FROM_HERE.split())
"""Verbs of orders beside those of `BASE`. What begins with no such verb only tells something."""

_LOOKING = (LOOKING | {"do"}) - {"look", "see", "watch", "tell", "guess", "state", "read", "try"}
"""What is looked into; the others are said in passing, too."""

_STARTS = frozenset(_STARTING.split())
"""After these `it is running` tells that it is done."""

WORDS = frozenset(_WORDING.split())
"""What is made by these is words: they may be of anything, and what is still to come."""

_CONSENTS = lazy_pattern(
    r"(?>(?:\W*\b(?:(?:yes|yep|yeah|ja|oui|sí)(?=\W+\w)|"
    r"ok(?:ay)?|sure(?: thing)?|will do|noted|got it|understood|on it|right away|of course|"
    r"certainly|(?:all ?)?right|no problem|gladly|roger|absolutely|definitely|with pleasure|i'm on it|"
    r"(?:i am|i'm) (?:happy|glad) to(?: help)?|happy to(?: help)?|glad to(?: help)?|(?:very )?good idea|"
    r"(?:great|good|nice|perfect|excellent|fine)(?: (?:idea|plan|point|call|thinking))?|"
    r"(?:that )?(?:makes sense|sounds (?:good|great|reasonable))|let's do (?:it|that)|consider it done|"
    r"starting(?: on (?:it|that))?(?: right)? (?:now|away)|i'll (?:get|start)(?: right)? on (?:it|that)|"
    r"i(?: have|'ve) noted (?:it|that|this)(?: down)?|i won't forget(?: it| that| this)?|"
    r"i (?:will|shall)(?:,? (?:once|as soon as|when|if|after|tomorrow|tonight|later)\b[^?.!\n]*+)?|"
    r"alles klar|(?:na )?klar|gern(?:e)?|geht klar|mach(?:e)? ich(?: gerne?| sofort)?|wird gemacht|"
    r"verstanden|"
    r"gute idee|in ordnung|d'accord|entendu|compris|bien (?:sûr|reçu)|ça marche|tout de suite|"
    r"avec plaisir|bonne idée|claro(?: que sí)?|vale|entendido|de acuerdo|por supuesto|enseguida|"
    r"buena idea|perfecto|va bene|certo|subito|хорошо|конечно|понял|принято|сделаю)(?!\w))+)\W*+"
)
_PRAISES = lazy_pattern(r"\W*(?:great|good|nice|perfect|excellent|fine|right(?! away))\b")
_ONLY_PRAISE = lazy_pattern(r"\W*(?:great|good|nice|perfect|excellent|fine)\W*")
"""`Good.`: that is said to what somebody tells, and hardly to an order."""
_UNDER_WAY = lazy_pattern(
    r"\b(?:is|are|'s|'re) (?:still |now |currently |only )*(?:running|in progress|under ?way|building|"
    r"ongoing)\b|\b(?:läuft|laufen) (?:gerade|noch|derzeit)\b|\best en cours\b|\bestá en curso\b"
)
_HALF = lazy_pattern(
    r"\bso far\b|\bhalf(?:way)? (?:of (?:it|them|that) )?(?:is |are )?(?:done|through|finished|there)\b|"
    r"\bpart(?:ly|ially) (?:done|finished|complete|implemented)\b|"
    r"\b(?:not|n't)(?: been| even)? (?:start|begu?n|begin|finish)(?:ed)?\b|"
    r"(?:\bnot|n't) (?:\w+ ){0,4}yet\b|"
    r"\bthe (?:rest|others?|remaining \w+) (?:(?:is|are) (?!un|fine|the same|as\b|gone|done|okay|ok\b)|will|"
    r"comes?|follows?|still|remains?)\b|"
    r"\b(?:is|are|comes) next\b|"
    r"\bwill need\b[^.;]*\bfirst\b|\bpending\b|\bbisher\b|\bnoch nicht\b|\bpas encore\b|"
    r"\btodavía no\b|\baún no\b"
)
"""Words of how far it is: not to the end."""

_STATES = lazy_pattern(r"\b(?:pending|in progress|on hold|outstanding|deferred|waiting|rest)\b")
"""What may be ordered to be so: then it is done where it is told to be."""
_DEED = lazy_pattern(
    r"\b(?:(?:is|are|'s|'re) (?:\w+ ){0,2}?being|nothing (?:was|is|has been|got)(?: being)?) (\w+)\b"
)
_DEEDS = "built changed done made started begun touched worked processed prepared"
_ANY_DEED = frozenset(_DEEDS.split())
"""`Is being built`, `nothing was booked`: that tells of what was ordered if it is by the same verb."""
_ITSELF = lazy_pattern(
    r"\W*(?:it|that|this|they)(?:'s|'re| is| are) (?:still )?not (?:\w+ )?"
    r"(?:done|finished|ready|written|complete)\b"
)

_STANDS_BY = lazy_pattern(
    r"\W*(?:\w+[,.!]? ){0,3}?i(?:'ll| will)(?: gladly| happily)? (?:help|assist|support|keep|track)\b"
    r"(?!.*\b(?:later|tomorrow|tonight|soon|then|when|once|after|until|if|next|by|on \w+day)\b).*"
)
_WITH_YOU = lazy_pattern(
    r"\b(?:use|have|want|need) you (?:for|as|with)\b|\bwith you\W*$|"
    r"\byour help with (?:the|my|our|a|an|this|that|these|those) [^:;]*$"
)
_NOTED_BY = frozenset({"add", "put", "include", "record", "save", "log", "note", "mark", "list"})
_NOTES = lazy_pattern(
    r"\W*(?:ok(?:ay)?|yes|sure)?\W*(?:noted|saved|got it|i(?:'ve| have) noted (?:it|that))\W*"
)
"""`Noted.`: what is only to be put down is done with that."""


def only_consents(sentences: Sequence[ParsedSentence], request: str, verb: str) -> bool:
    """`Sure!`, `On it.`: who is to make something, and says no more than that, has not made it."""
    if not is_work(request, verb) or not (verb in BASE or verb in _ERRANDS):
        return False
    praise = all(_ONLY_PRAISE.fullmatch(each.lower) for each in sentences)
    if praise or (verb in _NOTED_BY and all(_NOTES.fullmatch(each.lower) for each in sentences)):
        return False
    return all(map(consents, sentences))


_GUESSES = lazy_pattern(
    r"\W*(?:it|that|this|they|these|those|there|(?:i|we) (?:think|guess|suspect|expect)|"
    r"(?:probably|perhaps|maybe|possibly),?)\b.*\b(?:might|may|could|probably|perhaps|maybe|possibly|likely|guess|suspect|"
    r"(?:will|should|can) take|takes? (?:a|some|about|me|\w+ (?:minutes?|hours?|days?)))\b"
)


def before_guesses(sentences: Sequence[ParsedSentence]) -> Sequence[ParsedSentence]:
    """What a reply says before it guesses what will come of it: `They might be the old rows`."""
    end = len(sentences)
    while end > 1 and not sentences[end - 1].asks and _GUESSES.match(sentences[end - 1].lower):
        end -= 1
    return sentences[:end]


def is_work(request: str, verb: str) -> bool:
    """Is it more than a wish how one behaves? To that, consent is all there is to say."""
    lower = request.lower().replace("’", "'")
    if _NO_WORK.match(lower) or _HAPPENED.match(lower):
        return False
    after = lower.partition(f"{verb} ")[2]
    return verb not in _BEHAVES or (verb in _WORK_TOO and _AT_SOMETHING.match(after) is not None)


def only_takes_up(sentences: Sequence[ParsedSentence], request: str) -> bool:
    """`Run the tests.` – `On it.`: what comes of it is wanted, and it is still to come."""
    first = next((word for word in parse_sentence(request).words if word not in OPENINGS), "")
    looks = first in _LOOKING and parse_sentence(request).orders and is_work(request, first)
    return looks and all(
        consents(each) and _PRAISES.match(each.lower) is None for each in sentences
    )


def consents(each: ParsedSentence) -> bool:
    """Does it say yes, and no more?"""
    return _CONSENTS.fullmatch(each.lower) is not None


def stands_by(each: ParsedSentence, request: str, verb: str) -> bool:
    """`I will help with the shifts`: who wants to use it for them, and orders no deed, waits for none."""
    with_you = not verb.isalpha() and _WITH_YOU.search(request.lower()) is not None
    return with_you and _STANDS_BY.fullmatch(each.lower) is not None


def is_under_way(each: ParsedSentence, request: str, verb: str) -> bool:
    """Does it tell that what was ordered is not done to the end?"""
    if each.asks:
        return False
    if verb in WORDS:
        return _ITSELF.match(each.lower) is not None
    named = _STATES.search(request.lower())
    told = each.lower if named is None else each.lower.replace(named[0], "")
    if _UNDER_WAY.search(told):
        return verb not in _STARTS
    if any(_is_deed(found[1], verb) for found in _DEED.finditer(told)):
        return True
    return _HALF.search(told) is not None or tells_missing(told)


def _is_deed(participle: str, verb: str) -> bool:
    return participle in _ANY_DEED or root(participle) == root(verb)


def first_told(sentences: Sequence[ParsedSentence]) -> ParsedSentence | None:
    """The first that is more than consent. What comes after it may tell what else there is to know."""
    return next((each for each in sentences if not consents(each)), None)


def takes_in(last: ParsedSentence, request: str) -> bool:
    """`I'll keep that in mind`: enough for who only told something, and not for who wants it done."""
    if _TAKES_IN.search(last.lower) is None:
        return False
    wants = (parse_sentence(part) for part in _SENTENCE.split(request))
    return LABEL.match(request.lower()) is not None or not any(
        s.asks or s.orders or IN_CASE.search(s.lower) for s in wants
    )
