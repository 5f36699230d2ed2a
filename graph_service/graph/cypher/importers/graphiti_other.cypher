// What another program's database, Graphiti's, holds beside episodes and facts, and is left out of an import.
// $group: str or null
// -> summaries, communities
RETURN COUNT { MATCH (e:Entity) WHERE coalesce(e.summary, '') <> '' AND ($group IS NULL OR e.group_id = $group) } AS summaries,
       COUNT { MATCH (c:Community) WHERE $group IS NULL OR c.group_id = $group } AS communities
