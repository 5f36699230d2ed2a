// Indexes on the time that messages and scenes are about, for questions that name a time.
CREATE INDEX message_happened IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.user_id, n.mentioned_start, n.mentioned_end);
CREATE INDEX scene_happened IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.user_id, n.scene_start, n.scene_end)
