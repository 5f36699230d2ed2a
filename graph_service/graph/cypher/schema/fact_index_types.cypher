// The relationship types of the indexes that name all predicates of facts. Not scoped to a tenant.
// -> name, types
SHOW INDEXES YIELD name, labelsOrTypes WHERE name IN ['fact_words', 'fact_stems', 'fact_vector'] RETURN name, labelsOrTypes AS types
