"""Faults as people tell of them: by what they see, and mostly without a word for an error.

Who says `nothing shows up` or `the page is blank` has found a fault. Only a person's words are read so:
an agent that writes `the list is empty` tells how things are. People tell of shops, families and meetings
in the same verbs, so the clause must end with the fault, or go on with a device: in doubt it is none.
"""

from __future__ import annotations

import re
from functools import cache

from .acts.sentence_forms import IN_CASE, QUOTATION, phrase_pattern
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

LONGEST = 400
"""Characters in which a fault is told; more are something else, or pasted."""

_STATUS = lazy_pattern(
    r"^\W*+(?>(?:(?:still|again|now|and|but|ok|okay|so|hm+|no|nope|got|there(?:'s| is| are)|"
    r"i (?:still |just |now )?(?:have|get|got|see)|an?|the|this|these|some|other|more|new|another|same|"
    r"different|one|@?[\w/-]{1,40}\.\w{1,5})\b[\s,.!:–—-]*)*)(?:errors?|issues?|problems?|warnings?|exceptions?)\W*$|"
    r"^\W*(?:(?:it|that|this|the)\W+)?(?:(?:is|'s)\W+)?still\b[^:,;]*\b(?:blocked|broken|wrong|missing|empty|stuck|"
    r"the same|no change|nothing|fail(?:s|ed|ing)|crash(?:es|ed|ing)?)\b[^:,;]*$|"
    r"^(?!.*\b(?:when|once|until|till|if|after|before|as soon)\b).*"
    r"\b(?:arrived|has come|have come|was delivered|were delivered)\b|"
    r"^\W*+(?>(?:(?:good|great|ok|okay|done|perfect|fine|yes|and|i|we|just|already|now)\b[\s,.!]*)*)"
    r"(?:sent|posted|did|mailed|submitted|uploaded|pushed|merged|paid|signed) (?:it|that|them|this)\W*$"
)
"""How things stand: a fault that is back or left, a thing that came. Nobody chose that."""
_SHOWN = (
    r"page|screen|site|website|display|file|output|column|chart|log|image|preview|dashboard|app|report|export|"
    r"video|terminal|console|editor|result|response|upload|download|sidebar|dropdown|popup|modal"
)
_THING = (
    rf"(?:{_SHOWN}|window|button|list|table|menu|tab|field|picture|icon|label|text|data|form|sound|map|calendar|"
    r"inbox|printer|scanner|cursor|keyboard|mouse|phone|laptop|computer|tablet|pc|browser|wifi|wi-fi|"
    r"connection|program|software|server|link|login)s?"
)
_CODE = (
    r"(?:tests?|build|suite|script|server|command|deploy(?:ment)?|job|pipeline|import|request|login|connection|"
    r"query|migration|update|installer|installation|program|code|function|api|service|database|compiler|"
    r"linter|check|checks|ci|container|workflow|endpoint|client|plugin|extension|module|package)"
)
_IT = r"(?:it|this|that|everything)"
_STILL = (
    r"(?:(?: still| just| now| always| all| completely| totally| again| only| suddenly| simply))*"
)
_NOT = (
    r"(?:won't|wouldn't|refuses to|doesn't|does not|don't|do not|didn't|did not|can't|cannot)"
    r"(?: even| ever)?"
)
_DEVICE = (
    rf"(?:{_THING}|{_CODE}|router|network|internet|bluetooth|vpn|port|cable|usb|monitor|device|iphone|ipad|"
    r"android|windows|linux|mac|macos|chrome|firefox|safari|edge|portal|account|email|mail|website|"
    r"document|documents|attachment|settings|changes|project|folder|photos?|pdf|excel|word|logo|drive)"
)
_WHOSE = r"(?:(?:the|my|our|this|that|these|your|its|an?) )?(?:[\w.-]+ )?"
_REST = lazy_pattern(
    r"(?:(?: anymore| any more| at all| again| properly| correctly| either| for me| now| up| anything))*"
    r"(?:\W*$|\s*[,;:.!–—(]|\s+-\s|"
    r" (?:and|but|so|because)\b(?! (?:white|black)\b)|"
    r" (?:when|whenever|after|since|unless|once|as soon as|every time|each time|although|"
    r"even though) (?:i|we)\b|"
    rf" (?:on|in|to|from|with|into|via|over|through) {_WHOSE}{_DEVICE}\b|"
    r" (?:at|on|in) (?:the )?(?:\d+|step|bottom|top|end|start|startup|login|boot|loading|middle|left|"
    r"right)\b|"
    r" (?:with|because of) (?:an? |the )?(?:\w+ )?(?:error|exception|message|code|status|\w*\d))"
)
"""What may follow: the end of the clause, or what is said of a device, and not of a shop or a family."""

