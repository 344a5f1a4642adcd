"""What is looked at before work goes on: the smoke command and its trust, refusals, the STOP file."""
