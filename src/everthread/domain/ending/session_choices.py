"""What a person decided in a session: her choices that still stood at its end, each in a few words.

A choice is often no more than `Leipzig then`. So what was chosen is told without the words around it,
and where it names nothing by itself, in the words in which the agent took it up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.statement_kinds import chooses
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.person_decisions import contrasts

from .session_exchanges import Exchange, standing_parts
from .session_material import SAYS_LITTLE, is_manners
from .session_persons import is_doubtful, shift_person
from .session_prose import PLACES, USER, Claim, ProseSentence
from .session_reference import leans
from .session_speech import clause_of, report_sentence

MOST = 4
"""So many choices are told; of more, those that say most."""

LONGEST = 70
"""Characters of one choice."""

FULLER = 50
BARE = 6
"""Words of an answer that is no sentence."""
ECHO = 12
"""Words of a reply that only takes up what was chosen."""

_VAGUE_CHOICE = roots("thing way option version first second last plan idea quick right sure same")
_HEAD = lazy_pattern(
    r"\A\W*(?:(?:oh|ok|okay|well|h+m+|and|but|so|yes|yeah|yep|great|good|nice|perfect|fine|right|cool|"
    r"true|agreed|alright|all right|sure)\b[\s,.!–—-]*)*",
    re.IGNORECASE,
)
_TAKEN = (
    lazy_pattern(r"\A(?P<what>[^?;:]{2,60}?),? it is(?:,? then)?[.!]*\Z", re.IGNORECASE),
    lazy_pattern(r"\A(?P<what>[^?,;:]{2,60}?),? then[.!]*\Z", re.IGNORECASE),
    lazy_pattern(r"\A(?P<what>no (?!idea|problem|worries|need|way|one|more|thanks)[\w-]+(?: [\w-]+){0,2}?)(?: then| for now)?[.!]*\Z", re.IGNORECASE),  # noqa: E501 - one form, one line
    lazy_pattern(r"\Athen (?P<what>(?!I\b|we\b|let|what|how|why|it\b|that\b|you\b|have\b)[^?;:]{3,60}?)[.!]*\Z", re.IGNORECASE),  # noqa: E501 - one form, one line
    lazy_pattern(r"\A(?P<what>only [^?;:]{3,60}?)[.!]*\Z", re.IGNORECASE),
    lazy_pattern(r"\AI['’]d rather (?:have|take|use|keep|go (?:with|for)) (?P<what>[^?;:]{3,60}?)[.!]*\Z", re.IGNORECASE),  # noqa: E501 - one form, one line
    lazy_pattern(r"\A(?:I|we)(?:['’]ll| will) (?:take|have(?! to\b)|stay with|stick with|go (?:with|for)) (?P<what>[^?;:]{3,60}?)[.!]*\Z", re.IGNORECASE),  # noqa: E501 - one form, one line
    lazy_pattern(r"\A(?P<what>(?:an?|the) [\w -]{3,40}?),? please[.!]*\Z", re.IGNORECASE),
)  # fmt: skip
_FINITE = lazy_pattern(
    r"\b(?:is|are|was|were|am|has|have|had|do|does|did|will|would|can|could|may|must|should|"
    r"\w+n['’]t|\w+['’](?:ll|re|ve|m|d))\b",
    re.IGNORECASE,
)
"""A sentence of its own."""
_BROKEN_OFF = lazy_pattern(
    r"\b(?:where|how|what|as|who|which|than|by|since|until|till|before|from|back|just|even|and),?\Z",
    re.I,
)
"""What went on with `it is`, or with a `then` of time: `the sink stays where it is`."""
_WHY = lazy_pattern(
    r"(?:, (?=(?:they|it|we|I|he|she|you|that|so|but|as)\b)|,? (?=(?:because|since)\b)).*",
    re.I | re.S,
)
_APPROVES = lazy_pattern(
    r"\A\W*(?:(?:oh|well|h+m+)\b[\s,.!–—-]*)*(?:ok|okay|yes|yeah|yep|great|good|nice|perfect|fine|cool|"
    r"agreed|alright|all right|sure)\b[\s,.!–—-]",
    re.IGNORECASE,
)
_TAKES_UP = lazy_pattern(
    r"\A(?:(?:ok(?:ay)?|right|fine|good|all right|understood)[,.!]? )?(?:noted[:,]? |then |so |agreed[:,] )"
    r"(?P<one>[^?;]{3,70}?)[.!]*\Z|\A(?P<two>[^?;]{3,70}?)(?:,? then| it is(?:,? then)?)[.!]*\Z",
    re.IGNORECASE,
)
"""An agent takes up what was chosen: `Noted: 8 and 9 October.`"""
_CAPITAL = lazy_pattern(r"(?:No|Only|An?|The|My|Our|Not)\b")
_SPEAKS = lazy_pattern(
    r"\A(?:I|we|let['’]?s|to|you|he|she|they|it|that|this|there|what|how|why|who|where|when|which|see|until|talk|bye|"
    r"thanks?|maybe|perhaps|not|if|just|back|even|now|and|but|"
    r"no (?:idea|clue|comment|rush|hurry|doubt|matter|worries|problem)|all (?:good|right|clear)|fair enough|"
    r"(?:bad|good) luck|case closed|my bad|your turn)\b",
    re.IGNORECASE,
)
"""What is a sentence of its own, or none at all."""
_LETS = lazy_pattern(
    r"\Alet(?:['’]s| us) (?!see\b|hope\b|say\b|wait\b|go back\b|look\b|talk\b|get started\b)", re.I
)
_HEDGES = lazy_pattern(
    r"\b(?:would|could|should|(?-i:may)|might|maybe|perhaps|if|unless|either|or)\b", re.I
)
_THING = lazy_pattern(r"(?:an?|the|their)(?: [\w-]+){1,2}")
_ALONE = lazy_pattern(r"\A(?P<what>(?:[^?;:,]|(?<=\d):(?=\d)){3,50}?)[.!]*\Z")


class Choice(NamedTuple):
    """What was chosen, in the third person, and the words that say so."""

    text: str
    claims: tuple[Claim, ...]
    acts: bool = False
    """Is it something to do?"""


def choice_sentences(choices: Iterable[Choice]) -> Iterator[ProseSentence]:
    """The choices that are told as one sentence, in their order; then fewer, where room is short."""
    best = _worthiest(list(choices))
    for most in range(min(MOST, len(best)), 0, -1):
        told = sorted(best[:most], key=lambda one: one.claims[0].point.at_ms)
        claims = tuple(claim for one in told for claim in one.claims)
        yield ProseSentence(PLACES["decided"], claims[0].point.at_ms, _sentence(told), claims)


def _sentence(told: Sequence[Choice]) -> str:
    if all(one.acts for one in told):
        *first, last = (f"to {one.text}" for one in told)
        return f"{USER} decided {', '.join(first)}{' and ' if first else ''}{last}."
    if len(told) == 1 and _is_thing(told[0].text):
        return f"{USER} decided on {told[0].text}."
    return f"{USER} decided: {'; '.join(map(_listed, told))}."


def _listed(one: Choice) -> str:
    """An act, or the person's own words; the agent's are told, since its `your` is not hers."""
    if one.acts:
        return f"to {one.text}"
    first = one.claims[0]
    return (
        f"“{first.text}”" if first.point.by == "user" else one.text.replace("the user's", "their")
    )


def _is_thing(text: str) -> bool:
    """Is it surely the name of a thing? `Replay after the rollout` and `districts get blurred` are quoted."""
    found = _THING.fullmatch(text)
    return found is not None and not text.endswith("s")


def _worthiest(choices: Sequence[Choice]) -> list[Choice]:
    """The choices without those that a later one says again, those first that say most."""
    kept: list[Choice] = []
    for one in reversed(choices):
        if not any(roots(one.text) <= roots(other.text) for other in kept):
            kept.append(one)
    return sorted(kept, key=lambda one: -min(3, len(roots(one.text) - SAYS_LITTLE)))


def choice_in(exchange: Exchange, before: Exchange | None) -> Choice | None:
    """What the person chose in that message, as it stood at the end of it.

    `before`: the exchange before it, in which it may have been offered.
    """
    offered = roots(" ".join((*exchange.answer, *(before.answer if before else ()))))
    for part in reversed(standing_parts(exchange.parts)):
        bare = " ".join(part.split())
        bare = _HEAD.sub("", bare, count=1)
        if is_doubtful(bare) or parse_sentence(part).asks:
            continue
        if is_manners(part):
            continue
        taken = _APPROVES.match(part) is not None and bool(roots(bare) & offered)
        if found := _act(exchange, part, bare) or _thing(exchange, part, bare, taken=taken):
            return _fuller(found, _echo(exchange))
    return _echo(exchange) if _may_choose(exchange, before) else None


def _may_choose(exchange: Exchange, before: Exchange | None) -> bool:
    """Can the agent have taken up a choice? Who only tells something chooses nothing by that."""
    parts = [parse_sentence(part) for part in exchange.parts]
    if any(each.asks for each in parts):
        return False
    asked = before is not None and any(parse_sentence(part).asks for part in before.answer)
    return asked or any(
        chooses(each) or contrasts(each) or _is_answer(each) for each in parts if each.words
    )


def _is_answer(each: ParsedSentence) -> bool:
    """A few words that make no sentence: `8 and 9 October.`"""
    return len(each.words) <= BARE and _FINITE.search(each.text) is None


def _fuller(found: Choice, echo: Choice | None) -> Choice:
    """The agent's words for it, where they say the same and more."""
    if echo is None or found.acts or len(echo.text) > FULLER:
        return found
    if not roots(found.text) < roots(echo.text):
        return found
    return echo._replace(claims=echo.claims + found.claims)


