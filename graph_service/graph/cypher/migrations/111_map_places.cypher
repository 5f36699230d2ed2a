// Nodes that viewers placed.
CREATE INDEX memory_place IF NOT EXISTS FOR (n:Memory) ON (n.tenant, n.place_seq)
