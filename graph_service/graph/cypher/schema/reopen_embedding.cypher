// Reopen the embed jobs of all sessions, because the embedder changed.
MATCH (j:Job {kind: 'embed'}) CALL (j) { SET j.open = true, j.enqueue_count = j.enqueue_count + 1, j.attempts = 0, j.due_ms = 0 } IN TRANSACTIONS OF 1000 ROWS
