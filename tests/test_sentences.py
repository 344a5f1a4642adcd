"""What counts as said: sentences, one word included; data and what was only pasted do not."""

from __future__ import annotations

import time

import pytest

from everthread.domain.gleaning.message_text import own_words
from everthread.domain.text.fences import flatten
from everthread.domain.text.pasted_text import blank_out, pasted_ranges
from everthread.domain.text.sentences import bound_text, stretches
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")


def said(text: str, *, own: bool = True) -> list[str]:
    text = bound_text(text)
    return [flatten(text[place.start : place.end]) for place in stretches(text, own=own)]


# One word


@pytest.mark.parametrize(
    "word",
    [
        "Done.",
        "Yes.",
        "Rome.",
        "Thanks.",
        "Stop!",
        "42.",
        "Fertig.",
        "好了。",
        "✅",
        "👍",
        "ALL_CLEAR",
        "main.py",
        "src/app.py",
        "ok then.",
        "No.",
    ],
)
def test_a_message_of_one_word_is_heard(word):
    assert said(word) == [word]


@pytest.mark.parametrize(
    "line",
    [
        "Done.",
        "Rome.",
        "ok, let us take the second.",
        "$500 is the limit.",
        "http://localhost:8000 is down again.",
        "localhost:8000 is down again.",
        "@kim please look at it.",
        "FAILED again.",
    ],
)
def test_a_line_of_words_is_a_sentence_beside_others(line):
    assert said(f"I looked.\n\n{line}") == ["I looked.", line]


@pytest.mark.parametrize(
    "line",
    [
        "main.py",
        "main.py.",
        "src/app.py",
        "some_name",
        "a.b.c",
        "orders/:1489 Filtered: 1 record of 20",
        "index.js:12 Uncaught in promise",
        "src/App.tsx:40:7 Warning of the renderer",
        "ok  \tpkg/x\t0.01s",
        "ok 1 - reads",
        "$ make",
        "@cached(4)",
        "@wraps",
        "FAILED tests/a.py",
        "...",
    ],
)
def test_a_name_or_a_line_of_output_is_none(line):
    assert said(f"I looked.\n\n{line}") == ["I looked."]


@pytest.mark.parametrize("text", ["", " \n", "...", "---", "x" * 70, "?"])
def test_signs_alone_say_nothing(text):
    assert said(text) == []


# Where sentences end


@pytest.mark.parametrize(
    "sentence",
    [
        "Always call me Mr. Smith.",
        "Meet Dr. Weber at St. Mary on Monday.",
        "Am 3. März essen wir.",
        "Der 2. Versuch gelang.",
        "Termin: 3. Mai um acht.",
        "Take photo no. 182 of it.",
        "Use e.g. Paris for it.",
        "On Dec. 5 we go.",
        "Seit dem 12. Oktober ist zu.",
        "Ask Mrs. Ivy and Prof. Oak.",
    ],
)
def test_titles_dates_and_short_forms_do_not_end_a_sentence(sentence):
    assert said(f"{sentence} Then rest.") == [sentence, "Then rest."]


@pytest.mark.parametrize(
    "first", ["I said no.", "There are 3.", "We meet in May.", "It costs 20.", "Tea, milk, etc."]
)
def test_the_same_words_can_end_one(first):
    assert said(f"{first} We stay.") == [first, "We stay."]


@pytest.mark.parametrize("marks", ['""', "“”", "«»", "„“"])
def test_a_quotation_is_part_of_its_sentence(marks):
    quoting = f"The page says {marks[0]}Run as root. Never ask.{marks[1]}"
    assert said(f"{quoting} What is that?") == [quoting, "What is that?"]


def test_a_sign_of_inches_quotes_nothing():
    text = 'It is 5" wide. Cut it. Then 6" high.'
    assert said(text) == ['It is 5" wide.', "Cut it.", 'Then 6" high.']


# What is pasted

RULE = "Never lock the gate."


@pytest.mark.parametrize(
    "text",
    [
        f'I found this:\n"""\n{RULE}\n"""\nWhat now?',
        f"Look at '''{RULE}''' and tell me.\nWhat now?",
        f"<document>\n{RULE}\n</document>\nWhat now?",
        f'<page title="x">{RULE}</page>\nWhat now?',
        f"He told me: “Hello,\n{RULE}”\nWhat now?",
        f'She says: "Hello,\n{RULE}"\nWhat now?',
        f"What does it do?\n\n    # Restart first\n    # {RULE}\n\nWhat now?",
    ],
)
@pytest.mark.parametrize("own", [True, False])
def test_marks_show_what_is_pasted_in_any_text(text, own):
    heard = said(text, own=own)
    assert not any("gate" in each for each in heard)
    assert any(each.endswith(("What now?", "and tell me.", "it do?")) for each in heard)


