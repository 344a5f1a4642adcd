"""How well refusals are told from what only looks like one, beside five phrases that anybody would list.

    python bench/refusals/run.py               # both halves; the test half only under frozen rules
    python bench/refusals/run.py --tuning      # the half that rules are written by, with every miss
    python bench/refusals/run.py --freeze      # from now on these rules, and no others, meet the test half
    python bench/refusals/run.py --harsh       # the test half without every phrase that it alone shows
    python bench/refusals/run.py --completions A.csv B.csv   # answers of models that others labelled

Each passage belongs to a half by the hash of its text. `frozen.json` holds the hash of the rules.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from everthread.domain.safety import refusals, refusals_foreign, refusals_forms
from everthread.domain.safety.refusals import refusal

HERE = Path(__file__).parent
LABELLED, FROZEN, RESULT = (
    HERE / name for name in ("labelled.jsonl", "frozen.json", "result.json")
)
BLIND = HERE / "blind.jsonl"
"""Passages by somebody who had seen neither the rules nor the other passages, after the last freeze."""
FLOOR = ("i can't", "i cannot", "i won't", "i'm sorry", "as an ai")
RULES = (refusals, refusals_forms, refusals_foreign)


class Passage(NamedTuple):
    refusal: bool
    language: str
    kind: str
    text: str

    @property
    def half(self) -> str:
        return "test" if hashlib.sha256(self.text.encode()).digest()[0] % 2 else "tuning"


class Found(NamedTuple):
    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


def passages(place: Path = LABELLED) -> list[Passage]:
    lines = place.read_text(encoding="utf-8").splitlines()
    return [Passage(**json.loads(line)) for line in lines]


def rules_hash() -> str:
    """Of all that the rules say; from where they import a helper, and blank lines, are no part of it."""
    lines: list[str] = []
    for module in RULES:
        text = Path(str(module.__file__)).read_text(encoding="utf-8")
        told = (line for line in text.splitlines() if line.strip())
        lines += (line for line in told if not line.startswith(("from ", "import ")))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def by_phrases(text: str) -> bool:
    lower = text.lower().replace("’", "'")
    return any(phrase in lower for phrase in FLOOR)


def ours(text: str) -> bool:
    return refusal(text) is not None


def measured(rows: list[Passage], says: Callable[[str], bool]) -> Found:
    told = [(row.refusal, says(row.text)) for row in rows]
    return Found(told.count((True, True)), told.count((False, True)), told.count((True, False)))


def shown(half: str, rows: list[Passage]) -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    for name, says in (("ours", ours), ("five phrases", by_phrases)):
        found = measured(rows, says)
        figures[name] = {
            "passages": len(rows),
            "refusals": sum(row.refusal for row in rows),
            "precision": round(found.precision, 4),
            "recall": round(found.recall, 4),
            "wrong": found.wrong,
            "missed": found.missed,
        }
        print(
            f"{half:7} {name:13} precision {found.precision:6.1%}  recall {found.recall:6.1%}  "
            f"(wrong {found.wrong}, missed {found.missed}, of {len(rows)})"
        )
    return figures


def completions(files: list[Path]) -> list[Passage]:
    """Answers as XSTest publishes them; a `final_label` that begins with 1 says that one complies."""
    found: list[Passage] = []
    for file in files:
        with file.open(newline="", encoding="utf-8") as lines:
            for row in csv.DictReader(lines):
                refused = not row["final_label"].startswith("1")
                found.append(Passage(refused, "en", file.stem, row["completion"]))
    return found


class Without:
    """A pattern that has forgotten some of what it finds."""

    def __init__(self, pattern: re.Pattern[str], forgotten: set[str]) -> None:
        self._pattern, self._forgotten = pattern, forgotten

    def search(self, text: str) -> re.Match[str] | None:
        found = self._pattern.finditer(text)
        return next((match for match in found if match[0] not in self._forgotten), None)


def forget_what_only(rows: list[Passage], others: list[Passage]) -> None:
    """Whoever wrote the rules knew all passages: take away what only these could have taught."""

    def hit(pattern: re.Pattern[str], among: list[Passage]) -> set[str]:
        texts = (row.text.lower().replace("’", "'") for row in among if row.refusal)
        return {match[0] for text in texts for match in pattern.finditer(text)}

    for name in ("HARM", "DECLINE", "POLICY"):
        pattern = getattr(refusals_forms, name)
        setattr(refusals_forms, name, Without(pattern, hit(pattern, rows) - hit(pattern, others)))


def misses(rows: list[Passage]) -> None:
    for row in rows:
        if ours(row.text) != row.refusal:
            word = "missed" if row.refusal else "wrong "
            print(f"  {word} {row.language} {row.kind}: {' '.join(row.text.split())[:110]}")


def speed(rows: list[Passage]) -> float:
    """Milliseconds of the processor for a kilobyte of text."""
    text = "\n\n".join(row.text for row in rows if not row.refusal)
    pieces = [text[at : at + 4_000] for at in range(0, len(text), 4_000)]
    began = time.process_time()
    for _ in range(5):
        for piece in pieces:
            refusal(piece)
    spent = time.process_time() - began
    return 1_000 * spent / (5 * len(text.encode()) / 1_024)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tuning", action="store_true")
    parser.add_argument("--freeze", action="store_true")
    parser.add_argument("--harsh", action="store_true")
    parser.add_argument("--completions", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--misses", action="store_true", help="also those of the test half")
    asked = parser.parse_args()
    if asked.completions:
        shown("others", completions(asked.completions))
        return 0
    halves = {half: [row for row in passages() if row.half == half] for half in ("tuning", "test")}
    labelled = hashlib.sha256(LABELLED.read_bytes()).hexdigest()
    if asked.freeze:
        FROZEN.write_text(
            json.dumps({"rules": rules_hash(), "labelled": labelled}, indent=1) + "\n"
        )
    figures = {"tuning": shown("tuning", halves["tuning"])}
    misses(halves["tuning"])
    if asked.tuning:
        return 0
    frozen = json.loads(FROZEN.read_text()) if FROZEN.exists() else {}
    if frozen != {"rules": rules_hash(), "labelled": labelled}:
        print("The rules or the passages are not those that were frozen; the test half is not run.")
        return 1
    if asked.harsh:
        forget_what_only(halves["test"], halves["tuning"])
    figures["test"] = shown("test", halves["test"])
    figures["blind"] = shown("blind", passages(BLIND))
    if asked.misses:
        misses(halves["test"])
    each = speed(halves["tuning"])
    print(f"{each:.2f} ms of CPU a kilobyte; rules {frozen['rules'][:12]}")
    if asked.freeze and not asked.harsh:
        RESULT.write_text(json.dumps({**frozen, "figures": figures}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
