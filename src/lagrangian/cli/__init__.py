"""The command line: `lagrangian --help`."""