@pytest.mark.parametrize(
    "lead",
    [
        "Summarize this article:",
        "Please proofread my text:",
        "Can you translate this into German:",
        "From the README:",
        "I found this on a website:",
        "Here is the mail I got:",
        "Reply to this mail:",
        "What do you think of this:",
        "Lee wrote:",
        "The manual says:",
        "Here's our chat:",
        "Bitte übersetze diesen Text:",
        "Résume ce texte :",
        "I got this letter from the bank, is it real:",
        "Rephrase:",
        "Hi there! Please summarize the following:",
    ],
)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_what_a_person_leads_over_to_is_not_her_own(lead, gap):
    heard = said(f"{lead}{gap}Dear all, the house is old.\n\n{RULE} Please burn it.\nBest, Ann")
    assert heard
    assert not any("gate" in each or "house" in each or "burn" in each for each in heard)


def test_a_pasted_list_ends_with_its_items():
    text = f"From the README:\n\n- Wash it\n  twice\n\n- {RULE}\n\nAlways use tabs."
    assert said(text) == ["From the README:", "Always use tabs."]


@pytest.mark.parametrize(
    "last", ["Is that fine?", "Tell him yes.", "I doubt it. What should I say?"]
)
def test_after_it_a_person_speaks_again(last):
    text = f"Reply to this mail:\n\nHi Kim,\n{RULE}\nThanks, Lee\n\n{last}"
    assert " ".join(said(text)) == f"Reply to this mail: {last}"
    places = stretches(text, own=True)
    assert [place.apart for place in places[:2]] == [False, True]


@pytest.mark.parametrize("rule", [RULE, "Do not follow the crowd.", "Always wash it."])
def test_a_rule_at_the_end_of_what_was_pasted_stays_pasted(rule):
    text = f"Summarize this article:\n\nThe house is old.\n\n{rule}"
    assert said(text) == ["Summarize this article:"]


def test_a_section_ends_where_the_next_begins():
    text = f"Here is the page:\nPAGE:\nThe house is old.\n{RULE}\n\nMY WISH:\nAlways use tabs."
    assert said(text)[-1].endswith("Always use tabs.")
    assert not any("gate" in each for each in said(text))


def test_on_one_line_it_ends_with_the_line():
    text = f"Please proofread my text: Dear all, the house is old. {RULE}\n\nAlways use tabs."
    assert said(text) == ["Please proofread my text:", "Always use tabs."]


def test_a_long_text_below_a_request_is_what_it_is_about():
    assert said("Can you summarize this?\n\n" + f"The house is old. {RULE} " * 9) == [
        "Can you summarize this?"
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"Please follow these rules:\n\nBe kind.\n\n{RULE}",
        f"Rules for this house:\n- Be kind\n- {RULE}",
        f"From now on:\n- be kind\n- {RULE}",
        f"Here is what I want:\n- be kind\n- {RULE}",
        f"Here is the plan:\n1. Paint it\n2. {RULE}",
        f"Implement the following:\n- be kind\n- {RULE}",
        f"Check the page:\n- the links\n- {RULE}",
        f"I found these bugs:\n- it is slow\n\n{RULE}",
        f"As I said:\n{RULE}",
        f"Here is the text of the task:\n\nPaint it.\n\n{RULE}",
        f"Can you translate this?\n\n{RULE}",
        f"Rewrite the function: {RULE}",
        f"Translate the menu: {RULE}",
        f"Review this code:\n```\nx = 1\n```\n{RULE}",
        f"Summarize this:\n> Old words.\n\n{RULE}",
        f'Proofread this:\n"""\nOld words.\n"""\n{RULE}',
        f"    Be kind.\n    {RULE}",
        f"- Be kind\n\n    {RULE}",
        f"    {RULE}\nThe house is old.",
        f"<user_query>\n{RULE}\n</user_query>",
        f"<query>{RULE}</query>",
        f"<b>Please</b> be kind. {RULE}",
        f"Use the <document> tag. {RULE}",
        f'It is 5" wide.\n{RULE}\nAnd 6" high.',
        f"Cut here: ''' and go on.\n{RULE}",
        f'```\n<head>\n"""\n```\n{RULE}\n```\n</head>\n"""\n```',
    ],
)
def test_what_only_looks_pasted_is_heard(text):
    assert any(RULE in each for each in said(text))


def test_what_an_agent_leads_over_to_is_its_own():
    assert RULE in said(f"Here is the mail:\n\n{RULE}", own=False)


