-- Of a new tool result that no request has room for, a turn shows as much as fits: so many characters.
ALTER TABLE marks ADD COLUMN kept INTEGER;
