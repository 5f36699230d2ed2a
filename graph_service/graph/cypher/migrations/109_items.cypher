// Items: values by namespace and key. unembedded: set only while an item waits for a vector; scopes: tokens of the owner with each prefix of the
// namespace, and of the fields of the value.
CREATE CONSTRAINT item_id IF NOT EXISTS FOR (n:Item) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX item_user IF NOT EXISTS FOR (n:Item) ON (n.tenant, n.user_id);
CREATE INDEX item_expiry IF NOT EXISTS FOR (n:Item) ON (n.expires_ms);
CREATE INDEX item_unembedded IF NOT EXISTS FOR (n:Item) ON (n.unembedded);
CREATE FULLTEXT INDEX item_words IF NOT EXISTS FOR (n:Item) ON EACH [n.text, n.scopes]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}}
