"""What a turn is given beside the user's words: sections, room, frame, and what became of it."""
