"""Figures as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import items
from llm import HEADS
from llm import KINDS as LLM_KINDS


def llm(told: dict[str, Any]) -> list[str]:
    share = told["share of the input"]
    lines = [
        f"\n## In the summary alone, at the length of the LLM's own ({share:.1%} of the input)\n",
        _row("kept", [f"{h} ({told['items'][k]})" for k, h in zip(LLM_KINDS, HEADS, strict=True)]),
        _rule(len(HEADS)),
    ]
    for name, kept in told["kept"].items():
        floor = told["floor"][name]
        cells = [_beside(kept.get(kind), floor.get(kind)) for kind in LLM_KINDS]
        lines.append(_row(name, cells))
    return [*lines, "\nIn brackets the chance floor: items of another conversation."]


def ledger(told: dict[str, Any]) -> list[str]:
    kinds = [*items.KINDS, "all"]
    heads = [f"{kind} ({told['items'][kind]})" if kind in told["items"] else kind for kind in kinds]
    lines = ["\n## Ledger items after n distillations, ten to one"]
    figures = {
        "kept": "kept in the context alone; in brackets the chance floor, items of another conversation",
        "kept or recoverable": "kept, or in the first five hits of a recall with the item masked (R-16)",
        "by the request": "kept, or found by the request alone that led to it (second figure of R-16)",
    }
    for figure, about in figures.items():
        lines += [
            f"\n{about[0].upper()}{about[1:]}:\n",
            _row("method, n", heads),
            _rule(len(kinds)),
        ]
        for row in told["rows"]:
            shares = row["shares"]
            cells = [_share(shares.get(kind), figure) for kind in kinds]
            lines.append(_row(f"{row['method']}, {row['times']}", cells))
    return [*lines, *_compression(told["compression"])]


def gold(told: dict[str, Any]) -> list[str]:
    lines = list[str]()
    shares = {
        "view and recall": "view and recall",
        "view alone": "view alone",
        "floor": "floor of the view",
        "view and recall, prose": "view and recall, without code",
        "view alone, prose": "view alone, without code",
    }
    heads = [*shares.values(), "tokens of a view"]
    for name, own in told.items():
        lines += [
            f"\n## Gold evidence after ten distillations: {name}, {own['questions']} questions\n"
        ]
        lines += [_row("", heads), _rule(len(heads))]
        for method, tokens in own["tokens of the view"].items():
            found = (own.get(figure, {}).get(method) for figure in shares)
            cells = ["-" if share is None else f"{share:.1%}" for share in found]
            lines.append(_row(method, [*cells, f"{tokens:,.0f}"]))
    return lines


def speed(told: dict[str, Any]) -> list[str]:
    lines = [
        "\n## Speed of the plain distiller, without embeddings\n",
        _row("", ["figure"]),
        _rule(1),
    ]
    for part, own in told.items():
        for name, value in own.items():
            lines.append(_row(f"{part}: {name}", [_told(value)]))
    return lines


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_told(inner)}" for name, inner in value.items()) or "-"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 1000 else f"{value:,.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _share(shares: dict[str, float] | None, figure: str) -> str:
    if shares is None:
        return "-"
    return _beside(shares[figure], shares["floor"] if figure == "kept" else None)


def _compression(rows: Sequence[dict[str, Any]]) -> list[str]:
    if not rows:
        return []
    heads = ["tokens before", "tokens after", "ratio", "distillations", "struck"]
    lines = ["\n## Compression\n", _row("thread, n", heads), _rule(len(heads))]
    for row in rows:
        cells = [f"{row[head]:,.1f}" if head == "ratio" else f"{row[head]:,}" for head in heads]
        lines.append(_row(f"{row['thread']}, {row['times']}", cells))
    return lines


def _beside(share: float | None, floor: float | None) -> str:
    told = "-" if share is None else f"{share:.0%}"
    return f"{told} ({floor:.0%})" if floor is not None else told


def _row(name: str, cells: Sequence[str]) -> str:
    return f"| {name} | {' | '.join(cells)} |"


def _rule(columns: int) -> str:
    return "|---" * (columns + 1) + "|"
