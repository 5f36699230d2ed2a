"""The command line: a door for people, each command one use case."""
