"""How fast the plain distiller is, what it weighs, and what a turn feels of it.

    python bench/distill/speed.py glean TOKENS    the distiller alone, in this process
    python bench/distill/speed.py chat 0          the same, of a long chat
    python bench/distill/speed.py distil FOLDER   the thread of a filled store, in this process
    python bench/distill/speed.py aside FOLDER    what a turn would wait for the worker that distils it

The bench starts these as children, so that what each weighs is its own.
"""

from __future__ import annotations

import json
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[1] / "recall"))

from endless import endless
from ours import blocks_of, has_pure, messages_of
from product import Product, can_distil
from steps import Step, threads

import everthread
from everthread import Settings

TOKENS = 2_000_000
SMALL = 150
"""Messages of a usual thread."""
BUSY = 100_000
"""Tokens of the thread that is distilled while turns go on in it."""
SUMMARY = 20_000
IDLE = 100
"""Turns at rest, after each distillation."""
SCORING = 150
"""Turns beside the score. So many more may make the next distillation due, which goes before the score."""
PATIENCE = 180.0
"""Seconds that the worker may take."""
CHANGED = "in between"
"""Begun in one phase and ended in the next: the first after the commit recalls for the first time."""
AGAIN = "distilling again"
"""So many turns came meanwhile that the next is due: of a longer view, to which no rest was measured."""
PHASES = ("at rest", "waiting", "distilling", CHANGED, AGAIN, "scoring", "idle after")
MANY = 1_000
"""Receipts: all there are."""
PACES = {"without a pause": 0.0, "a tenth of a second apart": 0.1}
"""Seconds between two turns. No model answers as soon as that; without any pause is the worst there is."""
LATER = datetime(2027, 1, 1, tzinfo=UTC)


def measure(data: Path, *, quick: bool = False) -> dict[str, Any]:
    tokens = TOKENS // 10 if quick else TOKENS
    told: dict[str, Any] = {}
    if has_pure():
        told["distiller alone"] = _child(data, "glean", str(tokens))
        if (data / "beam_500k").is_dir():
            told["distiller alone, a chat"] = _child(data, "chat", "0")
    if can_distil():
        told["thread"] = _long(data, tokens)
        told["usual thread"] = _usual(data, 1 if quick else 5)
        told["turns"] = _turns(data, 1 if quick else 3)
    return told


def _steps(data: Path) -> list[Step]:
    """Sessions with few turns and much work: a long history is not read again for every message."""
    return [step for talk in threads(data) if talk.name != "aider" for step in talk.steps]


def _child(data: Path, *command: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, *command, str(data)], stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def _weight() -> float:
    """The most memory that this program ever had, in MB.

    Linux counts it anew when a program starts; the figure of `getrusage` begins with the parent's.
    """
    try:
        told = Path("/proc/self/status").read_text("ascii")
    except FileNotFoundError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def _chat(data: Path) -> Iterable[tuple[Step, int]]:
    """A person and an assistant at length, all of it prose and code: there is most to read in a token."""
    from baselines import count
    from beam import load
    from gold import steps_of

    return ((step, count(step.text)) for talk in load(data, "500k")[:1] for step in steps_of(talk))


def glean(steps: Iterable[tuple[Step, int]]) -> dict[str, Any]:
    """The distiller alone: reading and rendering are timed, making the messages is not."""
    from baselines import count

    from everthread.domain.distilling.summaries import render
    from everthread.domain.gleaning.digest import digest_text
    from everthread.domain.gleaning.gleaner import Gleaner

    gleaner, told, before = Gleaner(), 0, _weight()
    seconds, worked, worst, messages = 0.0, 0.0, 0.0, 0
    for step, size in steps:
        told += size
        for message in messages_of([step]):
            start, begun = time.perf_counter(), time.process_time()
            gleaner.read(message)
            seconds += time.perf_counter() - start
            took = time.process_time() - begun
            worked, worst, messages = worked + took, max(worst, took), messages + 1
    start = time.process_time()
    digest = gleaner.digest()
    render(digest, number=1, tokens=SUMMARY, count=count)
    ending = time.process_time() - start
    return {
        "tokens": told,
        "messages": messages,
        "tokens a minute": told / (seconds + ending) * 60,
        "tokens a minute of CPU": told / (worked + ending) * 60,
        "worst message, ms of CPU": worst * 1000,
        "digest and summary, ms of CPU": ending * 1000,
        "digest, kB": len(digest_text(digest)) / 1000,
        "peak MB": _weight(),
        "MB before": before,
    }


