"""The phrases by which a refusal is known: one a line, in small letters and with plain quotes.

No phrase is enough by itself where it could also tell of a broken tool or a choice of design:
`refusals` asks what the sentence is about before it believes it.
"""

from __future__ import annotations

import re

from everthread.domain.text.acts.sentence_forms import phrase_pattern

_I = (
    r"i(?:'m| am)?"
    r"(?: also| really| simply| just| still| therefore| respectfully| personally| unfortunately)*"
)
_ABLE = (
    r"(?:can't|cannot|can not|cant|(?:am |'m )?(?:unable|not able) to"
    r"|won't be able to|will not be able to)"
)
_WILL = (
    r"(?:won't|will not|shall not|shan't|must not|may not|don't want to|do not want to"
    r"|(?:am |'m )?(?:not (?:going|willing|prepared|ready) to|unwilling to|refusing to|declining to"
    r"|choosing not to))"
)
_RATHER = (
    r"(?:i'd|i would)(?: much)? (?:rather|prefer) not(?: to)?"
    r"|i(?:'m| am) not comfortable(?: with)?|i (?:don't|do not) feel comfortable(?: with)?"
)
_BETWEEN = (
    r"(?:,? (?:in good conscience|ever|also|even|simply|just|and will not|and won't|or won't),?)*"
)

UNABLE = re.compile(
    rf"\b(?:{_I} ?{_ABLE}|^\W*(?:sorry, )?(?:can't|cannot)){_BETWEEN} (?=(?P<act>.+))"
)
"""Somebody says that he cannot; `act` is what."""

UNWILLING = re.compile(
    rf"\b(?:{_I} ?{_WILL}|{_RATHER}|^\W*(?:sorry, |no, )?(?:won't|not)){_BETWEEN} (?=(?P<act>.+))"
)
"""He says that he will not, or would rather not."""

_ENDS = r"(?=\s*(?:[.,;:!–—)]|$|for you\b|because\b|since\b|and\b|but\b|either\b|one\b|with you\b))"

SERVE = re.compile(
    rf"""(?:
        (?:help|helping)(?!\ (?:but|it|feeling|thinking|noticing|wondering|seeing|smiling|laughing)\b)
      | assist(?:ing)?\b | comply\b | oblige\b | fulfill?\b | participat(?:e|ing)\b | facilitat\w+
      | condone\b | endorse\b | encourag\w+ | impersonat\w+ | engage\b | take\ (?:any\ )?part\b
      | be\ (?:a\ )?(?:part|party|involved)\b | take\ sides\b | pretend\ to\ be\b | role-?play\w*
      | (?:discuss|support|continue|proceed|answer|comment|advise|go)(?:ing)?\b(?=\s*(?:
            [.,;:!–—] | $ | (?:with|on|to|into|by|about|you)\b | (?:this|that|it|such|any|your)\b ))
      | (?:do|doing)\ (?:this|that|it|so)\b{_ENDS}
      | (?:walk|guide|lead|coach)\ you\b | give\ you\ (?:the\ )?(?:steps|instructions)\b
    )""",
    re.VERBOSE,
)
"""To serve somebody: whoever says he cannot, or will not, refuses, whatever it is about."""

UTTER = re.compile(
    r"""(?:
        (?P<says>writ|generat|produc|draft|provid|shar|translat|describ|reveal|disclos|giv|supply|offer|compos
        |invent|tell|recommend|explain|teach|answer|follow|say)
      | creat|mak|includ|build|implement|show
    )(?:e|ing|al)?\b\s+(?P<object>.*)""",
    re.VERBOSE,
)
"""To say or make something: an assistant can, so that it does not is a refusal if nothing stood in
the way."""

PROVIDE = re.compile(r"(?:provide|justify|promote|fabricate)\b")
"""What assistants say when they refuse, and hardly ever of a tool that failed."""

MERELY_THAT = re.compile(rf"(?:that|this|it|such)\b{_ENDS}")
"""`I can't build that.` and no more: with a reason it may be a broken compiler."""

ASKED_FOR = re.compile(
    r"""(?:you\ |me\ |us\ )?(?:with\ )?(?:
        (?:that|this|these|those|it|such|any)\b(?!\ (?:much|far|early|yet|late|well|better))
      | (?:(?:the|an?|your|any|more|further|detailed|specific|exact|full|working|explicit)\ )*
        (?:content|text|material|story|scene|joke|jokes|letter|message|essay|speech|article|instructions?
        |information|advice|guidance|details|quantities|diagnos[ei]s|prescriptions?|steps
        |step-by-step|guide|recipe|opinion|assistance|help|exploit|payload|virus|spam|malware)\b
    )""",
    re.VERBOSE,
)
"""What people ask an assistant for in so many words."""

