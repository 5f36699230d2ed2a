"""The WebSocket door: snapshots and ordered patches."""
