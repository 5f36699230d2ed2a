// What a user's memory knows of causes, for the core memory of a context.
CREATE INDEX caused_by_user IF NOT EXISTS FOR ()-[r:CAUSED_BY]-() ON (r.tenant, r.user_id)
