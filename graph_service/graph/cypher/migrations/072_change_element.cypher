// Changes of one element, so that forgetting finds what the log says of it.
CREATE INDEX change_element IF NOT EXISTS FOR (n:Change) ON (n.tenant, n.element_id)
