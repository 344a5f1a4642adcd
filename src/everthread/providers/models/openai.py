"""Any server that speaks OpenAI's Chat Completions: OpenAI, Ollama, vLLM, LM Studio, llama.cpp.

They differ in what they take. We ask for the strictest form first and step down where a server says
that it does not know it, and remember what worked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from everthread.domain.distilling.draft_reading import error_in_answer
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

URL = "https://api.openai.com/v1"
BUSY = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
STRANGERS = frozenset({401, 403})
UNKNOWN = frozenset({400, 422, 501})
"""What servers answer to a parameter that they do not know."""

STEPS = 5


@dataclass(frozen=True, slots=True)
class Manner:
    """How much a server understands."""

    form: int = 0
    """Which of `FORMS` the answer is asked in."""
    limit: str = "max_tokens"
    """What the limit of the answer is called."""
    counted: bool = True
    """Does it take the wish to hear of usage?"""


FORMS = ("json_schema", "json_object", None)
LIMITS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}


class OpenAi:
    """Fills `Model`."""

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        url: str = URL,
        seconds: float = 120.0,
        price: Price | None = None,
    ) -> None:
        self._model = model
        self._key = key.strip() if key else None
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._seconds = seconds
        self._price = price_of(model, price)
        # OpenAI's own newer models know the limit only by its newer name.
        self._own = url.startswith("https://api.openai.com")
        self._manner = Manner(limit="max_completion_tokens" if self._own else "max_tokens")

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    def price(self, input_tokens: int, output_tokens: int) -> int:
        return self._price.micros(input_tokens, output_tokens)

    def ask(self, prompt: Prompt, *, most: int, pause: Callable[[], None]) -> Reply:
        if self._own:
            must_have_key(self._key, "OPENAI_API_KEY")
        for _ in range(STEPS):
            asked = self._ask_once(prompt, most, pause)
            if isinstance(asked, Reply):
                return asked
            self._manner = asked
        raise CallFailed("refused", "the server took none of the forms that we know")

    def _ask_once(self, prompt: Prompt, most: int, pause: Callable[[], None]) -> Reply | Manner:
        """The reply, or a humbler manner to ask again in."""
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        heard = _StreamReader(self, prompt)
        asked = web().post_request(
            self._url, self._body(prompt, most), headers, seconds=self._seconds, pause=pause
        )
        with bill_failures(heard), asked as answer:
            if answer.status != OK:
                return self._refused(answer)
            heard.all(answer.events() if answer.streams else [self._body_of(answer)])
        return heard.reply(streamed=answer.streams)

    def _body_of(self, answer: Answer) -> Mapping[str, Any]:
        """What a server that does not stream says; a page of somebody else's is no answer."""
        text = answer.text()
        found: Mapping[str, Any] = web().read_object(text)
        if not found and text.strip():
            raise CallFailed("nonsense", quote_safely(f"no model's answer: {text}", self._key))
        return found

    def _body(self, prompt: Prompt, most: int) -> Mapping[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            self._manner.limit: most,
            "stream": True,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.text},
            ],
        }
        if self._manner.counted:
            body["stream_options"] = {"include_usage": True}
        form: dict[str, Any] = {"type": FORMS[self._manner.form]}
        if form["type"] == "json_schema":
            form["json_schema"] = {"name": "record", "strict": True, "schema": prompt.schema}
        return body if form["type"] is None else {**body, "response_format": form}

    def _refused(self, answer: Answer) -> Manner:
        text = answer.text()
        after = wait_of(answer.header("retry-after"))
        failed = self.failure(answer.status, text, after=after)
        humbler = _humbler_manner(self._manner, text) if answer.status in UNKNOWN else None
        if failed.cause != "refused" or humbler is None:
            raise failed
        return humbler

    def failure(self, status: int, text: str, *, after: float | None = None) -> CallFailed:
        """The failure that an error tells of."""
        detail = quote_safely(f"{status or ''} {text}".strip(), self._key)
        if status in STRANGERS:
            return CallFailed("auth", detail)
        if status in BUSY:
            # Who has no credit left is told so by the same status as who asks too often.
            again = "insufficient_quota" not in text
            return CallFailed("overloaded", detail, again=again, after=after)
        return CallFailed("refused", detail)


def _humbler_manner(manner: Manner, text: str) -> Manner | None:
    """What to try after this complaint; None where nothing is left or nothing would help."""
    told = error_in_answer(text[:600])
    if told is not None and "too long" in told[1]:
        return None
    if manner.limit in text and manner.limit in LIMITS and "nsupported" in text:
        return replace(manner, limit=LIMITS[manner.limit])
    if "stream_options" in text and manner.counted:
        return replace(manner, counted=False)
    return replace(manner, form=manner.form + 1) if manner.form + 1 < len(FORMS) else None


class _StreamReader:
    """Takes in a stream, or the one body of a server that does not stream."""

    def __init__(self, server: OpenAi, prompt: Prompt) -> None:
        self._server = server
        self._prompt = prompt
        self._parts: list[str] = []
        self._usage: Mapping[str, Any] = {}
        self._finish = ""
        self._declined = False
        self.began = False

    def all(self, events: Iterable[Mapping[str, Any]]) -> None:
        self.began = True
        for event in events:
            self._take(event)

    def reply(self, *, streamed: bool) -> Reply:
        if self._declined or self._finish == "content_filter":
            raise CallFailed("refused", "the model declined", spent=self.spent())
        if streamed and not self._finish:
            raise CallFailed("unreachable", "the answer broke off", spent=self.spent(), again=True)
        return Reply("".join(self._parts), self.spent())

    def _take(self, event: Mapping[str, Any]) -> None:
        if event.get("error"):
            raise self._server.failure(_status(event), str(event["error"]))
        if isinstance(event.get("usage"), dict):
            self._usage = cast("Mapping[str, Any]", event["usage"])
        choices = cast("list[Any]", event.get("choices") or [])
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):  # pyright: ignore[reportUnnecessaryIsInstance]
            self._choice(cast("Mapping[str, Any]", choices[0]))

    def _choice(self, choice: Mapping[str, Any]) -> None:
        said = cast("Mapping[str, Any]", choice.get("delta") or choice.get("message") or {})
        self._declined = self._declined or bool(said.get("refusal"))
        self._parts += _texts(said.get("content"))
        self._finish = str(choice.get("finish_reason") or self._finish)

    def spent(self) -> Spend:
        read = token_count(self._usage.get("prompt_tokens")) or self._prompt.tokens
        written = (
            token_count(self._usage.get("completion_tokens")) or sum(map(len, self._parts)) // 4
        )
        return Spend(1, read, written, self._server.price(read, written))


def _status(event: Mapping[str, Any]) -> int:
    """An error in mid-stream has no status of its own; some servers put one into the event."""
    error = event["error"]
    code = cast("Mapping[str, Any]", error).get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) else 503


def _texts(content: object) -> list[str]:
    """What is said in it: a text, or a list of parts, of which thoughts are none."""
    if isinstance(content, str):
        return [content]
    parts = cast("list[object]", content) if isinstance(content, list) else []
    said = (cast("Mapping[str, Any]", part).get("text") for part in parts if isinstance(part, dict))
    return [text for text in said if isinstance(text, str)]
