"""Long-context safety: refusals, and what may still be done in a sandbox."""
