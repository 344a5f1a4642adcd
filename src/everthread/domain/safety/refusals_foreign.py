"""The phrases of refusals in other languages than English; see `refusals_forms`."""
# ruff: noqa: RUF001 - other scripts

from __future__ import annotations

import re

from everthread.domain.text.acts.sentence_forms import phrase_pattern

REFUSES = phrase_pattern(r"""
    (?:ich kann|kann ich|können wir|wir können) (?:\S+ ){0,6}nicht (?:\S+ ){0,2}(?:helfen|behilflich|unterstützen|weiterhelfen|mitmachen|mitwirken|beantworten|dienen|entsprechen)
    (?:das|dies|so etwas) (?:kann|darf|werde|möchte) ich (?:\S+ ){0,2}nicht(?: (?:tun|machen|schreiben|beantworten))?(?=\s*[.,;:!]|$)
    (?:das|so etwas|dabei) (?:mache|tue|schreibe) ich (?:\S+ )?nicht(?: mit)?(?=\s*[.,;:!]|$)
    (?:ich kann|kann ich|ich darf|darf ich) (?:\S+ ){0,4}keine[nrms]? (?:\S+ ){0,2}(?:anleitung\w*|auskunft|auskünfte|diagnosen?|\w*beratung|ratschläge|inhalte|informationen|empfehlung\w*|schadsoftware|texte?)
    ich (?:muss|möchte|werde)(?: \S+){0,5} ablehnen
    ich lehne (?:es|das|dies|diese\w?|ihre|deine)(?: \S+){0,5} ab
    (?:ich weigere mich|da mache ich nicht mit|weigere ich mich)
    je ne (?:peux|saurais|pourrai|puis) pas (?:\S+ ){0,2}(?:aider|assister|conseiller|répondre à (?:cette|votre|ta|ce)|faire (?:cela|ça)|participer|accéder à (?:votre|ta|cette) demande)
    je ne (?:suis pas en mesure|suis pas capable) (?:de |d')(?:\S+ ){0,2}(?:répondre|aider|fournir|écrire|assister)
    je (?:refuse|décline|dois (?:décliner|refuser))(?= de\b| d'| cette| votre|[.,;:!]|$)
    je préfère ne pas (?:écrire|faire|répondre|participer|aborder|donner)
    je ne (?:vais pas|ferai pas|veux pas)(?: faire)? (?:cela|ça)(?=\s*[.,;:!]|$)
    no (?:puedo|podemos|podré|podría) (?:\S+ ){0,2}(?:ayudar\w*|asistir\w*|hacer (?:eso|esto)(?=\s*[.,;:!]|$)|participar|responder a (?:eso|esta|tu|su)|cumplir)
    (?:me niego|debo (?:rechazar|declinar|negarme)|tengo que (?:rechazar|negarme)|rechazo (?:esta|tu|su|participar))
    prefiero no (?:escribir|hacer|responder|participar|hablar)
    no (?:voy a|quiero) (?:hacer (?:eso|esto)(?=\s*[.,;:!]|$)|ayudar\w*|participar)
    non posso (?:\S+ )?(?:aiutar\w*|assister\w*|farlo|rispondere a questa|partecipare)
    (?:mi rifiuto|devo (?:rifiutare|declinare)|preferisco non)
    não posso (?:\S+ )?(?:ajudar|auxiliar|fazer isso|participar|responder a)
    (?:recuso-me|me recuso|tenho de recusar|tenho que recusar|devo recusar|prefiro não)
    (?:daar|hier|dat|ik) kan ik (?:\S+ ){0,3}niet (?:mee|bij)? ?(?:helpen|doen)
    ik kan (?:\S+ ){0,4}niet (?:mee |bij )?helpen
    (?:ik weiger|dat doe ik niet|ik moet (?:dit|dat) weigeren|ik ga dat niet doen)
    я не (?:могу|смогу|в состоянии) (?:\S+ ){0,2}(?:помочь|помогать|ответить на этот|выполнить (?:этот|эту|ваш)|участвовать|предоставить)
    (?:я отказываюсь|вынужден[а]? отказать\w*|я не стану|должен отказать\w*)
    я не буду (?:писать так|помогать|участвовать|этого делать|делать это)
""")  # noqa: E501 - a phrase is one line
"""Enough by itself."""