def _act(exchange: Exchange, part: str, bare: str) -> Choice | None:
    """`Let's book the Seaside.`"""
    told = report_sentence(part, "user")
    if told is None or told.act not in ("decided", "wanted") or not (
        _LETS.match(bare) or told.act == "decided"
    ):  # fmt: skip
        return None
    text = told.text.removeprefix("decided ").removeprefix("wanted ")
    if not text.startswith("to ") or not _tells(text) or len(text) > LONGEST:
        return None
    claim = Claim(f"{USER} {told.text}.", _point(exchange, part), said=part)
    if told.act == "wanted":
        claim = Claim(clause_of(part), _point(exchange, part), verbatim=True, said=part)
    return Choice(text.removeprefix("to "), (claim,), acts=True)


def _thing(exchange: Exchange, part: str, bare: str, *, taken: bool) -> Choice | None:
    """`Leipzig then.` `taken`: it was offered, and is approved, as in `Perfect, the blue coat`."""
    for form in (*_TAKEN, _ALONE) if taken else _TAKEN:
        found = form.match(bare)
        if found is None:
            continue
        what = _WHY.sub("", found["what"].strip(" ,.!"))
        if _is_sentence(what) or not _tells(what):
            continue
        claim = Claim(what, _point(exchange, part), verbatim=True, said=part)
        return Choice(shift_person(_small(what), "user"), (claim,))
    return None


