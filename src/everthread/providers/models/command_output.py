"""What a command printed: one object (`claude`), a line for each event (`codex`), or just text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from .calls import token_count

MICROS = 1_000_000
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_NO_USAGE: Mapping[str, Any] = {}


class CommandOutput(NamedTuple):
    text: str
    input_tokens: int = 0
    output_tokens: int = 0
    micros: int | None = None
    """What it says that it has cost; None where it does not say."""
    failed: bool = False
    """It says itself that it has failed."""


def read_output(output: str) -> CommandOutput:
    whole = _json(output)
    if isinstance(whole, list):
        found = _objects(cast("list[object]", whole))
        results = [each for each in found if each.get("type") == "result"]
        return _result(results[-1]) if results else CommandOutput(output)
    if isinstance(whole, dict):
        told = cast("Mapping[str, Any]", whole)
        return _result(told) if told.get("type") == "result" else CommandOutput(output)
    events = [*_objects(map(_json, output.splitlines()))]
    return _events(events) if any("type" in each for each in events) else CommandOutput(output)


def _result(told: Mapping[str, Any]) -> CommandOutput:
    counts = next(_objects([told.get("usage")]), _NO_USAGE)
    shaped = told.get("structured_output")
    cost = told.get("total_cost_usd")
    return CommandOutput(
        json.dumps(shaped) if isinstance(shaped, dict) else str(told.get("result") or ""),
        sum(token_count(counts.get(name)) for name in _READ),
        token_count(counts.get("output_tokens")),
        round(cost * MICROS) if isinstance(cost, int | float) and cost >= 0 else None,
        failed=told.get("is_error") is True,
    )


def _events(events: Iterable[Mapping[str, Any]]) -> CommandOutput:
    """The last message, the usage of all turns together, and whether one of them failed."""
    printed = CommandOutput("")
    for event in events:
        match event:
            case {"type": "item.completed", "item": {"type": "agent_message", "text": str(text)}}:
                printed = printed._replace(text=text)
            case {
                "type": "turn.completed",
                "usage": {"input_tokens": read, "output_tokens": wrote},
            }:
                printed = printed._replace(
                    input_tokens=printed.input_tokens + token_count(read),
                    output_tokens=printed.output_tokens + token_count(wrote),
                )
            case {"type": "turn.failed", "error": {"message": str(text)}}:
                printed = printed._replace(text=text, failed=True)
            case _:
                continue
    return printed


def _objects(values: Iterable[object]) -> Iterator[Mapping[str, Any]]:
    return (cast("Mapping[str, Any]", value) for value in values if isinstance(value, dict))


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
