"""Read facts with a language model: prompts, schemas, chain of readers, judge."""
