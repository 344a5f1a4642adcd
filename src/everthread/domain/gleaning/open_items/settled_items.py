"""Is what a person left open settled by what she says later?

Nobody says `this is open no longer`. Of what was not decided she tells what was chosen; of what nobody knew,
how it is; of what was waited for, that it came; of who was to be asked, what the answer is. Each must speak
of the same thing, for most later talk does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.statement_kinds import kind_of, leaves_open
from everthread.domain.text.acts.indecision import leaves_undecided
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.acts.word_lists import BASE
from everthread.domain.text.due_tasks import DueTask
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.person_decisions import doubts
from everthread.domain.text.promise_forms import promises
from everthread.domain.text.related_words import kin_of

from .deferrals import ERRANDS
from .given_things import gives_needed

ENOUGH = 2
"""So many telling words of what nobody knew must be there: `Tom drives` says little of `who drives`."""

MOSTLY = 0.34
"""Of what was left open, so much in a few sentences of a message: then that is what they speak of.

Of 52 things that stayed open in talks, two were spoken of so; of those that were settled, every third."""

NEAR_BY = 3
"""Sentences in a row that speak of one thing."""

SHORTEST = 3
"""Letters of a verb without its ending."""

NAMES = 5
"""Words before the verb of one who answers."""

_CHOOSING = roots(
    "decide decided decision undecided settle settled choose chosen chose pick picked agree agreed select "
    "selected option options fix fixed final finally still yet open sure know known knows idea nobody "
    "someone somebody between either need"
)
"""Words that tell that something is to be chosen, and not what."""
_TO_CHOOSE = lazy_pattern(
    r"\b(?:decid\w+|undecided|settle\w*|choos\w+|chosen|pick(?:ed|ing)?|agreed?(?: on)?|select\w*|"
    r"make up (?:my|our) minds?|not sure (?:about|which)|up in the air|tbd)\b"
)
_CHOSEN = lazy_pattern(
    r"\b(?:decided|settled|chose|chosen|picked|agreed|selected|going with|went with|it's going to be|"
    r"it will be|it'll be|is called|are called)\b"
)
_UNKNOWN = lazy_pattern(
    r"\b(?:(?:nobody|no one|not|n't|don't|doesn't|no idea|not sure|unsure|unclear|unknown|wonder\w*|waiting|"
    r"find out|hear|know|ask|check|see|question|open|tell)\b[^.;]{0,40}?\b)"
    r"(?P<how>whether|if|who|when|where|which|what|how (?:much|many|long|often|far|big))\b(?P<what>[^.;!?]*)"
)
_WAITING = lazy_pattern(
    r"\b(?:wait(?:ing|s)? (?:for|on|to hear from)|awaiting|missing|pending|outstanding|"
    r"(?:no|haven't heard|not heard|hasn't)\b[^.;]{0,20}\b(?:word|news|answer|reply|response|from|arrived|"
    r"come|replied|answered))\b"
)
_WAIT_WORDS = roots(
    "wait waiting waits awaiting missing pending outstanding word news answer reply response hear heard "
    "arrived come replied answered still yet"
)
_CAME = lazy_pattern(
    r"\b(?:came|arrived|(?:is|are|'s) (?:here|in|back|there)|has come|have come|replied|answered|confirmed|"
    r"approved|agreed|signed|delivered|wrote|says|said|sent|got back|(?:i|we)(?:'ve| have)? (?:got|received)|"
    r"(?:i|we) have)\b"
)
_TELLS = lazy_pattern(
    r"\b(?:says?|said|wrote|writes|written|told|sent|replied|answered|confirmed|reckons?|thinks|agreed|approved|"
    r"gave|knows|suggests?|wants|likes|ordered|booked|bought|arranged|organi[sz]ed)\b"
)
_ASKS = lazy_pattern(
    r"\b(?:ask|(?:check|talk|speak|write) (?:with|to)|find out from|hear from|consult|contact)\s+"
    r"(?P<who>[^,.;!?]*?)"
    r"(?=\s+(?:about|whether|if|for|in|at|from|how|when|what|which|where|who|to|on|tomorrow|tonight|today|again|later|"
    r"next|this|first)\b|[,.;!?]|$)"
)
_ANSWERS = lazy_pattern(
    r"^\W*+(?>(?:(?:ok|okay|oh|so|and|well|btw|good news|update|yes)\b[\s,.!:–—-]*+)*)"
    r"(?P<who>[\w-]+(?: [\w-]+){0,2}?)(?: on [^,.;:!?]{2,40})?"
    r"(?::| (?:said|says|answered|replied|agrees|agreed|"
    r"(?:is|are|was|were) (?:fine|ok|okay|happy|in|on board)\b))"
    r"(?:\W*(?:yes|yep|no|nope|ok|okay|sure|fine|go(?: ahead| for it)?|with (?:it|that|this))\b|\W*$)"
)
"""By so few words somebody who was to be asked may have answered."""
_FOUND_IN = lazy_pattern(r" (?:in|at|from) (?!the (?:morning|evening|meeting)\b)")
_SEEKS = lazy_pattern(
    r"\b(?:ask|check|look|see|find|talk|speak|write to|call|ring|hear|think|sleep on|decide|tell you)\b"
)
_NAME = lazy_pattern(r"(?:^|(?<=[\w,;?!.:] ))[A-Z][^\W\d_]{2,}")
_SUBJECT = {"her": "she", "him": "he", "them": "they"}
_UNSURE = lazy_pattern(
    r"\b(?:still|yet|hope\w*|probably|should|would|could|whether|unless|wonder\w*|need to|have to|has to|"
    r"must|hasn't|haven't|didn't|don't know|doesn't know|no idea|not sure|waiting|will (?:tell|let|answer|"
    r"ask|check|get back)|'ll (?:tell|let|answer|ask|check|get back)|ask(?:ed|ing)?|if)\b"
)
_DENYING = frozenset({"not", "never", "no", "nothing", "without", "cannot"})
_WORD = lazy_pattern(r"[^\W\d_]+")
_STEM = 4
_CLAUSES = lazy_pattern(r"[;:,.]\s|\s[–—-]\s|\s(?:but|and|so)\s")
_CLAUSE_END = lazy_pattern(r"[,.;!?]")
_AHEAD = lazy_pattern(
    r"\b(?:will|going to|tomorrow|tonight|plan(?:s|ned)? to|want to|next week)\b|'ll\b"
)
_NOT_ALL = lazy_pattern(
    r"\b(?:half|partly|almost|nearly|only|wrong|wrongly|another|other|old|used to|usually|always|every|often|"
    r"sometimes|normally|each|never|ago|too|except|badly|last (?!night\b|week\b|weekend\b)\w+)\b"
)
"""Not the whole of it, not this one, or not this time."""
_LATELY = (
    r"(?>(?: (?:now|already|too|again|today|yesterday|this (?:morning|afternoon|week)|last (?:night|week)|"
    r"at last|finally|in time|on time|as well))*)"
)
_CLOSE = r"\W*(?:$|[,;:–—(] ?|\b(?:and|so)\b)"
_DEED = r"(?P<deed>[a-z]+)(?P<by> (?:in|up|off|back|care of|over|out))?"
_SINCE = (
    r"^\W*+(?>(?:(?:ok|okay|oh|hey|btw|by the way|good news|yes|and|also|so|update|finally|well)\b"
    r"[\s,:.!–—-]*+)*)"
)
_NAMED = r"[^,;:.!?()–—]{2,60}?"
_IS_DONE = lazy_pattern(
    rf"{_SINCE}(?P<thing>{_NAMED})(?: (?:is|are|was|were|has been|have been|got)|'s|'s been)?"
    rf"(?>(?: (?:now|all|already|finally|both|just))*) {_DEED}{_LATELY}{_CLOSE}"
)
_DID = lazy_pattern(
    rf"{_SINCE}(?:(?:my |our |the )?[\w-]+(?: and [\w-]+)?(?:'ve| have| has|'s)?"
    rf"(?>(?: (?:just|already|finally|now))*) )??{_DEED} "
    rf"(?P<thing>(?:the|our|my|all|both|this|that|these|those) {_NAMED})"
    rf"{_LATELY}(?: myself| ourselves| on [a-z]+day)?{_CLOSE}"
)
_RUNS = lazy_pattern(
    rf"{_SINCE}(?P<thing>{_NAMED}) (?:works?|(?:is|are) working|runs?)(?: fine)? (?:again|now){_CLOSE}"
)
_WHOLE = frozenset({"done", "sorted", "handled", "taken care of"})
"""By these whatever was due is done."""
_GIVEN = frozenset(
    {"paid", "returned", "submitted", "filed", "handed in", "sent off", "sent in", "given back"}
)
"""By these ends what is only due."""
_BACK = frozenset({"brought", "taken", "given"})
_BY_TWO_WORDS = "handed filled picked sent dropped turned cleaned brought taken given"
_WITH_PARTICLE = frozenset(_BY_TWO_WORDS.split())
"""With others a small word turns the sense: `booked out`."""
_TAKEN = lazy_pattern(
    r"\b(?:(?:was|were)\b.*\b(?:booked|reserved|rented|hired)|already (?:booked|reserved|rented))\b"
)
"""So one tells that somebody else had it."""
_MENDS = frozenset({"repair", "fix", "mend"})
_LOOSE = frozenset(
    {"the", "our", "my", "both", "all", "this", "that", "these", "those", "of", "for", "at", "in"}
)
_OF = lazy_pattern(r" (?:of|for|from|in|at|on|with|to|by)(?= )")
_COMMON = roots(
    "one ones thing things good new people question questions gap point last want wanna like likes please "
    "way bit lot something someone anything mr mrs ms dr long while much many often know sure"
)
"""Words that are in most sentences, whatever they speak of."""


def settles(said: ParsedSentence, item: str) -> bool:
    """Does the sentence tell what the item left open?"""
    if said.asks or doubts(said) or leaves_undecided(said.lower) or promises(said):
        return False
    if _UNSURE.search(said.lower):
        return False
    lower = item.lower().replace("’", "'")
    return any(
        form(said, lower) for form in (_tells_it, _chose_it, _tells_arrival, _tells_own_deed)
    )


def ends_task(said: ParsedSentence, task: DueTask) -> bool:
    """Does it tell that the thing was done which had to be done by some time?

    Only a deed ends it: whatever else is told of the thing leaves it to be done.
    """
    if said.asks or promises(said) or _UNSURE.search(said.lower) or _denies(said):
        return False
    if _AHEAD.search(said.lower):
        return False
    if _NOT_ALL.search(said.lower):
        return False
    runs = _RUNS.match(said.lower)
    if runs and _bare(task.deed) in _MENDS and _is_thing(runs["thing"], task.thing):
        return True
    if _TAKEN.search(said.lower):
        return False
    told = (form.match(said.lower) for form in (_IS_DONE, _DID))
    return any(
        _is_deed_of(f"{one['deed']}{one['by'] or ''}", task) and _is_thing(one["thing"], task.thing)
        for one in told
        if one is not None
    )


def _is_deed_of(told: str, task: DueTask) -> bool:
    """Is it what was to be done, in the past: `washed`, of `need washing`?"""
    if told in _WHOLE:
        return True
    if not task.deed:
        return told in _GIVEN
    word, _, by = told.partition(" ")
    if by and word not in (_BACK if by == "back" else _WITH_PARTICLE):
        return False
    if word == task.deed:
        return True
    bare = _bare(task.deed)
    if word.endswith("ed"):
        return _bare(word) == bare
    known = {kin for base in (task.deed, bare, f"{bare}e") for kin in kin_of(base)}
    return word in known - {bare} - BASE


def _bare(word: str) -> str:
    """`renew`, of renewed and renewing; `servic`, of serviced and service."""
    for ending in ("ing", "ed", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word.removesuffix(ending)
    return word


def _is_thing(named: str, wanted: str) -> bool:
    """Is this thing named, with no other noun beside it and no other owner?"""
    thing, told = roots(wanted), roots(named)
    head = roots(_OF.split(wanted, maxsplit=1)[0].split()[-1])
    if not head or not head <= told <= thing or 2 * len(told) < len(thing):
        return False
    known = {*wanted.split(), *_LOOSE}
    return all(word in known or roots(word) for word in named.split())


def takes_up(said: ParsedSentence, item: str) -> bool:
    """Does she tell of the same, whatever it is that she tells?"""
    if said.asks or promises(said) or leaves_open(said):
        return False
    if gives_needed(said.lower, item):
        return True
    if _UNSURE.search(said.lower):
        return False
    about = roots(item) - _CHOOSING - _WHEN - _COMMON
    return len(about & roots(said.text)) >= min(ENOUGH, len(about)) > 0


def speaks_of(sentences: Sequence[ParsedSentence], item: str) -> bool:
    """Do a few of these sentences, one after the other, tell of most of it?

    A clause that denies, doubts or promises tells nothing of how it ended.
    """
    about = roots(item) - _CHOOSING - _WHEN - _WAIT_WORDS - ERRANDS - _COMMON
    if len(about) < ENOUGH:
        return False
    told = [about & _told_roots(each) for each in sentences]
    return any(
        len(shared := frozenset[str]().union(*told[n : n + NEAR_BY])) >= ENOUGH
        and len(shared) >= MOSTLY * len(about)
        for n in range(len(told))
    )


def seeks(promise: str) -> bool:
    """Is it to find something out, by asking or by thinking, so that to tell of it ends it?"""
    return _SEEKS.search(promise.lower()) is not None


@lru_cache(maxsize=2_048)  # each is held against all that is open
def _told_roots(said: ParsedSentence) -> frozenset[str]:
    """What its clauses speak of that tell something."""
    if said.asks or promises(said) or leaves_open(said) or leaves_undecided(said.lower):
        return frozenset()
    parts = (parse_sentence(part) for part in _CLAUSES.split(said.text) if part)
    telling = (part for part in parts if not _denies(part) and not _UNSURE.search(part.lower))
    return frozenset[str]().union(*(roots(part.text) for part in telling))


def answers_for(said: ParsedSentence, promise: str) -> bool:
    """Does it tell what somebody says who was to be asked: `Sophie sent me …`, of `I'll ask Sophie`?"""
    lower = promise.lower().replace("’", "'")
    asked = _ASKS.search(lower)
    if asked is None or said.asks:
        return False
    # What follows the comma (`I'll ask Sam, he's the lead`) is not what he is asked.
    rest = _CLAUSE_END.split(lower[asked.end() :], maxsplit=1)[0]
    about = frozenset[str]() if _FOUND_IN.match(rest) else roots(rest) - _WHEN
    if _answers_briefly(said, roots(asked["who"]), about):
        return True
    for verb in _TELLS.finditer(said.lower):
        who = _who_tells(said, verb, promise, asked)
        if who is None:
            continue
        told = roots(said.text) - who
        if not about.isdisjoint(told) if about else bool(who) and len(told) >= ENOUGH:
            return True
    return False


def _answers_briefly(said: ParsedSentence, who: frozenset[str], about: frozenset[str]) -> bool:
    """`Henrik said yes`, `Henrik on the insurance: yes, 280`."""
    found = _ANSWERS.match(said.lower)
    if found is None or not who or who != roots(found["who"]) or _UNSURE.search(found[0]):
        return False
    return not about or not about.isdisjoint(roots(said.text))


def _who_tells(
    said: ParsedSentence, verb: re.Match[str], promise: str, asked: re.Match[str]
) -> frozenset[str] | None:
    """Who was to be asked and tells something by this verb; empty where a pronoun says it, None if no one."""
    before = _CLAUSES.split(said.lower[: verb.start()])[-1]
    after = _CLAUSES.split(said.lower[verb.start() :], maxsplit=1)[0]
    told = after.partition(" if ")[0]  # `fine if it is encrypted`: under that condition it is
    after = told if roots(told) else after
    if _UNSURE.search(before + after) or len(before.split()) > NAMES:
        return None
    if _SUBJECT.get(asked["who"].strip(), "") in before.split():
        return frozenset()
    who = roots(asked["who"]) or _last_name(promise, asked.start())
    another = "'s " in before  # Henrik's wife is not Henrik
    return who if who and who <= roots(before) and not another else None


def _last_name(text: str, end: int) -> frozenset[str]:
    """Who was named last before: `It is a Mrs Ott, I'll write to her`."""
    names = [found[0] for found in _NAME.finditer(text, 0, end)]
    return roots(names[-1]) if names else frozenset()


_WHEN = roots(
    "tomorrow tonight today monday tuesday wednesday thursday friday saturday sunday week later soon again "
    "morning afternoon evening first next day days night"
)


def _tells_it(said: ParsedSentence, item: str) -> bool:
    """Of `nobody knows whether Kim is coming`: that she is, or is not."""
    found = _UNKNOWN.search(item)
    if found is None:
        return False
    wanted, told = roots(found["what"]) - _WHEN, roots(said.text)
    if len(wanted) < ENOUGH or not wanted <= told:
        return False
    return found["how"] in ("whether", "if") or bool(told - wanted)


def _chose_it(said: ParsedSentence, item: str) -> bool:
    """Of `we have not decided on the venue`: what it is."""
    if _TO_CHOOSE.search(item) is None:
        return False
    about, told = roots(item) - _CHOOSING - _WHEN, roots(said.text)
    shared = len(about & told)
    if _CHOSEN.search(said.lower):
        # The menu for the wedding is not its venue: with two words in it, both must be there.
        return 2 * shared > len(about) > 0
    # One of the two ways that it names.
    return " or " in item and shared > 0 and kind_of(said) == "decision"


def _tells_arrival(said: ParsedSentence, item: str) -> bool:
    """Of `still waiting for the quote from Huw`: that it came."""
    if _WAITING.search(item) is None or _CAME.search(said.lower) is None or _denies(said):
        return False
    about = roots(item) - _WAIT_WORDS - _WHEN
    return bool(about) and 3 * len(about & roots(said.text)) >= 2 * len(about)


def _denies(said: ParsedSentence) -> bool:
    """`The report was never printed`, `I have no visa`."""
    return not said.bag.isdisjoint(_DENYING) or "n't" in said.lower


def _tells_own_deed(said: ParsedSentence, item: str) -> bool:
    """Of `the slides are to be scanned`: that they are, by the same verb and of the same thing."""
    verbs = {word for word in _WORD.findall(item) if len(word) >= _STEM}
    known = {kin for word in verbs for kin in kin_of(word)} | {
        word
        for word in said.words
        if word.endswith("ed") and word[:_STEM] in {v[:_STEM] for v in verbs}
    }
    deeds = [word for word in said.words if word in known and not word.endswith("ing")]
    if not deeds or _denies(said):
        return False
    acts = roots(" ".join(deeds)) | {word[:_STEM] for word in deeds}
    about = {r for r in roots(item) - _CHOOSING - _WHEN if r not in acts and r[:_STEM] not in acts}
    return bool(about) and about <= roots(said.text)
