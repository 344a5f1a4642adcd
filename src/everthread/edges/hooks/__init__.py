"""The hot path: a command that a harness runs at every event. It carries bytes to the daemon."""
