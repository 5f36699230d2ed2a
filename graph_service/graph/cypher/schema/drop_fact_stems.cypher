// Drop the full-text index fact_stems, because the predicates changed.
DROP INDEX fact_stems IF EXISTS
