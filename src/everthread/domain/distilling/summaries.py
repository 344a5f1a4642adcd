"""A digest as the summary that the agent reads: sections, then the ledger, within its tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from everthread.domain.gleaning.digest import SECTIONS, TRACES, WORDS, Digest, Point, Trace

from .summaries_fit import Choice, Room, choose
from .summaries_lines import CLOSING, EVIDENCE, GROUPS, Style, opening, section_of, style_of

__all__ = ["Room", "Summary", "render"]

Count = Callable[[str], int]


class Summary(NamedTuple):
    """A summary, and what it shows."""

    text: str
    tokens: int
    points: tuple[Point, ...]
    """The points that are shown, in their order."""
    traces: tuple[Trace, ...]
    dropped: Mapping[str, int]
    """How many points of a section, and traces of a kind, found no room."""
    lines: tuple[tuple[str, tuple[bytes, ...]], ...]
    """Every line that shows a point or a trace, with its sources."""


def render(
    digest: Digest,
    *,
    number: int,
    tokens: int | Room,
    count: Count,
    extra: Sequence[Point | Trace] = (),
    retold: bool = False,
) -> Summary:
    """The summary of a digest in at most so many tokens; `extra` is shown right after what is pinned.

    A number is never passed. In a `Room`, what is pinned stands on top of the tokens for the rest.
    """
    if retold:
        # The parts were told in our words; so would the whole be, once more.
        digest = digest._replace(points=tuple(p for p in digest.points if p.kind != WORDS))
    style = style_of(digest)
    frame = [*opening(digest, number, retold=retold), CLOSING]
    around = sum(count(line + "\n") for line in frame)
    share, most = tokens if isinstance(tokens, Room) else Room(tokens, tokens)
    chosen = choose(digest, extra, Room(share - around, most - around), count, style)
    order = {item: n for n, item in enumerate((*digest.points, *digest.ledger, *extra))}
    chosen.sort(key=lambda c: (c.item.at_ms, order.get(c.item, -1)))
    while True:
        text = "\n".join([*frame[:-1], *_body(chosen, style), CLOSING])
        size = count(text)
        if size <= most or not chosen:
            break
        # Long texts are counted in part, so the sum of the lines may fall short of it.
        weakest = max(range(len(chosen)), key=lambda n: chosen[n].rank)
        del chosen[weakest]
    return _make_summary(text, size, chosen, (*digest.points, *digest.ledger))


def _body(chosen: Sequence[Choice], style: Style) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for choice in chosen:
        groups.setdefault(style.group(choice.item), []).append(choice.line)
    for section in SECTIONS:
        yield from _section_lines(section, groups, style)
    evidence = [line for group in GROUPS for line in _section_lines(group, groups, style)]
    if evidence:
        yield style.heading(EVIDENCE)
        yield from evidence


def _section_lines(name: str, groups: Mapping[str, list[str]], style: Style) -> list[str]:
    return [style.heading(name), *groups[name]] if name in groups else []


def _make_summary(
    text: str, size: int, chosen: Sequence[Choice], known: Sequence[Point | Trace]
) -> Summary:
    order = [*SECTIONS, *TRACES]
    shown = sorted(chosen, key=lambda c: order.index(section_of(c.item)))
    every = Counter(map(section_of, known))
    every.subtract(section_of(choice.item) for choice in shown)
    return Summary(
        text,
        size,
        tuple(c.item for c in shown if isinstance(c.item, Point)),
        tuple(c.item for c in shown if isinstance(c.item, Trace)),
        {name: left for name in order if (left := every[name]) > 0},
        tuple((c.line, c.item.sources) for c in shown),
    )
