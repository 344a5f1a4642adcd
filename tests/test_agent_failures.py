"""What an agent fails at: what went wrong and is so still, and not what it explains, prevents or mends."""

from __future__ import annotations

import pytest

from everthread.domain.gleaning.agent_statements import from_agent
from everthread.domain.gleaning.digest import Digest
from everthread.domain.gleaning.gleaner import Gleaner
from everthread.domain.gleaning.utterances import take_apart
from support.spoken import spoken

pytestmark = pytest.mark.req("A-13", "LA-10")


def kinds(text: str) -> list[str]:
    return [found.kind for found in from_agent(take_apart(text))]


def gleaned(*said: tuple[str, str]) -> Digest:
    gleaner = Gleaner()
    for n, (by, text) in enumerate(said, start=1):
        gleaner.read(spoken(text, by, n=n))  # pyright: ignore[reportArgumentType]
    return gleaner.digest()


def failures(digest: Digest) -> list[str]:
    return [p.text for p in digest.points if p.kind == "failure" and p.by == "agent"]


@pytest.mark.parametrize(
    "text",
    [
        "The build failed because `libkiln` 2.1 is missing.",
        "I tried the new driver of `kiln.py`, but it didn't help.",
        "I could not find the map of the mill.",
        "I couldn't get the queue of the printer to start.",
        "We can see that the nightly import failed.",
        "The export of `orders.csv` did not run and failed at 02:10.",
        "Two of 14 tests fail in `tax_test.py`.",
        "I reverted the label of `door.css` because the layout broke.",
        "The upload to `depot` timed out after 30 s.",
        "Die Migration ist fehlgeschlagen, weil `kunden.csv` leer ist.",
        "La copia de seguridad falló en el servidor `db2`.",
        "The problem is that the router blocks port 8443.",
        "I fixed the header, but the test of the footer still fails.",
        "The scanner hangs at page 3.",
        "I fixed `door.py`. The build failed with exit code 2.",
    ],
)
def test_what_went_wrong_is_a_failure(text: str) -> None:
    assert "failure" in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "It prevents the importer of `orders.csv` from failing on 3 empty rows.",
        "If the disk `sda` fills up, the recorder crashes.",
        "The new check in `job.py` ensures the run doesn't crash on Mondays.",
        "I replaced the broken hinge texture in `door.png`.",
        "The recorder can get stuck when the battery is below 5 %.",
        "Otherwise the pump `p4` would fail in the winter.",
        "This suggests the feed of `meter_7` is failing.",
        "The string to replace was not found in the file.",
        "The issue is likely:",
        "The problem might be the cable of `meter_7`.",
        "The runner now works on the laptop without crashing.",
        "A dyke isn't passive; it shapes the river.",
        "That doesn't just fix the typo, it clears the queue of `mail.py`.",
        "The user says the menu of `shop.html` is broken.",
        "The schema of `tags` doesn't support 3 levels.",
        'Red means "this doesn\'t match".',
        "这样可以避免导入 `orders.csv` 失败。",
    ],
)
def test_what_is_explained_prevented_or_guessed_is_none(text: str) -> None:
    assert "failure" not in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "Fixed the two tests in `stock_test.py` that were failing on Sundays.",
        "I've fixed the crash in `kiln.py` that broke the export of 40 rows.",
    ],
)
def test_what_was_mended_was_done(text: str) -> None:
    assert kinds(text) == ["done"]


@pytest.mark.parametrize(
    "text", ["已修复 `orders.csv` 导入时的错误。", "修正了 `kiln.tsx` 的语法错误。"]
)
def test_what_was_mended_is_no_failure_in_any_script(text: str) -> None:
    assert "failure" not in kinds(text)
    assert "failure" in kinds("导入 `orders.csv` 失败，第 12 行缺少字段。")


def test_what_is_well_again_at_the_end_of_the_message_is_past() -> None:
    fault = "The build of `kiln` failed because a library was missing."
    assert "failure" in kinds(fault)
    assert "failure" not in kinds(f"{fault} I've added it to `env.yml`, and it works again now.")
    assert "failure" in kinds(f"{fault} I've added it to `env.yml`, but the build still fails.")


def test_what_failed_goes_when_a_later_report_says_it_is_mended() -> None:
    asked = ("user", "Run the tests please.")
    fault = (
        "agent",
        "Two tests failed in the nightly task because `Locale.parse` is not mocked in `TaxTest` (line 7 "
        "of its set-up), and so nothing of it was run.",
    )
    fixes = ("user", "Please fix the tests.")
    mended = "Fixed the tests in `TaxTest` by mocking `Locale.parse`."
    other = "Fixed the spelling of 3 labels in `page.css`."
    assert failures(gleaned(asked, fault, fixes, ("agent", other))) == [fault[1]]
    assert not failures(gleaned(asked, fault, fixes, ("agent", mended)))


def test_a_cause_mended_in_the_same_message_is_not_told() -> None:
    cause = "The issue is that `export.py` opens the file 40 times."
    done = "I've updated `export.py` to open the file once."
    assert not failures(gleaned(("user", "Make it faster."), ("agent", f"{cause} {done}")))
