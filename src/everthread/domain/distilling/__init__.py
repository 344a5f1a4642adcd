"""When a thread is distilled, what of it, how the summary reads, how it is scored, what a model may do."""
