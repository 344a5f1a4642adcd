"""What an agent says of how things are just then, which its next step or the person's next word changes.

In a summary it stands in its place in time. As a memory of its own it would be told as so for good: that a
file does not exist yet, what looks right, what still has to be changed, how it was before and after.
"""

from __future__ import annotations

from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.patterns import lazy_pattern

from .choices.answer_pairs import CHOSE

_LEANS = lazy_pattern(
    r"[^\w`]*(?:but|however|so|ok(?:ay)?|otherwise|hence|still|yet|therefore|in the meantime|meanwhile|"
    r"if (?:it|that|this|so)|aber|jedoch|also|pero|aunque|sin embargo|entonces|mais|donc|cependant|но|однако|"
    r"поэтому)\b|[^\w`]*(?:但|所以|因此|しかし|だから|하지만|好的|是的|对的)|"
    r"[^\w`]*(?:yes|no|exactly|right|great|good|perfect|sorry|got it|you(?:['’]re| are) right|ja|genau|"
    r"stimmt|exacto|perfecto|tienes razón|sí|listo|exactement|parfait|oui|да|верно)\s?[,.!:;–—-]"
)
"""So begins what goes on from the sentence before, and is not told with it."""

_OF_NOW = phrase_pattern(r"""
    (?:not|n['’]t|nothing|none)\b[^.;]{0,40}\byet
    (?:does|do|did)n['’]t exist
    (?:is|are|was|were)(?:n['’]t| not) (?:there|here|in place|set|defined|installed|available)
    (?:currently|right now|at the moment|for now|so far|as of now|at present)
    not (?:100 ?% |entirely |quite |completely )?(?:sure|certain)
    can(?:no|['’])?t (?:validate|verify|confirm|tell)
    (?:looks?|seems?|appears?) (?:correct|good|fine|right|ok|okay)
    (?:is|are) (?:also |already |indeed |now )*(?:correct|correctly|properly)
    (?:still )?(?:need|needs|needed|have|has) to (?:be )?\w+
    (?:must|should) (?:still |also |now )?be \w+(?:ed|n|t)
    my (?:recommendation|suggestion|advice)
    i(?:['’]d| would)? (?:strongly )?(?:recommend|suggest|propose|advise)
    (?:i|we) (?:can )?(?:see|notice)
    (?:found|here['’]s|there(?:['’]s| is| was| are)) (?:the|a|an|another|one)? ?(?:\w+ )?(?:issue|problem|bug|mismatch|error|mistake|typo)
    \d+\+? (?:violations?|errors?|warnings?|issues?|problems?|failures?|faults?)
    (?:derzeit|momentan|im moment|noch (?:nicht|kein\w*)|aktuell|muss (?:noch|man)|müssen (?:noch|wir))
    (?:actualmente|ahora mismo|por ahora|todavía|aún no|necesit(?:o|as|amos)|hay que|falta)
    (?:actuellement|pour l['’]instant|pas encore|il faut)
    (?:сейчас|пока|ещё не|еще не|нужно|надо)
""")  # noqa: E501 - a phrase is one line
_SIGNS = lazy_pattern("目前|现在|現在|尚未|还没|還沒|今は|まだ|지금|아직|فعلا|هنوز")
_TURNED = lazy_pattern(
    r"(?:^|[\s*(-])(?:before|after|was|now|antes|después|ahora|vorher|nachher|jetzt|avant|après|было|стало|قبل|بعد)"
    r"\*{0,2}\s?[:\uff1a]|修改前|修改后"
)
"""How it was, and how it is since."""
_CODE = lazy_pattern(
    r"\W*(?:export|echo|import|const|let|var|def|return|select|insert|update|npm|pip|git|sudo)\b[^.]*[=$;({]"
)

ITEMS = 2
_LABEL = lazy_pattern(
    r"[^\w`\"'(\[]*\*\*[^*\n]{1,80}\*\*\s?[:\uff1a(←-]|[^\w`\"'(\[]*\*\*[^*\n]{1,80}[:\uff1a]\*\*"
)
"""`**Cell 0 (new):** …` begins an item of a list."""
_ITEMS = lazy_pattern(r"(?:^|\s)(?:[-*•✅❌☑✓→]|\d{1,2}[.)])\s+(?=\S)")
_NUMBERS = lazy_pattern(r"(?<![\w(])\w{1,2}\)")


def is_passing_state(text: str) -> bool:
    """Does it tell what is so for the moment, or is it a piece of something?"""
    lower = text.lower()
    if _LEANS.match(lower) or _OF_NOW.search(lower) or _TURNED.search(lower) or _CODE.match(lower):
        return True
    if not text.isascii() and _SIGNS.search(text):
        return True
    return is_piece(text)


def is_listing(text: str) -> bool:
    """Is it a list, or a part of one with its heading? It tells of several things, most of them as they are:
    readers found as many good ones among them as among plain sentences.
    """
    if CHOSE in text:
        return True
    return _LABEL.match(text) is not None or len(_ITEMS.findall(text)) >= ITEMS


def is_piece(text: str) -> bool:
    """Was it cut out of a line: by what opens and never closes, or closes and never opened?"""
    if text.count("**") % 2 or text.count("`") % 2:
        return True
    return text[:1] in "()],;:" or text.count(")") > text.count("(") + _listed(text)


def _listed(text: str) -> int:
    """Numbers of a list have a parenthesis of their own: `1)`."""
    return len(_NUMBERS.findall(text))
