"""What a turn is given beside the user's words, and what that was worth."""
