"""The routes of tasks."""

from __future__ import annotations

from . import tasked
from .route import AGENT, BOTH, Route
from .verbs import tasks

TASK = AGENT + "/tasks/{task}"

TASKS: tuple[Route, ...] = (
    Route("GET", AGENT + "/tasks", "read", tasks.list_tasks, tasked.InProject, tasked.TaskList),
    Route("POST", AGENT + "/tasks", "write", tasks.new_task, tasked.NewTask, tasked.TaskSeen),
    Route("GET", TASK, "read", tasks.show_task, tasked.OfTask, tasked.TaskStanding),
    Route("POST", TASK + "/start", BOTH, tasks.start, tasked.Start, tasked.TaskBegun, slow=True),
    Route("POST", TASK + "/checkpoints", BOTH, tasks.checkpoint, tasked.Mark, tasked.TaskMarked),
    Route("POST", TASK + "/gate", BOTH, tasks.gate, tasked.Pass, tasked.TaskPassed),
    Route("POST", TASK + "/fail", BOTH, tasks.fail, tasked.Fail, tasked.TaskFailed, slow=True),
    Route("POST", TASK + "/passed", BOTH, tasks.step_passed, tasked.StepPassed, tasked.TaskSeen),
    Route("POST", TASK + "/end", BOTH, tasks.end, tasked.End, tasked.TaskEnded, slow=True),
    Route("POST", TASK + "/used", BOTH, tasks.used, tasked.Used, tasked.TaskReached, slow=True),
    Route("POST", TASK + "/stop", BOTH, tasks.stop, tasked.Stop, tasked.TaskStopped),
    Route(
        "GET",
        TASK + "/sessions",
        "read",
        tasks.list_sessions,
        tasked.OfTask,
        tasked.TaskSessions,
    ),
    Route(
        "GET",
        TASK + "/checkpoints",
        "read",
        tasks.list_checkpoints,
        tasked.OfTask,
        tasked.TaskCheckpoints,
    ),
    Route("GET", TASK + "/timeline", "read", tasks.timeline, tasked.OfTask, tasked.TaskTimeline),
    Route("POST", TASK + "/verify", BOTH, tasks.verify, tasked.Verify, tasked.TaskVerified),
    Route(
        "GET",
        AGENT + "/incidents",
        "read",
        tasks.list_incidents,
        tasked.Everywhere,
        tasked.IncidentList,
    ),
    Route(
        "POST",
        AGENT + "/incidents/{incident}/resolve",
        BOTH,
        tasks.resolve,
        tasked.Resolve,
        tasked.IncidentSeen,
    ),
    Route("GET", AGENT + "/events", "read", tasks.list_events, tasked.Limited, tasked.EventList),
)
