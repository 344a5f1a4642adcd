"""How a person writes is read off her own words: not off what she pasted, nor off a command's prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.gleaning.digest import EMPTY, Digest, Point
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.message_text import typed_request
from everthread.domain.gleaning.tone import Tone, read_tone
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13")

LOG = "\n".join(f"[INFO] il server non è pronto per la prova numero {n} di oggi" for n in range(60))


def line(*texts: str, before: Digest = EMPTY) -> str:
    gleaner = Gleaner(before)
    for n, text in enumerate(texts):
        gleaner.read(spoken(text, "user", n=n))
    return next(p.text for p in gleaner.digest().points if p.kind == "tone")


def test_what_she_pasted_counts_neither_for_words_nor_for_the_language():
    said = [f"it still fails, can you look into that for me?\n\n{LOG}" for _ in range(5)]
    told = line(*said)
    assert "wrote 10 words on average, in English;" in told
    assert "100 % of them ask" in told


def test_what_was_only_pasted_tells_nothing_of_how_she_writes():
    """No line says that she wrote 0 words, in an unknown language."""
    tone = Tone()
    for n in range(5):
        tone = tone.heard("", spoken("word1 " * 900, n=n + 1))
    assert tone.point() is None
    for n in range(3):
        tone = tone.heard("Is this the one that you meant?", spoken("Is it?", n=n + 6))
    line = tone.point()
    assert line is not None
    assert line.text.startswith("Over 3 messages the user wrote 7 words on average, in English;")


def test_a_question_that_a_program_prints_is_not_hers():
    text = "[INFO] a\n[INFO] b\nDid you mean to import it?\n[INFO] c\n\nit happens on start"
    assert " 0 % of them ask" in line(*[text] * 4)


@pytest.mark.parametrize(
    "text",
    [
        "great. implement this",
        "good, now rename it",
        "Great! That works.",
        "this is great. now the list",
        "ok. that was good. next",
        "nice work",
        "perfect",
        "awesome and now the other one",
        "sehr gut, dann weiter",
        "très bien, on continue",
        "perfecto. ahora el otro",
        "很好，继续",
        "отлично, дальше",
        "hello there",
        "thanks for that",
    ],
)
def test_who_greets_thanks_or_praises_is_heard_to(text):
    assert "100 % greet, thank or praise" in line(*[text] * 3)


@pytest.mark.parametrize(
    "text",
    [
        "nice to have: a dark mode",
        "good care must be taken here",
        "the good old parser is slow",
        "well the parser is slow",
        "perfect numbers need a test",
        "is this good enough?",
        "this is not good.",
        "gut gemeinte Hinweise stören",
        "make the great table wider",
        "bien que lent, il marche",
    ],
)
def test_who_only_uses_such_a_word_praises_nothing(text):
    assert " 0 % greet, thank or praise" in line(*[text] * 3)


def test_a_line_of_an_earlier_version_is_carried_on():
    old = (
        "Over 4 messages the user wrote 10 words on average, in German; 50 % of them ask, 25 % greet or"
        " thank, 0 % are informal."
    )
    tone = read_tone(Point("tone", old, (b"0" * 16,), "system", 5, 0.5))
    assert (tone.messages, tone.words, tone.greeting, tone.language) == (4, 10, 0.25, "German")


@given(
    st.integers(3, 10**6), st.integers(0, 10**5),
    *[st.integers(0, 100)] * 3, st.sampled_from(["", "English", "German and Dutch"]),
)  # fmt: skip
def test_what_the_line_says_is_what_is_carried(
    messages, words, asking, greeting, informal, spoken_in
):
    shares = asking / 100, greeting / 100, informal / 100
    tone = Tone(messages, words, *shares, spoken_in, (b"0" * 16,), 7)
    assert read_tone(tone.point()) == tone


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("/code-review this branch against `dev`", "/code-review this branch against `dev`"),
        ("/ask how does the parser find its files", "how does the parser find its files"),
        ("/ask the parser is slow on big files", "the parser is slow on big files"),
        ("/review fix the names of the columns", "fix the names of the columns"),
        ("/undo", ""),
        ("/model large", ""),
        ("/clear\nFix the tests.", "Fix the tests."),
        ("/add src/beds.py\n/add src/pumps.py", ""),
        ("/add src/beds.py\nPlease tidy the beds up.", "Please tidy the beds up."),
        ("/model small/one-5\n/ask is the pump dry?", "is the pump dry?"),
        ("/ask why is it dry?  \nwhy is it dry?", "why is it dry?"),
        ("/ask why is it dry?\nI filled it", "why is it dry?\nI filled it"),
        ("fix the names", "fix the names"),
    ],
)
def test_a_command_is_the_verb_of_words_that_have_none(text, asked):
    assert typed_request(text) == asked


@pytest.mark.parametrize(
    ("text", "spoken_in"),
    [
        ("این صفحه کجاست؟ لطفا یک فیلتر برای نوع مشارکت اضافه کن.", "Persian"),
        ("أين هذه الصفحة؟ أضف مرشحا لها من فضلك.", "Arabic"),
        ("یہ صفحہ کہاں ہے؟ براہ کرم اس میں ایک فلٹر شامل کریں۔ ٹھیک ڈھونڈ کر لڑیں", "Urdu"),
        ("Де ця сторінка? Додай її, будь ласка, і перевір її ще раз.", "Ukrainian"),
        ("Где эта страница? Добавь её, пожалуйста.", "Russian"),
        ("איפה הדף הזה? תוסיף אותו בבקשה.", "Hebrew"),
    ],
)
def test_languages_that_share_a_script_are_told_apart(text: str, spoken_in: str) -> None:
    told = line(*[text] * 3)
    assert f"in {spoken_in};" in told
    assert "100 % of them ask" in told


def test_a_few_small_words_that_another_language_has_too_change_no_habit() -> None:
    said = ["quiero que la grilla muestre los precios de las bombas"] * 4
    assert "in Spanish;" in line(*said, "se le ve la columna sur")
    persian = ["لطفا یک فیلتر برای نوع مشارکت اضافه کن و ذخیره کن"] * 4
    assert "in Persian;" in line(*persian, "درست شد ممنون")
