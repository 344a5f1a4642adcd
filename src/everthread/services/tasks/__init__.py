"""Tasks, one use case a module, named by its verb.

A task has its `sessions`, which write `checkpoints`; `checks` come before work goes on; `files` is what
lies in its folder. Beside them: its life (`new`, `status`, `gate`, `fail`, `fix`), what happened
(`events`, `incidents`, `troubles`), the `desk` at which all of it works, and the `sandbox`.
"""
