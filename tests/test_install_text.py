"""Settings files are changed by the letter: what is not ours stays where it is."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everthread.edges.install.jsontext import Unreadable, parse
from everthread.edges.install.textedit import Misfit, Text
from support.chance import few
from support.installing import settings_texts, values, written

COMMENTED = """\
{
    // the model
    "model": "opus", // quick enough
    "hooks": {
        "Stop": [] /* none yet */
    },
}
"""


@settings(deadline=None)
@given(st.data(), values)
def test_any_json_is_read_as_everybody_reads_it(data: st.DataObject, value: object) -> None:
    text = data.draw(written(value))
    assert parse(text).value() == value


@given(st.text(max_size=30))
def test_what_is_strict_json_is_read_and_nothing_is_read_wrongly(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        return
    if text.strip(" \t\r\n") in ("NaN", "Infinity", "-Infinity"):
        return
    assert parse(text).value() == expected


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{", "line 1, column 2"),
        ('{"a" 1}', "line 1, column 6"),
        ('{"a": 1 "b": 2}', "comma"),
        ('{"a": 1}\n{}', "line 2"),
        ('{"a": nope}', "a value is missing"),
        ("[" * 300, "deep"),
        ('{"a": "\n"}', "value"),
        ("/* never ends", "value"),
    ],
)
def test_what_is_broken_is_told_with_its_place(text: str, where: str) -> None:
    with pytest.raises(Unreadable, match=where):
        parse(text)


def test_a_new_member_takes_the_indentation_of_its_neighbours() -> None:
    text = Text(COMMENTED)
    made = text.put(("mcpServers", "everthread"), {"command": "x"})
    assert made == [("mcpServers",)]
    assert text.text == COMMENTED.replace(
        "    },\n}",
        "    },\n"
        '    "mcpServers": {\n'
        '        "everthread": {\n'
        '            "command": "x"\n'
        "        }\n"
        "    },\n}",
    )
    text.drop(("mcpServers",))
    assert text.text == COMMENTED, "with the comma that its author put there"


@pytest.mark.parametrize(
    "text", ['{"a": 1,}', '{ "a": 1, "b": [2,], }', '{"a": 1, // one\n}', COMMENTED]
)
def test_a_comma_behind_the_last_one_outlives_us(text: str) -> None:
    changed = Text(text)
    changed.put(("plugins", "entries", "everthread"), {"enabled": True})
    changed.put(("more",), [1])
    changed.drop(("plugins",))
    changed.drop(("more",))
    assert changed.text == text


def test_a_comment_stays_with_the_line_that_it_explains() -> None:
    text = Text('{\n  "a": 1 // one\n}\n')
    text.put(("b",), 2)
    assert text.text == '{\n  "a": 1, // one\n  "b": 2\n}\n'
    text.drop(("b",))
    assert text.text == '{\n  "a": 1 // one\n}\n'


def test_a_text_on_one_line_stays_on_one_line() -> None:
    text = Text('{"a": 1, "b": [1]}')
    text.put(("c",), {"d": [True]})
    text.append(("b",), 2)
    assert text.text == '{"a": 1, "b": [1, 2], "c": {"d": [true]}}'


def test_windows_lines_stay_windows_lines() -> None:
    text = Text('{\r\n\t"a": {}\r\n}\r\n')
    text.put(("a", "b"), {"c": 1})
    assert text.text == '{\r\n\t"a": {\r\n\t\t"b": {\r\n\t\t\t"c": 1\r\n\t\t}\r\n\t}\r\n}\r\n'


def test_an_empty_file_becomes_an_object() -> None:
    for empty in ("", "\n", "\ufeff"):
        text = Text(empty)
        text.put(("a",), 1)
        assert json.loads(text.text) == {"a": 1}


def test_another_shape_than_expected_is_refused() -> None:
    for path, text in ((("a", "b"), '{"a": 1}'), (("a", "b"), '{"a": []}')):
        with pytest.raises(Misfit):
            Text(text).put(path, 1)
    with pytest.raises(Misfit):
        Text('{"a": {}}').append(("a",), 1)
    with pytest.raises(Unreadable):
        Text("[]")


def test_a_host_that_takes_json5_is_read_so() -> None:
    text = Text("{plugins: {allow: ['a'], n: +1, h: 0xff}, // c\n 'b': \"x\"}", loose=True)
    assert text.get(("plugins", "allow")) == ["a"]
    text.append(("plugins", "allow"), "everthread")
    text.put(("plugins", "entries"), {})
    assert text.text == (
        '{plugins: {allow: [\'a\', "everthread"], n: +1, h: 0xff, "entries": {}}, // c\n \'b\': "x"}'
    )
    with pytest.raises(Unreadable):
        Text("{plugins: 1}")


COMMENTS = ("/* one */", "/* two\n lines */", '// why, "so" {')


def comments(text: str) -> list[int]:
    """How often each of the comments stands in it."""
    return [text.count(comment) for comment in COMMENTS]


@pytest.mark.slow
@settings(max_examples=few(150), deadline=None)
@given(settings_texts(), st.sampled_from(["zz", "hooks", "model"]), values)
def test_putting_a_member_changes_nothing_else(
    sample: tuple[str, dict[str, object]], name: str, value: object
) -> None:
    before, document = sample
    text = Text(before)
    text.put((name,), value)
    assert text.root.value() == {**document, name: value}
    assert name in document or comments(text.text) == comments(before)


@pytest.mark.slow
@settings(max_examples=few(150), deadline=None)
@given(settings_texts(), st.data())
def test_what_was_put_can_be_dropped_and_the_rest_is_as_it_was(
    sample: tuple[str, dict[str, Any]], data: st.DataObject
) -> None:
    before, document = sample
    text = Text(before)
    text.put(("zz", "deep"), [1, {"a": 2}])
    assert text.has(("zz", "deep", 1, "a"))
    text.drop(("zz",))
    assert parse(text.text).shape() == parse(before).shape()
    assert comments(text.text) == comments(before)
    if document:
        name = data.draw(st.sampled_from(sorted(document)))
        text.drop((name,))
        left = {key: value for key, value in document.items() if key != name}
        assert text.root.value() == left
