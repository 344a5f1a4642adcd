"""What a sentence does: asks, orders, sets a rule, decides, reports, fails, puts off, thanks.

A sentence is read by its words and their forms: who is its subject, whether its verb commands, looks
back or ahead, whether it denies or hedges. Word lists of a few languages come first, a pattern
confirms what they raise. What no list knows still asks where it ends in a question mark.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")

_OPENINGS = """
    please now then also ok okay so and but just next first second third finally great yes no well hey
    hi hello actually alright cool thanks thank you perfect good nice kindly maybe again instead right hmm
    oh ah sure only k nm uh uhh um lastly additionally furthermore bitte nun dann also jetzt und aber gut merci
"""
OPENINGS = frozenset(_OPENINGS.split())

_BASE = """
    accept activate adapt add adjust address allow analyse analyze answer append apply archive ask assign
    assume attach audit avoid be benchmark break bring build bump call cancel capture catch change check
    choose clarify clean clear close collect combine commit compare compile complete compute configure
    confirm connect consider consolidate continue convert copy correct count create cut debug decide
    declare define delete deploy describe design detect determine diff disable discard discuss display
    do document don't dont download draft drop dump edit elaborate email enable encode enhance ensure
    enter estimate evaluate examine exclude execute expand explain explore export expose extend extract
    factor fetch figure fill filter find finish fix flag fold focus follow format generate get give go
    grep group guess handle have help hide highlight identify ignore implement import improve include
    increase index inline insert inspect install integrate introduce investigate join keep kill label
    leave let limit link lint list load locate log look lower make map mark match measure merge migrate
    mock modify monitor move name normalize note notify omit open optimize order organize output pass
    paste patch pick pin plan play plot point port prepare preserve prevent print prioritize process
    produce profile prompt propose provide publish pull push put query quote raise ran read rebase
    recommend record redo reduce refactor refer reformat register reload remember remind remove rename
    render reorder replace reply report reproduce request rerun reset resolve respond restart restore
    retry return reuse reverse revert review revise rewrite run save say scan schedule search see select
    send separate set share ship show shorten simplify skip solve sort specify split squash start state
    stay stick stop store streamline strip structure submit suggest summarise summarize support switch
    sync take talk teach tell test think tidy tighten track translate treat trigger trim try tune turn
    undo uninstall unify unpack update upgrade upload use validate verify visit wait walk warn watch wire
    work wrap write
"""
BASE = frozenset(_BASE.split())
"""Verbs in the form in which people give orders."""

_AUXILIARIES = frozenset(
    "do does did is are was were can could should would will has have shall may might".split()
)
_CLAUSE = re.compile(r"[,;:–—]\s+|\s+(?:and|then|but|so|or)\s+")
_TOKEN = re.compile(r"`?[^\W_][\w'-]*`?|`\S+|--?\w\S*")
_FINITE = frozenset("is was are were fails failed has had of isn't wasn't does did will".split())
_OBJECT = frozenset(
    "the a an this that these those all it its my our your their them each every both any some".split()
)
_NO_VERB = frozenset(
    """i you he she it we they the a an this that these those there here my your his her its our their
    in on at to of for with from by about as if when while because since although though and or but
    not all some any each both every another such what which who whose how why where is are was were be
    do does did has have had can could will would should may might must just even still maybe like than
    after before during until unless once whether only what's that's it's i'm i've we've let's yes
    no one two three many much more most few same other der die das ein eine und ich wir le la les un
    une et je nous el los las un una y yo per sul nel""".split()
)

_ASKERS = """
    what what's why how when where which who whose is are was were do does did can could would will
    should shall may might has have am any isn't aren't doesn't don't can't couldn't wouldn't shouldn't
    was wie warum wann wo wer welche welcher kann können könntest könnt ist sind gibt
    que qué quoi comment pourquoi quand où quel quelle est-ce cómo cuándo dónde cuál puedes podrías puede
