"""What no longer stands of the agent's reports: what the person took back, corrected, or has seen mended.

A report tells what was done when it was written. Who takes it back afterwards says so in a word or two
(`I reverted that`), mostly of the turn just before, so it is by their time that the reports are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from everthread.domain.conversation.messages import Message
from everthread.domain.text import verdicts
from everthread.domain.text.acts import speech
from everthread.domain.text.acts.deed_reports import tells_deed
from everthread.domain.text.acts.speech import ParsedSentence, parse_sentence
from everthread.domain.text.fault_fixes import is_unsolved, reported_fixes, says_fixed
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.symptoms import tells_fault
from everthread.domain.text.unchanged_faults import beside_unchanged, says_unchanged

from .open_items.follow_ups import lays_aside
from .passing_remarks import FADED
from .points import Entry, Points
from .roots import roots
from .setting_homes import are_apart, homes_in
from .utterances import Utterance, nearest_sentence

_REPORTS = ("done", "state", "decision")
_TOLD = (*_REPORTS, "fact", "failure")
_DIAGNOSES = lazy_pattern(
    r"\b(?:issue|problem|bug|culprit|error|cause) (?:is|was|comes|came|lies|occurs|here is)\b|\bturns out\b|"
    r"\bthe (?:problem|issue|error) (?:seems|appears)\b"
)
_MENDED = lazy_pattern(
    r"\b(?:(?<!not )(?:fixed|solved|resolved|repaired)|(?:works?|working|runs?) (?:now|again|fine)|behoben|"
    r"gelöst|(?:geht|läuft|funktioniert) (?:jetzt|wieder)|réglée?|résolue?|corrigée?|"
    r"(?:marche|fonctionne) maintenant|resuelt[oa]|arreglad[oa]|ya funciona)\b"
)
_PLAIN = (
    "issue problem bug culprit error cause root reason failure fix fixed solved resolved repaired works "
    "working runs file files code line lines"
)
"""Words that do not tell which cause is meant."""

_SETTING = lazy_pattern(
    r"(?<![\w.])(?P<name>[A-Za-z]\w*_\w+|[A-Z][A-Z0-9]{2,})`?\s*(?:=|:|\b(?:is|are|to)\b)\s*(?:now )?`?"
    r"(?P<value>[$€£]?\d[\w.%]*)"
)
"""A setting by its name, and its figure."""
_PASSING = lazy_pattern(
    r"\b\d+ (?:\w+ ){0,2}(?:tests?|checks?|specs?)(?: \w+){0,2} (?:pass|fail|green)"
)
_OF_CODE = lazy_pattern(r"`[^`\n]+`|\w/[\w./-]+\.\w+|\b\w+\.[a-z]{1,4}\b:?\d*")
_SEVERAL = lazy_pattern(r",[^,.]*(?:,| and )")
"""A report of several deeds, of which only one is taken back."""
BRIEF = 120
"""Characters of a report that says no more than one figure."""

FEW, SHORT = 3, 5
"""Telling words below which `still the same` speaks of what was done last, and words of a whole sentence."""

LATER = 2
"""Words that a report in a later turn shares with the cause it deals with."""


class OutdatedReports:
    """The agent's reports since the person last spoke, and what becomes of them."""

    def __init__(self, points: Points) -> None:
        self._points = points
        spoke = (p.at_ms for p in points if p.by == "user" or p.kind == "tone")
        self._since = max(spoke, default=0)
        last = [p for p in points if p.at_ms >= self._since]
        self._asked = roots(" ".join(p.text for p in last if p.by == "user"))
        self._claimed = _words_on_code(p.text for p in last if p.by == "agent")

    def heard(self, message: Message, said: Utterance) -> None:
        """A person speaks: what she takes back goes, of the reports and of what was held for the cause."""
        for each in said.sentences:
            named = verdicts.reverted_deed(each)
            if named is not None:
                self._revert(message, roots(named))
            if verdicts.denies(each):
                self._take_out(self._diagnoses(message.at_ms), ())
        held = self._diagnoses(message.at_ms)
        if (
            held
            and any(map(_says_mended, said.sentences))
            and not any(map(_is_unhappy, said.sentences))
        ):
            # She says so herself. Who only talks on may have left it as it is.
            for entry in held:
                _fade(entry)
        self._seen_mended(message, said)
        if any(map(self._was_in_vain, said.sentences)):
            self._fade_claims(message)
        self._since = max(self._since, message.at_ms)
        self._asked, self._claimed = roots(said.text), frozenset[str]()

    def _was_in_vain(self, each: ParsedSentence) -> bool:
        """Does she say of work on code that what she asked for, or was told, is as it was?"""
        if not self._claimed or not says_unchanged(each):
            return False
        about = roots(beside_unchanged(each)) - roots(_PLAIN)
        short = len(about) < FEW or len(each.words) <= SHORT
        return short or not about.isdisjoint(self._asked | self._claimed)

    def _fade_claims(self, message: Message) -> None:
        """What the agent told with a report of its work was not so; it tells what was tried at most."""
        done = self._by_agent(("done", "state"), message.at_ms)
        said = {key for entry in done for key in entry.point.sources}
        facts = self._by_agent(("fact",), message.at_ms)
        for entry in (*done, *(e for e in facts if not said.isdisjoint(e.point.sources))):
            _fade(entry)

    def _seen_mended(self, message: Message, said: Utterance) -> None:
        """A fault that she told of goes when she says that it works, or has nothing to say but thanks.

        Who goes on to other work without a word of it has done with it, too.
        """
        faults = self._faults(message.at_ms - 1)
        if not faults:
            return
        works = [s for s in said.sentences if says_fixed(s) or _says_mended(s) or lays_aside(s)]
        again = [s for s in said.sentences if s not in works and (_is_unhappy(s) or tells_fault(s))]
        meant = _mended_faults(works, faults)
        for entry in faults:
            if any(_speaks_of(s, entry, newest=entry is faults[-1]) for s in again):
                continue
            thanked = said.manners and entry.point.at_ms >= self._since
            if entry in meant or thanked or any(_turns_elsewhere(s, entry) for s in said.sentences):
                self._is_past(entry)

    def _faults(self, until: int) -> list[Entry]:
        """What the person told as a fault up to that moment, and nobody mended."""
        every = self._points.of("failure")
        return [e for e in every if e.point.by == "user" and e.point.at_ms <= until]

    def _deal_with(self, faults: Sequence[Entry], said: Utterance) -> None:
        """The agent reports a deed right after she told of a fault, or that it mended one."""
        done = reported_fixes(said.sentences) if faults else []
        mended = [s for s in done if _says_mended(s)]
        for entry in faults:
            lately, newest = entry.point.at_ms >= self._since, entry is faults[-1]
            if (lately and done) or any(_speaks_of(s, entry, newest=newest) for s in mended):
                self._is_past(entry)

    def _is_past(self, entry: Entry) -> None:
        """A fault that was mended is what she asked for once, or told, and no more."""
        point = entry.point
        asked = (*self._points.of("open_item"), *self._points.of("request"))
        if any(each.point.text == point.text for each in asked):
            self._points.drop(entry)
        else:
            named = speech.fails(parse_sentence(point.text))
            self._points.move(entry, point._replace(kind="request" if named else "fact"))

    def _drop_old_figures(self, message: Message, said: Utterance) -> None:
        """What the agent told before of a setting, or of the tests that pass, and tells otherwise now."""
        values = [one for s in said.sentences for one in _settings(s.text)]
        tested = any(_PASSING.search(s.lower) for s in said.sentences if not s.asks)
        for entry in self._brief_reports() if values or tested else []:
            if message.key in entry.point.sources:
                continue
            old = _settings(entry.point.text)
            other = len(old) == 1 and any(_is_set_anew(one, old[0]) for one in values)
            if other or (tested and _only_counts_tests(entry)):
                self._points.drop(entry)

    def restate(self, message: Message) -> None:
        """How things stand now takes the place of how they stood."""
        for entry in [e for e in self._points.of("state") if e.point.by == "agent"]:
            if message.key not in entry.point.sources:
                self._points.drop(entry)

    def _brief_reports(self) -> list[Entry]:
        told = [e for kind in ("done", "state", "fact") for e in self._points.of(kind)]
        return [e for e in told if e.point.by == "agent" and len(e.point.text) <= BRIEF]

    def told(self, message: Message, said: Utterance) -> None:
        """The agent speaks: where it reports that it dealt with a cause it named before, that is past."""
        self._claimed |= _words_on_code([said.text])
        self._drop_old_figures(message, said)
        self._deal_with(self._faults(message.at_ms), said)
        held = [e for e in self._points.of("failure") if e.point.by == "agent"]
        held = [e for e in held if e.point.at_ms <= message.at_ms]
        done = [s for s in said.sentences if _reports_deed(s)] if held else []
        for entry in held if done else ():
            own = message.key in entry.point.sources
            if own and (not _is_diagnosis(entry) or _is_unsolved(entry, said)):
                continue
            lately = entry.point.at_ms >= self._since
            if not any(_deals_with(each, entry, lately=lately) for each in done):
                continue
            if lately or not _is_diagnosis(entry):
                self._points.drop(entry)
            else:
                _fade(entry)

    def put_right(self, each: ParsedSentence, before: Utterance, source: Message) -> str:
        """Which sentence of the agent she puts right, "" if none: it is no report any more.

        Who takes back a deed does not speak of a sentence.
        """
        was = (
            ""
            if verdicts.reverted_deed(each) is not None
            else nearest_sentence(before.sentences, each)
        )
        other = roots(verdicts.opposed_value(each)) if was else frozenset[str]()
        if other and other.isdisjoint(roots(was)):
            return ""  # `cash, not tomorrow` says nothing against who spoke of cash
        for kind in _TOLD if was else ():
            for entry in [*self._points.of(kind)]:
                point = entry.point
                own = point.by == "agent" and source.key in point.sources
                if own and (point.text in was or was in point.text):
                    self._points.drop(entry)
        return was

    def _by_agent(self, kinds: Iterable[str], before: int) -> list[Entry]:
        """The agent's points of these kinds since the person last spoke, and before that moment."""
        return [
            entry
            for kind in kinds
            for entry in self._points.of(kind)
            if self._since <= entry.point.at_ms < before and entry.point.by == "agent"
        ]

    def _diagnoses(self, before: int) -> list[Entry]:
        """What the agent held for the cause, and not what it tried in vain."""
        held = self._by_agent(("failure",), before)
        return [entry for entry in held if _is_diagnosis(entry)]

    def _revert(self, message: Message, named: frozenset[str]) -> None:
        """Reports of the turn go, and what else was told in the same breath as one of them.

        What was found out before, in other messages, is as true as it was. What she liked when she had
        it done, she likes no longer.
        """
        for liked in [e for e in self._points.of("preference") if e.point.at_ms == self._since]:
            if liked.point.by == "user" and (not named or named & roots(liked.point.text)):
                self._points.drop(liked)
        gone = self._by_agent(_REPORTS, message.at_ms)
        if named:
            gone = [
                entry
                for entry in gone
                if not named.isdisjoint(roots(entry.point.text))
                and not _SEVERAL.search(entry.point.text)
            ]
        said = {key for entry in gone for key in entry.point.sources}
        facts = [
            entry
            for entry in self._by_agent(("fact",), message.at_ms)
            if not said.isdisjoint(entry.point.sources)
        ]
        self._take_out(gone, facts)

    def _take_out(self, gone: Sequence[Entry], more: Sequence[Entry]) -> None:
        """All of them go; the weightiest stays as what was corrected, for it tells what was tried."""
        for entry in (*gone, *more):
            self._points.drop(entry)
        if gone:
            best = max(gone, key=lambda entry: (entry.point.weight, entry.point.at_ms)).point
            self._points.add(best._replace(kind="correction", pinned=False))


