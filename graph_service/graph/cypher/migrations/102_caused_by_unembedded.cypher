// Facts that wait for a vector: unembedded_in is a property only while that is so.
CREATE INDEX caused_by_unembedded IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.tenant, r.unembedded_in)
