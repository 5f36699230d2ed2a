// Facts of merged entities as they were said, by their object.
CREATE INDEX held_fact_object IF NOT EXISTS FOR (n:HeldFact) ON (n.tenant, n.object_id)
