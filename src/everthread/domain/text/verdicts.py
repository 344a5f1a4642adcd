"""What a person says of the agent's deeds: that she took them back, that they are wrong, or hers to do.

What she took back no longer stands, whatever was reported. All forms speak of a deed: `I reverted
that`, and not `add a revert button`, `undo does not work` or `the price reverts to the old one`.
"""

from __future__ import annotations

from .acts import speech
from .acts.sentence_forms import IN_CASE, QUOTATION, phrase_pattern
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

_AT = (
    r"(?:^|[,;:.!–—-]\s+|\b(?:and|then|but|so|now) )(?:(?:ok(?:ay)?|no|nope|well|please|just|also|actually|"
    r"and|then|but|so|now|let'?s|can you|could you|would you|you should|we should|you can|i want you to|"
    r"i'd like you to)\b[\s,.!–—-]*)*"
)
_BACK_AT = (
    r"(?:that|this|it|those|these|them|everything|all of|all (?:the|your|that|those)|your|the (?:last|latest|"
    r"previous|recent|whole|change|changes|edit|edits|commit|commits|refactor\w*|workaround|fix|patch)|"
    r"my last|what you (?:did|changed))\b"
)
_I = (
    r"(?:i|we|i've|we've|i'd)(?: have| had| just| already| also| now| simply| manually| then| actually|"
    r" went ahead and| had to)*"
)
_REVERTS = phrase_pattern(rf"""
    {_I} (?:reverted|undid|undone)(?!-)(?: {_BACK_AT})?
    (?:i|we)(?:'ve| have| just| also)* (?:had to|decided to|chose to) (?:revert|undo|discard|scrap|roll back|back out)(?: {_BACK_AT})?
    {_I} (?:discarded|scrapped|ditched|backed out|threw (?:out|away)|thrown (?:out|away)|git (?:reset|restored?|stashed?)) {_BACK_AT}
    {_I} (?:reverted|undid|undone|discarded|scrapped|threw (?:out|away)) (?:a (?:bunch|lot)|most|all) of (?:your|these|those|what you|the (?:changes?|edits?|commits?))\b
    {_AT}(?:revert|undo|restore|re-?add|(?:bring|put|add) back) (?=(?:the|those|all the|any|my|whatever|what) (?:[\w.-]+ ){{0,5}}(?:you|u) (?:just |have |had |also )?(?:removed|deleted|added|changed|made|dropped|wrote|replaced|cut|moved|renamed|stripped))
    {_I} rolled (?:(?:it|that|this|them|those|everything|your \w+|the \w+) )?back
    {_I} backed (?:(?:it|that|this|them|those|everything|your \w+|the \w+) )?out
    {_I} (?:took|taken|pulled|removed) (?:it|that|this|them|those|your \w+)(?: \w+){{0,2}} (?:back )?out
    {_I} (?:put|changed|switched|set|moved) (?:it|that|this|them|everything)(?: all)? back
    {_AT}(?:revert|undo|discard|scrap|back out|roll back|throw (?:out|away)) {_BACK_AT}
    {_AT}(?:roll|back|take|change|switch) {_BACK_AT}(?: \w+)? back(?: out)?\b
    {_AT}take (?:it|that|this|them|those|your \w+)(?: \w+)? (?:back )?out(?: again)?\s*[.!]*$
    {_AT}take (?:it|that|this|them|those|your \w+)(?: \w+)? (?:back )?out(?: again)?[,;]
    {_AT}put (?:it|that|this|them|those|everything)(?: all)? back
    {_AT}go back to (?:the way|how|what|where) (?:it|we|things|that)
    {_AT}(?:restore|go back to|bring back|give me back) (?:the|my|our) (?:old|previous|original|earlier|former)
    {_AT}revert\s*[.!]*$
    {_AT}revert[,;]
    ich hab\w* (?:\S+ ){{0,6}}(?:zurückgesetzt|rückgängig gemacht|verworfen|zurückgenommen|zurückgerollt)
    mach\w* (?:\S+ ){{1,4}}rückgängig
    nimm (?:das|es|die|den|sie)(?: \S+){{0,3}} (?:zurück|wieder raus)
    (?:he|hemos) (?:revertido|deshecho|descartado)
    (?:revertí|deshice|descarté)
    (?:revierte|deshaz|descarta) (?:eso|esto|el|la|los|las|tus|todo)
    j'ai (?:annulé|rétabli|défait|jeté) (?:tes|ça|cela|ces|le|la|les|tout)
    (?:annule|rétablis) (?:tes|ça|cela|ces|tout|les? (?:dernier|changement)\w*)
    remets (?:ça|cela|le|la|les|tout) comme
""")  # noqa: E501 - a phrase is one line
_OPPOSED = lazy_pattern(r"\w, not (?!just|only|sure|yet|even|to\b)(?P<what>[^,.;:!?()]{2,60})")
_WRONG = lazy_pattern(
    r"^\W*(?:no|nope|wrong|wait|sorry|actually|correction|nein)\b|\b(?:wrong|incorrect|mistake|meant|misread|"
    r"misunderstood|you (?:said|wrote|forgot))\b"
)
_REVERT_HINT = lazy_pattern(
    r"rever|undo|undid|re-?add|discard|scrap|ditch|roll|back|thr[oe]w|reset|restor|stash|\bout\b|rückg|zurück|verworfen|"
    r"wieder raus|desh|descart|revi|annul|rétabl|défait|jeté|remets"
)

