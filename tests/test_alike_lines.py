"""Lines of a tool that differ in figures and names alone are asked for once: by the last of them."""

from __future__ import annotations

import pytest

from everthread.domain.conversation.messages import Message
from everthread.domain.distilling import alike_lines
from everthread.domain.distilling.alike_lines import AlikeLines, shape_of
from everthread.domain.distilling.continuity import Draw, Item
from support.spoken import spoken

pytestmark = pytest.mark.req("R-16", "A-74")


def drawn(*messages: Message, whole_runs: bool = False) -> list[Item]:
    draw = Draw(1, whole_runs=whole_runs)
    for message in messages:
        draw.read(message)
    return draw.items()


def texts(kind: str, items: list[Item]) -> list[str]:
    return sorted(item.text for item in items if item.kind == kind)


def printed(*lines: str, n: int = 1) -> Message:
    return spoken("\n".join(lines), "tool", n=n)


TIMINGS = [f"exporter: batch {n + 410} took {n * 31 + 205} ms" for n in range(12)]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (TIMINGS[0], TIMINGS[7], True),
        ("tests/test_a.py::test_it PASSED [  8%]", "tests/test_b.py::test_me PASSED [100%]", True),
        ("Resolving 41 %", "Resolving 100 %", True),
        ("wrote 12 rows", "read 12 rows", False),
        ("=== 34 passed in 6.2s ===", "=== 1 failed, 34 passed in 6.2s ===", False),
        ("port 8443 is open", "port 8443 is not open", False),
        ("DB_PORT=5432", "SMTP_PORT=2525", False),
        ('  "max_retries": 5,', '  "pool_size": 20', False),
        ("work_mem = 4096", "max_wal_size = 1024", False),
        ("pool_size = 20", "pool_size = 30", True),
        ("bed_3: 41 litres", "bed_4: 42 litres", True),
    ],
)
def test_lines_are_alike_by_their_words(one: str, other: str, alike: bool) -> None:
    assert (shape_of(one) == shape_of(other)) is alike


def test_the_last_of_a_run_stands_for_it() -> None:
    items = drawn(printed(*TIMINGS, "12 batches were imported for the shop."))
    assert texts("numbers", items) == ["12", str(11 * 31 + 205)]


def test_a_run_goes_on_in_the_next_output() -> None:
    """Who waits for something to be done looks again and again."""
    looks = [printed(f"The build is at {n} percent.", n=n) for n in range(11, 31)]
    assert texts("numbers", drawn(*looks)) == ["30"]


def test_names_in_a_run_are_asked_for_once() -> None:
    lines = [f"tests/test_shop.py::test_price_{n} PASSED in {n}41 ms" for n in range(1, 10)]
    items = drawn(printed(*lines))
    assert texts("names", items) == ["tests/test_shop.py::test_price_9"]


def test_two_lines_are_no_run() -> None:
    items = drawn(printed("The pump gave 4102 litres.", "The pump gave 4188 litres."))
    assert texts("numbers", items) == ["4102", "4188"]


@pytest.mark.parametrize("by", ["user", "agent"])
def test_what_somebody_says_is_each_asked_for(by: str) -> None:
    said = [spoken(f"The pump of bed {n} gave {n + 4100} litres.", by, n=n) for n in range(11, 16)]  # pyright: ignore[reportArgumentType]
    wanted = {str(n + 4100) for n in range(11, 16)}
    assert wanted <= {*texts("numbers", drawn(*said))}


def test_what_somebody_said_before_stays_though_a_tool_prints_it_in_a_run() -> None:
    said = spoken("Batch 412 is the one that I wait for.", n=1)
    assert "412" in texts("numbers", drawn(said, printed(*TIMINGS, n=2)))


def test_files_and_errors_are_each_asked_for() -> None:
    lines = [f"FAILED src/shop/part_{n}.py" for n in range(5)]
    assert len(texts("files", drawn(printed(*lines)))) == len(lines)


def test_of_an_old_receipt_each_can_still_be_told() -> None:
    """It names items that were drawn one by one."""
    items = drawn(printed(*TIMINGS), whole_runs=True)
    assert len(texts("numbers", items)) > len(TIMINGS)


def test_of_endlessly_many_kinds_of_lines_the_newest_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alike_lines, "MOST_RUNS", 2)
    runs = AlikeLines()
    for word in ("red", "green", "blue"):
        for n in (1, 2):
            assert runs.replaced("numbers", f"{word} {n}", n) == []
    assert runs.replaced("numbers", "blue 3", 3) == [2, 1]
    assert runs.replaced("numbers", "red 3", 3) == [], "it was let go"
