"""Configurations: how `q0` is read, how loops are closed, and how many degrees of freedom there are."""
