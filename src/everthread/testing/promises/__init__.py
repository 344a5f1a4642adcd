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
            "catalogue",
            "checkpoint_pruning",
            "checkpoints",
            "compactions",
            "disk_budget",
            "exchanges",
            "index_search",
            "injections",
            "jobs",
            "memories",
            "messages",
            "purges",
            "receipts",
            "scorers",
            "sessions",
            "sittings",
            "summaries",
            "tasks",
            "threads",
            "timeline",
            "transactions",
            "turns",
        )
    )
)