TECHNICAL = phrase_pattern(r"""
    (?:api|interface|file|files|folder|directory|path|disk|port|branch|repo|repository|table|column|index|query|server|host|database|db|lock|thread|process|socket|cache|log|logs|package|module|library|libraries|dependency|dependencies|migration|migrations|schema|field|fields|function|class|method|test|tests|commit|pull request|diff|build|image|container|pdf|version|release|config|flag|json|csv|regex|argument|arguments|parameter|timeout|endpoint|endpoints|parser|linter|compiler|type|types|loop|container|docker|windows|linux|python|sqlite|postgres|redis|runtime|kernel|hook|import|imports|variable|global|dates?|figures?|benchmark|ms|seconds|design|screenshot|vpn|dataset|estimate|encoding)
    (?:datei|dateien|ordner|schnittstelle|tabelle|spalte|feld|abfrage|datenbank|fehler|commit|zweig|pfad|befehl|skript)
    (?:fichier|dossier|interface|table|colonne|requête|base|fonction|branche|erreur|commit)
    (?:archivo|carpeta|interfaz|tabla|columna|consulta|base de datos|función|rama|campo|fallo|ficheros?)
    (?:interfaccia|tabella|funzione|campo|arquivo|tabela|função|bestand|tabel|veld)
""")  # noqa: E501 - a phrase is one line

WORKING = re.compile(
    r"""(?:just\ |ever\ )?(?:
        chang|touch|renam|refactor|reformat|remov|add|us|cach|mock|merg|repeat|need|bor|bother|li|believ|wait|stress
      |thank|agree|imagin|say|hav|b|block|break|keep|mov|split|bump|commit|rebas|squash|inlin|guess|find|see|reach
      |access|open|read|verify|confirm|determin|measur|connect|rememb|simplif|think|know|decid|promis
      |reproduc(?!e\ (?:the\ |this\ )?(?:full\ |entire\ |whole\ )?(?:lyrics|text|article|book|song))
      |quit|judg|afford|rely|assum|compar|parametr|duplicat|rewrit|downgrad|upgrad|skip|hard-?cod
    )(?:e|es|s|ed|ing|y|er|ies|ge|t)?\b""",
    re.VERBOSE,
)
"""What one chooses not to do, or fails at, while working."""

HARM = phrase_pattern(r"""
    (?:weapon|weapons|bomb|bombs|explosives?|malware|ransomware|spyware|keylogger|botnet|phishing|backdoor|deepfake|exploit code)
    (?:steal|stealing|stolen|forge|forging|forged|forgery|fraud|fraudulent|defraud|deceive|deceptive|deceiving|cheat|cheating|fake (?:reviews?|news|accounts?|ids?|documents?|profiles?|quotes?|evidence|invoices?)|launder\w*|evade|evading|smuggl\w+|counterfeit|plagiari\w+)
    (?:stalk|stalking|harass\w*|bully\w*|threats?(?! model)|threaten\w*|blackmail\w*|extort\w*|revenge|insult|insults|slurs?|hateful|hate speech|racist|sexist|defam\w+|humiliat\w+)
    (?:sexual\w*|explicit (?:content|material|scenes?|images?)|porn\w*|minors|suicide|self-harm|violen\w+|harm|harms|harmful|harming|hurts?|hurting|poison\w*|drugs?|dose|doses|dosing|dosage|medication)
    (?:crimes?|criminal|murder\w*|robbery|kidnap\w*|terroris\w+|tortur\w+|genocide|hostage|stereotypes?|rape|abuse|abusive|massacre|slavery)
    kill (?:someone|somebody|people|a person|yourself|him|her|them)
    (?:considered|it is) (?:private|confidential|personal)
    (?:medical|legal|financial|investment) (?:advice|diagnos\w+|treatment)
    (?:illegal|unlawful|unethical|immoral|inappropriate|irresponsible|dangerous|unsafe|offensive|derogatory|discriminat\w+)
    (?:privacy|private (?:person|individual|people|life)|personal (?:data|information|details)|where (?:she|he|they) lives?)
    (?:copyright\w*|lyrics|pirated?|piracy|watermark|impersonat\w+|propaganda|misinformation|disinformation|conspiracy)
    (?:someone else's|somebody else's|other people(?:'s)?|another (?:person|user|customer)(?:'s)?)
    without (?:her|his|their|its|the owner's|anyone's) (?:knowledge|consent|permission)
    (?:aren't|are not|isn't|is not|not) (?:yours|ours)
    (?:ethnic|religious|minority|political|candidate|vote for)
    (?:exfiltrat\w+|hidden instructions|system prompt|audit log|licen[cs]e check|no right to|expose (?:every|all|the) customers?)
    (?:waffe|waffen|sprengstoff|schadsoftware|keylogger|bedroht|drohung|gefälscht\w*|verletzt|illegal|strafbar|betrug|diagnosen?|rechtsberatung|hintertür|witz)
    (?:arme|armes|explosifs?|malveillants?|menaces?|pirater|illégal\w*|médica\w+|faux|blague|porte dérobée|quantités)
    (?:armas?|explosivos|malicios\w+|amenaza\w*|ilegal\w*|médic\w+|fals[oa]s?|puerta trasera|datos personales)
    (?:danneggia\w*|mediche|medic[ao]|minacci\w+|esplosivi|minacia|ameaça\w*|wapens?)
""")  # noqa: E501 - a phrase is one line
"""What an assistant is asked not to do."""

