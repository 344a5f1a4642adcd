"""What a person asks to be remembered: `please remember that …`, in the forms of several languages.

What she asks to be kept is hers to judge, so it is a memory whatever it says. Who asks whether somebody
remembers, tells what she remembers herself, or orders something (`remember to …`) asks for none.
"""

from __future__ import annotations

import re

from .acts.speech import ParsedSentence
from .patterns import lazy_pattern

_SOFT = r"(?:\s|[,\uff0c\u3001])*"
_LEAD = (
    r"^\W*(?:(?:ok(?:ay)?|and|also|so|oh|yes|hi|hello|hey|thanks|by the way|btw|und|auch|et|aussi|y|"
    r"también|e|please|pls|kindly|bitte|s'il (?:te|vous) pla[iî]t|por favor|per favore|пожалуйста|من فضلك|"
    r"(?:can|could|would|will) you|kannst du|könntest du|"
    r"peux-tu|pouvez-vous|puedes|podrías|puoi|(?:i|i'd) (?:want|need|like|would like) you to)[\s,.!:]+)*"
)
_VERBS = r"""
    remember|memori[sz]e|keep in mind|bear in mind|(?:do not|don't|never) (?:let (?:me|us) )?forget
    make a note|take (?:a )?note
    (?:save|store|add|put|write|commit)(?: (?:this|it))? (?:to|in|into) (?:your |the )?memory
    for (?:future|later|your) reference
    merken? dir|merkt? euch|merk dir|merken sie sich|vergiss nicht|vergessen sie nicht|denk(?:e|t)? dar?an
    behalt(?:e|et)? im kopf|notier(?:e|t)? dir
    souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|n'oublie(?:z)? pas
    garde(?:z)? en (?:mémoire|tête)
    recuerda|recuerde|recuerden|acuérdate|acuérdese|no (?:te )?olvides|no (?:se )?olvide
    ten en cuenta|memoriza
    ricorda|ricordati|ricordatevi|ricordi|non dimenticare|tieni (?:a mente|presente)
    lembre-se|lembra-te|lembre|não (?:se |te )?esqueça[s]?
    onthoud|vergeet niet
    запомни|запомните|помни|помните|не забудь|не забудьте|не забывай|имей в виду
    تذكر|تذكري|تذكروا|تذكّر|لا تنس|لا تنسى|لا تنسي|احفظ
"""
_ANY_VERB = "|".join(part for line in _VERBS.split("\n") if (part := line.strip()))
_THAT = (
    r"(?:dass|que|qu'|che|dat|что|أن|أنّ|بأن|de que|"
    r"that(?! (?:time|day|night|one|bug|issue|guy|song|thing|meeting|trip|when)\b))"
)
_TO_ME = r"(?: (?:for me|please|bitte|bien|always|well|für mich|para mí))?"
_TOLD = lazy_pattern(
    rf"{_LEAD}(?:{_ANY_VERB}){_TO_ME}"
    rf"(?:\s*(?:this|the following|folgendes|ceci|esto|questo|это)?\s*[:\uff1a]\s*|,?\s+{_THAT}\s*(?<=[\s'])|"
    r"\s*[,–—]\s+(?!(?:to|and|or|but|when|how|if)\b)|"
    r"\s+(?=(?:my|our|i|i'm|we|we're)\b.*\b(?:is|are|am|i'm|we're|was|has|have|live|work|need|prefer|like)\b))"
    r"(?P<what>\S.*)",
    re.DOTALL,
)
_POLITE = lazy_pattern(
    r"^\W*(?:\w+[ ,]+){0,3}(?:can|could|would|will) you\b|kannst|könntest|peux|puedes|podrías"
)
_TO_DO = lazy_pattern(r"(?:to|zu)\s")
_THIS = lazy_pattern(
    rf"{_LEAD}(?:{_ANY_VERB})\s*(?:this|that|it|das|es|ça|cela|ceci|eso|esto|questo|это|dat|هذا)?{_TO_ME}\W*$"
)
_CJK_TOLD = lazy_pattern(
    rf"^\W*+(?:请|請|麻烦你?|拜托)?{_SOFT}(?:你|帮我|幫我|一定|要)*(?:记住|記住|记下|記下|牢记|别忘了|別忘了|不要忘记|"
    rf"记得|記得)(?!了|吗|嗎|么){_SOFT}[:\uff1a]?{_SOFT}(?P<what>\S.*)",
    re.DOTALL,
)
_CJK_THIS = lazy_pattern(
    r"^\W*(?:请|請)?(?:你|帮我|幫我)?(?:记住|記住|记下|記下)(?:这个|這個|这一点|它)?\W*$|"
    r"^\W*(?:これを?|それを?|この(?:こと|事)を?)?(?:よく|ちゃんと)?(?:覚えて(?:おいて)?|記憶して(?:おいて)?|忘れないで)"
    r"(?:ください|下さい|くださいね|ね|くれ|ほしい)?\W*$|"
    r"^\W*(?:이걸|이것을|꼭)?\s*(?:기억해|잊지 ?마)\s*(?:줘|주세요|두세요|세요)?\W*$"
)
_CJK_ENDS = lazy_pattern(
    r"^\W*+(?P<what>.+?)(?:という?こと|こと)?(?:を|と|は)、?(?:よく|ちゃんと)?(?:覚えて(?:おいて)?|記憶して(?:おいて)?|忘れないで)"
    r"(?:ください|下さい|くださいね|ね|くれ|ほしい)?\W*$|"
    r"^\W*+(?P<wie>.+?)(?:다는 것을|다는 걸|라는 것을|라는 걸|라고|을|를)\s*(?:꼭 )?(?:기억해|잊지 ?마)"
    r"\s*(?:줘|주세요|두세요|세요)?\W*$",
    re.DOTALL,
)


def text_to_remember(said: ParsedSentence) -> str:
    """What the sentence asks to be remembered, in its own words; empty if it does not ask that."""
    text = said.text
    if not text.isascii() and (found := _text_in_signs(said)):
        return found
    lower = text.lower().replace("’", "'")
    found = _TOLD.match(lower) if len(lower) == len(text) else None
    if found is None or (said.asks and not _POLITE.search(lower)):
        return ""
    what = text[found.start("what") :].strip()
    return "" if _TO_DO.match(what) else what


def _text_in_signs(said: ParsedSentence) -> str:
    if said.asks:
        return ""
    if found := _CJK_TOLD.match(said.text):
        return "" if _CJK_THIS.match(said.text) else found["what"].strip()
    found = None if _CJK_THIS.match(said.text) else _CJK_ENDS.match(said.text)
    return "" if found is None else (found["what"] or found["wie"]).strip()


def refers_to_previous(said: ParsedSentence) -> bool:
    """Does it ask to remember what was said just before it?"""
    if said.asks and not _POLITE.search(said.lower):
        return False
    return _THIS.match(said.lower) is not None or _CJK_THIS.match(said.text) is not None
