"""No text leads a pattern into endless work: one message would stop the whole program."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import everthread
from support.hostile import Hostile
from support.pattern_shapes import captures_in_what_is_kept, keeps_repeated_group
from support.pattern_work import every

pytestmark = pytest.mark.req("A-12")

SOAK = bool(os.environ.get("EVERTHREAD_SOAK"))

THING = r"no (?:[^\s,.;:]+ ){1,6}?"
ENDLESS = {
    "a word in two parts": rf"^{THING}(?:(?:and|or|,) {THING})*(?:\S+ ){{0,3}}?please",
    "twice the same": r"^(?:(?:ok|one thing|(?:one|two) things?|so)\b[\s,]*)*please",
    "blanks on both sides": r"(?:\s*(?:ok|sure)\b\s*)*:$",
    "words without a gap": r"^(?:in|valid|invalid|key)+$",
}
LONG = {
    "three times the same": r"\w*\d\w*:",
    "blanks and blanks": r"[,.]\s+\W*\s*x",
}


def looked(seed: int, effort: int, known: Path, *made: Sequence[Any]) -> dict[str, Any]:
    """What a process of its own found: it ends, whatever the patterns do."""
    command = [sys.executable, "-m", "support.pattern_work", str(seed), str(effort), str(known)]
    done = subprocess.run(
        [*command, *([json.dumps(made)] if made else [])],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=550,
        check=False,
    )
    assert done.returncode == 0, f"ended by {done.returncode} at: {done.stderr[-400:]}"
    return json.loads(done.stdout)


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, 1, 2] if SOAK else [0])
def test_every_pattern_is_done_soon_whatever_it_is_given(
    seed: int, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Other texts, and more of them, in `make soak`.

    To look at all takes a processor more than a minute, so what was found sound is not looked at again
    before the pattern or that which looks at it changes.
    """
    cache: pytest.Cache | None = getattr(request.config, "cache", None)  # may be switched off
    kept = cache.mkdir("sound-patterns") if cache else tmp_path
    found = looked(seed, 6 if SOAK else 2, kept / f"{seed}-{SOAK}")
    assert found["all"] > 750
    assert found["slow"] == {}


def test_what_is_endless_or_grows_too_fast_is_found(tmp_path: Path) -> None:
    """The guard itself: each of these was, or might have been, in the domain."""
    planted = {**ENDLESS, **LONG, "sound": r"^(?:(?:ok|so)\b[\s,]*)*(?:no \w+ ?){0,6}please"}
    made = [(name, pattern, 0, "search") for name, pattern in planted.items()]
    found = looked(0, 4, tmp_path / "known", *made)["slow"]
    # How it grows is told by the clock: on a busy machine one may pass, so those are looked at once more.
    missed = [one for one in made if one[0] != "sound" and one[0] not in found]
    found |= looked(0, 4, tmp_path / "missed", *missed)["slow"] if missed else {}
    assert found.keys() == {*ENDLESS, *LONG}
    assert {name for name, (fault, _) in found.items() if fault == "for ever"} == {*ENDLESS}


def test_only_what_was_found_sound_as_it_is_now_is_not_looked_at_again(tmp_path: Path) -> None:
    known, endless = tmp_path / "known", ("bad", ENDLESS["twice the same"], 0, "search")
    sound = ("one", r"one+", 0, "search")
    assert looked(0, 2, known, sound, endless)["new"] == 2
    again = looked(0, 2, known, ("moved", *sound[1:]), endless)
    assert (again["new"], [*again["slow"]]) == (1, ["bad"]), "what is slow is found each time"
    changed = [
        ("one", r"one*", 0, "search"),
        ("one", r"one+", 2, "search"),
        ("one", "one+", 0, "match"),
    ]
    assert looked(0, 2, known, *changed)["new"] == len(changed)
    assert looked(1, 2, known, changed[0])["new"] == 1


def test_hostile_texts_come_to_the_part_that_repeats_and_stay_there() -> None:
    texts = list(Hostile(r"start: (?:one|two)* end").short(4))
    assert all(re.match(r"start: (?:one|two){4}", text) for text in texts)
    assert {"one", "two"} <= {text[7:10] for text in texts}
    assert list(Hostile("plain").short(4)) == []
    assert texts == list(Hostile(r"start: (?:one|two)* end").short(4)), "the same each time"


def test_no_pattern_captures_inside_of_what_it_never_gives_back() -> None:
    found = [made.where for made in every() if captures_in_what_is_kept(made.pattern, made.flags)]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "captures"),
    [
        (r"(?:a(b)|c){0,4}+", True),
        (r"(?>x(?P<y>z)?)", True),
        (r"((?:a|b){0,4}+)", False),
        (r"(?:a(b)|c){0,4}", False),
        (r"(?=(?:x(?:y|(z)))*+)", True),
    ],
)
def test_what_is_captured_where_is_seen(pattern: str, captures: bool) -> None:
    assert captures_in_what_is_kept(pattern, 0) is captures


def test_no_pattern_repeats_a_group_in_the_way_that_early_pythons_get_wrong() -> None:
    """With Debian 12's own Python a distillation failed by it."""
    found = [made.where for made in every() if keeps_repeated_group(made.pattern, made.flags)]
    assert found == []
    # Beyond the domain, of which all patterns are read, by how it is written.
    written = re.compile(r"\)(?:[*+?]|\{[\d,{}]+\})\+")
    files = Path(everthread.__file__).parent.rglob("*.py")
    assert [file for file in files if written.search(file.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("pattern", "does"),
    [
        (r"x(?:a|bc)++y", True),
        (r"(?:ab){1,3}+", True),
        (r"(?=(?:ab)*+)", True),
        (r"(?>(?:a|bc)+)y", False),
        (r"[a-z]*+\s++.?+", False),
    ],
)
def test_a_group_that_is_repeated_so_is_seen(pattern: str, does: bool) -> None:
    assert keeps_repeated_group(pattern, 0) is does
