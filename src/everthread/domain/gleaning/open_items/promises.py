"""What people will do themselves, or said to be open, until it is told as done, or long ago.

What was long ago is no longer told, but nobody saw it done: its memory stands.

It is told among what is open, so that whoever goes on knows what is still to come; nothing is wanted of
the agent for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from everthread.domain.conversation.messages import Message
from everthread.domain.gleaning.digest import Point
from everthread.domain.gleaning.point_factory import point_of
from everthread.domain.gleaning.points import Entry, Points
from everthread.domain.gleaning.roots import roots
from everthread.domain.gleaning.statement_kinds import chooses
from everthread.domain.gleaning.utterances import WINDOW, Excerpt, Utterance, cut_text
from everthread.domain.text.acts.classifier import act_of
from everthread.domain.text.acts.indecision import leaves_undecided
from everthread.domain.text.acts.speech import ParsedSentence, complains, parse_sentence
from everthread.domain.text.due_tasks import due_task
from everthread.domain.text.patterns import lazy_pattern
from everthread.domain.text.person_decisions import doubts
from everthread.domain.text.promise_forms import (
    clause_of,
    deed_of,
    is_two_way,
    object_of,
    promises,
    tells_done,
)

from .agent_replies import hands_over
from .deferrals import ERRANDS, only_asks, own_words, points_back, reports_back
from .found_out import is_found_out, is_given
from .german_ends import is_told_in_german
from .in_use import is_in_use
from .long_replies import tells_work
from .passing_ends import ended_in_passing, names_deed
from .people_reached import is_reached
from .settled_items import answers_for, ends_task, seeks, settles, speaks_of
from .told_back import told_back
from .wanted_deeds import wanted_deed

OWN, LEFT, SOUGHT = "own", "left", "sought"
PROMISED = 0.55
"""What weighs what somebody promised, beside what is asked of the agent."""

STALE, MOST = 100, 10
"""So many further messages of people it is told, and so many are: nobody saw the others end."""

SOON = 2
"""Within so many messages `done` tells of what was promised last."""

FEW = 6
"""Words of a promise that leans on what was said before it: `I'll ring him on Monday`."""

THIN, BACK = 1, 2
"""Telling words of one that leans as well, however long it is: `not now, can't think about it yet`; and so
many sentences it is told with."""

_JOINTS = lazy_pattern(r"[,;]\s+(?:but |and |though |only )?|\s[–—-]\s|\s(?:but|and)\s")
"""Where one half of a sentence ends, and the other begins."""
_ASKS_BARE = lazy_pattern(
    r"\W*+(?:whats|what's|(?:what|how|why|who|which|where|when) (?:is|are|does|do|did|would|should|can|"
    r"could|will)|(?:do|does|can|should|could) (?:i|we|you|it|that))\b"
)
"""So one asks, with a sign or without."""
_WILL = lazy_pattern(r"\b(?:i|we)(?:['’]ll| will|['’]m going to| am going to)\b")
_WANTS_TO_KNOW = lazy_pattern(
    r"\b(?:want|like|trying) to (?:know|see|find out|figure out|understand)\b"
)
"""What one tells an agent so, one asks it."""
_WAYS = lazy_pattern(r"\W*(?:it's |it is )?(?:either|between)\b.*\b(?:or|and)\b")


class Promises:
    """What is promised, among the points."""

    def __init__(self, points: Points) -> None:
        self._points = points
        self._reply: Utterance | None = None
        """What the agent said last."""
        self._turn = 0
        """Which message of people is the last."""

    def spoken(
        self,
        message: Message,
        said: Utterance,
        turn: int,
        finds: Sequence[Excerpt],
        later: int | None = None,
    ) -> None:
        """A person speaks: what was done is promised no longer, what will be done is from now on.

        `finds`: what was read off the message; among it may be what it leaves open. `later`: by which
        sentence she puts off what was said to her; where it only points at that, that tells it.
        """
        self._turn = turn
        left = {found.text for found in finds if found.kind == "open_item"}
        chosen = {found.text for found in finds if found.kind == "decision"}
        self._end(said, turn)
        for n, each in enumerate(said.sentences):
            state, text = _open_part(said, n, left, chosen)
            told = complains(each) if state == LEFT else _WANTS_TO_KNOW.search(each.lower)
            if told and self._is_asked(message, text):
                continue  # her request tells it
            if n == later and self._question_of(turn) is not None:
                state = SOUGHT
            if not text or not own_words(each.text if n == later else text):
                continue
            found = Excerpt("open_item", text, PROMISED)
            entry = self._points.add(point_of(message, found, "user"))
            if entry.point.pinned and only_asks(text):
                # What she asks, and puts off in the same breath, waits for nobody's answer.
                entry.point = entry.point._replace(pinned=False)
            if not entry.point.pinned:
                entry.turn, entry.state = turn, state
        for entry in self.open()[:-MOST]:
            self._points.lose(entry)

    def _end(self, said: Utterance, turn: int) -> None:
        """What she tells as done or settled ends; what was long ago is told no longer."""
        every = self.open()
        last = max((entry.turn for entry in every), default=0)
        back = said.sentences[0] if reports_back(said) and turn - last <= SOON else None
        told = told_back(said, self._reply, self._points, turn)
        passed = texts_ended(said, self._points)
        for entry in every:
            asked = self._question_of(entry.turn) if entry.state == SOUGHT else None
            answered = entry.state == SOUGHT and asked is None
            done = entry.state == OWN and entry.turn == last and _is_done(back, entry)
            done = done or entry is told or entry.point.text in passed
            if answered or done or is_over(said, entry):
                self._points.drop(entry)
                if asked is not None:
                    self._points.drop(asked)
            elif turn - entry.turn > STALE:
                self._points.lose(entry)

    def _question_of(self, turn: int) -> Entry | None:
        """What the agent asked, and she put off in this turn."""
        every = self._points.of("open_item")
        asked = (e for e in every if e.point.by == "agent" and not e.point.pinned)
        return next((e for e in asked if e.state == "deferred" and e.turn == turn), None)

    def heard(self, said: Utterance) -> None:
        """The agent reports something done: that may have been promised by a person.

        What she does not know as she asks it something is for it to tell.
        """
        self._reply = said
        asked = {p.sources[-1] for p in self._asked()}
        over = texts_ended(said, self._points)
        for entry in self.open():
            told = entry.state == LEFT and entry.point.sources[-1] in asked
            told = told and _WILL.search(entry.point.text.lower()) is None
            told = told and _is_spoken_of(said, entry.point.text)
            told = told or (self._is_fresh(entry) and _is_dealt_with(said, entry.point.text))
            if told or entry.point.text in over or is_told_done(said, entry):
                self._points.drop(entry)

    def _is_fresh(self, entry: Entry) -> bool:
        """Did she leave it open just now, so that the agent speaks to it?"""
        return entry.state == LEFT and entry.turn == self._turn

    def _is_asked(self, message: Message, text: str) -> bool:
        return any(message.key in p.sources and text in p.text for p in self._asked())

    def _asked(self) -> list[Point]:
        """What she waits for the agent to answer."""
        return [e.point for e in self._points.of("open_item") if e.point.pinned]

    def open(self) -> list[Entry]:
        """What is promised, or left open by a person, and still to come."""
        every = self._points.of("open_item")
        return [
            e
            for e in every
            if e.point.by == "user" and not e.point.pinned and e.state in (OWN, LEFT, SOUGHT)
        ]


def _open_part(
    said: Utterance, n: int, left: Collection[str], chosen: Collection[str]
) -> tuple[str, str]:
    """What a sentence promises or leaves open, and how; of one that decides, only what is left to do."""
    each = said.sentences[n]
    if _ASKS_BARE.match(each.lower):
        return "", ""
    if chooses(each) or cut_text(each.text) in chosen:
        return OWN, _errand_beside(each.text)
    state = (
        OWN if promises(each) and not doubts(each) else LEFT if cut_text(each.text) in left else ""
    )
    return state, _full_sentence(said, n) if state else ""


def _errand_beside(text: str) -> str:
    """What is to be done beside what was decided: `…, but need to check the licence`."""
    for joint in _JOINTS.finditer(text):
        rest = parse_sentence(text[joint.end() :])
        if not chooses(parse_sentence(text[: joint.start()])) or chooses(rest):
            continue
        if promises(rest) or act_of(rest) == "open" or leaves_undecided(rest.lower):
            return rest.text
    return ""


def _is_done(back: ParsedSentence | None, item: Entry) -> bool:
    """Does she report back what she said she would do? Who ordered something has rung nobody."""
    return back is not None and deed_of(back, item.point.text) is not None


def texts_ended(said: Utterance, points: Points, *, taken_back: bool = True) -> list[str]:
    """What of all that people left open is told in passing as over, or taken back."""
    left = _left_open(points)
    over = ended_in_passing(said, left, taken_back=taken_back)
    return [*over, *(text for text in left if is_given(said, text))]


def ended_by_name(said: Utterance, points: Points) -> list[str]:
    """What of it the agent names as over."""
    return ended_in_passing(said, _left_open(points), by_name=True)


def _left_open(points: Points) -> list[str]:
    every = (e.point for e in points.of("open_item") if e.point.by == "user")
    return [point.text for point in every]


def is_told_done(said: Utterance, item: Entry) -> bool:
    """Is it told as done, by whoever speaks, given, or found out?"""
    text = item.point.text
    # What wants one deed done is told so by its name, among all that is open: `texts_ended`.
    kept = wanted_deed(text) is None and any(_is_kept(each, item) for each in _deeds(said))
    told = kept or hands_over(said, text) or is_told_in_german(said, text)
    return told or is_found_out(said, text)


def is_over(said: Utterance, item: Entry) -> bool:
    """Is it done, or settled, by what she says?"""
    text = item.point.text
    if task := due_task(parse_sentence(text)):
        return any(ends_task(each, task) for each in said.sentences)
    wanted, sought, every = wanted_deed(text), seeks(text), said.sentences
    if is_told_done(said, item) or (wanted and is_in_use(said, wanted)):
        return True
    if any(answers_for(each, text) for each in every) or is_reached(said, text):
        return True
    if wanted and not sought:
        return False  # whatever else is told of the thing leaves it to be done
    if wanted:  # the deed itself was weighed by its name
        every = [each for each in every if not names_deed(each, wanted)]
    if (item.state != OWN or sought) and speaks_of(every, text):
        return True
    return item.state == LEFT and any(settles(each, text) for each in said.sentences)


def _is_spoken_of(said: Utterance, text: str) -> bool:
    """Does the agent speak of most of it?"""
    about = own_words(text)
    told = roots(said.text)
    return 2 * len(about & told) >= max(len(about), 2)


def _is_dealt_with(said: Utterance, text: str) -> bool:
    """Does the agent tell of its work at that very thing: all of it in one sentence?"""
    about = own_words(text)
    if len(about) <= THIN or not tells_work(said.sentences):
        return False
    return any(about <= roots(each.text) for each in said.sentences if not each.asks)


def _deeds(said: Utterance) -> list[ParsedSentence]:
    return [each for each in said.sentences if tells_done(each)]


def _is_kept(deed: ParsedSentence, promise: Entry) -> bool:
    """Does it tell that this was done, and not something else of the same?"""
    text = promise.point.text
    about, found = roots(text) - ERRANDS, deed_of(deed, text)
    if found is None or not about:
        return False
    before, after = clause_of(deed, found)
    thing = (roots(object_of(text)) & about) or about
    told = (roots(before) | roots(after)) - ERRANDS - roots(found[0])
    if 2 * len(thing & told) < len(thing):
        return False
    # `Paid the deposit for the hut`, where she was to pay that for the hall.
    rest, more = about - thing, told - thing
    if rest and more and rest.isdisjoint(more):
        return False
    # `The hostel called`, of which she said that she would call it.
    return not is_two_way(found[0]) or about.isdisjoint(roots(before))


def _full_sentence(said: Utterance, n: int) -> str:
    """The sentence; with the one before it where it leans on that, and with the ways that it leaves open."""
    each, first = said.sentences[n], n
    leans = len(each.words) <= FEW or len(own_words(each.text)) <= THIN
    leans = leans and due_task(each) is None  # that names its thing
    leans = leans or (n > 0 and said.sentences[n - 1].asks and points_back(each))
    while leans and first and not said.parted(first - 1, first) and n - first < BACK:
        first -= 1
        leans = len(own_words(said.span(first, n))) <= THIN
    ways = n + 1 < len(said.sentences) and _WAYS.match(said.sentences[n + 1].lower)
    last = n + 1 if ways and not said.parted(n, n + 1) else n
    whole = said.span(first, last)
    return whole if len(whole) <= WINDOW else said.sentences[n].text
