"""Find inconsistencies in the graph and repair them."""