_WORKS = (
    r"(?:start|load|open|close|connect|boot|print|play|install|save|sync|update|respond|turn on|turn off|"
    r"log in|work|scroll|compile|render|show|appear|build|run|launch|charge|pair|send|upload|download|pass)"
)
_OBJECT = (
    r"(?: (?:the|my|our|this|that) (?:[\w.-]+ )?"
    rf"(?:{_THING}|changes|settings|document|attachment|photos?|pdf))?"
)
_BE = (
    r"(?:'s| is| are| stays?| stayed| remains?| comes? up| came up| goes| went| looks?| turns?|"
    r" turned)"
)
_STAYS = r"(?: stays?| stayed| remains?| comes? up| came up| goes| went| turns?| turned| is still| still is)"
_FAILS = (
    r"(?:hangs?|hung|freezes?|froze|stalls?|stalled|lags|flickers|goes black|locks up|crash|crashes|crashed|"
    r"fails?|failed|broke)"
)
_NOCH = r"(?: immer noch| noch immer| leider| einfach| jetzt)*"
_SEITE = (
    r"(?:seite|bildschirm|fenster|datei|programm|app|anwendung|drucker|scanner|rechner|computer|laptop|handy|"
    r"server|browser|video|vorschau|ausgabe|konsole|terminal|webseite|website|link|knopf|button|tabelle|export)"
)
_PAGE = (
    r"(?:page|écran|imprimante|ordinateur|appli\w*|programme|site|fichier|bouton|serveur|logiciel|téléphone|"
    r"lien|vidéo|navigateur|scanner|ça)"
)
_PAGINA = (
    r"(?:página|pantalla|impresora|ordenador|computadora|aplicación|app|programa|sitio|web|archivo|botón|"
    r"servidor|teléfono|móvil|enlace|vídeo|video|navegador|escáner)"
)
_IN_FULL = rf"""
    nothing{_STILL} (?:shows?|showed|happens|appears?|appeared|comes up|came up|loads?|loaded|works|prints|printed|opens)
    (?:click\w*|press\w*|tap(?:s|ped|ping)?|typed?|typing|restart\w*|reload\w*|refresh\w*|install\w*|ran|run|button|key|link)\b.{{0,60}}? nothing{_STILL} (?:happened|changed|changes|worked)
    {_THING}(?:{_BE}{_STILL} (?:blank|frozen|unresponsive|garbled|stuck|unreadable|cut off|invisible)|{_STILL} takes forever| keeps? (?:jumping|dropping|moving))
    (?:{_SHOWN})s?{_BE}{_STILL} empty
    (?:screen|display|video|preview|terminal|console)s?{_BE}{_STILL} (?:black|white)
    (?:page|image|picture|window|app|site)s?{_STAYS}{_STILL} (?:black|white)
    (?:button|menu|tab|field|icon|label|image|preview|sidebar|dropdown|popup|modal|cursor|column)s?{_BE}{_STILL} (?:gone|missing)
    (?:page|site|website|app|link|button|menu|login|layout|{_CODE})s?{_BE}{_STILL} broken
    {_IT}(?:'s| is) (?:still|again) broken
    {_IT}{_BE}{_STILL} (?:blank|unresponsive|garbled|stuck|unreadable|cut off|invisible)
    (?:{_IT}|{_THING}|{_CODE}){_STILL} (?:{_FAILS}|keeps? (?:failing|freezing|hanging|loading|resetting|restarting|spinning)|(?:takes forever to|no longer|(?!won't work){_NOT}) {_WORKS}(?:e?s)?{_OBJECT})
    (?:i|we){_STILL} (?:can't|cannot|can not|couldn't) (?:open|connect|print|save|access|upload|download|click|scroll|install|start|load)(?: to| on| into)? {_WHOSE}{_DEVICE}
"""  # noqa: E501 - a phrase is one line
_SHORT_OF = r"(?=\W*$|\s*[,;.!–—])"
_BY_ITSELF = rf"""
    (?:times|timed) out
    keeps? (?:crashing|disconnecting|flickering|buffering|timing out)
    it keeps asking (?:me )?for (?:my |the |a )?(?:password|login|pin|permission|credentials)
    (?:i|we){_STILL} (?:can't|cannot|can not|couldn't) (?:log in|sign in)
    ^\W*(?:still )?(?:the )?same (?:error|problem|issue|error message)(?: again| as before| here)*\W*$
    ^\W*(?:still )?(?:the )?same (?:result|message|thing) (?:again|as before|happens)\W*$
    ^\W*still (?:nothing|not working|broken|blank|empty|hanging|stuck|failing|frozen|slow|no (?:output|sound|change|luck))\W*$
    {_SEITE}(?: \w+){{0,2}} (?:hängt|friert ein|stürzt ab|bleibt (?:leer|weiß|schwarz|hängen|stehen))
    (?:hängt sich auf|stürzt (?:immer |ständig |dauernd )?ab|(?:es|dann|da) (?:passiert|erscheint|tut sich) (?:\w+ )?nichts){_SHORT_OF}
    (?:{_SEITE}|es)(?: \w+)? (?:lädt|öffnet|startet|reagiert|druckt|verbindet)(?: sich)?{_NOCH} nicht(?: mehr)?{_SHORT_OF}
    {_SEITE}(?: \w+)? (?:geht|ging|funktioniert|klappt){_NOCH} nicht(?: mehr)?{_SHORT_OF}
    rien ne (?:se passe|s'affiche)
    {_PAGE}(?: \w+){{0,2}} (?:ne (?:s'ouvre|démarre|charge|répond|s'affiche|fonctionne|marche|s'allume)(?: toujours)? (?:pas|plus){_SHORT_OF}|se bloque|a planté|reste bloquée?)
    (?:page|écran)(?: est| reste) (?:blanche|blanc|vide|noir|figée?){_SHORT_OF}
    no (?:sale|aparece|se ve|carga) nada{_SHORT_OF}
    {_PAGINA}(?: \w+)? (?:sigue sin|no) (?:se )?(?:cargar?|abr(?:e|ir)|arranca[r]?|responde[r]?|funcionar?|imprim(?:e|ir)|conectar?){_SHORT_OF}
    {_PAGINA}(?: \w+)? se (?:cuelga|bloquea|congela|queda (?:colgad[oa]|bloquead[oa]|en blanco|en negro))
    (?:página|pantalla)(?: está| sale| queda) (?:en blanco|vacía|en negro)
"""  # noqa: E501 - a phrase is one line
_AT_ITS_TIME = lazy_pattern(
    r"\b(?:won't|doesn't|does not|don't|do not|didn't|did not) (?:\w+ )?"
    r"(?:start|open|run|close|play|work|load)\b.{0,60}? "
    rf"(?:(?:until|till|before) (?!(?:i|we|you|it|{_WHOSE}{_DEVICE})\b)|"
    r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|"
    rf"in (?:our|his|her|their) (?!(?:[\w.-]+ )?{_DEVICE}\b))"
)
"""So one tells when a school begins or a shop opens, and what runs in a family."""
_HINT = lazy_pattern(
    r"noth|blank|empty|frozen|froze|freez|black|white|respons|garbl|gone|missing|stuck|unread|cut off|"
    r"invis|hang|hung|crash|fail|brok|"
    r"stall|lags|flick|time[sd] out|forever|locks up|won't|wouldn't|refuses|doesn't|does not|"
    r"didn't|did not|do not|don't|keep|"
    r"no longer|can't|cannot|can not|couldn't|same|still|hängt|friert|stürzt|bleibt|nichts|nicht|rien|"
    r"plus|pas|"
    r"blanc|vide|noir|figé|bloqu|planté|nada|sigue|no |cuelga|congela|queda|vacía|negro"
)
_AHEAD = lazy_pattern(
    r"\b(?:will|would|i'll|we'll|he'd|she'd|they'd|it'd|i'd|we'd|wird|würde\w*)\b"
)
_PRAISED = lazy_pattern(
    r"\bas (?:(?:i|we) (?:wanted|want|asked|like|liked|wished|intended|planned|said)|"
    r"(?:it should|expected|intended|planned|wanted|desired|requested|wished))\b|"
    r"(?<!not )(?<!no )\b(?:good|great|perfect|nice|fine|thanks|fortunately|luckily|on purpose|by design|"
    r"which i (?:like|love|want)|i (?:like|love) (?:it|that))\b"
)
"""Who is content tells of no fault."""

