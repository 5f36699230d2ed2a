// Records of what was forgotten, which every process follows.
CREATE INDEX forgetting_at IF NOT EXISTS FOR (n:Forgetting) ON (n.at_ms)
