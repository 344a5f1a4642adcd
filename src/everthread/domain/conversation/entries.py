"""The keys of an entry that `record` takes. One that nobody reads is refused, not passed over.

Only the entry's own keys are meant: what stands inside its content belongs to whoever wrote it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from everthread.domain.errors import EntryKeyUnknown

from .replies import BESIDE_TEXT

OWN = ("role", "content", "id", "at", "name", "principal", "origin", "tool_calls", "tool_call_id")
"""What an entry says about itself, as an error names it."""
_ABOUT_THE_CALL = (
    *("type", "model", "usage", "stop_reason", "stop_sequence", "stop_details", "container"),
    *("context_management", "diagnostics", "input_transformations", "parsed", "status", "phase"),
)
"""What providers put beside a message when it is dumped whole. It is no part of what was said."""
KNOWN = frozenset({*OWN, *BESIDE_TEXT, *_ABOUT_THE_CALL})

_MEANT = {
    "at": (
        "timestamp time date datetime ts created created_at createdat created_time sent_at sentat "
        "said_at when updated_at"
    ),
    "content": "text message msg body value parts prompt completion response",
    "name": "sender author speaker from user username user_name who",
    "role": "author_role speaker_role from_role",
    "id": "message_id messageid msg_id uuid external_id external_ref",
    "principal": "principal_id user_id userid person",
    "tool_call_id": "tool_use_id tool_call call_id",
    "tool_calls": "tools calls tool_use tool_uses",
}
_OTHER_WORDS = {word: key for key, words in _MEANT.items() for word in words.split()}
_LOST = frozenset({"id", "at", "name"})
"""What an import cannot do without if the file has it by another name."""
LONGEST_SHOWN = 60


def check_keys(entries: Sequence[Mapping[str, Any]]) -> None:
    """Refuse the first entry that has a key which nobody reads."""
    for n, entry in enumerate(entries):
        if isinstance(entry, (dict, Mapping)) and not KNOWN.issuperset(entry):  # pyright: ignore[reportUnnecessaryIsInstance] - from outside
            raise EntryKeyUnknown(
                f"entry {n}: {_key_hint(next(key for key in entry if key not in KNOWN))} "
                f"An entry has {', '.join(OWN)}; nothing was stored"
            )


def misnamed_keys(row: Mapping[str, Any], *also: str) -> str:
    """What a message from an older system calls by another name, told; empty if nothing.

    Such a message may have keys of its own. Told is only what we would lose.
    """
    for key in row:
        meant = None if key in KNOWN or key in also else _OTHER_WORDS.get(key.lower())
        if meant in _LOST and meant not in row:
            return _key_hint(key)
    return ""


def _key_hint(key: object) -> str:
    """The key and the one that was probably meant, as a sentence."""
    shown = repr(key)
    shown = shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}…"
    nearest = _nearest(key.lower(), OWN) if isinstance(key, str) else None
    meant = f"; did you mean {nearest!r}?" if nearest else "."
    return f"unknown key {shown}{meant}"


def _nearest(key: str, known: Collection[str]) -> str | None:
    if key in known:
        return key
    if key in _OTHER_WORDS:
        return _OTHER_WORDS[key]
    from difflib import get_close_matches  # noqa: PLC0415 - only where something is wrong

    close = get_close_matches(key[:LONGEST_SHOWN], _all_keys(known), 1, 0.6)
    return _OTHER_WORDS.get(close[0], close[0]) if close else None


def _all_keys(known: Iterable[str]) -> list[str]:
    return [*known, *_OTHER_WORDS]
