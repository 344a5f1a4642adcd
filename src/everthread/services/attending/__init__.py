"""What a harness is answered, event by event."""
