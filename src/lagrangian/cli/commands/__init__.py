"""The commands; those that are close to each other share a file."""
