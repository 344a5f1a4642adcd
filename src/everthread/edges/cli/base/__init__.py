"""What all commands share: options, exit codes, the terminal, and the way to a daemon or the store."""
