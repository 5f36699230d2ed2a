"""From unread messages to facts, in one commit."""