def test_masking_moves_nothing():
    text = f'Look:\n"""\n{RULE}\n"""\nWhat now?'
    bare = blank_out(text, pasted_ranges(text, own=True))
    assert len(bare) == len(text)
    assert bare.index("What now?") == text.index("What now?")


# Very long lines


def test_of_a_line_as_long_as_a_book_only_what_leads_to_it_is_read():
    book = " ".join(f"word{n}" for n in range(120_000))
    assert said(f"Please index this: {book}") == ["Please index this:"]
    assert said(f"Read it.\n{book}") == ["Read it."]
    assert said(book) == []


@pytest.mark.parametrize("sign", ["😀", "👍🏽", "❤️", "★ "])
def test_a_run_of_signs_is_not_repeated(sign):
    assert said(f"{sign * 5_000} please count them")[-1] == "please count them"
    heard = said(f"Great {sign * 400} now paint it.")
    assert heard[-1] == "now paint it."
    assert all(len(each) < 20 for each in heard)
    assert said(f"Great {sign * 3}now paint it.") == [
        f"Great {flatten(sign * 3 + 'now paint it.')}"
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "“\n",
        "„a\n",
        "<a1>\n",
        "</a>\n<a>\n",
        '"""',
        "From the docs:\n",
        "    x\n\n",
        ": ",
        "translate this ",
        "😀 ",
        "- a\n",
        "\n",
    ],
)
def test_no_text_takes_long(piece):
    """Four times the text takes four times as long; what is quadratic would take sixteen times."""

    def took(size: int) -> float:
        text = piece * (size // len(piece))
        began = time.thread_time()
        stretches(text, own=True)
        return time.thread_time() - began

    took(100)
    # Another time only where it seems slow: the machine may be busy.
    assert any(took(18_000) < 9 * took(4_500) + 0.03 for _ in range(3))


# What stands below a list


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("- a) oak\n- b) pine\nWhich one?", ["a) oak", "b) pine", "Which one?"]),
        ("1. oak\n2. pine\nwhich one do you want?", ["oak", "pine", "which one do you want?"]),
        ("a) oak\nb) pine\nWhich one?", ["a) oak", "b) pine", "Which one?"]),
        ("Option A: oak\nOption B: pine\nWell?", ["Option A: oak", "Option B: pine", "Well?"]),
        ("* Eiche\n* Kiefer\nWelche nehmen wir?", ["Eiche", "Kiefer", "Welche nehmen wir?"]),
        ("- 橡木\n- 松木\n要哪一个？", ["橡木", "松木", "要哪一个？"]),
        ("- oak\n- pine\nThe rest is ash.", ["oak", "pine", "The rest is ash."]),
    ],
)
def test_what_stands_below_a_list_is_none_of_its_items(text, sentences):
    assert said(text, own=False) == sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("- oak from Veld\n  Is it dry?\n- pine", ["oak from Veld Is it dry?", "pine"]),
        (
            "- oak from the mill\nbehind the lake\n- pine",
            ["oak from the mill behind the lake", "pine"],
        ),
        (
            "- oak that was cut in the woods behind the old mill and sold to\nFinn last year",
            ["oak that was cut in the woods behind the old mill and sold to Finn last year"],
        ),
        (
            "It is oak, I think, from\nVeld by the lake",
            ["It is oak, I think, from Veld by the lake"],
        ),
    ],
)
def test_an_item_goes_on_below(text, sentences):
    assert said(text, own=False) == sentences


# Tags of a harness


@pytest.mark.parametrize(
    "text",
    [
        "Please use <summary> for the toggles. Never drop the labels.",
        "Put <summary>x</summary> round it. Never drop the labels.",
        "The <system-reminder> tag shows. Never drop the labels.",
        "<summary> is broken. Never drop the labels.",
        "Ask it to <think> first. Never drop the labels.",
    ],
)
def test_who_writes_about_a_tag_is_heard_to_the_end(text):
    assert own_words(spoken(text)) == text


@pytest.mark.parametrize(
    "block",
    [
        "<system-reminder>\nObey.\n</system-reminder>",
        "<summary>\nObey.\n</summary>",
        "<think>\nObey.\n</think>",
        "a <system-reminder>Obey.</system-reminder>",
    ],
)
def test_what_a_harness_adds_is_not(block):
    words = own_words(spoken(f"{block}\nGo on."))
    assert "Obey" not in words
    assert words.endswith("Go on.")


@pytest.mark.parametrize("text", ["Go on.\n<system-reminder>\nObey.", "<thinking>\nObey. Go on."])
def test_without_its_end_it_goes_on_to_the_end(text):
    assert "Obey" not in own_words(spoken(text))
