"""Reported speech: what somebody said in the first person, told in the third.

Only the forms that can be turned without knowing the world are: an order becomes what was asked for,
a plan what is intended, a choice what was decided. Persons are shifted outside of code, quotations and
what follows a colon, and nothing is added but who said it. Where it is not certain whose "I" it is, and
where nothing fits, the sentence is quoted as it was said, or left out.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from everthread.domain.conversation.messages import Origin
from everthread.domain.support.orders import reads_as_order
from everthread.domain.text.acts.speech import decides, parse_sentence
from everthread.domain.text.acts.word_lists import BASE, OBJECT, OPENINGS, WH_WORDS
from everthread.domain.text.patterns import lazy_pattern

from .session_courtesies import is_courtesy
from .session_order_forms import names_no_order, qualifies_noun, strip_emphasis, strip_wait
from .session_persons import KEPT, asks_in_passing, is_doubtful, shift_person

Act = Literal["asked", "decided", "did", "intends", "wanted", "said", "question"]


class Report(NamedTuple):
    """A sentence about what was said, without its full stop."""

    act: Act
    text: str
    """What follows the subject; for `asked` and `intends`, what follows the verb."""


LONGEST, SHORTEST = 150, 12
"""Characters of a clause that is reported."""

FEW = 3
"""Words that a sentence has at least, where another is cut off behind it."""

_SPLICE = lazy_pattern(
    r",\s+(?=(?:the|my|our|your)(?:\s+\w+){1,3}\s+(?:is|are|was|were)\b|"
    r"(?:it|that|this|you|they|he|she|I|we|there)(?:['’](?:ll|s|d|re|ve|m)\b|"
    r"\s+(?:is|are|was|were|will|would|can|have|has|had|do|does|did|said|told|should)\b))",
    re.IGNORECASE,
)
"""Where a second sentence begins behind a comma."""
_SIDE = lazy_pattern(
    r"\b(?:if|when|while|since|because|as|although|though|unless|once|after)\b", re.I
)
_TURNED = lazy_pattern(
    r"\b(?:not|no|never|nothing|but|though|however|if|unless|maybe|perhaps|might|guess|doubt|joking|"
    r"kidding|think|wrong|\w+n['’]t)\b",
    re.IGNORECASE,
)
"""What may turn the sentence before it into its opposite."""
_CLAUSES = lazy_pattern(
    r",\s+(?=(?:and|but|so|because|since|can|could|what|how|is|I|we)\b)|\s+[–—-]\s+|;\s+"
)
_ASIDE = lazy_pattern(
    r"(?:,|\s[–—-]|;|\.)?\s+(?:so |and |but )?(?:can|could|would) (?:you|someone)\b.*|"
    r",? here['’]s\b.*|:\s*[#*-]\s.*",
    re.DOTALL,
)
"""What follows a statement and is addressed to somebody, or is no prose."""
_HOW = lazy_pattern(
    r"\A(?P<how>how|where|when) (?:can|do|could|would|should) (?:I|we) (?P<rest>\w.*)",
    re.IGNORECASE,
)
_TRAIL = lazy_pattern(r"[\s.!?,;:…]+\Z")
_HEAD = lazy_pattern(r"\A[\s*_#>•-]+")
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SELF = lazy_pattern(r"\A(?:I|we)\b", re.IGNORECASE)
_ASK = lazy_pattern(
    r"\A(?:can|could|would|will) (?:you|someone|we) (?!(?<=will you )be\b|(?<=we )be\b)"
    r"(?:please )?(?P<rest>(?:also |just )?\w.*)",
    re.IGNORECASE,
)
_LETS = lazy_pattern(r"\Alet(?:['’]s| us) (?P<no>not )?(?P<rest>\w.*)", re.IGNORECASE)
_NOT = lazy_pattern(
    r"\A(?:(?:just|also|please) )*(?:don['’]?t|do not) (?P<rest>\w.*)", re.IGNORECASE
)
_NO_ORDER = lazy_pattern(
    r"\A(?:don['’]?t|do not) (?:worry|know|think|mind|care|mention|get me|like|want|have|need|see|"
    r"understand|believe|remember|feel|sure|love|hate|enjoy|wish|trust|you|we|I|they)\b",
    re.IGNORECASE,
)
"""Manners, a statement whose `I` was left out, or a question: `don't we need a cache`."""
_SWAP = lazy_pattern(
    r"\A(?:forget|drop|scrap|ditch|skip)(?: about)? (?P<old>[^,;.:]{1,40}?)(?:,|;| and| [–—-])\s*"
    r"(?:and |then |just |let['’]s |we['’]ll |please )*"
    r"(?P<rest>(?:use|take|try|go with|switch to|keep|choose|pick) .*?)(?:,? instead)?\Z",
    re.IGNORECASE,
)
_NEVER = lazy_pattern(r"\Anever (?P<rest>\w.*)", re.IGNORECASE)
_WANT = lazy_pattern(
    r"\A(?:I|we)(?: (?P<verb>want|need|wanted|needed|have|would like)|['’]d like)"
    r"(?P<you>(?<!have) you)? to (?!(?<=(?:have|need) to )(?:go|run|leave|dash|head)\b"
    r"(?! (?:through|over|back|with|for|into)\b))(?P<rest>\w.*)",
    re.IGNORECASE,
)
_WANT_THING = lazy_pattern(
    r"\A(?:I|we)(?: (?P<verb>want|need|would like)|['’]d like) "
    r"(?P<rest>(?:an?|the|my|our|some|more|new|another|two|three|help|beds?|\d+)\b.*)",
    re.IGNORECASE,
)
_NO_THING = ("some time", "a minute", "a moment", "a second", "a break", "more time")
_PLAN = lazy_pattern(
    r"\A(?:(?P<when>tomorrow|tonight|later|next (?:week|month|time)|"
    r"on (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day),? )?"
    r"(?:I|we)(?:['’]ll| will|(?:['’]m|['’]re| am| are) (?:going|planning) to|"
    r"(?:['’]m|['’]re) gonna| plan to| intend to) (?P<rest>\w.*)",
    re.IGNORECASE,
)
_DOING = lazy_pattern(
    r"\AI(?:['’]m| am) (?!.*\b(?:right now|just now|at the moment)\b)"
    r"(?P<rest>(?:currently |still |now )?(?!going|gonna|planning)\w+ing\b.*)",
    re.IGNORECASE,
)
_CHOSE = lazy_pattern(
    r"\A(?:I|we)(?:['’]ve| have)? (?P<rest>(?:decided|chose|picked|agreed|settled|switched|"
    r"went with)\b.*)",
    re.IGNORECASE,
)
_DECISION = lazy_pattern(r"\A(?:decision|decided):? (?P<rest>\w.*)", re.IGNORECASE)
_WE_WILL = lazy_pattern(r"\Awe(?:['’]ll| will) (?P<rest>\w.*)", re.IGNORECASE)
_HAVE_DONE = lazy_pattern(
    r"\AI(?:['’]ve| have) (?P<rest>(?:now |also |just |already |successfully )*\w+\b.*)",
    re.IGNORECASE,
)
_DID = lazy_pattern(
    r"\AI (?P<rest>(?:now |also |just |then |successfully )*"
    r"(?!\w*eed\b)(?!(?:lov|lik|enjoy|want|need|hop|hat|miss|wish|prefer|believ|car|fear|remember)(?:r?ed)\b)"
    r"(?:\w+ed|made|wrote|ran|built|found|set|put|went|took|kept|left|gave)\b.*)",
    re.IGNORECASE,
)
_DEED = lazy_pattern(
    r"\A(?!\w*eed\b)(?P<rest>[A-Z]\w+ed "
    r"(?:(?:the|an?|all|both)\b|`|\d|(?!as\b)[a-z]+ (?:to|from|in|for)\b).*)"
)

_FILLERS = OPENINGS - {"thank", "thanks", "you", "only", "instead", "again", "maybe", "just"}
"""Openings that say nothing."""
_ADVERBS = ("also", "just", "please", "only", "instead", "always", "again")


_COURTESY = lazy_pattern(
    r"\A(?:ok(?:ay)?,? |great,? |perfect,? )?(?:thanks|thank you|thx)(?: a lot| so much)?[,.!–—-]+ *(?=\w)",
    re.IGNORECASE,
)
_RECORD = lazy_pattern(
    r"\A(?:Order|Ticket|Case|Invoice|Claim|Record|Book|Charge|Account|Reference)(?: (?:no\.?|number))? #?"
    r"(?:[A-Z]{0,4}-?\d[\w-]*)\Z"
)
"""A thing and its number: `Order 55-1209` is no order."""
_WHEN = lazy_pattern(r"\Anext (?:week|month|time)\b", re.IGNORECASE)


def clause_of(sentence: str) -> str:
    """The sentence without its openings and its end, up to a clause that is short enough; may be empty."""
    text = _TRAIL.sub("", _HEAD.sub("", " ".join(sentence.replace("**", "").split())))
    text = _COURTESY.sub("", text)
    while (
        (first := _WORD.match(text))
        and first[0].lower() in _FILLERS
        and not _WHEN.match(text)
        and not qualifies_noun(text)
    ):
        rest = text[first.end() :].lstrip(" ,.!:–—-…")
        if not rest or rest == text:
            break
        text = rest
    if (aside := _ASIDE.search(text)) and aside.start() >= SHORTEST:
        text = _TRAIL.sub("", text[: aside.start()])
    text = _first_sentence(text)
    while len(text) > LONGEST and (cuts := [m.start() for m in _CLAUSES.finditer(text)]):
        text = _TRAIL.sub("", text[: cuts[-1]])
    return text if SHORTEST <= len(text) <= LONGEST else ""


def _first_sentence(text: str) -> str:
    """Up to the comma behind which a new sentence begins, unless that one may turn the first round."""
    cut = _SPLICE.search(text)
    if cut is None or cut.start() < SHORTEST or _TURNED.search(text[cut.end() :]):
        return text
    head = text[: cut.start()]
    return text if _SIDE.search(head) or len(KEPT.sub("", head).split()) < FEW else head


def report_sentence(sentence: str, by: Origin) -> Report | None:
    """The sentence of a person or of the agent as others would tell it; None if it has no such form."""
    text = clause_of(sentence)
    if not text or is_doubtful(text) or _NO_ORDER.match(text) or is_courtesy(sentence):
        return None
    if _RECORD.match(text):
        return None
    found = _report_user(strip_wait(text)) if by == "user" else _report_agent(text)
    if found is not None and found.act != "question" and asks_in_passing(found.text):
        return None
    if found is None or found.act == "question":
        return found  # which is quoted as it was put
    return found._replace(text=shift_person(found.text, by))


def _report_user(text: str) -> Report | None:
    if told := _report_wish(text) or _report_choice(text):
        return told
    if _is_base_form(text) and reads_as_order(text) and not names_no_order(text):
        return Report("asked", f"to {lower_first(strip_emphasis(text))}")
    if (_WORD.match(text) or [""])[0].lower() in WH_WORDS:
        return Report("question", text)
    if _SELF.match(text):
        return Report("said", _lower_we(text))
    return None


def _report_wish(text: str) -> Report | None:
    if found := _SWAP.match(text):
        return Report("asked", f"to {found['rest']} instead of {found['old']}")
    if (found := _ASK.match(text)) and _is_base_form(found["rest"]):
        return Report("asked", f"to {found['rest']}")
    if found := _NOT.match(text):
        return Report("asked", f"not to {found['rest']}")
    if (found := _NEVER.match(text)) and _is_base_form(found["rest"]):
        return Report("asked", f"never to {found['rest']}")
    return _report_matter(text)


def _report_matter(text: str) -> Report | None:
    """What the user is at."""
    if (found := _WANT_THING.match(text)) and not found["rest"].lower().startswith(_NO_THING):
        verb = "needed" if (found["verb"] or "").startswith("need") else "wanted"
        return Report("wanted", f"{verb} {found['rest']}")
    if found := _WANT.match(text):
        verb = "needed" if (found["verb"] or "").startswith(("need", "have")) else "wanted"
        whom = " the agent" if found["you"] else ""
        return Report("wanted", f"{verb}{whom} to {found['rest']}")
    if (found := _HOW.match(text)) and _may_follow_to(found["rest"]):
        return Report("asked", f"{found['how'].lower()} to {found['rest']}")
    if found := _DOING.match(text):
        return Report("wanted", f"was {found['rest']}")
    return None


def _report_choice(text: str) -> Report | None:
    if found := _CHOSE.match(text):
        return Report("decided", found["rest"])
    if (found := _LETS.match(text)) and _may_follow_to(found["rest"]):
        act: Act = "decided" if decides(parse_sentence(text)) else "wanted"
        return Report(act, f"{act} {'not ' if found['no'] else ''}to {found['rest']}")
    if (found := _PLAN.match(text)) and _may_follow_to(found["rest"]):
        when = f" {found['when'].lower()}" if found["when"] else ""
        return Report("intends", f"to {found['rest']}{when}")
    if found := _DECISION.match(text):
        return Report("decided", f"decided: {found['rest']}")
    return None


def _report_agent(text: str) -> Report | None:
    if found := _CHOSE.match(text) or _DID.match(text):
        act: Act = "decided" if _CHOSE.match(text) else "did"
        return Report(act, found["rest"])
    if (found := _WE_WILL.match(text)) and _is_base_form(found["rest"]):
        return Report("decided", f"decided to {found['rest']}")
    if found := _HAVE_DONE.match(text):
        return Report("did", f"has {found['rest']}")
    if (found := _DEED.match(text)) and len(text.split()) > FEW:  # fewer are a heading
        return Report("did", lower_first(found["rest"]))
    return None


def _is_base_form(text: str) -> bool:
    """Does it begin with a verb in the form that follows `to`?"""
    words = [word.lower() for word in _WORD.findall(text[:60])]
    while words and words[0] in _ADVERBS:
        del words[0]
    return bool(words) and words[0] in BASE


def _may_follow_to(text: str) -> bool:
    """May it follow `to` as a verb does? A thing or a place may not: `going to the shop`."""
    first = (_WORD.match(text) or [""])[0]
    return bool(first) and first.islower() and first not in OBJECT


def lower_first(text: str) -> str:
    """With a small first letter, unless the word is a name."""
    first = (_WORD.match(text) or [""])[0]
    return text if first[1:].lower() != first[1:] else text[:1].lower() + text[1:]


def _lower_we(text: str) -> str:
    return text[:1].lower() + text[1:] if text[:2].lower() == "we" else text
