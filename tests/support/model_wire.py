"""The two protocols on the wire: what a reply looks like as one body, as a stream, as an error."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .legality import anthropic_problems, openai_problems
from .model_usage import Usage, compact
from .shapes import Json

CREATED = 1_767_225_600
FRAGMENT = 12
FINISH = {"tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model asks for a tool. Without an id the server makes one, new for every answer."""

    name: str
    input: Json = field(default_factory=dict[str, object])
    id: str = ""


@dataclass(frozen=True, slots=True)
class Say:
    """What the model answers: its thinking (Anthropic only), its text, its tool calls."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[ToolCall] = ()
    stop: str = ""
    refusal: str = ""
    """OpenAI only; at Anthropic a refusal is a reason to stop."""

    @property
    def stop_reason(self) -> str:
        return self.stop or ("tool_use" if self.calls else "end_turn")

    @property
    def texts(self) -> list[str]:
        """All that the model wrote, for counting."""
        asked = [text for call in self.calls for text in (call.name, compact(call.input))]
        return [self.thinking, self.text, self.refusal, *asked]


@dataclass(frozen=True, slots=True)
class Failure:
    """The provider answers with an error."""

    status: int
    kind: str
    message: str
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is known of one reply before it is written down in a protocol."""

    id: str
    model: str
    say: Say
    usage: Usage


@dataclass(frozen=True, slots=True)
class Dialect:
    """One provider's protocol."""

    problems: Callable[[Json], list[str]]
    body: Callable[[Answer], Json]
    frames: Callable[[Answer, Json], Iterator[bytes]]
    error: Callable[[Failure], Json]
    error_frame: Callable[[Failure], bytes]
    refusal: Callable[[dict[str, str]], Failure | None]
    caches_everything: bool
    call_prefix: str


def signature(thinking: str) -> str:
    """How this server signs a thought; a changed thought no longer fits its signature."""
    return base64.b64encode(hashlib.sha256(b"signed " + thinking.encode()).digest()).decode()


def fragments(text: str) -> Iterator[str]:
    for start in range(0, len(text), FRAGMENT):
        yield text[start : start + FRAGMENT]


# Anthropic


def _message(answer: Answer) -> Json:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": _blocks(answer.say),
        "stop_reason": answer.say.stop_reason,
        "stop_sequence": None,
        "usage": _claude_usage(answer.usage, output=answer.usage.output),
    }


def _blocks(say: Say) -> list[Json]:
    blocks: list[Json] = []
    if say.thinking:
        sealed = signature(say.thinking)
        blocks.append({"type": "thinking", "thinking": say.thinking, "signature": sealed})
    if say.text:
        blocks.append({"type": "text", "text": say.text, "citations": None})
    for call in say.calls:
        blocks.append({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input})
    return blocks


def _claude_usage(usage: Usage, *, output: int) -> Json:
    return {
        "input_tokens": usage.fresh,
        "cache_creation_input_tokens": usage.written,
        "cache_read_input_tokens": usage.read,
        "output_tokens": output,
    }


def _claude_frames(answer: Answer, body: Json) -> Iterator[bytes]:
    opening = _message(answer) | {"content": [], "stop_reason": None}
    opening["usage"] = _claude_usage(answer.usage, output=1)
    yield _event("message_start", message=opening)
    yield _event("ping")
    for index, block in enumerate(_blocks(answer.say)):
        empty, deltas = _split(block)
        yield _event("content_block_start", index=index, content_block=empty)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": answer.say.stop_reason, "stop_sequence": None}
    usage = _claude_usage(answer.usage, output=answer.usage.output)
    yield _event("message_delta", delta=end, usage=usage)
    yield _event("message_stop")


def _split(block: Json) -> tuple[Json, list[Json]]:
    """A block as a stream begins it, and the deltas that fill it."""
    if block["type"] == "text":
        deltas = [{"type": "text_delta", "text": part} for part in fragments(block["text"])]
        return block | {"text": ""}, deltas
    if block["type"] == "thinking":
        thought = fragments(block["thinking"])
        deltas = [{"type": "thinking_delta", "thinking": part} for part in thought]
        sealed = {"type": "signature_delta", "signature": block["signature"]}
        return block | {"thinking": "", "signature": ""}, [*deltas, sealed]
    # The real one opens a call with an empty piece of JSON, and sends nothing more for no input.
    pieces = ["", *(fragments(compact(block["input"])) if block["input"] else ())]
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block | {"input": {}}, deltas


