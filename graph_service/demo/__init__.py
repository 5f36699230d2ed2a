"""The demonstration: real conversations, three questions, and what shows them."""
