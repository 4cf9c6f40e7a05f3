"""Traced code: operations recorded as a graph, independent of the language it is then written in."""