_DENIES = phrase_pattern(r"""
    (?:this|that|it|those|these)(?:'s| is| was| are| were|'re)?(?:n't| not)(?: really| actually| at all)? (?:the|my|our) (?:(?:actual|real|root|right|whole) )?(?:issue|problem|cause|culprit|bug|reason)
    (?:this|that|it)(?:'s| is| was) not (?:it|why)\s*[.!]*$
    (?:issue|problem|cause|bug) (?:is|was) (?:not that|not there|somewhere else|elsewhere)
    has nothing to do with (?:it|that|this)
    (?:das|dies) (?:ist|war) nicht (?:das|der|die) (?:problem|fehler|grund|ursache)
    (?:eso|ese|esto) no es el (?:problema|error|motivo)
    ce n'est pas (?:ça )?(?:le|la) (?:problème|cause|bug|raison)
""")  # noqa: E501 - a phrase is one line

_NOT = ("not", "n't", "else", "nicht", " no ", "n'est pas")

_REPROACHES = phrase_pattern(r"""
    you (?:completely |totally |clearly |just |also |still |again )*(?:got|have|had) (?:\S+ ){1,6}(?:all |completely |totally )?wrong
    you (?:completely |totally |clearly |just |also |still |again )*(?:forgot|missed|ignored|misread|misunderstood|overlooked|broke|messed up|screwed up|skipped|lost|deleted the wrong|changed the wrong)
    you (?:still |just |again )*(?:didn't|did not|haven't|have not|never) (?:even |really |actually )?(?:do|did|done|read|look|check|test|run|follow|listen|fix|add|use|update|change|remove|answer|implement|address|finish|match|keep|include|understand)\w*
    you (?:were|have been|'ve been) (?:told|asked|supposed)
    you(?:'re| are) (?:supposed|meant) to
    you (?:keep|kept) (?:on )?\w+ing
    you(?:'re| are)(?: still| again| just)* (?:wrong|mistaken|guessing|ignoring|missing|overcomplicating|over-?engineering|making (?:this|it|that|things) (?:up|worse|too)|going (?:in circles|around in circles|off)|doing (?:it|this|that) (?:again|wrong))
    you (?:shouldn't|should not) have
    you(?:'re| are) back to
    (?:we're|we are|you're|you are|we keep|you keep) going (?:round |around )?in circles
    why (?:are|do|did|have|would|were) you (?:still |again |suddenly |even |always |constantly )*(?:back (?:to|at|on)|keep|ignor\w*|again\b|still\b|suddenly|breaking|undo\w*)
    (?:i|we)(?:'ve| have)?(?: already| just| explicitly| clearly)* (?:told|asked) you (?:not )?to
    (?:i|we)(?:'ve| have)? already (?:told you|said|explained)
    (?:i|we) (?:said|asked for|told you) (?:\S+ ){1,6}not
    (?:i|we) (?:did not|didn't|never) (?:ask|tell|want) (?:you |for )
    (?:that|this|it)(?:'s| is| was)(?:n't| not)(?: at all| really)? what (?:i|we) (?:asked|meant|wanted|said|want|need|had)
    (?:that|this|it)(?:'s| is) all (?:kinds of )?wrong
    (?:that|this|it|\w+) (?:seems|looks|sounds) wrong
    (?:that|this|it|these|those|\w+) (?:doesn't|does not|didn't|don't|do not) (?:seem|look|sound|feel) right
    (?:i|we) (?:really |just )?(?:don't|do not) (?:like|want) (?:that|this|it|those|these)
    (?:i|we) (?:really |just )?(?:hate|dislike) (?:that|this|it|those|these)
    (?:that|this|it)(?:'s| is)(?: very| really| just| way| all)* (?:confusing|a mess|overkill|over-?engineered|(?:too|overly) (?:complicated|complex|much(?! (?:\w+ )?for (?:me|us|him|her|them|one)\b)|verbose))
    you(?:'ve| have)(?: still| also)? got (?:some |a few |real |serious |several )*(?:problems?|issues?|bugs?|errors?)
    (?:i|we) (?:don't|do not) think you (?:understand|understood|got|read|looked)
    du hast (?:\S+ ){0,5}(?:vergessen|übersehen|ignoriert|kaputt gemacht|falsch (?:verstanden|gemacht))
    (?:te|has) (?:olvidado|olvidaste|ignorado|roto)
    tu as (?:\S+ ){0,3}(?:oublié|ignoré|cassé|mal compris)
""")  # noqa: E501 - a phrase is one line
_SPOKEN_TO = """
    you you're you've circles told asked said wrong right like want hate dislike confusing mess overkill
    overengineered over-engineered complicated complex much verbose what du te has tu
"""
_YOU = frozenset(_SPOKEN_TO.split())