class _Setting(NamedTuple):
    name: str
    value: str
    homes: frozenset[str]
    """Of which files, or where, it is told."""


def _words_on_code(texts: Iterable[str]) -> frozenset[str]:
    """What the agent told, where it worked on code: who only talks claims no effect."""
    return roots(" ".join(text for text in texts if _OF_CODE.search(text)))


def _settings(text: str) -> list[_Setting]:
    homes = homes_in(text)
    return [_Setting(m["name"], m["value"].rstrip("."), homes) for m in _SETTING.finditer(text)]


def _is_set_anew(new: _Setting, old: _Setting) -> bool:
    """Another value of the same setting; that of another file has the same name, and is another one."""
    if new.name != old.name or new.value == old.value:
        return False
    return not are_apart(new.homes, old.homes)


def _only_counts_tests(entry: Entry) -> bool:
    """Does it tell how many tests pass, and of no deed?"""
    each = parse_sentence(entry.point.text)
    return _PASSING.search(each.lower) is not None and not tells_deed(each)


def _is_diagnosis(entry: Entry) -> bool:
    return _DIAGNOSES.search(entry.point.text.lower()) is not None


def _reports_deed(each: ParsedSentence) -> bool:
    """Does it report what was done? The cause itself often sounds so: `the problem was a changed path`."""
    if speech.plans(each) or _DIAGNOSES.search(each.lower):
        return False
    return speech.reports(each) or _says_mended(each)


