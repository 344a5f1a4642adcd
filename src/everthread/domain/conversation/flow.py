"""History as one flow of blocks, each with the role that may say it.

In the flow every tool call is followed at once by its result: the real one, fetched from wherever
it was stored, or one that says the call was interrupted. A result whose call is out of sight is
told as the user's words, so that nothing is lost silently.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from .attachments import UNSHOWN
from .contents import compact, listing, mapping, text_block
from .encodable import sendable_blocks
from .messages import PRIVATE, WORDS, Block, Message, results_in
from .response_parts import known_blocks

OPENING = "(The conversation continues.)"
UNANSWERED = "(No result: the call was interrupted before its tool answered.)"
EARLIER = "(Result of an earlier tool call)"

_RENDERED = frozenset({"said", "summary"})
# What a block's kind says about who may send it; all others keep the role of their message.
_SPEAKERS = {
    **dict.fromkeys(("tool_result", "image", "document", "search_result"), "user"),
    **dict.fromkeys(("input_audio", "file"), "user"),
    **dict.fromkeys(("tool_use", "thinking", "redacted_thinking", "provider_fields"), "assistant"),
}
_SILENT = frozenset(
    {"text", "tool_result", *(k for k, role in _SPEAKERS.items() if role != "user")}
)
"""The kinds of which nothing is missing where they are left out: blank texts, results told elsewhere, and
what only an assistant says."""

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")
_SPEAKER_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")

Place = tuple[int, int]
"""Where a block was stored: the number of its message, and its number in it."""


class Dialect(NamedTuple):
    """What the flow must know about a provider."""

    block: Callable[[Block], Block | None]
    """The block as the provider may see it; None if it must not."""
    longest_id: int
    longest_tool: int
    knows_names: bool


class FlowBlock(NamedTuple):
    """One block of the flow, by whom, and the number of the stored message it came from."""

    role: str
    name: str | None
    source: int
    block: Block


class Pairs(NamedTuple):
    """Which result answers which call, and under which id the pair is shown."""

    ids: dict[Place, str]
    results: dict[Place, Block]
    answers: set[Place]


def open_calls(messages: Sequence[Message]) -> list[str]:
    """The ids of the tool calls that have no result, in order."""
    spoken = [message.blocks for message in messages if message.kind in _RENDERED]
    pairs = _pair_calls(spoken)
    return [str(spoken[m][n].get("id") or "") for m, n in pairs.ids if (m, n) not in pairs.results]


def flow_of(messages: Sequence[Message], dialect: Dialect) -> list[FlowBlock]:
    """All that was said, in an order and under ids that a provider takes."""
    heard = [message for message in messages if message.kind in _RENDERED]
    spoken = [known_blocks(sendable_blocks(message)) for message in heard]
    pairs = _pair_calls(spoken, longest=dialect.longest_id, turns=[m.turn_ref for m in heard])
    flow: list[FlowBlock] = []
    for n, message in enumerate(heard):
        blocks = [*_own_blocks(n, spoken[n], pairs, dialect, told=not _is_by_agent(message))]
        results = [*_results_of(n, len(spoken[n]), pairs, dialect)]
        flow += _in_order(n, message, blocks, results, dialect)
    return flow


def begin_with_user(flow: list[FlowBlock]) -> list[FlowBlock]:
    """Beginning with the user, as providers demand."""
    if flow and flow[0].role == "assistant":
        return [FlowBlock("user", None, -1, text_block(OPENING)), *flow]
    return flow


def group_by_speaker(flow: Iterable[FlowBlock]) -> list[list[FlowBlock]]:
    """Neighbours of one role and name belong to one message."""
    return [[*group] for _, group in groupby(flow, key=lambda said: (said.role, said.name))]


def newest_words(flow: Sequence[FlowBlock]) -> int:
    """The place of the user's newest words; -1 if there are none."""
    words = (n for n, s in enumerate(flow) if s.role == "user" and not any(results_in([s.block])))
    return max(words, default=-1)


def text_and_rest(result: Block) -> tuple[str, list[Block]]:
    """A tool result's words, and the pictures or documents beside them."""
    content = result.get("content")
    items = listing(content)
    if items is None:
        return _words(content), []
    blocks = mappings_in(items)
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") in WORDS]
    return "\n".join(texts), [block for block in blocks if block.get("type") not in WORDS]


