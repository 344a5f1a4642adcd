"""What looks like a specific and tells nothing is not kept, and what tells something is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.text.specifics_noise import is_heading, is_path, one_name
from everthread.domain.text.specifics_reader import Reader, file_in


def found(text: str, kind: str, *, output: bool = False) -> list[str]:
    reader = Reader(output=output)
    reader.read(text)
    return [each.text for each in reader.found() if each.kind == kind]


@pytest.mark.parametrize("word", ["build", "any", "true", "run", "const", "status", "new_string"])
def test_a_plain_word_in_backticks_is_no_identifier(word: str):
    assert found(f"We pass `{word}` to the step.", "identifier") == []


@pytest.mark.parametrize("word", ["pino", "eslint", "max_retries", "useMemo", ".next", "--watch"])
def test_a_name_in_backticks_is_one(word: str):
    assert found(f"We pass `{word}` to the step.", "identifier") == [word]


@pytest.mark.parametrize(
    "heading",
    ["## How It Works", "**Why Conflict Resolution Matters**", "### Next Steps and Open Questions"],
)
def test_words_of_a_heading_are_no_names(heading: str):
    assert found(heading, "identifier") == []


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("We moved the queue to Cloud Tasks last week.", "Cloud Tasks"),
        ("the data now lives in Blob Storage", "Blob Storage"),
        ("Wir haben es gestern mit der Firma in Neu Ulm besprochen.", "Neu Ulm"),
    ],
)
def test_a_name_inside_a_sentence_is_one(sentence: str, name: str):
    assert name in found(sentence, "identifier")


@pytest.mark.parametrize(
    "sentence", ["the drugs come from Dr. Okonkwo", "we swim on Mondays", "I asked Mr. about it"]
)
def test_titles_alone_and_weekdays_name_nothing(sentence: str):
    named = [*found(sentence, "identifier"), *found(sentence, "person")]
    assert not {"Dr", "Mr", "Mondays"}.intersection(named)


def test_a_function_is_named_once_however_it_is_written():
    assert found("`unpatchAll()` calls `unpatchAll` again.", "identifier") == ["unpatchAll"]
    assert found("Then `find()` returns.", "identifier") == ["find()"]


@given(st.from_regex(r"[a-z]{2,8}(?:[A-Z][a-z]{2,8}|_[a-z]{2,8})?(?:\(\))?", fullmatch=True))
def test_one_name_is_the_name_with_or_without_its_brackets(text: str):
    name = one_name(text)
    assert name.removesuffix("()") == text.removesuffix("()")
    assert one_name(name) == name


@pytest.mark.parametrize(
    "word",
    ["new/changed/removed", "HTML/CSS/JavaScript", "dll/so/dylib", "/api/v1/orders", "/v2/items/7"],
)
def test_words_to_choose_from_and_routes_are_no_files(word: str):
    assert file_in(word) is None
    assert found(f"It handles {word} now.", "file") == []


@pytest.mark.parametrize(
    "word",
    [
        "src/orders/queue",
        "packages/logger/out/",
        "a/b/c.py",
        "/var/lib/orders",
        "my-app/orders/queue",
    ],
)
def test_folders_and_files_are(word: str):
    assert is_path(word, word.rpartition("/")[2]) or file_in(word) == word


def test_a_route_is_an_identifier():
    assert found("It answers at /api/v1/orders now.", "identifier") == ["/api/v1/orders"]


@pytest.mark.parametrize(
    "line",
    [
        "## 2. How orders are read",
        "**3. Prices**",
        "- 4) the queue",
        "143 packages are looking for funding",
    ],
)
def test_a_number_that_only_numbers_its_line_is_not_kept(line: str):
    assert found(line, "number") == []


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("12 orders were lost", "12"),
        ("Step by step 14 tests went green", "14"),
        ("Day 30 is the last one of the trial", "30"),
        ("Level 5 needs 300 points", "300"),
        ("- 250 ms for each call", "250"),
        ("the phase 3: it took 17 minutes", "17"),
    ],
)
def test_a_number_that_counts_something_is_kept(line: str, number: str):
    assert number in found(line, "number")


@pytest.mark.parametrize("word", ["git@github.com", "07.15.37@2x.png"])
def test_not_all_with_an_at_sign_is_a_person(word: str):
    assert found(f"see {word} for it", "person") == []
    assert found("ask mel@example.org for it", "person") == ["mel@example.org"]


@given(st.text(max_size=80))
def test_a_sentence_that_ends_is_no_heading(text: str):
    assert not is_heading(f"{text}.")
