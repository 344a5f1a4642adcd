"""What every store promises, as tests: one module for each part of the port."""

from __future__ import annotations

import pytest

# A failed promise should show its values, as an assertion in the reader's own tests does.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{part}"
        for part in (
            "agents",
            "audit",
            "budget",
            "catalogue",
            "compactions",
            "exchanges",
            "finding",
            "harness",
            "injections",
            "jobs",
            "memories",
            "messages",
            "pruning",
            "purging",
            "receipts",
            "scorers",
            "sessions",
            "sittings",
            "summaries",
            "tasks",
            "threads",
            "timeline",
            "turns",
            "writing",
        )
    )
)
