"""Holds every pattern of the domain against hostile texts, and tells which takes long.

Runs as a program of its own: a pattern that never ends is broken off by a signal, and where that does not
help by the limit on the processor's time; the last line then tells which it was.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import resource
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple

from support.hostile import Hostile

SECONDS = 0.2
"""What one look at so short a text may take."""
LONG = 2_000
LONG_SECONDS = 2.0
"""Where a look at so long a text is broken off. How it grows is what counts: the machine may be slow."""
LOOKS = 3
NOTICED = 0.03
"""Faster ones are no trouble, however they grow."""
GROWS = 5.7
"""Twice the text takes four times as long where each sign looks at all others, and eight times where that
does so again."""
ALL_SECONDS = 120


class Made(NamedTuple):
    """A pattern, and how it is used."""

    where: str
    pattern: str
    flags: int
    use: str


class _SlowError(BaseException):
    """No error of a pattern's own."""


# ---- all there are


def every() -> list[Made]:
    """Whatever the modules of the domain compile, now or later, and what they hand to `re` itself."""
    domain = importlib.import_module("everthread.domain")
    patterns = importlib.import_module("everthread.domain.text.patterns")
    found: dict[tuple[str, int], tuple[Path, int]] = {}
    compile_, late = re.compile, patterns.lazy_pattern

    def noted(make: Callable[..., Any]) -> Callable[..., Any]:
        def making(pattern: str | bytes, flags: int = 0) -> Any:
            place = _place()
            if place is not None:
                bare = isinstance(pattern, bytes)
                text = pattern.decode("latin-1") if bare else pattern
                found.setdefault((text, int(flags) | (re.ASCII if bare else 0)), place)
            return make(pattern, flags)

        return making

    re.compile, patterns.lazy_pattern = noted(compile_), noted(late)
    try:
        names = [one.name for one in pkgutil.walk_packages(domain.__path__, "everthread.domain.")]
        files = [Path(str(importlib.import_module(name).__file__)) for name in names]
    finally:
        re.compile, patterns.lazy_pattern = compile_, late
    made = [_described(*place, *pattern) for pattern, place in found.items()]
    return sorted([*made, *(one for file in files for one in _at_once(file))])