def _fill(folder: Path, steps: Iterable[Step], start: datetime) -> int:
    """A store with these steps in one thread; how many messages that makes."""
    messages = 0
    with Product(folder, start, embedder="off") as product:
        for step in steps:
            product.hear([step])
            messages += len(blocks_of(step, 0))
    return messages


def _long(data: Path, tokens: int) -> dict[str, Any]:
    steps = _steps(data)
    with TemporaryDirectory(prefix="everthread-distill-") as folder:
        sized = [0]

        def counted() -> Iterable[Step]:
            for step, size in endless(steps, tokens):
                sized[0] += size
                yield step

        messages = _fill(Path(folder), counted(), steps[0].at)
        told = _child(data, "distil", folder)
    told |= {"tokens": sized[0], "messages": messages}
    told["tokens a minute, to the commit"] = sized[0] / told["commit, s"] * 60
    told["tokens a minute, score too"] = sized[0] / told["seconds"] * 60
    return told


def distil(folder: Path) -> dict[str, Any]:
    """Distils the thread of a filled store once."""
    with Product(folder, LATER, embedder="off") as product:
        before, start, begun = _weight(), time.perf_counter(), time.process_time()
        receipt = product.ada.distill()
        took, worked = time.perf_counter() - start, time.process_time() - begun
    weights = {"peak MB": _weight(), "MB before": before}
    return {"seconds": took, "seconds of CPU": worked, **weights, **_told(receipt)}


def _told(receipt: Any) -> dict[str, Any]:
    """What the receipt says of itself: its stages add up to the commit, scoring comes after it."""
    stages = dict(receipt.detail["timings"])
    return {
        "outcome": receipt.outcome,
        "commit, s": sum(stages.values()) / 1000,
        "stages, ms": stages,
    }


def _usual(data: Path, rounds: int) -> dict[str, Any]:
    """A thread of 150 messages: seconds to the commit, and what scoring took after it."""
    steps = _first(_steps(data), SMALL)
    commits, scores = list[float](), list[float]()
    for _ in range(rounds):
        with TemporaryDirectory(prefix="everthread-distill-") as folder:
            _fill(Path(folder), steps, steps[0].at)
            with Product(Path(folder), LATER, embedder="off") as product:
                start = time.perf_counter()
                told = _told(product.ada.distill())
                took = time.perf_counter() - start
                commits.append(told["commit, s"])
                scores.append(took - commits[-1])
    return {
        "rounds": rounds,
        "commit, s": {"median": statistics.median(commits), "worst": max(commits)},
        "score and repair, s": {"median": statistics.median(scores), "worst": max(scores)},
    }


def _first(steps: Sequence[Step], messages: int) -> list[Step]:
    kept, seen = list[Step](), 0
    for step in steps:
        seen += len(blocks_of(step, 0))
        if seen > messages:
            break
        kept.append(step)
    return kept


def _turns(data: Path, rounds: int) -> dict[str, Any]:
    """Turns on a thread at rest, while the worker distils and scores it, and after; round by round."""
    steps = [step for step, _ in endless(_steps(data), BUSY)]
    took: dict[str, dict[str, list[float]]] = {
        pace: {name: [] for name in PHASES} for pace in PACES
    }
    with TemporaryDirectory(prefix="everthread-distill-") as place:
        filled = Path(place) / "filled"
        filled.mkdir()
        _fill(filled, steps, steps[0].at)
        aside = _child(data, "aside", str(filled))
        for _ in range(rounds):
            for pace, apart in PACES.items():
                _round(filled, took[pace], apart)
    told = {
        f"{name}, {pace}": _spread(turns)
        for pace, phases in took.items()
        for name, turns in phases.items()
        if turns
    }
    return told | {f"by the worker's CPU, {name}": spread for name, spread in aside.items()}


