"""The names of the jobs that services ask for."""

DISTILL = "thread.distill"
"""Distill a thread, if signals still fire."""

CORRECT = "views.correct"
"""Show what a person corrected by hand in the summaries that quote it; asked for twice is once."""

SCORE = "receipt.score"
"""Score a distillation for which nobody waited."""

FLUSH = "files.flush"
"""Try again what could not be written to files."""

WITHDRAW = "files.withdraw"
"""Take what was written of an erased thread out of files."""

FOLLOW_FILES = "files.follow"
"""Have the files of one place follow the store: something was taken away from another place."""

RENEW_FILES = "files.renew"
"""Have `MEMORY.md` of one place say what holds: the last day of something that it lists is past."""

UNSHARE = "memories.unshare"
"""Take what was forgotten and had reached user-wide out of other agents."""

SETTLE = "store.settle"
"""Bring everything to its final place after an erasure."""

ERASURE = "erasure"
"""Why a store is settled: asked for twice is once."""

SCRUB = "index.scrub"
"""Take words of purged messages out of the segments of an index, where deleted words linger."""

CHECKPOINT = "session.checkpoint"
"""Write the checkpoint of a harness's session; asked for twice before it is written is once."""

COMPACTION = "compaction.score"
"""Measure what a harness's own compaction kept, and what is still missing."""

ENDED = "session.ended"
"""See to the end of a session: draw memories from it, and sum it up."""

LEARN = "scorer.learn"
"""Judge the sessions that are over, and learn from them which memories help."""

EXTRACT = "session.extract"
"""Draw memories from what a harness's session held, and put it into files that people read."""

DELIVER = "outbox.deliver"
"""Bring events of tasks to those who are to be told."""

REFRESH = "task.refresh"
"""Fork or refresh a task's session whose context has grown; asked for twice before that is once."""

CHANGES = "task.changes"
"""Make one checkpoint of the changes of files that a task's session was told and that waited long enough."""


def addressed_kind(kind: str, to: str) -> str:
    """That work, for the workers of one home or one place alone; where nobody is named, for any."""
    return f"{kind}@{to}" if to else kind
