"""Of what kind a person's sentence is: a rule, a decision, a correction, something open, a fact.

Forms that leave no doubt come first. What they do not know, the model of `acts.classifier` may; but what
they found to be chosen stays so, whatever is still to be done beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from everthread.domain.text import verdicts
from everthread.domain.text.acts import sentence_forms as forms
from everthread.domain.text.acts import speech, word_lists
from everthread.domain.text.acts.classifier import Act, act_of
from everthread.domain.text.acts.errands import is_for_oneself
from everthread.domain.text.acts.indecision import leaves_undecided
from everthread.domain.text.acts.option_taking import is_only_label
from everthread.domain.text.acts.passing_remarks import EXAGGERATES
from everthread.domain.text.acts.proposals import declines
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.attributes import revises_figure
from everthread.domain.text.dropped_things import drops_thing
from everthread.domain.text.due_tasks import due_task, tells_absence
from everthread.domain.text.given_up_choices import given_up
from everthread.domain.text.others_ways import tells_anothers_way
from everthread.domain.text.own_chores import own_chore
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.person_decisions import contrasts, doubts, says_settled
from everthread.domain.text.symptoms import is_only_not_yet, tells_fault, tells_standing
from everthread.domain.text.tellings.family import tells_family
from everthread.domain.text.tellings.health import tells_health, tells_own_health

LEAST = 15
"""Characters of a statement."""

SHORT = 8
"""Words of a choice that names nothing itself."""

_BY_ACT: Mapping[Act, str] = {
    "decision": "decision",
    "standing": "preference",
    "open": "open_item",
}

_GIVE_WAY: Mapping[str, frozenset[Act]] = {
    "correction": frozenset({"open", "standing"}),
    "identity": frozenset({"open"}),
    "preference": frozenset({"open"}),
}
"""Forms that know less than the model: `No, I'll see when it's packed` puts nothing right."""

_CUT_OFF = (",", ";", ")", "]", "\uff0c", "\uff1b")
"""So begins what was cut off from the words before it."""

_RULING = frozenset({"rule", "decision"})
"""What is laid down or chosen is so, by whatever date something is to be done beside it."""

_PEOPLE = """
    i i'll i'd i've i'm we we'll we'd we've we're he he's he'll she she's she'll they they're they'll
    someone somebody nobody
