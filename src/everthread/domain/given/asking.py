"""Does somebody ask? Who asks wants the best there is, also in other words than theirs."""

from __future__ import annotations

import re

from everthread.domain.text.patterns import late

LONGEST = 400
"""Characters of a question. A longer message tells or asks for work, and asks something beside it."""

_MARK = late(r"[?\uff1f\u061f][\s\"'”’)\]*_!?\uff1f\u061f]*$")
"""A question mark at the end, in any of the scripts that have one."""

_OPENS = late(
    r"^\W*(?:(?:and|so|but|ok|okay|hey|hi|sorry|also|und|aber)\b\W*)*"
    r"(?:what(?! a\b)|which|who|whom|whose|where|why|how|remind me|(?:do|can) you (?:remember|recall)"
    r"|wer|wen|wem|wessen|was|wie|wo|wann|warum|wieso|welche[rsmn]?|weißt du noch|erinnere? mich)\b",
    re.IGNORECASE,
)
"""Many leave the mark out. "When" opens more clauses than questions, and needs it."""


def asks(text: str) -> bool:
    """Is it a question, and little else?"""
    text = text.strip()
    if len(text) > LONGEST:
        return False
    return _MARK.search(text) is not None or _OPENS.match(text) is not None
