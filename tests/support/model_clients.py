"""The providers' own clients at the scripted server, and short words for what they send."""

from __future__ import annotations

from typing import Any

import anthropic
import openai

from .model_server import ModelServer, signature

MODEL = "claude-test"
TOOL = {"name": "look_up", "description": "Looks up.", "input_schema": {"type": "object"}}
FUNCTION = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
EPHEMERAL = {"type": "ephemeral"}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def use(name: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look_up", "input": {}, **more}


def result(name: str = "t1", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": "found", **more}


def thought(**more: Any) -> dict[str, Any]:
    return {"type": "thinking", "thinking": "hm", "signature": signature("hm"), **more}


def call(identity: str = "c1", **function: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "type": "function",
        "function": {"name": "look_up", "arguments": "{}", **function},
    }


def calling(*names: str) -> dict[str, Any]:
    return assistant(None) | {"tool_calls": [call(name) for name in names]}


def answer(name: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": name, "content": "found"}


def claude(server: ModelServer) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="test", base_url=server.url, max_retries=0)


def gpt(server: ModelServer) -> openai.OpenAI:
    return openai.OpenAI(api_key="test", base_url=server.url, max_retries=0)


def ask(server: ModelServer, messages: list[Any], **more: Any) -> Any:
    with claude(server) as client:
        return client.messages.create(model=MODEL, max_tokens=100, messages=messages, **more)


def chat(server: ModelServer, messages: list[Any], **more: Any) -> Any:
    with gpt(server) as client:
        return client.chat.completions.create(model="gpt-test", messages=messages, **more)


def stream_chat(server: ModelServer, messages: list[Any], **more: Any) -> list[Any]:
    with gpt(server) as client:
        create: Any = client.chat.completions.create
        return list(create(model="gpt-test", messages=messages, stream=True, **more))


def stream_ask(server: ModelServer, messages: list[Any]) -> list[Any]:
    with claude(server) as client:
        return list(
            client.messages.create(model=MODEL, max_tokens=9, messages=messages, stream=True)
        )
