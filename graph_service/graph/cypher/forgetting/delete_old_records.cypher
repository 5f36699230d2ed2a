// Delete records of forgettings that every running process has read. Index forgetting_at.
// $before_ms: int
// -> records
MATCH (f:Forgetting) WHERE f.at_ms < $before_ms
WITH f LIMIT 10000
DELETE f
RETURN count(*) AS records