_TASKS = (
    "run|rerun|do|test|start|restart|stop|deploy|commit|push(?! myself)|merge|rebase|release|publish|launch|"
    "execute|check|verify|handle|fix|build|write|review|install|try|configure|set up|create|upload|"
    "take care of"
)
_HERSELF = phrase_pattern(rf"""
    i(?:'ll| will|'m going to| am going to|'d rather| would rather|'d prefer to| prefer to)(?: always| just| probably)? (?:{_TASKS})(?: \S+){{0,10}}? (?:myself|manually|by hand|on my own)
    i (?:want|like|need) to (?:{_TASKS})(?: \S+){{0,8}}? (?:myself|manually|by hand|on my own)
    ich (?:werde|will|möchte) (?:\S+ ){{0,8}}(?:selbst|selber)
    ich (?:mache|starte|teste|führe|deploye|prüfe|baue) (?:\S+ ){{0,6}}(?:selbst|selber)
    (?:lo|la|yo) (?:\S+ ){{0,5}}yo mism[oa]
    je (?:vais |le |la |les )?(?:\S+ ){{0,6}}moi-même
""")  # noqa: E501 - a phrase is one line
_IT = r"(?:it|them|this|that|those|everything)(?! by\b| out\b)\b"
_PROGRAM = (
    r"(?:the |my |our |all )*(?:[\w-]+ ){0,2}(?:servers?|apps?|tests?|suite|commands?|build|scripts?|"
    r"migrations?|deploy\w*|dev|branch|code|pipeline|services?|linter|containers?|changes)\b"
)
_RUNS_IT = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|no|nope|great|thanks|wait|stop|good|cool|yes|and|so|but)\b[\s,.!–—-]*)*"
    r"i(?:'ll| will)(?: always| just)? (?:(?:deploy|commit|push|merge)(?=\s*[.,!;]|\s*$)|"
    r"(?:run|start|restart|launch|execute|test|deploy|commit|push|merge)"
    rf" (?:`|{_IT}|{_PROGRAM}))"
    r"(?!.*\b(?:tomorrow|tonight|later|next week|again|another|in a (?:bit|minute|moment))\b)"
)
_OWN = "myself manually hand own selbst selber mismo misma moi-même i'll will"
_ALONE = frozenset(_OWN.split())

