"""Who looks at what the assistant said of late: rules, a server, a model."""
