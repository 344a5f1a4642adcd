"""What an agent says by the way, and nobody needs later: guesses, plans, advice, what it says of itself and
of the person, and what it sees before its next step.
"""

from __future__ import annotations

from collections.abc import Sequence

from everthread.domain.text.acts import speech
from everthread.domain.text.acts.proposals import recommends
from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.patterns import lazy_pattern

from .utterances import Utterance

CLOSING = 3
"""Sentences at the end of a message in which it asks for leave."""

FADED = 0.2
"""What weighs at most what was mended since, or proved not to be so."""

_GUESSES = phrase_pattern(r"""
    (?:likely|probably|possibly|presumably|perhaps|maybe|apparently)
    (?:might|may)(?: not| also| still| just)* (?:be|have|need|cause|want|help|work|not|take|conflict)
    (?:seems?|appears?|sounds?|looks?) (?:to|that|like|as if|stuck)
    (?:i|we) (?:think|suspect|assume|guess|believe)
    (?:could be|could have)
    either\W*$
    (?:i|we|you)(?:'d| could(?! not)| would)
    (?:wahrscheinlich|vermutlich|vielleicht|möglicherweise|scheint|scheinen|könnte)
    (?:probablement|peut-être|semble|probablemente|quizás?|parece|tal vez|podría)
    (?:возможно|вероятно|похоже|наверное|кажется)
""")
_SIGNS = lazy_pattern("可能|也许|应该是|估计|似乎|かもしれ|おそらく|아마")
_OF_PERSON = phrase_pattern(r"""
    (?:the )?user (?:is|was)(?: now| also| just| still)* (?:say|show|ask|tell|want|refer|report|point|see|mention|request|complain)ing
    (?:the )?user (?:says|said|wants|wanted|asked|asks|did|showed|shows|told|reports|reported|mentioned|edited|confirmed|provided|likes|sees|is right)
""")  # noqa: E501 - a phrase is one line
_OF_ITSELF = lazy_pattern(
    r"\W*(?:(?:and|but|so|now|also|okay|yes|no|sorry|wait)\b[\s,.!]*)*i(?:'m| am|'ve| have)?\b"
    r"(?! (?:\w+ )?(?:found|find|confirmed|verified|measured|checked|tested|compared|counted))"
)
_ADVISES = lazy_pattern(
    r"\W*(?:(?:and|but|so|then|also|now)\b[\s,]*)*(?:you|one) ?"
    r"(?:can|could|may|should|must|will|'ll|need to|have to|want to)\b(?! (?:now|no longer)\b)|"
    r"\W*(?:think of|imagine|picture)\b"
)
_OWN_PLAN = lazy_pattern(
    r"\b(?:i|we)(?:'ll| will|(?:'m| am|'re| are) (?:going to|\w+ing\b))|"
    r"\bich werde\b|\bwir werden\b|\bje vais\b|\bvoy a\b|\bvamos a\b"
)
_COMES = lazy_pattern(r"\b(?:will|you'll|it'll)\b")
_DAYS = (
    r"(?:\w+day|week\w*|month|year|morning|evening|afternoon|spring|summer|autumn|winter|\w+tag|woche\w*|monat|"
    r"jahr|sommer|lunes|martes|miércoles|jueves|viernes|sábado|domingo|semana|mes|año|semaine|mois|année)\b"
)
_LEANS = lazy_pattern(
    r"[^\w`]*(?:(?:summary|result|note)\b\W*)?(?:(?:this|that|these|those|he|she|they|dies\w*|"
    r"das (?:ist|war|sind|waren|wird|bedeutet|heißt|liegt|zeigt|gilt)|esto|eso|ello|est[ae]|es[ae]|"
    rf"ceci|cela|ça|cette|ces|это\w?|эт[аиу]|он[аи]?)\b(?! {_DAYS})|c['’]est\b|"
    r"it\b(?!(?:['’]s| is| was| takes?| took| costs?) (?:about |around |roughly )?[$€£]?\d))"
    r"|\W*(?:这|那|它|他|她|此|これ|それ|この|その|이것|그것)"
)
"""So begins what speaks of something that was named before it. `It takes 40 minutes` needs no name."""
_NOW = lazy_pattern(r"[^\w`]*(?:(?:jetzt|nun|ahora|maintenant|теперь)\b|现在|現在|今は|이제)")
_EXPECTS = lazy_pattern(
    r"\b(?:should|sollten?|debería\w*|devr(?:ait|aient|ais|iez)|должен|должна|должны)\b|应该|はずです"
)
_FIGURE = lazy_pattern(r"(?<![\w-])\d")
_PRECISE = lazy_pattern(r"[\d`\"“„«/_]")
_ASKS_HER = lazy_pattern(
    r"\W*(?:(?:and|then|now|so|also)\b[\s,]*)*(?:please|bitte|por favor|s['’]il (?:te|vous) plaît|"
    r"пожалуйста)\b|\bwas du (?:jetzt |nun |noch )?(?:bitte )?(?:tun|machst|prüfst|testest)\b|"
    r"\bwhat you (?:need to|should|can) do\b|\blo que (?:debes|tienes que) hacer\b|\W*请"
)
_LOOKS_ON = lazy_pattern(r"\W*(?:here|i'd)\b")


