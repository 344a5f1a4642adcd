"""The routes of tasks."""

from __future__ import annotations

from . import task_shapes
from .route import AGENT, BOTH, Route
from .verbs import tasks

TASK = AGENT + "/tasks/{task}"

TASKS: tuple[Route, ...] = (
    Route(
        "GET",
        AGENT + "/tasks",
        "read",
        tasks.list_tasks,
        task_shapes.InProject,
        task_shapes.TaskList,
    ),
    Route(
        "POST", AGENT + "/tasks", "write", tasks.new_task, task_shapes.NewTask, task_shapes.TaskSeen
    ),
    Route("GET", TASK, "read", tasks.show_task, task_shapes.OfTask, task_shapes.TaskStanding),
    Route(
        "POST",
        TASK + "/start",
        BOTH,
        tasks.start,
        task_shapes.Start,
        task_shapes.TaskBegun,
        slow=True,
    ),
    Route(
        "POST",
        TASK + "/checkpoints",
        BOTH,
        tasks.checkpoint,
        task_shapes.Mark,
        task_shapes.TaskMarked,
    ),
    Route("POST", TASK + "/gate", BOTH, tasks.gate, task_shapes.Pass, task_shapes.TaskPassed),
    Route(
        "POST",
        TASK + "/fail",
        BOTH,
        tasks.fail,
        task_shapes.Fail,
        task_shapes.TaskFailed,
        slow=True,
    ),
    Route(
        "POST",
        TASK + "/passed",
        BOTH,
        tasks.step_passed,
        task_shapes.StepPassed,
        task_shapes.TaskSeen,
    ),
    Route(
        "POST", TASK + "/end", BOTH, tasks.end, task_shapes.End, task_shapes.TaskEnded, slow=True
    ),
    Route(
        "POST",
        TASK + "/used",
        BOTH,
        tasks.used,
        task_shapes.Used,
        task_shapes.TaskReached,
        slow=True,
    ),
    Route("POST", TASK + "/stop", BOTH, tasks.stop, task_shapes.Stop, task_shapes.TaskStopped),
    Route(
        "GET",
        TASK + "/sessions",
        "read",
        tasks.list_sessions,
        task_shapes.OfTask,
        task_shapes.TaskSessions,
    ),
    Route(
        "GET",
        TASK + "/checkpoints",
        "read",
        tasks.list_checkpoints,
        task_shapes.OfTask,
        task_shapes.TaskCheckpoints,
    ),
    Route(
        "GET",
        TASK + "/timeline",
        "read",
        tasks.timeline,
        task_shapes.OfTask,
        task_shapes.TaskTimeline,
    ),
    Route(
        "POST", TASK + "/verify", BOTH, tasks.verify, task_shapes.Verify, task_shapes.TaskVerified
    ),
    Route(
        "GET",
        AGENT + "/incidents",
        "read",
        tasks.list_incidents,
        task_shapes.Everywhere,
        task_shapes.IncidentList,
    ),
    Route(
        "POST",
        AGENT + "/incidents/{incident}/resolve",
        BOTH,
        tasks.resolve,
        task_shapes.Resolve,
        task_shapes.IncidentSeen,
    ),
    Route(
        "GET",
        AGENT + "/events",
        "read",
        tasks.list_events,
        task_shapes.Limited,
        task_shapes.EventList,
    ),
)