REFUSES_HARM = phrase_pattern(r"""
    ich (?:werde|kann|möchte|will|darf)(?: \S+){0,8} (?:nicht|keine?[nrms]?)
    (?:werde|kann|möchte|will|darf) ich(?: \S+){0,8} (?:nicht|keine?[nrms]?)
    je ne (?:peux|vais|veux|dois|saurais) pas
    je ne \w+rai pas
    (?:no (?:puedo|voy a|quiero|debo)|no \w+ré)
    (?:non (?:posso|voglio|devo)|non \w+rò)
    (?:não (?:posso|vou|quero|devo)|não \w+rei)
    ik (?:kan|ga|wil|zal|mag)(?: \S+){0,8} (?:niet|geen)
    я не (?:могу|буду|стану|хочу)
""")
"""Enough where it is about something that harms, or where an assistant speaks of itself."""

REFUSES_SAYING = phrase_pattern(r"""
    (?:ich werde|werde ich|ich möchte|ich will)(?: \S+){0,8} nicht (?:schreiben|verfassen|erstellen|formulieren|liefern|erzählen|nennen)
    je ne (?:vais|peux|veux) pas (?:\S+ )?(?:écrire|générer|fournir|donner|rédiger|produire)
    je ne (?:fournirai|écrirai|donnerai|rédigerai|produirai) pas
    no (?:voy a|puedo|quiero) (?:escribir\w*|generar|proporcionar|dar\w*|redactar|compartir)
    no (?:escribiré|generaré|proporcionaré|daré|redactaré|compartiré)
    non (?:scriverò|posso fornire|fornirò|posso scrivere|genererò)
    não (?:vou|posso) (?:escrever|gerar|fornecer|dar|redigir)
    ik (?:ga|kan|zal)(?: \S+){0,6} niet (?:schrijven|geven|maken)
    я не (?:буду|могу|стану) (?:писать|генерировать|давать|создавать)
""")  # noqa: E501 - a phrase is one line
"""Enough unless it is about the work: a file, an interface."""

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
CJK_REFUSES = re.compile(
    r"我(?:也|都|实在|恐怕|目前|暂时)?(?:不能|无法|不可以|没法|没办法)(?:再|继续|直接)?(?:协助|帮|为您|为你|给您|给你|向您|向你"
    r"|提供(?!商)|回答|满足|支持|参与|讨论|透露|生成|编写|撰写|写)"
    r"|我(?:不会|不愿|不想|绝不)(?:再|去)?(?:帮|为您|为你|给您|给你|提供|参与|写|编写|生成|撰写|协助)"
    r"|我(?:必须|只能|不得不|要)?(?:拒绝|谢绝|婉拒)(?!了?(?:的|请求))|(?:不便|不能|无法)(?:回答|透露|提供)"
    r"|(?:规范|政策|准则|规定|原则)(?:不允许|禁止)我|恕难从命"
    r"|(?:お手伝い|お応え|お答え|お力添え|ご協力|お教え|お役に立)(?:すること)?(?:は|が)?(?:でき|いたし|出来|て)"
    r"(?:ません|かねます|かねる)(?!でした)"
    r"|お断り(?:します|いたします|させて|しなければ)|ご遠慮(?:します|いたします|させて)|拒否いたします"
    r"|(?:ガイドライン|ポリシー|規約|方針|aiとして|aiなので|aiである)[^。]{0,40}(?:でき|出来)(?:ません|かねます)(?!でした)"
    r"|(?:依頼|要望|リクエスト|質問)[^。]{0,12}(?:応じ|答え|応え|対応)[^。]{0,6}(?:ません|かねます)(?!でした)"
    r"|(?:도와|도움을?|알려|답변|대답)\S{0,6} ?(?:드릴|줄|할|드리기|줄|하기) ?(?:수 없|어렵)"
    r"|(?:정책|규정|지침|가이드라인)\S* [^.]{0,30}(?:수 없|않)|거절(?:합니다|하겠습니다|해야)"
    r"|(?:글|내용|요청|메시지|코드)\S* [^.]{0,10}(?:작성|제공|생성)하지 않겠"
)
CJK_HARM = re.compile(
    r"(?:害|脅迫|違法|危険|不正|武器|爆弾|偽造|差別)[^。]{0,20}(?:ため|ので|から|は)"
    r"|恶意|违法|非法|有害|威胁|伪造|武器|炸药|危险"
)
CJK_WILL_NOT = re.compile(
    r"(?:書き|作り|作成し|手伝い|提供し|協力し)ません(?!か|でした)|我(?:不能|无法|不会)"
)
