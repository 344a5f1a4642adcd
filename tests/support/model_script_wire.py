"""How a scripted reply is written down in each protocol that a real client speaks."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from .model_usage import Usage, compact
from .model_wire import ANTHROPIC, CREATED, OPENAI, Answer, Failure, Say, ToolCall, fragments
from .shapes import Json


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model answers, and how large it says that the prompt was."""

    text: str = ""
    calls: Sequence[ToolCall] = ()
    tokens: int = 60

    def answer(self, model: str) -> Answer:
        prefix, unique = "call_", uuid.uuid4().hex[:20]
        calls = [
            replace(call, id=call.id or f"{prefix}{unique}{n:02d}")
            for n, call in enumerate(self.calls)
        ]
        usage = Usage(fresh=self.tokens, written=0, read=0, output=10)
        return Answer(unique, model, Say(self.text, calls=calls), usage)


@dataclass(frozen=True, slots=True)
class Wire:
    """One protocol: where the conversation stands in a request, and how an answer is written."""

    frames: Callable[[Answer, Json], Iterator[bytes]]
    body: Callable[[Answer], Json]
    error: Callable[[Failure], Json]
    history: Callable[[Json], list[Json]]
    ours: Callable[[Json], bool]
    """Whether an entry of the history was written by the model."""
    always_streams: bool = False
    tools: Callable[[Json], bool] = field(default=lambda body: bool(body.get("tools")))


Wires: TypeAlias = dict[str, Wire]


# ---- OpenAI Responses, as Codex speaks it


def _responses_usage(answer: Answer) -> Json:
    return {
        "input_tokens": answer.usage.prompt,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": answer.usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": answer.usage.prompt + answer.usage.output,
    }


def _responses_items(say: Say, unique: str) -> Iterator[Json]:
    if say.text:
        part = {"type": "output_text", "text": say.text, "annotations": []}
        yield {
            "type": "message",
            "id": f"msg_{unique}",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    for n, call in enumerate(say.calls):
        item = {"type": "function_call", "id": f"fc_{unique}{n}", "call_id": call.id}
        # A tool of an MCP server stands in the server's own namespace: "mcp__server/tool".
        space, _, name = call.name.rpartition("/")
        item |= {"name": name, "arguments": compact(call.input), "status": "completed"}
        yield item | ({"namespace": space} if space else {})


def _responses_body(answer: Answer) -> Json:
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": CREATED,
        "model": answer.model,
        "status": "completed",
        "output": [*_responses_items(answer.say, answer.id)],
        "usage": _responses_usage(answer),
    }


def _responses_frames(answer: Answer, body: Json) -> Iterator[bytes]:
    whole = _responses_body(answer)
    opening = whole | {"status": "in_progress", "output": [], "usage": None}
    yield _event("response.created", response=opening)
    for index, item in enumerate(whole["output"]):
        begun = item | {"status": "in_progress"} | ({"content": []} if "content" in item else {})
        yield _event("response.output_item.added", output_index=index, item=begun)
        for part in fragments(answer.say.text) if item["type"] == "message" else ():
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            yield _event("response.output_text.delta", delta=part, **place)
        yield _event("response.output_item.done", output_index=index, item=item)
    yield _event("response.completed", response=whole)


def _event(kind: str, **content: object) -> bytes:
    return f"event: {kind}\ndata: {compact({'type': kind, **content})}\n\n".encode()


# ---- Gemini


def _gemini_part(answer: Answer, parts: list[Json], *, last: bool) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
    if last:
        candidate["finishReason"] = "STOP"
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": answer.usage.prompt,
            "candidatesTokenCount": answer.usage.output,
            "totalTokenCount": answer.usage.prompt + answer.usage.output,
        },
        "modelVersion": answer.model,
        "responseId": answer.id,
    }


def _gemini_calls(say: Say) -> list[Json]:
    return [{"functionCall": {"name": call.name, "args": call.input}} for call in say.calls]


def _gemini_body(answer: Answer) -> Json:
    text = [{"text": answer.say.text}] if answer.say.text else []
    return _gemini_part(answer, [*text, *_gemini_calls(answer.say)], last=True)


def _gemini_frames(answer: Answer, body: Json) -> Iterator[bytes]:
    for part in fragments(answer.say.text):
        yield _data(_gemini_part(answer, [{"text": part}], last=False))
    yield _data(_gemini_part(answer, _gemini_calls(answer.say) or [{"text": ""}], last=True))


def _gemini_error(failure: Failure) -> Json:
    return {"error": {"code": failure.status, "message": failure.message, "status": failure.kind}}


def _data(content: Json) -> bytes:
    return f"data: {compact(content)}\n\n".encode()


# ---- the four


def _by_assistant(entry: Json) -> bool:
    return entry.get("role") == "assistant"


def _by_codex(entry: Json) -> bool:
    return entry.get("role") == "assistant" or entry.get("type") in {"function_call", "reasoning"}


CLAUDE = Wire(
    frames=ANTHROPIC.frames,
    body=ANTHROPIC.body,
    error=ANTHROPIC.error,
    history=lambda body: body["messages"],
    ours=_by_assistant,
)
CHAT = Wire(
    frames=OPENAI.frames,
    body=OPENAI.body,
    error=OPENAI.error,
    history=lambda body: body["messages"],
    ours=_by_assistant,
)
RESPONSES = Wire(
    frames=_responses_frames,
    body=_responses_body,
    error=OPENAI.error,
    history=lambda body: body["input"],
    ours=_by_codex,
)
GEMINI = Wire(
    frames=_gemini_frames,
    body=_gemini_body,
    error=_gemini_error,
    history=lambda body: body["contents"],
    ours=lambda entry: entry.get("role") == "model",
)


def wire_of(path: str) -> Wire | None:
    """The protocol that is spoken at this path."""
    route = path.partition("?")[0]
    if route.endswith(("generateContent", "streamGenerateContent")):
        return GEMINI
    ends = {"/messages": CLAUDE, "/chat/completions": CHAT, "/responses": RESPONSES}
    return next((wire for end, wire in ends.items() if route.endswith(end)), None)


def streamed(path: str, body: Json) -> bool:
    return "streamGenerateContent" in path or body.get("stream") is True
