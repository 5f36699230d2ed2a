"""Run jobs: read sessions, embed, close, reread, forget."""
