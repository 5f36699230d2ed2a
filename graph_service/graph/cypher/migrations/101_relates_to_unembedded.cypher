// Facts that wait for a vector: unembedded_in is a property only while that is so.
CREATE INDEX relates_to_unembedded IF NOT EXISTS FOR ()-[r:RELATES_TO]-() ON (r.tenant, r.unembedded_in)
