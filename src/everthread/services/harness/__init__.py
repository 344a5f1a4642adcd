"""What happens in a harness: captured, checkpointed, measured."""
