"""Answer a question with ranked hits and their evidence."""
