"""Arguments from outside: of the right type, of a sane size, and such that every store can keep them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import TypeVar, cast

from .errors import BadInput

T = TypeVar("T")

LONGEST = 1_000
LONGEST_PATH = 4_096
MOST_ROWS = 1_000_000_000_000
SHOWN = 60
PREVIEW = 80


def checked_text(what: str, value: object, *, longest: int = LONGEST) -> str:
    """The text, if it is one that can be stored."""
    if not isinstance(value, str):
        raise BadInput(f"{what} must be text; got {_shorten(value)}")
    if not value.strip() or len(value) > longest:
        got = f"{len(value):,}: {_shorten(value)}" if value.strip() else _shorten(value)
        raise BadInput(f"{what} must have 1 to {longest:,} characters; got {got}")
    if not is_storable(value):
        raise BadInput(f"{what} holds characters that cannot be stored; got {_shorten(value)}")
    return value


def optional_text(what: str, value: object, *, longest: int = LONGEST) -> str | None:
    """The same, where nothing is fine too."""
    return None if value is None else checked_text(what, value, longest=longest)


def checked_whole(what: str, value: object, *, low: int = 0, high: int = MOST_ROWS) -> int:
    """The whole number, if it is one in that range."""
    if isinstance(value, float) and not isfinite(value):
        raise BadInput(f"{what} must be a whole number; got {value!r}")
    if isinstance(value, bool) or not isinstance(value, int | float) or int(value) != value:
        raise BadInput(f"{what} must be a whole number; got {_shorten(value)}")
    if not low <= value <= high:
        raise BadInput(f"{what} must be {low:,} to {high:,}; got {value!r}")
    return int(value)


def checked_limit(value: object, *, high: int = MOST_ROWS) -> int:
    """How many are asked for. None at all is asked for by mistake, and might be meant as all."""
    return checked_whole("limit", value, low=1, high=high)


def checked_several(what: str, value: Iterable[T]) -> Iterable[T]:
    """Several things. A text is not meant as its letters."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        # One thing, such as a memory, that happens to be a tuple of its fields.
        raise BadInput(f"{what}; got one {type(value).__name__}: put it in a list")
    if isinstance(value, list | tuple):
        return value  # as nearly all come; to ask about the others takes longer
    given = cast("object", value)
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise BadInput(f"{what}; got {_shorten(cast('object', given))}")
    return value


def checked_of(what: str, value: object, *kinds: type[T]) -> T:
    """A value of one of these very kinds, such as one that we gave out."""
    if not isinstance(value, kinds):
        meant = " or ".join(kind.__name__ for kind in kinds)
        raise BadInput(f"{what} must be of the kind {meant}; got {_shorten(value)}")
    return value


def is_storable(text: str) -> bool:
    """NUL is refused by one store and lone surrogates by both."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in text


def mend_text(text: str) -> str:
    """The text without what no store takes: NUL, and halves of a surrogate pair."""
    return pair_surrogates(text).replace("\0", "\N{REPLACEMENT CHARACTER}")


def pair_surrogates(text: str) -> str:
    """The text without halves of a surrogate pair: two that belong together are one character again."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def checked_number(what: str, value: object, *, high: float) -> float:
    """The number, if it is above zero and not above `high`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= high:
        raise BadInput(f"{what} must be above 0 and at most {high:,}; got {_shorten(value)}")
    return float(value)


def checked_system(value: object) -> None:
    """A system prompt: a text, or a list of text blocks."""
    if value is None or isinstance(value, str):
        return
    blocks = _as_list(value)
    if blocks is None or not all(_field(b, "text") and _field(b, "type") for b in blocks):
        raise BadInput(f"system must be a text or a list of text blocks; got {_shorten(value)}")


def checked_tools(value: object) -> None:
    """Tool definitions: a list, each with a name, in the form of either provider."""
    if value is None:
        return
    tools = _as_list(value)
    if tools is None or not all(_has_name(tool) for tool in tools):
        raise BadInput(f"tools must be a list of definitions, each named; got {_shorten(value)}")


def _as_list(value: object) -> list[object] | None:
    return list(cast("list[object]", value)) if isinstance(value, list | tuple) else None


def _has_name(tool: object) -> bool:
    return _field(tool, "name") or _field(_part(tool, "function"), "name")


def _part(block: object, name: str) -> object:
    return cast("Mapping[str, object]", block).get(name) if isinstance(block, Mapping) else None


def _field(block: object, name: str) -> bool:
    value = _part(block, name)
    return isinstance(value, str) and bool(value)


def shorten(text: str) -> str:
    """The beginning of a text on one line, for those who look at a value."""
    line = " ".join(text[: 4 * PREVIEW].split())
    return line if len(line) <= PREVIEW else f"{line[: PREVIEW - 1]}…"


def _shorten(value: object) -> str:
    """So that the end is seen where it was cut, at the end of a word if there is one."""
    if not isinstance(value, str):
        return f"{type(value).__name__} {value!r:.40}"
    if len(value) <= SHOWN:
        return repr(value)
    head = value[:SHOWN]
    return repr(f"{head[: head.rfind(' ')] if ' ' in head[SHOWN // 2 :] else head}…")
