"""Tools with the names and schemas of other memory servers."""
