"""Measuring: data sets of conversations with questions, what is found, and how good that is."""