"""
_SUBJECTS = frozenset(_PEOPLE.split())
"""Who does something; an order names nobody."""
_IN_CASE = frozenset({"if", "when", "whenever", "wenn", "falls", "si", "cuando"})
"""What is ordered for some case is nothing that is left open."""
_BIDS = frozenset({"please", "let's", "want"})
"""With these words one wants something of the agent, whatever one leaves open beside it."""
_ONCE = lazy_pattern(
    r"\b(?:today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend)|next (?:week|month)|"
    r"(?:on|by|before|next|this) (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
"""One time, and not every time: `at 8` may be so each day, and until Monday on all of them."""
_NO_CHOICE = lazy_pattern(
    r"\b(?:kidding|joking|jk|es broma|(?:kleiner|nur ein) scherz|je (?:rigole|plaisante))\b|"
    r"\b(?:forget (?:it|that)|never ?mind|vergiss es|laisse tomber|olvídalo)\W*$"
)
"""A joke settles nothing, nor does who takes back what was just said."""
_FOR_LATER = lazy_pattern(
    r"\W*(?:(?:but|just|maybe|aber|mais|pero)\b\W*)*(?:later|not (?:now|today|yet|tonight|urgent)|"
    r"(?:there(?:'s| is) )?no (?:rush|hurry)|später|nicht (?:jetzt|heute)|plus tard|más tarde)\b"
)
"""When it shall be done that was asked for just before."""
_NOT_TODAY = lazy_pattern(
    r"\W*not (?:now|today|yet|tonight|this week)\b\W*but\b.*\b(?:must|(?:has|have|needs?) to)\b"
)
_POINTS_BACK = lazy_pattern(
    r"\b(?:use|take|keep|choose|pick|want|prefer|with|to|nehmen?|mit|usar|con|prendre|avec) "
    r"(?:this|that|these|those|dies(?:e[nmrs]?)?|cet(?:te)?|es[ea]s?) [\w-]+"
    r"(?: (?:then|instead|please|now))?\W*$"
)
_LET_ME = lazy_pattern(r"\W*(?:\w+\W+){0,2}(?:let me|lemme)\b")


def kind_of(each: ParsedSentence, *, settles: bool | None = None) -> str | None:
    """The kind of a point that the sentence makes; None where it is too short to tell anything.

    `settles`: does it likely settle something, by what it answers? None if that is not known.
    """
    if is_only_label(each.lower) or each.text.startswith(_CUT_OFF):
        return None  # it is told with what it picks, or tells nothing
    due = due_task(each) or own_chore(each)
    if due and not chooses(each) and _kind_by_form(each) not in _RULING:
        return "open_item"
    if speech.errand_of(each) or _NOT_TODAY.match(each.lower):
        return "open_item"
    if tells_absence(each):
        return "fact"
    kind = _kind_of_person(each) or _kind_of(each, settles)
    return "fact" if kind in ("rule", "preference") and tells_anothers_way(each) else kind


def _kind_of_person(each: ParsedSentence) -> str | None:
    """Of what lasts of a person: of the family, or another. What it lays down comes first."""
    health = tells_health(each)
    if not health and not tells_family(each):
        return None
    if (found := _kind_by_form(each)) not in (None, "preference"):
        return found
    return "identity" if not health or tells_own_health(each) else "fact"


def _kind_of(each: ParsedSentence, settles: bool | None) -> str | None:  # noqa: FBT001 - as above
    found = _kind_by_form(each)
    if found and not (found in _GIVE_WAY and act_of(each) in _GIVE_WAY[found]):
        return found
    if tells_standing(each) and not chooses(each):
        settles = None if settles is None else False
    short = len(each.text) < LEAST and len(each.words) > 1 and each.text.isascii()
    if short and not settles and not says_settled(each):
        return None
    if chooses(each):
        return "decision"
    if not each.asks and leaves_undecided(each.lower):
        return "open_item"
    fault = (speech.fails(each) and not is_only_not_yet(each)) or tells_fault(each)
    act = _likely_act(each, fault=fault, settles=settles)
    if act is not None:
        return _BY_ACT[act]
    return "failure" if fault and not each.orders else "fact"


def kept_kind(each: ParsedSentence) -> str:
    """Of which kind it is where she asks that it be remembered: a chore is still to be done."""
    kind = kind_of(each)
    if kind in (None, "fact") and each.orders and _ONCE.search(each.lower):
        return "open_item"
    return "fact" if kind in (None, "failure") else kind


def tells_how(said: Sequence[ParsedSentence], n: int) -> bool:
    """Does it only say how the thing shall be that was asked for just before?

    `Can you write a label? Short, the tag is tiny.` chooses nothing; who chooses says so, or says `I`.
    """
    asked = n > 0 and speech.asks_agent(said[n - 1])
    if n and _FOR_LATER.match(said[n].lower) and (asked or said[n - 1].orders):
        return True
    return asked and said[n].bag.isdisjoint(_SUBJECTS) and not chooses(said[n])


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def leaves_open(each: ParsedSentence) -> bool:
    """Does she leave something open, or for herself to do, and ask the agent for nothing?"""
    if due_task(each) or own_chore(each):
        return True
    if is_for_oneself(each.text) and speech.errand_of(each):
        return True
    if act_of(each) != "open" or tells_absence(each):
        return False
    if not each.orders or _LET_ME.match(each.lower):
        return True
    first = next((word for word in each.words if word not in word_lists.OPENINGS), "")
    if first in _IN_CASE and each.bag.isdisjoint(word_lists.CHOOSERS):
        return False  # `If she calls, tell her to wait`
    told = not each.bag.isdisjoint(_SUBJECTS) and each.bag.isdisjoint(_BIDS)
    # `Draft it, I'll send it tomorrow` orders first.
    return told and first not in word_lists.BASE


@lru_cache(maxsize=2_048)  # several readers ask it of each sentence
def chooses(each: ParsedSentence) -> bool:
    """Does it choose one way, or decline another, in words that leave no doubt?"""
    if each.asks:
        return False
    if speech.decides(each):
        return True
    return (declines(each) or says_settled(each)) and not leaves_undecided(each.lower)


def points_back(each: ParsedSentence) -> bool:
    """Does it take what was named before, and nothing else: `I want to use that lamp`?"""
    return len(each.words) <= SHORT and _POINTS_BACK.search(each.lower) is not None


def gives_up_choice(each: ParsedSentence) -> bool:
    """Does it give up a thing, for another or for none: `Forget asyncpg, we use psycopg 3`?"""
    return not each.asks and (bool(given_up(each.text)) or drops_thing(each.text))


def _kind_by_form(each: ParsedSentence) -> str | None:
    checks = (
        ("decision", gives_up_choice),
        ("rule", speech.rules),
        ("decision", contrasts),
        ("correction", verdicts.corrects),
        ("identity", speech.identifies),
        ("preference", verdicts.prefers),
    )
    for kind, check in checks:
        if check(each) and not (kind == "rule" and revises_figure(each.text)):
            # Who says what was decided against decides all the same.
            return "decision" if kind == "correction" and speech.says_decided(each) else kind
    return None


def _likely_act(each: ParsedSentence, *, fault: bool, settles: bool | None) -> Act | None:
    """What the models take it for, but for what a fault, a doubt or another's words speak against."""
    act = act_of(each)
    if settles is not None and act in (None, "decision"):
        act = "decision" if settles else None
    if act == "decision" and (_NO_CHOICE.search(each.lower) or tells_standing(each)):
        return None
    if act == "standing" and EXAGGERATES.search(each.lower):
        return None
    if act == "open" and (fault or not leaves_open(each) or forms.QUOTED.search(each.lower)):
        return None
    return None if act == "decision" and doubts(each) else act
