"""mem0 with its local store: the same texts, the same vectors, the same questions."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from sysconfig import get_path

from duel import PEERS, Child, interleaved
from figures import Report

SIZE = 10_000
LAST = 300
EMBEDDED = 100
SEARCH, FILL = 100 / 20, 100 / 50
"""In percent: a twentieth, a fiftieth."""

PEER, OURS = "mem0: search", "ours: whole search"


def bench(folder: Path, asked: Namespace) -> Report:
    report = Report(f"peer: mem0, infer=False, its local store, {SIZE:,} messages, vectors given")
    rounds = 2 if asked.quick else 6
    (folder / "peer").mkdir()
    with (
        Child(
            "search/peer_mem0.py", folder / "peer", SIZE, get_path("platlib"), python=PEERS
        ) as peer,
        Child("search/keeper.py", folder / "filled.db", SIZE, "off", "off") as keeper,
        Child("search/asker.py", folder / "ours.db", SIZE) as ours,
    ):
        told = peer.ask("fill", last=LAST)
        spent = keeper.ask("fill")
        learnt = keeper.ask("embedded", count=EMBEDDED)
        ours.ask("fill")
        taken = interleaved(
            {PEER: peer.block("search"), OURS: ours.block("whole")},
            rounds=rounds,
            block=5,
        )
        embedded = peer.ask("embedded", last=EMBEDDED)  # what is searched has not grown before
    for name, samples in taken.items():
        report.sampled(name, samples)
    medians = {name: report.samples[name]["median_us"] for name in taken}
    share = 100 * medians[OURS] / medians[PEER]
    report.add("a search, of the peer's", share, unit="%", budget=SEARCH)
    each = {kind: spent[kind] / SIZE for kind in ("wall", "cpu")}
    _filling(report, "filling, its embedder the same", each["wall"], embedded["wall"], budget=FILL)
    _filling(report, "the same, CPU", each["cpu"], embedded["cpu"])
    _filling(report, "filling, vectors given to both", each["wall"], told["wall"])
    _filling(report, "the same, CPU", each["cpu"], told["cpu"])
    _filling(report, "filling until all is embedded", learnt["wall"], embedded["wall"])
    report.add(f"(mem0ai {told['version']})", SIZE, unit="messages")
    return report


def _filling(
    report: Report, name: str, ours: float, peer: float, *, budget: float | None = None
) -> None:
    note = f"{ours * 1e6:,.0f} µs to {peer * 1e6:,.0f} µs each"
    report.add(name, 100 * ours / peer, unit="% of the peer's", budget=budget, note=note)