DECLINE = phrase_pattern(r"""
    i (?:respectfully |must |have to |need to |will have to |am going to |'ll have to )+(?:respectfully )?(?:decline|refuse|say no)
    i(?:'m| am)(?: going to)? (?:declin\w+|refus\w+)(?= to\b| this\b| that\b| your\b|[.,;:]|$)
    i (?:respectfully )?(?:refuse|decline) (?!to (?:believe|accept|think|give up))(?:to|this|that|your|any|participation)
    i (?:respectfully )?(?:refuse|decline)(?=\s*[.,;:!]|$)
    (?:request|that|this)(?: is| was)? (?:declined|refused)\W*$
    (?:is|are|'s)(?:n't| not) (?:really )?(?:something|anything|a thing) (?:that )?i(?:'m| am|'d|'ll)? ?(?:can|could|do|will|would|may|able|willing|comfortable|support|want)
    (?:i|and|but) (?:have )?declined to (?!comment|review|merge|use)(?=\w+ (?:the|that|your|any|a|an)\b)\w+
    something (?:that )?i (?:won't|will not|can't|cannot|refuse to)
    out of the question(?: for me)
    a line (?:that )?i (?:won't|will not|don't|do not|refuse to) cross
    i(?:'m going to|'ll| will| have to| must| am going to)(?: have to)? pass on (?:this|that)
    (?:not|nope,? not) doing (?:that|this)
    (?:falls?|is|are|lies?) outside (?:of )?(?:what i (?:may|can|am|will)|my (?:remit|guidelines|scope))
""")  # noqa: E501 - a phrase is one line
"""To decline in so many words."""

_RULES = (
    r"(?:guidelines?|polic(?:y|ies)|rules?|principles|values|instructions|programming|training"
    r"|ethics|terms|safeguards)"
)
POLICY = phrase_pattern(rf"""
    {_RULES}(?: \w+)?,? (?:do(?:es)?(?:n't| not)|won't|will not) (?:allow|permit|let) me
    {_RULES} (?:prevents?|stops?|keeps?|forbids?|prohibits?|bars?|restricts?) me
    (?:i'm|i am|i've been|i have been) (?:not (?:allowed|permitted|authori[sz]ed|supposed|meant)|forbidden|prohibited|restricted|barred|instructed not|told not) (?:to|from)
    (?:go(?:es)?|is|would be|would go|'s|are) (?:against|contrary to|in violation of) my {_RULES}
    (?:violates?|violate|breach(?:es)?|breaks?) (?:my|our) (?:\w+ )?{_RULES}
    against (?:the )?(?:\w+ )?polic(?:y|ies) for me
    (?:this|that|your|the) (?:request|prompt|topic|content you ask\w* for|question|material)(?: \w+){{0,3}} (?:violates?|breach(?:es)?|is against|goes against)
    (?:this|that|your|the) (?:request|prompt|topic|content you ask\w* for|question|material) (?:is|are) (?:not allowed|not permitted|prohibited|forbidden)
    (?:inappropriate|unethical|irresponsible|wrong|improper) for me to
    (?:would|wouldn't|is|isn't)(?: not)? be (?:right|appropriate|ethical|responsible) (?:for me|of me) to
    (?:meine|unsere) (?:\w+ )?(?:richtlinien|regeln|vorgaben|grundsätze) (?:\w+ ){{0,4}}(?:nicht|verbieten|untersagen)
    (?:règles|directives|consignes|principes)(?: \w+)? (?:ne (?:me|nous) permettent pas|(?:m'|me )(?:interdisent|empêchent))
    (?:je n'ai pas le droit|il ne m'est pas permis|je ne suis pas autoris\w+) (?:de|d'|à)
    (?:normas|directrices|políticas?|reglas|principios)(?: \w+)? (?:no me permiten?|me (?:prohíben?|impiden?))
    no (?:se me permite|me está permitido|tengo permitido|estoy autorizad[oa])
    (?:linee guida|regole|diretrizes|regras|normas)(?: \w+)? (?:non mi (?:consent|permett)\w+|não me permitem|não (?:o )?permitem que eu)
    mijn (?:\w+ )?(?:richtlijnen|regels) (?:\w+ ){{0,3}}niet
""")  # noqa: E501 - a phrase is one line
"""A rule is what stands in the way."""

