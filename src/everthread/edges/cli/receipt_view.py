"""Receipts as people see them: a table, bars for what is left, sentences with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from everthread.domain.ids import short
from everthread.domain.jobs import BY_WORKER

from .base.terminal import (
    NARROW,
    USUAL,
    WIDE,
    Column,
    pairs,
    plural,
    shares,
    styled,
    table,
    time_text,
    trend,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from everthread.domain.distilling.continuity import KindScore, Score
    from everthread.domain.distilling.receipts import Receipt
    from everthread.services.distilling.itemize import ItemInWords
    from everthread.services.distilling.receipts import Shown

MOST_TOLD = 10
"""Scores in the trend that are told as figures."""

LATE = "?"
"""Marks a share of items that nobody asked for in time."""

MOST_NAMED = 4
MOST_LISTED = 20
"""Lost items that are listed unless all are asked for."""
LONGEST_ASKED = 120
UNTYPED = str.maketrans(dict.fromkeys('"$`\\!', " "))
"""Signs that a shell would take for its own."""

STYLES = {"ok": "green", "degraded": "yellow", "failed": "bold red", "undone": "dim"}
FLUSHED = {None: "none was due", True: "written", False: "not written yet"}


def receipts_table(
    found: Sequence[Receipt], keys: Mapping[int, str] | None = None
) -> RenderableType:
    """Receipts, one a line; `keys` tell of which thread each is, where they are of several."""
    columns = [
        Column("id", style="bold"),
        Column("no", room=NARROW, right=True),
        Column("at (UTC)", room=WIDE),
        Column("outcome"),
        Column("messages", room=NARROW, right=True),
        Column("tokens", room=NARROW, right=True),
        Column("kept/rec./lost %", right=True),
        Column("distiller", room=USUAL, folds=True),
    ]
    rows = [_row(each) for each in found]
    if keys is not None:
        columns.append(Column("thread", folds=True))
        rows = [[*row, keys.get(r.thread_ref, "–")] for row, r in zip(rows, found, strict=True)]
    return table(columns, rows)


def others_line(others: Mapping[str, int]) -> list[RenderableType]:
    """Of the threads that are not listed, how often they were distilled: one line for all of them."""
    if not others:
        return []
    most = sorted(others, key=lambda key: others[key], reverse=True)
    named = ", ".join(f"{key} {others[key]:,}" for key in most[:MOST_NAMED])
    more = f" and {len(most) - MOST_NAMED} more threads" if len(most) > MOST_NAMED else ""
    how = "; `everthread receipts --all` lists them"
    return ["", styled(("other threads: ", "dim"), (f"{named}{more}", ""), (how, "dim"))]


def _row(receipt: Receipt) -> list[str | Text]:
    return [
        short(receipt.key_id),
        "–" if receipt.number is None else f"{receipt.number:,}",
        time_text(receipt.closed_ms or receipt.opened_ms),
        styled((receipt.outcome, STYLES.get(receipt.outcome, ""))),
        _change(receipt.messages_before, receipt.messages_after),
        _change(receipt.tokens_before, receipt.tokens_after),
        "–" if receipt.score is None else _three(receipt.score),
        receipt.distiller,
    ]


def _change(before: int, after: int) -> str:
    return f"{before:,} → {after:,}"


def _three(score: Score) -> str:
    three = " / ".join(f"{100 * part:.0f}" for part in (score.kept, score.recoverable, score.lost))
    return f"{three} +{100 * score.unknown:.0f}{LATE}" if score.unprobed else three


def trend_line(found: Sequence[Receipt], threshold: float) -> list[RenderableType]:
    """How the scores of what is in force have gone, oldest first."""
    standing = [each.score for each in reversed(found) if each.standing]
    scores = [score for score in standing if score is not None]
    values = [score.held for score in scores]
    if not values:
        return []
    told = ", ".join(map(_held_text, scores[-MOST_TOLD:]))
    more = "… " if len(values) > MOST_TOLD else ""
    low = min(values)
    style = "bold red" if 100 * values[-1] < threshold else "green"
    return [
        "",
        styled(
            ("kept or recoverable, oldest first: ", "dim"),
            (f"{trend(values)} " if trend(values) else "", style),
            (f"{more}{told} %", ""),
            (f" (lowest {100 * low:.1f}, alarm below {threshold:g})", "dim"),
        ),
    ]


def _held_text(score: Score) -> str:
    return f"{100 * score.held:.0f}{LATE if score.unprobed else ''}"


def late_line(found: Sequence[Receipt]) -> list[RenderableType]:
    """What the sign says, where it stands."""
    late = any(each.score is not None and each.score.unprobed for each in found)
    told = f"{LATE} not asked for in time (score_seconds): neither found nor lost"
    return [styled((told, "dim"))] if late else []


def unscored_line(found: Sequence[Receipt]) -> list[RenderableType]:
    """Why some have no score, and who gives it to them."""
    count = sum(each.unscored for each in found)
    wait = "1 waits for its score" if count == 1 else f"{count:,} wait for their score"
    return [styled((f"{wait}: {BY_WORKER}", "dim"))] if count else []


def receipt_view(receipt: Receipt, thread: str) -> list[RenderableType]:
    """A receipt in short: how it ended, what it changed, and what is left."""
    head = styled(
        ("receipt ", "dim"),
        (short(receipt.key_id), "bold"),
        ("" if receipt.number is None else f"  number {receipt.number:,}", ""),
        (f"  {receipt.outcome}", STYLES.get(receipt.outcome, "")),
        (f"  {time_text(receipt.closed_ms or receipt.opened_ms)}  {thread}", "dim"),
    )
    rows: list[tuple[str, str | Text]] = [("why", _signals_text(receipt)), *_degraded_rows(receipt)]
    rows += _change_rows(receipt)
    if receipt.score is not None:
        rows += _score_rows(receipt.score)
    elif receipt.unscored:
        rows.append(("score", f"still to come: {BY_WORKER}"))
    rows += [("note", error) for error in receipt.errors]
    return [head, "", pairs(rows)]


def _signals_text(receipt: Receipt) -> str:
    from everthread.domain.distilling.triggers import HAND, FiredSignal

    told = [FiredSignal(**each) for each in receipt.fired]
    return ", ".join("by hand" if each.name == HAND else str(each) for each in told) or "–"


def _degraded_rows(receipt: Receipt) -> Iterator[tuple[str, str]]:
    """Why it is less than it might be; where a model failed, a note says how."""
    if receipt.outcome == "degraded" and any(each["name"] == "guard" for each in receipt.fired):
        yield "degraded", "there was no room for the next request: made at once, without a model"


def _change_rows(receipt: Receipt) -> Iterator[tuple[str, str]]:
    if not receipt.standing and receipt.outcome != "undone":
        yield "view", f"as it was: {plural(receipt.messages_before, 'message')}"
        return
    yield "messages", _change(receipt.messages_before, receipt.messages_after)
    saved = receipt.tokens_before - receipt.tokens_after
    percent = (
        f" ({100 * saved / receipt.tokens_before:.0f} % saved)" if receipt.tokens_before else ""
    )
    yield "tokens", f"{_change(receipt.tokens_before, receipt.tokens_after)}{percent}"


def score_view(score: Score) -> RenderableType:
    """What is kept, recoverable and lost, as bars: all of it, and by kind."""
    return pairs(list(_score_rows(score)))


def _score_rows(score: Score) -> Iterator[tuple[str, str | Text]]:
    """The whole, then each kind of thing that was looked for."""
    whole = f" kept {score.kept:.0%}, recoverable {score.recoverable:.0%}, lost {score.lost:.0%}"
    asked = f" of {plural(score.items, 'item')}"
    late = f", {score.unprobed:,} not asked for in time" if score.unprobed else ""
    bar = _bar(score.kept, score.recoverable, score.lost)
    yield "score", bar.append(whole.replace("%", " %")).append(f"{asked}{late}", "dim")
    for name, kind in score.by_kind.items():
        if kind.total:
            yield f"  {name}", _kind(kind)
    if score.second is not None:
        told = "still there if recall is asked only with the user's request of that time"
        yield "", f"{100 * score.second:.0f} % {told}"


def _kind(kind: KindScore) -> Text:
    total = kind.total
    bar = _bar(kind.kept / total, kind.recoverable / total, kind.lost / total)
    lost = (f", lost {kind.lost:,}", "red") if kind.lost else ("", "")
    told = f" kept {kind.kept:,}, recoverable {kind.recoverable:,}"
    return bar.append(told).append(*lost).append(f" of {total:,}", "dim")


def _bar(kept: float, recoverable: float, lost: float) -> Text:
    return shares([(kept, "green", "#"), (recoverable, "cyan", "="), (lost, "red", "-")])


def _room_reason(room: Sequence[int] | None) -> str:
    """Why a summary was no longer, though the window has more; older receipts do not know."""
    if not room:
        return ""
    had, most = room
    why = (
        "what the setting summary_tokens allows"
        if had >= most
        else "by the size of what it stands for"
    )
    return f"\na summary has {had:,} tokens here, {why}; `everthread recall` finds the rest"


def facts(shown: Shown, folder: str | None) -> Iterator[tuple[str, str]]:
    receipt = shown.receipt
    yield (
        "learnt",
        ", ".join(
            [
                plural(receipt.facts_extracted, "fact"),
                plural(receipt.decisions_extracted, "decision"),
                plural(receipt.open_items_extracted, "open item"),
            ]
        ),
    )
    if receipt.struck:
        yield "struck", f"{plural(receipt.struck, 'sentence')} that the messages do not bear out"
    yield "distiller", f"{receipt.distiller}, {_cost_text(receipt)}"
    yield "timings", _timings(receipt)
    yield "files", _flush(shown, folder)
    dropped = receipt.detail.get("dropped", {})
    if dropped:
        told = ", ".join(f"{count:,} of {_heading(name)}" for name, count in dropped.items())
        yield "no room for", f"{told}{_room_reason(receipt.detail.get('room'))}"
    if receipt.undone_ms is not None:
        yield "undone", time_text(receipt.undone_ms)
    purged = receipt.detail.get("purged")
    if purged:
        yield (
            "purged",
            f"{plural(purged['messages'], 'message')}, {purged['tokens']:,} tokens, "
            f"{time_text(purged['at_ms'])}, sealed {purged['hash'][:12]}",
        )


def _heading(name: str) -> str:
    """A section of the summary, or a kind of its evidence, as it is headed there."""
    from everthread.domain.gleaning.digest import SECTIONS, TRACES

    return SECTIONS.get(name) or TRACES.get(name, name)


def _cost_text(receipt: Receipt) -> str:
    spent: Mapping[str, Any] = receipt.detail.get("spent") or {}
    if not spent.get("calls"):
        return "no model was asked, cost 0"
    tokens = f"{spent['input_tokens']:,} tokens in, {spent['output_tokens']:,} out"
    return f"{plural(spent['calls'], 'call')}, {tokens}, ${spent['micros'] / 1_000_000:.4f}"


def _timings(receipt: Receipt) -> str:
    timings: Mapping[str, int] = receipt.detail.get("timings", {})
    if not timings:
        return "–"
    told = ", ".join(f"{stage} {took:,}" for stage, took in timings.items())
    # The score comes after the commit, at its own pace, and is not timed here.
    until = " until it held, then the score" if receipt.score is not None else ""
    return f"{told}: {sum(timings.values()):,} ms in all{until}"


def _flush(shown: Shown, folder: str | None) -> str:
    receipt = shown.receipt
    flushed = receipt.flush_succeeded
    told = FLUSHED[None if flushed is None else bool(flushed)]
    waiting = [each for each in shown.intents if each.state == "open"]
    if not waiting:
        return told
    where = [f"to be written to {folder}"] if folder else []
    if receipt.outcome in ("failed", "undone"):
        told, where = f"what it wrote, if it did, is to be taken out of {folder or 'them'}", []
    tried = [
        f"{plural(each.attempts, 'attempt')}: {each.error}" if each.error else "not tried yet"
        for each in waiting
    ]
    return "; ".join([told, *where, *dict.fromkeys(tried)])


def lost_views(
    shown: Shown, undo: str, threshold: float, *, every: bool
) -> Iterator[list[RenderableType]]:
    """What is lost, what matters most first; `undo` says whether that can be taken back."""
    if not shown.lost:
        return
    score = shown.receipt.score
    fine = score is not None and 100 * score.held >= threshold and not shown.receipt.lacks_rule
    limit = f"  within the {100 - threshold:g} % that may be lost" if fine else ""
    head = styled((f"Lost ({len(shown.lost):,})", "bold" if fine else "bold red"), (limit, "dim"))
    listed = shown.lost if every else shown.lost[:MOST_LISTED]
    yield ["", head, _items(listed)]
    if len(listed) < len(shown.lost):
        yield [styled((f"and {_more_text(shown.lost[MOST_LISTED:])}: --lost lists all", "dim"))]
    if undo:
        yield [styled((f"The messages are there: {undo}.", "dim"))]


def _more_text(items: Sequence[ItemInWords]) -> str:
    """How many more there are, and of which kinds."""
    kinds = [kind for kind, _ in groupby(items, key=lambda each: each.kind)]
    told = [f"{sum(each.kind == kind for each in items):,} {kind}" for kind in kinds]
    return f"{len(items):,} more ({', '.join(told)})"


def recoverable_views(shown: Shown, *, recoverable: bool) -> Iterator[list[RenderableType]]:
    """What one recall brings back; it is listed where it is asked for."""
    if not shown.recoverable:
        return
    yield ["", styled((f"Recoverable ({len(shown.recoverable):,})", "bold cyan"))]
    if recoverable:
        yield [_items(shown.recoverable, asked=True)]
    gone = sum(item.text is None for item in shown.recoverable)
    if gone:
        told = f"When it was scored; since then the messages of {gone:,} have gone, and nothing"
        yield [styled((f"{told} brings those back.", "dim"))]
    if gone == len(shown.recoverable):
        return
    if recoverable:
        yield [styled(('everthread recall "QUESTION" brings it back.', "dim"))]
    else:
        yield [styled(("One recall brings each of them back: --recoverable lists them.", "dim"))]


def _items(items: Sequence[ItemInWords], *, asked: bool = False) -> RenderableType:
    """What each is, the message it stood in, and how to ask for it."""
    columns = [Column("kind"), Column("item", folds=True), Column("source")]
    rows = [[item.kind, _item_text(item), item.source.replace("-", "")[-8:]] for item in items]
    if not asked:
        return table(columns, rows)
    questions = [_typable_question(item.ask or "") for item in items]
    wide = [[*row, question] for row, question in zip(rows, questions, strict=True)]
    return table([*columns, Column("question", folds=True)], wide)


def _item_text(item: ItemInWords) -> str | Text:
    if item.text is None:
        return styled((item.why, "dim"))
    if item.around is None or item.around == item.text:
        return item.text
    return styled((item.text, "bold"), (f"  {item.around}", ""))


def _typable_question(question: str) -> str:
    """A question as it can be typed between quotes."""
    plain = " ".join(question.translate(UNTYPED).split())
    return plain if len(plain) <= LONGEST_ASKED else plain[:LONGEST_ASKED].rsplit(" ", 1)[0]