"""
ASKERS = frozenset(_ASKERS.split())

_WANTING = """
    want need needs like should shouldn't must mustn't let's lets please can could would will sure make have gotta ought help
    wish require bitte soll sollte sollten muss müssen möchte brauche kannst könntest würdest
    veux voudrais faut peux pouvez pourrais quiero necesito puedes podrías debe favor vorrei puoi devi
"""
WANTING = frozenset(_WANTING.split())
_WANTS = re.compile(
    r"\b(?:(?:i|we)(?:['’]d| would| really| do| also| just| only|['’]ll)* (?:want|need|like|prefer|have to|"
    r"gotta|should|must|ought)\b|(?:can|could|would|will|should|shall) (?:you|we|i|it|the|this)\b|"
    r"(?:you|it|this|that|they|there) (?:should(?:n['’]?t)?|must(?:n['’]?t)?|needs? to|ought|has to|have to)\b|\w+ (?:should(?:n['’]?t)?|must|needs? to) "
    r"(?:be|not|have|never|only|also)\b|let['’]?s\b|please\b|make sure|help me|how about|what about|"
    r"bitte|ich (?:möchte|brauche|will)|(?:kannst|könntest|würdest) du|wir (?:sollten|müssen|brauchen)|"
    r"s'il (?:te|vous) pla[iî]t|je (?:veux|voudrais)|(?:peux-tu|pouvez-vous|il faut)|"
    r"por favor|(?:quiero|necesito|puedes|podrías)|per favore|vorrei)",
    re.IGNORECASE,
)
_CJK_ASKS = re.compile(
    r"请|請|帮我|幫我|能不能|可以.{0,8}吗|想要|需要|ください|下さい|お願い|してほしい|주세요|해줘|부탁"
)

_RULING = """
    always never don't dont not avoid from whenever every must only prefer stop remember ensure rule
    rules forbidden allowed anymore longer keep stick
    immer nie niemals künftig ab niemals nicht kein keine jamais toujours désormais siempre nunca
    sempre mai
