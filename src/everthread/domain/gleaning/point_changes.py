"""Does a later statement take the place of an earlier one, though it is put in other words?

Beside what contradicts word for word, a person says that something changed: `instead`, `after all`,
`moved to`. What she said before about the same thing then no longer holds. And some things hold once
only: the language of the answers, the name one goes by.
"""

from __future__ import annotations

import re

from everthread.domain.memory.contradictions import contradicts, is_personal, may_both_stand
from everthread.domain.memory.places import is_rehomed
from everthread.domain.memory.purposes import (
    is_of_another,
    is_of_another_owner,
    is_of_another_property,
    is_supposed,
)
from everthread.domain.memory.retellings import tells_change
from everthread.domain.memory.switches import takes_same, turns_down
from everthread.domain.memory.updates import counts_us
from everthread.domain.text.acts.passing_remarks import NO_TIME
from everthread.domain.text.acts.sentence_forms import phrase_pattern
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.tellings.told_anew import may_tell_anew, tells_another

from .digest import Point, are_two_people
from .message_text import bag_of
from .roots import roots

AKIN = 0.5
"""Of a statement's telling words, so many must be in another before the two are compared closely."""

FEW = 2
"""So many words in common tell that two speak of one thing, or all that one has."""

STANDING = ("rule", "decision", "preference", "identity", "fact", "state")
"""Kinds of points of which the later takes the place of the earlier."""

CORRECTION = "correction"
"""It tells what was wrong, and stands; unless what it told to take is turned down in its turn."""

OWN = frozenset({"rule", "preference", "identity"})
"""What each says for himself: another's word does not change it."""

_TELLS = frozenset({"decision", "fact", "identity", "state"})
_CHANGED = phrase_pattern(r"""
    (?:after all|instead|no longer|any ?more|rather than|from now on)
    (?:moves?|moved|changes?|changed|switch(?:es|ed)?|postponed|pushed back|brought forward|renamed|migrated)(?: \S+){0,6} (?:to|from|into|until)
    (?:is|are|was|were|will be)(?: \w+)? now
    (?:is|are)(?: \w+)? (?:changed|moved|cancell?ed)
    now (?:is|are|uses?|runs?|costs?|weighs?|lives?|works?|in|at|on)
    now\s*[.!]*$
    make (?:it|that) \S+
    ^\W*(?:no|nope|actually|correction|sorry|wait)\s*[,.!:–—-]+
    (?:doch|stattdessen|nicht mehr|jetzt|sondern|verschoben|geändert)
    (?:en vez de|en lugar de|ya no|ahora|mejor)
    (?:plutôt|au lieu de|finalement|désormais)
""")  # noqa: E501 - a phrase is one line
_SOME_OF = lazy_pattern(
    r"(?i:\b(?:one|some|two|three|several|most|half) of (?:my|our|the|his|her|their)\b)"
)
"""There are others beside."""
SO_MANY = lazy_pattern(
    r"(?i:\b(?:moved|changed|switched|postponed|shifted|swapped|cut|pushed|updated|raised|lowered|corrected|"
    r"extended) (?P<many>\d+|two|three|four|five|some|a few)\b)"
)
"""`I moved 2 lessons`: there are as many as before."""
_TURNS = lazy_pattern(
    r"(?i:\b(?:mov(?:e|es|ed|ing)|(?:switch|chang|renam|replac|shift|swap|postpon)\w*+|instead|rather|"
    r"no longer|after all)\b)"
)
"""It says itself what it takes the place of; `now` alone may be said of another thing."""
_WHY = lazy_pattern(r"\s(?:because|since|as)\s.*", re.IGNORECASE)

_ONCE = (
    lazy_pattern(
        r"\b(?<!can )(?<!may )"
        r"(?:answer|reply|respond|write|speak|talk|antworte|antworten|schreib|schreibe|sprich|responde|"
        r"contesta|escribe|réponds|écris)\b(?: \w+){0,3}? (?:in|auf|en) (?P<value>[^\W\d_]{4,})\W*"
        r"(?:again\W*)?(?:from now on\W*|please\W*|only\W*)?$"
    ),
    lazy_pattern(rf"\bcall me {NO_TIME}(?P<value>\w+)"),
)


class Change:
    """A new point, and which of those before it no longer stand."""

    def __init__(self, new: Point) -> None:
        lower = new.text.lower().replace("’", "'")
        self._new, self._bag = new, bag_of(new.text)
        self._once = [(form, found["value"]) for form in _ONCE if (found := form.search(lower))]
        self._about = roots(new.text) if _CHANGED.search(lower) else frozenset[str]()
        anew = tells_change(new.text) or counts_us(new.text) or may_tell_anew(new.text)
        self._anew = new.by == "user" and anew

    @property
    def sets_value(self) -> bool:
        """Does it give a value to what holds once only? Then it changes even what it shares no word with."""
        return bool(self._once)

    def retires(self, old: Point, bag: frozenset[str]) -> bool:
        """Does it take the place of the other? An agent's words never do that to a person's."""
        new = self._new
        if (new.by != "user" and old.by == "user") or new.text == old.text:
            return False
        if are_two_people(new.name, old.name) and (old.kind in OWN or is_personal(old.text)):
            return False
        if new.by == "user" and turns_down(new.text, old.text):
            return True
        if old.kind == CORRECTION or takes_same(new.text, old.text):
            return False
        tells = new.by == "user" and new.kind != "rule" and old.kind in _TELLS
        told = tells and ((self._about and self._changed(old)) or is_rehomed(new.text, old.text))
        if told or self._another(old):
            return True
        return (tells or new.kind == old.kind) and self._against(old, bag)

    def _against(self, old: Point, bag: frozenset[str]) -> bool:
        shared = len(self._bag & bag)
        akin = shared > 0 and shared >= AKIN * min(len(self._bag), len(bag))
        if not akin and not self._anew:
            return False
        return contradicts(self._new.text, old.text)

    def _changed(self, old: Point) -> bool:
        """Does it say that something changed, and speak of what the other tells?"""
        had = roots(old.text)
        shared = len(had & self._about)
        if shared < min(FEW, max(len(had) - 1, 1)) or shared < AKIN * len(had):
            return False
        new = self._new.text
        if (
            _SOME_OF.search(new)
            or SO_MANY.search(new)
            or _SOME_OF.search(old.text)
            or counts_us(old.text)
        ):
            return False
        # A figure that moved is one of something, a name may be of anything.
        turns = _TURNS.search(new) is not None
        if is_supposed(new) or tells_another(_WHY.sub("", new), old.text, figures=turns):
            return False
        others = (is_of_another, is_of_another_owner, is_of_another_property, may_both_stand)
        return not any(other(new, old.text) for other in others)

    def _another(self, old: Point) -> bool:
        """Another value of what holds once only."""
        found = [(form.search(old.text.lower()), value) for form, value in self._once]
        return any(one and one["value"] != value for one, value in found)
