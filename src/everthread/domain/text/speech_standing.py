"""What holds for good, and what is said of one thing only: by its scope, whatever verb stands in it.

`Every answer in euros` and `net of VAT in everything you show me` hold from now on, though no `always`
stands in them. `Don't touch that` speaks of one thing, and is an order. `Rename every file` is an order
too: it is done once. So a scope makes a rule only where it is the agent's own work or talk, or where the
sentence says what must be.
"""

from __future__ import annotations

from .patterns import late
from .speech_forms import forms

_OUTPUT = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|e-?mails?|mails?|explanations?|summar(?:y|ies)|reports?|"
    r"drafts?|tables?|charts?|snippets?|examples?|commits?|commit messages?|pull requests?|prs?|reviews?|"
    r"prices?|amounts?|sums?|figures|numbers|dates|times|units|measurements|temperatures|distances|quotes|"
    r"translations?|suggestions?|proposals?|recipes?)"
)
"""What an agent gives, and the values in it."""

_WORK = (
    r"(?:commits?|push(?:es)?|deploy\w*|releases?|merges?|migrations?|restarts?|changes?|edits?|steps?|"
    r"sessions?|"
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
_THINGS = (
    rf"(?:everything|anything|whatever|wherever|(?:every|each|any|all)(?: the)? (?:{_OUTPUT}|{_WORK}|"
    rf"files?|lines?|"
    r"words?|code|functions?|tests?|comments?|things?|pages?|chapters?|scenes?|texts?|sentences?|documents?))"
)
_MUST = rf"(?:must{_HAVE_BEEN}|ha(?:s|ve) to|needs? to|(?:is|are) to|shall)"
_SOON = r"(?!.*\b(?:by|before|until) (?:tomorrow|tonight|noon|next|the end|eod|\w+day|\d|march|june|july))"
_AT = (
    r"(?:^|[,;:.–—-]\s+)\W*(?:(?:but|so|then|ok|okay|now|please|just|also|and|und|aber|bitte|dann|y|e|et|"
    r"pero|mais)\b"
    r"[\s,]*)*"
)
_ALWAYS = forms(rf"""
    {_AT}{_EACH} (?:[\w'-]+ ){{0,2}}?{_OUTPUT}(?: \w+)? (?:in|as|with|without|under|below|to me|rounded|on one)\b(?!.*\b(?:is|are|was|were|has|have|had|did|does|do|came|went|looks?|seems?|works?)\b)
    {_AT}(?:every|each|all) (?:[\w'-]+ ){{1,3}}?(?:must{_HAVE_BEEN}|ha(?:s|ve) to|needs? to (?:be|have)|gets? an?){_SOON}
    {_AT}(?:everything|nothing|nobody|no one|anything)(?: \w+)?(?: you \w+)? (?:must{_HAVE_BEEN}|has to|needs to|may)(?! be (?:ready|done|finished|fine|ok|okay|working|over)\b){_SOON}
    (?:so|but|and|because) (?:everything|nothing|anything) (?:must{_HAVE_BEEN}|has to|needs to|may)(?! be (?:ready|done|finished|fine|ok|okay|working|over)\b){_SOON}
    (?:^|[,;:.–—-]\s+)(?!(?:and |but |so )?(?:i|we|he|she|they)\b)[^,;:.]*\b{_MUST}\b[^;.]*\b(?:in|on|for|with|at|to|by|of) (?:everything|anything|whatever|{_EACH} (?:[\w'-]+ ){{0,2}}(?:{_OUTPUT}|{_WORK}))\b
    {_THINGS} {_YOURS}.*\b(?:must|has to|have to|should|needs? to|shall)\b
    (?:must|has to|have to|should|needs? to|shall)\b.*\b{_THINGS} {_YOURS}
    (?:must|has to|have to|should|needs? to|want|expect|please)\b.*\b(?:at all times|in all cases|without exceptions?|no matter what|every single time)
    (?:i|we)(?:'d| would)? (?:want|need|expect|like) {_EACH} (?:[\w'-]+ ){{0,2}}?{_OUTPUT} (?:in|as|with|without|to be|rounded)\b
    (?:i|we)(?:'d| would)? (?:want|need|expect|like)\b.*\b(?:from now on|from here on|going forward|at all times|in future)
    (?:from now on|from here on(?: out)?|henceforth|as of (?:now|today)|starting (?:now|today))(?=\W*(?:please)?\W*$|,)
    (?:d'ora in (?:poi|avanti)|de agora em diante|a partir de (?:agora|hoje)|vanaf nu|de ahora en adelante|en adelante|à partir de maintenant|od teraz|впредь|отныне|[\u0441] этого момента)
    {_AT}(?:nie|niemals|nie wieder|nie mehr) (?!im leben\b|zuvor\b|davor\b|so\b|war|hat|hab|ist|bin|wird|würd|wurd|könn|konn|gab|mehr (?:war|hab|hat))\w+
    {_AT}immer (?!noch\b|mehr\b|wieder\b|wenn\b|d(?:ie|er|as|en)(?:selb|\s+(?:gleich|selb))|diese)(?:\S+ ){{0,8}}\w{{2,}}(?:en|ern|eln)\W*$
    {_AT}(?:vor|nach|bei|in|zu|mit) jede[rmns]? (?:\S+ ){{1,8}}\w{{2,}}(?:en|ern|eln)\W*$
    {_AT}(?:jede|alle) (?:deine |meine )?(?:\w+ )?(?:antwort|nachricht|mail|preis|betr[aä]g|zahl|angabe|tabelle|erklärung|commit|bericht)\w* (?:bitte |immer |nur )*(?:auf|in|als|mit|ohne)\b
    (?:muss|müssen|soll|sollen)\b.*\b(?:in allem|alles),? was du\b
    (?:in allem|alles),? was du\b.*\b(?:muss|müssen|soll|sollen)
    {_AT}(?:tod[oa]s?|cada) (?:(?:las|los|tus|mis) )?(?:\w+ )?(?:respuesta|mensaje|correo|precio|importe|cifra|tabla|fecha|informe)s? (?:siempre )?(?:en|con|sin|como)\b
    (?:debe|deben|tiene que|tienen que)\b.*\ben todo lo que me\b
    {_AT}(?:toujours|jamais) (?!pas\b|rien\b|aucun|l[ae]s? mêmes?\b|de la vie|vu|eu|été|fait|entendu)\w+
    ^\W*(?!(?:il|elle|on|je|tu|nous|vous|ils|elles|ça|cela|ce|le|la|les|mon|ma)\b)\w+(?:s|e|ez)(?:-\w+)? toujours (?!pas\b|l[ae] même)\w+
    {_AT}(?:toutes les|tous les|chaque) (?:\w+ )?(?:réponse|message|mail|courriel|prix|montant|chiffre|tableau|date|rapport)s? (?:toujours )?(?:en|avec|sans|comme)\b
    (?:doit|doivent)\b.*\bdans tout ce que tu\b
    ^\W*(?!io\b|lui\b|lei\b|noi\b|si\b|è\b)\w+[aei] sempre (?!più|lo stess|la stess)\w+
    ^\W*(?!eu\b|ele\b|ela\b|nós\b|é\b)\w+[aei] sempre (?!que\b|o mesmo|a mesma)\w+
    ^\W*(?!ik\b|hij\b|zij\b|ze\b|we\b|wij\b|het\b|dat\b|is\b)\w+ (?:altijd|nooit) \w+ \w+
""")  # noqa: E501 - a phrase is one line
_ORDERED = forms(rf"""
    (?:in|into|with|for|on|to|after|before|at|under|below) (?:every|each|any|all)(?: single)?(?: your| my| our| future| new)* (?:[\w'-]+ )?(?:{_OUTPUT}|{_WORK})(?=\W*$|[,;]| (?:and|so|please|because)\b| {_YOURS}| that you\b)
    {_THINGS} {_YOURS}
    (?:every|each|any) ?time you\b|whenever you\b
    ^\W*(?:and |also |please )*(?:every|each) time (?:i|we)\b
    [,–—-] ?(?:always|every (?:single )?time|each time|immer|jedes ?mal|siempre|cada vez|toujours|chaque fois|sempre|ogni volta)\W*$
    (?:at all times|in all cases|without exceptions?|ausnahmslos|in jedem fall|sin excepción|sans exception|senza eccezioni)
    (?:from now on|from here on|going forward|henceforth)
""")  # noqa: E501 - a phrase is one line
"""Of an order: that it is to be done again and again."""

_HINTS = """
    every each all any everything nothing nobody anything whatever whenever wherever anytime now here
    henceforth forward always times cases exception exceptions matter starting
    nie niemals immer jede jeder jedem jeden jedes alle allem alles ausnahmslos jedesmal
    siempre todo todos todas cada excepción adelante toujours jamais chaque toutes tous tout maintenant
    sempre poi avanti diante agora hoje ogni eccezioni altijd nooit vanaf teraz впредь отныне этого
"""
_UNIVERSAL = frozenset(_HINTS.split())

_PAST = late(
    r"\b(?:i|we|he|she|they|it) (?:\w+ed|was|were|had|did|got|went|made|saw|said|told|gave|took)\b"
)

_OF_SELF = late(r"\W*(?:and |but |so )?(?:i|i've|i'm|i'll|we|we've|we're|he|she|they)\b")
_WISHES = late(
    r"\W*(?:and |but |so )?(?:i|we)(?:'d| would| really| do)* (?:want|need|expect|like)\b"
)

# ---- one thing

_IT = r"(?:it|this|that|these|those|them|him|her)"
_HOLDS = (
    r"project|repo\w*|code ?base|chat|conversation|session|thread|book|novel|story|house|company|team|"
    r"account|"
    r"server|machine|workspace|app|site|language|format|way|kinds?|sorts?|types?|style|family|kitchen|channel"
)
_POINTS_AT = late(
    rf"\b(?:do(?:n't|nt| not)|please not) (?:just )?(?:\w+ ){{1,2}}?{_IT}(?=\W*$|[,;.]| (?!{_HOLDS})\w)|"
    rf"\b(?:do(?:n't|nt| not))\b.*\b(?:in|for|on|to|with|from|of|at) (?:this|that|these|"
    rf"those)(?! (?:{_HOLDS})\b)"
)
_BARE = late(r"(?:^|[,;:.–—-]\s+)(?:and |but |so |just |please )*(?:do(?:n't|nt| not)) \w+\W*$")
_OTHER = late(
    rf"^\W*(?:(?:ok|okay|no|please|just|and|so|then)\b[\s,]*)*\w+ {_IT}(?: \w+){{0,2}}[,;–—-]"
)
_LASTS = late(
    r"\b(?:ever|never|always|again|any ?more|any longer|without|unless|before|until|whenever|every|each|all|"
    r"when|if|once|from now on|in (?:the )?future|going forward|else|myself|first)\b"
)
_SIGN_POINTS = late(
    "(?:不要|别|別).{0,6}(?:它|这个|那个|这些|那些|這個|那個|这里|那里)|لا ت\\w+ (?:هذا|هذه|ذلك|تلك)"
)
_SIGN_LASTS = late("以后|今后|从现在|永远|每|总是|再|أبد|مطلق|إطلاق|بعد|مرة")


def standing(own: str, bag: frozenset[str], *, orders: bool) -> bool:
    """Does it hold for good by its scope? `own`: the sentence in small letters, without quotations."""
    if bag.isdisjoint(_UNIVERSAL) or _PAST.search(own):
        return False
    if _OF_SELF.match(own):
        return _WISHES.match(own) is not None and _ALWAYS.search(own) is not None
    return _ALWAYS.search(own) is not None or (orders and _ORDERED.search(own) is not None)


def of_one_thing(own: str) -> bool:
    """Does a ban point at one thing, so that it holds for that only: `don't touch that`?"""
    if not own.isascii() and _SIGN_POINTS.search(own):
        return _SIGN_LASTS.search(own) is None
    if _LASTS.search(own):
        return False
    if _POINTS_AT.search(own):
        return True
    return _BARE.search(own) is not None and _OTHER.match(own) is not None
