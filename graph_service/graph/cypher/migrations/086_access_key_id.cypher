// One node for each API key; its hash only.
CREATE CONSTRAINT access_key_id IF NOT EXISTS FOR (k:AccessKey) REQUIRE k.id IS UNIQUE
