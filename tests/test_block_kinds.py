"""Which content blocks are taken, from a user, in a record and in a reply.

Providers add kinds faster than anyone can list them: an unknown one is kept untouched. A slip of a known
one is refused, for it would be sent on with every later request and be refused there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import everthread
from everthread import Everthread
from everthread.domain.conversation.block_kinds import KINDS
from everthread.domain.errors import BlockInvalid
from support.http_server import serving

Json = dict[str, Any]

USE: Json = {"id": "t1", "name": "look", "input": {}}
SOURCE: Json = {"type": "base64", "media_type": "image/png", "data": "AA=="}

SENT_BY_PROVIDERS: list[Json] = [
    {"type": "text", "text": "Hello", "citations": None},
    {"type": "thinking", "thinking": "Hm.", "signature": "s"},
    {"type": "redacted_thinking", "data": "opaque"},
    {"type": "server_tool_use", **USE},
    {"type": "mcp_tool_use", **USE, "server_name": "files"},
    {"type": "web_search_tool_result", "tool_use_id": "t1", "content": []},
    {"type": "bash_code_execution_tool_result", "tool_use_id": "t1", "content": {}},
    {"type": "next_years_tool_result", "tool_use_id": "t1", "content": {}},
    {"type": "container_upload", "file_id": "file_1"},
    {"type": "compaction", "content": None},
    {"type": "image", "source": SOURCE},
    {"type": "document", "source": {"type": "text", "data": "x", "media_type": "text/plain"}},
    {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]},
    {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
    {"type": "file", "file": {"file_id": "file_1"}},
    {"type": "refusal", "refusal": "No."},
    {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
    {"type": "output_text", "text": "Hello", "annotations": []},
    {"type": "video", "source": SOURCE},
    {"type": "hologram", "waves": [1, 2], "inner": {"type": "txt"}},
]  # fmt: skip


@pytest.fixture
def et() -> Iterator[Everthread]:
    with everthread.connect("memory://", background=False) as et:
        yield et


@pytest.mark.parametrize("block", SENT_BY_PROVIDERS, ids=lambda block: block["type"])
def test_what_providers_send_is_kept_untouched(et: Everthread, block: Json) -> None:
    ada = et.agent("ada")
    hello = {"type": "text", "text": "Hello"}
    ada.record([
        {"role": "user", "content": [hello, block]},
        {"role": "assistant", "content": [hello, block]},
    ])  # fmt: skip
    ada.turn([hello, block]).failed()
    made_ours = block["type"] in ("refusal", "image_url")
    for message in ada.messages():
        kept = {name: value for name, value in message.blocks[-1].items() if name in block}
        assert made_ours or kept == block
    assert len(ada.messages()) == 3


WRONG: list[tuple[Json, str]] = [
    ({"type": "txt", "text": "hi"}, r"'txt'; did you mean 'text'\?"),
    ({"type": "Text", "text": "hi"}, r"'Text'; did you mean 'text'\?"),
    ({"type": "tetx", "text": "hi"}, r"did you mean 'text'\?"),
    ({"type": "texts", "text": "hi"}, r"did you mean 'text'\?"),
    ({"type": "string", "text": "hi"}, r"did you mean 'text'\?"),
    ({"type": "imgae", "source": SOURCE}, r"did you mean 'image'\?"),
    ({"type": "img", "source": SOURCE}, r"did you mean 'image'\?"),
    ({"type": "imageUrl", "image_url": "https://example.com"}, r"did you mean 'image_url'\?"),
    ({"type": "documnt", "source": SOURCE}, r"did you mean 'document'\?"),
    ({"type": "tool-use", **USE}, r"did you mean 'tool_use'\?"),
    ({"type": "tool_call", **USE}, r"a call of a tool is .*tool_use"),
    ({"type": "hologram"}, r"'hologram' holds nothing but its type"),
    ({"type": "hologram", "waves": [], "of": None}, r"holds nothing but its type"),
    ({"type": "text"}, r"a text block carries a text, not nothing"),
    ({"type": "image"}, r"needs 'source', as a dict"),
    ({"type": "file", "file": "file_1"}, r"needs 'file', as a dict"),
]


@pytest.mark.parametrize(("block", "says"), WRONG)
def test_a_block_that_no_provider_would_take_is_refused_before_it_is_stored(
    et: Everthread, block: Json, says: str
) -> None:
    ada = et.agent("ada")
    hello = {"role": "user", "content": "Hello"}
    with pytest.raises(BlockInvalid, match=says):
        ada.turn([block])
    for role in ("user", "assistant", "system"):
        with pytest.raises(BlockInvalid, match=f"entry 1: .*{says}.*; nothing was stored"):
            ada.record([hello, {"role": role, "content": [block]}])
    assert ada.messages() == []
    turn = ada.turn("Hello")
    with pytest.raises(BlockInvalid, match=says):
        turn.done([block])
    turn.done("Hello.")


def test_what_a_tool_showed_is_looked_at_too(et: Everthread) -> None:
    shown = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "txt", "text": "x"}]}
    with pytest.raises(BlockInvalid, match="did you mean 'text'"):
        et.agent("ada").record([{"role": "user", "content": [shown]}])


def test_a_tools_own_json_is_its_words_whatever_types_it_has(et: Everthread) -> None:
    ada = et.agent("ada")
    turn = ada.turn("Look.").add([{"type": "tool_use", **USE}])
    turn.tool_result("t1", {"type": "txt", "size": 5})
    turn.done("It has a size.")
    assert any('"txt"' in str(message.blocks) for message in ada.messages())


def test_no_known_kind_is_a_slip_of_another(et: Everthread) -> None:
    """Each is refused for what it lacks, if at all, and never for its name."""
    ada = et.agent("ada")
    for kind in sorted(KINDS):
        try:
            ada.record([{"role": "user", "content": [{"type": kind, "x": 1}]}])
        except ValueError as wrong:
            assert "did you mean" not in str(wrong)


def test_the_api_names_the_error(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server:
        server.engine.agent("ada")
        said = [{"type": "txt", "text": "hi"}]
        for path, body in (
            ("messages", {"entries": [{"role": "user", "content": said}]}),
            ("turns", {"content": said}),
        ):
            answer = server.post(f"/api/agents/ada/{path}", body)
            assert answer.status == 422 and "did you mean 'text'?" in answer.detail
            assert answer.json["type"] == "urn:everthread:error:BlockInvalid"
        assert server.engine.agent("ada").messages() == []
