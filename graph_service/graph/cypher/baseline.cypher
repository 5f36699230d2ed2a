// The schema of an empty database: constraints and indexes, one statement after another. Vector indexes depend on the embedder and
// are defined by schema/define_*. Fragments are those of graph/fragments.toml. A change is made here and, for databases
// that exist, in a numbered migration in migrations/; what a new predicate needs is created without one.

// Users, agents, entities and scenes: the nodes of the mind map.
CREATE CONSTRAINT memory_id IF NOT EXISTS FOR (n:Memory) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX memory_user IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.user_id);
CREATE INDEX memory_place IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.place_seq);
CREATE INDEX user_tenant IF NOT EXISTS FOR (n:User) ON (n.tenant, n.user_id);

// Entities, by normalised name, by the words of their names and by spelling (each folded form is one token, so that a name is found in
// every script and with every accent).
CREATE INDEX entity_name IF NOT EXISTS FOR (n:Entity) ON (n.tenant, n.user_id, n.key);
CREATE FULLTEXT INDEX entity_words IF NOT EXISTS FOR (n:Entity) ON EACH [n.name, n.aliases, n.scope_user]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};
CREATE FULLTEXT INDEX entity_forms IF NOT EXISTS FOR (n:Entity) ON EACH [n.form_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};

// Merged entities and their facts, as they were before the merge; pairs of entities that must not be merged.
CREATE CONSTRAINT member_entity_id IF NOT EXISTS FOR (n:MemberEntity) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX member_entity_name IF NOT EXISTS FOR (n:MemberEntity) ON (n.tenant, n.user_id, n.key);
CREATE INDEX member_fact_id IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.id);
CREATE INDEX member_fact_subject IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.subject_id);
CREATE INDEX member_fact_object IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.object_id);
CREATE CONSTRAINT rejected_merge_id IF NOT EXISTS FOR (n:RejectedMerge) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX rejected_merge_user IF NOT EXISTS FOR (n:RejectedMerge) ON (n.tenant, n.user_id);

// Facts and mentions. unembedded_in is set only while a fact waits for a vector.
{{each predicate, ;}}
CREATE CONSTRAINT {{predicate_name}}_id IF NOT EXISTS FOR ()-[r:{{predicate}}]-() REQUIRE (r.tenant, r.id) IS UNIQUE
{{end}};
{{each fact, ;}}
CREATE INDEX {{predicate_name}}_unembedded IF NOT EXISTS FOR ()-[r:{{predicate}}]-() ON (r.tenant, r.unembedded_in)
{{end}};
CREATE INDEX caused_by_user IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.tenant, r.user_id);
CREATE FULLTEXT INDEX fact_words IF NOT EXISTS FOR ()-[r:{{predicates}}]-() ON EACH [r.statement, r.relation, r.scope_tenant, r.scope_user]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};
CREATE FULLTEXT INDEX fact_stems IF NOT EXISTS FOR ()-[r:{{predicates}}]-() ON EACH [r.statement, r.relation, r.scope_user]
OPTIONS {indexConfig: {`fulltext.analyzer`: "english"}};

// Messages. unread, unembedded: set only while a message waits for consolidation or a vector. Full text as pairs of characters (cjk) and
// as English stems; scope and day are fields of the index, so that filters act inside it.
CREATE CONSTRAINT message_id IF NOT EXISTS FOR (n:Message) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX message_user IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.user_id, n.said_ms);
CREATE INDEX message_session IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id);
CREATE INDEX message_order IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.said_ms, n.position);
CREATE INDEX message_happened IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.user_id, n.mentioned_start, n.mentioned_end);
CREATE INDEX message_unread IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.unread);
CREATE INDEX message_expiry IF NOT EXISTS FOR (n:Message) ON (n.expires_ms);
CREATE INDEX message_unembedded IF NOT EXISTS FOR (n:Message) ON (n.tenant, n.session_id, n.unembedded);
CREATE FULLTEXT INDEX message_words IF NOT EXISTS FOR (n:Message) ON EACH [n.text, n.speaker, n.scope_tenant, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};
CREATE FULLTEXT INDEX message_stems IF NOT EXISTS FOR (n:Message) ON EACH [n.text, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "english"}};

// Tagged messages; a token is a hash of tenant, user and tag. Messages without tags are not in the index.
CREATE FULLTEXT INDEX message_tags IF NOT EXISTS FOR (n:Message) ON EACH [n.tag_tokens]
OPTIONS {indexConfig: {`fulltext.analyzer`: "whitespace"}};