def _round(filled: Path, phases: dict[str, list[float]], apart: float) -> None:
    """Beside the worker and at rest, each on a copy of its own and after each other."""
    copy = filled.with_name("copy")
    shutil.copytree(filled, copy)
    shown = _at_work(copy, phases, apart)
    shutil.rmtree(copy)
    shutil.copytree(filled, copy)
    _at_rest(copy, phases["at rest"], shown, apart)
    shutil.rmtree(copy)


def _opened(folder: Path, *, background: bool) -> everthread.Everthread:
    settings = Settings(home=folder / "home", embedder="off")
    return everthread.connect(folder / "bench.db", background=background, settings=settings)


def _at_rest(folder: Path, took: list[float], turns: int, apart: float) -> None:
    """The same turns with no worker beside them: every turn makes the view longer and the next one dearer."""
    with _opened(folder, background=False) as et:
        ada = et.agent("ada")
        # A program's first turn loads what it needs, and is not counted beside the worker either.
        _turn(ada, 0)
        for number in range(1, turns):
            time.sleep(apart)
            took.append(_turn(ada, number))


def _at_work(folder: Path, phases: dict[str, list[float]], apart: float) -> int:
    """The view is long enough to be due: the end of a turn hands it to the worker, a thread beside.

    How many turns there were until the view was distilled.
    """
    shown = made = beside = 0
    with _opened(folder, background=True) as et:
        ada, end = et.agent("ada"), time.monotonic() + PATIENCE
        phase = _phase(ada)
        while phase != "idle after" and beside < SCORING:
            _must_come(phase, end)
            time.sleep(apart)
            before = _phase(ada)  # it may have gone on meanwhile
            took, phase = _turn(ada, made), _phase(ada)
            if made:
                phases[phase if before in ("waiting", phase) else CHANGED].append(took)
            made += 1
            shown = made if phase in ("waiting", "distilling") else shown
            beside += phase in ("scoring", AGAIN)
        while not all(map(_is_settled, ada.receipts(limit=MANY))):
            _must_come("the scores", end)
            time.sleep(0.1)
        for number in range(IDLE):
            time.sleep(apart)
            phases["idle after"].append(_turn(ada, made + number))
    return shown


def _is_settled(receipt: Any) -> bool:
    """Is it closed, and looked at if anything was distilled?"""
    scored = receipt.score is not None or receipt.errors  # it tells there was nothing to ask for
    return bool(scored) or receipt.outcome not in ("open", "ok", "degraded")


def _must_come(what: str, end: float) -> None:
    if time.monotonic() > end:
        raise RuntimeError(f"the worker did not finish: {what}")


def _phase(ada: everthread.Agent) -> str:
    """What the receipts say is going on."""
    every = ada.receipts(limit=MANY)
    if not every:
        return "waiting"
    if every[-1].outcome == "open":
        return "distilling"
    if any(each.outcome == "open" for each in every):
        return AGAIN
    return "scoring" if every[-1].score is None else "idle after"


def _turn(ada: everthread.Agent, number: int) -> float:
    start = time.perf_counter()
    ada.turn(f"And what is left to do after step {number}?").done(f"Test {number}, then the notes.")
    return (time.perf_counter() - start) * 1000


def _spread(took: Sequence[float]) -> dict[str, float]:
    own = sorted(took)
    return {
        "turns": len(own),
        "p50": own[len(own) // 2],
        "p99": own[min(len(own) - 1, int(len(own) * 0.99))],
        "worst": own[-1],
    }


def _steps_for(what: str, tokens: str, data: str) -> Iterable[tuple[Step, int]]:
    return _chat(Path(data)) if what == "chat" else endless(_steps(Path(data)), int(tokens))


def main() -> int:
    what, value, data = sys.argv[1:4]
    if what == "aside":
        from aside import measure as told_aside

        told = told_aside(Path(value))
    else:
        told = distil(Path(value)) if what == "distil" else glean(_steps_for(what, value, data))
    json.dump(told, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
