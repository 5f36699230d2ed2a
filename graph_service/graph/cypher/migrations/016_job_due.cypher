// Work that is due: open is a property only while work is left.
CREATE INDEX job_due IF NOT EXISTS FOR (n:Job) ON (n.open, n.due_ms)
