// Facts of merged entities as they were said, by their subject.
CREATE INDEX held_fact_subject IF NOT EXISTS FOR (n:HeldFact) ON (n.tenant, n.subject_id)