def _place() -> tuple[Path, int] | None:
    """The module of the domain that is being loaded, and the line it has come to."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "<module>":
            file = Path(frame.f_code.co_filename)
            return (file, frame.f_lineno) if "domain" in file.parts else None
        frame = frame.f_back
    return None


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


_NAMES = re.compile(r"\b(_?[A-Z][A-Z0-9_]*)\b(?!(?:: [^=\n]*)? = )(\.\w+)?")


@cache
def _uses(file: Path) -> dict[str, set[str]]:
    """What is done with each of the constants, in a file or in all below a folder."""
    used: dict[str, set[str]] = {}
    for each in (file,) if file.is_file() else file.rglob("*.py"):
        for name, use in _NAMES.findall(each.read_text(encoding="utf-8")):
            used.setdefault(name, set()).add(use)
    return used


def _described(file: Path, line: int, pattern: str, flags: int) -> Made:
    here = f"{_short(file)}:{line}"
    for node in _tree(file).body:
        named = (
            isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno <= line <= node.end_lineno
        )
        if named and isinstance(node.value, ast.Call):
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
            known = _uses(file if name.startswith("_") else _domain(file).parent)
            return Made(f"{here} {name}", pattern, flags, _use(known.get(name, set())))
    return Made(here, pattern, flags, "search")


def _use(used: set[str]) -> str:
    """`match` looks from one place only, and need not be quick from all of them."""
    if used and used <= {".match", ".fullmatch"}:
        return "match" if ".match" in used else "fullmatch"
    return "search"


_AT_ONCE = re.compile(r"\bre\s*\.\s*(?!compile\b|escape\b|[A-Z])\w+\s*\(")


def _at_once(file: Path) -> Iterator[Made]:
    """`re.sub("…", …)` in a function."""
    if not _AT_ONCE.search(file.read_text(encoding="utf-8")):
        return  # to walk through all that a file says takes a hundred times as long
    for node in ast.walk(_tree(file)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and node.func.attr not in ("compile", "escape")
        ):
            use = node.func.attr if node.func.attr in ("match", "fullmatch") else "search"
            flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else 0
            yield Made(f"{_short(file)}:{node.lineno}", node.args[0].value, int(flags), use)


def _domain(file: Path) -> Path:
    return next(folder for folder in file.parents if folder.name == "domain")


def _short(file: Path) -> str:
    return file.relative_to(_domain(file)).as_posix()


# ---- how long they take


def slow(made: Iterable[Made], *, seed: int, effort: int) -> dict[str, tuple[str, str]]:
    """Which of them take too long, on what text, and how long that is."""
    found: dict[str, tuple[str, str]] = {}
    for one in made:
        sys.stderr.write(f"{one.where}\n")
        sys.stderr.flush()
        looks = getattr(re.compile(one.pattern, one.flags), one.use)
        hostile = Hostile(one.pattern, one.flags, seed)
        endless = (text for text in hostile.short(8 * effort) if _endless(looks, text))
        faults = ((_fault(looks, text), text) for text in hostile.long(LONG, 2 * effort))
        text = next(endless, None)
        fault = ("for ever", text) if text else next((each for each in faults if each[0]), None)
        if fault:
            found[one.where] = fault
    return found


def _endless(looks: Callable[[str], object], text: str) -> bool:
    return _taken(looks, text) is None and _taken(looks, text) is None


def _fault(looks: Callable[[str], object], text: str) -> str:
    """Some machines are busy or slow: how it grows is what counts, by the quickest of some looks.

    The first parts of the text are looked at first: where these grow no faster, the whole need not be.
    """
    first = _taken(looks, text[: LONG // 2], LONG_SECONDS)
    if first is None:
        return "too long"
    if first < NOTICED / 8:
        return ""
    quarter, half = (_quickest(looks, text[: LONG // part]) for part in (4, 2))
    if half is None or quarter is None:
        return "too long"
    if half <= GROWS * quarter:
        return ""
    whole = _quickest(looks, text)
    if whole is not None and (whole < NOTICED or whole <= GROWS * half):
        return ""
    last = "broken off" if whole is None else f"{whole:.4f} s"
    return f"{quarter:.4f} s, twice as much {half:.4f} s, four times {last}"


def _quickest(looks: Callable[[str], object], text: str) -> float | None:
    """None if it was broken off: no busy machine makes seconds of the processor out of so little."""
    quickest: float | None = None
    for _ in range(LOOKS):
        taken = _taken(looks, text, LONG_SECONDS)
        if taken is None:
            return None
        quickest = taken if quickest is None else min(quickest, taken)
    return quickest


def _taken(looks: Callable[[str], object], text: str, most: float = SECONDS) -> float | None:
    """Seconds of the processor; None if it was broken off.

    By the thread's clock: while the timer runs, the one of the process goes in steps of a tick.
    """
    began = thread_time()
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        looks(text)
    except _SlowError:
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return thread_time() - began


def _break_off(*_: object) -> None:
    raise _SlowError


# ---- what is known of them already


def _mark(one: Made, *looked: object) -> str:
    """What the finding hangs on: the pattern, how it is looked at, by what."""
    told = (one.pattern, one.flags, one.use, *looked, sys.version, _looker())
    return sha256(repr(told).encode()).hexdigest()


@cache
def _looker() -> str:
    files = (Path(__file__), Path(__file__).with_name("hostile.py"))
    return "".join(file.read_text(encoding="utf-8") for file in files)


def _read_marks(known: Path) -> frozenset[str]:
    return frozenset(known.read_text("ascii").split()) if known.exists() else frozenset()


def main() -> None:
    """Arguments: a seed, how much effort, a file, and a list of patterns as JSON instead of all there are.

    In the file are marks of those in which nothing was found: these are not looked at again.
    """
    seed, effort, known = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    made = [Made(*one) for one in json.loads(sys.argv[4])] if len(sys.argv) > 4 else every()
    resource.setrlimit(resource.RLIMIT_CPU, (ALL_SECONDS * effort, ALL_SECONDS * effort))
    signal.signal(signal.SIGPROF, _break_off)
    marks = {one: _mark(one, seed, effort) for one in made}
    sound = _read_marks(known)
    new = [one for one in made if marks[one] not in sound]
    found = slow(new, seed=seed, effort=effort)
    known.write_text("\n".join(mark for one, mark in marks.items() if one.where not in found))
    sys.stdout.write(json.dumps({"all": len(made), "new": len(new), "slow": found}))


if __name__ == "__main__":
    main()