def _words(content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return compact(content)


def mappings_in(items: Iterable[object]) -> list[Block]:
    return [block for item in items if (block := mapping(item)) is not None]


def private_fields(block: Block) -> dict[str, Any]:
    """What the block carries beside its provider-neutral form."""
    return mapping(block.get(PRIVATE)) or {}


# Pairing


def _pair_calls(
    spoken: Sequence[Sequence[Block]],
    *,
    longest: int = 64,
    turns: Sequence[int | None] | None = None,
) -> Pairs:
    """`turns`: the turn of each message. What comes only after another turn is no call's result any more.

    That turn was sent with the call as interrupted, and what was sent stays as it is.
    """
    pairs = Pairs({}, {}, set())
    waiting: dict[str, list[Place]] = {}
    names = _Names(longest)
    of = turns or [None] * len(spoken)
    for m, blocks in enumerate(spoken):
        for n, block in enumerate(blocks):
            if block.get("type") == "tool_use":
                called = str(block.get("id") or "")
                pairs.ids[m, n] = names.fresh(called)
                # Models that count their calls anew in every reply mean the newest one.
                same_reply = [place for place in waiting.get(called, ()) if place[0] == m]
                waiting[called] = [*same_reply, (m, n)]
            elif block.get("type") == "tool_result":
                asked = waiting.get(str(block.get("tool_use_id") or ""))
                if asked and not _is_late(of, asked[0][0], m):
                    pairs.results[asked.pop(0)] = block
                    pairs.answers.add((m, n))
    return pairs


def _is_late(turns: Sequence[int | None], called: int, answered: int) -> bool:
    """Was there another turn between the one of a call and the one of its result?"""
    own = {None, turns[called], turns[answered]}
    return turns[called] is not None and any(
        turn not in own for turn in turns[called + 1 : answered]
    )


class _Names:
    """Gives every call an id of its own: the first keeps its id, the second gets `-2`, …"""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        base = name = _safe(wanted, self._longest) or "call"
        count = self._counts.get(base, 1)
        while name in self._taken:
            count += 1
            ending = f"-{count}"
            name = base[: self._longest - len(ending)] + ending
        self._counts[base] = count
        self._taken.add(name)
        return name


def _safe(name: str, longest: int) -> str:
    return _UNSAFE.sub("_", name)[:longest]


# Telling


def _in_order(
    n: int, message: Message, blocks: list[Block], results: list[Block], dialect: Dialect
) -> list[FlowBlock]:
    name = message.name if message.role == "user" and message.kind == "said" else None
    if name and not (dialect.knows_names and _SPEAKER_NAME.fullmatch(name)):
        blocks, name = _with_speaker_name(blocks, name), None
    role = "assistant" if _is_by_agent(message) else "user"
    said = [FlowBlock(_speaker(block, role), name, n, block) for block in blocks]
    if not results:
        return said
    # Results stand right behind their calls, so whatever the user says comes after both.
    return [
        *(s for s in said if s.role == "assistant"),
        *(FlowBlock("user", None, n, result) for result in results),
        *(s for s in said if s.role == "user"),
    ]


def _is_by_agent(message: Message) -> bool:
    return message.role == "assistant" and message.kind == "said"


def _speaker(block: Block, role: str) -> str:
    kind = str(block.get("type"))
    return _SPEAKERS.get(kind) or ("assistant" if is_server_kind(kind) else role)


def is_server_kind(kind: str) -> bool:
    """Calls of tools that the provider runs itself, and their results: the assistant says both."""
    return kind.endswith(("_tool_use", "_tool_result"))


def _own_blocks(
    m: int, blocks: Sequence[Block], pairs: Pairs, dialect: Dialect, *, told: bool
) -> Iterator[Block]:
    for n, block in enumerate(blocks):
        if (m, n) in pairs.ids:
            tool = _safe(str(block.get("name") or ""), dialect.longest_tool) or "tool"
            shown = [{**block, "id": pairs.ids[m, n], "name": tool}]
        elif block.get("type") != "tool_result":
            shown = [block]
        else:
            shown = [] if (m, n) in pairs.answers else _earlier_result(block)
        yield from seen_by(dialect, shown, told=told)


def _results_of(m: int, length: int, pairs: Pairs, dialect: Dialect) -> Iterator[Block]:
    for place in ((m, n) for n in range(length)):
        if place in pairs.ids:
            result = pairs.results.get(place) or {
                "type": "tool_result",
                "content": UNANSWERED,
                "is_error": True,
            }
            yield from seen_by(dialect, [{**result, "tool_use_id": pairs.ids[place]}])


def seen_by(dialect: Dialect, blocks: Iterable[Block], *, told: bool = False) -> Iterator[Block]:
    """The blocks as the provider may see them; `told`: where something is left out, that is said."""
    for block in blocks:
        seen = dialect.block(block)
        if seen is not None:
            yield seen
        elif told and not _is_silent(str(block.get("type"))):
            yield text_block(UNSHOWN)


def _is_silent(kind: str) -> bool:
    return kind in _SILENT or is_server_kind(kind)


def _earlier_result(result: Block) -> list[Block]:
    text, rest = text_and_rest(result)
    return [text_block(f"{EARLIER}\n{text}"), *rest]


def _with_speaker_name(blocks: list[Block], name: str) -> list[Block]:
    """With the speaker's name before the first words, or before a picture that came without any."""
    for n, block in enumerate(blocks):
        if block.get("type") == "text":
            named = {**block, "text": f"{name}: {block['text']}"}
            return [*blocks[:n], named, *blocks[n + 1 :]]
    return [text_block(f"{name}:"), *blocks] if blocks else []
