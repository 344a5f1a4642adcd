"""Which of the standing rules a sentence lifts, though it is put in other words than they.

A rule that forbids is lifted by leave, one that demands by release; either by giving it up by its name, or
by going back to what was. What is let go must be of the rule, with nothing added: whoever lets go of more,
of less in one respect, or of something else lifts nothing. And it must be one rule: where the words fit two
alike, both stand.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from everthread.domain.text.acts.releases import Release, Resumption, releases, resumes
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.sayings import likeness_of

from .asking_first import is_freed_of_asking, left_to_you
from .sorts import VALUES, value_of_another
from .topics import OTHERS, POLES, topic_words

_FORBIDS = lazy_pattern(
    r"\b(?:never|don't|dont|do not|must not|mustn't|may not|can't|cannot|avoid|no|not|stop|refrain|"
    r"forbidden|off[ -]limits|taboo|no longer)\b"
)
_MEASURES = lazy_pattern(
    r"\b(?:under|below|at most|max(?:imum)?|up to|within|less than|fewer than|no more than|no longer than|"
    r"short|brief|(?:one|two|three|\d+) \w+s?)\b"
)
_WIDER = lazy_pattern(
    r"\b(?:more|longer|bigger|larger|higher|greater|later|earlier|wider|costlier)\b"
)
_ALONE = lazy_pattern(r"\b(?:only|exclusively|just)\b")
_WHICHEVER = lazy_pattern(r"\b(?:any|whichever|whatever)\b")
_CLAUSES = lazy_pattern(r"[,;.:–—]\s+|\s+(?:because|since|so|as)\s+")
_PLACED = lazy_pattern(
    r"\b(?:on|in|to|from|for|with|at|of|before|after|during|into|under|over|by)\b"
)
_SCOPED = lazy_pattern(r"\b(?:of|about|to|for|on|from|before|after|during|at|until|by)\b")
_VERBAL = lazy_pattern(
    r"\b(?:never|don't|dont|do not|must not|mustn't|may not|can't|cannot) (?P<deed>[\w-]+)"
)
_OPENING = lazy_pattern(
    r"^\W*+(?>(?:(?:from (?:now|here) on|going forward|in (?:the )?future|as of (?:now|today)"
    r"|please|and|also|so|ok|okay)\b[\s,:;–—-]*+)+)"
)
_VERBLESS = lazy_pattern(
    r"\W*(?:(?:no|(?:please )?(?:always )?keep) (?!need\b|longer\b)|(?:always )?(?:answer|reply|respond)\b)"
)
_NAMES = lazy_pattern(r"(?<=\w )[A-Z][\w-]+")
_THE = lazy_pattern(r"^(?:the|my|our|your|his|her|their|that|this|an?) ")
_VALUED = lazy_pattern(r"\b(?:for|in|with|on) ")
_RELATIVE = lazy_pattern(r"(?<=\w) (?:you|that|which|who|i|we) (?=\w)")
_TOWARDS = lazy_pattern(r"\b(?:to|into|onto|from|over)\b")
_FOR_GOOD = lazy_pattern(r"\b(?:again|any ?more|any longer|no longer|from (?:now|here) on)\b")
_SELF = lazy_pattern(r"\W*(?:i|he|she|they)\b", re.IGNORECASE)
_OWN_WORK = frozenset(
    topic_words(
        "answers replies responses messages texts output me us work talk chat calendar diary"
    )
)
"""What an agent gives anyway: a ban of it in answers is a ban of it."""
_KINDS = frozenset(topic_words("units unit measures spelling language currency system"))
"""What a value is one of."""
_LIGHT = frozenset(topic_words("write give make send have plan schedule suggest book add do post"))
"""What one does with anything: of a rule that names no deed it may be said without adding to it."""
_BEYOND = lazy_pattern(r"\b(?:outside|beyond)\b")
_NOT_BEFORE = lazy_pattern(r"\bbefore (?P<hour>\d{1,2})\b")
_FROM_ON = lazy_pattern(r"\b(?:from|after) (?P<hour>\d{1,2})(?: ?am| o'clock)?(?: on(?:wards)?)?\b")
_BY_THE_CLOCK = lazy_pattern(
    r"(?<=\d) (?:in the (?:morning|afternoon|evening)|at night|am|pm|o'clock)\b"
)
"""Leave for before nine need not say that this is in the morning."""
_EACH_TIME = r"(?:when(?:ever)?|if|as soon as|every time|each time)"
_TELL_ME = r"(?:tell|warn|alert|notify|remind|let) (?:me|us)"
_WARNS = lazy_pattern(rf"\b{_EACH_TIME}\b.*\b{_TELL_ME}\b|\b{_TELL_ME}\b.*\b{_EACH_TIME}\b")
_WARNING = frozenset(
    topic_words("tell warn warning alert notify notification remind reminder know low high")
)
"""Whoever is told when stock drops below something gets warnings of low stock."""
_ANSWERS = lazy_pattern(r"\W*(?:please )?(?:always )?(?:answer|reply|respond|write)\b")
_INSTEAD = lazy_pattern(
    r"(?:(?:just|please|and|simply|use) )*(?:write|answer|reply|respond|prose|plain|normal|full|whole|"
    r"proper|running|paragraphs|sentences|text)\b"
)
HALF = 0.5
"""Of a rule that says how to answer so much is enough: little else is there to be dropped in answers."""
_ONE = lazy_pattern(r"\b(?:the|an?|my|our|your|his|her|their) ")
_SLOT = lazy_pattern(r"\b(?:in|as) (?=\w+$)")
LEAST = 0.6
"""Of a rule so much must be named by what may be meant of one time, or of the world."""

FEWEST = 0.14
"""Of a rule so much must be named in any case."""

MOST_VALUE = 3
"""Words of what it is to be again."""


class _Rule(NamedTuple):
    """A standing rule, read once: it is compared with many sentences."""

    forbids: bool
    measures: bool
    """Does it say how much of something there may be?"""
    alone: bool
    """Does it allow one of several only?"""
    answers: bool
    """Does it say how to answer?"""
    warns: bool
    """Does it want to be told of something each time?"""
    acts: bool
    """Does it name a deed? `No calls`, `keep calls short` name none, and to answer is what an agent does."""
    words: tuple[str, ...]
    needed: frozenset[str]
    """Where, when and of what it holds: leave that does not say so is leave for something wider."""
    scope: frozenset[str]
    """Of these, what only tells to what it is done: who stops her pills may want reminders all the same."""
    deed: str
    """What is forbidden to do; nothing where a thing is forbidden."""
    names: frozenset[str]


class _Fit(NamedTuple):
    rule: str
    shared: frozenset[str]
    share: float


def lifted_rules(said: str, rules: Sequence[str]) -> list[str]:
    """Those of the rules that the sentence lifts: one, or several that say the same."""
    apart = [rule for rule in rules if likeness_of(said, rule) is None]
    if freed := [rule for rule in apart if is_freed_of_asking(said, rule)]:
        return freed
    found = [fit for release in releases(said) for rule in apart if (fit := _fit(release, rule))]
    if not found:
        return []
    best = max(found, key=_rank)
    rivals = [fit for fit in found if fit.rule != best.rule and _rank(fit) == _rank(best)]
    if any(topic_words(fit.rule) != topic_words(best.rule) for fit in rivals):
        return []
    return [*dict.fromkeys((best.rule, *(fit.rule for fit in rivals)))]


def _rank(fit: _Fit) -> tuple[int, float]:
    return len(fit.shared), fit.share


def may_lift(said: str) -> bool:
    """A quick look: does it let go of anything, or set anything again?"""
    return bool(releases(said)) or resumes(said) is not None or left_to_you(said) is not None


def lets_go_for_good(said: str) -> bool:
    """Does it plainly lift something, whether or not a rule is known that it can be?"""
    plain = any(one.how in ("revoke", "cease", "allow", "free") for one in releases(said))
    return plain and _FOR_GOOD.search(said.lower()) is not None and _SELF.match(said) is None


def set_again(said: str, earlier: Sequence[str]) -> list[str]:
    """Those of the earlier sentences that lifted a rule which this one sets again: `back to no emojis`."""
    back = resumes(said)
    if back is None:
        return []
    named = frozenset(topic_words(back.what))
    return [text for text in earlier if any(_is_undone(back, named, one) for one in releases(text))]


def _is_undone(back: Resumption, named: frozenset[str], lifting: Release) -> bool:
    """Does it forbid what was allowed, or demand what was to stop, of the same thing?"""
    let_go = frozenset(topic_words(lifting.what))
    if lifting.how != "revoke" and back.forbids != (
        lifting.how in ("allow", "free", "return", "resume")
    ):
        return False
    return bool((named & let_go) - _OWN_WORK) and named <= let_go | POLES


@lru_cache(maxsize=2_048)
def _read(rule: str) -> _Rule:
    lower = _OPENING.sub("", rule.lower().replace("’", "'"))
    clauses = [clause for clause in _CLAUSES.split(lower) if clause.strip()]
    main = next((c for c in clauses if _FORBIDS.search(c)), lower)
    main = _BY_THE_CLOCK.sub("", _RELATIVE.split(main, maxsplit=1)[0])
    placed = _PLACED.split(main, maxsplit=1)
    needed = topic_words(main[len(placed[0]) :]) if len(placed) > 1 else ()
    told = _SCOPED.split(main, maxsplit=1)
    scope = topic_words(main[len(told[0]) :]) if len(told) > 1 else ()
    banned = _VERBAL.search(main)
    return _Rule(
        forbids=_FORBIDS.search(lower) is not None,
        measures=_MEASURES.search(lower) is not None,
        alone=_ALONE.search(lower) is not None,
        answers=_ANSWERS.match(lower) is not None,
        warns=_WARNS.search(lower) is not None,
        acts=_VERBLESS.match(lower) is None,
        words=topic_words(rule),
        needed=frozenset(needed) - POLES - _OWN_WORK,
        scope=frozenset(scope) - frozenset(topic_words(told[0])),
        deed="".join(topic_words(banned["deed"])) if banned else "",
        names=frozenset(topic_words(" ".join(_NAMES.findall(rule)))),
    )


def _fit(release: Release, text: str) -> _Fit | None:
    """Is it this rule that is let go?"""
    rule = _read(text)
    release = release._replace(what=_with_hour_of(release.what, text))
    named = _unhyphenated(topic_words(_WIDER.sub(" ", release.what)), rule.words)
    words = frozenset(rule.words) - POLES - OTHERS
    shared = words.intersection(named)
    if rival := _rival(release, rule, frozenset(named)):
        return _Fit(text, shared | rival, 1.0)
    if not _is_telling(release, rule, shared) or _is_turned(release.what, named, rule.words):
        return None
    if release.general and len(shared) < LEAST * len(words):
        return None
    extra = frozenset(named) - frozenset(rule.words)
    if release.how == "cease" and rule.warns:
        extra -= _WARNING
    if not rule.acts and not release.state and release.how in ("allow", "free"):
        extra -= _LIGHT
    # Why, and who they are, stands beside; beside an order, what shall be done at once instead.
    why = "" if release.direct else release.beside
    beside = frozenset(word for word in topic_words(why) if word in words and word.isalpha())
    if beside - _OWN_WORK:
        extra -= OTHERS
        release = release._replace(lasting=True)
    if not _suits(release, rule, extra, shared | beside):
        return None
    return _Fit(text, shared | beside, len(shared) / len(words))


def _with_hour_of(what: str, rule: str) -> str:
    """`Meetings from 8 on` lifts what forbids those before ten: it is told anew from when."""
    bound, begin = _NOT_BEFORE.search(rule.lower()), _FROM_ON.search(what)
    if bound is None or begin is None or int(begin["hour"]) >= int(bound["hour"]):
        return what
    return f"{what[: begin.start()]}before {bound['hour']}{what[begin.end() :]}"


def _is_telling(release: Release, rule: _Rule, shared: frozenset[str]) -> bool:
    """Is so much of it named that no other rule can be meant? Of a long one that is more than a word."""
    wider = _WIDER.search(release.what) is not None
    grown = wider and rule.measures and not rule.forbids
    telling = shared if grown else shared - _OWN_WORK
    return len(telling) > FEWEST * len(rule.words)


def _suits(release: Release, rule: _Rule, extra: frozenset[str], shared: frozenset[str]) -> bool:
    match release.how:
        case "revoke":
            return not extra
        case "free":
            return not extra and len(shared) > 1 and _frees(release, rule, shared)
        case "cease":
            alone = _is_all_let_go(release, rule, shared)
            meant = release.lasting or not release.direct or alone
            return not rule.forbids and not extra and meant and not shared <= rule.scope
        case "allow":
            more = extra - _poles_beyond(release, rule)
            return release.lasting and not more and _allows(release, rule, shared)
        case "return":
            return _returns(release.what, rule, extra, shared)
        case "resume":
            # She names what she does, and to what.
            told = len(shared) > 1 and not extra
            return rule.forbids and told and _names_ban(rule, shared)


def _is_all_let_go(release: Release, rule: _Rule, shared: frozenset[str]) -> bool:
    """Can nothing else be meant? `Book the train, no need to ask` is said of this one, or for now."""
    words = frozenset(rule.words) - POLES
    if rule.answers and (not release.beside or _INSTEAD.match(release.beside)):
        return len(shared - _OWN_WORK) >= HALF * len(words - _OWN_WORK)
    return not release.beside and len(shared) >= LEAST * len(words)


def _returns(what: str, rule: _Rule, extra: frozenset[str], shared: frozenset[str]) -> bool:
    """To what was forbidden, or to another value of the same."""
    if rule.forbids:
        return not extra and _names_ban(rule, shared)
    return bool(extra) and (_sets_other_value(what, extra) or _fills_slot(what, rule))


def _allows(release: Release, rule: _Rule, shared: frozenset[str]) -> bool:
    """Just what was forbidden, or more than there might be, or any where it was to be one."""
    if rule.forbids:
        told = release.state and (_THE.match(release.what) is not None or shared <= rule.names)
        return not told and _names_ban(rule, shared)
    grown = _WIDER.search(release.what)
    # `More answers` is no leave for longer ones: there may be more of what was counted.
    counted = grown is not None and (grown.group() != "more" or not rule.needed.isdisjoint(shared))
    wider = rule.measures and counted
    beyond = rule.needed <= shared and _BEYOND.search(release.what) is not None
    return wider or (rule.alone and (beyond or _WHICHEVER.search(release.what) is not None))


def _frees(release: Release, rule: _Rule, shared: frozenset[str]) -> bool:
    """May it be done in any way? `Write the letter however you like` is said of one."""
    if _ONE.search(release.what) and not release.direct:
        return False
    if frozenset(rule.words) - POLES <= shared and not release.direct:
        return False  # it names all of the rule: how that is done is free, not whether
    meant = release.lasting or not release.direct
    return meant and (not rule.forbids or _names_ban(rule, shared))


def _poles_beyond(release: Release, rule: _Rule) -> frozenset[str]:
    """`Outside the public domain` is beyond what was allowed alone."""
    beyond = rule.alone and bool(rule.needed) and _BEYOND.search(release.what) is not None
    return frozenset({"outside", "beyond"}) if beyond else frozenset()


def _names_ban(rule: _Rule, shared: frozenset[str]) -> bool:
    """Both what is forbidden and where: `you can deploy again` says nothing of Fridays."""
    head = frozenset(rule.words) - POLES - OTHERS - rule.needed - _OWN_WORK
    if rule.deed and shared - {rule.deed} == frozenset():
        head -= {rule.deed}  # `we can book again` says nothing of window seats
    return rule.needed <= shared and (not head or not head.isdisjoint(shared))


def _sets_other_value(what: str, extra: frozenset[str]) -> bool:
    """`euros for prices`, `American spelling`: another value, and then what it is of."""
    if _THE.match(what):
        return False
    value = _VALUED.split(what, maxsplit=1)
    last = topic_words(what)[-1]
    return last not in extra and (len(value) > 1 or len(what.split()) <= MOST_VALUE)


def _fills_slot(what: str, rule: _Rule) -> bool:
    """`Answering in English`, where it was to be `answer in French`: the same, with one other word."""
    slot = _SLOT.split(what, maxsplit=1)
    if len(slot) == 1 or len(rule.needed) != 1 or _THE.match(what):
        return False
    deed, value = topic_words(slot[0]), frozenset(topic_words(slot[-1])) | rule.needed
    alike = len(value) > 1 and any(value <= sort for sort in VALUES)
    return alike and bool(deed) and frozenset(deed) <= frozenset(rule.words) - rule.needed


def _rival(release: Release, rule: _Rule, named: frozenset[str]) -> frozenset[str]:
    """The value that no longer binds: `English is fine again`, where it was to be `answer in French`."""
    if rule.forbids or release.how not in ("allow", "return") or not release.lasting:
        return frozenset()
    if release.how == "return" and _THE.match(release.what):
        return frozenset()  # to the letters, whatever they are in
    values = frozenset[str]().union(*(sort for sort in VALUES if sort & named))
    beside = frozenset(rule.words) - values - _OWN_WORK - _LIGHT - _KINDS - POLES
    # Of letters to an aunt it says nothing.
    if not named <= _OWN_WORK.union(_LIGHT, _KINDS, rule.words, values) or not beside <= named:
        return frozenset()
    return value_of_another(named, rule.words)


def _unhyphenated(named: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """`The three-sentence limit` names sentences, of which there may be three."""
    whole = {word for word in named if "-" not in word or word in wanted}
    parts = ((w,) if w in whole else topic_words(w.replace("-", " ")) for w in named)
    return tuple(dict.fromkeys(part for row in parts for part in row))


def _is_turned(what: str, named: Sequence[str], wanted: Sequence[str]) -> bool:
    """`merge A into B` is not `merge B into A`."""
    if _TOWARDS.search(what) is None:
        return False
    if named[-1:] == wanted[:1]:  # the deed may stand at the end
        named = (*named[-1:], *named[:-1])
    places = [wanted.index(word) for word in named if word in wanted]
    return places != sorted(places)