def _is_sentence(what: str) -> bool:
    if (
        _SPEAKS.match(what)
        or _BROKEN_OFF.search(what)
        or _FINITE.search(what)
        or report_sentence(what, "user")
    ):
        return True
    return what.split(maxsplit=1)[0] in BASE


def _echo(exchange: Exchange) -> Choice | None:
    """The choice in the words in which the agent took it up."""
    first = " ".join(exchange.answer[0].split()) if exchange.answer else ""
    found = _TAKES_UP.match(first)
    if found is None or _HEDGES.search(first) or len(first.split()) > ECHO:
        return None
    text = (found["one"] or found["two"]).strip(" ,")
    if _is_sentence(text) or not _tells(text) or report_sentence(text, "agent"):
        return None
    if not roots(text) & roots(" ".join(exchange.parts)):
        return None
    point = Point("decision", first, (exchange.reply,), "agent", exchange.reply_ms, 0.8)
    claim = Claim(text, point, verbatim=True, said=first)
    return Choice(shift_person(_small(text), "agent"), (claim,))


def _small(text: str) -> str:
    """With a small first letter, where the word is known to be no name."""
    return text[0].lower() + text[1:] if _CAPITAL.match(text) else text


def _tells(text: str) -> bool:
    """Does it name what was chosen?"""
    told = roots(text) - SAYS_LITTLE - _VAGUE_CHOICE
    return any(map(str.isalpha, told)) and not leans(text)


def _point(exchange: Exchange, part: str) -> Point:
    return Point("decision", part, (exchange.key,), "user", exchange.at_ms, 0.8)
