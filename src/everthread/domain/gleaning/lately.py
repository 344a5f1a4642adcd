"""What no longer stands of the agent's reports: what the person took back, corrected, or has seen mended.

A report tells what was done when it was written. Who takes it back afterwards says so in a word or two
(`I reverted that`), mostly of the turn just before, so it is by their time that the reports are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.text import speech, verdicts
from everthread.domain.text.mending import dealt_with, helped
from everthread.domain.text.patterns import late
from everthread.domain.text.speech import Heard, heard
from everthread.domain.text.symptoms import faulty

from .onward import lays_aside
from .points import Entry, Points
from .roots import roots
from .said import Said, nearest

FADED = 0.2
"""What the cause of a failure weighs at most, once that is mended."""

_REPORTS = ("done", "state", "decision")
_TOLD = (*_REPORTS, "fact", "failure")
_DIAGNOSES = late(
    r"\b(?:issue|problem|bug|culprit|error|cause) (?:is|was|comes|came|lies|occurs|here is)\b|\bturns out\b|"
    r"\bthe (?:problem|issue|error) (?:seems|appears)\b"
)
_MENDED = late(
    r"\b(?:(?<!not )(?:fixed|solved|resolved|repaired)|(?:works?|working|runs?) (?:now|again|fine)|behoben|"
    r"gelöst|(?:geht|läuft|funktioniert) (?:jetzt|wieder)|réglée?|résolue?|corrigée?|"
    r"(?:marche|fonctionne) maintenant|resuelt[oa]|arreglad[oa]|ya funciona)\b"
)
_UNSOLVED = late(
    r"n['’]t\b|\b(?:cannot|can not|could not|not (?:yet|be)|blocks?|blocked|blocking|still|unsolved|unfixed|"
    r"no (?:known |good |real )?(?:fix|way|cure|workaround|solution|remedy)|unless|until|"
    r"kein\w*|noch|nicht|blockiert|pas|aucune?|encore|toujours|bloque|no (?:se )?pued\w+|todavía|sigue|"
    r"bloquea)\b"
)
"""What stands beside a cause that nobody can do away with, or has not yet."""

_PLAIN = (
    "issue problem bug culprit error cause root reason failure fix fixed solved resolved repaired works "
    "working runs file files code line lines"
)
"""Words that do not tell which cause is meant."""

LATER = 2
"""Words that a report in a later turn shares with the cause it deals with."""


class Lately:
    """The agent's reports since the person last spoke, and what becomes of them."""

    def __init__(self, points: Points) -> None:
        self._points = points
        spoke = (p.at_ms for p in points if p.by == "user" or p.kind == "tone")
        self._since = max(spoke, default=0)

    def heard(self, message: Message, said: Said) -> None:
        """A person speaks: what she takes back goes, of the reports and of what was held for the cause."""
        for each in said.sentences:
            named = verdicts.reverted(each)
            if named is not None:
                self._revert(message, roots(named))
            if verdicts.denies(each):
                self._take_out(self._diagnoses(message.at_ms), ())
        held = self._diagnoses(message.at_ms)
        if held and any(map(_mended, said.sentences)) and not any(map(_unhappy, said.sentences)):
            # She says so herself. Who only talks on may have left it as it is.
            for entry in held:
                _fade(entry)
        self._seen_mended(message, said)
        self._since = max(self._since, message.at_ms)

    def _seen_mended(self, message: Message, said: Said) -> None:
        """A fault that she told of goes when she says that it works, or has nothing to say but thanks.

        Who goes on to other work without a word of it has done with it, too.
        """
        faults = self._faults(message.at_ms - 1)
        if not faults:
            return
        works = [s for s in said.sentences if helped(s) or _mended(s) or lays_aside(s)]
        again = [s for s in said.sentences if s not in works and (_unhappy(s) or faulty(s))]
        meant = _meant(works, faults)
        for entry in faults:
            if any(_speaks_of(s, entry, newest=entry is faults[-1]) for s in again):
                continue
            thanked = said.manners and entry.point.at_ms >= self._since
            if entry in meant or thanked or any(_goes_on(s, entry) for s in said.sentences):
                self._is_past(entry)

    def _faults(self, until: int) -> list[Entry]:
        """What the person told as a fault up to that moment, and nobody mended."""
        every = self._points.of("failure")
        return [e for e in every if e.point.by == "user" and e.point.at_ms <= until]

    def _deal_with(self, faults: Sequence[Entry], said: Said) -> None:
        """The agent reports a deed right after she told of a fault, or that it mended one."""
        done = dealt_with(said.sentences) if faults else []
        mended = [s for s in done if _mended(s)]
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
            named = speech.fails(heard(point.text))
            self._points.move(entry, point._replace(kind="request" if named else "fact"))

    def told(self, message: Message, said: Said) -> None:
        """The agent speaks: where it reports that it dealt with a cause it named before, that is past."""
        self._deal_with(self._faults(message.at_ms), said)
        held = [
            entry
            for entry in self._points.of("failure")
            if entry.point.by == "agent"
            and entry.point.at_ms <= message.at_ms
            and _diagnosis(entry)
        ]
        done = [s for s in said.sentences if _deed(s)] if held else []
        for entry in held if done else ():
            own = message.key in entry.point.sources
            if own and _unsolved(entry, said):
                continue
            lately = entry.point.at_ms >= self._since
            if not any(_deals(each, entry, lately=lately) for each in done):
                continue
            if own or not lately:
                _fade(entry)
            else:
                self._points.drop(entry)

    def put_right(self, each: Heard, before: Said, source: Message) -> str:
        """Which sentence of the agent she puts right, "" if none: it is no report any more.

        Who takes back a deed does not speak of a sentence.
        """
        was = "" if verdicts.reverted(each) is not None else nearest(before.sentences, each)
        other = roots(verdicts.opposed(each)) if was else frozenset[str]()
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
        return [entry for entry in held if _diagnosis(entry)]

    def _revert(self, message: Message, named: frozenset[str]) -> None:
        """Reports of the turn go, and what else was told in the same breath as one of them.

        What was found out before, in other messages, is as true as it was.
        """
        gone = self._by_agent(_REPORTS, message.at_ms)
        if named:
            gone = [entry for entry in gone if not named.isdisjoint(roots(entry.point.text))]
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


