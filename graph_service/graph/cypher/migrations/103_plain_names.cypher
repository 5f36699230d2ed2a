// Rename kinds of jobs, reasons of closings and the count of scenes over budget in databases from before the first release.
CALL () {
  MATCH (j:Job) WHERE j.kind IN ['read', 'anew']
  WITH j, CASE j.kind WHEN 'read' THEN 'extract' ELSE 'reextract' END AS kind
  // The id ends with the kind; both old names have four letters.
  SET j.kind = kind, j.id = left(j.id, size(j.id) - 4) + kind
}
CALL () {
  MATCH ()-[f:{{predicates}}]->() WHERE f.closed_why IS NOT NULL
  SET f.closing_reason = CASE f.closed_why WHEN 'over' THEN 'ended' WHEN 'joined' THEN 'merged' ELSE f.closed_why END
  REMOVE f.closed_why
}
CALL () {
  MATCH (f:HeldFact) WHERE f.closed_why IS NOT NULL
  SET f.closing_reason = CASE f.closed_why WHEN 'over' THEN 'ended' WHEN 'joined' THEN 'merged' ELSE f.closed_why END
  REMOVE f.closed_why
}
CALL () {
  MATCH (l:SessionLife) WHERE l.why IS NOT NULL
  SET l.close_reason = l.why
  REMOVE l.why
}
CALL () {
  MATCH (u:Usage) WHERE u.scenes_owed IS NOT NULL
  SET u.scenes_over_budget = u.scenes_owed
  REMOVE u.scenes_owed
}
FINISH
