"""What holds for good, and what is said of one thing only: by its scope, whatever verb stands in it.

`Every answer in euros` and `net of VAT in everything you show me` hold from now on, though no `always`
stands in them. `Don't touch that` speaks of one thing, and is an order. `Rename every file` is an order
too: it is done once. `Every baker has to get up early` tells of the world. So a scope makes a rule only
where it is the agent's own work or talk, or where the sentence says what must be of that; a date makes
one only where an order follows.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from . import word_lists as words
from .general_rules import holds_of_kind
from .sentence_forms import phrase_pattern

_OUTPUT = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|e-?mails?|mails?|explanations?|summar(?:y|ies)|reports?|"
    r"drafts?|tables?|charts?|snippets?|examples?|commits?|commit messages?|pull requests?|prs?|reviews?|"
    r"prices?|amounts?|sums?|figures|numbers|dates|times|units|measurements|temperatures|distances|quotes|"
    r"translations?|suggestions?|proposals?|recipes?)"
)
"""What an agent gives, and the values in it."""
_VALUES = (
    r"(?:prices|amounts|sums|figures|numbers|dates|times|units|measurements|temperatures|distances|weights|"
    r"lengths|names|quotes)"
)
"""Of these, what stands in whatever it writes."""
_TALK = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|drafts?|snippets?|commits?|"
    r"commit messages?|pull requests?|prs?|prices|amounts|translations?|suggestions?|proposals?|recipes?)"
)
"""Of these, what only it gives: `all messages with a photo` may be any that came."""

_WORK = (
    r"(?:commits?|push(?:es)?|deploy\w*|releases?|merges?|migrations?|restarts?|changes?|edits?|steps?|"
    r"sessions?|updates?|"
    r"versions?|runs?)"
)
_DOES = (
    r"(?:show|send|give|write|produce|make|create|generate|deliver|post|publish|commit|touch|add|draft|tell|"
    r"answer|report|suggest|propose|recommend|book|buy|order|cook|edit|change|translate|quote)"
)
_YOURS = rf"you(?: ever)? {_DOES}\b"
_EACH = r"(?:every|each|all|any)(?: single)?(?: of)?(?: the| your| my| our| future| new)*"
_HAVE_BEEN = r"(?! have (?:been|gone|come|become|done|\w+ed|\w+en|\w{2,}t)\b)"
"""What must have been is only supposed."""
_PIECES = (
    rf"(?:{_OUTPUT}|{_WORK}|files?|lines?|words?|code|functions?|tests?|comments?|things?|pages?|chapters?|"
    r"scenes?|texts?|sentences?|documents?)"
)
_THINGS = rf"(?:everything|anything|whatever|wherever|(?:every|each|any|all)(?: the)? {_PIECES})"
_WORKED = (
    r"be (?:\w+ly |always )*(?:answered|approved|archived|backed up|booked|checked|cited|commented|committed|"
    r"converted|deployed|documented|encrypted|explained|formatted|given|labell?ed|linted|listed|logged|"
    r"marked|merged|named|numbered|ordered|prefixed|pushed|quoted|reviewed|rounded|saved|sent|shown|signed|"
    r"sorted|spell?ed|spelt|stored|tagged|tested|translated|typed|validated|verified|written)\b"
)
"""What an agent does, said of the thing to which it is done."""
_MUST = rf"(?:must{_HAVE_BEEN}|ha(?:s|ve) to|needs? to|(?:is|are) to|shall)"
_SOON = r"(?!.*\b(?:by|before|until) (?:tomorrow|tonight|noon|next|the end|eod|\w+day|\d|march|june|july))"
_AT = (
    r"(?:^|[,;:.–—-]\s)\W{0,20}(?:(?:but|so|then|ok|okay|now|please|just|also|and|und|aber|bitte|dann|y|e|et|"
    r"pero|mais)\b"
    r"[\s,]*){0,8}"
)
_IS = (
    r"(?!.*\b(?:is|are|was|were|has|have|had|did|does|do|came|went|comes?|goes|gets?|takes?|costs?|looks?|"
    r"sounds?|seems?|feels?|works?|makes?|means?|contains?|fails?|\w+s (?:me|us|him|them|my|our)|"
    r"an? \w+ \w+s)\b)"
)
"""Where somebody or something does or is what, it is told and not wished."""
_FORMED = (
    r"(?:(?:as|to me|rounded|on one)\b|(?:with|without|under|below)\b(?=.*\bplease\b)|"
    r"in (?!(?:column|row|section|chapter|line|"
    r"page|cell|sheet|figure|table|(?:the|this|that|these|those|my|our|your|his|her|their) (?!(?:[\w-]+ )?"
    r"(?:same|metric|imperial|voice|tense|system|format|form|style|language|currency|person|units?)\b))\b))"
)
"""How it is to look: `in euros`; but `in column B` is where it stands."""
_BE = r"(?:be|have|stay|remain|fit|match|follow|use|go through|come|pass)\b"
_READY = r"(?! be (?:ready|done|finished|fine|ok|okay|working|over)\b)"
_OVERALL = (
    rf"(?:(?:everything|anything)(?: \w+)?(?: you \w+)? (?:must{_HAVE_BEEN}|has to|needs to){_READY} {_BE}|"
    rf"(?:nothing|nobody|no one)(?: \w+)? (?:must|may){_HAVE_BEEN}(?! (?:come of|be (?:wrong|hurt)))|"
    rf"(?:nobody|no one|nothing) is (?:ever )?(?:allowed|permitted) to\b){_SOON}"
)
_STANDS = (
    r"(?!.*\b(?:sind|ist|war|waren|hat|haben|fehl\w+|stimm\w+|está|están|son|es|fueron|rebotan|sont|"
    r"est|étaient|"
    r"ont)\b)(?!\w+ (?:de[rmn]|diese\w+|spalte|zeile|la|el|las|los|esta|este|columna|fila|ce|cette|\d+)\b)"
)
_DID = (
    r"(?!direkt|sofort|jetzt|selbst|erst|zuerst|fest|laut|oft|dort|nicht|bereits)\w+t(?= (?:etwas|"
    r"was|er|sie|es|"
    r"das|der|die|man|mir|mich|uns|jemand|irgend\w+|alles|ein\w*|mein\w*|diese\w*)\b|\W*$)|"
    r"\w+ (?:ich|wir|er|man|du)\b"
)
"""The verb, and who or what it is said of: `nie klappt etwas`, `immer muss ich`."""
_ALWAYS = phrase_pattern(rf"""
    {_AT}{_EACH} (?:[\w'-]+ ){{0,2}}?{_OUTPUT}(?: \w+)? {_FORMED}{_IS}
    {_AT}{_EACH} (?:[\w'-]+ ){{0,2}}?{_TALK}(?: \w+)? (?:with|without|under|below)\b{_IS}
    {_AT}{_EACH} (?:[\w'-]+ ){{0,2}}?{_PIECES}(?: you \w+)? (?:must{_HAVE_BEEN}|ha(?:s|ve) to|needs? to (?:be|have)|gets? an?){_SOON}
    {_AT}(?:every|each|all) (?:[\w'-]+ ){{1,3}}?(?:must|ha(?:s|ve) to|needs? to) {_WORKED}{_SOON}
    {_AT}{_OVERALL}
    (?:so|but|and|because) {_OVERALL}
    (?:^|[,;:.–—-]\s+)(?!(?:and |but |so )?(?:i|we|he|she|they)\b)[^,;:.]*\b{_MUST}\b[^;.]*\b(?!at all times)(?:in|on|for|with|at|to|by|of) (?:(?:everything|anything|whatever) {_YOURS}|(?:every|each|any|all)(?: single| of)?(?: your| future| new)* (?:[\w'-]+ ){{0,2}}(?:{_OUTPUT}|{_WORK})\b)
    {_THINGS} {_YOURS}.*\b(?:must|has to|have to|should|needs? to|shall|can't|cannot|can not|may not|mustn't|shouldn't|can only|may only)\b
    (?:must|has to|have to|should|needs? to|shall)\b.*\b{_THINGS} {_YOURS}
    (?:(?:you|your|{_PIECES})\b.{{0,120}}\b(?:must|has to|have to|should|needs? to)|please|want|expect)\b.{{0,160}}\b(?:at all times|in all cases|without exceptions?|no matter what|every single time)
    (?:i|we)(?:'d| would)? (?:want|need|expect|like) {_EACH} (?:[\w'-]+ ){{0,2}}?{_OUTPUT} (?:in|as|with|without|to be|rounded)\b
    (?:i|we)(?:'d| would)? (?:want|need|expect|like) (?!to (?!see|know|be (?:asked|told|informed)|have|get|approve|review|read)\b).*\b(?:from now on|from here on|going forward|at all times|in future)
    {_AT}(?:nie|niemals|nie wieder|nie mehr) (?!im leben\b|zuvor\b|davor\b|so\b|war|hat|hab|ist|bin|wird|würd|wurd|könn|konn|gab|mehr (?:war|hab|hat)|{_DID})\w+
    {_AT}immer (?!noch\b|mehr\b|wieder\b|wenn\b|d(?:ie|er|as|en)(?:selb|\s+(?:gleich|selb))|diese|{_DID})(?:\S+ ){{0,8}}\w{{2,}}(?:en|ern|eln)\W*$
    {_AT}(?:vor|nach|bei|in|zu|mit) jede[rmns]? (?!.*\b(?:ich|wir|er|es|man|gab|gibt|war|waren|ist|sind|hat|hatten|können|steh\w+|lieg\w+)\b)(?:\S+ ){{1,8}}\w{{2,}}(?:en|ern|eln)\W*$
    {_AT}(?:jede|alle) (?:deine |meine )?(?:\w+ )?(?:antwort|nachricht|mail|preis|betr[aä]g|zahl|angabe|tabelle|erklärung|commit|bericht)\w* {_STANDS}(?:bitte |immer |nur )*(?:auf|in|als|mit|ohne)\b
    (?:muss|müssen|soll|sollen)\b.*\b(?:in allem|alles),? was du\b
    (?:in allem|alles),? was du\b.*\b(?:muss|müssen|soll|sollen)
    {_AT}(?:tod[oa]s?|cada) (?:(?:las|los|tus|mis) )?(?:\w+ )?(?:respuesta|mensaje|correo|precio|importe|cifra|tabla|fecha|informe)s? {_STANDS}(?:siempre )?(?:en|con|sin|como)\b
    (?:debe|deben|tiene que|tienen que)\b.*\ben todo lo que me\b
    {_AT}(?:toujours (?:\w+(?:er|ir|re)|en (?:français|anglais|euros?|majuscules|minuscules))|jamais (?:\w+(?:er|ir|re)|(?:de|d') ?(?!la vie|ma vie|chance|répit|nouvelles)\w+))
    ^\W*(?!(?:il|elle|on|je|tu|nous|vous|ils|elles|ça|cela|ce|le|la|les|mon|ma|suis|es|sommes|êtes)\b)\w+(?:s|e|ez)(?:-\w+)? toujours (?!pas\b|l[ae] même)\w+
    {_AT}(?:toutes les|tous les|chaque) (?:\w+ )?(?:réponse|message|mail|courriel|prix|montant|chiffre|tableau|date|rapport)s? {_STANDS}(?:toujours )?(?:en|avec|sans|comme)\b
    (?:doit|doivent)\b.*\bdans tout ce que tu\b
    ^\W*(?!io\b|lui\b|lei\b|noi\b|si\b|è\b|arriva|manca|capita|torna|costa|sembra|resta|era\b|ha\b)\w+[ai] sempre (?!più|lo stess|la stess)\w+
    ^\W*(?:use|responde|escreve|mande|envie|fale|chame|coloque|mostre|explique|verifique|teste|pergunte) sempre (?!que\b|o mesmo|a mesma)\w+
    ^\W*(?!ik\b|hij\b|zij\b|ze\b|we\b|wij\b|het\b|dat\b|is\b|was\b|had\b|heb\b|ben\b|kan\b|regent\b)\w+ (?:altijd|nooit) \w+ \w+
""")  # noqa: E501 - a phrase is one line
_ORDERED = phrase_pattern(rf"""
    (?:in|into|with|for|on|to|after|before|at|under|below) (?:every|each|any|all)(?: single)?(?: your| my| our| future| new)* (?:[\w'-]+ )?(?:{_OUTPUT}|{_WORK})(?=\W*$|[,;]| (?:and|so|please|because)\b| {_YOURS}| that you\b)
    {_THINGS} {_YOURS}
    (?:every|each|any) ?time you\b|whenever you\b
    ^\W*(?:and |also |please )*(?:every|each) time (?:i|we)\b.*\b(?:please|you (?:must|should|have to|need to))\b
    [,–—-] ?(?:always|every (?:single )?time|each time|immer|jedes ?mal|siempre|cada vez|toujours|chaque fois|sempre|ogni volta)\W*$
    (?:at all times|in all cases|without exceptions?|ausnahmslos|in jedem fall|sin excepción|sans exception|senza eccezioni)
    (?:from now on|from here on|going forward|henceforth)
""")  # noqa: E501 - a phrase is one line
"""Of an order: that it is to be done again and again."""
_ENGINE = (
    r"\b(?:hook|webhook|workflow|action|pipeline|cron|job|trigger|script|bot|ci|function|class)s?\b"
)
_BUILDS = lazy_pattern(
    r"\W*(?:(?:please|let'?s|now|then|also|ok|okay|and|can you|could you)\b[\s,]*)*(?:"
    r"(?:create|build|implement|set up|configure|design|develop|automate|install)\b.*(?:\b(?:that|which) |"
    rf"\bto (?!every|each|all|any|the|my|your|our|me\b)\w+ |{_ENGINE})|(?:write|make|add|"
    rf"use) an? .*{_ENGINE})"
)
"""What is to be built once, and then does it by itself each time."""

_HINTS = """
    every each all any everything nothing nobody anything whatever whenever wherever now today here
    henceforth forward always times cases exception exceptions matter starting
    nie niemals immer jede jeder jedem jeden jedes alle allem alles ausnahmslos jedesmal
    siempre todo todos todas cada excepción adelante toujours jamais chaque toutes tous tout maintenant
    sempre poi avanti diante agora hoje ogni eccezioni altijd nooit vanaf teraz впредь отныне этого
"""
_UNIVERSAL = frozenset(_HINTS.split())

_PAST = lazy_pattern(
    r"(?<!as )(?<!like )\b(?:i|we|he|she|they|it) (?:\w+ed|was|were|had|did|got|went|made|saw|said|"
    r"told|gave|took)\b"
)

_TOLD = lazy_pattern(
    r"\b(?:by law|legally|under (?:\w+ )?law|under the old|which (?:is|was) why|(?:i|"
    r"we) (?:just )?(?:read|heard|"
    r"learned)|they say|people say|it says|according to|apparently|back then|some ?day|one day|"
    r"sooner or later|"
    r"eventually|in the end)\b"
)
"""It is told of how the world goes. What is said of the agent's own work holds all the same."""
_OF_YOU = lazy_pattern(r"\b(?:you|your)\b")

_OF_SELF = lazy_pattern(r"\W*(?:and |but |so )?(?:i|i've|i'm|i'll|we|we've|we're|he|she|they)\b")
_WISHES = lazy_pattern(
    r"\W*(?:and |but |so )?(?:i|we)(?:'d| would| really| do)* (?:want|need|expect|like)\b"
)

_SPOKEN = (
    r"(?:commit messages|commits|answers|replies|responses|messages|summaries|explanations|titles|headings|"
    r"subject lines|e-?mails|(?:pr |pull request )?descriptions|docstrings|comments|"
    r"(?:branch |variable )?names|reports|drafts|translations|paragraphs|sentences)"
)
_MANNER = (
    r"(?:in (?:the )?(?:imperative|present|past|passive|active|english|german|french|spanish|italian|british|"
    r"american|plain|lower ?case|upper ?case|title case|sentence case|first person|third person|one line|"
    r"simple)|short|brief|concise|formal|informal|polite|neutral|simple|plain|friendly|factual|to the point|"
    r"(?:under|below|to|within|at most) (?:\d+|one|two|three|four|five|a single)|free of|without)\b"
)
_THAT_ONE = r"(?!(?:it|this|that|these|those|them|so)\b)"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|weekends|weekdays|mornings|evenings"
_LATER_ON = r"(?:from (?:now|here) on|going forward|in future)"
_WISHED = phrase_pattern(rf"""
    (?:i|we)(?:'d| would) (?:rather|prefer(?: it)?(?: if)?|like it if) you [^.;]{{2,80}}?\b{_LATER_ON}(?=\W*$|[,;.])
    (?:i|we)(?:'d| would)? (?:like|want|need|prefer) (?:to (?:get|have|see|receive) )?[^.;]{{2,80}}?\b(?:{_DAYS}) instead(?=\W*$|[,;.])
    {_AT}(?:open|raise|submit|base|make|create) (?:all |your |new )?(?:pull requests|merge requests|prs|branches|commits|releases) (?:against|from|on|off|with) (?!(?:this|that|these|those)\b)(?!.*\b(?:for|now|today|both|two|three|\d+)\b)
    {_AT}(?:show|give|state|quote|write|list|express|print) {_EACH} (?:[\w'-]+ )?{_VALUES} {_FORMED}(?!.*\b(?:this|that|these|those|here|cell|table|list|column|row|invoice|letter|slide)\b)
    (?:i|we)(?:'d| would) (?:rather|prefer(?: it)?(?: if)?|like it if|appreciate it if) you (?:didn't|don't|did not|do not|never|wouldn't|always|stopped|only) (?:ever )?\w+ {_THAT_ONE}\w+
    (?:i|we)(?:'d| would)? (?:like|want|need|expect) you to \w+ [^.;]{{2,80}}?\b(?:every|each) (?:day|week|month|quarter|morning|evening|night|hour|sprint|session|\w+day)(?=\W*$|[,;.]| at\b| before\b| after\b| and\b)
    {_AT}(?:keep|write|phrase|word|make) (?:all |your |my |our )?{_SPOKEN} {_MANNER}(?!.*\b(?:this|that|these|those)\b)
""")  # noqa: E501 - a phrase is one line

# ---- from some day on, or each time

_FROM = lazy_pattern(
    r"\b(?:from (?:now|here) on(?: out)?|henceforth|as of (?:now|today)|starting (?:now|today))\b[\s,:–—-]*"
)
_EACH_TIME = lazy_pattern(
    r"\W*(?:(?:and|also|but|so|ok|okay|please)\b[\s,]*)*(?:(?:every|each) (?:single )?time|"
    r"whenever (?!you|convenient|it suits|it's)) ?[^,]+,\s+"
)
_WORD = lazy_pattern(r"[^\W_]+(?:['-][^\W_]+)*")
_SAYS_WHAT = frozenset({"never", "always", "don't", "no", "only"})
_DUE = frozenset({"must", "should", "shall", "will", "may", "are", *_SAYS_WHAT})
_HAS = frozenset({"have", "see", "look", "get", "know", "find"})
_FROM_ABROAD = lazy_pattern(
    r"\b(?:d'ora in (?:poi|avanti)|de agora em diante|a partir de (?:agora|hoje)|vanaf nu|"
    r"de ahora en adelante|en adelante|à partir de maintenant|od teraz|впредь|отныне|"
    "[\u0441] этого момента)\\b\\W*"
)
_WISH_ABROAD = lazy_pattern(
    r".*\b(?:wil ik|voglio|vorrei|quero|queria|preciso que|quiero|necesito|je (?:veux|voudrais)|chcę|proszę|"
    r"хочу|прошу)\b"
)
_SELF_ABROAD = lazy_pattern(
    r"(?:eu|io|yo|je|j'|ik|ja|я|мы|\u0443 меня|nós|noi|nosotros|nous|wij|we|mój|moja|meus?|minhas?)\b|"
    r"(?!(?:solo|sólo|todo|tutto|tudo|tylko|wszystko|primo|primero|zero)\b)\w{2,}(?:o|ou|oy)\b|"
    r"\w+(?:ę|ую|аю|яю|еду|уду)\b|"
    r"(?:\w+ ){0,4}(?:he|hei|sono|sto|estamos|somos|vamos|temos|tenemos|siamo|abbiamo|suis|jestem|"
    r"jesteśmy|mam|"
    r"está|estão|están|é|são|es|son|è|est|sont|is|zijn|jest|są|ik|wij|we)\b"
)
"""Somebody speaks of himself, or tells what is: `a partir de hoje estou de férias`."""


def _begins_with_order(rest: str) -> bool:
    """Does it begin with an order, or with what the agent is to do?"""
    found = [
        word for word in _WORD.findall(rest[:80]) if word not in words.OPENINGS - {"no", "you"}
    ]
    if not found:
        return False
    head, after = found[0], found[1] if len(found) > 1 else ""
    if head in {"you", "you'll"}:
        verb = after in words.BASE and (after not in _HAS or found[2:3] == ["to"])
        return head == "you'll" or after in _DUE or verb
    if head in _SAYS_WHAT:
        return True
    if head in words.BASE:
        return after not in words.FINITE
    if head in words.NO_VERB or head.endswith(("s", "ing", "ed", "ly")):
        return False
    return after in words.OBJECT or after in {"me", "us"}


def _orders_from_now(own: str) -> bool:
    """Is it ordered from some day on, or for each time? `Starting today, I'm on holiday` orders nothing."""
    each = _EACH_TIME.match(own)
    if each is not None:
        return _begins_with_order(own[each.end() :])
    since = _FROM.search(own)
    if since is not None:
        rest = own[since.end() :]
        return _begins_with_order(rest if rest.strip(" .!") not in {"", "please"} else own)
    since = _FROM_ABROAD.search(own)
    if since is None:
        return False
    rest = own[since.end() :] or own
    return _WISH_ABROAD.match(rest) is not None or _SELF_ABROAD.match(rest) is None


# ---- one thing

_IT = r"(?:it|this|that|these|those|them)"
_NOT = r"\bdo(?:n't|nt| not) (?:just |please |even )*"
_GRAVE = (
    r"(?!(?:tell|say|mention|share|show|send|forward|post|publish|leak|disclose|reveal|pass|give|hand|sell|"
    r"talk|speak|reply|respond|delete|erase|wipe|destroy|overwrite|push|merge|deploy|release|upload|contact|"
    r"call|e-?mail|text|message|invite|pay|buy|order|sign|accept)\b)"
)
"""A ban on these stands whatever it points at: to lose it costs more than to keep it too long."""
_BAN = lazy_pattern(_NOT)
_POINTS_AT = lazy_pattern(
    rf"{_NOT}{_GRAVE}\w+ (?:(?:with|to|for|at|on|of|about|into) (?!them)|(?:up|down|out|off) )?"
    rf"{_IT}"
    r"(?: (?:up|down|out|off|over|away|back))?"
    r"(?=\W*$|[,;:.!]|\s(?:please|thanks|ok|okay|now|though|either)\W*$)"
)
"""Nothing but a pronoun, at the end of the clause: no noun, and nobody who would receive it."""
_BARE = lazy_pattern(rf"(?:^|[,;:.–—-]\s+)(?:and |but |so |just |please )*{_NOT}{_GRAVE}\w+\W*$")
_OTHER = lazy_pattern(
    rf"^\W*(?:(?:ok|okay|no|please|just|and|so|then)\b[\s,]*)*\w+ {_IT}(?: \w+){{0,2}}[,;–—-]"
)
_ONE_PIECE = lazy_pattern(
    r"^\W*(?:(?:ok|okay|no|please|pls|just|and|so|then|now|great|thanks|(?:can|could|would) you)\b[\s,]*)*"
    r"(?:write|draft|translate|summari[sz]e|rewrite|rephrase|shorten|compose|proofread|explain|transcribe) "
    r"(?:(?:me|us|up|out) )?(?:the|an?|this|that|my|our|[\w-]+'s) (?:[\w-]+ ){0,3}?"
    r"(?:letter|e?-?mail|text|paper|article|summary|report|speech|post|note|memo|essay|poem|paragraph|abstract|"
    r"section|chapter|page|invitation|card|story|toast|caption|blurb|tweet|contract|cv|review)\b"
    r"(?:[^.,;:]{0,80}|, [^.,;:]{0,40}), (?:but |and |please )*(?:no|do not|don't|dont|not|nothing)\b"
)
"""One piece of work, and how that shall be: what comes after is another piece."""
_LASTS = lazy_pattern(
    r"\b(?:ever|never|always|again|any ?more|any longer|without|unless|before|until|whenever|every|each|all|"
    r"when|if|once|from now on|in (?:the )?future|going forward|else|myself|first|avoid|must|"
    r"remember|no more)\b"
)
_SIGN_POINTS = lazy_pattern(
    "(?:不要|别|別)(?!.{0,3}(?:告诉|告訴|说|說|分享|发|發|删|刪|推|联系|聯繫|透露|泄露|给|給))"
    ".{0,6}(?:它|这个|那个|这些|那些|這個|那個|这里|那里)(?=[了吧啊]?(?:\\W|$))|"
    "لا ت(?!شارك|رسل|حذف|خبر|نشر|تصل|عط)\\w+ (?:هذا|هذه|ذلك|تلك)(?=\\W*$)"
)
_SIGN_AT_HAND = lazy_pattern("^\\W*把?[这那這](?!样|樣|里|裡|次).{0,24}不要|稍微")
"""It begins with the one thing that it is about, or only shifts what is there by a little."""
_SIGN_LASTS = lazy_pattern(
    "以后|今后|从现在|永远|每|总是|再(?!.{1,4}[点點])|أبد|مطلق|إطلاق|بعد|مرة"
)


def holds_for_good(own: str, text: str, bag: frozenset[str], *, orders: bool) -> bool:
    """Does it hold for good: by its scope, as a wish (`I'd rather you didn't add emojis`), or for a kind?

    `own`: the sentence in small letters, without quotations; `text`: as it was said.
    """
    if _holds_by_scope(own, bag, orders=orders) or _WISHED.search(own):
        return True
    return holds_of_kind(own, text, bag, orders=orders)


def _holds_by_scope(own: str, bag: frozenset[str], *, orders: bool) -> bool:
    if bag.isdisjoint(_UNIVERSAL) or _PAST.search(own):
        return False
    if _TOLD.search(own) and not _OF_YOU.search(own):
        return False
    if _OF_SELF.match(own):
        return _WISHES.match(own) is not None and _ALWAYS.search(own) is not None
    if _ALWAYS.search(own) or _orders_from_now(own):
        return True
    return orders and _ORDERED.search(own) is not None and _BUILDS.match(own) is None


def bans_one_thing(own: str) -> bool:
    """Does a ban point at one thing, so that it holds for that only: `don't touch that`?"""
    if not own.isascii() and (_SIGN_POINTS.search(own) or _SIGN_AT_HAND.search(own)):
        return _SIGN_LASTS.search(own) is None
    if _LASTS.search(own):
        return False
    if _ONE_PIECE.match(own):
        return True
    bans = [match.start() for match in _BAN.finditer(own)]
    if bans and all(_POINTS_AT.match(own, at) for at in bans):
        return True
    return len(bans) == 1 and _BARE.search(own) is not None and _OTHER.match(own) is not None