_SIGNS = lazy_pattern(
    "卡死|打不开|打不開|闪退|不显示|不顯示|没有显示|连不上|連不上|表示されない|表示されません|빈 화면"
)
_SIGNS_OF_THINGS = lazy_pattern(
    "没反应|沒反應|卡住|空白|崩溃|崩潰|动不了|開かない|開きません|固まる|固まった|真っ白|反応しない|動きません|"
    "멈췄|멈춰|안 열|안 나와|안 돼|안 됩니다|반응이 없"
)
_THINGS = lazy_pattern(
    "页面|頁面|屏幕|画面|螢幕|窗口|程序|程式|软件|軟體|应用|系统|系統|浏览器|按钮|按鈕|电脑|手机|服务器|网站|文件|"
    "鼠标|键盘|ページ|アプリ|パソコン|スマホ|ファイル|サイト|ボタン|リンク|プログラム|サーバー|"
    "화면|앱|페이지|파일|프로그램|로그인|버튼|컴퓨터|서버|사이트|프린터"
)


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compiled when they are first needed: those that need a fit end, and those that are enough."""
    return phrase_pattern(_IN_FULL), phrase_pattern(_BY_ITSELF)


def tells_fault(said: ParsedSentence) -> bool:
    """Does a person tell of a fault by what she sees? What is asked for, foretold or welcome is none."""
    if said.asks or said.orders or len(said.text) > LONGEST or _AHEAD.search(said.lower):
        return False
    if not said.text.isascii() and _fault_in_signs(said.text):
        return True
    if _HINT.search(said.lower) is None:
        return False
    own = QUOTATION.sub("it", said.lower).replace("`", "")
    at = _fault_place(own)
    if at is None or _PRAISED.search(own, at):
        return False
    return IN_CASE.search(own[:at]) is None


def tells_standing(said: ParsedSentence) -> bool:
    """Does it tell how things stand, with a fault or with what was to come: `new errors`, `still blocked`?"""
    return _STATUS.search(said.lower) is not None


def is_only_not_yet(said: ParsedSentence) -> bool:
    """Is it only not yet, or not that day: `the term doesn't start until May`?"""
    return _AT_ITS_TIME.search(said.lower) is not None


def _fault_place(own: str) -> int | None:
    """Where the fault is told."""
    in_full, by_itself = _forms()
    for found in in_full.finditer(own):
        if _REST.match(own, found.end()):
            return found.start()
    found = by_itself.search(own)
    return None if found is None else found.start()


def _fault_in_signs(text: str) -> bool:
    if _SIGNS.search(text):
        return True
    return _SIGNS_OF_THINGS.search(text) is not None and _THINGS.search(text) is not None
