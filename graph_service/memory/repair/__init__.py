"""Find what is inconsistent in the graph and repair it."""
