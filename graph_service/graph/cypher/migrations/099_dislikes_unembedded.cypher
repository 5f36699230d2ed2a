// Facts that wait for a vector: unembedded_in is a property only while that is so.
CREATE INDEX dislikes_unembedded IF NOT EXISTS FOR ()-[r:DISLIKES]-() ON (r.tenant, r.unembedded_in)
