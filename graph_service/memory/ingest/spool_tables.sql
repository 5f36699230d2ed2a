CREATE TABLE IF NOT EXISTS episodes (
  number INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, user_id TEXT NOT NULL, session_id TEXT NOT NULL,
  key TEXT NOT NULL, body TEXT NOT NULL, spooled_at TEXT NOT NULL, state TEXT NOT NULL, failures INTEGER NOT NULL,
  error TEXT, UNIQUE (tenant, key)
);
CREATE INDEX IF NOT EXISTS waiting ON episodes (state, tenant, number);
CREATE INDEX IF NOT EXISTS waiting_in_order ON episodes (state, number);
CREATE INDEX IF NOT EXISTS waiting_of_user ON episodes (tenant, user_id, state, number);
CREATE TABLE IF NOT EXISTS switches (name TEXT PRIMARY KEY);
