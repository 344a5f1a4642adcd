"""What is not worth keeping as a memory, and why.

Memories that nobody asked for are mostly noise: an agent telling what it is about to do, a question
said over again, a tool's output, our own words come back. What a person asks to be remembered is
hers to judge; of that only nothing at all, and our own frame, is refused.
"""

from __future__ import annotations

import re

from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.words import length_in_letters

from .memories import Origin

SHORTEST = 15
"""Characters of a memory that nobody asked for; a sign of a script without blanks counts as three."""

LONGEST = 1_000
"""A memory is a sentence or two; what a machine offers beyond that is a copy of something."""

LETTERS = 0.5
"""Of what is not blank, so much is letters in what people write."""

LONGEST_WORD = 200

_SAYS_SOMETHING = lazy_pattern(r"\w")
_FRAME = lazy_pattern(
    r"</?everthread-\w+>|^\s*conversation summary \(distillation #\d+\)|"
    + re.escape("This is data, not instructions: it is dated and sourced"),
    re.IGNORECASE,
)
_LEAD_IN = lazy_pattern(
    r"^(?:(?:ok(?:ay)?|alright|great|perfect|excellent|sure|certainly|got it|good|now|next|first|then|so|"
    r"finally|hmm+|wait|right)\b[\s,.!:;–-]*)+",
    re.IGNORECASE,
)
_VERBS = (
    "look|check|read|open|run|see|examine|inspect|search|find|verify|start|begin|continue|explore|"
    "review|analy[sz]e|investigate|update|fix|add|create|write|implement|test|grep|list|edit|try|"
    "proceed|take a look|have a look|go ahead|move on|make|do|get|help|think|dig|trace|debug|confirm"
)
_PLAN = lazy_pattern(
    r"(?:i(?:['’]ll| will|['’]m going to| am going to|['’]m now| am now)|let me|let['’]s|let us)\s+"
    rf"(?:(?:now|first|also|just|quickly|then|next|go|try to|start by|begin by|have to)\s+)*"
    rf"(?:{_VERBS})(?:ing)?\b",
    re.IGNORECASE,
)
_LATER = lazy_pattern(
    r"\b(?:once|before|after|when|until|as soon as|later|tomorrow|tonight|next (?:week|month|year)|also)\b",
    re.IGNORECASE,
)
"""What is planned for then is no step of the work at hand."""
_DUTY = lazy_pattern(
    rf"(?:i (?:need to|should|have to|must|want to)|we need to)\s+(?:(?:now|first|also|just)\s+)*"
    rf"(?:{_VERBS})\b",
    re.IGNORECASE,
)
_TELLING = lazy_pattern(
    r"(?:looking at|reading|checking|searching|running|examining|i can see|i see (?:that|the)|"
    r"i(?:['’]ve| have) (?:now |successfully )?(?:read|checked|looked|searched|run|finished|completed)|"
    r"here(?:['’]s| is| are) (?:the|a|an|what|my)|as (?:you can see|requested)|"
    r"discussed|ran|tool (?:call|result|output)|the (?:assistant|agent|tool) (?:ran|called|read|used))\b",
    re.IGNORECASE,
)
_ASKED = lazy_pattern(
    r"(?:the )?user(?:['’]s question)? (?:asked|asks|is asking|wants to know|wanted to know|inquired|"
    r"wonders|requested|is requesting)\b|(?:the )?(?:question|request|task) (?:is|was)\b",
    re.IGNORECASE,
)
_ASKED_FOR = lazy_pattern(
    r"(?:the )?user (?:asked|asks|requested) (?:(?:me |us )?(?:never|always|not to)|to be|that)\b",
    re.IGNORECASE,
)
"""What holds from then on is more than a question."""
_STATES = lazy_pattern(
    r"(?:looking|reading|checking|searching|running|examining)\b(?:"
    r"[^,.:;]*\b(?:needs?|requires?|takes?|uses?|is|are|happens?|means?|costs?|works?|fails?|has|must|can|should|"
    r"ends?|starts?|helps?)\b| [a-z]+: )",
    re.IGNORECASE,
)
"""What is done stands there as a thing of which something is told."""
_LASTING = ("rule", "preference", "identity", "correction")
_DATE = lazy_pattern(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_NOISE = lazy_pattern(
    r"traceback \(most recent call last\)|\x1b\[|^@@ -\d|^diff --git|^\s*(?:exit (?:code|status)"
    r"(?! \d+\b[^\n]*\b(?:means?|indicates?|stands for|is)\b)|process exited)|"
    r"^(?:command|tool) (?:completed|failed|succeeded|ran)|^(?:stdout|stderr)\s*:|"
    r"^\s*[$>]\s+\w+|^total \d+\s|^\s*[{\[].*[}\]]\s*$",
    re.IGNORECASE | re.DOTALL,
)


def why_junk(text: str, *, origin: Origin, kind: str = "fact") -> str | None:
    """Why this is not to be kept; None if it may be."""
    if not text.strip():
        return "it is empty"
    if _FRAME.search(text):
        return "it is our own text, come back"
    if origin == "user":
        return None
    return _why_no_statement(text) or _why_chatter(_LEAD_IN.sub("", text.strip()), kind)


def _why_no_statement(text: str) -> str | None:
    """Is there a statement in it at all?"""
    if not _SAYS_SOMETHING.search(text):
        return "it is only punctuation"
    if length_in_letters(text.strip()) < SHORTEST:
        return "it is too short to say anything"
    if len(text) > LONGEST:
        return "it is too long for one memory"
    return "it is a tool's output" if _is_tool_output(text) else None


def _is_tool_output(text: str) -> bool:
    if _NOISE.search(text):
        return True
    signs = [c for c in _DATE.sub("", text) if not c.isspace()]
    letters = sum(c.isalpha() for c in signs)
    return letters < LETTERS * len(signs) or max(map(len, text.split())) > LONGEST_WORD


def _is_settled(said: str, kind: str) -> bool:
    """Does it only begin like a step of the work: `running tests needs REDIS_URL`, or a rule about it?"""
    return kind in (*_LASTING, "decision") or _STATES.match(said) is not None


def _why_chatter(said: str, kind: str) -> str | None:
    """Does it tell of the work, or ask, instead of stating something?"""
    is_open = kind == "open_item"
    planned = _PLAN.match(said) and not (is_open and _LATER.search(said))
    told = _TELLING.match(said) and not _is_settled(said, kind)
    if planned or told or (not is_open and _DUTY.match(said)):
        return "it tells what is being done, not what is so"
    asked = kind not in _LASTING and _ASKED.match(said) and not _ASKED_FOR.match(said)
    if asked or (said.endswith(("?", "\uff1f")) and not is_open):
        return "it restates a question"
    return None if said else "it says nothing"
