"""Read, correct and reopen facts."""
