"""What a person shows of others' words, without a mark, is known by what was said before."""

from __future__ import annotations

from everthread.domain.gleaning.shown_lines import ShownLines
from everthread.domain.gleaning.tone import Tone
from everthread.domain.gleaning.utterances import take_apart
from everthread.domain.text.pasted_text import blank_out

ADVICE = "You must always oil the chain before a long ride."
ENGLISH = Tone(9, language="English")


def own(lines: ShownLines, text: str, told: str = "", tone: Tone = ENGLISH) -> str:
    heard = (take_apart(told), None) if told else None
    return " ".join(blank_out(text, lines.read(text, heard, tone)).split())


def test_who_asks_about_the_agents_words_does_not_say_them() -> None:
    told = f"Some advice:\n- 🔴 **{ADVICE}**\n- Lock it."
    for asked in ("is that in the manual ?", "Where we do it"):
        assert own(ShownLines(), f"🔴 {ADVICE}\n\n{asked}", told) == asked
    assert own(ShownLines(), f"{ADVICE} Why?", told) == "Why?"


def test_what_the_agent_said_long_ago_is_known() -> None:
    lines = ShownLines()
    own(lines, "thanks for that", ADVICE)
    own(lines, "and the bell", "The bell is fine.")
    assert own(lines, f"{ADVICE}\nwhy?", "As you like.") == "why?"


def test_who_takes_over_the_agents_words_says_them() -> None:
    """She chooses by them, or agrees."""
    for text in (ADVICE, f"{ADVICE}\nyes, do that", f"yes: {ADVICE}"):
        assert own(ShownLines(), text, ADVICE) == " ".join(text.split())


PLAN = """\
The plan for the greenhouse has five steps in all, one a week.
1. Clear the eight beds and carry the old leaves to the compost behind the shed.
2. Mix the new earth with two buckets of sand for each of the beds.
3. Put the hoses along the long side and close the tap at the far end.
4. Sow the peas first and the garlic last, for it wants the cold.
5. Write the dates on the board beside the door for all the others.
"""


def test_who_pastes_much_of_what_the_agent_said_does_not_say_it() -> None:
    """It is the agent's plan that she wants done, and no rule of hers."""
    assert (
        own(ShownLines(), f"Please go on with step 4\n{PLAN}", PLAN) == "Please go on with step 4"
    )
    lines = ShownLines()
    own(lines, "What would you do in the greenhouse?")
    assert own(lines, PLAN, PLAN) == PLAN.partition("\n")[0]


def test_what_a_client_shows_before_she_speaks_is_what_she_says() -> None:
    lines = ShownLines()
    for _ in range(2):
        assert own(lines, PLAN, f"started with: {PLAN}") == " ".join(PLAN.split())


def test_what_she_chooses_of_it_below_is_hers() -> None:
    told = PLAN.replace("2. Mix", "Step 2\n2. Mix")
    assert own(ShownLines(), f"{told}\nStep 2", told) == "Step 2"


def test_what_she_said_first_stays_hers() -> None:
    lines = ShownLines()
    own(lines, ADVICE)
    again = f"{ADVICE}\ndid you forget?"
    assert own(lines, again, f"You said: {ADVICE}") == " ".join(again.split())


PRINTED = "The package was published already. You have to remove the entry of it by hand."


def test_english_lines_of_who_writes_in_another_language_are_shown() -> None:
    for language, words in (
        ("Spanish", "sigue sin abrir la lista"),
        ("Chinese", "还是不行"),
        ("German and English", "geht immer noch nicht"),
    ):
        tone = Tone(5, language=language)
        assert own(ShownLines(), f"{PRINTED}\n{words}", tone=tone) == words


def test_who_speaks_of_herself_in_english_is_heard_and_so_is_one_line() -> None:
    tone = Tone(5, language="German")
    for text in (
        "geht nicht\nand I want the list to be empty after that",
        "geht nicht\nis the list of the bikes empty?",
        "Never push to the main branch of the shop.",
    ):
        assert own(ShownLines(), text, tone=tone) == " ".join(text.split())
    early = f"geht nicht\n{PRINTED}"
    assert own(ShownLines(), early, tone=Tone(2, language="German")) == " ".join(early.split())


LICENCE = (
    "### 2. Credit\n\nYou must name the maker of the bike.\nYou may not paint it.\n\n### 3. End\n"
)
TYPED = (
    "make the bell louder",
    "it still rings",
    "ok now the horn",
    "add a lamp too",
    "why is it red",
)


def test_a_polished_block_is_not_of_who_types_in_small_letters() -> None:
    lines = ShownLines()
    for each in TYPED:
        own(lines, each)
    assert own(lines, f"i found this one\n{LICENCE}\nis it any good?") == (
        "i found this one is it any good?"
    )
    led = f"build this spec\n{LICENCE}"
    assert own(lines, led) == " ".join(led.split())


def test_a_polished_block_of_who_writes_so_is_hers() -> None:
    text = f"i made this for it\n{LICENCE}"
    lines = ShownLines()
    assert own(lines, text) == " ".join(text.split())
    for each in TYPED:
        own(lines, f"{each.capitalize()}.")
    assert own(lines, text) == " ".join(text.split())


RULES = "- Always lock the bike at night\n- Never paint the frame of it\n- Use the small pump"


def test_who_types_in_small_letters_may_give_rules_in_capitals() -> None:
    lines = ShownLines()
    for each in TYPED:
        own(lines, each)
    for text in (RULES, f"ok here are the rules\n{RULES}", f"from now on:\n{RULES}"):
        assert own(lines, text) == " ".join(text.split())


def test_who_writes_in_another_language_may_give_rules_in_english() -> None:
    text = f"unsere Regeln:\n{RULES}"
    assert own(ShownLines(), text, tone=Tone(5, language="German")) == " ".join(text.split())


GEARS = "🔧 Gears (pages 8-12)\nFront gears:\n\nEach gear is joined with its cable.\n\n"


def test_a_page_with_headings_is_only_shown_by_who_asks_about_its_words() -> None:
    for asked in ("Why gears ?", "what is a cable?"):
        assert own(ShownLines(), f"{GEARS}{asked}") == asked


def test_a_page_of_hers_is_read() -> None:
    for text in (
        f"{GEARS}Can you build the gears?",
        f"{GEARS}What is left?",
        f"{GEARS}I joined them.\n\nWhy do the gears slip?",
        f"{GEARS}Never oil the cable.\n\nBuild it.",
        "The build takes an hour. The cache is off.\n\nWhy does the build take so long?",
    ):
        assert own(ShownLines(), text) == " ".join(text.split())
