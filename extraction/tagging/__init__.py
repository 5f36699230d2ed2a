"""Facts of single messages by a small model that tags their spans, beside the rules."""
