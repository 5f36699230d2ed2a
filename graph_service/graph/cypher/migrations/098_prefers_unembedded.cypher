// Facts that wait for a vector: unembedded_in is a property only while that is so.
CREATE INDEX prefers_unembedded IF NOT EXISTS FOR ()-[r:PREFERS]-() ON (r.tenant, r.unembedded_in)
