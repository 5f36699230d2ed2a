"""Extract facts without a language model: from the tags of a local model and from plain sentences."""
