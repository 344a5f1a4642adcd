"""What is told in passing as done, or as no longer wanted: `I renewed the certificate`, `The hall is booked`.

The deed must be that of the item, in the past or passive; or done, sorted, off the list. The thing must be
its noun, with no other word beside it and no other owner. Only one of what is open may fit. Who only began,
tried, plans, asks, hopes or tells of another time ends nothing, and no half of it is the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from everthread.domain.gleaning import withdrawals
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.utterances import Utterance
from everthread.domain.text.acts.sentence_forms import QUOTATION
from everthread.domain.text.acts.speech import ParsedSentence
from everthread.domain.text.acts.word_lists import WEEKDAY
from everthread.domain.text.past_forms import past_forms, tells_deed
from everthread.domain.text.patterns import lazy_pattern

from .pointed_ends import pointed_ends
from .wanted_deeds import WantedDeed, names_other_file, noun_of, plain_words, wanted_deed

_PART = r"(?:morning|afternoon|evening|night|noon|week|weekend)"
_HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_WHEN = (
    rf"(?:now|already|today|yesterday(?: {_PART})?|finally|at last|just now|"
    rf"(?:this|last) (?:{_PART}|{WEEKDAY})|earlier(?: today| this week)?|tonight|"
    rf"on {WEEKDAY}(?: {_PART})?|over (?:the weekend|lunch)|in the {_PART}|"
    r"(?:a (?:minute|moment|while)|an hour|(?:a few|two|three|\d+) (?:minutes|hours|days)) ago|"
    rf"since (?:today|yesterday|this {_PART}|{WEEKDAY})|at (?:noon|{_HOUR}|\d[\d:.]*(?: ?[ap]m)?)|"
    r"(?:before|after) lunch)"
)
_HOW = (
    r"(?:myself|ourselves|himself|herself|themselves|in the end|in time|on time|as well|for (?:me|us|you)|"
    r"together|online|by (?:phone|mail|e-?mail|hand|post)|on the phone|on (?:my|our|the) way(?: \w+)?|"
    r"at (?:home|work|school|the office)|and (?:packed|put) away|btw|by the way)"
)
# Nothing is captured inside of it: together with `+` that is a fault of CPython.
TAIL = rf"(?P<tail>(?>(?:,? {_WHEN}|,? {_HOW}| by (?:me|us|you|him|her)){{0,4}}))"
_TELLS_WHEN = lazy_pattern(rf" {_WHEN}(?![\w-])")
_CLOSE = r"\s*(?:$|[.!]|\b(?:and|so|because|since)\b)"
_LED = (
    r"^\W*+(?>(?:(?:ok|okay|oh|hey|hi|btw|by the way|good news|yes|yep|and|also|so|update|fyi"
    r"|finally|well|then|thanks|great|just|hello|note)\b[\s,:.!–—-]*+)*)"
)
_LATE = r"(?: (?:now|all|already|finally|both|just|also|at last)){0,3}"
_NAMED = r"[^,;:!?()–—]{1,60}?"
_WHO = (
    r"(?:(?P<own>i|we|you)(?:'ve| have| went ahead and)?|"
    r"(?!(?:nobody|who|whoever|someone|somebody|people|everyone|everybody|others|they|he|she|it|that|this|the|"
    r"if|when|once|hopefully|maybe|perhaps|had|has|have|did|not|never|no|neither|nor)\b)"
    r"(?:(?:my|our) )?(?P<other>[\w-]+)(?: has|'s)?)"
)
_NO_DEED = (
    "the|an?|my|our|your|to|of|is|are|was|were|has|have|it|them|that|this|all|both|everything"
)
_VERB = rf"(?!(?:{_NO_DEED})\b)[a-z]+"
_DEED = (
    rf"(?P<deed>{_VERB})(?: (?P<by>up|off|out|in|back|down|over|away|into|through))?"
    rf"(?: (?:to|at|with))? (?P<thing>{_NAMED})(?: (?P<by2>up|off|out|in|back|down|away))?{TAIL}{_CLOSE}"
)
_DID = lazy_pattern(rf"{_LED}(?:{_WHO}{_LATE} )?{_DEED}")
_DID_HERSELF = lazy_pattern(rf"{_LED}(?P<own>)(?P<other>){_DEED}")
"""`Sent Lukas the order`: who did it is not said."""
_IS = lazy_pattern(
    rf"{_LED}(?P<thing>{_NAMED})(?: (?P<be>is|are|was|were|has been|have been|got)|(?P<s>'s))?"
    rf"{_LATE} (?P<deed>[a-z]+)(?: (?P<by>up|off|out|in|back|down|over|away|into|through|care of|with))?"
    rf"(?: (?:to|for) (?P<whom>{_NAMED}))?{TAIL}{_CLOSE}"
)
_HAD = lazy_pattern(
    rf"{_LED}(?:i|we)(?:'ve| have)?{_LATE} (?:got|had) (?P<thing>{_NAMED}) (?P<deed>[a-z]+){TAIL}{_CLOSE}"
)
_OFF = lazy_pattern(
    rf"{_LED}(?P<thing>{_NAMED})(?: is| are|'s){_LATE} "
    rf"(?:off (?:the|my|our|your) (?:list|table|plate|desk)|out of the way|through){TAIL}{_CLOSE}"
)
_SENT = lazy_pattern(
    rf"{_LED}(?P<thing>{_NAMED})(?: is| are| has gone| have gone| went){_LATE} (?P<where>out|back)"
    rf"(?: (?:to|from) (?P<whom>{_NAMED}))?{TAIL}{_CLOSE}"
)
_NOW_ON = lazy_pattern(
    rf"{_LED}(?P<thing>{_NAMED}) (?:runs? on|(?:is|are) (?:now )?on|uses?) (?P<goal>{_NAMED}){TAIL}{_CLOSE}"
)
_UNNEEDED = lazy_pattern(
    rf"{_LED}(?:(?:there's|there is) )?(?:no need to|(?:you|we|i) (?:needn't|need not|don't (?:need|have) to|"
    rf"no longer (?:need|have) to)) (?P<verb>[a-z]+)(?: (?:up|off|out|to|into|at))?"
    rf"(?: (?P<thing>{_NAMED}))??(?: (?:any ?more|any longer|after all|then|now))*{_CLOSE}"
)
_UNWANTED = lazy_pattern(
    rf"{_LED}(?:(?:forget|never mind|skip|scrap)(?: about)?|"
    r"(?:we|i)(?: really| actually)* (?:don't|no longer) (?:need|want)(?! to\b)) "
    rf"(?P<thing>{_NAMED})(?: (?:any ?more|any longer|after all|then|now))*{_CLOSE}|"
    rf"{_LED}[\w'-]+(?: [\w'-]+)?? (?:no longer (?:wants|needs) (?P<others>{_NAMED})|"
    rf"(?:doesn't|does not) (?:want|need) (?P<theirs>(?!to\b){_NAMED}) any ?(?:more|longer)){_CLOSE}|"
    rf"{_LED}(?P<named>{_NAMED}) (?:(?:is|are) no longer|isn't|aren't|(?:is|are) not) (?:needed|wanted)"
    rf"(?: any ?more| any longer)?{_CLOSE}"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WHOLE = _words("done finished sorted handled completed complete")
_MADE = _words("done finished completed complete")
_SETTLED_OTHERWISE = _words(
    "book reserve order buy get pay cancel send return renew rent hire delete remove"
)
"""Nothing is made by these: of what is to be booked, `done` tells how it is itself."""
_WHOLE_BY = frozenset({"taken care of", "dealt with", "sorted out"})
_DID_WHOLE = _words("did finished completed handled sorted")
_SENDS = _words("send mail email post ship publish release")
_RETURNS = _words("return bring take fetch")
_MOVES = _words("migrate move port switch convert")
_TO_PEOPLE = _words("""
    call ring phone write email mail text message ask tell talk speak visit see meet sign apply register
    invite thank
