"""The documentation as the tests see it: pages, their code blocks and their links.

A fenced block tagged `python` or `sh` is run, page by page, in order, in one folder; a `text` block
that follows one at once is what it must print (`…` stands for anything, alone on a line for any
lines). `<!-- not run: reason -->` before a block leaves it out.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from everthread import Everthread

ROOT = Path(__file__).resolve().parent.parent.parent

RUN = frozenset({"python", "sh"})
SHOWN = frozenset({"text", "toml", "json", "sql", "ini"})
PATIENCE = 120
HERE = Path(sys.executable).parent

FENCE = re.compile(r"^```(?P<language>\S*)\s*$")
EXCUSE = re.compile(r"^<!-- not run: (?P<reason>.+) -->$")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$")
CODE = re.compile(r"`[^`]*`")
ANYTHING = "…"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block, where it stands, why it is not run, and what it must print."""

    page: Path
    line: int
    language: str
    text: str
    excuse: str | None = None
    printed: str | None = None

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


# ---- reading


def pages() -> list[Path]:
    """Every page of the documentation, those at the root included."""
    return [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, each with what it must print if that follows at once."""
    found: list[Block] = []
    for block, follows in _fenced(page):
        if found and follows and block.language == "text" and found[-1].language in RUN:
            found[-1] = replace(found[-1], printed=block.text)
        found.append(block)
    return found


def _fenced(page: Path) -> Iterator[tuple[Block, bool]]:
    """Every block, and whether nothing but blank lines lies between it and the one before."""
    excuse: str | None = None
    follows = False
    lines = iter(enumerate(page.read_text("utf-8").splitlines(), 1))
    for number, line in lines:
        fence = FENCE.match(line)
        if fence is not None:
            text = "\n".join(_until_fence(lines))
            yield Block(page, number, fence["language"], text, excuse), follows
        excused = EXCUSE.match(line)
        if line.strip():
            excuse = excused["reason"] if excused else None
            follows = fence is not None


def _until_fence(lines: Iterator[tuple[int, str]]) -> Iterator[str]:
    for _, line in lines:
        if line.startswith("```"):
            return
        yield line


def prose(page: Path) -> str:
    """The page without its code, fenced or inline."""
    kept: list[str] = []
    inside = False
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            kept.append(line)
    return CODE.sub("", "\n".join(kept))


def links(page: Path) -> list[str]:
    return [found["target"] for found in LINK.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    """The names under which a page's headings can be linked to."""
    headings = filter(None, map(HEADING.match, page.read_text("utf-8").splitlines()))
    return {anchor(found["title"]) for found in headings}


def anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def broken_links(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere; those into the web are not followed."""
    for target in links(page):
        if "://" in target:
            continue
        name, _, heading = target.partition("#")
        place = page if not name else (page.parent / name).resolve()
        if not place.exists():
            yield f"{target}: no such file"
        elif heading and heading not in anchors(place):
            yield f"{target}: no such heading"


def reachable(start: Path) -> set[Path]:
    """Every page that a reader finds by following links from here."""
    seen: set[Path] = set()
    left = [start]
    while left:
        page = left.pop()
        if page not in seen and page.suffix == ".md" and page.is_file():
            seen.add(page)
            targets = (t.partition("#")[0] for t in links(page) if "://" not in t)
            left += [(page.parent / target).resolve() for target in targets if target]
    return seen


# ---- running


class Stage:
    """Where a page is played: one Python namespace, one folder, one environment.

    `commands` is the folder in which its shell finds `everthread` first.
    """

    def __init__(self, commands: Path = HERE) -> None:
        self._names: dict[str, Any] = {"__name__": "__main__"}
        self._commands = commands

    def play(self, block: Block) -> None:
        """Run the block; what it prints must be what the page says."""
        output = self._python(block) if block.language == "python" else self._shell(block)
        if block.printed is not None and not like(output, block.printed):
            raise AssertionError(f"{block.where} prints\n\n{output}\nand not\n\n{block.printed}")

    def _python(self, block: Block) -> str:
        # Blank lines before it, so that a traceback names the line of the page.
        padded = "\n" * block.line + block.text
        code = compile(padded, str(block.page), "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(code, self._names)
        return output.getvalue()

    def _shell(self, block: Block) -> str:
        places = (str(self._commands), str(HERE), os.environ["PATH"])
        done = subprocess.run(
            ["sh", "-e", "-c", block.text],
            env={**os.environ, "PATH": os.pathsep.join(places)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            complaint = f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
            raise AssertionError(f"{block.where}: {complaint}")
        return done.stdout

    def close(self) -> None:
        """Close what the page left open."""
        for value in self._names.values():
            if isinstance(value, Everthread):
                value.close()


def like(output: str, printed: str) -> bool:
    """Does the output fit what the page shows of it?"""
    return re.fullmatch(_pattern(printed.splitlines()), _neat(output)) is not None


def _pattern(lines: Sequence[str]) -> str:
    return "".join(
        r"(?:[^\n]*\n)*?"
        if line.strip() == ANYTHING
        else r"[^\n]*".join(map(re.escape, line.rstrip().split(ANYTHING))) + "\n"
        for line in lines
    )


def _neat(output: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in output.strip("\n").splitlines())
