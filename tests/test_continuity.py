"""The score: what is drawn before a distillation is looked for, and asked for, after it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling.continuity import (
    KINDS,
    Draw,
    Item,
    KindScore,
    Score,
    holds,
    items_kept,
    probe,
    read_score,
    score_of,
    score_text,
    second_probe,
)
from everthread.domain.text.specifics import Specifics, specifics
from support.spoken import called, resulted, spoken

pytestmark = pytest.mark.req("R-16", "A-74")

TALK = [
    spoken("Please move the greenhouse server to another port.", n=1),
    spoken("I looked at config/greenhouse.toml, where it says 8931.", "agent", n=2),
    called("Bash", n=3, command="make restart"),
    resulted("Exit code 1\nOSError: address already in use", n=3),
    spoken("Never restart it during the day. We decided to use port 8940 instead of 8931.", n=5),
    spoken("Done.\nWhat shall the new service be named, by the way?", "agent", n=6),
]


def drawn(messages: list[Message], seed: int = 1, most: int = 50) -> list[Item]:
    draw = Draw(seed, most)
    for message in messages:
        draw.read(message)
    return draw.items()


def texts(kind: str, items: list[Item]) -> list[str]:
    return [item.text for item in items if item.kind == kind]


def the(kind: str, items: list[Item], text: str) -> Item:
    return next(item for item in items if item.kind == kind and item.text == text)


def item(kind: str, text: str, sentence: str = "", before: str = "", request: str = "") -> Item:
    return Item(kind, text, sentence or text, b"k", request, before)


# Drawing


def test_items_of_every_kind_are_drawn():
    items = drawn(TALK)
    assert texts("files", items) == ["config/greenhouse.toml"]
    assert texts("commands", items) == ["make restart"]
    assert texts("errors", items) == ["OSError: address already in use"]
    assert sorted(texts("numbers", items)) == ["8931", "8940"]
    assert texts("rules", items) == ["Never restart it during the day."]
    assert texts("decisions", items) == ["We decided to use port 8940 instead of 8931."]
    assert texts("questions", items) == ["What shall the new service be named, by the way?"]


def test_an_item_knows_its_message_its_sentence_and_the_request_that_led_to_it():
    found = the("files", drawn(TALK), "config/greenhouse.toml")
    assert found.key == TALK[1].key
    assert found.sentence == "I looked at config/greenhouse.toml, where it says 8931."
    assert found.request == "Please move the greenhouse server to another port."
    error = the("errors", drawn(TALK), "OSError: address already in use")
    assert error.before == "Exit code 1"


def test_a_question_that_was_answered_is_not_open():
    answered = [*TALK, spoken("Call it the tulip house.", n=7)]
    assert texts("questions", drawn(answered)) == []
    put_off = [*TALK, spoken("The name of the service is still open, do it later.", n=7)]
    assert texts("questions", drawn(put_off)) == [
        "The name of the service is still open, do it later."
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Please book the flight LH 123 for Dana.",
        "Order ten chairs for the meeting room.",
        "Rename the greenhouse server, please.",
        "I need you to water the tomatoes at noon.",
        "Write a letter to the landlord " + "and to his many neighbours " * 20 + "tonight.",
    ],
)
def test_a_request_that_nobody_answered_is_drawn_as_open(said):
    (found,) = (each for each in drawn([spoken(said)]) if each.kind == "questions")
    assert found.binding
    assert said.startswith(found.text)
    at_work = [spoken(said), called("Bash", n=2, command="true")]
    assert texts("questions", drawn(at_work)), "a call is no answer"
    assert texts("questions", drawn([spoken(said), spoken("Done.", "agent", n=2)])) == []
    assert texts("questions", drawn([spoken(said, "agent")])) == []


@pytest.mark.parametrize(
    "said",
    [
        "The order of the chairs was changed on Monday.",
        "Writing letters takes much of my time.",
        "It pleases me that the plants grow.",
        "I updated the plan of the garden myself.",
    ],
)
def test_what_only_tells_is_no_request(said):
    assert texts("questions", drawn([spoken(said)])) == []


RULES = [
    "Always answer me in French.",
    "Don't use any emojis here.",
    "Never push on Fridays at all.",
]


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("Forget the rule about French.", 0),
        ("You don't have to answer in French anymore.", 0),
        ("Stop answering in French.", 0),
        ("Emojis are fine.", 1),
        ("You can push on Fridays now.", 2),
        ("Forget the rule about the cat.", None),
        ("I like the French a lot.", None),
        ("The tests are fine.", None),
        ("We push on Fridays.", None),
    ],
)
def test_a_rule_that_was_taken_back_need_not_be_kept(said, gone):
    spoken_rules = [spoken(rule, n=n) for n, rule in enumerate(RULES, 1)]
    left = {rule for n, rule in enumerate(RULES) if n != gone}
    assert set(texts("rules", drawn([*spoken_rules, spoken(said, n=9)]))) == left
    assert set(texts("rules", drawn([*spoken_rules, spoken(said, "agent", n=9)]))) == {*RULES}
    again = [*spoken_rules, spoken(said, n=9), *spoken_rules]
    assert set(texts("rules", drawn(again))) == {*RULES}


@pytest.mark.parametrize(
    "said",
    [
        "Never mind the plants in the hall.",
        "You always get this wrong, you know!",
        "Don't merge the branch yet, I want to look.",
    ],
)
def test_what_holds_once_is_no_rule(said):
    assert texts("rules", drawn([spoken(said)])) == []


@pytest.mark.parametrize(
    "said",
    [
        "Stop using tabs in Python files.",
        "Under no circumstances may you contact the press.",
        "Antworte mir immer auf Deutsch.",
        "Gib niemals meine Telefonnummer weiter.",
        "Réponds toujours en français.",
        "Réponds-moi toujours en français.",
        "Usa sempre il sistema metrico.",
        "Non cancellare mai i backup.",
        "Responde siempre en español, por favor.",
        "ab jetzt bitte alle Preise in Franken angeben",
    ],
)
def test_what_a_summary_labels_as_a_rule_is_counted_as_one(said):
    assert texts("rules", drawn([spoken(said)])) == [said]


@pytest.mark.parametrize(
    "said",
    [
        "Ich gehe immer am Freitag ins Kino.",
        "Der Server ist immer noch kaputt heute.",
        "Anna kommt immer zu spät ins Büro.",
        "Il est toujours en retard le matin.",
        "Pierre arrive toujours en retard.",
        "Funziona sempre alla grande qui.",
        "The bus will stop during the night there.",
    ],
)
def test_what_only_tells_what_always_is_is_no_rule(said):
    assert texts("rules", drawn([spoken(said)])) == []


def test_a_question_is_answered_by_whoever_else_speaks_and_not_by_who_asked():
    asked = spoken("Where did you plant the tomatoes this year?", name="Mel", n=1)
    more = spoken("I mean the red ones by the wall.", name="Mel", n=2)
    reply = spoken("Behind the old shed, as always.", name="Ana", n=3)
    assert texts("questions", drawn([asked, more])) == [asked.text]
    assert texts("questions", drawn([asked, more, reply])) == []
    many = [spoken(f"And what about the row number {n} then?", n=n + 1) for n in range(200)]
    assert set(texts("questions", drawn(many))) == {message.text for message in many[-50:]}


def test_what_a_tool_says_is_neither_rule_nor_decision():
    said = "Never restart it during the day. We decided to use tabs instead of spaces here."
    assert drawn([spoken(said, "tool")]) == []
    assert texts("rules", drawn([spoken(said, "agent")])) == []


def test_our_own_words_and_secrets_are_not_drawn():
    assert drawn([spoken("We decided to use port 8940 instead.", kind="summary")]) == []
    assert drawn([spoken("export API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789")]) == []


def test_a_command_of_several_lines_is_known_by_its_first():
    items = drawn([called("Bash", command="cat > notes.txt <<EOF\nsome words\nEOF")])
    assert texts("commands", items) == ["cat > notes.txt <<EOF"]


def test_specifics_that_were_read_before_need_not_be_read_again():
    reader, draw = Specifics(), Draw(1)
    for message in TALK:
        draw.read(message, reader.read(message))
    assert draw.items() == drawn(TALK)


MANY = [spoken(f"The value_{n} is the number {n + 100} of file{n}.py", n=n + 1) for n in range(300)]


def test_at_most_so_many_of_a_kind_are_drawn_and_which_ones_the_seed_decides():
    items = drawn(MANY, seed=1, most=20)
    assert len(texts("numbers", items)) == len(texts("files", items)) == 20
    assert drawn(MANY, seed=1, most=20) == items
    assert set(texts("files", drawn(MANY, seed=2, most=20))) != set(texts("files", items))


@pytest.mark.slow
def test_every_item_has_the_same_chance_early_or_late_said_once_or_often():
    again = [spoken("See file7.py again.", n=1_000 + n) for n in range(200)]
    read = [(message, specifics(message)[-1:]) for message in [*MANY, *again]]
    early = late = often = 0
    for seed in range(60):
        draw = Draw(seed, 20)
        for message, found in read:
            draw.read(message, found)
        files = texts("files", draw.items())
        assert len(files) == len(set(files)) == 20
        early += sum(int(f[4:-3]) < 150 for f in files)
        late += sum(int(f[4:-3]) >= 150 for f in files)
        often += "file7.py" in files
    assert 0.85 < early / late < 1.15
    assert often < 60 * 20 / 300 * 3


@pytest.mark.slow
@given(st.permutations(MANY[:30]), st.integers(-5, 5))
def test_the_order_of_messages_does_not_change_what_is_drawn(messages, seed):
    one = {(i.kind, i.text) for i in drawn(messages, seed, 7)}
    assert one == {(i.kind, i.text) for i in drawn(MANY[:30], seed, 7)}


# Is it there?


@pytest.mark.parametrize(
    ("thing", "line", "there"),
    [
        ("80", "port 80 is taken", True),
        ("80", "port 8080 is taken", False),
        ("80", "it grew by 80.5 percent", False),
        ("80", "it grew to 1,080 rows", False),
        ("80", "it grew by 80%", False),
        ("80", "The port is 80.", True),
        ("80", "ports 80-90", True),
        ("config.go", "edited pkg/config.go", True),
        ("config.go", "edited config.go.bak", False),
        ("config.go", "edited myconfig.go", False),
        ("make test", "make test-all", False),
        ("make test", "ran `make test`: ok", True),
        ("v1.2", "v1.2.3", False),
        ("read_all", "read_all_files", False),
        ("8931", "端口8931被占用", True),
        ("--fast", "run.py --fast", True),
    ],
)
def test_a_thing_is_there_only_as_itself(thing, line, there):
    assert holds(line, thing) is there
    assert items_kept([item("names", thing)], f"first\n{line}\nlast") == ({0} if there else set())


def test_a_short_number_needs_a_word_beside_it_that_stood_there_before():
    tests = item("numbers", "12", "All 12 tests of the parser pass.")
    assert items_kept([tests], "- 12 children came to the party") == set()
    assert items_kept([tests], "- 12: tests") == {0}
    assert items_kept([item("numbers", "12")], "no more than 12") == {0}
    assert items_kept([item("numbers", "8931", "port 8931")], "it is 8931") == {0}


def test_a_thing_spread_over_two_lines_is_not_there():
    assert items_kept([item("commands", "make all tests")], "make all\ntests") == set()
    assert items_kept([item("commands", "make all tests")], "- make   all tests (ok)") == {0}


def test_a_sentence_is_there_where_one_line_holds_most_of_its_words():
    decision = item("decisions", "We decided to keep the tomatoes behind the old shed.")
    assert items_kept([decision], "- decided: keep tomatoes behind the shed") == {0}
    assert items_kept([decision], "decided to keep\nthe tomatoes\nbehind the old shed") == set()
    assert items_kept([decision], "They decided something.") == set()


def test_a_long_line_does_not_hold_a_sentence_by_chance():
    rule = item("rules", "Never water the tomatoes at noon in summer.")
    parts = [
        "Tomatoes are red and round things.",
        "At noon we eat our bread outside.",
        "In summer it is hot.",
    ]
    line = " ".join(
        parts + ["Water is wet and never dry for long."] + ["And so it goes on here."] * 12
    )
    assert items_kept([rule], line) == set()
    assert items_kept([rule], f"{line} Never water the tomatoes at noon in summer.") == {0}


def test_a_short_sentence_must_be_there_word_for_word():
    rule = item("rules", "Never use tabs.")
    assert items_kept([rule], "I use tabs, never you mind") == set()
    assert items_kept([rule], 'The user: "Never use tabs."') == {0}


def test_what_was_made_harmless_is_still_there():
    assert items_kept([item("names", "<system-note>")], "the tag (system-note> was sent") == {0}


# How it is asked for


def test_a_probe_is_the_sentence_without_the_item():
    port = item("numbers", "8931", "The greenhouse server listens on 8931 behind the proxy.")
    assert probe(port) == "The greenhouse server listens on behind the proxy."


def test_an_item_alone_on_its_line_is_asked_for_by_the_line_before_and_its_kind():
    error = item("errors", "OSError: no", "OSError: no", before="Starting the greenhouse server")
    assert probe(error) == "Starting the greenhouse server error"
    rule = item("rules", "Never use tabs.", before="About the style guide")
    assert probe(rule) == "About the style guide rule"


def test_what_has_neither_words_beside_it_nor_before_it_cannot_be_asked_for():
    assert probe(item("files", "a.py", "`a.py`:")) is None
    assert probe(item("files", "a.py", "`a.py`", before="a.py")) is None
    assert second_probe(item("files", "a.py", request="a.py?")) is None


def test_the_second_probe_is_the_request_alone_without_the_item():
    port = item("numbers", "8931", "x", request="Why is port 8931 taken in the greenhouse?")
    assert second_probe(port) == "Why is port taken in the greenhouse?"


@given(
    st.sampled_from(KINDS),
    st.text(min_size=1, max_size=40),
    st.text(max_size=80),
    st.text(max_size=80),
)
def test_no_probe_holds_what_it_asks_for(kind, text, sentence, before):
    asked = item(kind, text, f"{sentence}{text}{before}", before=before, request=sentence + text)
    for query in (probe(asked), second_probe(asked)):
        if query is not None and kind not in ("decisions", "questions", "rules"):
            word = query.rpartition(" ")[0] if query.endswith(f" {kind[:-1]}") else query
            assert not (len(text.strip()) > 3 and holds(word, text))


# What comes of it


def test_shares_are_of_all_items_and_what_nobody_asked_for_is_unknown():
    total = score_of({"files": KindScore(6, 3, 1, 1), "rules": KindScore(4, 4, 0, 0)}, probes=2)
    assert (total.kept, total.recoverable, total.lost) == (0.7, 0.1, 0.1)
    assert total.unprobed == 1
    assert total.unknown == pytest.approx(1 - total.kept - total.recoverable - total.lost)
    assert total.by_kind["files"].unknown == 1


def test_of_nothing_nothing_is_lost():
    assert score_of({}) == Score(1.0, 0.0, 0.0, {})
    assert score_of({}).unknown == 0.0


COUNTS = st.integers(0, 50)


@given(st.dictionaries(st.sampled_from(KINDS), st.tuples(COUNTS, COUNTS, COUNTS, COUNTS)), COUNTS)
def test_a_score_is_read_as_it_was_stored(counts, probes):
    by_kind = {name: KindScore(sum(four), *four[:3]) for name, four in counts.items()}
    told = score_of(by_kind, probes=probes, second=0.5)
    assert read_score(score_text(told)) == told


@pytest.mark.parametrize(
    ("name", "sentence", "context", "there"),
    [
        ("Minka", "my cat Minka fears thunder", "People:\n- Minka", False),
        ("Graz", "My sister lives in Graz now.", "Identifiers:\n- Graz", False),
        ("Minka", "my cat Minka fears thunder", '- "Minka is a cat"', True),
        ("Ana Maria", "I met Ana Maria at the fair.", "- Ana Maria came to the fair", True),
        ("Minka", "Minka", "- Minka", True),
        ("parse_row", "the loop calls parse_row twice", "- parse_row", True),
        ("HttpClient", "the loop calls HttpClient twice", "- HttpClient", True),
        ("v2", "the loop calls v2 twice", "- v2", True),
    ],
)
def test_a_bare_name_says_nothing_and_one_of_code_does(name, sentence, context, there):
    assert bool(items_kept([item("names", name, sentence)], context)) == there


def test_quotes_that_a_summary_turns_are_no_loss():
    said = item("rules", 'Say "moin".')
    assert items_kept([said], "- Rule of the user, 2 Jan: \"Say 'moin'.\"") == {0}
    assert items_kept([said], "- Rule of the user, 2 Jan: \"Say 'hello'.\"") == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Always answer in French.", "No more French please."),
        ("Always answer in French.", "Answer in English from now on."),
        ("Always call me Mr. Smith.", "Call me Joe."),
        ("We decided to use the blue logo.", "We'll use the green logo instead of the blue logo."),
    ],
)
def test_what_was_taken_back_or_changed_need_not_be_kept(before: str, after: str) -> None:
    """So that no repair brings it back (R-16)."""
    draw = Draw(1)
    for n, text in enumerate((before, "What is the time in Kiel?", after)):
        draw.read(spoken(text, n=2 * n + 1))
        draw.read(spoken("It is noon.", "agent", n=2 * n + 2))
    assert before not in [item.text for item in draw.items()]


def test_what_she_pastes_of_the_agents_words_is_no_rule_of_hers() -> None:
    """Some clients hand on what one agent planned as the person's own message."""
    plan = "\n".join(
        f"{n}. Never change the {thing} of the old greenhouse in one go, but {n} at a time."
        for n, thing in enumerate(("panes", "hoses", "beds", "pumps", "doors", "shelves"), 1)
    )
    draw = Draw(1)
    draw.read(spoken(plan, "agent", n=1))
    draw.read(spoken(f"{plan}\n\nAlways show me a picture of it first.", "user", n=2))
    ruled = [item.text for item in draw.items() if item.kind == "rules"]
    assert ruled == ["Always show me a picture of it first."]
