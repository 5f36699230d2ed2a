// Rename labels, properties and a relationship type to the field's terms. Several statements, separated by semicolons: create the new
// indexes, rename the data in batches, drop the old indexes. Each element is renamed in one commit, so a migration that was stopped can run again.
CREATE CONSTRAINT member_entity_id IF NOT EXISTS FOR (n:MemberEntity) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX member_entity_name IF NOT EXISTS FOR (n:MemberEntity) ON (n.tenant, n.user_id, n.key);
CREATE INDEX member_fact_id IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.id);
CREATE INDEX member_fact_subject IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.subject_id);
CREATE INDEX member_fact_object IF NOT EXISTS FOR (n:MemberFact) ON (n.tenant, n.object_id);
CREATE CONSTRAINT rejected_merge_id IF NOT EXISTS FOR (n:RejectedMerge) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX rejected_merge_user IF NOT EXISTS FOR (n:RejectedMerge) ON (n.tenant, n.user_id);
CREATE CONSTRAINT session_lifecycle_id IF NOT EXISTS FOR (n:SessionLifecycle) REQUIRE (n.tenant, n.id) IS UNIQUE;
CREATE INDEX session_lifecycle_idle IF NOT EXISTS FOR (n:SessionLifecycle) ON (n.state, n.last_ms);
CREATE INDEX session_lifecycle_user IF NOT EXISTS FOR (n:SessionLifecycle) ON (n.tenant, n.user_id, n.last_ms);
CREATE INDEX job_unavailable_service IF NOT EXISTS FOR (j:Job) ON (j.unavailable_service);

// The node is locked before its relationship is read, so that two processes do not both create the new one.
MATCH (n:HeldEntity)
CALL (n) {
  SET n:MemberEntity
  REMOVE n:HeldEntity
  WITH n
  MATCH (n)-[old:STANDS_FOR]->(root)
  CREATE (n)-[:MEMBER_OF]->(root)
  DELETE old
} IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

// Lists of assertions may be long, so batches of facts are small.
MATCH (n:HeldFact)
CALL (n) {
  SET n:MemberFact, n.assertions = coalesce(n.told, n.assertions), n.corrections = coalesce(n.stated, n.corrections),
      n.extracted = coalesce(n.read_as, n.extracted), n.similarity_keys = coalesce(n.near, n.similarity_keys),
      n.ignored_closings = coalesce(n.reopened, n.ignored_closings), n.profile_exclusion = coalesce(n.profile_out, n.profile_exclusion)
  REMOVE n:HeldFact, n.told, n.stated, n.read_as, n.near, n.reopened, n.profile_out
} IN TRANSACTIONS OF 100 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH ()-[f:{{predicates}}]->()
WHERE f.told IS NOT NULL OR f.near IS NOT NULL OR f.stated IS NOT NULL OR f.read_as IS NOT NULL OR f.reopened IS NOT NULL
   OR f.profile_out IS NOT NULL
CALL (f) {
  SET f.assertions = coalesce(f.told, f.assertions), f.corrections = coalesce(f.stated, f.corrections),
      f.extracted = coalesce(f.read_as, f.extracted), f.similarity_keys = coalesce(f.near, f.similarity_keys),
      f.ignored_closings = coalesce(f.reopened, f.ignored_closings), f.profile_exclusion = coalesce(f.profile_out, f.profile_exclusion)
  REMOVE f.told, f.stated, f.read_as, f.near, f.reopened, f.profile_out
} IN TRANSACTIONS OF 100 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (n:KeptApart)
CALL (n) { SET n:RejectedMerge REMOVE n:KeptApart } IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (n:SessionLife)
CALL (n) { SET n:SessionLifecycle REMOVE n:SessionLife } IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (u:User) WHERE u.called IS NOT NULL
CALL (u) {
  SET u.declared_names = u.called, u.declared_since = u.called_since
  REMOVE u.called, u.called_since
} IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (s:Scene) WHERE s.layers_by IS NOT NULL OR s.overview_owed IS NOT NULL OR s.owed IS NOT NULL
CALL (s) {
  SET s.abstract_by = coalesce(s.layers_by, s.abstract_by), s.overview_pending = coalesce(s.overview_owed, s.overview_pending),
      s.fallback_reason = coalesce(s.owed, s.fallback_reason)
  REMOVE s.layers_by, s.overview_owed, s.owed
} IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (j:Job) WHERE j.wanted IS NOT NULL OR j.away IS NOT NULL
CALL (j) {
  SET j.enqueue_count = coalesce(j.wanted, j.enqueue_count), j.unavailable_service = coalesce(j.away, j.unavailable_service)
  REMOVE j.wanted, j.away
} IN TRANSACTIONS OF 1000 ROWS ON ERROR RETRY FOR 60 SECONDS THEN FAIL;

MATCH (t:Tenant) WHERE t.marks_of IS NOT NULL
SET t.tombstone_tenant = t.marks_of
REMOVE t.marks_of;

DROP CONSTRAINT held_entity_id IF EXISTS;
DROP INDEX held_entity_name IF EXISTS;
DROP INDEX held_fact_id IF EXISTS;
DROP INDEX held_fact_subject IF EXISTS;
DROP INDEX held_fact_object IF EXISTS;
DROP CONSTRAINT kept_apart_id IF EXISTS;
DROP INDEX kept_apart_user IF EXISTS;
DROP CONSTRAINT session_life_id IF EXISTS;
DROP INDEX session_life_idle IF EXISTS;
DROP INDEX session_life_user IF EXISTS;
DROP INDEX job_away IF EXISTS
