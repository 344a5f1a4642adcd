"""Figures: what was measured, as ratios, against its budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Line:
    """One figure; with a budget it passes or misses."""

    name: str
    value: float
    unit: str = "x"
    budget: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.budget is None:
            return ""
        return "PASS" if self.value <= self.budget else "MISS"


@dataclass(slots=True)
class Report:
    """The lines of one bench, and the samples they came from."""

    bench: str
    lines: list[Line] = field(default_factory=list)
    samples: dict[str, dict[str, float]] = field(default_factory=dict)

    def sampled(self, name: str, taken: Sequence[int]) -> float:
        """Keep the summary of some CPU times; their median in microseconds."""
        summary = summed(taken)
        self.samples[name] = summary
        return summary["median_us"]

    def ratio(self, name: str, of: str, to: str, *, budget: float | None = None) -> None:
        """One median over another; in the note the same for the quieter quarter of the run."""
        medians, quarters = (
            self.samples[of][kind] / self.samples[to][kind] for kind in ("median_us", "q1_us")
        )
        self.add(name, medians, budget=budget, note=f"lower quartile {quarters:.2f}")

    def add(self, name: str, value: float, **rest: Any) -> None:
        self.lines.append(Line(name, value, **rest))

    def as_json(self) -> dict[str, Any]:
        lines = [asdict(line) | {"verdict": line.verdict} for line in self.lines]
        return {"bench": self.bench, "lines": lines, "samples": self.samples}


def summed(taken: Sequence[int]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "count": len(ordered),
        "q1_us": ordered[len(ordered) // 4] / 1000,
        "median_us": median(ordered) / 1000,
        "p95_us": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)] / 1000,
    }


def shown(report: Report) -> Iterable[str]:
    """The report as text."""
    yield f"\n{report.bench}"
    for name, s in report.samples.items():
        yield f"    {name:<46}{s['median_us']:>10.1f} µs{s['p95_us']:>11.1f} µs p95"
    for line in report.lines:
        bound = "" if line.budget is None else f"  (at most {line.budget:g})"
        note = f"  {line.note}" if line.note else ""
        yield f"    {line.verdict:<5}{line.name:<48}{_number(line)}{bound}{note}"


def _number(line: Line) -> str:
    places = 2 if abs(line.value) < 100 else 0
    return f"{line.value:>10,.{places}f} {line.unit}"
