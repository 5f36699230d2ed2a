"""Tools under the names that other memory servers give them."""