def _event(kind: str, **content: object) -> bytes:
    return f"event: {kind}\ndata: {compact({'type': kind, **content})}\n\n".encode()


def _claude_error(failure: Failure) -> Json:
    return {"type": "error", "error": {"type": failure.kind, "message": failure.message}}


def _claude_error_frame(failure: Failure) -> bytes:
    return f"event: error\ndata: {compact(_claude_error(failure))}\n\n".encode()


def _claude_refusal(headers: dict[str, str]) -> Failure | None:
    if not (headers.get("x-api-key") or headers.get("authorization")):
        return Failure(401, "authentication_error", "x-api-key header is required")
    if not headers.get("anthropic-version"):
        return Failure(400, "invalid_request_error", "anthropic-version: header is required")
    return None


# OpenAI


def _completion(answer: Answer) -> Json:
    say = answer.say
    message: Json = {"role": "assistant", "content": say.text or None}
    message["refusal"] = say.refusal or None
    if say.calls:
        message["tool_calls"] = [_call(call) for call in say.calls]
    finish = FINISH.get(say.stop_reason, "stop")
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return _head(answer, "chat.completion") | {
        "choices": [choice],
        "usage": _openai_usage(answer),
    }


def _head(answer: Answer, kind: str) -> Json:
    head = {"id": f"chatcmpl-{answer.id}", "object": kind, "created": CREATED}
    return head | {"model": answer.model, "system_fingerprint": None}


def _call(call: ToolCall) -> Json:
    function = {"name": call.name, "arguments": compact(call.input)}
    return {"id": call.id, "type": "function", "function": function}


def _openai_usage(answer: Answer) -> Json:
    usage = answer.usage
    return {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "total_tokens": usage.prompt + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.read, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }


def _openai_frames(answer: Answer, body: Json) -> Iterator[bytes]:
    counted = bool((body.get("stream_options") or {}).get("include_usage"))
    head = _head(answer, "chat.completion.chunk") | ({"usage": None} if counted else {})
    for delta in _deltas(answer.say):
        yield _data(head | {"choices": [_choice(delta)]})
    finish = FINISH.get(answer.say.stop_reason, "stop")
    yield _data(head | {"choices": [_choice({}, finish)]})
    if counted:
        yield _data(head | {"choices": [], "usage": _openai_usage(answer)})
    yield b"data: [DONE]\n\n"


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def _deltas(say: Say) -> Iterator[Json]:
    yield {"role": "assistant", "content": None if say.calls and not say.text else ""}
    for part in fragments(say.text):
        yield {"content": part}
    for part in fragments(say.refusal):
        yield {"refusal": part}
    for index, call in enumerate(map(_call, say.calls)):
        arguments = call["function"]["arguments"]
        opening = call["function"] | {"arguments": ""}
        yield {"tool_calls": [call | {"index": index, "function": opening}]}
        for part in fragments(arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}


def _data(content: Json) -> bytes:
    return f"data: {compact(content)}\n\n".encode()


def _openai_error(failure: Failure) -> Json:
    place, _, rest = failure.message.partition(": ")
    param = place if rest and failure.status == 400 else None
    error = {"message": failure.message, "type": failure.kind, "param": param, "code": None}
    return {"error": error}


def _openai_error_frame(failure: Failure) -> bytes:
    return _data(_openai_error(failure))


def _openai_refusal(headers: dict[str, str]) -> Failure | None:
    if headers.get("authorization", "").startswith("Bearer "):
        return None
    return Failure(401, "invalid_request_error", "You didn't provide an API key.")


ANTHROPIC = Dialect(
    problems=anthropic_problems,
    body=_message,
    frames=_claude_frames,
    error=_claude_error,
    error_frame=_claude_error_frame,
    refusal=_claude_refusal,
    caches_everything=False,
    call_prefix="toolu_",
)
OPENAI = Dialect(
    problems=openai_problems,
    body=_completion,
    frames=_openai_frames,
    error=_openai_error,
    error_frame=_openai_error_frame,
    refusal=_openai_refusal,
    caches_everything=True,
    call_prefix="call_",
)