def _says_mended(each: ParsedSentence) -> bool:
    if each.asks or _MENDED.search(each.lower) is None:
        return False
    return not is_unsolved(each.lower)


def _deals_with(each: ParsedSentence, entry: Entry, *, lately: bool) -> bool:
    """Is that cause done away with, or what failed mended?"""
    if _is_diagnosis(entry):
        return _deals_with_cause(each, entry, lately=lately)
    shared = (roots(each.text) - roots(_PLAIN)) & roots(entry.point.text)
    return _says_mended(each) and len(shared) > LATER


def _deals_with_cause(each: ParsedSentence, entry: Entry, *, lately: bool) -> bool:
    """Does the report speak of that cause? In doubt it does not: the cause stands."""
    about = roots(each.text) - roots(_PLAIN)
    shared = len(about & roots(entry.point.text))
    if _says_mended(each):
        return shared > 0 or (lately and not about)
    if is_unsolved(entry.point.text.lower()):
        return False
    return shared >= (1 if lately else LATER)


def _speaks_of(each: ParsedSentence, entry: Entry, *, newest: bool) -> bool:
    """Is it this fault that is meant? Where nothing is named, it is the newest."""
    about = roots(each.text) - roots(_PLAIN)
    return bool(about & roots(entry.point.text)) or (newest and not about)