_NONE_FOR_ME = lazy_pattern(
    r"(?:^\W*|[,;]\s|\b(?:so|but|and)\s)no (?!(?:luck|news|time|rush|hurry|problem|need|chance|way|idea|"
    r"reason|sleep|rest|word|reply|answer|choice|point|use|excuse|big|more|good|longer|room|space|money|deal|joy|"
    r"fun|holiday|harm|trouble|difference|surprise)s?\b)[\w'&-]+(?: (?!for\b)[\w'&-]+){0,3} for (?:me|us)"
    r"(?:,? (?:please|thanks|then|any ?more|ever|either))*\W*$"
)
"""`No nuts for me`: what one does without; but no luck, and no time, nobody chose."""
_ANY_DEED = """
    change changes changed edit edits commit commits stuff work part parts thing things one ones fix fixes
    patch attempt attempts was cambios cambio changements änderungen änderung
"""
_DEEDS = frozenset(_ANY_DEED.split())
"""Words for whatever was done: what it was done to may follow."""

_ANY_OF = """
    all last latest previous recent whole two three both few of the your tus tes deine
    night week yesterday today tonight morning gestern heute ayer hoy hier
"""
_WHICH = frozenset(_ANY_OF.split())
_LEADS_ON = frozenset(("to", "in", "of", "for", "on", "from", "within"))
_GOES_ON = """
    and or but because since so as for to in on at by from until till again now completely please it too
    i we you this that then with if when way how where und weil y porque et parce que
"""
_ENDS = frozenset(_GOES_ON.split())
_SUPPOSED = lazy_pattern(
    r"\W*(?:when|whenever|if|once|after|as soon as|wenn|falls|sobald|cuando|si|quand)\b"
)
_FIRST_PERSON = lazy_pattern(r"(?:i|we|ich|he|hemos|j)\b")
_WORDS = lazy_pattern(r"[^\s,;:!?()–—]*[^\s,.;:!?()–—]|[,.;:!?()–—]")
NAMED = 4
"""Words after `revert the …` that can name what was reverted."""


def reverted_deed(said: ParsedSentence) -> str | None:
    """What she took back of the agent's deeds, or has taken back: its name, or "" for all just done.

    None: she speaks of nothing of that kind.
    """
    if _REVERT_HINT.search(said.lower) is None or (said.asks and not said.orders):
        return None
    own = QUOTATION.sub("it", said.lower)
    found = _REVERTS.search(own)
    if found is None or IN_CASE.search(own[: found.start()]):
        return None
    if _SUPPOSED.match(own) and not _FIRST_PERSON.match(found[0]):
        return None
    return _object(own[found.end() :])


def _object(rest: str) -> str:
    named: list[str] = []
    leads = False
    for word in _WORDS.findall(rest[:80]):
        if not word[0].isalnum() or len(named) == NAMED:
            break
        if leads and word in _LEADS_ON:
            leads = False
        elif leads or word in _ENDS:
            break
        elif word in _DEEDS:
            leads = True
        elif word not in _WHICH:
            named.append(word)
    return " ".join(named)


def denies(said: ParsedSentence) -> bool:
    """Does she say that what the agent took for the cause is not it?"""
    if said.asks or not any(word in said.lower for word in _NOT):
        return False
    return _DENIES.search(said.lower) is not None


def reproaches(said: ParsedSentence) -> bool:
    """Is she unhappy with what the agent did, or did not do? `It still fails` tells of a fault only."""
    if said.bag.isdisjoint(_YOU):
        return False
    own = QUOTATION.sub("it", said.lower)
    found = _REPROACHES.search(own)
    if found is None or IN_CASE.search(own[: found.start()]):
        return False
    return not said.asks or own[found.start() :].startswith("why")


def does_herself(said: ParsedSentence) -> bool:
    """Does she keep something to herself: to run it, to test it?"""
    if said.asks or said.bag.isdisjoint(_ALONE):
        return False
    return _HERSELF.search(said.lower) is not None or _RUNS_IT.match(said.lower) is not None


def corrects(said: ParsedSentence) -> bool:
    """Does she put something right: what was said, or what the agent did?"""
    spoken = speech.corrects(said) or reproaches(said)
    return spoken or reverted_deed(said) is not None or denies(said)


def opposed_value(said: ParsedSentence) -> str:
    """What `A, not B` turns down, where nothing else says that something was wrong: only `B` is put right."""
    found = _OPPOSED.search(said.lower)
    return "" if found is None or _WRONG.search(said.lower) else found["what"]


def prefers(said: ParsedSentence) -> bool:
    """Does she tell what she likes or does without, or what she keeps to herself?"""
    without = "no" in said.bag and not said.asks and _NONE_FOR_ME.search(said.lower) is not None
    return without or speech.prefers(said) or does_herself(said)