// Scenes. unembedded, unextracted, layers_behind: set only while a scene waits for vectors, extraction or new summaries.
CREATE INDEX scene_session IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.start_ms);
CREATE INDEX scene_happened IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.user_id, n.scene_start, n.scene_end);
CREATE INDEX scene_recent IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.last_seen);
CREATE INDEX scene_unembedded IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.unembedded);
CREATE INDEX scene_unextracted IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.unextracted);
CREATE INDEX scene_layers_behind IF NOT EXISTS FOR (n:Scene) ON (n.tenant, n.session_id, n.layers_behind);
CREATE FULLTEXT INDEX scene_words IF NOT EXISTS FOR (n:Scene) ON EACH [n.name, n.abstract, n.overview, n.scope_tenant, n.scope_user, n.said_day]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};

// Sessions. SessionLifecycle is a separate node because scenes are linked to Session while the state changes, and both would lock it.
CREATE CONSTRAINT session_id IF NOT EXISTS FOR (n:Session) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE CONSTRAINT session_lifecycle_id IF NOT EXISTS FOR (n:SessionLifecycle) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX session_lifecycle_idle IF NOT EXISTS FOR (n:SessionLifecycle) ON (n.state, n.last_ms);
CREATE INDEX session_lifecycle_user IF NOT EXISTS FOR (n:SessionLifecycle) ON (n.tenant, n.user_id, n.last_ms);

// Episodes: facts and summaries provided by callers. unread: set only until consolidation.
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (n:Episode) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX episode_session IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.session_id);
CREATE INDEX episode_unread IF NOT EXISTS FOR (n:Episode) ON (n.tenant, n.session_id, n.unread);

// Items: values by namespace and key. unembedded: set only while an item waits for a vector; scopes: tokens of the owner with each prefix of the
// namespace, and of the fields of the value.
CREATE CONSTRAINT item_id IF NOT EXISTS FOR (n:Item) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX item_user IF NOT EXISTS FOR (n:Item) ON (n.tenant, n.user_id);
CREATE INDEX item_expiry IF NOT EXISTS FOR (n:Item) ON (n.expires_ms);
CREATE INDEX item_unembedded IF NOT EXISTS FOR (n:Item) ON (n.unembedded);
CREATE FULLTEXT INDEX item_words IF NOT EXISTS FOR (n:Item) ON EACH [n.text, n.scopes]
OPTIONS {indexConfig: {`fulltext.analyzer`: "cjk"}};

// The outbox. open: set only while work is left; unavailable_service: the external service a parked job waits for.
CREATE CONSTRAINT job_id IF NOT EXISTS FOR (n:Job) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX job_due IF NOT EXISTS FOR (n:Job) ON (n.open, n.due_ms);
CREATE INDEX job_unavailable_service IF NOT EXISTS FOR (j:Job) ON (j.unavailable_service);
CREATE INDEX job_state IF NOT EXISTS FOR (j:Job) ON (j.tenant, j.state);

// Tenants, the change log, revisions (the lock of a user's memory), usage by day, tombstones, records of forgettings, API keys.
CREATE CONSTRAINT tenant_id IF NOT EXISTS FOR (n:Tenant) REQUIRE n.id IS UNIQUE;
CREATE INDEX tenant_quarantine IF NOT EXISTS FOR (n:Tenant) ON (n.quarantine);
CREATE CONSTRAINT change_seq IF NOT EXISTS FOR (n:Change) REQUIRE (n.tenant, n.seq) IS UNIQUE;
CREATE INDEX change_element IF NOT EXISTS FOR (n:Change) ON (n.tenant, n.element_id);
CREATE CONSTRAINT revision_id IF NOT EXISTS FOR (n:Revision) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE CONSTRAINT usage_day IF NOT EXISTS FOR (u:Usage) REQUIRE (u.tenant, u.day) IS UNIQUE;
CREATE CONSTRAINT tombstone_id IF NOT EXISTS FOR (n:Tombstone) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX tombstone_user IF NOT EXISTS FOR (n:Tombstone) ON (n.tenant, n.user_node_id);
CREATE INDEX forgetting_at IF NOT EXISTS FOR (n:Forgetting) ON (n.at_ms);
CREATE CONSTRAINT access_key_id IF NOT EXISTS FOR (k:AccessKey) REQUIRE k.id IS UNIQUE
