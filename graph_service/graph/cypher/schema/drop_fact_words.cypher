// Drop the full-text index fact_words, because the predicates changed.
DROP INDEX fact_words IF EXISTS
