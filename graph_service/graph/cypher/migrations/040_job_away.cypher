// Finds work that was parked because something outside was away.
CREATE INDEX job_away IF NOT EXISTS FOR (j:Job) ON (j.away)
