"""Does somebody ask? Who asks wants the best there is, also in other words than theirs."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sentences import stretches

LONGEST = 400
"""Characters of a question. A longer message tells or asks for work, and asks something beside it."""

_MARK = lazy_pattern(r"[?\uff1f\u061f][\s\"'”’)\]*_!?\uff1f\u061f]*$")
"""A question mark at the end, in any of the scripts that have one."""

_OPENS = lazy_pattern(
    r"^\W*(?:(?:and|so|but|ok|okay|hey|hi|sorry|also|und|aber)\b\W*)*"
    r"(?P<asks>what(?! a\b)|which(?! (?:reminds|means|brings|is why|was why)\b)|who|whom|whose|where|why"
    r"|how(?! (?!many|much|few|little|often)\w+ of\b|[^?]*!\W*$)"
    r"|remind me|(?:do|can) you (?:remember|recall)"
    r"|wer|wen|wem|wessen|wie|wo|wann|warum|wieso|welche[rsmn]?|weißt du noch|erinnere? mich"
    r"|was(?! (?:out|away|off|in|at|on|up|back|here|there|with|from|about|not|just|only|too|very|so|really|"
    r"ill|sick|busy|late|able|unable|told|great|good|nice|fun|fine|ok|okay|\w+ed|(?!ging|fing|hing)\w+ing)\b))\b",
    re.IGNORECASE,
)
"""Many leave the mark out. "When" opens more clauses than questions, and needs it. `How kind of you` asks
nothing, nor does `was` in English where nobody is named: `was out yesterday`."""


def is_question(text: str) -> bool:
    """Is it a question, and little else?"""
    text = text.strip()
    if len(text) > LONGEST:
        return False
    if _MARK.search(text):
        return True
    opened = _OPENS.match(text)
    # Without a mark, what follows it tells or wants work: `so what. Go on.`
    return opened is not None and len(stretches(text[opened.start("asks") :])) <= 1