def _mended_faults(works: Sequence[ParsedSentence], faults: Sequence[Entry]) -> list[Entry]:
    """Which of the faults work again: those that are named, else the newest."""
    if not works:
        return []
    named = [e for e in faults if any(_speaks_of(s, e, newest=False) for s in works)]
    return named or [*faults[-1:]]


def _turns_elsewhere(each: ParsedSentence, entry: Entry) -> bool:
    """Does she order something that has nothing to do with this fault?"""
    about = roots(each.text) - roots(_PLAIN)
    return (
        each.orders and not each.asks and bool(about) and about.isdisjoint(roots(entry.point.text))
    )


def _is_unsolved(entry: Entry, said: Utterance) -> bool:
    """Does the cause, or what is said right before or after it, tell that it is still there?"""
    was = entry.point.text
    if is_unsolved(was.lower()):
        return True
    at = [n for n, s in enumerate(said.sentences) if s.text in was or was in s.text]
    near = (said.sentences[m] for n in at for m in (n - 1, n + 1) if 0 <= m < len(said.sentences))
    return any(is_unsolved(s.lower) for s in near)


def _fade(entry: Entry) -> None:
    entry.point = entry.point._replace(weight=min(entry.point.weight, FADED))


def _is_unhappy(each: ParsedSentence) -> bool:
    return speech.complains(each) or speech.fails(each) or verdicts.corrects(each)
