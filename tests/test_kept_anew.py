"""A memory ends where the same is told anew in other words: by hand, in a talk, and in a later session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import everthread
from everthread import Agent
from everthread.domain.memory.contradictions import contradicts

pytestmark = pytest.mark.req("A-13")


@pytest.fixture
def ada() -> Iterator[Agent]:
    with everthread.connect("memory://", background=False) as et:
        yield et.agent("ada")


def _holding(agent: Agent) -> list[str]:
    return [m.text for m in agent.memories() if m.valid_to_ms is None]


PAIRS = [
    ("fact", "Our rent is 940 euros a month.", "The landlord put the rent up, we pay 1010 now."),
    ("fact", "I work at Brandt & Sons.", "My new employer is Helio Labs."),
    ("fact", "Die Halle kostet 900 Euro.", "Die Halle kostet jetzt 1100 Euro, nicht mehr 900."),
    ("rule", "Send me the report on Mondays.", "Thursday is better for the report from now on."),
    ("rule", "No emojis in the newsletter.", "Emojis in the newsletter would be nice from now on."),
    ("rule", "Ask me before you delete anything.", "Deleting without asking is all right from here on."),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "old", "new"), PAIRS)
def test_remembered(ada: Agent, kind: str, old: str, new: str) -> None:
    assert contradicts(new, old)
    ada.remember(old, kind=kind)
    ada.remember(new, kind=kind)
    assert _holding(ada) == [new]


@pytest.mark.parametrize(("old", "new"), [(old, new) for _, old, new in PAIRS])
def test_told_in_a_later_session(ada: Agent, old: str, new: str) -> None:
    for n, text in enumerate((old, new)):
        said = ("Good morning.", "Good morning.", text, "Noted.", "How far is the moon?", "Far.")
        roles = ("user", "assistant") * 3
        both = enumerate(zip(roles, said, strict=True))
        day = f"2025-03-{3 + 7 * n:02}T09"
        ada.record(
            [
                {"id": f"{n}.{i}", "role": r, "content": t, "at": f"{day}:0{i}:00+00:00"}
                for i, (r, t) in both
            ]
        )
        ada.conclude_session(ada.newest_session())
    assert old not in _holding(ada)
    assert new in _holding(ada)
