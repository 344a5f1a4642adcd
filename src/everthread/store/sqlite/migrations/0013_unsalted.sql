-- What an erased thread's view once hid and then showed again kept the salt of its first entry; `verify` took
-- the row for removed. With its last entry's salt gone, the first one's goes too.
UPDATE timeline INDEXED BY timeline_subjects SET salt = NULL
WHERE event <> 'message' AND event = 'mark.added' AND salt IS NOT NULL
    AND EXISTS (
        SELECT 1 FROM timeline AS later
        WHERE later.agent_id = timeline.agent_id AND later.subject = timeline.subject
            AND later.event <> 'message' AND later.event = 'mark.ended' AND later.salt IS NULL)
    AND NOT EXISTS (SELECT 1 FROM marks WHERE marks.id = timeline.subject);
