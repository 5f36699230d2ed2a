// Counts of the elements of a Graphiti database that are not imported.
// $group: str or null
// -> summaries, communities
RETURN COUNT { MATCH (e:Entity) WHERE coalesce(e.summary, '') <> '' AND ($group IS NULL OR e.group_id = $group) } AS summaries,
       COUNT { MATCH (c:Community) WHERE $group IS NULL OR c.group_id = $group } AS communities