def _diagnosis(entry: Entry) -> bool:
    return _DIAGNOSES.search(entry.point.text.lower()) is not None


def _deed(each: Heard) -> bool:
    """Does it report what was done? The cause itself often sounds so: `the problem was a changed path`."""
    if speech.plans(each) or _DIAGNOSES.search(each.lower):
        return False
    return speech.reports(each) or _mended(each)


def _mended(each: Heard) -> bool:
    if each.asks or _MENDED.search(each.lower) is None:
        return False
    return _UNSOLVED.search(each.lower) is None


def _deals(each: Heard, entry: Entry, *, lately: bool) -> bool:
    """Does the report speak of that cause? In doubt it does not: the cause stands."""
    about = roots(each.text) - roots(_PLAIN)
    shared = len(about & roots(entry.point.text))
    if _mended(each):
        return shared > 0 or (lately and not about)
    if _UNSOLVED.search(entry.point.text.lower()):
        return False
    return shared >= (1 if lately else LATER)


def _speaks_of(each: Heard, entry: Entry, *, newest: bool) -> bool:
    """Is it this fault that is meant? Where nothing is named, it is the newest."""
    about = roots(each.text) - roots(_PLAIN)
    return bool(about & roots(entry.point.text)) or (newest and not about)


def _meant(works: Sequence[Heard], faults: Sequence[Entry]) -> list[Entry]:
    """Which of the faults work again: those that are named, else the newest."""
    if not works:
        return []
    named = [e for e in faults if any(_speaks_of(s, e, newest=False) for s in works)]
    return named or [*faults[-1:]]


def _goes_on(each: Heard, entry: Entry) -> bool:
    """Does she order something that has nothing to do with this fault?"""
    about = roots(each.text) - roots(_PLAIN)
    return (
        each.orders and not each.asks and bool(about) and about.isdisjoint(roots(entry.point.text))
    )


def _unsolved(entry: Entry, said: Said) -> bool:
    """Does the cause, or what is said right before or after it, tell that it is still there?"""
    was = entry.point.text
    if _UNSOLVED.search(was.lower()):
        return True
    at = [n for n, s in enumerate(said.sentences) if s.text in was or was in s.text]
    near = (said.sentences[m] for n in at for m in (n - 1, n + 1) if 0 <= m < len(said.sentences))
    return any(_UNSOLVED.search(s.lower) for s in near)


def _fade(entry: Entry) -> None:
    entry.point = entry.point._replace(weight=min(entry.point.weight, FADED))


def _unhappy(each: Heard) -> bool:
    return speech.complains(each) or speech.fails(each) or verdicts.corrects(each)