""")
"""What one does for oneself, or with people: who else does it does it for herself, and nobody is `done`."""
_WRITTEN = _words("write sign")
_HANDS = _words("give show tell pay hand lend")
_RECEIVER = lazy_pattern(
    r"(?P<whom>(?!the\b|my\b|our\b|an?\b)[\w'-]+(?: [\w'-]+)?) (?=(?:the|my|our|his|her|their|an?)\b)"
)
_MEANT = _words("the my our your this that these those all both mr mrs ms dr")
_TITLES = _words("mr mrs ms dr")
_LOOSE = (_MEANT - _TITLES) | _words("of for at in on to with from whole entire and")
_PERSONS = _words("i me we us you he she they his her their")
_POINTS = _words("it them that this those these him her")
_NUMBER = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d+)"
_ALL = lazy_pattern(
    rf"all(?: of (?:it|them|those))?|all (?:the )?{_NUMBER}|both(?: of them)?|everything"
)
_THING = lazy_pattern(
    r"(?:the|that|this|my|our|your) (?:whole )?(?P<what>[\w' -]{2,40}?) "
    r"(?:thing|stuff|business|idea)"
)
"""By a word of its thing an item is called so, whatever is to be done to it: `the tax thing`."""
_OF = lazy_pattern(r" (?:of|for|from|in|at|on|with|to|about)(?= )")
_WHOSE = lazy_pattern(
    r"\b(?:of|for|from) (?:(?:the|my|our|your|his|her|their|mr|mrs|ms|dr) )?([\w-]+)"
)
"""`The invoices for the garden` are not those for the shop."""
_CLAUSES = lazy_pattern(r"[,;:–—]\s+|\s-\s|\.\s+|\s(?:and|so) (?=(?:i|we|you|the|that|no)\b)")
_WORDS = lazy_pattern(r"[\w'-]+")
NO_REPORT = lazy_pattern(
    r"\b(?:not|never|nobody|no one|none|cannot|without|but|however|except|apart from|unless|although|though|"
    r"for (?:today|now)|"
    r"half|halfway|partly|partially|almost|nearly|mostly|most of|part of|some of|hardly|barely|only|wrong|"
    r"wrongly|fail\w*|voicemail|mailbox|engaged|busy|no answer|in vain|bounced|rejected|declined|refused|"
    r"on hold|gave up|sold out|came back|(?:call|ring)\w* (?:me|us) back|another|elsewhere|instead|too late|"
    r"(?:some(?:one|body)) else|revoked|broken?|invalid|lost|stolen|or so|claim\w*|according|reportedly|"
    r"i (?:think|believe)|crash\w*|revert\w*|undone|rolled back|hope\w*|guess|"
    r"suppos\w*|apparently|allegedly|maybe|perhaps|probably|might|would|could|should|if|whether|"
    r"used to|every|each|always|usually|often|sometimes|whenever|ago when|back then|"
    r"(?:in|from|of) (?:19|20)\d\d|"
    r"last (?:year|month|spring|summer|autumn|winter|time|january|february|march|april|may|june|july|august|"
    r"september|october|november|december)|years? ago|months? ago|weeks? ago|before that|"
    r"started|began|begun|trying|tried|again|still|yet|dream\w*|imagine\w*|pretend\w*|kidding|joking)\b|"
    r"n't\b|, (?:says|said)\b"
)
"""It was tried, begun, half done, undone, at another time, each time, or only supposed."""
HINDERED = lazy_pattern(
    r"\b(?:nobody|no one|not|fail\w*|voicemail|engaged|busy|closed|wrong|rejected|bounced|however|"
    r"unfortunately|crash\w*|but|only|except|still|again|missing|kidding|joking|wait)\b|n't\b"
)


def ended_in_passing(
    said: Utterance, items: Iterable[str], *, taken_back: bool = True, by_name: bool = False
) -> list[str]:
    """Which of the open items this message tells as over; of several that fit one sentence none is meant.

    `taken_back`: also by a sentence that takes back a request. `by_name`: only what is named. The agent's
    `I sent it` answers what was asked just before.
    """
    wanted = [(item, deed) for item in dict.fromkeys(items) if (deed := wanted_deed(item))]
    over: list[str] = []
    for n, each in enumerate(said.sentences if wanted else ()):
        if not taken_back and withdrawals.cancels(each):
            continue
        after = said.sentences[n + 1 : n + 2]
        fits = [item for item, deed in wanted if tells_end(each, deed, after)]
        if not fits and not by_name and not any(HINDERED.search(e.lower) for e in after):
            fits = pointed_ends(each, wanted)
        over += fits if len(fits) == 1 else []
    return over


def is_taken_back(each: ParsedSentence, item: str, *, newest: bool) -> bool:
    """Does she take the request back? One that wants a deed done by its name alone, or without any."""
    wanted = wanted_deed(item)
    if wanted is None:
        return withdrawals.is_request_meant(each, item, newest=newest)
    return tells_end(each, wanted) or withdrawals.is_request_meant(each, "", newest=newest)


def names_deed(each: ParsedSentence, wanted: WantedDeed) -> bool:
    """Does it tell that deed of anything, or that something is done?"""
    return any(word in _WHOLE or _is_past(word, wanted) for word in each.words)


def tells_end(
    each: ParsedSentence, wanted: WantedDeed, after: Sequence[ParsedSentence] = ()
) -> bool:
    """Does the sentence tell that this was done, or is not wanted? `after`: what is said next."""
    if (
        each.asks
        or names_other_file(each.text, wanted)
        or QUOTATION.search(each.text)
        or wanted.about.isdisjoint(roots(plain_words(each.text)))
    ):
        return False
    clauses = [part for part in _CLAUSES.split(plain_words(each.text)) if part.strip()]
    if any(_is_unwanted(part, clauses[:n], wanted) for n, part in enumerate(clauses)):
        return True
    if NO_REPORT.search(each.lower) or any(HINDERED.search(e.lower) for e in after):
        return False
    return any(_is_done(part, clauses[:n], wanted) for n, part in enumerate(clauses))


def _is_unwanted(part: str, before: Sequence[str], wanted: WantedDeed) -> bool:
    """`No need to write`, `forget the chairs`, `we don't need the tickets any more`."""
    if (found := _UNNEEDED.match(part)) and found["verb"] == wanted.verb:
        thing = found["thing"]
        if thing is None or thing in _POINTS:
            return any(not wanted.thing.isdisjoint(roots(told)) for told in before)
        return _is_known(thing, wanted) and not roots(thing).isdisjoint(wanted.thing)
    found = _UNWANTED.match(part)
    if found is None:
        return False
    named = found["thing"] or found["others"] or found["theirs"] or found["named"]
    if (called := _THING.fullmatch(named)) and (what := roots(called["what"])):
        return what <= wanted.about
    return _is_thing(named, wanted) or _is_deed(named, wanted)


def _is_deed(named: str, wanted: WantedDeed) -> bool:
    """`Never mind the restart`, of what was to be restarted."""
    words = [word for word in _WORDS.findall(named) if word not in _MEANT]
    verb = roots(wanted.verb)
    return bool(words) and verb <= roots(words[0]) and all(_is_word_of(w, wanted) for w in words)


def _is_done(part: str, before: Sequence[str], wanted: WantedDeed) -> bool:
    if any(form(part, wanted) for form in (_was_done, _had_done, _is_off, _is_on)):
        return True
    every = (form.match(part) for form in (_DID, _DID_HERSELF))
    return any(found is not None and _did(found, before, wanted) for found in every)


def _had_done(part: str, wanted: WantedDeed) -> bool:
    """`I got the bike fixed`."""
    found = _HAD.match(part)
    return (
        found is not None and _is_past(found["deed"], wanted) and _is_thing(found["thing"], wanted)
    )


def _did(found: re.Match[str], before: Sequence[str], wanted: WantedDeed) -> bool:
    """`I renewed the certificate`, `Ola migrated the page`, `picked up the glasses`."""
    own, deed, by = found["own"], found["deed"], found["by"] or found["by2"] or ""
    if found["other"] and (wanted.verb in _TO_PEOPLE or roots(found["other"]) & wanted.about):
        return False
    whole = deed in _DID_WHOLE and not _is_to_people(wanted)
    if not whole and not (_is_past(deed, wanted) and by == _small(deed, wanted)):
        return False
    if deed == wanted.verb and not (own or found["other"]):
        return False  # `set up the alerts` orders it
    thing = _without_receiver(found["thing"], wanted)
    if thing in _POINTS or _ALL.fullmatch(thing):
        return any(_names(told, wanted) for told in before)
    return _is_thing(thing, wanted, own=bool(own) or not found["other"])


def _was_done(part: str, wanted: WantedDeed) -> bool:
    """`The hall is booked`, `the report is done`; what was so once may have been so before."""
    found = _IS.match(part)
    if found is None:
        return False
    deed, by = found["deed"], found["by"] or ""
    if (called := _THING.fullmatch(found["thing"])) and (found["be"] or found["s"]):
        what = roots(called["what"])
        return deed in _WHOLE and not by and bool(what) and what <= wanted.thing
    if not (found["be"] or found["s"]) and not _is_headline(found["thing"], wanted):
        return False
    if found["be"] in ("was", "were") and not _TELLS_WHEN.search(found["tail"]):
        return False
    whole = deed in _WHOLE and not by and not _is_to_people(wanted)
    # `Passport done` ticks it off, where `the hall is done` may tell that it was painted.
    itself = deed in _MADE and wanted.verb in _SETTLED_OTHERWISE
    whole = whole and not (itself and (found["be"] or found["s"]))
    whole = whole or f"{deed} {by}" in _WHOLE_BY
    result = deed == wanted.verb and found["be"] not in (None, "was", "were")
    told = result or (_is_past(deed, wanted) and by == _small(deed, wanted))
    return (told or whole) and _is_thing(found["thing"], wanted) and _is_to(found["whom"], wanted)


def _is_headline(thing: str, wanted: WantedDeed) -> bool:
    """`Deposit paid`; but `the garage called`, and nobody it."""
    return not _is_to_people(wanted) and _WORDS.findall(thing)[0] not in _MEANT


def _is_to_people(wanted: WantedDeed) -> bool:
    """Is it done with people? A report is written, whoever gets it."""
    written = wanted.verb in _WRITTEN and wanted.others <= roots(wanted.verb)
    return wanted.verb in _TO_PEOPLE and not written


def _is_to(whom: str | None, wanted: WantedDeed) -> bool:
    """Is it for those for whom it was to be?"""
    return whom is None or _is_known(whom, wanted)


def _without_receiver(thing: str, wanted: WantedDeed) -> str:
    """`Sent Lukas the order`: what was sent."""
    found = _RECEIVER.match(thing) if wanted.verb in _SENDS | _HANDS else None
    return thing[found.end() :] if found and _is_known(found["whom"], wanted) else thing


def _is_off(part: str, wanted: WantedDeed) -> bool:
    """`The headers are off the list`, `the invoice is out`, `the books are back`."""
    found = _OFF.match(part)
    if found is not None and wanted.verb not in _TO_PEOPLE:
        return _is_thing(found["thing"], wanted)
    found = _SENT.match(part)
    if found is None or not _is_gone(found, wanted):
        return False
    return _is_thing(found["thing"], wanted) and _is_known(found["whom"] or "", wanted)


def _is_gone(found: re.Match[str], wanted: WantedDeed) -> bool:
    """Is it where it was to go? Who was to have it is named with it: a book is `out` as well."""
    if found["where"] == wanted.by or (found["where"] == "back" and wanted.verb in _RETURNS):
        return True
    to_whom = roots(found[0]) & wanted.about - wanted.thing
    return found["where"] == "out" and wanted.verb in _SENDS and bool(to_whom)


def _is_on(part: str, wanted: WantedDeed) -> bool:
    """`The page runs on HTMX now`, which was to be moved to that."""
    found = _NOW_ON.match(part) if wanted.verb in _MOVES else None
    if found is None or not _TELLS_WHEN.search(found["tail"]):
        return False
    goal = found["goal"]
    return _is_thing(found["thing"], wanted) and bool(roots(goal)) and _is_known(goal, wanted)


def _is_past(deed: str, wanted: WantedDeed) -> bool:
    return deed == wanted.verb.removesuffix("ed") + "ed" or tells_deed(deed, wanted.verb)


def _small(deed: str, wanted: WantedDeed) -> str:
    """Which small word must stand with it: `picked up`; a neighbour of the verb needs none."""
    return wanted.by if deed == wanted.verb or deed in past_forms(wanted.verb) else ""


def _names(told: str, wanted: WantedDeed) -> bool:
    """Does it speak of the thing, and of no other of its kind: what `it` means in the next clause?"""
    whose = (roots(found[1]) for found in _WHOSE.finditer(told))
    return wanted.head <= roots(told) and all(each <= wanted.about for each in whose)


def _is_thing(named: str, wanted: WantedDeed, *, own: bool = False) -> bool:
    """Is it this thing, by its noun and without another beside it?"""
    told = _WORDS.findall(named)
    core = _OF.split(f"{named} ", maxsplit=1)[0].split()
    if not core or not _is_meant(core, wanted, own=own):
        return False
    head = noun_of(core)
    if not head or not head <= wanted.thing or not wanted.head <= roots(" ".join(core)):
        return False
    return all(_is_word_of(word, wanted) for word in told if word not in ("a", "an"))


def _is_meant(core: Sequence[str], wanted: WantedDeed, *, own: bool) -> bool:
    """Is it one that is meant? `A cake` is so only where she made one, and had to make one."""
    if core[0] in ("a", "an", "some"):
        return own and not wanted.is_one
    return core[0] in _MEANT or _is_word_of(core[0], wanted)


def _is_known(named: str, wanted: WantedDeed) -> bool:
    return all(_is_word_of(word, wanted) for word in _WORDS.findall(named))


def _is_word_of(word: str, wanted: WantedDeed) -> bool:
    if word.endswith("'s") and not roots(word).isdisjoint(wanted.others):
        return False
    if word in _LOOSE or (word in wanted.words and word not in _PERSONS):
        return True
    if word in _TITLES:
        return wanted.words.isdisjoint(_TITLES)
    found = roots(word)
    return bool(found) and found <= wanted.about
