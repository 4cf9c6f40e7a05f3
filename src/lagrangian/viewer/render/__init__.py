"""Pictures and films, drawn in numpy."""