def is_guess(each: ParsedSentence) -> bool:
    """Does the agent itself not know whether it is so?"""
    if _GUESSES.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None


def tells_of_person(each: ParsedSentence) -> bool:
    """Does it tell what the person says or does, who said it herself?"""
    return _OF_PERSON.search(each.lower) is not None


def leans_on_before(each: ParsedSentence) -> bool:
    """Does it speak of what another sentence names? Alone nobody knows what is meant."""
    return _LEANS.match(each.lower) is not None


_NAMELESS = lazy_pattern(
    r"\W*(?:(?:nah|no|nope|ok|okay|yes|so|then|well|and|but|hm+|oh|please|just|actually|maybe)\b\W*){0,4}"
    r"(?:(?:let'?s|(?:we|i)(?:'ll| will| can| should)?) )?"
    r"(?:skip|drop|scrap|put|leave|keep|move|take|push|cancel|do|change|forget|postpone|delay|ditch) "
    r"(?:it|that|this|them|those)\b(?! (?:\w+ )?(?:way|one|part|time)\b)"
)
_FIGURE_OR_NAME = lazy_pattern(r"\d|(?<!^)(?<![.!?] )\b[A-Z]|[`\"/_]")


def decides_on_unnamed(text: str) -> bool:
    """`Nah, skip that`, `let's put it off`: a choice about something that is named only before it."""
    nameless = _NAMELESS.match(text.lower().replace("\u2019", "'")) is not None
    return nameless and _FIGURE_OR_NAME.search(text) is None


def is_passing(each: ParsedSentence) -> bool:
    """Is it no statement of how something is, but a plan, an exclamation, advice, or self-talk?"""
    said = each.lower
    return (
        tells_of_person(each)
        or _praises_state(each)
        or each.text.endswith("!")
        or any(form.match(said) for form in (_OF_ITSELF, _ADVISES))
        or _OWN_PLAN.search(said) is not None
    )


def _praises_state(each: ParsedSentence) -> bool:
    """`Now it all looks better` closes a report, and names nothing: neither a figure nor a place."""
    return _NOW.match(each.lower) is not None and _PRECISE.search(each.text) is None


def only_hopes(each: ParsedSentence) -> bool:
    """Is it what the agent expects of its work, and no date or sum to count on?"""
    lead = each.lower.partition("\n")[0]
    return _EXPECTS.search(lead) is not None and _FIGURE.search(lead) is None


def asks_person(each: ParsedSentence) -> bool:
    """Does it ask the person to do, or to test, what follows?"""
    return _ASKS_HER.search(each.lower) is not None


def leads_to_step(said: Utterance, n: int) -> bool:
    """Does the paragraph go on to what the agent does next? Then it tells what it saw on its way."""
    for after in range(n + 1, len(said.sentences)):
        if "\n\n" in said.text[said.places[after - 1].end : said.places[after].start]:
            return False
        if _announces(said.sentences[after]):
            return True
    return False


def _announces(each: ParsedSentence) -> bool:
    return speech.plans(each) and not recommends(each) and not _LOOKS_ON.match(each.lower)


def awaits_leave(said: Utterance) -> bool:
    """Does it end by saying what the agent will do, once it may?"""
    closing = said.sentences[-CLOSING:]
    return any(_OWN_PLAN.search(s.lower) for s in closing) and any(s.asks for s in closing)


def is_plan(listed: Sequence[ParsedSentence], *, awaits: bool) -> bool:
    """Does a list say what the agent will do, more than what it did? `awaits`: for that it asks leave."""
    planned = sum(_OWN_PLAN.search(each.lower) is not None for each in listed)
    coming = awaits and any(_COMES.search(each.lower) for each in listed)
    done = sum(map(speech.reports, listed))
    return (planned > 0 and planned >= done) or (coming and not done)
