"""What stands in fenced code is no sentence of anybody, wherever the text is cut and whatever is inside."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.text.code_fences import CodeFences
from everthread.domain.text.sentences import HEAD, TAIL, bound_text, stretches

pytestmark = pytest.mark.req("A-21")


def sentences(text: str) -> list[str]:
    return [text[place.start : place.end] for place in stretches(text)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One.\n```\ncode here.\n```\nTwo.", ["One.", "Two."]),
        (
            "One.\n```markdown\n# Doc\n```bash\nmake it\n```\nInside it.\n```\nTwo.",
            ["One.", "Two."],
        ),
        (
            "One.\n````markdown\nInside it.\n```\nmake it\n```\nStill inside.\n````\nTwo.",
            ["One.", "Two."],
        ),
        ("One.\n```python\nx\n```python\ny\n```\nTwo.", ["One.", "Two."]),
        ("One.\n~~~\nInside. ```\n~~~\nTwo.", ["One.", "Two."]),
        ("One.\n```python\nx\n``` that was it\nTwo.", ["One.", "Two."]),
        ("One.\n```python\nx\n```thanks\nTwo.", ["One.", "Two."]),
        ("One.\n```python\nx\n```text\nTwo.", ["One.", "Two."]),
        ("One.\n~~~\n```js\nx\n```\n~~~\nTwo.", ["One.", "Two."]),
        ("One.\n```" + " " * 9_000 + "`\nTwo.", ["One.", "Two."]),
        ("One.\n```print(1)``` is code.\nTwo.", ["One.", "Two."]),
    ],
)
def test_only_prose_is_read(text: str, said: list[str]) -> None:
    found = sentences(text)
    assert found[0] == said[0] and found[-1] == said[-1]
    assert not {"Inside it.", "Still inside.", "code here.", "make it"} & {*found}


@given(st.lists(st.sampled_from(["Words of prose here.", "kind: Pod", "- name: web"]), max_size=8))
def test_a_cut_through_code_turns_nothing_about(lines: list[str]) -> None:
    """Of a very long text both ends are read; a fence that lies across the cut is closed and opened there."""
    code = "\n".join(["apiVersion: v1", *lines, "name is inside the code now."] * 500)
    text = f"Before it stands this.\n```yaml\n{code}\n```\nAfter it comes that."
    assert len(text) > HEAD + TAIL
    bound = bound_text(text)
    assert sentences(bound) == ["Before it stands this.", "After it comes that."]


@given(st.lists(st.sampled_from(["```", "```py", "````md", "~~~", "words", "`x`"]), max_size=12))
def test_a_fence_is_never_prose(lines: list[str]) -> None:
    fences = CodeFences()
    for line in lines:
        before = fences.inside
        held = fences.hold(line)
        assert held or not before
        assert held or not line.startswith(("```", "~~~"))
