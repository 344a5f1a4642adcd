"""What a session was about, told in a few sentences that can be proved."""
