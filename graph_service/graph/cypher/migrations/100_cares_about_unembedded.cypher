// Facts that wait for a vector: unembedded_in is a property only while that is so.
CREATE INDEX cares_about_unembedded IF NOT EXISTS FOR ()-[r:CARES_ABOUT]-() ON (r.tenant, r.unembedded_in)
