"""Extract facts with a language model: prompts, output schemas, scene reader with fallbacks, fact judge."""
