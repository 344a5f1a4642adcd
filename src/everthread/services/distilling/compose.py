"""Compose a summary: read what goes, on top of what is carried; check every sentence; render.

The plain distiller reads the raw messages each time and carries the digest before forward, so nothing
is ever a summary of a summary alone. A model may write the points; the ledger and what is pinned are
the plain distiller's, and every new sentence is held against its sources, whoever wrote it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from everthread.domain.agents import AgentRow, Scope
from everthread.domain.conversation.messages import Message
from everthread.domain.conversation.tokens import PER_MESSAGE, scale_budget
from everthread.domain.conversation.views import Span, remove_spans
from everthread.domain.distilling.corrected_points import (
    Corrected,
    correct_digest,
    correct_items,
)
from everthread.domain.distilling.draft_authority import hold_point, settle_quotes
from everthread.domain.distilling.drafts import (
    NOTHING,
    DraftResult,
    Ending,
    Material,
    ModelFailed,
    Passage,
    Spend,
)
from everthread.domain.distilling.receipts import Sentence, sentence
from everthread.domain.distilling.summaries import Room, Summary, render
from everthread.domain.distilling.triggers import due_history
from everthread.domain.gleaning.digest import SECTIONS, Digest, Point, Trace
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.later_answers import close_answered
from everthread.domain.gleaning.point_factory import speaker
from everthread.domain.ids import place_at, place_of
from everthread.domain.pauses import stepping_aside
from everthread.domain.recall.shown_text import clean
from everthread.domain.redaction.secrets import strip_secrets
from everthread.ports import Distiller, House

from .composed_summary import PLAIN, ComposedSummary
from .corrections import corrected_points
from .plan import heard_before, tellable_messages
from .point_vectors import Made, embed_function
from .spend import spend
from .stages import Pause, nothing
from .told_endings import retire_points

if TYPE_CHECKING:
    from everthread.domain.ending.retelling import ForkPast

log = logging.getLogger("everthread")

TOOK_OVER = "the plain distiller took over"
NONE_BELIEVED = "none of that is believed, and all of them stand"
GIVES_WAY = 3
"""After so many failures of a model in a row the plain distiller takes over."""

LONGEST_PASSAGE = 40_000
"""Characters of a message that a model is given."""

SHARE = 4
"""A summary takes at most so small a part of what it replaces."""

LEAST_ROOM = 150
"""With fewer tokens a summary would be nothing but its frame."""

SMALL_SHARE = 8
"""In a small window a summary may take so large a part of it, and no more than `FLOOR` for that."""

FLOOR = 1_600
"""Tokens that a summary may take however little it replaces, if that is two thirds of it at most; in a small
window half of it."""

Stage = Callable[[str], None]


def never() -> bool:
    return False


class Ask(NamedTuple):
    """What is to be summarized, and by whom."""

    agent: AgentRow
    thread: int
    before: Digest
    """What is carried forward."""
    spans: Sequence[Span]
    """The messages that go."""
    ordinal: int
    """Which distillation it is, of those that stand."""
    tokens: int | Room
    """A number is never passed; in a room, what is pinned stands on top of the rest."""
    distiller: Distiller | None = None
    failures: int = 0
    extra: Sequence[Point | Trace] = ()
    size: int = 0
    """The tokens of the summary before."""
    late: Callable[[], bool] = never
    """Is there no time to read more? Then what was read so far is summarized."""
    meaning: bool = True
    """May vectors tell which points say the same? Not where every moment counts, nor once it is late."""
    before_fork: ForkPast | None = None
    """Of what lies before a fork no raw line is repeated."""
    shown: Sequence[Span] = ()
    """What the view shows now: what is answered in that of it which stays is not told as open."""
    corrected: Corrected = MappingProxyType({})
    """What reads otherwise, as a person corrected it since."""
    vectors: Made | None = None
    """Where more than one is made: what was embedded for those before."""


def compose(house: House, ask: Ask, *, pause: Pause, stage: Stage) -> ComposedSummary:
    """The summary of what goes and of all before it."""
    stage("extract")
    read, ask = _glean_in_time(house, ask, pause)
    stage("summarize")
    digest, by = _by_model(house, ask, read, pause)
    digest, struck = check_points(house, ask, digest, pause, read)
    scope = Scope(ask.agent.ref)
    now = house.clock.now()
    corrected = house.store.read(lambda r: corrected_points(r, scope, digest, now=now))
    ask = ask._replace(corrected=corrected)
    return render_summary(house, ask, digest, struck, by, pause=pause)._replace(spans=ask.spans)


def _glean_in_time(house: House, ask: Ask, pause: Pause) -> tuple[Digest, Ask]:
    """What was gleaned while there was time, and what it stands for: whole turns, the oldest first."""
    scope = Scope(ask.agent.ref)
    heard = house.store.read(lambda r: heard_before(r, scope, ask.thread, ask.spans))
    gleaner = _gleaner(house, ask, heard, pause)
    some = False
    for message in tellable_messages(house, scope, ask.thread, ask.spans, pause):
        if some and message.origin == "user" and ask.late():
            spans = spans_until(ask.spans, message.seq - 1)
            weight = house.store.read(
                lambda r, s=spans: sum(r.messages.weights(scope, ask.thread, *span) for span in s)
            )
            tokens = room(house, ask.agent, replaced=weight, before=ask.size)
            return gleaner.digest(), ask._replace(spans=spans, tokens=tokens)
        gleaner.read(message)
        some = True
    stays = remove_spans(ask.shown, ask.spans) if ask.meaning else ()
    beside = tellable_messages(house, scope, ask.thread, stays, pause)
    return close_answered(gleaner.digest(), beside, pause), ask


def spans_until(spans: Sequence[Span], last: int) -> list[Span]:
    """What of these runs lies up to there."""
    return [Span(first, min(end, last)) for first, end in spans if first <= last]


def glean(house: House, ask: Ask, pause: Pause) -> Digest:
    """What the plain distiller makes of the messages, on top of what is carried."""
    return _glean_in_time(house, ask, pause)[0]


def _gleaner(house: House, ask: Ask, heard: Message | None, pause: Pause) -> Gleaner:
    embed = embed_function(house, ask.late, pause, ask.vectors) if ask.meaning else None
    return Gleaner(ask.before, embed=embed, pause=pause, heard=heard)


class _Author(NamedTuple):
    """Who wrote the points, at what cost, and what went wrong."""

    name: str = PLAIN
    spent: Spend = NOTHING
    warnings: tuple[str, ...] = ()
    degraded: bool = False
    dropped: int = 0
    endings: Sequence[Ending] = ()


def _by_model(house: House, ask: Ask, digest: Digest, pause: Pause) -> tuple[Digest, _Author]:
    """The digest with points that a model wrote, where there is one and it can.

    A cap that is used up and a model that failed too often give way to the plain distiller. Any other
    failure is told, and the distillation waits for its next turn.
    """
    model = ask.distiller
    if model is None:
        return digest, _Author()
    if ask.failures >= GIVES_WAY:
        why = f"{model.name} failed {ask.failures} times in a row; {TOOK_OVER}"
        log.warning("a distillation of %s: %s", ask.agent.name, why)
        return digest, _Author(warnings=(why,), degraded=True)
    tokens = ask.tokens.share if isinstance(ask.tokens, Room) else ask.tokens
    from .known_memories import KnownMemories  # noqa: PLC0415 - only where a model distills

    held = [p for p in digest.points if p.pinned and p.bare not in ask.before.known()]
    known = KnownMemories(house, ask.agent, pause, held)
    material = Material(ask.before, digest, _passages(house, ask, pause), tokens, known)
    scope = Scope(ask.agent.ref)
    try:
        drafted = model.distill(material, pause=pause)
    except ModelFailed as failed:
        spend(house, scope, model.name, failed.spent)
        if failed.cause != "budget":
            raise
        why = f"{model.name}: {failed}; {TOOK_OVER}"
        log.warning("a distillation of %s: %s", ask.agent.name, why)
        return digest, _Author(spent=failed.spent, warnings=(why,), degraded=True)
    spend(house, scope, model.name, drafted.spent)
    pinned = [point for point in digest.points if point.pinned or point.kind == "tone"]
    written = settle_quotes([p for p in map(_clean, drafted.points) if p not in pinned], digest)
    told = digest._replace(points=(*pinned, *written))
    told = retire_points(told, [(known.shown[each.memory], each) for each in drafted.endings])
    return told, _author_of_draft(ask, model.name, drafted)


def _author_of_draft(ask: Ask, name: str, drafted: DraftResult) -> _Author:
    """A draft that broke off was joined with what the plain distiller made of the rest."""
    by = _Author(name, drafted.spent, dropped=drafted.dropped, endings=drafted.endings)
    if drafted.doubted:
        by = by._replace(warnings=(f"{name}: {drafted.doubted}; {NONE_BELIEVED}",))
    if not drafted.joined:
        return by
    why = f"{name} broke off ({drafted.joined}); {TOOK_OVER} for the rest"
    log.warning("a distillation of %s: %s", ask.agent.name, why)
    return by._replace(warnings=(*by.warnings, why), degraded=True)


def _clean(point: Point) -> Point:
    return point._replace(text=strip_secrets(point.text))


def _passages(house: House, ask: Ask, pause: Pause) -> Iterator[Passage]:
    """The messages as a model may see them: without secrets, and none of endless length."""
    messages = tellable_messages(house, Scope(ask.agent.ref), ask.thread, ask.spans, pause)
    for n, message in enumerate(messages, 1):
        text = clean(message.text or message.content, strip_secrets)[:LONGEST_PASSAGE]
        yield Passage(n, message.key, message.origin, speaker(message), message.at_ms, text)


def check_points(
    house: House, ask: Ask, digest: Digest, pause: Pause, read: Digest | None = None
) -> tuple[Digest, list[tuple[Point, str]]]:
    """The digest without new points that their sources do not bear out, and those, with the reason.

    `read`: what the plain distiller made of the same messages, where that is known.
    """
    known = ask.before.known()
    kept: list[Point] = []
    struck: list[tuple[Point, str]] = []
    for point in digest.points:
        known_one = point.bare in known or point.kind == "tone"
        held, why = (point, "") if known_one else _hold_point(house, ask, point, pause, read)
        if why:
            struck.append((point, why))
        else:
            kept.append(held)
        pause()
    return digest._replace(points=tuple(kept)), struck


def _hold_point(
    house: House, ask: Ask, point: Point, pause: Pause, read: Digest | None
) -> tuple[Point, str]:
    """The point, and why its sources do not bear it out; empty if they do."""
    places = [place_at(ask.thread, place_of(key)[1]) for key in point.sources]
    sources = house.store.read(lambda r: r.messages.placed(Scope(ask.agent.ref), places))
    with stepping_aside(pause):
        return hold_point(point, sources, read)


def render_summary(
    house: House,
    ask: Ask,
    digest: Digest,
    struck: Sequence[tuple[Point, str]],
    by: _Author | None = None,
    *,
    pause: Pause = nothing,
) -> ComposedSummary:
    """The digest as a summary, sentence by sentence."""
    by = by or _Author()

    def count(text: str) -> int:
        pause()
        return house.tokenizer.count(text)

    told, extra = _retell(digest, ask)
    with stepping_aside(pause):
        shown = render(
            told,
            number=ask.ordinal,
            tokens=ask.tokens,
            count=count,
            extra=extra,
            retold=ask.before_fork is not None,
        )
    return ComposedSummary(
        ask.before,
        digest,
        shown.text,
        shown.tokens + PER_MESSAGE,
        sentences_of(shown, struck),
        by.warnings,
        shown.dropped,
        len(struck) + by.dropped,
        by.name,
        by.degraded,
        by.spent,
        room=(_share_of(ask.tokens), most_room(house, ask.agent)),
        endings=by.endings,
    )


def _share_of(tokens: int | Room) -> int:
    return tokens if isinstance(tokens, int) else tokens.share


def _retell(digest: Digest, ask: Ask) -> tuple[Digest, Sequence[Point | Trace]]:
    """What is shown of the digest: as it was corrected since, and after a fork in other words. What is
    carried stays as it is."""
    digest = correct_digest(digest, ask.corrected)
    extra = correct_items(ask.extra, ask.corrected)
    if ask.before_fork is None:
        return digest, extra
    from everthread.domain.ending.retelling import retell_digest, retell_item  # noqa: PLC0415 - forms of speech, seldom needed

    told = (retell_item(item, ask.before_fork) for item in extra)
    return retell_digest(digest, ask.before_fork), [item for item in told if item is not None]


def sentences_of(shown: Summary, struck: Sequence[tuple[Point, str]]) -> list[Sentence]:
    """Every line that is shown with its sources, then what was struck and why."""
    items: list[Point | Trace] = [*shown.points, *shown.traces]
    told = [
        sentence(n, _section(item), line, sources, _verdict(item), shown=True)
        for n, (item, (line, sources)) in enumerate(zip(items, shown.lines, strict=True), 1)
    ]
    gone = [
        sentence(n, _section(point), point.text, point.sources, f"struck: {why}", shown=False)
        for n, (point, why) in enumerate(struck, len(told) + 1)
    ]
    return [*told, *gone]


def renumber(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The same, counted from one."""
    return [each._replace(n=n) for n, each in enumerate(sentences, 1)]