"""
RULING = frozenset(_RULING.split())
_RULE = re.compile(
    r"(?:^|[,;:.–—-]\s+)(?:but |so |then |ok |okay |now |please |just |also |and |so |but )*"
    r"(?:(?:always|never) (?!been\b|had\b|seen\b|\w+ed\b)\w+|do(?:n['’]?t| not)(?: ever| just)? (?!know|think|see|have|understand|"
    r"remember|worry|mind|like|get|believe|want|need|really|feel|care)\w+|avoid \w+ing\b|stop \w+ing\b|"
    r"from now on|going forward|in (?:the )?future|for all future|every time|each time|whenever (?:you|we)|"
    r"only (?:ever )?use|make sure (?:you|to|that|we) (?:always|never)|no more \w+|remember to|be sure to (?:always|never)|"
    r"rule:|under no circumstances|unless i (?:say|ask|tell))"
    r"|\b(?:you|we|it|they|i want you to|should|must|shall)(?: should| must| can| may| need to| have to)? "
    r"(?:always|never)(?: ever)? (?!been\b|had\b|seen\b|heard\b|\w+ed\b)\w+"
    r"|\b(?:you|we|agents?|the code|tests?|commits?|it) must (?!have\b|be\b)(?:not )?\w+|\bmust not\b|\bis (?:not allowed|forbidden|off limits)\b"
    r"|\b(?:ab jetzt|ab sofort|künftig|in zukunft|bitte (?:immer|nie|niemals|keine?)|(?:immer|niemals|nie) \w+en\b)"
    r"|\b(?:désormais|dorénavant|à l'avenir|toujours \w+er|ne \w+ jamais)\b|\b(?:a partir de ahora|siempre \w+|nunca \w+)\b",
    re.IGNORECASE,
)
_CJK_RULE = re.compile(
    r"以后|今后|从现在起|總是|总是|不要|永远不|必须|別|别再|今後|これから|必ず|しないで|앞으로|항상|절대"
)
_I_AM = re.compile(r"^(?:\W*)(?:i|i've|i'm|he|she|my \w+)\b", re.IGNORECASE)

_LIKING = frozenset(
    "prefer prefers rather favorite favourite love hate dislike enjoy fan lieber bevorzuge "
    "préfère prefiero like allergic vegetarian vegan".split()
)
_PREFERENCE = re.compile(
    r"\b(?:i|we)(?:['’]d| would| really| also| do| much| absolutely| generally| usually)* (?:prefer|rather|(?:love|hate|enjoy) (?!to\b|that\b|how\b|it\b|this\b|the way)|dislike|"
    r"(?:do(?:n['’]?t| not) )?like (?!to (?:know|ask|see|have)))|\bmy (?:favou?rite|preferred)\b|\bi['’]?m (?:a (?:big )?fan of|allergic|"
    r"vegetarian|vegan)|\bich (?:bevorzuge|mag|hasse|liebe)|\bje préfère|\bprefiero\b",
    re.IGNORECASE,
)
_BEING = frozenset(
    "i'm i am my me name call live lives work works born heiße bin wohne arbeite m'appelle suis "
    "llamo soy vivo".split()
)
_IDENTITY = re.compile(
    r"\bmy name(?:['’]?s| is)\b|\bcall me\b|\bi(?:['’]m| am) (?:an? |the |from |based |originally |\d+ years)(?!bit|little|few|lot|fan|"
    r"problem|issue|reason|thing|way|case)|\bi (?:work|worked) (?:as|at|for|in)\b|\bi (?:live|grew up|was born) (?:in|at|near)\b|"
    r"\bmy (?:wife|husband|partner|boss|manager|team|company|daughter|son|dog|cat|job|role|time ?zone|email|phone|"
    r"birthday|mother|father|sister|brother|employer|address)(?: is|['’]s| are| was| \w+ is)\b|"
    r"\bich (?:heiße|bin (?:ein|der|die)|wohne|arbeite)|\bje (?:m'appelle|suis|travaille)|\b(?:me llamo|soy (?:de|un|una)|vivo en)",
    re.IGNORECASE,
)

_CORRECTING = frozenset(
    "no nope actually wrong incorrect mistake meant correction instead not isn't wasn't rather "
    "misunderstood nein falsch sondern non faux incorrecto doch stattdessen eigentlich wait sorry "
    "mistaken sino erreur".split()
)
_CORRECTION = re.compile(
    r"^\W*(?:no|nope|nein|wrong|wait|sorry)\s*[,.!:–—-]+\s*\w|^\W*(?:actually|correction|eigentlich)\b[\s,:]|"
    r"\b(?:that|this|it)(?:['’]s| is| was| are) (?:wrong|not right|incorrect|not correct|not what i|a mistake|not true|falsch)|"
    r"\bi (?:meant|mean|misspoke|misread|was wrong|made a mistake)\b|\byou (?:misunderstood|got (?:it|that) wrong|(?:are|['’]re) wrong|"
    r"were wrong)|\w, not (?!just|only|sure|yet|even|to)[\w`'\".\/]+|\b(?:should be|it['’]s|is|means?|use|catch|want) \S+(?: \S+)? not "
    r"(?:an? |the )?(?!\w+(?:ed|ing)\b)[\w`'\"./-]+\s*[.!]?$|"
    r"\bnot (?:\S+ ){1,4}but \S+|\bi was wrong|\bmy mistake\b|\bnicht (?:\S+ ){1,4}sondern\b|\bno (?:\S+ ){1,4}sino\b|"
    r"\b(?:c'est faux|das (?:ist|stimmt) (?:falsch|nicht))",
    re.IGNORECASE,
)
_CJK_CORRECTION = re.compile(r"不对|不對|錯了|错了|不是.{1,20}而是|違います|違う|ではなく|아니")

_DECIDING = frozenset(
    "decided decide decision go going use using chose choose choosing chosen opted settled agreed pick "
    "picked stick switch switched prefer let's lets we'll i'll adopt adopted instead because rather "
    "concluded entschieden nehmen verwenden entscheidung décidé choisi decidido elegido usaremos "
    "approach plan reason rationale".split()
)
_DECISION = re.compile(
    r"\b(?:decided|decision (?:is|was|:)|(?:i|we)(?:['’]ve| have)? (?:chose|chosen|opted|settled on|agreed|concluded|picked|"
    r"switched|adopted)|(?:we|i)(?:['’]ll| will|['’]re going to| should| shall| can) (?:use|go with|stick (?:with|to)|adopt|switch to|keep|"
    r"stay with|rely on|store|drop|skip)|(?:let['’]?s|going to|gonna) (?:use|go with|stick with|keep|adopt|switch to|do it|drop|skip)|"
    r"(?<![.\w])(?:go|going|went|stick|sticking) with|opt(?:ed|ing)? for|the (?:reason|rationale) "
    r"(?:is|was|for)|instead of|rather than|(?:best|right|simplest|cleanest|better|safest) (?:approach|option|choice|way|solution) "
    r"(?:is|would be|here)|i(?:['’]d)? (?:recommend|suggest)|wir (?:nehmen|verwenden|haben entschieden)|entschieden|"
    r"on (?:va|a) (?:utiliser|décidé|choisi)|hemos decidido|usaremos)\b",
    re.IGNORECASE,
)
_FIRM = re.compile(
    r"\b(?:decided|decision|chose|chosen|opted|settled|agreed|(?<![.\w])go(?:ing)? with|stick(?:ing)? with|switched|entschieden|décidé|"
    r"decidido|concluded|adopt(?:ed)?)\b",
    re.IGNORECASE,
)
_CJK_DECISION = re.compile(r"决定|決定|决心|選択|选择|就用|採用|采用|にします|하기로|결정")
_TOGETHER = re.compile(r"\b(?:we|let)['’]?(?:ll|s)? (?:go with|use|stick|keep|adopt|switch)\b", re.I)
_CHOOSERS = frozenset(
    "i we i'd i'll we'll we'd let's lets wir ich nous hemos usaremos we're i'm recommend recommendation".split()
)
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|the reason|in order to|as it|which (?:means|lets|keeps|avoids)|weil|denn|damit|parce que|"
    r"car|porque)\b|因为|因為|ので|から|때문",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"^\W*(?:because|since|this|that|it|the reason|so|otherwise|which|as|weil|denn|das|cela|esto)\b",
    re.IGNORECASE,
)

_PLAN = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|alright|great|perfect|excellent|sure|certainly|got it|good|now|next|first|then|so|finally|right|of course|"
    r"absolutely|yes|understood|good catch|good question)\b[\s,.!:;–—-]*)*"
    r"(?:i(?:['’]ll| will|['’]m going to| am going to|['’]d)|let me|let['’]?s|let us|i (?:need|want|have) to|we (?:need|have) to|"
    r"i should|here(?:['’]s| is| are)|to (?:do|implement|address|achieve|fix|handle|solve|make) (?:this|that|these|it)|"
    r"(?:now|next|first|then),? (?:add|update|create|write|wire|run|check|look|the|for|fix|also|in|we|modify|i|move|remove|"
    r"implement|edit|read|test|verify|build)|(?:looking|reading|checking|searching|running|updating|adding|creating|writing|"
    r"starting|examining|verifying|fixing|removing|testing) |ich werde|je vais|voy a)",
    re.IGNORECASE,
)

_DONE = frozenset(
    "done added fixed created implemented updated removed deleted renamed moved refactored committed "
    "pushed merged deployed finished completed resolved passes pass passing passed works working "
    "successfully success built wrote written changed replaced converted migrated installed configured "
    "extracted verified released published ready clean green set up wired shipped applied closed solved "
    "introduced enabled disabled documented tested ran made simplified improved reduced now "
    "erledigt fertig behoben hinzugefügt umgesetzt terminé corrigé ajouté hecho listo añadido corregido "
    "fatto finito готово".split()
)
_REPORT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|great|perfect|all|and|so|now|both|everything|good)\b[\s,.!:–—-]*)*(?:done|added|fixed|created|implemented|updated|"
    r"removed|deleted|renamed|moved|refactored|committed|pushed|merged|deployed|finished|completed|resolved|built|wrote|changed|"
    r"replaced|converted|migrated|installed|configured|extracted|verified|released|published|wired|shipped|applied|solved|introduced|"
    r"enabled|disabled|documented|simplified|improved|reduced)\b|"
    r"\b(?:i|we)(?:['’]ve| have)?(?: now| also| just| already| successfully)* (?:added|fixed|created|implemented|updated|removed|deleted|"
    r"renamed|moved|refactored|committed|pushed|merged|deployed|finished|completed|resolved|built|wrote|written|changed|replaced|"
    r"converted|migrated|installed|configured|extracted|made|set up|wired|shipped|applied|solved|introduced|enabled|disabled|"
    r"documented|simplified|improved|reduced|modified|rewrote|split|ran|tested|verified|published|released|launched|bought|won|"
    r"started|signed|booked|joined|passed|got|took|went|attended|painted|visited)\b|"
    r"\b(?:all|the|\d+) (?:\w+ ){0,3}(?:tests?|checks?|suite|build|linter|lint)(?: \w+){0,3} (?:pass(?:es|ed|ing)?|succeed\w*|clean|green)\b|"
    r"\b(?:is|are|was|were|has been|have been|been) (?:now |all |already |successfully )*(?:done|added|fixed|created|implemented|updated|removed|"
    r"renamed|moved|complete[d]?|resolved|deployed|merged|committed|working|in place|ready|wired|finished)\b|"
    r"\b(?:now works?|works? now|successfully|compiles? clean|lint(?:er)? clean)\b|"
    r"\b(?:erledigt|fertig|behoben|hinzugefügt|umgesetzt|terminé|corrigé|ajouté|hecho|listo|corregido|fatto|готово)\b",
    re.IGNORECASE,
)
_CJK_DONE = re.compile(r"完成|已经|修复了|修復|しました|できました|完了|했습니다|완료")

_FAILING = frozenset(
    "failed fails fail failing failure error errors broke broken breaks crash crashes crashed crashing "
    "didn't doesn't won't couldn't can't cannot unable wrong problem issue bug cause caused because "
    "exception timeout timed refused rejected missing reverted unfortunately stuck hang hangs "
    "regression leak fehlgeschlagen fehler funktioniert échoué erreur falló error".split()
)
_FAILURE = re.compile(
    r"\b(?:failed|fails|failing|broke|broken|breaks|crash(?:es|ed|ing)?|(?:did|does|do|was|were|is|wo|ca|could)(?:n['’]?t| not) "
    r"(?:\w+ )?(?:work|compile|build|run|help|fix|pass|support|exist|match|handle|solve|start|load|find|found|possible|enough)\w*|"
    r"unable to|(?:root )?cause (?:is|was)|(?:the )?(?:problem|issue|bug|culprit|error) (?:is|was|comes|came|lies|occurs)|turns out|"
    r"timed out|reverted|rolled back|fehlgeschlagen|funktioniert nicht|a échoué|ne marche pas|falló|no funciona|"
    r"(?:is|got|gets) stuck|hangs)\b",
    re.IGNORECASE,
)
_CJK_FAILURE = re.compile(r"失败|失敗|报错|錯誤|错误|エラー|動かない|できません|실패|오류")

_LATER = frozenset(
    "todo fixme later remaining remains left next yet pending blocked waiting wait follow-up followup "
    "follow deferred defer postpone postponed outstanding unresolved open still haven't hasn't tomorrow "
    "need needs awaiting until backlog offen später noch reste pendiente falta depends deadline due "
    "upcoming schedule scheduled".split()
)
_OPEN = re.compile(
    r"\b(?:todo|fixme)\b|\b(?:still (?:need|have|to|open|missing|outstanding|has|needs|waiting)|remain(?:s|ing) (?:to|open|work|tasks?|items?|steps?|issues?)|left to do|"
    r"(?:is|are) left|next steps?|not yet|(?:have|has)n['’]?t (?:yet|been|\w+ed)|blocked (?:on|by)|(?:still|i['’]m|we['’]re|am|are) waiting|"
    r"waiting (?:on|for) (?:you|your|the|approval|review|access)\b|(?:is|are|still) (?:blocked|pending)|awaiting|"
    r"follow[- ]ups?|defer(?:red)?|postpone[d]?|outstanding|unresolved|open question|(?:for|until) (?:later|tomorrow|next)|"
    r"(?:do|come back to|revisit|handle|look at|fix) (?:\w+ )?(?:this |that |it )?later|depends on whether|"
    r"(?:deadline|due) (?:is|on|by|date)|steht noch aus|noch offen|später|reste à|queda pendiente)\b",
    re.IGNORECASE,
)
_CJK_OPEN = re.compile(r"待办|稍后|以后再|还没|尚未|後で|まだ|나중에|아직")

_THANKS = frozenset(
    "thanks thank thx ty great perfect awesome works lgtm nice cool excellent good ok okay yes yep yeah "
    "sure wonderful amazing brilliant love danke super prima merci parfait gracias perfecto genial "
    "grazie obrigado спасибо done approved agreed fine correct exactly right wow beautiful fantastic".split()
)
_POLITE = frozenset(
    "you so much very that that's it it's is looks look this all for the a lot really i we and to go "
    "ahead now do works work sounds please too again your help much".split()
)
_CJK_THANKS = re.compile(r"谢谢|謝謝|ありがとう|감사|고마|很好|没问题|好的")
_COMPLAINT = re.compile(
    r"\b(?:still (?:\w+ ){0,3}(?:not|fail\w*|broken|wrong|error\w*|get\w*|see\w*|doesn['’]?t|same)|(?:does|did|is|do)(?:n['’]?t| not) "
    r"(?:work|fix|help|what i)|try again|not what|same (?:error|problem|issue)|you (?:forgot|missed|didn['’]?t|ignored)|wrong|undo|"
    r"revert|that broke|immer noch|toujours pas|todavía no)\b",
    re.IGNORECASE,
)
_UNABLE = re.compile(
    r"\b(?:i (?:can(?:['’]t|not)|am unable|couldn['’]t|was unable|don['’]t have access|need more|will (?:need|wait))|"
    r"(?:once|when|after) you (?:\w+ )?(?:confirm|share|provide|tell|decide|answer|give|send)|could you (?:please )?(?:share|provide|"
    r"clarify|confirm|tell|send|add|paste|run)|please (?:provide|share|clarify|confirm|let me know which|add|paste)|blocked|deferred|"
    r"later|not yet|before i (?:start|proceed|begin|do)|should i|do you want|would you like me|shall i|which (?:one|option) )\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"^\W*(?:let me know|if you(?:['’]d| would| have| need| want)|would you like|do you (?:have|need)|feel free|is there anything|"
    r"hope (?:this|that)|i hope|happy to|does (?:this|that) (?:help|look|sound|make)|you(?:['’]re| are) welcome|"
    r"i(?:['’]m| am) (?:glad|happy|sorry|here)|i apologize|certainly|great question|you(?:['’]re| are) (?:absolutely )?right|thank|good luck|"
    r"by (?:following|implementing|using)|remember|overall|in summary|in conclusion|these (?:changes|updates|modifications))\b",
    re.IGNORECASE,
)

_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|hallo|bonjour|hola|ciao|bye|goodbye|thanks?|thank you)\W*",
    re.IGNORECASE,
)
_SERVICE = re.compile(
    r"\b(?:assist|help) (?:you|with)|\banything else\b|\bquestions?\b.{0,40}\b(?:about|have|on)\b|\bavez-vous\b|"
    r"\bhow (?:are|about) you\b|\bsound good\b|\bwhat (?:else|about you)\b",
    re.IGNORECASE,
)

_CHOICE = re.compile(
    r"\b(?:should|shall|prefer|which|or|want me|would you like|go ahead|proceed|ok(?:ay)? (?:to|if)|soll|oder|ou|préfér)\b",
    re.IGNORECASE,
)

HEDGED = frozenset(
    "maybe might may perhaps probably possibly likely seems seem appears apparently could should "
    "think guess suspect assume unsure vielleicht wahrscheinlich peut-être quizás".split()
)


class Heard(NamedTuple):
    """A sentence, and what can be told from its form."""

    text: str
    words: tuple[str, ...]
    bag: frozenset[str]
    asks: bool
    """Is it a question?"""
    orders: bool
    """Does its verb command, or does it say what somebody wants done?"""


def heard(text: str) -> Heard:
    """Read one sentence."""
    lower = text.lower().replace("’", "'")
    words = tuple(_WORD.findall(lower))
    bag = frozenset(words)
    asks = text.rstrip("\"'”’)]*_` ").endswith(("?", "\uff1f", "؟"))
    asks = asks or (len(words) > 3 and words[0] in ASKERS and _inverted(words))  # noqa: PLR2004
    orders = _ordered(lower) or (not bag.isdisjoint(WANTING) and _WANTS.search(lower) is not None)
    return Heard(text, words, bag, asks, orders or _cjk(_CJK_ASKS, text))


def _ordered(lower: str) -> bool:
    """Does a clause begin with a verb in the form of an order?"""
    first = True
    for clause in _CLAUSE.split(lower)[:6]:
        words = _TOKEN.findall(clause[:80])
        at = next((n for n, word in enumerate(words[:6]) if word not in OPENINGS), None)
        if at is not None and _commands(words[at:], known=not first):
            return True
        first = False
    return False


def _inverted(words: tuple[str, ...]) -> bool:
    """`Can you …`, `how do I …` without a question mark; `what I saw is …` is a statement."""
    first, second = words[:2]
    if first in {"what", "how", "why", "when", "where", "which", "who"}:
        return not _AUXILIARIES.isdisjoint(words[1:4]) or second in {"about", "come", "to"}
    return second in {"you", "i", "we", "it", "there", "this", "that", "the", "they", "du", "wir", "ich", "vous", "tu"}  # fmt: skip


def _commands(words: list[str], *, known: bool) -> bool:
    """A base form first commands, unless it turns out to be a noun: `Test fails`, `Work is slow`.

    What no list knows as a verb is one where an object follows at once: `cache the result`.
    """
    head, after = words[0], words[1] if len(words) > 1 else ""
    if head in BASE:
        return after not in _FINITE
    if known or head in _NO_VERB or not head.isalpha() or head.endswith(("s", "ing", "ed", "ly")):
        return False
    return after in _OBJECT or after.startswith("`")


def _cjk(rule: re.Pattern[str], text: str) -> bool:
    return not text.isascii() and rule.search(text) is not None


def _raised(said: Heard, words: frozenset[str], rule: re.Pattern[str]) -> bool:
    """A list raises it, a pattern confirms it: most sentences end at the list."""
    return not said.bag.isdisjoint(words) and rule.search(said.text) is not None


def rules(said: Heard) -> bool:
    """Does it tell the agent what holds from now on? What somebody always did is no rule."""
    if said.asks:
        return False
    if _raised(said, RULING, _RULE):
        return not _I_AM.match(said.text) or "want you" in said.text.lower()
    return _cjk(_CJK_RULE, said.text)


def prefers(said: Heard) -> bool:
    return not said.asks and _raised(said, _LIKING, _PREFERENCE)


def identifies(said: Heard) -> bool:
    return not said.asks and _raised(said, _BEING, _IDENTITY)


def corrects(said: Heard) -> bool:
    if said.asks:
        return False
    return _raised(said, _CORRECTING, _CORRECTION) or _cjk(_CJK_CORRECTION, said.text)


def decides(said: Heard) -> bool:
    """Does it choose one way? An opinion without a choice or a reason is none."""
    if said.asks:
        return False
    if not _raised(said, _DECIDING, _DECISION):
        return _cjk(_CJK_DECISION, said.text)
    if plans(said) and not reasons(said) and not _TOGETHER.search(said.text):
        return False
    return _FIRM.search(said.text) is not None or (
        not said.bag.isdisjoint(_CHOOSERS) and not fails(said)
    )


def reasons(said: Heard) -> bool:
    return _REASON.search(said.text) is not None


def goes_on(said: Heard) -> bool:
    """Does it lean on the sentence before?"""
    return _GOES_ON.match(said.text) is not None


def plans(said: Heard) -> bool:
    """Does it tell what is about to be done? Nothing has come of it yet."""
    return _PLAN.match(said.text) is not None


def reports(said: Heard) -> bool:
    """Does it tell of something that has come about?"""
    if said.asks:
        return False
    return _raised(said, _DONE, _REPORT) or _cjk(_CJK_DONE, said.text)


def fails(said: Heard) -> bool:
    if said.asks:
        return False
    return _raised(said, _FAILING, _FAILURE) or _cjk(_CJK_FAILURE, said.text)


def leaves_open(said: Heard) -> bool:
    return _raised(said, _LATER, _OPEN) or _cjk(_CJK_OPEN, said.text)


def unable(said: Heard) -> bool:
    """Does the agent put the work off, or ask back before it does it?"""
    return _UNABLE.search(said.text) is not None


def thanks(said: Heard) -> bool:
    """Only manners, or consent: nothing is asked and nothing told."""
    few = 8
    if _cjk(_CJK_THANKS, said.text):
        return True
    if len(said.words) > few or said.asks or not said.words or said.words[0] not in _THANKS:
        return False
    return sum(word in _THANKS or word in _POLITE for word in said.words) >= 0.7 * len(said.words)


def complains(text: str) -> bool:
    return _COMPLAINT.search(text) is not None


def serves(question: str) -> bool:
    """Is the question only how one offers help, so that no answer decides anything?"""
    return _SERVICE.search(question) is not None


def offers_choice(question: str) -> bool:
    """Is something to be decided by the answer?"""
    return _CHOICE.search(question) is not None


def offers(said: Heard) -> bool:
    """Manners of an agent: an offer, an apology, praise."""
    return _OFFER.match(said.text) is not None


def greets(text: str) -> bool:
    """Only a greeting, or nothing that answers."""
    return _GREETING.fullmatch(text) is not None


def hedged(said: Heard) -> bool:
    return not said.bag.isdisjoint(HEDGED)


def foreign(said: Heard) -> bool:
    """Is it in a language whose forms are not known here, so that only its place can tell?"""
    if not said.text.isascii() and _CJK.search(said.text):
        return True
    common = {"the", "a", "to", "is", "i", "you", "it", "of", "and", "in", "we", "that", "this", "for", "on"}
    return len(said.words) > 3 and said.bag.isdisjoint(common) and said.bag.isdisjoint(BASE)  # noqa: PLR2004
