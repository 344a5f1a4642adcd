"""That a fault is as it was, or worse, whatever was done about it: as a person says who looked.

Who speaks of herself tells how she is, and not what came of the work: `I still have no visa`.
"""

from __future__ import annotations

from .acts.sentence_forms import phrase_pattern
from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

_SEEN = (
    r"(?:not (?!sure|clear)|too|poor|bad|wrong|broken|fail\w*|(?:the )?same|shows?|showing|see|seeing|gets?|"
    r"getting|says|crash\w*|do(?:es)?(?:n['’]?t| not)|isn['’]?t|aren['’]?t|won['’]?t|empty|missing|slow|"
    r"hangs?|stuck|quite (?:high|low|slow)|no (?:change|effect|difference|improvement|output|luck))"
)
_IT = r"(?:it|that|this|these|they|fix|fixes|changes?|update|edit|patch)"
_UNCHANGED = phrase_pattern(rf"""
    nothing(?:'s| has| is| really)? (?:changed?|changes|improved|different)
    (?:no|(?:do|did|can|could)(?:n['’]?t| not) (?:\w+ )?(?:see|notice) (?:a|any)) (?:visible |real )?(?:changes?|difference|effect|improvement)
    (?:it|everything|that|all|this)(?:['’]s| is| looks?| stays?)(?: still| exactly| just| all)* the same
    still {_SEEN}
    {_IT} (?:did|does|do|has|have)(?:n['’]?t| not) (?:\w+ )?(?:help|work|fix|change|improve|solve)(?:ed|d)?
    (?:even|got|looks?|much|made it) worse
    (?:immer noch|noch immer)
    noch (?:nicht|kein\w*|zu|schlechter|schlimmer|genau\w*)
    nichts (?:geändert|verändert|verbessert)
    genau(?:so)? wie (?:vorher|zuvor)
    keine (?:änderung|veränderung|verbesserung)
    (?:funktioniert|klappt) nicht
    (?:se )?sig(?:uen?|o|uimos) (?:sin|igual|\w{{2,}}(?:ando|endo))
    made no (?:\w+ )?(?:changes?|difference)
    nothing (?:happens|happened|works|worked)
    (?:todavía|aún) no
    no (?:cambió|ha cambiado|funcionó|funciona)
    nada (?:cambió|ha cambiado)
    toujours (?:pas|le même|la même|aussi|trop)
    rien n['’]a changé
    ne (?:marche|fonctionne) (?:toujours )?pas
    (?:вс[её] ещ[её]|по-прежнему|вс[её] равно)
    ничего не (?:измен\w+|поменя\w+)
    не (?:работает|помогло)
""")  # noqa: E501 - a phrase is one line
_SIGNS = lazy_pattern(
    "还是(?:不|没|有|一样|报错)|仍然|依然|没有?(?:变化|效果|改变|生效)|没变|没用|不好看|更差|"
    "هنوز|درست (?:نیست|نشد)|کار ن(?:می|کرد)|تغییری نکرد|ما زال|لا [يت]عمل|עדיין|לא עובד|"
    "変わらない|変わりません|変わってい?な|直ってい?な|여전히|그대로|똑같"
)
_SEES = r"(?:see|get|notice|sehe|bekomme|kriege|vois|veo|вижу)"
_OF_HERSELF = lazy_pattern(
    r"\W*(?:(?:and|but|so|ok|und|aber|y|pero|et|mais|но)\b[\s,]*)*"
    r"(?:i|we|ich|wir|je|nous|yo|я|мы)\b(?:['’]m|['’]ve)?"
    rf"(?! (?:still |immer noch |noch immer )?(?:(?:do|can)(?:n['’]?t| not) )?{_SEES})|\W*我(?!看|还是看)"
)


def says_unchanged(each: ParsedSentence) -> bool:
    """Does a person say that it is as it was, or worse, whatever was done?"""
    if each.asks or _OF_HERSELF.match(each.lower):
        return False
    if _UNCHANGED.search(each.lower):
        return True
    return not each.text.isascii() and _SIGNS.search(each.text) is not None


def beside_unchanged(each: ParsedSentence) -> str:
    """What else the sentence says: by that it is known what is as it was."""
    return _SIGNS.sub(" ", _UNCHANGED.sub(" ", each.lower))