def _section(item: Point | Trace) -> str:
    return SECTIONS[item.section] if isinstance(item, Point) else "Evidence"


def _verdict(item: Point | Trace) -> str:
    if isinstance(item, Trace):
        return "evidence"
    return "verbatim" if item.verbatim else "supported"


def most_room(house: House, agent: AgentRow) -> int:
    """The tokens of a summary at most, by the agent's window and by the budget of its history.

    Scaled down alone, that of a window of 8,000 would have 160: no room for what a person decided. One
    that filled the budget would have it distilled again after the next words.
    """
    most = house.policy.summary_tokens
    if house.policy.history_budget:
        most = max(LEAST_ROOM, min(most, due_history(house.policy.history_budget) // 2))
    least = max(LEAST_ROOM, min(most, FLOOR, agent.window // SMALL_SHARE))
    return max(least, scale_budget(most, agent.window))


def room(house: House, agent: AgentRow, *, replaced: int, before: int) -> Room:
    """The room of a summary that stands for so many tokens, beside those of the one before.

    It grows by a share of what it replaces, and is not kept so small that it tells nothing. Rules and
    open requests come on top, as long as all of it is less than what was there: or nothing is gained.
    """
    most, whole = most_room(house, agent), before + replaced
    floor = max(
        min(scale_budget(FLOOR, agent.window), 2 * whole // 3), min(most, FLOOR, whole // 2)
    )
    share = min(most, max(LEAST_ROOM, floor, before + replaced // SHARE))
    return Room(share, max(share, min(2 * most, whole - PER_MESSAGE - 1)))
