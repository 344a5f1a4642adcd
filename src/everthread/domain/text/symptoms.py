"""Faults as people tell of them: by what they see, and without a word for an error.

Who says `nothing shows up` or `the page is blank` has found a fault. Only a person's words are read so:
an agent that writes `the list is empty` tells how things are.
"""

from __future__ import annotations

from .patterns import late
from .speech import Heard, fails
from .speech_forms import IN_CASE, QUOTATION, forms

_THING = (
    r"(?:page|screen|site|website|window|display|file|button|list|table|menu|output|column|chart|log|tab|"
    r"field|"
    r"image|picture|icon|label|text|data|preview|dashboard|app|form|report|export|video|sound|map|"
    r"calendar|inbox|"
    r"printer|terminal|console|editor|cursor|result|response|upload|download|sidebar|dropdown|popup|modal)s?"
)
_STILL = (
    r"(?:(?: still| just| now| always| all| completely| totally| again| only| suddenly| simply))*"
)
_WORKS = (
    r"(?:start|load|open|close|connect|boot|print|play|install|save|sync|update|respond|turn on|turn off|"
    r"log in|work|"
    r"stop|scroll|compile|render|show(?= up| anything|\W*$)|appear|build|run|launch|charge|pair|send|"
    r"upload|download)"
)
_SEEN = forms(rf"""
    nothing{_STILL} (?:shows?|showed|happens?|happened|appears?|appeared|comes? up|came up|loads?|loaded|works|worked|changes|changed|prints|printed|opens)
    {_THING}(?:'s| is| are| was| were| stays?| remains?| comes? up| came up| goes| went| looks?| turns?| turned){_STILL} (?:blank|empty|frozen|black|white|unresponsive|garbled|gone|missing|stuck|unreadable|cut off|invisible)
    (?:it|this|that|everything|they)(?:'s| is| are| stays?| remains?| comes? up| goes| went| turns?){_STILL} (?:blank|frozen|unresponsive|garbled|stuck|unreadable|cut off|invisible)(?! (?:with|in|at home)\b)
    (?:it|this|that|they|{_THING}|everything){_STILL} (?:hangs?|hung|freezes?|froze|stalls?|stalled|lags|flickers|times out|timed out|takes forever|goes black|locks up)(?! (?:on the wall|out|around)\b)
    (?:it|this|that|they|{_THING}|everything){_STILL} (?:won't|will not|wouldn't|refuses to|doesn't even|doesn't|does not|don't) (?:even )?{_WORKS}
    (?:it|this|that|they|{_THING}) keeps? (?:crashing|failing|hanging|freezing|disconnecting|loading|spinning|restarting|resetting|dropping|jumping|flickering|timing out|asking)
    (?:it|this|that|they|{_THING}) no longer {_WORKS}s?
    (?:i|we){_STILL} (?:can't|cannot|can not|couldn't) (?:log in|sign in|open|connect|print|save|access|upload|download|click|scroll|install|start) ?(?:it|the|my|to|any|into|anything|there|on|here)?
    ^\W*(?:still )?(?:the )?same (?:error|problem|issue|result|message|thing)(?: again| as before| here| happens)*\W*$
    ^\W*still (?:nothing|not working|broken|blank|empty|hanging|stuck|failing|frozen|slow|no (?:output|sound|change|luck))
    (?:hängt sich auf|friert ein|stürzt ab|bleibt (?:leer|weiß|schwarz|hängen|stehen)|(?:passiert|kommt|erscheint) (?:\w+ )?nichts|tut sich nichts|(?:es|das|die seite|der drucker) hängt(?! (?:davon|ab)))
    (?:lädt|geht|ging|öffnet|startet|reagiert|druckt|funktioniert|klappt|verbindet)(?: sich)?(?: immer noch| noch immer| leider| einfach| jetzt)* nicht(?! (?:darum|um)\b)
    rien ne (?:se passe|s'affiche|change|marche|vient)
    ne (?:s'ouvre|démarre|charge|répond|s'affiche|fonctionne|marche|s'allume)(?: toujours)? (?:pas|plus)
    (?:page|écran)(?: est| reste)? (?:blanche|blanc|vide|noir|figée?)
    (?:se bloque|a planté|reste bloquée?)
    no (?:pasa|sale|aparece|se ve|carga|ocurre) nada
    (?:sigue sin|no) (?:cargar?|abr(?:e|ir)|arranca[r]?|responde[r]?|funcionar?|imprim(?:e|ir)|conectar?)
    se (?:cuelga|bloquea|congela|queda (?:colgad[oa]|bloquead[oa]|en blanco|en negro))
    (?:página|pantalla)(?: está| sale| queda| se queda)? (?:en blanco|vacía|en negro)
""")  # noqa: E501 - a phrase is one line
_HINT = late(
    r"noth|blank|empty|frozen|froze|freez|black|white|respons|garbl|gone|missing|stuck|unread|cut off|"
    r"invis|hang|hung|"
    r"stall|lags|flick|time[sd] out|forever|locks up|won't|will not|wouldn't|refuses|doesn't|does not|"
    r"don't|keep|"
    r"no longer|can't|cannot|can not|couldn't|same|still|hängt|friert|stürzt|bleibt|nichts|nicht|rien|"
    r"plus|pas|"
    r"blanc|vide|noir|figé|bloqu|planté|nada|sigue|no |cuelga|congela|queda|vacía|negro"
)
_AHEAD = late(r"\b(?:will|would|i'll|we'll|he'd|she'd|they'd|it'd|i'd|we'd|wird|würde\w*)\b")
_SIGNS = late(
    "没反应|沒反應|卡住|卡死|打不开|打不開|空白|闪退|崩溃|崩潰|不显示|不顯示|没有显示|动不了|连不上|連不上|"
    "表示されない|表示されません|開かない|開きません|固まる|固まった|真っ白|反応しない|動きません|"
    "멈췄|멈춰|안 열|안 나와|안 돼|안 됩니다|빈 화면|반응이 없"
)


def faulty(said: Heard) -> bool:
    """Does a person tell of a fault, by name or by what she sees? What is to be done is none."""
    return fails(said) or (not said.orders and _sees(said))


def foretold(said: Heard) -> bool:
    """Does it speak of what will or would be?"""
    return _AHEAD.search(said.lower) is not None


def _sees(said: Heard) -> bool:
    if said.asks:
        return False
    if not said.text.isascii() and _SIGNS.search(said.text):
        return True
    if _HINT.search(said.lower) is None:
        return False
    own = QUOTATION.sub("it", said.lower)
    found = _SEEN.search(own)
    return found is not None and IN_CASE.search(own[: found.start()]) is None
