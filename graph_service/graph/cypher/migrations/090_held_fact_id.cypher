// Facts of merged entities by their id, for exports.
CREATE INDEX held_fact_id IF NOT EXISTS FOR (n:HeldFact) ON (n.tenant, n.id)
