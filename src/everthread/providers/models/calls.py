"""One call to a model, whoever answers it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple, Protocol, cast

from everthread.domain.distilling.drafts import NOTHING, Cause, ModelFailed, Spend
from everthread.domain.distilling.prompts import Prompt
from everthread.domain.redaction.secrets import strip_secrets

LONGEST_ANSWER = 4_000_000
"""Bytes; nobody who was asked for a page writes so many."""

LONGEST_DETAIL = 200
OK = 200
LONGEST_WAIT = 86_400.0
MOST_TOKENS = 1_000_000_000
INSTALL = "pip install 'everthread[models]'"


class Reply(NamedTuple):
    text: str
    spent: Spend


class Model(Protocol):
    @property
    def name(self) -> str:
        """For receipts; without secrets."""
        ...

    def price(self, input_tokens: int, output_tokens: int) -> int:
        """Millionths of a dollar; 0 where it is not known."""
        ...

    def ask(self, prompt: Prompt, *, most: int, pause: Callable[[], None]) -> Reply:
        """The answer, of at most so many tokens. Raises `CallFailed`, and what `pause` raises."""
        ...


class CallFailed(ModelFailed):
    """One call failed; another try may help if `again`, after so many seconds if it says so."""

    def __init__(
        self,
        cause: Cause,
        detail: str,
        *,
        spent: Spend | None = None,
        again: bool = False,
        after: float | None = None,
    ) -> None:
        super().__init__(cause, detail, Spend(calls=1) if spent is None else spent)
        self.again = again
        self.after = after


class AnswerReader(Protocol):
    """Who takes in an answer, and knows what it has cost so far."""

    began: bool

    def spent(self) -> Spend: ...


@contextmanager
def bill_failures(hearing: AnswerReader) -> Generator[None]:
    """A call that fails costs all the same, once the model has read the prompt."""
    try:
        yield
    except CallFailed as failed:
        if hearing.began or failed.cause == "timeout":
            failed.spent = hearing.spent()
        raise


def must_have_key(key: str | None, variable: str) -> None:
    """A vendor that answers nobody without a key is not asked, nor asked again."""
    if not key:
        detail = f"no key is set; set {variable} in the environment, or the setting distiller_key"
        raise CallFailed("auth", detail, spent=NOTHING)


def quote_safely(text: str, *secrets: str | None) -> str:
    """What somebody told us, fit to be shown: short, on one line and without secrets."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "…")
    line = " ".join(strip_secrets(text[: 20 * LONGEST_DETAIL]).split())
    return line if len(line) <= LONGEST_DETAIL else f"{line[: LONGEST_DETAIL - 1]}…"


def token_count(value: object) -> int:
    """How many tokens somebody says were used; 0 where it is no such number."""
    return value if isinstance(value, int) and 0 < value <= MOST_TOKENS else 0


def wait_of(header: str) -> float | None:
    """How many seconds a server asks us to wait; None where it does not say, or says a date."""
    try:
        seconds = float(header)
    except ValueError:
        return None
    return seconds if 0 <= seconds < LONGEST_WAIT else None


def web() -> Any:
    """The module `web`, loaded when it is first needed: its libraries are an extra."""
    try:
        return cast("Any", import_module(f"{__package__}.web"))
    except ImportError as missing:
        raise CallFailed("unreachable", f"{missing.name} is missing; {INSTALL}") from None
