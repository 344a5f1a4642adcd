"""The forms by which a sentence is known: one phrase a line, in small letters and with plain quotes."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern

from .passing_remarks import FOR_NOW, NO_TIME, PAST_FORM
from .word_lists import TOLD_ES


def phrase_pattern(text: str) -> re.Pattern[str]:
    """Any of the phrases, between the ends of words."""
    return lazy_pattern("|".join(_at_word_ends(line.strip()) for line in text.strip().splitlines()))


def _at_word_ends(phrase: str) -> str:
    left = r"\b" if phrase[0].isalnum() or (phrase[0] == "(" and phrase[:4] != "(?:^") else ""
    ends = phrase[-1].isalnum() and phrase[-2:-1] != "\\"
    right = r"\b" if ends or phrase[-1] == ")" else ""
    return f"{left}{phrase}{right}"


WANTS = phrase_pattern(r"""
    (?:i|we)(?:'d| would| really| do| also| just| only|'ll)* (?:want|need|like|prefer|have to|gotta|should|must|ought)
    (?:can|could|would|will|should|shall) (?:you|we|i|it|the|this)
    (?:you|it|this|that|they|there) (?:should(?:n't)?|must(?:n't)?|needs? to|ought|has to|have to)
    \w+ (?:should(?:n't)?|must|needs? to) (?:be|not|have|never|only|also)
    let'?s
    please
    make sure
    help me
    (?:how|what) about
    bitte
    ich (?:möchte|brauche|will)
    (?:kannst|könntest|würdest) du
    wir (?:sollten|müssen|brauchen)
    s'il (?:te|vous) pla[iî]t
    je (?:veux|voudrais)
    (?:peux-tu|pouvez-vous|il faut)
    por favor
    (?:quiero|necesito|puedes|podrías)
    per favore
    vorrei
""")  # noqa: E501 - a phrase is one line

_AT_START = (
    r"(?:^\(?|(?<=[\w)])[,;:.–—-]\s+)"
    r"(?:(?:but|so|then|ok|okay|now|please|pls|plz|just|also|and|oh|btw|next time),? )*"
)
RULE = phrase_pattern(rf"""
    {_AT_START}(?:always|never) (?!been\b|had\b|seen\b|mind\b|saw\b|knew\b|thought\b|got\b|was\b|were\b|heard\b|again\W*$|{PAST_FORM})\w+
    {_AT_START}do(?:n't|nt| not)(?: ever| just)? (?!(?:answer|remind|ask|judge|quote|blame|laugh)(?: me| that| this)?\W*[dp]?\W*$)(?!know|think|see|have|understand|remember|worry|mind|like|get|find (?:it|this|that)\b)(?!believe|want|need|really|feel|care|forget|let (?:it|this|that|them|him|her) (?:get|bother|stop|discourage|bring)\b)\w+
    {_AT_START}(?:(?:avoid|stop) \w+ing(?! (?:this|that|these|those) (?!please|again|every|all|when|now|immediately|in|with)\w)|do(?:n't|nt| not) forget to (?:use|cite|quote|format|round|spell|sort|avoid|(?:answer|reply|respond|speak)(?= (?:in|with|only|briefly)\b)|keep(?= (?:\w+ ){{1,2}}(?:short|brief|simple|below|under)\b))(?! (?:up|the|this|that|these|those|it|my|our|your|his|her|an?)\b))
    {_AT_START}(?:from now on|going forward|in (?:the )?future|for all future|(?:every|each) time (?:you|we))
    {_AT_START}(?:whenever (?:you|we)|only (?:ever )?use|no more \w+|remember to|under no circumstances)
    {_AT_START}(?:(?:my|one|new|house|golden|general|simple|first|another|standing|here's a) )*rule(?: for [^:]{{1,30}})?:
    {_AT_START}only (?:ever )?(?:answer|reply|respond|write|speak|talk)(?: to me| me)? (?:in|with)
    {_AT_START}before (?:each|every|any|you (?!know\b|say\b|ask\b|start\b|go\b|answer\b)\w+) ?[^,]*, \w+
    {_AT_START}no (?:\w+ )?(?:bullet points?|bullets|emojis?|markdown|headings|jargon|exclamation marks|small talk|preambles?|apologies|abbreviations|filler|fluff)
    (?:ask|check with|consult|warn|tell|notify|inform)(?: me| us)?(?: first)? before (?:you|doing|each|every|any|\w+ing)
    (?:ask|check with|consult) (?:me|us) (?:first|every time|each time)
    (?:it's|it is) important (?:that you|to) (?:\w+ ){{0,12}}(?:always|never|every|each|any)(?! other)
    {_AT_START}(?:make|be) sure (?:you |to |that |we )*(?:always|never)
    from now on(?=\W*$)
    unless i (?:say|ask|tell)
    (?:we|should|must|shall|(?:you|it|they)(?: should| must| shall| need to| have to| are to))(?: should| must| need to| have to)? (?:always|never)(?: ever)? (?!been\b|had\b|seen\b|heard\b|{PAST_FORM})\w+
    you (?:can|may) never(?: ever)? (?!be\b|know|have\b|go wrong|win\b|trust|predict|please\b|tell(?=\W*$| (?:if|what|when|with|how|whether|who|which)\b))\w+
    (?:it|they) (?:can|may) never(?: ever)? (?:be )?(?:tell|told|share\w*|sen[dt]|delet\w+|push\w*|contact\w*|touch\w*|publish\w*|give|given|show|shown|enter|used?)
    (?:you|we|agents?|the code|tests?|commits?|it) must (?!have\b|be\b|go\b)(?:not )?\w+
    must not
    (?:is|are) (?:not allowed|forbidden|off[ -]limits|taboo)
    ^(?!.*(?:\b(?:wir|er|hat|haben|habe|hatte|ist|bin|sind|wird|werde|werden|entweder)\b|\bich (?!möchte|will|hätte|wünsche))).*\bab (?:jetzt|sofort)
    künftig
    in zukunft
    (?:bitte (?:immer|nie|niemals|keine?)|^\W*bitte \w[^.!?]{{0,60}}\bund (?:antwort|schreib|sprich|nutz|verwend|benutz|acht|halt|nenn|frag)e? (?:mir |mich |uns )?(?:immer|nie|niemals)|^\W*(?:bitte )?(?:sprich|schreib|gib|nimm|lies|sag|mach|nenn|zeig|halt|lass|stell|setz|frag|prüf|denk)e? (?:(?!ich\b|wir\b|er\b|sie\b|es\b|man\b|du\b)\w+ ){{0,4}}(?:immer|nie|niemals) (?!noch\b|wieder\b|mehr\b)\w+)
    (?<!nicht )(?:immer|niemals|nie) (?!(?:die|den|der)selb|wiederkehr)\w+en
    désormais
    dorénavant
    à l'avenir
    toujours \w+er
    (?:ne |n')\w+ (?:jamais|plus)
    ^\W*(?:bitte )?(?!habe|hatte|hätte|brauche|sehe|finde|kenne|bekomme|diese|eine|alle|viele|keine|leide)\w+e (?:bitte |mir )?(?:nie|niemals|keine?[nr]?|immer)
    frage?t? (?:mich|uns)(?: bitte| immer| vorher| zuerst)*,? (?:bevor|vorher|zuerst)
    antworte\w*(?: \w+){{0,3}} auf [a-zäöü]+(?=\W*$)
    (?<!не )(?:никогда|всегда) \w+
    [وف]?لا ت\w+ .*(?:[أا]بد[اً]+|مطلق[اً]+|إطلاق[اً]+|بعد (?:الآن|اليوم)|مرة أخرى)
    ^\W*(?:من فضلك )?لا (?!تعمل|توجد|تظهر|تزال|تحتوي|تفتح|تتوفر|تكفي|تنس|تبدو|تدعم|تقلق|تحتاج|تتذكر)ت\w+
    [وف]?(?:يجب|ينبغي) (?:ألا|أن لا|عدم|دائم[اً]+)
    (?:ممنوع|يمنع|يُمنع|لا يجوز|محظور|غير مسموح)
    ^\W*(?:من فضلك )?(?:تجنب|إياك)
    (?:من الآن فصاعد[اً]+|من اليوم فصاعد[اً]+|دائم[اً]+ ما? ?[است]\w+|\w+ دائم[اً]+)
    no \w+ (?:\S+ ){{0,4}}nunca
    a partir de ahora(?!,? (?:yo )?(?:estoy|soy|voy|tengo|trabajo|vivo|estaré|estamos)\b)
    (?<!no )(?:siempre|nunca) (?!{TOLD_ES})\w+
""")  # noqa: E501 - a phrase is one line
_MOMENT = r"(?:for|just|right) now|for the moment|this (?:one|time)|noch nicht|erstmal|por ahora"
ONCE = lazy_pattern(rf"\b(?:yet|{_MOMENT}|todavía)\b")
"""What is forbidden for now is a request, and no rule."""
QUOTED = lazy_pattern(
    r"(?<!\bi )(?<!\bwe )\b(?:says?|said|writes?|wrote|shouts?|reads?|called|titled|named)\s*:\s+\S"
)
QUOTATION = lazy_pattern(r'"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|„[^“”\n]*[“”]')
"""What stands between quotes is somebody else's, or an example."""
RULES_HEAD = lazy_pattern(
    r"^\W*(?:(?:\w+ ){0,4}(?:rules|guidelines|conventions|regeln|reglas|règles|consignes)"
    r"(?: (?:for|in|from|when|that|to|für|para|pour)\b[^:.]{0,40})?|"
    r"(?:(?:our|my) (?:house |code |coding |commit |naming )?style|house style|style guide))\s*[:\uff1a]"
)
LABEL = lazy_pattern(
    r"^\W*(?:deploy|release|launch|test|build|start|end|run|ship|work|design|move|order|search|log|store|cache|"
    r"sign|report|sample|target) (?:target|date|day|style|tool|command|version|name|path|limit|window|"
    r"time|budget|env(?:ironment)?|host|url|region|stack|goal|deadline|status|plan|schedule|size|port|branch|"
    r"server): \S"
)
"""What looks like an order and names what is told behind the colon: `Deploy target: Fly.io`."""
SUPPOSED = lazy_pattern(
    r"^\W*(?:but\W+)?(?!.*\bbut\b)(?:(?:and|so|well|hm+|also)\W+)*"
    r"if (?:i|we|you|it|they|he|she|there|the \w+) "
    r"(?:did|had|were|was|could|went|took|got|bought|used|chose|built)\b.*(?:\bwould\b|'d\b|\bcould\b|\bmight\b)"
)
"""What would be if; nobody chose it."""
SPEAKS_OF_SELF = lazy_pattern(r"^\W*(?:i|i've|i'm|he|she|my \w+)\b")
TELLS_HABIT = lazy_pattern(
    r"^\W*(?:(?:and|but|so|because|well)\W+)?(?:it|that|this|they|the [\w-]+(?: [\w-]+)?)"
    r"(?:'s|'re| is| are| was| were)\b(?!.*\b(?:you|your|please|must|should|shall|allowed|to be|rule)\b)"
    r"[^;.]*, (?:but |and )?(?:always|never) (?:\w+s(?= (?:on|in|at|when|if|by|like|first|last|too|so|up|"
    r"down|out|off|again|the|\w+ly)\b|\W*$)|the \w)"
)
"""How a thing is, and what it always does: `it's behind the door, always dries first`."""

_POINTS = r"(?:to|that|how|it|this|him|her|them|you)"
PREFERENCE = phrase_pattern(rf"""
    (?:i|we)(?:'d| would| really| also| do| much| absolutely| generally| usually)* (?:prefer|rather|dislike)
    (?:i|we)(?: really| also| absolutely)* (?:love|hate|enjoy) (?!{_POINTS}\b|the way)\w+
    (?:i|we)(?: really| also)* (?:do(?:n't| not) )?like (?!{_POINTS}\b|the way)\w+
    my (?:favou?rite|preferred)
    i(?:'m| am) (?:a (?:big )?fan of|allergic|vegetarian|vegan)
    ich (?:bevorzuge|mag|hasse|liebe)
    je préfère
    (?:prefiero|me gustan? más)
""")
IDENTITY = phrase_pattern(rf"""
    my name(?:'?s| is)
    call me {NO_TIME}\w+
    i(?:'m| am) (?:an? |the |from |based |originally |\d+ years)(?!bit|little|few|lot|fan|problem|issue|reason|thing|way|case)\w*
    i (?:work|worked) (?:as|at|for|in)
    i (?:live|grew up|was born) (?:in|at|near)
    my (?:wife|husband|partner|boss|manager|team|company|daughter|son|dog|cat)(?: \w+)?(?: is|'s(?= (?:an?|the|called|named|in|at|from|not|\w+ing)\b)| are| was){FOR_NOW}
    my (?:job|role|time ?zone|email|phone|birthday|mother|father|sister|brother|employer|address)(?: is|'s(?= (?:an?|the|called|named|in|at|from|not|\w+ing)\b)| are| was){FOR_NOW}
    (?:ich (?:heiße|bin (?:ein|der|die)|wohne|arbeite)|(?:ich bin|je suis|soy|sono|ik ben) (?:\w+ ){{0,2}}all?[eé]rg\w+)
    je (?:m'appelle|travaille|suis (?!(?!née?\b)\w+ée?s?\b|en\b|dans\b|à\b|sur\b|là\b|très\b|trop\b|si\b|sûre?\b|contente?\b|malade\b|prête?\b|d'accord\b|aux?\b|perdue?s?\b|curieu))
    (?:me llamo|soy (?:de|un|una)|vivo en)
""")  # noqa: E501 - a phrase is one line

CORRECTION = phrase_pattern(r"""
    ^\W*(?:no|nope|nein|wrong|wait|sorry)\s*[,.!:–—-]+\s*\w
    ^\W*(?:actually|correction|eigentlich)\b[\s,:]
    (?:that|this|it)(?:'s| is| was| are) (?:wrong|not right|incorrect|not correct|not what i|a mistake|not true|falsch)
    i (?:meant|mean|misspoke|misread|was wrong|made a mistake)
    you (?:misunderstood|got (?:it|that) wrong|are wrong|were wrong)
    you're wrong
    \w, not (?!just|only|sure|yet|even|to|urgent|(?:me|mine|ours|us|you|yours|theirs|today|tonight)\W*$)[\w`'"./]+
    (?:should be|it's|is|means?|use|catch|want) \S+(?: \S+)? not (?:an? |the )?(?!\w+(?:ed|ing)\b)[\w`'"./-]+\s*[.!]?$
    not (?:\S+ ){1,4}but \S+
    my mistake
    nicht (?:\S+ ){1,4}sondern
    no (?:\S+ ){1,4}sino
    c'est faux
    das (?:ist|stimmt) (?:falsch|nicht)
""")  # noqa: E501 - a phrase is one line

_KEEP = (
    r"keep(?! (?:on|up|going|at it|it up|that up|in (?:mind|touch)|an eye|each other|track|calm|quiet|"
    r"(?:[\w'-]+ ){1,5}in mind|\w+ (?:posted|updated|informed|in the loop)|(?:a |an )?(?:note|record) of|"
    r"(?:\w+ )?\w+ing)\b)"
)
"""To keep something is a choice; to keep doing it is none, nor to keep it in mind."""
KEEPS_ON = lazy_pattern(
    rf"\b(?:let'?s|(?:we|i)(?:'ll| will|'re gonna|'m gonna|'re going to|'m going to)) (?!{_KEEP})keep\b"
)
DECISION = phrase_pattern(rf"""
    decided
    decision (?:is|was)
    decision:
    ^\W*(?:(?:ok|okay|good|great|right|so|then)\b[\s,.!–—-]*)*(?:agreed|settled|chosen)\**:
    (?:i|we)(?:'ve| have)? (?:chose|chosen|opted|settled on|agreed|concluded|picked|switched|adopted)
    (?:we|i)(?:'ll| will|'re going to| should| shall) (?:use|go with|stick (?:with|to)|adopt|switch to|{_KEEP}|stay with)
    (?:^\W*|[;:.,–—]\s+)(?:ok |okay |yes |then |and |well )*(?:we|i) can (?:use|go with|stick (?:with|to)|adopt|switch to|{_KEEP}|stay with)
    (?:we|i)(?:'ll| will| should) (?:rely on|store|drop|skip)
    (?:let'?s|going to|gonna) (?:use|go with|stick with|{_KEEP}|adopt|switch to|do it|drop|skip)
    (?<![.\w])(?:go|going|went|stick|sticking) with
    (?:we|let's)(?:'ll| will)? (?:go|switch|move) back to (?!work|school|sleep|bed|home|the (?:office|hotel|start|beginning)|normal|square)
    opt(?:ed|ing)? for
    the (?:reason|rationale) (?:is|was|for)
    instead of
    rather than
    (?:best|right|simplest|cleanest|better|safest) (?:approach|option|choice|way|solution) (?:is|would be|here)
    i(?:'d)? (?:recommend|suggest)
    wir (?:nehmen|verwenden|haben entschieden)
    entschieden
    (?:(?:on (?:va|a)|nous avons|j'ai) (?:utiliser|décidé|choisi|opté)|hemos (?:decidido|elegido|optado))
    usaremos
""")  # noqa: E501 - a phrase is one line
FIRM = phrase_pattern(r"""
    (?:decided|decision|chose|chosen|opted|settled|agreed|switched|entschieden|décidé|choisi|decidido|elegido|concluded|adopt(?:ed)?)
    (?<![.\w])(?:(?:go|going|stick|sticking) with|opt for)
""")
TOGETHER = lazy_pattern(
    rf"\b(?:we|let)'?(?:ll|s)? (?:go with|use|stick|{_KEEP}|adopt|switch|drop|skip)\b"
)
REASON = phrase_pattern(r"""
    (?:because|since|so that|due to|the reason|in order to|as it|weil|denn|damit|parce que|car|porque)
    which (?:means|lets|keeps|avoids)
    (?:因为|因為|ので|から|때문)
""")
GOES_ON = lazy_pattern(
    r"^\W*(?:because|since|this|that|it|the reason|so|otherwise|which|as|weil|denn|das|cela|esto)\b"
)

PLAN = lazy_pattern(
    r"^\W*(?:(?:ok(?:ay)?|alright|great|perfect|excellent|sure|certainly|got it|good|now|next|first|then|so|"
    r"finally|right|of course|absolutely|yes|understood|good catch|good question)\b[\s,.!:;–—-]*)*"
    r"(?:i(?:'ll| will|'m going to| am going to|'d)|let me|let'?s|let us|i (?:need|want|have) to|i should|"
    r"we (?:need|have) to|here(?:'s| is| are)|(?:now|next|first|then),? (?:add|update|create|write|wire|run|"
    r"check|look|the|for|fix|also|in|we|modify|i|move|remove|implement|edit|read|test|verify|build)|"
    r"to (?:do|implement|address|achieve|fix|handle|solve|make) (?:this|that|these|it)|"
    r"(?:looking|reading|checking|searching|running|updating|adding|creating|writing|starting|examining|"
    r"verifying|fixing|removing|testing) |(?:(?:i'm|i am|still|currently) )*working on |"
    r"(?:(?:jetzt|nun|maintenant|ahora|primero|entonces)\W+)?(?:ich (?:werde|muss)|werde ich|je vais|voy a|"
    r"vamos a|(?:déjame|permíteme) )|(?:现在|接下来|首先)?(?:我(?:会|将|来|先|要)|让我)|"
    r"(?:сейчас )?я (?:буду|сделаю|проверю))"
)

_DEEDS = (
    "added|fixed|created|implemented|updated|removed|deleted|renamed|moved|refactored|committed|pushed|merged|"
    "deployed|finished|completed|resolved|built|wrote|changed|replaced|converted|migrated|installed|configured|"
    "extracted|verified|released|published|wired|shipped|applied|solved|introduced|enabled|disabled|documented|"
    "simplified|improved|reduced"
)
REPORT = phrase_pattern(rf"""
    ^\W*(?:(?:ok(?:ay)?|great|perfect|all|and|so|now|both|everything|good)\b[\s,.!:–—-]*)*(?:done|{_DEEDS})
    (?:i|we)(?:'ve| have)?(?: now| also| just| already| successfully)* (?:{_DEEDS}|written|made|set up|modified|rewrote|split|ran|tested)
    (?:i|we)(?:'ve| have)?(?: also| just| finally)* (?:launched|bought|won|started|signed|booked|joined|passed|got|took|went)
    (?:i|we)(?:'ve| have)?(?: also| just| finally)* (?:attended|painted|visited)
    (?:all|the|\d+) (?:\w+ ){{0,3}}(?:tests?|checks?|suite|build|linter|lint)(?: \w+){{0,3}} (?:pass(?:es|ed|ing)?|succeed\w*|clean|green)
    (?:is|are|was|were|has been|have been|been) (?:now |all |already |successfully )*(?:done|added|fixed|created|implemented|updated)
    (?:is|are|was|were|has been|have been|been) (?:now |all |already |successfully )*(?:removed|renamed|moved|completed?|resolved)
    (?:is|are|was|were|has been|have been|been) (?:now |all |already )*(?:deployed|merged|committed|working|in place|ready|wired|finished)
    (?:now works?|works? now|successfully|compiles? clean|lint(?:er)? clean)
    (?:erledigt|fertig|behoben|hinzugefügt|umgesetzt|terminé|corrigé|ajouté|hecho|listo|corregido|fatto|готово)
""")  # noqa: E501 - a phrase is one line

DATED = lazy_pattern(r"\b(?:was|were)\b.*\b(?:in|since|around|until) (?:\w+ )?(?:1\d{3}|20\d\d)\b")
"""What came about in some year is history, unless who speaks did it."""
MENDED = lazy_pattern(
    r"\b(?:fixed|resolved|solved|mended|repaired|pass(?:es|ed|ing)?|works? (?:again|now)|green|behoben)\b"
)
OF_USER = lazy_pattern(
    r"^\W*(?:(?:so|and|also|ok(?:ay)?|yes|great|understood|note that|earlier|today)\b[\s,.!:–—-]*)*"
    r"(?:the (?:user|customer|human|owner)|user|you)(?:'ve|'d| have| has| had)?"
    r"(?: \w+ly| also| just| already| now)*"
    r" (?:decided|chose|chosen|approved|agreed|allowed|authori[sz]ed|permitted|granted|confirmed|consented|"
    r"wants?|wanted|prefers?|preferred|asked|asks|told|said|says|requested|requests|instructed|ordered|"
    r"insists?|insisted|expects?|demanded|demands|likes?|needs?|wishes)\b"
)
"""What an agent says of the person's will."""

FAILURE = phrase_pattern(r"""
    (?:failed|fails|failing|broke|broken(?! (?:into|up|down into))|(?<!line )(?<!page )breaks|crash(?:es|ed|ing)?)
    (?:did|does|do|was|were|is|wo|ca|could)(?:n't| not) (?:\w+ )?(?:work|compile|build|run|help|fix|pass|support|exist|match)\w*
    (?:did|does|do|was|were|is|wo|ca|could)(?:n't| not) (?:\w+ )?(?:handle|solve|start|load|find|found|possible|enough|get)\w*
    (?:tests?|checks?|builds?|jobs?|they|both|all) fail
    unable to
    (?:root )?cause (?:is|was)
    (?:the )?(?:problem|issue|bug|culprit|error) (?:is|was|comes|came|lies|occurs)
    turns out
    timed out
    reverted
    rolled back
    (?:is|got|gets) stuck
    hangs
    (?:fehlgeschlagen|funktioniert nicht|a échoué|ne marche pas|falló|no funciona)
""")  # noqa: E501 - a phrase is one line
_THERE = r"\b[^,.;:]*$"
IN_CASE = lazy_pattern(
    rf"\b(?:if|unless|in case|in the event|falls|whether|handl(?:es?|ing) (?:the )?cases?){_THERE}"
)
AT_ANY_TIME = lazy_pattern(rf"\b(?:when|whenever|wenn|sobald|cuando|quand|until){_THERE}")
PAST = lazy_pattern(r"\w*(?:failed|broke|crashed|did|was|were|could|timed|reverted|rolled|got)")
"""What stands after these is supposed, and has not come about; after the second only in the present."""
IF = lazy_pattern(r"\b(?:if|unless|in case|should you|falls|wenn|sofern|si)\b")
OF_A_KIND = lazy_pattern(
    r"\w[ ,]+which(?: \w+){0,2}\s*$|\bwho(?: \w+){0,2}\s*$|\w that (?:are|were|have)(?: \w+)?\s*$|"
    r"\b(?:can|could|may|might|would|should|will|must)(?: \w+ly)? be\s*$"
)
"""After these it is told what something is like, or may become: `tasks that are`, `the commit will be`."""

OPEN = phrase_pattern(r"""
    (?:fixme|(?:a|the|this|one|open) todos?|todos?(?= (?:add|fix|write|remove|check|make)\b|\s*[:–(-]))
    still (?:needs?|to|open|missing|outstanding|waiting|pending|blocked|ha(?:s|ve) (?:\S+ ){0,4}?to)
    remain(?:s|ing)? (?:to|open|work|tasks?|items?|steps?|issues?)
    left to do
    (?:is|are) left
    next steps?
    (?:not|n't) (?:[\w'-]+ ){0,7}?yet
    (?:have|has)n't (?:yet|been|\w+ed)
    blocked (?:on|by)
    (?:i'm|we're|am|are) waiting
    waiting (?:on|for) (?:you|your|the|approval|review|access)
    (?:is|are) (?:blocked|pending)
    awaiting
    follow[- ]ups?
    (?:defer(?:red)?|postponed?|outstanding|unresolved|open question)
    (?:for|until) (?:later|tomorrow|next)
    (?:do|come back to|revisit|handle|look at|fix) (?:\w+ )?(?:this |that |it )?later
    depends on whether
    (?:deadline|due) (?:is|on|by|date)
    (?:steht noch aus|noch offen|später|reste à|queda pendiente)
""")
NOTHING_OPEN = phrase_pattern(r"""
    (?:no|none|nothing|0|zero|without any) (?:[^\s,;.]+ ){0,5}(?:left|open|remain\w*|pending|outstanding|missing|blocked|to do|unresolved|todos?)
    (?:nichts|keine?[nr]?) (?:[^\s,;.]+ ){0,5}(?:offen|aus|übrig)
    (?:rien|aucune?) (?:[^\s,;.]+ ){0,5}(?:reste|à faire)
    (?:nada|ning[uú]n[ao]?) (?:[^\s,;.]+ ){0,5}(?:pendiente|queda)
""")  # noqa: E501 - a phrase is one line
"""`0 rows are left`, `nothing is still open`."""
UNABLE = phrase_pattern(r"""
    (?:i|we) (?:can't|cannot|can not|am unable|are unable|couldn't|could not|was unable|were unable|don't have access|need more|will (?:need|wait))
    (?:i|we)(?:'m|'re)? (?:wasn't|weren't|aren't|(?:was |were |am |are )?not) able to
    (?:i|we)(?:'m| am|'re| are)? (?:still |currently )?working on (?:it|that|this)
    ^\W*(?:just )?(?:one|a) (?:moment|second|minute)
    (?:once|when|after) you (?:\w+ )?(?:confirm|share|provide|tell|decide|answer|give|send)
    please (?:provide|share|clarify|confirm|let me know which|add|paste)
    (?:blocked|deferred|not yet)
    before i (?:start|proceed|begin|do)
    ich kann (?:\w+ ){0,3}nicht
    einen moment
    no (?:puedo|pude|podemos)
    je ne (?:peux|pouvais) pas
""")  # noqa: E501 - a phrase is one line
ASKS_BACK = phrase_pattern(r"""
    could you (?:please )?(?:share|provide|clarify|confirm|tell|send|add|paste|run)
    (?:should i|do you want|would you like me|shall i)
    which (?:one|option|\w+ do you|\w+ should)
""")
HINDERED = phrase_pattern(r"""
    (?:is|are|was|were|seems|appears)(?: to be)?(?: currently| still| now| temporarily)* (?:down|unavailable|unreachable|offline|out of stock)
    (?:is|are|was|were|got|has been)(?: currently| still| now)* (?:declined|rejected|denied|refused|not (?:available|reachable|allowed))
    (?:did|does|do|would|could)(?:n't| not) (?:work|go through|succeed|let me)
    (?:failed|fails) (?:with|because|due)
    (?:it|that|this|\w+ing)(?:'s| is| was) (?:currently |unfortunately )?(?:not possible|impossible)
    (?:das|es) (?:geht|klappt|ging) (?:\w+ ){0,3}nicht
    nicht möglich
    (?:no (?:es|fue) posible|no se puede)
    pas possible
""")  # noqa: E501 - a phrase is one line
PROMISE = phrase_pattern(r"""
    (?:i'll|i will|i shall|we'll|we will|we shall) (?!use\b|go with\b)\w+
    ich (?:werde|erinnere|melde)
    (?:je vais|voy a)
""")
COMPLAINT = phrase_pattern(r"""
    still (?:\w+ ){0,3}(?:not|fail\w*|broken|wrong|error\w*|get\w*|see\w*|doesn't|same)
    (?:does|did|is|do)(?:n't| not) (?:work|fix|help|what i)
    try again
    not what
    same (?:error|problem|issue)
    you (?:forgot|missed|didn't|ignored)
    (?:wrong|that broke|immer noch|toujours pas|todavía no)
    (?:undo|revert) (?:it|that|this|these|those|the|your|my|all|everything)
    ^\W*(?:(?:please|no|ok|okay)\b[\s,.!]*)*(?:undo|revert)\W*$
""")
OFFER = lazy_pattern(
    r"^\W*(?:let me know|if you(?:'d| would| have| need| want)|would you like|do you (?:have|need)|feel free|"
    r"is there anything|hope (?:this|that)|i hope|happy to|does (?:this|that) (?:help|look|sound|make)|"
    r"you(?:'re| are) (?:welcome|(?:absolutely )?right)|i(?:'m| am) (?:glad|happy|sorry|here)|i apologize|"
    r"certainly|great question|thank|good luck|by (?:following|implementing|using)|remember|overall|"
    r"in summary|in conclusion|looking forward|these (?:changes|updates|modifications))\b"
)
ASKS_WHICH = lazy_pattern(
    r"\blet me know (?:which|what|how|when|whether|who|where|your|once|as soon)\b|\b(?:want|like) me to\b|"
    r"\b(?:should|shall) i\b"
)
"""What looks like an offer, and waits for an answer."""
SERVICE = phrase_pattern(r"""
    (?:assist|help) (?:you|with)
    (?:anything|something) (?:else|specific)
    questions? (?:\w+ ){0,4}(?:about|have|on)
    avez-vous
    how (?:are|about) you
    sound good
    what (?:else|about you)
""")
GREETING = lazy_pattern(
    r"\W*(?:hi|hello|hey|(?:good )?(?:morning|evening|afternoon)|hallo|guten (?:morgen|tag|abend)|moin|"
    r"bonjour|bonsoir|salut|hola|buen[oa]s (?:días|dias|tardes|noches)|ciao|buongiorno|buonasera|olá|"
    r"bom dia|goede(?:morgen|middag|avond)|(?:good)?bye|thanks?(?: you)?)(?:[ ,]+(?P<whom>[^\W\d_]{2,}))?\W*"
)