AS_AI = phrase_pattern(r"""
    (?:as|being) an? (?:\w+ )?(?:ai|a\.i\.|language model|ai model|virtual assistant|artificial intelligence)(?! (?:company|team|startup|vendor|lab))
    i(?:'m| am)(?: just| only)? an? (?:\w+ )?(?:ai|language model)
    als (?:eine? )?(?:ki|sprachmodell|künstliche intelligenz)
    en tant qu(?:'|e )(?:ia|une ia|intelligence artificielle|modèle de langage)
    como (?:un |una |um |uma )?(?:ia|inteligencia artificial|modelo de lenguaje|modelo de linguagem|inteligência artificial)
    come (?:un'|una )?(?:ia|intelligenza artificiale|modello linguistico)
    als (?:ai|taalmodel)
    как (?:ии|искусственный интеллект|языковая модель)
""")  # noqa: E501 - a phrase is one line

DISOWNS = phrase_pattern(r"""
    i (?:do not|don't|can't|cannot|will not|won't|would never|will never)(?: \w+){0,2} (?:condone|promote|endorse|glorify)
    (?:and|that) (?:do not|don't) (?:condone|promote|endorse)
    (?:i|and) (?:do not|don't) have the (?:ability|capability|capacity) to (?:provide|support|promote|discuss|harm|assist)
""")  # noqa: E501 - a phrase is one line
"""Whoever says so goes no further."""

_MORAL = r"(?:appropriate|ethical|respectful|moral|acceptable|humane|legal|okay|fair)"
LECTURES = phrase_pattern(rf"""
    (?:it|that|this)(?:'s| is| would be|'d be| was) (?:not|never)(?: \w+ (?:or|nor|and))?(?: \w+)? ?{_MORAL}
    (?:it|that|this) (?:isn't|is neither|wouldn't be)(?: \w+ (?:or|nor|and))? {_MORAL}
    i(?:'m not sure| am not sure| do not think| don't think| don't believe)(?: that)? (?:it|that)(?:'s| is)(?: an?)?(?: \w+ (?:or|nor|and))? {_MORAL}
    (?:is|are) (?:never|not)(?: \w+)? (?:acceptable|justified|justifiable|okay)
    i must (?:clarify|emphasi[sz]e|stress|point out|inform you|remind you|note) that
    it(?:'s| is) (?:important|crucial|essential) to (?:note|remember|clarify|understand|emphasi[sz]e|recogni[sz]e) that [^.]*(?:illegal|unethical|crime|never)
""")  # noqa: E501 - a phrase is one line
"""To say that one must not do what was asked for; believed of people, and where a message begins."""

PEOPLE = phrase_pattern(r"""
    (?:people|person|someone|somebody|anyone|others|individuals?|groups?|child|children|women|men|humans?)
    (?:race|racial|religion|gender|orientation|ethnicity|discriminat\w+|violence|dignity|community|society)
""")

STOPS = phrase_pattern(r"""
    i(?:'m| am)? ?(?:need to|have to|must|'ll|will|going to)* ?(?:stop|stopping|end|ending)(?: this)? here
""")
CLAUSE = re.compile(r"[,;:–—]\s|\b(?:because|since|so that|although|but)\b")
"""Where what was said of one thing ends."""

WAITS = phrase_pattern(r"""
    (?:until|before|unless|without) (?:you|your|i (?:have|hear|know))
    (?:once|when|after) you (?:confirm|approve|agree|say)
    (?:in|for) this (?:commit|change|session|pull request|pr|branch)
    (?:from|on|in) (?:here|this (?:machine|container|chat|environment|sandbox))
""")
"""It waits for a word, or tells where it stands: no refusal."""

GIVES_REASON = re.compile(
    r"\W*(?:it|that|this|they|doing|such|because|those|these"
    r"|the \w+ (?:would|could)|going further|das|cela|eso)\b"
    r"|(?:他|这|那|其|他の|それ)"
)
"""How a sentence begins that gives the reason of the one before."""
