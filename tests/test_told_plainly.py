"""What a start and the files say reads as a person would write it."""

from __future__ import annotations

from pathlib import Path

from support.harness import bench


def test_one_prompt_is_one_prompt_and_no_summary_is_not_announced(tmp_path: Path) -> None:
    with bench(tmp_path) as b:
        for name, said in (
            ("s-1", ["We decided to name the gateway Falcon."]),
            ("s-2", ["Hm."] * 2),
        ):
            w = b.window(name)
            start = w.start()
            for text in said:
                w.turn(text, "Noted.")
            w.end()
            b.work()
            b.clock.forward(hours=1)
        assert ", 1 prompt) ended" in start
        assert ", 2 prompts) ended" in b.window("s-3").start()
        (day,) = (tmp_path / "files").rglob("2026-02-20.md")
        assert "### Extracted" in day.read_text()
        assert "### Summary" not in day.read_text()
        assert "(none)" not in day.read_text()


def test_a_request_that_only_points_is_told_with_what_it_points_at(tmp_path: Path) -> None:
    with bench(tmp_path) as b:
        w = b.window("s-1")
        w.start()
        w.turn("Check the components for hex values.", "One: +page.svelte line 41.")
        b.clock.forward(minutes=1)
        w.prompt("Fix it.")
        w.end()
        b.work()
        start = b.window("s-2").start()
        assert 'open: "Fix it." (said after: "Check the components for hex values.")' in start
        assert start.count("said after") == 1
