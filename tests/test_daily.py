"""What a distillation leaves in the daily file and in MEMORY.md, and what it never touches there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from everthread.domain.conversation.messages import Origin
from everthread.domain.distilling.daily_files import (
    KEPT,
    LARGEST,
    Change,
    by_hand,
    day_name,
    day_of,
    managed_section,
    put_day,
    put_section,
    section,
    with_managed,
    without_section,
)
from everthread.domain.errors import BadInput
from everthread.domain.gleaning.digest import SECTION_OF, Point
from everthread.domain.times import ms_of

DAY = "2026-11-15"
NOON = ms_of("2026-11-15T12:34:56Z")


def point(kind: str, text: str, *, weight: float = 0.0, pinned: bool = False) -> Point:
    return Point(kind, text, (b"m",), "user", NOON, weight, verbatim=True, pinned=pinned)


def one(receipt: str = "r-1", summary: str = "We chose tabs.", *points: Point) -> str:
    return section(
        receipt, number=3, at_ms=NOON, thread="018f2a3b-4c5d-7000", summary=summary, points=points
    )


def ours(*texts: str) -> str:
    made = managed_section([point("fact", text) for text in texts])
    assert made is not None
    return made


def put(text: str | None, receipt: str = "r-1", summary: str = "We chose tabs.") -> str:
    changed = put_section(text, one(receipt, summary), day=DAY).text
    assert changed is not None
    return changed


def renewed(text: str | None, made: str | None) -> str:
    changed = with_managed(text, made).text
    assert changed is not None
    return changed


# ---- what is written


@pytest.mark.req("A-39", "S-15")
def test_a_section_tells_the_distillation_and_carries_receipt_and_hash() -> None:
    made = one(
        "r-1",
        "We chose tabs.",
        point("fact", "The port is 8443"),
        point("decision", "Tabs, as spaces broke the diff"),
        point("open_item", "Who reviews it?"),
        point("request", "Please\nmeasure it", pinned=True),
        point("failure", "The cache did not help"),
        point("tone", "Brief"),
    )
    opening, content, closing = re.split(r"(?<= -->\n)|(?=<!-- /)", made)[:3]
    digest = hashlib.sha256(content.encode()).hexdigest()
    assert opening == f"<!-- everthread:receipt r-1 sha256:{digest} -->\n"
    assert closing == "<!-- /everthread:receipt r-1 -->\n"
    assert content == (
        "---\n\n"
        "## Distillation #3 - 12:34 (thread: 018f2a3b-4c5)\n\n"
        "### Summary\n\nWe chose tabs.\n\n"
        "### Extracted\n\nKey facts: 1, decisions: 1, open items: 2, corrections: 1\n\n"
        "#### Key Facts\n\n- The port is 8443\n\n"
        "#### Decisions\n\n- Tabs, as spaces broke the diff\n\n"
        "#### Open Items\n\n- Who reviews it?\n- Please measure it\n\n"
        "#### Corrections\n\n- The cache did not help\n"
    )


@pytest.mark.req("S-15")
@pytest.mark.req("A-58", "A-67", "R-17")
@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("Distilled beat session. 44 → 20 messages.", "Distilled beat session. 44 → 20 messages."),
        ("", "Distillation #3: nothing to note."),
        ("# A heading", "**A heading**"),
    ],
)
def test_what_has_nothing_to_list_is_one_line_and_can_be_taken_out(summary: str, said: str) -> None:
    """Background work is distilled several times a day; its notes must not bury the rest."""
    made = one("r-1", summary)
    marker, *lines, _ = made.splitlines()
    assert marker.startswith("<!-- everthread:receipt r-1 sha256:")
    assert lines == [f"- 12:34 {said} (thread: 018f2a3b-4c5)"]
    day = put("mine\n", "r-2") + "also mine\n"
    assert without_section(put(day, "r-1", summary), "r-1") == Change(day, "removed")
    assert "### Extracted" in one("r-1", summary, point("fact", "The port is 8081."))
    assert "### Extracted" in one("r-1", "Two lines\nof prose.")


def test_a_section_lists_the_twenty_weightiest_facts_and_counts_the_rest() -> None:
    facts = [point("fact", f"Fact {n}.", weight=n) for n in range(23)]
    made = one("r-1", "x", *facts, point("rule", "Never push.", pinned=True))
    listed = re.findall(r"^- (.*)$", made, re.MULTILINE)
    assert listed == [*(f"Fact {n}." for n in range(4, 23)), "Never push.", "... and 4 more"]
    decisions = [point("decision", f"Decision {n}.") for n in range(30)]
    assert one("r-1", "x", *decisions).count("- Decision ") == 30


def test_a_fact_that_was_found_twice_is_listed_once() -> None:
    assert one("r-1", "x", point("fact", "A  b"), point("fact", "A b")).count("- A b") == 1


@pytest.mark.req("S-4", "S-15")
def test_what_the_agent_said_and_was_corrected_is_told_as_that() -> None:
    wrong = point("correction", "The backup runs at four")._replace(by="agent")
    right = point("correction", "No, it runs at two")
    made = managed_section([wrong, right]) or ""
    assert re.search(r"^- The backup runs at four \(agent, since corrected, ", made, re.MULTILINE)
    assert "- No, it runs at two (2" in made
    assert "- The backup runs at four (agent, since corrected)" in one("r-1", "x", wrong)


@pytest.mark.req("S-4", "S-15")
@pytest.mark.parametrize("by", ["agent", "tool", "system"])
def test_words_that_are_not_the_users_say_whose_they_are(by: Origin) -> None:
    theirs = point("decision", "You decided to skip the tests.")._replace(by=by)
    mine = point("decision", "We skip (agent, 2026-11-15) no test.")
    kept = managed_section([theirs, mine]) or ""
    assert f"- You decided to skip the tests. ({by}, 2026-11-15)\n" in kept
    assert "- We skip (agent, 2026-11-15) no test. (2026-11-15)\n" in kept
    daily = one("r-1", "x", theirs, mine)
    assert f"- You decided to skip the tests. ({by})\n" in daily
    assert "- We skip (agent, 2026-11-15) no test.\n" in daily


@pytest.mark.parametrize("order", [1, -1])
def test_what_the_user_said_as_well_is_the_users(order: int) -> None:
    both = [
        point("fact", "The port is 8443")._replace(by="agent"),
        point("fact", "The port is 8443"),
    ]
    assert "- The port is 8443 (2026-11-15)\n" in (managed_section(both[::order]) or "")


def test_every_kind_of_point_can_be_given_to_both() -> None:
    points = [point(kind, f"About {kind}") for kind in SECTION_OF]
    assert "- About done" in one("r-1", "x", *points)
    assert "- About preference (2026-11-15)" in (managed_section(points) or "")


@pytest.mark.req("S-4")
def test_the_managed_section_is_grouped_and_dated() -> None:
    made = managed_section(
        [
            point("fact", "The port is 8443"),
            point("rule", "Never push to main"),
            point("decision", "Tabs"),
            point("preference", "Brief answers"),
            point("identity", "Ada builds engines"),
            point("open_item", "Who reviews it?"),
        ]
    )
    assert made is not None
    assert re.match(r"<!-- everthread:begin sha256:[0-9a-f]{64} -->\n", made)
    assert made.endswith("\n<!-- everthread:end -->\n")
    assert re.findall(r"^### (.*)\n\n- (.*)$", made, re.MULTILINE) == [
        ("Rules", "Never push to main (2026-11-15)"),
        ("Preferences", "Brief answers (2026-11-15)"),
        ("Identity", "Ada builds engines (2026-11-15)"),
        ("Decisions", "Tabs (2026-11-15)"),
        ("Open items", "Who reviews it? (2026-11-15)"),
        ("Key facts", "The port is 8443 (2026-11-15)"),
    ]


def test_what_no_memory_keeps_stands_apart() -> None:
    rule, fact = point("rule", "Never push to main"), point("fact", "The port is 8443")
    made = managed_section([rule, fact], {rule: "1a2b3c4d"}) or ""
    first, _, rest = made.partition("### Not kept as memories\n")
    assert "- Never push to main (2026-11-15, 1a2b3c4d)\n" in first
    assert "everthread forget ID" in first and "8443" not in first
    assert "- The port is 8443 (2026-11-15)\n" in rest and "everthread remember" in rest
    assert "Not kept as memories" not in (managed_section([rule], {rule: "1a2b3c4d"}) or "")


def test_the_managed_section_is_bounded_and_drops_no_pinned_point() -> None:
    made = managed_section(
        [
            *(point("fact", f"Fact {n}.") for n in range(50)),
            *(point("rule", f"Rule {n}.", pinned=True) for n in range(30)),
        ]
    )
    assert made is not None
    assert (made.count("- Fact "), made.count("- Rule ")) == (20, 30)
    assert "- ... and 30 more" in made


def test_there_is_no_managed_section_without_something_to_say() -> None:
    assert managed_section([]) is None
    assert managed_section([point("tone", "Brief"), point("fact", " \n ")]) is None


HOSTILE = [
    "<!-- /everthread:receipt r-1 -->",
    "x\n<!-- everthread:end -->\ny",
    "<!-- everthread:begin sha256:" + "0" * 64 + " -->",
    "<!-->",
    "<!--- -->",
    "```\ncode",
    "~~~~",
    "\u2028<!-- everthread:end -->",
    "a\r<!-- everthread:end -->\rb",
    "<\u200b!-- everthread:end -->",
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.req("S-4", "R-15")
def test_nothing_that_was_said_can_close_or_open_our_markers(text: str) -> None:
    made = one("r-1", f"Before\n{text}\nafter", point("fact", text), point("decision", text))
    assert len(re.findall("<!--|-->", made)) == 4
    assert not re.search("^ *(```|~~~)", made, re.MULTILINE)
    assert without_section(put("mine"), "r-1") == Change("mine", "removed")
    kept = managed_section([point("rule", text), point("fact", "x")])
    assert kept is not None
    assert len(re.findall("<!--|-->", kept)) == 4
    assert with_managed(renewed("mine", kept), None) == Change("mine", "removed")


@given(st.text(), st.text())
def test_a_receipt_of_any_name_is_found_again(receipt: str, summary: str) -> None:
    made = section(receipt, number=1, at_ms=NOON, thread=receipt, summary=summary)
    changed = put_section("mine", made, day=DAY)
    assert changed.text is not None
    changed.text.encode()
    assert without_section(changed.text, receipt) == Change("mine", "removed")


def test_headings_and_rules_of_a_summary_do_not_look_like_those_of_the_file() -> None:
    made = one("r-1", "## Task Context\n- a\n---\nTitle\n===\n# Use C# #\nb")
    inside = made.partition("### Summary\n")[2].partition("### Extracted")[0]
    assert "**Task Context**" in inside
    assert "**Use C#**" in inside
    assert not re.search("^(#|-{2}|=)", inside, re.MULTILINE)


def test_the_frame_of_a_summary_is_left_out() -> None:
    """What is spoken of stays: only whole lines are the frame."""
    made = one("r-1", "Summary #1\n<summary>\nUse <summary> for it.\n## Task\n- a\n</summary>")
    inside = made.partition("### Summary\n")[2].partition("### Extracted")[0]
    assert inside == "\nSummary #1\nUse (summary> for it.\n**Task**\n- a\n\n"


def test_days_are_utc_and_part_of_a_name() -> None:
    assert day_of(ms_of("2026-11-15T23:59:59Z")) == DAY
    assert [day_name(DAY), day_name(DAY, 2)] == ["2026-11-15.md", "2026-11-15.2.md"]
    for wrong in ("../../x", "2026-11-15/..", "", "٢٠٢٦-١١-١٥"):
        with pytest.raises(BadInput):
            day_name(wrong)


# ---- the daily file


@pytest.mark.req("A-39", "A-67")
def test_a_daily_file_has_one_header_and_one_section_a_receipt() -> None:
    text = put(put(put(None, "r-1"), "r-2"), "r-1")
    assert text.startswith("# Memory - 2026-11-15\n")
    assert text.count("# Memory - ") == 1
    assert re.findall(r"<!-- everthread:receipt (\S+)", text) == ["r-1", "r-2"]
    assert put_section(text, one("r-1"), day=DAY) == Change(text, "unchanged")


@pytest.mark.req("R-15")
def test_a_section_that_was_computed_anew_replaces_the_one_before_in_its_place() -> None:
    text = put(put(put("mine", "r-1"), "r-2"), "r-1", "We chose spaces.")
    assert text == put(put("mine", "r-1", "We chose spaces."), "r-2")


@pytest.mark.req("R-15")
def test_taking_out_the_last_section_takes_the_file_that_we_made() -> None:
    assert without_section(put(None), "r-1") == Change(None, "removed")
    assert without_section(put(""), "r-1") == Change("", "removed")
    assert without_section(put(None) + "mine", "r-1").text is not None


@pytest.mark.req("R-15")
def test_taking_out_what_is_not_there_changes_nothing() -> None:
    assert without_section(None, "r-1") == Change(None, "absent")
    text = put("mine\r\n")
    assert without_section(text, "r-10") == Change(text, "absent")
    assert without_section(text, "r") == Change(text, "absent")


@pytest.mark.req("R-15")
@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("this", "that"),
        lambda text: text.replace("<!-- /everthread:receipt r-1 -->\n", ""),
        lambda text: text.replace("We chose this", "mine\n### We chose this"),
    ],
)
def test_a_section_that_somebody_edited_stays_and_it_is_said(
    edit: Callable[[str], str],
) -> None:
    text = edit(put(put(None, "r-0"), "r-1", "We chose this."))
    assert without_section(text, "r-1") == Change(text, "edited")
    assert put_section(text, one("r-1", "Another."), day=DAY) == Change(text, "edited")
    assert without_section(text, "r-0").outcome == "removed"


@pytest.mark.req("R-15")
def test_another_editor_with_its_own_line_breaks_has_edited_nothing() -> None:
    text = put(put("mine\n"), "r-2").replace("\n", "\r\n")
    assert without_section(without_section(text, "r-1").text, "r-2") == Change(
        "mine\r\n", "removed"
    )


@pytest.mark.req("S-15")
def test_a_full_file_is_followed_by_the_next_of_the_day() -> None:
    full = put(None, "r-1") + "x" * LARGEST
    at, change = put_day([full], one("r-2"), DAY)
    assert at == 1
    assert change.text is not None
    assert change.text.startswith("# Memory - 2026-11-15 (2)\n")
    assert without_section(change.text, "r-2") == Change(None, "removed")
    assert put_day([full, change.text], one("r-3"), DAY)[0] == 1
    assert put_day([full, change.text], one("r-1"), DAY) == (0, Change(full, "unchanged"))
    assert put_day([None, change.text], one("r-1"), DAY)[0] == 1
    assert put_day([], one("r-1", "x" * LARGEST), DAY)[0] == 0


# ---- MEMORY.md


def listed(points: list[Point], ids: dict[Point, str] | None = None) -> list[tuple[str, str]]:
    """Under which heading each line stands."""
    found, heading = list[tuple[str, str]](), ""
    for line in (managed_section(points, ids) or "").splitlines():
        heading = line[4:] if line.startswith("### ") else heading
        if line.startswith("- "):
            found.append((heading, line[2:].partition(" (2026")[0]))
    return found


@pytest.mark.req("S-4")
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("one", "other", "where"),
    [
        ("preference", "fact", "Preferences"),
        ("fact", "open_item", "Open items"),
        ("rule", "preference", "Rules"),
        ("decision", "correction", "Key facts"),
        ("identity", "fact", "Identity"),
    ],
)
def test_what_is_one_memory_is_listed_once(
    one: str, other: str, where: str, order: int, known: bool
) -> None:
    """Under the heading of what the memory is."""
    points = [point(kind, "You can drop the VAT thing.") for kind in (one, other)][::order]
    ids = dict.fromkeys(points, "1a2b3c4d") if known else None
    assert listed(points, ids) == [(where, "You can drop the VAT thing.")]


@pytest.mark.req("S-4")
def test_what_is_kept_is_not_listed_again_as_not_kept() -> None:
    fact, wish = point("fact", "Tea at four."), point("preference", "Tea at four.")
    assert listed([fact, wish], {fact: "1a2b3c4d"}) == [("Key facts", "Tea at four.")]
    assert listed([fact, wish], {}) == [("Not kept as memories", "Tea at four.")]


@pytest.mark.req("S-4")
def test_two_memories_are_listed_both() -> None:
    """Of the same words, or of others."""
    wish, fact = point("preference", "Tea at four."), point("fact", "Tea at four.")
    both = {wish: "1a2b3c4d", fact: "5e6f7a8b"}
    assert listed([wish, fact], both) == [
        ("Preferences", "Tea at four."),
        ("Key facts", "Tea at four."),
    ]
    more = point("fact", "Tea at four, and cake.")
    assert listed([wish, more], {wish: "1a2b3c4d", more: "5e6f7a8b"}) == [
        ("Preferences", "Tea at four."),
        ("Key facts", "Tea at four, and cake."),
    ]
    assert len(listed([wish, more, point("rule", "Tea at five.")])) == 3


@pytest.mark.req("S-4")
def test_of_the_same_words_the_users_stand() -> None:
    told = point("preference", "Tea at four.")._replace(by="agent")
    made = managed_section([told, point("fact", "Tea at four.")]) or ""
    assert "### Key facts\n\n- Tea at four. (2026-11-15)" in made
    assert "(agent" not in made


@pytest.mark.req("S-4")
def test_the_managed_section_is_renewed_in_its_place() -> None:
    text = renewed("# Mine\r\n\r\nabove", ours("One.")) + "below"
    again = renewed(text, ours("Two."))
    assert again == text.replace("One.", "Two.").replace(_sha(text), _sha(again))
    assert with_managed(again, ours("Two.")) == Change(again, "unchanged")
    assert with_managed(again, None).text == "# Mine\r\n\r\nabove\r\n\r\nbelow"


def _sha(text: str) -> str:
    found = re.search("sha256:([0-9a-f]{64})", text)
    assert found
    return found[1]


@pytest.mark.req("S-4", "R-15")
def test_a_file_that_we_made_goes_with_our_section() -> None:
    made = renewed(None, ours("One."))
    assert with_managed(renewed(made, ours("Two.")), None) == Change(None, "removed")
    assert with_managed(renewed("", ours("One.")), None) == Change("", "removed")
    assert with_managed(made + "mine", None) == Change("mine", "removed")
    assert with_managed(None, None) == Change(None, "absent")
    assert with_managed("mine", None) == Change("mine", "absent")


@pytest.mark.req("S-4", "R-15")
def test_what_somebody_wrote_inside_the_markers_is_moved_below_and_is_theirs() -> None:
    text = "above\n" + renewed(None, ours("One.")) + "below\n"
    edited = text.replace("- One.", "- One and a half.\n\tmy words  ")
    theirs = edited.partition(" -->\n")[2].partition("<!-- everthread:end")[0]
    changed = with_managed(edited, ours("Two."))
    assert changed.outcome == "edited"
    assert changed.text is not None
    assert changed.text.startswith("above\n<!-- everthread:begin")
    assert changed.text.endswith(f"<!-- everthread:end -->\n\n{KEPT}\n\n{theirs}below\n")
    assert "- Two. (" in changed.text
    assert with_managed(changed.text, ours("Two.")) == Change(changed.text, "unchanged")
    out = with_managed(changed.text, None)
    assert out == Change(f"above\n\n{KEPT}\n\n{theirs}below\n", "removed")
    assert with_managed(edited, None) == Change(f"above\n{KEPT}\n\n{theirs}below\n", "edited")


def test_who_empties_our_section_leaves_nothing_to_keep() -> None:
    text = re.sub(r"(?<=-->\n).*(?=<!--)", "", renewed("mine\n", ours("One.")), flags=re.DOTALL)
    changed = with_managed(text, ours("Two."))
    assert changed.outcome == "edited"
    assert changed.text == renewed("mine\n", ours("Two."))


@pytest.mark.req("S-4")
def test_markers_in_a_code_fence_only_speak_of_a_section() -> None:
    for fence in ("```", "~~~", "  ````"):
        doc = f"# How\n{fence}md\n{renewed(None, ours('Shown.'))}{fence.strip()}\n"
        text = renewed(doc, ours("One."))
        assert text.startswith(doc)
        assert renewed(text, ours("Two.")).startswith(doc)
        assert with_managed(text, None) == Change(doc, "removed")
        assert with_managed(doc, None) == Change(doc, "absent")


@pytest.mark.req("S-4")
def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    text = renewed("```\nmine", ours("One."))
    assert renewed(text, ours("Two.")).count("everthread:begin") == 1
    assert with_managed(text, None) == Change("```\nmine", "removed")


@pytest.mark.req("S-4")
def test_a_section_of_ours_that_was_doubled_is_there_once_again() -> None:
    block = renewed(None, ours("One."))
    text = renewed(f"a\n{block}b\n{block}c\n", ours("Two."))
    assert text == f"a\n{renewed(None, ours('Two.'))}b\nc\n"
    edited = f"a\n{block.replace('One', 'Own')}b\n{block}c\n"
    changed = with_managed(edited, ours("Two."))
    assert changed.outcome == "edited"
    assert changed.text is not None
    assert changed.text.startswith(f"a\n{KEPT}\n\n")
    assert changed.text.endswith(f"b\n{renewed(None, ours('Two.'))}c\n")
    assert "- Own. (" in changed.text


END = "<!-- everthread:end -->"


@pytest.mark.req("S-4")
def test_a_lost_beginning_loses_no_text() -> None:
    text = f"above\n{renewed(None, ours('One.'))}below\n".replace("<!-- everthread:begin", "")
    changed = with_managed(text, ours("Two."))
    assert changed.outcome == "written"
    assert changed.text is not None
    assert changed.text.startswith(text)
    again = with_managed(changed.text, ours("Three."))
    assert again.outcome == "written"
    assert with_managed(again.text, None) == Change(text, "removed")


@pytest.mark.req("S-4")
@pytest.mark.parametrize("lost", [END, f"{END}\n", f"\n{END}\n"])
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("below", ["", "\nbelow\n", "\n## Mine\n\n- below"])
def test_a_section_that_lost_only_its_end_is_renewed_as_any(
    lost: str, eol: str, below: str
) -> None:
    """What nobody edited is ours: its hash tells where it ends."""
    whole = f"above\n{renewed(None, ours('One.'))}{below}".replace("\n", eol)
    text = whole.replace(lost.replace("\n", eol), "")
    assert text != whole
    changed = with_managed(text, ours("Two."))
    assert changed.outcome == "written"
    assert changed.text is not None
    assert (changed.text.count("everthread:begin"), changed.text.count(END)) == (1, 1)
    assert "- One. (" not in changed.text
    assert KEPT not in changed.text
    assert changed.text.endswith(below.replace("\n", eol))
    assert with_managed(changed.text, ours("Two.")) == Change(changed.text, "unchanged")
    out = with_managed(text, None).text or ""
    assert out.split() == ["above", *below.split()]
    assert by_hand(text).split() == out.split()


@pytest.mark.req("S-4")
@pytest.mark.parametrize("below", ["", "below\n", "\n## Mine\n\n```\n# below\n```\n", "below"])
def test_an_edited_section_that_lost_its_end_stands_below_and_is_labelled_once(below: str) -> None:
    text = f"above\n{renewed(None, ours('One.'))}{below}"
    text = text.replace("- One.", "- ONE.").replace(f"{END}\n", "")
    theirs = text.partition(" -->\n")[2]
    changed = with_managed(text, ours("Two."))
    assert changed.outcome == "edited"
    assert changed.text is not None
    assert changed.text.startswith("above\n<!-- everthread:begin")
    assert changed.text.endswith(f"{END}\n\n{KEPT}\n\n{theirs}")
    assert "- Two. (" in changed.text.partition(END)[0]
    assert with_managed(changed.text, ours("Two.")) == Change(changed.text, "unchanged")
    again = renewed(changed.text, ours("Three."))
    assert (again.count("everthread:begin"), again.count(END), again.count(KEPT)) == (1, 1, 1)
    assert again.endswith(f"{KEPT}\n\n{theirs}")
    assert by_hand(text).endswith(theirs)
    assert with_managed(text, None) == Change(f"above\n{KEPT}\n\n{theirs}", "edited")


@pytest.mark.req("S-4")
def test_one_without_an_end_above_a_whole_one_goes_below_it() -> None:
    old = renewed("mine\n", ours("One.")).replace("- One.", "- ONE.").replace(f"{END}\n", "")
    text = f"{old}between\n\n{renewed(None, ours('Two.'))}below\n"
    changed = with_managed(text, ours("Two."))
    assert changed.outcome == "edited"
    assert changed.text is not None
    live, _, rest = changed.text.partition(END)
    assert live.startswith("mine\n\n<!-- everthread:begin")
    assert "- Two. (" in live
    assert KEPT in rest
    assert "- ONE. (" in rest
    assert "everthread:" not in rest
    assert "- Two. (" not in rest
    assert rest.endswith("below\n")
    assert "between\n" in rest
    assert with_managed(changed.text, ours("Two.")) == Change(changed.text, "unchanged")


@pytest.mark.req("S-4")
def test_one_without_an_end_below_a_whole_one_is_labelled_there() -> None:
    old = renewed(None, ours("One.")).replace("- One.", "- ONE.").replace(f"{END}\n", "")
    whole = f"mine\n{renewed(None, ours('Two.'))}between\n"
    changed = with_managed(whole + old, ours("Three."))
    theirs = old.partition(" -->\n")[2]
    assert changed.outcome == "edited"
    assert changed.text == f"{renewed(whole, ours('Three.'))}{KEPT}\n\n{theirs}"


@pytest.mark.req("S-4")
def test_a_beginning_in_a_code_fence_has_lost_nothing() -> None:
    marker = renewed(None, ours("Shown.")).partition("\n")[0]
    doc = f"# How\n```md\n{marker}\n```\n"
    assert with_managed(doc, None) == Change(doc, "absent")
    assert renewed(doc, ours("One.")).startswith(doc)


# ---- whatever the user's text is

PIECES = st.sampled_from(
    [
        "\n",
        "\r\n",
        "\r",
        " ",
        "\ufeff",
        "mine",
        "# Memory - 2026-11-15\n",
        "```\n",
        "~~~~\r\n",
        "```md\n",
        "<!-- everthread:end -->",
        "<!-- everthread:end -->\n",
        "<!-- /everthread:receipt r-1 -->\n",
        "<!-- /everthread:receipt r-2 -->",
        f"<!-- everthread:begin gap:2 sha256:{'0' * 64} -->",
        "<!-- everthread:begin -->\n",
        "\udcff",
        "é",
    ]
)
TEXTS = st.one_of(st.text(max_size=30), st.lists(PIECES, max_size=12).map("".join))
"""Texts without a whole section of ours; with all that could be taken for one."""


def _no_section(text: str) -> bool:
    return with_managed(text, None).outcome == "absent"


@pytest.mark.req("S-4", "R-15")
@given(TEXTS.filter(_no_section), st.lists(st.sampled_from(["One.", "Two.", "Ü"]), min_size=1))
@example("a\r", ["One."])
@example("\ufeff", ["One."])
@example("a\r\nb\n\n", ["One."])
@example("<!-- everthread:end -->", ["One."])
def test_memory_md_without_our_section_has_the_bytes_from_before(
    text: str, facts: list[str]
) -> None:
    now = text
    for fact in facts:
        now = renewed(now, ours(fact))
        assert now.startswith(text)
        assert now.count(f"- {fact} (") == 1
        assert with_managed(now, ours(fact)) == Change(now, "unchanged")
    assert with_managed(now, None) == Change(text, "removed")


@pytest.mark.req("R-15")
@given(st.none() | TEXTS, st.permutations(["r-1", "r-2", "r-3"]), st.integers(1, 3))
@example("a", ["r-1", "r-2", "r-3"], 3)
def test_a_daily_file_is_as_if_a_withdrawn_section_had_never_been(
    text: str | None, order: list[str], n: int
) -> None:
    full = text
    for receipt in ("r-1", "r-2", "r-3"):
        full = put(full, receipt)
    for receipt in order[:n]:
        changed = without_section(full, receipt)
        assert changed.outcome == "removed"
        full = changed.text
    expected = text
    for receipt in sorted(order[n:]):
        expected = put(expected, receipt)
    assert full == expected


LINES = st.lists(st.sampled_from(["mine", "", "- x", "```", "# T", "é"]), max_size=5)


@pytest.mark.req("S-4", "R-15")
@given(LINES, LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_words_of_the_user_survive_around_and_inside_our_markers(
    above: list[str], inside: list[str], below: list[str], eol: str, out: bool
) -> None:
    head, body, tail = (
        "".join(f"{name}{n}{line}{eol}" for n, line in enumerate(lines))
        for name, lines in (("a", above), ("b", inside), ("c", below))
    )
    text = renewed(head, ours("One.")).replace("<!-- everthread:end", f"{body}<!-- everthread:end")
    changed = with_managed(text + tail, None if out else ours("Two."))
    assert changed.text is not None
    assert changed.text.startswith(head)
    assert body in changed.text
    assert changed.text.endswith(tail)
    assert changed.outcome == ("edited" if body else "removed" if out else "written")
