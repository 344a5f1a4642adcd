"""What holds from now on in German, Spanish and Russian, by its grammar; and in which language to answer.

What must be so always, a ban in the form of an order, a wish for always: these three make a rule in any
language. `Das muss immer sichtbar sein` rules; `das muss immer noch weg` is wanted now, and `не всегда`
tells how things are.
"""

from __future__ import annotations

from everthread.domain.text.patterns import lazy_pattern

from .sentence_forms import phrase_pattern

LONGEST = 400
"""Characters of a sentence that lays something down."""

_AT = (
    r"(?:^|(?<=[,;:.–—-])\s)\W{0,9}(?:(?:und|aber|bitte|also|por favor|porfavor|y|pero|e|и|но|пожалуйста)\b"
    r"[\s,]{0,3}){0,4}"
)
_ON = r"(?! (?:noch|wieder|mehr)\b)"
_ALWAYS = (
    rf"(?:immer{_ON}|nie|niemals|stets|ausschließlich|jedes ?mal|in jedem fall|auf keinen fall)"
)
_SOME = r"[^.;!?\n]{0,80}?"
_NO_BAN = (
    r"(?!puedes|tienes|quieres|sabes|entiendes|eres|vienes|dices|haces|crees|debes|pareces|prefieres|olvides|"
    r"preocupes|entonces|antes|nunca|\w*(?:ciones|ores|ades|ntes|bles)\b)"
)
_CALM = r"(?!пережива|волну|обраща|забыва|стесня|теря|уныва|случай|чай)"
_MUST = phrase_pattern(rf"""
    (?:soll(?:en|st|te|ten)?|muss|musst|müssen|darf|darfst|dürfen)\b{_SOME}(?<!nicht )\b{_ALWAYS}
    (?:debes?|deben|tienes? que|tienen que)\b{_SOME}(?<!no )\b(?:siempre|nunca|jamás|en todo momento)
    (?:везде|всегда|никогда|каждый раз)\b{_SOME}\b(?:надо|нужно|должн\w+|использу[йе]\w*|пиши|делай)
    (?:надо|нужно|должн\w+)\b{_SOME}(?<!не )\b(?:везде|всегда|никогда|каждый раз)
""")
_OF_SOMEBODY = lazy_pattern(
    r"\b(?:ich|wir|er|man|yo|я|мне|он|она|ему|ей)\b|^\W*(?:meine?|unsere?|mis?|nuestr[oa]s?|мо[йяи]|наш\w?)\b"
)
"""What somebody always has to do is told of him."""
_FORMS = phrase_pattern(rf"""
    ich (?:möchte|will)\b{_SOME}(?<!nicht )\b{_ALWAYS}
    \w{{3,}}(?:en|ern|eln) (?:bitte )?ausschließlich (?:durch|über|mit|per|auf|in|als|von|bei)
    no debes (?!ser\b|estar\b|haber\b|de\b)\w+[aei]r
    {_AT}debes (?:usar|utilizar|mantener|respetar|seguir|evitar|responder|escribir)
    {_AT}не {_CALM}\w{{2,}}[аяуюе]й(?:те)?
""")
_SMALL_WORDS = (
    "el la los las un una de que con por mi tu lo al del para nada esto eso más ningún ninguna"
)
_SPANISH = frozenset(_SMALL_WORDS.split())
_BANS_ES = lazy_pattern(
    rf"{_AT}no (?:(?:me|te|lo|la|los|las|le|les|nos) )?{_NO_BAN}"
    r"(?:\w{2,}es|hagas|pongas|digas|vayas|escribas|abras|metas|rompas|subas|añadas)\b"
)
"""Beside a small word of Spanish only: `no deliveries on Sundays` has the same form."""
_HINTS = """
    immer nie niemals stets ausschließlich jedesmal mal fall siempre nunca jamás momento debes debe no везде
    всегда никогда раз не nur künftig ab auch solo sólo aunque toujours seulement même
"""
_HINTED = frozenset(_HINTS.split())

_TONGUE = (
    r"(?:english|german|french|spanish|italian|russian|chinese|deutsch|englisch|französisch|spanisch|"
    r"español|castellano|inglés|alemán|français|anglais|italiano|русск\w+|английск\w+|немецк\w+)"
)
_IN_TONGUE = lazy_pattern(
    r"\W*(?:(?:please|pls|only|just|and|but|again|answer|reply|speak|write|bitt?e|nur|und|wieder|antworte\w*|"
    r"schreib\w*|sprich|por favor|porfavor|responde|escribe|habla|réponds|пожалуйста|ответь|отвечай|пиши|"
    rf"говори)\b[\s,]{{0,3}}){{0,4}}(?:in|auf|en|на|по)[ -]{_TONGUE}"
    r"(?:[\s,]{1,3}(?:please|pls|only|from now on|bitte|antworten|schreiben|nur|por favor|porfavor|"
    r"пожалуйста|языке)){0,3}\W*"
)
"""Nothing but a language stands in it: so the talk is to go on."""
_SPEAKS = r"(?:antworte|schreib|sprich|rede|responde|contesta|escribe|habla|réponds|répondez|écris|parle)\w*"
_TO_ME = (
    r"(?: (?:mir|uns|bitte|doch|jetzt|mit mir|mit uns|immer|nur|stets|künftig|ab jetzt|ab sofort|me|nos|"
    r"conmigo|por favor|siempre|solo|sólo|moi|nous|avec moi|toujours|seulement|s'il te plaît)){0,4}"
)
_HOLDS_ON = r"(?:immer|nur|stets|künftig|ab jetzt|siempre|solo|sólo|toujours|seulement)"
_ALWAYS_IN_TONGUE = phrase_pattern(rf"""
    {_AT}{_SPEAKS}(?=[^.;!?]{{0,40}} {_HOLDS_ON}){_TO_ME} (?:auf|in|en) {_TONGUE}
    {_AT}{_SPEAKS}{_TO_ME} (?:auf|in|en) {_TONGUE}[ ,]{{1,3}}(?:immer|nur|stets|künftig|siempre|solo|toujours|seulement|auch wenn|aunque|même si)
""")  # noqa: E501 - a phrase is one line
_SIGN_TONGUE = lazy_pattern(
    r"\W*(?:请|請)?(?:都)?用(?:简体|繁体)?(?:中文|英文|英语|汉语|日语)(?:回答|回复|交流|说|写|沟通)?\W*"
)


def holds_abroad(own: str, bag: frozenset[str]) -> bool:
    """Does it say what holds from now on? `own`: in small letters, without quotations."""
    if len(own) > LONGEST:
        return False
    if _IN_TONGUE.fullmatch(own) or (not own.isascii() and _SIGN_TONGUE.fullmatch(own)):
        return True
    if bag.isdisjoint(_HINTED):
        return False
    if "no" in bag and not bag.isdisjoint(_SPANISH) and _BANS_ES.search(own):
        return True
    if _FORMS.search(own) or _ALWAYS_IN_TONGUE.search(own):
        return True
    return _MUST.search(own) is not None and _OF_SOMEBODY.search(own) is None
