"""The viewer's WebSocket: snapshots and ordered patches."""
