"""A machine for installers: folders of its own, commands that are never run, and settings in any shape."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from everthread.edges.hooks.command import RUN
from everthread.edges.install.parts import Machine


def machine(root: Path, **changes: Any) -> Machine:
    """A machine below this folder."""
    home = root / "data"
    home.mkdir(parents=True, exist_ok=True)
    return Machine(
        environ=changes.pop("environ", {}),
        user=root,
        home=home,
        socket=home / "run" / "daemon.sock",
        hook=changes.pop("hook", hook_of(home)),
        limit=changes.pop("limit", lambda _event: 1_000),
        mcp=["/opt/python", "-I", "-m", "everthread.edges.mcp.bridge", str(home)],
        which=changes.pop("which", lambda _name: None),
        **changes,
    )


def hook_of(home: Path, python: str = "/opt/python") -> Callable[[str, str], list[str]]:
    def hook(harness: str, event: str) -> list[str]:
        return [python, "-I", "-S", "-c", RUN, str(home / "hooks" / "client.py"), harness, event]

    return hook


# ---- settings as people write them

_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
_names = st.one_of(
    st.sampled_from(["hooks", "Stop", "enabledPlugins", "mcpServers", "model", "mcp", "plugins"]),
    st.text(max_size=6),
)
values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_names, inner, max_size=4)
    ),
    max_leaves=12,
)

COMMENTS = ("", "", " ", "\n", "\n\n    ", ' // why, "so" {\n', "/* one */", " /* two\n lines */ ")


@st.composite
def written(draw: st.DrawFn, document: object, *, commented: bool = True) -> str:
    """A document as JSON with any blanks, comments and trailing commas."""
    gaps = st.sampled_from(COMMENTS if commented else ("", " ", "\n", "\n\t", "\r\n  "))

    def gap() -> str:
        return draw(gaps)

    def write(value: object) -> str:
        if isinstance(value, dict):
            members = [
                f"{gap()}{json.dumps(k)}{gap()}:{gap()}{write(v)}{gap()}" for k, v in value.items()
            ]
            return "{" + joined(members) + "}"
        if isinstance(value, list):
            return "[" + joined([f"{gap()}{write(each)}{gap()}" for each in value]) + "]"
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def joined(parts: list[str]) -> str:
        if not parts:
            return gap()
        extra = "," + gap() if commented and draw(st.booleans()) else ""
        return ",".join(parts) + extra

    return gap() + write(document) + gap()


@st.composite
def settings_texts(draw: st.DrawFn, *, commented: bool = True) -> tuple[str, dict[str, object]]:
    """A settings file, and what it says. Where a harness expects an object there is one."""
    document = draw(st.dictionaries(_names, values, max_size=5))
    for name in (
        "hooks",
        "enabledPlugins",
        "extraKnownMarketplaces",
        "mcpServers",
        "mcp",
        "plugins",
    ):
        if name in document:
            document[name] = draw(st.dictionaries(st.text(max_size=4), st.just([]), max_size=2))
    return draw(written(document, commented=commented)), document
