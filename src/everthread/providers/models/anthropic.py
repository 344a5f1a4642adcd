"""Claude over Anthropic's Messages API: one forced tool call, streamed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from everthread.domain.distilling.drafts import Spend
from everthread.domain.distilling.prompts import Prompt

from .calls import (
    OK,
    CallFailed,
    Reply,
    bill_failures,
    must_have_key,
    quote_safely,
    token_count,
    wait_of,
    web,
)
from .prices import Price, price_of

if TYPE_CHECKING:
    from .web import Answer

URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
TOOL = "write_record"
BUSY = frozenset({429, 500, 502, 503, 504, 529})
BUSY_KINDS = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
STRANGERS = frozenset({401, 403})


class Claude:
    """Fills `Model`."""

    def __init__(
        self,
        model: str,
        key: str,
        *,
        url: str = URL,
        seconds: float = 120.0,
        price: Price | None = None,
    ) -> None:
        self._model = model
        self._key = key.strip()
        self._url = f"{url.rstrip('/').removesuffix('/v1')}/v1/messages"
        # A gateway may know us by other things.
        self._needs_key = url.startswith(URL)
        self._seconds = seconds
        self._price = price_of(model, price)

    @property
    def name(self) -> str:
        return f"anthropic:{self._model}"

    def price(self, input_tokens: int, output_tokens: int) -> int:
        return self._price.micros(input_tokens, output_tokens)

    def ask(self, prompt: Prompt, *, most: int, pause: Callable[[], None]) -> Reply:
        if self._needs_key:
            must_have_key(self._key, "ANTHROPIC_API_KEY")
        headers = {"x-api-key": self._key, "anthropic-version": VERSION}
        heard = _StreamReader(self, prompt)
        asked = web().post_request(
            self._url, self._body(prompt, most), headers, seconds=self._seconds, pause=pause
        )
        with bill_failures(heard), asked as answer:
            if answer.status != OK:
                raise self._failure(answer)
            heard.all(answer.events())
        return heard.reply()

    def _body(self, prompt: Prompt, most: int) -> Mapping[str, Any]:
        tool = {
            "name": TOOL,
            "description": "Write down the record of the messages.",
            "input_schema": prompt.schema,
        }
        return {
            "model": self._model,
            "max_tokens": most,
            "stream": True,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.text}],
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": TOOL},
        }

    def _failure(self, answer: Answer) -> CallFailed:
        return self.failure_of(
            answer.status, answer.body(), after=wait_of(answer.header("retry-after"))
        )

    def failure_of(
        self, status: int, body: Mapping[str, Any], *, after: float | None = None
    ) -> CallFailed:
        """The failure that an error tells of, by its status or its kind."""
        error = cast("Mapping[str, Any]", body.get("error") or {})
        kind, message = str(error.get("type", "")), str(error.get("message", ""))
        detail = quote_safely(f"{status or ''} {kind} {message}".strip(), self._key)
        if status in STRANGERS or kind in ("authentication_error", "permission_error"):
            return CallFailed("auth", detail)
        if status in BUSY or kind in BUSY_KINDS:
            return CallFailed("overloaded", detail, again=True, after=after)
        return CallFailed("refused", detail)


class _StreamReader:
    """Takes in a stream, event by event."""

    def __init__(self, claude: Claude, prompt: Prompt) -> None:
        self._claude = claude
        self._prompt = prompt
        self._parts: list[str] = []
        self._usage: dict[str, int] = {}
        self._stop = ""
        self._ended = False
        self.began = False

    def all(self, events: Iterable[Mapping[str, Any]]) -> None:
        self.began = True
        for event in events:
            self._take(event)

    def reply(self) -> Reply:
        text = "".join(self._parts)
        if self._stop == "refusal":
            raise CallFailed("refused", "the model declined", spent=self.spent())
        if not self._ended:
            raise CallFailed("unreachable", "the answer broke off", spent=self.spent(), again=True)
        return Reply(text, self.spent())

    def _take(self, event: Mapping[str, Any]) -> None:
        match event:
            case {"type": "message_start", "message": {"usage": usage}}:
                self._count(usage)
            case {"type": "content_block_delta", "delta": {"partial_json": str(part)}}:
                self._parts.append(part)
            case {"type": "content_block_delta", "delta": {"text": str(part)}}:
                self._parts.append(part)
            case {"type": "message_delta"}:
                self._count(event.get("usage"))
                delta = cast("Mapping[str, Any]", event.get("delta") or {})
                self._stop = str(delta.get("stop_reason") or "")
            case {"type": "message_stop"}:
                self._ended = True
            case {"type": "error"}:
                raise self._claude.failure_of(0, event)
            case _:
                return

    def _count(self, usage: object) -> None:
        if isinstance(usage, dict):
            told = cast("dict[str, Any]", usage)
            self._usage |= {name: n for name, n in told.items() if token_count(n)}

    def spent(self) -> Spend:
        parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        read = sum(self._usage.get(name, 0) for name in parts) or self._prompt.tokens
        written = max(self._usage.get("output_tokens", 0), sum(map(len, self._parts)) // 4)
        return Spend(1, read, written, self._claude.price(read, written))
